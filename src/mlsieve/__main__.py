"""``python -m mlsieve`` is the ``mlsieve`` command."""

import sys

from mlsieve.cli import main

if __name__ == "__main__":
    sys.exit(main())
