"""Feature ranking and selection for multi-label data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlsieve.comparison.result import compare as compare

__all__ = ["compare"]
__version__ = "0.1.0"
_OFFERED = {"compare": "mlsieve.comparison.result"}


def __getattr__(name: str) -> Any:
    """Import what the package offers by itself only when it is asked for."""
    if name in _OFFERED:
        return getattr(import_module(_OFFERED[name]), name)
    raise AttributeError(f"module 'mlsieve' has no attribute '{name}'")
