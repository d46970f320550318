"""The first table of docs/benchmarks.md: how many times faster than its peers mlsieve is, a line a work."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.comparison import PEERS, WORKS, ratios
from benchmarks.table import Row

# Other programs; the other peers are limits, sizes and mlsieve itself.
PROGRAMS = ("scikit-learn", "CLUS", "XGBoost, CatBoost", "XGBoost", "plain scipy", "plain numpy")
HEADING = """\
The table shows how many times more the other program needs than mlsieve, with one thread: least, median
and most over the datasets. It counts CPU seconds, or memory where the line says so. The sign > marks
programs that were stopped; their ratios are larger.
"""


def summary(rows: Sequence[Row]) -> str:
    """Return the table with its heading, or nothing if no ratio was measured."""
    lines = []
    for work, name in WORKS.items():
        found = [ratio for ratio in ratios(rows, work) if ratio.threads == 1]
        if not found or PEERS.get(work) not in PROGRAMS:
            continue
        values = sorted(ratio.value for ratio in found)
        stopped = "> " if any(ratio.more and ratio.value == values[-1] for ratio in found) else ""
        cells = (name, PEERS[work], str(len(found)), *map(times, (values[0], median(values))))
        lines.append((*cells, stopped + times(values[-1])))
    if not lines:
        return ""
    head = [
        "| work | against | datasets | least | median | most |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    return "\n".join([HEADING, *head, *(f"| {' | '.join(line)} |" for line in lines), ""])


def times(value: float) -> str:
    """Return a ratio in two digits, such as ``4.2x`` or ``101x``."""
    return f"{value:,.0f}x" if value >= 10 else f"{value:.2g}x"
