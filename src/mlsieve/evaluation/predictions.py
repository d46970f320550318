"""What an evaluator predicts, kept as a file, so that a new measure predicts nothing again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError
from mlsieve.files.arrays import complete, texts_from
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.hierarchy import Hierarchy

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.evaluators.prediction import Prediction
    from mlsieve.rankings.files import RankingBundle

# Share of cells with votes below which a file lists them, and leaves the others out.
_FEW = 0.25


@dataclass(frozen=True)
class Votes:
    """Predictions of a dataset's test part under several rankings.

    Attributes
    ----------
    votes : ndarray of unsigned int or float64, shape (S, n_test, L)
        Divided by `denominator` they are scores within [0, 1]. S predictions: of each ranking one, or
        several that use more and more of its features. NaN: the evaluator has no score for a label, which
        is ranked at the top and not predicted.
    truth : scipy.sparse.csr_array of uint8, shape (n_test, L)
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
    """

    votes: np.ndarray
    truth: sp.csr_array
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    n_features: tuple[int, ...]
    denominator: float
    relevant: str = ">="
    facts: Mapping[str, Any] = field(default_factory=dict)
    hierarchy: Hierarchy | None = None

    @property
    def task(self) -> str:
        """The kind of data: "mlc", or "hmlc" for labels with a hierarchy."""
        return "mlc" if self.hierarchy is None else "hmlc"

    def scores_and_labels(self, position: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores (float64) and the labels (bool) of one prediction; shapes (n_test, L)."""
        return scores_and_labels(self.votes[position], self.denominator, self.relevant)

    def scores(self, position: int) -> np.ndarray:
        """Return the scores of one prediction; shape (n_test, L), float64."""
        return self.scores_and_labels(position)[0]

    def predicted(self, position: int) -> np.ndarray:
        """Return the labels of one prediction; shape (n_test, L), bool."""
        return self.scores_and_labels(position)[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the votes as .npz (no pickles, checksum inside, equal bytes for equal content)."""
        arrays = {
            **_listed(self.votes),
            "truth_indptr": self.truth.indptr.astype(np.int64),
            "truth_indices": self.truth.indices.astype(np.int32),
            "sizes": np.array(self.sizes, dtype=np.int64),
            "n_features": np.array(self.n_features, dtype=np.int64),
            "names": np.array(self.names, dtype=str),
        }
        if self.hierarchy is not None:
            arrays |= {
                "label_names": np.array(self.hierarchy.names, dtype=str),
                "hierarchy_start": self.hierarchy.parent_start.astype(np.int64),
                "hierarchy_parent": self.hierarchy.parent_index.astype(np.int32),
            }
        meta = {
            "task": self.task,
            "n_labels": self.truth.shape[1],
            "denominator": self.denominator,
            "relevant": self.relevant,
            "facts": dict(self.facts),
        }
        write_arrays(path, "votes", arrays, meta)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Votes:
        """Read what `save` wrote.

        Raises
        ------
        UserError
            If the file is missing, damaged, or holds something else.
        """
        arrays, meta = read_arrays(path, "votes")
        with complete(path, "file of votes", "predict again"):
            indices, indptr = arrays["truth_indices"], arrays["truth_indptr"]
            shape = (len(indptr) - 1, int(meta["n_labels"]))
            truth = sp.csr_array((np.ones(len(indices), np.uint8), indices, indptr), shape=shape)
            truth.check_format(full_check=True)
            n_features, hierarchy = arrays["n_features"], None
            sizes, names = arrays["sizes"], texts_from(arrays["names"])
            if not n_features.shape == sizes.shape == (len(names),):
                raise ValueError("votes do not fit their names")
            votes = _unlisted(arrays, (len(n_features), *shape))
            if votes.shape != (len(n_features), *shape) or meta["relevant"] not in (">=", ">"):
                raise ValueError("votes do not fit the truth")
            if votes.dtype.kind not in "uf" or not float(meta["denominator"]) > 0:
                raise ValueError("votes are not counts or shares")
            if not isinstance(meta["facts"], dict):
                raise ValueError("its header is not that of votes")
            if "hierarchy_start" in arrays:
                labels = texts_from(arrays["label_names"])
                hierarchy = Hierarchy(labels, arrays["hierarchy_start"], arrays["hierarchy_parent"])
                if not hierarchy.is_closed(truth):
                    raise ValueError("the truth does not fit the hierarchy")
            return cls(
                votes,
                truth,
                names,
                tuple(sizes.tolist()),
                tuple(n_features.tolist()),
                meta["denominator"],
                meta["relevant"],
                meta["facts"],
                hierarchy,
            )


def _listed(votes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays that a file holds: all votes or, where few cells have one, those with columns."""
    if not np.issubdtype(votes.dtype, np.unsignedinteger) or np.count_nonzero(votes) > _FEW * votes.size:
        return {"votes": votes}
    narrow = np.uint16 if votes.shape[2] < 2**16 else np.uint32
    listed = []
    for one in votes:
        cells = np.flatnonzero(one)
        rows, columns = np.divmod(cells, one.shape[1])
        counts = np.bincount(rows, minlength=one.shape[0]).astype(narrow)
        listed.append((counts, columns.astype(narrow), one.ravel()[cells]))
    parts = zip(("votes_counts", "votes_columns", "votes_values"), zip(*listed, strict=True), strict=True)
    return {name: np.concatenate(arrays) for name, arrays in parts}


def _unlisted(arrays: Mapping[str, np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    """Return the votes of a file."""
    if "votes" in arrays:
        return arrays["votes"]
    counts, columns, values = (arrays[f"votes_{part}"] for part in ("counts", "columns", "values"))
    if counts.shape != (shape[0] * shape[1],) or not counts.sum() == len(columns) == len(values):
        raise ValueError("listed votes do not fit their rows")
    votes = np.zeros(shape, values.dtype)
    votes.reshape(-1, shape[2])[np.repeat(np.arange(len(counts)), counts), columns] = values
    return votes


def scores_and_labels(votes: np.ndarray, denominator: float, relevant: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores (float64) that votes mean, and the labels that they predict (bool); same shapes.

    Parameters
    ----------
    votes : ndarray
    denominator, relevant
        As in `Votes`.
    """
    scores = votes / float(denominator)
    predicted = scores > 0.5 if relevant == ">" else scores >= 0.5
    if votes.dtype.kind in "ui":
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
        What votes and tables say in their headers: the bundle's facts, dataset, evaluator, parameters, ...
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
            f"evaluator '{evaluator}' is not for {dataset.task} data", hint="choose another evaluator"
        )
    _require_same_features(dataset, bundle)
    require_test_part(int((~dataset.train_mask).sum()), dataset.name)
    told = {
        **bundle.facts,
        **facts,
        "dataset": dataset.name,
        "evaluator": evaluator,
        "evaluator_parameters": dict(parameters),
    }
    return Evaluation(entry.target(**parameters), dataset, bundle, told)


def predictions_of(
    evaluator: Any, dataset: Dataset, bundle: RankingBundle, n_threads: int = 1
) -> Iterator[Prediction]:
    """Yield the predictions of a dataset's test part under each ranking.

    Where the rankings' method is registered with the fact ``predicts="nothing"`` (a control), no label has a
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

    if not _predicts_nothing(bundle.facts.get("method")):
        yield from evaluator.predictions(dataset, bundle.rankings, n_threads)
        return
    for position in range(len(bundle.rankings)):
        yield Prediction(position, 0, np.zeros(dataset.Y_test.shape, np.uint8))


def _predicts_nothing(method: Any) -> bool:
    """Whether a method is the baseline that predicts no label at all."""
    from mlsieve.registry import lookup

    if not method:
        return False
    try:
        return bool(lookup("ranker", str(method)).facts.predicts == "nothing")
    except UserError:  # rankings of a method that is not installed here
        return False


def stored_votes(evaluation: Evaluation, n_threads: int = 1) -> Votes:
    """Return all predictions of an evaluation."""
    rankings, found = evaluation.bundle.rankings, []
    votes = np.empty(0)
    for position, one in enumerate(evaluation.predictions(n_threads)):
        if position == 0:
            votes = np.empty((len(rankings), *one.votes.shape), one.votes.dtype)
        elif position == len(votes):  # of a ranking there may be several
            votes = np.concatenate([votes, np.empty_like(votes)])
        votes[position] = one.votes
        found.append((one.ranking, one.n_features))
    return Votes(
        votes[: len(found)],
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
