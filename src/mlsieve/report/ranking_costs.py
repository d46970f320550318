"""What rankings cost: seconds, and the share of the features that get a positive weight."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from mlsieve.questions.wording import number
from mlsieve.report.tables import Column, Table, plain_table


@dataclass(frozen=True)
class Cost:
    """Cost of one ranking method on a data set, averaged over the data sets.

    Attributes
    ----------
    grow, rank : float
        Seconds of growing the ensemble (0 without one) and of ranking, all sizes together.
    """

    grow: float
    rank: float

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.grow + self.rank


def labels_of(frame: pd.DataFrame) -> pd.Series:
    """Return the labels under which tests and ranks know the rows' methods (`PerformanceTable`)."""
    pair = (frame["ensemble"] != "") & (frame["score"] != "")
    names = frame["ensemble"] + "/" + frame["score"]
    if frame.loc[(frame["ensemble"] != "") | (frame["score"] != ""), "method"].nunique() > 1:
        names = frame["method"] + "/" + names
    return names.where(pair, frame["method"])


def ranking_costs(timings: list[dict[str, str]]) -> dict[str, Cost]:
    """Return each method's cost by its label.

    Several jobs on one data set (splits, repeats) are averaged first, so that a data set counts once.

    Parameters
    ----------
    timings : list of dict
        Rows of timings.csv.
    """
    frame = pd.DataFrame(timings, columns=["dataset", "method", "seconds", "step", "ensemble", "score"])
    frame["seconds"] = pd.to_numeric(frame["seconds"], errors="coerce")
    frame = frame.fillna({"method": "", "ensemble": "", "score": ""})
    grow = _mean_seconds(frame[frame["step"] == "grow"], ["method", "ensemble"])
    ranked = frame[frame["step"] == "rank"].copy()
    if ranked.empty:
        return {}
    ranked["label"] = labels_of(ranked)
    rank = _mean_seconds(ranked, ["label"])
    methods = ranked.drop_duplicates("label").itertuples()
    return {
        row.label: Cost(float(grow.get((row.method, row.ensemble), 0.0)), float(rank[row.label]))
        for row in methods
    }


def _mean_seconds(frame: pd.DataFrame, keys: list[str]) -> pd.Series:
    return frame.groupby([*keys, "dataset"])["seconds"].mean().groupby(keys).mean()


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
    sizes, costs = _sizes(used), ranking_costs(timings)
    shares = positive_shares(rankings, sizes)
    columns = (
        Column("ranking"),
        Column("trees", True),
        Column("mean rank among the scores", True),
        Column("seconds a data set", True),
        Column("of these to grow", True),
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
                f"{cost.seconds:.1f}" if cost else "",
                f"{cost.grow:.1f}" if cost and cost.grow else "",
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
    seconds = {name: cost.seconds for name, cost in ranking_costs(timings).items() if name in methods}
    shares = positive_shares(rankings, _sizes(used))
    shares = {name: float(shares.loc[name, "mean"]) for name in methods if name in shares.index}
    text = f"The scores are not told apart in {open_cases} of {len(first)} tests; there, cost decides."
    if len(seconds) > 1:
        low, high = min(seconds, key=seconds.__getitem__), max(seconds, key=seconds.__getitem__)
        text += (
            f" The quickest is {low} with {number(seconds[low])} seconds a data set, the slowest {high} with "
            f"{number(seconds[high])}."
        )
    if len(shares) > 1:
        low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        text += (
            f" The fewest features get a positive weight from {low} ({shares[low]:.1%} of them on average), "
            f"the most from {high} ({shares[high]:.1%})."
        )
    return [text] if seconds or shares else []


def _sizes(used: pd.DataFrame) -> dict[str, int]:
    return {row["item"]: int(row["value"]) for row in used.to_dict("records") if row["kind"] == "size"}
