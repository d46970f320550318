"""SciPy without the subpackages of NumPy that nobody uses, for commands that a study starts thousands of."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any

# SciPy's copy of NumPy takes every name of it, and so imports f2py, testing, ma and others.
_COPY = "scipy._lib.array_api_compat.numpy"


def import_lightly() -> None:
    """Import SciPy's copy of NumPy while NumPy names only what is loaded.

    What the copy then lacks comes from NumPy when it is asked for. Nothing is done if SciPy is loaded
    already; if it has no such copy, or another one, it is imported as usual.
    """
    if "scipy" in sys.modules:
        return
    import numpy

    own = vars(numpy)
    before: dict[str, Any] = {name: own[name] for name in ("__all__", "__dir__") if name in own}
    loaded = [name for name in dir(numpy) if name in own]
    offered = [name for name in numpy.__all__ if name in own]
    own.update(__all__=offered, __dir__=lambda: loaded)
    try:
        with contextlib.suppress(Exception):
            copy = importlib.import_module(_COPY)
            vars(copy).setdefault("__getattr__", lambda name: getattr(numpy, name))
    finally:
        del own["__all__"], own["__dir__"]
        own.update(before)
