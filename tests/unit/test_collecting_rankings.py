"""rankings.csv: how many features each ranking of a study gives a positive weight."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.files.checksums import mark_folder
from mlsieve.files.csv_tables import PERFORMANCE, read_rows
from mlsieve.files.writing import write_text
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.study import Study
from mlsieve.tables.performance import RANKINGS, ranking_sizes, timings
from mlsieve.tables.similarity import rankings_of_study

CONFIGURATION = {
    "study": "tiny",
    "datasets": ["synthetic-linear"],
    "methods": [
        {"id": "pct", "ensembles": ["bagging"], "scores": ["genie3"], "sizes": [2, 4]},
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 5}}],
}
NAMES = ("a", "b", "c", "d")


def study_with_rankings(folder, **changes):
    study = Study(CONFIGURATION | changes, cache=str(folder / "cache"), results=str(folder / "results"))
    made = {
        "pct": (
            Ranking(np.array([0.5, 0.0, -1.0, 2.0]), NAMES, size=2),
            Ranking(np.array([0.5, 1e-9, -1.0, 2.0]), NAMES, size=4),
        ),
        "uniform": (Ranking(np.ones(4), NAMES, n_selected=1),),
    }
    for job in study.jobs.all():
        if job.step == "rank":
            RankingBundle(made[job.ranker.method]).save(job.output)
    return study


def test_a_row_for_each_size(tmp_path):
    rows = list(ranking_sizes(study_with_rankings(tmp_path).jobs.all()))
    assert [tuple(row) for row in rows] == [RANKINGS] * 3
    head = {"dataset": "synthetic-linear", "split": "official", "repeat": 0, "features": rows[0]["features"]}
    pair = head | {"method": "pct", "ensemble": "bagging", "score": "genie3"}
    assert rows[0] == pair | {"size": 2, "positive": 2}, "zero and below zero are no weights"
    assert rows[1] == pair | {"size": 4, "positive": 3}
    assert rows[2]["positive"] == 1, "a selection's weights are those of its features"
    assert {row["features"] for row in rows} == {4}


def test_only_the_first_seed_is_counted(tmp_path):
    one = list(ranking_sizes(study_with_rankings(tmp_path / "one").jobs.all()))
    study = study_with_rankings(tmp_path / "three", stability={"seeds": 3})
    assert sum(job.step == "rank" for job in study.jobs.all()) == 4
    assert list(ranking_sizes(study.jobs.all())) == one


def test_a_ranking_that_is_gone_is_left_out(tmp_path):
    study = study_with_rankings(tmp_path)
    gone = next(job for job in study.jobs.all() if job.step == "rank" and job.ranker.method == "pct")
    (tmp_path / gone.output).unlink()
    assert [row["method"] for row in ranking_sizes(study.jobs.all())] == ["uniform"]


def test_all_tables_name_a_split_as_the_jobs_commands_do(tmp_path):
    """A set of one's own without a test part is always split by seed, and performance.csv says so."""
    (tmp_path / "own.csv").write_text("a,b,c,d,l\n" + "1,2,3,4,0\n" * 6)
    own = {"id": "own", "train": str(tmp_path / "own.csv"), "label_count": -1}
    study = study_with_rankings(tmp_path, datasets=["synthetic-linear", own])
    jobs = list(study.jobs.all())
    for job in jobs:
        Path(job.benchmark).parent.mkdir(parents=True, exist_ok=True)
        Path(job.benchmark).write_text("s\n1.5\n")
    said = {job.data.id: job.split.options(job.data).split()[1] for job in jobs if job.split is not None}
    assert said == {"synthetic-linear": "official", "own": "holdout"}
    assert {(row["dataset"], row["split"]) for row in ranking_sizes(jobs)} == set(said.items())
    timed = {(row["dataset"], row["split"]) for row in timings(jobs) if row["step"] != "prepare"}
    assert timed == set(said.items())
    compared = {"uniform": 1, "bagging/genie3": 4}
    assert {place[:2] for place, _ in rankings_of_study(study, None, compared)} == set(said.items())


def test_the_command_writes_the_table(tmp_path):
    study = study_with_rankings(tmp_path)
    (tmp_path / "jobs.json").write_text(json.dumps(CONFIGURATION | {"cache": study.paths.cache}))
    (tmp_path / "available.csv").write_text("dataset,source\nsynthetic-linear,embedded\n")
    (tmp_path / "unavailable.csv").write_text("dataset,reason\n")
    words = ["collect", str(tmp_path / "jobs.json"), "--partial"]
    for name in ("available", "unavailable", "performance", "rankings", "skipped", "timings"):
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    assert main(words) == 0
    rows = read_rows(tmp_path / "rankings.csv")
    assert [row["positive"] for row in rows] == ["2", "3", "1"]


SETS = ("synthetic-linear", "synthetic-mixed")
WRONG_ROWS = {
    "those of another job": lambda rows: [row.replace(*SETS) for row in rows],
    "one twice": lambda rows: [*rows, rows[0]],
    "one lacking": lambda rows: rows[1:],
    "those of a size lacking": lambda rows: rows[2:],
    "those of a measure lacking": lambda rows: rows[::2],
    "one with another value": lambda rows: [*rows, rows[0].replace("0.25", "0.5")],
    "none": lambda rows: [],
}


def collecting(tmp_path: Path) -> tuple[list[str], dict[str, str], dict[str, list[str]]]:
    """Return a command that collects two tables of scores; each table, and its rows, by dataset."""
    configuration = {"datasets": [*SETS], "methods": CONFIGURATION["methods"][:1]}
    configuration["measures"] = ["f1", "accuracy"]
    study = study_with_rankings(tmp_path, **configuration)
    configuration |= {"cache": study.paths.cache}
    (tmp_path / "jobs.json").write_text(json.dumps(CONFIGURATION | configuration))
    (tmp_path / "available.csv").write_text("dataset,source\n" + "".join(f"{id},embedded\n" for id in SETS))
    (tmp_path / "unavailable.csv").write_text("dataset,reason\n")
    rows, files = {}, {}
    for file, (job,) in study.jobs.by_scores().items():
        files[job.data.id], rows[job.data.id] = (
            file,
            [
                f"{job.data.id},official,pct,bagging,genie3,{size},0,weighted-knn,{measure},clus,0.25,40"
                for size in (2, 4)
                for measure in ("f1", "accuracy")
            ],
        )
        write_text(file, "\n".join([",".join(PERFORMANCE), *rows[job.data.id]]) + "\n")
    words = ["collect", str(tmp_path / "jobs.json")]
    for name in ("available", "unavailable", "performance", "rankings", "skipped", "timings"):
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    assert main(words) == 0 and len(read_rows(tmp_path / "performance.csv")) == 8
    return words, files, rows


def test_all_damaged_tables_are_removed_at_once(tmp_path, capsys):
    """The run after it makes them all again."""
    mark_folder(tmp_path)
    words, files, _ = collecting(tmp_path)
    for file in files.values():
        Path(file).write_text("damaged")
    capsys.readouterr()
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(f"mlsieve: {files[SETS[0]]}: was damaged")
    assert not any(map(os.path.exists, files.values()))


@pytest.mark.parametrize("wrong", WRONG_ROWS)
def test_a_table_of_scores_has_the_rows_of_its_job_each_once(wrong, tmp_path, capsys):
    words, files, rows = collecting(tmp_path)
    (tmp_path / "performance.csv").unlink()
    file = files[SETS[0]]
    write_text(file, "\n".join([",".join(PERFORMANCE), *WRONG_ROWS[wrong](rows[SETS[0]])]) + "\n")
    capsys.readouterr()
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {file}: ") and told.count("\n") == 1 and "; " in told
    assert not (tmp_path / "performance.csv").exists()
