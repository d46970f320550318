"""Any methods compared over any datasets, from a table of results."""

from mlsieve.comparison.options import Options
from mlsieve.comparison.result import MethodComparison

__all__ = ["MethodComparison", "Options"]
