"""Files of MATLAB: which matrices are read, which way round, and what is refused."""

from __future__ import annotations

import struct
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat
from scipy.io.matlab import MatlabObject

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.catalog import entry_from
from mlsieve.errors import DataNotice, UserError
from mlsieve.study.parts import Data

pytestmark = pytest.mark.usefixtures("elsewhere")

RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(12, 4)), 3) * (RNG.random((12, 4)) < 0.7)
Y = (RNG.random((12, 3)) < 0.4).astype(float)
Y[0], Y[1] = 1, 0  # each label occurs in both parts, and lacks in both
Y[8], Y[9] = 1, 0
SIGNED = 2 * Y - 1


def read(path="d.mat", **options):
    """Return a dataset, and what is said of its file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataNotice)
        found = load_dataset(path, **options)
    return found, " | ".join(str(each.message) for each in caught)


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


KINDS = {
    "X and Y": {"X": X, "Y": Y},
    "data and target, a column for each example": {"data": X, "target": SIGNED.T.astype(np.int16)},
    "both a column for each example": {"fea": X.T, "gnd": Y.T},
    "sparse": {"features": sp.csc_array(X), "labels": sp.csc_array(Y).astype(bool)},
    "sparse labels of -1 and 1": {"X": sp.csc_array(X), "Y": sp.csc_array(SIGNED.T)},
    "whole numbers and truth values": {"data": np.rint(X).astype(np.int8), "target": Y.astype(bool)},
    "a further matrix": {"data": X, "partial_target": np.ones((3, 12)), "target": Y.T, "name": "toy"},
    "train and test": {
        "train_data": X[:8],
        "train_target": SIGNED[:8].T,
        "test_data": X[8:],
        "test_target": SIGNED[8:].T,
    },
    "names with the part behind": {"Xtr": X[:8], "Ytr": Y[:8], "Xte": X[8:], "Yte": Y[8:]},
    "training labels that are square": {
        "x_train": X[:3],
        "y_train": Y[:3].T,
        "x_test": X[3:],
        "y_test": Y[3:].T,
    },
}


SAVED = ({}, {"do_compression": True})


@pytest.mark.parametrize("kind", KINDS)
def test_matrices_are_read_whichever_way_round(kind):
    given = KINDS[kind]
    n_train = 3 if "square" in kind else 8 if kind.startswith(("train", "names")) else 12
    for options in SAVED:
        savemat("d.mat", given, **options)
        found, said = read()
        np.testing.assert_array_equal(dense(found.X), np.rint(X) if "whole" in kind else X)
        np.testing.assert_array_equal(found.Y.toarray(), Y)
        assert found.feature_names == ("x1", "x2", "x3", "x4") and found.label_names == ("y1", "y2", "y3")
        assert found.is_sparse == any(map(sp.issparse, given.values()))
        assert found.n_train == n_train and found.official_split == (n_train < 12)
        assert found.facts["whole"] == (n_train == 12)
        assert "read from it: features" in said and "(--x and --y name others)" in said


def test_what_is_transposed_is_said():
    savemat("d.mat", {"data": X, "target": Y.T})
    assert "'target' has a column for each example" in read()[1]
    savemat("d.mat", {"data": X, "target": Y})
    assert "column for each example" not in read()[1]


SQUARE = {
    "data": ({"data": X[:4], "target": Y[:4]}, (X[:4], Y[:4]), "the rows of 'data',"),
    "data, and labels turned": ({"data": X[:4], "target": Y[:4].T}, (X[:4], Y[:4]), "the rows of 'data',"),
    "labels": ({"data": X[:3], "target": Y[:3].T}, (X[:3], Y[:3].T), "the rows of 'target',"),
    "labels, and data turned": ({"data": X[:3].T, "target": Y[:3]}, (X[:3], Y[:3]), "the rows of 'target',"),
    "both": (
        {"data": X[:3, :3], "target": Y[:3].T},
        (X[:3, :3], Y[:3].T),
        "the rows of 'data' and the rows of 'target',",
    ),
    "as many features as labels": (
        {"data": X[:, :3], "target": Y},
        (X[:, :3], Y),
        "the rows of 'data' and the rows of 'target',",
    ),
}


@pytest.mark.parametrize("kind", SQUARE)
def test_where_both_ways_round_fit_rows_are_examples_and_a_note_says_so(kind):
    given, (features, labels), told = SQUARE[kind]
    savemat("d.mat", given)
    found, said = read()
    np.testing.assert_array_equal(found.X, features)
    np.testing.assert_array_equal(found.Y.toarray(), labels)
    assert f"the examples are {told} though the other way round would fit too" in said
    savemat("d.mat", {"data": X, "target": Y.T})
    assert "other way round" not in read()[1]


def test_square_data_are_turned_where_the_test_part_says_so():
    given = {"train_data": X[:4].T, "train_target": Y[:4].T, "test_data": X[4:].T, "test_target": Y[4:].T}
    savemat("d.mat", given)
    found, said = read()
    np.testing.assert_array_equal(found.X, X)
    assert "'train_data' has a column for each example" in said and "other way round" not in said


@pytest.mark.parametrize("options", SAVED)
def test_the_fields_of_a_struct_are_variables(options):
    other = {
        "X": X[:, :2],
        "Y": Y[:, :2],
        "note": "no matrix",
        "empty": [],
        "cell": np.array([X, "a"], dtype=object),
    }
    savemat("d.mat", {"data": {"X": X, "Y": Y}, "more": {"inner": other}, "id": 3.0}, **options)
    found, said = read()
    np.testing.assert_array_equal(found.X, X)
    assert "features 'data.X', labels 'data.Y'" in said
    for names in ({"x": "more.inner.X", "y": "more.inner.Y"}, {"x": "more.inner.X"}, {"y": "more.inner.Y"}):
        found, said = read(**names)
        np.testing.assert_array_equal(found.X, X[:, :2])
        np.testing.assert_array_equal(found.Y.toarray(), Y[:, :2])
    with pytest.raises(UserError) as caught:
        read(x="data", y="data.Y")
    assert caught.value.hint == "name a field of it: data.X, data.Y"
    savemat("d.mat", {"s": {"A": X, "B": sp.csc_array(Y)}}, **options)
    with pytest.raises(UserError) as caught:
        read()
    assert "s.A (12 x 4 double), s.B (12 x 3 sparse)" in caught.value.hint
    np.testing.assert_array_equal(read(x="s.A", y="s.B")[0].X, X)
    savemat("d.mat", {"train": {"X": X[:8], "Y": Y[:8]}, "test": {"X": X[8:], "Y": Y[8:]}}, **options)
    found, _ = read()
    np.testing.assert_array_equal(found.X, X)
    assert found.n_train == 8


NAMES = {"feature_names": ["längs", "b", "日本", "d e"], "label_names": ["sea", "beach", "x1"]}


@pytest.mark.parametrize("form", ["cells", "rows of letters", "fields"])
def test_lists_of_names_are_those_of_features_and_labels(form):
    lists = {
        name: np.array(texts, dtype=object if form != "rows of letters" else None)
        for name, texts in NAMES.items()
    }
    given = {"X": X, "Y": Y.T, **lists}
    savemat("d.mat", {"s": given, "label_names": ["a", "b"]} if form == "fields" else given)
    found, said = read(drop=["d*"])
    assert found.feature_names == tuple(NAMES["feature_names"][:3])
    assert found.label_names == tuple(NAMES["label_names"])
    assert "the labels are named by '" in said and "does not name" not in said


NO_NAMES = {
    "too few": ["a", "b"],
    "twice the same": ["a", "b", "a"],
    "an empty one": ["a", "", "c"],
    "numbers": [1.0, 2.0, 3.0],
    "other cells": [X, "b", "c"],
}


@pytest.mark.parametrize("kind", NO_NAMES)
def test_lists_that_do_not_fit_are_no_names(kind):
    names = np.empty(len(NO_NAMES[kind]), dtype=object)
    names[:] = NO_NAMES[kind]
    savemat("d.mat", {"X": X, "Y": Y, "label_names": names})
    found, said = read()
    assert found.label_names == ("y1", "y2", "y3")
    assert "'label_names' does not name the labels, as it is no list of 3 different texts" in said


def test_variables_of_any_name():
    savemat("d.mat", {"A": X, "B": Y, "data": X[:, :2], "target": Y[:, :2]})
    found, said = read(x="A", y="B")
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.Y.toarray(), Y)
    assert "read from it" not in said
    found, said = read(y="B")  # the other one is found
    np.testing.assert_array_equal(found.X, X[:, :2])
    savemat("d.mat", KINDS["train and test"])
    found, _ = read(x="test_data", y="test_target")
    np.testing.assert_array_equal(found.X, X[8:])
    assert not found.official_split


def test_a_file_for_each_part():
    savemat("a.mat", {"train_data": X[:8], "train_target": Y[:8]})
    savemat("b.mat", {"test_data": X[8:], "test_target": Y[8:]})
    for options in ({}, {"x": "train_data", "y": "train_target"}):
        found, _ = read("a.mat", test="b.mat", **options)
        np.testing.assert_array_equal(found.X_test, X[8:])
        np.testing.assert_array_equal(found.Y_test.toarray(), Y[8:])
    savemat("a.mat", KINDS["train and test"])
    found, _ = read({"id": "both", "train": "a.mat", "test": "a.mat"})
    assert found.n_train == 8
    np.testing.assert_array_equal(found.X, X)
    with pytest.raises(UserError) as caught:
        read("a.mat", test="b.mat")
    assert caught.value.file == "a.mat" and "--x train_data" in caught.value.hint


def test_the_value_of_a_set_label():
    savemat("d.mat", {"X": X, "Y": 2 * Y + 1})
    with pytest.raises(UserError) as caught:
        read()
    assert (caught.value.file, caught.value.line) == ("d.mat", 1)
    np.testing.assert_array_equal(read(positive="3")[0].Y.toarray(), Y)
    missing = SIGNED.copy()
    missing[4, 1] = 0  # as where some labels are unknown
    savemat("d.mat", {"X": X, "Y": missing})
    with pytest.raises(UserError) as caught:
        read()
    assert "y2" in caught.value.what and caught.value.hint


def hdf():
    return b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + b"\x89HDF\r\n\x1a\n" + bytes(600)


def bomb():
    """Return a file whose variable unpacks to many times its size."""
    savemat("b.mat", {"X": X})
    packed = zlib.compress(struct.pack("<II", 14, 1 << 28) + bytes((1 << 28) + (1 << 20)), 9)
    return Path("b.mat").read_bytes()[:128] + struct.pack("<II", 15, len(packed)) + packed


def saved(version="5", **variables):
    savemat("s.mat", variables, format=version)
    return Path("s.mat").read_bytes()


def nested(depth):
    found = {"X": X, "Y": Y}
    for _ in range(depth):
        found = {"s": found}
    return found


def with_numbers(old, new):
    """Return a file with a sparse matrix some of whose numbers, as they stand in it, are others."""
    content = saved(X=sp.csc_array(([1.0, 2, 3], [5, 6, 7], [0, 3]), shape=(12, 1)), Y=Y)
    before, after = (struct.pack(f"<{len(each)}i", *each) for each in (old, new))
    assert content.count(before) == 1
    return content.replace(before, after)


REFUSED = {
    "an object": (
        lambda: saved(X=MatlabObject(np.array([(X,)], dtype=[("X", object)]), "own"), Y=Y),
        *({"x": "X", "y": "Y"}, "--x"),
    ),
    "four structs within each other": (lambda: saved(**nested(4)), {}, "s.s.s.s (1 x 1 struct)"),
    "a row beyond the last": (lambda: with_numbers((5, 6, 7), (5, 6, 12)), {}, "copy"),
    "a row before the first": (lambda: with_numbers((5, 6, 7), (-1, 6, 7)), {}, "copy"),
    "more cells than there are": (lambda: with_numbers((0, 3), (0, 9)), {}, "copy"),
    "more rows than memory": (lambda: with_numbers((12, 1), (2**31 - 1, 1)), {}, "copy"),
    "version 7.3": (hdf, {}, "-v7"),
    "version 4": (lambda: saved("4", X=X, Y=Y), {}, "-v7"),
    "unpacks without end": (bomb, {}, "-v6"),
    "cut": (lambda: saved(X=X, Y=Y)[:400], {}, "copy"),
    "no labels": (lambda: saved(X=X, Z=Y), {}, "--y"),
    "no features": (lambda: saved(A=X, Y=Y), {}, "--x"),
    "nothing of the kind": (lambda: saved(A=X, B=Y), {}, "A (12 x 4 double)"),
    "an unknown name": (lambda: saved(X=X, Y=Y), {"x": "x"}, "did you mean 'X'"),
    "cells": (lambda: saved(X=np.array([[X, X]], dtype=object), Y=Y), {"x": "X", "y": "Y"}, "--x"),
    "three sides": (lambda: saved(X=np.ones((12, 2, 2)), Y=Y), {}, "--x"),
    "complex numbers": (lambda: saved(X=X + 1j, Y=Y), {}, "X (12 x 4 complex double)"),
    "other rows": (lambda: saved(X=X, Y=Y[:7]), {}, "--x"),
    "another width": (lambda: saved(**{**KINDS["train and test"], "test_data": X[8:, :2]}), {}, "--x"),
    "named labels": (lambda: saved(X=X, Y=Y), {"labels": "y1"}, "leave them out"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused(kind):
    content, options, hint = REFUSED[kind]
    Path("d.mat").write_bytes(content())
    with pytest.raises(UserError) as caught:
        read(**options)
    assert caught.value.file == "d.mat" and hint in caught.value.hint


def test_the_commands_and_studies_take_the_names(capsys):
    savemat("d.mat", {"A": X, "B": Y.T})
    words = ["--x", "A", "--y", "B"]
    assert main(["convert", "d.mat", "d.csv", *words]) == 0
    np.testing.assert_array_equal(load_dataset("d.csv", label_count=-3).X, X)
    assert main(["rank", "d.mat", *words, "--method", "uniform", "-o", "r.csv"]) == 0
    files = {"id": "mine", "all": "d.mat", "x": "A", "y": "B"}
    np.testing.assert_array_equal(read(files)[0].Y.toarray(), Y)
    assert "--x=A" in Data("mine", files).prepare_options()
    with pytest.raises(UserError):
        entry_from({**files, "format": "csv"})
    capsys.readouterr()
    assert main(["describe", "d.csv", "--label-count", "-3", *words]) == 2
    assert "d.csv" in capsys.readouterr().err
