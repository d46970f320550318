"""scikit-learn: multi-output forests on Y / std(Y), and the brute-force search on scaled features."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.data import load
from benchmarks.hierarchical import imputed


def available() -> str | None:
    """Return None: mlsieve itself needs it."""
    return None


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    dataset = load(spec["dataset"])
    if spec["work"] == "knn":
        return _neighbors(dataset, spec["variant"], spec["threads"])
    return _forest(dataset, spec)


def _form(X: Any, variant: str, dtype: Any) -> Any:
    """Return X without missing values as a dense array or a CSR matrix."""
    dense_or_sparse = sp.csr_matrix(X, dtype=dtype) if variant == "csr" else X
    if variant == "dense":
        dense_or_sparse = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=dtype)
    cells = dense_or_sparse.data if sp.issparse(dense_or_sparse) else dense_or_sparse
    if np.isnan(cells).any():
        cells[np.isnan(cells)] = 0  # forests on several outputs take no missing values in sparse input
    return dense_or_sparse


def _forest(dataset: Any, spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

    features, Y = dataset.X_train, dataset.Y_train.toarray().astype(np.float64)
    spread = Y.std(axis=0)
    if spec["work"] == "hmlc-complete":
        # A variance of labels times sqrt(w) is w times theirs.
        features, scale = imputed(features), np.sqrt(dataset.hierarchy.weights())
    else:
        scale = 1.0 / np.where(spread > 0, spread, 1.0)
    X = _form(features, spec["variant"], np.float32)
    Y = np.ascontiguousarray((Y * scale)[:, spread > 0])
    estimator = ExtraTreesRegressor if spec["work"] == "extra-trees" else RandomForestRegressor
    model = estimator(
        n_estimators=spec["amount"],
        min_samples_leaf=2,
        max_features=math.ceil(math.sqrt(X.shape[1])) if spec["work"] in ("forest", "hmlc-complete") else 1.0,
        random_state=0,
        n_jobs=spec["threads"],
    )

    def run() -> dict[str, Any]:
        model.fit(X, Y)
        return {"nodes": sum(tree.tree_.node_count for tree in model.estimators_)}

    return run


def _neighbors(dataset: Any, variant: str, threads: int) -> Callable[[], dict[str, Any]]:
    from sklearn.neighbors import NearestNeighbors

    train, test = scaled(dataset.X_train, dataset.X_test, dataset.nominal)
    train, test = _form(train, variant, np.float64), _form(test, variant, np.float64)
    k = min(15, train.shape[0])

    def run() -> dict[str, Any]:
        search = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=threads)
        search.fit(train).kneighbors(test, return_distance=False)
        return {}

    return run


def scaled(train: Any, test: Any, nominal: np.ndarray) -> tuple[Any, Any]:
    """Return both parts with numeric features divided by their range in the training part.

    Dense features start at 0 as well; sparse ones keep their zeros, which changes no distance.
    """
    low, high = train.min(axis=0), train.max(axis=0)
    if sp.issparse(train):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    span = np.where(nominal | (high == low), 1.0, high - low)
    if sp.issparse(train):
        shrink = sp.diags_array(1.0 / span)
        return train @ shrink, test @ shrink
    return (train - low) / span, (test - low) / span
