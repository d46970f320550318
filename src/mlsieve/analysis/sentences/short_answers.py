"""The short answer to a question: a few sentences made from its tests, for a card of the page and a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlsieve.analysis.domain_counts import PAIR_TESTS
from mlsieve.analysis.sentences.parts import Part, part_of, part_of_family
from mlsieve.analysis.sentences.wording import MOST_NAMED, listed, p_value
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.stats._lazy import pd

MOST_COMPARISONS = 3  # with a sentence each; of more, the tests are only counted
_KEYS = ["evaluator", "measure"]
_AGAIN = "with each domain counted once"  # in a sentence after one with the words above


def short_answer(answer: Answer, analysis: Analysis) -> list[str]:
    """Return what the tests of a question show, in one to about six sentences; empty without a test.

    Parameters
    ----------
    answer : Answer
        With the rows of tests.csv and average_ranks.csv of the question.
    analysis : Analysis
    """
    part = part_of(answer, analysis)
    if part is None:
        return []
    names = list(dict.fromkeys(part.main["comparison"]))
    wilcoxon_only = set(part.main["test"]) == {"wilcoxon"}
    pairs = [tuple(str(methods).split(";")) for methods in dict.fromkeys(part.main["methods"])]
    limit = part.out_of_reach()
    if limit and wilcoxon_only:
        said = []  # that no method differs would sound like a result
    elif limit and len(names) == 1:
        said = [_best_of(_order(part))]
    elif wilcoxon_only and len(pairs) == len(names) > 1 and len({second for _, second in pairs}) == 1:
        said = list(_against_one(part, pairs))
    elif len(names) > MOST_COMPARISONS:
        said = [counted_tests(part, f"{len(names)} comparisons")]
    elif len(names) > 1:
        said = [*(_of_one_of_several(part, name) for name in names), _in_all(part)]
    elif wilcoxon_only:
        said = list(_of_pair(part))
    else:
        said = list(_of_methods(part))
    return [sentence for sentence in (*said, limit, _with_baselines(part, answer, analysis)) if sentence]


def _with_baselines(part: Part, answer: Answer, analysis: Analysis) -> str:
    """Return what Friedman's tests of all methods show where no test of the main ones is significant."""
    if part.rejected or (part.main["family"] == "extended").any():
        return ""
    more = part_of_family(answer, analysis, "extended")
    if more is None or not more.rejected or set(more.main["test"]) != {"friedman"}:
        return ""
    if len(more.main) == 1:
        found = f"significant ({_p_value(more.main.iloc[0])}){more.once()}"
    else:
        count = "all" if more.rejected == len(more.main) else f"{more.rejected} of"
        found = f"significant in {count} {len(more.main)} tests{more.once('in ')}"
    return f"With all methods, including the baselines, Friedman's test is {found}."


def counted_tests(part: Part, over: str, what: str = "methods") -> str:
    """Return how many of a question's main tests are significant.

    Parameters
    ----------
    part : Part
    over : str
        What the tests are about: ``8 rankings``.
    what : str
        What each of them compares.
    """
    names = {"friedman": f"Friedman's test of the {what}", "wilcoxon": "Wilcoxon's test"}
    name = names["wilcoxon"] if set(part.main["test"]) == {"wilcoxon"} else names["friedman"]
    n_measures = number_of(len(part.main[_KEYS].drop_duplicates()), "measure")
    if len(part.main) == 1:
        verdict = "significant" if part.rejected else "not significant"
        return f"{name} is {verdict} ({over}, {n_measures}; {_p_value(part.main.iloc[0])}){part.once('in ')}."
    tests = number_of(len(part.main), "test")
    count = "all" if part.rejected == len(part.main) else f"{part.rejected or 'none'} of"
    return f"{name} is significant in {count} {tests} ({over}, {n_measures}){part.once('in ')}."


@dataclass(frozen=True)
class Order:
    """The methods of one comparison in the order of their average ranks, over all measures.

    Attributes
    ----------
    means : Series of float
        Average rank by method, the best first.
    best : list of str
        The methods that share the first place.
    over : str
        `` over 15 measures``; empty for one measure.
    """

    means: pd.Series
    best: list[str]
    over: str


def _order(part: Part) -> Order:
    means = part.ranks.groupby("method", sort=False)["rank"].mean().sort_values(kind="stable")
    n_measures, n_evaluators = (part.ranks[name].nunique(dropna=False) for name in ("measure", "evaluator"))
    over = f" over {n_measures} measures" if n_measures > 1 else ""
    over += f" and {n_evaluators} evaluators" if n_evaluators > 1 else ""
    best = [str(name) for name in means.index[means.round(9) == means.round(9).min()]]
    return Order(means, best, over.replace(" and", " over", 1) if n_measures == 1 else over)


def _of_one_of_several(part: Part, comparison: str) -> str:
    """Return what the tests of one comparison show where others follow: in one sentence."""
    own = part.of(comparison)
    lead = "" if " against " in comparison else f"For {comparison}, "
    if set(own.main["test"]) == {"wilcoxon"}:
        return f"{lead}{_pair_in_words(own)}."
    order = _order(own)
    rank = f"{order.means.iloc[0]:.2f}{order.over}"
    if len(order.best) == len(order.means):
        place = f"all methods share the same average rank ({rank})"
    elif len(order.best) > 1:
        place = f"{listed(order.best)} share the best average rank ({rank})"
    else:
        second = f"{order.means.index[1]} {order.means.iloc[1]:.2f}"
        place = f"{order.best[0]} has the best average rank ({rank}; {second})"
    test = own.main.iloc[0]
    verdict = f"{'' if test['rejected'] else 'not '}significant"
    by = f" {own.share(own.rejected)}" if len(own.main) > 1 else f" ({_p_value(test)})"
    return f"{lead}{place}; Friedman's test is {'significant' if len(own.main) > 1 else verdict}{by}."


def _in_all(part: Part) -> str:
    """Return the count of several comparisons with each domain of related datasets once; empty without."""
    once = part.once("")
    verb = "is" if part.rejected <= 1 else "are"
    return (
        f"Of all {len(part.main)} tests, {part.rejected or 'none'} {verb} significant{once}." if once else ""
    )


def _of_methods(part: Part) -> Iterator[str]:
    """Yield which of several methods ranks first, and what Friedman's and the following tests show."""
    order = _order(part)
    yield _best_of(order)
    if len(part.main) == 1:
        test = part.main.iloc[0]
        verdict = "is" if test["rejected"] else "is not"
        yield f"Friedman's test {verdict} significant ({_p_value(test)}){part.once()}."
    else:
        yield f"Friedman's test is significant {part.share(part.rejected)}{part.once()}."
    if part.rejected:
        yield from _following(part, order.best)


def _best_of(order: Order) -> str:
    """Return which of several methods ranks first."""
    rank = f"{order.means.iloc[0]:.2f}{order.over}"
    if len(order.best) == len(order.means):
        return f"All methods share the same average rank, {rank}."
    if len(order.best) > 1:
        return f"{listed(order.best)} share the best average rank, {rank}."
    second = f"{order.means.index[1]} with {order.means.iloc[1]:.2f}"
    return f"{order.best[0]} has the best average rank, {rank}, followed by {second}."


def _following(part: Part, best: Sequence[str]) -> Iterator[str]:
    """Yield what the tests of pairs show about the reference method, or else about the best one."""
    pairs = part.tests[part.tests["test"].isin(PAIR_TESTS)]
    plain = pairs[pairs["variant"] == "all"]
    reference = str(part.ranks["reference_method"].iloc[0] or "")
    name = "the Bonferroni-Dunn test" if reference else "Nemenyi's test"
    by_domain = pairs[pairs["variant"] == BY_DOMAIN]
    if not reference and len(best) > 1:
        tested = number_of(len(plain), "pair")
        once = f"; {_AGAIN}, {int(by_domain['rejected'].sum()) or 'none'}" if part.counts_domains else ""
        yield f"By {name}, {int(plain['rejected'].sum())} of {tested} differ significantly{once}."
        return
    centre = reference or best[0]
    sides, sides_once = _sides_of(plain, centre), _sides_of(by_domain, centre)
    said = [f"significantly {words}" for words in _compared(sides, part)]
    once = ""
    if part.counts_domains:
        same = "the same holds" if said else "none does either"
        no_longer = "no difference is significant" if said else ""
        then = " and ".join(f"it is significantly {words}" for words in _compared(sides_once, part))
        once = f"; {_AGAIN}, {same if sides == sides_once else then or no_longer}"
    if said:
        yield f"By {name}, {centre} is {' and '.join(said)}{once}."
    else:
        yield f"{name[0].upper()}{name[1:]} finds no method that differs significantly from {centre}{once}."


def _sides_of(pairs: pd.DataFrame, centre: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return in how many tests of pairs a method is significantly better than each other one, and worse."""
    better: dict[str, int] = {}
    worse: dict[str, int] = {}
    for row in pairs[pairs["rejected"]].to_dict("records"):
        first, second = str(row["methods"]).split(";")
        winner, loser = (first, second) if row["statistic"] < 0 else (second, first)
        for counts, own, other in ((better, winner, loser), (worse, loser, winner)):
            if own == centre:
                counts[other] = counts.get(other, 0) + 1
    return better, worse


def _compared(sides: tuple[dict[str, int], dict[str, int]], part: Part) -> list[str]:
    """Return ``better than`` and ``worse than`` the methods that differ significantly."""
    return [
        f"{word} than {_with_counts(counts, part)}"
        for word, counts in zip(("better", "worse"), sides, strict=True)
        if counts
    ]


def _with_counts(counts: dict[str, int], part: Part) -> str:
    """Return methods with the number of measures by which each differs, most measures first."""
    order = sorted(counts, key=lambda name: -counts[name])
    if len(part.main) == 1:
        more = [f"{len(order) - MOST_NAMED + 1} others"] if len(order) > MOST_NAMED else []
        return listed([*(order[: MOST_NAMED - len(more)]), *more])
    if len(order) > MOST_NAMED:
        return f"{len(order)} others by at least one measure"
    unit = "measure" if part.main["evaluator"].astype(object).fillna("").nunique() == 1 else "test"
    by = "by" if unit == "measure" else "in"
    return listed(f"{name} {by} {number_of(counts[name], unit)}" for name in order)


def _of_pair(part: Part) -> Iterator[str]:
    """Yield what Wilcoxon's tests of the only two methods show."""
    yield f"{_pair_in_words(part)}{part.once('the test is significant by ')}."


def _pair_in_words(part: Part) -> str:
    """Return what Wilcoxon's tests of two methods show, without a full stop."""
    first, second = str(part.main["methods"].iloc[0]).split(";")
    better, worse = _sides(part.main)
    if len(part.main) == 1:
        test = part.main.iloc[0]
        side = f"is significantly {'better' if better else 'worse'} than {second}"
        verdict = side if test["rejected"] else f"does not differ significantly from {second}"
        return f"{first} {verdict} by {test['measure']} ({_p_value(test)})"
    if better + worse == 0:
        return f"{first} and {second} do not differ significantly {part.any_share}"
    if not better:  # the method that is better comes first
        first, second, better, worse = second, first, worse, better
    return (
        f"{first} is significantly better than {second} {part.share(better)}, and significantly worse by "
        f"{worse or 'none'}"
    )


def _against_one(part: Part, pairs: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield how many methods are significantly better than one other, and how many worse."""
    other = pairs[0][1]
    counts = {
        first: _sides(part.main[part.main["methods"] == f"{first};{second}"]) for first, second in pairs
    }
    better = {first: found[0] for first, found in counts.items() if found[0]}
    worse = {first: found[1] for first, found in counts.items() if found[1]}
    n_measures = len(part.main[_KEYS].drop_duplicates())
    only = f"by {part.main['measure'].iloc[0]}" if n_measures == 1 else ""
    by = only or f"by at least one of {n_measures} measures"
    verb = "is" if len(better) == 1 else "are"
    worse_verb = "is" if len(worse) <= 1 else "are"
    every = len(better) == len(pairs)
    of = f"All {len(pairs)}" if every else f"{len(better) or 'None'} of {len(pairs)}"
    if better or worse:
        yield (
            f"{of} methods {verb} significantly better than {other} {by}{_range(better, n_measures)}; "
            f"{len(worse) or 'none'} {worse_verb} significantly worse{_range(worse, n_measures)}."
        )
    else:
        any_of = only or f"by any of {n_measures} measures"
        yield f"None of {len(pairs)} methods differs significantly from {other} {any_of}."
    yield _in_all(part)


def _range(counts: dict[str, int], n_measures: int) -> str:
    """Return methods in brackets: all of them, or those of the fewest and the most measures."""
    if not counts:
        return ""
    if n_measures == 1:
        return f" ({listed(counts)})" if len(counts) <= MOST_NAMED else ""
    order = sorted(counts, key=lambda name: -counts[name])
    if len(order) <= 2:
        return f" ({listed(f'{name} by {counts[name]}' for name in order)})"
    most, least = counts[order[0]], counts[order[-1]]
    if most == least:
        return f" (each by {most})"
    return f" (from {order[-1]} by {least} to {order[0]} by {most})"


def _sides(tests: pd.DataFrame) -> tuple[int, int]:
    """Return in how many Wilcoxon tests the first method is significantly better, and worse."""
    rejected = tests["rejected"].astype(bool)
    better = rejected & (tests["rank_sum_better"] > tests["rank_sum_worse"])
    return int(better.sum()), int((rejected & ~better).sum())


def _p_value(test: pd.Series) -> str:
    value = float(test["p_adjusted"])
    adjusted = "adjusted " * (not math.isclose(value, float(test["p_value"])))
    return f"{adjusted}{p_value(value)}"
