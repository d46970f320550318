"""The report's tables of what papers print: they show published.csv as it is, and count what stands in it."""

from __future__ import annotations

import pandas as pd
import pytest
from synthetic_study import shown

from mlsieve.analysis.tables.selection import column_tables
from mlsieve.replication.columns import COLUMNS
from mlsieve.replication.rows import PUBLISHED
from mlsieve.report import published as shown_on_page
from mlsieve.sections.published import published_texts

FIGURE = {"paper": "mlc_ranking", "kind": "figure", "place": "section 6.1", "question": "saturation"}


def table(*rows) -> pd.DataFrame:
    return pd.DataFrame([dict.fromkeys(PUBLISHED, "") | row for row in rows])


def beside(study: str, question: str, published: pd.DataFrame | None):
    """Return what the page shows of a question's printed figures, with the counts of sections.json."""
    counted = published_texts(published)["questions"]
    return shown_on_page.beside(study, question, published, counted.get(question, ""))


def published_parts(published: pd.DataFrame | None):
    """Return the page's part on single values, with the counts of sections.json."""
    return shown_on_page.published_parts(published, published_texts(published)["values"])


def sizes_part(published: pd.DataFrame | None):
    """Return the page's part on the sizes of the datasets, with the counts of sections.json."""
    return shown_on_page.sizes_part(published, published_texts(published)["sizes"])


def texts(made) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in made.rows]


def test_a_question_shows_its_figures():
    count = {"what": "tests", "printed": "21", "printed_of": "120", "ours": "73", "ours_of": "120"}
    count |= {"ours_domains": "28", "ours_domains_of": "120", "same_conclusion": "no"}
    count |= {"counts_as": "finding"}
    count |= {"conclusion": "fewer than half", "ours_conclusion": "more than half", "basis": "17 datasets"}
    verdict = {"what": "genie3", "measure": "f1", "conclusion": "significant", "ours": "0.0312345678"}
    verdict |= {"counts_as": "finding"}
    verdict |= {"ours_conclusion": "significant", "same_conclusion": "yes", "dataset": "yahoo_arts"}
    lacking = {"what": "speed", "printed": "50", "reason": "nothing is known"}
    share = {"what": "share of scls", "printed": "88", "printed_of": "100", "ours": "42.9", "unit": "%"}
    share |= {"counts_as": "finding"}
    share |= {"conclusion": "more than half", "ours_conclusion": "fewer than half", "same_conclusion": "no"}
    found = beside(
        "mlc_ranking", "saturation", table(FIGURE | count, FIGURE | verdict, FIGURE | lacking, FIGURE | share)
    )
    assert "saturate after 10 trees" in found.finding and "Machine Learning 109" in found.source
    assert found.text == (
        "1 of the 3 comparable findings is the same in this study. 1 printed figure has no counterpart in "
        "this study."
    )
    assert found.from_tables == ""
    assert [column.name for column in found.table.columns] == [
        "what",
        "paper",
        "this study",
        "same conclusion?",
        "this study, each domain once",
        "place in the paper",
        "remark",
    ]
    assert texts(found.table) == [
        ["tests", "21 of 120", "73 of 120", "no", "28 of 120", "section 6.1", "17 datasets"],
        [
            *("genie3, f1, yahoo_arts", "significant", "0.03123 (significant)", "yes", ""),
            *("section 6.1", ""),
        ],
        ["speed", "50", "", "", "", "section 6.1", "nothing is known"],
        ["share of scls", "88 %", "42.9 %", "no", "", "section 6.1", ""],
    ]
    assert [row.marked for row in found.table.rows] == [False, True, False, False]


@pytest.mark.parametrize(
    ("agreeing", "text"),
    [
        (
            (2, 3, 2, 2),
            "2 of the 3 comparable findings are the same in this study. All 2 arithmetic checks agree.",
        ),
        (
            (0, 1, 1, 2),
            "The one comparable finding is not the same in this study. 1 of the 2 arithmetic checks agree.",
        ),
        ((3, 3, 0, 0), "All 3 comparable findings are the same in this study."),
        ((0, 0, 1, 1), "The arithmetic check agrees."),
        ((0, 0, 0, 1), "The arithmetic check does not agree."),
    ],
)
def test_arithmetic_and_conventions_are_no_findings(agreeing, text):
    def rows(counts_as, same, n):
        for i in range(n):
            yes = "yes" if i < same else "no"
            yield FIGURE | {"counts_as": counts_as, "same_conclusion": yes, "printed": "1", "conclusion": "1"}

    same, n, checks, n_checks = agreeing
    made = [*rows("finding", same, n), *rows("arithmetic", checks, n_checks)]
    assert beside("mlc_ranking", "saturation", table(*made)).text == text
    more = [*made, *rows("convention", 2, 2), *rows("derived", 1, 1)]
    found = beside("mlc_ranking", "saturation", table(*more))
    rest = "3 further figures are not counted, because they follow from a convention or from other numbers."
    assert found.text == f"{text} {rest}"
    assert [row[-1] for row in texts(found.table)][-3:] == ["convention", "convention", "derived"]


def test_what_mlsieve_computes_is_not_the_papers_word():
    found = beside("scls_selection", "conclusion", None)
    assert "8 of the 25" in found.from_tables and "8 of the 25" not in found.finding
    found = beside("scls_selection", "selection", None)
    assert "53.379" in found.from_tables and "53.379" not in found.finding


def test_a_note_stands_among_the_remarks():
    row = FIGURE | {"what": "tests", "printed": "21", "basis": "17 datasets", "note": "the text has 14"}
    found = beside("mlc_ranking", "saturation", table(row))
    assert texts(found.table)[0][-1] == "17 datasets; the text has 14"


def test_only_the_study_of_the_paper_shows_its_findings():
    assert beside("quickstart", "saturation", table(FIGURE)) is None
    assert beside("mlc_ranking", "comparison", table(FIGURE)) is None
    alone = beside("mlc_ranking", "saturation", None)
    assert alone.finding and alone.table is None and alone.text == ""


def cell(dataset, printed, ours, within, **more):
    row = {"paper": "scls_selection", "kind": "cell", "place": "Table 2", "measure": "hamming-loss"}
    row |= {"dataset": dataset, "ours_dataset": dataset, "method": "scls", "printed": printed, "ours": ours}
    difference = f"{float(ours) - float(printed):.4f}" if ours else ""
    return row | {"within": within, "difference": difference, "basis": "the paper's data"} | more


def test_values_of_few_datasets_stand_in_one_table():
    rows = table(
        cell("emotions", "0.186", "0.1864", "yes", paper="mlc_ranking", method="uniform"),
        cell("yeast", "0.198", "0.1990", "no", paper="mlc_ranking", method="uniform"),
        cell("scene", "0.105", "", "", paper="mlc_ranking", method="uniform", reason="scene is not here"),
    )
    (part,) = published_parts(rows)
    assert part["text"] == (
        "1 of 2 compared values agree with the printed ones (bold). Two values agree if all printed digits "
        "are the same. 1 printed value has no counterpart in this study: scene is not here."
    )
    assert texts(part["table"]) == [
        ["uniform", "hamming-loss", "0.186", "0.1864", "+0.0004", "0.198", "0.199", "+0.0010"]
    ]
    bold = [cell.text for cell in part["table"].rows[0].cells if "best" in cell.style]
    assert bold == ["0.1864"] and published_parts(None) == []


def test_cells_of_many_datasets_stand_by_measure():
    names = ("bibtex", "enron", "genbase", "scene", "yeast", "yahoo_social")
    rows = [
        cell(name, "0.100", "0.103" if name != "yeast" else "", "yes" if name != "yeast" else "")
        | {"method": method, "printed_deviation": "0.001", "reason": "no value" if name == "yeast" else ""}
        for name in names
        for method in ("scls", "ami")
    ]
    rows[-1]["basis"] = rows[-2]["basis"] = "a reduced copy of the paper's data"
    other = [row | {"place": "Table 3", "measure": "ranking-loss-ties"} for row in rows]
    parts = published_parts(table(*rows, *other))
    assert [part["title"] for part in parts] == ["Table 2: hamming-loss", "Table 3: ranking-loss-ties"]
    assert parts[0]["text"].startswith(
        "20 of 20 compared values agree with the printed ones (bold), 16 of 16 on the paper's own data. Both"
    )
    assert "two standard errors of their difference, or by at most 0.005" in parts[0]["text"]
    assert parts[1]["text"] == ""
    shown = texts(parts[0]["table"])
    assert len(shown) == 6 and shown[0] == ["bibtex", "the paper's data", *["0.100", "0.103", "+0.0030"] * 2]
    assert shown[4][2:] == ["0.100", "–", "–"] * 2 and shown[5][1].startswith("a reduced copy")


def test_sizes_that_differ_are_in_brackets():
    head = {"paper": "hmlc_ranking", "kind": "dataset", "place": "Table 1", "dataset": "diatoms"}
    rows = table(
        head | {"what": "features", "printed": "200", "ours": "371", "within": "no"},
        head | {"what": "labels", "printed": "81", "ours": "81", "within": "yes"},
        head | {"what": "features", "printed": "74435", "dataset": "wipo", "reason": "not among"},
    )
    part = sizes_part(rows)
    assert texts(part["table"]) == [["diatoms", "200 [371]", "81"], ["wipo", "74435", ""]]
    assert "1 of 2 compared entries are the same; the study has no value for 1 other." in part["text"]
    assert sizes_part(table(FIGURE)) is None


def test_the_numbers_of_a_column_have_the_same_decimals():
    head = {"paper": "scls_selection", "kind": "dataset", "place": "Table 1", "what": "label cardinality"}
    rows = table(
        head | {"dataset": "delicious", "printed": "19.02", "ours": "19.02", "within": "yes"},
        head | {"dataset": "bibtex", "printed": "2.402", "ours": "2.40189", "within": "yes"},
        head | {"dataset": "yeast", "printed": "4", "ours": "4.2371", "within": "no"},
        head | {"dataset": "scene", "printed": "1.074", "ours": "1.07422", "within": "no"},
    )
    shown = [row[1] for row in texts(sizes_part(rows)["table"])]
    assert shown == ["19.020", "2.402", "4.000 [4.237]", "1.074 [1.07422]"]


def test_a_figure_that_families_cannot_decide_says_so():
    beyond = "out of reach: p at least 0.125"
    count = FIGURE | {"what": "better", "printed": "5", "ours": "5", "ours_domains_out_of_reach": beyond}
    single = count | {"ours_domains": "0.4285714286"}
    some = count | {"ours_domains": "1", "ours_domains_of": "2"}
    some["ours_domains_out_of_reach"] = "3 more out of reach: p at least 0.125"
    found = beside("mlc_ranking", "saturation", table(count, single, some))
    assert [row[4] for row in texts(found.table)] == [
        beyond,
        f"0.4286 ({beyond})",
        "1 of 2 (3 more out of reach: p at least 0.125)",
    ]


@pytest.mark.parametrize("remark", ["", "No variant gives them."])
def test_which_columns_come_out(remark):
    def column(published, method, data, near, comes_out, nearest):
        row = dict.fromkeys(COLUMNS, "") | {"place": "Table 2", "measure": "hamming-loss", "n": 19}
        row |= {"published": published, "method": method, "data": data, "within_margin": near}
        row |= {"within_0.01": near, "within_0.02": near, "median_difference": 0.0123}
        return row | {"comes_out": comes_out, "nearest": nearest}

    columns = pd.DataFrame(
        [
            column("ami", "ami", "the paper's", 16, "yes", "yes"),
            column("ami", "ami", "all", 18, "no", "yes"),
            column("scls", "scls", "the paper's", 2, "no", "no"),
            column("scls", "ami-printed", "the paper's", 15, "yes", "yes"),
        ]
    )
    own, nearest = column_tables(columns, remark)
    assert own.text.startswith(
        "The study reproduces 1 of 2 published columns: ami by hamming-loss. A column "
    )
    assert own.text.endswith(remark or "and all datasets.")
    assert texts(shown(own)) == [
        ["ami", "hamming-loss", "ami", "19", "16", "16", "16", "+0.0123", "yes"],
        ["scls", "hamming-loss", "scls", "19", "2", "2", "2", "+0.0123", "no"],
    ]
    assert "For 1 of 2 columns, this is not the method" in nearest.text
    assert [row[2] for row in texts(shown(nearest))] == ["ami", "ami-printed"]
    assert column_tables(columns.iloc[:0]) == []
