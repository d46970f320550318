"""Commands that a study starts hundreds of times import nothing that takes seconds and is not needed."""

from __future__ import annotations

import json
import subprocess
import sys

from mlsieve.registry import entries

# Each takes from a tenth of a second to several; numpy and scipy.sparse are what all the data are made of.
HEAVY = ("sklearn", "pandas", "jsonschema", "scipy.stats", "matplotlib", "seaborn", "snakemake")
# What SciPy's copy of NumPy's names would import.
COPIED = ("numpy.f2py", "numpy.testing", "numpy.polynomial")
# What a job of a study of chains does without besides; a study has thousands of them.
OF_OTHERS = (
    "scipy.special",
    "threadpoolctl",
    "mlsieve.evaluators.weighted_knn",
    "http.client",
    "importlib.metadata",
)

CHILD = """\
import json, sys
from mlsieve.cli import main
heavy, commands = json.loads(sys.argv[1])
for command in commands:
    assert main(command.split()) in (None, 0), command
    print(json.dumps([command, [name for name in heavy if name in sys.modules]]))
"""


MISSING = """\
import sys
from mlsieve.cli import main
for command in sys.argv[1:]:
    assert main(command.split()) == 2, command
    assert "numpy" not in sys.modules, command
"""


def imported(heavy, commands, folder):
    """Run commands in one new Python; return after each which of the heavy modules it has imported so far."""
    result = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps([heavy, commands])],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith('["')]


def test_jobs_start_without_heavy_imports(tmp_path):
    with_a_function = [id for id, entry in entries("ranker").items() if entry.estimator_place]
    assert {"uniform", "random", "relief", "oracle"} <= set(with_a_function)
    commands = [
        "prepare synthetic-linear -o data.npz",
        "grow data.npz --ensemble random-forest --trees 2 --set min_leaf=3 --threads 2 -o ensemble.npz",
        "rank ensemble.npz --score symbolic --trees 1,2 --set alpha=0.5 -o pct.npz",
        "rank data.npz --method pct --trees 2 -o ranking.csv",
        *(f"rank data.npz --method {id} --seed 3 --threads 2 -o {id}.npz" for id in with_a_function),
        "predict data.npz --ranking pct.npz --evaluator weighted-knn --set k=3 -o predictions.npz",
        "evaluate data.npz --ranking scls.npz --evaluator mlnb --set points=3 --tidy -o points.csv",
        "score predictions.npz --tidy -o scores.csv",
        "show-tree ensemble.npz",
        "chain-tables --runs a.csv --tuning b.csv --curves c.csv --steps d.csv --orders e.csv",
    ]
    assert imported((*HEAVY, *COPIED), commands, tmp_path) == [[command, []] for command in commands]


def test_jobs_of_a_study_of_chains_import_little(tmp_path):
    imported([], ["prepare synthetic-linear -o data.npz"], tmp_path)
    commands = []
    for method in ("ml-xgb", "xdcc", "rdt-dcc"):
        fit = f"data.npz --method {method} --measures f1 --threads 1"
        commands += [f"chain-tune {fit} -o p.json", f"chain-test {fit} --points p.json -o t.json"]
    heavy = (*HEAVY, *COPIED, *OF_OTHERS, "numpy.ma")
    assert imported(heavy, commands, tmp_path) == [[command, []] for command in commands]


def test_numpy_and_scipy_are_complete_after_a_light_import():
    child = (
        "import sys, numpy; before = [*numpy.__all__], sorted(dir(numpy))\n"
        "from mlsieve import cli; cli.import_lightly()\n"
        "assert ([*numpy.__all__], sorted(dir(numpy))) == before and 'numpy.f2py' not in sys.modules\n"
        "copy = sys.modules.get(cli.NUMPY_OF_SCIPY, numpy)\n"
        "assert all(hasattr(copy, name) for name in numpy.__all__) and not hasattr(copy, 'no such')\n"
        "import scipy.optimize, scipy.spatial, scipy.special, scipy.stats, sklearn.ensemble\n"
        "from numpy import *; f2py, testing.assert_equal(ma.count(polynomial.Polynomial([1, 2]).coef), 2)"
    )
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning:numpy", "-c", child], check=True)


def test_a_study_is_checked_and_planned_without_heavy_imports(tmp_path):
    """As the workflow's parse does it, in every job on a cluster, too; the check needs jsonschema.

    The plan, and the main process of a run, also ask the questions what they lack, which takes pandas.
    """
    (tmp_path / "study.yaml").write_text(
        "{study: light, datasets: [synthetic-linear], methods: [{id: pct}, {id: scls},"
        " {id: chain-permutation}], evaluators: [{id: mlnb}],"
        " analysis: {questions: [selection, efficiency, column-order]}}"
    )
    (tmp_path / "chains.yaml").write_text(
        "{study: chains, datasets: [synthetic-linear], methods: [], evaluators: [],"
        " chains: [{id: xdcc, grid: {depth: [2, 3]}}, {id: br}]}"
    )
    heavy = [name for name in HEAVY if name != "jsonschema"]
    assert imported(heavy, ["schema -o schema.json"], tmp_path) == [["schema -o schema.json", []]]
    child = (
        "import json, sys\n"
        "from mlsieve.configuration import load_configuration\n"
        "from mlsieve.workflow.project import default_study\n"
        "from mlsieve.workflow.run import open_study\n"
        "for path in ('study.yaml', 'chains.yaml'):\n"
        "    assert open_study(load_configuration(path, default=default_study()), {}).jobs.all()\n"
        "print([name for name in json.loads(sys.argv[1]) if name in sys.modules])"
    )
    words = [sys.executable, "-c", child, json.dumps(heavy)]
    parsed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert parsed.stdout.strip() == "[]"
    heavy.remove("pandas")
    commands = ["plan study.yaml", "plan chains.yaml"]
    assert imported(heavy, commands, tmp_path) == [[command, []] for command in commands]


def test_a_file_that_is_not_there_is_refused_before_anything_is_imported(tmp_path):
    commands = [
        "compare none.csv",
        "compare none.xlsx --analysis none.yaml -o folder",
        "score none.npz",
        "similarity none.csv none.npz",
        "chain synthetic-linear --model none.npz",
        "show-tree none.npz",
        "plan none.yaml",
    ]
    words = [sys.executable, "-c", MISSING, *commands]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("no such file; check the path\n") == len(commands)


def test_looking_up_a_ranker_imports_no_other():
    child = (
        "import sys; from mlsieve.registry import lookup; lookup('ranker', 'relief')\n"
        "print([name for name in sys.modules if name.startswith('mlsieve.rankers.') or name == 'sklearn'])"
    )
    result = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "['mlsieve.rankers.relief']"
