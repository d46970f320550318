"""The tables of a dataset's files that are not ARFF: a module for each format, imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlsieve.data.label_values import GivenLabels
from mlsieve.data.readers.arff import ArffTable
from mlsieve.data.readers.delimited import TableFormat
from mlsieve.errors import UserError

ARFF_FORMATS = (None, "mulan", "meka", "clus")  # None: an ARFF file of which nothing more is known
FORMATS = ("mulan", "meka", "csv", "clus", "parquet", "feather", "excel", "svmlight", "xmlc", "r", "mat")
# Their columns need not have declared types, so that some may have to be named nominal.
UNDECLARED = ("csv", "excel", "parquet", "feather", "r")


@dataclass(frozen=True)
class Reading:
    """What is read of a dataset's files.

    Attributes
    ----------
    form : TableFormat
        How text tables are written, and which sheet is read.
    nominal : sequence of str or callable
        Columns that are nominal whatever they hold: names and patterns; or what returns their names in a
        header, in a format that can have such.
    label_column : str or None
        The column whose cells hold sets of labels, which is nominal too.
    unread : callable
        Returns the names in a header of the columns that are left out later.
    labels : callable
        Returns the positions of the labels in a header.
    positive : str or None
        The value of a label that is set.
    x, y : str or None
        Variables of a MATLAB file that hold the features and the labels.
    """

    form: TableFormat
    nominal: Sequence[str] | Callable[[Sequence[str]], list[str]]
    label_column: str | None
    unread: Callable[[Sequence[str]], Collection[str]]
    labels: Callable[[list[str]], Collection[int]]
    positive: str | None = None
    x: str | None = None
    y: str | None = None


def read_tables(
    paths: Sequence[Path], file_format: str | None, reading: Reading
) -> tuple[list[ArffTable], GivenLabels | None]:
    """Return a table for each file, and the labels where the format holds them apart.

    Raises
    ------
    UserError
        If anything in a file is not as it should be, or a package that reads it is not installed.
    """
    if not callable(reading.nominal) and reading.nominal and file_format not in UNDECLARED:
        raise UserError(
            f"--nominal does not apply to the format {file_format}", file=paths[0], hint="leave it out"
        )
    if file_format == "csv":
        from mlsieve.data.readers.columns import nominal_columns, typed_tables
        from mlsieve.data.readers.delimited import read_delimited

        raw = [read_delimited(path, reading.form) for path in paths]
        tables = typed_tables(
            raw,
            missing=reading.form.missing_cells,
            decimal=reading.form.decimal,
            nominal=nominal_columns(reading, raw[0].header, raw[0].path),
            unread=reading.unread,
            labels=reading.labels,
        )
        return tables, None
    if file_format in ("parquet", "feather", "excel"):
        from mlsieve.data.readers.frames import read_frames

        return read_frames(paths, file_format, reading), None
    if file_format in ("svmlight", "xmlc"):
        from mlsieve.data.readers.svmlight import read_svmlight

        is_xmlc, encoding = file_format == "xmlc", reading.form.encoding
        return read_svmlight(paths, xmlc=is_xmlc, encoding=encoding, unread=reading.unread)
    if file_format == "mat":
        from mlsieve.data.readers.matlab_files.matrices import read_mat

        return read_mat(paths, reading)
    if file_format == "r":
        from mlsieve.data.readers.r_objects import read_r

        return read_r(paths, reading)
    raise ValueError(f"format {file_format!r} is none of a table")
