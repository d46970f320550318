"""Rankings by ensembles of trees: growing and scoring, for every ranker that registers scores.

The commands ``grow`` and ``rank`` and the estimators share what is here; a study's jobs are these commands.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.costs.measured import WorkClock
from mlsieve.errors import UserError, did_you_mean
from mlsieve.progress import counting
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.rankings.ties import best_first
from mlsieve.registry import Entry, check_values, entries, lookup, parameter_schemas
from mlsieve.registry.facts import DEFAULT_TREES
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.options import no_hierarchy
from mlsieve.trees.scores import checked_settings, importances, no_out_of_bag

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset

DEFAULT_METHOD = "pct"
_FOR_CLASSES = ("class_weights", "class_weight_decay")


def tree_ranker(method: str) -> Entry:
    """Return the registered ranker of that id.

    Raises
    ------
    UserError
        If it is unknown, or does not grow ensembles.
    """
    entry = lookup("ranker", method)
    if not entry.facts.scores:
        growing = [id for id, each in entries("ranker").items() if each.facts.scores]
        raise UserError(f"ranker '{method}' does not grow ensembles", hint=f"use {' or '.join(growing)}")
    return entry


def grow_settings(entry: Entry) -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of a tree ranker's settings of growing, the kind of ensemble aside."""
    return {name: schema for name, schema in entry.own_parameters().items() if name != "ensemble"}


def score_settings(entry: Entry) -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of the settings of a tree ranker's scores."""
    return {
        name: schema
        for score in entry.facts.scores.values()
        for name, schema in parameter_schemas(score.read).items()
    }


def split_settings(entry: Entry, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of growing and those of scoring, checked; a setting may be one of both.

    Raises
    ------
    UserError
        On an unknown setting or a value out of range.
    """
    grown, scored = grow_settings(entry), score_settings(entry)
    check_values(f"ranker '{entry.id}'", {**grown, **scored}, settings)
    growing = {name: value for name, value in settings.items() if name in grown}
    return growing, {name: value for name, value in settings.items() if name in scored}


def default_ensemble(entry: Entry) -> str:
    """Return the kind of ensemble that a tree ranker grows unless another one is asked for."""
    return str(entry.own_parameters()["ensemble"]["default"])


def default_score(entry: Entry) -> str:
    """Return the score that a tree ranker gives unless another one is asked for."""
    return str(entry.parameters()["score"]["default"])


def options_of(entry: Entry, ensemble: str, settings: Mapping[str, Any]) -> Any:
    """Return how trees grow: an instance of the ranker's class.

    Raises
    ------
    UserError
        On an unknown ensemble, or a value that is not accepted.
    """
    if ensemble not in entry.ensembles:
        raise UserError(f"unknown ensemble '{ensemble}'", hint=did_you_mean(ensemble, entry.ensembles))
    return entry.target(ensemble=ensemble, **settings)


def has_out_of_bag(options: Any) -> bool:
    """Return whether trees that grow so have out-of-bag examples."""
    return bool(getattr(options, "draws_bootstrap", False))


def gathers(entry: Entry, scores: Collection[str] | None) -> bool:
    """Return whether a score in use reads statistics of out-of-bag examples; None: all scores are in use."""
    used = entry.facts.scores if scores is None else scores
    return any(entry.facts.scores[score].out_of_bag for score in used)


@contextlib.contextmanager
def tree_progress(total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of further trees; any thread may do so."""
    done, lock = [0], Lock()
    with counting("trees", total) as report:

        def advance(count: int) -> None:
            with lock:
                done[0] += count
                report(done[0], total)

        yield advance


def grow_for_dataset(
    dataset: Dataset,
    *,
    ensemble: str,
    n_trees: int = DEFAULT_TREES,
    settings: Mapping[str, Any],
    method: str = DEFAULT_METHOD,
    scores: Collection[str] | None = None,
    rows: str = "train",
    seed: int = 0,
    n_threads: int = 1,
    clock: WorkClock | None = None,
) -> Ensemble:
    """Grow an ensemble on a dataset.

    Parameters
    ----------
    dataset : Dataset
    ensemble : str
        A kind that the ranker has, such as "bagging", "random-forest" or "extra-trees".
    n_trees : int
    settings : mapping
        Any of `grow_settings`.
    method : str
        Id of a registered ranker with scores.
    scores : collection of str, optional
        Those that will be read from the trees: statistics that none of them needs are not gathered. Default
        all that the ranker has.
    rows : {"train", "all"}
        Which rows to learn from.
    seed, n_threads, clock
        See `mlsieve.trees.growing.grow_ensemble`.

    Raises
    ------
    UserError
        On an unknown method, ensemble, score or setting, a value out of range, or a setting for classes of a
        hierarchy where the data have none.
    """
    entry = tree_ranker(method)
    growing, scoring = split_settings(entry, settings)
    of_scores = [name for name in scoring if name not in growing]
    if of_scores:
        raise UserError(
            f"'{of_scores[0]}' does not change how trees grow",
            hint=f"give it to 'mlsieve rank'; settings of growing: {', '.join(grow_settings(entry))}",
        )
    for score in scores or ():
        checked_settings(entry.facts.scores, score, {})
    options = options_of(entry, ensemble, settings)
    for_classes = next((name for name in _FOR_CLASSES if name in settings), None)
    if for_classes is not None and dataset.hierarchy is None:
        raise no_hierarchy(for_classes, f"the labels of dataset '{dataset.name}' are flat")
    whole = rows == "all"
    counts = np.array(
        [
            len(values) if flag else 0
            for values, flag in zip(dataset.categories, dataset.nominal, strict=True)
        ],
        np.int32,
    )
    with tree_progress(n_trees) as progress:
        grown = options.grow(
            dataset.X if whole else dataset.X_train,
            dataset.Y if whole else dataset.Y_train,
            n_trees=n_trees,
            out_of_bag=gathers(entry, scores),
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
        "method": method,
        "ensemble": ensemble,
        "rows": rows,
        "n_dataset_rows": dataset.X.shape[0],  # by which rules such as sqrt count selected features
        "feature_names": list(dataset.feature_names),
        "label_names": list(dataset.label_names),
        "categories": {str(f): list(dataset.categories[f]) for f in np.flatnonzero(dataset.nominal).tolist()},
    }
    return replace(grown, facts=facts)


def check_score(entry: Entry, score: str, settings: Mapping[str, Any], out_of_bag: bool) -> None:
    """Raise a UserError for a score that a ranker's trees cannot give, or settings that it does not have.

    Parameters
    ----------
    entry : Entry
    score : str
    settings : mapping
        Of `score_settings`.
    out_of_bag : bool
        Whether the trees have out-of-bag examples.
    """
    checked_settings(entry.facts.scores, score, settings)
    if entry.facts.scores[score].out_of_bag and not out_of_bag:
        raise no_out_of_bag()


def check_tree_request(
    entry: Entry, settings: Mapping[str, Any], ensemble: str | None, score: str | None
) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """Return the ensemble, the score, and the settings of growing and of scoring, checked.

    Parameters
    ----------
    entry : Entry
    settings : mapping
        Of growing and of the score.
    ensemble, score : str or None
        None: the ranker's defaults.

    Raises
    ------
    UserError
        On what the ranker does not have, or a score that these trees cannot give.
    """
    growing, scoring = split_settings(entry, settings)
    ensemble = ensemble or default_ensemble(entry)
    score = score or default_score(entry)
    checked_settings(entry.facts.scores, score, scoring)
    if not entry.facts.scores[score].out_of_bag:
        # What is a setting of both says which statistics to gather, and there are none.
        growing = {name: value for name, value in growing.items() if name not in scoring}
    check_score(entry, score, scoring, has_out_of_bag(options_of(entry, ensemble, growing)))
    return ensemble, score, growing, scoring


def rank_by_trees(
    dataset: Dataset,
    entry: Entry,
    settings: Mapping[str, Any],
    *,
    ensemble: str | None,
    score: str | None,
    sizes: Sequence[int],
    rows: str,
    seed: int,
    n_threads: int,
    clock: WorkClock | None,
) -> RankingBundle:
    """Grow an ensemble on a dataset and return the rankings of one score; arguments as of `rank_dataset`."""
    ensemble, score, growing, scoring = check_tree_request(entry, settings, ensemble, score)
    grown = grow_for_dataset(
        dataset,
        ensemble=ensemble,
        n_trees=max(sizes, default=DEFAULT_TREES),
        settings=growing,
        method=entry.id,
        scores=[score],
        rows=rows,
        seed=seed,
        n_threads=n_threads,
        clock=clock,
    )
    return rank_from_ensemble(grown, score=score, sizes=sizes, settings=scoring, clock=clock)


def method_of(ensemble: Ensemble) -> str:
    """Return the id of the ranker that grew an ensemble; older files name none."""
    return str(ensemble.facts.get("method", DEFAULT_METHOD))


def rank_from_ensemble(
    ensemble: Ensemble,
    *,
    score: str | None,
    sizes: Sequence[int] | None,
    settings: Mapping[str, Any],
    clock: WorkClock | None = None,
) -> RankingBundle:
    """Return the rankings of one score for several sizes.

    Parameters
    ----------
    ensemble : Ensemble
    score : str or None
        One that the ranker which grew the trees has; None: its default.
    sizes : sequence of int, optional
        Numbers of trees; default all.
    settings : mapping
        Any of `score_settings`.
    clock : WorkClock, optional
        Counts the CPU seconds of the work.

    Raises
    ------
    UserError
        On an unknown score, setting or size.
    """
    method = method_of(ensemble)
    try:
        entry = tree_ranker(method)
    except UserError as error:
        raise UserError(
            f"unknown ranker '{method}', which grew these trees", hint="give its file by --plugin"
        ) from error
    growing, scoring = split_settings(entry, settings)
    of_trees = [name for name in growing if name not in scoring]
    if of_trees:
        raise UserError(
            f"'{of_trees[0]}' is a setting of growing, and these trees are grown already",
            hint="grow the ensemble again",
        )
    score = score or default_score(entry)
    kind = ensemble.facts.get("ensemble") or ensemble.facts["options"]["ensemble"]
    check_score(entry, score, scoring, bool(ensemble.facts.get("bootstrap", ensemble.oob is not None)))
    wanted = list(sizes) if sizes else [ensemble.n_trees]
    with (clock or WorkClock()).measure("trees"):
        scores = importances(ensemble, score, wanted, scores=entry.facts.scores, **scoring)
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
        "method": method,
        "ensemble": kind,
        "score": score,
        "seed": ensemble.facts["seed"],
        "parameters": dict(settings),
    }
    return RankingBundle(rankings, facts)
