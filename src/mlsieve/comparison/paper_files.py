"""The texts of a comparison for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlsieve.comparison.tables_in_words import in_words
from mlsieve.paper.diagram import tikz_diagram
from mlsieve.paper.files import PaperParts, paper_texts
from mlsieve.paper.markup import PaperTable
from mlsieve.paper.methods import Facts, methods_paragraph
from mlsieve.paper.references import without_citations

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.comparison.result import MethodComparison


EACH_ALONE = "Each measure was tested by itself; the p-values were not adjusted over the measures."
MOST_DATASETS = 12  # whose names the paragraph on methods has


def texts_of(comparison: MethodComparison, diagrams: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the texts by the names of their files.

    Parameters
    ----------
    comparison : MethodComparison
    diagrams : dict of str to (measure, variant)
        The diagrams to draw, by the names of their figures.
    """
    pictures = {name: tikz_diagram(comparison.panel(*shown)) for name, shown in diagrams.items()}
    of_results = comparison.results
    names = {*comparison.methods, *comparison.measures, *of_results.datasets}
    names |= {str(family) for family in (of_results.families or {}).values()}
    methods = without_citations(methods_text(comparison), names)
    results = [("", without_citations(text, names)) for text in _paragraphs(comparison)]
    return paper_texts(PaperParts(methods, results, _tables(comparison), pictures, "comparison"))


def methods_text(comparison: MethodComparison) -> str:
    """Return the paragraph on methods, with citations such as ``[@demsar2006]``."""
    options, results = comparison.options, comparison.results
    families = results.families
    shown = {families.get(name, name) for name in results.datasets}
    facts = Facts(
        comparison.methods,
        [f"{name} ({comparison.directions[name]} is better)" for name in comparison.measures],
        len(results.datasets),
        n_families=len(shown) if families else 0,
        repeats=results.repeats,
        rounding=options.rounding,
        significance=options.significance,
        rope=options.rope if len(comparison.effects) else None,
        draws=options.draws,
        prior=options.prior,
        zeros=options.zeros,
        pairs=len(comparison.effects) > 0,
        datasets=results.datasets if len(results.datasets) <= MOST_DATASETS else (),
    )
    text = methods_paragraph(comparison.tests, comparison.average_ranks, facts)
    return f"{text} {EACH_ALONE}" if len(comparison.measures) > 1 else text


def results_text(comparison: MethodComparison) -> str:
    """Return the results, a paragraph for each measure."""
    return "\n\n".join(_paragraphs(comparison))


def _paragraphs(comparison: MethodComparison) -> list[str]:
    return [" ".join(comparison.sentences(measure)) for measure in comparison.measures]


def _tables(comparison: MethodComparison) -> list[PaperTable]:
    found = []
    for measure in comparison.measures:
        board = comparison.leaderboard(measure)
        title = f"Methods by average rank, {measure}"
        if centre := next(iter(board["compared_with"]), ""):
            title += f", compared with {centre}; positive differences favour the method of the row"
        found.append(PaperTable(title, _without_empty(board).drop(columns="compared_with")))
    for measure in comparison.measures:
        for title, table, columns in (
            ("Tests, {}", comparison.tests, _TESTS),
            (
                "Effect sizes of pairs, {}; positive numbers favour the first method",
                comparison.effects,
                _EFFECTS,
            ),
            ("Bayesian signed-rank tests, {}", comparison.bayes, _BAYES),
        ):
            own = table[table["measure"] == measure]
            several = own["variant"].nunique() > 1
            names = [name for name in columns if name != "variant" or several]
            if len(own):
                found.append(PaperTable(title.format(measure), in_words(_with_methods(own[names]))))
    return found


def _without_empty(board: pd.DataFrame) -> pd.DataFrame:
    """Return a leaderboard without the verdicts by family where there are no families."""
    return board if (board["verdict_by_family"] != "").any() else board.drop(columns="verdict_by_family")


_TESTS = ("variant", "test", "methods", "n_datasets", "statistic", "f_f", "p_value", "p_adjusted", "rejected")
_EFFECTS = (
    *("variant", "first", "second", "wins", "ties", "losses", "difference", "interval_low"),
    *("interval_high", "rank_biserial", "wilcoxon_p", "wilcoxon_p_adjusted"),
)
_BAYES = ("variant", "first", "second", "p_better", "p_rope", "p_worse")


def _with_methods(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of tests with the methods of pairs in words, and none for tests of all."""
    if "methods" not in table:
        return table
    words = [" and ".join(text.split(";")) if text.count(";") == 1 else "all" for text in table["methods"]]
    return table.assign(methods=words)
