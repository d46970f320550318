"""Importances of the boosted trees of a dynamic classifier chain (XDCC)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from mlsieve.chains.boosting.parameters import Split
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers.of_chains import boosted_importances, draws_of_settings, further_parameters, ml_xgb
from mlsieve.rankers.of_chains.ml_xgb import Importance
from mlsieve.registry import AtLeast, register


def estimated_seconds(counts: Mapping[str, float], settings: Mapping[str, Any]) -> float:
    """Return the estimated cost on one core: a model a step, on one more label feature an example each."""
    steps = min(settings["chain_length"], counts["L"])
    columns = dict(counts) | {"stored": counts["stored"] + counts["n"] * steps / 2}
    return steps * ml_xgb.estimated_seconds(columns, settings)


@register.ranker(
    "xdcc",
    version=5,
    tasks=("mlc", "hmlc"),
    doi="10.1007/s10994-022-06162-3",
    smoke={"rounds": 8, "chain_length": 3, "max_depth": 3},
    seeded=draws_of_settings,
    check=lambda parameters: further_parameters("xdcc", parameters["settings"]),
    varied="importance",
    not_configurable=("each",),
    cost=estimated_seconds,
    estimator="mlsieve.rankers:XDCCRanker",
)
def xdcc_importances(
    X: Any,
    y: Any,
    *,
    importance: Importance = "gain",
    rounds: Annotated[int, AtLeast(1)] = 10,
    chain_length: Annotated[int, AtLeast(1)] = 5,
    max_depth: Annotated[int, AtLeast(1)] = 6,
    learning_rate: Annotated[float, AtLeast(0)] = 0.3,
    reg_lambda: Annotated[float, AtLeast(0)] = 1.0,
    min_child_weight: Annotated[float, AtLeast(0)] = 1.0,
    split: Split = "max_gain",
    settings: str = "",
    hierarchy: Hierarchy | None = None,
    nominal: Any = None,
    each: Sequence[Importance] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> np.ndarray:
    """Importances of a dynamic chain of boosted trees: what the tests of each feature gain, cover, or count.

    Tests of labels that are set in the chain count for no feature.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        NaN is missing.
    y : csr_array, shape (n, L)
        0/1 labels; with a hierarchy closed upwards.
    importance : {"gain", "cover", "splits"}
        Of all tests of a feature the sum of what they gain, the sum of the hessians in their nodes, or their
        number; over the models of all steps.
    rounds : int
        Rounds of boosting of each step.
    chain_length : int
        Steps of the chain, at most L. The paper's chains have found most labels after about as many steps as
        an example has labels.
    max_depth, learning_rate, reg_lambda, min_child_weight, split
        As of `mlsieve.chains.XDCC`.
    settings : str
        Further parameters, as `mlsieve chain --method xdcc` takes them, such as "sketch=top max_bins=64".
    hierarchy : Hierarchy, optional
        Of the columns of y; label sets are completed with all classes above theirs, and all classes weigh the
        same. The chain does not know the hierarchy.
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
    from mlsieve.chains.xdcc import XDCCLearner

    model = XDCCLearner(
        n_estimators=rounds,
        chain_length=chain_length,
        max_depth=max_depth,
        learning_rate=learning_rate,
        reg_lambda=reg_lambda,
        min_child_weight=min_child_weight,
        split=split,
        nominal=nominal,
        random_state=random_state,
        n_jobs=n_jobs,
        **further_parameters("xdcc", settings),
    )
    return boosted_importances(model, X, y, importance, each)
