"""The tables of a study as CSV files: columns that several steps share, and how rows are written and read."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlsieve.errors import UserError
from mlsieve.files.checksums import require_file
from mlsieve.files.streams import CsvLines

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

# Tables of methods that predict label sets; CHAIN_RUNS has a column for each measure after `settings`.
_OF_METHOD = ("dataset", "split", "repeat", "method")
CHAIN_RUNS = (
    *_OF_METHOD,
    *("entry", "id", "tuned_by", "settings"),
    *("training_seconds", "prediction_seconds", "draws", "steps"),
    *("predicted_cardinality", "commonest_set"),
)
CHAIN_TUNING = (*_OF_METHOD, "settings", "measure", "value", "training_seconds", "chosen")
CHAIN_CURVES = (*_OF_METHOD, "parameter", "point", "measure", "value")
CHAIN_STEPS = (
    *_OF_METHOD,
    *("parameter", "point", "step", "set", "accuracy", "positive", "positives"),
    *("positive_share", "negative_share", "cardinality"),
)
CHAIN_ORDERS = (*_OF_METHOD, "label", "position", "positive_share")

# In the column `test` of tests.csv: a pair that no test compares, because Friedman's is not significant.
EFFECT_SIZE = "effect-size"

# In the column `test`: the second test where each domain counts once (see
# `mlsieve.stats.domains`), beside Friedman's or Wilcoxon's.
PERMUTATION = "domain-permutation"

# In the column `variant`: one value for each domain.
BY_DOMAIN = "one-per-domain"

# In the column `data` of published_columns.csv: which datasets a published column is compared on.
ALL_DATA, OWN_DATA = "all", "the paper's"


# Columns of a study's tables that hold text.
TEXT = tuple(
    "ensemble score split note reference_method methods method measure dataset value first second"
    " evaluator entry tuned_by settings parameter".split()
)
RUN_FIRST, RUN_AGAIN = "run the study first: snakemake --cores 2", "remove it and run the study again"

# Columns of tests.csv and choices.csv that hold True or False.
BOOLEAN = ("rejected", "used")


def frame_as_csv(frame: pd.DataFrame, na_rep: str = "") -> str:
    """Return a table without its index as CSV text."""
    text = io.StringIO(newline="")
    frame.to_csv(CsvLines(text), index=False, lineterminator="\r\n", na_rep=na_rep)
    return text.getvalue()


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a header and rows as CSV text."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(CsvLines(text), columns, lineterminator="\r\n")
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
    path = require_file(path, RUN_FIRST)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except (csv.Error, UnicodeDecodeError) as error:
        raise UserError(f"is not a CSV table ({error})", file=path, hint=RUN_AGAIN) from error


def read_frame(
    path: str | os.PathLike[str],
    text: Collection[str] = TEXT,
    *,
    missing: str = RUN_FIRST,
    damaged: str = RUN_AGAIN,
) -> pd.DataFrame:
    """Read a CSV table: the columns `text` are text and hold no NaN, those of `BOOLEAN` are booleans.

    A column ``value`` is text in tables without measures only.

    Raises
    ------
    UserError
        If it is missing or cannot be read, with one of the hints.
    """
    import pandas as pd

    path = require_file(path, missing)
    try:
        header = pd.read_csv(path, nrows=0).columns
        texts = [name for name in header if name in text and not (name == "value" and "measure" in header)]
        frame = pd.read_csv(path, dtype=dict.fromkeys(texts, str))
    except ValueError as error:
        raise UserError(f"is not a CSV table ({_problem(error)})", file=path, hint=damaged) from error
    return with_booleans(frame.fillna(dict.fromkeys(texts, "")))


def _problem(error: ValueError) -> str:
    """Return in plain words what pandas says of a table."""
    text = str(error).strip().removeprefix("Error tokenizing data. C error: ")
    cells = re.fullmatch(r"Expected (\d+) fields in line (\d+), saw (\d+)", text)
    return f"line {cells[2]} has {cells[3]} cells, and {cells[1]} were expected" if cells else text


def read_text_frame(
    path: str | os.PathLike[str], *, missing: str = RUN_FIRST, damaged: str = RUN_AGAIN
) -> pd.DataFrame:
    """Read a CSV table with every cell as it is written; an empty one is an empty text."""
    import pandas as pd

    path = require_file(path, missing)
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except ValueError as error:
        raise UserError(f"is not a CSV table ({_problem(error)})", file=path, hint=damaged) from error


def require_columns(
    columns: Iterable[str], needed: Sequence[str], path: str | os.PathLike[str], command: str
) -> None:
    """Raise a UserError if a table lacks a column; the hint names the command that makes such tables."""
    known = set(columns)
    for name in needed:
        if name not in known:
            raise UserError(f"has no column '{name}'", file=path, line=1, hint=f"make it with '{command}'")


def with_booleans(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table read from CSV with booleans in the columns `BOOLEAN`, also where it has no rows."""
    found = {name: frame[name].astype(str).str.lower() == "true" for name in BOOLEAN if name in frame}
    return frame.assign(**found)
