"""CPU seconds of a job's own work: measured by part, written into the log, read from it."""

import time

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.cli import main
from mlsieve.collecting import TIMINGS, timings
from mlsieve.study import Study
from mlsieve.trees.growing import GrowOptions, grow_ensemble
from mlsieve.work import PARTS, WorkClock, read_work

CONFIGURATION = {
    "study": "unit",
    "datasets": ["synthetic-linear"],
    "methods": [
        {"id": "pct", "ensembles": ["bagging"], "scores": ["permutation"], "sizes": [2, 4]},
        {"id": "relief", "params": {"m": 20}},
    ],
    "evaluators": [{"id": "weighted-knn"}],
}


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_parts_add_up_and_sleep_is_no_work(tmp_path):
    clock = WorkClock()
    for _ in range(2):
        with clock.measure("trees"):
            busy(0.02)
            time.sleep(0.05)
    assert 0.04 <= clock.seconds["trees"] < 0.09
    (tmp_path / "log").write_text(f"e.npz: 4 trees\n{WorkClock().line()}\n{clock.line()}\n")
    assert read_work(tmp_path / "log") == {
        part: pytest.approx(clock.seconds[part], abs=1e-6) for part in PARTS
    }


@pytest.mark.parametrize("text", ["", "rankings.npz: 1 ranking(s)\n", "cpu seconds of the work: once 1.0\n"])
def test_a_log_without_them_tells_nothing(tmp_path, text):
    (tmp_path / "log").write_text(text)
    assert read_work(tmp_path / "log") is None
    assert read_work(tmp_path / "none") is None


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("ensemble", ["bagging", "extra-trees"])
def test_growing_tells_permutation_apart(ensemble, n_threads):
    generator = np.random.default_rng(0)
    X, Y = generator.normal(size=(80, 6)), sp.csr_array((generator.random((80, 3)) < 0.4).astype(np.uint8))
    clock = WorkClock()
    options = GrowOptions(ensemble)
    grown = grow_ensemble(X, Y, n_trees=4, options=options, n_threads=n_threads, clock=clock)
    plain = grow_ensemble(X, Y, n_trees=4, options=options)
    assert grown.facts == plain.facts, "no time is kept in what is cached"
    assert clock.seconds["once"] > 0 and clock.seconds["trees"] > 0
    assert (clock.seconds["permutation"] > 0) == (ensemble == "bagging")


def test_jobs_write_them_and_the_table_of_timings_has_them(tmp_path, capsys):
    study = Study(CONFIGURATION, cache=str(tmp_path))
    made = {}
    for job in study.jobs():
        folder = (tmp_path / job.output).parent
        folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / job.benchmark).write_text("s\tcpu_time\tmax_rss\n1.5\t1.2\t90\n")
        words = {
            "grow": ["grow", "synthetic-linear", "--ensemble", "bagging", "--trees", "4"],
            "rank": ["rank", "synthetic-linear", "--method", "relief", "--set", "m=20"],
        }.get(job.step)
        if job.step == "rank" and job.ranker.ensemble:
            words = ["rank", made["grow"], "--score", "permutation", "--trees", "2,4"]
        if words:
            assert main([*words, "-o", job.output]) == 0
            (tmp_path / job.log).write_text(capsys.readouterr().err)
            made[job.step] = job.output
    rows = list(timings(study.jobs()))
    assert {tuple(row) for row in rows} == {TIMINGS}
    parts = {(row["step"], row["method"]): [row[f"work_{part}"] for part in PARTS] for row in rows}
    assert all(float(text) > 0 for text in parts["grow", "pct"])
    assert [float(text) > 0 for text in parts["rank", "pct"]] == [False, True, False]
    assert [float(text) > 0 for text in parts["rank", "relief"]] == [True, False, False]
    assert parts["prepare", ""] == parts["predict", "pct"] == ["", "", ""]
    assert {(row["step"], row["method"]): row["trees"] for row in rows}["grow", "pct"] == 4


def test_a_ranking_for_people_has_no_such_line(tmp_path, capsys):
    assert main(["rank", "synthetic-linear", "--method", "uniform", "-o", str(tmp_path / "r.csv")]) == 0
    assert "cpu seconds" not in capsys.readouterr().err
