"""Several seeds of a study: what they change, and the table that compares them."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.configuration import configuration_errors
from mlsieve.errors import UserError
from mlsieve.files.csv_tables import PERFORMANCE, as_csv, read_rows
from mlsieve.files.writing import write_text
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.study import Study
from mlsieve.tables.performance import failed_jobs
from mlsieve.tables.provenance import provenance
from mlsieve.tables.stability import STABILITY, stability_rows

ONE = {
    "study": "unit",
    "datasets": ["synthetic-linear"],
    "methods": [
        {"id": "pct", "ensembles": ["bagging"], "scores": ["genie3", "symbolic"], "sizes": [5, 10]},
        {"id": "random"},
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn"}],
}
DATA = list(Study(ONE).content.datasets)
NAMES = ("a", "b")
# Rankings of two features by seed; FUJI is 0.75 where one is turned over, 1 where both are the same.
SCORES = {0: [2.0, 1.0], 1: [1.0, 2.0], 2: [4.0, 2.0]}


def of(seeds: int, **more: object) -> dict:
    return copy.deepcopy(ONE) | {"stability": {"seeds": seeds}} | more


def outputs(configuration: dict) -> dict[str, str]:
    """Each job's output with its command's arguments that hold the seed."""
    study = Study(configuration)
    found = {}
    for job in study.jobs.all():
        parts = job.output.split("/")
        options = ""
        if job.step in {"grow", "rank"}:
            from types import SimpleNamespace

            at = SimpleNamespace(
                dataset=parts[2], split=parts[3], **{"ensemble" if job.step == "grow" else "ranker": parts[4]}
            )
            options = study.options.grow(at) if job.step == "grow" else study.options.rank(at)
        found[job.output] = options
    return found


def test_more_seeds_add_jobs_and_change_none() -> None:
    plain, one, three = outputs(ONE), outputs(of(1)), outputs(of(3))
    assert plain == one
    assert plain.items() < three.items()
    added = set(three) - set(plain)
    # A forest, two scores of it and the random baseline have a seed, the uniform one has none.
    assert len(added) == 2 * (1 + 3 * 3) and not any("uniform" in path for path in added)
    seeded = [options for options in three.values() if "--seed" in options and "uniform" not in options]
    assert len(seeded) == len(set(seeded)) == 6, "a forest and the random baseline, three seeds each"


def test_the_questions_are_asked_of_the_first_seed() -> None:
    assert Study(of(3)).jobs.scores() == Study(ONE).jobs.scores()
    assert len(Study(of(3)).jobs.scores(every_seed=True)) == 4 + 2 * 3
    assert Study(ONE).summaries.outputs("stability") == []
    assert Study(of(2)).summaries.outputs("stability") == ["results/unit/stability.csv"]


def test_every_seed_is_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seeds = provenance(Study(of(2)))["seeds"]
    assert seeds.items() > provenance(Study(ONE))["seeds"].items()
    assert seeds["synthetic-linear/official-0/bagging/seed-1"] != seeds["synthetic-linear/official-0/bagging"]


def test_numbers_of_seeds_are_checked() -> None:
    assert configuration_errors(of(5)) == []
    assert configuration_errors(of(0)) == ["stability.seeds: 0 is too small; give at least 1"]
    [line] = configuration_errors(ONE | {"stability": {"seed": 2}})
    assert line == "stability.seed: unknown key; did you mean 'seeds'?"


def made(folder: Path, values: dict[int, dict[str, float]], seeds: int = 3) -> Study:
    """A study whose random baseline has rankings and scores, and nothing else has."""
    methods, measures = [{"id": "random"}, {"id": "uniform"}], list(next(iter(values.values())))
    study = Study(of(seeds, methods=methods, measures=measures), cache=str(folder / "cache"))
    for job in study.jobs.all():
        number = job.ranker.seed_number if job.ranker else 0
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        if job.step == "rank":
            RankingBundle((Ranking(np.array(SCORES[number]), NAMES),)).save(job.output)
        elif job.step != "score":
            Path(job.output).touch()
        elif number in values:
            head = ("synthetic-linear", "official", job.ranker.method, "", "", 0, 0, "weighted-knn")
            rows = [(*head, name, "clus", value, 3) for name, value in values[number].items()]
            write_text(
                job.output, as_csv(PERFORMANCE, [dict(zip(PERFORMANCE, row, strict=True)) for row in rows])
            )
    return study


def test_the_table_by_hand(tmp_path: Path) -> None:
    values = {
        0: {"f1": 0.5, "recall": 0.25},
        1: {"f1": 0.7, "recall": float("nan")},
        2: {"f1": 0.9, "recall": 0.25},
    }
    study = made(tmp_path, values)
    rows = list(stability_rows(study, DATA))
    assert [tuple(row) for row in rows] == [STABILITY] * 2
    f1, recall = rows
    assert (f1["dataset"], f1["method"], f1["size"], f1["measure"]) == (
        "synthetic-linear",
        "random",
        "0",
        "f1",
    )
    assert f1["seeds"] == 3
    assert float(f1["mean"]) == pytest.approx(0.7) and float(f1["standard_deviation"]) == pytest.approx(0.2)
    # Seeds 0 and 2 rank alike, seed 1 the other way round.
    assert float(f1["similarity"]) == pytest.approx((0.75 + 1 + 0.75) / 3)
    assert (recall["mean"], recall["standard_deviation"]) == ("NaN", "NaN")

    jobs, available = tmp_path / "jobs.json", tmp_path / "available.csv"
    jobs.write_text(json.dumps(study.content.configuration | {"cache": study.paths.cache}))
    available.write_text("dataset,source\nsynthetic-linear,embedded\n")
    table = str(tmp_path / "stability.csv")
    assert main(["stability", str(jobs), "--available", str(available), "-o", table]) == 0
    assert read_rows(table) == [{name: str(value) for name, value in row.items()} for row in rows]


def test_a_file_that_its_reader_found_damaged_is_told_by_the_reader(tmp_path: Path) -> None:
    study = made(tmp_path, {0: {"f1": 0.5}, 2: {"f1": 0.7}})
    ranked = next(job for job in study.jobs.all() if job.step == "rank")
    used = next(job for job in study.jobs.all() if ranked.output in job.inputs)
    Path(ranked.log).write_text("cpu seconds of the work: once 0.1, trees 0.2, permutation 0.0\n")
    Path(ranked.output).unlink()
    Path(used.log).parent.mkdir(parents=True, exist_ok=True)
    Path(used.log).write_text(f"mlsieve: {ranked.output}: was damaged, so it has been removed; run again\n")
    rows = [row for row in failed_jobs(study, DATA) if row.log == ranked.log]
    assert [row.reason for row in rows] == [
        f"{used.step} stopped: {ranked.output}: was damaged, so it has been removed; run again"
    ]
    os.utime(used.log, (0, 0))  # of an earlier run
    assert "stopped" not in failed_jobs(study, DATA)[0].reason


def test_seeds_that_have_not_finished(tmp_path: Path) -> None:
    study = made(tmp_path, {0: {"f1": 0.5}, 2: {"f1": 0.7}})
    with pytest.raises(UserError, match=r"-seed1/.*: no such file; run the study again"):
        list(stability_rows(study, DATA))
    [row] = stability_rows(study, DATA, partial=True)
    assert row["seeds"] == 2 and float(row["similarity"]) == 1.0
    assert ["seed1" in item.log for item in failed_jobs(study, DATA)] == [True]
    assert list(stability_rows(made(tmp_path / "few", {0: {"f1": 1.0}}), DATA, partial=True)) == []


def test_what_no_seed_changes_is_ranked_once() -> None:
    def seeds(params: dict[str, object]) -> int:
        return len(Study(of(3, methods=[{"id": "relief", "params": params}])).content.seeded_rankers)

    assert seeds({"m": 1.0}) == 1, "all examples look for their neighbours"
    assert seeds({}) == seeds({"m": 0.25}) == seeds({"m": 1}) == 3, "a share, and a count of one"


def command(tmp_path: Path, study: Study) -> list[str]:
    jobs, available = tmp_path / "jobs.json", tmp_path / "available.csv"
    jobs.write_text(json.dumps(study.content.configuration | {"cache": study.paths.cache}))
    available.write_text("dataset,source\nsynthetic-linear,embedded\n")
    return ["stability", str(jobs), "--available", str(available), "-o", str(tmp_path / "stability.csv")]


def test_one_seed_has_nothing_to_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(tmp_path, made(tmp_path, {0: {"f1": 0.5}}, seeds=1))) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "jobs.json: the study ranks with one seed" in line and "stability: {seeds: 5}" in line
    assert not (tmp_path / "stability.csv").exists()


def test_too_few_finished_seeds_are_told_and_are_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, made(tmp_path, {0: {"f1": 0.5}}))
    assert main([*words, "--partial"]) == 0
    assert "no ranking of this study has finished with two seeds" in capsys.readouterr().err
    assert read_rows(tmp_path / "stability.csv") == []


def test_each_size_and_measure_has_its_own_row(tmp_path: Path) -> None:
    pct = {"id": "pct", "ensembles": ["bagging"], "scores": ["genie3"], "sizes": [5, 10]}
    study = Study(of(2, methods=[pct], measures=["f1", "recall"]), cache=str(tmp_path / "cache"))
    # At 5 trees both seeds rank alike, at 10 the second one the other way round.
    scores = {0: ([2.0, 1.0], [2.0, 1.0]), 1: ([4.0, 2.0], [1.0, 2.0])}
    for job in study.jobs.all():
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        number = job.ranker.seed_number if job.ranker else 0
        if job.step == "rank":
            rankings = (
                Ranking(np.array(values), NAMES, size)
                for size, values in zip((5, 10), scores[number], strict=True)
            )
            RankingBundle(tuple(rankings)).save(job.output)
        elif job.step == "score":
            head = ("synthetic-linear", "official", "pct", "bagging", "genie3")
            rows = [
                (*head, size, 0, "weighted-knn", measure, "clus", *at_features)
                for size in (5, 10)
                for measure, scale in (("f1", 0.01), ("recall", 0.02))
                # Points of a curve with fewer features do not count.
                for at_features in ((size * scale + number * size * scale, 3), (0.5, 2))
            ]
            write_text(
                job.output, as_csv(PERFORMANCE, [dict(zip(PERFORMANCE, row, strict=True)) for row in rows])
            )
        else:
            Path(job.output).touch()
    found = {
        (row["size"], row["measure"]): (float(row["mean"]), float(row["similarity"]))
        for row in stability_rows(study, DATA)
    }
    assert found == {
        ("5", "f1"): (pytest.approx(0.075), 1.0),
        ("5", "recall"): (pytest.approx(0.15), 1.0),
        ("10", "f1"): (pytest.approx(0.15), pytest.approx(0.75)),
        ("10", "recall"): (pytest.approx(0.3), pytest.approx(0.75)),
    }


def test_seeds_may_be_compared_by_positive_scores_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seeds that weigh one feature each, not the same: over all features FUJI is 1 for j = 2."""
    values = {seed: {"f1": 0.5} for seed in range(2)}
    monkeypatch.setitem(SCORES, 0, [1.0, 0.0])
    monkeypatch.setitem(SCORES, 1, [0.0, 1.0])
    study = made(tmp_path, values, seeds=2)
    assert [row["similarity"] for row in stability_rows(study, DATA)] == ["0.5"]
    rows = list(stability_rows(study, DATA, features="positive"))
    assert [row["similarity"] for row in rows] == ["0.0"]
    content = study.content.configuration | {"cache": study.paths.cache}
    content["analysis"] = {"similarity_features": "positive"}
    (tmp_path / "jobs.json").write_text(json.dumps(content))
    (tmp_path / "available.csv").write_text("dataset\nsynthetic-linear\n")
    command = ["stability", str(tmp_path / "jobs.json"), "--available", str(tmp_path / "available.csv")]
    for more, expected in (([], "0.0"), (["--features", "all"], "0.5")):
        assert main([*command, *more, "-o", str(tmp_path / "s.csv")]) == 0
        assert [row["similarity"] for row in read_rows(tmp_path / "s.csv")] == [expected]


def test_the_jobs_of_a_study_know_which_features_to_compare() -> None:
    from mlsieve.workflow.step_settings import slices

    chosen = Study(of(2, analysis={"similarity_features": "positive", "significance": 0.1}))
    assert slices(chosen)["jobs.json"]["analysis"] == {"similarity_features": "positive"}
    assert "analysis" not in slices(Study(of(2, analysis={"significance": 0.1})))["jobs.json"]
    [line] = configuration_errors(of(2, analysis={"similarity_features": "some"}))
    assert line.startswith("analysis.similarity_features")
