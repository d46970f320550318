"""Sentences on the chains of a study: which of them end early, and whose boosted trees are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlsieve.analysis.chains.lengths import by_dataset
from mlsieve.analysis.sentences.wording import listed
from mlsieve.stats._lazy import pd

OWN_BOOSTER = "base=ml-xgb"


def label_counts(datasets: pd.DataFrame | None) -> dict[str, int]:
    """Return the number of labels of each dataset, as far as it is known.

    Parameters
    ----------
    datasets : DataFrame or None
        datasets.csv.
    """
    return {name: int(count) for name, count in by_dataset(datasets, "L").items()}


def cut_chains(longest: Mapping[str, int], n_labels: Mapping[str, int], chains: str = "The chains") -> str:
    """Return a sentence on the datasets whose longest chain sets only some of the labels; empty without any.

    Parameters
    ----------
    longest : mapping of str to int
        Length of the longest chain by dataset.
    n_labels : mapping of str to int
        Number of labels by dataset; may lack some.
    chains : str
        The words that the sentence begins with.
    """
    ends: dict[int, list[str]] = {}
    for dataset, length in longest.items():
        if 0 < length < n_labels.get(dataset, 0):
            ends.setdefault(length, []).append(f"{dataset} ({n_labels[dataset]} labels)")
    if not ends:
        return ""
    parts = (f"after {length} steps on {listed(names)}" for length, names in ends.items())
    return f"{chains} end {listed(parts)}: no full chain is trained there."


def cut_methods(runs: pd.DataFrame, methods: Iterable[str], n_labels: Mapping[str, int]) -> list[str]:
    """Return a sentence on each of some methods whose chains set only some of the labels; none without any.

    Methods whose chains end alike share a sentence. It names them unless these are all that have chains.

    Parameters
    ----------
    runs : DataFrame
        chain_runs.csv.
    methods : iterable of str
    n_labels : mapping of str to int
        Number of labels by dataset; may lack some.
    """
    wanted = list(dict.fromkeys(methods))
    chains = runs.assign(steps=runs["steps"].astype(int))
    chains = chains[(chains["steps"] > 0) & chains["method"].isin(wanted)]
    short = chains[chains["steps"] < chains["dataset"].map(n_labels).fillna(0).astype(int)]
    longest = short.groupby(["method", "dataset"], sort=False)["steps"].max()
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for name in wanted:
        if name in set(short["method"]):
            alike.setdefault(tuple((str(key), int(n)) for key, n in longest[name].items()), []).append(name)
    every = len(alike) == 1 and set(short["method"]) == set(chains["method"])
    return [
        cut_chains(dict(ends), n_labels, "The chains" if every else f"The chains of {listed(names)}")
        for ends, names in alike.items()
    ]


def own_boosters(runs: pd.DataFrame, methods: Iterable[str]) -> list[str]:
    """Return a sentence on the methods that fit mlsieve's own boosted trees label by label; none without any.

    Parameters
    ----------
    runs : DataFrame
        chain_runs.csv.
    methods : iterable of str
        The methods to look at.
    """
    uses = runs["settings"].astype(str).str.split().map(lambda words: OWN_BOOSTER in words)
    known = set(runs.loc[uses, "method"])
    found = [name for name in dict.fromkeys(methods) if name in known]
    if not found:
        return []
    verb = "fits" if len(found) == 1 else "fit"
    return [f"{listed(found)} {verb} mlsieve's own boosted trees, ML-XGB with one label, and not XGBoost."]


def tuning_efforts(runs: pd.DataFrame, tuning: pd.DataFrame | None, methods: Iterable[str]) -> list[str]:
    """Return a sentence on how many combinations of parameters a method is tuned over; none if all are alike.

    Parameters
    ----------
    runs : DataFrame
        chain_runs.csv.
    tuning : DataFrame or None
        chain_tuning.csv.
    methods : iterable of str
        The methods to look at.
    """
    if tuning is None:
        return []
    tried = tuning.groupby(["method", "dataset"])["settings"].nunique().groupby("method").max()
    tuned = set(runs.loc[runs["tuned_by"].fillna("") != "", "method"])
    efforts: dict[int, list[str]] = {}
    known = set(runs["method"])
    for name in dict.fromkeys(methods):
        # A method with parameters that are chosen for another has no rows of its own.
        if name in known and (name in tried.index or name not in tuned):
            efforts.setdefault(int(tried.get(name, 0)), []).append(name)
    if len(efforts) < 2:
        return []
    parts = [
        f"from {count} combinations of parameters for {listed(names)}"
        if count
        else f"not at all for {listed(names)}"
        for count, names in sorted(efforts.items(), reverse=True)
    ]
    return [
        f"The effort of tuning differs: parameters are chosen {'; '.join(parts)}. A difference between "
        "methods may be one of tuning."
    ]
