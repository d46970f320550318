"""Single values that papers print in tables, compared with a study's own of the same setting.

A paper's ``cells`` hold the setting (``split``, ``definition``, ``evaluator`` and, where it matters,
``train_share``) and ``rankings``, each with ``method``, ``params`` and ``values``: a number by measure and
dataset. With ``tolerance`` the values are means over random splits, and ``deviations`` are their standard
deviations; ``changes`` turn a dataset of the catalog into the paper's, and ``other`` lists the datasets that
differ nevertheless. ``remark`` is a remark on columns that are not reproduced, which the report shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from mlsieve.analysis.performance import at_full_size
from mlsieve.measures import choose
from mlsieve.published.papers import Paper
from mlsieve.published.setting import method_differs, setting_differs, study_copies

if TYPE_CHECKING:
    from mlsieve.study import Content


def as_printed(value: float) -> float:
    """Return a value with three significant digits, as the cells of the ranking study are printed."""
    return float(f"{value:.3g}")


PAPERS_DATA = "the paper's data"


@dataclass(frozen=True)
class CellValue:
    """A printed cell with the study's own.

    Attributes
    ----------
    place, method, measure, dataset : str
        The place in the paper, and what it is about; `dataset` is the paper's, an id of the catalog.
    printed, printed_deviation : str
        As printed; the standard deviation over the splits is empty where none is.
    best : bool
        Whether the paper marks it as the best of its row.
    basis : str
        The data of the study's own value: `PAPERS_DATA`, or how they differ.
    own, deviation : float
        Mean and standard deviation over the splits; NaN where there is none.
    margin : float or None
        The largest difference of values that agree; None: all printed digits must agree.
    n_splits : int
    own_dataset : str
        The study's id of the dataset.
    reason : str
        Why there is no own value; empty where there is one.
    """

    place: str
    method: str
    measure: str
    dataset: str
    printed: str
    printed_deviation: str
    best: bool
    basis: str
    own: float = math.nan
    deviation: float = math.nan
    margin: float | None = None
    n_splits: int = 0
    own_dataset: str = ""
    reason: str = ""

    @property
    def met(self) -> bool:
        """Whether the study's value is the printed one, to all printed digits or within the margin."""
        if math.isnan(self.own):
            return False
        if self.margin is not None:
            return abs(self.own - float(self.printed)) <= self.margin + 1e-12
        return as_printed(self.own) == float(self.printed)


def cell_values(content: Content, performance: pd.DataFrame, paper: Paper) -> Iterator[CellValue]:
    """Yield each printed cell of a paper with the study's own.

    Parameters
    ----------
    content : Content
    performance : DataFrame
        The study's performance.csv.
    paper : Paper
    """
    cells = paper.cells
    if cells is None:
        return
    lacking = setting_differs(content, cells)
    found = {} if lacking else own_values(performance, cells)
    copies = study_copies(content, cells)
    for item in cells["rankings"]:
        method = item["method"]
        unlike = lacking or method_differs(content, item)
        for measure, row in item["values"].items():
            for dataset, printed in row.items():
                head = (
                    cells.get("places", {}).get(measure, cells.get("place", "")),
                    method,
                    measure,
                    dataset,
                    str(printed),
                    str(item.get("deviations", {}).get(measure, {}).get(dataset, "")),
                    item.get("best", {}).get(measure, {}).get(dataset) == "yes",
                )
                name, basis = copies.get(dataset, ("", "not in the study"))
                own = found.get((method, measure, name))
                if unlike or own is None:
                    lacking_value = (
                        f"no value of {method} on {name} by {measure}"
                        if name
                        else f"{dataset} is not among the study's datasets"
                    )
                    yield CellValue(*head, basis, reason=unlike or lacking_value)
                    continue
                margin = (
                    margin_of(own, _number(head[5]), cells["tolerance"]) if "tolerance" in cells else None
                )
                yield CellValue(
                    *head,
                    basis or PAPERS_DATA,
                    own["mean"],
                    own["std"],
                    margin,
                    int(own["count"]),
                    name,
                )


def own_values(performance: pd.DataFrame, cells: Mapping[str, Any]) -> dict[Any, dict[str, float]]:
    """Return mean, standard deviation and number of splits by method, measure and dataset."""
    some = at_full_size(performance)
    printed = list(dict.fromkeys(measure for item in cells["rankings"] for measure in item["values"]))
    # A measure that has one definition for all papers keeps its name in the tables.
    defined = {name: choose([name], cells["definition"])[0].definition for name in printed}
    some = some[
        (some["evaluator"] == cells["evaluator"]["id"])
        & (some["split"] == cells["split"])
        & (some["definition"] == some["measure"].map(defined))
    ]
    if "tolerance" not in cells:
        some = some[some["repeat"].astype(int) == 0]
    groups = some.groupby(["method", "measure", "dataset"])["value"]
    return groups.agg(["mean", "std", "count"]).to_dict("index")


def margin_of(own: Mapping[str, float], printed_deviation: float, tolerance: Mapping[str, float]) -> float:
    """Return the margin around a printed mean over splits.

    Both means are over random splits, so the margin is a number of standard errors of their difference.

    Parameters
    ----------
    own : mapping
        Of the study's values, their standard deviation ``std`` over the splits and the ``count`` of splits.
    printed_deviation : float
        Printed standard deviation over the paper's splits; NaN where none is printed.
    tolerance : mapping
        A paper's: so many ``standard_errors``, with ``printed_splits`` behind each printed mean, or ``least``
        where that is more.

    Notes
    -----
    A deviation that is unknown (NaN: a single split, or none printed) counts as 0, which makes the margin
    narrower.
    """
    known = [(own["std"], own["count"]), (printed_deviation, tolerance["printed_splits"])]
    error = math.sqrt(sum(deviation**2 / n for deviation, n in known if not math.isnan(deviation)))
    return float(max(tolerance["standard_errors"] * error, tolerance["least"]))


def _number(text: str) -> float:
    return float(text) if text else math.nan
