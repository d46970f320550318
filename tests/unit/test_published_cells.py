"""Printed cells stand beside a study's own where the setting is the same, and nowhere else."""

from __future__ import annotations

import copy

import pandas as pd
import pytest

from mlsieve.analysis import read_performance
from mlsieve.files.csv_tables import PERFORMANCE
from mlsieve.published import known_papers
from mlsieve.published.setting import papers_beside
from mlsieve.replication.cells import cell_values, margin_of
from mlsieve.replication.columns import COLUMNS, column_rows
from mlsieve.study import Content

MLC, SCLS = known_papers()["mlc_ranking"], known_papers()["scls_selection"]
SAME = {
    "study": "unit",
    "datasets": ["emotions", "yeast", "birds"],
    "methods": [{"id": "uniform"}, {"id": "relief", "params": {"m": 1.0}}],
    "evaluators": [{"id": "weighted-knn", "params": {"ranges": "all"}}],
}


def study(**changes) -> Content:
    return Content(copy.deepcopy(SAME) | changes)


def performance(more: float = 0.0, **changes) -> pd.DataFrame:
    """A table that holds what is printed for emotions and yeast, `more` added to it."""
    rows = [
        dict(zip(PERFORMANCE, (name, "official", item["method"], "", "", 0, 0), strict=False))
        | {"evaluator": "weighted-knn", "measure": measure, "definition": "clus", "value": value + more}
        for item in MLC.cells["rankings"]
        for measure, row in item["values"].items()
        for name, value in row.items()
        if name != "scene"
    ]
    birds = rows[0] | {"dataset": "birds"}
    return pd.DataFrame([*rows, birds]).assign(**changes)


def cells(of: Content, table: pd.DataFrame, paper=MLC) -> list:
    return list(cell_values(of, table, paper))


def test_every_printed_cell_has_one_row():
    found = cells(study(), performance(0.0004))
    assert len(found) == 54 and len({(cell.method, cell.measure, cell.dataset) for cell in found}) == 54
    compared = [cell for cell in found if not cell.reason]
    assert len(compared) == 36 and all(cell.met and cell.basis == "the paper's data" for cell in compared)
    missing = [cell for cell in found if cell.reason]
    assert {(cell.dataset, cell.reason) for cell in missing} == {
        ("scene", "scene is not among the study's datasets")
    }
    assert not any(cell.met for cell in missing)


def test_a_table_that_was_read_has_the_same_cells(tmp_path):
    """`read_performance` leaves the repeats as texts."""
    performance(0.0004).to_csv(tmp_path / "performance.csv", index=False)
    read = cells(study(), read_performance(tmp_path / "performance.csv"))
    assert [cell.reason for cell in read] == [cell.reason for cell in cells(study(), performance(0.0004))]
    assert sum(cell.met for cell in read) == 36


def test_what_differs_is_not_met():
    met = [cell.own for cell in cells(study(), performance(0.0006)) if cell.met]
    assert met == pytest.approx([2.9806, 7.8506]), "coverage, a number above 1, has fewer decimals"


@pytest.mark.parametrize(
    ("changes", "columns", "why"),
    [
        (
            {"evaluators": [{"id": "weighted-knn", "params": {"ranges": "all", "k": 10}}]},
            {},
            "the study does not evaluate by weighted-knn with k = 15, ranges = all",
        ),
        ({"evaluators": [{"id": "mlnb"}]}, {}, "the study does not evaluate by weighted-knn"),
        ({"split": {"kind": "holdout"}}, {}, "the study's split is not official"),
        ({}, {"definition": "sklearn"}, "no value of uniform on emotions by coverage"),
        ({"methods": [{"id": "random"}]}, {"method": "random"}, "the study has no uniform"),
    ],
)
def test_another_setting_has_nothing_beside_it_and_says_why(changes, columns, why):
    other = study(**changes)
    found = cells(other, performance(**columns))
    assert len(found) == 54 and all(cell.reason for cell in found)
    assert found[0].reason.startswith(why)
    assert papers_beside(other) == ([MLC] if not changes else [])


def test_relief_with_other_examples_is_left_out_and_said_so():
    for share, text in ((0.25, "0.25"), (1, "1")):  # one example is not all of them
        methods = [{"id": "uniform"}, {"id": "relief", "params": {"m": share}}]
        found = cells(study(methods=methods), performance())
        assert {cell.method for cell in found if not cell.reason} == {"uniform"}
        reasons = {cell.reason for cell in found if cell.method == "relief"}
        assert reasons == {f"the paper's relief has m = 1.0, and the study's m = {text}"}


def test_a_set_of_the_users_own_is_not_the_papers():
    own = [{"id": "emotions", "format": "mulan", "train": "mine.arff", "labels": "mine.xml"}]
    other = study(datasets=own)
    assert all(cell.reason for cell in cells(other, performance())) and papers_beside(other) == []


SELECTION = {
    "study": "unit",
    "datasets": [
        "bibtex",
        "enron",
        {"id": "genbase", "drop": ["protein"]},
        "yeast",
        "medical",
        "yahoo_social_top2pct",
    ],
    "split": {"kind": "holdout", "train_share": 0.8, "repeats": 10},
    "methods": [
        {"id": "scls"},
        {"id": "ami"},
        {"id": "ami", "name": "ami-printed", "params": {"form": "printed"}},
    ],
    "evaluators": [{"id": "mlnb"}],
    "measures": ["hamming-loss", "ranking-loss-ties", "normalised-coverage"],
    "definition": "scls",
}


def selections(more: float = 0.0, spread: float = 0.001, splits: int = 10) -> pd.DataFrame:
    """A table with the printed means, `more` added; every split lies `spread` above or below its mean."""
    rows = [
        dict(zip(PERFORMANCE, (name, "holdout", item["method"], "", "", 0, repeat), strict=False))
        | {"evaluator": "mlnb", "measure": measure, "features": features}
        | {"definition": "clus" if measure == "hamming-loss" else "scls"}  # as a study's table has them
        | {"value": float(value) + more + spread * (-1) ** repeat + (0.2 if features < 9 else 0.0)}
        for item in SCLS.cells["rankings"]
        for measure, row in item["values"].items()
        for name, value in row.items()
        for repeat in range(splits)
        for features in (3, 9)
    ]
    table = pd.DataFrame(rows)
    return table.assign(dataset=table["dataset"].replace("yahoo_social", "yahoo_social_top2pct"))


def selection(**changes) -> Content:
    return Content(copy.deepcopy(SELECTION) | changes)


def test_all_375_cells_are_beside_the_studys_own():
    found = cells(selection(), selections(0.004), SCLS)
    assert len(found) == 375 and papers_beside(selection()) == [SCLS]
    compared = [cell for cell in found if not cell.reason]
    assert len(compared) == 2 * 3 * 6 and all(cell.met and cell.n_splits == 10 for cell in compared)
    assert {cell.method for cell in compared} == {"scls", "ami"}
    first = compared[0]
    assert (first.place, first.printed, first.printed_deviation) == ("Table 2", "0.022", "0.001")
    assert (
        first.best
        and first.own == pytest.approx(0.026)
        and first.deviation == pytest.approx(0.00105, abs=1e-5)
    )
    bases = {cell.dataset: cell.basis for cell in compared}
    assert {name for name, basis in bases.items() if basis == "the paper's data"} == {
        "bibtex",
        "enron",
        "genbase",
        "yeast",
    }
    assert bases["yahoo_social"] == "a reduced copy of the paper's data" and "1,494" in bases["medical"]
    (social,) = {cell.own_dataset for cell in compared if cell.dataset == "yahoo_social"}
    assert social == "yahoo_social_top2pct"


@pytest.mark.parametrize("splits", [10, 4])
def test_the_margin_is_two_standard_errors_of_the_difference_of_both_means(splits):
    spread = 0.03
    variance = spread**2 * splits / (splits - 1)
    table = selections(0.012, spread, splits)
    found = [cell for cell in cells(selection(), table, SCLS) if not cell.reason]
    for cell in found:
        error = (variance / splits + float(cell.printed_deviation) ** 2 / 10) ** 0.5
        assert cell.margin == pytest.approx(2 * error) and cell.met
    assert len({cell.margin for cell in found}) > 1, "the printed deviations differ, and so do the margins"


def test_the_printed_deviation_decides_alone_where_all_splits_agree():
    found = [cell for cell in cells(selection(), selections(0.006, 0.0), SCLS) if not cell.reason]
    assert {cell.met for cell in found} == {True, False}
    for cell in found:
        error = float(cell.printed_deviation) / 10**0.5
        assert cell.margin == pytest.approx(max(2 * error, 0.005)) and cell.met == (2 * error >= 0.006)
    column = [row for row in column_rows(selection(), selections(0.006, 0.0), SCLS) if row["data"] == "all"]
    own = {(row["measure"], row["published"]): row for row in column if row["method"] == row["published"]}
    for key in {(cell.measure, cell.method) for cell in found}:
        row = own[key]
        met = [cell.met for cell in found if (cell.measure, cell.method) == key]
        assert row["within_margin"] == sum(met) and row["n"] == len(met)


def test_a_margin_has_no_part_of_an_unknown_deviation():
    tolerance = {"standard_errors": 2, "printed_splits": 10, "least": 0.005}
    one_split = {"mean": 0.1, "std": float("nan"), "count": 1}
    assert margin_of(one_split, float("nan"), tolerance) == 0.005
    assert margin_of(one_split, 0.04, tolerance) == pytest.approx(2 * 0.04 / 10**0.5)
    assert margin_of({"std": 0.04, "count": 5}, float("nan"), tolerance) == pytest.approx(2 * 0.04 / 5**0.5)


@pytest.mark.parametrize(
    ("changes", "own"),
    [
        ({"split": {"kind": "holdout", "repeats": 10}}, set()),
        ({"evaluators": [{"id": "weighted-knn"}]}, set()),
        ({"datasets": ["bibtex", "enron", "genbase", "yeast"]}, {"bibtex", "enron", "yeast"}),
        ({"datasets": ["yeast", {"id": "enron", "drop": ["0"]}]}, {"yeast"}),
    ],
)
def test_means_of_other_data_are_not_called_the_papers(changes, own):
    found = cells(selection(**changes), selections(), SCLS)
    assert {cell.dataset for cell in found if cell.basis == "the paper's data" and not cell.reason} == own


def test_another_form_under_the_published_name_and_missing_measures_are_reported():
    methods = [{"id": "scls"}, {"id": "ami", "params": {"form": "printed"}}]
    table = selections()
    table = table[table["measure"] != "ranking-loss-ties"]
    found = cells(selection(methods=methods), table, SCLS)
    assert {cell.method for cell in found if not cell.reason} == {"scls"}
    reasons = {cell.reason for cell in found if cell.method == "ami"}
    assert reasons == {"the paper's ami has form = mean, and the study's form = printed"}
    reasons = {cell.reason for cell in found if cell.method == "scls" and cell.measure == "ranking-loss-ties"}
    assert "no value of scls on yeast by ranking-loss-ties" in reasons


def test_columns_by_hand():
    """AMI and its printed form have the printed values; SCLS has those of AMI, beside its own column."""
    table = selections()
    ami = table[table["method"] == "ami"]
    table = pd.concat([ami, ami.assign(method="ami-printed"), ami.assign(method="scls")], ignore_index=True)
    rows = list(column_rows(selection(), table, SCLS))
    assert all(tuple(row) == COLUMNS for row in rows) and len(rows) == 15 * 3 * 2
    by_key = {(row["published"], row["measure"], row["method"], row["data"]): row for row in rows}
    one = by_key["ami", "hamming-loss", "ami", "the paper's"]
    assert (one["n"], one["within_margin"], one["within_0.01"], one["comes_out"]) == (4, 4, 4, "yes")
    assert by_key["ami", "hamming-loss", "ami", "all"]["n"] == 6 and float(one["correlation"]) == 1
    # Of bibtex, enron, genbase, yeast SCLS is printed with 0.022, 0.063, 0.004, 0.216, AMI with 0.086, 0.140,
    # 0.010, 0.276.
    other = by_key["scls", "hamming-loss", "scls", "the paper's"]
    assert (other["within_margin"], other["within_0.01"], other["within_0.02"]) == (0, 1, 1)
    assert float(other["median_difference"]) == pytest.approx((0.064 + 0.060) / 2)
    assert other["comes_out"] == "no"
    for measure in ("hamming-loss", "ranking-loss-ties"):
        nearest = [row for row in rows if row["measure"] == measure and row["nearest"] == "yes"]
        assert len(nearest) == 5 * 2, "one for each column and choice of data"
    assert by_key["ami", "hamming-loss", "ami", "all"]["nearest"] == "yes"


def test_single_values_are_no_columns():
    assert list(column_rows(study(), performance(), MLC)) == []
