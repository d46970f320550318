"""Chains of labels: random decision trees that test labels, and prediction label by label."""
