"""published.csv in the workflow: for studies that have a paper, and from their own tables alone."""

from __future__ import annotations

import functools
from collections import Counter

from workflow_project import TINY, make_project, with_value

PAPERS = TINY | {"study": "mlc_ranking", "analysis": {"questions": ["saturation", "relevance"]}}
edited = functools.partial(with_value, PAPERS)


def test_only_a_study_of_a_paper_is_compared_with_one(tmp_path) -> None:
    project = make_project(tmp_path)
    project.configure(TINY)
    planned = project.planned()
    assert planned["published"] == planned["describe"] == 0 and planned["report"] == 1
    project.configure(PAPERS)
    planned = project.planned()
    assert planned["published"] == planned["describe"] == 1 and planned["worked"] == 0


def test_what_reruns_the_comparison_with_the_paper(tmp_path) -> None:
    project = make_project(tmp_path)
    project.configure(PAPERS)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.folder / "results/mlc_ranking/published_columns.csv").is_file()
    assert project.planned() == Counter()
    project.configure(edited("analysis", "significance", value=0.01))
    assert project.planned() == Counter(
        {"compare": 1, "published": 1, "sections": 1, "figures": 1, "report": 1}
    )
    project.configure(edited("title", value="Another title"))
    assert project.planned() == Counter({"report": 1})
    project.configure(edited("figures", "formats", value=["svg", "pdf"]))
    assert project.planned() == Counter({"figures": 1, "report": 1})
