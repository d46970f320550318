"""Rough cost of a step from its data's size: what is asked of a cluster, and what `mlsieve plan` adds up.

The numbers are upper estimates with room to spare, not predictions.
"""

from __future__ import annotations

from collections.abc import Mapping

# Seconds for each million units of work (see `work`) on one core, of dense sets; sparse ones take less.
SECONDS = {"prepare": 1.0, "grow": 1.0, "rank": 0.5, "predict": 0.1, "score": 0.1}
START = 1.5  # seconds for a Python process with its imports
# An unknown set is taken for a middling one.
UNKNOWN = {"n": 5_000, "F": 1_000, "L": 50, "cardinality": 3.0}


def work(step: str, counts: Mapping[str, float], sizes: int = 1, largest: int = 1) -> float:
    """Return the units of work of a step.

    Parameters
    ----------
    step : str
        A key of `SECONDS`.
    counts : mapping
        n (rows), F (features), L (labels), cardinality; what is missing is taken from `UNKNOWN`.
    sizes : int
        Number of rankings that the step makes or evaluates.
    largest : int
        Number of trees grown.
    """
    import math

    known = UNKNOWN | {key: value for key, value in counts.items() if value}
    n, n_features, n_labels = known["n"], known["F"], known["L"]
    match step:
        case "prepare":
            return n * n_features
        case "grow":
            # Sorted columns, a level at a time, over a share of the features.
            return largest * n * math.sqrt(n_features) * math.log2(n + 2) * (1 + known["cardinality"]) / 10
        case "predict":
            return sizes * (n / 3) * n * n_features / 100
        case "score":
            return sizes * (n / 3) * n_labels * 5
        case _:
            return largest * n_features
    raise AssertionError(step)


def estimate(step: str, counts: Mapping[str, float], sizes: int = 1, largest: int = 1) -> tuple[float, float]:
    """Return (minutes, megabytes) of a step on one core; see `work` for the parameters."""
    known = UNKNOWN | {key: value for key, value in counts.items() if value}
    seconds = START + SECONDS[step] * work(step, counts, sizes, largest) / 1e6
    cells = known["n"] * known["F"] * 8 / 1e6
    labels = known["n"] * known["L"] * 8 / 1e6
    return seconds / 60, 300 + 4 * cells + (sizes * labels if step in {"predict", "score"} else labels)
