"""Tables of one dataset: its labels, the pairs of them that occur together, its features."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset

LABELS = ("label", "rows", "frequency", "imbalance", "alone", "partner", "rows_with_partner")
PAIRS = ("first", "second", "rows", "jaccard", "lift")
FEATURES = (
    "feature",
    "kind",
    "missing",
    "values",
    "zeros",
    "minimum",
    "mean",
    "maximum",
    "most_frequent",
    "share",
)


def label_rows(dataset: Dataset) -> list[dict[str, Any]]:
    """Return a row for each label, in the order of the data, with the keys `LABELS`.

    ``frequency`` is the share of the rows that have the label. ``imbalance`` is the number of rows of the
    most frequent label over that of this one (IRLbl of Charte et al., *Addressing imbalance in multilabel
    classification*, Neurocomputing 163, 2015); empty for a label without rows. ``alone`` is the number of its
    rows that have no other label, and ``partner`` the label that most of its rows have, too; the first of
    several.
    """
    Y = sp.csr_array(dataset.Y, dtype=np.int64)
    rows = np.asarray(Y.sum(axis=0)).ravel()
    most = rows.max(initial=0)
    alone = np.bincount(Y.indices[np.repeat(np.diff(Y.indptr) == 1, np.diff(Y.indptr))], minlength=Y.shape[1])
    partner, with_partner = _partners(Y)
    return [
        {
            "label": name,
            "rows": own,
            "frequency": _short(own / Y.shape[0]),
            "imbalance": _short(most / own) if own else "",
            "alone": own_alone,
            "partner": dataset.label_names[place] if both else "",
            "rows_with_partner": both,
        }
        for name, own, own_alone, place, both in zip(
            dataset.label_names,
            rows.tolist(),
            alone.tolist(),
            partner.tolist(),
            with_partner.tolist(),
            strict=True,
        )
    ]


def _partners(Y: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the label that most rows of each have, too, the first of several, and the number of the rows."""
    pairs = _together(Y).tocoo()
    order = np.lexsort((pairs.col, -pairs.data, pairs.row))
    order = order[pairs.row[order] != pairs.col[order]]
    labels, first = np.unique(pairs.row[order], return_index=True)
    partner, rows = np.zeros((2, Y.shape[1]), np.int64)
    partner[labels], rows[labels] = pairs.col[order[first]], pairs.data[order[first]]
    return partner, rows


def pair_rows(dataset: Dataset) -> list[dict[str, Any]]:
    """Return a row for each two labels that occur together, the most frequent first, with the keys `PAIRS`.

    ``jaccard`` is the number of rows with both over that with either, and ``lift`` how many times as often
    both occur as they would if they were independent.
    """
    Y = sp.csr_array(dataset.Y, dtype=np.int64)
    rows = np.asarray(Y.sum(axis=0)).ravel()
    upper = sp.triu(_together(Y), k=1).tocoo()
    order = np.lexsort((upper.col, upper.row, -upper.data))
    return [
        {
            "first": dataset.label_names[i],
            "second": dataset.label_names[j],
            "rows": int(both),
            "jaccard": _short(both / (rows[i] + rows[j] - both)),
            "lift": _short(both * Y.shape[0] / (rows[i] * rows[j])),
        }
        for i, j, both in zip(upper.row[order], upper.col[order], upper.data[order], strict=True)
    ]


def feature_rows(dataset: Dataset) -> list[dict[str, Any]]:
    """Return a row for each feature, in the order of the data, with the keys `FEATURES`.

    ``values`` is the number of different known values. A numeric feature has ``minimum``, ``mean`` and
    ``maximum`` of the known ones, a nominal one its ``most_frequent`` category and the ``share`` of the known
    rows that hold it.
    """
    table = []
    for j, (name, column) in enumerate(zip(dataset.feature_names, _columns(dataset), strict=True)):
        known = column[~np.isnan(column)]
        row: dict[str, Any] = dict.fromkeys(FEATURES, "")
        row |= {
            "feature": name,
            "kind": "nominal" if dataset.nominal[j] else "numeric",
            "missing": len(column) - len(known),
            "values": len(np.unique(known)),
            "zeros": int((known == 0).sum()) if not dataset.nominal[j] else "",
        }
        if len(known) and dataset.nominal[j]:
            counts = np.bincount(known.astype(np.int64))
            most = int(counts.argmax())
            row |= {"most_frequent": dataset.categories[j][most], "share": _short(counts[most] / len(known))}
        elif len(known):
            row |= {
                "minimum": _short(known.min()),
                "mean": _short(known.mean()),
                "maximum": _short(known.max()),
            }
        table.append(row)
    return table


def _columns(dataset: Dataset) -> Iterator[np.ndarray]:
    if not dataset.is_sparse:
        yield from dataset.X.T
        return
    X = sp.csc_array(dataset.X)
    for start, end in itertools.pairwise(X.indptr.tolist()):
        column = np.zeros(X.shape[0])
        np.add.at(column, X.indices[start:end], X.data[start:end])
        yield column


def _together(Y: sp.csr_array) -> sp.csr_array:
    """Return in how many rows each two labels occur together, shape (L, L)."""
    return sp.csr_array(Y.T @ Y)


def _short(value: float) -> str:
    return f"{value:.6g}"
