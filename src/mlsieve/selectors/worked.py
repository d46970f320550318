"""The first iterations of selectors of mutual information, worked out number by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mlsieve.discretize import Discretization
from mlsieve.discretize.of_data import discrete_data
from mlsieve.errors import UserError
from mlsieve.selectors.greedy import TIE

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
    "criterion",
    "selected",
)

# The criterion J of relevance, entropy, the summed redundancy with the selected features, and their number.
Criterion = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
CRITERIA: dict[str, Criterion] = {
    "scls": lambda relevance, entropy, redundancy, n: relevance * (1.0 - redundancy / entropy),
    "ami": lambda relevance, entropy, redundancy, n: relevance - redundancy / max(n, 1),
    "ami-printed": lambda relevance, entropy, redundancy, n: relevance - redundancy,
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
    criterion: float
    selected: int


def worked_example(
    dataset: Dataset,
    *,
    iterations: int = 2,
    features: Sequence[int] = (),
    discretize: Discretization = "laim",
) -> list[WorkedRow]:
    """Work out the first iterations of SCLS and of both forms of AMI on all rows of a data set.

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
            raise UserError(f"there is no feature {feature}", cure=f"give indices from 0 to {n_features - 1}")
    data = discrete_data(dataset.X, dataset.Y, method=discretize, nominal=dataset.nominal)
    usable = data.entropy > 0
    entropy = np.where(usable, data.entropy, 1.0)
    shown = set(map(int, features))
    rounds: dict[str, list[tuple[np.ndarray, np.ndarray, int]]] = {}
    for selector, criterion in CRITERIA.items():
        left, redundancy = usable.copy(), np.zeros(n_features)
        rounds[selector] = []
        for number in range(min(iterations, int(usable.sum()))):
            values = np.where(left, criterion(data.relevance, entropy, redundancy, number), -np.inf)
            best = int(np.flatnonzero(values >= values.max() - TIE)[0])
            rounds[selector].append((redundancy, np.where(left, values, np.nan), best))
            values[best] = -np.inf
            shown |= {best, int(np.argmax(values))} if left.sum() > 1 else {best}
            left[best] = False
            redundancy = redundancy + data.redundancy(best)
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
                    float(values[feature]),
                    int(feature == best),
                )
                for feature in order
            ]
    return rows
