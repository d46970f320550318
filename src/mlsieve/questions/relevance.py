"""Are weighted features better than the unweighted control?"""

from __future__ import annotations

from mlsieve.questions import wording
from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices, pairs_of
from mlsieve.questions.compare import Answer, Comparison, compare
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register


@register.question("relevance", version=2, order=2, title="Is a ranking better than the unweighted control?")
def relevance(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Wilcoxon of every pair against the control, then Benjamini-Hochberg.

    The correction is over the pairs of a measure, or over all tests (``relevance_correction``). The extended
    family adds every other method.
    """
    answer = Answer()
    singles = table.singles()
    if analysis.reference not in singles:
        answer.notes.append(f"there are no values of '{analysis.reference}', the unweighted control")
        return answer
    for family in analysis.families:
        labels = pairs_of(table, analysis, family)["label"].tolist()
        if family == "extended":
            labels += [label for label in singles if label != analysis.reference]
        if not labels:
            answer.notes.append(f"{family}: there is no method to compare with {analysis.reference}")
            continue
        comparisons = [
            Comparison(
                evaluator,
                measure,
                f"{label} against {analysis.reference}",
                (choices.column(label), choices.column(analysis.reference)),
                (label, analysis.reference),
                "wilcoxon",
            )
            for evaluator in table.evaluators
            for measure in table.measures
            for label in labels
        ]
        part = compare(
            comparisons,
            table,
            analysis,
            question="relevance",
            family=family,
            correct_over=analysis.relevance_correction,
        )
        answer.extend(part)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    return answer
