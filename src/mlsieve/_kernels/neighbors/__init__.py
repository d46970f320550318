"""Kernels that compare rows: nearest neighbours, Relief, and the label sets that differ most."""
