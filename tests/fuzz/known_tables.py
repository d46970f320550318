"""Tables of known values, written in many ways, which have to be read as these values.

Each number stands for a table and the way it is written: as text with some separator, decimal mark, quotes,
ends of lines, encoding and packing; as ARFF, plain or sparse; for SVMlight; or as a workbook. The reader
finds out what its options do not say.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import random
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlsieve.data import load_dataset
from mlsieve.data.dataset import Dataset
from mlsieve.errors import DataNotice

# Names and categories: those after the first may not be in every format.
_PLAIN = (
    *("a", "b1", "sky blue", "x-y", "x_y", "A", "ü", "Größe", "n.1", "(p)", "q/r", "50%", "#h", "@m"),
    *("=s", "+t", "1", "2.5", "-", "NA", "nan", "true", "rank", "class"),
)
_QUOTED = ("it's", 'say "x"', "a,b", "c;d", "{e}", "f|g", "\\h", "?i", "'j'", '"', "%k", "a'b\"c")
_FOREIGN = ("日本", "naïve €", "\u202ex", "Ж", "😀", "\xa0x"[1:])
_LINES = ("two\nlines", "tab\tname")
_VALUES = (
    *("red", "green", "blue", "dark red", "it's", 'x"y', "a,b", "c;d", "{e}", "%", "é", "x_1", "A", "b"),
    *("[z]", "=1+1", "@x", "<b>", "\\n", "日本"),
)
_NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.25, 1e-7, -3.5e12, 123456.789, 7.0, 1e300, 5e-324, 0.1, 100.0, -0.25)


@dataclass(frozen=True)
class Known:
    """A table: its columns in order, features before labels.

    Attributes
    ----------
    names, labels : tuple of str
    columns : tuple of list of float, str or None
        Features; None is missing.
    Y : ndarray of bool, shape (n, L)
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    columns: tuple[list[Any], ...]
    Y: np.ndarray

    @property
    def nominal(self) -> list[bool]:
        return [any(isinstance(value, str) for value in column) for column in self.columns]


def drawn_table(
    chance: random.Random, *, names: tuple[str, ...], nominal: bool, missing: bool, digits: int = 17
) -> Known:
    """Return a table of a few rows, features and labels."""
    n, n_features, n_labels = chance.randint(2, 12), chance.randint(1, 5), chance.randint(1, 3)
    drawn = chance.sample(names, n_features + n_labels)
    columns = []
    for _ in range(n_features):
        if nominal and chance.random() < 0.4:
            pool: tuple[Any, ...] = tuple(chance.sample(_VALUES, chance.randint(1, 4)))
        elif chance.random() < 0.5:
            pool = tuple(map(float, range(chance.randint(1, 9))))
        else:
            pool = (*chance.sample(_NUMBERS, 4), chance.uniform(-1e3, 1e3), chance.gauss(0.0, 1e-5))
        column = [chance.choice(pool) for _ in range(n)]
        if missing and chance.random() < 0.4:
            gone = chance.sample(range(n), chance.randint(1, n - 1))
            column = [None if place in gone else value for place, value in enumerate(column)]
        exact = (float(f"{v:.{digits}g}") if isinstance(v, float) else v for v in column)
        columns.append(list(exact))
    Y = np.array([[chance.random() < 0.5 for _ in range(n_labels)] for _ in range(n)])
    Y[0], Y[1] = True, False  # each label is there, and not everywhere
    return Known(tuple(drawn[:n_features]), tuple(drawn[n_features:]), tuple(columns), Y)


def number_text(value: float, chance: random.Random, decimal: str = ".") -> str:
    """Return a number in one of the ways that say it exactly."""
    ways = [repr(value)]
    if value == int(value) and abs(value) < 1e15:
        ways += [str(int(value))] * 2
    if 1e-3 < abs(value) < 1e15:
        ways.append(np.format_float_positional(value, trim="-"))
    ways.append(f"{value:.17e}")
    return chance.choice(ways).replace(".", decimal)


def cell(
    value: Any, gone: str, chance: random.Random, quoted: Callable[[str], str], decimal: str = "."
) -> str:
    """Return the text of a value."""
    if value is None:
        return gone
    return number_text(value, chance, decimal) if isinstance(value, float) else quoted(value)


def write_csv(known: Known, path: Path, chance: random.Random) -> tuple[Path, dict[str, Any]]:
    separator = chance.choice(",;\t|")
    decimal = "," if separator != "," and chance.random() < 0.4 else "."
    gone = chance.choice(("", "?", "NA", "none-"))
    labels = chance.choice((("1", "0"), ("yes", "no"), ("True", "False"), ("p", "n")))
    options: dict[str, Any] = {"header": True, "format": "csv"}
    rows = [
        [cell(value, gone, chance, str, decimal) for value in row] for row in zip(*known.columns, strict=True)
    ]
    last = chance.random() < 0.5
    names, marks = list(known.names), [[labels[not flag] for flag in row] for row in known.Y]
    table = [names + list(known.labels), *(row + own for row, own in zip(rows, marks, strict=True))]
    if not last:
        table = [list(known.labels) + names, *(own + row for row, own in zip(rows, marks, strict=True))]
    options["label_count"] = -len(known.labels) if last else len(known.labels)
    texts = "".join(cell for row in table for cell in row)
    if chance.random() < 0.7 or separator == "|" or set(texts) & set(",;\t|\n"):
        options["separator"] = separator
    if decimal == "," or chance.random() < 0.5:
        options["decimal"] = decimal
    if gone == "none-":
        options["missing"] = [gone]
    if labels[0] == "p":
        options["positive"] = "p"
    text = io.StringIO(newline="")
    ends = chance.choice(("\n", "\r\n"))
    quoting = chance.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    csv.writer(text, delimiter=separator, lineterminator=ends, quoting=quoting).writerows(table)
    return _encoded(text.getvalue(), path.with_suffix(".csv"), chance, options)


def write_arff(known: Known, path: Path, chance: random.Random) -> tuple[Path, dict[str, Any]]:
    def quoted(text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'" if not text.isalnum() or chance.random() < 0.3 else text

    values = [sorted({v for v in column if v is not None}, key=str) for column in known.columns]
    kinds = [
        f"{{{','.join(map(quoted, each))}}}" if nominal else chance.choice(("numeric", "real", "NUMERIC"))
        for each, nominal in zip(values, known.nominal, strict=True)
    ]
    lines = ["@relation r", *(f"@attribute {quoted(a)} {b}" for a, b in zip(known.names, kinds, strict=True))]
    lines += [f"@attribute {quoted(name)} {{0,1}}" for name in known.labels] + ["@data"]
    sparse = chance.random() < 0.5
    for row, flags in zip(zip(*known.columns, strict=True), known.Y.tolist(), strict=True):
        cells = [cell(value, "?", chance, quoted) for value in row] + [str(int(flag)) for flag in flags]
        if sparse:
            zero = [
                value is not None and (value == 0.0 if isinstance(value, float) else value == own[0])
                for value, own in zip(row, values, strict=True)
            ] + [not flag for flag in flags]
            kept = [f"{place} {cell}" for place, cell in enumerate(cells) if not zero[place]]
            lines.append("{" + chance.choice((",", ", ")).join(kept) + "}")
        else:
            lines.append(chance.choice((",", ", ")).join(cells))
    text = chance.choice(("\n", "\r\n")).join([*lines, ""])
    options = {"label_count": -len(known.labels)}
    return _encoded(text, path.with_suffix(".arff"), chance, options, utf16=False)


def write_svmlight(known: Known, path: Path, chance: random.Random) -> tuple[Path, dict[str, Any]]:
    lines = []
    known.columns[0][:] = [value or 1.0 for value in known.columns[0]]  # an empty line is no row
    for row, flags in zip(zip(*known.columns, strict=True), known.Y.tolist(), strict=True):
        labels = ",".join(str(place) for place, flag in enumerate(flags) if flag)
        cells = [f"{place + 1}:{number_text(v, chance)}" for place, v in enumerate(row) if v != 0.0]
        lines.append(" ".join([labels, *cells]))
    return _encoded("\n".join([*lines, ""]), path.with_suffix(".svm"), chance, {}, utf16=False)


def write_workbook(known: Known, path: Path, chance: random.Random) -> tuple[Path, dict[str, Any]]:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append([*known.names, *known.labels])
    for row, flags in zip(zip(*known.columns, strict=True), known.Y.tolist(), strict=True):
        sheet.append([*row, *(int(flag) for flag in flags)])
    for cells in sheet.iter_rows():
        for cell in cells:
            if isinstance(cell.value, str):
                cell.data_type = "s"
    options: dict[str, Any] = {"label_count": -len(known.labels), "header": True}
    if chance.random() < 0.5:
        book.create_sheet("other").append(["x", "y"])
        options["sheet"] = sheet.title
    path = path.with_suffix(".xlsx")
    book.save(path)
    return path, options


_PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


def _encoded(
    text: str, path: Path, chance: random.Random, options: dict[str, Any], utf16: bool = True
) -> tuple[Path, dict[str, Any]]:
    """Write a text in an encoding that has its letters, plain or packed."""
    encodings = ["utf-8"] * 3 + ["utf-8-sig", "latin-1", "cp1252", *(["utf-16"] if utf16 else [])]
    encoding = chance.choice(encodings)
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError:
        content, encoding = text.encode(), "utf-8"
    if encoding in ("latin-1", "cp1252") or chance.random() < 0.3:
        options["encoding"] = encoding
    packing = chance.choice((None, None, None, "gz", "xz", "bz2", "zip"))
    if packing is None:
        path.write_bytes(content)
        return path, options
    packed = path.with_name(f"{path.name}.{packing}")
    if packing == "zip":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(path.name, content)
    else:
        packed.write_bytes(_PACK[packing](content))
    return packed, options


_ONE_LINE = (*_PLAIN, *_QUOTED, *_FOREIGN)
# A first line that begins with # is a remark, and single quotes may be those of a whole cell.
_IN_CSV = tuple(name for name in (*_ONE_LINE, *_LINES) if name not in ("#h", "'j'"))
WRITERS: dict[str, tuple[Callable[..., tuple[Path, dict[str, Any]]], dict[str, Any]]] = {
    "csv": (write_csv, {"names": _IN_CSV, "nominal": True, "missing": True}),
    "arff": (write_arff, {"names": _ONE_LINE, "nominal": True, "missing": True}),
    "svmlight": (write_svmlight, {"names": _PLAIN, "nominal": False, "missing": False}),
    "xlsx": (write_workbook, {"names": _ONE_LINE, "nominal": True, "missing": True, "digits": 15}),
}


def run_case(number: int, folder: Path) -> str:
    """Write a table and read it again; return the kind of its file.

    Raises
    ------
    AssertionError
        If it was read as something else.
    Exception
        If it was not read.
    """
    chance = random.Random(number)
    kind = chance.choice(("csv", "csv", "csv", "arff", "arff", "svmlight", "xlsx"))
    write, has = WRITERS[kind]
    known = drawn_table(chance, **has)
    for old in folder.iterdir():
        old.unlink()
    path, options = write(known, folder / "table", chance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        read = load_dataset(path, **options)
    what = f"{path.name}, {options}"
    if kind == "svmlight":
        _compare_numbered(read, known, what)
    else:
        _compare(read, known, what)
    return kind


def _compare(read: Dataset, known: Known, what: str) -> None:
    assert read.feature_names == known.names, (what, read.feature_names, known.names)
    assert read.label_names == known.labels, (what, read.label_names, known.labels)
    assert read.nominal.tolist() == known.nominal, (what, read.nominal, known.columns)
    X = read.X.toarray() if read.is_sparse else read.X
    for place, column in enumerate(known.columns):
        names = read.categories[place]
        found = [None if v != v else names[int(v)] if names else v for v in X[:, place].tolist()]
        assert found == column, (what, known.names[place], found, column)
    assert np.array_equal(read.Y.toarray().astype(bool), known.Y), (what, read.Y.toarray(), known.Y)


def _compare_numbered(read: Dataset, known: Known, what: str) -> None:
    """Compare what a file without names says: nothing of features that are zero in all rows at its end."""
    X, wanted = read.X.toarray() if read.is_sparse else read.X, np.array(known.columns).T
    assert X.shape[0] == len(wanted) and X.shape[1] <= wanted.shape[1], (what, X, wanted)
    assert not wanted[:, X.shape[1] :].any() and np.array_equal(X, wanted[:, : X.shape[1]]), (what, X, wanted)
    assert np.array_equal(read.Y.toarray().astype(bool), known.Y), (what, read.Y.toarray(), known.Y)
