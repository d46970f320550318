"""Figures about chains of labels."""
