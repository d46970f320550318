"""JSON schemas, read more strictly than JSON does: a whole number is written without a point."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any


def validator_of(schema: Mapping[str, Any]) -> Any:
    """Return a `jsonschema` validator (draft 2020-12) for which 2.0 is no integer.

    JSON knows one kind of number, Python two: ``range(2.0)`` fails, and an ensemble has no 10.0 trees.
    """
    return _strict_class()(schema)


@functools.cache
def _strict_class() -> Any:
    import jsonschema

    whole = jsonschema.Draft202012Validator
    kinds = whole.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    return jsonschema.validators.extend(whole, type_checker=kinds)
