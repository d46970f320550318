"""Tables of text: which separator, quotes and encoding a file has, and its cells."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mlsieve.data.readers.cells.first_rows import (
    NO_HEADER,
    has_row_names,
    holds_values,
    require_no_title,
    without_empty_ends,
)
from mlsieve.data.readers.text import (
    BeyondLimit,
    found_encoding,
    read_first_lines,
    read_text,
    remark_on_encoding,
    require_encoding,
)
from mlsieve.errors import DataNotice, UserError, shortened

# In the order in which they are tried: what separates cells in every row alike. A comma comes late, as it may
# be a decimal one.
SEPARATORS = ("\t", ";", "|", ",", " ")
SEPARATOR_NAMES = {"\t": "tabs", ";": "semicolons", "|": "vertical bars", ",": "commas", " ": "spaces"}
# The missing cell of a format that has one of its own; no text file holds a NUL.
NULL = "\0"
# Of these, pandas, R, Excel and Weka write one or another.
MISSING = frozenset(
    {"", "?", "NA", "<NA>", "#NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "NaT", "null", "NULL", "None"}
    | {NULL}
)
_DECLARED_SEPARATOR = re.compile(r"\"?sep=(.)\"?[^\S\r\n]*(?:\r\n|\n|\r)", re.IGNORECASE)
_SINGLE_QUOTED = re.compile(r"\s*'[^'\r\n]*'\s*(?:[\t;|, \r\n]|$)")
# A quote behind a backslash that ends no cell.
_ESCAPED_QUOTE = re.compile(r'\\"(?=[^"\s,;|])')
_IN_SINGLE_QUOTES = re.compile(r"'[^'\r\n]*'")
_LINE_END = re.compile(r"\r\n|\n|\r")
_LONGEST_CELL = (1 << 31) - 1
ROW_NAMES = "the first column has no name and contains the names of the rows, so it is left out"
_SAMPLE = 200  # rows that a separator is judged by


@dataclass(frozen=True)
class TableFormat:
    """How a table is written; None is found out from the file.

    Attributes
    ----------
    separator : str or None
        One character between cells.
    decimal : {".", ","} or None
        Decimal mark of numbers.
    encoding : str or None
        A codec of Python.
    header : bool or None
        Whether the first row holds the names of the columns.
    missing : tuple of str
        Cells that are missing values, besides `MISSING`.
    sheet : str or None
        Of an Excel or LibreOffice file, the sheet's name; default: the first one.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None and len(self.separator) != 1:
            raise UserError(
                f"separator '{self.separator}' is not one character", hint="write e.g. --sep ';' or --sep tab"
            )
        if self.decimal not in (None, ".", ","):
            raise UserError(f"decimal mark '{self.decimal}' is neither . nor ,", hint="write --decimal ,")
        if self.encoding is not None:
            require_encoding(self.encoding)

    @property
    def missing_cells(self) -> frozenset[str]:
        """All cells that are missing values."""
        return MISSING | set(self.missing)


@dataclass(frozen=True)
class RawTable:
    """The cells of a table as text.

    Attributes
    ----------
    path : str
    header : list of str
        Names of the columns.
    rows : list of list of str
        Cells without blanks around them, as many in each row as there are columns.
    lines : list of int
        Line of each row in the file, from 1.
    separator : str
    notices : list of str
        What was found out about the file, in sentences without a full stop.
    """

    path: str
    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    separator: str = ","
    notices: list[str] = field(default_factory=list)

    def tell(self) -> None:
        """Warn of what was found out."""
        for notice in self.notices:
            warnings.warn(DataNotice(notice, file=self.path), stacklevel=2)


def read_delimited(
    path: str | os.PathLike[str], form: TableFormat, *, row_names: str | None = None
) -> RawTable:
    """Read a table of text.

    Parameters
    ----------
    path : path-like
        Plain or packed.
    form : TableFormat
    row_names : str, optional
        Name of the first column where it has none and holds the names of the rows, which is left out by
        default.

    Raises
    ------
    UserError
        For an empty file, a name that occurs twice, or a row with too few or too many cells.
    """
    path = os.fspath(path)
    encoding = form.encoding or found_encoding(path)
    notices = []
    text = read_text(path, encoding)
    if form.encoding is None and not encoding.startswith("utf-8"):
        notices.append(remark_on_encoding(encoding, text))
    text, declared, n_before = _without_preamble(text)
    if n_before > (declared is not None):
        notices.append("the lines before the header that begin with # were skipped")
    if _ESCAPED_QUOTE.search(text):  # as R's write.table writes them
        text = text.replace('\\"', '""')
    separator, quote = _dialect(text, form.separator or declared)
    if form.separator is None and separator != ",":
        what = SEPARATOR_NAMES.get(separator, f"'{separator}'")
        notices.append(f"its columns are separated by {what}")
    rows, lines = _rows(path, text, separator, quote, n_before)
    if not rows:
        raise _without_rows(path)
    first, first_line = rows.pop(0), lines.pop(0)
    if not rows and form.header is not False:
        raise _without_rows(path)
    first, rows = without_empty_ends(first, rows)
    if has_row_names(first, rows):
        first = ["", *first]
    require_no_title([len([cell for cell in row if cell]) for row in [first, *rows[:4]]], path)
    if len(first) == 1:
        _refuse_one_column(path, separator, form)
    _require_same_length(path, len(first), rows, lines)
    header = first
    if form.header is False or (form.header is None and holds_values(first, rows, form.missing_cells)):
        if form.header is None:
            notices.append(NO_HEADER)
        rows.insert(0, first)
        lines.insert(0, first_line)
        header = [f"column{number}" for number in range(1, len(first) + 1)]
    if row_names is not None and len(header) > 1 and header[0] in ("", "Unnamed: 0"):
        header = [row_names, *header[1:]]
    return _without_index(RawTable(path, header, rows, lines, separator, notices))


def read_header(path: str | os.PathLike[str], form: TableFormat) -> list[str] | None:
    """Return the names of a table's columns from its first rows; None if these do not end early.

    Raises
    ------
    UserError
        As `read_delimited`, as far as it shows in the header.
    """
    path = os.fspath(path)
    try:
        lines = list(
            itertools.islice(read_first_lines(path, encoding=form.encoding or found_encoding(path)), _SAMPLE)
        )
    except BeyondLimit:
        return None
    text, declared, _ = _without_preamble("\n".join(lines))
    separator, quote = _dialect(text, form.separator or declared)
    lines_of = io.StringIO(text, newline="")
    try:
        with _cells_of_any_length():
            reader = csv.reader(
                lines_of, delimiter=separator, quotechar=quote, skipinitialspace=True, strict=True
            )
            cells = [cell.strip() for cell in next(reader, [])]
            row = next(reader, cells)
    except csv.Error:
        return None  # told when it is read
    cells, (row,) = without_empty_ends(cells, [row])
    if len(row) == len(cells) + 1:
        cells = ["", *cells]
    return _checked_names(path, cells)


@contextlib.contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Let the csv module, which refuses cells of more than 131072 letters, read longer ones."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _without_preamble(text: str) -> tuple[str, str | None, int]:
    """Return a table without what comes before its header, the separator that is named there, and its lines.

    Excel writes a line ``sep=;``, other programs lines that begin with ``#``; of these, one with as many
    cells as the line below is the header.
    """
    declared, n_before, start = None, 0, 0
    found = _DECLARED_SEPARATOR.match(text)
    if found:
        declared, n_before, start = found[1], 1, found.end()
    while text.startswith("#", start):
        comment, behind = _line_at(text, start)
        below, _ = _line_at(text, behind)
        marks = [mark for mark in SEPARATORS[:-1] if mark in below] or SEPARATORS[-1:]
        is_header = any(0 < comment.count(mark) == below.count(mark) for mark in marks)
        if not below or (is_header and not below.startswith("#")):
            break
        start, n_before = behind, n_before + 1
    return text[start:], declared, n_before


def _line_at(text: str, start: int) -> tuple[str, int]:
    """Return the line of a text that begins at a place, and the place of the next one."""
    end = _LINE_END.search(text, start)
    return (text[start:], len(text)) if end is None else (text[start : end.start()], end.end())


def _dialect(text: str, separator: str | None) -> tuple[str, str]:
    """Return the character between cells and the one around them."""
    sample = text[: 1 << 20]
    single = '"' not in sample and (_SINGLE_QUOTED.match(sample) or _has_single_quotes(sample))
    quote = "'" if single else '"'
    if separator is not None:
        return separator, quote
    for candidate in SEPARATORS:
        counts = _cells_a_row(sample, candidate, quote)
        if counts and 1 < max(counts) == min(counts[1:] or counts):
            row_names = counts[0] == counts[-1] - 1 > 1 and candidate in "\t "
            if counts[0] == counts[-1] or row_names:
                return candidate, quote
    for candidate in SEPARATORS:  # below a title, which is refused
        counts = list(itertools.dropwhile(lambda n: n == 1, _cells_a_row(sample, candidate, quote)))
        if len(counts) > 1 and max(counts) == min(counts):
            return candidate, quote
    first = next((line for line in sample.splitlines() if line.strip()), "")
    return max(SEPARATORS, key=lambda candidate: (first.count(candidate), candidate == ",")), quote


def _has_single_quotes(sample: str) -> bool:
    """Return whether a cell in single quotes holds what is between cells, as Weka writes it."""
    marks = "".join(SEPARATORS[:-1])
    ends = f"{marks}\r\n"
    for found in _IN_SINGLE_QUOTES.finditer(sample):
        before, after = (
            sample[max(0, found.start() - 1) : found.start()],
            sample[found.end() : found.end() + 1],
        )
        if before in ends and after in ends and any(mark in found[0] for mark in marks):
            return True
    return False


def _cells_a_row(sample: str, separator: str, quote: str) -> list[int]:
    """Return the number of cells of each of the first rows that are whole; empty if they cannot be read."""
    lines = io.StringIO(sample, newline="")
    whole = len(sample) < 1 << 20
    reader = csv.reader(lines, delimiter=separator, quotechar=quote, skipinitialspace=True, strict=whole)
    counts: list[int] = []
    try:
        with _cells_of_any_length():
            for row in itertools.islice(reader, _SAMPLE):
                if any(map(str.strip, row)):  # others are no rows, see `_rows`
                    counts.append(len(row))
    except csv.Error:
        return []
    return counts[:-1] if len(counts) > 2 and not whole else counts


def _rows(
    path: str, text: str, separator: str, quote: str, n_before: int
) -> tuple[list[list[str]], list[int]]:
    rows: list[list[str]] = []
    lines: list[int] = []
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quotechar=quote,
        skipinitialspace=True,
        strict=True,
    )
    try:
        with _cells_of_any_length():
            for row in reader:
                cells = [value.strip() for value in row]
                if any(cells):
                    rows.append(cells)
                    lines.append(reader.line_num + n_before)
    except csv.Error as error:
        raise UserError(
            f"not valid CSV ({error})", file=path, line=reader.line_num + n_before, hint="check its quotes"
        ) from error
    return rows, lines


def _refuse_one_column(path: str, separator: str, form: TableFormat) -> None:
    """Raise for rows of one cell, which hold no features beside labels."""
    if form.separator is None:
        hint = "give the separator of its columns, such as --sep :"
    else:
        hint = f"correct --sep: no '{separator}' is in its first row"
    raise UserError("its rows have one cell each", file=path, line=1, hint=hint)


def _require_same_length(path: str, width: int, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            much = "few" if len(row) < width else "many"
            columns = f"{width} column{'' if width == 1 else 's'}"
            raise UserError(
                f"too {much} values: {len(row)} for {columns}",
                file=path,
                line=line,
                hint="correct the row, or give the separator of the columns (--sep)",
            )


def _without_index(table: RawTable) -> RawTable:
    """Return a table without the names of its rows and without empty columns that have no name."""
    header, rows, notices = table.header, table.rows, list(table.notices)
    if len(header) > 1 and header[0] in ("", "Unnamed: 0"):
        names = [row[0] for row in rows]
        if len(set(names)) == len(names):
            notices.append(ROW_NAMES)
            header, rows = header[1:], [row[1:] for row in rows]
    empty = {place for place, name in enumerate(header) if not name and not any(row[place] for row in rows)}
    if empty and len(empty) < len(header):
        kept = [place for place in range(len(header)) if place not in empty]
        header, rows = [header[place] for place in kept], [[row[place] for place in kept] for row in rows]
    return RawTable(
        table.path, _checked_names(table.path, header), rows, table.lines, table.separator, notices
    )


def _checked_names(path: str, header: Sequence[str]) -> list[str]:
    if not header:
        raise _without_rows(path)
    for name, times in Counter(header).items():
        if not name or times > 1:
            problem = f"column '{shortened(name)}' occurs twice" if name else "a column has no name"
            raise UserError(
                f"{problem} in the header", file=path, line=1, hint="give each column a name of its own"
            )
    return list(header)


def _without_rows(path: str) -> UserError:
    return UserError(
        "has no header row or no rows", file=path, hint="the file may be truncated: fetch or copy it again"
    )
