"""The examples of the documents, as a reader types them. It needs the standard library only.

A fenced block under ``<!-- run in an empty folder -->`` is run in one. ``that holds NAME ...`` in that line
names files of `write_files` that are there before. Any other block of a page is run at the root of a clone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(?P<mark><!-- run in an empty folder(?P<files>[^>]*)-->\n)?"
    r"^```(?P<language>sh|python)\n(?P<text>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
TABLE_OF_RESULTS = """\
dataset,SVM,kNN,trees
birds,0.69,0.66,0.61
emotions,0.78,0.76,0.70
enron,0.58,0.55,0.50
medical,0.83,0.80,0.79
scene,0.91,0.88,0.83
yeast,0.74,0.75,0.70
"""


def blocks(page: str) -> list[re.Match[str]]:
    """Return every block of shell or Python of a page, in order."""
    return list(BLOCK.finditer((ROOT / page).read_text(encoding="utf-8")))


def examples(page: str) -> list[re.Match[str]]:
    """Return the blocks of a page that are run in an empty folder."""
    return [block for block in blocks(page) if block["mark"]]


def commands(text: str) -> list[str]:
    """Return the commands of a shell block, without comments; one on several lines stays one."""
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [words for line in lines if (words := re.sub(r"(^|\s)#.*", "", line).strip())]


def write_files(example: re.Match[str], folder: Path, write_mydata: Callable[[Path], object]) -> None:
    """Write the files that an example finds in its folder.

    Parameters
    ----------
    example : re.Match
        Of `examples`.
    folder : pathlib.Path
    write_mydata : callable
        What ``mlsieve example`` does.
    """
    if "mydata" in example["files"]:
        write_mydata(folder)
    if "results.csv" in example["files"]:
        (folder / "results.csv").write_text(TABLE_OF_RESULTS, encoding="utf-8")
