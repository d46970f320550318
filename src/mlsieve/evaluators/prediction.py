"""What an evaluator yields: the values for each label under one ranking with so many of its features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Prediction:
    """Values for the labels of the test part.

    Attributes
    ----------
    ranking : int
        Position of the ranking among those that were to be evaluated.
    n_features : int
        How many features were used: those of positive weight, or those that the learner was given.
    values : ndarray of unsigned int or float64, shape (n_test, L)
        Divided by the evaluator's `denominator` they are scores within [0, 1].
    """

    ranking: int
    n_features: int
    values: np.ndarray
