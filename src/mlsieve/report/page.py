"""Gather a study's files and write its page."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.analysis.choices import OWN_INSTEAD
from mlsieve.analysis.performance import at_full_size
from mlsieve.analysis.sections import SectionTables
from mlsieve.analysis.sentences.wording import methods_of
from mlsieve.analysis.settings import Analysis
from mlsieve.configuration.merge import read_json
from mlsieve.files.csv_tables import EFFECT_SIZE, read_frame, read_rows, read_text_frame
from mlsieve.published.setting import papers_beside
from mlsieve.questions.ensembles.similarity import OF_FEATURES, SimilarityKeys
from mlsieve.report import domains
from mlsieve.report.background import (
    checksum_table,
    choice_table,
    cost_tables,
    dataset_table,
    evaluation_text,
    origin_table,
    ranker_table,
)
from mlsieve.report.domains import count_table
from mlsieve.report.files import read_figures
from mlsieve.report.findings import question_section, short_title, value_tables
from mlsieve.report.published import HOW, beside, printed_of, published_parts, sizes_part
from mlsieve.report.seeds import NO_SEED, ONE_SEED, stability_part
from mlsieve.report.tables import Column, plain_table
from mlsieve.study import Study
from mlsieve.tables.labels import labels_in
from mlsieve.workflow.step_settings import read_study


def build_report(folder: str | os.PathLike[str], provenance: Mapping[str, Any]) -> str:
    """Return the page of a study as HTML that refers to nothing outside itself.

    Parameters
    ----------
    folder : path-like
        results/<study>, with the tables, findings.json and figures/ of a finished study.
    provenance : mapping
        What `mlsieve.tables.provenance.provenance` returns.

    Raises
    ------
    UserError
        If one of the study's files is missing or damaged.
    """
    import jinja2

    from mlsieve import __version__

    study_folder = Path(folder)
    study = read_study(study_folder / "configuration" / "study.json")
    context = _context(study, study_folder, provenance)
    package = resources.files("mlsieve.report")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(package.joinpath("page.html.j2").read_text(encoding="utf-8"))
    style = package.joinpath("style.css").read_text(encoding="utf-8")
    return template.render(**context, style=_Safe(style), version=__version__)


class _Safe(str):
    """Text that the template does not escape."""

    def __html__(self) -> str:
        return str(self)


def _context(study: Study, folder: Path, provenance: Mapping[str, Any]) -> dict[str, Any]:
    performance = read_frame(folder / "performance.csv")
    tests, ranks = read_frame(folder / "tests.csv"), read_frame(folder / "average_ranks.csv")
    choices = read_frame(folder / "choices.csv")
    answered = read_json(folder / "findings.json")
    skipped, timings = read_rows(folder / "skipped.csv"), read_rows(folder / "timings.csv")
    figures = read_figures(folder / "figures" / "figures.json")
    used = choices[choices["used"].astype(bool)]
    failed = sum(row["status"] == "failed" for row in skipped)
    names = sorted(performance["dataset"].unique())
    values, values_text = value_tables(at_full_size(performance), used)
    costs, costs_by_data, cost_text = cost_tables(timings)
    rankings = read_frame(folder / "rankings.csv")
    analysis = Analysis.from_mapping(answered["analysis"])
    titles = {family: methods_of(family, analysis) for family in ("paper", "extended")}
    published, columns = _published(study, folder)
    study_tables = SectionTables(
        folder,
        partial(_one_table, folder),
        analysis,
        tests,
        ranks,
        used,
        rankings,
        timings,
        labels_in(performance),
        printed=printed_of(study.content.name, published, columns),
    )
    asked = [item["question"] for item in answered["questions"]]
    sections = [
        {
            **question_section(item, study_tables, figures),
            "paper": beside(study.content.name, item["question"], published),
        }
        for item in answered["questions"]
    ]
    stability = _stability(study, folder, used)
    facts = [
        ("dataset", "datasets", len(names)),
        (
            "ranking compared",
            "rankings compared",
            len(performance[["method", "ensemble", "score", "size"]].drop_duplicates()),
        ),
        ("measure", "measures", performance["measure"].nunique()),
        ("value", "values", len(performance)),
        ("test", "tests", int((tests["test"] != EFFECT_SIZE).sum())),
        ("missing", "missing", sum(row["status"] != "not applicable" for row in skipped)),
    ]
    return {
        "title": study.content.keys.title or study.content.name,
        "description": study.content.keys.description or "",
        "facts": [
            {"name": one if value == 1 else several, "value": f"{value:,}"} for one, several, value in facts
        ],
        "warnings": _warnings(study, names, failed, (performance["ensemble"] != "").any(), used),
        "figures": [figure for figure in figures if figure["question"] not in asked],
        "sections": sections,
        "overview": [part for section in sections for part in section["overview"]],
        "domains": count_table(
            read_frame(folder / "verdict_counts.csv"), titles, {name: short_title(name) for name in asked}
        ),
        "domains_text": domains.TEXT,
        "unrelated": domains.UNRELATED,
        "published": published_parts(published),
        "sizes": sizes_part(published),
        "how_compared": HOW,
        "stability": stability,
        "fuji": OF_FEATURES[analysis.of(SimilarityKeys).similarity_features],
        "one_seed": ONE_SEED if study.content.seeds == 1 else NO_SEED if stability is None else "",
        "values": values,
        "values_text": values_text,
        "datasets": dataset_table(study, names, provenance),
        "rankers": ranker_table(study),
        "evaluation": evaluation_text(study, performance),
        "choices": choice_table(used),
        "skipped": plain_table(
            (Column("dataset"), Column("status"), Column("step"), Column("method"), Column("reason")),
            [(row["dataset"], row["status"], row["step"], row["method"], row["reason"]) for row in skipped],
            wrap=("reason",),
        ),
        "costs": costs,
        "costs_by_data": costs_by_data,
        "cost_text": cost_text,
        "origin": origin_table(provenance),
        "checksums": checksum_table(provenance),
        "configuration": json.dumps(provenance["configuration"], indent=2, ensure_ascii=False),
    }


def _published(study: Study, folder: Path) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
    """Return published.csv as text, and published_columns.csv; None if no paper has the study's setting."""
    path = folder / "published.csv"
    if not (papers_beside(study.content) and path.is_file()):
        return None, None
    return read_text_frame(path), read_frame(folder / "published_columns.csv")


def _stability(study: Study, folder: Path, used: pd.DataFrame) -> dict[str, Any] | None:
    """Return the section on several seeds; None for a study with one seed."""
    return stability_part(read_frame(folder / "stability.csv"), used) if study.content.seeds > 1 else None


def _one_table(folder: Path, name: str) -> pd.DataFrame | None:
    """Return one of the study's tables; None if it is missing."""
    return read_frame(folder / name) if (folder / name).is_file() else None


def _warnings(
    study: Study, names: list[str], failed: int, has_ensembles: bool, used: pd.DataFrame
) -> list[str]:
    found = []
    if failed:
        jobs = "1 job" if failed == 1 else f"{failed} jobs"
        found.append(f"{jobs} of this study failed. This page shows the results of the others.")
    differing = [
        name for name in names if (entry := study.content.catalog.get(name)) and entry.differs_from_paper
    ]
    if differing and len(differing) == len(names):
        found.append(
            "None of these datasets is as published; they are other versions, or additional datasets."
        )
    elif differing:
        found.append(
            f"These datasets differ from the published versions: {', '.join(differing)}. Every test is "
            "reported with and without them."
        )
    own = study.content.analysis.get("choice") == "own"
    instead = bool(len(used)) and (used["note"] == OWN_INSTEAD).any()
    if has_ensembles and (own or instead):
        which = (
            "Sizes and ensembles" if own else "Sizes and ensembles for which the paper's choice is not known"
        )
        found.append(
            f"{which} follow from this study's own results, the sizes by a convention. The later tests use "
            "the same datasets, so their p-values are optimistic."
        )
    return found
