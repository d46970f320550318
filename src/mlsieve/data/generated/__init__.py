"""Synthetic datasets, whose relevant features are known, and those that a dependency ships."""
