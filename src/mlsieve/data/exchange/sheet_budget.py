"""What an Excel or LibreOffice file takes is read from its own XML, before a library takes it.

Such a file states a table of any size in a few bytes: a cell in the last row and column, a repeated row, or
XML that unpacks to a thousand times its size. Libraries make all of that.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import posixpath
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from xml.parsers import expat

from mlsieve.errors import UserError, shortened
from mlsieve.files.archives import blocks_of, opened_archive
from mlsieve.files.budget import LARGEST_UNPACKED, most_of

# What a small file may have, what each of its bytes may stand for, and what none may have, see `most_of`.
# Cells of the rectangle from A1 to the last cell with content: 50 bytes and 2 microseconds for each.
CELLS = (2_000_000, 50, 20_000_000)
# Unpacked bytes of all members. XML of sheets shrinks to a twentieth, that of equal cells to a hundredth.
BYTES = (1 << 26, 100, LARGEST_UNPACKED)
# Elements that a library keeps at once. odfpy keeps those of all cells: 1 kB and 50 microseconds for each.
ELEMENTS = {"openpyxl": (200_000, 10, 5_000_000), "odf": (200_000, 10, 2_000_000)}
# Letters of shared formulas, counted for each cell: openpyxl makes a copy for each.
SHARED_LETTERS = (1 << 24, 100, LARGEST_UNPACKED)
MOST_FORMATS = 20_000_000  # formats of numbers times named styles; openpyxl goes through all for each
MOST_ROWS = 1_048_576  # of a sheet in Excel and LibreOffice
LONGEST_TAG = 1 << 18  # in bytes; expat may scan a long one again for each block that comes
LONGEST_FORMAT = 255  # in Excel
MOST_SPACES = 100_000  # that LibreOffice writes as their number
_WORKBOOKS = {"xl/workbook.xml": "openpyxl", "content.xml": "odf"}
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
_OFFICE, _TABLE, _TEXT = (
    f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0 " for name in ("office", "table", "text")
)
_PLACE = re.compile(r"([A-Z]{1,3})[0-9]+", re.ASCII | re.IGNORECASE)
_HINT = "delete what lies beside the table, or write the table as CSV"


def engine_within_budget(content: bytes, path: str | os.PathLike[str]) -> str | None:
    """Return the engine of pandas that reads a workbook, None for an old .xls file.

    Parameters
    ----------
    content : bytes
        Of the file.
    path : path-like
        For messages.

    Raises
    ------
    UserError
        If it would take more than its budget, or contains a document type.
    ValueError, zipfile.BadZipFile, zlib.error, ...
        If it is damaged, or no workbook.
    """
    if not content.startswith(b"PK"):
        return None
    with opened_archive(io.BytesIO(content)) as archive:
        names = {member.filename.replace("\\", "/").lower() for member in archive.infolist()}
        engine = next((engine for name, engine in _WORKBOOKS.items() if name in names), None)
        if engine is None:
            raise ValueError("it holds no workbook")
        most = most_of(len(content), *BYTES)
        if (unpacked := sum(member.file_size for member in archive.infolist())) > most:
            raise _too_much(path, f"unpacks from {len(content):,} to {unpacked:,} bytes, more than {most:,}")
        most_kept, most_cells, most_letters = (
            most_of(len(content), *each) for each in (ELEMENTS[engine], CELLS, SHARED_LETTERS)
        )
        elements = _Elements(path, most_kept, most_cells, most_letters)
        for member in archive.infolist():
            _scan(archive, member, elements)
        elements.require_sheets_of_their_own()
    return engine


def _too_much(path: str | os.PathLike[str], what: str) -> UserError:
    return UserError(what, file=path, hint=_HINT)


def _scan(archive: zipfile.ZipFile, member: zipfile.ZipInfo, elements: _Elements) -> None:
    """Count a member's elements, as far as it is XML."""
    # By names with their namespaces, as the libraries go: others may give elements the same short ones.
    parser: Any = expat.ParserCreate(namespace_separator=" ")
    elements.begin(parser, member.filename)
    fed = 0
    for block in blocks_of(archive, member):  # a picture too, to see that it has the size it declares
        try:
            if parser is not None:
                parser.Parse(block, False)
                fed += len(block)
                if fed - parser.CurrentByteIndex > LONGEST_TAG:
                    what = f"holds a tag or comment of more than {LONGEST_TAG:,} bytes"
                    raise _too_much(elements.path, what)
        except expat.ExpatError as error:
            if member.filename.lower().endswith((".xml", ".rels")):  # odfpy mends some, and reads on
                raise ValueError(f"{member.filename} is not well-formed: {error}") from error
            parser = None


class _Elements:
    """What the XML of a workbook holds; it raises once that is too much."""

    def __init__(
        self, path: str | os.PathLike[str], most_kept: int, most_cells: int, most_letters: int
    ) -> None:
        self.path, self.most_kept = path, most_kept
        self.most_cells, self.most_letters = most_cells, most_letters
        self.kept = self.kept_before_row = self.spaces = self.letters = self.formats = self.styles = 0
        self.sheets: list[str] = []  # by the ids of relations
        self.targets: dict[str, str] = {}

    def begin(self, parser: Any, member: str) -> None:
        """Have the elements of a member counted: the place in its sheet, and the last cell with content."""
        self.parser, self.member = parser, member
        self.formulas: dict[str | None, int] = {}  # lengths of those that cells share
        self._begin_table()
        self.tables = self.steps = self.depth = 0
        # Those that are open: of a sheet in Excel their depth, in LibreOffice the column and repetitions.
        self.row_depth: int | None = None
        self.rows: list[tuple[int, int]] = []
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_document_type

    def _begin_table(self) -> None:
        self.row = self.column = self.last_row = self.last_column = 0
        self.repeated_rows = 1

    def _refuse_document_type(self, name: str, *_: object) -> None:
        raise UserError(
            f"declares a document type, {name}",
            file=self.path,
            hint="open and save it in Excel or LibreOffice",
        )

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.kept += 1
        if self.kept > self.most_kept:
            raise _too_much(self.path, f"holds more than {self.most_kept:,} elements of XML")
        self.depth += 1
        if name in _ELEMENTS:
            _ELEMENTS[name](self, attributes)
        elif self.row_depth is not None and self.depth == self.row_depth + 1:
            self._cell(attributes)  # openpyxl takes any part of a row for a cell
        elif count := _IN_ANY_NAMESPACE.get(name.rpartition(" ")[2]):
            count(self, attributes)

    def _end(self, name: str) -> None:
        self.depth -= 1
        if name == f"{_SHEET}f":
            self.parser.CharacterDataHandler = None
        elif name == f"{_TABLE}table":
            self.tables -= 1
        elif name == f"{_TABLE}table-row":
            self.row += self.repeated_rows
            self.column, self.repeated_rows = self.rows.pop()
        elif self.depth + 1 == self.row_depth:
            self.row_depth = None

    def _table(self, _: Mapping[str, str]) -> None:
        """A sheet of LibreOffice; the rows of one within another count as those of the other."""
        if not self.tables:
            self._begin_table()
        self.tables += 1

    def _repeated_row(self, attributes: Mapping[str, str]) -> None:
        """A row of LibreOffice, which may stand for many, and lie within a cell of another."""
        self.rows.append((self.column, self.repeated_rows))
        self.repeated_rows = _number(attributes.get(f"{_TABLE}number-rows-repeated"), 1)
        self.column = 0

    def _repeated_cell(self, attributes: Mapping[str, str]) -> None:
        self.column += _number(attributes.get(f"{_TABLE}number-columns-repeated"), 1)
        if f"{_OFFICE}value-type" in attributes:
            self._extend(self.row + self.repeated_rows)

    def _spaces(self, attributes: Mapping[str, str]) -> None:
        self.spaces += _number(attributes.get(f"{_TEXT}c"), 1)
        if self.spaces > MOST_SPACES:
            raise _too_much(self.path, f"repeats more than {MOST_SPACES:,} spaces")

    def _row(self, attributes: Mapping[str, str]) -> None:
        """A row of Excel; openpyxl gives its elements up when the next one begins."""
        if self.row_depth is not None:
            raise _too_much(self.path, "has a row within a row")
        self.row_depth = self.depth
        self.kept_before_row += 1
        self.kept = self.kept_before_row
        self.row, self.column = _number(attributes.get("r"), self.row + 1), 0
        if self.row > MOST_ROWS:
            raise _too_much(self.path, f"has a row beyond {MOST_ROWS:,}")

    def _cell(self, attributes: Mapping[str, str]) -> None:
        """A cell of Excel; all cells before the last of a row are gone through, whether they have content."""
        before, self.column = self.column, self._column(attributes.get("r"))
        self.steps += max(0, self.column - before)
        self._require_few(self.steps)

    def _column(self, place: str | None) -> int:
        """Return the number of a cell's column by a place such as AB12; without one, the next."""
        if not place:
            return self.column + 1
        found = _PLACE.fullmatch(place)
        if found is None:
            raise UserError(f"has a cell at {shortened(place)}", file=self.path, hint=_HINT)
        return functools.reduce(lambda number, letter: 26 * number + ord(letter) - 64, found[1].upper(), 0)

    def _number_format(self, attributes: Mapping[str, str]) -> None:
        """A format of numbers, in which openpyxl looks for dates in quadratic time."""
        if len(attributes.get("formatCode", "")) > LONGEST_FORMAT:
            raise _too_much(self.path, f"has a number format of more than {LONGEST_FORMAT} letters")
        self.formats += 1
        self._require_few_styles()

    def _named_style(self, _: Mapping[str, str]) -> None:
        self.styles += 1
        self._require_few_styles()

    def _require_few_styles(self) -> None:
        if self.formats * self.styles > MOST_FORMATS:
            raise _too_much(self.path, f"has {self.formats:,} formats of numbers and {self.styles:,} styles")

    def _sheet(self, attributes: Mapping[str, str]) -> None:
        if posixpath.basename(self.member) != "workbook.xml":  # the XML of others has such elements, too
            return
        ids = (value for name, value in attributes.items() if name.rpartition(" ")[2] == "id")
        self.sheets += filter(None, ids)  # openpyxl passes over those without

    def _relation(self, attributes: Mapping[str, str]) -> None:
        if posixpath.basename(self.member) == "workbook.xml.rels":
            place = posixpath.normpath(posixpath.join("/xl", attributes.get("Target", "")))
            self.targets[attributes.get("Id", "")] = place

    def require_sheets_of_their_own(self) -> None:
        """Refuse a workbook in which two sheets are one part of it: openpyxl goes through it for each."""
        places = [self.targets.get(sheet) for sheet in self.sheets]
        if len(set(places)) < len(places):
            raise _too_much(self.path, f"names {len(places):,} sheets, but holds {len(set(places)):,}")

    def _formula(self, attributes: Mapping[str, str]) -> None:
        self._extend(self.row)
        if attributes.get("t") != "shared":
            return
        key, length = attributes.get("si"), 0

        def add(text: str) -> None:
            nonlocal length
            length += len(text)
            self.formulas[key] = max(length, self.formulas.get(key, 0))

        self.letters += self.formulas.get(key, 0)
        if self.letters > self.most_letters:
            raise _too_much(self.path, f"repeats formulas of more than {self.most_letters:,} letters")
        self.parser.CharacterDataHandler = add

    def _content(self, _: Mapping[str, str]) -> None:
        self._extend(self.row)

    def _extend(self, row: int) -> None:
        self.last_row, self.last_column = max(self.last_row, row), max(self.last_column, self.column)
        self._require_few(self.last_row * self.last_column)

    def _require_few(self, cells: int) -> None:
        if cells > self.most_cells:
            what = f"has a sheet of {cells:,} cells, empty ones among them, more than {self.most_cells:,}"
            raise _too_much(self.path, what)


_ELEMENTS: dict[str, Callable[[_Elements, Mapping[str, str]], None]] = {
    f"{_SHEET}row": _Elements._row,
    f"{_SHEET}c": _Elements._cell,
    **dict.fromkeys((f"{_SHEET}v", f"{_SHEET}is"), _Elements._content),
    f"{_SHEET}f": _Elements._formula,
    f"{_TABLE}table": _Elements._table,
    f"{_TABLE}table-row": _Elements._repeated_row,
    **dict.fromkeys((f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"), _Elements._repeated_cell),
    f"{_TEXT}s": _Elements._spaces,
}


# openpyxl takes these whatever their namespaces.
_IN_ANY_NAMESPACE: dict[str, Callable[[_Elements, Mapping[str, str]], None]] = {
    "numFmt": _Elements._number_format,
    "cellStyle": _Elements._named_style,
    "sheet": _Elements._sheet,
    "Relationship": _Elements._relation,
}


def _number(text: str | None, otherwise: int) -> int:
    """Return a number as the libraries read it, as Python does: 1_000 and 1e3 are one, too.

    What is none is theirs to refuse.
    """
    with contextlib.suppress(TypeError, ValueError):
        return int(max(0.0, min(float(text), 1e15)))  # type: ignore[arg-type]
    return otherwise
