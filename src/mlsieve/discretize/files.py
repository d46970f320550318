"""Cuts as files: learned once on the training part of each split, read by every step that needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.discretize.cuts import Cuts
from mlsieve.discretize.of_dataset import with_cuts
from mlsieve.errors import UserError, number_of
from mlsieve.files.arrays import complete, require_starts
from mlsieve.files.checked import require_counts, require_finite, require_json
from mlsieve.files.writing import read_arrays, write_arrays

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset


@dataclass(frozen=True)
class SplitCuts:
    """Cuts of one dataset, learned on the training parts of one or more splits.

    Attributes
    ----------
    by_repeat : mapping of int to Cuts
        By the number of the seeded split (0 for a split of the data's own).
    facts : dict
        JSON-serialisable: ``dataset``, ``split`` (all that identifies a split but its number), ``method``,
        ``bins``.
    file : path-like, optional
        Where they were read.
    """

    by_repeat: Mapping[int, Cuts]
    facts: Mapping[str, Any] = field(default_factory=dict)
    file: str | os.PathLike[str] | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the cuts as .npz (no pickles, checksum inside, equal bytes for equal content)."""
        repeats = sorted(self.by_repeat)
        cuts = [self.by_repeat[repeat] for repeat in repeats]
        arrays = {
            "repeats": np.array(repeats, np.int64),
            "start": np.array([one.start for one in cuts], np.int64),
            "cuts": np.concatenate([np.empty(0), *(one.cuts for one in cuts)]),
            "numeric": np.array([one.numeric for one in cuts], bool),
        }
        write_arrays(path, "cuts", arrays, {"facts": dict(self.facts)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SplitCuts:
        """Read what `save` wrote.

        Raises
        ------
        UserError
            If the file is missing, damaged, or holds something else.
        """
        arrays, meta = read_arrays(path, "cuts")
        with complete(path, "file of cuts", "discretise again"):
            starts, numeric = arrays["start"], arrays["numeric"]
            repeats, facts = arrays["repeats"], meta["facts"]
            if numeric.ndim != 2 or numeric.dtype != bool or repeats.dtype.kind != "i":
                raise ValueError("cuts do not fit their features")
            kinds = {"dataset": str, "split": dict, "method": str, "bins": (int, type(None))}
            require_json(facts, kinds, kinds)
            require_counts("splits", repeats, len(starts))
            ends = np.concatenate([[0], np.cumsum(starts[:, -1])])
            if arrays["cuts"].shape != (ends[-1],) or arrays["cuts"].dtype != np.float64:
                raise ValueError("cuts are missing, or too many")
            by_repeat = {
                int(repeat): Cuts(start, arrays["cuts"][ends[i] : ends[i + 1]], numeric)
                for i, (repeat, start, numeric) in enumerate(
                    zip(repeats.tolist(), starts, numeric, strict=True)
                )
            }
            for one in by_repeat.values():
                require_cuts(one, numeric.shape[1])
            return cls(by_repeat, facts, path)

    def apply(self, dataset: Dataset, repeat: int, split: Mapping[str, Any]) -> Dataset:
        """Return a dataset with its numeric features cut as learned on that split's training part.

        Parameters
        ----------
        dataset : Dataset
        repeat : int
        split : mapping
            As in `facts`.

        Raises
        ------
        UserError
            If the cuts are those of another dataset or split.
        """
        for name, own in (("dataset", dataset.name), ("split", dict(split))):
            learned = self.facts[name.replace(" ", "")]
            if learned != own:
                raise UserError(
                    f"its cuts were learned on {name} {learned}, not on {own}",
                    file=self.file,
                    hint="discretise the same split of the same data",
                )
        if repeat not in self.by_repeat or len(self.by_repeat[repeat].numeric) != dataset.X.shape[1]:
            raise UserError(
                f"has no cuts for split {repeat} of {number_of(dataset.X.shape[1], 'feature')}",
                file=self.file,
                hint="discretise the same split of the same data",
            )
        return with_cuts(dataset, self.by_repeat[repeat], self.facts)


def require_cuts(found: Cuts, n_features: int) -> None:
    """Raise a ValueError unless the cuts of a file are those of so many features, and rise in each."""
    if found.numeric.shape != (n_features,) or found.numeric.dtype != np.bool_:
        raise ValueError("cuts do not fit their features")
    if found.cuts.ndim != 1 or found.cuts.dtype != np.float64:
        raise ValueError("cuts are no numbers")
    require_finite("cuts", found.cuts)
    require_starts(found.start, n_features, len(found.cuts))
    rises = np.diff(found.cuts) > 0
    rises[found.start[1:-1][(found.start[1:-1] > 0) & (found.start[1:-1] < len(found.cuts))] - 1] = True
    if not rises.all() or (np.diff(found.start)[~found.numeric] > 0).any():
        raise ValueError("the cuts of a feature do not rise, or it has none")
