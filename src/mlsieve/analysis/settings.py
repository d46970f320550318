"""How a study's tables are to be tested: the section ``analysis`` of the configuration.

Keys that several questions read are fields of `Analysis`. A key that one question reads is a field of the
dataclass that this question registers as its ``settings``; a configuration holds both side by side.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from mlsieve.errors import UserError
from mlsieve.registry import entries
from mlsieve.registry.parameters import AtLeast, Keywords, LessThan, MoreThan, Schema, keys_of, section_schema
from mlsieve.schemas import NOT_EMPTY, SUBSET, Names, or_null, read

Family = Literal["paper", "extended"]
FAMILIES: tuple[Family, ...] = ("paper", "extended")

T = TypeVar("T")
Dataset = Annotated[str, Names("dataset")]
Single = Annotated[str, Names("method without an ensemble")]
OfTrees = Annotated[str, Names("method with ensembles of the study")]
Score = Annotated[str, Names("score")]


def _rounding(_: Schema) -> Schema:
    """Return the schema of ``rounding``, which may also be a number of decimals."""
    decimals = {"type": "integer", "minimum": 0, "maximum": 15}
    either = {
        "type": "object",
        "properties": {"decimals": decimals, "significant": {**decimals, "minimum": 1}},
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return {"anyOf": [{"type": "null"}, decimals, either]}


def _or_all(schema: Schema) -> Schema:
    return {"anyOf": [{"const": "all"}, {"type": "null"}, {**schema, "type": "array", **NOT_EMPTY}]}


@dataclass(frozen=True)
class Analysis:
    """Which questions to ask, of which values, and with which tests."""

    renamed: ClassVar[dict[str, str]] = {
        "control": "reference_method",
        "controls": "baselines",
        "reference": "unweighted",
        "related": "domains",
        "cost_reference": "cost_references",
    }

    questions: Annotated[tuple[str, ...], "the questions to ask, in any order"] = (
        "saturation",
        "relevance",
        "ensemble",
        "relief",
        "score",
    )
    paper: Annotated[
        str | None,
        "the paper whose methods form the method group `paper`; without a paper, reports call these methods "
        "the study's main methods",
    ] = None
    families: Annotated[
        tuple[Family, ...],
        SUBSET,
        "the method groups to test: exactly the methods of the paper, and these with all others of the study",
    ] = FAMILIES
    choice: Annotated[
        Literal["paper", "own"],
        "later questions use the sizes and ensembles of the paper, or those that earlier questions of this "
        "study chose",
    ] = "paper"
    significance: Annotated[float, MoreThan(0), LessThan(1), "level of the tests"] = 0.05
    rounding: Annotated[
        Mapping[str, int] | None,
        _rounding,
        "decimals to which values are rounded before they are ranked; `{significant: 3}` for significant "
        "digits, `null` for no rounding",
    ] = field(default_factory=lambda: {"decimals": 3})
    domains: Annotated[
        Mapping[Dataset, str],
        or_null,
        "the domain of each related dataset; every test is repeated with one value for each domain. In a "
        "study, the default is the domain in the catalog",
    ] = field(default_factory=dict)
    differing: Annotated[
        tuple[Dataset, ...],
        or_null,
        "datasets that differ from the paper's; every test is repeated without them. In a study, the "
        "default follows from the catalog",
    ] = ()
    measures: Annotated[
        tuple[Annotated[str, Names("measure of the study")], ...] | None,
        _or_all,
        "the measures to test; all measures of the table by default",
    ] = None
    definition: Annotated[
        str | None,
        "the definition to use where the table contains a measure by several definitions; all by default",
    ] = None
    directions: Annotated[
        Mapping[str, str],
        Keywords(additionalProperties={"enum": ["higher", "lower"]}),
        or_null,
        "whether higher or lower is better, for measures that mlsieve does not provide",
    ] = field(default_factory=dict)
    unweighted: Annotated[Single, "the unweighted baseline"] = "uniform"
    rival: Annotated[Single, "the single method with which `relief` and `similarity` compare the scores"] = (
        "relief"
    )
    paper_methods: Annotated[
        tuple[Annotated[str, Names("method")], ...] | None,
        "the methods of the paper, or the main methods of a study without a paper, such as "
        "`random-forest/genie3` or `relief`; by default every ensemble and score, and, without a paper or in "
        "questions about selectors, every other method except the baselines",
    ] = None
    paper_sizes: Annotated[
        Mapping[Annotated[str, Names("method", also=("default",))], Annotated[int, AtLeast(1)]],
        or_null,
        "with `choice: paper`, the size of each method; `default` is the size of all other ensembles and "
        "scores. Without a size, the study chooses that of an ensemble and takes the largest of any other "
        "method",
    ] = field(default_factory=lambda: {"default": 10, "random-forest/symbolic": 50, "bagging/symbolic": 50})
    paper_ensembles: Annotated[
        Mapping[Score, Annotated[str, Names("ensemble")]],
        or_null,
        "with `choice: paper`, the ensemble of each score; the study chooses the ensemble of a score "
        "without one",
    ] = field(
        default_factory=lambda: {
            "genie3": "extra-trees",
            "permutation": "bagging",
            "symbolic": "random-forest",
        }
    )
    friedman: Annotated[
        Literal["chi-square", "f", "permutation"],
        "the p-value that decides Friedman's test: that of chi-squared, of Iman and Davenport's F, or of "
        "permutations of the methods within each dataset; the first two are always reported",
    ] = "chi-square"
    relevance_correction: Annotated[
        Literal["measure", "all"],
        "`relevance` and `definition` correct by Benjamini and Hochberg over the methods of each measure, "
        "or over all measures together",
    ] = "measure"
    zeros: Annotated[
        Literal["pratt", "split", "wilcox"], "how Wilcoxon's test treats differences of zero"
    ] = "pratt"
    reference_method: Annotated[
        Single, "the reference method, with which `selection` compares all others"
    ] = "scls"
    baselines: Annotated[
        tuple[Single, ...] | None,
        "the baselines, which belong to no paper and show what the others are worth; by default the methods "
        "that are registered as baselines. A baseline that the study names itself must be listed",
    ] = None
    settings: Mapping[str, Any] = field(default_factory=dict, metadata={"key": False})

    @classmethod
    def from_mapping(cls, section: Mapping[str, Any] | None, *, file: str | None = None) -> Analysis:
        """Return the analysis that a configuration's section describes.

        Parameters
        ----------
        section : mapping or None
            Keys of `Analysis` and of the questions; ``rounding`` may be a plain number of decimals,
            ``measures`` may be "all".
        file : str, optional
            Where it was read, for the error message.

        Raises
        ------
        UserError
            On an unknown key or a value that is not accepted; every fault is named.
        """
        from mlsieve.schema_errors import schema_errors

        plain = dict(section or {})
        schema = {"properties": {"analysis": analysis_schema()}}
        if faults := schema_errors(schema, {"analysis": plain}):
            more = f" (also: {'; '.join(faults[1:])})" if len(faults) > 1 else ""
            raise UserError(faults[0] + more, file=file)
        if isinstance(plain.get("rounding"), int):
            plain["rounding"] = {"decimals": plain["rounding"]}
        if plain.get("measures") == "all":
            plain["measures"] = None
        common = {key.name for key in keys_of(cls)}
        settings = {key: value for key, value in plain.items() if key not in common}
        return dataclasses.replace(read(cls, plain), settings=settings)

    def of(self, settings: type[T]) -> T:
        """Return the keys of one question.

        Parameters
        ----------
        settings : dataclass
            As the question registers it.
        """
        return read(settings, self.settings)

    def with_settings(self, **settings: Any) -> Analysis:
        """Return the analysis with other values of keys of single questions."""
        return dataclasses.replace(self, settings={**self.settings, **settings})

    def as_mapping(self) -> dict[str, Any]:
        """Return the values of all keys, as `from_mapping` takes them."""
        values = dataclasses.asdict(self)
        del values["settings"]
        for settings in question_settings():
            values |= dataclasses.asdict(self.of(settings))
        return values


def question_settings() -> list[Any]:
    """Return the dataclasses that questions register for keys of their own."""
    found = (entry.facts.settings for entry in entries("question").values())
    return [settings for settings in found if settings is not None]


def analysis_schema() -> Schema:
    """Return the JSON schema of the section ``analysis``: the common keys, then those of single questions."""
    schema = section_schema(Analysis, *question_settings())
    schema["properties"]["questions"] |= {**SUBSET, "items": {"enum": list(entries("question"))}}
    return schema
