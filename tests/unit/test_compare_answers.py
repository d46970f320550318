"""What a comparison of one's own table says: in the answer, on its page and in the texts for a paper."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_compare_tables import long_table, quietly, values

from mlsieve.cli import main
from mlsieve.comparison.overview import overview
from mlsieve.comparison.paper_files import methods_text, texts_of
from mlsieve.comparison.saving import diagrams


def test_figures_of_measures_that_differ_in_capitals_have_different_names():
    table = (
        long_table().drop(columns="value").assign(**{name: long_table()["value"] for name in ("F1", "f1")})
    )
    names = list(diagrams(quietly(table)))
    assert len(names) == 2 and len({name.casefold() for name in names}) == 2


def test_most_datasets_left_out_are_named_before_the_answer():
    table = values()
    table.iloc[2:, 1] = np.nan
    found = quietly(table)
    first, second, *_ = found.sentences()
    assert first.startswith("6 of 8 datasets (set 2,") and "are left out" in first
    assert second.startswith("By value, three has the best average rank")


def test_losses_say_how_differences_are_signed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    values().rename_axis("dataset").to_csv("t.csv")
    assert main(["compare", "t.csv", "--measures", "Hamming loss", "-o", "out"]) == 0
    assert capsys.readouterr().out.startswith("Hamming loss (lower is better; positive differences, too)\n")
    assert "Lower values are better. Positive differences are better." in Path("out/report.html").read_text()
    assert "positive differences favour the method of the row" in Path("out/paper/tables.md").read_text()


def several_measures():
    table = long_table().rename(columns={"value": "F1"})
    other = {"one": 0.3, "two": 0.6, "three": 0.4}
    return table.assign(AUC=table["F1"] + table["method"].map(other), accuracy=table["F1"] * 2)


def test_several_measures_have_one_answer(tmp_path):
    found = quietly(several_measures())
    assert found.summary().startswith("three has the best average rank by 2 of 3 measures, two by 1.\n")
    table = overview(found.tables).set_index("measure")
    assert table["best method"].to_dict() == {"F1": "three", "AUC": "two", "accuracy": "three"}
    assert table["next"].to_dict() == {"F1": "two", "AUC": "three", "accuracy": "two"}
    for measure in found.measures:
        board = found.leaderboard(measure).set_index("method")
        count = (board["verdict"] == "significantly worse").sum()
        assert table["significantly better than"][measure] == f"{count} of 2 other methods"
    found.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.index('id="measures-answer-1"') < page.index('id="measure-1-answer-1"')
    assert 'id="measures"' not in page_of(quietly(values()), tmp_path / "single")


def page_of(found, folder) -> str:
    found.save(folder)
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_leaderboard_has_the_verdicts_by_family():
    table = (
        values().assign(field=["a", "a", "b", "b", "c", "c", "d", "d"]).rename_axis("dataset").reset_index()
    )
    board = quietly(table, family="field").leaderboard().set_index("method")
    tests = quietly(table, family="field").tests
    once = tests[(tests["variant"] == "one-per-domain") & (tests["test"] == "nemenyi")].set_index("methods")
    for other in ("one", "two"):
        expected = "significantly worse" if once["rejected"][f"{other};three"] else "not significant"
        assert board["verdict_by_family"][other] == expected
    assert board["verdict_by_family"]["three"] == ""
    assert set(quietly(values()).leaderboard()["verdict_by_family"]) == {""}


def test_every_sentence_and_finding_has_a_link(tmp_path):
    page = page_of(quietly(several_measures()), tmp_path / "out")
    for kind in ("headline", "findings"):
        for part in re.findall(rf'<(?:div|ul) class="{kind}">(.*?)</(?:div|ul)>', page, re.DOTALL):
            for begin, rest in re.findall(r"<(?:p|li)(.*?)>(.*?)</(?:p|li)>", part, re.DOTALL):
                id = re.fullmatch(r' id="(.*?)"', begin)[1]
                assert f'href="#{id}"' in rest
    ids = re.findall(r' id="(.*?)"', page)
    assert len(ids) == len(set(ids))


def test_a_diagram_that_would_join_all_methods_is_a_line(tmp_path):
    for seed in range(200):  # Friedman's test is significant, and no pair of Nemenyi's
        rng = np.random.default_rng(seed)
        table = pd.DataFrame(rng.random((10, 4)) + np.array([0.0, 0.15, 0.3, 0.3]), columns=list("abcd"))
        found = quietly(table)
        main, pairs = (found.tests[found.tests["test"] == name] for name in ("friedman", "nemenyi"))
        if main["rejected"].all() and len(pairs) and not pairs["rejected"].any():
            break
    else:
        pytest.fail("no such table")
    assert diagrams(found) == {}
    page = page_of(found, tmp_path / "out")
    assert "There is no diagram, because no two methods differ significantly." in page


def test_diagrams_say_what_they_show(tmp_path):
    page = page_of(quietly(values()), tmp_path / "out")
    label = re.search(r'role="img" aria-label="(.*?)"', page)[1]
    assert "three 1.00, two 2.00, one 3.00." in label and "A bar joins three and two." in label


def test_missing_cells_of_paper_tables_are_empty():
    texts = texts_of(quietly(values(), reference="one"), {})
    assert "NA" not in texts["tables.tex"] and "NA" not in texts["tables.md"]
    assert "$-$" not in texts["tables.md"] and "one value a family" not in texts["tables.tex"]


def test_names_with_commas_are_separated_by_semicolons():
    table = values().set_axis(["A, tuned", "B", "C"], axis="columns")
    assert "3 methods (A, tuned; B; and C)" in methods_text(quietly(table))


@pytest.mark.parametrize(
    ("friedman", "said"),
    [
        ("chi-square", r"\(chi-squared = [\d.]+, p = [^;]+; F_F = "),
        ("f", r"\(F_F = [^ ]+, p < 1e-16; chi-squared = "),
        ("permutation", r"\(chi-squared = [\d.]+, permutation p = [^;]+; F_F = "),
    ],
)
def test_a_p_value_is_behind_the_statistic_that_it_belongs_to(friedman, said):
    assert re.search(said, " ".join(quietly(values(), friedman=friedman).sentences()))


def test_methods_that_the_answer_does_not_name_are_best_by_no_more_measures():
    rng = np.random.default_rng(0)
    names = list("abcdef")
    tables = [
        pd.DataFrame(rng.random((6, 6)) / 10, columns=names).assign(dataset=range(6), measure=f"m{best}")
        for best in names
    ]
    for best, table in zip(names, tables, strict=True):
        table[best] += 1
    said = quietly(pd.concat(tables)).summary().partition("\n")[0]
    named = "b by 1, c by 1, d by 1 and 2 other methods by at most 1"
    assert said == f"a has the best average rank by 1 of 6 measures, {named}."
