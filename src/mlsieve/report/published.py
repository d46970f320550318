"""Printed numbers and findings of papers with the study's own, from published.csv."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlsieve.published import paper_of
from mlsieve.published.papers import FINDING, known_papers
from mlsieve.replication.rows import CELL, DATASET, FIGURE
from mlsieve.report.tables import Cell, Column, Row, Table

# Most datasets of one table: each has three columns.
_ACROSS = 4
# What "same conclusion?" compares.
HOW = (
    "Two counts lead to the same conclusion if both are none, fewer than half, half, more than half or all "
    "of their cases; a count of all cases in this study also confirms more than half, and a count of none "
    "confirms fewer than half. Two tests lead to the same conclusion if both are significant in the same "
    "direction, or neither is significant. Two average ranks lead to it if they have "
    "the same place, choices and words if they are equal, and other numbers if they agree in all printed "
    "digits or within the given tolerance, or satisfy the printed bound. If the paper names the cases of a "
    "count, each case is compared, and the count is not. The sentence above the table counts findings only, "
    "and arithmetic "
    "checks, which need no experiment, separately. It does not count choices by a convention where no test "
    "is significant, nor numbers that follow from others. The study's p-values are those before any "
    "correction; if the paper prints only whether a test is significant, they are corrected. published.csv "
    "has all columns."
)


@dataclass(frozen=True)
class Beside:
    """One question's finding of the paper, and its printed figures with the study's own.

    Attributes
    ----------
    source, finding : str
        The paper, and its finding; `finding` is empty where only figures are known.
    from_tables : str
        A result that mlsieve computes from the paper's printed tables; mostly empty.
    text : str
        How many of the paper's findings the study confirms, and how many arithmetic checks agree.
    table : Table or None
        One row for each figure.
    """

    source: str
    finding: str
    from_tables: str
    text: str
    table: Table | None


def beside(study: str, question: str, published: pd.DataFrame | None, text: str = "") -> Beside | None:
    """Return the finding of a study's paper about a question; None if the paper has none.

    Parameters
    ----------
    study, question : str
    published : DataFrame or None
        published.csv, read as text.
    text : str
        How many of the findings the study confirms, from sections.json.
    """
    paper = paper_of(study)
    if paper is None:
        return None
    rows = _figures(published, question)
    finding = paper.findings.get(question, "")
    from_tables = paper.from_tables.get(question, "")
    if not (finding or from_tables) and rows.empty:
        return None
    table = None if rows.empty else figure_table(rows)
    return Beside(paper.source, finding, from_tables, text, table)


def _figures(published: pd.DataFrame | None, question: str) -> pd.DataFrame:
    if published is None:
        return pd.DataFrame()
    return published[(published["kind"] == FIGURE) & (published["question"] == question)]


def figure_table(rows: pd.DataFrame) -> Table:
    """Return printed figures as a table: where, what, the paper's, ours, and whether the conclusions agree.

    Parameters
    ----------
    rows : DataFrame
        Rows of published.csv of the kind "figure".
    """
    domains = (rows[["ours_domains", "ours_domains_out_of_reach"]] != "").any(axis=None)
    columns = [Column("what"), Column("paper"), Column("this study"), Column("same conclusion?")]
    columns += [Column("this study, each domain once")] if domains else []
    columns += [Column("place in the paper"), Column("remark")]
    made = []
    for row in rows.to_dict("records"):
        cells = [Cell(_what(row), "wrap")]
        cells.append(Cell(_shown(row["printed"], row["printed_of"], row["unit"], row["conclusion"]), "pair"))
        cells.append(Cell(_shown(row["ours"], row["ours_of"], row["unit"], row["ours_conclusion"]), "pair"))
        cells.append(Cell(row["same_conclusion"]))
        if domains:
            cells.append(Cell(_once(row), "pair"))
        cells += [Cell(row["place"], "pair"), Cell(_remark(row), "pair")]
        made.append(Row(tuple(cells), row["same_conclusion"] == "yes"))
    return Table(tuple(columns), tuple(made))


def _once(row: dict[str, Any]) -> str:
    """Return a figure with each domain counted once, and which of its tests cannot be significant."""
    text = _shown(row["ours_domains"], row["ours_domains_of"], row["unit"], "")
    beyond = row["ours_domains_out_of_reach"]
    return f"{text} ({beyond})" if text and beyond else text or beyond


def _remark(row: dict[str, Any]) -> str:
    """Return why a figure is not compared, or on which data; why it is not counted; and its note."""
    counts_as = row["counts_as"] if row["counts_as"] not in ("", FINDING) else ""
    return "; ".join(text for text in (row["reason"] or row["basis"], counts_as, row["note"]) if text)


def _what(row: dict[str, Any]) -> str:
    """Return the description of a figure, with measure and dataset if these are not in its words."""
    more = [row[name] for name in ("measure", "dataset") if row[name] and row[name] not in row["what"]]
    return ", ".join([row["what"], *more])


def _shown(value: str, of: str, unit: str, conclusion: str) -> str:
    """Return a figure with its verdict: ``21 of 120``, ``88 %``, ``0.106 (not significant)``."""
    after = f" {unit}" if unit else f" of {_short(of)}" if of else ""
    text = _short(value) + (after if value else "")
    verdict = conclusion if "significant" in conclusion or conclusion.startswith("place") else ""
    if not text:
        return verdict
    return f"{text} ({verdict})" if verdict else text


def _short(text: str) -> str:
    """Return a number with at most four significant digits, and words as they are."""
    try:
        number = float(text)
    except ValueError:
        return text
    if len(text) <= 7:
        return text
    return f"{number:.3g}" if abs(number) < 0.001 else f"{number:.4g}"


# Single values


def published_parts(published: pd.DataFrame | None, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the part on printed single values: title, text, source and table of each paper.

    Parameters
    ----------
    published : DataFrame or None
        published.csv, read as text.
    texts : mapping of str to str
        How many of a paper's values agree, from sections.json.
    """
    parts: list[dict[str, Any]] = []
    if published is None:
        return parts
    for study, rows in published[published["kind"] == CELL].groupby("paper", sort=False):
        compared = rows[rows["within"] != ""]
        if compared.empty:
            continue
        source = known_papers()[str(study)].source
        head = {
            "title": "Comparison with the published values",
            "text": texts[str(study)],
            "source": source,
        }
        if compared["dataset"].nunique() <= _ACROSS:
            parts.append({**head, "table": cell_table(compared)})
            continue
        for place, some in rows.groupby("place", sort=False):
            measure = str(some["measure"].iloc[0])
            parts.append({**head, "title": f"{place}: {measure}", "table": cells_by_dataset(some)})
            head |= {"text": "", "source": ""}
    return parts


def cell_table(cells: pd.DataFrame) -> Table:
    """Return printed value, own value and difference of each ranking and measure; by dataset."""
    datasets = list(dict.fromkeys(cells["dataset"]))
    columns = [Column("ranking"), Column("measure"), *_columns_of(datasets)]
    by_place = {(row["method"], row["measure"], row["dataset"]): row for row in cells.to_dict("records")}
    rows = []
    for method, measure in dict.fromkeys(zip(cells["method"], cells["measure"], strict=True)):
        made = [Cell(method), Cell(measure)]
        for name in datasets:
            made += _three(by_place.get((method, measure, name)))
        rows.append(Row(tuple(made)))
    return Table(tuple(columns), tuple(rows))


def cells_by_dataset(cells: pd.DataFrame) -> Table:
    """Return one measure's printed cells: a row for each dataset, and three columns for each method."""
    methods = list(dict.fromkeys(cells["method"]))
    columns = [Column("dataset"), Column("study's data"), *_columns_of(methods)]
    rows = []
    for dataset, group in cells.groupby("dataset", sort=False):
        by_method = {row["method"]: row for row in group.to_dict("records")}
        made = [Cell(str(dataset)), Cell(str(group["basis"].iloc[0]), "wrap")]
        for name in methods:
            made += _three(by_method.get(name))
        rows.append(Row(tuple(made)))
    return Table(tuple(columns), tuple(rows))


def _columns_of(names: list[str]) -> list[Column]:
    """Return the heads of the three columns of each name."""
    heads = ((f"{name}: published", "this study", "difference") for name in names)
    return [Column(head, True) for three in heads for head in three]


def _three(row: dict[str, Any] | None) -> list[Cell]:
    if row is None:
        return [Cell("–", "n none")] * 3
    if row["ours"] == "":
        return [Cell(row["printed"], "n"), *[Cell("–", "n none")] * 2]
    style = "n best" if row["within"] == "yes" else "n"
    return [
        Cell(row["printed"], "n"),
        Cell(f"{float(row['ours']):.4g}", style),
        Cell(f"{float(row['difference']):+.4f}", "n"),
    ]


def sizes_part(published: pd.DataFrame | None, text: str) -> dict[str, Any] | None:
    """Return the printed sizes of the datasets with the study's own; None if no paper's table is known."""
    rows = pd.DataFrame() if published is None else published[published["kind"] == DATASET]
    if rows.empty:
        return None
    names = list(dict.fromkeys(rows["what"]))
    columns = [Column("dataset"), *(Column(name, True) for name in names)]
    # The catalog drops final zeros; numbers of one column have the same decimals.
    decimals = {
        str(what): max(len(text.partition(".")[2]) for text in part["printed"])
        for what, part in rows.groupby("what", sort=False)
    }
    made = []
    for dataset, group in rows.groupby("dataset", sort=False):
        by_name = {row["what"]: row for row in group.to_dict("records")}
        cells = (_size(by_name.get(name), decimals[name]) for name in names)
        made.append(Row((Cell(str(dataset)), *cells)))
    return {
        "title": f"{rows['place'].iloc[0]} of the paper: the datasets",
        "text": text,
        "table": Table(tuple(columns), tuple(made)),
    }


def _size(row: dict[str, Any] | None, decimals: int) -> Cell:
    """Return a printed size with a number of decimals, and the study's in brackets where it differs."""
    if row is None:
        return Cell("", "n none")
    printed = f"{float(row['printed']):.{decimals}f}" if decimals else row["printed"]
    if row["ours"] in ("", row["printed"]) or row["within"] == "yes":
        return Cell(printed, "n best" if row["ours"] else "n")
    ours = f"{float(row['ours']):.{decimals}f}" if decimals else _short(row["ours"])
    return Cell(f"{printed} [{_short(row['ours']) if ours == printed else ours}]", "n")
