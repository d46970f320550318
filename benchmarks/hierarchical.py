"""Rows about classes of a hierarchy: datasets, amounts, synthetic hierarchies."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

DATASETS = ("cellcycle_FUN", "seq_FUN", "cellcycle_GO", "seq_GO")
# scikit-learn's multi-output forests know no missing values: the first set has none, of the second they are
# replaced by the feature's mean, on both sides.
COMPLETE = ("derisi_FUN", "gasch1_FUN")
TREES = {"hmlc-forest": 100, "hmlc-bagging": 10, "hmlc-complete": 100}
SKLEARN_TREES = 5
# CLUS does two parts of the work, and what lies between them is scaled; otherwise it does all of it.
CLUS_TREES = {
    ("hmlc-forest", "seq_FUN"): (10, 40),
    ("hmlc-forest", "cellcycle_GO"): (4, 14),
    ("hmlc-forest", "seq_GO"): (2, 8),
    ("hmlc-bagging", "seq_FUN"): (2, 5),
    ("hmlc-bagging", "cellcycle_GO"): (2, 3),
}
# It grows hardly two trees within minutes here: so many seconds give a lower bound.
CLUS_LIMITS = {("hmlc-bagging", "seq_GO"): 150.0}
# Both sides grow as many: all 100 of CLUS would take it minutes and, of the GO sets, many GB.
MEMORY_TREES = {"cellcycle_FUN": 20, "seq_FUN": 20, "cellcycle_GO": 5, "seq_GO": 4}

N_TOP, N_MIDDLE, N_PATHS = 10, 40, 3


def synthetic(name: str, n: int, F: int, classes: int) -> Any:
    """Return dense numeric data with a tree of three levels in which every example has nine classes.

    There are 10 top-level classes, 40 below them, and all the others below those; an example belongs to three
    of the second level, with different parents, to one leaf below each, and to all above. What it belongs to
    follows from the largest of noisy sums of features; which leaf below, from a feature alone.
    """
    from mlsieve.data.dataset import Dataset
    from mlsieve.hierarchy import Hierarchy

    rng = np.random.default_rng(0)
    n_leaves = classes - N_TOP - N_MIDDLE
    paths = [f"{top}" for top in range(N_TOP)]
    paths += [f"{middle % N_TOP}/{middle}" for middle in range(N_MIDDLE)]
    paths += [f"{leaf % N_MIDDLE % N_TOP}/{leaf % N_MIDDLE}/{leaf}" for leaf in range(n_leaves)]
    hierarchy = Hierarchy.from_parents(
        {path: [path.rpartition("/")[0]] if "/" in path else [] for path in paths}
    )
    X = rng.standard_normal((n, F))
    signal = np.stack([X[:, rng.integers(0, F, 3)].sum(axis=1) for _ in range(N_MIDDLE)], axis=1)
    signal += rng.standard_normal(signal.shape)
    # The best class below each top-level one, then the best three of these.
    below = np.arange(N_MIDDLE).reshape(-1, N_TOP).T
    best = np.stack([below[top][signal[:, below[top]].argmax(axis=1)] for top in range(N_TOP)], axis=1)
    order = np.argsort(-np.take_along_axis(signal, best, axis=1), axis=1)[:, :N_PATHS]
    middle = np.take_along_axis(best, order, axis=1)
    ranks = np.argsort(np.argsort(X, axis=0), axis=0) / n
    n_below = (n_leaves - middle + N_MIDDLE - 1) // N_MIDDLE
    leaf = middle + N_MIDDLE * (ranks[np.arange(n)[:, None], middle % F] * n_below).astype(np.int64)
    columns = N_TOP + N_MIDDLE + leaf
    rows = np.repeat(np.arange(n), N_PATHS)
    Y = hierarchy.close(sp.csr_array((np.ones(len(rows)), (rows, columns.ravel())), shape=(n, classes)))
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X),
        Y=Y,
        train_mask=np.ones(n, bool),
        nominal=np.zeros(F, bool),
        categories=((),) * F,
        feature_names=tuple(f"x{i}" for i in range(F)),
        label_names=hierarchy.names,
        task="hmlc",
        hierarchy=hierarchy,
    )


def synthetic_graph(terms: int) -> Any:
    """Return a directed acyclic graph of classes like the Gene Ontology: three roots, 1.4 parents a class.

    A class's first parent is one of those before it, mostly a late one, so that ways are up to about 15 edges
    long; two in five have a second one.
    """
    from mlsieve.hierarchy import Hierarchy

    rng = np.random.default_rng(0)
    parents: dict[str, list[str]] = {}
    for c in range(terms):
        first = int(c * rng.random() ** 0.7) if c >= 3 else -1
        second = int(c * rng.random()) if c >= 3 and rng.random() < 0.4 else -1
        parents[f"{c}"] = [f"{p}" for p in sorted({first, second} - {-1})]
    return Hierarchy.from_parents(parents)


def imputed(X: np.ndarray) -> np.ndarray:
    """Return dense features with the mean of a column's known values where one is missing."""
    return np.ascontiguousarray(np.where(np.isnan(X), np.nanmean(X, axis=0), X))
