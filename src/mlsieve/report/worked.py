"""The first iterations of the selectors on one data set, from worked.csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mlsieve.report.published import worked_figures
from mlsieve.report.tables import Column, plain_table

NAMES = {"scls": "SCLS", "ami": "AMI, mean", "ami-printed": "AMI as printed"}


def worked_parts(worked: pd.DataFrame, dataset: str) -> list[dict[str, Any]]:
    """Return a table for each selector, with what stands above it; none for an empty table.

    Parameters
    ----------
    worked : DataFrame
        worked.csv, as ``mlsieve worked-example`` writes it.
    dataset : str
        On which data set. Where a paper prints numbers of it, they stand beside these.
    """
    printed = _printed(dataset)
    columns = [Column("iteration", True), Column("feature (from 1)"), Column("H(f)", True)]
    columns += [Column("published", True)] if printed else []
    columns += [Column("relevance", True), Column("redundancy", True), Column("Red(f)", True)]
    columns += [Column("J(f)", True)]
    columns += [Column("published", True), Column("difference", True)] if printed else []
    columns += [Column("selected")]
    text = (
        "On all rows, in bits. Relevance is the sum of the mutual information with the labels, redundancy "
        "that with the features selected before. Red(f) is what the selector makes of it: relevance minus "
        "J(f). A feature that was selected before has no J(f)."
    )
    parts: list[dict[str, Any]] = []
    for selector, group in worked.groupby("selector", sort=False):
        rows, marks = [], []
        for row in group.to_dict("records"):
            rows.append(_row(row, printed))
            marks.append(int(row["selected"]) == 1)
        parts.append(
            {
                "title": f"{NAMES.get(str(selector), str(selector))}: the first iterations on {dataset}",
                "text": text,
                "table": plain_table(columns, rows, marked=marks),
                "folded": bool(parts),
            }
        )
    return parts


def _printed(dataset: str) -> dict[tuple[str, ...], str]:
    """Return what papers print of a dataset: by column, feature (from 1), selector and iteration."""
    found: dict[tuple[str, ...], str] = {}
    for figure in worked_figures(dataset):
        column, feature = figure.fact("column"), figure.fact("feature")
        if column == "entropy":
            found[column, feature] = figure.printed
        else:
            found[column, feature, figure.fact("method"), figure.fact("iteration")] = figure.printed
    return found


def _row(row: Mapping[str, Any], printed: Mapping[tuple[str, ...], str]) -> tuple[Any, ...]:
    feature, criterion = int(row["feature"]), float(row["criterion"])
    name = f"f{feature + 1} ({row['name']})"
    entropy, relevance, redundancy = (
        f"{float(row[key]):.4f}" for key in ("entropy", "relevance", "redundancy")
    )
    reduction = "" if pd.isna(criterion) else f"{float(row['reduction']):.4f}"
    own = "" if pd.isna(criterion) else f"{criterion:.4f}"
    selected = "yes" if int(row["selected"]) == 1 else ""
    iteration = int(row["iteration"])
    if not printed:
        return iteration, name, entropy, relevance, redundancy, reduction, own, selected
    # The paper's AMI is printed with the sum; in the second iteration both forms are the same.
    selector = str(row["selector"]).removesuffix("-printed")
    known = printed.get(("criterion", str(feature + 1), selector, str(iteration)), "")
    difference = f"{criterion - float(known):+.4f}" if known and own else ""
    shown = printed.get(("entropy", str(feature + 1)), "")
    head = (iteration, name, entropy, shown, relevance, redundancy, reduction)
    return *head, own, known if own else "", difference, selected
