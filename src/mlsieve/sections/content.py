"""Compute what the sections of a study's report say, from the study's tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.performance import at_full_size
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.settings import Analysis
from mlsieve.configuration.merge import read_json
from mlsieve.files.csv_tables import EFFECT_SIZE, read_frame, read_rows
from mlsieve.registry import lookup
from mlsieve.replication.tables import read_published
from mlsieve.sections.costs import cost_part
from mlsieve.sections.domains import domain_table
from mlsieve.sections.leaderboard import Leaderboard, leaderboard_of, part_of, tests_of
from mlsieve.sections.published import printed_of, published_texts
from mlsieve.sections.seeds import stability_part
from mlsieve.sections.tested import groups_of
from mlsieve.sections.values import value_part
from mlsieve.study.content import Content
from mlsieve.tables.labels import labels_in


def sections_of(
    folder: Path, content: Content, worked: pd.DataFrame | None = None
) -> tuple[dict[str, Any], Leaderboard | None]:
    """Return the content of sections.json, and the study's leaderboard.

    Parameters
    ----------
    folder : Path
        results/<study>, with the tables of a finished study.
    content : Content
        The study's datasets and methods.
    worked : DataFrame or None
        worked.csv, where the study has a worked example.

    Returns
    -------
    dict
        counts : dict of str to int
            Datasets, rankings, measures, values, tests (of the questions and of the leaderboard), missing
            results and failed jobs.
        datasets : list of str
            Those with values, sorted.
        definitions : dict of str to list of str
            The computed measures by their definition.
        questions : dict of str to dict
            By question, the fields of its `Section`, its short title, and its method groups as `groups_of`
            returns them.
        domains : dict or None
            The table of related datasets; None where no two are related.
        published : dict
            How many printed numbers the study confirms, in words: see `published_texts`.
        stability : dict or None
            ``sentences`` and ``tables``; None for a study with one seed.
        values : dict
            ``text`` and ``tables``, one for each measure.
        costs : dict
            ``text`` and ``tables``.
        leaderboard : dict or None
            ``sentences``, ``table`` and ``methods``; None where fewer than two methods can be compared.
    Leaderboard or None

    Raises
    ------
    UserError
        If one of the study's files is missing or damaged.
    """
    performance, choices = (read_frame(folder / f"{name}.csv") for name in ("performance", "choices"))
    tests, ranks = (read_frame(folder / f"{name}.csv") for name in ("tests", "average_ranks"))
    skipped, timings = (read_rows(folder / f"{name}.csv") for name in ("skipped", "timings"))
    used = choices[choices["used"].astype(bool)]
    answered = read_json(folder / "findings.json")
    published = read_published(folder, content)
    columns = None if published is None else read_frame(folder / "published_columns.csv")
    analysis, labels = Analysis.from_mapping(answered["analysis"]), labels_in(performance)
    tables = SectionTables(
        folder,
        partial(_one_table, folder),
        analysis,
        tests,
        ranks,
        used,
        read_frame(folder / "rankings.csv"),
        timings,
        labels,
        worked=worked,
        printed=printed_of(content.name, published, columns),
    )
    several_seeds = content.seeds > 1
    asked = [item["question"] for item in answered["questions"]]
    groups = {
        name: groups_of(tests[tests["question"] == name], ranks[ranks["question"] == name], analysis, labels)
        for name in asked
    }
    short = {name: str(lookup("question", name).facts.short) or name.capitalize() for name in asked}
    board = leaderboard_of(performance, tables)
    domains = domain_table(read_frame(folder / "verdict_counts.csv"), analysis, short)
    found = {
        "counts": _counts(performance, (tests, tests_of(board)), skipped),
        "datasets": sorted(performance["dataset"].unique()),
        "definitions": {
            str(definition): list(dict.fromkeys(rows["measure"]))
            for definition, rows in performance.groupby("definition", sort=False)
        },
        "questions": {
            name: {"short": short[name], **_section(item, tables), "groups": groups[name]}
            for name, item in zip(asked, answered["questions"], strict=True)
        },
        "domains": None if domains is None else domains.as_dict(),
        "published": published_texts(published),
        "stability": stability_part(read_frame(folder / "stability.csv"), used) if several_seeds else None,
        "values": value_part(at_full_size(performance), used),
        "costs": cost_part(timings),
        "leaderboard": part_of(board),
    }
    return found, board


def _one_table(folder: Path, name: str) -> pd.DataFrame | None:
    """Return one of the study's tables; None if it is missing."""
    return read_frame(folder / name) if (folder / name).is_file() else None


def _section(item: Mapping[str, Any], tables: SectionTables) -> dict[str, Any]:
    """Return the section of one question; without an own section it shows the question's own tables."""
    own = [CountedTable.from_dict(table) for table in item["tables"]]
    make = lookup("question", item["question"]).facts.section
    section = Section(tables=own)
    if make is not None:
        section = make(replace(tables, own={table.name: table for table in own}))
    return {
        "findings": [asdict(finding) for finding in section.findings],
        "notes": section.notes,
        "tables": [table.as_dict() for table in section.tables],
        "overview": [table.as_dict() for table in section.overview],
    }


def _counts(
    performance: pd.DataFrame, tests: tuple[pd.DataFrame, ...], skipped: list[dict[str, str]]
) -> dict[str, int]:
    rankings = performance[["method", "ensemble", "score", "size"]].drop_duplicates()
    return {
        "datasets": performance["dataset"].nunique(),
        "rankings": len(rankings),
        "measures": performance["measure"].nunique(),
        "values": len(performance),
        "tests": sum(int((table["test"] != EFFECT_SIZE).sum()) for table in tests),
        "missing": sum(row["status"] != "not applicable" for row in skipped),
        "failed": sum(row["status"] == "failed" for row in skipped),
    }
