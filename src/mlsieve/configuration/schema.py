"""The JSON schema of a study's configuration, generated from the registry.

A new method, evaluator or measure is accepted by the configuration as soon as it is registered;
``mlsieve schema`` writes the result to config/schema.json, where editors find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mlsieve.analysis.settings import analysis_schema
from mlsieve.registry import Entry, entries
from mlsieve.registry.parameters import parameter_schemas, section_schema
from mlsieve.schemas import SUBSET
from mlsieve.study.chains.entries import prediction_parameters
from mlsieve.study.chains.keys import ChainKeys, grids
from mlsieve.study.settings import EnsembleKeys, EvaluatorKeys, MethodKeys, StudyKeys

# What the commands set themselves for each job, so a study file cannot.
SET_BY_THE_WORKFLOW = frozenset({"ensemble", "score", "n_estimators", "n_features_to_select"})


def _settings(entry: Entry, keep: frozenset[str] | None = None) -> dict[str, Any]:
    """Schema of the parameters of a registered object that a study may set."""
    parameters = {
        name: schema
        for name, schema in entry.parameters().items()
        if name not in SET_BY_THE_WORKFLOW and (keep is None or name in keep)
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": parameters,
        "description": f"parameters of {entry.id}: {entry.summary}",
    }


def _by_id(found: dict[str, Entry], schema_of: Callable[[Entry], dict[str, Any]]) -> dict[str, Any]:
    """Mapping with an id inside; each id accepts its own keys."""
    branches = [
        {
            "if": {"type": "object", "properties": {"id": {"const": id}}, "required": ["id"]},
            "then": schema_of(entry),
        }
        for id, entry in found.items()
    ]
    properties = {"id": {"enum": list(found)}}
    return {"type": "object", "required": ["id"], "properties": properties, "allOf": branches}


def _one_of(ids: Iterable[str]) -> dict[str, Any]:
    return {"enum": list(ids)}


def _method(entry: Entry) -> dict[str, Any]:
    """Schema of a ranker's entry in ``methods``."""
    scores = entry.facts.scores
    schema = section_schema(EnsembleKeys if scores else MethodKeys)
    keys = schema["properties"]
    keys["id"] = True  # of which another branch would be chosen
    if entry.facts.selects:
        del keys["select"]
    if scores:
        of_scores = frozenset(name for score in scores.values() for name in parameter_schemas(score.read))
        keys["ensembles"]["items"], keys["scores"]["items"] = _one_of(entry.ensembles), _one_of(scores)
        keys["ensemble_params"] = _settings(entry, frozenset(entry.own_parameters()))
        keys["score_params"] = _settings(entry, of_scores)
    else:
        keys["params"] = _settings(entry)
        if not entry.facts.sizes:
            del keys["sizes"]
    return schema


def _evaluator(entry: Entry) -> dict[str, Any]:
    """Schema of an evaluator's entry in ``evaluators``."""
    schema = section_schema(EvaluatorKeys)
    keys = schema["properties"]
    keys["id"] = True
    keys["params"] = keys["exceptions"]["items"]["properties"]["params"] = _settings(entry)
    return schema


def _chain(entry: Entry) -> dict[str, Any]:
    """Schema of an entry of ``chains``."""
    schema = section_schema(ChainKeys)
    keys, settings = schema["properties"], _settings(entry)
    keys["id"], keys["params"], keys["tuned_at"] = True, settings, settings
    grid = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {"type": "array", "minItems": 1, "uniqueItems": True, "items": value}
            for name, value in settings["properties"].items()
        },
    }
    keys["grid"] |= grids(grid)
    of_prediction = {name: settings["properties"][name] for name in prediction_parameters(entry)}
    keys["variants"]["items"]["properties"]["params"] = {**settings, "properties": of_prediction}
    keys["variants"]["items"]["properties"]["curve"] |= {
        "additionalProperties": False,
        "properties": {
            name: {
                "if": {"type": "array"},
                "then": {"type": "array", "minItems": 1, "uniqueItems": True, "items": value},
                "else": {"const": "all"},
            }
            for name, value in of_prediction.items()
        },
    }
    return schema


def build_schema(chains: bool = True) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a merged study configuration.

    Parameters
    ----------
    chains : bool
        Whether it has the methods of the key ``chains``, whose modules take a second to import; for a
        configuration without this key it does not matter.
    """
    measures = entries("measure")
    definitions = {entry.facts.definition for entry in measures.values()} | {"clus"}
    schema = section_schema(StudyKeys)
    keys = schema["properties"]
    keys["methods"]["items"] = _by_id(entries("ranker"), _method)
    keys["evaluators"]["items"] = _by_id(entries("evaluator"), _evaluator)
    if chains:
        keys["chains"]["items"] = _by_id(entries("chain"), _chain)
    keys["measures"]["then"] |= {**SUBSET, "items": _one_of(measures)}
    keys["figures"]["properties"]["measures"]["items"] = _one_of(measures)
    keys["definition"] = {**_one_of(sorted(definitions)), "description": keys["definition"]["description"]}
    keys["analysis"] = {**analysis_schema(), "description": keys["analysis"]["description"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of an mlsieve study",
        **schema,
    }


def schema_text() -> str:
    """Return the text of config/schema.json: what fits on a line stands on one."""
    return _lines(build_schema()) + "\n"


def _lines(value: Any, key: str = "", indent: int = 0) -> str:
    import json

    line = " " * indent + key + json.dumps(value, ensure_ascii=False)
    if len(line) <= 110 or not value or not isinstance(value, dict | list):
        return line
    if isinstance(value, dict):
        brackets, inner = "{}", [_lines(part, f'"{name}": ', indent + 2) for name, part in value.items()]
    else:
        brackets, inner = "[]", [_lines(part, "", indent + 2) for part in value]
    return f"{' ' * indent}{key}{brackets[0]}\n" + ",\n".join(inner) + f"\n{' ' * indent}{brackets[1]}"
