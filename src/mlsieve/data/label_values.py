"""Labels as people write them: 0 and 1, yes and no, TRUE and FALSE, -1 and 1, or sets in one cell."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.label_cells import SET_SEPARATORS, labels_in, separator_of
from mlsieve.data.exchange.truth_words import TRUTH_PAIRS, is_set, is_truth_word, plain_word
from mlsieve.data.labels import LABEL_HINT
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.errors import DataNotice, UserError, number_of, shortened
from mlsieve.hierarchy import Hierarchy


@dataclass(frozen=True)
class GivenLabels:
    """Labels of all rows of a dataset that are not columns of their own.

    Attributes
    ----------
    Y : scipy.sparse.csr_array of uint8, shape (n, L)
    names : sequence of L str
    hierarchy : Hierarchy or None
    """

    Y: sp.csr_array
    names: Sequence[str]
    hierarchy: Hierarchy | None = None


def label_matrix_of(table: ArffTable, labels: Sequence[int], positive: str | None = None) -> sp.csr_array:
    """Return the labels of a table, CSR of ones of uint8, shape (n, L).

    Parameters
    ----------
    table : ArffTable
    labels : sequence of int
        Columns of the labels.
    positive : str, optional
        What a cell holds that has the label; every other cell has it not. Default: 1 of 0 and 1 or of -1 and
        1, or true, yes, t or y, in any case.

    Raises
    ------
    UserError
        If a label is missing in a row, or has another value.
    """
    values: Any = table.values[:, list(labels)]
    attributes = [table.attributes[i] for i in labels]
    given = values.tocoo() if sp.issparse(values) else sp.coo_array(values)  # NaN counts as non-zero
    wanted = _Wanted.of(table, labels, positive)
    if positive is not None and not _occurs(given, wanted, values.shape):
        raise UserError(
            f"no label is '{shortened(positive)}' in any row", file=table.path, hint="correct --positive"
        )
    if positive is not None:
        _require_alike(table, attributes, given, wanted, positive)
    numeric = np.array([attribute.categories is None for attribute in attributes])
    has = wanted.among(given)
    wrong = np.isnan(given.data)
    if positive is None:
        wrong |= numeric[given.col] & ~has & ~_is_negative(given, numeric)
    elif wrong.any():
        what = f"{number_of(int(wrong.sum()), 'missing cell')} of labels, read as 0"
        warnings.warn(DataNotice(what, file=table.path), stacklevel=2)
        wrong[:] = False
    if wrong.any():
        k = np.flatnonzero(wrong)[np.argmin(given.row[wrong])]
        missing, attribute = bool(np.isnan(given.data[k])), attributes[given.col[k]]
        yes = wanted.word(attribute)
        other = "an empty cell" if missing else "every other value"
        several = "; targets of more values (multi-target) are not supported"
        several *= not missing and bool(abs(given.data[k]) != 1)
        raise UserError(
            f"label '{attribute.name}' is {'missing' if missing else f'{given.data[k]:g}'}, not 0 or 1",
            file=table.path,
            line=int(table.lines[given.row[k]]),
            hint=LABEL_HINT
            + (_at_other_end(table, labels) or several)
            + (f"; if {other} says no: --positive '{yes}'" if yes else ""),
        )
    ones = sp.csr_array((has.astype(np.uint8), (given.row, given.col)), shape=values.shape)
    # A label that is set in place 0 of its declaration, such as {1,0}, is set where a sparse row lists
    # nothing.
    turned = np.flatnonzero(wanted.first)
    if len(turned):
        dense = ones.toarray()
        dense[:, turned] |= 1 - _listed(given, values.shape)[:, turned]
        ones = sp.csr_array(dense)
    ones.eliminate_zeros()
    ones.sort_indices()
    return ones


@dataclass(frozen=True)
class _Wanted:
    """What stands in each column for a label that is set: several numbers where TRUE and 1 are mixed."""

    places: dict[tuple[str, ...] | None, tuple[float, ...]]
    kinds: tuple[tuple[str, ...] | None, ...]

    @classmethod
    def of(cls, table: ArffTable, labels: Sequence[int], positive: str | None) -> _Wanted:
        attributes = [table.attributes[place] for place in labels]
        places: dict[tuple[str, ...] | None, tuple[float, ...]] = {}
        for attribute in attributes:
            if attribute.categories not in places:
                places[attribute.categories] = _positive_places(table, attribute, positive, labels)
        return cls(places, tuple(attribute.categories for attribute in attributes))

    def word(self, attribute: Attribute) -> str:
        """Return what a cell of a column holds that has the label; empty if none has."""
        places = self.places[attribute.categories]
        if attribute.categories is None:
            return "1"
        return attribute.categories[int(places[0])] if places and places[0] >= 0 else ""

    @property
    def first(self) -> np.ndarray:
        """Whether 0 stands for a label that is set, by column."""
        return np.array([0.0 in self.places[kind] for kind in self.kinds], dtype=bool)

    def among(self, given: Any) -> np.ndarray:
        """Return which of the given numbers stand for a label that is set."""
        has = np.zeros(len(given.data), dtype=bool)
        numbers = {kind: number for number, kind in enumerate(self.places)}
        own = np.array([numbers[kind] for kind in self.kinds])[given.col]
        for kind, places in self.places.items():
            has |= (own == numbers[kind]) & np.isin(given.data, places)
        return has


def _occurs(given: Any, wanted: _Wanted, shape: tuple[int, int]) -> bool:
    """Return whether the value of a label that is set occurs, given or, as the first one, where none is."""
    if wanted.among(given).any():
        return True
    empty = shape[0] - np.bincount(given.col[given.data != 0], minlength=shape[1])
    return bool((empty[wanted.first] > 0).any())


def _require_alike(
    table: ArffTable, attributes: Sequence[Attribute], given: Any, wanted: _Wanted, positive: str
) -> None:
    """Raise for a label that is never the value of a set one, and has values that no label with it has."""
    words: list[set[str]] = []
    for column, attribute in enumerate(attributes):
        own = given.data[given.col == column]
        numbers = [*own[~np.isnan(own)].tolist(), *([0.0] if len(own) < given.shape[0] else [])]
        words.append({plain_word(value) for value in attribute.categories or (f"{n:g}" for n in numbers)})
    with_it = [bool(wanted.places[kind]) for kind in wanted.kinds]
    known = set().union(*(own for own, has in zip(words, with_it, strict=True) if has))
    for attribute, own, has in zip(attributes, words, with_it, strict=True):
        if not has and own - known:
            values = ", ".join(map(shortened, sorted(own)[:4])) + ", ..." * (len(own) > 4)
            raise UserError(
                f"label '{attribute.name}' is never '{shortened(positive)}': its values are {values}",
                file=table.path,
                line=attribute.line,
                hint="write the labels alike, or leave this one out",
            )


def _listed(given: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return where a cell is not 0, as ones of uint8."""
    dense = np.zeros(shape, np.uint8)
    dense[given.row, given.col] = given.data != 0
    return dense


def _is_negative(given: Any, numeric: np.ndarray) -> np.ndarray:
    """Return which of the given numbers say that a label is not there: 0, or -1 in a column without a 0."""
    n_rows = given.shape[0]
    minus = given.data == -1
    written = np.bincount(given.col[given.data != 0], minlength=len(numeric))
    without_zero = written == n_rows
    return (given.data == 0) | (minus & without_zero[given.col])


def _at_other_end(table: ArffTable, labels: Sequence[int]) -> str:
    """Return, for a hint, that as many columns at the other end of the table may be labels; or nothing."""
    n, n_columns = len(labels), len(table.attributes)
    ends = {"first": list(range(n)), "last": list(range(n_columns - n, n_columns))}
    if list(labels) not in ends.values() or ends["first"] == ends["last"]:
        return ""
    name, places = next(item for item in ends.items() if item[1] != list(labels))
    values: Any = table.values[:, places]
    known = {attribute.categories for attribute in (table.attributes[place] for place in places)}
    if not np.isin(values.data if sp.issparse(values) else values, (0, 1)).all():
        return ""
    if not known <= {None, ("0", "1"), ("1", "0")}:
        return ""
    count = f"{name} {n} columns hold" if n > 1 else f"{name} column holds"
    return f"; the {count} 0 and 1 only: --label-count {n if name == 'first' else -n}"


def _positive_places(
    table: ArffTable, attribute: Attribute, positive: str | None, labels: Sequence[int]
) -> tuple[float, ...]:
    """Return the numbers that stand in a column for a label that is set; none if none does."""
    categories = attribute.categories
    if positive is not None:
        if categories is None:
            try:
                return (float(positive),)
            except ValueError:
                return ()
        wanted = plain_word(positive)
        return tuple(float(i) for i, value in enumerate(categories) if plain_word(value) == wanted)
    if categories is None:
        return (1.0,)
    if all(map(is_truth_word, categories)):
        words = {plain_word(value) for value in categories}
        if not any(words <= set(pair) for pair in TRUTH_PAIRS):
            listed = ", ".join(map(shortened, categories))
            what = f"label '{attribute.name}' is written in several ways ({listed})"
            warnings.warn(DataNotice(what, file=table.path), stacklevel=2)
        return tuple(float(i) for i, value in enumerate(categories) if is_set(value))
    declared = ",".join(map(shortened, categories[:4])) + (",..." if len(categories) > 4 else "")
    several = ": labels of more than two values (multi-target) are not supported" * (len(categories) > 2)
    hint = "check which attributes are labels, or say which value has the label (--positive)"
    if any(separator in value for value in categories for separator in SET_SEPARATORS):
        hint = f"if its cells hold sets of labels: --label-column '{attribute.name}'"
    elif len(categories) == 1:
        hint = f"if it marks the label, and other cells are empty: --positive '{shortened(categories[0])}'"
    raise UserError(
        f"label '{attribute.name}' has the values {{{declared}}}, not {{0,1}}{several}",
        file=table.path,
        line=attribute.line,
        hint=hint + _at_other_end(table, labels),
    )


def label_sets(tables: Sequence[ArffTable], column: int, separator: str | None = None) -> GivenLabels:
    """Return the labels of a column whose cells hold sets of them.

    Parameters
    ----------
    tables : sequence of ArffTable
        In which the column is nominal; a missing cell is an empty set.
    column : int
    separator : str, optional
        Between the labels of a cell; default: the first of ``;``, ``|`` and ``,`` that occurs; else a slash
        or a blank, if what it divides occurs in other cells too.

    Returns
    -------
    GivenLabels
        Of the rows of all tables, the labels sorted by name.

    Raises
    ------
    UserError
        If there are no labels, or it is not clear what is between them.
    """
    cells = [table.attributes[column].categories or () for table in tables]
    name = tables[0].attributes[column].name
    separator = separator_of(tables, column, separator)
    parts = [[labels_in(cell, separator) for cell in own] for own in cells]
    names = sorted({label for own in parts for labels in own for label in labels})
    if not names:
        raise UserError(f"column '{name}' holds no labels", file=tables[0].path, hint="check its name")
    _refuse_zeros_and_ones(tables[0].path, name, [each for own in parts for each in own])
    place = {name: i for i, name in enumerate(names)}
    rows: list[list[int]] = []
    for table, own in zip(tables, parts, strict=True):
        values: Any = table.values[:, [column]]
        codes = (values.toarray() if sp.issparse(values) else values)[:, 0]
        rows += [
            [] if np.isnan(code) else sorted({place[label] for label in own[int(code)]}) for code in codes
        ]
    start = np.cumsum([0, *map(len, rows)])
    index = np.array([label for row in rows for label in row], dtype=np.int32)
    Y = sp.csr_array((np.ones(len(index), np.uint8), index, start), shape=(len(rows), len(names)))
    return GivenLabels(Y, tuple(names))


def _refuse_zeros_and_ones(path: str, column: str, cells: Sequence[Sequence[str]]) -> None:
    """Raise for cells that are a 0 or a 1 for each label in place of its name."""
    lengths = {len(labels) for labels in cells}
    if len(lengths) == 1 and max(lengths) > 1 and {each for own in cells for each in own} <= {"0", "1"}:
        raise UserError(
            f"column '{column}' holds lists of 0 and 1, not the names of labels",
            file=path,
            hint="write a column of 0 and 1 for each label, and name these (--labels)",
        )
