"""Tables of text (CSV and its kin), read into the tables that ARFF files make."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence

from mlsieve.data.readers.arff import ArffTable
from mlsieve.data.readers.columns import typed_tables
from mlsieve.data.readers.delimited import TableFormat, read_delimited
from mlsieve.errors import UserError, did_you_mean, number_of


def read_csv_files(
    paths: Sequence[str | os.PathLike[str]],
    form: TableFormat | None = None,
    *,
    nominal: Sequence[str] = (),
    unread: Callable[[list[str]], Collection[str]] = lambda header: (),
    labels: Callable[[list[str]], Collection[int]] = lambda header: (),
) -> list[ArffTable]:
    """Read the text tables of one dataset, each with the same columns.

    Parameters
    ----------
    paths : sequence of path-like
        Training file(s) and test file.
    form : TableFormat, optional
        How they are written; default: found out from each.
    nominal, unread, labels
        See `mlsieve.data.readers.columns.typed_tables`.

    Returns
    -------
    list of ArffTable
        Dense, one per file.

    Raises
    ------
    UserError
        As `mlsieve.data.readers.delimited.read_delimited` and `typed_tables`; also for a nominal column that
        does not exist.
    """
    form = form or TableFormat()
    raw = [read_delimited(path, form) for path in paths]
    require_columns(nominal, raw[0].path, raw[0].header)
    return typed_tables(
        raw,
        missing=form.missing_cells,
        decimal=form.decimal,
        nominal=nominal,
        unread=unread,
        labels=labels,
    )


def require_columns(nominal: Sequence[str], path: str, header: Sequence[str]) -> None:
    """Raise a `UserError` for the first nominal column that a table's header does not name."""
    for name in nominal:
        if name not in header:
            near = did_you_mean(name, list(header))
            hint = near if near.startswith("did") else f"see its header of {number_of(len(header), 'column')}"
            raise UserError(f"no column '{name}' to be nominal", file=path, line=1, hint=hint)
