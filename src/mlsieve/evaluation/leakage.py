"""Whether rankings were learned on rows on which they are to be tested."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import digest_of_rows, rows_from_text
from mlsieve.errors import UserError, number_of
from mlsieve.files.writing import is_of_study
from mlsieve.rankings.files import Ranking

_PERHAPS = "test rows may be among them"
_HINT = "rank the training part of the same split, or give --allow-leakage to see figures that are too good"


def require_unseen(
    dataset: Dataset, rankings: Sequence[Ranking], *, allow_leakage: bool = False
) -> list[str]:
    """Make sure that no ranking was learned on test rows, as far as that is known.

    Parameters
    ----------
    dataset : Dataset
        As it was read and split.
    rankings : sequence of Ranking
        Of its features.
    allow_leakage : bool
        Whether such a ranking is named in place of refused.

    Returns
    -------
    list of str
        A line for each file of rankings that is allowed though it has seen test rows, or of which it is not
        known what it has seen. Files of a study need no record, since its rules rank training parts alone.

    Raises
    ------
    UserError
        If a ranking was learned on test rows and that is not allowed, or its record of rows is damaged.
    """
    digests = _Digests(dataset)
    notes = []
    for ranking in rankings:
        file, record = ranking.file, ranking.provenance
        where = "a ranking" if file is None else os.fspath(file)
        if record is None:
            if file is None or not is_of_study(file):
                notes.append(f"{where}: has no record of the rows that it was learned on; {_PERHAPS}")
            continue
        seen = _seen(record["learned_on"], digests, where)
        if seen is None:
            notes.append(f"{where}: was learned on other data than dataset '{dataset.name}'; {_PERHAPS}")
        elif seen:
            tested = number_of(int((~dataset.train_mask).sum()), "test row")
            what = f"was learned on {seen} of the {tested} of dataset '{dataset.name}'"
            if not allow_leakage:
                raise UserError(what, file=where, hint=_HINT)
            notes.append(f"{where}: {what}; its figures are too good")
    return list(dict.fromkeys(notes))


class _Digests:
    """Digests of a dataset's content, computed when they are asked for."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    @functools.cached_property
    def data(self) -> str:
        return digest_of_rows(self.dataset)

    @functools.cached_property
    def training_part(self) -> str:
        return digest_of_rows(self.dataset, self.dataset.train_mask)

    @functools.cached_property
    def test_part(self) -> str:
        return digest_of_rows(self.dataset, ~self.dataset.train_mask)


def _seen(record: Mapping[str, Any], digests: _Digests, where: str) -> int | None:
    """Return how many test rows a ranking was learned on; None if that is not known."""
    tested = ~digests.dataset.train_mask
    if record["data"] == digests.data:
        try:
            return int(np.count_nonzero(rows_from_text(record["rows"], len(tested)) & tested))
        except ValueError as error:
            raise UserError(
                f"its record of the rows that it was learned on is damaged ({error})",
                file=where,
                hint="rank again",
            ) from error
    # A file of the training part alone, or of the test part, is other data than both together.
    if record["part"] == digests.training_part:
        return 0
    return int(tested.sum()) if record["part"] == digests.test_part else None
