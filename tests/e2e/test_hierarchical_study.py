"""A small study of classes with a hierarchy with the real commands, from the files to the page."""

from __future__ import annotations

import csv
from pathlib import Path

from workflow_project import HIERARCHICAL, make_project

QUESTIONS = {
    "After how many trees does a ranking saturate?",
    "How does the order of the features converge with more trees?",
    "Which ensemble is best for each score?",
    "What is the order of the scores of an ensemble?",
    "Which score is best?",
    "Should a node try some features, or all?",
    "How efficient are the rankings?",
    "How similar are the rankings?",
}
# Leaves are named alone; C has two parents.
ARFF = """@relation own
@attribute x numeric
@attribute y numeric
@attribute class hierarchical root/A,root/B,A/C,B/C,A/D
@data
"""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_hierarchical_study_runs_whole(tmp_path: Path) -> None:
    project = make_project(tmp_path, stand_in=False)
    for part, shift in (("train", 0), ("test", 3)):
        lines = [f"{(i * 7 + shift) % 11},{i % 3 or '?'},{'CDB'[i % 3]}" for i in range(30)]
        (tmp_path / f"{part}.arff").write_text(ARFF + "\n".join(lines) + "\n")
    own = {"id": "own", "format": "clus", "train": "train.arff", "test": "test.arff"}
    figures = HIERARCHICAL["figures"] | {"datasets": ["digits-hmlc"]}
    project.configure(HIERARCHICAL | {"datasets": [*HIERARCHICAL["datasets"], own], "figures": figures})
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = tmp_path / "results" / "hierarchical"
    assert rows(folder / "skipped.csv") == []
    table = rows(folder / "performance.csv")
    assert {row["measure"] for row in table} == {"pooled-auprc", "hierarchical-f1"}
    assert {row["definition"] for row in table} == {"paper"}
    relief = [row for row in table if row["method"] == "relief" and row["dataset"] == "own"]
    assert sorted({int(row["size"]) for row in relief}) == [10, 100]
    described = {row["dataset"]: row for row in rows(folder / "datasets.csv")}
    assert {row["task"] for row in described.values()} == {"hmlc"} and described["own"]["L"] == "4"
    compared = rows(folder / "similarity.csv")
    assert {row["dataset"] for row in compared} == set(described)
    assert all(0 <= float(row["similarity"]) <= 1 for row in compared)
    settled = rows(folder / "convergence.csv")
    assert {row["dataset"] for row in settled} == set(described)
    assert {row["tau"] for row in settled if row["size"] == "4"} == {"1.0"}
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert {question for question in QUESTIONS if question not in page} == set()
    drawn = ("similarity-tetrahedron", "similarity-curves", "efficiency", "size-saturation_relief")
    drawn += ("convergence", "efficiency-quality")
    drawn += ("one-dataset_by-score_digits-hmlc", "one-dataset_scores_digits-hmlc")
    for figure in drawn:
        assert (folder / "figures" / f"{figure}.svg").is_file()
