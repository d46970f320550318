"""The parts of which synthetic datasets consist."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import holdout_mask
from mlsieve.hierarchy import Hierarchy
from mlsieve.seeds import derive_seed

_DECIMALS = 6


def generator_of(name: str, seed: int) -> np.random.Generator:
    """Return the random numbers of a dataset."""
    return np.random.Generator(np.random.Philox(derive_seed(seed, name)))


def neighbour_sums(signal: np.ndarray, n_labels: int) -> np.ndarray:
    """Return ``x_j + x_(j+1)/2`` for label j, indices modulo the number of columns; shape (n, n_labels)."""
    first = np.arange(n_labels) % signal.shape[1]
    return signal[:, first] + 0.5 * signal[:, (first + 1) % signal.shape[1]]


def upper_share(values: np.ndarray, share: float) -> np.ndarray:
    """Return True for the largest `share` of each column."""
    return values > np.quantile(values, 1 - share, axis=0)


def _labels(Y: np.ndarray) -> sp.csr_array:
    labels = sp.csr_array(Y.astype(np.uint8))
    labels.sort_indices()
    return labels


def dense_dataset(
    name: str,
    seed: int,
    rng: np.random.Generator,
    groups: dict[str, np.ndarray],
    Y: np.ndarray,
    permute_labels: bool,
    *,
    categories: Sequence[tuple[str, ...]] | None = None,
    sparse: bool = False,
    hierarchy: Hierarchy | None = None,
) -> Dataset:
    """Join the groups of features in shuffled order and make the dataset."""
    X = np.hstack(list(groups.values()))
    kinds = [kind for kind, values in groups.items() for _ in range(values.shape[1])]
    declared = list(categories or [()] * len(kinds))
    order = rng.permutation(X.shape[1])
    if permute_labels:
        Y = rng.permutation(Y)
    seen: dict[str, int] = {}
    names = []
    for kind in (kinds[k] for k in order):
        names.append(f"{kind}_{seen.setdefault(kind, 0)}")
        seen[kind] += 1
    columns = {
        kind: [place for place, k in enumerate(order) if kinds[k] == kind]
        for kind in ("relevant", "redundant")
    }
    X = np.ascontiguousarray(np.round(X[:, order], _DECIMALS))
    return Dataset(
        name=name,
        X=sp.csr_array(X) if sparse else X,
        Y=_labels(Y),
        train_mask=holdout_mask(len(X), derive_seed(seed, name, "split")),
        nominal=np.array([bool(declared[k]) for k in order], dtype=bool),
        categories=tuple(declared[k] for k in order),
        feature_names=tuple(names),
        label_names=tuple(f"label_{j}" for j in range(Y.shape[1])) if hierarchy is None else hierarchy.names,
        task="mlc" if hierarchy is None else "hmlc",
        hierarchy=hierarchy,
        facts={"seed": int(seed), "permuted": permute_labels, **columns},
    )
