"""Do tests on labels that are already set help random decision trees?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlsieve.analysis.chains.steps import SIGMA
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, VALUE_DIGITS, CountedTable, as_shown
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import listed
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.questions.chains.chain_sequence import ChainSequenceKeys
from mlsieve.registry import register
from mlsieve.stats._lazy import pd

QUESTION = "label-tests"


def section(study: SectionTables) -> Section:
    """Each measure without active label tests and with all of them."""
    curves = study.read("chain_curves.csv")
    if curves is None:
        return Section(notes=["chain_curves.csv is missing, so this section is empty."])
    methods = study.analysis.of(ChainSequenceKeys).label_test_methods
    ends = sigma_ends(sigma_curves(curves, methods))
    if not ends:
        return Section(notes=["No method of `label_test_methods` has values at several values of sigma."])
    measures = dict.fromkeys(one.measure for one in ends)
    return Section(
        findings=sigma_findings(ends, methods),
        tables=[sigma_table(ends, methods, measure) for measure in measures],
    )


@register.question(
    QUESTION,
    version=2,
    order=20,
    title="Do tests on labels that are already set help?",
    short="Label tests",
    tables={"sections": ("chain_curves",), "figures": ("chain_curves",)},
    section=section,
)
def label_tests(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Measures by the share of active label tests (Figs. 3 and 11 of the dynamic-chains paper)."""
    return Answer()


def sigma_curves(curves: pd.DataFrame, methods: Mapping[str, str]) -> pd.DataFrame:
    """Return the values at each sigma: columns dataset, method, sigma, measure, value.

    Parameters
    ----------
    curves : DataFrame
        chain_curves.csv.
    methods : mapping of str to str
        The methods to show.
    """
    own = curves[(curves["parameter"] == SIGMA) & curves["method"].isin(methods)]
    own = own[~own["measure"].str.endswith("-seconds")]
    keys = ["dataset", "method", "point", "measure"]
    means = own.groupby(keys, sort=False)["value"].mean().reset_index()
    return means.rename(columns={"point": "sigma"}).astype({"sigma": float, "value": float})


@dataclass(frozen=True)
class SigmaEnds:
    """One measure of a method on a dataset at the lowest and at the highest sigma."""

    dataset: str
    method: str
    measure: str
    none: float
    every: float

    @property
    def change(self) -> float:
        """What all label tests add to the measure: the difference of both values as a table shows them."""
        return float(as_shown(as_shown(self.every) - as_shown(self.none)))


def sigma_ends(curves: pd.DataFrame) -> list[SigmaEnds]:
    """Return the ends of each curve with at least two values."""
    found = []
    for key, own in curves.dropna(subset="value").groupby(["dataset", "method", "measure"], sort=False):
        own = own.sort_values("sigma")
        if len(own) > 1:
            dataset, method, measure = map(str, key)
            none, every = map(float, own["value"].iloc[[0, -1]])
            found.append(SigmaEnds(dataset, method, measure, none, every))
    return found


def sigma_findings(ends: Sequence[SigmaEnds], methods: Mapping[str, str]) -> list[Finding]:
    """Return on how many datasets all active label tests are better than none, by method and measure."""
    found = []
    for method, words in methods.items():
        own = [one for one in ends if one.method == method]
        parts = []
        for measure in dict.fromkeys(one.measure for one in own):
            some = [one for one in own if one.measure == measure]
            higher = sum(one.change > 0 for one in some)
            lower = sum(one.change < 0 for one in some)
            parts.append(f"{measure} is higher on {higher} and lower on {lower}")
        if parts:
            sets = number_of(len({one.dataset for one in own}), "dataset")
            text = f"With {words} label tests in the trees, over {sets}, all active against none: "
            text += f"{listed(parts)}."
            found.append(Finding(text, methods=(method,)))
    return found


def sigma_table(ends: Sequence[SigmaEnds], methods: Mapping[str, str], measure: str) -> CountedTable:
    """Return a row for each dataset: the measure with no and with all label tests, for each method."""
    own = {(one.dataset, one.method): one for one in ends if one.measure == measure}
    shown = [name for name in methods if any(method == name for _, method in own)]
    rows = []
    for dataset in dict.fromkeys(name for name, _ in own):
        cells: list[str] = [dataset]
        for method in shown:
            one = own.get((dataset, method))
            cells += (
                [MISSING] * 3
                if one is None
                else [
                    *(f"{value:.{VALUE_DIGITS}f}" for value in (one.none, one.every)),
                    f"{one.change:+.{VALUE_DIGITS}f}",
                ]
            )
        rows.append(tuple(cells))
    columns = [f"{methods[name]}, {what}" for name in shown for what in ("none", "all", "difference")]
    return CountedTable(
        f"sigma {measure}",
        f"{measure} with no and with all label tests active",
        "The columns show the share of label tests in the trees, and the measure at the lowest and at "
        "the highest sigma, the share of the label tests that are active, and the difference of both as "
        "shown. The trees are the same. No test is made.",
        ("dataset", *columns),
        tuple(rows),
        numbers=tuple(range(1, 1 + len(columns))),
    )
