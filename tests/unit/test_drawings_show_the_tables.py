"""Every registered figure, read by its legend, ticks and titles, shows the values of its tables.

What is read is what a person sees: a legend with exchanged names, a panel under another one's title, a hollow
mark for a filled one, a mirrored axis or an arrow that points the wrong way leads to other values.
"""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from drawing_reader import (
    assert_bars_join,
    by_tick,
    goes_up,
    is_filled,
    legend,
    like,
    look,
    rank_diagram,
    rows_of_dots,
    ticks,
)
from synthetic_selection import BASELINES, PAPER, selection_table
from synthetic_study import (
    DIRECTIONS,
    PAIRS,
    hierarchical_table,
    performance_table,
    ranking_tables,
    similarity_frames,
)
from test_convergence import table as convergence_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.plots import Material
from mlsieve.registry import entries, lookup
from mlsieve.tables.convergence import convergence_means

ARROWS = {"higher": "↑", "lower": "↓"}
COMPARED = {"extra-trees/genie3": 50, "bagging/permutation": 100, "random-forest/symbolic": 75, "relief": 1}


def made(performance, questions, **settings):
    answers = run_questions(performance, Analysis(questions=questions, **settings))
    tables = (performance, answers.tests, answers.average_ranks, answers.choices)
    return Material(*tables, directions=settings.get("directions"))


@pytest.fixture(scope="module")
def flat():
    performance = performance_table(
        10, ("coverage", "f1", "auroc"), (10, 50, 100), ("uniform", "relief"), effect=0.5
    )
    questions = ("saturation", "ensemble", "relevance", "relief", "score")
    material = made(performance, questions, directions=DIRECTIONS, choice="own")
    unused = material.choices[~material.choices["used"]]
    # Choices that are not used come last; no figure may show them.
    material = replace(material, choices=pd.concat([material.choices, unused.assign(value="10")]))
    rankings, timings = ranking_tables(performance)
    tables = {"rankings": rankings, "timings": timings}
    return replace(material, **tables, datasets=("set-2", "set-5"), measures=("coverage", "auroc"))


@pytest.fixture(scope="module")
def nested():
    performance = hierarchical_table(12)
    own = {
        "rounding": {"significant": 3},
        "paper_methods": tuple(f"{ensemble}/{score}" for ensemble, score in PAIRS),
        "paper_sizes": {"relief": 5},
        "settings": {
            "relief_test": "wilcoxon",
            "binary_features": tuple(f"set-{place}" for place in range(1, 10)),
        },
    }
    material = made(performance, ("saturation", "relevance", "relief", "candidates"), **own)
    similarity, curves = similarity_frames(performance, COMPARED)
    rankings, timings = ranking_tables(performance)
    more = {"similarity": similarity, "curves": curves, "rankings": rankings, "timings": timings}
    means = pd.DataFrame(convergence_means(convergence_table(3)))
    return replace(material, **more, convergence=means)


@pytest.fixture(scope="module")
def chosen():
    performance = selection_table(n_datasets=6, repeats=2)
    steps = selection_table(2, 2, methods=("scls", "ami"), points=tuple(range(1, 13)))
    performance = pd.concat(
        [performance, steps.replace({"dataset": {"set-1": "steps-1", "set-2": "steps-2"}})]
    )
    own = {"friedman": "f", "paper_methods": PAPER, "baselines": BASELINES}
    return made(performance, ("selection",), **own)


def drawn(material, id):
    found = lookup("figure", id).target(material)
    assert found, id
    return found


def named(frame):
    """Return a table with a column `label`: how figures call each row's method."""
    tree = frame["ensemble"] != ""
    pair = frame["ensemble"] + "/" + frame["score"]
    other = (frame["method"] + "/" + pair).where(frame["method"] != "pct", pair)
    return frame.assign(label=other.where(tree, frame["method"]))


def values(material, measure, **wanted):
    """Return a table's rows of a measure (written with or without its definition or arrow)."""
    frame = named(material.performance)
    frame = frame[frame["measure"] == measure]
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def measure_of(title, material):
    """Return the measure that a title with an arrow names; check the arrow."""
    measure, arrow = title.rsplit(" ", 1)
    assert arrow == ARROWS[material.direction(measure)]
    return measure


def panels(drawing):
    """Return the panels of a figure by their titles, which differ."""
    found = {axis.get_title(): axis for axis in drawing.figure.axes}
    assert len(found) == len(drawing.figure.axes) and "" not in found
    return found


def n_datasets(drawing):
    """Return the number of datasets that a caption names."""
    return int(re.search(r"(\d+) data ?sets", drawing.caption)[1])


def sizes_in_use(material):
    used = material.choices[(material.choices["kind"] == "size") & material.choices["used"]]
    return dict(zip(used["item"], used["value"].astype(int), strict=True))


def rows_of_tests(material, question):
    tests = material.tests[(material.tests["question"] == question) & (material.tests["variant"] == "all")]
    return tests[tests["median_difference"].notna()]


def ranks_of(material, question, **wanted):
    ranks = material.average_ranks
    ranks = ranks[(ranks["question"] == question) & (ranks["variant"] == "all") & ranks["rank"].notna()]
    for column, value in wanted.items():
        ranks = ranks[ranks[column] == value]
    return ranks


def gains(material, measure, label, reference, sizes):
    """Return how much better a method is than a reference on each dataset, at the sizes in use."""
    frame = values(material, measure)
    both = [
        frame[(frame["label"] == name) & (frame["size"] == sizes.get(name, 0))].set_index("dataset")["value"]
        for name in (label, reference)
    ]
    return (both[0] - both[1]).dropna() * (-1 if material.direction(measure) == "lower" else 1)


def check_dots(drawing, material, tests, sizes, without_dots=False):
    shown = panels(drawing)
    assert set(shown) == set(tests["measure"])
    verdicts = set()
    for measure, axis in shown.items():
        rows = rows_of_dots(axis)
        own = tests[tests["measure"] == measure]
        assert len(rows) == len(own)
        for test in own.itertuples():
            label, reference = test.methods.split(";")
            row = rows[label]
            at = sizes(label, reference)
            if not without_dots:
                expected = gains(material, measure, label, reference, at)
                np.testing.assert_allclose(row["dots"], np.sort(expected), atol=1e-9)
            assert row["median"] == test.median_difference
            assert row["interval"] == (test.interval_low, test.interval_high)
            assert row["filled"] == (str(test.rejected).lower() == "true")
            verdicts.add(row["filled"])
    handles = legend(drawing.figure)
    [significant] = [line for text, line in handles.items() if "interval, significant" in text]
    [other] = [line for text, line in handles.items() if "not significant" in text]
    [dot] = [line for text, line in handles.items() if text.startswith("one data")]
    assert is_filled(significant) and not is_filled(other) and dot.get_marker() == "o"
    assert look(significant)[1] == look(other)[1] == "D"
    assert n_datasets(drawing) == tests["n_datasets"].max()
    return verdicts


def read_baseline_dots(flat, nested, chosen):
    verdicts = set()
    for material in (flat, nested):
        [drawing] = drawn(material, "baseline-dots").values()
        tests = rows_of_tests(material, "relevance")
        tests = tests[(tests["test"] == "wilcoxon") & (tests["family"] == "extended")]
        used = sizes_in_use(material)
        verdicts |= check_dots(drawing, material, tests, lambda *names, used=used: used)
    assert verdicts == {True, False}


def read_relief_dots(flat, nested, chosen):
    verdicts = set()
    for material in (flat, nested):
        [drawing] = drawn(material, "relief-dots").values()
        tests = rows_of_tests(material, "relief")
        tests = tests[(tests["family"] == "extended")]
        used = sizes_in_use(material)
        verdicts |= check_dots(drawing, material, tests, lambda *names, used=used: used)
    assert verdicts == {True, False}


def read_candidates_dots(flat, nested, chosen):
    found = drawn(nested, "candidates-dots")
    tests, used = rows_of_tests(nested, "candidates"), sizes_in_use(nested)

    def larger(one, other):
        return dict.fromkeys((one, other), max(used[one], used[other]))

    for name, drawing in found.items():
        subset = ", binary features only" if name.endswith("binary") else ", all data"
        part = tests[tests["comparison"].str.contains(subset)]
        check_dots(drawing, nested, part, larger, without_dots=name.endswith("binary"))


def check_rank_diagram(axis, ranks, names, best_on_the_right=True):
    """Check a panel against the rows of average_ranks.csv that it shows."""
    shown = rank_diagram(axis)
    assert shown["best"] == best_on_the_right
    expected = dict(zip(names, ranks["rank"], strict=True))
    assert set(shown["ranks"]) == set(expected)
    for name, (read, printed) in shown["ranks"].items():
        assert read == pytest.approx(expected[name]) and printed == pytest.approx(expected[name], abs=0.00501)
    distance = float(ranks["critical_distance"].iloc[0])
    reference = str(ranks["reference_method"].iloc[0])
    assert shown["marked"] == ({reference} if reference else set())
    if np.isnan(distance):
        assert shown["distance"] is None and "critical distance" not in shown["headline"]
    else:
        assert shown["distance"] == pytest.approx(distance)
        assert shown["headline"] == f"critical distance {distance:.2f}"
    assert_bars_join(shown, distance, reference if not np.isnan(distance) else None)
    return distance


def read_critical_difference(flat, nested, chosen):
    seen = set()
    for material, side in ((flat, "left"), (chosen, "right"), (nested, "right")):
        ranks = material.average_ranks
        ranks = ranks[(ranks["variant"] == "all") & (ranks["question"] != "saturation")]
        ranks = ranks[ranks["rank"].notna() & ranks["test"].isin(["nemenyi", "bonferroni-dunn"])]
        drawings = lookup("figure", "critical-difference").target(replace(material, best=side))
        keys = ["question", "family", "comparison"]
        parts = list(ranks.groupby(keys, sort=False))
        assert len(drawings) == len(parts)
        for (name, drawing), (key, part) in zip(drawings.items(), parts, strict=True):
            assert drawing.question == key[0] and f"_{key[0]}_{key[1]}" in name
            assert n_datasets(drawing) == part["n_datasets"].max()
            assert key[0] == "conclusion" or ("all methods" in drawing.title) == (key[1] == "extended")
            titles = [rank_diagram(axis)["title"] for axis in drawing.figure.axes]
            assert titles == list(dict.fromkeys(part["measure"]))
            for axis, (_, own) in zip(drawing.figure.axes, part.groupby("measure", sort=False), strict=True):
                seen.add(np.isnan(check_rank_diagram(axis, own, own["method"], side == "right")))
    assert seen == {True, False}


def read_size_diagrams(flat, nested, chosen):
    for material in (flat, nested):
        drawings = drawn(material, "size-diagrams")
        measures = material.measures or tuple(dict.fromkeys(material.tests["measure"]))
        for measure, (name, drawing) in zip(measures, drawings.items(), strict=True):
            assert measure in name and measure in drawing.title
            ranks = ranks_of(material, "saturation", family="paper", test="nemenyi", measure=measure)
            shown = {rank_diagram(axis)["title"]: axis for axis in drawing.figure.axes}
            assert list(shown) == list(dict.fromkeys(ranks["comparison"]))
            for label, own in ranks.groupby("comparison"):
                unit = "%" if label == "relief" else "trees"
                check_rank_diagram(shown[label], own, [f"{size} {unit}" for size in own["method"]])


def read_saturation(flat, nested, chosen):
    hollow = 0
    for material in (flat, nested):
        found = drawn(material, "saturation")
        shown = panels(found["saturation_performance"])
        assert {n_datasets(drawing) for drawing in found.values()} == {material.tests["n_datasets"].max()}
        measures = [measure_of(title, material) for title in shown]
        assert set(measures) == set(material.performance["measure"])
        names = legend(found["saturation_performance"].figure)
        for measure, axis in zip(measures, shown.values(), strict=True):
            assert goes_up(axis, "x") and goes_up(axis, "y")
            means = values(material, measure).groupby(["label", "size"])["value"].mean()
            for label, handle in names.items():
                [line] = like(axis, handle)
                expected = means[label]
                if "/" in label:
                    assert by_tick(axis, line) == pytest.approx(
                        {str(at): expected[at] for at in expected.index}
                    )
                else:
                    assert list(line.get_ydata()) == pytest.approx([expected[0]] * 2)
        hollow += read_saturation_ranks(found["saturation_rank"], material)
    assert hollow


def read_saturation_ranks(drawing, material):
    """Check the average ranks of the sizes; return how many marks are hollow."""
    names = legend(drawing.figure)
    kinds = {text: names.pop(text) for text in list(names) if "significantly worse" in text}
    assert {text.startswith("not "): is_filled(handle) for text, handle in kinds.items()} == {
        True: True,
        False: False,
    }
    hollow = 0
    for measure, axis in panels(drawing).items():
        assert goes_up(axis, "x") and not goes_up(axis, "y"), "the best rank is on top"
        for label, handle in names.items():
            own = ranks_of(material, "saturation", family="paper", measure=measure, comparison=label)
            expected = dict(zip(own["method"], own["rank"], strict=True))
            worse = own["rank"] - own["rank"].min() >= own["critical_distance"] - 1e-12
            colour, marker, dashes = look(handle)
            [line] = [line for line in axis.lines if look(line) == (colour, "", dashes)]
            assert by_tick(axis, line) == expected
            marks = [line for line in axis.lines if look(line, ("colour", "marker")) == (colour, marker)]
            marks = [line for line in marks if line.get_linestyle() == "None"]
            for filled, sizes in ((True, own["method"][~worse]), (False, own["method"][worse])):
                own_marks = [by_tick(axis, line) for line in marks if is_filled(line) == filled]
                assert {at for points in own_marks for at in points} == set(sizes)
                assert all(expected[at] == rank for points in own_marks for at, rank in points.items())
            hollow += worse.sum()
    return hollow


def read_size_saturation(flat, nested, chosen):
    [(name, drawing)] = drawn(nested, "size-saturation").items()
    assert name == "size-saturation_relief"
    shown = panels(drawing)
    assert list(shown) == ["pooled-auprc: mean", "pooled-auprc: average rank"]
    mean, rank = shown.values()
    assert goes_up(mean, "y") and not goes_up(rank, "y") and goes_up(mean, "x") and goes_up(rank, "x")
    expected = values(nested, "pooled-auprc", label="relief").groupby("size")["value"].mean()
    assert by_tick(mean, mean.lines[0]) == pytest.approx({str(at): value for at, value in expected.items()})
    own = ranks_of(nested, "saturation", family="paper", comparison="relief")
    assert by_tick(rank, rank.lines[0]) == dict(zip(own["method"], own["rank"], strict=True))
    marks = {
        next(iter(by_tick(rank, line))): is_filled(line) for line in rank.lines if line.get_marker() == "o"
    }
    worse = own["rank"] - own["rank"].min() >= own["critical_distance"]
    assert marks == dict(zip(own["method"], ~worse, strict=True)) and set(marks.values()) == {True, False}
    for axis in (mean, rank):
        [level] = [line for line in axis.lines if line.get_linestyle() == ":"]
        assert ticks(axis, "x")[level.get_xdata()[0]] == str(sizes_in_use(nested)["relief"]) == "5"
        assert "%" in axis.get_xlabel()


def read_one_dataset_saturation(flat, nested, chosen):
    found = drawn(flat, "one-dataset-saturation")
    assert len(found) == 4
    for name, drawing in found.items():
        dataset = name.rsplit("_", 1)[1]
        assert drawing.title.startswith(f"{dataset}:") and f" on {dataset} " in drawing.caption
        names = legend(drawing.figure)
        for title, axis in panels(drawing).items():
            assert goes_up(axis, "x") and goes_up(axis, "y")
            column, rest = title.split(": ")
            own = values(flat, measure_of(rest, flat), dataset=dataset)
            lines = 0
            for line_name, handle in names.items():
                if line_name in ("uniform", "relief"):
                    [line] = like(axis, handle)
                    [level] = own.loc[own["label"] == line_name, "value"]
                    assert list(line.get_ydata()) == [level, level]
                    continue
                pair = (column, line_name) if "by-ensemble" in name else (line_name, column)
                curve = own[own["label"] == "/".join(pair)].set_index("size")["value"]
                drawn_lines = like(axis, handle)
                assert len(drawn_lines) == bool(len(curve))
                for line in drawn_lines:
                    assert by_tick(axis, line) == {str(size): value for size, value in curve.items()}
                    lines += 1
            assert lines >= 2


def read_one_dataset_scores(flat, nested, chosen):
    sizes = sizes_in_use(flat)
    for name, drawing in drawn(flat, "one-dataset-scores").items():
        dataset = name.rsplit("_", 1)[1]
        assert drawing.title.startswith(f"{dataset}:") and f" on {dataset}," in drawing.caption
        names = legend(drawing.figure)
        for title, axis in panels(drawing).items():
            assert goes_up(axis, "x") and goes_up(axis, "y")
            own = values(flat, measure_of(title, flat), dataset=dataset)
            found = {}
            for place, text in ticks(axis, "x").items():
                column = text.replace("\n", "")
                for label, handle in names.items():
                    for line in like(axis, handle, ("colour", "marker")):
                        if line.get_linestyle() == "None" and abs(line.get_xdata()[0] - place) < 0.5:
                            full = label if column == "no trees" else f"{column}/{label}"
                            found[full] = line.get_ydata()[0]
            used = own[own["size"] == own["label"].map(sizes).fillna(0)]
            assert found == dict(zip(used["label"], used["value"], strict=True))
            levels = {line.get_ydata()[0] for line in axis.lines if line.get_linestyle() == ":"}
            assert levels == {found["uniform"], found["relief"]}


def read_efficiency(flat, nested, chosen):
    sizes = sizes_in_use(nested)
    [drawing] = drawn(nested, "efficiency").values()
    shares, seconds = drawing.figure.axes
    names = ticks(shares, "y")
    rankings = named(nested.rankings)
    used = rankings[rankings["size"] == rankings["label"].map(sizes).fillna(0)]
    used = used.assign(share=100 * used["positive"] / used["features"])
    assert set(names.values()) == set(used["label"])
    timings = named(nested.timings).assign(work_once=nested.timings["work_once"].astype(float))
    rank_work = timings[timings["step"] == "rank"].groupby("label")["work_once"].mean()
    assert goes_up(shares, "x") and not goes_up(shares, "y") and not goes_up(seconds, "y")
    assert all(float(text) == place for place, text in ticks(seconds, "x").items())
    means = []
    for place, label in names.items():
        own = [line for line in shares.lines if abs(line.get_ydata()[0] - place) < 0.5]
        dots, mean = ([line for line in own if line.get_marker() == mark] for mark in "oD")
        expected = used.loc[used["label"] == label, "share"]
        assert np.sort(dots[0].get_xdata()).tolist() == pytest.approx(np.sort(expected).tolist())
        assert mean[0].get_xdata()[0] == pytest.approx(expected.mean())
        means.append(expected.mean())
        [cost] = [line.get_xdata()[0] for line in seconds.lines if abs(line.get_ydata()[0] - place) < 0.5]
        if "/" not in label:
            assert cost == pytest.approx(rank_work[label])
    assert means == sorted(means), "fewest on top"
    handles = legend(drawing.figure)
    assert [handle.get_marker() for handle in handles.values()] == ["o", "D"]
    first, second = handles
    assert first.startswith("one data") and second == "mean"


def read_efficiency_quality(flat, nested, chosen):
    sizes = sizes_in_use(flat)
    [drawing] = drawn(flat, "efficiency-quality").values()
    assert n_datasets(drawing) == 10
    rankings = named(flat.rankings)
    names = legend(drawing.figure)
    for title, axis in panels(drawing).items():
        measure, reference = title.split(": gain over ")
        assert reference == "uniform" and goes_up(axis, "x") and goes_up(axis, "y")
        for label, handle in names.items():
            small, large = sorted(
                like(axis, handle, ("colour", "marker")), key=lambda line: line.get_markersize()
            )
            gain = gains(flat, measure, label, "uniform", sizes)
            own = rankings[(rankings["label"] == label) & (rankings["size"] == sizes.get(label, 0))]
            share = (100 * own["positive"] / own["features"]).set_axis(own["dataset"])
            seen = sorted(zip(small.get_xdata(), small.get_ydata(), strict=True))
            expected = sorted(zip(share[gain.index], gain, strict=True))
            np.testing.assert_allclose(seen, expected, atol=1e-9)
            np.testing.assert_allclose(large.get_xydata(), [np.mean(expected, axis=0)], atol=1e-9)


def read_radar(flat, nested, chosen):
    for name, drawing in drawn(flat, "radar").items():
        _, question, family = name.split("_")
        names = legend(drawing.figure)
        assert n_datasets(drawing) == 10
        for axis in drawing.figure.axes:
            rings, spokes = {}, {}
            for text in axis.texts:
                place = np.array(text.get_position())
                if text.get_text().isdigit():
                    rings[int(text.get_text())] = np.hypot(*place)
                else:
                    spokes[text.get_text().removesuffix(" *")] = place / np.hypot(*place)
            best, worst = min(rings), max(rings)
            chord = np.cos(np.pi / len(spokes))
            wide = ranks_of(flat, question, family=family).pivot_table(
                index="measure", columns="method", values="rank"
            )
            assert set(names) == set(wide.columns) and set(spokes) == set(wide.index)
            for method, handle in names.items():
                [line] = [
                    line for line in like(axis, handle, ("colour", "marker")) if len(line.get_xdata()) > 2
                ]
                points = line.get_xydata()[:-1]
                for measure, direction in spokes.items():
                    lengths = points @ direction
                    [corner] = [
                        p for p, r in zip(points, lengths, strict=True) if np.allclose(p, r * direction)
                    ]
                    radius = np.hypot(*corner) * chord
                    share = (radius - rings[best]) / (rings[worst] - rings[best])
                    assert best + share * (worst - best) == pytest.approx(wide.loc[measure, method])
            rejected = ranks_of(flat, question, family=family).groupby("measure")["critical_distance"].first()
            starred = {t.get_text().removesuffix(" *") for t in axis.texts if t.get_text().endswith("*")}
            assert starred == set(rejected.index[rejected.notna()])


def read_similarity_tetrahedron(flat, nested, chosen):
    [drawing] = drawn(nested, "similarity-tetrahedron").values()
    space, plane, below = drawing.figure.axes
    assert n_datasets(drawing) == 12
    listed = dict(text.get_text().split("  ", 1) for text in below.texts if "  " in text.get_text())
    names = {letter: text for letter, text in listed.items() if len(letter) == 1}
    assert list(names) == list("ABCD")
    full = {}
    for letter, text in names.items():
        score, rest = text.rstrip(")").split(" (")
        [name] = [name for name in COMPARED if name.split("/")[-1] == score]
        words = rest.split(", ")
        assert words[:-1] == name.split("/")[:-1] and words[-1].split()[0] == str(COMPARED[name])
        full[letter] = name
    table = nested.similarity
    distances = {}
    for one, two in itertools.combinations("ABCD", 2):
        pair = {full[one], full[two]}
        own = (
            table[table["first"].isin(pair) & table["second"].isin(pair)]
            .groupby("dataset")["similarity"]
            .mean()
        )
        distances[one + two] = 1 - own
        expected = f"d = {(1 - own).mean():.3f} ({(1 - own).min():.3f} to {(1 - own).max():.3f})"
        assert listed[one + two].startswith(expected)
    [bar] = [line for line in below.lines if line.get_gid() == "scale"]
    unit = np.ptp(bar.get_xdata()) / float(below.texts[0].get_text().split("=")[1])
    for axis in (space, plane):
        corners = [line.get_xydata()[0] for line in axis.lines if line.get_gid() == "corner"]
        letters = {
            tuple(min(corners, key=lambda c, t=text: np.hypot(*(c - t.get_position())))): text.get_text()
            for text in axis.texts
            if text.get_gid() == "letter"
        }
        assert len(letters) == len(corners)
        widths = {}
        edges = [line for line in axis.lines if line.get_gid() == "edge"]
        for line in edges:
            ends = line.get_xydata()
            pair = "".join(sorted(letters[tuple(end)] for end in ends))
            widths[pair] = line.get_linewidth()
            if axis is plane:
                assert np.hypot(*(ends[1] - ends[0])) / unit == pytest.approx(distances[pair].mean())
        by_width = sorted(widths, key=lambda pair: -widths[pair])
        assert by_width == sorted(distances, key=lambda pair: distances[pair].mean())
        for text in axis.texts:
            if text.get_gid() == "length":
                pair, number = text.get_text().split()
                assert float(number) == pytest.approx(distances[pair].mean(), abs=0.00501)


def read_similarity_curves(flat, nested, chosen):
    [drawing] = drawn(nested, "similarity-curves").values()
    left, right = drawing.figure.axes
    assert measure_of(right.get_title(), nested) == "pooled-auprc" and "similarity" in left.get_title()
    assert all(goes_up(axis, way) for axis in (left, right) for way in "xy")
    own = nested.curves[nested.curves["dataset"] == "set-1"]
    short = {name.split("/")[-1]: name for name in COMPARED}
    performance = values(nested, "pooled-auprc", dataset="set-1")
    pairs = 0
    for label, handle in legend(drawing.figure).items():
        if " and " in label:
            first, second = (short[name] for name in label.split(" and "))
            curve = own[(own["first"] == first) & (own["second"] == second)]
            [line] = like(left, handle)
            assert line.get_xydata().tolist() == curve[["features", "similarity"]].to_numpy().tolist()
            pairs += 1
            continue
        curve = performance[performance["label"] == label].set_index("size")["value"]
        [line] = like(right, handle)
        if "/" in label:
            assert by_tick(right, line) == {str(size): value for size, value in curve.items()}
        else:
            assert list(line.get_ydata()) == [curve[5 if label == "relief" else 0]] * 2
    assert pairs == 6


def read_convergence(flat, nested, chosen):
    columns = {
        "tau-b with the largest ensemble": "tau",
        "FUJI with the largest ensemble": "similarity",
        "tau-b between seeds": "tau_seeds",
        "FUJI between seeds": "similarity_seeds",
    }
    [drawing] = drawn(nested, "convergence").values()
    assert n_datasets(drawing) == 3
    shown = panels(drawing)
    assert set(shown) == set(columns)
    for title, axis in shown.items():
        assert goes_up(axis, "x") and goes_up(axis, "y")
        for label, handle in legend(drawing.figure).items():
            own = nested.convergence[nested.convergence["label"] == label]
            [line] = like(axis, handle)
            assert by_tick(axis, line) == dict(zip(own["size"].astype(str), own[columns[title]], strict=True))


def check_curve(axis, handle, points):
    """Check a line and its band against values by number of features and split."""
    means = points.groupby("features")["value"].agg(["mean", "sem"])
    [line] = like(axis, handle)
    np.testing.assert_allclose(line.get_xydata(), means["mean"].reset_index().to_numpy())
    colour = look(handle)[0]
    bands = [band for band in axis.collections if look_of_band(band) == colour]
    [corners] = [band.get_paths()[0].vertices for band in bands]
    for features, row in means.iterrows():
        heights = corners[corners[:, 0] == features, 1]
        assert (heights.min(), heights.max()) == pytest.approx(
            (row["mean"] - row["sem"], row["mean"] + row["sem"])
        )


def look_of_band(band):
    from matplotlib.colors import to_hex

    return to_hex(band.get_facecolor()[0])


def read_selection_curves(flat, nested, chosen):
    found = drawn(chosen, "selection-curves")
    directions = {"lower": "Lower is better", "higher": "Higher is better"}
    for name, drawing in found.items():
        measure = name.removeprefix("selection-curves_")
        assert drawing.title.startswith(f"{measure} ")
        assert directions[chosen.direction(measure)] in drawing.caption
        assert "over 2 splits" in drawing.caption
        for dataset, axis in panels(drawing).items():
            assert goes_up(axis, "x") and goes_up(axis, "y")
            own = values(chosen, measure, dataset=dataset)
            for label, handle in legend(drawing.figure).items():
                points = own[own["label"] == label]
                if points["features"].nunique() > 1:
                    check_curve(axis, handle, points)
                for line in like(axis, handle) if points["features"].nunique() == 1 else ():
                    assert list(line.get_ydata()) == pytest.approx([points["value"].mean()] * 2)
            n_levels = sum(str(line.get_gid()).startswith("level-") for line in axis.lines)
            assert n_levels >= (0 if dataset.startswith("steps") else 1)


def read_selection_steps(flat, nested, chosen):
    found = drawn(chosen, "selection-steps")
    assert list(found) == ["selection-steps_steps-1", "selection-steps_steps-2"]
    for name, drawing in found.items():
        dataset = name.removeprefix("selection-steps_")
        assert drawing.title.startswith(f"{dataset}:") and "from 1 to 12" in drawing.caption
        for title, axis in panels(drawing).items():
            assert goes_up(axis, "x") and goes_up(axis, "y")
            own = values(chosen, measure_of(title, chosen), dataset=dataset)
            for label, handle in legend(drawing.figure).items():
                check_curve(axis, handle, own[own["label"] == label])


READERS = {
    name.removeprefix("read_").replace("_", "-"): reader
    for name, reader in list(globals().items())
    if name.startswith("read_") and name != "read_saturation_ranks"
}


@pytest.mark.parametrize("id", sorted(entries("figure")))
def test_a_reader_sees_the_values_of_the_tables(id, flat, nested, chosen):
    READERS[id](flat, nested, chosen)
