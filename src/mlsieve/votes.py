"""What an evaluator predicts, kept as a file, so that a new measure predicts nothing again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError
from mlsieve.files import read_arrays, write_arrays

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.rankings import RankingBundle


@dataclass(frozen=True)
class Votes:
    """Predictions of a data set's test part under several rankings.

    Attributes
    ----------
    votes : ndarray of unsigned int or float64, shape (S, n_test, L)
        Divided by `denominator` they are scores within [0, 1].
    truth : scipy.sparse.csr_array of uint8, shape (n_test, L)
    names : tuple of S str
        What a table calls each ranking.
    sizes : tuple of S int
        Size behind each ranking; 0 where the method has none.
    denominator : float
    relevant : {">=", ">"}
        How a score compares with 1/2 if the label is predicted.
    facts : dict
        JSON-serialisable: dataset, split, repeat, method, ensemble, score, evaluator, parameters, ...
    """

    votes: np.ndarray
    truth: sp.csr_array
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    denominator: float
    relevant: str = ">="
    facts: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, position: int) -> np.ndarray:
        """Return the scores under one ranking; shape (n_test, L), float64."""
        return self.votes[position] / float(self.denominator)

    def predicted(self, position: int) -> np.ndarray:
        """Return the predicted labels under one ranking; shape (n_test, L), bool."""
        scores = self.scores(position)
        return scores > 0.5 if self.relevant == ">" else scores >= 0.5

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the votes as .npz (no pickles, checksum inside, equal bytes for equal content)."""
        arrays = {
            "votes": self.votes,
            "truth_indptr": self.truth.indptr.astype(np.int64),
            "truth_indices": self.truth.indices.astype(np.int32),
            "sizes": np.array(self.sizes, dtype=np.int64),
            "names": np.array(self.names, dtype=str),
        }
        meta = {
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
        try:
            indices, indptr = arrays["truth_indices"], arrays["truth_indptr"]
            shape = (len(indptr) - 1, int(meta["n_labels"]))
            truth = sp.csr_array((np.ones(len(indices), np.uint8), indices, indptr), shape=shape)
            if arrays["votes"].shape[1:] != shape or meta["relevant"] not in (">=", ">"):
                raise ValueError("votes do not fit the truth")
            return cls(
                arrays["votes"],
                truth,
                tuple(arrays["names"].tolist()),
                tuple(arrays["sizes"].tolist()),
                meta["denominator"],
                meta["relevant"],
                meta["facts"],
            )
        except (KeyError, ValueError) as error:
            raise UserError(
                f"is not a complete file of votes ({error})", file=path, cure="predict again"
            ) from error


def predict_votes(
    dataset: Dataset,
    bundle: RankingBundle,
    *,
    evaluator: str,
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    n_threads: int = 1,
) -> Votes:
    """Evaluate rankings on a data set's test part.

    Parameters
    ----------
    dataset : Dataset
        With a test part.
    bundle : RankingBundle
        Rankings of the data set's features.
    evaluator : str
        Id of a registered evaluator.
    settings : mapping
        Its parameters.
    facts : mapping
        What the file shall tell of itself besides: split, repeat, ...
    n_threads : int

    Raises
    ------
    UserError
        On an unknown evaluator or parameter, rankings of other features, or data without a test part.
    """
    from mlsieve.registry import check_parameters, lookup
    from mlsieve.targets import require_test_part

    entry = lookup("evaluator", evaluator)
    parameters = check_parameters("evaluator", evaluator, settings)
    if dataset.task not in entry.facts.get("tasks", ("mlc",)):
        raise UserError(
            f"evaluator '{evaluator}' is not for {dataset.task} data", cure="choose another evaluator"
        )
    _require_same_features(dataset, bundle)
    require_test_part(int((~dataset.train_mask).sum()), dataset.name)
    learner = entry.target(**parameters)
    votes, denominator = learner.vote(dataset, bundle.rankings, n_threads)
    return Votes(
        votes,
        dataset.Y_test,
        _distinct([ranking.name for ranking in bundle.rankings]),
        tuple(ranking.size for ranking in bundle.rankings),
        denominator,
        getattr(learner, "relevant", ">="),
        {
            **bundle.facts,
            **facts,
            "dataset": dataset.name,
            "evaluator": evaluator,
            "evaluator_parameters": dict(parameters),
        },
    )


def _require_same_features(dataset: Dataset, bundle: RankingBundle) -> None:
    from mlsieve.rankings import feature_difference

    whose = f"data set '{dataset.name}'"
    what = feature_difference(bundle.rankings[0].feature_names, dataset.feature_names, whose)
    if what is not None:
        raise UserError(what, file=bundle.file, cure=f"rank {whose} itself")


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that differ: where two are the same, each gets its position."""
    named = [name or "ranking" for name in names]
    return tuple(
        name if named.count(name) == 1 else f"{name} ({position})"
        for position, name in enumerate(named, start=1)
    )
