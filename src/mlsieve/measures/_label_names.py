"""Columns of frames that name the labels: truth and scores of one label belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlsieve.errors import InvalidSetting


def label_names(table: Any) -> list[Any] | None:
    """Return the names of a frame's columns; None for anything else, and for columns 0, 1, ..."""
    names = list(getattr(table, "columns", ()))
    return names if names and names != list(range(len(names))) else None


def in_label_order(table: Any, names: Sequence[Any] | None, what: str) -> Any:
    """Return a frame with its columns in the order of the labels.

    Parameters
    ----------
    table : DataFrame or anything else
        What has no names is returned as it is.
    names : sequence, or None
        Of the labels, from `label_names`; None: they have no names.
    what : str
        What the table is, for the message.

    Raises
    ------
    InvalidSetting
        If the frame has columns of other names.
    """
    own = label_names(table)
    if own is None or names is None or own == list(names):
        return table
    odd = [*(name for name in own if name not in names), *(name for name in names if name not in own)]
    if odd or len(set(own)) < len(own) or len(own) != len(names):
        name = odd[0] if odd else next(each for each in own if own.count(each) != list(names).count(each))
        raise InvalidSetting(
            f"the columns of {what} and Y_true differ: '{name}' is not in both",
            hint=f"name them alike, or give {what}.to_numpy() with the labels in the order of Y_true",
        )
    return table[list(names)]


def require_hierarchy_order(names: Sequence[Any] | None, classes: Sequence[str]) -> None:
    """Raise an InvalidSetting if named labels are the classes of a hierarchy in another order."""
    if names is not None and list(names) != list(classes) and set(names) == set(classes):
        raise InvalidSetting(
            "the columns of Y_true are in another order than the classes of the hierarchy",
            hint="give Y_true[list(hierarchy.names)]",
        )
