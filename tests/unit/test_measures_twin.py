"""The measures against twins that loop over examples, labels and thresholds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.measures import evaluate_all


def quotient(a, b):
    return Fraction(a, b) if b else math.nan


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values) if values else math.nan


def roc(pairs):
    positive, negative = [s for y, s in pairs if y], [s for y, s in pairs if not y]
    if not positive or not negative:
        return Fraction(1, 2)
    wins = sum(Fraction(2 * (a > b) + (a == b), 2) for a in positive for b in negative)
    return wins / (len(positive) * len(negative))


def precision_recall(pairs):
    total = sum(y for y, _ in pairs)
    if not total:
        return Fraction(0)
    points = []
    for threshold in sorted({s for _, s in pairs}, reverse=True):
        above = [y for y, s in pairs if s >= threshold]
        points.append((sum(above), len(above) - sum(above)))
    curve = [(Fraction(0), Fraction(points[0][0], sum(points[0])))]
    curve.append((Fraction(points[0][0], total), curve[0][1]))
    for (tp, fp), (next_tp, next_fp) in itertools.pairwise(points):
        for x in range(tp, next_tp + 1):
            false = fp + Fraction((next_fp - fp) * (x - tp), next_tp - tp) if next_tp > tp else next_fp
            curve.append((Fraction(x, total), x / (x + false)))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(curve))


def twin(truth, scores):
    n, L = len(truth), len(truth[0])
    Y = [{j for j in range(L) if row[j]} for row in truth]
    P = [{j for j in range(L) if row[j] >= Fraction(1, 2)} for row in scores]
    both = [len(y & p) for y, p in zip(Y, P, strict=True)]
    top = [max(range(L), key=lambda j, row=row: (row[j], -j)) for row in scores]
    worst = [
        sum(s >= min(row[j] for j in y) for s in row) if y else 0 for y, row in zip(Y, scores, strict=True)
    ]

    def pairs_wrong(wrong):
        return mean(
            quotient(sum(wrong(row, a, b) for a in y for b in set(range(L)) - y), len(y) * (L - len(y)))
            if 0 < len(y) < L
            else Fraction(0)
            for y, row in zip(Y, scores, strict=True)
        )

    columns = [[(truth[i][j], scores[i][j]) for i in range(n)] for j in range(L)]
    sizes = list(zip(both, Y, P, strict=True))
    n_true, n_predicted = sum(map(len, Y)), sum(map(len, P))
    clus = {
        "hamming-loss": mean(Fraction(len(y ^ p), L) for y, p in zip(Y, P, strict=True)),
        "subset-accuracy": mean(Fraction(y == p) for y, p in zip(Y, P, strict=True)),
        "accuracy": mean(Fraction(b, len(y | p)) if y | p else 1 for b, y, p in sizes),
        "f1": mean(Fraction(2 * b, len(y) + len(p)) if y or p else 1 for b, y, p in sizes),
        "precision": mean(Fraction(b, len(p)) if p else Fraction(not y) for b, y, p in sizes),
        "recall": mean(Fraction(b, len(y)) if y else Fraction(not p) for b, y, p in sizes),
        "micro-precision": quotient(sum(both), n_predicted),
        "micro-recall": quotient(sum(both), n_true),
        "micro-f1": quotient(2 * sum(both), n_true + n_predicted),
        "one-error": mean(Fraction((t in y) != (t in p)) for t, y, p in zip(top, Y, P, strict=True)),
        "coverage": mean(Fraction(w) for w, y in zip(worst, Y, strict=True) if y),
        "ranking-loss": pairs_wrong(lambda row, a, b: row[b] > row[a] or (row[b] == row[a] and b < a)),
        "auroc": mean(map(roc, columns)),
        "auprc": mean(map(precision_recall, columns)),
        "pooled-auprc": precision_recall([pair for column in columns for pair in column]),
    }
    scls = {
        "ranking-loss-ties": pairs_wrong(lambda row, a, b: row[a] <= row[b]),
        "normalised-coverage": mean(Fraction(w, L) for w in worst),
        "normalised-coverage-printed": mean(Fraction(max(w - 1, 0), L) for w in worst),
    }
    textbook = {
        "one-error": mean(Fraction(t not in y) for t, y in zip(top, Y, strict=True)),
        "coverage": clus["coverage"] - 1,
        "ranking-loss": scls["ranking-loss-ties"],
        "average-precision": mean(
            mean(Fraction(sum(row[b] >= row[a] for b in y), sum(s >= row[a] for s in row)) for a in y)
            for y, row in zip(Y, scores, strict=True)
            if y
        ),
    }
    for_label = [
        (
            sum(y[j] and s[j] >= Fraction(1, 2) for y, s in zip(truth, scores, strict=True)),
            sum(y[j] for y in truth),
            sum(s[j] >= Fraction(1, 2) for s in scores),
        )
        for j in range(L)
    ]
    ratios = {
        "macro-precision": [quotient(b, p) for b, _, p in for_label],
        "macro-recall": [quotient(b, y) for b, y, _ in for_label],
        "macro-f1": [quotient(2 * b, y + p) for b, y, p in for_label],
    }
    for name, values in ratios.items():
        defined = [value for value in values if not math.isnan(value)]
        textbook[name] = mean(defined)
        textbook[f"{name}-undefined"] = L - len(defined)
    return {"clus": clus, "scls": scls, "textbook": textbook}


@st.composite
def predictions(draw):
    n, L, K = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.sampled_from([1, 2, 3, 15, 1000]))
    cells = st.tuples(st.booleans(), st.integers(0, K))
    rows = draw(st.lists(st.lists(cells, min_size=L, max_size=L), min_size=n, max_size=n))
    return [[int(y) for y, _ in row] for row in rows], [[v for _, v in row] for row in rows], K


@settings(max_examples=200, deadline=None)
@given(predictions())
def test_measures_equal_their_twins(case):
    truth, votes, K = case
    expected = twin(truth, [[Fraction(v, K) for v in row] for row in votes])
    for definition, values in expected.items():
        computed = evaluate_all(truth, np.array(votes) / K, definition=definition)
        for name, value in values.items():
            assert computed[name] == pytest.approx(float(value), nan_ok=True, abs=1e-12), (definition, name)


def test_measures_of_many_distinct_scores_equal_their_twins():
    """More distinct scores than the sample of the fast numbering holds."""
    random = np.random.default_rng(5)
    scores, truth = random.integers(0, 10**6, (60, 4)), random.integers(0, 2, (60, 4))
    expected = twin(truth.tolist(), [[Fraction(v, 10**6) for v in row] for row in scores.tolist()])["clus"]
    assert evaluate_all(truth, scores / 10**6) == pytest.approx(
        {k: float(v) for k, v in expected.items()}, abs=1e-12
    )
    n = 20_000
    scores, truth = random.random(n), random.random(n) < 0.3
    scores[17] = scores[18]
    values = evaluate_all(truth[:, None], scores[:, None], measures=["auroc"])
    assert values["auroc"] == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_definitions_agree_where_nothing_is_empty(seed):
    """Without empty sets, scikit-learn's numbers are the papers', but for its precision-recall steps."""
    random = np.random.default_rng(seed)
    truth, scores = random.random((40, 6)) < 0.5, random.integers(0, 16, (40, 6)) / 15
    truth[:, 0] |= ~truth.any(axis=1)
    scores[:, 1] = np.where((scores < 0.5).all(axis=1), 0.8, scores[:, 1])
    ours, peer = (evaluate_all(truth, scores, definition=definition) for definition in ("clus", "sklearn"))
    same = {
        "auroc",
        "coverage",
        "accuracy",
        "f1",
        "precision",
        "recall",
        "micro-f1",
        "micro-precision",
        "micro-recall",
    }
    assert {name: ours[name] for name in same} == pytest.approx(
        {name: peer[name] for name in same}, abs=1e-12
    )
    predicted = scores >= 0.5
    assert ours["hamming-loss"] == pytest.approx(metrics.hamming_loss(truth, predicted))
    assert ours["subset-accuracy"] == pytest.approx(metrics.accuracy_score(truth, predicted))
    assert peer["auprc"] == pytest.approx(metrics.average_precision_score(truth, scores))
    scls = evaluate_all(truth, scores, definition="scls")
    assert scls["ranking-loss-ties"] == pytest.approx(metrics.label_ranking_loss(truth, scores))


@pytest.mark.parametrize("n_labels", [1, 2, 7])
def test_macro_averages_with_and_without_undefined_labels(n_labels):
    """scikit-learn counts undefined labels as zeros; the mean over the others leaves them out."""
    random = np.random.default_rng(n_labels)
    for share in (0.05, 0.5):
        truth, scores = (
            random.random((12, n_labels)) < share,
            random.random((12, n_labels)) ** (1 / share - 1),
        )
        ours, peer = (evaluate_all(truth, scores, definition=name) for name in ("textbook", "sklearn"))
        for name in ("macro-precision", "macro-recall", "macro-f1"):
            defined = n_labels - ours[f"{name}-undefined"]
            total = 0.0 if defined == 0 else ours[name] * defined
            assert peer[name] == pytest.approx(total / n_labels, abs=1e-12)
            assert math.isnan(ours[name]) == (defined == 0)
        if n_labels > 1:
            expected = metrics.f1_score(truth, scores >= 0.5, average="macro", zero_division=0)
            assert peer["macro-f1"] == pytest.approx(expected, abs=1e-12)


def test_counts_of_undefined_labels_are_not_tested_unless_named():
    rows = [
        {"dataset": name, "method": "one", "measure": measure, "value": 1.0}
        for name in "ab"
        for measure in ("macro-f1", "macro-f1-undefined")
    ]
    performance = pd.DataFrame(rows)
    assert PerformanceTable(performance, Analysis()).measures == ["macro-f1"]
    named = Analysis(measures=("macro-f1-undefined",))
    assert PerformanceTable(performance, named).measures == ["macro-f1-undefined"]
