"""Discretisation of numeric features: cuts are learned on some rows and applied to any."""

from mlsieve.discretize.cuts import Cuts, Discretization, learn_cuts
from mlsieve.discretize.of_data import discrete_data

__all__ = ["Cuts", "Discretization", "discrete_data", "learn_cuts"]
