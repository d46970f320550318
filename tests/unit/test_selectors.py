"""Selectors: their criteria against definitions, the order that they give, and their estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.discretize.information import DiscreteData
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.rankings.selection import complete_order
from mlsieve.registry import entries
from mlsieve.selectors import AMI, MDMR, SCLS

SELECTORS = [name for name, entry in entries("ranker").items() if entry.facts.selects]


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(1)
    X = (rng.random((120, 12)) < rng.uniform(0.1, 0.6, 12)).astype(float)
    X[:, 5] = X[:, 2]
    X[:, 7] = 1.0 - X[:, 3]
    X[:, 9] = 0.0
    Y = np.column_stack([X[:, 0] * X[:, 2] > 0, X[:, 3] > 0, rng.random(120) < 0.3, X[:, 4] + X[:, 2] > 1])
    return X, Y.astype(np.uint8)


def search(data, criterion, k, places):
    """Greedy search from scratch: the criterion is computed anew from the set in every round."""
    chosen, scores = [], []
    for _ in range(k):
        left = [f for f in range(data.n_features) if f not in chosen and data.entropy[f] > 0]
        values = {f: criterion(data, f, chosen) for f in left}
        best = max(values.values())
        chosen.append(min((f for f in left if values[f] >= best - 1e-10), key=lambda f: places[f]))
        scores.append(values[chosen[-1]])
    return chosen, scores


def scls(data, f, S):
    return data.relevance[f] * (1 - sum(data.redundancy(s)[f] for s in S) / data.entropy[f])


def scls_of_means(data, f, S):
    return data.relevance[f] / 4 - sum(data.redundancy(s)[f] for s in S) / max(len(S), 1)


def ami(data, f, S, form="mean"):
    redundancy = sum(data.redundancy(s)[f] for s in S)
    return data.relevance[f] - (redundancy / max(len(S), 1) if form == "mean" else redundancy)


def mdmr(data, f, S, form="mean"):
    if form == "co-information":
        return data.relevance[f] - sum(data.relevance[f] - data.relevance_given(s)[f] for s in S)
    return data.relevance[f] - sum(data.redundancy(s)[f] - data.relevance_given(s)[f] for s in S) / max(
        len(S), 1
    )


@pytest.mark.parametrize(
    ("selector", "criterion"),
    [
        (SCLS(), scls),
        (SCLS(form="means"), scls_of_means),
        (AMI(), ami),
        (AMI(form="printed"), lambda *given: ami(*given, "printed")),
        (AMI(form="program"), lambda data, f, S: data.relevance[f]),
        (MDMR(), mdmr),
        (MDMR(form="co-information"), lambda *given: mdmr(*given, "co-information")),
    ],
    ids=["scls", "scls-means", "ami", "ami-printed", "ami-program", "mdmr", "mdmr-co-information"],
)
def test_the_search_follows_the_definition(problem, selector, criterion):
    X, Y = problem
    data = DiscreteData(X, sp.csr_array(Y))
    places = canonical_places(column_digests(X), 0)
    chosen, scores = search(data, criterion, 11, places)
    found = clone(selector).set_params(n_features_to_select=11).fit(X, Y)
    assert found.selection_.order.tolist() == [*chosen, 9] and found.selection_.n_selected == 11
    assert found.feature_importances_[chosen] == pytest.approx(scores, abs=1e-10)
    assert found.ranking_[9] == 12 and not found.get_support()[9]
    for k in (1, 4, 8):
        fewer = clone(selector).set_params(n_features_to_select=k).fit(sp.csr_array(X), Y)
        assert fewer.selection_.order[:k].tolist() == chosen[:k]
        assert fewer.get_support().sum() == k and fewer.transform(X).shape == (120, k)
        rest = [f for f in range(12) if f not in chosen[:k] and f != 9]
        expected = sorted(rest, key=lambda f: (-round(data.relevance[f], 10), places[f]))
        assert fewer.selection_.order[k:].tolist() == [*expected, 9]
        below = fewer.feature_importances_[fewer.selection_.order[k:]]
        assert (np.diff(below) <= 0).all() and below.max() < fewer.feature_importances_[chosen[:k]].min()


def test_of_equal_features_the_seed_decides_and_copies_follow_each_other(problem):
    """Features 2 and 5 are the same, 3 and 7 each other's complement."""
    X, Y = problem
    for selector in (SCLS(n_features_to_select=1), AMI(n_features_to_select=1)):
        complement_first = set()
        for seed in range(20):
            order = selector.set_params(random_state=seed).fit(X, Y).selection_.order.tolist()
            assert order.index(2) + 1 == order.index(5)
            assert abs(order.index(3) - order.index(7)) == 1
            complement_first.add(order.index(7) < order.index(3))
        assert complement_first == {True, False}


def test_what_is_not_selected_is_ordered_below():
    found = complete_order(
        np.array([4, 1]),
        np.array([2.0, -1.0]),
        np.array([0.5, 9.0, 0.0, 0.7, 3.0, 0.5]),
        np.array([True, True, False, True, True, True]),
        places=np.array([5, 0, 1, 2, 3, 4]),
    )
    assert found.order.tolist() == [4, 1, 3, 5, 0, 2] and found.n_selected == 2
    assert found.scores[[4, 1]].tolist() == [2.0, -1.0]
    assert -1.0 > found.scores[3] > found.scores[0] == found.scores[5] > found.scores[2]


def test_published_beginnings_on_bibtex(mirror, tmp_path):
    beginnings = {
        "scls": ([], [951, 381, 1787, 136, 1553, 1780]),
        "ami": (["--set", "form=printed"], [951, 1823, 1261, 136, 1787, 141]),
    }
    for method, (words, expected) in beginnings.items():
        path = tmp_path / f"{method}.csv"
        assert main(["rank", "bibtex", "--rows", "all", "--method", method, *words, "-o", str(path)]) == 0
        ranking = Ranking.from_csv(path)
        assert ranking.order()[:6].tolist() == expected and ranking.n_selected == 86
        if method == "scls":
            assert ranking.scores[[951, 381]] == pytest.approx([1.596, 0.633], abs=5e-4)
        else:
            assert ranking.scores[1823] == pytest.approx(1.0097, abs=5e-5)
        assert len(ranking.scores) == 1836


# Printed by the authors' programs in Octave 7.3, given the training parts cut by LAIM.
PROGRAMS = {
    ("flags", "ami"): [5, 4, 0, 17, 16, 18, 12, 10, 11, 1, 2, 7],
    ("emotions", "ami"): [46, 42, 47, 45, 44, 1, 43, 4, 62, 41, 35, 60, 58, 59, 3, 61, 40, 57, 36, 39],
    ("flags", "d2f"): [5, 4, 0, 2, 16, 1, 3, 15, 17, 10, 12, 14],
    ("flags", "pmu"): [4, 0, 5, 16, 1, 2, 17, 3, 15, 10, 12, 11],
}


@pytest.mark.parametrize(("dataset", "method"), PROGRAMS)
def test_the_authors_programs_select_the_same(mirror, tmp_path, dataset, method):
    expected, path = PROGRAMS[dataset, method], tmp_path / "r.csv"
    words = ["--method", method, "--set", "form=program", f"k={len(expected)}", "-o", str(path)]
    assert main(["rank", dataset, *words]) == 0
    assert Ranking.from_csv(path).order()[: len(expected)].tolist() == expected


def test_the_default_size_is_of_the_whole_data_set_on_the_command_line(tmp_path):
    path = tmp_path / "r.csv"
    assert main(["rank", "synthetic-linear", "--method", "scls", "-o", str(path)]) == 0
    n = load_dataset("synthetic-linear").X.shape[0]
    usable = len(Ranking.from_csv(path).scores)
    assert Ranking.from_csv(path).n_selected == min(int(np.ceil(np.sqrt(n))), usable)


def test_files_keep_the_order_of_the_search(tmp_path):
    ranking = Ranking(
        np.array([0.1, 3.0, -1.0, 2.0]), ("a", "b", "c", "d"), 0, 2, "s", np.array([2, 1, 3, 0])
    )
    ranking.to_csv(tmp_path / "s.csv")
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0] == "rank,feature_index,feature,score,selected" and lines[1] == "1,2,c,-1.0,1"
    plain = Ranking(np.array([0.1, 3.0, -1.0, 2.0]), ("a", "b", "c", "d"), name="p")
    RankingBundle((ranking, plain)).save(tmp_path / "s.npz")
    for again in (Ranking.from_csv(tmp_path / "s.csv"), RankingBundle.load(tmp_path / "s.npz").rankings[0]):
        assert again.order().tolist() == [2, 1, 3, 0] and again.n_selected == 2
        assert again.weights().tolist() == [0, 1, 1, 0] and again.scores.tolist() == [0.1, 3.0, -1.0, 2.0]
    assert RankingBundle.load(tmp_path / "s.npz").rankings[1].order().tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("name", SELECTORS)
def test_a_selector_sits_in_a_pipeline_and_is_pickled(problem, name):
    X, Y = problem
    selector = entries("ranker")[name].estimator(n_features_to_select=3)
    pipeline = make_pipeline(selector, BernoulliNB()).fit(X, Y[:, 1])
    assert pipeline[:-1].transform(X).shape == (120, 3)
    fitted = pickle.loads(pickle.dumps(clone(selector).fit(X, Y)))
    assert (
        fitted.get_support().sum() == 3
        and repr(fitted) == f"{type(selector).__name__}(n_features_to_select=3)"
    )
    with pytest.raises(TypeError, match="SCLS has no parameter 'k'; did you mean 'n_features_to_select'"):
        SCLS(k=2)
    with pytest.raises(TypeError, match="did you mean 'random_state'"):
        SCLS(seed=1)
    with pytest.raises(TypeError, match="has no parameter 'kk'"):
        type(selector)(kk=3)
    for wrong in (0, 13):
        with pytest.raises(ValueError):
            clone(selector).set_params(n_features_to_select=wrong).fit(X, Y)
