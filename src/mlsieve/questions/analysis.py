"""How a study's tables are to be tested: the configuration's section ``analysis``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from mlsieve.errors import UserError, did_you_mean

FAMILIES = ("paper", "extended")
VARIANTS = ("all", "related-collapsed", "without-differing")


@dataclass(frozen=True)
class Analysis:
    """What to ask, of which values, and with which tests.

    Attributes
    ----------
    questions : tuple of str
        Ids of registered questions, in any order.
    paper : str or None
        Name of the paper whose methods the family "paper" holds; None for a study of one's own, whose reports
        call them its main methods.
    families : tuple of {"paper", "extended"}
        Exactly the methods of the study's paper; the same plus everything else in the table.
    choice : {"paper", "own"}
        Whether later questions use the sizes and ensembles of the paper, or those that earlier questions
        chose here.
    significance : float
        In (0, 1).
    rounding : mapping or None
        ``{"decimals": d}`` or ``{"significant": d}``, applied before ranking; None ranks the numbers as they
        are.
    related : mapping of str to str
        Data set id to the name of its family, for the variant ``related-collapsed``.
    differing : tuple of str
        Data sets that are not those of the paper, for the variant ``without-differing``.
    measures : tuple of str or None
        Which to test; None means all in the table.
    definition : str or None
        Where a measure stands in the table under several definitions: the one to use; None keeps them apart.
    directions : mapping of str to {"higher", "lower"}
        For measures that are not registered (a table of the user's own).
    reference : str
        The unweighted control.
    rival : str
        The single method that the questions ``relief`` and ``similarity`` compare with.
    paper_methods : tuple of str or None
        Labels (``random-forest/genie3``, ``relief``) of the paper family; None: every ensemble and score.
    paper_sizes : mapping of str to int
        Label to size for ``choice: paper``; ``default`` for the other ensembles and scores. Without a default
        their sizes are the study's own choice, and that of another method the largest.
    paper_ensembles : mapping of str to str
        Score to ensemble for ``choice: paper``; the study chooses for those that are not named.
    friedman : {"chi-square", "f", "permutation"}
        Whether Friedman's chi-squared, Iman and Davenport's F or a permutation of the methods within each
        dataset decides; the first two are always given.
    relevance_correction : {"measure", "all"}
        Benjamini-Hochberg over the methods of each measure, or over all measures together.
    relief_test : {"friedman", "wilcoxon"}
        Friedman and Bonferroni-Dunn, or one Wilcoxon test a score with Benjamini-Hochberg.
    zeros : {"pratt", "split", "wilcox"}
        Differences of zero in the Wilcoxon test.
    control : str
        The method that the question ``selection`` compares all others with (Bonferroni-Dunn).
    controls : tuple of str or None
        What belongs to no paper's methods and shows what these are worth; None: the methods that are
        registered as controls. Those with a name of the study's own have to be told.
    many_labels : tuple of str
        Data sets of the question ``many-labels``.
    many_labels_rivals : tuple of str
        Methods that it compares with the control in the paper family.
    replacements : mapping of str to str
        For the question ``conclusion``: a method of the paper family, and what takes its place.
    all_features : str
        For the question ``candidates``: the method (column ``method``) whose trees try all features in a
        node.
    binary_features : tuple of str or None
        Data sets with binary features only, on which it tests once more; None: not known.
    other_definition : str
        For the question ``definition``: the method (column ``method``) whose scores have CLUS's definitions.
    paper_order : tuple of str
        The scores as the paper ranks them, best first, for the same question; empty: not known.
    similarity_features : {"all", "positive"}
        Which features FUJI similarities of rankings take into account, see
        `mlsieve.stats.similarity.fuzzy_jaccard_curve`; "all" is the published definition.
    similarity_dataset : str or None
        Whose curves the figure of the question ``similarity`` shows; None: the first data set.
    worked_example : mapping or None
        ``dataset``, and optionally ``iterations`` and ``features`` (indices from 0): what the report works
        out step by step, see `mlsieve.selectors.worked.worked_example`.
    column_order : mapping or None
        For the question ``column-order``: ``trees``, ``ensembles``, ``scores``, ``measures`` and
        ``datasets``, see `mlsieve.study.column_order.ColumnOrder`.
    """

    questions: tuple[str, ...] = ("saturation", "relevance", "ensemble", "relief", "score")
    paper: str | None = None
    families: tuple[str, ...] = FAMILIES
    choice: Literal["paper", "own"] = "paper"
    significance: float = 0.05
    rounding: Mapping[str, int] | None = field(default_factory=lambda: {"decimals": 3})
    related: Mapping[str, str] = field(default_factory=dict)
    differing: tuple[str, ...] = ()
    measures: tuple[str, ...] | None = None
    definition: str | None = None
    directions: Mapping[str, str] = field(default_factory=dict)
    reference: str = "uniform"
    rival: str = "relief"
    paper_methods: tuple[str, ...] | None = None
    paper_sizes: Mapping[str, int] = field(
        default_factory=lambda: {"default": 10, "random-forest/symbolic": 50, "bagging/symbolic": 50}
    )
    paper_ensembles: Mapping[str, str] = field(
        default_factory=lambda: {
            "genie3": "extra-trees",
            "permutation": "bagging",
            "symbolic": "random-forest",
        }
    )
    friedman: Literal["chi-square", "f", "permutation"] = "chi-square"
    relevance_correction: Literal["measure", "all"] = "measure"
    relief_test: Literal["friedman", "wilcoxon"] = "friedman"
    zeros: Literal["pratt", "split", "wilcox"] = "pratt"
    control: str = "scls"
    controls: tuple[str, ...] | None = None
    many_labels: tuple[str, ...] = ()
    many_labels_rivals: tuple[str, ...] = ("ami", "mdmr")
    replacements: Mapping[str, str] = field(default_factory=dict)
    all_features: str = "all-features"
    binary_features: tuple[str, ...] | None = None
    other_definition: str = "clus"
    paper_order: tuple[str, ...] = ()
    similarity_features: Literal["all", "positive"] = "all"
    similarity_dataset: str | None = None
    worked_example: Mapping[str, Any] | None = None
    column_order: Mapping[str, Any] | None = None

    @classmethod
    def from_mapping(cls, section: Mapping[str, Any] | None, *, file: str | None = None) -> Analysis:
        """Return the analysis that a configuration's section describes.

        Parameters
        ----------
        section : mapping or None
            Keys as the attributes; ``rounding`` may be a plain number of decimals, ``measures`` may be "all".
        file : str, optional
            Where it was read, for the error message.

        Raises
        ------
        UserError
            On an unknown key or a value that is not accepted; every fault is named.
        """
        from mlsieve.schemas import validator_of

        section = dict(section or {})
        known = [entry.name for entry in fields(cls)]
        faults = [f"unknown key '{key}' ({did_you_mean(key, known)})" for key in section if key not in known]
        plain = {key: value for key, value in section.items() if key in known}
        validator = validator_of(analysis_schema())
        for error in sorted(validator.iter_errors(plain), key=lambda found: list(map(str, found.path))):
            faults.append(f"{'.'.join(map(str, error.path)) or 'analysis'}: {error.message}")
        if faults:
            raise UserError("analysis: " + "; ".join(faults), file=file, cure="correct these")
        if isinstance(plain.get("rounding"), int):
            plain["rounding"] = {"decimals": plain["rounding"]}
        for key in ("related", "directions", "paper_sizes", "paper_ensembles", "replacements"):
            if key in plain and plain[key] is None:
                del plain[key]
        if plain.get("measures") == "all":
            plain["measures"] = None
        for key, value in plain.items():
            if isinstance(value, list):
                plain[key] = tuple(value)
        for key in ("differing", "many_labels"):
            if key in plain and plain[key] is None:
                plain[key] = ()
        return cls(**plain)


def analysis_schema() -> dict[str, Any]:
    """Return the JSON schema of the configuration's section ``analysis`` (other keys left to the caller)."""
    from mlsieve.configuration.schema import ENSEMBLES, SCORES

    words = {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "properties": {
            "questions": words,
            "paper": {"type": ["string", "null"]},
            "families": {
                "type": "array",
                "items": {"enum": list(FAMILIES)},
                "minItems": 1,
                "uniqueItems": True,
            },
            "choice": {"enum": ["paper", "own"]},
            "significance": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "rounding": {
                "anyOf": [
                    {"type": "null"},
                    {"type": "integer", "minimum": 0, "maximum": 15},
                    {
                        "type": "object",
                        "properties": {
                            "decimals": {"type": "integer", "minimum": 0, "maximum": 15},
                            "significant": {"type": "integer", "minimum": 1, "maximum": 15},
                        },
                        "additionalProperties": False,
                        "minProperties": 1,
                        "maxProperties": 1,
                    },
                ]
            },
            "related": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
            "differing": {**words, "type": ["array", "null"]},
            "measures": {"anyOf": [{"const": "all"}, {"type": "null"}, {**words, "minItems": 1}]},
            "definition": {"type": ["string", "null"]},
            "directions": {"type": ["object", "null"], "additionalProperties": {"enum": ["higher", "lower"]}},
            "reference": {"type": "string"},
            "rival": {"type": "string"},
            "paper_methods": {**words, "type": ["array", "null"]},
            "paper_sizes": {
                "type": ["object", "null"],
                "additionalProperties": {"type": "integer", "minimum": 1},
            },
            "paper_ensembles": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
            "friedman": {"enum": ["chi-square", "f", "permutation"]},
            "relevance_correction": {"enum": ["measure", "all"]},
            "relief_test": {"enum": ["friedman", "wilcoxon"]},
            "zeros": {"enum": ["pratt", "split", "wilcox"]},
            "control": {"type": "string"},
            "controls": {**words, "type": ["array", "null"]},
            "many_labels": {**words, "type": ["array", "null"]},
            "many_labels_rivals": words,
            "replacements": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
            "all_features": {"type": "string"},
            "binary_features": {**words, "type": ["array", "null"]},
            "other_definition": {"type": "string"},
            "paper_order": words,
            "similarity_features": {"enum": ["all", "positive"]},
            "similarity_dataset": {"type": ["string", "null"]},
            "worked_example": {
                "type": ["object", "null"],
                "required": ["dataset"],
                "properties": {
                    "dataset": {"type": "string"},
                    "iterations": {"type": "integer", "minimum": 1, "maximum": 20},
                    "features": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                },
                "additionalProperties": False,
            },
            "column_order": {
                "type": ["object", "null"],
                "properties": {
                    "trees": {"type": "integer", "minimum": 1},
                    "ensembles": {**words, "items": {"enum": list(ENSEMBLES)}, "minItems": 1},
                    "scores": {**words, "items": {"enum": list(SCORES)}, "minItems": 1},
                    "measures": {**words, "minItems": 1},
                    "datasets": {**words, "minItems": 1},
                },
                "additionalProperties": False,
            },
        },
    }
