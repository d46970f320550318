"""Labels as people write them: 0 and 1, yes and no, TRUE and FALSE, -1 and 1, or sets in one cell."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.labels import LABEL_HINT
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.errors import DataNotice, UserError, shortened
from mlsieve.hierarchy import Hierarchy

# Without the label, with it.
_PAIRS = (("0", "1"), ("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("-1", "1"))
_SET_SEPARATORS = (";", "|", ",")


@dataclass(frozen=True)
class GivenLabels:
    """Labels of all rows of a dataset that are not columns of their own.

    Attributes
    ----------
    Y : scipy.sparse.csr_array of uint8, shape (n, L)
    names : tuple of L str
    hierarchy : Hierarchy or None
    """

    Y: sp.csr_array
    names: tuple[str, ...]
    hierarchy: Hierarchy | None = None


def label_matrix_of(table: ArffTable, labels: Sequence[int], positive: str | None = None) -> sp.csr_array:
    """Return the labels of a table, CSR of ones of uint8, shape (n, L).

    Parameters
    ----------
    table : ArffTable
    labels : sequence of int
        Columns of the labels.
    positive : str, optional
        What a cell holds that has the label; every other cell has it not. Default: 1 of 0 and 1 or of -1 and
        1, or true, yes, t or y, in any case.

    Raises
    ------
    UserError
        If a label is missing in a row, or has another value.
    """
    values: Any = table.values[:, list(labels)]
    attributes = [table.attributes[i] for i in labels]
    given = values.tocoo() if sp.issparse(values) else sp.coo_array(values)  # NaN counts as non-zero
    known: dict[tuple[str, ...] | None, float] = {}
    for attribute in attributes:
        if attribute.categories not in known:
            known[attribute.categories] = _positive_place(table, attribute, positive)
    wanted = np.array([known[attribute.categories] for attribute in attributes])
    if positive is not None and not _occurs(given, wanted, values.shape):
        raise UserError(
            f"no label is '{shortened(positive)}' in any row", file=table.path, hint="correct --positive"
        )
    numeric = np.array([attribute.categories is None for attribute in attributes])
    has = given.data == wanted[given.col]
    wrong = np.isnan(given.data)
    if positive is None:
        wrong |= numeric[given.col] & ~has & ~_is_negative(given, numeric)
    if wrong.any():
        k = np.flatnonzero(wrong)[np.argmin(given.row[wrong])]
        value = "missing" if np.isnan(given.data[k]) else f"{given.data[k]:g}"
        raise UserError(
            f"label '{attributes[given.col[k]].name}' is {value}, not 0 or 1",
            file=table.path,
            line=int(table.lines[given.row[k]]),
            hint=LABEL_HINT,
        )
    ones = sp.csr_array((has.astype(np.uint8), (given.row, given.col)), shape=values.shape)
    # A label that is set in place 0 of its declaration, such as {1,0}, is set where a sparse row lists
    # nothing.
    turned = np.flatnonzero(wanted == 0)
    if len(turned):
        dense = ones.toarray()
        dense[:, turned] = 1 - _listed(given, values.shape)[:, turned]
        ones = sp.csr_array(dense)
    ones.eliminate_zeros()
    ones.sort_indices()
    return ones


def _occurs(given: Any, wanted: np.ndarray, shape: tuple[int, int]) -> bool:
    """Return whether the value of a label that is set occurs, given or, as the first one, where none is."""
    if (given.data == wanted[given.col]).any():
        return True
    empty = shape[0] - np.bincount(given.col[given.data != 0], minlength=shape[1])
    return bool((empty[wanted == 0] > 0).any())


def _listed(given: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return where a cell is not 0, as ones of uint8."""
    dense = np.zeros(shape, np.uint8)
    dense[given.row, given.col] = given.data != 0
    return dense


def _is_negative(given: Any, numeric: np.ndarray) -> np.ndarray:
    """Return which of the given numbers say that a label is not there: 0, or -1 in a column without a 0."""
    n_rows = given.shape[0]
    minus = given.data == -1
    written = np.bincount(given.col[given.data != 0], minlength=len(numeric))
    without_zero = written == n_rows
    return (given.data == 0) | (minus & without_zero[given.col])


def _positive_place(table: ArffTable, attribute: Attribute, positive: str | None) -> float:
    """Return the number that stands in a column for a label that is set; -1 if none does."""
    categories = attribute.categories
    if positive is not None:
        if categories is None:
            try:
                return float(positive)
            except ValueError:
                return np.inf
        wanted = _plain(positive)
        return float(next((i for i, value in enumerate(categories) if _plain(value) == wanted), -1))
    if categories is None:
        return 1.0
    plain = [_plain(value) for value in categories]
    for _, yes in (pair for pair in _PAIRS if set(plain) <= set(pair)):
        return float(plain.index(yes)) if yes in plain else -1.0
    declared = ",".join(map(shortened, categories[:4])) + (",..." if len(categories) > 4 else "")
    raise UserError(
        f"label '{attribute.name}' has the values {{{declared}}}, not {{0,1}}",
        file=table.path,
        line=attribute.line,
        hint="check which attributes are labels, or say which value has the label (--positive)",
    )


def _plain(value: str) -> str:
    """Return a value as it is compared: in lower case, a whole number without a point."""
    text = value.strip().lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number == int(number) else text


def label_sets(tables: Sequence[ArffTable], column: int, separator: str | None = None) -> GivenLabels:
    """Return the labels of a column whose cells hold sets of them.

    Parameters
    ----------
    tables : sequence of ArffTable
        In which the column is nominal; a missing cell is an empty set.
    column : int
    separator : str, optional
        Between the labels of a cell; default: the first of ``;``, ``|`` and ``,`` that occurs.

    Returns
    -------
    GivenLabels
        Of the rows of all tables, the labels sorted by name.
    """
    cells = [table.attributes[column].categories or () for table in tables]
    if separator is None:
        separator = next((s for s in _SET_SEPARATORS if any(s in cell for own in cells for cell in own)), ";")
        what = f"labels in column '{tables[0].attributes[column].name}' are separated by '{separator}'"
        warnings.warn(DataNotice(what, file=tables[0].path), stacklevel=2)
    parts = [[_split(cell, separator) for cell in own] for own in cells]
    names = sorted({name for own in parts for split in own for name in split})
    if not names:
        attribute = tables[0].attributes[column]
        raise UserError(
            f"column '{attribute.name}' holds no labels", file=tables[0].path, hint="check its name"
        )
    place = {name: i for i, name in enumerate(names)}
    rows: list[list[int]] = []
    for table, own in zip(tables, parts, strict=True):
        values: Any = table.values[:, [column]]
        codes = (values.toarray() if sp.issparse(values) else values)[:, 0]
        rows += [[] if np.isnan(code) else sorted(place[name] for name in own[int(code)]) for code in codes]
    start = np.cumsum([0, *map(len, rows)])
    index = np.array([label for row in rows for label in row], dtype=np.int32)
    Y = sp.csr_array((np.ones(len(index), np.uint8), index, start), shape=(len(rows), len(names)))
    return GivenLabels(Y, tuple(names))


def _split(cell: str, separator: str) -> set[str]:
    text = cell.strip()
    if text == "character(0)":  # R's empty list
        return set()
    text = text.removeprefix("c") if text.startswith("c(") else text
    if text[:1] + text[-1:] in ("[]", "()", "{}"):  # a list as Python or R prints it
        text = text[1:-1]
    return {part.strip().strip("'\"") for part in text.split(separator)} - {""}
