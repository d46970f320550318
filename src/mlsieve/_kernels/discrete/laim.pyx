"""LAIM discretisation: cuts of numeric features that part the labels best, found one after the other.

A feature's rows are put in order once. A cut changes the terms of its own interval only: each interval keeps its best
cut, found by a pass over its rows upwards and one downwards, which add the rows' labels to running counts.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_double_array, as_long_array, columns_of
from mlsieve._kernels.common.data_structs cimport Columns
from mlsieve._kernels.discrete.rows_by_code cimport CodeOrder, LabelRows, between, n_values_of, order_by_code

# Equal counts that are summed in another order differ in the last bits: no reason to prefer a cut.
cdef double TIE = 1e-12

cdef extern from *:
    """
    #include <cstdint>
    struct Interval {
        int32_t first, last;     // codes
        int32_t cut;             // the code below its best cut; -1 if there is none
        double term, parted;     // its own term, and the sum of those of its parts
    };
    """
    cdef struct Interval:
        int32_t first
        int32_t last
        int32_t cut
        double term
        double parted


cdef extern from *:
    """
    #include <vector>
    struct Laim {
        CodeOrder order;                         // the known rows
        std::vector<int64_t> rest, count;        // positives of each label among the unlisted rows; running
        std::vector<double> below;               // term of the codes of an interval up to each
        std::vector<Interval> intervals;
        int64_t rest_sum;                        // of rest
        int64_t most, sum;                       // of count
    };
    """
    cdef cppclass Laim nogil:
        CodeOrder order
        vector[int64_t] rest
        vector[int64_t] count
        vector[double] below
        vector[Interval] intervals
        int64_t rest_sum
        int64_t most
        int64_t sum


cdef void order_rows(
    Laim* laim, const Columns* columns, const LabelRows* labels, const int64_t* positives, int32_t feature
) noexcept nogil:
    """Put the known rows in the order of their codes; of unlisted ones only the labels are counted."""
    cdef int64_t i, q
    cdef int32_t row
    order_by_code(columns, feature, &laim.order)
    laim.rest_sum = 0
    if laim.order.rest_code < 0:
        return
    laim.rest.assign(positives, positives + labels.n_labels)
    for i in range(<int64_t>laim.order.row.size()):
        row = laim.order.row[i]
        for q in range(labels.start[row], labels.start[row + 1]):
            laim.rest[labels.index[q]] -= 1
    for i in range(labels.n_labels):
        laim.rest_sum += laim.rest[i]


cdef inline void add_code(Laim* laim, const LabelRows* labels, int32_t code) noexcept nogil:
    """Add a code's rows to the running counts."""
    cdef int64_t i, q
    cdef int64_t* own
    for i in range(laim.order.start[code], laim.order.start[code + 1]):
        for q in range(labels.start[laim.order.row[i]], labels.start[laim.order.row[i] + 1]):
            own = &laim.count[labels.index[q]]
            own[0] += 1
            laim.sum += 1
            if own[0] > laim.most:
                laim.most = own[0]
    if code == laim.order.rest_code:
        laim.sum += laim.rest_sum
        for i in range(labels.n_labels):
            laim.count[i] += laim.rest[i]
            if laim.count[i] > laim.most:
                laim.most = laim.count[i]


cdef inline double term_of(const Laim* laim) noexcept nogil:
    return <double>laim.most * <double>laim.most / <double>laim.sum if laim.sum > 0 else 0.0


cdef inline void count_nothing(Laim* laim, const LabelRows* labels) noexcept nogil:
    laim.count.assign(labels.n_labels, 0)
    laim.most = 0
    laim.sum = 0


cdef void find_cut(Laim* laim, const LabelRows* labels, Interval* interval) noexcept nogil:
    """Find the term of an interval and its best cut, the lowest of several."""
    cdef int32_t code
    cdef double parted
    laim.below.resize(interval.last + 1)
    count_nothing(laim, labels)
    for code in range(interval.first, interval.last + 1):
        add_code(laim, labels, code)
        laim.below[code] = term_of(laim)
    interval.term = laim.below[interval.last]
    interval.cut = -1
    interval.parted = 0.0
    count_nothing(laim, labels)
    for code in range(interval.last, interval.first, -1):
        add_code(laim, labels, code)
        parted = laim.below[code - 1] + term_of(laim)
        if interval.cut < 0 or parted >= interval.parted * (1.0 - TIE):
            interval.cut = code - 1
            interval.parted = parted


cdef void cut_feature(Laim* laim, const LabelRows* labels, int32_t n_values, int32_t more) noexcept nogil:
    """Cut a feature whose rows are in order as long as the criterion grows; the first cut is always made."""
    cdef Interval whole, low, high
    cdef double total, criterion, grown, gain, best_gain
    cdef size_t i, best
    laim.intervals.clear()
    whole.first = 0
    whole.last = n_values - 1
    find_cut(laim, labels, &whole)
    laim.intervals.push_back(whole)
    total = whole.term
    criterion = -1.0
    while True:
        best = laim.intervals.size()
        best_gain = 0.0
        for i in range(laim.intervals.size()):
            gain = laim.intervals[i].parted - laim.intervals[i].term
            if laim.intervals[i].cut >= 0 and (
                best == laim.intervals.size() or gain > best_gain + TIE * (total + gain)
            ):
                best = i
                best_gain = gain
        if best == laim.intervals.size():
            return
        grown = (total + best_gain) / (<double>laim.intervals.size() + 1.0 + more)
        if not grown > criterion * (1.0 + TIE):
            return
        total += best_gain
        criterion = grown
        low.first = laim.intervals[best].first
        low.last = laim.intervals[best].cut
        high.first = low.last + 1
        high.last = laim.intervals[best].last
        find_cut(laim, labels, &low)
        find_cut(laim, labels, &high)
        laim.intervals[best] = low
        laim.intervals.insert(laim.intervals.begin() + best + 1, high)


def laim_cuts(
    object store, const int64_t[::1] label_start, const int32_t[::1] label_index, int32_t n_labels, int32_t more
):
    """Cuts of all features.

    Parameters
    ----------
    store : ColumnStore
        Of n rows; missing values are in no interval.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Positive labels of each row (CSR).
    n_labels : int
        L.
    more : int
        Added to the number of intervals by which the criterion is divided: 0 as printed (Cano et al. 2016, eq. 5), 1
        as the authors' program has it, which counts an interval's upper boundaries and one more.

    Returns
    -------
    cut_start : ndarray of int64, shape (F + 1,)
        Of `cuts`; features of one value have none.
    cuts : ndarray of float64
        Mid-points of neighbouring values, rising within a feature.
    """
    cdef Columns columns = columns_of(store)
    cdef LabelRows labels
    cdef Laim* laim = new Laim()
    cdef vector[int64_t] positives, starts
    cdef vector[double] cuts
    cdef int64_t i
    cdef int32_t feature, n_values
    cdef size_t k
    cdef const double* values
    labels.n_labels = n_labels
    labels.start = &label_start[0]
    labels.index = &label_index[0] if label_index.shape[0] else NULL
    try:
        with nogil:
            positives.assign(n_labels, 0)
            for i in range(labels.start[columns.n_rows]):
                positives[labels.index[i]] += 1
            starts.push_back(0)
            for feature in range(columns.n_features):
                n_values = n_values_of(&columns, feature)
                if n_values > 1:
                    values = columns.values + columns.value_start[feature]
                    order_rows(laim, &columns, &labels, positives.data(), feature)
                    cut_feature(laim, &labels, n_values, more)
                    for k in range(laim.intervals.size() - 1):
                        i = laim.intervals[k].last
                        cuts.push_back(between(values[i], values[i + 1]))
                starts.push_back(<int64_t>cuts.size())
        return as_long_array(&starts), as_double_array(&cuts)
    finally:
        del laim
