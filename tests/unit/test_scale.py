"""What costs are reckoned from, held against measured jobs; docs/scale.md held against both."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mlsieve.costs.model import FACTORS, Task, terms
from scale import page
from scale.dryrun import copied
from scale.fit import TERMS, fitted
from scale.measure import ROOT
from scale.table import read_jobs, study_of, task_of_row, timed, watched


def test_the_page_is_that_of_these_measurements_and_factors() -> None:
    written = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    assert written == page.page(), "make it anew: python -m scale.page"


@pytest.mark.parametrize(("quantity", "within"), [("cpu_seconds", 2.7), ("megabytes", 2.0)])
def test_predictions_are_near_what_was_measured(quantity: str, within: float) -> None:
    for step, found in page.ratios(quantity).items():
        assert found, step
        first, middle, last = np.quantile(found, [0.05, 0.5, 0.95])
        assert 0.8 < middle < 1.25, (step, middle)
        assert 1 / within < first and last < within, (step, first, last)


def test_measured_jobs_stay_within_what_their_first_attempt_asks_for() -> None:
    watched_jobs, fits, in_time = page.requests()
    assert watched_jobs > 250 and fits == watched_jobs
    assert in_time == len(read_jobs())


def test_every_row_of_the_table_is_a_job_of_todays_studies() -> None:
    lost = [row for row in read_jobs() if task_of_row(row) is None]
    assert len(lost) < 0.05 * len(read_jobs()), "measure again: the studies have become others"


def test_factors_are_positive_and_of_terms_that_exist() -> None:
    known = terms(Task("grow"))
    for quantity, parts in TERMS.items():
        assert FACTORS[quantity].keys() == parts.keys()
        for part, names in parts.items():
            factors = FACTORS[quantity][part]
            assert factors.keys() <= set(names) <= known.keys()
            assert factors and min(factors.values()) > 0, part


def test_a_fit_finds_the_factors_that_made_the_costs() -> None:
    generator = np.random.default_rng(0)
    tasks = [
        Task("rank", n=n, n_features=n_features, n_labels=10)
        for n, n_features in generator.integers(100, 10_000, size=(40, 2))
    ]
    costs = [0.5 + 2e-7 * terms(task)["values"] for task in tasks]
    found = fitted(tasks, costs, ("job", "values", "labels_set", "label_pairs"), floor=0.01)
    assert found["job"] == pytest.approx(0.5, rel=0.1) and found["values"] == pytest.approx(2e-7, rel=0.05)


def test_rows_come_from_watched_jobs_and_from_timings(tmp_path: Path) -> None:
    jobs = study_of("quickstart").jobs.all()
    output = next(job.output for job in jobs if (job.step, job.data.id) == ("prepare", "digits-mlc"))
    record = {"step": "prepare", "output": output, "status": 0, "cpu_seconds": 1.5, "megabytes": 90.4}
    record["bytes"] = 7
    lines = [record, record | {"cpu_seconds": 2.5}, record | {"output": "elsewhere"}, record | {"status": 9}]
    (tmp_path / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (row,) = watched(tmp_path / "records.jsonl")
    assert (row["study"], row["dataset"], row["cpu_seconds"]) == ("quickstart", "digits-mlc", "2.50")
    assert (row["megabytes"], row["bytes"]) == ("90", 7)
    head = "dataset,method,seconds,cpu_seconds,peak_mb,step,ensemble,score,work_once,work_trees,"
    head += "work_permutation\n"
    grown = "digits-mlc,pct,55.0,{},70,grow,bagging,,1.0,20.0,19.0\n"
    (tmp_path / "quickstart").mkdir()
    table = tmp_path / "quickstart" / "timings.csv"
    table.write_text(head + grown.format(41.5) + grown.format("") + "no-set,pct,1,1,1,prepare,,,,,\n")
    known, long = timed(table)
    assert (known["cpu_seconds"], long["cpu_seconds"]) == ("41.50", "40.00"), "the whole job's, its work's"
    assert (long["trees_seconds"], long["permutation_seconds"], long["megabytes"]) == ("21.00", "19.00", "")


def test_copies_of_a_study_have_as_many_jobs_each(tmp_path: Path) -> None:
    from mlsieve.study import Study

    one, three = (Study(copied("hmlc_ranking", times, tmp_path)) for times in (1, 3))
    assert len(three.jobs.all()) == 3 * len(one.jobs.all()) > 3_000


def test_the_sizes_of_absent_sets_are_those_of_sets_of_the_studies() -> None:
    for name in page.STUDIES:
        jobs = page.planned_jobs(page.study_of(name))
        assert len({job.dataset for job in jobs} - {""}) == len(page.study_of(name).content.datasets)
