"""What is converted, kept or named in a notice while a table is read."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError

pytestmark = pytest.mark.filterwarnings("ignore::mlsieve.errors.DataNotice")


@pytest.mark.parametrize(
    ("content", "options", "column", "notice"),
    [
        (
            'a,b,l\n"1,234",2,0\n"2,500",3,1\n',
            {"decimal": "."},
            [1234, 2500],
            "commas between thousands: they were removed",
        ),
        ('a,b,l\n"1,234",2,0\n"2,500",3,1\n', {"decimal": ","}, [1.234, 2.5], ""),
        (
            'a,b,l\n"1,234,567",2,0\n"12,500",3,1\n',
            {},
            [1234567, 12500],
            "column 'a' has commas between thousands",
        ),
        ('a,b,l\n"1,234.5",2,0\n12,3,1\n', {}, [1234.5, 12], "column 'a' has commas between thousands"),
        ("a,b,l\n50%,2,0\n7.5 %,3,1\n", {}, [0.5, 0.075], "50% is read as 0.5"),
        ("a,b,l\n1970-01-03,2,0\n1970-01-01,3,1\n", {}, [2, 0], "days since 1970-01-01"),
        ("a,b,l\n1970-01-03T12:00:00Z,2,0\n1969-12-31 06:00,3,1\n", {}, [2.5, -0.75], "days since"),
        ("a;b;l\n1.234,5;2;0\n7;3;1\n", {"decimal": ","}, [1234.5, 7], ""),
        (
            'a,b,l\n"$1,234.50",2,0\n-$5,3,1\n',
            {},
            [1234.5, -5],
            "column 'a' has amounts in $: the sign was removed",
        ),
        (
            "a;b;l\n1.234,50 EUR;2;0\n7,5 EUR;3;1\n",
            {},
            [1234.5, 7.5],
            "column 'a' has amounts in EUR: the unit was removed",
        ),
        (
            "a,b,l\n1'234.5,2,0\n12,3,1\n",
            {},
            [1234.5, 12],
            "column 'a' has apostrophes between thousands: they were removed",
        ),
        ("a;b;l\n1\u202f234,5;2;0\n12;3;1\n", {}, [1234.5, 12], "spaces between thousands"),
        ("a;b;l\n1.234;2;0\n1.234,5;3;1\n", {}, [1234, 1234.5], "points between thousands"),
        ('a,b,l\n"12,5%",2,0\n"7,25%",3,1\n', {}, [0.125, 0.0725], "50% is read as 0.5"),
        (
            'a,b,l\n"0,125",2,0\n"0,250",3,1\n',
            {},
            [0.125, 0.25],
            "column 'a' has decimal commas: 1,5 is read as 1.5",
        ),
        (
            "a,b,l\n(5),2,0\n12,3,1\n",
            {},
            [-5, 12],
            "column 'a' has numbers in brackets: they are read as negative",
        ),
        ("a,b,l\n1970/01/03,2,0\n1970/1/1,3,1\n", {}, [2, 0], "days since 1970-01-01"),
        (
            "a,b,l\n31.12.1970,2,0\n1.1.1970,3,1\n",
            {},
            [364, 0],
            "column 'a' has dates with the day before the month: they are read as days since 1970-01-01",
        ),
        (
            "a;b;l\n31.12.1970 12:00;2,5;0\n1.1.1970, 18:00:00;3;1\n",
            {},
            [364.5, 0.75],
            "dates with the day before the month",
        ),
        (
            "a;b;l\n03.04.1970;1.234;0\n02.01.1970;1,5;1\n",
            {"decimal": ","},
            [92, 1],
            "dates: the day is assumed to come first; they are read as days since",
        ),
        (
            "a,b,l\n12/31/1970 6:00 PM,2,0\n1/2/1970,3,1\n",
            {},
            [364.75, 1],
            "dates with the month before the day",
        ),
        ("a,b,l\n31-12-1970,2,0\n02-01-1970,3,1\n", {}, [364, 1], "dates with the day before the month"),
        (
            "a,b,l\n0x1F,2,0\n0xA,3,1\n",
            {},
            [31, 10],
            "column 'a' has hexadecimal numbers: 0x1F is read as 31",
        ),
        ("a,b,l\n12:30:00,2,0\n1:15,3,1\n", {}, [12.5, 1.25], "12:30 is read as 12.5 hours"),
        ("a,b,l\n12:30 pm,2,0\n12:15 AM,3,1\n", {}, [12.5, 0.25], "12:30 is read as 12.5 hours"),
    ],
)
def test_a_conversion_is_announced(content, options, column, notice, tmp_path):
    (tmp_path / "d.csv").write_text(content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = load_dataset(tmp_path / "d.csv", label_count=-1, **options)
    np.testing.assert_allclose(dataset.X[:, 0], column)
    assert dataset.nominal.tolist() == [False, False]
    assert any(notice in str(each.message) for each in caught) if notice else True


def test_a_numeric_column_with_many_missing_cells_stays_numeric(tmp_path):
    rows = "".join(f"{'NA' if i % 10 else i},{i % 3},{i % 2}\n" for i in range(100))
    (tmp_path / "d.csv").write_text("a,b,l\n" + rows)
    dataset = load_dataset(tmp_path / "d.csv", label_count=-1)
    assert not dataset.nominal.any() and np.isnan(dataset.X[:, 0]).sum() == 90


def test_identifiers_and_constant_labels_are_named(tmp_path):
    rows = "".join(f"{i + 1},p{i},{i % 7},0,1,{i % 2}\n" for i in range(40))
    (tmp_path / "d.csv").write_text("number,person,a,never,always,l\n" + rows)
    with pytest.warns(DataNotice) as caught:
        dataset = load_dataset(tmp_path / "d.csv", label_count=-3)
    said = " / ".join(str(each.message) for each in caught)
    assert "2 features have a different value in each row, like an identifier: number, person" in said
    assert "label 'never' is constant, as no row has it" in said
    assert "label 'always' is constant, as every row has it" in said
    assert dataset.feature_names == ("number", "person", "a")


@pytest.mark.parametrize(
    ("content", "n_features", "first"),
    [
        ("1,5;2,5;0\n3,25;4,5;1\n5,5;6,5;0\n", 2, 1.5),
        ("2020-01-01,0.466,0\n2020-01-02,0.5,1\n2020-01-03,0.1,0\n", 2, 18262),
        ("31.12.1970,0.466,0\n01.01.1970 12:00,0.5,1\n02.01.1970,0.1,0\n", 2, 364),
        ("1%,2,0\n5%,3,1\n7%,4,0\n", 2, 0.01),
        ("p0,0.0,0\np1,1.5,1\np2,2.5,0\n", 2, 0),
        ("1.5,2,0\n2.5,3,1\n", 2, 1.5),
    ],
)
def test_the_first_row_of_a_file_without_a_header_is_kept(content, n_features, first, tmp_path):
    (tmp_path / "d.csv").write_text(content)
    with pytest.warns(DataNotice, match="there is no header"):
        dataset = load_dataset(tmp_path / "d.csv", label_count=-1)
    assert dataset.X.shape == (content.count("\n"), n_features) and dataset.X[0, 0] == first
    assert dataset.feature_names[0] == "column1"


def test_a_sheet_is_read_as_a_text_table_is(tmp_path):
    sheet = pd.DataFrame([[1.5, 2, 0], [2.5, 3, 1], [3.5, 4, 0]])
    sheet.to_excel(tmp_path / "d.xlsx", index=False, header=False)
    with pytest.warns(DataNotice, match="there is no header"):
        dataset = load_dataset(tmp_path / "d.xlsx", label_count=-1)
    np.testing.assert_array_equal(dataset.X, [[1.5, 2], [2.5, 3], [3.5, 4]])
    sheet.set_axis(["a", "a", "l"], axis=1).to_excel(tmp_path / "d.xlsx", index=False)
    with pytest.raises(UserError, match="column 'a' occurs twice"):
        load_dataset(tmp_path / "d.xlsx", label_count=-1)


@pytest.mark.parametrize("name", ["d.csv", "d.xlsx", "d.parquet"])
def test_a_missing_token_counts_in_every_table(name, tmp_path):
    frame = pd.DataFrame({"a": [1.0, -999.0, 3.0], "b": [1, 2, -999], "l": [0, 1, 0]})
    writers = {"d.csv": frame.to_csv, "d.xlsx": frame.to_excel, "d.parquet": frame.to_parquet}
    writers[name](tmp_path / name, index=False)
    tokens = ["-999", "-999.0"]
    dataset = load_dataset(tmp_path / name, label_count=-1, missing=tokens)
    np.testing.assert_array_equal(dataset.X, [[1, 1], [np.nan, 2], [3, np.nan]])


def test_many_columns_alike_are_one_notice(tmp_path):
    header = ";".join([*(f"f{j}" for j in range(300)), "l"])
    rows = "".join(";".join([*(f"{i},{j % 10}5" for j in range(300)), str(i % 2)]) + "\n" for i in range(4))
    (tmp_path / "d.csv").write_text(f"{header}\n{rows}")
    with pytest.warns(DataNotice) as caught:
        load_dataset(tmp_path / "d.csv", label_count=-1)
    said = [str(each.message) for each in caught if "decimal commas" in str(each.message)]
    words = "300 columns have decimal commas: 1,5 is read as 1.5 ('f0', 'f1', 'f2', 'f3', 'f4', ...)"
    assert len(said) == 1 and words in said[0]


def test_sets_of_labels_do_not_decide_the_separator(tmp_path):
    (tmp_path / "d.csv").write_text("a,tags\n1,x;y\n2,y;z\n")
    dataset = load_dataset(tmp_path / "d.csv", label_column="tags")
    assert dataset.label_names == ("x", "y", "z") and dataset.feature_names == ("a",)


def test_customer_numbers_are_named(tmp_path):
    rows = "".join(f"{100_000 + 37 * (i * 7 % 40)},{i % 5},{i % 2}\n" for i in range(40))
    (tmp_path / "d.csv").write_text("customer,a,l\n" + rows)
    with pytest.warns(DataNotice, match="'customer' has a different value in each row, like an identifier"):
        load_dataset(tmp_path / "d.csv", label_count=-1)


@pytest.mark.parametrize(
    ("cells", "sets"),
    [
        (["x;y", "y", ""], [{"x", "y"}, {"y"}, set()]),
        (["['x', 'y']", "['y']", "[]"], [{"x", "y"}, {"y"}, set()]),
        (['c("x", "y")', "y", "character(0)"], [{"x", "y"}, {"y"}, set()]),
    ],
)
def test_sets_of_labels_are_read_as_python_and_r_print_them(cells, sets, tmp_path):
    pd.DataFrame({"a": [1, 2, 3], "tags": cells}).to_csv(tmp_path / "d.csv", index=False)
    dataset = load_dataset(tmp_path / "d.csv", label_column="tags")
    found = [{dataset.label_names[j] for j in np.flatnonzero(row)} for row in dataset.Y.toarray()]
    assert found == sets


def test_lists_in_a_columnar_file_are_sets_of_labels(tmp_path):
    pd.DataFrame({"a": [1, 2, 3], "tags": [["x", "y"], ["x"], []]}).to_parquet(tmp_path / "d.parquet")
    dataset = load_dataset(tmp_path / "d.parquet", label_column="tags")
    assert dataset.label_names == ("x", "y") and dataset.Y.toarray().tolist() == [[1, 1], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    "cells, options",
    [
        (["a;b", "b", "a", "a;c", "b;c"], "--label-column 'tags' --label-separator ';'"),
        (["a|b", "b", "a|b|c", "c", "a|c"], "--label-column 'tags' --label-separator '|'"),
        (["['a', 'b']", "['b']", "[]", "['a', 'c']", "['b', 'c']"], "--label-column 'tags'"),
        (["x", "y", "x", "y", "x"], None),
        (["Paris; France", "Lyon; France", "Rome; Italy", "Bari; Italy", "Paris; France"], None),
        (["1;2", "2;3", "1;3", "3;1", "2;1"], None),
        (["good; cheap", "well made, I like it", "bad", "ok; but slow", "never again"], None),
        (["(a)", "(b)", "(a)", "(c)", "b"], None),
    ],
)
def test_a_note_on_features_that_look_like_sets_of_labels(cells, options, tmp_path):
    frame = pd.DataFrame({"tags": cells * 4, "size": [1.5, 2, 4, 3] * 5, "y": [0, 1] * 10})
    frame.to_csv(tmp_path / "d.csv", index=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_dataset(tmp_path / "d.csv", labels="y")
    found = [str(each.message) for each in caught if "looks like sets of labels" in str(each.message)]
    assert len(found) == (options is not None)
    assert options is None or f"({options} if these are the labels)" in found[0]
