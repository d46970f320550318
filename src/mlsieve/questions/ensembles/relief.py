"""Are the scores, each with its best ensemble, better than one rival (Relief)?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.method_groups import singles_of_family
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.registry import register


@dataclass(frozen=True)
class ReliefKeys:
    """Keys of ``analysis`` for this question."""

    relief_test: Annotated[
        Literal["friedman", "wilcoxon"],
        "Friedman's test and the Bonferroni-Dunn test, or one Wilcoxon test for each score, corrected by "
        "Benjamini and Hochberg",
    ] = "friedman"


@register.question(
    "relief",
    version=3,
    order=4,
    title="Are the scores better than Relief?",
    settings=ReliefKeys,
    short="Against Relief",
)
def relief(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's test of the scores and the rival, then Bonferroni-Dunn; or Wilcoxon's for each score.

    The extended group adds every other method without an ensemble. In one's own study, the main methods have
    them, but for baselines.
    """
    answer = Answer()
    singles, rival = table.singles(), analysis.rival
    if rival not in singles:
        answer.notes.append(f"There are no values of '{rival}', so no method is compared with it.")
        return answer
    for family in analysis.families:
        others = [label for label in singles_of_family(table, analysis, family) if label != rival]
        labels = choices.labels_of_scores(family)
        if not labels and (family == "extended" or not others):
            answer.notes.append(f"{wording.group_has(family, analysis)} no score to compare with {rival}.")
            continue
        methods = (*labels, *others, rival)
        use_wilcoxon = analysis.of(ReliefKeys).relief_test == "wilcoxon" or len(methods) == 2
        if use_wilcoxon:
            pairs = {f"{label} against {rival}": (label, rival) for label in methods[:-1]}
            comparisons = choices.comparisons(pairs)
        else:
            comparisons = choices.comparisons({f"scores against {rival}": methods}, reference=rival)
        part = compare(
            comparisons,
            table,
            analysis,
            question="relief",
            family=family,
            correct_over="measure" if use_wilcoxon else "nothing",
        )
        answer.extend(part)
        answer.findings += wording.friedman_findings(part, family, "methods", analysis)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    return answer
