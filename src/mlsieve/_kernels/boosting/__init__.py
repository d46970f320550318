"""Kernels of boosted trees with a vector of label values in each leaf."""
