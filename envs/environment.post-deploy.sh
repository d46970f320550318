#!/bin/bash
# Snakemake runs this inside the environment that it has just made from environment.yaml, in the workflow's
# working folder: builds and installs mlsieve from there, with what the environment holds and nothing else.
set -euo pipefail
if ! grep -q '^name = "mlsieve"' pyproject.toml 2>/dev/null; then
  echo "mlsieve: $PWD is not the repository; run 'snakemake --sdm conda' at its root, without --directory" >&2
  exit 1
fi
python -m pip install --quiet --no-deps --no-build-isolation .
