"""Datasets of DataFrames and arrays: labels, parts, hierarchies, and what a notebook shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlsieve.data import Dataset
from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers.dataset_rankings import rank_dataset


def frame():
    return pd.DataFrame({"width": [1.5, None, 0.0, 2.0], "colour": ["red", "blue", None, "red"]})


LABELS = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])


def test_names_categories_and_missing_cells_are_kept():
    data = Dataset.from_frame(frame(), pd.DataFrame(LABELS, columns=["a", "b"]), name="toy")
    np.testing.assert_array_equal(data.X, [[1.5, 1], [np.nan, 0], [0, np.nan], [2, 1]])
    np.testing.assert_array_equal(data.Y.toarray(), LABELS)
    assert data.feature_names == ("width", "colour") and data.label_names == ("a", "b")
    assert data.nominal.tolist() == [False, True] and data.categories == ((), ("blue", "red"))
    assert data.train_mask.all() and not data.official_split and data.name == "toy"


def test_every_form_of_labels_gives_the_same_matrix():
    table = pd.DataFrame(LABELS, columns=["a", "b"])
    sets = [["a"], ["b"], ["b", "a", "a"], []]
    named = [
        table,
        table.astype(bool),
        table.astype("Int64"),
        table.astype({"a": bool}),
        table.astype("boolean"),
        pd.Series(sets),
        sets,
        [set(row) for row in sets],
    ]
    for labels in named:
        data = Dataset.from_frame(frame(), labels)
        np.testing.assert_array_equal(data.Y.toarray(), LABELS)
        assert data.label_names == ("a", "b") and data.Y.dtype == np.uint8 and data.Y.nnz == LABELS.sum()
    for labels in (LABELS, LABELS.astype(bool), LABELS.tolist(), sp.csr_array(LABELS), sp.coo_array(LABELS)):
        data = Dataset.from_frame(frame(), labels)
        np.testing.assert_array_equal(data.Y.toarray(), LABELS)
        assert data.label_names == ("y0", "y1")
    single = Dataset.from_frame(frame(), pd.Series([True, False, False, True], name="late"))
    assert single.label_names == ("late",) and single.Y.toarray().ravel().tolist() == [1, 0, 0, 1]


def test_a_test_part_has_the_codes_and_labels_of_the_training_part():
    other = pd.DataFrame({"width": [3.0], "colour": ["amber"]})
    data = Dataset.from_frame(frame(), [["b"], ["a"], [], ["a"]], test=(other, [["c", "a"]]))
    assert data.categories[1] == ("blue", "red", "amber")  # codes of the training part do not move
    assert data.label_names == ("a", "b", "c") and data.official_split
    assert data.train_mask.tolist() == [True] * 4 + [False]
    np.testing.assert_array_equal(data.X_test, [[3.0, 2.0]])
    assert data.Y_test.toarray().tolist() == [[1, 0, 1]]
    table, one = pd.DataFrame(LABELS, columns=["a", "b"]), pd.DataFrame({"b": [1], "a": [0]})
    assert Dataset.from_frame(frame(), table, test=(other, one)).Y_test.toarray().tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="the columns of the two frames differ"):
        Dataset.from_frame(frame(), table, test=(other[["colour", "width"]], one))
    with pytest.raises(ValueError, match=r"label '[ac]' is in one part"):
        Dataset.from_frame(frame(), table, test=(other, one.rename(columns={"a": "c"})))
    with pytest.raises(ValueError, match="'colour' is nominal in one frame and numeric in the other"):
        Dataset.from_frame(frame(), table, test=(other.assign(colour=1), one))


def test_a_mask_selects_the_training_part():
    mask = [True, False, True, True]
    data = Dataset.from_frame(frame(), LABELS, train_mask=mask)
    assert data.n_train == 3 and data.official_split
    np.testing.assert_array_equal(data.Y_test.toarray(), LABELS[1:2])
    for wrong in ([1, 0, 1, 1], [True], "all"):
        with pytest.raises(ValueError, match="train_mask has the shape"):
            Dataset.from_frame(frame(), LABELS, train_mask=wrong)
    with pytest.raises(ValueError, match="pair of X and y"):
        Dataset.from_frame(frame(), LABELS, train_mask=mask, test=(frame(), LABELS))


def test_a_hierarchy_closes_the_labels_and_may_have_further_classes():
    edges = [("weather", "rain"), ("weather", "sun")]
    hierarchy = Hierarchy.from_edges(edges)
    sets = [["rain"], ["sun", "rain"], [], ["rain"]]
    for given in (edges, hierarchy):
        data = Dataset.from_frame(frame(), sets, hierarchy=given)
        place = {name: column for column, name in enumerate(data.label_names)}
        Y = data.Y.toarray()
        assert data.task == "hmlc" and set(place) == {"weather", "rain", "sun"}
        assert Y[:, place["weather"]].tolist() == [1, 1, 0, 1]
        assert Y[:, place["rain"]].tolist() == [1, 1, 0, 1] and Y[:, place["sun"]].tolist() == [0, 1, 0, 0]
    with pytest.raises(ValueError, match="label 'fog' is not a class"):
        Dataset.from_frame(frame(), [["fog"], [], [], []], hierarchy=hierarchy)


def test_arrays_and_sparse_data_are_taken_too():
    X = np.array([[0, 1.0], [2, 0], [0, 0], [0, np.nan]])
    dense = Dataset.from_frame(X, LABELS)
    sparse = Dataset.from_frame(sp.coo_array(X), LABELS)
    columns = Dataset.from_frame(pd.DataFrame(X).astype(pd.SparseDtype("float64", 0.0)), LABELS)
    assert dense.feature_names == ("x0", "x1") and columns.feature_names == ("0", "1")
    assert sparse.is_sparse and columns.is_sparse and not dense.is_sparse
    for other in (sparse, columns):
        np.testing.assert_array_equal(other.X.toarray(), dense.X)
        scores = [rank_dataset(data, "relief", {}).rankings[0].scores for data in (dense, other)]
        assert scores[0].tobytes() == scores[1].tobytes()


def test_a_dataset_of_frames_can_be_saved(tmp_path):
    data = Dataset.from_frame(frame(), [["a"], ["b"], [], ["a"]])
    data.save(tmp_path / "data.npz")
    again = Dataset.load(tmp_path / "data.npz")
    np.testing.assert_array_equal(again.X, data.X)
    assert again.categories == data.categories and again.label_names == data.label_names


@pytest.mark.parametrize(
    "labels, message",
    [
        (LABELS[:3], "X has 4 rows, y has 3"),
        (LABELS * 2, "y holds 2 in row 0, not 0 or 1"),
        (pd.DataFrame({"a": [0, 1, None, 1]}), "label 'a' holds nan in row 2"),
        (pd.DataFrame({"a": ["0", "2", "0", "1"]}), "label 'a' holds '2' in row 1"),
        (pd.DataFrame({"a": ["yes", "no", "maybe", "no"]}), "label 'a' holds 'maybe' in row 2, not 0 or 1"),
        (pd.DataFrame({"a": ["yes", "no", pd.NA, "no"]}), "label 'a' holds nan in row 2, not 0 or 1"),
        (pd.DataFrame({"a": [-1, 0, 1, 1]}), "label 'a' holds -1 in row 0, not 0 or 1"),
        ([["a"], [pd.NA], [], ["b"]], "the labels of row 1 contain a missing value"),
        (pd.Series(["sun", "rain", "sun", "sun"]), "holds 'sun' in row 0, not 0 or 1; give 0/1 columns"),
        (pd.Series([["sun"], "rain", [], []]), "labels of row 1 are 'rain', not a list"),
        (pd.Series([["sun"], None, [], []]), "labels of row 1 are None, not a list; give an empty list"),
        (pd.DataFrame(LABELS, columns=["a", "a"]), "two labels are called 'a'"),
        (pd.DataFrame(LABELS, index=[3, 2, 1, 0]), r"give y.loc\[X.index\]"),
    ],
)
def test_wrong_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        Dataset.from_frame(frame(), labels)


def test_wrong_features_are_refused():
    with pytest.raises(ValueError, match="two columns are called 'width'"):
        Dataset.from_frame(frame().set_axis(["width", "width"], axis=1), LABELS)
    with pytest.raises(ValueError, match="X contains a value that is not a number"):
        Dataset.from_frame(np.array([["a"], ["b"], ["c"], ["d"]]), LABELS)
    with pytest.raises(ValueError, match="the same columns in each part"):
        Dataset.from_frame(np.zeros((4, 2)), LABELS, test=(np.zeros((4, 3)), LABELS))


def test_a_notebook_shows_a_short_summary():
    data = Dataset.from_frame(frame(), LABELS, name="<toy>", train_mask=[True, True, True, False])
    assert repr(data) == "<Dataset '<toy>': 3 training and 1 test row, 2 features, 2 labels>"
    page = data._repr_html_()
    assert "<toy>" not in page and "&lt;toy&gt;" in page and "width, colour" in page
    wide = Dataset.from_frame(np.zeros((4, 5000)), LABELS)
    assert len(wide._repr_html_()) < 2000


@pytest.mark.parametrize(
    "cells",
    [
        ["yes", "no", "No"],
        ["TRUE", "FALSE", "FALSE"],
        ["TRUE", "0", "FALSE"],
        pd.Categorical(["t", "f", "f"]),
        pd.array(["Y", "N", "N"], dtype="string"),
        [1, -1, -1],
        [1.0, -1.0, -1.0],
    ],
)
def test_labels_are_written_as_in_files(cells):
    X = pd.DataFrame({"x": [1, 2, 3]})
    for Y in (pd.DataFrame({"l": cells}), pd.Series(cells, name="l")):
        data = Dataset.from_frame(X, Y)
        assert data.Y.toarray().tolist() == [[1], [0], [0]] and data.label_names == ("l",)


@pytest.mark.parametrize("Y", [pd.DataFrame({"l": []}), np.zeros((0, 2)), []])
def test_no_rows_are_refused(Y):
    with pytest.raises(ValueError, match="X and y have no rows"):
        Dataset.from_frame(pd.DataFrame({"x": []}), Y)


def test_frames_of_other_indexes_are_refused():
    Y = pd.DataFrame(LABELS, columns=["a", "b"])
    others = ([2, 3, 4, 5], [10, 11, 12, 13], [0, 0, 0, 0], ["0", "1", "2", "3"], [0, 1, 2, pd.NA])
    for index in others:
        other = Y.set_axis(index)
        for X, labels in ((frame().set_axis(index), Y), (frame(), other), (frame(), other["a"])):
            with pytest.raises(
                ValueError, match=r"the indexes of X and y differ: .*\.reset_index\(drop=True"
            ):
                Dataset.from_frame(X, labels)
    with pytest.raises(ValueError, match=r"indexes of X and y differ: row 0 is 0 in X and 1 in y"):
        Dataset.from_frame(frame(), Y, test=(frame(), Y.set_axis([1, 2, 3, 4])))
    with pytest.raises(ValueError, match="indexes of X and train_mask differ"):
        Dataset.from_frame(frame(), Y, train_mask=pd.Series([True] * 4, index=[1, 2, 3, 4]))
    with pytest.raises(ValueError, match=r"X has 3 rows, y has 4; give y.loc\[X.index\]"):
        Dataset.from_frame(frame().iloc[1:], Y)


def test_equal_indexes_in_any_order_and_arrays_are_accepted():
    order = [2, 0, 3, 1]
    X, Y = frame().iloc[order], pd.DataFrame(LABELS, columns=["a", "b"]).iloc[order]
    for labels in (Y, Y.to_numpy(), Y.to_numpy().tolist(), Y.set_axis(pd.Index(order, dtype="Int64"))):
        np.testing.assert_array_equal(Dataset.from_frame(X, labels).Y.toarray(), LABELS[order])
    twice = X.set_axis([7, 7, 1, 1])
    np.testing.assert_array_equal(Dataset.from_frame(twice, Y.set_axis(twice.index)).Y.toarray(), Y)


def test_nothing_to_rank_or_to_predict_is_refused(tmp_path):
    for labels in (pd.DataFrame(LABELS)[[]], LABELS[:, :0], sp.csr_array((4, 0)), [[], [], [], []]):
        with pytest.raises(ValueError, match="y has no labels; give at least one column"):
            Dataset.from_frame(frame(), labels)
    for X in (frame()[[]], np.zeros((4, 0)), sp.csr_array((4, 0))):
        with pytest.raises(ValueError, match="X has no features; give at least one column"):
            Dataset.from_frame(X, LABELS)
    data = Dataset.from_frame(frame(), LABELS)
    for empty, what in (
        (replace(data, Y=data.Y[:, :0], label_names=()), "labels"),
        (
            replace(data, X=data.X[:, :0], nominal=data.nominal[:0], categories=(), feature_names=()),
            "features",
        ),
    ):
        with pytest.raises(ValueError, match=f"has no {what}"):
            empty.save(tmp_path / "data.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong, message",
    [
        (None, "is None, not a table; give a pandas DataFrame"),
        (3, "is of the type int, not a table"),
        ("table.csv", "is the text or path 'table.csv', not a table; read the file first"),
        ({"a": [0, 1, 0, 1]}, "is a mapping, not a table; give pandas.DataFrame"),
        (np.array(1), "is of the type ndarray, not a table"),
    ],
)
def test_what_is_no_table_is_refused(wrong, message):
    with pytest.raises(ValueError, match=f"X {message}"):
        Dataset.from_frame(wrong, LABELS)
    with pytest.raises(ValueError, match=f"y {message}"):
        Dataset.from_frame(frame(), wrong)
    with pytest.raises(ValueError, match=f"X {message}"):
        Dataset.from_frame(frame(), LABELS, test=(wrong, LABELS))


def test_a_dataset_is_not_saved_over_the_file_of_another_program(tmp_path):
    data = Dataset.from_frame(frame(), LABELS)
    notes, arrays = tmp_path / "notes.npz", tmp_path / "arrays.npz"
    notes.write_text("mine")
    np.savez(arrays, a=np.ones(3))
    for path in (notes, arrays):
        before = path.read_bytes()
        with pytest.raises(UserError, match="is there already, and is not known to be mlsieve's; choose"):
            data.save(path)
        assert path.read_bytes() == before
    data.save(arrays, overwrite=True)
    data.save(arrays)  # one of mlsieve's own
    assert Dataset.load(arrays).label_names == data.label_names


def test_a_dataset_is_saved_under_a_name_that_ends_in_npz(tmp_path):
    with pytest.raises(
        UserError, match=r"d\.csv: is not the name of an array file; give a name that ends in"
    ):
        Dataset.from_frame(frame(), LABELS).save(tmp_path / "d.csv")
    assert not list(tmp_path.iterdir())


def test_rows_of_a_matrix_are_no_lists_of_labels():
    signs, words = [[-1, 1, 1], [1, -1, 1]], [["no", "yes", "yes"], ["yes", "no", "yes"]]
    for rows in (signs, words, [[0, 1, 1], [1, 0, 1]]):
        data = Dataset.from_frame(np.zeros((2, 1)), rows)
        assert data.Y.toarray().tolist() == [[0, 1, 1], [1, 0, 1]] and data.label_names == ("y0", "y1", "y2")
    with pytest.raises(ValueError, match="y holds 2 in row 1, not 0 or 1"):
        Dataset.from_frame(np.zeros((2, 1)), [[0, 1, 1], [2, 0, 0]])
    with pytest.raises(ValueError, match=r"labels of row 0 hold 0\.5, which is no label"):
        Dataset.from_frame(np.zeros((2, 1)), [[0.5, 1], [2, 0]])
    assert Dataset.from_frame(np.zeros((2, 1)), [[7, 5], [3, 7]]).label_names == ("3", "5", "7")
