"""From the tables of a set's files to the canonical dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset, categories_of
from mlsieve.data.label_values import GivenLabels, label_matrix_of
from mlsieve.data.labels import NO_FEATURES_HINT
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.errors import ColumnError, UserError, did_you_mean
from mlsieve.files.numbered import Numbered


def assemble(
    name: str,
    training: Sequence[ArffTable],
    test: ArffTable | None,
    labels: Sequence[int],
    *,
    drop: Sequence[str] = (),
    facts: dict[str, Any] | None = None,
    given: GivenLabels | None = None,
    positive: str | None = None,
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
    given : GivenLabels, optional
        Of the rows of all tables, in place of what the columns of the labels hold.
    positive : str, optional
        The value of a label that is set, see `mlsieve.data.label_values.label_matrix_of`.

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
    everything = range(len(first.attributes))
    features = [i for i in everything if i not in left_out] if left_out else everything
    if not features:
        raise UserError("no features are left", file=first.path, hint=NO_FEATURES_HINT)
    if given is None:
        parts = [label_matrix_of(table, labels, positive) for table in tables]
        names = tuple(first.attributes[i].name for i in labels)
        given = GivenLabels(sp.csr_array(sp.vstack(parts, format="csr")), names)
    declared = [table.categories for table in tables]
    # By the place of a column among the features.
    categories = {
        column: _merged([own[features[column]] for own in declared])
        for column in (np.flatnonzero(np.isin(features, list(declared[0]))).tolist() if declared[0] else ())
    }
    nominal = np.zeros(len(features), dtype=bool)
    nominal[list(categories)] = True
    sparse = sp.issparse(first.values)
    columns = [_features(table, features, categories, sparse) for table in tables]
    X = sp.csr_array(sp.vstack(columns, format="csr")) if sparse else np.ascontiguousarray(np.vstack(columns))
    n_training = sum(len(table.lines) for table in training)
    mask = np.zeros(X.shape[0], dtype=bool)
    mask[:n_training] = True
    return Dataset(
        name=name,
        X=X,
        Y=given.Y,
        train_mask=mask,
        nominal=nominal,
        categories=categories_of(len(features), categories),
        feature_names=_names(first, features),
        label_names=given.names,
        task="mlc" if given.hierarchy is None else "hmlc",
        official_split=test is not None,
        facts=facts or {},
        hierarchy=given.hierarchy,
    )


def _same_attributes(first: ArffTable, other: ArffTable) -> None:
    """Raise unless both tables declare the same names in the same order with the same kinds."""
    if first.attributes == other.attributes:
        return
    if len(first.attributes) != len(other.attributes):
        raise UserError(
            f"{len(other.attributes)} attributes, but {len(first.attributes)} in {first.path}",
            file=other.path,
            hint="training and test file must declare the same attributes",
        )
    for place, (left, right) in enumerate(zip(first.attributes, other.attributes, strict=True)):
        if left.name != right.name:
            raise UserError(
                f"column {place + 1} is '{right.name}', but '{left.name}' in {first.path}:{left.line}",
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
    if not drop:
        return set()
    places = {attribute.name: i for i, attribute in enumerate(table.attributes)}
    for name in drop:
        if name not in places:
            raise UserError(
                f"no attribute '{name}' to drop", file=table.path, hint=did_you_mean(name, list(places))
            )
        if places[name] in labels:
            raise UserError(f"attribute '{name}' is a label", file=table.path, hint="drop features only")
    return {places[name] for name in drop}


def _names(table: ArffTable, features: Sequence[int]) -> Sequence[str]:
    names = table.names
    if isinstance(features, range) and isinstance(names, Numbered):
        return names
    return tuple(names[i] for i in features)


def _merged(declarations: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the values of all declarations in the order of their first mention."""
    return tuple(dict.fromkeys(value for values in declarations for value in values))


def _features(
    table: ArffTable, features: Sequence[int], categories: Mapping[int, tuple[str, ...]], sparse: bool
) -> Any:
    """Return a table's features with the positions of the merged categories, dense or CSR as asked for."""
    X: Any = table.values
    if not (sp.issparse(X) and isinstance(features, range)):
        X = X[:, features]
    if sparse and not sp.issparse(X):
        X = sp.csr_array(X)
    elif not sparse and sp.issparse(X):
        X = X.toarray()
    require_finite_cells(table, X, features)
    for column, merged in categories.items():
        own = table.attributes[features[column]].categories or ()
        if own == merged[: len(own)]:
            continue
        positions = {float(place): float(merged.index(value)) for place, value in enumerate(own)}
        X = with_positions(X, column, positions)
    return X


def require_finite_cells(table: ArffTable, X: Any, features: Sequence[int]) -> None:
    """Raise for the first infinite value; readers of text refuse theirs."""
    infinite = np.isinf(X.data if sp.issparse(X) else X)
    if not infinite.any():
        return
    if sp.issparse(X):
        place = int(infinite.argmax())
        row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    else:
        row, column = (int(each) for each in np.argwhere(infinite)[0])
    name = table.attributes[features[column]].name
    raise ColumnError(
        f"column '{name}' holds an infinite value",
        ["give a finite number", "leave the cell empty"],
        [f"leave the column out (--drop '{name}')"],
        file=table.path,
        line=int(table.lines[row]),
    )


def with_positions(X: Any, column: int, positions: Mapping[float, float]) -> Any:
    """Return X with every value p of one column replaced by ``positions[p]``; NaN stays."""
    old = X[:, [column]].toarray()[:, 0] if sp.issparse(X) else X[:, column]
    new = old.copy()
    present = ~np.isnan(old)
    values, place = np.unique(old[present], return_inverse=True)
    new[present] = np.array([positions[value] for value in values.tolist()], np.float64)[place]
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
