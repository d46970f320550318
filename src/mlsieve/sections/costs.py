"""What the jobs of a study cost: seconds and memory, summed by method, by step and by dataset."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.errors import number_of


def cost_part(timings: list[dict[str, str]]) -> dict[str, Any]:
    """Return ``tables``, seconds by method and seconds by dataset, and a ``text`` about them.

    Parameters
    ----------
    timings : list of dict
        Rows of timings.csv.
    """
    frame = pd.DataFrame(
        timings,
        columns=["dataset", "method", "seconds", "cpu_seconds", "peak_mb", "step", "ensemble", "score"],
    )
    for name in ("seconds", "cpu_seconds", "peak_mb"):
        frame[name] = pd.to_numeric(frame[name], errors="coerce")
    frame = frame.fillna({"method": "", "ensemble": "", "score": ""})
    tables = (_by_method(frame), _by_dataset(frame))
    return {"text": _text(frame), "tables": [table.as_dict() for table in tables]}


def _by_method(frame: pd.DataFrame) -> CountedTable:
    """Return the cost of each step and method; the jobs of predicting and scoring count together."""
    rows = []
    keys = ["step", "method", "ensemble", "score"]
    for (step, *names), group in frame.groupby(keys, sort=False):
        if step not in {"predict", "score"}:
            rows.append((step, " ".join(filter(None, names)), *_cost_of(group)))
    for step in ("predict", "score"):
        group = frame[frame["step"] == step]
        if len(group):
            rows.append((step, "all", *_cost_of(group)))
    columns = ("step", "method", "jobs", "seconds", "CPU seconds", "peak MB")
    return CountedTable("by-method", "", "", columns, tuple(rows), numbers=(2, 3, 4, 5))


def _by_dataset(frame: pd.DataFrame) -> CountedTable:
    wide = frame.pivot_table(index="dataset", columns="step", values="seconds", aggfunc="sum", fill_value=0.0)
    # In the order of a study's steps.
    steps = list(dict.fromkeys(frame.loc[frame["dataset"] != "", "step"]))
    rows = tuple((name, *(float(row[step]) for step in steps)) for name, row in wide[steps].iterrows())
    numbers = tuple(range(1, len(steps) + 1))
    title = "Seconds by dataset and step"
    return CountedTable("by-dataset", title, "", ("dataset", *steps), rows, numbers=numbers)


def _text(frame: pd.DataFrame) -> str:
    total = frame["seconds"].sum()
    took = number_of(f"{total:,.0f}", "second")
    text = (
        f"The study ran {number_of(len(frame), 'job')}, which took {took} in total; each job needs about one "
        "second to start Python. The steps that list the datasets and join the results, a few more, are not "
        "among them. "
    )
    ranking = bool((frame["step"] == "rank").any())
    if ranking:
        text += "The cost of a ranking is that of its grow job and its rank job, for all sizes together. "
    text += (
        "The operating system counted CPU seconds and peak memory of each job. timings.csv lists every job"
    )
    text += ", and the CPU seconds of growing and ranking alone." if ranking else "."
    unknown = int(frame["cpu_seconds"].isna().sum())
    if unknown:
        jobs = number_of(unknown, "job")
        text += f" CPU seconds and peak memory are not known for {jobs}; sums and maxima leave these out."
    return text


def _cost_of(jobs: pd.DataFrame) -> tuple[int, float, float, float]:
    """Return number, seconds, CPU seconds and peak memory of jobs; NaN where they are not known."""
    return (
        len(jobs),
        float(jobs["seconds"].sum()),
        float(jobs["cpu_seconds"].sum(min_count=1)),
        float(jobs["peak_mb"].max()),
    )
