"""The answer of a comparison in sentences, for the terminal, a page, a notebook and a paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlsieve.analysis.sentences.wording import NO_EVIDENCE, listed, p_bound, some
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.paper.verdicts import Decision, decision_of, has_families
from mlsieve.stats._lazy import pd
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL
from mlsieve.stats.posthoc import bonferroni_dunn_distance, nemenyi_distance

MOST_NAMED = 8  # methods in one list of a sentence
RANKS_COUNT = "ranks count how often a method is better, and the test also weighs by how much"


def number(value: float) -> str:
    """Return an average rank or a statistic with two decimals; F_F is infinite where all ranks agree."""
    return "\N{INFINITY}" if math.isinf(value) else f"{value:.2f}"


def p_value(value: float) -> str:
    """Return ``p = 0.012``; small ones in powers of ten, and never 0."""
    return f"p {p_bound(value) or (f'= {value:.3f}' if value >= 0.001 else f'= {value:.1e}')}"


def answer(
    tests: pd.DataFrame,
    ranks: pd.DataFrame,
    measure: str,
    significance: float,
    left_out: Sequence[str] = (),
) -> list[str]:
    """Return the sentences about one measure, the answer first.

    Parameters
    ----------
    tests, ranks : DataFrame
        Rows of tests.csv and average_ranks.csv of one question, method group, comparison and evaluator.
    measure : str
    significance : float
        The level of the tests.
    left_out : sequence of str
        Datasets without a value of every method.
    """
    own = decision_of(tests, ranks, measure)
    n_datasets = _count(own, ranks, measure)
    sentences = []
    if not own.winner:
        sentences.append(f"No dataset has a value of every method by {measure}, so nothing is compared.")
    else:
        sentences.append(_first(own, n_datasets))
        sentences += [*_decision(own, n_datasets, significance), *_worse_though_first(own)]
    sentences += _families(own, tests, ranks, measure, significance)
    if left_out and own.winner:
        # What leaves few datasets comes before the answer that rests on these.
        place = 0 if len(left_out) > n_datasets else len(sentences)
        sentences.insert(place, _left_out(left_out, n_datasets))
    return sentences


def _left_out(names: Sequence[str], n_datasets: int) -> str:
    one = len(names) == 1
    the, are, they = ("dataset", "is", "it lacks") if one else ("datasets", "are", "they lack")
    of = f"{len(names)} of {len(names) + n_datasets} datasets"
    which = (
        f"{of} ({some(names, MOST_NAMED)})"
        if len(names) > n_datasets
        else f"The {the} {some(names, MOST_NAMED)}"
    )
    return f"{which} {are} left out, because {they} a value of at least one method."


def _count(own: Decision, ranks: pd.DataFrame, measure: str) -> int:
    rows = ranks[(ranks["measure"] == measure) & (ranks["variant"] == own.variant)]
    return int(rows["n_datasets"].iloc[0]) if len(rows) else 0


def _first(own: Decision, n_datasets: int) -> str:
    best = own.winner
    of = "on the only dataset" if n_datasets == 1 else f"over {n_datasets} datasets"
    rank = number(float(own.ranks.iloc[0]))
    if len(best) == len(own.ranks):
        return f"By {own.measure}, all methods have the same average rank ({rank} {of})."
    share = "has" if len(best) == 1 else "share"
    return f"By {own.measure}, {listed(best)} {share} the best average rank ({rank} {of})."


def _decision(own: Decision, n_datasets: int, significance: float) -> list[str]:
    if own.main is None and own.after:
        note = str(own.after[0]["note"])
        if math.isnan(float(own.after[0]["p_value"])):
            return [f"{_capital(note)}."]
        return _pairs(own, f"the corrected resampled test ({note})", significance)
    if own.main is None:
        return []
    test, p = own.main, float(own.main["p_adjusted"])
    if math.isnan(p):
        return [f"{_capital(test['note'])}."]
    name = "Friedman's test" if test["test"] == "friedman" else "Wilcoxon's signed-rank test"
    sentences = []
    if test["test"] == "friedman" and float(test["p_least"]) > significance:
        sentences.append(
            f"With {number_of(n_datasets, 'dataset')}, no result of Friedman's test can be significant."
        )
    if test["test"] == "wilcoxon" and float(test["p_least"]) > significance:
        sentences.append(
            f"With {number_of(n_datasets, 'dataset')}, no result of Wilcoxon's test can be significant "
            f"(the smallest possible p-value is {float(test['p_least']):.3g})."
        )
    if own.rejected and test["test"] == "friedman":
        sentences.append(f"{name} is significant ({_numbers(own, p)}).")
        after = "Nemenyi's" if not own.reference else "the Bonferroni-Dunn"
        sentences += _pairs(own, f"{after} test (critical distance {number(own.critical)})", significance)
    elif own.rejected:
        better, worse = next(iter(own.differing))
        sentences.append(f"{better} is significantly better than {worse} by {name} ({p_value(p)}).")
    else:
        sentences.append(
            f"{name} is not significant ({_numbers(own, p)}), so no method is shown to be better."
        )
        sentences.append(f"{NO_EVIDENCE}{_detectable(own, n_datasets, significance)}.")
    if n_datasets < FEWEST_FOR_INTERVAL:
        sentences.append(
            f"{number_of(n_datasets, 'dataset')} {'is' if n_datasets == 1 else 'are'} few for such a test."
        )
    return sentences


def _worse_though_first(own: Decision) -> list[str]:
    """Return why a method of the best average rank can lose a test against another one."""
    if not any(worse in own.winner and better not in own.winner for better, worse in own.differing):
        return []
    return [f"A method can have the best average rank and lose the test: {RANKS_COUNT}."]


def _numbers(own: Decision, p: float) -> str:
    """Return a p-value behind the statistic to which it belongs, and Friedman's other statistic."""
    if own.main is None or own.main["test"] != "friedman" or math.isnan(float(own.main["statistic"])):
        return p_value(p)
    chi = f"chi-squared = {number(float(own.main['statistic']))}"
    f = f"F_F = {number(float(own.main['f_f']))}"
    if own.main["p_kind"] == "f":
        return f"{f}, {p_value(p)}; {chi}"
    by_permutation = "permutation " if own.main["p_kind"] in ("exact", "monte-carlo") else ""
    return f"{chi}, {by_permutation}{p_value(p)}; {f}"


def _detectable(own: Decision, n_datasets: int, significance: float) -> str:
    if own.main is None or own.main["test"] != "friedman" or n_datasets < 2:
        return ""
    distance = bonferroni_dunn_distance if own.reference else nemenyi_distance
    least = distance(len(own.ranks), n_datasets, significance)
    if least > len(own.ranks) - 1:
        return f": with {n_datasets} datasets, no difference in average rank would be significant"
    only = f"only a difference in average rank above {number(least)}"
    return f": with {n_datasets} datasets, {only} would be significant"


def _pairs(own: Decision, by: str, significance: float) -> list[str]:
    """Return which methods differ, seen from the reference method or else from the best one."""
    centre = own.reference or own.winner[0]
    better = [loser for winner, loser in own.differing if winner == centre]
    worse = [winner for winner, loser in own.differing if loser == centre]
    order = list(own.ranks.index)
    equal = [name for name in order if name != centre and name not in better and name not in worse]
    parts = []
    if better:
        parts.append(f"is significantly better than {some(sorted(better, key=order.index), MOST_NAMED)}")
    if worse:
        parts.append(f"is significantly worse than {some(sorted(worse, key=order.index), MOST_NAMED)}")
    if equal:
        parts.append(f"does not differ significantly from {some(equal, MOST_NAMED)}")
    sentences = [f"By {by}, {centre} {'; it '.join(parts)}."]
    tested, significant = len(own.after), sum(bool(row["rejected"]) for row in own.after)
    if not own.reference and tested > 1:
        verb = "differs" if significant <= 1 else "differ"
        sentences.append(f"Of the {number_of(tested, 'pair')}, {significant or 'none'} {verb} significantly.")
    return sentences


def _families(
    own: Decision, tests: pd.DataFrame, ranks: pd.DataFrame, measure: str, significance: float
) -> list[str]:
    """Return which verdicts change where each family of related datasets counts once."""
    if not has_families(tests, measure):
        return []
    once = decision_of(tests, ranks, measure, BY_DOMAIN)
    count = int(once.main["n_datasets"]) if once.main is not None else _count(once, ranks, measure)
    begin = f"With each family of related datasets counted once ({number_of(count, 'family')})".replace(
        "familys", "families"
    )
    if once.main is None or not float(once.main["p_least"]) <= significance:
        return [f"{begin}, no difference can be significant."]
    changes = []
    if once.winner != own.winner and once.winner:
        changes.append(f"the best average rank is that of {listed(once.winner)}, not of {listed(own.winner)}")
    if once.main is not None and once.rejected != own.rejected:
        name = "Friedman's" if once.main["test"] == "friedman" else "Wilcoxon's"
        changes.append(f"{name} test is {'' if once.rejected else 'no longer '}significant")
    lost = sorted(own.differing - once.differing)
    gained = sorted(once.differing - own.differing)
    if lost and once.rejected:
        pairs = some([f"{a} against {b}" for a, b in lost], MOST_NAMED)
        what = "this difference is" if len(lost) == 1 else "these differences are"
        changes.append(f"{what} no longer significant: {pairs}")
    if gained:
        pairs = some([f"{a} against {b}" for a, b in gained], MOST_NAMED)
        what = "this difference becomes" if len(gained) == 1 else "these differences become"
        changes.append(f"{what} significant: {pairs}")
    sentences = [f"{begin}, {'; '.join(changes)}." if changes else f"{begin}, no verdict changes."]
    if once.permutation is not None and not math.isnan(float(once.permutation["p_value"])):
        verdict = "significant" if once.permutation["rejected"] else "not significant"
        p = p_value(float(once.permutation["p_adjusted"]))
        sentences.append(f"The permutation test of mean ranks over families is {verdict} ({p}).")
    return sentences


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
