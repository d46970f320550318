"""pandas and scipy.stats, imported when something of them is first used.

The registry imports every question for its title and its keys of the configuration. The parse of a workflow
and small commands need these, but not the second that importing both libraries takes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from scipy import stats
else:

    class _Lazy:
        """A module that is imported when one of its names is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module(self._name), name)

    pd, stats = _Lazy("pandas"), _Lazy("scipy.stats")

__all__ = ["pd", "stats"]
