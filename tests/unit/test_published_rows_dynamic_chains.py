"""Figures printed by the paper on dynamic chains, each found in its tables in another way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from published_study import figure_of, tables_of
from synthetic_chains import MEASURES, chain_performance, written

from mlsieve.analysis import Analysis
from mlsieve.published import known_papers
from mlsieve.replication.conclusions import conclusion
from mlsieve.replication.rows import find
from mlsieve.replication.tables import Absent, StudyTables

STUDY = "dynamic_chains"
NAMES = {"set-1": "yeast", "set-2": "bibtex", "set-3": "cal500"}
QUESTIONS = ("static-order", "split-functions", "chain-methods")


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> StudyTables:
    """Return the tables of a made-up study of chains, three of its datasets under the paper's names."""
    made = written(tmp_path_factory.mktemp("chains"), 11)
    named = {name: table.replace({"dataset": NAMES}) for name, table in made.items()}
    del named["chain_steps"]
    performance = chain_performance().replace({"dataset": NAMES})
    nothing = pd.DataFrame(columns=["method", "ensemble", "score"])
    named["datasets"] = named["datasets"].assign(distinct=range(50, 50 + 20 * 11, 20))
    return tables_of(performance, Analysis(questions=QUESTIONS), rankings=nothing, **named)


def value(tables, dataset, method, measure):
    frame = tables.performance
    own = (frame["dataset"] == dataset) & (frame["method"] == method) & (frame["measure"] == measure)
    return frame.loc[own, "value"].item()


def of_runs(tables, dataset, method, column):
    frame = tables.chain_runs
    return frame.loc[(frame["dataset"] == dataset) & (frame["method"] == method), column].item()


def wide(tables, measure):
    frame = tables.performance[tables.performance["measure"] == measure]
    return frame.pivot_table(index="dataset", columns="method", values="value").round(3)


@pytest.mark.parametrize("measure", MEASURES)
def test_on_how_many_datasets_one_method_is_better(tables, measure):
    values = wide(tables, measure)
    found = find(figure_of(STUDY, find="better_on", method="rdt-dynamic", measure=measure), tables)
    assert (found.value, found.of) == ((values["rdt-dynamic"] > values["rdt-static"]).sum(), 11)


def test_the_two_counts_of_split_functions_are_those_of_one_pair(tables):
    one, other = (
        find(figure_of(STUDY, find="better_on", method=f"{split}-cumulated"), tables)
        for split in ("max-gain", "max-signed")
    )
    values = wide(tables, "f1")
    same = (values["max-gain-cumulated"] == values["max-signed-cumulated"]).sum()
    assert one.value + other.value + same == one.of == other.of == 11
    assert one.value == (values["max-gain-cumulated"] > values["max-signed-cumulated"]).sum()


def test_twice_as_good_is_a_majority(tables):
    figure = figure_of(STUDY, find="twice_on", measure="f1")
    found = find(figure, tables)
    values = wide(tables, "f1")
    assert found.value == (values["rdt-dynamic"] >= 2 * values["rdt-static"]).sum() == 0
    both = conclusion(figure, found)
    assert (both.paper, both.ours, both.same) == ("half or more", "none", False)
    most = conclusion(figure, dataclasses.replace(found, value=7))
    assert (most.ours, most.same) == ("half or more", True)


def test_maxima_ahead_of_their_sums(tables):
    found = find(figure_of(STUDY, find="maxima_ahead", measure="f1"), tables)
    values, ahead = wide(tables, "f1"), 0
    for kind in ("gain", "signed", "abs"):
        for version in ("standard", "cumulated"):
            difference = values[f"max-{kind}-{version}"] - values[f"sum-{kind}-{version}"]
            ahead += (difference > 1e-9).sum() > (difference < -1e-9).sum()
    assert (found.value, found.of) == (ahead, 6)


def test_the_first_places_of_both_groups(tables):
    for comparison, methods in (
        ("boosted trees", ["xdcc-cumulated", "xdcc-standard", "ml-xgb", "br-xgb", "cc-xgb"]),
        ("cumulated", [f"{m}-{k}-cumulated" for m in ("max", "sum") for k in ("gain", "signed", "abs")]),
    ):
        for measure in MEASURES:
            ranks = wide(tables, measure)[methods].rank(axis=1, ascending=False).mean()
            found = find(
                figure_of(STUDY, find="placed_method", comparison=comparison, measure=measure), tables
            )
            assert found.value == ranks.idxmin()


def test_a_place_is_that_of_its_own_comparison(tables):
    methods = ["xdcc-cumulated", "xdcc-standard", "ml-xgb", "br-xgb", "cc-xgb"]
    ranks = wide(tables, "subset-accuracy")[methods].rank(axis=1, ascending=False).mean()
    found = find(figure_of(STUDY, find="place_of", method="xdcc-cumulated"), tables)
    assert found.value == (ranks < ranks["xdcc-cumulated"]).sum() + 1


def test_the_datasets_of_the_comparison_with_the_baselines(tables):
    assert find(figure_of(STUDY, find="datasets_compared"), tables).value == 10


def test_datasets_with_few_label_sets(tables):
    assert find(figure_of(STUDY, find="few_label_sets", below=100), tables).value == 3  # 50, 70, 90
    assert find(figure_of(STUDY, find="few_label_sets", below=200), tables).value == 8


def test_lengths_and_rounds_on_one_dataset(tables):
    """The made-up chain takes 1.3 / 14 of the static chain's time for each of 14 rounds."""
    found = find(figure_of(STUDY, find="cheaper_lengths"), tables)
    assert (found.value, found.of) == (10, 14)
    assert find(figure_of(STUDY, find="rounds_until_slower"), tables).value == 10


def test_ratios_at_both_ends(tables):
    for dataset, n_labels in (("bibtex", 6), ("cal500", 19)):
        for figure in known_papers()[STUDY].figures:
            if figure.find != "cost_ratio" or figure.fact("dataset") != dataset:
                continue
            length, found = figure.fact("length"), find(figure, tables).value
            if figure.fact("of") == "cost":
                assert found == pytest.approx(1.3 / n_labels if length == "first" else 1.3)
            elif length == "last":
                own = tables.chain_curves
                own = own[(own["dataset"] == dataset) & (own["method"] == figure.fact("method"))]
                last = own[(own["measure"] == "f1")].sort_values("point")["value"].iloc[-1]
                assert found == pytest.approx(last / of_runs(tables, dataset, "cc-xgb", "f1"))


def test_the_first_round_is_faster_on_every_dataset(tables):
    found = find(figure_of(STUDY, find="faster_at_first", method="xdcc-cumulated"), tables)
    assert (found.value, found.of) == (11, 11)


def test_how_near_a_chain_is_at_the_label_cardinality(tables):
    found = find(figure_of(STUDY, find="near_the_cardinality"), tables)
    own = tables.chain_curves
    own = own[(own["method"] == "xdcc-cumulated") & (own["measure"] == "f1")]
    near = 0
    for dataset, curve in own.groupby("dataset"):
        values = curve.set_index("point")["value"].sort_index()
        steps = np.ceil(tables.datasets.set_index("dataset").loc[dataset, "cardinality"])
        near += values.loc[steps] >= values.iloc[-1] - 0.01
    assert (found.value, found.of) == (near, 11)


def test_the_first_round_has_the_values_of_the_single_model(tables):
    renamed = tables.chain_runs.replace({"method": {"ml-xgb": "ml-xgb-xdcc"}})
    tables = dataclasses.replace(tables, chain_runs=renamed)
    found = find(figure_of(STUDY, find="first_round_equal"), tables)
    assert (found.value, found.of) == (0, 11)
    curves = tables.chain_curves.copy()
    for measure in MEASURES:
        first = (
            (curves["method"] == "xdcc-cumulated") & (curves["point"] == 1) & (curves["measure"] == measure)
        )
        for place in curves.index[first & (curves["dataset"] != "yeast")]:
            curves.loc[place, "value"] = of_runs(tables, curves.loc[place, "dataset"], "ml-xgb-xdcc", measure)
    found = find(figure_of(STUDY, find="first_round_equal"), dataclasses.replace(tables, chain_curves=curves))
    assert (found.value, found.of) == (10, 11)


def test_a_parameter_is_the_given_one_or_the_default(tables):
    def runs(settings):
        own = tables.chain_runs.assign(id="xdcc")
        return dataclasses.replace(tables, chain_runs=own.assign(settings=settings))

    figure = figure_of(STUDY, find="parameter", name="depth")
    assert find(figure, runs("depth=30 trees=300")).value == 30
    assert find(figure, runs("")).value == 6, "the default of xdcc"
    several = tables.chain_runs["dataset"].map({"yeast": "depth=3"}).fillna("depth=6")
    with pytest.raises(Absent, match="several values of depth"):
        find(figure, runs(several))
    with pytest.raises(Absent, match="has no parameter"):
        find(figure_of(STUDY, find="parameter", name="max_leaf_size"), runs(""))


@pytest.mark.parametrize("figure", known_papers()[STUDY].figures, ids=lambda figure: figure.what[:60])
def test_without_its_tables_a_figure_is_absent_and_not_an_error(figure, tables):
    bare = dataclasses.replace(
        tables,
        performance=tables.performance[tables.performance["method"] == "br-tree"],
        tests=tables.tests[:0],
        ranks=tables.ranks[:0],
        datasets=None,
        chain_runs=None,
        chain_curves=None,
    )
    if figure.find == "dataset_count":
        assert find(figure, bare).value == 10
        return
    with pytest.raises(Absent):
        find(figure, bare)
