"""The errors of a configuration at once, each in one line with its key path and the nearest known word."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mlsieve.configuration.chains import chain_lines
from mlsieve.configuration.names import analysis_names, study_names
from mlsieve.errors import UserError, did_you_mean, printable
from mlsieve.files.checksums import sha256_of
from mlsieve.registry.plugins import all_trusted, load_trusted_plugins, trust, untrusted
from mlsieve.schema_errors import MOST_ERRORS, schema_errors
from mlsieve.schemas import read
from mlsieve.study.settings import SplitKeys, StabilityKeys

T = TypeVar("T")
# Where a name may be one that a plugin registers, and what follows from a name that is not known.
_OF_PLUGIN = re.compile(r"(methods|evaluators|measures|chains|analysis)\b.*(unknown|is not (accepted|among))")


def configuration_errors(
    configuration: Mapping[str, Any], known_datasets: Sequence[str] | None = None, *, plugins: bool = True
) -> list[str]:
    """Return one line for each error of a merged configuration, in the order of its keys.

    Parameters
    ----------
    configuration : mapping
        The merged configuration.
    known_datasets : sequence of str, optional
        Ids that `datasets` may name; default: the catalog's and the embedded ones.
    plugins : bool
        Whether to load them. Without them, an unknown method, measure or parameter may be one of theirs.

    Returns
    -------
    list of str
        ``key.path[0]: what is wrong; hint``; empty if the configuration is right. Of more than `MOST_ERRORS`
        the first, and one more.
    """
    from mlsieve.configuration.schema import build_schema

    try:
        if plugins:
            load_trusted_plugins(_plugins(configuration))  # the schema names what they register
    except UserError as error:
        return [f"plugins: {error}"]
    found = schema_errors(build_schema(bool(configuration.get("chains"))), configuration)

    def further(*several: Iterator[str]) -> None:
        found.extend(itertools.islice(itertools.chain(*several), MOST_ERRORS + 1 - len(found)))

    def right(key: str) -> bool:
        return len(found) <= MOST_ERRORS and not any(line.startswith(key) for line in found)

    further(
        _dataset_lines(configuration, known_datasets, found),
        _evaluator_lines(configuration),
        study_names(configuration),
    )
    if right("chains"):
        further(chain_lines(configuration))
    if right("methods"):
        further(_method_lines(configuration), analysis_names(configuration, known_datasets))
    if not found and known_datasets is None and plugins:
        further(_measure_lines(configuration))
    return _in_order(configuration, found)


def _plugins(configuration: Mapping[str, Any]) -> list[str]:
    named = configuration.get("plugins")
    return [path for path in named if isinstance(path, str)] if isinstance(named, list) else []


def _in_order(configuration: Mapping[str, Any], lines: Sequence[str]) -> list[str]:
    """Return each line once, in the order of the configuration's keys."""
    order = {key: position for position, key in enumerate(configuration)}
    unique = list(dict.fromkeys(lines))
    return sorted(unique, key=lambda line: order.get(line.split(":")[0].split(".")[0].split("[")[0], -1))


class ConfigurationErrors(UserError):
    """The errors of a configuration; `lines` has one text an error, and a last one if there are too many."""

    def __init__(self, lines: Sequence[str]) -> None:
        cut = f"these are {MOST_ERRORS} of its errors; correct them to see the others"
        self.lines = (*lines[:MOST_ERRORS], *[cut][: len(lines) > MOST_ERRORS])
        more = f"at least {MOST_ERRORS}" if len(lines) > MOST_ERRORS else len(lines) - 1
        first = f"{lines[0]} (and {more} more)" if more else lines[0]
        super().__init__(f"configuration: {first}")


def require_trust(configuration: Mapping[str, Any], ask: bool = False) -> None:
    """Have the user trust the plugins of a merged configuration before any of them is run.

    What is wrong with the rest of the configuration is reported first.

    Parameters
    ----------
    configuration : mapping
    ask : bool
        Whether to ask at the terminal, if there is one.

    Raises
    ------
    ConfigurationErrors
        If something is wrong that no plugin can mend.
    UserError
        If a plugin is not trusted.
    """
    named = _plugins(configuration)
    if named and all_trusted():
        trust({path: sha256_of(path) for path in named if os.path.isfile(path)})
    files = untrusted(named)
    if not files:
        return
    lines = configuration_errors(configuration, plugins=False)
    perhaps = [_OF_PLUGIN.match(line) is not None for line in lines]
    if not all(perhaps):
        why = "perhaps it is of a plugin; none has been loaded"
        marked = (
            f"{line.partition(';')[0]}; {why}" if of else line
            for line, of in zip(lines, perhaps, strict=True)
        )
        raise ConfigurationErrors(list(marked))
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        for path, digest in files.items():
            print(f"mlsieve: the study runs {printable(path)} (SHA-256 {digest[:16]}...)", file=sys.stderr)
        print("mlsieve: trust it and go on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            trust(files)
    load_trusted_plugins(named)


def require_valid(configuration: Mapping[str, Any]) -> None:
    """Raise `ConfigurationErrors` if a merged configuration has an error or names a missing file."""
    lines = [*configuration_errors(configuration), *_missing_files(configuration)]
    if lines:
        raise ConfigurationErrors(_in_order(configuration, lines))


def _dataset_lines(
    configuration: Mapping[str, Any], known_datasets: Sequence[str] | None, found: Sequence[str]
) -> Iterator[str]:
    from mlsieve.configuration.own_data import own_data_errors, own_paths, path_errors, short_form
    from mlsieve.data.catalog import PROJECT_CATALOG, catalog, entry_from, public_catalog
    from mlsieve.study.parts import is_own

    datasets = configuration.get("datasets")
    if not isinstance(datasets, list):
        return
    entries = catalog() if known_datasets is None else {}
    known = list(entries) if known_datasets is None else known_datasets
    seen: set[str] = set()
    for position, item in enumerate(datasets):
        name = item.get("id") if isinstance(item, Mapping) else item
        if not isinstance(name, str):
            continue
        changed = isinstance(item, Mapping) and not is_own(item)
        if (isinstance(item, str) or changed) and name not in known:
            near = did_you_mean(name, list(known))
            hint = near if near.startswith("did") else "see 'mlsieve datasets list', or give {id, train, ...}"
            yield f"datasets[{position}]: unknown dataset {name!r}; {hint}"
        elif (isinstance(item, str) or changed) and entries.get(name) is not public_catalog().get(name):
            wrongs = list(path_errors(own_paths(entries[name])))
            if not changed:
                wrongs += own_data_errors(short_form(entries[name], configuration.get("mirror")))
            for wrong in wrongs:
                yield f"datasets[{position}]: {name} of {PROJECT_CATALOG}: {wrong}"
        if name in seen:
            yield f"datasets[{position}]: {name!r} is listed twice; list it once"
        seen.add(name)
        if isinstance(item, Mapping) and not changed:
            try:
                entry_from(item)
            except UserError as error:
                if not any(line.startswith(f"datasets[{position}].") for line in found):
                    yield f"datasets[{position}]: {error}"
                continue
            for wrong in (*path_errors(item), *own_data_errors(item)):
                yield f"datasets[{position}]: {wrong}"


def _missing_files(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Files of the user's own sets that are not there; `mlsieve step acquire` looks for the catalog's."""
    from mlsieve.data.catalog import given_paths

    datasets = configuration.get("datasets")
    for position, item in enumerate(datasets if isinstance(datasets, list) else ()):
        for key, path in given_paths(item).items() if isinstance(item, Mapping) else ():
            if isinstance(path, str) and not os.path.isfile(path):
                yield f"datasets[{position}].{key}: no such file: {path}; give its path from this folder"


def _measure_lines(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Measures of hierarchies, where no dataset has one."""
    from mlsieve.registry import entries
    from mlsieve.study import Content

    measures = configuration.get("measures")
    known = entries("measure")
    named = [name for name in (measures if isinstance(measures, list) else ()) if name in known]
    hierarchical = [name for name in named if known[name].facts.hierarchical]
    content = Content(configuration)
    if hierarchical and all(content.task_of(data) == "mlc" for data in content.datasets.values()):
        why = "needs a hierarchy of classes, and no dataset has one; leave it out"
        yield f"measures: {hierarchical[0]} {why}"


def _evaluator_lines(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Yield repeated evaluators: tables identify an evaluator by its id."""
    items = configuration.get("evaluators")
    seen: dict[str, int] = {}
    for position, item in enumerate(items if isinstance(items, list) else ()):
        name = item.get("id") if isinstance(item, Mapping) else None
        if isinstance(name, str) and seen.setdefault(name, position) != position:
            yield (
                f"evaluators[{position}]: {name} is already in evaluators[{seen[name]}]; "
                "compare its variants in two studies"
            )


def _section(configuration: Mapping[str, Any], key: str, section: type[T]) -> T:
    value = configuration.get(key)
    return read(section, value if isinstance(value, Mapping) else {})


def _method_lines(configuration: Mapping[str, Any]) -> Iterator[str]:
    from mlsieve.registry import lookup
    from mlsieve.study import expand_rankers

    seen: dict[tuple[str, str, str], int] = {}
    together = _section(configuration, "split", SplitKeys).repeats_per_job != 1
    seeds = _section(configuration, "stability", StabilityKeys).seeds
    reported = False
    if together and seeds != 1:
        yield "split.repeats_per_job: several seeds are compared split by split; leave it out, or 'stability'"
    for position, method in enumerate(configuration["methods"]):
        entry = lookup("ranker", method["id"])
        replaced = entry.facts.sizes
        if method.get("sizes") and replaced in method.get("params", {}):
            yield f"methods[{position}].params.{replaced}: 'sizes' are given, too; give one of them"
        if entry.facts.check is not None:
            defaults = {name: schema["default"] for name, schema in entry.parameters().items()}
            try:
                entry.facts.check(defaults | method.get("params", {}))
            except UserError as error:
                yield f"methods[{position}].params: {error}"
        for ranker in expand_rankers([method]):
            name = (ranker.label, ranker.ensemble, ranker.score)
            if seen.setdefault(name, position) != position:
                text = " ".join(filter(None, name))
                first = f"methods[{seen[name]}]"
                yield f"methods[{position}]: {text} is already in {first}; give one of them a 'name'"
            if ranker.ensemble and together and not reported:
                reported = True
                yield (
                    f"split.repeats_per_job: methods[{position}] grows ensembles, each in a job of its own; "
                    "leave it out"
                )
    if configuration["methods"] and not any(True for _ in expand_rankers(configuration["methods"])):
        yield "methods: no ranking can be made of these; a permutation score needs bootstrap samples"
