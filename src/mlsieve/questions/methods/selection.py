"""Which selector is best, and which of the others differ significantly from the paper's own?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.method_groups import labels_of_family
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences import selection as selection_wording
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tables.selection import column_tables, f_tables, value_tables, with_printed
from mlsieve.analysis.tables.worked import worked_tables
from mlsieve.analysis.tests import RANK_COLUMNS, TEST_COLUMNS, Answer, compare
from mlsieve.registry import register
from mlsieve.stats._lazy import pd
from mlsieve.study.settings import WorkedExample


@dataclass(frozen=True)
class SelectionKeys:
    """Keys of ``analysis`` for this question."""

    worked_example: Annotated[
        WorkedExample | None,
        "an example that the study works out step by step, as `mlsieve step worked-example` does",
    ] = None


def section(study: SectionTables) -> Section:
    """Printed columns, the values beside the printed ones, F, and the worked example."""
    printed, example = study.printed, study.analysis.of(SelectionKeys).worked_example
    tables = [] if printed.columns is None else column_tables(printed.columns, printed.remark)
    tables += [with_printed(table, printed) for table in study.own.values()]
    if example is not None and study.worked is not None:
        tables += worked_tables(study.worked, example.dataset, printed.worked(example.dataset))
    return Section(tables=tables)


@register.question(
    "selection",
    version=2,
    order=7,
    title="Which selector is best?",
    settings=SelectionKeys,
    short="Best selector",
    section=section,
)
def selection(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's test with Iman and Davenport's F of the selectors, then Bonferroni-Dunn against one.

    That one is the analysis' key ``reference_method``. The group ``paper`` has ``paper_methods``, and
    ``extended`` adds every other method, including the baselines. Wilcoxon's test compares two methods.
    """
    answer = Answer()
    for family in analysis.families:
        methods = labels_of_family(table, analysis, family)
        if analysis.reference_method not in methods:
            answer.notes.append(
                f"{wording.group_has(family, analysis)} no '{analysis.reference_method}', so no method is"
                " compared with it."
            )
            continue
        if len(methods) < 2:
            answer.notes.append(
                f"{wording.group_has(family, analysis)} no other method to compare with"
                f" {analysis.reference_method}."
            )
            continue
        two = len(methods) == 2
        if two:
            methods = (
                analysis.reference_method,
                next(name for name in methods if name != analysis.reference_method),
            )
        reference = None if two else analysis.reference_method
        comparisons = choices.comparisons({"methods": methods}, reference=reference)
        part = compare(comparisons, table, analysis, question="selection", family=family)
        answer.extend(part)
        answer.findings += selection_wording.f_findings(part, family, analysis)
        answer.findings += selection_wording.reference_findings(part, family, analysis)
        answer.findings += selection_wording.friedman_remarks(part, family, analysis)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    answer.tables += value_tables(table, analysis, pd.DataFrame(answer.ranks, columns=list(RANK_COLUMNS)))
    answer.tables += f_tables(pd.DataFrame(answer.tests, columns=list(TEST_COLUMNS)), analysis)
    return answer
