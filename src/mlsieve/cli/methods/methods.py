"""``mlsieve methods``: what is registered, and the parameters it takes."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlsieve.registry import Entry

# Parameters of rankers that grow trees which have options of their own.
_OPTIONS = {"ensemble": "--ensemble", "n_estimators": "--trees", "score": "--score"}
HELP = "list rankers, selectors, evaluators, chains, measures and questions, or show one with its parameters"
EXAMPLE = "mlsieve methods pct"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("id", nargs="?", help="id of one of them (default: list all)")


def run(args: argparse.Namespace) -> int:
    """Print rows of the registry."""
    from dataclasses import fields

    from mlsieve.errors import UserError, did_you_mean
    from mlsieve.registry import PACKAGES, accepted_values, entries

    found = {kind: known for kind in PACKAGES if (known := entries(kind))}
    if args.id is None:
        _print_all([entry for known in found.values() for entry in known.values()])
        return 0
    named = [known[args.id] for known in found.values() if args.id in known]
    if not named:
        ids = [id for known in found.values() for id in known]
        raise UserError(f"unknown method '{args.id}'", hint=did_you_mean(args.id, ids))
    for entry in named:
        print(f"{_called(entry)} {entry.id} (version {entry.version}): {_plain(entry.summary)}")
        for fact in fields(entry.facts):
            value = getattr(entry.facts, fact.name)
            plain = isinstance(value, str | int | float | list | tuple)
            if plain and value and fact.name not in ("not_configurable", "selects"):
                words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
                print(f"  {fact.name}: {words}")
        parameters = entry.parameters() if entry.kind in {"ranker", "evaluator", "chain"} else {}
        for name, schema in parameters.items():
            option = _OPTIONS.get(name) if getattr(entry.facts, "scores", None) else None
            words = f"{option} " if option else f"--set {name}="
            meaning = f"; {schema['description']}" if "description" in schema else ""
            print(f"  {words}{_word(schema['default'])}  ({accepted_values(schema)}{meaning})")
    return 0


def _called(entry: Entry) -> str:
    """Return the kind that users see: a selector is a ranker that also gives the number of features."""
    return "selector" if getattr(entry.facts, "selects", False) else entry.kind


def _print_all(known: list[Entry]) -> None:
    """Print a line for each, those of a kind together: its id, the tasks that it is for, what it is."""
    width = max(len(entry.id) for entry in known)
    tasks = [", ".join(getattr(entry.facts, "tasks", ())) for entry in known]
    of_tasks = max(map(len, tasks))
    rankers_first = sorted(known, key=lambda entry: (entry.kind != "ranker", _called(entry) == "selector"))
    for kind in dict.fromkeys(map(_called, rankers_first)):
        print(f"{kind}s")
        for entry, of_entry in zip(known, tasks, strict=True):
            if _called(entry) == kind:
                print(f"  {entry.id:<{width}} {of_entry:<{of_tasks}} {_plain(entry.summary)}")


def _plain(summary: str) -> str:
    """Return a docstring's line without its markup: names and commands in quotation marks, formulas bare."""
    return re.sub(r"``([\w -]+)``", r"'\1'", summary).replace("``", "")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
