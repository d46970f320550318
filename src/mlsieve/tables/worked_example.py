"""The first iterations of selectors of mutual information, worked out number by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mlsieve.discretize import Discretization
from mlsieve.discretize.information import DiscreteData
from mlsieve.discretize.of_data import discrete_data
from mlsieve.errors import UserError
from mlsieve.rankings.ties import first_of_the_best
from mlsieve.selectors.greedy import Criterion, greedy_steps, less_penalties
from mlsieve.selectors.scls import scls_criterion

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset

WORKED_COLUMNS = (
    "selector",
    "iteration",
    "feature",
    "name",
    "entropy",
    "relevance",
    "redundancy",
    "reduction",
    "criterion",
    "selected",
)

CRITERIA: dict[str, Callable[[DiscreteData], Criterion]] = {
    "scls": scls_criterion,
    "ami": lambda data: less_penalties(data.relevance, averaged=True),
    "ami-printed": lambda data: less_penalties(data.relevance, averaged=False),
}


@dataclass(frozen=True)
class WorkedRow:
    """One feature in one iteration of one selector; the fields are `WORKED_COLUMNS`.

    Attributes
    ----------
    selector : str
        "scls", "ami" (the mean form) or "ami-printed".
    iteration : int
        From 1.
    feature : int
        Index from 0.
    name : str
    entropy, relevance : float
        H(f), and the sum over the labels of M(f; l), in bits.
    redundancy : float
        The sum of M(f; s) over the features s selected before this iteration.
    reduction : float
        Red(f), by which the criterion is below the relevance: of SCLS the redundancy over H(f), times the
        relevance; of AMI the redundancy, or its mean. NaN where the criterion is.
    criterion : float
        J(f); NaN in the iterations after that which selected the feature.
    selected : int
        1 for the feature that the iteration selects.
    """

    selector: str
    iteration: int
    feature: int
    name: str
    entropy: float
    relevance: float
    redundancy: float
    reduction: float
    criterion: float
    selected: int


def worked_example(
    dataset: Dataset,
    *,
    iterations: int = 2,
    features: Sequence[int] = (),
    discretize: Discretization = "laim",
) -> list[WorkedRow]:
    """Work out the first iterations of SCLS and of both forms of AMI on all rows of a dataset.

    Parameters
    ----------
    dataset : Dataset
    iterations : int
        At least 1.
    features : sequence of int
        Indices of features to show beside those that some selector selects and the second best of each
        iteration.
    discretize : str
        What is done with numeric features, see `mlsieve.discretize`.

    Returns
    -------
    list of WorkedRow
        By selector and iteration, the features of the best criterion first.

    Raises
    ------
    UserError
        On an index that is no feature's.

    References
    ----------
    Lee and Kim (2017), Pattern Recognition 66, sections 3 and 4.
    """
    n_features = dataset.X.shape[1]
    for feature in features:
        if not 0 <= feature < n_features:
            raise UserError(f"there is no feature {feature}", hint=f"give indices from 0 to {n_features - 1}")
    data = discrete_data(dataset.X, dataset.Y, method=discretize, nominal=dataset.nominal)
    usable, places = data.entropy > 0, data.places(0)
    shown = set(map(int, features))
    rounds: dict[str, list[tuple[np.ndarray, np.ndarray, int]]] = {}
    for selector, criterion in CRITERIA.items():
        rounds[selector] = []
        for step in greedy_steps(iterations, usable, criterion(data), data.redundancy, places):
            values = np.where(np.isneginf(step.values), np.nan, step.values)
            rounds[selector].append((step.charged.copy(), values, step.chosen))
            others = np.where(np.arange(n_features) == step.chosen, -np.inf, step.values)
            shown.add(step.chosen)
            if not np.isneginf(others).all():
                shown.add(first_of_the_best(others, abs(float(others.max())), places))
    rows = []
    for selector, found in rounds.items():
        for number, (redundancy, values, best) in enumerate(found, start=1):
            order = sorted(shown, key=lambda f: (np.isnan(values[f]), -np.nan_to_num(values[f]), f))
            rows += [
                WorkedRow(
                    selector,
                    number,
                    feature,
                    dataset.feature_names[feature],
                    float(data.entropy[feature]),
                    float(data.relevance[feature]),
                    float(redundancy[feature]),
                    float(data.relevance[feature] - values[feature]),
                    float(values[feature]),
                    int(feature == best),
                )
                for feature in order
            ]
    return rows
