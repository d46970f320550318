"""The boosting kernel against a naive twin: each node's test gains as much as the best one that there is."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mlsieve._kernels.boosting.booster import SCORES, Booster

from mlsieve.chains.boosted import BoostedTrees
from mlsieve.chains.boosting.columns import boosting_columns

pytestmark = pytest.mark.kernel
OPTIONS = {"max_depth": 3, "learning_rate": 0.3, "reg_lambda": 1.0, "gamma": 0.0, "min_child_weight": 0.5}


def score_of(
    name: str, G: np.ndarray, H: np.ndarray, reg_lambda: float = 1.0, least: float = 0.0, faint: object = -1.0
) -> float:
    """Score of one node, by SPEC's six formulas; labels count from `least` and above `faint`."""
    counts = (H >= least) & (faint < H)
    if not counts.any():
        return 0.0
    G, H = G[counts], H[counts]
    kind = name.split("_")[1]
    parts = {"gain": G**2, "signed": -G, "abs": abs(G)}[kind] / (H + reg_lambda)
    return float(parts.sum() if name.startswith("sum") else parts.max())


def gains(name, X, g, h, rows, every, least, reg_lambda=1.0):
    """Gain of every test of a node: column, the rows that say yes."""
    G, H = g[rows].sum(axis=0), h[rows].sum(axis=0)
    options = {"reg_lambda": reg_lambda, "least": least}
    options["faint"] = 1e-6 * H if reg_lambda + least < 0.01 else -1.0
    before = score_of(name, G, H, **options)
    for column in range(X.shape[1]):
        x = X[rows, column]
        missing, known = np.isnan(x), np.unique(x[~np.isnan(x)])
        sides = [(x <= value) | (missing & to_yes) for value in known[:-1] for to_yes in (False, True)]
        sides += [~missing] if missing.any() and len(known) else []
        for yes in sides:
            a, b = h[rows][yes].sum(axis=0), h[rows][~yes].sum(axis=0)
            if every and (min(a.min(), b.min()) < least):
                continue
            own = score_of(name, g[rows][yes].sum(axis=0), a, **options)
            yield own + score_of(name, g[rows][~yes].sum(axis=0), b, **options) - before


def check_tree(
    name,
    X,
    margins,
    labels,
    tree,
    columns,
    every=False,
    hidden=None,
    weights=1.0,
    seen=lambda g, h: (g, h),
    least=0.5,
    reg_lambda=1.0,
):
    """Walk a tree: every test is the best, every leaf has its value; return the rows of the leaves.

    `seen` is what the search sees of gradients and hessians.
    """
    p = 1 / (1 + np.exp(-margins.astype(float)))
    g, h = weights * (p - labels), weights * p * (1 - p)
    seen_g, seen_h = (np.where(hidden, 0, part) if hidden is not None else part for part in seen(g, h))
    tests, found = columns.nodes(tree), []

    def walk(node, rows, depth):
        found_gains = gains(name, X, seen_g, seen_h, rows, every, least, reg_lambda)
        best = max(found_gains, default=0.0) if depth < 3 else 0.0
        if tree["feature"][node] < 0:
            assert depth == 3 or best < 1e-4
            values = -0.3 * g[rows].sum(axis=0) / np.maximum(h[rows].sum(axis=0) + reg_lambda, 1e-16)
            np.testing.assert_allclose(tree["values"][tree["leaf"][node]], values, atol=1e-5)
            found.append(rows)
            return
        assert tree["gain"][node] == pytest.approx(best, rel=1e-4, abs=1e-4)
        x, kind = X[rows, tests["feature"][node]], tests["kind"][node]
        yes = ~np.isnan(x) if kind == 2 else np.where(np.isnan(x), kind == 1, x <= tests["threshold"][node])
        walk(tree["yes"][node], rows[yes], depth + 1)
        walk(tree["no"][node], rows[~yes], depth + 1)

    walk(0, np.arange(len(X)), 0)
    return found


def problem(seed, n_labels=3, n=40, missing=0.0, zeros=0.0, values=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1) if values is None else rng.integers(0, values, (n, 4)).astype(float)
    X[rng.random(X.shape) < zeros] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    labels = (rng.random((n, n_labels)) < 0.3).astype(np.uint8)
    labels[:, 0] |= np.nan_to_num(X[:, 1]) > 0.5
    return X, labels, rng


class Taken:
    """What a booster takes, in its order."""

    def reserve(self, n_items):
        self.n_items, self.columns = n_items, []

    def add_columns(self, start, row, code, rest_kind, rest_code):
        parts = zip(start[:-1], start[1:], rest_kind, rest_code, strict=True)
        self.columns += [(row[a:b], code[a:b], kind, rest) for a, b, kind, rest in parts]

    def digests(self, keys, counts, fractions):
        return np.arange(len(self.columns), dtype=np.uint64), keys

    def order_columns(self, order):
        self.columns = [self.columns[place] for place in order]


def grown(name, X, labels, margins, every=False, max_bins=None, n_sketch=0, options=None, **given):
    options = (
        OPTIONS | {"every_label": every, "hide_in_leaves": False, "n_sketch": n_sketch} | (options or {})
    )
    booster = Booster(*labels.shape, score=SCORES.index(name), **options)
    columns = boosting_columns(X, booster, max_bins=max_bins)
    return booster.grow(margins, labels, **given), columns


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(("missing", "zeros"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.8)])
@pytest.mark.parametrize("n_labels", [1, 3, 9, 20])
def test_every_test_is_the_best(name, missing, zeros, n_labels):
    X, labels, rng = problem(n_labels, n_labels, missing=missing, zeros=zeros)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    before = margins.copy()
    tree, columns = grown(name, X, labels, margins)
    leaves = check_tree(name, X, before, labels, tree, columns)
    for rows, leaf in zip(leaves, _leaves_in_order(tree), strict=True):
        np.testing.assert_array_equal(margins[rows], before[rows] + tree["values"][leaf])


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(("missing", "zeros"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.8)])
@pytest.mark.parametrize("n_labels", [2, 20])
def test_bins_of_few_values_search_as_well(name, missing, zeros, n_labels):
    X, labels, rng = problem(n_labels, n_labels, 250, missing=missing, zeros=zeros, values=4)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    margins[:, ::2] += 4 * np.sign(margins[:, ::2])  # labels that soon cannot count
    before = margins.copy()
    tree, columns = grown(name, X, labels, margins)
    check_tree(name, X, before, labels, tree, columns)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(SCORES), values=st.sampled_from([None, 2]))
def test_a_tree_of_some_rows_and_columns(seed, name, values):
    """It is the best one of these, and all rows get the values of its leaves."""
    X, labels, rng = problem(seed, 3, 90, missing=0.1, values=values)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    before = margins.copy()
    rows = np.sort(rng.permutation(len(X))[:60]).astype(np.int32)
    width = len(boosting_columns(X, Taken()).feature)
    allowed = rng.random(width) < 0.6
    tree, columns = grown(name, X, labels, margins, rows=rows, columns=allowed.astype(np.uint8))
    assert allowed[tree["feature"][tree["feature"] >= 0]].all()
    others = np.setdiff1d(np.arange(X.shape[1]), columns.feature[allowed])
    hidden = X.copy()
    hidden[:, others] = 0.0
    check_tree(name, hidden[rows], before[rows], labels[rows], tree, columns)
    walked = before.copy()
    BoostedTrees.joined([{**tree, **columns.nodes(tree)}]).add_to(walked, X)
    np.testing.assert_array_equal(walked, margins)


@pytest.mark.parametrize("name", ["sum_gain", "max_gain"])
@pytest.mark.parametrize("values", [None, 2])
def test_weights_are_factors_of_gradients_and_hessians(name, values):
    X, labels, rng = problem(3, values=values)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    weights = rng.random(labels.shape).astype(np.float32) * 2
    before = margins.copy()
    tree, columns = grown(name, X, labels, margins, weights=weights)
    check_tree(name, X, before, labels, tree, columns, weights=weights)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("values", [None, 2])
@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("part", ["hidden", "weights"])
def test_without_regularisation_rounding_decides_nothing(name, values, every, part):
    """Of labels that some rows do not have to learn, a child may have no gradient at all."""
    X, labels, rng = problem(5, 6, 60, missing=0.1, values=values)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    before, shown = margins.copy(), (rng.random(labels.shape) < 0.4).astype(np.uint8)
    learnt = {"hidden": 1 - shown} if part == "hidden" else {"weights": shown.astype(np.float32)}
    options = {"reg_lambda": 0.0, "min_child_weight": 0.0, "in_double": True}
    tree, columns = grown(name, X, labels, margins, every=every, options=options, **learnt)
    assert (tree["feature"] >= 0).any()
    checks = {"least": 0.0, "reg_lambda": 0.0, **learnt}
    check_tree(name, X, before, labels, tree, columns, **checks)


@pytest.mark.parametrize("values", [None, 2])
@pytest.mark.parametrize("kind", ["top", "random"])
def test_a_sketched_search_has_exact_leaves(kind, values):
    X, labels, rng = problem(4, 12, 120, values=values)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    projection = rng.normal(size=(12, 4)).astype(np.float32) if kind == "random" else None

    def seen(g, h):
        if projection is not None:
            squares = projection.astype(float) ** 2
            return g @ projection, h @ (squares / squares.sum(axis=0))
        largest = np.sort(np.argsort(-(g**2).sum(axis=0))[:4])
        return g[:, largest], h[:, largest]

    before = margins.copy()
    tree, columns = grown("sum_gain", X, labels, margins, n_sketch=4, projection=projection)
    check_tree("sum_gain", X, before, labels, tree, columns, seen=seen)


def test_the_sigmoid_is_exact_to_single_precision():
    margins = np.linspace(-100, 100, 4001, dtype=np.float32)[None]
    labels = np.zeros(margins.shape, np.uint8)
    p = 1 / (1 + np.exp(-margins.astype(float)))
    tree, _ = grown("sum_gain", np.zeros((1, 1)), labels, margins.copy())
    expected = -0.3 * p / (np.maximum(p * (1 - p), 1e-16) + 1)
    np.testing.assert_allclose(tree["values"], expected, rtol=5e-7, atol=1e-37)


def _leaves_in_order(tree, node=0):
    if tree["feature"][node] < 0:
        return [tree["leaf"][node]]
    return _leaves_in_order(tree, tree["yes"][node]) + _leaves_in_order(tree, tree["no"][node])


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(SCORES))
def test_hidden_labels_count_in_leaves_only(seed, name):
    X, labels, rng = problem(seed, 4)
    margins = rng.normal(size=labels.shape).astype(np.float32)
    hidden = (rng.random(labels.shape) < 0.5).astype(np.uint8)
    before = margins.copy()
    tree, columns = grown(name, X, labels, margins, hidden=hidden)
    check_tree(name, X, before, labels, tree, columns, hidden=hidden)


def test_every_label_may_have_to_count():
    X, labels, _ = problem(5)
    margins = np.zeros(labels.shape, np.float32)
    tree, columns = grown("sum_gain", X, labels, margins.copy(), every=True)
    check_tree("sum_gain", X, margins, labels, tree, columns, every=True)


def test_the_papers_example_of_the_six_scores():
    """Table 3: G = (-0.2, -0.8, 0.9, 0.1) and H + lambda = 1."""
    G, H = np.array([-0.2, -0.8, 0.9, 0.1]), np.zeros(4)
    expected = dict(zip(SCORES, (1.5, 0.81, 0.0, 0.8, 2.0, 0.9), strict=True))
    assert {name: round(score_of(name, G, H), 12) for name in SCORES} == expected


@pytest.mark.parametrize("name", SCORES)
def test_the_kernel_scores_as_the_papers_example(name):
    """Two kinds of rows, each with gradients of one sign: what the root's test gains follows by hand."""
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    labels = np.repeat([[1, 0], [0, 1]], 50, axis=0).astype(np.uint8)
    tree, _ = grown(name, X, labels, np.zeros((100, 2), np.float32))
    H = np.full(2, 12.5)
    children = score_of(name, np.array([-25.0, 25.0]), H) + score_of(name, np.array([25.0, -25.0]), H)
    expected = children - score_of(name, np.zeros(2), 2 * H)
    if expected > 0:
        assert tree["gain"][0] == pytest.approx(expected)
    else:
        assert len(tree["feature"]) == 1, "nothing gains"


def test_bins_hold_neighbouring_values():
    X = np.random.default_rng(0).normal(size=(200, 3))
    taken = Taken()
    columns = boosting_columns(X, taken, max_bins=8)
    assert (np.diff(columns.value_start) == 8).all()
    counts = np.bincount(taken.columns[0][1])
    assert counts.min() >= 20 and counts.sum() == 200
    assert (columns.low <= columns.high).all() and (columns.high[:7] < columns.low[1:8]).all()


@pytest.mark.parametrize("n", [2**16, 2**16 + 1])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_items_of_any_number_of_rows_give_the_same_tree(n, make):
    """Up to 2**16 rows they take fewer bytes; the last row changes little."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2**16 + 1, 2))
    X[:, 1] = np.where(rng.random(len(X)) < 0.9, 0.0, X[:, 1])
    labels = (X + rng.normal(size=X.shape) > 1).astype(np.uint8)
    before = np.zeros((n, 2), np.float32)
    margins = before.copy()
    tree, columns = grown("sum_gain", make(X[:n]), labels[:n], margins)
    nodes = columns.nodes(tree)
    assert set(nodes["feature"]) == {-1, 0, 1} and len(nodes["feature"]) == 15
    BoostedTrees.joined([{**tree, **nodes}]).add_to(before, X[:n])
    np.testing.assert_array_equal(before, margins)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), values=st.sampled_from([None, 2, 5]))
def test_nodes_are_numbered_by_depth(seed, values):
    """The kernel grows them in another order."""
    X, labels, rng = problem(seed, 3, 60, missing=0.1, values=values)
    tree, _ = grown("max_gain", X, labels, rng.normal(size=labels.shape).astype(np.float32))
    tests = np.flatnonzero(tree["feature"] >= 0)
    np.testing.assert_array_equal(tree["yes"][tests], 1 + 2 * np.arange(len(tests)))
    np.testing.assert_array_equal(tree["no"][tests], 2 + 2 * np.arange(len(tests)))
    leaves = tree["feature"] < 0
    assert (tree["yes"][leaves] == -1).all() and (tree["no"][leaves] == -1).all()


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.2]))
def test_thresholds_of_dense_data_are_those_of_sparse_data(seed, missing):
    """Dense data are asked for the values of a test, sparse ones keep them."""
    X, labels, rng = problem(seed, 3, 60, missing=missing, zeros=0.5)
    X[rng.random(X.shape) < 0.2] *= -0.0
    trees = []
    for data in (X, sp.csr_array(X)):
        tree, columns = grown("sum_gain", data, labels, np.zeros(labels.shape, np.float32))
        trees.append({**tree, **columns.nodes(tree)})
    for name in ("feature", "threshold", "kind", "values", "gain"):
        assert trees[0][name].tobytes() == trees[1][name].tobytes(), name


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_gains_in_deep_trees_of_many_labels(seed):
    """Nodes share blocks of gradients until few labels can count."""
    rng = np.random.default_rng(seed)
    n, n_labels = 400, 60
    X = (rng.random((n, 25)) < rng.random(25) * 0.5).astype(float)
    share = rng.random(n_labels) ** 3 * np.where(X[:, rng.integers(0, 25, n_labels)] > 0, 0.9, 0.1)
    labels = (rng.random((n, n_labels)) < share).astype(np.uint8)
    margins = (rng.normal(size=labels.shape) - 2).astype(np.float32)
    p = 1 / (1 + np.exp(-margins.astype(float)))
    g, h = p - labels, p * (1 - p)
    booster = Booster(
        *labels.shape,
        score=SCORES.index("sum_gain"),
        **(OPTIONS | {"max_depth": 9}),
        every_label=False,
        hide_in_leaves=False,
    )
    columns = boosting_columns(X, booster)
    tree = booster.grow(margins, labels)
    tests, rows = columns.nodes(tree), {0: np.arange(n)}
    for node in np.flatnonzero(tree["feature"] >= 0).tolist():  # by depth
        own = rows[node]
        yes = X[own, tests["feature"][node]] <= tests["threshold"][node]
        rows[int(tree["yes"][node])], rows[int(tree["no"][node])] = own[yes], own[~yes]
        reaching = h[own].sum(axis=0) >= 0.5
        scores = [
            score_of("sum_gain", *(part[some][:, reaching].sum(axis=0) for part in (g, h)), least=0.5)
            for some in (own[yes], own[~yes], own)
        ]
        assert tree["gain"][node] == pytest.approx(scores[0] + scores[1] - scores[2], rel=1e-3, abs=1e-3)
    assert len(rows) > 4
