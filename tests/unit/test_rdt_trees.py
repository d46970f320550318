"""Random decision trees: grown by the same draws in plain loops, and what every tree must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from rdt_problems import SETTINGS, grow, problems
from rdt_twin import grown_tree

pytestmark = pytest.mark.kernel


def as_twin(trees, tree, L):
    """The nodes of a tree in the form of the twin."""
    first, last = trees.tree_start[tree : tree + 2]
    F, out = trees.n_features, []
    for node in trees.nodes[first:last]:
        test, child = int(node["test"]), int(node["first"])
        if test == -1:
            counts = np.zeros(L, int)
            entries = slice(trees.leaf_start[child], trees.leaf_start[child + 1])
            counts[trees.leaf_label[entries]] = trees.leaf_count[entries]
            out.append(("leaf", int(trees.leaf_size[child]), counts.tolist()))
            continue
        n_children = int(node["threshold"]) if test >= F else 2
        children = {int(trees.category[c]): int(c - first) for c in range(child, child + n_children)}
        if test < -1:
            out.append(("label", -2 - test, None, children))
        elif test < F:
            out.append(("feature", test, float(node["threshold"]), children))
        else:
            out.append(("feature", test - F, None, children))
    return out


@given(problems(), SETTINGS)
def test_trees_are_those_of_plain_loops_with_the_same_draws(problem, settings):
    trees = grow(problem, settings)
    for tree in range(trees.n_trees):
        twin = grown_tree(*problem, **settings, tree=tree)
        expected = [(*n[:2], n[2].tolist()) if n[0] == "leaf" else (n[0], int(n[1]), *n[2:]) for n in twin]
        assert as_twin(trees, tree, problem[1].shape[1]) == expected


@given(problems(), SETTINGS)
def test_the_leaves_of_a_tree_hold_each_row_once(problem, settings):
    trees = grow(problem, settings)
    X, Y = problem[:2]
    leaf = trees.nodes["test"] == -1
    for tree in range(trees.n_trees):
        own = slice(*trees.tree_start[tree : tree + 2])
        leaves = trees.nodes["first"][own][leaf[own]]
        assert trees.leaf_size[leaves].sum() == len(X)
        entries = np.concatenate([np.arange(*trees.leaf_start[v : v + 2]) for v in leaves])
        counts = np.bincount(trees.leaf_label[entries], trees.leaf_count[entries], Y.shape[1])
        assert counts.tolist() == Y.sum(axis=0).tolist() == trees.prior.tolist()


@given(problems(), SETTINGS)
def test_label_tests_have_ranks_of_their_own(problem, settings):
    trees = grow(problem, settings)
    for tree, n_tests in enumerate(trees.label_tests()):
        nodes = trees.nodes[slice(*trees.tree_start[tree : tree + 2])]
        assert sorted(nodes["threshold"][nodes["test"] < -1]) == list(range(n_tests))


def same(a, b):
    names = ("nodes", "category", "tree_start", "leaf_size", "leaf_start", "leaf_label", "leaf_count")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


@given(problems(), SETTINGS)
def test_storage_threads_and_more_trees_change_no_tree(problem, settings):
    trees = grow(problem, settings, n_trees=20)
    assert same(trees, grow(problem, settings, n_trees=20, sparse=True))
    assert same(trees, grow(problem, settings, n_trees=20, n_threads=3))
    fewer = grow(problem, settings, n_trees=7)
    assert fewer.nodes.tobytes() == trees.nodes[: len(fewer.nodes)].tobytes()
    assert fewer.leaf_count.tobytes() == trees.leaf_count[: len(fewer.leaf_count)].tobytes()


def test_progress_counts_all_trees():
    rng = np.random.default_rng(0)
    problem = (
        rng.random((30, 3)),
        rng.integers(0, 2, (30, 2), np.uint8),
        np.zeros(3, bool),
        np.zeros(3, int),
    )
    calls = []
    settings = {"p": 0.3, "max_depth": 5, "max_leaf": 2, "seed": 1}
    grow(problem, settings, n_trees=20, progress=lambda *call: calls.append(call))
    assert calls[-1] == (20, 20) and [done for done, _ in calls] == sorted(done for done, _ in calls)
