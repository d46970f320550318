"""MDLP cuts against a naive recursion, by hand, and what sparse data cost in every method."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from collections import Counter
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.discretize import Discretization, learn_cuts
from mlsieve.discretize.files import SplitCuts

pytestmark = pytest.mark.kernel


def entropy(classes):
    n = len(classes)
    return -sum(count / n * math.log2(count / n) for count in Counter(classes).values())


def naive_mdlp(values, classes):
    """Cuts by the definition, rising; each recursion tries every mid-point."""
    n = len(values)
    distinct = sorted(set(values))
    best = None
    for low, high in itertools.pairwise(distinct):
        cut = low + (high - low) / 2
        parts = [[c for v, c in zip(values, classes, strict=True) if (v > cut) == side] for side in (0, 1)]
        left = sum(len(part) / n * entropy(part) for part in parts)
        if best is None or left < best[0] - 1e-12 * math.log2(n):
            best = left, cut, parts
    if best is None:
        return []
    left, cut, parts = best
    k, *ks = (len(set(part)) for part in (classes, *parts))
    delta = math.log2(3**k - 2) - (
        k * entropy(classes) - sum(own * entropy(part) for own, part in zip(ks, parts, strict=True))
    )
    cost = (math.log2(n - 1) + delta) / n
    if not entropy(classes) - left > cost + 1e-12 * math.log2(n):
        return []
    below = [(v, c) for v, c in zip(values, classes, strict=True) if v < cut]
    above = [(v, c) for v, c in zip(values, classes, strict=True) if v > cut]
    return [
        *naive_mdlp(*map(list, zip(*below, strict=True))),
        cut,
        *naive_mdlp(*map(list, zip(*above, strict=True))),
    ]


@st.composite
def problems(draw):
    """Columns that follow the labels closely enough to be cut, and others; rows in random order."""
    n, n_labels = draw(st.integers(2, 60)), draw(st.integers(1, 3))
    Y = np.repeat(draw(arrays(np.uint8, (6, n_labels), elements=st.integers(0, 1))), n // 6 + 1, axis=0)[:n]
    steps = draw(st.lists(st.sampled_from([0.0, 1.0, 0.0, -1.0, 2.5]), min_size=n, max_size=n))
    follows = np.sort(np.array(steps) + np.arange(n) // draw(st.integers(1, 12)))
    often_zero = np.where(np.arange(n) % 7 < draw(st.integers(0, 7)), 0.0, follows)
    noise = draw(arrays(np.float64, (n,), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0])))
    order = draw(st.permutations(range(n)))
    X = np.column_stack([follows, often_zero, noise])[order]
    if draw(st.booleans()):
        X[0, 0] = np.nan
    return X, Y[order]


@settings(max_examples=200, deadline=None)
@given(problems())
def test_mdlp_is_that_of_the_definition(problem):
    X, Y = problem
    expected = []
    for column in X.T:
        known = ~np.isnan(column)
        expected.append(naive_mdlp(column[known].tolist(), list(map(tuple, Y[known].tolist()))))
    for storage in (np.asarray, sp.csr_array):
        cuts = learn_cuts(storage(X), sp.csr_array(Y), method="mdlp")
        assert [cuts.of(feature).tolist() for feature in range(3)] == expected


def test_the_recursion_cuts_and_stops():
    """Of 24 rows of three classes in a row two cuts are accepted, and no cut of 24 rows in turns."""
    classes = np.repeat([0, 1, 2], 8)
    labels = sp.csr_array(np.column_stack([classes == 1, classes == 2]).astype(np.uint8))
    X = np.column_stack([np.arange(24.0), np.arange(24) * 7 % 24, np.arange(24) < 8])
    cuts = learn_cuts(X, labels, method="mdlp")
    assert cuts.of(0).tolist() == [7.5, 15.5] and cuts.of(2).tolist() == [0.5]
    assert cuts.of(1).tolist() == naive_mdlp(X[:, 1].tolist(), classes.tolist()) == []


@pytest.mark.parametrize(
    ("label", "cuts"),
    [("01", [0.5]), ("0101", []), ("00001110", []), ("0" * 8 + "1" * 6 + "00", [7.5, 13.5])],
)
def test_one_label_by_hand(label, cuts):
    """A cut is accepted if its gain is above (log2(n - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / n.

    01: gain 1, cost (0 + 2.807 - 2) / 2 = 0.404. 0101: gain 0.311, cost (1.585 + 2.644) / 4 = 1.057.
    00001110, cut after the fourth: gain 0.954 - 0.406 = 0.549, cost (2.807 + 2.521) / 8 = 0.666; of twice as
    many rows (3.907 + 2.521) / 16 = 0.402, and the upper part, 11111100: gain 0.811, cost 0.499.
    """
    Y = sp.csr_array(np.array([[int(digit)] for digit in label], np.uint8))
    X = np.arange(len(label), dtype=float)[:, None]
    assert learn_cuts(X, Y, method="mdlp").of(0).tolist() == cuts


def test_the_lowest_of_equal_cuts_is_taken():
    """Classes 0 1 0, each of 20 rows: cutting after the first or before the last leaves the same entropy."""
    Y = sp.csr_array(np.repeat([0, 1, 0], 20).astype(np.uint8)[:, None])
    X = np.repeat([[1.0], [2.0], [3.0]], 20, axis=0)
    assert learn_cuts(X, Y, method="mdlp").of(0).tolist() == [1.5, 2.5]


def test_a_class_for_every_twelfth_row_pays_for_no_cut(mirror):
    """Yeast has 198 label sets in 2,417 rows, scene 15 in 2,407."""
    dataset = load_dataset("yeast")
    cuts = learn_cuts(dataset.X, dataset.Y, method="mdlp")
    assert len(cuts.cuts) == 0 and not cuts.transform(dataset.X).any()
    scene = load_dataset("scene")
    assert (np.diff(learn_cuts(scene.X, scene.Y, method="mdlp").start) > 0).sum() > 280


def test_the_command_cuts_by_mdlp(tmp_path):
    path = tmp_path / "cuts.npz"
    assert main(["discretise", "synthetic-linear", "--method", "mdlp", "--cuts", str(path)]) == 0
    dataset = load_dataset("synthetic-linear")
    (found,) = SplitCuts.load(path).by_repeat.values()
    expected = learn_cuts(dataset.X_train, dataset.Y_train, method="mdlp")
    assert found.cuts.tolist() == expected.cuts.tolist()
    relevant = dataset.facts["relevant"]
    assert (np.diff(found.start)[relevant] > 0).any()


MEMORY = """
import json, resource, sys
import numpy as np, scipy.sparse as sp
from mlsieve.discretize import learn_cuts

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

rng = np.random.default_rng(0)
n, n_features, a_row = 20_000, 5_000, 50
columns = rng.integers(0, n_features, (n, a_row)).ravel()
X = sp.csr_array((rng.random(n * a_row), (np.repeat(np.arange(n), a_row), columns)), (n, n_features))
Y = sp.csr_array((rng.random((n, 8)) < 0.2).astype(np.uint8))
before = peak()
found = learn_cuts(X, Y, method=sys.argv[1]).transform(X)
print(json.dumps([type(found).__name__, found.nnz <= X.nnz, peak() - before]))
"""


@pytest.mark.parametrize("method", get_args(Discretization))
def test_sparse_data_stay_sparse_and_take_the_memory_of_what_they_list(method):
    """Of 20,000 x 5,000 cells, 763 MB, 1 % are listed: 12 MB, as values and column indices."""
    run = subprocess.run([sys.executable, "-c", MEMORY, method], capture_output=True, text=True, check=True)
    kind, sparse, megabytes = json.loads(run.stdout)
    assert kind == "csr_array" and sparse
    assert megabytes < 80
