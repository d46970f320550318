"""Dynamic and static classifier chains with random decision trees (RDT-DCC)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.label_chains import ChainRules, Decision, by_label, predicted_sequences
from mlsieve.chains.learner import Learner, Progress
from mlsieve.chains.orders import label_order, require_order
from mlsieve.chains.random_trees import RandomTrees, Redraw, grow_trees
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.chains.stored.random_trees import state_of_trees, trees_from
from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.data.validation import seed_from, thread_count
from mlsieve.errors import InvalidSetting
from mlsieve.registry import AtLeast, AtMost, register
from mlsieve.registry.parameters import Keywords
from mlsieve.seeds import derive_seed

ID = "rdt-dcc"


@register.chain(
    ID,
    version=2,
    doi="10.1007/s10994-022-06162-3",
    smoke={"n_estimators": 20},
    short={"trees": "n_estimators", "depth": "max_depth", "label_tests": "label_test_probability"},
    unmet={
        "check_classifier_multioutput": "eq. 16 predicts about R labels, and not those of at least 1/2",
    },
    estimator="mlsieve.chains:RDTDynamicChain",
)
class RDTLearner(Learner):
    """Classifier chains collapsed into one ensemble of random decision trees that test features and labels.

    The trees are grown once. Parameters of prediction (`PREDICTION` and `n_jobs`) may be changed without new
    trees: see `varied`.

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
    order : {"dynamic", "likeliest-first", "random", "frequent-first", "rare-first", "given"}
        Which label is next. "dynamic", the default: for each example in turn, the label whose probability is
        farthest from 1/2 (eq. 15). "likeliest-first": the one with the highest probability (eq. 6). The
        others are static chains, the same for all examples: "random" is drawn with `order_seed`;
        "frequent-first" and "rare-first" go by the training examples with a label.
    given : array-like of int, shape (L,), or str, optional
        The labels in the order "given": each label's index once, from 0; as a text ``2,0,1`` or ``2:0:1``.
    order_seed : int, optional
        Seed of the order "random", at least 0; None: `random_state`. Several static chains come from the same
        trees by several of them.
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
        Seed of the trees, non-negative; None: another one in each fit.
    n_jobs : int, default 1
        Threads; -1 for all cores. Does not change the result.
    """

    _seed: int
    trees_: RandomTrees

    PREDICTION: ClassVar[tuple[str, ...]] = ("order", "given", "order_seed", "decision", "sigma")

    def __init__(
        self,
        n_estimators: Annotated[int, AtLeast(1)] = 300,
        max_depth: Annotated[int, AtLeast(1)] = 30,
        max_leaf_size: Annotated[int, AtLeast(1)] = 5,
        label_test_probability: Annotated[float, AtLeast(0), AtMost(1)] = 0.3,
        order: Literal[
            "dynamic", "likeliest-first", "random", "frequent-first", "rare-first", "given"
        ] = "dynamic",
        *,
        given: Annotated[Any, Keywords(type=["string", "null"])] = None,
        order_seed: Annotated[int, AtLeast(0)] | None = None,
        decision: Decision = "eq16",
        sigma: Annotated[float, AtLeast(0), AtMost(1)] = 1.0,
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
        self.given = given
        self.order_seed = order_seed
        self.decision = decision
        self.sigma = sigma
        self.redraw = redraw
        self.nominal = nominal
        self.random_state = random_state
        self.n_jobs = n_jobs

    def varied(self, **parameters: Any) -> Self:
        """Return a fitted chain of the same trees with other parameters of prediction.

        Parameters
        ----------
        **parameters
            Of `PREDICTION`, or `n_jobs`. Another `order` leaves out the labels `given` before.

        Raises
        ------
        InvalidSetting
            On another parameter, which would need new trees, or a value that is not accepted.
        """
        without = {"given": None} if "order" in parameters else {}
        return super().varied(**(without | parameters))

    def _check_prediction(self) -> None:
        self._check_parameters(ID, without=("given",))
        self._static_order(self.trees_.prior)

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._check_parameters(ID, without=("given",))
        self._seed = seed_from(self.random_state)
        self._label_digests = column_digests(labels)
        self.label_order_ = canonical_order(self._label_digests, self._seed)
        ordered = sp.csr_array(sp.csc_array(labels)[:, self.label_order_])
        ordered.sort_indices()
        self._static_order(ordered.sum(axis=0))  # which refuses wrong labels before the trees grow
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
        return self._each(X, [self])[0][0]

    def predict_each(
        self, X: Any, settings: Sequence[Mapping[str, Any]]
    ) -> list[tuple[ChainPrediction, float]]:
        if type(self)._predict is not RDTLearner._predict:  # a subclass predicts in its own way
            return super().predict_each(X, settings)
        return self._each(self._rows(X), [self.varied(**one) for one in settings])

    def _each(self, X: Any, chains: Sequence[RDTLearner]) -> list[tuple[ChainPrediction, float]]:
        rules, threads = [one._rules() for one in chains], thread_count(self.n_jobs)
        found = predicted_sequences(self.trees_, X, rules, n_threads=threads)
        return [(self._prediction(sequence), seconds) for sequence, seconds in found]

    def _rules(self) -> ChainRules:
        self._check_parameters(ID, without=("given",))
        return ChainRules(
            order=self._static_order(self.trees_.prior),
            next_label="probable" if self.order == "likeliest-first" else "certain",
            decision=self.decision,
            sigma=float(self.sigma),
        )

    def _prediction(self, found: LabelSequence) -> ChainPrediction:
        labels = self.label_order_[found.labels].astype(np.int32)
        sequence = LabelSequence(labels, found.probabilities, found.positive, found.cardinality)
        return ChainPrediction(
            by_label(labels, found.positive), by_label(labels, found.probabilities), sequence
        )

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays, facts = state_of_trees(self.trees_)
        orders = {"label_order": self.label_order_.astype(np.int64), "label_digests": self._label_digests}
        return {**arrays, **orders}, facts

    def _restore(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        self._check_parameters(ID, without=("given",))
        self._seed = seed_from(self.random_state)
        self.trees_ = trees_from(arrays, facts, self.n_features_in_)
        self.label_order_, self._label_digests = arrays["label_order"], arrays["label_digests"]
        for array in (self.label_order_, self._label_digests, self.classes_):
            if array.shape != (self.trees_.n_labels,):
                raise ValueError("its labels are not those of its trees")
        if self._label_digests.dtype != np.uint64:
            raise ValueError("its labels have no digests")
        require_order(self.label_order_)
        self._static_order(self.trees_.prior)

    def _static_order(self, counts: np.ndarray) -> np.ndarray | None:
        """Return the trees' labels in the order of a static chain, or None; `counts` are their examples."""
        if self.order in ("dynamic", "likeliest-first") and self.given is None:
            return None
        if self.order not in ("dynamic", "likeliest-first", "random"):
            order = label_order(self.order, counts, given=self.given)
            return np.argsort(self.label_order_)[order] if self.order == "given" else order
        if self.given is not None:
            raise InvalidSetting(
                f"an order of labels cannot be given with order = {self.order!r}", hint="set order to 'given'"
            )
        seed = self._seed if self.order_seed is None else int(self.order_seed)
        drawn = canonical_order(self._label_digests, derive_seed(seed, "order of a chain"))
        return np.argsort(self.label_order_)[drawn]
