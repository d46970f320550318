"""What a comparison says in sentences beside its tests."""

from __future__ import annotations

from mlsieve.analysis.sentences.differences import difference_in_words
from mlsieve.comparison.run import Tables
from mlsieve.comparison.tables_in_words import probability
from mlsieve.errors import number_of
from mlsieve.paper.results import answer
from mlsieve.paper.verdicts import RESAMPLED, decision_of
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL


def sentences_of(tables: Tables, measure: str, significance: float) -> list[str]:
    """Return the answer by one measure, with the difference of the best two methods and their posterior."""
    left_out = tables.left_out.get(measure, [])
    found = answer(tables.tests, tables.average_ranks, measure, significance, left_out)
    first = next((place for place, text in enumerate(found) if text.startswith(f"By {measure}, ")), 0)
    found[first + 1 : first + 1] = filter(None, [difference_sentence(tables, measure)])
    bayes = bayes_sentence(tables, measure)
    return [*found, bayes] if bayes else found


def difference_sentence(tables: Tables, measure: str) -> str:
    """Return by how much the best method, or the reference method, differs from the next best; or nothing."""
    first, second = _first_two(tables, measure)
    own = tables.differences.get((measure, first, second))
    if own is None:
        return ""
    alone = (tables.tests["test"] == RESAMPLED).any()
    return difference_in_words(
        own,
        f"The {measure} of {first}",
        second,
        higher=tables.directions[measure] == "higher",
        what="repeat" if alone else "dataset",
    )


def _first_two(tables: Tables, measure: str) -> tuple[str, str]:
    """Return the best method, or the reference method, and the best of the others; empty without two."""
    own = decision_of(tables.tests, tables.average_ranks, measure)
    if not own.winner or len(own.ranks) < 2:
        return "", ""
    first = own.reference or str(own.ranks.index[0])
    return first, next(str(name) for name in own.ranks.index if name != first)


def bayes_sentence(tables: Tables, measure: str) -> str:
    """Return what the Bayesian signed-rank test says of the best method and the next one; empty without."""
    first, second = _first_two(tables, measure)
    row = tables.posterior_of(measure, first, second) if first else None
    if row is None:
        return ""
    better, worse = _probability(row["p_better"]), _probability(row["p_worse"])
    text = f"The posterior probability that {first} is better than {second} is {better}"
    if row["rope"] > 0:
        same = _probability(row["p_rope"])
        text += f", that they are practically equivalent (differ by up to {row['rope']:g}) {same}"
    text = f"{text}, and that it is worse {worse} (Bayesian signed-rank test)"
    own = tables.differences.get((measure, first, second))
    differing = own.wins + own.losses if own else FEWEST_FOR_INTERVAL
    return f"{text}." if differing >= FEWEST_FOR_INTERVAL else f"{text}, {_rests_on(differing)}."


def _probability(share: float) -> str:
    return probability(share, "below ", "above ")


def _rests_on(differing: int) -> str:
    """Return a warning: posterior probabilities are near 0 or 1 also where few datasets differ."""
    if not differing:
        return "but the two are equal on every dataset"
    return f"but the two differ on {number_of(differing, 'dataset')} only"
