"""Rows and labels of people's files that could be misread without a word."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError

pytestmark = pytest.mark.filterwarnings("ignore::mlsieve.errors.DataNotice")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(path: str, **options: Any) -> tuple[Any, str]:
    """Return a dataset, and the notices on the way in one text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = load_dataset(path, **options)
    return dataset, "\n".join(str(each.message) for each in caught if each.category is DataNotice)


def write(text: str, name: str = "d.csv") -> str:
    Path(name).write_text(text)
    return name


def refusal(path: str, **options: Any) -> str:
    with pytest.raises(UserError) as error:
        load_dataset(path, **options)
    return str(error.value)


def label_sets(path: str, **options: Any) -> list[list[str]]:
    dataset = load_dataset(path, **options)
    return [[dataset.label_names[j] for j in row.indices] for row in dataset.Y]


def test_a_row_without_labels_and_features_comes_back_from_svmlight():
    write("f1,f2,y1,y2\n1,2,1,0\n0,0,0,0\n0,3,0,1\n")
    assert main(["convert", "d.csv", "d.svm", "--labels", "y1,y2"]) == 0
    assert load_dataset("d.svm").Y.toarray().tolist() == [[1, 0], [0, 0], [0, 1]]
    X, Y = np.array([[1.0, 0], [0, 0], [0, 2], [0, 0]]), sp.csr_matrix([[1, 0], [0, 0], [0, 1], [1, 1]])
    dump_svmlight_file(X, Y, "s.svm", multilabel=True)
    dataset, notes = read("s.svm")
    assert dataset.X.shape[0] == 4 and "empty line" not in notes


def test_empty_lines_of_svmlight_are_mentioned():
    write("1 1:2\n\n2 2:1\n", "d.svm")
    dataset, notes = read("d.svm")
    assert dataset.X.shape[0] == 2 and "1 empty line left out" in notes


def test_a_label_that_is_written_otherwise_than_positive_says_is_refused():
    write("a,y,z\n1,pos,0\n2,neg,1\n3,pos,1\n")
    assert "label 'z' is never 'pos': its values are 0, 1; write" in refusal(
        "d.csv", labels="y,z", positive="pos"
    )
    write("a,y,z\n1,pos,neg\n2,neg,neg\n3,pos,\n")
    assert load_dataset("d.csv", labels="y,z", positive="pos").Y.toarray().tolist() == [
        [1, 0],
        [0, 0],
        [1, 0],
    ]


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["set()", "{'a', 'b'}", "{'b'}"], [[], ["a", "b"], ["b"]]),
        (["frozenset()", "frozenset({'a', 'b'})", "frozenset({'b'})"], [[], ["a", "b"], ["b"]]),
        (["[]", "['a' 'b']", "['b']"], [[], ["a", "b"], ["b"]]),
        (["[]", '["a, x", "b"]', '["b"]'], [[], ["a, x", "b"], ["b"]]),
        (["character(0)", 'c("a", "b")', "b"], [[], ["a", "b"], ["b"]]),
        (["array([], dtype=object)", "array(['a', 'b'], dtype=object)", "['b']"], [[], ["a", "b"], ["b"]]),
    ],
)
def test_lists_of_labels_as_programs_print_them(cells, expected):
    pd.DataFrame({"f": [1, 2, 3], "tags": cells}).to_csv("d.csv", index=False)
    assert label_sets("d.csv", label_column="tags") == expected


def test_a_name_that_ends_as_the_word_for_a_list_is_a_name():
    write('f,tags\n1,"disc(rock);a"\n2,list(x) of y;a\n')
    assert label_sets("d.csv", label_column="tags") == [["a", "disc(rock)"], ["a", "list(x) of y"]]


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@pytest.mark.parametrize("separator", [None, ";"])
def test_labels_in_a_list_are_not_divided(ending, separator):
    lists = [["red; green", 'a "b"'], ["it's", "x,y|z"], [], ["red; green", "\\c"]]
    frame = pd.DataFrame({"f": [1, 2, 3, 4], "tags": lists})
    getattr(frame, f"to_{ending}")(f"d.{ending}")
    found = label_sets(f"d.{ending}", label_column="tags", label_separator=separator)
    assert found == [sorted(labels) for labels in lists]


@pytest.mark.parametrize(
    "lists, words",
    [
        ([["a"], ["b", None]], "row 2 of column 'tags' lists a missing value; leave it out of the list"),
        ([[1.0], [2.0, None]], "row 2 of column 'tags' lists a missing value; leave it out of the list"),
        ([[["a"]], [["b"]]], "row 1 of column 'tags' lists ['a'], which is no label; give lists of names"),
    ],
)
def test_what_no_list_of_labels_may_hold(lists, words):
    pd.DataFrame({"f": [1, 2], "tags": lists}).to_parquet("d.parquet")
    assert refusal("d.parquet", label_column="tags") == f"d.parquet: {words}"


@pytest.mark.parametrize("cells", [["[0, 1, 1]", "[1, 0, 0]"], ["0;1;1", "1;0;0"], ["[0 1]", "[1 0]"]])
def test_lists_of_zeros_and_ones_are_refused(cells):
    pd.DataFrame({"f": [1, 2], "tags": cells}).to_csv("d.csv", index=False)
    separator = " " if " " in cells[0] and "," not in cells[0] else None
    assert "lists of 0 and 1, not the names" in refusal(
        "d.csv", label_column="tags", label_separator=separator
    )


def test_a_label_separator_may_be_a_word():
    write("f,tags\n1,a b\n2,c a\n")
    assert label_sets("d.csv", label_column="tags", label_separator="space") == [["a", "b"], ["a", "c"]]


def test_a_note_on_a_label_separator_that_never_occurs():
    write("f,tags\n1,a;b\n2,c;a\n")
    _, notes = read("d.csv", label_column="tags", label_separator="|")
    assert "no cell of column 'tags' has the label separator '|'" in notes


def test_files_with_different_label_separators_are_refused():
    write("f,tags\n1,a;b\n2,c;a\n")
    write('f,tags\n1,"a,b"\n2,c\n', "t.csv")
    assert refusal("d.csv", test="t.csv", label_column="tags").startswith("t.csv: holds 'a,b', and labels")
    assert load_dataset("d.csv", test="t.csv", label_column="tags", label_separator=";").Y.shape == (4, 4)


def test_a_column_of_label_sets_is_recognised_among_labels():
    write("f,y\n1,a;b\n2,a\n3,b\n")
    assert "sets of labels: --label-column 'y'" in refusal("d.csv", labels="y")


NESTED = '<labels><label name="a"><label name="b"></label></label><label name="c"></label></labels>'
ARFF = (
    "@relation r\n@attribute f numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute c {0,1}\n@data\n"
    "1,0,1,0\n2,1,0,0\n3,0,0,1\n"
)


def test_a_note_on_a_label_without_the_one_above_it():
    write(ARFF, "n.arff"), write(NESTED, "n.xml")
    dataset, notes = read("n.arff", labels="n.xml")
    assert dataset.label_cardinality > 1 and "1 row with a label but not the one above it" in notes


def test_a_tree_of_labels_comes_back_from_mulan_files(capsys):
    write(ARFF, "n.arff"), write(NESTED, "n.xml")
    assert main(["convert", "n.arff", "o.arff", "--labels", "n.xml"]) == 0
    before, after = load_dataset("n.arff", labels="n.xml"), load_dataset("o.arff", labels="o.xml")
    assert (after.task, after.label_names) == ("hmlc", before.label_names)
    assert after.hierarchy.parents(1).tolist() == before.hierarchy.parents(1).tolist()
    assert not Path("o-hierarchy.csv").exists()
    capsys.readouterr()
    assert main(["convert", "n.arff", "o.csv", "--labels", "n.xml"]) == 0
    assert "3 rows (read it with --hierarchy o-hierarchy.csv)" in capsys.readouterr().err


def test_a_table_of_texts_without_a_header_keeps_its_first_row():
    write("red,round,yes\nblue,flat,no\ngreen,round,yes\n")
    dataset, notes = read("d.csv", label_count=-1)
    assert dataset.X.shape[0] == 3 and "there is no header" in notes
    write("colour,form,sweet\nblue,flat,no\ngreen,round,yes\n")
    assert load_dataset("d.csv", label_count=-1).feature_names == ("colour", "form")


def test_errors_in_the_cells_of_a_sheet_are_mentioned():
    book = openpyxl.Workbook()
    for row in (["a", "b", "y"], [1, 2, 0], ["#DIV/0!", 3, 1], [2, "#N/A", 0]):
        book.active.append(row)
    book.save("d.xlsx")
    dataset, notes = read("d.xlsx", labels="y")
    assert np.isnan(dataset.X).sum() == 2
    assert "1 cell with an error such as #DIV/0! in column 'a', the first in row 3" in notes


TEXTS = (
    "@relation r\n@attribute id string\n@attribute d date 'dd.MM.yyyy HH:mm'\n@attribute f numeric\n"
    "@attribute k key\n@attribute y {0,1}\n@data\n'x, 1','31.12.2020 12:00',2,k1,0\n?,?,3,k2,1\n"
)


def test_text_attributes_are_left_out_and_dates_are_days():
    write(TEXTS, "d.arff")
    dataset, notes = read("d.arff", labels="y", drop=["id,k"])
    assert dataset.feature_names == ("d", "f")
    assert dataset.X[:, 1].tolist() == [2, 3]
    assert dataset.X[0, 0] == 18627.5 and np.isnan(dataset.X[1, 0])
    assert "attribute 'd' has dates" in notes
    assert load_dataset("d.arff", labels="y", keep=["f"]).feature_names == ("f",)


def test_a_text_attribute_that_is_not_left_out_is_refused_with_the_way_out():
    write(TEXTS, "d.arff")
    assert (
        "d.arff:2: attribute 'id' has the unsupported type 'string'; write it as nominal {a,b,...},"
        " or leave it out (--drop 'id')" in refusal("d.arff", labels="y")
    )
    for form in ("QQ.MM", "yy.MM"):  # unknown, and a second year
        write(TEXTS.replace("dd.MM.yyyy", f"{form}.yy"), "d.arff")
        what = "d.arff:3: attribute 'd' has the unsupported type"
        assert what in refusal("d.arff", labels="y", drop=["id,k"])


def test_text_attributes_of_sparse_files_are_left_out():
    write(TEXTS.partition("@data")[0] + "@data\n{0 'x, 1',2 5,3 k1}\n{4 1}\n", "d.arff")
    assert load_dataset("d.arff", labels="y", drop=["id", "k", "d"]).X.toarray().tolist() == [[5], [0]]


def test_arff_rows_with_tabs_between_the_values():
    write("@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n1\t0\n2\t1\n", "d.arff")
    assert load_dataset("d.arff", labels="y").X.ravel().tolist() == [1, 2]
