"""Command-line options that several subcommands share."""

from __future__ import annotations

import argparse
import csv
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mlsieve.cli._notes import note
from mlsieve.errors import UserError, shortened

if TYPE_CHECKING:
    from mlsieve.data.catalog import DatasetEntry
    from mlsieve.data.dataset import Dataset
    from mlsieve.discretize.files import SplitCuts

FORMATS = ("mulan", "meka", "csv", "clus", "parquet", "feather", "excel", "svmlight", "xmlc", "r", "mat")
MOST_REPEATS = 10_000  # of a split, or of a division into folds
# Options by which labels are read.
OF_LABELS = ("labels", "label_count", "label_column", "label_separator", "positive", "y")
OF_CLASSES = ("hierarchy", "hierarchy_type", "class_separator", "classes", "without_class", "flatten")
OF_DATA, OF_SPLIT = "what is read", "training and test part"  # headings of a command's help


def add_trust_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that lets a study run the plugins it names."""
    parser.add_argument(
        "--trust-plugins",
        action="store_true",
        help="run the files of Python that the study names as plugins, now and later",
    )


class InputFile(str):
    """The path of a file to read: the type of an argument that cannot be the id of a dataset."""


class ByDefault(str):
    """A value that nobody has typed: the default of an option for `is_typed`."""


def is_typed(value: Any) -> bool:
    """Whether the value of an option that has a default of its own was typed."""
    return not isinstance(value, ByDefault)


def option_group(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """Return the group of options under a heading of the help, which is made if there is none."""
    groups = (group for group in parser._action_groups if group.title == title)
    return next(groups, None) or parser.add_argument_group(title)


# Arguments that name something, and may be empty by a slip: a variable of a shell that is not set.
_NAMED = {
    **{name: f"--{name}" for name in ("method", "ensemble", "score")},
    "methods": "--method",
    "data": "DATA",
    "study": "STUDY.yaml",
}
_NAMES_HINT = {
    **dict.fromkeys(("method", "methods"), "give one; 'mlsieve methods' lists them"),
    "data": "give a data file, or the id of a dataset",
    "study": "give a study's file",
}


def check_inputs(args: argparse.Namespace) -> None:
    """Raise a UserError if a name is empty, or an `InputFile` is not there, before anything is imported."""
    for name, value in vars(args).items():
        for path in value if isinstance(value, list) else [value]:
            if path == "" and name in _NAMED:
                raise UserError(
                    f"{_NAMED[name]} '': a name is missing", hint=_NAMES_HINT.get(name, "give one")
                )
            if not isinstance(path, InputFile) or os.path.exists(path):
                continue
            if not path:
                raise UserError("'' is no name of a file", hint="give one")
            if path == "-":
                raise UserError("the standard input is not read", file=path, hint="write it to a file first")
            raise UserError("no such file", file=path, hint="check the path")


def add_catalog_arguments(parser: argparse._ActionsContainer, default: Any = None) -> None:
    """Add where a dataset is looked up and where its files are looked for, given its id.

    A subparser's parser has the options too and needs ``default=argparse.SUPPRESS``, to keep what was given
    before its name.
    """
    parser.add_argument(
        "--catalog",
        metavar="YAML",
        default=default,
        help="a further catalog (default: config/datasets.yaml if there is one)",
    )
    parser.add_argument(
        "--mirror",
        metavar="DIR",
        default=default,
        help="folder searched before any download; MLSIEVE_MIRROR overrides it",
    )


def entries_from(args: argparse.Namespace) -> dict[str, DatasetEntry]:
    """Return the known datasets by id, those of --catalog among them."""
    from mlsieve.data.catalog import catalog

    return catalog(args.catalog)


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading DATA that is neither a prepared file nor a known id."""
    data = option_group(parser, OF_DATA)
    labels = option_group(parser, "which columns are labels")
    classes = option_group(parser, "classes with a hierarchy")
    data.add_argument("--test", metavar="FILE", help="test part, where DATA is the training part")
    labels.add_argument(
        "--labels",
        action="append",
        metavar="XML|NAMES",
        help="Mulan XML that names the labels, or names and patterns, repeatable: sea,beach or 'label_*';"
        " quotes stand around a name with a comma",
    )
    labels.add_argument(
        "--label-count",
        type=whole_number,
        metavar="N",
        help="the first N attributes are labels, or the last N if it is negative: --label-count -4",
    )
    labels.add_argument(
        "--label-column", metavar="COLUMN", help="a column whose cells hold sets of labels, such as sea;beach"
    )
    labels.add_argument(
        "--label-separator",
        metavar="TEXT",
        help="the text between the labels of such a cell, also tab or space; by default the first of"
        " semicolon, vertical bar, comma, slash and space that the column contains",
    )
    labels.add_argument(
        "--positive",
        metavar="VALUE",
        help="what a cell holds if the row has the label; any other value, and an empty cell, means that it"
        " does not (default: 1, or true, yes, t, y in any case)",
    )
    for letter, what in (("x", "features"), ("y", "labels")):
        data.add_argument(
            f"--{letter}",
            metavar="NAME",
            help=f"variable of a MATLAB file (.mat), or field such as data.X, with the {what}"
            " (default: found by its name)",
        )
    data.add_argument("--format", choices=FORMATS, help="file format (default: recognised from the file)")
    data.add_argument(
        "--nominal",
        action="append",
        default=[],
        metavar="COLUMNS",
        help="columns of categories: a name, or names and patterns with commas; repeatable; not for ARFF"
        " files, which declare theirs. Other columns are numeric if every known cell is a number, nominal"
        " if fewer than half are, and otherwise an error",
    )
    for option, what in (("drop", "leave columns out"), ("keep", "use only these features")):
        data.add_argument(
            f"--{option}",
            action="append",
            default=[],
            metavar="COLUMNS",
            help=f"{what}: a name, or names and patterns with commas (id,'date_*'); repeatable",
        )
    table = option_group(parser, "how a CSV or Excel file is written (default: found out from the file)")
    table.add_argument(
        "--sep",
        dest="separator",
        metavar="CHARACTER",
        help="between the cells; also tab, space",
    )
    table.add_argument("--decimal", choices=(".", ","), help="decimal mark of numbers")
    table.add_argument("--encoding", metavar="NAME", help="such as latin-1, cp1251, gb18030, utf-16")
    table.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first row holds the names of the columns",
    )
    table.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a further cell for a missing value, besides empty, ?, NA, N/A, NaN, null, None"
        " and the like; a number stands for it however it is written (-999 for -999.0); repeatable",
    )
    table.add_argument(
        "--sheet", metavar="NAME", help="sheet of an Excel or LibreOffice file (default: first)"
    )
    classes.add_argument(
        "--hierarchy",
        metavar="CSV",
        help="what is above the labels of flat data: rows of a parent and a child, or 'root' and a top class",
    )
    classes.add_argument(
        "--hierarchy-type",
        choices=("tree", "dag"),
        help="what a CLUS file declares: paths of a tree or edges of a graph (default: as recognised)",
    )
    classes.add_argument(
        "--class-separator",
        metavar="TEXT",
        help="separator of the parts of a CLUS file's classes (default /)",
    )
    classes.add_argument(
        "--classes",
        choices=("declared", "used"),
        help="hierarchical data: all classes of the header (default), or those that an example has",
    )
    classes.add_argument(
        "--without-class",
        choices=("keep", "drop"),
        help="hierarchical data: keep examples without a class (default), or drop them, as CLUS does",
    )
    classes.add_argument(
        "--flatten",
        action="store_true",
        help="hierarchical data: take the classes, those above others too, as flat labels",
    )


def file_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return what the options of `add_file_arguments` say, as `mlsieve.data.load_dataset` takes it."""
    names = (
        *("test", "x", "format", "nominal", "drop", "keep"),
        *("separator", "decimal", "encoding", "header", "missing", "sheet"),
        *OF_LABELS,
        *OF_CLASSES,
    )
    found = {name: getattr(args, name) for name in names}
    if found["labels"] is not None and len(found["labels"]) == 1:  # of which it may be the file
        (found["labels"],) = found["labels"]
    return found


def add_data_arguments(parser: argparse.ArgumentParser, undivided: str = "stays whole") -> None:
    """Add DATA and the options for reading and splitting it.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    undivided : str
        What becomes of a file of the user's own without a test part.
    """
    parser.add_argument("data", metavar="DATA", help="prepared .npz, dataset id, or data file")
    add_file_arguments(parser)
    add_catalog_arguments(option_group(parser, OF_DATA))
    split = option_group(parser, OF_SPLIT)
    split.add_argument(
        "--split",
        choices=("official", "holdout"),
        default=ByDefault("official"),
        help="official (default): the data's own split, or a seeded one for catalog datasets without a split;"
        f" a file of your own without --test {undivided};"
        " holdout: always seeded",
    )
    split.add_argument(
        "--train-share",
        type=float,
        metavar="P",
        help="share of the rows in the training part of a seeded split (default 2/3)",
    )
    split.add_argument(
        "--split-seed",
        type=seed_number,
        default=0,
        metavar="S",
        help="study seed of a seeded split (default 0)",
    )
    split.add_argument(
        "--repeat", type=whole_number, default=0, metavar="R", help="number of the seeded split (default 0)"
    )
    parser.add_argument(
        "--folds",
        choices=("auto", "random", "stratified", "stratified-pairs"),
        default=ByDefault("auto"),
        help="how a seed divides the rows, into folds with --cv: random; stratified by labels, or by pairs of"
        " labels; auto (default): random, or stratified if a label with enough examples is missing in a part",
    )


def add_repeats_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--repeats``, for commands that go through several seeded splits in one run."""
    option_group(parser, OF_SPLIT).add_argument(
        "--repeats",
        metavar="A-B",
        help="several seeded splits, such as 0-9, in one file; each has the same result as with --repeat",
    )


def repeats_from(args: argparse.Namespace) -> list[int]:
    """Return the numbers of the seeded splits that --repeats or --repeat asks for."""
    if getattr(args, "repeats", None) is None:
        if args.repeat is not None and args.repeat < 0:
            raise UserError(f"--repeat must be at least 0, got {args.repeat}", hint="write e.g. --repeat 1")
        return [args.repeat or 0]
    ends = re.fullmatch(r"([0-9]{1,18})-([0-9]{1,18})", args.repeats)
    if ends is None:
        raise UserError(
            f"--repeats {shortened(args.repeats)}: not of the form A-B", hint="write e.g. --repeats 0-9"
        )
    first, last = int(ends[1]), int(ends[2])
    if abs(last - first) >= MOST_REPEATS:
        raise UserError(
            f"--repeats {args.repeats}: more than {MOST_REPEATS} splits", hint="write e.g. --repeats 0-9"
        )
    if last < first:
        problem = f"--repeats {args.repeats}: ends before it begins"
        raise UserError(problem, hint=f"write e.g. --repeats {last}-{first}")
    return list(range(first, last + 1))


def add_cuts_argument(parser: argparse._ActionsContainer) -> None:
    """Add ``--cuts``, for commands that take numeric features as intervals."""
    parser.add_argument(
        "--cuts",
        metavar="NPZ",
        help="cuts of the numeric features, as 'mlsieve discretise --cuts' found them on the same split",
    )


def cuts_from(args: argparse.Namespace) -> SplitCuts | None:
    """Read --cuts; None without."""
    from mlsieve.discretize.files import SplitCuts

    return None if args.cuts is None else SplitCuts.load(args.cuts)


def split_facts(args: argparse.Namespace) -> dict[str, Any]:
    """Return all that identifies a split but its number; JSON-serialisable."""
    share = {} if args.train_share is None else {"train_share": args.train_share}
    folds = {} if args.folds == "auto" else {"folds": args.folds}
    return {"kind": args.split, "seed": args.split_seed, **share, **folds}


def dataset_from(args: argparse.Namespace, *, divided: bool = False) -> Dataset:
    """Read and split the data that the options of `add_data_arguments` describe.

    A file of the user's own without a test part stays whole, so that every row is a training row, unless it
    is to be `divided` by a seeded split.
    """
    return next(splits_from(args, divided=divided))[1]


def splits_from(args: argparse.Namespace, *, divided: bool = False) -> Iterator[tuple[int, Dataset]]:
    """Read the data once, and yield the number of each split asked for and the data so split.

    What they hold is noted as they are split, and as they are read if they are cross-validated.
    """
    from mlsieve.data import load_dataset
    from mlsieve.data.splits import TRAIN_SHARE, split_dataset

    repeats = repeats_from(args)
    dataset = load_dataset(
        args.data,
        **file_options(args),
        mirror=args.mirror,
        entries=entries_from(args) if args.catalog else None,
    )
    share = TRAIN_SHARE if args.train_share is None else args.train_share
    split = "holdout" if divided and dataset.train_mask.all() else args.split
    if split == "official" and (dataset.official_split or dataset.facts.get("whole")):
        _require_used(args)
    for repeat in repeats:
        part = dataset
        if not getattr(args, "cv", None):
            seeded = {"study_seed": args.split_seed, "repeat": repeat}
            part = split_dataset(dataset, split, train_share=share, folds=args.folds, **seeded)
        if repeat == repeats[0]:
            tell_what_was_read(args.data, part)
        yield repeat, part


def _require_used(args: argparse.Namespace) -> None:
    """Refuse options of a seeded split where there is none, unless --split says that none is wanted.

    A study's commands always name their split, and have all of its options.
    """
    if getattr(args, "cv", None) or is_typed(args.split):
        return
    given = {
        "--train-share": args.train_share is not None,
        "--split-seed": args.split_seed != 0,
        "--repeat": bool(args.repeat),
        "--repeats": getattr(args, "repeats", None) is not None,
        "--folds": args.folds != "auto",
    }
    for option in (option for option, is_given in given.items() if is_given):
        what = f"{option} is for a seeded split, and these rows are not divided by one"
        raise UserError(what, hint=f"add --split holdout, or leave {option} out")


def tell_what_was_read(data: str, dataset: Dataset) -> None:
    """Note what a dataset holds, unless it was read from a prepared file."""
    if not data.endswith(".npz"):
        note(dataset.summary())


def add_direction_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--higher`` and ``--lower``, for commands that compare measures which mlsieve does not know."""
    for direction in ("higher", "lower"):
        help = f"measures of your own where {direction} is better"
        parser.add_argument(f"--{direction}", metavar="A,B", help=help)


def directions_from(args: argparse.Namespace) -> dict[str, str]:
    """Return the better direction of each measure that --higher and --lower name."""
    higher, lower = (words(getattr(args, way) or "") for way in ("higher", "lower"))
    both = next((name for name in higher if name in lower), None)
    if both is not None:
        raise UserError(f"--higher and --lower both name '{both}'", hint="name it in one of them")
    return {**dict.fromkeys(higher, "higher"), **dict.fromkeys(lower, "lower")}


def words(text: str) -> list[str]:
    """Return the parts of a list with commas that are not blank; one with a comma has double quotes.

    Raises
    ------
    UserError
        If quotes do not match.

    Examples
    --------
    >>> words('scls, "k = 5, weighted"')
    ['scls', 'k = 5, weighted']
    """
    line = re.sub(r"\s", " ", text)
    try:
        parts = next(csv.reader([line], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise UserError(
            f"the quotes do not match in the list {text}",
            hint='write a name with a comma in double quotes, such as "C, tuned"; double quotes in it twice',
        ) from None
    return [word.strip() for word in parts if word.strip()]


def whole_number(text: str) -> int:
    """Return the whole number that an option gives: a count, which must not be beyond all computers."""
    return _whole_number(text, 2**31)


def seed_number(text: str) -> int:
    """Return the whole number that an option gives as a seed."""
    return _whole_number(text, 2**63)


def _whole_number(text: str, limit: int) -> int:
    try:
        number = int(text)
    except ValueError:  # also of more digits than Python reads
        raise argparse.ArgumentTypeError(f"'{shortened(text)}' is not a whole number") from None
    if not -limit < number < limit:
        raise argparse.ArgumentTypeError(f"{shortened(text)} is too large")
    return number


def add_threads_argument(parser: argparse._ActionsContainer) -> None:
    """Add ``--threads``."""
    help = "threads (default 1); the result does not depend on it"
    parser.add_argument("--threads", type=whole_number, default=1, metavar="T", help=help)


def add_settings_argument(parser: argparse._ActionsContainer, owner: str = "method") -> None:
    """Add the repeatable ``--set name=value ...`` of a method or an evaluator; see `one_setting_each`."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a parameter of the {owner}, or several with spaces between them; a number with a point is a"
        " share, without one a count",
    )


def one_setting_each(words: Sequence[str]) -> list[str]:
    """Return the words of a command with a ``--set`` before each setting: ``--set k=1 m=2`` has two.

    The first word without "=" ends them, so that DATA may follow.
    """
    found: list[str] = []
    before = ""  # what the word before is: an option, or one of its settings
    for word in words:
        is_setting = "=" in word and not word.startswith("-")
        if is_setting and before == "setting":
            found.append("--set")
        if word == "--set":
            before = "option"
        elif word.startswith("--set=") or (is_setting and before):
            before = "setting"
        else:
            before = ""
        found.append(word)
    return found


def settings_from(words: list[str], option: str = "--set", example: str = "k=15") -> dict[str, Any]:
    """Return the parameters given by ``--set name=value``, or by another option, typed."""
    from mlsieve.registry.parameters import settings_of

    return settings_of(words, option, example)


def positive_threads(args: argparse.Namespace) -> int:
    """Return --threads, at least 1."""
    if args.threads < 1:
        raise UserError(f"--threads must be at least 1, got {args.threads}", hint="write e.g. --threads 2")
    return args.threads
