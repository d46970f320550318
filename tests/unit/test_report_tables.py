"""The report's table of ensembles and its table of costs, against numbers worked out by hand."""

import pandas as pd

from mlsieve.report.ensembles import best_ensembles, ensemble_table, times_best
from mlsieve.report.ranking_costs import (
    positive_shares,
    ranking_costs,
    score_cost_sentences,
    score_cost_table,
)

GENIE3 = {"f1": (1.5, 2.0, 2.5), "auroc": (2.0, 1.0, 3.0), "coverage": (1.75, 1.75, 2.5)}
PERMUTATION = {"f1": (1.25, 1.75), "auroc": (1.5, 1.5), "coverage": (1.75, 1.25)}


def rank_rows(question, comparison, ranks, methods, family="paper", variant="all", distance=float("nan")):
    return [
        {
            "question": question,
            "family": family,
            "variant": variant,
            "evaluator": "weighted-knn",
            "measure": measure,
            "comparison": comparison,
            "method": method,
            "rank": rank,
            "critical_distance": distance,
            "n_datasets": 4,
            "test": "nemenyi",
            "control": "",
        }
        for measure, values in ranks.items()
        for method, rank in zip(methods, values, strict=True)
    ]


def ensemble_ranks():
    genie3 = [f"{name}/genie3" for name in ("bagging", "extra-trees", "random-forest")]
    rows = rank_rows("ensemble", "genie3", GENIE3, genie3)
    rows += rank_rows(
        "ensemble", "permutation", PERMUTATION, ["bagging/permutation", "random-forest/permutation"]
    )
    # None of these belongs into the table: other family, other variant, other question.
    rows += rank_rows(
        "ensemble", "genie3", {"f1": (3.0, 2.0, 1.0, 4.0)}, [*genie3, "uniform"], family="extended"
    )
    rows += rank_rows("ensemble", "genie3", {"f1": (3.0, 2.0, 1.0)}, genie3, variant="without-differing")
    rows += rank_rows("score", "scores", {"f1": (1.0, 2.0, 3.0)}, genie3)
    return pd.DataFrame(rows)


def texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def bold(table):
    return [[cell.text for cell in row.cells if "best" in cell.style] for row in table.rows]


def test_average_ranks_of_each_scores_ensembles():
    table = ensemble_table(ensemble_ranks())
    assert [column.name for column in table.columns] == [
        "measure",
        "genie3: bagging",
        "genie3: extra-trees",
        "genie3: random-forest",
        "permutation: bagging",
        "permutation: random-forest",
    ]
    assert texts(table) == [
        ["f1", "1.50", "2.00", "2.50", "1.25", "1.75"],
        ["auroc", "2.00", "1.00", "3.00", "1.50", "1.50"],
        ["coverage", "1.75", "1.75", "2.50", "1.75", "1.25"],
        ["mean of 3", "1.75", "1.58", "2.67", "1.50", "1.50"],
        ["measures where best", "2", "2", "0", "2", "2"],
    ]
    assert bold(table) == [
        ["1.50", "1.25"],
        ["1.00", "1.50", "1.50"],
        ["1.75", "1.75", "1.25"],
        ["1.58", "1.50", "1.50"],
        [],
    ]


def test_a_tie_counts_for_both():
    counts = times_best(best_ensembles(ensemble_ranks()))
    assert counts["genie3", "bagging"] == counts["genie3", "extra-trees"] == 2


def test_a_score_without_ranks_on_a_measure_shows_a_gap():
    ranks = ensemble_ranks()
    ranks = ranks[~((ranks["measure"] == "auroc") & (ranks["comparison"] == "permutation"))]
    table = ensemble_table(ranks)
    assert texts(table)[1] == ["auroc", "2.00", "1.00", "3.00", "–", "–"]
    assert texts(table)[3][0] == "mean of 2"


def test_no_question_no_table():
    ranks = ensemble_ranks()
    assert ensemble_table(ranks[ranks["question"] == "score"]) is None
    assert score_cost_table(ranks[ranks["question"] == "ensemble"], USED, [], RANKINGS) is None


def timing(dataset, step, seconds, ensemble="", score="", method="pct"):
    return {
        "dataset": dataset,
        "method": method,
        "seconds": seconds,
        "step": step,
        "ensemble": ensemble,
        "score": score,
    }


TIMINGS = [
    timing("one", "prepare", "9.00", method=""),
    timing("one", "grow", "4.00", "bagging"),
    timing("two", "grow", "8.00", "bagging"),
    timing("two", "grow", "12.00", "bagging"),  # a second split: the data set counts once, with 10
    timing("one", "rank", "1.00", "bagging", "genie3"),
    timing("two", "rank", "2.00", "bagging", "genie3"),
    timing("one", "rank", "3.00", "bagging", "permutation"),
    timing("two", "rank", "", "bagging", "permutation"),  # too short to be sampled
    timing("one", "rank", "0.50", method="uniform"),
    timing("two", "rank", "1.50", method="uniform"),
    timing("one", "predict", "99.00", "bagging", "genie3"),
]


def ranking(dataset, score, size, positive, features, method="pct", ensemble="bagging"):
    keys = ("dataset", "split", "repeat", "method", "ensemble", "score", "size", "features", "positive")
    return dict(
        zip(keys, (dataset, "official", 0, method, ensemble, score, size, features, positive), strict=True)
    )


RANKINGS = pd.DataFrame(
    [
        ranking("one", "genie3", 10, 20, 40),
        ranking("two", "genie3", 10, 10, 100),
        ranking("one", "genie3", 50, 40, 40),
        ranking("two", "genie3", 50, 100, 100),
        ranking("one", "permutation", 10, 4, 40),
        ranking("two", "permutation", 10, 20, 100),
        ranking("one", "", 0, 40, 40, method="uniform", ensemble=""),
        ranking("two", "", 0, 100, 100, method="uniform", ensemble=""),
    ]
)
LABELS = ["bagging/genie3", "bagging/permutation"]
USED = pd.DataFrame(
    [{"choice": "paper", "kind": "size", "item": label, "value": "10", "used": True} for label in LABELS]
    + [{"choice": "paper", "kind": "ensemble", "item": "genie3", "value": "bagging", "used": True}]
)


def test_a_ranking_costs_its_grow_and_its_rank_job():
    costs = ranking_costs(TIMINGS)
    assert (costs["bagging/genie3"].grow, costs["bagging/genie3"].rank) == (7.0, 1.5)
    assert costs["bagging/permutation"].seconds == 10.0
    assert (costs["uniform"].grow, costs["uniform"].rank) == (0.0, 1.0)
    assert set(costs) == {*LABELS, "uniform"}
    assert ranking_costs([]) == {}


def test_labels_name_the_method_where_several_have_ensembles():
    other = [{**row, "method": "mine"} for row in TIMINGS if row["ensemble"]]
    assert set(ranking_costs(TIMINGS + other)) == {
        "uniform",
        *(f"{method}/{label}" for method in ("pct", "mine") for label in LABELS),
    }


def test_positive_shares_are_those_of_the_size_in_use():
    shares = positive_shares(RANKINGS, {label: 10 for label in LABELS})
    assert shares.loc["bagging/genie3"].tolist() == [0.3, 0.1, 0.5]
    assert abs(shares.loc["bagging/permutation", "mean"] - 0.15) < 1e-12
    assert positive_shares(RANKINGS, {}).loc["bagging/genie3", "mean"] == 1.0, "the largest size"


def score_rows():
    rows = rank_rows("score", "scores", {"f1": (1.25, 1.75), "auroc": (1.0, 2.0)}, LABELS)
    rows += rank_rows("score", "scores", {"f1": (1.0, 2.0, 3.0)}, [*LABELS, "uniform"], family="extended")
    return pd.DataFrame(rows)


def test_cost_stands_beside_the_ranks():
    table = score_cost_table(score_rows(), USED, TIMINGS, RANKINGS)
    assert texts(table) == [
        ["bagging/genie3", "10", "1.12", "8.5", "7.0", "30.0%", "10.0% to 50.0%"],
        ["bagging/permutation", "10", "1.88", "10.0", "7.0", "15.0%", "10.0% to 20.0%"],
        ["uniform", "", "", "1.0", "", "100.0%", "100.0% to 100.0%"],
    ]
    bare = score_cost_table(score_rows(), USED, [], RANKINGS.iloc[:0])
    assert texts(bare)[0] == ["bagging/genie3", "10", "1.12", "", "", "", ""]


def score_tests(rejected):
    return pd.DataFrame(
        {
            "question": "score",
            "family": "paper",
            "variant": "all",
            "test": "wilcoxon",
            "methods": ";".join(LABELS),
            "p_value": 0.5,
            "rejected": rejected,
        }
    )


def test_cost_decides_where_the_scores_are_not_told_apart():
    words = (score_rows(), USED, TIMINGS, RANKINGS)
    assert score_cost_sentences(score_tests([True, False]), *words) == [
        "The scores are not told apart in 1 of 2 tests; there, cost decides. The quickest is bagging/genie3 "
        "with 8.5 seconds a data set, the slowest bagging/permutation with 10. The fewest features get a "
        "positive weight from bagging/permutation (15.0% of them on average), the most from bagging/genie3 "
        "(30.0%)."
    ]
    assert score_cost_sentences(score_tests([True, True]), *words) == []
