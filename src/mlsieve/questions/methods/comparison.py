"""A plain comparison of all methods in a table, for a user's own table."""

from __future__ import annotations

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.registry import register


@register.question("comparison", version=2, order=6, title="Which method is best?")
def comparison(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's and Nemenyi's tests of all methods of the table at their chosen sizes; Wilcoxon's for two.

    There is one method group, ``extended``, because no paper determines another.
    """
    answer = Answer()
    labels = tuple(table.labels["label"])
    if len(labels) < 2:
        answer.notes.append("The table has fewer than two methods.")
        return answer
    comparisons = choices.comparisons({"methods": labels})
    part = compare(comparisons, table, analysis, question="comparison", family="extended")
    answer.extend(part)
    answer.findings += wording.friedman_findings(part, "extended", "methods", analysis)
    answer.findings += wording.wilcoxon_findings(part, "extended", analysis)
    return answer
