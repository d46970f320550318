"""Mappings in JSON files, which jobs write for each other."""

from __future__ import annotations

import json
import os
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.checksums import require_file


def read_mapping(path: str | os.PathLike[str], *, missing: str, damaged: str) -> dict[str, Any]:
    """Read a JSON file that holds one mapping.

    Parameters
    ----------
    path : path-like
    missing, damaged : str
        What to do about a file that is not there, or no such file.

    Raises
    ------
    UserError
        With one of the hints. A damaged file of a study has been removed.
    """
    path = require_file(path, missing)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"is not JSON ({error})", file=path, hint=damaged) from error
    if not isinstance(content, dict):
        raise UserError("is not a mapping", file=path, hint=damaged)
    return content
