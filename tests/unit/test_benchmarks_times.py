"""How the benchmarks scale a peer's time, which of its forms they take, and what a table says of it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import child, comparison, document, measure, plan, run, table
from benchmarks.contenders import clus, scikit_learn
from benchmarks.data import ROOT, synthetic
from benchmarks.plan import Contender, Task
from benchmarks.table import Row
from benchmarks.workers import Worker

START, READING = 1.0, 0.002  # seconds: of the simulated CLUS, and of its reading of one row
WARM_UP = 6.0


def one_run(learning: float, rows: int = 1000) -> dict[str, float]:
    """Facts of one run of CLUS: start and reading, and learning with its warm-up."""
    seconds = START + READING * rows + WARM_UP + learning
    return {"cpu": seconds, "wall": 2 * seconds, "share": (WARM_UP + learning) / seconds}


def test_the_warm_up_of_clus_counts_once_whatever_the_number_of_trees():
    facts = clus.whole([one_run(2 * 0.3), one_run(5 * 0.3)], (2, 5), 100, power=1)
    assert facts["cpu"] + facts["more_cpu"] == pytest.approx(START + 1000 * READING + WARM_UP + 30)
    assert facts["wall"] + facts["more_wall"] == pytest.approx(2 * (START + 1000 * READING + WARM_UP + 30))
    assert facts["learning_cpu"] == pytest.approx(WARM_UP + 30)


def test_relief_of_clus_grows_with_the_square_of_the_rows_and_only_its_learning_is_scaled():
    runs = [one_run(1e-5 * rows**2, rows) for rows in (1000, 2000)]
    facts = clus.whole(runs, (1000, 2000), 5000, power=2)
    learning = WARM_UP + 1e-5 * 5000**2
    assert facts["learning_cpu"] == pytest.approx(learning)
    assert facts["cpu"] + facts["more_cpu"] == pytest.approx(START + 2000 * READING + learning)


def test_work_that_clus_did_whole_is_not_scaled():
    facts = clus.whole([one_run(30)], (0, 100), 100, power=1)
    assert (facts["more_cpu"], facts["more_wall"]) == (0, 0)


def test_a_run_of_clus_cut_off_is_a_lower_bound():
    cut = {"more_than": 100, "cpu": 90.0, "wall": 100.0, "learning": 80.0, "begun": 2}
    facts = clus.whole([cut], (2, 3), 100, power=1)
    assert facts["cpu"] + facts["more_cpu"] == pytest.approx(90 + 0.9 * (80 - clus.WARM_UP) / 2 * 98)
    assert measure.whole_seconds(clus.whole([cut], (500, 900), 4000, power=2), "cpu", 8) == 90
    early = clus.whole([cut | {"learning": 10.0}], (2, 3), 100, power=1)
    assert measure.whole_seconds(early, "cpu", 33) == 90
    unread = clus.whole([cut | {"learning": 0.0, "begun": 0}], (2, 3), 100, power=1)
    assert measure.whole_seconds(unread, "cpu", 33) == 90


@pytest.fixture
def simulated_clus(monkeypatch):
    """CLUS without Java: the amount is read off the files that it is given; returns the amounts asked for."""
    asked = []
    monkeypatch.setattr(clus, "load", lambda _: synthetic("x", n=60, F=3, L=2, cardinality=1))
    monkeypatch.setattr(clus, "jar", lambda: "clus.jar")

    def simulate(command, folder, limit, watched):
        rows = (folder / "data.arff").read_text().split("@data\n")[1].count("\n")
        trees = int((folder / "data.s").read_text().split("Iterations = ")[1].split("\n")[0])
        asked.append((rows, trees))
        work = 1e-2 * rows**2 if "-relief" in command else 0.5 * trees
        return one_run(work, rows)

    monkeypatch.setattr(clus, "_run", simulate)
    return asked


def test_clus_relief_runs_on_two_numbers_of_rows(simulated_clus):
    spec = {"work": "relief", "variant": "", "dataset": "x", "amount": 40, "first": 20, "full": 1}
    facts = clus.prepare(spec | {"threads": 1, "limit": 9})()
    assert [rows for rows, _ in simulated_clus] == [20, 40]
    assert (facts["amount"], facts["full"]) == (40, 60)
    assert facts["learning_cpu"] == pytest.approx(WARM_UP + 1e-2 * 60**2)
    simulated_clus.clear()
    facts = clus.prepare(spec | {"amount": 10**9, "threads": 1, "limit": 9})()
    assert [rows for rows, _ in simulated_clus] == [60]
    assert facts["more_cpu"] == 0


def test_clus_forest_grows_two_numbers_of_trees(simulated_clus):
    spec = {"work": "scores", "variant": "", "dataset": "x", "amount": 5, "first": 2, "full": 100}
    facts = clus.prepare(spec | {"threads": 1, "limit": 9})()
    assert simulated_clus == [(60, 2), (60, 5)]
    assert facts["learning_cpu"] == pytest.approx(WARM_UP + 50)
    assert facts["spent"] == pytest.approx(sum(one_run(0.5 * trees, 60)["wall"] for trees in (2, 5)))


def tasks(*families, datasets=("enron",), threads=1, peers=("mlsieve", "scikit-learn", "CLUS")):
    return list(plan.tasks(families, datasets, threads, peers, False))


def sides(task, name):
    return [side for side in task.contenders if side.name == name]


def test_clus_does_all_of_the_work_on_small_sets_and_two_parts_elsewhere():
    for dataset in ("emotions", "scene", "yeast", "enron"):
        for task in tasks("scores", datasets=[dataset])[1:]:
            (side,) = sides(task, "CLUS")
            assert (side.first, side.amount, side.full) == (0, 100, 100)
        (side,) = sides(tasks("relief", datasets=[dataset])[1], "CLUS")
        assert side.first == 0 and side.amount >= 10**6
    for family in ("scores", "relief"):
        for dataset in ("bibtex", "delicious", "corel5k", "tmc2007-500", "yahoo_arts"):
            (side,) = sides(tasks(family, datasets=[dataset])[1], "CLUS")
            assert 0 < side.first < side.amount


def test_every_set_is_tried_in_both_forms_by_forest_and_neighbours_and_memory():
    for task in tasks("forest", "knn", datasets=["yahoo_arts", "yeast"], threads=2):
        assert {side.variant for side in sides(task, "scikit-learn")} == {"dense", "csr"}
    memory = [
        task for task in tasks("memory", datasets=["delicious", "scene", "yeast"]) if task.work == "memory"
    ]
    assert [task.dataset for task in memory] == ["delicious", "scene"]
    for task in memory:
        assert {side.variant for side in sides(task, "scikit-learn")} == {"dense", "csr"}
        assert len({side.amount for side in task.contenders}) == 1
        assert task.spec(task.contenders[0], 9)["once"]


def test_memory_counts_the_lighter_form_not_the_faster_one():
    rows = [
        Row("memory", "scene", "mlsieve", "", "1", cpu="1", wall="1", peak_mib="10"),
        Row("memory", "scene", "scikit-learn", "dense", "1", cpu="2", wall="2", peak_mib="70"),
        Row("memory", "scene", "scikit-learn", "csr", "1", cpu="5", wall="5", peak_mib="50"),
    ]
    (ratio,) = comparison.ratios(rows, "memory")
    assert ratio.value == 5


@pytest.mark.parametrize("once", [True, False])
def test_memory_is_that_of_work_done_once(monkeypatch, capsys, once):
    done = []

    def work():
        done.append(1)
        return {}

    module = types.SimpleNamespace(prepare=lambda spec: work)
    monkeypatch.setattr("benchmarks.contenders.contender", lambda name: module)
    spec = {"contender": "mlsieve", "once": once}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(spec) + "\nrun\n"))
    assert child.main() == 0
    assert (len(done) == 1) is once  # work as short as this is repeated for its seconds' sake
    assert measure._repeats(Contender("mlsieve"), types.SimpleNamespace(spec=spec), 10) is not once


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the height is reset on Linux only")
def test_memory_that_loading_has_freed_hides_nothing():
    program = """if True:
        from benchmarks import child
        parts = [bytes(1000 + i % 7) for i in range(200_000)]
        kept = parts[::1000]
        del parts
        child.reset_peak()
        before = child.peak_mib()
        filled = [bytes(1000 + i % 7) for i in range(100_000)]
        print(child.peak_mib() - before)
    """
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert float(told.stdout) > 80


def test_a_peers_budget_counts_both_parts_of_a_run():
    worker = Worker.__new__(Worker)
    worker.runs = [{"wall": 6.0, "spent": 10.0}, {"wall": 1.0}]
    assert worker.spent == 11


class Stopwatch:
    """Stands for a worker whose seconds are given."""

    def __init__(self, cpu, wall, **told):
        self.runs = [{"cpu": cpu, "wall": wall} | told]

    def seconds(self, kind):
        return self.runs[0][kind]


def test_rows_with_several_threads_take_the_form_with_less_wall_clock_time():
    for threads, slower in ((1, "csr"), (2, "dense")):
        found = measure._slower(
            [
                (Contender("scikit-learn", "dense", threads=threads), Stopwatch(cpu=1, wall=4)),
                (Contender("scikit-learn", "csr", threads=threads), Stopwatch(cpu=2, wall=3)),
            ]
        )
        assert [side.variant for side, _ in found] == [slower]


def test_a_form_is_left_out_with_two_threads_only_if_it_took_twice_as_long_with_one():
    task = Task("knn", "x", tuple(Contender(*side, threads=2) for side in FORMS))
    for seconds, kept in (("3", ["", "dense", "csr"]), ("4.5", ["", "dense"])):
        rows = [
            Row("knn", "x", "mlsieve", "", "1", wall="0.1"),
            Row("knn", "x", "scikit-learn", "dense", "1", wall="2"),
            Row("knn", "x", "scikit-learn", "csr", "1", wall=seconds),
        ]
        assert [side.variant for side in measure.without_hopeless_forms(task, rows).contenders] == kept
    alone = replace(task, contenders=tuple(replace(side, threads=1) for side in task.contenders))
    assert measure.without_hopeless_forms(alone, rows) == alone


FORMS = (("mlsieve", ""), ("scikit-learn", "dense"), ("scikit-learn", "csr"))


def test_scikit_learn_grows_with_the_parameters_that_the_document_names(monkeypatch):
    dataset = synthetic("x", n=60, F=10, L=3, cardinality=1)
    monkeypatch.setattr(scikit_learn, "load", lambda _: dataset)
    import sklearn.ensemble

    made = []
    for name in ("RandomForestRegressor", "ExtraTreesRegressor"):

        class Recorded(getattr(sklearn.ensemble, name)):
            def __init__(self, **parameters):
                super().__init__(**parameters)
                made.append((type(self).__mro__[1].__name__, parameters, self))

        monkeypatch.setattr(sklearn.ensemble, name, Recorded)
    for work, estimator, share in (
        ("forest", "RandomForestRegressor", 4),
        ("bagging", "RandomForestRegressor", 1.0),
        ("extra-trees", "ExtraTreesRegressor", 1.0),
    ):
        spec = {"work": work, "variant": "dense", "dataset": "x", "amount": 3, "threads": 1}
        told = scikit_learn.prepare(spec)()
        name, parameters, model = made[-1]
        assert (name, parameters["min_samples_leaf"], parameters["max_features"]) == (estimator, 2, share)
        assert parameters["n_estimators"] == len(model.estimators_) == 3
        assert told["nodes"] == sum(tree.tree_.node_count for tree in model.estimators_)
        assert min(np.min(t.tree_.n_node_samples[t.tree_.children_left < 0]) for t in model.estimators_) == 2


def test_two_threads_are_measured_by_one_threads_seconds_over_theirs():
    rows = [
        Row("threads", "enron", "mlsieve", f"{n} threads", str(n), cpu="3", wall=wall)
        for n, wall in ((1, "3"), (2, "1.5"))
    ]
    (ratio,) = comparison.ratios(rows, "threads")
    assert (ratio.value, ratio.goal, ratio.met) == (2, 1.8, "yes")


def test_a_row_states_the_amounts_that_were_done():
    side = Contender("CLUS", "", 5, 100, first=2)
    worker = types.SimpleNamespace(
        runs=[{"cpu": 4.0, "wall": 5.0, "more_cpu": 6.0, "more_wall": 7.0}],
        stopped=False,
        median={"amount": 5, "full": 100, "learning_cpu": 9.0}.get,
    )
    row = measure._result(Task("scores", "x", (side,)), side, worker, {}, "")
    assert (row.amount, row.full, row.cpu, row.wall, row.inner_cpu) == ("2 and 5", "100", "10", "12", "9")
    ours = Row("scores", "x", "mlsieve", "", "1", "100", "100", "5", cpu="1", wall="1")
    assert "| 2 and 5 of 100 |" in document.text([ours, row])
    whole = replace(side, amount=100, first=0)
    worker.median = {"amount": 100, "full": 100}.get
    assert measure._result(Task("scores", "x", (whole,)), whole, worker, {}, "").amount == "100"


def test_the_document_says_how_often_the_rows_of_each_run_ran():
    rows = [
        Row("forest", "x", "mlsieve", "", "1", cpu="1", repeats="5", budget="10"),
        Row("knn", "x", "mlsieve", "", "1", cpu="1", repeats="1", budget="3"),
    ]
    text = document.text(rows)
    assert "ran up to 5 times (forest). A peer was not repeated after 10 seconds" in text
    assert "ran up to 1 time (knn). A peer was not repeated after 3 seconds" in text
    assert "ran up to 5 times. A peer" in document.text(rows[:1])


def test_a_peer_that_was_left_out_before_is_not_left_out_after_it_ran():
    before = [Row("left out", contender="CLUS", note="pyclus is not installed")]
    after = table.merged(before, [Row("scores", "x", "CLUS", "", "1", cpu="9")])
    assert "was left out" not in document.text(after)
    still = table.merged(before, [replace(before[0], note="there is no java command")])
    assert "CLUS was left out, because there is no java command." in document.text(still)


def test_a_resumed_run_tries_again_what_failed(tmp_path, monkeypatch, capsys):
    results, done = tmp_path / "results.csv", []

    def failing_once(task, **_):
        done.append(task.work)
        if done == ["forest", "bagging"]:
            raise KeyboardInterrupt
        note = "failed: its process ended (signal 15)" if done == ["forest"] else ""
        seconds = "" if note else "1"
        return [Row(*task.key(side), cpu=seconds, wall=seconds, note=note) for side in task.contenders]

    monkeypatch.setattr(run, "measure", failing_once)
    monkeypatch.setattr(run.machine, "usable_cores", lambda: 1)
    options = ["--quick", "--rows", "forest,bagging", "--output", str(results)]
    assert run.main(options) == 130
    assert run.main([*options, "--resume"]) == 0
    assert done == ["forest", "bagging", "forest", "bagging"]
    rows = table.read(results)
    assert not [row for row in rows if row.note.startswith("failed")]
    assert {row.repeats for row in rows if row.cpu} == {"1"}


def test_a_quick_run_prints_the_ratios_that_it_measured():
    rows = [
        Row("forest", "synthetic-linear", "mlsieve", "", "1", cpu="1", wall="1"),
        Row("forest", "synthetic-linear", "scikit-learn", "csr", "1", cpu="4", wall="4"),
    ]
    assert "| synthetic-linear | 1 | 4x |" in document.reached(rows)
    aim = [replace(row, dataset="enron") for row in rows]
    assert "| enron | 4x | 6x | no |" in document.reached([*rows, *aim])


def test_a_file_of_an_older_version_is_read(tmp_path):
    (tmp_path / "old.csv").write_text("work,dataset,cpu\nforest,enron,2\nforest,ye\n", encoding="utf-8")
    assert table.read(tmp_path / "old.csv") == [Row("forest", "enron", cpu="2")]
