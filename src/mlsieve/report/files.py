"""A study's files as the report reads them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.errors import UserError
from mlsieve.files.checksums import require_intact, withdraw
from mlsieve.files.csv_tables import with_booleans


def read_frame(path: Path) -> pd.DataFrame:
    """Read one of the study's tables; text columns hold no NaN."""
    if not path.is_file():
        raise UserError("no such file", file=path, hint="run the study first: snakemake --cores 2")
    require_intact(path)
    text = (
        "ensemble",
        "score",
        "split",
        "note",
        "reference_method",
        "methods",
        "method",
        "measure",
        "dataset",
        "value",
        "first",
        "second",
    )
    try:
        header = pd.read_csv(path, nrows=0).columns
        plain = {
            name: str for name in header if name in text and not (name == "value" and "measure" in header)
        }
        frame = pd.read_csv(path, dtype=plain)
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(
            f"is not a CSV table ({error})", file=path, hint="remove it and run the study again"
        ) from error
    return with_booleans(frame.fillna(dict.fromkeys(plain, "")))


def read_text(path: Path) -> pd.DataFrame:
    """Read one of the study's tables with every cell as it is written; an empty one is an empty text."""
    if not path.is_file():
        raise UserError("no such file", file=path, hint="run the study first: snakemake --cores 2")
    require_intact(path)
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(
            f"is not a CSV table ({error})", file=path, hint="remove it and run the study again"
        ) from error


def read_figures(index: Path) -> list[dict[str, Any]]:
    """Return the figures of an index with their pictures inside, as data URIs.

    Parameters
    ----------
    index : Path
        figures.json as ``mlsieve figures`` writes it.
    """
    if not index.is_file():
        raise UserError("no such file", file=index, hint="run the study first: snakemake --cores 2")
    require_intact(index)
    try:
        items = json.loads(index.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(
            f"is not JSON ({error})", file=index, hint="remove it and run the study again"
        ) from error
    found = []
    for item in items:
        files = [str(name) for name in item["files"]]
        picture = next((name for name in files if name.endswith((".svg", ".png"))), None)
        if picture is None:
            continue
        path = index.parent / picture
        try:
            if not path.is_file():
                raise UserError("no such file", file=path, hint="run the study again")
            require_intact(path)
        except UserError:
            withdraw(index)  # the workflow checks the pictures by their index, and draws them again
            raise
        kind = "svg+xml" if picture.endswith(".svg") else "png"
        found.append(
            {
                "name": item.get("name", ""),
                "question": item.get("question", ""),
                "group": item.get("group", ""),
                "title": item.get("title", ""),
                "caption": item.get("caption", ""),
                "files": ", ".join(files),
                "wide": _is_wide(path),
                "data": f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}",
            }
        )
    return found


def _is_wide(path: Path) -> bool:
    """Whether a picture of many panels needs the page's whole width."""
    if path.suffix != ".svg":
        return True
    head = path.read_text(encoding="utf-8")[:2000]
    sides = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', head)
    return sides is None or float(sides[1]) > 560
