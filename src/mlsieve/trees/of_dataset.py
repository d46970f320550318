"""Growing and scoring for a `Dataset`: what the commands ``grow`` and ``rank`` do."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.errors import UserError, did_you_mean
from mlsieve.rankings import Ranking, RankingBundle
from mlsieve.registry import check_values, parameter_schemas
from mlsieve.ties import best_first
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import grow_ensemble
from mlsieve.trees.impurity import no_hierarchy
from mlsieve.trees.options import EnsembleKind, GrowOptions
from mlsieve.trees.scores import SCORES, SETTINGS, importances, no_out_of_bag
from mlsieve.work import WorkClock

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset

# Read off the functions themselves, not off the estimator: so no command waits for scikit-learn.
GROW_SETTINGS = {
    name: schema for name, schema in parameter_schemas(GrowOptions).items() if name != "ensemble"
}
SCORE_SETTINGS = {name: schema for name, schema in parameter_schemas(importances).items() if name != "sizes"}


def split_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of growing and those of scoring, checked; ``definition`` is one of both.

    Raises
    ------
    UserError
        On an unknown setting or a value out of range.
    """
    check_values("ranker 'pct'", {**GROW_SETTINGS, **SCORE_SETTINGS}, settings)
    growing = {name: value for name, value in settings.items() if name in GROW_SETTINGS}
    return growing, {name: value for name, value in settings.items() if name in SCORE_SETTINGS}


@contextlib.contextmanager
def tree_progress(total: int, show: bool) -> Iterator[Callable[[int], None] | None]:
    """Yield a function to call after each tree: a bar on a terminal, nothing elsewhere."""
    if not (show and sys.stderr.isatty()):
        yield None
        return
    from threading import Lock

    done, lock = [0], Lock()

    def advance(count: int) -> None:
        with lock:
            done[0] += count
            filled = 40 * done[0] // total
            print(
                f"\r[{'#' * filled}{'.' * (40 - filled)}] {done[0]}/{total} trees",
                end="",
                file=sys.stderr,
                flush=True,
            )

    try:
        yield advance
    finally:
        print(file=sys.stderr)


def grow_for_dataset(
    dataset: Dataset,
    *,
    ensemble: str,
    n_trees: int,
    settings: Mapping[str, Any],
    rows: str = "train",
    seed: int = 0,
    n_threads: int = 1,
    show_progress: bool = False,
    clock: WorkClock | None = None,
) -> Ensemble:
    """Grow an ensemble on a data set.

    Parameters
    ----------
    dataset : Dataset
    ensemble : str
        "bagging", "random-forest" or "extra-trees".
    n_trees : int
    settings : mapping
        Any of `GROW_SETTINGS`.
    rows : {"train", "all"}
        Which rows to learn from.
    seed, n_threads, show_progress, clock
        See `grow_ensemble`.

    Raises
    ------
    UserError
        On an unknown ensemble or setting, a value out of range, or a setting for classes of a hierarchy where
        the data have none.
    """
    growing, scoring = split_settings(settings)
    of_scores = [name for name in scoring if name not in growing]
    if of_scores:
        raise UserError(
            f"'{of_scores[0]}' does not change how trees grow",
            cure=f"give it to 'mlsieve rank'; settings of growing: {', '.join(GROW_SETTINGS)}",
        )
    options = GrowOptions(ensemble, **settings)  # type: ignore[arg-type]
    for_classes = next((name for name in ("class_weights", "class_weight_decay") if name in settings), None)
    if for_classes is not None and dataset.hierarchy is None:
        raise no_hierarchy(for_classes, f"the labels of data set '{dataset.name}' are flat")
    whole = rows == "all"
    counts = np.array(
        [
            len(values) if flag else 0
            for values, flag in zip(dataset.categories, dataset.nominal, strict=True)
        ],
        np.int32,
    )
    with tree_progress(n_trees, show_progress) as progress:
        grown = grow_ensemble(
            dataset.X if whole else dataset.X_train,
            dataset.Y if whole else dataset.Y_train,
            n_trees=n_trees,
            options=options,
            category_counts=counts if dataset.nominal.any() else None,
            hierarchy=dataset.hierarchy,
            seed=seed,
            n_threads=n_threads,
            progress=progress,
            clock=clock,
        )
    facts = {
        **grown.facts,
        "dataset": dataset.name,
        "ensemble": ensemble,
        "rows": rows,
        "n_dataset_rows": dataset.X.shape[0],  # by which rules such as sqrt count selected features
        "feature_names": list(dataset.feature_names),
        "label_names": list(dataset.label_names),
        "categories": {str(f): list(dataset.categories[f]) for f in np.flatnonzero(dataset.nominal).tolist()},
    }
    return replace(grown, facts=facts)


def check_score(
    score: str, settings: Mapping[str, Any], *, ensemble: EnsembleKind, bootstrap: bool | None
) -> None:
    """Raise a UserError for unknown trees, a score that they cannot give, or settings that it does not have.

    Parameters
    ----------
    score : str
    settings : mapping
        Of `SCORE_SETTINGS`.
    ensemble : {"bagging", "random-forest", "extra-trees"}
    bootstrap : bool or None
        None is the ensemble's own.
    """
    options = GrowOptions(ensemble, bootstrap=bootstrap)
    if score not in SCORES:
        raise UserError(f"unknown score '{score}'", cure=did_you_mean(score, SCORES))
    for name in settings:
        # What a study says of its other scores may hold for all: symbolic has the paper's definition alone.
        if name not in SETTINGS[score] and (name, settings[name]) != ("definition", "paper"):
            having = " and ".join(of for of, names in SETTINGS.items() if name in names)
            raise UserError(
                f"'{name}' is a setting of the score{'s' * (' and ' in having)} {having}, not of {score}",
                cure="leave it out",
            )
    if score == "permutation" and not options.draws_bootstrap:
        raise no_out_of_bag()


def rank_from_ensemble(
    ensemble: Ensemble,
    *,
    score: str,
    sizes: Sequence[int] | None,
    settings: Mapping[str, Any],
    clock: WorkClock | None = None,
) -> RankingBundle:
    """Return the rankings of one score for several sizes.

    Parameters
    ----------
    ensemble : Ensemble
    score : str
        "symbolic", "genie3" or "permutation".
    sizes : sequence of int, optional
        Numbers of trees; default all.
    settings : mapping
        Any of `SCORE_SETTINGS`.
    clock : WorkClock, optional
        Told the CPU seconds of the work.

    Raises
    ------
    UserError
        On an unknown score, setting or size.
    """
    growing, scoring = split_settings(settings)
    of_trees = [name for name in growing if name not in scoring]
    if of_trees:
        raise UserError(
            f"'{of_trees[0]}' is a setting of growing, and these trees are grown",
            cure="grow the ensemble again",
        )
    kind = ensemble.facts["options"]["ensemble"]
    check_score(score, scoring, ensemble=kind, bootstrap=ensemble.oob is not None)
    wanted = list(sizes) if sizes else [ensemble.n_trees]
    with (clock or WorkClock()).measure("trees"):
        scores = importances(ensemble, score, wanted, **settings)
    names = tuple(ensemble.facts.get("feature_names") or (f"feature {i}" for i in range(ensemble.n_features)))
    by_content = ensemble.facts["options"]["ties"] == "random"
    places = np.argsort(ensemble.column_order)
    rankings = tuple(
        Ranking(
            values,
            names,
            size,
            name=f"{kind}/{score}/{size}",
            search_order=best_first(values, places) if by_content else None,
        )
        for values, size in zip(scores, wanted, strict=True)
    )
    facts = {
        "dataset": ensemble.facts.get("dataset", ""),
        "method": "pct",
        "ensemble": kind,
        "score": score,
        "seed": ensemble.facts["seed"],
        "parameters": dict(settings),
    }
    return RankingBundle(rankings, facts)
