"""The gallery: each script of docs/gallery with the figure that it draws, and the reports of studies.

A figure is drawn again only when its script or the package has changed.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
SCRIPTS = DOCS / "gallery"
DRAWN = DOCS / "generated" / "gallery"
REPORTS = DOCS / "generated" / "extra" / "reports"
ORDER = ["ranking", "saturation", "critical_difference", "selection", "hierarchy", "stability", "chains"]
# The figures of a study that are shown: the first of each kind, by the beginning of its name.
SHOWN = {
    "saturation_performance": "Each measure against the number of trees.",
    "radar_score": "Average ranks of the scores, by groups of measures.",
    "baseline-dots": "Differences from the baseline on each dataset.",
}
INTRODUCTION = """\
# Gallery

Each figure is drawn by the short script on its page, from data that come with the package.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Draw what is not drawn yet, and yield the overview and a page for each script."""
    names = sorted((path.stem for path in SCRIPTS.glob("*.py")), key=lambda name: (name not in ORDER, name))
    names.sort(key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    lines = [INTRODUCTION]
    for name in names:
        script = SCRIPTS / f"{name}.py"
        title, text, code = parts(script)
        draw(script)
        lines += [f"## [{title}]({name}.md)\n", f"[![{title}]({name}.svg)]({name}.md)\n"]
        page = f"# {title}\n\n{text}\n\n![{title}]({name}.svg)\n\n```python\n{code}```\n"
        yield f"gallery/{name}.md", page
    lines += [_studies(), "```{toctree}\n:hidden:\n", *names, "```\n"]
    yield "gallery/index.md", "\n".join(lines)


def parts(script: Path) -> tuple[str, str, str]:
    """Return the title, the text and the code of a script, from its docstring and what follows."""
    source = script.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, text = (ast.get_docstring(tree) or script.stem).partition("\n\n")
    code = "".join(source.splitlines(keepends=True)[tree.body[0].end_lineno :]).lstrip("\n")
    return title.rstrip("."), text, code


def draw(script: Path) -> None:
    """Draw the figure of a script as SVG, unless that of the same script and package is there."""
    image, note = DRAWN / f"{script.stem}.svg", DRAWN / f"{script.stem}.sha256"
    digest = _digest(script)
    if image.is_file() and note.is_file() and note.read_text(encoding="utf-8") == digest:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")
    code = compile(script.read_text(encoding="utf-8"), str(script), "exec")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, {"__name__": "__main__"})
    DRAWN.mkdir(parents=True, exist_ok=True)
    pyplot.gcf().savefig(image, metadata={"Date": None})
    pyplot.close("all")
    note.write_text(digest, encoding="utf-8")


def _digest(script: Path) -> str:
    """Return the checksum of a script and of the package's Python files."""
    import mlsieve

    found = hashlib.sha256(script.read_bytes())
    for path in sorted(Path(mlsieve.__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def _studies() -> str:
    """Copy the reports of the studies that have been run here, and return the section that shows them."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    lines = ["## Reports of studies\n"]
    reports = sorted((ROOT / "results").glob("*/report.html"))
    if not reports:
        lines.append(
            "A study writes its report as one page, `results/<study>/report.html`. The site shows those of\n"
            "the studies that have been run in its folder: run `make study`, then `make docs`.\n"
        )
    for report in reports:
        study = report.parent.name
        REPORTS.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report, REPORTS / f"{study}.html")
        lines.append(f"### {study}\n")
        lines.append(f'<p><a class="report" href="../../reports/{study}.html">Open the report</a></p>\n')
        for words, figure in _figures(report.parent):
            shutil.copyfile(figure, DRAWN / f"{study}-{figure.name}")
            lines.append(f"{words}\n\n![{words}]({study}-{figure.name})\n")
    return "\n".join(lines)


def _figures(study: Path) -> list[tuple[str, Path]]:
    """Return a few figures of a study, with what they show: the first of each kind that the page shows."""
    known = sorted((study / "figures").glob("*.svg"))
    found = [
        (words, next((path for path in known if path.name.startswith(kind)), None))
        for kind, words in SHOWN.items()
    ]
    return [(words, path) for words, path in found if path is not None]
