"""Two things about every test run: which mlsieve is tested, and that promised data were really used.

Fixtures live in tests/conftest.py.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_report_header() -> list[str]:
    import mlsieve

    return [f"mlsieve: {mlsieve.__version__} from {Path(mlsieve.__file__).parent}"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """With MLSIEVE_REQUIRE_MIRROR=1, a test that is skipped for want of the data mirror has failed."""
    report = yield
    if not report.skipped or hasattr(report, "wasxfail") or os.environ.get("MLSIEVE_REQUIRE_MIRROR") != "1":
        return report
    if "mirror" in getattr(item, "fixturenames", ()) or "mirror" in str(report.longrepr).lower():
        report.outcome = "failed"
        report.longrepr = f"skipped, though MLSIEVE_REQUIRE_MIRROR=1 promises the data: {report.longrepr}"
    return report
