"""What the owner of a dataset should know before it is used, such as labels that no row has."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.label_cells import joined_by
from mlsieve.data.splits import digests_of_rows, repeated_rows
from mlsieve.errors import number_of, shortened

_SHOWN = 5
_SIGNS_OF_SETS = ";|[{("
# With fewer known cells, different values in each row are no sign of an identifier, of numbers and of texts.
_FEWEST_NUMBERS, _FEWEST_TEXTS = 20, 10


def remarks_on(dataset: Dataset) -> list[str]:
    """Return remarks on labels and features, in clauses without a full stop.

    Labels that no row or every row has cannot be learned, and a feature without a known value says nothing. A
    feature whose value is another one in every row (an identifier, the number of the row, free text) can
    divide the rows in any way, and would be ranked high by chance; one with half as many categories, too. One
    whose cells look like sets of labels may be what the labels are. A test row that is a training row makes
    measures too optimistic.
    """
    n_rows = dataset.X.shape[0]
    counts = np.diff(sp.csc_array(dataset.Y).indptr)
    remarks = []
    for count, what in ((0, "no row has"), (n_rows, "every row has")):
        places = np.flatnonzero(counts == count)
        names = [dataset.label_names[j] for j in places[: _SHOWN + 1].tolist()]
        if names:
            one = f"label '{shortened(names[0])}' is constant, as {what} it"
            many = f"{len(places)} labels are constant, as {what} them: {_listed(names)}"
            remarks.append(one if len(names) == 1 else many)
    # A sparse numeric feature, of which there may be millions, is hardly one of these.
    places = np.flatnonzero(dataset.nominal) if dataset.is_sparse else np.arange(len(dataset.nominal))
    found: dict[str, list[str]] = {what: [] for _, what in _ODD_FEATURES}
    for j in places.tolist():
        known = _known(dataset, j)
        for fits, what in _ODD_FEATURES:
            if fits(known, bool(dataset.nominal[j])):
                found[what].append(dataset.feature_names[j])
    for what, names in found.items():
        if names:
            one = f"feature '{shortened(names[0])}' has {what}"
            many = f"{len(names)} features have {what}: {_listed(names)}"
            remarks.append(f"{one if len(names) == 1 else many} (--drop leaves columns out)")
    return [*remarks, *_sets_among_features(dataset), *_rows_in_both(dataset)]


def _sets_among_features(dataset: Dataset) -> list[str]:
    """Return a remark on each nominal feature that looks like a column of label sets."""
    remarks = []
    for j in np.flatnonzero(dataset.nominal).tolist():
        categories = dataset.categories[j]
        if not any(sign in category for category in categories for sign in _SIGNS_OF_SETS):
            continue
        occurring = [categories[int(code)] for code in np.unique(_known(dataset, j))]
        separator = joined_by(occurring)
        if separator is not None:
            name = dataset.feature_names[j]
            options = f"--label-column '{name}'" + (f" --label-separator '{separator}'" if separator else "")
            remarks.append(
                f"feature '{shortened(name)}' looks like sets of labels ({options} if these are the labels)"
            )
    return remarks


def _rows_in_both(dataset: Dataset) -> list[str]:
    """Return a remark if more test rows equal training rows than chance explains."""
    train = dataset.train_mask
    if train.all():
        return []
    digests = digests_of_rows(dataset)
    n_equal, too_many = repeated_rows(digests[~train], digests[train])
    if not too_many:
        return []
    tested = number_of(int((~train).sum()), "test row")
    return [f"{n_equal} of the {tested} equal training rows: measures may be too optimistic (check --test)"]


def _known(dataset: Dataset, feature: int) -> np.ndarray:
    """Return a feature's cells that are not missing."""
    values: Any = dataset.X[:, [feature]]
    values = (values.toarray() if dataset.is_sparse else values)[:, 0]
    return values[~np.isnan(values)]


def _is_missing(known: np.ndarray, nominal: bool) -> bool:
    return not len(known)


def _is_identifier(known: np.ndarray, nominal: bool) -> bool:
    """Return whether almost every known cell is a category of its own, or each another whole number."""
    if len(known) < (_FEWEST_TEXTS if nominal else _FEWEST_NUMBERS):
        return False
    if nominal:
        return len(np.unique(known)) > 0.9 * len(known)
    return bool((known == np.round(known)).all()) and len(np.unique(known)) == len(known)


def _has_many_categories(known: np.ndarray, nominal: bool) -> bool:
    if not nominal or len(known) < _FEWEST_NUMBERS or _is_identifier(known, nominal):
        return False
    return len(np.unique(known)) > 0.4 * len(known)


_ODD_FEATURES = (
    (_is_missing, "no known value in any row"),
    (_is_identifier, "a different value in each row, like an identifier"),
    (_has_many_categories, "almost as many categories as rows"),
)


def _listed(names: list[str]) -> str:
    shown = ", ".join(shortened(name) for name in names[:_SHOWN])
    return shown + (", ..." if len(names) > _SHOWN else "")
