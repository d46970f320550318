"""The steps of a study: one table of the workflow's rules, which paths, versions, costs and errors read.

A step is either many jobs, one for each dataset, split and method, whose outputs lie in the cache, or a
summary: one job for the whole study, whose outputs lie in the study's folder.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mlsieve.costs.model import Cost

# Megabytes of a summary: least, and for each of its inputs more (429,000 rows of 7,600 tables took 562).
_MEMORY = (310.0, 0.05)


@dataclass(frozen=True)
class Step:
    """A rule of the workflow.

    Attributes
    ----------
    name : str
        The rule.
    version : int
        Raised when the results of the step change, whatever the method; a method has its own version, in its
        decorator.
    output : str
        Pattern of a job's output below the cache, the one place that decides where it lies; empty for a
        summary.
    tables : mapping of str to str
        Outputs of a summary in the study's folder, by the names that commands and questions use.
    seconds, disk : tuple of float
        CPU seconds of a summary and megabytes of its outputs: least, and for each of its inputs more; read
        off four finished studies. A question more or less hardly shows beside the figures.
    inputs : {"scores", "datasets"}
        What a summary reads many of: tables of scores, or files of datasets.
    after : tuple of str
        Summaries that a summary waits for, where the study has them; none: all tables of scores.
    """

    name: str
    version: int
    output: str = ""
    tables: Mapping[str, str] = field(default_factory=dict, hash=False)
    seconds: tuple[float, float] = (0.0, 0.0)
    disk: tuple[float, float] = (0.0, 0.01)
    inputs: str = "scores"
    after: tuple[str, ...] = ()

    @property
    def summary(self) -> bool:
        """Whether it is one job for the whole study."""
        return not self.output

    @cached_property
    def wildcards(self) -> tuple[str, ...]:
        """Names of the wildcards of a job's output."""
        return tuple(name for _, name, _, _ in string.Formatter().parse(self.output) if name)

    def cost(self, inputs: int) -> Cost:
        """Return what a summary of so many inputs is expected to cost."""
        minutes, megabytes, disk = (
            least + more * inputs for least, more in (self.seconds, _MEMORY, self.disk)
        )
        return Cost(minutes / 60, megabytes, disk)


_SPLIT = "{dataset}/{split}"
_RANKED = f"{_SPLIT}/{{ranker}}"
_EVALUATED = f"{_RANKED}/{{evaluator}}"

_TABLE = (
    Step(
        "acquire",
        version=1,
        tables={"available": "available.csv", "unavailable": "unavailable.csv"},
        seconds=(0.5, 0.2),
        inputs="datasets",
    ),
    Step("prepare", version=2, output="{dataset}/data.npz"),
    Step("describe", version=3, tables={"datasets": "datasets.csv"}, seconds=(1.0, 0.005)),
    Step("worked", version=2, tables={"worked": "worked.csv"}, seconds=(1.0, 0.0)),
    Step("discretise", version=1, output=f"{_SPLIT}/discretise-{{discretization}}/cuts.npz"),
    Step("grow", version=1, output=f"{_SPLIT}/{{ensemble}}/ensemble.npz"),
    Step("rank", version=2, output=f"{_RANKED}/rankings.npz"),
    Step("predict", version=1, output=f"{_EVALUATED}/predictions.npz"),
    Step("score", version=1, output=f"{_EVALUATED}/{{scoring}}.csv"),
    Step("evaluate", version=1, output=f"{_EVALUATED}/{{scoring}}/scores.csv"),
    Step("tune", version=3, output=f"{_SPLIT}/{{point}}/{{scoring}}/tune.json"),
    Step("chain", version=2, output=f"{_SPLIT}/{{chain}}/{{scoring}}/chain.json"),
    Step("column_order", version=1, output=f"{_SPLIT}/column-order-{{order}}/effects.csv"),
    Step(
        "collect",
        version=7,
        tables={
            "performance": "performance.csv",
            "rankings": "rankings.csv",
            "skipped": "skipped.csv",
            "timings": "timings.csv",
        },
        seconds=(0.5, 0.008),
    ),
    Step(
        "chain_tables",
        version=1,
        tables={
            "chain_runs": "chain_runs.csv",
            "chain_tuning": "chain_tuning.csv",
            "chain_curves": "chain_curves.csv",
            "chain_steps": "chain_steps.csv",
            "chain_orders": "chain_orders.csv",
        },
        seconds=(1.0, 0.01),
        disk=(0.1, 0.1),
    ),
    Step("stability", version=4, tables={"stability": "stability.csv"}, seconds=(1.0, 0.01)),
    Step(
        "compare",
        version=24,
        tables={
            "tests": "tests.csv",
            "ranks": "average_ranks.csv",
            "choices": "choices.csv",
            "findings": "findings.json",
            "counts": "verdict_counts.csv",
        },
        seconds=(2.0, 0.04),
        disk=(0.5, 0.03),
        after=("collect", "describe", "chain_tables"),
    ),
    Step(
        "similarity",
        version=2,
        tables={"similarity": "similarity.csv", "curves": "similarity_curves.csv"},
        seconds=(1.0, 0.01),
        after=("compare",),
    ),
    Step(
        "convergence",
        version=2,
        tables={"convergence_by_dataset": "convergence.csv", "convergence": "convergence_means.csv"},
        seconds=(1.0, 0.2),
    ),
    Step(
        "column_order_summary",
        version=2,
        tables={
            "column_order": "column_order.csv",
            "column_order_summary": "column_order_summary.csv",
            "column_order_tests": "column_order_tests.csv",
            "column_order_findings": "column_order_findings.json",
        },
        seconds=(2.0, 0.05),
        inputs="datasets",
    ),
    Step(
        "published",
        version=10,
        tables={"published": "published.csv", "columns": "published_columns.csv"},
        seconds=(2.0, 0.003),
        after=("similarity", "worked", "compare"),
    ),
    Step(
        "sections",
        version=20,
        tables={
            "sections": "sections.json",
            "leaderboard": "leaderboard.csv",
            "leaderboard_tests": "leaderboard_tests.csv",
        },
        seconds=(1.4, 0.01),
        after=(
            "compare",
            "similarity",
            "convergence",
            "stability",
            "chain_tables",
            "worked",
            "published",
            "column_order_summary",
        ),
    ),
    Step(
        "figures",
        version=21,
        tables={"figures": "figures.json"},
        seconds=(8.0, 0.08),
        disk=(2.0, 0.04),
        after=("similarity", "convergence", "chain_tables", "compare"),
    ),
    Step(
        "report",
        version=33,
        tables={"report": "report.html", "provenance": "provenance.json"},
        seconds=(2.0, 0.016),
        disk=(3.0, 0.03),
        after=("figures", "sections"),
    ),
)

STEPS: dict[str, Step] = {step.name: step for step in _TABLE}
