"""The page of a comparison: the answer by each measure, its diagram, and every table."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.files.signatures import signed
from mlsieve.report.tables import Column, Table, plain_table, test_table

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.comparison.result import MethodComparison

EFFECTS_TEXT = (
    "Positive differences favour the first method, whether higher or lower values are better. The interval "
    "is a 95 % bootstrap interval of the median. The rank-biserial correlation lies between -1 and 1. "
    "Wilcoxon's p-values are also adjusted over the pairs (Benjamini and Hochberg)."
)
TESTS_TEXT = (
    "Wins, ties and losses count datasets; related datasets are not independent trials. The column 'kind of "
    "p' is the distribution behind a p-value."
)


def build_page(
    comparison: MethodComparison, pictures: Mapping[tuple[str, str], bytes], texts: Mapping[str, str]
) -> str:
    """Return the page as HTML that refers to nothing outside itself, with a checksum of itself.

    Parameters
    ----------
    comparison : MethodComparison
    pictures : mapping of (measure, variant) to bytes
        Diagrams as SVG.
    texts : mapping of str to str
        The files for a paper by their names.
    """
    from mlsieve import __version__

    style = resources.files("mlsieve.report").joinpath("style.css").read_text(encoding="utf-8")
    ids = {measure: f"measure-{place}" for place, measure in enumerate(comparison.measures, 1)}
    title = f"Comparison of {number_of(len(comparison.methods), 'method')}"
    links = "\n".join(f'<li><a href="#{ids[name]}">{escape(name)}</a></li>' for name in comparison.measures)
    facts = {
        "method": len(comparison.methods),
        "dataset": len(comparison.results.datasets),
        "measure": len(comparison.measures),
    }
    parts = [
        f'<header id="overview"><h1>{escape(title)}</h1></header>',
        '<div class="facts">'
        + "".join(
            f'<div class="fact"><b>{count}</b><span>{number_of(count, name).partition(" ")[2]}</span></div>'
            for name, count in facts.items()
        )
        + "</div>",
        *(f'<p class="note">{escape(text[:1].upper() + text[1:])}.</p>' for text in comparison.notes),
    ]
    for measure in comparison.measures:
        parts.append(f'<section id="{ids[measure]}">')
        parts += _section(comparison, measure, pictures)
        parts.append("</section>")
    parts += ['<section id="paper">', *_paper(texts), "</section>"]
    body = "\n".join(parts)
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="mlsieve {__version__}">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>
{style}
</style>
</head>
<body>
<div class="layout">
<nav aria-label="Contents">
<div class="brand">mlsieve</div>
<ol>
<li><a href="#overview">Overview</a></li>
{links}
<li><a href="#paper">For a paper</a></li>
</ol>
</nav>
<main>
{body}
<footer>Written by mlsieve {__version__}. This page needs no other file. Its numbers are also in the CSV
files of the same folder.</footer>
</main>
</div>
</body>
</html>"""
    return signed(f"{page}\n<!-- ", " -->\n")


_PAPER = {
    "methods.md": "Methods, with references",
    "results.md": "Results",
    "text.tex": "Methods and results in LaTeX",
    "tables.tex": "Tables in LaTeX",
    "tables.md": "Tables in Markdown",
    "diagrams.tex": "Diagrams in TikZ",
    "references.bib": "References in BibTeX",
}


def _paper(texts: Mapping[str, str]) -> Iterable[str]:
    """Yield the texts for a paper, folded, each with a link to its file."""
    yield "<h2>For a paper</h2>\n<p>The files lie in the folder paper/ beside this page.</p>"
    for name, title in _PAPER.items():
        link = f'<a href="paper/{name}">paper/{name}</a>'
        yield f"<details><summary>{title}</summary><p>{link}</p><pre>{escape(texts[name])}</pre></details>"


def _section(
    comparison: MethodComparison, measure: str, pictures: Mapping[tuple[str, str], bytes]
) -> Iterable[str]:
    yield f"<h2>{escape(measure)}</h2>"
    yield f"<p>{comparison.directions[measure].capitalize()} values are better.</p>"
    items = "".join(f"<li>{escape(text)}</li>" for text in comparison.sentences(measure))
    yield f'<ul class="findings">{items}</ul>'
    yield _table(_leaderboard(comparison.leaderboard(measure)))
    yield '<div class="figures">'
    for variant, words in (("all", ""), (BY_DOMAIN, ", with each family of datasets counted once")):
        if (measure, variant) in pictures:
            data = base64.b64encode(pictures[measure, variant]).decode()
            caption = f"Average ranks by {measure}{words}; 1 is best. A bar joins methods that do not differ"
            caption += " significantly."
            yield (
                f'<figure><img alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}">'
                f"<figcaption>{escape(caption)}</figcaption></figure>"
            )
    yield "</div>"
    own = comparison.tests[comparison.tests["measure"] == measure]
    yield _folded("All tests", TESTS_TEXT, test_table(own))
    effects = comparison.effects[comparison.effects["measure"] == measure]
    yield _folded("Effect sizes of pairs", EFFECTS_TEXT, _plain(effects, _EFFECTS))
    bayes = comparison.bayes[comparison.bayes["measure"] == measure]
    if len(bayes):
        text = "Posterior probabilities that the first method is better, that both are practically equivalent"
        text += ", and that the second is better."
        yield _folded("Bayesian signed-rank tests", text, _plain(bayes, _BAYES))


_EFFECTS = (
    *("variant", "first", "second", "n_datasets", "wins", "ties", "losses", "mean_difference"),
    *("median_difference", "interval_low", "interval_high", "rank_biserial"),
    *("wilcoxon_p", "wilcoxon_p_adjusted"),
)
_BAYES = ("variant", "first", "second", "n_datasets", "rope", "p_better", "p_rope", "p_worse")


def _leaderboard(board: pd.DataFrame) -> Table:
    names = [name.replace("_", " ") for name in board.columns]
    numeric = [name not in ("method", board.columns[-1]) for name in board.columns]
    columns = [Column(name, number) for name, number in zip(names, numeric, strict=True)]
    rows = [tuple(_value(cell) for cell in row) for row in board.itertuples(index=False)]
    return plain_table(columns, rows, marked=[row[0] == 1 for row in rows])


def _plain(frame: pd.DataFrame, names: Iterable[str]) -> Table:
    chosen = list(names)
    columns = [Column(name.replace("_", " "), name not in ("variant", "first", "second")) for name in chosen]
    rows = [tuple(_value(row[name]) for name in chosen) for row in frame.to_dict("records")]
    return plain_table(columns, rows)


def _value(cell: Any) -> Any:
    return cell.item() if hasattr(cell, "item") else cell


def _folded(title: str, text: str, table: Table) -> str:
    return (
        f"<details><summary>{escape(title)}</summary><p>{escape(text)}</p>\n{_table(table)}\n</details>"
        if table.rows
        else ""
    )


def _table(table: Table) -> str:
    head = "".join(
        f'<th class="n">{escape(column.name)}</th>' if column.number else f"<th>{escape(column.name)}</th>"
        for column in table.columns
    )
    body = []
    for row in table.rows:
        cells = "".join(
            f'<td class="{cell.style}">{escape(cell.text)}</td>'
            if cell.style
            else f"<td>{escape(cell.text)}</td>"
            for cell in row.cells
        )
        body.append(f'<tr class="yes">{cells}</tr>' if row.marked else f"<tr>{cells}</tr>")
    rows = "\n".join(body)
    body_of = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>"
    return f'<div class="scroll"><table>\n{body_of}</table></div>'
