"""In which order do dynamic chains set the labels?"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mlsieve.analysis.chains.lengths import cardinalities, rounded_up
from mlsieve.analysis.chains.remarks import cut_chains, label_counts
from mlsieve.analysis.chains.steps import Ends, ends_of, settings_of, shares_at
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, CountedTable, as_shown
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.settings import Analysis, Dataset, Single
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.registry import register
from mlsieve.schemas import or_null
from mlsieve.stats._lazy import pd

QUESTION = "chain-sequence"


@dataclass(frozen=True)
class ChainSequenceKeys:
    """Keys of ``analysis`` for this question."""

    label_test_methods: Annotated[
        Mapping[Single, str],
        or_null,
        "the chains of random decision trees that differ in the share of label tests, with a name for "
        "that share",
    ] = field(default_factory=lambda: {"rdt-10": "10 %", "rdt-20": "20 %", "rdt-dynamic": "30 %"})
    progress_method: Annotated[
        Single,
        "the chain whose progress is shown: how many of the positive and negative labels are set after "
        "each step",
    ] = "xdcc-program-cumulated"
    sequence_datasets: Annotated[tuple[Dataset, ...], "the datasets with heat maps of the steps"] = (
        "flags",
        "emotions",
    )


def section(study: SectionTables) -> Section:
    """Accuracy of the first and the last steps, and the progress up to the label cardinality."""
    steps = study.read("chain_steps.csv")
    if steps is None:
        return Section(notes=["chain_steps.csv is missing, so this section is empty."])
    settings, steps = study.analysis.of(ChainSequenceKeys), settings_of(steps)
    labels = cardinalities(study.read("datasets.csv"))
    ends = [one for one in ends_of(steps) if one.method in settings.label_test_methods]
    progress = progress_of(steps, settings.progress_method, labels)
    findings, tables = [*end_findings(ends), *progress_findings(progress, settings.progress_method)], []
    if progress:
        tables.append(progress_table(progress, settings.progress_method))
    notes = [] if findings else ["No method of this question has a sequence."]
    if progress:
        lengths = {one.dataset: one.steps for one in progress}
        notes += filter(None, [cut_chains(lengths, label_counts(study.read("datasets.csv")))])
    return Section(findings=findings, tables=tables, notes=notes)


@register.question(
    QUESTION,
    version=4,
    order=19,
    title="In which order do dynamic chains set the labels?",
    short="Sequences",
    settings=ChainSequenceKeys,
    tables={
        "sections": ("chain_steps", "datasets"),
        "figures": ("chain_steps", "datasets"),
    },
    section=section,
)
def chain_sequence(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """What each step sets, without a test (Figs. 4, 5 and 10 of the dynamic-chains paper)."""
    return Answer()


def end_findings(ends: Sequence[Ends]) -> list[Finding]:
    """Return how often the first step is more accurate than the last, and sets fewer positive labels."""
    if not ends:
        return []
    accurate, fewer = (
        sum(values)
        for values in zip(*((one.more_accurate_first, one.more_positive_last) for one in ends), strict=True)
    )
    sets = number_of(len({one.dataset for one in ends}), "dataset")
    chains = number_of(len(ends), "chain")
    text = (
        f"Over {sets} and all settings of the label tests ({chains}), the labels of the first step are "
        f"more accurate than those of the last in {accurate}, and the first step sets fewer positive "
        f"labels than the last in {fewer}."
    )
    return [Finding(text)]


@dataclass(frozen=True)
class Progress:
    """How much of a dataset's labels are set at the label cardinality, rounded up.

    Attributes
    ----------
    dataset : str
    cardinality : float
    steps : int
        Length of the chain.
    labels_set : float
        Mean number of labels that the whole chain sets for an example.
    positive, negative : float
        Shares of the labels that the whole chain sets positive and negative.
    """

    dataset: str
    cardinality: float
    steps: int
    labels_set: float
    positive: float
    negative: float

    @property
    def positive_ahead(self) -> bool:
        """Whether a larger share of the positive labels is set, as the table shows both shares."""
        return bool(as_shown(self.positive) > as_shown(self.negative))


def progress_of(steps: pd.DataFrame, method: str, labels: Mapping[str, float]) -> list[Progress]:
    """Return the progress of a method on each dataset with a sequence and a known label cardinality.

    Parameters
    ----------
    steps : DataFrame
        As `mlsieve.analysis.chains.steps.settings_of` returns it.
    method : str
    labels : mapping of str to float
        Average number of labels by dataset.
    """
    own = steps[(steps["method"] == method) & (steps["setting"] == "")]
    found = []
    for dataset in dict.fromkeys(own["dataset"]):
        shares = shares_at(own, dataset, method, rounded_up(labels[dataset])) if dataset in labels else None
        if shares is not None:
            chain = own[own["dataset"] == dataset]
            n_steps, labels_set = int(chain["step"].max()), float(chain["set"].sum())
            found.append(Progress(str(dataset), labels[dataset], n_steps, labels_set, *shares))
    return found


def progress_findings(progress: Sequence[Progress], method: str) -> list[Finding]:
    """Return how much of the positive and of the negative labels is set early, over the datasets."""
    known = [one for one in progress if one.positive == one.positive and one.negative == one.negative]
    if not known:
        return []
    earlier = sum(one.positive_ahead for one in known)
    middle = (
        statistics.median(one.positive for one in known),
        statistics.median(one.negative for one in known),
    )
    text = (
        f"After as many steps as the label cardinality, rounded up, {method} has set a larger share of "
        f"its positive labels than of its negative ones on {earlier} of "
        f"{number_of(len(known), 'dataset')}; the medians are {middle[0]:.0%} and {middle[1]:.0%}."
    )
    return [Finding(text, methods=(method,))]


def progress_table(progress: Sequence[Progress], method: str) -> CountedTable:
    """Return a row for each dataset: length of the chain, label cardinality, and the shares set by then."""

    def share(value: float) -> str:
        return f"{value:.1%}" if value == value else MISSING

    rows = tuple(
        (
            *(one.dataset, one.steps, f"{one.labels_set:.2f}", f"{one.cardinality:.2f}"),
            *(share(one.positive), share(one.negative)),
        )
        for one in progress
    )
    return CountedTable(
        "progress",
        f"Progress of {method} at the label cardinality",
        "The table shows which share of all positive labels that the whole chain sets, and of all "
        "negative ones, is set after as many steps as the label cardinality, rounded up. A "
        "chain omits labels without a prediction, so 'labels set', a mean over "
        "the examples, can be far below its length.",
        (
            *("dataset", "length of the chain", "labels set", "label cardinality"),
            *("positive labels set", "negative labels set"),
        ),
        rows,
        numbers=(1, 2, 3, 4, 5),
        folded=False,
    )
