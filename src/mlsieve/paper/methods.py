"""The paragraph on statistical methods of a paper, with its citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlsieve.analysis.sentences.wording import listed
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN, PERMUTATION
from mlsieve.paper.verdicts import RESAMPLED
from mlsieve.stats._lazy import pd
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL


@dataclass(frozen=True)
class Facts:
    """What the tables of tests do not say of a comparison.

    Attributes
    ----------
    methods, measures : sequence of str
    n_datasets : int
        In the table, whether complete or not.
    n_families : int
        Of related datasets; 0 without.
    repeats : str
        What the values are means of, such as ``fold``; empty for single values.
    rounding : mapping
        ``{"decimals": 3}`` or ``{"significant": 3}``; empty if values are compared as they are.
    significance : float
    rope : float or None
        Half the width of the region of practical equivalence; None without Bayesian tests.
    draws, prior : int, float
        Of the Bayesian tests.
    zeros : {"pratt", "split", "wilcox"}
        Differences of zero in Wilcoxon's test.
    pairs : bool
        Whether Wilcoxon's test and the rank-biserial correlation of each pair are given.
    datasets : sequence of str
        Their names, if there are few.
    adjusted_over : str
        Over which tests p-values were adjusted, as it ends a sentence; empty where it is not said.
    family, families : str
        What a group of related datasets is called.
    """

    methods: Sequence[str]
    measures: Sequence[str]
    n_datasets: int
    n_families: int = 0
    repeats: str = ""
    rounding: Mapping[str, int] | None = None
    significance: float = 0.05
    rope: float | None = None
    draws: int = 0
    prior: float = 0.0
    zeros: str = "pratt"
    pairs: bool = False
    datasets: Sequence[str] = ()
    adjusted_over: str = ""
    family: str = "family"
    families: str = "families"


def methods_paragraph(tests: pd.DataFrame, ranks: pd.DataFrame, facts: Facts) -> str:
    """Return the paragraph, with citations such as ``[@demsar2006]``. It names only tests that were made.

    Parameters
    ----------
    tests, ranks : DataFrame
        Rows of tests.csv and average_ranks.csv of one question, method group, comparison and evaluator.
    facts : Facts
    """
    which = f" ({listed(facts.datasets)})" if facts.datasets else ""
    compared = (
        f"We compared {number_of(len(facts.methods), 'method')} ({listed(facts.methods)}) on "
        f"{number_of(facts.n_datasets, 'dataset')}{which} by {listed(facts.measures)}."
    )
    return " ".join([compared, *statistics_sentences(tests, ranks, facts)])


def statistics_sentences(tests: pd.DataFrame, ranks: pd.DataFrame, facts: Facts) -> list[str]:
    """Return which tests were made and how, with citations, and the version of mlsieve.

    Parameters
    ----------
    tests, ranks : DataFrame
        Rows of tests.csv and average_ranks.csv, of one comparison or of a whole study.
    facts : Facts
    """
    from mlsieve import __version__

    used = set(tests.loc[tests["p_value"].notna(), "test"])
    repeats = tests[tests["test"] == RESAMPLED]
    if len(repeats):
        said = ["Average ranks are means of the ranks in each repeat."]
        if RESAMPLED in used:
            said.insert(
                0,
                "We compared the pairs of methods over the repeats by the corrected resampled t-test "
                f"[@nadeau2003] with {repeats['note'].iloc[0]}, and p-values adjusted over the pairs by the "
                "procedure of Benjamini and Hochberg [@benjamini1995].",
            )
    else:
        said = [*_values(facts), *_tests(used, ranks, tests, facts.adjusted_over)]
    if BY_DOMAIN in set(tests["variant"]):
        count = f" ({facts.n_families} {facts.families})" if facts.n_families else ""
        over = f", and made a permutation test of the mean ranks over {facts.families}"
        also = over if PERMUTATION in used else ""
        said.append(
            "Related datasets are not independent, so we repeated every test with each "
            f"{facts.family} of datasets{count} counted once{also}."
        )
    said += _differences(tests)
    if facts.pairs:
        said.append(
            "For each pair of methods we also give Wilcoxon's signed-rank test [@wilcoxon1945], with "
            "p-values adjusted over the pairs by the procedure of Benjamini and Hochberg [@benjamini1995], "
            "and the matched-pairs rank-biserial correlation [@kerby2014]."
        )
    if facts.pairs or "wilcoxon" in used:
        said.append(_ZEROS[facts.zeros])
    if facts.rope is not None:
        region = "without a region of practical equivalence"
        if facts.rope:
            region = f"with a region of practical equivalence of {facts.rope:g} on both sides of zero"
        said.append(
            f"We also made Bayesian signed-rank tests [@benavoli2017] {region} (prior strength "
            f"{facts.prior:g}, {facts.draws:,} draws)."
        )
    if used:
        said.append(f"The level of significance is {facts.significance:g}; all tests are two-sided.")
    said.append(f"The {'tests' if used else 'results'} were computed with mlsieve {__version__}.")
    return said


_ZEROS = {
    "pratt": "In Wilcoxon's test, differences of zero are ranked, and their ranks count for neither sum (the "
    "treatment of Pratt [@pratt1959]).",
    "split": "In Wilcoxon's test, differences of zero are ranked, and half of their ranks counts for either "
    "sum [@demsar2006].",
    "wilcox": "In Wilcoxon's test, differences of zero are left out.",
}


def _differences(tests: pd.DataFrame) -> list[str]:
    """Return how differences and their intervals are given; few datasets have no interval."""
    own = tests[tests["difference"].notna()]
    if own.empty:
        return []
    one_pair = "; an interval is that of one pair and is not adjusted for the number of pairs"
    alone = one_pair if own["methods"].nunique() > 1 else ""
    if (own["test"] == RESAMPLED).any():
        if own["interval_low"].isna().all():
            return ["Differences are means over the repeats."]
        return [f"Differences are means over the repeats, with the 95 % intervals of this test{alone}."]
    counts = own[["wins", "ties", "losses"]].sum(axis=1)
    few, many = bool((counts < FEWEST_FOR_INTERVAL).any()), bool((counts >= FEWEST_FOR_INTERVAL).any())
    estimate = "Differences of two methods are Hodges-Lehmann estimates over the datasets [@hodges1963], with"
    extremes = "the lowest and the highest difference"
    if not many:
        return [f"{estimate} {extremes}."]
    few_have = f"; where there are fewer than {FEWEST_FOR_INTERVAL} datasets, we give {extremes} instead"
    return [
        f"{estimate} the 95 % intervals that belong to Wilcoxon's signed-rank test{few_have * few}{alone}."
    ]


def _values(facts: Facts) -> list[str]:
    said = (
        [f"We averaged the values of a dataset over its repeats ({facts.repeats})."] if facts.repeats else []
    )
    rounding = facts.rounding or {}
    for kind, words in (("decimals", "decimal"), ("significant", "significant digit")):
        if kind in rounding:
            said.append(f"Values were rounded to {number_of(rounding[kind], words)} before ranking.")
    return said


def _tests(used: set[str], ranks: pd.DataFrame, tests: pd.DataFrame, adjusted_over: str) -> list[str]:
    said = []
    if "friedman" in used:
        kinds = set(tests.loc[tests["test"] == "friedman", "p_kind"].dropna()) - {""}
        decides = ", to which the p-values belong" if kinds == {"f"} else ""
        said.append(
            "We ranked the methods on each dataset (1 is best, ties share the mean of their ranks) and "
            "tested whether the average ranks differ by Friedman's test [@friedman1937]; we also give its "
            f"correction F_F [@iman1980]{decides}."
        )
    if "nemenyi" in used:
        said.append(
            "Where this test was significant, we compared all pairs of methods by Nemenyi's test "
            "[@nemenyi1963] [@demsar2006]."
        )
    if "bonferroni-dunn" in used:
        references = ranks["reference_method"].replace("", None).dropna().unique()
        reference = references[0] if len(references) == 1 else "a reference method"
        also = " also" if "nemenyi" in used else ""
        said.append(
            f"Where this test was significant, we{also} compared each method with {reference} by the "
            "Bonferroni-Dunn test [@dunn1961] [@demsar2006]."
        )
    if "wilcoxon" in used:
        said.append(
            "Where only two methods were compared, we used Wilcoxon's signed-rank test [@wilcoxon1945]."
            if "friedman" in used
            else "We compared the two methods by Wilcoxon's signed-rank test [@wilcoxon1945]."
        )
    main = tests[tests["test"].isin(["friedman", "wilcoxon"]) & tests["p_value"].notna()]
    if (main["p_value"] != main["p_adjusted"]).any():
        names = [name for name, test in _MAIN.items() if test in set(main["test"])]
        said.append(
            f"The p-values of {' and '.join(names)} were adjusted for multiple comparisons by the procedure "
            f"of Benjamini and Hochberg [@benjamini1995]{adjusted_over and f', {adjusted_over}'}."
        )
    return said


_MAIN = {"Friedman's test": "friedman", "Wilcoxon's test": "wilcoxon"}
