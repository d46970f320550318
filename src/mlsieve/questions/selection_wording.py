"""Sentences about selectors: F against its critical value, the place of one method, and what changes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.compare import Answer
from mlsieve.questions.wording import TITLES, friedman_sentences, listed, number, variant_sentences

if TYPE_CHECKING:
    from mlsieve.questions.conclusion import Count

VARIANTS_IN_WORDS = (
    ("related-collapsed", "with one value a family of related sets"),
    ("without-differing", "without the sets that differ from the paper's"),
)


def _part(rows: Sequence[Mapping[str, Any]], family: str, test: str) -> pd.DataFrame:
    """Return the rows of one family and test over all data sets as they are."""
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


def f_sentences(answer: Answer, family: str, analysis: Analysis) -> list[str]:
    """Return Iman and Davenport's F of each measure against its critical value."""
    tests = _part(answer.tests, family, "friedman")
    tests = tests[tests["p_value"].notna()] if len(tests) else tests
    if tests.empty:
        return []
    sentences = []
    for (n_datasets, methods), group in tests.groupby(["n_datasets", "methods"], sort=False):
        values = [
            f"{row['f_f']:.3f} for {place}"
            for row, place in zip(group.to_dict("records"), _places(group), strict=True)
        ]
        beyond = int((group["f_f"] > group["f_critical"]).sum())
        sentences.append(
            f"{TITLES[family]}: Iman and Davenport's F is {listed(values)}; the critical value at "
            f"{number(analysis.significance)} for {len(str(methods).split(';'))} methods and {n_datasets} "
            f"data sets is {group['f_critical'].iloc[0]:.3f}, which {beyond} of {len(group)} "
            f"exceed{'s' * (beyond == 1)}."
        )
    return sentences


@dataclass(frozen=True)
class Verdict:
    """Where a method stands by one measure, and which others Bonferroni-Dunn's test tells from it.

    Attributes
    ----------
    rank : float
        Its average rank.
    place : int
        1 for the best average rank; equal ranks share the best of their places.
    n_methods, n_datasets : int
    rejected : bool
        Whether Friedman's test rejects.
    first : tuple of str
        The methods of the best average rank.
    beaten, ahead : tuple of str
        Methods that it is significantly better and worse than.
    undecided : tuple of str
        Those of which no difference is shown.
    """

    rank: float
    place: int
    n_methods: int
    n_datasets: int
    rejected: bool
    first: tuple[str, ...]
    beaten: tuple[str, ...]
    ahead: tuple[str, ...]
    undecided: tuple[str, ...]


def verdicts(answer: Answer, control: str, variant: str = "all") -> dict[tuple[str, str], Verdict]:
    """Return the verdict about the control by (evaluator, measure); arguments as of `verdicts_of`."""
    return verdicts_of(pd.DataFrame(answer.tests), pd.DataFrame(answer.ranks), control, variant)


def verdicts_of(
    tests: pd.DataFrame, ranks: pd.DataFrame, control: str, variant: str = "all"
) -> dict[tuple[str, str], Verdict]:
    """Return the verdict about the control by (evaluator, measure).

    Parameters
    ----------
    tests, ranks : DataFrame
        Rows of one question, family and comparison of tests.csv and average_ranks.csv.
    control : str
    variant : {"all", "related-collapsed", "without-differing"}
        Of the data sets.
    """
    found: dict[tuple[str, str], Verdict] = {}
    if tests.empty or ranks.empty:
        return found
    tests, ranks = tests[tests["variant"] == variant], ranks[ranks["variant"] == variant]
    for (evaluator, measure), group in ranks.groupby(["evaluator", "measure"], sort=False):
        average = group.set_index("method")["rank"].astype(float).round(12)
        if control not in average or average.isna().any():
            continue
        own = tests[(tests["evaluator"] == evaluator) & (tests["measure"] == measure)]
        friedman = own[own["test"] == "friedman"]
        told = own[(own["test"] == "bonferroni-dunn") & own["rejected"].map(_is_true)]
        others = [str(name) for name in average.index if name != control]
        apart = {str(names).split(";")[0] for names in told["methods"]}
        found[str(evaluator), str(measure)] = Verdict(
            rank=float(average[control]),
            place=1 + int((average < average[control]).sum()),
            n_methods=len(average),
            n_datasets=int(group["n_datasets"].iloc[0]),
            rejected=bool(friedman["rejected"].map(_is_true).any()),
            first=tuple(str(name) for name in average.index[average == average.min()]),
            beaten=tuple(name for name in others if name in apart and average[name] > average[control]),
            ahead=tuple(name for name in others if name in apart and average[name] < average[control]),
            undecided=tuple(name for name in others if name not in apart),
        )
    return found


def _is_true(value: object) -> bool:
    return str(value).lower() == "true"


def _place(measure: tuple[str, str], keys: Sequence[tuple[str, str]]) -> str:
    return f"{measure[1]} by {measure[0]}" if len({evaluator for evaluator, _ in keys}) > 1 else measure[1]


def standing(verdict: Verdict, control: str) -> str:
    """Return in words where the control stands and whom it is told from."""
    text = f"{control} has the average rank {number(verdict.rank)}"
    if verdict.place > 1:
        text += f", place {verdict.place} of {verdict.n_methods} ({listed(verdict.first)} first)"
    elif len(verdict.first) > 1:
        others = listed(name for name in verdict.first if name != control)
        text += f", the best of {verdict.n_methods} together with {others}"
    else:
        text += f", the best of {verdict.n_methods}"
    if not verdict.rejected:
        return f"{text}; Friedman's test does not reject, so no method is told from it"
    parts = []
    if verdict.beaten:
        parts.append(f"it is significantly better than {listed(verdict.beaten)}")
    if verdict.ahead:
        parts.append(f"significantly worse than {listed(verdict.ahead)}")
    if verdict.undecided:
        parts.append(f"no difference from {listed(verdict.undecided)} is shown")
    return "; ".join([text, *parts])


def control_sentences(answer: Answer, family: str, analysis: Analysis) -> list[str]:
    """Return for each measure where the control stands, and whom Bonferroni-Dunn's test tells from it."""
    found = verdicts(answer, analysis.control)
    if not any(row["test"] == "friedman" for row in answer.tests):
        return []
    sentences = [
        f"{TITLES[family]}, {_place(key, list(found))} ({verdict.n_datasets} data sets, Bonferroni-Dunn): "
        f"{standing(verdict, analysis.control)}."
        for key, verdict in found.items()
    ]
    for variant, what in VARIANTS_IN_WORDS:
        other = verdicts(answer, analysis.control, variant)
        if other:
            sentences.append(_variant_sentence(found, other, family, what))
    return sentences


def _variant_sentence(
    found: Mapping[tuple[str, str], Verdict], other: Mapping[tuple[str, str], Verdict], family: str, what: str
) -> str:
    """Return which verdicts of Bonferroni-Dunn's test are others with other data sets."""
    changed = [
        f"{name} on {_place(key, list(other))} ({_word(found[key], name)}, then {_word(verdict, name)})"
        for key, verdict in other.items()
        for name in (*verdict.beaten, *verdict.ahead, *verdict.undecided)
        if key in found and _word(found[key], name) != _word(verdict, name)
    ]
    sizes = sorted({verdict.n_datasets for verdict in other.values()})
    head = f"{TITLES[family]}: {what} ({sizes[-1]} data set{'s' * (sizes[-1] != 1)}), "
    if not changed:
        return f"{head}no verdict of Bonferroni-Dunn's test changes."
    return f"{head}Bonferroni-Dunn's verdict changes for {listed(changed)}."


def _word(verdict: Verdict, name: str) -> str:
    return "worse" if name in verdict.beaten else "better" if name in verdict.ahead else "no difference shown"


def friedman_remarks(answer: Answer, family: str, analysis: Analysis) -> list[str]:
    """Return what is left to say of the Friedman tests when `f_sentences` and `control_sentences` are said.

    Where all of them reject, that is which verdicts change with other data sets; else, too, what a test that
    does not reject means.
    """
    frame = pd.DataFrame(answer.tests)
    tests = frame[frame["test"] == "friedman"]
    if tests.empty:
        return []
    if tests.loc[tests["variant"] == "all", "rejected"].all():
        return variant_sentences(tests, family)
    return friedman_sentences(answer, family, "methods", analysis)


def rank_sum_sentences(answer: Answer, family: str) -> list[str]:
    """Return the rank sums and p-values of each Wilcoxon test, a sentence for each pair of methods."""
    tests = _part(answer.tests, family, "wilcoxon")
    tests = tests[tests["p_value"].notna()] if len(tests) else tests
    if tests.empty:
        return []
    sentences = []
    for methods, group in tests.groupby("methods", sort=False):
        first, second = str(methods).split(";")
        parts = [
            f"{number(row['rank_sum_better'])} against {number(row['rank_sum_worse'])} on {place} "
            f"(p = {number(row['p_value'])})"
            for row, place in zip(group.to_dict("records"), _places(group), strict=True)
        ]
        low, high = int(group["n_datasets"].min()), int(group["n_datasets"].max())
        sets = f"{low}" if low == high else f"{low} to {high}"
        sentences.append(
            f"{TITLES[family]}: over {sets} data sets with many labels, the rank sums of the differences in "
            f"favour of {first} and of {second} are {listed(parts)}."
        )
    return sentences


def change_sentences(
    name: str,
    before: Mapping[tuple[str, str], Verdict],
    after: Mapping[tuple[str, str], Verdict],
    analysis: Analysis,
) -> list[str]:
    """Return what one change does to the control's place and to the tests.

    Parameters
    ----------
    name : str
        What was changed: "ami-printed for ami", "with no-label".
    before, after : mapping of (evaluator, measure) to Verdict
    analysis : Analysis
    """
    control = analysis.control
    kept = [key for key in after if key in before and _alike(name, before[key], after[key])]
    sentences = []
    if kept:
        places = listed(_place(key, list(after)) for key in kept)
        sentences.append(
            f"{_sentence_case(name)}: on {places} neither the first place nor a verdict about the "
            f"paper's methods changes; {_news(name, {key: after[key] for key in kept}, control)}."
        )
    for key, verdict in after.items():
        if key in kept or key not in before:
            continue
        sentences.append(
            f"{_sentence_case(name)}, {_place(key, list(after))}: {standing(verdict, control)}. With "
            f"the paper's methods, {standing(before[key], control)}."
        )
    return sentences


def _sentence_case(name: str) -> str:
    """Return what was changed as the beginning of a sentence; a method's name keeps its letters."""
    new, old = _changed(name)
    return f"With {new} in the place of {old}" if old else f"With {new} beside the paper's methods"


def _changed(name: str) -> tuple[str, str]:
    """Return (method that came, method that it replaced, if any)."""
    if name.startswith("with "):
        return name.removeprefix("with "), ""
    new, _, old = name.partition(" for ")
    return new, old


def _alike(name: str, before: Verdict, after: Verdict) -> bool:
    """Whether the first place, Friedman's verdict and those about single methods stay as they were.

    What takes another's place must fare as that one did; a method that joins must neither come first nor
    turn out significantly better than the control.
    """
    new, old = _changed(name)

    def told(verdict: Verdict) -> tuple[Any, ...]:
        parts = (verdict.first, verdict.beaten, verdict.ahead)
        names = [frozenset(new if method == old else method for method in part) for part in parts]
        return verdict.rejected, *(part if old else part - {new} for part in names)

    joined_behind = old or (new not in after.first and new not in after.ahead)
    return bool(joined_behind) and told(before) == told(after)


def _news(name: str, after: Mapping[tuple[str, str], Verdict], control: str) -> str:
    """Return what is said of the method that came."""
    new, _ = _changed(name)
    beaten = [key for key, verdict in after.items() if new in verdict.beaten]
    undecided = [key for key, verdict in after.items() if new in verdict.undecided]
    parts = []
    if beaten:
        parts.append(f"{control} is significantly better than {new} on {_measures(beaten)}")
    if undecided:
        parts.append(f"no difference between {control} and {new} is shown on {_measures(undecided)}")
    return ", ".join(parts) or f"{new} is significantly better than {control}"


def _measures(keys: Sequence[tuple[str, str]]) -> str:
    return listed(_place(key, keys) for key in keys)


def count_sentences(counts: Sequence[Count], control: str) -> list[str]:
    """Return on how many data sets a method is as good as the control, for each measure."""
    if not counts or not any(count.datasets for count in counts):
        return []
    several = len({count.evaluator for count in counts}) > 1
    parts = [
        f"{count.as_good} of {count.datasets} data sets for {count.measure}"
        + (f" by {count.evaluator}" if several else "")
        + f" (the same on {count.same})"
        for count in counts
    ]
    return [f"Data set by data set, {counts[0].method} is as good as {control} or better on {listed(parts)}."]
