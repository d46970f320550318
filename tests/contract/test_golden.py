"""No result changes while every version stays; `tests.contract.golden` says what is compared, and how."""

from __future__ import annotations

import copy

import pytest

from mlsieve.registry import lookup
from mlsieve.study.steps import STEPS
from tests.contract import golden

STORED = golden.stored_results()


@pytest.mark.parametrize("name", golden.names())
def test_results_change_with_a_version_alone(name: str) -> None:
    found = golden.complaint(name, golden.golden(name), STORED.get(name))
    assert not found, found


def test_nothing_is_stored_of_what_is_gone() -> None:
    assert STORED.keys() <= set(golden.names()), f"run {golden.RENEW}"


def test_the_small_study_has_every_step() -> None:
    lacking = [step for step in STEPS if not golden.golden(f"step {step}")["results"]]
    assert not lacking, "extend the study in tests/contract/golden.py"


def changed(**changes: object) -> dict:
    return copy.deepcopy(STORED["ranker relief"]) | changes


def test_a_changed_result_without_a_raised_version_is_named_and_refused() -> None:
    before, now = STORED["ranker relief"], changed()
    now["results"]["sparse"][1] = "another"
    assert golden.unversioned(now, before) == ["sparse"]
    assert "relief: other results than before (sparse)" in golden.complaint("ranker relief", now, before)
    now["versions"]["ranker relief"] += 1
    assert golden.unversioned(now, before) == []
    assert golden.RENEW in golden.complaint("ranker relief", now, before)
    now["versions"]["ranker relief"] -= 2
    assert golden.unversioned(now, before) == list(now["results"]), "a version was lowered"


def test_another_input_or_a_new_case_asks_for_renewal_only() -> None:
    before, now = STORED["ranker relief"], changed()
    now["results"] |= {"sparse": ["other data", "other result"], "more": ["new", "new"]}
    assert golden.unversioned(now, before) == []
    assert "input or cases" in golden.complaint("ranker relief", now, before)


def test_digests_see_numbers_and_ids_and_no_words_or_last_digits() -> None:
    assert golden.digest("In 3 of 4 tests", 0.1) == golden.digest("3 of all 4 tests", 0.1 + 1e-12)
    assert golden.digest("In 3 of 4 tests") != golden.digest("In 2 of 4 tests")
    assert golden.digest("relief") != golden.digest("random")
    assert golden.digest(0.1234567) != golden.digest(0.1234577)


def test_a_faulty_measure_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = lookup("measure", "f1")
    target = entry.target
    monkeypatch.setitem(vars(entry), "target", lambda *given: target(*given) * 1.001)
    assert golden.unversioned(golden.golden("measure f1"), STORED["measure f1"]) == ["flat", "hierarchical"]
