"""Which score is best, each with its best ensemble?"""

from __future__ import annotations

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.method_groups import singles_of_family
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.sentences.wording import number_of
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.questions.ensembles.score_costs import score_cost_sentences, score_cost_tables
from mlsieve.registry import register


def section(study: SectionTables) -> Section:
    """The cost of the rankings, and the first of them where a test is not significant."""
    return Section(findings=plain_findings(score_cost_sentences(study)), tables=score_cost_tables(study))


@register.question(
    "score", version=3, order=5, title="Which score is best?", short="Best score", section=section
)
def score(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's and Nemenyi's tests of the scores, each with its chosen ensemble and size.

    The extended group adds every method without an ensemble. In one's own study, the main methods have them,
    but for baselines and a rival that the question ``relief`` compares with the scores.
    """
    answer = Answer()
    elsewhere = {analysis.rival} if "relief" in analysis.questions else set()
    main = [label for label in singles_of_family(table, analysis, "paper") if label not in elsewhere]
    for family in analysis.families:
        scores = choices.labels_of_scores(family)
        labels = [*scores, *main]
        if len(labels) < 2:
            count = number_of(len(scores), "score")
            answer.notes.append(f"{wording.group_has(family, analysis)} {count}; a comparison needs two.")
            continue
        methods = [*scores, *singles_of_family(table, analysis, family)] if family == "extended" else labels
        part = compare(
            choices.comparisons({"scores": methods}), table, analysis, question="score", family=family
        )
        answer.extend(part)
        answer.findings += wording.friedman_findings(part, family, "methods", analysis)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    return answer
