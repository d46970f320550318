#!/bin/bash
# Snakemake runs this inside the environment that it has just made from environment.yaml, in the workflow's
# working folder: builds and installs mlsieve from there, with what the environment holds and nothing else.
# Where the workflow is used as a module, that folder is another project's: MLSIEVE_SOURCE says what pip
# installs instead, such as a clone, a wheel or git+ADDRESS@TAG.
set -euo pipefail
source=${MLSIEVE_SOURCE:-.}
if [ "$source" = . ] && ! grep -q '^name = "mlsieve"' pyproject.toml 2>/dev/null; then
  echo "mlsieve: $PWD is not the repository; run 'snakemake --sdm conda' at its root, without --directory," \
    "or set MLSIEVE_SOURCE to what pip installs: a clone, a wheel or git+ADDRESS@TAG" >&2
  exit 1
fi
python -m pip install --quiet --no-deps --no-build-isolation "$source"
