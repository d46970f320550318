"""In which order are the scores of one ensemble on each dataset?"""

from __future__ import annotations

from mlsieve.analysis.choices import Choices, pairs_of
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import Finding, plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.ranking_costs import SAME_TREES
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.questions.ensembles.efficiency import ERRORS
from mlsieve.registry import register
from mlsieve.stats._lazy import pd

COLUMNS = ("measure", "ensemble", "trees", "datasets", "best", "between", "worst", "tied")


@register.question(
    "score-order",
    version=1,
    order=5.5,
    title="What is the order of the scores of an ensemble?",
    short="Order of scores",
)
def score_order(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Counts of datasets on which the permutation score is between genie3 and symbolic, without a test.

    The counts are for each ensemble with all three scores, at every size (Petković, Džeroski, Kocev, Acta
    Polytechnica Hungarica 17(10), 2020, section 4.5, where the count is 4 of 30).
    """
    answer = Answer()
    counts = order_counts(table, analysis, choices)
    if counts.empty:
        answer.notes.append("No ensemble has all of the scores genie3, permutation and symbolic.")
        return answer
    text = (
        "The table counts the datasets on which the permutation score of an ensemble is better than its "
        "genie3 and symbolic scores, between them, worse than both, or equal to one of them (after the "
        "rounding of the tests). If all orders of three scores were equally likely, it would be between the "
        "others on a third of the datasets."
    )
    rows = tuple(counts.itertuples(index=False, name=None))
    answer.tables.append(CountedTable("order", "Place of the permutation score", text, COLUMNS, rows))
    for (measure, ensemble), part in counts.groupby(["measure", "ensemble"], sort=False):
        least = part.iloc[0]
        between, datasets = int(part["between"].sum()), int(part["datasets"].sum())
        text = (
            f"By {measure}, the permutation score of {ensemble} with {number_of(least['trees'], 'tree')} "
            f"is between its genie3 and symbolic scores on {least['between']} of "
            f"{number_of(least['datasets'], 'dataset')}"
            + (
                f", and over all {len(part)} sizes in {between} of {number_of(datasets, 'case')}."
                if len(part) > 1
                else "."
            )
        )
        answer.findings.append(Finding(text, measure=str(measure)))
    if len(answer.findings) > MOST_FINDINGS:
        answer.findings = plain_findings(_shortened(counts))
    return answer


MOST_FINDINGS = 6


def _shortened(counts: pd.DataFrame) -> list[str]:
    """Return one sentence for each ensemble, over all measures and sizes."""
    return [
        f"Over {number_of(part['measure'].nunique(), 'measure')} and "
        f"{number_of(part['trees'].nunique(), 'size')}, the permutation score of {ensemble} is between its "
        f"genie3 and symbolic scores in {part['between'].sum()} of "
        f"{number_of(part['datasets'].sum(), 'case')} (datasets, measures and sizes)."
        for ensemble, part in counts.groupby("ensemble", sort=False)
    ]


def order_counts(table: PerformanceTable, analysis: Analysis, choices: Choices) -> pd.DataFrame:
    """Return the place of the permutation score among the three scores of each ensemble and size.

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    choices : Choices

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; of each measure and ensemble the sizes rise.
    """
    pairs = pairs_of(table, analysis, analysis.families[0])
    several = len(table.evaluators) > 1
    rows = []
    for evaluator in table.evaluators:
        for measure in table.measures:
            name = f"{measure}, {evaluator}" if several else measure
            for _, own in pairs.groupby(["method", "ensemble"], sort=False):
                known = own.set_index("score")
                if not {ERRORS, *SAME_TREES} <= set(known.index):
                    continue
                kind = table.by_label[str(known.loc[ERRORS, "label"])].kind
                common = set.intersection(*(set(known.loc[s, "sizes"]) for s in (ERRORS, *SAME_TREES)))
                for size in sorted(common):
                    columns = [(str(known.loc[score, "label"]), size) for score in (ERRORS, *SAME_TREES)]
                    values = table.values(evaluator, measure, columns).dropna().to_numpy()
                    if table.directions[measure] == "lower":
                        values = -values
                    errors, others = values[:, 0], values[:, 1:]
                    best = int((errors > others.max(axis=1)).sum())
                    worst = int((errors < others.min(axis=1)).sum())
                    inside = (errors > others.min(axis=1)) & (errors < others.max(axis=1))
                    between = int(inside.sum())
                    tied = len(values) - best - worst - between
                    rows.append((name, kind, size, len(values), best, between, worst, tied))
    return pd.DataFrame(rows, columns=list(COLUMNS))
