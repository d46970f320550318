"""Neither the order of a file's columns nor that of its labels decides anything: rankers and selectors.

Permuted columns give the permuted scores to 1e-9; of selectors, the same contents in the same order. The data
are gridded, so that exact ties abound: between distances, criteria, cuts and thresholds.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers import PCTForestRanker
from mlsieve.registry import entries, lookup

TREES = [
    {"ensemble": ensemble, "score": score, "n_estimators": 5}
    for ensemble in ("bagging", "random-forest", "extra-trees")
    for score in ("symbolic", "genie3", "permutation")
    if (ensemble, score) != ("extra-trees", "permutation")
]
# What each method is tried with, beside what it is registered to be tried with.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "pct": TREES,
    "relief": [
        {"k": 3, "m": 1.0},
        {"k": 2, "m": 0.5, "sigma": 0.7, "distance": "hamming"},
        {"k": 4, "m": 7, "distance": "subset"},
        {"k": 1, "m": 1.0, "distance": "accuracy"},
    ],
    "ami": [{}, {"form": "printed"}],
    "mdmr": [{}, {"form": "co-information"}],
    "ppt-rf": [{"p": 1, "n_neighbors": 2}, {"p": 3, "pruned": "subsets", "n_neighbors": 3, "m": 0.5}],
    "ppt-mi": [{"p": 1}, {"p": 3, "pruned": "subsets"}],
    "ppt-chi": [{"p": 1}, {"p": 3, "pruned": "subsets"}],
}
HIERARCHICAL: dict[str, list[dict[str, Any]]] = {
    "pct": TREES,
    "relief": [
        {"k": 3, "m": 1.0},
        {"k": 3, "m": 0.5, "mu": "pairs", "sigma": 0.5},
        {"k": 2, "m": 1.0, "mu": "observed", "class_weights": "sum"},
        {"k": 2, "m": 1.0, "definition": "clus"},
    ],
}
POSITION_FREE_TREES = "ties" in inspect.signature(PCTForestRanker).parameters
RANKERS = [id for id in entries("ranker") if id != "random" and (id != "pct" or POSITION_FREE_TREES)]
SELECTORS = [id for id in RANKERS if lookup("ranker", id).facts.selects]
CASES = [(id, given) for id in RANKERS for given in VARIANTS.get(id, [{}])]
CASES += [
    (id, {"discretize": how}) for id in ("scls", "lrfs", "pmu") for how in ("none", "equal-width", "mdlp")
]
CONTAINERS = {"dense": np.ascontiguousarray, "sparse": sp.csr_array}


def name_of(case):
    return "-".join(map(str, case.values())) if isinstance(case, dict) else case


def grid(rng: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Features whose sums are rounded, few different rows, and which of the features are nominal."""
    n, n_features = int(rng.integers(14, 40)), int(rng.integers(3, 9))
    X = rng.integers(0, int(rng.integers(2, 6)), (n, n_features)) * 0.1
    nominal = np.zeros(n_features, bool)
    if kind == "repeated rows":
        X = X[rng.integers(0, max(2, n // 3), n)]
    elif kind == "mirrored":  # columns that are as good as another, and differ from it
        X[:, n_features // 2 :] = 0.3 - X[:, : n_features - n_features // 2]
    elif kind == "nominal":
        nominal = rng.random(n_features) < 0.6
        X[:, nominal] = rng.integers(0, 3, (n, int(nominal.sum())))
    elif kind == "sparse":
        X *= rng.random(X.shape) < 0.3
    elif kind == "binary":
        X = (X > 0.15).astype(float)
    elif kind == "missing":
        nominal[0] = True
        X[:, 0] = rng.integers(0, 3, n)
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, nominal


KINDS = ("plain", "repeated rows", "mirrored", "nominal", "sparse", "binary", "missing")


def labels(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    known = np.nan_to_num(X)
    of_features = [known[:, 0] > known[:, 1], known[:, -1] > np.median(known[:, -1])]
    Y = np.column_stack([*of_features, *(rng.random((2, len(X))) < 0.4)]).astype(np.uint8)
    Y[:2] = [[1, 0, 1, 0], [0, 1, 1, 0]]
    Y[2:8] = Y[:2].repeat(3, axis=0)  # so that some label sets are not pruned
    return Y


problems = st.tuples(st.integers(0, 10**6), st.sampled_from(KINDS))


def takes_seed(id: str) -> bool:
    return "random_state" in lookup("ranker", id).estimator().get_params()


def fitted(
    id: str, given: dict[str, Any], X: Any, Y: Any, nominal: np.ndarray, places=None, **more: Any
) -> Any:
    """The estimator after `fit`; what names features by index follows them to their `places`."""
    entry = lookup("ranker", id)
    found = entry.estimator(**{**entry.facts.smoke, **given, **more})
    known = found.get_params()
    if "nominal" in known and nominal.any():
        found.set_params(nominal=nominal)
    for name in ("relevant", "redundant"):
        if known.get(name) is not None and places is not None:
            found.set_params(**{name: [int(places[index]) for index in known[name]]})
    return found.fit(X, Y)


def assert_same(id: str, one: Any, other: Any, X: np.ndarray, p: np.ndarray) -> None:
    """The second result, of the columns p of X, is the first one permuted."""
    scores, permuted = one.feature_importances_, other.feature_importances_
    if not lookup("ranker", id).facts.selects:
        np.testing.assert_allclose(permuted, scores[p], rtol=1e-9, atol=1e-9)
        return
    order, again = one.selection_.order, p[other.selection_.order]
    assert [X[:, f].tobytes() for f in order] == [X[:, f].tobytes() for f in again]
    np.testing.assert_allclose(permuted[other.selection_.order], scores[order], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("id, given_parameters", CASES, ids=name_of)
@settings(max_examples=25, deadline=None)
@given(problem=problems)
def test_permuted_columns_give_the_permuted_result(id, given_parameters, container, problem):
    rng, store = np.random.default_rng(problem[0]), CONTAINERS[container]
    X, nominal = grid(rng, problem[1])
    Y, p, seed = labels(rng, X), rng.permutation(X.shape[1]), int(rng.integers(2**31))
    more = {"random_state": seed} if takes_seed(id) else {}
    one = fitted(id, given_parameters, store(X), Y, nominal, **more)
    other = fitted(id, given_parameters, store(X[:, p]), Y, nominal[p], np.argsort(p), **more)
    assert_same(id, one, other, X, p)


@pytest.mark.parametrize("id, given_parameters", CASES, ids=name_of)
@settings(max_examples=15, deadline=None)
@given(problem=problems)
def test_permuted_labels_change_nothing(id, given_parameters, problem):
    rng = np.random.default_rng(problem[0])
    X, nominal = grid(rng, problem[1])
    Y = labels(rng, X)
    one = fitted(id, given_parameters, X, Y, nominal)
    other = fitted(id, given_parameters, X, Y[:, rng.permutation(4)], nominal)
    assert_same(id, one, other, X, np.arange(X.shape[1]))


def reordered(hierarchy: Hierarchy, q: np.ndarray) -> Hierarchy:
    """The same classes in the order q."""
    return Hierarchy.from_parents(
        {hierarchy.names[c]: [hierarchy.names[parent] for parent in hierarchy.parents(c)] for c in q.tolist()}
    )


SHAPES = {
    "tree": {"a": [], "a/b": ["a"], "a/b/c": ["a/b"], "a/d": ["a"], "e": [], "e/f": ["e"]},
    "graph": {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": [], "f": ["d", "e"]},
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "id, given_parameters",
    [
        (id, given)
        for id in RANKERS
        if "hmlc" in lookup("ranker", id).facts.tasks
        for given in HIERARCHICAL.get(id, [{}])
    ],
    ids=name_of,
)
@settings(max_examples=15, deadline=None)
@example(problem=(6286, "sparse"))  # two features are copies of each other but for the held-out rows
@given(problem=problems)
def test_hierarchical_rankings_permute_with_columns_and_not_with_classes(
    id, given_parameters, shape, container, problem
):
    rng, store = np.random.default_rng(problem[0]), CONTAINERS[container]
    X, nominal = grid(rng, problem[1])
    hierarchy = Hierarchy.from_parents(SHAPES[shape])
    Y = hierarchy.close(sp.csr_array((rng.random((len(X), 6)) < 0.2).astype(np.uint8))).toarray()
    Y[:2] = hierarchy.close(sp.csr_array(np.eye(6, dtype=np.uint8)[[2, 5]])).toarray()
    p, q = rng.permutation(X.shape[1]), rng.permutation(6)

    def ranked(X, Y, nominal, hierarchy, places=None):
        takes = "hierarchy" in lookup("ranker", id).estimator().get_params()
        return fitted(
            id, given_parameters, store(X), Y, nominal, places, **({"hierarchy": hierarchy} if takes else {})
        )

    one = ranked(X, Y, nominal, hierarchy)
    assert_same(id, one, ranked(X[:, p], Y, nominal[p], hierarchy, np.argsort(p)), X, p)
    unmoved = np.arange(X.shape[1])
    assert_same(id, one, ranked(X, Y[:, q], nominal, reordered(hierarchy, q)), X, unmoved)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("id, given_parameters", [case for case in CASES if case[0] != "pct"], ids=name_of)
@settings(max_examples=15, deadline=None)
@given(problem=problems)
def test_a_copy_shares_the_score_or_takes_the_place_of_its_original(id, given_parameters, container, problem):
    rng, store = np.random.default_rng(problem[0]), CONTAINERS[container]
    X, nominal = grid(rng, problem[1])
    Y, original = labels(rng, X), int(rng.integers(X.shape[1]))
    X = np.column_stack([X, X[:, original]])
    nominal, copy = np.append(nominal, nominal[original]), X.shape[1] - 1
    more = {"relevant": [original, copy]} if id == "oracle" else {}
    one = fitted(id, given_parameters, store(X), Y, nominal, **more)
    if id not in SELECTORS:
        assert one.feature_importances_[copy] == pytest.approx(one.feature_importances_[original], abs=1e-9)
        return
    # The original on the other side of its copy: what was found of one is then found of the other.
    swap = np.arange(X.shape[1])
    swap[[original, copy]] = copy, original
    other = fitted(id, given_parameters, store(X[:, swap]), Y, nominal[swap])
    assert one.selection_.order.tolist() == other.selection_.order.tolist()
    assert one.feature_importances_.tobytes() == other.feature_importances_.tobytes()


@pytest.mark.skipif(not POSITION_FREE_TREES, reason="trees take the first of equal features")
@pytest.mark.parametrize("given_parameters", TREES, ids=name_of)
def test_copies_share_the_score_of_trees_in_the_mean(given_parameters):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (80, 5)) * 0.1
    X = np.column_stack([X, X[:, 0]])
    Y = np.column_stack([X[:, 0] + X[:, 1] > 0.2, X[:, 0] > rng.random(80) * 0.3]).astype(np.uint8)
    found = [
        fitted("pct", given_parameters, X, Y, np.zeros(6, bool), random_state=seed).feature_importances_
        for seed in range(100)
    ]
    first, *_, last = np.mean(found, axis=0)
    assert first == pytest.approx(last, rel=0.15)


STOCHASTIC = [case for case in CASES if takes_seed(case[0])]


@pytest.mark.parametrize("id, given_parameters", STOCHASTIC, ids=name_of)
def test_on_noise_no_position_is_favoured(id, given_parameters):
    """Ranks of the first ten columns and of the last ten, over 20 seeds; small data are full of ties."""
    totals = np.zeros(30)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (16, 30)) * 0.1
        Y = (rng.random((16, 2)) < 0.5).astype(np.uint8)
        found = fitted(id, given_parameters, X, Y, np.zeros(30, bool), random_state=seed)
        # Of selectors the ranks themselves, which nothing but the order of equal features parts.
        ranks = found.ranking_ if id in SELECTORS else rankdata(-found.feature_importances_)
        totals += ranks
    first, last = totals[:10].sum(), totals[-10:].sum()
    assert max(first, last) / min(first, last) < 1.15


@pytest.mark.skipif(not POSITION_FREE_TREES, reason="trees take the first of equal features")
@pytest.mark.parametrize("given_parameters", TREES, ids=name_of)
def test_on_noise_trees_score_the_first_columns_as_the_last(given_parameters):
    totals = np.zeros(30)
    for seed in range(20):
        for draw in range(10):  # most of the score of all trees can lie on one of the features
            rng = np.random.default_rng([seed, draw])
            X, Y = rng.integers(0, 4, (60, 30)) * 0.1, (rng.random((60, 3)) < 0.5).astype(np.uint8)
            found = fitted("pct", given_parameters, X, Y, np.zeros(30, bool), random_state=seed)
            totals += np.abs(found.feature_importances_)
    first, last = totals[:10].sum(), totals[-10:].sum()
    assert max(first, last) / min(first, last) < 1.15
