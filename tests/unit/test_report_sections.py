"""The sections of the report: which figures stand where."""

import ast
import importlib
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from mlsieve.analysis import Analysis, Finding
from mlsieve.analysis.tests import TEST_COLUMNS
from mlsieve.report.findings import question_section
from mlsieve.sections.tested import groups_of
from mlsieve.tables.labels import Labels

EMPTY = pd.DataFrame(columns=[*TEST_COLUMNS, "method", "rank"])


def section_of(item, figures=(), tests=EMPTY):
    own = tests[tests["question"] == item["question"]]
    groups = groups_of(own, EMPTY, Analysis(paper="Somebody 2020"), Labels())
    nothing = {"findings": [], "notes": [], "tables": [], "overview": []}
    computed = nothing | {"short": item["question"].capitalize(), "groups": groups}
    return question_section(item | {"tables": []}, computed, tests, list(figures))


def section(*figures):
    made = [
        {
            "name": name,
            "question": question,
            "wide": wide,
            "picture": "<svg>",
            "title": name,
            "group": name.rpartition("_")[2],
        }
        for name, question, wide in figures
    ]
    item = {"question": "score", "title": "Which score is best?", "findings": [], "notes": [], "answer": []}
    found = section_of(item, made)
    others = [[figure["name"] for figure in found[key]] for key in ("figures", "extended_figures")]
    return [found["first"] and found["first"]["name"], *others]


def test_small_figures_come_first_and_those_of_all_methods_behind_the_fold():
    assert section(
        ("critical-difference_score_paper", "score", True),
        ("critical-difference_score_extended", "score", True),
        ("radar_score_paper", "score", False),
        ("radar_score_extended", "score", False),
        ("radar_relief_paper", "relief", False),
    ) == [
        "radar_score_paper",
        ["critical-difference_score_paper"],
        ["radar_score_extended", "critical-difference_score_extended"],
    ]


def test_pairs_without_a_test_count_as_none_and_those_of_sizes_stay_in_the_table():
    head = {"family": "paper", "variant": "all", "measure": "f1", "comparison": "c", "n_datasets": 4}
    head |= {"statistic": 1.0, "rejected": False, "note": "no test", "p_adjusted": 0.5}
    head |= {"ties": 0, "losses": 1, "interval_low": 0.0, "interval_high": 0.2}
    pair = head | {"test": "effect-size", "p_value": float("nan"), "wins": 3, "difference": 0.125}
    pair |= {"methods": "a;b"}
    main = head | {"test": "friedman", "p_value": 0.5, "methods": "a;b;d"}
    rows = [row | {"question": name} for name in ("score", "saturation") for row in (main, pair)]
    tests = pd.DataFrame(rows)

    def part(question):
        item = {"question": question, "title": "?", "findings": [], "notes": [], "answer": []}
        return section_of(item, tests=tests)["tables"][0]

    assert part("score")["title"] == part("saturation")["title"] == "Tests, the paper's methods (1 test)"
    shown = [cell.text for cell in part("score")["table"].rows[1].cells]
    assert shown[-3:] == ["no test", "3 / 0 / 1", "0.125 [0, 0.200]"] and shown[1] == "c: a against b"
    assert len(part("saturation")["table"].rows) == 1 and "tests.csv" in part("saturation")["text"]


def test_a_question_with_figures_of_all_methods_only_shows_them():
    assert section(("radar_score_extended", "score", False)) == ["radar_score_extended", [], []]
    assert section() == [None, [], []]


def test_what_several_findings_say_of_tests_that_do_not_reject_is_said_once():
    alike = (
        "A result that is not significant is no evidence that the methods perform alike. With 4 datasets "
        "the critical distance of Nemenyi's test is 1.2."
    )
    counts = "Over all of them it wins 28, ties 0 and loses 2 times."
    better = [Finding(f"Paper's methods: {name} is better (1 against 2). {counts}") for name in "abcd"]
    verdicts = [Finding(f"{name}: rejects for 1 of 2 tests (f1).", "paper", alike) for name in "efg"]
    other = Finding("All methods, h: rejects for 1 of 2 tests (f1).", "extended", alike)
    item = {"question": "score", "title": "?", "notes": [], "answer": []}
    item["findings"] = [asdict(finding) for finding in (*better, *verdicts, other)]
    found = section_of(item)
    assert found["main"] == [*(finding.text for finding in (*better, *verdicts)), alike]
    assert found["extended"] == [f"{other.text} {alike}"]
    assert found["answer"].startswith(better[0].text) and len(found["answer"].split()) <= 60
    assert section_of(item | {"answer": ["Yes.", "It is."]})["answer"] == "Yes. It is."
    nothing = {"findings": [], "notes": ["There is no Relief."]}
    assert section_of(item | nothing)["answer"] == "There is no Relief."
    assert section_of(item | nothing | {"notes": []})["answer"] == "This study gives no answer."


def imported(package):
    """Names of the modules that a package's modules import, at the top or inside."""
    folder = Path(importlib.import_module(f"mlsieve.{package}").__file__).parent
    nodes = [node for path in folder.glob("*.py") for node in ast.walk(ast.parse(path.read_text()))]
    return {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def test_the_report_computes_nothing_and_no_question_knows_the_report():
    tests = ("mlsieve.stats", "mlsieve.analysis.tests", "mlsieve.analysis.decisions", "scipy", "numpy")
    tests += ("mlsieve.analysis.ranking_costs", "mlsieve.analysis.performance", "mlsieve.sections")
    assert not [name for name in imported("report") if name.startswith(tests)]
    later = ("mlsieve.report", "mlsieve.plots", "mlsieve.published")
    assert not [name for name in imported("questions") if name.startswith(later)]
