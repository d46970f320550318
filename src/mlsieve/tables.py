"""Columns of the tables that several steps write or read."""

PERFORMANCE = (
    "dataset",
    "split",
    "method",
    "ensemble",
    "score",
    "size",
    "repeat",
    "evaluator",
    "measure",
    "definition",
    "value",
    "features",  # that the evaluator used
)

# In the column `test` of tests.csv: a pair that no test compares, because Friedman's is not significant.
EFFECT_SIZE = "effect-size"

# In the column `test`: the second test where each family of related data sets counts once (see
# `mlsieve.stats.families`), beside Friedman's or Wilcoxon's.
PERMUTATION = "family-permutation"

# In the column `variant`: one value for each family of related data sets.
BY_FAMILY = "related-collapsed"

# In the column `data` of published_columns.csv: which datasets a published column is compared on.
ALL_DATA, OWN_DATA = "all", "the paper's"
