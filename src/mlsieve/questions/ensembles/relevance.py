"""Are weighted features better than the unweighted baseline?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mlsieve.analysis.choices import Choices, pairs_of
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.method_groups import singles_of_family
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.sentences.wording import number
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.registry import register
from mlsieve.stats._lazy import pd


def section(study: SectionTables) -> Section:
    """The table at the top of the page, with the cost of each ranking."""
    seconds = {label: number(cost.seconds) for label, cost in study.costs.items()}
    overview = [
        replace(
            table,
            columns=(*table.columns, "CPU seconds per dataset"),
            rows=tuple((*row, seconds.get(row[0], "")) for row in table.rows),
            numbers=(*(table.numbers or ()), len(table.columns)),
        )
        for table in study.own.values()
    ]
    return Section(overview=overview)


@register.question(
    "relevance",
    version=3,
    order=2,
    title="Is a ranking better than the unweighted baseline?",
    section=section,
)
def relevance(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Wilcoxon's test of every pair against the unweighted baseline, corrected by Benjamini-Hochberg.

    The correction is over the pairs of a measure, or over all tests (``relevance_correction``). The extended
    group adds every other method. The main methods of one's own study include those without an ensemble, but
    for baselines.
    """
    answer = Answer()
    singles = table.singles()
    if analysis.unweighted not in singles:
        answer.notes.append(f"There are no values of '{analysis.unweighted}', the unweighted baseline.")
        return answer
    for family in analysis.families:
        labels = pairs_of(table, analysis, family)["label"].tolist()
        others = singles if family == "extended" else singles_of_family(table, analysis, family)
        labels += [label for label in others if label != analysis.unweighted]
        if not labels:
            answer.notes.append(
                f"There is no method among {wording.methods_of(family, analysis)} to compare with"
                f" {analysis.unweighted}."
            )
            continue
        pairs = {f"{label} against {analysis.unweighted}": (label, analysis.unweighted) for label in labels}
        part = compare(
            choices.comparisons(pairs),
            table,
            analysis,
            question="relevance",
            family=family,
            correct_over=analysis.relevance_correction,
        )
        answer.extend(part)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    if answer.tests:
        sizes = {label: choices.column(label)[1] for label in table.by_label}
        answer.tables += glance_tables(pd.DataFrame(answer.tests), sizes, analysis.significance)
    return answer


def glance_tables(tests: pd.DataFrame, sizes: Mapping[str, int], significance: float) -> list[CountedTable]:
    """Return a table with a row for each ranking of the paper: is it better than the unweighted baseline?

    It counts the measures that are better or worse with each dataset by itself, and with each domain counted
    once if some datasets are related.

    Parameters
    ----------
    tests : DataFrame
        The question's rows of tests.csv.
    sizes : mapping of str to int
        The size in use of each ranking; 0 for one without sizes.
    significance : float
    """
    every = tests[(tests["family"] == "paper") & (tests["test"] == "wilcoxon")]
    some, once = (every[every["variant"] == variant] for variant in ("all", BY_DOMAIN))
    if some.empty:
        return []
    rows = []
    for methods, group in some.groupby("methods", sort=False):
        label, baseline = str(methods).split(";")
        better, worse = _better_and_worse(group)
        of_families = _verdicts_once(once[once["methods"] == methods], significance)
        counts = " / ".join(str(int(group[name].sum())) for name in ("wins", "ties", "losses"))
        row = (label, sizes.get(label) or "", baseline, better, worse, len(group) - better - worse)
        rows.append((*row, *([of_families] if len(once) else []), counts))
    columns = ["ranking", "trees", "baseline", "measures better", "worse", "not significant"]
    columns += ["better / worse, each domain once"] if len(once) else []
    columns += ["win / tie / loss"]
    text = (
        "The table counts the measures on which each ranking is significantly better or worse than the "
        "baseline. Wins, ties and losses count datasets and measures; they "
        f"{wording.no_independent_trials(len(once) > 0)} The CPU seconds are those of growing and scoring "
        "the trees in use."
    )
    places = (1, *range(3, len(columns)))
    return [
        CountedTable("glance", "At a glance", text, tuple(columns), tuple(rows), numbers=places, folded=False)
    ]


def _better_and_worse(tests: pd.DataFrame) -> tuple[int, int]:
    """Return in how many Wilcoxon tests the first method is significantly better, and worse."""
    rejected = tests["rejected"].astype(bool)
    # The test is about sums of ranks: few large wins outweigh many small losses.
    better = int((rejected & (tests["rank_sum_better"] > tests["rank_sum_worse"])).sum())
    return better, int((rejected & (tests["rank_sum_better"] < tests["rank_sum_worse"])).sum())


def _verdicts_once(tests: pd.DataFrame, significance: float) -> str:
    """Return the same with each domain counted once, or that no test can be significant."""
    if len(tests) and "p_least" in tests and (tests["p_least"] > significance).all():
        return f"out of reach (p at least {number(float(tests['p_least'].min()))})"
    return " / ".join(map(str, _better_and_worse(tests)))
