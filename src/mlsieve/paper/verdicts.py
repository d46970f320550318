"""What the tests of one measure decide: which pairs differ, and in which direction."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from mlsieve.files.csv_tables import BY_DOMAIN, PERMUTATION
from mlsieve.stats._lazy import pd

RESAMPLED = "corrected-resampled"  # in the column `test`, of methods on a single dataset
PAIRS = ("nemenyi", "bonferroni-dunn", RESAMPLED)


@dataclass(frozen=True)
class Decision:
    """The tests of one measure in one variant.

    Attributes
    ----------
    measure, variant : str
    ranks : Series of float
        Average rank by method, the best first.
    main : dict or None
        Row of tests.csv of Friedman's or Wilcoxon's test; None for one dataset.
    permutation : dict or None
        Row of the permutation test of families.
    after : list of dict
        Rows of the tests of pairs.
    critical : float
        Critical difference of average ranks; NaN without one.
    reference : str
        The reference method; empty without one.
    """

    measure: str
    variant: str
    ranks: pd.Series
    main: dict[str, Any] | None
    permutation: dict[str, Any] | None
    after: list[dict[str, Any]] = field(default_factory=list)
    critical: float = math.nan
    reference: str = ""

    @property
    def winner(self) -> tuple[str, ...]:
        """The methods of the best average rank."""
        if self.ranks.isna().any():
            return ()
        best = self.ranks.round(9).min()
        return tuple(str(name) for name in self.ranks.index[self.ranks.round(9) == best])

    @property
    def rejected(self) -> bool:
        """Whether the main test is significant."""
        return self.main is not None and bool(self.main["rejected"])

    @property
    def differing(self) -> set[tuple[str, str]]:
        """Pairs that differ significantly, the better method first."""
        found = set()
        for row in self.after:
            if row["rejected"]:
                first, second = str(row["methods"]).split(";")
                better = float(row["statistic"]) > 0 if row["test"] == RESAMPLED else row["statistic"] < 0
                found.add((first, second) if better else (second, first))
        if self.main is not None and self.main["test"] == "wilcoxon" and self.rejected:
            first, second = str(self.main["methods"]).split(";")
            better = self.main["rank_sum_better"] > self.main["rank_sum_worse"]
            found.add((first, second) if better else (second, first))
        return found


def decision_of(tests: pd.DataFrame, ranks: pd.DataFrame, measure: str, variant: str = "all") -> Decision:
    """Return what tests.csv and average_ranks.csv of one comparison say about a measure.

    Parameters
    ----------
    tests, ranks : DataFrame
        Rows of one question, method group, comparison and evaluator.
    measure : str
    variant : {"all", "one-per-domain"}
    """
    own = tests[(tests["measure"] == measure) & (tests["variant"] == variant)].to_dict("records")
    rows = ranks[(ranks["measure"] == measure) & (ranks["variant"] == variant)]
    average = pd.Series(rows["rank"].astype(float).to_numpy(), index=list(rows["method"]))
    main = next((row for row in own if row["test"] in ("friedman", "wilcoxon")), None)
    permutation = next((row for row in own if row["test"] == PERMUTATION), None)
    after = [row for row in own if row["test"] in PAIRS]
    critical = float(rows["critical_distance"].iloc[0]) if len(rows) else math.nan
    reference = rows["reference_method"].iloc[0] if len(rows) else ""
    reference = "" if pd.isna(reference) else str(reference)
    return Decision(
        measure, variant, average.sort_values(kind="stable"), main, permutation, after, critical, reference
    )


def has_families(tests: pd.DataFrame, measure: str) -> bool:
    """Return whether a measure was also tested with each family counted once."""
    return bool(((tests["measure"] == measure) & (tests["variant"] == BY_DOMAIN)).any())
