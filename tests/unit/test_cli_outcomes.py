"""How commands end and what they say last: statuses, the figures of a plan, the closing line."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mlsieve.cli import main
from mlsieve.configuration import load_configuration
from mlsieve.errors import UserError
from mlsieve.study import Study
from mlsieve.workflow.run import closing_line, failure_line
from mlsieve.workflow.schedule import critical_path, elapsed_minutes, planned_jobs

ROOT = Path(__file__).resolve().parents[2]
MINUTES = {"h": 60.0, "min": 1.0, "s": 1 / 60}
pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.mark.parametrize(
    ("event", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "mlsieve: interrupted"),
        (UserError("wrong", hint="mend it"), 2, "mlsieve: wrong; mend it"),
        (FileNotFoundError(2, "No such file", "x.csv"), 2, "mlsieve: x.csv: No such file"),
        (MemoryError("1 GB"), 2, "mlsieve: out of memory (1 GB)"),
        (1, 1, ""),
        (None, 0, ""),
    ],
)
def test_the_status_tells_how_a_command_ended(
    event: object, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(args: object) -> object:
        if isinstance(event, BaseException):
            raise event
        return event

    monkeypatch.setattr("mlsieve.cli.methods.methods.run", run)
    assert main(["methods"]) == status
    captured = capsys.readouterr()
    assert captured.err.startswith(said) and captured.err.count("\n") == bool(said) and not captured.out
    if isinstance(event, UserError | OSError):
        with pytest.raises(type(event)):
            main(["methods", "--debug"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("datasets: [emotiones]", "datasets[0]: unknown"),
        ("split: {kind: holdout, repeats: 0}", "split.repeats: "),
        ("mesures: all", "mesures: unknown key"),
    ],
)
def test_the_plan_of_an_invalid_configuration_fails(
    wrong: str, message: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "study.yaml").write_text(f"study: wrong\n{wrong}\n")
    assert main(["plan", str(ROOT / "config" / "config.yaml"), "study.yaml"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and f"mlsieve: configuration: {message}" in captured.err


def minutes(text: str) -> float:
    """Return a printed time in minutes."""
    number, unit = text.split()
    return float(number) * MINUTES[unit]


def about(value: float) -> object:
    """Printed times have one decimal, of hours at most."""
    return pytest.approx(value, rel=0.06, abs=0.06 / 60)


PLANNED = """
study: many
datasets: [digits-mlc, emotions, scene, yeast, enron, corel5k, bibtex, delicious, birds, medical, genbase,
  flags]
methods: [{id: pct, ensembles: [bagging], scores: [genie3], sizes: [10, 50000]}]
measures: [f1]
"""


def test_a_plan_prints_what_its_jobs_are_expected_to_cost(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "study.yaml").write_text(PLANNED)
    files = [str(ROOT / "config" / "config.yaml"), "study.yaml"]
    assert main(["plan", *files, "--every-set", "--cores", "3"]) == 0
    shown = capsys.readouterr().out
    jobs = planned_jobs(Study(load_configuration(*files)))
    by_dataset: dict[str, float] = {}
    for job in jobs:
        if job.dataset:
            by_dataset[job.dataset] = by_dataset.get(job.dataset, 0.0) + job.cost.minutes
    dearest = sorted(by_dataset, key=lambda name: -by_dataset[name])[:10]
    listed = re.findall(r"^  (\S+) +([\d.]+ (?:h|min|s))$", shown, re.M)
    assert [name for name, _ in listed] == dearest and len(by_dataset) == 12
    assert [minutes(text) for _, text in listed] == [about(by_dataset[name]) for name in dearest]
    rows = re.findall(r"^(\w+) +(\d+) +([\d.]+ \w+) +([\d.]+ \w+) +(\d+) MB +([\d.]+) MB$", shown, re.M)
    assert [row[0] for row in rows] == [*dict.fromkeys(job.step for job in jobs), "all"]
    for name, count, whole, longest, memory, disk in rows:
        own = [job for job in jobs if name in (job.step, "all")]
        assert int(count) == len(own)
        assert minutes(whole) == about(sum(job.cost.minutes for job in own)), name
        assert minutes(longest) == about(max(job.cost.minutes for job in own)), name
        assert float(memory) == pytest.approx(max(job.cost.megabytes for job in own), abs=0.51)
        assert float(disk) == pytest.approx(sum(job.cost.disk for job in own), rel=0.01, abs=0.51)
    [expected] = re.findall(r"^expected on 3 cores: ([\d.]+ \w+)", shown, re.M)
    [least] = re.findall(r"^at least ([\d.]+ \w+) on any", shown, re.M)
    assert minutes(expected) == about(elapsed_minutes(jobs, 3))
    assert minutes(least) == about(sum(job.cost.minutes for job in critical_path(jobs)))
    assert {text.split()[1] for row in rows for text in row[2:4]} == {"h", "min", "s"}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize(
    ("ids", "status"),
    [(("wipo", "icpr2010"), 2), (("wipo", "digits-mlc"), 0), (("digits-mlc",), 0)],
)
def test_acquire_fails_only_where_no_dataset_is_available(
    ids: tuple[str, ...], status: int, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [{"id": id} for id in ids]
    (elsewhere / "datasets.json").write_text(json.dumps({"datasets": items}))
    assert main(["acquire", "datasets.json", "--available", "a.csv", "--unavailable", "u.csv"]) == status
    said = capsys.readouterr().err
    if status:
        assert "mlsieve: none of the study's 2 datasets is available" in said and "wipo" in said
        assert not (elsewhere / "a.csv").exists()
        return
    assert [row["dataset"] for row in rows_of(elsewhere / "a.csv")] == ["digits-mlc"]
    missing = rows_of(elsewhere / "u.csv")
    assert [row["dataset"] for row in missing] == [id for id in ids if id != "digits-mlc"]
    assert all("wipo" in row["reason"] for row in missing)


def test_the_last_line_of_a_run_counts_the_missing_datasets(elsewhere: Path) -> None:
    study = Study(load_configuration(ROOT / "config" / "config.yaml", default=None))
    assert "is finished" not in closing_line(study), "nothing is made"
    tables = ("available", "unavailable", "performance", "rankings", "timings", "tests", "average_ranks")
    tables += ("choices", "verdict_counts", "datasets", "leaderboard", "leaderboard_tests")
    pages = ("findings.json", "sections.json", "figures.json", "report.html", "provenance.json")
    for name in (*(f"{table}.csv" for table in tables), *pages):
        Path(study.paths.table(name)).parent.mkdir(parents=True, exist_ok=True)
        Path(study.paths.table(name)).touch()
    rows = ["a,not available", "b,not available", "c,not applicable"]
    for count in (0, 1, 2):
        table = Path(study.paths.table("skipped.csv"))
        table.write_text("\n".join(["dataset,status", *rows[:count], rows[2]]) + "\n")
        line = closing_line(study)
        assert "'quickstart' is finished" in line and study.paths.table("report.html") in line
        assert ("without" in line) == ("skipped.csv" in line) == bool(count)
        assert not count or f" without {count} of" in line
    assert "is not complete" in failure_line(study) and "skipped.csv" in failure_line(study)
    for name, step in (("report.html", "report"), ("tests.csv", "compare")):
        Path(study.paths.table(name)).unlink()
        assert "is finished" not in closing_line(study)
        assert f"its step '{step}' failed" in failure_line(study)


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "results.csv", "-o", "out"],
        ["chain", "synthetic-linear", "--method", "br", "--predictions", "out/p.npz"],
        ["--help"],
        ["compare", "--help"],
    ],
)
def test_what_nobody_reads_is_not_printed_and_the_files_are_there(words, tmp_path):
    rows = "".join(f"d{d},m{m},f1,{m + d % 3}\n" for d in range(12) for m in range(3))
    (tmp_path / "results.csv").write_text("dataset,method,measure,value\n" + rows)
    for joined in (False, True):  # the second time, over files that are known to be mlsieve's
        reader, writer = os.pipe()
        os.close(reader)
        errors = writer if joined else subprocess.PIPE
        command = [sys.executable, "-m", "mlsieve", *words]
        done = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=errors, text=True, timeout=120)
        os.close(writer)
        assert done.returncode == 0
        assert joined or not [line for line in done.stderr.splitlines() if "mlsieve: " not in line[:50]]
    written = {path.name for path in tmp_path.glob("out/*")}
    assert words[-1] == "--help" or {"report.html", "tests.csv"} <= written or "p.npz" in written


def test_an_interrupted_import_ends_in_one_line(tmp_path):
    """NumPy turns an interruption of its own import into an ImportError with a page of advice."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy/__init__.py").write_text(
        "import os, signal\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt:\n    raise ImportError('a page') from None\n"
    )
    words = [sys.executable, "-m", "mlsieve", "rank", "my.csv"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "mlsieve: interrupted\n")
