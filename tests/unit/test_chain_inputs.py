"""What the estimators of mlsieve.chains say of X and Y that they cannot learn from."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlsieve import chains
from mlsieve.chains import (
    XDCC,
    BinaryRelevance,
    ClassifierChain,
    LabelPowerset,
    MultiLabelXGB,
    RDTDynamicChain,
)

ALL = [RDTDynamicChain, MultiLabelXGB, XDCC, BinaryRelevance, ClassifierChain, LabelPowerset]
BASELINES = ALL[3:]


def problem(n=30):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, (X[:, :3] + rng.normal(size=(n, 3)) > 0).astype(int)


def small(Method):
    return Method(n_estimators=2)


def test_every_estimator_is_here():
    assert {Method.__name__ for Method in ALL} == set(chains.__all__) - {"ChainPrediction", "LabelSequence"}


@pytest.mark.parametrize("Method", ALL)
@pytest.mark.parametrize("stored", [np.array, sp.csr_array, pd.DataFrame])
def test_nothing_to_learn_from_is_refused_by_name(Method, stored):
    X, Y = problem()
    with pytest.raises(ValueError, match=r"^y has no labels; give at least one column"):
        small(Method).fit(stored(X), stored(Y[:, :0]))
    with pytest.raises(ValueError, match=r"^X has no rows: give at least one example$"):
        small(Method).fit(stored(X[:0]), stored(Y[:0]))
    with pytest.raises(ValueError, match=r"^y has no rows: give at least one example$"):
        small(Method).fit(stored(X), stored(Y[:0]))
    fitted = small(Method).fit(X, Y)
    for predict in (fitted.predict, fitted.predict_proba, fitted.predict_all):
        with pytest.raises(ValueError, match=r"^X has no rows"):
            predict(stored(X[:0]))


def test_empty_lists_and_empty_rows_held_back_are_refused():
    X, Y = problem()
    with pytest.raises(ValueError, match=r"^X has no rows"):
        small(XDCC).fit([], [])
    with pytest.raises(ValueError, match=r"^X has no rows"):
        MultiLabelXGB(n_iter_no_change=2).fit(X, Y, validation=(X[:0], Y[:0]))
    with pytest.raises(ValueError, match=r"^X has no rows"):
        list(small(XDCC).fit(X, Y).staged_scores(X[:0]))


@pytest.mark.parametrize("Method", ALL)
def test_one_column_of_labels_is_taken_without_a_warning(Method):
    X, Y = problem()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column = small(Method).fit(X, Y[:, :1]).predict_proba(X)
    assert column.tobytes() == small(Method).fit(X, Y[:, 0]).predict_proba(X).tobytes()


@pytest.mark.parametrize("Method", BASELINES)
@pytest.mark.parametrize("base", ["decision-tree", "random-forest"])
@pytest.mark.parametrize("value", [1e300, -1e300, 3.5e38])
def test_a_number_beyond_single_precision_is_refused_with_its_feature(Method, base, value):
    X, Y = problem()
    X[3, 1] = np.nan
    X[5, 2] = value
    what = (
        "holds .*, and this base reads numbers up to 3.4e.38: scale the feature, or choose the base ml-xgb$"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for stored in (X, sp.csr_array(X), sp.csr_array(np.hstack([X, np.zeros((30, 60))]))):
            with pytest.raises(ValueError, match=f"^feature 2 {what}"):
                Method(base=base, n_estimators=2).fit(stored, Y)
        with pytest.raises(ValueError, match=f"^feature 2 .'c'. {what}"):
            Method(base=base, n_estimators=2).fit(pd.DataFrame(X, columns=list("abcd")), Y)
        fitted = Method(base=base, n_estimators=2).fit(np.delete(X, 5, axis=0), np.delete(Y, 5, axis=0))
        with pytest.raises(ValueError, match=f"^feature 2 {what}"):
            fitted.predict(X)


@pytest.mark.parametrize("Method", BASELINES)
def test_the_largest_number_of_single_precision_and_missing_columns_are_taken(Method):
    X, Y = problem()
    X[:, 1], X[5, 2], X[6, 2] = np.nan, np.finfo(np.float32).max, -np.finfo(np.float32).max
    assert small(Method).fit(X, Y).predict(X).shape == Y.shape
    X[:] = np.nan
    assert small(Method).fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("Method", ALL)
def test_our_own_trees_take_large_numbers(Method):
    X, Y = problem()
    X[5, 2] = 1e300
    method = Method(n_estimators=2, base="ml-xgb") if Method in BASELINES else small(Method)
    assert method.fit(X, Y).predict(X).shape == Y.shape
