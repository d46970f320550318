"""Tables 2 to 4 of the selection paper: each measure's mean and deviation, and the average ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.labels import labels_of
from mlsieve.questions.members import labels_of_family, paper_labels
from mlsieve.questions.table import PerformanceTable, at_full_size
from mlsieve.questions.wording import methods_of
from mlsieve.report.published import cells_of
from mlsieve.report.tables import RANK_DIGITS, Cell, Column, Row, Table
from mlsieve.stats.ranks import round_values

QUESTION = "selection"


def selection_parts(
    table: PerformanceTable,
    analysis: Analysis,
    performance: pd.DataFrame,
    ranks: pd.DataFrame,
    published: pd.DataFrame | None = None,
) -> list[dict[str, Any]]:
    """Return a table of values for each measure and evaluator, with what stands above it.

    Parameters
    ----------
    table : PerformanceTable
        Of `performance`.
    analysis : Analysis
    performance, ranks : DataFrame
        performance.csv and average_ranks.csv.
    published : DataFrame or None
        published.csv: printed cells that are shown beside the study's own.
    """
    methods = labels_of_family(table, analysis, "extended")
    paper = paper_labels(table, analysis)
    frame = at_full_size(performance)
    frame = frame.assign(label=labels_of(frame))
    largest = frame.groupby("label")["size"].transform("max")
    frame = frame[(frame["size"] == largest) & frame["label"].isin(methods)]
    several = len(table.evaluators) > 1
    parts = []
    for evaluator in table.evaluators:
        for measure in table.measures:
            some = frame[(frame["evaluator"] == evaluator) & (frame["measure"] == measure)]
            if some.empty:
                continue
            direction = table.directions[measure]
            own_ranks = ranks[(ranks["evaluator"] == evaluator) & (ranks["measure"] == measure)]
            known = cells_of(published, measure)
            splits = sorted(set(some.groupby(["dataset", "label"])["value"].count()))
            title = measure + (f" by {evaluator}" if several else "")
            chosen = [(title, paper, "paper", known, False)]
            if set(methods) - set(paper):
                chosen.append((f"{title}, all methods", methods, "extended", {}, True))
            for heading, labels, family, printed, folded in chosen:
                of_family = own_ranks[own_ranks["family"] == family]
                if not set(labels) & set(some["label"]):
                    continue
                made = measure_table(some, labels, direction, analysis, of_family, printed)
                text = _text(direction, splits, bool(printed), _rounding_in_words(analysis))
                parts.append({"title": heading, "text": text, "table": made, "folded": folded})
    return parts


def _rounding_in_words(analysis: Analysis) -> str:
    rounding = analysis.rounding or {}
    if "decimals" in rounding:
        return f"compared at {rounding['decimals']} decimals as for the ranks"
    if "significant" in rounding:
        return f"compared at {rounding['significant']} significant digits as for the ranks"
    return "compared unrounded as for the ranks"


def _text(direction: str, splits: Sequence[int], published: bool, rounded: str) -> str:
    over = str(splits[0]) if len(splits) == 1 else f"{splits[0]} to {splits[-1]}"
    text = f"Mean over {over} split{'s' * (splits[-1] != 1)} of each data set"
    text += " ± standard deviation; " if splits[-1] > 1 else "; "
    text += f"{direction} is better, and the best mean of a row is bold, {rounded}, which is no test."
    if published:
        text += " In brackets the published mean, and how much more than that it is here."
    return text


def measure_table(
    frame: pd.DataFrame,
    methods: Sequence[str],
    direction: str,
    analysis: Analysis,
    ranks: pd.DataFrame,
    known: Mapping[tuple[str, str], tuple[float, float]],
) -> Table:
    """Return one measure's values: data sets by methods, and the average ranks below.

    Parameters
    ----------
    frame : DataFrame
        Columns dataset, label and value; a row a split.
    methods : sequence of str
        Labels, in the order of the columns.
    direction : {"higher", "lower"}
    analysis : Analysis
        Its rounding decides what is best.
    ranks : DataFrame
        Rows of average_ranks.csv of this measure and of one family.
    known : mapping
        Printed value, and the study's minus it, by data set and method.
    """
    frame = frame[frame["label"].isin(methods)]
    methods = [name for name in methods if name in set(frame["label"])]
    cells = frame.groupby(["dataset", "label"], sort=False)["value"].agg(["mean", "std"]).to_dict("index")
    rows = []
    for dataset in dict.fromkeys(frame["dataset"]):
        means = [cells.get((dataset, name), {}).get("mean", math.nan) for name in methods]
        rounded = round_values(means, **(analysis.rounding or {}))
        numbers = [value for value in rounded if not math.isnan(value)]
        best = (max if direction == "higher" else min)(numbers) if numbers else math.nan
        row = [Cell(str(dataset))]
        for name, value in zip(methods, rounded, strict=True):
            if math.isnan(value):
                row.append(Cell("–", "n none"))
                continue
            pair = known.get((str(dataset), name))
            style = ("n best" if value == best else "n") + ("" if pair is None else " pair")
            row.append(Cell(_shown(cells[dataset, name], pair), style))
        rows.append(Row(tuple(row)))
    rows += _rank_rows(ranks, methods)
    return Table((Column("data set"), *(Column(name, True) for name in methods)), tuple(rows))


def _shown(cell: dict[str, float], pair: tuple[float, float] | None) -> str:
    text = f"{cell['mean']:.3f}"
    if not math.isnan(cell["std"]):
        text += f" ± {cell['std']:.3f}"
    if pair is None:
        return text
    # Where the table is too wide, the line breaks between the two and nowhere else.
    parts = (text, f"[{pair[0]:.3f}, {pair[1]:+.3f}]")
    return " ".join(part.replace(" ", "\u00a0") for part in parts)


def _rank_rows(ranks: pd.DataFrame, methods: Sequence[str]) -> list[Row]:
    """Return the average ranks that the tests of the question are about."""
    rows = []
    own = ranks[(ranks["question"] == QUESTION) & (ranks["variant"] == "all") & ranks["rank"].notna()]
    for _, group in own.groupby("family", sort=False):
        by_method = group.set_index("method")["rank"].astype(float).to_dict()
        best = min(by_method.values())
        cells = [Cell(f"average rank over {int(group['n_datasets'].iloc[0])}")]
        for name in methods:
            rank = by_method.get(name, math.nan)
            known = not math.isnan(rank)
            is_best = known and round(rank, RANK_DIGITS) == round(best, RANK_DIGITS)
            cells.append(Cell(f"{rank:.{RANK_DIGITS}f}" if known else "", "n best" if is_best else "n"))
        rows.append(Row(tuple(cells), marked=True))
    return rows


def f_table(tests: pd.DataFrame, analysis: Analysis) -> Table | None:
    """Return Iman and Davenport's F of each family and measure against its critical value; None without any.

    Parameters
    ----------
    tests : DataFrame
        tests.csv.
    analysis : Analysis
        Says what the families of methods are called.
    """
    own = tests[(tests["question"] == QUESTION) & (tests["test"] == "friedman") & tests["f_f"].notna()]
    if own.empty:
        return None
    columns = [Column("methods"), Column("data sets"), Column("measure"), Column("sets", True)]
    columns += [Column("Friedman's chi-squared", True), Column("F", True), Column("critical value", True)]
    columns += [Column("p of F", True)]
    rows, marks = [], []
    for test in own.to_dict("records"):
        values = [f"{float(test[name]):.3f}" for name in ("statistic", "f_f", "f_critical")]
        who = methods_of(str(test["family"]), analysis)
        head = [
            Cell(who),
            Cell(str(test["variant"])),
            Cell(str(test["measure"])),
            Cell(str(test["n_datasets"]), "n"),
        ]
        rows.append(
            Row((*head, *(Cell(value, "n") for value in values), Cell(f"{float(test['f_p']):.2e}", "n")))
        )
        marks.append(float(test["f_f"]) > float(test["f_critical"]))
    marked = tuple(Row(row.cells, mark) for row, mark in zip(rows, marks, strict=True))
    return Table(tuple(columns), marked)
