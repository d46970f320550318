"""Gather a study's files and write its page."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.analysis.choices import chosen_here
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.sentences.wording import listed
from mlsieve.analysis.settings import Analysis
from mlsieve.configuration.merge import read_json
from mlsieve.errors import UserError, number_of
from mlsieve.files.csv_tables import read_frame, read_rows
from mlsieve.paper.files import on_page
from mlsieve.questions.ensembles.similarity import OF_FEATURES, SimilarityKeys
from mlsieve.replication.tables import read_published
from mlsieve.report.background import (
    chain_table,
    checksum_table,
    choice_table,
    dataset_table,
    evaluation_text,
    origin_table,
    ranker_table,
)
from mlsieve.report.counted import counted_part, counted_parts
from mlsieve.report.files import read_figures
from mlsieve.report.findings import question_section
from mlsieve.report.published import HOW, beside, published_parts, sizes_part
from mlsieve.report.render import render
from mlsieve.report.tables import Column, plain_table
from mlsieve.study import Study
from mlsieve.workflow.step_settings import read_study

ONE_SEED = (
    "Each ranking uses a single seed. To see how much the results depend on it, set 'stability: {seeds: 5}' "
    "in the study's configuration."
)
OPTIMISTIC = " The later tests use the same datasets, so their p-values are optimistic."
NO_SEED = "The study asks for several seeds, but none of its rankings depends on a seed."


def build_report(
    folder: str | os.PathLike[str], provenance: Mapping[str, Any], texts: Mapping[str, str]
) -> str:
    """Return the page of a study as HTML that refers to nothing outside itself, with a checksum of itself.

    Parameters
    ----------
    folder : path-like
        results/<study>, with the tables, findings.json, sections.json and figures/ of a finished study.
    provenance : mapping
        What `mlsieve.tables.provenance.provenance` returns.
    texts : mapping of str to str
        What `study_texts` returns.

    Raises
    ------
    UserError
        If one of the study's files is missing or damaged.
    """
    study_folder = Path(folder)
    study = read_study(study_folder / "configuration" / "study.json")
    return render("page.html.j2", {**_context(study, study_folder, provenance), "paper": on_page(texts)})


def _context(study: Study, folder: Path, provenance: Mapping[str, Any]) -> dict[str, Any]:
    tests, choices = read_frame(folder / "tests.csv"), read_frame(folder / "choices.csv")
    answered, computed = read_json(folder / "findings.json"), read_json(folder / "sections.json")
    skipped = read_rows(folder / "skipped.csv")
    figures = read_figures(folder / "figures.json")
    used = choices[choices["used"].astype(bool)]
    tested = (tests, read_frame(folder / "leaderboard_tests.csv"))
    analysis = Analysis.from_mapping(answered["analysis"])
    published = read_published(folder, study.content)
    asked = [item["question"] for item in answered["questions"]]
    if set(asked) != set(computed.get("questions", ())):
        raise UserError(
            "does not match the questions in findings.json",
            file=folder / "sections.json",
            hint=f"write it again: mlsieve step sections {folder}",
        )
    in_words, names = computed["published"], computed["datasets"]
    sections = [
        {
            **question_section(item, computed["questions"][name], tests, figures),
            "paper": beside(study.content.name, name, published, in_words["questions"].get(name, "")),
        }
        for name, item in zip(asked, answered["questions"], strict=True)
    ]
    stability = _stability(computed["stability"])
    failed = computed["counts"]["failed"]
    board = computed["leaderboard"]
    return {
        "menu": _menu(board, sections, stability),
        "board": board and {**board, "part": counted_part(CountedTable.from_dict(board["table"]))},
        "files": _files(folder, figures),
        "missing": _lacking(skipped),
        "title": study.content.keys.title or study.content.name,
        "description": study.content.keys.description or "",
        "facts": _facts(computed["counts"], "ranking" if study.content.rankers else "method"),
        "warnings": _warnings(study, names, failed, used, tested),
        "figures": [figure for figure in figures if figure["question"] not in asked],
        "sections": sections,
        "overview": [part for section in sections for part in section["overview"]],
        "domains": counted_parts([computed["domains"]] if computed["domains"] else []),
        "published": published_parts(published, in_words["values"]),
        "sizes": sizes_part(published, in_words["sizes"]),
        "how_compared": HOW,
        "stability": stability,
        "fuji": OF_FEATURES[analysis.of(SimilarityKeys).similarity_features],
        "one_seed": _seed_text(study, stability is None) if study.content.rankers else "",
        "values": counted_parts(computed["values"]["tables"]),
        "values_text": computed["values"]["text"],
        "datasets": dataset_table(study, names, provenance),
        "rankers": ranker_table(study) if study.content.rankers else None,
        "chains": chain_table(study),
        "evaluation": evaluation_text(study, names, computed["definitions"]),
        "choices": choice_table(used),
        "skipped": plain_table(
            (Column("dataset"), Column("status"), Column("step"), Column("method"), Column("reason")),
            [(row["dataset"], row["status"], row["step"], row["method"], row["reason"]) for row in skipped],
            wrap=("reason",),
        ),
        "costs": counted_parts(computed["costs"]["tables"]),
        "cost_text": computed["costs"]["text"],
        "origin": origin_table(provenance),
        "checksums": checksum_table(provenance),
        "configuration": json.dumps(provenance["configuration"], indent=2, ensure_ascii=False),
    }


def _menu(
    board: Mapping[str, Any] | None, sections: list[dict[str, Any]], stability: Mapping[str, Any] | None
) -> list[tuple[str, str]]:
    """Return the ids and names of the sections, in their order."""
    return [
        *([("answer", "Answer")] if board else []),
        *([("answers", "Questions")] if sections else []),
        ("overview", "About"),
        *((section["id"], section["short"]) for section in sections),
        *([("stability", "Seeds")] if stability else []),
        ("values", "All values"),
        ("compared", "Data and methods"),
        ("skipped", "Missing results"),
        ("cost", "Costs"),
        ("paper", "For a paper"),
        ("files", "Files"),
        ("provenance", "Provenance"),
    ]


def _files(folder: Path, figures: list[dict[str, Any]]) -> list[str]:
    """Return the study's tables, and the files of its figures, relative to its folder."""
    tables = sorted(path.name for path in folder.glob("*.csv"))
    return [*tables, *(name for figure in figures for name in figure["files"])]


def _lacking(skipped: list[dict[str, str]]) -> str:
    """Return the title of the list of missing results."""
    return number_of(len(skipped), "result") + (" is missing" if len(skipped) == 1 else " are missing")


# The numbers at the top of the page, by their names in sections.json: in the singular and in the plural.
_FACTS = {
    "datasets": ("dataset", "datasets"),
    "rankings": ("{what} compared", "{what}s compared"),
    "measures": ("measure", "measures"),
    "values": ("value", "values"),
    "tests": ("test", "tests"),
    "missing": ("missing", "missing"),
}


def _facts(counts: Mapping[str, int], what: str) -> list[dict[str, str]]:
    """Return the numbers at the top of the page; `what` the study compares: rankings or methods."""
    return [
        {"name": (one if counts[name] == 1 else several).format(what=what), "value": f"{counts[name]:,}"}
        for name, (one, several) in _FACTS.items()
    ]


def _seed_text(study: Study, unshown: bool) -> str:
    """Return what is to be said of the seeds of rankings, where no section shows them."""
    return ONE_SEED if study.content.seeds == 1 else NO_SEED if unshown else ""


def _stability(computed: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the section on several seeds; None for a study without one."""
    return (
        None
        if computed is None
        else {"sentences": computed["sentences"], "parts": counted_parts(computed["tables"])}
    )


def _warnings(
    study: Study, names: list[str], failed: int, used: pd.DataFrame, tested: Sequence[pd.DataFrame]
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
        twice = " Every test is reported with and without them."
        found.append(
            f"These datasets differ from the published versions: {', '.join(differing)}."
            f"{twice if any((table['variant'] == 'without-differing').any() for table in tested) else ''}"
        )
    chosen = chosen_here(used)
    if len(chosen):
        kinds = [kind for kind in ("size", "ensemble") if kind in set(chosen["kind"])]
        which = listed(f"{kind}s" for kind in kinds).capitalize()
        if "own" not in set(chosen["choice"]):
            which += " for which the paper's choice is not known"
        convention = ", the sizes by a convention" if len(kinds) > 1 else ", by a convention"
        found.append(
            f"{which} follow from this study's own results{convention if 'size' in kinds else ''}."
            f"{OPTIMISTIC if any(table['p_value'].notna().any() for table in tested) else ''}"
        )
    return found
