"""Questions that count: efficiency, the order of the scores, and labels for which measures are undefined."""

import itertools
import json

import pandas as pd
import pytest
from scipy.stats import spearmanr
from synthetic_study import DIRECTIONS, hierarchical_table, performance_table, ranking_tables

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.cli import main
from mlsieve.questions.ensembles.efficiency import efficiency_counts, fewest_counts
from mlsieve.report.counted import counted_part

CHOSEN = {"genie3": "random-forest", "permutation": "bagging", "symbolic": "random-forest"}


def ask(question, performance, rankings=None, **changes):
    settings = {"paper_sizes": {"default": 10}, "paper_ensembles": CHOSEN, "directions": DIRECTIONS}
    analysis = Analysis(questions=(question,), **{**settings, **changes})
    return run_questions(performance, analysis, rankings)


def tables(answers, question):
    return {
        table.name: pd.DataFrame(list(table.rows), columns=table.columns)
        for table in answers.tables[question]
    }


def test_efficiency_counts_by_hand():
    shares = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.1], "c": [0.9, 0.1, 0.3]})
    counts = efficiency_counts(shares)
    assert counts.to_numpy().tolist() == [
        ["a", "b", 3, 1, 1, 1],
        ["a", "c", 3, 1, 1, 1],
        ["b", "c", 3, 2, 0, 1],
    ]
    assert fewest_counts(shares) == {"a": 1, "b": 1, "c": 1}


def test_efficiency_counts_the_rankings_in_use():
    performance = hierarchical_table(n_datasets=10)
    rankings, _ = ranking_tables(performance)
    answers = ask("efficiency", performance, rankings)
    # The made-up permutation scores weigh half as many features as the other scores of their ensemble.
    wide = rankings[rankings["size"] == 10].assign(
        name=lambda frame: frame["ensemble"] + "/" + frame["score"]
    )
    wide = wide[wide["method"] == "pct"].pivot_table(index="dataset", columns="name", values="positive")
    others = wide[["random-forest/genie3", "random-forest/symbolic"]].min(axis=1)
    expected = int((wide["bagging/permutation"] < others).sum())
    assert (
        f"bagging/permutation gives fewer features a positive weight than both random-forest/genie3 and "
        f"random-forest/symbolic on {expected} of 10 datasets." in answers.sentences("efficiency")
    )
    found = tables(answers, "efficiency")
    counts = found["positive-weights"]
    assert len(counts) == 6 and (counts[["fewer", "equal", "more"]].sum(axis=1) == counts["datasets"]).all()
    same = counts.set_index(["first", "second"])["equal"]
    assert same["random-forest/genie3", "random-forest/symbolic"] == 10
    quality = found["efficiency-quality"]
    row = quality[quality["ranking"] == "bagging/permutation"].iloc[0]
    own = performance[performance["size"] == 10].query("ensemble == 'bagging' and score == 'permutation'")
    baseline = performance[performance["method"] == "uniform"].set_index("dataset")["value"]
    gain = own.set_index("dataset")["value"] - baseline
    some = rankings.query("ensemble == 'bagging' and score == 'permutation' and size == 10")
    share = some.set_index("dataset")["positive"] / some.set_index("dataset")["features"]
    assert row["correlation"] == f"{spearmanr(share.loc[gain.index], gain).statistic:.3f}"
    assert quality["ranking"].iloc[-1] == "all, within a dataset"


def test_without_rankings_efficiency_says_nothing():
    answers = ask("efficiency", hierarchical_table(n_datasets=4))
    assert answers.tables["efficiency"] == [] and answers.sentences("efficiency") == []


def test_the_order_of_scores_by_hand():
    """One dataset for each order of three values, and one with a tie; a lower measure turns them around."""
    orders = [*itertools.permutations((0.1, 0.2, 0.3)), (0.2, 0.2, 0.3)]
    rows = [
        (f"set-{place}", "pct", "bagging", score, 10, measure, value)
        for place, order in enumerate(orders)
        for score, value in zip(("genie3", "permutation", "symbolic"), order, strict=True)
        for measure in ("f1", "coverage")
    ]
    columns = ["dataset", "method", "ensemble", "score", "size", "measure", "value"]
    performance = pd.DataFrame(rows, columns=columns)
    answers = ask("score-order", performance)
    found = tables(answers, "score-order")["order"].set_index("measure")
    for measure in ("f1", "coverage"):
        row = found.loc[measure]
        assert (row["trees"], row["datasets"]) == (10, 7)
        assert (row["best"], row["between"], row["worst"], row["tied"]) == (2, 2, 2, 1)
    assert (
        "is between its genie3 and symbolic scores on 2 of 7 datasets." in answers.sentences("score-order")[0]
    )


def test_every_size_and_ensemble_has_an_order():
    performance = performance_table(n_datasets=6, measures=("f1",), sizes=(10, 50))
    found = tables(ask("score-order", performance), "score-order")["order"]
    assert found[["ensemble", "trees"]].to_numpy().tolist() == [
        ["bagging", 10],
        ["bagging", 50],
        ["random-forest", 10],
        ["random-forest", 50],
    ]
    assert (found[["best", "between", "worst", "tied"]].sum(axis=1) == 6).all()
    values = performance[(performance["ensemble"] == "bagging") & (performance["size"] == 50)]
    wide = values.pivot_table(index="dataset", columns="score", values="value").round(3)
    between = ((wide["permutation"] - wide["genie3"]) * (wide["permutation"] - wide["symbolic"]) < 0).sum()
    assert found.loc[1, "between"] == between
    without = performance[performance["score"] != "genie3"]
    answers = ask("score-order", without)
    assert answers.notes["score-order"] and not answers.tables["score-order"]


def macro_table():
    rows = []
    for dataset, missing in (("one", 0), ("two", 2)):
        for method, more in (("uniform", 0), ("relief", 3)):
            values = {
                "f1": 0.5,
                "macro-precision": 0.4 + more / 10,
                "macro-precision-undefined": missing + more,
                "macro-recall": 0.3,
                "macro-recall-undefined": missing,
            }
            rows += [(dataset, method, measure, value) for measure, value in values.items()]
    return pd.DataFrame(rows, columns=["dataset", "method", "measure", "value"])


def test_undefined_labels_by_hand():
    answers = ask("undefined", macro_table(), measures=("f1",))
    assert answers.sentences("undefined") == [
        "macro-precision is undefined for some label on 2 of 2 datasets, because the label is never "
        "predicted.",
        "macro-recall is undefined for some label on 1 of 2 datasets (two), because no test example has "
        "the label.",
    ]
    found = tables(answers, "undefined")
    assert found["undefined-by-dataset"].to_numpy().tolist() == [
        ["one", "0 to 3", "0"],
        ["two", "2 to 5", "2"],
    ]
    rankings = {row[0]: list(row[1:]) for row in found["undefined-by-ranking"].to_numpy().tolist()}
    assert rankings == {
        "uniform": ["0.400", "1.0", "0.300", "1.0"],
        "relief": ["0.700", "4.0", "0.300", "1.0"],
    }


def test_without_counts_the_question_says_what_to_add():
    [note] = ask("undefined", performance_table(3, ("f1",), (10,))).notes["undefined"]
    assert "add macro-precision" in note


def test_the_command_and_the_report_carry_the_tables(tmp_path):
    performance = hierarchical_table(n_datasets=5)
    rankings, _ = ranking_tables(performance)
    performance.to_csv(tmp_path / "performance.csv", index=False)
    rankings.to_csv(tmp_path / "rankings.csv", index=False)
    words = ["compare", str(tmp_path / "performance.csv"), "--questions", "efficiency,score-order"]
    words += ["--rankings", str(tmp_path / "rankings.csv"), "-o", str(tmp_path)]
    assert main(words) == 0
    found = json.loads((tmp_path / "findings.json").read_text())["questions"]
    by_question = {item["question"]: item for item in found}
    assert [table["name"] for table in by_question["efficiency"]["tables"]] == [
        "positive-weights",
        "efficiency-quality",
    ]
    first = by_question["efficiency"]["tables"][0]
    part = counted_part(CountedTable.from_dict(first))
    assert [column.number for column in part["table"].columns] == [False, False, *[True] * 4]
    assert len(part["table"].rows) == len(first["rows"])
    (tmp_path / "rankings.csv").write_text("dataset,positive\na,1\n")
    assert main(words) == 2


@pytest.mark.parametrize(
    "cells, places, number",
    [
        ([1, 2.5, None], None, True),
        (["0 to 3", "2"], (0,), True),
        (["0 to 3", "2"], None, False),
        (["a", 1], None, False),
    ],
)
def test_columns_of_numbers_stand_on_the_right(cells, places, number):
    table = CountedTable("t", "T", "", ("c",), tuple((cell,) for cell in cells), places)
    made = counted_part(table)["table"]
    assert made.columns[0].number is number
    assert [row.cells[0].style for row in made.rows] == ["n" if number else ""] * len(cells)


def test_marks_stay_with_their_cells_on_the_way_to_the_page():
    rows = (("a", 1, "–"), ("b", 2, "0.5 [0.4]"))
    marks = ((0, 1, "best"), (1, 2, "best"), (1, 2, "pair"))
    table = CountedTable("t", "T", "", ("c", "n", "m"), rows, (1, 2), marks, highlighted=(1,), folded=True)
    part = counted_part(CountedTable.from_dict(json.loads(json.dumps(table.as_dict()))))
    assert part["folded"] and [row.marked for row in part["table"].rows] == [False, True]
    styles = [[cell.style for cell in row.cells] for row in part["table"].rows]
    assert styles == [["", "n best", "n none"], ["", "n", "n best pair"]]
