"""Figures printed by the study of hierarchical rankings, each found in its tables in another way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from published_study import figure_of, hierarchical_tables, values_of
from scipy.stats import kendalltau

from mlsieve.published import known_papers
from mlsieve.replication.rows import find
from mlsieve.replication.tables import Absent, StudyTables


@pytest.fixture(scope="module")
def hierarchical() -> StudyTables:
    return hierarchical_tables()


def test_the_hierarchical_papers_figures(hierarchical):
    ranks = hierarchical.ranks
    relief = ranks[
        (ranks["question"] == "saturation")
        & (ranks["comparison"] == "relief")
        & (ranks["variant"] == "all")
        & (ranks["family"] == "paper")
    ]
    spread = find(figure_of("hmlc_ranking", find="rank_spread"), hierarchical)
    assert spread.value == pytest.approx(relief["rank"].max() - relief["rank"].min()) and len(relief) == 6
    tests = hierarchical.tests
    own = tests[
        (tests["question"] == "relevance") & (tests["variant"] == "all") & (tests["family"] == "paper")
    ]
    rejected = own[own["rejected"]]
    figures = [
        f for f in known_papers()["hmlc_ranking"].figures if f.find == "p_extreme" and f.fact("rejected")
    ]
    found = [find(figure, hierarchical).value for figure in figures[:2]]
    assert found == [rejected["p_value"].min(), rejected["p_value"].max()]
    for score in ("symbolic", "genie3", "permutation"):
        average = find(figure_of("hmlc_ranking", find="average_rank", score=score), hierarchical)
        row = ranks[
            (ranks["question"] == "score") & (ranks["family"] == "paper") & (ranks["variant"] == "all")
        ]
        row = row[row["method"].str.endswith(score)]
        assert average.value == row["rank"].item()
    p_value = find(figure_of("hmlc_ranking", question="score", find="p_value"), hierarchical)
    score = tests[
        (tests["question"] == "score") & (tests["test"] == "friedman") & (tests["variant"] == "all")
    ]
    assert p_value.value == score[score["family"] == "paper"]["f_p"].item(), "by Iman and Davenport's F"


def test_between_and_efficiency_by_hand(hierarchical):
    inside = 0
    for name in hierarchical.names:
        own = [
            values_of(hierarchical, name, "pooled-auprc", f"random-forest/{score}", 10)
            for score in ("permutation", "symbolic", "genie3")
        ]
        inside += min(own[1:]) <= own[0] <= max(own[1:])
    found = find(figure_of("hmlc_ranking", find="between"), hierarchical)
    assert (found.value, found.of) == (inside, 10)
    equal = find(figure_of("hmlc_ranking", find="equal_positive"), hierarchical)
    assert (equal.value, equal.of) == (10, 10), "one ensemble, the same features"
    rankings = hierarchical.rankings
    rankings = rankings[rankings["size"] == 10]
    by_label = rankings.assign(label=rankings["ensemble"] + "/" + rankings["score"])
    by_label = by_label[by_label["method"] == "pct"].pivot(
        index="dataset", columns="label", values="positive"
    )
    fewer = by_label["bagging/permutation"] < by_label[
        ["random-forest/symbolic", "random-forest/genie3"]
    ].min(axis=1)
    figure = figure_of("hmlc_ranking", find="fewer_positive", method="bagging/permutation")
    assert find(figure, hierarchical).value == fewer.sum()
    with pytest.raises(Absent, match="hom_ara_FUN is not among"):
        (figure,) = [figure for figure in known_papers()["hmlc_ranking"].figures if figure.printed == "0.03"]
        assert figure.fact("method") == "random-forest/permutation", "Fig. 5b has random forests only"
        find(figure, hierarchical)


def test_similar_scores(hierarchical):
    similarity = hierarchical.similarity.groupby(["first", "second"])["similarity"].mean()
    first, second = similarity.idxmax()
    found = find(figure_of("hmlc_ranking", find="most_similar_pair"), hierarchical)
    assert found.value == ", ".join(sorted(label.split("/")[-1] for label in (first, second)))
    names = {name for names in similarity.index for name in names}
    means = {name: np.mean([v for k, v in similarity.items() if name in k]) for name in names}
    found = find(figure_of("hmlc_ranking", find="least_similar"), hierarchical)
    assert found.value == min(means, key=means.get).split("/")[-1]


def test_the_score_nearest_to_two_others(hierarchical):
    similarity = hierarchical.similarity.groupby(["first", "second"])["similarity"].mean()

    def mean(score, other):
        (value,) = [v for k, v in similarity.items() if {n.split("/")[-1] for n in k} == {score, other}]
        return value

    near = {score: mean(score, "symbolic") + mean(score, "genie3") for score in ("permutation", "relief")}
    figure = figure_of("hmlc_ranking", find="most_similar_to")
    assert find(figure, hierarchical).value == max(near, key=near.get)
    turned = hierarchical.similarity.rename(columns={"first": "second", "second": "first"})
    assert find(figure, dataclasses.replace(hierarchical, similarity=turned)).value == max(near, key=near.get)
    with pytest.raises(Absent, match="does not compare"):
        find(figure, dataclasses.replace(hierarchical, similarity=hierarchical.similarity.iloc[:0]))


def test_efficiency_against_quality_by_hand(hierarchical):
    """Kendall's tau-b of both, in each dataset over the four rankings; then the mean."""
    labels = ["random-forest/symbolic", "random-forest/genie3", "bagging/permutation", "relief"]
    rankings = hierarchical.labelled_rankings
    taus = []
    for name in hierarchical.names:
        shares, quality = [], []
        for label in labels:
            size = 1 if label == "relief" else 10
            row = rankings[(rankings["dataset"] == name) & (rankings["label"] == label)]
            row = row[row["size"] == size].iloc[0]
            shares.append(row["positive"] / row["features"])
            quality.append(values_of(hierarchical, name, "pooled-auprc", label, size))
        if len(set(shares)) > 1:
            taus.append(kendalltau(shares, quality).statistic)
    found = find(figure_of("hmlc_ranking", find="efficiency_correlation"), hierarchical)
    assert found.value == pytest.approx(np.mean(taus), abs=0.0005) and found.n_datasets == len(taus)
    with pytest.raises(Absent, match="positive weights"):
        without = dataclasses.replace(hierarchical, rankings=hierarchical.rankings.iloc[:0])
        find(figure_of("hmlc_ranking", find="efficiency_correlation"), without)


def test_the_second_highest_number_of_features(hierarchical):
    figure = figure_of("hmlc_ranking", find="nth_largest")
    facts = {"dataset": hierarchical.names, "n_train": 1, "n_test": 1}
    facts["F"] = [5, 9, 9, 7, *[1] * (len(hierarchical.names) - 4)]
    found = find(figure, dataclasses.replace(hierarchical, datasets=pd.DataFrame(facts)))
    assert found.value == 7, "two datasets have the highest number"
    facts["F"] = 3
    with pytest.raises(Absent, match="1 different number"):
        find(figure, dataclasses.replace(hierarchical, datasets=pd.DataFrame(facts)))


def test_candidates_on_both_kinds_of_datasets(hierarchical):
    for subset, n in (("binary features only", 6), ("not only binary features", 4)):
        figure = figure_of("hmlc_ranking", subset=subset, score="genie3")
        assert find(figure, hierarchical).n_datasets == n
