"""How many features does each ranking weigh, how long does it take, and do efficient ones predict better?"""

from __future__ import annotations

import itertools

import numpy as np

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.ranking_costs import SAME_TREES, agreement, shares_by_dataset
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import listed, number
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.registry import register
from mlsieve.stats._lazy import pd, stats
from mlsieve.tables.labels import Label, Labels

ERRORS = "permutation"  # the score that is based on errors, not on the nodes of the trees
FEWEST = 3  # datasets of a rank correlation
MOST_NAMED = 5
TOGETHER = " For a method without trees, the seconds are those of all its sizes together."
WITHIN_DATASET = "all, within a dataset"  # the row of all rankings


def section(study: SectionTables) -> Section:
    """Each ranking's share of positive weights and its cost, then the tables of the question."""
    return Section(tables=[*efficiency_tables(study), *study.own.values()])


@register.question(
    "efficiency",
    version=2,
    order=11,
    title="How efficient are the rankings?",
    tables={"compare": ("rankings",), "figures": ("rankings", "timings")},
    section=section,
)
def efficiency(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Shares of positive weights, compared and correlated with the quality of the rankings, without a test.

    The rankings are the scores, each with its chosen ensemble and size, and the rival (Petković, Džeroski,
    Kocev, Acta Polytechnica Hungarica 17(10), 2020, section 4.5). The report shows each ranking's time with
    its share. It also checks that genie3 and symbolic scores of one ensemble give equally many features a
    positive weight.
    """
    answer = Answer()
    if table.rankings is None or table.rankings.empty:
        return answer
    compared = compared_sizes(table, analysis, choices)
    shares = shares_of(table.rankings, compared)
    if len(shares.columns) < 2:
        answer.findings += plain_findings(agreement_sentences(table.rankings))
        return answer
    pairs = efficiency_counts(shares)
    answer.findings += plain_findings(
        [*_sentences(shares, table.by_label), *agreement_sentences(table.rankings)]
    )
    answer.tables.append(
        CountedTable(
            "positive-weights",
            "Numbers of positive weights, compared by pairs of rankings",
            "The table counts the datasets on which the first ranking gives fewer, equally many, or more "
            "features a positive weight than the second, each ranking at the size in use.",
            tuple(pairs.columns),
            tuple(pairs.itertuples(index=False, name=None)),
        )
    )
    quality = efficiency_against_quality(table, analysis, shares, compared)
    if len(quality):
        answer.tables.append(
            CountedTable(
                "efficiency-quality",
                "Share of positive weights against quality",
                "The row of a ranking shows Spearman's correlation over the datasets of its share of "
                f"positive weights with its gain over {analysis.unweighted} (above 0: it gains more where it "
                "weighs a larger share). The row of all rankings shows Kendall's tau-b of share and "
                "measure over the rankings within each dataset, averaged over the datasets (above 0: on "
                "one dataset, rankings that weigh more features are better). These correlations are not "
                "tested.",
                tuple(quality.columns),
                tuple(quality.itertuples(index=False, name=None)),
                numbers=(2, 3, 4),
            )
        )
    return answer


def compared_sizes(table: PerformanceTable, analysis: Analysis, choices: Choices) -> dict[str, int]:
    """Return the rankings to compare and their sizes: each score with its chosen ensemble, and the rival."""
    labels = choices.labels_of_scores("paper")
    labels += [analysis.rival] if analysis.rival in table.singles() else []
    return {label: choices.size(label)[0] for label in labels}


def shares_of(rankings: pd.DataFrame, sizes: dict[str, int]) -> pd.DataFrame:
    """Return shares of positive weights as datasets by rankings, of datasets that have all of them.

    Parameters
    ----------
    rankings : DataFrame
        rankings.csv.
    sizes : dict of str to int
        Label to size of each ranking.
    """
    shares = shares_by_dataset(rankings, sizes)
    present = [label for label in sizes if label in shares.index]
    return shares.loc[present].T.dropna() if present else pd.DataFrame()


def efficiency_counts(shares: pd.DataFrame) -> pd.DataFrame:
    """Return for each pair of rankings on how many datasets the first weighs fewer features.

    Parameters
    ----------
    shares : DataFrame, datasets by rankings

    Returns
    -------
    DataFrame
        Columns first, second, datasets, fewer, equal, more.
    """
    rows = []
    for first, second in itertools.combinations(shares.columns, 2):
        difference = (shares[first] - shares[second]).round(12)
        counts = int((difference < 0).sum()), int((difference == 0).sum()), int((difference > 0).sum())
        rows.append((first, second, len(shares), *counts))
    return pd.DataFrame(rows, columns=["first", "second", "datasets", "fewer", "equal", "more"])


def fewest_counts(shares: pd.DataFrame) -> dict[str, int]:
    """Return for each ranking on how many datasets it weighs fewer features than every other one."""
    ordered = shares.round(12)
    return {
        str(label): int((ordered[label] < ordered.drop(columns=label).min(axis=1)).sum())
        for label in ordered.columns
    }


def _sentences(shares: pd.DataFrame, labels: Labels) -> list[str]:
    trees = [str(label) for label in shares.columns if labels[str(label)].of_trees]
    scores = {labels[label].score: label for label in trees}
    sentences = []
    others = [scores[score] for score in SAME_TREES if score in scores]
    if ERRORS in scores and len(others) == len(SAME_TREES):
        count = fewest_counts(shares[[scores[ERRORS], *others]])[scores[ERRORS]]
        sentences.append(
            f"{scores[ERRORS]} gives fewer features a positive weight than both {listed(others)} on {count} "
            f"of {number_of(len(shares), 'dataset')}."
        )
    rivals = [str(label) for label in shares.columns if str(label) not in trees]
    for rival in rivals:
        count = fewest_counts(shares[[rival, *trees]])[rival]
        sentences.append(
            f"{rival} gives fewer features a positive weight than every tree ranking on {count} of "
            f"{number_of(len(shares), 'dataset')}."
        )
    return sentences


def efficiency_against_quality(
    table: PerformanceTable, analysis: Analysis, shares: pd.DataFrame, sizes: dict[str, int]
) -> pd.DataFrame:
    """Return rank correlations of shares of positive weights with quality.

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    shares : DataFrame, datasets by rankings
    sizes : dict of str to int

    Returns
    -------
    DataFrame
        Columns measure, ranking, datasets, mean share, correlation (text, empty where it is not defined:
        fewer than three datasets, or equal values only); the last row of a measure is about all rankings.
    """
    rows = []
    several = len(table.evaluators) > 1
    for evaluator, measure in itertools.product(table.evaluators, table.measures):
        labels = [str(label) for label in shares.columns]
        columns = [(label, sizes[label]) for label in labels]
        sign = -1.0 if table.directions[measure] == "lower" else 1.0
        values = sign * table.values(evaluator, measure, columns, rounded=False)
        values.columns = pd.Index(labels)
        name = f"{measure}, {evaluator}" if several else measure
        known = values.dropna().index.intersection(shares.index)
        own, quality = shares.loc[known], values.loc[known]
        if analysis.unweighted in table.singles():
            reference = table.values(evaluator, measure, [(analysis.unweighted, 0)], rounded=False)
            gain = quality.sub(sign * reference.iloc[:, 0].loc[known], axis=0)
            for label in labels:
                both = pd.DataFrame({"share": own[label], "gain": gain[label]}).dropna()
                rho = _correlation(both["share"], both["gain"])
                rows.append((name, label, len(both), f"{own[label].mean():.1%}", rho))
        taus = [_tau(own.loc[dataset], quality.loc[dataset]) for dataset in known]
        taus = [tau for tau in taus if tau == tau]
        if len(labels) > 2 and taus:
            rows.append((name, WITHIN_DATASET, len(taus), "", f"{np.mean(taus):.3f}"))
    return pd.DataFrame(rows, columns=["measure", "ranking", "datasets", "mean share", "correlation"])


def _correlation(first: pd.Series, second: pd.Series) -> str:
    if len(first) < FEWEST or first.nunique() < 2 or second.nunique() < 2:
        return ""
    return f"{float(stats.spearmanr(first, second).statistic):.3f}"


def _tau(first: pd.Series, second: pd.Series) -> float:
    if first.nunique() < 2 or second.nunique() < 2:
        return float("nan")
    return float(stats.kendalltau(first, second).statistic)


def size_shown(label: Label, sizes: dict[str, int]) -> str:
    """Return the size in use as a table shows it: a number of trees, or a share; empty without sizes."""
    size = sizes.get(str(label), 0)
    return "" if not size else str(size) if label.of_trees else label.size_in_words(size)


def together(sizes: dict[str, int], labels: Labels) -> str:
    """Return a sentence on the seconds of methods without trees; empty if all have trees."""
    return "" if all(labels[name].of_trees for name in sizes) else TOGETHER


def efficiency_tables(study: SectionTables) -> list[CountedTable]:
    """Return a table with a row for each ranking, that with the fewest positive weights first."""
    sizes, costs = study.sizes, study.costs
    shares = shares_by_dataset(study.rankings, sizes)
    if shares.empty:
        return []
    rows = []
    for label in sorted(shares.index, key=lambda label: (float(shares.loc[label].mean()), label)):
        share = shares.loc[label].dropna()
        rows.append(
            (
                label,
                size_shown(study.labels[label], sizes),
                len(share),
                f"{share.mean():.1%}",
                f"{share.min():.1%} to {share.max():.1%}",
                number(costs[label].seconds) if label in costs else "",
            )
        )
    text = (
        "Positive weights are the share of the features to which the ranking at the size in use gives a "
        "weight above zero; with fewer of them, distances are cheaper to compute. CPU seconds are those of "
        "growing and ranking at the size in use, averaged over the datasets."
    ) + together(sizes, study.labels)
    columns = ("ranking", "size", "datasets", "positive weights", "from the least to the most")
    return [
        CountedTable(
            "efficiency",
            "Positive weights and ranking time",
            text,
            (*columns, "CPU seconds per dataset"),
            tuple(rows),
            numbers=(1, 2, 3, 4, 5),
            folded=False,
        )
    ]


def agreement_sentences(rankings: pd.DataFrame) -> list[str]:
    """Return whether genie3 and symbolic scores of one ensemble weigh equally many features, and where not.

    Both weigh the features that some node of the trees tests, so their numbers must agree.
    """
    found = agreement(rankings)
    if not found.checked:
        return []
    head = (
        "Genie3 and symbolic scores of one ensemble both weigh the features that its nodes test, so both "
        "must give equally many features a positive weight"
    )
    over = f"{number_of(format(found.checked, ','), 'pair')} of rankings (dataset, ensemble and size)"
    if not found.differing:
        return [f"{head}. They do in all of {over}."]
    more = len(found.differing) - MOST_NAMED
    shown = listed([*found.differing[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])
    return [f"{head}. They do not in {len(found.differing):,} of {over}: {shown}."]
