"""Mutual information of discrete features with labels and with each other, one chosen at a time."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.discrete.co_information import label_pair_information
from mlsieve._kernels.discrete.mutual_information import (
    entropies,
    feature_information,
    label_counts,
    label_information,
)
from mlsieve.data.coded_columns import code_columns
from mlsieve.data.column_contents import canonical_places, column_digests


class DiscreteData:
    """Discrete features and labels, coded once, and their plug-in entropies in bits.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        Every distinct value counts as a category of its own; so does NaN, missing.
    Y : scipy.sparse.csr_array, shape (n, L)
        0/1 labels.
    digests : ndarray of uint64, shape (F,), optional
        Of the columns' content, for `places`; default those of X.
    """

    def __init__(self, X: Any, Y: sp.csr_array, digests: np.ndarray | None = None) -> None:
        self._digests = column_digests(X) if digests is None else digests
        self.n_labels = int(Y.shape[1])
        self._store = code_columns(_with_missing_as_a_value(X), with_tests=False)
        self._labels = (
            np.ascontiguousarray(Y.indptr, dtype=np.int64),
            np.ascontiguousarray(Y.indices, dtype=np.int32),
        )
        counts = np.arange(Y.shape[0] + 1, dtype=np.float64)
        self._xlogx = counts * np.log2(np.maximum(counts, 1.0))
        # The largest unit, a power of two, with which no sum over labels and cells leaves 63 bits.
        largest = 4.0 * (self.n_labels + 1) * max(float(self._xlogx[-1]), 1.0)
        self._unit = 2.0 ** (62 - math.ceil(math.log2(largest)))
        self._units = np.rint(self._xlogx * self._unit).astype(np.int64)

    def places(self, seed: int) -> np.ndarray:
        """Return each feature's place in the canonical order of a seed; ndarray of intp, shape (F,)."""
        return canonical_places(self._digests, seed)

    @property
    def n_rows(self) -> int:
        """n."""
        return self._store.n_rows

    @property
    def n_features(self) -> int:
        """F."""
        return self._store.n_features

    @cached_property
    def entropy(self) -> np.ndarray:
        """H(f) of each feature; ndarray of float64, shape (F,); exactly 0 for a constant."""
        return entropies(self._store, self._units, self._unit)

    @cached_property
    def relevance(self) -> np.ndarray:
        """Sum over labels of M(f; l); ndarray of float64, shape (F,)."""
        return label_information(self._store, *self._labels, self.n_labels, self._units, self._unit)

    @cached_property
    def label_pair_information(self) -> np.ndarray:
        """Sum over pairs of labels of the co-information M(f; l; l'), each pair once; shape (F,).

        M(f; l; l') = M(f; l) - M(f; l | l'), symmetric in all three; L * L counts are kept meanwhile.
        """
        return label_pair_information(self._store, *self._labels, self.n_labels, self._xlogx)

    @cached_property
    def label_pair_relevance(self) -> np.ndarray:
        """Sum over all l and l' != l of M(f; l | l'); ndarray of float64, shape (F,)."""
        return (self.n_labels - 1) * self.relevance - 2.0 * self.label_pair_information

    @cached_property
    def _listed_positives(self) -> np.ndarray:
        """F * L counts, which spare each `relevance_given` most of its counting."""
        return label_counts(self._store, *self._labels, self.n_labels)

    def redundancy(self, chosen: int) -> np.ndarray:
        """Return M(f; s) of every feature with one of them; ndarray of float64, shape (F,)."""
        return feature_information(self._store, chosen, self._units, self._unit)

    def relevance_given(self, chosen: int) -> np.ndarray:
        """Return the sum over labels of M(f; l | s) for one feature s; ndarray of float64, shape (F,)."""
        given = (chosen, self._listed_positives)
        return label_information(self._store, *self._labels, self.n_labels, self._units, self._unit, *given)


def _with_missing_as_a_value(X: Any) -> Any:
    """Return X with NaN replaced by a number that no feature holds."""
    values = X.data if sp.issparse(X) else X
    missing = np.isnan(values)
    if not missing.any():
        return X
    filled = X.copy()
    (filled.data if sp.issparse(X) else filled)[missing] = np.nanmax(np.abs(values), initial=0.0) * 2 + 1
    return filled
