"""HMLC-Relief against its naive twin, by hand, against CLUS, and what its options refuse."""

import csv
import lzma
import math

import numpy as np
import pytest
import relief_twin
import scipy.sparse as sp
from hierarchy_problems import (
    all_closed_sets,
    closure,
    hierarchies,
    largest_root,
    squared_distance,
    weights_of,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.distances.label_sets import HierarchicalDistance, hierarchical_distance
from mlsieve.errors import UserError
from mlsieve.evaluators import WeightedKNN
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers import PCTForestRanker, ReliefRanker
from mlsieve.rankers.relief import relief_importances
from mlsieve.relief.multi_label import relief_scores

pytestmark = pytest.mark.kernel


def largest(hierarchy, sets, mu):
    """The largest distance, as each option reads."""
    weights = weights_of(hierarchy)
    if mu == "sets":
        return largest_root(all_closed_sets(hierarchy), weights)
    if mu == "pairs":
        return largest_root([closure(hierarchy, c) for c in range(hierarchy.n_classes)], weights)
    return largest_root(sets, weights)


def twin_distance(hierarchy, Y, mu):
    """The distance of two rows of labels, from its definition."""
    weights = weights_of(hierarchy)
    scale = largest(hierarchy, [frozenset(np.flatnonzero(row).tolist()) for row in Y], mu)

    def distance(one, other):
        difference = squared_distance(
            set(np.flatnonzero(one).tolist()), set(np.flatnonzero(other).tolist()), weights
        )
        return math.sqrt(difference) / scale if difference else 0.0

    return distance


@st.composite
def problems(draw):
    """Numeric and nominal features with missing cells, closed label sets and settings."""
    hierarchy = draw(hierarchies(largest=8))
    n, n_features = draw(st.integers(2, 20) | st.just(66)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, n_values = np.zeros((n, n_features)), np.zeros(n_features, np.int64)
    for i in range(n_features):
        n_values[i] = draw(st.sampled_from([0, 0, 2, 4]))
        if n_values[i]:
            X[:, i] = rng.integers(0, n_values[i], n)
        else:
            X[:, i] = rng.normal(size=n) * (rng.random(n) < draw(st.sampled_from([0.2, 1.0])))
        X[rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.6])), i] = np.nan
    if draw(st.booleans()):  # few stored cells: sparse rows stay sparse
        X = np.hstack([X, np.zeros((n, 4 * n_features))])
        n_values = np.concatenate([n_values, np.zeros(4 * n_features, np.int64)])
    Y = hierarchy.close(
        sp.csr_array((rng.random((n, hierarchy.n_classes)) < rng.random() * 0.5).astype(np.uint8))
    )
    setting = {
        "sigma": draw(st.sampled_from([0.0, 0.1, 0.7])),
        "n_values": n_values,
        "seed": draw(st.integers(0, 2**40)),
    }
    k, m = draw(st.integers(1, min(n - 1, 8))), draw(st.integers(1, n))
    return hierarchy, X, Y, draw(st.sampled_from(["sets", "pairs", "observed"])), k, m, setting


@settings(max_examples=200, deadline=None)
@given(problems())
def test_scores_are_the_twins(problem):
    hierarchy, X, Y, mu, k, m, setting = problem
    assume(mu != "pairs" or hierarchy.n_classes > 1)
    distance = hierarchical_distance(hierarchy, Y, mu=mu)
    found = relief_scores(X, Y, distance=distance, k_values=[k], m_values=[m], **setting)[0, 0]
    labels = Y.toarray()
    plain = twin_distance(hierarchy, labels, mu)
    spread = [plain(one, other) for one in labels for other in labels]
    # At distances that are 1 but for rounding, m - T is nothing but rounding.
    assume(not any(0 < abs(1 - d) < 1e-9 for d in spread))
    expected = relief_twin.scores(X, labels, distance=plain, k=k, m=m, **setting)
    if max(spread) <= 1:
        assert (np.abs(found) <= 1 + 1e-12).all()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    elif np.abs(expected).max() < 100:  # else m - T is near 0
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_dense_or_sparse_and_any_threads_give_the_same_bytes(problem):
    hierarchy, X, Y, mu, k, m, setting = problem
    assume(mu != "pairs" or hierarchy.n_classes > 1)
    distance = hierarchical_distance(hierarchy, Y, mu=mu)
    results = [
        relief_scores(
            rows, Y, distance=distance, k_values=[k], m_values=[m], n_threads=n_threads, **setting
        ).tobytes()
        for rows in (X, sp.csr_array(X))
        for n_threads in (1, 3)
    ]
    assert len(set(results)) == 1


TREE = Hierarchy.from_parents({"a": [], "a/b": ["a"], "c": []})
LINE = np.array([[0.0], [0.1], [0.5], [1.0]])
SETS = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]], np.uint8)


def test_by_hand():
    """Weights 1, 0.75, 1; nearest others 0 -> 1, 1 -> 0, 2 -> 1, 3 -> 2."""
    found = ReliefRanker(k=1, m=1.0, hierarchy=TREE).fit(LINE, SETS).feature_importances_
    scale = math.sqrt(2.75)
    d = [0.1, 0.1, 0.4, 0.5]
    t = [math.sqrt(0.75) / scale, math.sqrt(0.75) / scale, math.sqrt(2) / scale, 1 / scale]
    product = sum(one * other for one, other in zip(d, t, strict=True))
    np.testing.assert_allclose(found, [product / sum(t) - (sum(d) - product) / (4 - sum(t))], rtol=1e-14)


def test_clus_by_hand_leaves_out_examples_without_a_class():
    """Paths to the last classes a/b, a and c: the largest difference is 2.75, of a/b and c."""
    found = ReliefRanker(k=1, m=1.0, hierarchy=TREE, definition="clus").fit(LINE, SETS).feature_importances_
    # Nearest others of the first three: 0 -> 1, 1 -> 0, 2 -> 1; the range is 0.5.
    d, t = [0.2, 0.2, 0.8], [0.75 / 2.75, 0.75 / 2.75, 2 / 2.75]
    product = sum(one * other for one, other in zip(d, t, strict=True))
    np.testing.assert_allclose(found, [product / sum(t) - (sum(d) - product) / (3 - sum(t))], rtol=1e-14)


def test_distances_above_one_turn_the_sign_of_the_second_term():
    """All neighbours are at distance 3 in units of the scale, so m - T is -2m: no term is cut off."""
    tree = Hierarchy.from_parents({name: [] for name in "abcdef"})
    Y = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]] * 2, np.uint8)[:2]
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    found = ReliefRanker(k=1, m=1.0, hierarchy=tree, definition="clus").fit(X, Y)
    # Last classes c and f: B = 2, d = 6 / 2 = 3. A = 2, AT = 6, T = 6, m = 2: 6 / 6 - (2 - 6) / (2 - 6).
    np.testing.assert_allclose(found.feature_importances_, [0.0, 0.0], atol=1e-15)
    rooted = ReliefRanker(k=1, m=1.0, hierarchy=tree, mu="pairs").fit(X, Y).feature_importances_
    np.testing.assert_allclose(rooted, [0.0, 0.0], atol=1e-15)
    bounded = ReliefRanker(k=1, m=1.0, hierarchy=tree, mu="sets").fit(X, Y).feature_importances_
    np.testing.assert_allclose(bounded, [1.0, 0.0], atol=1e-15)


def test_rounding_above_a_true_bound_is_cut_off():
    """Else m - T would be rounding, and the second term anything."""
    X, Y = np.array([[0.0], [0.5], [2.0]]), sp.csr_array(np.eye(3, dtype=np.uint8))
    scale = math.sqrt(2) * (1 - 1e-15)
    for bounded, second in ((True, 0.0), (False, 1.0)):
        distance = HierarchicalDistance(np.ones(3), scale, bounded=bounded)
        found = relief_scores(X, Y, distance=distance, k_values=[1])[0, 0]
        mean = (0.25 + 0.25 + 0.75) / 3
        np.testing.assert_allclose(found, [mean - second * mean], atol=1e-12)


def problem_of_graph(seed=0, n=60):
    graph = Hierarchy.from_parents({"a": [], "b": [], "c": ["a", "b"], "d": ["a"], "e": ["d"]})
    rng = np.random.default_rng(seed)
    chosen = sp.csr_array((rng.random((n, 5)) < 0.2).astype(np.uint8))
    return rng.random((n, 4)), chosen, graph


def test_the_distance_follows_from_the_labels():
    """None: hierarchical with a hierarchy, F1 without; the flat distances take closed sets."""
    X, chosen, graph = problem_of_graph()
    closed = graph.close(chosen)
    with_hierarchy = {
        name: ReliefRanker(m=1.0, k=5, distance=name, hierarchy=graph).fit(X, chosen).feature_importances_
        for name in (None, "hierarchical", "f1")
    }
    flat = ReliefRanker(m=1.0, k=5).fit(X, closed).feature_importances_
    assert with_hierarchy[None].tobytes() == with_hierarchy["hierarchical"].tobytes()
    assert with_hierarchy["f1"].tobytes() == flat.tobytes() != with_hierarchy[None].tobytes()


@pytest.mark.parametrize(
    "settings", [{"mu": "pairs"}, {"mu": "observed"}, {"class_weights": "max"}, {"class_weight_decay": 0.1}]
)
def test_each_setting_changes_the_scores(settings):
    """One class an example, so that no two are as far apart as label sets can be."""
    X, _, _ = problem_of_graph()
    graph = Hierarchy.from_parents({"a": [], "b": [], "d": ["a"], "e": ["d", "b"], "f": ["e"]})
    chosen = sp.csr_array(np.eye(5, dtype=np.uint8)[np.arange(60) % 4])
    plain = ReliefRanker(m=1.0, k=5, hierarchy=graph).fit(X, chosen).feature_importances_
    other = ReliefRanker(m=1.0, k=5, hierarchy=graph, **settings).fit(X, chosen).feature_importances_
    assert np.abs(plain - other).max() > 1e-6


@pytest.mark.parametrize(
    "hierarchical, settings, message",
    [
        (False, {"distance": "hierarchical"}, "distance = hierarchical does not apply: .* no hierarchy"),
        (False, {"mu": "pairs"}, "mu = pairs does not apply: the labels have no hierarchy"),
        (False, {"mu": "sets"}, "mu = sets does not apply: the labels have no hierarchy"),
        (False, {"definition": "clus"}, "definition = clus does not apply: the labels have no hierarchy"),
        (False, {"class_weights": "sum"}, "class_weights = sum does not apply"),
        (False, {"class_weights": "mean"}, "class_weights = mean does not apply"),
        (False, {"class_weight_decay": 0.5}, "class_weight_decay = 0.5 does not apply"),
        (False, {"class_weight_decay": 0.75}, "class_weight_decay = 0.75 does not apply"),
        (True, {"distance": "f1", "mu": "sets"}, "mu = sets does not apply: distance = f1"),
        (True, {"definition": "clus", "mu": "sets"}, "mu = sets does not apply: definition = clus"),
        (True, {"distance": "f1", "mu": "observed"}, "mu = observed does not apply: distance = f1"),
        (True, {"definition": "clus", "mu": "pairs"}, "mu = pairs does not apply: definition = clus"),
    ],
)
def test_a_setting_that_does_not_apply_is_refused(hierarchical, settings, message):
    X, chosen, graph = problem_of_graph()
    with pytest.raises(UserError, match=message):
        ReliefRanker(hierarchy=graph if hierarchical else None, **settings).fit(X, chosen)


def test_the_settings_that_are_not_given_are_those_of_the_paper():
    X, chosen, graph = problem_of_graph()
    said = {"mu": "sets", "definition": "paper", "class_weights": "mean", "class_weight_decay": 0.75}
    silent, spoken = (ReliefRanker(hierarchy=graph, **given).fit(X, chosen) for given in ({}, said))
    assert silent.feature_importances_.tobytes() == spoken.feature_importances_.tobytes()
    flat, default = (ReliefRanker(**given).fit(X, chosen) for given in ({}, {"definition": "paper"}))
    assert flat.feature_importances_.tobytes() == default.feature_importances_.tobytes()


@pytest.mark.parametrize("name, value", [("mu", "all"), ("definition", "other"), ("class_weight_decay", 0.0)])
def test_a_setting_out_of_range_is_refused(name, value):
    X, chosen, graph = problem_of_graph()
    with pytest.raises(ValueError, match=name):
        ReliefRanker(hierarchy=graph, **{name: value}).fit(X, chosen)


def test_a_hierarchy_of_other_labels_is_refused():
    X, chosen, _ = problem_of_graph()
    with pytest.raises(ValueError, match="y has 5 columns, the hierarchy 3 classes"):
        ReliefRanker(hierarchy=TREE).fit(X, chosen)


def test_clus_needs_two_examples_with_a_class():
    with pytest.raises(UserError, match="leaves out examples without a class"):
        ReliefRanker(hierarchy=TREE, definition="clus").fit(LINE, SETS[[0, 3, 3, 3]])


def test_equal_label_sets_are_at_distance_zero_whatever_the_scale():
    Y = TREE.close(sp.csr_array(SETS[[0, 0, 0, 0]]))
    expected = -np.mean([0.1, 0.1, 0.4, 0.5])
    for options in ({}, {"mu": "observed"}, {"mu": "pairs"}, {"definition": "clus"}):
        found = relief_importances(LINE, Y, hierarchy=TREE, k=1, m=1.0, **options)
        np.testing.assert_allclose(found, [expected])


CLUS_SETTING = ("--set", "definition=clus", "--set", "m=1.0", "--set", "k=15")


def unpacked(mirror, folder, name):
    """The train file of a hierarchical dataset in a folder."""
    path = folder / "train.arff"
    path.write_bytes(lzma.decompress((mirror / "clus" / name / f"{name}.train.arff.xz").read_bytes()))
    return path


def best_of(capsys, *command):
    """The three best features that a command prints, and their scores to ten digits."""
    assert main([*map(str, command)]) == 0
    best = list(csv.DictReader(capsys.readouterr().out.splitlines()))[:3]
    return [(row["feature"], f"{float(row['score']):.10f}") for row in best]


def test_clus_scores_of_cellcycle(mirror, tmp_path, capsys):
    """CLUS 2.12 with K = 15 and all 1,628 examples of the train file, to the digits that it prints."""
    path = unpacked(mirror, tmp_path, "cellcycle_FUN")
    assert best_of(capsys, "rank", path, "--method", "relief", *CLUS_SETTING) == [
        ("cdc28_90", "0.0174023502"),
        ("cdc28_140", "0.0092238805"),
        ("cdc28_110", "0.0075501156"),
    ]
    train = load_dataset(str(path))
    distance = hierarchical_distance(train.hierarchy, train.Y, definition="clus")
    assert distance.divisor == 6.3388671875


@pytest.mark.parametrize(
    "name, setting, expected",
    [
        (
            # ExpAvgParentWeight, WeightNeighbours with WeightingSigma 0.3
            "cellcycle_GO",
            ("--set", "sigma=0.3"),
            [("cdc28_90", "0.0221283620"), ("cdc28_140", "0.0144672129"), ("cdc28_100", "0.0081260325")],
        ),
        (
            # ExpSumParentWeight
            "seq_GO",
            ("--set", "class_weights=sum"),
            [("strand", "0.0146712536"), ("position", "0.0075089573"), ("chromosome", "0.0066814962")],
        ),
    ],
)
def test_clus_scores_on_graphs(mirror, tmp_path, capsys, name, setting, expected):
    """CLUS's own output (pyclus 1.0.2) with K = 15 and all examples of the train file."""
    path = unpacked(mirror, tmp_path, name)
    found = best_of(capsys, "rank", path, "--method", "relief", *CLUS_SETTING, *setting)
    assert found == expected


def test_one_column_is_one_class_where_there_is_a_hierarchy():
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (X[:, :1] > 0).astype(np.uint8)
    single = Hierarchy.from_parents({"only": []})
    dense = ReliefRanker(hierarchy=single, k=3).fit(X, y).feature_importances_
    assert (
        dense.tobytes()
        == ReliefRanker(hierarchy=single, k=3).fit(X, sp.csr_array(y)).feature_importances_.tobytes()
    )
    forest = PCTForestRanker(hierarchy=single, n_estimators=3).fit(X, y)
    assert forest.feature_importances_.argmax() == 0
    assert WeightedKNN(hierarchy=single, k=3).fit(X, y).predict_proba(X).shape == (30, 1)
