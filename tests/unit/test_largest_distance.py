"""The scale of the distance in a hierarchy against going through all sets, all classes and all examples."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hierarchy_problems import (
    all_closed_sets,
    closure,
    hierarchies,
    largest_root,
    squared_distance,
    weights_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.distances.label_sets import hierarchical_distance
from mlsieve.distances.largest import farthest_classes, farthest_label_sets, last_classes, longest_way
from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy

pytestmark = pytest.mark.kernel


def of_parents(counts, parents):
    """Return a hierarchy of numbered classes from the number of parents of each, and the parents."""
    names = tuple(map(str, range(len(counts))))
    return Hierarchy(names, np.concatenate([[0], np.cumsum(counts)]), np.array(parents, np.int32))


def random_labels(hierarchy, seed, n=8):
    rng = np.random.default_rng(seed)
    chosen = rng.random((n, hierarchy.n_classes)) < rng.random() * 0.6
    return hierarchy.close(sp.csr_array(chosen.astype(np.uint8)))


def depth_first(hierarchy, c, seen):
    """The classes at and below one, each at its first visit; children by their names."""
    if c not in seen:
        seen.append(c)
        for child in sorted(hierarchy.children(c).tolist(), key=lambda child: hierarchy.names[child]):
            depth_first(hierarchy, child, seen)
    return seen


def most_specific(hierarchy, labels):
    """CLUS's most specific class of an example, as the program reads; -1 without a class."""
    order, tops = [], [c for c in range(hierarchy.n_classes) if not len(hierarchy.parents(c))]
    for c in sorted(tops, key=lambda c: hierarchy.names[c]):
        depth_first(hierarchy, c, order)
    own = [c for c in order if c in labels]
    if hierarchy.is_tree or not own:
        return own[-1] if own else -1
    at = own[0]
    while below := [c for c in hierarchy.children(at).tolist() if c in labels]:
        at = min(below, key=lambda c: hierarchy.names[c])
    return at


def rows_as_sets(Y):
    return [frozenset(np.flatnonzero(row).tolist()) for row in Y.toarray()]


@settings(max_examples=150, deadline=None)
@given(hierarchies())
def test_sets_is_the_largest_distance_of_all_closed_sets(hierarchy):
    expected = largest_root(all_closed_sets(hierarchy), weights_of(hierarchy))
    found = hierarchical_distance(hierarchy, random_labels(hierarchy, 0), mu="sets")
    assert found.divisor == pytest.approx(expected, rel=1e-12)


@settings(max_examples=200, deadline=None)
@given(hierarchies(largest=14))
def test_pairs_is_the_largest_distance_of_all_pairs_of_classes(hierarchy):
    weights = weights_of(hierarchy)
    closures = [closure(hierarchy, c) for c in range(hierarchy.n_classes)]
    expected = largest_root(closures, weights)
    pair = farthest_classes(hierarchy, weights)
    assert pair.difference == pytest.approx(expected**2, rel=1e-12)
    if hierarchy.n_classes > 1:
        between = squared_distance(closures[pair.first], closures[pair.second], weights)
        assert pair.difference == pytest.approx(between, rel=1e-12)
        found = hierarchical_distance(hierarchy, random_labels(hierarchy, 0), mu="pairs")
        assert found.divisor == pytest.approx(expected, rel=1e-12)


@settings(max_examples=200, deadline=None)
@given(hierarchies(largest=14), st.integers(0, 2**32 - 1))
def test_pairs_with_any_weights(hierarchy, seed):
    """Weights that say nothing of the hierarchy, many of them equal or 0."""
    weights = np.random.default_rng(seed).integers(0, 4, hierarchy.n_classes) / 2
    closures = [closure(hierarchy, c) for c in range(hierarchy.n_classes)]
    expected = largest_root(closures, weights) ** 2
    assert farthest_classes(hierarchy, weights).difference == pytest.approx(expected, rel=1e-12)


@settings(max_examples=300, deadline=None)
@given(hierarchies(largest=14), st.integers(0, 2**32 - 1))
def test_pairs_of_some_classes_with_any_weights(hierarchy, seed):
    rng = np.random.default_rng(seed)
    weights, among = rng.integers(0, 4, hierarchy.n_classes) / 2, rng.random(hierarchy.n_classes) < 0.5
    closures = [closure(hierarchy, c) for c in np.flatnonzero(among).tolist()]
    pair = farthest_classes(hierarchy, weights, among)
    assert pair.difference == pytest.approx(largest_root(closures, weights) ** 2, rel=1e-12)
    if pair.first >= 0:
        assert among[pair.first] and among[pair.second]


@settings(max_examples=200, deadline=None)
@given(hierarchies(largest=12), st.integers(0, 2**32 - 1))
def test_observed_is_the_largest_distance_of_two_examples(hierarchy, seed):
    weights, Y = weights_of(hierarchy), random_labels(hierarchy, seed)
    sets = rows_as_sets(Y)
    found = hierarchical_distance(hierarchy, Y, mu="observed")
    assert found.divisor == pytest.approx(largest_root(sets, weights), rel=1e-12)
    pair = farthest_label_sets(hierarchy, weights, Y)
    if len(set(sets)) == 1:
        assert (pair.difference, pair.first, pair.second) == (0.0, -1, -1)
    else:
        between = squared_distance(sets[pair.first], sets[pair.second], weights)
        assert pair.difference == pytest.approx(between, rel=1e-12)


@settings(max_examples=200, deadline=None)
@given(hierarchies(largest=14, max_parents=1), st.integers(0, 2**32 - 1))
def test_on_trees_the_longest_way_is_the_largest_distance_of_its_ends(hierarchy, seed):
    ends = np.random.default_rng(seed).random(hierarchy.n_classes) < 0.5
    weights = weights_of(hierarchy)
    sets = [closure(hierarchy, int(c)) for c in np.flatnonzero(ends)]
    assert longest_way(hierarchy, weights, ends) == pytest.approx(largest_root(sets, weights) ** 2, rel=1e-12)


@settings(max_examples=200, deadline=None)
@given(hierarchies(largest=12), st.integers(0, 2**32 - 1))
def test_clus_is_the_largest_difference_of_two_examples_most_specific_classes(hierarchy, seed):
    weights, Y = weights_of(hierarchy), random_labels(hierarchy, seed)
    last = [most_specific(hierarchy, labels) for labels in rows_as_sets(Y)]
    assert last_classes(hierarchy, Y).tolist() == last
    sets = {closure(hierarchy, int(c)) for c in last if c >= 0}
    expected = largest_root(sets, weights) ** 2
    if expected > 0:
        found = hierarchical_distance(hierarchy, Y, definition="clus")
        assert found.divisor == pytest.approx(expected, rel=1e-12)
        assert (found.rooted, found.bounded) == (False, False)


def test_by_hand():
    """Top-level a and b; c below a and b, d below a: weights 1, 1, 0.75, 0.75."""
    graph = Hierarchy.from_parents({"a": [], "b": [], "c": ["a", "b"], "d": ["a"]})
    Y = graph.close(sp.csr_array(np.array([[1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]], np.uint8)))
    found = {mu: hierarchical_distance(graph, Y, mu=mu).divisor ** 2 for mu in ("sets", "pairs", "observed")}
    # All classes against none; {b} against {a, d}; {a, d} against none.
    assert found == pytest.approx({"sets": 3.5, "pairs": 2.75, "observed": 1.75})


def test_last_classes_are_by_depth_first_order_with_children_by_their_own_parts_of_the_names():
    tree = Hierarchy.from_paths(["2/1", "10", "2/10", "2/9/x", "2/9/b", "a"])
    rows = [["2", "2/9", "2/9/b", "2/9/x"], ["2", "2/9", "2/10"], ["2", "2/1", "10"], ["10", "a"], []]
    Y = sp.csr_array(np.array([[name in row for name in tree.names] for row in rows], np.uint8))
    last = [tree.names[c] if c >= 0 else "" for c in last_classes(tree, Y)]
    assert last == ["2/9/x", "2/10", "10", "a", ""]


def test_most_specific_classes_of_graphs_are_by_a_walk_down_from_the_first_class():
    """Numbers are in order as numbers; d is below 9 and 10, and 9 before 10."""
    graph = Hierarchy.from_parents(
        {"b": [], "a": [], "10": ["a"], "9": ["a"], "d": ["9", "10"], "e": ["10", "b"], "f": ["e"]}
    )
    rows = [["10", "d"], ["9", "d"], ["e"], ["f"], ["b"], ["d", "f"], []]
    Y = graph.close(sp.csr_array(np.array([[name in row for name in graph.names] for row in rows], np.uint8)))
    last = [graph.names[c] if c >= 0 else "" for c in last_classes(graph, Y)]
    # Of the first example 9, which d implies, comes before 10; of the third and fourth a, above 10.
    assert last == ["d", "d", "e", "f", "b", "d", ""]
    found = hierarchical_distance(graph, Y, definition="clus")
    # Weights: 1 at the top, 0.75 below a; d 0.5625; e (1 + 0.75) / 2 * 0.75 = 0.65625; f 0.4921875.
    # d with 9, 10 and a against b alone: 0.5625 + 0.75 + 0.75 + 1 + 1; d against f is less.
    assert found.divisor == pytest.approx(4.0625)


def random_graph(n, seed=0, most=3, tops=3):
    """About as the Gene Ontology: 1.4 parents a class and a few top-level classes."""
    rng = np.random.default_rng(seed)
    parents = [
        []
        if c < tops
        else sorted(set((rng.random(1 + min(rng.poisson(0.4), most - 1)) * c).astype(int).tolist()))
        for c in range(n)
    ]
    return of_parents([len(above) for above in parents], [c for above in parents for c in above])


def sparse_brute_force(hierarchy, weights):
    """All pairs, by a product of matrices."""
    closed = hierarchy.ancestors.astype(float)
    total = closed @ weights
    common = (closed @ sp.diags_array(weights) @ closed.T).toarray()
    return (total[:, None] + total[None, :] - 2 * common).max()


@pytest.mark.parametrize("seed", range(3))
def test_a_graph_of_many_classes_is_searched_without_all_pairs(seed):
    graph = random_graph(1500, seed)
    weights = graph.weights()
    found = farthest_classes(graph, weights)
    assert found.difference == pytest.approx(sparse_brute_force(graph, weights), rel=1e-12)
    assert found.n_visited < 0.05 * 1500**2


HARD = {
    "flat": of_parents([0] * 3000, []),
    "star": of_parents([0] + [1] * 2999, [0] * 2999),
    "two stars": of_parents([0, 0] + [1] * 2998, [c % 2 for c in range(2998)]),
    "two levels": of_parents([0] + [1] * 2999, [0] * 50 + [1 + c % 50 for c in range(2949)]),
    "equal parents": of_parents([0] * 3 + [2] * 2997, [0, 1] * 2997),
    "shared top": of_parents([0, 1, 1, 1] + [2] * 2996, [0, 0, 0, *([1, 2, 1, 3, 2, 3] * 2996)[: 2 * 2996]]),
}


@pytest.mark.parametrize("shape", HARD)
def test_equal_weights_do_not_make_the_search_go_through_all_pairs(shape):
    graph = HARD[shape]
    weights = graph.weights()
    found = farthest_classes(graph, weights)
    assert found.difference == pytest.approx(sparse_brute_force(graph, weights), rel=1e-12)
    assert found.n_visited < 20 * graph.n_classes


@pytest.mark.parametrize("setting", [{"mu": "pairs"}, {"definition": "clus"}])
def test_one_class_has_no_scale(setting):
    one = Hierarchy.from_parents({"a": []})
    differing, equal = (sp.csr_array(np.array([[1], [value]], np.uint8)) for value in (0, 1))
    differing.eliminate_zeros()
    with pytest.raises(UserError, match="no scale"):
        hierarchical_distance(one, differing, **setting)
    assert hierarchical_distance(one, equal, **setting).divisor == 0.0
    assert hierarchical_distance(one, differing, mu="sets").divisor == 1.0
    assert hierarchical_distance(one, equal, mu="observed").divisor == 0.0


def test_ways_are_those_of_trees():
    graph = Hierarchy.from_parents({"a": [], "b": [], "c": ["a", "b"]})
    with pytest.raises(ValueError, match="not a tree"):
        longest_way(graph, np.ones(3), np.ones(3, bool))


@settings(max_examples=100, deadline=None)
@given(hierarchies(largest=10), st.integers(0, 2**32 - 1))
def test_no_distance_of_examples_exceeds_a_true_bound(hierarchy, seed):
    Y, weights = random_labels(hierarchy, seed), weights_of(hierarchy)
    for mu in ("sets", "observed"):
        divisor = hierarchical_distance(hierarchy, Y, mu=mu).divisor
        for one, other in itertools.combinations(rows_as_sets(Y), 2):
            assert squared_distance(one, other, weights) <= divisor**2 * (1 + 1e-12)
