"""Values that a paper prints, beside a study's own of the same setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

from mlsieve.registry import lookup
from mlsieve.report.tables import Cell, Column, Row, Table
from mlsieve.study import Study


def published_values() -> dict[str, Any]:
    """Return published_values.yaml: ``source``, the setting, and ``rankings`` with their values.

    Returns
    -------
    dict
        ``split``, ``definition`` and ``evaluator`` are the setting; each of ``rankings`` has ``method``,
        ``params`` and ``values``, which hold a number by measure and data set.
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
    """

    ranking: str
    measure: str
    dataset: str
    published: float
    own: float

    @property
    def met(self) -> bool:
        """Whether the study's value equals the published one to all printed digits."""
        return as_printed(self.own) == self.published


def published_pairs(study: Study, performance: pd.DataFrame) -> tuple[list[Pair], list[str]]:
    """Return each published value whose setting the study has, with the study's own.

    Parameters
    ----------
    study : Study
    performance : DataFrame
        The study's performance.csv.

    Returns
    -------
    pairs : list of Pair
    others : list of str
        Why rankings of the study have no value beside theirs although the paper prints some of their method.
    """
    known = published_values()
    evaluator = known["evaluator"]
    told = {
        item["method"]: [
            ranker.settings for ranker in study.rankers.values() if ranker.method == item["method"]
        ]
        for item in known["rankings"]
    }
    settings = [one.settings for one in study.evaluators.values() if one.id == evaluator["id"]]
    if not _alike("evaluator", evaluator["id"], settings, evaluator["params"]):
        return [], []
    some = performance[
        (performance["evaluator"] == evaluator["id"])
        & (performance["split"] == known["split"])
        & (performance["definition"] == known["definition"])
        & (performance["repeat"] == 0)
    ]
    some = some[some["dataset"].isin([name for name in study.datasets if _papers_own(study, name)])]
    values = some.set_index(["method", "measure", "dataset"])["value"].to_dict()
    pairs, others = [], []
    for item in known["rankings"]:
        method = item["method"]
        found = [
            Pair(method, measure, dataset, float(number), float(values[method, measure, dataset]))
            for measure, row in item["values"].items()
            for dataset, number in row.items()
            if (method, measure, dataset) in values
        ]
        if _alike("ranker", method, told[method], item["params"]):
            pairs += found
        elif found:
            others.append(_difference(method, told[method], item["params"]))
    return pairs, others


def published_part(study: Study, performance: pd.DataFrame) -> dict[str, Any] | None:
    """Return what the report shows of published values: title, text and table; None where there are none."""
    pairs, others = published_pairs(study, performance)
    if not pairs:
        return None
    met = sum(pair.met for pair in pairs)
    text = (
        f"{met} of {len(pairs)} values that the paper prints come out to all printed digits (bold). Only "
        "values of the same setting stand beside each other: the official split, the data that the paper "
        "used, 15 neighbours, distances scaled by training and test part together (ranges = all)."
    )
    return {
        "title": "Beside the published values",
        "text": " ".join([text, *others]),
        "source": published_values()["source"].strip(),
        "table": published_table(pairs),
    }


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
            cells.append(Cell(f"{pair.own - pair.published:+.5f}", "n"))
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows))


def _papers_own(study: Study, name: str) -> bool:
    """Whether a data set of the study is the catalog's and does not differ from the paper's."""
    entry = study.catalog.get(study.datasets[name].id)
    return entry is not None and not entry.differs_from_paper


def _defaults(kind: str, id: str) -> dict[str, Any]:
    return {name: schema["default"] for name, schema in lookup(kind, id).parameters().items()}


def _alike(kind: str, id: str, given: list[Mapping[str, Any]], wanted: Mapping[str, Any]) -> bool:
    """Whether a study has a method just once, and with these parameters."""
    return len(given) == 1 and not _differing(kind, id, given[0], wanted)


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
