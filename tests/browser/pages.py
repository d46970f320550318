"""Open a page in headless Chromium and check what its readers see.

    python -m tests.browser.pages results/quickstart/report.html ...

checks.js runs inside a copy of the page. The page is also printed, and opened with the width of a phone.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from html import unescape
from pathlib import Path
from typing import Any

CHECKS = Path(__file__).with_name("checks.js")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT, PHONE = 1280, 800, 390
MEGABYTES, MILLISECONDS, LABEL = 5.0, 1000, 12.0  # 12 pixels are 9 points
WATCH = (
    "<script>window.page_errors = []; addEventListener('error', e => page_errors.push(e.message));</script>"
)
TIME = """
addEventListener("load", () => {
  const time = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
  document.body.append(Object.assign(document.createElement("pre"), { id: "found", textContent: time }));
});
"""
# A window is never narrower than 500 pixels, but a frame in it is.
FRAME = """<!DOCTYPE html><iframe src="page.html" width="{width}" height="800"></iframe><script>
addEventListener("message", event => {{
  document.body.innerHTML = "";
  const found = Object.assign(document.createElement("pre"), {{ id: "found", textContent: event.data }});
  document.body.append(found);
}});
</script>"""


def browser() -> str | None:
    """Return the path of Chromium; None without it."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def look(page: Path, width: int = WIDTH) -> dict[str, Any]:
    """Return what checks.js found in a page."""
    found = json.loads(with_script(page, CHECKS.read_text(encoding="utf-8"), width, patient=True))
    assert abs(found["window"] - width) <= 20, found["window"]
    return found


def milliseconds(page: Path) -> float:
    """Return how long a page takes until it can be read: the least of three times."""
    return min(float(with_script(page, TIME)) for _ in range(3))


def with_script(page: Path, script: str, width: int = WIDTH, *, patient: bool = False) -> str:
    """Return what a script that is added to a copy of the page leaves in an element of the id ``found``.

    Time goes by at once for a patient browser, so that nothing can be timed.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "page.html"
        text = page.read_text(encoding="utf-8")
        end = text.rindex("</body>")
        text = f"{text[:end]}<script>{script}</script>{text[end:]}"
        copy.write_text(text.replace("<head>", f"<head>{WATCH}", 1), encoding="utf-8")
        if width < WIDTH:
            copy = Path(folder) / "frame.html"
            copy.write_text(FRAME.format(width=width), encoding="utf-8")
        options = [
            f"--window-size={WIDTH},{HEIGHT}",
            *["--virtual-time-budget=20000"] * patient,
            "--dump-dom",
        ]
        shown = _run(folder, [*options, copy.as_uri()])
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    assert found, "the script of the checks did not end"
    return unescape(found[1])


def ink_of_print(page: Path) -> list[float]:
    """Return the share of ink of each printed sheet."""
    import numpy as np
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        _run(folder, ["--no-pdf-header-footer", f"--print-to-pdf={folder}/page.pdf", page.as_uri()])
        subprocess.run(["pdftoppm", "-r", "40", "-gray", f"{folder}/page.pdf", f"{folder}/sheet"], check=True)
        sheets = sorted(Path(folder).glob("sheet*.pgm"))
        return [float((255 - np.asarray(Image.open(sheet))).mean() / 255) for sheet in sheets]


def _run(folder: str, words: list[str]) -> str:
    command = [
        str(browser()),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
    ]
    command += [f"--user-data-dir={folder}/profile", *words]
    for attempt in range(3):  # the browser itself fails now and then
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 0:
            return done.stdout
        time.sleep(attempt)
    raise AssertionError(done.stderr)


def check(page: Path, *, study: bool = True) -> dict[str, Any]:
    """Check a page; `study` says whether it has a leaderboard over measures and cards of questions.

    Returns
    -------
    dict
        What was measured.
    """
    found = look(page)
    size = page.stat().st_size / 1e6
    assert size < MEGABYTES, f"{size:.1f} MB"
    assert found["errors"] == [] and found["requests"] == [], (found["errors"], found["requests"])
    time_taken = milliseconds(page)
    assert time_taken < MILLISECONDS, time_taken
    assert found["width"] <= 0, "the page is wider than the window"
    assert found["headline_ends"] <= HEIGHT, "the answer is on the first screen"
    if study:
        text = found["headline"]
        assert re.search(r"rank(s)? first", text), text
        assert re.search(r"(higher|lower) than that of .+ by [\d.]+ \(", text) or "together" in text, text
        assert "can be significant" in text or (
            "significantly better than" in text and re.search("related|domain", text)
        ), text
        assert found["answers_end"] is None or found["answers_end"] <= 2 * HEIGHT, found["answers_end"]
        assert all(said for _, said in found["answers"])
    known = sorted(value for value in found["before"] if value is not None)
    assert found["ascending"] == known and found["descending"] == known[::-1]
    assert found["unfilled"] == 0, "the content of a fold is still text after it was opened"
    assert found.get("led", True), "a link into a fold shows what it leads to"
    assert found["sorted"] == "ascending" and found["scopes"] == 0 and found["unlabelled"] == 0
    assert found["duplicates"] == [] and found["dead"] == [], (found["duplicates"], found["dead"])
    assert found["bar"] == [0, True], "the bar stays in view"
    assert found["dark"][0] != found["dark"][1]
    if found["labels"]:
        assert found["smallest"] >= LABEL - 0.01, f"a label has {found['smallest']:.1f} pixels"
        assert found["large"], "Enter shows a figure large"
    if found["told"] is not None:
        assert found["told"] == found["expected"]
    phone = look(page, PHONE)
    assert phone["width"] <= 0 and phone["errors"] == []
    ink = ink_of_print(page)
    middle = sorted(ink)[len(ink) // 2]
    assert min(ink) >= 0.1 * middle, ink
    shown = ("headline_ends", "answers_end", "smallest", "labels", "told")
    return {
        "megabytes": round(size, 2),
        "milliseconds": time_taken,
        "sheets": len(ink),
        **{name: found[name] for name in shown},
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, json.dumps(check(Path(name).resolve()), ensure_ascii=False))
