"""Sentences about selectors: F against its critical value, the place of one method, rank sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlsieve.analysis.findings import Finding, only
from mlsieve.analysis.sentences.wording import (
    domains_once,
    friedman_findings,
    listed,
    number,
    number_of,
    p_value,
    title_of,
    variant_findings,
)
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.analysis.verdicts import Verdict, place_of, standing, verdicts
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.stats._lazy import pd

VARIANTS_IN_WORDS = (
    (BY_DOMAIN, "with each domain of related datasets counted once"),
    ("without-differing", "without the datasets that differ from the published ones"),
)


def _part(rows: Sequence[Mapping[str, Any]], family: str, test: str) -> pd.DataFrame:
    """Return the rows of one method group and test over all datasets as they are."""
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    return frame[(frame["family"] == family) & (frame["test"] == test) & (frame["variant"] == "all")]


def _places(frame: pd.DataFrame) -> list[str]:
    """Return each row's measure; with its evaluator where there are several."""
    several = frame["evaluator"].nunique() > 1
    return [
        f"{row['measure']} by {row['evaluator']}" if several else str(row["measure"])
        for row in frame.to_dict("records")
    ]


def f_findings(answer: Answer, family: str, analysis: Analysis) -> list[Finding]:
    """Return Iman and Davenport's F of each measure against its critical value."""
    tests = _part(answer.tests, family, "friedman")
    tests = tests[tests["p_value"].notna()] if len(tests) else tests
    if tests.empty:
        return []
    findings = []
    title = title_of(family, analysis)
    for (n_datasets, methods), group in tests.groupby(["n_datasets", "methods"], sort=False):
        values = [
            f"{row['f_f']:.3f} for {place}"
            for row, place in zip(group.to_dict("records"), _places(group), strict=True)
        ]
        beyond = int((group["f_f"] > group["f_critical"]).sum())
        once = domains_once(group, answer, analysis)
        text = (
            f"{title}: Iman and Davenport's F is {listed(values)}; {beyond} of {len(group)} "
            f"exceed{'s' * (beyond == 1)} the critical value at {number(analysis.significance)} for "
            f"{number_of(len(str(methods).split(';')), 'method')} and {number_of(n_datasets, 'dataset')}, "
            f"{group['f_critical'].iloc[0]:.3f}{once}."
        )
        names = tuple(str(methods).split(";"))
        findings.append(Finding(text, family, "", only(group["measure"]), names))
    return findings


def reference_findings(answer: Answer, family: str, analysis: Analysis) -> list[Finding]:
    """Return the reference method's place by each measure, and which methods differ from it."""
    found = verdicts(answer, analysis.reference_method)
    title = title_of(family, analysis)
    if not any(row["test"] == "friedman" for row in answer.tests):
        return []
    findings = []
    for key, verdict in found.items():
        place = f"{place_of(key, list(found))} ({number_of(verdict.n_datasets, 'dataset')}, Bonferroni-Dunn)"
        text = f"{title}, {place}: {standing(verdict, analysis.reference_method)}."
        findings.append(Finding(text, family, "", key[1]))
    for variant, what in VARIANTS_IN_WORDS:
        other = verdicts(answer, analysis.reference_method, variant)
        if other:
            findings.append(Finding(_variant_sentence(found, other, title, what), family))
    return findings


def _variant_sentence(
    found: Mapping[tuple[str, str], Verdict],
    other: Mapping[tuple[str, str], Verdict],
    title: str,
    what: str,
) -> str:
    """Return which verdicts of the Bonferroni-Dunn test change with the datasets."""
    changed = [
        f"{name} on {place_of(key, list(other))} (from {_word(found[key], name)} to {_word(verdict, name)})"
        for key, verdict in other.items()
        for name in (*verdict.beaten, *verdict.ahead, *verdict.undecided)
        if key in found and _word(found[key], name) != _word(verdict, name)
    ]
    sizes = sorted({verdict.n_datasets for verdict in other.values()})
    noun = "domain" if what == VARIANTS_IN_WORDS[0][1] else "dataset"
    head = f"{title}: {what} ({number_of(sizes[-1], noun)}), "
    if not changed:
        return f"{head}no verdict of the Bonferroni-Dunn test changes."
    return f"{head}the verdict of the Bonferroni-Dunn test changes for {listed(changed)}."


def _word(verdict: Verdict, name: str) -> str:
    return "worse" if name in verdict.beaten else "better" if name in verdict.ahead else "not significant"


def friedman_remarks(answer: Answer, family: str, analysis: Analysis) -> list[Finding]:
    """Return what `f_findings` and `reference_findings` do not report about the Friedman tests.

    Where all of them are significant, that is which verdicts change with the datasets; else also what a
    non-significant test means.
    """
    frame = pd.DataFrame(answer.tests)
    tests = frame[frame["test"] == "friedman"]
    if tests.empty:
        return []
    if tests.loc[tests["variant"] == "all", "rejected"].all():
        return variant_findings(tests, family, analysis)
    return friedman_findings(answer, family, "methods", analysis)


def rank_sum_findings(answer: Answer, family: str, analysis: Analysis) -> list[Finding]:
    """Return the rank sums and p-values of each Wilcoxon test, a sentence for each pair of methods."""
    tests = _part(answer.tests, family, "wilcoxon")
    tests = tests[tests["p_value"].notna()] if len(tests) else tests
    if tests.empty:
        return []
    findings = []
    for methods, group in tests.groupby("methods", sort=False):
        first, second = str(methods).split(";")
        parts = [
            f"{number(row['rank_sum_better'])} and {number(row['rank_sum_worse'])} on {place} "
            f"({p_value(float(row['p_value']))})"
            for row, place in zip(group.to_dict("records"), _places(group), strict=True)
        ]
        low, high = int(group["n_datasets"].min()), int(group["n_datasets"].max())
        sets = f"{low}" if low == high else f"{low} to {high}"
        text = (
            f"{title_of(family, analysis)}: over {number_of(sets, 'dataset')} with many labels, the rank "
            "sums of the "
            f"differences in favour of {first} and in favour of {second} are {listed(parts)}."
        )
        findings.append(Finding(text, family, "", only(group["measure"]), (first, second)))
    return findings
