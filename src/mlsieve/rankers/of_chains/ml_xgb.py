"""Importances of boosted trees of label vectors (ML-XGB)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from mlsieve.chains.boosting.parameters import Split
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers.of_chains import boosted_importances, draws_of_settings, further_parameters
from mlsieve.registry import AtLeast, register

Importance = Literal["gain", "cover", "splits"]
_PER_CELL = 1e-9  # seconds of a stored value, a label and a level of a tree


def estimated_seconds(counts: Mapping[str, float], settings: Mapping[str, Any]) -> float:
    """Return the estimated cost on one core: each level of each tree reads all values, for all labels."""
    levels = settings["rounds"] * settings["max_depth"]
    return _PER_CELL * levels * counts["stored"] * (counts["L"] + 4)


@register.ranker(
    "ml-xgb",
    version=4,
    tasks=("mlc", "hmlc"),
    doi="10.1007/s10994-022-06162-3",
    smoke={"rounds": 5},
    seeded=draws_of_settings,
    check=lambda parameters: further_parameters("ml-xgb", parameters["settings"]),
    varied="importance",
    not_configurable=("each",),
    cost=estimated_seconds,
    estimator="mlsieve.rankers:MLXGBRanker",
)
def ml_xgb_importances(
    X: Any,
    y: Any,
    *,
    importance: Importance = "gain",
    rounds: Annotated[int, AtLeast(1)] = 20,
    max_depth: Annotated[int, AtLeast(1)] = 6,
    learning_rate: Annotated[float, AtLeast(0)] = 0.3,
    reg_lambda: Annotated[float, AtLeast(0)] = 1.0,
    min_child_weight: Annotated[float, AtLeast(0)] = 1.0,
    split: Split = "sum_gain",
    settings: str = "",
    hierarchy: Hierarchy | None = None,
    nominal: Any = None,
    each: Sequence[Importance] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> np.ndarray:
    """Importances of boosted trees of label vectors: what the tests of each feature gain, cover, or count.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        NaN is missing.
    y : csr_array, shape (n, L)
        0/1 labels; with a hierarchy closed upwards.
    importance : {"gain", "cover", "splits"}
        Of all tests of a feature the sum of what they gain, the sum of the hessians in their nodes, or their
        number.
    rounds : int
        Rounds of boosting; each grows one tree.
    max_depth, learning_rate, reg_lambda, min_child_weight, split
        As of `mlsieve.chains.MultiLabelXGB`.
    settings : str
        Further parameters, as `mlsieve chain --method ml-xgb` takes them, such as "sketch=top max_bins=64".
    hierarchy : Hierarchy, optional
        Of the columns of y; label sets are completed with all classes above theirs, and all classes weigh the
        same.
    nominal : array-like of bool, of int or of str, optional
        Nominal features (mask, indices, or names of X's columns), holding category positions 0, 1, ...
    each : sequence of str, optional
        Several importances, in place of `importance`; one model gives all of them.
    random_state : int
        Seed of the order in which equally good tests are taken, which is one of the features' content, and of
        what `settings` draw.
    n_jobs : int
        Threads; results do not depend on it.

    Returns
    -------
    ndarray of float64, shape (F,), or with each (len(each), F)
        At least 0; 0 for a feature that no test asks. Columns of equal content share theirs.

    References
    ----------
    Loza Mencia et al.: Tree-based dynamic classifier chains, Machine Learning 2022.
    """
    from mlsieve.chains.boosted import MultiLabelXGBLearner

    model = MultiLabelXGBLearner(
        n_estimators=rounds,
        max_depth=max_depth,
        learning_rate=learning_rate,
        reg_lambda=reg_lambda,
        min_child_weight=min_child_weight,
        split=split,
        nominal=nominal,
        random_state=random_state,
        n_jobs=n_jobs,
        **further_parameters("ml-xgb", settings),
    )
    return boosted_importances(model, X, y, importance, each)
