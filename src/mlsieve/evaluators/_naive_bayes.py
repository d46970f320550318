"""Multi-label naive Bayes on arrays: one classifier a label, at growing numbers of features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.discretize import Cuts, Discretization, learn_cuts
from mlsieve.evaluators._likelihoods import (
    CategoryLikelihoods,
    LabelCounts,
    Likelihoods,
    NormalLikelihoods,
    Terms,
    by_columns,
)

_TABLE_CELLS = 2**21  # of the tables of the features that are looked at together
# Sums of logarithms are rounded at this decimal: what is equal in exact arithmetic is so here, and no tie is
# decided by a rounding error.
_DECIMALS = 10
_FARTHEST = 800.0  # exp(-800) is 0


class LabelOdds:
    """Log-odds of each label given features that are independent given the label.

    The prior is (1 + n_l) / (2 + n). A missing value is ignored.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        Nominal features hold category positions 0, 1, ...; NaN is missing.
    labels : csr_array, shape (n, L)
        0/1.
    n_categories : ndarray of int, shape (F,)
        Number of categories of a nominal feature; 0 for a numeric one, taken as normally distributed.
    """

    def __init__(self, X: Any, labels: sp.csr_array, n_categories: np.ndarray) -> None:
        columns = by_columns(X)
        kinds = n_categories > 0
        of_label = np.bincount(labels.indices, minlength=labels.shape[1])
        self._take(n_categories, np.log1p(of_label) - np.log1p(labels.shape[0] - of_label), {})
        if kinds.any():
            own = columns if kinds.all() else sp.csc_array(columns[:, kinds])
            self._models[True] = CategoryLikelihoods(own, LabelCounts(own, labels), n_categories[kinds])
        if not kinds.all():
            own = columns if not kinds.any() else sp.csc_array(columns[:, ~kinds])
            self._models[False] = NormalLikelihoods(own, LabelCounts(own, labels))

    @classmethod
    def of_models(
        cls, n_categories: np.ndarray, prior: np.ndarray, models: dict[bool, Likelihoods]
    ) -> LabelOdds:
        """Return one that has learned priors, and likelihoods of nominal and of numeric features."""
        made = cls.__new__(cls)
        made._take(n_categories, prior, models)
        return made

    def _take(self, n_categories: np.ndarray, prior: np.ndarray, models: dict[bool, Likelihoods]) -> None:
        kinds = n_categories > 0
        self._n_categories, self._prior, self._models = n_categories, prior, models
        self._place = np.where(kinds, np.cumsum(kinds), np.cumsum(~kinds)) - 1  # among those of its kind

    def growing(self, X: Any, order: np.ndarray, sizes: Sequence[int]) -> Iterator[np.ndarray]:
        """Yield the log-odds given the first features of an order, for one number of features after another.

        Each feature is looked at once, and the sums are taken feature by feature: what they are at one size
        does not depend on the others.

        Parameters
        ----------
        X : ndarray of float64 or scipy.sparse array, shape (m, F)
        order : ndarray of int, shape (at least sizes[-1],)
            Feature indices.
        sizes : sequence of int
            Rising.

        Yields
        ------
        ndarray of float64, shape (m, L)
        """
        columns = by_columns(X)
        kinds = self._n_categories > 0
        parts = {
            kind: columns if (kinds == kind).all() else columns[:, kinds == kind] for kind in self._models
        }
        total = np.zeros((columns.shape[0], len(self._prior)))
        constant, done = self._prior, 0
        for size in sizes:
            for block in self._blocks(order[done:size], columns.shape[0]):
                terms = self._terms(parts, block)
                constant = np.add.accumulate(np.vstack([constant, terms.constant]))[-1]
                total = _added(total, terms)
            done = size
            yield total + constant

    def _blocks(self, features: np.ndarray, n_rows: int) -> list[np.ndarray]:
        """Cut features where their tables would become too large."""
        columns = np.where(self._n_categories > 0, np.minimum(self._n_categories, n_rows) + 1, 3)[features]
        share = np.cumsum(columns.astype(np.int64) * len(self._prior)) // _TABLE_CELLS
        cuts = np.flatnonzero(np.diff(share)) + 1
        return [block for block in np.split(features, cuts) if len(block)]

    def _terms(self, parts: dict[bool, sp.csc_array], features: np.ndarray) -> Terms:
        """Return what features of both kinds add, in their order."""
        nominal = self._n_categories[features] > 0
        found = []
        for kind, model in self._models.items():
            chosen = np.flatnonzero(nominal == kind)
            if len(chosen):
                found.append((chosen, model.terms(parts[kind], self._place[features[chosen]])))
        if len(found) == 1:
            return found[0][1]
        constant = np.empty((len(features), len(self._prior)))
        for chosen, terms in found:
            constant[chosen] = terms.constant
        owner = np.concatenate([chosen[terms.owner] for chosen, terms in found])
        order = np.argsort(owner, kind="stable")
        cells = sp.hstack([terms.cells for _, terms in found], format="csc")[:, order]
        return Terms(
            constant, cells, owner[order], np.concatenate([terms.table for _, terms in found])[order]
        )


def learned_cuts(
    X: Any, labels: sp.csr_array, n_categories: np.ndarray, method: Discretization | None
) -> tuple[Cuts | None, np.ndarray]:
    """Learn where to cut the numeric features.

    Parameters
    ----------
    X : ndarray or csr_array of float64, shape (n, F)
    labels : csr_array, shape (n, L)
    n_categories : ndarray of int, shape (F,)
        0 for a numeric feature.
    method : str or None
        See `mlsieve.discretize.learn_cuts`; None: they stay numeric.

    Returns
    -------
    cuts : Cuts or None
        None where there is nothing to cut.
    n_categories : ndarray of int, shape (F,)
        Of the features so cut.
    """
    numeric = n_categories == 0
    if method is None or not numeric.any():
        return None, n_categories
    cuts = learn_cuts(X, labels, method=method, numeric=numeric)
    return cuts, np.where(numeric, np.diff(cuts.start) + 1, n_categories)


def _added(total: np.ndarray, terms: Terms) -> np.ndarray:
    """Return total + cells @ table.

    As one product of sparse rows, which sums a row's cells one after the other and begins with the total: so
    the last bits do not depend on where features are parted.
    """
    rows = sp.hstack([sp.eye_array(len(total), format="csc"), terms.cells], format="csr")
    return np.asarray(rows @ np.concatenate([total, terms.table]))


def rounded_odds(odds: np.ndarray) -> np.ndarray:
    """Return a copy of log-odds within limits beyond which posteriors do not change, less rounding errors."""
    rounded = np.clip(odds, -_FARTHEST, _FARTHEST)
    return np.round(rounded, _DECIMALS, out=rounded)


def posterior(odds: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-odds)) of log-odds, in [0, 1]; exactly 1/2 where they are even.

    As exp(min(odds, 0)) / (1 + exp(-|odds|)), in which nothing overflows.
    """
    upper = rounded_odds(odds)
    lower = np.abs(upper)
    np.negative(lower, out=lower)
    np.minimum(upper, 0.0, out=upper)
    with np.errstate(under="ignore"):  # such a posterior is 0
        np.exp(lower, out=lower)
        np.exp(upper, out=upper)
        lower += 1.0
        upper /= lower
    return upper
