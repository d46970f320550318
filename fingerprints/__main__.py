"""``python -m fingerprints``: what was changed without a raised version; ``--renew`` writes the lock anew."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fingerprints.closure import Sources
from fingerprints.lock import LOCK, changes, read_lock, renewed
from fingerprints.units import all_units, behind
from mlsieve.errors import UserError
from mlsieve.files import write_text

SOURCE = Path(__file__).resolve().parents[1] / "src"


def main(arguments: list[str] | None = None) -> int:
    """Check or renew the lock; 1 where something was changed without a raised version, 2 where refused."""
    parser = argparse.ArgumentParser(prog="python -m fingerprints", description=__doc__)
    parser.add_argument(
        "--renew", action="store_true", help="write the lock anew, unless a version is missing"
    )
    parser.add_argument(
        "--same-results",
        action="append",
        default=[],
        metavar="NAME",
        help="sources of NAME (such as 'ranker pct', or all) changed, but no result did; repeatable",
    )
    parser.add_argument("--sources", metavar="NAME", help="list what stands behind NAME, and end")
    args = parser.parse_args(arguments)
    units = all_units()
    found = behind(units, Sources(SOURCE))
    if args.sources:
        lines = [str(source) for each in found if each.unit.name == args.sources for source in each.sources]
        print("\n".join(lines) or f"nothing with a version is called '{args.sources}'")
        return 0 if lines else 2
    lock = read_lock(LOCK)
    changed = changes(found, lock)
    for change in changed:
        print(change.line())
    if not args.renew:
        gone = sorted(lock["units"].keys() - {unit.name for unit in units})
        print(
            "\n".join(f"{name} is gone: run python -m fingerprints --renew" for name in gone),
            end="\n" * bool(gone),
        )
        return int(bool(changed or gone))
    try:
        write_text(LOCK, renewed(found, lock, args.same_results))
    except UserError as error:
        print(f"fingerprints: {error}", file=sys.stderr)
        return 2
    print(f"{LOCK.name}: {len(units)} versions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
