"""A plain comparison of everything in a table: for a table of the user's own."""

from __future__ import annotations

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.registry import register


@register.question("comparison", version=2, order=6, title="Which method is best?")
def comparison(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman and Nemenyi over all methods of the table, each at its chosen size; Wilcoxon for two methods.

    There is one family, ``extended``: no paper says which methods belong to it.
    """
    answer = Answer()
    labels = tuple(table.labels["label"])
    if len(labels) < 2:
        answer.notes.append("the table has fewer than two methods")
        return answer
    comparisons = choices.comparisons({"methods": labels})
    part = compare(comparisons, table, analysis, question="comparison", family="extended")
    answer.extend(part)
    answer.findings += wording.friedman_findings(part, "extended", "methods", analysis)
    answer.findings += wording.wilcoxon_findings(part, "extended", analysis)
    return answer
