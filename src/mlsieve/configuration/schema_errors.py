"""What does not fit a JSON schema, in one line each with its key path and how to correct it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlsieve.configuration.command_line import shape_hint, text_hint
from mlsieve.errors import did_you_mean
from mlsieve.schemas import nearest_key, validator_of


def schema_errors(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Return one line for each place where a value does not fit a schema."""
    return [line for error in validator_of(schema).iter_errors(value) for line in _lines(error)]


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
            hint = _without_point(value, error.schema) or "see config/README.md"
            if isinstance(value, str | None) and kinds in (["object"], ["array"]):
                hint = shape_hint(path, kinds[0], value, error.schema)
            elif "string" in kinds and not isinstance(value, list | dict | None):
                hint = text_hint(value, error.schema)
            yield f"{prefix}{_shown(value)} is not {text}; {hint}"
        case "minimum" | "exclusiveMinimum":
            bound = "at least" if error.validator == "minimum" else "more than"
            yield f"{prefix}{value!r} is too small; give {bound} {wanted}"
        case "maximum" | "exclusiveMaximum":
            bound = "at most" if error.validator == "maximum" else "less than"
            yield f"{prefix}{value!r} is too large; give {bound} {wanted}"
        case "minItems":
            yield f"{prefix}the list is empty; name at least one"
        case "uniqueItems":
            yield f"{prefix}a value is listed twice in {value!r}; list it once"
        case "not":
            yield f"{prefix}{value!r} is not accepted; give another: {error.schema['description']}"
        case "pattern":
            yield f"{prefix}{value!r} is not a usable name; use letters, digits, '_' and '-'"
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
