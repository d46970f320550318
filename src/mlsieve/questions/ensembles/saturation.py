"""After how many trees does a ranking saturate, and Relief after how many examples?"""

from __future__ import annotations

from collections import Counter

from mlsieve.analysis.choices import Choices, pairs_of, several_sizes, size_comparisons
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import choices as choice_wording
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.sentences.parts import Part, part_of
from mlsieve.analysis.sentences.short_answers import counted_tests
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.errors import number_of
from mlsieve.registry import register


@register.question(
    "saturation",
    version=3,
    order=1,
    title="After how many trees does a ranking saturate?",
    effect_sizes=False,
)
def saturation(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's test of the sizes of every pair and measure, then Nemenyi's where it is significant.

    Benjamini-Hochberg corrects over all of them. A rival without an ensemble that has several sizes (Relief,
    percentages of the examples) is tested by itself and corrected over its measures only: its sizes are
    another question. The extended group has the baselines among the sizes, and all methods with several
    sizes.
    """
    answer = Answer()
    for family in analysis.families:
        extended = family == "extended"
        others = several_sizes(table)
        if not extended:
            others = others[others["label"] == analysis.rival]
        groups = [("", pairs_of(table, analysis, family))]
        groups += [(str(others.loc[index, "label"]), others.loc[[index]]) for index in others.index]
        asked = False
        for about, group in groups:
            companions = table.companions() if extended else []
            baselines = tuple(choices.column(name) for name in companions if name not in set(group["label"]))
            comparisons = size_comparisons(table, group, baselines)
            if not comparisons:
                continue
            asked = True
            part = compare(
                comparisons, table, analysis, question="saturation", family=family, correct_over="all"
            )
            answer.extend(part)
            answer.findings += wording.friedman_findings(
                part, family, "sizes", analysis, about, table.by_label
            )
        if not asked:
            answer.notes.append(f"{wording.title_of(family, analysis)}: no method has more than one size.")
    if answer.tests:
        answer.findings += plain_findings(choice_wording.size_sentences(choices, table))
    counted = part_of(answer, analysis)
    if counted is not None:
        answer.short += sizes_in_short(counted, table, choices)
    return answer


def sizes_in_short(part: Part, table: PerformanceTable, choices: Choices) -> list[str]:
    """Return how many tests of sizes are significant, and how many trees are enough for how many rankings."""
    labels = list(dict.fromkeys(part.main["comparison"]))
    said = [counted_tests(part, number_of(len(labels), "ranking"), "sizes")]
    if not part.tests.loc[part.tests["test"] == "friedman", "rejected"].any():
        return [*said, "No number of trees is shown to be better than another."]
    trees = [label for label in table.pairs()["label"] if label in labels]
    counts = Counter(choices.size(label, "own")[0] for label in trees)
    if counts:
        sizes = wording.listed(
            f"{number_of(size, 'tree')} for {number_of(counts[size], 'ranking')}" for size in sorted(counts)
        )
        said.append(
            f"The smallest size that is not significantly worse than the best one by any measure is {sizes}."
        )
    return said
