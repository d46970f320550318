"""Data as selectors of mutual information take them: numeric features cut, all others as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.column_contents import column_digests
from mlsieve.data.exchange.examples import formerly
from mlsieve.data.validation import nominal_mask
from mlsieve.discretize.cuts import Discretization, learn_cuts
from mlsieve.discretize.information import DiscreteData


@formerly(Y="y")
def discrete_data(
    X: Any,
    y: sp.csr_array,
    *,
    method: Discretization,
    nominal: Any = None,
    names: Any = None,
    digests: np.ndarray | None = None,
) -> DiscreteData:
    """Cut the numeric features on the rows in use, and code all features.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        NaN is missing.
    y : csr_array, shape (n, L)
        0/1 labels.
    method : str
        See `mlsieve.discretize.learn_cuts`.
    nominal, names
        As for `mlsieve.data.validation.nominal_mask`; None: all features are numeric.
    digests : ndarray of uint64, shape (F,), optional
        Of the columns' content, which decide ties; default those of X, before it is cut.
    """
    digests = column_digests(X) if digests is None else digests
    numeric = None if nominal is None else ~nominal_mask(nominal, X.shape[1], names)
    if method == "none" or (numeric is not None and not numeric.any()):
        return DiscreteData(X, y, digests)
    return DiscreteData(learn_cuts(X, y, method=method, numeric=numeric).transform(X), y, digests)
