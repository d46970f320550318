"""Labels as people keep them in pandas: a frame of 0 and 1, or a list of labels for each example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.truth_words import is_set, is_truth_word
from mlsieve.data.frames import require_one_level
from mlsieve.errors import InvalidSetting, composed, did_you_mean
from mlsieve.hierarchy import Hierarchy

_LISTS = (list, tuple, set, frozenset, np.ndarray)
_NUMBERS = (bool, int, float, np.bool_, np.number)


def named_labels(parts: Sequence[Any]) -> tuple[list[sp.csr_array], tuple[str, ...]]:
    """Return the label matrices of one dataset's parts, with the same labels in the same order.

    Parameters
    ----------
    parts : sequence of labels, each of one part's rows
        A DataFrame, array or sparse array of 0/1, bool, or yes/no and the like as in files, shape (n, L); or
        a Series or list with the list (or tuple or set) of each example's labels, shape (n,).

    Returns
    -------
    matrices : list of csr_array of uint8
        Stored entries are all 1, indices sorted.
    names : tuple of str
        The names of the columns, of lists the sorted labels of all parts; without names y0, y1, ...

    Raises
    ------
    InvalidSetting
        A ValueError, if a cell is neither 0 nor 1 nor a list of labels, or the parts' labels differ.
    """
    if all(holds_lists(part) for part in parts):
        rows = [[_names_in(row, place) for place, row in enumerate(part)] for part in parts]
        names = tuple(sorted({name for part in rows for row in part for name in row}))
        place = {name: position for position, name in enumerate(names)}
        return [
            _of_positions([[place[name] for name in row] for row in part], len(names)) for part in rows
        ], names
    tables = [_table(part) for part in parts]
    names = tables[0][1]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidSetting(f"two labels are called '{twice}'", hint="name each label once")
    matrices = []
    for matrix, own in tables:
        if sorted(own) != sorted(names):
            odd = sorted(set(own) ^ set(names))[0]
            raise InvalidSetting(
                f"label '{odd}' is in one part of the data only", hint="give all parts the same labels"
            )
        matrices.append(_canonical(matrix[:, [own.index(name) for name in names]]))
    return matrices, names


def of_hierarchy(
    Y: sp.csr_array, names: tuple[str, ...], hierarchy: Any
) -> tuple[sp.csr_array, tuple[str, ...], Hierarchy]:
    """Return labels with all classes above them, in the order of a hierarchy.

    Parameters
    ----------
    Y : csr_array, shape (n, L)
    names : tuple of L str
    hierarchy : Hierarchy, or iterable of (parent, child) pairs of str
        It may have classes that no column of Y has.

    Raises
    ------
    InvalidSetting
        If a label is not a class of the hierarchy.
    """
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = Hierarchy.from_edges(hierarchy, names)
    given = sp.coo_array(Y)
    columns = place_of(names, hierarchy.names, "class of the hierarchy")[given.coords[1]]
    wide = sp.csr_array((given.data, (given.coords[0], columns)), shape=(Y.shape[0], hierarchy.n_classes))
    return _canonical(hierarchy.close(wide)), hierarchy.names, hierarchy


def place_of(names: Sequence[str], known: Sequence[str], what: str) -> np.ndarray:
    """Return the place of each label among known ones, ndarray of int32; `what` those are, for the message.

    Raises
    ------
    InvalidSetting
        If a label is not among them.
    """
    names = list(map(composed, names))
    place = {composed(name): position for position, name in enumerate(known)}
    for name in names:
        if name not in place:
            raise InvalidSetting(f"label '{name}' is not a {what}", hint=did_you_mean(name, tuple(known)))
    return np.array([place[name] for name in names], dtype=np.int32)


def holds_lists(part: Any) -> bool:
    """Return whether labels are given as a list for each example, and not as a matrix or one column."""
    if hasattr(part, "iloc"):
        return not hasattr(part, "columns") and any(isinstance(row, _LISTS) for row in part)
    if isinstance(part, np.ndarray):
        return part.ndim == 1 and part.dtype == object and any(isinstance(row, _LISTS) for row in part)
    if not isinstance(part, list | tuple):
        return False
    rows = [row for row in part if isinstance(row, _LISTS)]
    return bool(rows) and not (len(rows) == len(part) and _is_matrix(rows))


def _is_matrix(rows: Sequence[Any]) -> bool:
    """Return whether plain lists are the rows of a matrix: 0 and 1 only, or values of which a row has two.

    No list of labels has a label twice, where these are numbers, or words such as yes and no.
    """
    if len({len(row) for row in rows}) > 1 or not len(rows[0]):
        return False
    if any(isinstance(row, set | frozenset) or np.ndim(row[0]) for row in rows):
        return False
    if not all(
        is_truth_word(cell) if isinstance(cell, str) else isinstance(cell, _NUMBERS)
        for row in rows
        for cell in row
    ):
        return False
    return {cell for row in rows for cell in row} <= {0, 1} or any(len(set(row)) < len(row) for row in rows)


def _names_in(row: Any, place: int) -> list[str]:
    if not isinstance(row, _LISTS):
        hint = "give an empty list for an example without labels"
        if isinstance(row, str):
            hint = f"give a list, such as [{row!r}]; to split texts: y.str.split(';')"
        raise InvalidSetting(f"the labels of row {place} are {row!r}, not a list", hint=hint)
    if any(name is None or str(name) in ("<NA>", "NaT", "nan") for name in row):
        raise InvalidSetting(
            f"the labels of row {place} contain a missing value", hint="leave it out of the list"
        )
    for name in row:
        fraction = isinstance(name, float | np.floating) and not float(name).is_integer()
        if fraction or isinstance(name, (*_LISTS, dict)):
            raise InvalidSetting(
                f"the labels of row {place} hold {name}, which is no label", hint="give names, or 0 and 1"
            )
    return [composed(str(name)) for name in row]


def _of_positions(rows: list[list[int]], n_labels: int) -> sp.csr_array:
    cells = [sorted(set(row)) for row in rows]
    starts = np.cumsum([0, *map(len, cells)], dtype=np.int64)
    indices = np.array([position for row in cells for position in row], dtype=np.int32)
    return sp.csr_array((np.ones(len(indices), np.uint8), indices, starts), shape=(len(rows), n_labels))


def _table(part: Any) -> tuple[sp.csr_array, tuple[str, ...]]:
    """Return a matrix of 0 and 1 and the names of its columns."""
    if hasattr(part, "columns") and hasattr(part, "iloc"):
        require_one_level(part, "y")
        names = tuple(composed(str(name)) for name in part.columns)
        columns = [_zero_or_one(part.iloc[:, place], f"label '{name}'") for place, name in enumerate(names)]
        empty = np.zeros((part.shape[0], 0), np.uint8)
        return sp.csr_array(np.column_stack([empty, *columns])), names
    if hasattr(part, "iloc"):
        name = "y0" if part.name is None else composed(str(part.name))
        return sp.csr_array(_zero_or_one(part, f"label '{name}'")[:, None]), (name,)
    if sp.issparse(part):
        matrix = sp.csr_array(part, copy=True)
        matrix.sum_duplicates()
        _zero_or_one(matrix.data, "y")
        matrix = matrix.astype(np.uint8)
    else:
        values = np.asarray(part)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2:
            raise InvalidSetting(f"y has the shape {values.shape}", hint="give one column for each label")
        matrix = sp.csr_array(_zero_or_one(values, "y"))
    return matrix, tuple(f"y{place}" for place in range(matrix.shape[1]))


def _zero_or_one(values: Any, whose: str) -> np.ndarray:
    """Return values that must be 0 or 1, or words such as yes and no, as uint8."""
    plain = getattr(values.dtype, "kind", "O") in "biuf"
    if plain and not isinstance(values.dtype, np.dtype):  # pandas' own, which may have NA
        plain = not values.isna().any()
    # NA compares as NA, a text as no number: each cell by itself.
    cells = np.asarray(values, dtype=None if plain else object)
    if cells.dtype.kind in "OUT":
        cells = _words_as_numbers(cells)
    elif cells.dtype.kind in "if" and (cells == -1).any() and not (cells == 0).any():
        cells = np.where(cells == -1, 0, cells)
    known = np.isin(cells, (0, 1)) if cells.dtype != object else _is_binary(cells)
    if not known.all():
        place = np.argwhere(~known)[0]
        value = cells[tuple(place)]
        shown = repr(value) if isinstance(value, str) else str(value)
        raise InvalidSetting(
            f"{whose} holds {shown} in row {int(place[0])}, not 0 or 1",
            hint="give 0/1 columns (pandas.get_dummies makes them of classes), or each row's list of labels",
        )
    return cells.astype(np.uint8)


def _words_as_numbers(cells: np.ndarray) -> np.ndarray:
    """Return cells with 1 and 0 for yes and no, true and false and the like, as in files."""
    flat = [
        float(is_set(cell)) if isinstance(cell, str) and is_truth_word(cell) else cell
        for cell in cells.ravel()
    ]
    return np.array([*flat, None], dtype=object)[:-1].reshape(cells.shape)


def _is_binary(cells: np.ndarray) -> np.ndarray:
    flat = [isinstance(cell, _NUMBERS) and cell in (0, 1) for cell in cells.ravel()]
    return np.array(flat, dtype=bool).reshape(cells.shape)


def _canonical(matrix: Any) -> sp.csr_array:
    canonical = sp.csr_array(matrix, dtype=np.uint8, copy=True)
    canonical.sum_duplicates()
    canonical.eliminate_zeros()
    canonical.sort_indices()
    return canonical
