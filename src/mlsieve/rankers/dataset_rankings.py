"""Ranking a `Dataset` by any registered ranker: what the command ``rank`` does."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.costs.measured import WorkClock
from mlsieve.costs.of_dataset import expected_seconds
from mlsieve.data.class_choices import FLATTEN
from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.errors import DataNotice, UserError, number_of
from mlsieve.progress import stage
from mlsieve.rankers.tree_rankings import check_tree_request, rank_by_trees, rank_from_ensemble
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.rankings.selection import FeatureCount, Selection, default_size, select_best
from mlsieve.rankings.ties import best_first
from mlsieve.registry import Entry, check_parameters, lookup
from mlsieve.registry.plugins import failure_in_plugin
from mlsieve.trees.ensemble import Ensemble

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset


def check_request(
    method: str, settings: Mapping[str, Any], ensemble: str | None = None, score: str | None = None
) -> None:
    """Raise a UserError for what `rank_dataset` would refuse of any dataset; arguments as there."""
    entry = lookup("ranker", method)
    if entry.facts.scores:
        check_tree_request(entry, settings, ensemble, score)
        return
    for option, given in (("ensemble", ensemble), ("score", score)):
        if given is not None:
            raise UserError(
                f"--{option} does not apply to ranker '{method}', which does not grow ensembles",
                hint=f"leave out --{option}",
            )
    check_parameters("ranker", method, settings)


def rank_dataset(
    dataset: Dataset,
    method: str,
    settings: Mapping[str, Any],
    *,
    ensemble: str | None = None,
    score: str | None = None,
    rows: str = "train",
    seed: int = 0,
    n_threads: int = 1,
    clock: WorkClock | None = None,
    select: FeatureCount | None = None,
    sizes: Sequence[int] = (),
    vary: tuple[str, Sequence[Any]] | None = None,
    uncut: Dataset | None = None,
    n_rows: int | None = None,
) -> RankingBundle:
    """Fit a ranker and return its ranking, or one for each of several sizes.

    Parameters
    ----------
    dataset : Dataset
    method : str
        Id of a registered ranker.
    settings : mapping
        Its parameters; ``random_state``, ``n_jobs``, ``nominal``, ``n_categories``, ``digests`` and
        ``feature_names`` are filled in where it has them, and what its registered fact ``needs`` names comes
        from the dataset's facts.
    ensemble, score : str, optional
        Of a ranker with scores: the kind of ensemble, and which of its scores; default the ranker's own.
    rows : {"train", "all"}
        Which rows to learn from.
    seed, n_threads : int
    clock : WorkClock, optional
        Counts the CPU seconds of the work.
    select : int, float, "sqrt", "log2" or "all", optional
        Makes a selection of so many of the best features (see `mlsieve.rankings.selection.feature_count`).
    sizes : sequence of int
        Numbers of trees, or percentages that take the place of the parameter which the ranker's registered
        fact ``sizes`` names; one ranking each, from one ensemble or one pass.
    vary : (str, sequence), optional
        The parameter that the ranker's registered fact ``varied`` names, and values of it; one ranking each,
        from one fit.
    uncut : Dataset, optional
        The dataset before its numeric features were cut, where they were: its columns decide ties, as they
        do where a selector cuts by itself.
    n_rows : int, optional
        Rows of which a selector's default and rules such as "sqrt" count; default those of the whole dataset,
        so that all splits of it select as many. In cross-validation it is the training rows of a fold.

    Raises
    ------
    UserError
        On an unknown method or parameter, a method that does not take the data's task, or one that
        requires facts which the data lack.
    """
    entry = lookup("ranker", method)
    if dataset.task not in entry.facts.tasks:
        takes = FLATTEN if dataset.task == "hmlc" else f"it supports {' and '.join(entry.facts.tasks)}"
        raise UserError(
            f"ranker '{method}' does not support {dataset.task} data",
            hint=f"{takes}; 'mlsieve methods' lists the others",
        )
    given = _given_facts(dataset, entry.facts.needs)
    if given is None:
        from mlsieve.data.generated.synthetic import KNOWN_RELEVANCE

        raise UserError(
            f"ranker '{method}' does not support dataset '{dataset.name}': its relevant features are"
            " not known",
            hint=f"it supports synthetic datasets: {', '.join(sorted(KNOWN_RELEVANCE))}",
        )
    if not 0 <= seed < 2**63:
        raise UserError(f"seed {seed} is out of range", hint="give a whole number from 0 to 2**63 - 1")
    check_request(method, settings, ensemble, score)
    n_rows = dataset.X.shape[0] if n_rows is None else n_rows
    varied = _of_values(entry, vary, settings)
    if entry.facts.scores:
        by_trees = rank_by_trees(
            dataset,
            entry,
            settings,
            ensemble=ensemble,
            score=score,
            sizes=sizes,
            rows=rows,
            seed=seed,
            n_threads=n_threads,
            clock=clock,
        )
        return _selections(by_trees, select, n_rows)
    parameters = dict(settings)
    if select is not None and entry.facts.selects:
        raise UserError(
            f"ranker '{method}' selects its own features", hint="write --set k=K in place of --select"
        )
    sized = _of_sizes(entry, sizes, parameters) | varied
    automatic = {
        "random_state": entry.seed_from(seed),
        "n_jobs": n_threads,
        "nominal": dataset.nominal,
        "n_categories": [len(values) for values in dataset.categories],
        "feature_names": dataset.feature_names,
        "hierarchy": dataset.hierarchy,
    }
    accepted = inspect.signature(entry.target).parameters
    parameters |= {name: value for name, value in automatic.items() if name in accepted} | given | sized
    if entry.facts.selects and parameters.get("k") is None:
        parameters["k"] = _default_k(method, n_rows, dataset.X.shape[1])
    whole = rows == "all"
    X, y = (dataset.X, dataset.Y) if whole else (dataset.X_train, dataset.Y_train)
    if uncut is not None and "digests" in accepted:
        parameters["digests"] = column_digests(uncut.X if whole else uncut.X_train)
    try:
        how_long = functools.partial(expected_seconds, entry, dataset, parameters, X.shape[0])
        with stage(f"ranking by {method}", how_long), (clock or WorkClock()).measure("once"):
            if entry.estimator_place:
                scores = entry.target(_checked(X), y, **parameters)
            else:
                scores = entry.target(**parameters).fit(X, y).feature_importances_
    except ValueError as error:
        if failure_in_plugin(error):  # its own error says more
            raise
        of_rows = "all rows" if whole else "the training rows"
        what, hint = str(error), "give other data, or another method"
        if isinstance(error, UserError):
            what, hint = error.what, error.hint or hint
        raise UserError(
            f"ranker '{method}' cannot take {of_rows} of dataset '{dataset.name}': {what}", hint=hint
        ) from error
    names = dataset.feature_names
    if isinstance(scores, Selection):
        rankings = [Ranking(scores.scores, names, 0, scores.n_selected, method, search_order=scores.order)]
    else:
        places = canonical_places(column_digests(X), seed)
        rankings = [
            Ranking(own, names, size, name=name, search_order=best_first(own, places))
            for own, size, name in _each(scores, sizes, () if vary is None else vary[1], method)
        ]
    facts = {
        "dataset": dataset.name,
        "method": method,
        "ensemble": "",
        "score": "",
        "seed": seed,
        "parameters": dict(settings),
        **({} if vary is None else {"varied": vary[0]}),
    }
    return _selections(RankingBundle(tuple(rankings), facts), select, n_rows)


def _default_k(method: str, n_rows: int, n_features: int) -> int:
    """Return how many features a selector selects by default, and warn if these are all."""
    k = default_size(n_rows)
    if k >= n_features > 1:
        what = f"the default of selector '{method}' is {k} features (ceil(sqrt(n)) of {n_rows} rows)"
        there = f"there are {number_of(n_features, 'feature')}: all are selected"
        warnings.warn(DataNotice(f"{what}, and {there} (fewer: --method {method}:k=1)"), stacklevel=3)
    return min(k, n_features)


def rank_grown(
    ensemble: Ensemble,
    *,
    score: str | None,
    sizes: Sequence[int],
    settings: Mapping[str, Any],
    select: FeatureCount | None = None,
    clock: WorkClock | None = None,
) -> RankingBundle:
    """Return the rankings of a grown ensemble; arguments as of `rank_dataset`."""
    bundle = rank_from_ensemble(ensemble, score=score, sizes=sizes, settings=settings, clock=clock)
    return _selections(bundle, select, ensemble.facts.get("n_dataset_rows"))


def _selections(bundle: RankingBundle, select: FeatureCount | None, n_rows: int | None) -> RankingBundle:
    """Return the bundle with selections of the best features, where they are asked for."""
    if select is None:
        return bundle
    return replace(bundle, rankings=tuple(select_best(one, select, n_rows) for one in bundle.rankings))


def _each(
    scores: np.ndarray | Sequence[np.ndarray], sizes: Sequence[int], values: Sequence[Any], method: str
) -> list[tuple[np.ndarray, int, str]]:
    """Return the scores, size and name of each ranking; size 0 where the method has none."""
    if values:
        return [(own, 0, f"{method}-{value}") for own, value in zip(scores, values, strict=True)]
    if not sizes:
        return [(np.asarray(scores), 0, method)]
    return [
        (np.asarray(of_size), size, f"{method}/{size}") for of_size, size in zip(scores, sizes, strict=True)
    ]


def _of_sizes(entry: Entry, sizes: Sequence[int], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ranker's parameters that hold the sizes, checked."""
    replaced = entry.facts.sizes
    if not sizes:
        return {}
    if not replaced:
        raise UserError(f"ranker '{entry.id}' has no sizes", hint="leave out --sizes")
    if replaced in parameters:
        raise UserError(f"both '{replaced}' and sizes are given", hint="give one of them")
    if not all(1 <= size <= 100 for size in sizes):
        got = ", ".join(map(str, sizes))
        raise UserError(f"sizes must be percentages from 1 to 100, got {got}", hint="give e.g. 10,50,100")
    return {"sizes": sizes}


def _of_values(
    entry: Entry, vary: tuple[str, Sequence[Any]] | None, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the ranker's parameter that holds the values of another one, checked."""
    if vary is None:
        return {}
    name, values = vary
    if name != entry.facts.varied:
        own = f"give {entry.facts.varied}" if entry.facts.varied else "rank by one value after the other"
        raise UserError(f"ranker '{entry.id}' does not give rankings of several values of '{name}'", hint=own)
    if name in parameters:
        raise UserError(f"both one value of '{name}' and several are given", hint="give one of them")
    if not values or len(set(values)) < len(values):
        raise UserError(f"'{name}': a value is listed twice, or none is given", hint="list each once")
    for value in values:
        check_parameters("ranker", entry.id, {name: value})
    return {"each": tuple(values)}


def _checked(X: Any) -> Any:
    """Return X if it is what a function may count on; an estimator makes sure of it by itself."""
    if X.shape[0] < 2 or X.shape[1] < 1:
        rows, verb = number_of(X.shape[0], "row"), "is" if X.shape[0] == 1 else "are"
        raise ValueError(f"{rows} of {number_of(X.shape[1], 'feature')} {verb} too few")
    if np.isinf(X.data if sp.issparse(X) else X).any():
        raise ValueError("X holds an infinite value")
    return X


def _given_facts(dataset: Dataset, needs: Sequence[str]) -> dict[str, Any] | None:
    """Return the facts of the dataset that a method requires; None if one of them is missing."""
    if any(name not in dataset.facts for name in needs):
        return None
    # Labels that were shuffled depend on no feature, whatever they were made of.
    return {name: [] if dataset.facts.get("permuted") else dataset.facts[name] for name in needs}
