"""Ensembles of predictive clustering trees: prefixes, threads, scores, files, oracles."""

from __future__ import annotations

import dataclasses
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from mlsieve._kernels.trees.grow.tree_grower import bootstrap_counts
from sklearn.tree import DecisionTreeRegressor

from mlsieve.data import load_dataset
from mlsieve.errors import UserError
from mlsieve.rankers import PCTForestRanker
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import GrowOptions, grow_ensemble, variance_weights
from mlsieve.trees.scores import importances
from mlsieve.trees.text import tree_text

pytestmark = pytest.mark.kernel
KINDS = ("bagging", "random-forest", "extra-trees")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(7)
    X = np.round(rng.normal(size=(80, 12)), 1)
    X[:, 6:9] = rng.random((80, 3)) < 0.15
    X[rng.random(80) < 0.1, 9] = np.nan
    X[:, 10] = rng.integers(0, 4, 80)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 6] > 0.3, X[:, 10] == 2, rng.random(80) < 0.3]).astype(
        np.uint8
    )
    counts = np.zeros(12, np.int32)
    counts[10] = 4
    return X, sp.csr_array(Y), counts


def same_bytes(a: Ensemble, b: Ensemble) -> bool:
    arrays = [(a.nodes[name], b.nodes[name]) for name in a.nodes]
    arrays += [
        (getattr(a, name), getattr(b, name)) for name in ("tree_start", "subset", "leaf_label", "leaf_count")
    ]
    if a.oob is not None:
        arrays += [(a.oob[name], b.oob[name]) for name in a.oob]
    return all(one.tobytes() == other.tobytes() for one, other in arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_and_layout_change_no_byte(problem, kind):
    X, Y, counts = problem
    grow = {"n_trees": 9, "options": GrowOptions(kind), "category_counts": counts, "seed": 3}
    one = grow_ensemble(X, Y, **grow)
    assert same_bytes(one, grow_ensemble(X, Y, **grow, n_threads=4))
    assert same_bytes(one, grow_ensemble(sp.csr_array(X), Y, **grow, n_threads=2))
    assert not same_bytes(one, grow_ensemble(X, Y, **{**grow, "seed": 4}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["symbolic", "genie3", "permutation"])
def test_a_small_ensemble_is_a_prefix_of_a_large_one(problem, kind, score):
    X, Y, counts = problem
    large = grow_ensemble(X, Y, n_trees=12, options=GrowOptions(kind), category_counts=counts, seed=1)
    small = grow_ensemble(X, Y, n_trees=5, options=GrowOptions(kind), category_counts=counts, seed=1)
    if kind == "extra-trees" and score == "permutation":
        with pytest.raises(UserError, match="out-of-bag"):
            importances(large, score)
        return
    both = importances(large, score, [12, 5, 5])
    assert both[1].tobytes() == importances(small, score)[0].tobytes() == both[2].tobytes()
    np.testing.assert_array_equal(both[0], importances(large, score)[0])


def test_scores_are_the_definitions(problem):
    X, Y, counts = problem
    ensemble = grow_ensemble(X, Y, n_trees=4, options=GrowOptions("bagging"), category_counts=counts, seed=5)
    symbolic, by_examples, genie3, permutation = (np.zeros(12) for _ in range(4))
    for tree in range(4):
        for at in range(ensemble.tree_start[tree], ensemble.tree_start[tree + 1]):
            feature = ensemble.nodes["feature"][at]
            if feature >= 0:
                symbolic[feature] += 0.3 ** ensemble.nodes["depth"][at] / 4
                by_examples[feature] += ensemble.nodes["weight"][at] / 80 / 4
                genie3[feature] += ensemble.nodes["gain"][at] / 4
        part = slice(ensemble.oob["start"][tree], ensemble.oob["start"][tree + 1])
        wrong = ensemble.oob["wrong"][tree]
        for feature, permuted in zip(
            ensemble.oob["feature"][part], ensemble.oob["permuted"][part], strict=True
        ):
            permutation[feature] += (permuted - wrong) / wrong / 4 if wrong else permuted / 4
    np.testing.assert_allclose(importances(ensemble, "symbolic", alpha=0.3)[0], symbolic, rtol=1e-12)
    np.testing.assert_allclose(
        importances(ensemble, "symbolic", weighting="examples")[0], by_examples, rtol=1e-12
    )
    np.testing.assert_allclose(importances(ensemble, "genie3")[0], genie3, rtol=1e-12)
    np.testing.assert_allclose(importances(ensemble, "permutation")[0], permutation, rtol=1e-12)


def test_roots_are_worth_one_in_the_symbolic_score(problem):
    X, Y, _ = problem
    ensemble = grow_ensemble(X, Y, n_trees=6, options=GrowOptions("random-forest", max_features=1), seed=2)
    roots = ensemble.nodes["feature"][ensemble.tree_start[:-1]]
    shallow = importances(ensemble, "symbolic", alpha=1e-6)[0]
    np.testing.assert_allclose(shallow, np.bincount(roots[roots >= 0], minlength=12) / 6, atol=1e-4)


def test_trees_without_missing_values_split_as_scikit_learns_do():
    rng = np.random.default_rng(11)
    X = np.column_stack([rng.permutation(400) for _ in range(5)]) / 64 - 1  # exact in float32, no ties
    Y = (rng.random((400, 4)) < 0.5 * (X[:, :4] > 2) + 0.2).astype(float)
    # Leaves large enough that no two tests gain exactly the same: there the two break ties differently.
    oracle = DecisionTreeRegressor(min_samples_leaf=15, random_state=0).fit(X, Y / Y.std(axis=0))
    options = GrowOptions("bagging", bootstrap=False, threshold="midpoint", min_leaf=15)
    ours = grow_ensemble(X, sp.csr_array(Y.astype(np.uint8)), n_trees=1, options=options)

    def splits(feature, threshold):
        return sorted((int(f), float(t)) for f, t in zip(feature, threshold, strict=True) if f >= 0)

    assert len(splits(ours.nodes["feature"], ours.nodes["threshold"])) > 10
    assert splits(oracle.tree_.feature, oracle.tree_.threshold) == splits(
        ours.nodes["feature"], ours.nodes["threshold"]
    )
    root = oracle.tree_
    assert ours.nodes["gain"][0] == pytest.approx(
        sum(
            sign * root.impurity[node] * root.n_node_samples[node] * 4
            for sign, node in ((1, 0), (-1, root.children_left[0]), (-1, root.children_right[0]))
        )
    )


def test_emotions_root_split_is_the_published_one(mirror):
    data = load_dataset("emotions")
    tree = grow_ensemble(
        data.X_train, data.Y_train, n_trees=1, options=GrowOptions("bagging", bootstrap=False)
    )
    assert tree.nodes["feature"][0] == 46
    assert tree.nodes["threshold"][0] == 0.239265
    assert tree.nodes["gain"][0] == pytest.approx(351.8958953, abs=5e-8)


def test_constant_labels_are_left_out_of_the_impurity():
    Y = sp.csr_array(np.array([[1, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 1]], np.uint8))
    np.testing.assert_array_equal(variance_weights(Y), [0.0, 0.0, 4.0])
    X = np.array([[0.0], [1.0], [1.0], [0.0]])
    tree = grow_ensemble(X, Y, n_trees=1, options=GrowOptions("bagging", bootstrap=False))
    assert tree.nodes["gain"][0] == pytest.approx(4.0)
    np.testing.assert_allclose(tree.predict_proba(X), [[1, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 1]])


def test_two_valued_nominal_features_are_split_once_between_the_values():
    X = np.array([[0.0], [1.0]] * 20)
    Y = sp.csr_array(np.array([[0], [1]] * 20, np.uint8))
    for kind in KINDS:
        grown = grow_ensemble(
            X, Y, n_trees=3, options=GrowOptions(kind), category_counts=np.array([2], np.int32)
        )
        inner = grown.nodes["feature"] >= 0
        assert inner.sum() == 3
        assert (grown.nodes["threshold"][inner] == 0.0).all()


def test_variance_of_a_score_falls_with_the_number_of_trees(problem):
    """Proposition 1 of the paper on a small problem: 10 times the trees, a tenth of the variance."""
    X, Y, counts = problem
    scores = np.array(
        [
            importances(
                grow_ensemble(
                    X, Y, n_trees=50, options=GrowOptions("random-forest"), category_counts=counts, seed=s
                ),
                "genie3",
                [5, 50],
            )
            for s in range(60)
        ]
    )
    variance = scores.var(axis=0, ddof=1).sum(axis=1)
    assert 6 < variance[0] / variance[1] < 16


def test_file_round_trip_is_exact_and_damage_is_noticed(problem, tmp_path):
    X, Y, counts = problem
    ensemble = grow_ensemble(X, Y, n_trees=3, category_counts=counts)
    path = tmp_path / "ensemble.npz"
    ensemble.save(path)
    loaded = Ensemble.load(path)
    assert same_bytes(ensemble, loaded)
    assert ensemble.predict_proba(X).tobytes() == loaded.predict_proba(X).tobytes()
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        members = [archive.getinfo(name) for name in ("node_gain.npy", "meta.json")]
    for member in members:
        flipped = data.copy()
        header = 30 + len(member.filename)
        flipped[member.header_offset + header + member.compress_size // 2] ^= 0xFF
        path.write_bytes(flipped)
        with pytest.raises(UserError, match=r"ensemble\.npz.*readable"):
            Ensemble.load(path)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match=r"ensemble\.npz"):
        Ensemble.load(path)


def test_tree_text_shows_tests_categories_and_leaves(problem):
    X, Y, counts = problem
    ensemble = grow_ensemble(X, Y, n_trees=2, options=GrowOptions("bagging"), category_counts=counts)
    text = tree_text(ensemble, 1, 99)
    assert text.count("h = ") == (ensemble.nodes["feature"][ensemble.tree_start[1] :] >= 0).sum()
    assert "labels:" in text
    with pytest.raises(UserError, match="no tree 2"):
        tree_text(ensemble, 2)


def test_estimator_predicts_classes_labels_and_missing_values(problem):
    X, Y, _ = problem
    nominal = np.arange(12) == 10
    ranker = PCTForestRanker(n_estimators=30, nominal=nominal, score="permutation").fit(X, Y)
    assert (ranker.predict(X) == Y.toarray()).mean() > 0.9
    assert ranker.get_params()["score"] == "permutation"
    assert 0 <= ranker.score(X, Y.toarray()) <= 1
    assert ranker.ranking_.min() == 1 and sorted(ranker.ranking_) == list(range(1, 13))
    classes = np.array(["a", "b", "c", "d"])[X[:, 10].astype(int)]
    assert PCTForestRanker(n_estimators=10).fit(X, classes).score(X, classes) > 0.9
    with pytest.raises(ValueError, match="not 0 or 1"):
        PCTForestRanker().fit(X, X[:, :2])
    with pytest.raises(ValueError, match="category positions"):
        PCTForestRanker(nominal=[0]).fit(X, Y)
    with pytest.raises(ValueError, match="hierarchy"):
        PCTForestRanker(hierarchy=object()).fit(X, Y)


def test_the_best_features_are_kept(problem):
    X, Y, _ = problem
    ranker = PCTForestRanker(n_estimators=20, n_features_to_select=3).set_output(transform="pandas").fit(X, Y)
    kept = ranker.transform(X)
    assert kept.shape == (80, 3)
    assert set(np.flatnonzero(ranker.get_support())) == set(np.argsort(-ranker.feature_importances_)[:3])


def with_oob(n_oob, wrong, permuted):
    """An ensemble on one feature whose permutation statistics are given."""
    X, Y = np.arange(8.0)[:, None], sp.csr_array((np.arange(8) > 3).astype(np.uint8)[:, None])
    grown = grow_ensemble(X, Y, n_trees=len(n_oob), options=GrowOptions("bagging"), seed=0)
    oob = {
        "n_oob": np.array(n_oob),
        "wrong": np.array(wrong),
        "start": np.arange(len(n_oob) + 1),
        "feature": np.zeros(len(n_oob), np.int32),
        "permuted": np.array(permuted),
    }
    return dataclasses.replace(grown, oob=oob)


@pytest.mark.parametrize(
    "n_oob, wrong, permuted, expected",
    [
        ([4], [2], [3], 0.5),  # (e_i - e) / e
        ([4], [1], [3], 2.0),
        ([4], [0], [3], 3.0),  # e = 0 < e_i: in wrong cells
        ([4], [0], [0], 0.0),  # both 0
        ([4], [4], [2], -0.5),  # a feature may do harm
        ([4, 0], [2, 0], [3, 0], 0.5),  # a tree without out-of-bag examples is left out
        ([4, 4], [2, 0], [3, 1], 0.75),
        ([0], [0], [0], 0.0),
    ],
)
def test_permutation_score_by_hand(n_oob, wrong, permuted, expected):
    assert importances(with_oob(n_oob, wrong, permuted), "permutation")[0].tolist() == [expected]


def test_weights_that_do_not_fit_the_labels_are_refused(problem):
    X, Y, _ = problem
    for weights in ([1.0], [1.0] * 5, [1.0, 1.0, np.nan, 1.0], [1.0, -1.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="label_weights must be 4 finite numbers"):
            PCTForestRanker(n_estimators=2, label_weights=weights).fit(X, Y)
    with pytest.raises(ValueError, match="too large to be summed"):
        PCTForestRanker(n_estimators=2, label_weights=[1.0, 1e305, 1.0, 1.0]).fit(X, Y)
    weighted = PCTForestRanker(n_estimators=5, label_weights=[1.0, 0.0, 0.0, 0.0]).fit(X, Y)
    assert weighted.feature_importances_.argmax() == 0


@pytest.mark.parametrize(
    "parameters",
    [
        {"ensemble": "bgging"},
        {"score": "gini"},
        {"threshold": "mean"},
        {"max_features": 0},
        {"max_features": 1.5},
        {"min_leaf": 0.5},
        {"min_leaf": float("nan")},
        {"min_leaf": "2"},
        {"alpha": 2.0},
        {"alpha": 0.0},
        {"n_estimators": 0},
        {"n_estimators": 2.5},
        {"random_state": -1},
        {"random_state": 2**70},
        {"random_state": 1.7},
        {"n_jobs": 0},
        {"n_jobs": 1.5},
        {"n_jobs": "2"},
    ],
)
def test_wrong_parameters_of_the_estimator_are_value_errors(problem, parameters):
    X, Y, _ = problem
    with pytest.raises(ValueError):
        PCTForestRanker(**{"n_estimators": 3, **parameters}).fit(X, Y)


def test_category_positions_are_bounded():
    X = np.random.default_rng(0).integers(0, 3, (30, 2)).astype(float)
    Y = np.eye(3, dtype=np.uint8)[X[:, 0].astype(int)]
    X[4, 1] = 1.9e10
    with pytest.raises(ValueError, match="nominal feature 1 holds the category position 19000000000"):
        PCTForestRanker(n_estimators=2, nominal=[1]).fit(X, Y)


def test_unknown_categories_answer_no():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 1)).astype(float)
    Y = np.column_stack([X[:, 0] % 2 == 1, X[:, 0] % 2 == 0]).astype(np.uint8)
    ranker = PCTForestRanker(ensemble="extra-trees", n_estimators=1, nominal=[0]).fit(X, Y)
    feature, subset = ranker.ensemble_.nodes["feature"][0], ranker.ensemble_.subset
    assert feature == 0 and set(subset.tolist()) < {0, 1, 2, 3}
    unknown = np.array([[-1.0], [1.5], [2.5], [7.0], [1e12], [-1e12]])
    assert len({row.tobytes() for row in ranker.predict_proba(unknown)}) == 1


def test_an_exception_ends_growing_with_the_trees_at_hand(problem):
    X, Y, _ = problem
    told = []

    def interrupt(n_trees):
        told.append(n_trees)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow_ensemble(X, Y, n_trees=3000, n_threads=2, progress=interrupt)
    assert sum(told) < 300


def test_progress_is_told_often(problem):
    X, Y, _ = problem
    told = []
    grow_ensemble(X, Y, n_trees=700, n_threads=2, progress=told.append)
    assert sum(told) == 700 and max(told) <= 20


def test_generators_seed_the_estimator(problem):
    X, Y, _ = problem

    def scores(state):
        return PCTForestRanker(n_estimators=3, random_state=state).fit(X, Y).feature_importances_.tobytes()

    one, again, other = (scores(np.random.RandomState(seed)) for seed in (1, 1, 2))
    assert one == again != other
    assert scores(None) != scores(None)


def test_predictions_ask_for_trees_and_features_that_there_are(problem):
    X, Y, _ = problem
    ensemble = grow_ensemble(X, Y, n_trees=3)
    for n_trees in (0, 4, -1):
        with pytest.raises(ValueError, match=r"within 1 \.\. 3"):
            ensemble.predict_proba(X, n_trees)
    with pytest.raises(ValueError, match="features"):
        ensemble.predict_proba(X[:, :5])


def test_midpoints_lie_between_the_values_on_either_side():
    values = np.array([-4.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0])[:, None]
    for cut, expected in ((-4.0, -2.5), (-1.0, -0.5), (0.0, 1.5)):
        Y = sp.csr_array((values > cut).astype(np.uint8))
        options = GrowOptions("bagging", bootstrap=False, threshold="midpoint", min_leaf=1)
        assert grow_ensemble(values, Y, n_trees=1, options=options).nodes["threshold"][0] == expected
    close = np.array([1.0, np.nextafter(1.0, 2.0)] * 3)[:, None]
    Y = sp.csr_array((close > 1).astype(np.uint8))
    options = GrowOptions("bagging", bootstrap=False, threshold="midpoint")
    assert grow_ensemble(close, Y, n_trees=1, options=options).nodes["threshold"][0] == 1.0


@pytest.mark.parametrize("threshold", ["value", "midpoint"])
def test_out_of_bag_errors_are_those_of_the_trees_own_predictions(threshold):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    Y = (X[:, [0]] + rng.normal(size=(60, 4)) > 0).astype(np.uint8)
    options = GrowOptions("bagging", threshold=threshold)
    ensemble = grow_ensemble(X, sp.csr_array(Y), n_trees=20, options=options)
    before = np.zeros(Y.shape)  # sum of the earlier trees' predictions
    for tree in range(20):
        total = ensemble.predict_proba(X, tree + 1) * (tree + 1)
        out_of_bag = bootstrap_counts(0, tree, 60) == 0
        predicted = (total - before)[out_of_bag] >= 0.5 - 1e-9
        assert (predicted != Y[out_of_bag]).sum() == ensemble.oob["wrong"][tree]
        before = total


def test_permuting_rows_with_missing_values_changes_no_split():
    """Fractional weights add up to the least leaf only up to rounding: that must not decide."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        X = rng.normal(size=(30, 4))
        X[rng.random(X.shape) < 0.1] = np.nan
        Y = (rng.random((30, 3)) < 0.4).astype(np.uint8)
        order = rng.permutation(30)
        options = GrowOptions("bagging", bootstrap=False, ties="first")
        one = grow_ensemble(X, sp.csr_array(Y), n_trees=1, options=options)
        other = grow_ensemble(X[order], sp.csr_array(Y[order]), n_trees=1, options=options)
        assert one.nodes["feature"].tolist() == other.nodes["feature"].tolist()
        np.testing.assert_allclose(one.nodes["gain"], other.nodes["gain"], rtol=1e-8, atol=1e-9)
