"""docs/reliability.md tells what docs/reliability.json holds, and that is what the project promises."""

from __future__ import annotations

import importlib.util
import json
import re

from tests.faults.damage import READ_BY
from tests.faults.run import KILLED
from tests.faults.trials import CORRUPT, LOST, PROJECTS, RECOVERED
from tests.fuzz.readers import READERS
from tests.workflow_project import ROOT

FOUND = json.loads((ROOT / "docs" / "reliability.json").read_text(encoding="utf-8"))


def script():
    spec = importlib.util.spec_from_file_location("reliability", ROOT / "docs" / "reliability.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_of_the_findings():
    made = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert made == script().page(FOUND), "run: python docs/reliability.py"


def test_the_page_counts_what_was_lost_or_corrupted():
    """Whatever the findings of today are."""
    trials = [dict(trial) for trial in FOUND["trials"]]
    trials[0]["outcome"], trials[1]["outcome"] = LOST, CORRUPT
    fuzz = {name: dict(found) for name, found in FOUND["fuzz"].items()}
    fuzz["csv"]["crashes"] = 3
    shown = script().page({**FOUND, "trials": trials, "fuzz": fuzz}).splitlines()
    counted = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", "\n".join(shown), re.M))
    assert (counted["lost results"], counted["silent corruptions"]) == ("1", "1")
    assert counted["crashes of readers"] == "3" and counted["trials"] == str(len(trials))
    kind = trials[0]["fault"].partition(": ")[0]
    [row] = [line for line in shown if line.startswith(f"| {kind} |")]
    of_kind = [trial for trial in trials if trial["fault"].partition(": ")[0] == kind]
    recovered = sum(trial["outcome"] == RECOVERED for trial in of_kind)
    assert row.startswith(f"| {kind} | {len(of_kind)} | {recovered} |") and recovered < len(of_kind)


def test_every_reader_rule_and_kind_of_file_was_tried():
    """A new reader, rule or file needs a new `make test-faults`, or stands here until there was one."""
    assert set(FOUND["fuzz"]) == set(READERS)
    assert {trial["project"] for trial in FOUND["trials"]} >= set(PROJECTS)
    kills = [trial for trial in FOUND["trials"] if trial["fault"].startswith("kill -9")]
    killed = {rule for trial in kills for rule in trial["rule"].split("+")}
    assert {rule for rules in KILLED.values() for rule in rules} <= killed
    files = {trial["fault"].partition(": ")[2] for trial in FOUND["trials"]} - {""}
    assert set(READ_BY) - files == {
        *("published.csv", "published_columns.csv"),
        *("column_order_summary.csv", "column_order_tests.csv"),
        *("column_order_findings.json", "table of the order of the columns"),
    }


def test_no_result_was_lost_or_corrupted():
    assert {trial["outcome"] for trial in FOUND["trials"]} == {"recovered"}
    assert sum(reader["crashes"] for reader in FOUND["fuzz"].values()) == 0


def test_enough_kills_landed_in_jobs_of_enough_rules():
    kills = [trial for trial in FOUND["trials"] if trial["fault"].startswith("kill -9") and trial["rule"]]
    assert len(kills) >= 20
    assert len({rule for trial in kills for rule in trial["rule"].split("+")}) >= 5
    assert all(isinstance(trial["seed"], int) for trial in kills)
