"""Labels that estimators are fitted to, in every form that `Dataset.from_frame` takes, and their rows."""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, cross_val_score, train_test_split

from mlsieve import chains, evaluators, rankers, selectors
from mlsieve.data import Dataset
from mlsieve.discretize import Discretizer, discrete_data, learn_cuts
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import evaluate_all

NAMES = ["l1", "l2", "l3"]
RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.random((60, 4)), columns=list("abcd"))
Y = pd.DataFrame((X.to_numpy()[:, :3] > 0.5).astype(int), columns=NAMES)
LISTS = [[name for name in NAMES if row[name]] for _, row in Y.iterrows()]
WORDS = Y.replace({0: "no", 1: "yes"})
FORMS = {
    "frame": Y,
    "yes and no": WORDS,
    "signs": 2 * Y - 1,
    "booleans": Y.astype("boolean"),
    "sparse frame": Y.astype(pd.SparseDtype("int8", 0)),
    "lists": LISTS,
    "sets": [set(row) for row in LISTS],
    "series of lists": pd.Series(LISTS),
    "array of signs": (2 * Y - 1).to_numpy(),
    "array of words": WORDS.to_numpy(),
    "rows": Y.to_numpy().tolist(),
    "sparse": sp.csr_array(Y.to_numpy()),
}
NAMED = list(FORMS)[:8]
ESTIMATORS = [
    rankers.ReliefRanker(m=1.0, k=5),
    rankers.PCTForestRanker(n_estimators=3),
    selectors.SCLS(),
    evaluators.WeightedKNN(k=3),
    evaluators.MLNB(),
    chains.BinaryRelevance(n_estimators=2),
    chains.XDCC(n_estimators=2),
    chains.MultiLabelXGB(n_estimators=2),
    chains.RDTDynamicChain(n_estimators=3),
    Discretizer(),
]


def name_of(estimator):
    return type(estimator).__name__


def learned_from(estimator, labels):
    fitted = clone(estimator).fit(X, labels)
    if hasattr(fitted, "predict_proba"):
        return fitted, fitted.predict_proba(X)
    if hasattr(fitted, "bin_edges_"):
        return fitted, np.concatenate(fitted.bin_edges_)
    return fitted, fitted.feature_importances_


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_every_form_of_labels_is_learned_from_alike(estimator):
    expected = learned_from(estimator, Y.to_numpy())[1]
    for form, labels in FORMS.items():
        fitted, found = learned_from(estimator, labels)
        assert found.tobytes() == expected.tobytes(), form
        assert (form in NAMED) == hasattr(fitted, "label_names_in_"), form
        assert form not in NAMED or fitted.label_names_in_.tolist() == NAMES
        np.testing.assert_array_equal(Dataset.from_frame(X, labels).Y.toarray(), Y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_labels_are_given_as_y_and_for_one_release_as_Y(estimator):
    name = name_of(estimator)
    for method in ("fit", "fit_transform", "score"):
        call = getattr(clone(estimator).fit(X=X, y=Y), method, None)
        if call is None:
            continue
        expected = call(X=X, y=Y)
        with pytest.warns(FutureWarning, match=r"takes Y by the name y"):
            found = call(X=X, Y=Y)
        if method != "fit":
            np.testing.assert_array_equal(found, expected)
        for given in ({"y": Y, "Y": Y}, {"y": Y, "labels": Y}):
            with pytest.raises(TypeError, match=rf"^{name}\.(fit|score)\(\) got "):
                call(X, **given)
    with pytest.raises(TypeError, match=rf"^{name}\.fit\(\) got y twice"):
        estimator.fit(X, Y, Y=Y)
    if name != "Discretizer":  # some of whose methods need no labels
        with pytest.raises(TypeError, match=rf"^{name}\.fit\(\) missing a required argument: 'y'$"):
            estimator.fit(X)


def test_other_functions_that_take_labels_have_scikit_learns_names_too():
    expected, scores = Dataset.from_frame(X=X, y=Y).Y.toarray(), RANDOM.random(Y.shape)
    with pytest.warns(FutureWarning, match=r"^Dataset.from_frame\(\) takes Y by the name y"):
        np.testing.assert_array_equal(Dataset.from_frame(X=X, Y=Y).Y.toarray(), expected)
    values = evaluate_all(y_true=expected, y_score=scores, y_pred=scores > 0.3)
    with pytest.warns(FutureWarning, match=r"^evaluate_all\(\) takes "):
        assert evaluate_all(Y_true=expected, scores=scores, predicted=scores > 0.3) == values
    with pytest.raises(TypeError, match=r"^evaluate_all\(\) got y_true twice"):
        evaluate_all(expected, scores, Y_true=expected)


@pytest.mark.parametrize(
    "package", ["rankers", "selectors", "evaluators", "chains", "discretize", "measures"]
)
def test_no_public_function_or_method_calls_labels_Y(package):
    module = importlib.import_module(f"mlsieve.{package}")
    for name in module.__all__:
        public = getattr(module, name)
        own = vars(public).values() if inspect.isclass(public) else []
        for function in filter(callable, [public, *own]):
            taken = inspect.signature(function).parameters if inspect.isroutine(function) else {}
            assert not {"Y", "Y_true", "Y_pred"} & set(taken), (name, function)


@pytest.mark.parametrize("function", [learn_cuts, discrete_data])
def test_functions_on_matrices_take_y_too(function):
    labels, options = sp.csr_array(Y.to_numpy()), {"method": "equal-width"}
    found = function(X=X.to_numpy(), y=labels, **options)
    with pytest.warns(FutureWarning, match=rf"^{function.__name__}\(\) takes Y by the name y"):
        assert type(function(X.to_numpy(), Y=labels, **options)) is type(found)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_frames_of_other_indexes_are_refused_by_fit(estimator):
    order = RANDOM.permutation(60)
    with pytest.raises(ValueError, match=r"same index in different orders; give y.loc\[X.index\]"):
        clone(estimator).fit(X.iloc[order], Y)
    for labels in (Y, Y["l1"], pd.Series(LISTS)):
        for start in (30, 100):
            with pytest.raises(ValueError, match=r"indexes of X and y differ: .*\.reset_index\(drop=True\)"):
                clone(estimator).fit(X.set_axis(range(start, start + 60)), labels)
    clone(estimator).fit(X.iloc[order], Y.iloc[order])
    clone(estimator).fit(X.iloc[order], Y.to_numpy())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize(
    "labels, message",
    [
        (Y[[]], "y has no labels; give at least one column"),
        ([[]] * 60, "y has no labels"),
        (Y.assign(l1=2), "label 'l1' holds 2 in row 0, not 0 or 1"),
        (WORDS.assign(l1="maybe"), "label 'l1' holds 'maybe' in row 0"),
        (pd.Series([["a"], "b"] * 30), "labels of row 1 are 'b', not a list"),
        ([[0.5, 1.5]] * 60, "labels of row 0 hold 0.5, which is no label"),
        ([[["a"]]] * 60, "labels of row 0 hold .'a'., which is no label"),
        (np.full((60, 2), np.nan), "y holds nan in row 0"),
        (5, "y is of the type int, not a table"),
    ],
)
def test_what_holds_no_labels_is_refused_by_fit(estimator, labels, message):
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, labels)


def test_one_column_still_holds_classes():
    for column in (WORDS["l1"], WORDS[["l1"]], WORDS["l1"].tolist(), WORDS[["l1"]].to_numpy()):
        model = evaluators.WeightedKNN(k=3).fit(X, column)
        assert model.classes_.tolist() == ["no", "yes"] and model.predict(X).shape == (60,)


@pytest.mark.parametrize("model", ESTIMATORS[1:2] + ESTIMATORS[3:-1], ids=name_of)
def test_every_form_of_labels_is_scored_alike(model):
    expected = np.mean((clone(model).fit(X, Y).predict(X) == Y.to_numpy()).all(axis=1))
    for form, labels in FORMS.items():
        assert clone(model).fit(X, labels).score(X, labels) == expected, form
    fitted = clone(model).fit(X, LISTS)
    assert fitted.score(X, Y[NAMES[::-1]]) == expected  # by name
    with pytest.raises(ValueError, match="label 'l4' is not a label that fit saw; known: l1, l2, l3"):
        fitted.score(X, [["l4"]] * 60)
    with pytest.raises(ValueError, match="same index in different orders"):
        fitted.score(X, Y.iloc[::-1])


def test_splits_and_cross_validation_take_labels_of_any_form():
    model = evaluators.WeightedKNN(k=3, weights=rankers.ReliefRanker(m=1.0))
    folds = KFold(3)  # by a number scikit-learn would look at the kind of the labels
    expected = cross_val_score(model, X, Y, cv=folds, error_score="raise")
    for form in ("yes and no", "signs", "series of lists"):
        np.testing.assert_array_equal(
            cross_val_score(model, X, FORMS[form], cv=folds, error_score="raise"), expected
        )
    X_train, X_test, Y_train, Y_test = train_test_split(X, WORDS, random_state=0)
    assert not X_train.index.is_monotonic_increasing
    assert 0 < clone(model).fit(X_train, Y_train).score(X_test, Y_test) <= 1


def test_a_ranker_of_others_is_given_zeros_and_ones():
    forest = RandomForestClassifier(5, random_state=0)
    expected = evaluators.WeightedKNN(weights=forest).fit(X, Y).weights_
    for labels in (WORDS, LISTS, 2 * Y - 1):
        np.testing.assert_array_equal(
            evaluators.WeightedKNN(weights=forest).fit(X, labels).weights_, expected
        )


def test_rows_held_back_have_the_labels_that_fit_saw():
    def held_back(labels):
        model = chains.MultiLabelXGB(n_estimators=20, n_iter_no_change=2)
        return model.fit(X[:40], LISTS[:40], validation=(X[40:], labels)).predict_proba(X)

    expected = held_back(Y[40:])
    for labels in (LISTS[40:], WORDS[40:], Y[NAMES[::-1]][40:]):
        np.testing.assert_array_equal(held_back(labels), expected)
    with pytest.raises(ValueError, match="label 'l4' is not a label that fit saw"):
        held_back([["l4"]] * 20)
    with pytest.raises(ValueError, match="indexes of X and y differ"):
        held_back(Y[39:59])


@pytest.mark.parametrize("method", [rankers.ReliefRanker, evaluators.WeightedKNN, evaluators.MLNB])
def test_lists_of_labels_find_their_classes_in_a_hierarchy(method):
    hierarchy = Hierarchy.from_edges([("top", "l3"), ("top", "l1")], ["l2"])
    columns = pd.DataFrame({name: Y.get(name, 0 * Y["l1"]) for name in hierarchy.names})
    estimator = method(hierarchy=hierarchy)
    fitted, found = learned_from(estimator, LISTS)
    assert found.tobytes() == learned_from(estimator, columns)[1].tobytes()
    assert fitted.label_names_in_.tolist() == list(hierarchy.names)
    with pytest.raises(ValueError, match="label 'l4' is not a class of the hierarchy"):
        clone(estimator).fit(X, [["l4"]] * 60)
    with pytest.raises(ValueError, match=r"another order .*; give y\[list\(hierarchy.names\)\]"):
        clone(estimator).fit(X, columns.iloc[:, ::-1])
