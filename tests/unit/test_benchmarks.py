"""The benchmarks' document is what their results give, and a quick run measures and writes."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import comparison, document, figure, plan, run, table
from benchmarks.contenders import clus
from benchmarks.curves import LEARNING
from benchmarks.data import synthetic
from benchmarks.table import Row


def test_the_document_is_what_the_results_give():
    rows = table.read(run.RESULTS)
    assert rows, "benchmarks/results.csv is missing: run `make bench`"
    written = run.DOCUMENT.read_text(encoding="utf-8")
    assert written == document.text(rows), "docs/benchmarks.md is older than benchmarks/results.csv"


def test_a_quick_run_measures_and_writes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run.machine, "usable_cores", lambda: 1)
    results, page = tmp_path / "results.csv", tmp_path / "page.md"
    options = ["--quick", "--rows", "forest", "--output", str(results), "--document", str(page)]
    assert run.main(options) == 0
    rows = table.read(results)
    measured = {(row.work, row.contender) for row in rows if row.cpu and float(row.cpu) > 0}
    assert measured == {("forest", "mlsieve"), ("forest", "scikit-learn")}
    assert not [row for row in rows if row.note.startswith("failed")]
    assert page.read_text(encoding="utf-8") == document.text(rows)
    assert not list(tmp_path.glob("*.part"))
    assert "| random forest" in page.read_text(encoding="utf-8")


def test_an_interrupted_run_keeps_its_rows_and_goes_on(tmp_path, capsys, monkeypatch):
    results = tmp_path / "results.csv"
    calls = []

    def stop_at_the_second(task, **_):
        calls.append(task.work)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return [
            Row(*task.key(side)[:4], threads=str(side.threads), cpu="1", wall="1") for side in task.contenders
        ]

    monkeypatch.setattr(run, "measure", stop_at_the_second)
    monkeypatch.setattr(run.machine, "usable_cores", lambda: 1)
    options = ["--quick", "--rows", "forest,bagging,knn", "--output", str(results)]
    assert run.main(options) == 130
    assert not results.exists()
    assert run.main([*options, "--resume"]) == 0
    assert calls == ["forest", "bagging", "bagging", "knn"]
    assert [row.work for row in table.read(results) if row.cpu].count("forest") == 3
    assert "--resume" in capsys.readouterr().err


def row(work="forest", contender="mlsieve", variant="", threads="1", **values):
    return Row(work, "enron", contender, variant, threads, **values)


def test_ratios_take_the_fastest_form_and_cpu_seconds_with_one_thread():
    rows = [
        row(cpu="2", wall="9"),
        row(contender="scikit-learn", variant="dense", cpu="30", wall="31"),
        row(contender="scikit-learn", variant="csr", cpu="14", wall="15"),
        row(threads="2", cpu="3", wall="1"),
        row(contender="scikit-learn", variant="csr", threads="2", cpu="16", wall="8"),
    ]
    one, two = comparison.ratios(rows, "forest")
    assert (one.value, one.goal, one.met) == (7, 6, "yes")
    assert (two.value, two.goal) == (8, None)


def test_clus_counts_without_its_start_and_a_run_cut_off_is_a_lower_bound():
    rows = [
        Row("start", "forest", "CLUS", cpu="1", wall="1"),
        row("scores", cpu="0.1", wall="0.1"),
        row("scores", "CLUS", cpu="3", wall="3", inner_cpu="1.5"),
    ]
    (ratio,) = comparison.ratios(rows, "scores")
    assert ratio.value == pytest.approx(20)
    assert ratio.whole == pytest.approx(30)
    assert ratio.inner == pytest.approx(15)
    assert ratio.met == "no"
    cut_off = [*rows[:2], row("scores", "CLUS", cpu="3", wall="3", note="more than")]
    (ratio,) = comparison.ratios(cut_off, "scores")
    assert ratio.met == "unknown"
    assert "> 20x" in document.must_reach(cut_off)


def test_rows_of_a_partial_run_take_their_places():
    old = [row(cpu="1"), row("bagging", cpu="2")]
    new = [row("knn", cpu="3"), row(cpu="4")]
    assert table.merged(old, new) == [new[1], old[1], new[0]]


def test_exponents_are_slopes_of_logarithms():
    assert comparison.exponent([1, 2, 4], [3, 12, 48]) == pytest.approx(2)


def test_peers_that_are_not_there_leave_mlsieve_alone():
    tasks = list(plan.tasks(plan.FAMILIES, ["enron"], 2, ["mlsieve"], False))
    assert {side.name for task in tasks for side in task.contenders} == {"mlsieve"}


def test_files_for_clus_list_labels_and_spell_out_nominal_features(tmp_path):
    Y = sp.csr_array(np.array([[1, 0], [0, 1]], np.uint8))
    X = sp.csr_array(np.array([[0.0, 0.5], [1.0, 0.0]]))
    clus.write_arff(tmp_path / "sparse.arff", X, Y, np.zeros(2, bool))
    assert (tmp_path / "sparse.arff").read_text().splitlines()[-2:] == ["{2 0.5,3 1,4 0}", "{1 1,3 0,4 1}"]
    clus.write_arff(tmp_path / "dense.arff", X.astype(bool).astype(float), Y, np.ones(2, bool))
    lines = (tmp_path / "dense.arff").read_text().splitlines()
    assert lines[1] == "@attribute x0 {0,1}"
    assert lines[-2:] == ["0,1,1,0", "1,0,0,1"]
    clus.write_arff(tmp_path / "missing.arff", np.array([[np.nan], [2.5]]), Y, np.zeros(1, bool))
    assert (tmp_path / "missing.arff").read_text().splitlines()[-2:] == ["?,1,0", "2.5,0,1"]


def test_the_time_before_learning_is_read_off_the_log_of_clus():
    log = "\n".join(
        f"[2026-11-22 03:{time}] [INFO] {what} "
        for time, what in (("39:57", "Loading 'data'"), ("40:07", "Run: 01"), ("40:08", "Bag: 1"))
    )
    assert clus.reading_seconds(log, 180) == 13
    assert clus.reading_seconds(log[:40], 180) == 180


def test_synthetic_data_have_the_shape_asked_for():
    dataset = synthetic("x", n=200, F=5, L=8, cardinality=2)
    assert (dataset.n_train, dataset.X.shape[1], dataset.Y.shape[1]) == (200, 5, 8)
    assert dataset.label_cardinality == pytest.approx(2, rel=0.02)


def curve(quantity: str, work: str, slope: float, sizes: tuple[int, ...]) -> list[Row]:
    """Rows of a cost that grows with a power of the quantity."""
    rows = [
        Row(f"curve-{quantity}", str(size), "mlsieve", work, "1", cpu=repr(1e-4 * size**slope))
        for size in sizes
    ]
    return rows[::-1]  # in any order


CURVES = [
    *curve("F", "forest", 0.5, (25, 100, 400)),
    *curve("n", "knn", 2, (500, 1000)),
    *curve("n", "forest", 1.25, (500, 1000, 2000)),
]


def test_the_figure_of_the_curves_shows_lines_fits_and_exponents():
    drawn = figure.curves_figure(CURVES, LEARNING)
    assert [axes.get_title() for axes in drawn.axes] == ["rows n", "features F"]
    assert all((axes.get_xscale(), axes.get_yscale()) == ("log", "log") for axes in drawn.axes)
    first, second = drawn.axes
    assert [text.get_text() for text in first.texts] == ["1.25", "2.00"]
    assert [text.get_text() for text in second.texts] == ["0.50"]
    measured = [line for line in first.lines if line.get_label() in ("random forest", "15-NN")]
    assert [list(line.get_xdata()) for line in measured] == [[500, 1000, 2000], [500, 1000]]
    fits = [line for line in first.lines if line.get_linestyle() == "--"]
    np.testing.assert_allclose(fits[0].get_ydata(), [1e-4 * 500**1.25, 1e-4 * 2000**1.25])


def test_the_document_links_the_figure_that_is_written_beside_it(tmp_path):
    written = []
    for name in ("one", "two"):
        document.write(tmp_path / name / "benchmarks.md", CURVES)
        (link,) = re.findall(r"!\[.*?\]\((.*?)\)", (tmp_path / name / "benchmarks.md").read_text("utf-8"))
        written.append((tmp_path / name / link).read_bytes())
    assert written[0] == written[1] and b"<dc:date>" not in written[0]
    text = document.text(CURVES)
    assert "| exponent of | n | F |" in text
    assert "| random forest | 1.25 | 0.50 |" in text and "| 15-NN | 2.00 |  |" in text


def test_without_curves_there_is_no_figure(tmp_path):
    document.write(tmp_path / "benchmarks.md", [row(cpu="2")])
    assert [path.name for path in tmp_path.iterdir()] == ["benchmarks.md"]
    assert "How the cost grows" not in document.text([row(cpu="2")])
