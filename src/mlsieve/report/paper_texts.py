"""The texts of a study for a paper: its methods, results, tables, diagrams and references."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.analysis.choices import chosen_here
from mlsieve.analysis.counted_tables import CountedTable
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
from mlsieve.report.findings import answer_of
from mlsieve.report.tables import shown
from mlsieve.study import Study
from mlsieve.tables.labels import Label, Labels, label_records
from mlsieve.workflow.step_settings import read_study

MAIN = "paper"  # the main methods, also in a study without a paper
MOST_NAMES = 12  # of datasets, or of rankings, in a sentence
OWN_RULE = (
    "the smallest size whose average rank differs from the best by less than Nemenyi's critical distance, by "
    "every measure where Friedman's test of the sizes is significant"
)
OWN_ENSEMBLES = "Each of these scores is compared with others by its ensemble of the best mean rank"


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
    labels = _labels(study)
    choices = read_frame(place / "choices.csv")
    made = pd.concat([table for table in (tests, board_tests) if len(table)] or [tests], ignore_index=True)
    parts = PaperParts(
        " ".join(
            [
                *_setting(study, computed, labels),
                *_choices(choices, labels, tested=bool(made["p_value"].notna().any())),
                *_statistics(made, ranks, analysis, _adjusted_over(tests, answered, computed)),
                *_of_leaderboard(board_tests, computed),
            ]
        ),
        list(_results(answered, computed)),
        list(_tables(answered, computed)),
        dict(_diagrams(ranks, labels)),
        study.content.name,
    )
    return paper_texts(parts)


def _labels(study: Study) -> Labels:
    """Return the labels of the rankings, as the tables name them."""
    triples = [(ranker.label, ranker.ensemble, ranker.score) for ranker in study.content.rankers.values()]
    return Labels((str(label), label) for label in label_records(triples).values())


def _setting(study: Study, computed: Mapping[str, Any], labels: Labels) -> Iterator[str]:
    """Yield which methods were compared on which data, and how they were evaluated."""
    names = computed["datasets"]
    shown_names = f" ({', '.join(names)})" if 0 < len(names) <= MOST_NAMES else ""
    yield f"We compared {listed(_methods(study, labels))} on {number_of(len(names), 'dataset')}{shown_names}."
    if source := citation_of("study", study.content.name):
        yield f"The study repeats a published one{source}."
    yield evaluation_text(study, names, computed["definitions"])


def _methods(study: Study, labels: Labels) -> list[str]:
    """Return the methods with their citations; of one with several rankings, also their labels."""
    found = []
    rankers = entries("ranker")
    names: dict[str, list[str]] = {}
    for ranker in study.content.rankers.values():
        if not ranker.seed_number:  # other seeds give the same methods again
            triple = (ranker.label, ranker.ensemble, ranker.score)
            own = next(name for name, label in labels.items() if _triple(label) == triple)
            names.setdefault(ranker.method, []).append(own)
    for method, several in names.items():
        cited = citation_of("doi", rankers[method].facts.doi)
        if several == [method]:
            found.append(f"{method}{cited}")
        else:
            rankings = f"{number_of(len(several), 'ranking')} of {method}{cited}"
            found.append(f"{rankings} ({', '.join(several)})" if len(several) <= MOST_NAMES else rankings)
    for chain in study.content.chains.values():
        found.append(f"{chain.name}{citation_of('doi', chain.entry.facts.doi)}")
    return found


def _triple(label: Label) -> tuple[str, str, str]:
    return label.method, label.ensemble, label.score


def _choices(choices: pd.DataFrame, labels: Labels, tested: bool) -> Iterator[str]:
    """Yield at which sizes methods are compared, and which rules chose sizes and ensembles among several."""
    used = choices[choices["used"].astype(bool)]
    chosen = chosen_here(used)
    begin = "Rankings are compared with others at "
    for rows, how in ((used.drop(chosen.index), "these sizes"), (chosen, OWN_RULE)):
        named: dict[str, list[str]] = {}
        for row in rows[rows["kind"] == "size"].to_dict("records"):
            size = labels[str(row["item"])].size_in_words(row["value"])
            named.setdefault(size, []).append(str(row["item"]))
        if named:
            sizes = "; ".join(f"{size} for {listed(items)}" for size, items in named.items())
            yield f"{begin}{how}: {sizes}."
            begin = "Others are compared at "
    ensembles = chosen[chosen["kind"] == "ensemble"]
    if len(ensembles):
        pairs = zip(ensembles["item"], ensembles["value"], strict=True)
        yield f"{OWN_ENSEMBLES}: {listed(f'{score} with {ensemble}' for score, ensemble in pairs)}."
    if len(chosen) and tested:
        yield "The choice and the tests use the same datasets."


def _adjusted_over(tests: pd.DataFrame, answered: Mapping[str, Any], computed: Mapping[str, Any]) -> str:
    """Return over which tests the p-values of each question were adjusted, where that changed one."""
    words = {"all": "over all tests", "measure": "over the comparisons of each measure"}
    changed = set(tests.loc[_adjusted(tests), "question"])
    parts = []
    for kind, over in words.items():
        names = [
            computed["questions"][item["question"]]["short"]
            for item in answered["questions"]
            if kind in item["corrected_over"] and item["question"] in changed
        ]
        if names:
            parts.append(f"{over} in the question{'s' * (len(names) > 1)} {listed(map(_quoted, names))}")
    return listed(parts)


def _adjusted(tests: pd.DataFrame) -> pd.Series:
    """Return for each main test whether a correction changed its p-value."""
    main = tests["test"].isin(["friedman", "wilcoxon"]) & tests["p_value"].notna()
    return main & (tests["p_value"] != tests["p_adjusted"])


def _quoted(text: str) -> str:
    return f"'{text}'"


def _of_leaderboard(tests: pd.DataFrame, computed: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the first paragraph of the results rests on."""
    board = computed["leaderboard"]
    if board:
        text = f"The comparison of all methods includes {listed(board['methods'])}."
        if len(tests[["evaluator", "measure"]].drop_duplicates()) > 1:
            text += " Their mean rank is the mean of their average ranks over the measures."
        if _adjusted(tests).any():
            text += " The p-values of its main tests were adjusted over the measures."
        yield text


def _statistics(
    tests: pd.DataFrame, ranks: pd.DataFrame, analysis: Analysis, adjusted_over: str
) -> list[str]:
    counted = tests.loc[tests["variant"] == BY_DOMAIN, "n_datasets"]
    facts = Facts(
        (),
        (),
        0,
        int(counted.max()) if len(counted) else 0,
        rounding=analysis.rounding,
        significance=analysis.significance,
        zeros=analysis.zeros,
        adjusted_over=adjusted_over,
        family="domain",
        families="domains",
    )
    return statistics_sentences(tests, ranks, facts)


def _results(answered: Mapping[str, Any], computed: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield heading and text of a paragraph of the leaderboard, and one for each question."""
    if computed["leaderboard"]:
        yield "", " ".join(computed["leaderboard"]["sentences"])
    for item in answered["questions"]:
        said = answer_of(item, computed["questions"][item["question"]])
        yield item["title"], " ".join(said)


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


def _diagrams(ranks: pd.DataFrame, labels: Labels) -> Iterator[tuple[str, str]]:
    """Yield the critical-difference diagrams for which there is a distance, question by question.

    Those of the main methods; of all methods for a question whose main methods have none.
    """
    known = ranks[(ranks["variant"] == "all") & ranks["rank"].notna()]
    known = known[known["test"].isin(["nemenyi", "bonferroni-dunn"]) & known["critical_distance"].notna()]
    of_main = set(known["question"][known["family"] == MAIN])
    known = known[(known["family"] == MAIN) | ~known["question"].isin(of_main)]
    keys = ["question", "comparison", "evaluator", "measure"]
    for names, part in known.groupby(keys, sort=False, dropna=False):
        words = [str(name) for name in names if isinstance(name, str) and name]
        if names[1] in labels:  # sizes of one ranking
            of = labels[names[1]]
            part = part.assign(
                method=[of.size_in_words(size) if str(size).isdigit() else size for size in part["method"]]
            )
        yield ", ".join(words), tikz_diagram(panel_of(part, words[-1]))
