"""What rankings cost: CPU seconds, and the share of the features that get a positive weight."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from mlsieve.questions.labels import labels_of
from mlsieve.questions.wording import listed, number
from mlsieve.report.tables import Column, Table, plain_table

# Costs that differ by less than this factor are called alike: other loads on the machine change them by tens
# of per cent from run to run.
ALIKE = 2.0
_PARTS = ("once", "trees", "permutation")


@dataclass(frozen=True)
class Cost:
    """CPU seconds of one ranking on a data set at the size in use, averaged over the data sets.

    Attributes
    ----------
    grow : float
        Growing the ensemble; 0 without one.
    permutation : float
        Its permutation statistics; 0 for the scores that do not need them.
    rank : float
        Scoring the features.
    """

    grow: float
    permutation: float
    rank: float

    @property
    def seconds(self) -> float:
        """All together."""
        return self.grow + self.permutation + self.rank


def ranking_costs(timings: list[dict[str, str]], sizes: dict[str, int]) -> dict[str, Cost]:
    """Return each method's cost by its label; methods whose jobs tell none are left out.

    Several jobs on one data set (splits, repeats, seeds) are averaged first, so that a data set counts once.

    Parameters
    ----------
    timings : list of dict
        Rows of timings.csv. What trees cost is scaled to the size in use, which is exact on average: trees of
        one ensemble are alike.
    sizes : dict of str to int
        The size in use of each label; the largest one for those that are not in it.
    """
    columns = [
        "dataset",
        "method",
        "step",
        "ensemble",
        "score",
        "trees",
        *(f"work_{part}" for part in _PARTS),
    ]
    frame = pd.DataFrame(timings, columns=columns)
    for name in columns[5:]:
        frame[name] = pd.to_numeric(frame[name], errors="coerce")
    frame = frame.fillna({"method": "", "ensemble": "", "score": ""})
    grow, ranked = frame[frame["step"] == "grow"], frame[frame["step"] == "rank"].copy()
    if ranked.empty:
        return {}
    ranked["label"] = labels_of(ranked)
    found = {}
    for label, jobs in ranked.groupby("label", sort=False):
        one = jobs.iloc[0]
        size = sizes.get(str(label))
        rank = _mean_work(jobs, ("once", "trees"), size)
        grown = permuted = 0.0
        if one["ensemble"]:
            own = grow[(grow["method"] == one["method"]) & (grow["ensemble"] == one["ensemble"])]
            grown = _mean_work(own, ("once", "trees"), size)
            permuted = _mean_work(own, ("permutation",), size) if one["score"] == "permutation" else 0.0
        cost = Cost(grown, permuted, rank)
        if not math.isnan(cost.seconds):
            found[str(label)] = cost
    return found


def _mean_work(jobs: pd.DataFrame, parts: tuple[str, ...], size: int | None) -> float:
    """Return the mean over the data sets of some parts of the work, those of trees scaled to a size."""
    share = size / jobs["trees"] if size else jobs["trees"].notna() * 1.0
    share = share.where(jobs["trees"].notna(), 1.0)
    total = sum(jobs[f"work_{part}"] * (1.0 if part == "once" else share) for part in parts)
    return float(pd.Series(total, index=jobs.index).groupby(jobs["dataset"]).mean().mean())


def positive_shares(rankings: pd.DataFrame, sizes: dict[str, int]) -> pd.DataFrame:
    """Return the mean, smallest and largest share of positive weights over the data sets, by label.

    Parameters
    ----------
    rankings : DataFrame
        rankings.csv.
    sizes : dict of str to int
        The size in use of each label; the largest one for those that are not in it.
    """
    if rankings.empty:
        return pd.DataFrame(columns=["mean", "min", "max"], dtype=float)
    frame = rankings.assign(label=labels_of(rankings), share=rankings["positive"] / rankings["features"])
    largest = frame.groupby("label")["size"].max()
    wanted = frame["label"].map(lambda label: sizes.get(label, largest[label]))
    frame = frame[frame["size"] == wanted]
    return frame.groupby(["label", "dataset"])["share"].mean().groupby("label").agg(["mean", "min", "max"])


def score_cost_table(
    ranks: pd.DataFrame, used: pd.DataFrame, timings: list[dict[str, str]], rankings: pd.DataFrame
) -> Table | None:
    """Return mean rank, seconds and share of positive weights of the methods of the question ``score``.

    Parameters
    ----------
    ranks : DataFrame
        average_ranks.csv.
    used : DataFrame
        The choices in use.
    timings : list of dict
        Rows of timings.csv.
    rankings : DataFrame
        rankings.csv.

    Returns
    -------
    Table or None
        None where the question was not asked. The scores come first, with their mean rank among each other
        over all measures; then the other methods.
    """
    some = ranks[(ranks["question"] == "score") & (ranks["variant"] == "all")]
    if some.empty:
        return None
    paper = some[some["family"] == "paper"].groupby("method", sort=False)["rank"].mean()
    sizes = sizes_of(used)
    costs = ranking_costs(timings, sizes)
    shares = positive_shares(rankings, sizes)
    columns = (
        Column("ranking"),
        Column("trees", True),
        Column("mean rank among the scores", True),
        Column("CPU seconds a data set", True),
        Column("of these to grow", True),
        Column("and to permute", True),
        Column("positive weights", True),
        Column("from the least to the most", True),
    )
    rows = []
    for method in dict.fromkeys([*paper.index, *some["method"]]):
        cost = costs.get(method)
        known = method in shares.index
        rows.append(
            (
                method,
                sizes.get(method, ""),
                f"{paper[method]:.2f}" if method in paper.index else "",
                number(cost.seconds) if cost else "",
                *(
                    number(part) if part else ""
                    for part in ((cost.grow, cost.permutation) if cost else (0, 0))
                ),
                f"{shares.loc[method, 'mean']:.1%}" if known else "",
                f"{shares.loc[method, 'min']:.1%} to {shares.loc[method, 'max']:.1%}" if known else "",
            )
        )
    return plain_table(columns, rows)


def score_cost_sentences(
    tests: pd.DataFrame,
    ranks: pd.DataFrame,
    used: pd.DataFrame,
    timings: list[dict[str, str]],
    rankings: pd.DataFrame,
) -> list[str]:
    """Return which score is the cheapest where the tests do not tell the scores apart.

    Parameters
    ----------
    tests : DataFrame
        tests.csv.
    ranks, used, timings, rankings
        As for `score_cost_table`.
    """
    some = tests[(tests["question"] == "score") & (tests["variant"] == "all") & (tests["family"] == "paper")]
    first = some[some["test"].isin(["friedman", "wilcoxon"]) & some["p_value"].notna()]
    methods = list(dict.fromkeys(name for names in first["methods"] for name in str(names).split(";")))
    open_cases = int((first["rejected"].astype(str).str.lower() != "true").sum())
    if not open_cases or not methods:
        return []
    costs = ranking_costs(timings, sizes_of(used))
    seconds = {name: costs[name].seconds for name in methods if name in costs}
    shares = positive_shares(rankings, sizes_of(used))
    shares = {name: float(shares.loc[name, "mean"]) for name in methods if name in shares.index}
    text = f"The scores are not told apart in {open_cases} of {len(first)} tests; "
    text += cost_verdict(seconds) if len(seconds) > 1 else "there, cost decides."
    if len(shares) > 1:
        low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        text += (
            f" The fewest features get a positive weight from {low} ({shares[low]:.1%} of them on average), "
            f"the most from {high} ({shares[high]:.1%})."
        )
    return [text] if len(seconds) > 1 or len(shares) > 1 else []


def cost_verdict(seconds: dict[str, float]) -> str:
    """Return which rankings take the least time and which the most, or that they are alike.

    Parameters
    ----------
    seconds : dict of str to float
        CPU seconds a data set of two rankings or more.
    """
    ordered = sorted(seconds, key=seconds.__getitem__)
    low, high = seconds[ordered[0]], seconds[ordered[-1]]
    near = [name for name in ordered if seconds[name] < ALIKE * low]
    if len(near) == len(ordered):
        return (
            f"there, cost would decide, but at the sizes in use they cost alike: {number(low)} to "
            f"{number(high)} CPU seconds a data set, less than a factor of {number(ALIKE)} apart."
        )
    costs = listed(f"{name} ({number(seconds[name])} CPU seconds a data set)" for name in near)
    alike = f", which are alike (less than a factor of {number(ALIKE)} apart)" if len(near) > 1 else ""
    return (
        f"there, cost decides. At the sizes in use the cheapest {'is' if len(near) == 1 else 'are'} "
        f"{costs}{alike}; the most expensive is {ordered[-1]} ({number(high)})."
    )


def sizes_of(used: pd.DataFrame) -> dict[str, int]:
    """Return the size in use of each label, from the choices in use."""
    return {row["item"]: int(row["value"]) for row in used.to_dict("records") if row["kind"] == "size"}
