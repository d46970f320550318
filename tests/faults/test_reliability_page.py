"""docs/reliability.md tells what docs/reliability.json holds, and that is what the project promises."""

from __future__ import annotations

import importlib.util
import json

from tests.workflow_project import ROOT

FOUND = json.loads((ROOT / "docs" / "reliability.json").read_text(encoding="utf-8"))


def test_the_page_is_made_of_the_findings():
    spec = importlib.util.spec_from_file_location("reliability", ROOT / "docs" / "reliability.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert made == script.page(FOUND), "run: python docs/reliability.py"


def test_no_result_was_lost_or_corrupted():
    assert {trial["outcome"] for trial in FOUND["trials"]} == {"recovered"}
    assert sum(reader["crashes"] for reader in FOUND["fuzz"].values()) == 0


def test_enough_kills_landed_in_jobs_of_enough_rules():
    kills = [trial for trial in FOUND["trials"] if trial["fault"].startswith("kill -9") and trial["rule"]]
    assert len(kills) >= 20
    assert len({rule for trial in kills for rule in trial["rule"].split("+")}) >= 5
    assert all(isinstance(trial["seed"], int) for trial in kills)
