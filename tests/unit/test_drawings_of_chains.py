"""Figures of chains, read by legend, ticks, titles and colours, show the values of their tables."""

import functools
import itertools
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from drawing_reader import goes_up, is_filled, legend, like, ticks
from drawn_tables import drawn, made, measure_of, panels, readers
from figure_checks import assert_nothing_overlaps
from matplotlib.colors import to_hex
from synthetic_chains import CUT, chain_performance, cut_tables, written

from mlsieve.registry import entries, lookup

FIGURES = ("static-order", "chain-length", "chain-cost", "chain-sequence", "label-tests")


@functools.cache
def chain_material(n_datasets=4):
    """Return the material of a study of chains."""
    material = made(chain_performance(n_datasets), ("static-order",))
    with tempfile.TemporaryDirectory() as folder:
        tables = written(Path(folder), n_datasets)
        return replace(material, described=tables.pop("datasets"), **tables)


def at(material, **wanted):
    """Return rows of chain_curves.csv."""
    frame = material.chain_curves
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame


def read_static_order():
    chosen = chain_material()
    [(name, drawing)] = drawn(chosen, "static-order").items()
    dynamic = ["rdt-dynamic", "rdt-dynamic-threshold", "rdt-likeliest"]
    methods = [*dynamic, "rdt-static", "rdt-static-threshold"]
    handles = legend(drawing.figure)
    assert name == "static-order" and list(handles) == [*methods, "one static order"]
    assert [method for method in methods if is_filled(handles[method])] == dynamic
    for title, axis in panels(drawing).items():
        assert goes_up(axis, "x")
        measure = measure_of(title, chosen)
        own = chosen.performance[chosen.performance["measure"] == measure]
        values = own.pivot_table(index="dataset", columns="method", values="value")
        lanes = {}
        for place, dataset in ticks(axis, "y").items():
            for method in methods:
                marks = like(axis, handles[method])
                [line] = [one for one in marks if round(float(one.get_ydata()[0])) == place]
                assert line.get_xdata() == pytest.approx([values.loc[dataset, method]])
                lanes[dataset, method] = float(line.get_ydata()[0])
                draws = at(chosen, dataset=dataset, method=method, parameter="draw", measure=measure)["value"]
                dots = [one for one in axis.lines if one.get_gid() == f"draws-{method}, {dataset}"]
                assert len(dots) == (method not in dynamic)
                for one in dots:
                    assert sorted(one.get_xdata()) == pytest.approx(sorted(draws))
                    assert set(one.get_ydata()) == {lanes[dataset, method]}, "on the lane of the method"
        assert len(set(lanes.values())) == len(lanes) and sorted(lanes.values()) == list(lanes.values())


def spans(axis, gid):
    """Return the heights that a horizontal band of a panel reaches."""
    [patch] = [patch for patch in axis.patches if patch.get_gid() == gid]
    box = patch.get_extents().transformed(axis.transData.inverted())
    return box.y0, box.y1


GROUPS = {
    "true labels": ("cc-true-frequent", "cc-true-rare", "cc-true-xdcc", "cc-true-orders"),
    "probabilities": (
        *("cc-probabilities-frequent", "cc-probabilities-rare", "cc-probabilities-xdcc"),
        "cc-probabilities-orders",
    ),
    "probabilities, as in the program": ("cc-program-orders",),
}
DYNAMIC = (
    *("xdcc-program-standard-fixed", "xdcc-program-cumulated-fixed", "xdcc-paper-cumulated-fixed"),
    "xdcc-fixed",
)


def read_chain_length():
    found = drawn(chain_material(), "chain-length")
    names = ["chain-length_set-1", "chain-length_set-1_2", "chain-length_set-1_3"]
    assert list(found) == names, "a figure for each group on the dataset with several orders"
    for drawing, (group, methods) in zip(found.values(), GROUPS.items(), strict=True):
        assert drawing.title.endswith(f"; static chains: {group}")
        group_is_read(drawing, methods)


def group_is_read(drawing, methods):
    """Read the figure of a group of static chains, of which the last has random orders."""
    chosen, (*levels, banded) = chain_material(), methods
    assert f"shows {banded} with 100 random orders" in drawing.caption
    names = {
        "training, CPU seconds": "training-seconds",
        "prediction, CPU seconds": "prediction-seconds",
    }
    own = {text.get_text(): handle for text, handle in _texts(drawing.figure)}
    shades = ["all orders", "the middle three fifths", "the middle fifth"]
    mean = f"{banded}, mean of 100 orders"
    assert own.keys() == {*DYNAMIC, *levels, mean, *shades, "label cardinality, 4.24"}
    assert len(panels(drawing)) == 5
    for title, axis in panels(drawing).items():
        assert goes_up(axis, "x") and goes_up(axis, "y")
        measure = names.get(title) or measure_of(title, chosen)
        for method in DYNAMIC:
            curve = at(chosen, dataset="set-1", method=method, parameter="chain_length", measure=measure)
            [line] = like(axis, own[method])
            np.testing.assert_allclose(line.get_xydata(), curve[["point", "value"]].to_numpy())
        column = measure.replace("-seconds", "_seconds")
        for method in levels:
            runs = chosen.chain_runs.set_index(["dataset", "method"])
            [line] = like(axis, own[method])
            assert list(line.get_ydata()) == pytest.approx([runs.loc[("set-1", method), column]] * 2)
        orders = at(chosen, method=banded, parameter="draw", measure=measure)["value"]
        for low, high in ((0.0, 1.0), (0.2, 0.8), (0.4, 0.6)):
            ends = spans(axis, f"band-{banded}-{low:g}")
            assert ends == pytest.approx((orders.quantile(low), orders.quantile(high)))
        [line] = [line for line in axis.lines if line.get_gid() == "cardinality"]
        assert list(line.get_xdata()) == [4.24, 4.24]
    faces = [to_hex(own[name].get_facecolor()) for name in shades]
    axis = drawing.figure.axes[0]
    bands = [patch for patch in axis.patches if str(patch.get_gid()).startswith("band-")]
    assert [to_hex(patch.get_facecolor()) for patch in bands] == faces == sorted(faces, reverse=True)


def _texts(figure):
    [own] = figure.legends
    return zip(own.get_texts(), own.legend_handles, strict=True)


def read_chain_cost():
    chosen = chain_material()
    [drawing] = drawn(chosen, "chain-cost").values()
    handles = legend(drawing.figure)
    pairs = [(axis.get_title(), axis.get_xlabel().split(" / ")[1]) for axis in drawing.figure.axes]
    assert pairs == [
        (f"{name}{suffix}", f"cc-{other}{suffix}")
        for suffix in ("", "-fixed")
        for name in ("xdcc-program-cumulated", "xdcc")
        for other in ("true", "probabilities")
    ]
    for axis, (method, other) in zip(drawing.figure.axes, pairs, strict=True):
        assert goes_up(axis, "x") and goes_up(axis, "y")
        assert axis.get_xscale() == axis.get_yscale() == "log"
        assert axis.get_xlabel() == f"training time / {other}" and axis.get_ylabel() == f"F1 / {other}"
        for dataset, handle in handles.items():
            static = chosen.chain_runs.set_index(["dataset", "method"]).loc[(dataset, other)]
            curve = at(chosen, dataset=dataset, method=method, parameter="chain_length")
            values = curve.pivot_table(index="point", columns="measure", values="value")
            cost, quality = (
                values["training-seconds"] / static["training_seconds"],
                values["f1"] / static["f1"],
            )
            drawn_lines = [
                line for line in axis.lines if to_hex(line.get_color()) == to_hex(handle.get_color())
            ]
            by_id = {line.get_gid().split("-")[0]: line for line in drawn_lines if line.get_gid()}
            np.testing.assert_allclose(by_id["line"].get_xydata(), np.column_stack([cost, quality]))
            assert by_id["first"].get_xydata().tolist() == [pytest.approx([cost.iloc[0], quality.iloc[0]])]
            assert by_id["full"].get_xydata().tolist() == [pytest.approx([cost.iloc[-1], quality.iloc[-1]])]
            assert is_filled(by_id["full"]) and not is_filled(by_id["first"])
            assert by_id["full"].get_marker() == by_id["first"].get_marker() == handle.get_marker()
            steps = int(np.ceil(chosen.described.set_index("dataset").loc[dataset, "cardinality"]))
            assert by_id["marked"].get_xdata() == pytest.approx([cost.loc[steps]])


def read_chain_sequence():
    chosen = chain_material()
    found = drawn(chosen, "chain-sequence")
    assert list(found) == ["chain-steps_set-1", "chain-steps_set-2", "chain-progress"]
    for name in list(found)[:2]:
        dataset = name.removeprefix("chain-steps_")
        own = chosen.chain_steps[chosen.chain_steps["dataset"] == dataset]
        maps = {axis.get_title(): axis for axis in found[name].figure.axes if axis.get_title()}
        assert list(maps) == ["accuracy of the step", "positive labels so far"]
        for (title, axis), column in zip(maps.items(), ("accuracy", "positives"), strict=True):
            image = np.asarray(axis.images[0].get_array())
            # Columns: 11 values of sigma for each of three methods, with one empty column between them.
            names = {text.get_text(): text.get_position()[0] for text in axis.texts}
            assert {place: text for place, text in ticks(axis, "y").items() if place == 0} == {0: "1"}
            assert not goes_up(axis, "y") or axis.get_ylim()[0] > axis.get_ylim()[1], (
                "the first step is on top"
            )
            for words, method in (("10 %", "rdt-10"), ("20 %", "rdt-20"), ("30 %", "rdt-dynamic")):
                start = int(names[words] - 5)
                wide = own[own["method"] == method].pivot_table(index="step", columns="point", values=column)
                np.testing.assert_allclose(image[:, start : start + 11].astype(float), wide.to_numpy())
                assert ticks(axis, "x")[start] == "0" and ticks(axis, "x")[start + 10] == "1"
            assert np.ma.getmaskarray(np.ma.masked_invalid(image.astype(float)))[:, 11].all(), title
    progress = found["chain-progress"]
    bars = {axis.get_title(): axis for axis in progress.figure.axes if axis.get_title()}
    assert list(bars) == ["set-1", "set-2", "set-3", "set-4"]
    for dataset, axis in bars.items():
        own = chosen.chain_steps[
            (chosen.chain_steps["dataset"] == dataset)
            & (chosen.chain_steps["method"] == "xdcc-program-cumulated")
        ]
        assert list(ticks(axis, "x").values()) == ["+", "−"]
        values = own.sort_values("step")[["positive_share", "negative_share"]].to_numpy()
        np.testing.assert_allclose(np.asarray(axis.images[0].get_array(), dtype=float), values)
        assert axis.images[0].get_clim() == (0, 1)


def read_label_tests():
    chosen = chain_material()
    found = drawn(chosen, "label-tests")
    assert list(found) == ["label-tests_hamming-accuracy", "label-tests_subset-accuracy", "label-tests_f1"]
    for name, drawing in found.items():
        measure = name.removeprefix("label-tests_")
        assert drawing.title.startswith(f"{measure} ↑")
        handles = legend(drawing.figure)
        for dataset, axis in panels(drawing).items():
            assert goes_up(axis, "x") and goes_up(axis, "y")
            for text, handle in handles.items():
                method = text.split("(")[1].rstrip(")")
                curve = at(chosen, dataset=dataset, method=method, parameter="sigma", measure=measure)
                [line] = like(axis, handle)
                np.testing.assert_allclose(line.get_xydata(), curve[["point", "value"]].to_numpy())


READERS = readers(globals())


@pytest.mark.parametrize("id", sorted(READERS))
def test_a_reader_sees_the_values_of_the_tables(id):
    READERS[id]()


@pytest.mark.parametrize("n_datasets", [1, 4, 11])
@pytest.mark.parametrize("id", FIGURES)
def test_no_text_meets_another(id, n_datasets):
    for drawing in drawn(chain_material(n_datasets), id).values():
        assert_nothing_overlaps(drawing.figure)
        assert drawing.figure.get_figwidth() <= 9.7, "as wide as the page, so that its texts keep their size"


@pytest.mark.parametrize("id", FIGURES)
def test_figures_of_other_studies_are_none(id):
    material = replace(chain_material(), chain_runs=None, chain_curves=None, chain_steps=None)
    material = replace(
        material, performance=material.performance[material.performance["method"] == "br-tree"]
    )
    assert lookup("figure", id).target(material) == {}


@pytest.mark.parametrize("id", FIGURES)
def test_empty_tables_give_no_figure(id):
    chosen = chain_material()
    empty = {name: getattr(chosen, name)[:0] for name in ("chain_runs", "chain_curves", "chain_steps")}
    material = replace(chosen, performance=chosen.performance[:0], **empty)
    assert lookup("figure", id).target(material) == {}


@pytest.mark.parametrize(("factor", "fewest"), [(1.0, 3), (0.01, 3), (40.0, 3)])
def test_both_axes_of_costs_have_ticks_on_both_sides_of_one(factor, fewest):
    """Also where all values are near 1, and where they span several powers of ten."""
    chosen = chain_material()
    curves, at_once = chosen.chain_curves.copy(), chosen.chain_curves["dataset"] == "set-1"
    scaled = at_once & curves["measure"].isin(["training-seconds", "f1"])
    curves.loc[scaled, "value"] *= factor
    [drawing] = drawn(replace(chosen, chain_curves=curves), "chain-cost").values()
    assert_nothing_overlaps(drawing.figure)
    for axis in drawing.figure.axes:
        for which, limits in (("x", axis.get_xlim()), ("y", axis.get_ylim())):
            own = ticks(axis, which)
            assert len(own) >= fewest and all(float(text) == place for place, text in own.items())
            assert all(limits[0] <= place <= limits[1] for place in own)


def test_a_chain_without_negative_labels_has_a_white_half():
    chosen = chain_material()
    steps = chosen.chain_steps.copy()
    steps.loc[steps["dataset"] == "set-2", "negative_share"] = np.nan
    progress = drawn(replace(chosen, chain_steps=steps), "chain-sequence")["chain-progress"]
    assert "white where the chain sets no such label" in progress.caption
    assert "white" not in drawn(chosen, "chain-sequence")["chain-progress"].caption


@pytest.mark.parametrize(("id", "name"), [("chain-cost", "chain-cost"), ("chain-sequence", "chain-progress")])
def test_captions_say_where_chains_end_early(id, name):
    made = drawn(replace(chain_material(), **cut_tables()), id)[name]
    assert f"The chains {CUT}" in made.caption
    assert "The chains end" not in drawn(chain_material(), id)[name].caption


def test_the_caption_of_one_dataset_is_about_its_own_chains():
    whole = replace(chain_material(), **cut_tables(), datasets=("set-3",))
    assert f"The chains {CUT}" in drawn(whole, "chain-length")["chain-length_set-3"].caption
    other = drawn(replace(whole, datasets=()), "chain-length")["chain-length_set-1"]
    assert "The chains end" not in other.caption


def test_a_dataset_has_figures_of_the_groups_that_it_has():
    chosen = chain_material()
    runs, curves = chosen.chain_runs, chosen.chain_curves
    gone = ["cc-probabilities-orders", "cc-program-orders"]
    material = replace(
        chosen, chain_runs=runs[~runs["method"].isin(gone)], chain_curves=curves[~curves["method"].isin(gone)]
    )
    titles = {name: one.title for name, one in drawn(material, "chain-length").items()}
    assert {name: title.rpartition(": ")[2] for name, title in titles.items()} == {
        "chain-length_set-1": "true labels",
        "chain-length_set-1_2": "probabilities",
    }
    static = tuple(itertools.chain(*GROUPS.values()))
    bare = replace(material, chain_runs=runs[~runs["method"].isin(static)], datasets=("set-2",))
    [(name, drawing)] = drawn(bare, "chain-length").items()
    assert name == "chain-length_set-2" and "static chains" not in drawing.title


@pytest.mark.parametrize(
    ("low", "high", "limits"),
    [
        (0.0, 0.0, (0.0, 0.02)),
        (0.001, 0.3, (0.0, None)),
        (1.0, 1.0, (0.92, 1.0)),
        (0.7, 0.999, (None, 1.0)),
        (0.4, 0.401, (0.3905, 0.4105)),
    ],
)
def test_label_tests_have_a_scale_within_0_and_1(low, high, limits):
    chosen = chain_material()
    curves = chosen.chain_curves.copy()
    own = (curves["dataset"] == "set-1") & (curves["parameter"] == "sigma")
    points = curves.loc[own, "point"].astype(float)
    curves.loc[own, "value"] = low + (high - low) * points
    found = drawn(replace(chosen, chain_curves=curves), "label-tests")
    for drawing in found.values():
        assert_nothing_overlaps(drawing.figure)
        axis = panels(drawing)["set-1"]
        ends = axis.get_ylim()
        assert ends[0] >= 0 and ends[1] <= 1 and ends[1] - ends[0] >= 0.02 - 1e-12
        for end, limit in zip(ends, limits, strict=True):
            assert limit is None or end == pytest.approx(limit, abs=1e-3)
        assert all(not line.get_clip_on() for line in axis.lines), "markers on the edge are whole"
        width = drawing.figure.bbox.width
        for text in axis.get_yticklabels():
            box = text.get_window_extent()
            assert 0.05 * drawing.figure.dpi < box.x0 and box.x1 < width, "not at the edge"


def test_every_figure_of_chains_is_here():
    own = {id for id, entry in entries("figure").items() if ".chains." in entry.target.__module__}
    assert own == set(FIGURES)
