"""Requires Snakemake 9, and says in one line what to install if this Python lacks the package or one it imports."""

import os
import sys

from snakemake.utils import min_version

min_version("9.0")

try:
    import mlsieve.workflow.run
except ModuleNotFoundError as error:
    missing = str(error.name).partition(".")[0]
    home = os.path.dirname(str(workflow.current_basedir).rstrip("/"))
    print(
        f"mlsieve: {sys.executable}: the Python package '{missing}' is not installed; run 'make setup' in"
        f" {os.path.dirname(home)}, and start its .venv/bin/snakemake",
        file=sys.stderr,
    )
    sys.exit(2)
