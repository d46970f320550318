"""Feature ranking and selection for multi-label data."""

__version__ = "0.1.0"
