"""published_columns.csv: how near each method of a study comes to each published column, by measure.

A column is what a paper prints of one method by one measure, over its datasets. Every method of the study is
compared with every column, which reveals a variant that reproduces a column under another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mlsieve.files.csv_tables import ALL_DATA, OWN_DATA
from mlsieve.published.papers import Paper
from mlsieve.published.setting import study_copies
from mlsieve.replication.cells import cell_values, margin_of, own_values

if TYPE_CHECKING:
    from mlsieve.study import Content

COLUMNS = (
    "paper",
    "place",
    "measure",
    "published",
    "method",
    "data",
    "n",
    "within_margin",
    "within_0.01",
    "within_0.02",
    "median_difference",
    "median_absolute_difference",
    "correlation",
    "comes_out",
    "nearest",
)
NEAR = (0.01, 0.02)
COMES_OUT = 0.75  # share of a column's cells within their margin


def column_rows(content: Content, performance: pd.DataFrame, paper: Paper) -> Iterator[dict[str, Any]]:
    """Yield, for each published column, method of the study and choice of datasets, how near they are.

    Parameters
    ----------
    content : Content
    performance : DataFrame
        performance.csv.
    paper : Paper
        With ``cells`` that are means over splits.

    Yields
    ------
    dict
        With the keys `COLUMNS`. ``data`` is "all", or "the paper's": the datasets that are the paper's own.
        ``n`` cells are compared; ``within_margin`` counts those within the cells' own margin
        (`mlsieve.replication.cells.margin_of`), ``within_0.01`` and ``within_0.02`` those within so much.
        Differences are ours minus printed; the correlation is Pearson's over the datasets, and empty for
        fewer than three. A column ``comes_out`` where at least `COMES_OUT` of its cells are within their
        margin. ``nearest`` marks the method with the most such cells, of several that of the smallest
        median absolute difference.
    """
    cells = paper.cells
    if cells is None or "tolerance" not in cells:
        return
    own, copies = own_values(performance, cells), study_copies(content, cells)
    methods = list(dict.fromkeys(method for method, _, _ in own))
    columns: dict[tuple[str, str, str], dict[str, tuple[float, float]]] = {}
    for cell in cell_values(content, performance, paper):
        columns.setdefault((cell.place, cell.measure, cell.method), {})[cell.dataset] = (
            float(cell.printed),
            float(cell.printed_deviation or "nan"),
        )
    for (place, measure, published), column in columns.items():
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for method in methods:
            rows = []
            for dataset, (value, deviation) in column.items():
                name, basis = copies.get(dataset, ("", ""))
                one = own.get((method, measure, name))
                if one is not None:
                    margin = margin_of(one, deviation, cells["tolerance"])
                    rows.append((value, one["mean"], margin, not basis))
            for data in (ALL_DATA, OWN_DATA):
                some = [row[:3] for row in rows if data == ALL_DATA or row[3]]
                if some:
                    found[method, data] = _nearness(np.array(some, dtype=np.float64))
        nearest = {data: _nearest(found, data) for data in (ALL_DATA, OWN_DATA)}
        for (method, data), nearness in found.items():
            yield {
                "paper": paper.study,
                "place": place,
                "measure": measure,
                "published": published,
                "method": method,
                "data": data,
                **nearness,
                "nearest": "yes" if method == nearest[data] else "no",
            }


def _nearest(found: Mapping[tuple[str, str], Mapping[str, Any]], data: str) -> str:
    """Return the method with the most cells within their margin, then of the smallest median distance."""
    some = {method: one for (method, each), one in found.items() if each == data}
    return min(
        some,
        key=lambda name: (-some[name]["within_margin"], float(some[name]["median_absolute_difference"])),
        default="",
    )


def _nearness(cells: np.ndarray) -> dict[str, Any]:
    """Return how near a study's values are to printed ones; `cells` has columns printed, own, margin."""
    difference = cells[:, 1] - cells[:, 0]
    distance = np.abs(difference)
    found: dict[str, Any] = {
        "n": len(cells),
        "within_margin": int((distance <= cells[:, 2] + 1e-12).sum()),
        **{f"within_{near}": int((distance <= near + 1e-12).sum()) for near in NEAR},
        "median_difference": f"{np.median(difference):.6g}",
        "median_absolute_difference": f"{np.median(distance):.6g}",
        "correlation": "",
    }
    found["comes_out"] = "yes" if found["within_margin"] >= COMES_OUT * len(cells) else "no"
    if len(cells) > 2 and np.ptp(cells[:, 0]) > 0 and np.ptp(cells[:, 1]) > 0:
        found["correlation"] = f"{np.corrcoef(cells[:, 0], cells[:, 1])[0, 1]:.6g}"
    return found
