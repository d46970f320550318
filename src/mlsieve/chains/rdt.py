"""Dynamic and static classifier chains with random decision trees (RDT-DCC) as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mlsieve.chains.estimator import LabelChain, Progress
from mlsieve.chains.label_chains import Decision, by_label, predicted_sequence
from mlsieve.chains.orders import label_order
from mlsieve.chains.random_tree_files import read_trees, write_trees
from mlsieve.chains.random_trees import Redraw, grow_trees
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.data.validation import nominal_mask, seed_from, thread_count
from mlsieve.errors import InvalidSetting
from mlsieve.files.arrays import complete
from mlsieve.registry import AtLeast, AtMost, lookup, register
from mlsieve.registry.parameters import Keywords
from mlsieve.seeds import derive_seed

_ID, _KIND = "rdt-dcc", "chain"


@register.chain(
    _ID,
    version=1,
    doi="10.1007/s10994-022-06162-3",
    smoke={"n_estimators": 20},
    short={"trees": "n_estimators", "depth": "max_depth", "label_tests": "label_test_probability"},
    unmet={
        "check_classifier_multioutput": "eq. 16 predicts about R labels, and not those of at least 1/2",
    },
)
class RDTDynamicChain(LabelChain):
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
    order : {"dynamic", "random", "frequent-first", "rare-first", "given"}, default "dynamic"
        Which label is next. "dynamic": the one whose probability is farthest from 1/2 (eq. 15), for each
        example in turn. The others are static chains, the same for all examples: "random" is drawn with
        `order_seed`; "frequent-first" and "rare-first" go by the training examples with a label.
    given : array-like of int, shape (L,), or str, optional
        The labels in the order "given": each label's index once, from 0; as a text ``2:0:1``.
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
        Seed of the trees, non-negative; None is 0.
    n_jobs : int, default 1
        Threads; -1 for all cores. Does not change the result.

    Attributes
    ----------
    trees_ : mlsieve.chains.random_trees.RandomTrees
        The ensemble, whose labels are in the order of `label_order_`.
    label_order_ : ndarray of int, shape (L,)
        The labels in a seeded order by content. Of equally certain labels the first in this order is next,
        so that the result does not depend on the order of the labels.
    facts_ : dict
        Of a chain that was loaded: the facts that `save` was given.
    classes_, n_features_in_, feature_names_in_
        As of `mlsieve.chains.estimator.LabelChain`.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value (in sparse data an explicit NaN), and is followed into
    all branches when predicting. Probabilities are those at the moment when a label is set; with eq. 16 the
    predicted labels are not always those of at least 1/2.

    Sections 4.1 to 4.3 of the paper on dynamic chains; see `mlsieve.chains.random_trees.grow_trees` and
    `mlsieve.chains.label_chains.predicted_sequence`.
    """

    PREDICTION: ClassVar[tuple[str, ...]] = ("order", "given", "order_seed", "decision", "sigma")

    def __init__(
        self,
        n_estimators: Annotated[int, AtLeast(1)] = 300,
        max_depth: Annotated[int, AtLeast(1)] = 30,
        max_leaf_size: Annotated[int, AtLeast(1)] = 5,
        label_test_probability: Annotated[float, AtLeast(0), AtMost(1)] = 0.3,
        order: Literal["dynamic", "random", "frequent-first", "rare-first", "given"] = "dynamic",
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

    def varied(self, **parameters: Any) -> RDTDynamicChain:
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
        self._check_parameters(_ID, without=("given",))
        self._static_order(self.trees_.prior)

    def save(self, path: str | os.PathLike[str], facts: Mapping[str, Any] | None = None) -> None:
        """Write the fitted chain to an .npz file (no pickles, checksum inside).

        Parameters
        ----------
        path : path-like
        facts : mapping, optional
            Values of JSON that `load` puts into ``facts_``.
        """
        check_is_fitted(self)
        own = {name: getattr(self, name) for name in (*lookup("chain", _ID).own_parameters(), "nominal")}
        own = {name: one.item() if isinstance(one, np.generic) else one for name, one in own.items()}
        if self.given is not None:
            own["given"] = label_order("given", self.trees_.prior, given=self.given).tolist()
        names = getattr(self, "feature_names_in_", None)
        if self.nominal is not None:
            own["nominal"] = nominal_mask(self.nominal, self.n_features_in_, names).tolist()
        header = {
            "method": _ID,
            "parameters": {**own, "random_state": self._seed},
            "multi_label": self._multi_label,
            "feature_names": None if names is None else names.tolist(),
            "facts": dict(facts or {}),
        }
        arrays = {
            "label_order": self.label_order_.astype(np.int64),
            "label_digests": self._label_digests,
            "classes": np.asarray(self.classes_.tolist()),
        }
        write_trees(path, _KIND, self.trees_, arrays, header)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RDTDynamicChain:
        """Return the fitted chain that `save` wrote, with its parameters and one thread.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        UserError
            If the file is missing, damaged, or not a chain of random decision trees.
        """
        trees, arrays, header = read_trees(path, _KIND)
        with complete(path, _KIND, "fit it again"):
            if header["method"] != _ID:
                raise ValueError(f"it is of the method {header['method']}")
            chain = cls(**header["parameters"])
            chain._check_parameters(_ID, without=("given",))
            chain._seed = seed_from(chain.random_state)
            chain.trees_, chain.label_order_ = trees, arrays["label_order"]
            chain.n_features_in_, chain.facts_ = trees.n_features, dict(header["facts"])
            chain.classes_, chain._multi_label = arrays["classes"], bool(header["multi_label"])
            chain._label_digests = arrays["label_digests"]
            if header["feature_names"] is not None:
                chain.feature_names_in_ = np.array(header["feature_names"], dtype=object)
            for array in (chain.label_order_, chain._label_digests, chain.classes_):
                if array.shape != (trees.n_labels,):
                    raise ValueError("its labels are not those of its trees")
            if not np.array_equal(np.sort(chain.label_order_), np.arange(trees.n_labels)):
                raise ValueError("its order of the labels leaves one out")
            chain._static_order(trees.prior)
        return chain

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._check_parameters(_ID, without=("given",))
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
        self._check_parameters(_ID, without=("given",))
        self._category_counts(X)  # which refuses what is no category position
        found = predicted_sequence(
            self.trees_,
            X,
            order=self._static_order(self.trees_.prior),
            decision=self.decision,
            sigma=float(self.sigma),
            n_threads=thread_count(self.n_jobs),
        )
        labels = self.label_order_[found.labels].astype(np.int32)
        sequence = LabelSequence(labels, found.probabilities, found.positive, found.cardinality)
        return ChainPrediction(
            by_label(labels, found.positive), by_label(labels, found.probabilities), sequence
        )

    def _static_order(self, counts: np.ndarray) -> np.ndarray | None:
        """Return the trees' labels in the order of a static chain, or None; `counts` are their examples."""
        if self.order == "dynamic" and self.given is None:
            return None
        if self.order not in ("dynamic", "random"):
            order = label_order(self.order, counts, given=self.given)
            return np.argsort(self.label_order_)[order] if self.order == "given" else order
        if self.given is not None:
            raise InvalidSetting(
                f"given labels do not go with order = {self.order!r}", hint="set order to 'given'"
            )
        seed = self._seed if self.order_seed is None else int(self.order_seed)
        drawn = canonical_order(self._label_digests, derive_seed(seed, "order of a chain"))
        return np.argsort(self.label_order_)[drawn]
