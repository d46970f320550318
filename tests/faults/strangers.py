"""Contents that change behind a study's back, caches that others use, and links that others have put."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.faults.trials import PROJECTS, Finished, Trial, study_of, trial
from tests.workflow_project import Project

REPLACED, SHARED, LINKED = (
    "file of the user replaced, with its time set back",
    "two projects with one cache",
    "link out of the project",
)
_ROWS = [f"{i % 7},{i % 5},{i * i % 11},{i % 2},{i % 3 % 2}\n" for i in range(60)]
_STUDY = {
    **PROJECTS["trees"],
    "study": "own",
    "datasets": [{"id": "mine", "all": "mine.csv", "label_count": -2}],
    "split": {"kind": "holdout"},
}
# Where a link lies, and whether it leads to a file.
LINKS = (
    ("results/{study}/logs/compare.log", True),
    ("results/{study}/configuration/study.json", True),
    ("results/{study}/paper", False),
)


def own_studies(folder: Path) -> tuple[Finished, Finished]:
    """Return two finished studies of the same name and settings whose files have other contents."""

    def arranged(rows: list[str]) -> Callable[[Project], None]:
        def arrange(project: Project) -> None:
            path = project.folder / "mine.csv"
            path.write_text("x,y,z,a,b\n" + "".join(rows))
            os.utime(path, (1e9, 1e9))

        return arrange

    return (
        Finished.make("old", folder, _STUDY, arranged(_ROWS)),
        Finished.make("new", folder, _STUDY, arranged([row.replace(",1\n", ",0\n") for row in _ROWS])),
    )


def replaced_trial(old: Finished, new: Finished, seed: int) -> Trial:
    """Give a finished study another file of the same size and time; its results are to be the other's."""

    def replace(project: Project) -> tuple[str, str]:
        path = project.folder / "mine.csv"
        before = path.stat()
        path.write_bytes((new.original.folder / "mine.csv").read_bytes())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = path.stat()
        assert (before.st_size, before.st_mtime_ns, before.st_ino) == (
            after.st_size,
            after.st_mtime_ns,
            after.st_ino,
        )
        return "prepare", "of the same size and inode"

    return trial(new, old.copy(), seed, REPLACED, replace)


def shared_trial(old: Finished, new: Finished, seed: int) -> Trial:
    """Run a study with the cache of another project, which has a dataset of the same id."""
    project = new.copy()
    shutil.rmtree(project.folder / "results")
    shutil.rmtree(project.folder / ".snakemake")
    cache = old.original.folder / "results" / "cache"
    shutil.copytree(cache, project.folder / "results" / "cache")
    return trial(new, project, seed, SHARED, lambda copy: ("prepare", "the other's cache was there"))


def linked_trial(finished: Finished, place: str, to_file: bool, seed: int) -> Trial:
    """Put a link out of the project where a run writes; nothing may be written through it."""
    project = finished.copy(until="compare")
    place = place.format(study=study_of(project))
    link, target = project.folder / place, project.folder.parent / f"{project.folder.name}-elsewhere"
    for path in (link, *link.parent.glob(f".{link.name}.*")):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    target.write_text("precious") if to_file else target.mkdir()
    link.symlink_to(target)

    def refuse(copy: Project) -> tuple[str, str]:
        done = copy.snakemake()
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("mlsieve: ")]
        assert done.returncode != 0 and len(said) == 1 and "; remove the link" in said[0], said
        assert target.read_text() == "precious" if to_file else not any(target.iterdir())
        link.unlink()
        return "compare", said[0].partition(": a link")[0].removeprefix("mlsieve: ")

    return trial(finished, project, seed, LINKED, refuse)
