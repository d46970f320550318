"""Which features of a dataset are kept: those that are named, or that occur in most documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.labels import NO_FEATURES_HINT, chosen_names
from mlsieve.errors import UserError


def document_frequency(dataset: Dataset) -> np.ndarray:
    """Return in how many rows each feature is not zero; ndarray of int64, shape (F,).

    All rows count, training and test part; a missing value does not. Position 0 of a nominal feature, its
    first category, is its zero.
    """
    if sp.issparse(dataset.X):
        present = (dataset.X.data != 0) & ~np.isnan(dataset.X.data)
        return np.bincount(dataset.X.indices[present], minlength=dataset.X.shape[1]).astype(np.int64)
    return ((dataset.X != 0) & ~np.isnan(dataset.X)).sum(axis=0)


def require_document_frequency(wanted: Any) -> int | float:
    """Return how many features are to be kept: a count, or a share written with a point.

    Raises
    ------
    UserError
        On anything but a whole number from 1, or a share above 0 and at most 1.
    """
    if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted >= 1:
        return wanted
    if isinstance(wanted, float) and 0 < wanted <= 1:
        return wanted
    raise UserError(
        f"document frequency {wanted!r}: neither a count nor a share of the features",
        hint="give a count from 1, or a share above 0 and at most 1, written with a point, such as 0.05",
    )


def document_frequency_from(text: str) -> int | float:
    """Return how many features a text asks for; a number with a point is a share.

    Raises
    ------
    UserError
        If it is no such number.
    """
    for kind in (int, float):
        try:
            return require_document_frequency(kind(text))
        except ValueError:
            continue
    return require_document_frequency(text)


def with_frequent_features(dataset: Dataset, wanted: int | float) -> Dataset:
    """Return a dataset that keeps the features with the highest document frequency.

    Parameters
    ----------
    dataset : Dataset
    wanted : int or float
        A count (all features, if there are fewer), or a share of the features, rounded to the nearest count
        and at least one: 2 % of 47,236 are 945, 5 % of 23,146 are 1,157, as in the SCLS paper (section 4).

    Returns
    -------
    Dataset
        Its features are in the order of the data; of equally frequent ones the first are kept. Labels and
        split stay as they are.

    Raises
    ------
    UserError
        If `wanted` is neither.
    """
    wanted = require_document_frequency(wanted)
    n_features = dataset.X.shape[1]
    count = wanted if isinstance(wanted, int) else max(1, math.floor(wanted * n_features + 0.5))
    kept = np.sort(np.argsort(-document_frequency(dataset), kind="stable")[:count])
    fewer = with_features(dataset, kept)
    return replace(fewer, facts={**fewer.facts, "document_frequency": {"kept": wanted, "of": n_features}})


def with_features(dataset: Dataset, kept: np.ndarray) -> Dataset:
    """Return a dataset with some of its features; labels and split stay as they are.

    Parameters
    ----------
    dataset : Dataset
    kept : ndarray of int
        Their positions, in the order in which they are wanted.
    """
    X = dataset.X[:, kept]
    if sp.issparse(X):
        X = sp.csr_array(X)
        X.sort_indices()
    facts = dict(dataset.facts)
    for name in ("relevant", "redundant"):  # column indices, of synthetic data
        if name in facts:
            facts[name] = np.flatnonzero(np.isin(kept, facts[name])).tolist()
    return replace(
        dataset,
        X=X if sp.issparse(X) else np.ascontiguousarray(X),
        nominal=dataset.nominal[kept],
        categories=tuple(dataset.categories[feature] for feature in kept),
        feature_names=tuple(dataset.feature_names[feature] for feature in kept),
        facts=facts,
    )


def without_columns(dataset: Dataset, drop: Sequence[str], keep: Sequence[str]) -> Dataset:
    """Return a dataset without the features that `drop` names, and of the others those that `keep` names.

    Parameters
    ----------
    dataset : Dataset
    drop, keep : sequence of str
        Names and patterns, see `mlsieve.data.labels.chosen_names`; empty ones leave the features as they are.

    Raises
    ------
    UserError
        For a name that is not known, a label that is to be dropped, or if no feature is left.
    """
    if not drop and not keep:
        return dataset
    known = [*dataset.feature_names, *dataset.label_names]
    dropped = set(chosen_names(drop, known, file=dataset.name))
    label = next((name for name in dataset.label_names if name in dropped), None)
    if label is not None and label not in dataset.feature_names:
        raise UserError(f"attribute '{label}' is a label", file=dataset.name, hint="drop features only")
    wanted = set(chosen_names(keep, known, file=dataset.name)) if keep else set(known)
    left = [name in wanted and name not in dropped for name in dataset.feature_names]
    if not any(left):
        raise UserError("no features are left", file=dataset.name, hint=NO_FEATURES_HINT)
    chosen = with_features(dataset, np.flatnonzero(left))
    without = [name for name, is_left in zip(dataset.feature_names, left, strict=True) if not is_left]
    return replace(chosen, facts={**chosen.facts, "left_out": [*chosen.facts.get("left_out", []), *without]})
