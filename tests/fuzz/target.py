"""One reader under libFuzzer, by atheris: ``python -m tests.fuzz.target READER [OPTIONS]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

# What is compiled tells no coverage.
READING = [
    *(
        "mlsieve.files.arrays",
        "mlsieve.errors",
        "mlsieve.files.writing",
        "mlsieve.hierarchy",
        "mlsieve.files.yaml",
    ),
    *("mlsieve.data", "mlsieve.discretize.files", "mlsieve.rankings.files", "mlsieve.trees.walkable"),
    *("mlsieve.trees.ensemble", "mlsieve.evaluation.predictions", "zipfile"),
]
with atheris.instrument_imports(include=READING):
    from tests.fuzz.readers import outcome
    from tests.fuzz.seeds import starting_inputs


def main() -> None:
    """Fuzz until libFuzzer ends the process: by its time, or by a crash."""
    reader, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def one_input(data: bytes) -> None:
            outcome(reader, data, folder)

        outcome(reader, starting_inputs(reader)[0], folder)  # what is imported or made once is no slow input
        atheris.Setup([sys.argv[0], *options], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
