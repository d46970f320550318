"""How many tests stay significant when each domain of related datasets counts once: verdict_counts.csv."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN, PERMUTATION
from mlsieve.stats._lazy import pd

MAIN_TESTS = ("friedman", "wilcoxon")
PAIR_TESTS = ("nemenyi", "bonferroni-dunn")
_KEYS = ("question", "family", "evaluator", "measure", "comparison")
_USED = (
    *_KEYS,
    *("methods", "variant", "test", "n_datasets", "statistic", "p_value", "p_least", "rejected"),
    *("rank_sum_better", "rank_sum_worse"),
)
Key = tuple[str, ...]
Tests: TypeAlias = "pd.DataFrame | Sequence[Mapping[str, Any]]"


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
    least_p_value: float = math.nan
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


def domain_counts(tests: Tests, significance: float, kind: str = "main") -> DomainCounts:
    """Count the verdicts of some tests, with each dataset by itself and with each domain once.

    Parameters
    ----------
    tests : DataFrame or sequence of dict
        Rows of tests.csv, of any questions and kinds of tests.
    significance : float
        The level at which they were decided.
    kind : {"main", "pairs"}
        Friedman's and Wilcoxon's tests; or the pairs of methods that Nemenyi's test and the
        Bonferroni-Dunn test compare where Friedman's is significant.
    """
    rows = _rows_of(tests)
    pairs = kind == "pairs"
    # The table holds pairs only where they are tested: where Friedman's test is significant.
    names = PAIR_TESTS if pairs else MAIN_TESTS
    done = [row for row in rows if not math.isnan(_number(row, "p_value"))]
    alone = _sides([row for row in done if row["variant"] == "all"], names, pairs)
    counts = DomainCounts(kind, len(alone), sum(side != 0 for side in alone.values()))
    of_family = [row for row in done if row["variant"] == BY_DOMAIN]
    main = [row for row in of_family if row["test"] in MAIN_TESTS]
    if not main or not alone:
        return counts
    least: dict[Key, float] = {}
    for row in main:
        least.setdefault(_key(row), _number(row, "p_least"))
    beyond = {key: value for key, value in least.items() if value > significance}
    once = _sides(of_family, names, pairs)
    permuted = _sides(of_family, (PERMUTATION,), False)
    every = list(dict.fromkeys([*alone, *once])) if pairs else list(alone)
    reachable = [key for key in every if key[: len(_KEYS)] in least and key[: len(_KEYS)] not in beyond]
    by_domain, lost, gained = _changes(alone, once, reachable)
    # The statistic of a permutation test has no side.
    by_permutation = (0, 0, 0) if pairs else _changes(_unsigned(alone), _unsigned(permuted), reachable)
    domains = [int(row["n_datasets"]) for row in main]
    return DomainCounts(
        kind,
        counts.tests,
        counts.significant,
        min(domains),
        max(domains),
        min(beyond.values(), default=math.nan),
        len(every) - len(reachable),
        by_domain,
        lost,
        gained,
        *by_permutation,
    )


def _rows_of(tests: Tests) -> list[dict[str, Any]]:
    """Return the rows of a table; sentences count those of few tests often, which is slow in a data frame."""
    if not isinstance(tests, pd.DataFrame):
        return list(tests)
    return tests[[name for name in _USED if name in tests]].to_dict("records")


def _number(row: Mapping[str, Any], name: str) -> float:
    value = row.get(name)
    return math.nan if value is None or value is pd.NA else float(value)


def _key(row: Mapping[str, Any], *more: str) -> Key:
    """Return what a test is about; the evaluator is empty in a table of one's own."""
    return tuple("" if row[name] is None or row[name] != row[name] else row[name] for name in (*_KEYS, *more))


def _sides(rows: Iterable[Mapping[str, Any]], names: Sequence[str], pairs: bool) -> dict[Key, int]:
    """Return 0 for what is not significant, else 1, or -1 where it favours the second method."""
    more = ("methods",) if pairs else ()
    found = {}
    for row in rows:
        if row["test"] in names:
            # The first of a pair is better where its average rank is less.
            second = row["test"] in PAIR_TESTS and _number(row, "statistic") > 0
            if row["test"] == "wilcoxon":
                second = _number(row, "rank_sum_better") < _number(row, "rank_sum_worse")
            found[_key(row, *more)] = (-1 if second else 1) if row["rejected"] else 0
    return found


def _unsigned(sides: Mapping[Key, int]) -> dict[Key, int]:
    return {key: abs(side) for key, side in sides.items()}


def _changes(alone: Mapping[Key, int], once: Mapping[Key, int], keys: Sequence[Key]) -> tuple[int, int, int]:
    """Return how many keys are significant now, how many no longer are, and how many newly are."""
    before, now = ([sides.get(key, 0) for key in keys] for sides in (alone, once))
    changed = [(old, new) for old, new in zip(before, now, strict=True) if old != new]
    return (
        sum(new != 0 for new in now),
        sum(old != 0 for old, _ in changed),
        sum(new != 0 for _, new in changed),
    )


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
