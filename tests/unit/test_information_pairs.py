"""Interaction of features with pairs of labels, and the selectors that count it, against plain counting."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from test_information import entropy, information

from mlsieve.data import load_dataset
from mlsieve.discretize.information import DiscreteData
from mlsieve.selectors import D2F, LRFS, MDMR, PMU

pytestmark = pytest.mark.kernel


def co_information(a, b, c):
    """M(a; b; c) by inclusion and exclusion."""
    pairs = entropy(a, b) + entropy(a, c) + entropy(b, c)
    return entropy(a) + entropy(b) + entropy(c) - pairs + entropy(a, b, c)


@st.composite
def problems(draw):
    n, n_features, n_labels = draw(st.integers(1, 14)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    values = st.sampled_from([0.0, 1.0, 2.0, -1.5, 0.25, np.nan])
    X = draw(arrays(np.float64, (n, n_features), elements=values, fill=st.just(0.0)))
    for feature in range(n_features):
        if draw(st.booleans()):
            X[:, feature] = X[:, feature] > 0
    Y = draw(arrays(np.uint8, (n, n_labels), elements=st.integers(0, 1)))
    return X, Y


@settings(max_examples=200, deadline=None)
@given(problems())
def test_pairs_of_labels_are_those_of_plain_counting(problem):
    X, Y = problem
    columns = [tuple("missing" if np.isnan(x) else x for x in column) for column in X.T.tolist()]
    labels = [tuple(column) for column in Y.T.tolist()]
    interaction = [
        sum(co_information(f, one, other) for one, other in itertools.combinations(labels, 2))
        for f in columns
    ]
    relevance = [
        sum(information(f, one, other) for one, other in itertools.permutations(labels, 2)) for f in columns
    ]
    for storage in (np.asarray, sp.csr_array):
        data = DiscreteData(storage(X), sp.csr_array(Y))
        assert data.label_pair_information == pytest.approx(interaction, abs=1e-11)
        assert data.label_pair_relevance == pytest.approx(relevance, abs=1e-11)


def test_two_labels_of_which_the_feature_is_the_exclusive_or():
    """Each label alone tells nothing, both together everything: M(f; l; l') = 0 - 1 = -1 bit."""
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8)
    X = np.column_stack([labels[:, 0] ^ labels[:, 1], labels[:, 0], np.ones(4)]).astype(float)
    data = DiscreteData(X, sp.csr_array(labels))
    assert data.label_pair_information.tolist() == [-1.0, 0.0, 0.0]
    assert data.label_pair_relevance.tolist() == [2.0, 1.0, 0.0]


def test_the_order_of_a_rows_labels_and_the_storage_do_not_matter():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((400, 30)) < 0.15, rng.integers(1, 4, (400, 30)), 0).astype(float)
    X[:, ::4] = rng.integers(0, 6, (400, 8))
    X[:, 1] = X[:, 2] > 0
    X[:, 3] = 1 - X[:, 1]
    Y = sp.csr_array((rng.random((400, 12)) < 0.3).astype(np.uint8))
    turned = sp.csr_array(
        (Y.data, np.concatenate([row.indices[::-1] for row in (Y[[i]] for i in range(400))]), Y.indptr),
        shape=Y.shape,
    )
    found = [
        DiscreteData(storage(X), labels).label_pair_information
        for storage, labels in ((np.asarray, Y), (sp.csr_array, Y), (np.asarray, turned))
    ]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    assert found[0][1] == found[0][3] != 0.0  # a feature and its complement


def pmu(data, f, S):
    co_information = sum(data.relevance[f] - data.relevance_given(s)[f] for s in S)
    return data.relevance[f] - co_information - data.label_pair_information[f]


def d2f(data, f, S):
    return data.relevance[f] - sum(data.relevance[f] - data.relevance_given(s)[f] for s in S)


def d2f_program(data, f, S):
    """Each round charges all selected features again: the first of three is charged three times."""
    return data.relevance[f] - sum(
        (len(S) - i) * (data.relevance[f] - data.relevance_given(s)[f]) for i, s in enumerate(S)
    )


def mean_of(criterion):
    def mean(data, f, S):
        return criterion(data, f, []) - (criterion(data, f, []) - criterion(data, f, S)) / max(len(S), 1)

    return mean


def lrfs(data, f, S):
    return data.label_pair_relevance[f] - sum(data.redundancy(s)[f] for s in S) / max(len(S), 1)


CRITERIA = {
    "pmu": (PMU(), pmu),
    "pmu-mean": (PMU(form="mean"), mean_of(pmu)),
    "pmu-program": (PMU(form="program"), pmu),
    "d2f": (D2F(), d2f),
    "d2f-mean": (D2F(form="mean"), mean_of(d2f)),
    "d2f-program": (D2F(form="program"), d2f_program),
    "lrfs": (LRFS(), lrfs),
}


@pytest.mark.parametrize(("selector", "criterion"), CRITERIA.values(), ids=CRITERIA)
def test_the_search_follows_the_definition(selector, criterion):
    rng = np.random.default_rng(1)
    X = (rng.random((120, 9)) < rng.uniform(0.1, 0.6, 9)).astype(float)
    X[:, 5] = X[:, 2]
    X[:, 7] = 0.0
    Y = np.column_stack([X[:, 0] * X[:, 2] > 0, X[:, 3] > 0, rng.random(120) < 0.3, X[:, 4] + X[:, 2] > 1])
    data = DiscreteData(X, sp.csr_array(Y.astype(np.uint8)))
    chosen, scores = [], []
    while len(chosen) < 8:
        left = {f: criterion(data, f, chosen) for f in range(9) if f not in (*chosen, 7)}
        chosen.append(min(f for f in left if left[f] >= max(left.values()) - 1e-10))
        scores.append(left[chosen[-1]])
    for k in (8, 3):
        found = clone(selector).set_params(n_features_to_select=k).fit(X, Y.astype(np.uint8)).selection_
        assert found.order[:k].tolist() == chosen[:k] and found.n_selected == k and found.order[-1] == 7
        assert found.scores[chosen[:k]] == pytest.approx(scores[:k], abs=1e-10)
        assert chosen.index(2) < chosen.index(5)


def test_d2f_is_the_other_form_of_mdmr():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 12))
    Y = (X[:, :3] + rng.normal(size=(80, 3)) > 0).astype(np.uint8)
    one = D2F(n_features_to_select=6).fit(X, Y).selection_
    other = MDMR(n_features_to_select=6, form="co-information").fit(X, Y).selection_
    assert one.order.tolist() == other.order.tolist() and one.scores.tobytes() == other.scores.tobytes()


def test_one_label_has_no_pairs():
    data = DiscreteData(np.array([[0.0], [1], [1]]), sp.csr_array(np.array([[0], [1], [1]], np.uint8)))
    assert data.label_pair_information.tolist() == [0.0] == data.label_pair_relevance.tolist()
    assert data.relevance[0] > 0.9


def test_bibtex_against_counting_a_sample_of_features(mirror):
    dataset = load_dataset("bibtex")
    rows = slice(0, 1500)
    X, Y = dataset.X[rows][:, [0, 381, 951]], dataset.Y[rows][:, :40]
    dense = np.asarray(Y.todense(), float)
    expected = np.zeros(3)
    for column, weights in itertools.product(range(3), [(1.0, None), (-1.0, 0.0), (-1.0, 1.0)]):
        sign, value = weights
        kept = np.ones(1500, bool) if value is None else X[:, [column]].toarray().ravel() == value
        some = dense[kept]
        cells = [first.T @ second for first in (some, 1 - some) for second in (some, 1 - some)]
        joint = sum(_plogp(cell / kept.sum()) for cell in cells)
        alone = _plogp(some.mean(axis=0)) + _plogp(1 - some.mean(axis=0))
        shared = joint - alone[:, None] - alone[None, :]
        expected[column] += sign * kept.mean() * np.triu(shared, 1).sum()
    assert DiscreteData(X, Y).label_pair_information == pytest.approx(expected, abs=1e-10)
    assert (np.abs(expected) > 1e-3).all()


def _plogp(shares):
    return shares * np.log2(np.where(shares > 0, shares, 1.0))
