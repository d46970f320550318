"""What predicts label sets, without scikit-learn: commands that rank features by it start faster.

`mlsieve.chains.estimator.LabelChain` makes a scikit-learn estimator of a learner.
"""

from __future__ import annotations

import copy
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.sequence import ChainPrediction
from mlsieve.data.validation import category_counts, thread_count
from mlsieve.errors import InvalidSetting, UserError, did_you_mean
from mlsieve.progress import counting
from mlsieve.registry import check_values, lookup

Progress = Callable[[int, int], None]


class Learner:
    """Base of methods that predict label sets; a subclass has `_fit`, `_predict` and its parameters.

    A subclass may name its parameters of prediction in `PREDICTION`: those that a fitted one can have
    otherwise.
    """

    PREDICTION: ClassVar[tuple[str, ...]] = ()

    nominal: Any
    classes_: np.ndarray
    n_features_in_: int

    @abstractmethod
    def _fit(self, X: Any, labels: sp.csr_array, progress: Progress | None) -> None:
        """Learn from X, float64 of shape (n, F), dense or CSR, and 0/1 labels of shape (n, L)."""

    @abstractmethod
    def _predict(self, X: Any) -> ChainPrediction:
        """Predict X, float64 of shape (n, F), dense or CSR."""

    def learn(self, X: Any, labels: Any, progress: Progress | None = None) -> Self:
        """Learn from the rows of a dataset, which are known to be in order.

        Parameters
        ----------
        X : ndarray of float64 or csr_array, shape (n, F)
            Finite, but for NaN, which is missing.
        labels : csr_array, shape (n, L)
            0/1.
        progress : callable, optional
            Called as ``progress(done, total)`` after each step of the work; by default it is shown.

        Returns
        -------
        self
        """
        X = sp.csr_array(X) if sp.issparse(X) else np.ascontiguousarray(X, np.float64)
        labels = sp.csr_array(labels, dtype=np.uint8, copy=True)
        labels.sum_duplicates()
        labels.eliminate_zeros()
        self.classes_, self.n_features_in_ = np.arange(labels.shape[1]), X.shape[1]
        if progress is not None:
            self._fit(X, labels, progress)
            return self
        with counting("steps") as report:
            self._fit(X, labels, report)
        return self

    def varied(self, **parameters: Any) -> Self:
        """Return a fitted learner of the same model with other parameters of prediction.

        Parameters
        ----------
        **parameters
            Of `PREDICTION`, or `n_jobs`.

        Raises
        ------
        InvalidSetting
            On another parameter, which would need a new fit, or a value that is not accepted.
        """
        known = (*self.PREDICTION, "n_jobs")
        for name in parameters:
            if name not in known:
                raise InvalidSetting(
                    f"{name} is not a parameter of prediction, and the model is already fitted",
                    hint=did_you_mean(name, known),
                )
        other = copy.copy(self)
        for name, value in parameters.items():
            setattr(other, name, value)
        thread_count(getattr(other, "n_jobs", 1))
        other._check_prediction()
        return other

    def predict_all(self, X: Any) -> ChainPrediction:
        """Return label sets, probabilities and the sequence, if the method has one, from one pass.

        Parameters
        ----------
        X : ndarray of float64 or csr_array, shape (n, F)
        """
        return self._predict(self._rows(X))

    def _rows(self, X: Any) -> Any:
        """Return rows as `_predict` takes them: those of a dataset already are."""
        return X

    def predict_each(
        self, X: Any, settings: Sequence[Mapping[str, Any]]
    ) -> list[tuple[ChainPrediction, float]]:
        """Predict the same rows with several parameters of prediction.

        Parameters
        ----------
        X : ndarray of float64 or csr_array, shape (n, F)
        settings : sequence of mapping
            Of `varied`.

        Returns
        -------
        list of (ChainPrediction, float)
            What each predicts, and the CPU seconds that it takes alone.
        """
        found = []
        for one in settings:
            begin = time.process_time()
            found.append((self.varied(**one).predict_all(X), time.process_time() - begin))
        return found

    def _category_counts(self, X: Any) -> np.ndarray:
        """Return the number of categories of each feature, 0 for a numeric one."""
        counts = category_counts(X, self.nominal, X.shape[1])
        return np.zeros(X.shape[1], np.int32) if counts is None else counts

    def _check_parameters(self, id: str, without: Collection[str] = ()) -> None:
        """Refuse values that the method registered as `id` does not accept.

        Parameters
        ----------
        id : str
        without : collection of str
            Parameters that are checked elsewhere, because more than the command's values are allowed.

        Raises
        ------
        InvalidSetting
        """
        schemas = lookup("chain", id).own_parameters()
        values = {name: getattr(self, name) for name in schemas if name not in without}
        plain = {name: one.item() if isinstance(one, np.generic) else one for name, one in values.items()}
        try:
            check_values(type(self).__name__, schemas, plain)
        except UserError as error:
            raise InvalidSetting(error.what, hint=error.hint) from None

    def _check_prediction(self) -> None:
        """Refuse values of parameters of prediction that are not accepted, or do not fit the model."""
