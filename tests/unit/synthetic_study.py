"""A made-up table of performance with the shape of the ranking study's, for tests of its analysis."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlsieve.analysis import Analysis
from mlsieve.analysis.sections import Printed, SectionTables
from mlsieve.files.csv_tables import read_frame
from mlsieve.report.counted import counted_part
from mlsieve.tables.labels import labels_in

PAIRS = [
    (ensemble, score)
    for ensemble in ("bagging", "extra-trees", "random-forest")
    for score in ("genie3", "permutation", "symbolic")
    if (ensemble, score) != ("extra-trees", "permutation")
]
SIZES = (10, 25, 50, 75, 100, 150, 200, 250)
LOWER = ("coverage", "hamming-loss", "one-error", "ranking-loss")
HIGHER = (
    "accuracy",
    "auprc",
    "auroc",
    "f1",
    "micro-f1",
    "micro-precision",
    "micro-recall",
    "pooled-auprc",
    "precision",
    "recall",
    "subset-accuracy",
)
DIRECTIONS = {**dict.fromkeys(LOWER, "lower"), **dict.fromkeys(HIGHER, "higher")}


def performance_table(
    n_datasets=8, measures=(*HIGHER, *LOWER), sizes=SIZES, baselines=("uniform", "random"), effect=1.0, seed=0
):
    """Return a table in which more trees help up to about 50, scores help and random weights harm."""
    generator = np.random.default_rng(seed)
    rows = []
    methods = [("pct", *pair, size) for pair in PAIRS for size in sizes] + [
        (name, "", "", 0) for name in baselines
    ]
    for d in range(n_datasets):
        base = generator.uniform(0.4, 0.7)
        gain = effect * generator.uniform(0.01, 0.06)
        for method, ensemble, score, size in methods:
            level = {"uniform": 0.0, "random": -0.6, "relief": 0.4}.get(method, 0.0)
            if size:
                level = {"genie3": 1.0, "symbolic": 0.8, "permutation": 0.5}[score] * (1 - np.exp(-size / 25))
                level += {"bagging": 0.0, "random-forest": 0.1, "extra-trees": 0.15}[ensemble]
            for measure in measures:
                value = base + gain * level + generator.normal(0, 0.006)
                value = 1 - value if DIRECTIONS.get(measure) == "lower" else value
                value = value * 10 if measure == "coverage" else value
                facts = (f"set-{d + 1}", "official", method, ensemble, score, size, 0, "weighted-knn")
                rows.append((*facts, measure, "clus", value))
    columns = ["dataset", "split", "method", "ensemble", "score", "size", "repeat", "evaluator"]
    return pd.DataFrame(rows, columns=[*columns, "measure", "definition", "value"])


SHARES = (1, 5, 10, 25, 50, 100)


def hierarchical_table(n_datasets=10, sizes=(10, 25, 50, 75, 100, 150, 250), seed=0):
    """Return a table with the shape of the hierarchical study's: Relief has sizes, extra trees two forms."""
    generator = np.random.default_rng(seed)
    table = performance_table(n_datasets, ("pooled-auprc",), sizes, ("uniform", "random"), 1.0, seed)
    more = []
    for row in table[(table["ensemble"] == "extra-trees") & (table["size"] > 0)].itertuples(index=False):
        more.append(row._replace(method="all-features", value=row.value + generator.normal(0.01, 0.01)))
    for row in table[table["method"] == "uniform"].itertuples(index=False):
        for share in SHARES:
            value = row.value + 0.01 * np.log10(share) + generator.normal(0, 0.004)
            more.append(row._replace(method="relief", size=share, value=value))
    return pd.concat([table, pd.DataFrame(more)], ignore_index=True).assign(definition="paper")


def ranking_tables(performance, seed=0):
    """Return made-up rankings.csv and timings.csv of the study of a table of performance.

    Genie3 and symbolic scores of one ensemble weigh as many features; permutation weighs half as many.
    """
    generator = np.random.default_rng(seed)
    rankings, timings = [], []
    keys = performance[["method", "ensemble", "score", "size"]].drop_duplicates()
    for name in performance["dataset"].unique():
        n_features = int(generator.integers(60, 500))
        tested = {}
        for method, ensemble, score, size in keys.itertuples(index=False, name=None):
            share = generator.uniform(0.1, 0.4) * (1 + np.log10(max(size, 1)))
            positive = tested.setdefault((method, ensemble, size), int(n_features * min(share, 1.0)))
            positive = n_features if method == "uniform" else positive // (1 + (score == "permutation"))
            facts = (name, "official", 0, method, ensemble, score, size, n_features, positive)
            rankings.append(facts)
        for method, ensemble, score in keys[["method", "ensemble", "score"]].drop_duplicates().to_numpy():
            trees, speed = (250 if ensemble else ""), generator.uniform(0.5, 2)
            head = (name, method, 3.0, 3.0, 100.0)
            work = (0.01, 0.2, 0.0) if ensemble else (9.0 if method == "relief" else 0.01, 0.0, 0.0)
            timings.append((*head, "rank", ensemble, score, "official", "0", 0, trees, *work))
            if ensemble:
                timings.append(
                    (*head, "grow", ensemble, "", "official", "0", 0, trees, 0.1, 20 * speed, 10.0)
                )
    columns = ["dataset", "split", "repeat", "method", "ensemble", "score", "size", "features", "positive"]
    times = ["dataset", "method", "seconds", "cpu_seconds", "peak_mb", "step", "ensemble", "score", "split"]
    times += ["repeat", "seed", "trees", "work_once", "work_trees", "work_permutation"]
    return pd.DataFrame(rankings, columns=columns), pd.DataFrame(timings, columns=times).drop_duplicates(
        ["dataset", "method", "step", "ensemble", "score"]
    )


def similarity_frames(performance, compared, seed=0):
    """Return made-up similarity.csv and similarity_curves.csv of the rankings `compared` (label to size)."""
    from mlsieve.rankings.files import Ranking
    from mlsieve.tables.similarity import CURVES, SIMILARITY, similarity_tables

    generator = np.random.default_rng(seed)
    places = []
    for name in performance["dataset"].unique():
        n_features = int(generator.integers(60, 500))
        truth, names = generator.random(n_features) ** 6, tuple(map(str, range(n_features)))
        rankings = {
            label: Ranking(truth * np.exp(generator.normal(0, 0.3 * (1 + place), n_features)), names, size)
            for place, (label, size) in enumerate(compared.items())
        }
        places.append(((name, "official", 0), rankings))
    rows, curves = similarity_tables(places)
    similarity = pd.DataFrame(rows, columns=list(SIMILARITY)).astype({"similarity": float})
    return similarity, pd.DataFrame(curves, columns=list(CURVES)).astype({"similarity": float})


def all_sentences(answers):
    """Return every sentence of a study's answers, joined."""
    return " ".join(sentence for question in answers.findings for sentence in answers.sentences(question))


def section_tables(folder=Path(), analysis=None, used=None, timings=(), own=(), **frames):
    """Return a study's tables as a question's section reads them; those that are not given are empty."""
    rankings = frames.get("rankings", pd.DataFrame(columns=["method", "ensemble", "score"]))
    given = {name: frames.get(name, pd.DataFrame()) for name in ("tests", "ranks")}
    return SectionTables(
        folder,
        lambda name: read_frame(folder / name) if (folder / name).is_file() else None,
        analysis or Analysis(),
        used=pd.DataFrame(columns=["kind", "item", "value"]) if used is None else used,
        rankings=rankings,
        timings=list(timings),
        labels=labels_in(frames["labels"] if "labels" in frames else rankings),
        own={table.name: table for table in own},
        worked=frames.get("worked"),
        printed=frames.get("printed", Printed()),
        **given,
    )


def shown(table):
    """Return a question's table as the report shows it: its columns' names and its rows' cells and marks."""
    return counted_part(table)["table"]
