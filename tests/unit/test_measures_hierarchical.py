"""Measures of labels with a hierarchy: by hand, against loops over sets, and under which names."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import available, choose, default_definition, evaluate_all
from mlsieve.measures.curves import precision_recall_area, roc_area

NAN = math.nan
OWN = ["hierarchical-precision", "hierarchical-recall", "hierarchical-f1"]
AREAS = ["auroc", "auprc", "pooled-auprc"]
# a above b and c; d below both b and c; e alone
DIAMOND = Hierarchy.from_parents({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": []})


def rows(*sets: str) -> np.ndarray:
    """Label sets such as "ab", as rows of a matrix."""
    return np.array([[name in one for name in DIAMOND.names] for one in sets])


@pytest.mark.parametrize(
    "truth, predicted, expected",
    [
        # closed: {a, b} and {a, c}: only a in common
        (["ab"], ["ac"], (1 / 2, 1 / 2, 1 / 2)),
        # d brings a, b and c: 2 of 4 predicted are true, both true ones predicted
        (["ab"], ["d"], (1 / 2, 1, 2 / 3)),
        # leaves only, on both sides: {a, b, c, d} and {a, b}
        (["d"], ["b"], (1, 1 / 2, 2 / 3)),
        # pooled, not averaged: 1 + 1 of 1 + 2 predicted, of 4 + 1 true
        (["d", "e"], ["a", "e"], (1, 2 / 5, 4 / 7)),
        ([""], ["e"], (0, NAN, 0)),
        (["e"], [""], (NAN, 0, 0)),
        ([""], [""], (NAN, NAN, NAN)),
    ],
)
def test_sets_are_closed_upwards_and_pooled(truth, predicted, expected):
    predicted = rows(*predicted)
    values = evaluate_all(rows(*truth), predicted.astype(float), measures=OWN, hierarchy=DIAMOND)
    assert list(values.values()) == pytest.approx(expected, nan_ok=True)


def test_classes_without_positives_are_pooled_by_the_paper_and_left_out_by_clus():
    truth, scores = rows("a", "a"), np.array([[0.9, 0.5, 0, 0, 0.9], [0.5, 0, 0, 0, 0]])
    paper, clus = (
        evaluate_all(truth, scores, measures=AREAS, definition=definition, hierarchy=DIAMOND)
        for definition in ("paper", "clus")
    )
    # The pool of all: (1, 1) at 0.9, (2, 2) at 0.5; precision 1/2 throughout. Of a alone: no negative.
    assert paper == pytest.approx({"auroc": 0.5, "auprc": 1 / 5, "pooled-auprc": 0.5})
    assert clus == pytest.approx({"auroc": 0.5, "auprc": 1.0, "pooled-auprc": 1.0})
    for flat in (None, "clus", "paper"):  # without a hierarchy there is no class to leave out
        assert evaluate_all(truth, scores, measures=AREAS, definition=flat) == paper
    assert evaluate_all(truth, scores, measures=AREAS, hierarchy=DIAMOND) == paper


def test_nothing_true_is_undefined_where_classes_without_positives_are_left_out():
    truth, scores = rows("", ""), np.full((2, 5), 0.3)
    clus = evaluate_all(truth, scores, measures=AREAS, definition="clus", hierarchy=DIAMOND)
    assert list(clus.values()) == pytest.approx([NAN] * 3, nan_ok=True)
    paper = evaluate_all(truth, scores, measures=AREAS, hierarchy=DIAMOND)
    assert paper == {"auroc": 0.5, "auprc": 0.0, "pooled-auprc": 0.0}


def twin_sets(predicted: np.ndarray) -> list[set[str]]:
    found = []
    for row in predicted:
        members = {name for name, has in zip(DIAMOND.names, row, strict=True) if has}
        while True:
            above = {DIAMOND.names[p] for name in members for p in DIAMOND.parents(DIAMOND.names.index(name))}
            if above <= members:
                break
            members |= above
        found.append(members)
    return found


@st.composite
def predictions(draw):
    n = draw(st.integers(1, 6))
    cells = st.tuples(st.booleans(), st.integers(0, 4))
    drawn = draw(st.lists(st.lists(cells, min_size=5, max_size=5), min_size=n, max_size=n))
    truth = np.array([[y for y, _ in row] for row in drawn])
    scores = np.array([[v / 4 for _, v in row] for row in drawn])
    return truth, scores


@settings(max_examples=150, deadline=None)
@given(predictions())
def test_hierarchical_measures_equal_their_twins(case):
    truth, scores = case
    Y, P = twin_sets(truth), twin_sets(scores >= 0.5)
    both = sum(len(y & p) for y, p in zip(Y, P, strict=True))
    n_true, n_predicted = sum(map(len, Y)), sum(map(len, P))
    whole = np.array([[name in y for name in DIAMOND.names] for y in Y])
    kept = [c for c in range(5) if whole[:, c].any()]
    expected = {
        "hierarchical-precision": both / n_predicted if n_predicted else NAN,
        "hierarchical-recall": both / n_true if n_true else NAN,
        "hierarchical-f1": 2 * both / (n_true + n_predicted) if n_true + n_predicted else NAN,
        "auroc": np.mean([roc_area(whole[:, c], scores[:, c]) for c in kept]) if kept else NAN,
        "auprc": np.mean([precision_recall_area(whole[:, c], scores[:, c]) for c in kept]) if kept else NAN,
        "pooled-auprc": precision_recall_area(whole[:, kept].ravel(), scores[:, kept].ravel())
        if kept
        else NAN,
    }
    values = evaluate_all(truth, scores, definition="clus", measures=list(expected), hierarchy=DIAMOND)
    assert values == pytest.approx(expected, nan_ok=True, abs=1e-12)
    truth = sp.csr_array(truth.astype(np.uint8))
    again = evaluate_all(truth, scores, definition="clus", measures=list(expected), hierarchy=DIAMOND)
    assert again == pytest.approx(values, nan_ok=True, abs=0)


def test_of_closed_sets_the_hierarchical_measures_are_the_micro_averaged_ones():
    random = np.random.default_rng(2)
    truth = DIAMOND.close(random.random((40, 5)) < 0.3).toarray()
    predicted = DIAMOND.close(random.random((40, 5)) < 0.3).toarray()
    values = evaluate_all(truth, predicted.astype(float), hierarchy=DIAMOND)
    for name in ("precision", "recall", "f1"):
        assert values[f"hierarchical-{name}"] == values[f"micro-{name}"]


def test_all_measures_of_a_hierarchy_are_three_more_than_of_flat_labels():
    flat = set(available("clus"))
    assert len(flat) == 15 and set(available("paper")) == flat
    for definition in ("clus", "paper"):
        assert set(available(definition, hierarchical=True)) == flat | set(OWN)
    assert set(available("sklearn", hierarchical=True)) == set(available("sklearn"))
    truth = rows("ab", "e")
    assert set(evaluate_all(truth, truth.astype(float))) == flat
    assert set(evaluate_all(truth, truth.astype(float), hierarchy=DIAMOND)) == flat | set(OWN)


def test_the_data_choose_the_definition_unless_it_is_named():
    assert (default_definition(False), default_definition(True)) == ("clus", "paper")
    assert {measure.definition for measure in choose()} == {"clus"}
    assert {measure.definition for measure in choose(hierarchical=True)} == {"paper"}
    # Beside the others both can be asked for; each says whose it is.
    both = choose(["pooled-auprc", "pooled-auprc-clus"], hierarchical=True)
    assert [(measure.id, measure.definition) for measure in both] == [
        ("pooled-auprc", "paper"),
        ("pooled-auprc-clus", "clus"),
    ]
    of_clus = choose(["pooled-auprc"], "clus", hierarchical=True)
    assert of_clus[0].function is both[1].function
    # The function of all classes is nowhere called CLUS's where CLUS leaves some out.
    [borrowed] = choose(["pooled-auprc"], "scls", hierarchical=True)
    assert (borrowed.definition, borrowed.function) == ("paper", both[0].function)


@pytest.mark.parametrize("name", [*OWN, "auprc-clus"])
def test_a_measure_of_hierarchies_is_refused_for_flat_labels(name):
    with pytest.raises(UserError, match=f"measure '{name}' needs a hierarchy of classes, .* are flat"):
        evaluate_all([[1, 0]], [[0.5, 0.5]], measures=[name])


def test_a_hierarchy_of_other_classes_is_refused():
    with pytest.raises(ValueError, match="a hierarchy of 5 classes does not fit 2 labels"):
        evaluate_all([[1, 0]], [[0.5, 0.5]], hierarchy=DIAMOND)


@pytest.mark.parametrize("n, n_labels, density", [(200, 40, 0.05), (30, 300, 0.3), (60, 7, 0.9)])
def test_areas_of_all_labels_at_once_are_those_of_one_label_after_the_other(n, n_labels, density):
    """Also of labels whose highest score is below that of others, without positives, or without negatives."""
    random = np.random.default_rng(n)
    scores = random.integers(0, 11, (n, n_labels)) / 10 * (random.random((n, n_labels)) < density)
    truth = random.random((n, n_labels)) < scores / 2 + 0.02
    truth[:, 0], truth[:, 1], scores[:, 2], scores[:, 3] = False, True, 0.0, 1.0
    values = evaluate_all(truth, scores, measures=["auroc", "auprc"])
    columns = list(zip(truth.T, scores.T, strict=True))
    expected = [np.mean([area(*column) for column in columns]) for area in (roc_area, precision_recall_area)]
    assert list(values.values()) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("digits", [1, 9])
def test_ranking_loss_of_wide_labels_is_that_of_sorted_labels(digits):
    """With few distinct scores and with many; the commonest score is neither the highest nor the lowest."""
    random = np.random.default_rng(digits)
    scores = np.where(random.random((50, 60)) < 0.6, 0.5, random.random((50, 60)).round(digits))
    truth = random.random((50, 60)) < 0.2
    truth[0], truth[1] = False, True
    losses = []
    for relevant, row in zip(truth, scores, strict=True):
        order = sorted(range(60), key=lambda j, row=row: (-row[j], j))
        wrong = sum(not relevant[j] for i, label in enumerate(order) if relevant[label] for j in order[:i])
        losses.append(wrong / max(relevant.sum() * (~relevant).sum(), 1))
    value = evaluate_all(truth, scores, measures=["ranking-loss"])["ranking-loss"]
    assert value == pytest.approx(np.mean(losses), abs=1e-15)


def test_every_measure_takes_the_classes_above_those_named():
    """Truth that names leaves alone is worth what the closed truth is worth."""
    hierarchy = Hierarchy.from_edges([("A", "C"), ("B", "C"), ("A", "D")], ["A", "B", "C", "D"])
    leaves = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]])
    scores = np.array(
        [[0.9, 0.4, 0.3, 0.2], [0.7, 0.1, 0.1, 0.6], [0.5, 0.8, 0.4, 0.1], [0.3, 0.2, 0.1, 0.1]]
    )
    closed = hierarchy.close(leaves).toarray()
    for definition in ("paper", "clus"):
        settings = {"definition": definition, "hierarchy": hierarchy}
        named, whole = (evaluate_all(truth, scores, **settings) for truth in (leaves, closed))
        np.testing.assert_equal(named, whole)
    assert evaluate_all(leaves, scores) != evaluate_all(closed, scores)
