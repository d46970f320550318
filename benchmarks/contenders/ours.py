"""mlsieve: the functions that its estimators and commands call, from data in memory to the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.contenders import chains
from benchmarks.data import category_counts, load
from benchmarks.hierarchical import imputed, synthetic_graph

# The kind of ensemble that each work grows. "scores" adds all scores; works on classes of a hierarchy add
# those that do not permute features, except beside scikit-learn ("hmlc-complete").
ENSEMBLES = {
    "forest": "random-forest",
    "scores": "random-forest",
    "bagging": "bagging",
    "extra-trees": "extra-trees",
    "hmlc-forest": "random-forest",
    "hmlc-complete": "random-forest",
    "hmlc-bagging": "bagging",
}


def available() -> str | None:
    """Return None: it is what is measured."""
    return None


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    work, threads, amount = spec["work"], spec["threads"], spec["amount"]
    if work == "pairs":
        return _farthest(spec["shape"]["terms"])
    if work in chains.WORKS:
        return chains.prepare(spec)
    dataset = load(spec["dataset"], spec.get("shape"))
    if work in ENSEMBLES:
        return _growing(dataset, work, amount, threads)
    if work in ("relief", "hmlc-relief"):
        return _relief(dataset, threads)
    if work in ("selection", "mdmr"):
        return _selection(dataset, work, amount)
    if work == "laim":
        return _cutting(dataset)
    return _neighbors(dataset, amount, threads)


def _growing(dataset: Any, work: str, trees: int, threads: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.trees.growing import GrowOptions, grow_ensemble
    from mlsieve.trees.scores import SCORES, importances

    X, Y, counts = dataset.X_train, dataset.Y_train, category_counts(dataset)
    if work == "hmlc-complete":
        X = imputed(X)
    options = GrowOptions(ENSEMBLES[work])  # type: ignore[arg-type]
    scores: tuple[str, ...] = tuple(SCORES) if work == "scores" else ()
    if work in ("hmlc-forest", "hmlc-bagging"):
        scores = ("symbolic", "genie3")

    def run() -> dict[str, Any]:
        grown = grow_ensemble(
            X,
            Y,
            n_trees=trees,
            options=options,
            category_counts=counts,
            hierarchy=dataset.hierarchy,
            permutation=work == "scores",
            n_threads=threads,
        )
        for score in scores:
            importances(grown, score)
        return {"nodes": int(grown.tree_start[-1])}

    return run


def _relief(dataset: Any, threads: int) -> Callable[[], dict[str, Any]]:
    """Return Relief: of flat labels with a quarter of the examples, of classes with all."""
    from mlsieve.distances.label_sets import hierarchical_distance
    from mlsieve.relief.multi_label import relief_scores

    X, Y, counts = dataset.X_train, dataset.Y_train, category_counts(dataset)
    n, hierarchy = X.shape[0], dataset.hierarchy
    k_values = (min(15, n - 1),)
    m_values = ((n + 2) // 4,) if hierarchy is None else ()

    def run() -> dict[str, Any]:
        distance: Any = "f1" if hierarchy is None else hierarchical_distance(hierarchy, Y)
        relief_scores(
            X,
            Y,
            distance=distance,
            k_values=k_values,
            m_values=m_values,
            n_values=counts,
            n_threads=threads,
        )
        return {}

    return run


def _farthest(terms: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.distances.largest import farthest_classes

    hierarchy = synthetic_graph(terms)
    weights = hierarchy.weights()

    def run() -> dict[str, Any]:
        return {"found": farthest_classes(hierarchy, weights).difference}

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
