"""What the columns and rows of a table of results are, by their names and by what they hold."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from mlsieve.comparison.directions import is_measure
from mlsieve.comparison.table.names import is_no_result, is_summary, is_time, kind_of, normal
from mlsieve.comparison.table.reading import ROW_NAME, Sheet
from mlsieve.errors import UserError, number_of

_NUMBERED = re.compile(
    r"(cv|fold|split|seed|run|rep|repeat|repetition|trial|iter|iteration|resample)? ?(\d+)"
)


def are_numbered(names: Sequence[str], *, word: bool = False) -> bool:
    """Return whether columns are called fold1, fold2, ... or, without `word`, just 0, 1, ..."""
    found = [_NUMBERED.fullmatch(normal(name)) for name in names]
    if len(names) < 2 or not all(found):
        return False
    numbers = [int(each[2]) for each in found if each]
    words = {each[1] for each in found if each}
    if len(words) != 1 or numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] > 1:
        return False
    return None not in words or (not word and len(names) > 2)


def count_repeats(values: Sequence[str], notes: list[str]) -> bool:
    """Return whether the columns of values are the repeats of one measure."""
    if not are_numbered(values):
        return False
    notes.append(f"the columns {values[0]} to {values[-1]} are taken for repeats")
    return True


def rows_are_methods(sheet: Sheet, names: str, notes: list[str]) -> bool:
    """Return whether the rows of a table whose corner does not say so are methods, by their names.

    Raises
    ------
    UserError
        If no name says so; the rows of a data frame with an unnamed index are datasets.
    """
    rows = [kind_of(label) for label in sheet.text(names) if not is_summary(label)]
    columns = [kind_of(name) for name in sheet.names if name != names]
    datasets = rows.count("dataset") + columns.count("method")
    methods = rows.count("method") + columns.count("dataset")
    if methods > datasets:
        notes.append("the rows are taken for methods, because of their names (else --no-transposed)")
        return True
    if methods < datasets or (sheet.row_names and not sheet.path):
        return False
    corner = "has no name" if names == ROW_NAME else f"is called '{names}'"
    raise UserError(
        f"the first column {corner}: are the rows datasets or methods?",
        file=sheet.path or None,
        line=1 if sheet.path else None,
        hint="give --no-transposed if they are datasets, --transposed if they are methods",
    )


def _parts(name: str) -> list[tuple[str, str]]:
    """Return the two parts of a name at each place where it can be cut."""
    cuts = re.finditer(r"[\s_|/:.]+|(?<=\w)-(?=\w)", name)
    parts = [(name[: cut.start()], name[cut.end() :]) for cut in cuts]
    return [part for part in parts if all(part)]


def measures_in_names(names: Sequence[str], notes: list[str]) -> dict[str, tuple[str, str]]:
    """Return measure and method of columns such as ``F1_BR`` or ``BR F1``; empty if not all have them."""
    for of_measure in (0, 1):
        found = {}
        for name in names:
            parts = [part for part in _parts(name) if is_measure(part[of_measure])]
            if not parts:
                break
            longest = max(parts, key=lambda part: len(part[of_measure]))
            found[name] = (longest[of_measure], longest[1 - of_measure])
        measures = list(dict.fromkeys(measure for measure, _ in found.values()))
        methods = {method for _, method in found.values()}
        generic = len(measures) == 1 and normal(measures[0]) in ("loss", "error", "cost", "risk")
        if len(found) == len(names) > 1 and len(methods) > 1 and not generic:
            notes.append(f"the names of the columns begin or end with measures: {', '.join(measures[:6])}")
            return found
    return {}


def refuse_measures(names: Sequence[str], sheet: Sheet, *, transposed: bool) -> None:
    """Refuse columns that are measures or numbered repeats, where methods or datasets should be."""
    if not transposed and are_numbered(names):
        raise UserError(
            f"the columns {names[0]} to {names[-1]} seem to number repeats, and no column names the methods",
            file=sheet.path or None,
            line=1 if sheet.path else None,
            hint="give --method-column, or --methods with their names if they are methods",
        )
    wrong = next((name for name in names if is_measure(name)), None)
    if wrong is None:
        return
    what = "datasets" if transposed else "methods"
    hint = "give a table with columns dataset, method and one for each measure"
    raise UserError(
        f"the column '{wrong}' is called like a measure, and the columns should be {what}",
        file=sheet.path or None,
        line=1 if sheet.path else None,
        hint=hint if transposed else f"{hint}, or name those that are methods (--methods)",
    )


def refuse_keys(names: Sequence[str], numbers: Sequence[Sequence[float]], sheet: Sheet) -> None:
    """Refuse a column that says which rows belong together, or holds numbers of another kind than the others.

    Such are a parameter of an experiment, each of whose values stands in several rows below each other, and
    numbers above 1 beside columns of shares.
    """
    for name, column in zip(names, numbers, strict=True):
        starts = [place for place, value in enumerate(column) if not place or value != column[place - 1]]
        lengths = [after - before for before, after in itertools.pairwise([*starts, len(column)])]
        in_blocks = len(lengths) > 2 and min(lengths) > 1
        others = [other for other in numbers if other is not column]
        shares = [other for other in others if all(0 <= value <= 1 for value in other if value == value)]
        beyond = sum(value > 1 for value in column)
        unlike = len(shares) > 1 and 2 * len(shares) > len(numbers) and 2 * beyond > len(column)
        if len(names) > 2 and (in_blocks or unlike):
            raise UserError(
                f"the column '{name}' does not seem to hold the results of a method",
                file=sheet.path or None,
                line=1 if sheet.path else None,
                hint="name the columns that do (--methods), or remove it",
            )


def results_among(
    names: list[str], sheet: Sheet, wanted: Sequence[str] | None, what: str, notes: list[str]
) -> list[str]:
    """Return the columns of results: not those that describe the data, or never change in a long table."""
    if wanted is not None or len(names) < 2:
        return names
    counts = [name for name in names if _counts_rows(sheet.text(name))]
    found = [name for name in names if not _is_left(name, sheet, what) and counts != [name]]
    if not found or len(found) == len(names):
        return names
    left = [name for name in names if name not in found]
    option = "" if what == "datasets" else f" (--{what} names those that are)"
    notes.append(f"{number_of(len(left), 'column')} not taken for {what}: {', '.join(left[:8])}{option}")
    return found


def _is_left(name: str, sheet: Sheet, what: str) -> bool:
    """Return whether a column holds no results, by its name or because its cells are all the same."""
    if what == "measures" and is_measure(name):
        return len(set(sheet.text(name))) == 1
    by_name = is_no_result(name) or (what == "methods" and (is_summary(name) or is_time(name)))
    if what == "methods" and kind_of(name) == "method":
        return False
    if what == "methods":  # such as time_BR beside BR
        by_name = by_name or any(
            part[way] in sheet.names and is_measure(part[1 - way]) for part in _parts(name) for way in (0, 1)
        )
    return by_name or (what == "measures" and len(set(sheet.text(name))) == 1)


def _counts_rows(cells: Sequence[str]) -> bool:
    """Return whether cells number the rows, from 0 or 1 on and in any order."""
    numbers = {int(cell) for cell in cells if cell.isdecimal()}
    return (
        len(cells) > 4 and len(numbers) == len(cells) == max(numbers) - min(numbers) + 1 and min(numbers) < 2
    )
