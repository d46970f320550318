"""What does not fit a JSON schema, in one line each with its key path and how to correct it."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.files.yaml import parse_yaml
from mlsieve.registry.parameters import accepted_values
from mlsieve.schemas import nearest_key, validator_of

MOST_ERRORS = 100  # that are listed at once
_NAME_HINT = "use letters, digits, '_' and '-', at most 200 of them"


def schema_errors(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Return one line for each place where a value does not fit a schema, up to `MOST_ERRORS` + 1."""
    lines = (line for error in validator_of(schema).iter_errors(value) for line in _lines(error))
    return list(itertools.islice(lines, MOST_ERRORS + 1))


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
            if isinstance(value, bool) and (word := str(value).lower()) in wanted:
                yield f'{prefix}{word} without quotes is no text in YAML; write "{word}"'
            else:
                yield f"{prefix}unknown value {value!r}; {did_you_mean(str(value), list(map(str, wanted)))}"
        case "const":
            yield f"{prefix}{value!r} is not accepted; write {wanted!r}" + (
                " or a list" if path == ["measures"] else ""
            )
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            text = " or ".join(_TYPES[kind] for kind in kinds)
            hint = _without_point(value, error.schema) or "see config/README.md"
            if isinstance(value, str | None) and kinds in (["object"], ["array"]):
                hint = _shape_hint(path, kinds[0], value, error.schema)
            elif "string" in kinds and not isinstance(value, list | dict | None):
                hint = _text_hint(value, error.schema)
            yield f"{prefix}{_shown(value)} is not {text}; {hint}"
        case "minimum" | "exclusiveMinimum":
            bound = "at least" if error.validator == "minimum" else "more than"
            yield f"{prefix}{value!r} is too small; give {bound} {wanted}"
        case "maximum" | "exclusiveMaximum":
            bound = "at most" if error.validator == "maximum" else "less than"
            yield f"{prefix}{value!r} is too large; give {bound} {wanted}"
        case "minItems":
            yield f"{prefix}the list is empty; name at least one"
        case "minProperties":
            yield f"{prefix}the mapping is empty; give it a key"
        case "maxProperties":
            yield f"{prefix}{_shown(value)} has {number_of(len(value), 'key')}; give at most {wanted}"
        case "anyOf" if alternative := _alternative(error):
            for inner in alternative:
                yield from _lines(inner)
        case "anyOf":
            hint = (
                _without_point(value, error.schema) or f"give {accepted_values(error.schema, article=True)}"
            )
            yield f"{prefix}{_shown(value)} is not accepted; {hint}"
        case "uniqueItems":
            yield f"{prefix}a value is listed twice in {value!r}; list it once"
        case "not":
            yield f"{prefix}{value!r} is not accepted; give another: {error.schema['description']}"
        case "pattern":
            yield f"{prefix}{value!r} is not a usable name; {_NAME_HINT}"
        case _:
            hint = _without_point(value, error.schema) or "see config/README.md"
            yield f"{prefix}{value!r} is not accepted ({error.message}); {hint}"


def _shown(value: Any) -> str:
    """Return a value as YAML writes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower() if value is not None else "null"
    return repr(value) if isinstance(value, str | list | dict) else str(value)


def _without_point(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return the hint for 2.0, as a number or a text, where a schema accepts 2."""
    if not isinstance(value, float | str) or not re.fullmatch(r"[+-]?\d+\.0*", str(value)):
        return None
    whole = int(float(value))
    return f"write {whole}" if validator_of(schema).is_valid(whole) else None


def _alternative(error: Any) -> list[Any]:
    """Return the errors of the only alternative that has the value's type; empty where there is not one."""
    found: dict[int, list[Any]] = {}
    for inner in error.context:
        found.setdefault(inner.relative_schema_path[0], []).append(inner)
    near = [
        errors
        for errors in found.values()
        if not any(each.validator in ("type", "const") and not each.relative_path for each in errors)
    ]
    words = [each.validator_value for errors in near for each in errors if each.validator == "enum"]
    of_other_type = any(type(error.instance) not in map(type, known) for known in words)
    return near[0] if len(near) == 1 and not of_other_type else []


def yaml_value(text: Any) -> Any:
    """Return what a text says in YAML; anything that is not a text, or no YAML, as it is."""
    if not isinstance(text, str):
        return text
    try:
        return parse_yaml(text)
    except UserError:
        return text


def _text_hint(value: Any, schema: Mapping[str, Any]) -> str:
    """Return how to write a text that a YAML file takes for something else, such as the number 3.0 or a date.

    Parameters
    ----------
    value : object
        What it was taken for.
    schema : mapping
        What its place accepts.
    """
    text = str(value)
    if isinstance(value, bool):
        return "put it in quotes"  # yes, on and true are all read as True
    if not validator_of(schema).is_valid(text):
        return _NAME_HINT if "pattern" in schema else "see config/README.md"
    return f'put it in quotes: "{text}"'


def _shape_hint(path: list[str | int], wanted: str, value: str | None, schema: Mapping[str, Any]) -> str:
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
    if set(value or "") & set("{}[]:") or yaml_value(value) is None:
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
    if not keys:
        return "{}"
    accepted = properties.get(keys[0], {})
    is_list = accepted.get("type") == "array"
    known = (accepted.get("items", {}) if is_list else accepted).get("enum")
    fitting = words or ["..."]
    if known is not None:
        near = [match for word in words for match in difflib.get_close_matches(word, known, n=1)]
        fitting = near or known[:1]
    first = f"[{', '.join(fitting)}]" if is_list else ", ".join(fitting)
    return "{" + ", ".join([f"{keys[0]}: {first}", *(f"{key}: ..." for key in keys[1:])]) + "}"
