"""Should a node of extra trees try the square root of the number of features, or all of them?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis, Dataset, OfTrees
from mlsieve.analysis.tests import Answer, Comparison, compare
from mlsieve.registry import register
from mlsieve.stats._lazy import pd

EVERY, BINARY, OTHERS = "all datasets", "binary features only", "not only binary features"


@dataclass(frozen=True)
class CandidatesKeys:
    """Keys of ``analysis`` for this question."""

    all_features: Annotated[OfTrees, "the method whose trees try all features in a node"] = "all-features"
    binary_features: Annotated[
        tuple[Dataset, ...] | None,
        "the datasets with binary features only; found from the data by default",
    ] = None


@register.question(
    "candidates",
    version=2,
    order=10,
    title="Should a node try some features, or all?",
    settings=CandidatesKeys,
    tables={"compare": ("datasets",)},
    short="Features a node tries",
)
def candidates(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Wilcoxon's test of each score of an ensemble against the same score with all features tried in a node.

    Both have the same number of trees, the larger of the two in use. The tests use all datasets, those with
    binary features only, where a test of a feature has one possible threshold, and the others. Their number
    is not corrected for. The analysis' key ``all_features`` names the method whose nodes try all features.
    """
    answer, settings = Answer(), analysis.of(CandidatesKeys)
    pairs = matched_labels(table, settings.all_features)
    if not pairs:
        answer.notes.append(
            f"There are no values of '{settings.all_features}' whose ensemble and score another method has."
        )
        return answer
    family = "paper" if "paper" in analysis.families else "extended"
    for subset, datasets in _subsets(table, settings, answer):
        comparisons = [
            Comparison(
                evaluator,
                measure,
                comparison_name(label, other, subset),
                columns_of(choices, label, other),
                (label, other),
                "wilcoxon",
                datasets=datasets,
            )
            for evaluator in table.evaluators
            for measure in table.measures
            for label, other in pairs
        ]
        part = compare(comparisons, table, analysis, question="candidates", family=family)
        answer.extend(part)
        answer.findings += wording.wilcoxon_findings(part, family, analysis, subset)
    sizes = [f"{label} with {columns_of(choices, label, other)[0][1]}" for label, other in pairs]
    text = f"The tests compare both with the same number of trees: {wording.listed(sizes)}."
    answer.findings.append(Finding(text))
    return answer


def comparison_name(first: str, second: str, subset: str) -> str:
    """Return the name in tests.csv of the comparison of two methods on some of the datasets."""
    return f"{first} against {second}, {subset}"


def of_subset(tests: pd.DataFrame, subset: str) -> pd.Series:
    """Return which tests of tests.csv are those on some of the datasets."""
    first, second = (tests["methods"].str.split(";").str[place] for place in (0, 1))
    names = [comparison_name(one, other, subset) for one, other in zip(first, second, strict=True)]
    return tests["comparison"] == names


def matched_labels(table: PerformanceTable, method: str) -> list[tuple[str, str]]:
    """Return pairs of labels that differ in the method only: of another method, and of `method`."""
    rows = list(table.pairs().itertuples())
    return [
        (str(one.label), str(own.label))
        for own in rows
        if own.method == method
        for one in rows
        if one.method != own.method and (one.ensemble, one.score) == (own.ensemble, own.score)
    ]


def columns_of(choices: Choices, label: str, other: str) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return both labels with the larger of their sizes in use, or each with its own if one lacks it."""
    first, second = choices.column(label), choices.column(other)
    size = max(first[1], second[1])
    if all(size in choices.sizes_of(name) for name in (label, other)):
        return (label, size), (other, size)
    return first, second


def _subsets(
    table: PerformanceTable, settings: CandidatesKeys, answer: Answer
) -> list[tuple[str, tuple[str, ...] | None]]:
    """Return the datasets to compare on, by name, and note where binary ones are not known."""
    subsets: list[tuple[str, tuple[str, ...] | None]] = [(EVERY, None)]
    if settings.binary_features is None:
        answer.notes.append(
            "It is not known which datasets have binary features only, so these are not tested separately."
        )
        return subsets
    present = set(table.exact.index.get_level_values("dataset"))
    binary = tuple(name for name in settings.binary_features if name in present)
    if binary:
        subsets.append((BINARY, binary))
        others = tuple(sorted(present - set(binary)))
        return [*subsets, (OTHERS, others)] if others else subsets
    answer.notes.append("No dataset has binary features only.")
    return subsets
