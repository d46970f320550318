"""Which ensemble is best for each score?"""

from __future__ import annotations

from mlsieve.questions import choice_wording, wording
from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices, pairs_of
from mlsieve.questions.compare import Answer, Comparison, compare
from mlsieve.questions.findings import plain_findings
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register


@register.question("ensemble", version=2, order=3, title="Which ensemble is best for each score?")
def ensemble(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman and Nemenyi over the ensembles of each score; Wilcoxon where a score has only two.

    The extended family adds every method without an ensemble.
    """
    answer = Answer()
    for family in analysis.families:
        pairs = pairs_of(table, analysis, family).sort_values("label")
        others = table.companions() if family == "extended" else []
        comparisons = []
        for score, group in pairs.groupby("score"):
            labels = [*group["label"], *others]
            if len(group) < 2:
                answer.notes.append(
                    f"{family}: only one ensemble has the score {score}: {', '.join(group['label'])}"
                )
                continue
            comparisons += [
                Comparison(
                    evaluator,
                    measure,
                    str(score),
                    tuple(choices.column(label) for label in labels),
                    tuple(labels),
                    "wilcoxon" if len(labels) == 2 else "friedman",
                )
                for evaluator in table.evaluators
                for measure in table.measures
            ]
        if not comparisons:
            answer.notes.append(f"{family}: no score comes with two ensembles or more")
            continue
        part = compare(comparisons, table, analysis, question="ensemble", family=family)
        answer.extend(part)
        answer.findings += wording.friedman_findings(part, family, "methods", analysis)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    if answer.tests:
        answer.findings += plain_findings(choice_wording.ensemble_sentences(choices, table))
    return answer
