"""benchmarks/results.csv: one row a contender and measurement."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from mlsieve.files.writing import atomic_path


@dataclass(frozen=True)
class Row:
    """One contender's measurement; numbers are text as in the file, empty where unknown.

    Attributes
    ----------
    work : str
        See `benchmarks.plan.Task`; "about": a fact of the run (`dataset` its name, `note` its value);
        "left out": a peer that could not run.
    dataset, contender, variant : str
    threads, amount, full, runs : str
        Amount that was done (two amounts, as in "2 and 3", where their difference is scaled), what times are
        scaled to, and how often it ran.
    cpu, wall : str
        Median seconds, scaled.
    inner_cpu : str
        The part of `cpu` that the contender itself counts as learning, scaled (CLUS).
    cpu_least, cpu_most : str
        Scaled like `cpu`.
    nodes : str
        Tree nodes, scaled.
    peak_mib : str
        Largest memory less that of a process that only loads the data.
    note, measured : str
        `measured` is the time of the run's start.
    repeats, budget : str
        How often it was to run, and the seconds after which a peer was not repeated.
    data_mib : str
        What X and Y hold.
    """

    work: str
    dataset: str = ""
    contender: str = ""
    variant: str = ""
    threads: str = ""
    amount: str = ""
    full: str = ""
    runs: str = ""
    cpu: str = ""
    wall: str = ""
    inner_cpu: str = ""
    cpu_least: str = ""
    cpu_most: str = ""
    nodes: str = ""
    peak_mib: str = ""
    note: str = ""
    measured: str = ""
    repeats: str = ""
    budget: str = ""
    data_mib: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What tells measurements apart."""
        return (self.work, self.dataset, self.contender, self.variant, self.threads)

    def number(self, name: str) -> float | None:
        """Return a column as a number, None if it is empty."""
        text = getattr(self, name)
        return float(text) if text else None


COLUMNS = tuple(entry.name for entry in fields(Row))


def read(path: Path) -> list[Row]:
    """Return the rows of a file, none if there is no such file; a half-written last line is left out.

    Columns that a file of an older version lacks are empty.
    """
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        lines = list(csv.reader(stream))
    header = [name for name in (lines[0] if lines else []) if name in COLUMNS]
    return [Row(**dict(zip(header, line, strict=True))) for line in lines[1:] if len(line) == len(header)]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a file, whole or not at all."""
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(
            [COLUMNS, *(tuple(asdict(row).values()) for row in rows)]
        )


def merged(old: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """Return the old rows with new ones in their places, and those without a place at the end.

    That a peer was left out before is dropped: the new rows say so themselves where it still is.
    """
    fresh = {row.key: row for row in new}
    kept = [fresh.pop(row.key, row) for row in old if row.work != "left out" or row.key in fresh]
    return [*kept, *fresh.values()]


def is_measured(row: Row) -> bool:
    """Whether a row holds a measurement: not a failure, nor what a resumed run says again of itself."""
    return bool(row.cpu) and not row.note.startswith("failed")


class PartFile:
    """Rows as they come, each on the disk at once, so that an interrupted run loses none.

    A resumed run keeps the measurements: what has failed is tried again.
    """

    def __init__(self, path: Path, resume: bool) -> None:
        self.path = path
        self.rows = [row for row in read(path) if is_measured(row)] if resume else []
        write(path, self.rows)

    def add(self, row: Row) -> None:
        """Append one row."""
        self.rows.append(row)
        with self.path.open("a", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerow(asdict(row).values())
