"""CPU seconds of a job's own work: measured by part, written into the log, read from it."""

import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.cli import main
from mlsieve.costs.measured import LOG_USAGE, PARTS, WorkClock, read_usage, read_work, usage
from mlsieve.study import Study
from mlsieve.tables.performance import TIMINGS, timings
from mlsieve.trees.growing import GrowOptions, grow_ensemble

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


def test_what_a_process_used_is_what_the_system_counts(tmp_path):
    """A child that works for a fifth of a second and holds 200 MB, started by a larger process."""
    ballast = np.ones(40_000_000)  # 305 MB here must not count as the child's
    code = (
        "import time; block = bytearray(200 * 2**20); block[::4096] = bytes(len(block[::4096]))\n"
        "while time.process_time() < 0.2: pass\n"
        "from mlsieve.costs.measured import usage, usage_line; print(usage_line(usage()))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    (tmp_path / "log").write_text(f"resources of the job: 9.999 CPU seconds, peak 9.9 MB\n{out}")
    used = read_usage(tmp_path / "log")
    assert 0.2 <= used.cpu_seconds < 2.0, "the last line of several"
    assert 200 <= used.peak_mb < 290 and ballast.nbytes > 300 * 2**20
    assert read_usage(tmp_path / "none") is None
    assert usage().cpu_seconds > 0.01 and usage().peak_mb > 300


@pytest.mark.parametrize("variable", ["", "1"])
def test_a_command_writes_what_it_used_where_the_workflow_asks(tmp_path, capsys, monkeypatch, variable):
    monkeypatch.setenv(LOG_USAGE, variable)
    words = ["prepare", "synthetic-linear", "-o", str(tmp_path / "data.npz")]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert ("resources of the job" in said) == bool(variable)
    assert main(["prepare", "no-such-set", "-o", str(tmp_path / "x.npz")]) == 2
    last = capsys.readouterr().err.strip().split("\n")[-1]
    assert last.startswith("mlsieve: "), "the last line says why a job failed"


def test_jobs_write_them_and_the_table_of_timings_has_them(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv(LOG_USAGE, "1")
    study = Study(CONFIGURATION, cache=str(tmp_path))
    made = {}
    for job in study.jobs.all():
        folder = (tmp_path / job.output).parent
        folder.mkdir(parents=True, exist_ok=True)
        # What Snakemake samples of so short a job.
        (tmp_path / job.benchmark).write_text("s\tcpu_time\tmax_rss\n1.5\t0.00\t3.71\n")
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
    rows = list(timings(study.jobs.all()))
    assert {tuple(row) for row in rows} == {TIMINGS}
    parts = {(row["step"], row["method"]): [row[f"work_{part}"] for part in PARTS] for row in rows}
    assert all(float(text) > 0 for text in parts["grow", "pct"])
    assert [float(text) > 0 for text in parts["rank", "pct"]] == [False, True, False]
    assert [float(text) > 0 for text in parts["rank", "relief"]] == [True, False, False]
    assert parts["prepare", ""] == parts["predict", "pct"] == ["", "", ""]
    assert {(row["step"], row["method"]): row["trees"] for row in rows}["grow", "pct"] == 4
    for row in rows:
        if row["step"] in ("grow", "rank"):
            assert float(row["cpu_seconds"]) > 0 and float(row["peak_mb"]) > 15
        else:  # no job of this test wrote a log: not known, which is not zero
            assert (row["seconds"], row["cpu_seconds"], row["peak_mb"]) == ("1.50", "", "")


def test_a_ranking_for_people_has_no_such_line(tmp_path, capsys):
    assert main(["rank", "synthetic-linear", "--method", "uniform", "-o", str(tmp_path / "r.csv")]) == 0
    assert "cpu seconds" not in capsys.readouterr().err
