"""A difference of two methods with its interval, in brackets and in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlsieve.errors import number_of
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL


@dataclass(frozen=True)
class Difference:
    """How much two methods differ by one measure, with the 95 % interval of this pair.

    Attributes
    ----------
    estimate, low, high : float
        In units of the measure; positive where the first method is better. The interval is NaN where it is
        not known.
    wins, ties, losses : int
        Datasets.
    """

    estimate: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int

    def turned(self) -> Difference:
        """Return the difference of the second method from the first."""
        return Difference(-self.estimate, -self.high, -self.low, self.losses, self.ties, self.wins)


def in_brackets(own: Difference, *, signed: bool = False) -> str:
    """Return a difference with its interval, such as ``0.012 [0.003, 0.021]``; alone without one."""
    numbers = [value for value in (own.estimate, own.low, own.high) if not math.isnan(value)]
    largest = max(map(abs, numbers))
    first, *interval = (_signed(_number(value + 0.0, largest)) for value in numbers)
    plus = "+" if signed and own.estimate > 0 else ""
    return f"{plus}{first} [{', '.join(interval)}]" if interval else f"{plus}{first}"


def _signed(number: str) -> str:
    return f"\N{MINUS SIGN}{number[1:]}" if number.startswith("-") else number


def _number(value: float, largest: float) -> str:
    """Return a number with the digits of the largest beside it; with more if it would be shown as zero."""
    text = format(value, _form(largest))
    return format(value, _form(abs(value))) if value and not float(text) else text


def _form(largest: float) -> str:
    """Return the format of numbers of which none is larger, with three or four digits of the largest."""
    if not largest > 0:
        return ".3f"
    if largest < 1e-5 or largest >= 1e6:
        return ".2e"
    for least, digits in ((999.5, 0), (99.5, 1), (0.0995, 3), (0.00095, 4)):
        if largest >= least:
            return f".{digits}f"
    return f".{2 - math.floor(math.log10(largest))}f"


def interval_head(n_datasets: int) -> str:
    """Return what the numbers in the brackets of `in_brackets` are, as a table's head says it."""
    return "[95 % interval]" if n_datasets >= FEWEST_FOR_INTERVAL else "[lowest, highest]"


def intervals_alone(n_methods: int) -> str:
    """Return what the intervals of several methods do not allow for, as a sentence; empty for two methods."""
    if n_methods < 3:
        return ""
    return (
        "Each interval is that of one pair by itself: of many, some exclude 0 by chance. The verdicts allow "
        "for the number of pairs."
    )


def difference_in_words(
    own: Difference, whose: str, rival: str, *, higher: bool, what: str = "dataset"
) -> str:
    """Return by how much a method differs from another, and on how many datasets it is better.

    Parameters
    ----------
    own : Difference
        Of the method from its rival.
    whose : str
        The measure and the method, such as ``Its accuracy``.
    rival : str
    higher : bool
        Whether higher values of the measure are better.
    what : str
        What wins, ties and losses count.
    """
    count = own.wins + own.ties + own.losses
    compared = number_of(count, what)
    turned = own if own.estimate >= 0 else own.turned()
    way = "higher" if higher == (own.estimate >= 0) else "lower"
    worse = " (worse)" if own.estimate < 0 else ""
    said = f"{whose} is {way}{worse} than that of {rival} by {_with_interval(turned, count, what)}"
    if own.estimate == 0:
        said = f"{whose} differs from that of {rival} by {_with_interval(own, count, what)}"
    return (
        f"{said}; of {compared}, it is better on {own.wins}, equal on {own.ties} and worse on {own.losses}."
    )


def _with_interval(own: Difference, count: int, what: str) -> str:
    """Return a difference in words, with its interval, or its lowest and highest value of few datasets."""
    estimate, _, interval = in_brackets(own).partition(" ")
    if count == 1 or not interval:
        return estimate
    low, high = interval[1:-1].split(", ")
    if what == "dataset" and count < FEWEST_FOR_INTERVAL:
        return f"{estimate} (lowest {low}, highest {high}; {count} datasets are too few for a 95 % interval)"
    return f"{estimate} (95 % interval {low} to {high})"
