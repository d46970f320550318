"""Subtrees of data all of whose features have two values, grown from bits.

The rows of a subtree's root are numbered; a feature lists its rows, and a node its own, by one bit each. The rows of a
feature in a node are those whose bits they share, and no row is ever moved. The deeper the node, the fewer of the bits
are its own: once they would fill a sixteenth of the words only, its rows are numbered anew, and in the end each node is
a single word (see word_subtrees). The labels are numbered anew likewise.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from mlsieve._kernels.common.data_structs cimport THRESHOLD, Labels
from mlsieve._kernels.common.random_numbers cimport make_key
from mlsieve._kernels.trees.fast.bit_sums cimport part_counts, part_members, places_of, sum_counts, sum_sides
from mlsieve._kernels.trees.fast.word_subtrees cimport fits_a_word, grow_small, prefetch_row
from mlsieve._kernels.trees.node.candidate_features cimport draw_candidates
from mlsieve._kernels.trees.node.data cimport Facts
from mlsieve._kernels.trees.node.gains cimport (
    MIN_GAIN, RELATIVE_TIE, Split, Totals, begin_search, least_needed_gain, may_gain, near_gain
)
from mlsieve._kernels.trees.node.node_records cimport add_leaf_label, close_node, open_node, take_test
from mlsieve._kernels.trees.split.sparse_features cimport offer_binary

cdef int64_t THINNED = 16            # times fewer words, and the rows are numbered anew
cdef double WORDS_A_CELL = 8.0        # more bits than that for a listed cell are slower than lists
cdef double MOST_WORDS = 33554432.0   # 256 MiB
cdef double MOST_COUNTED = 65535.0    # weight that fits the count of a label
cdef double HEAVIEST = 255.0          # weight that fits a byte
cdef int32_t MOST_LEVELS = 12         # each has a sixteenth of the words at most, and there are 2**25 at most


cdef int prepare_bits(Bits* bits, const Data* data, const Words* words) except -1 nogil:
    bits.may_be_used = words.may_be_used and not data.facts.tries_all
    bits.level.resize(MOST_LEVELS + 1)
    bits.places.resize(data.columns.n_rows + 4)
    bits.sides.resize(data.options.n_candidates)
    bits.place_of_label.resize(data.labels.n_labels)
    bits.side.assign(data.labels.n_labels + 64, 0.0)


# ---------------------------------------------------------------------------------------------- rows numbered anew


cdef inline int64_t words_for(int64_t n_rows) noexcept nogil:
    return (n_rows + 63) // 64


cdef bint fits_bits(const Bits* bits, const Data* data, int64_t n_rows) noexcept nogil:
    """Whether a subtree of that many rows can be grown from bits, and that is worth it."""
    cdef double n_bits = <double>data.columns.n_features * words_for(n_rows)
    return (
        bits.may_be_used and data.facts.whole and n_bits <= MOST_WORDS
        and n_bits <= WORDS_A_CELL * data.facts.mean_listed * n_rows
    )


cdef void number_rows(const Example* examples, const Data* data, const Subtree* root, Level* level) noexcept nogil:
    """Write the features' bits over the root's rows."""
    cdef int64_t i, q, n_words = words_for(root.n_rows)
    cdef uint64_t own
    cdef uint64_t* words
    level.n_words = n_words
    if root.rows != level.row.data():
        level.row.assign(root.rows, root.rows + root.n_rows)
    level.bits.assign(data.columns.n_features * n_words, 0)
    for i in range(root.n_rows):
        prefetch_row(examples, data, root, i)
        words = level.bits.data() + (i >> 6)
        own = <uint64_t>1 << (i & 63)
        for q in range(data.columns.row_start[root.rows[i]], data.columns.row_start[root.rows[i] + 1]):
            words[data.columns.row_feature[q] * n_words] |= own


cdef void number_labels(
    Bits* bits, const Example* examples, const Labels* labels, const Subtree* root, Level* level
) noexcept nogil:
    """Write the rows' labels, numbered by their order among the root's, as lists."""
    cdef int64_t i, t, n_labels = (root.n_labels + 7) // 8 * 8
    cdef int32_t q
    cdef int32_t* index
    cdef const Example* example
    if root.label != level.label.data():
        level.label.assign(root.label, root.label + root.n_labels)
    level.weight_of_label.assign(n_labels, 0.0)
    for t in range(root.n_labels):
        bits.place_of_label[root.label[t]] = <int32_t>t
        level.weight_of_label[t] = labels.weight[root.label[t]]
    level.label_start.resize(root.n_rows + 1)
    level.label_start[0] = 0
    for i in range(root.n_rows):
        example = &examples[root.rows[i]]
        level.label_start[i + 1] = level.label_start[i] + example.last - example.first
    level.label_index.resize(level.label_start[root.n_rows])
    for i in range(root.n_rows):
        example = &examples[root.rows[i]]
        index = level.label_index.data() + level.label_start[i] - example.first
        for q in range(example.first, example.last):
            index[q] = bits.place_of_label[labels.index[q]]


cdef void number_all(Bits* bits, const Example* examples, const Data* data, Level* level) noexcept nogil:
    """Number all rows and labels, once for all trees: those that a tree does not see are in no node."""
    cdef Subtree every
    cdef int32_t i
    level.row.resize(data.columns.n_rows)
    for i in range(data.columns.n_rows):
        level.row[i] = i
    level.label.resize(data.labels.n_labels)
    for i in range(data.labels.n_labels):
        level.label[i] = i
    every.rows = level.row.data()
    every.n_rows = data.columns.n_rows
    every.label = level.label.data()
    every.n_labels = data.labels.n_labels
    number_rows(examples, data, &every, level)
    number_labels(bits, examples, &data.labels, &every, level)


cdef void weigh_rows(const Example* examples, const Subtree* root, bint of_all_rows, Level* level) noexcept nogil:
    """Write the weights of the numbered rows; those outside the root have none."""
    cdef int64_t i
    level.weight.assign(level.row.size(), 0.0)
    level.place.resize(root.n_rows)
    for i in range(root.n_rows):
        level.place[i] = root.rows[i] if of_all_rows else <int32_t>i
        level.weight[level.place[i]] = examples[root.rows[i]].weight


cdef void write_bytes(const Facts* facts, const Subtree* root, Level* level) noexcept nogil:
    """Where labels are few, write each row's weight at its labels' bytes, and at the last."""
    cdef int64_t i, q, n_labels = <int64_t>level.label.size()
    cdef uint8_t weight
    cdef uint8_t* bytes
    level.width = 0
    level.weight_of_label.resize((n_labels + 7) // 8 * 8)   # another tree may have padded it
    if n_labels > 63 or root.weight > MOST_COUNTED or facts.heaviest > HEAVIEST:
        return
    level.run = <int32_t>(HEAVIEST / facts.heaviest)
    level.width = 16 if n_labels < 16 else 32 if n_labels < 32 else 64
    level.weight_of_label.resize(level.width, 0.0)
    level.bytes.assign(level.row.size() * level.width, 0)
    for i in range(root.n_rows):
        weight = <uint8_t>level.weight[level.place[i]]
        bytes = level.bytes.data() + <int64_t>level.place[i] * level.width
        for q in range(level.label_start[level.place[i]], level.label_start[level.place[i] + 1]):
            bytes[level.label_index[q]] = weight
        bytes[level.width - 1] = weight


cdef void push_bit_root(Bits* bits, const Subtree* root, const Level* level) noexcept nogil:
    """Put the root on the stack: its rows, and their counts."""
    cdef int64_t i, q, n_labels = <int64_t>level.weight_of_label.size()
    cdef int32_t place
    cdef BitNode node
    cdef double* count
    node.member = <int64_t>bits.members.size()
    node.count = <int64_t>bits.counts.size()
    node.n_rows = root.n_rows
    node.weight = root.weight
    node.parent = root.parent
    node.depth = root.depth
    node.is_yes = root.is_yes
    bits.members.resize(node.member + level.n_words, 0)
    bits.counts.resize(node.count + n_labels, 0.0)
    count = bits.counts.data() + node.count
    for i in range(root.n_rows):
        place = level.place[i]
        bits.members[node.member + (place >> 6)] |= <uint64_t>1 << (place & 63)
        for q in range(level.label_start[place], level.label_start[place + 1]):
            count[level.label_index[q]] += level.weight[place]
    bits.stack.push_back(node)


# ---------------------------------------------------------------------------------------------- one node


cdef double load_bit_counts(Bits* bits, const Level* level, const BitNode* item, Totals* totals) noexcept nogil:
    """Take up the node's label counts; return its impurity times its weight, or 0 if that is a rounding error."""
    cdef double mass, impurity
    cdef int64_t n_labels = <int64_t>level.weight_of_label.size()
    bits.wC.resize(n_labels)
    totals.n = item.weight
    sum_counts(n_labels, level.weight_of_label.data(), bits.counts.data() + item.count, bits.wC.data(), &totals.B, &mass)
    totals.tie = RELATIVE_TIE * mass
    impurity = mass - totals.B / totals.n - totals.tie
    return impurity if impurity > 0.0 else 0.0


cdef double find_bit_split(
    Bits* bits, Candidates* candidates, const Data* data, const Level* level, const Totals* totals, const BitNode* item,
    uint64_t tree, int32_t node, Split* best
) noexcept nogil:
    """Find the node's test; return the weight of the rows that its feature lists."""
    cdef int64_t i, first = 0, last = level.n_words - 1, found
    cdef const uint64_t* member = bits.members.data() + item.member
    cdef const Side* side
    cdef double n_listed = 0.0, near = near_gain(totals, least_needed_gain(best, totals))
    while member[first] == 0:
        first += 1
    while member[last] == 0:
        last -= 1
    draw_candidates(candidates, data, tree, node)
    found = sum_sides(
        level[0], candidates.mask.data(), <long>candidates.mask.size(), member, first, last, bits.wC.data(), totals.n,
        data.options.min_leaf, bits.places.data(), bits.side.data(), bits.sides.data()
    )
    candidates.mask.assign(candidates.mask.size(), 0)
    for i in range(found):
        side = &bits.sides[i]
        if may_gain(totals, near, side.n, side.B, side.X) and offer_binary(
            data, totals, side.n, side.B, side.X, side.feature, make_key(data.options.seed, tree, THRESHOLD), node, best
        ):
            n_listed = side.n
            near = near_gain(totals, least_needed_gain(best, totals))
    return n_listed


cdef double push_bit_children(
    Bits* bits, const Level* level, const BitNode* item, int32_t feature, double n_listed, bint listed_is_yes,
    int32_t node
) noexcept nogil:
    """Put the node's children on the stack, "yes" on top; return the weight of that one."""
    cdef BitNode no = item[0], yes = item[0]
    cdef int64_t n_words = level.n_words, n_labels = <int64_t>level.weight_of_label.size()
    cdef const uint64_t* listed = level.bits.data() + feature * n_words
    yes.member += n_words
    yes.count += n_labels
    bits.members.resize(yes.member + n_words)
    bits.counts.resize(yes.count + n_labels)
    part_counts(
        level[0], listed, bits.members.data() + item.member, not listed_is_yes, bits.places.data(),
        bits.counts.data() + no.count, bits.counts.data() + yes.count
    )
    yes.n_rows = part_members(
        n_words, listed, not listed_is_yes, bits.members.data() + no.member, bits.members.data() + yes.member
    )
    no.n_rows = item.n_rows - yes.n_rows
    yes.weight = n_listed if listed_is_yes else item.weight - n_listed
    no.weight = item.weight - yes.weight
    no.depth = yes.depth = item.depth + 1
    no.parent = yes.parent = node
    no.is_yes = False
    yes.is_yes = True
    bits.stack.push_back(no)
    bits.stack.push_back(yes)
    return yes.weight


cdef void take_out(Bits* bits, const Level* level, const BitNode* item, Level* into, Subtree* root) noexcept nogil:
    """Describe a node as the root of a subtree of its own; `into` keeps its rows and labels."""
    cdef int64_t i, t
    places_of(bits.members.data() + item.member, level.n_words, bits.places.data())
    into.row.resize(item.n_rows)
    for i in range(item.n_rows):
        into.row[i] = level.row[bits.places[i]]
    into.label.clear()
    for t in range(<int64_t>level.label.size()):
        if bits.counts[item.count + t] != 0.0:
            into.label.push_back(level.label[t])
    root.rows = into.row.data()
    root.n_rows = item.n_rows
    root.label = into.label.data()
    root.n_labels = <int64_t>into.label.size()
    root.weight = item.weight
    root.parent = item.parent
    root.depth = item.depth
    root.is_yes = item.is_yes


# ---------------------------------------------------------------------------------------------- a subtree


cdef bint is_thin(const Level* level, const BitNode* item) noexcept nogil:
    return level.n_words >= THINNED * words_for(item.n_rows)


cdef void grow_bit_node(
    Bits* bits, Candidates* candidates, const Data* data, const Level* level, const BitNode* item, uint64_t tree,
    Tree* grown
) noexcept nogil:
    """Enter one node into the tree, and put its children on the stack."""
    cdef int64_t t
    cdef int32_t node = open_node(grown, item.parent, item.is_yes, item.depth, item.weight)
    cdef Totals totals
    cdef Split best
    cdef double n_listed = 0.0
    begin_search(&best, &totals, &data.options, tree, node)
    if load_bit_counts(bits, level, item, &totals) > MIN_GAIN and item.weight >= 2.0 * data.options.min_leaf:
        n_listed = find_bit_split(bits, candidates, data, level, &totals, item, tree, node, &best)
    if best.feature >= 0:
        take_test(data, &best, node, grown)
        grown.yes_share[node] = push_bit_children(
            bits, level, item, best.feature, n_listed, data.columns.rest_code[best.feature] <= best.code, node
        ) / item.weight
    else:
        for t in range(<int64_t>level.label.size()):
            if bits.counts[item.count + t] != 0.0:
                add_leaf_label(grown, level.label[t], bits.counts[item.count + t])
    close_node(grown)


cdef void grow_bits(
    Bits* bits, Words* words, Candidates* candidates, const Data* data, const Example* examples, const Subtree* root,
    int32_t depth, uint64_t tree, Tree* grown
) noexcept nogil:
    """Grow a node and all below it; `depth` of its rows' numberings are in use."""
    cdef bint of_all_rows = root.parent < 0
    cdef Level* level = &bits.all_rows if of_all_rows else &bits.level[depth]
    cdef size_t below = bits.stack.size()
    cdef BitNode item
    cdef Subtree own
    if not of_all_rows:
        number_rows(examples, data, root, level)
        number_labels(bits, examples, &data.labels, root, level)
    elif level.row.empty():
        number_all(bits, examples, data, level)
    weigh_rows(examples, root, of_all_rows, level)
    write_bytes(&data.facts, root, level)
    push_bit_root(bits, root, level)
    while bits.stack.size() > below:
        item = bits.stack.back()
        bits.stack.pop_back()
        bits.members.resize(item.member + level.n_words)
        bits.counts.resize(item.count + <int64_t>level.weight_of_label.size())
        if fits_a_word(words, &data.facts, item.weight):
            take_out(bits, level, &item, &bits.level[MOST_LEVELS], &own)
            grow_small(words, candidates, examples, data, &own, tree, grown)
        elif is_thin(level, &item):
            take_out(bits, level, &item, &bits.level[depth + 1], &own)
            grow_bits(bits, words, candidates, data, examples, &own, depth + 1, tree, grown)
        else:
            grow_bit_node(bits, candidates, data, level, &item, tree, grown)
