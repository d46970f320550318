"""Rankers made of chains: importances of boosted trees, and permutation of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.data.validation import nominal_mask
from mlsieve.errors import UserError
from mlsieve.rankings.ties import shared_by_copies
from mlsieve.registry import check_parameters, lookup
from mlsieve.registry.parameters import settings_of


def label_order_by_content(y: Any, seed: int) -> np.ndarray:
    """Return the labels in a seeded order by content: sums over labels then do not depend on their order.

    Parameters
    ----------
    y : csr_array, shape (n, L)
    seed : int

    Returns
    -------
    ndarray of int, shape (L,)
    """
    return canonical_order(column_digests(y), seed)


class FeaturesByContent(NamedTuple):
    """Features in a seeded order by content, and the way back.

    A method sees some of the rows only, and features that are copies of each other there need not be copies
    in the others. Which of them it prefers must not depend on their order in the data either.

    Attributes
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
    nominal : ndarray of bool, shape (F,), or None
    digests : ndarray of uint64, shape (F,)
        Of X's columns.
    order : ndarray of int, shape (F,)
        The data's column at each place.
    """

    X: Any
    nominal: np.ndarray | None
    digests: np.ndarray
    order: np.ndarray

    def scores_of_data(self, scores: np.ndarray) -> np.ndarray:
        """Return scores of shape (F,) in the data's order; columns of equal content share theirs."""
        found = np.empty(len(scores))
        found[self.order] = shared_by_copies(scores, self.digests)
        return found


def features_by_content(X: Any, nominal: Any, seed: int) -> FeaturesByContent:
    """Return the features in a seeded order by content.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
    nominal : array-like of bool, of int, or None
    seed : int
    """
    digests = column_digests(X)
    order = canonical_order(digests, seed)
    mask = None if nominal is None else nominal_mask(nominal, X.shape[1])[order]
    return FeaturesByContent(X[:, order], mask, digests[order], order)


def boosted_importances(
    model: Any, X: Any, y: Any, importance: str, each: Sequence[str] | None
) -> np.ndarray:
    """Fit boosted trees and return the importances of the features; columns of equal content share theirs.

    Parameters
    ----------
    model : MultiLabelXGBLearner or XDCCLearner
        Not fitted; its seed decides in which order it sees the labels, too.
    X : ndarray of float64 or csr_array, shape (n, F)
    y : csr_array, shape (n, L)
    importance : {"gain", "cover", "splits"}
    each : sequence of str, or None
        Several of these in its place.

    Returns
    -------
    ndarray of float64, shape (F,), or with each (len(each), F)
    """
    features = features_by_content(X, model.nominal, model.random_state)
    model.nominal = features.nominal
    model.learn(features.X, y[:, label_order_by_content(y, model.random_state)])
    scores = [features.scores_of_data(model.importances(one)) for one in each or (importance,)]
    return scores[0] if each is None else np.array(scores)


def further_parameters(id: str, settings: str) -> dict[str, Any]:
    """Return parameters of boosted trees that are given as one text, by their names in Python.

    Parameters
    ----------
    id : str
        Of the ranker, and of the method that predicts label sets by the same trees.
    settings : str
        ``name=value ...``, as `mlsieve chain` takes them.

    Raises
    ------
    UserError
        On a parameter that the method does not have, or that the ranker has by itself.
    """
    entry, own = lookup("chain", id), lookup("ranker", id).own_parameters()
    given = settings_of(settings.split(), "settings:", "max_bins=64 sketch=top")
    found = entry.arguments(check_parameters("chain", id, given))
    for short, name in zip(given, found, strict=True):
        if short in own or name in own:
            raise UserError(
                f"settings: '{short}' is a parameter of the ranker itself",
                hint=f"give {short if short in own else name} beside settings",
            )
    return found


def draws_of_settings(parameters: Mapping[str, Any]) -> bool:
    """Whether the seed decides more than ties: samples and projections are further parameters."""
    return bool(parameters["settings"])
