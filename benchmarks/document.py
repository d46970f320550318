"""docs/benchmarks.md, wholly from the rows of benchmarks/results.csv."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import chain_notes, figure, hierarchical_notes
from benchmarks import curves as curve_families
from benchmarks.comparison import PEERS, WORKS, Ratio, curve_points, exponent, java_start, ours_of, ratios
from benchmarks.contenders.clus import WARM_UP
from benchmarks.curves import Curves
from benchmarks.data import N_TEST
from benchmarks.goals import GOALS, MOST_SECONDS
from benchmarks.plan import N_WEIGHTINGS
from benchmarks.summary import summary
from benchmarks.table import Row
from mlsieve.errors import number_of

IMAGES = "img"  # folder of the document's figures, beside the document

INTRODUCTION = """\
## How it is measured

This page compares mlsieve with other programs (peers) that do the same work on the same data, in
one run. Each contender has its own process and first loads the data. The contenders then take
turns, and the page shows the medians of their runs.

A ratio is the time of the peer divided by the time of mlsieve: CPU seconds of all threads of the
process with one thread, wall-clock seconds with more. The threads of BLAS and OpenMP are limited to
the same number.

`make bench` writes this page from `benchmarks/results.csv`; do not edit it by hand.
[benchmarks/README.md](../benchmarks/README.md) describes how to run it.
"""

NOTES = {
    "forest": """\
scikit-learn runs `RandomForestRegressor` with `min_samples_leaf=2` on `Y / std(Y)` without constant
labels, on dense or CSR float32 input, whichever is faster. Only the fit is timed; that of mlsieve
includes the coding of the columns. Where scikit-learn grew fewer trees, its time is scaled to
{trees} trees. mlsieve counts repeated examples of a bootstrap sample towards its minimal leaf and
therefore grows more nodes.""",
    "bagging": """\
scikit-learn runs as above with `max_features=1.0`, and its time is scaled to {trees} trees. On
yahoo_arts only CSR input was used, because dense input takes ten times as long.""",
    "extra-trees": """\
scikit-learn runs `ExtraTreesRegressor(max_features=1.0)`, otherwise as above. There is no goal.""",
    "scores": """\
CLUS runs `-forest` with the rankings Symbolic, Genie3 and RForest at once, variance reduction,
minimal weight 2 and no training error, as a whole process that reads an ARFF file. Binary features
are dense and nominal, its fastest form. mlsieve grows the trees with permutation statistics and
computes all three scores.

Where CLUS grew fewer than {trees} trees, it ran twice, with the two numbers of trees in its column.
The difference between the induction times (CLUS's name for learning) of the two runs is the time
for the additional trees, and is scaled to all further trees. The warm-up of the Java machine is
thus counted once and not scaled. Where CLUS was stopped, its induction time so far, less
{warm_up:g} seconds for the warm-up, is divided by the number of trees that it had started, which
gives a lower bound (>).

The ratio does not include the start of CLUS ({start} CPU seconds, measured on 20 rows). The next
two columns show the ratio with the start and the ratio of the induction alone.""",
    "relief": """\
CLUS runs `-relief` with the distance MLFOne on one thread. It searches the neighbours of all n
examples for any m. On large datasets it ran twice, on the first rows only; the column shows the two
numbers of rows. The time for all rows is extrapolated from the two inductions as a constant plus a
multiple of the square of the number of rows. The ratio of the induction alone includes the
constant. The ratio does not include the start of the Java machine ({start} CPU seconds).""",
    "knn": """\
scikit-learn runs `fit` and `kneighbors` of `NearestNeighbors(n_neighbors=15, algorithm="brute")` on
float64 features, dense or CSR, whichever is faster. The features are scaled before the time is
taken. mlsieve runs `neighbor_votes` with one uniform weighting, which also scales the features and
counts the labels of the neighbours.""",
    "selection": """\
All rows of the datasets are used; all features are binary. The scipy code is
`benchmarks/contenders/plain_scipy.py`. It computes all M(f; l) from one sparse product X'Y, and in
each round one product of X' with the column of the newly selected feature. Both programs start with
CSR arrays in memory and select the same features.""",
    "mdmr": """\
All rows of the datasets are used; all features are binary. The numpy code is
`benchmarks/contenders/plain_numpy.py`. It uses dense float64 matrices that are made before the time
is taken. In each round one matrix product counts the newly selected feature with all others and all
labels. Because all rounds take equally long, it selects fewer features and its time is scaled to
all. Both programs select the same features.""",
    "laim": """\
The data are the training parts. The numpy code, `benchmarks/contenders/plain_numpy.py`, counts the
labels of all intervals again for every candidate cut. It cuts a sample of the features, spread over
all of them, and its time is scaled to all features. Both programs find the same cuts.""",
}
NOTES |= hierarchical_notes.NOTES | chain_notes.NOTES
# The unit of the peer's amount of work; for neighbours the column shows the form of its input.
_AMOUNTS = {"relief": "rows", "hmlc-relief": "rows", "knn": "form", "pairs": "part"}
_AMOUNTS |= dict.fromkeys(("selection", "mdmr", "laim"), "features")
_AMOUNTS |= dict.fromkeys(chain_notes.NOTES, "form")


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write the document, and its figures into the folder `IMAGES` beside it."""
    from mlsieve.files.writing import write_text

    for lines in curve_families.ALL:
        figure.write(path.parent / IMAGES, rows, lines)
    write_text(path, text(rows))


def text(rows: Sequence[Row]) -> str:
    """Return the document."""
    parts = ["# Benchmarks\n", summary(rows), INTRODUCTION, _about(rows), "## Goals\n", must_reach(rows)]
    for work in NOTES:
        found = ratios(rows, work)
        if not found and not any(row.work == work for row in rows):
            continue
        title = WORKS[work]
        note = NOTES[work].format(
            trees=found[0].ours.full if found else "all",
            start=_digits(java_start(rows, work, "cpu")),
            warm_up=WARM_UP,
        )
        parts += [f"## {title[0].upper()}{title[1:]}\n", note + "\n"]
        parts.append(_times(rows, found, work))
        parts += [f"Not measured: {line}\n" for line in _failures(rows, work)]
        if work == "knn":
            parts.append(_weightings(rows))
    parts += [_memory(rows, "memory"), _memory(rows, "hmlc-memory"), _selection_memory(rows)]
    parts.append(_boosting_memory(rows))
    parts += [_curves(rows, lines) for lines in curve_families.ALL]
    return "\n".join(part for part in parts if part)


def _about(rows: Sequence[Row]) -> str:
    about = {row.dataset: row.note for row in rows if row.work == "about"}
    times = sorted({row.measured for row in rows if row.measured and row.cpu})
    names = [name for name in about if name not in ("repeats", "budget", "minutes")]
    lines = ["Environment: " + ", ".join(f"{name} {about[name]}" for name in names) + ".", *_repeated(rows)]
    if times:
        minutes = f"{about.get('minutes', 'unknown')} minutes"
        last = f"in {len(times)} runs, the last of {minutes}" if len(times) > 1 else f"within {minutes}"
        span = " to ".join(dict.fromkeys((times[0], times[-1])))
        lines.append(f"The measurements were made {span} UTC, {last}.")
    lines += [f"{row.contender} was left out, because {row.note}." for row in rows if row.work == "left out"]
    return "\n".join(f"- {line}" for line in lines) + "\n"


def _repeated(rows: Sequence[Row]) -> list[str]:
    """Return how often contenders ran, by the rows: those of different runs may differ."""
    rules: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.cpu and row.repeats:
            works = rules.setdefault((row.repeats, row.budget), [])
            name = "curves" if row.work.startswith("curve-") else row.work
            works += [name] * (name not in works)
    lines = ["Seconds are medians; the column `runs` shows the number of runs."]
    for (repeats, budget), works in rules.items():
        where = f" ({', '.join(works)})" if len(rules) > 1 else ""
        lines.append(
            f"Each contender ran up to {number_of(repeats, 'time')}{where}. A peer was not repeated "
            f"after {budget} seconds, after a third of this time with several threads, or if its other "
            "form was faster. Memory was measured in one run."
        )
    return lines


def reached(rows: Sequence[Row]) -> str:
    """Return what a run prints: the measured part of `must_reach`, all ratios where no goal was set."""
    if any(ratio.goal is not None for work in WORKS for ratio in ratios(rows, work)):
        return must_reach(rows, only_measured=True)
    lines = [
        (WORKS[work], PEERS[work], ratio.dataset, f"{ratio.threads}", _times_text(ratio))
        for work in WORKS
        for ratio in ratios(rows, work)
    ]
    return _table(("work", "against", "dataset", "threads", "reached"), lines, "lllrr")


def must_reach(rows: Sequence[Row], only_measured: bool = False) -> str:
    """Return the tables of ratios and of limits that must be reached, with one thread (or 2 against 1)."""
    lines, limits = [], []
    for work, goals in GOALS.items():
        found = {ratio.dataset: ratio for ratio in ratios(rows, work) if ratio.goal is not None}
        for dataset, least in goals.items():
            reached, met = "not measured", ""
            if dataset in found:
                reached, met = _times_text(found[dataset]), found[dataset].met
            if only_measured and dataset not in found:
                continue
            if work in MOST_SECONDS:
                seconds = _seconds(found[dataset].ours) if dataset in found else reached
                limits.append((WORKS[work], dataset, seconds, f"{MOST_SECONDS[work]:g}", met))
            else:
                lines.append((WORKS[work], PEERS[work], dataset, reached, f"{least:.3g}x", met))
    against = _table(("work", "against", "dataset", "reached", "at least", "met"), lines, "lllrrl")
    alone = _table(("work", "dataset", "CPU s", "at most", "met"), limits, "llrrl")
    return "\n".join(table for table, rows in ((against, lines), (alone, limits)) if rows)


def _seconds(ours: Row) -> str:
    return _digits(ours.number("cpu"))


def _times_text(ratio: Ratio) -> str:
    return f"{'> ' if ratio.more else ''}{_digits(ratio.value)}x"


def _times(rows: Sequence[Row], found: Sequence[Ratio], work: str) -> str:
    """Return the table of one work, a line a dataset and number of threads."""
    if work in MOST_SECONDS and found:
        return _limited(found)
    against_clus, trees = PEERS[work] == "CLUS", work not in _AMOUNTS
    header = ["dataset", "threads", "mlsieve s", "runs", f"{PEERS[work]} s", "runs"]
    of_itself = work == "rdt-dynamic"  # both sides are mlsieve's, in one form
    header += [] if of_itself else [f"{PEERS[work]} {_AMOUNTS.get(work, 'trees')}"]
    if trees:
        header += ["mlsieve nodes", f"{PEERS[work]} nodes"]
        header += ["mlsieve ns per node", f"{PEERS[work]} ns per node"]
    header += ["ratio"] + (["with start", "induction alone"] if against_clus else []) + ["at least"]
    lines = []
    for ratio in found:
        ours, theirs = ratio.ours, ratio.theirs
        kind = "cpu" if ratio.threads == 1 else "wall"
        line = [ratio.dataset, f"{ratio.threads}", _digits(ours.number(kind)), ours.runs]
        line += [("> " if ratio.more else "") + _digits(theirs.number(kind)), theirs.runs]
        by_form = work == "knn" or work in chain_notes.NOTES
        if not of_itself:
            line.append(form_of(theirs, work) if by_form else f"{theirs.amount} of {theirs.full}")
        if trees and not against_clus:
            line[-1] += f", {theirs.variant}"
        if trees:
            line += [_count(ours.nodes), _count(theirs.nodes), _per_node(ours, kind), _per_node(theirs, kind)]
        line.append(_times_text(ratio))
        if against_clus:
            line += [_ratio_text(ratio.whole), _ratio_text(ratio.inner)]
        line.append("" if ratio.goal is None else f"{ratio.goal:g}x")
        lines.append(line)
    alone = list(ours_of(rows, work))
    if not found and alone:
        header = ["dataset", "threads", "mlsieve CPU s", "mlsieve wall s", "runs"]
        lines = [
            [row.dataset, row.threads, _digits(row.number("cpu")), _digits(row.number("wall")), row.runs]
            for row in alone
        ]
    return _table(header, lines, "l" + "r" * (len(header) - 1))


def _limited(found: Sequence[Ratio]) -> str:
    """Return the table of a work without a peer, whose seconds have a limit."""
    lines = [
        [
            ratio.dataset,
            f"{ratio.threads}",
            _seconds(ratio.ours),
            ratio.ours.runs,
            f"{MOST_SECONDS[ratio.work]:g}",
        ]
        for ratio in found
    ]
    return _table(("dataset", "threads", "mlsieve CPU s", "runs", "at most"), lines, "lrrrr")


def form_of(row: Row, work: str) -> str:
    """Return the form of a peer, with its name where several compete."""
    return f"{row.contender} {row.variant}" if work == "boosting" else row.variant


def _failures(rows: Sequence[Row], work: str) -> list[str]:
    return [
        f"{' '.join(filter(None, (row.contender, row.variant)))} on {row.dataset},"
        f" {row.threads} thread{'s' * (row.threads != '1')} ({row.note})"
        for row in rows
        if row.work == work and row.note.startswith("failed")
    ]


def _weightings(rows: Sequence[Row]) -> str:
    """Return the table of the cost of one weighting when many are asked for at once."""
    one = {(row.dataset, row.threads): row for row in ours_of(rows, "knn")}
    lines = []
    for row in rows:
        if row.work == "knn" and row.variant.endswith("weightings") and row.cpu:
            kind = "cpu" if row.threads == "1" else "wall"
            alone = one.get((row.dataset, row.threads))
            lone = _digits(alone.number(kind) if alone else None)
            lines.append([row.dataset, row.threads, lone, _digits(row.number(kind))])
    if not lines:
        return ""
    header = ("dataset", "threads", "one weighting, s", f"each of {N_WEIGHTINGS}, s")
    return (
        f"The next table shows the seconds for one uniform weighting, and for each of {N_WEIGHTINGS} random\n"
        "weightings (a third of the weights are 0) that are computed together.\n\n"
        + _table(header, lines, "lrrr")
    )


def _memory(rows: Sequence[Row], work: str) -> str:
    measured = [row for row in rows if row.work == work and row.peak_mib]
    if not measured:
        return ""
    lines = []
    for row in measured:
        numbers = (_digits(row.number("peak_mib")), _digits(row.number("cpu")))
        lines.append([row.dataset, row.contender, row.variant, row.amount, *numbers])
    return hierarchical_notes.MEMORY[work] + _table(
        ("dataset", "contender", "form", "trees", "MiB", "CPU s"), lines, "lllrrr"
    )


def _boosting_memory(rows: Sequence[Row]) -> str:
    lines = []
    for ratio in ratios(rows, "boosting-memory"):
        numbers = (ratio.ours.number("peak_mib"), ratio.ours.number("data_mib"), 1 / ratio.value)
        lines.append([ratio.dataset, ratio.ours.amount, *(_digits(number) for number in numbers)])
    if not lines:
        return ""
    return chain_notes.MEMORY + _table(
        ("dataset", "rounds", "MiB", "MiB of data and gradients", "peak over these"), lines, "lrrrr"
    )


def _selection_memory(rows: Sequence[Row]) -> str:
    lines = []
    for ratio in ratios(rows, "selection-memory"):
        names = ("peak_mib", "data_mib", "cpu")
        peak, data, seconds = (_digits(ratio.ours.number(name)) for name in names)
        lines.append([ratio.dataset, ratio.ours.amount, peak, data, _digits(1 / ratio.value), seconds])
    if not lines:
        return ""
    return (
        "## Peak memory of SCLS\n\n"
        "The peak is the largest resident memory of a process that loads the data and selects features,\n"
        "minus its memory after loading the data, in one run. The data are X and Y as CSR arrays in memory.\n"
        "The peak must be below twice the size of the data: in the table of goals, the size of the data\n"
        "divided by the peak is at least 0.5.\n\n"
        + _table(
            ("dataset", "features", "MiB", "the data's MiB", "MiB over the data's", "CPU s"), lines, "lrrrrr"
        )
    )


def _curves(rows: Sequence[Row], curves: Curves) -> str:
    """Return figure and tables of cost against each quantity, with the exponents."""
    points = curve_points(rows, curves)
    if not points:
        return ""
    parts = []
    exponents: dict[str, list[str]] = {work: [] for work in curves.works}
    for quantity, of_works in points.items():
        sizes = sorted({size for values, _ in of_works.values() for size in values})
        lines = []
        for work, slopes in exponents.items():
            values, seconds = of_works.get(work, ([], []))
            by_size = dict(zip(values, seconds, strict=True))
            lines.append([curves.works[work], *(_digits(by_size.get(size)) for size in sizes)])
            slopes.append(f"{exponent(values, seconds):.2f}" if len(values) > 1 else "")
        parts.append(_table((quantity, *(f"{size:g}" for size in sizes)), lines, "l" + "r" * len(sizes)))
    base = ", ".join(f"{name} = {value}" for name, value in curves.base.items())
    summary = _table(
        ("exponent of", *points),
        [[curves.works[work], *values] for work, values in exponents.items()],
        "l" + "r" * len(points),
    )
    names = list(curves.works.values())
    shown = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    about = curves.about.format(base=base, n_test=N_TEST, **curves.amounts)
    return (
        f"## {curves.title}\n\n{about}\n\n"
        f"![CPU seconds of {shown} against {', '.join(points)}]"
        f"({IMAGES}/{curves.figure})\n\n" + summary + "\n" + "\n".join(parts)
    )


def _per_node(row: Row, kind: str) -> str:
    nodes, seconds = row.number("nodes"), row.number(kind)
    return f"{seconds / nodes * 1e9:,.0f}" if nodes and seconds else ""


def _count(number: str) -> str:
    return f"{int(number):,}" if number else ""


def _ratio_text(value: float | None) -> str:
    return "" if value is None else f"{_digits(value)}x"


def _digits(value: float | None) -> str:
    """Return a number with three digits that count, without an exponent."""
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 or value == 0 else f"{value:.6f}"


def _table(header: Sequence[str], lines: Iterable[Sequence[str]], align: str) -> str:
    rule = ["---:" if side == "r" else "---" for side in align]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *lines)) + "\n"
