"""Which features of a dataset are used, of one that is read already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.labels import NO_FEATURES_HINT, chosen_names
from mlsieve.errors import UserError


def with_features(dataset: Dataset, kept: np.ndarray) -> Dataset:
    """Return a dataset with some of its features; labels and split stay as they are.

    Parameters
    ----------
    dataset : Dataset
    kept : ndarray of int
        Their positions, ascending.
    """
    X = dataset.X[:, kept]
    facts = dict(dataset.facts)
    for name in ("relevant", "redundant"):  # column indices, of synthetic data
        if name in facts:
            facts[name] = np.flatnonzero(np.isin(kept, facts[name])).tolist()
    return replace(
        dataset,
        X=sp.csr_array(X) if sp.issparse(X) else np.ascontiguousarray(X),
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
