"""What docs/benchmarks.md says of the rows about classes of a hierarchy, and of memory."""

from __future__ import annotations

NOTES = {
    "hmlc-forest": """\
The train and valid files, as in the paper. CLUS: `-forest` with `Type = Tree` or `DAG`, weights
`ExpAvgParentWeight` 0.75 (on graphs the mean of the parents, as in the paper), the rankings Symbolic and
Genie3, no training error; a whole process that reads an ARFF file. Where it grew fewer than {trees} trees, it
ran twice and the difference of the two is scaled, as above; cut off after its time limit, it gives a lower
bound (>). The ratio leaves out its start ({start} CPU seconds). mlsieve: grow from the data in memory, and
both scores.""",
    "hmlc-bagging": "As above with `EnsembleMethod = Bagging`; {trees} trees.",
    "hmlc-relief": """\
CLUS: `-relief` on all examples, without the Java machine's start ({start} CPU seconds); its distance lacks
the square root. mlsieve: the paper's distance with mu = sets.""",
    "hmlc-complete": """\
scikit-learn: `RandomForestRegressor` on `Y * sqrt(w)` with the classes' weights w, whose variance is the same
impurity, `min_samples_leaf=2`, dense float32 input; scaled to {trees} trees. Fit only on both sides.
derisi_FUN has no missing values; those of gasch1_FUN are replaced by the features' means, for both.""",
    "pairs": """\
A directed acyclic graph of classes, about as many as those of the Gene Ontology that studies use, 1.4 parents
a class. scipy: sparse products of the classes with all above them, all pairs in blocks. mlsieve: a search
that leaves out nearly all pairs and is exact all the same (docs/hierarchical_relief.md). No goal was set.""",
}

MEMORY = {
    "memory": """\
## Peak memory

Largest resident memory of a process that loads the data and grows a random forest, less what it
held when the data were loaded and in the form that it takes; one run a process. The ratio is that
of scikit-learn's lighter form. Both sides grow the number of trees that stands in the table
(scikit-learn's keep a mean of every label in every node).

""",
    "hmlc-memory": """\
## Peak memory with classes of a hierarchy

As above; of CLUS, the largest resident memory of its Java machine, which sizes its heap by itself, less
what it holds after 20 rows. Both sides grow the number of trees that stands in the table; CLUS keeps a mean
of every class in every node, so that its memory grows with the trees.

""",
}
