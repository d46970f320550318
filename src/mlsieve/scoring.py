"""Tables of measures computed from votes."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from mlsieve.measures import choose, evaluate
from mlsieve.tables import PERFORMANCE
from mlsieve.votes import Votes


def scores_table(
    votes: Votes, *, measures: Sequence[str] | None = None, definition: str = "clus", tidy: bool = False
) -> str:
    """Return the measures of every ranking as CSV text.

    Parameters
    ----------
    votes : Votes
    measures : sequence of str, optional
        Default: all of the definition.
    definition : {"clus", "sklearn", "textbook", "scls"}
    tidy : bool
        One row an observation with the columns of a study's performance table; else ``measure,value``, with a
        first column ``ranking`` if there are several.

    Returns
    -------
    str
        Numbers as Python's repr, so that they are read back exactly; ``NaN`` where a measure is undefined.

    Raises
    ------
    UserError
        On an unknown measure or definition.
    """
    chosen = choose(measures, definition)
    truth = votes.truth.toarray().astype(bool)
    several = len(votes.names) > 1
    header = PERFORMANCE if tidy else ("ranking", "measure", "value") if several else ("measure", "value")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for position, name in enumerate(votes.names):
        values = evaluate(chosen, truth, votes.scores(position), votes.predicted(position))
        for measure, value in zip(chosen, values, strict=True):
            if tidy:
                row: Sequence[Any] = (
                    *_described(votes, position),
                    measure.id,
                    measure.definition,
                    _number(value),
                )
            else:
                row = (*((name,) if several else ()), measure.id, _number(value))
            writer.writerow(row)
    return text.getvalue()


def _described(votes: Votes, position: int) -> tuple[Any, ...]:
    """Return the first columns of a performance row."""
    facts = votes.facts
    return (
        facts.get("dataset", ""),
        facts.get("split", ""),
        facts.get("method") or votes.names[position],
        facts.get("ensemble") or "",
        facts.get("score") or "",
        votes.sizes[position],
        facts.get("repeat", 0),
        facts.get("evaluator", ""),
    )


def _number(value: float) -> str:
    return "NaN" if value != value else repr(float(value))
