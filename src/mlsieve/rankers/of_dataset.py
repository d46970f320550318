"""Ranking a `Dataset` by any registered ranker: what the command ``rank`` does for all but tree ensembles."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError
from mlsieve.rankings import Ranking, RankingBundle
from mlsieve.registry import check_parameters, lookup
from mlsieve.selection import FeatureCount, Selection, default_size, select_best
from mlsieve.work import WorkClock

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset


def rank_dataset(
    dataset: Dataset,
    method: str,
    settings: Mapping[str, Any],
    *,
    rows: str = "train",
    seed: int = 0,
    n_threads: int = 1,
    clock: WorkClock | None = None,
    select: FeatureCount | None = None,
) -> RankingBundle:
    """Fit a ranker and return its one ranking.

    Parameters
    ----------
    dataset : Dataset
    method : str
        Id of a registered ranker.
    settings : mapping
        Its parameters; ``random_state``, ``n_jobs``, ``nominal``, ``n_categories`` and ``feature_names`` are
        filled in where it has them, and what its registered fact ``needs`` names comes from the data set's
        facts.
    rows : {"train", "all"}
        Which rows to learn from.
    seed, n_threads : int
    clock : WorkClock, optional
        Told the CPU seconds of the work.
    select : int, float, "sqrt" or "all", optional
        Makes a selection of so many of the best features (see `mlsieve.selection.feature_count`).

    Raises
    ------
    UserError
        On an unknown method or parameter, a method that does not take the data's task, or one that needs to
        know what the data do not tell.
    """
    entry = lookup("ranker", method)
    if dataset.task not in entry.facts.get("tasks", ("mlc",)):
        raise UserError(
            f"ranker '{method}' is not for {dataset.task} data",
            cure=f"it takes {' and '.join(entry.facts['tasks'])}; 'mlsieve methods' lists the others",
        )
    told = _told(dataset, entry.facts.get("needs", ()))
    if told is None:
        from mlsieve.data.synthetic import KNOWN_RELEVANCE

        raise UserError(
            f"ranker '{method}' is not for data set '{dataset.name}': its relevant features are not known",
            cure=f"it takes data sets made by code: {', '.join(sorted(KNOWN_RELEVANCE))}",
        )
    if not 0 <= seed < 2**63:
        raise UserError(f"seed {seed} is out of range", cure="give a whole number from 0 to 2**63 - 1")
    parameters = dict(check_parameters("ranker", method, settings))
    if select is not None and entry.facts.get("selects"):
        raise UserError(f"ranker '{method}' selects by itself", cure="say --set k=K in place of --select")
    automatic = {
        "random_state": seed,
        "n_jobs": n_threads,
        "nominal": dataset.nominal,
        "n_categories": [len(values) for values in dataset.categories],
        "feature_names": dataset.feature_names,
    }
    accepted = inspect.signature(entry.target).parameters
    parameters |= {name: value for name, value in automatic.items() if name in accepted} | told
    if entry.facts.get("selects") and parameters.get("k") is None:
        # Of the whole data set, so that all splits select as many.
        parameters["k"] = default_size(dataset.X.shape[0])
    whole = rows == "all"
    X, Y = (dataset.X, dataset.Y) if whole else (dataset.X_train, dataset.Y_train)
    try:
        with (clock or WorkClock()).measure("once"):
            if "estimator" in entry.facts:
                scores = entry.target(_checked(X), Y, **parameters)
            else:
                scores = entry.target(**parameters).fit(X, Y).feature_importances_
    except ValueError as error:
        of_rows = "all rows" if whole else "the training rows"
        raise UserError(
            f"ranker '{method}' cannot take {of_rows} of data set '{dataset.name}': {error}",
            cure="give other data, or another method",
        ) from error
    if isinstance(scores, Selection):
        ranking = Ranking(
            scores.scores, dataset.feature_names, 0, scores.n_selected, method, search_order=scores.order
        )
    else:
        ranking = Ranking(scores, dataset.feature_names, name=method)
    if select is not None:
        ranking = select_best(ranking, select, dataset.X.shape[0])
    facts = {
        "dataset": dataset.name,
        "method": method,
        "ensemble": "",
        "score": "",
        "seed": seed,
        "parameters": dict(settings),
    }
    return RankingBundle((ranking,), facts)


def _checked(X: Any) -> Any:
    """Return X if it is what a function may count on; an estimator makes sure of it by itself."""
    if X.shape[0] < 2 or X.shape[1] < 1:
        raise ValueError(f"{X.shape[0]} row(s) of {X.shape[1]} feature(s) are too few")
    if np.isinf(X.data if sp.issparse(X) else X).any():
        raise ValueError("X holds an infinite value")
    return X


def _told(dataset: Dataset, needs: Sequence[str]) -> dict[str, Any] | None:
    """Return what a method needs to know from the data set's facts; None if they do not tell it all."""
    if any(name not in dataset.facts for name in needs):
        return None
    # Labels that were shuffled depend on no feature, whatever they were made of.
    return {name: [] if dataset.facts.get("permuted") else dataset.facts[name] for name in needs}
