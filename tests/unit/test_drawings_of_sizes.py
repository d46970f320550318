"""Figures of the sizes of ensembles and selections, read by legend, ticks and titles, show their tables."""

import pytest
from drawing_reader import (
    by_tick,
    goes_up,
    is_filled,
    legend,
    like,
    look,
    ticks,
)
from drawn_tables import (
    drawn,
    flat_material,
    measure_of,
    n_datasets,
    nested_material,
    panels,
    ranks_of,
    readers,
    sizes_in_use,
    values,
)


def read_saturation():
    flat, nested = flat_material(), nested_material()
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
        hollow += check_saturation_ranks(found["saturation_rank"], material)
    assert hollow


def check_saturation_ranks(drawing, material):
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


def read_size_saturation():
    nested = nested_material()
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


def read_one_dataset_saturation():
    flat = flat_material()
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
                # The colour shows the score, marker and line show the ensemble.
                parts = ("colour",) if "by-ensemble" in name else ("marker", "dashes")
                drawn_lines = like(axis, handle, parts)
                assert len(drawn_lines) == bool(len(curve))
                for line in drawn_lines:
                    assert by_tick(axis, line) == {str(size): value for size, value in curve.items()}
                    lines += 1
            assert lines >= 2


def read_one_dataset_scores():
    flat = flat_material()
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
                    parts = ("colour", "marker") if column == "no trees" else ("colour",)
                    for line in like(axis, handle, parts):
                        if line.get_linestyle() == "None" and abs(line.get_xdata()[0] - place) < 0.5:
                            full = label if column == "no trees" else f"{column}/{label}"
                            found[full] = line.get_ydata()[0]
            used = own[own["size"] == own["label"].map(sizes).fillna(0)]
            assert found == dict(zip(used["label"], used["value"], strict=True))
            levels = {line.get_ydata()[0] for line in axis.lines if line.get_linestyle() == ":"}
            assert levels == {found["uniform"], found["relief"]}


def read_convergence():
    nested = nested_material()
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


READERS = readers(globals())


@pytest.mark.parametrize("id", sorted(READERS))
def test_a_reader_sees_the_values_of_the_tables(id):
    READERS[id]()
