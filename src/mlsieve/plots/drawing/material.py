"""The tables that figures are made from, and the drawings that result."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd
from matplotlib.figure import Figure

from mlsieve.analysis.ranking_costs import sizes_of
from mlsieve.analysis.settings import Analysis
from mlsieve.plots.drawing.looks import Looks
from mlsieve.tables.labels import Labels, labels_in


@dataclass(frozen=True)
class Material:
    """A study's tables.

    Attributes
    ----------
    performance : DataFrame
        See `mlsieve.analysis.read_performance`.
    tests, average_ranks : DataFrame
        See `mlsieve.analysis.Answers`.
    choices : DataFrame or None
        Sizes and ensembles in use; without it, figures that need a size show only what the tests contain.
    timings : DataFrame or None
        Columns dataset, method, seconds, and those of timings.csv.
    directions : dict of str to {"higher", "lower"}
        For measures that are not registered.
    best : {"right", "left"}
        Where critical-distance diagrams have the best rank.
    rankings : DataFrame or None
        rankings.csv: how many features each ranking weighs positively.
    similarity, curves : DataFrame or None
        As ``mlsieve similarity`` writes them.
    convergence : DataFrame or None
        As ``mlsieve step convergence`` writes it.
    datasets : tuple of str
        Datasets that get figures of their own.
    measures : tuple of str
        Measures of the figures that show a few only; none: the first two that the tests are about.
    chain_runs, chain_curves, chain_steps : DataFrame or None
        The tables of a study of chains.
    described : DataFrame or None
        datasets.csv.
    analysis : Analysis
        Which methods its figures are about.
    """

    performance: pd.DataFrame
    tests: pd.DataFrame
    average_ranks: pd.DataFrame
    choices: pd.DataFrame | None = None
    timings: pd.DataFrame | None = None
    directions: dict[str, str] | None = None
    best: str = "right"
    rankings: pd.DataFrame | None = None
    similarity: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None
    convergence: pd.DataFrame | None = None
    datasets: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    chain_runs: pd.DataFrame | None = None
    chain_curves: pd.DataFrame | None = None
    chain_steps: pd.DataFrame | None = None
    described: pd.DataFrame | None = None
    analysis: Analysis = field(default_factory=Analysis)

    def direction(self, measure: str) -> str | None:
        """Return "higher" or "lower" as the better direction of a measure, None where it is not known."""
        from mlsieve.registry import entries

        base = measure.split(" [")[0]
        for name in (measure, base):
            if name in (self.directions or {}):
                return (self.directions or {})[name]
        known = entries("measure")
        return str(known[base].facts.direction) if base in known else None

    def few_measures(self) -> list[str]:
        """Return the measures of figures that show a few only, as far as the study has them."""
        tested = list(dict.fromkeys(self.tests["measure"]))
        if not self.measures:
            return tested[:2]
        known = dict.fromkeys([*tested, *self.performance["measure"]])
        return [name for wanted in self.measures for name in known if name.split(" [")[0] == wanted]

    def directed(self, measure: str) -> str:
        """Return a measure's name with an arrow that points to its better values."""
        return measure + {"higher": " ↑", "lower": " ↓", None: ""}[self.direction(measure)]

    @cached_property
    def labels(self) -> Labels:
        """The labels of the study's rankings by their names."""
        return labels_in(self.performance)

    @cached_property
    def looks(self) -> Looks:
        """How each method of the study is drawn."""
        tables = [table for table in (self.chain_runs, self.chain_curves) if table is not None]
        others = {str(name) for table in tables for name in table["method"].unique()}
        return Looks(
            self.labels, sorted(others), baselines=self.analysis.baselines, rival=self.analysis.rival
        )

    def sizes(self) -> dict[str, int]:
        """Return the size in use of each label; nothing without choices."""
        return {} if self.choices is None else sizes_of(used_choices(self.choices))


def used_choices(choices: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of choices.csv that are in use."""
    return choices[choices["used"].astype(bool)]


@dataclass(frozen=True)
class Drawing:
    """A figure with its title and caption, and its place in a report.

    Attributes
    ----------
    figure : matplotlib Figure or None
        None where the caption says all there is.
    title : str
    caption : str
        One or two sentences on how to read it.
    question : str
        Id of the question that it belongs to.
    group : str
        The method group that it shows, "paper" or "extended"; empty: none in particular.
    seen : str
        What it shows, for readers who cannot see it.
    """

    figure: Figure | None
    title: str
    caption: str
    question: str
    group: str = ""
    seen: str = ""
