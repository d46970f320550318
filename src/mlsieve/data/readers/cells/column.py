"""A column of a text table as it was read, and where its cells are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from mlsieve.data.readers.delimited import RawTable
from mlsieve.errors import shortened


@dataclass(frozen=True)
class Remark:
    """What a column has, as the object of a sentence, and how it was read."""

    what: str
    reading: str


@dataclass(frozen=True)
class Column:
    """One column of all files: how a cell becomes a number, and its categories if they are not numbers."""

    values: dict[str, float]  # of each cell that is not missing
    categories: tuple[str, ...] | None = None
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class Where:
    """A column's place, for what is said of it."""

    tables: Sequence[RawTable]
    place: int
    name: str
    missing: Collection[str]

    @property
    def choices(self) -> list[str]:
        """What a user may choose in place of the numbers of the column, as a `ColumnError` lists it."""
        drop, nominal = (f"(--{option} '{self.name}')" for option in ("drop", "nominal"))
        return [f"leave the column out {drop}", f"declare it nominal {nominal}"]

    def first(self, fits: Callable[[str], bool]) -> tuple[str, str, int]:
        """Return the first cell that is not missing and fits, its file and its line."""
        for table in self.tables:
            for row, line in zip(table.rows, table.lines, strict=True):
                if row[self.place] not in self.missing and fits(row[self.place]):
                    return row[self.place], table.path, line
        raise AssertionError("no cell fits")


def notice_of(remark: Remark, names: Sequence[str]) -> str:
    """Return a notice of columns that have something in common, the first few of many by name."""
    shown = ", ".join(f"'{shortened(name)}'" for name in names[:5])
    if len(names) == 1:
        return f"column {shown} has {remark.what}: {remark.reading}"
    return f"{len(names)} columns have {remark.what}: {remark.reading} ({shown}{', ...' * (len(names) > 5)})"
