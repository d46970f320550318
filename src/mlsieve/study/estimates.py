"""What a job of a study is expected to cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mlsieve import costs
from mlsieve.registry import lookup
from mlsieve.study.parts import Ranker

if TYPE_CHECKING:
    from mlsieve.data.catalog import DatasetEntry


def counts_of(entry: DatasetEntry | None) -> dict[str, float]:
    """Return what the catalog tells of a data set's size, as `mlsieve.costs.work` takes it.

    Returns
    -------
    dict of str to float
        n, F, L, cardinality, nonzeros (0 for a dense set), n_train (0 without a split of its own); empty
        without an entry.
    """
    if entry is None:
        return {}
    known = entry.counts
    n = known.get("n_train", 0) + known.get("n_test", 0)
    n_features = known.get("F") or known.get("F_numeric", 0) + known.get("F_nominal", 0)
    others = {name: known.get(name, 0) for name in ("L", "cardinality", "nonzeros")}
    n_train = known.get("n_train", 0) if known.get("n_test") else 0
    return {"n": n, "F": n_features, **others, "n_train": n_train}


def estimate(
    step: str, counts: Mapping[str, float], ranker: Ranker | None, repeats: int = 1
) -> tuple[float, float]:
    """Return (minutes, megabytes) of a job on one core.

    Parameters
    ----------
    step : str
        A key of `mlsieve.costs.SECONDS`.
    counts : mapping
        Of the data set, from `counts_of`.
    ranker : Ranker or None
        Whose ensemble is grown, or whose rankings are made or used.
    repeats : int
        Number of splits that the job goes through, one after the other.
    """
    sizes = ranker.sizes if ranker else ()
    tried = seconds = None
    if ranker and step == "grow" and counts.get("F"):
        tried = costs.features_tried(ranker.ensemble, ranker.tree_settings.get("max_features"), counts["F"])
    if ranker and step == "rank" and not ranker.ensemble:
        seconds = _own_seconds(ranker, counts)
    minutes, megabytes = costs.estimate(
        step,
        counts,
        max(1, len(sizes)),
        max(sizes, default=1) if ranker and ranker.ensemble else 1,
        tried,
        seconds,
    )
    return minutes * repeats, megabytes


def _own_seconds(ranker: Ranker, counts: Mapping[str, float]) -> float | None:
    """Return what the method estimates of its own cost, None if nothing."""
    entry = lookup("ranker", ranker.method)
    if "cost" not in entry.facts:
        return None
    defaults = {name: schema["default"] for name, schema in entry.parameters().items()}
    # Smaller sizes come with the largest.
    settings = ranker.settings_by_size[-1]
    return costs.method_seconds(entry.facts["cost"], counts, defaults | settings)
