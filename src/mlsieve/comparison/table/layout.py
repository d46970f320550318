"""From any table of results to one observation a row: long, wide, or with the datasets as columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlsieve.analysis.sentences.wording import some
from mlsieve.comparison.directions import is_measure, known_direction
from mlsieve.comparison.table.cells import Remarks, holds_results, is_numeric, numbers_of
from mlsieve.comparison.table.columns import Roles, roles_of
from mlsieve.comparison.table.kinds import (
    measures_in_names,
    numbered,
    refuse_measures,
    refuse_numbered,
    refuse_others,
    refuse_settings,
    repeats_among,
    results_among,
    rows_are_methods,
)
from mlsieve.comparison.table.names import NAMES as _NAMES
from mlsieve.comparison.table.names import (
    accompanies,
    is_no_result,
    is_summary,
    normal,
    numbers_folds,
    repeat_in,
)
from mlsieve.comparison.table.reading import ROW_NAME, Sheet, without_column, without_rows
from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.stats._lazy import pd

_ONLY = "data"  # the dataset of repeats that name none
_OF_EVALUATE = frozenset({"method", "measure", "mean", "standard_deviation", "folds", "p_value"})
PLAIN_MEASURE = "value"  # the measure of a table that names none


@dataclass(frozen=True)
class Results:
    """Results of methods, one observation a row.

    Attributes
    ----------
    frame : DataFrame
        Columns dataset, method, measure, repeat, fold (all text) and value (float, NaN where a cell is
        missing). Where a table numbers folds, `repeat` ends with the number in `fold`; else `fold` is empty.
    methods, datasets, measures : list of str
        In the order of the table.
    families : dict of str to str
        Family of each dataset, where the table has them.
    repeats : str
        The column of the repeats; empty without one.
    notes : list of str
        What was found out about the table, as clauses.
    path : str
        The file; empty for a data frame.
    folds : int
        Into how many folds the rows of a single dataset are divided; 0 where its repeats may be no folds.
    """

    frame: pd.DataFrame
    methods: list[str]
    datasets: list[str]
    measures: list[str]
    families: dict[str, str] = field(default_factory=dict)
    repeats: str = ""
    notes: list[str] = field(default_factory=list)
    path: str = ""
    folds: int = 0


def results_of(
    sheet: Sheet,
    given: Mapping[str, str | None],
    *,
    transposed: bool | None = None,
    methods: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
) -> Results:
    """Return the results that a table of any layout holds.

    Parameters
    ----------
    sheet : Sheet
    given : mapping of role to name of a column
        What the user says of the columns; see `mlsieve.comparison.table.columns.roles_of`.
    transposed : bool, optional
        Whether the rows of a wide table are methods, and its columns datasets; default: by the names.
    methods, measures : sequence of str, optional
        Those to compare; default: all. One measure is the name of that of a table which names none.

    Raises
    ------
    UserError
        If the table has no column of methods or values, a cell is no number, or an observation occurs twice.
    """
    if _OF_EVALUATE <= set(sheet.names):
        raise UserError(
            "is the comparison of mlsieve evaluate on one dataset, with its tests in the column 'p_value'",
            file=sheet.path or None,
            hint="give the results on several datasets, or let a study make them (mlsieve study init)",
        )
    notes: list[str] = []
    sheet = _of_test_data(_without_count(sheet), notes)
    roles = roles_of(sheet, given)
    if measures is None:
        sheet = _without_spreads(sheet, roles.measure, notes)
    counters = [name for name in (roles.repeats, roles.folds) if name is not None]
    found_out = [f"'{name}'" for name in counters if name != given.get("repeats")]
    if found_out:
        what = "column" if len(found_out) == 1 else "columns"
        verb = "is" if len(found_out) == 1 else "are"
        notes.append(f"the {what} {' and '.join(found_out)} {verb} taken to number repeats")
    if roles.method is not None and not transposed and (roles.dataset is not None or _is_long(sheet, roles)):
        rows, counted = _long(sheet, roles, notes, measures)
    elif given.get("value") is not None:
        lacking = "methods" if roles.dataset else "datasets"
        raise UserError(
            f"--value-column {given['value']}: no column of {lacking} is known",
            file=sheet.path or None,
            hint="leave it out for a wide table; for a long one give --dataset-column and --method-column",
        )
    else:
        rows, counted = _wide(sheet, roles, notes, transposed, methods), False
    columns = ["dataset", "method", "measure", "repeat", "fold", "value", "line"]
    frame = pd.DataFrame(rows, columns=columns)
    repeats = " and ".join(counters)
    if counted:
        are_folds = frame["repeat"].map(normal).str.startswith("fold").all()
        repeats, frame["fold"] = ("fold", frame["repeat"]) if are_folds else ("repeat", "")
    frame = _without_summaries(frame, notes)
    if not repeats:
        frame, repeats = _repeats_in_names(frame, notes)
    frame["method"] = _without_semicolons(frame["method"], notes)
    if methods is not None:
        methods = [name.replace(";", ",") for name in methods]
    frame = _chosen(frame, "method", methods, sheet)
    if measures is not None and len(measures) == 1 and set(frame["measure"]) == {PLAIN_MEASURE}:
        frame["measure"] = measures[0]  # the table does not say what its values are
    frame = _chosen(frame, "measure", measures, sheet)
    if frame.empty:
        raise UserError("the table has no results", file=sheet.path or None, hint="give one value per row")
    _require_single(frame, sheet, roles, repeats)
    frame = _ranks_named(frame, notes)
    frame = _with_every_repeat(frame) if repeats else frame
    order = {name: list(dict.fromkeys(frame[name])) for name in ("method", "dataset", "measure")}
    if methods is not None:
        order["method"] = [name for name in methods if name in order["method"]]
    families = _families(sheet, roles, order["dataset"], notes)
    return Results(
        frame.drop(columns="line"),
        order["method"],
        order["dataset"],
        order["measure"],
        families,
        repeats,
        notes,
        sheet.path,
    )


def _repeats_in_names(frame: pd.DataFrame, notes: list[str]) -> tuple[pd.DataFrame, str]:
    """Return results whose datasets or methods are called iris_fold1, iris_fold2, ... as those of repeats."""
    for role in ("dataset", "method"):
        parts = {name: repeat_in(name) for name in dict.fromkeys(frame[role])}
        stems = {stem for stem, _ in parts.values()}
        if not all(repeat for _, repeat in parts.values()) or not len(stems) < len(parts):
            continue
        if role == "method" and "" in stems:
            continue
        name, (stem, repeat) = next(iter(parts.items()))
        whole = f"{role} '{stem}'" if stem else "a single dataset"
        notes.append(f"'{name}' is taken for {repeat} of {whole}, and the others likewise (else rename them)")
        repeats = frame[role].map({name: repeat for name, (_, repeat) in parts.items()})
        frame = frame.assign(
            repeat=repeats, fold=repeats.str.extract(r"\b(fold \d+)$", expand=False).fillna("")
        )
        frame[role] = frame[role].map({name: stem or _ONLY for name, (stem, _) in parts.items()})
        return frame, "repeat"
    return frame, ""


def _without_semicolons(methods: pd.Series, notes: list[str]) -> pd.Series:
    """Return the names of methods without the sign that separates methods in tests.csv."""
    wrong = methods[methods.str.contains(";", regex=False)]
    if len(wrong):
        name = wrong.iloc[0].replace(";", ",")
        notes.append(
            f"method '{wrong.iloc[0]}' is called '{name}', because ';' separates methods in tests.csv"
        )
    return methods.str.replace(";", ",", regex=False)


def _without_count(sheet: Sheet) -> Sheet:
    """Return a sheet without a first column that only counts the rows."""
    if sheet.row_names and len(sheet.names) > 2:
        counts = [str(cell) for cell in sheet.columns[0]]
        for start in (0, 1):
            if counts == [str(place + start) for place in range(len(counts))]:
                return replace(sheet, names=sheet.names[1:], columns=sheet.columns[1:], row_names=False)
    return sheet


_TEST = frozenset({"test", "testing"})
_TRAINING = frozenset("train training val valid validation dev".split())


def _of_test_data(sheet: Sheet, notes: list[str]) -> Sheet:
    """Return a sheet without the results on training data, where a column says on which data a result is."""
    for name in sheet.names:
        parts = [normal(cell) for cell in sheet.text(name)]
        if _TEST & set(parts) and _TRAINING & set(parts) and set(parts) <= _TEST | _TRAINING:
            kept = next(cell for cell in sheet.text(name) if normal(cell) in _TEST)
            notes.append(f"only the rows whose '{name}' is '{kept}' are compared")
            sheet = without_rows(sheet, [row for row, part in enumerate(parts) if part not in _TEST])
            return without_column(sheet, name)
    return sheet


def _without_spreads(sheet: Sheet, measure: str | None, notes: list[str]) -> Sheet:
    """Return a sheet without the rows whose measure is the deviation, or another property, of results."""
    if measure is None:
        return sheet
    cells = sheet.text(measure)
    names = list(dict.fromkeys(cells))
    left = [
        name for name in names if is_no_result(name) or (accompanies(name, names) and not is_measure(name))
    ]
    if not left or len(left) == len(names):
        return sheet
    notes.append(f"{number_of(len(left), 'measure')} not compared: {', '.join(left[:8])}")
    return without_rows(sheet, [row for row, cell in enumerate(cells) if cell in left])


_Row = tuple[str, str, str, str, str, float, int]


def _is_long(sheet: Sheet, roles: Roles) -> bool:
    """Return whether a table without a column of datasets has several rows a method, or one of values.

    Raises
    ------
    UserError
        If it has, and no column counts repeats, so that one must name the datasets.
    """
    labels = sheet.text(str(roles.method))
    if roles.repeats is not None:
        return len(set(labels)) < len(labels)
    keys = list(zip(labels, sheet.text(roles.measure) if roles.measure else labels, strict=True))
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    twice = next((place for place, key in enumerate(keys) if first[key] < place), None)
    if twice is None or is_summary(labels[twice]):
        return False
    raise UserError(
        f"method '{labels[twice]}' occurs twice, and no column is known to name the datasets",
        file=sheet.path or None,
        line=sheet.lines[twice] if sheet.path else None,
        hint="give --dataset-column, or --repeats for the column that numbers the repeats",
    )


def _long(
    sheet: Sheet, roles: Roles, notes: list[str], measures_wanted: Sequence[str] | None
) -> tuple[list[_Row], bool]:
    """Return the rows of a long table, and whether its columns are repeats."""
    assert roles.method is not None
    used = roles.used()
    values = [roles.value] if roles.value is not None else []
    counted = False
    named = set(values)  # in a note, or because they are used
    if not values:
        values = [name for name in sheet.names if name not in used]
        values = [name for name in values if holds_results(sheet.column(name), sheet.form.missing)]
        named = set(values)
        values = results_among(values, sheet, measures_wanted, "measures", notes)
        if not values:
            raise UserError(
                "no column of the table holds values",
                file=sheet.path or None,
                hint="name it 'value', or give --value-column",
            )
        if roles.repeats is None and measures_wanted is None and (of_one := repeats_among(values, notes)):
            counted, values = True, of_one
        if roles.measure is not None and len(values) > 1 and not counted:
            raise UserError(
                f"several columns may hold the values: {', '.join(values[:6])}",
                file=sheet.path or None,
                hint="give --value-column",
            )
    if roles.dataset is not None:
        sheet = _without_summary_rows(sheet, roles.dataset, notes)
    if counted:
        named = set(values)
    idle = [name for name in sheet.names if name not in used and name not in named]
    if idle:
        notes.append(f"{number_of(len(idle), 'column')} not used: {', '.join(idle[:8])}")
    remarks = Remarks()
    numbers = _numbers(sheet, values, remarks)
    notes.extend(remarks.sentences())
    measures = sheet.text(roles.measure) if roles.measure is not None else None
    repeats, folds = _repeats(sheet, roles)
    methods = sheet.text(roles.method)
    if roles.dataset is not None:
        datasets = sheet.text(roles.dataset)
    else:
        datasets = [_ONLY] * len(methods)
        notes.append("the table does not name its datasets, so its rows are repeats on a single one")
    rows = []
    for name, column in zip(values, numbers, strict=True):
        plain = counted or (name == roles.value and normal(name) in _NAMES["value"])
        known = known_direction(name) is not None
        of_column = PLAIN_MEASURE if plain and not known else name
        # Of a file with columns such as metric_error and metric, the first one says what a value is.
        decides = known and not counted
        for place, value in enumerate(column):
            measure = of_column
            if measures is not None:
                measure = f"{name} ({measures[place]})" if decides else measures[place]
            repeat = name if counted else repeats[place]
            line = sheet.lines[place]
            rows.append((datasets[place], methods[place], measure, repeat, folds[place], value, line))
    for role, cells in (("dataset", datasets), ("method", methods)):
        if "" in cells:
            raise UserError(
                f"the {role} is empty",
                file=sheet.path or None,
                line=sheet.lines[cells.index("")] if sheet.path else None,
                hint="give each row a name",
            )
    return rows, counted


def _repeats(sheet: Sheet, roles: Roles) -> tuple[list[str], list[str]]:
    """Return the repeat of each row, and its fold where a column numbers folds."""
    none = [""] * len(sheet.lines)
    names = [name for name in (roles.repeats, roles.folds) if name is not None]
    if not names:
        return none, none
    names.sort(key=numbers_folds)
    repeats = [", ".join(each) for each in zip(*map(sheet.text, names), strict=True)]
    return repeats, sheet.text(names[-1]) if numbers_folds(names[-1]) else none


def _wide(
    sheet: Sheet, roles: Roles, notes: list[str], transposed: bool | None, methods: Sequence[str] | None
) -> list[_Row]:
    """Return the rows of a wide table."""
    names = roles.method if transposed or roles.dataset is None else roles.dataset
    is_given = transposed is not None
    if transposed is None and roles.dataset is None and roles.method is not None:
        transposed = True
        notes.append(f"the rows are methods, because a column is named '{roles.method}'")
    if transposed and names is None:
        names = roles.dataset  # what the corner of the table is called
    if names is None:
        names = _name_column(sheet, roles)
        if transposed is None and names is not None:
            transposed = rows_are_methods(sheet, names, notes)
    others = {roles.measure, roles.repeats, roles.folds, roles.family, names, ROW_NAME}
    # What `value` or `score` would name in a long table may well be a method here.
    columns = [name for name in sheet.names if name not in others]
    chosen = methods is not None and not transposed and set(methods) <= set(columns)
    if chosen:
        columns = [name for name in columns if name in (methods or ())]
    if names is not None:
        sheet = _without_summary_rows(sheet, names, notes)
    missing = sheet.form.missing
    numeric = [name for name in columns if holds_results(sheet.column(name), missing, some=True)]
    text = [name for name in columns if name not in numeric]
    grid = {}
    if not chosen:
        numeric = results_among(numeric, sheet, None, "datasets" if transposed else "methods", notes)
        of_one, by_word = numbered(numeric)
        of_one = of_one if transposed and roles.repeats is None and by_word else []
        if not transposed and roles.measure is None:
            grid = measures_in_names(numeric, notes)
        used = of_one or list(grid) or numeric
        if len(used) < len(numeric):
            left = [name for name in numeric if name not in used]
            notes.append(f"{number_of(len(left), 'column')} not used: {', '.join(left[:8])}")
        numeric = used
        if transposed and not of_one and not is_given:
            refuse_numbered(numeric, sheet)
        if not grid and not of_one:
            refuse_measures(numeric, sheet, transposed=bool(transposed))
        if not grid and methods is not None and not transposed:
            _require_among(methods, "method", columns, sheet)
    if not numeric:
        raise UserError(
            "the table has no columns of numbers",
            file=sheet.path or None,
            hint="give a table with a column for each method, or with columns dataset, method and value",
        )
    if text:
        notes.append(f"{number_of(len(text), 'column')} without numbers not used: {', '.join(text[:8])}")
    remarks = Remarks()
    numbers = _numbers(sheet, numeric, remarks)
    notes.extend(remarks.sentences())
    if not chosen and not grid:
        refuse_settings(numeric, sheet, "datasets" if transposed else "methods")
    if transposed and methods is None and names is not None:
        refuse_settings(sheet.text(names), sheet, "methods")
    if not chosen and not grid and not transposed:
        refuse_others(numeric, numbers, sheet)
    if names is not None:
        labels = sheet.text(names)
    elif roles.repeats is not None:
        labels = [_ONLY] * len(sheet.lines)
        notes.append("the table does not name its datasets, so its rows are repeats on a single one")
    else:
        labels = [str(place + 1) for place in range(len(sheet.lines))]
        notes.append("the table does not name its datasets, so each row counts as a dataset of its own")
    measures = sheet.text(roles.measure) if roles.measure else [PLAIN_MEASURE] * len(labels)
    repeats, folds = _repeats(sheet, roles)
    rows = []
    for place, label in enumerate(labels):
        for name, column in zip(numeric, numbers, strict=True):
            dataset, method = (name, label) if transposed else (label, name)
            measure, repeat = measures[place], repeats[place]
            if grid:
                measure, method = grid[name]
            line = sheet.lines[place]
            rows.append((dataset, method, measure, repeat, folds[place], column[place], line))
    return rows


def _name_column(sheet: Sheet, roles: Roles) -> str | None:
    """Return the first column that is no role and holds texts; None without one."""
    if sheet.row_names and sheet.names[0] == ROW_NAME:
        return ROW_NAME
    free = [name for name in sheet.names if name not in roles.used() or name == roles.value]
    return next((name for name in free[:1] if not is_numeric(sheet.column(name))), None)


def _numbers(sheet: Sheet, names: Sequence[str], remarks: Remarks) -> list[list[float]]:
    columns: list[Sequence[Any]] = [sheet.column(name) for name in names]
    form = sheet.form
    return numbers_of(
        columns, names, sheet.lines, sheet.path, decimal=form.decimal, missing=form.missing, remarks=remarks
    )


def _without_summary_rows(sheet: Sheet, column: str, notes: list[str]) -> Sheet:
    """Return a sheet without rows whose name says that they summarise others, before cells are read."""
    labels = sheet.text(column)
    rows = [place for place, label in enumerate(labels) if is_summary(label)]
    if not rows or len(rows) == len(labels):
        return sheet
    _note_summaries(list(dict.fromkeys(labels[place] for place in rows)), "row", notes)
    return without_rows(sheet, rows)


def _without_summaries(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Return results without datasets, of a table with datasets as columns, that are summaries."""
    names = [name for name in dict.fromkeys(frame["dataset"]) if is_summary(name)]
    if not names or len(names) == frame["dataset"].nunique():
        return frame
    _note_summaries(names, "column", notes)
    return frame[~frame["dataset"].isin(names)].copy()


def _note_summaries(names: Sequence[str], what: str, notes: list[str]) -> None:
    listed = ", ".join(f"'{name}'" for name in names[:6])
    verb = "is no dataset and was" if len(names) == 1 else "are no datasets and were"
    notes.append(f"the {what}{'' if len(names) == 1 else 's'} {listed} {verb} left out")


def _chosen(frame: pd.DataFrame, column: str, wanted: Sequence[str] | None, sheet: Sheet) -> pd.DataFrame:
    if wanted is None:
        return frame
    present = list(dict.fromkeys(frame[column]))
    _require_among(wanted, column, present, sheet)
    return frame[frame[column].isin(list(wanted))].copy()


def _require_among(wanted: Sequence[str], what: str, present: Sequence[str], sheet: Sheet) -> None:
    """Refuse names that the table does not have."""
    for name in wanted:
        if name not in present:
            raise UserError(
                f"the table has no {what} '{name}'",
                file=sheet.path or None,
                hint=did_you_mean(name, list(present)),
            )


def _require_single(frame: pd.DataFrame, sheet: Sheet, roles: Roles, repeats: str) -> None:
    keys = ["dataset", "method", "measure", "repeat"]
    twice = frame.duplicated(keys)
    if not twice.any():
        return
    row = frame[twice].iloc[0]
    of_measure = f" by {row['measure']}" if frame["measure"].nunique() > 1 else ""
    again = f", {repeats} {row['repeat']}" if repeats else ""
    places = [sheet.lines.index(line) for line in frame.loc[(frame[keys] == row[keys]).all(axis=1), "line"]]
    used = roles.used() | set(frame["dataset"]) | set(frame["method"])  # those of a wide table are columns
    free = [name for name in sheet.names if name not in used and not is_measure(name)]
    if roles.method is None:
        free = [name for name in free if not is_numeric(sheet.column(name))]
    cells = {name: [sheet.text(name)[place] for place in places] for name in free}
    varying = [name for name in free if len(set(cells[name])) > 1]
    alone = [name for name in varying if len(set(cells[name])) == len(places)]
    hint = "remove one"
    if roles.method is not None and varying:
        parts = " and ".join(f"'{name}'" for name in alone[:1] or varying)
        are, them = ("is", "it") if alone[:1] or not varying[1:] else ("are", "them")
        hint = f"if {parts} {are} part of the method, join {them} with '{roles.method}' in one column"
        hint += f"; else say what '{alone[0]}' holds: --repeats or --measure-column" if alone else ""
    elif varying:
        hint += f", or name the column in which they differ: --repeats {varying[0]}"
    raise UserError(
        f"method '{row['method']}' has several values on dataset '{row['dataset']}'{of_measure}{again}",
        file=sheet.path or None,
        line=int(row["line"]) if sheet.path else None,
        hint=hint + (", or give --dataset-column" if row["dataset"] == _ONLY else ""),
    )


def _ranks_named(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Return results in which a measure whose values are the ranks of the methods is called so."""
    for measure in dict.fromkeys(frame["measure"]):
        own = frame[frame["measure"] == measure]
        wide = own.pivot(index=["dataset", "repeat"], columns="method", values="value")
        wide = wide[wide.nunique(axis=1) > 1]
        ties: tuple[Any, ...] = ("average", "min", "max", "dense")
        ranked = [(wide.rank(axis=1, method=method).eq(wide) | wide.isna()).all(axis=1) for method in ties]
        if len(wide) < 2 or not pd.concat(ranked, axis=1).any(axis=1).all():
            continue
        if known_direction(measure) == "lower":
            continue
        name = "rank" if measure == PLAIN_MEASURE else f"{measure} rank"
        frame["measure"] = frame["measure"].replace(measure, name)
        values = "values" if measure == PLAIN_MEASURE else f"values of '{measure}'"
        notes.append(
            f"the {values} are the ranks of the methods in each row, 1 for the best, so the measure is called"
            f" '{name}'"
        )
    return frame


def _with_every_repeat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return results in which a row that a table lacks is a missing value, as an empty cell is.

    A method that has some value by a measure should have one in each repeat of a dataset in which another
    method has one.
    """
    keys = ["dataset", "measure"]
    repeats = frame[[*keys, "repeat", "fold"]].drop_duplicates()
    methods = frame[[*keys, "method"]].drop_duplicates()
    every = repeats.merge(methods, on=keys)
    whole = every.merge(frame, on=[*keys, "method", "repeat", "fold"], how="left")
    lacking = whole[whole["line"].isna()]
    return pd.concat([frame, lacking[frame.columns]], ignore_index=True) if len(lacking) else frame


def _families(sheet: Sheet, roles: Roles, datasets: Sequence[str], notes: list[str]) -> dict[str, str]:
    """Return the family of each dataset; a dataset with an empty cell is of none."""
    if roles.family is None:
        return {}
    if not set(datasets) & set(sheet.text(roles.dataset or sheet.names[0])):
        raise UserError(
            f"--family {roles.family}: the columns of the table are its datasets",
            file=sheet.path or None,
            hint="give a table with a row for each dataset, or a long one",
        )
    of_none: list[str] = []
    column = roles.dataset or (ROW_NAME if ROW_NAME in sheet.names else sheet.names[0])
    found: dict[str, str] = {}
    for name, family, line in zip(sheet.text(column), sheet.text(roles.family), sheet.lines, strict=True):
        if name not in datasets:
            continue
        if not family:
            of_none.append(name)
            continue
        if found.setdefault(name, family) != family:
            raise UserError(
                f"dataset '{name}' has the families '{found[name]}' and '{family}'",
                file=sheet.path or None,
                line=line if sheet.path else None,
                hint="give each dataset one family",
            )
    alone = [name for name in dict.fromkeys(of_none) if name not in found]
    if alone:
        notes.append(
            f"{some(alone, 6)} without a value of '{roles.family}': each counts as a family of its own"
        )
    if len(set(found.values())) == len(found):
        notes.append(f"no two datasets share a value of '{roles.family}', so each counts by itself")
    return found


def complete_counts(results: Results, measure: str) -> tuple[list[str], list[str]]:
    """Return the datasets with every value of every method by one measure, and the others."""
    part = results.frame[results.frame["measure"] == measure]
    known: dict[tuple[str, str], bool] = {}
    for dataset, method, value in zip(part["dataset"], part["method"], part["value"], strict=True):
        known[dataset, method] = known.get((dataset, method), True) and not math.isnan(value)
    named = {dataset for dataset, _ in known}
    names = [name for name in results.datasets if name in named]
    whole = [name for name in names if all(known.get((name, method), False) for method in results.methods)]
    return whole, [name for name in names if name not in whole]
