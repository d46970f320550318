"""The structs of one growing tree, and the steps that all judges of a test share."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport TIE, Columns, Entry, Labels
from mlsieve._kernels.common.random_numbers cimport chain, make_key

cdef struct Options:
    bint random_tests      # extra trees: one random test a feature
    bint midpoint          # report the mid-point instead of the largest value on the "no" side
    bint random_ties       # of features that gain equally a draw decides, else the first
    int32_t n_candidates
    double min_leaf


cdef struct Totals:
    # Label counts of the examples that a feature's tests are judged on.
    double n               # weight
    double B               # sum_j w_j C_j^2
    const double* wC       # (L,) w_j C_j
    bint x_known           # whether Example.x belongs to these counts
    double tie             # gains within this count as equal
    bint random_ties       # see Options
    uint64_t tie_key       # of the draws between features that gain equally in this node


cdef struct Split:
    int32_t feature
    int32_t code           # "yes" is code > this (numeric)
    int32_t upper_code     # smallest code on the "yes" side that occurs in the node
    double threshold
    double gain
    bint nominal
    uint64_t draw          # of the feature, among those that gain equally; 0: not drawn yet


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Example {
        double weight;        // in the current node
        double mass;          // sum of w_j over its labels
        double x;             // sum of w_j C_j over its labels, C_j of the current node
        int32_t first, last;  // its labels in Labels.index
    };
    struct Pending {
        int64_t start, end;               // rows
        int64_t counts_start, counts_end; // its labels in node_label
        int64_t runs_start, runs_end;     // its features in runs; -1: not listed
        int64_t ordered_end;              // entries of ordered that are in use below it
        double weight;
        int32_t depth, parent, table;
        bool is_yes;
    };
    // The node's rows that a sparse feature lists.
    struct Run {
        int64_t start, n;                 // in ordered
        int32_t feature;
    };
    // A node to be grown with all below it.
    struct Subtree {
        const int32_t* rows;              // rising
        const int32_t* label;             // that occur, rising
        int64_t n_rows, n_labels;
        double weight;
        int32_t parent, depth;
        bool is_yes;
    };
    // The rows and labels of a subtree's root numbered anew; see bit_subtrees.
    struct Level {
        int64_t n_words;                       // of a feature
        std::vector<uint64_t> bits;            // (F, n_words)
        std::vector<int32_t> row, label;       // of each number
        std::vector<int32_t> place;            // the numbers of the root's rows
        std::vector<double> weight;            // of each row
        std::vector<int64_t> label_start;      // (rows + 1,) of label_index
        std::vector<int32_t> label_index;
        std::vector<double> weight_of_label;   // w_j, and zeros up to a whole number of lanes
        std::vector<uint8_t> bytes;            // (rows, width) a row's weight where it has the label; last, its weight
        int32_t width;                         // 0: no bytes
        int32_t run;                           // so many rows' bytes add up to a byte
    };
    struct BitNode {
        int64_t member, count;                 // beginnings in members and counts
        int64_t n_rows;
        double weight;
        int32_t parent, depth;
        bool is_yes;
    };
    enum { MOST_LEVELS = 12 };                 // each has a sixteenth of the words at most, and there are 2**25 at most
    // A node of a small subtree; see word_subtrees.
    struct SmallPending {
        uint64_t examples;
        int32_t weight, parent, depth;
        bool is_yes;
    };
    struct SmallLabels {
        std::vector<int32_t> place;       // among the root's labels
        std::vector<uint64_t> words;
        std::vector<double> weight, count, wC;
    };
    struct Side {                         // the rows that a feature of two values lists in a node
        double n, B, X;
        int32_t feature;
    };
    static const double MIN_GAIN = 1e-9;       // CLUS: a test must gain more than this
    static const double RELATIVE_TIE = 1e-10;  // gains closer than this share of the node's label mass count as equal
    // Label counts of all tests on sparse features in a large node, see count_tables.
    struct Table {
        int64_t n_tests;
        std::vector<int32_t> place;       // of each test, -1 if it is left out
        std::vector<int32_t> feature;     // that are not left out
        std::vector<int32_t> first;       // (features + 1,) places of their first tests
        std::vector<float> count;         // (L, n_tests) weight with the label of the side without unlisted rows
        std::vector<double> weight, B, X; // (n_tests,) of that side, B = sum_j w_j count_j^2, X = sum_j w_j C_j count_j
        double summed_at;                 // the node's weight when B and X were summed anew
        int32_t passes;                   // since then
        bool in_use;
    };
    struct Work {
        bool complete;                     // no value is missing: an example is in one child only
        bool whole;                        // and its weight is a count
        bool exact_floats;                 // and counts fit single precision, and so do their products
        std::vector<Example> example;      // (n,)
        std::vector<int32_t> rows;         // node's rows: a segment of this stack
        std::vector<double> weights;       // weight of the example at the same place, unless `whole`
        std::vector<int32_t> node_label;   // labels of the pending nodes, rising within each
        std::vector<double> node_count;    // their weights
        std::vector<int32_t> touched;      // labels that occur in the node
        std::vector<double> wC, doubled;   // (L,) label weight times count, label weight times 2
        std::vector<double> known_count, known_wC, child_count;
        std::vector<double> side;          // (L,) 2 w_j c_j of one side, zero between scans
        std::vector<int32_t> permutation, swapped;
        std::vector<uint64_t> mask;        // features to be judged in the node
        std::vector<uint64_t> every, dense; // all features, all dense ones
        std::vector<int64_t> list_start, list_end; // (F,) of listed: the node's rows that a sparse feature lists
        std::vector<Entry> listed;
        std::vector<Run> runs, yes_runs;   // of the pending nodes, rising by feature; where all features are judged
        std::vector<Entry> ordered;        // by falling code
        std::vector<int32_t> stamp;        // (n,) last node that marked the row
        std::vector<Entry> sorted;         // one feature's known rows in the node, by falling code
        std::vector<Entry> inherited;      // (n_dense, order_stride) the same of all dense features, where all are judged
                                           // in all nodes; a node's missing rows at the end of its segment, code -1
        int64_t order_stride;              // 0: no orders are inherited
        std::vector<Entry> scratch;
        std::vector<int32_t> codes, known; // of one feature's known rows in the node
        std::vector<uint64_t> long_keys;
        std::vector<int8_t> answer;        // of each row of the node: 1 yes, 0 no, -1 missing
        std::vector<int32_t> scratch_rows;
        std::vector<double> scratch_weights;
        std::vector<uint8_t> in_subset;    // categories
        std::vector<int32_t> best_subset, trial_subset, value_of;
        std::vector<int64_t> value_start;  // per present category: its labels
        std::vector<int32_t> value_label;
        std::vector<double> value_count, value_weight;
        std::vector<double> table_wC;      // (L,) w_j C_j of the node that a table is for
        std::vector<double> test_weight;   // of all tests
        std::vector<int32_t> lost_label;   // labels of which a node has fewer than its parent
        std::vector<double> lost;          // and how much of w_j C_j
        std::vector<int32_t> own_tests, kept, kept_places;  // of one row; that are not left out
        std::vector<double> before;
        std::vector<Table> tables;
        std::vector<Pending> stack;
        int width, most_lanes; // lanes of an example; 0: too many labels
        std::vector<float> lanes;          // (n, width) weight of an example where it has the label; last, its weight
        std::vector<float> near_lanes;     // the same of the node's rows, in their order
        std::vector<double> label_weight;  // (width,) and 0 for the other lanes
        std::vector<float> short_weight, mean;  // the same; C_j / n of the node
        double mean_labels, mean_listed, judged_a_row;
        double heaviest, largest_weight;   // weight of an example, of a label
        bool may_pair, paired;             // pairs of rows pay in small nodes; they are at hand for the node; see row_pairs
        int32_t pairs_depth;               // of the node that root_pairs are for
        std::vector<int32_t> root_place, pair_place;          // (n,) rows' numbers in that node, in the node at hand
        std::vector<uint64_t> rows_of_label;                  // (L,) zero between uses
        std::vector<double> root_pairs, node_pairs, pair_weight, pair_mass, pair_x;  // K; of the node's rows
        bool may_share;                    // lists of shared labels pay; see shared_labels
        int32_t n_shared, fixed_length;    // of the node; labels that each of its rows lists at least
        std::vector<Example> near;         // (n,) of the node's rows, with their places in shared_label
        std::vector<int32_t> shared_label, shared_place;      // numbered anew; (L,) the number, 0 between nodes
        std::vector<double> shared_sums, shared_doubled;      // pairs by number: zero between scans; as doubled, twice
        bool may_tabulate, all_binary, inherits, keeps_order, may_be_small, may_use_bits;
        Level level[MOST_LEVELS + 1];      // the last keeps a small subtree's rows and labels
        Level all_rows;                    // what the roots of all trees share
        std::vector<BitNode> bit_nodes;
        std::vector<uint64_t> members;     // the rows of the pending ones
        std::vector<double> counts;        // and their labels' weights
        std::vector<int32_t> places;
        std::vector<double> bit_wC, bit_count;  // of the node; of one side, zero between uses
        std::vector<uint64_t> word_of_feature;  // of a small subtree
        std::vector<uint64_t> word_of_label;                  // of its root's labels
        std::vector<int32_t> place_of_label;                  // (L,) among these
        std::vector<SmallPending> small_stack;
        std::vector<Side> sides;                   // of one node, as the next
        std::vector<double> weight_of_label;                  // of the root's labels
        SmallLabels small_labels;                             // of one node
        long n_small_labels;
    };
    static inline int lowest_bit(uint64_t word) { return __builtin_ctzll(word); }
    static inline int count_bits(uint64_t word) { return __builtin_popcountll(word); }
    """
    cdef cppclass Example nogil:
        double weight, mass, x
        int32_t first, last
    cdef cppclass Pending nogil:
        int64_t start, end, counts_start, counts_end, runs_start, runs_end, ordered_end
        double weight
        int32_t depth, parent, table
        bint is_yes
    cdef cppclass Run nogil:
        int64_t start, n
        int32_t feature
    cdef struct Subtree:
        const int32_t* rows
        const int32_t* label
        int64_t n_rows, n_labels
        double weight
        int32_t parent, depth
        bint is_yes
    cdef cppclass Level nogil:
        int64_t n_words
        vector[uint64_t] bits
        vector[int32_t] row, label, place
        vector[double] weight
        vector[int64_t] label_start
        vector[int32_t] label_index
        vector[double] weight_of_label
        vector[uint8_t] bytes
        int32_t width, run
    cdef cppclass BitNode nogil:
        int64_t member, count, n_rows
        double weight
        int32_t parent, depth
        bint is_yes
    const int MOST_LEVELS
    cdef cppclass SmallPending nogil:
        uint64_t examples
        int32_t weight, parent, depth
        bint is_yes
    cdef cppclass SmallLabels nogil:
        vector[int32_t] place
        vector[uint64_t] words
        vector[double] weight, count, wC
    cdef cppclass Side nogil:
        double n, B, X
        int32_t feature
    const double MIN_GAIN
    const double RELATIVE_TIE
    cdef cppclass Table nogil:
        int64_t n_tests
        vector[int32_t] place, feature, first
        vector[float] count
        vector[double] weight, B, X
        double summed_at
        int32_t passes
        bint in_use
    cdef cppclass Work nogil:
        bint complete, whole, exact_floats, inherits, may_share, may_pair, paired
        int32_t pairs_depth
        vector[int32_t] root_place, pair_place
        vector[uint64_t] rows_of_label
        vector[double] root_pairs, node_pairs, pair_weight, pair_mass, pair_x
        int32_t n_shared, fixed_length
        vector[Example] near
        vector[int32_t] shared_label, shared_place
        vector[double] shared_sums, shared_doubled
        int64_t order_stride
        vector[Example] example
        vector[int32_t] rows
        vector[double] weights
        vector[int32_t] node_label
        vector[double] node_count
        vector[int32_t] touched
        vector[double] wC, doubled, known_count, known_wC, child_count, side
        vector[int32_t] permutation, swapped
        vector[uint64_t] mask, every, dense
        vector[int64_t] list_start, list_end
        vector[Entry] listed, ordered
        vector[Run] runs, yes_runs
        vector[int32_t] stamp
        vector[Entry] sorted, inherited, scratch
        vector[int32_t] codes, known
        vector[uint64_t] long_keys
        vector[int8_t] answer
        vector[int32_t] scratch_rows
        vector[double] scratch_weights
        vector[uint8_t] in_subset
        vector[int32_t] best_subset, trial_subset, value_of
        vector[int64_t] value_start
        vector[int32_t] value_label
        vector[double] value_count, value_weight
        vector[double] table_wC, test_weight, before, lost
        vector[int32_t] lost_label, own_tests, kept, kept_places
        vector[Table] tables
        vector[Pending] stack
        int width, most_lanes
        vector[float] lanes, near_lanes, short_weight, mean
        vector[double] label_weight
        double mean_labels, mean_listed, judged_a_row
        bint may_tabulate, all_binary, keeps_order, may_be_small, may_use_bits
        Level* level
        Level all_rows
        vector[BitNode] bit_nodes
        vector[uint64_t] members
        vector[double] counts
        vector[int32_t] places
        vector[double] bit_wC, bit_count
        double heaviest, largest_weight
        vector[uint64_t] word_of_feature, word_of_label
        vector[int32_t] place_of_label
        vector[SmallPending] small_stack
        vector[Side] sides
        vector[double] weight_of_label
        SmallLabels small_labels
        long n_small_labels
    int lowest_bit(uint64_t word) noexcept nogil
    int count_bits(uint64_t word) noexcept nogil


cdef inline double gain_of(const Totals* totals, double n_side, double B_side, double X_side) noexcept nogil:
    """h of the test whose one side has weight n_side and the sums B_side, X_side; symmetric in the sides."""
    return (
        B_side / n_side
        + (totals.B - 2.0 * X_side + B_side) / (totals.n - n_side)
        - totals.B / totals.n
    )


cdef inline double near_gain(const Totals* totals, double gain) noexcept nogil:
    """What `may_gain` is to be asked for a gain of at least that much."""
    return (totals.B / totals.n + gain) * (1.0 - 1e-12)


cdef inline bint may_gain(const Totals* totals, double near, double n_side, double B_side, double X_side) noexcept nogil:
    """Whether h may be that large: a comparison without divisions, which most tests fail.

    Its slack is a thousand times the rounding error, as no sum is below 0 but for that.
    """
    cdef double others = totals.n - n_side
    return B_side * others + (totals.B - 2.0 * X_side + B_side) * n_side > near * n_side * others


cdef inline bint admissible(const Options* options, const Totals* totals, double n_side) noexcept nogil:
    return n_side >= options.min_leaf and totals.n - n_side >= options.min_leaf


cdef inline void begin_search(
    Split* best, Totals* totals, const Options* options, uint64_t seed, uint64_t tree, int32_t node
) noexcept nogil:
    """Make the search for a node's test ready: there is none yet, and the node has its own draws."""
    best.feature = -1
    best.gain = MIN_GAIN
    best.nominal = False
    best.threshold = 0.0
    best.draw = 0
    totals.random_ties = options.random_ties
    totals.tie_key = chain(make_key(seed, tree, TIE), node) if options.random_ties else 0


cdef inline bint wins_tie(Split* best, const Totals* totals, int32_t feature) noexcept nogil:
    """Whether a test on this feature takes the place of the best one if both gain the same.

    The draw depends on the seed, the tree, the node and the feature alone, and within a feature the test that was
    judged first stays: so the features may be judged in any order.
    """
    if not totals.random_ties or best.feature < 0 or feature == best.feature:
        return False
    if best.draw == 0:
        best.draw = chain(totals.tie_key, best.feature)
    return chain(totals.tie_key, feature) < best.draw


cdef inline double needed_gain(Split* best, const Totals* totals, int32_t feature) noexcept nogil:
    """What a test on this feature must gain more than, to take the place of the best one."""
    return max(best.gain - totals.tie, MIN_GAIN) if wins_tie(best, totals, feature) else best.gain + totals.tie


cdef inline double least_needed_gain(const Split* best, const Totals* totals) noexcept nogil:
    """The same for whatever feature: a bound for comparisons that come before any draw."""
    if totals.random_ties and best.feature >= 0:
        return max(best.gain - totals.tie, MIN_GAIN)
    return best.gain + totals.tie


cdef inline void take(
    Split* best, double gain, int32_t feature, int32_t code, int32_t upper_code
) noexcept nogil:
    """Let the best test be the one on this feature between these codes."""
    if best.feature != feature:
        best.draw = 0
    best.gain = gain
    best.feature = feature
    best.code = code
    best.upper_code = upper_code
    best.nominal = False


cdef inline bint offer(
    Split* best, const Totals* totals, double gain, int32_t feature, int32_t code, int32_t upper_code
) noexcept nogil:
    """Take the test if it beats the best so far by more than a rounding error, or gains as much and wins the draw."""
    if gain <= least_needed_gain(best, totals) or gain <= needed_gain(best, totals, feature):
        return False
    take(best, gain, feature, code, upper_code)
    return True
