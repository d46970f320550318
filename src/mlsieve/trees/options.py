"""How trees are grown: the options, checked."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Annotated, Literal, get_args

import numpy as np

from mlsieve.errors import InvalidSetting, UserError, did_you_mean
from mlsieve.hierarchy import ClassWeights
from mlsieve.registry import AtLeast, AtMost, check_values, parameter_schemas

EnsembleKind = Literal["bagging", "random-forest", "extra-trees"]
MaxFeatures = (
    Annotated[int, AtLeast(1)]
    | Annotated[float, AtLeast(1e-6), AtMost(1)]
    | Literal["sqrt", "log2", "all"]
    | None
)
MinLeaf = Annotated[float, AtLeast(1)]
Threshold = Literal["value", "midpoint"]
Ties = Literal["random", "first"]
ClassWeightDecay = Annotated[float, AtLeast(1e-6), AtMost(1)]
OutOfBagError = Literal["hamming-loss", "pooled-auprc"]
Definition = Literal["paper", "clus"]
ENSEMBLES: tuple[str, ...] = get_args(EnsembleKind)
DEFAULT_CLASS_WEIGHTS: ClassWeights = "mean"
DEFAULT_DECAY = 0.75


@dataclass(frozen=True)
class GrowOptions:
    """How trees are grown.

    Attributes
    ----------
    ensemble : {"bagging", "random-forest", "extra-trees"}
        Bagging: bootstrap, all features. Random forest: bootstrap, ceil(sqrt(F)) features a node. Extra
        trees: no bootstrap, all features, one random test a feature (Petković, Džeroski, Kocev, Machine
        Learning 2020).
    max_features : int, float, "sqrt", "log2", "all" or None
        Features tried in a node: a count, a share, or a rule (ceil(sqrt(F)), ceil(log2(F)), F); None is the
        ensemble's own.
    min_leaf : float
        Least weight of a child's examples (bootstrap multiplicities count), >= 1.
    threshold : {"value", "midpoint"}
        Numeric tests compare with the largest value on the "no" side (CLUS) or with the mid-point.
    bootstrap : bool or None
        None is the ensemble's own.
    class_weights : {"mean", "sum", "min", "max"}
        Classes of a hierarchy only: what of several parents' weights a class's weight is made of (see
        `mlsieve.hierarchy.Hierarchy.weights`).
    class_weight_decay : float
        Classes of a hierarchy only: by how much a class weighs less than its parents, in (0, 1].
    ties : {"random", "first"}
        Which of several features wins whose best tests gain equally: one at random, so that the order of the
        columns decides nothing, or the first (CLUS).
    out_of_bag_error : {"hamming-loss", "pooled-auprc"} or None
        The error of the permutation score: the share of wrong label cells, or 1 - the area under the pooled
        precision-recall curve. None is "hamming-loss" for flat labels (Petković, Džeroski, Kocev, Machine
        Learning 2020) and "pooled-auprc" with a hierarchy (the same authors, Acta Polytechnica Hungarica
        17(10), 2020).
    definition : {"paper", "clus"}
        "clus" gathers the statistics of CLUS's permutation score besides the paper's, of trees with a
        bootstrap; the trees are the same.
    """

    ensemble: EnsembleKind = "random-forest"
    max_features: MaxFeatures = None
    min_leaf: MinLeaf = 2.0
    threshold: Threshold = "value"
    bootstrap: bool | None = None
    class_weights: ClassWeights = DEFAULT_CLASS_WEIGHTS
    class_weight_decay: ClassWeightDecay = DEFAULT_DECAY
    out_of_bag_error: OutOfBagError | None = None
    ties: Ties = "random"
    definition: Definition = "paper"

    def __post_init__(self) -> None:
        values = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in asdict(self).items()
        }
        if self.ensemble not in ENSEMBLES:
            raise InvalidSetting(
                f"unknown ensemble '{self.ensemble}'", hint=did_you_mean(str(self.ensemble), ENSEMBLES)
            )
        try:
            check_values("ranker 'pct'", parameter_schemas(GrowOptions), values)
        except UserError as error:
            raise InvalidSetting(error.what, hint=error.hint) from None
        if self.out_of_bag_error is not None and not self.draws_bootstrap:
            raise InvalidSetting(
                "out_of_bag_error is about out-of-bag examples, and trees without a bootstrap have none",
                hint="leave it out, or set bootstrap",
            )

    @property
    def draws_bootstrap(self) -> bool:
        """Whether each tree sees a bootstrap sample."""
        return self.ensemble != "extra-trees" if self.bootstrap is None else bool(self.bootstrap)

    def error_kind(self, hierarchical: bool) -> OutOfBagError:
        """Return the error of the permutation score, for labels in a hierarchy or for flat ones."""
        return self.out_of_bag_error or ("pooled-auprc" if hierarchical else "hamming-loss")

    def n_candidates(self, n_features: int) -> int:
        """Return how many features a node tries, in 1 .. n_features."""
        rule = self.max_features
        if rule is None:
            rule = "sqrt" if self.ensemble == "random-forest" else "all"
        if rule == "sqrt":
            return max(1, math.ceil(math.sqrt(n_features)))
        if rule == "log2":
            return max(1, (n_features - 1).bit_length())  # ceil(log2(F)), exactly
        if rule == "all":
            return n_features
        if isinstance(rule, float):
            rule = math.ceil(rule * n_features)
        return max(1, min(int(rule), n_features))  # type: ignore[arg-type]
