"""mlsieve: the functions that its estimators and commands call, from data in memory to the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.contenders import ours_hierarchical
from benchmarks.data import category_counts, load

ENSEMBLES = {
    "forest": "random-forest",
    "scores": "random-forest",
    "bagging": "bagging",
    "extra-trees": "extra-trees",
}


def available() -> str | None:
    """Return None: it is what is measured."""
    return None


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    if spec["work"] == "pairs" or spec["work"].startswith("hmlc-"):
        return ours_hierarchical.prepare(spec)
    dataset = load(spec["dataset"], spec.get("shape"))
    threads, amount = spec["threads"], spec["amount"]
    if spec["work"] in ENSEMBLES:
        return _growing(dataset, spec["work"], amount, threads)
    if spec["work"] == "relief":
        return _relief(dataset, threads)
    if spec["work"] in ("selection", "mdmr"):
        return _selection(dataset, spec["work"], amount)
    if spec["work"] == "laim":
        return _cutting(dataset)
    return _neighbors(dataset, amount, threads)


def _growing(dataset: Any, work: str, trees: int, threads: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.trees.growing import GrowOptions, grow_ensemble
    from mlsieve.trees.scores import SCORES, importances

    X, Y, counts = dataset.X_train, dataset.Y_train, category_counts(dataset)
    options = GrowOptions(ENSEMBLES[work])  # type: ignore[arg-type]

    def run() -> dict[str, Any]:
        grown = grow_ensemble(
            X,
            Y,
            n_trees=trees,
            options=options,
            category_counts=counts,
            permutation=work == "scores",
            n_threads=threads,
        )
        if work == "scores":
            for score in SCORES:
                importances(grown, score)
        return {"nodes": int(grown.tree_start[-1])}

    return run


def _relief(dataset: Any, threads: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.relief.multi_label import relief_scores

    X, Y, counts = dataset.X_train, dataset.Y_train, category_counts(dataset)
    k, m = min(15, X.shape[0] - 1), (X.shape[0] + 2) // 4

    def run() -> dict[str, Any]:
        relief_scores(X, Y, k_values=(k,), m_values=(m,), n_values=counts, n_threads=threads)
        return {}

    return run


def _selection(dataset: Any, work: str, k: int) -> Callable[[], dict[str, Any]]:
    """Return SCLS or MDMR on the whole dataset; its fact is what the data hold, in MiB."""
    from mlsieve.selectors.mdmr import mdmr_selection
    from mlsieve.selectors.scls import scls_selection

    select = mdmr_selection if work == "mdmr" else scls_selection
    X, Y, nominal = dataset.X, dataset.Y, dataset.nominal
    size = sum(array.nbytes for held in (X, Y) for array in _arrays(held))

    def run() -> dict[str, Any]:
        select(X, Y, k=k, nominal=nominal)
        return {"data_mib": size / (1 << 20)}

    return run


def _arrays(matrix: Any) -> tuple[np.ndarray, ...]:
    return (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)


def _cutting(dataset: Any) -> Callable[[], dict[str, Any]]:
    from mlsieve.discretize import learn_cuts

    X, Y, numeric = dataset.X_train, dataset.Y_train, ~dataset.nominal

    def run() -> dict[str, Any]:
        learn_cuts(X, Y, method="laim", numeric=numeric)
        return {}

    return run


def _neighbors(dataset: Any, n_weightings: int, threads: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.evaluators.weighted_knn import neighbor_votes

    # One weighting is the uniform one; of many, a third of the weights is zero, as rankings have it.
    weightings = np.ones((1, dataset.X.shape[1]))
    if n_weightings > 1:
        rng = np.random.default_rng(0)
        weightings = rng.random((n_weightings, dataset.X.shape[1]))
        weightings[rng.random(weightings.shape) < 1 / 3] = 0.0
    k = min(15, dataset.n_train)

    def run() -> dict[str, Any]:
        neighbor_votes(dataset, weightings, k=k, n_threads=threads)
        return {}

    return run
