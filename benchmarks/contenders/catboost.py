"""CatBoost with the loss MultiLogloss, of symmetric or depthwise trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contenders.boosters import PARAMETERS, fitting, missing

_POLICIES = {"symmetric": "SymmetricTree", "depthwise": "Depthwise"}


def available() -> str | None:
    """Return None if CatBoost is installed."""
    return missing("catboost")


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return the fit as a function; see `benchmarks.contenders`."""
    from catboost import CatBoostClassifier

    def model() -> Any:
        return CatBoostClassifier(
            iterations=spec["amount"],
            depth=PARAMETERS["max_depth"],
            learning_rate=PARAMETERS["learning_rate"],
            l2_leaf_reg=PARAMETERS["reg_lambda"],
            loss_function="MultiLogloss",
            grow_policy=_POLICIES[spec["variant"]],
            thread_count=spec["threads"],
            allow_writing_files=False,
            verbose=False,
        )

    return fitting(spec, model, sparse=False, constant=False)  # it refuses these
