"""Where are macro-averaged measures undefined, and what are their values elsewhere?"""

from __future__ import annotations

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.wording import MOST_NAMED, listed
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.registry import entries, register
from mlsieve.stats._lazy import pd
from mlsieve.tables.labels import at_sizes

REASONS = {
    "macro-precision": "the label is never predicted",
    "macro-recall": "no test example has the label",
    "macro-f1": "no test example has the label, and it is never predicted",
}


@register.question(
    "undefined",
    version=1,
    order=13,
    title="Where are macro-averaged measures undefined?",
    short="Undefined measures",
)
def undefined(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Macro-averaged measures and the number of labels for which they are undefined, without a test.

    The ranking study leaves these measures out because of such labels (Petković, Džeroski, Kocev, Machine
    Learning 2020, section 5.4).
    """
    answer = Answer()
    known = entries("measure")
    counts = {
        str(entry.facts.accompanies): name
        for name, entry in known.items()
        if entry.facts.accompanies and name in set(table.performance["measure"])
    }
    counts = {measure: counts[measure] for measure in REASONS if measure in counts}
    if not counts:
        answer.notes.append(
            "The table has no counts of undefined labels; add macro-precision, macro-recall, macro-f1 and "
            "their counts (macro-precision-undefined, ...) to the measures of the study."
        )
        return answer
    frame = rankings_in_use(table, choices)
    for measure, count in counts.items():
        found = frame[frame["measure"] == count].groupby("dataset", sort=True)["value"].max()
        names = [str(name) for name in found.index[found > 0]]
        text = f"{measure} is undefined for some label on {len(names)} of {number_of(len(found), 'dataset')}"
        text += f" ({listed(names)})" if 0 < len(names) < len(found) and len(names) <= MOST_NAMED else ""
        answer.findings.append(Finding(f"{text}, because {REASONS[measure]}.", measure=measure))
    answer.tables += [_by_dataset(frame, counts), _by_ranking(frame, counts)]
    return answer


def rankings_in_use(table: PerformanceTable, choices: Choices) -> pd.DataFrame:
    """Return the rows of each ranking at the size in use, with a column ``label``; splits are averaged."""
    frame = at_sizes(table.performance, {label: choices.column(label)[1] for label in table.by_label})
    keys = ["evaluator", "measure", "label", "dataset"]
    return frame.groupby(keys, sort=False)["value"].mean().reset_index()


def _by_dataset(frame: pd.DataFrame, counts: dict[str, str]) -> CountedTable:
    rows = []
    for dataset, part in frame.groupby("dataset", sort=True):
        cells: list[object] = [dataset]
        for count in counts.values():
            values = part.loc[part["measure"] == count, "value"]
            low, high = values.min(), values.max()
            cells.append(f"{low:g}" if low == high else f"{low:g} to {high:g}")
        rows.append(tuple(cells))
    return CountedTable(
        "undefined-by-dataset",
        "Labels without a value, by dataset",
        "The table counts the labels for which a measure is undefined; where the count depends on the "
        "ranking, it shows the fewest and the most over the rankings at the size in use.",
        ("dataset", *counts),
        tuple(rows),
        numbers=tuple(range(1, 1 + len(counts))),
    )


def _by_ranking(frame: pd.DataFrame, counts: dict[str, str]) -> CountedTable:
    several = frame["evaluator"].nunique() > 1
    rows = []
    for (evaluator, label), part in frame.groupby(["evaluator", "label"], sort=False):
        cells: list[object] = [f"{label}, {evaluator}" if several else label]
        for measure, count in counts.items():
            values = part.loc[part["measure"] == measure, "value"]
            missing = part.loc[part["measure"] == count, "value"].mean()
            mean = "" if values.empty or values.isna().all() else f"{values.mean():.3f}"
            cells += [mean, f"{missing:.1f}"]
        rows.append(tuple(cells))
    columns = [name for measure in counts for name in (measure, "labels without")]
    return CountedTable(
        "undefined-by-ranking",
        "Macro-averaged measures of each ranking",
        "The table shows means over the datasets at the size in use. A measure is the mean over the labels "
        "that have a value; the next column is the mean number of labels without a value.",
        ("ranking", *columns),
        tuple(rows),
        numbers=tuple(range(1, 1 + len(columns))),
    )
