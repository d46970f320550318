"""What the report shows of selectors: tables of means, signed ranks, and what the conclusion depends on."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from synthetic_selection import CONTROLS, MEASURES, PAPER, selection_table

from mlsieve.cli import main
from mlsieve.questions import Analysis, PerformanceTable, records, run_questions
from mlsieve.questions.chain import Choices
from mlsieve.report.conclusion import change_table, conclusion_parts, count_table
from mlsieve.report.files import read_frame
from mlsieve.report.selection import f_table, selection_parts
from mlsieve.report.selectors import selector_parts
from mlsieve.report.signed_ranks import many_labels_parts, signed_rank_table
from mlsieve.study import Study

ANALYSIS = Analysis(
    questions=("selection", "many-labels", "conclusion"),
    friedman="f",
    zeros="split",
    paper_methods=PAPER,
    controls=CONTROLS,
    settings={
        "many_labels": ("set-3", "set-1", "set-2"),
        "replacements": {"ami": "ami-printed"},
        "worked_example": {"dataset": "synthetic-linear"},
    },
)


@pytest.fixture(scope="module")
def performance():
    return selection_table(n_datasets=12, repeats=4)


@pytest.fixture(scope="module")
def answers(performance):
    return run_questions(performance, ANALYSIS)


@pytest.fixture(scope="module")
def table(performance):
    return PerformanceTable(performance, ANALYSIS)


def texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def names(table):
    return [column.name for column in table.columns]


def test_means_deviations_and_average_ranks(performance, answers, table):
    parts = selection_parts(table, ANALYSIS, performance, answers.average_ranks)
    assert [part["title"] for part in parts[::2]] == sorted(MEASURES)
    assert [part["folded"] for part in parts] == [False, True] * 3
    first = parts[0]
    assert names(first["table"]) == ["data set", *PAPER] and "Mean over 4 splits" in first["text"]
    shown = texts(first["table"])
    assert [row[0] for row in shown] == [*(f"set-{d}" for d in range(1, 13)), "average rank over 12"]
    cell = performance[
        (performance["dataset"] == "set-5")
        & (performance["method"] == "mdmr")
        & (performance["measure"] == "hamming-loss")
        & (performance["features"] == 25)
    ]["value"]
    assert shown[4][3] == f"{cell.mean():.3f} ± {cell.std():.3f}"
    ranks = answers.average_ranks
    own = ranks[(ranks["question"] == "selection") & (ranks["measure"] == "hamming-loss")]
    for family, part in zip(("paper", "extended"), parts[:2], strict=True):
        expected = own[own["family"] == family].set_index("method")["rank"]
        last = dict(zip(names(part["table"])[1:], texts(part["table"])[-1][1:], strict=True))
        assert last == {method: f"{expected[method]:.2f}" for method in last}
    everything = names(parts[1]["table"])
    assert everything[1:6] == list(PAPER) and set(everything[6:]) == {"ami-printed", *CONTROLS}


def test_the_best_mean_of_a_row_is_bold_as_it_is_rounded(answers):
    rows = [
        ("a", method, "holdout", "", "", 0, repeat, "mlnb", "hamming-loss", "scls", value, 3)
        for method, value in (("scls", 0.1004), ("ami", 0.0996), ("mdmr", 0.2))
        for repeat in (0, 1)
    ]
    columns = ["dataset", "method", "split", "ensemble", "score", "size", "repeat", "evaluator", "measure"]
    frame = pd.DataFrame(rows, columns=[*columns, "definition", "value", "features"])
    chosen = dataclasses.replace(ANALYSIS, paper_methods=("scls", "ami", "mdmr"))
    (part,) = selection_parts(PerformanceTable(frame, chosen), chosen, frame, answers.average_ranks.iloc[:0])
    (row,) = part["table"].rows
    assert [cell.text for cell in row.cells] == ["a", "0.100 ± 0.000", "0.100 ± 0.000", "0.200 ± 0.000"]
    assert ["best" in cell.style for cell in row.cells] == [False, True, True, False]


def test_published_cells_stand_beside_the_studys_own(performance, answers, table):
    head = {"kind": "cell", "measure": "hamming-loss", "method": "scls", "printed": "0.25"}
    own = {"dataset": "complete", "ours_dataset": "set-1", "ours": "0.2612", "difference": "0.0112"}
    other = {"dataset": "set-2", "ours_dataset": "", "ours": "", "difference": ""}
    published = pd.DataFrame([head | own, head | other])
    parts = selection_parts(table, ANALYSIS, performance, answers.average_ranks, published)
    shown = texts(parts[0]["table"])
    assert shown[0][1].endswith(" [0.250,\u00a0+0.011]") and "[" not in "".join(shown[1])
    assert "In brackets the published mean" in parts[0]["text"]
    assert "In brackets" not in parts[2]["text"], "another measure"


def test_f_and_its_critical_value(answers):
    made = f_table(answers.tests, dataclasses.replace(ANALYSIS, paper="Lee, Kim 2017"))
    shown = texts(made)
    assert len(shown) == 6 and shown[0][:4] == ["the paper's methods", "all", "hamming-loss", "12"]
    test = answers.tests[answers.tests["test"] == "friedman"].iloc[0]
    assert shown[0][5:7] == [f"{test['f_f']:.3f}", f"{test['f_critical']:.3f}"]
    assert all(row.marked for row in made.rows), "each of these tests is significant"
    # F decides, not the chi-squared, whose p-value says the contrary here.
    beyond = np.arange(len(answers.tests)) % 2 == 0
    f_values = answers.tests["f_critical"] * np.where(beyond, 1.01, 0.99)
    turned = answers.tests.assign(f_f=f_values, p_value=np.where(beyond, 0.9, 1e-9), statistic=1.0)
    marked = [row.marked for row in f_table(turned, ANALYSIS).rows]
    own = (turned["question"] == "selection") & (turned["test"] == "friedman") & turned["f_f"].notna()
    assert marked == beyond[own].tolist() and set(marked) == {True, False}
    assert f_table(answers.tests.iloc[:0], ANALYSIS) is None


def test_signed_ranks_by_hand():
    """Lower is better. Differences 0, -2, 2, 3 have the ranks 1, 2.5, 2.5, 4; the zero's is split."""
    values = pd.DataFrame({"scls": [0.5, 0.4, 0.2, 0.1], "ami": [0.5, 0.2, 0.4, 0.4]}, list("abcd"))
    made, result = signed_rank_table(values, "lower", "split")
    assert texts(made) == [
        ["a", "0.500", "0.500", "+0.000", "1", "0"],
        ["b", "0.400", "0.200", "-0.200", "2.5", "-2.5"],
        ["c", "0.200", "0.400", "+0.200", "2.5", "+2.5"],
        ["d", "0.100", "0.400", "+0.300", "4", "+4"],
    ]
    assert (result.positive, result.negative) == (7.0, 3.0)
    assert names(made) == ["data set", "scls", "ami", "difference", "rank", "signed rank"]


def test_the_sums_above_a_table_are_those_of_the_tests(answers, table):
    parts = many_labels_parts(table, ANALYSIS, Choices(table, ANALYSIS))
    assert [part["title"] for part in parts[:3]] == [f"scls against ami: {name}" for name in sorted(MEASURES)]
    assert len(parts) == 6 and [row[0] for row in texts(parts[0]["table"])] == ["set-3", "set-1", "set-2"]
    tests = answers.tests
    tests = tests[(tests["question"] == "many-labels") & (tests["family"] == "paper")]
    for part in parts:
        pair, measure = part["title"].split(": ")
        test = tests[(tests["comparison"] == pair) & (tests["measure"] == measure)].iloc[0]
        assert f"R+ = {test['rank_sum_better']:g} and R- = {test['rank_sum_worse']:g} of 6" in part["text"]
        assert f"p = {test['p_value']:.3g}" in part["text"]
    assert many_labels_parts(table, ANALYSIS.with_settings(many_labels=()), None) == []


def test_what_each_change_does(answers, table):
    made = change_table(answers.tests, answers.average_ranks, "scls")
    shown = texts(made)
    assert [row[0] for row in shown[::3]] == [
        "as in the paper",
        "ami-printed for ami",
        *(f"with {name}" for name in CONTROLS),
    ]
    assert shown[0][2] == "1.00 of 5" and shown[0][3:5] == ["scls", "significant"]
    assert shown[3][3] == "ami-printed" and "ami-printed" in shown[3][6]
    assert [row.marked for row in made.rows[:6]] == [False] * 3 + [True] * 3
    only = answers.tests[answers.tests["question"] == "selection"]
    ranks = answers.average_ranks
    assert change_table(only, ranks[ranks["question"] == "selection"], "scls") is None
    choices = Choices(table, ANALYSIS)
    parts = conclusion_parts(table, ANALYSIS, choices, answers.tests, answers.average_ranks)
    assert len(parts) == 2 and "does not say that two methods perform alike" in parts[0]["text"]
    counts = texts(count_table(table, ANALYSIS, choices))
    assert len(counts) == len(CONTROLS) * len(MEASURES)
    for row in counts:
        numbers = list(map(int, row[3:]))
        assert numbers[0] == sum(numbers[1:4]) == 12 and numbers[4] == numbers[1] + numbers[2]


def test_parts_of_a_studys_folder(performance, answers, tmp_path):
    configuration = {
        "study": "unit",
        "datasets": ["synthetic-linear"],
        "methods": [{"id": "scls"}],
        "evaluators": [{"id": "mlnb"}],
    }
    for name, frame in (("tests", answers.tests), ("average_ranks", answers.average_ranks)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    performance.to_csv(tmp_path / "performance.csv", index=False)
    written = {"analysis": ANALYSIS.as_mapping(), "questions": records(answers)}
    answered = json.loads(json.dumps(written))
    frames = [read_frame(tmp_path / f"{name}.csv") for name in ("performance", "tests", "average_ranks")]
    study = Study(configuration)
    found = selector_parts(study, tmp_path, answered, *frames)
    assert {question: len(parts) for question, parts in found.items()} == {
        "selection": 7,
        "many-labels": 6,
        "conclusion": 2,
    }
    assert main(["worked-example", "synthetic-linear", "-o", str(tmp_path / "worked.csv")]) == 0
    found = selector_parts(study, tmp_path, answered, *frames)
    assert [part["title"] for part in found["selection"][7:]] == [
        f"{name}: the first iterations on synthetic-linear"
        for name in ("SCLS", "AMI, mean", "AMI as printed")
    ]
    others = {**answered, "questions": []}
    assert selector_parts(study, tmp_path, others, *frames) == {}
