"""``mlsieve step acquire``: which datasets of a study are available."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE

HELP = "list which datasets of a study are available, and which are not"
EXAMPLE = (
    "mlsieve step acquire results/mine/configuration/datasets.json --available a.csv --unavailable u.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("study", metavar="JSON", help="the study's datasets, as the workflow writes them")
    parser.add_argument(
        "--available", type=CSV_FILE, metavar="CSV", required=True, help="output: dataset, source"
    )
    parser.add_argument(
        "--unavailable",
        type=CSV_FILE,
        metavar="CSV",
        required=True,
        help="output: dataset, reason",
    )


def run(args: argparse.Namespace) -> int:
    """Download what is not at hand; write both tables.

    A reduced copy is listed as unavailable where its complete dataset is available. A checksum mismatch does
    not make a set unavailable: its prepare job then fails with that error.
    """
    import sys

    from mlsieve.configuration.merge import read_json
    from mlsieve.data.catalog import catalog
    from mlsieve.data.public.acquire import Unavailable, acquire, locate, replaced
    from mlsieve.errors import UserError
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.files.writing import write_text
    from mlsieve.study.parts import is_own

    items = read_json(args.study)["datasets"]
    entries = catalog(inline=[item for item in items if is_own(item)])
    available: list[dict[str, str]] = []
    unavailable: list[dict[str, str]] = []
    for item in items:
        entry = entries[item["id"]]
        try:
            where = sorted({place for place, _ in locate(entry).values()}) or ["download"]
            if entry.format == "embedded":
                where = ["embedded"]
            else:
                acquire(entry)
        except Unavailable as error:
            unavailable.append({"dataset": entry.id, "reason": error.reason})
            print(f"{entry.id}: not available: {error.reason}", file=sys.stderr)
            continue
        except UserError as error:
            print(f"{entry.id}: {error}", file=sys.stderr)
            where = ["damaged"]
        available.append({"dataset": entry.id, "source": "+".join(where)})
        print(f"{entry.id}: {'+'.join(where)}", file=sys.stderr)
    whole = [row["dataset"] for row in available if row["source"] != "damaged"]
    for id, reason in replaced((entries[item["id"]] for item in items), whole).items():
        if any(row["dataset"] == id for row in available):
            available = [row for row in available if row["dataset"] != id]
            unavailable.append({"dataset": id, "reason": reason})
            print(f"{id}: left out: {reason}", file=sys.stderr)
    if unavailable and not available:
        which = (
            "the study's dataset is not"
            if len(items) == 1
            else f"none of the study's {len(items)} datasets is"
        )
        first = "" if len(unavailable) == 1 else "first: "
        raise UserError(
            f"{which} available ({first}{unavailable[0]['reason']})",
            hint="set MLSIEVE_MIRROR to a folder that holds them, or connect to a network",
        )
    write_text(args.available, as_csv(("dataset", "source"), available))
    write_text(args.unavailable, as_csv(("dataset", "reason"), unavailable))
    return 0
