"""Command line of the search."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import benchmarks.scls_variants
from benchmarks.scls_variants.criteria import variants
from benchmarks.scls_variants.page import page, printed_cells
from benchmarks.scls_variants.search import DATASETS, compute, read_results

PRINTED = Path("src/mlsieve/published/papers/scls_selection_cells.csv")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the search, or write the page of its outcome."""
    parser = argparse.ArgumentParser(
        description=benchmarks.scls_variants.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("scls_variants.csv"), help="results")
    parser.add_argument("--mirror", help="folder of the data, in place of MLSIEVE_MIRROR")
    parser.add_argument("--repeats", type=int, default=1, help="splits of each dataset (default 1)")
    parser.add_argument("--variants", help="names, with commas (default all)")
    parser.add_argument("--datasets", help="ids, with commas (default all)")
    parser.add_argument("--table", type=Path, help="write the page of the results there, and compute nothing")
    parser.add_argument("--printed", type=Path, default=PRINTED, help="the paper's cells")
    given = parser.parse_args(arguments)
    if given.mirror:
        os.environ["MLSIEVE_MIRROR"] = given.mirror
    if given.table:
        cells = [printed_cells(given.printed, method) for method in ("scls", "ami")]
        text = page(read_results(given.output), variants(), *cells)
        given.table.write_text(text, encoding="utf-8")
        return
    names = given.variants.split(",") if given.variants else list(variants())
    datasets = given.datasets.split(",") if given.datasets else list(DATASETS)
    compute(given.output, names, datasets, given.repeats)


if __name__ == "__main__":
    main()
