"""The files of a comparison: tables, diagrams, the page, and the texts for a paper."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mlsieve.comparison.page import Diagram, build_page
from mlsieve.comparison.paper_files import texts_of
from mlsieve.errors import UserError
from mlsieve.files.csv_tables import BY_DOMAIN, frame_as_csv
from mlsieve.paper.files import NAMES, write_paper
from mlsieve.paper.verdicts import decision_of

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.comparison.result import MethodComparison

FORMATS = ("svg", "pdf")
PAGE = "report.html"


def tables_to_save(comparison: MethodComparison) -> dict[str, pd.DataFrame]:
    """Return the tables of a comparison by the names of their files."""
    boards = [comparison.leaderboard(measure).assign(measure=measure) for measure in comparison.measures]
    import pandas as pd

    board = pd.concat(boards, ignore_index=True)
    board.insert(0, "measure", board.pop("measure"))
    found = {
        "tests.csv": comparison.tests,
        "average_ranks.csv": comparison.average_ranks,
        "effects.csv": comparison.effects,
        "leaderboard.csv": board,
    }
    if len(comparison.bayes):
        found["bayes.csv"] = comparison.bayes
    return found


def diagrams(comparison: MethodComparison) -> dict[str, tuple[str, str]]:
    """Return the measure and the variant of each diagram, by its name.

    There is none where Friedman's test is not significant, or no pair after it: the diagram would join all
    methods.
    """
    ranks = comparison.average_ranks
    known = ranks[ranks["critical_distance"].notna()]
    found: dict[str, tuple[str, str]] = {}
    for variant, of in (("all", ""), (BY_DOMAIN, "-families")):
        for measure in comparison.measures:
            drawn = ((known["measure"] == measure) & (known["variant"] == variant)).any()
            if drawn and decision_of(comparison.tests, ranks, measure, variant).differing:
                name = f"critical-difference{of}-{_plain(measure)}"
                # Some file systems take names that differ in their capitals only for one.
                while name.casefold() in map(str.casefold, found):
                    name += "-2"
                found[name] = (measure, variant)
    return found


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name).strip("-")[:60] or "measure"


def file_names(comparison: MethodComparison) -> list[str]:
    """Return the names of all files, relative to the folder."""
    figures = [f"figures/{name}.{kind}" for name in diagrams(comparison) for kind in FORMATS]
    return [*tables_to_save(comparison), *figures, *(f"paper/{name}" for name in NAMES), PAGE]


def require_free(
    comparison: MethodComparison,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    check: Callable[..., None] | None = None,
) -> None:
    """Refuse a folder in which a file would be lost; see `save` for the parameters.

    Raises
    ------
    UserError
        If the folder is a file, or one of the files is there that mlsieve is not known to have written, or is
        the table that was read.
    """
    from mlsieve.files.ownership import require_own

    place = Path(folder)
    if place.is_file():
        raise UserError("is a file", file=place, hint="give a folder")
    source = comparison.results.path
    headers = {name: ",".join(table.columns) + "\n" for name, table in tables_to_save(comparison).items()}
    for name in file_names(comparison):
        path = place / name
        if source and path.exists() and os.path.samefile(path, source):
            raise UserError(
                "is the table that is read, and would be overwritten", file=path, hint="choose another folder"
            )
        first = [headers[name]] if name in headers else []
        if check is not None:
            check(os.fspath(path), *first)
        elif not overwrite:
            require_own(path, *first)


def save(
    comparison: MethodComparison,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    check: Callable[..., None] | None = None,
) -> list[str]:
    """Write all files of a comparison into a folder, which is made.

    Parameters
    ----------
    comparison : MethodComparison
    folder : path-like
    overwrite : bool
        Whether to write over files that mlsieve is not known to have written.
    check : callable, optional
        Called with the path of each file, and the first line of a table, before any is written, in place of
        the check of `overwrite`.

    Returns
    -------
    list of str
        The files, relative to the folder.

    Raises
    ------
    UserError
        If a file is there that mlsieve is not known to have written, or is the table that was read. Nothing
        is written then.
    """
    from mlsieve.files.writing import write_text
    from mlsieve.plots.drawing.critical_difference import critical_difference_panels
    from mlsieve.plots.drawing.style import save_figure

    place = Path(folder)
    require_free(comparison, place, overwrite=overwrite, check=check)
    names = file_names(comparison)
    for name, table in tables_to_save(comparison).items():
        write_text(place / name, frame_as_csv(table))
    texts = texts_of(comparison, diagrams(comparison))
    write_paper(texts, place / "paper")
    pictures = {}
    for name, (measure, variant) in diagrams(comparison).items():
        panel = comparison.panel(measure, variant)
        for kind in FORMATS:
            save_figure(critical_difference_panels([panel], columns=1), place / f"figures/{name}.{kind}")
        files = [f"figures/{name}.{kind}" for kind in FORMATS]
        pictures[measure, variant] = Diagram(name, (place / f"figures/{name}.svg").read_bytes(), files)
    tables = list(tables_to_save(comparison))
    write_text(place / PAGE, build_page(comparison, pictures, texts, tables))
    return names
