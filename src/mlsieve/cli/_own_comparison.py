"""``mlsieve compare`` on anybody's table of results."""

from __future__ import annotations

import argparse
from typing import Any

from mlsieve.cli._options import InputFile, add_direction_arguments, directions_from, whole_number, words
from mlsieve.cli._outputs import OutputFolder, require_replaceable
from mlsieve.cli._study_comparison import OPTIONS, rounding_from
from mlsieve.errors import UserError

_STUDY_COLUMNS = {"dataset", "split", "method", "ensemble", "score", "measure", "value"}
_OWN = {  # options of a table that is not a study's, and what they are by default
    "reference": None,
    "lower_is_better": False,
    "higher_is_better": False,
    "family": None,
    "repeats": None,
    "dataset_column": None,
    "method_column": None,
    "measure_column": None,
    "value_column": None,
    "transposed": None,
    "methods": None,
    "rope": 0.0,
    "test_per_train": None,
}


def _ratio(text: str) -> float:
    numerator, _, denominator = text.partition("/")
    try:
        return float(numerator) / float(denominator or 1)
    except ZeroDivisionError:
        raise argparse.ArgumentTypeError(f"'{text}' divides by 0") from None


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the table, how it is read, and how its methods are compared."""
    help = "CSV, Excel, Parquet or Feather; long or wide"
    parser.add_argument("performance", type=InputFile, metavar="RESULTS", help=help)
    parser.add_argument(
        "--reference", metavar="NAME", help="compare all other methods with this one only (Bonferroni-Dunn)"
    )
    for way in ("lower", "higher"):
        parser.add_argument(
            f"--{way}-is-better",
            action="store_true",
            help=f"{way} values are better by measures whose names mlsieve does not know, or by the only one",
        )
    add_direction_arguments(parser)
    parser.add_argument(
        "--family",
        metavar="COLUMN",
        help="column with the family of each dataset: every test is repeated with each family counted once",
    )
    parser.add_argument(
        "--repeats",
        metavar="COLUMN",
        help="column that numbers folds, seeds or runs: their mean counts, and a single dataset is tested"
        " over them",
    )
    parser.add_argument(
        "--measures",
        metavar="A,B",
        help="measures to test (default: all); names the measure of a table that does not",
    )
    parser.add_argument(
        "--methods",
        metavar="A,B",
        help="methods to compare (default: all in the table); write a name with a comma as '\"C, tuned\"'",
    )
    parser.add_argument("--significance", type=float, metavar="P", help="level of the tests (default 0.05)")
    parser.add_argument(
        "--rope",
        type=float,
        default=0.0,
        metavar="WIDTH",
        help="differences up to WIDTH are practically none in the Bayesian signed-rank test (default 0)",
    )
    parser.add_argument(
        "--test-per-train",
        type=_ratio,
        metavar="R",
        help="on a single dataset, test rows divided by training rows of a repeat, such as 1/9 (default:"
        " 1/(K - 1) for K folds in a column 'fold'; without such a column, no pair is tested)",
    )
    parser.add_argument(
        "--rounding",
        metavar="D",
        help="decimals before ranking, or 'none' (default: none; 3 for the table of a study)",
    )
    parser.add_argument(
        "--significant-digits", type=whole_number, metavar="D", help="round to significant digits instead"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=OutputFolder,
        metavar="FOLDER",
        help="write tables, figures/, report.html and paper/ into this folder",
    )
    layout = parser.add_argument_group("how the table is laid out (default: found out from its columns)")
    for role in ("dataset", "method", "measure", "value"):
        layout.add_argument(f"--{role}-column", metavar="COLUMN", help=f"the column of the {role}s")
    layout.add_argument(
        "--transposed",
        action=argparse.BooleanOptionalAction,
        help="the rows of a wide table are methods, its columns datasets; --no-transposed: the reverse",
    )
    table = parser.add_argument_group("how the file is written (default: found out from the file)")
    table.add_argument(
        "--sep", dest="separator", metavar="CHARACTER", help="between the cells; also tab, space"
    )
    table.add_argument("--decimal", choices=(".", ","), help="decimal mark of numbers")
    table.add_argument("--encoding", metavar="NAME", help="such as latin-1, cp1251, gb18030, utf-16")
    table.add_argument(
        "--missing", action="append", default=[], metavar="TOKEN", help="a further cell for a missing value"
    )
    table.add_argument("--sheet", metavar="NAME", help="sheet of an Excel or LibreOffice file")


def is_of_study(args: argparse.Namespace) -> bool:
    """Return whether a command is about a study's table: by its options, or else by the table's columns.

    Raises
    ------
    UserError
        If options for both are given.
    """
    own = next((name for name, default in _OWN.items() if getattr(args, name) != default), None)
    of_study = next((name for name in OPTIONS if getattr(args, name) is not None), None)
    if own is not None and of_study is not None:
        raise UserError(
            f"--{own.replace('_', '-')} and --{of_study} exclude each other",
            hint=f"leave out --{of_study}, which is for the performance.csv of a study",
        )
    if own is not None or of_study is not None:
        return of_study is not None
    try:
        with open(args.performance, encoding="utf-8") as stream:
            first = stream.readline(10_000)
    except (OSError, UnicodeDecodeError):
        return False
    return _STUDY_COLUMNS <= set(first.strip().split(","))


def run_own(args: argparse.Namespace) -> int:
    """Compare the methods of the table; write files into a folder that is given, and print the answer."""
    import functools
    import warnings

    from mlsieve.cli._notes import note
    from mlsieve.comparison.result import compare
    from mlsieve.comparison.saving import require_free, save
    from mlsieve.data.file_sets import form_from
    from mlsieve.errors import DataNotice

    directions = directions_from(args)
    form = form_from(
        {name: getattr(args, name) for name in ("separator", "decimal", "encoding", "missing", "sheet")}
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataNotice)
        found = compare(
            args.performance,
            args.reference,
            lower_is_better=args.lower_is_better,
            higher_is_better=args.higher_is_better,
            directions=directions,
            family=args.family,
            repeats=args.repeats,
            dataset=args.dataset_column,
            method=args.method_column,
            measure=args.measure_column,
            value=args.value_column,
            transposed=args.transposed,
            methods=words(args.methods) if args.methods else None,
            measures=words(args.measures) if args.measures else None,
            form=form,
            rope=args.rope,
            test_per_train=args.test_per_train,
            **_given(args),
        )
    check = functools.partial(require_replaceable, force=args.force)
    if args.output:
        require_free(found, args.output, check=check)
    for warning in caught:
        if issubclass(warning.category, DataNotice):
            note(f"note: {warning.message}")
    if args.output:
        save(found, args.output, check=check)  # first: whoever reads what is printed may stop
    print(found.summary())
    return 0


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the tests that were given."""
    found: dict[str, Any] = {}
    if args.significance is not None:
        found["significance"] = args.significance
    rounding = rounding_from(args)
    if rounding is not None:
        found["rounding"] = rounding
    return found
