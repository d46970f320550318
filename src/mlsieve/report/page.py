"""Gather a study's files and write its page."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.collecting import read_rows
from mlsieve.configuration.merge import read_json
from mlsieve.errors import UserError
from mlsieve.report import tables
from mlsieve.report.tables import Column, Table, plain_table
from mlsieve.study import Study

SHORT_TITLES = {
    "saturation": "Saturation",
    "relevance": "Relevance",
    "ensemble": "Best ensemble",
    "relief": "Against Relief",
    "score": "Best score",
    "comparison": "Comparison",
}


def build_report(folder: str | os.PathLike[str], provenance: Mapping[str, Any]) -> str:
    """Return the page of a study as HTML that refers to nothing outside itself.

    Parameters
    ----------
    folder : path-like
        results/<study>, with the tables, findings.json and figures/ of a finished study.
    provenance : mapping
        What `mlsieve.provenance.provenance` returns.

    Raises
    ------
    UserError
        If one of the study's files is missing or damaged.
    """
    import jinja2

    from mlsieve import __version__

    study_folder = Path(folder)
    content = read_json(study_folder / "configuration" / "study.json")
    study = Study(content, cache=content["cache"])
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
    performance = _frame(folder / "performance.csv")
    tests, ranks = _frame(folder / "tests.csv"), _frame(folder / "average_ranks.csv")
    choices = _frame(folder / "choices.csv")
    findings = read_json(folder / "findings.json")["findings"]
    skipped, timings = read_rows(folder / "skipped.csv"), read_rows(folder / "timings.csv")
    figures = read_figures(folder / "figures" / "figures.json")
    used = choices[choices["used"].astype(str).str.lower() == "true"] if len(choices) else choices
    failed = sum(row["status"] == "failed" for row in skipped)
    names = sorted(performance["dataset"].unique())
    values, values_text = _values(performance, used)
    costs, costs_by_data, cost_text = _costs(timings)
    facts = [
        ("data sets", len(names)),
        ("rankings compared", len(performance[["method", "ensemble", "score", "size"]].drop_duplicates())),
        ("measures", performance["measure"].nunique()),
        ("values", f"{len(performance):,}"),
        ("tests", f"{len(tests):,}"),
        ("missing", len(skipped)),
    ]
    return {
        "title": study.configuration.get("title", study.name),
        "description": study.configuration.get("description", ""),
        "facts": [{"name": name, "value": value} for name, value in facts],
        "warnings": _warnings(study, names, failed, skipped),
        "figures": [
            figure for figure in figures if figure["question"] not in {item["question"] for item in findings}
        ],
        "sections": [_section(item, tests, ranks, figures) for item in findings],
        "glance": _glance(tests, used, performance, timings),
        "values": values,
        "values_text": values_text,
        "datasets": _datasets(study, names, provenance),
        "rankers": _rankers(study),
        "evaluation": _evaluation(study),
        "choices": _choices(used),
        "skipped": plain_table(
            (Column("data set"), Column("status"), Column("step"), Column("method"), Column("reason")),
            [(row["dataset"], row["status"], row["step"], row["method"], row["reason"]) for row in skipped],
            wrap=("reason",),
        ),
        "costs": costs,
        "costs_by_data": costs_by_data,
        "cost_text": cost_text,
        "origin": _origin(provenance),
        "checksums": _checksums(provenance),
        "configuration": json.dumps(provenance["configuration"], indent=2, ensure_ascii=False),
    }


def _frame(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise UserError("no such file", file=path, cure="run the study first: snakemake --cores 2")
    text = (
        "ensemble",
        "score",
        "split",
        "note",
        "control",
        "methods",
        "method",
        "measure",
        "dataset",
        "value",
    )
    try:
        header = pd.read_csv(path, nrows=0).columns
        plain = {
            name: str for name in header if name in text and not (name == "value" and "measure" in header)
        }
        frame = pd.read_csv(path, dtype=plain)
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(
            f"is not a CSV table ({error})", file=path, cure="remove it and run the study again"
        ) from error
    return frame.fillna(dict.fromkeys(plain, ""))


def read_figures(index: Path) -> list[dict[str, Any]]:
    """Return the figures of an index with their pictures inside, as data URIs.

    Parameters
    ----------
    index : Path
        figures.json as ``mlsieve figures`` writes it.
    """
    if not index.is_file():
        raise UserError("no such file", file=index, cure="run the study first: snakemake --cores 2")
    try:
        items = json.loads(index.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(
            f"is not JSON ({error})", file=index, cure="remove it and run the study again"
        ) from error
    found = []
    for item in items:
        files = [str(name) for name in item["files"]]
        picture = next((name for name in files if name.endswith((".svg", ".png"))), None)
        if picture is None:
            continue
        path = index.parent / picture
        if not path.is_file():
            raise UserError("no such file", file=path, cure="run the study again")
        kind = "svg+xml" if picture.endswith(".svg") else "png"
        found.append(
            {
                "question": item.get("question", ""),
                "title": item.get("title", ""),
                "caption": item.get("caption", ""),
                "files": ", ".join(files),
                "wide": _is_wide(path),
                "data": f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}",
            }
        )
    return found


def _is_wide(path: Path) -> bool:
    """Whether a picture of many panels needs the page's whole width."""
    import re

    if path.suffix != ".svg":
        return True
    head = path.read_text(encoding="utf-8")[:2000]
    sides = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', head)
    return sides is None or float(sides[1]) > 560 or float(sides[2]) > 420


def _glance(
    tests: pd.DataFrame, used: pd.DataFrame, performance: pd.DataFrame, timings: list[dict[str, str]]
) -> Table | None:
    """Return a row for each ranking of the paper family: is it better than the control, and what does it cost?"""
    some = tests[
        (tests["question"] == "relevance") & (tests["family"] == "paper") & (tests["variant"] == "all")
    ]
    if not len(some):
        return None
    sizes = {row["item"]: row["value"] for row in used.to_dict("records") if row["kind"] == "size"}
    seconds = {(row["step"], row["ensemble"], row["score"]): 0.0 for row in timings}
    for row in timings:
        seconds[row["step"], row["ensemble"], row["score"]] += float(row["seconds"] or 0)
    n_datasets = max(1, performance["dataset"].nunique())
    rows = []
    for methods, group in some.groupby("methods", sort=False):
        label, control = str(methods).split(";")
        rejected = group["rejected"].astype(str).str.lower() == "true"
        better = int((rejected & (group["wins"] > group["losses"])).sum())
        worse = int((rejected & (group["wins"] < group["losses"])).sum())
        ensemble, _, score = label.partition("/")
        cost = seconds.get(("grow", ensemble, ""), 0.0) + seconds.get(("rank", ensemble, score), 0.0)
        counts = " / ".join(str(int(group[name].sum())) for name in ("wins", "ties", "losses"))
        rows.append(
            (
                label,
                sizes.get(label, ""),
                control,
                better,
                worse,
                len(group) - better - worse,
                counts,
                cost / n_datasets,
            )
        )
    columns = [Column("ranking"), Column("trees", True), Column("control"), Column("measures better", True)]
    columns += [Column("worse", True), Column("no difference shown", True), Column("win / tie / loss", True)]
    columns += [Column("seconds a data set", True)]
    return plain_table(columns, rows)


def _told(sentences: list[str]) -> dict[str, list[str]]:
    """Sort findings by family; a remark that several findings repeat is said once.

    Returns
    -------
    dict
        main, extended : findings; remarks : what several of them said.
    """
    import re
    from collections import Counter

    split = [re.split(r"(?<=[a-z)]\.) (?=[A-Z])", text) for text in sentences]
    often = Counter(part for parts in split for part in set(parts[1:]))
    remarks = [part for part, count in often.items() if count > 2]
    told: dict[str, list[str]] = {"main": [], "extended": [], "remarks": remarks}
    for parts in split:
        text = " ".join(part for part in parts if part not in remarks)
        told["extended" if text.startswith("All methods") else "main"].append(text)
    return told


def _warnings(study: Study, names: list[str], failed: int, skipped: list[dict[str, str]]) -> list[str]:
    found = []
    if failed:
        found.append(
            f"{failed} jobs of this study failed. The page shows what the others gave; see “What is missing”."
        )
    differing = [name for name in names if (entry := study.catalog.get(name)) and entry.differs_from_paper]
    if differing:
        found.append(
            "Not the data of the paper: "
            + ", ".join(differing)
            + ". Every test is given with and without these sets."
        )
    if study.configuration.get("analysis", {}).get("choice", "paper") == "own":
        found.append(
            "Sizes and ensembles were chosen by this study's own tests, and the tests that follow use the same data sets: "
            "their p-values are optimistic."
        )
    return found


def _section(
    item: Mapping[str, Any], tests: pd.DataFrame, ranks: pd.DataFrame, figures: list[dict[str, Any]]
) -> dict[str, Any]:
    question = item["question"]
    parts = []
    titles = {"paper": "the paper's methods", "extended": "all methods"}
    for family in dict.fromkeys([*ranks["family"], *tests["family"]]):
        title = titles.get(str(family), str(family))
        some = ranks[
            (ranks["question"] == question) & (ranks["family"] == family) & (ranks["variant"] == "all")
        ]
        if len(some):
            text = "1 is best. The critical distance is given where Friedman's test rejects."
            parts.append({"title": f"Average ranks, {title}", "text": text, "table": tables.rank_table(some)})
        some = tests[(tests["question"] == question) & (tests["family"] == family)]
        if len(some):
            count = f"{len(some)} test{'s' * (len(some) != 1)}"
            parts.append({"title": f"Tests, {title} ({count})", "text": "", "table": tables.test_table(some)})
    return {
        "id": f"question-{question}",
        "short": SHORT_TITLES.get(question, question.capitalize()),
        "title": item["title"],
        **_told(item["sentences"]),
        "notes": item["notes"],
        "figures": [figure for figure in figures if figure["question"] == question],
        "tables": parts,
    }


def _values(performance: pd.DataFrame, used: pd.DataFrame) -> tuple[list[dict[str, Any]], str]:
    """Return one table a measure: data sets by methods, each at the size that the study uses for it."""
    from mlsieve.registry import entries

    known = entries("measure")
    frame = performance.copy()
    pairs = frame["ensemble"] != ""
    frame["label"] = frame["method"].where(~pairs, frame["ensemble"] + "/" + frame["score"])
    sizes = {row["item"]: int(row["value"]) for row in used.to_dict("records") if row["kind"] == "size"}
    largest = frame.groupby("label")["size"].max().to_dict()
    wanted = frame["label"].map(lambda label: sizes.get(label, largest[label]))
    frame = frame[frame["size"] == wanted]
    order = list(dict.fromkeys(frame["label"]))
    made = []
    for (evaluator, measure), group in frame.groupby(["evaluator", "measure"], sort=False):
        wide = (
            group.groupby(["dataset", "label"], sort=False)["value"]
            .mean()
            .unstack("label")[[label for label in order if label in set(group["label"])]]
        )
        direction = str(known[measure].facts["direction"]) if measure in known else "higher"
        made.append(
            {
                "title": f"{measure} by {evaluator} ({direction} is better)",
                "table": tables.value_table(wide, direction),
            }
        )
    text = (
        "Each measure's values by data set and method, every ensemble at the size that the later questions use. "
        "The best value of a row is bold (at three decimals). All sizes are in performance.csv."
    )
    return made, text


def _datasets(study: Study, names: list[str], provenance: Mapping[str, Any]) -> Table:
    columns = [
        Column("data set"),
        Column("training rows", True),
        Column("test rows", True),
        Column("features", True),
    ]
    columns += [Column("labels", True), Column("cardinality", True), Column("split"), Column("related sets")]
    columns += [Column("the paper's data")]
    rows = []
    for name in names:
        entry = study.catalog.get(name)
        counts = dict(entry.counts) if entry else {}
        shape = provenance["data"].get(name, {}).get("shape") or ["", ""]
        features = counts.get("F") or (counts.get("F_numeric", 0) + counts.get("F_nominal", 0)) or shape[1]
        split = "official" if entry and entry.has_official_split else "seeded"
        rows.append(
            (
                name,
                counts.get("n_train", shape[0]),
                counts.get("n_test", ""),
                features,
                counts.get("L", ""),
                counts.get("cardinality", ""),
                split
                if study.configuration.get("split", {}).get("kind", "official") == "official"
                else "seeded",
                (entry.family if entry else "") or "",
                "no" if entry and entry.differs_from_paper else "",
            )
        )
    return plain_table(columns, rows)


def _rankers(study: Study) -> Table:
    columns = (
        Column("method"),
        Column("ensemble"),
        Column("score"),
        Column("sizes"),
        Column("parameters"),
        Column("version"),
    )
    rows = []
    for ranker in study.rankers.values():
        settings = {**ranker.tree_settings, **ranker.settings}
        text = ", ".join(f"{name} = {value}" for name, value in settings.items()) or "defaults"
        sizes = ", ".join(map(str, ranker.sizes))
        rows.append((ranker.method, ranker.ensemble, ranker.score, sizes, text, ranker.version))
    return plain_table(columns, rows, wrap=("parameters",))


def _evaluation(study: Study) -> str:
    evaluators = []
    for evaluator in study.evaluators.values():
        settings = ", ".join(f"{name} = {value}" for name, value in evaluator.settings.items())
        evaluators.append(evaluator.id + (f" ({settings})" if settings else ""))
    split, repeats = study.configuration.get("split", {}).get("kind", "official"), len(study.splits)
    definition = study.configuration.get("definition", "clus")
    return (
        f"By {', '.join(evaluators)} on the test part ({split} split, {repeats} repeat{'s' * (repeats != 1)}); "
        f"{len(study.measures)} measures as {definition} defines them: {', '.join(study.measures)}."
    )


def _choices(used: pd.DataFrame) -> Table | None:
    if not len(used):
        return None
    columns = (Column("chosen by"), Column("what"), Column("for"), Column("value"), Column("note"))
    rows = [
        (
            row["choice"],
            row["kind"],
            row["item"],
            row["value"],
            row["note"] if isinstance(row["note"], str) else "",
        )
        for row in used.to_dict("records")
    ]
    return plain_table(columns, rows, wrap=("note",))


def _costs(timings: list[dict[str, str]]) -> tuple[Table, Table, str]:
    frame = pd.DataFrame(
        timings,
        columns=["dataset", "method", "seconds", "cpu_seconds", "peak_mb", "step", "ensemble", "score"],
    )
    for name in ("seconds", "cpu_seconds", "peak_mb"):
        frame[name] = pd.to_numeric(frame[name], errors="coerce")
    frame = frame.fillna({"method": "", "ensemble": "", "score": ""})
    columns = (
        Column("step"),
        Column("method"),
        Column("jobs", True),
        Column("seconds", True),
        Column("peak MB", True),
    )
    rows = []
    for (step, method, ensemble, score), group in frame.groupby(
        ["step", "method", "ensemble", "score"], sort=False
    ):
        if step in {"predict", "score"}:
            continue
        name = " ".join(filter(None, (method, ensemble, score)))
        rows.append((step, name, len(group), float(group["seconds"].sum()), float(group["peak_mb"].max())))
    for step in ("predict", "score"):
        group = frame[frame["step"] == step]
        if len(group):
            rows.append(
                (step, "all", len(group), float(group["seconds"].sum()), float(group["peak_mb"].max()))
            )
    wide = frame.pivot_table(index="dataset", columns="step", values="seconds", aggfunc="sum", fill_value=0.0)
    steps = [step for step in ("prepare", "grow", "rank", "predict", "score") if step in wide.columns]
    by_data = plain_table(
        (Column("data set"), *(Column(step, True) for step in steps)),
        [(name, *(float(row[step]) for step in steps)) for name, row in wide[steps].iterrows()],
    )
    total = frame["seconds"].sum()
    text = (
        f"{len(frame)} jobs, {total:,.0f} seconds of work in all. Every job pays one to two seconds for the start of Python; "
        "a ranking from an ensemble costs its grow and its rank job, all sizes together. Single jobs are in timings.csv."
    )
    return plain_table(columns, rows), by_data, text


def _origin(provenance: Mapping[str, Any]) -> Table:
    rows = {
        "study": provenance["study"],
        "finished": provenance["finished"],
        "commit": provenance["commit"] or "not run from a git repository",
        "study seed": provenance["seeds"]["study"],
        "host": f"{provenance['host']['system']}, {provenance['host']['cores']} cores",
        "versions": ", ".join(f"{name} {version}" for name, version in provenance["versions"].items()),
    }
    return tables.mapping_table(rows)


def _checksums(provenance: Mapping[str, Any]) -> Table:
    rows = []
    for name, facts in provenance["data"].items():
        for role, file in (facts.get("files") or {}).items():
            rows.append((name, f"{role}: {file['name']}", file["sha256"]))
        rows.append((name, "prepared", facts["sha256"]))
    return plain_table((Column("data set"), Column("file"), Column("SHA-256")), rows)
