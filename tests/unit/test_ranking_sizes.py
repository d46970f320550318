"""Methods that grow no trees but have sizes: Relief's share of the examples, several from one pass."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import pytest

from mlsieve.cli import main
from mlsieve.configuration import configuration_errors
from mlsieve.rankings.files import RankingBundle
from mlsieve.study import Study

DATA = "synthetic-linear"
STUDY = {
    "study": "sizes",
    "datasets": [DATA],
    "methods": [{"id": "relief", "sizes": [100, 5, 25], "params": {"k": 3}}, {"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 15}}],
}


def run(*words):
    assert main([str(word) for word in words]) == 0


def relief(folder, *words):
    run("rank", DATA, "--method", "relief", *words, "-o", folder / "relief.npz")
    return RankingBundle.load(folder / "relief.npz").rankings


def errors(**changes):
    return configuration_errors(copy.deepcopy(STUDY) | changes)


@pytest.mark.parametrize("splits", [[], ["--split", "holdout", "--repeats", "0-1"]])
def test_each_size_is_what_its_share_gives_alone(tmp_path, splits):
    together = relief(tmp_path, *splits, "--sizes", "25,5,100", "--seed", 3)
    places = [(ranking.repeat, ranking.size) for ranking in together]
    assert places == [(repeat, size) for repeat in ([0, 1] if splits else [None]) for size in (25, 5, 100)]
    for size, share in ((25, "0.25"), (5, "0.05"), (100, "1.0")):
        alone = relief(tmp_path, *splits, "--set", f"m={share}", "--seed", 3)
        same = [ranking for ranking in together if ranking.size == size]
        assert [one.scores.tobytes() for one in alone] == [one.scores.tobytes() for one in same]


def test_several_sizes_are_files_of_a_folder(tmp_path, capsys):
    run("rank", DATA, "--method", "relief", "--sizes", "5,100", "-o", tmp_path / "r")
    names = ["size-005.csv", "size-005.csv.json", "size-100.csv", "size-100.csv.json"]
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == names
    assert main(["rank", DATA, "--method", "relief", "--sizes", "5,100", "-o", str(tmp_path / "r.csv")]) == 2
    assert "2 rankings do not fit one file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, told",
    [
        (
            ["--method", "relief", "--sizes", "5", "--set", "m=7"],
            "both 'm' and sizes are given",
        ),
        (["--method", "relief", "--sizes", "101"], "sizes must be percentages from 1 to 100, got 101"),
        (["--method", "relief", "--sizes", "0"], "each number must be at least 1, got 0"),
        (["--method", "relief", "--sizes", "5,5"], "a size is listed twice"),
        (["--method", "uniform", "--sizes", "5"], "ranker 'uniform' has no sizes"),
        (["--sizes", "5"], "ranker 'pct' has no sizes in percent"),
    ],
)
def test_sizes_that_cannot_be(tmp_path, capsys, words, told):
    assert main(["rank", DATA, *words, "-o", str(tmp_path / "r.npz")]) == 2
    assert told in capsys.readouterr().err


def test_a_study_ranks_all_sizes_in_one_job():
    study = Study(STUDY)
    key = next(key for key, ranker in study.content.rankers.items() if ranker.method == "relief")
    at = SimpleNamespace(
        dataset=next(iter(study.content.datasets)), split=next(iter(study.content.splits)), ranker=key
    )
    assert "--sizes 5,25,100" in study.options.rank(at)
    assert sum(job.step == "rank" and job.ranker.method == "relief" for job in study.jobs.all()) == 1
    fewer = Study(copy.deepcopy(STUDY) | {"methods": [{"id": "relief", "sizes": [5], "params": {"k": 3}}]})
    assert set(fewer.content.rankers).isdisjoint(
        study.content.rankers
    )  # another file, which other sizes do not overwrite


def test_what_the_largest_size_costs():
    content = Study(STUDY).content
    at = {"dataset": next(iter(content.datasets)), "split": next(iter(content.splits))}

    def minutes(sizes):
        study = Study(copy.deepcopy(STUDY) | {"methods": [{"id": "relief", "sizes": sizes}]})
        return study.resources.estimate(
            "rank", SimpleNamespace(**at, ranker=next(iter(study.content.rankers)))
        )[0]

    assert minutes([1]) < minutes([1, 100]) == minutes([100])


def test_only_all_examples_need_no_seed():
    seeded = {"stability": {"seeds": 3}}
    for sizes, seeds in (([5, 100], 3), ([100], 1)):
        study = Study(copy.deepcopy(STUDY) | seeded | {"methods": [{"id": "relief", "sizes": sizes}]})
        assert len(study.content.seeded_rankers) == seeds


def test_a_configuration_gives_either_sizes_or_the_number():
    assert errors() == []
    both = [{"id": "relief", "sizes": [5], "params": {"m": 0.1}}]
    assert errors(methods=both) == ["methods[0].params.m: 'sizes' are given, too; give one of them"]
    too_many = [{"id": "relief", "sizes": [101]}]
    assert errors(methods=too_many) == ["methods[0].sizes[0]: 101 is too large; give at most 100"]
    assert "unknown key" in errors(methods=[{"id": "uniform", "sizes": [5]}])[0]
