"""Published values stand beside a study's own where the setting is the same, and nowhere else."""

from __future__ import annotations

import copy

import pandas as pd
import pytest

from mlsieve.report.published import published_pairs, published_part, published_values
from mlsieve.study import Study
from mlsieve.tables import PERFORMANCE

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
        for item in published_values()["rankings"]
        for measure, row in item["values"].items()
        for name, value in row.items()
        if name != "scene"
    ]
    birds = rows[0] | {"dataset": "birds"}
    return pd.DataFrame([*rows, birds]).assign(**changes)


def texts(table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def test_values_of_the_same_setting_stand_beside_each_other():
    part = published_part(study(), performance(0.0004))
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
    assert part["text"].startswith("36 of 36 values that the paper prints come out to all printed digits")
    assert "Machine Learning 109" in part["source"]


def test_what_differs_is_neither_hidden_nor_bold():
    part = published_part(study(), performance(0.0006))
    assert part["text"].startswith("2 of 36 values"), "coverage, a number above 1, has fewer decimals"
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
    assert published_part(study(**changes), performance(**columns)) is None


def test_relief_with_other_examples_is_left_out_and_said_so():
    methods = [{"id": "uniform"}, {"id": "relief"}]
    pairs, others = published_pairs(study(methods=methods), performance())
    assert {pair.ranking for pair in pairs} == {"uniform"}
    assert others == ["Those of relief are left out: they are printed for m = 1.0, and here m = 0.25."]
    methods[1] = {"id": "relief", "params": {"m": 1}}
    _, others = published_pairs(study(methods=methods), performance())
    assert "here m = 1." in others[0], "one example is not all of them"


def test_a_set_of_the_users_own_is_not_the_papers():
    own = [{"id": "emotions", "format": "mulan", "train": "mine.arff", "labels": "mine.xml"}]
    pairs, _ = published_pairs(study(datasets=own), performance())
    assert pairs == []
