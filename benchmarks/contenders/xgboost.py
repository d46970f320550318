"""XGBoost: one tree a label ("dense", "csr") or one of all labels ("multi dense", "multi csr")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contenders.boosters import PARAMETERS, fitting, missing


def available() -> str | None:
    """Return None if XGBoost is installed."""
    return missing("xgboost")


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return the fit as a function; see `benchmarks.contenders`."""
    from xgboost import XGBClassifier

    multi = spec["variant"].startswith("multi")
    strategy = "multi_output_tree" if multi else "one_output_per_tree"

    def model() -> Any:
        return XGBClassifier(
            n_estimators=spec["amount"],
            tree_method="hist",
            multi_strategy=strategy,
            n_jobs=spec["threads"],
            **PARAMETERS,
        )

    return fitting(spec, model, sparse=spec["variant"].endswith("csr"))
