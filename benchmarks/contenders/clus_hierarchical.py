"""CLUS's input for classes of a hierarchy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contenders.clus_settings import SETTINGS

HIERARCHICAL = """
[Hierarchical]
Type = {kind}
HSeparator = /
WType = ExpAvgParentWeight
WParam = 0.75
"""


def settings(dataset: Any, work: str, rows: int, trees: int, threads: int) -> str:
    """Return the settings file of one work on the first rows of the training part."""
    n_features = dataset.X.shape[1]
    return SETTINGS.format(
        n_features=n_features,
        target=n_features + 1,
        hierarchical=HIERARCHICAL.format(kind="Tree" if dataset.hierarchy.is_tree else "DAG"),
        trees=trees,
        method="Bagging" if work == "hmlc-bagging" else "RForest",
        scores="Symbolic,Genie3",
        threads=threads,
        share=1.0,
        k=min(15, rows - 1),
        distance="",
    )


def write_arff(path: Path, dataset: Any, rows: int) -> None:
    """Write the first rows of the training part; a row has the classes that none of its own is below."""
    X, Y, hierarchy = dataset.X_train[:rows], dataset.Y_train[:rows], dataset.hierarchy
    names = hierarchy.names
    with path.open("w", encoding="utf-8") as stream:
        stream.write("@relation data\n")
        for feature, nominal in enumerate(dataset.nominal):
            values = ",".join(map(str, range(len(dataset.categories[feature]))))
            stream.write(f"@attribute x{feature} {f'{{{values}}}' if nominal else 'numeric'}\n")
        stream.write(f"@attribute class hierarchical {','.join(_declared(hierarchy))}\n@data\n")
        for row in range(rows):
            own = Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
            above = [hierarchy.parents(c) for c in own]
            last = np.setdiff1d(own, np.concatenate(above)) if len(own) else own
            cells = ["?" if value != value else f"{value:.9g}" for value in X[row].tolist()]
            stream.write(",".join([*cells, "@".join(names[c] for c in last)]) + "\n")


def _declared(hierarchy: Any) -> list[str]:
    """Return paths of a tree, pairs of parent and child of a graph."""
    if hierarchy.is_tree:
        return list(hierarchy.names)
    return [
        f"{above}/{name}"
        for c, name in enumerate(hierarchy.names)
        for above in [hierarchy.names[p] for p in hierarchy.parents(c)] or ["root"]
    ]
