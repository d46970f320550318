"""Facts of datasets as a table, by which a question selects some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.hierarchy import Hierarchy

DATASETS = (
    "dataset",
    "task",
    "n_train",
    "n_test",
    "F",
    "F_numeric",
    "F_nominal",
    "binary",
    "L",
    "cardinality",
    "distinct",
    "missing",
    "depth",
    "leaf_depth",
    "several_parents",
    "left_out",
)


def is_binary(dataset: Dataset) -> bool:
    """Return whether there are features and none has more than two values; missing ones do not count."""
    if dataset.is_sparse:
        columns = dataset.X.tocsc()
        starts, counts = columns.indptr[:-1], np.diff(columns.indptr)
        return columns.shape[1] > 0 and all(
            _at_most_two(columns.data[a : a + n], zeros=n < columns.shape[0])
            for a, n in zip(starts[counts > 0].tolist(), counts[counts > 0].tolist(), strict=True)
        )
    return dataset.X.shape[1] > 0 and all(_at_most_two(column) for column in dataset.X.T)


def _at_most_two(values: np.ndarray, *, zeros: bool = False) -> bool:
    known = values[~np.isnan(values)]
    if zeros:
        known = known[known != 0]
    if not len(known):
        return True
    low = known.min()
    others = known[known != low]
    return not len(others) if zeros else bool((others == others[:1]).all())


def leaf_depth(hierarchy: Hierarchy) -> float:
    """Return the mean depth of the classes without children, 1 at the top; 0 without classes.

    In a graph the depth of a class is that of its longest way to the top.
    """
    leaves = np.diff(hierarchy.child_csr[0]) == 0
    return float(hierarchy.depth[leaves].mean()) + 1 if leaves.any() else 0.0


def dataset_facts(datasets: Iterable[Dataset]) -> list[dict[str, Any]]:
    """Return a row for each dataset, with the keys `DATASETS`.

    ``binary`` is "yes" where no feature has more than two values, else "no"; ``leaf_depth`` is the mean depth
    of the classes without children; ``left_out`` is the number of columns that were left out of a user's own
    file; the others are as of `mlsieve.data.Dataset.counts`. What only a hierarchy
    has is empty without one.
    """
    rows = []
    for dataset in datasets:
        facts: Mapping[str, Any] = {
            **dataset.counts(),
            "dataset": dataset.name,
            "task": dataset.task,
            "left_out": len(dataset.facts.get("left_out", [])),
            "binary": "yes" if is_binary(dataset) else "no",
            "cardinality": f"{dataset.label_cardinality:.6g}",
            **({} if dataset.hierarchy is None else {"leaf_depth": f"{leaf_depth(dataset.hierarchy):.6g}"}),
        }
        rows.append({name: facts.get(name, "") for name in DATASETS})
    return rows
