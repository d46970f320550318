"""Figures printed by the paper on dynamic chains, each found in its tables in another way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from published_study import figure_of, tables_of
from synthetic_chains import MEASURES, chain_performance, written

from mlsieve.analysis import Analysis
from mlsieve.published import Figure, known_papers
from mlsieve.replication.conclusions import conclusion
from mlsieve.replication.rows import find
from mlsieve.replication.tables import FINDERS, OF_VARIANTS, Absent, Found, StudyTables

STUDY = "dynamic_chains"
NAMES = {"set-1": "yeast", "set-2": "bibtex", "set-3": "cal500"}
QUESTIONS = ("static-order", "split-functions", "chain-methods")
# The paper's sections 4.2 and 4.4.1 lead to different pairs, so that each finding is compared for all four.
ORDERS = [
    (f"rdt-dynamic{one}", f"rdt-static{other}") for one in ("", "-threshold") for other in ("", "-threshold")
]

XDCC = ("xdcc-program-cumulated", "xdcc-program-standard")
BOOSTED = {
    "boosted trees, true labels": (*XDCC, "ml-xgb", "br-xgb", "cc-true"),
    "boosted trees, probabilities": (*XDCC, "ml-xgb", "br-xgb", "cc-probabilities"),
}
# The chains that are cut after each length, and how long each static chain trains: they take 1.3.
CUT = ("xdcc-program-standard-fixed", "xdcc-program-cumulated-fixed")
SECONDS = {"cc-true": 1.0, "cc-probabilities": 2.0}
STATIC = {**SECONDS, **{f"{name}-fixed": seconds for name, seconds in SECONDS.items()}}


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> StudyTables:
    """Return the tables of a made-up study of chains, three of its datasets under the paper's names."""
    made = written(tmp_path_factory.mktemp("chains"), 11)
    named = {name: table.replace({"dataset": NAMES}) for name, table in made.items()}
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
    pairs = set()
    for figure in known_papers()[STUDY].figures:
        if figure.find == "better_on" and figure.fact("measure") == measure:
            first, second = pair = figure.fact("method"), figure.fact("than")
            found = find(figure, tables)
            assert (found.value, found.of) == ((values[first] > values[second]).sum(), 11)
            pairs.add(pair)
    assert pairs == {*ORDERS, ("rdt-dynamic", "rdt-likeliest")}


def test_both_counts_of_one_pair_with_a_sign_test(tables):
    figure = figure_of(STUDY, find="wins")
    values = wide(tables, "f1")
    one, other = values["max-gain-cumulated"], values["max-signed-cumulated"]
    found = find(figure, tables)
    assert found.value == f"{(one > other).sum()}:{(one < other).sum()}"
    assert figure.printed == "7:4"


@pytest.mark.parametrize(
    ("better", "worse", "words"),
    [
        (7, 4, "not significant"),
        (9, 2, "not significant"),  # p = 0.065
        (10, 1, "significant"),
        (11, 0, "significant"),
        (0, 11, "significant in the other direction"),
        (0, 0, "not significant"),
    ],
)
def test_7_to_4_is_not_11_to_0(tables, better, worse, words):
    figure, frame = figure_of(STUDY, find="wins"), tables.performance.copy()
    names = dict.fromkeys(frame["dataset"])
    levels = dict(zip(names, [0.6] * better + [0.4] * worse + [0.5] * 11, strict=False))
    for method, level in (("max-gain-cumulated", None), ("max-signed-cumulated", 0.5)):
        own = (frame["method"] == method) & (frame["measure"] == "f1")
        frame.loc[own, "value"] = frame.loc[own, "dataset"].map(levels) if level is None else level
    found = find(figure, dataclasses.replace(tables, performance=frame))
    assert found.value == f"{better}:{worse}"
    both = conclusion(figure, found)
    assert (both.paper, both.ours) == ("not significant", words)
    assert both.same == (words == "not significant")


def test_twice_as_good_is_a_majority(tables):
    values = wide(tables, "f1")
    for first, second in ORDERS:
        figure = figure_of(STUDY, find="twice_on", measure="f1", method=first, than=second)
        found = find(figure, tables)
        assert found.value == (values[first] >= 2 * values[second]).sum() == 0
    both = conclusion(figure, found)
    assert (both.paper, both.ours, both.same) == ("more than half", "none", False)
    most = conclusion(figure, dataclasses.replace(found, value=7))
    assert (most.ours, most.same) == ("more than half", True)


@pytest.mark.parametrize(
    ("claim", "value", "same"),
    [
        ({"majority": True}, 3, False),  # half is not most
        ({"majority": True}, 4, True),
        ({"majority": True}, 6, True),
        ({"majority": False}, 3, False),
        ({"majority": False}, 2, True),
        ({"majority": False}, 0, True),
        ({"every": True}, 5, False),
        ({"every": True}, 6, True),
    ],
)
def test_a_count_in_words_is_most_all_or_few(claim, value, same):
    figure = Figure("somewhere", "a count", "in words", None, "absent", {}, claim, "share")
    assert conclusion(figure, Found(value, 6)).same == same


def test_maxima_ahead_of_their_sums(tables):
    found = find(figure_of(STUDY, find="maxima_ahead", measure="f1"), tables)
    values, ahead = wide(tables, "f1"), 0
    for kind in ("gain", "signed", "abs"):
        for version in ("standard", "cumulated"):
            difference = values[f"max-{kind}-{version}"] - values[f"sum-{kind}-{version}"]
            ahead += (difference > 1e-9).sum() > (difference < -1e-9).sum()
    assert (found.value, found.of) == (ahead, 6)


def test_the_first_places_of_all_groups(tables):
    splits = [f"{m}-{k}-cumulated" for m in ("max", "sum") for k in ("gain", "signed", "abs")]
    for comparison, methods in ({"cumulated": splits} | BOOSTED).items():
        for measure in MEASURES:
            ranks = wide(tables, measure)[list(methods)].rank(axis=1, ascending=False).mean()
            found = find(
                figure_of(STUDY, find="placed_method", comparison=comparison, measure=measure), tables
            )
            assert found.value == ranks.idxmin()


@pytest.mark.parametrize("comparison", BOOSTED)
def test_a_place_is_that_of_its_own_comparison(comparison, tables):
    ranks = wide(tables, "subset-accuracy")[list(BOOSTED[comparison])].rank(axis=1, ascending=False).mean()
    found = find(
        figure_of(STUDY, find="place_of", method="xdcc-program-cumulated", comparison=comparison), tables
    )
    assert found.value == (ranks < ranks["xdcc-program-cumulated"]).sum() + 1


def test_the_datasets_of_the_comparison_with_the_baselines(tables):
    assert find(figure_of(STUDY, find="datasets_compared"), tables).value == 10


def test_datasets_with_few_label_sets(tables):
    assert find(figure_of(STUDY, find="few_label_sets", below=100), tables).value == 3  # 50, 70, 90
    assert find(figure_of(STUDY, find="few_label_sets", below=200), tables).value == 8


@pytest.mark.parametrize(("than", "rounds"), [("cc-true-fixed", 10), ("cc-probabilities-fixed", 14)])
def test_lengths_and_rounds_on_one_dataset(than, rounds, tables):
    """The made-up chain takes 1.3 / 14 for each of 14 rounds, where the static chains take 1 and 2."""
    found = find(figure_of(STUDY, find="cheaper_lengths", than=than), tables)
    assert (found.value, found.of) == (rounds, 14)
    assert find(figure_of(STUDY, find="rounds_until_slower", than=than), tables).value == rounds


def test_ratios_at_both_ends(tables):
    """Fig. 8 is about tuned methods, Fig. 9 about fixed ones, each over both static chains."""
    known, n_labels = [], {"bibtex": 6, "cal500": 19}
    for figure in known_papers()[STUDY].figures:
        if figure.find != "cost_ratio":
            continue
        dataset, method, than, length = (
            figure.fact(name) for name in ("dataset", "method", "than", "length")
        )
        known.append((figure.place, dataset, figure.fact("of"), length, method, than, figure.printed))
        found = find(figure, tables).value
        if figure.fact("of") == "cost":
            whole = 1.3 / STATIC[than]
            assert found == pytest.approx(whole / n_labels[dataset] if length == "first" else whole)
        else:
            own = tables.chain_curves
            own = own[(own["dataset"] == dataset) & (own["method"] == method) & (own["measure"] == "f1")]
            curve = own.sort_values("point")["value"]
            end = curve.iloc[0 if length == "first" else -1]
            assert found == pytest.approx(end / of_runs(tables, dataset, than, "f1"))
    for one in known:
        suffix = "" if one[0] == "Fig. 8" else "-fixed"
        assert one[4] == f"xdcc-program-cumulated{suffix}"
        [other] = [name for name in (f"cc-true{suffix}", f"cc-probabilities{suffix}") if name != one[5]]
        assert (*one[:5], other, one[6]) in known, "the same number over both static chains"
    assert len(known) == len(set(known)) == 16


@pytest.mark.parametrize("than", STATIC)
def test_the_first_round_is_faster_on_every_dataset(than, tables):
    found = find(figure_of(STUDY, find="faster_at_first", than=than), tables)
    assert (found.value, found.of) == (11, 11)


def test_how_near_a_chain_is_at_the_label_cardinality(tables):
    found = find(figure_of(STUDY, find="near_the_cardinality"), tables)
    own = tables.chain_curves
    own = own[(own["method"] == CUT[1]) & (own["measure"] == "f1")]
    near = 0
    for dataset, curve in own.groupby("dataset"):
        values = curve.set_index("point")["value"].sort_index().round(3)
        steps = np.ceil(tables.datasets.set_index("dataset").loc[dataset, "cardinality"])
        near += values.loc[steps] >= values.iloc[-1] - 0.01 - 1e-12
    assert (found.value, found.of) == (near, 11)


def test_the_first_round_has_the_values_of_the_single_model(tables):
    found = find(figure_of(STUDY, find="first_round_equal"), tables)
    assert (found.value, found.of) == (0, 11)
    curves = tables.chain_curves.copy()
    for measure in MEASURES:
        first = (curves["method"] == "xdcc-fixed") & (curves["point"] == 1) & (curves["measure"] == measure)
        for place in curves.index[first & (curves["dataset"] != "yeast")]:
            curves.loc[place, "value"] = of_runs(
                tables, curves.loc[place, "dataset"], "ml-xgb-fixed", measure
            )
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


def found_by(tables, name, **arguments):
    """Return what a finder finds, whatever the paper prints."""
    return FINDERS[name](tables, **({"variant": "all"} if name in OF_VARIANTS else {}), **arguments)


def test_gains_on_some_datasets_beside_those_on_the_others(tables):
    some = ["bibtex", "set-5", "set-6"]
    frame = tables.performance[tables.performance["measure"] == "hamming-accuracy"]
    values = frame.pivot_table(index="dataset", columns="method", values="value")
    gains = values["rdt-dynamic"] - values["rdt-static"]
    middle = np.median([gain for name, gain in gains.items() if name not in some])
    arguments = {"measure": "hamming-accuracy", "method": "rdt-dynamic", "than": "rdt-static"}
    found = found_by(tables, "smaller_gains", among=[*some, "not-there"], **arguments)
    assert (found.value, found.of) == (sum(gains[name] < middle for name in some), 3)
    with pytest.raises(Absent, match="no values of these datasets"):
        found_by(tables, "smaller_gains", among=["not-there"], **arguments)


def test_what_active_label_tests_change(tables):
    curves = tables.chain_curves.copy()
    at = (curves["parameter"] == "sigma") & (curves["method"] == "rdt-dynamic") & (curves["measure"] == "f1")
    change = {name: 0.01 * place for place, name in enumerate(dict.fromkeys(curves["dataset"][at]))}
    curves.loc[at, "value"] = 0.5 - curves[at]["point"].astype(float) * curves["dataset"][at].map(change)
    tables = dataclasses.replace(tables, chain_curves=curves)
    names = list(change)
    arguments = {"measure": "f1", "method": "rdt-dynamic"}
    found = found_by(tables, "larger_changes", among=[names[0], names[-1]], **arguments)
    assert (found.value, found.of, found.n_datasets) == (1, 2, len(names))
    words = [
        found_by(tables, "with_label_tests", dataset=name, within=within, **arguments).value
        for name, within in ((names[0], 0.0), (names[1], 0.0), (names[1], 0.01), (names[2], 0.01))
    ]
    assert words == ["does not fall", "falls", "does not fall", "falls"]
    with pytest.raises(Absent, match="on enron"):
        find(figure_of(STUDY, find="with_label_tests", method="rdt-dynamic", measure="f1"), tables)


def test_the_first_and_the_last_steps(tables):
    for name in ("accurate_first_steps", "negative_first_steps"):
        found = find(figure_of(STUDY, find=name), tables)
        assert (found.value, found.of) == (11, 11), "as the steps are made"
    steps = tables.chain_steps.copy()
    one = (steps["dataset"] == "yeast") & (steps["method"] == "rdt-10") & (steps["point"] == 0.5)
    steps.loc[one & (steps["step"] == 1), ["accuracy", "positive"]] = (0.0, 1.0)
    changed = dataclasses.replace(tables, chain_steps=steps)
    for name in ("accurate_first_steps", "negative_first_steps"):
        assert find(figure_of(STUDY, find=name), changed).value == 10, "one setting is enough"


def test_where_positive_labels_come_first(tables):
    found = find(figure_of(STUDY, find="positive_labels_first"), tables)
    steps = tables.chain_steps[tables.chain_steps["method"] == "xdcc-program-cumulated"]
    earlier = 0
    for dataset, own in steps.groupby("dataset"):
        until = np.ceil(tables.datasets.set_index("dataset").loc[dataset, "cardinality"])
        last = own[own["step"] <= until].sort_values("step").iloc[-1]
        earlier += last["positive_share"] > last["negative_share"]
    assert (found.value, found.of) == (earlier, 11) and earlier > 0


@pytest.mark.parametrize("measure", MEASURES)
def test_chains_on_one_dataset(tables, measure):
    """All rows on Fig. 7 are about the chains that its counterpart in the report draws."""
    curves, converged = tables.chain_curves, {}
    for method in CUT:
        at = (curves["dataset"] == "yeast") & (curves["method"] == method) & (curves["measure"] == measure)
        values = curves[at].set_index("point")["value"].sort_index().round(3)
        away = [length for length in values.index if abs(values[length] - values.iloc[-1]) > 0.01 + 1e-12]
        converged[method] = (away[-1] if away else 0) + 1
    if measure == "hamming-accuracy":
        found = find(figure_of(STUDY, find="converged_length"), tables)
        assert found.value == converged[CUT[0]]
    if measure != "f1":
        found = find(figure_of(STUDY, find="converges_before", measure=measure), tables)
        earlier = converged[CUT[1]] < converged[CUT[0]]
        assert found.value == ("earlier" if earlier else "not earlier")
    reached = values.iloc[-1]
    for level in ("cc-true-orders", "cc-probabilities-orders", "cc-program-orders"):
        orders = curves[(curves["method"] == level) & (curves["measure"] == measure)]["value"].round(3)
        found = find(figure_of(STUDY, find="orders_surpassed", measure=measure, than=level), tables)
        assert (found.value, found.of) == ((orders < reached).sum(), 100)
    for words, static in (("true labels", "cc-true"), ("probabilities", "cc-probabilities")):
        others = [f"{static}-{order}" for order in ("frequent", "rare", "xdcc")]
        figure = figure_of(STUDY, find="methods_surpassed", measure=measure, what=f"({words})")
        values = [round(of_runs(tables, "yeast", name, measure), 3) for name in others]
        assert (found := find(figure, tables)).value == sum(value < reached for value in values)
        assert found.of == 3


@pytest.mark.parametrize("than", STATIC)
def test_where_a_chain_is_worse_and_where_it_trains_longer(than, tables):
    method = "xdcc-program-cumulated" + ("-fixed" if than.endswith("-fixed") else "")
    found = find(figure_of(STUDY, find="dearer_where_worse", method=method, than=than), tables)
    curves = tables.chain_curves
    at = (curves["method"] == method) & (curves["measure"] == "f1")
    last = curves[at].sort_values("point").groupby("dataset")["value"].last()
    ratios = {name: one / of_runs(tables, name, than, "f1") for name, one in last.items()}
    worse = [name for name, ratio in ratios.items() if round(ratio, 3) < 1]
    alike = len(worse) if STATIC[than] < 1.3 else 11 - len(worse)
    assert 0 < len(worse) < 11 and (found.value, found.of) == (alike, 11)


def test_how_many_orders_were_drawn(tables):
    for method in ("rdt-static", "rdt-static-threshold"):
        assert find(figure_of(STUDY, find="draws", method=method), tables).value == 10


def average_ranks(tables, methods):
    """Return average ranks, methods by measures."""
    return pd.DataFrame(
        {
            measure: wide(tables, measure)[list(methods)].dropna().rank(axis=1, ascending=False).mean()
            for measure in MEASURES
        }
    )


BASELINES = ("br-tree", "cc-tree-true", "lp-tree", "br-forest", "cc-forest-true", "lp-forest")


def test_by_how_many_measures_one_method_ranks_before_another(tables):
    for comparison, methods in BOOSTED.items():
        boosted = average_ranks(tables, methods)
        arguments = {"question": "chain-methods", "comparison": comparison}
        found = found_by(tables, "ranked_before", method=XDCC[0], than=XDCC[1], **arguments)
        assert (found.value, found.of) == ((boosted.loc[XDCC[0]] < boosted.loc[XDCC[1]]).sum(), 3)
    names = [f"{m}-{k}-standard" for m in ("max", "sum") for k in ("gain", "signed", "abs")]
    splits = average_ranks(tables, names)
    found = find(figure_of(STUDY, find="ranked_before", comparison="standard"), tables)
    assert found.value == (splits.loc["max-gain-standard"] < splits.loc["max-signed-standard"]).sum()
    found = find(figure_of(STUDY, find="in_the_last_half", comparison="standard"), tables)
    assert (found.value, found.of) == ((splits.loc["sum-signed-standard"] > splits.median()).sum(), 3)
    with pytest.raises(Absent, match="no rdt-dynamic in this comparison"):
        arguments = {"question": "split-functions", "comparison": "standard"}
        found_by(tables, "in_the_last_half", method="rdt-dynamic", **arguments)


def nemenyi(tables, **wanted):
    """Return the verdicts of tests.csv on all pairs: the significantly better method, or nothing."""
    rows = tables.tests
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    found = {}
    for row in rows[rows["test"].isin(["nemenyi", "effect-size"])].to_dict("records"):
        first, second = row["methods"].split(";")
        winner = first if row["statistic"] < 0 else second
        found[row["measure"], frozenset((first, second))] = winner if row["rejected"] else ""
    return found


def test_a_clear_superiority_is_a_significant_one(tables):
    """A better average rank alone is none, whichever of the two the test names first."""
    for figure in known_papers()[STUDY].figures:
        if figure.find == "rivals_beaten":
            winner, rival = figure.fact("winner"), figure.fact("rival")
            known = nemenyi(tables, comparison=figure.fact("comparison"), variant="all")
            pairs = {
                key: one
                for key, one in known.items()
                if winner in key[1]
                and (not rival or rival in key[1])
                and key[0] == (figure.fact("measure") or key[0])
            }
            found = find(figure, tables)
            expected = sum(one == winner for one in pairs.values())
            assert (found.value, found.of) == (expected, 3 if rival else 7)
    every = tables.tests[tables.tests["test"] == "nemenyi"].assign(rejected=True)
    every = dataclasses.replace(tables, tests=every)
    arguments = {"question": "chain-methods", "comparison": "boosted trees, true labels", "test": "nemenyi"}
    both = [
        found_by(every, "rivals_beaten", winner=one, rival=other, **arguments).value
        for one, other in (("cc-true", "ml-xgb"), ("ml-xgb", "cc-true"))
    ]
    n_tests = (
        (every.tests["methods"] == "ml-xgb;cc-true") & (every.tests["comparison"] == arguments["comparison"])
    ).sum()
    assert sum(both) == n_tests > 0, "each test has one winner"
    with pytest.raises(Absent, match="no such test of lp-tree"):
        found_by(tables, "rivals_beaten", winner="lp-tree", **arguments)


@pytest.mark.parametrize(("first", "second"), ORDERS)
def test_dynamic_orders_are_superior_where_wilcoxons_test_says_so(first, second, tables):
    rows = tables.tests[tables.tests["comparison"] == f"{first} against {second}"]
    rows = rows[rows["variant"] == "all"]
    assert len(rows) == len(MEASURES)
    for row in rows.to_dict("records"):
        wanted = {"find": "verdict", "question": "static-order", "measure": row["measure"]}
        figure = figure_of(STUDY, **wanted, method=first, than=second)
        found = find(figure, tables)
        assert found.value == pytest.approx(row["p_adjusted"])
        ahead = row["rejected"] and row["rank_sum_better"] > row["rank_sum_worse"]
        assert conclusion(figure, found).same == ahead


def test_how_many_baselines_are_behind(tables):
    ranks = average_ranks(tables, ("xdcc-program-cumulated", "rdt-dynamic", *BASELINES))
    for figure in known_papers()[STUDY].figures:
        if figure.find == "methods_behind":
            own, found = ranks[figure.fact("measure")], find(figure, tables)
            behind = (own[list(BASELINES)] > own[figure.fact("method")]).sum()
            assert (found.value, found.of) == (behind, 6)


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
        chain_steps=None,
    )
    if figure.find == "dataset_count":
        assert find(figure, bare).value == 10
        return
    with pytest.raises(Absent):
        find(figure, bare)
