"""Structs, arrays and random numbers that all kernels use, and the coding of features."""
