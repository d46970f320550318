"""published.csv: a row for each printed figure, with the study's own and whether the conclusions agree."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from mlsieve.published.papers import Figure, Paper
from mlsieve.published.setting import papers_beside
from mlsieve.replication import (  # noqa: F401 (they register the finders)
    of_chains,
    of_curves,
    of_data,
    of_ranks,
    of_sequences,
    of_tests,
    of_undefined,
    of_values,
)
from mlsieve.replication.cells import CellValue, cell_values
from mlsieve.replication.conclusions import conclusion, is_within, printed_conclusion, shown, tolerance
from mlsieve.replication.printed import half_unit, printed_number
from mlsieve.replication.tables import DOMAINS, FINDERS, OF_VARIANTS, OWN_DATA, Absent, Found, StudyTables

if TYPE_CHECKING:
    from mlsieve.study import Content

PUBLISHED = (
    "paper",
    "kind",
    "place",
    "question",
    "measure",
    "dataset",
    "method",
    "what",
    "printed",
    "printed_of",
    "unit",
    "printed_deviation",
    "marked_best",
    "ours_dataset",
    "ours",
    "ours_of",
    "ours_deviation",
    "difference",
    "tolerance",
    "within",
    "basis",
    "conclusion",
    "ours_conclusion",
    "same_conclusion",
    "counts_as",
    "ours_domains",
    "ours_domains_of",
    "ours_domains_out_of_reach",
    "ours_own_data",
    "ours_own_data_of",
    "reason",
    "note",
)
FIGURE, CELL, DATASET = "figure", "cell", "dataset"
# Columns of the catalog's `published`, in the order of the papers' tables, and their names in datasets.csv.
_DATASET_COLUMNS = {
    "n": ("examples", "n"),
    "n_train": ("training examples", "n_train"),
    "n_test": ("test examples", "n_test"),
    "F": ("features", "F"),
    "shape": ("shape of the hierarchy", "shape"),
    "L": ("labels", "L"),
    "depth": ("depth of the hierarchy", "depth"),
    "leaf_depth": ("average depth of its leaves", "leaf_depth"),
    "cardinality": ("label cardinality", "cardinality"),
    "density": ("label density", "density"),
    "distinct": ("distinct label sets", "distinct"),
}
# Printed of the training and the test part; their sum is not.
_SUMS = {"paper 001": ("n",)}


def published_rows(content: Content, tables: StudyTables) -> list[dict[str, Any]]:
    """Return the rows of published.csv.

    A study that bears the name of a paper's gets a row for every figure that the paper prints; any other
    study gets the cells of the papers whose setting it has.

    Parameters
    ----------
    content : Content
    tables : StudyTables

    Returns
    -------
    list of dict
        With the keys `PUBLISHED`; unknown values are empty texts.
    """
    rows: list[dict[str, Any]] = []
    for paper in papers_beside(content):
        if paper.study == content.name:
            rows += [_figure_row(paper, figure, tables) for figure in paper.figures]
            rows += _dataset_rows(paper, content, tables)
        rows += [_cell_row(paper, cell) for cell in cell_values(content, tables.performance, paper)]
    return [{name: row.get(name, "") for name in PUBLISHED} for row in rows]


def find(figure: Figure, tables: StudyTables, variant: str = "all") -> Found:
    """Look a figure up in a study's tables.

    Raises
    ------
    Absent
        If it is not in the tables.
    """
    function = FINDERS[figure.find]
    taken = inspect.signature(function).parameters
    given = {name: value for name, value in figure.facts.items() if name in taken} | dict(figure.arguments)
    if figure.find in OF_VARIANTS:
        return function(tables, variant, **given)
    return function(tables, **given)


def _figure_row(paper: Paper, figure: Figure, tables: StudyTables) -> dict[str, Any]:
    row: dict[str, Any] = {
        "paper": paper.study,
        "kind": FIGURE,
        "place": figure.place,
        **{name: figure.fact(name) for name in ("question", "measure", "dataset", "method")},
        "what": figure.what,
        "printed": figure.printed,
        "printed_of": "" if figure.of is None else figure.of,
        "unit": figure.fact("unit"),
        "conclusion": printed_conclusion(figure),
        "counts_as": figure.counts_as if figure.conclusion else "",
        "note": figure.note,
    }
    limit = tolerance(figure)
    row["tolerance"] = "" if limit is None else shown(limit)
    try:
        found = find(figure, tables)
    except Absent as error:
        return {**row, "reason": str(error)}
    row |= {"ours": shown(found.value), "ours_of": "" if found.of is None else found.of}
    row["difference"] = _difference(figure, found)
    within = is_within(figure, found)
    row["within"] = "" if within is None else _word(within)
    both = conclusion(figure, found)
    if both is not None:
        row |= {"ours_conclusion": both.ours, "same_conclusion": _word(both.same)}
    row["basis"] = _basis(paper, figure, found)
    if figure.find in OF_VARIANTS:
        row |= _variants(figure, tables)
    return row


def _difference(figure: Figure, found: Found) -> str:
    """Return ours minus printed; empty for words, and for counts of different numbers of cases."""
    printed = printed_number(figure.printed)
    if printed is None or isinstance(found.value, str) or (figure.of or found.of) != (found.of or figure.of):
        return ""
    return shown(float(found.value) - printed)


def _basis(paper: Paper, figure: Figure, found: Found) -> str:
    """Return the number of datasets behind the study's own figure, if it is not the paper's number."""
    theirs = figure.facts.get("datasets", paper.datasets)
    if found.n_datasets in (None, 0, 1, theirs):
        return ""
    return f"{found.n_datasets} datasets" + (f"; the paper has {theirs}" if theirs else "")


def _variants(figure: Figure, tables: StudyTables) -> dict[str, Any]:
    """Return the same figure with each domain counted once, and without other data."""
    found: dict[str, Any] = {}
    for name, variant in (("ours_domains", DOMAINS), ("ours_own_data", OWN_DATA)):
        try:
            one = find(figure, tables, variant)
        except Absent:
            continue
        found |= {name: shown(one.value), f"{name}_of": "" if one.of is None else one.of}
        if variant == DOMAINS:
            found["ours_domains_out_of_reach"] = one.out_of_reach
    return found


def _cell_row(paper: Paper, cell: CellValue) -> dict[str, Any]:
    deviation = cell.printed_deviation
    row: dict[str, Any] = {
        "paper": paper.study,
        "kind": CELL,
        "place": cell.place,
        "measure": cell.measure,
        "dataset": cell.dataset,
        "method": cell.method,
        "what": "mean and standard deviation over the splits" if deviation else "value",
        "printed": cell.printed,
        "printed_deviation": deviation,
        "marked_best": "yes" if cell.best else "",
        "basis": cell.basis,
        "reason": cell.reason,
    }
    if math.isnan(cell.own):
        return row
    limit = cell.margin if cell.margin is not None else _third_digit(float(cell.printed))
    return {
        **row,
        "ours_dataset": cell.own_dataset,
        "ours": shown(cell.own),
        "ours_of": cell.n_splits if deviation else "",
        "ours_deviation": "" if math.isnan(cell.deviation) or not deviation else shown(cell.deviation),
        "difference": shown(cell.own - float(cell.printed)),
        "tolerance": shown(limit),
        "within": _word(cell.met),
    }


def _third_digit(value: float) -> float:
    """Return half a unit of the third significant digit."""
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) - 2)


def _dataset_rows(paper: Paper, content: Content, tables: StudyTables) -> Iterator[dict[str, Any]]:
    """Yield the sizes of the datasets that the paper's table prints, beside those of datasets.csv."""
    table = paper.dataset_table
    if table is None:
        return
    source, place = table["source"], table["place"]
    facts = _dataset_facts(tables)
    copies = {entry.stands_in_for: name for name, entry in content.catalog.items() if entry.stands_in_for}
    for name, entry in content.catalog.items():
        printed = entry.published.get(source)
        if printed is None or entry.stands_in_for:
            continue
        own = name if name in facts else copies.get(name, name)
        for column, (what, key) in _DATASET_COLUMNS.items():
            if column not in printed or column in _SUMS.get(source, ()):
                continue
            text = str(printed[column])
            row = {"paper": paper.study, "kind": DATASET, "place": place, "dataset": name, "what": what}
            row |= {"printed": text, **_own_fact(facts.get(own), key, text)}
            if own != name:
                row["basis"] = "a reduced copy of the paper's data"
            yield row


def _dataset_facts(tables: StudyTables) -> dict[str, Mapping[str, Any]]:
    """Return the rows of datasets.csv by dataset, with what follows from their columns."""
    if tables.datasets is None:
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    for row in tables.datasets.to_dict("records"):
        several = row.get("several_parents")
        hierarchical = several is not None and not pd.isna(several)
        found[str(row["dataset"])] = {
            **row,
            "n": row["n_train"] + row["n_test"],
            "density": row["cardinality"] / row["L"] if row["L"] else math.nan,
            "shape": ("dag" if several else "tree") if hierarchical else "",
        }
    return found


def _own_fact(facts: Mapping[str, Any] | None, key: str, printed: str) -> dict[str, Any]:
    value = None if facts is None else facts.get(key)
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return {"reason": "not among the study's datasets" if facts is None else f"datasets.csv has no {key}"}
    if isinstance(value, str):
        return {"ours": value, "within": _word(value == printed)}
    # The catalog drops final zeros of cardinalities and densities, which have three decimals.
    limit = 0.0005 if key in ("cardinality", "density") else half_unit(printed)
    difference = float(value) - float(printed)
    return {
        "ours": shown(value),
        "difference": shown(difference),
        "tolerance": shown(limit),
        "within": _word(abs(difference) <= limit + 1e-12),
    }


def _word(value: bool) -> str:
    return "yes" if value else "no"
