"""What an evaluator or a chain predicts, kept as a file, so that a new measure predicts nothing again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError
from mlsieve.files.arrays import complete, texts_from
from mlsieve.files.checked import csr_from, require_counts, require_finite, require_json
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.hierarchy import Hierarchy

if TYPE_CHECKING:
    from mlsieve.chains.sequence import LabelSequence
    from mlsieve.data.dataset import Dataset
    from mlsieve.evaluators.prediction import Prediction
    from mlsieve.rankings.files import RankingBundle

# Share of nonzero cells below which a file lists these only.
_FEW = 0.25
# By which a sum of shares may exceed 1.
_ROUNDING = 1e-6
# Kinds of what is read in the facts.
_FACTS = {
    **dict.fromkeys(
        ("dataset", "split", "method", "ensemble", "score", "evaluator", "name", "varied"), (str, type(None))
    ),
    "repeat": (int, type(None)),
}
# The arrays of a sequence, by kind of number; the last need not be there.
_SEQUENCE = {"labels": "i", "probabilities": "f", "positive": "b", "cardinality": "f"}


@dataclass(frozen=True)
class Predictions:
    """Predictions for a dataset's test part under several rankings, or of a chain.

    Attributes
    ----------
    values : ndarray of unsigned int or float64, shape (S, n_test, L)
        Divided by `denominator` they are scores within [0, 1]. S predictions: of each ranking one, or
        several that use more and more of its features. NaN: the evaluator has no score for a label, which
        is ranked at the top and not predicted.
    truth : scipy.sparse.csr_array of uint8, shape (n_test, L), or None
        None: of rows without labels, which no measure takes.
    names : tuple of S str
        What a table calls each prediction's ranking.
    sizes : tuple of S int
        Size behind each ranking; 0 where the method has none.
    n_features : tuple of S int
        How many features each prediction used.
    denominator : float
    relevant : {">=", ">"}
        How a score compares with 1/2 if the label is predicted.
    facts : dict
        JSON-serialisable: dataset, split, repeat, method, ensemble, score, evaluator, parameters, ...
    hierarchy : Hierarchy or None
        Of the labels; None for flat ones.
    sets : ndarray of bool, shape (S, n_test, L), or None
        The predicted labels of a method that does not predict just those with large scores; None: `relevant`
        says which are.
    sequence : mapping of str to ndarray, or None
        The steps of a single prediction that a chain made: arrays of shape (n_test, K) by the names of
        `mlsieve.chains.LabelSequence`.
    fold : ndarray of int, shape (n_test,), or None
        Of a cross-validation, whose test parts are all rows: the number of each row's fold, from 0.
    """

    values: np.ndarray
    truth: sp.csr_array | None
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    n_features: tuple[int, ...]
    denominator: float
    relevant: str = ">="
    facts: Mapping[str, Any] = field(default_factory=dict)
    hierarchy: Hierarchy | None = None
    sets: np.ndarray | None = None
    sequence: Mapping[str, np.ndarray] | None = None
    fold: np.ndarray | None = None

    @property
    def task(self) -> str:
        """The kind of data: "mlc", or "hmlc" for labels with a hierarchy."""
        return "mlc" if self.hierarchy is None else "hmlc"

    def scores_and_labels(self, position: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores (float64) and the labels (bool) of one prediction; shapes (n_test, L)."""
        scores, labels = scores_and_labels(self.values[position], self.denominator, self.relevant)
        return scores, labels if self.sets is None else self.sets[position]

    def scores(self, position: int) -> np.ndarray:
        """Return the scores of one prediction; shape (n_test, L), float64."""
        return self.scores_and_labels(position)[0]

    def predicted(self, position: int) -> np.ndarray:
        """Return the labels of one prediction; shape (n_test, L), bool."""
        return self.scores_and_labels(position)[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the predictions as .npz (no pickles, checksum inside, equal bytes for equal content)."""
        arrays = {
            **_listed(self.values),
            "sizes": np.array(self.sizes, dtype=np.int64),
            "n_features": np.array(self.n_features, dtype=np.int64),
            "names": np.array(self.names, dtype=str),
        }
        if self.truth is not None:
            arrays["truth_indptr"] = self.truth.indptr.astype(np.int64)
            arrays["truth_indices"] = self.truth.indices.astype(np.int32)
        if self.hierarchy is not None:
            arrays |= {
                "label_names": np.array(self.hierarchy.names, dtype=str),
                "hierarchy_start": self.hierarchy.parent_start.astype(np.int64),
                "hierarchy_parent": self.hierarchy.parent_index.astype(np.int32),
            }
        if self.sets is not None:
            arrays["sets"] = self.sets
        for name, values in (self.sequence or {}).items():
            arrays[f"sequence_{name}"] = values
        if self.fold is not None:
            arrays["fold"] = self.fold.astype(np.int32)
        meta = {
            "task": self.task,
            "n_labels": self.values.shape[2],
            "denominator": self.denominator,
            "relevant": self.relevant,
            "facts": dict(self.facts),
        }
        write_arrays(path, "predictions", arrays, meta)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Predictions:
        """Read what `save` wrote.

        Raises
        ------
        UserError
            If the file is missing, damaged, or holds something else.
        """
        arrays, meta = read_arrays(path, "predictions")
        with complete(path, "file of predictions", "predict again"):
            require_json(meta, {"n_labels": int, "denominator": (int, float), "facts": dict, "relevant": str})
            require_json(meta["facts"], _FACTS)
            truth, n_labels = None, int(meta["n_labels"])
            if "truth_indptr" in arrays:
                indices, indptr = arrays["truth_indices"], arrays["truth_indptr"]
                shape = (len(indptr) - 1, n_labels)
                truth = csr_from(np.ones(len(indices), np.uint8), indices, indptr, shape)
            else:  # of rows without labels there is one prediction, whose values are not listed
                shape = (arrays["values"].shape[1], n_labels)
            n_features, hierarchy = arrays["n_features"], None
            sizes, names = arrays["sizes"], texts_from(arrays["names"])
            require_counts("sizes", sizes, len(names))
            require_counts("numbers of features", n_features, len(names))
            values = _unlisted(arrays, (len(n_features), *shape))
            if values.shape != (len(n_features), *shape) or meta["relevant"] not in (">=", ">"):
                raise ValueError("values do not fit the truth")
            if values.dtype.kind not in "uf" or not float(meta["denominator"]) > 0:
                raise ValueError("values are not counts or shares")
            require_finite("values", values, missing=True)
            if values.size and not -_ROUNDING <= np.nanmin(values) <= np.nanmax(values) <= _most(meta):
                raise ValueError("scores are not within 0 and 1")
            if "hierarchy_start" in arrays:
                labels = texts_from(arrays["label_names"])
                hierarchy = Hierarchy(labels, arrays["hierarchy_start"], arrays["hierarchy_parent"])
                if len(labels) != shape[1] or not (truth is None or hierarchy.is_closed(truth)):
                    raise ValueError("the truth does not fit the hierarchy")
            sets = arrays.get("sets")
            if sets is not None and not (sets.shape == values.shape and sets.dtype == np.bool_):
                raise ValueError("label sets do not fit the values")
            fold = arrays.get("fold")
            if fold is not None:
                require_counts("folds", fold, shape[0], most=max(0, shape[0] - 1))
            return cls(
                values,
                truth,
                names,
                tuple(sizes.tolist()),
                tuple(n_features.tolist()),
                meta["denominator"],
                meta["relevant"],
                meta["facts"],
                hierarchy,
                sets,
                _sequence_from(arrays, shape),
                fold,
            )


def sequence_arrays(sequence: LabelSequence | None) -> dict[str, np.ndarray] | None:
    """Return the parts of a sequence by name, as `Predictions` has them; None if there is none."""
    parts = {} if sequence is None else {one.name: getattr(sequence, one.name) for one in fields(sequence)}
    return {name: values for name, values in parts.items() if values is not None} or None


def _most(meta: Mapping[str, Any]) -> float:
    return float(meta["denominator"]) * (1.0 + _ROUNDING)


def _sequence_from(arrays: Mapping[str, np.ndarray], shape: tuple[int, int]) -> dict[str, np.ndarray] | None:
    """Return the arrays of a sequence in a file; None if it has none."""
    found = {name: arrays[f"sequence_{name}"] for name in _SEQUENCE if f"sequence_{name}" in arrays}
    if not found:
        return None
    labels = found["labels"]
    if labels.ndim != 2 or len(labels) != shape[0] or not {"probabilities", "positive"} <= found.keys():
        raise ValueError("the sequence does not fit the values")
    for name, each in found.items():
        if each.shape != labels.shape or each.dtype.kind != _SEQUENCE[name]:
            raise ValueError("the parts of the sequence do not fit each other")
    require_finite("the parts of the sequence", *found.values(), missing=True)
    if labels.size and not -1 <= labels.min() <= labels.max() < shape[1]:
        raise ValueError("the sequence sets a label that is not there")
    return found


def _listed(values: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays that a file holds: all values or, where few cells have one, those with columns."""
    if not np.issubdtype(values.dtype, np.unsignedinteger) or np.count_nonzero(values) > _FEW * values.size:
        return {"values": values}
    narrow = np.uint16 if values.shape[2] < 2**16 else np.uint32
    listed = []
    for one in values:
        cells = np.flatnonzero(one)
        rows, columns = np.divmod(cells, one.shape[1])
        counts = np.bincount(rows, minlength=one.shape[0]).astype(narrow)
        listed.append((counts, columns.astype(narrow), one.ravel()[cells]))
    parts = zip(("listed_counts", "listed_columns", "listed_values"), zip(*listed, strict=True), strict=True)
    return {name: np.concatenate(arrays) for name, arrays in parts}


def _unlisted(arrays: Mapping[str, np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    """Return the values of a file."""
    if "values" in arrays:
        return arrays["values"]
    counts, columns, listed = (arrays[f"listed_{part}"] for part in ("counts", "columns", "values"))
    if counts.shape != (shape[0] * shape[1],) or not counts.sum() == len(columns) == len(listed):
        raise ValueError("listed values do not fit their rows")
    values = np.zeros(shape, listed.dtype)
    values.reshape(-1, shape[2])[np.repeat(np.arange(len(counts)), counts), columns] = listed
    return values


def scores_and_labels(values: np.ndarray, denominator: float, relevant: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores (float64) that values mean, and the labels that they predict (bool); same shapes.

    Parameters
    ----------
    values : ndarray
    denominator, relevant
        As in `Predictions`.
    """
    scores = values / float(denominator)
    predicted = scores > 0.5 if relevant == ">" else scores >= 0.5
    if values.dtype.kind in "ui":
        return scores, predicted
    return np.where(np.isnan(scores), 1.0, scores), predicted


@dataclass(frozen=True)
class Evaluation:
    """An evaluator that has been checked to take a dataset and rankings of its features.

    Attributes
    ----------
    learner : object
        The evaluator with its parameters, see `mlsieve.evaluators`.
    dataset : Dataset
    bundle : RankingBundle
    facts : dict
        The headers of predictions and tables: the bundle's facts, dataset, evaluator, parameters, ...
    """

    learner: Any
    dataset: Dataset
    bundle: RankingBundle
    facts: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """What a table calls each ranking; no two are the same."""
        return _distinct([ranking.name for ranking in self.bundle.rankings])

    def predictions(self, n_threads: int = 1) -> Iterator[Prediction]:
        """Yield the predictions of the test part, see `predictions_of`."""
        return predictions_of(self.learner, self.dataset, self.bundle, n_threads)


def prepare_evaluation(
    dataset: Dataset,
    bundle: RankingBundle,
    *,
    evaluator: str,
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    tested: bool = True,
) -> Evaluation:
    """Check that rankings can be evaluated on a dataset's test part.

    Parameters
    ----------
    dataset : Dataset
        With a test part.
    bundle : RankingBundle
        Rankings of the dataset's features.
    evaluator : str
        Id of a registered evaluator.
    settings : mapping
        Its parameters.
    facts : mapping
        Further facts for the file's header: split, repeat, ...
    tested : bool
        Whether there has to be a test part.

    Raises
    ------
    UserError
        On an unknown evaluator or parameter, rankings of other features, or data without a test part.
    """
    from mlsieve.data.validation import require_test_part
    from mlsieve.registry import check_parameters, lookup

    entry = lookup("evaluator", evaluator)
    parameters = check_parameters("evaluator", evaluator, settings)
    if dataset.task not in entry.facts.tasks:
        raise UserError(
            f"evaluator '{evaluator}' does not support {dataset.task} data", hint="choose another evaluator"
        )
    _require_same_features(dataset, bundle)
    if tested:
        require_test_part(int((~dataset.train_mask).sum()), dataset.name)
    facts_of_all = {
        **bundle.facts,
        **facts,
        "dataset": dataset.name,
        "evaluator": evaluator,
        "evaluator_parameters": dict(parameters),
    }
    return Evaluation(entry.target(**parameters), dataset, bundle, facts_of_all)


def predictions_of(
    evaluator: Any, dataset: Dataset, bundle: RankingBundle, n_threads: int = 1
) -> Iterator[Prediction]:
    """Yield the predictions of a dataset's test part under each ranking.

    Where the rankings' method is registered with the fact ``predicts="nothing"`` (a baseline), no label has a
    vote, whatever the evaluator.

    Parameters
    ----------
    evaluator : object
        Instance of a registered evaluator.
    dataset : Dataset
    bundle : RankingBundle
    n_threads : int

    Yields
    ------
    Prediction
        In the order of the rankings; of each ranking one or several that use more and more features.
    """
    from mlsieve.evaluators.prediction import Prediction

    if not predicts_nothing(bundle.facts.get("method")):
        yield from evaluator.predictions(dataset, bundle.rankings, n_threads)
        return
    for position in range(len(bundle.rankings)):
        yield Prediction(position, 0, np.zeros(dataset.Y_test.shape, np.uint8))


def predicts_nothing(method: Any) -> bool:
    """Whether a method is the baseline that predicts no label at all."""
    from mlsieve.registry import lookup

    if not method:
        return False
    try:
        return bool(lookup("ranker", str(method)).facts.predicts == "nothing")
    except UserError:  # rankings of a method that is not installed here
        return False


def stored_predictions(evaluation: Evaluation, n_threads: int = 1) -> Predictions:
    """Return all predictions of an evaluation."""
    rankings, found = evaluation.bundle.rankings, []
    values = np.empty(0)
    for position, one in enumerate(evaluation.predictions(n_threads)):
        if position == 0:
            values = np.empty((len(rankings), *one.values.shape), one.values.dtype)
        elif position == len(values):  # of a ranking there may be several
            values = np.concatenate([values, np.empty_like(values)])
        values[position] = one.values
        found.append((one.ranking, one.n_features))
    return Predictions(
        values[: len(found)],
        evaluation.dataset.Y_test,
        tuple(evaluation.names[ranking] for ranking, _ in found),
        tuple(rankings[ranking].size for ranking, _ in found),
        tuple(n_features for _, n_features in found),
        evaluation.learner.denominator,
        evaluation.learner.relevant,
        evaluation.facts,
        evaluation.dataset.hierarchy,
    )


def _require_same_features(dataset: Dataset, bundle: RankingBundle) -> None:
    from mlsieve.rankings.files import feature_difference

    whose = f"dataset '{dataset.name}'"
    what = feature_difference(bundle.rankings[0].feature_names, dataset.feature_names, whose)
    if what is not None:
        raise UserError(what, file=bundle.file, hint=f"rank {whose} itself")


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that differ: where two are the same, each gets its position."""
    named = [name or "ranking" for name in names]
    return tuple(
        name if named.count(name) == 1 else f"{name} ({position})"
        for position, name in enumerate(named, start=1)
    )
