"""What the columns and rows of a table of results are, by their names and by what they hold."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence

from mlsieve.comparison.directions import is_measure, says_how_measured
from mlsieve.comparison.table.names import (
    accompanies,
    is_no_result,
    is_setting,
    is_summary,
    is_time,
    kind_of,
    normal,
    repeat_in,
    settings_among,
)
from mlsieve.comparison.table.reading import ROW_NAME, Sheet
from mlsieve.errors import UserError, number_of


def numbered(names: Sequence[str]) -> tuple[list[str], bool]:
    """Return the names that differ in one number only, and whether a word says that it counts repeats.

    Examples
    --------
    >>> numbered(["fold_1", "fold_2", "mean"]), numbered(["S1", "S2", "S3"]), numbered(["A", "B"])
    ((['fold_1', 'fold_2'], True), (['S1', 'S2', 'S3'], False), ([], False))
    """
    by_stem: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        parts = re.fullmatch(r"(\D*?) ?(\d+) ?(\D*)", normal(name))
        if parts is not None:
            by_stem.setdefault((parts[1], parts[3]), {})[int(parts[2])] = name
    for (before, after), found in by_stem.items():
        if len(found) > 1 and repeat_in(next(iter(found.values())))[1]:
            return list(found.values()), True
        in_order = list(found) == list(range(min(found), min(found) + len(found))) and min(found) < 2
        if len(found) == len(names) > (1 if before or after else 2) and in_order:
            return list(found.values()), False
    return [], False


def repeats_among(values: Sequence[str], notes: list[str]) -> list[str]:
    """Return the columns of values that are the repeats of one measure; empty if none are."""
    repeats, by_word = numbered(values)
    if not repeats or not (by_word or all(name.isdecimal() for name in repeats)):
        return []
    notes.append(f"the columns {repeats[0]} to {repeats[-1]} are taken for repeats")
    return repeats


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
    cuts = re.finditer(
        r"[\s_|/:.]*[(\[](?![^()\[\]]*[)\]])|[\s_|/:.]+|(?<=\w)-(?=\w)|(?<=[a-z])(?=[A-Z])", name.rstrip(")]")
    )
    parts = [(name[: cut.start()], name.rstrip(")]")[cut.end() :]) for cut in cuts]
    return [part for part in parts if all(map(normal, part)) and part[1][0] not in "(["]


def measures_in_names(names: Sequence[str], notes: list[str]) -> dict[str, tuple[str, str]]:
    """Return measure and method of columns such as ``F1_BR`` or ``BR (F1)``; empty if few have them."""
    for of_measure in (0, 1):
        found = {}
        for name in names:
            parts = [part for part in _parts(name) if is_measure(part[of_measure])]
            # Of coverage_rate_BR, whose measure is not known, coverage is no measure.
            parts = [
                part
                for part in parts
                if not says_how_measured(normal(part[1 - of_measure]).split()[-of_measure])
            ]
            if parts:
                longest = max(parts, key=lambda part: len(part[of_measure]))
                found[name] = (longest[of_measure], longest[1 - of_measure])
        measures = list(dict.fromkeys(measure for measure, _ in found.values()))
        methods = {method for _, method in found.values()}
        generic = len(measures) == 1 and normal(measures[0]) in ("loss", "error", "cost", "risk")
        whole = len(found) == len(names) or (len(measures) > 1 and 2 * len(found) > len(names))
        if not whole or len(methods) < 2 or generic or any(map(says_how_measured, methods)):
            continue
        notes.append(f"the names of the columns begin or end with measures: {', '.join(measures[:6])}")
        return found
    return {}


def refuse_numbered(names: Sequence[str], sheet: Sheet) -> None:
    """Refuse columns such as S1, S2, S3 of methods in rows, which may be datasets or repeats."""
    found, _ = numbered(names)
    if found and kind_of(found[0]) is None:
        raise UserError(
            f"the columns {found[0]} to {found[-1]} may be datasets or repeats on a single one",
            file=sheet.path or None,
            line=1 if sheet.path else None,
            hint="give --transposed if they are datasets, or call them repeat1, repeat2, ... if not",
        )


def refuse_measures(names: Sequence[str], sheet: Sheet, *, transposed: bool) -> None:
    """Refuse columns that are measures or numbered repeats, where methods or datasets should be."""
    repeats, _ = numbered(names)
    if not transposed and repeats and (not repeat_in(repeats[0])[0] or normal(repeats[0]).isdecimal()):
        raise UserError(
            f"the columns {repeats[0]} to {repeats[-1]} seem to be repeats, and no column names the methods",
            file=sheet.path or None,
            line=1 if sheet.path else None,
            hint="give --method-column, or --methods with their names if they are methods",
        )
    wrong = next((name for name in names if is_measure(name) and not (transposed and is_summary(name))), None)
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


def refuse_settings(names: Sequence[str], sheet: Sheet, kind: str) -> None:
    """Refuse methods or datasets (`kind`) called like settings, which no numbers tell from shares."""
    found = settings_among(names)
    name = next((name for name in names if name in found), None)
    if name is None:
        return
    hint = "remove it, or name the methods to compare (--methods)" if kind == "methods" else "remove it"
    if name == sheet.names[0]:
        hint = f"if it names the datasets, give --dataset-column {name}; else {hint}"
    raise UserError(
        f"'{name}' is called like a setting, not like one of the {kind}",
        file=sheet.path or None,
        line=(1 if name in sheet.names else sheet.lines[names.index(name)]) if sheet.path else None,
        hint=hint,
    )


def refuse_others(names: Sequence[str], numbers: Sequence[Sequence[float]], sheet: Sheet) -> None:
    """Refuse a column that says which rows belong together, or holds numbers of another kind than most.

    Such are a parameter of an experiment, each of whose values stands in several rows below each other, a
    constant, numbers above 1 beside columns of shares, whole numbers beside columns of decimals, and numbers
    of another size in a second column of every method.
    """
    known = [[value for value in column if value == value] for column in numbers]
    shares = [all(0 <= value <= 1 for value in column) for column in known]
    decimals = [2 * sum(value % 1 != 0 for value in column) > len(column) for column in known]
    beside = _beside_all(dict(zip(names, known, strict=True)))
    for place, (name, column) in enumerate(zip(names, known, strict=True)):
        starts = [row for row, value in enumerate(column) if not row or value != column[row - 1]]
        lengths = [after - before for before, after in itertools.pairwise([*starts, len(column)])]
        in_blocks = len(names) > 2 and len(lengths) > 2 and min(lengths) > 1
        others = [value for own in known[:place] + known[place + 1 :] for value in own]
        constant = len(column) > 2 and len(set(column)) == 1 and column[0] not in (0.5, 50)  # of a guess
        constant = constant and bool(others) and not min(others) <= column[0] <= max(others)
        beyond = 2 * sum(value > 1 for value in column) > len(column)
        whole = len(column) > 2 and len(set(column) - {0, 100}) > 1 and not any(value % 1 for value in column)
        n_others = len(names) - 1
        unlike = n_others > 1 and beyond and 2 * sum(shares[:place] + shares[place + 1 :]) > n_others
        unlike |= (whole or constant) and 2 * sum(decimals[:place] + decimals[place + 1 :]) > n_others
        if in_blocks or unlike or name in beside:
            raise UserError(
                f"the column '{name}' does not seem to hold the results of a method",
                file=sheet.path or None,
                line=1 if sheet.path else None,
                hint="name the columns that do (--methods), or remove it",
            )


def _beside_all(columns: Mapping[str, Sequence[float]]) -> set[str]:
    """Return the columns, each called like a method but for the same end, whose numbers differ in size."""
    ends: dict[str, dict[str, str]] = {}
    for name, base in itertools.permutations(columns, 2):
        if name.startswith(base):
            ends.setdefault(name[len(base) :], {})[name] = base
    for found in ends.values():
        if 2 * len(found) == len(columns) > 2 and not set(found) & set(found.values()):
            ratios = [
                abs(math.log(one / other))
                for name, base in found.items()
                for one, other in zip(columns[name], columns[base], strict=False)
                if one > 0 and other > 0
            ]
            if not ratios or statistics.median(ratios) > math.log(3):
                return set(found)
    return set()


def results_among(
    names: list[str], sheet: Sheet, wanted: Sequence[str] | None, what: str, notes: list[str]
) -> list[str]:
    """Return the columns of results: not those that describe the data, or never change in a long table."""
    if wanted is not None or len(names) < 2:
        return names
    counts = [name for name in names if _counts_rows(sheet.text(name))]
    found = [name for name in names if not _is_left(name, names, sheet, what) and counts != [name]]
    if not found or len(found) == len(names):
        return names
    left = [name for name in names if name not in found]
    option = "" if what == "datasets" else f" (--{what} names those that are)"
    notes.append(f"{number_of(len(left), 'column')} not taken for {what}: {', '.join(left[:8])}{option}")
    return found


def _is_left(name: str, names: Sequence[str], sheet: Sheet, what: str) -> bool:
    """Return whether a column holds no results, by its name or because its cells are all the same."""
    if what == "datasets":
        return is_no_result(name)
    if what == "measures":
        constant = len(set(sheet.text(name))) == 1
        others = is_no_result(name) or is_setting(name) or accompanies(name, names)
        return constant or (not is_measure(name) and others)
    if accompanies(name, names) or _is_derived(name, names, sheet):
        return True
    return kind_of(name) != "method" and (is_no_result(name) or is_summary(name) or is_time(name))


def _is_derived(name: str, names: Sequence[str], sheet: Sheet) -> bool:
    """Return whether a column is a measure of another one, such as error_BR, or the difference A-B of two."""
    for first, second in _parts(name):
        of_other = (second in names and is_measure(first)) or (first in names and is_measure(second))
        if of_other and name[len(first)] != "-":  # Time-CNN is a method
            return True
        if first in names and second in names:  # which a hybrid of two methods is called, too
            cells = [sheet.text(each) for each in (name, first, second)]
            if _is_difference(zip(*cells, strict=True)):
                return True
    return False


def _is_difference(rows: Iterable[tuple[str, str, str]]) -> bool:
    """Return whether the first cell of every row is the difference of the others, up to its rounding."""
    try:
        numbers = [[float(cell) for cell in row] for row in rows]
    except ValueError:
        return False
    differs = sum(abs(abs(found) - abs(first - second)) for found, first, second in numbers)
    return 10 * differs < sum(abs(found) for found, _, _ in numbers)


def _counts_rows(cells: Sequence[str]) -> bool:
    """Return whether cells number the rows, from 0 or 1 on and in any order."""
    numbers = {int(cell) for cell in cells if cell.isdecimal()}
    return (
        len(cells) > 4 and len(numbers) == len(cells) == max(numbers) - min(numbers) + 1 and min(numbers) < 2
    )
