"""The background of a study's numbers: data, methods, provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from mlsieve.analysis.sentences.wording import number_of
from mlsieve.report import tables
from mlsieve.report.tables import Column, Table, plain_table
from mlsieve.study import Study


def dataset_table(study: Study, names: list[str], provenance: Mapping[str, Any]) -> Table:
    """Return the datasets with values: their sizes, splits and domains."""
    columns = [
        Column("dataset"),
        Column("training rows", True),
        Column("test rows", True),
        Column("features", True),
    ]
    columns += [Column("labels", True), Column("cardinality", True), Column("split"), Column("domain")]
    columns += [Column("as published")]
    rows = []
    for name in names:
        entry = study.content.catalog.get(name)
        counts = dict(entry.counts) if entry else {}
        prepared = provenance["data"].get(name, {})
        shape, parts = prepared.get("shape") or ["", ""], prepared.get("rows") or {}
        # The catalog counts the features of the file; a study may leave some out.
        features = shape[1] or counts.get("F") or counts.get("F_numeric", 0) + counts.get("F_nominal", 0)
        official = entry.has_official_split if entry else bool(parts)
        split = "official" if official else f"seeded, of {shape[0]} rows" if shape[0] else "seeded"
        rows.append(
            (
                name,
                counts.get("n_train", parts.get("train", "")),
                counts.get("n_test", parts.get("test", "")),
                features,
                counts.get("L", ""),
                f"{counts['cardinality']:.3f}" if "cardinality" in counts else "",
                split if study.content.keys.split.kind == "official" else "seeded",
                (entry.domain if entry else "") or "",
                "no" if entry and entry.differs_from_paper else "",
            )
        )
    return plain_table(columns, rows)


def ranker_table(study: Study) -> Table:
    """Return the rankings of the study with their parameters and versions."""
    columns = (
        Column("method"),
        Column("ensemble"),
        Column("score"),
        Column("sizes"),
        Column("parameters"),
        Column("version"),
    )
    rows = []
    for ranker in study.content.rankers.values():
        settings = {**ranker.tree_settings, **ranker.settings}
        text = ", ".join(f"{name} = {value}" for name, value in settings.items()) or "defaults"
        sizes = ", ".join(map(str, ranker.sizes))
        rows.append((ranker.label, ranker.ensemble, ranker.score, sizes, text, ranker.version))
    return plain_table(columns, rows, wrap=("parameters",))


def chain_table(study: Study) -> Table | None:
    """Return the methods of the study that predict label sets; None without any."""
    if not study.content.chains:
        return None
    columns = [Column(name) for name in ("method", "predicted as", "parameters", "tuned parameters")]
    columns += [Column("points", True), Column("tuned by"), Column("version", True)]
    rows = []
    for method in study.content.chains.values():
        keys = method.keys
        source = method.tuned_with or method
        names = ", ".join(method.grid_names)
        rows.append(
            (
                f"{method.name} ({method.id})" if method.name != method.id else method.id,
                "; ".join(variant.name for variant in method.variants),
                ", ".join(f"{name} = {value}" for name, value in keys.params.items()) or "defaults",
                names + (f", as chosen for {source.name}" if names and source is not method else ""),
                len(method.points) or "",
                ", ".join(source.keys.tuned_by) if names else "",
                method.entry.version,
            )
        )
    return plain_table(columns, rows, wrap=("predicted as", "parameters", "tuned parameters"))


def evaluation_text(study: Study, names: list[str], measures: Mapping[str, list[str]]) -> str:
    """Return in words how the rankings were evaluated.

    Parameters
    ----------
    study : Study
    names : list of str
        The datasets with values.
    measures : mapping of str to list of str
        The computed measures by their definition, from sections.json.
    """
    evaluators = []
    for evaluator in study.content.evaluators.values():
        settings = ", ".join(f"{name} = {value}" for name, value in evaluator.settings.items())
        evaluators.append(evaluator.id + (f" ({settings})" if settings else ""))
        evaluators[-1] += "".join(_exception_texts(study, evaluator.id))
    split = study.content.keys.split.kind
    repeats = study.content.repeats
    entries = [study.content.catalog.get(name) for name in names]
    lacking = any(entry is None or not entry.has_official_split for entry in entries)
    seeded = ", or a seeded one for datasets without it" if split == "official" and lacking else ""
    computed = [
        f"{number_of(len(each), 'measure')} by the definition {definition}: {', '.join(each)}"
        for definition, each in measures.items()
    ]
    what = f"The rankings are evaluated by {', '.join(evaluators)}"
    if study.content.chains:
        what = (
            "Parameters are chosen on a fifth of the training part, which is the same for all methods. The "
            "methods then learn from the whole training part. Their predictions are evaluated"
        )
    return (
        f"{what} on the test part ({split} split{seeded}; "
        f"repeats: {repeats}). The study computes {'; '.join(computed)}."
    )


def _exception_texts(study: Study, evaluator: str) -> Iterator[str]:
    """Yield the settings of an evaluator that differ for some datasets, to follow its name."""
    items = {item.id: item for item in study.content.keys.evaluators}
    for exception in items[evaluator].exceptions:
        settings = ", ".join(f"{name} = {value}" for name, value in exception.params.items())
        methods = f" of {', '.join(exception.methods)}" if exception.methods else ""
        yield f" (with {settings} for the rankings{methods} on {', '.join(exception.datasets)})"


def choice_table(used: pd.DataFrame) -> Table | None:
    """Return the sizes and ensembles that later questions use; None if there are none."""
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


def origin_table(provenance: Mapping[str, Any]) -> Table:
    """Return commit, versions, seed and host."""
    rows = {
        "study": provenance["study"],
        "finished": provenance["finished"],
        "commit": provenance["commit"] or "not run from a git repository",
        "study seed": provenance["seeds"]["study"],
        "host": f"{provenance['host']['system']}, {number_of(provenance['host']['cores'], 'core')}",
        "versions": ", ".join(f"{name} {version}" for name, version in provenance["versions"].items()),
    }
    return tables.mapping_table(rows)


def checksum_table(provenance: Mapping[str, Any]) -> Table:
    """Return the checksums of source and prepared files."""
    rows = []
    for name, facts in provenance["data"].items():
        for role, file in (facts.get("files") or {}).items():
            rows.append((name, f"{role}: {file['name']}", file["sha256"]))
        rows.append((name, "prepared", facts["sha256"]))
    return plain_table((Column("dataset"), Column("file"), Column("SHA-256")), rows)
