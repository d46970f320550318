"""The printed figures of the papers, from the files papers/<study>.yaml.

A file holds the paper's ``source``, the number of ``datasets`` behind its tests, what the paper says about
each question (``findings``), what mlsieve computes from the printed tables about it (``from_tables``), single
values of tables (``cells``, see `mlsieve.replication.cells`), the table with the sizes of the datasets, which
are in the catalog's ``published`` (``dataset_table``), and ``figures``: everything else that is printed. A
figure has

- ``place`` (section, table or figure of the paper) and ``what``, in words, with other keys in braces;
- ``printed``, as the paper prints it (a text where final zeros count), and ``of``, the number of cases where
  it is a count of these; or ``significant`` alone, where the paper gives a verdict without a number;
- for a count in words alone, such as "often": ``every: true`` where it means all cases, else ``majority``,
  whether it means more than half of them or fewer;
- ``ours``: ``find``, the name of a finder, and its arguments. Other keys of the figure that the finder has
  parameters for (question, measure, dataset, method, score, ...) are passed on, too;
- ``conclusion``, the rule of `mlsieve.replication.conclusions` that compares both, if one does;
- ``datasets``, the number of datasets behind it where that is not the paper's (null: not printed);
- ``tolerance``, where it is not half a unit of the last printed digit;
- ``counts_as``, one of `COUNTS_AS`, where it is not a finding: the report counts findings only;
- ``note``, a remark that the report shows with it;
- ``each``: a list of keys that differ, for several figures of one kind, and ``measures``: a list of measures,
  each of which gives such a figure.
"""

from __future__ import annotations

import csv
import functools
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from mlsieve.files.yaml import parse_yaml

FOLDER = "papers"
# What a figure counts as: "finding" of the paper's experiments; "arithmetic", which formulas or a worked
# example give without them; "convention", a choice where no test is significant; "derived", a number that
# the paper does not print, but which follows from others.
FINDING, ARITHMETIC = "finding", "arithmetic"
# Keys of a figure that describe what is printed; all others are for the words and the finder.
_ABOUT_PRINTED = (
    *("place", "what", "printed", "of", "ours", "conclusion", "tolerance"),
    *("counts_as", "note", "each", "measures"),
)


@dataclass(frozen=True)
class Figure:
    """One printed figure.

    Attributes
    ----------
    place, what : str
        Its place in the paper, and its description.
    printed : str
        As printed; empty if the paper prints a verdict only.
    of : int or None
        Of how many cases it is a count.
    find : str
        Name of the finder of the study's own figure.
    arguments : mapping
        Arguments of the finder.
    facts : mapping
        The figure's other keys: question, measure, dataset, method, significant, ...
    conclusion : str
        Name of the rule that compares both; empty: a number without a conclusion.
    tolerance : float or None
        Given in the file; None: half a unit of the last printed digit.
    counts_as : str
        One of `COUNTS_AS`.
    note : str
        A remark, mostly empty.
    """

    place: str
    what: str
    printed: str
    of: int | None
    find: str
    arguments: Mapping[str, Any]
    facts: Mapping[str, Any]
    conclusion: str = ""
    tolerance: float | None = None
    counts_as: str = FINDING
    note: str = ""

    def fact(self, name: str) -> str:
        """Return a key of the figure or an argument of its finder as text; empty where it has none."""
        value = self.facts.get(name, self.arguments.get(name))
        return "" if value is None else str(value)


@dataclass(frozen=True)
class Paper:
    """The printed figures of a paper.

    Attributes
    ----------
    study : str
        Name of its study.
    source : str
    datasets : int
        Number of datasets behind its tests.
    findings : mapping of str to str
        Question to the paper's finding.
    from_tables : mapping of str to str
        Question to a result that mlsieve computes from the paper's printed tables; for few questions.
    figures : tuple of Figure
    cells : mapping or None
        See `mlsieve.replication.cells`.
    dataset_table : mapping or None
        ``place`` of the table of datasets, and ``source``, its key in the catalog's ``published``.
    worked_dataset : str
        The dataset of its worked example of the first iterations of selectors; mostly empty.
    """

    study: str
    source: str
    datasets: int
    findings: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    cells: Mapping[str, Any] | None = None
    dataset_table: Mapping[str, str] | None = None
    worked_dataset: str = ""
    from_tables: Mapping[str, str] = field(default_factory=dict)


def paper_of(study: str) -> Paper | None:
    """Return the paper of the study of that name (the configuration's key ``study``); None for any other."""
    return known_papers().get(study)


@functools.cache
def known_papers() -> Mapping[str, Paper]:
    """Return all papers by the names of their studies."""
    folder = resources.files("mlsieve.published") / FOLDER
    names = sorted(
        item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml")
    )
    return {name: _paper(name) for name in names}


def _paper(study: str) -> Paper:
    known = parse_yaml(_text(f"{study}.yaml"), f"{study}.yaml")
    cells = known.get("cells")
    if cells and "table" in cells:
        cells = _with_table(cells)
    return Paper(
        study,
        known["source"].strip(),
        known["datasets"],
        {question: text.strip() for question, text in known.get("findings", {}).items()},
        tuple(figure for item in known.get("figures", ()) for figure in _figures(item)),
        cells,
        known.get("dataset_table"),
        known.get("worked_dataset", ""),
        {question: text.strip() for question, text in known.get("from_tables", {}).items()},
    )


@functools.cache
def papers_version() -> str:
    """Return 8 hex digits that change whenever a figure in the papers' files does."""
    folder = resources.files("mlsieve.published") / FOLDER
    texts = [item.read_bytes() for item in sorted(folder.iterdir(), key=lambda item: item.name)]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:8]


def _text(name: str) -> str:
    folder = resources.files("mlsieve.published") / FOLDER
    return folder.joinpath(name).read_text(encoding="utf-8")


def _figures(item: Mapping[str, Any]) -> Iterator[Figure]:
    for own in _varied(item):
        keys = {**item, **own}
        ours = {**item.get("ours", {}), **own.get("ours", {})}
        find = ours.pop("find")
        facts = {name: value for name, value in keys.items() if name not in _ABOUT_PRINTED}
        words = {**ours, **facts}
        yield Figure(
            keys["place"].format_map(words),
            keys["what"].format_map(words),
            str(keys.get("printed", "")),
            keys.get("of"),
            find,
            ours,
            facts,
            keys.get("conclusion", ""),
            keys.get("tolerance"),
            keys.get("counts_as", FINDING),
            keys.get("note", "").format_map(words),
        )


def _varied(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the keys in which figures of one kind differ: each of ``each``, by each of its ``measures``."""
    for own in item.get("each", ({},)):
        measures = own.get("measures", item.get("measures"))
        yield from [own] if measures is None else ({**own, "measure": measure} for measure in measures)


def _with_table(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return cells with the rows of their CSV file as each ranking's ``values`` and ``deviations``."""
    rows = list(csv.DictReader(_text(cells["table"]).splitlines()))
    rankings = []
    for item in cells["rankings"]:
        columns: dict[str, dict[str, dict[str, Any]]] = {"values": {}, "deviations": {}, "best": {}}
        for row in rows:
            if row["method"] == item["method"]:
                for name, source in (("values", "printed"), ("deviations", "deviation"), ("best", "best")):
                    columns[name].setdefault(row["measure"], {})[row["dataset"]] = row[source]
        rankings.append({**item, **columns})
    places = {row["measure"]: row["place"] for row in rows}
    return {**cells, "rankings": rankings, "places": places}
