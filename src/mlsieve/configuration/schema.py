"""The JSON schema of a study's configuration, generated from the registry.

A new method, evaluator or measure is accepted by the configuration as soon as it is registered;
``mlsieve schema`` writes the result to config/schema.json, where editors find it.
"""

from __future__ import annotations

from typing import Any

from mlsieve.registry import Entry, entries

FORMATS = ("svg", "pdf", "png")
# What the commands set themselves for each job, so a study file cannot.
SET_BY_THE_WORKFLOW = frozenset({"ensemble", "score", "n_estimators", "n_features_to_select"})


def _mapping(properties: dict[str, Any], required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        **({"required": list(required)} if required else {}),
        **more,
    }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": description}


def _settings(entry: Entry, keep: frozenset[str] | None = None) -> dict[str, Any]:
    """Schema of the parameters of a registered object that a study may set."""
    parameters = {
        name: schema
        for name, schema in entry.parameters().items()
        if name not in SET_BY_THE_WORKFLOW and (keep is None or name in keep)
    }
    return _mapping(parameters, description=f"parameters of {entry.id}: {entry.summary}")


def _by_id(found: dict[str, Entry], properties_of: Any, what: str) -> dict[str, Any]:
    """List of mappings with an id inside; each id accepts its own keys."""
    branches = [
        {
            "if": {"type": "object", "properties": {"id": {"const": id}}, "required": ["id"]},
            "then": _mapping({"id": True, **properties_of(entry)}),
        }
        for id, entry in found.items()
    ]
    item = {
        "type": "object",
        "required": ["id"],
        "properties": {"id": {"enum": list(found)}},
        "allOf": branches,
    }
    return {"type": "array", "minItems": 1, "items": item, "description": what}


def _word(pattern: str) -> str:
    """Return a pattern of the whole text: in Python a ``$`` alone lets a line feed follow."""
    return f"^{pattern}$(?!\\n)"


_NAME = {
    "type": "string",
    "pattern": _word("[a-z0-9][a-z0-9.-]*"),
    "description": "what tables call the method, where a study has it several times with other parameters",
}
_SELECT = {
    "anyOf": [
        {"enum": ["sqrt", "log2", "all"]},
        {"type": "integer", "minimum": 0},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    ],
    "description": "select so many of the best features: a count, a share with a point, sqrt, log2 or all",
}


_PERCENTAGES = "percentages of the examples that look for neighbours, in place of 'm'; one pass serves all"


def _method_properties(entry: Entry) -> dict[str, Any]:
    common = {"name": _NAME} if entry.facts.selects else {"name": _NAME, "select": _SELECT}
    if not entry.facts.scores:
        own = {"params": _settings(entry), **common}
        return own | ({"sizes": _sizes(100, _PERCENTAGES)} if entry.facts.sizes else {})
    of_scores = frozenset(name for score in entry.facts.scores.values() for name in score.parameters())
    of_trees = frozenset(entry.own_parameters())
    return {
        **common,
        "ensembles": _subset(list(entry.ensembles)),
        "scores": _subset(list(entry.facts.scores)),
        "sizes": _sizes(100_000, "numbers of trees; one ensemble of the largest serves all"),
        "ensemble_params": _settings(entry, of_trees),
        "score_params": _settings(entry, of_scores),
    }


def _evaluator_properties(entry: Entry) -> dict[str, Any]:
    names = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
    exception = {
        "datasets": {**names, "description": "ids of the study's datasets"},
        "methods": {**names, "description": "names of the study's methods; default: all"},
        "params": _settings(entry),
    }
    exceptions = {
        "type": "array",
        "items": _mapping(exception, ("datasets", "params")),
        "description": "parameters for some datasets that replace those above; the first that fits counts",
    }
    return {"params": _settings(entry), "exceptions": exceptions}


def _sizes(largest: int, description: str) -> dict[str, Any]:
    return {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"type": "integer", "minimum": 1, "maximum": largest},
        "description": description,
    }


def _subset(ids: list[str] | tuple[str, ...]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"enum": list(ids)}}


def _dataset() -> dict[str, Any]:
    own = _mapping(
        {
            "id": {"type": "string", "pattern": _word("[A-Za-z0-9][A-Za-z0-9_.-]*")},
            "task": {"enum": ["mlc", "hmlc"]},
            "format": {"enum": ["mulan", "meka", "csv", "clus"]},
            "train": _text("file with the training part"),
            "valid": _text("file with the validation part; it joins the training part"),
            "test": _text("file with the test part"),
            "all": _text("one file with all rows, for a set without a split of its own"),
            "labels": _text("Mulan XML that names the labels"),
            "label_count": {
                "type": "integer",
                "not": {"const": 0},
                "description": "the first N attributes are labels (negative: the last N)",
            },
            "drop": {"type": "array", "items": {"type": "string"}, "description": "attributes to leave out"},
            "nominal": {
                "type": "array",
                "items": {"type": "string"},
                "description": "columns of a CSV file that are nominal whatever they hold",
            },
            "document_frequency": {
                "if": {"type": "integer"},
                "then": {"minimum": 1},
                "else": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                "description": "keep only so many of the features, those that are not zero in most rows: "
                "a count, or a share with a point",
            },
            "hierarchy": _text("CSV file of edges: what is above the labels of flat data"),
            "hierarchy_type": {
                "enum": ["tree", "dag"],
                "description": "what a CLUS file declares; told from the file where it is not given",
            },
            "class_separator": _text("what stands between the parts of a CLUS file's classes; default /"),
            "classes": {
                "enum": ["declared", "used"],
                "description": "hierarchical data: all classes of the header, or those that an example has",
            },
            "without_class": {
                "enum": ["keep", "drop"],
                "description": "hierarchical data: what becomes of examples without a class",
            },
            "family": _text("sets of one family are related, not independent observations"),
            "reference": _text("where the data come from"),
        },
        ("id",),
        description="a data set of the user's own; paths are relative to the project",
    )
    return {"if": {"type": "object"}, "then": own, "else": {"type": "string"}}


def _analysis() -> dict[str, Any]:
    from mlsieve.questions.analysis import analysis_schema

    schema = analysis_schema()
    properties = dict(schema["properties"])
    properties["questions"] |= _subset(list(entries("question")))
    return {
        **schema,
        "properties": properties,
        "description": "what is tested, and how; see config/README.md",
    }


def build_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a merged study configuration."""
    measures = entries("measure")
    definitions = sorted({entry.facts.definition for entry in measures.values()} | {"clus"})
    properties = {
        "study": {
            "type": "string",
            "pattern": _word("(?!cache$)[A-Za-z0-9][A-Za-z0-9_-]*"),
            "description": "results/<study>/; the name cache is taken",
        },
        "title": _text("heading of the report"),
        "description": _text("first paragraph of the report"),
        "task": {"enum": ["mlc", "hmlc"]},
        "seed": {"type": "integer", "minimum": 0},
        "mirror": {
            "type": ["string", "null"],
            "description": "folder searched first; MLSIEVE_MIRROR overrides it",
        },
        "datasets": {"type": "array", "minItems": 1, "items": _dataset()},
        "only": {
            "type": ["array", "string", "null"],
            "items": {"type": "string"},
            "description": "run these of the data sets only; a text of ids with commas on the command line",
        },
        "leave_out": {
            "type": "array",
            "items": _mapping(
                {
                    "datasets": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                    "reason": _text("why"),
                },
                ("datasets", "reason"),
            ),
        },
        "split": _mapping(
            {
                "kind": {"enum": ["official", "holdout"]},
                "repeats": {"type": "integer", "minimum": 1, "maximum": 1000},
                "train_share": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "exclusiveMaximum": 1,
                    "description": "share of the rows that a seeded split learns from; default two thirds",
                },
                "repeats_per_job": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 1000,
                    "description": "splits that one job goes through; several save starts of cheap jobs, and"
                    " keep scores only, not the predictions",
                },
            }
        ),
        "stability": _mapping(
            {
                "seeds": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 1000,
                    "description": "rank each data set with that many seeds of each method; several give"
                    " stability.csv",
                }
            }
        ),
        "methods": _by_id(entries("ranker"), _method_properties, "rankers and controls"),
        "evaluators": _by_id(entries("evaluator"), _evaluator_properties, "what uses the rankings"),
        "measures": {"if": {"type": "array"}, "then": _subset(list(measures)), "else": {"const": "all"}},
        "definition": {"enum": definitions},
        "analysis": _analysis(),
        "figures": _mapping(
            {
                "formats": _subset(FORMATS),
                "datasets": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {"type": "string"},
                    "description": "datasets that get figures of their own",
                },
                "measures": {
                    **_subset(list(measures)),
                    "description": "measures of the figures that show a few only; default: the first two of"
                    " the tests",
                },
            }
        ),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of an mlsieve study",
        **_mapping(properties, ("study", "datasets", "methods", "evaluators")),
    }


def schema_text() -> str:
    """Return the schema as it stands in config/schema.json."""
    import json

    return json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n"
