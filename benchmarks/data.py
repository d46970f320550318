"""The data of the measurements: catalog sets by their id, and synthetic ones of a chosen shape."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[1]
N_TEST = 500  # rows of the test part of synthetic data


def find_mirror() -> None:
    """Name the data mirror beside the repository in MLSIEVE_MIRROR, unless another one is named."""
    beside = ROOT.parent / "shared" / "data"
    if not os.environ.get("MLSIEVE_MIRROR") and beside.is_dir():
        os.environ["MLSIEVE_MIRROR"] = str(beside)


def load(dataset: str, shape: dict[str, int] | None = None) -> Any:
    """Return a Dataset with a training and a test part (synthetic binary data are all training).

    Parameters
    ----------
    dataset : str
        Id in the catalog; a mere name where `shape` is given.
    shape : mapping, optional
        n (training rows), F, L and cardinality of synthetic data; with `ones`, binary ones; with `classes`
        instead of L, those of a hierarchy.
    """
    if shape is not None and "classes" in shape:
        from benchmarks import hierarchical

        return hierarchical.synthetic(dataset, **shape)
    if shape is not None and "ones" in shape:
        return binary_synthetic(dataset, **shape)
    if shape is not None:
        return synthetic(dataset, **shape)
    from mlsieve.data import load_dataset, split_dataset

    find_mirror()
    return split_dataset(load_dataset(dataset))


def synthetic(name: str, n: int, F: int, L: int, cardinality: int) -> Any:
    """Return dense numeric data: each label is set on the rows with the largest sums of three features.

    All labels are about equally frequent, ``cardinality / L`` of the rows. A part of the noise is the label's
    own, so that trees grow as deep as on real data.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + N_TEST, F))
    signal = np.stack([X[:, rng.integers(0, F, 3)].sum(axis=1) for _ in range(L)], axis=1)
    Y = _most_frequent(signal, cardinality / L, rng)
    return _dataset(name, np.ascontiguousarray(X), Y, n, ())


def binary_synthetic(name: str, n: int, F: int, L: int, cardinality: int, ones: int) -> Any:
    """Return sparse data of two values; labels as those of `synthetic`, of the features' sums.

    A row has `ones` features on average; the commonest has several times as many rows as the median one.
    """
    rng = np.random.default_rng(0)
    share = 1 / np.sqrt(1 + np.arange(F))
    share = np.minimum(share * ones / share.sum(), 0.5)
    columns = [rng.permutation(n)[: max(1, round(n * part))] for part in share]
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in columns])])
    cells = np.concatenate(columns).astype(np.int32)
    X = sp.csc_array((np.ones(len(cells)), cells, starts.astype(np.int32)), shape=(n, F)).tocsr()
    by_label = [X @ np.bincount(rng.integers(0, F, 3), minlength=F).astype(float) for _ in range(L)]
    Y = _most_frequent(np.stack(by_label, axis=1), cardinality / L, rng)
    return _dataset(name, X, Y, n, ("0", "1"))


def _most_frequent(signal: np.ndarray, share: float, rng: np.random.Generator) -> sp.csr_array:
    """Return labels that are set on a share of the rows, those with the largest noisy signal."""
    signal = signal + rng.standard_normal(signal.shape)
    return sp.csr_array((signal > np.quantile(signal, 1 - share, axis=0)).astype(np.uint8))


def _dataset(name: str, X: Any, Y: sp.csr_array, n_train: int, categories: tuple[str, ...]) -> Any:
    from mlsieve.data.dataset import Dataset

    n_features = X.shape[1]
    return Dataset(
        name=name,
        X=X,
        Y=Y,
        train_mask=np.arange(X.shape[0]) < n_train,
        nominal=np.full(n_features, bool(categories)),
        categories=(categories,) * n_features,
        feature_names=tuple(f"x{i}" for i in range(n_features)),
        label_names=tuple(f"y{j}" for j in range(Y.shape[1])),
    )


def category_counts(dataset: Any) -> np.ndarray | None:
    """Return the number of categories of each nominal feature (0 for numeric ones), None without any."""
    counts = np.array([len(values) for values in dataset.categories], np.int32)
    return np.where(dataset.nominal, counts, 0).astype(np.int32) if dataset.nominal.any() else None
