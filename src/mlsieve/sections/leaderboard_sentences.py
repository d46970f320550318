"""The sentences of a leaderboard: what ranks first, by how much, and what is cheapest."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS
from mlsieve.analysis.sentences.differences import difference_in_words
from mlsieve.analysis.sentences.wording import listed
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.paper.results import RANKS_COUNT
from mlsieve.sections.standings import Standings
from mlsieve.stats.ranks import place_of

if TYPE_CHECKING:
    from mlsieve.sections.leaderboard import Leaderboard


def left_out(found: Standings) -> str:
    if not found.left_out:
        return ""
    are, them = ("is", "it") if len(found.left_out) == 1 else ("are", "them")
    return f" {listed(found.left_out)} {are} left out, because too few datasets have values of {them}."


def sentences_of(board: Leaderboard) -> list[str]:
    """Return which method ranks first, by how much, whether that is significant, and what is cheapest."""
    found = board.standings
    said = [_first(found), _by_how_much(board), _significant(board)]
    said += [f"{_cheapest(board)} {_baselines(board)}".strip(), left_out(found).strip()]
    return [text for text in said if text]


def first_place(found: Standings) -> list[str]:
    ranks = found.mean_ranks
    return [str(name) for name in ranks.index if place_of(ranks, str(name)) == 1]


def _first(found: Standings) -> str:
    ranks, equal = found.mean_ranks, first_place(found)
    over = counted(found, "all", "dataset")
    if len(found.keys) > 1:
        over = f"{of_measures(found)} and {over}"
    best = f"{ranks.iloc[0]:.{RANK_DIGITS}f}"
    if len(equal) > 1:
        return f"{listed(equal)} rank first together, with a mean rank of {best} over {over}."
    return (
        f"{found.winner} ranks first, with a mean rank of {best} over {over}; "
        f"{ranks.index[1]} follows with {ranks.iloc[1]:.{RANK_DIGITS}f}{_from_next(found)}."
    )


def _from_next(found: Standings) -> str:
    """Return by how many measures the first two methods differ; empty where another sentence says it."""
    second = str(found.mean_ranks.index[1])
    if second == found.rival or not found.tested():
        return ""
    count = found.count(found.winner, second) + found.count(second, found.winner)
    if len(found.keys) == 1:
        return f", and the two {'' if count else 'do not '}differ significantly"
    if not count:
        return f", and the two do not differ significantly by any of {of_measures(found)}"
    return f", and the two differ significantly by {count} of {of_measures(found)}"


def _by_how_much(board: Leaderboard) -> str:
    found = board.standings
    own = found.difference(found.winner, found.rival, board.key)
    if own is None or math.isnan(own.estimate):
        return ""
    whose = f"The {named(board.key, found)} of {found.winner}"
    return difference_in_words(own, whose, found.rival, higher=board.higher)


def _significant(board: Leaderboard) -> str:
    """Return by how many measures the winner is significantly better, and whether that could be seen."""
    found = board.standings
    if not found.reachable("all"):
        count = counted(found, "all", "dataset")
        return f"With {len(found.mean_ranks)} methods on {count}, no difference can be significant."
    if found.tested():
        said = _of_winner(board)
    else:
        said = f"{_untested(found, _of_all(board))}, so no pair of methods was tested"
    if BY_DOMAIN not in found.variants:
        return f"{said}."
    once = f"{said}; if related datasets count as one ({counted(found, BY_DOMAIN, 'domain')})"
    if not found.reachable(BY_DOMAIN):
        return f"{once}, no result can be significant."
    if found.tested(BY_DOMAIN):
        return f"{once}, {_of_domains(found)}."
    untested = _untested(found)
    return f"{once}, {untested if found.tested() else 'the same holds'}."


def _of_winner(board: Leaderboard) -> str:
    """Return by how many measures the winner is significantly better than its rival, and how many worse."""
    found = board.standings
    return f"{_by_which_test(found, _of_all(board))}, {found.winner} is {_both_ways(found, 'all')}"


def _of_domains(found: Standings) -> str:
    """Return the same of related datasets as one; only the numbers where the direction does not change."""
    pairs = ((found.winner, found.rival), (found.rival, found.winner))
    before = [found.where(*pair) for pair in pairs]
    again = [found.where(*pair, BY_DOMAIN) for pair in pairs]
    if again == before and found.tested():
        return "the same holds"
    if again[0] and before[0] and not again[1] and not before[1] and len(again[0]) != len(before[0]):
        return f"by {len(again[0])} of {of_measures(found)}"
    return f"{found.winner} is {_both_ways(found, BY_DOMAIN)}"


def _both_ways(found: Standings, variant: str) -> str:
    worse = found.count(found.rival, found.winner, variant)
    if worse and len(found.keys) == 1:
        return (
            f"significantly worse than {found.rival} by this measure, although it ranks first ({RANKS_COUNT})"
        )
    said = _better(found, found.winner, found.rival, variant)
    return f"{said} and significantly worse by {worse}" if worse else said


def _of_all(board: Leaderboard) -> str:
    """Return how many methods were tested: the tests of a question may be of fewer, and decide otherwise."""
    methods = board.standings.mean_ranks.index
    including = " (baselines included)" if methods.isin(board.baselines).any() else ""
    return f" of all {len(methods)} methods{including}"


def _untested(found: Standings, of_all: str = "") -> str:
    """Return that no test of all methods is significant."""
    if len(found.keys) == 1:
        return f"Friedman's test{of_all} is not significant"
    any_of = f"by any of {of_measures(found)} after correction over the measures"
    return f"Friedman's test{of_all} is not significant {any_of}"


def _by_which_test(found: Standings, of_all: str) -> str:
    several = len(found.keys) > 1
    if len(found.mean_ranks) == 2:
        return "By Wilcoxon's test" + (", corrected over the measures" if several else "")
    if several:
        corrected = "made where Friedman's is significant after correction over the measures"
        return f"By Nemenyi's test{of_all}, {corrected}"
    return f"By Nemenyi's test{of_all}"


def _better(found: Standings, better: str, worse: str, variant: str) -> str:
    """Return by how many of the measures one method is significantly better than another."""
    count = found.count(better, worse, variant)
    how = f"{'' if count else 'not '}significantly better than {worse}"
    if len(found.keys) == 1:
        return f"{how} by this measure"
    return f"{how} by {count or 'any'} of {of_measures(found)}"


def of_measures(found: Standings) -> str:
    """Return the number of measures; of several evaluators, of the comparisons."""
    several = len({evaluator for evaluator, _ in found.keys}) > 1
    return number_of(len(found.keys), "comparison" if several else "measure")


def _cheapest(board: Leaderboard) -> str:
    """Return the cheapest method that the winner does not beat significantly by any measure.

    A baseline only shows what other methods are worth, so it is never the answer.
    """
    found = board.standings
    winner = found.winner
    if winner not in board.seconds or not found.reachable("all"):
        return ""
    seconds = {
        name: board.seconds[name]
        for name in map(str, found.mean_ranks.index)
        if name in board.seconds and (name == winner or name not in board.baselines)
    }
    if math.isnan(seconds[winner]):
        return ""
    cheaper = [name for name in seconds if seconds[name] < seconds[winner]]
    alike = [name for name in cheaper if not (found.tested() and found.count(winner, name))]
    best = min(alike, key=lambda name: seconds[name], default=winner)
    others = [name for name in board.baselines if board.seconds.get(name, math.inf) < seconds[best]]
    said = _cheapest_in_words(found, cheaper, best, seconds)
    return f"Apart from baselines, {said[:1].lower()}{said[1:]}" if others else said


def _cheapest_in_words(
    found: Standings, cheaper: Collection[str], best: str, seconds: Mapping[str, float]
) -> str:
    """Return the sentence on the cheapest method, which is the winner where none other can be named."""
    winner = found.winner
    takes = f"{winner} takes {_duration(seconds[winner])} a dataset"
    if not cheaper:
        return f"No other method is cheaper: {takes}."
    if best == winner:
        return f"Every cheaper method is significantly worse by some measure; {takes}."
    if not found.tested():
        return f"The cheapest method is {best}, which takes {_duration(seconds[best])} a dataset; {takes}."
    return (
        f"The cheapest method that is not significantly worse by any measure is {best}: it takes "
        f"{_duration(seconds[best])} a dataset, and {winner} takes {_duration(seconds[winner])}."
    )


def _baselines(board: Leaderboard) -> str:
    """Return which baselines the winner does not beat significantly: a warning about what the tests show."""
    found = board.standings
    if found.winner in board.baselines:
        return f"{found.winner} is a baseline: it only shows what the other methods are worth."
    if not found.tested():
        return ""
    alike = [
        name
        for name in board.baselines
        if name in found.mean_ranks.index and not found.count(found.winner, name)
    ]
    if not alike:
        return ""
    the, is_ = ("baseline", "is") if len(alike) == 1 else ("baselines", "are")
    by = "by this measure" if len(found.keys) == 1 else "by any measure"
    return f"The {the} {listed(alike)} {is_} not significantly worse than {found.winner} {by}."


def named(key: tuple[str, str], found: Standings) -> str:
    """Return the measure of a key; with its evaluator where the study has several."""
    several = len({evaluator for evaluator, _ in found.keys}) > 1
    return f"{key[1]} by {key[0]}" if several else key[1]


def counted(found: Standings, variant: str, what: str) -> str:
    """Return the number of datasets or domains, such as ``12 to 15 datasets``."""
    low, high = found.datasets(variant)
    return number_of(low if low == high else f"{low} to {high}", what)


def _duration(seconds: float) -> str:
    number = short(seconds)
    return f"{number.replace('<', 'less than')} CPU second{'s' * (number != '1')}"


def short(value: float) -> str:
    """Return a number of seconds or features with about 3 digits."""
    if math.isnan(value):
        return MISSING
    if 0 < value < 0.001:
        return "< 0.001"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
