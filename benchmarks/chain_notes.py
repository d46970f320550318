"""What docs/benchmarks.md says of the rows on label chains."""

from __future__ import annotations

NOTES = {
    "boosting": """\
All boosters grow 20 trees or rounds of depth 6 (bibtex, tmc2007-500: 5) with eta 0.3 and lambda 1.
Only the fit is timed; that of mlsieve includes the coding of the columns and searches all values.
XGBoost bins the values (`tree_method="hist"`) and grows one tree a label or one of all labels
("multi"). CatBoost runs `MultiLogloss` with symmetric or depthwise trees, without labels that no or
every row has, which it refuses. Their input is dense float32. The fastest of the four counts.
Symmetric trees were left out on enron and bibtex, where they take 40 and 58 seconds.""",
    "boosting-multi": """\
XGBoost runs `multi_strategy="multi_output_tree"`, which grows the same trees as mlsieve: the margins
of the training rows agree after each round (`tests/unit/test_boosting_oracle.py`).""",
    "boosting-csr": """\
XGBoost takes cells that a CSR matrix does not hold as missing, and skips them. On binary features a
test of 1 against missing parts the rows as one of 1 against 0 does. There is no goal.""",
    "xdcc": """\
A step grows 10 trees of depth 6 by max_gain, and there are as many steps as labels. There is
no peer: the fit has a limit in seconds.""",
    "rdt": "There is no peer: the growth of 300 trees has a limit in seconds.",
    "rdt-dynamic": """\
The same 300 trees predict the test part along a dynamic chain, and without active label tests, which is
binary relevance. The ratio is the time of binary relevance over that of the chain.""",
}

MEMORY = """\
## Peak memory of ML-XGB

The peak is the largest resident memory of a process that loads the data and fits ML-XGB, minus its
memory after loading the data, in one run. It must stay below three times the size of X and Y in
memory and of a gradient and a hessian of single precision for each row and label. About 0.8 MiB of each
peak is the code that the first fit of a process reads.

"""
