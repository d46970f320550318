"""The settings of the documentation site: ``make docs`` builds it, without a network."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))

from builders import build  # noqa: E402

import mlsieve  # noqa: E402

project = "mlsieve"
author = "The mlsieve developers"
copyright = author
version = release = mlsieve.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
exclude_patterns = ["builders"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
default_role = "py:obj"  # a name in single backticks is a link where it has a page, and code elsewhere
templates_path: list[str] = []

autodoc_typehints = "none"  # the docstrings give the types
autodoc_member_order = "bysource"
autosummary_generate = False  # numpydoc loads it; builders/python.py writes the pages
numpydoc_show_class_members = False  # the generated pages list the methods
myst_heading_anchors = 4
myst_enable_extensions = ["deflist", "attrs_inline"]
suppress_warnings: list[str] = []

html_theme = "pydata_sphinx_theme"
html_title = "mlsieve"
html_static_path = ["static"]
(DOCS / "generated" / "extra").mkdir(parents=True, exist_ok=True)
html_extra_path = ["generated/extra"]  # the reports of studies
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Pages without pages below them: their list of these would be empty.
html_sidebars = {name: [] for name in ("index", "start", "questions", "comparison", "benchmarks")}


def setup(app):
    """Write the generated pages before Sphinx looks for pages, and mend links that leave docs/."""
    app.connect("builder-inited", lambda app: build(Path(app.srcdir)))
    from builders.links import on_source_read

    app.connect("source-read", on_source_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
