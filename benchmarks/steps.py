"""Time the steps of a study on a few datasets: grow, rank, predict, score.

    python -m benchmarks.steps                        # embedded data, a minute or so
    python -m benchmarks.steps --datasets emotions,scene --trees 100 --repeats 5 -o times.csv

Times are wall-clock seconds, the least of the repeats; one thread unless --threads says otherwise.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

COLUMNS = ("dataset", "n_train", "n_test", "F", "L", "step", "method", "seconds", "result")
ENSEMBLES = ("bagging", "random-forest", "extra-trees")


def least_time(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least wall-clock seconds of several runs, and what the last run returned."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def measure(dataset: Any, trees: int, repeats: int, threads: int) -> Iterator[tuple[str, str, float, str]]:
    """Yield (step, method, seconds, a word on the result) for one dataset with a test part."""
    from mlsieve.data.validation import category_counts
    from mlsieve.evaluators.weighted_knn import neighbor_votes
    from mlsieve.measures import evaluate_all
    from mlsieve.trees.growing import GrowOptions, grow_ensemble
    from mlsieve.trees.scores import importances

    X, Y = dataset.X_train, dataset.Y_train
    categories = category_counts(X, dataset.nominal, X.shape[1])
    weights = np.ones(X.shape[1])
    for kind in ENSEMBLES:
        seconds, ensemble = least_time(
            partial(
                grow_ensemble,
                X,
                Y,
                n_trees=trees,
                options=GrowOptions(kind),  # type: ignore[arg-type]
                category_counts=categories,
                n_threads=threads,
            ),
            repeats,
        )
        yield "grow", kind, seconds, f"{len(ensemble.nodes['feature']) / trees:.0f} nodes a tree"
        for score in ("symbolic", "genie3", *(["permutation"] if ensemble.oob is not None else [])):
            seconds, found = least_time(partial(importances, ensemble, score), repeats)
            yield "rank", f"{kind} {score}", seconds, f"{np.mean(found > 0):.0%} of features above 0"
            if (kind, score) == ("random-forest", "genie3"):
                weights = found
    k = min(15, dataset.n_train)
    seconds, votes = least_time(lambda: neighbor_votes(dataset, weights, k=k, n_threads=threads), repeats)
    yield "predict", "weighted-knn", seconds, f"k = {k}"
    seconds, values = least_time(lambda: evaluate_all(dataset.Y_test, votes[0] / k), repeats)
    yield "score", "all measures", seconds, f"hamming-loss {values['hamming-loss']:.3f}"


def embedded_ids() -> list[str]:
    """Ids of the flat datasets that ship with the package."""
    from mlsieve.data.catalog import catalog

    return [id for id, entry in catalog().items() if entry.format == "embedded" and entry.task == "mlc"]


def _load(id: str) -> Any:
    from mlsieve.data import load_dataset, split_dataset

    return split_dataset(load_dataset(id))


def rows(options: argparse.Namespace) -> Iterator[tuple[Any, ...]]:
    """Yield the table's rows as they are measured."""
    from threadpoolctl import threadpool_limits

    for id in options.datasets.split(",") if options.datasets else embedded_ids():
        seconds, dataset = least_time(partial(_load, id), options.repeats)
        counts = dataset.counts()
        about = (id, counts["n_train"], counts["n_test"], counts["F"], counts["L"])
        yield (*about, "load", "", f"{seconds:.4f}", "sparse" if dataset.is_sparse else "dense")
        with threadpool_limits(options.threads):
            for step, method, seconds, result in measure(
                dataset, options.trees, options.repeats, options.threads
            ):
                yield (*about, step, method, f"{seconds:.4f}", result)


def main(argv: list[str] | None = None) -> int:
    """Measure, print a table, and write it as CSV if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", metavar="ID,...", help="dataset ids (default: all embedded flat ones)")
    parser.add_argument("--trees", type=int, default=50, metavar="N", help="trees an ensemble (default 50)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs a step (default 3)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads (default 1)")
    parser.add_argument("-o", "--output", metavar="FILE", help="also write the table as CSV")
    options = parser.parse_args(argv)

    from mlsieve import __version__
    from mlsieve.errors import UserError
    from mlsieve.files.writing import atomic_path

    print(
        f"mlsieve {__version__}, Python {platform.python_version()}, numpy {np.__version__},"
        f" {platform.machine()}, {os.cpu_count()} cores;"
        f" {options.trees} trees, {options.threads} threads, least of {options.repeats}"
    )
    table = []
    try:
        for row in rows(options):
            table.append(row)
            print("{:<22} {:>5} {:>5} {:>5} {:>4}  {:<8} {:<26} {:>9} s  {}".format(*row), flush=True)
        if options.output:
            with (
                atomic_path(options.output) as temporary,
                temporary.open("w", newline="", encoding="utf-8") as stream,
            ):
                csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *table])
    except UserError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
