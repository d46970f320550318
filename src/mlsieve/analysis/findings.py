"""The findings of a question as records, which findings.json contains and the report arranges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mlsieve.stats._lazy import pd


@dataclass(frozen=True)
class Finding:
    """One sentence about a study's results, and its subject.

    Attributes
    ----------
    text : str
    group : {"paper", "extended"}
        The method group; "paper" for findings about no group.
    remark : str
        A caveat that follows the text. The report shows a remark of several findings only once.
    measure : str
        Empty where the finding is about several measures, or none.
    methods : tuple of str
        Labels of the methods that are compared; empty where the finding is about no comparison.
    question : str
        Id of the question, which `mlsieve.analysis.run_questions` fills in.
    """

    text: str
    group: str = "paper"
    remark: str = ""
    measure: str = ""
    methods: tuple[str, ...] = ()
    question: str = ""

    @property
    def sentence(self) -> str:
        """The text with its remark."""
        return f"{self.text} {self.remark}" if self.remark else self.text


def plain_findings(texts: Iterable[str]) -> list[Finding]:
    """Return findings that are about no comparison of methods."""
    return [Finding(text) for text in texts]


def only(values: pd.Series) -> str:
    """Return the only value of a column; empty if it has several."""
    different = values.unique()
    return str(different[0]) if len(different) == 1 else ""


def first_of(sentences: Sequence[str], most_words: int = 60) -> list[str]:
    """Return as many of the first sentences as have room, at least one of them if there are any."""
    kept = list(sentences[:1])
    for text in sentences[1:]:
        if len(" ".join([*kept, text]).split()) > most_words:
            break
        kept.append(text)
    return kept
