"""The sections of the report: which figures stand where."""

import pandas as pd

from mlsieve.report.findings import question_section

EMPTY = pd.DataFrame(columns=["question", "family", "variant"])


def section(*figures):
    made = [
        {"name": name, "question": question, "wide": wide, "title": name} for name, question, wide in figures
    ]
    item = {"question": "score", "title": "Which score is best?", "sentences": [], "notes": []}
    found = question_section(item, EMPTY, EMPTY, made)
    return [[figure["name"] for figure in found[key]] for key in ("figures", "extended_figures")]


def test_small_figures_come_first_and_those_of_all_methods_behind_the_fold():
    assert section(
        ("critical-difference_score_paper", "score", True),
        ("critical-difference_score_extended", "score", True),
        ("radar_score_paper", "score", False),
        ("radar_score_extended", "score", False),
        ("radar_relief_paper", "relief", False),
    ) == [
        ["radar_score_paper", "critical-difference_score_paper"],
        ["radar_score_extended", "critical-difference_score_extended"],
    ]


def test_a_question_with_figures_of_all_methods_only_shows_them():
    assert section(("radar_score_extended", "score", False)) == [["radar_score_extended"], []]
