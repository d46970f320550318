"""Cells and columns of people's tables that could be misread without a word."""

from __future__ import annotations

import datetime
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io

from mlsieve import compare
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError
from mlsieve.rankers import ReliefRanker
from mlsieve.rankings.files import Ranking

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


def csv(text: str, name: str = "d.csv") -> str:
    Path(name).write_text(text)
    return name


@pytest.fixture
def prepared():
    csv("a;b;tags\n1.5;2;x, y\n2.5;3;y\n3.5;4;x\n")
    main(["prepare", "d.csv", "--label-column", "tags", "-o", "d.npz"])
    return "d.npz"


@pytest.mark.parametrize("options", [{"drop": ["a"]}, {"keep": ["b"]}, {"keep": ["a,b"], "drop": ["a*"]}])
def test_features_of_a_prepared_file_are_left_out_too(prepared, options):
    dataset = load_dataset(prepared, **options)
    assert dataset.feature_names == ("b",)
    assert dataset.X.tolist() == [[2], [3], [4]]
    assert "left out: a" in dataset.summary()


def test_commands_leave_features_of_a_prepared_file_out(prepared, capsys):
    assert main(["rank", prepared, "--method", "relief", "--drop", "a"]) == 0
    assert [line.split(",")[2] for line in capsys.readouterr().out.split()[1:]] == ["b"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"drop": ["zz*"]}, "no column 'zz*'; the columns are a, b, x, y"),
        ({"drop": ["x"]}, "'x' is a label"),
        ({"drop": ["a,b"]}, "no features are left"),
        ({"keep": [""]}, "'' names no column"),
    ],
)
def test_wrong_features_of_a_prepared_file_are_refused(prepared, options, words):
    with pytest.raises(UserError) as error:
        load_dataset(prepared, **options)
    assert words in str(error.value)


def test_features_of_a_generated_dataset_are_left_out():
    assert len(load_dataset("synthetic-linear", keep=["relevant_0"]).feature_names) == 1


@pytest.mark.parametrize("labels", ["", ",", [""]])
def test_labels_that_name_nothing_are_refused(labels):
    csv("a,y\n1,0\n2,1\n")
    with pytest.raises(UserError, match="names no column"):
        load_dataset("d.csv", labels=labels)


def test_names_that_differ_in_case_are_suggested():
    csv("a,y\n1,0\n2,1\n")
    for options in ({"labels": "Y"}, {"label_column": "Y"}, {"labels": "y", "drop": ["Y"]}):
        with pytest.raises(UserError, match="no column 'Y'; did you mean 'y'"):
            load_dataset("d.csv", **options)


def test_an_unknown_pattern_does_not_list_a_wide_header():
    csv(",".join([f"f{j}" for j in range(500)] + ["y"]) + "\n" + ",".join("0" * 501) + "\n")
    with pytest.raises(UserError) as error:
        load_dataset("d.csv", labels="y", drop=["zz*"])
    assert len(str(error.value)) < 120


@pytest.mark.parametrize("word", ["n/a", "<NA>", "#N/A", "NaT", "#NA"])
def test_words_of_other_programs_for_a_missing_cell(word):
    csv("a,y\n" + f"{word},0\n{word},1\n{word},0\n1.5,1\n2.5,0\n")
    dataset, _ = read("d.csv", labels="y")
    assert not dataset.nominal[0] and np.isnan(dataset.X[:, 0]).sum() == 3


def test_texts_that_stand_for_missing_cells_elsewhere():
    """A format with a null of its own has texts such as NA; a sheet has not, and a note says so."""
    texts = ["NA", "None", "nan", "null", "?", "N/A", "", None, "x", "NA"]
    frame = pd.DataFrame({"a": texts, "b": np.arange(10.0), "y": [0, 1] * 5})
    frame.to_parquet("d.parquet")
    frame.to_feather("d.feather")
    for name in ("d.parquet", "d.feather"):
        dataset, notes = read(name, labels="y")
        assert dataset.categories[0] == ("", "?", "N/A", "NA", "None", "nan", "null", "x")
        assert (
            np.isnan(dataset.X[:, 0]).tolist() == [text is None for text in texts] and "missing" not in notes
        )
        declared, notes = read(name, labels="y", missing=["NA", "", "-"])
        assert np.isnan(declared.X[:, 0]).sum() == 4 and "no cell is '-'" in notes
    sets = pd.DataFrame({"t": ["NA;b", "b", None, "NA"], "b": np.arange(4.0)})
    sets.to_parquet("s.parquet")
    dataset, _ = read("s.parquet", label_column="t")
    assert dataset.label_names == ("NA", "b")
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 1], [0, 1], [0, 0], [1, 0]])
    pd.DataFrame({"a": ["1", "2", "NA"], "y": [0, 1, 0]}).to_parquet("n.parquet")
    with pytest.raises(UserError) as caught:
        read("n.parquet", labels="y")
    assert "--missing 'NA'" in caught.value.hint
    assert np.isnan(read("n.parquet", labels="y", missing=["NA"])[0].X[:, 0]).tolist() == [False, False, True]
    for name in ("d.xlsx", "d.ods"):
        frame.to_excel(name, index=False)
        dataset, notes = read(name, labels="y")
        assert dataset.categories[0] == ("x",)
        assert f"{name}: column 'a' has cells such as 'NA': they are read as missing" in notes
        _, notes = read(name, labels="y", drop=["a"])
        assert "such as 'NA'" not in notes


def test_a_note_on_categories_that_are_numbers_in_some_rows():
    csv("a,b,y\n" + "missing,5kg,0\n" * 4 + "1.5,x,1\n2.5,x,1\n")
    dataset, notes = read("d.csv", labels="y")
    assert dataset.nominal.all()
    assert "column 'a' has numbers beside values such as 'missing': they are read as categories" in notes
    assert "column 'b'" not in notes
    csv("a,y\n1,0\nb,1\nc,0\n")
    assert "numbers beside" not in read("d.csv", labels="y", nominal=["a"])[1]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "arff", "sparse.arff", "svm", "xmlc", "mat"])
def test_a_note_on_whole_numbers_that_become_one(kind, missing):
    def written(numbers):
        numbers = [*numbers[:-1], None if missing else numbers[-1]]
        table = pyarrow.table({"big": pyarrow.array(numbers, pyarrow.int64()), "y": [0, 1] * 3})
        head = "@relation d\n@attribute big numeric\n@attribute y {0,1}\n@data\n"
        cells = [("?" if number is None else number, row % 2) for row, number in enumerate(numbers)]
        match kind:
            case "csv":
                table.to_pandas(integer_object_nulls=True).to_csv("d.csv", index=False)
            case "parquet":
                pyarrow.parquet.write_table(table, "d.parquet")
            case "feather":
                pyarrow.feather.write_feather(table, "d.feather")
            case "mat":
                scipy.io.savemat("d.mat", {"X": [[n or 1] for n in numbers], "Y": [[0], [1]] * 3})
            case "arff":
                csv(head + "".join(f"{number},{y}\n" for number, y in cells), "d.arff")
            case "sparse.arff":
                csv(head + "".join(f"{{0 {number},1 {y}}}\n" for number, y in cells), "d.sparse.arff")
            case _:
                rows = "".join(f"{y} 0:{number}\n" for number, y in cells if number != "?")
                csv("6 1 2\n".replace("6", str(rows.count("\n"))) * (kind == "xmlc") + rows, f"d.{kind}")
        formats = {"mat": {}, "svm": {"format": "svmlight"}, "xmlc": {"format": "xmlc"}}
        return read(f"d.{kind}", **formats.get(kind, {"labels": "y"}))[1]

    name = {"svm": "x0", "xmlc": "x0", "mat": "x1"}.get(kind, "big")
    notes = written([2**60 + k for k in range(6)])
    assert f"column '{name}' has whole numbers of more than 15 digits" in notes
    assert ("--nominal" in notes) == (kind in ("csv", "parquet", "feather"))
    assert "digits" not in written([2**53 + 2 * k for k in range(6)])


@pytest.mark.parametrize("kind", ["csv", "parquet", "arff", "svm", "mat"])
def test_no_note_on_whole_numbers_that_are_left_out(kind):
    numbers = [2**60 + k for k in range(6)]
    frame = pd.DataFrame({"a": 1, "big": numbers, "y": [0, 1] * 3})
    head = "@relation d\n@attribute a numeric\n@attribute big numeric\n@attribute y {0,1}\n@data\n"
    {
        "csv": lambda: frame.to_csv("d.csv", index=False),
        "parquet": lambda: frame.to_parquet("d.parquet"),
        "arff": lambda: csv(head + frame.to_csv(index=False, header=False), "d.arff"),
        "svm": lambda: csv("".join(f"{k % 2} 1:1 2:{number}\n" for k, number in enumerate(numbers)), "d.svm"),
        "mat": lambda: scipy.io.savemat("d.mat", {"X": frame[["a", "big"]].to_numpy(), "Y": frame[["y"]]}),
    }[kind]()
    options = {"svm": {"format": "svmlight"}, "mat": {}}.get(kind, {"labels": "y"})
    assert "digits" in read(f"d.{kind}", **options)[1]
    assert "digits" not in read(f"d.{kind}", drop=["*2" if kind in ("svm", "mat") else "big"], **options)[1]


@pytest.mark.parametrize("name", ["d.xlsx", "d.ods"])
def test_a_note_on_whole_numbers_that_a_spreadsheet_may_have_changed(name):
    frame = pd.DataFrame({"id": [10**15, 2, None], "code": ["1" * 20, "b", "c"], "y": [0, 1, 0]})
    frame.to_excel(name, index=False)
    notes = read(name, labels="y")[1]
    assert f"{name}: column 'id' has whole numbers of more than 15 digits: a spreadsheet keeps 15" in notes
    assert "digits" not in read(name, labels="y", drop=["id"])[1]
    frame.assign(id=[10**15 - 1, 2, 0.5]).to_excel(name, index=False)
    assert "digits" not in read(name, labels="y")[1]


def test_a_note_on_numbers_in_other_notations_that_become_one():
    csv('a,h,y\n"9,007,199,254,740,993",0x20000000000001,1\n"9,007,199,254,740,992",0x20000000000000,0\n')
    assert "2 columns have whole numbers of more than 15 digits" in read("d.csv", labels="y")[1]


def test_zeros_before_whole_numbers_make_no_other_number():
    csv(f"big,y\n{'0' * 5000}1,0\n{2**60},1\n{2**61},1\n")
    assert "digits" not in read("d.csv", labels="y")[1]


def test_a_note_on_zeros_before_numbers():
    csv("plz,y\n01067,1\n80331,0\n")
    assert (
        "column 'plz' has numbers with zeros before them: 01067 is read as 1067"
        in read("d.csv", labels="y")[1]
    )
    assert load_dataset("d.csv", labels="y", nominal=["p*"]).categories == (("01067", "80331"),)


def test_a_missing_number_is_missing_however_it_is_written():
    csv("a,b,y\n-999,-999.0,0\n1,2,1\n3,-9.99e2,0\n")
    dataset, notes = read("d.csv", labels="y", missing=["-999"])
    assert np.isnan(dataset.X).tolist() == [[True, True], [False, False], [False, True]]
    assert "--missing" not in notes
    pd.read_csv("d.csv").to_parquet("d.parquet")
    assert np.isnan(load_dataset("d.parquet", labels="y", missing=["-999.0"]).X).sum() == 3


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_note_on_a_missing_word_that_never_occurs(kind):
    csv("a,y\n1,0\n2,1\n")
    pd.read_csv("d.csv").to_parquet("d.parquet")
    assert "no cell is '-99' (--missing)" in read(f"d.{kind}", labels="y", missing=["-99"])[1]


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "xlsx", "ods"])
def test_truth_values_are_categories_in_each_format(kind):
    frame = pd.DataFrame(
        {"x": [1.0, 2, 3], "b": [True, False, True], "c": [True, None, False], "y": [True, False, True]}
    )
    {
        "csv": lambda: frame.to_csv("d.csv", index=False),
        "parquet": lambda: frame.to_parquet("d.parquet"),
        "feather": lambda: frame.to_feather("d.feather"),
        "xlsx": lambda: frame.to_excel("d.xlsx", index=False),
        "ods": lambda: frame.to_excel("d.ods", index=False),
    }[kind]()
    dataset = load_dataset(f"d.{kind}", labels="y")
    assert dataset.nominal.tolist() == [False, True, True]
    assert np.isnan(dataset.X).sum() == 1
    assert dataset.Y.toarray().ravel().tolist() == [1, 0, 1]


def test_categories_that_are_numbers_stay_categories_in_parquet():
    frame = pd.DataFrame({"x": [1.0, 2, 3], "c": pd.Categorical([1, 2, 1]), "y": [1, 0, 1]})
    frame.to_parquet("d.parquet")
    assert load_dataset("d.parquet", labels="y").nominal.tolist() == [False, True]
    assert load_dataset("d.parquet", labels="y", nominal=["x,c"]).nominal.all()


def test_times_in_parquet_are_hours():
    times = [datetime.time(12, 30), datetime.time(1, 15), datetime.time(0, 0)]
    pd.DataFrame({"t": times, "y": [1, 0, 1]}).to_parquet("d.parquet")
    assert load_dataset("d.parquet", labels="y").X.ravel().tolist() == [12.5, 1.25, 0]


@pytest.mark.parametrize(
    "cells",
    [("December 31, 2020", "Jan 1, 2021"), ("31-Dec-2020", "1-Jan-2021"), ("31 December 2020", "1 Jan 2021")],
)
def test_dates_with_the_name_of_the_month_are_days(cells):
    csv("d,y\n" + "".join(f'"{cell}",{k}\n' for k, cell in enumerate(cells)))
    dataset, notes = read("d.csv", labels="y")
    assert dataset.X.ravel().tolist() == [18627, 18628]
    assert "dates" in notes


def test_a_list_of_r_whose_labels_are_no_columns_is_refused():
    import rdata

    frame = pd.DataFrame({"a": [1.0, 2], "y": [1, 0]})
    rdata.write_rda("l.rda", {"emo": {"dataset": frame, "labels": frame[["a"]]}})
    with pytest.raises(UserError, match=r"l\.rda: label '0' is not a column"):
        load_dataset("l.rda")


@pytest.mark.parametrize("kind", ["csv", "xlsx", "ods"])
def test_the_line_of_a_cell_is_its_row_in_the_sheet(kind):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "y": [0, 7, 1]})
    frame.to_csv("d.csv", index=False) if kind == "csv" else frame.to_excel(f"d.{kind}", index=False)
    with pytest.raises(UserError, match=rf"d\.{kind}:3: label 'y' is 7"):
        load_dataset(f"d.{kind}", labels="y")


@pytest.mark.parametrize("text", ["Report of 2024\na,b,y\n1,2,0\n3,4,1\n", "Report,,\na,b,y\n1,2,0\n3,4,1\n"])
def test_a_title_above_the_header_is_named(text):
    csv(text)
    with pytest.raises(UserError, match=r"d\.csv:1: .* a title above the header\?; delete what is above"):
        load_dataset("d.csv", labels="y")
    pd.DataFrame([["Report", None, None], ["a", "b", "y"], [1, 2, 0]]).to_excel(
        "d.xlsx", index=False, header=False
    )
    with pytest.raises(UserError, match=r"d\.xlsx:1: .* a title above the header\?; delete what is above"):
        load_dataset("d.xlsx", labels="y")


def test_a_separator_that_is_not_found_is_asked_for():
    csv("a:b:y\n1:2:0\n3:4:1\n")
    with pytest.raises(UserError, match="one cell each; give the separator"):
        load_dataset("d.csv", labels="y")
    assert load_dataset("d.csv", labels="y", separator=":").feature_names == ("a", "b")
    with pytest.raises(UserError, match="correct --sep: no 'x'"):
        load_dataset("d.csv", labels="y", separator="x")


def test_nominal_columns_are_chosen_by_lists_and_patterns():
    csv("c1,c2,x,y\n1,2,3,0\n2,1,4,1\n")
    assert load_dataset("d.csv", labels="y", nominal=["c*"]).nominal.tolist() == [True, True, False]
    assert load_dataset("d.csv", labels="y", nominal=["c2,x"]).nominal.tolist() == [False, True, True]


def test_names_match_however_their_accents_are_written():
    short, long = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    assert short != long
    rows = "1,2,0,1\n2,1,1,0\n3,3,0,1\n4,4,1,1\n"
    for own, other in ((short, long), (long, short)):
        csv(f"{own},b,y{own},z\n{rows}")
        csv(f"{other},b,y{other},z\n{rows}", "t.csv")
        dataset, _ = read("d.csv", test="t.csv", labels=[f"y{other}", "z"], nominal=[other])
        assert (dataset.feature_names, dataset.label_names) == ((short, "b"), (f"y{short}", "z"))
        assert dataset.nominal.tolist() == [True, False]
        assert read("d.csv", labels=[f"y{other}", "z"], drop=[other])[0].feature_names == ("b",)
        csv(
            f"@relation d\n@attribute b {{{own},x}}\n@attribute y{own} {{0,1}}\n@data\n{other},0\nx,1\n",
            "d.arff",
        )
        csv(f'<labels><label name="y{other}"/></labels>', "d.xml")
        assert read("d.arff", labels="d.xml")[0].label_names == (f"y{short}",)
        csv(f"dataset,{own},b\none,1,2\ntwo,3,1\nthree,2,1\n", "r.csv")
        assert compare("r.csv", other, higher_is_better=True).methods == [short, "b"]
        frame = pd.DataFrame({own: [0, 1, 1, 0] * 3, "x": range(12)})
        labels = pd.Series([[own], [other], ["l"], []] * 3)
        ranker = ReliefRanker(nominal=[other]).fit(frame, labels)
        assert ranker.label_names_in_.tolist() == [short, "l"]


ACCENTED = [unicodedata.normalize(form, "café") for form in ("NFC", "NFD")]


@pytest.mark.parametrize(("own", "other"), [ACCENTED, ACCENTED[::-1]])
def test_values_and_sheets_match_however_their_accents_are_written(own, other, capsys):
    csv(f"a,y,z\n1,{own},x\n{own}s,x,{own}\n3,x,{own}\n2,{own},x\n")
    options = {"labels": ["y", "z"], "positive": other, "missing": [f"{other}s"]}
    dataset = load_dataset("d.csv", **options)
    assert dataset.Y.toarray().tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]] and np.isnan(dataset.X).sum() == 1
    words = ["--labels", "y,z", "--positive", other, f"--missing={other}s"]
    assert main(["convert", "d.csv", "c.csv", *words]) == 0
    pd.DataFrame({"a": [1, 2], "y": [0, 1]}).to_excel("d.xlsx", sheet_name=own, index=False)
    assert load_dataset("d.xlsx", labels="y", sheet=other).X.shape == (2, 1)
    rows = pd.DataFrame({"old": [1, 2, 3], "new": [2, 3, 1]}, index=["one", "two", "three"])
    named = rows.rename(columns={"old": own})
    named.to_csv("r.csv", index_label="dataset")
    assert main(["compare", "r.csv", "--reference", other, "--higher-is-better"]) == 0
    assert compare(named.T, other, transposed=True, higher_is_better=True).methods[0] == ACCENTED[0]
    capsys.readouterr()


@pytest.mark.parametrize(("own", "other"), [ACCENTED, ACCENTED[::-1]])
def test_rankings_and_paths_match_however_their_accents_are_written(own, other, capsys):
    Path(f"{own}-data").mkdir()
    file = csv(f"{own},b,y,z\n" + "1,2,0,1\n2,1,1,0\n3,3,0,1\n4,4,1,0\n" * 5, f"{own}-data/d.csv")
    labels = ["--labels", "y,z"]
    assert main(["rank", file, *labels, "--method", "relief", "-o", f"{own}-data/r.csv"]) == 0
    ranking = Path(f"{own}-data/r.csv")
    ranking.write_text(ranking.read_text().replace(ACCENTED[0], other).replace(ACCENTED[1], other))
    words = ["--ranking", str(ranking), "--allow-leakage", "--test", file]
    assert main(["evaluate", file, *labels, *words, "-o", "s.csv"]) == 0
    assert main(["rank", file, *labels, "--drop", other, "--method", "uniform", "-o", f"{other}.csv"]) == 0
    assert Ranking.from_csv(f"{ACCENTED[0]}.csv").feature_names == ("b",)
    capsys.readouterr()
