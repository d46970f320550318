"""Embedded datasets: their known structure, their reproducibility and their entries in the catalog."""

from __future__ import annotations

import numpy as np
import pytest

from mlsieve.data import load_dataset
from mlsieve.data.catalog import public_catalog
from mlsieve.data.generated.digits import DIGIT_CLASSES
from mlsieve.data.generated.synthetic import (
    DIGIT_LABELS,
    EMBEDDED,
    make_embedded,
    make_hierarchical,
    make_linear,
    make_sparse,
)
from mlsieve.data.public.check import differences
from mlsieve.errors import UserError

SYNTHETIC = [id for id in EMBEDDED if id.startswith("synthetic")]


@pytest.mark.parametrize("id", EMBEDDED)
def test_as_the_catalog_tells(id):
    dataset = load_dataset(id)
    assert differences(public_catalog()[id], dataset) == []
    assert dataset.official_split and dataset.name == id
    assert dataset.n_train == round(dataset.X.shape[0] * 2 / 3)
    positives = dataset.Y_train.sum(axis=0)
    assert (positives > 0).all() and (positives < dataset.n_train).all()


@pytest.mark.parametrize("id", EMBEDDED)
def test_equal_seeds_give_equal_bytes(id, tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        make_embedded(id, seed).save(tmp_path / f"{name}.npz")
    a, b, c = ((tmp_path / f"{name}.npz").read_bytes() for name in "abc")
    assert a == b and a != c


@pytest.mark.parametrize("id", SYNTHETIC)
def test_structure_is_told_and_shuffled(id):
    dataset = make_embedded(id)
    relevant, redundant = dataset.facts["relevant"], dataset.facts.get("redundant", [])
    for kind, columns in (("relevant", relevant), ("redundant", redundant)):
        assert columns == [i for i, name in enumerate(dataset.feature_names) if name.startswith(kind)]
    assert relevant and relevant != list(range(len(relevant)))
    assert len(set(dataset.feature_names)) == len(dataset.feature_names)
    assert 300 <= dataset.X.shape[0] <= 600 and 20 <= dataset.X.shape[1] <= 60


@pytest.mark.parametrize("id", EMBEDDED)
def test_permuted_labels_keep_the_label_sets_and_the_features(id):
    plain, permuted = make_embedded(id), make_embedded(id, permute_labels=True)
    assert (plain.X != permuted.X).sum() == np.isnan(plain.X.data if plain.is_sparse else plain.X).sum()
    a, b = plain.Y.toarray(), permuted.Y.toarray()
    assert not np.array_equal(a, b)
    np.testing.assert_array_equal(a[np.lexsort(a.T)], b[np.lexsort(b.T)])


def test_each_linear_label_depends_on_its_features():
    dataset = make_linear(5)
    X, Y = dataset.X, dataset.Y.toarray()
    place = {name: i for i, name in enumerate(dataset.feature_names)}
    correlation = np.abs(np.corrcoef(X.T, Y.T)[: X.shape[1], X.shape[1] :])
    relevant = dataset.facts["relevant"]
    strongest = correlation.max(axis=1)
    assert strongest[relevant].min() > 0.5 > np.delete(strongest, relevant).max()
    assert len(place) == X.shape[1]


def test_text_like_data_are_sparse_counts():
    dataset = make_sparse()
    assert dataset.is_sparse
    assert dataset.X.nnz < 0.5 * np.prod(dataset.X.shape)
    assert (dataset.X.data == np.round(dataset.X.data)).all() and dataset.X.data.min() >= 1


def test_mixed_data_have_nominal_features_and_missing_values():
    dataset = make_embedded("synthetic-mixed")
    for column in np.flatnonzero(dataset.nominal):
        values = dataset.X[~np.isnan(dataset.X[:, column]), column]
        assert set(values) == set(range(len(dataset.categories[column])))
    assert np.isnan(dataset.X).mean() == pytest.approx(0.05, abs=0.01)


def test_digits():
    dataset = load_dataset("digits-mlc")
    assert dataset.X.shape == (1797, 64) and len(DIGIT_LABELS) >= 6
    sets = {tuple(row) for row in dataset.Y.toarray()}
    of_digits = {tuple(int(digit in members) for members in DIGIT_LABELS.values()) for digit in range(10)}
    assert sets == of_digits


def test_hierarchical_digits():
    """A class holds digits of all classes above it; the most specific one is the digit itself."""
    dataset = load_dataset("digits-hmlc")
    hierarchy = dataset.hierarchy
    for name, (digits, above) in DIGIT_CLASSES.items():
        assert all(set(digits) < set(DIGIT_CLASSES[parent][0]) for parent in above)
        least = [c for c, (more, _) in DIGIT_CLASSES.items() if set(digits) < set(more)]
        assert set(above) <= set(least), name
    below = dataset.Y.toarray().astype(int) @ hierarchy.ancestors.toarray().astype(int) * dataset.Y.toarray()
    names = np.array(hierarchy.names)
    digits = "zero one two three four five six seven eight nine".split()
    assert {tuple(names[row == 1]) for row in below} == {(digit,) for digit in digits}
    assert not hierarchy.is_tree and (dataset.X != load_dataset("digits-mlc").X).sum() == 0


def test_each_class_of_the_hierarchy_depends_on_its_feature():
    dataset = make_hierarchical(7)
    X, hierarchy = dataset.X, dataset.hierarchy
    features = []
    for c in range(hierarchy.n_classes):
        members = dataset.Y[:, [c]].toarray()[:, 0] == 1
        above = dataset.Y[:, hierarchy.parents(c)].toarray().all(axis=1)
        own = [j for j in range(X.shape[1]) if np.array_equal(members, above & (X[:, j] > 0))]
        features += own
        assert len(own) == 1
    assert sorted(features) == dataset.facts["relevant"]
    assert hierarchy.n_classes == 13 and (np.diff(hierarchy.parent_start) == 2).sum() == 1


def test_parameters_and_unknown_ids():
    assert make_linear(n_samples=50, n_relevant=3, n_irrelevant=4, n_labels=5).X.shape == (50, 7)
    with pytest.raises(UserError, match="no embedded dataset 'synthetic-lienar'; did you mean"):
        make_embedded("synthetic-lienar")
