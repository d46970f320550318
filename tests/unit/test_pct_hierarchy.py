"""Trees for classes of a hierarchy against a naive twin, CLUS's roots and scikit-learn; their scores."""

from __future__ import annotations

import dataclasses
import lzma

import numpy as np
import pct_twin
import pytest
import scipy.sparse as sp
from hierarchy_problems import hierarchies
from hypothesis import given, settings
from hypothesis import strategies as st
from mlsieve._kernels.trees.grow.tree_grower import bootstrap_counts
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeRegressor
from test_pct_twin import check_against_the_twin, in_canonical_order, problems, with_explicit_missing

from mlsieve.cli import main
from mlsieve.data.generated.synthetic import make_hierarchical
from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures.curves import precision_recall_area
from mlsieve.rankers import PCTForestRanker
from mlsieve.rankers.tree_rankings import grow_for_dataset, rank_from_ensemble
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import grow_ensemble, impurity_weights
from mlsieve.trees.options import GrowOptions
from mlsieve.trees.scores import importances

pytestmark = pytest.mark.kernel
TREE = Hierarchy.from_paths(["a", "a/b", "a/b/c", "d"])
GRAPH = Hierarchy.from_parents({"a": [], "b": [], "c": ["a"], "d": ["a", "b", "c"]})


@st.composite
def hierarchical_problems(draw):
    """A problem whose labels are classes of a hierarchy, and the classes' weights."""
    X, Y, weights, n_categories, options = draw(problems())
    hierarchy = draw(hierarchies())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    drawn = rng.random((len(X), hierarchy.n_classes)) < rng.random(hierarchy.n_classes)
    shared = min(hierarchy.n_classes, Y.shape[1])
    drawn[:, :shared] |= Y[:, :shared] == 1
    closed = hierarchy.close(sp.csr_array(drawn)).toarray()
    rule = draw(st.sampled_from(["mean", "sum", "min", "max"]))
    return (X, closed, weights, n_categories, options), hierarchy, rule


@settings(max_examples=200, deadline=None)
@given(hierarchical_problems())
def test_kernel_grows_the_twins_tree(case):
    problem, hierarchy, rule = case
    check_against_the_twin(problem, hierarchy.weights(rule, 0.6))


@settings(max_examples=100, deadline=None)
@given(hierarchical_problems())
def test_missing_values_go_down_both_branches_in_growing_and_prediction(case):
    (X, Y, _, n_categories, options), hierarchy, rule = case
    X, n_categories = in_canonical_order(X, n_categories, options["seed"])
    grown = grow_ensemble(
        X,
        sp.csr_array(Y),
        n_trees=1,
        options=GrowOptions("bagging", options["n_candidates"], options["min_leaf"], class_weights=rule),
        category_counts=n_categories,
        hierarchy=hierarchy,
        seed=options["seed"],
    )
    counts = bootstrap_counts(options["seed"], 0, len(X)).astype(float)
    options = {**options, "tree": 0, "random_tests": False}
    twin = pct_twin.grow(X, Y, counts, hierarchy.weights(rule), n_categories, **options)
    assert grown.nodes["feature"].tolist() == [node["feature"] for node in twin]
    for at, node in enumerate(twin):
        if node["feature"] >= 0:
            assert grown.nodes["gain"][at] == pytest.approx(node["gain"], rel=1e-8, abs=1e-9)
        node["yes_share"] = grown.nodes["yes_share"][at]
    expected = np.array([pct_twin.predict(twin, x) for x in X])
    found = grown.predict_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    for c in range(hierarchy.n_classes):
        assert (found[:, hierarchy.parents(c)] >= found[:, [c]] - 1e-12).all()


def test_gain_is_over_the_examples_whose_value_is_known():
    """Two of six values are missing; of the four known, h = 4 w/4 for class a, and w = 1, 0.75."""
    X = np.array([[0.0], [0.0], [1.0], [1.0], [np.nan], [np.nan]])
    hierarchy = Hierarchy.from_paths(["a/b"])
    Y = sp.csr_array(np.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0], [1, 1]], np.uint8))
    options = GrowOptions("bagging", bootstrap=False)
    grown = grow_ensemble(X, Y, n_trees=1, options=options, hierarchy=hierarchy)
    assert grown.nodes["feature"][0] == 0
    assert grown.nodes["gain"][0] == pytest.approx(1.75)
    assert grown.nodes["weight"][:1].tolist() == [6.0] and grown.nodes["yes_share"][0] == 0.5
    # Each branch holds two known examples and half of both others.
    np.testing.assert_allclose(
        grown.predict_proba(np.array([[1.0], [0.0]])), [[1.0, 2.5 / 3], [1 / 3, 0.5 / 3]]
    )
    np.testing.assert_allclose(grown.predict_proba(np.array([[np.nan]])), [[2 / 3, 0.5]])


@pytest.mark.parametrize(
    "parts, feature, threshold, gain",
    [
        (("train",), "cdc28_100", -2.53, "0.0953938656"),
        (("train", "valid"), "elu120", 0.29, "0.1333625444"),
    ],
)
def test_roots_on_cellcycle_are_those_of_clus(mirror, tmp_path, capsys, parts, feature, threshold, gain):
    """CLUS 2.12, one tree; it prints h divided by the 499 classes."""
    lines: list[str] = []
    for part in parts:
        packed = mirror / "clus" / "cellcycle_FUN" / f"cellcycle_FUN.{part}.arff.xz"
        text = lzma.decompress(packed.read_bytes()).decode().splitlines()
        data = next(at for at, line in enumerate(text) if line.lower().startswith("@data"))
        lines += text if not lines else text[data + 1 :]
    path, grown = tmp_path / "cellcycle.arff", tmp_path / "tree.npz"
    path.write_text("\n".join(lines), encoding="utf-8")
    setting = ["--ensemble", "bagging", "--trees", "1", "--set", "bootstrap=false"]
    assert main(["grow", str(path), *setting, "-o", str(grown)]) == 0
    tree = Ensemble.load(grown)
    assert tree.hierarchical and tree.facts["n_labels"] == 499
    assert tree.facts["feature_names"][tree.nodes["feature"][0]] == feature
    assert tree.nodes["threshold"][0] == threshold
    assert f"{tree.nodes['gain'][0] / 499:.10f}" == gain


@pytest.mark.parametrize("hierarchy", [TREE, GRAPH], ids=["tree", "graph"])
def test_trees_without_missing_values_split_as_scikit_learns_do(hierarchy):
    """It minimises the variance of Y times the root of the weights."""
    rng = np.random.default_rng(12)
    X = np.column_stack([rng.permutation(400) for _ in range(5)]) / 64 - 1  # exact in float32, no ties
    Y = hierarchy.close(sp.csr_array(rng.random((400, 4)) < 0.6 * (X[:, :4] > 2) + 0.1))
    weights = hierarchy.weights()
    oracle = DecisionTreeRegressor(min_samples_leaf=15, random_state=0).fit(X, Y.toarray() * np.sqrt(weights))
    options = GrowOptions("bagging", bootstrap=False, threshold="midpoint", min_leaf=15, ties="first")
    ours = grow_ensemble(X, Y, n_trees=1, options=options, hierarchy=hierarchy)

    def splits(feature, threshold):
        return sorted((int(f), float(t)) for f, t in zip(feature, threshold, strict=True) if f >= 0)

    assert len(splits(ours.nodes["feature"], ours.nodes["threshold"])) > 8
    assert splits(oracle.tree_.feature, oracle.tree_.threshold) == splits(
        ours.nodes["feature"], ours.nodes["threshold"]
    )
    root = oracle.tree_
    assert ours.nodes["feature"][0] == root.feature[0]
    assert ours.nodes["gain"][0] == pytest.approx(
        sum(
            sign * root.impurity[node] * root.n_node_samples[node] * 4
            for sign, node in ((1, 0), (-1, root.children_left[0]), (-1, root.children_right[0]))
        )
    )


def test_impurity_weights_are_the_hierarchys():
    Y = sp.csr_array(np.ones((3, 4), np.uint8))
    np.testing.assert_allclose(impurity_weights(Y, GRAPH), [1, 1, 0.75, 0.75 * 2.75 / 3])
    np.testing.assert_allclose(impurity_weights(Y, GRAPH, rule="sum", decay=0.5), [1, 1, 0.5, 1.25])
    np.testing.assert_allclose(impurity_weights(Y, GRAPH, label_weights=[1, 2, 3, 4]), [1, 2, 3, 4])
    for setting in ({"rule": "sum"}, {"decay": 0.5}):
        with pytest.raises(UserError, match="take the place of"):
            impurity_weights(Y, GRAPH, label_weights=np.ones(4), **setting)
        with pytest.raises(UserError, match=r"hierarchy.*these labels are flat.*leave it out"):
            impurity_weights(Y, **setting)


@pytest.fixture(scope="module")
def made():
    data = make_hierarchical(0, n_samples=300)
    X = np.where(np.random.default_rng(0).random(data.X.shape) < 0.03, np.nan, data.X)
    return X, data.Y, data.hierarchy


@pytest.fixture(scope="module")
def relevant():
    return np.isin(np.arange(40), make_hierarchical(0, n_samples=300).facts["relevant"])


def test_label_sets_are_closed_before_growing(made):
    X, Y, hierarchy = made
    lowest = Y.toarray().astype(bool)
    for c in range(hierarchy.n_classes):
        lowest[:, hierarchy.parents(c)] &= ~lowest[:, [c]]
    assert lowest.sum() < Y.sum()
    ranker = PCTForestRanker(n_estimators=4, hierarchy=hierarchy)
    full = ranker.fit(X, Y).feature_importances_
    assert (
        ranker.fit(X, sp.csr_array(lowest.astype(np.uint8))).feature_importances_.tobytes() == full.tobytes()
    )
    assert PCTForestRanker(n_estimators=4).fit(X, Y).feature_importances_.tobytes() != full.tobytes()


@pytest.mark.parametrize("kind", ["bagging", "random-forest", "extra-trees"])
def test_threads_and_layout_change_no_byte(made, kind):
    X, Y, hierarchy = made
    grow = {"n_trees": 6, "options": GrowOptions(kind), "hierarchy": hierarchy, "seed": 2}
    one = grow_ensemble(X, Y, **grow)
    others = [
        grow_ensemble(X, Y, **grow, n_threads=3),
        grow_ensemble(with_explicit_missing(X), Y, **grow, n_threads=2),
    ]
    for other in others:
        assert all(one.nodes[name].tobytes() == other.nodes[name].tobytes() for name in one.nodes)
        assert one.leaf_count.tobytes() == other.leaf_count.tobytes()
        assert (one.oob is None) == (other.oob is None) == (kind == "extra-trees")
        if one.oob is not None:
            assert all(one.oob[name].tobytes() == other.oob[name].tobytes() for name in one.oob)


@pytest.mark.parametrize("max_features, tried", [("sqrt", 7), ("log2", 6), ("all", 40), (None, 40)])
def test_extra_trees_try_some_features_or_all(max_features, tried):
    data = make_hierarchical(1)
    options = GrowOptions("extra-trees", max_features)
    assert options.n_candidates(data.X.shape[1]) == tried
    grown = grow_ensemble(data.X, data.Y, n_trees=150, options=options, hierarchy=data.hierarchy, n_threads=2)
    assert grown.oob is None
    relevant = np.isin(np.arange(40), data.facts["relevant"])
    for score in ("symbolic", "genie3"):
        found = importances(grown, score)[0]
        assert found[relevant].mean() > 1.5 * found[~relevant].mean()
    with pytest.raises(UserError, match="without a bootstrap"):
        importances(grown, "permutation")


def test_children_have_the_least_weight(made):
    X, Y, hierarchy = made
    sizes = []
    for least in (2.0, 10.0):
        options = GrowOptions("random-forest", min_leaf=least)
        grown = grow_ensemble(X, Y, n_trees=5, options=options, hierarchy=hierarchy)
        sizes.append(len(grown.nodes["feature"]))
        assert grown.nodes["weight"].min() >= least * (1 - 1e-9)
    assert sizes[1] < sizes[0] / 2


def test_permuting_rows_changes_no_split(made):
    X, Y, hierarchy = made
    order = np.random.default_rng(1).permutation(len(X))
    options = GrowOptions("bagging", bootstrap=False, ties="first")
    one, other = (
        grow_ensemble(X[rows], Y[rows], n_trees=1, options=options, hierarchy=hierarchy)
        for rows in (slice(None), order)
    )
    assert one.nodes["feature"].tolist() == other.nodes["feature"].tolist()
    np.testing.assert_allclose(one.nodes["gain"], other.nodes["gain"], rtol=1e-8, atol=1e-9)


def test_variance_of_scores_falls_as_one_over_the_number_of_trees(made):
    """Proposition 1: 10 times from 5 to 50 trees, over 40 seeds."""
    X, Y, hierarchy = made
    scores = []
    for seed in range(40):
        grown = grow_ensemble(X[:120], Y[:120], n_trees=50, hierarchy=hierarchy, seed=seed)
        scores.append([importances(grown, score, [5, 50]) for score in ("genie3", "permutation", "symbolic")])
    variance = np.array(scores).var(axis=0, ddof=1).sum(axis=2)
    ratio = variance[:, 0] / variance[:, 1]
    assert ((ratio > 6) & (ratio < 16)).all(), ratio


# Scores and facts


def test_relevant_features_are_separated_by_every_score(made, relevant):
    X, Y, hierarchy = made
    grown = grow_ensemble(X, Y, n_trees=100, hierarchy=hierarchy)
    for score in ("genie3", "permutation", "symbolic"):
        found = importances(grown, score)[0]
        assert roc_auc_score(relevant, found) > 0.85


def test_scores_of_hierarchical_ensembles_are_the_papers(made):
    X, Y, hierarchy = made
    grown = grow_ensemble(X, Y, n_trees=8, hierarchy=hierarchy)
    by_examples = np.zeros(X.shape[1])
    tested = grown.nodes["feature"] >= 0
    np.add.at(by_examples, grown.nodes["feature"][tested], grown.nodes["weight"][tested] / len(X) / 8)
    np.testing.assert_allclose(importances(grown, "symbolic")[0], by_examples)
    by_depth = importances(grown, "symbolic", weighting="depth")[0]
    assert not np.allclose(by_depth, by_examples)
    older = {name: fact for name, fact in grown.facts.items() if name != "hierarchical"}
    flat = dataclasses.replace(grown, facts=older)
    np.testing.assert_array_equal(importances(flat, "symbolic")[0], by_depth)


@pytest.mark.parametrize("hierarchical", [True, False], ids=["hierarchy", "flat"])
def test_out_of_bag_errors_are_those_of_the_trees_own_predictions(made, hierarchical, tmp_path):
    X, Y, hierarchy = made
    options = GrowOptions("random-forest", out_of_bag_error="pooled-auprc")
    grown = grow_ensemble(X, Y, n_trees=6, options=options, hierarchy=hierarchy if hierarchical else None)
    assert grown.facts["out_of_bag_error"] == "pooled-auprc" and grown.hierarchical == hierarchical
    for tree in range(6):
        # A tree by itself, not a difference of ensembles: equal scores must stay equal.
        alone = dataclasses.replace(grown, tree_start=grown.tree_start[tree : tree + 2])
        rows = bootstrap_counts(0, tree, len(X)) == 0
        truth, scores = Y.toarray()[rows].astype(bool), np.rint(alone.predict_proba(X[rows]) * 2.0**40)
        expected = 1 - precision_recall_area(truth.ravel(), scores.ravel())
        assert grown.oob["error"][tree] == pytest.approx(expected, abs=1e-12)
        assert grown.oob["n_positive"][tree] == truth.sum() and grown.oob["n_oob"][tree] == rows.sum()
    grown.save(tmp_path / "grown.npz")
    loaded = Ensemble.load(tmp_path / "grown.npz")
    assert loaded.oob["permuted"].dtype == np.float64
    assert importances(loaded, "permutation").tobytes() == importances(grown, "permutation").tobytes()


def test_the_error_of_the_permutation_score_follows_the_labels_and_can_be_chosen(made):
    X, Y, hierarchy = made
    chosen = GrowOptions("bagging", out_of_bag_error="hamming-loss")
    by_cells = grow_ensemble(X, Y, n_trees=3, options=chosen, hierarchy=hierarchy)
    assert by_cells.facts["out_of_bag_error"] == "hamming-loss" and "wrong" in by_cells.oob
    by_curve = grow_ensemble(X, Y, n_trees=3, options=GrowOptions("bagging"), hierarchy=hierarchy)
    assert by_curve.facts["out_of_bag_error"] == "pooled-auprc" and "error" in by_curve.oob
    assert by_curve.nodes["gain"].tobytes() == by_cells.nodes["gain"].tobytes()
    flat = grow_ensemble(X, Y, n_trees=3, options=GrowOptions("bagging"))
    assert flat.facts["out_of_bag_error"] == "hamming-loss" and "wrong" in flat.oob
    with pytest.raises(UserError, match="without a bootstrap have none"):
        GrowOptions("extra-trees", out_of_bag_error="pooled-auprc")


@pytest.mark.parametrize(
    "n_oob, n_positive, error, permuted, expected",
    [
        ([4], [3], [0.5], [0.75], 0.5),  # (e_i - e) / e
        ([4], [3], [0.5], [0.25], -0.5),  # a feature may do harm
        ([4], [3], [0.0], [0.25], 0.25 * 4 * 4),  # e = 0 < e_i: in cells, L = 4
        ([4], [3], [0.0], [0.0], 0.0),
        ([4, 0], [3, 0], [0.5, 1.0], [0.75, 1.0], 0.5),  # left out: no out-of-bag example,
        ([4, 2], [3, 0], [0.5, 1.0], [0.75, 1.0], 0.5),  # or none with a class
    ],
)
def test_permutation_score_by_hand(n_oob, n_positive, error, permuted, expected):
    X = np.arange(8.0)[:, None]
    Y = TREE.close(sp.csr_array(np.repeat([[0, 0, 0, 0], [0, 0, 1, 0]], 4, axis=0)))
    grown = grow_ensemble(X, Y, n_trees=len(n_oob), hierarchy=TREE)
    oob = {
        "n_oob": np.array(n_oob),
        "n_positive": np.array(n_positive),
        "error": np.array(error),
        "start": np.arange(len(n_oob) + 1),
        "feature": np.zeros(len(n_oob), np.int32),
        "permuted": np.array(permuted),
    }
    found = importances(dataclasses.replace(grown, oob=oob), "permutation")[0]
    assert found.tolist() == [expected]


def test_a_perfect_tree_has_no_error():
    X = np.arange(40.0)[:, None] % 2
    Y = TREE.close(sp.csr_array(np.where(X > 0, [[0, 0, 1, 0]], [[0, 0, 0, 1]])))
    grown = grow_ensemble(X, Y, n_trees=5, hierarchy=TREE)
    assert grown.oob["error"].tolist() == [0.0] * 5
    assert (grown.oob["permuted"] > 0).all()


def test_commands_and_data_sets_take_the_settings(made):
    data = make_hierarchical(0, n_samples=120)
    settings_ = {"class_weights": "sum", "class_weight_decay": 0.5, "out_of_bag_error": "hamming-loss"}
    grow = {"ensemble": "random-forest", "n_trees": 3}
    grown = grow_for_dataset(data, **grow, settings=settings_)
    assert grown.facts["options"]["class_weights"] == "sum" and "wrong" in grown.oob
    bundle = rank_from_ensemble(grown, score="symbolic", sizes=[1, 3], settings={})
    np.testing.assert_array_equal(
        bundle.rankings[1].scores, importances(grown, "symbolic", weighting="examples")[0]
    )
    flat = dataclasses.replace(data, hierarchy=None, task="mlc")
    for name, value in (("class_weights", "mean"), ("class_weight_decay", 0.75)):
        with pytest.raises(
            UserError, match=rf"'{name}' is about the classes of a hierarchy.*flat.*leave it out"
        ):
            grow_for_dataset(flat, **grow, settings={name: value})
    assert "error" in grow_for_dataset(flat, **grow, settings={"out_of_bag_error": "pooled-auprc"}).oob


def test_the_estimator_refuses_what_does_not_fit_the_hierarchy(made):
    X, Y, hierarchy = made
    with pytest.raises(ValueError, match=r"not an mlsieve\.hierarchy"):
        PCTForestRanker(hierarchy=object()).fit(X, Y)
    with pytest.raises(ValueError, match="columns, the hierarchy 4 classes"):
        PCTForestRanker(hierarchy=TREE).fit(X, Y)
    with pytest.raises(ValueError, match="0/1 matrix"):
        PCTForestRanker(hierarchy=TREE).fit(X, np.arange(len(X)) % 4)
    with pytest.raises(ValueError, match="flat"):
        PCTForestRanker(class_weights="min").fit(X, Y)
    ranker = PCTForestRanker(n_estimators=20, hierarchy=hierarchy, score="permutation").fit(X, Y)
    proba = ranker.predict_proba(X)
    for c in range(hierarchy.n_classes):
        assert (proba[:, hierarchy.parents(c)] >= proba[:, [c]] - 1e-12).all()
