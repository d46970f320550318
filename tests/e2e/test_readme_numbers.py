"""The README's figure and numbers are those of a run of this code."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "quickstart"


@pytest.fixture(scope="module")
def script():
    if not (RESULTS / "report.html").is_file():
        missing = "the default study has not been run here: make study"
        # CI runs it before the tests, so that there these cannot be passed over.
        (pytest.fail if os.environ.get("MLSIEVE_REQUIRE_STUDY") == "1" else pytest.skip)(missing)
    return runpy.run_path(str(ROOT / "docs" / "readme_numbers.py"))


def test_the_table_is_the_default_studys(script):
    shown = script["TABLE"].search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown is not None
    assert shown.group() == script["numbers"](script["read"](RESULTS))


def test_the_figure_is_the_default_studys(script):
    drawn = script["figure"](script["read"](RESULTS), RESULTS)
    assert (ROOT / "docs" / "img" / "quickstart.svg").read_bytes() == drawn
