"""What does the finding that a selector is best depend on?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import first_of
from mlsieve.analysis.method_groups import baselines_of, paper_labels
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.changes import Change, change_findings, count_findings
from mlsieve.analysis.sentences.wording import methods_of
from mlsieve.analysis.settings import Analysis, Single
from mlsieve.analysis.tests import Answer, compare
from mlsieve.analysis.verdicts import Verdict, verdicts
from mlsieve.registry import register
from mlsieve.schemas import or_null
from mlsieve.stats.effects import oriented_differences, win_tie_loss
from mlsieve.stats.ranks import Direction

AS_IN_THE_PAPER = "methods"


@dataclass(frozen=True)
class ConclusionKeys:
    """Keys of ``analysis`` for this question."""

    replacements: Annotated[
        Mapping[Single, Single],
        or_null,
        "methods of the method group `paper`, and the method that replaces each of them",
    ] = field(default_factory=dict)


@register.question(
    "conclusion",
    version=3,
    order=9,
    title="What does the conclusion depend on?",
    settings=ConclusionKeys,
    short="Conclusion",
)
def conclusion(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """The tests of the question ``selection`` with one thing changed at a time.

    The change is another form of one of the paper's methods (``replacements``), or a baseline in addition to
    them. Does the first place change, or a verdict? And on how many datasets is the baseline as good?
    """
    answer = Answer()
    own = paper_labels(table, analysis)
    if analysis.reference_method not in own or len(own) < 3:
        answer.notes.append(
            f"The question needs '{analysis.reference_method}' and two other methods of the paper."
        )
        return answer
    compared = changed_methods(table, analysis)
    if len(compared) == 1:
        answer.notes.append("The study has no baseline and no other form of a method of the paper.")
        return answer
    found: dict[Change | None, dict[tuple[str, str], Verdict]] = {}
    # The tests as in the paper are those of the question `selection`; the others are compared with them.
    for change, methods in compared.items():
        name = AS_IN_THE_PAPER if change is None else change.name
        comparisons = choices.comparisons({name: methods}, reference=analysis.reference_method)
        part = compare(comparisons, table, analysis, question="conclusion", family="extended")
        after = found[change] = verdicts(part, analysis.reference_method)
        if change is None:
            continue
        answer.extend(part)
        answer.findings += change_findings(change, found[None], after, analysis.reference_method)
    answer.short = first_of([finding.text for finding in answer.findings])
    answer.tables.append(change_table(found, analysis))
    counts = [as_good_counts(table, analysis, choices, label) for label in baselines_of(table, analysis)]
    for of_baseline in counts:
        answer.findings += count_findings(of_baseline, analysis.reference_method)
    if counts:
        answer.tables.append(count_table(list(itertools.chain(*counts)), analysis.reference_method))
    return answer


def change_table(
    found: Mapping[Change | None, Mapping[tuple[str, str], Verdict]], analysis: Analysis
) -> CountedTable:
    """Return place and verdicts of the reference method as in the paper, and after each change."""
    several = len({evaluator for verdicts in found.values() for evaluator, _ in verdicts}) > 1
    rows: list[tuple[str, ...]] = []
    marks: list[tuple[int, int, str]] = []
    behind: list[int] = []
    for change, verdicts_after in found.items():
        for (evaluator, measure), verdict in verdicts_after.items():
            if verdict.place == 1:
                marks.append((len(rows), 2, "best"))
            else:
                behind.append(len(rows))
            if verdict.first == (analysis.reference_method,):
                marks.append((len(rows), 3, "best"))
            rows.append(
                (
                    "as in the paper" if change is None else change.name,
                    f"{measure} by {evaluator}" if several else measure,
                    f"{verdict.rank:.2f} of {verdict.n_methods}",
                    ", ".join(verdict.first),
                    "significant" if verdict.rejected else "not significant",
                    *(", ".join(names) for names in (verdict.beaten, verdict.undecided, verdict.ahead)),
                )
            )
    return CountedTable(
        "changes",
        "Effect of each change on the tests",
        f"The table shows the tests of {methods_of('paper', analysis)}, first unchanged, then with one "
        f"change at a time. Where {analysis.reference_method} has the best average rank, it is bold. A "
        "non-significant difference is not evidence that two methods perform equally well.",
        (
            *("methods", "measure", f"average rank of {analysis.reference_method}", "first", "Friedman"),
            *("significantly better than", "not significant", "significantly worse than"),
        ),
        tuple(rows),
        numbers=(2,),
        marks=tuple(marks),
        highlighted=tuple(behind),
        folded=False,
    )


def count_table(counts: Sequence[Count], reference: str) -> CountedTable:
    """Return on how many datasets each baseline is better than the reference method, the same, or worse."""
    return CountedTable(
        "baselines",
        f"The baselines against {reference}",
        f"The table counts the datasets on which a baseline is better than {reference}, the same, or worse, "
        "after values are rounded. It does not test these counts.",
        ("baseline", "measure", "evaluator", "datasets", "better", "the same", "worse", "at least as good"),
        tuple(
            (
                *(count.method, count.measure, count.evaluator, count.datasets),
                *(count.better, count.same, count.worse, count.as_good),
            )
            for count in counts
        ),
        folded=False,
    )


def changed_methods(table: PerformanceTable, analysis: Analysis) -> dict[Change | None, tuple[str, ...]]:
    """Return the methods that are compared, by change; the first is None, the paper's methods unchanged."""
    own, present = paper_labels(table, analysis), set(table.labels["label"])
    found: dict[Change | None, tuple[str, ...]] = {None: own}
    for old, new in analysis.of(ConclusionKeys).replacements.items():
        if old in own and new in present:
            # Each method counts once, also where both forms belong to the paper's methods.
            kept = dict.fromkeys(new if label == old else label for label in own)
            found[Change(new, old)] = tuple(kept)
    for label in baselines_of(table, analysis):
        if label not in own:
            found[Change(label)] = (*own, label)
    return found


@dataclass(frozen=True)
class Count:
    """On how many datasets a method is better than, the same as and worse than another, for one measure."""

    evaluator: str
    measure: str
    method: str
    better: int
    same: int
    worse: int

    @property
    def as_good(self) -> int:
        """Better or the same."""
        return self.better + self.same

    @property
    def datasets(self) -> int:
        """Number of datasets with values of both."""
        return self.as_good + self.worse


def as_good_counts(
    table: PerformanceTable, analysis: Analysis, choices: Choices, method: str
) -> Sequence[Count]:
    """Count on how many datasets a method is as good as the reference method, for each measure.

    Values are compared as the analysis rounds them, as in the tests.
    """
    found = []
    for evaluator in table.evaluators:
        for measure in table.measures:
            columns = [choices.column(label) for label in (method, analysis.reference_method)]
            values = table.values(evaluator, measure, columns).dropna().to_numpy()
            direction: Direction = "lower" if table.directions[measure] == "lower" else "higher"
            counts = win_tie_loss(oriented_differences(values[:, 0], values[:, 1], direction))
            found.append(Count(evaluator, measure, method, *counts))
    return found
