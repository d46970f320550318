"""`mlsieve compare` as a command: what it prints, what it writes, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from test_compare_tables import values

from mlsieve.cli import main


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    values(12).rename_axis("dataset").reset_index().to_csv("results.csv", index=False)
    return "results.csv"


def test_the_answer_is_printed(table, capsys):
    assert main(["compare", table, "--measures", "accuracy"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("accuracy (higher is better)\n")
    assert "By accuracy, three has the best average rank (1.00 over 12 datasets)." in shown
    assert (
        "By Nemenyi's test (critical distance 0.96), three is significantly better than two and one" in shown
    )
    assert sorted(path.name for path in Path().iterdir()) == ["results.csv"]


def test_a_name_with_a_comma_can_be_chosen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = values(12).rename(columns={"one": "one, tuned"}).rename_axis("dataset")
    table.reset_index().to_csv("results.csv", index=False)
    assert main(["compare", "results.csv", "--measures", "f1", "--methods", '"one, tuned", two']) == 0
    shown = capsys.readouterr().out
    assert "two is significantly better than one, tuned" in shown and "three" not in shown
    for names, said in {
        "one, tuned": 'known: "one, tuned", three, two',
        '"one, tuned': "the quotes do not match",
    }.items():
        assert main(["compare", "results.csv", "--methods", names]) == 2
        assert said in capsys.readouterr().err
    assert main(["compare", "results.csv", "--measures", "f1", "--methods", "three,\r\ntwo"]) == 0


def test_the_folder_holds_every_table_and_a_page(table, capsys):
    command = ["compare", table, "--measures", "accuracy", "--reference", "one", "-o", "out"]
    assert main(command) == 0
    names = {str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file()}
    tables = {"tests.csv", "average_ranks.csv", "effects.csv", "leaderboard.csv", "bayes.csv"}
    assert {"paper/methods.md", "paper/results.md", "paper/tables.tex", "paper/references.bib"} <= names
    assert tables | {"report.html", "figures/critical-difference-accuracy.svg"} <= names
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "paper/methods.md" in page and "demsar2006" in page
    shown = capsys.readouterr().out
    assert "By accuracy, three has the best average rank (1.00 over 12 datasets)." in page
    assert "Bonferroni-Dunn" in shown and "http" not in page.replace("http://www.w3.org", "")
    board = pd.read_csv("out/leaderboard.csv")
    assert board["method"].tolist() == ["three", "two", "one"]
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    assert main(command) == 0  # its own files are written again, the same
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before


def test_a_file_of_somebody_else_is_left_alone(table, capsys):
    Path("out").mkdir()
    Path("out/tests.csv").write_text("mine\n1\n", encoding="utf-8")
    assert main(["compare", table, "--higher-is-better", "-o", "out"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "tests.csv" in told and "--force" in told
    assert Path("out/tests.csv").read_text(encoding="utf-8") == "mine\n1\n"
    assert main(["compare", table, "--higher-is-better", "-o", "out", "--force"]) == 0


def test_the_table_of_a_study_is_read_as_before(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = values(12).rename_axis("dataset").reset_index().melt("dataset", var_name="method")
    rows = rows.assign(split="cv", ensemble="", score="", measure="f1")
    rows.to_csv("performance.csv", index=False)
    assert main(["compare", "performance.csv"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Which method is best?\n  three has the best average rank, 1.00, followed by two")
    assert main(["compare", "performance.csv", "-o", "out"]) == 0
    findings = json.loads(Path("out/findings.json").read_text(encoding="utf-8"))
    assert findings["questions"] and Path("out/choices.csv").is_file()
    assert main(["compare", "performance.csv", "--questions", "comparison", "--rope", "1"]) == 2
    assert "--rope and --questions exclude each other" in capsys.readouterr().err


def test_signs_of_latex_in_a_name_are_drawn_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"one": "$g(y)$", "two": r"$\textsc{Ours}$", "three": "_hidden"}
    frame = values(12).rename(columns=names).rename_axis("dataset").reset_index()
    frame.to_csv("results.csv", index=False)
    assert main(["compare", "results.csv", "--measures", "$m_1$", "--higher-is-better", "-o", "out"]) == 0
    drawn = Path("out/figures/critical-difference-m-1.svg").read_text(encoding="utf-8")
    for name in (*names.values(), "$m_1$"):
        assert name in drawn


def test_the_caption_says_what_the_bar_of_a_reference_is(table):
    assert main(["compare", table, "--higher-is-better", "--reference", "one", "-o", "out"]) == 0
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "The bar spans the critical distance on both sides of the reference method." in page
    assert "A bar joins methods" not in page


def test_a_diagram_without_a_significant_test_is_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(0.5, 0.6, 0.7), (0.6, 0.7, 0.5), (0.7, 0.5, 0.6)] * 4
    frame = pd.DataFrame(rows, columns=["one", "two", "three"], index=[f"set {d}" for d in range(12)])
    frame.rename_axis("dataset").reset_index().to_csv("results.csv", index=False)
    assert main(["compare", "results.csv", "--higher-is-better", "-o", "out"]) == 0
    assert not list(Path("out").rglob("*.svg"))
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "There is no diagram, because" in page


def test_a_folder_is_no_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "."]) == 2
    assert capsys.readouterr().err == "mlsieve: .: is a folder; give the path of a file\n"


def test_an_unknown_direction_is_asked_for_in_one_line(table, capsys):
    assert main(["compare", table, "-o", "out"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "results.csv: " in told
    assert "--higher-is-better or --lower-is-better" in told and not Path("out").exists()
    for way, best in (("higher", "three"), ("lower", "one")):
        assert main(["compare", table, f"--{way}-is-better"]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith(f"value ({way} is better") and f"By value, {best} has the best" in shown
    assert main(["compare", table, "--higher-is-better", "--lower-is-better"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_the_page_says_which_values_are_better(table):
    for measure, said in (("RMSE", "Lower values are better."), ("AUC", "Higher values are better.")):
        assert main(["compare", table, "--measures", measure, "-o", "out"]) == 0
        before = Path("out/report.html").read_text(encoding="utf-8").partition('class="headline"')[0]
        assert said in before


def test_a_sheet_is_for_workbooks(table, capsys):
    assert main(["compare", table, "--sheet", "second"]) == 2
    assert "results.csv: is no workbook, and has no sheets; leave out --sheet" in capsys.readouterr().err


def test_a_measure_that_a_method_lacks_shows_empty_cells(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = values(8).rename_axis("dataset").reset_index().melt("dataset", var_name="method")
    other = table[table["method"] != "two"].assign(measure="recall")
    pd.concat([table.assign(measure="f1"), other]).to_csv("results.csv", index=False)
    assert main(["compare", "results.csv", "-o", "out"]) == 0
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "No dataset has a value of every method by recall" in page
    assert ">nan<" not in page and "NaN" not in page.partition("<script>")[0]
