"""Tables with odd numbers, labels, encodings and sizes are read right, or refused with what mends it."""

from __future__ import annotations

import io
import re
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest

from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError

pytestmark = pytest.mark.filterwarnings("ignore::mlsieve.errors.DataNotice")


def test_categories_that_begin_as_numbers_do_are_named(tmp_path):
    (tmp_path / "d.csv").write_text("a,size,l\n1,5 kg,0\n2,6 kg,1\n3,5 kg,1\n")
    words = r"column 'size' has values such as '5 kg': they are not plain numbers, and .* \(--nominal if"
    with pytest.warns(DataNotice, match=words):
        assert load_dataset(tmp_path / "d.csv", label_count=-1).nominal.tolist() == [False, True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_dataset(tmp_path / "d.csv", label_count=-1, nominal=["size"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"decimal": "."}, "column 'a' holds 1,5, which has no decimal point; leave out --decimal ."),
        ({"labels": "l", "keep": ["when"]}, "column 'when' holds dates"),
        ({"label_count": -1}, "column 'when' holds dates"),
        ({"label_count": -1, "decimal": ","}, "column 'when' holds dates"),
    ],
)
def test_a_column_that_is_kept_is_refused(options, words, tmp_path):
    (tmp_path / "d.csv").write_text("a;when;l\n1,5;03/04/2020;0\n2,5;05/06/2021;1\n")
    with pytest.raises(UserError, match=re.escape(words)):
        load_dataset(
            tmp_path / "d.csv", **{"labels": "l"} | options if "label_count" not in options else options
        )


@pytest.mark.parametrize("options", [{"drop": ["when,b"]}, {"drop": ["w*,b"]}, {"keep": ["a"]}])
def test_what_is_left_out_may_hold_anything(options, tmp_path):
    (tmp_path / "d.csv").write_text("a;b;when;l\n1,5;1;03/04/2020;0\n2,5;x;05/06/2021;1\n")
    dataset = load_dataset(tmp_path / "d.csv", label_count=-1, **options)
    assert dataset.feature_names == ("a",) and dataset.X.tolist() == [[1.5], [2.5]]


def test_columns_without_values_and_with_many_categories_are_named(tmp_path):
    words = [f"word{i}" for i in range(12)] * 2
    frame = pd.DataFrame({"a": range(24), "b": None, "notes": None, "street": words, "l": [0, 1] * 12})
    frame["a"] %= 5
    frame.loc[:11, "notes"] = [f"free text {i}" for i in range(12)]
    for name, write in (("d.csv", frame.to_csv), ("d.parquet", frame.to_parquet), ("d.xlsx", frame.to_excel)):
        write(tmp_path / name, index=False)
        with pytest.warns(DataNotice) as caught:
            load_dataset(tmp_path / name, label_count=-1)
        said = " / ".join(str(each.message) for each in caught)
        assert "feature 'b' has no known value in any row (--drop" in said
        assert "feature 'notes' has a different value in each row, like an identifier (" in said
        assert "feature 'street' has almost as many categories as rows (" in said


@pytest.mark.parametrize(
    ("cells", "options", "found"),
    [
        (["TRUE", "1", "0", "FALSE"], {}, [1, 1, 0, 0]),
        (["TRUE", "1", "0", "0"], {}, [1, 1, 0, 0]),
        (["yes", "1", "no", "no"], {}, [1, 1, 0, 0]),
        (["x", "", "x", "NA"], {"positive": "x"}, [1, 0, 1, 0]),
    ],
)
def test_labels_that_are_mixed_or_marked(cells, options, found, tmp_path):
    pd.DataFrame({"a": [1, 2, 3, 4], "l": cells}).to_csv(tmp_path / "d.csv", index=False)
    with pytest.warns(
        DataNotice, match="'l' is written in several ways|2 missing cells of labels, read as 0"
    ):
        dataset = load_dataset(tmp_path / "d.csv", label_count=-1, **options)
    assert dataset.Y.toarray()[:, 0].tolist() == found


def test_a_label_name_with_a_comma(tmp_path):
    (tmp_path / "d.csv").write_text('x,"a,b",c\n1,1,0\n2,0,1\n')
    assert load_dataset(tmp_path / "d.csv", labels='"a,b",c').label_names == ("a,b", "c")


@pytest.mark.parametrize(
    ("cells", "labels", "notice"),
    [
        (["sea beach", "sea", "beach"], ("beach", "sea"), "separated by ' '"),
        (["sea/beach", "sea", "beach"], ("beach", "sea"), "separated by '/'"),
        (["New York", "Boston", "Boston"], ("Boston", "New York"), "is one label"),
    ],
)
def test_the_separator_of_labels_is_found(cells, labels, notice, tmp_path):
    pd.DataFrame({"a": [1, 2, 3], "tags": cells}).to_csv(tmp_path / "d.csv", index=False)
    with pytest.warns(DataNotice, match=notice):
        assert load_dataset(tmp_path / "d.csv", label_column="tags").label_names == labels


def test_an_unclear_separator_of_labels_is_refused(tmp_path):
    (tmp_path / "d.csv").write_text("a,tags\n1,San Diego\n2,San Jose\n3,Boston\n")
    with pytest.raises(UserError, match=r"is this one label, or several\?; give --label-separator ' '"):
        load_dataset(tmp_path / "d.csv", label_column="tags")
    dataset = load_dataset(tmp_path / "d.csv", label_column="tags", label_separator=";")
    assert dataset.label_names == ("Boston", "San Diego", "San Jose")


def test_a_cell_may_be_long(tmp_path):
    (tmp_path / "d.csv").write_text(f'a,b,l\n"{"x" * 200_000}",2,0\ny,3,1\n')
    assert len(load_dataset(tmp_path / "d.csv", label_count=-1).categories[0][0]) == 200_000


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "content",
    [
        f'a,l\n"1{" " * 300_000}x",0\ny,1\n',
        f"a,l\n{'x' * 2_000_000}é,0\ny,1\n",
        "# a comment\n" * 500_000 + "a,l\nx,0\ny,1\n",
    ],
)
def test_long_cells_and_comments_take_no_time(content, tmp_path):
    (tmp_path / "d.csv").write_text(content, encoding="latin-1")
    assert load_dataset(tmp_path / "d.csv", label_count=-1).nominal.tolist() == [True]


def test_lines_are_counted_from_the_first_of_the_file(tmp_path):
    (tmp_path / "d.csv").write_text("sep=;\n# by hand\na;b;l\n1;2;0\n2;3\n")
    with pytest.raises(UserError, match=r"d\.csv:5: too few values: 2 for 3 columns"):
        load_dataset(tmp_path / "d.csv", label_count=-1)


@pytest.mark.parametrize(
    ("words", "encoding", "notice"),
    [
        (
            ("grün", "weiß"),
            "cp1252",
            "read as cp1252 text, such as 'grün' (give --encoding if that is wrong)",
        ),
        (("красный", "синий"), "cp1251", "looks like another alphabet (give --encoding, such as cp1251"),
        (
            ("红色", "蓝色"),
            "gb18030",
            "looks like another alphabet (give --encoding, such as cp1251, gb18030",
        ),
        (("あか", "あお"), "shift-jis", "looks like another alphabet"),
    ],
)
@pytest.mark.parametrize("name", ["d.csv", "d.txt", "d"])
def test_an_encoding_that_is_assumed_is_said(name, words, encoding, notice, tmp_path):
    content = f"a,{words[0]},l\n1,{words[0]},0\n2,{words[1]},1\n3,{words[0]},1\n"
    (tmp_path / name).write_bytes(content.encode(encoding))
    with pytest.warns(DataNotice, match=re.escape(notice)):
        load_dataset(tmp_path / name, label_count=-1)
    dataset = load_dataset(tmp_path / name, label_count=-1, encoding=encoding)
    assert dataset.categories[1] == tuple(sorted(words)) and dataset.feature_names[1] == words[0]


@pytest.mark.parametrize("options", [{}, {"decimal": ","}, {"decimal": "."}])
@pytest.mark.parametrize(
    "cells",
    [
        ("192.168.0.1", "10.0.0.12", "192.168.0.1"),
        ("192.168.100.200", "172.217.168.110", "192.168.100.200"),
        ("192.168.100.200", "172.217.168.110", "unknown"),
    ],
)
def test_addresses_are_categories(cells, options, tmp_path):
    rows = "".join(f"{cell};{i};{i % 2}\n" for i, cell in enumerate(cells))
    (tmp_path / "d.csv").write_text("host;b;l\n" + rows)
    dataset = load_dataset(tmp_path / "d.csv", label_count=-1, **options)
    assert dataset.nominal.tolist() == [True, False] and dataset.categories[0] == tuple(sorted(set(cells)))


def test_thousands_of_four_groups_are_no_addresses(tmp_path):
    (tmp_path / "d.csv").write_text("a;b;l\n1.234.567.890;2;0\n2.100.000.000;3;1\n")
    assert load_dataset(tmp_path / "d.csv", label_count=-1).X[:, 0].tolist() == [1234567890, 2100000000]


@pytest.mark.parametrize(
    ("name", "content", "place", "options"),
    [
        ("d.csv", "a,l\n東京,0\n大阪,1\n", "d.csv:3: is neither UTF-8 nor western text (byte 0x8d)", {}),
        (
            "d.arff",
            "% 東京\n@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\n",
            "d.arff:1: ",
            {},
        ),
        ("d.svm", "1 1:0.5 # 東京\n0 2:1\n", "d.svm:1: is not UTF-8 text", {"label_count": None}),
    ],
)
def test_text_of_an_unknown_encoding_is_refused_with_what_mends_it(name, content, place, options, tmp_path):
    (tmp_path / name).write_bytes(content.encode("shift-jis"))
    options = {"label_count": -1, **options}
    with pytest.raises(UserError) as caught:
        load_dataset(tmp_path / name, **options)
    assert place in str(caught.value) and "--encoding" in str(caught.value)
    assert "cp1251, gb18030 or shift-jis" in str(caught.value)
    load_dataset(tmp_path / name, encoding="shift-jis", **options)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.svm", "1 1:0.5 4000000000:2\n0 2:1\n", "d.svm:1: index 4000000000, more features or labels than"),
        (
            "d.svm",
            "1 1:0.5\n99999999999999999999 2:1\n",
            "d.svm:2: label 99999999999999999999 has more than 15",
        ),
        (
            "d.txt",
            "3 4 99999999999\n0,2 0:0.5\n",
            "d.txt:1: its first line states 99999999999, more features",
        ),
        ("d.svm", "1 1:0.5\n0 2:inf\n", "d.svm:2: column 'x2' holds an infinite value; give a finite number"),
        ("d.svm", "-1 1:0.5\n2 2:1\n", "d.svm:1: '-1 1:0.5' is not labels and index:value pairs"),
    ],
)
def test_numbers_beyond_all_bounds_are_refused(name, content, words, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError) as caught:
        load_dataset(tmp_path / name)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["d.parquet", "d.feather"])
def test_infinities_in_columnar_files_are_refused(name, tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, -np.inf], "b": [1, 2, 3], "l": [0, 1, 0]})
    frame.to_parquet(tmp_path / name) if name.endswith("parquet") else frame.to_feather(tmp_path / name)
    with pytest.raises(UserError, match=rf"{name}:3: column 'a' holds an infinite value"):
        load_dataset(tmp_path / name, label_count=-1)
    assert load_dataset(tmp_path / name, label_count=-1, drop=["a"]).feature_names == ("b",)


TABLE = pd.DataFrame({"a": [1.0, 2.5, 3.0], "b": ["x", "y", "x"], "l": [0, 1, 0]})


def content_of(method, frame=TABLE, **options):
    stream = io.BytesIO()
    getattr(frame, method)(stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "method", "options", "found"),
    [
        ("d.csv", "to_parquet", {}, "parquet"),
        ("d.xlsx", "to_feather", {}, "feather"),
        ("d.arff", "to_feather", {}, None),
        ("d.csv", "to_excel", {"index": False, "engine": "openpyxl"}, "excel"),
        ("d.parquet", "to_excel", {"index": False, "engine": "odf"}, "excel"),
        ("d.parquet", "to_csv", {"index": False}, "csv"),
        ("d.xls", "to_csv", {"index": False, "sep": "\t"}, "csv"),
    ],
)
def test_a_table_under_the_name_of_another_format_is_read(name, method, options, found, tmp_path):
    (tmp_path / name).write_bytes(content_of(method, **options))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = load_dataset(tmp_path / name, label_count=-1)
    assert dataset.X.tolist() == [[1, 0], [2.5, 1], [3, 0]]
    said = [str(each.message) for each in caught]
    ending = name.rpartition(".")[2]
    notice = f"{name}: is named .{ending} but holds {found} data, and is read as such"
    assert any(notice in each for each in said) == (found is not None)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.xls", b"<html><td>a,b</td></html>", "d.xls: is not an excel file that can be read"),
        ("d.parquet", b"PAR1 and no more", "d.parquet: is not a parquet file that can be read"),
        ("d.parquet", b"nothing of a table", "d.parquet: is not a parquet file that can be read"),
    ],
)
def test_what_is_no_table_is_refused(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_dataset(tmp_path / name, label_count=-1)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("index", "notice"),
    [
        (pd.Index(["g1", "g2", "g3"], dtype=object), "the names of the rows are left out"),
        (
            pd.Index([3, 7, 9], name="gene"),
            "the names of the rows ('gene') are left out (to keep them, make them a",
        ),
        (pd.Index([1, 2, 3]), ""),
    ],
)
def test_row_names_that_are_left_out_are_said(index, notice, tmp_path):
    TABLE.set_axis(index).to_parquet(tmp_path / "d.parquet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = load_dataset(tmp_path / "d.parquet", label_count=-1)
    assert dataset.feature_names == ("a", "b")
    assert [notice in str(each.message) for each in caught] == [True] * bool(notice)


def test_row_names_of_r_are_said(tmp_path):
    import rdata

    names = pd.Index(["g1", "g2", "g3"], dtype=object)
    rdata.write_rda(tmp_path / "d.rda", {"d": TABLE.drop(columns="b").set_axis(names)})
    with pytest.warns(DataNotice, match="the names of the rows are left out"):
        load_dataset(tmp_path / "d.rda", label_count=-1)


def test_sheets_and_formulas_are_said(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "one"
    for row in [("a", "f", "g", "l"), (1, "=A2*2", 5, 0), (2, "=A3*2", None, 1)]:
        book.active.append(row)
    book.create_sheet("two")
    book.save(tmp_path / "d.xlsx")
    with pytest.warns(DataNotice) as caught:
        dataset = load_dataset(tmp_path / "d.xlsx", label_count=-1)
    said = " / ".join(str(each.message) for each in caught)
    assert np.isnan(dataset.X[:, 1]).all()
    assert "'one', the first of 2 sheets, is read (--sheet for another)" in said
    assert "formulas without a stored value in 1 column: 'f'; their cells count as missing" in said
    assert "feature 'f' has no known value in any row" in said
    with pytest.raises(UserError, match=r"d\.xlsx: has no sheet 'three'; its sheets: one, two"):
        load_dataset(tmp_path / "d.xlsx", label_count=-1, sheet="three")


def test_a_workbook_without_styles_is_read_without_a_warning(tmp_path):
    """As some programs write them; one formula and one error, for which the cells are looked at again."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in [("a", "b", "l"), (1, "=A2*2", 0), (2, 3, 1), ("#DIV/0!", 4, 1)]:
        book.active.append(row)
    book.active["A4"].data_type = "e"
    book.save(tmp_path / "styled.xlsx")
    empty = b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    with (
        zipfile.ZipFile(tmp_path / "styled.xlsx") as styled,
        zipfile.ZipFile(tmp_path / "d.xlsx", "w") as plain,
    ):
        for name in styled.namelist():
            plain.writestr(name, empty if name == "xl/styles.xml" else styled.read(name))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_dataset(tmp_path / "d.xlsx", label_count=-1)
    said = [str(each.message) for each in caught]
    assert {each.category for each in caught} == {DataNotice} and len(said) == 2, said


def test_a_separator_of_ones_own_and_an_empty_column(tmp_path):
    (tmp_path / "d.csv").write_text("sep=$\na$b$c$l\n1,5$x$$0\n2,5$y$$1\n")
    with pytest.warns(DataNotice, match=re.escape("separated by '$'")):
        dataset = load_dataset(tmp_path / "d.csv", label_count=-1, decimal=",")
    assert dataset.X[:, :2].tolist() == [[1.5, 0], [2.5, 1]] and np.isnan(dataset.X[:, 2]).all()


def test_durations_are_hours(tmp_path):
    waits = pd.to_timedelta(["90 min", "-30 min", "3 days"])
    pd.DataFrame({"wait": waits, "l": [0, 1, 0]}).to_parquet(tmp_path / "d.parquet")
    with pytest.warns(DataNotice, match=r"column 'wait' has times: 12:30 is read as 12\.5 hours"):
        dataset = load_dataset(tmp_path / "d.parquet", label_count=-1)
    assert dataset.X[:, 0].tolist() == [1.5, -0.5, 72]
