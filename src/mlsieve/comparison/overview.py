"""The answer over several measures: which method is best by how many, and what each measure says."""

from __future__ import annotations

import math
from collections import Counter

from mlsieve.analysis.sentences.wording import listed
from mlsieve.comparison.run import Tables
from mlsieve.errors import number_of
from mlsieve.paper.results import number
from mlsieve.paper.verdicts import Decision, decision_of
from mlsieve.stats._lazy import pd

COLUMNS = ("measure", "best method", "average rank", "next", "its average rank", "significantly better than")
_MOST = 4  # methods that the sentence names


def overview_sentence(tables: Tables) -> str:
    """Return which methods have the best average rank by how many measures; empty for a single measure."""
    measures = list(tables.directions)
    if len(measures) < 2:
        return ""
    counts = Counter(name for measure in measures for name in decision_of(*_of(tables), measure).winner)
    first = counts.most_common(_MOST)
    if not first:
        return ""
    (best, most), *rest = first
    said = f"{best} has the best average rank by {most} of {len(measures)} measures"
    parts = [f"{name} by {count}" for name, count in rest]
    if (others := len(counts) - len(first)) > 0:
        parts.append(f"{number_of(others, 'other method')} by at most {first[-1][1]}")
    return f"{said}, {listed(parts)}." if parts else f"{said}."


def overview(tables: Tables) -> pd.DataFrame:
    """Return a row for each measure, with the columns `COLUMNS`; methods that share a rank share a cell."""
    rows = []
    for measure in tables.directions:
        own = decision_of(*_of(tables), measure)
        rows.append(dict(zip(COLUMNS, (measure, *_best(own)), strict=True)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame]:
    return tables.tests, tables.average_ranks


def _best(own: Decision) -> tuple[str, str, str, str, str]:
    if not own.winner:
        return "", "", "", "", "not compared"
    after = [str(name) for name in own.ranks.index if str(name) not in own.winner]
    second = after[0] if after else ""
    rank = float(own.ranks[second]) if second else math.nan
    beaten = {worse for better, worse in own.differing if better in own.winner}
    others = len(own.ranks) - len(own.winner)
    said = f"{len(beaten)} of {number_of(others, 'other method')}" if others else ""
    if own.reference and own.reference not in own.winner:
        said = own.reference if own.reference in beaten else "not the reference method"
    ahead = {better for better, worse in own.differing if worse in own.winner and better not in own.winner}
    if ahead:
        said = f"{said}; significantly worse than {listed(sorted(ahead))}"
    best = number(float(own.ranks.iloc[0]))
    return listed(own.winner), best, second, "" if math.isnan(rank) else number(rank), said
