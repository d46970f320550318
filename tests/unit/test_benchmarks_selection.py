"""The plain forms that selection is measured against find what mlsieve finds; what the rows say of it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import comparison, curves, document, figure, goals, plan
from benchmarks.contenders import ours, plain_numpy, plain_scipy
from benchmarks.data import binary_synthetic, synthetic
from benchmarks.table import Row
from mlsieve.data import load_dataset
from mlsieve.discretize import learn_cuts
from mlsieve.selectors.mdmr import mdmr_selection
from mlsieve.selectors.scls import scls_selection

SHAPE = {"n": 300, "F": 40, "L": 6, "cardinality": 2, "ones": 6}


def dense(matrix):
    return matrix.toarray().astype(float)


def test_plain_scipy_selects_the_same_features():
    dataset = binary_synthetic("x", **SHAPE)
    found = scls_selection(dataset.X, dataset.Y, k=15, nominal=dataset.nominal)
    assert plain_scipy.scls(dataset.X, dataset.Y, 15) == found.order[:15].tolist()


def test_plain_scipy_selects_the_same_features_of_bibtex(mirror):
    dataset, k = load_dataset("bibtex"), goals.SELECTED["bibtex"]
    found = scls_selection(dataset.X, dataset.Y, nominal=dataset.nominal)
    assert found.n_selected == k
    assert plain_scipy.scls(dataset.X, dataset.Y, k) == found.order[:k].tolist()


def test_plain_numpy_selects_the_same_features():
    dataset = binary_synthetic("x", **SHAPE)
    found = mdmr_selection(dataset.X, dataset.Y, k=15, nominal=dataset.nominal)
    assert plain_numpy.mdmr(dense(dataset.X), dense(dataset.Y), 15) == found.order[:15].tolist()


def test_the_naive_laim_finds_the_same_cuts():
    dataset = synthetic("x", n=80, F=5, L=4, cardinality=1)
    X = np.round(dataset.X_train, 1)
    cuts = learn_cuts(X, dataset.Y_train)
    for feature in range(5):
        naive = plain_numpy.laim(X[:, feature], dense(dataset.Y_train))
        assert naive == pytest.approx(cuts.of(feature).tolist())


def test_the_naive_laim_tells_how_many_features_it_has_cut():
    spec = {"work": "laim", "dataset": "x", "amount": 2}
    shape = {"n": 30, "F": 5, "L": 4, "cardinality": 1}
    assert plain_numpy.prepare(spec | {"shape": shape})() == {"amount": 2, "full": 5}


def test_binary_synthetic_data_have_the_shape_asked_for():
    dataset = binary_synthetic("x", n=2000, F=50, L=8, cardinality=2, ones=6)
    assert dataset.X.shape == (2000, 50) and dataset.Y.shape == (2000, 8)
    assert set(dataset.X.data.tolist()) == {1.0} and dataset.nominal.all() and dataset.n_train == 2000
    assert dataset.X.nnz / 2000 == pytest.approx(6, rel=0.02)
    assert dataset.label_cardinality == pytest.approx(2, rel=0.02)


def test_selection_is_measured_with_one_thread_on_the_sets_that_have_goals():
    families, peers = ("selection", "mdmr", "laim", "memory"), ("mlsieve", "plain scipy", "plain numpy")
    tasks = list(plan.tasks(families, goals.DATASETS, 2, peers, False))
    found = {(task.work, task.dataset) for task in tasks if task.work != "memory"}
    works = ("selection", "mdmr", "laim", "selection-memory")
    assert found == {(work, dataset) for work in works for dataset in goals.GOALS[work]}
    for task in tasks:
        assert {side.threads for side in task.contenders} == {1}
        if task.work == "mdmr":
            mine, theirs = task.contenders
            assert mine.amount == mine.full == theirs.full == goals.SELECTED[task.dataset] > theirs.amount
        if task.work == "selection-memory":
            spec = task.spec(task.contenders[0], 9)
            assert (spec["work"], spec["once"]) == ("selection", True)


def test_the_data_are_what_they_hold_in_memory():
    spec = {"work": "selection", "dataset": "x", "threads": 1, "amount": 3, "shape": SHAPE}
    dataset = binary_synthetic("x", **SHAPE)
    held = sum(m.data.nbytes + m.indices.nbytes + m.indptr.nbytes for m in (dataset.X, dataset.Y))
    assert ours.prepare(spec)()["data_mib"] == pytest.approx(held / 2**20)


@pytest.mark.parametrize(("peak", "met"), [("9", "yes"), ("13", "no")])
def test_memory_must_stay_below_twice_the_data(peak, met):
    row = Row("selection-memory", "bibtex", "mlsieve", "", "1", "86", "86", cpu="1", wall="1", peak_mib=peak)
    rows = [Row(**{**vars(row), "data_mib": "6"})]
    (ratio,) = comparison.ratios(rows, "selection-memory")
    assert (ratio.value, ratio.met) == (6 / float(peak), met)
    assert f"| bibtex | 86 | {peak} | 6 | {float(peak) / 6:.3g} | 1 |" in document.text(rows)


def test_the_cost_of_selection_is_drawn_apart_from_that_of_learning():
    rows = [
        Row("curve-k", str(k), "mlsieve", work, "1", cpu=repr(1e-3 * k**slope))
        for work, slope in (("selection", 0.5), ("mdmr", 1))
        for k in (10, 20, 40)
    ]
    assert figure.curves_figure(rows, curves.LEARNING) is None
    (panel,) = figure.curves_figure(rows, curves.SELECTION).axes
    assert panel.get_title() == "selected features k"
    assert [text.get_text() for text in panel.texts] == ["0.50", "1.00"]
    text = document.text(rows)
    assert "| SCLS | 0.50 |" in text and "| MDMR | 1.00 |" in text
    assert curves.LEARNING.title + "\n" not in text


def test_curves_of_selection_select_as_many_features_as_they_say():
    tasks = [task for task in plan.tasks(("curves",), (), 1, (), False) if "ones" in task.shape]
    assert {task.work for task in tasks} == {"curve-n", "curve-F", "curve-L", "curve-k"}
    for task in tasks:
        k = int(task.dataset) if task.work == "curve-k" else curves.SELECTION.base["k"]
        assert [side.amount for side in task.contenders] == [k, k]
        assert task.spec(task.contenders[1], 9)["work"] == "mdmr" and "k" not in task.shape
