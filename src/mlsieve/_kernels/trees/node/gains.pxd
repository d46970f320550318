"""The gain of a test, and which of several tests is taken: the steps that all judges of a test share."""

from libc.stdint cimport int32_t, uint64_t

from mlsieve._kernels.common.data_structs cimport TIE
from mlsieve._kernels.common.random_numbers cimport chain, make_key

cdef extern from *:
    """
    static const double MIN_GAIN = 1e-9;       // CLUS: a test must gain more than this
    static const double RELATIVE_TIE = 1e-10;  // gains closer than this share of the node's label mass count as equal
    """
    const double MIN_GAIN
    const double RELATIVE_TIE


cdef struct Options:
    bint random_tests      # extra trees: one random test a feature
    bint midpoint          # report the mid-point instead of the largest value on the "no" side
    bint random_ties       # of features that gain equally a draw decides, else the first
    int32_t n_candidates
    double min_leaf
    uint64_t seed          # of all random draws, together with the tree's number


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
    Split* best, Totals* totals, const Options* options, uint64_t tree, int32_t node
) noexcept nogil:
    """Make the search for a node's test ready: there is none yet, and the node has its own draws."""
    best.feature = -1
    best.gain = MIN_GAIN
    best.nominal = False
    best.threshold = 0.0
    best.draw = 0
    totals.random_ties = options.random_ties
    totals.tie_key = chain(make_key(options.seed, tree, TIE), node) if options.random_ties else 0


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


cdef inline void take(Split* best, double gain, int32_t feature, int32_t code, int32_t upper_code) noexcept nogil:
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
