"""``mlsieve methods``: what is registered, and the parameters it takes."""

from __future__ import annotations

import argparse

HELP = "list rankers, evaluators, measures and questions, or show one with its parameters"
EXAMPLE = "mlsieve methods pct"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("id", nargs="?", help="one of them; default all")


def run(args: argparse.Namespace) -> int:
    """Print rows of the registry."""
    from mlsieve.errors import UserError, did_you_mean
    from mlsieve.registry import PACKAGES, accepted_values, entries

    found = {kind: known for kind in PACKAGES if (known := entries(kind))}
    if args.id is None:
        for kind, known in found.items():
            print(f"{kind}s")
            for entry in known.values():
                print(f"  {entry.id:<24} {entry.summary}")
        return 0
    named = [known[args.id] for known in found.values() if args.id in known]
    if not named:
        ids = [id for known in found.values() for id in known]
        raise UserError(f"unknown method '{args.id}'", cure=did_you_mean(args.id, ids))
    for entry in named:
        print(f"{entry.kind} {entry.id} (version {entry.version}): {entry.summary}")
        for name, fact in entry.facts.items():
            if isinstance(fact, str | int | float | bool | list | tuple) and name != "not_configurable":
                print(f"  {name}: {', '.join(map(str, fact)) if isinstance(fact, list | tuple) else fact}")
        parameters = entry.parameters() if entry.kind in {"ranker", "evaluator"} else {}
        for name, schema in parameters.items():
            print(f"  --set {name}={_word(schema['default'])}  ({accepted_values(schema)})")
    return 0


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
