"""Genie3 and the permutation score as CLUS defines them: against going through every row, and by hand."""

from __future__ import annotations

import numpy as np
import pct_twin
import pytest
import scipy.sparse as sp
from hierarchy_problems import weights_of
from hypothesis import given, settings
from hypothesis import strategies as st
from mlsieve._kernels.trees.grow.tree_grower import bootstrap_counts
from mlsieve._kernels.trees.walk.permutation import permutation_errors
from mlsieve._kernels.trees.walk.piled_permutation import piled_permutation_errors
from mlsieve._kernels.trees.walk.pooled_permutation import pooled_permutation_errors
from test_pct_twin import (
    halved_problems,
    kernel_tree,
    leaf_counts,
    out_of_bag_tree,
    problems,
    with_explicit_missing,
)
from test_pooled_permutation import larger_problem, permuted_rows, pooled_error

from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers import PCTForestRanker
from mlsieve.rankers.dataset_rankings import check_request
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import GrowOptions, grow_ensemble
from mlsieve.trees.scores import importances

# ---------------------------------------------------------------------- permutations that pile up


def features_in_order(tree):
    """The tested features as CLUS finds them: depth-first, the branch "no" before "yes"."""
    found, stack = [], [0]
    while stack:
        at = stack.pop()
        feature = int(tree["feature"][at])
        if feature < 0:
            continue
        if feature not in found:
            found.append(feature)
        stack += [int(tree["yes"][at]), int(tree["no"][at])]
    return found


def error_of(nodes, truth, data, pooled):
    if len(data) == 0:
        return 1.0 if pooled else 0
    means = np.array([pct_twin.predict(nodes, x) for x in data])
    return pooled_error(truth, means) if pooled else int(((means >= 0.5) != truth.astype(bool)).sum())


def piled_errors(tree, X, Y, weights, n_categories, options, pooled):
    """What the kernel finds."""
    return piled_permutation_errors(out_of_bag_tree(tree, X, Y, weights, n_categories, options), pooled)


def check_piles(problem, pooled):
    X, Y, weights, n_categories, options = problem
    tree = kernel_tree(X, Y, weights, n_categories, options)
    error, features, permuted = piled_errors(tree, X, Y, weights, n_categories, options, pooled)
    nodes = pct_twin.of_arrays(tree, lambda at: leaf_counts(tree, at, Y.shape[1]))
    truth, data = Y[weights == 0], X[weights == 0]
    assert error == pytest.approx(error_of(nodes, truth, data, pooled), abs=1e-12)
    assert features.tolist() == sorted(set(tree["feature"].tolist()) - {-1})
    found = dict(zip(features.tolist(), permuted.tolist(), strict=True))
    for feature in features_in_order(tree):
        data = permuted_rows(data, feature, options["seed"], options["tree"])
        assert found[feature] == pytest.approx(error_of(nodes, truth, data, pooled), abs=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("pooled", [False, True])
@settings(max_examples=150, deadline=None)
@given(problem=problems() | halved_problems())
def test_errors_are_those_of_rows_that_are_permuted_again_and_again(problem, pooled):
    check_piles(problem, pooled)


@pytest.mark.kernel
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("n_rows, n_labels, missing", [(300, 40, 0.1), (300, 40, 0.0), (60, 300, 0.3)])
def test_larger_trees_pile_up_as_well(n_rows, n_labels, missing, pooled):
    """Features are tested in many nodes, above and below each other, and scores are many."""
    check_piles(larger_problem(n_rows, n_labels, missing), pooled)


@pytest.mark.kernel
@pytest.mark.parametrize("pooled", [False, True])
@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_piles_are_the_same_bytes_from_dense_and_sparse_input(problem, pooled):
    X, Y, weights, n_categories, options = problem
    tree = kernel_tree(X, Y, weights, n_categories, options)
    dense = piled_errors(tree, X, Y, weights, n_categories, options, pooled)
    sparse = piled_errors(tree, with_explicit_missing(X), Y, weights, n_categories, options, pooled)
    assert dense[0] == sparse[0]
    assert [array.tobytes() for array in dense[1:]] == [array.tobytes() for array in sparse[1:]]


@pytest.mark.kernel
@pytest.mark.parametrize("pooled", [False, True])
@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_the_first_feature_has_the_error_that_the_papers_definition_gives_it(problem, pooled):
    X, Y, weights, n_categories, options = problem
    tree = kernel_tree(X, Y, weights, n_categories, options)
    if tree["feature"][0] < 0:
        return
    error, features, permuted = piled_errors(tree, X, Y, weights, n_categories, options, pooled)
    alone = (pooled_permutation_errors if pooled else permutation_errors)(
        out_of_bag_tree(tree, X, Y, weights, n_categories, options)
    )
    assert alone[0] == error
    root = int(tree["feature"][0])
    expected = dict(zip(alone[1].tolist(), alone[2].tolist(), strict=True)).get(root, error)
    assert permuted[features.tolist().index(root)] == pytest.approx(expected, abs=1e-12)


# ---------------------------------------------------------------------- sums of variances


def expected_genie3(ensemble, X, Y, weights_of_tree, scale, label_weight):
    """Go down each tree with all rows of its sample; n sum_j w_j Var_j by the definition of the variance."""
    scores = np.zeros(X.shape[1])
    for tree in range(ensemble.n_trees):
        first = ensemble.tree_start[tree]

        def visit(at, rows, w, first=first):
            node = {name: array[first + at] for name, array in ensemble.nodes.items()}
            mass = pct_twin.impurity_mass(Y[rows].astype(float), w, label_weight)
            if node["feature"] < 0:
                return mass
            x = X[rows, node["feature"]]
            start = ensemble.subset_start[first + at : first + at + 2]
            subset = ensemble.subset[start[0] : start[1]]
            yes = np.isin(x, subset) if len(subset) else x > node["threshold"]
            missing = np.isnan(x)
            go_yes, go_no, share = yes | missing, ~yes | missing, node["yes_share"]
            below = visit(node["yes"], rows[go_yes], (np.where(missing, share, 1.0) * w)[go_yes])
            below += visit(node["no"], rows[go_no], (np.where(missing, 1 - share, 1.0) * w)[go_no])
            scores[node["feature"]] += scale * (mass - below)
            return mass

        counts = weights_of_tree(tree)
        seen = counts > 0
        visit(0, np.flatnonzero(seen), counts[seen].astype(float))
    return scores / ensemble.n_trees


@pytest.mark.kernel
@settings(max_examples=150, deadline=None)
@given(problems())
def test_genie3_is_the_sum_of_gini_reductions_over_all_rows_of_the_nodes(problem):
    """With ties="first", by which equal columns do not share their scores."""
    X, Y, _, n_categories, options = problem
    kind = "extra-trees" if options["random_tests"] else "bagging"
    ensemble = grow_ensemble(
        X,
        sp.csr_array(Y),
        n_trees=2,
        options=GrowOptions(kind, options["n_candidates"], options["min_leaf"], ties="first"),
        category_counts=n_categories,
        seed=options["seed"],
    )

    def counts(tree):
        return np.ones(len(X)) if options["random_tests"] else bootstrap_counts(options["seed"], tree, len(X))

    expected = expected_genie3(ensemble, X, Y, counts, 2 / Y.shape[1], np.ones(Y.shape[1]))
    found = importances(ensemble, "genie3", definition="clus")[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def some_hierarchy():
    return Hierarchy.from_parents({"a": [], "b": [], "a1": ["a"], "a2": ["a"], "a11": ["a1"]})


def hierarchical_problem(seed, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    Y = (rng.random((n, 5)) < 0.3).astype(np.uint8)
    Y[:, 2] = np.nan_to_num(X[:, 0]) > 0.3
    return X, some_hierarchy().close(sp.csr_array(Y))


def test_genie3_of_classes_in_a_hierarchy_weighs_them_and_has_no_factor_two():
    X, Y = hierarchical_problem(0)
    ensemble = grow_ensemble(X, Y, n_trees=3, hierarchy=some_hierarchy(), seed=4)
    expected = expected_genie3(
        ensemble,
        X,
        Y.toarray(),
        lambda tree: bootstrap_counts(4, tree, len(X)),
        1 / 5,
        weights_of(some_hierarchy()),
    )
    found = importances(ensemble, "genie3", definition="clus")[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert (found > 0).all()


def test_genie3_of_a_tree_worked_by_hand():
    """One test parts (1, 1, 0) from (1, 0, 0) of 6 rows in all: n Var goes from 1.5 to 2/3 + 2/3.

    The second label is the first one's negation, so (2 / L) sum_j is 2 * (1.5 - 4/3) = 1/3.
    """
    X = np.array([[0.0], [0], [0], [1], [1], [1]])
    positive = np.array([1, 0, 0, 1, 1, 0], np.uint8)
    Y = sp.csr_array(np.column_stack([positive, 1 - positive]))
    ensemble = grow_ensemble(X, Y, n_trees=1, options=GrowOptions("extra-trees", min_leaf=1.0))
    assert importances(ensemble, "genie3", definition="clus")[0, 0] == pytest.approx(1 / 3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_without_missing_values_a_hierarchy_has_the_papers_genie3_divided_by_its_classes(seed):
    X, Y = hierarchical_problem(seed)
    ensemble = grow_ensemble(np.nan_to_num(X), Y, n_trees=3, hierarchy=some_hierarchy(), seed=seed)
    paper, clus = (importances(ensemble, "genie3", definition=name)[0] for name in ("paper", "clus"))
    np.testing.assert_allclose(clus, paper / 5, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------------- where users meet them


def flat_problem(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 4)), rng.integers(0, 3, n)])
    X[rng.random(X.shape) < 0.05] = np.nan
    Y = (rng.random((n, 3)) < 0.4).astype(np.uint8)
    Y[:, 0] = np.nan_to_num(X[:, 0]) > 0
    return X, Y


@pytest.mark.parametrize("error", ["hamming-loss", "pooled-auprc"])
def test_permutation_scores_are_means_of_what_the_trees_add(error):
    """(e_i - e) / e for the Hamming loss; for the area under the curve (A - A_i) / A."""
    X, Y = flat_problem()
    options = GrowOptions("bagging", out_of_bag_error=error, definition="clus")
    ensemble = grow_ensemble(X, sp.csr_array(Y), n_trees=7, options=options, seed=3)
    oob = ensemble.oob
    expected = np.zeros((7, 5))
    for tree in range(7):
        own = oob["wrong"][tree] if error == "hamming-loss" else oob["error"][tree]
        for at in range(oob["piled_start"][tree], oob["piled_start"][tree + 1]):
            rise = oob["piled"][at] - own
            expected[tree, oob["piled_feature"][at]] = rise / (own if error == "hamming-loss" else 1 - own)
    sizes = [1, 4, 7]
    found = importances(ensemble, "permutation", sizes, definition="clus")
    np.testing.assert_allclose(found, [expected[:size].mean(axis=0) for size in sizes], rtol=1e-12)


def test_a_pile_blurs_noise_into_the_relevant_feature():
    """One relevant and nine noise features: permuted alone, the first stands out; in a pile none does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 10))
    Y = (X[:, :1] + 0.3 * rng.normal(size=(400, 3)) > 0).astype(np.uint8)
    fitted = {
        definition: PCTForestRanker(
            ensemble="bagging", n_estimators=50, score="permutation", definition=definition
        ).fit(X, Y)
        for definition in ("paper", "clus")
    }
    paper, clus = (fitted[name].feature_importances_ for name in ("paper", "clus"))
    assert paper[1:].max() < paper[0] / 10
    assert clus[1:].min() > clus[0] / 2


def test_trees_and_the_papers_scores_are_the_same_with_the_statistics_of_clus():
    X, Y = flat_problem()
    paper, clus = (
        grow_ensemble(X, sp.csr_array(Y), n_trees=3, options=GrowOptions("bagging", definition=name))
        for name in ("paper", "clus")
    )
    for name, array in paper.nodes.items():
        assert array.tobytes() == clus.nodes[name].tobytes()
    for score in ("genie3", "permutation", "symbolic"):
        assert importances(paper, score).tobytes() == importances(clus, score).tobytes()
    assert "piled" not in paper.oob


@pytest.mark.parametrize("score", ["genie3", "permutation"])
def test_threads_and_sparseness_change_no_byte(score):
    X, Y = flat_problem()
    settings_ = {"ensemble": "random-forest", "n_estimators": 9, "score": score, "definition": "clus"}
    found = {
        PCTForestRanker(**settings_, n_jobs=jobs, nominal=[4]).fit(data, Y).feature_importances_.tobytes()
        for jobs in (1, 3)
        for data in (X, with_explicit_missing(X))
    }
    assert len(found) == 1


@pytest.mark.parametrize("ensemble", ["bagging", "random-forest", "extra-trees"])
@pytest.mark.parametrize("error", ["hamming-loss", "pooled-auprc"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_order_of_the_columns_changes_no_score(ensemble, error, sparse):
    """Neither the trees nor the order in which permutations pile up depends on it; copies share a score."""
    X, Y = flat_problem()
    X = np.column_stack([X, X[:, 1], (X[:, 2] > 0.5) * 1.0])  # a copy and a binary feature
    if ensemble == "extra-trees":
        scores, settings_ = ["genie3"], {}
    else:
        scores, settings_ = ["genie3", "permutation"], {"out_of_bag_error": error}
    order = np.random.default_rng(1).permutation(X.shape[1])
    for score in scores:
        found = []
        for columns in (np.arange(X.shape[1]), order):
            nominal = np.flatnonzero(np.isin(columns, [4]))
            ranker = PCTForestRanker(
                ensemble=ensemble,
                n_estimators=15,
                score=score,
                definition="clus",
                nominal=nominal,
                random_state=3,
                **settings_,
            )
            data = with_explicit_missing(X[:, columns]) if sparse else X[:, columns]
            found.append(ranker.fit(data, Y).feature_importances_)
        np.testing.assert_allclose(found[1], found[0][order], rtol=0, atol=1e-9)
        assert found[0][1] == found[0][5]


@pytest.mark.parametrize("hierarchical", [False, True])
def test_a_file_gives_the_same_scores(tmp_path, hierarchical):
    X, Y = hierarchical_problem(1)
    ensemble = grow_ensemble(
        X,
        Y,
        n_trees=4,
        options=GrowOptions("bagging", definition="clus"),
        hierarchy=some_hierarchy() if hierarchical else None,
    )
    ensemble.save(tmp_path / "ensemble.npz")
    read = Ensemble.load(tmp_path / "ensemble.npz")
    for score in ("genie3", "permutation"):
        expected = importances(ensemble, score, definition="clus")
        assert importances(read, score, definition="clus").tobytes() == expected.tobytes()


def test_an_ensemble_without_the_statistics_says_how_to_get_them():
    X, Y = flat_problem()
    ensemble = grow_ensemble(X, sp.csr_array(Y), n_trees=2, options=GrowOptions("bagging"))
    with pytest.raises(UserError, match="without the statistics of CLUS's permutation score") as error:
        importances(ensemble, "permutation", definition="clus")
    assert "--set definition=clus" in error.value.hint
    assert importances(ensemble, "genie3", definition="clus").max() > 0


def test_symbolic_has_one_definition():
    X, Y = flat_problem()
    with pytest.raises(UserError, match="'definition' is a setting of the scores genie3 and permutation"):
        PCTForestRanker(score="symbolic", definition="clus", n_estimators=2).fit(X, Y)
    with pytest.raises(UserError, match="'definition' is a setting of the scores genie3 and permutation"):
        check_request("pct", {"definition": "clus"}, "bagging", "symbolic")
    check_request("pct", {"definition": "paper"}, "bagging", "symbolic")
    with pytest.raises(UserError, match="definition"):
        PCTForestRanker(definition="clu", n_estimators=2).fit(X, Y)
