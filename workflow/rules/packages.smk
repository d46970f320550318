"""Requires Snakemake 9, and says in one line what to install if this Python lacks the package or one it imports."""

import os
import sys

from snakemake.utils import min_version

min_version("9.0")

try:
    import mlsieve.workflow.run
except ModuleNotFoundError as error:
    missing = str(error.name).partition(".")[0]
    home = os.path.dirname(os.path.dirname(str(workflow.current_basedir).rstrip("/")))
    clone = os.path.isfile(os.path.join(home, "Makefile"))
    install = (
        f"run 'make setup' in {home}, and start its .venv/bin/snakemake"
        if clone
        else f"install mlsieve for this Python, also where rules run in environments of their own:"
        f" {sys.executable} -m pip install 'mlsieve[study]'"
    )
    print(
        f"mlsieve: {sys.executable}: the Python package '{missing}' is not installed; {install}",
        file=sys.stderr,
    )
    sys.exit(2)
