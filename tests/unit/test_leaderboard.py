"""The leaderboard of a study: one comparison of all methods, and what its sentences say of it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare, rankdata, studentized_range
from synthetic_study import performance_table, ranking_tables, section_tables

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.sections import SectionTables
from mlsieve.sections.leaderboard import COLUMNS, frame_of, leaderboard_of, part_of
from mlsieve.stats import hodges_lehmann
from mlsieve.stats.multiple import benjamini_hochberg
from mlsieve.tables.labels import labels_in

MEASURES = ("f1", "coverage", "auroc")
EMPTY = pd.DataFrame()


def board_of(performance, **analysis):
    chosen = Analysis(domains=analysis.pop("domains", {"set-1": "one", "set-2": "one"}), **analysis)
    labels = labels_in(performance)
    tables = SectionTables(Path(), lambda name: None, chosen, EMPTY, EMPTY, EMPTY, EMPTY, [], labels)
    object.__setattr__(tables, "sizes", {label: 50 for label in labels if "/" in label})
    return leaderboard_of(performance, tables)


def naive_ranks(performance):
    """Return each method's average rank by measure, computed from the table alone."""
    frame = performance[performance["size"].isin([0, 50])].copy()
    frame["label"] = np.where(
        frame["ensemble"] == "", frame["method"], frame["ensemble"] + "/" + frame["score"]
    )
    found = {}
    for measure, part in frame.groupby("measure"):
        wide = part.pivot(index="dataset", columns="label", values="value").round(3)
        turned = wide if measure == "coverage" else -wide
        found[measure] = pd.DataFrame(rankdata(turned, axis=1), wide.index, wide.columns), wide
    return found


@pytest.fixture(scope="module")
def performance():
    return performance_table(9, MEASURES, (10, 50), ("uniform", "random", "relief"))


@pytest.fixture(scope="module")
def board(performance):
    return board_of(performance)


def test_the_mean_rank_is_that_of_a_naive_computation(performance, board):
    ranks = naive_ranks(performance)
    expected = sum(found.mean() for found, _ in ranks.values()) / len(MEASURES)
    made = frame_of(board).set_index("method")["mean_rank"]
    assert made.to_dict() == pytest.approx(expected.to_dict())
    assert list(made) == sorted(made) and len(made) == 11
    assert frame_of(board)["place"].is_monotonic_increasing


def test_the_main_tests_are_corrected_over_the_measures(performance, board):
    main = board.standings.tests
    main = main[(main["test"] == "friedman") & (main["variant"] == "all")].set_index("measure")
    expected = {
        measure: friedmanchisquare(*ranks.to_numpy().T).pvalue
        for measure, (ranks, _) in naive_ranks(performance).items()
    }
    assert main["p_value"].to_dict() == pytest.approx(expected)
    adjusted = benjamini_hochberg(list(main["p_value"]))
    assert list(main["p_adjusted"]) == pytest.approx(list(adjusted))


def test_differences_favour_the_better_method(performance, board):
    measure = board.key[1]
    wide = naive_ranks(performance)[measure][1]
    for row in frame_of(board).to_dict("records"):
        assert row["reference_method"] == "relief"
        if row["method"] == "relief":
            assert pd.isna(row["wins"])
            continue
        way = -1 if measure == "coverage" else 1
        differences = ((wide[row["method"]] - wide["relief"]) * way).round(12)
        assert row["difference"] == pytest.approx(hodges_lehmann(differences)[0])
        assert row["interval_low"] <= row["difference"] <= row["interval_high"]
        counts = [(differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()]
        assert [row["wins"], row["ties"], row["losses"]] == counts


def test_significant_measures_are_counted_in_the_tests(board):
    tests = board.standings.tests
    pairs = tests[(tests["test"] == "nemenyi") & tests["rejected"]]
    seen = 0
    for row in frame_of(board).to_dict("records"):
        if row["method"] == "relief":
            continue
        for variant, suffix in (("all", ""), ("one-per-domain", "_by_domain")):
            own = pairs[pairs["variant"] == variant]
            both = own[own["methods"].isin([f"{row['method']};relief", f"relief;{row['method']}"])]
            ahead = (both["statistic"] < 0) == both["methods"].str.startswith(f"{row['method']};")
            assert (row["better" + suffix], row["worse" + suffix]) == (ahead.sum(), (~ahead).sum())
            seen += len(both)
    assert seen, "the table has significant pairs"


def significant_pairs(ranks_by_measure):
    """Return for each measure which methods are significantly better than which, by scipy's distributions."""
    main = {name: friedmanchisquare(*ranks.to_numpy().T).pvalue for name, ranks in ranks_by_measure.items()}
    found = {}
    for (name, ranks), p_value in zip(
        ranks_by_measure.items(), benjamini_hochberg(list(main.values())), strict=True
    ):
        n, k = ranks.shape
        q = ranks.mean() / np.sqrt(k * (k + 1) / (12 * n))
        found[name] = {
            (a, b)
            for a in ranks
            for b in ranks
            if p_value <= 0.05 and q[a] < q[b] and studentized_range.sf(q[b] - q[a], k, np.inf) <= 0.05
        }
    return found


@pytest.mark.parametrize("from_evaluator", [True, False])
def test_every_column_follows_from_the_values_and_the_choices(from_evaluator):
    """Of a study with several sizes, several of them in use, and none of them the largest alone."""
    performance = performance_table(9, MEASURES, (10, 50, 100), ("uniform", "random", "relief"), effect=0.6)
    rankings, timings = ranking_tables(performance)
    keys = ["dataset", "split", "repeat", "method", "ensemble", "score", "size"]
    if from_evaluator:
        weighed = rankings[[*keys, "positive"]].rename(columns={"positive": "features"})
        performance = performance.merge(weighed, on=keys)
    analysis = Analysis(choice="own", questions=("saturation",), domains={"set-1": "one", "set-2": "one"})
    choices = run_questions(performance, analysis).choices
    used = choices[choices["used"]]
    sizes = dict(used.loc[used["kind"] == "size", ["item", "value"]].to_numpy())
    assert len(set(sizes.values())) > 1 and max(sizes.values()) < 100
    tables = section_tables(
        analysis=analysis,
        used=used,
        rankings=rankings,
        timings=timings.astype(str).to_dict("records"),
        labels=performance,
    )
    made = frame_of(leaderboard_of(performance, tables))
    assert list(made) == list(COLUMNS)

    def at_size(frame):
        pair = frame["ensemble"] + "/" + frame["score"]
        frame = frame.assign(label=pair.where(frame["ensemble"] != "", frame["method"]))
        return frame[frame["size"] == frame["label"].map(sizes).fillna(0)]

    values = at_size(performance)
    wide = {
        measure: part.pivot(index="dataset", columns="label", values="value").round(3)
        for measure, part in values.groupby("measure")
    }
    turned = {measure: table if measure == "coverage" else -table for measure, table in wide.items()}
    ranks = {name: table.rank(axis=1) for name, table in turned.items()}
    domain = [analysis.domains.get(name, name) for name in wide["f1"].index]
    once = {name: table.groupby(domain).mean().rank(axis=1) for name, table in ranks.items()}
    pairs, pairs_once = significant_pairs(ranks), significant_pairs(once)
    mean_ranks = sum(table.mean() for table in ranks.values()) / len(ranks)
    first = min(wide)
    features = at_size(rankings).groupby("label")["positive"].mean()
    largest = rankings.groupby(["dataset", "ensemble", "score", "method"])["positive"].max()
    assert features.mean() < largest.groupby(["ensemble", "score", "method"]).mean().mean()
    assert sum(map(len, pairs.values())) != sum(map(len, pairs_once.values())) > 0
    for row in made.to_dict("records"):
        name, reference = row["method"], row["reference_method"]
        assert reference == "relief" and row["measure"] == first and row["measures"] == len(MEASURES)
        assert row["mean_rank"] == pytest.approx(mean_ranks[name])
        assert row["place"] == 1 + (mean_ranks < mean_ranks[name] - 1e-9).sum()
        assert row["features"] == pytest.approx(features[name])
        trees = sizes.get(name, 0) / 250
        pair = timings["ensemble"] + "/" + timings["score"]
        own = timings[pair.where(timings["ensemble"] != "", timings["method"]) == name]
        grown = timings[(timings["step"] == "grow") & (timings["ensemble"] == name.split("/")[0])]
        cost = (own["work_once"] + trees * own["work_trees"]).mean()
        if trees:
            cost += (grown["work_once"] + trees * grown["work_trees"]).mean()
            cost += trees * grown["work_permutation"].mean() * name.endswith("permutation")
        assert row["cpu_seconds"] == pytest.approx(cost)
        for suffix, of in (("", pairs), ("_by_domain", pairs_once)):
            counts = [
                sum(pair in each for each in of.values()) for pair in ((name, reference), (reference, name))
            ]
            if name != reference:
                assert [row["better" + suffix], row["worse" + suffix]] == counts
        if name != reference:
            differences = (turned[first][reference] - turned[first][name]).round(12)
            assert [row["wins"], row["ties"], row["losses"]] == [
                (differences > 0).sum(),
                (differences == 0).sum(),
                (differences < 0).sum(),
            ]
            expected = [float(value) for value in hodges_lehmann(differences)]
            spread = [row[column] for column in ("difference", "interval_low", "interval_high")]
            assert spread == pytest.approx(expected)


def test_the_sentences_say_what_the_table_holds(board):
    first, how_much, significant = part_of(board)["sentences"]
    rows = frame_of(board).to_dict("records")
    best, second = rows[0], rows[1]
    assert first.startswith(f"{best['method']} ranks first, with a mean rank of {best['mean_rank']:.2f}")
    follows = f"{second['method']} follows with {second['mean_rank']:.2f}"
    tests = board.standings.tests
    pairs = tests[(tests["test"] == "nemenyi") & (tests["variant"] == "all")]
    of_two = [{*methods.split(";")} == {best["method"], second["method"]} for methods in pairs["methods"]]
    count = int(pairs["rejected"][of_two].sum())
    differ = f"differ significantly by {count}" if count else "do not differ significantly by any"
    assert first.endswith(f"{follows}, and the two {differ} of 3 measures.")
    assert "over 3 measures and 9 datasets" in first
    numbers = [float(text) for text in re.findall(r"\d\.\d+", how_much)]
    expected = [best["difference"], best["interval_low"], best["interval_high"]]
    assert numbers == pytest.approx(np.abs(expected), abs=6e-4)
    counts = f"better on {best['wins']}, equal on {best['ties']} and worse on {best['losses']}."
    assert "of 9 datasets" in how_much and how_much.endswith(counts)
    once, again = best["better"], best["better_by_domain"]
    changed = f"by {again or 'any'} of 3 measures."
    assert f"better than relief by {once or 'any'} of 3 measures; " in significant
    assert significant.endswith("(8 domains), the same holds." if once == again else changed)
    assert "(8 domains)" in significant
    after = "made where Friedman's is significant after correction over the measures"
    assert significant.startswith(
        f"By Nemenyi's test of all {len(rows)} methods (baselines included), {after}, "
        f"{best['method']} is significantly better than relief by"
    )
    without = part_of(dataclasses.replace(board, baselines=()))["sentences"][2]
    assert without.startswith(f"By Nemenyi's test of all {len(rows)} methods, {after}, ")


def test_a_method_with_few_datasets_does_not_take_the_others_away(performance, board):
    few = performance[(performance["method"] != "random") | (performance["dataset"] == "set-1")]
    found = board_of(few)
    assert found.standings.left_out == ("random",)
    assert "random" not in set(frame_of(found)["method"]) and len(frame_of(found)) == 10
    assert found.standings.datasets() == (9, 9)
    assert "random is left out, because too few datasets" in part_of(found)["table"]["text"]
    assert board.standings.left_out == () and "left out" not in part_of(board)["table"]["text"]


def test_a_dataset_on_which_most_methods_failed_goes_rather_than_they(performance):
    lacking = performance[(performance["dataset"] != "set-3") | (performance["method"] == "uniform")]
    found = board_of(lacking)
    assert found.standings.left_out == () and found.standings.datasets() == (8, 8)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ({}, "No other method is cheaper: {winner} takes"),
        ({"random": 0.5}, "Every cheaper method is significantly worse by some measure"),
        ({"second": 0.25}, "The cheapest method that is not significantly worse by any measure is {second}"),
    ],
)
def test_the_last_sentence_names_the_cheapest_method_that_is_not_worse(board, seconds, said):
    names = list(map(str, board.standings.mean_ranks.index))
    winner, second = names[:2]
    named = {"second": second, "random": next(n for n in names if board.standings.count(winner, n))}
    costs = dict.fromkeys(names, 1.0) | {named[name]: value for name, value in seconds.items()}
    text = part_of(dataclasses.replace(board, seconds=costs, baselines=()))["sentences"][-1]
    assert text.startswith(said.format(winner=winner, second=second))


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (2.0, "Apart from baselines, no other method is cheaper: {winner} takes 1 CPU second a dataset."),
        (0.5, "Apart from baselines, every cheaper method is significantly worse by some measure; {winner}"),
    ],
)
def test_a_baseline_is_not_the_cheapest_method(board, cost, said):
    names = list(map(str, board.standings.mean_ranks.index))
    winner, second = names[:2]
    worse = next(name for name in names if board.standings.count(winner, name))
    assert not board.standings.count(winner, second) and {"random", "uniform"} <= set(board.baselines)
    costs = dict.fromkeys(names, 2.0) | {second: 0.25, worse: cost, winner: 1.0}
    text = part_of(dataclasses.replace(board, seconds=costs, baselines=(second,)))["sentences"][3]
    assert text.startswith(said.format(winner=winner))
    assert text.endswith(f" The baseline {second} is not significantly worse than {winner} by any measure.")
    bad = dataclasses.replace(board, seconds=costs, baselines=(names[-1],))
    assert "baseline" not in part_of(bad)["sentences"][3]
    best = dataclasses.replace(board, seconds=costs, baselines=(winner,))
    assert part_of(best)["sentences"][3].endswith(
        f" {winner} is a baseline: it only shows what the other methods are worth."
    )


def test_the_order_of_rows_does_not_matter(performance, board):
    shuffled = performance.sample(frac=1, random_state=3)
    assert frame_of(board_of(shuffled)).equals(frame_of(board))


def test_copies_of_one_method_share_the_first_place_and_nothing_is_significant():
    table = performance_table(6, ("f1",), (50,), ("uniform", "relief"), effect=0.0)
    same = table.groupby(["dataset", "measure"])["value"].transform("first")
    found = board_of(table.assign(value=same), domains={})
    assert set(frame_of(found)["place"]) == {1}
    sentences = part_of(found)["sentences"]
    assert "rank first together" in sentences[0]
    tested = f"Friedman's test of all {len(frame_of(found))} methods (baselines included)"
    assert f"{tested} is not significant, so no pair of methods was tested" in sentences[2]
    equal = r"The f1 of \S+ differs from that of \S+ by 0\.000 \(95 % interval 0\.000 to 0\.000\)"
    assert re.match(equal, sentences[1])
    assert not re.search(r"\b[Ii]ts?\b", sentences[2].split(";")[0])
    assert len(part_of(found)["table"]["highlighted"]) == len(frame_of(found))
    assert "related" not in sentences[2]


def test_a_study_of_one_method_has_no_leaderboard():
    table = performance_table(4, ("f1",), (), ("uniform",))
    assert board_of(table) is None and part_of(None) is None
    assert frame_of(None).empty and list(frame_of(None)) == list(frame_of(board_of(performance_table())))


@pytest.mark.parametrize(("n_datasets", "reachable"), [(2, False), (3, True), (9, True)])
def test_where_nothing_can_be_significant_the_sentences_say_so(n_datasets, reachable):
    board = board_of(performance_table(n_datasets, MEASURES, (50,), ("uniform", "relief")), domains={})
    costs = {name: 1.0 + place for place, name in enumerate(board.standings.mean_ranks.index)}
    text = " ".join(part_of(dataclasses.replace(board, seconds=costs))["sentences"])
    said = f"With 10 methods on {n_datasets} datasets, no difference can be significant."
    assert (said in text) == (not reachable)
    assert ("cheap" in text) == reachable, "nothing is cheap among those that cannot be worse"


@pytest.mark.parametrize("domains", [{}, {f"set-{d}": f"domain-{d // 2}" for d in range(2, 10)}])
def test_where_no_pair_was_tested_no_pair_is_judged(domains):
    board = board_of(
        performance_table(9, MEASURES, (50,), ("uniform", "relief"), effect=0.0), domains=domains
    )
    tests = board.standings.tests
    assert not (tests["test"] == "nemenyi").any(), "the noise of this seed is not significant"
    costs = {name: 9.0 - place for place, name in enumerate(board.standings.mean_ranks.index)}
    sentences = part_of(dataclasses.replace(board, seconds=costs))["sentences"]
    tested = "Friedman's test of all 10 methods (baselines included)"
    said = f"{tested} is not significant by any of 3 measures after correction over the measures"
    assert sentences[2].startswith(f"{said}, so no pair of methods was tested")
    assert sentences[2].endswith("the same holds." if domains else "no pair of methods was tested.")
    winner, cheapest = board.standings.mean_ranks.index[[0, -1]]
    assert sentences[3] == (
        f"The cheapest method is {cheapest}, which takes 0 CPU seconds a dataset; "
        f"{winner} takes 9 CPU seconds a dataset."
    )


def test_a_method_that_lacks_a_measure_does_not_take_the_measure_away(performance, board):
    lacking = performance[(performance["method"] != "random") | (performance["measure"] != "auroc")]
    found = board_of(lacking)
    assert found.standings.left_out == ("random",) and found.standings.datasets() == (9, 9)
    assert found.key == board.key
    assert "random is left out" in part_of(found)["sentences"][-1]


def test_costs_are_those_of_the_compared_datasets(performance):
    lacking = performance[(performance["dataset"] != "set-3") | (performance["method"] == "uniform")]
    rows = [
        {
            "dataset": dataset,
            "method": "uniform",
            "ensemble": "",
            "score": "",
            "step": "rank",
            "work_once": cost,
            "work_trees": "0",
        }
        for dataset, cost in (("set-1", "1"), ("set-2", "3"), ("set-3", "1000"))
    ]
    analysis = Analysis()
    labels = labels_in(lacking)
    tables = SectionTables(Path(), lambda name: None, analysis, EMPTY, EMPTY, EMPTY, EMPTY, rows, labels)
    object.__setattr__(tables, "sizes", {label: 50 for label in labels if "/" in label})
    assert leaderboard_of(lacking, tables).seconds["uniform"] == 2.0
