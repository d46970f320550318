"""Critical-difference diagrams as TikZ pictures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mlsieve.paper.markup import FITTED, latex

if TYPE_CHECKING:
    from mlsieve.plots.drawing.critical_difference import Panel

WIDTH, ROW, BAR_ROW = 8.0, 0.45, 0.14  # cm


def tikz_diagram(panel: Panel) -> str:
    """Return a critical-difference diagram as a TikZ picture, scaled to the text where it is wider.

    Parameters
    ----------
    panel : Panel
        The bars are those that its figure shows.

    Returns
    -------
    str
        ``\\begin{tikzpicture} ... \\end{tikzpicture}`` in a box of graphicx; ranks grow from right to
        left as in the figure, rank 1 at the right.
    """
    n_methods = len(panel.ordered)
    unit = WIDTH / max(n_methods - 1, 1)
    bars = panel.bars()

    def x(rank: float) -> str:
        return f"{(n_methods - rank) * unit:.3f}"

    lines = [r"\begin{tikzpicture}[font=\small]"]
    lines.append(f"  \\draw (0,0) -- ({WIDTH:g},0);")
    for rank in range(1, n_methods + 1):
        lines.append(f"  \\draw ({x(rank)},0) -- ++(0,0.1) node[above] {{{rank}}};")
    if panel.has_distance:
        distance = float(panel.critical_distance or 0.0)
        end = f"{distance * unit:.3f}"
        label = f"node[midway, above] {{critical distance {distance:.2f}}}"
        lines.append(f"  \\draw[|-|] (0,0.85) -- ({end},0.85) {label};")
    for place, (low, high) in enumerate(bars):
        y = f"{-0.16 - place * BAR_ROW:.2f}"
        lines.append(f"  \\draw[line width=1.6pt] ({x(low)},{y}) -- ({x(high)},{y});")
    first = 0.35 + len(bars) * BAR_ROW
    left = math.ceil(n_methods / 2)
    for place, (name, rank) in enumerate(reversed(list(panel.ordered.items()))):
        on_left = place < left
        row = place if on_left else n_methods - 1 - place
        y = f"{-first - row * ROW:.2f}"
        side, edge = ("left", "-0.3") if on_left else ("right", f"{WIDTH + 0.3:g}")
        label = f"{latex(str(name))} ({rank:.2f})"
        lines.append(f"  \\draw ({x(float(rank))},0) |- ({edge},{y}) node[{side}] {{{label}}};")
    lines.append(r"\end{tikzpicture}")
    return f"{FITTED}{chr(10).join(lines)}}}\n"
