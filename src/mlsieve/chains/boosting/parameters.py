"""The parameters that the boosting estimators share: declared, checked and described once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mlsieve.registry.parameters import AtLeast, AtMost, LessThan, MoreThan

Split = Literal["sum_gain", "max_gain", "sum_signed", "max_signed", "sum_abs", "max_abs"]
SHORT = {"rounds": "n_estimators", "depth": "max_depth", "eta": "learning_rate", "lambda": "reg_lambda"}

# What stands for {boosting} in a subclass's docstring, with its defaults.
_DESCRIPTION = """n_estimators : int, default {n_estimators}
        Rounds of boosting of a model; each grows one tree.
    max_depth : int, default {max_depth}
    learning_rate : float, default {learning_rate}
        Factor eta of the leaves.
    reg_lambda : float, default {reg_lambda:g}
        Added to the sum of hessians.
    gamma : float, default {gamma:g}
        What a division has to gain more than 1e-6.
    min_child_weight : float, default {min_child_weight:g}
        Sum of a label's hessians from which on it counts in the score of a child.
    min_child_weight_of : {{"counted", "every"}}, default "{min_child_weight_of}"
        "counted": labels that do not count are left out of a child's score. "every": a test is allowed only
        if every label counts in both children.
    split : str, default "{split}"
        Score of a node: "sum_gain", "max_gain", "sum_signed", "max_signed", "sum_abs" or "max_abs", the sum
        or maximum over the labels of G^2, -G or abs(G), divided by H + lambda.
    max_bins : int, optional
        Most distinct values of a numeric feature; None: tests of all values (exact search).
    subsample, colsample : float, default 1
        Share of the rows, and of the columns, that each tree sees.
    sketch : {{"none", "top", "random"}}, default "{sketch}"
        What the search for tests sees of the labels' gradients: all, those of the `sketch_size` labels whose
        squares have the largest sums, or so many random projections (Iosipoi and Vakhrushev 2022). A
        projection's hessian is the mean of the labels', weighted by the squares of its factors. Leaves hold
        values of all labels.
    sketch_size : int, default {sketch_size}
    n_iter_no_change : int, optional
        A model ends when its loss on rows held back has not fallen for so many rounds, and keeps the rounds
        up to the lowest loss. None: all rounds.
    validation_fraction : float, default {validation_fraction:g}
        Share of the rows that is held back for `n_iter_no_change`, if `fit` gets no others.
    definition : {{"paper", "xdcc"}}, default "{definition}"
        "xdcc": as the authors' program has it. Margins start at 0.5 rather than at the frequencies of the
        labels, nominal features are read as numbers, and of equally good tests that of the first column and
        the highest threshold is taken. There is no gamma, and `min_child_weight_of` is "every"; other values
        of the two are refused. Its search sums in double precision, which takes longer.
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ...; a test is of one category.
    random_state : int, RandomState, Generator or None, default {random_state}
        Seed of samples, projections and the rows held back; None: another one in each fit.
    n_jobs : int, default {n_jobs}
        Threads; -1 for all cores. Does not change the result."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingParameters:
    """Base of the estimators; the words "{boosting}" in a subclass's docstring become its parameters."""

    n_estimators: Annotated[int, AtLeast(1)] = 20
    max_depth: Annotated[int, AtLeast(1)] = 6
    learning_rate: Annotated[float, AtLeast(0)] = 0.3
    reg_lambda: Annotated[float, AtLeast(0)] = 1.0
    gamma: Annotated[float, AtLeast(0)] = 0.0
    min_child_weight: Annotated[float, AtLeast(0)] = 1.0
    min_child_weight_of: Literal["counted", "every"] = "counted"
    split: Split = "sum_gain"
    max_bins: Annotated[int, AtLeast(2)] | None = None
    subsample: Annotated[float, MoreThan(0), AtMost(1)] = 1.0
    colsample: Annotated[float, MoreThan(0), AtMost(1)] = 1.0
    sketch: Literal["none", "top", "random"] = "none"
    sketch_size: Annotated[int, AtLeast(1)] = 10
    n_iter_no_change: Annotated[int, AtLeast(1)] | None = None
    validation_fraction: Annotated[float, MoreThan(0), LessThan(1)] = 0.1
    definition: Literal["paper", "xdcc"] = "paper"
    nominal: Any = None
    random_state: Any = 0
    n_jobs: Any = 1

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        defaults = {name: getattr(cls, name) for name in BoostingParameters.__annotations__ if name[0] != "_"}
        cls.__doc__ = (cls.__doc__ or "").replace("{boosting}", _DESCRIPTION.format(**defaults))
