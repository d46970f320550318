"""A job of a study as `mlsieve.costs` takes it: sizes from the catalog, trees from the configuration."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mlsieve.costs.model import UNKNOWN, Task, features_tried
from mlsieve.files.yaml import parse_yaml
from mlsieve.registry import lookup
from mlsieve.study.rankers.entries import Ranker, grows_out_of_bag

if TYPE_CHECKING:
    from mlsieve.data.catalog import DatasetEntry


# Where only a set's size is known: from so many cells on, so large a share of them is taken to be stored.
_SURELY_SPARSE, _DENSITY = 2e7, 0.05


def counts_of(entry: DatasetEntry | None) -> dict[str, float]:
    """Return a dataset's size as the catalog has it: from its files, or as a paper or home page prints.

    For datasets of the papers of which nobody has a file, `assumed_sizes` gives it.

    Returns
    -------
    dict of str to float
        n, F, numeric (share of the features), L, cardinality, nonzeros (0 for a dense set), missing, n_train
        (0 without a split of its own); what is not known is taken from `mlsieve.costs.model.UNKNOWN`.
    """
    found: dict[str, float] = {"nonzeros": 0.0, "missing": 0.0, "n_train": 0.0, "numeric": 1.0, **UNKNOWN}
    if entry is None:
        return found
    for printed in entry.published.values():
        found |= {name: value for name, value in printed.items() if name in found and value}
    known, assumed = entry.counts, {} if entry.counts else assumed_sizes().get(entry.id, {})
    found |= assumed
    if not known and "nonzeros" not in assumed and found["n"] * found["F"] > _SURELY_SPARSE:
        found["nonzeros"] = _DENSITY * found["n"] * found["F"]
    found |= {name: known[name] for name in ("L", "cardinality", "nonzeros", "missing") if known.get(name)}
    numeric, nominal = known.get("F_numeric", 0), known.get("F_nominal", 0)
    if numeric + nominal:
        found |= {"F": numeric + nominal, "numeric": numeric / (numeric + nominal)}
    if known.get("n_train"):
        found["n"] = known["n_train"] + known.get("n_test", 0)
        found["n_train"] = known["n_train"] if known.get("n_test") else 0.0
    return found


@functools.cache
def assumed_sizes() -> Mapping[str, Mapping[str, float]]:
    """Return sizes of datasets that no catalog has a file of, by id, from assumed_sizes.yaml."""
    file = importlib.resources.files("mlsieve.study").joinpath("assumed_sizes.yaml")
    return parse_yaml(file.read_text(encoding="utf-8"))


def task_of(
    step: str,
    counts: Mapping[str, float],
    ranker: Ranker | None = None,
    *,
    evaluator: str = "",
    hierarchical: bool = False,
    train_share: float | None = None,
    repeats: int = 1,
    document_frequency: float | None = None,
) -> Task:
    """Return a job as its cost is reckoned.

    Parameters
    ----------
    step : str
        Rule of the workflow.
    counts : mapping
        Of the dataset, from `counts_of`.
    ranker : Ranker, optional
        Whose ensemble is grown, or whose rankings are made or used.
    evaluator : str
        Id of what uses the rankings.
    hierarchical : bool
        Whether the labels are classes of a hierarchy.
    train_share : float, optional
        Share of the examples that are learned from; default the dataset's own split, else two thirds.
    repeats : int
        Number of splits that the job goes through, one after the other.
    document_frequency : float, optional
        Only so many of the features are kept, a count or a share.
    """
    n, n_features = counts["n"], counts["F"]
    if document_frequency is not None and step != "prepare":
        kept = document_frequency * n_features if document_frequency < 1 else document_frequency
        n_features = max(1.0, min(kept, n_features))
    train = train_share * n if train_share is not None else counts["n_train"] or 2 / 3 * n
    of_trees: dict[str, Any] = {}
    if ranker is not None and ranker.ensemble:
        settings = ranker.tree_settings
        of_trees = {
            "trees": max(ranker.sizes),
            "tried": features_tried(ranker.ensemble, settings.get("max_features"), n_features),
            "bootstrap": grows_out_of_bag(ranker.method, ranker.ensemble, settings),
            "gathers": ranker.gathers,
            "both_definitions": settings.get("definition", "paper") != "paper",
        }
    task = Task(
        step=step,
        n=n,
        n_train=train,
        n_features=n_features,
        n_labels=counts["L"],
        cardinality=counts["cardinality"],
        numeric=counts["numeric"],
        nonzeros=counts["nonzeros"],
        missing=counts["missing"],
        hierarchical=hierarchical,
        method=ranker.method if ranker else "",
        evaluator=evaluator,
        sizes=max(1, len(ranker.sizes), len(ranker.shared)) if ranker else 1,
        repeats=repeats,
        own_seconds=None,
        **of_trees,
    )
    if step != "rank" or ranker is None or ranker.ensemble:
        return task
    own = _own_seconds(ranker, task)
    return replace(task, own_seconds=None if own is None else own * repeats)


def _own_seconds(ranker: Ranker, task: Task) -> float | None:
    """Return what the method estimates of its own cost for one split, None if nothing."""
    entry = lookup("ranker", ranker.method)
    if entry.facts.cost is None:
        return None
    counts = {
        "n": task.n,
        "F": task.n_features,
        "L": task.n_labels,
        "cardinality": task.cardinality,
        "stored": task.stored,
    }
    defaults = {name: schema["default"] for name, schema in entry.parameters().items()}
    # Smaller sizes come with the largest.
    return float(entry.facts.cost(counts, defaults | ranker.settings_by_size[-1]))
