"""Compare what a dataset holds with what its catalog entry says and what was published about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlsieve.data.catalog import DatasetEntry
from mlsieve.data.dataset import Dataset


@dataclass(frozen=True)
class Difference:
    """One count that differs.

    Attributes
    ----------
    source : str
        Who says so: "catalog" (counts of the very files; a difference is an error) or a key of the entry's
        `published`.
    count : str
        A key of `Dataset.counts`, or n (all rows).
    expected, found : float
    """

    source: str
    count: str
    expected: float
    found: float

    def __str__(self) -> str:
        return f"{self.source}: {self.count} {self.expected:g}, here {self.found:g}"


def differences(entry: DatasetEntry, dataset: Dataset) -> list[Difference]:
    """Return all counts that differ from the catalog's or from a published one.

    Parameters
    ----------
    entry : DatasetEntry
    dataset : Dataset

    Notes
    -----
    Whole counts are compared exactly, a cardinality to less than one unit of the last digit given.
    """
    found = dataset.counts()
    found["n"] = found["n_train"] + found["n_test"]
    stated: dict[str, Mapping[str, float]] = {"catalog": entry.counts, **entry.published}
    different = []
    for source, counts in stated.items():
        expected = dict(counts)
        if source == "catalog" and not entry.has_official_split and "n_train" in expected:
            # Such a set is read whole; the manifest, too, counts its rows as n_train.
            expected["n"] = expected.pop("n_train") + expected.pop("n_test", 0)
        for count, value in expected.items():
            if count not in found:
                continue  # such as a hierarchy's, of flat data
            if not _agree(float(value), float(found[count])):
                different.append(Difference(source, count, float(value), float(found[count])))
    return different


def _agree(expected: float, found: float) -> bool:
    if expected == found:
        return True
    if float(expected).is_integer() and float(found).is_integer():
        return False
    digits = len(f"{expected:.10g}".partition(".")[2])
    # Tables print 3 decimals or more and drop final zeros (1.18 for 1.180); some cut instead of rounding.
    return abs(expected - found) < 10.0 ** -max(digits, 3)
