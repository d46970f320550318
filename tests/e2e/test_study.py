"""A tiny study with the real commands: repeatable to the byte, and robust to failing jobs."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from workflow_project import SELECTING, TINY, Project, job_counts, make_project

from mlsieve.stats.posthoc import bonferroni_dunn_distance

TABLES = (
    "performance.csv",
    "tests.csv",
    "average_ranks.csv",
    "choices.csv",
    "findings.json",
    "verdict_counts.csv",
    "skipped.csv",
)

# Two baselines over a good set, a bad file, a set with a wrong checksum, and one that nobody has.
WITH_FAILURES = {
    "study": "failing",
    "datasets": [
        "synthetic-linear",
        {"id": "broken", "format": "mulan", "train": "broken.arff", "labels": "broken.xml"},
        "emotions",
        "rcv1subset1",
    ],
    "methods": [{"id": "uniform"}, {"id": "random"}],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 3}}],
    "measures": ["hamming-loss", "accuracy"],
    "analysis": {"questions": ["comparison"]},
    "figures": {"formats": ["svg"]},
}
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="sun"/><label name="rain"/></labels>'
HEADER = "@relation broken\n@attribute x numeric\n@attribute sun {0,1}\n@attribute rain {0,1}\n@data\n"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, dict[str, bytes]]:
    """A finished tiny study, and its tables' bytes."""
    project = make_project(tmp_path_factory.mktemp("study"), stand_in=False)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = project.folder / "results" / "tiny"
    return project, {name: (folder / name).read_bytes() for name in TABLES}


def test_the_promised_files_are_there(study: tuple[Project, dict[str, bytes]]) -> None:
    folder = study[0].folder / "results" / "tiny"
    header = ["dataset", "split", "method", "ensemble", "score", "size", "repeat"]
    header += ["evaluator", "measure", "definition", "value", "features"]
    table = rows(folder / "performance.csv")
    assert list(table[0]) == header
    assert len(table) == 2 * (2 * 2 + 1) * 15
    assert {row["dataset"] for row in table} == set(TINY["datasets"])
    assert list(rows(folder / "timings.csv")[0])[:5] == [
        "dataset",
        "method",
        "seconds",
        "cpu_seconds",
        "peak_mb",
    ]
    assert rows(folder / "skipped.csv") == []
    record = json.loads((folder / "provenance.json").read_text())
    assert set(record["data"]) == set(TINY["datasets"])
    assert record["configuration"]["methods"] == TINY["methods"]
    assert record["configuration"]["definition"] == "clus", "the merged configuration"
    assert record["seeds"]["study"] == 0
    assert list(folder.glob("figures/*.svg"))
    leftovers = [path for path in (study[0].folder / "results").rglob("*.part")]
    assert leftovers == []


def test_the_page_needs_nothing_else(study: tuple[Project, dict[str, bytes]]) -> None:
    page = (study[0].folder / "results" / "tiny" / "report.html").read_text(encoding="utf-8")
    links = re.findall(r"""(src|href)\s*=\s*["']([^"']*)""", page)
    beside = {link for kind, link in links if kind == "href" and not link.startswith(("data:", "#"))}
    assert all(link.startswith("data:") for kind, link in links if kind == "src"), "nothing is loaded"
    assert beside and all((study[0].folder / "results" / "tiny" / link).is_file() for link in beside)
    assert "@import" not in page and not re.search(r"url\((?!#)", page)
    assert page.count("<script") == page.count("<script>") == 1, "the script is in the page"
    assert page.count("<link ") == 1 and not re.search(r"fetch\(|XMLHttpRequest|import\(|https?://", page)
    assert "<svg " in page and {"leaderboard.csv", "paper/methods.md", "paper/tables.tex"} <= beside
    for title in ("Missing results", "Costs", "Provenance", "All values"):
        assert title in page
    assert "Each ranking uses a single seed" in page and 'id="stability"' not in page


def test_a_second_run_gives_the_same_bytes(study: tuple[Project, dict[str, bytes]]) -> None:
    project, before = study
    shutil.rmtree(project.folder / "results")
    shutil.rmtree(project.folder / ".snakemake")
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = project.folder / "results" / "tiny"
    assert {name: (folder / name).read_bytes() for name in TABLES} == before


def test_a_failing_job_stops_no_other_and_is_retried(tmp_path: Path) -> None:
    project = make_project(tmp_path, stand_in=False)
    project.configure(WITH_FAILURES)
    (tmp_path / "broken.arff").write_text(HEADER + "1,0,1\n2,0\n")
    (tmp_path / "broken.xml").write_text(XML)
    mirror = tmp_path / "mirror" / "mulan" / "emotions"
    mirror.mkdir(parents=True)
    for name in ("emotions-train.arff", "emotions-test.arff", "emotions.xml"):
        (mirror / name).write_text("not the published file")
    project.environment["MLSIEVE_MIRROR"] = str(tmp_path / "mirror")

    done = project.snakemake()
    assert done.returncode == 1, "the study is not complete"
    folder = tmp_path / "results" / "failing"
    assert {row["dataset"] for row in rows(folder / "performance.csv")} == {"synthetic-linear"}
    assert (folder / "report.html").is_file() and (folder / "provenance.json").is_file()
    skipped = {row["dataset"]: row for row in rows(folder / "skipped.csv")}
    assert set(skipped) == {"broken", "emotions", "rcv1subset1"}
    assert skipped["rcv1subset1"]["status"] == "unavailable"
    assert skipped["broken"]["status"] == skipped["emotions"]["status"] == "failed"
    assert "broken.arff:7" in skipped["broken"]["reason"]
    assert "checksum mismatch" in skipped["emotions"]["reason"]
    log = (tmp_path / skipped["broken"]["log"]).read_text()
    assert "broken.arff:7" in log and "Traceback" not in log

    # Mending the file reruns that set's jobs and the study's tables, and tries the other failed job again.
    (tmp_path / "broken.arff").write_text(HEADER + "".join(f"{i},{i % 2},{i % 3 % 2}\n" for i in range(30)))
    again = project.snakemake()
    assert again.returncode == 1
    counts = job_counts(again.stdout + again.stderr)
    assert (counts["prepare"], counts["rank"]) == (2, 4)
    assert {row["dataset"] for row in rows(folder / "performance.csv")} == {"synthetic-linear", "broken"}
    assert {row["dataset"] for row in rows(folder / "skipped.csv")} == {"emotions", "rcv1subset1"}


def test_several_seeds_have_a_section_of_the_page(tmp_path: Path) -> None:
    project = make_project(tmp_path, stand_in=False)
    seeds = {"study": "seeds", "datasets": ["synthetic-linear"], "stability": {"seeds": 2}}
    project.configure(WITH_FAILURES | seeds)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = tmp_path / "results" / "seeds"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "How much do the results depend on the seed?" in page and "Over 2 seeds and 1 dataset, " in page
    assert 'href="stability.csv"' in page and (folder / "stability.csv").is_file()
    assert "a single seed" not in page


def the_texts_for_a_paper_are_those_of_the_tables(folder: Path) -> None:
    """Check the paragraphs number by number, and that methods and tables hold what was used."""
    paper = {path.name: path.read_text(encoding="utf-8") for path in (folder / "paper").iterdir()}
    methods, references = paper["methods.md"], paper["references.bib"]
    for method, reference in (("scls", "Lee and Kim, 2017"), ("ami", "Lee et al., 2012")):
        assert f"{method} ({reference})" in methods
    assert "2 datasets (synthetic-interaction, synthetic-linear)" in methods and "Friedman" in methods
    for key in re.findall(r"cite{(.*?)}", paper["text.tex"]):
        assert f"{{{key}," in references
    first, *questions = paper["results.md"].split("<!--")[0].strip().split("\n\n")
    known = known_numbers(folder / "leaderboard.csv", folder / "leaderboard_tests.csv")
    assert numbers(first) <= known, first
    assert len(questions) == 3
    known = known_numbers(folder / "tests.csv", folder / "average_ranks.csv")
    known |= {f"{bonferroni_dunn_distance(n_methods, 2, 0.05):.3g}" for n_methods in (3, 5)}
    for text in questions:
        assert numbers(text) <= known, text
    board = rows(folder / "leaderboard.csv")
    for row in board:
        start = f"| {row['method']} | {row['place']} | {float(row['mean_rank']):.2f} |"
        assert start in paper["tables.md"]
    rules = re.findall(r"^\| -+:? \|", paper["tables.md"], re.MULTILINE)
    assert paper["tables.tex"].count(r"\begin{table}") == len(rules) >= 5


def numbers(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", text))


def known_numbers(*tables: Path) -> set[str]:
    """Return the numbers of tables in all forms of a text, and counts of rows up to their number."""
    found: set[str] = set()
    for table in tables:
        content = rows(table)
        found |= {str(count) for count in range(len({row.get("methods", "") for row in content}) + 1)}
        for value in (abs(float(cell)) for row in content for cell in row.values() if is_number(cell)):
            found |= {f"{value:.2f}", f"{value:.3f}", f"{value:.4f}", f"{value:.3g}", f"{value:g}"}
    return found | {"95", "0.05"}


def is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e-\d+)?", cell) is not None


def test_a_study_of_selectors_runs_whole(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Ten splits' worth of steps in one job each, with cuts, baselines, curves and a worked example."""
    project = make_project(tmp_path_factory.mktemp("selecting"), stand_in=False)
    analysis = {
        "questions": ["selection", "many-labels", "conclusion"],
        "friedman": "f",
        "zeros": "split",
        "paper_methods": ["scls", "ami", "mlcfs"],
        "reference_method": "scls",
        "baselines": ["all-features", "no-label"],
        "many_labels": SELECTING["datasets"],
        "many_labels_rivals": ["ami"],
        "replacements": {"ami": "ami-printed"},
        "worked_example": {"dataset": "synthetic-linear", "iterations": 2},
    }
    project.configure(SELECTING | {"analysis": analysis})
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = project.folder / "results" / "selecting"
    table = rows(folder / "performance.csv")
    assert {row["method"] for row in table} == {
        "scls",
        "ami",
        "ami-printed",
        "mlcfs",
        "all-features",
        "no-label",
    }
    scls = [row for row in table if (row["method"], row["dataset"]) == ("scls", "synthetic-linear")]
    assert [row["repeat"] for row in scls] == [repeat for repeat in "012" for _ in range(3)]
    features = [int(row["features"]) for row in scls]
    assert features[:3] == features[3:6] == sorted(set(features)) and len(set(features)) == 3
    assert rows(folder / "skipped.csv") == []
    worked = rows(folder / "worked.csv")
    assert {row["selector"] for row in worked} == {"scls", "ami", "ami-printed"}
    tests = rows(folder / "tests.csv")
    assert {row["question"] for row in tests} == {"selection", "many-labels", "conclusion"}
    report = (folder / "report.html").read_text(encoding="utf-8")
    for told in ("Which selector is best?", "What does the conclusion depend on?", "the first iterations on"):
        assert told in report
    assert (folder / "figures" / "selection-curves_hamming-loss.svg").is_file()
    the_texts_for_a_paper_are_those_of_the_tables(folder)
    project.configure(
        SELECTING
        | {"analysis": analysis | {"worked_example": {"dataset": "synthetic-linear", "features": [9999]}}}
    )
    failed = project.snakemake("-q")
    assert failed.returncode == 1
    (row,) = rows(folder / "skipped.csv")
    assert (row["dataset"], row["status"], row["step"]) == ("synthetic-linear", "failed", "worked")
    assert "9999" in row["reason"]
