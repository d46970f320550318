"""The report's section on several seeds, against numbers worked out by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from mlsieve.analysis.ranking_costs import sizes_of
from mlsieve.report.counted import counted_parts
from mlsieve.sections.seeds import stability_part
from mlsieve.tables.labels import at_sizes
from mlsieve.tables.stability import STABILITY, seed_summary

USED = pd.DataFrame([{"choice": "paper", "kind": "size", "item": "bagging/genie3", "value": "10"}])


def row(dataset, measure, deviation, similarity, method="pct", size=10, mean=0.5):
    ensemble, score = ("bagging", "genie3") if method == "pct" else ("", "")
    values = (dataset, "official", method, ensemble, score, size, 0, "weighted-knn", measure, "clus")
    return dict(zip(STABILITY, (*values, 3, mean, deviation, similarity), strict=True))


STABLE = pd.DataFrame(
    [
        row("one", "f1", 0.01, 0.9),
        row("one", "coverage", 0.5, 0.9, mean=3.0),
        row("two", "f1", 0.03, 0.7),
        row("two", "coverage", 0.7, 0.7, mean=2.0),
        row("one", "f1", 0.09, 0.1, size=50),  # not the size in use
        row("one", "f1", 0.1, 0.5, "random", 0),
        row("two", "f1", float("nan"), 0.6, "random", 0, mean=float("nan")),
        row("one", "f1", 0.002, 0.95, "relief", 0),
        row("two", "f1", 0.004, 0.97, "relief", 0),
    ]
)


def texts(table):
    return [[cell.text for cell in one.cells] for one in table["table"].rows]


def test_the_summary_is_over_the_data_sets_at_the_size_in_use():
    summary = seed_summary(at_sizes(STABLE, sizes_of(USED)))
    assert list(summary.index) == ["bagging/genie3", "random", "relief"]
    bagging = summary.loc["bagging/genie3"]
    assert (bagging["size"], bagging["sets"], bagging["seeds"]) == (10, 2, 3)
    assert (bagging["similarity"], bagging["least"], bagging["most"]) == pytest.approx((0.8, 0.7, 0.9))
    assert bagging["deviation"] == pytest.approx(0.02), "coverage is no share"
    assert summary.loc["random", "deviation"] == 0.1


def test_what_the_page_shows():
    part = stability_part(STABLE, USED)
    assert part["sentences"] == [
        "Over 3 seeds and 2 datasets, the rankings of relief are the most similar between seeds (FUJI 0.96) "
        "and those of bagging/genie3 the least similar (0.8); the standard deviation of a measure ranges "
        "from 0.003 (relief) to 0.02 (bagging/genie3). For comparison, the same numbers of baselines: random "
        "0.55 and 0.1."
    ]
    rankings, measures = counted_parts(part["tables"])
    assert texts(rankings)[0] == ["bagging/genie3", "10", "2", "3", "0.800", "0.700 to 0.900", "0.0200"]
    assert texts(rankings)[1] == ["random", "", "2", "3", "0.550", "0.500 to 0.600", "0.1000"]
    assert [column.name for column in measures["table"].columns[1:]] == ["bagging/genie3", "random", "relief"]
    assert texts(measures) == [
        ["f1", "0.0200", "0.1000", "0.0030"],
        ["coverage", "0.6000", "–", "–"],
    ]


def test_one_ranking_is_compared_with_none():
    [sentence] = stability_part(STABLE[STABLE["method"] == "relief"], USED)["sentences"]
    assert sentence == (
        "Over 3 seeds and 2 datasets, the rankings of relief have a FUJI similarity of 0.96; the standard "
        "deviation of a measure is 0.003."
    )


def test_an_empty_table_shows_nothing():
    assert stability_part(STABLE.iloc[:0], USED) is None


def test_a_name_that_the_study_gives_is_no_control():
    renamed = STABLE.replace({"method": {"relief": "relief-again"}})
    assert "relief-again are the most similar" in stability_part(renamed, USED)["sentences"][0]
