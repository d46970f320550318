"""Small random hierarchies, and what is asked of them by going through everything."""

import itertools
import math

import numpy as np
from hypothesis import strategies as st

from mlsieve.hierarchy import Hierarchy


@st.composite
def hierarchies(draw, largest=7, max_parents=3):
    """Trees and graphs; parents stand before or after their children."""
    n = draw(st.integers(1, largest))
    names = draw(st.permutations([f"c{position}" for position in range(n)]))
    most = draw(st.integers(1, max_parents))
    parents = {
        name: draw(st.lists(st.sampled_from(names[:position]), max_size=most, unique=True))
        if position
        else []
        for position, name in enumerate(names)
    }
    return Hierarchy.from_parents({name: parents[name] for name in sorted(names)})


def weights_of(hierarchy, decay=0.75):
    """Weights with the mean of the parents', from the names alone."""
    weights = {}

    def weight(c):
        if c not in weights:
            above = [weight(int(parent)) for parent in hierarchy.parents(c)]
            weights[c] = decay * sum(above) / len(above) if above else 1.0
        return weights[c]

    return np.array([weight(c) for c in range(hierarchy.n_classes)])


def closure(hierarchy, c):
    """The class and all above it."""
    found = {c}
    for parent in hierarchy.parents(c):
        found |= closure(hierarchy, int(parent))
    return frozenset(found)


def all_closed_sets(hierarchy):
    """Every set that holds with a class all above it; the empty one, too."""
    classes = range(hierarchy.n_classes)
    for chosen in itertools.product([False, True], repeat=hierarchy.n_classes):
        found = {c for c in classes if chosen[c]}
        if all(closure(hierarchy, c) <= found for c in found):
            yield frozenset(found)


def squared_distance(one, other, weights):
    return sum(weights[c] for c in one ^ other)


def largest_root(sets, weights):
    """The largest weighted Euclidean distance of two of the sets; 0 if there are not two."""
    pairs = itertools.combinations(sorted(set(sets), key=sorted), 2)
    return math.sqrt(max((squared_distance(one, other, weights) for one, other in pairs), default=0.0))
