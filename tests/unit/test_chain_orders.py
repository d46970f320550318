"""Orders of the labels of a static chain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.chains.orders import label_order, mean_position_order
from mlsieve.errors import InvalidSetting

COUNTS = (3, 1, 4, 1, 0)


def test_frequent_and_rare_labels_come_first_and_equal_ones_by_index():
    assert label_order("frequent-first", np.array(COUNTS)).tolist() == [2, 0, 1, 3, 4]
    assert label_order("rare-first", np.array(COUNTS)).tolist() == [4, 1, 3, 0, 2]


@given(st.lists(st.integers(0, 10), min_size=1, max_size=30))
@settings(max_examples=50, deadline=None)
def test_orders_by_frequency_sort_the_labels(counts):
    labels = range(len(counts))
    frequent = sorted(labels, key=lambda label: (-counts[label], label))
    assert label_order("frequent-first", np.array(counts)).tolist() == frequent
    rare = sorted(labels, key=lambda label: (counts[label], label))
    assert label_order("rare-first", np.array(counts)).tolist() == rare


def test_a_random_order_depends_on_the_seed_alone():
    orders = [label_order("random", np.ones(8), seed=seed).tolist() for seed in range(50)]
    assert all(sorted(order) == list(range(8)) for order in orders)
    assert len({tuple(order) for order in orders}) == 50
    assert label_order("random", np.array(range(8)), seed=7).tolist() == orders[7]
    first = np.bincount([order[0] for order in orders], minlength=8)
    assert (first > 0).all(), "some label is never the first"


def test_a_longer_random_order_keeps_the_labels_of_a_shorter_one_in_their_order():
    longer = label_order("random", np.ones(20), seed=3).tolist()
    shorter = label_order("random", np.ones(9), seed=3).tolist()
    assert [label for label in longer if label < 9] == shorter


@pytest.mark.parametrize("order", [[2, 0, 1], np.array([2, 0, 1]), (2, 0, 1), "2:0:1", "2,0,1", "2, 0, 1"])
def test_a_given_order_is_taken_as_it_is(order):
    assert label_order("given", np.array((1, 1, 1)), given=order).tolist() == [2, 0, 1]


def test_a_given_order_without_labels_is_that_of_the_columns():
    assert label_order("given", np.array((1, 2, 3))).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "order",
    [
        "2:0",
        "2,0",
        "2:0:0",
        "2,,0,1",
        "0:1:3",
        "a:b:c",
        "",
        [0, 1],
        [0.5, 1, 2],
        [[0, 1, 2]],
        7,
        [0, 1, None],
        [np.nan],
    ],
)
def test_a_given_order_must_hold_each_label_once(order):
    with pytest.raises(InvalidSetting, match="give each label's index once, counted from 0"):
        label_order("given", np.array((1, 1, 1)), given=order)


def test_unknown_orders_and_labels_for_another_order_are_refused():
    with pytest.raises(InvalidSetting, match="order = 'rare-frist' is unknown; did you mean 'rare-first'"):
        label_order("rare-frist", np.array((1,)))
    with pytest.raises(InvalidSetting, match="cannot be given with order = 'random'; set order to 'given'"):
        label_order("random", np.array((1, 1)), given="0:1")


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_labels_are_ordered_by_their_mean_step(n, n_labels, seed):
    """A label that an example does not set counts as set after its last step."""
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, n_labels + 1))
    labels = np.array([rng.permutation(n_labels)[:length] for _ in range(n)])
    labels[rng.random(labels.shape) < 0.3] = -1
    means = []
    for label in range(n_labels):
        steps = [row.index(label) if label in row else length for row in labels.tolist()]
        means.append((sum(steps), label))
    assert mean_position_order(labels, n_labels).tolist() == [label for _, label in sorted(means)]
