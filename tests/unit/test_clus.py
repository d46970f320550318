"""CLUS files, worked by hand: trees, graphs, layouts, which of the two a file has, and what is refused."""

from __future__ import annotations

import gzip
import lzma
import shlex

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.catalog import entry_from
from mlsieve.data.readers.arff import read_arff
from mlsieve.data.readers.text import recognised_format
from mlsieve.errors import UserError
from mlsieve.study import Data

TREE = """\
% a comment
@RELATION 'a tree'
@ATTRIBUTE a  numeric
@ATTRIBUTE c  {x,y}
@ATTRIBUTE class  HIERARCHICAL 1,1/1,1/2,2/1/3
@DATA
1,x,1/1@2
?,y,2/1/3@1/2
3,x,1
"""
TREE_NAMES = ("1", "1/1", "1/2", "2", "2/1", "2/1/3")
TREE_Y = [[1, 1, 0, 1, 0, 0], [1, 0, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0]]
GRAPH = """\
@relation g
@attribute a numeric
@attribute class hierarchical root/A,root/B,A/C,B/C,C/D
@data
1,D
2,B
3,A@C
"""
GRAPH_Y = [[1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 1, 0]]


@pytest.fixture
def write(tmp_path):
    def write_file(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write_file


def edges(dataset):
    names = dataset.hierarchy.names
    return {(names[p], names[c]) for c in range(len(names)) for p in dataset.hierarchy.parents(c)}


def small(classes, *cells):
    """A file of one feature."""
    rows = "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    return f"@relation r\n@attribute a numeric\n@attribute class hierarchical {classes}\n@data\n{rows}"


def test_a_tree_of_paths(write):
    dataset = load_dataset(write("t.arff", TREE))
    assert dataset.task == "hmlc" and dataset.hierarchy.names == dataset.label_names == TREE_NAMES
    assert edges(dataset) == {("1", "1/1"), ("1", "1/2"), ("2", "2/1"), ("2/1", "2/1/3")}
    np.testing.assert_array_equal(dataset.Y.toarray(), TREE_Y)
    np.testing.assert_array_equal(dataset.X, [[1, 0], [np.nan, 1], [3, 0]])
    assert dataset.feature_names == ("a", "c") and dataset.categories == ((), ("x", "y"))
    assert dataset.Y.dtype == np.uint8 and dataset.Y.has_canonical_format


def test_a_graph_of_edges(write):
    dataset = load_dataset(write("g.arff", GRAPH), format="clus")
    assert dataset.label_names == ("A", "B", "C", "D")  # the root is no class
    assert edges(dataset) == {("A", "C"), ("B", "C"), ("C", "D")} and not dataset.hierarchy.is_tree
    np.testing.assert_array_equal(dataset.Y.toarray(), GRAPH_Y)
    counts = dataset.counts()
    assert [counts[key] for key in ("edges", "depth", "leaves", "several_parents")] == [5, 3, 1, 1]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("pack, suffix", [(bytes, ""), (lzma.compress, ".xz"), (gzip.compress, ".gz")])
def test_line_ends_and_packed_files(tmp_path, ends, pack, suffix):
    path = tmp_path / f"t.arff{suffix}"
    path.write_bytes(pack(TREE.replace("\n", ends).encode()))
    assert recognised_format(path) == "clus"
    dataset = load_dataset(path)
    assert dataset.label_names == TREE_NAMES
    np.testing.assert_array_equal(dataset.Y.toarray(), TREE_Y)


@pytest.mark.parametrize("text, expected", [(TREE, TREE_Y), (GRAPH, GRAPH_Y)])
def test_sparse_rows_read_as_dense_ones(write, text, expected):
    head, _, body = text.partition("@data\n" if "@data" in text else "@DATA\n")
    rows = [row.split(",") for row in body.splitlines()]
    sparse = "".join(
        "{" + ", ".join(f"{i} {cell}" for i, cell in enumerate(row) if cell not in {"x", "0"}) + "}\n"
        for row in rows
    )
    dataset = load_dataset(write("s.arff", f"{head}@data\n{sparse}"))
    assert dataset.is_sparse
    np.testing.assert_array_equal(dataset.Y.toarray(), expected)
    np.testing.assert_array_equal(dataset.X.toarray(), load_dataset(write("d.arff", text)).X)


def test_the_attribute_may_stand_anywhere_and_be_quoted(write):
    text = (
        "@relation r\n@attribute 'the class' hierarchical 'one/two, too',\"one\",three\n"
        "@attribute 'a feature' numeric\n@attribute n {u,v}\n@data\n"
        "'one/two, too@three',1,u\nthree,2,v\n"
    )
    dataset = load_dataset(write("t.arff", text))
    assert dataset.label_names == ("one", "one/two, too", "three")
    assert dataset.feature_names == ("a feature", "n")
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 1, 1], [0, 0, 1]])
    np.testing.assert_array_equal(dataset.X, [[1, 0], [2, 1]])


def test_blanks_around_classes_and_doubled_classes(write):
    dataset = load_dataset(write("t.arff", small("1, 1 / 2 , 1", " 1/2 @ 1 ", "1@1")))
    assert dataset.label_names == ("1", "1/2")
    np.testing.assert_array_equal(dataset.Y.toarray(), [[1, 1], [1, 0]])


def test_train_valid_and_test(write):
    """What the headers declare is joined; train and valid are the training part."""
    train = write("train.arff", small("1,2", "1", "2"))
    valid, test = write("valid.arff", small("1,2,2/1", "2/1")), write("test.arff", small("3,1,2", "3"))
    dataset = load_dataset(train, valid=valid, test=test)
    assert dataset.label_names == ("1", "2", "2/1", "3")
    assert dataset.train_mask.tolist() == [True, True, True, False] and dataset.official_split
    np.testing.assert_array_equal(
        dataset.Y.toarray(), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    )
    used = load_dataset(train, test=valid, classes="used")
    assert used.label_names == ("1", "2", "2/1")


@pytest.mark.parametrize(
    "classes, cells, kind, names",
    [
        ("1,1/2", ["1/2"], "tree", ("1", "1/2")),
        ("000/00,000", ["000/00"], "tree", ("000", "000/00")),  # as in diatoms
        ("A/B,B/C", ["C"], "dag", ("A", "B", "C")),
        ("A/B,B/C", ["A"], "tree", ("A", "A/B", "B", "B/C")),  # no cell decides
        ("root/A,A/B", ["A"], "dag", ("A", "B")),
        ("root/A/B", ["root"], "tree", ("root", "root/A", "root/A/B")),
        ("A/B,B/C/D", ["A"], "tree", ("A", "A/B", "B", "B/C", "B/C/D")),
    ],
)
def test_trees_are_told_from_graphs(write, classes, cells, kind, names):
    path = write("t.arff", small(classes, *cells))
    told = load_dataset(path)
    assert told.label_names == names
    given = load_dataset(path, hierarchy_type=kind)
    assert given.hierarchy == told.hierarchy and (given.Y != told.Y).nnz == 0


def test_the_type_can_be_said(write):
    path = write("t.arff", small("A/B,B/C", "A"))
    assert load_dataset(path).label_names == ("A", "A/B", "B", "B/C")
    graph = load_dataset(path, hierarchy_type="dag")
    assert graph.label_names == ("A", "B", "C") and graph.Y.toarray().tolist() == [[1, 0, 0]]


def test_another_separator(write):
    path = write("t.arff", small("1.2,1/3", "1.2"))
    assert load_dataset(path, class_separator=".").label_names == ("1", "1.2", "1/3")


def test_examples_without_a_class(write):
    """They are rows of zeros that count; n is what CLUS writes for them; dropped, they are left out."""
    path = write("t.arff", small("1,1/2,2", "1/2", "", "n", "''", "2"))
    kept = load_dataset(path)
    np.testing.assert_array_equal(kept.Y.toarray(), [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]])
    dropped = load_dataset(path, without_class="drop")
    np.testing.assert_array_equal(dropped.Y.toarray(), [[1, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(dropped.X[:, 0], [0, 4])
    assert dropped.facts["rows_without_class_dropped"] == 3
    named = load_dataset(write("n.arff", small("n,n/2", "n")))
    assert named.label_names == ("n", "n/2") and named.Y.toarray().tolist() == [[1, 0]]


def test_unknown_classes_are_an_error_unless_dropped(write):
    first = write("t.arff", small("1,2", "1"))
    second = write("u.arff", small("1,2", "2", "?"))
    with pytest.raises(
        UserError, match=r"u\.arff:6: the example's classes are missing; .*--without-class drop"
    ):
        load_dataset(first, test=second)
    dropped = load_dataset(first, test=second, without_class="drop")
    assert dropped.Y.toarray().tolist() == [[1, 0], [0, 1]] and dropped.train_mask.tolist() == [True, False]


def test_used_classes_only(write):
    path = write("t.arff", small("1,1/1,1/2,3", "1/2", "1"))
    declared, used = load_dataset(path), load_dataset(path, classes="used")
    assert declared.label_names == ("1", "1/1", "1/2", "3")
    assert used.label_names == used.hierarchy.names == ("1", "1/2")
    np.testing.assert_array_equal(used.Y.toarray(), [[1, 1], [1, 0]])
    used.save(path.with_suffix(".npz"))
    assert load_dataset(path.with_suffix(".npz")).hierarchy == used.hierarchy
    declared.save(path.with_suffix(".npz"))
    assert load_dataset(path.with_suffix(".npz"), classes="used").hierarchy == used.hierarchy


def test_names_that_stand_twice_get_a_number(write):
    text = "@relation r\n@attribute a numeric\n@attribute a numeric\n@attribute a#2 numeric\n"
    text += "@attribute class hierarchical 1\n@data\n1,2,3,1\n"
    assert load_dataset(write("t.arff", text)).feature_names == ("a", "a#3", "a#2")


@pytest.mark.parametrize(
    "text, options, words",
    [
        (small("1,1/2", "1", "1/9"), {}, ":6: class '1/9' is not declared; "),
        (small("1,1/2", "1", "1/2@"), {}, ":6: a class between two '@' is empty"),
        (small("1,1//2", "1"), {}, ":3: declares the class '1//2', of which a part is empty"),
        (small("1,,2", "1"), {}, ":3: hierarchical attribute 'class' declares an empty class"),
        (small("", "1"), {}, ":3: hierarchical attribute 'class' declares no classes"),
        (small("'1,2", "1"), {}, ":3: hierarchical attribute 'class' has a quote that is not closed"),
        (small("root/A,A/B,B/A", "A"), {}, ":3: the hierarchy has a cycle: A -> B -> A; remove an edge"),
        (small("root/A,A/A", "A"), {}, ":3: the hierarchy has a cycle: A -> A"),
        (small("A/root,root/A", "A"), {}, ":3: 'root' is below 'A'"),
        (small("A/B,B/C/D", "A"), {"hierarchy_type": "dag"}, ":3: 'B/C/D' has 3 parts"),
        (small("1,2", "1"), {"label_count": 1}, "labels are given for a CLUS file"),
        (small("1,2", "1"), {"hierarchy": "e.csv"}, "which has its own"),
        (small("1,2", "1"), {"format": "mulan"}, ":3: attribute 'class' has the unsupported type"),
        (small("1,2", "1"), {"drop": ["class"]}, "attribute 'class' is a label"),
        (small("1,2", "", "n"), {"classes": "used"}, "no row of dataset 't' has a class"),
        (small("1,2", "", "n"), {"without_class": "drop"}, "no training row of dataset 't' has a class"),
        (small("1,2", "1"), {"hierarchy_type": "graph"}, "hierarchy_type is 'graph'"),
        (small("1,2", "1"), {"class_separator": "@"}, "got '@'"),
        (small("1,2", "1", "2,3"), {}, ":6: too many values: 3 for 2 attributes"),
        (
            small("1", "1").replace("a numeric", "b hierarchical 1"),
            {},
            ":3: a second hierarchical attribute, 'class'; the first is 'b'",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,1\n",
            {"format": "clus"},
            "has no hierarchical attribute; declare one",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,1\n",
            {"label_count": -1, "hierarchy_type": "tree"},
            "hierarchy_type is for CLUS files",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,1\n",
            {"label_count": -1, "classes": "used"},
            "classes applies to classes in a hierarchy only, and dataset 't' has none",
        ),
    ],
)
def test_what_is_refused(write, text, options, words):
    with pytest.raises(UserError) as caught:
        load_dataset(write("t.arff", text), **options)
    assert words in str(caught.value)


def test_other_kinds_of_attributes_must_agree(write):
    first, second = (
        write("t.arff", small("1", "1")),
        write("u.arff", small("1", "1").replace("hierarchical 1", "numeric")),
    )
    with pytest.raises(UserError, match=r"u\.arff: has no hierarchical attribute"):
        load_dataset(first, test=second)


def test_the_reader_by_itself(write):
    table = read_arff(write("t.arff", TREE), hierarchical=True)
    assert table.class_column == 2 and table.attributes[2].classes == ("1", "1/1", "1/2", "2/1/3")
    assert [table.cells[int(k)] for k in table.values[:, 2]] == ["1/1@2", "2/1/3@1/2", "1"]
    assert table.cells[0] == ""


@pytest.mark.parametrize(
    "entry, words",
    [
        ({"task": "mlc"}, "task is mlc; leave task out"),
        ({"labels": "c.xml"}, "labels with format clus"),
        ({"hierarchy": "e.csv"}, "hierarchy with format clus"),
        ({"label_count": 3}, "label_count with format clus"),
        ({"classes": "some"}, "classes is 'some'"),
        (
            {"format": "mulan", "hierarchy_type": "dag", "hierarchy": "e.csv"},
            "hierarchy_type with format mulan",
        ),
        ({"format": "mulan", "classes": "used"}, "classes without a hierarchy"),
        ({"format": "mulan", "task": "hmlc"}, "task is hmlc; give hierarchy"),
    ],
)
def test_entries_that_do_not_fit(entry, words):
    with pytest.raises(UserError) as caught:
        entry_from({"id": "mine", "format": "clus", "train": "a.arff", **entry})
    assert words in str(caught.value)


def test_entries_and_the_command_line(write, monkeypatch, capsys):
    path = write("t.arff", small("1,1/1,1/2", "1/2", ""))
    monkeypatch.chdir(path.parent)
    entry = entry_from({"id": "mine", "all": "t.arff", "classes": "used", "without_class": "drop"})
    assert (entry.format, entry.task, entry.mirror_folder) == ("clus", "hmlc", "clus/mine")
    expected = load_dataset(entry)
    assert expected.label_names == ("1", "1/2") and expected.n_train == 1
    options = ["--classes", "used", "--without-class", "drop"]
    assert main(["prepare", "t.arff", *options, "-o", "p.npz"]) == 0
    assert "2 classes in a tree of 2 levels" in capsys.readouterr().err
    data = Data("mine", {"format": "clus", "all": "t.arff", "classes": "used", "without_class": "drop"})
    assert main(["prepare", *shlex.split(data.prepare_options()), "-o", "q.npz"]) == 0
    for name in ("p.npz", "q.npz"):
        found = load_dataset(path.with_name(name))
        assert found.hierarchy == expected.hierarchy and (found.Y != expected.Y).nnz == 0
