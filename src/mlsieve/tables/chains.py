"""Files of ``mlsieve step chain-test``, and the tables of a study that they become."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.arrays import complete
from mlsieve.files.csv_tables import (
    CHAIN_CURVES,
    CHAIN_ORDERS,
    CHAIN_RUNS,
    CHAIN_STEPS,
    CHAIN_TUNING,
    PERFORMANCE,
    as_csv,
)
from mlsieve.files.mappings import read_mapping

COLUMNS: dict[str, tuple[str, ...]] = {
    "performance": PERFORMANCE,
    "runs": CHAIN_RUNS,
    "tuning": CHAIN_TUNING,
    "curves": CHAIN_CURVES,
    "steps": CHAIN_STEPS,
    "orders": CHAIN_ORDERS,
}
TABLES = tuple(part for part in COLUMNS if part != "performance")
_BEFORE_MEASURES = CHAIN_RUNS.index("settings") + 1
_AGAIN = "make it again with 'mlsieve step chain-test'"

Record = dict[str, list[dict[str, Any]]]


def record_of(path: str | os.PathLike[str]) -> Record:
    """Read a file of ``mlsieve step chain-test``.

    Returns
    -------
    dict
        The rows of performance.csv and of each of `TABLES`; None is an undefined value.

    Raises
    ------
    UserError
        If it is missing, damaged (one of a study has been removed then), or another file.
    """
    missing = "run the study again; its chain job has not finished"
    content = read_mapping(path, missing=missing, damaged=_AGAIN)
    with complete(path, "result of a chain", _AGAIN):
        if not content["runs"]:
            raise ValueError("it has no runs")
        measures = _measures(content["runs"])
        for part, columns in COLUMNS.items():
            wanted = set(columns) | (set(measures) if part == "runs" else set())
            for row in content[part]:
                if set(row) != wanted:
                    raise ValueError(f"a row of its {part} has other columns")
        if set(content) != set(COLUMNS):
            raise ValueError("it has other parts")
    return content


def performance_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the rows of performance.csv in a file of ``mlsieve step chain-test``; see `record_of`."""
    return [_cells(row) for row in record_of(path)["performance"]]


def chain_tables(paths: Iterable[str | os.PathLike[str]]) -> dict[str, str]:
    """Return the tables of a study as CSV texts, with the rows in the order of the files.

    Parameters
    ----------
    paths : iterable of path-like
        Files of ``mlsieve step chain-test``.

    Returns
    -------
    dict of str to str
        By the words of `TABLES`; a table without rows keeps its header.

    Raises
    ------
    UserError
        See `record_of`; also if the files have different measures.
    """
    rows: dict[str, list[dict[str, Any]]] = {part: [] for part in TABLES}
    measures: list[str] | None = None
    for path in paths:
        record = record_of(path)
        own = _measures(record["runs"])
        if measures not in (None, own):
            raise UserError(
                f"has the measures {', '.join(own)}, and those before it {', '.join(measures or ())}",
                file=path,
                hint="give files of one study",
            )
        measures = own
        for part in TABLES:
            rows[part] += [_cells(row) for row in record[part]]
    runs = (*CHAIN_RUNS[:_BEFORE_MEASURES], *(measures or ()), *CHAIN_RUNS[_BEFORE_MEASURES:])
    return {part: as_csv(runs if part == "runs" else COLUMNS[part], rows[part]) for part in TABLES}


def _measures(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the measures in the rows of runs, of which a file has at least one."""
    return [name for name in runs[0] if name not in CHAIN_RUNS]


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: "NaN" if value is None else value for name, value in row.items()}
