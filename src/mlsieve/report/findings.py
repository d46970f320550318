"""What a study found: sections of its questions, and the tables of its tests and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlsieve.questions.costs import ranking_costs, sizes_of
from mlsieve.questions.findings import Finding
from mlsieve.questions.labels import Labels, labels_of
from mlsieve.questions.wording import number
from mlsieve.report import tables
from mlsieve.report.tables import Column, Table, plain_table
from mlsieve.tables import BY_FAMILY, EFFECT_SIZE

SHORT_TITLES = {
    "saturation": "Saturation",
    "relevance": "Relevance",
    "ensemble": "Best ensemble",
    "relief": "Against Relief",
    "score": "Best score",
    "definition": "CLUS's definitions",
    "comparison": "Comparison",
    "selection": "Best selector",
    "many-labels": "Many labels",
    "conclusion": "What it depends on",
    "candidates": "Features a node tries",
    "efficiency": "Efficiency",
    "similarity": "Similarity",
    "score-order": "Order of scores",
    "convergence": "Convergence",
    "undefined": "Undefined measures",
    "column-order": "Order of columns",
}


TESTS_TEXT = (
    "Wins, ties and losses count datasets, of which related ones are no independent trials. The column 'kind "
    "of p' says where a p-value comes from: docs/statistics.md explains every test."
)


def glance_table(
    tests: pd.DataFrame, used: pd.DataFrame, timings: list[dict[str, str]], significance: float = 0.05
) -> Table | None:
    """Return a row for each ranking of the paper family: better than the control, and at what cost?

    How many measures are better or worse is given with each dataset by itself, and with each family of
    related datasets counted once where some are related.
    """
    every = tests[
        (tests["question"] == "relevance") & (tests["family"] == "paper") & (tests["test"] == "wilcoxon")
    ]
    some = every[every["variant"] == "all"]
    if not len(some):
        return None
    once = every[every["variant"] == BY_FAMILY]
    sizes = sizes_of(used)
    costs = ranking_costs(timings, sizes)
    rows = []
    for methods, group in some.groupby("methods", sort=False):
        label, control = str(methods).split(";")
        better, worse = _better_and_worse(group)
        of_families = _verdicts_once(once[once["methods"] == methods], significance)
        counts = " / ".join(str(int(group[name].sum())) for name in ("wins", "ties", "losses"))
        rows.append(
            (
                label,
                sizes.get(label, ""),
                control,
                better,
                worse,
                len(group) - better - worse,
                *([of_families] if len(once) else []),
                counts,
                number(costs[label].seconds) if label in costs else "",
            )
        )
    columns = [Column("ranking"), Column("trees", True), Column("control"), Column("measures better", True)]
    columns += [Column("worse", True), Column("not significant", True)]
    columns += [Column("better / worse, each family once", True)] if len(once) else []
    columns += [Column("win / tie / loss", True), Column("CPU seconds a data set", True)]
    return plain_table(columns, rows)


def _better_and_worse(tests: pd.DataFrame) -> tuple[int, int]:
    """Return in how many Wilcoxon tests the first method is significantly better, and worse."""
    rejected = tests["rejected"].astype(str).str.lower() == "true"
    # By the sums of ranks, which the test is about: few large wins outweigh many small losses.
    better = int((rejected & (tests["rank_sum_better"] > tests["rank_sum_worse"])).sum())
    return better, int((rejected & (tests["rank_sum_better"] < tests["rank_sum_worse"])).sum())


def _verdicts_once(tests: pd.DataFrame, significance: float) -> str:
    """Return the same of tests that count families once, or that they cannot be significant."""
    if len(tests) and "p_least" in tests and (tests["p_least"] > significance).all():
        return f"out of reach (p at least {number(float(tests['p_least'].min()))})"
    return " / ".join(map(str, _better_and_worse(tests)))


def sentences_of(findings: Sequence[Finding], group: str) -> list[str]:
    """Return the findings about a group of methods as sentences, and then the remarks that several share."""
    own = [finding for finding in findings if finding.group == group]
    often = Counter(finding.remark for finding in own)
    shared = [remark for remark, count in often.items() if remark and count > 2]
    return [finding.text if finding.remark in shared else finding.sentence for finding in own] + shared


def _placed(question: str, figures: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Sort a question's figures: those of all methods go behind a fold, the small ones stand before the wide.

    Returns
    -------
    dict
        figures, extended_figures : list of figures; a question without others shows those of all methods.
    """
    own = sorted(
        (figure for figure in figures if figure["question"] == question), key=lambda figure: figure["wide"]
    )
    folded = [figure for figure in own if "extended" in figure["name"].split("_")]
    shown = [figure for figure in own if figure not in folded]
    return {
        "figures": shown or folded,
        "extended_figures": folded if shown else [],
    }


def _by_unit(question: str, ranks: pd.DataFrame, labels: Labels) -> list[tuple[str, pd.DataFrame]]:
    """Return average ranks with what their sizes are: trees do not stand beside shares of the examples."""
    trees = labels.of_trees(ranks["comparison"])
    if question != "saturation" or trees.all() or not trees.any():
        return [("", ranks)]
    return [(" of numbers of trees", ranks[trees]), (" of percentages of the examples", ranks[~trees])]


def question_section(
    item: Mapping[str, Any],
    tests: pd.DataFrame,
    ranks: pd.DataFrame,
    figures: list[dict[str, Any]],
    titles: Mapping[str, str],
    labels: Labels,
) -> dict[str, Any]:
    """Return what the page shows of one question: findings, figures, average ranks and tests.

    Parameters
    ----------
    item : mapping
        Of findings.json.
    tests, ranks : DataFrame
        tests.csv and average_ranks.csv.
    figures : list of dict
        As `mlsieve.report.files.read_figures` returns them.
    titles : mapping of str to str
        What the families of methods are called within a sentence.
    labels : Labels
        Of the study's rankings.
    """
    question = item["question"]
    findings = [Finding(**finding) for finding in item["findings"]]
    parts = []
    for family in dict.fromkeys([*ranks["family"], *tests["family"]]):
        title = titles.get(str(family), str(family))
        some = ranks[
            (ranks["question"] == question) & (ranks["family"] == family) & (ranks["variant"] == "all")
        ]
        if len(some):
            text = (
                f"1 is best; what is best as printed, at {tables.RANK_DIGITS} decimals, is bold, which is no "
                "test. The critical distance is given where Friedman's test is significant; it is not "
                "corrected for the number of measures."
            )
            for kind, these in _by_unit(question, some, labels):
                table = tables.rank_table(these)
                parts.append({"title": f"Average ranks{kind}, {title}", "text": text, "table": table})
        some = tests[(tests["question"] == question) & (tests["family"] == family)]
        n_tests = int((some["test"] != EFFECT_SIZE).sum()) if len(some) else 0
        text = ""
        if question == "saturation" and n_tests < len(some):
            # All pairs of eight sizes would make the page many times as long.
            some = some[some["test"] != EFFECT_SIZE]
            text = "The effect sizes of pairs where Friedman's test is not significant are in tests.csv. "
        elif n_tests < len(some):
            text = "Rows of effect sizes, of pairs where Friedman's test is not significant, are no tests. "
        if len(some):
            count = f"{n_tests} test{'s' * (n_tests != 1)}"
            text += TESTS_TEXT
            table = tables.test_table(some)
            parts.append({"title": f"Tests, {title} ({count})", "text": text, "table": table})
    return {
        "id": f"question-{question}",
        "short": SHORT_TITLES.get(question, question.capitalize()),
        "title": item["title"],
        "main": sentences_of(findings, "paper"),
        "extended": sentences_of(findings, "extended"),
        "notes": item["notes"],
        **_placed(question, figures),
        "tables": parts,
    }


def value_tables(performance: pd.DataFrame, used: pd.DataFrame) -> tuple[list[dict[str, Any]], str]:
    """Return one table a measure: data sets by methods, each at the size that the study uses for it."""
    from mlsieve.registry import entries

    known = entries("measure")
    frame = performance.assign(label=labels_of(performance))
    sizes = {row["item"]: int(row["value"]) for row in used.to_dict("records") if row["kind"] == "size"}
    largest = frame.groupby("label")["size"].max().to_dict()
    wanted = frame["label"].map(lambda label: sizes.get(label, largest[label]))
    frame = frame[frame["size"] == wanted]
    order = list(dict.fromkeys(frame["label"]))
    made = []
    for (evaluator, measure), group in frame.groupby(["evaluator", "measure"], sort=False):
        wide = (
            group.groupby(["dataset", "label"], sort=False)["value"]
            .mean()
            .unstack("label")[[label for label in order if label in set(group["label"])]]
        )
        direction = str(known[measure].facts.direction) if measure in known else "higher"
        made.append(
            {
                "title": f"{measure} by {evaluator} ({direction} is better)",
                "table": tables.value_table(wide, direction),
            }
        )
    text = (
        "Each measure's values by data set and method, every ensemble at the size that later questions use. "
        f"The values of a row that are best at {tables.VALUE_DIGITS} decimals are bold, which is no test. "
        "All sizes are in performance.csv."
    )
    return made, text
