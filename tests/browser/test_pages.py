"""What readers see of the pages, in a browser. Skipped where Chromium or pdftoppm is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import mlsieve
from mlsieve.paper.markup import latex, markdown
from tests.browser.pages import browser, check, with_script

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    browser() is None or shutil.which("pdftoppm") is None, reason="Chromium or pdftoppm is not installed"
)


def test_the_page_of_the_default_study():
    page = ROOT / "results" / "quickstart" / "report.html"
    if not page.is_file():
        pytest.skip("the default study has not been run here: make study")
    check(page)


def test_the_page_of_a_comparison(tmp_path):
    values = {"ours": [0.9, 0.8, 0.85, 0.7, 0.95, 0.75], "theirs": [0.8, 0.7, 0.8, 0.6, 0.9, 0.7]}
    values |= {"random": [0.5, 0.4, 0.45, 0.5, 0.55, 0.5]}
    frame = pd.DataFrame(values, index=[f"set {place}" for place in range(6)]).rename_axis("dataset")
    mlsieve.compare(frame.reset_index(), higher_is_better=True).save(tmp_path)
    found = check(tmp_path / "report.html", study=False)
    assert found["labels"]


COPIED = """
const copied = [];
Object.defineProperty(navigator, "clipboard", { value: { writeText: async text => { copied.push(text); } } });
const tools = document.querySelector(".tools-of-table");
for (const button of tools.querySelectorAll("button")) {
  if (/LaTeX|Markdown/.test(button.textContent)) button.click();
}
const shown = document.createElement("pre");
shown.id = "found";
shown.textContent = JSON.stringify(copied);
document.body.append(shown);
"""


def test_the_buttons_of_a_table_copy_what_the_files_hold(tmp_path):
    names = [
        "\N{GREEK SMALL LETTER ALPHA}_tree",
        "$x_1$ G_G",
        "_lead_ 5 % & #",
        "chi-squared ^ ~ \\ {} 1.5e-07",
    ]
    frame = pd.DataFrame(
        {name: [place, 2.0 * place, 3.0 * place + 1] for place, name in enumerate(names)}
    ).rename_axis("dataset")
    mlsieve.compare(frame.reset_index(), measures=["f1"]).save(tmp_path)
    as_latex, as_markdown = json.loads(with_script(tmp_path / "report.html", COPIED))
    for name in names:
        assert f"\n{latex(name)} & " in as_latex
        assert f"\n| {markdown(name)} | " in as_markdown
