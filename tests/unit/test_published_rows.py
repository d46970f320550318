"""published.csv: a row per printed figure, with its difference, its verdict and its conclusion."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from published_study import (
    LABELS,
    figure_of,
    flat_tables,
    hierarchical_tables,
    pair,
    selected_tables,
    study,
    tables_of,
)
from synthetic_study import DIRECTIONS, hierarchical_table

from mlsieve.analysis import Analysis
from mlsieve.cli import main
from mlsieve.published import Figure, known_papers
from mlsieve.replication.conclusions import conclusion
from mlsieve.replication.rows import PUBLISHED, find, published_rows
from mlsieve.replication.tables import Found, StudyTables


@pytest.fixture(scope="module")
def flat() -> StudyTables:
    return flat_tables()


@pytest.fixture(scope="module")
def flat_rows(flat) -> list[dict[str, Any]]:
    return published_rows(study("mlc_ranking"), flat)


@pytest.fixture(scope="module")
def hierarchical() -> StudyTables:
    return hierarchical_tables()


@pytest.fixture(scope="module")
def selected() -> StudyTables:
    return selected_tables()


@pytest.mark.parametrize(
    ("name", "fixture"),
    [("mlc_ranking", "flat"), ("hmlc_ranking", "hierarchical"), ("scls_selection", "selected")],
)
def test_every_printed_figure_has_a_row_with_ours_or_a_reason(name, fixture, request):
    paper = known_papers()[name]
    tables = request.getfixturevalue(fixture)
    rows = request.getfixturevalue("flat_rows") if fixture == "flat" else published_rows(study(name), tables)
    kinds = pd.Series([row["kind"] for row in rows]).value_counts().to_dict()
    n_cells = {"mlc_ranking": 54, "scls_selection": 375}.get(name, 0)
    n_sizes = {"hmlc_ranking": 30 * 7, "scls_selection": 25 * 6}.get(name, 0)
    expected = {"figure": len(paper.figures), "cell": n_cells, "dataset": n_sizes}
    assert kinds == {kind: count for kind, count in expected.items() if count}
    for row in rows:
        assert tuple(row) == PUBLISHED and row["paper"] == name and row["place"] and row["what"]
        assert row["printed"] or row["conclusion"]
        assert bool(row["ours"] != "") != bool(row["reason"]), row
        assert row["same_conclusion"] in (("yes", "no") if row["conclusion"] and row["ours"] != "" else ("",))
        if row["difference"]:
            assert float(row["difference"]) == pytest.approx(
                float(row["ours"]) - float(row["printed"]), rel=1e-7, abs=1e-9
            )
        if row["within"] and row["tolerance"] and row["difference"]:
            near = abs(float(row["difference"])) <= float(row["tolerance"]) + 1e-9
            assert (row["within"] == "yes") == near


def test_any_other_study_has_no_rows(flat):
    assert published_rows(study("quickstart"), flat) == []


def test_a_chosen_size_has_a_difference(flat_rows):
    sizes = [row for row in flat_rows if row["what"].endswith("number of trees that suffices")]
    assert len(sizes) == 8
    for row in sizes:
        assert int(row["difference"]) == int(row["ours"]) - int(row["printed"])
        assert row["within"] == row["same_conclusion"] == ("yes" if row["difference"] == "0" else "no")
    assert [row["counts_as"] for row in sizes].count("convention") == 6


ONE_OTHER, OTHER_ONE = (
    ";".join(names) for names in itertools.permutations(("bagging/genie3", "random-forest/permutation"))
)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (pair("nemenyi", ONE_OTHER, -1.0, True), "significant"),
        (pair("nemenyi", OTHER_ONE, 1.0, True), "significant"),
        (
            pair("nemenyi", ONE_OTHER, 1.0, True),
            "significant in the other direction",
        ),
        (
            pair("nemenyi", OTHER_ONE, -1.0, True),
            "significant in the other direction",
        ),
        (pair("nemenyi", ONE_OTHER, -1.0, False), "not significant"),
        (
            pair(
                "effect-size",
                "bagging/genie3;random-forest/permutation",
                -1.0,
                False,
                p_value=np.nan,
                p_adjusted=np.nan,
            ),
            "not significant",
        ),
    ],
)
def test_verdicts_have_a_direction(flat, row, words):
    figure = figure_of("mlc_ranking", measure="pooled-auprc", score="genie3", than="permutation")
    found = find(figure, dataclasses.replace(flat, tests=pd.DataFrame([row])))
    both = conclusion(figure, found)
    assert both.ours == words and both.paper == "significant" and both.same == (words == "significant")


@pytest.mark.parametrize(
    ("printed", "of", "value", "ours_of", "same"),
    [
        (21, 120, 19, 120, True),
        (21, 120, 0, 120, True),
        (21, 120, 60, 120, False),
        (61, 120, 60, 120, False),  # half is neither fewer nor more
        (60, 120, 60, 120, True),
        (0, 8, 0, 8, True),
        (0, 8, 1, 8, False),
        (15, 15, 15, 15, True),
        (15, 15, 14, 15, False),
        (30, 45, 45, 45, True),
        (30, 45, 22, 45, False),
        (28, 30, 11, 13, True),
    ],
)
def test_shares_conclude_alike(printed, of, value, ours_of, same):
    figure = Figure("somewhere", "a count", str(printed), of, "absent", {}, {}, "share")
    assert conclusion(figure, Found(value, ours_of)).same == same


def test_the_command_writes_both_tables(flat, flat_rows, tmp_path, capsys):
    folder = tmp_path / "mlc_ranking"
    (folder / "configuration").mkdir(parents=True)
    content = dict(study("mlc_ranking").configuration) | {"cache": str(tmp_path / "cache")}
    (folder / "configuration" / "jobs.json").write_text(json.dumps(content))
    section = {"directions": DIRECTIONS, "domains": dict(flat.analysis.domains), "differing": ["set-6"]}
    (folder / "configuration" / "analysis.json").write_text(json.dumps(section))
    frames = {"performance": flat.performance, "tests": flat.tests, "average_ranks": flat.ranks}
    frames |= {"choices": flat.choices, "rankings": flat.rankings}
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    assert main(["published", str(folder)]) == 0
    with (folder / "published.csv").open(encoding="utf-8", newline="") as stream:
        written = list(csv.DictReader(stream))
    assert tuple(written[0]) == PUBLISHED and written == [
        {name: str(value) for name, value in row.items()} for row in flat_rows
    ]
    assert (folder / "published_columns.csv").read_text().startswith("paper,place,measure,published,method")
    (folder / "tests.csv").unlink()
    assert main(["published", str(folder)]) == 2
    assert "tests.csv" in capsys.readouterr().err


def test_tests_that_four_families_cannot_decide_are_out_of_reach():
    """Wilcoxon's p-value of four domains is 0.125 at least, whatever the data; Friedman's F has no least."""
    analysis = Analysis(
        questions=("relevance", "relief", "score"),
        friedman="f",
        paper_methods=LABELS,
        paper_sizes={"default": 10, "relief": 1},
        paper_ensembles={"symbolic": "random-forest", "genie3": "random-forest", "permutation": "bagging"},
        settings={"relief_test": "wilcoxon"},
        domains={f"set-{number}": f"family-{number % 4}" for number in range(1, 11)},
    )
    tables = tables_of(hierarchical_table(), analysis)
    rows = pd.DataFrame(published_rows(study("hmlc_ranking"), tables)).query("kind == 'figure'")
    counts = rows[rows["what"].str.contains("that are significantly better than") & (rows["unit"] == "")]
    assert len(counts) == 2 and (counts["ours"] != "").all()
    assert (counts["ours_domains"] == "").all() and (counts["ours_domains_of"] == "").all()
    assert set(counts["ours_domains_out_of_reach"]) == {"out of reach: p at least 0.125"}
    single = rows[rows["what"].str.endswith("against Relief: p-value")]
    assert len(single) == 3 and (single["ours_domains"].astype(float) >= 0.125).all()
    assert set(single["ours_domains_out_of_reach"]) == {"out of reach: p at least 0.125"}
    of_f = rows[rows["what"] == "p-value of the comparison of the scores"]
    assert of_f["ours_domains"].tolist() != [""] and of_f["ours_domains_out_of_reach"].tolist() == [""]
