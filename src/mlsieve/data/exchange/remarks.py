"""What the owner of a dataset should know before it is used, such as labels that no row has."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.errors import number_of, shortened

_SHOWN = 5
_FEWEST_ROWS = 20  # with fewer, different values in each row are no sign of an identifier


def remarks_on(dataset: Dataset) -> list[str]:
    """Return remarks on labels and features, in clauses without a full stop.

    Labels that no row or every row has cannot be learned. A feature whose value is another one in every row
    (an identifier, the number of the row) can divide the rows in any way, and would be ranked high by chance.
    """
    n_rows = dataset.X.shape[0]
    counts = np.diff(sp.csc_array(dataset.Y).indptr)
    remarks = []
    for count, what in ((0, "no row has"), (n_rows, "every row has")):
        names = [dataset.label_names[j] for j in np.flatnonzero(counts == count)]
        if names:
            remarks.append(f"{what} {number_of(len(names), 'label')}: {_listed(names)}")
    identifiers = [name for j, name in enumerate(dataset.feature_names) if _is_identifier(dataset, j)]
    if identifiers:
        remarks.append(
            f"{number_of(len(identifiers), 'feature')} with a different value in each row, as an identifier"
            f" has: {_listed(identifiers)} (--drop leaves columns out)"
        )
    return remarks


def _is_identifier(dataset: Dataset, feature: int) -> bool:
    """Return whether almost every row has a category of its own, or each row another whole number."""
    n_rows = dataset.X.shape[0]
    if n_rows < _FEWEST_ROWS or dataset.is_sparse:
        return False
    values: Any = dataset.X[:, feature]
    if dataset.nominal[feature]:
        known = values[~np.isnan(values)]
        return len(known) > 0.9 * n_rows and len(np.unique(known)) > 0.9 * len(known)
    if np.isnan(values).any() or (values != np.round(values)).any():
        return False
    return len(np.unique(values)) == n_rows


def _listed(names: list[str]) -> str:
    shown = ", ".join(shortened(name) for name in names[:_SHOWN])
    return shown + (", ..." if len(names) > _SHOWN else "")
