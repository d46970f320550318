"""Where a decision of the questions falls: who is told apart, by what default, and what is said of it."""

import math

import numpy as np
import pytest
from scipy import stats
from synthetic_study import DIRECTIONS, all_sentences, performance_table

from mlsieve.analysis import Analysis, PerformanceTable, run_questions
from mlsieve.analysis.choices import Choices
from mlsieve.stats import wilcoxon_test


def analysis(**changes):
    return Analysis(directions=DIRECTIONS, **changes)


def with_values(value_of_size, n_datasets, pairs=None):
    """A table of f1 on which a method's value is that of its size; pairs left out are worth 0.5."""
    table = performance_table(n_datasets=n_datasets, measures=("f1",), sizes=tuple(value_of_size))
    table["value"] = table["size"].map(value_of_size).fillna(0.5)
    if pairs is not None:
        labels = table["ensemble"] + "/" + table["score"]
        table["value"] = table["value"].where(labels.isin(pairs), 0.5)
    return table


def own_size(table, label, **changes):
    asked = analysis(choice="own", **changes)
    return Choices(PerformanceTable(table, asked), asked).size(label)


def test_a_size_is_told_from_the_best_only_where_friedman_rejects():
    """Ranks 3, 2, 1 on four sets: p = exp(-4) = 0.018, and Nemenyi's 2.34 sqrt(2 / 4) = 1.66 is less than 2.

    Where the other seven pairs tie everywhere, the p-value corrected for the eight tests is 0.15.
    """
    values = {10: 0.5, 25: 0.6, 50: 0.7}
    assert own_size(with_values(values, 4, pairs=["bagging/genie3"]), "bagging/genie3") == (10, "")
    assert own_size(with_values(values, 4), "bagging/genie3") == (25, "")


def test_a_size_at_the_critical_distance_is_told_from_the_best():
    """Ranks 3, 2, 1 on eight sets: Nemenyi's distance is q sqrt(3 * 4 / (6 * 8)) = q / 2, so 1 for q = 2."""
    level = float(stats.studentized_range.sf(2 * math.sqrt(2), 3, np.inf))
    table = with_values({10: 0.5, 25: 0.6, 50: 0.7}, 8)
    assert own_size(table, "bagging/genie3", significance=level)[0] == 50
    # A distance that exceeds 1 by no more than rounding is still 1, one that exceeds it by 0.005 is not.
    assert own_size(table, "bagging/genie3", significance=level * (1 - 1e-13))[0] == 50
    assert own_size(table, "bagging/genie3", significance=level * 0.99)[0] == 25


def test_differences_of_zero_are_ranked_and_then_dropped_by_default():
    """Seven sets, two of them tied: the others have the ranks 3 to 7, and 3 + 4 speak for uniform.

    Seven of the 32 sums of random signs are at most 7: {}, 3, 4, 5, 6, 7, 3 + 4.
    """
    differences = [0.0, 0.0, -0.1, -0.2, 0.3, 0.4, 0.5]
    found = wilcoxon_test(differences)
    assert (found.positive, found.negative, found.p_value) == (18.0, 7.0, 2 * 7 / 32)
    table = with_values({10: 0.5}, 7)
    better = dict(zip(sorted(table["dataset"].unique()), differences, strict=True))
    table["value"] += table["dataset"].map(better).where(table["size"] == 10, 0.0)
    for asked in (analysis(), Analysis.from_mapping({"directions": DIRECTIONS})):
        tests = run_questions(table, asked).tests
        row = tests[tests["comparison"] == "bagging/genie3 against uniform"].iloc[0]
        assert (row["rank_sum_better"], row["rank_sum_worse"]) == (18.0, 7.0)
        assert row["p_value"] == pytest.approx(2 * 7 / 32)


@pytest.mark.parametrize("difference", [0.1, -0.1])
@pytest.mark.parametrize("n_datasets, rejected", [(3, 0), (6, 1)])
def test_only_a_rejected_test_is_called_better_or_worse(difference, n_datasets, rejected):
    """Uniform loses (or wins) on every set, but with three sets p is at least 0.25; with six it is 0.031."""
    table = with_values({10: 0.5 + difference}, n_datasets)
    answers = run_questions(table, analysis(questions=("relevance",), families=("paper",)))
    text = all_sentences(answers)
    side = "better" if difference > 0 else "worse"
    said = f"bagging/genie3 is significantly {side} than uniform on f1 (p = 0.0312; "
    if not rejected:
        said = "the difference between bagging/genie3 and uniform on f1 is not significant (p = 0.25; "
    assert f"over {n_datasets} datasets, {said}" in text
    assert ("significantly" in text) == bool(rejected)
