"""Sections of a configuration as dataclasses, one typed field a key; and JSON schemas, read strictly.

A section says all that there is to say of its keys::

    @dataclass(frozen=True)
    class Stability:
        seeds: Annotated[int, AtLeast(1), "how many seeds rank each dataset"] = 1

Its JSON schema (`mlsieve.registry.parameters.section_schema`), its defaults, the instance that `read` makes
of a YAML
mapping, the check of the names in it (`named`) and the table of its keys in config/README.md follow from
these fields.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar

from mlsieve.errors import did_you_mean
from mlsieve.registry.parameters import Keywords, Schema, hints_of, keys_of

T = TypeVar("T")


@dataclass(frozen=True)
class Names:
    """What a text names, such as ``Annotated[str, Names("dataset")]``; see `named`.

    Attributes
    ----------
    kind : str
    also : tuple of str
        Texts that are accepted though they name nothing of that kind.
    """

    kind: str
    also: tuple[str, ...] = ()


NOT_EMPTY = Keywords(minItems=1)
SUBSET = Keywords(minItems=1, uniqueItems=True)


def or_null(schema: Schema) -> Schema:
    """Return a schema that accepts null, too, which `read` takes for the default."""
    return {**schema, "type": [schema["type"], "null"]}


def not_null(schema: Schema) -> Schema:
    """Return a schema without null: None is the default, and no value that a configuration holds."""
    if "anyOf" in schema:
        (schema,) = [option for option in schema["anyOf"] if option != {"type": "null"}]
        return schema
    return {**schema, "type": next(kind for kind in schema["type"] if kind != "null")}


def nearest_key(key: str, schema: Mapping[str, Any]) -> str:
    """Return what to write in place of a key that a section's schema does not have."""
    if key in schema.get("renamed", ()):
        return f"it is called '{schema['renamed'][key]}'"
    return did_you_mean(key, list(schema.get("properties", ())))


def read(section: type[T], given: Mapping[str, Any]) -> T:
    """Return the section that a mapping with valid values describes.

    Parameters
    ----------
    section : dataclass
    given : mapping
        Lists become tuples, also within a mapping, and mappings of keys sections. A null that is no value of
        its key, and a key that is missing, mean the default; keys of other sections are passed over.
    """
    hints = hints_of(section)  # type: ignore[arg-type]
    values = {
        key.name: _value(hints[key.name], given[key.name])
        for key in keys_of(section)
        if key.name in given and (given[key.name] is not None or type(None) in _options(hints[key.name]))
    }
    return section(**values)


def _value(hint: Any, value: Any) -> Any:
    for option in _options(hint):
        if typing.get_origin(option) is tuple and isinstance(value, list | tuple):
            return tuple(_value(typing.get_args(option)[0], one) for one in value)
        if typing.get_origin(option) is Mapping and isinstance(value, Mapping):
            return {key: _value(typing.get_args(option)[1], one) for key, one in value.items()}
        if is_dataclass(option) and isinstance(value, Mapping):
            return read(typing.cast(type, option), value)
    return value


def _options(hint: Any) -> Iterator[Any]:
    """Yield the types of which a value may be one."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        yield from _options(arguments[0])
    elif origin in (typing.Union, types.UnionType):
        for argument in arguments:
            yield from _options(argument)
    else:
        yield hint


def named(hint: Any, value: Any, path: str) -> Iterator[tuple[str, str, Names]]:
    """Yield each name within a value, after its path and before what it names (the types' `Names`).

    What has another shape than its type is passed over: the check of the schema reports it.

    Parameters
    ----------
    hint : type
    value : object
        As YAML holds it.
    path : str
        Of the value; a mapping's values, a section's keys and sections in a list have longer ones.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        found = [extra for extra in arguments[1:] if isinstance(extra, Names)]
        if found and isinstance(value, str):
            yield path, value, found[0]
        yield from named(arguments[0], value, path)
    elif origin in (typing.Union, types.UnionType):
        for argument in arguments:
            yield from named(argument, value, path)
    elif origin is tuple and isinstance(value, list):
        for position, one in enumerate(value):
            of_one = f"{path}[{position}]" if isinstance(one, Mapping) else path
            yield from named(arguments[0], one, of_one)
    elif origin is Mapping and isinstance(value, Mapping):
        for key, one in value.items():
            yield from named(arguments[0], key, path)
            yield from named(arguments[1], one, f"{path}.{key}")
    elif is_dataclass(hint) and isinstance(value, Mapping):
        hints = hints_of(typing.cast(type, hint))
        for key in keys_of(typing.cast(type, hint)):
            if key.name in value:
                longer = f"{path}.{key.name}" if path else key.name
                yield from named(hints[key.name], value[key.name], longer)


def validator_of(schema: Mapping[str, Any]) -> Any:
    """Return a `jsonschema` validator (draft 2020-12) for which 2.0 is no integer.

    JSON has one kind of number, Python two: ``range(2.0)`` fails, and an ensemble has no 10.0 trees. Lists
    whose items differ are checked in linear time, where `jsonschema` compares each pair of mappings.
    """
    return _strict_class()(schema)


@functools.cache
def _strict_class() -> Any:
    import jsonschema

    whole = jsonschema.Draft202012Validator
    kinds = whole.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    return jsonschema.validators.extend(whole, {"uniqueItems": _unique_items}, type_checker=kinds)


def _unique_items(validator: Any, wanted: bool, value: Any, schema: Any) -> Iterator[Any]:
    import jsonschema

    if wanted and validator.is_type(value, "array") and len(set(map(_identity, value))) < len(value):
        yield jsonschema.ValidationError("a value is listed twice")


def _identity(value: Any) -> Hashable:
    """Return what is equal for values that JSON takes for the same: 1 and 1.0, but not 1 and true."""
    if isinstance(value, Mapping):
        return dict, frozenset((key, _identity(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return list, tuple(map(_identity, value))
    return (bool, value) if isinstance(value, bool) else value
