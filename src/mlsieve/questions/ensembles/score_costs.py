"""The cost of rankings: CPU seconds, and the share of the features that get a positive weight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.ranking_costs import positive_shares
from mlsieve.analysis.sections import SectionTables
from mlsieve.analysis.sentences.wording import listed, number
from mlsieve.errors import number_of
from mlsieve.questions.ensembles.efficiency import size_shown, together
from mlsieve.stats._lazy import pd

# The report does not distinguish costs that differ by less than this factor: other loads on the machine
# change them by tens of per cent from run to run.
ALIKE = 2.0


def score_cost_tables(study: SectionTables) -> list[CountedTable]:
    """Return mean rank, seconds and share of positive weights of the methods of the question ``score``.

    The scores come first, with their mean rank among each other over all measures; then the other methods.
    """
    ranks = study.ranks
    some = ranks[(ranks["question"] == "score") & (ranks["variant"] == "all")]
    if some.empty:
        return []
    paper = some[some["family"] == "paper"].groupby("method", sort=False)["rank"].mean()
    scores = _scores_or_methods(study, paper.index)
    costs, shares = study.costs, positive_shares(study.rankings, study.sizes)
    rows = []
    for method in dict.fromkeys([*paper.index, *some["method"]]):
        cost, known = costs.get(method), method in shares.index
        parts = (cost.grow, cost.permutation) if cost else (0, 0)
        rows.append(
            (
                method,
                size_shown(study.labels[method], study.sizes),
                f"{paper[method]:.2f}" if method in paper.index else "",
                number(cost.seconds) if cost else "",
                *(number(part) if part else "" for part in parts),
                f"{shares.loc[method, 'mean']:.1%}" if known else "",
                f"{shares.loc[method, 'min']:.1%} to {shares.loc[method, 'max']:.1%}" if known else "",
            )
        )
    columns = (
        *("ranking", "trees", f"mean rank among the {scores}", "CPU seconds per dataset"),
        *("of these to grow", "and to permute", "positive weights", "from the least to the most"),
    )
    text = (
        "CPU seconds are those of the work itself, without starting Python or reading files. The seconds of "
        "a larger ensemble are scaled down to the size in use. The permutation statistics of an ensemble "
        "count only for the score that needs them. Positive weights are the share of the features to which "
        "the ranking at the size in use gives a weight above zero, averaged over the datasets; with fewer "
        "of them, distances are cheaper to compute."
    ) + together(study.sizes, study.labels)
    places = tuple(range(1, len(columns)))
    return [
        CountedTable(
            "costs", "What the rankings cost", text, columns, tuple(rows), numbers=places, folded=False
        )
    ]


def score_cost_sentences(study: SectionTables) -> list[str]:
    """Return the score with the best rank where tests are not significant, and the cost of each."""
    tests = study.tests
    some = tests[(tests["question"] == "score") & (tests["variant"] == "all") & (tests["family"] == "paper")]
    first = some[some["test"].isin(["friedman", "wilcoxon"]) & some["p_value"].notna()]
    methods = list(dict.fromkeys(name for names in first["methods"] for name in str(names).split(";")))
    open_cases = int((~first["rejected"]).sum())
    if not open_cases or not methods:
        return []
    costs = study.costs
    seconds = {name: costs[name].seconds for name in methods if name in costs}
    shares = positive_shares(study.rankings, study.sizes)
    shares = {name: float(shares.loc[name, "mean"]) for name in methods if name in shares.index}
    text = (
        f"In {open_cases} of {number_of(len(first), 'test')} the {_scores_or_methods(study, methods)} do not "
        "differ significantly, which is not evidence that they are equally good."
    )
    means = _mean_ranks(study.ranks, methods)
    if len(means):
        best = str(means.index[0])
        cost = f" and costs {number(seconds[best])} CPU seconds per dataset" if best in seconds else ""
        text += f" {best} has the best mean rank over the measures ({number(means.iloc[0])}){cost}; "
        text += "its advantage is not significant"
        text += "." if open_cases == len(first) else " in any of these tests."
    text += f" {cost_verdict(seconds)}" if len(seconds) > 1 else ""
    if len(shares) > 1:
        low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        least, most = f"{shares[low]:.1%}", f"{shares[high]:.1%}"
        if least == most:
            text += f" All give a positive weight to {least} of the features on average."
        else:
            text += (
                f" {low} gives the fewest features a positive weight ({least} of them on average), "
                f"{high} the most ({most})."
            )
    return [text] if len(seconds) > 1 or len(shares) > 1 else []


def _scores_or_methods(study: SectionTables, methods: Iterable[str]) -> str:
    """Return what methods are together: some of one's own study may be no scores of ensembles."""
    return "scores" if all(study.labels[name].ensemble for name in methods) else "main methods"


def _mean_ranks(ranks: pd.DataFrame, methods: Sequence[str]) -> pd.Series:
    """Return mean ranks over all measures of the question's methods in the group of the paper, best first."""
    own = ranks[
        (ranks["question"] == "score")
        & (ranks["variant"] == "all")
        & (ranks["family"] == "paper")
        & ranks["method"].isin(methods)
        & ranks["rank"].notna()
    ]
    return own.groupby("method", sort=False)["rank"].mean().sort_values(kind="stable")


def cost_verdict(seconds: dict[str, float]) -> str:
    """Return which rankings take the least time and which the most, or that all cost about as much.

    Parameters
    ----------
    seconds : dict of str to float
        CPU seconds per dataset of two rankings or more.
    """
    ordered = sorted(seconds, key=seconds.__getitem__)
    low, high = seconds[ordered[0]], seconds[ordered[-1]]
    near = [name for name in ordered if seconds[name] < ALIKE * low]
    if len(near) == len(ordered):
        return (
            f"At the sizes in use, all cost about as much: {number(low)} to {number(high)} CPU seconds "
            f"per dataset, which differ by less than a factor of {number(ALIKE)}."
        )
    costs = listed(f"{name} ({number(seconds[name])} CPU seconds per dataset)" for name in near)
    within = f", which differ by less than a factor of {number(ALIKE)}" if len(near) > 1 else ""
    return (
        f"At the sizes in use, the cheapest {'is' if len(near) == 1 else 'are'} {costs}{within}; the most "
        f"expensive is {ordered[-1]} ({number(high)})."
    )
