"""The background of a study's numbers: data, methods, provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from mlsieve.analysis.sentences.wording import number_of
from mlsieve.data.splits import TRAIN_SHARE, holdout_size
from mlsieve.report import tables
from mlsieve.report.tables import Column, Table, plain_table
from mlsieve.study import Study
from mlsieve.study.chains.keys import VariantKeys

if TYPE_CHECKING:
    from mlsieve.data.catalog import DatasetEntry


_FOLDS = {
    "auto": "random, or stratified by labels where at random a part lacks a label that has enough examples",
    "random": "random",
    "stratified": "stratified by labels",
    "stratified-pairs": "stratified by pairs of labels",
}


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
        sizes = {**_listed_sizes(entry), **_prepared_sizes(provenance["data"].get(name, {}))}
        official = entry.has_official_split if entry else bool(sizes.get("n_test"))
        is_seeded = study.content.keys.split.kind != "official" or not official
        if is_seeded:
            sizes |= _seeded_sizes(sizes, study.content.keys.split.train_share)
        cardinality = sizes.get("cardinality")
        rows.append(
            (
                name,
                *(sizes.get(key, "") for key in ("n_train", "n_test", "F", "L")),
                "" if cardinality is None else f"{cardinality:.3f}",
                "seeded" if is_seeded else "official",
                (entry.domain if entry else "") or "",
                "no" if entry and entry.differs_from_paper else "",
            )
        )
    return plain_table(columns, rows)


def _listed_sizes(entry: DatasetEntry | None) -> dict[str, Any]:
    """Return what the catalog counts in the files of a dataset."""
    if entry is None:
        return {}
    features = {"F": entry.counts.get("F_numeric", 0) + entry.counts.get("F_nominal", 0)}
    return {**features, **entry.counts}


def _prepared_sizes(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a prepared file holds; a study may have left out rows, features and classes."""
    shape, parts = facts.get("shape"), facts.get("rows") or {}
    known = {"n_train": parts.get("train"), "n_test": parts.get("test")}
    known |= {"L": facts.get("labels"), "cardinality": facts.get("cardinality")}
    if shape:
        known |= {"n": shape[0], "F": shape[1]}
    return {key: value for key, value in known.items() if value is not None}


def _seeded_sizes(sizes: Mapping[str, Any], share: float | None) -> dict[str, Any]:
    """Return how many rows a seeded split puts into each part; nothing where their number is not known."""
    n = sizes.get("n") or sizes.get("n_train", 0) + sizes.get("n_test", 0)
    if n < 2:
        return {}
    n_train = holdout_size(n, TRAIN_SHARE if share is None else share)
    return {"n_train": n_train, "n_test": n - n_train}


def parameters_text(settings: Mapping[str, Any]) -> str:
    """Return parameters with their values, joined with commas."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


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
        text = parameters_text(settings) or "defaults"
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
                "; ".join(map(_variant_text, method.variants)),
                parameters_text(keys.params) or "defaults",
                names + (f": the values chosen for {source.name}" if names and source is not method else ""),
                sum(len(point.combinations) for point in method.points) or "",
                ", ".join(source.keys.tuned_by) if names else "",
                method.entry.version,
            )
        )
    return plain_table(columns, rows, wrap=("predicted as", "parameters", "tuned parameters"))


def _variant_text(variant: VariantKeys) -> str:
    """Return a variant's name, with its own parameters in parentheses."""
    own = parameters_text(variant.params)
    return f"{variant.name} ({own})" if own else variant.name


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
        settings = parameters_text(evaluator.settings)
        evaluators.append(evaluator.id + (f" ({settings})" if settings else ""))
        evaluators[-1] += "".join(_exception_texts(study, evaluator.id))
    split = study.content.keys.split.kind
    repeats = study.content.repeats
    entries = [study.content.catalog.get(name) for name in names]
    lacking = any(entry is None or not entry.has_official_split for entry in entries)
    seeded = ", or a seeded one for datasets without it" if split == "official" and lacking else ""
    is_any_seeded = split != "official" or lacking
    made = f"; seeded parts are {_FOLDS[study.content.keys.split.folds]}" if is_any_seeded else ""
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
        f"repeats: {repeats}{made}). The study computes {'; '.join(computed)}."
    )


def _exception_texts(study: Study, evaluator: str) -> Iterator[str]:
    """Yield the settings of an evaluator that differ for some datasets, to follow its name."""
    items = {item.id: item for item in study.content.keys.evaluators}
    for exception in items[evaluator].exceptions:
        settings = parameters_text(exception.params)
        methods = f" of {', '.join(exception.methods)}" if exception.methods else ""
        yield f" (with {settings} for the rankings{methods} on {', '.join(exception.datasets)})"


def choice_table(used: pd.DataFrame) -> Table | None:
    """Return the sizes and ensembles in use that have alternatives, or a note; None if there are none."""
    used = used[(used["alternatives"] > 1) | (used["note"] != "")]
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
