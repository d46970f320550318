"""A study's files as the report reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.checksums import require_file, withdraw
from mlsieve.files.csv_tables import RUN_AGAIN, RUN_FIRST
from mlsieve.report.pictures import is_wide, picture_of


def read_figures(index: Path) -> list[dict[str, Any]]:
    """Return the figures of an index with their pictures, as parts of the page.

    Parameters
    ----------
    index : Path
        figures.json as ``mlsieve step figures`` writes it; the paths in it start at its folder. A figure
        without files has no picture: its caption says that nothing is significant.
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
        if picture is None and files:
            continue  # only formats that a page cannot show
        name, title, caption, seen = (str(item.get(key, "")) for key in ("name", "title", "caption", "seen"))
        alt = " ".join(filter(None, [f"{title}.", seen, caption]))
        found.append(
            {
                "name": name,
                "question": item.get("question", ""),
                "group": item.get("group", ""),
                "title": title,
                "caption": caption,
                "files": files,
                "wide": False,
                "picture": "",
                **(_picture(index, picture, name, alt) if picture else {}),
            }
        )
    return found


def _picture(index: Path, file: str, name: str, alt: str) -> dict[str, Any]:
    """Return ``wide`` and ``picture`` of a figure's file."""
    path = index.parent / file
    try:
        require_file(path, "run the study again")
    except UserError:
        withdraw(index)  # the workflow checks the pictures by their index, and draws them again
        raise
    kind, content = path.suffix.lstrip("."), path.read_bytes()
    return {"wide": is_wide(content, kind), "picture": picture_of(content, kind, name or file, alt)}
