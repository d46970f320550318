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
    """How trees are grown; `mlsieve.rankers.pct.PredictiveClusteringTrees` describes the fields."""

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


def no_hierarchy(setting: str, of: str = "these labels are flat") -> InvalidSetting:
    """Return the error of a setting for classes in a hierarchy that is given for flat labels."""
    return InvalidSetting(
        f"'{setting}' is about the classes of a hierarchy, and {of}",
        hint="leave it out, or give data with a hierarchy",
    )
