"""How many trees does the order of the features need to converge?"""

from __future__ import annotations

from typing import Any

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import number
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.registry import register
from mlsieve.stats._lazy import pd

TEXT = (
    "Kendall's tau-b compares the order of all pairs of features: it is 1 where every pair is in the same "
    "order and 0 where as many pairs are reversed as are not. FUJI compares the first features and their "
    "weights. Each ranking is compared with that of the largest ensemble on the same dataset. The trees of a "
    "smaller ensemble are among those of the largest, so the agreement reaches 1 in any case. The numbers "
    "are means over the datasets, with the smallest and the largest in brackets."
)
SEEDS = (
    " The columns 'between seeds' compare rankings of equally many trees that were grown with different "
    "seeds and have no tree in common."
)


def section(study: SectionTables) -> Section:
    """The agreement of smaller ensembles with the largest, which a separate step computes."""
    means = study.read("convergence_means.csv")
    if means is None:
        return Section(notes=["convergence_means.csv is missing, so this section is empty."])
    return Section(findings=plain_findings(convergence_sentences(means)), tables=convergence_tables(means))


@register.question(
    "convergence",
    version=1,
    order=1.5,
    title="How does the order of the features converge with more trees?",
    tables={"figures": ("convergence",), "sections": ("convergence",)},
    section=section,
)
def convergence(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Agreement of rankings of fewer trees with that of the most, without a test.

    ``mlsieve step convergence`` computes it (Petković, Džeroski, Kocev, Machine Learning 2020, Corollary 1).
    """
    pairs = table.pairs()
    if (pairs["sizes"].map(len) > 1).any():
        return Answer()
    return Answer(notes=["No ensemble has rankings at several numbers of trees."])


def convergence_tables(means: pd.DataFrame) -> list[CountedTable]:
    """Return the table of the agreements; nothing without rows.

    Parameters
    ----------
    means : DataFrame
        convergence_means.csv.
    """
    if means.empty:
        return []
    between = bool((means["seeds"] > 1).any())
    columns = ["ranking", "trees", "datasets", "tau-b", "FUJI"]
    columns += ["tau-b between seeds", "FUJI between seeds"] if between else []
    shown = ["tau", "similarity", *(["tau_seeds", "similarity_seeds"] if between else [])]
    rows = [
        (row["label"], row["size"], row["datasets"], *(_cell(row, name) for name in shown))
        for row in means.to_dict("records")
    ]
    return [
        CountedTable(
            "convergence",
            "Agreement with the largest ensemble",
            TEXT + (SEEDS if between else ""),
            tuple(columns),
            tuple(rows),
            numbers=tuple(range(1, len(columns))),
            folded=True,
        )
    ]


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
            f"Averaged over the datasets, the rankings of {number_of(size, 'tree')} agree with those of "
            f"{number_of(largest, 'tree')} "
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
        text = (
            f"Between seeds, the rankings of {number_of(high['size'], 'tree')} agree best for "
            f"{high['label']} "
        )
        text += f"(tau-b {number(high['tau_seeds'])})"
        if low["label"] != high["label"]:
            text += f" and least for {low['label']} ({number(low['tau_seeds'])})"
        sentences.append(f"{text}.")
    return sentences
