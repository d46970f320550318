"""Sentences made from the numbers. They take no test that is not significant for evidence of equality."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlsieve.analysis.domain_counts import counts_in_words, domain_counts
from mlsieve.analysis.findings import Finding, only
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.stats._lazy import pd
from mlsieve.stats.posthoc import bonferroni_dunn_distance, nemenyi_distance
from mlsieve.stats.wilcoxon import least_p_value as wilcoxon_least_p_value
from mlsieve.tables.labels import Labels

NO_EVIDENCE = "A non-significant result is not evidence of equality"
_LEAST_P = 1e-16
MOST_NAMED = 4  # methods or datasets of a list within a sentence
_EXTENDED = "All methods"


def title_of(family: str, analysis: Analysis) -> str:
    """Return the name of a method group at the start of a sentence: the paper's only if there is a paper."""
    if family == "extended":
        return _EXTENDED
    return "The paper's methods" if analysis.paper else "Main methods"


def methods_of(family: str, analysis: Analysis) -> str:
    """Return the same within a sentence."""
    return title_of(family, analysis).replace("Main", "the main").lower()


def group_has(family: str, analysis: Analysis) -> str:
    """Return how a sentence begins on what a method group has or lacks: ``The main methods have``."""
    if family == "extended":
        return "The study has"
    return "The paper's methods have" if analysis.paper else "The main methods have"


def number(value: float) -> str:
    """Return a number with three significant digits, as a sentence shows it."""
    return f"{value:.3g}"


def p_bound(value: float) -> str:
    """Return ``< 1e-16`` for a p-value below which all are rounding errors, so that none is shown as 0."""
    return f"< {_LEAST_P:g}" if value < _LEAST_P else ""


def p_value(value: float) -> str:
    """Return a p-value with its sign, such as ``p = 0.0123``; it is never 0."""
    return f"p {p_bound(value) or f'= {number(value)}'}"


def listed(words: Iterable[str]) -> str:
    """Return words joined with commas and a final "and"; with semicolons where one of them has a comma.

    Examples
    --------
    >>> listed(["A", "B", "C"]), listed(["A", "C, tuned"])
    ('A, B and C', 'A; and C, tuned')
    """
    words = list(words)
    last = "; and " if _separator(words) == "; " else " and "
    return last.join([joined(words[:-1]), words[-1]] if len(words) > 1 else words)


def some(names: Sequence[str], most: int) -> str:
    """Return names as `listed` does; of more than so many, the first ones and the number of the others.

    Examples
    --------
    >>> some(["A", "B", "C", "D"], 3)
    'A, B and 2 others'
    """
    if len(names) <= most:
        return listed(names)
    return f"{joined(names[: most - 1])} and {len(names) - most + 1} others"


def joined(words: Iterable[str]) -> str:
    """Return words joined with commas, or with semicolons where one of them has a comma."""
    words = list(words)
    return _separator(words).join(words)


def _separator(words: list[str]) -> str:
    return "; " if len(words) > 1 and any("," in word for word in words) else ", "


def no_independent_trials(related: bool) -> str:
    """Return why wins, ties and losses are no trials, with or without related datasets."""
    why = "measures are correlated and some datasets related" if related else "measures are correlated"
    return f"are not independent trials, because {why}."


def _sets(tests: pd.DataFrame) -> str:
    low, high = int(tests["n_datasets"].min()), int(tests["n_datasets"].max())
    return number_of(low, "dataset") if low == high else f"{low} to {high} datasets"


def _frames(answer: Answer, family: str, test: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    tests = pd.DataFrame(answer.tests)
    ranks = pd.DataFrame(answer.ranks)
    if tests.empty:
        return tests, ranks
    return tests[(tests["family"] == family) & (tests["test"] == test)], ranks[ranks["family"] == family]


def friedman_findings(
    answer: Answer,
    family: str,
    noun: str,
    analysis: Analysis,
    about: str = "",
    labels: Labels | None = None,
) -> list[Finding]:
    """Return what Friedman tests of one method group show: results, differences, and variants that differ.

    Parameters
    ----------
    answer : Answer
    family : str
    noun : str
        What is compared: "sizes", "methods".
    analysis : Analysis
    about : str
        Which of the group's tests are meant, where this is not clear.
    labels : Labels, optional
        Of the methods whose sizes are compared.
    """
    tests, ranks = _frames(answer, family, "friedman")
    if tests.empty:
        return []
    plain = tests[tests["variant"] == "all"]
    done = plain[plain["p_value"].notna()]
    findings = []
    title = title_of(family, analysis)
    if done.empty:
        findings.append(_nothing_tested(plain, family, title))
        plain = plain.iloc[:0]
    for comparison, group in plain.groupby("comparison", sort=False):
        methods, measure = tuple(str(group["methods"].iloc[0]).split(";")), only(group["measure"])
        tested = group[group["p_value"].notna()]
        if tested.empty:
            reasons = listed(sorted(set(group["note"])))
            text = f"{title}, {comparison}: no test was possible ({reasons})."
            findings.append(Finding(text, family, "", measure, methods))
            continue
        largest = _largest_difference(ranks, str(comparison))
        best, worst = (_named(largest[key], str(comparison), labels) for key in ("best", "worst"))
        once = domains_once(tests[tests["comparison"] == comparison], answer, analysis)
        text = (
            f"{title}, {comparison}: over {_sets(tested)}, "
            f"{_decision(tested, noun, _corrected(done), analysis.significance)}{once}; "
            "the largest difference of average "
            f"ranks is {number(largest['difference'])} ({largest['measure']}: {best} "
            f"{number(largest['best_rank'])} against {worst} "
            f"{number(largest['worst_rank'])})."
        )
        remark = ""
        if not tested["rejected"].all():
            reference = str(ranks.loc[ranks["comparison"] == comparison, "reference_method"].iloc[0])
            remark = f"{NO_EVIDENCE}: {_distance(tested, reference, analysis)}"
        findings.append(Finding(text, family, remark, measure, methods))
    findings += _pair_findings(answer, family, analysis, about)
    findings += _best_findings(ranks, done, noun, family, analysis)
    findings += variant_findings(tests, family, analysis, about)
    return findings


def domains_once(tests: pd.DataFrame, answer: Answer, analysis: Analysis) -> str:
    """Return how a sentence continues: the results with each domain counted once; empty without domains.

    Parameters
    ----------
    tests : DataFrame
        Friedman's or Wilcoxon's tests of one method group, in any variant.
    answer : Answer
        All tests of the question.
    analysis : Analysis
    """
    keys = ["family", "evaluator", "measure", "comparison"]
    wanted = set(tests[keys].itertuples(index=False, name=None))
    same = [row for row in answer.tests if tuple(row[key] for key in keys) in wanted]
    return counts_in_words(domain_counts(same, analysis.significance), analysis.significance)


def _distance(tested: pd.DataFrame, reference: str, analysis: Analysis) -> str:
    """Return which differences of average ranks would be significant, where tests are not."""
    n_methods = len(str(tested["methods"].iloc[0]).split(";"))
    distance, name = (
        (bonferroni_dunn_distance, "the Bonferroni-Dunn") if reference else (nemenyi_distance, "Nemenyi's")
    )
    limit = distance(n_methods, int(tested["n_datasets"].max()), analysis.significance)
    if limit > n_methods - 1:
        text = f"with {_sets(tested)} the critical distance of {name} test is {number(limit)}, and no two "
        return f"{text}average ranks can differ by more than {n_methods - 1}."
    return (
        f"with {_sets(tested)} only differences of average ranks above {number(limit)}, the critical "
        f"distance of {name} test, would be significant. Average ranks differ by at most {n_methods - 1}. "
        "The distance is that of a single test before any correction; it is not the difference that the "
        "tests are likely to detect."
    )


def _decision(tested: pd.DataFrame, noun: str, corrected: bool, significance: float) -> str:
    """Return how many tests are significant; for a single one whether it is, and its p-value."""
    rejected = int(tested["rejected"].sum())
    if len(tested) > 1:
        verb = "is" if rejected == 1 else "are"
        tests = f"{rejected} of {len(tested)} Friedman tests of the {noun}"
        return f"{tests} {verb} significant at {significance:.3g}"
    verb = "is" if rejected else "is not"
    p_value = _p_value(tested.iloc[0], corrected)
    return f"Friedman's test of the {noun} {verb} significant at {significance:.3g} ({p_value})"


def _corrected(tests: pd.DataFrame) -> bool:
    """Whether p-values were corrected; the correction leaves the largest p-value as it is."""
    done = tests[tests["p_value"].notna()]
    return bool((done["p_adjusted"] != done["p_value"]).any())


def _p_value(test: pd.Series, corrected: bool) -> str:
    return f"{'adjusted ' * corrected}{p_value(float(test['p_adjusted']))}"


def _named(method: str, comparison: str, labels: Labels | None) -> str:
    """Return a method of a comparison in words; where sizes are compared, all but the methods are sizes."""
    return method if labels is None or method in labels else labels[comparison].size_in_words(method)


def _largest_difference(ranks: pd.DataFrame, comparison: str) -> dict[str, Any]:
    part = ranks[(ranks["variant"] == "all") & (ranks["comparison"] == comparison) & ranks["rank"].notna()]
    best: dict[str, Any] = {"difference": -1.0}
    for measure, group in part.groupby("measure", sort=False):
        low, high = group.loc[group["rank"].idxmin()], group.loc[group["rank"].idxmax()]
        if high["rank"] - low["rank"] > best["difference"]:
            best = {
                "difference": high["rank"] - low["rank"],
                "measure": measure,
                "best": low["method"],
                "best_rank": low["rank"],
                "worst": high["method"],
                "worst_rank": high["rank"],
            }
    return best


def _pair_findings(answer: Answer, family: str, analysis: Analysis, about: str) -> list[Finding]:
    findings = []
    for test, name in (("nemenyi", "Nemenyi's"), ("bonferroni-dunn", "the Bonferroni-Dunn")):
        tests, _ = _frames(answer, family, test)
        plain = tests[tests["variant"] == "all"] if len(tests) else tests
        if not len(plain):
            continue
        every = pd.DataFrame(answer.tests)
        of_family = every[every["family"] == family]
        counts = domain_counts(of_family, analysis.significance, "pairs")
        once = counts_in_words(counts, analysis.significance)
        text = (
            f"{_title(family, analysis, about)}: where Friedman's test is significant, {name} test finds a "
            f"significant difference in {int(plain['rejected'].sum())} of "
            f"{number_of(len(plain), 'pair')}{once}."
        )
        findings.append(Finding(text, family, "", only(plain["measure"])))
    return findings


def _best_findings(
    ranks: pd.DataFrame, done: pd.DataFrame, noun: str, family: str, analysis: Analysis
) -> list[Finding]:
    if noun == "sizes" or done.empty:
        return []
    findings = []
    title = title_of(family, analysis)
    plain = ranks[(ranks["variant"] == "all") & ranks["rank"].notna()]
    for comparison, group in plain.groupby("comparison", sort=False):
        means = group.groupby("method", sort=False)["rank"].mean().sort_values(kind="stable")
        order = listed(f"{method} {number(rank)}" for method, rank in means.items())
        n_measures = group["measure"].nunique()
        over = "" if n_measures == 1 else f", averaged over {number_of(n_measures, 'measure')},"
        text = f"{title}, {comparison}: over {_sets(group)}, the average ranks{over} are {order}"
        # The question asks for the best, so the gap is that of the first two.
        gap = means.iloc[1] - means.iloc[0]
        text = f"{text} (1 is best); the first two differ by {number(gap)}."
        methods = tuple(map(str, means.index))
        findings.append(Finding(text, family, "", only(group["measure"]), methods))
    return findings


def _nothing_tested(plain: pd.DataFrame, family: str, title: str) -> Finding:
    """Return what is missing where no comparison of a method group could be tested."""
    return Finding(f"{title}: no test was possible ({listed(sorted(set(plain['note'])))}).", family)


def wilcoxon_findings(answer: Answer, family: str, analysis: Analysis, about: str = "") -> list[Finding]:
    """Return what the Wilcoxon tests of one method group show: how often a pair differs, in whose favour.

    Parameters
    ----------
    answer, family, analysis, about
        As of `friedman_findings`.
    """
    tests, _ = _frames(answer, family, "wilcoxon")
    if tests.empty:
        return []
    findings, summed = [], False
    title = _title(family, analysis, about)
    plain = tests[tests["variant"] == "all"]
    if plain["p_value"].isna().all():
        return [_nothing_tested(plain, family, title)]
    for methods, group in plain.groupby("methods", sort=False):
        first, second = str(methods).split(";")
        measure = only(group["measure"])
        tested = group[group["p_value"].notna()]
        if tested.empty:
            reasons = listed(sorted(set(group["note"])))
            text = f"{title}: {first} and {second} could not be tested ({reasons})."
            findings.append(Finding(text, family, "", measure, (first, second)))
            continue
        once = domains_once(tests[tests["methods"] == methods], answer, analysis)
        if len(tested) == 1 and len(group) == 1:
            text = _single_wilcoxon(tested.iloc[0], title, _sets(tested), _corrected(plain), once)
            findings.append(Finding(text, family, "", measure, (first, second)))
            continue
        better = int((tested["rejected"] & (tested["rank_sum_better"] > tested["rank_sum_worse"])).sum())
        worse = int((tested["rejected"] & (tested["rank_sum_better"] < tested["rank_sum_worse"])).sum())
        text = (
            f"{title}: over {_sets(tested)}, {first} is significantly better than {second} on {better} of "
            f"{number_of(len(tested), 'measure')} and significantly worse on {worse}; the difference is not "
            f"significant on {len(tested) - better - worse}{once}. Over datasets and measures, {first} wins "
            f"{int(tested['wins'].sum())}, ties {int(tested['ties'].sum())} and loses "
            f"{number_of(int(tested['losses'].sum()), 'time')}."
        )
        findings.append(Finding(text, family, "", measure, (first, second)))
        summed = True
    if summed:
        related = no_independent_trials(bool((tests["variant"] == BY_DOMAIN).any()))
        text = f"{title}: wins, ties and losses over datasets and measures {related}"
        findings.append(Finding(f"{text} Only the tests show which differences are significant.", family))
    smallest = int(plain["n_datasets"].min())
    least = wilcoxon_least_p_value(smallest)
    if least > analysis.significance:
        text = (
            f"{title}: with {number_of(smallest, 'dataset')} "
            f"a two-sided Wilcoxon test cannot yield a p-value below {number(least)}."
        )
        findings.append(Finding(text, family))
    return findings + variant_findings(tests, family, analysis, about)


def _single_wilcoxon(test: pd.Series, title: str, sets: str, corrected: bool, once: str) -> str:
    """Return the result of a pair's only test."""
    first, second = str(test["methods"]).split(";")
    counts = " / ".join(str(int(test[name])) for name in ("wins", "ties", "losses"))
    facts = f"{_p_value(test, corrected)}; win / tie / loss {counts}"
    if not test["rejected"]:
        between = f"{first} and {second} on {test['measure']}"
        return f"{title}: over {sets}, the difference between {between} is not significant ({facts}){once}."
    side = "better" if test["rank_sum_better"] > test["rank_sum_worse"] else "worse"
    return (
        f"{title}: over {sets}, {first} is significantly {side} than {second} on {test['measure']} "
        f"({facts}){once}."
    )


def variant_findings(tests: pd.DataFrame, family: str, analysis: Analysis, about: str = "") -> list[Finding]:
    """Return where a verdict changes when each domain counts once, or differing datasets are left out.

    Parameters
    ----------
    tests : DataFrame
        Rows of tests.csv of one method group and kind of test, in every variant. Those that too few datasets
        put out of reach (``p_least`` above the level) have no verdict that could change.
    family, analysis, about
        As of `friedman_findings`.
    """
    findings = []
    keys = ["evaluator", "measure", "comparison"]
    plain = tests[tests["variant"] == "all"].set_index(keys)["rejected"]
    for variant, what in (
        (BY_DOMAIN, "with each domain of related datasets counted once"),
        ("without-differing", "without the datasets that differ from the published ones"),
    ):
        part = tests[tests["variant"] == variant]
        if part.empty:
            continue
        done = part[part["p_value"].notna()]
        within_reach = done[~(done["p_least"] > analysis.significance)]
        if len(done) and within_reach.empty:
            continue  # too few domains for any significant result, which the counts report
        verdict = within_reach.set_index(keys)["rejected"]
        changed = [key for key in verdict.index if bool(verdict[key]) != bool(plain[key])]
        if variant == BY_DOMAIN and not changed:
            continue
        sets = _sets(part).replace("dataset", "domain") if variant == BY_DOMAIN else _sets(part)
        head = f"{_title(family, analysis, about)}: {what} ({sets}), "
        if verdict.empty:
            text = f"{head}no test is possible."
        elif changed:
            more = [f"{len(changed) - 6} more"] if len(changed) > 6 else []
            names = listed([*(f"{comparison} on {measure}" for _, measure, comparison in changed[:6]), *more])
            of = "the one" if len(verdict) == 1 else f"{len(changed)} of {len(verdict)}"
            text = f"{head}the verdict changes in {of} {_name_of(tests, verdict)}: {names}."
        elif len(verdict) == 1:
            text = f"{head}the verdict of the one {_name_of(tests, verdict)} does not change."
        else:
            text = f"{head}no verdict of the {len(verdict)} {_name_of(tests, verdict)} changes."
        findings.append(Finding(text, family, "", only(part["measure"])))
    return findings


def _name_of(tests: pd.DataFrame, counted: pd.Series) -> str:
    """Return the name of the counted tests of one kind: "Friedman tests", "Wilcoxon test"."""
    return f"{str(tests['test'].iloc[0]).capitalize()} test{'s' * (len(counted) != 1)}"


def _title(family: str, analysis: Analysis, about: str = "") -> str:
    return f"{title_of(family, analysis)}, {about}" if about else title_of(family, analysis)
