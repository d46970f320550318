"""How the order of the features settles with more trees, from convergence_means.csv."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.questions.wording import number
from mlsieve.report.tables import Column, plain_table

TEXT = (
    "Kendall's tau-b compares the order of all pairs of features: it is 1 where every pair is in the same "
    "order and 0 where as many pairs are reversed as are not. FUJI compares the first features and their "
    "weights. Each ranking is compared with that of the largest ensemble on the same dataset. The trees of a "
    "smaller ensemble are among those of the largest, so the agreement reaches 1 in any case. The numbers "
    "are means over the datasets, with the least and the most in brackets."
)
SEEDS = (
    " The columns of the seeds compare rankings of as many trees that were grown with different seeds and "
    "have no tree in common."
)


def convergence_parts(means: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the table of the question ``convergence`` with what stands above it; nothing without rows.

    Parameters
    ----------
    means : DataFrame
        convergence_means.csv.
    """
    if means.empty:
        return []
    between = bool((means["seeds"] > 1).any())
    columns = [Column("ranking"), Column("trees", True), Column("datasets", True), Column("tau-b", True)]
    columns += [Column("FUJI", True)]
    columns += [Column("tau-b between seeds", True), Column("FUJI between seeds", True)] if between else []
    shown = ["tau", "similarity", *(["tau_seeds", "similarity_seeds"] if between else [])]
    rows = [
        (row["label"], str(row["size"]), row["datasets"], *(_cell(row, name) for name in shown))
        for row in means.to_dict("records")
    ]
    text = TEXT + (SEEDS if between else "")
    table = plain_table(columns, rows)
    return [{"title": "Agreement with the largest ensemble", "text": text, "table": table, "folded": True}]


def _cell(row: dict[str, Any], name: str) -> str:
    if pd.isna(row[name]):
        return ""
    return f"{row[name]:.3f} ({row[f'{name}_least']:.3f} to {row[f'{name}_most']:.3f})"


def convergence_sentences(means: pd.DataFrame) -> list[str]:
    """Return how well the fewest trees agree with the most, and which ranking agrees best and least."""
    sentences = []
    for (size, largest), own in means[means["size"] < means["largest"]].groupby(["size", "largest"]):
        if size != means.loc[means["largest"] == largest, "size"].min() or own["tau"].isna().all():
            continue
        low, high = own.loc[own["tau"].idxmin()], own.loc[own["tau"].idxmax()]
        text = (
            f"Averaged over the datasets, the rankings of {size} trees agree with those of {largest} trees "
        )
        if low["label"] == high["label"]:
            text += f"with a Kendall's tau-b of {number(high['tau'])} for {high['label']}."
        else:
            text += f"best for {high['label']} (Kendall's tau-b {number(high['tau'])}) and least for "
            text += f"{low['label']} ({number(low['tau'])})."
        sentences.append(text)
    last = means[(means["size"] == means["largest"]) & means["tau_seeds"].notna()]
    if len(last):
        low, high = last.loc[last["tau_seeds"].idxmin()], last.loc[last["tau_seeds"].idxmax()]
        text = f"Between seeds, rankings of {high['size']} trees agree most for {high['label']} "
        text += f"(tau-b {number(high['tau_seeds'])})"
        if low["label"] != high["label"]:
            text += f" and least for {low['label']} ({number(low['tau_seeds'])})"
        sentences.append(f"{text}.")
    return sentences
