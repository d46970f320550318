"""Questions about chains: which methods and datasets are compared, what is counted, what is said."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare
from synthetic_chains import (
    CUT,
    MEASURES,
    ON_TEN,
    ORDERS,
    SPLITS,
    TUNED,
    chain_performance,
    chain_tables,
    cut_tables,
    sets_of,
    written,
)

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.sections import SectionTables
from mlsieve.registry import lookup
from mlsieve.stats import wilcoxon_test
from mlsieve.tables.labels import labels_in

TESTED = ("static-order", "split-functions", "chain-methods")
SHOWN = ("chain-length", "chain-cost", "chain-sequence", "label-tests")
ANALYSIS = Analysis(questions=(*TESTED, *SHOWN))
XDCC = ("xdcc-program-cumulated", "xdcc-program-standard")
GROUPS = {
    "boosted trees, true labels": (*XDCC, "ml-xgb", "br-xgb", "cc-true"),
    "boosted trees, probabilities": (*XDCC, "ml-xgb", "br-xgb", "cc-probabilities"),
    "all boosted trees": (
        *(*XDCC, "xdcc-paper-cumulated", "xdcc", "ml-xgb", "br-xgb", "cc-true", "cc-probabilities"),
    ),
}
# How long a static chain trains; a dynamic one of all steps takes 1.3 times as long as cc-true.
STATIC = {"cc-true-fixed": 1.0, "cc-probabilities-fixed": 2.0}
DYNAMIC = "xdcc-program-cumulated-fixed"
PAIRS = (
    *itertools.product(("rdt-dynamic", "rdt-dynamic-threshold"), ("rdt-static", "rdt-static-threshold")),
    ("rdt-dynamic", "rdt-likeliest"),
)


@pytest.fixture(scope="module")
def performance():
    return chain_performance()


@pytest.fixture(scope="module")
def answers(performance):
    return run_questions(performance, ANALYSIS)


def section_of(question, folder, n_datasets=4, answers=None, analysis=ANALYSIS, **tables):
    """Return what a question's section says about tables in a folder; one that is None is missing."""
    found = written(folder, n_datasets) | tables
    performance = chain_performance(n_datasets)
    own = {} if answers is None else {table.name: table for table in answers.tables[question]}

    def read(name):
        return found.get(name.removesuffix(".csv"))

    nothing = pd.DataFrame()
    study = SectionTables(
        folder, read, analysis, nothing, nothing, nothing, nothing, [], labels_in(performance), own
    )
    return lookup("question", question).facts.section(study)


def said(found):
    return "\n".join(finding.sentence for finding in found)


def table_of(section, name):
    """Return a table as a frame with its first column as index."""
    [own] = [table for table in section.tables if table.name == name]
    return pd.DataFrame(own.rows, columns=own.columns).set_index(own.columns[0])


def wide(performance, measure, methods):
    part = performance[performance["measure"] == measure]
    return part.pivot_table(index="dataset", columns="method", values="value")[list(methods)].round(3)


def rows(answers, **conditions):
    table = answers.tests[answers.tests["variant"] == "all"]
    for name, value in conditions.items():
        table = table[table[name] == value]
    return table


# Static against dynamic orders.


def test_each_dynamic_order_is_tested_against_the_others(performance, answers):
    """All dynamic orders against all static ones (sections 4.2 and 4.4.1), and eq. 15 against eq. 6."""
    own = rows(answers, question="static-order", test="wilcoxon")
    assert {tuple(text.split(";")) for text in own["methods"]} == set(PAIRS)
    assert len(own) == len(PAIRS) * len(MEASURES) and set(own["n_datasets"]) == {11}
    for row in own.to_dict("records"):
        first, second = row["methods"].split(";")
        values = wide(performance, row["measure"], (first, second))
        expected = wilcoxon_test((values[first] - values[second]).round(12), "pratt")
        assert row["p_value"] == pytest.approx(expected.p_value)
        assert row["wins"] == (values[first] > values[second]).sum()


def test_the_counts_are_those_of_the_table(performance, answers):
    for first, second in PAIRS:
        better, worse, twice = [], [], []
        for measure in sorted(MEASURES):
            values = wide(performance, measure, (first, second))
            better.append(f"{(values[first] > values[second]).sum()} by {measure}")
            worse.append(f"{(values[first] < values[second]).sum()} by {measure}")
            doubled = (values[first] >= 2 * values[second]) & (values[first] > values[second])
            twice.append(f"{doubled.sum()} by {measure}")
        listed = [f"{one[0]}, {one[1]} and {one[2]}" for one in (better, worse, twice)]
        assert (
            f"Of 11 datasets, {first} is better than {second} on {listed[0]}, and worse on {listed[1]}. Its "
            f"value is at least twice as high on {listed[2]}." in said(answers.findings["static-order"])
        )


def test_the_tables_of_orders_have_all_pairs(performance, answers):
    *by_measure, dynamic = answers.tables["static-order"]
    methods = ("rdt-dynamic", "rdt-dynamic-threshold", "rdt-static", "rdt-static-threshold")
    assert [made.name for made in by_measure] == [f"orders {measure}" for measure in sorted(MEASURES)]
    for made, measure in zip(by_measure, sorted(MEASURES), strict=True):
        values = wide(performance, measure, methods)
        ratios = [f"{one} / {other}" for one, other in PAIRS[:4]]
        assert made.columns == ("dataset", *methods, *ratios)
        for place, (dataset, *cells) in enumerate(made.rows):
            own = values.loc[dataset]
            assert cells[:4] == [f"{value:.3f}" for value in own]
            assert cells[4:] == [f"{own[one] / own[other]:.2f}" for one, other in PAIRS[:4]]
            best = {1 + column for column, value in enumerate(own) if value == own.max()}
            assert {column for row, column, _ in made.marks if row == place} == best
    assert dynamic.columns[1:3] == ("f1, rdt-dynamic", "f1, rdt-likeliest")
    for dataset, *cells in dynamic.rows:
        both = [wide(performance, measure, PAIRS[4]).loc[dataset] for measure in sorted(MEASURES)]
        assert cells == [f"{value:.3f}" for own in both for value in own]


def test_another_study_names_its_own_orders(performance):
    """The order of the rows is that of the keys; a study without static orders compares dynamic ones."""
    own = {"static_methods": {"rdt-dynamic": ("cc-true", "rdt-static")}, "dynamic_methods": {}}
    analysis = replace(ANALYSIS, questions=("static-order",))
    found = run_questions(performance, replace(analysis, settings=own))
    assert list(dict.fromkeys(found.tests["comparison"])) == [
        "rdt-dynamic against cc-true",
        "rdt-dynamic against rdt-static",
    ]
    dynamic = chain_performance(4, methods=("rdt-dynamic", "rdt-likeliest"))
    found = run_questions(dynamic, analysis)
    assert [made.name for made in found.tables["static-order"]] == ["orders rdt-dynamic rdt-likeliest"]


def test_twice_as_good_by_hand():
    values = {"rdt-dynamic": (0.4, 0.39, 0.2, 0.0), "rdt-static": (0.2, 0.2, 0.0, 0.0)}
    table = pd.DataFrame(
        {"dataset": f"d{place}", "method": method, "measure": "f1", "value": value}
        for method, own in values.items()
        for place, value in enumerate(own)
    )
    found = run_questions(table, replace(ANALYSIS, questions=("static-order",)))
    text = "Of 4 datasets, rdt-dynamic is better than rdt-static on 3 by f1, and worse on 0 by f1. Its value"
    assert f"{text} is at least twice as high on 2 by f1." in said(found.findings["static-order"]), (
        "0.2 is more than twice 0, but 0 is not"
    )
    [made] = found.tables["static-order"]
    assert made.columns == ("dataset", "rdt-dynamic", "rdt-static", "rdt-dynamic / rdt-static")
    assert made.rows[0] == ("d0", "0.400", "0.200", "2.00") and made.rows[2] == ("d2", "0.200", "0.000", "–")
    assert {mark[:2] for mark in made.marks} == {(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)}, (
        "equal values are both best"
    )


def static_orders(rounding, dynamic, static):
    """Return the answers on some values of both orders, one dataset each."""
    table = pd.DataFrame(
        {"dataset": f"d{place}", "method": method, "measure": "f1", "value": value}
        for method, own in (("rdt-dynamic", dynamic), ("rdt-static", static))
        for place, value in enumerate(own)
    )
    return run_questions(table, replace(ANALYSIS, questions=("static-order",), rounding=rounding))


@pytest.mark.parametrize("rounding", [None, {"decimals": 3}])
def test_what_the_table_shows_alike_counts_as_the_same(rounding):
    """0.0004 and 0.0001 are both 0.000 in the table, and neither is twice the other."""
    found = static_orders(rounding, (0.0004, 0.5004, 0.3), (0.0001, 0.4996, 0.1504))
    text = said(found.findings["static-order"])
    [made] = found.tables["static-order"]
    assert made.rows[0] == ("d0", "0.000", "0.000", "–")
    assert made.rows[1] == ("d1", "0.500", "0.500", "1.00")
    assert made.rows[2] == ("d2", "0.300", "0.150", "2.00")
    assert "is better than rdt-static on 1 by f1, and worse on 0 by f1." in text
    assert "Its value is at least twice as high on 1 by f1." in text
    assert {mark[:2] for mark in made.marks} == {(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)}


def test_draws_of_a_static_order_count_with_their_mean():
    draws = pd.DataFrame(
        {"dataset": "d", "method": "rdt-static", "measure": "f1", "value": value, "repeat": draw}
        for draw, value in enumerate((0.1, 0.3))
    )
    dynamic = pd.DataFrame(
        [{"dataset": "d", "method": "rdt-dynamic", "measure": "f1", "value": 0.25, "repeat": 0}]
    )
    found = run_questions(pd.concat([draws, dynamic]), replace(ANALYSIS, questions=("static-order",)))
    assert found.tables["static-order"][0].rows == (("d", "0.250", "0.200", "1.25"),)


# Split functions.


def test_split_functions_are_compared_by_version_and_together(performance, answers):
    own = rows(answers, question="split-functions", test="friedman")
    assert dict(own.groupby("comparison").size()) == dict.fromkeys(
        ("both versions", "cumulated", "standard"), 3
    )
    for row in own.to_dict("records"):
        methods = row["methods"].split(";")
        assert len(methods) == (12 if row["comparison"] == "both versions" else 6)
        values = wide(performance, row["measure"], methods)
        assert row["p_value"] == pytest.approx(friedmanchisquare(*values.T.to_numpy()).pvalue)
    assert own["methods"].iloc[0].split(";") == [f"{split}-standard" for split in SPLITS]


def test_maxima_against_their_sums(performance, answers):
    [table] = answers.tables["split-functions"]
    assert len(table.rows) == 6 * len(MEASURES)
    for first, second, measure, datasets, better, same, worse in table.rows:
        values = wide(performance, measure, (first, second))
        assert (first.replace("max", "sum"), datasets) == (second, 11)
        difference = values[first] - values[second]
        assert (better, same, worse) == tuple(
            int(n)
            for n in ((difference > 1e-9).sum(), (difference.abs() < 1e-9).sum(), (difference < -1e-9).sum())
        )
    for measure in MEASURES:
        ahead = sum(row[4] > row[6] for row in table.rows if row[2] == measure)
        assert (
            f"By {measure}, the maximum over the labels is better than the sum on more datasets than "
            f"worse for {ahead} of 6 pairs" in said(answers.findings["split-functions"])
        )


# Methods.


def test_the_groups_of_methods_and_their_datasets(performance, answers):
    own = rows(answers, question="chain-methods", test="friedman")
    paper = own[own["family"] == "paper"].set_index(["comparison", "measure"])
    for measure in MEASURES:
        for group, methods in GROUPS.items():
            row = paper.loc[(group, measure)]
            assert row["methods"].split(";") == list(methods) and row["n_datasets"] == 11
        assert paper.loc[("baselines", measure), "n_datasets"] == 10, (
            "the trees have no values of the eleventh"
        )
    [every] = set(own.loc[own["family"] == "extended", "methods"])
    names = set(every.split(";"))
    assert set(ON_TEN) < names and {"rdt-dynamic", "cc-true", "cc-probabilities"} < names
    assert not names & {"rdt-static", "rdt-dynamic-threshold", "rdt-likeliest", "max-gain-standard"}
    assert not [name for name in names if name.endswith("-fixed")]


@pytest.mark.parametrize("group", GROUPS)
def test_the_best_and_the_second_average_rank(group, answers):
    ranks = answers.average_ranks
    ranks = ranks[
        (ranks["question"] == "chain-methods") & (ranks["comparison"] == group) & (ranks["variant"] == "all")
    ]
    parts = []
    for measure in sorted(MEASURES):
        own = ranks[ranks["measure"] == measure].groupby("rank")["method"].agg(list).tolist()
        first, second = (" and ".join(names) for names in own[:2])
        has = "has" if len(own[0]) == 1 else "have"
        parts.append(f"by {measure} {first} {has} the best average rank, followed by {second}")
    text = f"In the group '{group}', over 11 datasets: "
    assert f"{text}{'; '.join(parts)}." in said(answers.findings["chain-methods"])


def test_methods_that_share_a_rank_are_named_together():
    levels = {"xdcc-program-cumulated": (0.5, 0.4), "ml-xgb": (0.4, 0.5), "br-xgb": (0.1, 0.1)}
    table = pd.DataFrame(
        {"dataset": f"d{place}", "method": method, "measure": "f1", "value": value}
        for method, own in levels.items()
        for place, value in enumerate(own)
    )
    found = run_questions(table, replace(ANALYSIS, questions=("chain-methods",)))
    text = said(found.findings["chain-methods"])
    best = "over 2 datasets: by f1 {} and {} have the best average rank, followed by br-xgb"
    both = ("ml-xgb", "xdcc-program-cumulated")
    assert best.format(*both) in text or best.format(*both[::-1]) in text
    missing = "The study has no xdcc-program-standard, cc-true, cc-probabilities, xdcc-paper-cumulated, xdcc,"
    assert f"{missing} rdt-dynamic" in found.notes["chain-methods"][0]


@pytest.mark.parametrize("group", GROUPS)
def test_ranks_of_times(group, tmp_path):
    found = section_of("chain-methods", tmp_path)
    times = table_of(found, f"times {group}")
    assert tuple(times.index) == GROUPS[group]
    runs = chain_tables()["chain_runs"]
    own = runs.pivot_table(index="dataset", columns="method", values="training_seconds")[list(times.index)]
    expected = own.rank(axis=1).mean()
    assert {name: float(text) for name, text in times["training, rank"].items()} == pytest.approx(
        expected.round(2).to_dict()
    )
    assert times.loc["ml-xgb", "training, rank"] == "1.00"
    [made] = [table for table in found.tables if table.name == f"times {group}"]
    assert [made.rows[row][0] for row, column, _ in made.marks if column == 1] == ["ml-xgb"]
    assert "over 4 datasets" in made.text


@pytest.mark.parametrize("measure", MEASURES)
def test_what_tuning_changes(measure, performance, answers):
    [made] = [table for table in answers.tables["chain-methods"] if table.name == f"tuned {measure}"]
    pairs = {tuned: f"{tuned}-fixed" for tuned in made.columns[1::2]}
    assert made.columns == ("dataset", *itertools.chain(*pairs.items())) and pairs.keys() == TUNED.keys()
    values = wide(performance, measure, made.columns[1:])
    marks = {mark[:2] for mark in made.marks}
    assert [row[0] for row in made.rows] == values.index.tolist()
    for place, (dataset, *cells) in enumerate(made.rows):
        own = values.loc[dataset]
        assert cells == [f"{value:.3f}" for value in own]
        for first in range(0, len(cells), 2):
            better = {at for at in (first, first + 1) if own.iloc[at] == own.iloc[first : first + 2].max()}
            assert {at for at in (first, first + 1) if (place, 1 + at) in marks} == better
    for tuned, fixed in pairs.items():
        counts = [
            f"better on {(gains > 0).sum()} and worse on {(gains < 0).sum()} by {one}"
            for one in sorted(MEASURES)
            for gains in [wide(performance, one, (tuned, fixed)).diff(-1, axis=1)[tuned].round(9)]
        ]
        text = f"Of 11 datasets, {tuned} is {counts[0]}, {counts[1]} and {counts[2]} than {fixed}."
        assert text in said(answers.findings["chain-methods"])


def test_lower_is_better_in_the_table_of_tuning():
    """One measure of which lower is better; a method of which one way is missing has no pair."""
    columns = {"br-xgb": 0.2, "br-xgb-fixed": 0.3, "ml-xgb": 0.4}
    table = pd.DataFrame(
        {"dataset": "d", "method": method, "measure": "hamming-loss", "value": value}
        for method, value in columns.items()
    )
    found = run_questions(table, replace(ANALYSIS, questions=("chain-methods",)))
    [made] = found.tables["chain-methods"]
    assert (made.columns, made.rows) == (("dataset", "br-xgb", "br-xgb-fixed"), (("d", "0.200", "0.300"),))
    assert [mark[:2] for mark in made.marks] == [(0, 1)]
    text = "Of 1 dataset, br-xgb is better on 1 and worse on 0 by hamming-loss than br-xgb-fixed."
    assert text in said(found.findings["chain-methods"])


# What is missing.


@pytest.mark.parametrize("question", TESTED)
def test_a_study_without_the_methods_has_a_note_and_no_test(question):
    table = chain_performance(3, methods=("br-tree",))
    found = run_questions(table, replace(ANALYSIS, questions=(question,)))
    assert found.tests.empty and found.notes[question] and not found.findings[question]


@pytest.mark.parametrize("question", (*TESTED, *SHOWN))
def test_tables_of_rankings_are_no_tables_of_chains(question):
    from synthetic_study import performance_table

    found = run_questions(performance_table(3, ("f1",), (10, 50)), replace(ANALYSIS, questions=(question,)))
    assert found.tests.empty and not found.findings[question]


@pytest.mark.parametrize("question", (*SHOWN, "chain-methods"))
def test_a_section_without_its_tables_says_so(question, tmp_path):
    nothing = dict.fromkeys(chain_tables())
    found = section_of(question, tmp_path, **nothing)
    assert (
        not found.findings and not found.tables and ".csv" in found.notes[0] and "missing" in found.notes[0]
    )


@pytest.mark.parametrize("question", SHOWN)
def test_a_section_of_empty_tables_says_so(question, tmp_path):
    empty = {name: table[:0] for name, table in chain_tables().items()}
    found = section_of(question, tmp_path, **empty)
    assert not found.findings and not found.tables and found.notes


@pytest.mark.parametrize("question", TESTED)
def test_one_dataset_alone_is_no_test_but_can_be_counted(question):
    found = run_questions(chain_performance(1), replace(ANALYSIS, questions=(question,)))
    assert not found.tests["rejected"].any()
    assert not re.search(r"\b1 datasets\b", said(found.findings[question]))


@pytest.mark.parametrize("question", SHOWN)
def test_one_dataset_alone_has_a_section(question, tmp_path):
    found = section_of(question, tmp_path, n_datasets=1)
    assert (
        found.findings
        and found.tables
        and not re.search(r"\b1 (datasets|chains|pairs)\b", said(found.findings))
    )


# Lengths, costs, sequences.


def curve(tables, dataset, method, measure="f1"):
    """Return a measure by length of a method of chain_curves.csv."""
    curves = tables["chain_curves"]
    own = curves[(curves["dataset"] == dataset) & (curves["method"] == method)]
    return own[own["measure"] == measure].set_index("point")["value"]


def of_run(tables, dataset, method, column):
    runs = tables["chain_runs"]
    return runs.loc[(runs["dataset"] == dataset) & (runs["method"] == method), column].item()


def test_convergence_as_sentences_and_as_a_table(tmp_path):
    found, tables = section_of("chain-length", tmp_path), chain_tables()
    made = table_of(found, f"convergence {DYNAMIC}")
    assert made.index.tolist() == [f"set-{d}" for d in range(1, 5)]
    close = 0
    for dataset, row in made.iterrows():
        values = curve(tables, dataset, DYNAMIC).round(3)
        near = [k for k in values.index if (values.loc[k:] - values.iloc[-1]).abs().max() <= 0.01 + 1e-12]
        assert row["best"] == int(values.idxmax())
        assert row["converged"] == int(near[0]) and row["F1 full"] == f"{values.iloc[-1]:.3f}"
        close += values.loc[np.ceil(float(row["label cardinality"]))] >= values.iloc[-1] - 0.01 - 1e-12
    near = int((made["converged"] <= np.ceil(made["label cardinality"].astype(float))).sum())
    half = int((2 * made["converged"] <= made["greatest length"]).sum())
    text = said(found.findings)
    assert (
        f"F1 of {DYNAMIC} converges (to within 0.01 of the longest chain) at a length of at most the label "
        f"cardinality, rounded up, on {near} of 4 datasets, and of at most half the greatest length on "
        f"{half}." in text
    )
    assert (
        f"{DYNAMIC} has at least the F1 of its longest chain, or up to 0.01 less, on {close} of 4 datasets."
        in text
    )


def test_every_cut_chain_has_a_table_and_those_with_references_have_their_times(tmp_path):
    names = [table.name for table in section_of("chain-length", tmp_path).tables]
    timed = [DYNAMIC.replace("cumulated", "standard"), DYNAMIC, "xdcc-fixed"]
    assert [name for name in names if name.startswith("convergence ")] == [
        f"convergence {name}" for name in (*timed[:2], "xdcc-paper-cumulated-fixed", timed[2])
    ]
    assert [name for name in names if name.startswith("times ")] == [
        f"times {name} {other}" for name in timed for other in STATIC
    ]


@pytest.mark.parametrize("other", STATIC)
def test_times_of_a_chain_over_those_of_each_static_one(other, tmp_path):
    found, tables = section_of("chain-length", tmp_path), chain_tables()
    made, converged = table_of(found, f"times {DYNAMIC} {other}"), table_of(found, f"convergence {DYNAMIC}")
    assert made["converged"].tolist() == converged["converged"].tolist()
    counts = [0, 0, 0]
    for dataset, row in made.iterrows():
        training, prediction = (
            curve(tables, dataset, DYNAMIC, f"{name}-seconds")
            / of_run(tables, dataset, other, f"{name}_seconds")
            for name in ("training", "prediction")
        )
        at = [training.iloc[0], training[row["converged"]], training.iloc[-1]]
        assert [row["training, converged"], row["training, full"]] == [f"{value:.3f}" for value in at[1:]]
        slower = prediction.index[prediction.round(3) > 1]
        assert row["slower prediction from"] == (int(slower[0]) if len(slower) else "–")
        counts = [count + (round(value, 3) < 1) for count, value in zip(counts, at, strict=True)]
    assert (made["training, full"] == f"{1.3 / STATIC[other]:.3f}").all()
    assert counts[0] == 4 and counts[2] == (4 if STATIC[other] > 1.3 else 0)
    assert (
        f"{DYNAMIC} trains in less time than {other} at length 1 on {counts[0]} of 4 datasets, at the length "
        f"at which F1 converges on {counts[1]}, and at the greatest length on {counts[2]}."
        in said(found.findings)
    )


def test_a_static_chain_that_a_dataset_lacks_has_no_times_there(tmp_path):
    runs = chain_tables()["chain_runs"]
    lacks = (runs["method"] == "cc-true-fixed") & (runs["dataset"] == "set-2")
    found = section_of("chain-length", tmp_path, chain_runs=runs[~lacks])
    assert table_of(found, f"times {DYNAMIC} cc-true-fixed").index.tolist() == ["set-1", "set-3", "set-4"]
    assert len(table_of(found, f"times {DYNAMIC} cc-probabilities-fixed")) == 4
    found = section_of("chain-length", tmp_path, chain_runs=runs[runs["method"] != "cc-true-fixed"])
    assert not [table.name for table in found.tables if table.name.endswith(" cc-true-fixed")]
    assert "cc-true-fixed" not in said(found.findings)


@pytest.mark.parametrize("level", ORDERS)
def test_how_many_orders_a_chain_is_better_than(level, tmp_path):
    found, tables = section_of("chain-length", tmp_path), chain_tables()
    for method in (DYNAMIC, "xdcc-fixed"):
        counts = []
        for name in MEASURES:
            reached = round(curve(tables, "set-1", method, name).iloc[-1], 3)
            better = (curve(tables, "set-1", level, name).round(3) < reached).sum()
            counts.append(f"{better} of 100 by {name}")
        text = f"On set-1, the longest chain of {method} is better than this many orders of {level}:"
        assert f"{text} {counts[0]}, {counts[1]} and {counts[2]}." in said(found.findings)


def test_an_order_with_the_same_shown_value_is_not_surpassed(tmp_path):
    curves = chain_tables()["chain_curves"].copy()
    of_f1 = (curves["measure"] == "f1") & (curves["dataset"] == "set-1")
    curves.loc[of_f1 & (curves["method"] == DYNAMIC), "value"] = 0.6004
    orders = curves.index[of_f1 & (curves["method"] == "cc-true-orders")]
    curves.loc[orders, "value"] = 0.5996
    curves.loc[orders[:30], "value"] = 0.5994
    text = said(section_of("chain-length", tmp_path, chain_curves=curves).findings)
    [one] = [
        line for line in text.splitlines() if f"chain of {DYNAMIC} is" in line and "of cc-true-orders" in line
    ]
    assert one.endswith("30 of 100 by f1."), "0.5996 is 0.600, too"


def test_the_first_round_is_only_compared_with_the_same_parameters(tmp_path):
    text = said(section_of("chain-length", tmp_path).findings)
    assert (
        "xdcc-fixed and ml-xgb-fixed have the same parameters on 4 of 4 datasets; the first round of "
        "xdcc-fixed has the values of ml-xgb-fixed on 0 of these." in text
    )
    runs = chain_tables()["chain_runs"]
    own = runs["method"] == "ml-xgb-fixed"
    other = runs.assign(settings=runs["settings"].where(~own, "depth=3 rounds=10"))
    text = said(section_of("chain-length", tmp_path, chain_runs=other).findings)
    assert "xdcc-fixed and ml-xgb-fixed have the same parameters on 0 of 4 datasets." in text


@pytest.mark.parametrize("other", STATIC)
def test_costs_at_three_lengths(other, tmp_path):
    found, tables = section_of("chain-cost", tmp_path), chain_tables()
    made, whole = table_of(found, f"cost {DYNAMIC} {other}"), 1.3 / STATIC[other]
    assert (made["time, full"] == f"{whole:.3f}").all()
    assert made.loc["set-1", "time, first"] == f"{whole / 14:.3f}"
    assert made.loc["set-1", "time, cardinality"] == f"{whole * 5 / 14:.3f}", "4.24 labels are five steps"
    text = said(found.findings)
    for name, words in (("first", "Cut at length 1"), ("full", "At the greatest length")):
        good = 0
        for dataset, row in made.iterrows():
            values = curve(tables, dataset, DYNAMIC)
            ratio = values.iloc[0 if name == "first" else -1] / of_run(tables, dataset, other, "f1")
            assert row[f"F1, {name}"] == f"{ratio:.3f}"
            good += round(ratio, 3) >= 1
        faster = 4 if name == "first" or whole < 1 else 0
        assert (
            f"{words}, {DYNAMIC} trains in less time than {other} on {faster} of 4 datasets, and its F1 is "
            f"at least that of {other} on {good}." in text
        )


def test_each_dynamic_chain_is_divided_by_the_static_ones_of_its_own_parameters(tmp_path):
    names = [table.name for table in section_of("chain-cost", tmp_path).tables]
    assert names == [
        f"cost {name}{suffix} cc-{other}{suffix}"
        for suffix in ("", "-fixed")
        for name in ("xdcc-program-cumulated", "xdcc")
        for other in ("true", "probabilities")
    ]


def test_ratios_count_as_the_table_shows_them(tmp_path):
    """Time and F1 of 0.9996 times those of the static chain are both 1.000: no less time, and as good."""
    tables = chain_tables()
    curves, runs = tables["chain_curves"].copy(), tables["chain_runs"]
    static = runs[runs["method"] == "cc-true"].set_index("dataset")
    own = (curves["method"] == "xdcc") & (curves["parameter"] == "chain_length")
    for measure, column in (("training-seconds", "training_seconds"), ("f1", "f1")):
        at = own & (curves["measure"] == measure)
        curves.loc[at, "value"] = curves.loc[at, "dataset"].map(static[column]) * 0.9996
    found = section_of("chain-cost", tmp_path, chain_curves=curves)
    made = table_of(found, "cost xdcc cc-true")
    assert (made[["time, full", "F1, full"]] == "1.000").all(axis=None)
    text = "xdcc trains in less time than cc-true on 0 of 4 datasets, and its F1 is at least that of"
    assert f"Cut at length 1, {text} cc-true on 4." in said(found.findings)


def test_costs_without_a_label_cardinality_have_two_lengths(tmp_path):
    found = section_of("chain-cost", tmp_path, datasets=None)
    made = table_of(found, "cost xdcc cc-true")
    assert (made["time, cardinality"] == "–").all() and "label cardinality" not in said(found.findings)


def test_first_and_last_steps_are_counted(tmp_path):
    found = section_of("chain-sequence", tmp_path)
    text = said(found.findings)
    assert "Over 4 datasets and all settings of the label tests (132 chains)" in text
    assert (
        "more accurate than those of the last in 132, and the first step sets fewer positive labels than "
        "the last in 132." in text
    )
    made = table_of(found, "progress")
    assert made["length of the chain"].tolist() == [one[0] for one in sets_of(4).values()]
    share = made["positive labels set"].str.rstrip("%").astype(float)
    others = made["negative labels set"].str.rstrip("%").astype(float)
    assert f"on {(share > others).sum()} of 4 datasets" in text and (share > others).all()


def test_equal_shown_shares_put_neither_kind_of_label_first(tmp_path):
    steps = chain_tables()["chain_steps"].copy()
    own = (steps["method"] == "xdcc-program-cumulated") & (steps["dataset"] == "set-2")
    steps.loc[own, ["positive_share", "negative_share"]] = (0.9174, 0.9166)
    found = section_of("chain-sequence", tmp_path, chain_steps=steps)
    row = table_of(found, "progress").loc["set-2"]
    assert row["positive labels set"] == row["negative labels set"] == "91.7%"
    assert "larger share of its positive labels than of its negative ones on 3 of 4" in said(found.findings)


def test_equal_shown_ends_of_a_chain_count_for_neither(tmp_path):
    steps = chain_tables()["chain_steps"].copy()
    one = (steps["dataset"] == "set-1") & (steps["method"] == "rdt-10") & (steps["point"] == 0.5)
    steps.loc[one, ["accuracy", "positive"]] = (0.8, 0.3)
    steps.loc[one & (steps["step"] == 1), ["accuracy", "positive"]] = (0.8004, 0.2996)
    text = said(section_of("chain-sequence", tmp_path, chain_steps=steps).findings)
    assert "last in 131, and the first step sets fewer positive labels than the last in 131." in text


def test_label_tests_that_change_nothing_shown_are_neither_higher_nor_lower(tmp_path):
    curves = chain_tables()["chain_curves"].copy()
    at = (curves["parameter"] == "sigma") & (curves["method"] == "rdt-10") & (curves["measure"] == "f1")
    points = curves["point"].astype(float)
    for dataset, none, every in (
        *(("set-1", 0.0, 0.0004), ("set-2", 0.4004, 0.3996)),
        *(("set-3", 0.4014, 0.3996), ("set-4", 0.4, 0.4006)),
    ):
        own = at & (curves["dataset"] == dataset)
        curves.loc[own, "value"] = none + (every - none) * points[own]
    found = section_of("label-tests", tmp_path, chain_curves=curves)
    made = table_of(found, "sigma f1")
    assert made["10 %, difference"].tolist() == ["+0.000", "+0.000", "-0.001", "+0.001"]
    [text] = [one.text for one in found.findings if "10 % label tests" in one.text]
    assert "f1 is higher on 1 and lower on 1." in text


def test_active_label_tests_are_counted(tmp_path):
    found = section_of("label-tests", tmp_path)
    text = "With 10 % label tests in the trees, over 4 datasets, all active against none: "
    assert f"{text}hamming-accuracy is higher on 4 and lower on 0," in said(found.findings)
    made = table_of(found, "sigma f1")
    assert (made["30 %, difference"] == "+0.150").all()


@pytest.mark.parametrize("question", ["chain-length", "chain-cost", "chain-sequence"])
def test_sections_say_where_chains_end_early(question, tmp_path):
    assert f"The chains {CUT}" in section_of(question, tmp_path, **cut_tables()).notes
    assert not [note for note in section_of(question, tmp_path).notes if "full chain" in note]


def test_split_functions_say_where_their_chains_end_early(tmp_path):
    answers = run_questions(chain_performance(4), ANALYSIS)
    runs = chain_tables()["chain_runs"]
    short = (runs["dataset"] == "set-3") & runs["method"].isin(["max-gain-standard", "max-gain-cumulated"])
    cut = runs.assign(steps=runs["steps"].mask(short, 6))
    found = section_of("split-functions", tmp_path, answers=answers, chain_runs=cut)
    assert found.notes == [f"The chains of max-gain-standard and max-gain-cumulated {CUT}"]
    assert [table.name for table in found.tables] == ["counterparts"]
    assert section_of("split-functions", tmp_path, answers=answers).notes == []
    assert section_of("split-functions", tmp_path, answers=answers, chain_runs=None).notes == []


@pytest.mark.parametrize("question", ["chain-length", "chain-cost", "chain-methods"])
def test_sections_say_whose_boosted_trees_the_static_chain_has(question, tmp_path):
    answers = run_questions(chain_performance(4), ANALYSIS)
    notes = section_of(question, tmp_path, answers=answers, **cut_tables()).notes
    static = {
        "chain-length": "cc-true-fixed, cc-true-frequent, cc-true-rare, cc-true-xdcc and cc-true-orders fit"
    }
    static |= {"chain-cost": "cc-true and cc-true-fixed fit", "chain-methods": "cc-true fits"}
    own = "mlsieve's own boosted trees, ML-XGB with one label, and not XGBoost."
    assert f"{static[question]} {own}" in notes
    if question == "chain-methods":
        chains = "xdcc-program-cumulated, xdcc-program-standard, xdcc-paper-cumulated and xdcc"
        assert f"The chains of {chains} {CUT}" in notes
