"""Values that papers print, beside a study's own of the same setting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

from mlsieve.measures import choose
from mlsieve.questions.table import at_full_size
from mlsieve.questions.wording import listed
from mlsieve.registry import lookup
from mlsieve.report.tables import Cell, Column, Row, Table
from mlsieve.study import Study


def published_values() -> dict[str, dict[str, Any]]:
    """Return published_values.yaml: for each paper's study ``source``, the setting, and ``rankings``.

    Returns
    -------
    dict of str to dict
        ``split``, ``definition``, ``evaluator`` and, where it matters, ``train_share`` are the setting; each
        of ``rankings`` has ``method``, ``params`` and ``values``, which hold a number by measure and data
        set. With ``tolerance`` the values are means over splits.
    """
    import yaml

    text = resources.files("mlsieve.report").joinpath("published_values.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)


def as_printed(value: float) -> float:
    """Return a value with the three significant digits that are printed."""
    return float(f"{value:.3g}")


@dataclass(frozen=True)
class Pair:
    """A published value, and the study's own.

    Attributes
    ----------
    ranking, measure, dataset : str
    published, own : float
    margin : float or None
        How far they may lie apart; None: they have to agree in all printed digits.
    n_splits : int
        Of which `own` is the mean.
    """

    ranking: str
    measure: str
    dataset: str
    published: float
    own: float
    margin: float | None = None
    n_splits: int = 1

    @property
    def met(self) -> bool:
        """Whether the study's value is the published one, to all printed digits or within the margin."""
        if self.margin is not None:
            return abs(self.own - self.published) <= self.margin + 1e-12
        return as_printed(self.own) == self.published


def published_pairs(
    study: Study, performance: pd.DataFrame, known: Mapping[str, Any]
) -> tuple[list[Pair], list[str]]:
    """Return each published value whose setting the study has, with the study's own.

    Parameters
    ----------
    study : Study
    performance : DataFrame
        The study's performance.csv.
    known : mapping
        One paper's part of `published_values`.

    Returns
    -------
    pairs : list of Pair
    others : list of str
        Why rankings of the study have no value beside theirs although the paper prints some of their method.
    """
    evaluator = known["evaluator"]
    settings = [one.settings for one in study.evaluators.values() if one.id == evaluator["id"]]
    share = study.configuration.get("split", {}).get("train_share")
    if not _alike("evaluator", evaluator["id"], settings, evaluator["params"]):
        return [], []
    if known.get("train_share") not in (None, share):
        return [], []
    some = at_full_size(performance)
    printed = list(dict.fromkeys(measure for item in known["rankings"] for measure in item["values"]))
    # A measure that has one definition for all papers keeps its name in the tables.
    defined = {name: choose([name], known["definition"])[0].definition for name in printed}
    some = some[
        (some["evaluator"] == evaluator["id"])
        & (some["split"] == known["split"])
        & (some["definition"] == some["measure"].map(defined))
    ]
    if "tolerance" not in known:
        some = some[some["repeat"] == 0]
    changes = known.get("changes", {})
    some = some[some["dataset"].isin(_papers_own(study, changes))]
    groups = some.groupby(["method", "measure", "dataset"])["value"]
    cells = groups.agg(["mean", "sem", "count"]).to_dict("index")
    pairs, others = [], []
    for item in known["rankings"]:
        method = item["method"]
        # A default that depends on the data is the one of the data that the paper uses.
        of_data = item.get("defaults", {})
        given = [
            of_data | {name: value for name, value in ranker.settings.items() if value is not None}
            for ranker in study.rankers.values()
            if ranker.label == method
        ]
        found = [
            _pair(method, measure, dataset, number, cells[method, measure, dataset], known.get("tolerance"))
            for measure, row in item["values"].items()
            for dataset, number in row.items()
            if (method, measure, dataset) in cells
        ]
        if _alike("ranker", method, given, item["params"]):
            pairs += found
        elif found:
            others.append(_difference(method, given, item["params"]))
    if pairs:
        missing = [measure for measure in printed if measure not in {pair.measure for pair in pairs}]
        if missing:
            others.append(
                f"Those of {listed(missing)} are left out: the study has no such measure as "
                f"{known['definition']} defines it."
            )
    return pairs, others


def _pair(
    method: str,
    measure: str,
    dataset: str,
    published: float,
    cell: Mapping[str, float],
    tolerance: Mapping[str, float] | None,
) -> Pair:
    margin = None
    if tolerance is not None:
        error = 0.0 if math.isnan(cell["sem"]) else cell["sem"]
        margin = max(tolerance["standard_errors"] * error, tolerance["least"])
    found = (float(published), float(cell["mean"]), margin, int(cell["count"]))
    return Pair(method, measure, dataset, *found)


def known_pairs(
    study: Study, performance: pd.DataFrame
) -> Iterator[tuple[dict[str, Any], list[Pair], list[str]]]:
    """Yield the papers of whose values the study has the setting: their part of the file, pairs, others."""
    for known in published_values().values():
        pairs, others = published_pairs(study, performance, known)
        if pairs:
            yield known, pairs, others


def published_parts(study: Study, performance: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the report shows of published values: title, text, source and table of each paper."""
    return [
        {
            "title": "Beside the published values",
            "text": " ".join([_text(pairs, known), *others]),
            "source": known["source"].strip(),
            "table": published_table(pairs),
        }
        for known, pairs, others in known_pairs(study, performance)
    ]


def _text(pairs: list[Pair], known: Mapping[str, Any]) -> str:
    met = sum(pair.met for pair in pairs)
    if "tolerance" in known:
        splits = sorted({pair.n_splits for pair in pairs})
        over = str(splits[0]) if len(splits) == 1 else f"{splits[0]} to {splits[-1]}"
        tolerance = known["tolerance"]
        return (
            f"Of the {len(pairs)} published means that were compared, {met} lie within "
            f"{tolerance['standard_errors']} standard errors of the study's mean over {over} "
            f"split{'s' * (splits[-1] != 1)}, or within {tolerance['least']} where that is more (bold). "
            "The splits are random and not the paper's. "
            "Only values of the same setting stand beside each other: the share of the rows that is learned "
            "from, the evaluator, and the data that the paper used."
        )
    return (
        f"Of the {len(pairs)} printed values that were compared, {met} come out to all printed digits "
        "(bold). Only values of the same setting stand beside each other: the official split, the data that "
        "the paper used, 15 neighbours, distances scaled by training and test part together (ranges = all)."
    )


def published_table(pairs: list[Pair]) -> Table:
    """Return published value, own value and difference: a row a ranking and measure, three columns a set."""
    datasets = list(dict.fromkeys(pair.dataset for pair in pairs))
    columns = [Column("ranking"), Column("measure")]
    for name in datasets:
        columns += [Column(f"{name}: published", True), Column("here", True), Column("difference", True)]
    by_place = {(pair.ranking, pair.measure, pair.dataset): pair for pair in pairs}
    rows = []
    for ranking, measure in dict.fromkeys((pair.ranking, pair.measure) for pair in pairs):
        cells = [Cell(ranking), Cell(measure)]
        for name in datasets:
            pair = by_place.get((ranking, measure, name))
            if pair is None:
                cells += [Cell("–", "n none")] * 3
                continue
            cells.append(Cell(f"{pair.published:.3g}", "n"))
            cells.append(Cell(f"{pair.own:.4g}", "n best" if pair.met else "n"))
            within = "" if pair.margin is None else f" (of ±{pair.margin:.5f})"
            cells.append(Cell(f"{pair.own - pair.published:+.5f}{within}", "n"))
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows))


def _papers_own(study: Study, changes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the ids of data sets that are the paper's own: the catalog's, with the paper's changes."""
    found = []
    for data in study.datasets.values():
        entry = study.catalog.get(data.id)
        if data.own or entry is None or entry.differs_from_paper:
            continue
        if dict(data.files) == dict(changes.get(data.id, {})):
            found.append(data.id)
    return found


def _defaults(kind: str, id: str) -> dict[str, Any]:
    return {name: schema["default"] for name, schema in lookup(kind, id).parameters().items()}


def _alike(kind: str, id: str, given: list[Mapping[str, Any]], wanted: Mapping[str, Any]) -> bool:
    """Whether a study has a method just once, and with these parameters."""
    return len(given) == 1 and not (wanted and _differing(kind, id, given[0], wanted))


def _differing(kind: str, id: str, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    own = _defaults(kind, id) | dict(given)
    # A count and a share are different settings: m = 1 is one example, m = 1.0 all of them.
    return [name for name, value in wanted.items() if (own[name], type(own[name])) != (value, type(value))]


def _difference(method: str, given: list[Mapping[str, Any]], wanted: Mapping[str, Any]) -> str:
    if len(given) != 1:
        return f"The published values of {method} are left out: this study has it with several settings."
    own = _defaults("ranker", method) | dict(given[0])
    names = _differing("ranker", method, given[0], wanted)
    published, here = (", ".join(f"{name} = {of[name]}" for name in names) for of in (wanted, own))
    return f"Those of {method} are left out: they are printed for {published}, and here {here}."
