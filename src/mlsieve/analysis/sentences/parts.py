"""The tests that answer a question: those of one method group, with the counts that sentences are made of."""

from __future__ import annotations

from dataclasses import dataclass

from mlsieve.analysis.domain_counts import MAIN_TESTS, domain_counts
from mlsieve.analysis.sentences.wording import listed
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.stats._lazy import pd

_ONCE = "with each domain of related datasets counted once"


@dataclass(frozen=True)
class Part:
    """The tests of one comparison, or of several.

    Attributes
    ----------
    tests : DataFrame
        Rows of tests.csv in every variant.
    ranks : DataFrame
        Rows of average_ranks.csv over all datasets as they are.
    significance : float
    """

    tests: pd.DataFrame
    ranks: pd.DataFrame
    significance: float

    @property
    def main(self) -> pd.DataFrame:
        """Friedman's and Wilcoxon's tests with a p-value, over all datasets as they are."""
        plain = self.tests[(self.tests["variant"] == "all") & self.tests["test"].isin(MAIN_TESTS)]
        return plain[plain["p_value"].notna()]

    @property
    def rejected(self) -> int:
        """How many of the main tests are significant."""
        return int(self.main["rejected"].sum())

    def of(self, comparison: str) -> Part:
        """Return the tests of one of the comparisons."""
        tests, ranks = (frame[frame["comparison"] == comparison] for frame in (self.tests, self.ranks))
        return Part(tests, ranks, self.significance)

    def share(self, count: int) -> str:
        """Return by how many of the measures something holds: ``by 3 of 15 measures``."""
        n_tests = len(self.main)
        if self.main["evaluator"].astype(object).fillna("").nunique() > 1:
            return f"in {count} of {n_tests} tests"
        if n_tests == 1:
            return f"by {self.main['measure'].iloc[0]}"
        if n_tests == 2:
            return f"by {('neither of 2 measures', '1 of 2 measures', 'both measures')[count]}"
        words = {0: f"none of {n_tests}", n_tests: f"all {n_tests}"}
        return f"by {words.get(count, f'{count} of {n_tests}')} measures"

    @property
    def any_share(self) -> str:
        """Return ``by any of 15 measures``, as it follows a negation."""
        return self.share(0).replace("by none", "by any").replace("by neither", "by either")

    @property
    def counts_domains(self) -> bool:
        """Whether some datasets are related, and enough domains remain for a significant test."""
        counts = domain_counts(self.tests, self.significance)
        return counts.has_domains and counts.out_of_reach < counts.tests

    def once(self, counted: str = "by ") -> str:
        """Return how a sentence continues: the count with each domain of related datasets once."""
        counts = domain_counts(self.tests, self.significance)
        if not counts.has_domains:
            return ""
        if counts.out_of_reach >= counts.tests:
            return f"; the {number_of(counts.most_domains, 'domain')} of related datasets are too few for one"
        if counts.tests == 1:
            return f"; {_ONCE}, it is {'' if counts.by_domain else 'not '}significant"
        if counts.significant == counts.by_domain and not counts.lost and not counts.out_of_reach:
            return f"; {_ONCE}, no verdict changes"
        return f"; {_ONCE}, {counted}{counts.by_domain or 'none'}"

    def out_of_reach(self) -> str:
        """Return that no result can be significant with so few datasets; empty where one can."""
        if self.main.empty or not (self.main["p_least"] > self.significance).all():
            return ""
        n_datasets = number_of(int(self.main["n_datasets"].max()), "dataset")
        names = {"friedman": "Friedman's", "wilcoxon": "Wilcoxon's"}
        name = listed(names[test] for test in dict.fromkeys(self.main["test"]))
        return f"With {n_datasets}, no result of {name} test can be significant."


def part_of(answer: Answer, analysis: Analysis) -> Part | None:
    """Return the tests that answer a question: those of the main methods, else of all; None without any."""
    for family in ("paper", "extended"):
        if (part := part_of_family(answer, analysis, family)) is not None:
            return part
    return None


def part_of_family(answer: Answer, analysis: Analysis, family: str) -> Part | None:
    """Return the tests of one method group, ``paper`` or ``extended``; None without any with a p-value."""
    tests, ranks = pd.DataFrame(answer.tests), pd.DataFrame(answer.ranks)
    if tests.empty:
        return None
    ranks_of = ranks[(ranks["family"] == family) & (ranks["variant"] == "all") & ranks["rank"].notna()]
    part = Part(tests[tests["family"] == family], ranks_of, analysis.significance)
    return part if len(part.main) else None
