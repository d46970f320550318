"""Values of ``snakemake --config key=value``, which come in as texts wherever they lie within brackets.

Snakemake reads ``--config "split={kind: holdout, repeats: 2}"`` as YAML without types: repeats is the text 2.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from mlsieve.schema_errors import yaml_value


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
        if "null" in kinds and isinstance(result.get(key), str) and yaml_value(result[key]) is None:
            result[key] = None
    validator = validator_of(schema)
    for error in [leaf for whole in validator.iter_errors(result) for leaf in _leaves(whole)]:
        path = list(error.absolute_path)
        if error.validator != "type" or not path or path[0] not in given:
            continue
        value = error.instance
        # Snakemake takes 3.0 for a number and drops quotes around it: no user could write it as a text.
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        candidate = str(value) if is_number and "string" in error.validator_value else yaml_value(value)
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
