"""The benchmarks' rows on label chains: who takes part, and what their ratios are."""

from __future__ import annotations

import pytest

from benchmarks import boosting_plan, comparison, document, goals, plan, run, table
from benchmarks.table import Row


def row(work, contender="mlsieve", variant="", **values):
    return Row(work, "yeast", contender, variant, "1", **values)


def test_sets_of_chains_alone_are_measured_by_their_own_rows_only():
    names = goals.DATASETS + goals.CHAINS_ONLY
    tasks = list(plan.tasks(plan.FAMILIES, names, 2, ["XGBoost", "CatBoost"], False))
    for task in tasks:
        if task.dataset in goals.CHAINS_ONLY:
            assert task.work in boosting_plan.FAMILIES
    for family in boosting_plan.FAMILIES:
        found = [task for task in tasks if task.work == family]
        assert {task.dataset for task in found} == set(goals.CHAIN_DATASETS[family])
        assert all(side.threads == 1 for task in found for side in task.contenders)


def test_boosters_of_all_peers_take_turns():
    (task,) = boosting_plan.tasks(["boosting"], ["birds"], ["XGBoost", "CatBoost"], False)
    sides = {(side.name, side.variant) for side in task.contenders}
    assert sides == {
        ("mlsieve", ""),
        ("XGBoost", "dense"),
        ("XGBoost", "multi dense"),
        ("CatBoost", "symmetric"),
        ("CatBoost", "depthwise"),
    }
    assert {side.amount for side in task.contenders} == {20}


@pytest.mark.parametrize(
    ("rows", "value", "met"),
    [
        ([row("xdcc", cpu="1.0")], 1.5, "yes"),
        ([row("xdcc", cpu="2.0")], 0.75, "no"),
        (
            [row("rdt-dynamic", cpu="2.0"), row("rdt-dynamic", variant="binary relevance", cpu="1.2")],
            0.6,
            "yes",
        ),
        ([row("boosting-memory", cpu="1", peak_mib="20", data_mib="5")], 0.25, "no"),
        (
            [
                row("boosting", cpu="0.2", wall="1"),
                row("boosting", "XGBoost", "dense", cpu="2", wall="1"),
                row("boosting", "CatBoost", "depthwise", cpu="1.8", wall="1"),
            ],
            9.0,
            "yes",
        ),
    ],
)
def test_ratios_of_chains(rows, value, met):
    (ratio,) = comparison.ratios(rows, rows[0].work)
    assert ratio.value == pytest.approx(value) and ratio.met == met


def tables_of(page, title):
    """Return the lines of the tables under a title."""
    part = page.split(f"## {title}\n")[1].split("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(("work", "limit"), goals.MOST_SECONDS.items())
def test_a_work_without_a_peer_is_shown_against_its_limit(work, limit):
    dataset = goals.CHAIN_DATASETS[work][0]
    made = Row(work, dataset, "mlsieve", "", "1", cpu=f"{limit * 0.9:g}", wall="9", runs="5")
    page = document.text([made])
    title = comparison.WORKS[work]
    head, _, line = tables_of(page, title)
    assert head == "| dataset | threads | mlsieve CPU s | runs | at most |"
    assert line == f"| {dataset} | 1 | {limit * 0.9:.3g} | 5 | {limit:g} |"
    reached = [line for line in tables_of(page, "Goals") if line.startswith(f"| {title} | {dataset} ")]
    assert reached == [f"| {title} | {dataset} | {limit * 0.9:.3g} | {limit:g} | yes |"]
    slow = document.must_reach([Row(work, dataset, "mlsieve", "", "1", cpu="99")], only_measured=True)
    assert f"| {dataset} | 99 | {limit:g} | no |" in slow
    assert "against" not in slow, "no table of ratios without a ratio"


def test_dynamic_prediction_has_no_form_of_its_own_peer():
    rows = [row("rdt-dynamic", cpu="2.0", runs="3")]
    rows.append(row("rdt-dynamic", variant="binary relevance", cpu="1.2", runs="3"))
    head, _, line = tables_of(document.text(rows), comparison.WORKS["rdt-dynamic"])
    assert head == "| dataset | threads | mlsieve s | runs | binary relevance s | runs | ratio | at least |"
    assert line == "| yeast | 1 | 2 | 3 | 1.2 | 3 | 0.6x | 0.5x |"


@pytest.mark.parametrize("name", ["XGBoost", "CatBoost"])
def test_the_fastest_peer_is_named(name):
    rows = [row("boosting", cpu="0.1", wall="1"), row("boosting", name, "some form", cpu="1", wall="1")]
    assert f"{name} some form" in document.text(rows)


def test_a_quick_run_of_chains(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run.machine, "usable_cores", lambda: 1)
    results, page = tmp_path / "results.csv", tmp_path / "page.md"
    rows = "xdcc,boosting-memory,rdt"
    assert run.main(["--quick", "--rows", rows, "--output", str(results), "--document", str(page)]) == 0
    measured = {row.work for row in table.read(results) if row.cpu and float(row.cpu) > 0}
    assert measured == {"xdcc", "boosting-memory", "rdt"}
    text = page.read_text(encoding="utf-8")
    assert "Peak memory of ML-XGB" in text and "against | dataset" in text
