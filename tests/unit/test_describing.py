"""Facts of prepared datasets."""

import csv

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.cli import main
from mlsieve.data import Dataset
from mlsieve.tables.datasets import DATASETS, is_binary


def dataset(X, name="made-up"):
    n, n_features = X.shape
    return Dataset(
        name,
        X,
        sp.csr_array(np.ones((n, 1), np.uint8)),
        np.arange(n) < n - 1,
        np.zeros(n_features, bool),
        ((),) * n_features,
        tuple(f"f{i}" for i in range(n_features)),
        ("label",),
    )


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, (4, 2), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan])))
def test_binary_means_at_most_two_values_dense_or_sparse(X):
    expected = all(len(np.unique(column[~np.isnan(column)])) <= 2 for column in X.T)
    assert is_binary(dataset(X)) == expected
    assert is_binary(dataset(sp.csr_array(X))) == expected


def test_data_without_features_are_not_binary():
    assert not is_binary(dataset(np.empty((3, 0)))) and not is_binary(dataset(sp.csr_array((3, 0))))


def test_describe_writes_a_row_a_data_set(tmp_path, capsys):
    paths = []
    for name, X in (("one", np.array([[0.0, 1], [1, 1], [0, 1]])), ("two", np.arange(6.0).reshape(3, 2))):
        paths.append(str(tmp_path / f"{name}.npz"))
        dataset(X, name).save(paths[-1])
    assert main(["describe", *paths, "-o", str(tmp_path / "datasets.csv")]) == 0
    with open(tmp_path / "datasets.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["binary"] for row in rows] == ["yes", "no"] and tuple(rows[0]) == DATASETS
    assert rows[0]["dataset"] == "one" and rows[0]["n_train"] == "2" and rows[0]["F"] == "2"
    assert main(["describe", paths[0]]) == 0
    assert capsys.readouterr().out.startswith("dataset,task,")
    assert main(["describe", str(tmp_path / "none.npz")]) == 2


def test_a_feature_of_missing_values_only_has_no_values():
    X = np.array([[np.nan, 0.0], [np.nan, 5.0]])
    assert is_binary(dataset(X)) and is_binary(dataset(sp.csr_array(X)))


def test_hierarchies_have_their_depths(tmp_path, capsys):
    """Of digits-hmlc and of a flat set: what only a hierarchy has is empty without one."""
    from mlsieve.data import load_dataset
    from mlsieve.tables.datasets import leaf_depth

    paths = []
    for name in ("digits-hmlc", "digits-mlc"):
        paths.append(str(tmp_path / f"{name}.npz"))
        load_dataset(name).save(paths[-1])
    assert main(["describe", *paths]) == 0
    deep, flat = csv.DictReader(capsys.readouterr().out.splitlines())
    hierarchy = load_dataset("digits-hmlc").hierarchy
    parents = [
        hierarchy.parent_index[a:b].tolist()
        for a, b in zip(hierarchy.parent_start[:-1], hierarchy.parent_start[1:], strict=True)
    ]

    def depth(c):
        return 1 + max((depth(parent) for parent in parents[c]), default=0)

    above = {parent for own in parents for parent in own}
    leaves = [depth(c) for c in range(len(parents)) if c not in above]
    assert leaf_depth(hierarchy) == pytest.approx(np.mean(leaves))
    assert float(deep["leaf_depth"]) == pytest.approx(np.mean(leaves), rel=1e-5)
    assert int(deep["depth"]) == max(map(depth, range(len(parents))))
    assert int(deep["several_parents"]) == sum(len(own) > 1 for own in parents)
    assert int(flat["distinct"]) > 1
    assert (flat["depth"], flat["leaf_depth"], flat["several_parents"]) == ("", "", "")
