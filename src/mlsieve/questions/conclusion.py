"""What does the finding that a selector is best depend on?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from mlsieve.questions.analysis import Analysis, Single
from mlsieve.questions.chain import Choices
from mlsieve.questions.change_wording import Change, change_findings, count_findings
from mlsieve.questions.compare import Answer, Comparison, compare
from mlsieve.questions.members import controls_of, paper_labels
from mlsieve.questions.table import PerformanceTable
from mlsieve.questions.verdicts import verdicts
from mlsieve.registry import register
from mlsieve.schemas import or_null

AS_IN_THE_PAPER = "methods"


@dataclass(frozen=True)
class ConclusionKeys:
    """Keys of ``analysis`` for this question."""

    replacements: Annotated[
        Mapping[Single, Single],
        or_null,
        "methods of the family `paper`, and the method that takes the place of each",
    ] = field(default_factory=dict)


@register.question(
    "conclusion",
    version=2,
    order=9,
    title="What does the conclusion depend on?",
    settings=ConclusionKeys,
)
def conclusion(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """The tests of the question ``selection`` with one thing changed at a time.

    A method of the paper family in another form (``replacements``), or a control beside the paper's methods:
    does the first place change, or a verdict? And on how many data sets is the control as good?
    """
    answer = Answer()
    own = paper_labels(table, analysis)
    if analysis.control not in own or len(own) < 3:
        answer.notes.append(f"'{analysis.control}' and two other methods of the paper are needed")
        return answer
    families = changed_families(table, analysis)
    if len(families) == 1:
        answer.notes.append("the study has no control and no other form of a method of the paper")
        return answer
    # The tests as in the paper are those of the question `selection`; here they are what is compared with.
    for change, methods in families.items():
        part = compare(
            [
                Comparison(
                    evaluator,
                    measure,
                    AS_IN_THE_PAPER if change is None else change.name,
                    tuple(choices.column(label) for label in methods),
                    tuple(methods),
                    control=analysis.control,
                )
                for evaluator in table.evaluators
                for measure in table.measures
            ],
            table,
            analysis,
            question="conclusion",
            family="extended",
        )
        if change is None:
            before = verdicts(part, analysis.control)
            continue
        answer.extend(part)
        after = verdicts(part, analysis.control)
        answer.findings += change_findings(change, before, after, analysis.control)
    for label in controls_of(table, analysis):
        counts = as_good_counts(table, analysis, choices, label)
        answer.findings += count_findings(counts, analysis.control)
    return answer


def changed_families(table: PerformanceTable, analysis: Analysis) -> dict[Change | None, tuple[str, ...]]:
    """Return the methods that are compared, by what is changed: first none, as in the paper."""
    own, present = paper_labels(table, analysis), set(table.labels["label"])
    found: dict[Change | None, tuple[str, ...]] = {None: own}
    for old, new in analysis.of(ConclusionKeys).replacements.items():
        if old in own and new in present:
            # Once, also where both forms belong to the paper family.
            kept = dict.fromkeys(new if label == old else label for label in own)
            found[Change(new, old)] = tuple(kept)
    for label in controls_of(table, analysis):
        if label not in own:
            found[Change(label)] = (*own, label)
    return found


@dataclass(frozen=True)
class Count:
    """On how many data sets a method is better than, the same as and worse than another, for one measure."""

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
        """Number of data sets with values of both."""
        return self.as_good + self.worse


def as_good_counts(
    table: PerformanceTable, analysis: Analysis, choices: Choices, method: str
) -> Sequence[Count]:
    """Count on how many data sets a method is as good as the analysis' control, for each measure.

    Values are compared as the analysis rounds them, as in the tests.
    """
    found = []
    for evaluator in table.evaluators:
        for measure in table.measures:
            columns = [choices.column(label) for label in (method, analysis.control)]
            values = table.values(evaluator, measure, columns).dropna().to_numpy()
            differences = np.round(values[:, 0] - values[:, 1], 12)
            if table.directions[measure] == "lower":
                differences = -differences
            counts = [int(found.sum()) for found in (differences > 0, differences == 0, differences < 0)]
            found.append(Count(evaluator, measure, method, *counts))
    return found
