"""Ask a study's questions and gather the answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from mlsieve.analysis.choices import CHOICE_COLUMNS, Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.domain_counts import verdict_counts
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.short_answers import short_answer
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import RANK_COLUMNS, TEST_COLUMNS
from mlsieve.progress import counted
from mlsieve.registry import entries, lookup
from mlsieve.stats._lazy import pd


@dataclass(frozen=True)
class Answers:
    """The answers to a study's questions.

    Attributes
    ----------
    tests : DataFrame
        One row per test; columns `TEST_COLUMNS`. ``statistic`` is Friedman's chi-squared, Wilcoxon's smaller
        rank sum, or a difference of average ranks (Nemenyi, Bonferroni-Dunn: first minus second, below 0
        where the first is better). Wins, losses and the median difference favour the first of ``methods``
        where positive.
    average_ranks : DataFrame
        Columns `RANK_COLUMNS`; ``critical_distance`` is empty where Friedman's test is not significant.
    choices : DataFrame
        Columns `CHOICE_COLUMNS`: sizes and ensembles by the paper's choice and by the study's own, and which
        of them is in use.
    counts : DataFrame
        Columns `COUNT_COLUMNS`: for each question, how many tests are significant with each dataset by itself
        and with each domain of related datasets counted once; see `DomainCounts`.
    notes : dict of str to list of str
        Question id to the reasons why it (or a part of it) could not be asked.
    findings : dict of str to list of Finding
        Question id to its findings.
    tables : dict of str to list of CountedTable
        Question id to its own tables.
    short : dict of str to list of str
        Question id to its answer in a few sentences; empty where no test answers it.
    corrected_over : dict of str to list of str
        Question id to the groups of tests over which Benjamini and Hochberg's procedure corrects: "measure"
        (the comparisons by one measure), "all" (of the question).
    """

    tests: pd.DataFrame
    average_ranks: pd.DataFrame
    choices: pd.DataFrame
    counts: pd.DataFrame
    notes: dict[str, list[str]] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    tables: dict[str, list[CountedTable]] = field(default_factory=dict)
    short: dict[str, list[str]] = field(default_factory=dict)
    corrected_over: dict[str, list[str]] = field(default_factory=dict)

    def sentences(self, question: str) -> list[str]:
        """Return a question's findings as sentences."""
        return [finding.sentence for finding in self.findings[question]]


def run_questions(
    performance: pd.DataFrame, analysis: Analysis, rankings: pd.DataFrame | None = None
) -> Answers:
    """Ask the questions of an analysis of a table of performance.

    Parameters
    ----------
    performance : DataFrame
        One observation a row (see `mlsieve.analysis.read_performance`).
    analysis : Analysis
    rankings : DataFrame, optional
        rankings.csv, for the questions about the rankings themselves.

    Returns
    -------
    Answers

    Raises
    ------
    UserError
        On an unknown question or measure, or a measure whose direction is not known.
    """
    chosen = [lookup("question", id) for id in analysis.questions]
    chosen.sort(key=lambda entry: entry.facts.order)
    table = PerformanceTable(performance, analysis, rankings)
    choices = Choices(table, analysis)
    tests: list[dict[str, Any]] = []
    ranks: list[dict[str, Any]] = []
    notes: dict[str, list[str]] = {}
    findings: dict[str, list[Finding]] = {}
    tables: dict[str, list[CountedTable]] = {}
    short: dict[str, list[str]] = {}
    corrected_over: dict[str, list[str]] = {}
    for entry in counted(chosen, "questions"):
        answer = entry.target(table, analysis, choices)
        tests += answer.tests
        ranks += answer.ranks
        notes[entry.id] = answer.notes
        findings[entry.id] = [replace(finding, question=entry.id) for finding in answer.findings]
        tables[entry.id] = answer.tables
        corrected_over[entry.id] = answer.corrected_over
        short[entry.id] = answer.short or short_answer(answer, analysis)
    table_of_tests = pd.DataFrame(tests, columns=list(TEST_COLUMNS))
    return Answers(
        table_of_tests,
        pd.DataFrame(ranks, columns=list(RANK_COLUMNS)),
        pd.DataFrame(choices.rows(), columns=list(CHOICE_COLUMNS)),
        verdict_counts(table_of_tests, analysis.significance),
        notes,
        findings,
        tables,
        short,
        corrected_over,
    )


def records(answers: Answers) -> list[dict[str, Any]]:
    """Return the records of findings.json, one for each question, in their order.

    Parameters
    ----------
    answers : Answers

    Returns
    -------
    list of dict
        ``question`` (id), ``title``, ``answer`` (a few sentences), ``corrected_over``, ``findings`` (the
        fields of each `Finding`), ``notes`` (why a part could not be asked) and ``tables`` (see
        `mlsieve.analysis.counted_tables.CountedTable`).
    """
    known = entries("question")
    return [
        {
            "question": id,
            "title": known[id].facts.title,
            "answer": answers.short.get(id, []),
            "corrected_over": answers.corrected_over.get(id, []),
            "findings": [asdict(finding) for finding in answers.findings[id]],
            "notes": answers.notes[id],
            "tables": [table.as_dict() for table in answers.tables.get(id, [])],
        }
        for id in answers.findings
    ]
