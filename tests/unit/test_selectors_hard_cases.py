"""Data that are hard on sums: duplicate entries, far offsets, constant labels, neighbouring numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlsieve import selectors
from mlsieve.configuration import configuration_errors
from mlsieve.data.column_contents import canonical_order, canonical_places, column_digests
from mlsieve.discretize import learn_cuts
from mlsieve.evaluators import MLNB
from mlsieve.rankers import ReliefRanker
from mlsieve.report.tables import test_table as table_of_tests

NAMES = [name for name in selectors.__all__ if not name.startswith("PPT")]


def problem(n=40, seed=0):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, 3)) < 0.4).astype(np.uint8)
    X = np.round(rng.random((n, 6)) * 5) * (rng.random((n, 6)) < 0.7)
    X[:, 2] += 3 * Y[:, 0]
    return X, Y


def with_duplicates(X):
    """The same matrix, each entry stored in two parts."""
    whole = sp.coo_array(X)
    rows, columns = (np.tile(index, 2) for index in whole.coords)
    cells = np.concatenate([whole.data - 1.0, np.ones(whole.nnz)])
    order = np.lexsort((columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    split = sp.csr_array((cells[order], columns[order], indptr), shape=X.shape)
    assert not split.has_canonical_format
    np.testing.assert_array_equal(split.toarray(), X)
    return split


@pytest.mark.parametrize("name", [*NAMES, "PPTMutualInformation", "PPTChiSquared", "PPTRelief"])
def test_entries_stored_in_parts_count_as_their_sum(name):
    X, Y = problem()
    settings = {"p": 1} if name.startswith("PPT") else {}
    plain, split = (getattr(selectors, name)(**settings).fit(form, Y) for form in (X, with_duplicates(X)))
    assert plain.feature_importances_.tobytes() == split.feature_importances_.tobytes()


def test_naive_bayes_takes_entries_stored_in_parts():
    X, Y = problem()
    expected = MLNB().fit(X, Y).predict_proba(X)
    split = with_duplicates(X)
    np.testing.assert_array_equal(MLNB().fit(split, Y).predict_proba(split), expected)


@pytest.mark.parametrize(
    "offset, scale", [(0.0, 1.0), (1e6, 1.0), (1.7e9, 600.0), (0.0, 1e160), (0.0, 1e-200), (-1e308, 1e307)]
)
def test_correlations_do_not_depend_on_offset_and_scale(offset, scale):
    X, Y = problem()
    X[:, 2] = 2.0 * Y[:, 0] + np.linspace(0, 1, len(Y))
    expected = selectors.MLCFS(n_features_to_select=3).fit(X, Y)
    moved = X.copy()
    moved[:, 2] = offset + scale * X[:, 2]
    with np.errstate(all="raise", under="ignore"):
        found = selectors.MLCFS(n_features_to_select=3).fit(moved, Y)
    assert found.ranking_[2] == expected.ranking_[2] == 1
    np.testing.assert_allclose(found.feature_importances_, expected.feature_importances_, atol=1e-5)


@pytest.mark.parametrize("n", [6, 7, 10, 13, 41])
def test_a_label_that_all_have_is_correlated_with_nothing(n):
    X, Y = problem(n)
    with np.errstate(all="raise", under="ignore"):
        alone = selectors.MLCFS().fit(X, np.ones((n, 2), np.uint8))
    assert alone.selection_.order.tolist() == canonical_order(column_digests(X), 0).tolist()  # all tie
    twins = np.column_stack([X[:, 0] > 2, X[:, 0] <= 2, X[:, 1]]).astype(float)
    labels = np.column_stack([Y, np.ones(n, np.uint8)])
    for seed in range(10):
        found = selectors.MLCFS(n_features_to_select=1, random_state=seed).fit(twins, labels)
        places = canonical_places(column_digests(twins), seed)
        assert (found.ranking_[0] < found.ranking_[1]) == (places[0] < places[1])


@pytest.mark.parametrize("method", ["laim", "mdlp", "equal-frequency", "none"])
@pytest.mark.parametrize(
    "low, high",
    [(-1e308, 1e308), (1 + 2.0**-52, 1 + 2.0**-51), (1 - 2.0**-53, 1.0), (0.0, 5e-324), (-5e-324, 0.0)],
)
def test_a_cut_parts_the_values_on_its_sides(method, low, high):
    X = np.array([[low]] * 8 + [[high]] * 8)
    Y = sp.csr_array(np.repeat([[1, 0], [0, 1]], 8, axis=0).astype(np.uint8))
    cuts = learn_cuts(X, Y, method=method)
    assert len(cuts.of(0)) == 1 and np.isfinite(cuts.of(0)).all()
    assert len(np.unique(cuts.transform(X))) == 2


@pytest.mark.parametrize("name", NAMES)
def test_nominal_features_by_name(name):
    X, Y = problem()
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(6)])
    frame["c1"] = (X[:, 1] > 1).astype(float)
    by_name = getattr(selectors, name)(nominal=["c1"]).fit(frame, Y)
    by_mask = getattr(selectors, name)(nominal=np.arange(6) == 1).fit(frame, Y)
    assert by_name.feature_importances_.tobytes() == by_mask.feature_importances_.tobytes()
    with pytest.raises(ValueError, match="names 'c9'"):
        getattr(selectors, name)(nominal=["c9"]).fit(frame, Y)


def test_shares_are_rounded_up_and_wrong_sizes_are_told():
    X, Y = problem()
    for wanted, count in ((0.31, 2), (np.float32(0.5), 3), (1.0, 6), (4, 4), ("all", 6), (None, 6)):
        assert selectors.SCLS(n_features_to_select=wanted).fit(X, Y).get_support().sum() == count
    for wanted in (0, 7, -1, 1.5, True, "many"):
        with pytest.raises(ValueError, match="n_features_to_select"):
            selectors.SCLS(n_features_to_select=wanted).fit(X, Y)


def test_seeds_and_threads_of_ppt_are_those_of_other_rankers():
    X, Y = problem()
    one = selectors.PPTRelief(p=1, m=10, random_state=0).fit(X, Y)
    other = selectors.PPTRelief(p=1, m=10, random_state=0, n_jobs=-1).fit(X, Y)
    assert one.feature_importances_.tobytes() == other.feature_importances_.tobytes()
    selectors.PPTRelief(p=1, m=10, random_state=np.random.RandomState(0)).fit(X, Y)
    with pytest.raises(ValueError, match="n_jobs = 0"):
        selectors.PPTRelief(p=1, n_jobs=0).fit(X, Y)
    assert ReliefRanker(n_jobs=-1).fit(X, Y).feature_importances_.shape == (6,)


def test_one_evaluator_twice_is_refused():
    lines = configuration_errors(
        {
            "study": "twice",
            "datasets": ["synthetic-linear"],
            "methods": [{"id": "scls"}],
            "evaluators": [{"id": "mlnb"}, {"id": "mlnb", "params": {"input": "gaussian"}}],
        }
    )
    assert lines == ["evaluators[1]: mlnb is already in evaluators[0]; compare its variants in two studies"]


def test_tests_of_pairs_name_the_pair():
    row = {
        **{"measure": "hamming-loss", "comparison": "methods", "variant": "all", "n_datasets": 5},
        **dict.fromkeys(("statistic", "p_value", "p_adjusted"), 0.5),
        **dict.fromkeys(("wins", "ties", "losses", "difference", "interval_low", "interval_high")),
        **{"rejected": False, "note": ""},
    }
    tests = pd.DataFrame(
        [row | {"test": "friedman", "methods": "a;b;c"}, row | {"test": "bonferroni-dunn", "methods": "b;a"}]
    )
    shown = [[cell.text for cell in line.cells] for line in table_of_tests(tests).rows]
    assert [line[1] for line in shown] == ["methods", "methods: b against a"]
