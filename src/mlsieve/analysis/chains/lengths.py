"""Measures and times by the length of a chain: means, quantiles over orders, convergence, ratios.

The functions take a long table with the columns dataset, method, draw, length, measure and value, one
observation a row, which `length_frame` makes. Times are measures, too: `TRAINING` and `PREDICTION`, in CPU
seconds. The draws of a method are its repeats, or its orders of the labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mlsieve.analysis.counted_tables import as_shown
from mlsieve.files.csv_tables import CHAIN_RUNS
from mlsieve.registry import entries
from mlsieve.stats._lazy import pd

TRAINING, PREDICTION = "training-seconds", "prediction-seconds"
TIMES = (TRAINING, PREDICTION)
QUALITY = "f1"
# A curve has converged where it stays this close to its value at the full length.
CLOSE = 0.01
# Quantiles over the orders: pairs of the outer, the middle and the inner band.
QUANTILES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
BANDS = ((0.0, 1.0), (0.2, 0.8), (0.4, 0.6))
COLUMNS = ("dataset", "method", "draw", "length", "measure", "value")


def length_frame(curves: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the values of all methods by the length of their chains.

    A method without a curve has one length, that of its whole chain. One with several orders has a row for
    each of them. Of a method that is tuned by several measures, the first model counts.

    Parameters
    ----------
    curves, runs : DataFrame
        chain_curves.csv and chain_runs.csv.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`.
    """
    whole = runs.drop_duplicates(["dataset", "split", "repeat", "method"])
    steps = whole.set_index(["dataset", "method"])["steps"].groupby(level=[0, 1]).max()
    by_length = curves[curves["parameter"] == "chain_length"]
    drawn = curves[curves["parameter"] == "draw"]
    parts = [by_length.assign(draw=by_length["repeat"], length=by_length["point"])]
    keys = pd.MultiIndex.from_frame(drawn[["dataset", "method"]])
    order = drawn["repeat"].astype(int) * 1_000_000 + drawn["point"].astype(int)
    parts.append(drawn.assign(draw=order, length=steps.reindex(keys).to_numpy()))
    known = pd.MultiIndex.from_frame(pd.concat(parts)[["dataset", "method"]])
    others = whole[~pd.MultiIndex.from_frame(whole[["dataset", "method"]]).isin(known)]
    others = others.rename(columns={"training_seconds": TRAINING, "prediction_seconds": PREDICTION})
    measures = [name for name in others.columns if name not in CHAIN_RUNS]
    single = others.assign(draw=others["repeat"], length=others["steps"])
    names = ["dataset", "method", "draw", "length"]
    parts.append(single.melt(names, measures, var_name="measure", value_name="value"))
    found = pd.concat([part[list(COLUMNS)] for part in parts], ignore_index=True)
    found["length"] = found["length"].astype(float).fillna(0).astype(int)
    return found.astype({"draw": int, "value": float})


def cardinalities(datasets: pd.DataFrame | None) -> dict[str, float]:
    """Return the average number of labels of each dataset, as far as it is known.

    Parameters
    ----------
    datasets : DataFrame or None
        datasets.csv.
    """
    return by_dataset(datasets, "cardinality")


def by_dataset(datasets: pd.DataFrame | None, column: str) -> dict[str, float]:
    """Return a column of datasets.csv by dataset, as far as its values are known.

    Parameters
    ----------
    datasets : DataFrame or None
        datasets.csv.
    column : str
    """
    if datasets is None or column not in datasets:
        return {}
    known = datasets.dropna(subset=column)
    return {str(name): float(value) for name, value in zip(known["dataset"], known[column], strict=True)}


def means_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return means over the repeats: dataset, method, length, measure, value, in the order of the table."""
    keys = ["dataset", "method", "length", "measure"]
    return frame.groupby(keys, sort=False)["value"].mean().reset_index()


def bands_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return quantiles over the orders of the methods that have several on a dataset, at one length.

    Returns
    -------
    DataFrame
        Columns dataset, method, length, measure, quantile, value, orders; empty without several orders.
    """
    keys = ["dataset", "method", "length", "measure"]
    columns = [*keys, "quantile", "value", "orders"]
    groups = frame.groupby(keys, sort=False)["value"]
    lengths = frame.groupby(keys[:2])["length"].nunique()
    rows = [
        (*key, quantile, float(values.quantile(quantile)), len(values))
        for key, values in groups
        if len(values) > 1 and lengths[key[:2]] == 1
        for quantile in QUANTILES
    ]
    return pd.DataFrame(rows, columns=columns)


def curve_of(means: pd.DataFrame, dataset: str, method: str, measure: str) -> pd.Series:
    """Return a measure by the length of the chain; empty where the method has no values."""
    own = means[(means["dataset"] == dataset) & (means["method"] == method) & (means["measure"] == measure)]
    return own.set_index("length")["value"].sort_index()


def converged_at(curve: pd.Series, close: float = CLOSE) -> int:
    """Return the shortest length from which on a curve, as shown, stays close to its value at full length.

    Parameters
    ----------
    curve : Series
        By length, in ascending order, without NaN.
    close : float
        Largest difference.
    """
    curve = as_shown(curve)
    away = (curve - curve.iloc[-1]).abs() > close + 1e-12
    far = away[away].index
    return int(curve.index[0] if far.empty else curve.index[curve.index > far[-1]][0])


@dataclass(frozen=True)
class Convergence:
    """When the chain of one dataset converges.

    Attributes
    ----------
    dataset : str
    length : int
        The shortest from which on the measure stays close to that of the full chain.
    full : int
        Length of the full chain.
    best : int
        The shortest with the best value, as shown.
    first, converged, last : float
        The measure at length 1, at that length, and at the full one.
    """

    dataset: str
    length: int
    full: int
    best: int
    first: float
    converged: float
    last: float


def convergences(
    frame: pd.DataFrame, method: str, measure: str = QUALITY, close: float = CLOSE
) -> list[Convergence]:
    """Return when a method converges on each dataset where it has several lengths.

    Parameters
    ----------
    frame : DataFrame
    method : str
        With values at several lengths.
    measure : str
    close : float
        See `converged_at`.
    """
    means = means_of(frame)
    found = []
    for dataset in dict.fromkeys(means["dataset"]):
        curve = curve_of(means, dataset, method, measure).dropna()
        if len(curve) < 2:
            continue
        length = converged_at(curve, close)
        found.append(
            Convergence(
                dataset=str(dataset),
                length=length,
                full=int(curve.index[-1]),
                best=int(as_shown(-curve if lower_is_better(measure) else curve).idxmax()),
                first=float(curve.iloc[0]),
                converged=float(curve.loc[length]),
                last=float(curve.iloc[-1]),
            )
        )
    return found


@dataclass(frozen=True)
class LengthCost:
    """What the chain of one dataset costs beside another method.

    Attributes
    ----------
    dataset : str
    length : int
        Where the chain converges, see `Convergence`.
    cost, full_cost : float
        Training seconds at that length and at the full one, over those of the other method.
    cheaper : int
        How many of the first lengths train in less time than the other method; the full length where all do.
    dearer_prediction : int
        The shortest length that takes longer to predict than the other method; 0: none does.
    """

    dataset: str
    length: int
    cost: float
    full_cost: float
    cheaper: int
    dearer_prediction: int


def lengths_beside(frame: pd.DataFrame, method: str, other: str) -> list[LengthCost]:
    """Return the times of a method at its lengths over those of another one, on each dataset with both.

    Parameters
    ----------
    frame : DataFrame
    method : str
        With values at several lengths.
    other : str
        With which times are compared, at its own full length.
    """
    means, found = means_of(frame), []
    for one in convergences(frame, method):
        times = ratio_curve(means, one.dataset, method, other, TRAINING)
        slower = ratio_curve(means, one.dataset, method, other, PREDICTION)
        if not times.empty:
            cost, full = (float(times.get(length, math.nan)) for length in (one.length, one.full))
            cheaper = int((times.index < _first_above(times)).sum())
            found.append(
                LengthCost(one.dataset, one.length, cost, full, cheaper, int(_first_above(slower, 0)))
            )
    return found


def near_the_end(
    frame: pd.DataFrame,
    method: str,
    labels: Mapping[str, float],
    measure: str = QUALITY,
    close: float = CLOSE,
) -> dict[str, bool]:
    """Return whether a chain as long as the label cardinality, rounded up, is as good as the full chain.

    Parameters
    ----------
    frame : DataFrame
    method : str
    labels : mapping of str to float
        Average number of labels by dataset; others are left out, as are those with one length only.
    measure : str
        Higher is better.
    close : float
        By how much the shorter chain may be worse.
    """
    means, found = means_of(frame), {}
    for dataset in dict.fromkeys(means["dataset"]):
        curve = curve_of(means, dataset, method, measure).dropna()
        if len(curve) > 1 and dataset in labels:
            reached = curve[curve.index <= max(rounded_up(labels[dataset]), curve.index[0])]
            cut, whole = as_shown(reached.iloc[-1]), as_shown(curve.iloc[-1])
            found[str(dataset)] = cut >= whole - close - 1e-12
    return found


def rounded_up(cardinality: float) -> int:
    """Return a label cardinality, rounded up."""
    return math.ceil(cardinality)


def _first_above(ratio: pd.Series, otherwise: float = math.inf) -> float:
    """Return the shortest length at which a ratio, as shown, is above 1."""
    above = ratio.index[as_shown(ratio) > 1]
    return float(above[0]) if len(above) else otherwise


def ratio_curve(means: pd.DataFrame, dataset: str, method: str, other: str, measure: str) -> pd.Series:
    """Return a method's measure by length, over that of another method at its full length.

    Empty where either has no value, or the other's is 0.
    """
    own = curve_of(means, dataset, method, measure).dropna()
    reference = curve_of(means, dataset, other, measure).dropna()
    if own.empty or reference.empty or reference.iloc[-1] == 0:
        return pd.Series(dtype=float)
    return own / float(reference.iloc[-1])


def ratios(frame: pd.DataFrame, method: str, other: str, measure: str = QUALITY) -> pd.DataFrame:
    """Return cost and quality of a method at each length, over those of another method.

    Parameters
    ----------
    frame : DataFrame
    method, other : str
    measure : str
        Of the quality.

    Returns
    -------
    DataFrame
        Columns dataset, length, cost (ratio of training seconds) and quality; rows with both only, of the
        datasets where the method has several lengths.
    """
    means = means_of(frame)
    parts = []
    for dataset in dict.fromkeys(means["dataset"]):
        pair = {
            "cost": ratio_curve(means, dataset, method, other, TRAINING),
            "quality": ratio_curve(means, dataset, method, other, measure),
        }
        both = pd.DataFrame(pair).dropna().rename_axis("length").reset_index()
        parts += [both.assign(dataset=dataset)] if len(both) > 1 else []
    found = pd.concat(parts) if parts else pd.DataFrame(columns=["length", "cost", "quality", "dataset"])
    return found[["dataset", "length", "cost", "quality"]].reset_index(drop=True)


@dataclass(frozen=True)
class FirstRound:
    """Whether the first round of a chain is another method, on one dataset.

    Attributes
    ----------
    dataset : str
    same_settings : bool
        Whether all parameters of the other method, given or by default, are those of the chain.
    equal : bool
        Whether all measures are the same, to nine digits.
    """

    dataset: str
    same_settings: bool
    equal: bool


def first_rounds(frame: pd.DataFrame, runs: pd.DataFrame, method: str, other: str) -> list[FirstRound]:
    """Compare a chain at length 1 with another method, on each dataset with both.

    Parameters
    ----------
    frame : DataFrame
        As `length_frame` returns it.
    runs : DataFrame
        chain_runs.csv.
    method, other : str
    """
    means = means_of(frame[~frame["measure"].isin(TIMES)])
    columns = (runs[name] for name in ("dataset", "method", "id", "settings"))
    whole = {(dataset, name): (id, text) for dataset, name, id, text in zip(*columns, strict=True)}
    found = []
    for dataset in dict.fromkeys(means["dataset"]):
        own = means[means["dataset"] == dataset]
        first = own[(own["method"] == method) & (own["length"] == 1)].set_index("measure")["value"]
        values = own[own["method"] == other].set_index("measure")["value"]
        shared = first.index.intersection(values.index)
        if len(shared) and (dataset, method) in whole and (dataset, other) in whole:
            chain, wanted = (_parameters(*whole[dataset, name]) for name in (method, other))
            equal = bool(((first[shared] - values[shared]).abs() < 1e-9).all())
            found.append(FirstRound(str(dataset), wanted.items() <= chain.items(), equal))
    return found


def _parameters(id: str, settings: str) -> dict[str, str]:
    """Return all parameters of a method as words: those of its row of chain_runs.csv, and defaults."""
    known = entries("chain")
    schemas = known[id].parameters() if id in known else {}
    usual = {name: str(schema.get("default")).lower() for name, schema in schemas.items()}
    return usual | dict(word.split("=", 1) for word in str(settings).split() if "=" in word)


def lower_is_better(measure: str) -> bool:
    """Whether lower values of a registered measure are better."""
    known = entries("measure")
    return measure in known and known[measure].facts.direction == "lower"
