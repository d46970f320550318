"""What the report shows of selectors: tables of means, signed ranks, and what the conclusion depends on."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from synthetic_selection import BASELINES, MEASURES, PAPER, selection_table
from synthetic_study import section_tables, shown

from mlsieve.analysis import Analysis, PerformanceTable, records, run_questions
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.sections import Printed
from mlsieve.analysis.signed_ranks import signed_rank_rows
from mlsieve.analysis.tables.selection import f_tables, value_tables, with_printed
from mlsieve.cli import main
from mlsieve.files.csv_tables import read_frame
from mlsieve.questions.methods.selection import section
from mlsieve.sections.published import printed_of

ANALYSIS = Analysis(
    questions=("selection", "many-labels", "conclusion"),
    friedman="f",
    zeros="split",
    paper_methods=PAPER,
    baselines=BASELINES,
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


def texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def test_means_deviations_and_average_ranks(performance, answers):
    tables = [table for table in answers.tables["selection"] if table.name != "f"]
    assert [table.title for table in tables[::2]] == sorted(MEASURES)
    assert [table.folded for table in tables] == [False, True] * 3
    assert [table.measure for table in tables[::2]] == sorted(MEASURES)
    first = tables[0]
    assert list(first.columns) == ["dataset", *PAPER] and "Mean over 4 splits" in first.text
    assert [row[0] for row in first.rows] == [*(f"set-{d}" for d in range(1, 13)), "average rank over 12"]
    assert first.highlighted == (12,)
    cell = performance[
        (performance["dataset"] == "set-5")
        & (performance["method"] == "mdmr")
        & (performance["measure"] == "hamming-loss")
        & (performance["features"] == 25)
    ]["value"]
    assert first.rows[4][3] == f"{cell.mean():.3f} ± {cell.std():.3f}"
    ranks = answers.average_ranks
    own = ranks[(ranks["question"] == "selection") & (ranks["measure"] == "hamming-loss")]
    for family, table in zip(("paper", "extended"), tables[:2], strict=True):
        expected = own[own["family"] == family].set_index("method")["rank"]
        last = dict(zip(table.columns[1:], table.rows[-1][1:], strict=True))
        assert last == {method: f"{expected[method]:.2f}" for method in last}
    everything = tables[1].columns
    assert everything[1:6] == PAPER and set(everything[6:]) == {"ami-printed", *BASELINES}


def test_the_best_mean_of_a_row_is_bold_as_it_is_rounded(answers):
    rows = [
        ("a", method, "holdout", "", "", 0, repeat, "mlnb", "hamming-loss", "scls", value, 3)
        for method, value in (("scls", 0.1004), ("ami", 0.0996), ("mdmr", 0.2))
        for repeat in (0, 1)
    ]
    columns = ["dataset", "method", "split", "ensemble", "score", "size", "repeat", "evaluator", "measure"]
    frame = pd.DataFrame(rows, columns=[*columns, "definition", "value", "features"])
    chosen = dataclasses.replace(ANALYSIS, paper_methods=("scls", "ami", "mdmr"))
    (made,) = value_tables(PerformanceTable(frame, chosen), chosen, answers.average_ranks.iloc[:0])
    (row,) = shown(made).rows
    assert [cell.text for cell in row.cells] == ["a", "0.100 ± 0.000", "0.100 ± 0.000", "0.200 ± 0.000"]
    assert ["best" in cell.style for cell in row.cells] == [False, True, True, False]


def test_published_cells_stand_beside_the_studys_own(answers):
    head = {"kind": "cell", "measure": "hamming-loss", "method": "scls", "printed": "0.25"}
    own = {"dataset": "complete", "ours_dataset": "set-1", "ours": "0.2612", "difference": "0.0112"}
    other = {"dataset": "set-2", "ours_dataset": "", "ours": "", "difference": ""}
    printed = printed_of("scls_selection", pd.DataFrame([head | own, head | other]), None)
    tables = [with_printed(table, printed) for table in answers.tables["selection"]]
    rows = texts(shown(tables[0]))
    assert rows[0][1].endswith(" [0.250,\u00a0+0.011]") and "[" not in "".join(rows[1])
    assert "pair" in shown(tables[0]).rows[0].cells[1].style
    assert "Brackets show the published mean" in tables[0].text
    assert not any("Brackets" in table.text for table in tables[1:]), "all methods, and other measures"
    assert with_printed(tables[1], Printed()) == tables[1]


def test_f_and_its_critical_value(answers):
    own = answers.tests[answers.tests["question"] == "selection"].reset_index(drop=True)
    made = shown(*f_tables(own, dataclasses.replace(ANALYSIS, paper="Lee, Kim 2017")))
    rows = texts(made)
    assert len(rows) == 6 and rows[0][:4] == ["the paper's methods", "all", "hamming-loss", "12"]
    test = answers.tests[answers.tests["test"] == "friedman"].iloc[0]
    assert rows[0][5:7] == [f"{test['f_f']:.3f}", f"{test['f_critical']:.3f}"]
    assert all(row.marked for row in made.rows), "each of these tests is significant"
    # F decides, not the chi-squared, whose p-value says the contrary here.
    beyond = np.arange(len(own)) % 2 == 0
    f_values = own["f_critical"] * np.where(beyond, 1.01, 0.99)
    turned = own.assign(f_f=f_values, p_value=np.where(beyond, 0.9, 1e-9), statistic=1.0)
    marked = [row.marked for row in shown(*f_tables(turned, ANALYSIS)).rows]
    tested = (turned["test"] == "friedman") & turned["f_f"].notna()
    assert marked == beyond[tested].tolist() and set(marked) == {True, False}
    assert f_tables(own.iloc[:0], ANALYSIS) == []


def test_signed_ranks_by_hand():
    """Lower is better. Differences 0, -2, 2, 3 have the ranks 1, 2.5, 2.5, 4; the zero's is split."""
    values = pd.DataFrame({"scls": [0.5, 0.4, 0.2, 0.1], "ami": [0.5, 0.2, 0.4, 0.4]}, list("abcd"))
    rows, result = signed_rank_rows(values, "lower", "split")
    assert list(map(list, rows)) == [
        ["a", "0.500", "0.500", "+0.000", "1", "0"],
        ["b", "0.400", "0.200", "-0.200", "2.5", "-2.5"],
        ["c", "0.200", "0.400", "+0.200", "2.5", "+2.5"],
        ["d", "0.100", "0.400", "+0.300", "4", "+4"],
    ]
    assert (result.positive, result.negative) == (7.0, 3.0)


def test_the_sums_above_a_table_are_those_of_the_tests(performance, answers):
    tables = answers.tables["many-labels"]
    assert [table.title for table in tables[:3]] == [f"scls against ami: {name}" for name in sorted(MEASURES)]
    assert len(tables) == 6 and [row[0] for row in tables[0].rows] == ["set-3", "set-1", "set-2"]
    assert tables[0].columns == ("dataset", "scls", "ami", "difference", "rank", "signed rank")
    tests = answers.tests
    tests = tests[(tests["question"] == "many-labels") & (tests["family"] == "paper")]
    for table in tables:
        pair, measure = table.title.split(": ")
        test = tests[(tests["comparison"] == pair) & (tests["measure"] == measure)].iloc[0]
        assert f"R+ is {test['rank_sum_better']:g} and R- is {test['rank_sum_worse']:g} of 6" in table.text
        assert f"p = {test['p_value']:.3g}" in table.text
    none = ANALYSIS.with_settings(many_labels=())
    assert run_questions(performance, none).tables["many-labels"] == []


def test_what_each_change_does(performance, answers):
    changes, counts = answers.tables["conclusion"]
    assert "not evidence that two methods perform equally well" in changes.text
    made = shown(changes)
    rows = texts(made)
    assert [row[0] for row in rows[::3]] == [
        "as in the paper",
        "ami-printed for ami",
        *(f"with {name}" for name in BASELINES),
    ]
    assert rows[0][2] == "1.00 of 5" and rows[0][3:5] == ["scls", "significant"]
    assert rows[3][3] == "ami-printed" and "ami-printed" in rows[3][6]
    assert [row.marked for row in made.rows[:6]] == [False] * 3 + [True] * 3
    assert ["best" in made.rows[place].cells[2].style for place in (0, 3)] == [True, False]
    assert len(counts.rows) == len(BASELINES) * len(MEASURES)
    for row in counts.rows:
        assert row[3] == sum(row[4:7]) == 12 and row[7] == row[4] + row[5]
    without = dataclasses.replace(ANALYSIS.with_settings(replacements={}), baselines=())
    assert run_questions(performance, without).tables["conclusion"] == []


def test_the_section_of_a_studys_folder(answers, tmp_path):
    (item,) = [item for item in json.loads(json.dumps(records(answers))) if item["question"] == "selection"]
    own = [CountedTable.from_dict(table) for table in item["tables"]]
    assert own == answers.tables["selection"] and len(own) == 7
    assert section(section_tables(tmp_path, ANALYSIS, own=own)).tables == own
    assert main(["worked-example", "synthetic-linear", "-o", str(tmp_path / "worked.csv")]) == 0
    assert section(section_tables(tmp_path, ANALYSIS, own=own)).tables == own, "only what the study names"
    worked = read_frame(tmp_path / "worked.csv")
    tables = section(section_tables(tmp_path, ANALYSIS, own=own, worked=worked)).tables
    assert [table.title for table in tables[7:]] == [
        f"{name}: the first iterations on synthetic-linear"
        for name in ("SCLS", "AMI with the mean", "AMI as printed")
    ]
