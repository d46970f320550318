"""Pages that the repository keeps outside docs/, where people look for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from builders.links import COPIED, on_site

ROOT = Path(__file__).resolve().parents[2]


def pages() -> Iterator[tuple[str, str]]:
    """Yield the copied pages."""
    for source, page in COPIED.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        yield Path(page).name, on_site(text, source, page)
