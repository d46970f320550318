"""XGBoost and CatBoost: boosting of trees for several labels, fitted to the training part."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.data import load

PARAMETERS = {"max_depth": 6, "learning_rate": 0.3, "reg_lambda": 1.0}


def fitting(
    spec: dict[str, Any], model: Callable[[], Any], *, sparse: bool, constant: bool = True
) -> Callable[[], dict[str, Any]]:
    """Return the fit of new models to a dataset, float32 of either form, with constant labels or without."""
    dataset = load(spec["dataset"], spec.get("shape"))
    X, Y = dataset.X_train, dataset.Y_train.toarray().astype(np.int32)
    if not constant:
        Y = Y[:, Y.any(axis=0) & (Y == 0).any(axis=0)]
    if sparse:
        X = sp.csr_matrix(X, dtype=np.float32)
    else:
        X = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float32)

    def run() -> dict[str, Any]:
        model().fit(X, Y)
        return {}

    return run


def missing(module: str) -> str | None:
    """Return None, or that a module is not installed."""
    if importlib.util.find_spec(module) is None:
        return f"the package {module} is not installed"
    return None
