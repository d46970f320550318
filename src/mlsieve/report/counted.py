"""Tables that questions count themselves, as parts of their sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mlsieve.report.tables import Column, plain_table, shown

_NUMBER = re.compile(r"-?\d[\d.,e-]*( ?%)?( to -?\d[\d.,]*)?")


MOST_ROWS = 12  # that stand in the open


def counted_parts(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a question's own tables as the page shows them; none for a question without.

    Parameters
    ----------
    item : mapping
        One question of findings.json.
    """
    return [_part(table) for table in item.get("tables", ())]


def _part(table: Mapping[str, Any]) -> dict[str, Any]:
    numbers = [_is_number([row[place] for row in table["rows"]]) for place in range(len(table["columns"]))]
    columns = [Column(name, number) for name, number in zip(table["columns"], numbers, strict=True)]
    return {
        "title": table["title"],
        "text": table["text"],
        "table": plain_table(columns, table["rows"]),
        "folded": len(table["rows"]) > MOST_ROWS,
    }


def _is_number(cells: list[Any]) -> bool:
    """Whether all cells that hold something hold a number, or a range of numbers."""
    texts = [text for text in map(shown, cells) if text]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)
