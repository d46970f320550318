"""Values of ``snakemake --config key=value``, which come in as texts wherever they lie within brackets.

Snakemake reads ``--config "split={kind: holdout, repeats: 2}"`` as YAML without types: repeats is the text 2.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.yaml import parse_yaml


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
        that is wanted. What fits nothing stays, and the check of the configuration reports it.
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
        # Snakemake takes 3.0 for a number and drops quotes around it: no user could write it as a text.
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        candidate = str(value) if is_number and "string" in error.validator_value else _read(value)
        if validator_of({"type": error.validator_value}).is_valid(candidate):
            place: Any = result
            for part in path[:-1]:
                place = place[part]
            place[path[-1]] = candidate
    return result


def _leaves(error: Any) -> Iterator[Any]:
    """Yield an error of the schema and those of its alternatives."""
    yield error
    for inner in error.context or ():
        yield from _leaves(inner)


def _read(text: Any) -> Any:
    """Return what a text says in YAML; anything that is not a text, or no YAML, as it is."""
    if not isinstance(text, str):
        return text
    try:
        return parse_yaml(text)
    except UserError:
        return text


def text_hint(value: Any, schema: Mapping[str, Any]) -> str:
    """Return how to write a text that a YAML file takes for something else, such as the number 3.0 or a date.

    Parameters
    ----------
    value : object
        What it was taken for.
    schema : mapping
        What its place accepts.
    """
    from mlsieve.schemas import validator_of

    text = str(value)
    if isinstance(value, bool):
        return "put it in quotes"  # yes, on and true are all read as True
    if not validator_of(schema).is_valid(text):
        return "use letters, digits, '_' and '-'" if "pattern" in schema else "see config/README.md"
    return f'put it in quotes: "{text}"'


def shape_hint(path: list[str | int], wanted: str, value: str | None, schema: Mapping[str, Any]) -> str:
    """Return how to write a mapping or list in place of a text, or of nothing.

    Parameters
    ----------
    path : list of str or int
        Place of the value.
    wanted : {"object", "array"}
    value : str or None
        The text.
    schema : mapping
        What its place accepts.
    """
    words = [word.strip() for word in (value or "").split(",") if word.strip()]
    if set(value or "") & set("{}[]:") or _read(value) is None:
        words = []
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
    """Return a mapping that a schema accepts, the first of its keys holding the words, as far as they fit."""
    properties = schema.get("properties", {})
    keys = schema.get("required") or list(properties)[:1]
    accepted = properties.get(keys[0], {})
    is_list = accepted.get("type") == "array"
    known = (accepted.get("items", {}) if is_list else accepted).get("enum")
    fitting = words or ["..."]
    if known is not None:
        near = [match for word in words for match in difflib.get_close_matches(word, known, n=1)]
        fitting = near or known[:1]
    first = f"[{', '.join(fitting)}]" if is_list else ", ".join(fitting)
    return "{" + ", ".join([f"{keys[0]}: {first}", *(f"{key}: ..." for key in keys[1:])]) + "}"
