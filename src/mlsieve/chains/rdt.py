"""Dynamic and static classifier chains with random decision trees (RDT-DCC) as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.estimator import LabelChain, Progress
from mlsieve.chains.label_chains import Decision, by_label, predicted_sequence
from mlsieve.chains.random_trees import Redraw, grow_trees
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.data.validation import seed_from, thread_count
from mlsieve.errors import InvalidSetting
from mlsieve.registry import AtLeast, AtMost
from mlsieve.seeds import derive_seed


class RDTDynamicChain(LabelChain):
    """Classifier chains collapsed into one ensemble of random decision trees that test features and labels.

    The trees are grown once. Parameters of prediction (`order`, `decision`, `sigma`, `n_jobs`, and
    `random_state` for the random order) may be changed with ``set_params`` without a new ``fit``.

    Parameters
    ----------
    n_estimators : int, default 300
        Number of trees.
    max_depth : int, default 30
        A node at this depth is a leaf; the root is at depth 0.
    max_leaf_size : int, default 5
        A node of at most so many training rows is a leaf.
    label_test_probability : float, default 0.3
        Probability that a node tests a label. A label or a nominal feature is tested once a path, and has a
        branch for each value.
    order : {"dynamic", "random"} or sequence of int, default "dynamic"
        Which label is next. "dynamic": the one whose probability is farthest from 1/2 (eq. 15), for each
        example anew. "random": an order drawn with `random_state`, the same for all examples. A sequence
        lists the labels 0 to L - 1 in the order in which they are set.
    decision : {"eq16", "threshold"}, default "eq16"
        When a label is positive: by eq. 16, which ends with about as many labels as R, the expected
        cardinality; or if its probability is at least 1/2.
    sigma : float, default 1.0
        Share of each tree's label tests that are active. With 0 the labels do not depend on each other, which
        is binary relevance. The tests of a smaller share are among those of a larger one.
    redraw : {"thresholds", "all"}, default "thresholds"
        A numeric test with an empty branch is drawn again, up to ten times. With "all", so is a test of a
        label or a nominal feature that all rows of a node answer alike.
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ...; all numeric by default.
    random_state : int, RandomState, Generator or None, default 0
        Seed, non-negative; None is 0.
    n_jobs : int, default 1
        Threads; -1 for all cores. Does not change the result.

    Attributes
    ----------
    trees_ : mlsieve.chains.random_trees.RandomTrees
        The ensemble, whose labels are in the order of `label_order_`.
    label_order_ : ndarray of int, shape (L,)
        The labels in a seeded order by content. Of equally certain labels the first in this order is next,
        so that the result does not depend on the order of the labels.
    classes_, n_features_in_, feature_names_in_
        As of `mlsieve.chains.estimator.LabelChain`.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value (in sparse data an explicit NaN), and is followed into
    all branches when predicting. Probabilities are those at the moment when a label is set.

    Sections 4.1 to 4.3 of the paper on dynamic chains; see `mlsieve.chains.random_trees.grow_trees` and
    `mlsieve.chains.label_chains.predicted_sequence`.
    """

    def __init__(
        self,
        n_estimators: Annotated[int, AtLeast(1)] = 300,
        max_depth: Annotated[int, AtLeast(1)] = 30,
        max_leaf_size: Annotated[int, AtLeast(1)] = 5,
        label_test_probability: Annotated[float, AtLeast(0), AtMost(1)] = 0.3,
        order: Literal["dynamic", "random"] | Sequence[int] = "dynamic",
        decision: Decision = "eq16",
        sigma: Annotated[float, AtLeast(0), AtMost(1)] = 1.0,
        *,
        redraw: Redraw = "thresholds",
        nominal: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = 1,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_leaf_size = max_leaf_size
        self.label_test_probability = label_test_probability
        self.order = order
        self.decision = decision
        self.sigma = sigma
        self.redraw = redraw
        self.nominal = nominal
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        for name in ("n_estimators", "max_depth", "max_leaf_size"):
            _require_count(name, getattr(self, name))
        _require_share("label_test_probability", self.label_test_probability)
        _require_one_of("redraw", self.redraw, ("thresholds", "all"))
        self._check_prediction()
        self._seed = seed_from(self.random_state)
        self._label_digests = column_digests(labels)
        self.label_order_ = canonical_order(self._label_digests, self._seed)
        ordered = sp.csr_array(sp.csc_array(labels)[:, self.label_order_])
        ordered.sort_indices()
        counts = self._category_counts(X)
        self.trees_ = grow_trees(
            X,
            ordered,
            n_trees=int(self.n_estimators),
            discrete=counts > 0,
            category_counts=counts,
            label_share=float(self.label_test_probability),
            max_depth=int(self.max_depth),
            max_leaf=int(self.max_leaf_size),
            redraw=self.redraw,
            seed=self._seed,
            n_threads=thread_count(self.n_jobs),
            progress=progress,
        )

    def _predict(self, X: Any) -> ChainPrediction:
        self._check_prediction()
        self._category_counts(X)  # which refuses what is no category position
        order = self._chain_order()
        found = predicted_sequence(
            self.trees_,
            X,
            order=None if order is None else np.argsort(self.label_order_)[order],
            decision=self.decision,
            sigma=float(self.sigma),
            n_threads=thread_count(self.n_jobs),
        )
        labels = self.label_order_[found.labels].astype(np.int32)
        sequence = LabelSequence(labels, found.probabilities, found.positive, found.cardinality)
        return ChainPrediction(
            by_label(labels, found.positive), by_label(labels, found.probabilities), sequence
        )

    def _check_prediction(self) -> None:
        """Refuse parameters of prediction that are out of range."""
        _require_one_of("decision", self.decision, ("eq16", "threshold"))
        _require_share("sigma", self.sigma)
        if isinstance(self.order, str):
            _require_one_of("order", self.order, ("dynamic", "random"))

    def _chain_order(self) -> np.ndarray | None:
        """Return the labels in the order of a static chain, or None."""
        if isinstance(self.order, str):
            if self.order == "dynamic":
                return None
            state = self.random_state
            seed = int(state) if isinstance(state, (int, np.integer)) else self._seed
            return canonical_order(self._label_digests, derive_seed(seed, "order of a chain"))
        n_labels = len(self.label_order_)
        order = np.asarray(self.order)
        if order.shape != (n_labels,) or not np.array_equal(np.sort(order), np.arange(n_labels)):
            raise InvalidSetting(
                f"order = {self.order!r} does not hold each of the {n_labels} labels once",
                hint=f"give the numbers from 0 to {n_labels - 1}, 'dynamic' or 'random'",
            )
        return order.astype(np.int64)


def _require_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InvalidSetting(
            f"{name} must be a whole number of at least 1, got {value!r}", hint="give e.g. 30"
        )


def _require_share(name: str, value: Any) -> None:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise InvalidSetting(f"{name} must be a number from 0 to 1, got {value!r}", hint="give e.g. 0.3")


def _require_one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidSetting(
            f"{name} = {value!r} is unknown", hint="give " + " or ".join(f"'{each}'" for each in known)
        )
