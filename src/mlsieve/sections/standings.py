"""All methods of a study in one comparison by each measure: what its leaderboard shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from mlsieve.analysis.decisions import Comparison
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.differences import Difference
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import RANK_COLUMNS, TEST_COLUMNS, compare
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.paper.verdicts import Decision, decision_of
from mlsieve.stats.posthoc import nemenyi_distance

QUESTION, FAMILY, COMPARISON = "leaderboard", "extended", "methods"
VARIANTS = ("all", BY_DOMAIN)


@dataclass(frozen=True)
class Standings:
    """Methods in the order of their mean ranks, and the tests behind it.

    Attributes
    ----------
    tests, ranks : DataFrame
        Rows of Friedman's test and Nemenyi's of all pairs (of two methods: Wilcoxon's test) by each measure;
        columns `TEST_COLUMNS` and `RANK_COLUMNS`. The main tests are corrected over the measures of an
        evaluator by Benjamini and Hochberg.
    reference : str
        The method with which the leaderboard compares the others.
    significance : float
    left_out : tuple of str
        Methods without values on enough datasets.
    common : frozenset of str
        The datasets that are compared.
    """

    tests: pd.DataFrame
    ranks: pd.DataFrame
    reference: str
    significance: float = 0.05
    left_out: tuple[str, ...] = ()
    common: frozenset[str] = frozenset()

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        """Evaluator and measure of each comparison that has ranks."""
        known = self.ranks[(self.ranks["variant"] == "all") & self.ranks["rank"].notna()]
        return list(dict.fromkeys(zip(known["evaluator"], known["measure"], strict=True)))

    @cached_property
    def mean_ranks(self) -> pd.Series:
        """Mean over the comparisons of each method's average rank, the best method first."""
        known = self.ranks[self.ranks["variant"] == "all"].dropna(subset=["rank"])
        means = known.groupby("method", sort=False)["rank"].mean()
        return means.sort_values(kind="stable")

    @property
    def winner(self) -> str:
        """The method of the best mean rank; of several, the first in the order of the study."""
        return str(self.mean_ranks.index[0])

    @property
    def rival(self) -> str:
        """What the winner is compared with: the reference, or the next method if it is the reference."""
        return self.reference if self.winner != self.reference else str(self.mean_ranks.index[1])

    @cached_property
    def variants(self) -> list[str]:
        """``all``, and ``one-per-domain`` where some datasets are related."""
        present = set(self.ranks["variant"])
        return [name for name in VARIANTS if name in present]

    @cached_property
    def _decisions(self) -> dict[tuple[str, str, str], Decision]:
        found = {}
        for evaluator, measure in self.keys:
            tests = self.tests[self.tests["evaluator"] == evaluator]
            ranks = self.ranks[self.ranks["evaluator"] == evaluator]
            for variant in self.variants:
                found[variant, evaluator, measure] = decision_of(tests, ranks, measure, variant)
        return found

    def count(self, better: str, worse: str, variant: str = "all") -> int:
        """Return by how many measures one method is significantly better than another.

        Parameters
        ----------
        better, worse : str
        variant : {"all", "one-per-domain"}
        """
        return len(self.where(better, worse, variant))

    def where(self, better: str, worse: str, variant: str = "all") -> set[tuple[str, str]]:
        """Return evaluator and measure of the comparisons in which a method is significantly better."""
        return {
            (evaluator, measure)
            for (name, evaluator, measure), decision in self._decisions.items()
            if name == variant and (better, worse) in decision.differing
        }

    def tested(self, variant: str = "all") -> int:
        """Return in how many comparisons the pairs of methods were tested.

        Nemenyi's test follows only where Friedman's is significant; Wilcoxon's test is that of the only pair.
        """
        own = [decision for (name, *_), decision in self._decisions.items() if name == variant]
        return sum(_pairs_follow(decision) for decision in own)

    def datasets(self, variant: str = "all") -> tuple[int, int]:
        """Return the smallest and largest number of datasets (or domains) of a comparison."""
        own = self.ranks[(self.ranks["variant"] == variant) & self.ranks["rank"].notna()]
        counts = own["n_datasets"]
        return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)

    def reachable(self, variant: str) -> int:
        """Return in how many comparisons so many datasets or domains allow a significant result of a pair."""
        mains = [own.main for (name, *_), own in self._decisions.items() if name == variant]
        return sum(main is not None and self._allows(main) for main in mains)

    def _allows(self, main: Mapping[str, Any]) -> bool:
        if not float(main["p_least"]) <= self.significance:
            return False
        n_methods, n_datasets = len(self.mean_ranks), int(main["n_datasets"])
        if main["test"] != "friedman":
            return True
        return nemenyi_distance(n_methods, n_datasets, self.significance) <= n_methods - 1

    def difference(self, first: str, second: str, key: tuple[str, str]) -> Difference | None:
        """Return how much better a method is than another by one evaluator and measure; None if unknown."""
        if first == second:
            return None
        rows = self._effects.get((key, frozenset((first, second))))
        if rows is None:
            return None
        names, found = rows
        return found if names[0] == first else found.turned()

    @cached_property
    def _effects(self) -> dict[tuple[tuple[str, str], frozenset[str]], tuple[list[str], Difference]]:
        found = {}
        own = self.tests[(self.tests["variant"] == "all") & self.tests["difference"].notna()]
        for row in own.to_dict("records"):
            names = str(row["methods"]).split(";")
            own_difference = Difference(
                float(row["difference"]),
                float(row["interval_low"]),
                float(row["interval_high"]),
                int(row["wins"]),
                int(row["ties"]),
                int(row["losses"]),
            )
            key = (str(row["evaluator"]), str(row["measure"]))
            found[key, frozenset(names)] = (names, own_difference)
        return found


def _pairs_follow(decision: Decision) -> bool:
    """Return whether the pairs of methods of a comparison were tested."""
    main = decision.main
    if main is not None and main["test"] == "wilcoxon":
        return not pd.isna(main["p_value"])
    return bool(decision.after)


def standings_of(table: PerformanceTable, analysis: Analysis, sizes: Mapping[str, int]) -> Standings | None:
    """Compare the methods of a study on their common datasets, each ensemble at its size in use.

    A method without values on some datasets (it is restricted to others, or its jobs failed) is left out if
    the product of methods and common datasets is then larger.

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    sizes : mapping of str to int
        The size in use of each label; the largest one for those that are not in it.

    Returns
    -------
    Standings or None
        None with fewer than two methods, or where no dataset has a value of all of them.
    """
    able = _methods(table)
    covered = _covered(table, able)
    methods = _widest(covered, able)
    if len(methods) < 2:
        return None
    known = dict(zip(table.labels["label"], table.labels["sizes"], strict=True))
    columns = tuple((name, sizes.get(name, max(known[name], default=0))) for name in methods)
    comparisons = [
        Comparison(
            evaluator,
            measure,
            COMPARISON,
            columns,
            tuple(methods),
            "wilcoxon" if len(methods) == 2 else "friedman",
        )
        for evaluator in table.evaluators
        for measure in table.measures
    ]
    answer = compare(comparisons, table, analysis, question=QUESTION, family=FAMILY, correct_over="all")
    tests = pd.DataFrame(answer.tests, columns=list(TEST_COLUMNS))
    ranks = pd.DataFrame(answer.ranks, columns=list(RANK_COLUMNS))
    found = Standings(tests, ranks, "", analysis.significance)
    if not found.keys:
        return None
    left_out = tuple(name for name in able if name not in methods)
    common = frozenset(set.intersection(*(covered[name] for name in methods)))
    return Standings(tests, ranks, _reference(found, analysis), analysis.significance, left_out, common)


def _methods(table: PerformanceTable) -> list[str]:
    """Return the methods that no kind of data excludes, in the order of the table."""
    taking_part = {*table.pairs()["label"], *table.companions()}
    return [str(label) for label in table.labels["label"] if label in taking_part]


def _covered(table: PerformanceTable, methods: list[str]) -> dict[str, set[str]]:
    """Return the datasets on which each method has a value by every measure that is known there."""
    known = table.exact[table.exact.notna()].index.to_frame(index=False)
    known = known[["label", "dataset", "evaluator", "measure"]].drop_duplicates()
    needed = known.groupby("dataset")[["evaluator", "measure"]].apply(
        lambda rows: len(rows.drop_duplicates())
    )
    own = known.groupby(["label", "dataset"]).size()
    found: dict[str, set[str]] = {name: set() for name in methods}
    for (label, dataset), count in own.items():
        if label in found and count == needed[dataset]:
            found[str(label)].add(str(dataset))
    return found


def _widest(covered: Mapping[str, set[str]], methods: list[str]) -> list[str]:
    """Return the methods with values on the most datasets, down to the best number of datasets.

    That is the number for which methods times common datasets is largest; of several, the largest number.
    """
    best, most = methods, 0
    for least in sorted({len(own) for own in covered.values()}, reverse=True):
        kept = [name for name in methods if len(covered[name]) >= least]
        size = len(kept) * len(set.intersection(*(covered[name] for name in kept)))
        if len(kept) > 1 and size > most:
            best, most = kept, size
    return best


def _reference(found: Standings, analysis: Analysis) -> str:
    """Return the study's reference method, else Relief, the unweighted baseline, or the next method."""
    known = list(found.mean_ranks.index)
    wanted: Sequence[str] = (analysis.reference_method, analysis.rival, analysis.unweighted)
    return next((name for name in wanted if name in known), str(known[1]))
