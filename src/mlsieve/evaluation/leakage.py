"""Whether rankings were learned on rows on which they are to be tested."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import (
    contents_from_text,
    digest_of_rows,
    digests_of_rows,
    repeated_rows,
    rows_from_text,
)
from mlsieve.errors import UserError, number_of
from mlsieve.files.writing import is_of_study
from mlsieve.rankings.files import Ranking

_PERHAPS = "test rows may be among them"
_HINT = (
    "rank the training part of the same split, or give --allow-leakage to compute measures that are too"
    " optimistic"
)


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
        problem = None
        if ranking.changed:
            problem = "was changed after mlsieve wrote it, so that the rows it was learned on are not known"
        elif record is None:
            if file is None or not is_of_study(file):
                notes.append(f"{where}: has no record of the rows that it was learned on; {_PERHAPS}")
        else:
            problem, note = _seen(record["learned_on"], digests, where)
            notes += [f"{where}: {note}"] * bool(note)
        if problem is not None:
            if not allow_leakage:
                raise UserError(problem, file=where, hint=_HINT)
            notes.append(f"{where}: {problem}; its measures are too optimistic")
    return list(dict.fromkeys(notes))


def measured_rows(
    dataset: Dataset, record: Mapping[str, Any], file: str, *, whole: bool = False
) -> tuple[Dataset, str | None]:
    """Return a dataset whose test part are rows on which a fitted model can be measured.

    Parameters
    ----------
    dataset : Dataset
        As it was read and split.
    record : mapping
        Of the rows that the model learned from, see `mlsieve.data.splits.record_of_rows`.
    file : str
        Of the model.
    whole : bool
        Whether the dataset has no test part of its own: all of its rows are measured if the model has learned
        from other data.

    Returns
    -------
    dataset : Dataset
    note : str or None
        What is to be said of it.

    Raises
    ------
    UserError
        If the model has learned from such rows, or its record is damaged.
    """
    if whole and _counted(record, _Digests(dataset), file)[0] is None:
        dataset = dataset.with_split(np.zeros(dataset.X.shape[0], bool))
    problem, note = _seen(record, _Digests(dataset), file, "learned from")
    if problem is not None:
        raise UserError(
            f"the model was fitted to other rows of '{dataset.name}' than its training part: it {problem}",
            file=file,
            hint="give the same data, by the same name, and the same split as in the fit, or other rows",
        )
    return dataset, note


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

    @functools.cached_property
    def test_rows(self) -> np.ndarray:
        return digests_of_rows(self.dataset)[~self.dataset.train_mask]


def _seen(
    record: Mapping[str, Any], digests: _Digests, where: str, learned: str = "was learned on"
) -> tuple[str | None, str | None]:
    """Return why a ranking or model must not be tested on a dataset, or else what is to be said of it."""
    n_seen, n_equal, by_chance = _counted(record, digests, where)
    dataset = digests.dataset
    tested = f"the {number_of(int((~dataset.train_mask).sum()), 'test row')} of dataset '{dataset.name}'"
    if n_seen:
        return f"{learned} {n_seen} of {tested}", None
    if n_equal and not by_chance:
        return f"{learned} rows that equal {n_equal} of {tested}", None
    other = None if n_seen == 0 else f"{learned} other data than dataset '{dataset.name}'"
    if n_equal:
        rows = f"{n_equal} of {tested} {'equals a row' if n_equal == 1 else 'equal rows'}"
        return None, f"{f'{other}; ' if other else ''}{rows} that it {learned}, perhaps by chance"
    if n_equal is None:
        return None, other and f"{other}; {_PERHAPS}"
    return None, other and f"{other}; no test row equals one of these"


def _counted(record: Mapping[str, Any], digests: _Digests, where: str) -> tuple[int | None, int | None, bool]:
    try:
        return _counts(record, digests)
    except (KeyError, ValueError, TypeError) as error:
        raise UserError(
            f"its record of the rows that it was learned on is damaged ({error})",
            file=where,
            hint="make it again",
        ) from error


def _counts(record: Mapping[str, Any], digests: _Digests) -> tuple[int | None, int | None, bool]:
    """Return how many test rows were learned on by their numbers, and by content, and if that is chance.

    None is not known. Records of earlier versions have no digests of rows.
    """
    tested = ~digests.dataset.train_mask
    n_seen = None
    if record["data"] == digests.data:
        n_seen = int(np.count_nonzero(rows_from_text(record["rows"], len(tested)) & tested))
    # A file of the training part alone, or of the test part, is other data than both together.
    elif record["part"] == digests.training_part:
        n_seen = 0
    elif record["part"] == digests.test_part:
        n_seen = int(tested.sum())
    if "contents" not in record or n_seen:
        return n_seen, None, False
    n_equal, too_many = repeated_rows(digests.test_rows, contents_from_text(record["contents"]))
    return n_seen, n_equal if too_many or n_seen is None else 0, not too_many
