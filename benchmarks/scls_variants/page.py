"""The page of the search for the variant that gives the printed columns of SCLS, from its results."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.scls_variants.criteria import Variant
from benchmarks.scls_variants.search import DATASETS, MEASURES

WITHIN = 0.01  # of a printed cell: what the page counts (the study's report has another margin)

Results = Mapping[tuple[str, int, str, str], float]
# Of a variant: dataset and measure -> mean over the splits less the printed cell.
Differences = dict[tuple[str, str], float]

_INTRODUCTION = """# Which variant gives the printed columns of SCLS

The study `scls_selection` repeats the experiments of Lee and Kim (Pattern Recognition 66, 2017)
with as many splits of the same size, the same numbers of features, LAIM and multi-label naive
Bayes. Its report reproduces the printed columns of AMI (in its mean form) and MDMR. The printed
columns of SCLS do not follow from the criterion of SCLS as printed, eq. 25.

This page reports a search for the criterion that reproduces all three columns of SCLS (tables 2 to
4). Each variant changes eq. 25 or the discretisation; the splits, the numbers of features and the
evaluation remain those of the study.

The data are the {n_sets} datasets of the paper that are public in the form that the paper used.
This page counts the printed cells within {within} of the mean over our splits; the study's report uses
another margin. The paper's splits are not known, so the right criterion need not reach every cell.
For comparison, the page also counts the cells that AMI's mean form reaches in AMI's own columns.

Two commands produce the results, and a third one writes this page:

    python -m benchmarks.scls_variants --mirror FOLDER --repeats {screened} -o results.csv
    python -m benchmarks.scls_variants --mirror FOLDER --repeats {final} -o results.csv \\
        --variants {finalists}
    python -m benchmarks.scls_variants --table docs/scls_variants.md -o results.csv
"""


def printed_cells(path: Path, method: str) -> dict[tuple[str, str], float]:
    """Return the printed cells of a method by dataset and measure."""
    names = {id: name for name, id in MEASURES.items()}
    with path.open(newline="", encoding="utf-8") as stream:
        return {
            (row["dataset"], names[row["measure"]]): float(row["printed"])
            for row in csv.DictReader(stream)
            if row["method"] == method
        }


def differences(
    results: Results, printed: Mapping[tuple[str, str], float], splits: int
) -> dict[str, Differences]:
    """Return how far the means are from the printed cells, for variants with so many splits of every set."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for (dataset, repeat, variant, measure), value in results.items():
        if repeat < splits:
            values.setdefault((variant, dataset, measure), []).append(value)
    found: dict[str, Differences] = {}
    for (variant, dataset, measure), several in values.items():
        if len(several) == splits:
            found.setdefault(variant, {})[dataset, measure] = float(
                np.mean(several) - printed[dataset, measure]
            )
    whole = len(DATASETS) * len(MEASURES)
    return {variant: cells for variant, cells in found.items() if len(cells) == whole}


def counts(cells: Differences) -> tuple[int, ...]:
    """Return how many printed cells of each measure lie within `WITHIN`."""
    return tuple(sum(abs(cells[dataset, measure]) <= WITHIN for dataset in DATASETS) for measure in MEASURES)


def by_cells(found: Mapping[str, Differences]) -> list[str]:
    """Return the variants, those with most cells first; of as many, those with the smallest differences."""
    far = {name: sum(map(abs, cells.values())) for name, cells in found.items()}
    return sorted(found, key=lambda name: (-sum(counts(found[name])), far[name]))


def _loses_little(found: Mapping[str, Differences], best: str, other: str) -> bool:
    return sum(counts(found[best])) - sum(counts(found[other])) <= 2


def _rows(found: Mapping[str, Differences], variants: Mapping[str, Variant]) -> list[str]:
    """Return one row a variant, those with most cells first."""
    lines = [
        "| variant | J(f) | Hamming loss | ranking loss | coverage | all | mean absolute difference |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in by_cells(found):
        formula = variants[name].formula.replace("|", "\\|")
        far = " / ".join(
            f"{np.mean([abs(found[name][dataset, measure]) for dataset in DATASETS]):.3f}"
            for measure in MEASURES
        )
        own = counts(found[name])
        lines.append(f"| `{name}` | {formula} | {own[0]} | {own[1]} | {own[2]} | {sum(own)} | {far} |")
    return lines


def _cells(found: Mapping[str, Differences], printed: Mapping[tuple[str, str], float]) -> list[str]:
    """Return one row a dataset: the printed cells, and the means of some variants."""
    names = by_cells(found)
    lines = [
        f"| dataset | printed | {' | '.join(f'`{name}`' for name in names)} |",
        f"| --- {'| --- ' * (len(names) + 1)}|",
    ]
    for dataset in DATASETS:
        texts = [" / ".join(f"{printed[dataset, measure]:.3f}" for measure in MEASURES)]
        for name in names:
            shown = []
            for measure in MEASURES:
                value = f"{printed[dataset, measure] + found[name][dataset, measure]:.3f}"
                near = abs(found[name][dataset, measure]) <= WITHIN
                shown.append(f"**{value}**" if near else value)
            texts.append(" / ".join(shown))
        lines.append(f"| {dataset} | {' | '.join(texts)} |")
    return lines


def conclusion(found: Mapping[str, Differences], yardstick: Differences) -> str:
    """Return in words what the best variant, eq. 25 and the yardstick reach."""
    best, *others = by_cells(found)
    close = [f"`{name}` {sum(counts(found[name]))}" for name in others if _loses_little(found, best, name)]

    def reached(cells: Differences) -> str:
        first, second, third = counts(cells)
        return f"{first}, {second} and {third}"

    printed = reached(found["eq25"])
    text = (
        f"`{best}` is nearest to the printed columns of SCLS. It reaches {reached(found[best])} of\n"
        f"{len(DATASETS)} cells of Hamming loss, ranking loss and coverage. Eq. 25 reaches {printed}.\n"
        f"For comparison, AMI's mean form reaches {reached(yardstick)} cells of AMI's own columns with\n"
        f"the same splits."
    )
    if close:
        whole = len(DATASETS) * len(MEASURES)
        text += f" The data do not separate `{best}` from similar variants: of all {whole}\ncells it reaches"
        text += f" {sum(counts(found[best]))}, {', '.join(close)}."
    return text


def page(
    results: Results,
    variants: Mapping[str, Variant],
    printed: Mapping[tuple[str, str], float],
    printed_ami: Mapping[tuple[str, str], float],
) -> str:
    """Return the page.

    Parameters
    ----------
    results : mapping
        Values by dataset, split, variant and measure. All variants are compared on as many splits as each
        of them has; the finalists are those with the most splits.
    variants : mapping of str to Variant
    printed, printed_ami : mapping
        Cells of SCLS and of AMI by dataset and measure.
    """
    splits = {variant: _splits(results, variant) for variant in variants}
    screened, final = min(splits.values()), max(splits.values())
    first = differences(results, printed, screened)
    last = differences(results, printed, final)
    yardstick = differences(results, printed_ami, final)["ami-mean"]
    lines = [
        _INTRODUCTION.format(
            n_sets=len(DATASETS),
            within=WITHIN,
            screened=screened,
            final=final,
            finalists=",".join(sorted(last)),
        ),
        "## Outcome\n",
        conclusion(last, yardstick) + "\n",
        f"## All variants, {screened} split{'s' if screened > 1 else ''}\n",
        "R is the sum over the labels of M(f; l), L is the number of labels and s a selected feature. The\n"
        f"columns count the cells that lie within {WITHIN}, of {len(DATASETS)} for each measure.\n",
        *_rows(first, variants),
        "",
        f"## Finalists, {final} splits\n",
        *_rows(last, variants),
        "",
        "Each cell gives Hamming loss / ranking loss / coverage; a value within\n"
        f"{WITHIN} of the printed one is bold:\n",
        *_cells(last, printed),
    ]
    return "\n".join(lines) + "\n"


def _splits(results: Results, variant: str) -> int:
    """Return how many first splits of every dataset are there for a variant."""
    known: Sequence[set[int]] = [
        {repeat for dataset, repeat, name, _ in results if (dataset, name) == (own, variant)}
        for own in DATASETS
    ]
    splits = 0
    while all(splits in repeats for repeats in known):
        splits += 1
    return splits
