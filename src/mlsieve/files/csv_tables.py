"""The tables of a study as CSV files: columns that several steps share, and how rows are written and read."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlsieve.errors import UserError
from mlsieve.files.checksums import require_intact

if TYPE_CHECKING:
    import pandas as pd

PERFORMANCE = (
    "dataset",
    "split",
    "method",
    "ensemble",
    "score",
    "size",
    "repeat",
    "evaluator",
    "measure",
    "definition",
    "value",
    "features",  # that the evaluator used
)

# In the column `test` of tests.csv: a pair that no test compares, because Friedman's is not significant.
EFFECT_SIZE = "effect-size"

# In the column `test`: the second test where each domain counts once (see
# `mlsieve.stats.domains`), beside Friedman's or Wilcoxon's.
PERMUTATION = "domain-permutation"

# In the column `variant`: one value for each domain.
BY_DOMAIN = "one-per-domain"

# In the column `data` of published_columns.csv: which datasets a published column is compared on.
ALL_DATA, OWN_DATA = "all", "the paper's"


# Columns of tests.csv and choices.csv that hold True or False.
BOOLEAN = ("rejected", "used")


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a header and rows as CSV text."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def read_rows(path: str | os.PathLike[str]) -> list[dict[str, str]]:
    """Read a CSV table with a header as a list of rows.

    Raises
    ------
    UserError
        If it is missing or cannot be read.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError("no such file", file=path, hint="run the study first: snakemake --cores 2")
    require_intact(path)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except (csv.Error, UnicodeDecodeError) as error:
        raise UserError(
            f"is not a CSV table ({error})", file=path, hint="remove it and run the study again"
        ) from error


def with_booleans(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table read from CSV with booleans in the columns `BOOLEAN`, also where it has no rows."""
    found = {name: frame[name].astype(str).str.lower() == "true" for name in BOOLEAN if name in frame}
    return frame.assign(**found)
