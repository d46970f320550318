"""From the tables of a set's files to the canonical dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.labels import LABEL_HINT
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.clus import ClassLabels
from mlsieve.errors import UserError, did_you_mean, shortened


def assemble(
    name: str,
    training: Sequence[ArffTable],
    test: ArffTable | None,
    labels: Sequence[int],
    *,
    drop: Sequence[str] = (),
    facts: dict[str, Any] | None = None,
    classes: ClassLabels | None = None,
) -> Dataset:
    """Join the tables of a set's files, training part first, and separate features from labels.

    Parameters
    ----------
    name : str
    training : sequence of ArffTable
        The training part: one table, or train and valid.
    test : ArffTable or None
        None leaves all rows in the training part, with `official_split` False.
    labels : sequence of int
        Columns of the labels.
    drop : sequence of str, optional
        Names of attributes to leave out.
    facts : dict, optional
        Stored with the dataset.
    classes : ClassLabels, optional
        Of the rows of all tables, in place of what the columns of the labels hold.

    Returns
    -------
    Dataset
        Sparse if the first table is. Values that only a later table declares are added behind those of the
        first.

    Raises
    ------
    UserError
        If the tables' attributes differ, a label is not binary or missing, or `drop` names no feature.
    """
    tables = [*training, *([] if test is None else [test])]
    first = tables[0]
    for table in tables[1:]:
        _same_attributes(first, table)
    left_out = _dropped(first, drop, labels) | set(labels)
    features = [i for i in range(len(first.attributes)) if i not in left_out]
    if not features:
        raise UserError("no features are left", file=first.path, hint="drop fewer columns")
    if classes is None:
        Y = sp.csr_array(sp.vstack([_label_matrix(table, labels) for table in tables], format="csr"))
        label_names = tuple(first.attributes[i].name for i in labels)
    else:
        Y, label_names = classes.Y, classes.hierarchy.names
    categories = [_merged([table.attributes[i].categories for table in tables]) for i in features]
    sparse = sp.issparse(first.values)
    parts = [_features(table, features, categories, sparse) for table in tables]
    X = sp.csr_array(sp.vstack(parts, format="csr")) if sparse else np.ascontiguousarray(np.vstack(parts))
    n_training = sum(len(table.lines) for table in training)
    mask = np.zeros(X.shape[0], dtype=bool)
    mask[:n_training] = True
    return Dataset(
        name=name,
        X=X,
        Y=Y,
        train_mask=mask,
        nominal=np.array([values is not None for values in categories], dtype=bool),
        categories=tuple(values or () for values in categories),
        feature_names=tuple(first.attributes[i].name for i in features),
        label_names=label_names,
        task="mlc" if classes is None else "hmlc",
        official_split=test is not None,
        facts=facts or {},
        hierarchy=None if classes is None else classes.hierarchy,
    )


def _same_attributes(first: ArffTable, other: ArffTable) -> None:
    """Raise unless both tables declare the same names in the same order with the same kinds."""
    if len(first.attributes) != len(other.attributes):
        raise UserError(
            f"{len(other.attributes)} attributes, but {len(first.attributes)} in {first.path}",
            file=other.path,
            hint="training and test file must declare the same attributes",
        )
    for place, (left, right) in enumerate(zip(first.attributes, other.attributes, strict=True)):
        if left.name != right.name:
            raise UserError(
                f"attribute {place} (from 0) is '{right.name}', but '{left.name}' "
                f"in {first.path}:{left.line}",
                file=other.path,
                line=right.line,
                hint="training and test file must declare the same attributes in the same order",
            )
        kinds = [_kind(attribute) for attribute in (right, left)]
        if kinds[0] != kinds[1]:
            raise UserError(
                f"attribute '{right.name}' is {kinds[0]}, but {kinds[1]} in {first.path}:{left.line}",
                file=other.path,
                line=right.line,
                hint="training and test file must declare the same types",
            )


def _kind(attribute: Attribute) -> str:
    if attribute.classes is not None:
        return "hierarchical"
    return "numeric" if attribute.categories is None else "nominal"


def _dropped(table: ArffTable, drop: Sequence[str], labels: Sequence[int]) -> set[int]:
    places = {attribute.name: i for i, attribute in enumerate(table.attributes)}
    for name in drop:
        if name not in places:
            raise UserError(
                f"no attribute '{name}' to drop", file=table.path, hint=did_you_mean(name, list(places))
            )
        if places[name] in labels:
            raise UserError(f"attribute '{name}' is a label", file=table.path, hint="drop features only")
    return {places[name] for name in drop}


def _merged(declarations: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return the values of all declarations in the order of their first mention."""
    if declarations[0] is None:
        return None
    return tuple(dict.fromkeys(value for values in declarations if values is not None for value in values))


def _features(table: ArffTable, features: Sequence[int], categories: Sequence[Any], sparse: bool) -> Any:
    """Return a table's features with the positions of the merged categories, dense or CSR as asked for."""
    X: Any = table.values[:, features]
    if sparse and not sp.issparse(X):
        X = sp.csr_array(X)
    elif not sparse and sp.issparse(X):
        X = X.toarray()
    for column, (place, merged) in enumerate(zip(features, categories, strict=True)):
        own = table.attributes[place].categories
        if own is None or own == merged[: len(own)]:
            continue
        positions = np.array([merged.index(value) for value in own], dtype=np.float64)
        X = _with_positions(X, column, positions)
    return X


def _with_positions(X: Any, column: int, positions: np.ndarray) -> Any:
    """Return X with every position p of one column replaced by ``positions[p]``; NaN stays."""
    old = X[:, [column]].toarray()[:, 0] if sp.issparse(X) else X[:, column]
    new = old.copy()
    present = ~np.isnan(old)
    new[present] = positions[old[present].astype(np.int64)]
    if not sp.issparse(X):
        X[:, column] = new
        return X
    entries = X.tocoo()
    keep = entries.col != column
    rows = np.flatnonzero(new)  # NaN counts as non-zero
    return sp.csr_array(
        (
            np.concatenate([entries.data[keep], new[rows]]),
            (
                np.concatenate([entries.row[keep], rows]),
                np.concatenate([entries.col[keep], np.full(len(rows), column)]),
            ),
        ),
        shape=X.shape,
    )


def _label_matrix(table: ArffTable, labels: Sequence[int]) -> sp.csr_array:
    """Return the labels of a table, uint8 CSR of ones."""
    values: Any = table.values[:, list(labels)]
    attributes = [table.attributes[i] for i in labels]
    for attribute in attributes:
        _binary_declaration(table, attribute)
    given = values.tocoo() if sp.issparse(values) else sp.coo_array(values)  # NaN counts as non-zero
    wrong = np.isnan(given.data) | ((given.data != 0) & (given.data != 1))
    if wrong.any():
        k = np.flatnonzero(wrong)[np.argmin(given.row[wrong])]
        value = "missing" if np.isnan(given.data[k]) else f"{given.data[k]:g}"
        raise UserError(
            f"label '{attributes[given.col[k]].name}' is {value}, not 0 or 1",
            file=table.path,
            line=int(table.lines[given.row[k]]),
            hint=LABEL_HINT,
        )
    ones = sp.csr_array((given.data.astype(np.uint8), (given.row, given.col)), shape=values.shape)
    # A declaration {1,0} (or {1}) has position 0 for a label that is set, and so has what a sparse row
    # does not list.
    turned = [i for i, attribute in enumerate(attributes) if attribute.categories in {("1", "0"), ("1",)}]
    if turned:
        dense = ones.toarray()
        dense[:, turned] = 1 - dense[:, turned]
        ones = sp.csr_array(dense)
    ones.eliminate_zeros()
    ones.sort_indices()
    return ones


def _binary_declaration(table: ArffTable, attribute: Attribute) -> None:
    if attribute.categories is not None and not set(attribute.categories) <= {"0", "1"}:
        declared = ",".join(map(shortened, attribute.categories[:4])) + (
            ",..." if len(attribute.categories) > 4 else ""
        )
        raise UserError(
            f"label '{attribute.name}' has the values {{{declared}}}, not {{0,1}}",
            file=table.path,
            line=attribute.line,
            hint="check which attributes are labels; a label must be 0 or 1",
        )
