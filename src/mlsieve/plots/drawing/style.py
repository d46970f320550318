"""One look for all figures (seaborn's, colour-blind palette); the same figure gives the same bytes."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import seaborn
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from mlsieve.analysis.sentences.wording import number_of
from mlsieve.errors import spelled_out
from mlsieve.files.ownership import SIGNATURE
from mlsieve.files.writing import atomic_path
from mlsieve.plots.drawing.marks import with_marks

FONT_SIZE = 10.0
SMALL = 9.0  # the smallest text, so that it can be read on a screen
INK, FAINT = "#222222", "#8a8a8a"
PALETTE = tuple(seaborn.color_palette("colorblind", 10).as_hex())
ACCENT, CONTROL = PALETTE[0], PALETTE[3]
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "h")
LINES: tuple[Any, ...] = ("-", "--", ":", "-.")

_SETTINGS: dict[str, Any] = {
    "figure.facecolor": "white",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # ships with matplotlib: the same shapes everywhere
    "font.size": FONT_SIZE,
    "axes.titlesize": FONT_SIZE,
    "axes.labelsize": SMALL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "axes.linewidth": 0.8,
    "svg.hashsalt": "mlsieve",  # the ids inside an SVG would be random otherwise
    "svg.fonttype": "none",  # text stays text: it can be read, searched and copied
    "pdf.fonttype": 42,
    "path.simplify": False,
    "text.parse_math": False,  # a dollar sign in the name of a method or measure is only that
}


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw in the project's look inside this context, and leave matplotlib's settings as they were.

    None comes from a file ``matplotlibrc`` in the working folder, which could also have LaTeX run.
    """
    settings: Any = {**seaborn.axes_style("whitegrid"), **seaborn.plotting_context("paper"), **_SETTINGS}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        yield


@functools.lru_cache(maxsize=4096)
def text_size(text: str, size: float = FONT_SIZE) -> tuple[float, float]:
    """Return width and height of a text in inches without drawing it.

    A little generous: hinting widens small type.

    Parameters
    ----------
    text : str
    size : float
        In points.
    """
    if not text.strip():
        return 0.0, 0.0
    font = get_font(findfont(FontProperties(family="DejaVu Sans")))
    font.set_size(size, 72)
    with _any_letters():
        font.set_text(text)
    width, height = font.get_width_height()  # in 64ths of a point
    return 1.06 * width / 64 / 72, 1.06 * height / 64 / 72


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure, whole or not at all; equal figures give equal bytes.

    Its metadata name mlsieve, so that a command may write over it.

    Parameters
    ----------
    figure : matplotlib Figure
    path : path-like
        Ends in .svg, .pdf or .png.
    """
    suffix = Path(path).suffix.lstrip(".").lower()
    metadata = {
        "svg": {"Creator": SIGNATURE, "Date": None},
        "pdf": {"Creator": SIGNATURE, "CreationDate": None},
        "png": {"Software": SIGNATURE},
    }[suffix]
    content = io.BytesIO()
    with styled(), _any_letters():
        figure.savefig(content, format=suffix, metadata=metadata, dpi=150)
    drawn = content.getvalue()
    if suffix == "svg":  # XML allows few control characters, and in no form
        lines = drawn.decode().split("\n")
        drawn = with_marks("\n".join(map(spelled_out, lines)).encode(), figure)
    with atomic_path(path) as temporary:
        temporary.write_bytes(drawn)


@contextlib.contextmanager
def _any_letters() -> Iterator[None]:
    """Have no warning of letters that the font lacks: in their place are boxes, or in an SVG other fonts."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ |Matplotlib currently does not support")
        yield


def datasets(counts: int | Iterable[int]) -> str:
    """Return ``1 dataset``, ``3 datasets`` or ``3 to 5 datasets`` for a caption."""
    numbers = [counts] if isinstance(counts, int) else [int(count) for count in counts]
    ends = sorted({min(numbers), max(numbers)})
    return number_of(" to ".join(map(str, ends)), "dataset")
