"""What estimators accept: y, nominal features of X, seeds and numbers of threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.examples import given_labels, is_label_table, require_labels
from mlsieve.data.exchange.frame_labels import named_labels
from mlsieve.data.exchange.whole_numbers import OF_ARRAYS, merged_columns, tell_of_long
from mlsieve.data.frames import FrameColumns, as_pandas, is_frame, require_one_level
from mlsieve.errors import UserError, composed, did_you_mean, number_of

# How scikit-learn's validate_data takes X: float64, dense or CSR, NaN allowed.
FLOAT_ROWS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float64,
    "order": "C",
    "ensure_all_finite": "allow-nan",
}
MOST_CATEGORIES = 2**20  # each takes memory, used or not
_BLOCK_CELLS = 2**13  # that are looked at together


class FeatureError(ValueError):
    """A feature that a method does not take.

    Parameters
    ----------
    feature : int
        Its index.
    what : str
        What is wrong; it follows the feature.
    hint : str
        How to mend it.
    names : sequence of str, optional
        Of all features.
    """

    def __init__(self, feature: int, what: str, hint: str, names: Any = None) -> None:
        self.feature, self.what, self.hint = feature, what, hint
        called = f"feature {feature}" if names is None else f"feature {feature} ('{names[feature]}')"
        super().__init__(f"{called} {what}: {hint}")


def require_examples(X: Any, y: Any = None) -> None:
    """Raise a ValueError if X or y has no rows.

    Parameters
    ----------
    X, y : array-like or scipy.sparse array
        Not yet checked.
    """
    for name, given in (("X", X), ("y", y)):
        shape: tuple[int, ...] = (len(given),) if isinstance(given, list | tuple) else ()
        shape = getattr(given, "shape", shape)
        if len(shape) > 0 and shape[0] == 0:
            raise ValueError(f"{name} has no rows: give at least one example")


def label_targets(y: Any, *, single_label: bool = False) -> tuple[sp.csr_array, np.ndarray | None]:
    """Return y as a canonical label matrix.

    Parameters
    ----------
    y : array-like or scipy.sparse array, shape (n,), (n, 1) or (n, L)
        Several columns hold labels, and lists those of each example, in any form that `Dataset.from_frame`
        takes. One column holds classes of any kind and is binarised: one label a class.
    single_label : bool
        Whether a matrix of one column holds one label, instead of classes.

    Returns
    -------
    labels : scipy.sparse.csr_array of uint8, shape (n, L)
        Stored entries are all 1, indices sorted.
    classes : ndarray or None
        The classes of a single column, in label order; None for a 0/1 matrix.

    Raises
    ------
    ValueError
        If a matrix has no columns or holds what is no label, or a single column is continuous.
    """
    # Here, not above: commands that need no estimator do not wait for scikit-learn.
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    if is_label_table(y, single_label=single_label):
        [labels], _ = named_labels([y])
        require_labels(labels)
        return labels, None
    column = column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y))
    check_classification_targets(column)
    classes, codes = np.unique(column, return_inverse=True)
    n = len(column)
    matrix = sp.csr_array(
        (np.ones(n, np.uint8), codes.astype(np.int32), np.arange(n + 1)), shape=(n, len(classes))
    )
    return matrix, classes


def validated(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool = True, **checks: Any) -> Any:
    """Return what scikit-learn's `validate_data` returns, float64 and with NaN, and code what a frame holds.

    Texts and categories of a DataFrame become positions, see `mlsieve.data.frames`. `fit` (`reset`) learns
    them, and what comes later has the same positions; a category that `fit` did not see is missing then.

    Parameters
    ----------
    estimator : scikit-learn estimator
        With `reset`, ``n_features_in_`` is set, and of a frame ``feature_names_in_`` and ``_frame_columns``;
        of a frame or lists of labels ``label_names_in_``.
    X : array-like, DataFrame or scipy.sparse array, shape (n, F)
    y : labels in any form that `Dataset.from_frame` takes, or one column of classes, optional
        If it is to be checked with X. With an attribute ``hierarchy`` of the estimator, the labels are its
        classes.
    reset : bool
    **checks
        Further arguments of `validate_data`.

    Returns
    -------
    X : ndarray of float64, C-contiguous, or CSR
    y : only if given
        Labels as a csr_array of uint8, shape (n, L); a column of classes as it is.

    Raises
    ------
    ValueError
        If X is of the wrong shape or holds what no feature may hold, y holds what is no label, or both are
        pandas objects with different indexes.
    """
    from sklearn.utils.validation import validate_data

    X = as_pandas(X)
    require_one_level(X, "X")
    if reset:
        names = [composed(str(name)) for name in getattr(X, "columns", ())]
        merged = [names[place] if names else f"x{place}" for place in merged_columns([X])]
        tell_of_long(merged, OF_ARRAYS)
    if y is not None and not (isinstance(y, str) and y == "no_validation"):
        y = labels_given_to(estimator, X, y)
    if not reset:
        X = coded_as_fitted(estimator, X)
    elif is_frame(X):
        estimator._frame_columns = FrameColumns.of(X)
        X = estimator._frame_columns.coded(X)
    else:
        estimator._frame_columns = None
    return validate_data(estimator, X, y, reset=reset, **FLOAT_ROWS, **checks)


def coded_as_fitted(estimator: Any, X: Any) -> Any:
    """Return a DataFrame with the positions of the categories that `fit` learned; anything else as it is.

    Parameters
    ----------
    estimator : scikit-learn estimator
        That `validated` has seen. After a fit on an array, all columns must be numbers.
    X : array-like, DataFrame or scipy.sparse array, shape (n, F)

    Raises
    ------
    ValueError
        If a frame has other columns than that of `fit`, or texts in a numeric one.
    """
    from sklearn.utils.validation import validate_data

    X = as_pandas(X)
    require_one_level(X, "X")
    if not is_frame(X):
        return X
    validate_data(estimator, X, reset=False, skip_check_array=True)  # the names and number of the columns
    columns = getattr(estimator, "_frame_columns", None)
    if columns is None:
        columns = FrameColumns(tuple(map(str, X.columns)), (None,) * X.shape[1])
    return columns.coded(X)


def labels_given_to(estimator: Any, X: Any, y: Any) -> Any:
    """Return what `given_labels` makes of y, and set ``label_names_in_`` if y names the labels.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Its attribute ``hierarchy``, if it has one, is that of the labels.
    X, y : as they are given to ``fit``
    """
    labels, names = given_labels(X, y, getattr(estimator, "hierarchy", None))
    if names is not None:  # ndarray of str, shape (L,)
        estimator.label_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "label_names_in_"):
        del estimator.label_names_in_
    return labels


def nominal_with_frame(estimator: Any, nominal: Any) -> tuple[Any, np.ndarray | None]:
    """Return the nominal features of a fitted estimator, and how many categories its frame declares.

    Parameters
    ----------
    estimator : scikit-learn estimator
        That `validated` has seen.
    nominal : as for `nominal_mask`, or None
        Nominal features beside the frame's own.

    Returns
    -------
    nominal : ndarray of bool, shape (F,), or `nominal` itself without a nominal column
    declared : ndarray of int32, shape (F,), or None
    """
    columns = getattr(estimator, "_frame_columns", None)
    if columns is None or not columns.nominal.any():
        return nominal, None
    mask = columns.nominal
    if nominal is not None:
        names = getattr(estimator, "feature_names_in_", None)
        mask = mask | nominal_mask(nominal, len(mask), names)
    return mask, columns.n_categories


def nominal_mask(nominal: Any, n_features: int, names: Any = None) -> np.ndarray:
    """Return which features are nominal.

    Parameters
    ----------
    nominal : array-like of bool, shape (F,), of int (feature indices from 0), or of str (feature names)
    n_features : int
    names : array-like of str, shape (F,), optional
        Names of the features, where X has any.

    Returns
    -------
    mask : ndarray of bool, shape (F,)

    Raises
    ------
    ValueError
        If `nominal` is something else, or names a feature that does not exist.
    """
    accepted = "give a mask of booleans, feature indices, or names of X's columns"
    try:
        given = np.asarray(nominal)
    except ValueError:
        given = np.empty((0, 0))
    if given.ndim != 1 or (given.size and given.dtype.kind not in "biuUO"):
        raise ValueError(f"nominal = {nominal!r} is not accepted: {accepted}")
    if given.dtype.kind == "b":
        if len(given) != n_features:
            raise ValueError(f"nominal has {len(given)} entries, X has {number_of(n_features, 'feature')}")
        return given
    known = {} if names is None else {composed(str(name)): place for place, name in enumerate(names)}
    mask = np.zeros(n_features, bool)
    for item in given.tolist():
        if isinstance(item, str):
            item = composed(item)
            if item not in known:
                why = did_you_mean(item, list(known)) if known else "X has no column names; give indices"
                raise ValueError(f"nominal names '{item}', which is not a feature: {why}")
            mask[known[item]] = True
        elif isinstance(item, bool) or not isinstance(item, int):
            raise ValueError(f"nominal holds {item!r}: {accepted}")
        elif not 0 <= item < n_features:
            raise ValueError(
                f"nominal holds the index {item}, X has {number_of(n_features, 'feature')}, counted from 0"
            )
        else:
            mask[item] = True
    return mask


def label_set_classes(y: sp.csr_array) -> tuple[np.ndarray, int]:
    """Return the class of each row, where each distinct set of labels is a class.

    Parameters
    ----------
    y : csr_array, shape (n, L)
        0/1 labels, indices sorted.

    Returns
    -------
    classes : ndarray of int32, shape (n,)
        Numbered in the order in which the sets first occur.
    n_classes : int
    """
    known: dict[bytes, int] = {}
    indices = np.ascontiguousarray(y.indices, dtype=np.int32)
    starts = y.indptr.tolist()
    classes = [
        known.setdefault(indices[first:last].tobytes(), len(known))
        for first, last in itertools.pairwise(starts)
    ]
    return np.array(classes, dtype=np.int32), len(known)


def _cells_in_blocks(X: Any, mask: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the features and the values of some cells, all of the features in the mask, in blocks."""
    if sp.issparse(X):
        rows = sp.csr_array(X)
        for first in range(0, rows.nnz, _BLOCK_CELLS):
            features = rows.indices[first : first + _BLOCK_CELLS]
            own = mask[features]
            yield features[own], rows.data[first : first + _BLOCK_CELLS][own]
        return
    features = np.flatnonzero(mask)
    height = max(1, _BLOCK_CELLS // max(len(features), 1))
    for first in range(0, X.shape[0] if len(features) else 0, height):
        values = X[first : first + height, features]
        yield np.tile(features, len(values)), values.ravel()


def category_counts(
    X: Any, nominal: Any, n_features: int, names: Any = None, declared: Any = None
) -> np.ndarray | None:
    """Return the number of categories of each nominal feature (0: numeric), or None without nominal features.

    Parameters
    ----------
    X : ndarray or scipy.sparse array, shape (n, F)
        Nominal features hold category positions 0, 1, ...
    nominal, n_features, names
        As for `nominal_mask`; None: there is no nominal feature.
    declared : array-like of int, shape (F,), optional
        Least numbers of categories; default: as many as occur.

    Raises
    ------
    ValueError
        If a nominal feature holds anything but positions, or `nominal` or `declared` does not fit X.
    """
    if declared is not None and np.shape(declared) != (n_features,):
        raise ValueError(
            f"n_categories has the shape {np.shape(declared)}, X has {number_of(n_features, 'feature')}:"
            " give one number per feature"
        )
    if nominal is None:
        return None
    mask = nominal_mask(nominal, n_features, names)
    counts = np.zeros(n_features, np.int32)
    largest = np.zeros(n_features)
    first_wrong = n_features
    for features, values in _cells_in_blocks(X, mask):
        wrong = features[(values < 0) | (values != np.floor(values)) & ~np.isnan(values)]
        first_wrong = min(first_wrong, int(wrong.min(initial=n_features)))
        np.fmax.at(largest, features, values)
    if first_wrong < n_features:
        raise ValueError(f"nominal feature {first_wrong} must hold category positions 0, 1, ...")
    for feature in np.flatnonzero(largest >= MOST_CATEGORIES)[:1]:
        raise ValueError(
            f"nominal feature {feature} holds the category position {largest[feature]:.0f}: at most"
            f" {MOST_CATEGORIES} categories are taken, numbered 0, 1, ... without gaps"
        )
    counts[mask] = np.maximum(2, largest[mask].astype(np.int32) + 1)
    return counts if declared is None else np.where(counts > 0, np.maximum(counts, declared), 0)


def require_test_part(n_test: int, name: str, *, also: str = " here and to 'mlsieve rank'") -> None:
    """Raise a UserError if a dataset has no test rows; `also` says which commands need the same split."""
    if n_test == 0:
        raise UserError(
            f"dataset '{name}' has no test part", hint=f"give --test FILE, or --split holdout{also}"
        )


def seed_from(random_state: Any) -> int:
    """Return the seed of a random_state: an int itself, one draw from a generator, or None a fresh one.

    As in scikit-learn, None draws from numpy's global generator: each call gives another seed, and
    ``numpy.random.seed`` makes the seeds repeatable.

    Raises
    ------
    ValueError
        If it is something else, or not within 0 .. 2**63 - 1.
    """
    if random_state is None or random_state is np.random:
        random_state = np.random.mtrand._rand  # scikit-learn's check_random_state, without its import
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)):
        raise ValueError(f"random_state = {random_state!r} is neither a whole number nor a generator")
    if not 0 <= random_state < 2**63:
        raise ValueError(f"random_state = {random_state} is not within 0 .. 2**63 - 1")
    return int(random_state)


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that n_jobs asks for: None is 1, -1 all cores, -2 all but one.

    Raises
    ------
    ValueError
        If it is 0, or no whole number.
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ValueError(
            f"n_jobs = {n_jobs!r} is not a number of threads: give 1, 2, ..., or -1 for all cores"
        )
    n_jobs = int(n_jobs)
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
