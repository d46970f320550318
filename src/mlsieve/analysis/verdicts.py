"""The place of one method by each measure, and which others differ significantly from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlsieve.analysis.sentences.wording import listed, number
from mlsieve.analysis.tests import Answer
from mlsieve.stats._lazy import pd


@dataclass(frozen=True)
class Verdict:
    """The place of a method by one measure, and which others differ by the Bonferroni-Dunn test.

    Attributes
    ----------
    rank : float
        Its average rank.
    place : int
        1 for the best average rank; equal ranks share the best of their places.
    n_methods, n_datasets : int
    rejected : bool
        Whether Friedman's test is significant.
    first : tuple of str
        The methods of the best average rank.
    beaten, ahead : tuple of str
        Methods that it is significantly better and worse than.
    undecided : tuple of str
        Those from which it does not differ significantly.
    """

    rank: float
    place: int
    n_methods: int
    n_datasets: int
    rejected: bool
    first: tuple[str, ...]
    beaten: tuple[str, ...]
    ahead: tuple[str, ...]
    undecided: tuple[str, ...]


def verdicts(answer: Answer, reference: str, variant: str = "all") -> dict[tuple[str, str], Verdict]:
    """Return the verdict about the reference method by (evaluator, measure), see `verdicts_of`."""
    return verdicts_of(pd.DataFrame(answer.tests), pd.DataFrame(answer.ranks), reference, variant)


def verdicts_of(
    tests: pd.DataFrame, ranks: pd.DataFrame, reference: str, variant: str = "all"
) -> dict[tuple[str, str], Verdict]:
    """Return the verdict about the reference method by (evaluator, measure).

    Parameters
    ----------
    tests, ranks : DataFrame
        Rows of one question, method group and comparison of tests.csv and average_ranks.csv.
    reference : str
    variant : {"all", "one-per-domain", "without-differing"}
        Of the datasets.
    """
    found: dict[tuple[str, str], Verdict] = {}
    if tests.empty or ranks.empty:
        return found
    tests, ranks = tests[tests["variant"] == variant], ranks[ranks["variant"] == variant]
    for (evaluator, measure), group in ranks.groupby(["evaluator", "measure"], sort=False):
        average = group.set_index("method")["rank"].astype(float).round(12)
        if reference not in average or average.isna().any():
            continue
        own = tests[(tests["evaluator"] == evaluator) & (tests["measure"] == measure)]
        friedman = own[own["test"] == "friedman"]
        significant = own[(own["test"] == "bonferroni-dunn") & own["rejected"]]
        others = [str(name) for name in average.index if name != reference]
        differing = {str(names).split(";")[0] for names in significant["methods"]}
        found[str(evaluator), str(measure)] = Verdict(
            rank=float(average[reference]),
            place=1 + int((average < average[reference]).sum()),
            n_methods=len(average),
            n_datasets=int(group["n_datasets"].iloc[0]),
            rejected=bool(friedman["rejected"].any()),
            first=tuple(str(name) for name in average.index[average == average.min()]),
            beaten=tuple(name for name in others if name in differing and average[name] > average[reference]),
            ahead=tuple(name for name in others if name in differing and average[name] < average[reference]),
            undecided=tuple(name for name in others if name not in differing),
        )
    return found


def place_of(measure: tuple[str, str], keys: Sequence[tuple[str, str]]) -> str:
    """Return a key's measure; with its evaluator where the keys have several."""
    return f"{measure[1]} by {measure[0]}" if len({evaluator for evaluator, _ in keys}) > 1 else measure[1]


def standing(verdict: Verdict, reference: str) -> str:
    """Return in words the place of the reference method, and which methods differ significantly from it."""
    text = f"{reference} has an average rank of {number(verdict.rank)}"
    if verdict.place > 1:
        text += f", place {verdict.place} of {verdict.n_methods} (first: {listed(verdict.first)})"
    elif len(verdict.first) > 1:
        others = listed(name for name in verdict.first if name != reference)
        text += f", the best of {verdict.n_methods}, shared with {others}"
    else:
        text += f", the best of {verdict.n_methods}"
    if not verdict.rejected:
        return f"{text}; Friedman's test is not significant, so no pair is tested"
    sides = (("better", verdict.beaten), ("worse", verdict.ahead))
    clear = [f"significantly {word} than {listed(names)}" for word, names in sides if names]
    parts = [f"it is {' and '.join(clear)}"] if clear else []
    if verdict.undecided:
        parts.append(f"it does not differ significantly from {listed(verdict.undecided)}")
    return "; ".join([text, *parts])
