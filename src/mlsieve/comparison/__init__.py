"""Comparison of any methods over any datasets, from a table of results."""
