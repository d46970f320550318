"""Cells that a user has declared to be missing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable

from mlsieve.data.readers.cells.first_rows import is_number
from mlsieve.data.readers.delimited import MISSING
from mlsieve.errors import DataNotice, shortened


def missing_among(
    cells: Iterable[str], tokens: Collection[str], known: Collection[str] = MISSING
) -> dict[str, str]:
    """Return the cells that tokens declare missing, each with its token; `known` ones are missing anyway.

    A token that is a number stands for it however it is written: -999 for -999.0 too.
    """
    own = [token for token in tokens if token not in known]
    numbers = {float(token): token for token in own if is_number(token)}
    found = {}
    for cell in cells:
        if cell in own:
            found[cell] = cell
        elif numbers and is_number(cell) and float(cell) in numbers:
            found[cell] = numbers[float(cell)]
    return found


def tell_of_unused(
    tokens: Collection[str],
    used: Collection[str],
    path: str | os.PathLike[str],
    known: Collection[str] = MISSING,
) -> None:
    """Warn of tokens for a missing cell that no cell holds, unless they are `known` anyway."""
    for token in tokens:
        if token not in used and token not in known:
            what = f"no cell is '{shortened(token)}' (--missing)"
            warnings.warn(DataNotice(what, file=path), stacklevel=3)
