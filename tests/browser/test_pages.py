"""What readers see of the pages, in a browser. Skipped where Chromium or pdftoppm is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

import mlsieve
from tests.browser.pages import browser, check

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
    mlsieve.compare(frame.reset_index()).save(tmp_path)
    found = check(tmp_path / "report.html", study=False)
    assert found["labels"]
