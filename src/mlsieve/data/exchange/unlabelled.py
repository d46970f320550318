"""Rows to predict: the features that a model knows, from data that need no labels."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.assemble import require_finite_cells, with_positions
from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.outside import as_file, without_pipe
from mlsieve.data.file_sets import FileOptions, format_of, options_from, require_fitting_form
from mlsieve.data.frames import category_text
from mlsieve.data.loading import load_dataset, reading, stem_of
from mlsieve.data.readers.arff import ArffTable, read_arff
from mlsieve.data.readers.delimited import TableFormat
from mlsieve.data.readers.packed import is_pipe
from mlsieve.data.readers.tables import ARFF_FORMATS, Reading, read_tables
from mlsieve.errors import ColumnError, DataNotice, UserError, number_of, shortened

_SHOWN = 5
# Columns that no row of such a file has are not in it, and hold 0.
_NUMBERED = ("svmlight", "xmlc")
# What does not apply to rows without labels.
_OF_LABELS = ("test", "labels", "label_count", "label_column", "label_separator", "positive", "y")
_OF_CLASSES = ("hierarchy", "hierarchy_type", "class_separator", "classes", "without_class", "flatten")


@dataclass(frozen=True)
class KnownFeatures:
    """The features that a model was fitted to.

    Attributes
    ----------
    names : sequence of F str, or None
        None: they have none, and rows have the same number of columns in the same order.
    categories : sequence of F tuples of str, or None for a numeric feature
    """

    names: Sequence[str] | None
    categories: Sequence[tuple[str, ...] | None]

    @property
    def nominal(self) -> set[str]:
        """The names of the nominal features."""
        pairs = zip(self.names or (), self.categories, strict=False)
        return {name for name, values in pairs if values is not None}


@dataclass(frozen=True)
class UnlabelledRows:
    """Rows to predict.

    Attributes
    ----------
    name : str
        Of the data.
    X : ndarray of float64, C-contiguous, or csr_array, shape (n, F)
        Nominal features hold the positions of the model's categories; NaN is missing.
    """

    name: str
    X: Any


def load_rows(
    data: str | os.PathLike[str],
    known: KnownFeatures,
    *,
    mirror: str | os.PathLike[str] | None = None,
    entries: Mapping[str, Any] | None = None,
    **options: Any,
) -> UnlabelledRows:
    """Read all rows of data, of which a model knows the features by name; labels need not be there.

    Parameters
    ----------
    data : path-like or str
        As for `mlsieve.data.load_dataset`.
    known : KnownFeatures
    mirror, entries, **options
        As there; what says which columns are labels does not matter.

    Raises
    ------
    UserError
        If a feature is missing, has categories in place of numbers, or anything else is not as it should be.

    Warns
    -----
    DataNotice
        Of other columns, which are left out, and of categories that the model does not know, which are
        missing values.
    """
    try:
        return _load_rows(os.fspath(data), known, mirror=mirror, entries=entries, **options)
    except ColumnError as error:  # a model's columns are read as it knows them
        raise UserError(error.what, file=error.file, line=error.line, hint=error.corrections) from error


def _load_rows(
    text: str, known: KnownFeatures, *, mirror: Any, entries: Any, **options: Any
) -> UnlabelledRows:
    path = Path(text)
    plain = {name: value for name, value in options.items() if name not in (*_OF_LABELS, *_OF_CLASSES)}
    if text == "-":
        with as_file(text) as (file, name, _):
            return _of_file(name, file, known, options_from(plain))
    if path.suffix != ".npz" and (path.is_file() or is_pipe(path)):
        with without_pipe(path) as file:
            return _of_file(stem_of(path), file, known, options_from(plain))
    dataset = load_dataset(text, mirror=mirror, entries=entries, **options)
    return UnlabelledRows(dataset.name, known_columns(dataset, known))


def known_columns(dataset: Dataset, known: KnownFeatures) -> Any:
    """Return the features of a dataset as a model knows them, as `UnlabelledRows` has them.

    Raises
    ------
    UserError
        If a feature is missing, or has categories in place of numbers.

    Warns
    -----
    DataNotice
        As of `load_rows`.
    """
    categories = {place: dataset.categories[place] for place in np.flatnonzero(dataset.nominal).tolist()}
    places = _places(known, dataset.feature_names, dataset.name)
    return _values(known, places, dataset.X, categories, dataset.name)


def _of_file(name: str, path: Path, known: KnownFeatures, options: FileOptions) -> UnlabelledRows:
    with reading(name, [path]):
        file_format, table = _table(path, known, options)
    filled = file_format in _NUMBERED
    places = _places(known, table.names, path, filled=filled)
    require_finite_cells(
        table, table.values[:, [place for place in places if place >= 0]], [*filter(_is_there, places)]
    )
    X = table.values
    if filled:
        X = sp.csr_array(sp.hstack([X, sp.csr_array((X.shape[0], 1))], format="csr"))
    if not X.shape[0]:
        raise UserError("has no rows", file=path, hint="give at least one row to predict")
    return UnlabelledRows(name, _values(known, places, X, table.categories, path))


def _is_there(place: int) -> bool:
    return place >= 0


def _table(path: Path, known: KnownFeatures, options: FileOptions) -> tuple[str | None, ArffTable]:
    """Return the format of a file, and its table, whose columns have the types that the model knows."""
    file_format = format_of(path, options)
    require_fitting_form(options, file_format, path)

    def unread(header: Sequence[str]) -> list[str]:
        names = set(header if known.names is None else known.names)
        return [name for name in header if name not in names]

    def nominal(header: Sequence[str]) -> list[str]:
        return [name for name in header if name in known.nominal]

    form = options.form or TableFormat()
    if file_format in ARFF_FORMATS:
        hierarchical = file_format == "clus"
        encoding = form.encoding
        return file_format, read_arff(path, hierarchical=hierarchical, encoding=encoding, unread=unread)
    how = Reading(form, nominal, None, unread, lambda header: (), x=options.x)
    tables, _ = read_tables([path], file_format, how)
    return file_format, tables[0]


def _places(
    known: KnownFeatures, header: Sequence[str], file: str | os.PathLike[str], *, filled: bool = False
) -> list[int]:
    """Return the column of each feature; -1 for one that is not there, if it is `filled`."""
    n = len(known.categories)
    if known.names is None:
        if len(header) != n:
            raise UserError(
                f"has {number_of(len(header), 'column')}, and the model was fitted to"
                f" {number_of(n, 'feature')} without names",
                file=file,
                hint="give the features alone, in the same order",
            )
        return list(range(n))
    place = {name: number for number, name in enumerate(header)}
    missing = [] if filled else [name for name in known.names if name not in place]
    if missing:
        raise UserError(
            f"lacks {number_of(len(missing), 'feature')} of the model: {', '.join(map(shortened, missing))}",
            file=file,
            hint="give data with the columns that the model was fitted to",
        )
    names = set(known.names)
    others = [name for name in header if name not in names]
    if others:
        shown = ", ".join(map(shortened, others[:_SHOWN])) + ", ..." * (len(others) > _SHOWN)
        are = "is no feature" if len(others) == 1 else "are no features"
        what = f"{number_of(len(others), 'column')} left out, which {are} of the model: {shown}"
        warnings.warn(DataNotice(what, file=file), stacklevel=3)
    return [place.get(name, -1) for name in known.names]


def _values(
    known: KnownFeatures,
    places: Sequence[int],
    X: Any,
    declared: Mapping[int, tuple[str, ...]],
    file: str | os.PathLike[str],
) -> Any:
    """Return the features' columns, nominal ones with the positions of the model's categories."""
    X = sp.csr_array(X[:, places]) if sp.issparse(X) else np.ascontiguousarray(X[:, places], np.float64)
    names = known.names or [str(number) for number in range(len(places))]
    for column, (place, name) in enumerate(zip(places, names, strict=True)):
        own, words = known.categories[column], declared.get(place)
        if own is None and words is None:
            continue
        cells = X[:, [column]].toarray()[:, 0] if sp.issparse(X) else X[:, column]
        held = np.unique(cells[~np.isnan(cells)])
        if own is None:
            if len(held):
                assert words is not None
                raise UserError(
                    f"column '{shortened(name)}' holds '{shortened(words[int(held[0])])}', and the"
                    " model knows numbers there",
                    file=file,
                    hint="give numbers, or leave such cells empty",
                )
            continue
        texts = [category_text(value) if words is None else words[int(value)] for value in held.tolist()]
        position = {word: float(number) for number, word in enumerate(own)}
        unknown = [word for word in texts if word not in position]
        if unknown:
            more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
            what = (
                f"column '{shortened(name)}' holds the unknown category '{shortened(unknown[0])}'{more}: such"
                " cells count as missing"
            )
            warnings.warn(DataNotice(what, file=file), stacklevel=3)
        new = [position.get(word, np.nan) for word in texts]
        if new != held.tolist():
            X = with_positions(X, column, dict(zip(held.tolist(), new, strict=True)))
    return X
