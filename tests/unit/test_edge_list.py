"""Hierarchies of flat labels: edge lists, networkx graphs, wherever data are named."""

from __future__ import annotations

import gzip
import shlex

import networkx as nx
import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.configuration import configuration_errors
from mlsieve.configuration.check import ConfigurationErrors, require_valid
from mlsieve.data import load_dataset
from mlsieve.data.catalog import entry_from
from mlsieve.errors import DataNotice, UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.study import Data

CSV = "a,dog,cat,oak,stone\n1,1,0,0,0\n2,0,1,1,0\n3,0,0,0,1\n4,0,0,0,0\n"
EDGES = (
    "parent,child\nanimal,dog\nanimal,cat\npet,dog\nbeing,animal\n"
    "root,pet\nbeing,plant\nplant,oak\nfern,moss\n"
)
NAMES = ("dog", "cat", "oak", "stone", "animal", "pet", "being", "plant")
Y = [[1, 0, 0, 0, 1, 1, 1, 0], [0, 1, 1, 0, 1, 0, 1, 1], [0, 0, 0, 1, 0, 0, 0, 0], [0] * 8]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """d.csv of four labels and e.csv of edges, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(CSV)
    (tmp_path / "e.csv").write_text(EDGES)
    return tmp_path


def test_labels_first_then_the_classes_above_them(files):
    """stone, which no edge names, is top-level; fern and moss are above no label."""
    dataset = load_dataset("d.csv", label_count=-4, hierarchy="e.csv")
    assert dataset.task == "hmlc" and dataset.label_names == dataset.hierarchy.names == NAMES
    np.testing.assert_array_equal(dataset.Y.toarray(), Y)
    parents = {name: {NAMES[p] for p in dataset.hierarchy.parents(c)} for c, name in enumerate(NAMES)}
    assert parents["dog"] == {"animal", "pet"} and parents["oak"] == {"plant"}
    assert parents["stone"] == parents["pet"] == parents["being"] == set()
    used = load_dataset("d.csv", label_count=-4, hierarchy="e.csv", classes="used", without_class="drop")
    assert used.label_names == NAMES and used.n_train == 3


@pytest.mark.parametrize(
    "text",
    [
        EDGES.removeprefix("parent,child\n"),
        EDGES.replace("parent", "Parent ").replace("root,", ","),
        "\n" + EDGES.replace("\n", "\r\n"),
        EDGES.replace(",", " , ").replace("animal", '"animal"').replace(" , ", ","),
    ],
)
def test_headers_roots_line_ends_and_quotes(files, text):
    (files / "f.csv.gz").write_bytes(gzip.compress(text.encode()))
    dataset = load_dataset("d.csv", label_count=-4, hierarchy="f.csv.gz")
    assert dataset.hierarchy == load_dataset("d.csv", label_count=-4, hierarchy="e.csv").hierarchy


def test_a_label_may_be_called_root(files):
    (files / "r.csv").write_text("a,root,leaf\n1,0,1\n")
    (files / "edges.csv").write_text("root,leaf\ntop,root\n")
    with pytest.warns(DataNotice, match="1 row with a label but not the one above it: it was added"):
        dataset = load_dataset("r.csv", label_count=-2, hierarchy="edges.csv")
    assert dataset.label_names == ("root", "leaf", "top") and dataset.Y.toarray().tolist() == [[1, 1, 1]]


def test_a_hierarchy_or_graph_in_place_of_a_file(files):
    rows = [tuple(row.split(",")) for row in EDGES.splitlines()[1:]]
    graph = nx.DiGraph(rows)
    from_graph = load_dataset("d.csv", label_count=-4, hierarchy=Hierarchy.from_networkx(graph, root="root"))
    from_file = load_dataset("d.csv", label_count=-4, hierarchy="e.csv")
    assert set(from_graph.label_names) == set(NAMES) and from_graph.label_names[:4] == NAMES[:4]
    order = [from_graph.label_names.index(name) for name in NAMES]
    np.testing.assert_array_equal(from_graph.Y.toarray()[:, order], from_file.Y.toarray())


def test_everywhere_data_are_named(files, capsys):
    expected = load_dataset("d.csv", label_count=-4, hierarchy="e.csv")
    entry = {"id": "mine", "all": "d.csv", "label_count": -4, "hierarchy": "e.csv"}
    assert entry_from(entry).task == "hmlc"
    found = [load_dataset(entry)]
    assert main(["prepare", "d.csv", "--label-count=-4", "--hierarchy", "e.csv", "-o", "p.npz"]) == 0
    assert "8 classes in a graph of 3 levels" in capsys.readouterr().err
    data = Data("mine", {key: value for key, value in entry.items() if key != "id"})
    assert main(["prepare", *shlex.split(data.prepare_options()), "-o", "q.npz"]) == 0
    (files / "config").mkdir()
    (files / "config" / "datasets.yaml").write_text(f"datasets: [{entry}]\n".replace("'", ""))
    assert main(["prepare", "d.csv", "--label-count=-4", "-o", "flat.npz"]) == 0
    found += [load_dataset("p.npz"), load_dataset("q.npz"), load_dataset("mine")]
    found.append(load_dataset("flat.npz", hierarchy="e.csv"))
    for dataset in found:
        assert dataset.hierarchy == expected.hierarchy and (dataset.Y != expected.Y).nnz == 0
    assert main(["rank", "d.csv", "--label-count=-4", "--hierarchy", "e.csv", "--method", "uniform"]) == 0


def test_a_set_of_the_catalog_with_a_hierarchy(files):
    (files / "digits.csv").write_text("number,even\nnumber,prime\n")
    dataset = load_dataset("digits-mlc", hierarchy="digits.csv")
    assert dataset.label_names[-1] == "number" and dataset.task == "hmlc"
    assert dataset.Y[:, [-1]].sum() == (dataset.Y[:, [0]] + dataset.Y[:, [1]] > 0).sum()
    with pytest.raises(UserError, match="which has its own"):
        load_dataset("digits-hmlc", hierarchy="digits.csv")


def test_studies_check_what_they_are_given(files):
    own = {"id": "mine", "all": "d.csv", "label_count": -4, "hierarchy": "gone.csv"}
    methods = {"methods": [{"id": "uniform"}], "evaluators": [{"id": "weighted-knn"}]}

    def errors(**changes):
        return configuration_errors({"study": "s", "datasets": [own | changes], **methods})

    assert errors(hierarchy="e.csv", classes="used") == []
    with pytest.raises(ConfigurationErrors, match=r"datasets\[0\]\.hierarchy: no such file: gone\.csv"):
        require_valid({"study": "s", "datasets": [own], **methods})
    assert "task is mlc" in errors(hierarchy="e.csv", task="mlc")[0]
    assert any(line.startswith("datasets[0].classes: ") for line in errors(hierarchy="e.csv", classes="x"))


@pytest.mark.parametrize(
    "text, words",
    [
        ("animal,dog\ndog,cat\ncat,animal\noak,being\n", "e.csv:3: the hierarchy has a cycle: "),
        ("animal,dog\ndog,dog\n", "e.csv:2: the hierarchy has a cycle: dog -> dog"),
        ("animal,dog,cat\n", "e.csv:1: 3 cells, not a parent and a child; write a parent"),
        ("animal\n", "e.csv:1: 1 cell,"),
        ("animal,dog\nanimal,\n", "e.csv:2: no child of 'animal'"),
        ("animal,dog\n\ndog,root\n", "e.csv:3: 'root' is below 'dog'"),
        (
            "animal,dgo\n",
            "e.csv: names 'dgo' and others, but none of the 4 labels, such as 'dog'; did you mean 'dog'?",
        ),
        ("parent,child\n", "e.csv: has no edges"),
        ('animal,"dog\n', "e.csv:1: not valid CSV"),
    ],
)
def test_what_is_refused(files, text, words):
    (files / "e.csv").write_text(text)
    with pytest.raises(UserError) as caught:
        load_dataset("d.csv", label_count=-4, hierarchy="e.csv")
    assert words in str(caught.value)
