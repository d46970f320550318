"""The question column-order in a small study with the real commands, one of whose jobs fails."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

from workflow_project import TINY, make_project

STUDY = {
    **TINY,
    "study": "order",
    "methods": [
        {"id": "pct", "ensembles": ["extra-trees"], "scores": ["genie3"], "sizes": [2]},
        {"id": "uniform"},
    ],
    "measures": ["hamming-loss"],
    "analysis": {
        "questions": ["relevance", "column-order"],
        "column_order": {"trees": 3, "ensembles": ["bagging", "extra-trees"], "scores": ["genie3"]},
    },
}
# Fails where the columns of one dataset are reversed; does everything else.
FAILING = """\
#!/bin/sh
case "$*" in
  "column-order "*synthetic-interaction*) echo "mlsieve: no such luck" >&2; exit 2 ;;
esac
exec {command} "$@"
"""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_study_asks_and_survives_a_failed_job(tmp_path: Path) -> None:
    project = make_project(tmp_path, stand_in=False)
    project.configure(STUDY)
    command = tmp_path / "failing" / "mlsieve"
    command.parent.mkdir()
    real = shutil.which("mlsieve", path=project.variables()["PATH"])
    command.write_text(FAILING.format(command=real))
    command.chmod(0o755)
    project.environment["PATH"] = f"{command.parent}:{project.variables()['PATH']}"
    done = project.snakemake("-q")
    assert done.returncode == 1, done.stdout + done.stderr
    folder = tmp_path / "results" / "order"
    (skipped,) = rows(folder / "skipped.csv")
    assert (skipped["dataset"], skipped["status"], skipped["step"]) == (
        "synthetic-interaction",
        "failed",
        "column_order",
    )
    assert skipped["reason"] == "column_order failed: no such luck"
    assert {row["dataset"] for row in rows(folder / "performance.csv")} == set(STUDY["datasets"])
    assert {row["n_datasets"] for row in rows(folder / "column_order_summary.csv")} == {"1"}
    del project.environment["PATH"]
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert rows(folder / "skipped.csv") == []
    effects, summary = rows(folder / "column_order.csv"), rows(folder / "column_order_summary.csv")
    assert [row["dataset"] for row in effects if row["quantity"] == "spearman"][::8] == STUDY["datasets"]
    assert {row["n_datasets"] for row in summary} == {"2"}
    drawn = [row for row in summary if (row["ties"], row["comparison"]) == ("random", "between orders")]
    assert {(row["ensemble"], row["least"], row["largest"]) for row in drawn} == {
        ("bagging", "1.0", "1.0"),
        ("extra-trees", "1.0", "1.0"),
    }
    timed = {row["dataset"] for row in rows(folder / "timings.csv") if row["step"] == "column_order"}
    assert timed == set(STUDY["datasets"])
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "What does the order of the columns change?" in page
    assert "With ties=random, reversing the columns changes no ranking on any dataset." in page
    assert "correspond to ties=first and depend on the column order" in page
