"""Pages of the site that are written when it is built, into docs/generated, which git ignores.

Each module of this package has ``pages()``, which yields the path and the text of each of its pages.
"""

from __future__ import annotations

from pathlib import Path

from builders import commands, copies, gallery, methods, python

FOLDER = "generated"


def generated() -> dict[str, str]:
    """Return the texts of the pages of the reference and of the copies, by their paths in the folder."""
    return {name: text for module in (copies, commands, methods, python) for name, text in module.pages()}


def build(docs: Path) -> None:
    """Write every generated page that is new or has changed, and remove those of another build.

    Parameters
    ----------
    docs : Path
        The folder of the site's sources.
    """
    folder = docs / FOLDER
    wanted = {folder / name: text for name, text in (generated() | dict(gallery.pages())).items()}
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*"):
        if path.suffix in {".md", ".rst"} and path not in wanted:
            path.unlink()
