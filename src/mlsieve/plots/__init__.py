"""Figures, all in one look: those of a study, and single ones for scripts and notebooks."""

from mlsieve.plots.axes import plot_critical_difference, plot_ranking, plot_saturation
from mlsieve.plots.drawing.critical_difference import critical_difference_diagram
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.style import save_figure

__all__ = [
    "Drawing",
    "Material",
    "critical_difference_diagram",
    "plot_critical_difference",
    "plot_ranking",
    "plot_saturation",
    "save_figure",
]
