"""Subtrees small enough that one word of bits holds their examples.

Most nodes of a tree are small, and each looks at as many features as a large one. Where all features have two values
and all weights are counts, an example of weight w takes w bits of a word; a feature, a label and a node are one word
each, and the weight of the examples that they share is the number of bits that they share.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport THRESHOLD
from mlsieve._kernels.common.random_numbers cimport make_key
from mlsieve._kernels.common.simd cimport count_bits
from mlsieve._kernels.trees.node.candidate_features cimport draw_candidates
from mlsieve._kernels.trees.node.gains cimport (
    MIN_GAIN, RELATIVE_TIE, Split, Totals, begin_search, least_needed_gain, may_gain, near_gain
)
from mlsieve._kernels.trees.node.node_records cimport add_leaf_label, close_node, open_node, take_test
from mlsieve._kernels.trees.split.sparse_features cimport offer_binary

cdef extern from *:
    """
    // The labels that the examples have: their place among the root's, words, weights, counts and wC; returns how many.
    MLSIEVE_WIDEST
    static long small_counts(uint64_t examples, long n_labels, const uint64_t* label_bits, const double* weight,
                             SmallLabels& own, double* B, double* mass) {
        long found = 0;
        double sum = 0, sum_of_squares = 0;
        for (long t = 0; t < n_labels; ++t) {
            const double count = (double)(int)__builtin_popcountll(label_bits[t] & examples);
            const double product = weight[t] * count;
            own.place[found] = (int32_t)t;
            own.words[found] = label_bits[t];
            own.weight[found] = weight[t];
            own.count[found] = count;
            own.wC[found] = product;
            sum += product;
            sum_of_squares += product * count;
            found += count > 0;              // no branch
        }
        *B = sum_of_squares;
        *mass = sum;
        return found;
    }

    // The sides of the tests on the features in the mask: n, B and X of the listed rows; returns how many can be taken.
    MLSIEVE_WIDEST
    static long small_sides(long n_words, const uint64_t* mask, const uint64_t* column, uint64_t examples,
                            double n, double min_leaf, long n_labels, const uint64_t* label_bits, const double* w,
                            const double* wC, Side* sides) {
        long found = 0;
        for (long i = 0; i < n_words; ++i) {
            for (uint64_t word = mask[i]; word != 0; word &= word - 1) {
                const int32_t feature = (int32_t)(64 * i + lowest_bit(word));
                const uint64_t side = column[feature] & examples;
                const double n_side = (double)(int)__builtin_popcountll(side);
                if (n_side < min_leaf || n - n_side < min_leaf) continue;
                double B = 0, X = 0;
                for (long t = 0; t < n_labels; ++t) {
                    const double c = (double)(int)__builtin_popcountll(label_bits[t] & side);
                    B += w[t] * c * c;
                    X += wC[t] * c;
                }
                sides[found].feature = feature;
                sides[found].n = n_side;
                sides[found].B = B;
                sides[found].X = X;
                ++found;
            }
        }
        return found;
    }
    """
    long small_counts(
        uint64_t examples, long n_labels, const uint64_t* label_bits, const double* weight, SmallLabels& own, double* B,
        double* mass
    ) noexcept nogil
    long small_sides(
        long n_words, const uint64_t* mask, const uint64_t* column, uint64_t examples, double n, double min_leaf,
        long n_labels, const uint64_t* label_bits, const double* w, const double* wC, Side* sides
    ) noexcept nogil

cdef int32_t WORD = 64


cdef int prepare_words(Words* words, const Data* data) except -1 nogil:
    words.may_be_used = data.facts.complete and data.facts.all_binary and data.facts.n_dense == 0
    words.place_of_label.resize(data.labels.n_labels)
    words.sides.resize(data.options.n_candidates)


cdef bint fits_a_word(const Words* words, const Facts* facts, double weight) noexcept nogil:
    """Whether a node of that weight and all below it can be grown from words of bits."""
    return words.may_be_used and facts.whole and 1.0 <= weight <= WORD


cdef void put_into_words(Words* words, const Example* examples, const Data* data, const Subtree* root) noexcept nogil:
    """Write the features' and the labels' words over the root's examples."""
    cdef int64_t i, q, t
    cdef int32_t row, weight, first = 0
    cdef uint64_t own
    words.word_of_feature.assign(data.columns.n_features, 0)
    words.word_of_label.assign(root.n_labels, 0)
    words.weight_of_label.resize(root.n_labels)
    for t in range(root.n_labels):
        words.place_of_label[root.label[t]] = <int32_t>t
        words.weight_of_label[t] = data.labels.weight[root.label[t]]
    words.labels.place.resize(root.n_labels)
    words.labels.words.resize(root.n_labels)
    words.labels.weight.resize(root.n_labels)
    words.labels.count.resize(root.n_labels)
    words.labels.wC.resize(root.n_labels)
    for i in range(root.n_rows):
        prefetch_row(examples, data, root, i)
        row = root.rows[i]
        weight = <int32_t>examples[row].weight
        own = (~<uint64_t>0 >> (WORD - weight)) << first
        first += weight
        for q in range(data.columns.row_start[row], data.columns.row_start[row + 1]):
            words.word_of_feature[data.columns.row_feature[q]] |= own
        for q in range(examples[row].first, examples[row].last):
            words.word_of_label[words.place_of_label[data.labels.index[q]]] |= own


cdef double count_small(Words* words, uint64_t members, double n, Totals* totals) noexcept nogil:
    """Count the node's labels; return its impurity times its weight, or 0 if that is a rounding error."""
    cdef double mass, impurity
    totals.n = n
    words.n_labels = small_counts(
        members, <long>words.word_of_label.size(), words.word_of_label.data(), words.weight_of_label.data(), words.labels,
        &totals.B, &mass
    )
    totals.tie = RELATIVE_TIE * mass
    impurity = mass - totals.B / totals.n - totals.tie
    return impurity if impurity > 0.0 else 0.0


cdef void find_small_split(
    Words* words, Candidates* candidates, const Data* data, const Totals* totals, uint64_t members, uint64_t tree,
    int32_t node, Split* best
) noexcept nogil:
    cdef int64_t i, n_words = <int64_t>candidates.mask.size(), found
    cdef Side side
    cdef double near = near_gain(totals, least_needed_gain(best, totals))
    if data.facts.tries_all:
        candidates.mask.assign(candidates.every.begin(), candidates.every.end())
    else:
        draw_candidates(candidates, data, tree, node)
    found = small_sides(
        n_words, candidates.mask.data(), words.word_of_feature.data(), members, totals.n, data.options.min_leaf,
        words.n_labels, words.labels.words.data(), words.labels.weight.data(), words.labels.wC.data(), words.sides.data()
    )
    candidates.mask.assign(n_words, 0)
    for i in range(found):
        side = words.sides[i]
        if may_gain(totals, near, side.n, side.B, side.X) and offer_binary(
            data, totals, side.n, side.B, side.X, side.feature, make_key(data.options.seed, tree, THRESHOLD), node, best
        ):
            near = near_gain(totals, least_needed_gain(best, totals))


cdef void close_small_leaf(const Words* words, const Subtree* root, Tree* grown) noexcept nogil:
    cdef int64_t t
    for t in range(words.n_labels):
        add_leaf_label(grown, root.label[words.labels.place[t]], words.labels.count[t])
    close_node(grown)


cdef void grow_small(
    Words* words, Candidates* candidates, const Example* examples, const Data* data, const Subtree* root, uint64_t tree,
    Tree* grown
) noexcept nogil:
    """Grow a node and all below it."""
    cdef SmallPending item, child
    cdef Totals totals
    cdef Split best
    cdef int32_t node
    cdef uint64_t listed
    cdef double n
    cdef bint rest
    put_into_words(words, examples, data, root)
    item.examples = ~<uint64_t>0 >> (WORD - <int32_t>root.weight)
    item.weight = <int32_t>root.weight
    item.parent = root.parent
    item.depth = root.depth
    item.is_yes = root.is_yes
    words.stack.push_back(item)
    while words.stack.size() > 0:
        item = words.stack.back()
        words.stack.pop_back()
        n = <double>item.weight
        node = open_node(grown, item.parent, item.is_yes, item.depth, n)
        begin_search(&best, &totals, &data.options, tree, node)
        if count_small(words, item.examples, n, &totals) > MIN_GAIN and n >= 2.0 * data.options.min_leaf:
            find_small_split(words, candidates, data, &totals, item.examples, tree, node, &best)
        if best.feature < 0:
            close_small_leaf(words, root, grown)
            continue
        take_test(data, &best, node, grown)
        close_node(grown)
        listed = words.word_of_feature[best.feature]
        rest = data.columns.rest_code[best.feature] > best.code
        child.parent = node
        child.depth = item.depth + 1
        child.is_yes = False
        child.examples = item.examples & (listed if rest else ~listed)
        child.weight = count_bits(child.examples)
        grown.yes_share[node] = (n - child.weight) / n
        words.stack.push_back(child)
        child.is_yes = True
        child.examples = item.examples & (~listed if rest else listed)
        child.weight = item.weight - child.weight
        words.stack.push_back(child)
