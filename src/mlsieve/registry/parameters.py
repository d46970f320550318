"""JSON schemas made from types: of a method's parameters and of a configuration's keys; checks of values.

What follows a type in ``Annotated`` says more of it: a bound, a text that describes it, `Keywords` of JSON
schema, or a function that returns the schema in place of the one so far.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal

from mlsieve.errors import UserError, did_you_mean

Schema = dict[str, Any]


@dataclass(frozen=True)
class Bound:
    """Bound of a numeric parameter, as an argument of ``Annotated``; `keyword` is its name in JSON schema."""

    bound: float
    keyword: ClassVar[str]


class AtLeast(Bound):
    """Lower bound (inclusive), for ``Annotated[int, AtLeast(1)]``."""

    keyword = "minimum"


class AtMost(Bound):
    """Upper bound (inclusive)."""

    keyword = "maximum"


class MoreThan(Bound):
    """Lower bound (exclusive)."""

    keyword = "exclusiveMinimum"


class LessThan(Bound):
    """Upper bound (exclusive)."""

    keyword = "exclusiveMaximum"


class Keywords(dict[str, Any]):
    """Further keywords of JSON schema, for ``Annotated``; hashable, as the members of a union have to be."""

    __hash__ = object.__hash__  # type: ignore[assignment]


# What no configuration sets: the commands fill it in, with the data and the study's seeds.
_FROM_DATA = frozenset({"random_state", "n_jobs", "nominal", "hierarchy", "digests"})
_PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}


def parameter_schemas(target: Any, skip: Iterable[str] = ()) -> dict[str, Schema]:
    """Return a JSON schema with a default for each annotated parameter of a callable or class.

    Parameters
    ----------
    target : class or callable
        For a class, the signature of ``__init__`` counts.
    skip : iterable of str
        Parameters that are not for a configuration (those of `_FROM_DATA` never are).
    """
    function = target.__init__ if inspect.isclass(target) else target
    hints = type_hints(target)
    schemas: dict[str, Schema] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in {"self", *_FROM_DATA, *skip} or name not in hints:
            continue
        if parameter.default is inspect.Parameter.empty:
            continue
        schemas[name] = {**schema_of(hints[name]), "default": parameter.default}
    return schemas


def type_hints(target: Any) -> dict[str, Any]:
    """Return the types of the parameters of a callable or class; a dataclass may inherit some."""
    if inspect.isclass(target) and not is_dataclass(target):
        target = target.__init__
    return typing.get_type_hints(target, include_extras=True)


def schema_of(hint: Any) -> Schema:
    """Return the JSON schema of a type: plain, Literal, union, tuple, Mapping, dataclass, Annotated."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        schema = schema_of(arguments[0])
        for extra in arguments[1:]:
            schema = _with(schema, extra)
        return schema
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return _any_of([schema_of(argument) for argument in arguments])
    if origin is tuple:
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if is_dataclass(hint):
        return section_schema(typing.cast(type, hint))
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


def _with(schema: Schema, extra: Any) -> Schema:
    if isinstance(extra, Bound):
        return {**schema, extra.keyword: extra.bound}
    if isinstance(extra, str):
        return {**schema, "description": extra}
    if isinstance(extra, Keywords):
        return {**schema, **extra}
    return extra(schema) if callable(extra) else schema


def _any_of(options: list[Schema]) -> Schema:
    """Return a schema of alternatives; of one with a type and null, that one with two types."""
    others = [option for option in options if option != {"type": "null"}]
    if len(others) == 1 < len(options) and isinstance(others[0].get("type"), str):
        return {**others[0], "type": [others[0]["type"], "null"]}
    return {"anyOf": options}


def section_schema(*sections: type) -> Schema:
    """Return the JSON schema of a configuration's section: dataclasses with one typed field a key.

    Parameters
    ----------
    *sections : dataclass
        Several have their keys side by side. A class attribute ``renamed``, a mapping of old to new keys,
        makes the check of a configuration suggest the new key for an old one.
    """
    properties: Schema = {}
    required: list[str] = []
    renamed: dict[str, str] = {}
    for section in sections:
        hints = hints_of(section)
        for key in keys_of(section):
            properties[key.name] = schema_of(hints[key.name])
            default = key.default if key.default_factory is MISSING else key.default_factory()
            if default is MISSING:
                required.append(key.name)
            elif default is not None:  # which says that nothing is given
                properties[key.name]["default"] = _as_json(default)
        renamed |= getattr(section, "renamed", {})
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    more = {"required": required, "renamed": renamed}
    return schema | {name: value for name, value in more.items() if value}


@functools.cache
def hints_of(section: type) -> dict[str, Any]:
    """Return the types of a section's fields, with what `Annotated` says of them."""
    return typing.get_type_hints(section, include_extras=True)


def keys_of(section: type) -> list[Any]:
    """Return the fields of a section that are keys; one with ``metadata={"key": False}`` is none."""
    return [field for field in fields(section) if field.metadata.get("key", True)]


def _as_json(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {key: _as_json(one) for key, one in value.items()}
    return [_as_json(one) for one in value] if isinstance(value, tuple | list) else value


_OPTIONS_OF_RANK = ("trees", "ensemble", "score", "select", "sizes")


def _option_for(owner: str, name: str, value: Any) -> str:
    """Return how commands take what is no parameter of its owner; empty if they do not."""
    if name in ("seed", "threads") or (name in _OPTIONS_OF_RANK and owner.startswith("ranker ")):
        return f"commands take it as --{name} {value}"
    if name not in _OPTIONS_OF_RANK:
        return ""
    in_folds = "" if name == "sizes" else f", or mlsieve evaluate --method pct:{name}={value} --cv 5"
    return f"it is of a ranking: mlsieve rank --{name} {value}{in_folds}"


def check_values(owner: str, schemas: Mapping[str, Mapping[str, Any]], values: Mapping[str, Any]) -> Schema:
    """Return `values` if they fit the parameters' schemas.

    Parameters
    ----------
    owner : str
        What the parameters belong to, for the message.
    schemas : mapping of str to JSON schema
    values : mapping

    Raises
    ------
    UserError
        On an unknown name (with the nearest known one) or a value outside its type or bounds.
    """
    for name, value in values.items():
        if name not in schemas:
            hint = _option_for(owner, name, value) or did_you_mean(name, list(schemas))
            raise UserError(f"{owner} has no parameter '{name}'", hint=hint)
        if not accepts(schemas[name], value):
            raise UserError(
                f"{owner}: {name} = {value!r} is not accepted",
                hint=f"give {accepted_values(schemas[name], article=True)}",
            )
    return dict(values)


def settings_of(words: Iterable[str], given: str = "--set", example: str = "k=15") -> dict[str, Any]:
    """Return parameters given as ``name=value``, typed.

    ``true``/``false`` are booleans, ``none`` is None, a number with a point (or exponent) a float, without
    one an int. A kebab-case name or value of an option is kept as written; names become snake_case.

    Parameters
    ----------
    words : iterable of str
    given : str
        The option or key that they are given to, for messages.
    example : str
        Of such a word.

    Raises
    ------
    UserError
        On a word without a name and a value, or a name given twice.
    """
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise UserError(
                f"{given} {word}: not of the form name=value", hint=f"write e.g. {given} {example}"
            )
        if name.replace("-", "_") in settings:
            raise UserError(f"{given} {name} is given twice", hint="give it once")
        settings[name.replace("-", "_")] = _typed(value)
    return settings


def _typed(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# By JSON schema's name of a type. 2.0 is no integer (as in `mlsieve.schemas`).
_TYPES: dict[str, type] = {"integer": int, "number": numbers.Real, "string": str, "null": type(None)}
_BOUNDS: tuple[tuple[str, Callable[[Any, Any], bool], str], ...] = (
    ("minimum", operator.ge, "at least"),
    ("exclusiveMinimum", operator.gt, "greater than"),
    ("maximum", operator.le, "at most"),
    ("exclusiveMaximum", operator.lt, "less than"),
)


def _has_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):  # to Python an integer
        return name == "boolean"
    return name in _TYPES and isinstance(value, _TYPES[name])


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value fits a parameter's schema.

    A schema of `parameter_schemas` has few keywords; importing a whole validator for them takes a tenth of a
    second, which every job with ``--set`` would pay.
    """
    if "anyOf" in schema:
        return any(accepts(option, value) for option in schema["anyOf"])
    if "enum" in schema:
        return any(isinstance(value, type(option)) and value == option for option in schema["enum"])
    if "type" in schema and not any(_has_type(value, name) for name in _types(schema)):
        return False
    if value is None:
        return True
    if isinstance(value, float) and math.isnan(value):
        return False
    return all(fits(value, schema[key]) for key, fits, _ in _BOUNDS if key in schema)


def _types(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


_WORDS = {"null": ["none"], "boolean": ["true", "false"], "string": ["text"]}
_ARTICLES = {"integer": "an ", "number": "a ", "array": "a ", "object": "a "}


def accepted_values(schema: Mapping[str, Any], *, article: bool = False) -> str:
    """Return in words what a schema accepts.

    Parameters
    ----------
    schema : mapping
    article : bool
        ``an integer of at least 1 or none``, for a sentence; else ``integer of at least 1 or none``.
    """
    texts = _alternatives(schema, article) or ["anything"]
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _alternatives(schema: Mapping[str, Any], article: bool) -> list[str]:
    """Return in words the kinds of values that a schema accepts, one by one."""
    options = schema.get("anyOf") or ([schema["then"], schema["else"]] if "if" in schema else [])
    if options:
        return [text for option in options for text in _alternatives(option, article)]
    if "enum" in schema:
        return list(map(str, schema["enum"]))
    if "const" in schema:
        return [str(schema["const"])]
    bounds = _bounds_in_words(schema)
    words = {
        "array": lambda: f"list of {_plural(accepted_values(schema.get('items', {})))}",
        "object": lambda: _object_in_words(schema),
    }
    return [
        (_ARTICLES.get(kind, "") if article else "") + text
        for kind in _types(schema)
        for text in ([words[kind]()] if kind in words else _WORDS.get(kind, [kind + bounds]))
    ]


def _bounds_in_words(schema: Mapping[str, Any]) -> str:
    """Return what follows the word for a number: `` from 0 to 1``, `` greater than 0``, or nothing."""
    if "minimum" in schema and "maximum" in schema:
        return f" from {schema['minimum']:g} to {schema['maximum']:g}"
    bounds = [f"{word} {schema[key]:g}" for key, _, word in _BOUNDS if key in schema]
    of = " of " if not {"exclusiveMinimum", "exclusiveMaximum"} & set(schema) else " "
    return of + " and ".join(bounds) if bounds else ""


def _plural(words: str) -> str:
    return re.sub(r"\b(text|integer|number|mapping)\b", r"\1s", words)


def _object_in_words(schema: Mapping[str, Any]) -> str:
    values = schema.get("additionalProperties")
    return f"mapping of names to {_plural(accepted_values(values))}" if values else "mapping"
