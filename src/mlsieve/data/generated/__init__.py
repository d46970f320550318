"""Datasets made by code, whose relevant features are known, and those that a dependency ships."""
