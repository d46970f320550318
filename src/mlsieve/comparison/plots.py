"""Drawings of a comparison beside its critical-difference diagrams."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from mlsieve.errors import InvalidSetting, did_you_mean
from mlsieve.plots.drawing.style import CONTROL, FAINT, INK, PALETTE, SMALL, styled


def plot_posterior(
    table: pd.DataFrame, first: str, second: str, measure: str, ax: Axes | None = None
) -> Axes:
    """Draw the posterior probabilities of two methods as one bar of three parts.

    Parameters
    ----------
    table : DataFrame
        Columns as those of bayes.csv.
    first, second : str
    measure : str
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InvalidSetting
        If the table has no such pair.
    """
    rows = table[(table["measure"] == measure) & (table["variant"] == "all")]
    names = list(dict.fromkeys([*rows["first"], *rows["second"]]))
    for name in (first, second):
        if name not in names:
            raise InvalidSetting(f"no pair has the method '{name}'", hint=did_you_mean(name, names))
    same = rows[(rows["first"] == first) & (rows["second"] == second)]
    turned = rows[(rows["first"] == second) & (rows["second"] == first)]
    if same.empty and turned.empty:
        raise InvalidSetting(
            f"{first} and {second} are not compared with each other", hint="name the reference method"
        )
    row = (turned if same.empty else same).iloc[0]
    shares = [row["p_better"], row["p_rope"], row["p_worse"]]
    if same.empty:
        shares.reverse()
    with styled():
        figure = None
        if ax is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=(5.6, 1.6), layout="constrained")
            ax = figure.add_subplot()
        left = 0.0
        words = (f"{first} better", "practically equal", f"{second} better")
        for share, colour, word in zip(shares, (PALETTE[0], FAINT, CONTROL), words, strict=True):
            ax.barh([0], [share], left=left, color=colour, height=0.6, label=f"{share:.3f} {word}")
            left += float(share)
        ax.set(xlim=(0, 1), yticks=[], xlabel="posterior probability")
        ax.set_title(measure, fontweight="bold", color=INK)
        look = {"ncols": 3, "frameon": False, "fontsize": SMALL}
        if figure is not None:
            figure.legend(loc="outside lower center", **look)
        else:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.6), **look)
        ax.grid(visible=False)
    return ax
