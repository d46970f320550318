"""Label files, MEKA's option and label counts."""

from __future__ import annotations

import pytest

from mlsieve.data.labels import label_columns, meka_label_count, read_mulan_labels
from mlsieve.errors import UserError

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'


def label_file(tmp_path, text):
    path = tmp_path / "labels.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_names_in_the_order_of_the_file(tmp_path):
    text = (
        HEAD + '<label name="b"></label>\n<label name="a b &amp; c"/>\n<label name="TAG_dise\\~no"/></labels>'
    )
    assert read_mulan_labels(label_file(tmp_path, text)) == ["b", "a b & c", "TAG_dise\\~no"]


def test_other_encodings_and_prefixes(tmp_path):
    text = '<?xml version="1.0" encoding="iso-8859-1"?><labels><label name="\xe9"/></labels>'.encode(
        "latin-1"
    )
    assert read_mulan_labels(label_file(tmp_path, text)) == ["é"]
    text = '<m:labels xmlns:m="http://mulan.sourceforge.net/labels"><m:label name="x"/></m:labels>'
    assert read_mulan_labels(label_file(tmp_path, text)) == ["x"]


def test_nested_labels_are_read_flat(tmp_path):
    text = (
        HEAD + '<label name="a"><label name="b"><label name="c"/></label></label><label name="d"/></labels>'
    )
    assert read_mulan_labels(label_file(tmp_path, text)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "text, line, words",
    [
        (HEAD + '<label name="a"/>\n', 4, "not well-formed XML"),
        (HEAD + '<label name="a"></labels>\n', 3, "not well-formed XML (mismatched tag)"),
        ("@relation r\n", 1, "not well-formed XML"),
        ("", 1, "not well-formed XML"),
        (HEAD + '<label nam="a"/></labels>', 3, "a <label> without a name"),
        (HEAD + '<lable name="a"/></labels>', 3, "unexpected element <lable>"),
        ("<html><label name='a'/></html>", 1, "unexpected element <html>"),
        (HEAD + '<label name="a"/>\n<label name="a"/></labels>', 4, "label 'a' is listed twice"),
        (
            '<!DOCTYPE labels [<!ENTITY a "aaaa">]>\n<labels><label name="&a;"/></labels>',
            1,
            "document type or an entity",
        ),
        (
            '<!DOCTYPE labels SYSTEM "x.dtd">\n<labels><label name="a"/></labels>',
            1,
            "document type or an entity",
        ),
    ],
)
def test_bad_label_files(tmp_path, text, line, words):
    path = label_file(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_mulan_labels(path)
    assert str(caught.value).startswith(f"{path}:{line}: ") and words in str(caught.value)


def test_a_label_file_without_labels(tmp_path):
    with pytest.raises(UserError, match="names no labels"):
        read_mulan_labels(label_file(tmp_path, HEAD + "</labels>"))


@pytest.mark.parametrize(
    "relation, count",
    [
        ("Slashdot: -C 22 -split-number 1891", 22),
        ("LangLog: -C 75", 75),
        ("last: -c -6", -6),
        ("-C 3", 3),
        ("x -C +3 -V", 3),
        ("emotions", None),
        ("some-C 3", None),
        ("x: -Count 2", None),
        ("a table-weka.filters.MultiFilter-Fweka.filters.unsupervised.instance.Resample -C 2", None),
        ("toy: -C 2 -split-percentage 50-weka.filters.unsupervised.instance.Randomize-S42", 2),
        ("toy: -C -2 -I 0-weka.filters.unsupervised.attribute.NumericToNominal-R1-2", -2),
        ("toy: -V -c -2 -x-weka.filters.MultiFilter-Fweka.filters.AllFilter -C last", -2),
    ],
)
def test_meka_option(relation, count):
    assert meka_label_count(relation, "f.arff") == count


@pytest.mark.parametrize(
    "option, more",
    [
        ("-C two", ""),
        ("-C 2.5", ""),
        ("-C", ""),
        ("-C " + "9" * 50, ""),
        ("-C 2-weka.filters.AllFilter", ""),
        ("-C 45", " -I 0-weka.filters.unsupervised.attribute.Remove-R1-45"),
        ("-C 2", "-weka.filters.unsupervised.attribute.Reorder-R3-last,1"),
    ],
)
def test_a_meka_option_that_does_not_count_the_labels_is_quoted(option, more):
    with pytest.raises(UserError) as caught:
        meka_label_count(f"x: {option}{more}", "f.arff")
    assert f"'{option}" in caught.value.what and caught.value.file == "f.arff" and caught.value.hint


def test_columns():
    names = ["a", "b", "c", "d"]
    assert label_columns(names, names=["d", "b"], file="f") == [1, 3]
    assert label_columns(names, count=1, file="f") == [0]
    assert label_columns(names, count=-3, file="f") == [1, 2, 3]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"names": ["a", "rian"]}, "l.xml: label 'rian' is not an attribute of f.arff; did you mean 'rain'?"),
        (
            {"names": ["x1", "y2"]},
            "(nor 1 more of its 2 labels); check that the label file belongs to the data file",
        ),
        ({"names": ["a", "rain"]}, "every column is a label"),
        ({"count": 0}, "label count 0 does not fit 2 attributes"),
        ({"count": 3}, "label count 3 does not fit 2 attributes; give 1, or -1 for the last one"),
        ({"count": -2}, "every column is a label"),
        ({}, "does not say which attributes are labels; give --labels"),
    ],
)
def test_labels_that_do_not_fit(options, words):
    with pytest.raises(UserError) as caught:
        label_columns(["a", "rain"], **options, file="f.arff", labels_file="l.xml")
    assert words in str(caught.value)
