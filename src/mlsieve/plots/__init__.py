"""Figures of a study, all in one look."""

from mlsieve.plots.drawing.critical_difference import critical_difference_diagram
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.style import save_figure

__all__ = ["Drawing", "Material", "critical_difference_diagram", "save_figure"]
