"""Made-up tables of the studies that have printed figures, and the one row or value of them."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
from synthetic_selection import BASELINES, PAPER, selection_table
from synthetic_study import (
    DIRECTIONS,
    hierarchical_table,
    performance_table,
    ranking_tables,
    similarity_frames,
)

from mlsieve.analysis import Analysis, run_questions
from mlsieve.published import Figure, known_papers
from mlsieve.replication.tables import StudyTables
from mlsieve.study import Content

LABELS = tuple(
    f"{ensemble}/{score}"
    for ensemble in ("bagging", "extra-trees", "random-forest")
    for score in ("genie3", "permutation", "symbolic")
    if (ensemble, score) != ("extra-trees", "permutation")
)
QUESTIONS = ("saturation", "relevance", "ensemble", "relief", "score")


def study(name: str, **more) -> Content:
    """Return the content of a study with this name and some method."""
    base = {"study": name, "datasets": ["synthetic-linear"], "methods": [{"id": "uniform"}]}
    return Content(base | {"evaluators": [{"id": "weighted-knn"}]} | more)


def tables_of(performance: pd.DataFrame, analysis: Analysis, **more) -> StudyTables:
    """Return the tables that the questions make of a table of performance."""
    answers = run_questions(performance, analysis)
    frames = {"tests": answers.tests, "ranks": answers.average_ranks, "choices": answers.choices}
    if "rankings" not in more:
        more["rankings"] = ranking_tables(performance)[0]
    return StudyTables(analysis, performance, **frames, **more)


@functools.cache
def flat_tables() -> StudyTables:
    """Return the tables of a study of rankings with flat labels, `mlc_ranking`."""
    performance = performance_table(n_datasets=6, baselines=("uniform", "relief"))
    performance["dataset"] = performance["dataset"].replace("set-1", "yahoo_arts")
    related = {"set-2": "one", "set-3": "one"}
    analysis = Analysis(questions=QUESTIONS, directions=DIRECTIONS, domains=related, differing=("set-6",))
    return tables_of(performance, analysis)


@functools.cache
def hierarchical_tables() -> StudyTables:
    """Return the tables of a study of rankings with a hierarchy of labels, `hmlc_ranking`."""
    performance = hierarchical_table()
    analysis = Analysis(
        questions=(*QUESTIONS, "candidates", "efficiency", "similarity"),
        rounding={"significant": 3},
        friedman="f",
        paper_methods=LABELS,
        paper_sizes={"default": 10, "relief": 1},
        paper_ensembles={"symbolic": "random-forest", "genie3": "random-forest", "permutation": "bagging"},
        settings={
            "relief_test": "wilcoxon",
            "binary_features": ("set-1", "set-2", "set-5", "set-6", "set-7", "set-8"),
        },
    )
    compared = {
        "random-forest/symbolic": 10,
        "random-forest/genie3": 10,
        "bagging/permutation": 10,
        "relief": 1,
    }
    similarity, _ = similarity_frames(performance, compared)
    return tables_of(performance, analysis, similarity=similarity)


@functools.cache
def selected_tables() -> StudyTables:
    """Return the tables of a study of selections, `scls_selection`."""
    performance = selection_table(n_datasets=25)
    analysis = Analysis(
        questions=("selection", "many-labels"),
        friedman="f",
        zeros="split",
        paper_methods=PAPER,
        reference_method="scls",
        baselines=BASELINES,
        settings={"many_labels": tuple(f"set-{i}" for i in range(1, 11))},
    )
    return tables_of(performance, analysis, rankings=pd.DataFrame(columns=["method", "ensemble", "score"]))


def figure_of(study: str, **facts) -> Figure:
    """Return the one printed figure of a paper with these facts."""
    (found,) = [
        figure
        for figure in known_papers()[study].figures
        if all(
            figure.fact(name) == str(value) for name, value in facts.items() if name not in ("find", "what")
        )
        and figure.find == facts.get("find", figure.find)
        and facts.get("what", "") in figure.what
    ]
    return found


def values_of(tables, dataset, measure, label, size):
    """Return the one value of a ranking on a dataset."""
    ensemble, _, score = label.rpartition("/")
    frame = tables.performance
    key = (frame["dataset"] == dataset) & (frame["measure"] == measure)
    key &= (frame["ensemble"] == ensemble) & (frame["score"] == (score if ensemble else ""))
    key &= (frame["size"] == size) & ((frame["method"] == "pct") if ensemble else (frame["method"] == label))
    return frame.loc[key, "value"].item()


def pair(test, methods, statistic, rejected, **more):
    """Return a row of tests.csv: two methods compared."""
    head = {"question": "score", "family": "paper", "variant": "all", "evaluator": "weighted-knn"}
    head |= {"measure": "pooled-auprc", "comparison": "scores", "n_datasets": 9, "note": ""}
    head |= {"rank_sum_better": np.nan, "rank_sum_worse": np.nan, "p_value": 0.02, "p_adjusted": 0.02}
    return head | {"test": test, "methods": methods, "statistic": statistic, "rejected": rejected} | more
