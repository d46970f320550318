"""Expansion of a configuration into jobs, paths and parameters; checking of configurations; costs."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mlsieve.configuration import configuration_errors, load_configuration, merged
from mlsieve.configuration.check import ConfigurationErrors, require_valid
from mlsieve.costs import model as costs
from mlsieve.errors import UserError
from mlsieve.study import STEPS, Study, expand_rankers, first_unfinished
from mlsieve.workflow.batches import wildcards_of
from mlsieve.workflow.run import failure_line
from tests import workflow_project
from tests.workflow_project import CHAINS, HIERARCHICAL

BASE = {
    "study": "unit",
    "datasets": ["synthetic-linear", {"id": "mine", "train": "a b.arff", "label_count": -3, "drop": ["id"]}],
    "methods": [
        {"id": "pct", "sizes": [25, 10], "score_params": {"alpha": 0.5}},
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 15}}],
}


def changed(**values: object) -> dict:
    return {**copy.deepcopy(BASE), **values}


def wildcards(study: Study, ranker: str, dataset: str = "") -> SimpleNamespace:
    found = next(item for item in study.content.rankers.values() if item.name == ranker)
    return SimpleNamespace(
        dataset=dataset or next(iter(study.content.datasets)),
        split=next(iter(study.content.splits)),
        ranker=found.key,
        ensemble=found.ensemble_key if found.ensemble else "",
        evaluator=next(iter(study.content.evaluators)),
    )


def test_eight_pairs_and_no_permutation_without_bootstrap() -> None:
    names = [ranker.name for ranker in expand_rankers(BASE["methods"])]
    assert len(names) == 9 and "extra-trees-permutation" not in names
    with_bootstrap = [{"id": "pct", "ensemble_params": {"bootstrap": True}}]
    assert "extra-trees-permutation" in [ranker.name for ranker in expand_rankers(with_bootstrap)]
    assert all(
        ranker.score != "permutation"
        for ranker in expand_rankers([{"id": "pct", "ensemble_params": {"bootstrap": False}}])
    )


def test_commands_carry_every_value() -> None:
    study = Study(BASE)
    at = wildcards(study, "random-forest-symbolic")
    assert study.options.grow(at).startswith("--ensemble random-forest --trees 25 --seed ")
    assert "--split official --split-seed 0 --repeat 0" in study.options.grow(at)
    assert study.options.rank(at) == "--score symbolic --trees 10,25 --set alpha=0.5"
    assert study.options.predict(at).endswith("--set k=15")
    assert study.options.score(at) == ""  # each dataset by its own definition
    named = Study(changed(definition="clus"))
    assert named.options.score(wildcards(named, "random-forest-symbolic")) == "--definition clus"
    assert "alpha" not in study.options.rank(wildcards(study, "random-forest-genie3"))


def test_own_data_are_prepared_from_their_files() -> None:
    data = list(Study(BASE).content.datasets.values())[1]
    assert data.prepare_options() == "'a b.arff' --name mine --label-count=-3 --drop=id --sha256='a b.arff='"
    assert data.key.startswith("mine-")
    # Without a test part of its own it is split, also where the study keeps official splits.
    assert (
        Study(BASE)
        .options.predict(wildcards(Study(BASE), "uniform", data.key))
        .startswith("--evaluator weighted-knn --split holdout")
    )


def test_paths_depend_on_what_decides_the_content_and_on_nothing_else() -> None:
    def outputs(configuration: dict, step: str) -> set[str]:
        return {job.output for job in Study(configuration).jobs.all() if job.step == step}

    alpha = changed(methods=[{**BASE["methods"][0], "score_params": {"alpha": 0.7}}, BASE["methods"][1]])
    assert outputs(alpha, "grow") == outputs(BASE, "grow")
    assert len(outputs(alpha, "rank") - outputs(BASE, "rank")) == 2 * 3, "three symbolic rankings on two sets"
    fewer = changed(methods=[{**BASE["methods"][0], "scores": ["genie3", "permutation"]}, BASE["methods"][1]])
    assert outputs(fewer, "grow") == outputs(BASE, "grow")
    assert outputs(fewer, "rank") < outputs(BASE, "rank")
    other = changed(study="other", datasets=[*BASE["datasets"], "synthetic-noise"], seed=0)
    assert outputs(BASE, "score") < outputs(other, "score"), "studies share their cache"
    assert not outputs(BASE, "grow") & outputs(changed(seed=1), "grow")


def jobs_by_path(configuration: dict) -> dict[str, str]:
    """Return the command of each job, by its output."""
    study = Study(configuration)
    found = {}
    for job in study.jobs.all():
        at = SimpleNamespace(**vars(wildcards_of(job)), discretization=Path(job.output).parent.name[11:])
        found[job.output] = f"{job.step} {getattr(study.options, job.step)(at)} {' '.join(job.inputs)}"
    return found


ORDERED = changed(analysis={"questions": ["column-order"]})
VARIANTS = [
    BASE,
    ORDERED,
    changed(seed=1),
    changed(measures=["accuracy", "f1"]),
    changed(measures=["f1", "accuracy"]),
    changed(measures=["f1"], definition="textbook"),
    changed(stability={"seeds": 2}),
    changed(methods=[{"id": "pct", "ensembles": ["bagging"], "scores": ["genie3"], "sizes": [25]}]),
    changed(methods=[{"id": "relief", "sizes": [5, 100]}, {"id": "relief", "name": "other"}]),
    changed(split={"kind": "holdout", "train_share": 0.7, "folds": "random"}),
    *(
        dict(study, measures=measures)
        for study in (workflow_project.SELECTING, CHAINS)
        for measures in ("all", ["f1"])
    ),
    *(
        dict(HIERARCHICAL, task=task, measures=measures, **more)
        for task in ("mlc", "hmlc")
        for measures in ("all", ["hamming-loss", "f1"])
        for more in ({"definition": None}, {"definition": "clus"})
    ),
]


def test_studies_that_share_a_file_make_it_by_the_same_command() -> None:
    """One cache serves all of them, in whatever project: the name of a file says all that it is made of."""
    known: dict[str, str] = {}
    for configuration in VARIANTS:
        made = jobs_by_path(configuration)
        assert {path: known[path] for path in made.keys() & known.keys()} == {
            path: made[path] for path in made.keys() & known.keys()
        }
        known |= made
    assert len(known) > 300


def test_the_content_of_a_file_in_a_mirror_without_a_checksum_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("config", "mirror/mulan/mine", "elsewhere/mulan/mine"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "config" / "datasets.yaml").write_text(
        "datasets: [{id: mine, format: csv, label_count: -1, files: {all: {name: mine.csv}}}]"
    )

    def key(place: str, content: str) -> str:
        (tmp_path / place / "mulan" / "mine" / "mine.csv").write_text(content)
        monkeypatch.setenv("MLSIEVE_MIRROR", place)
        (found,) = Study(changed(datasets=["mine"])).content.datasets
        return found

    first = key("mirror", "x,a\n1,0\n")
    assert key("elsewhere", "x,a\n1,0\n") == first != key("mirror", "x,a\n2,0\n")


@pytest.mark.parametrize("raised", [*(f"step {name}" for name, step in STEPS.items() if not step.summary)])
def test_another_version_of_a_step_has_other_files_and_all_that_is_made_of_them(
    raised: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = STEPS[raised.split()[1]]
    some = [BASE, workflow_project.SELECTING, CHAINS, ORDERED]
    before = [jobs_by_path(configuration) for configuration in some]
    monkeypatch.setitem(STEPS, step.name, replace(step, version=step.version + 1))
    for configuration, old in zip(some, before, strict=True):
        new = jobs_by_path(configuration)
        assert len(new) == len(old)
        kept = {command for path, command in new.items() if path in old}
        assert not any(command.startswith(f"{step.name} ") for command in kept)
        changed_paths = old.keys() - new.keys()
        assert not any(path in command for command in kept for path in changed_paths)


def test_trees_gather_out_of_bag_statistics_only_where_a_score_reads_them() -> None:
    """Others are other files: an ensemble without the statistics cannot give a permutation score."""
    method = {**BASE["methods"][0], "ensembles": ["bagging", "extra-trees"]}
    by_scores = {
        scores: Study(changed(methods=[{**method, "scores": list(scores)}]))
        for scores in (("symbolic", "genie3"), ("genie3",), ("genie3", "permutation"))
    }
    both, one, gathered = by_scores.values()
    split = next(iter(both.content.splits))
    assert set(both.content.ensembles) == set(one.content.ensembles)
    for study, spared in ((both, True), (one, True), (gathered, False)):
        options = {
            ranker.ensemble: study.options.grow(
                SimpleNamespace(dataset=next(iter(study.content.datasets)), split=split, ensemble=key)
            )
            for key, ranker in study.content.ensembles.items()
        }
        assert ("--scores symbolic,genie3 " in options["bagging"]) == spared
        assert "--scores" not in options["extra-trees"]  # it has no out-of-bag examples
    keys = [
        {ranker.ensemble: key for key, ranker in study.content.ensembles.items()} for study in (one, gathered)
    ]
    assert keys[0]["bagging"] != keys[1]["bagging"] and keys[0]["extra-trees"] == keys[1]["extra-trees"]


def seeds(study, wildcards, name):
    content = study.content
    return content.seeds_of(content.datasets[wildcards.dataset], content.splits[wildcards.split], name)


def test_seeds_belong_to_ensembles_and_not_to_scores() -> None:
    study = Study(BASE)
    one, two = wildcards(study, "bagging-genie3"), wildcards(study, "bagging-symbolic")
    assert study.options.grow(one) == study.options.grow(two)
    assert seeds(study, one, "bagging") != seeds(study, one, "random-forest")
    other = SimpleNamespace(dataset=one.dataset, split="official-r0-s1")
    assert seeds(study, one, "bagging") != seeds(Study(changed(seed=1)), other, "bagging")


def test_a_seed_is_a_hash_of_study_seed_data_set_split_and_name() -> None:
    """The same in every process and on every machine, and another for each of the four."""

    def seed(study_seed: int, kind: str, repeat: int, dataset: str, name: str) -> int:
        study = Study(changed(seed=study_seed, split={"kind": kind, "repeats": 2}))
        split = next(key for key, item in study.content.splits.items() if repeat in item.repeats)
        (found,) = seeds(study, SimpleNamespace(dataset=dataset, split=split), name)
        return found

    linear, mine = Study(BASE).content.datasets
    one = (0, "official", 0, linear, "bagging")
    digest = hashlib.sha256(b"0\x1fsynthetic-linear\x1fofficial-0\x1fbagging").digest()
    assert seed(*one) == int.from_bytes(digest[:8], "big") >> 11 == 3_807_573_552_970_598
    others = [
        (1, "official", 0, linear, "bagging"),
        (0, "holdout", 0, linear, "bagging"),
        (0, "official", 1, linear, "bagging"),
        (0, "official", 0, mine, "bagging"),
        (0, "official", 0, linear, "extra-trees"),
    ]
    assert len({seed(*case) for case in [one, *others]}) == 6
    for ranker, method in (("bagging-genie3", "bagging"), ("uniform", "uniform")):
        study = Study(BASE)
        at = wildcards(study, ranker)
        options = study.options.grow(at) if at.ensemble else study.options.rank(at)
        assert f"--seed {seeds(study, at, method)[0]} " in options


SELECTING = {
    "study": "selecting",
    "datasets": ["synthetic-linear"],
    "split": {"kind": "holdout", "train_share": 0.8, "repeats": 2},
    "methods": [
        {"id": "scls"},
        {"id": "uniform", "name": "all-features", "select": "all"},
        {"id": "pct", "ensembles": ["bagging"], "scores": ["genie3"], "sizes": [5], "select": 3},
    ],
    "evaluators": [{"id": "mlnb", "params": {"points": 3, "k": 10}}],
}


def outputs(configuration: dict) -> dict[str, set[str]]:
    """Return the outputs of a study's jobs by step."""
    found: dict[str, set[str]] = {}
    for job in Study(configuration).jobs.all():
        found.setdefault(job.step, set()).add(job.output)
    return found


def reversed_keys(value: object) -> object:
    """Return the same settings with the keys of every mapping in the other order."""
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("configuration", [BASE, SELECTING], ids=["trees", "selectors"])
def test_the_order_of_keys_changes_no_path(configuration: dict) -> None:
    configuration = {**configuration, "datasets": ["synthetic-linear", OWN_FILE]}
    methods = [
        {**item, **MANY_SETTINGS} if item["id"] == "pct" else item for item in configuration["methods"]
    ]
    configuration = {**configuration, "methods": methods}
    assert outputs(reversed_keys(configuration)) == outputs(configuration)


OWN_FILE = {"id": "mine", "train": "a.arff", "label_count": -3, "drop": ["id"]}
MANY_SETTINGS = {
    "ensemble_params": {"max_features": "log2", "min_leaf": 3, "ties": "first"},
    "score_params": {"alpha": 0.5, "definition": "clus"},
}


@pytest.mark.parametrize(
    ("path", "value", "other_steps"),
    [
        (("split", "train_share"), 0.7, {"discretise", "grow", "rank", "predict", "score"}),
        (("split", "kind"), "official", {"discretise", "grow", "rank", "predict", "score"}),
        (("split", "folds"), "stratified", {"discretise", "grow", "rank", "predict", "score"}),
        (("seed",), 3, {"discretise", "grow", "rank", "predict", "score"}),
        (("methods", 1, "select"), 2, {"rank", "predict", "score"}),
        (("methods", 2, "select"), 4, {"rank", "predict", "score"}),
        (("methods", 2, "select"), None, {"rank", "predict", "score"}),
        (("methods", 2, "sizes"), [6], {"grow", "rank", "predict", "score"}),
        (("methods", 2, "ensemble_params"), {"min_leaf": 3}, {"grow", "rank", "predict", "score"}),
        (("methods", 0, "params"), {"discretize": "mdlp"}, {"discretise", "rank", "predict", "score"}),
        (("evaluators", 0, "params", "k"), 11, {"predict", "score"}),
        (("measures",), ["hamming-loss"], {"score"}),
        (("definition",), "textbook", {"score"}),
    ],
)
def test_a_value_is_in_the_path_of_every_step_that_uses_it(
    path: tuple, value: object, other_steps: set[str]
) -> None:
    configuration = copy.deepcopy(SELECTING)
    target: Any = configuration
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    if value is None:
        del target[path[-1]]
    before, after = outputs(SELECTING), outputs(configuration)
    assert {step for step in before if before[step] != after[step]} == other_steps
    if path[0] in ("split", "seed"):
        assert not any(before[step] & after[step] for step in other_steps), "a split of its own"


@pytest.mark.parametrize("folds", ["random", "stratified", "stratified-pairs"])
def test_every_command_on_a_seeded_split_says_how_it_is_made(folds: str) -> None:
    study = Study({**SELECTING, "split": {**SELECTING["split"], "folds": folds}})
    at = wildcards(study, "scls")
    grown = wildcards(study, "bagging-genie3")
    commands = [study.options.rank(at), study.options.predict(at), study.options.grow(grown)]
    assert all(f" --folds {folds} " in words for words in commands), commands


def test_only_and_leave_out() -> None:
    study = Study(changed(leave_out=[{"datasets": ["mine"], "reason": "too long"}]))
    assert [data.id for data in study.content.datasets.values()] == ["synthetic-linear"]
    assert study.content.left_out == {"mine": "left out by the configuration: too long"}
    chosen = Study(changed(leave_out=[{"datasets": ["mine"], "reason": "too long"}], only="mine"))
    assert [data.id for data in chosen.content.datasets.values()] == ["mine"]
    assert set(chosen.content.left_out) == {"synthetic-linear"}


def test_an_output_older_than_its_input_is_unfinished(tmp_path: Path) -> None:
    import os

    study = Study(BASE, cache=str(tmp_path))
    chain = next(study.jobs.chains())
    assert first_unfinished(chain) is chain[0]
    for time, job in enumerate(chain, start=1_000):
        path = Path(job.output)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (time, time))
    assert first_unfinished(chain) is None
    os.utime(chain[1].output, (5_000, 5_000))
    assert first_unfinished(chain) is chain[2]
    assert study.jobs.scores(finished=True) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"seeds": 1}, "seeds: unknown key; did you mean 'seed'?"),
        ({"seed": "one"}, "seed: 'one' is not an integer; see config/README.md"),
        ({"seed": -1}, "seed: -1 is too small; give at least 0"),
        (
            {"measures": ["hamming-los"]},
            "measures[0]: unknown value 'hamming-los'; did you mean 'hamming-loss'?",
        ),
        ({"measures": "most"}, "measures: 'most' is not accepted; write 'all' or a list"),
        ({"datasets": []}, "datasets: the list is empty; name at least one"),
        (
            {"datasets": ["synthetic-linear"] * 2},
            "datasets[1]: 'synthetic-linear' is listed twice; list it once",
        ),
        ({"only": "synthetic-lineer"}, "only: 'synthetic-lineer' is not among the study's datasets"),
        (
            {"analysis": {"significanse": 0.1}},
            "analysis.significanse: unknown key; did you mean 'significance'?",
        ),
        ({"analysis": {"significance": 2}}, "analysis.significance: 2 is too large; give less than 1"),
        ({"split": {"kind": "oficial"}}, "split.kind: unknown value 'oficial'; did you mean 'official'?"),
        (
            {"methods": [{"id": "pct", "score_params": {"alfa": 1}}]},
            "methods[0].score_params.alfa: unknown key",
        ),
        (
            {"methods": [{"id": "pct", "ensemble_params": {"alpha": 1}}]},
            "methods[0].ensemble_params.alpha: unknown key",
        ),
        ({"methods": [{"id": "uniform"}, {"id": "uniform"}]}, "methods[1]: uniform is already in methods[0]"),
        ({"methods": [{"ensembles": ["bagging"]}]}, "methods[0].id: missing"),
        *(
            ({"methods": [{"id": "chain-permutation", "params": params}]}, f"methods[0].params: {said}")
            for params, said in (
                ({"chain": "rtd-dcc"}, "unknown chain 'rtd-dcc'; did you mean 'rdt-dcc'?"),
                ({"settings": "round=3"}, "chain 'ml-xgb' has no parameter 'round'; did you mean 'rounds'?"),
                ({"chain": "br", "settings": "trees=0"}, "chain 'br': trees = 0 is not accepted; give"),
                (
                    {"settings": "rounds"},
                    "settings: rounds: not of the form name=value; write e.g. settings: rounds=10 depth=4",
                ),
                ({"settings": "depth=1 depth=2"}, "settings: depth is given twice; give it once"),
            )
        ),
        (
            {"datasets": [{"id": "mine", "test": "x.arff"}]},
            "datasets[0]: dataset 'mine': has neither a training file",
        ),
        ({"study": "a/b"}, "study: 'a/b' is not a usable name"),
    ],
)
def test_errors_name_the_key_and_end_with_a_hint(values: dict, expected: str) -> None:
    lines = configuration_errors(changed(**values))
    assert any(line.startswith(expected) for line in lines), lines
    assert all("\n" not in line for line in lines)


def test_all_errors_are_told_and_a_valid_configuration_has_none() -> None:
    assert configuration_errors(BASE) == []
    lines = configuration_errors(changed(seeds=1, datasets=["emotion"], measures=["x"]))
    assert len(lines) == 3


def test_merging_keeps_mappings_and_replaces_lists(tmp_path: Path) -> None:
    over = {"split": {"repeats": 2}, "datasets": ["emotions"]}
    result = merged({"split": {"kind": "official"}, "datasets": ["a", "b"], "seed": 1}, over)
    assert result == {"split": {"kind": "official", "repeats": 2}, "datasets": ["emotions"], "seed": 1}
    broken = tmp_path / "broken.yaml"
    broken.write_text("study: [one\nseed: 2\n")
    with pytest.raises(UserError, match=r"broken\.yaml:\d+: is not YAML"):
        load_configuration(broken, default=None)


def test_costs_grow_with_the_data() -> None:
    for step in ("prepare", "discretise", "grow", "rank", "predict", "score", "evaluate"):
        small = costs.Task(step, n=100, n_train=67, n_features=10, n_labels=5, trees=100, sizes=4)
        large = replace(small, n=10_000, n_train=6_700, n_features=1_000, n_labels=100, tried=1_000)
        assert costs.predicted(small).minutes < costs.predicted(large).minutes, step
        assert costs.predicted(small).megabytes < costs.predicted(large).megabytes, step


def test_a_file_that_is_not_there_is_told_before_any_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.arff").write_text("")
    own = {"id": "mine", "train": "here.arff", "test": "gone.arff", "label_count": 1}
    configuration = changed(datasets=["digits-mlc", own])
    with pytest.raises(ConfigurationErrors) as told:
        require_valid(configuration)
    assert told.value.lines == ("datasets[1].test: no such file: gone.arff; give its path from this folder",)


def test_a_failed_study_says_which_file_tells_why(tmp_path):
    study = Study(
        changed(study="failed", stability={"seeds": 2}, analysis={"questions": ["convergence"]}),
        results=str(tmp_path),
    )
    folder = tmp_path / "failed"
    (folder / "figures").mkdir(parents=True)
    steps = ["acquire", "collect", "stability", "compare", "convergence", "sections", "figures", "report"]
    for step in steps:
        for name in STEPS[step].tables.values():
            said = failure_line(study)
            assert said.startswith(
                f"study 'failed' has no report: its step '{step}' failed, see {folder}/logs/{step}.log;"
            )
            (folder / name).write_text("")
    assert failure_line(study).startswith(f"study 'failed' is not complete: {folder}/skipped.csv lists")
