"""Rankings of one fitted model: one job gives all importances of a booster, as single jobs would."""

from __future__ import annotations

import copy
import shlex
from types import SimpleNamespace

import pytest

from mlsieve.cli import main
from mlsieve.files.csv_tables import PERFORMANCE, read_rows
from mlsieve.rankers import MLXGBRanker
from mlsieve.rankings.files import RankingBundle
from mlsieve.study import Study, content
from mlsieve.study.rankers.entries import Ranker
from mlsieve.tables.performance import collect_performance, failed_jobs, ranking_sizes, timings
from mlsieve.tables.similarity import rankings_of_study
from mlsieve.tables.stability import stability_rows
from mlsieve.workflow.batches import wildcards_of

DATA = "synthetic-linear"
IMPORTANCES = ("gain", "cover", "splits")
NAMES = tuple(f"of-{importance}" for importance in IMPORTANCES)
METHODS = [
    {"id": "ml-xgb", "name": name, "params": {"importance": importance, "rounds": 3}}
    for name, importance in zip(NAMES, IMPORTANCES, strict=True)
]
STUDY = {
    "study": "shared",
    "datasets": [DATA],
    "methods": [*METHODS, {"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 3}}],
    "measures": ["f1", "hamming-loss"],
}


def ranked(tmp_path, *words):
    assert main(["rank", DATA, "--method", "ml-xgb", *words, "-o", str(tmp_path / "r.npz")]) == 0
    return RankingBundle.load(tmp_path / "r.npz")


@pytest.mark.parametrize("splits", [[], ["--split", "holdout", "--repeats", "0-1"]])
@pytest.mark.parametrize("method", ["ml-xgb", "xdcc"])
def test_each_ranking_is_the_one_of_its_value_alone(tmp_path, method, splits):
    words = ("--method", method, "--set", "rounds=3", "--seed", "4", *splits)
    together = ranked(tmp_path, *words, "--vary", "importance=gain,splits", "--name", "a,b").rankings
    assert [one.name for one in together] == ["a", "b"] * (2 if splits else 1)
    for name, importance in (("a", "gain"), ("b", "splits")):
        alone = ranked(tmp_path, *words, "--set", f"importance={importance}").rankings
        same = [one for one in together if one.name == name]
        assert [one.scores.tobytes() for one in alone] == [one.scores.tobytes() for one in same]
        assert [one.order().tolist() for one in alone] == [one.order().tolist() for one in same]


def test_several_rankings_are_files_of_a_folder(tmp_path, capsys):
    words = ["rank", DATA, "--method", "ml-xgb", "--vary", "importance=gain,cover"]
    assert main([*words, "-o", str(tmp_path / "r")]) == 0
    assert sorted(path.name for path in (tmp_path / "r").glob("*.csv")) == [
        "ml-xgb-cover.csv",
        "ml-xgb-gain.csv",
    ]
    assert main([*words, "-o", str(tmp_path / "r.csv")]) == 2
    assert "2 rankings do not fit one file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, told",
    [
        (["--vary", "importance=gain,gain"], "'importance': a value is listed twice"),
        (["--vary", "importance=gain,weight"], "importance = 'weight' is not accepted"),
        (["--vary", "importance="], "importance = '' is not accepted"),
        (["--vary", "importance"], "importance = '' is not accepted"),
        (["--vary", "rounds=3,4"], "does not give rankings of several values of 'rounds'; give importance"),
        (["--vary", "importance=gain", "--set", "importance=gain"], "both one value of 'importance' and"),
        (["--vary", "importance=gain,cover", "--name", "a"], "2 rankings of --vary"),
        (
            ["--method", "uniform", "--vary", "k=1"],
            "ranker 'uniform' does not give rankings of several values",
        ),
        (["--method", "pct", "--vary", "score=genie3"], "ranker 'pct' does not give rankings of several"),
    ],
)
def test_values_that_cannot_be(tmp_path, capsys, words, told):
    method = [] if "--method" in words else ["--method", "ml-xgb"]
    assert main(["rank", DATA, *method, *words, "-o", str(tmp_path / "r.npz")]) == 2
    assert told in capsys.readouterr().err


def study_of(folder, *, apart=False, **changes):
    """Return a study whose jobs have run, by the commands that its rules have."""
    with pytest.MonkeyPatch.context() as patch:
        if apart:
            patch.setattr(content, "with_shared_jobs", lambda rankers, apart: list(rankers))
        study = Study(copy.deepcopy(STUDY) | changes, cache=str(folder))
        assert study.content.ranked
    for job in study.jobs.all():
        at = wildcards_of(job)
        options = shlex.split(getattr(study.options, job.step)(at))
        read = {
            "prepare": (),
            "rank": job.inputs,
            "predict": (*job.inputs[:1], "--ranking", *job.inputs[1:]),
            "score": (*job.inputs, "--tidy"),
        }[job.step]
        assert main([job.step, *read, *options, "-o", job.output]) == 0
    return study


def test_the_tables_are_those_of_single_jobs(tmp_path, monkeypatch):
    """With a second seed, as of rankings that depend on one."""
    monkeypatch.setattr(Ranker, "random", True)
    seeds = {"stability": {"seeds": 2}}
    one, three = (study_of(tmp_path / str(apart), apart=apart, **seeds) for apart in (False, True))
    steps = [[job.step for job in study.jobs.all()] for study in (one, three)]
    assert steps[0].count("rank") == 2 * (1 + 1) and steps[1].count("rank") == 2 * (3 + 1)
    compared = dict.fromkeys((*NAMES, "uniform"), 0)
    found = []
    for study in (one, three):
        file = tmp_path / "performance.csv"
        collect_performance(study.jobs.by_scores(), study.content.measured, file)
        similar = {
            place: {label: ranking.scores.tolist() for label, ranking in rankings.items()}
            for place, rankings in rankings_of_study(study, None, compared)
        }
        rows = [
            read_rows(file),
            list(ranking_sizes(study.jobs.all())),
            list(stability_rows(study, list(study.content.datasets))),
        ]
        found.append([similar, *(sorted(table, key=str) for table in rows)])
    assert found[0] == found[1]
    similar, performance, sizes, stability = found[0]
    assert {row["method"] for row in stability} == set(compared) and len(stability) == 4 * 2
    assert [list(rankings) for rankings in similar.values()] == [list(compared)]
    assert {row["method"] for row in performance} == {row["method"] for row in sizes} == set(compared)
    assert len(performance) == 4 * 2 and tuple(performance[0]) == PERFORMANCE


def test_seeds_have_files_of_their_own():
    study = Study(STUDY | {"stability": {"seeds": 3}, "methods": [*METHODS, {"id": "random"}]})
    assert len({one.folder for one in study.content.seeded_rankers.values() if one.shared}) == 1
    assert len(study.content.ranked) == 1 + 3


def test_what_a_job_took_is_shared_between_its_methods(tmp_path):
    study = Study(STUDY, cache=str(tmp_path))
    jobs = [job for job in study.jobs.all() if job.step == "rank"]
    for job in jobs:
        path = tmp_path / job.benchmark
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("s\tmax_rss\n6.0\t100\n")
    rows = [(row["method"], row["seconds"]) for row in timings(jobs)]
    assert rows == [*((name, "2.00") for name in NAMES), ("uniform", "6.00")]


def test_a_failed_job_is_a_row_for_each_of_its_methods(tmp_path):
    study = Study(STUDY, cache=str(tmp_path))
    for job in study.jobs.all():
        if job.step == "prepare":
            path = tmp_path / job.output
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    rows = failed_jobs(study, list(study.content.datasets))
    assert [(row.step, row.method) for row in rows] == [("rank", name) for name in (*NAMES, "uniform")]


def folders(methods, **changes):
    study = Study(STUDY | {"methods": methods} | changes)
    return [one.folder for one in study.content.rankers.values()]


def test_which_rankings_share_a_job():
    (first, *others), alone = folders(METHODS), folders(METHODS[:1])
    assert others == [first, first] and first.startswith("ml-xgb-")
    study = Study(STUDY)
    at = SimpleNamespace(
        dataset=next(iter(study.content.datasets)), split=next(iter(study.content.splits)), ranker=first
    )
    words = "--vary importance=gain,cover,splits --name of-gain,of-cover,of-splits --set rounds=3"
    assert study.options.rank(at).endswith(words)
    assert alone == [Study(STUDY | {"methods": METHODS[:1]}).content.rankers.popitem()[0]]
    default = [{"id": "ml-xgb", "params": {"rounds": 3}}, *METHODS[1:]]
    assert len(set(folders(default))) == 1, "the default counts as given"
    more_rounds = [METHODS[0], {**METHODS[1], "params": {"importance": "cover", "rounds": 4}}]
    of_two = [METHODS[0], {**METHODS[1], "id": "xdcc"}]
    selected = [METHODS[0], {**METHODS[1], "select": 3}]
    twice = [*METHODS, {**METHODS[0], "name": "again"}]
    for methods in (more_rounds, of_two, selected, twice):
        assert len(set(folders(methods))) == len(methods)
    exception = {"datasets": [DATA], "methods": [NAMES[0]], "params": {"k": 1}}
    evaluators = [{**STUDY["evaluators"][0], "exceptions": [exception]}]
    apart = folders(METHODS, evaluators=evaluators)
    assert apart[1] == apart[2] != apart[0], "whose predictions have other parameters"


def test_a_job_of_several_rankings_costs_one_fit_and_the_predictions_of_each():
    def minutes(step, methods):
        study = Study(STUDY | {"methods": methods})
        at = {"dataset": next(iter(study.content.datasets)), "split": next(iter(study.content.splits))}
        at |= {"ranker": next(iter(study.content.ranked)), "evaluator": next(iter(study.content.evaluators))}
        return study.resources.estimate(step, SimpleNamespace(**at)).minutes

    assert minutes("rank", METHODS) == minutes("rank", METHODS[:1])
    assert minutes("predict", METHODS) > minutes("predict", METHODS[:1])


def test_the_estimator_has_no_such_parameter():
    assert "each" not in MLXGBRanker().get_params()
    with pytest.raises(TypeError, match="each"):
        MLXGBRanker(each=("gain",))
