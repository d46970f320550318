"""Permutation importance of any method that predicts label sets."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.sequence import prediction_of
from mlsieve.errors import InvalidSetting, UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import choose, evaluate
from mlsieve.progress import counted
from mlsieve.rankers.of_chains import features_by_content, label_order_by_content
from mlsieve.registry import AtLeast, Entry, check_parameters, lookup, register
from mlsieve.registry.parameters import LessThan, MoreThan, settings_of
from mlsieve.seeds import derive_seed

Error = Literal["hamming-loss", "pooled-auprc"]
_DIGITS = 12  # decimals of an importance
_PER_PREDICTION = 2e-8  # seconds of a row and a label


def estimated_seconds(counts: Mapping[str, float], settings: Mapping[str, Any]) -> float:
    """Return the estimated cost on one core: the held-out examples are predicted once a feature."""
    rows = settings["held_out"] * counts["n"]
    return _PER_PREDICTION * counts["F"] * rows * (counts["L"] + 20) * settings["repeats"]


def chosen_chain(parameters: Mapping[str, Any]) -> tuple[Entry, dict[str, Any]]:
    """Return the method that `chain` names, and what `settings` says of its parameters.

    Raises
    ------
    UserError
        If there is no such method, or it does not accept a setting.
    """
    entry = lookup("chain", parameters["chain"])
    given = settings_of(parameters["settings"].split(), "settings:", "rounds=10 depth=4")
    return entry, check_parameters("chain", entry.id, given)


@register.ranker(
    "chain-permutation",
    version=5,
    tasks=("mlc", "hmlc"),
    doi="10.1007/s10994-022-06162-3",
    smoke={"settings": "rounds=3 depth=2", "repeats": 2},
    cost=estimated_seconds,
    check=chosen_chain,
)
def chain_permutation_importances(
    X: Any,
    y: Any,
    *,
    chain: str = "ml-xgb",
    settings: str = "",
    error: Error | None = None,
    held_out: Annotated[float, MoreThan(0), LessThan(1)] = 0.3,
    repeats: Annotated[int, AtLeast(1)] = 1,
    hierarchy: Hierarchy | None = None,
    nominal: Any = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> np.ndarray:
    """Permutation importance of a chain: how much its error rises on examples whose feature is permuted.

    The method learns from some of the examples and predicts the others, once with each feature permuted among
    them.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        NaN is missing; n at least 2.
    y : csr_array, shape (n, L)
        0/1 labels; with a hierarchy closed upwards.
    chain : str
        Id of a registered method that predicts label sets, such as ``ml-xgb``, ``xdcc``, ``rdt-dcc``.
    settings : str
        Its parameters, by the names of ``mlsieve chain --set``, with blanks between them:
        ``rounds=10 depth=4``.
    error : {"hamming-loss", "pooled-auprc"} or None
        Hamming loss of the predicted label sets, or 1 - pooled AUPRC of the probabilities. None: the latter
        with a hierarchy, else the former.
    held_out : float
        Share of the examples that are predicted, at least one and at most all but one of them.
    repeats : int
        How many permutations the rise is a mean of.
    hierarchy : Hierarchy, optional
        Of the columns of y; label sets are completed with all classes above theirs. The method does not know
        the hierarchy.
    nominal : array-like of bool, of int or of str, optional
        Nominal features (mask, indices, or names of X's columns), holding category positions 0, 1, ...
    random_state : int
        Seed of the method, the held-out examples and the permutations, which are the same for all features.
    n_jobs : int
        Threads; results do not depend on it.

    Returns
    -------
    ndarray of float64, shape (F,)
        Errors with the feature permuted, minus the error without; 0 for a feature that the method does not
        use.
    """
    entry, values = chosen_chain({"chain": chain, "settings": settings})
    parameters = entry.arguments(values)
    features = features_by_content(X, nominal, random_state)
    X = features.X
    automatic = {"random_state": entry.seed_from(random_state), "n_jobs": n_jobs, "nominal": features.nominal}
    names = inspect.signature(entry.target).parameters
    parameters |= {name: value for name, value in automatic.items() if name in names}
    held = _held_out(X.shape[0], held_out, random_state)
    place = label_order_by_content(y, random_state)
    model, learnt = entry.target(**parameters), (X[~held], y[~held][:, place])
    try:
        model = model.learn(*learnt) if entry.estimator_place else model.fit(*learnt)
    except InvalidSetting as error:
        raise UserError(f"settings = '{settings}' of '{chain}': {error.what}", hint=error.hint) from error
    rows = X[held].toarray() if sp.issparse(X) else X[held].copy()
    truth = y[held].toarray().astype(bool)
    own_place = np.argsort(place)
    usually = "hamming-loss" if hierarchy is None else "pooled-auprc"
    measure = choose([error or usually], None, hierarchy is not None)
    sign = 1.0 if measure[0].direction == "lower" else -1.0

    def error_now() -> float:
        found = prediction_of(model, rows)
        (value,) = evaluate(
            measure, truth, found.probabilities[:, own_place], found.labels[:, own_place], hierarchy
        )
        return sign * float(value)

    rises = np.zeros(X.shape[1])
    usual, used = error_now(), _used(model, rows)
    if np.isnan(usual):
        raise UserError(
            f"{measure[0].id} of the {len(rows)} held-out examples is undefined: they have no label",
            hint="hold out more, or use error = hamming-loss",
        )
    for repeat in counted(range(repeats), "permutations"):
        seed = derive_seed(random_state, "permutation", repeat)
        order = np.random.Generator(np.random.Philox(seed)).permutation(len(rows))
        for feature in counted(np.flatnonzero(used), "features"):
            own = rows[:, feature].copy()
            rows[:, feature] = own[order]
            rises[feature] += (error_now() - usual) / repeats
            rows[:, feature] = own
    # Equal numbers of wrong cells have equal importance, however their differences are rounded.
    return features.scores_of_data(np.round(rises, _DIGITS) + 0.0)


def _held_out(n: int, share: float, seed: int) -> np.ndarray:
    """Return which examples are held out, bool of shape (n,): at least one, and not all."""
    order = np.random.Generator(np.random.Philox(derive_seed(seed, "held out"))).permutation(n)
    held = np.zeros(n, bool)
    held[order[: max(1, min(n - 1, round(share * n)))]] = True
    return held


def _used(model: Any, rows: np.ndarray) -> np.ndarray:
    """Return which features' permutation can change a prediction, bool of shape (F,)."""
    first = rows[:1]
    same = (rows == first) | (np.isnan(rows) & np.isnan(first))
    differ = ~same.all(axis=0)
    return differ & (model.importances("splits") > 0) if hasattr(model, "importances") else differ
