"""Figures about methods as they are."""
