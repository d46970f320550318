"""Baselines over single-label classifiers: binary relevance, classifier chains, label power set.

scikit-learn's ``MultiOutputClassifier`` and ``ClassifierChain`` do the same, but give all labels one seed,
fail where a label has one class in the training part, and do not train on a chain's own predictions of the
training part. The tests compare with them where they work.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.classifiers import (
    BASES,
    BoostedLabel,
    Constant,
    Fitted,
    boost_labels,
    check_base,
    fit_classifier,
    takes_sparse,
)
from mlsieve.chains.columns import ClassifierColumns, Rows
from mlsieve.chains.learner import Learner, Progress
from mlsieve.chains.orders import label_order, require_order
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.chains.stored.classifiers import classifiers_from, state_of_classifiers
from mlsieve.chains.xdcc import dynamic_order
from mlsieve.data.validation import MOST_CATEGORIES, label_set_classes, seed_from, thread_count
from mlsieve.errors import InvalidSetting
from mlsieve.files.checked import require_counts, require_json
from mlsieve.progress import expect
from mlsieve.registry import AtLeast, register
from mlsieve.registry.parameters import Keywords, MoreThan
from mlsieve.seeds import derive_seed

Base = Annotated[Any, Keywords(enum=list(BASES))]
Count = Annotated[int, AtLeast(1)]
NotNegative = Annotated[float, AtLeast(0)]
SHORT = {"trees": "n_estimators", "depth": "max_depth", "eta": "learning_rate", "lambda": "reg_lambda"}
_LARGEST_GROUP = 64  # labels that share XGBoost's bins: progress shows once a group
_SMOKE = {"base": "decision-tree", "max_depth": 3}


class _Baseline(Learner):
    """What the three share: the parameters of the classifier below, and how it is fitted.

    `with_base_parameters` puts them into the signature and the docstring of a subclass, after its own.

    Parameters
    ----------
    base : {"decision-tree", "random-forest", "xgboost", "ml-xgb"} or classifier, default "decision-tree"
        scikit-learn's trees, XGBoost (extra ``baselines``), `mlsieve.chains.MultiLabelXGB`, or any classifier
        of scikit-learn's interface, which is cloned and not fitted itself.
    n_estimators : int, default 100
        Trees of a forest, rounds of boosting.
    max_depth : int, optional
        Of a tree; None: no limit, for boosting 6.
    min_leaf : int, default 1
        Least number of examples in a leaf of a decision tree or random forest.
    learning_rate : float, default 0.3
        Of boosting.
    reg_lambda : float, default 1
        Of boosting: added to the sum of hessians.
    min_child_weight : float, default 1
        Of boosting: least sum of hessians in a child.
    definition : {"paper", "xdcc"}, default "paper"
        Of the base "ml-xgb", see `mlsieve.chains.MultiLabelXGB`; other bases do not take "xdcc".
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ...; all numeric by default. One of more than
        two categories becomes an indicator for each.
    random_state : int, RandomState, Generator or None, default 0
        Seed, non-negative; None: another one in each fit. That of each label is a hash of it and of the
        label's index.
    n_jobs : int, optional
        Threads; -1 for all cores. Does not change the result.
    """

    _id: str
    _classifiers: list[Constant | Fitted | BoostedLabel]  # in the order in which they predict

    def __init__(
        self,
        *,
        base: Base = "decision-tree",
        n_estimators: Count = 100,
        max_depth: Count | None = None,
        min_leaf: Count = 1,
        learning_rate: Annotated[float, MoreThan(0)] = 0.3,
        reg_lambda: NotNegative = 1.0,
        min_child_weight: NotNegative = 1.0,
        definition: Literal["paper", "xdcc"] = "paper",
        nominal: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = 1,
    ) -> None:
        self.base = base
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_leaf = min_leaf
        self.learning_rate = learning_rate
        self.reg_lambda = reg_lambda
        self.min_child_weight = min_child_weight
        self.definition = definition
        self.nominal = nominal
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def check_together(cls, parameters: Mapping[str, Any]) -> None:
        """Refuse values that are accepted one by one, but do not go together."""
        base, definition = parameters.get("base", "decision-tree"), parameters.get("definition", "paper")
        if definition != "paper" and base != "ml-xgb":
            raise InvalidSetting(
                f"definition = {definition!r} is not of base = {base!r}", hint="give base='ml-xgb'"
            )

    @classmethod
    def grows_in_rounds(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether a model with these parameters begins with those of fewer `n_estimators`."""
        base = parameters.get("base")
        return isinstance(base, str) and base == "ml-xgb"

    def first_rounds(self, n_rounds: int) -> Self:
        """Return the fitted learner that so many `n_estimators` would have given."""
        other: Any = copy.copy(self)
        other.n_estimators = n_rounds
        other._classifiers = [one.first_rounds(n_rounds) for one in other._classifiers]
        return other

    def _prepare(self, X: Any) -> None:
        """Check the parameters, and learn how rows are coded."""
        check_base(self.base)
        self._check_parameters(self._id, without=("base", "given"))
        self.check_together({"base": self.base, "definition": self.definition})
        self._seed, self._threads = seed_from(self.random_state), thread_count(self.n_jobs)
        single = isinstance(self.base, str) and self.base != "ml-xgb"
        names = getattr(self, "feature_names_in_", None)
        self._columns = ClassifierColumns(self._category_counts(X), takes_sparse(self.base), single, names)

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays = {"n_categories": self._columns.n_categories.astype(np.int32)}
        return arrays | state_of_classifiers(self._classifiers, self.base), {"sparse": self._columns.sparse}

    def _restore(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        self._check_parameters(self._id, without=("base", "given"))
        require_json(facts, {"sparse": bool}, ("sparse",))
        self._seed, self._threads = seed_from(self.random_state), thread_count(self.n_jobs)
        n_categories, names = arrays["n_categories"], getattr(self, "feature_names_in_", None)
        require_counts("numbers of categories", n_categories, self.n_features_in_, most=MOST_CATEGORIES)
        if self.base is not None:
            check_base(self.base)
        single = self.base is not None and self.base != "ml-xgb"
        self._columns = ClassifierColumns(n_categories.astype(np.int32), facts["sparse"], single, names)
        widths, n_classes = self._shapes(arrays)
        self.base, self._classifiers = classifiers_from(
            arrays,
            self.base,
            widths=widths,
            n_classes=n_classes,
            options=self._options(),
            alone=self._id == "br",
        )

    def _shapes(self, arrays: Mapping[str, np.ndarray]) -> tuple[list[int], int]:
        """Return how many columns each classifier of a file sees, and how many classes there are."""
        return [self._columns.width] * len(self.classes_), 2

    def _classifier(
        self, table: Any, classes: np.ndarray, *purpose: object, n_jobs: int = 1
    ) -> Constant | Fitted:
        """Fit a classifier, whose seed is a hash of its purpose."""
        seed = derive_seed(self._seed, *purpose)
        return fit_classifier(self.base, table, classes, self._options(), seed, n_jobs)

    def _options(self) -> dict[str, Any]:
        return {
            name: getattr(self, name)
            for name in (*SHORT.values(), "min_leaf", "min_child_weight", "definition")
        }

    def _each(
        self, call: Callable[[Any], Any], items: Iterable[Any], progress: Progress | None = None
    ) -> list[Any]:
        """Return what a function makes of each item; threads share them."""
        given, found = list(items), []
        if progress is not None:
            expect(len(given))
        with ThreadPoolExecutor(self._threads) as pool:
            for one in pool.map(call, given) if self._threads > 1 else map(call, given):
                found.append(one)
                if progress is not None:
                    progress(len(found), len(given))
        return found


Estimator = TypeVar("Estimator", bound=type[_Baseline])


def with_base_parameters(estimator: Estimator) -> Estimator:
    """Add the parameters of `_Baseline` to the signature and the docstring of a subclass, after its own."""
    init: Any = estimator.__init__
    shared = inspect.signature(_Baseline.__init__).parameters
    own = inspect.signature(init).parameters
    if init is not _Baseline.__init__:
        named = {name: one for name, one in own.items() if one.kind is not inspect.Parameter.VAR_KEYWORD}
        init.__signature__ = inspect.Signature(
            [*named.values(), *(shared[name] for name in shared if name not in own)]
        )
        init.__annotations__ = {**_Baseline.__init__.__annotations__, **init.__annotations__}
    described = (_Baseline.__doc__ or "").partition("----------\n")[2].strip()
    estimator.__doc__ = (estimator.__doc__ or "").replace("{base_parameters}", described)
    return estimator


@register.chain(
    "br",
    version=2,
    smoke=_SMOKE,
    short=SHORT,
    extras=("baselines",),
    at_once=True,
    doi="10.4018/jdwm.2007070101",
    estimator="mlsieve.chains:BinaryRelevance",
)
@with_base_parameters
class BinaryRelevanceLearner(_Baseline):
    """Binary relevance: a classifier for each label, which knows nothing of the others.

    A label is predicted whose probability is at least 1/2. A label that no or every training example has is
    predicted for none or for all.

    Parameters
    ----------
    {base_parameters}
    """

    _id = "br"

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._prepare(X)
        table, targets = self._columns.rows(X).table, labels.toarray().T

        def fit(label: int) -> Constant | Fitted:
            return self._classifier(table, targets[label], "label", label)

        def boost(first: int) -> list[Constant | BoostedLabel]:
            group = range(first, min(first + size, len(targets)))
            seeds = [derive_seed(self._seed, "label", label) for label in group]
            return boost_labels(table, targets[group], self._options(), seeds)

        if isinstance(self.base, str) and self.base == "xgboost":
            size = min(_LARGEST_GROUP, -(-len(targets) // self._threads))
            groups = self._each(boost, range(0, len(targets), size), progress)
            self._classifiers = [each for group in groups for each in group]
        else:
            self._classifiers = self._each(fit, range(len(targets)), progress)

    def _predict(self, X: Any) -> ChainPrediction:
        table = self._columns.rows(X).table

        def score(classifier: Constant | Fitted | BoostedLabel) -> np.ndarray:
            return classifier.probabilities(table, 2)[:, 1]

        scores = np.column_stack(self._each(score, self._classifiers))
        return ChainPrediction(scores >= 0.5, scores)


@register.chain(
    "cc",
    version=2,
    smoke=_SMOKE | {"order": "rare-first"},
    short=SHORT,
    extras=("baselines",),
    doi="10.1007/s10994-011-5256-5",
    estimator="mlsieve.chains:ClassifierChain",
)
@with_base_parameters
class ClassifierChainLearner(_Baseline):
    """Classifier chain: the classifier of each label also sees the labels before it in one static order.

    A label is predicted where its probability is at least 1/2. One that no or every training example has is
    predicted for none or for all.

    Parameters
    ----------
    order : {"random", "frequent-first", "rare-first", "given", "xdcc"}, default "random"
        Random: by a hash of the seed. Frequent or rare first: by the training examples with a label, equal
        ones by index. Given: as `given` has it, or by index. "xdcc": by the mean step in which the dynamic
        chain XDCC sets a label, see `mlsieve.chains.xdcc.dynamic_order`.
    given : array-like of int, shape (L,), or str, optional
        The labels in the order "given": each label's index once, from 0; as a text ``2,0,1`` or ``2:0:1``.
    propagate : {"true", "predicted", "probabilities"}, default "true"
        What a classifier sees of earlier labels. "true": the training examples' own while it learns, and what
        the classifiers before it predict, 0 or 1, for new examples (Read et al. 2011). "predicted": what they
        predict, for the training examples too (nested stacking, Senge et al. 2013). "probabilities": their
        probabilities, for the training examples too, as in the authors' program of XDCC.
    {base_parameters}
    """

    _id = "cc"

    def __init__(
        self,
        *,
        order: Literal["random", "frequent-first", "rare-first", "given", "xdcc"] = "random",
        given: Annotated[Any, Keywords(type=["string", "null"])] = None,
        propagate: Literal["true", "predicted", "probabilities"] = "true",
        **of_base: Any,
    ) -> None:
        super().__init__(**of_base)
        self.order = order
        self.given = given
        self.propagate = propagate

    @classmethod
    def grows_in_rounds(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether a model with these parameters begins with those of fewer `n_estimators`.

        It does not where later classifiers learn from what earlier ones predict.
        """
        return super().grows_in_rounds(parameters) and parameters.get("propagate", "true") == "true"

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._prepare(X)
        if self.order == "xdcc" and self.given is None:
            self.order_ = dynamic_order(X, labels, nominal=self._columns.n_categories > 0, seed=self._seed)
        else:
            self.order_ = label_order(self.order, labels.sum(axis=0), seed=self._seed, given=self.given)
        targets, rows = labels.toarray().T, self._columns.rows(X, len(self.order_))
        if self.propagate == "true":
            n_features = rows.table.shape[1]
            for label in self.order_:
                rows.add(targets[label])

            def fit(step: int) -> Constant | Fitted:
                label = self.order_[step]
                return self._classifier(rows.first(n_features + step), targets[label], "label", label)

            self._classifiers = self._each(fit, range(len(self.order_)), progress)
            return
        self._classifiers = []
        expect(len(self.order_))
        for step, label in enumerate(self.order_):
            classifier = self._classifier(rows.table, targets[label], "label", label, n_jobs=self._threads)
            self._classifiers.append(classifier)
            if step + 1 < len(self.order_):
                rows.add(self._passed_on(self._scores(classifier, rows)))
            if progress is not None:
                progress(step + 1, len(self.order_))

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays, facts = super()._state()
        return {**arrays, "order": self.order_.astype(np.int64)}, facts

    def _shapes(self, arrays: Mapping[str, np.ndarray]) -> tuple[list[int], int]:
        self.order_ = arrays["order"]
        require_order(self.order_)
        if len(self.order_) != len(self.classes_):
            raise ValueError("its order of the labels leaves one out")
        return [self._columns.width + step for step in range(len(self.order_))], 2

    def _passed_on(self, scores: np.ndarray) -> np.ndarray:
        """Return what later classifiers see of a label with these probabilities, shape (n,)."""
        return scores if self.propagate == "probabilities" else scores >= 0.5

    def _scores(self, classifier: Constant | Fitted | BoostedLabel, rows: Rows) -> np.ndarray:
        """Return the probability of the label for each row, shape (n,)."""
        return classifier.probabilities(rows.table, 2)[:, 1]

    def _predict(self, X: Any) -> ChainPrediction:
        rows = self._columns.rows(X, len(self.order_))
        steps = np.empty((X.shape[0], len(self.order_)))
        for step, classifier in enumerate(self._classifiers):
            steps[:, step] = self._scores(classifier, rows)
            rows.add(self._passed_on(steps[:, step]))
        positive, scores = steps >= 0.5, np.empty_like(steps)
        scores[:, self.order_] = steps
        order = np.tile(self.order_.astype(np.int32), (X.shape[0], 1))
        return ChainPrediction(scores >= 0.5, scores, LabelSequence(order, steps, positive))


@register.chain(
    "lp",
    version=1,
    smoke=_SMOKE,
    short=SHORT,
    extras=("baselines",),
    at_once=True,
    doi="10.4018/jdwm.2007070101",
    estimator="mlsieve.chains:LabelPowerset",
)
@with_base_parameters
class LabelPowersetLearner(_Baseline):
    """Label power set: one classifier whose classes are the label sets of the training part.

    It predicts the most probable set, the first in the order of the training rows on ties. It never predicts
    a set that no training example has: its subset accuracy is at most the share of the examples whose set it
    knows, and of other examples it can be right in some labels only. The probability of a label is the sum
    over the sets that contain it, so that the predicted set need not be the one of the labels above 1/2.

    Parameters
    ----------
    {base_parameters}
    """

    _id = "lp"

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        self._prepare(X)
        classes, n_sets = label_set_classes(labels)
        self.label_sets_ = np.zeros((n_sets, labels.shape[1]), bool)
        self.label_sets_[classes] = labels.toarray()
        table = self._columns.rows(X).table
        self._classifiers = [self._classifier(table, classes, "label sets", n_jobs=self._threads)]
        if progress is not None:
            progress(1, 1)

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays, facts = super()._state()
        return {**arrays, "label_sets": self.label_sets_}, facts

    def _shapes(self, arrays: Mapping[str, np.ndarray]) -> tuple[list[int], int]:
        self.label_sets_ = arrays["label_sets"]
        if self.label_sets_.ndim != 2 or self.label_sets_.dtype != np.bool_ or not len(self.label_sets_):
            raise ValueError("its label sets are none")
        if self.label_sets_.shape[1] != len(self.classes_):
            raise ValueError("its label sets are those of other labels")
        return [self._columns.width], len(self.label_sets_)

    def _predict(self, X: Any) -> ChainPrediction:
        of_sets = self._classifiers[0].probabilities(self._columns.rows(X).table, len(self.label_sets_))
        # A sum over sets, not a product of matrices, whose rounding depends on the machine.
        scores = np.zeros((X.shape[0], self.label_sets_.shape[1]))
        for column, members in zip(of_sets.T, self.label_sets_, strict=True):
            scores[:, members] += column[:, None]
        return ChainPrediction(self.label_sets_[np.argmax(of_sets, axis=1)], np.minimum(scores, 1.0))
