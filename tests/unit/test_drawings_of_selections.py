"""Figures of selections, read by legend, ticks and titles, show the values of their tables."""

import numpy as np
import pytest
from drawing_reader import (
    goes_up,
    legend,
    like,
    look,
)
from drawn_tables import chosen_material, drawn, measure_of, panels, readers, values


def check_curve(axis, handle, points):
    """Check a line and its band against values by number of features and split."""
    means = points.groupby("features")["value"].agg(["mean", "sem"])
    [line] = like(axis, handle)
    np.testing.assert_allclose(line.get_xydata(), means["mean"].reset_index().to_numpy())
    colour = look(handle)[0]
    bands = [band for band in axis.collections if look_of_band(band) == colour]
    [corners] = [band.get_paths()[0].vertices for band in bands]
    assert 0.1 <= bands[0].get_alpha() <= 0.3, "curves under a band are seen"
    assert bands[0].get_zorder() < line.get_zorder()
    for features, row in means.iterrows():
        heights = corners[corners[:, 0] == features, 1]
        assert (heights.min(), heights.max()) == pytest.approx(
            (row["mean"] - row["sem"], row["mean"] + row["sem"])
        )


def look_of_band(band):
    from matplotlib.colors import to_hex

    return to_hex(band.get_facecolor()[0])


def read_selection_curves():
    chosen = chosen_material()
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


def read_selection_steps():
    chosen = chosen_material()
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


READERS = readers(globals())


@pytest.mark.parametrize("id", sorted(READERS))
def test_a_reader_sees_the_values_of_the_tables(id):
    READERS[id]()
