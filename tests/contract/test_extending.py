"""The examples of docs/extending.md are whole files that keep what registered objects promise."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mlsieve.data.catalog import entry_from
from mlsieve.files.csv_tables import PERFORMANCE

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")

# `src/mlsieve/rankers/name.py`: followed by the file
FILE = re.compile(
    r"`src/mlsieve/(?P<package>[\w/]+)/(?P<module>\w+)\.py`:\n\n```python\n(?P<text>.*?)```", re.DOTALL
)
EXAMPLES = {
    "mean-difference": "rankers",
    "random-decision-trees": "rankers",
    "maximal-relevance": "selectors",
    "cardinality-error": "measures",
    "label-frequency": "evaluators",
    "ensemble-of-chains": "chains",
    "random-weights": "questions/methods",
}

RENEWED = {"rankers": "ranker", "selectors": "ranker", "measures": "measure", "evaluators": "evaluator"}

# Read at the start of each Python of these tests: the packages also look into the folders of the examples.
DROPPED_IN = """\
import importlib, os
for name in ("rankers", "selectors", "measures", "evaluators", "chains", "questions/methods"):
    package = importlib.import_module("mlsieve." + name.replace("/", "."))
    package.__path__.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
"""


@pytest.fixture(scope="module")
def dropped_in(tmp_path_factory):
    """Folder whose module `dropped_in` puts the page's files into the packages that the page names."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "dropped_in.py").write_text(DROPPED_IN, encoding="utf-8")
    for found in FILE.finditer(PAGE):
        package = folder / found["package"]
        package.mkdir(parents=True, exist_ok=True)
        (package / f"{found['module']}.py").write_text(found["text"], encoding="utf-8")
    return folder


def python(dropped_in: Path, *arguments: str, cwd: Path = ROOT) -> str:
    """Run Python with the examples in place and return what it prints."""
    path = os.pathsep.join(filter(None, [str(dropped_in), os.environ.get("PYTHONPATH")]))
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def mlsieve(dropped_in: Path, folder: Path, *arguments: str) -> str:
    """Run a command of mlsieve with the examples in place."""
    start = "import sys, dropped_in; from mlsieve.cli import main; sys.exit(main(sys.argv[1:]))"
    return python(dropped_in, "-c", start, *arguments, cwd=folder)


def test_every_python_example_is_a_file_with_a_place():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert blocks == [found["text"] for found in FILE.finditer(PAGE)]
    placed = {
        id: found["package"] for found in FILE.finditer(PAGE) for id in EXAMPLES if f'"{id}"' in found["text"]
    }
    assert placed == EXAMPLES


def test_the_contract_tests_pass_with_the_examples_in_place(dropped_in):
    printed = python(
        dropped_in,
        *("-m", "pytest", "-p", "dropped_in", "-p", "no:cacheprovider", "-v"),
        *("-k", " or ".join(EXAMPLES), "tests/contract/test_registered.py"),
    )
    assert "skipped" not in printed
    for name, id in (
        ("scikit_learns_own_checks_pass", "ranker-mean-difference"),
        ("scikit_learns_own_checks_pass", "ranker-random-decision-trees"),
        ("a_rankers_function_gives_the_bytes_of_its_estimator", r"ascontiguousarray-random-decision-trees"),
        ("scikit_learns_own_checks_pass", "ranker-maximal-relevance"),
        ("scikit_learns_own_checks_pass", "evaluator-label-frequency"),
        ("the_same_bytes_for_any_threads_layout_and_container", "mean-difference"),
        ("predicts_probabilities_of_the_right_shape", "label-frequency"),
        ("scikit_learns_own_checks_pass", "chain-ensemble-of-chains"),
        ("a_chain_gives_the_same_bytes_for_any_threads_layout_and_container", "ensemble-of-chains"),
        ("documented_and_named_in_kebab_case", "measure-cardinality-error"),
    ):
        assert re.search(rf"{name}\[{id}\] PASSED", printed), f"{name} did not run for {id}"


def test_golden_results_are_asked_for_and_stored(dropped_in, tmp_path):
    file = tmp_path / "golden.json"
    asked = "import dropped_in; from tests.contract.golden import main; main({})"
    names = [f"{RENEWED[package]} {id}" for id, package in EXAMPLES.items() if package in RENEWED]
    arguments = [*names, "--file", str(file)]
    printed = python(dropped_in, "-c", asked.format(arguments)).splitlines()
    assert [line.split(" has no golden results yet: run ")[0] for line in printed] == names
    assert "python -m tests.contract.golden --renew" in PAGE
    assert python(dropped_in, "-c", asked.format([*arguments, "--renew"])) == ""
    assert set(json.loads(file.read_text())) == set(names)
    assert python(dropped_in, "-c", asked.format(arguments)) == ""


def test_the_measures_rows_for_the_definitions_are_right(dropped_in, tmp_path):
    """With the page's rows the tests of the definitions pass; without them they miss the measure."""
    rows = re.findall(r"^\| cardinality-error \|.*\|$", PAGE, re.MULTILINE)
    plain = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
    definitions = plain.splitlines()
    # Each row is put in after a row that comes before it, and the test of that page is run on the result.
    for row, before in zip(rows, ("| subset-accuracy | share", "| average-precision |  |"), strict=True):
        at = next(i for i, line in enumerate(definitions) if line.startswith(before))
        definitions.insert(at + 1, row)
    tests, page = tmp_path / "tests" / "unit", tmp_path / "docs" / "definitions.md"
    tests.mkdir(parents=True)
    page.parent.mkdir()
    name = "test_measures_documents.py"
    (tests / name).write_bytes((ROOT / "tests" / "unit" / name).read_bytes())
    run = ("-m", "pytest", "-p", "dropped_in", "-p", "no:cacheprovider", "-v")
    page.write_text("\n".join(definitions) + "\n", encoding="utf-8")
    printed = python(dropped_in, *run, cwd=tmp_path)
    assert "test_the_worked_example_is_true PASSED" in printed
    assert "test_every_measure_is_described PASSED" in printed
    page.write_text(plain, encoding="utf-8")
    with pytest.raises(AssertionError, match="cardinality-error") as caught:
        python(dropped_in, *run, cwd=tmp_path)
    assert "test_the_worked_example_is_true FAILED" in str(caught.value)
    assert "test_every_measure_is_described FAILED" in str(caught.value)


def test_the_examples_work_from_the_command_line(dropped_in, tmp_path):
    mlsieve(dropped_in, tmp_path, "rank", "synthetic-linear", "--method", "mean-difference", "-o", "r.csv")
    command = ("evaluate", "synthetic-linear", "--ranking", "r.csv", "--evaluator", "label-frequency")
    printed = mlsieve(dropped_in, tmp_path, *command, "--set", "smoothing=1")
    measured = dict(line.split(",") for line in printed.splitlines())
    assert float(measured["cardinality-error"]) > 0
    # Without features every ranking of labels is the same one, so nothing tells examples apart.
    assert float(measured["auroc"]) == 0.5
    printed = mlsieve(
        dropped_in, tmp_path, "rank", "synthetic-linear", "--method", "maximal-relevance", "--set", "k=3"
    )
    assert [line.split(",")[-1] for line in printed.splitlines()[:5]] == ["selected", "1", "1", "1", "0"]
    command = ("chain", "synthetic-linear", "--method", "ensemble-of-chains", "--set", "chains=2", "depth=3")
    printed = mlsieve(dropped_in, tmp_path, *command)
    assert printed.splitlines()[1].startswith("hamming-accuracy,0.")


def test_the_schema_accepts_the_examples(dropped_in, tmp_path):
    printed = mlsieve(dropped_in, tmp_path, "schema")
    in_studies = [id for id, package in EXAMPLES.items() if package != "chains"]
    assert all(f'"{id}"' in printed for id in (*in_studies, "random_method"))


def written_study(results: Path) -> str:
    """Write what the commands of a small study read, and return its section `analysis`."""
    names = ("synthetic-linear", "synthetic-interaction", "synthetic-noise", "synthetic-sparse")
    scores = {"genie3": 0.9, "symbolic": 0.1}
    analysis = {"questions": ["random-weights"], "random_method": "chance"}
    content = {
        "study": "example",
        "datasets": list(names),
        "methods": [
            {"id": "pct", "ensembles": ["bagging"], "scores": list(scores), "sizes": [10]},
            {"id": "random", "name": "chance"},
        ],
        "evaluators": [{"id": "weighted-knn"}],
        "analysis": analysis,
        "cache": "cache",
    }
    (results / "configuration").mkdir(parents=True)
    for name, part in (("study", content), ("jobs", content), ("analysis", analysis)):
        (results / "configuration" / f"{name}.json").write_text(json.dumps(part))
    row = "{},official,{},{},{},{},0,weighted-knn,f1,clus,{},5\n"
    values = [
        row.format(name, "pct", "bagging", score, 10, value + place / 100)
        for place, name in enumerate(names)
        for score, value in scores.items()
    ]
    values += [row.format(name, "chance", "", "", 0, 0.5) for name in names]
    keys = "dataset,method,ensemble,score,step,trees,work_once,work_trees,work_permutation,"
    job = "synthetic-linear,pct,bagging,{},{},10,{},0,0,9,8,7\n"
    tables = {
        "performance": ",".join(PERFORMANCE) + "\n" + "".join(values),
        "timings": f"{keys}seconds,cpu_seconds,peak_mb\n"
        + job.format("", "grow", 3)
        + job.format("genie3", "rank", 4),
        "rankings": "dataset,split,repeat,method,ensemble,score,size,features,positive\n",
        "skipped": "dataset,status,step,method,reason,log\n",
    }
    for name, text in tables.items():
        (results / f"{name}.csv").write_text(text)
    return str(results / "configuration" / "analysis.json")


def test_a_question_brings_its_figure_and_its_section(dropped_in, tmp_path):
    """Without another file being touched, the page of a study shows all three."""
    results = tmp_path / "results" / "example"
    section = written_study(results)
    performance = str(results / "performance.csv")
    mlsieve(dropped_in, tmp_path, "compare", performance, "--analysis", section, "-o", str(results))
    words = ["--formats", "svg", "-o", str(results / "figures")]
    words += ["--index", str(results / "figures.json")]
    for option, name in (("performance",) * 2, ("tests",) * 2, ("ranks", "average_ranks")):
        words += [f"--{option}", str(results / f"{name}.csv")]
    mlsieve(dropped_in, tmp_path, "figures", *words)
    drawn = json.loads((results / "figures.json").read_text())
    assert [item["name"] for item in drawn if item["question"] == "random-weights"] == ["random-weights"]
    mlsieve(dropped_in, tmp_path, "sections", str(results))
    mlsieve(dropped_in, tmp_path, "report", str(results))
    page = (results / "report.html").read_text(encoding="utf-8")
    assert '<li><a href="#question-random-weights">Random weights</a></li>' in page
    own = page.partition('<section id="question-random-weights" class="folded">')[2].partition("</section>")[
        0
    ]
    assert "<h2>Is a ranking better than random weights?<a" in own
    answer = page.partition('id="answer-question-random-weights">')[2].partition("</article>")[0]
    assert "With 4 datasets, no result of Wilcoxon&#39;s test can be significant." in answer
    assert '<a href="#figure-random-weights">Figure</a>' in answer
    figure = page.partition('<figure id="figure-random-weights">')[2].partition("</figure>")[0]
    assert "<b>Wins against random weights.</b>" in figure and "<svg " in figure
    cells = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", own)]
    assert ["bagging/genie3", "4", "0", "7"] in cells and ["bagging/symbolic", "0", "4", ""] in cells


def test_the_data_set_entries_are_understood():
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    entries = [entry_from(one) for block in blocks for one in block["datasets"] if isinstance(one, dict)]
    assert [entry.id for entry in entries] == ["mine", "mine", "survey", "weather"]


def test_what_an_example_of_a_question_is_given_is_explained():
    (text,) = [found["text"] for found in FILE.finditer(PAGE) if "@register.question" in found["text"]]
    used = set(re.findall(r"\b((?:table|choices|analysis)\.\w+\()", text))
    assert {"table.pairs(", "table.singles(", "choices.comparisons("} <= used
    explained = PAGE.partition("The question gets three arguments:")[2]
    assert not [name for name in used if f"`{name}" not in explained]
