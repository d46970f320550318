"""The compiled kernels, private to mlsieve: trees, nearest rows and Relief, discrete features, chains.

Python modules validate the arrays and own them; kernels borrow them and release the GIL. In each diagram a
kernel calls those below it. Between the folders, calls go from left to right only:

    trees.grow -> trees.fast -> trees.split -> trees.node -> common
    trees.walk, neighbors, discrete, chains, boosting -> common

Growing trees: each node's features are judged one by one. The kernels of `fast` find the same tests as those
of `split` in less time, on the data named at the right.

    grow.tree_grower          TreeGrower, the class that Python calls; bootstrap samples
    +- grow.grown_trees       GrownTrees: the trees as numpy arrays
    +- grow.one_tree          grows one tree: takes nodes off a stack and chooses the kernels
       +- grow.pending_nodes             the stack: rows and label counts of nodes, division of a node
       +- node.candidate_features        draws the features that the node tries
       +- split.numeric_features         best or random threshold of a feature
       |  +- split.few_label_thresholds  the best threshold, eight at once      at most 23 labels
       +- split.nominal_features         best or random subset of categories
       +- split.sparse_features          rows that sparse features list; features of two values
       +- fast.count_tables              label counts of all tests              all features tried, few values
       |  +- fast.table_sums             gains of many tests at once
       +- fast.inherited_lists           sorted rows of sparse features         all features tried
       +- fast.shared_labels             labels of at least two rows            dense features, many labels
       +- fast.row_pairs                 labels that two rows share             the same, at most 64 rows
       +- fast.bit_subtrees              whole subtrees, rows as bits           two values, features drawn
       |  +- fast.bit_sums               label sums of rows given by bits
       +- fast.word_subtrees             whole subtrees, a feature as one word  two values, weight at most 64
       +- node.node_records              writes the node into the tree
    They share node.data (the data, the options and what follows from them), node.gains (gains and ties of
    tests), node.node_rows (examples, pending nodes), node.label_sums (label sums of one side of a test) and
    node.sorted_rows (a node's rows in the order of one feature, sorted or inherited from its parent).

What a kernel keeps between calls is a struct in its .pxd, sized by a function `prepare_...` beside it: thus a
signature names all that the function may change. grow.grower_memory holds one struct of each kernel, and only
the kernels of `grow` see all of them.

Reading trees; walk.tree_nodes holds the arrays of one:

    walk.prediction              label means for new rows
    walk.node_variance           label variances in the nodes
    walk.permutation             wrong labels of out-of-bag rows, with one feature permuted at a time
    walk.pooled_permutation      the same for 1 - pooled AUPRC
    walk.piled_permutation       the same with permutations that pile up, as in CLUS
    +- walk.out_of_bag           a tree with its out-of-bag rows, the nodes that each meets (all three)
    +- walk.pair_scores          the precision-recall curve of all (row, label) pairs (the last two)
       +- walk.score_keys, walk.pooled_curve

Comparing rows, with neighbors.nearest_rows (distance of two cells, choice of the nearest rows, ties):

    neighbors.weighted_neighbors     K nearest training rows, counts of their labels
    +- neighbors.product_tiles       bounds of the distances, from products in single precision
    +- neighbors.exact_distance      the distances in double precision
    neighbors.relief                 Relief for several targets: nearest rows
    +- neighbors.label_set_distance
    neighbors.relieff                ReliefF: nearest rows of each class
    +- neighbors.comparison          distances of an example to all rows, approximate and exact (both)
    neighbors.farthest_sets          the two label sets of a hierarchy that differ most

Discrete features: discrete.mutual_information, co_information (with pairs of labels), laim and mdlp (cuts).
They share rows_by_code (a feature's rows in the order of its codes).

Boosting, with boosting.boosted_data (the structs that all share):

    boosting.booster                 Booster, the class that Python calls: grows a tree, fills its leaves
    +- boosting.contents             digests of columns, which decide between equal tests
    +- boosting.gradients            gradients of the logistic loss; the blocks of them that nodes search
    +- boosting.histograms           sums of a node's rows by bin, for columns of few values
    +- boosting.node_tests           the best test of a node
    |  +- boosting.split_scores      one pass over a column's items; the six scores
    |     +- common.label_vectors  vectors with a label in each lane, and the step from lanes to scores
    +- boosting.division             from a node to its children
    boosting.boosted_prediction      margins of new rows
    common.logistic                  their probabilities

Chains of labels by random decision trees, whose nodes are those of chains.random_nodes:

    chains.random_trees          grows trees on features and labels; every test is drawn
    chains.label_chain           sets labels one by one; the leaves that a row reaches only become fewer
    +- chains.reached_leaves     the leaves that a row reaches, and the label tests that part them
    +- chains.pooled_counts      weights of trees, and sums of their shares that are exact in any order

Dividing rows: common.stratification gives each row its part, so that parts have equal shares of labels.

Everywhere: common.data_structs (the structs below), array_conversion (numpy arrays as structs, and back),
random_numbers (a draw is a function of its key and counters), tasks (shared out among threads), simd (vector
instructions), binary_search.

Arrays of n rows, F features and L labels:

    Columns (a ColumnStore in Python, made by common.feature_codes): each value is its rank, the "code"
        codes                                   int32 (n_dense, n), -1: missing; dense_slot: (F,) its rows
        column_start, column_row, column_code   sparse features by column: rows without the commonest value
        row_start, row_feature, row_code        the same by row; rest_code: (F,) code of all other rows
        value_start, values                     distinct values of each feature, rising
        n_categories                            (F,) above 2 for a nominal feature, else 0
    Labels: start, index                        int64 (n + 1,), int32: positive labels of each row
            weight                              float64 (L,) weight w_j of each label in the impurity
    Tree:   feature, yes, no, threshold, ...    one entry a node in preorder, "yes" first; feature -1: leaf
            subset_start, subset                categories that go to "yes"
            leaf_start, leaf_label, leaf_count  weighted positives of each label in a leaf
    low, span, n_values                         (F,) minimum, range, number of categories (0: numeric)
    xlogx                                       (n + 1,) x log2(x) of every possible count
"""
