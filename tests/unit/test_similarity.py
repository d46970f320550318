"""Similarity of a study's rankings: which are compared, the tables, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mlsieve.analysis.choices import CHOICE_COLUMNS
from mlsieve.cli import main
from mlsieve.files.csv_tables import as_csv, read_rows
from mlsieve.files.writing import write_text
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.stats import fuzzy_jaccard, fuzzy_jaccard_curve
from mlsieve.study import Study
from mlsieve.tables.similarity import CURVES, SIMILARITY, compared_rankings, curve_points, labels_of_study

STUDY = {
    "study": "unit",
    "datasets": ["synthetic-linear", "synthetic-redundant"],
    "split": {"kind": "holdout", "repeats": 2},
    "methods": [
        {"id": "pct", "ensembles": ["bagging", "random-forest"], "sizes": [5, 10]},
        {"id": "pct", "name": "all-features", "ensembles": ["random-forest"], "sizes": [5, 10]},
        {"id": "relief", "sizes": [1, 50]},
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn"}],
}
NAMES = ("a", "b", "c")
USED = [
    ("size", "bagging/permutation", 10),
    ("size", "random-forest/genie3", 5),
    ("size", "all-features/random-forest/genie3", 10),
    ("size", "relief", 50),
    ("ensemble", "genie3", "random-forest"),
    ("ensemble", "permutation", "bagging"),
]
CHOICES = [("own", *row, 2, True, "") for row in USED] + [("paper", "size", "relief", 1, 2, False, "")]


def scores_of(job, size, repeat):
    """Return scores that tell rankings apart by method, size and split."""
    salt = f"{job.ranker.name}-{size}-{repeat}-{job.data.id}"
    return np.random.default_rng(list(salt.encode())).random(len(NAMES))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    content = STUDY | {"cache": str(tmp_path / "cache")}
    study = Study(STUDY, cache=content["cache"])
    for job in study.jobs.all():
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        if job.step == "rank":
            rankings = [
                Ranking(scores_of(job, size, repeat), NAMES, size)
                for repeat in job.split.repeats
                for size in job.ranker.sizes or (0,)
            ]
            RankingBundle(tuple(rankings), {}).save(job.output)
        else:
            Path(job.output).touch()
    (tmp_path / "jobs.json").write_text(json.dumps(content))
    rows = [dict(zip(CHOICE_COLUMNS, row, strict=True)) for row in CHOICES]
    write_text(tmp_path / "choices.csv", as_csv(CHOICE_COLUMNS, rows))
    (tmp_path / "available.csv").write_text("dataset\nsynthetic-linear\n")
    return study


def words(folder: Path, *more: str) -> list[str]:
    return [
        *("similarity", "--jobs", str(folder / "jobs.json"), "--choices", str(folder / "choices.csv")),
        *("-o", str(folder / "similarity.csv"), "--curves", str(folder / "curves.csv"), *more),
    ]


def test_each_score_is_compared_with_the_ensemble_and_size_in_use(tmp_path: Path, study: Study) -> None:
    compared = compared_rankings(read_rows(tmp_path / "choices.csv"), "relief", labels_of_study(study))
    assert compared == {"random-forest/genie3": 5, "bagging/permutation": 10, "relief": 50}
    without = [row for row in read_rows(tmp_path / "choices.csv") if row["item"] != "relief"]
    assert compared_rankings(without, "relief", labels_of_study(study))["relief"] == 0


def test_the_tables_are_those_of_the_rankings(tmp_path: Path, study: Study) -> None:
    assert main(words(tmp_path, "--available", str(tmp_path / "available.csv"))) == 0
    rows, curves = read_rows(tmp_path / "similarity.csv"), read_rows(tmp_path / "curves.csv")
    assert tuple(rows[0]) == SIMILARITY and tuple(curves[0]) == CURVES
    assert len(rows) == 2 * 3 and {row["dataset"] for row in rows} == {"synthetic-linear"}
    jobs = {
        job.ranker.name: job
        for job in study.jobs.all()
        if job.step == "rank" and job.data.id == "synthetic-linear"
    }
    sizes = {"random-forest/genie3": 5, "bagging/permutation": 10, "relief": 50}
    for row in rows:
        pair = [
            scores_of(jobs[label.replace("/", "-")], sizes[label], row["repeat"])
            for label in (row["first"], row["second"])
        ]
        assert float(row["similarity"]) == fuzzy_jaccard(*pair)
        assert [int(row["first_size"]), int(row["second_size"])] == [
            sizes[row["first"]],
            sizes[row["second"]],
        ]
    of_first = [
        row for row in curves if (row["first"], row["second"]) == (rows[0]["first"], rows[0]["second"])
    ]
    assert [row["features"] for row in of_first] == ["1", "2", "3"], "of the first split only"
    mean = np.mean([float(row["similarity"]) for row in of_first])
    assert mean == pytest.approx(float(rows[0]["similarity"]), abs=1e-5)


def test_rankings_that_are_missing(tmp_path: Path, study: Study, capsys: pytest.CaptureFixture) -> None:
    for job in study.jobs.all():
        if job.step == "rank" and job.ranker.method == "relief" and job.data.id == "synthetic-linear":
            Path(job.output).unlink()
    assert main(words(tmp_path)) == 2
    assert main(words(tmp_path, "--partial")) == 0
    rows = read_rows(tmp_path / "similarity.csv")
    assert {row["second"] for row in rows if row["dataset"] == "synthetic-linear"} == {"bagging/permutation"}
    assert len([row for row in rows if row["dataset"] == "synthetic-redundant"]) == 2 * 3
    for job in study.jobs.all():
        Path(job.output).unlink(missing_ok=True)
    assert main(words(tmp_path, "--partial")) == 0
    assert read_rows(tmp_path / "similarity.csv") == []
    assert "no dataset of this study" in capsys.readouterr().err


def test_the_rival_is_the_analysis(tmp_path: Path, study: Study) -> None:
    (tmp_path / "analysis.json").write_text(json.dumps({"rival": "uniform"}))
    assert main(words(tmp_path, "--analysis", str(tmp_path / "analysis.json"))) == 0
    assert {row["second"] for row in read_rows(tmp_path / "similarity.csv")} == {
        "bagging/permutation",
        "uniform",
    }


def test_files_have_curves_too(tmp_path: Path) -> None:
    scores = {"one": np.array([3.0, 2.0, 1.0]), "other": np.array([1.0, 2.0, 3.0])}
    for name, values in scores.items():
        Ranking(values, NAMES).to_csv(tmp_path / f"{name}.csv")
    files = [str(tmp_path / f"{name}.csv") for name in scores]
    output = ["-o", str(tmp_path / "table"), "--curves", str(tmp_path / "curves")]
    assert main(["similarity", *files, *output]) == 0
    [row] = read_rows(tmp_path / "table")
    assert row == {"first": "one", "second": "other", "similarity": repr(fuzzy_jaccard(*scores.values()))}
    curve = [float(row["similarity"]) for row in read_rows(tmp_path / "curves")]
    assert curve == pytest.approx(fuzzy_jaccard_curve(*scores.values()), abs=1e-6)


@pytest.mark.parametrize(
    "given",
    [
        ["one.csv", "--partial"],
        ["--choices", "c.csv"],
        ["--jobs", "j.json"],
        ["--jobs", "j.json", "one.csv"],
        [],
    ],
)
def test_options_that_do_not_go_together(given: list[str], capsys: pytest.CaptureFixture) -> None:
    assert main(["similarity", *given]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_long_curves_are_thinned() -> None:
    assert curve_points(200).tolist() == list(range(1, 201))
    points = curve_points(10_000)
    assert len(points) < 250 and points[0] == 1 and points[-1] == 10_000 and (np.diff(points) > 0).all()
    assert (points < 100).sum() > 30, "the first features matter most"


@pytest.mark.parametrize("asked", ["analysis", "option"])
def test_a_study_may_compare_positive_scores_only(tmp_path: Path, study: Study, asked: str) -> None:
    """Relief weighs one feature, the ensembles the two others: over all features they are alike for j = 3."""
    for job in study.jobs.all():
        if job.step == "rank":
            scores = np.array([0.0, 0.0, 1.0] if job.ranker.method == "relief" else [2.0, 1.0, 0.0])
            sizes = job.ranker.sizes or (0,)
            rankings = [Ranking(scores, NAMES, size) for _ in job.split.repeats for size in sizes]
            RankingBundle(tuple(rankings), {}).save(job.output)
    (tmp_path / "a.json").write_text(json.dumps({"similarity_features": "positive"}))
    chosen = ["--analysis", str(tmp_path / "a.json")] if asked == "analysis" else ["--features", "positive"]
    for more, expected in ((chosen, 0.0), ([], None)):
        assert main(words(tmp_path, "--available", str(tmp_path / "available.csv"), *more)) == 0
        rows = [row for row in read_rows(tmp_path / "similarity.csv") if row["second"] == "relief"]
        assert rows
        for row in rows:
            one, other = [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]
            assert float(row["similarity"]) == (fuzzy_jaccard(one, other) if expected is None else expected)
            assert int(row["features"]) == (3 if expected is None else 2)
