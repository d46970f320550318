"""Labels as evaluators take them: a 0/1 matrix of several labels, or one column of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError


class InvalidInput(UserError, ValueError):
    """Wrong input to an estimator: a ValueError, as scikit-learn asks, that the command line prints in one line."""


def label_indicator(Y: Any) -> tuple[sp.csr_array, np.ndarray, bool]:
    """Return labels as a 0/1 matrix.

    Parameters
    ----------
    Y : array-like or sparse, shape (n,), (n, 1) or (n, L)
        Several columns must be 0/1; a single column holds classes and becomes one 0/1 column a class.

    Returns
    -------
    indicator : csr_array of uint8, shape (n, L)
        Stored entries are all 1, indices sorted.
    classes : ndarray, shape (L,)
        The classes; 0 .. L - 1 for labels.
    multi_label : bool

    Raises
    ------
    InvalidInput
        If a matrix of several labels holds anything but 0 and 1.
    """
    from sklearn.utils.multiclass import check_classification_targets

    if sp.issparse(Y) and Y.shape[1] > 1:
        matrix = sp.csr_array(Y)
        if not np.isin(matrix.data, (0, 1)).all():
            raise InvalidInput("labels are not 0/1", cure="give 1 for a label that an example has, else 0")
    else:
        Y = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
        if Y.ndim == 1 or Y.shape[1] == 1:
            column = Y.reshape(-1)
            check_classification_targets(column)
            classes, codes = np.unique(column, return_inverse=True)
            return _one_hot(codes, len(classes)), classes, False
        if not np.isin(Y, (0, 1)).all():
            raise InvalidInput("labels are not 0/1", cure="give 1 for a label that an example has, else 0")
        matrix = sp.csr_array(Y.astype(np.uint8))
    matrix = sp.csr_array(matrix, dtype=np.uint8, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix, np.arange(matrix.shape[1]), True


def _one_hot(codes: np.ndarray, n_classes: int) -> sp.csr_array:
    n = len(codes)
    return sp.csr_array(
        (np.ones(n, np.uint8), codes.astype(np.int32), np.arange(n + 1)), shape=(n, n_classes)
    )
