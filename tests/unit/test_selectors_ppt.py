"""Selectors that make classes of label sets: against plain twins, other libraries and examples by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from relieff_twin import pruned_examples, relieff
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.registry import lookup
from mlsieve.relief.multi_class import relieff_scores
from mlsieve.selectors import PPTChiSquared, PPTMutualInformation, PPTRelief
from mlsieve.selectors._pruned_problem import pruned_problem

pytestmark = pytest.mark.kernel

METHODS = ["ppt-rf", "ppt-mi", "ppt-chi"]


def label_matrix(*sets, n_labels=4):
    """One row for each string of label numbers."""
    Y = np.zeros((len(sets), n_labels), np.uint8)
    for row, labels in enumerate(sets):
        Y[row, [int(label) for label in labels]] = 1
    return Y


def examples_of(Y, **settings):
    """Pairs of a row and the number of its class."""
    problem = pruned_problem(sp.csr_array(Y), **settings)
    assert problem.n_classes == len(set(problem.classes.tolist()))
    return list(zip(problem.rows.tolist(), problem.classes.tolist(), strict=True))


# ------------------------------------------------------------------------------- the transformation


def test_rare_label_sets_are_dropped_and_the_empty_set_is_one_like_any_other():
    Y = label_matrix("01", "", "2", "01", "", "3")
    assert examples_of(Y, p=2, pruned="drop", n_subsets=2) == [(0, 0), (1, 1), (3, 0), (4, 1)]
    assert examples_of(Y, p=1, pruned="drop", n_subsets=2) == [
        (0, 0), (1, 1), (2, 2), (3, 0), (4, 1), (5, 3),
    ]  # fmt: skip


def test_rare_label_sets_come_back_as_their_largest_then_most_frequent_subsets():
    # {0, 1, 2} has the frequent subsets {0, 1} (2 labels), {2} (3 times), {0} and {1} (twice, {1} first).
    Y = label_matrix("1", "1", "01", "01", "0", "0", "2", "2", "2", "012", "", "", "3")
    kept = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (8, 3)]
    for n_subsets, classes in ((1, [1]), (2, [1, 3]), (3, [1, 3, 0]), (9, [1, 3, 0, 2])):
        found = examples_of(Y, p=2, pruned="subsets", n_subsets=n_subsets)
        # {3} has no subset but the empty set: its example does not come back.
        assert found == [*kept, *((9, c) for c in classes), (10, 4), (11, 4)]


@settings(max_examples=150, deadline=None)
@given(
    arrays(np.uint8, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.integers(0, 1)),
    st.integers(1, 4),
    st.sampled_from(["drop", "subsets"]),
    st.integers(1, 3),
)
def test_the_transformation_is_that_of_its_definition(Y, p, pruned, n_subsets):
    parameters = {"p": p, "pruned": pruned, "n_subsets": n_subsets}
    expected = pruned_examples(Y, **parameters)
    if len({labels for _, labels in expected}) < 2:
        with pytest.raises(ValueError, match="two classes are needed"):
            examples_of(Y, **parameters)
        return
    found = examples_of(Y, **parameters)
    number = {labels: c for (_, labels), (_, c) in zip(expected, found, strict=True)}
    assert [(row, number[labels]) for row, labels in expected] == found
    assert len(set(number.values())) == len(number)


@pytest.mark.parametrize("id", METHODS)
@pytest.mark.parametrize(
    "p, message",
    [
        (3, "1 of the 3 different label sets occur p = 3 times or more, the commonest 3 times, and two"),
        (4, "0 of the 3 different label sets occur p = 4 times or more, the commonest 3 times, and two"),
    ],
)
def test_fewer_than_two_classes_are_refused(id, p, message):
    Y = sp.csr_array(label_matrix("0", "0", "0", "1", "1", "2"))
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match=message):
        lookup("ranker", id).target(X, Y, p=p)


def test_the_command_tells_in_one_line_that_p_is_too_large(tmp_path, capsys):
    (tmp_path / "d.csv").write_text("a,b,y,z\n1,2,0,1\n2,1,1,0\n3,3,0,1\n")
    command = ["rank", str(tmp_path / "d.csv"), "--label-count=-2", "--method", "ppt-rf"]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "0 of the 2 different label sets occur p = 6 times or more" in error
    assert main([*command, "--set", "p=1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


# ------------------------------------------------------------------------------- ReliefF


def test_relieff_by_hand():
    """Two classes at 0, 1 and 4, 10 of a feature with range 10, and a class of one at 5; K = 1.

    Of class a (share 2/5), 0 loses 0.1 to 1 and gains 2/3 of 0.4 (to 4) and 1/3 of 0.5 (to 5); 1 loses 0.1
    and gains 2/3 of 0.3 and 1/3 of 0.4. Of class b, 4 loses 0.6 and gains 2/3 of 0.3 and 1/3 of 0.1; 10 loses
    0.6 and gains 2/3 of 0.9 and 1/3 of 0.5. 5 has no other of its class and gains 1/2 of 0.4 and 1/2 of 0.1.
    """
    X = np.array([[0.0], [1.0], [4.0], [10.0], [5.0]])
    classes = np.array([0, 0, 1, 1, 2])
    terms = [
        -0.1 + 2 / 3 * 0.4 + 1 / 3 * 0.5,
        -0.1 + 2 / 3 * 0.3 + 1 / 3 * 0.4,
        -0.6 + 2 / 3 * 0.3 + 1 / 3 * 0.1,
        -0.6 + 2 / 3 * 0.9 + 1 / 3 * 0.5,
        1 / 2 * 0.4 + 1 / 2 * 0.1,
    ]
    assert relieff_scores(X, classes, n_neighbors=1) == pytest.approx([sum(terms) / 5], abs=1e-15)
    assert relieff_scores(X, classes, n_neighbors=1, examples=np.array([3, 0])) == pytest.approx(
        [(terms[0] + terms[3]) / 2], abs=1e-15
    )


def test_of_equally_near_examples_the_earlier_rows_are_taken():
    # Rows 1 .. 4 of class b all are at distance 1 of row 0: the first two differ from it in feature 0 alone.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    classes, first = np.array([0, 1, 1, 1, 1, 0]), np.array([0])
    assert relieff_scores(X, classes, n_neighbors=2, examples=first).tolist() == [1.0, 0.0]
    assert relieff_scores(X[::-1], classes, n_neighbors=2, examples=first).tolist() == [0.0, 1.0]
    assert relieff_scores(X, classes, n_neighbors=3, examples=first).tolist() == pytest.approx([2 / 3, 1 / 3])


@st.composite
def class_problems(draw):
    n, n_features = draw(st.integers(3, 24)), draw(st.integers(1, 6))
    values = st.sampled_from([0.0, 1.0, 2.0, -1.5, 0.25, 1 / 3])
    X = draw(arrays(np.float64, (n, n_features), elements=values, fill=st.just(0.0)))
    n_values = np.zeros(n_features, np.int64)
    for feature in range(n_features):
        kind = draw(st.sampled_from(["numeric", "binary", "binary category", "category"]))
        if kind.startswith("binary"):
            X[:, feature] = X[:, feature] != 0
        if kind == "binary category":
            n_values[feature] = 2
        elif kind == "category":
            X[:, feature] = np.abs(np.floor(X[:, feature]))
            n_values[feature] = 4
        if draw(st.integers(0, 3)) == 0:
            X[draw(arrays(bool, n)), feature] = np.nan
    classes = draw(arrays(np.int64, n, elements=st.integers(0, 3)))
    _, classes = np.unique(classes, return_inverse=True)
    examples = np.sort(draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True)))
    return X, classes, n_values, np.array(examples), draw(st.integers(1, 6))


@settings(max_examples=300, deadline=None)
@given(class_problems())
def test_relieff_is_that_of_its_definition(problem):
    X, classes, n_values, examples, k = problem
    if classes.max() == 0:
        classes[0] = 1
        _, classes = np.unique(classes, return_inverse=True)
    expected = relieff(X, classes.tolist(), n_neighbors=k, examples=examples, n_values=n_values)
    given = {"n_neighbors": k, "n_values": n_values}
    found = relieff_scores(X, classes, examples=examples, **given)
    assert found == pytest.approx(expected, abs=1e-12)
    sparse = relieff_scores(sp.csr_array(X), classes, examples=examples, n_threads=2, **given)
    assert sparse.tobytes() == found.tobytes()
    everyone = relieff_scores(X, classes, **given)
    assert everyone == pytest.approx(
        relieff(X, classes.tolist(), n_neighbors=k, examples=range(len(X)), n_values=n_values), abs=1e-12
    )


@pytest.mark.parametrize("kind", ["counts", "numbers", "mixed"])
def test_many_rows_and_threads_give_the_bytes_of_one_and_those_of_sparse_rows(kind):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((300, 70)) < 0.15, 1.0, 0.0)
    n_values = np.zeros(70, np.int64)
    if kind != "counts":
        X[:, ::2] *= np.round(rng.standard_normal((300, 35)), 2)
    if kind == "mixed":
        X[rng.random(X.shape) < 0.02] = np.nan
        X[:, 1:9:2] = rng.integers(0, 5, (300, 4))
        n_values[1:9:2] = 5
    classes = rng.integers(0, 9, 300)
    expected = relieff_scores(X, classes, n_values=n_values)
    for n_threads in (1, 3):
        for data in (X, sp.csr_array(X)):
            found = relieff_scores(data, classes, n_values=n_values, n_threads=n_threads)
            assert found.tobytes() == expected.tobytes()
    some = np.arange(0, 300, 30)
    assert relieff_scores(sp.csr_array(X), classes, n_values=n_values, examples=some) == pytest.approx(
        relieff(X, classes.tolist(), n_neighbors=10, examples=some, n_values=n_values), abs=1e-12
    )


# ------------------------------------------------------------------------------- the selectors


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(2)
    X = np.round(rng.random((150, 9)), 1)
    X[:, 2] = rng.integers(0, 3, 150)
    X[:, 4] = 7.0
    X[:, 6] = X[:, 5]
    X[rng.random(150) < 0.1, 3] = np.nan
    Y = np.column_stack([X[:, 0] > 0.6, X[:, 2] == 1, X[:, 5] > 0.8, rng.random(150) < 0.1])
    return X, Y.astype(np.uint8)


@pytest.mark.parametrize("pruned", ["drop", "subsets"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_ppt_rf_scores_the_examples_that_are_left(problem, pruned, storage):
    X, Y = problem
    examples = pruned_examples(Y, p=6, pruned=pruned, n_subsets=2)
    rows, classes = [row for row, _ in examples], [labels for _, labels in examples]
    n_values = np.where(np.arange(9) == 2, 3, 0)
    expected = relieff(X[rows], classes, n_neighbors=10, examples=range(len(rows)), n_values=n_values)
    found = lookup("ranker", "ppt-rf").target(storage(X), sp.csr_array(Y), k=8, pruned=pruned, nominal=[2])
    varying = [i for i in range(9) if i != 4]
    assert found.scores[varying] == pytest.approx(expected[varying], abs=1e-11)
    best = sorted(varying, key=lambda i: (-round(expected[i], 11), i))
    assert found.order.tolist() == [*best, 4] and found.n_selected == 8
    assert found.order.tolist().index(6) == found.order.tolist().index(5) + 1  # equal ones in index order


@pytest.mark.parametrize(
    "estimator, oracle",
    [
        (
            PPTMutualInformation,
            lambda f, c: mutual_info_score(np.unique(f, return_inverse=True)[1], c) / np.log(2),
        ),
        (
            PPTChiSquared,
            lambda f, c: (
                chi2_contingency(
                    [[np.sum((f == a) & (c == b)) for b in np.unique(c)] for a in np.unique(f)],
                    correction=False,
                ).statistic
            ),
        ),
    ],
)
@pytest.mark.parametrize("pruned", ["drop", "subsets"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_the_tables_statistics_are_those_of_other_libraries(problem, estimator, oracle, pruned, storage):
    X, Y = problem
    examples = pruned_examples(Y, p=6, pruned=pruned, n_subsets=3)
    names = list(dict.fromkeys(labels for _, labels in examples))
    rows = [row for row, _ in examples]
    classes = np.array([names.index(labels) for _, labels in examples])
    filled = np.where(np.isnan(X), 99.0, X)[rows]
    expected = np.array([oracle(filled[:, i], classes) if i != 4 else -np.inf for i in range(9)])
    selector = estimator(n_features_to_select=8, pruned=pruned, n_subsets=3, discretize="none")
    selector.fit(storage(X), Y)
    varying = [i for i in range(9) if i != 4]
    assert selector.feature_importances_[varying] == pytest.approx(expected[varying], rel=1e-9)
    best = sorted(varying, key=lambda i: (-round(expected[i], 9), i))
    assert selector.selection_.order.tolist() == [*best, 4]


def test_numeric_features_are_cut_on_all_rows_before_any_are_pruned(problem):
    from mlsieve.discretize import learn_cuts

    X, Y = problem
    cut = learn_cuts(X, sp.csr_array(Y), method="equal-frequency").transform(X)
    selector = PPTMutualInformation(discretize="equal-frequency", p=9).fit(X, Y)
    other = PPTMutualInformation(discretize="none", p=9).fit(cut, Y)
    assert selector.feature_importances_.tobytes() == other.feature_importances_.tobytes()
    uncut = PPTMutualInformation(discretize="none", p=9).fit(X, Y)
    assert selector.feature_importances_.tobytes() != uncut.feature_importances_.tobytes()


@pytest.mark.parametrize("id", METHODS)
def test_k_and_the_features_that_do_not_vary(id, problem):
    X, Y = problem
    select, Y = lookup("ranker", id).target, sp.csr_array(Y)
    assert select(X, Y, p=6).n_selected == 8  # ceil(sqrt(150)) = 13; one of nine does not vary
    small = select(X, Y, p=6, k=3)
    assert small.n_selected == 3 and small.order[-1] == 4
    assert small.order[:3].tolist() == select(X, Y, p=6, k=8).order[:3].tolist()
    assert small.scores[small.order[3:]].max() < small.scores[small.order[:3]].min()


def test_a_feature_that_varies_only_in_being_known_is_of_use(problem):
    X, Y = problem
    X = X.copy()
    X[:, 4] = np.where(Y[:, 0], np.nan, 7.0)
    X[:, 8] = np.nan
    for storage in (np.asarray, sp.csr_array):
        selection = PPTRelief(n_features_to_select=9).fit(storage(X), Y).selection_
        assert selection.n_selected == 8 and selection.order[0] == 4 and selection.order[-1] == 8


def test_examples_are_drawn_by_the_seed_among_those_that_are_left(problem):
    X, Y = problem
    n_left = len(pruned_examples(Y, p=9, pruned="drop", n_subsets=1))
    everyone = PPTRelief(p=9).fit(X, Y).feature_importances_.tobytes()
    for all_of_them in (n_left, 10_000, 1.0):
        assert (
            PPTRelief(p=9, m=all_of_them, random_state=5).fit(X, Y).feature_importances_.tobytes() == everyone
        )
    draws = {PPTRelief(p=9, m=0.2, random_state=s).fit(X, Y).feature_importances_.tobytes() for s in range(4)}
    assert len(draws) == 4


def test_n_categories_that_do_not_fit_are_told(problem):
    X, Y = problem
    with pytest.raises(ValueError, match=r"n_categories has the shape \(2,\), X has 9 features"):
        PPTRelief(nominal=[2], n_categories=[3, 3]).fit(X, Y)


@pytest.mark.parametrize("name", ["birds", "genbase"])
def test_real_data_with_empty_label_sets_and_nominal_features(mirror, name):
    dataset = load_dataset(name)
    X, Y = dataset.X_train, dataset.Y_train
    given = {"nominal": dataset.nominal, "n_categories": [len(c) for c in dataset.categories]}
    select = lookup("ranker", "ppt-rf").target
    dense = select(X, Y, **given)
    sparse = select(sp.csr_array(X), Y, n_jobs=2, **given)
    assert dense.scores.tobytes() == sparse.scores.tobytes()
    examples = pruned_examples(Y.toarray(), p=6, pruned="drop", n_subsets=1)
    assert (frozenset() in {labels for _, labels in examples}) == (name == "birds")
