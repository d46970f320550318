"""mlsieve's label chains: fits and predictions of their estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.data import load

WORKS = ("boosting", "boosting-multi", "boosting-csr", "xdcc", "rdt", "rdt-dynamic", "boosting-memory")


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    dataset = load(spec["dataset"], spec.get("shape"))
    if spec["work"].startswith("rdt"):
        return _random_trees(dataset, spec)
    from mlsieve.chains import XDCC, MultiLabelXGB

    amount, options = spec["amount"], {"nominal": dataset.nominal, "n_jobs": spec["threads"]}

    def model() -> Any:
        if spec["work"] == "xdcc":
            return XDCC(chain_length=amount, **options)
        return MultiLabelXGB(n_estimators=amount, **options)

    X, Y = dataset.X_train, dataset.Y_train
    gradients = 8 * Y.shape[0] * Y.shape[1]  # a gradient and a hessian of single precision for each cell
    size = sum(array.nbytes for held in (X, Y) for array in _arrays(held)) + gradients

    def run() -> dict[str, Any]:
        model().fit(X, Y)
        return {"data_mib": size / (1 << 20)}

    return run


def _arrays(matrix: Any) -> tuple[np.ndarray, ...]:
    return (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)


def _random_trees(dataset: Any, spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return the growth of random decision trees, or the prediction of a chain by them."""
    from mlsieve.chains import RDTDynamicChain

    model = RDTDynamicChain(n_estimators=spec["amount"], nominal=dataset.nominal, n_jobs=spec["threads"])

    def grow() -> dict[str, Any]:
        model.fit(dataset.X_train, dataset.Y_train)
        return {}

    def predict() -> dict[str, Any]:
        model.predict(dataset.X_test)
        return {}

    if spec["work"] == "rdt":
        return grow
    grow()
    if spec["variant"]:
        model.set_params(sigma=0.0, decision="threshold")
    return predict
