"""Tables of text (CSV and its kin), read into the tables that ARFF files make."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlsieve.data.readers.arff import ArffTable
from mlsieve.data.readers.columns import nominal_columns, typed_tables
from mlsieve.data.readers.delimited import read_delimited

if TYPE_CHECKING:
    from mlsieve.data.readers.tables import Reading


def read_csv_files(paths: Sequence[str | os.PathLike[str]], reading: Reading) -> list[ArffTable]:
    """Read the text tables of one dataset, each with the same columns.

    Parameters
    ----------
    paths : sequence of path-like
        Training file(s) and test file.
    reading : Reading

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
    raw = [read_delimited(path, reading.form) for path in paths]
    return typed_tables(
        raw,
        missing=reading.form.missing_cells,
        decimal=reading.form.decimal,
        nominal=nominal_columns(reading, raw[0].header, raw[0].path),
        unread=reading.unread,
        labels=reading.labels,
    )
