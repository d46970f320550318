"""Reading grown trees: predictions, errors of permuted features, variances of the nodes."""
