"""The values of each measure: datasets by methods at the sizes in use, with their means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import MISSING, CountedTable
from mlsieve.analysis.ranking_costs import sizes_of
from mlsieve.registry import entries
from mlsieve.tables.labels import at_sizes

VALUE_DIGITS = 3  # of a measure


def value_part(performance: pd.DataFrame, used: pd.DataFrame) -> dict[str, Any]:
    """Return ``tables``, one for each measure, datasets by methods at the sizes in use, and a ``text``.

    Parameters
    ----------
    performance : DataFrame
        performance.csv, at one number of features for each ranking.
    used : DataFrame
        The choices in use; a ranking without a chosen size has its largest.
    """
    known = entries("measure")
    frame = at_sizes(performance, sizes_of(used))
    order = list(dict.fromkeys(frame["label"]))
    made = []
    for (evaluator, measure), group in frame.groupby(["evaluator", "measure"], sort=False):
        wide = (
            group.groupby(["dataset", "label"], sort=False)["value"]
            .mean()
            .unstack("label")[[label for label in order if label in set(group["label"])]]
        )
        direction = str(known[measure].facts.direction) if measure in known else "higher"
        title = f"{measure}{f' by {evaluator}' if evaluator else ''} ({direction} is better)"
        made.append(value_table(wide, direction, title).as_dict())
    sizes = bool((performance["size"] > 0).any())
    text = "The tables show each measure by dataset and method"
    text += ", every ensemble at the size that later questions use" if sizes else ""
    text += (
        f". The best values of a row at {VALUE_DIGITS} decimals are bold; bold is not the result of a test."
    )
    text += " performance.csv has all sizes." if sizes else ""
    return {"text": text, "tables": made}


def value_table(frame: pd.DataFrame, direction: str, title: str = "") -> CountedTable:
    """Return one measure's values: datasets by methods, with the mean below and each row's best in bold.

    Parameters
    ----------
    frame : DataFrame
        Index datasets, columns method names; NaN where there is no value.
    direction : {"higher", "lower"}
        Which value is the best.
    title : str
    """
    complete = frame.dropna()
    rows = [(str(name), values.tolist()) for name, values in frame.iterrows()]
    if len(complete) > 1:
        rows.append((f"mean of {len(complete)}", complete.mean().tolist()))
    columns = ("dataset", *map(str, frame.columns))
    return CountedTable(
        "values",
        title,
        "",
        columns,
        tuple((name, *map(_text, values)) for name, values in rows),
        numbers=tuple(range(1, len(columns))),
        marks=tuple(
            (place, column, "best")
            for place, (_, values) in enumerate(rows)
            for column in _best(values, direction)
        ),
    )


def _text(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value:.{VALUE_DIGITS}f}"


def _best(values: Sequence[float], direction: str) -> list[int]:
    """Return the columns whose values are the best of a row as printed."""
    printed = {
        column: round(value, VALUE_DIGITS)
        for column, value in enumerate(values, start=1)
        if not math.isnan(value)
    }
    best = (max if direction == "higher" else min)(printed.values(), default=None)
    return [column for column, value in printed.items() if value == best]
