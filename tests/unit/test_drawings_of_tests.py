"""Figures of tests between methods, read by legend, ticks and titles, show the values of their tables."""

from dataclasses import replace

import numpy as np
import pytest
from drawing_reader import (
    assert_bars_join,
    is_filled,
    legend,
    like,
    look,
    rank_diagram,
    rows_of_dots,
)
from drawn_tables import (
    chosen_material,
    drawn,
    flat_material,
    gains,
    n_datasets,
    nested_material,
    panels,
    ranks_of,
    readers,
    rows_of_tests,
    sizes_in_use,
)

from mlsieve.registry import lookup


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
            assert row["median"] == test.difference
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


def read_baseline_dots():
    flat, nested = flat_material(), nested_material()
    verdicts = set()
    for material in (flat, nested):
        [drawing] = drawn(material, "baseline-dots").values()
        tests = rows_of_tests(material, "relevance")
        tests = tests[(tests["test"] == "wilcoxon") & (tests["family"] == "extended")]
        used = sizes_in_use(material)
        verdicts |= check_dots(drawing, material, tests, lambda *names, used=used: used)
    assert verdicts == {True, False}


def read_relief_dots():
    flat, nested = flat_material(), nested_material()
    verdicts = set()
    for material in (flat, nested):
        [drawing] = drawn(material, "relief-dots").values()
        tests = rows_of_tests(material, "relief")
        tests = tests[(tests["family"] == "extended")]
        used = sizes_in_use(material)
        verdicts |= check_dots(drawing, material, tests, lambda *names, used=used: used)
    assert verdicts == {True, False}


def read_candidates_dots():
    nested = nested_material()
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


def read_critical_difference():
    flat, nested, chosen = flat_material(), nested_material(), chosen_material()
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
            significant = part[part["critical_distance"].notna()]
            others = dict.fromkeys(part.loc[part["critical_distance"].isna(), "measure"])
            assert ("Friedman's test is not significant" in drawing.caption) == bool(others)
            assert all(measure in drawing.caption for measure in others)
            seen |= {True} if others else set()
            if significant.empty:
                assert drawing.figure is None
                continue
            part = significant
            assert n_datasets(drawing) == part["n_datasets"].max()
            assert key[0] == "conclusion" or ("all methods" in drawing.title) == (key[1] == "extended")
            titles = [rank_diagram(axis)["title"] for axis in drawing.figure.axes]
            assert titles == list(dict.fromkeys(part["measure"]))
            for axis, (_, own) in zip(drawing.figure.axes, part.groupby("measure", sort=False), strict=True):
                seen.add(np.isnan(check_rank_diagram(axis, own, own["method"], side == "right")))
    assert seen == {True, False}


def read_size_diagrams():
    flat, nested = flat_material(), nested_material()
    for material in (flat, nested):
        drawings = drawn(material, "size-diagrams")
        measures = material.measures or tuple(dict.fromkeys(material.tests["measure"]))
        for measure, (name, drawing) in zip(measures, drawings.items(), strict=True):
            assert measure in name and measure in drawing.title
            ranks = ranks_of(material, "saturation", family="paper", test="nemenyi", measure=measure)
            shown = {rank_diagram(axis)["title"]: axis for axis in drawing.figure.axes}
            significant = ranks[ranks["critical_distance"].notna()]
            assert list(shown) == list(dict.fromkeys(significant["comparison"]))
            assert all(label in drawing.caption for label in set(ranks["comparison"]) - set(shown))
            for label, own in significant.groupby("comparison"):
                unit = "%" if label == "relief" else "trees"
                check_rank_diagram(shown[label], own, [f"{size} {unit}" for size in own["method"]])


def read_radar():
    flat = flat_material()
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


READERS = readers(globals())


@pytest.mark.parametrize("id", sorted(READERS))
def test_a_reader_sees_the_values_of_the_tables(id):
    READERS[id]()
