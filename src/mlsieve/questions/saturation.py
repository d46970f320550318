"""After how many trees does a pair of ensemble and score saturate?"""

from __future__ import annotations

from mlsieve.questions import wording
from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices, pairs_of, size_comparisons
from mlsieve.questions.compare import Answer, compare
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register


@register.question("saturation", version=1, order=1, title="After how many trees does a ranking saturate?")
def saturation(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman over the sizes of every pair and measure, Nemenyi where rejected.

    Benjamini-Hochberg corrects over all of them. The extended family has the controls among the sizes.
    """
    answer = Answer()
    for family in analysis.families:
        controls = (
            tuple(choices.column(label) for label in table.companions()) if family == "extended" else ()
        )
        comparisons = size_comparisons(table, pairs_of(table, analysis, family), controls)
        if not comparisons:
            answer.notes.append(f"{family}: no method has more than one size, so nothing can saturate")
            continue
        part = compare(comparisons, table, analysis, question="saturation", family=family, correct_over="all")
        answer.extend(part)
        answer.sentences += wording.friedman_sentences(part, family, "sizes", analysis)
    if answer.tests:
        answer.sentences += wording.size_sentences(choices, table)
    return answer
