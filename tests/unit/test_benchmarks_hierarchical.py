"""Benchmarks on classes of a hierarchy: the input of peers, the synthetic data, and what the rows say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import comparison, curves, document, figure, goals, hierarchical, hierarchical_plan, plan
from benchmarks.contenders import clus_hierarchical, plain_scipy
from benchmarks.data import load
from benchmarks.table import Row
from mlsieve.data.dataset import Dataset
from mlsieve.distances.label_sets import hierarchical_distance
from mlsieve.hierarchy import Hierarchy


def dataset_of(hierarchy, rows):
    """Return data of two features, the first one nominal, whose rows belong to the named classes."""
    Y = np.array([[name in row.split() for name in hierarchy.names] for row in rows])
    return Dataset(
        name="x",
        X=np.column_stack([np.arange(len(rows)) % 2, np.arange(len(rows)) + 0.5]).astype(float),
        Y=hierarchy.close(sp.csr_array(Y)),
        train_mask=np.ones(len(rows), bool),
        nominal=np.array([True, False]),
        categories=(("a", "b"), ()),
        feature_names=("f", "g"),
        label_names=hierarchy.names,
        task="hmlc",
        hierarchy=hierarchy,
    )


def lines_for_clus(path, dataset):
    clus_hierarchical.write_arff(path, dataset, dataset.X.shape[0])
    return path.read_text().splitlines()


def test_clus_gets_paths_of_a_tree_and_the_last_class_of_each(tmp_path):
    data = dataset_of(Hierarchy.from_paths(["1/1", "1/2", "2"]), ["1/1 2", "1/2", "1"])
    data.X[1, 1] = np.nan
    lines = lines_for_clus(tmp_path / "x.arff", data)
    assert lines[1:4] == [
        "@attribute x0 {0,1}",
        "@attribute x1 numeric",
        "@attribute class hierarchical 1,1/1,1/2,2",
    ]
    assert lines[5:] == ["0,0.5,1/1@2", "1,?,1/2", "0,2.5,1"]
    settings = clus_hierarchical.settings(data, "hmlc-bagging", 3, 10, 1)
    assert "Type = Tree" in settings and "EnsembleMethod = Bagging" in settings and "Target = 3" in settings


def test_clus_gets_edges_of_a_graph(tmp_path):
    data = dataset_of(Hierarchy.from_edges([("a", "c"), ("b", "c")]), ["c", "a"])
    lines = lines_for_clus(tmp_path / "x.arff", data)
    assert lines[3] == "@attribute class hierarchical root/a,a/c,b/c,root/b"
    assert lines[5:] == ["0,0.5,c", "1,1.5,a"]
    assert "Type = DAG" in clus_hierarchical.settings(data, "hmlc-forest", 2, 10, 1)


@pytest.mark.parametrize("classes", [100, 1000])
def test_synthetic_examples_have_nine_classes_however_many_there_are(classes):
    data = load("x", {"n": 300, "F": 6, "classes": classes})
    assert data.Y.shape == (300, classes) == (300, data.hierarchy.n_classes)
    assert set(np.diff(data.Y.indptr).tolist()) == {9}
    assert data.hierarchy.depth.max() == 2


def test_the_synthetic_graph_is_like_the_gene_ontology():
    graph = hierarchical.synthetic_graph(2000)
    assert graph.n_classes == 2000 and not graph.is_tree
    assert 1.3 < graph.n_edges / graph.n_classes < 1.5
    assert 8 <= graph.depth.max() <= 25


def test_all_pairs_in_scipy_find_the_divisor_of_relief():
    graph = hierarchical.synthetic_graph(150)
    found = plain_scipy.largest_difference(
        sp.csr_array(graph.ancestors, dtype=float), graph.weights(), block=64
    )
    nothing = sp.csr_array((1, 150), dtype=np.uint8)
    assert np.sqrt(found) == pytest.approx(hierarchical_distance(graph, nothing, mu="pairs").divisor)


def test_means_take_the_place_of_missing_values():
    X = np.array([[1.0, np.nan], [3.0, 2.0], [np.nan, 4.0]])
    assert hierarchical.imputed(X).tolist() == [[1, 3], [3, 2], [2, 4]]


def tasks(families, datasets, quick=False):
    return list(plan.tasks(families, datasets, 2, ["mlsieve", "scikit-learn", "CLUS", "plain scipy"], quick))


def test_hierarchies_and_flat_data_sets_keep_to_their_own_rows():
    everything = tasks(plan.FAMILIES, goals.DATASETS + goals.HIERARCHICAL)
    by_work = {}
    for task in everything:
        by_work.setdefault(task.work, set()).add(task.dataset)
    assert by_work["forest"] == set(goals.DATASETS)
    for family in ("hmlc-forest", "hmlc-bagging", "hmlc-relief", "hmlc-memory"):
        assert by_work[family] == set(hierarchical.DATASETS) == set(goals.GOALS[family])
    assert by_work["hmlc-complete"] == set(hierarchical.COMPLETE) == set(goals.GOALS["hmlc-complete"])
    assert by_work["pairs"] == {"10000 terms"}
    assert by_work["curve-classes"] == {"100", "300", "1000", "3000", "10000"}
    assert set(hierarchical_plan.FAMILIES) < set(plan.FAMILIES)


def test_the_start_of_clus_is_measured_with_the_rows_that_need_it():
    assert [task.dataset for task in tasks(["hmlc-relief"], ["seq_GO"]) if task.work == "start"] == ["relief"]
    assert [task.dataset for task in tasks(["hmlc-forest"], ["seq_GO"]) if task.work == "start"] == ["forest"]
    (task,) = tasks(["hmlc-bagging"], ["seq_GO"])[1:]
    told = task.spec(task.contenders[1], 1000.0)
    assert told["limit"] == hierarchical.CLUS_LIMITS[("hmlc-bagging", "seq_GO")]


def row(work, dataset="seq_GO", contender="mlsieve", **values):
    return Row(work, dataset, contender, values.pop("variant", ""), "1", **values)


def test_memory_beside_clus_is_a_ratio_of_peaks():
    rows = [
        row("hmlc-memory", cpu="1", wall="1", peak_mib="20", amount="4"),
        row("hmlc-memory", contender="CLUS", cpu="90", wall="90", peak_mib="500", amount="4"),
    ]
    (ratio,) = comparison.ratios(rows, "hmlc-memory")
    assert (ratio.value, ratio.goal, ratio.met) == (25, 10, "yes")
    assert "| seq_GO | CLUS |  | 4 | 500 | 90 |" in document.text(rows)


@pytest.mark.parametrize(("most", "met"), [("1.19", "yes"), ("1.3", "no")])
def test_the_cost_must_be_flat_to_within_a_fifth(most, met):
    rows = [
        row("curve-classes", classes, variant="hmlc-forest", cpu=cpu)
        for classes, cpu in (("100", "1"), ("1000", most), ("10000", "1.1"))
    ]
    (ratio,) = comparison.ratios(rows, "classes")
    assert ratio.value == pytest.approx(1 / float(most))
    assert ratio.met == met
    assert figure.curves_figure(rows, curves.CLASSES) is not None
    assert "![CPU seconds of random forest, bagging and Relief against classes]" in document.text(rows)
