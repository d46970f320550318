"""X and y as people hold them in Python: whether their rows belong together, and labels of any form."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.frame_labels import holds_lists, named_labels, of_hierarchy, place_of
from mlsieve.data.frames import as_pandas
from mlsieve.errors import InvalidSetting, composed, number_of
from mlsieve.hierarchy import Hierarchy

Function = TypeVar("Function", bound=Callable[..., Any])


def formerly(**names: str) -> Callable[[Function], Function]:
    """Return a decorator that lets a public function or method take arguments by their former names, too.

    For one release: a former name gives a FutureWarning. Arguments that do not fit raise a TypeError that
    names the class of the object, and not the base that has the method.

    Parameters
    ----------
    **names : str
        The name of today of each former name.
    """

    def decorated(function: Function) -> Function:
        signature = inspect.signature(function)
        is_method = next(iter(signature.parameters)) in ("self", "cls")

        @functools.wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            name = function.__name__
            if is_method:
                owner = args[0] if isinstance(args[0], type) else type(args[0])
                name = f"{owner.__name__}.{name}"
            try:
                for former, now in names.items():
                    if former not in given:
                        continue
                    if now in signature.bind_partial(*args).arguments or now in given:
                        raise TypeError(f"got {now} twice, once by its former name {former}")
                    warnings.warn(
                        f"{name}() takes {former} by the name {now} now; {former} will be refused",
                        FutureWarning,
                        stacklevel=2,
                    )
                    given[now] = given.pop(former)
                signature.bind(*args, **given)
            except TypeError as error:
                raise TypeError(f"{name}() {error}") from None
            return function(*args, **given)

        return cast(Function, called)

    return decorated


def require_same_rows(X: Any, y: Any) -> None:
    """Raise an InvalidSetting if X or y has no rows to count, or their rows do not belong together.

    Parameters
    ----------
    X, y : DataFrame, Series, array, sparse array or list
        Of the same number of rows; see `require_same_index` for the rows of pandas objects.
    """
    rows = [_rows_of(given, name) for given, name in ((X, "X"), (y, "y"))]
    if rows[0] != rows[1]:
        known = _both_indexed(X, y) and y.index.is_unique and X.index.isin(y.index).all()
        raise InvalidSetting(
            f"X has {number_of(rows[0], 'row')}, y has {rows[1]}",
            hint="give y.loc[X.index] in place of y" if known else "give as many",
        )
    require_same_index(X, y)


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


def _both_indexed(X: Any, y: Any) -> bool:
    return all(hasattr(given, "iloc") and hasattr(given, "index") for given in (X, y))


def require_same_index(X: Any, y: Any, name: str = "y", first: str = "X") -> None:
    """Raise an InvalidSetting if two pandas objects of as many rows have different indexes.

    Rows are matched by position, and an index says what they are: one that differs in its order or its
    values belongs to other rows. Equal indexes in the same order, shuffled or not, are those of one split;
    an array has none.

    Parameters
    ----------
    X, y : anything
        Only pandas objects are looked at.
    name, first : str
        Of the second and of the first one, for the message.
    """
    if not _both_indexed(X, y) or len(X.index) != len(y.index) or X.index.equals(y.index):
        return
    pairs = list(zip(X.index.tolist(), y.index.tolist(), strict=True))
    place = next((place for place, pair in enumerate(pairs) if not _are_alike(*pair)), None)
    if place is None:  # of different dtypes
        return
    if X.index.is_unique and y.index.is_unique and X.index.isin(y.index).all():
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


def is_label_table(y: Any, *, single_label: bool = False) -> bool:
    """Return whether y holds labels, and not one column of classes.

    Parameters
    ----------
    y : array-like or sparse array
    single_label : bool
        Whether a matrix of one column holds one label, instead of classes.
    """
    if sp.issparse(y) or holds_lists(y):
        return True
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:  # a list of rows of different lengths
        return False
    return len(shape) == 2 and (shape[1] != 1 or single_label)


def given_labels(X: Any, y: Any, hierarchy: Hierarchy | None = None) -> tuple[Any, tuple[str, ...] | None]:
    """Return labels of any form that `Dataset.from_frame` takes as a matrix, one column of classes as it is.

    Parameters
    ----------
    X : array-like, DataFrame or sparse array, shape (n, F)
        The rows that the labels belong to; of those without an index nothing is asked.
    y : anything
    hierarchy : Hierarchy, optional
        Of the labels. Lists of labels then have one column for each of its classes, in its order.

    Returns
    -------
    y : csr_array of uint8, shape (n, L), or what was given
    names : tuple of str, or None
        Of the labels, where y names them: the columns of a frame with texts as names, or the labels in
        lists.

    Raises
    ------
    InvalidSetting
        If X and y have different indexes, y has no labels or holds what is no label, or its columns are in
        another order than the hierarchy's.
    """
    X, y = as_pandas(X), as_pandas(y)
    if isinstance(y, str | int | float | Mapping):
        _rows_of(y, "y")  # which refuses it
    require_same_index(X, y)
    names = column_names(y)
    if not is_label_table(y, single_label=hierarchy is not None):
        return y, names
    [matrix], found = named_labels([y])
    if holds_lists(y):
        names = found
        if hierarchy is not None:
            matrix, names, _ = of_hierarchy(matrix, names, hierarchy)
    require_labels(matrix)
    if hierarchy is not None and names is not None and names != hierarchy.names:
        if set(names) == set(hierarchy.names):
            raise InvalidSetting(
                "the columns of y are in another order than the classes of the hierarchy",
                hint="give y[list(hierarchy.names)]",
            )
    return matrix, names


def column_names(table: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns as texts; None for anything else, and for columns 0, 1, ..."""
    names = list(getattr(table, "columns", ()))
    return (
        tuple(composed(str(name)) for name in names) if names and names != list(range(len(names))) else None
    )


def require_labels(matrix: Any) -> None:
    """Raise an InvalidSetting if a label matrix has no columns."""
    if matrix.shape[1] == 0:
        raise InvalidSetting("y has no labels", hint="give at least one column, or a row with a label")


def labels_as_fitted(estimator: Any, X: Any, y: Any) -> sp.csr_array:
    """Return the labels of further rows X, with the columns that `fit` saw.

    Parameters
    ----------
    estimator : fitted estimator of label sets
    X : anything
    y : labels of any form that `fit` takes, shape (n, L)
        Lists, and frames of named columns, are put into the order that `fit` saw.

    Raises
    ------
    InvalidSetting
        If y holds other labels, or its index is not that of X.
    """
    X, y = as_pandas(X), as_pandas(y)
    require_same_index(X, y)
    [matrix], names = named_labels([y])
    known = getattr(estimator, "label_names_in_", None)
    if known is None and holds_lists(y):
        raise InvalidSetting(
            "y holds lists of labels, and fit saw a matrix without names", hint="give a 0/1 matrix"
        )
    if known is None or (not holds_lists(y) and column_names(y) is None):
        return matrix
    place = place_of(names, tuple(map(str, known)), "label that fit saw")
    if not holds_lists(y) and len(names) < len(known):
        missing = next(name for name in known if name not in names)
        raise InvalidSetting(f"y has no column '{missing}'", hint="give all labels that fit saw")
    given = sp.coo_array(matrix)
    wide = sp.csr_array(
        (given.data, (given.coords[0], place[given.coords[1]])), shape=(matrix.shape[0], len(known))
    )
    wide.sort_indices()
    return wide
