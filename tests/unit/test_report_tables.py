"""The report's table of ensembles and its table of costs, against numbers worked out by hand."""

import pandas as pd
import pytest
from synthetic_study import performance_table, section_tables, shown

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.ranking_costs import Cost, positive_shares, ranking_costs
from mlsieve.questions.ensembles.ensemble import best_ensembles, ensemble_tables, times_best
from mlsieve.questions.ensembles.relevance import glance_tables, section
from mlsieve.questions.ensembles.score_costs import cost_verdict, score_cost_sentences, score_cost_tables
from mlsieve.report.tables import test_table as table_of_tests
from mlsieve.sections.values import value_table
from mlsieve.tables.labels import labels_in

BY_LABEL = labels_in(performance_table(1))
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
            "reference_method": "",
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
    # None of these belongs into the table: other family, other variant.
    rows += rank_rows(
        "ensemble", "genie3", {"f1": (3.0, 2.0, 1.0, 4.0)}, [*genie3, "uniform"], family="extended"
    )
    rows += rank_rows("ensemble", "genie3", {"f1": (3.0, 2.0, 1.0)}, genie3, variant="without-differing")
    return pd.DataFrame(rows)


def texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def bold(table):
    return [[cell.text for cell in row.cells if "best" in cell.style] for row in table.rows]


def test_average_ranks_of_each_scores_ensembles():
    table = shown(*ensemble_tables(ensemble_ranks(), BY_LABEL))
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
    counts = times_best(best_ensembles(ensemble_ranks(), BY_LABEL))
    assert counts["genie3", "bagging"] == counts["genie3", "extra-trees"] == 2


def test_a_score_without_ranks_on_a_measure_shows_a_gap():
    ranks = ensemble_ranks()
    ranks = ranks[~((ranks["measure"] == "auroc") & (ranks["comparison"] == "permutation"))]
    table = shown(*ensemble_tables(ranks, BY_LABEL))
    assert texts(table)[1] == ["auroc", "2.00", "1.00", "3.00", "–", "–"]
    assert texts(table)[3][0] == "mean of 2"


def test_no_question_no_table():
    ranks = ensemble_ranks()
    assert ensemble_tables(ranks[:0], BY_LABEL) == []
    assert score_cost_tables(costs_of(ranks=ranks)) == []


def timing(dataset, step, work, ensemble="", score="", method="pct", trees="50"):
    """A row of timings.csv whose job took 99 seconds, and `work` (once, trees, permutation) for itself."""
    parts = dict(zip(("work_once", "work_trees", "work_permutation"), work, strict=True))
    head = {"dataset": dataset, "method": method, "seconds": "99.00", "cpu_seconds": "98.00", "step": step}
    return head | {"ensemble": ensemble, "score": score, "trees": trees if ensemble else ""} | parts


TIMINGS = [
    timing("one", "prepare", ("", "", ""), method=""),
    timing("one", "grow", ("1.0", "10.0", "5.0"), "bagging"),
    timing("two", "grow", ("2.0", "20.0", "0.0"), "bagging"),
    timing("two", "grow", ("4.0", "40.0", "10.0"), "bagging"),  # a second split: the dataset counts once
    timing("one", "rank", ("0.0", "1.0", "0.0"), "bagging", "genie3"),
    timing("two", "rank", ("0.0", "2.0", "0.0"), "bagging", "genie3"),
    timing("one", "rank", ("0.0", "3.0", "0.0"), "bagging", "permutation"),
    timing("two", "rank", ("", "", ""), "bagging", "permutation"),  # of a run that measured nothing
    timing("one", "rank", ("0.5", "0.0", "0.0"), method="uniform"),
    timing("two", "rank", ("1.5", "0.0", "0.0"), method="uniform"),
    timing("one", "predict", ("", "", ""), "bagging", "genie3"),
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


def test_a_ranking_costs_its_own_work_at_the_size_in_use():
    costs = ranking_costs(TIMINGS, dict.fromkeys(LABELS, 10))
    # Ten of fifty trees: (1 + 10 / 5, and the mean of 2 + 20 / 5 and 4 + 40 / 5) / 2, and of (1, 2) / 5.
    assert costs["bagging/genie3"] == Cost(6.0, 0.0, pytest.approx(0.3))
    assert costs["bagging/permutation"] == Cost(6.0, 1.0, pytest.approx(0.6))
    assert costs["bagging/permutation"].seconds == pytest.approx(7.6)
    assert costs["uniform"] == Cost(0.0, 0.0, 1.0)
    assert set(costs) == {*LABELS, "uniform"}
    assert ranking_costs(TIMINGS, {})["bagging/genie3"] == Cost(22.0, 0.0, 1.5), "the largest size"
    assert ranking_costs([], {}) == {}


def test_jobs_that_tell_nothing_cost_nothing_known():
    old = [{**row, "work_once": "", "work_trees": "", "work_permutation": ""} for row in TIMINGS]
    assert ranking_costs(old, {}) == {}
    table = shown(*score_cost_tables(costs_of(timings=old)))
    assert texts(table)[0] == ["bagging/genie3", "10", "1.12", "", "", "", "30.0%", "10.0% to 50.0%"]
    (text,) = score_cost_sentences(costs_of(score_tests([False]), timings=old))
    assert "(1.12); its advantage is not significant. bagging/permutation gives the fewest features" in text
    assert "CPU seconds" not in text


def test_labels_name_the_method_where_several_have_ensembles():
    """A registered method's own id is left out: the others are variants with a name of the study's."""
    other = [{**row, "method": "mine"} for row in TIMINGS if row["ensemble"]]
    named = {f"mine/{label}" for label in LABELS}
    assert set(ranking_costs(TIMINGS + other, {})) == {"uniform", *LABELS, *named}
    second = [{**row, "method": "theirs"} for row in other]
    assert set(ranking_costs(second + other, {})) == named | {f"theirs/{label}" for label in LABELS}


def test_positive_shares_are_those_of_the_size_in_use():
    shares = positive_shares(RANKINGS, {label: 10 for label in LABELS})
    assert shares.loc["bagging/genie3"].tolist() == [0.3, 0.1, 0.5]
    assert abs(shares.loc["bagging/permutation", "mean"] - 0.15) < 1e-12
    assert positive_shares(RANKINGS, {}).loc["bagging/genie3", "mean"] == 1.0, "the largest size"


def costs_of(tests=None, ranks=None, timings=(), rankings=RANKINGS, **more):
    """Return the tables of a study with costs as its sections read them."""
    ranks = score_rows() if ranks is None else ranks
    return section_tables(tests=tests, ranks=ranks, used=USED, timings=timings, rankings=rankings, **more)


def score_rows():
    rows = rank_rows("score", "scores", {"f1": (1.25, 1.75), "auroc": (1.0, 2.0)}, LABELS)
    rows += rank_rows("score", "scores", {"f1": (1.0, 2.0, 3.0)}, [*LABELS, "uniform"], family="extended")
    return pd.DataFrame(rows)


def test_cost_stands_beside_the_ranks():
    table = shown(*score_cost_tables(costs_of(timings=TIMINGS)))
    assert texts(table) == [
        ["bagging/genie3", "10", "1.12", "6.3", "6", "", "30.0%", "10.0% to 50.0%"],
        ["bagging/permutation", "10", "1.88", "7.6", "6", "1", "15.0%", "10.0% to 20.0%"],
        ["uniform", "", "", "1", "", "", "100.0%", "100.0% to 100.0%"],
    ]
    bare = shown(*score_cost_tables(costs_of(rankings=RANKINGS.iloc[:0], labels=RANKINGS)))
    assert texts(bare)[0] == ["bagging/genie3", "10", "1.12", "", "", "", "", ""]


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


def test_costs_that_are_alike_are_called_so():
    assert score_cost_sentences(costs_of(score_tests([True, False]), timings=TIMINGS)) == [
        "In 1 of 2 tests the scores do not differ significantly, which is not evidence that they are equally "
        "good. bagging/genie3 has the best mean rank over the measures (1.12) and costs 6.3 CPU seconds per "
        "dataset; its advantage is not significant in any of these tests. At the sizes in use, all cost "
        "about as much: 6.3 to 7.6 CPU seconds per dataset, which differ by less than a factor of 2. "
        "bagging/permutation gives the fewest features a positive weight (15.0% of them on average), "
        "bagging/genie3 the most (30.0%)."
    ]
    assert score_cost_sentences(costs_of(score_tests([True, True]), timings=TIMINGS)) == []


def test_the_first_place_and_its_cost_where_no_test_is_significant():
    dear = [{**row, "work_permutation": "75.0"} if row["step"] == "grow" else row for row in TIMINGS]
    (text,) = score_cost_sentences(costs_of(score_tests([False]), timings=dear))
    assert (
        "(1.12) and costs 6.3 CPU seconds per dataset; its advantage is not significant. At the sizes in "
        "use, the cheapest is bagging/genie3 (6.3 CPU seconds per dataset); the most expensive is "
        "bagging/permutation (21.6)." in text
    )
    assert "decides" not in text
    both = cost_verdict({"a": 3.0, "b": 1.0, "c": 1.99})
    assert both.startswith(
        "At the sizes in use, the cheapest are b (1 CPU seconds per dataset) and c (1.99 CPU seconds per "
        "dataset), which differ by less than a factor of 2; the most expensive is a "
    )


def relevance_tests(rejected, wins, losses, better, worse):
    head = {"question": "relevance", "family": "paper", "variant": "all", "methods": "bagging/genie3;uniform"}
    head |= {"test": "wilcoxon"}
    names = ("rejected", "wins", "losses", "rank_sum_better", "rank_sum_worse")
    rows = zip(rejected, wins, losses, better, worse, strict=True)
    return pd.DataFrame([head | {"ties": 0} | dict(zip(names, row, strict=True)) for row in rows])


def test_at_a_glance_counts_by_the_sums_of_ranks():
    # Few large wins outweigh many small losses, and the other way round; the last is not rejected.
    tests = relevance_tests(
        (True, True, True, False), (4, 4, 9, 9), (6, 6, 1, 1), (50, 50, 20, 50), (5, 5, 35, 5)
    )
    own = glance_tables(tests, {"bagging/genie3": 10}, 0.05)
    (table,) = section(section_tables(own=own, used=USED, timings=TIMINGS)).overview
    assert texts(shown(table)) == [["bagging/genie3", "10", "uniform", "2", "1", "1", "26 / 0 / 14", "6.3"]]


@pytest.mark.parametrize(
    "kind, name, column", [("f", "F", "f_f"), ("chi-square", "chi-squared", "statistic")]
)
def test_the_statistic_of_friedman_is_that_of_its_p_value(kind, name, column):
    analysis = Analysis(questions=("saturation",), friedman=kind)
    tests = run_questions(performance_table(n_datasets=6), analysis).tests
    friedman = tests[tests["test"] == "friedman"].iloc[:3]
    rows = texts(table_of_tests(friedman))
    assert [row[5] for row in rows] == [f"{name} = {value:.3f}" for value in friedman[column]]
    pairs = tests[tests["test"] == "nemenyi"].iloc[:2]
    assert not any("=" in row[5] for row in texts(table_of_tests(pairs)))


def test_the_mean_of_values_is_over_complete_datasets():
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.9], "b": [0.4, 0.3, float("nan")]}, index=["x", "y", "z"])
    assert texts(shown(value_table(frame, "higher"))) == [
        ["x", "0.100", "0.400"],
        ["y", "0.200", "0.300"],
        ["z", "0.900", "–"],
        ["mean of 2", "0.150", "0.350"],
    ]
    assert bold(shown(value_table(frame, "lower"))) == [["0.100"], ["0.200"], ["0.900"], ["0.150"]]
