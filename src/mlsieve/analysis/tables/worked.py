"""The first iterations of the selectors on one dataset, from worked.csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.stats._lazy import pd

NAMES = {"scls": "SCLS", "ami": "AMI with the mean", "ami-printed": "AMI as printed"}


def worked_tables(
    worked: pd.DataFrame, dataset: str, printed: Mapping[tuple[str, ...], str]
) -> list[CountedTable]:
    """Return a table for each selector; none for an empty table.

    Parameters
    ----------
    worked : DataFrame
        worked.csv, as ``mlsieve step worked-example`` writes it.
    dataset : str
        On which dataset.
    printed : mapping
        Printed numbers of it, see `mlsieve.analysis.sections.Printed`.
    """
    of_entropy = ("published",) if printed else ()
    of_criterion = ("published", "difference") if printed else ()
    columns = ("iteration", "feature (from 1)", "H(f)", *of_entropy, "relevance", "redundancy", "Red(f)")
    columns += ("J(f)", *of_criterion, "selected")
    text = (
        "The numbers are in bits and use all rows. Relevance is the sum of the mutual information with the "
        "labels. Redundancy is the sum of the mutual information with the features selected before. Red(f) "
        "is the reduction that the selector computes from it: relevance minus J(f). A feature that was "
        "selected before has no J(f)."
    )
    made: list[CountedTable] = []
    for selector, group in worked.groupby("selector", sort=False):
        records = group.to_dict("records")
        made.append(
            CountedTable(
                f"worked {selector}",
                f"{NAMES.get(str(selector), str(selector))}: the first iterations on {dataset}",
                text,
                columns,
                tuple(_row(row, printed) for row in records),
                numbers=(0, *range(2, len(columns) - 1)),
                highlighted=tuple(place for place, row in enumerate(records) if int(row["selected"]) == 1),
                folded=bool(made),
            )
        )
    return made


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
    # The paper prints AMI with the sum; in the second iteration both forms are the same.
    selector = str(row["selector"]).removesuffix("-printed")
    known = printed.get(("criterion", str(feature + 1), selector, str(iteration)), "")
    difference = f"{criterion - float(known):+.4f}" if known and own else ""
    shown = printed.get(("entropy", str(feature + 1)), "")
    head = (iteration, name, entropy, shown, relevance, redundancy, reduction)
    return *head, own, known if own else "", difference, selected
