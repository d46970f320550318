"""A study's configuration but for its analysis: dataclasses with a typed field a key (`mlsieve.schemas`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from mlsieve.registry.facts import DEFAULT_TREES
from mlsieve.registry.parameters import AtLeast, AtMost, Keywords, LessThan, MoreThan, Schema
from mlsieve.schemas import NOT_EMPTY, SUBSET, Names, not_null
from mlsieve.study.chains.keys import ChainKeys

Count = Annotated[int, AtLeast(1), AtMost(1000)]
Text = Annotated[str, Keywords(minLength=1)]
Dataset = Annotated[str, Names("dataset of the study")]
Method = Annotated[str, Names("method of the study")]
# Patterns of the whole text: in Python a ``$`` alone lets a line feed follow. They are names of files, too.
STUDY_NAME = Keywords(pattern=r"^(?!cache$)[A-Za-z0-9][A-Za-z0-9_-]{0,199}$(?!\n)")
DATASET_NAME = Keywords(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$(?!\n)")
METHOD_NAME = Keywords(pattern=r"^[a-z0-9][a-z0-9.-]{0,199}$(?!\n)")


def _no_zero(_: Schema) -> Schema:
    return {"type": "integer", "not": {"const": 0}}


def _count_or_share(_: Schema) -> Schema:
    share = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
    return {"if": {"type": "integer"}, "then": {"type": "integer", "minimum": 1}, "else": share}


def _mapping_or_text(schema: Schema) -> Schema:
    """Return alternatives of which the value's shape decides, so that errors name what is wrong within it."""
    return {"if": {"type": "object"}, "then": schema["anyOf"][0], "else": schema["anyOf"][1]}


def _list_or_all(schema: Schema) -> Schema:
    return {"if": {"type": "array"}, "then": schema["anyOf"][0], "else": {"const": "all"}}


def _list_or_text(_: Schema) -> Schema:
    return {"type": ["array", "string", "null"], "items": {"type": "string"}}


def _text_or_list(_: Schema) -> Schema:
    return {"type": ["string", "array"], "minLength": 1, "minItems": 1, "items": {"type": "string"}}


def _selected(_: Schema) -> Schema:
    count = {"type": "integer", "minimum": 0}
    share = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
    return {"anyOf": [{"enum": ["sqrt", "log2", "all"]}, count, share]}


@dataclass(frozen=True)
class OwnData:
    """A dataset of the user's own, or a changed one of the catalog; paths are relative to the project."""

    renamed: ClassVar[dict[str, str]] = {"family": "domain", "sep": "separator"}

    id: Annotated[str, DATASET_NAME, "name in all tables"]
    task: Annotated[Literal["mlc", "hmlc"] | None, not_null, "flat labels, or classes of a hierarchy"] = None
    format: Annotated[
        Literal[
            "mulan",
            "meka",
            "csv",
            "clus",
            "parquet",
            "feather",
            "excel",
            "svmlight",
            "xmlc",
            "r",
            "mat",
        ]
        | None,
        not_null,
        "recognised from the file by default",
    ] = None
    train: Annotated[Text | None, not_null, "file with the training part"] = None
    valid: Annotated[Text | None, not_null, "file with the validation part; it joins the training part"] = (
        None
    )
    test: Annotated[Text | None, not_null, "file with the test part"] = None
    all: Annotated[
        Text | None, not_null, "one file with all rows, for a dataset without a published split"
    ] = None
    labels: Annotated[
        Text | tuple[Text, ...] | None,
        _text_or_list,
        "Mulan XML that names the labels; or their names and patterns, such as `label_*`, as a list or with "
        "commas between them",
    ] = None
    label_count: Annotated[
        int | None, _no_zero, "the first N attributes are labels (negative: the last N)"
    ] = None
    label_column: Annotated[
        Text | None, not_null, "a column whose cells hold sets of labels, such as `sea;beach`"
    ] = None
    label_separator: Annotated[
        Text | None, not_null, "the text between the labels of such a cell; found out by default"
    ] = None
    positive: Annotated[
        Text | None, not_null, "the value of a label that is set; `1`, `true`, `yes`, `t` or `y` by default"
    ] = None
    x: Annotated[
        Text | None, not_null, "variable of a MATLAB file with the features; found by its name by default"
    ] = None
    y: Annotated[
        Text | None, not_null, "variable of a MATLAB file with the labels; found by its name by default"
    ] = None
    drop: Annotated[tuple[str, ...], "attributes to leave out: names and patterns"] = ()
    keep: Annotated[tuple[str, ...], "features to keep, in place of all: names and patterns"] = ()
    nominal: Annotated[
        tuple[str, ...],
        "nominal columns, whatever values they contain: names and patterns; not of ARFF files",
    ] = ()
    separator: Annotated[
        Text | None,
        not_null,
        "the character between the cells of a CSV file, also `tab` or `space`; found out by default",
    ] = None
    decimal: Annotated[
        Literal[".", ","] | None, not_null, "decimal mark of numbers in a table; found out by default"
    ] = None
    encoding: Annotated[
        Text | None, not_null, "encoding of a text file, such as `latin-1`; found out by default"
    ] = None
    header: Annotated[
        bool | None,
        not_null,
        "whether the first row of a table holds the names of the columns; found out by default",
    ] = None
    missing: Annotated[
        tuple[Text, ...], "further cells of a table that are missing values, besides `?`, `NA` and the like"
    ] = ()
    sheet: Annotated[
        Text | None, not_null, "sheet of an Excel or LibreOffice file; the first one by default"
    ] = None
    document_frequency: Annotated[
        float | None,
        _count_or_share,
        "how many features to keep, those that are not zero in most rows: a count, or a share written with "
        "a decimal point",
    ] = None
    hierarchy: Annotated[
        Text | None, not_null, "CSV file of edges: the classes above the labels of flat data"
    ] = None
    hierarchy_type: Annotated[
        Literal["tree", "dag"] | None,
        not_null,
        "kind of hierarchy that a CLUS file declares; recognised from the file by default",
    ] = None
    class_separator: Annotated[
        Text | None, not_null, "the text between the parts of a CLUS file's classes; `/` by default"
    ] = None
    classes: Annotated[
        Literal["declared", "used"] | None,
        not_null,
        "hierarchical data: all classes of the header, or only those with an example",
    ] = None
    without_class: Annotated[
        Literal["keep", "drop"] | None,
        not_null,
        "hierarchical data: what happens to examples without a class",
    ] = None
    flatten: Annotated[
        bool, "hierarchical data: take the classes, those above others too, as flat labels"
    ] = False
    domain: Annotated[
        Text | None,
        not_null,
        "name of the domain; datasets of one domain are related, not independent observations",
    ] = None
    reference: Annotated[Text | None, not_null, "source of the data"] = None


@dataclass(frozen=True)
class LeaveOut:
    """Datasets that a study leaves out."""

    datasets: Annotated[tuple[Dataset, ...], NOT_EMPTY, "ids"]
    reason: Annotated[Text, "reason, as listed in `skipped.csv`"]


@dataclass(frozen=True)
class SplitKeys:
    """How the rows are split into those that methods learn from and those that measure them."""

    kind: Annotated[
        Literal["official", "holdout"],
        "`official` keeps the published test part, and draws a seeded one for datasets without it; "
        "`holdout` draws a seeded test part for all datasets",
    ] = "official"
    repeats: Annotated[Count, "number of splits of each dataset"] = 1
    train_share: Annotated[
        float | None,
        not_null,
        MoreThan(0),
        LessThan(1),
        "share of the rows in the training part of a seeded split; two thirds by default",
    ] = None
    folds: Annotated[
        Literal["auto", "random", "stratified", "stratified-pairs"],
        "how a seeded split chooses rows: at `random`, `stratified` by labels, or by pairs of labels; `auto` "
        "is random, and stratified by labels if at random a part lacks a label that has enough examples",
    ] = "auto"
    repeats_per_job: Annotated[
        Count,
        "number of splits that one job computes; several splits save the starts of cheap jobs, and only "
        "scores are kept, not the predictions",
    ] = 1


@dataclass(frozen=True)
class StabilityKeys:
    """How far rankings depend on the seed."""

    seeds: Annotated[
        Count,
        "number of seeds with which each method ranks each dataset; with several, the study writes "
        "`stability.csv`",
    ] = 1


@dataclass(frozen=True)
class AnyMethodKeys:
    """What every ranker has."""

    id: str
    name: Annotated[
        str,
        METHOD_NAME,
        "name of the method in tables, where a study uses it several times with other parameters",
    ] = ""
    select: Annotated[
        int | float | str | None,
        _selected,
        "how many of the best features to select: a count, a share written with a decimal point, `sqrt`, "
        "`log2` or `all`",
    ] = None


@dataclass(frozen=True)
class MethodKeys(AnyMethodKeys):
    """A ranker or baseline without an ensemble."""

    params: Annotated[Mapping[str, Any], "parameters, see `mlsieve methods ID`"] = field(default_factory=dict)
    sizes: Annotated[
        tuple[Annotated[int, AtLeast(1), AtMost(100)], ...],
        SUBSET,
        "percentages of the examples that look for neighbours, in place of `m`; one pass serves all",
    ] = ()


@dataclass(frozen=True)
class EnsembleKeys(AnyMethodKeys):
    """A ranker that reads its scores from ensembles of trees."""

    ensembles: Annotated[tuple[str, ...] | None, not_null, SUBSET, "kinds of ensembles; all by default"] = (
        None
    )
    scores: Annotated[tuple[str, ...] | None, not_null, SUBSET, "scores of the features; all by default"] = (
        None
    )
    sizes: Annotated[
        tuple[Annotated[int, AtLeast(1), AtMost(100_000)], ...],
        SUBSET,
        "numbers of trees; one ensemble of the largest serves all",
    ] = (DEFAULT_TREES,)
    ensemble_params: Annotated[Mapping[str, Any], "parameters of the trees; a change grows them again"] = (
        field(default_factory=dict)
    )
    score_params: Annotated[Mapping[str, Any], "parameters of the scores; a change grows nothing"] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class ExceptionKeys:
    """Parameters of an evaluator for some datasets."""

    datasets: Annotated[tuple[Dataset, ...], SUBSET, "ids of the study's datasets"]
    params: Annotated[Mapping[str, Any], "these replace the evaluator's own"]
    methods: Annotated[tuple[Method, ...], SUBSET, "names of the study's methods; default: all"] = ()


@dataclass(frozen=True)
class EvaluatorKeys:
    """What uses the rankings."""

    id: str
    params: Annotated[Mapping[str, Any], "parameters, see `mlsieve methods ID`"] = field(default_factory=dict)
    exceptions: Annotated[
        tuple[ExceptionKeys, ...],
        "parameters for some datasets that replace those above; the first exception that fits is used",
    ] = ()


@dataclass(frozen=True)
class WorkedExample:
    """Selectors worked out step by step on one dataset; see `mlsieve.tables.worked_example`."""

    dataset: Annotated[str, Names("dataset"), "dataset whose features are selected"]
    iterations: Annotated[int, AtLeast(1), AtMost(20), "number of features to select"] = 2
    features: Annotated[
        tuple[Annotated[int, AtLeast(0)], ...],
        "indices, from 0, of features to show in addition to the selected ones",
    ] = ()


@dataclass(frozen=True)
class FiguresKeys:
    """What is drawn, and in which formats."""

    formats: Annotated[
        tuple[Literal["svg", "pdf", "png"], ...], SUBSET, "file formats; the report shows the svg"
    ] = ("svg", "pdf")
    datasets: Annotated[
        tuple[Dataset, ...],
        Keywords(uniqueItems=True),
        "datasets with figures of their own: quality against the number of trees, and quality at the sizes "
        "in use",
    ] = ()
    measures: Annotated[
        tuple[str, ...],
        SUBSET,
        "measures of the figures that show only a few; the first two measures of the tests by default",
    ] = ()


@dataclass(frozen=True)
class StudyKeys:
    """The whole configuration; `mlsieve.configuration.schema` adds what depends on the registry."""

    study: Annotated[
        str,
        STUDY_NAME,
        "name; all results are written to `results/<study>/`. If it is the name of a paper's study "
        "(`mlc_ranking`), the report also shows the paper's findings and figures. The name `cache` is "
        "reserved",
    ]
    datasets: Annotated[
        tuple[Annotated[OwnData | str, _mapping_or_text], ...],
        NOT_EMPTY,
        "ids (`mlsieve datasets list`), or entries for your own files, see below",
    ]
    methods: Annotated[
        tuple[Mapping[str, Any], ...], "rankers and baselines, see below; `[]` in a study of `chains`"
    ]
    evaluators: Annotated[
        tuple[EvaluatorKeys, ...],
        "classifiers that use the rankings: list of `{id, params}` (`mlsieve methods weighted-knn`); `[]` in "
        "a study of `chains`",
    ]
    chains: Annotated[
        tuple[ChainKeys, ...],
        "classifier chains and other methods that predict label sets, in place of rankings, see below",
    ] = ()
    title: Annotated[Text | None, not_null, "heading of the report"] = None
    description: Annotated[Text | None, not_null, "first paragraph of the report"] = None
    task: Annotated[Literal["mlc", "hmlc"], "`mlc`: flat labels; `hmlc`: classes of a hierarchy"] = "mlc"
    seed: Annotated[
        int,
        AtLeast(0),
        "seed of the study; the seed of each split, ensemble and method is a hash of it and their names",
    ] = 0
    mirror: Annotated[
        str | None,
        "folder with public data, searched before any download; the environment variable `MLSIEVE_MIRROR` "
        "overrides it",
    ] = None
    plugins: Annotated[
        tuple[Text, ...],
        Keywords(uniqueItems=True),
        "files that register your own methods, such as `my_ranker.py`; see "
        "[docs/extending.md](../docs/extending.md)",
    ] = ()
    only: Annotated[
        tuple[Dataset, ...] | str | None,
        _list_or_text,
        "datasets to run, even if `leave_out` names them; on the command line `--config only=emotions,scene`",
    ] = None
    leave_out: Annotated[
        tuple[LeaveOut, ...],
        "datasets not to run: list of `{datasets: [...], reason: text}`; they are listed in `skipped.csv`",
    ] = ()
    split: Annotated[SplitKeys, "how each dataset is split"] = SplitKeys()
    stability: Annotated[StabilityKeys, "how much rankings depend on the seed"] = StabilityKeys()
    measures: Annotated[tuple[str, ...] | Literal["all"], _list_or_all, "`all`, or a list of ids"] = "all"
    definition: Annotated[
        str | None,
        not_null,
        "definition of the measures: `clus`, `paper` (of hierarchical datasets), `sklearn`, `textbook` or "
        "`scls`; see [docs/definitions.md](../docs/definitions.md)",
    ] = None
    analysis: Annotated[
        Mapping[str, Any], "questions that the study asks of its results, and their tests, see below"
    ] = field(default_factory=dict)
    figures: Annotated[FiguresKeys, "figures to draw, see below"] = FiguresKeys()
