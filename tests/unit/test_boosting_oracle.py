"""ML-XGB with sum_gain against XGBoost's multi_output_tree: the same margins of the training rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from mlsieve._kernels.boosting.booster import SCORES, Booster

from mlsieve.chains.boosting.columns import boosting_columns

xgboost = pytest.importorskip("xgboost", reason="the extra 'baselines' is not installed")
pytestmark = pytest.mark.kernel
ROUNDS = 5


def start(Y):
    """Margins to start from: without ties among tests that part other rows."""
    return np.random.default_rng(9).normal(size=Y.shape).astype(np.float32)


def our_margins(X, Y, depth, weights=None):
    """Return the margins after each round."""
    booster = Booster(
        *Y.shape,
        score=SCORES.index("sum_gain"),
        max_depth=depth,
        learning_rate=0.3,
        reg_lambda=1.0,
        gamma=0.0,
        min_child_weight=0.0,
        every_label=False,
        hide_in_leaves=False,
    )
    boosting_columns(X, booster)
    margins = start(Y)
    if weights is not None:
        weights = np.repeat(weights.astype(np.float32)[:, None], Y.shape[1], axis=1)
    for _ in range(ROUNDS):
        booster.grow(margins, Y.astype(np.uint8), weights)
        yield margins.copy()


def their_margins(X, Y, depth, weights=None):
    data = xgboost.DMatrix(
        X.toarray() if sp.issparse(X) else X, label=Y, weight=weights, base_margin=start(Y)
    )
    options = {
        "tree_method": "hist",
        "multi_strategy": "multi_output_tree",
        "objective": "binary:logistic",
        "max_depth": depth,
        "eta": 0.3,
        "lambda": 1.0,
        "min_child_weight": 0.0,
        "nthread": 1,
        "max_bin": 1024,
    }
    model = xgboost.train(options, data, num_boost_round=ROUNDS)
    for k in range(1, ROUNDS + 1):
        yield model.predict(data, output_margin=True, iteration_range=(0, k))


def problem(seed, kind, n=300, n_labels=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8)).round(1)
    if kind == "missing":
        X[rng.random(X.shape) < 0.3] = np.nan
    if kind == "sparse":
        X = (rng.random((n, 30)) < 0.1) * rng.integers(1, 3, (n, 30)).astype(float)
    signal = np.nan_to_num(X) @ rng.normal(size=(X.shape[1], n_labels))
    Y = signal + rng.normal(size=signal.shape) > 0.5
    return sp.csr_array(X) if kind == "sparse" else X, Y.astype(int)


@pytest.mark.parametrize("kind", ["dense", "sparse", "missing"])
@pytest.mark.parametrize("depth", [1, 3, 6])
@pytest.mark.parametrize("n_labels", [2, 5, 20])
def test_margins_agree_tree_by_tree(kind, depth, n_labels):
    X, Y = problem(n_labels, kind, n_labels=n_labels)
    for number, (ours, theirs) in enumerate(
        zip(our_margins(X, Y, depth), their_margins(X, Y, depth), strict=True)
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-5, err_msg=f"after tree {number + 1}")


def test_margins_agree_with_weights():
    X, Y = problem(1, "dense")
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    for ours, theirs in zip(our_margins(X, Y, 4, weights), their_margins(X, Y, 4, weights), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)
