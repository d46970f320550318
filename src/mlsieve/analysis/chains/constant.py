"""Methods that predict the same label set for nearly all examples of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlsieve.analysis.chains.pairs import counts_of
from mlsieve.analysis.counted_tables import as_shown
from mlsieve.analysis.sentences.wording import listed
from mlsieve.errors import number_of
from mlsieve.stats._lazy import pd

NEARLY_ALL = 0.95  # of the test rows


def constant_datasets(runs: pd.DataFrame, method: str) -> dict[str, float]:
    """Return the datasets on which a method predicts one label set for nearly all test rows.

    Parameters
    ----------
    runs : DataFrame
        chain_runs.csv.
    method : str

    Returns
    -------
    dict of str to float
        The mean number of labels that are predicted, by dataset; means over the repeats. Empty for tables of
        earlier versions, which do not say.
    """
    if "commonest_set" not in runs:
        return {}
    own = runs[runs["method"] == method].drop_duplicates(["dataset", "split", "repeat"])
    means = own.groupby("dataset", sort=False)[["commonest_set", "predicted_cardinality"]].mean()
    constant = means[means["commonest_set"] >= NEARLY_ALL]
    return {str(name): float(value) for name, value in constant["predicted_cardinality"].items()}


def constant_sentences(
    runs: pd.DataFrame, directions: Mapping[str, str], pairs: Sequence[tuple[str, str]]
) -> list[str]:
    """Return for each method which datasets it predicts one label set for, and the wins without them.

    Parameters
    ----------
    runs : DataFrame
        chain_runs.csv, with a column for each measure.
    directions : mapping of str to str
        "higher" or "lower" by measure, of the measures to count wins by.
    pairs : sequence of (str, str)
        A method of which wins are counted, and one that it is compared with.
    """
    found = []
    for first in dict.fromkeys(one for one, _ in pairs):
        constant = constant_datasets(runs, first)
        if not constant:
            continue
        # With a label in nearly all rows, they would have as many labels at least.
        empty = [name for name, cardinality in constant.items() if cardinality < NEARLY_ALL]
        others = [name for name in constant if name not in empty]
        parts = [f"predicts no label for nearly all test rows of {listed(empty)}"] if empty else []
        if others:
            parts.append(f"predicts the same label set for nearly all test rows of {listed(others)}")
        text = f"{first} {' and '.join(parts)}."
        wins: dict[int, list[str]] = {}
        for second in (other for one, other in pairs if one == first):
            n_datasets, text_of_pair = _wins_elsewhere(runs, directions, (first, second), list(constant))
            wins.setdefault(n_datasets, []).append(text_of_pair)
        for n_datasets, texts in wins.items():
            if n_datasets:
                of_others = number_of(n_datasets, "other dataset")
                text += f" Of the {of_others}, it is better {'; '.join(texts)}."
        found.append(text)
    return found


def _wins_elsewhere(
    runs: pd.DataFrame, directions: Mapping[str, str], pair: tuple[str, str], without: list[str]
) -> tuple[int, str]:
    """Return the number of datasets but some, and in words on how many the first method is better."""
    counts = [
        counts_of(
            _values(runs, measure, pair).drop(index=without, errors="ignore"),
            measure,
            lower_is_better=direction == "lower",
        )
        for measure, direction in directions.items()
    ]
    wins = listed(f"{one.better} by {one.measure}" for one in counts)
    return max((one.datasets for one in counts), default=0), f"than {pair[1]} on {wins}"


def _values(runs: pd.DataFrame, measure: str, methods: tuple[str, str]) -> pd.DataFrame:
    """Return datasets by methods: values of the models that this measure has chosen, as tables show them."""
    tuned_by = runs["tuned_by"].fillna("")
    own = runs[tuned_by.isin(["", measure]) & runs["method"].isin(methods)]
    wide = own.pivot_table(index="dataset", columns="method", values=measure, sort=False)
    return as_shown(wide.reindex(columns=list(methods)))
