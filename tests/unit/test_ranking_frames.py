"""Rankings as DataFrames, and seeds that are drawn."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mlsieve import chains, rankers, selectors
from mlsieve.data import load_dataset
from mlsieve.rankers.dataset_rankings import rank_dataset

DATA = load_dataset("synthetic-linear")
NAMES = list(DATA.feature_names)


def as_frame():
    return pd.DataFrame(DATA.X_train, columns=NAMES)


def as_in_a_file(ranking):
    stream = io.StringIO()
    ranking.write_csv(stream)
    return pd.read_csv(io.StringIO(stream.getvalue()))


@pytest.mark.parametrize(
    "estimator, method, settings",
    [
        (rankers.ReliefRanker(), "relief", {}),
        (rankers.UniformRanker(), "uniform", {}),
        (selectors.SCLS(n_features_to_select=5), "scls", {"k": 5}),
        (selectors.MLCFS(n_features_to_select=4), "mlcfs", {"k": 4}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_frame_has_the_rows_of_the_file_in_its_order(estimator, method, settings):
    expected = as_in_a_file(rank_dataset(DATA, method, settings).rankings[0])
    found = clone(estimator).fit(as_frame(), DATA.Y_train).ranking_frame()
    selected = "selected" in expected
    assert list(found) == ["rank", "feature_index", "feature", "score"] + ["selected"] * selected
    pd.testing.assert_frame_equal(found, expected.astype(found.dtypes), check_exact=True)
    assert (found["feature"] == np.array(NAMES)[found["feature_index"]]).all()
    assert selected == (method in ("scls", "mlcfs"))


def test_the_rows_follow_the_ranks_also_where_features_are_tied():
    X = np.column_stack([DATA.X_train[:, :4], DATA.X_train[:, :4]])  # each column has a copy
    ranker = rankers.ReliefRanker().fit(X, DATA.Y_train)
    frame = ranker.ranking_frame()
    assert ranker.ranking_[frame["feature_index"]].tolist() == list(range(1, 9))
    assert frame["feature"].tolist() == [f"x{index}" for index in frame["feature_index"]]
    assert (frame["score"].diff().dropna() <= 1e-12).all()


def test_a_ranker_that_selects_marks_its_features():
    ranker = rankers.ReliefRanker(n_features_to_select=3).fit(as_frame(), DATA.Y_train)
    frame = ranker.ranking_frame()
    assert frame["selected"].sum() == 3 and frame["selected"].iloc[:3].all()
    assert set(frame["feature"].iloc[:3]) == set(ranker.get_feature_names_out())


def test_a_notebook_shows_the_best_features():
    ranking = selectors.SCLS(n_features_to_select=5).fit(as_frame(), DATA.Y_train).ranking()
    best = ranking.frame()["feature"].iloc[0]
    assert repr(ranking).startswith(f"<Ranking 'SCLS' of {len(NAMES)} features, 5 selected: {best} (")
    page = ranking._repr_html_()
    assert page.count("<tr") == 11 and best in page


@pytest.mark.parametrize(
    "estimator",
    [
        rankers.PCTForestRanker(n_estimators=3),
        rankers.RandomRanker(),
        rankers.ReliefRanker(m=20),
        chains.RDTDynamicChain(n_estimators=3),
        chains.BinaryRelevance(base="random-forest", n_estimators=3),
        chains.MultiLabelXGB(n_estimators=2, subsample=0.5),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_none_draws_another_seed_in_each_fit(estimator):
    X, Y = DATA.X_train[:80], DATA.Y_train[:80]

    def result(state):
        fitted = clone(estimator).set_params(random_state=state).fit(X, Y)
        if isinstance(estimator, chains.estimator.LabelChain):
            return fitted.predict_proba(DATA.X_test).tobytes()
        return fitted.feature_importances_.tobytes()

    assert result(0) == result(0) == result(np.int64(0))
    assert len({result(None) for _ in range(4)}) > 1
    assert result(np.random.RandomState(3)) == result(np.random.RandomState(3))
    assert result(np.random.default_rng(3)) == result(np.random.default_rng(3))
    np.random.seed(5)  # noqa: NPY002  the generator that None draws from
    one = result(None)
    np.random.seed(5)  # noqa: NPY002
    assert result(None) == one
    with pytest.raises(ValueError, match="random_state"):
        result(-1)
