"""Methods from outside the package, in a study, on the command line and from an installed package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from workflow_project import ROOT, TINY, Project

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
(TREES,) = re.findall(r"`src/mlsieve/rankers/random_decision_trees\.py`:\n\n```python\n(.*?)```", PAGE, re.S)
GROWN = {"id": "random-decision-trees", "scores": ["genie3"], "sizes": [2, 4]}
STUDY = TINY | {"plugins": ["trees.py"], "methods": [*TINY["methods"], GROWN]}


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "trees.py"
    path.write_text(TREES)
    return path


def mlsieve(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mlsieve", *words],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def ranked(cwd: Path, *words: str) -> str:
    done = mlsieve("rank", *words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_second_ranker_of_trees_has_its_own_results(trees: Path, tmp_path: Path) -> None:
    own = ("--plugin", "trees.py", "--method", "random-decision-trees")
    words = ("synthetic-linear", "--trees", "5", "--score", "symbolic")
    of_pct = ("--ensemble", "extra-trees")
    assert ranked(tmp_path, *words, *own) != ranked(tmp_path, *words, *of_pct)
    # That is what it is: extra trees that try one feature in a node.
    assert ranked(tmp_path, *words, *own) == ranked(tmp_path, *words, *of_pct, "--set", "max_features=1")
    assert (
        mlsieve("grow", "synthetic-linear", *own, "--trees", "5", "-o", "e.npz", cwd=tmp_path).returncode == 0
    )
    from_file = ranked(tmp_path, "e.npz", "--plugin", "trees.py", "--score", "symbolic")
    assert from_file == ranked(tmp_path, *words, *own)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("e.npz", "--score", "symbolic"), "unknown ranker 'random-decision-trees', which grew these trees"),
        (("e.npz", "--plugin", "trees.py", "--method", "pct"), "the trees were grown by ranker 'random-dec"),
        (("e.npz", "--plugin", "trees.py", "--score", "permutation"), "unknown score 'permutation'"),
        (("e.npz", "--plugin", "none.py"), "none.py: cannot be read: No such file"),
        (("e.npz", "--plugin", "broken.py"), "broken.py:1: cannot be imported: NameError: name 'nonsense'"),
        (
            ("e.npz", "--plugin", "own/ranker.py"),
            "No module named 'helper'; a plugin can only import installed packages",
        ),
        (
            ("synthetic-linear", "--plugin", "double.py", "--method", "relief"),
            "twice, by double.py",
        ),
    ],
)
def test_what_does_not_fit_is_one_line(words, told, trees: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("nonsense")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ranker.py").write_text("import helper")
    (tmp_path / "own" / "helper.py").touch()
    (tmp_path / "double.py").write_text(TREES.replace('"random-decision-trees"', '"relief"', 1))
    own = ("--plugin", "trees.py", "--method", "random-decision-trees", "--trees", "3", "-o", "e.npz")
    assert mlsieve("grow", "synthetic-linear", *own, cwd=tmp_path).returncode == 0
    done = mlsieve("rank", *words, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and told in done.stderr, done.stderr


FOREST = """\
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from mlsieve.rankers.base import RankerMixin
from mlsieve.registry import register

@register.ranker("forest", tasks=("mlc",), smoke={})
@register.chain("forests", tasks=("mlc",), smoke={})
class Forest(RankerMixin, BaseEstimator):
    '''Importances and label sets of scikit-learn's forest.

    Parameters
    ----------
    depth : int
        Of the trees; scikit-learn refuses 0.
    '''
    def __init__(self, *, depth: int = 2, random_state=0):
        self.depth, self.random_state = depth, random_state

    def fit(self, X, Y):
        self.forest_ = RandomForestClassifier(3, max_depth=self.depth, random_state=self.random_state)
        self.feature_importances_ = self.forest_.fit(X, Y.toarray()).feature_importances_
        return self

    def predict(self, X):
        return self.forest_.predict(X)

    def predict_proba(self, X):
        return np.column_stack([shares[:, 1] for shares in self.forest_.predict_proba(X)])
"""
RUNS = """\
import contextlib, io, json, sys
from mlsieve.cli import main
runs = []
for words in json.loads(sys.argv[1]):
    shown, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(errors):
        try:
            status = main(words)
        except Exception as error:
            status = type(error).__name__
    runs.append([status, shown.getvalue(), errors.getvalue()])
print(json.dumps(runs))
"""


@pytest.mark.parametrize("words", [["rank", "--method", "forest"], ["chain", "--method", "forests"]])
def test_a_plugin_gets_seeds_that_scikit_learn_accepts_and_its_own_error_is_shown(
    words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "forest.py").write_text(FOREST)
    words = [*words, "synthetic-linear", "--plugin", "forest.py"]
    more = (["--seed", str(2**53 - 1)], ["--seed", str(2**31 - 1)], [], ["--set", "depth=0"])
    commands = json.dumps([[*words, *own] for own in (*more, ["--set", "depth=0", "--debug"])])
    done = subprocess.run(
        [sys.executable, "-c", RUNS, commands], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    large, same, other, wrong, traced = json.loads(done.stdout)
    values = [sorted(row.split(",")[-2:] for row in run[1].splitlines()) for run in (large, same, other)]
    assert [run[0] for run in (large, same, other)] == [0, 0, 0], large
    assert values[0] == values[1] != values[2]
    status, shown, said = wrong
    assert status == 2 and not shown and said.count("\n") == 1
    assert said.startswith("mlsieve: forest.py:22: InvalidParameterError: ") and "; " in said, said
    assert ".;" not in said
    assert traced[0] == "InvalidParameterError"


def test_a_changed_plugin_runs_its_own_jobs_again(project: Project) -> None:
    plugin = project.folder / "trees.py"
    plugin.write_text(TREES)
    project.configure(STUDY)
    done = project.snakemake()
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.planned() == Counter()
    plugin.write_text(TREES + "# changed\n")
    planned = project.planned()
    steps = ("grow", "rank", "predict", "score")
    assert {step: planned[step] for step in steps} == dict.fromkeys(steps, 2), "one on each of two datasets"
    assert not planned["prepare"]
    assert planned["compare"] == planned["sections"] == planned["figures"] == planned["report"] == 1


def test_a_changed_plugin_without_rankers_compares_and_draws_again(project: Project) -> None:
    plugin = project.folder / "figure.py"
    plugin.write_text("FIGURES = 1\n")
    project.configure(TINY | {"plugins": ["figure.py"]})
    done = project.snakemake()
    assert done.returncode == 0, done.stdout + done.stderr
    plugin.write_text("FIGURES = 2\n")
    assert project.planned() == Counter(compare=1, sections=1, figures=1, report=1)


def test_a_plugin_that_a_study_cannot_load_is_an_error_of_the_configuration(project: Project) -> None:
    project.configure(STUDY)
    done = project.snakemake("-n")
    assert done.returncode == 2
    assert "mlsieve: configuration: plugins: trees.py: cannot be read" in done.stderr


def test_an_installed_package_registers_methods(trees: Path, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    metadata = packages / "my_rankers-2.5.dist-info"
    metadata.mkdir(parents=True)
    (packages / "my_rankers.py").write_text(TREES)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-rankers\nVersion: 2.5\n")
    (metadata / "entry_points.txt").write_text("[mlsieve.methods]\ntrees = my_rankers\n")
    path = os.pathsep.join(filter(None, [str(packages), os.environ.get("PYTHONPATH")]))
    done = mlsieve("methods", "random-decision-trees", cwd=tmp_path, PYTHONPATH=path)
    assert done.returncode == 0 and done.stdout.startswith("ranker random-decision-trees (version 1)")
    words = ("rank", "synthetic-linear", "--method", "random-decision-trees", "--trees", "3")
    assert mlsieve(*words, cwd=tmp_path, PYTHONPATH=path).returncode == 0
