"""Published values stand beside a study's own where the setting is the same, and nowhere else."""

from __future__ import annotations

import copy

import pandas as pd
import pytest

from mlsieve.report.published import published_pairs, published_parts, published_values
from mlsieve.study import Study
from mlsieve.tables import PERFORMANCE

KNOWN = published_values()["mlc_ranking"]
SAME = {
    "study": "unit",
    "datasets": ["emotions", "yeast", "birds"],
    "methods": [{"id": "uniform"}, {"id": "relief", "params": {"m": 1.0}}],
    "evaluators": [{"id": "weighted-knn", "params": {"ranges": "all"}}],
}


def study(**changes) -> Study:
    return Study(copy.deepcopy(SAME) | changes)


def performance(more: float = 0.0, **changes) -> pd.DataFrame:
    """A table that holds what is published for emotions and yeast, `more` added to it."""
    rows = [
        dict(zip(PERFORMANCE, (name, "official", item["method"], "", "", 0, 0), strict=False))
        | {"evaluator": "weighted-knn", "measure": measure, "definition": "clus", "value": value + more}
        for item in KNOWN["rankings"]
        for measure, row in item["values"].items()
        for name, value in row.items()
        if name != "scene"
    ]
    birds = rows[0] | {"dataset": "birds"}
    return pd.DataFrame([*rows, birds]).assign(**changes)


def texts(table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def test_values_of_the_same_setting_stand_beside_each_other():
    (part,) = published_parts(study(), performance(0.0004))
    assert [column.name for column in part["table"].columns] == [
        "ranking",
        "measure",
        *("emotions: published", "here", "difference"),
        *("yeast: published", "here", "difference"),
    ]
    assert len(part["table"].rows) == 15 + 3
    assert texts(part["table"])[1] == [
        "uniform",
        "hamming-loss",
        *("0.186", "0.1864", "+0.00040"),
        *("0.198", "0.1984", "+0.00040"),
    ]
    assert part["text"].startswith(
        "Of the 36 printed values that were compared, 36 come out to all printed digits"
    )
    assert "Machine Learning 109" in part["source"]


def test_what_differs_is_neither_hidden_nor_bold():
    (part,) = published_parts(study(), performance(0.0006))
    assert part["text"].startswith("Of the 36 printed values that were compared, 2 come"), (
        "coverage, a number above 1, has fewer decimals"
    )
    bold = [cell.text for row in part["table"].rows for cell in row.cells if "best" in cell.style]
    assert bold == ["2.981", "7.851"]


@pytest.mark.parametrize(
    "changes, columns",
    [
        ({"evaluators": [{"id": "weighted-knn", "params": {"ranges": "all", "k": 10}}]}, {}),
        ({"evaluators": [{"id": "weighted-knn"}]}, {}),
        ({}, {"split": "holdout"}),
        ({}, {"definition": "sklearn"}),
        ({}, {"dataset": "birds"}),
        ({"methods": [{"id": "random"}]}, {"method": "random"}),
    ],
)
def test_another_setting_has_nothing_beside_it(changes, columns):
    assert published_parts(study(**changes), performance(**columns)) == []


def test_relief_with_other_examples_is_left_out_and_said_so():
    methods = [{"id": "uniform"}, {"id": "relief"}]
    pairs, others = published_pairs(study(methods=methods), performance(), KNOWN)
    assert {pair.ranking for pair in pairs} == {"uniform"}
    assert others == ["Those of relief are left out: they are printed for m = 1.0, and here m = 0.25."]
    methods[1] = {"id": "relief", "params": {"m": 1}}
    _, others = published_pairs(study(methods=methods), performance(), KNOWN)
    assert "here m = 1." in others[0], "one example is not all of them"


def test_a_set_of_the_users_own_is_not_the_papers():
    own = [{"id": "emotions", "format": "mulan", "train": "mine.arff", "labels": "mine.xml"}]
    pairs, _ = published_pairs(study(datasets=own), performance(), KNOWN)
    assert pairs == []


SELECTION = {
    "study": "unit",
    "datasets": ["bibtex", "enron", {"id": "genbase", "drop": ["protein"]}, "yeast"],
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
    """A table with the published means, `more` added; every split lies `spread` above or below its mean."""
    rows = [
        dict(zip(PERFORMANCE, (name, "holdout", item["method"], "", "", 0, repeat), strict=False))
        | {"evaluator": "mlnb", "measure": measure, "features": features}
        | {"definition": "clus" if measure == "hamming-loss" else "scls"}  # as a study's table has them
        | {"value": value + more + spread * (-1) ** repeat + (0.2 if features < 9 else 0.0)}
        for item in published_values()["scls_selection"]["rankings"]
        for measure, row in item["values"].items()
        for name, value in row.items()
        for repeat in range(splits)
        for features in (3, 9)
    ]
    return pd.DataFrame(rows)


def test_means_over_splits_stand_beside_published_ones():
    (part,) = published_parts(Study(copy.deepcopy(SELECTION)), selections(0.004))
    assert part["text"].startswith(
        "Of the 18 published means that were compared, 18 lie within 2 standard errors"
    )
    assert "over 10 splits, or within 0.005 where that is more" in part["text"]
    assert "Lee, Kim" in part["source"] and len(part["table"].rows) == 6
    first = texts(part["table"])[0]
    assert first[:5] == ["scls", "hamming-loss", "0.063", "0.067", "+0.00400 (of ±0.00500)"]


def test_the_margin_is_two_standard_errors_where_that_is_more():
    known = published_values()["scls_selection"]
    spread = 0.03
    pairs, others = published_pairs(Study(copy.deepcopy(SELECTION)), selections(0.012, spread), known)
    error = spread * (10 / 9) ** 0.5 / 10**0.5
    assert not others and {round(pair.margin, 9) for pair in pairs} == {round(2 * error, 9)}
    assert 0.012 < 2 * error and all(pair.met for pair in pairs)
    pairs, _ = published_pairs(Study(copy.deepcopy(SELECTION)), selections(0.021, spread), known)
    assert not any(pair.met for pair in pairs)
    pairs, _ = published_pairs(Study(copy.deepcopy(SELECTION)), selections(0.006), known)
    assert not any(pair.met for pair in pairs) and {pair.margin for pair in pairs} == {0.005}


@pytest.mark.parametrize(
    ("changes", "datasets"),
    [
        ({"split": {"kind": "holdout", "repeats": 10}}, set()),
        ({"evaluators": [{"id": "weighted-knn"}]}, set()),
        ({"datasets": ["bibtex", "enron", "genbase", "yeast"]}, {"bibtex", "enron", "yeast"}),
        ({"datasets": ["yeast", {"id": "enron", "drop": ["0"]}]}, {"yeast"}),
    ],
)
def test_means_of_another_setting_or_other_data_have_nothing_beside_them(changes, datasets):
    known = published_values()["scls_selection"]
    pairs, _ = published_pairs(Study(copy.deepcopy(SELECTION) | changes), selections(), known)
    assert {pair.dataset for pair in pairs} == datasets


def test_another_form_under_the_published_name_and_missing_measures_are_told():
    known = published_values()["scls_selection"]
    methods = [{"id": "scls"}, {"id": "ami", "params": {"form": "printed"}}]
    table = selections()
    table = table[table["measure"] != "ranking-loss-ties"]
    pairs, others = published_pairs(Study(copy.deepcopy(SELECTION) | {"methods": methods}), table, known)
    assert {pair.ranking for pair in pairs} == {"scls"}
    assert others == [
        "Those of ami are left out: they are printed for form = mean, and here form = printed.",
        "Those of ranking-loss-ties are left out: the study has no such measure as scls defines it.",
    ]
