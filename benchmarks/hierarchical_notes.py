"""What docs/benchmarks.md says of the rows about classes of a hierarchy, and of memory."""

from __future__ import annotations

NOTES = {
    "hmlc-forest": """\
The data are the train and valid files, as in the paper. CLUS runs `-forest` with `Type = Tree` or
`DAG`, weights `ExpAvgParentWeight` 0.75 (on graphs the mean of the parents, as in the paper), the
rankings Symbolic and Genie3, and no training error, as a whole process that reads an ARFF file.
mlsieve grows the trees from the data in memory and computes both scores.

Where CLUS grew fewer than {trees} trees, it ran twice and the difference is scaled, as above. Where
it was stopped at its time limit, the result is a lower bound (>). The ratio does not include the
start of CLUS ({start} CPU seconds).""",
    "hmlc-bagging": "CLUS runs as above with `EnsembleMethod = Bagging` and {trees} trees.",
    "hmlc-relief": """\
CLUS runs `-relief` on all examples, with a distance without the square root. The ratio does not
include the start of the Java machine ({start} CPU seconds). mlsieve uses the distance of the paper
with mu = sets.""",
    "hmlc-complete": """\
scikit-learn runs `RandomForestRegressor` with `min_samples_leaf=2` on `Y * sqrt(w)`, where w are
the weights of the classes, so that the variance is the same impurity. The input is dense float32,
and the time is scaled to {trees} trees. Only the fit is timed. derisi_FUN has no missing values.
For both programs, the missing values of gasch1_FUN are replaced by the means of the features.""",
    "pairs": """\
The classes form a directed acyclic graph with 1.4 parents per class. Their number is about that of
the classes of the Gene Ontology that studies use. The scipy code computes sparse products of the
classes with all of their ancestors, for all pairs in blocks. mlsieve uses an exact search that
skips nearly all pairs ([hierarchical_relief.md](hierarchical_relief.md)). There is no goal.""",
}

MEMORY = {
    "memory": """\
## Peak memory

The peak is the largest resident memory of a process that loads the data and grows a random forest,
minus its memory after loading and converting the data, in one run. The ratio is that of
scikit-learn's form with the lower peak. Both programs grow the number of trees in the table. The
trees of scikit-learn store a mean of every label in every node.

""",
    "hmlc-memory": """\
## Peak memory with classes of a hierarchy

The peak is measured as above. For CLUS it is the largest resident memory of its Java machine, which
chooses the size of its heap itself, minus its memory after 20 rows. Both programs grow the number
of trees in the table. CLUS stores a mean of every class in every node, so that its memory grows
with the number of trees.

""",
}
