"""Every registered figure, read by its legend, ticks and titles, shows the values of its tables.

What is read is what a person sees: a legend with exchanged names, a panel under another one's title, a hollow
mark for a filled one, a mirrored axis or an arrow that points the wrong way leads to other values. The
readers are in the files `test_drawings_of_*.py`.
"""

import test_drawings_of_chains
import test_drawings_of_rankings
import test_drawings_of_selections
import test_drawings_of_sizes
import test_drawings_of_tests

from mlsieve.registry import entries

MODULES = (
    test_drawings_of_chains,
    test_drawings_of_rankings,
    test_drawings_of_selections,
    test_drawings_of_sizes,
    test_drawings_of_tests,
)


def test_every_registered_figure_has_one_reader():
    assert sorted(id for module in MODULES for id in module.READERS) == sorted(entries("figure"))
