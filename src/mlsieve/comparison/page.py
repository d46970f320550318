"""The page of a comparison: the answer by each measure, its diagram, and every table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlsieve.comparison.leaderboard import about_intervals, with_intervals
from mlsieve.comparison.overview import overview, overview_sentence
from mlsieve.comparison.tables_in_words import in_words
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.paper.files import on_page
from mlsieve.paper.markup import cell, head
from mlsieve.report.pictures import is_wide, picture_of
from mlsieve.report.render import render
from mlsieve.report.tables import Column, Table, plain_table, test_table

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.comparison.result import MethodComparison

EACH_ALONE = "Each measure is tested by itself; the p-values are not adjusted over the measures."
EFFECTS_TEXT = (
    "Positive differences favour the first method, whether higher or lower values are better. The difference "
    "is the Hodges-Lehmann estimate, with the 95 % interval that belongs to Wilcoxon's test of the pair and "
    "is not adjusted over the pairs; of fewer than 6 values, it reaches from the lowest to the highest. The "
    "rank-biserial correlation lies between -1 and 1. "
    "Wilcoxon's p-values are also adjusted over the pairs (Benjamini and Hochberg). The verdicts above are "
    "those of the tests that follow Friedman's, which depend on all methods; Wilcoxon's test of a pair does "
    "not, and can be significant where they are not."
)
TESTS_TEXT = (
    "Wins, ties and losses count {counted} are not independent trials. The column 'kind of p' is the "
    "distribution behind a p-value."
)
PAIRS_CAPTION = "1 is best. A bar joins methods that do not differ significantly."
REFERENCE_CAPTION = (
    "1 is best. The bar spans the critical distance on both sides of the reference method. A method outside "
    "it differs significantly from the reference; other pairs are not tested."
)
NO_DIAGRAM = "There is no diagram, because {}."
BAYES_TEXT = (
    "Posterior probabilities that the first method is better, that both are practically equivalent (differ "
    "by up to the rope), and that the second is better."
)


@dataclass(frozen=True)
class Diagram:
    """A critical-difference diagram.

    Attributes
    ----------
    name : str
        Of its figure.
    content : bytes
        As SVG.
    files : sequence of str
        Its files, relative to the page.
    """

    name: str
    content: bytes
    files: Sequence[str]


def build_page(
    comparison: MethodComparison,
    pictures: Mapping[tuple[str, str], Diagram],
    texts: Mapping[str, str],
    files: Sequence[str],
) -> str:
    """Return the page as HTML that refers to nothing outside itself.

    Parameters
    ----------
    comparison : MethodComparison
    pictures : mapping of (measure, variant) to Diagram
    texts : mapping of str to str
        The files for a paper by their names.
    files : sequence of str
        The tables beside the page.
    """
    measures = [
        _section(comparison, measure, f"measure-{place}", pictures)
        for place, measure in enumerate(comparison.measures, 1)
    ]
    facts = {
        "method": len(comparison.methods),
        "dataset": len(comparison.results.datasets),
        "measure": len(comparison.measures),
    }
    context = {
        "title": f"Comparison of {number_of(len(comparison.methods), 'method')}",
        "menu": [
            *([("measures", "All measures")] if len(measures) > 1 else []),
            *((measure["id"], measure["name"]) for measure in measures),
            ("overview", "Table of results"),
            ("paper", "For a paper"),
        ],
        "summary": overview_sentence(comparison.tables),
        "by_measure": _by_measure(comparison) if len(measures) > 1 else None,
        "measures": measures,
        "facts": [
            {"value": f"{count:,}", "name": number_of(count, name).partition(" ")[2]}
            for name, count in facts.items()
        ],
        "notes": [f"{text[:1].upper()}{text[1:]}." for text in comparison.notes],
        "files": files,
        "paper": on_page(texts),
    }
    return render("comparison.html.j2", context)


def _by_measure(comparison: MethodComparison) -> Table:
    frame = overview(comparison.tables)
    columns = [Column(name, "rank" in name) for name in frame.columns]
    return plain_table(columns, frame.itertuples(index=False, name=None))


_ANSWER = 6  # sentences that come before the leaderboard


def _section(
    comparison: MethodComparison, measure: str, id: str, pictures: Mapping[tuple[str, str], Diagram]
) -> dict[str, Any]:
    """Return what the page shows of one measure."""
    sentences = comparison.sentences(measure)
    figures = [
        figure
        for variant, words in (("all", ""), (BY_DOMAIN, ", with each family of datasets counted once"))
        if (figure := _figure(comparison, measure, variant, words, pictures.get((measure, variant))))
    ]
    own = comparison.tests[comparison.tests["measure"] == measure]
    effects = comparison.effects[comparison.effects["measure"] == measure]
    bayes = comparison.bayes[comparison.bayes["measure"] == measure]
    parts: list[dict[str, Any]] = [
        {"title": "All tests", "text": _tests_text(comparison), "table": test_table(in_words(own))},
        {"title": "Effect sizes of pairs", "text": EFFECTS_TEXT, "table": _plain(effects, _EFFECTS)},
        {"title": "Bayesian signed-rank tests", "text": BAYES_TEXT, "table": _plain(bayes, _BAYES)},
    ]
    return {
        "id": id,
        "name": measure,
        "answer": sentences[:_ANSWER],
        "more": sentences[_ANSWER:],
        "direction": _direction(comparison, measure),
        "leaderboard": _leaderboard(comparison.leaderboard(measure)),
        "intervals": about_intervals(comparison.leaderboard(measure)),
        "figures": figures,
        "parts": [part for part in parts if part["table"].rows],
    }


def _tests_text(comparison: MethodComparison) -> str:
    alone = len(comparison.results.datasets) == 1
    text = TESTS_TEXT.format(counted="repeats, which" if alone else "datasets; related datasets")
    return f"{text} {EACH_ALONE}" if len(comparison.measures) > 1 else text


def _direction(comparison: MethodComparison, measure: str) -> str:
    way = comparison.directions[measure]
    differences = " Positive differences are better." if way == "lower" else ""
    return f"{way.capitalize()} values are better.{differences}"


def _figure(
    comparison: MethodComparison, measure: str, variant: str, words: str, diagram: Diagram | None
) -> dict[str, Any] | None:
    """Return a diagram, or one line where Friedman's test is not significant; None without such a test."""
    title = f"Average ranks by {measure}{words}"
    if diagram is None:
        tests = comparison.tests
        own = tests[(tests["measure"] == measure) & (tests["variant"] == variant)]
        main = own[(own["test"] == "friedman") & own["p_value"].notna()]
        if main.empty:
            return None
        why = "no two methods" if not comparison.options.reference else "no method and the reference"
        why = (
            f"{why} differ significantly" if main["rejected"].any() else "Friedman's test is not significant"
        )
        name = f"none-{variant}-{comparison.measures.index(measure) + 1}"
        return {"name": name, "title": title, "caption": NO_DIAGRAM.format(why), "picture": None}
    panel = dataclasses.replace(comparison.panel(measure, variant), title="")
    caption = REFERENCE_CAPTION if comparison.options.reference else PAIRS_CAPTION
    return {
        "name": diagram.name,
        "title": title,
        "caption": caption,
        "files": diagram.files,
        "wide": is_wide(diagram.content, "svg"),
        "picture": picture_of(diagram.content, "svg", diagram.name, f"{title}. {panel.seen()} {caption}"),
    }


_EFFECTS = (
    *("variant", "first", "second", "n_datasets", "wins", "ties", "losses", "mean_difference"),
    *("difference", "interval_low", "interval_high", "rank_biserial"),
    *("wilcoxon_p", "wilcoxon_p_adjusted"),
)
_BAYES = ("variant", "first", "second", "n_datasets", "rope", "p_better", "p_rope", "p_worse")


def _leaderboard(board: pd.DataFrame) -> Table:
    board = with_intervals(board)
    for name, column in (("average rank", "average_rank"), ("mean", "mean")):
        board[name] = [cell(value, column) for value in board[name]]
    board.insert(0, "method", board.pop("method"))  # the first column stays in view
    texts = ("method", *board.columns[board.columns.get_loc("datasets") + 2 :])
    columns = [Column(name, name not in texts) for name in board.columns]
    rows = [tuple(_value(cell) for cell in row) for row in board.itertuples(index=False)]
    return plain_table(columns, rows, marked=[place == 1 for place in board["place"]])


def _plain(frame: pd.DataFrame, names: Iterable[str]) -> Table:
    chosen = list(names)
    frame = in_words(frame)
    columns = [Column(head(name), name not in ("variant", "first", "second")) for name in chosen]
    rows = [tuple(_value(row[name]) for name in chosen) for row in frame.to_dict("records")]
    return plain_table(columns, rows)


def _value(cell: Any) -> Any:
    return cell.item() if hasattr(cell, "item") else cell
