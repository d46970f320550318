"""Questions that a study asks and cannot answer, found before its first job."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.wording import listed
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import PERFORMANCE
from mlsieve.measures import choose
from mlsieve.registry import entries, lookup
from mlsieve.stats._lazy import pd
from mlsieve.study import Content
from mlsieve.workflow.step_settings import analysis_settings


def print_unanswered(content: Content) -> None:
    """Write on the standard error which questions of a study cannot be answered, a line for each reason."""
    found = unanswered(content)
    for why in dict.fromkeys(found.values()):
        ids = [f"'{id}'" for id, reason in found.items() if reason == why]
        what, them, they = ("questions", "them", "they lack") if ids[1:] else ("question", "it", "it lacks")
        hint = f"leave {them} out of analysis.questions, or add what {they}"
        print(f"mlsieve: note: no answer to the {what} {listed(ids)}: {why} ({hint})", file=sys.stderr)


def unanswered(content: Content) -> dict[str, str]:
    """Return why a study cannot answer a question that it asks, by the question's id.

    The questions are asked of a table without values of the methods and datasets that the study will have, so
    that each says itself what it lacks, that of a plugin, too. One that fails without values is passed over.

    Parameters
    ----------
    content : Content
    """
    settings = analysis_settings(content) | {"domains": {}, "differing": []}
    wanted = settings.get("measures")
    frame = pd.DataFrame(_rows(content), columns=list(PERFORMANCE))
    present = [name for name in frame["measure"].unique() if not isinstance(wanted, list) or name in wanted]
    if not present:
        return {}
    settings["measures"] = present[:1]  # no question needs more, but for the counts that accompany a measure
    counts = {name for name, entry in entries("measure").items() if entry.facts.accompanies}
    analysis = Analysis.from_mapping(settings)
    table = PerformanceTable(frame[frame["measure"].isin({present[0], *counts})], analysis)
    choices = Choices(table, analysis)
    datasets = frame["dataset"].unique()
    least = 2 * 0.5 ** len(datasets)  # p-value of Wilcoxon's test
    found = {}
    for id in analysis.questions:
        try:
            answer = lookup("question", id).target(table, analysis, choices)
        except Exception:
            continue
        if answer.notes and not (answer.tests or answer.findings):
            found[id] = answer.notes[0].rstrip(".")
        elif answer.tests and len(datasets) == 1:
            found[id] = f"the study has one dataset, '{datasets[0]}', and tests compare methods over several"
        elif (
            answer.tests
            and least > analysis.significance
            and {row["test"] for row in answer.tests} == {"wilcoxon"}
        ):
            found[id] = f"with {len(datasets)} datasets no result of Wilcoxon's test can be significant"
    return found


def _rows(content: Content) -> Iterator[tuple[object, ...]]:
    """Yield the rows that performance.csv will have by the configuration; no value is known."""
    evaluators = [evaluator.id for evaluator in content.evaluators.values()]
    for data in content.datasets.values():
        hierarchical = content.task_of(data) == "hmlc"
        chosen = choose(content.measures_of(data), content.keys.definition, hierarchical=hierarchical)
        methods = [
            (ranker.label, ranker.ensemble, ranker.score, size, evaluator)
            for ranker in content.rankers.values()
            if content.unsuited(data, ranker) is None
            for size, evaluator in itertools.product(ranker.sizes or (0,), evaluators)
        ]
        methods += [
            (variant.name, "", "", 0, "")
            for method in content.chains.values()
            if content.unsuited_chain(data, method) is None
            for variant in method.variants
        ]
        for (method, ensemble, score, size, evaluator), measure in itertools.product(methods, chosen):
            facts = (data.id, "", method, ensemble, score, size, 0, evaluator)
            yield (*facts, measure.id, measure.definition, math.nan, 0)
