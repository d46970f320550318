"""``mlsieve datasets``: what the catalog knows, where it is at hand, and whether it is what was published."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mlsieve.cli._options import add_catalog_arguments, entries_from

if TYPE_CHECKING:
    from mlsieve.data.catalog import DatasetEntry

HELP = "list, show, fetch or check the datasets of the catalog"
EXAMPLE = "mlsieve datasets check emotions yeast"
ACTIONS = {
    "list": (
        "list the known datasets, with their sizes and where they are available",
        "mlsieve datasets list",
    ),
    "show": ("show all that is known about datasets", "mlsieve datasets show emotions"),
    "fetch": (
        "fetch the files of datasets into the cache, and verify their checksums",
        "mlsieve datasets fetch emotions --mirror path/to/data",
    ),
    "check": ("compare datasets with the published counts", EXAMPLE),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``mlsieve datasets`` and their options."""
    add_catalog_arguments(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (text, example) in ACTIONS.items():
        action = actions.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        default = {"list": "all", "check": "every dataset that is available"}.get(name)
        ids = "dataset ids" + (f" (default: {default})" if default else "")
        action.add_argument("ids", nargs="*", metavar="ID", help=ids)
        add_catalog_arguments(action, argparse.SUPPRESS)
        action.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
        )


def run(args: argparse.Namespace) -> int:
    """Do what `action` says.

    Returns
    -------
    int
        0. A difference from a published count is printed and is no failure. 2 if something is wrong with the
        data themselves: a checksum, an unreadable file, counts other than the catalog's, or a named set that
        is not available.
    """
    from mlsieve.data.catalog import find_entry
    from mlsieve.errors import UserError

    entries = entries_from(args)
    chosen = [find_entry(id, entries) for id in args.ids]
    if args.action in {"show", "fetch"} and not chosen:
        raise UserError(
            f"datasets {args.action} needs a dataset's id",
            hint="'mlsieve datasets list' shows the known ones",
        )
    if args.action == "list":
        return _list(chosen or list(entries.values()), args.mirror)
    if args.action == "show":
        return _show(chosen, args.mirror)
    if args.action == "fetch":
        return _fetch(chosen, args.mirror)
    return _check(chosen, list(entries.values()), args.mirror)


def _where(entry: DatasetEntry, mirror: str | None) -> str:
    """Return embedded, own, mirror, cache, download, or no, by the file that is farthest away."""
    from mlsieve.data.public.acquire import locate

    if entry.format == "embedded":
        return "embedded"
    found = locate(entry, mirror=mirror)
    places = []
    for role, file in entry.files.items():
        places.append(found[role][0] if role in found else "download" if file.sources else "no")
    return max(places, key=("own", "mirror", "cache", "download", "no").index)


def _list(entries: list[DatasetEntry], mirror: str | None) -> int:
    print(f"{'id':<28} {'task':<5} {'n':>6} {'F':>6} {'L':>4}  available")
    for entry in entries:
        counts = dict(entry.counts)
        if counts:
            counts = {
                "n": counts["n_train"] + counts["n_test"],
                "F": counts["F_numeric"] + counts["F_nominal"],
                **counts,
            }
        elif entry.published:
            counts = dict(next(iter(entry.published.values())))
        numbers = [f"{counts[key]:.0f}" if key in counts else "?" for key in ("n", "F", "L")]
        where = _where(entry, mirror)
        print(f"{entry.id:<28} {entry.task:<5} {numbers[0]:>6} {numbers[1]:>6} {numbers[2]:>4}  {where}")
    return 0


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _show(entries: list[DatasetEntry], mirror: str | None) -> int:
    from mlsieve.data.public.acquire import locate

    for entry in entries:
        print(f"{entry.id}: {entry.task}, format {entry.format}")
        found = locate(entry, mirror=mirror)
        for role, file in entry.files.items():
            where = f"{found[role][0]}: {found[role][1]}" if role in found else "not available"
            print(f"  {role:<7} {file.name} ({where})")
            sources = ", ".join(map(str, file.sources)) or "none"
            print(f"          sha256 {file.sha256 or 'unknown'}; sources: {sources}")
        split = "official" if entry.has_official_split and entry.format != "embedded" else "seeded, 2/3 - 1/3"
        print(f"  split   {split}")
        for source, counts in {"counts": entry.counts, **entry.published}.items():
            if counts:
                words = ", ".join(f"{key} {_shown(value)}" for key, value in counts.items())
                print(f"  {source:<10} {words}")
        facts = {
            "studies": ", ".join(entry.studies),
            "domain": entry.domain,
            "differs from the paper's": "yes" if entry.differs_from_paper else "",
            "stands in for": entry.stands_in_for,
            "reference": entry.reference,
            "origin": entry.origin,
            "notes": entry.notes,
        }
        if entry.incomplete:
            print(f"  incomplete: {entry.incomplete}")
        for key, value in facts.items():
            if value:
                print(f"  {key}: {value}")
    return 0


def _fetch(entries: list[DatasetEntry], mirror: str | None) -> int:
    from mlsieve.data.public.acquire import acquire

    for entry in entries:
        paths = acquire(entry, mirror=mirror)
        print(f"{entry.id}: " + (", ".join(map(str, paths.values())) or "embedded, no files"))
    return 0


def _check(chosen: list[DatasetEntry], known: list[DatasetEntry], mirror: str | None) -> int:
    import sys

    from mlsieve.data.loading import load_entry
    from mlsieve.data.public.check import differences
    from mlsieve.errors import UserError

    at_hand = [entry for entry in known if _where(entry, mirror) in {"embedded", "own", "mirror", "cache"}]
    failed = differing = 0
    for entry in chosen or at_hand:
        try:
            found = differences(entry, load_entry(entry, mirror=mirror))
        except UserError as error:
            print(f"mlsieve: {error}", file=sys.stderr)
            failed += 1
            continue
        failed += any(difference.source == "catalog" for difference in found)
        differing += bool(found)
        verdict = "; ".join(map(str, found)) or "as stated"
        print(
            f"{entry.id}: {verdict}"
            + (" (not the paper's data)" if found and entry.differs_from_paper else ""),
            flush=True,
        )
    if differing:
        print("'mlsieve datasets show ID' shows what is known about a difference")
    if not chosen:
        print(f"{len(at_hand)} of {len(known)} datasets are available")
    return 2 if failed else 0
