"""The texts of a comparison for a paper: paragraphs, tables, diagrams and references, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlsieve.files.signatures import signed
from mlsieve.paper.diagram import tikz_diagram
from mlsieve.paper.markup import latex_table, markdown_table
from mlsieve.paper.methods import Facts, methods_paragraph
from mlsieve.paper.references import bibtex, cited, in_latex, in_markdown, reference_list

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.comparison.result import MethodComparison

NAMES = ("methods.md", "results.md", "tables.md", "text.tex", "tables.tex", "diagrams.tex", "references.bib")


def paper_texts(comparison: MethodComparison, diagrams: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the contents of the files by their names.

    Parameters
    ----------
    comparison : MethodComparison
    diagrams : dict of str to (measure, variant)
        The diagrams to draw, by the names of their figures.
    """
    methods, results = methods_text(comparison), results_text(comparison)
    keys = cited(methods + " " + results)
    tables = _tables(comparison)
    pictures = []
    for name, (measure, variant) in diagrams.items():
        pictures.append(f"% {name}\n" + tikz_diagram(comparison.panel(measure, variant)))
    paragraphs = [in_latex(text) for text in (methods, *results.split("\n\n"))]
    content = {
        "methods.md": f"{in_markdown(methods)}\n\n{reference_list(keys)}\n",
        "results.md": in_markdown(results) + "\n",
        "tables.md": "\n\n".join(f"{caption}\n\n{markdown_table(table)}" for caption, table in tables) + "\n",
        "text.tex": "\n\n".join(paragraphs) + "\n",
        "tables.tex": "% needs \\usepackage{booktabs}\n"
        + "\n".join(
            latex_table(table, caption, f"comparison-{place}")
            for place, (caption, table) in enumerate(tables, 1)
        ),
        "diagrams.tex": "% needs \\usepackage{tikz}\n" + "\n".join(pictures),
        "references.bib": bibtex(keys),
    }
    return {name: _signed(name, content[name]) for name in NAMES}


def methods_text(comparison: MethodComparison) -> str:
    """Return the paragraph on methods, with citations such as ``[@demsar2006]``."""
    options, results = comparison.options, comparison.results
    families = results.families
    shown = {families.get(name, name) for name in results.datasets}
    facts = Facts(
        comparison.methods,
        comparison.measures,
        len(results.datasets),
        len(shown) if families else 0,
        results.repeats,
        options.rounding,
        options.significance,
        options.rope if len(comparison.bayes) else None,
    )
    return methods_paragraph(comparison.tests, comparison.average_ranks, facts)


def results_text(comparison: MethodComparison) -> str:
    """Return the results, a paragraph for each measure."""
    return "\n\n".join(" ".join(comparison.sentences(measure)) for measure in comparison.measures)


def _tables(comparison: MethodComparison) -> list[tuple[str, pd.DataFrame]]:
    found = []
    for measure in comparison.measures:
        found.append((f"Methods by average rank, {measure}", comparison.leaderboard(measure)))
    for measure in comparison.measures:
        for title, table, columns in (
            ("Tests", comparison.tests, _TESTS),
            ("Effect sizes of pairs", comparison.effects, _EFFECTS),
            ("Bayesian signed-rank tests", comparison.bayes, _BAYES),
        ):
            own = table[table["measure"] == measure]
            several = own["variant"].nunique() > 1
            names = [name for name in columns if name != "variant" or several]
            if len(own):
                found.append((f"{title}, {measure}", _with_methods(own[names])))
    return found


_TESTS = ("variant", "test", "methods", "n_datasets", "statistic", "f_f", "p_value", "p_adjusted", "rejected")
_EFFECTS = (
    *("variant", "first", "second", "wins", "ties", "losses", "median_difference", "interval_low"),
    *("interval_high", "rank_biserial", "wilcoxon_p", "wilcoxon_p_adjusted"),
)
_BAYES = ("variant", "first", "second", "p_better", "p_rope", "p_worse")


def _with_methods(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of tests with the methods of pairs in words, and none for tests of all."""
    if "methods" not in table:
        return table
    words = [" and ".join(text.split(";")) if text.count(";") == 1 else "all" for text in table["methods"]]
    return table.assign(methods=words)


def _signed(name: str, content: str) -> str:
    before, after = ("<!-- ", " -->\n") if name.endswith(".md") else ("% ", "\n")
    return signed(f"{content}\n{before}", after)
