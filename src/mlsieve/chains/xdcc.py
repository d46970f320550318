"""XDCC: a dynamic classifier chain of boosted trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted, validate_data

from mlsieve.chains.boosted import OF_BOOSTING, SHORT, BoostedChain, BoostedTrees, Split
from mlsieve.chains.boosting_columns import dense_rows, join_columns, label_columns
from mlsieve.chains.estimator import Progress
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.data.validation import FLOAT_ROWS
from mlsieve.registry import AtLeast, register

_BLOCK = 4096  # rows that are predicted at once


class DynamicChain:
    """The label features of some rows while a chain sets them.

    Parameters
    ----------
    n_rows, n_labels : int
    selection : {"unset", "all"}
    """

    def __init__(self, n_rows: int, n_labels: int, selection: str) -> None:
        self.values = np.full((n_rows, n_labels), np.nan)
        self.selection = selection
        # The largest probability in all steps, and in those until the label is set.
        self.largest = np.zeros((n_rows, n_labels))
        self.before = np.zeros((n_rows, n_labels))

    @property
    def is_set(self) -> np.ndarray:
        """Which labels have a value, bool of shape (n, L)."""
        return ~np.isnan(self.values)

    def step(self, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Set each row's next label, and update those whose certainty has grown.

        Parameters
        ----------
        probabilities : ndarray of float64, shape (n, L)

        Returns
        -------
        label : ndarray of int32, shape (n,)
            -1 where no label is set for the first time.
        probability : ndarray of float64, shape (n,)
            NaN where none is.
        """
        is_set, rows = self.is_set, np.arange(len(probabilities))
        self.largest = np.maximum(self.largest, probabilities)
        self.before = np.where(is_set, self.before, np.maximum(self.before, probabilities))
        taken = is_set if self.selection == "unset" else np.zeros_like(is_set)
        highest = np.where(taken, -np.inf, probabilities)
        lowest = np.where(taken, np.inf, probabilities)
        label = np.where(highest.max(axis=1) >= 0.5, highest.argmax(axis=1), lowest.argmin(axis=1))
        chosen, new = probabilities[rows, label], ~is_set[rows, label]
        same_side = (self.values >= 0.5) == (probabilities >= 0.5)
        grown = is_set & same_side & (abs(probabilities - 0.5) > abs(self.values - 0.5))
        again = ~new & same_side[rows, label]
        self.values[grown] = probabilities[grown]
        self.values[rows[again], label[again]] = chosen[again]
        if self.selection == "unset":
            new &= ~is_set.all(axis=1)
        self.values[rows[new], label[new]] = chosen[new]
        return np.where(new, label, -1).astype(np.int32), np.where(new, chosen, np.nan)

    def scores(self, cumulate: str) -> np.ndarray:
        """Return the scores of the labels after the steps so far, float64 of shape (n, L)."""
        unset = np.isnan(self.values)
        if cumulate == "none":
            return np.where(unset, 0.0, self.values)
        if cumulate == "max":
            return self.largest
        if cumulate == "running":
            return np.where(unset, self.before, np.fmax(self.before, self.values))
        return np.where(unset, self.largest, self.values)


@register.chain(
    "xdcc",
    version=1,
    doi="10.1007/s10994-022-06162-3",
    smoke={"n_estimators": 2, "max_depth": 2, "chain_length": 2},
    short=SHORT,
)
class XDCC(BoostedChain):
    """Dynamic classifier chain of boosted trees (XDCC).

    Each step of the chain grows a model on the features and the labels set so far, whose features hold
    probabilities, and are missing before. Then each example sets one more label: the likeliest one if its
    probability is at least 1/2, else the least likely one (eq. 22). Labels that an example has set do not
    count in its split scores any more (separate and conquer).

    Parameters
    ----------
    n_estimators : int, default 10
        Rounds of boosting of each step of the chain.
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
    split : {"max_gain", "sum_gain", "sum_signed", "max_signed", "sum_abs", "max_abs"}, default "max_gain"
        Score of a node, as for `MultiLabelXGB`.
    cumulate : {"sum", "max", "running", "none"}, default "sum"
        What a label scores that an example has not set: its largest probability in all steps ("sum", eq. 23),
        or nothing ("none", the standard chain). "max": the largest probability of every label, set or not.
        "running": the largest up to the step that sets the label, or its value if that is larger.
    selection : {"unset", "all"}, default "unset"
        Whether an example chooses among the labels that it has not set, or among all, as the authors'
        program does.
    chain_length : int or "all", default "all"
        Steps of the chain; at most L. A fitted chain also predicts with fewer steps (`set_params`).
    hide_in_leaves : bool, default False
        Whether labels that are set do not count in the values of leaves either, as in the authors' program.
    max_bins : int, optional
        Most distinct values of a numeric feature; None: tests of all values (exact search).
    subsample, colsample : float, default 1
        Share of the rows, and of the columns, that each tree sees.
    definition : {"paper", "xdcc"}, default "paper"
        As for `MultiLabelXGB`; "xdcc" also sets `selection` to "all" and `hide_in_leaves`.
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ...; a test is of one category.
    random_state : int or numpy generator, optional
        Of the samples.

    Attributes
    ----------
    trees_ : list of BoostedTrees
        The model of each step.
    base_margins_ : ndarray of float32, shape (L,)
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value. A value that a label has keeps its side of 1/2; it
    changes in later steps whose probability is more certain. Loza Mencia et al., section 5.3.
    """

    _id = "xdcc"
    _names = (*OF_BOOSTING, "cumulate", "selection", "chain_length", "hide_in_leaves")

    def __init__(
        self,
        *,
        n_estimators: Annotated[int, AtLeast(1)] = 10,
        max_depth: Annotated[int, AtLeast(1)] = 6,
        learning_rate: Annotated[float, AtLeast(0)] = 0.3,
        reg_lambda: Annotated[float, AtLeast(0)] = 1.0,
        gamma: Annotated[float, AtLeast(0)] = 0.0,
        min_child_weight: Annotated[float, AtLeast(0)] = 1.0,
        min_child_weight_of: Literal["counted", "every"] = "counted",
        split: Split = "max_gain",
        cumulate: Literal["sum", "max", "running", "none"] = "sum",
        selection: Literal["unset", "all"] = "unset",
        chain_length: Annotated[int, AtLeast(1)] | Literal["all"] = "all",
        hide_in_leaves: bool = False,
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
        self.cumulate = cumulate
        self.selection = selection
        self.chain_length = chain_length
        self.hide_in_leaves = hide_in_leaves
        self.max_bins = max_bins
        self.subsample = subsample
        self.colsample = colsample
        self.definition = definition
        self.nominal = nominal
        self.random_state = random_state

    def _chain(self, n_rows: int) -> DynamicChain:
        selection = "all" if self.definition == "xdcc" else self.selection
        return DynamicChain(n_rows, len(self.base_margins_), selection)

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._check()
        columns = self._columns(X)
        truth = np.ascontiguousarray(labels.toarray(), dtype=np.uint8)
        n_rows, n_labels = truth.shape
        booster = self._booster(n_rows, n_labels, self.hide_in_leaves or self.definition == "xdcc")
        booster.set_columns(0, *columns.lists)
        self.base_margins_ = self._base_margins(truth)
        chain = self._chain(n_rows)
        steps = n_labels if self.chain_length == "all" else min(self.chain_length, n_labels)
        n_columns, hidden = len(columns.feature), None
        self.trees_ = []
        for step in range(steps):
            known = columns
            if step > 0:
                of_labels = label_columns(chain.values, X.shape[1])
                booster.set_columns(n_columns, *of_labels.lists)
                known = join_columns(columns, of_labels)
                hidden = np.ascontiguousarray(chain.is_set, dtype=np.uint8)
            margins = np.tile(self.base_margins_, (n_rows, 1))
            trees = []
            for tree in self._rounds(
                booster, margins, truth, len(known.feature), "chain", step, hidden=hidden
            ):
                trees.append({**tree, **known.nodes(tree)})
                if progress is not None:
                    progress(step * self.n_estimators + len(trees), steps * self.n_estimators)
            self.trees_.append(BoostedTrees.joined(trees))
            chain.step(expit(margins).astype(np.float64))

    def _steps(self, X: np.ndarray) -> Iterator[tuple[DynamicChain, np.ndarray, np.ndarray]]:
        """Yield the state of the chain after each step, and the labels it set with their probabilities."""
        chain = self._chain(len(X))
        length = len(self.trees_) if self.chain_length == "all" else self.chain_length
        for trees in self.trees_[:length]:
            margins = np.tile(self.base_margins_, (len(X), 1))
            trees.add_to(margins, np.ascontiguousarray(np.hstack([X, chain.values])))
            yield chain, *chain.step(expit(margins).astype(np.float64))

    def _predict(self, X: Any) -> ChainPrediction:
        parts = []
        for first in range(0, X.shape[0], _BLOCK):
            labels, probabilities = [], []
            scores = np.zeros(0)
            for chain, label, probability in self._steps(dense_rows(X[first : first + _BLOCK])):
                labels.append(label)
                probabilities.append(probability)
                scores = chain.scores(self.cumulate)
            parts.append((scores, np.stack(labels, axis=1), np.stack(probabilities, axis=1)))
        scores, of_steps, chosen = (np.concatenate(part) for part in zip(*parts, strict=True))
        return ChainPrediction(scores >= 0.5, scores, LabelSequence(of_steps, chosen, chosen >= 0.5))

    def staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the scores of the labels after each step, float64 of shape (n, L): those of shorter chains.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        """
        check_is_fitted(self)
        rows = dense_rows(validate_data(self, X, reset=False, **FLOAT_ROWS))
        for chain, _, _ in self._steps(rows):
            yield chain.scores(self.cumulate)
