"""What papers print, as the sections of a report need it: values, and how many of them a study confirms."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.analysis.sections import Printed
from mlsieve.analysis.sentences.wording import number_of
from mlsieve.published import paper_of
from mlsieve.published.papers import ARITHMETIC, FINDING, known_papers
from mlsieve.replication.cells import PAPERS_DATA
from mlsieve.replication.rows import CELL, DATASET, FIGURE


def published_texts(published: pd.DataFrame | None) -> dict[str, Any]:
    """Return in words how many printed numbers the study confirms.

    Parameters
    ----------
    published : DataFrame or None
        published.csv, read as text.

    Returns
    -------
    dict
        questions : dict of str to str
            By question, how many findings and arithmetic checks agree; empty where there are none.
        values : dict of str to str
            By paper, how many single values agree; only papers of which a value can be compared.
        sizes : str
            How many sizes of datasets agree; empty where no paper prints them.
    """
    if published is None:
        return {"questions": {}, "values": {}, "sizes": ""}
    figures, cells, sizes = (published[published["kind"] == kind] for kind in (FIGURE, CELL, DATASET))
    compared = cells[cells["within"] != ""]
    return {
        "questions": {str(name): agreement(rows) for name, rows in figures.groupby("question", sort=False)},
        "values": {
            str(paper): _cells_text(cells[cells["paper"] == paper], rows)
            for paper, rows in compared.groupby("paper", sort=False)
        },
        "sizes": "" if sizes.empty else _sizes_text(sizes),
    }


def agreement(rows: pd.DataFrame) -> str:
    """Return how many findings are the same, and how many arithmetic checks agree; empty without any.

    Parameters
    ----------
    rows : DataFrame
        Rows of published.csv of the kind "figure".
    """
    if rows.empty or not (rows["same_conclusion"] != "").any():
        return ""
    compared = rows[rows["same_conclusion"] != ""]
    findings = compared[compared["counts_as"] == FINDING]
    checks = compared[compared["counts_as"] == ARITHMETIC]
    sentences = []
    same = _same(findings)
    if len(findings) == 1:
        sentences.append(f"The one comparable finding is {'' if same else 'not '}the same in this study.")
    elif len(findings):
        some = "All" if same == len(findings) else f"{same} of the"
        verb = "is" if same == 1 else "are"
        sentences.append(f"{some} {len(findings)} comparable findings {verb} the same in this study.")
    lacking = int(((rows["reason"] != "") & rows["counts_as"].isin((FINDING, ""))).sum())
    if lacking:
        noun = "printed figure has" if lacking == 1 else "printed figures have"
        sentences.append(f"{lacking} {noun} no counterpart in this study.")
    if len(checks) == 1:
        sentences.append(f"The arithmetic check {'agrees' if _same(checks) else 'does not agree'}.")
    elif len(checks):
        agreeing = "All" if _same(checks) == len(checks) else f"{_same(checks)} of the"
        sentences.append(f"{agreeing} {len(checks)} arithmetic checks agree.")
    rest = len(compared) - len(findings) - len(checks)
    if rest:
        noun, they = ("figure is", "it follows") if rest == 1 else ("figures are", "they follow")
        sentences.append(
            f"{rest} further {noun} not counted, because {they} from a convention or from other numbers."
        )
    return " ".join(sentences)


def _same(rows: pd.DataFrame) -> int:
    return int((rows["same_conclusion"] == "yes").sum())


def _cells_text(rows: pd.DataFrame, compared: pd.DataFrame) -> str:
    met = int((compared["within"] == "yes").sum())
    own = compared[compared["basis"] == PAPERS_DATA]
    text = f"{met} of {len(compared)} compared values agree with the printed ones (bold)"
    if len(own) < len(compared):
        text += f", {int((own['within'] == 'yes').sum())} of {len(own)} on the paper's own data"
    text += ". "
    deviations = (rows["printed_deviation"] != "").any()
    if deviations:
        text += (
            "Both are means over random splits, and the splits differ. Two means agree if they differ by at "
            "most two standard errors of their difference, or by at most 0.005 if that is more. The "
            "standard error follows from both standard deviations, the printed one and the study's. "
        )
    else:
        text += "Two values agree if all printed digits are the same. "
    reasons = rows.loc[rows["reason"] != "", "reason"].drop_duplicates().tolist()
    lacking = int((rows["reason"] != "").sum())
    if lacking:
        more = f", and {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
        values = "1 printed value has" if lacking == 1 else f"{lacking} printed values have"
        text += f"{values} no counterpart in this study: {'; '.join(reasons[:3])}{more}."
    return text.strip()


def _sizes_text(rows: pd.DataFrame) -> str:
    compared = rows[rows["ours"] != ""]
    same = int((compared["within"] == "yes").sum())
    return (
        "The table shows the printed numbers; the study's number follows in brackets if it differs. "
        f"{same} of {len(compared)} compared entries are the same; the study has no value for "
        f"{number_of(len(rows) - len(compared), 'other')}."
    )


def printed_of(study: str, published: pd.DataFrame | None, columns: pd.DataFrame | None) -> Printed:
    """Return the study's values that papers print, for the sections of its questions.

    Parameters
    ----------
    study : str
    published, columns : DataFrame or None
        published.csv, read as text, and published_columns.csv.
    """
    paper = paper_of(study)
    remark = str((paper.cells or {}).get("remark", "")).strip() if paper else ""
    if published is None:
        return Printed(columns=columns, remark=remark, worked=printed_example)
    cells = published[(published["kind"] == CELL) & (published["ours"] != "")]
    cells = cells.drop(columns="dataset").rename(columns={"ours_dataset": "dataset"})
    cells = cells.astype({"printed": float, "difference": float}).dropna(subset="printed")
    return Printed(cells, columns, remark, printed_example)


def printed_example(dataset: str) -> dict[tuple[str, ...], str]:
    """Return the printed numbers of the first iterations of selectors on a dataset.

    The keys are column and feature (from 1), or column, feature, selector and iteration.
    """
    papers = [paper for paper in known_papers().values() if paper.worked_dataset == dataset]
    found: dict[tuple[str, ...], str] = {}
    for figure in (figure for paper in papers for figure in paper.figures if figure.find == "worked"):
        column, feature = figure.fact("column"), figure.fact("feature")
        if column == "entropy":
            found[column, feature] = figure.printed
        else:
            found[column, feature, figure.fact("method"), figure.fact("iteration")] = figure.printed
    return found
