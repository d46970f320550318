"""DataFrames as estimators and datasets take them: categories, names and missing cells."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from mlsieve import chains, evaluators, rankers, selectors
from mlsieve.data import Dataset
from mlsieve.errors import DataNotice
from mlsieve.rankers.dataset_rankings import rank_dataset

N = 90
RANKERS = [
    rankers.PCTForestRanker(n_estimators=8),
    rankers.PCTForestRanker(n_estimators=8, ensemble="extra-trees"),
    rankers.ReliefRanker(m=1.0, k=5),
    rankers.MLXGBRanker(rounds=3),
    selectors.SCLS(),
    selectors.MLCFS(),
    selectors.PPTRelief(p=1),
]
CLASSIFIERS = [
    evaluators.WeightedKNN(k=5),
    evaluators.MLNB(),
    chains.RDTDynamicChain(n_estimators=20),
    chains.XDCC(n_estimators=2),
    chains.MultiLabelXGB(n_estimators=3),
    chains.BinaryRelevance(),
]


def name_of(estimator):
    return type(estimator).__name__


def problem(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "length": rng.random(N).round(2),
            "count": rng.integers(0, 5, N),
            "flag": rng.random(N) < 0.5,
            "colour": rng.choice(["red", "green", "blue"], N),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], N), categories=["S", "M", "L"], ordered=True),
            "whole": pd.array(rng.integers(0, 3, N), dtype="Int64"),
            "known": pd.array(rng.random(N) < 0.5, dtype="boolean"),
        }
    )
    labels = pd.DataFrame(
        {"is red": (frame["colour"] == "red").astype(int), "long": (frame["length"] > 0.5).astype(int)}
    )
    frame.loc[3:7, ["length", "colour", "size", "whole", "known"]] = None
    return frame, labels


def coded(frame):
    """Return the same data as an array, and which columns are nominal."""
    places = {"colour": ["blue", "green", "red"], "size": ["S", "M", "L"]}
    columns = []
    for name in frame.columns:
        column = frame[name].astype(object)
        if name in places:
            column = column.map({value: place for place, value in enumerate(places[name])})
        columns.append([np.nan if pd.isna(cell) else float(cell) for cell in column])
    return np.array(columns).T, np.array([name in places for name in frame.columns])


@pytest.mark.parametrize("ranker", RANKERS, ids=name_of)
def test_a_frame_is_ranked_as_its_codes_are(ranker):
    frame, labels = problem()
    X, nominal = coded(frame)
    ours = clone(ranker).fit(frame, labels)
    theirs = clone(ranker).set_params(nominal=nominal).fit(X, labels.to_numpy())
    assert ours.feature_importances_.tobytes() == theirs.feature_importances_.tobytes()
    assert len(np.unique(ours.feature_importances_)) > 3
    assert ours.feature_names_in_.tolist() == list(frame.columns)
    assert ours.label_names_in_.tolist() == ["is red", "long"]


@pytest.mark.parametrize("ranker", RANKERS[2:], ids=name_of)
def test_permuted_columns_give_the_permuted_result(ranker):
    frame, labels = problem()
    order = np.random.default_rng(1).permutation(frame.columns)
    one, other = clone(ranker).fit(frame, labels), clone(ranker).fit(frame[order], labels)
    found = dict(zip(order, other.feature_importances_, strict=True))
    np.testing.assert_allclose(one.feature_importances_, [found[name] for name in frame.columns], atol=1e-12)


@pytest.mark.parametrize("estimator", [*RANKERS, *CLASSIFIERS], ids=name_of)
def test_the_order_of_declared_categories_matters_for_trees_alone(estimator):
    """As docs/questions.md says; of categories that separate equally well, trees take the first."""
    frame, labels = problem()
    labels["is blue"] = (frame["colour"] == "blue").astype(int)
    frame["noise"] = np.random.default_rng(2).choice(list("abcdef"), N)
    found = []
    for reverse in (False, True):
        turned = frame.assign(
            **{
                name: pd.Categorical(frame[name], sorted(frame[name].dropna().unique(), reverse=reverse))
                for name in ("colour", "size", "noise")
            }
        )
        fitted = clone(estimator).fit(turned, labels)
        found.append(fitted.feature_importances_ if estimator in RANKERS else fitted.predict_proba(turned))
    trees = (rankers.PCTForestRanker, rankers.MLXGBRanker, chains.RDTDynamicChain, chains.XDCC)
    trees += (chains.MultiLabelXGB, chains.BinaryRelevance)
    assert isinstance(estimator, trees) or found[0].tobytes() == found[1].tobytes()
    assert not isinstance(estimator, rankers.PCTForestRanker) or (found[0] != found[1]).any()


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name_of)
def test_rows_to_predict_have_the_codes_that_fit_learned(classifier):
    frame, labels = problem()
    X, nominal = coded(frame)
    ours = clone(classifier).fit(frame, labels)
    theirs = clone(classifier).set_params(nominal=nominal).fit(X, labels.to_numpy())
    # Of these rows the texts alone would have other positions: 'red' is the only one.
    rows = frame[(frame["colour"] == "red") | frame["colour"].isna()]
    assert set(rows["colour"].dropna()) == {"red"}
    expected = theirs.predict_proba(X[rows.index])
    assert ours.predict_proba(rows).tobytes() == expected.tobytes()
    as_category = rows.assign(colour=pd.Categorical(rows["colour"]))
    assert ours.predict_proba(as_category).tobytes() == expected.tobytes()


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name_of)
def test_an_unknown_category_is_missing_and_a_warning_names_it(classifier):
    frame, labels = problem()
    fitted = clone(classifier).fit(frame, labels)
    missing = fitted.predict_proba(frame.assign(colour=None))
    with pytest.warns(UserWarning, match="'colour' holds the unknown category 'pink'"):
        assert fitted.predict_proba(frame.assign(colour="pink")).tobytes() == missing.tobytes()


def test_texts_in_a_numeric_column_and_other_columns_are_refused():
    frame, labels = problem()
    fitted = evaluators.WeightedKNN(k=5).fit(frame, labels)
    with pytest.raises(ValueError, match="'length' holds categories, and held numbers before"):
        fitted.predict(frame.assign(length="long"))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame.rename(columns={"length": "width"}))
    with pytest.raises(ValueError):
        fitted.predict(frame.drop(columns="length"))
    with pytest.raises(ValueError, match="held numbers before"):
        evaluators.WeightedKNN(k=5).fit(np.zeros((N, 1)), labels).predict(frame[["colour"]])


def test_declared_categories_count_as_those_of_a_dataset_do():
    frame, labels = problem()
    frame["size"] = frame["size"].cat.add_categories(["XL", "XXL"])
    data = Dataset.from_frame(frame, labels)
    assert data.categories[4] == ("S", "M", "L", "XL", "XXL")
    ours = rankers.ReliefRanker(m=1.0, k=5).fit(frame, labels)
    theirs = rank_dataset(data, "relief", {"m": 1.0, "k": 5}).rankings[0]
    assert ours.feature_importances_.tobytes() == theirs.scores.tobytes()
    fewer = rankers.ReliefRanker(m=1.0, k=5).fit(problem()[0], labels)
    assert fewer.feature_importances_[4] != ours.feature_importances_[4]


def test_a_frame_of_numbers_is_its_array_whatever_its_types():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 5, (N, 4)).astype(float), rng.integers(0, 2, (N, 2))
    X[4, :] = np.nan
    expected = evaluators.WeightedKNN(k=5).fit(X, Y).predict_proba(X)
    plain = pd.DataFrame(X, columns=list("abcd"))
    frames = [
        plain,
        plain.astype("Float64"),
        plain.astype("Int64"),
        plain.astype(object).where(plain.notna(), None),
        plain.astype({"a": "Int64", "b": object, "c": "Float32"}),
        plain.astype(pd.SparseDtype("float64", 0.0)),
        plain.astype({"a": pd.SparseDtype("float64", 0.0)}),
    ]
    for frame in frames:
        fitted = evaluators.WeightedKNN(k=5).fit(frame, Y)
        np.testing.assert_array_equal(fitted.predict_proba(frame), expected)
        np.testing.assert_array_equal(fitted.predict_proba(plain), expected)


@pytest.mark.parametrize(
    "values, message",
    [
        (pd.Timestamp("2024-01-01"), "'when' holds dates; give numbers"),
        (pd.Timedelta(1), "'when' holds durations"),
        (1j, "'when' holds complex numbers"),
        ([1, "a"] * (N // 2), "'when' holds texts and other values such as 1"),
        ([["a"]] * N, r"'when' holds values such as \['a'\] \(list\); give one column for each value"),
        ([{"a": 1}, "a"] * (N // 2), r"'when' holds values such as \{'a': 1\} \(dict\)"),
        ([("a",)] * N, r"'when' holds values such as \('a',\)"),
        (pd.Categorical([1, "1"] * (N // 2)), "'when' has two categories that read '1'"),
        (np.inf, "infin"),
    ],
)
def test_what_is_neither_number_nor_category_is_refused(values, message):
    frame, labels = problem()
    frame["when"] = values
    with pytest.raises(ValueError, match=message):
        Dataset.from_frame(frame, labels)
    with pytest.raises(ValueError, match=message):
        selectors.SCLS().fit(frame, labels)


def test_a_selection_of_a_frame_is_its_codes_or_its_columns():
    frame, labels = problem()
    X, _ = coded(frame)
    selector = selectors.SCLS(n_features_to_select=3).fit(frame, labels)
    kept = selector.get_support()
    assert selector.get_feature_names_out().tolist() == frame.columns[kept].tolist()
    np.testing.assert_array_equal(selector.transform(frame), X[:, kept])
    selector.set_output(transform="pandas")
    pd.testing.assert_frame_equal(selector.transform(frame), frame.loc[:, kept])


def test_pipelines_and_cross_validation_take_frames():
    frame, labels = problem()
    selector = selectors.SCLS(n_features_to_select=2).set_output(transform="pandas")
    scores = cross_val_score(
        make_pipeline(selector, evaluators.WeightedKNN(k=5)), frame, labels, error_score="raise"
    )
    assert scores.shape == (5,) and scores.mean() > 0.8  # the labels follow from two columns


def test_a_saved_chain_knows_its_categories(tmp_path):
    frame, labels = problem()
    chain = chains.RDTDynamicChain(n_estimators=20).fit(frame, labels)
    chain.save(tmp_path / "chain.npz")
    loaded = chains.RDTDynamicChain.load(tmp_path / "chain.npz")
    rows = frame[frame["colour"] == "red"]
    assert loaded.predict_proba(rows).tobytes() == chain.predict_proba(rows).tobytes()


def test_names_of_labels_go_when_an_array_is_fitted():
    frame, labels = problem()
    model = evaluators.WeightedKNN(k=5).fit(frame, labels)
    assert not hasattr(model.fit(frame, labels.to_numpy()), "label_names_in_")
    assert not hasattr(model.fit(coded(frame)[0], sp.csr_array(labels.to_numpy())), "feature_names_in_")


@pytest.mark.parametrize("method", [*RANKERS[:3], selectors.SCLS(), *CLASSIFIERS], ids=repr)
def test_tables_of_arrow_are_read_as_those_of_pandas(method):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"text": rng.choice(["a", "b", None], N), "x": rng.random(N)})
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], N))
    y = pd.DataFrame({"l": (X["x"] > 0.5).astype(int), "m": (X["text"] == "a").astype(int)})
    of_arrow = [pyarrow.Table.from_pandas(table) for table in (X, y)]
    expected, found = clone(method).fit(X, y), clone(method).fit(*of_arrow)
    for name in ("transform", "predict_proba", "predict"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(found, name)(of_arrow[0]), getattr(expected, name)(X))
    if hasattr(expected, "score"):
        assert found.score(*of_arrow) == expected.score(X, y)
    datasets = [Dataset.from_frame(*tables) for tables in ((X, y), of_arrow)]
    assert datasets[0].categories == datasets[1].categories
    np.testing.assert_array_equal(datasets[0].X, datasets[1].X)


def test_a_table_that_pandas_cannot_have_is_refused_in_one_sentence():
    class Stream:
        def __arrow_c_stream__(self):
            raise NotImplementedError

        def to_pandas(self):
            raise ImportError("No module named 'pyarrow'")

    with pytest.raises(
        ValueError, match=r"Stream cannot be converted to pandas \(No module named 'pyarrow'\); "
    ):
        rankers.ReliefRanker().fit(Stream(), [0, 1])


LONG = np.array([[1, 2**60], [2, 2**60 + 1], [3, 5]])
KINDS_OF_TABLES = {
    "frame": pd.DataFrame(LONG, columns=["a", "id"]),
    "frame with missing cells": pd.DataFrame(
        {"a": [0.5, 1, 2], "id": pd.array([2**60, 2**60 + 1, None], "Int64")}
    ),
    "frame of objects": pd.DataFrame(
        {"a": [0.5, 1, 2], "id": pd.Series([2**60, 2**60 + 1, None], dtype=object)}
    ),
    "frame of Arrow": pyarrow.table({"a": [0.5, 1, 2], "id": [2**60, 2**60 + 1, None]}),
    "sparse frame": pd.DataFrame(LONG, columns=["a", "id"]).astype(pd.SparseDtype("int64", 0)),
    "array": LONG,
    "array without signs": LONG.astype(np.uint64),
    "sparse array": sp.csr_array(LONG),
    "list": LONG.tolist(),
}


@pytest.mark.parametrize("kind", KINDS_OF_TABLES)
def test_a_note_on_whole_numbers_that_become_one_however_they_are_given(kind):
    table, y = KINDS_OF_TABLES[kind], np.array([[0, 1], [1, 0], [1, 1]])
    name = "id" if "frame" in kind else "x1"
    said = (
        f"column '{name}' has whole numbers of more than 15 digits: some different ones are read as the same"
    )
    with pytest.warns(DataNotice, match=said):
        Dataset.from_frame(table, y)
    with pytest.warns(DataNotice, match=said):
        rankers.PCTForestRanker(n_estimators=1).fit(table, y)


def test_whole_numbers_of_different_parts_become_one():
    y = np.array([[0, 1], [1, 0], [1, 1]])
    with pytest.warns(DataNotice, match="'x1' has whole numbers of more than 15 digits"):
        Dataset.from_frame(LONG[:1], y[:1], test=(LONG[1:], y[1:]))


def test_long_codes_are_categories_of_their_own():
    codes = pd.DataFrame({"id": pd.Categorical([2**60, 2**60 + 1, 2**60])})
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataNotice)
        table = Dataset.from_frame(codes, np.array([[0, 1], [1, 0], [1, 1]]))
    assert table.categories == ((str(2**60), str(2**60 + 1)),)
