"""Points with given distances: exact where they exist, else the nearest, whatever the order."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.stats.embedding import place_points

COORDINATES = st.floats(-1, 1).map(lambda value: round(value, 3))


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def symmetric(upper):
    matrix = np.zeros((4, 4))
    matrix[np.triu_indices(4, 1)] = upper
    return matrix + matrix.T


@settings(deadline=None)
@given(st.lists(st.tuples(COORDINATES, COORDINATES, COORDINATES), min_size=1, max_size=4))
def test_distances_of_points_come_out_again(points):
    given_distances = distances(np.array(points))
    found = place_points(given_distances)
    scale = given_distances.max() or 1
    assert np.abs(distances(found.points) - given_distances).max() <= 1e-4 * scale
    assert np.abs(found.points.mean(axis=0)).max() <= 1e-9 * scale


def test_a_regular_tetrahedron_and_a_right_angle_by_hand():
    found = place_points(1.0 - np.eye(4))
    assert found.exact and not found.residuals.any()
    assert np.linalg.norm(found.points, axis=1) == pytest.approx([np.sqrt(3 / 8)] * 4)
    triangle = place_points(np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]]))
    assert triangle.exact and np.abs(triangle.points[:, 2]).max() < 1e-9


def test_a_broken_triangle_inequality_leaves_the_least_residual():
    # On a line, 1 + 1 < 3: the best points are 0, 4/3 and 8/3, each distance off by 1/3.
    found = place_points(np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]]))
    assert not found.exact
    assert found.residuals == pytest.approx(np.array([[0, 1, -1], [1, 0, 1], [-1, 1, 0]]) / 3, abs=1e-6)


def test_four_points_that_no_space_holds():
    # Three corners of a unit triangle and a point 0.5 from each: the centre is 0.577 away.
    found = place_points(symmetric([1, 1, 0.5, 1, 0.5, 0.5]))
    assert not found.exact
    off = found.residuals[:3, 3]
    assert off == pytest.approx([off[0]] * 3, abs=1e-6) and 0 < off[0] < 1 / np.sqrt(3) - 0.5
    # Nothing near is better.
    random = np.random.default_rng(0)
    given_distances = symmetric([1, 1, 0.5, 1, 0.5, 0.5])
    least = (found.residuals**2).sum()
    for _ in range(200):
        moved = found.points + random.normal(0, 0.02, (4, 3))
        assert ((distances(moved) - given_distances) ** 2).sum() >= least - 1e-9


@given(st.lists(st.floats(0.05, 1), min_size=6, max_size=6))
@settings(deadline=None, max_examples=30)
def test_the_order_of_the_points_changes_no_length(upper):
    matrix = symmetric(upper)
    first = place_points(matrix)
    for order in list(itertools.permutations(range(4)))[1::7]:
        again = place_points(matrix[np.ix_(order, order)])
        assert again.exact == first.exact
        ours, theirs = (first.residuals**2).sum(), (again.residuals**2).sum()
        assert theirs == pytest.approx(ours, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize(
    "wrong", [[[0, 1], [2, 0]], [[1]], [[0, -1], [-1, 0]], [[0, np.nan], [np.nan, 0]], [[0, 1]]]
)
def test_what_is_no_matrix_of_distances_is_refused(wrong):
    with pytest.raises(ValueError, match="distances"):
        place_points(np.array(wrong, dtype=float))
