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
