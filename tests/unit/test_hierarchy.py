"""`Hierarchy` against brute force on random trees and graphs; what it refuses; saved and read again."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.data import Dataset
from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy

RULES = {"mean": lambda w: sum(w) / len(w), "sum": sum, "min": min, "max": max}


@st.composite
def parents_of(draw, *, tree=False, most=9):
    """Parents by class, the classes in random order, so that a parent may stand behind its child."""
    n = draw(st.integers(1, most))
    above = [
        draw(st.sets(st.integers(0, c - 1), max_size=1 if tree else 3)) if c else set() for c in range(n)
    ]
    order = draw(st.permutations(range(n)))
    return {f"c{c}": [f"c{p}" for p in above[c]] for c in order}


def all_above(parents, name):
    """A class and all above it, by following every path."""
    return {name}.union(*(all_above(parents, parent) for parent in parents[name]))


def longest_way_up(parents, name):
    return max((longest_way_up(parents, parent) + 1 for parent in parents[name]), default=0)


def weight(parents, name, rule, decay):
    above = [weight(parents, parent, rule, decay) for parent in sorted(parents[name])]
    return decay * RULES[rule](above) if above else 1.0


@given(parents_of())
def test_parents_children_ancestors_depth_and_order(parents):
    hierarchy = Hierarchy.from_parents(parents)
    names = hierarchy.names
    assert names == tuple(parents) and hierarchy.n_classes == len(parents)
    assert hierarchy.n_edges == sum(map(len, parents.values()))
    for c, name in enumerate(names):
        assert {names[p] for p in hierarchy.parents(c)} == set(parents[name])
        assert {names[k] for k in hierarchy.children(c)} == {k for k in names if name in parents[k]}
        row = hierarchy.ancestors[[c]].toarray()[0]
        assert {names[a] for a in np.flatnonzero(row)} == all_above(parents, name)
        assert hierarchy.depth[c] == longest_way_up(parents, name)
    order = hierarchy.topological_order.tolist()
    assert sorted(order) == list(range(len(names)))
    assert all(order.index(p) < order.index(c) for c in range(len(names)) for p in hierarchy.parents(c))
    assert hierarchy.is_tree == all(len(above) < 2 for above in parents.values())


@given(parents_of(), st.sampled_from(sorted(RULES)), st.sampled_from([0.25, 0.75, 1.0]))
def test_weights_of_each_rule(parents, rule, decay):
    weights = Hierarchy.from_parents(parents).weights(rule, decay)
    np.testing.assert_allclose(weights, [weight(parents, name, rule, decay) for name in parents], rtol=1e-12)


@given(parents_of(tree=True), st.sampled_from(sorted(RULES)))
def test_on_trees_all_rules_agree(parents, rule):
    hierarchy = Hierarchy.from_parents(parents)
    np.testing.assert_array_equal(hierarchy.weights(rule), hierarchy.weights("mean"))
    np.testing.assert_allclose(hierarchy.weights(rule), 0.75**hierarchy.depth)


@given(parents_of(), st.data())
def test_closing_label_sets(parents, data):
    hierarchy = Hierarchy.from_parents(parents)
    n = hierarchy.n_classes
    sets = data.draw(st.lists(st.sets(st.integers(0, n - 1)), min_size=1, max_size=5))
    Y = np.zeros((len(sets), n), np.uint8)
    for row, classes in enumerate(sets):
        Y[row, list(classes)] = 1
    closed = hierarchy.close(Y)
    expected = [set().union(*(all_above(parents, hierarchy.names[c]) for c in classes)) for classes in sets]
    assert [{hierarchy.names[c] for c in np.flatnonzero(row)} for row in closed.toarray()] == expected
    assert closed.dtype == np.uint8 and closed.has_sorted_indices and (closed.data == 1).all()
    assert hierarchy.is_closed(closed) and (hierarchy.close(closed) != closed).nnz == 0
    assert hierarchy.is_closed(Y) == np.array_equal(Y, closed.toarray())
    assert (hierarchy.close(sp.csr_array(Y)) != closed).nnz == 0


@given(parents_of(), st.data())
def test_restriction_to_classes_closed_upwards(parents, data):
    hierarchy = Hierarchy.from_parents(parents)
    chosen = data.draw(st.sets(st.sampled_from(list(parents)), min_size=1))
    keep = set().union(*(all_above(parents, name) for name in chosen))
    part = hierarchy.restricted_to(np.array([name in keep for name in parents]))
    assert part == Hierarchy.from_parents({name: above for name, above in parents.items() if name in keep})
    without_top = np.array([name in chosen and bool(parents[name]) for name in parents])
    if without_top.any() and not all(
        set(parents[name]) <= {n for n, kept in zip(parents, without_top, strict=True) if kept}
        for name, kept in zip(parents, without_top, strict=True)
        if kept
    ):
        with pytest.raises(ValueError, match="without one above it"):
            hierarchy.restricted_to(without_top)


@given(parents_of(), st.data())
def test_a_cycle_is_named(parents, data):
    """An edge from a class to one above it, or to itself, closes a cycle; the message goes round one."""
    below = data.draw(st.sampled_from(list(parents)))
    above = data.draw(st.sampled_from(sorted(all_above(parents, below))))
    edges = [(parent, name) for name, each in parents.items() for parent in each] + [(below, above)]
    with pytest.raises(UserError, match="the hierarchy has a cycle: ") as caught:
        Hierarchy.from_edges(edges, parents)
    loop = caught.value.what.removeprefix("the hierarchy has a cycle: ").split(" -> ")
    assert loop[0] == loop[-1] and len(loop) > 1
    assert set(itertools.pairwise(loop)) <= set(edges)


@given(parents_of())
def test_edges_and_graphs_give_the_same_hierarchy(parents):
    expected = Hierarchy.from_parents(parents)
    edges = [(parent, name) for name, each in parents.items() for parent in each]
    assert Hierarchy.from_edges(edges, parents) == Hierarchy.from_edges(edges + edges, parents) == expected
    rooted = [("root", name) for name, each in parents.items() if not each] + edges
    assert Hierarchy.from_edges(rooted, parents, root="root") == expected
    graph = nx.DiGraph()
    graph.add_nodes_from(parents)
    graph.add_edges_from(edges)
    assert Hierarchy.from_networkx(graph) == expected
    whole = nx.DiGraph(graph)
    whole.add_edges_from(("top", name) for name, each in parents.items() if not each)
    assert Hierarchy.from_networkx(whole, root="top") == expected


@given(parents_of())
def test_depth_and_ancestors_are_those_of_networkx(parents):
    hierarchy = Hierarchy.from_parents(parents)
    graph = nx.DiGraph([(p, name) for name, each in parents.items() for p in each])
    graph.add_nodes_from(parents)
    assert hierarchy.depth.max() == nx.dag_longest_path_length(graph)
    for c, name in enumerate(hierarchy.names):
        above = {hierarchy.names[a] for a in hierarchy.ancestors[[c]].indices}
        assert above == nx.ancestors(graph, name) | {name}


def test_paths_imply_their_prefixes():
    tree = Hierarchy.from_paths(["2/1/3", "1", "2/1", "1/1"])
    assert tree.names == ("2", "2/1", "2/1/3", "1", "1/1")
    assert [tree.parents(c).tolist() for c in range(5)] == [[], [0], [1], [], [3]]
    assert tree.depth.tolist() == [0, 1, 2, 0, 1] and tree.is_tree
    assert Hierarchy.from_paths(["a.b"], separator=".").names == ("a", "a.b")


def test_weights_of_a_class_with_two_parents_by_hand():
    """D is below B (depth 1) and C (depth 0)."""
    graph = Hierarchy.from_edges([("root", "A"), ("A", "B"), ("B", "D"), ("C", "D")], root="root")
    assert graph.names == ("A", "B", "D", "C") and graph.depth.tolist() == [0, 1, 2, 0]
    for rule, expected in (("mean", 0.65625), ("sum", 1.3125), ("min", 0.5625), ("max", 0.75)):
        assert graph.weights(rule).tolist() == [1.0, 0.75, expected, 1.0]


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: Hierarchy.from_paths(["1//2"]), UserError, "'1//2' is not a path"),
        (lambda: Hierarchy.from_edges([("a", "root")], root="root"), UserError, "'root' is below 'a'"),
        (lambda: Hierarchy.from_parents({"a": ["b"]}), UserError, "class 'b', above 'a', is not declared"),
        (lambda: Hierarchy.from_edges([("a", "a")]), UserError, "a cycle: a -> a"),
        (lambda: Hierarchy.from_networkx(nx.Graph([("a", "b")])), ValueError, "no direction"),
        (lambda: Hierarchy.from_networkx(nx.DiGraph([(1, "1")])), UserError, "the same name"),
        (lambda: Hierarchy.from_networkx(nx.DiGraph([(1, 2), (2, 1)])), UserError, "a cycle"),
        (lambda: Hierarchy.from_paths(["1"]).weights("median"), ValueError, "'median' are unknown"),
        (lambda: Hierarchy.from_paths(["1"]).weights(decay=0.0), ValueError, "not within"),
        (lambda: Hierarchy.from_paths(["1"]).close(np.ones((2, 3))), ValueError, "3 columns"),
        (
            lambda: Hierarchy(("a", "a"), np.zeros(3, np.int64), np.empty(0, np.int32)),
            UserError,
            "class 'a' is listed twice",
        ),
    ],
)
def test_what_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


@settings(max_examples=20)
@given(parents_of(), st.booleans())
def test_a_saved_data_set_keeps_its_hierarchy(tmp_path_factory, parents, sparse):
    hierarchy = Hierarchy.from_parents(parents)
    Y = hierarchy.close(np.eye(hierarchy.n_classes, dtype=np.uint8))
    X = np.arange(2.0 * hierarchy.n_classes).reshape(-1, 2)
    dataset = Dataset(
        name="d",
        X=sp.csr_array(X) if sparse else X,
        Y=Y,
        train_mask=np.ones(len(X), bool),
        nominal=np.zeros(2, bool),
        categories=((), ()),
        feature_names=("a", "b"),
        label_names=hierarchy.names,
        task="hmlc",
        hierarchy=hierarchy,
    )
    path = tmp_path_factory.mktemp("saved") / "d.npz"
    dataset.save(path)
    again = Dataset.load(path)
    assert again.hierarchy == hierarchy and again.task == "hmlc" and (again.Y != Y).nnz == 0
    assert again.counts() == dataset.counts()


def test_parents_may_come_from_an_iterator_but_not_as_a_text():
    hierarchy = Hierarchy.from_parents({"b": [], "a": (name for name in ["b"])})
    assert hierarchy.parents(1).tolist() == [0]
    with pytest.raises(ValueError, match="the parents of 'a' are a text"):
        Hierarchy.from_parents({"a": "bc", "b": [], "c": []})


def test_a_long_chain_is_closed():
    n = 1500
    chain = Hierarchy.from_parents({str(c): [str(c - 1)] if c else [] for c in range(n)})
    assert chain.ancestors.nnz == n * (n + 1) // 2 and chain.ancestors[[n - 1]].nnz == n


def test_paths_have_200_parts_and_hierarchies_20_million_pairs_at_most():
    parts = ["a"] * 201
    assert Hierarchy.from_paths(["/".join(parts[:200])]).n_classes == 200
    with pytest.raises(UserError, match="201 parts") as caught:
        Hierarchy.from_paths(["/".join(parts)])
    assert caught.value.hint
    n = 6325  # a chain of n classes has n (n + 1) / 2 pairs
    chain = Hierarchy.from_edges((str(c), str(c + 1)) for c in range(n - 1))
    with pytest.raises(UserError, match="20,000,000 pairs") as caught:
        _ = chain.ancestors
    assert caught.value.hint
