"""Multi-label naive Bayes: labels predicted from the features that a ranking puts first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.validation import require_test_part
from mlsieve.discretize import Discretization
from mlsieve.errors import UserError
from mlsieve.evaluators._consistent import consistent
from mlsieve.evaluators._features import FeatureCount, Points, feature_count, prefix_sizes
from mlsieve.evaluators._naive_bayes import LabelOdds, learned_cuts, posterior
from mlsieve.evaluators.prediction import Prediction
from mlsieve.progress import counted
from mlsieve.rankings.files import Ranking
from mlsieve.registry import register


@register.evaluator(
    "mlnb",
    version=1,
    tasks=("mlc", "hmlc"),
    doi="10.1016/j.ins.2009.06.010",
    cuts_if=lambda values: values["input"] == "discretised",
    estimator="mlsieve.evaluators.mlnb_estimator:MLNB",
)
@dataclass(frozen=True)
class NaiveBayes:
    """Multi-label naive Bayes on a ranking's first features, as in the SCLS study.

    Each label has a classifier of its own. Its score is psi, the posterior of the label in [0, 1]; the label
    is predicted where psi > 1/2. The prior is (1 + n_l) / (2 + n). A nominal feature's likelihoods are
    (1 + n_vl) / (V + n_l), V being the number of categories; a numeric one's are normal, with mean and
    variance of the training examples with and without the label (Zhang, Pena, Robles: Feature selection for
    multi-label naive Bayes classification, Information Sciences 179, 2009, without its principal components
    and genetic search). A missing value is ignored, and the likelihood's n_l counts the examples whose
    value is known. The scikit-learn estimator of the same is `mlsieve.evaluators.MLNB`.

    The classifiers of a hierarchy's classes are independent of each other. So psi of a class is there the
    least of its own posterior and those of all classes above it, and an example with a predicted class has
    all classes above it predicted, too.

    Parameters
    ----------
    input : {"discretised", "gaussian"}, default "discretised"
        Whether numeric features are cut into intervals, or modelled by normal distributions.
    discretize : {"laim", "equal-width", "equal-frequency", "none", ...}, default "laim"
        How they are cut, see `mlsieve.discretize`; on the training part. Not used with "gaussian", nor for
        features that are nominal, such as those of data cut before.
    unseen : {"prior", "first"}, default "prior"
        The treatment of a label that no training example has. With "prior" psi follows the formulas. With
        "first" the label is at the top of every example's order, but it is not predicted. A program without a
        posterior for a label without examples orders in this way, and only "first" reproduces the published
        ranking losses and coverages of the SCLS study (genbase, enron).
    features : "own", int, float, "sqrt", "log2" or "all", default "own"
        With "own" those that a selection selected, and the first ceil(sqrt(n)) of a ranking, n being the
        examples of the whole dataset. Else that many of the first features: a count, a share of all features
        (float), ceil(sqrt(n)), ceil(log2(n)), or all; of rankings and selections alike.
    points : int or "all", default 1
        Number of sizes to predict at, evenly spaced up to the number of features in use, or all of these
        sizes (see `mlsieve.evaluators._features`).
    """

    input: Literal["discretised", "gaussian"] = "discretised"
    discretize: Discretization = "laim"
    unseen: Literal["prior", "first"] = "prior"
    features: Literal["own"] | FeatureCount = "own"
    points: Points = 1

    denominator: ClassVar[float] = 1.0
    relevant: ClassVar[str] = ">"

    def predictions(
        self, dataset: Dataset, rankings: Sequence[Ranking], n_threads: int = 1
    ) -> Iterator[Prediction]:
        """Evaluate rankings on a dataset's test part, one prediction at a time.

        Parameters
        ----------
        dataset : Dataset
        rankings : sequence of Ranking
        n_threads : int
            Not used: the work is that of a few sparse products.

        Yields
        ------
        Prediction
            psi as float64, NaN where there is none; for each ranking, its sizes rising.

        Raises
        ------
        UserError
            If there is no test part, or a value is infinite.
        """
        test = np.flatnonzero(~dataset.train_mask)
        require_test_part(len(test), dataset.name)
        sizes = [self._sizes(ranking, dataset.X.shape[0]) for ranking in rankings]
        orders = [ranking.order()[: own[-1]] for ranking, own in zip(rankings, sizes, strict=True)]
        # Only features in use are cut and counted; each is so by itself.
        used = np.unique(np.concatenate([np.empty(0, np.int64), *orders]))
        place = np.zeros(dataset.X.shape[1], np.int64)
        place[used] = np.arange(len(used))
        X = dataset.X if len(used) == dataset.X.shape[1] else dataset.X[:, used]
        if np.isinf(X.data if sp.issparse(X) else X).any():
            raise UserError(f"dataset '{dataset.name}' holds an infinite value", hint="remove it")
        declared = np.fromiter((len(dataset.categories[feature]) for feature in used), np.int64, len(used))
        n_categories = np.where(dataset.nominal[used], np.maximum(declared, 1), 0)
        train, rows = X[np.flatnonzero(dataset.train_mask)], X[test]
        method = self.discretize if self.input == "discretised" else None
        cuts, n_categories = learned_cuts(train, dataset.Y_train, n_categories, method)
        if cuts is not None:
            train, rows = cuts.transform(train), cuts.transform(rows)
        unseen = np.zeros(dataset.Y.shape[1], bool)
        if self.unseen == "first":
            unseen = np.bincount(dataset.Y_train.indices, minlength=len(unseen)) == 0
        odds = LabelOdds(train, dataset.Y_train, n_categories)
        for position, order in enumerate(counted(orders, "rankings")):
            own = sizes[position]
            for size, found in zip(own, odds.growing(rows, place[order], own), strict=True):
                psi = posterior(found)
                if dataset.hierarchy is not None:
                    psi = consistent(psi, dataset.hierarchy)
                psi[:, unseen] = np.nan
                yield Prediction(position, size, psi)

    def weighted(self, dataset: Dataset, ranking: Ranking) -> tuple[np.ndarray, np.ndarray]:
        """Return the features that a ranking puts first, in its order, ndarray of int; each weighs 1."""
        features = ranking.order()[: self._sizes(ranking, dataset.X.shape[0])[-1]]
        return features, np.ones(len(features))

    def _sizes(self, ranking: Ranking, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of features to predict with."""
        if self.features != "own":
            count = feature_count(self.features, len(ranking.scores), n_rows)
        elif ranking.n_selected is not None:
            count = ranking.n_selected
        else:
            count = feature_count("sqrt", len(ranking.scores), n_rows)
        return prefix_sizes(count, self.points)
