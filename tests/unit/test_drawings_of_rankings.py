"""Figures of rankings' costs and similarity, read by legend, ticks and titles, show their tables."""

import itertools

import numpy as np
import pytest
from drawing_reader import (
    by_tick,
    goes_up,
    legend,
    like,
    ticks,
)
from drawn_tables import (
    COMPARED,
    drawn,
    flat_material,
    gains,
    measure_of,
    n_datasets,
    named,
    nested_material,
    panels,
    readers,
    sizes_in_use,
    values,
)


def read_efficiency():
    nested = nested_material()
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


def read_efficiency_quality():
    flat = flat_material()
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


def read_similarity_tetrahedron():
    nested = nested_material()
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


def read_similarity_curves():
    nested = nested_material()
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


READERS = readers(globals())


@pytest.mark.parametrize("id", sorted(READERS))
def test_a_reader_sees_the_values_of_the_tables(id):
    READERS[id]()
