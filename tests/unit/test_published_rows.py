"""published.csv: a row a printed figure, and each finder against numbers found another way."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, rankdata
from synthetic_selection import BASELINES, PAPER, selection_table
from synthetic_study import (
    DIRECTIONS,
    hierarchical_table,
    performance_table,
    ranking_tables,
    similarity_frames,
)

from mlsieve.analysis import Analysis, run_questions
from mlsieve.cli import main
from mlsieve.published import Figure, known_papers
from mlsieve.replication.conclusions import conclusion
from mlsieve.replication.rows import PUBLISHED, find, published_rows
from mlsieve.replication.tables import Absent, Found, StudyTables
from mlsieve.study import Content

LABELS = tuple(
    f"{ensemble}/{score}"
    for ensemble in ("bagging", "extra-trees", "random-forest")
    for score in ("genie3", "permutation", "symbolic")
    if (ensemble, score) != ("extra-trees", "permutation")
)
QUESTIONS = ("saturation", "relevance", "ensemble", "relief", "score")


def study(name: str, **more) -> Content:
    base = {"study": name, "datasets": ["synthetic-linear"], "methods": [{"id": "uniform"}]}
    return Content(base | {"evaluators": [{"id": "weighted-knn"}]} | more)


def tables_of(performance: pd.DataFrame, analysis: Analysis, **more) -> StudyTables:
    answers = run_questions(performance, analysis)
    frames = {"tests": answers.tests, "ranks": answers.average_ranks, "choices": answers.choices}
    if "rankings" not in more:
        more["rankings"] = ranking_tables(performance)[0]
    return StudyTables(analysis, performance, **frames, **more)


@pytest.fixture(scope="module")
def flat() -> StudyTables:
    performance = performance_table(n_datasets=6, baselines=("uniform", "relief"))
    performance["dataset"] = performance["dataset"].replace("set-1", "yahoo_arts")
    related = {"set-2": "one", "set-3": "one"}
    analysis = Analysis(questions=QUESTIONS, directions=DIRECTIONS, domains=related, differing=("set-6",))
    return tables_of(performance, analysis)


@pytest.fixture(scope="module")
def hierarchical() -> StudyTables:
    performance = hierarchical_table()
    analysis = Analysis(
        questions=(*QUESTIONS, "candidates", "efficiency", "similarity"),
        rounding={"significant": 3},
        friedman="f",
        paper_methods=LABELS,
        paper_sizes={"default": 10, "relief": 1},
        paper_ensembles={"symbolic": "random-forest", "genie3": "random-forest", "permutation": "bagging"},
        settings={
            "relief_test": "wilcoxon",
            "binary_features": ("set-1", "set-2", "set-5", "set-6", "set-7", "set-8"),
        },
    )
    compared = {
        "random-forest/symbolic": 10,
        "random-forest/genie3": 10,
        "bagging/permutation": 10,
        "relief": 1,
    }
    similarity, _ = similarity_frames(performance, compared)
    return tables_of(performance, analysis, similarity=similarity)


@pytest.fixture(scope="module")
def selected() -> StudyTables:
    performance = selection_table(n_datasets=25)
    analysis = Analysis(
        questions=("selection", "many-labels"),
        friedman="f",
        zeros="split",
        paper_methods=PAPER,
        reference_method="scls",
        baselines=BASELINES,
        settings={"many_labels": tuple(f"set-{i}" for i in range(1, 11))},
    )
    return tables_of(performance, analysis, rankings=pd.DataFrame(columns=["method", "ensemble", "score"]))


def figure_of(study: str, **facts) -> Figure:
    (found,) = [
        figure
        for figure in known_papers()[study].figures
        if all(
            figure.fact(name) == str(value) for name, value in facts.items() if name not in ("find", "what")
        )
        and figure.find == facts.get("find", figure.find)
        and facts.get("what", "") in figure.what
    ]
    return found


@pytest.mark.parametrize(
    ("name", "fixture"),
    [("mlc_ranking", "flat"), ("hmlc_ranking", "hierarchical"), ("scls_selection", "selected")],
)
def test_every_printed_figure_has_a_row_with_ours_or_a_reason(name, fixture, request):
    paper = known_papers()[name]
    rows = published_rows(study(name), request.getfixturevalue(fixture))
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


def values_of(tables, dataset, measure, label, size):
    ensemble, _, score = label.rpartition("/")
    frame = tables.performance
    key = (frame["dataset"] == dataset) & (frame["measure"] == measure)
    key &= (frame["ensemble"] == ensemble) & (frame["score"] == (score if ensemble else ""))
    key &= (frame["size"] == size) & ((frame["method"] == "pct") if ensemble else (frame["method"] == label))
    return frame.loc[key, "value"].item()


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


def pair(test, methods, statistic, rejected, **more):
    head = {"question": "score", "family": "paper", "variant": "all", "evaluator": "weighted-knn"}
    head |= {"measure": "pooled-auprc", "comparison": "scores", "n_datasets": 9, "note": ""}
    head |= {"rank_sum_better": np.nan, "rank_sum_worse": np.nan, "p_value": 0.02, "p_adjusted": 0.02}
    return head | {"test": test, "methods": methods, "statistic": statistic, "rejected": rejected} | more


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


def test_a_chosen_size_has_a_difference(flat):
    rows = published_rows(study("mlc_ranking"), flat)
    sizes = [row for row in rows if row["what"].endswith("number of trees that suffices")]
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


def test_the_hierarchical_papers_figures(hierarchical):
    ranks = hierarchical.ranks
    relief = ranks[
        (ranks["question"] == "saturation")
        & (ranks["comparison"] == "relief")
        & (ranks["variant"] == "all")
        & (ranks["family"] == "paper")
    ]
    spread = find(figure_of("hmlc_ranking", find="rank_spread"), hierarchical)
    assert spread.value == pytest.approx(relief["rank"].max() - relief["rank"].min()) and len(relief) == 6
    tests = hierarchical.tests
    own = tests[
        (tests["question"] == "relevance") & (tests["variant"] == "all") & (tests["family"] == "paper")
    ]
    rejected = own[own["rejected"]]
    figures = [
        f for f in known_papers()["hmlc_ranking"].figures if f.find == "p_extreme" and f.fact("rejected")
    ]
    found = [find(figure, hierarchical).value for figure in figures[:2]]
    assert found == [rejected["p_value"].min(), rejected["p_value"].max()]
    for score in ("symbolic", "genie3", "permutation"):
        average = find(figure_of("hmlc_ranking", find="average_rank", score=score), hierarchical)
        row = ranks[
            (ranks["question"] == "score") & (ranks["family"] == "paper") & (ranks["variant"] == "all")
        ]
        row = row[row["method"].str.endswith(score)]
        assert average.value == row["rank"].item()
    p_value = find(figure_of("hmlc_ranking", question="score", find="p_value"), hierarchical)
    score = tests[
        (tests["question"] == "score") & (tests["test"] == "friedman") & (tests["variant"] == "all")
    ]
    assert p_value.value == score[score["family"] == "paper"]["f_p"].item(), "by Iman and Davenport's F"


def test_between_and_efficiency_by_hand(hierarchical):
    inside = 0
    for name in hierarchical.names:
        own = [
            values_of(hierarchical, name, "pooled-auprc", f"random-forest/{score}", 10)
            for score in ("permutation", "symbolic", "genie3")
        ]
        inside += min(own[1:]) <= own[0] <= max(own[1:])
    found = find(figure_of("hmlc_ranking", find="between"), hierarchical)
    assert (found.value, found.of) == (inside, 10)
    equal = find(figure_of("hmlc_ranking", find="equal_positive"), hierarchical)
    assert (equal.value, equal.of) == (10, 10), "one ensemble, the same features"
    rankings = hierarchical.rankings
    rankings = rankings[rankings["size"] == 10]
    by_label = rankings.assign(label=rankings["ensemble"] + "/" + rankings["score"])
    by_label = by_label[by_label["method"] == "pct"].pivot(
        index="dataset", columns="label", values="positive"
    )
    fewer = by_label["bagging/permutation"] < by_label[
        ["random-forest/symbolic", "random-forest/genie3"]
    ].min(axis=1)
    figure = figure_of("hmlc_ranking", find="fewer_positive", method="bagging/permutation")
    assert find(figure, hierarchical).value == fewer.sum()
    with pytest.raises(Absent, match="hom_ara_FUN is not among"):
        (figure,) = [figure for figure in known_papers()["hmlc_ranking"].figures if figure.printed == "0.03"]
        assert figure.fact("method") == "random-forest/permutation", "Fig. 5b has random forests only"
        find(figure, hierarchical)


def test_similar_scores(hierarchical):
    similarity = hierarchical.similarity.groupby(["first", "second"])["similarity"].mean()
    first, second = similarity.idxmax()
    found = find(figure_of("hmlc_ranking", find="most_similar_pair"), hierarchical)
    assert found.value == ", ".join(sorted(label.split("/")[-1] for label in (first, second)))
    names = {name for names in similarity.index for name in names}
    means = {name: np.mean([v for k, v in similarity.items() if name in k]) for name in names}
    found = find(figure_of("hmlc_ranking", find="least_similar"), hierarchical)
    assert found.value == min(means, key=means.get).split("/")[-1]


def test_the_score_nearest_to_two_others(hierarchical):
    similarity = hierarchical.similarity.groupby(["first", "second"])["similarity"].mean()

    def mean(score, other):
        (value,) = [v for k, v in similarity.items() if {n.split("/")[-1] for n in k} == {score, other}]
        return value

    near = {score: mean(score, "symbolic") + mean(score, "genie3") for score in ("permutation", "relief")}
    figure = figure_of("hmlc_ranking", find="most_similar_to")
    assert find(figure, hierarchical).value == max(near, key=near.get)
    turned = hierarchical.similarity.rename(columns={"first": "second", "second": "first"})
    assert find(figure, dataclasses.replace(hierarchical, similarity=turned)).value == max(near, key=near.get)
    with pytest.raises(Absent, match="does not compare"):
        find(figure, dataclasses.replace(hierarchical, similarity=hierarchical.similarity.iloc[:0]))


def test_efficiency_against_quality_by_hand(hierarchical):
    """Kendall's tau-b of both, in each dataset over the four rankings; then the mean."""
    labels = ["random-forest/symbolic", "random-forest/genie3", "bagging/permutation", "relief"]
    rankings = hierarchical.labelled_rankings
    taus = []
    for name in hierarchical.names:
        shares, quality = [], []
        for label in labels:
            size = 1 if label == "relief" else 10
            row = rankings[(rankings["dataset"] == name) & (rankings["label"] == label)]
            row = row[row["size"] == size].iloc[0]
            shares.append(row["positive"] / row["features"])
            quality.append(values_of(hierarchical, name, "pooled-auprc", label, size))
        if len(set(shares)) > 1:
            taus.append(kendalltau(shares, quality).statistic)
    found = find(figure_of("hmlc_ranking", find="efficiency_correlation"), hierarchical)
    assert found.value == pytest.approx(np.mean(taus), abs=0.0005) and found.n_datasets == len(taus)
    with pytest.raises(Absent, match="positive weights"):
        without = dataclasses.replace(hierarchical, rankings=hierarchical.rankings.iloc[:0])
        find(figure_of("hmlc_ranking", find="efficiency_correlation"), without)


def test_the_second_highest_number_of_features(hierarchical):
    figure = figure_of("hmlc_ranking", find="nth_largest")
    facts = {"dataset": hierarchical.names, "n_train": 1, "n_test": 1}
    facts["F"] = [5, 9, 9, 7, *[1] * (len(hierarchical.names) - 4)]
    found = find(figure, dataclasses.replace(hierarchical, datasets=pd.DataFrame(facts)))
    assert found.value == 7, "two datasets have the highest number"
    facts["F"] = 3
    with pytest.raises(Absent, match="1 different number"):
        find(figure, dataclasses.replace(hierarchical, datasets=pd.DataFrame(facts)))


def test_candidates_on_both_kinds_of_datasets(hierarchical):
    for subset, n in (("binary features only", 6), ("not only binary features", 4)):
        figure = figure_of("hmlc_ranking", subset=subset, score="genie3")
        assert find(figure, hierarchical).n_datasets == n


def test_the_selection_papers_figures(selected):
    percentage = find(figure_of("scls_selection", find="percentage_best", measure="hamming-loss"), selected)
    means = selected.performance[selected.performance["features"] == 25]
    means = means[(means["measure"] == "hamming-loss") & means["method"].isin(PAPER)]
    means = means.groupby(["dataset", "method"])["value"].mean().unstack().round(3)
    assert percentage.value == pytest.approx(100 * (means["scls"] <= means.min(axis=1)).mean())
    for what, number in (("critical value of F", 2.466), ("critical distance", 1.117), ("q of", 2.498)):
        figures = [f for f in known_papers()["scls_selection"].figures if what in f.what]
        for figure in figures:
            found = find(figure, selected)
            assert round(found.value, 3) == number and conclusion(figure, found).same
    figure = figure_of("scls_selection", what="largest value of the smaller rank sum")
    assert find(figure, selected).value == 8
    sums = find(figure_of("scls_selection", find="rank_sum", method="mdmr", measure="hamming-loss"), selected)
    tests = selected.tests
    row = tests[(tests["question"] == "many-labels") & (tests["methods"] == "scls;mdmr")]
    row = row[(row["measure"] == "hamming-loss") & (row["family"] == "paper") & (row["variant"] == "all")]
    assert (sums.value, sums.of) == (row["rank_sum_worse"].item(), 55)
    verdict = figure_of("scls_selection", find="verdict", method="ppt-rf", measure="hamming-loss")
    row = tests[(tests["question"] == "selection") & (tests["methods"] == "ppt-rf;scls")]
    row = row[(row["measure"] == "hamming-loss") & (row["family"] == "paper") & (row["variant"] == "all")]
    found = find(verdict, selected)
    assert row["test"].item() == "bonferroni-dunn" and found.significant == bool(
        row["rejected"].item() and row["statistic"].item() > 0
    )


def test_the_curve_on_bibtex(selected):
    figure = figure_of("scls_selection", find="better_along_curve", measure="hamming-loss")
    with pytest.raises(Absent, match="no values of scls on bibtex"):
        find(figure, selected)
    named = dataclasses.replace(selected, performance=selected.performance.replace("set-1", "bibtex"))
    frame = named.performance
    frame = frame[(frame["dataset"] == "bibtex") & (frame["measure"] == "hamming-loss")]
    means = frame.groupby(["method", "features"])["value"].mean()
    found = find(figure, named)
    assert (found.value, found.of) == (int((means["scls"] < means["ami"]).sum()), 5)


def test_steps_along_a_curve_on_bibtex(selected):
    named = dataclasses.replace(selected, performance=selected.performance.replace("set-1", "bibtex"))
    frame = named.performance
    frame = frame[(frame["dataset"] == "bibtex") & (frame["measure"] == "ranking-loss-ties")]
    means = frame.groupby(["method", "features"])["value"].mean()
    figure = figure_of("scls_selection", find="improvements_along_curve")
    found, steps = find(figure, named), np.diff(means["scls"].to_numpy())
    assert (found.value, found.of) == (int((steps < 0).sum()), len(steps)), "a loss: lower is better"
    figure = figure_of("scls_selection", find="change_along_curve", measure="ranking-loss-ties")
    first, second = sorted(means["ami"].index)[:2]
    with pytest.raises(Absent, match="not evaluated with"):
        find(dataclasses.replace(figure, arguments={"start": first, "end": 999}), named)
    own = dataclasses.replace(figure, arguments={"start": first, "end": second})
    change = find(own, named)
    assert change.value == pytest.approx(means["ami"][second] - means["ami"][first])
    assert conclusion(own, change).same == (change.value >= 0)


def test_mdmr_before_ami(selected):
    figure = figure_of("scls_selection", find="rank_difference", measure="hamming-loss")
    ranks = {
        name: find(
            figure_of("scls_selection", find="average_rank", method=name, measure="hamming-loss"), selected
        ).value
        for name in ("ami", "mdmr")
    }
    found = find(figure, selected)
    assert found.value == pytest.approx(ranks["mdmr"] - ranks["ami"])
    assert conclusion(figure, found).same == (ranks["mdmr"] < ranks["ami"])


@pytest.mark.parametrize(
    ("entropy", "mutual", "word"),
    [(0.587, 0.587, "equal"), (0.587, 0.5, "not equal"), (0.6, 0.587, "not equal")],
)
def test_two_features_with_the_same_information(selected, entropy, mutual, word):
    names = ("selector", "iteration", "feature", "entropy", "redundancy", "criterion")
    figure = figure_of("scls_selection", find="same_information")
    for first, other in ((951, 1823), (1823, 951)):
        rows = [("scls", 2, first, 0.587, 0.587, np.nan), ("scls", 2, other, entropy, mutual, 0.0)]
        worked = dataclasses.replace(selected, worked=pd.DataFrame(rows, columns=names))
        assert find(figure, worked).value == word
    with pytest.raises(Absent, match="neither or both"):
        rows = [("scls", 2, 951, 0.587, 0.587, 0.1), ("scls", 2, 1823, entropy, mutual, 0.0)]
        find(figure, dataclasses.replace(selected, worked=pd.DataFrame(rows, columns=names)))


def test_either_of_two_equal_features_may_be_selected_first(selected):
    names = (
        "selector",
        "iteration",
        "feature",
        "entropy",
        "relevance",
        "redundancy",
        "reduction",
        "criterion",
    )
    for first, other in ((951, 1823), (1823, 951)):
        rows = [
            ("scls", 1, first, 0.587, 1.596, 0.0, 0.0, 1.596, 1),
            ("scls", 1, other, 0.587, 1.596, 0.0, 0.0, 1.596, 0),
            ("scls", 2, other, 0.587, 1.596, 0.587, 1.596, 0.0, 0),
            ("scls", 2, first, 0.587, 1.596, 0.587, np.nan, np.nan, 0),
            ("scls", 2, 381, 0.845, 1.007, 0.314, 0.374, 0.633, 1),
        ]
        worked = dataclasses.replace(selected, worked=pd.DataFrame(rows, columns=[*names, "selected"]))
        figures = [
            figure
            for figure in known_papers()["scls_selection"].figures
            if figure.find in ("worked", "worked_choice") and figure.fact("method") != "ami"
        ]
        shown = {}
        for figure in figures:
            try:
                shown[figure.place, figure.what] = conclusion(figure, find(figure, worked)).same
            except Absent as error:
                assert "feature 1 " in str(error) or "feature 382 in iteration 1" in str(error)
        assert len(shown) == 4 + 2 + 4 + 3 and all(shown.values()), shown


def test_the_command_writes_both_tables(flat, tmp_path, capsys):
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
    rows = published_rows(study("mlc_ranking"), flat)
    assert tuple(written[0]) == PUBLISHED and written == [
        {name: str(value) for name, value in row.items()} for row in rows
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
