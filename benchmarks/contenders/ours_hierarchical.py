"""mlsieve on classes of a hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.data import category_counts, load
from benchmarks.hierarchical import imputed, synthetic_graph

ENSEMBLES = {
    "hmlc-forest": "random-forest",
    "hmlc-complete": "random-forest",
    "hmlc-bagging": "bagging",
}


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    if spec["work"] == "pairs":
        return _farthest(spec["shape"]["terms"])
    dataset = load(spec["dataset"], spec.get("shape"))
    if spec["work"] == "hmlc-relief":
        return _relief(dataset, spec["threads"])
    return _growing(dataset, spec["work"], spec["amount"], spec["threads"])


def _growing(dataset: Any, work: str, trees: int, threads: int) -> Callable[[], dict[str, Any]]:
    """Return growing; with the scores that do not permute features, except beside scikit-learn."""
    from mlsieve.trees.growing import GrowOptions, grow_ensemble
    from mlsieve.trees.scores import importances

    X, Y, counts = dataset.X_train, dataset.Y_train, category_counts(dataset)
    if work == "hmlc-complete":
        X = imputed(X)
    options = GrowOptions(ENSEMBLES[work])  # type: ignore[arg-type]
    scores = () if work == "hmlc-complete" else ("symbolic", "genie3")

    def run() -> dict[str, Any]:
        grown = grow_ensemble(
            X,
            Y,
            n_trees=trees,
            options=options,
            category_counts=counts,
            hierarchy=dataset.hierarchy,
            permutation=False,
            n_threads=threads,
        )
        for score in scores:
            importances(grown, score)
        return {"nodes": int(grown.tree_start[-1])}

    return run


def _relief(dataset: Any, threads: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.distances.label_sets import hierarchical_distance
    from mlsieve.relief.multi_label import relief_scores

    X, Y, counts = dataset.X_train, dataset.Y_train, category_counts(dataset)
    k = min(15, X.shape[0] - 1)

    def run() -> dict[str, Any]:
        distance = hierarchical_distance(dataset.hierarchy, Y)
        relief_scores(X, Y, distance=distance, k_values=(k,), n_values=counts, n_threads=threads)
        return {}

    return run


def _farthest(terms: int) -> Callable[[], dict[str, Any]]:
    from mlsieve.distances.largest import farthest_classes

    hierarchy = synthetic_graph(terms)
    weights = hierarchy.weights()

    def run() -> dict[str, Any]:
        return {"found": farthest_classes(hierarchy, weights).difference}

    return run
