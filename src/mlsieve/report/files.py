"""A study's files as the report reads them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.checksums import require_file, withdraw
from mlsieve.files.csv_tables import RUN_AGAIN, RUN_FIRST


def read_figures(index: Path) -> list[dict[str, Any]]:
    """Return the figures of an index with their pictures inside, as data URIs.

    Parameters
    ----------
    index : Path
        figures.json as ``mlsieve figures`` writes it; the paths in it start at its folder.
    """
    require_file(index, RUN_FIRST)
    try:
        items = json.loads(index.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"is not JSON ({error})", file=index, hint=RUN_AGAIN) from error
    found = []
    for item in items:
        files = [str(name) for name in item["files"]]
        picture = next((name for name in files if name.endswith((".svg", ".png"))), None)
        if picture is None:
            continue
        path = index.parent / picture
        try:
            require_file(path, "run the study again")
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
