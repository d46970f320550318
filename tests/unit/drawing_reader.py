"""Read a drawn figure as a person does: by its legend, its ticks and its texts, and by what is where."""

import functools

import numpy as np
from matplotlib.colors import to_hex

INK = "#222222"


def is_filled(line):
    """Return whether a line's markers are filled with its own colour; white is the only other choice."""
    face = to_hex(line.get_markerfacecolor())
    assert face in (to_hex(line.get_color()), "#ffffff"), face
    return face != "#ffffff"


def look(line, parts=("colour", "marker", "dashes")):
    """Return the features by which a reader distinguishes lines."""
    seen = {
        "colour": to_hex(line.get_color()),
        "marker": {"None": ""}.get(str(line.get_marker()), str(line.get_marker())),
        "dashes": (line.get_linestyle(), str(line._unscaled_dash_pattern)),
    }
    return tuple(seen[part] for part in parts)


def legend(figure):
    """Return the legend's handles by their texts."""
    [own] = figure.legends
    texts = [text.get_text() for text in own.get_texts()]
    looks = {(*look(handle), handle.get_markerfacecolor()) for handle in own.legend_handles}
    assert len(set(texts)) == len(looks) == len(texts), "two entries have the same text, or look alike"
    return dict(zip(texts, own.legend_handles, strict=True))


def like(axis, handle, parts=("colour", "marker", "dashes")):
    """Return the lines of a panel that look like an entry of the legend."""
    return [line for line in axis.lines if look(line, parts) == look(handle, parts)]


@functools.cache
def ticks(axis, which):
    """Return the texts of one axis of a panel by position."""
    own = axis.xaxis if which == "x" else axis.yaxis
    return {
        float(place): label.get_text()
        for place, label in zip(own.get_majorticklocs(), own.get_majorticklabels(), strict=True)
    }


def by_tick(axis, line):
    """Return the points of a line as texts of the horizontal axis and values."""
    names = ticks(axis, "x")
    return {names[float(x)]: float(y) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)}


def goes_up(axis, which):
    """Return whether larger numbers lie farther right, or farther up, in the picture."""
    xs, ys = sorted(axis.get_xlim()), sorted(axis.get_ylim())
    shown = axis.transData.transform(list(zip(xs, ys, strict=True)))
    column = "xy".index(which)
    return bool(shown[1, column] > shown[0, column])


def rows_of_dots(axis):
    """Return for each row of a panel its dots, its interval, the diamond on it, and its filling."""
    assert goes_up(axis, "x") and axis.lines[0].get_xdata() == [0, 0]
    found = {}
    for place, name in ticks(axis, "y").items():
        drawn = [(line, np.asarray(line.get_ydata()) - place) for line in axis.lines[1:]]
        own = [line for line, away in drawn if len(away) and np.all(np.abs(away) < 0.5)]
        dots = [line.get_xdata() for line in own if line.get_marker() == "o"]
        row = {"dots": np.sort(dots[0]).tolist() if dots else []}
        for line in own:
            if line.get_marker() == "D":
                row["median"], row["filled"] = float(line.get_xdata()[0]), is_filled(line)
            elif line.get_marker() in ("None", ""):
                row["interval"] = tuple(map(float, line.get_xdata()))
        found[name] = row
    return found


def rank_diagram(axis):
    """Return what a critical-difference diagram shows: names with ranks, read at the axis; bars; distance."""
    numbers = {int(text.get_text()): text for text in axis.texts if text.get_text().isdigit()}
    places = {number: text.get_position()[0] for number, text in numbers.items()}
    step = (places[max(places)] - places[1]) / (max(places) - 1)

    def rank(x):
        return 1 + (x - places[1]) / step

    elbows = [line for line in axis.lines if len(line.get_xdata()) == 3]
    found = {"title": "", "headline": "", "distance": None, "ranks": {}, "marked": set(), "best": step < 0}
    for text in axis.texts:
        if text.get_gid() == "label":
            height, on_right = text.get_position()[1], text.get_ha() == "left"
            own = [line for line in elbows if line.get_ydata()[2] == height]
            [elbow] = [line for line in own if (line.get_xdata()[2] > line.get_xdata()[1]) == on_right]
            name, printed = text.get_text().rsplit("  ", 1)
            found["ranks"][name] = (rank(elbow.get_xdata()[0]), float(printed))
            if to_hex(text.get_color()) != INK:
                assert to_hex(elbow.get_color()) == to_hex(text.get_color())
                found["marked"].add(name)
        elif text not in numbers.values():
            found["title" if text.get_fontweight() == "bold" else "headline"] = text.get_text()
    top = elbows[0].get_ydata()[0]
    for line in axis.lines:
        flat = len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]
        if flat and line.get_ydata()[0] > top:
            found["distance"] = abs(np.diff(line.get_xdata())[0] / step)
    bars = [line.get_xdata() for line in axis.lines if line.get_gid() == "bar"]
    found["bars"] = [tuple(sorted(rank(x) for x in bar)) for bar in bars]
    return found


def assert_bars_join(shown, distance, reference=None):
    """Check that exactly those methods share a bar which lie less than the distance apart."""
    ranks = {name: both[0] for name, both in shown["ranks"].items()}
    slack = 0.12
    for one in [reference] if reference else ranks:
        for other in set(ranks) - {one}:
            low, high = sorted((ranks[one], ranks[other]))
            joined = any(a - slack <= low and high <= b + slack for a, b in shown["bars"])
            near = np.isnan(distance) or high - low < distance - 1e-9
            if np.isnan(distance) or abs(high - low - distance) > 2 * slack:
                assert joined == near, (one, other)
