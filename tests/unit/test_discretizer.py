"""LAIM, MDLP and equal intervals as a transformer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from mlsieve.data import load_dataset
from mlsieve.discretize import Discretizer, learn_cuts
from mlsieve.evaluators import MLNB
from mlsieve.selectors import SCLS

METHODS = ("laim", "laim-boundaries", "mdlp", "equal-width", "equal-frequency", "none")
DATA = load_dataset("synthetic-linear")
X, Y = DATA.X_train, DATA.Y_train


@pytest.mark.parametrize("encode", ["ordinal", "zero-first"])
@pytest.mark.parametrize("method", METHODS)
def test_scikit_learns_own_checks_pass(method, encode):
    check_estimator(Discretizer(method, encode=encode))


@pytest.mark.parametrize("method", METHODS)
def test_the_cuts_are_those_of_the_function(method):
    cuts = learn_cuts(X, Y, method=method)
    fitted = Discretizer(method).fit(X, Y)
    np.testing.assert_array_equal(np.concatenate(fitted.bin_edges_), cuts.cuts)
    zero_first = clone(fitted).set_params(encode="zero-first").fit(X, Y)
    np.testing.assert_array_equal(zero_first.transform(DATA.X_test), cuts.transform(DATA.X_test))


@pytest.mark.parametrize("method", METHODS)
def test_intervals_are_numbered_from_the_lowest(method):
    fitted = Discretizer(method).fit(X, Y)
    out = fitted.transform(X)
    for feature in range(X.shape[1]):
        order = np.argsort(X[:, feature], kind="stable")
        assert (np.diff(out[order, feature]) >= 0).all()
        assert out[:, feature].max() + 1 == fitted.n_bins_[feature] == len(np.unique(out[:, feature]))
        assert out[:, feature].min() == 0
    assert fitted.n_bins_.max() > 1


def test_equal_widths_are_those_of_scikit_learn():
    ours = Discretizer("equal-width", bins=4).fit(X)
    theirs = KBinsDiscretizer(4, encode="ordinal", strategy="uniform").fit(X)
    np.testing.assert_allclose(
        np.concatenate(ours.bin_edges_), np.concatenate([edges[1:-1] for edges in theirs.bin_edges_])
    )
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.parametrize("method", METHODS)
def test_sparse_data_give_the_same_and_missing_cells_stay(method):
    rows = np.where(np.abs(X) < 0.3, 0.0, X)
    rows[2, 1] = np.nan
    for encode in ("ordinal", "zero-first"):
        dense = Discretizer(method, encode=encode).fit(rows, Y)
        sparse = Discretizer(method, encode=encode).fit(sp.csr_array(rows), Y)
        out, other = dense.transform(rows), sparse.transform(sp.csr_array(rows))
        assert sp.issparse(other) == (encode == "zero-first")
        np.testing.assert_array_equal(out, other.toarray() if sp.issparse(other) else other)
        assert np.isnan(out[2, 1]) and np.isnan(out).sum() == 1


def test_names_pass_through_and_categories_stay():
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame["colour"] = np.where(X[:, 4] > 0, "red", "blue")
    fitted = Discretizer().fit(frame, Y)
    assert fitted.get_feature_names_out().tolist() == ["a", "b", "c", "colour"]
    assert fitted.n_bins_[3] == 0 and len(fitted.bin_edges_[3]) == 0
    table = fitted.set_output(transform="pandas").transform(frame)
    assert list(table) == ["a", "b", "c", "colour"]
    assert table["colour"].tolist() == (frame["colour"] == "red").tolist()
    kept = Discretizer(nominal=["a"]).fit(frame, Y).transform(frame)
    np.testing.assert_array_equal(kept[:, 0], frame["a"])


def test_it_works_in_pipelines():
    ours = make_pipeline(
        Discretizer(), SCLS(n_features_to_select=5, discretize="none"), MLNB(discretize="none")
    )
    assert ours.fit(X, Y.toarray()).predict(DATA.X_test).shape == DATA.Y_test.shape
    of_scikit_learn = make_pipeline(Discretizer("mdlp"), DecisionTreeClassifier(random_state=0))
    assert of_scikit_learn.fit(X, Y.toarray()).score(X, Y.toarray()) > 0


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"method": "liam"}, "did you mean 'laim'"),
        ({"encode": "onehot"}, "encode = 'onehot' is unknown"),
        ({"method": "equal-width", "bins": 1}, "bins must be a whole number of at least 2"),
        ({"nominal": [99]}, "nominal holds the index 99"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Discretizer(**parameters).fit(X, Y)


def test_labels_are_needed_only_where_they_are_used():
    for method in METHODS:
        if method in ("equal-width", "equal-frequency", "none"):
            np.testing.assert_array_equal(
                Discretizer(method).fit(X).transform(X), Discretizer(method).fit(X, Y).transform(X)
            )
        else:
            with pytest.raises(ValueError, match="requires y to be passed"):
                Discretizer(method).fit(X)
