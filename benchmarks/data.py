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
    """Return a Dataset with a training and a test part.

    Parameters
    ----------
    dataset : str
        Id in the catalog; a mere name where `shape` is given.
    shape : mapping, optional
        n (training rows), F, L and cardinality of synthetic data.
    """
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
    from mlsieve.data.dataset import Dataset

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + N_TEST, F))
    signal = np.stack([X[:, rng.integers(0, F, 3)].sum(axis=1) for _ in range(L)], axis=1)
    signal += rng.standard_normal(signal.shape)
    chosen = signal > np.quantile(signal, 1 - cardinality / L, axis=0)
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X),
        Y=sp.csr_array(chosen.astype(np.uint8)),
        train_mask=np.arange(n + N_TEST) < n,
        nominal=np.zeros(F, bool),
        categories=((),) * F,
        feature_names=tuple(f"x{i}" for i in range(F)),
        label_names=tuple(f"y{j}" for j in range(L)),
    )


def category_counts(dataset: Any) -> np.ndarray | None:
    """Return the number of categories of each nominal feature (0 for numeric ones), None without any."""
    counts = np.array([len(values) for values in dataset.categories], np.int32)
    return np.where(dataset.nominal, counts, 0).astype(np.int32) if dataset.nominal.any() else None
