"""What changes if the scores follow CLUS's definitions and not the papers' formulas?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.findings import Finding, plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.sentences.wording import number_of
from mlsieve.analysis.settings import Analysis, OfTrees, Score
from mlsieve.analysis.tests import Answer, Comparison, compare
from mlsieve.questions.ensembles.candidates import matched_labels
from mlsieve.registry import register
from mlsieve.stats._lazy import pd

FORMULAS, CLUS = "scores by the papers' formulas", "scores by CLUS's definitions"


@dataclass(frozen=True)
class DefinitionKeys:
    """Keys of ``analysis`` for this question."""

    other_definition: Annotated[OfTrees, "the method whose scores have CLUS's definitions"] = "clus"
    paper_order: Annotated[
        tuple[Score, ...], "the scores in the order of the paper, best first; optional"
    ] = ()


@register.question(
    "definition",
    version=1,
    order=6,
    title="What changes with CLUS's definitions of the scores?",
    settings=DefinitionKeys,
    short="CLUS's definitions",
)
def definition(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Compare each ranking with the same ranking by CLUS's definition, and the scores by both definitions.

    The analysis' key ``other_definition`` names the method whose scores have CLUS's definitions. Each of its
    rankings is compared with the other method's of the same ensemble and score by Wilcoxon's test, with
    Benjamini-Hochberg as for the question ``relevance``. Friedman's and Nemenyi's tests compare the scores,
    each with its chosen ensemble, once by each definition; a score with a single definition is in both tests.
    Both definitions have the same number of trees: of the sizes that both have, the nearest to the one in
    use. ``paper_order`` is the paper's order of the scores.
    """
    answer = Answer()
    sizes, others = {}, {}
    other_method = analysis.of(DefinitionKeys).other_definition
    for label, other in matched_labels(table, other_method):
        size = _common_size(choices, label, other)
        if size is None:
            answer.notes.append(f"{label} and {other} have no number of trees in common.")
            continue
        others[label] = other
        sizes[label] = sizes[other] = size
    if not others:
        answer.notes.append(
            f"No other method has an ensemble and score of '{other_method}', or it lacks values."
        )
        return answer
    family = "paper" if "paper" in analysis.families else "extended"
    pairs = compare(
        [
            Comparison(
                evaluator,
                measure,
                f"{other} against {label}",
                ((other, sizes[other]), (label, sizes[label])),
                (other, label),
                "wilcoxon",
            )
            for evaluator in table.evaluators
            for measure in table.measures
            for label, other in others.items()
        ],
        table,
        analysis,
        question="definition",
        family=family,
        correct_over=analysis.relevance_correction,
    )
    answer.extend(pairs)
    answer.findings += wording.wilcoxon_findings(pairs, family, analysis)
    labels = choices.labels_of_scores(family)
    if len(labels) > 2 and set(labels) & set(others):
        scores = _scores(table, analysis, choices, labels, others, sizes, family)
        answer.extend(scores)
        answer.findings += wording.friedman_findings(scores, family, "methods", analysis)
        answer.findings += plain_findings(order_sentences(scores, table, analysis))
    counts = wording.listed(f"{label} with {sizes[label]}" for label in others)
    text = f"The tests compare both definitions with the same number of trees: {counts}."
    answer.findings.append(Finding(text))
    return answer


def _common_size(choices: Choices, label: str, other: str) -> int | None:
    """Return the size nearest to the first label's in use that both labels have; None if there is none."""
    common = set(choices.sizes_of(label)) & set(choices.sizes_of(other))
    wanted = choices.column(label)[1]
    return min(common, key=lambda size: (abs(size - wanted), size), default=None)


def _scores(
    table: PerformanceTable,
    analysis: Analysis,
    choices: Choices,
    labels: list[str],
    others: dict[str, str],
    sizes: dict[str, int],
    family: str,
) -> Answer:
    """Compare the scores with each other, once by each definition."""
    by_clus = [others.get(label, label) for label in labels]
    comparisons = [
        Comparison(
            evaluator,
            measure,
            name,
            tuple((label, sizes.get(label, choices.column(label)[1])) for label in chosen),
            tuple(chosen),
        )
        for evaluator in table.evaluators
        for name, chosen in ((FORMULAS, labels), (CLUS, by_clus))
        for measure in table.measures
    ]
    return compare(comparisons, table, analysis, question="definition", family=family)


def order_sentences(answer: Answer, table: PerformanceTable, analysis: Analysis) -> list[str]:
    """Return which score ranks first and last by each definition, and where that agrees with the paper.

    Parameters
    ----------
    answer : Answer
        Of the comparisons `FORMULAS` and `CLUS`.
    table : PerformanceTable
    analysis : Analysis
    """
    score_of = dict(zip(table.labels["label"], table.labels["score"], strict=True))
    ranks = pd.DataFrame(answer.ranks)
    ranks = ranks[(ranks["variant"] == "all") & ranks["rank"].notna()]
    ranks = ranks.assign(score=ranks["method"].map(score_of))
    sentences = []
    for evaluator, part in ranks.groupby("evaluator", sort=False):
        with_ = f" with {evaluator}" if len(table.evaluators) > 1 else ""
        orders = {}
        texts = []
        for name, by in ((FORMULAS, "the papers' formulas"), (CLUS, "CLUS's definitions")):
            wide = part[part["comparison"] == name].pivot(index="measure", columns="score", values="rank")
            if wide.empty:
                continue
            orders[by] = wide.mean().sort_values(kind="stable").index.tolist()
            first, last = orders[by][0], orders[by][-1]
            ahead = int((wide.idxmin(axis=1) == first).sum())
            texts.append(
                f"By {by}{with_}, {first} has the best mean of the average ranks and {last} the worst; "
                f"{first} has the best average rank on {ahead} of {number_of(len(wide), 'measure')}."
            )
        sentences += texts
        if len(orders) == 2:
            sentences += _against_the_paper(orders, analysis.of(DefinitionKeys).paper_order)
    return sentences


def _against_the_paper(orders: dict[str, list[str]], paper: tuple[str, ...]) -> list[str]:
    """Return by which definitions the first and the last score are the paper's."""
    if len(paper) < 2:
        return []
    as_printed = [by for by, found in orders.items() if (found[0], found[-1]) == (paper[0], paper[-1])]
    head = f"The paper ranks {paper[0]} first and {paper[-1]} last"
    if len(as_printed) == 2:
        return [f"{head}; this study does so with both definitions."]
    if not as_printed:
        return [f"{head}; this study does so with neither definition."]
    (other,) = set(orders) - set(as_printed)
    return [f"{head}; this study does so by {as_printed[0]}, but not by {other}."]
