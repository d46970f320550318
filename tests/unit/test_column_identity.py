"""Columns are identified by content: their order in the file changes nothing."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mlsieve.data.column_contents import (
    canonical_order,
    canonical_places,
    code_digests,
    column_digests,
    value_digests,
)

CELLS = st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.5, np.nan, -np.nan, -3.0])
SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9)
TABLES = hnp.arrays(np.float64, SHAPES, elements=CELLS)
SEEDS = st.integers(0, 2**63 - 1)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two columns hold the same values, all NaN being one and so both zeros."""
    return bool(((a == b) | (np.isnan(a) & np.isnan(b))).all())


@given(TABLES)
def test_columns_have_the_same_digest_if_and_only_if_they_hold_the_same_values(X):
    digests = column_digests(X)
    for i in range(X.shape[1]):
        for j in range(X.shape[1]):
            assert (digests[i] == digests[j]) == same(X[:, i], X[:, j])


@given(X=TABLES, seed=SEEDS, data=st.data())
def test_neither_storage_nor_position_changes_a_digest_or_the_order_of_contents(X, seed, data):
    digests = column_digests(X)
    stored = sp.coo_array(X)  # with the NaN, without the zeros
    assert (column_digests(sp.csr_array(stored)) == digests).all()
    assert (column_digests(sp.csc_array(stored)) == digests).all()
    p = np.array(data.draw(st.permutations(range(X.shape[1]))))
    assert (column_digests(np.ascontiguousarray(X[:, p])) == digests[p]).all()
    order, permuted = canonical_order(digests, seed), canonical_order(digests[p], seed)
    assert (digests[order] == digests[p][permuted]).all()
    assert sorted(order) == list(range(X.shape[1]))
    assert (canonical_places(digests, seed)[order] == np.arange(len(order))).all()


@given(hnp.arrays(np.uint64, st.integers(1, 30), elements=st.integers(0, 5)), SEEDS)
def test_equal_columns_follow_one_another_the_lower_first(digests, seed):
    order, group = canonical_order(digests, seed), np.unique(digests, return_inverse=True)[1]
    runs = 1 + np.count_nonzero(np.diff(group[order]))
    assert runs == len(np.unique(digests))
    for number in np.unique(group):
        assert (np.diff(order[group[order] == number]) > 0).all()


def test_each_order_is_as_frequent_as_another_over_seeds():
    digests = column_digests(np.eye(3))
    found = [canonical_order(digests, seed) for seed in range(6000)]
    orders, counts = np.unique(found, axis=0, return_counts=True)
    assert len(orders) == 6
    # Chi-squared of 5 degrees of freedom exceeds 20.5 with probability 0.001; the seeds are fixed.
    assert ((counts - 1000.0) ** 2 / 1000.0).sum() < 20.5


def test_a_digest_is_blake2b_of_rows_and_values_in_little_endian():
    X = np.array([[0.0], [2.5], [-0.0], [np.nan]])
    content = struct.pack("<3q2d", 4, 1, 3, 2.5, float("nan"))
    expected = int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
    assert column_digests(X).tolist() == [expected]


def test_another_process_finds_the_same_order():
    program = (
        "import numpy as np; from mlsieve.data.column_contents import *;"
        "print(canonical_order(column_digests(np.arange(40.).reshape(4, 10) % 7), 3).tolist())"
    )
    found = {subprocess.check_output([sys.executable, "-c", program]) for _ in range(2)}
    X = np.arange(40.0).reshape(4, 10) % 7
    assert found == {(str(canonical_order(column_digests(X), 3).tolist()) + "\n").encode()}


@given(st.lists(st.lists(CELLS, min_size=0, max_size=3), min_size=1, max_size=12), st.data())
def test_a_digest_of_values_is_that_of_each_feature_s_own(values, data):
    coded = {
        "n_values": np.array(list(map(len, values)), np.int64),
        "values": np.array([cell for own in values for cell in own], float),
    }
    expected = [
        int.from_bytes(hashlib.blake2b(struct.pack(f"<{len(own)}d", *own), digest_size=8).digest(), "little")
        for own in (np.array(own, float) + 0.0 for own in values)
    ]
    assert value_digests(coded).tolist() == expected
    some = np.array(sorted(data.draw(st.sets(st.integers(0, len(values) - 1)))), np.int64)
    assert value_digests(coded, some)[some].tolist() == [expected[place] for place in some]


def test_columns_that_are_all_alike_are_hashed_once(monkeypatch):
    count, (rest, ones) = 1000, np.ones((2, 1000), np.int64)
    coded = {"rest": 0 * rest, "n_listed": 0 * rest, "n_values": ones, "values": np.zeros(count)}
    coded |= {"row": np.empty(0, np.int32), "code": np.empty(0, np.int32), "codes": np.empty(0, np.int32)}
    hashed = []
    original = hashlib.blake2b

    def blake2b(*given, **options):
        hashed.append(given)
        return original(*given, **options)

    monkeypatch.setattr(hashlib, "blake2b", blake2b)
    assert len(set(value_digests(coded).tolist())) == len(set(code_digests(coded, ones).tolist())) == 1
    assert len(hashed) == 2
