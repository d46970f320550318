"""Distances of examples by their features, and of their label sets."""
