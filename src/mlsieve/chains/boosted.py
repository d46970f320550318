"""ML-XGB: gradient boosting of trees with a vector of label values in each leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, logit

from mlsieve._kernels.boosting.boosted_prediction import add_margins
from mlsieve._kernels.boosting.booster import SCORES, Booster
from mlsieve.chains.boosting_columns import BoostingColumns, boosting_columns, dense_rows
from mlsieve.chains.estimator import LabelChain, Progress
from mlsieve.chains.sequence import ChainPrediction
from mlsieve.data.validation import seed_from
from mlsieve.errors import InvalidSetting, UserError
from mlsieve.registry import AtLeast, check_parameters, register
from mlsieve.seeds import derive_seed

Split = Literal["sum_gain", "max_gain", "sum_signed", "max_signed", "sum_abs", "max_abs"]
SHORT = {"rounds": "n_estimators", "depth": "max_depth", "eta": "learning_rate", "lambda": "reg_lambda"}
_BLOCK = 4096  # rows that are predicted at once: sparse ones are made dense
# The parameters that both estimators have.
OF_BOOSTING = (
    *("n_estimators", "max_depth", "learning_rate", "reg_lambda", "gamma", "min_child_weight"),
    *("min_child_weight_of", "split", "max_bins", "subsample", "colsample", "definition"),
)
_XDCC_MARGIN = 0.5  # where the authors' program starts; its probability is 0.6225


@dataclass(frozen=True)
class BoostedTrees:
    """Trees in the order in which they were grown; the arrays are those of `add_margins`."""

    root: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    kind: np.ndarray
    yes: np.ndarray
    no: np.ndarray
    leaf: np.ndarray
    values: np.ndarray
    gain: np.ndarray
    cover: np.ndarray

    @classmethod
    def joined(cls, trees: list[dict[str, np.ndarray]]) -> BoostedTrees:
        """Join trees that have ``feature``, ``threshold`` and ``kind`` by value."""
        nodes = np.cumsum([0, *(len(tree["feature"]) for tree in trees)], dtype=np.int64)
        leaves = np.cumsum([0, *(len(tree["values"]) for tree in trees)], dtype=np.int64)
        leaf = np.concatenate([tree["leaf"] + first for tree, first in zip(trees, leaves, strict=False)])
        names = ("feature", "threshold", "kind", "yes", "no", "values", "gain", "cover")
        parts = {name: np.concatenate([tree[name] for tree in trees]) for name in names}
        return cls(root=nodes, leaf=leaf.astype(np.int64), **parts)

    def __len__(self) -> int:
        return len(self.root) - 1

    def add_to(self, margins: np.ndarray, X: np.ndarray, first: int = 0, last: int | None = None) -> None:
        """Add the values of trees to margins, float32 of shape (n, L), of rows X, float64 of shape (n, F)."""
        last = len(self) if last is None else last
        arrays = (self.root, self.feature, self.threshold, self.kind, self.yes, self.no, self.leaf)
        add_margins(X, *arrays, self.values, first, last, margins)


class BoostedChain(LabelChain):
    """What the two boosting estimators share: their parameters, and the rounds of one booster."""

    n_estimators: int
    max_depth: int
    learning_rate: float
    reg_lambda: float
    gamma: float
    min_child_weight: float
    min_child_weight_of: str
    split: str
    max_bins: int | None
    subsample: float
    colsample: float
    definition: str
    random_state: Any

    _id: str
    _names: tuple[str, ...]

    def _check(self) -> None:
        """Refuse values that the registered parameters do not accept."""
        names = {long: short for short, long in SHORT.items()}
        values = {names.get(name, name): getattr(self, name) for name in self._names}
        try:
            check_parameters("chain", self._id, values)
        except UserError as error:
            raise InvalidSetting(error.what, hint=error.hint) from None
        for name in ("subsample", "colsample"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise InvalidSetting(
                    f"{name} = {getattr(self, name)!r} is not a share",
                    hint="give a number above 0 and up to 1",
                )

    def _columns(self, X: Any) -> BoostingColumns:
        self._seed = seed_from(self.random_state)
        return boosting_columns(
            X, self._category_counts(X), max_bins=self.max_bins, order_seed=derive_seed(self._seed, "columns")
        )

    def _booster(self, n_rows: int, n_labels: int, hide_in_leaves: bool = False) -> Booster:
        as_program = self.definition == "xdcc"
        return Booster(
            n_rows,
            n_labels,
            score=SCORES.index(self.split),
            max_depth=self.max_depth,
            learning_rate=self.learning_rate,
            reg_lambda=self.reg_lambda,
            gamma=0.0 if as_program else self.gamma,
            min_child_weight=self.min_child_weight,
            every_label=as_program or self.min_child_weight_of == "every",
            hide_in_leaves=hide_in_leaves,
        )

    def _base_margins(self, labels: np.ndarray) -> np.ndarray:
        """Return where boosting starts, float32 of shape (L,): the margin of each label's frequency."""
        if self.definition == "xdcc":
            return np.full(labels.shape[1], _XDCC_MARGIN, np.float32)
        n = len(labels)
        # As if half an example more were positive, and half negative: no margin is infinite.
        return logit((labels.sum(axis=0) + 0.5) / (n + 1.0)).astype(np.float32)

    def _rounds(
        self,
        booster: Booster,
        margins: np.ndarray,
        labels: np.ndarray,
        n_columns: int,
        *purpose: object,
        hidden: np.ndarray | None = None,
    ) -> Iterator[Mapping[str, np.ndarray]]:
        """Yield the trees of one model, grown on margins that change."""
        for number in range(self.n_estimators):
            rng = np.random.default_rng(derive_seed(self._seed, *purpose, "round", number))
            weights = columns = None
            if self.subsample < 1.0:
                drawn = rng.permutation(len(labels)) < max(1, round(self.subsample * len(labels)))
                weights = np.repeat(drawn.astype(np.float32)[:, None], labels.shape[1], axis=1)
            if self.colsample < 1.0:
                share = max(1, round(self.colsample * n_columns))
                columns = (rng.permutation(n_columns) < share).astype(np.uint8)
            yield booster.grow(margins, labels, weights, hidden, columns)


@register.chain(
    "ml-xgb",
    version=1,
    doi="10.1007/s10994-022-06162-3",
    smoke={"n_estimators": 2, "max_depth": 2},
    short=SHORT,
)
class MultiLabelXGB(BoostedChain):
    """Gradient boosting whose trees hold a value for each label in every leaf (ML-XGB).

    A label is predicted whose probability is at least 1/2. The trees minimise the logistic loss of all labels
    by gradients g = p - y and hessians h = p (1 - p); a leaf holds -eta G / (H + lambda) for each label.

    Parameters
    ----------
    n_estimators : int, default 20
        Rounds of boosting; each grows one tree.
    max_depth : int, default 6
    learning_rate : float, default 0.3
        Factor eta of the leaves.
    reg_lambda : float, default 1
        Added to the sum of hessians.
    gamma : float, default 0
        What a division has to gain more than 1e-6.
    min_child_weight : float, default 1
        Sum of a label's hessians from which on it counts in the score of a child.
    min_child_weight_of : {"counted", "every"}, default "counted"
        Whether a test is allowed as soon as some label counts, or only if every label does in both children.
    split : {"sum_gain", "max_gain", "sum_signed", "max_signed", "sum_abs", "max_abs"}, default "sum_gain"
        Score of a node: sum or maximum over the labels of G^2, -G or abs(G), divided by H + lambda.
    max_bins : int, optional
        Most distinct values of a numeric feature; None: tests of all values (exact search).
    subsample, colsample : float, default 1
        Share of the rows, and of the columns, that each tree sees.
    definition : {"paper", "xdcc"}, default "paper"
        "xdcc": as the authors' program has it. Margins start at 0.5 rather than at the frequencies of the
        labels, gamma is ignored, and `min_child_weight_of` is "every".
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ...; a test is of one category.
    random_state : int or numpy generator, optional
        Of the samples.

    Attributes
    ----------
    trees_ : BoostedTrees
    base_margins_ : ndarray of float32, shape (L,)
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value. Missing cells go to the side that gains more, and a test
    may be of missing cells against known ones. Loza Mencia et al., section 5.2.
    """

    _id = "ml-xgb"
    _names = OF_BOOSTING

    def __init__(
        self,
        *,
        n_estimators: Annotated[int, AtLeast(1)] = 20,
        max_depth: Annotated[int, AtLeast(1)] = 6,
        learning_rate: Annotated[float, AtLeast(0)] = 0.3,
        reg_lambda: Annotated[float, AtLeast(0)] = 1.0,
        gamma: Annotated[float, AtLeast(0)] = 0.0,
        min_child_weight: Annotated[float, AtLeast(0)] = 1.0,
        min_child_weight_of: Literal["counted", "every"] = "counted",
        split: Split = "sum_gain",
        max_bins: Annotated[int, AtLeast(2)] | None = None,
        subsample: Annotated[float, AtLeast(0)] = 1.0,
        colsample: Annotated[float, AtLeast(0)] = 1.0,
        definition: Literal["paper", "xdcc"] = "paper",
        nominal: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.reg_lambda = reg_lambda
        self.gamma = gamma
        self.min_child_weight = min_child_weight
        self.min_child_weight_of = min_child_weight_of
        self.split = split
        self.max_bins = max_bins
        self.subsample = subsample
        self.colsample = colsample
        self.definition = definition
        self.nominal = nominal
        self.random_state = random_state

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._check()
        columns = self._columns(X)
        truth = np.ascontiguousarray(labels.toarray(), dtype=np.uint8)
        booster = self._booster(*truth.shape)
        booster.set_columns(0, *columns.lists)
        self.base_margins_ = self._base_margins(truth)
        margins = np.tile(self.base_margins_, (len(truth), 1))
        trees = []
        for tree in self._rounds(booster, margins, truth, len(columns.feature), "chain", 0):
            trees.append({**tree, **columns.nodes(tree)})
            if progress is not None:
                progress(len(trees), self.n_estimators)
        self.trees_ = BoostedTrees.joined(trees)

    def _predict(self, X: Any) -> ChainPrediction:
        margins = np.tile(self.base_margins_, (X.shape[0], 1))
        for first in range(0, X.shape[0], _BLOCK):
            block = slice(first, first + _BLOCK)
            self.trees_.add_to(margins[block], dense_rows(X[block]))
        probabilities = expit(margins).astype(np.float64)
        return ChainPrediction(probabilities >= 0.5, probabilities)
