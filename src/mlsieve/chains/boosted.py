"""ML-XGB: gradient boosting of trees with a vector of label values in each leaf."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.boosting.booster import SCORES, Booster
from mlsieve._kernels.common.logistic import expit, logit
from mlsieve.chains.boosted_trees import BoostedTrees
from mlsieve.chains.boosting.columns import BoostingColumns, boosting_columns, dense_rows
from mlsieve.chains.boosting.contents import row_contents
from mlsieve.chains.boosting.parameters import SHORT, BoostingParameters
from mlsieve.chains.columns import require_single_precision
from mlsieve.chains.learner import Learner, Progress
from mlsieve.chains.sequence import ChainPrediction
from mlsieve.chains.stored.boosted import models_from, state_of_models
from mlsieve.data.validation import seed_from, thread_count
from mlsieve.errors import InvalidSetting, number_of
from mlsieve.files.checked import require_finite
from mlsieve.registry import register
from mlsieve.seeds import derive_seed

IMPORTANCES = ("gain", "cover", "splits")
# Sums in single precision do not find the best test if lambda and min_child_weight are below this share of
# the largest weight: a label without hessians in a child would score what rounding leaves of its gradients.
_FAINT = 0.01
_BLOCK = 4096  # rows that are predicted at once: sparse ones are made dense
_XDCC_MARGIN = 0.5  # where the authors' program starts; its probability is 0.6225


@dataclass(frozen=True)
class Examples:
    """Rows with their labels: what `fit` learns from, or rows that it holds back.

    Attributes
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
    truth : ndarray of uint8, shape (n, L)
    weights : ndarray of float32, shape (n, L), or None
    """

    X: Any
    truth: np.ndarray
    weights: np.ndarray | None = None

    def __getitem__(self, rows: Any) -> Examples:
        weights = None if self.weights is None else self.weights[rows]
        return Examples(self.X[rows], self.truth[rows], weights)


class HeldBack:
    """The loss of a model on rows that it does not learn from."""

    def __init__(self, X: np.ndarray, margins: np.ndarray, truth: np.ndarray, patience: int) -> None:
        self._X, self._truth, self._patience = X, truth, patience
        self._margins = margins
        self._lowest = self._loss()
        self.best = 0  # rounds up to the lowest loss

    def _loss(self) -> float:
        return float(np.mean(np.logaddexp(0, self._margins.astype(float)) - self._truth * self._margins))

    def ends(self, tree: dict[str, np.ndarray], number: int) -> bool:
        """Add the values of a tree, the `number`-th one; return whether it is the last one to be grown."""
        BoostedTrees.joined([tree]).add_to(self._margins, self._X)
        loss = self._loss()
        if loss < self._lowest or number == 1:  # a model has one tree at least
            self._lowest, self.best = loss, number
        return number - self.best >= self._patience


class Boosting(BoostingParameters, Learner):
    """What the two boosting learners share: data, the rounds of one model, and importances."""

    _id: ClassVar[str]
    # What definition = "xdcc" leaves no choice of: the value that it has, and why.
    _OF_PROGRAM: ClassVar[Mapping[str, tuple[Any, str]]] = {
        "gamma": (0, "which has no gamma"),
        "min_child_weight_of": ("every", "which takes every label"),
    }
    _seed: int
    base_margins_: np.ndarray
    definition_: str
    trees_: Any

    @classmethod
    def check_together(cls, parameters: Mapping[str, Any]) -> None:
        """Refuse values that are accepted one by one, but do not go together."""
        if parameters.get("definition") != "xdcc":
            return
        for name, (value, why) in cls._OF_PROGRAM.items():
            given = parameters.get(name)
            if given is not None and given != value:
                raise InvalidSetting(
                    f"{name} = {given!r} cannot be combined with definition = 'xdcc', {why}",
                    hint="leave one of them out",
                )

    def _check(self) -> None:
        """Refuse values that the registered parameters do not accept, or that do not go together."""
        self._check_parameters(self._id)
        names = ("definition", *self._OF_PROGRAM)
        values = {name: getattr(self, name) for name in names}
        self.check_together({n: value for n, value in values.items() if value != getattr(type(self), n)})

    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        examples, held = self._examples(X, labels), None
        if self.n_iter_no_change is not None:
            examples, held = self._with_held(examples)
        self._learn(examples, held, progress)

    @abstractmethod
    def _learn(self, examples: Examples, held: Examples | None, progress: Progress | None) -> None:
        """Grow the trees, and end early by the rows that are held back, if there are any."""

    def _examples(self, X: Any, labels: sp.csr_array) -> Examples:
        """Check the parameters; return the rows to learn from."""
        self._check()
        self._seed, self.definition_ = seed_from(self.random_state), self.definition
        return Examples(self._as_read(X), np.ascontiguousarray(labels.toarray(), dtype=np.uint8))

    def _with_held(self, examples: Examples) -> tuple[Examples, Examples]:
        """Return the rows to learn from and those that are held back."""
        n = len(examples.truth)
        n_held = max(1, round(self.validation_fraction * n))
        if n_held >= n:
            raise InvalidSetting(
                f"n_iter_no_change = {self.n_iter_no_change} holds out rows for validation,"
                f" and {number_of(n, 'row')} to learn from {'is' if n == 1 else 'are'} too few for that",
                hint="give more rows, or leave n_iter_no_change out"
                + (", or give a smaller validation_fraction" if n > 1 else ""),
            )
        order = np.random.default_rng(derive_seed(self._seed, "held back")).permutation(n)
        return examples[np.sort(order[n_held:])], examples[np.sort(order[:n_held])]

    def _as_read(self, X: Any) -> Any:
        """Return X in single precision if the authors' program would read it so."""
        if self.definition_ != "xdcc":
            return X
        require_single_precision(
            X, "definition = 'xdcc'", "definition = 'paper'", getattr(self, "feature_names_in_", None)
        )
        return X.astype(np.float32).astype(np.float64)

    def _columns(self, examples: Examples, booster: Booster) -> BoostingColumns:
        """Give a booster the columns of the examples; return what tests of them mean."""
        X, max_bins = examples.X, self.max_bins
        categories = self._category_counts(X)
        if self.definition == "xdcc":
            # The authors' program reads categories as numbers, and takes the first of equally good columns.
            return boosting_columns(X, booster, max_bins=max_bins, order_seed=None, as_program=True)
        order_seed, rows = derive_seed(self._seed, "columns"), row_contents(examples.truth, examples.weights)
        return boosting_columns(X, booster, categories, max_bins=max_bins, order_seed=order_seed, rows=rows)

    def _booster(self, examples: Examples, hide_in_leaves: bool = False) -> Booster:
        as_program = self.definition == "xdcc"
        n_rows, n_labels = examples.truth.shape
        heaviest = 1.0 if examples.weights is None else float(examples.weights.max())
        return Booster(
            n_rows,
            n_labels,
            score=SCORES.index(self.split),
            max_depth=min(self.max_depth, np.iinfo(np.int32).max),
            learning_rate=self.learning_rate,
            reg_lambda=self.reg_lambda,
            gamma=0.0 if as_program else self.gamma,
            min_child_weight=self.min_child_weight,
            every_label=as_program or self.min_child_weight_of == "every",
            hide_in_leaves=hide_in_leaves,
            n_sketch=0 if self.sketch == "none" else min(self.sketch_size, n_labels),
            n_threads=thread_count(self.n_jobs),
            exact=as_program,
            in_double=not as_program and self.reg_lambda + self.min_child_weight < _FAINT * heaviest,
        )

    def _base_margins(self, examples: Examples) -> np.ndarray:
        """Return where boosting starts, float32 of shape (L,): the margin of each label's frequency."""
        truth, weights = examples.truth, examples.weights
        if self.definition == "xdcc":
            return np.full(truth.shape[1], _XDCC_MARGIN, np.float32)
        positive = truth.sum(axis=0) if weights is None else (truth * weights.astype(float)).sum(axis=0)
        n = len(truth) if weights is None else weights.astype(float).sum(axis=0)
        # As if half an example more were positive, and half negative: no margin is infinite.
        return logit((positive + 0.5) / (n + 1.0)).astype(np.float32)

    def _rounds(
        self,
        booster: Booster,
        margins: np.ndarray,
        examples: Examples,
        n_columns: int,
        *purpose: object,
        hidden: np.ndarray | None,
    ) -> Iterator[Mapping[str, np.ndarray]]:
        """Yield the trees of one model, grown on margins that change."""
        n_rows, n_labels = examples.truth.shape
        draws = self.subsample < 1.0 or self.colsample < 1.0 or self.sketch == "random"
        for number in range(self.n_estimators):
            rng = np.random.default_rng(derive_seed(self._seed, *purpose, "round", number) if draws else 0)
            rows = columns = projection = None
            if self.subsample < 1.0:
                share = max(1, round(self.subsample * n_rows))
                rows = np.flatnonzero(rng.permutation(n_rows) < share).astype(np.int32)
            if self.colsample < 1.0:
                share = max(1, round(self.colsample * n_columns))
                columns = (rng.permutation(n_columns) < share).astype(np.uint8)
            if self.sketch == "random" and self.sketch_size < n_labels:
                factors = rng.standard_normal((n_labels, self.sketch_size)) / np.sqrt(self.sketch_size)
                projection = factors.astype(np.float32)
            yield booster.grow(
                margins,
                examples.truth,
                weights=examples.weights,
                columns=columns,
                rows=rows,
                projection=projection,
                hidden=hidden,
            )

    def _model(
        self,
        booster: Booster,
        columns: BoostingColumns,
        margins: np.ndarray,
        examples: Examples,
        step: int,
        done: Callable[[int], None],
        *,
        held: HeldBack | None = None,
        hidden: np.ndarray | None = None,
    ) -> BoostedTrees:
        """Grow the trees of one step of a chain; the margins become those of the trees that are kept."""
        trees: list[dict[str, np.ndarray]] = []
        best = margins
        for tree in self._rounds(
            booster, margins, examples, len(columns.feature), "chain", step, hidden=hidden
        ):
            trees.append({**tree, **columns.nodes(tree)} if held is not None else dict(tree))
            done(len(trees))
            if held is not None:
                ends = held.ends(trees[-1], len(trees))
                if held.best == len(trees):
                    best = margins.copy()
                if ends:
                    break
        if held is None:
            trees = columns.with_nodes(trees)  # of all trees at once: that is faster
        else:
            margins[:] = best
            trees = trees[: held.best]
        return BoostedTrees.joined(trees)

    @property
    def _models(self) -> list[BoostedTrees]:
        """The trees of each step."""
        return [self.trees_]

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        return {**state_of_models(self._models), "base_margins": self.base_margins_}, {}

    def _restore(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        self._check()
        self._seed, self.definition_ = seed_from(self.random_state), self.definition
        self.base_margins_, n_labels = arrays["base_margins"], len(self.classes_)
        if self.base_margins_.shape != (n_labels,) or self.base_margins_.dtype != np.float32:
            raise ValueError("its labels have no margins")
        require_finite("its margins", self.base_margins_)
        widths = [self._width(step) for step in range(len(arrays["model_trees"]))]
        self._take(models_from(arrays, widths, n_labels))

    @abstractmethod
    def _width(self, step: int) -> int:
        """Return the number of columns that the model of a step sees."""

    @abstractmethod
    def _take(self, models: list[BoostedTrees]) -> None:
        """Set the trees of each step."""

    def importances(self, kind: str = "gain") -> np.ndarray:
        """Return how much the trees use each feature.

        Parameters
        ----------
        kind : {"gain", "cover", "splits"}
            Sum over the tests of a feature of what each gains by the score `split`; of the node's hessians of
            all labels that can count there; or how many tests there are.

        Returns
        -------
        ndarray of float64, shape (F,)
            Sums over all trees, 0 for a feature without a test.

        Raises
        ------
        InvalidSetting
            On another kind.
        """
        return self._all_importances(kind)[: self.n_features_in_]

    def _all_importances(self, kind: str) -> np.ndarray:
        if kind not in IMPORTANCES:
            raise InvalidSetting(f"unknown importance {kind!r}", hint=f"known: {', '.join(IMPORTANCES)}")
        width = self.n_features_in_ + len(self.base_margins_)  # label features come after the others
        return np.sum([trees.importances(kind, width) for trees in self._models], axis=0)


@register.chain(
    "ml-xgb",
    version=4,
    doi="10.1007/s10994-022-06162-3",
    smoke={"n_estimators": 2, "max_depth": 2},
    short=SHORT,
    at_once=True,
    estimator="mlsieve.chains:MultiLabelXGB",
)
class MultiLabelXGBLearner(Boosting):
    """Gradient boosting whose trees hold a value for each label in every leaf (ML-XGB).

    A label is predicted whose probability is at least 1/2. The trees minimise the logistic loss of all labels
    by gradients g = p - y and hessians h = p (1 - p); a leaf holds -eta G / (H + lambda) for each label.

    Parameters
    ----------
    {boosting}
    """

    _id: ClassVar[str] = "ml-xgb"

    def _learn(self, examples: Examples, held: Examples | None, progress: Progress | None) -> None:
        booster = self._booster(examples)
        columns = self._columns(examples, booster)
        self.base_margins_ = self._base_margins(examples)
        margins = np.tile(self.base_margins_, (len(examples.truth), 1))
        watch = None
        if held is not None and self.n_iter_no_change is not None:
            start = np.tile(self.base_margins_, (len(held.truth), 1))
            watch = HeldBack(dense_rows(held.X), start, held.truth, self.n_iter_no_change)

        def done(n: int) -> None:
            if progress is not None:
                progress(n, self.n_estimators)

        self.trees_ = self._model(booster, columns, margins, examples, 0, done, held=watch)
        self.n_iter_ = len(self.trees_)

    @classmethod
    def grows_in_rounds(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether a model with these parameters begins with those of fewer `n_estimators`."""
        return parameters.get("n_iter_no_change") is None

    def first_rounds(self, n_rounds: int) -> Self:
        """Return the fitted learner that so many `n_estimators` would have given.

        Parameters
        ----------
        n_rounds : int
            At most those of the model, which `grows_in_rounds`.
        """
        other = copy.copy(self)
        other.trees_ = self.trees_.first(n_rounds)
        other.n_estimators = other.n_iter_ = n_rounds
        return other

    def _width(self, step: int) -> int:
        return self.n_features_in_

    def _take(self, models: list[BoostedTrees]) -> None:
        [self.trees_] = models
        self.n_iter_ = len(self.trees_)

    def _predict(self, X: Any) -> ChainPrediction:
        X, trees = self._as_read(X), self.trees_
        if sp.issparse(X):  # only the features that are tested are made dense
            trees, used = trees.of_used_features()
            X = sp.csr_array(X[:, used])
        margins = np.tile(self.base_margins_, (X.shape[0], 1))
        for first in range(0, X.shape[0], _BLOCK):
            block = slice(first, first + _BLOCK)
            trees.add_to(margins[block], dense_rows(X[block]))
        probabilities = expit(margins)
        return ChainPrediction(probabilities >= 0.5, probabilities)
