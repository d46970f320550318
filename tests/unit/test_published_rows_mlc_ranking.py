"""Figures printed by the study of flat rankings, each found in its tables in another way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from published_study import LABELS, figure_of, flat_tables, pair, values_of
from scipy.stats import rankdata

from mlsieve.published import known_papers
from mlsieve.replication.conclusions import conclusion
from mlsieve.replication.rows import find
from mlsieve.replication.tables import Absent, StudyTables


@pytest.fixture(scope="module")
def flat() -> StudyTables:
    return flat_tables()


def friedman_rejections(tables: StudyTables, variant="all"):
    tests = tables.tests
    return tests[
        (tests["question"] == "saturation")
        & (tests["family"] == "paper")
        & (tests["variant"] == variant)
        & (tests["test"] == "friedman")
    ]


def test_counts_of_significant_tests(flat):
    total = find(figure_of("mlc_ranking", find="rejections", groups="pairs"), flat)
    rows = friedman_rejections(flat)
    assert (total.value, total.of, total.n_datasets) == (rows["rejected"].sum(), 120, 6)
    domains = find(figure_of("mlc_ranking", find="rejections", groups="pairs"), flat, "one-per-domain")
    assert domains.value == friedman_rejections(flat, "one-per-domain")["rejected"].sum()
    assert domains.n_datasets == 5
    counts = [
        find(figure, flat).value
        for figure in known_papers()["mlc_ranking"].figures
        if figure.find == "rejections" and figure.fact("question") == "saturation" and figure.fact("method")
    ]
    assert len(counts) == 8 and sum(counts) == total.value
    ensemble = [f for f in known_papers()["mlc_ranking"].figures if f.fact("question") == "ensemble"]
    (without,) = [find(f, flat) for f in ensemble if f.fact("negated")]
    each = [find(f, flat) for f in ensemble if f.find == "rejections" and f.fact("comparison")]
    assert without.of == 45 and without.value == 45 - sum(found.value for found in each)


def test_relevance_is_counted_in_favour_only(flat):
    tests = flat.tests
    own = tests[
        (tests["question"] == "relevance") & (tests["family"] == "paper") & (tests["variant"] == "all")
    ]
    better = own["rejected"] & (own["rank_sum_better"] > own["rank_sum_worse"])
    by_measure = {
        f.fact("measure"): find(f, flat).value
        for f in known_papers()["mlc_ranking"].figures
        if f.find == "rejections" and f.fact("question") == "relevance" and f.fact("measure")
    }
    assert by_measure == better.groupby(own["measure"]).sum().to_dict()
    seven = find(figure_of("mlc_ranking", find="measures_with"), flat)
    assert (seven.value, seven.of) == (sum(count >= 7 for count in by_measure.values()), 15)


def test_places_on_one_dataset(flat):
    figure = figure_of("mlc_ranking", find="sizes_placed", measure="ranking-loss", score="symbolic")
    best = 0
    for size in (10, 25, 50, 75, 100, 150, 200, 250):
        row = {
            score: values_of(flat, "yahoo_arts", "ranking-loss", f"bagging/{score}", size)
            for score in ("genie3", "permutation", "symbolic")
        }
        best += min(row, key=row.get) == "symbolic"
    found = find(figure, flat)
    assert (found.value, found.of) == (best, 8)
    figure = figure_of("mlc_ranking", find="better_on_dataset", measure="pooled-auprc", than="uniform")
    baseline = values_of(flat, "yahoo_arts", "pooled-auprc", "uniform", 0)
    sizes = {label: 50 if label in ("random-forest/symbolic", "bagging/symbolic") else 10 for label in LABELS}
    better = sum(
        values_of(flat, "yahoo_arts", "pooled-auprc", label, sizes[label]) > baseline for label in LABELS
    )
    found = find(figure, flat)
    assert (found.value, found.of) == (better, 8)
    with pytest.raises(Absent, match="yahoo_arts is not among"):
        away = dataclasses.replace(flat, performance=flat.performance.replace("yahoo_arts", "away"))
        find(figure, away)


def test_places_of_average_ranks(flat):
    ranks = flat.ranks
    own = ranks[(ranks["question"] == "relief") & (ranks["family"] == "paper") & (ranks["variant"] == "all")]
    places = {}
    for measure, group in own.groupby("measure"):
        place = rankdata(group["rank"].round(9), method="min")
        places[measure] = int(place[group["method"].tolist().index("relief")])
    found = {
        f.fact("measure"): find(f, flat).value
        for f in known_papers()["mlc_ranking"].figures
        if f.find == "place_of" and f.fact("method") == "relief"
    }
    assert found == places
    low = find(figure_of("mlc_ranking", find="measures_placed"), flat)
    assert (low.value, low.of) == (sum(place >= 3 for place in places.values()), 15)


def test_choices_are_the_studys_own(flat):
    choices = flat.choices
    for kind, item in (("size", "bagging/symbolic"), ("ensemble", "genie3")):
        own = choices[(choices["choice"] == "own") & (choices["kind"] == kind) & (choices["item"] == item)]
        found = find(figure_of("mlc_ranking", kind=kind, method=item), flat).value
        assert found == (int(own["value"].item()) if kind == "size" else own["value"].item())


def test_the_smallest_of_the_best_group(flat):
    figure = figure_of("mlc_ranking", find="smallest_of_best_group", method="bagging/symbolic")
    head = {"question": "saturation", "family": "paper", "variant": "all", "evaluator": "weighted-knn"}
    head |= {"measure": "f1", "comparison": "bagging/symbolic", "n_datasets": 6}
    ranks = {"10": 4.0, "25": 3.2, "50": 2.1, "100": 1.2}
    for distance, smallest in ((1.0, 50), (2.0, 50), (2.1, 25), (np.nan, 10)):
        rows = [
            head | {"method": size, "rank": rank, "critical_distance": distance}
            for size, rank in ranks.items()
        ]
        assert find(figure, dataclasses.replace(flat, ranks=pd.DataFrame(rows))).value == smallest


@pytest.mark.parametrize(
    ("statistics", "rejected", "singled"),
    [
        ((-1.0, -1.2, 0.2), (True, True, False), 1),  # a before b and c
        ((1.0, 0.2, -1.2), (True, False, True), 1),  # b before a and c
        ((-1.0, -1.2, 0.2), (True, False, False), 0),  # a before b alone
        ((1.0, 1.2, 0.2), (True, True, False), 0),  # a behind both
        ((-1.0, -1.2, 0.2), (False, False, False), 0),
    ],
)
def test_an_ensemble_that_nemenyis_test_singles_out(flat, statistics, rejected, singled):
    figure = figure_of("mlc_ranking", find="singled_out")
    names = ("a/symbolic;b/symbolic", "a/symbolic;c/symbolic", "b/symbolic;c/symbolic")
    rows = [
        pair(
            "nemenyi",
            methods,
            statistic,
            verdict,
            question="ensemble",
            comparison="symbolic",
            measure=measure,
        )
        for measure, verdicts in (("f1", rejected), ("recall", (False,) * 3))
        for methods, statistic, verdict in zip(names, statistics, verdicts, strict=True)
    ]
    found = find(figure, dataclasses.replace(flat, tests=pd.DataFrame(rows)))
    assert (found.value, found.of) == (singled, 2)
    assert conclusion(figure, found).same == (singled == 0)


def test_where_a_macro_measure_is_undefined(flat):
    def count(dataset, ensemble, size, value):
        row = dict.fromkeys(flat.performance.columns, "") | {"dataset": dataset, "split": "official"}
        row |= {"method": "pct", "ensemble": ensemble, "score": "genie3", "size": size, "repeat": 0}
        return row | {"evaluator": "weighted-knn", "measure": "macro-recall-undefined", "value": value}

    rows = [
        count("genbase", "bagging", 10, 0.0),
        count("genbase", "random-forest", 10, 2.0),  # one ranking is enough
        count("medical", "bagging", 10, 0.0),
        count("medical", "bagging", 250, 3.0),  # not the size in use
    ]
    tables = dataclasses.replace(flat, performance=pd.concat([flat.performance, pd.DataFrame(rows)]))
    figure = figure_of("mlc_ranking", find="undefined_datasets", measure="macro-recall")
    found = find(figure, tables)
    assert (found.value, found.of) == (1, 2)
    for name, printed, same in (("genbase", "undefined", True), ("medical", "undefined", False)):
        figure = figure_of("mlc_ranking", find="undefined_on", measure="macro-recall", dataset=name)
        assert figure.printed == printed and conclusion(figure, find(figure, tables)).same == same
    with pytest.raises(Absent, match="scene is not among"):
        find(figure_of("mlc_ranking", find="undefined_on", measure="macro-recall", dataset="scene"), tables)
    with pytest.raises(Absent, match="does not count the labels for which macro-f1"):
        find(figure_of("mlc_ranking", find="undefined_datasets", measure="macro-f1"), tables)


def test_how_much_better_a_ranking_is_on_one_dataset(flat):
    figure = figure_of("mlc_ranking", find="gain_on_dataset")
    own = values_of(flat, "yahoo_arts", "ranking-loss", "random-forest/permutation", 10)
    baseline = values_of(flat, "yahoo_arts", "ranking-loss", "uniform", 0)
    assert find(figure, flat).value == pytest.approx(baseline - own), "a loss: lower is better"
    assert conclusion(figure, find(figure, flat)) is None, "the paper gives no number"
