"""X and Y as people hold them in Python: whether their rows belong together, and labels of any form."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.frame_labels import holds_lists, named_labels, of_hierarchy, place_of
from mlsieve.errors import InvalidSetting, number_of
from mlsieve.hierarchy import Hierarchy


def require_same_rows(X: Any, Y: Any) -> None:
    """Raise an InvalidSetting if X or Y has no rows to count, or their rows do not belong together.

    Parameters
    ----------
    X, Y : DataFrame, Series, array, sparse array or list
        Of the same number of rows; see `require_same_index` for the rows of pandas objects.
    """
    rows = [_rows_of(given, name) for given, name in ((X, "X"), (Y, "Y"))]
    if rows[0] != rows[1]:
        known = _both_indexed(X, Y) and Y.index.is_unique and X.index.isin(Y.index).all()
        raise InvalidSetting(
            f"X has {number_of(rows[0], 'row')}, Y has {rows[1]}",
            hint="give Y.loc[X.index] in place of Y" if known else "give as many",
        )
    require_same_index(X, Y)


def _rows_of(given: Any, name: str) -> int:
    shape = getattr(given, "shape", None)
    hint = "give a pandas DataFrame, an array or a sparse array"
    if isinstance(given, str | os.PathLike):
        raise InvalidSetting(
            f"{name} is the text or path '{given}', not a table",
            hint="read the file first: mlsieve.data.load_dataset, pandas.read_csv",
        )
    if isinstance(given, Mapping):
        raise InvalidSetting(f"{name} is a mapping, not a table", hint=f"give pandas.DataFrame({name})")
    if shape == () or (shape is None and not isinstance(given, list | tuple)):
        what = "None" if given is None else f"of the type {type(given).__name__}"
        raise InvalidSetting(f"{name} is {what}, not a table", hint=hint)
    return len(given) if shape is None else int(shape[0])


def _both_indexed(X: Any, Y: Any) -> bool:
    return all(hasattr(given, "iloc") and hasattr(given, "index") for given in (X, Y))


def require_same_index(X: Any, Y: Any, name: str = "Y", first: str = "X") -> None:
    """Raise an InvalidSetting if two pandas objects of as many rows have different indexes.

    Rows are matched by position, and an index says what they are: one that differs in its order or its
    values belongs to other rows. Equal indexes in the same order, shuffled or not, are those of one split;
    an array has none.

    Parameters
    ----------
    X, Y : anything
        Only pandas objects are looked at.
    name, first : str
        Of the second and of the first one, for the message.
    """
    if not _both_indexed(X, Y) or len(X.index) != len(Y.index) or X.index.equals(Y.index):
        return
    pairs = list(zip(X.index.tolist(), Y.index.tolist(), strict=True))
    place = next((place for place, pair in enumerate(pairs) if not _are_alike(*pair)), None)
    if place is None:  # of different dtypes
        return
    if X.index.is_unique and Y.index.is_unique and X.index.isin(Y.index).all():
        raise InvalidSetting(
            f"{first} and {name} have the same index in different orders",
            hint=f"give {name}.loc[{first}.index] in place of {name},"
            " or both .reset_index(drop=True) if their rows are in the same order",
        )
    ours, theirs = pairs[place]
    raise InvalidSetting(
        f"the indexes of {first} and {name} differ:"
        f" row {place} is {ours!r} in {first} and {theirs!r} in {name}",
        hint="if their rows are in the same order, give both .reset_index(drop=True)",
    )


def _are_alike(one: Any, other: Any) -> bool:
    """Return whether two entries of an index are equal, or both missing."""
    try:
        return bool(one == other) or (one != one and other != other)
    except TypeError:  # NA is neither equal to anything nor different from it
        return one is other


def is_label_table(Y: Any, *, single_label: bool = False) -> bool:
    """Return whether Y holds labels, and not one column of classes.

    Parameters
    ----------
    Y : array-like or sparse array
    single_label : bool
        Whether a matrix of one column holds one label, instead of classes.
    """
    if sp.issparse(Y) or holds_lists(Y):
        return True
    try:
        shape = Y.shape if hasattr(Y, "shape") else np.asarray(Y).shape
    except ValueError:  # a list of rows of different lengths
        return False
    return len(shape) == 2 and (shape[1] != 1 or single_label)


def given_labels(X: Any, Y: Any, hierarchy: Hierarchy | None = None) -> tuple[Any, tuple[str, ...] | None]:
    """Return labels of any form that `Dataset.from_frame` takes as a matrix, one column of classes as it is.

    Parameters
    ----------
    X : array-like, DataFrame or sparse array, shape (n, F)
        The rows that the labels belong to; of those without an index nothing is asked.
    Y : anything
    hierarchy : Hierarchy, optional
        Of the labels. Lists of labels then have one column for each of its classes, in its order.

    Returns
    -------
    Y : csr_array of uint8, shape (n, L), or what was given
    names : tuple of str, or None
        Of the labels, where Y names them: the columns of a frame with texts as names, or the labels in
        lists.

    Raises
    ------
    InvalidSetting
        If X and Y have different indexes, Y has no labels or holds what is no label, or its columns are in
        another order than the hierarchy's.
    """
    if isinstance(Y, str | int | float | Mapping):
        _rows_of(Y, "Y")  # which refuses it
    require_same_index(X, Y)
    names = column_names(Y)
    if not is_label_table(Y, single_label=hierarchy is not None):
        return Y, names
    [matrix], found = named_labels([Y])
    if holds_lists(Y):
        names = found
        if hierarchy is not None:
            matrix, names, _ = of_hierarchy(matrix, names, hierarchy)
    require_labels(matrix)
    if hierarchy is not None and names is not None and names != hierarchy.names:
        if set(names) == set(hierarchy.names):
            raise InvalidSetting(
                "the columns of Y are in another order than the classes of the hierarchy",
                hint="give Y[list(hierarchy.names)]",
            )
    return matrix, names


def column_names(table: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns as texts; None for anything else, and for columns 0, 1, ..."""
    names = list(getattr(table, "columns", ()))
    return tuple(map(str, names)) if names and names != list(range(len(names))) else None


def require_labels(matrix: Any) -> None:
    """Raise an InvalidSetting if a label matrix has no columns."""
    if matrix.shape[1] == 0:
        raise InvalidSetting("Y has no labels", hint="give at least one column, or a row with a label")


def labels_as_fitted(estimator: Any, X: Any, Y: Any) -> sp.csr_array:
    """Return the labels of further rows X, with the columns that `fit` saw.

    Parameters
    ----------
    estimator : fitted estimator of label sets
    X : anything
    Y : labels of any form that `fit` takes, shape (n, L)
        Lists, and frames of named columns, are put into the order that `fit` saw.

    Raises
    ------
    InvalidSetting
        If Y holds other labels, or its index is not that of X.
    """
    require_same_index(X, Y)
    [matrix], names = named_labels([Y])
    known = getattr(estimator, "label_names_in_", None)
    if known is None and holds_lists(Y):
        raise InvalidSetting(
            "Y holds lists of labels, and fit saw a matrix without names", hint="give a 0/1 matrix"
        )
    if known is None or (not holds_lists(Y) and column_names(Y) is None):
        return matrix
    place = place_of(names, tuple(map(str, known)), "label that fit saw")
    if not holds_lists(Y) and len(names) < len(known):
        missing = next(name for name in known if name not in names)
        raise InvalidSetting(f"Y has no column '{missing}'", hint="give all labels that fit saw")
    given = sp.coo_array(matrix)
    wide = sp.csr_array(
        (given.data, (given.coords[0], place[given.coords[1]])), shape=(matrix.shape[0], len(known))
    )
    wide.sort_indices()
    return wide
