"""The cost of rankings: CPU seconds at the size in use, and the share of features with a positive weight."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlsieve.errors import number_of
from mlsieve.stats._lazy import pd
from mlsieve.tables.labels import at_sizes, labels_of

_PARTS = ("once", "trees", "permutation")


@dataclass(frozen=True)
class Cost:
    """CPU seconds of one ranking on a dataset at the size in use, averaged over the datasets.

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
    """Return each method's cost by its label; methods whose jobs report none are left out.

    Several jobs on one dataset (splits, repeats, seeds) are averaged first, so that a dataset counts once.

    Parameters
    ----------
    timings : list of dict
        Rows of timings.csv. The cost of trees is scaled to the size in use, which is exact on average: all
        trees of an ensemble are grown in the same way.
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
    """Return the mean over the datasets of some parts of the work, those of trees scaled to a size."""
    share = size / jobs["trees"] if size else jobs["trees"].notna() * 1.0
    share = share.where(jobs["trees"].notna(), 1.0)
    total = sum(jobs[f"work_{part}"] * (1.0 if part == "once" else share) for part in parts)
    return float(pd.Series(total, index=jobs.index).groupby(jobs["dataset"]).mean().mean())


def positive_shares(rankings: pd.DataFrame, sizes: dict[str, int]) -> pd.DataFrame:
    """Return the mean, smallest and largest share of positive weights over the datasets, by label.

    Parameters
    ----------
    rankings, sizes
        As for `shares_by_dataset`.
    """
    by_dataset = shares_by_dataset(rankings, sizes)
    if by_dataset.empty:
        return pd.DataFrame(columns=["mean", "min", "max"], dtype=float)
    return by_dataset.agg(["mean", "min", "max"], axis=1)


def sizes_of(used: pd.DataFrame) -> dict[str, int]:
    """Return the size in use of each label, from the choices in use."""
    return {row["item"]: int(row["value"]) for row in used.to_dict("records") if row["kind"] == "size"}


def shares_by_dataset(rankings: pd.DataFrame, sizes: dict[str, int]) -> pd.DataFrame:
    """Return the share of positive weights of each label on each dataset, at the size in use.

    Parameters
    ----------
    rankings : DataFrame
        rankings.csv.
    sizes : dict of str to int
        The size in use of each label; the largest one for those that are not in it.

    Returns
    -------
    DataFrame of float, labels by datasets
        In [0, 1]; several splits of a dataset are averaged.
    """
    if rankings.empty:
        return pd.DataFrame(dtype=float)
    frame = at_sizes(rankings.assign(share=rankings["positive"] / rankings["features"]), sizes)
    return frame.groupby(["label", "dataset"])["share"].mean().unstack("dataset")


SAME_TREES = ("genie3", "symbolic")  # both weigh exactly the features that some node of the trees tests


@dataclass(frozen=True)
class Agreement:
    """Whether scores that weigh the features tested in an ensemble's nodes weigh equally many of them.

    Attributes
    ----------
    checked : int
        Pairs of rankings: dataset, split, ensemble and size.
    differing : tuple of str
        Those with another number of positive weights, in words.
    """

    checked: int
    differing: tuple[str, ...]


def agreement(rankings: pd.DataFrame) -> Agreement:
    """Compare the numbers of positive weights of genie3 and symbolic scores of one ensemble, at every size.

    Parameters
    ----------
    rankings : DataFrame
        rankings.csv.
    """
    some = rankings[rankings["score"].isin(SAME_TREES) & (rankings["ensemble"] != "")]
    if some.empty:
        return Agreement(0, ())
    keys = ["dataset", "split", "repeat", "method", "ensemble", "size"]
    wide = some.pivot_table(index=keys, columns="score", values="positive", aggfunc="first", sort=False)
    if not set(SAME_TREES) <= set(wide.columns):
        return Agreement(0, ())
    wide = wide.dropna()
    differing = wide[wide[SAME_TREES[0]] != wide[SAME_TREES[1]]]
    described = [
        f"{row.dataset}, {row.ensemble} with {number_of(row.size, 'tree')} ({int(row.genie3)} by genie3, "
        f"{int(row.symbolic)} by symbolic)"
        for row in differing.reset_index().itertuples()
    ]
    return Agreement(len(wide), tuple(described))
