"""XDCC: a dynamic classifier chain of boosted trees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.common.logistic import expit
from mlsieve.chains.boosted import Boosting, Examples, HeldBack
from mlsieve.chains.boosted_trees import BoostedTrees
from mlsieve.chains.boosting.columns import dense_rows, join_columns, label_columns
from mlsieve.chains.boosting.contents import order_of_labels
from mlsieve.chains.boosting.parameters import SHORT, Split
from mlsieve.chains.learner import Progress
from mlsieve.chains.orders import mean_position_order, require_order
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.errors import InvalidSetting, number_of
from mlsieve.registry import AtLeast, register
from mlsieve.seeds import derive_seed

_BLOCK = 4096  # rows that are predicted at once


class DynamicChain:
    """The label features of some rows while a chain sets them.

    Parameters
    ----------
    n_rows : int
    order : ndarray of int, shape (L,)
        The labels: of equally likely ones, the first in this order is chosen.
    selection : {"unset", "all"}
    as_program : bool
        Whether only the label that a step chooses may change its value, and the last of equal ones is chosen.
    """

    def __init__(self, n_rows: int, order: np.ndarray, selection: str, as_program: bool = False) -> None:
        n_labels = len(order)
        self.order = order[::-1] if as_program else order
        self.values = np.full((n_rows, n_labels), np.nan)
        self.selection, self.as_program = selection, as_program
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
        likeliest = self.order[highest[:, self.order].argmax(axis=1)]
        least = lowest.argmin(axis=1) if self.as_program else self.order[lowest[:, self.order].argmin(axis=1)]
        label = np.where(highest.max(axis=1) >= 0.5, likeliest, least)
        chosen, new = probabilities[rows, label], ~is_set[rows, label]
        same_side = (self.values >= 0.5) == (probabilities >= 0.5)
        grown = is_set & same_side & (abs(probabilities - 0.5) > abs(self.values - 0.5))
        if self.as_program:
            grown &= np.arange(len(self.order)) == label[:, None]
        self.values[grown] = probabilities[grown]
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
            return self.before
        return np.where(unset, self.largest, self.values)


def _rows(X: Any, chain: DynamicChain) -> np.ndarray:
    """Return rows of features and of a chain's label features."""
    return np.ascontiguousarray(np.hstack([dense_rows(X), chain.values]))


@register.chain(
    "xdcc",
    version=5,
    doi="10.1007/s10994-022-06162-3",
    smoke={"n_estimators": 2, "max_depth": 2, "chain_length": 2},
    short=SHORT,
    estimator="mlsieve.chains:XDCC",
)
@dataclass(kw_only=True, eq=False, repr=False)
class XDCCLearner(Boosting):
    """Dynamic classifier chain of boosted trees (XDCC).

    Each step of the chain grows a model on the features and the labels set so far, whose features hold
    probabilities, and are missing before. Then each example sets one more label: the likeliest one if its
    probability is at least 1/2, else the least likely one (eq. 22). Labels that an example has set do not
    count in its split scores any more (separate and conquer).

    Parameters
    ----------
    {boosting}
    cumulate : {"running", "sum", "max", "none"}, default "running"
        What a label scores: "running", its largest probability in the steps up to the one that sets it, as in
        the authors' program; "sum", its value if it is set, else its largest probability in all steps
        (eq. 23); "max", its largest probability in all steps, set or not; "none", its value, and 0 if it is
        not set (the standard chain).
    selection : {"all", "unset"}, default "all"
        Whether an example chooses among all labels, as in the authors' program, or among those that it has
        not set (eq. 22).
    chain_length : int, "auto", "all" or None, default "auto"
        Steps of the chain. "auto": the mean number of labels of the rows that it learns from (the label
        cardinality), rounded up, and one more; with ``definition="xdcc"`` as "all". "all" or None: L, which
        is also the most. A fitted chain also predicts with fewer steps (`varied`).
    hide_in_leaves : bool, default False
        Whether labels that are set do not count in the values of leaves either, as in the authors' program.
    """

    split: Split = "max_gain"
    cumulate: Literal["running", "sum", "max", "none"] = "running"
    selection: Literal["all", "unset"] = "all"
    chain_length: Annotated[int, AtLeast(1)] | Literal["auto", "all"] | None = "auto"
    hide_in_leaves: bool = False

    _id: ClassVar[str] = "xdcc"
    _OF_PROGRAM: ClassVar[Mapping[str, tuple[Any, str]]] = {
        **Boosting._OF_PROGRAM,
        "selection": ("all", "which chooses among all labels"),
        "hide_in_leaves": (True, "which hides labels that are set"),
    }
    PREDICTION: ClassVar[tuple[str, ...]] = ("cumulate", "chain_length")

    def _check_prediction(self) -> None:
        self._check()
        n_steps, n_labels = len(self.trees_), len(self.base_margins_)
        if n_steps < min(self._length(n_steps), n_labels):
            raise InvalidSetting(
                f"chain_length = {self.chain_length}: the chain was fitted with {number_of(n_steps, 'step')}",
                hint="fit a longer chain, or give at most as many steps",
            )

    def _length(self, whole: int) -> int:
        """Return the steps of the chain, where a whole one has `whole`."""
        if self.chain_length == "auto":
            return min(whole, self._usual_length)
        return whole if self.chain_length is None or self.chain_length == "all" else self.chain_length

    def _chain(self, n_rows: int) -> DynamicChain:
        return DynamicChain(n_rows, self.label_order_, self.selection_, self.definition_ == "xdcc")

    def _learn(self, examples: Examples, held: Examples | None, progress: Progress | None) -> None:
        n_rows, n_labels = examples.truth.shape
        booster = self._booster(examples, self.hide_in_leaves or self.definition == "xdcc")
        columns = self._columns(examples, booster)
        self.base_margins_ = self._base_margins(examples)
        as_program, self.selection_ = self.definition == "xdcc", self.selection
        self._usual_length = n_labels if as_program else math.ceil(examples.truth.sum() / n_rows) + 1
        self.label_order_ = np.arange(n_labels)
        if self.definition != "xdcc":
            seed = derive_seed(self._seed, "labels")
            self.label_order_ = order_of_labels(booster, examples.truth, seed, examples.weights)
        chain = self._chain(n_rows)
        others = None if held is None else self._chain(len(held.truth))
        steps = min(self._length(n_labels), n_labels)
        n_columns, hidden = len(columns.feature), None
        self.trees_ = []
        for step in range(steps):
            known = columns
            if step > 0:
                lists, of_labels = label_columns(chain.values, examples.X.shape[1], self.label_order_)
                booster.set_columns(n_columns, *lists)
                known = join_columns(columns, of_labels)
                hidden = np.ascontiguousarray(chain.is_set, dtype=np.uint8)
            margins = np.tile(self.base_margins_, (n_rows, 1))
            watch = None
            if held is not None and others is not None and self.n_iter_no_change is not None:
                start = np.tile(self.base_margins_, (len(held.truth), 1))
                watch = HeldBack(_rows(held.X, others), start, held.truth, self.n_iter_no_change)

            def done(n: int, step: int = step) -> None:
                if progress is not None:
                    progress(step * self.n_estimators + n, steps * self.n_estimators)

            trees = self._model(booster, known, margins, examples, step, done, held=watch, hidden=hidden)
            self.trees_.append(trees)
            chain.step(expit(margins))
            if held is not None and others is not None:
                margins = np.tile(self.base_margins_, (len(held.truth), 1))
                trees.add_to(margins, _rows(held.X, others))
                others.step(expit(margins))
        self.n_iter_ = np.array([len(trees) for trees in self.trees_])

    @property
    def _models(self) -> list[BoostedTrees]:
        return self.trees_

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays, facts = super()._state()
        order = {"label_order": self.label_order_.astype(np.int64)}
        return {**arrays, **order}, {**facts, "usual_length": self._usual_length}

    def _restore(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        super()._restore(arrays, facts)
        self.selection_, self.label_order_ = self.selection, arrays["label_order"]
        self._usual_length = facts["usual_length"]
        if isinstance(self._usual_length, bool) or not isinstance(self._usual_length, int):
            raise ValueError("its usual length is no number")
        if self._usual_length < 1:
            raise ValueError("its usual length is less than one step")
        require_order(self.label_order_)
        if self.label_order_.shape != self.base_margins_.shape:
            raise ValueError("its order of the labels leaves one out")
        self._check_prediction()

    def _width(self, step: int) -> int:
        return self.n_features_in_ + len(self.base_margins_)

    def _take(self, models: list[BoostedTrees]) -> None:
        if not 0 < len(models) <= len(self.base_margins_):
            raise ValueError("its steps do not fit its labels")
        self.trees_ = models
        self.n_iter_ = np.array([len(trees) for trees in self.trees_])

    def _steps(self, X: Any) -> Iterator[tuple[DynamicChain, np.ndarray, np.ndarray]]:
        """Yield the state of the chain after each step, and the labels it set with their probabilities."""
        X = self._as_read(X)
        chain = self._chain(X.shape[0])
        for trees in self.trees_[: self._length(len(self.trees_))]:
            margins = np.tile(self.base_margins_, (X.shape[0], 1))
            trees.add_to(margins, _rows(X, chain))
            yield chain, *chain.step(expit(margins))

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

    def staged_scores(self, rows: Any) -> Iterator[np.ndarray]:
        """Yield the scores of the labels after each step, float64 of shape (n, L): those of shorter chains.

        Parameters
        ----------
        rows : ndarray of float64 or csr_array, shape (n, F)
        """
        if rows.shape[0] <= _BLOCK:
            blocks = [dense_rows(rows)]
        else:  # each is made dense at each step: together they may not fit into memory
            blocks = [rows[first : first + _BLOCK] for first in range(0, rows.shape[0], _BLOCK)]
        for states in zip(*map(self._steps, blocks), strict=True):
            yield np.concatenate([chain.scores(self.cumulate) for chain, _, _ in states])


def dynamic_order(X: Any, labels: sp.csr_array, *, nominal: Any = None, seed: int = 0) -> np.ndarray:
    """Return the labels by the mean step in which XDCC sets them for examples that it did not learn from.

    The chain sets every label (eq. 22), in ten rounds a step, and learns from four fifths of the examples.
    The others, at least one, are drawn. A single example is both.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
    labels : csr_array, shape (n, L)
        0/1.
    nominal : array-like, optional
        Nominal features (mask, indices, or names).
    seed : int

    Returns
    -------
    ndarray of int64, shape (L,)
        As of `mlsieve.chains.orders.mean_position_order`.
    """
    n, n_labels = labels.shape
    draw = np.random.Generator(np.random.Philox(derive_seed(seed, "examples of an order"))).permutation(n)
    held = np.sort(draw[: max(1, n // 5)])
    learnt = np.setdiff1d(draw, held) if n > 1 else held
    if n_labels == 1:
        return np.zeros(1, np.int64)
    chain = XDCCLearner(
        n_estimators=10,
        selection="unset",
        chain_length="all",
        nominal=nominal,
        random_state=derive_seed(seed, "chain of an order"),
    )
    chain.learn(X[learnt], labels[learnt], progress=lambda done, total: None)
    sequence = chain.predict_all(X[held]).sequence
    assert sequence is not None  # it is a chain
    return mean_position_order(sequence.labels, n_labels)
