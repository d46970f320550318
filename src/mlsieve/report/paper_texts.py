"""The texts of a study for a paper: its methods, results, tables, diagrams and references."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.sentences.wording import listed
from mlsieve.analysis.settings import Analysis
from mlsieve.configuration.merge import read_json
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN, read_frame
from mlsieve.paper.diagram import tikz_diagram
from mlsieve.paper.files import PaperParts, paper_texts
from mlsieve.paper.markup import PaperTable
from mlsieve.paper.methods import Facts, statistics_sentences
from mlsieve.paper.references import citation_of
from mlsieve.plots.methods.rank_diagrams import panel_of
from mlsieve.registry import entries
from mlsieve.report.background import evaluation_text
from mlsieve.report.counted import right_columns
from mlsieve.report.findings import first_sentences
from mlsieve.report.tables import shown
from mlsieve.study import Study
from mlsieve.workflow.step_settings import read_study

MAIN = "paper"  # the main methods, also in a study without a paper
MOST_NAMES = 12  # of datasets in a sentence
MOST_WORDS = 180  # of a paragraph


def study_texts(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the texts by the names of their files (`mlsieve.paper.files.NAMES`).

    Parameters
    ----------
    folder : path-like
        results/<study>, with the tables, findings.json and sections.json of a finished study.

    Raises
    ------
    UserError
        If one of the study's files is missing or damaged.
    """
    place = Path(folder)
    study = read_study(place / "configuration" / "study.json")
    tests, ranks = read_frame(place / "tests.csv"), read_frame(place / "average_ranks.csv")
    answered, computed = read_json(place / "findings.json"), read_json(place / "sections.json")
    analysis = Analysis.from_mapping(answered["analysis"])
    board_tests = read_frame(place / "leaderboard_tests.csv")
    made = pd.concat([table for table in (tests, board_tests) if len(table)] or [tests], ignore_index=True)
    parts = PaperParts(
        " ".join(
            [*_setting(study, computed), *_statistics(made, ranks, analysis), *_of_leaderboard(computed)]
        ),
        list(_results(answered, computed)),
        list(_tables(answered, computed)),
        dict(_diagrams(ranks)),
        study.content.name,
    )
    return paper_texts(parts)


def _setting(study: Study, computed: Mapping[str, Any]) -> Iterator[str]:
    """Yield which methods were compared on which data, and how they were evaluated."""
    names = computed["datasets"]
    shown_names = f" ({', '.join(names)})" if 0 < len(names) <= MOST_NAMES else ""
    yield f"We compared {listed(_methods(study))} on {number_of(len(names), 'dataset')}{shown_names}."
    if source := citation_of("study", study.content.name):
        yield f"The study repeats a published one{source}."
    yield evaluation_text(study, names, computed["definitions"])


def _methods(study: Study) -> list[str]:
    """Return the methods with their citations; of several rankings of one method, their number."""
    found = []
    rankers = entries("ranker")
    counts = Counter(ranker.method for ranker in study.content.rankers.values())
    for method, count in counts.items():
        several = f"{count} rankings of " if count > 1 else ""
        found.append(f"{several}{method}{citation_of('doi', rankers[method].facts.doi)}")
    for chain in study.content.chains.values():
        found.append(f"{chain.name}{citation_of('doi', chain.entry.facts.doi)}")
    return found


def _of_leaderboard(computed: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the first paragraph of the results rests on."""
    board = computed["leaderboard"]
    if board:
        yield (
            f"The comparison of all methods has {listed(board['methods'])}. Their mean rank is the mean of "
            "their average ranks over the measures; the p-values of its main tests were adjusted over the "
            "measures. Differences are medians over the datasets, with 95 % bootstrap intervals."
        )


def _statistics(tests: pd.DataFrame, ranks: pd.DataFrame, analysis: Analysis) -> list[str]:
    counted = tests.loc[tests["variant"] == BY_DOMAIN, "n_datasets"]
    facts = Facts(
        (),
        (),
        0,
        int(counted.max()) if len(counted) else 0,
        rounding=analysis.rounding,
        significance=analysis.significance,
        family="domain",
        families="domains",
    )
    return statistics_sentences(tests, ranks, facts)


def _results(answered: Mapping[str, Any], computed: Mapping[str, Any]) -> Iterator[str]:
    """Yield a paragraph of the leaderboard, and one of the first findings of each question."""
    if computed["leaderboard"]:
        yield " ".join(computed["leaderboard"]["sentences"])
    for item in answered["questions"]:
        section = computed["questions"][item["question"]]
        findings = [Finding(**finding) for finding in (*item["findings"], *section["findings"])]
        said, _ = first_sentences(findings, MOST_WORDS)
        if said:
            yield f"{item['title']} {' '.join(said)}"


def _tables(answered: Mapping[str, Any], computed: Mapping[str, Any]) -> Iterator[PaperTable]:
    """Yield the tables of the page but for those of tests and data: its buttons copy these."""
    if computed["leaderboard"]:
        yield _as_table(computed["leaderboard"]["table"])
    for item in answered["questions"]:
        section = computed["questions"][item["question"]]
        for table in section["tables"]:
            yield _as_table(table)
        for group in section["groups"]:
            for table in group["ranks"]:
                yield _as_table(table, section["short"])
    for table in computed["values"]["tables"]:
        yield _as_table(table)


def _as_table(content: Mapping[str, Any], question: str = "") -> PaperTable:
    table = CountedTable.from_dict(content)
    rows = [tuple(map(shown, row)) for row in table.rows]
    frame = pd.DataFrame(rows, columns=pd.Index(table.columns, dtype=object), dtype=object)
    caption = f"{question}: {table.title}" if question else table.title
    return PaperTable(caption, frame, right_columns(table))


def _diagrams(ranks: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the critical-difference diagrams of the main methods for which there is a distance."""
    known = ranks[(ranks["variant"] == "all") & (ranks["family"] == MAIN) & ranks["rank"].notna()]
    known = known[known["test"].isin(["nemenyi", "bonferroni-dunn"]) & known["critical_distance"].notna()]
    keys = ["question", "comparison", "evaluator", "measure"]
    for names, part in known.groupby(keys, sort=False, dropna=False):
        words = [str(name) for name in names if isinstance(name, str) and name]
        yield ", ".join(words), tikz_diagram(panel_of(part, words[-1]))
