"""What the steps of chains set: how accurate they are, and when the positive labels are set.

The functions read chain_steps.csv: one row for each method, setting and step of its chain on a dataset.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlsieve.analysis.counted_tables import as_shown
from mlsieve.stats._lazy import pd

SIGMA = "sigma"


def settings_of(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a column ``setting``: the point of the parameter as text, empty without one.

    Repeats of a split are averaged.
    """
    known = steps["parameter"] != ""
    points = steps["point"].astype(float).map(lambda point: f"{point:g}")
    keyed = steps.assign(setting=points.where(known, ""))
    keys = ["dataset", "method", "parameter", "setting", "step"]
    values = ["set", "accuracy", "positive", "positives", "positive_share", "negative_share", "cardinality"]
    return keyed.groupby(keys, sort=False)[values].mean().reset_index()


@dataclass(frozen=True)
class Ends:
    """The first and the last step of a chain on one dataset.

    Attributes
    ----------
    dataset, method, setting : str
    steps : int
    first, last : float
        Accuracy of the labels that the first and the last step with one set.
    first_positive, last_positive : float
        Share of the rows in which they set a positive label.
    """

    dataset: str
    method: str
    setting: str
    steps: int
    first: float
    last: float
    first_positive: float
    last_positive: float

    @property
    def more_accurate_first(self) -> bool:
        """Whether the first step is more accurate than the last, as tables show numbers."""
        return bool(as_shown(self.first) > as_shown(self.last))

    @property
    def more_positive_last(self) -> bool:
        """Whether the last step sets more positive labels than the first, as tables show numbers."""
        return bool(as_shown(self.first_positive) < as_shown(self.last_positive))


def ends_of(steps: pd.DataFrame) -> list[Ends]:
    """Return the first and last step of each chain with at least two that set labels.

    Parameters
    ----------
    steps : DataFrame
        As `settings_of` returns it.
    """
    found = []
    for (dataset, method, setting), own in steps.groupby(["dataset", "method", "setting"], sort=False):
        known = own.dropna(subset="accuracy").sort_values("step")
        if len(known) < 2:
            continue
        first, last = known.iloc[0], known.iloc[-1]
        found.append(
            Ends(
                dataset=str(dataset),
                method=str(method),
                setting=str(setting),
                steps=int(own["step"].max()),
                first=float(first["accuracy"]),
                last=float(last["accuracy"]),
                first_positive=float(first["positive"]),
                last_positive=float(last["positive"]),
            )
        )
    return found


def shares_at(steps: pd.DataFrame, dataset: str, method: str, step: int) -> tuple[float, float] | None:
    """Return the shares of all positive and of all negative labels that are set up to a step.

    None where the method has no sequence on the dataset; of a shorter chain its last step counts.

    Parameters
    ----------
    steps : DataFrame
        As `settings_of` returns it.
    dataset, method : str
    step : int
    """
    own = steps[(steps["dataset"] == dataset) & (steps["method"] == method)]
    own = own[own["step"] <= step].sort_values("step")
    if own.empty:
        return None
    return float(own["positive_share"].iloc[-1]), float(own["negative_share"].iloc[-1])
