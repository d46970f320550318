"""Tables 2 to 4 of the selection paper: each measure's mean and deviation, and the average ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS, CountedTable
from mlsieve.analysis.method_groups import labels_of_family, paper_labels
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Printed
from mlsieve.analysis.sentences.wording import listed, methods_of, number_of
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import ALL_DATA, OWN_DATA
from mlsieve.stats._lazy import pd
from mlsieve.stats.ranks import round_values
from mlsieve.tables.labels import at_sizes


def value_tables(table: PerformanceTable, analysis: Analysis, ranks: pd.DataFrame) -> list[CountedTable]:
    """Return a table of values for each measure and evaluator: the paper's methods, then all, folded.

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    ranks : DataFrame
        The question's rows of average_ranks.csv.
    """
    methods, paper = labels_of_family(table, analysis, "extended"), paper_labels(table, analysis)
    frame = at_sizes(table.performance, {})
    frame = frame[frame["label"].isin(methods)]
    ranks = ranks[(ranks["variant"] == "all") & ranks["rank"].notna()]
    several = len(table.evaluators) > 1
    made = []
    for evaluator in table.evaluators:
        for measure in table.measures:
            some = frame[(frame["evaluator"] == evaluator) & (frame["measure"] == measure)]
            own_ranks = ranks[(ranks["evaluator"] == evaluator) & (ranks["measure"] == measure)]
            title = measure + (f" by {evaluator}" if several else "")
            chosen = [(title, paper, "paper")]
            if set(methods) - set(paper):
                chosen.append((f"{title}, all methods", methods, "extended"))
            for heading, labels, family in chosen:
                shown = [label for label in labels if label in set(some["label"])]
                if shown:
                    of_family = own_ranks[own_ranks["family"] == family]
                    made.append(
                        replace(
                            measure_table(some, shown, table.directions[measure], analysis, of_family),
                            name=f"values {heading}",
                            title=heading,
                            folded=family == "extended",
                            measure=measure if family == "paper" else "",
                        )
                    )
    return made


def _rounding_in_words(analysis: Analysis) -> str:
    rounding = analysis.rounding or {}
    if "decimals" in rounding:
        return f"compared at {rounding['decimals']} decimals, as for the ranks"
    if "significant" in rounding:
        return f"compared at {rounding['significant']} significant digits, as for the ranks"
    return "compared without rounding, as for the ranks"


def _text(direction: str, splits: Sequence[int], rounded: str) -> str:
    over = str(splits[0]) if len(splits) == 1 else f"{splits[0]} to {splits[-1]}"
    text = f"Mean over {number_of(over, 'split')} of each dataset"
    text += " ± standard deviation. " if splits[-1] > 1 else ". "
    text += (
        f"{direction.capitalize()} is better. The best mean of a row is bold ({rounded}); bold is not the "
    )
    return text + "result of a test."


def measure_table(
    frame: pd.DataFrame, methods: Sequence[str], direction: str, analysis: Analysis, ranks: pd.DataFrame
) -> CountedTable:
    """Return one measure's values: datasets by methods, and the average ranks below.

    Parameters
    ----------
    frame : DataFrame
        Columns dataset, label and value; one row for each split.
    methods : sequence of str
        Labels, in the order of the columns.
    direction : {"higher", "lower"}
    analysis : Analysis
        Its rounding decides what is best.
    ranks : DataFrame
        Rows of average_ranks.csv of this measure and of one method group.
    """
    splits = sorted(set(frame.groupby(["dataset", "label"])["value"].count()))
    frame = frame[frame["label"].isin(methods)]
    cells = frame.groupby(["dataset", "label"], sort=False)["value"].agg(["mean", "std"]).to_dict("index")
    rows: list[tuple[str, ...]] = []
    marks: list[tuple[int, int, str]] = []

    def add(name: str, texts: Sequence[str], values: Sequence[float], best: float) -> None:
        marks.extend((len(rows), place, "best") for place, value in enumerate(values, 1) if value == best)
        rows.append((name, *texts))

    for dataset in dict.fromkeys(frame["dataset"]):
        of_row = [cells.get((dataset, name), {"mean": math.nan, "std": math.nan}) for name in methods]
        rounded = round_values([cell["mean"] for cell in of_row], **(analysis.rounding or {}))
        numbers = [value for value in rounded if not math.isnan(value)]
        best = (max if direction == "higher" else min)(numbers) if numbers else math.nan
        add(str(dataset), [_shown(cell) for cell in of_row], list(rounded), best)
    n_datasets = len(rows)
    for _, group in ranks.groupby("family", sort=False):
        by_method = group.set_index("method")["rank"].astype(float).to_dict()
        printed = [round(by_method.get(name, math.nan), RANK_DIGITS) for name in methods]
        texts = [
            "" if math.isnan(rank) else f"{by_method[name]:.{RANK_DIGITS}f}"
            for name, rank in zip(methods, printed, strict=True)
        ]
        best = round(min(by_method.values()), RANK_DIGITS)
        add(f"average rank over {int(group['n_datasets'].iloc[0])}", texts, printed, best)
    return CountedTable(
        "values",
        "",
        _text(direction, splits, _rounding_in_words(analysis)),
        ("dataset", *methods),
        tuple(rows),
        numbers=tuple(range(1, 1 + len(methods))),
        marks=tuple(marks),
        highlighted=tuple(range(n_datasets, len(rows))),
    )


def _shown(cell: Mapping[str, float]) -> str:
    if math.isnan(cell["mean"]):
        return MISSING
    return f"{cell['mean']:.3f}" + ("" if math.isnan(cell["std"]) else f" ± {cell['std']:.3f}")


def with_printed(table: CountedTable, printed: Printed) -> CountedTable:
    """Return a table of one measure's values with the printed ones in brackets."""
    known = {
        (row["dataset"], row["method"]): (row["printed"], row["difference"])
        for row in printed.cells[printed.cells["measure"] == table.measure].to_dict("records")
    }
    if not known or not table.measure:
        return table
    rows, marks = [], list(table.marks)
    for place, row in enumerate(table.rows):
        cells = list(row)
        for column, method in enumerate(table.columns[1:], 1):
            pair = known.get((row[0], method))
            if pair is None or row[column] == MISSING:
                continue
            # A line may break between the two numbers only.
            parts = (row[column], f"[{pair[0]:.3f}, {pair[1]:+.3f}]")
            cells[column] = " ".join(part.replace(" ", "\u00a0") for part in parts)
            marks.append((place, column, "pair"))
        rows.append(tuple(cells))
    text = f"{table.text} Brackets show the published mean, and by how much the study's mean exceeds it."
    return replace(table, text=text, rows=tuple(rows), marks=tuple(marks))


def f_tables(tests: pd.DataFrame, analysis: Analysis) -> list[CountedTable]:
    """Return a table with Iman and Davenport's F of each method group and measure, and its critical value.

    Parameters
    ----------
    tests : DataFrame
        The question's rows of tests.csv.
    analysis : Analysis
        Decides the names of the method groups.
    """
    own = tests[(tests["test"] == "friedman") & tests["f_f"].notna()]
    rows: list[tuple[object, ...]] = []
    beyond: list[int] = []
    for test in own.to_dict("records"):
        values = (f"{float(test[name]):.3f}" for name in ("statistic", "f_f", "f_critical"))
        head = (
            methods_of(test["family"], analysis),
            test["variant"],
            test["measure"],
            int(test["n_datasets"]),
        )
        if test["f_f"] > test["f_critical"]:
            beyond.append(len(rows))
        rows.append((*head, *values, f"{float(test['f_p']):.2e}"))
    columns = ("methods", "variant", "measure", "datasets", "Friedman's chi-squared", "F", "critical value")
    made = CountedTable(
        "f",
        "F against its critical value",
        "F is that of Iman and Davenport. A row is highlighted where F exceeds its critical value.",
        (*columns, "p of F"),
        tuple(rows),
        numbers=(3, 4, 5, 6, 7),
        highlighted=tuple(beyond),
        folded=False,
    )
    return [made] if rows else []


def column_tables(columns: pd.DataFrame, remark: str = "") -> list[CountedTable]:
    """Return which published columns the study reproduces, and which of its methods is nearest to each.

    Parameters
    ----------
    columns : DataFrame
        published_columns.csv, its numbers as numbers.
    remark : str
        A remark on the columns that are not reproduced.
    """
    if columns.empty:
        return []
    own_data = bool((columns["data"] == OWN_DATA).any())
    columns = columns[columns["data"] == (OWN_DATA if own_data else ALL_DATA)]
    own = columns[columns["method"] == columns["published"]]
    names = [f"{row['published']} by {row['measure']}" for row in own.to_dict("records")]
    out = [name for name, came in zip(names, own["comes_out"], strict=True) if came == "yes"]
    which = f": {listed(out)}" if 0 < len(out) < len(names) else ""
    of_data = " on the paper's own data" if own_data else ""
    text = (
        f"The study reproduces {len(out)} of {len(names)} published columns{which}. A column counts as "
        f"reproduced if at least three quarters of its cells{of_data} lie within their margin: two standard "
        "errors of the difference between the printed mean and the study's, or 0.005 where that is more. "
        "Differences are the study's value minus the printed one. published_columns.csv lists every method "
        "of the study, and all datasets."
    )
    nearest = columns[columns["nearest"] == "yes"]
    other = int((nearest["method"] != nearest["published"]).sum())
    text_of_nearest = (
        "Every method of the study is compared with every published column. The nearest method is the one "
        "with the most cells within their margin, and of several the one with the smallest median distance. "
        f"For {other} of {number_of(len(nearest), 'column')}, this is not the method that the column is "
        "named after."
    )
    title = "The study's method that is nearest to each published column"
    return [
        _column_table(
            "columns", "Which published columns the study reproduces", f"{text} {remark}".strip(), own
        ),
        _column_table("nearest", title, text_of_nearest, nearest),
    ]


def _column_table(name: str, title: str, text: str, rows: pd.DataFrame) -> CountedTable:
    columns = (
        *("published column", "measure", "study's method", "cells", "within their margin", "within 0.01"),
        *("within 0.02", "median difference", "reproduced"),
    )
    made = []
    for row in rows.to_dict("records"):
        numbers = [int(row[key]) for key in ("n", "within_margin", "within_0.01", "within_0.02")]
        head = (row["published"], row["measure"], row["method"])
        made.append((*head, *numbers, f"{float(row['median_difference']):+.4f}", row["comes_out"]))
    came = tuple(place for place, row in enumerate(made) if row[-1] == "yes")
    numbers_at = (3, 4, 5, 6, 7)
    return CountedTable(name, title, text, columns, tuple(made), numbers_at, highlighted=came, folded=False)
