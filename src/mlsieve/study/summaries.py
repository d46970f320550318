"""Which summaries a study has, and which tables its questions have them read."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from mlsieve.registry import lookup
from mlsieve.study.content import Content
from mlsieve.study.paths import Paths
from mlsieve.study.steps import STEPS

if TYPE_CHECKING:
    from mlsieve.published.papers import Paper

# By name of a table: the summary that makes it, and its file.
_TABLES = {name: (step, file) for step in STEPS.values() for name, file in step.tables.items()}


class Summaries:
    """The steps that put the files of a study's jobs together."""

    def __init__(self, content: Content, paths: Paths) -> None:
        self._content, self._paths = content, paths

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """Names of the study's summaries, each after those that it waits for."""
        wanted = {"acquire", "collect", "compare", "sections", "figures", "report"}
        wanted |= {_TABLES[name][0].name for step in wanted for name in self._asked(step)}
        if self._content.seeds > 1:
            wanted.add("stability")
        if self._content.worked_data is not None:
            wanted.add("worked")
        if self._content.chains:
            wanted.add("chain_tables")
        if self.papers:
            wanted.add("published")
        if self.has_own_paper:
            wanted.add("describe")
        return tuple(name for name in STEPS if name in wanted)

    def outputs(self, step: str) -> list[str]:
        """Return the paths of a summary's tables; none in a study without it."""
        return [self._paths.table(file) for file in STEPS[step].tables.values() if step in self.steps]

    def tables(self, step: str) -> dict[str, str]:
        """Return the tables that the study's questions have a summary read, by the option of its command."""
        return {name: self._paths.table(_TABLES[name][1]) for name in self._asked(step)}

    def _asked(self, step: str) -> list[str]:
        """Return the names of these tables, in the order of the steps that make them."""
        facts = [lookup("question", name).facts for name in self._content.questions]
        asked = {name for fact in facts for name in fact.tables.get(step, ())}
        return [name for name in _TABLES if name in asked]

    @cached_property
    def papers(self) -> list[Paper]:
        """The papers of which the study has something to compare."""
        from mlsieve.published.setting import papers_beside

        return papers_beside(self._content)

    @property
    def has_own_paper(self) -> bool:
        """Whether the study is that of a paper, which describes its datasets."""
        return any(paper.study == self._content.name for paper in self.papers)

    @property
    def worked_failed(self) -> bool:
        """Whether the last try to make the worked example left no table, or an older one."""
        table, log = self._paths.table("worked.csv"), self._paths.log("worked")
        if not os.path.isfile(log):
            return False
        return not os.path.isfile(table) or os.stat(table).st_mtime < os.stat(log).st_mtime
