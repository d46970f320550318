"""The first rows of a table of text: whether they are names, values, or a title."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence

from mlsieve.errors import UserError

# A number with a decimal point or comma, maybe a percentage, or a date.
_VALUE = re.compile(
    r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?\s*%?"
    r"|(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./-])\d{1,2}\1\d{4})(?:[T ,].*)?"
)
NO_HEADER = "the first row holds values, not names, so there is no header (--header if it is one)"


def is_number(text: str) -> bool:
    """Return whether a cell is a finite number, written with a decimal point."""
    try:
        value = float(text)
    except ValueError:
        return False
    return value - value == 0 and "_" not in text


def without_empty_ends(first: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows without empty cells behind the last column, as separators leave them."""
    longest = max(map(len, rows), default=len(first))
    if longest > len(first) and not any(any(row[len(first) :]) for row in rows):
        return first, [row[: len(first)] for row in rows]
    if rows and 1 < longest < len(first) and not any(first[longest:]):
        return first[:longest], rows
    return first, rows


def has_row_names(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the rows begin with names that the header has no column for, as R writes them.

    They are numbers from 1 on, or, of a part of a table, some of these in any order.
    """
    if not all(len(row) == len(first) + 1 for row in rows):
        return False
    names = [row[0] for row in rows]
    if len(rows) == 1:
        return names == ["1"] or not is_number(names[0])
    return len(set(names)) == len(names) and all(name.isdecimal() or not is_number(name) for name in names)


def require_no_title(widths: Sequence[int], path: str | os.PathLike[str]) -> None:
    """Raise if the first of some rows, given by their numbers of filled cells, is a title above a header."""
    if len(widths) > 1 and widths[0] == 1 < max(widths[1:]):
        raise UserError(
            f"its first row has 1 cell, and a later one {max(widths[1:])}: a title above the header?",
            file=path,
            line=1,
            hint="delete what is above the header",
        )


def holds_values(first: Sequence[str], rows: Sequence[Sequence[str]], missing: frozenset[str]) -> bool:
    """Return whether the first row of a table holds values as the others do, not the names of the columns.

    A name above a column of numbers, percentages or dates is no such value; a value above one is no name,
    unless the names are whole numbers in order. In a table of texts alone, each must occur below, or of three
    and more most of them.
    """
    if not rows or all(cell in missing for cell in first):
        return False
    if all(cell.isdecimal() for cell in first):
        steps = {int(after) - int(before) for before, after in itertools.pairwise(first)}
        if steps <= {1}:
            return False
    found, again, texts = False, 0, 0
    for column, cell in enumerate(first):
        values = {row[column] for row in rows} - missing
        if cell in missing or not values:
            continue
        if all(map(_VALUE.fullmatch, values)):
            if not _VALUE.fullmatch(cell):
                return False
            found = True
        texts += 1
        again += cell in values
    return found or again == texts or (again > 1 and 2 * again > texts)
