"""The texts for a paper as files: paragraphs, tables, diagrams and references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlsieve.files.ownership import SIGNATURE
from mlsieve.files.writing import write_text
from mlsieve.paper.markup import PaperTable, latex, latex_table, markdown, markdown_table
from mlsieve.paper.references import bibtex, cited, in_latex, in_markdown, reference_list

# What each file holds, in the order in which a page shows them.
TITLES = {
    "methods.md": "Methods, with references",
    "results.md": "Results",
    "text.tex": "Methods and results in LaTeX",
    "tables.tex": "Tables in LaTeX",
    "tables.md": "Tables in Markdown",
    "diagrams.tex": "Diagrams in TikZ",
    "references.bib": "References in BibTeX",
}
NAMES = tuple(TITLES)
NEEDS = "% needs \\usepackage{booktabs,graphicx}\n"
MOST_LETTERS = 40_000  # of a text on a page; a longer one is only linked


@dataclass(frozen=True)
class PaperParts:
    """What the files hold.

    Attributes
    ----------
    methods : str
        One paragraph, with citations such as ``[@demsar2006]``.
    results : sequence of (str, str)
        Paragraphs with their headings; a heading may be empty, and a paragraph may have citations.
    tables : sequence of PaperTable
    diagrams : mapping of str to str
        TikZ pictures by their names.
    label : str
        Beginning of the tables' labels in LaTeX.
    """

    methods: str
    results: Sequence[tuple[str, str]]
    tables: Sequence[PaperTable]
    diagrams: Mapping[str, str]
    label: str


def paper_texts(parts: PaperParts) -> dict[str, str]:
    """Return the texts by the names of their files (`NAMES`)."""
    keys = cited(" ".join([parts.methods, *(text for _, text in parts.results)]))
    results = [
        (heading and f"**{markdown(heading)}** ") + in_markdown(text) for heading, text in parts.results
    ]
    in_tex = [
        (heading and f"\\paragraph{{{latex(heading)}}} ") + in_latex(text) for heading, text in parts.results
    ]
    tables = parts.tables
    found = {
        "methods.md": f"{in_markdown(parts.methods)}\n\n{reference_list(keys)}\n",
        "results.md": "\n\n".join(results) + "\n",
        "tables.md": "\n\n".join(f"{markdown(table.caption)}\n\n{markdown_table(table)}" for table in tables)
        + "\n",
        "text.tex": "\n\n".join([in_latex(parts.methods), *in_tex]) + "\n",
        "tables.tex": NEEDS
        + "\n".join(latex_table(table, f"{parts.label}-{place}") for place, table in enumerate(tables, 1)),
        "diagrams.tex": "% needs \\usepackage{tikz,graphicx}\n"
        + "\n".join(f"% {name}\n{picture}" for name, picture in parts.diagrams.items()),
        "references.bib": bibtex(keys),
    }
    return {name: found[name] for name in NAMES}


def write_paper(texts: Mapping[str, str], folder: Path) -> None:
    """Write the texts into a folder."""
    for name, text in texts.items():
        write_marked_up(text, folder / name)


def write_marked_up(text: str, path: Path) -> None:
    """Write a text in Markdown or LaTeX, with a comment that says who wrote it."""
    comment = f"<!-- {SIGNATURE} -->" if path.suffix == ".md" else f"% {SIGNATURE}"
    write_text(path, f"{text}\n{comment}\n")


def table_text(table: PaperTable, label: str, suffix: str) -> str:
    """Return a table as the text of a file that ends in ``.tex`` or ``.md``."""
    if suffix == ".md":
        return f"{markdown(table.caption)}\n\n{markdown_table(table)}\n".lstrip()
    return NEEDS + latex_table(table, label)


def on_page(texts: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return file, title and text of what a page shows; the text is empty where it is too long for it."""
    return [
        (name, title, texts[name] if len(texts[name]) <= MOST_LETTERS else "")
        for name, title in TITLES.items()
    ]
