"""From files to the canonical dataset: label rules, categories over train and test, layouts, bad input."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.data import Dataset, load_dataset
from mlsieve.errors import DataNotice, UserError
from mlsieve.study import Data

HEADER = (
    "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@attribute l1 {0,1}\n@attribute l2 {0,1}\n@data\n"
)
SPARSE = HEADER + "{0 2,2 1}\n{1 y,3 1}\n{}\n"
DENSE = HEADER + "2,x,1,0\n0,y,0,1\n0,x,0,0\n"


@pytest.fixture
def write(tmp_path):
    def write_file(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def test_labels_by_mulan_xml(tiny_files):
    arff, xml = tiny_files
    dataset = load_dataset(arff, labels=xml)
    assert dataset.name == "tiny"
    assert dataset.label_names == ("sun", "rain")  # in the order of the ARFF file
    assert dataset.feature_names == ("first feature", "colour", "x3")
    assert dataset.categories == ((), ("red", "green", "blue"), ())
    assert dataset.nominal.tolist() == [False, True, False]
    np.testing.assert_array_equal(dataset.X, [[1.5, 0, 0], [2.5, 1, 1], [np.nan, 2, 2], [-0.001, 0, 3]])
    assert dataset.X.flags.c_contiguous and dataset.X.dtype == np.float64
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 0], [0, 1], [1, 1], [0, 0]])
    assert dataset.Y.dtype == np.uint8 and dataset.Y.nnz == 4
    assert dataset.train_mask.all() and not dataset.official_split and dataset.facts["whole"]


@pytest.mark.parametrize("text", [DENSE, SPARSE])
def test_layout_follows_the_file(write, text):
    dataset = load_dataset(write("d.arff", text), label_count=-2)
    assert dataset.is_sparse == (text is SPARSE)
    np.testing.assert_array_equal(dense(dataset.X), [[2, 0], [0, 1], [0, 0]])
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 0], [0, 1], [0, 0]])


def test_label_count_first_and_meka_option(write):
    text = "@relation 'm: -C 1 -V'\n@attribute l {0,1}\n@attribute a numeric\n@data\n1,5\n0,6\n"
    for options in ({}, {"format": "meka"}, {"label_count": 1}):
        dataset = load_dataset(write("m.arff", text), **options)
        assert dataset.label_names == ("l",)
        np.testing.assert_array_equal(dataset.Y.toarray(), [[1], [0]])
    last = (
        text.replace("-C 1", "-C -1")
        .replace("l {0,1}", "z {0,1}")
        .replace("a numeric", "l {0,1}")
        .replace("5\n", "1\n")
    )
    assert load_dataset(write("m.arff", last.replace("0,6", "0,0"))).label_names == ("l",)


@pytest.mark.parametrize(
    "declared, rows", [("{0,1}", "{1 1}\n{}\n"), ("{1,0}", "{}\n{1 0}\n"), ("numeric", "{1 1}\n{}\n")]
)
def test_the_order_of_a_labels_declaration_counts(write, declared, rows):
    text = f"@relation r\n@attribute a numeric\n@attribute l {declared}\n@data\n{rows}"
    np.testing.assert_array_equal(load_dataset(write("s.arff", text), label_count=-1).Y.toarray(), [[1], [0]])
    text = f"@relation r\n@attribute a numeric\n@attribute l {declared}\n@data\n5,1\n5,0\n"
    np.testing.assert_array_equal(load_dataset(write("d.arff", text), label_count=-1).Y.toarray(), [[1], [0]])


@pytest.mark.parametrize("declared, value", [("{0}", 0), ("{1}", 1)])
def test_constant_labels(write, declared, value):
    text = f"@relation r\n@attribute a numeric\n@attribute l {declared}\n@data\n{{0 3}}\n{{}}\n"
    np.testing.assert_array_equal(
        load_dataset(write("s.arff", text), label_count=-1).Y.toarray(), [[value]] * 2
    )


def test_train_valid_and_test(write):
    train, valid, test = (
        write(f"{n}.arff", HEADER + f"{i},x,1,0\n") for i, n in enumerate(("train", "valid", "test"))
    )
    dataset = load_dataset(train, valid=valid, test=test, label_count=-2)
    assert dataset.official_split and not dataset.facts["whole"]
    np.testing.assert_array_equal(dataset.X[:, 0], [0, 1, 2])
    assert dataset.train_mask.tolist() == [True, True, False]


@pytest.mark.parametrize(
    "train_text, test_text", [(DENSE, DENSE), (SPARSE, SPARSE), (SPARSE, DENSE), (DENSE, SPARSE)]
)
def test_categories_are_fixed_over_train_and_test(write, train_text, test_text):
    """The test file declares another order and one value more: what is meant stays what it was."""
    other = test_text.replace("{x,y}", "{y,z,x}")
    if test_text is SPARSE:  # the default is now y
        other = (
            other.replace("{0 2,2 1}", "{0 2,1 x,2 1}")
            .replace("{1 y,3 1}", "{3 1}")
            .replace("\n{}", "\n{1 z}")
        )
    else:
        other = other.replace("0,x,0,0", "0,z,0,0")
    dataset = load_dataset(write("train.arff", train_text), test=write("test.arff", other), label_count=-2)
    assert dataset.categories[1] == ("x", "y", "z")
    assert dataset.is_sparse == (train_text is SPARSE)
    np.testing.assert_array_equal(dense(dataset.X)[:, 1], [0, 1, 0, 0, 1, 2])
    np.testing.assert_array_equal(dense(dataset.X)[:, 0], [2, 0, 0, 2, 0, 0])


def test_merging_keeps_missing_values(write):
    header = "@relation r\n@attribute c {%s}\n@attribute l {0,1}\n@data\n"
    train = write("train.arff", header % "x,y" + "{0 y}\n{0 ?}\n")
    test = write("test.arff", header % "y,x" + "{0 ?}\n{}\n{0 x}\n")
    dataset = load_dataset(train, test=test, label_count=-1)
    np.testing.assert_array_equal(dense(dataset.X)[:, 0], [1, np.nan, np.nan, 1, 0])


def test_drop_and_name(write):
    dataset = load_dataset(write("d.arff", DENSE), label_count=-2, drop=["a"], name="mine")
    assert (dataset.name, dataset.feature_names) == ("mine", ("c",))


def test_prepared_file_round_trip(write, tmp_path):
    dataset = load_dataset(write("d.arff", SPARSE), label_count=-2)
    dataset.save(tmp_path / "d.npz")
    again = load_dataset(tmp_path / "d.npz")
    assert isinstance(again, Dataset) and again.categories == dataset.categories
    np.testing.assert_array_equal(dense(again.X), dense(dataset.X))


def test_csv(write):
    train = write("d.csv", "age,colour,l1,l2\n3,red,1,0\n,blue,0,1\n4.5,?,1,1\n")
    test = write("t.csv", 'age,colour,l1,l2\n1,"azure, light",0,0\n')
    dataset = load_dataset(train, test=test, label_count=-2)
    assert dataset.categories == ((), ("azure, light", "blue", "red"))
    np.testing.assert_array_equal(dataset.X, [[3, 2], [np.nan, 1], [4.5, np.nan], [1, 0]])
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 0], [0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    "text, words",
    [
        ("a,l\n1,0\n2\n", "d.csv:3: too few values: 1 for 2 columns"),
        ("a,l\n7,0,5\n", "d.csv:2: too many values"),
        ("a,a\n1,0\n", "d.csv:1: column 'a' occurs twice"),
        ("a,l\n", "no header row or no rows"),
        ("", "no header row or no rows"),
        ('a,l\n"1,0\n', "not valid CSV"),
        ("a,l\n1,maybe\n", "label 'l' has the values {maybe}, not {0,1}"),
        ("a,l\n1,0\n1,2\n", "d.csv:3: label 'l' is 2, not 0 or 1"),
        ("a,l\n1,0\n1,?\n", "d.csv:3: label 'l' is missing, not 0 or 1"),
    ],
)
def test_bad_csv(write, text, words):
    with pytest.raises(UserError) as caught:
        load_dataset(write("d.csv", text), label_count=-1)
    assert words in str(caught.value)


MIXED = "age,colour,l\n3,red,1\n4,1,0\n?,2,0\nforty,blue,1\n5.5,green,0\n"


def test_a_number_column_with_another_value_is_an_error(write):
    """Colour has 2 numbers in 5 cells, age 3 in 4: the first is nominal, the second a slip."""
    with pytest.raises(UserError) as caught:
        load_dataset(write("d.csv", MIXED), label_count=-1)
    assert "d.csv:5: column 'age' holds 'forty', but numbers in 3 of 4 rows; correct the cell" in str(
        caught.value
    )
    assert "declare the column nominal (--nominal 'age')" in str(caught.value)
    with pytest.warns(DataNotice, match="column 'colour' has numbers beside values such as 'red'"):
        corrected = load_dataset(write("c.csv", MIXED.replace("forty", "?")), label_count=-1)
    assert corrected.categories == ((), ("1", "2", "blue", "green", "red"))
    np.testing.assert_array_equal(corrected.X[:, 0], [3, 4, np.nan, np.nan, 5.5])
    with pytest.warns(DataNotice, match="column 'colour' has numbers beside"):
        dropped = load_dataset(write("d.csv", MIXED), label_count=-1, drop=["age"])
    assert dropped.feature_names == ("colour",)


@pytest.mark.parametrize("word", ["none", "1_000", "1,5,5"])
def test_half_the_cells_are_enough_and_the_test_part_counts(write, word):
    train = write("d.csv", "a,l\n1,0\n")
    test = write("t.csv", f'a,l\n\n"{word}",1\n')
    with pytest.raises(UserError, match=rf"t\.csv:3: column 'a' holds '{word}', but numbers in 1 of 2 rows"):
        load_dataset(train, test=test, label_count=-1)


def test_names_are_compared_before_types(write):
    """Reordered columns would put words among the numbers; what is wrong is their order."""
    train = write("d.csv", "a,b,l\n1,x,0\n2,y,1\n3,z,0\n")
    test = write("t.csv", "b,a,l\nx,1,0\n")
    with pytest.raises(UserError, match=r"t\.csv:1: column 1 is 'b', but 'a' in .*d\.csv:1;"):
        load_dataset(train, test=test, label_count=-1)


@pytest.mark.parametrize("labels", [{"label_count": -1}, {"labels": "l.xml"}])
def test_a_mixed_label_is_told_as_a_label(write, tmp_path, monkeypatch, labels):
    monkeypatch.chdir(tmp_path)
    write("l.xml", '<labels><label name="l"/></labels>')
    with pytest.raises(UserError) as caught:
        load_dataset(write("d.csv", "a,l\n1,0\n2,maybe\n3,1\n"), **labels)
    assert str(caught.value).partition("d.csv")[2] == (
        ":3: label 'l' is 'maybe', not 0 or 1; check which attributes are labels;"
        " a label must be 0 or 1 in every row"
    )


@pytest.mark.parametrize(
    "text", ["a,l\n1,0\n2,1\n{},1\n", "a,l\n1,0\n2,1\n1,{}\n", "a,l\n1,{}\n", "a,{0},{0}\n1,1,1\n"]
)
def test_long_values_are_cut_in_messages(write, text):
    with pytest.raises(UserError) as caught:
        load_dataset(write("d.csv", text.format("x" * 5_000)), label_count=-1)
    assert "x" * 57 + "..." in str(caught.value) and "x" * 58 not in str(caught.value)


def test_declared_nominal_columns(write):
    path = write("d.csv", MIXED)
    with pytest.warns(DataNotice, match="column 'colour' has numbers beside"):
        dataset = load_dataset(path, label_count=-1, nominal=["age"])
    assert dataset.categories[0] == ("3", "4", "5.5", "forty")
    codes = load_dataset(write("n.csv", "a,l\n7,0\n3,1\n"), label_count=-1, nominal=["a"])
    assert codes.categories == (("3", "7"),)
    entry = {"id": "mine", "format": "csv", "all": str(path), "label_count": -1, "nominal": ["age"]}
    with pytest.warns(DataNotice, match="column 'colour' has numbers beside"):
        assert load_dataset(entry).categories == dataset.categories
    with pytest.raises(UserError, match=r"d\.csv: no column 'agee'; did you mean 'age'\?"):
        load_dataset(path, label_count=-1, nominal=["agee"])
    with pytest.raises(UserError, match=r"e\.arff: --nominal does not apply to an ARFF file; declare it"):
        load_dataset(write("e.arff", DENSE), label_count=-2, nominal=["a"])
    with pytest.raises(UserError, match="--nominal cannot be combined with synthetic-linear; leave it out"):
        load_dataset("synthetic-linear", nominal=["a"])


def test_declared_nominal_columns_reach_the_commands(write, tmp_path, capsys):
    path = write("d.csv", MIXED)
    words = ["rank", str(path), "--label-count=-1", "--method", "uniform", "-o", str(tmp_path / "r.csv")]
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(f"mlsieve: {path}:5: column 'age' holds 'forty'")
    assert main([*words, "--nominal", "age"]) == 0
    data = Data("mine", {"all": str(path), "label_count": -1, "nominal": ["age"]})
    prepared = str(tmp_path / "p.npz")
    assert main(["prepare", *shlex.split(data.prepare_options()), "-o", prepared]) == 0
    assert load_dataset(prepared).categories[0] == ("3", "4", "5.5", "forty")


def test_csv_needs_to_know_its_labels(write):
    with pytest.raises(UserError, match="does not say which attributes are labels"):
        load_dataset(write("d.csv", "a,l\n1,0\n"))


@pytest.mark.parametrize(
    "change, words",
    [
        (("l1 {0,1}", "l1 {0,1,2}"), "train.arff:4: label 'l1' has the values {0,1,2}, not {0,1}"),
        (("l1 {0,1}", "l1 {no,maybe,0,1}"), "label 'l1' has the values {no,maybe,0,1}, not {0,1}"),
        (("2,x,1,0", "2,x,?,0"), "train.arff:7: label 'l1' is missing, not 0 or 1"),
    ],
)
def test_labels_that_are_not_binary(write, change, words):
    with pytest.raises(UserError) as caught:
        load_dataset(write("train.arff", DENSE.replace(*change)), label_count=-2)
    assert words in str(caught.value)


@pytest.mark.parametrize("value", ["2", "0.5", "-1"])
@pytest.mark.parametrize("row", ["3,{}", "{{1 {}}}"])
def test_numeric_labels_must_be_0_or_1(write, value, row):
    text = (
        "@relation r\n@attribute a numeric\n@attribute l numeric\n@data\n"
        + row.format("0")
        + "\n"
        + row.format(value)
    )
    with pytest.raises(UserError, match=rf"train.arff:6: label 'l' is {value}, not 0 or 1"):
        load_dataset(write("train.arff", text), label_count=-1)


@pytest.mark.parametrize(
    "first, row, words",
    [
        ("@attribute b numeric", "2,x,1,0", "test.arff:2: column 1 is 'b', but 'a' in"),
        ("@attribute a {0,2}", "2,x,1,0", "test.arff:2: attribute 'a' is nominal, but numeric in"),
        ("% no a", "x,1,0", "test.arff: 3 attributes, but 4 in"),
    ],
)
def test_train_and_test_that_differ(write, first, row, words):
    test = HEADER.replace("@attribute a numeric", first) + row + "\n"
    with pytest.raises(UserError) as caught:
        load_dataset(write("train.arff", DENSE), test=write("test.arff", test), label_count=-2)
    assert words in str(caught.value)


def test_the_wrong_label_file(write, tiny_files):
    with pytest.raises(UserError, match=r"tiny.xml: label 'rain' is not an attribute of .*d.arff"):
        load_dataset(write("d.arff", DENSE), labels=tiny_files[1])


@pytest.mark.parametrize(
    "options, words",
    [
        ({"data": "emotoins"}, "'emotoins' is neither a file nor a dataset's id; did you mean 'emotions'?"),
        ({"data": "nowhere/file.arff"}, "is neither a file nor a dataset's id"),
        (
            {"data": "synthetic-linear", "label_count": 3},
            "--label-count cannot be combined with synthetic-linear; leave it out",
        ),
        ({"format": "arf"}, "unknown format 'arf'"),
        ({"drop": ["b"], "label_count": -2}, "no column 'b'"),
        ({"drop": ["l1"], "label_count": -2}, "attribute 'l1' is a label"),
        ({"drop": ["a", "c"], "label_count": -2}, "no features are left"),
        ({}, "does not say which attributes are labels"),
        ({"format": "meka"}, "the relation's name 'r' has no option -C N"),
        ({"label_count": 2, "labels": "x.xml"}, "both --labels and --label-count"),
    ],
)
def test_bad_requests(write, options, words):
    options.setdefault("data", write("d.arff", DENSE))
    with pytest.raises(UserError) as caught:
        load_dataset(**options)
    assert words in str(caught.value)


def test_a_folder_and_a_damaged_prepared_file(tmp_path):
    with pytest.raises(UserError, match="is a folder"):
        load_dataset(tmp_path)
    (tmp_path / "d.npz").write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(UserError, match=r"d\.npz: is not a readable"):
        load_dataset(tmp_path / "d.npz")
