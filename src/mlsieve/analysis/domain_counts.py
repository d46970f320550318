"""How many tests stay significant when each domain of related datasets counts once: verdict_counts.csv."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN, PERMUTATION
from mlsieve.stats._lazy import pd

MAIN_TESTS = ("friedman", "wilcoxon")
PAIR_TESTS = ("nemenyi", "bonferroni-dunn")
_KEYS = ["question", "family", "evaluator", "measure", "comparison"]


@dataclass(frozen=True)
class DomainCounts:
    """Verdicts of some tests with each dataset by itself, and with each domain of related datasets once.

    Attributes
    ----------
    kind : {"main", "pairs"}
        Of which tests; see `domain_counts`.
    tests, significant : int
        With each dataset by itself: tests with a p-value, and those of them that are significant.
    least_domains, most_domains : int
        Domains that count once, unrelated datasets included; 0 where no two datasets are related.
    least_p_value : float
        The smallest p-value that so few domains allow in the tests out of reach; NaN if none is.
    out_of_reach : int
        Tests that cannot be significant with so few domains. The numbers below leave them out.
    by_domain, lost, gained : int
        Tests that are significant with each domain counted once; those that were significant and no longer
        are, or only in the other direction; and those that are significant only now, or in the other
        direction.
    by_permutation, permutation_lost, permutation_gained : int
        The same by the permutation test of mean ranks; all 0 for pairs of methods, which it does not test.
    """

    kind: str
    tests: int
    significant: int
    least_domains: int = 0
    most_domains: int = 0
    least_p_value: float = np.nan
    out_of_reach: int = 0
    by_domain: int = 0
    lost: int = 0
    gained: int = 0
    by_permutation: int = 0
    permutation_lost: int = 0
    permutation_gained: int = 0

    @property
    def permuted(self) -> bool:
        """Whether permutation tests accompany the tests."""
        return self.kind == "main"

    @property
    def has_domains(self) -> bool:
        """Whether some datasets are related."""
        return self.most_domains > 0


COUNT_COLUMNS = ("question", "family", *(entry.name for entry in fields(DomainCounts)))


def domain_counts(tests: pd.DataFrame, significance: float, kind: str = "main") -> DomainCounts:
    """Count the verdicts of some tests, with each dataset by itself and with each domain once.

    Parameters
    ----------
    tests : DataFrame
        Rows of tests.csv, of any questions and kinds of tests.
    significance : float
        The level at which they were decided.
    kind : {"main", "pairs"}
        Friedman's and Wilcoxon's tests; or the pairs of methods that Nemenyi's test and the
        Bonferroni-Dunn test compare where Friedman's is significant.
    """
    tests = tests.assign(
        evaluator=tests["evaluator"].astype(object).fillna("")
    )  # empty in a table of one's own
    pairs = kind == "pairs"
    keys = [*_KEYS, "methods"] if pairs else _KEYS
    # The table holds pairs only where they are tested: where Friedman's test is significant.
    names = PAIR_TESTS if pairs else MAIN_TESTS
    done = tests[tests["test"].isin([*names, PERMUTATION]) & tests["p_value"].notna()]
    alone = _sides(done[(done["variant"] == "all") & done["test"].isin(names)], keys)
    counts = DomainCounts(kind, len(alone), int((alone != 0).sum()))
    main = tests[tests["test"].isin(MAIN_TESTS) & (tests["variant"] == BY_DOMAIN)]
    main = main[main["p_value"].notna()]
    if main.empty or not len(alone):
        return counts
    least = main.groupby(_KEYS, sort=False)["p_least"].first()
    beyond = least[least > significance]
    unreachable = set(beyond.index)
    of_family = done[done["variant"] == BY_DOMAIN]
    once = _sides(of_family[of_family["test"].isin(names)], keys)
    permuted = _sides(of_family[of_family["test"] == PERMUTATION], keys)
    every = alone.index if not pairs else alone.index.union(once.index, sort=False)
    reachable = [key for key in every if key[: len(_KEYS)] not in unreachable and key[: len(_KEYS)] in least]
    by_domain, lost, gained = _changes(alone, once, reachable)
    # The statistic of a permutation test has no side.
    by_permutation = (0, 0, 0) if pairs else _changes(alone.abs(), permuted.abs(), reachable)
    return DomainCounts(
        kind,
        counts.tests,
        counts.significant,
        int(main["n_datasets"].min()),
        int(main["n_datasets"].max()),
        float(beyond.min()),
        len(every) - len(reachable),
        by_domain,
        lost,
        gained,
        *by_permutation,
    )


def _sides(tests: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Return 0 for what is not significant, else 1, or -1 where it favours the second method."""
    sides = np.where(tests["rejected"], 1, 0)
    if "rank_sum_better" in tests:
        second = (tests["test"] == "wilcoxon") & (tests["rank_sum_better"] < tests["rank_sum_worse"])
        sides = np.where(second, -sides, sides)
    # The first of a pair is better where its average rank is less.
    behind = tests["test"].isin(PAIR_TESTS) & (tests["statistic"] > 0)
    sides = np.where(behind, -sides, sides)
    index = pd.MultiIndex.from_frame(tests[keys])
    return pd.Series(sides, index=index, dtype=int)


def _changes(alone: pd.Series, once: pd.Series, keys: list[Any]) -> tuple[int, int, int]:
    """Return how many keys are significant now, how many no longer are, and how many newly are."""
    known = (alone.to_dict(), once.to_dict())
    before, now = (np.array([sides.get(key, 0) for key in keys], dtype=int) for sides in known)
    changed = before != now
    return int((now != 0).sum()), int((changed & (before != 0)).sum()), int((changed & (now != 0)).sum())


def counts_in_words(counts: DomainCounts, significance: float) -> str:
    """Return the verdicts with each domain counted once, in words; empty where no datasets are related.

    The text continues a sentence that gives the count with each dataset by itself.
    """
    if not counts.has_domains:
        return ""
    low, high = counts.least_domains, counts.most_domains
    domains = number_of(low if low == high else f"{low} to {high}", "domain")
    once = "with each domain of related datasets counted once"
    if counts.out_of_reach >= counts.tests:
        return (
            f"; {once}, {domains} are too few for any significant result (the smallest possible p-value is "
            f"{counts.least_p_value:.3g})"
        )
    if counts.tests == 1 and counts.kind == "main":
        now = "" if counts.by_domain else "not "
        text = f"; {once} ({domains}) it is {now}significant"
        permuted = "" if counts.by_permutation else "not "
        return f"{text}, and by the permutation test of mean ranks it is {permuted}significant"
    verb = "is" if counts.by_domain == 1 else "are"
    text = f"; {once} ({domains}), {counts.by_domain} of {counts.tests - counts.out_of_reach} {verb} "
    text += f"significant ({counts.lost} lost, {counts.gained} gained)"
    if counts.permuted:
        text += f", and {counts.by_permutation} by the permutation test of mean ranks"
    if counts.out_of_reach:
        text += f"; for the other {counts.out_of_reach}, so few domains allow no p-value of at most "
        text += f"{significance:.3g}"
    return text


def verdict_counts(tests: pd.DataFrame, significance: float) -> pd.DataFrame:
    """Return the counts of each question, method group and kind of test; columns `COUNT_COLUMNS`.

    Parameters
    ----------
    tests : DataFrame
        tests.csv.
    significance : float
    """
    rows = []
    if not tests.empty:
        for (question, family), part in tests.groupby(["question", "family"], sort=False):
            for kind in ("main", "pairs"):
                counts = domain_counts(part, significance, kind)
                if counts.tests or counts.gained:
                    rows.append({"question": question, "family": family, **vars(counts)})
    return pd.DataFrame(rows, columns=list(COUNT_COLUMNS))
