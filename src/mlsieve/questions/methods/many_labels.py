"""Is the selector better than its rivals on datasets with many labels?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.method_groups import labels_of_family
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import selection as selection_wording
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis, Dataset, Single
from mlsieve.analysis.signed_ranks import signed_rank_tables
from mlsieve.analysis.tests import Answer, compare
from mlsieve.registry import register
from mlsieve.schemas import or_null


@dataclass(frozen=True)
class ManyLabelsKeys:
    """Keys of ``analysis`` for this question."""

    many_labels: Annotated[tuple[Dataset, ...], or_null, "the datasets with many labels"] = ()
    many_labels_rivals: Annotated[
        tuple[Single, ...],
        "the methods of the method group `paper` with which `reference_method` is compared on these datasets",
    ] = ("ami", "mdmr")


@register.question(
    "many-labels",
    version=2,
    order=8,
    title="Is the selector better with many labels?",
    settings=ManyLabelsKeys,
    short="Many labels",
)
def many_labels(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Wilcoxon's test of the reference method against each rival, on the datasets with many labels only.

    The analysis' key ``many_labels`` lists the datasets, and ``many_labels_rivals`` the paper's rivals; the
    extended group adds every other method. As in the paper, the number of tests is not corrected for.
    """
    answer, settings = Answer(), analysis.of(ManyLabelsKeys)
    present = set(table.exact.index.get_level_values("dataset"))
    chosen = tuple(name for name in settings.many_labels if name in present)
    if not settings.many_labels:
        answer.notes.append("The analysis names no datasets with many labels (key 'many_labels').")
        return answer
    missing = [name for name in settings.many_labels if name not in present]
    if missing:
        answer.notes.append(f"There are no values of {wording.listed(missing)}, which have many labels too.")
    if not chosen:
        return answer
    every = labels_of_family(table, analysis, "extended")
    if analysis.reference_method not in every:
        answer.notes.append(
            f"The study has no '{analysis.reference_method}', so no method is compared with it."
        )
        return answer
    for family in analysis.families:
        rivals = [label for label in settings.many_labels_rivals if label in every]
        if family == "extended":
            rivals += [label for label in every if label not in (*rivals, analysis.reference_method)]
        if not rivals:
            answer.notes.append(
                f"There is no method among {wording.methods_of(family, analysis)} to compare"
                f" {analysis.reference_method} with."
            )
            continue
        own = analysis.reference_method
        pairs = {f"{own} against {rival}": (own, rival) for rival in rivals}
        comparisons = choices.comparisons(pairs, datasets=chosen)
        part = compare(comparisons, table, analysis, question="many-labels", family=family)
        answer.extend(part)
        if family == "paper" or "paper" not in analysis.families:
            answer.findings += selection_wording.rank_sum_findings(part, family, analysis)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    rivals = [label for label in settings.many_labels_rivals if label in every]
    answer.tables += signed_rank_tables(table, analysis, choices, rivals, chosen)
    return answer
