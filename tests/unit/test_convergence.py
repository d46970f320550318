"""How the order of the features settles: the tables by hand, seeds, unfinished jobs, and the figure."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps
from hypothesis import given
from hypothesis import strategies as st

from mlsieve.cli import main
from mlsieve.files.csv_tables import read_rows
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.ensembles.convergence import convergence as draw
from mlsieve.questions.ensembles.convergence import convergence_sentences, convergence_tables
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.stats import fuzzy_jaccard
from mlsieve.study import Study
from mlsieve.tables.convergence import (
    AGREEMENT,
    CONVERGENCE,
    MEANS,
    convergence_means,
    convergence_rows,
    kendall_tau,
)

NAMES = ("a", "b", "c", "d")
# By seed and number of trees.
SCORES = {
    0: {5: [1.0, 2.0, 3.0, 4.0], 10: [4.0, 2.0, 3.0, 1.0], 20: [4.0, 3.0, 2.0, 1.0]},
    1: {5: [1.0, 2.0, 3.0, 4.0], 10: [4.0, 3.0, 2.0, 1.0], 20: [4.0, 3.0, 1.0, 2.0]},
}


def content(seeds: int) -> dict:
    return {
        "study": "unit",
        "datasets": ["synthetic-linear", "synthetic-redundant"],
        "methods": [
            {"id": "pct", "ensembles": ["bagging"], "scores": ["genie3"], "sizes": [20, 5, 10]},
            {"id": "pct", "name": "one-size", "ensembles": ["bagging"], "scores": ["genie3"], "sizes": [5]},
            {"id": "relief", "sizes": [1, 50]},
        ],
        "evaluators": [{"id": "weighted-knn"}],
        "stability": {"seeds": seeds},
    }


DATA = list(Study(content(1)).content.datasets)[:1]


def made(folder: Path, seeds: int) -> Study:
    study = Study(content(seeds), cache=str(folder / "cache"))
    for job in study.jobs.all():
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        Path(job.output).touch()
        if job.step == "rank" and job.ranker.ensemble and len(job.ranker.sizes) > 1:
            own = SCORES[job.ranker.seed_number]
            rankings = tuple(Ranking(np.array(own[size]), NAMES, size) for size in job.ranker.sizes)
            RankingBundle(rankings).save(job.output)
    (folder / "jobs.json").write_text(json.dumps(study.content.configuration | {"cache": study.paths.cache}))
    (folder / "available.csv").write_text("dataset,source\nsynthetic-linear,embedded\n")
    return study


def test_the_table_by_hand(tmp_path: Path) -> None:
    rows = list(convergence_rows(made(tmp_path, 1), DATA))
    assert [tuple(row) for row in rows] == [CONVERGENCE] * 3
    # Against 4, 3, 2, 1: all six pairs reversed; one of six reversed; the same.
    assert [row["tau"] for row in rows] == pytest.approx([-1, 2 / 3, 1])
    assert [row["size"] for row in rows] == [5, 10, 20] and {row["largest"] for row in rows} == {20}
    last = np.array(SCORES[0][20])
    expected = [fuzzy_jaccard(np.array(SCORES[0][size]), last) for size in (5, 10, 20)]
    assert [row["similarity"] for row in rows] == expected
    assert all(math.isnan(row[name]) for row in rows for name in ("tau_seeds", "similarity_seeds"))


def test_seeds_are_compared_at_each_number_of_trees(tmp_path: Path) -> None:
    rows = list(convergence_rows(made(tmp_path, 2), DATA))
    assert [row["seeds"] for row in rows] == [2, 2, 2]
    assert [row["tau_seeds"] for row in rows] == pytest.approx([1, 2 / 3, 2 / 3])
    assert [row["tau"] for row in rows] == pytest.approx([-1, 2 / 3, 1])  # of the first seed


def test_the_command_writes_both_tables(tmp_path: Path) -> None:
    study = made(tmp_path, 2)
    words = ["convergence", str(tmp_path / "jobs.json"), "--available", str(tmp_path / "available.csv")]
    words += ["-o", str(tmp_path / "one.csv"), "--means", str(tmp_path / "means.csv")]
    assert main(words) == 0
    rows = read_rows(tmp_path / "one.csv")
    assert {row["dataset"] for row in rows} == {"synthetic-linear"}
    assert [float(row["tau"]) for row in rows] == [row["tau"] for row in convergence_rows(study, DATA)]
    means = read_rows(tmp_path / "means.csv")
    assert [tuple(row) for row in means] == [MEANS] * 3
    assert {row["label"] for row in means} == {"bagging/genie3"}


def test_unfinished_rankings_are_left_out_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = made(tmp_path, 2)
    for job in study.jobs.all(DATA):
        if job.step == "rank" and job.ranker.ensemble and job.ranker.seed_number == 1:
            Path(job.output).unlink()
    words = ["convergence", str(tmp_path / "jobs.json"), "--available", str(tmp_path / "available.csv")]
    words += ["-o", str(tmp_path / "one.csv")]
    assert main(words) == 2 and "no such file" in capsys.readouterr().err
    assert main([*words, "--partial"]) == 0
    assert {row["seeds"] for row in read_rows(tmp_path / "one.csv")} == {"1"}


def test_without_several_sizes_the_tables_are_empty(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    plain = content(1) | {"methods": [{"id": "uniform"}], "cache": str(tmp_path)}
    (tmp_path / "jobs.json").write_text(json.dumps(plain))
    words = ["convergence", str(tmp_path / "jobs.json"), "-o", str(tmp_path / "one.csv")]
    assert main(words) == 0 and "no ensemble of this study" in capsys.readouterr().err
    assert (tmp_path / "one.csv").read_text().strip() == ",".join(CONVERGENCE)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=9), st.data())
def test_tau_equals_its_twin(first, data):
    second = data.draw(st.lists(st.integers(0, 4), min_size=len(first), max_size=len(first)))
    pairs = list(itertools.combinations(range(len(first)), 2))
    signs = [(np.sign(first[i] - first[j]), np.sign(second[i] - second[j])) for i, j in pairs]
    both = sum(a * b for a, b in signs)
    scale = math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
    found = kendall_tau(np.array(first, float), np.array(second, float))
    assert math.isnan(found) if scale == 0 else found == pytest.approx(both / scale, abs=1e-12)


def table(seeds: int = 1, n_datasets: int = 3) -> list[dict]:
    """Rows of two scores on some datasets; more trees agree more."""
    rows = []
    for dataset, score, size in itertools.product(range(n_datasets), ("genie3", "symbolic"), (10, 50, 250)):
        tau = (size / 250) ** 0.2 - 0.1 * dataset * (size < 250) - 0.05 * (score == "symbolic")
        head = (
            f"set-{dataset}",
            "official",
            0,
            "pct",
            "bagging",
            score,
            f"bagging/{score}",
            size,
            250,
            9,
            seeds,
        )
        other = (tau - 0.1, tau) if seeds > 1 else (math.nan, math.nan)
        rows.append(dict(zip(CONVERGENCE, (*head, tau, (1 + tau) / 2, *other), strict=True)))
    return rows


def test_means_are_over_datasets_of_means_over_splits() -> None:
    rows = table()
    twice = [{**row, "repeat": 1, "tau": row["tau"] - 0.2} for row in rows if row["dataset"] == "set-0"]
    plain, more = convergence_means(rows), convergence_means([*rows, *twice])
    for before, after in zip(plain, more, strict=True):
        assert after["datasets"] == before["datasets"] == 3
        assert after["tau"] == pytest.approx(before["tau"] - 0.1 / 3)
    first = plain[0]
    own = [row["tau"] for row in rows if row["score"] == "genie3" and row["size"] == 10]
    assert (first["label"], first["size"]) == ("bagging/genie3", 10)
    assert (first["tau"], first["tau_least"], first["tau_most"]) == pytest.approx(
        (np.mean(own), min(own), max(own))
    )


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_figure_and_the_report_show_the_means(seeds: int) -> None:
    means = pd.DataFrame(convergence_means(table(seeds)))
    empty = pd.DataFrame(columns=["measure", "question"])
    rows = pd.DataFrame(table(seeds)).assign(measure="f1")
    drawing = draw(Material(rows, empty, empty, convergence=means))["convergence"]
    assert_nothing_overlaps(drawing.figure)
    assert drawing.question == "convergence" and "Corollary 1" in drawing.caption
    assert len(drawing.figure.axes) == (4 if seeds > 1 else 2)
    [line] = [line for line in drawing.figure.axes[0].lines if line.get_gid() == "curve-bagging/symbolic"]
    assert line.get_ydata().tolist() == means.loc[means["label"] == "bagging/symbolic", "tau"].tolist()
    [table_of_means] = convergence_tables(means)
    assert len(table_of_means.rows) == len(means) == 6
    assert len(table_of_means.columns) == (7 if seeds > 1 else 5)
    sentences = convergence_sentences(means)
    expected = "rankings of 10 trees agree with those of 250 trees best for bagging/genie3 (Kendall's tau-b "
    assert expected in sentences[0]
    assert any(text.startswith("Between seeds") for text in sentences) == (seeds > 1)
    assert draw(Material(empty, empty, empty, convergence=means[:0])) == {}
    assert convergence_tables(means[:0]) == [] and convergence_sentences(means[:0]) == []
    assert set(AGREEMENT) <= set(means.columns)
