"""Readers of the file formats in which multi-label data are published."""
