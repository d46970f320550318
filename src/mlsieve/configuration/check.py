"""Every error of a configuration at once, each in one line with its key path and the nearest known word."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mlsieve.configuration.command_line import shape_cure, text_cure
from mlsieve.errors import UserError, did_you_mean
from mlsieve.plugins import load_plugins
from mlsieve.schemas import nearest_key, read, validator_of
from mlsieve.study.settings import SplitKeys, StabilityKeys

T = TypeVar("T")


def configuration_errors(
    configuration: Mapping[str, Any], known_datasets: Sequence[str] | None = None
) -> list[str]:
    """Return one line for each error of a merged configuration, in the order of its keys.

    Parameters
    ----------
    configuration : mapping
        The merged configuration.
    known_datasets : sequence of str, optional
        Ids that `datasets` may name; default: the catalog's and the embedded ones.

    Returns
    -------
    list of str
        ``key.path[0]: what is wrong; cure``; empty if the configuration is right.
    """
    from mlsieve.configuration.schema import build_schema

    try:
        _load_plugins(configuration)  # the schema names what they register
    except UserError as error:
        return [f"plugins: {error}"]
    found = schema_errors(build_schema(), configuration)
    found += _dataset_lines(configuration, known_datasets, found)
    found += _evaluator_lines(configuration)
    if not any(line.startswith("methods") for line in found):
        found += [*_method_lines(configuration), *_analysis_lines(configuration, known_datasets)]
    if not found and known_datasets is None:
        found += _measure_lines(configuration)
    return _in_order(configuration, found)


def _load_plugins(configuration: Mapping[str, Any]) -> None:
    named = configuration.get("plugins")
    load_plugins([path for path in named if isinstance(path, str)] if isinstance(named, list) else ())


def schema_errors(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Return one line for each place where a value does not fit a schema."""
    return [line for error in validator_of(schema).iter_errors(value) for line in _lines(error)]


def _in_order(configuration: Mapping[str, Any], lines: Sequence[str]) -> list[str]:
    """Return each line once, in the order of the configuration's keys."""
    order = {key: position for position, key in enumerate(configuration)}
    unique = list(dict.fromkeys(lines))
    return sorted(unique, key=lambda line: order.get(line.split(":")[0].split(".")[0].split("[")[0], -1))


class ConfigurationErrors(UserError):
    """All the errors of a configuration; `lines` has one text an error."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        first = f"{lines[0]} (and {len(lines) - 1} more)" if len(lines) > 1 else lines[0]
        super().__init__(f"configuration: {first}")


def require_valid(configuration: Mapping[str, Any]) -> None:
    """Raise `ConfigurationErrors` if a merged configuration has an error or names a missing file."""
    lines = [*configuration_errors(configuration), *_missing_files(configuration)]
    if lines:
        raise ConfigurationErrors(_in_order(configuration, lines))


def key_path(parts: Sequence[str | int]) -> str:
    """Return ``methods[0].sizes[2]`` for ("methods", 0, "sizes", 2)."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


_TYPES = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}


def _lines(error: Any) -> Iterator[str]:
    path, value, wanted = list(error.absolute_path), error.instance, error.validator_value
    where = key_path(path)
    prefix = f"{where}: " if where else ""
    match error.validator:
        case "additionalProperties":
            known = list(error.schema.get("properties", {}))
            for key in value:
                if key not in known and ":" in str(key):
                    yield f"{prefix}{{{key}}} is not a mapping of keys; write a space after the ':'"
                elif key not in known:
                    yield f"{key_path([*path, key])}: unknown key; {nearest_key(str(key), error.schema)}"
        case "required":
            for key in wanted:
                if key not in value:
                    yield f"{key_path([*path, key])}: missing; give it a value"
        case "enum":
            yield f"{prefix}unknown value {value!r}; {did_you_mean(str(value), list(map(str, wanted)))}"
        case "const":
            yield f"{prefix}{value!r} is not accepted; write {wanted!r}" + (
                " or a list" if path == ["measures"] else ""
            )
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            text = " or ".join(_TYPES[kind] for kind in kinds)
            cure = _without_point(value, error.schema) or "see config/README.md"
            if isinstance(value, str | None) and kinds in (["object"], ["array"]):
                cure = shape_cure(path, kinds[0], value, error.schema)
            elif "string" in kinds and not isinstance(value, list | dict | None):
                cure = text_cure(value, error.schema)
            yield f"{prefix}{_shown(value)} is not {text}; {cure}"
        case "minimum" | "exclusiveMinimum":
            bound = "at least" if error.validator == "minimum" else "more than"
            yield f"{prefix}{value!r} is too small; give {bound} {wanted}"
        case "maximum" | "exclusiveMaximum":
            bound = "at most" if error.validator == "maximum" else "less than"
            yield f"{prefix}{value!r} is too large; give {bound} {wanted}"
        case "minItems":
            yield f"{prefix}the list is empty; name at least one"
        case "uniqueItems":
            yield f"{prefix}a value stands twice in {value!r}; name it once"
        case "not":
            yield f"{prefix}{value!r} is not accepted; give another: {error.schema['description']}"
        case "pattern":
            yield f"{prefix}{value!r} is not a usable name; use letters, digits, '_' and '-'"
        case _:
            cure = _without_point(value, error.schema) or "see config/README.md"
            yield f"{prefix}{value!r} is not accepted ({error.message}); {cure}"


def _shown(value: Any) -> str:
    """Return a value as YAML writes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower() if value is not None else "null"
    return repr(value) if isinstance(value, str | list | dict) else str(value)


def _without_point(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return the cure for 2.0, as a number or a text, where a schema accepts 2."""

    if not isinstance(value, float | str) or not re.fullmatch(r"[+-]?\d+\.0*", str(value)):
        return None
    whole = int(float(value))
    return f"write {whole}" if validator_of(schema).is_valid(whole) else None


def _dataset_lines(
    configuration: Mapping[str, Any], known_datasets: Sequence[str] | None, told: Sequence[str]
) -> Iterator[str]:
    from mlsieve.configuration.own_data import own_data_errors, own_paths, short_form, wildcard_errors
    from mlsieve.data.catalog import PROJECT_CATALOG, catalog, entry_from, public_catalog
    from mlsieve.study.parts import is_own, only_of

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
            cure = near if near.startswith("did") else "see 'mlsieve datasets list', or give {id, train, ...}"
            yield f"datasets[{position}]: unknown data set {name!r}; {cure}"
        elif (isinstance(item, str) or changed) and entries.get(name) is not public_catalog().get(name):
            wrongs = list(wildcard_errors(own_paths(entries[name])))
            if not changed:
                wrongs += own_data_errors(short_form(entries[name], configuration.get("mirror")))
            for wrong in wrongs:
                yield f"datasets[{position}]: {name} of {PROJECT_CATALOG}: {wrong}"
        if name in seen:
            yield f"datasets[{position}]: {name!r} stands twice; name it once"
        seen.add(name)
        if isinstance(item, Mapping) and not changed:
            try:
                entry_from(item)
            except UserError as error:
                if not any(line.startswith(f"datasets[{position}].") for line in told):
                    yield f"datasets[{position}]: {error}"
                continue
            for wrong in (*wildcard_errors(item), *own_data_errors(item)):
                yield f"datasets[{position}]: {wrong}"
    named = [("only", only_of(configuration["only"]))] if configuration.get("only") is not None else []
    leave_out = configuration.get("leave_out")
    for position, item in enumerate(leave_out if isinstance(leave_out, list) else ()):
        if isinstance(item, Mapping) and isinstance(item.get("datasets"), list):
            named.append((f"leave_out[{position}].datasets", item["datasets"]))
    figures = configuration.get("figures")
    if isinstance(figures, Mapping) and isinstance(figures.get("datasets"), list):
        named.append(("figures.datasets", figures["datasets"]))
    for where, names in named:
        for name in names:
            if isinstance(name, str) and name not in seen:
                cure = did_you_mean(name, sorted(seen))
                yield f"{where}: {name!r} is not among the study's data sets; {cure}"


def _missing_files(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Files of the user's own sets that are not there; `mlsieve acquire` looks for the catalog's."""
    datasets = configuration.get("datasets")
    for position, item in enumerate(datasets if isinstance(datasets, list) else ()):
        for key in (
            ("train", "valid", "test", "all", "labels", "hierarchy") if isinstance(item, Mapping) else ()
        ):
            path = item.get(key)
            if isinstance(path, str) and not os.path.isfile(path):
                yield f"datasets[{position}].{key}: no such file: {path}; give its path from this folder"


def _analysis_lines(configuration: Mapping[str, Any], known_datasets: Sequence[str] | None) -> Iterator[str]:
    from mlsieve.configuration.analysis_names import analysis_errors
    from mlsieve.data.catalog import catalog

    datasets = configuration.get("datasets")
    own = [
        str(item.get("id")) if isinstance(item, Mapping) else str(item)
        for item in (datasets if isinstance(datasets, list) else ())
    ]
    return analysis_errors(configuration, {*own, *(catalog() if known_datasets is None else known_datasets)})


def _measure_lines(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Measures of hierarchies, where no data set has one."""
    from mlsieve.registry import entries
    from mlsieve.study import Content

    measures = configuration.get("measures")
    known = entries("measure")
    named = [name for name in (measures if isinstance(measures, list) else ()) if name in known]
    hierarchical = [name for name in named if known[name].facts.hierarchical]
    content = Content(configuration)
    if hierarchical and all(content.task_of(data) == "mlc" for data in content.datasets.values()):
        why = "needs a hierarchy of classes, and no data set has one; leave it out"
        yield f"measures: {hierarchical[0]} {why}"


def _evaluator_lines(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Tables tell evaluators apart by their id."""
    items = configuration.get("evaluators")
    seen: dict[str, int] = {}
    for position, item in enumerate(items if isinstance(items, list) else ()):
        name = item.get("id") if isinstance(item, Mapping) else None
        if isinstance(name, str) and seen.setdefault(name, position) != position:
            yield (
                f"evaluators[{position}]: {name} stands in evaluators[{seen[name]}] too; "
                "compare its variants in two studies"
            )
        if isinstance(item, Mapping):
            yield from _exception_lines(configuration, f"evaluators[{position}]", item.get("exceptions"))


def _exception_lines(configuration: Mapping[str, Any], where: str, exceptions: Any) -> Iterator[str]:
    """Exceptions of an evaluator that name no dataset or method of the study."""
    datasets, methods = (
        {
            str(item.get("name") or item.get("id")) if isinstance(item, Mapping) else str(item)
            for item in (value if isinstance(value, list) else ())
        }
        for value in (configuration.get("datasets"), configuration.get("methods"))
    )
    known = {"datasets": datasets, "methods": methods}
    for place, exception in enumerate(exceptions if isinstance(exceptions, list) else ()):
        for key, own in known.items() if isinstance(exception, Mapping) else ():
            names = exception.get(key)
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str) and name not in own:
                    yield (
                        f"{where}.exceptions[{place}].{key}: {name!r} is not among the study's {key}; "
                        f"{did_you_mean(name, sorted(own))}"
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
    told = False
    if together and seeds != 1:
        yield "split.repeats_per_job: several seeds are compared split by split; leave it out, or 'stability'"
    for position, method in enumerate(configuration["methods"]):
        replaced = lookup("ranker", method["id"]).facts.sizes
        if method.get("sizes") and replaced in method.get("params", {}):
            yield f"methods[{position}].params.{replaced}: 'sizes' take its place; give one of them"
        for ranker in expand_rankers([method]):
            name = (ranker.label, ranker.ensemble, ranker.score)
            if seen.setdefault(name, position) != position:
                text = " ".join(filter(None, name))
                first = f"methods[{seen[name]}]"
                yield f"methods[{position}]: {text} stands in {first} too; give one of them a 'name'"
            if ranker.ensemble and together and not told:
                told = True
                yield (
                    f"split.repeats_per_job: methods[{position}] grows ensembles, which takes a job each; "
                    "leave it out"
                )
    if not any(True for _ in expand_rankers(configuration["methods"])):
        yield "methods: no ranking can be made of these; a permutation score needs bootstrap samples"
