"""Values of ``snakemake --config key=value``, which come in as texts wherever they lie within brackets.

Snakemake reads ``--config "split={kind: holdout, repeats: 2}"`` as YAML without types: repeats is the text 2.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any


def typed(configuration: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which values from the command line have the type that the schema wants.

    Parameters
    ----------
    configuration : mapping
        The merged configuration; it is not changed.
    given : mapping
        What the command line gave of it. Values of other keys stay as they are in their files.

    Returns
    -------
    dict
        A text that says a number, true, false or null is one where that is wanted; a number is a text where
        that is wanted. What fits nothing stays, and the check of the configuration tells it.
    """
    from mlsieve.configuration.schema import build_schema
    from mlsieve.schemas import validator_of

    result = copy.deepcopy(dict(configuration))
    if not given:
        return result
    schema = build_schema()
    for key in given:
        kinds = schema["properties"].get(key, {}).get("type", ())
        if "null" in kinds and isinstance(result.get(key), str) and _read(result[key]) is None:
            result[key] = None
    validator = validator_of(schema)
    for error in [leaf for whole in validator.iter_errors(result) for leaf in _leaves(whole)]:
        path = list(error.absolute_path)
        if error.validator != "type" or not path or path[0] not in given:
            continue
        value = error.instance
        candidate = str(value) if isinstance(value, int) and not isinstance(value, bool) else _read(value)
        if validator_of({"type": error.validator_value}).is_valid(candidate):
            place: Any = result
            for part in path[:-1]:
                place = place[part]
            place[path[-1]] = candidate
    return result


def _leaves(error: Any) -> Iterator[Any]:
    """Yield an error of the schema and those of the alternatives that it stands for."""
    yield error
    for inner in error.context or ():
        yield from _leaves(inner)


def _read(text: Any) -> Any:
    """Return what a text says in YAML; anything that is no text, or no YAML, as it is."""
    import yaml

    if not isinstance(text, str):
        return text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def shape_cure(path: list[str | int], wanted: str, value: str, schema: Mapping[str, Any]) -> str:
    """Return how to write a mapping or list where a text stands.

    Parameters
    ----------
    path : list of str or int
        Where it stands.
    wanted : {"object", "array"}
    value : str
        The text.
    schema : mapping
        What its place accepts.
    """
    words = [] if set(value) & set("{}[]:") else [word.strip() for word in value.split(",") if word.strip()]
    if wanted == "object":
        example = _mapping(schema, words)
    elif schema.get("items", {}).get("type") == "object":
        example = "[" + ", ".join(_mapping(schema["items"], [word]) for word in words or ["..."]) + "]"
    else:
        example = f"[{', '.join(words) or '...'}]"
    text = f"write {example}"
    if len(path) == 1:
        text += (
            f"; on the command line --config '{path[0]}={example}', in quotes, with a space after each ':'"
        )
    return text


def _mapping(schema: Mapping[str, Any], words: list[str]) -> str:
    """Return a mapping that a schema accepts as far as its keys go, the first one holding the words."""
    properties = schema.get("properties", {})
    keys = schema.get("required") or list(properties)[:1]
    first = ", ".join(words) or "..."
    accepted = properties.get(keys[0])
    if isinstance(accepted, Mapping) and accepted.get("type") == "array":
        first = f"[{first}]"
    return "{" + ", ".join([f"{keys[0]}: {first}", *(f"{key}: ..." for key in keys[1:])]) + "}"
