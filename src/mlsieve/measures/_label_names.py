"""Columns of frames that name the labels: truth and scores of one label belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlsieve.data.exchange.examples import column_names
from mlsieve.errors import InvalidSetting


def in_label_order(table: Any, names: Sequence[str] | None, what: str) -> Any:
    """Return a frame with its columns in the order of the labels.

    Parameters
    ----------
    table : DataFrame or anything else
        What has no names is returned as it is.
    names : sequence, or None
        Of the labels, from `column_names`; None: they have no names.
    what : str
        What the table is, for the message.

    Raises
    ------
    InvalidSetting
        If the frame has columns of other names.
    """
    own = column_names(table)
    if own is None or names is None or own == tuple(names):
        return table
    odd = [*(name for name in own if name not in names), *(name for name in names if name not in own)]
    if odd or len(set(own)) < len(own) or len(own) != len(names):
        name = odd[0] if odd else next(each for each in own if own.count(each) != list(names).count(each))
        raise InvalidSetting(
            f"the columns of {what} and y_true differ: '{name}' is not in both",
            hint=f"name them alike, or give {what}.to_numpy() with the labels in the order of y_true",
        )
    return table.iloc[:, [own.index(name) for name in names]]


def require_hierarchy_order(names: Sequence[Any] | None, classes: Sequence[str]) -> None:
    """Raise an InvalidSetting if named labels are the classes of a hierarchy in another order."""
    if names is not None and list(names) != list(classes) and set(names) == set(classes):
        raise InvalidSetting(
            "the columns of y_true are in another order than the classes of the hierarchy",
            hint="give y_true[list(hierarchy.names)]",
        )
