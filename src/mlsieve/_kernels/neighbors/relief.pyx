"""Relief for several targets: nearest examples by Manhattan distance, and the sums that its scores are made of.

The distance of two examples is the sum of the features' distances in feature order, in double precision; the
neighbours are the K others with the smallest distances. Those that differ by no more than `TIE` of the largest
distance that two rows can have, one a feature, are a tie, and the lower row comes first: rounding, which depends on
the order of the features, decides nothing. Summing every pair in double precision would be slow, so a single precision
sum over tiles of rows (dense) or a pass over inverted lists (sparse) sorts out the rows that cannot be among them; the
few others are summed exactly. The result depends neither on the approximation's rounding, nor on dense or sparse
storage, nor on the number of threads.

Functions here check nothing: the facade in `mlsieve.relief.multi_label` owns and validates the arrays.
"""

from libcpp.vector cimport vector

from mlsieve._kernels.neighbors.comparison cimport TIE, Approximate, Comparison, Rows, compare
from mlsieve._kernels.neighbors.label_set_distance cimport TargetDistance, Targets, target_distance
from mlsieve._kernels.neighbors.nearest_rows cimport Candidate, kth_smallest, order_with_ties


cdef void find_nearest(
    const Rows* rows, Py_ssize_t own, const double* approximate, double limit, vector[Candidate] &nearest,
    vector[int] &differing, vector[double] &parts
) noexcept nogil:
    """Put the others within the limit, and a tie more, in order of their distances; those that overflowed, too."""
    cdef Py_ssize_t row
    cdef double tie = TIE * rows.n_features
    limit += tie
    nearest.clear()
    for row in range(rows.n):
        if not (approximate[row] > limit) and row != own:
            nearest.push_back(Candidate(compare(rows, own, row, differing, parts), <int> row))
    order_with_ties(nearest, tie)


cdef void add_example(
    const Rows* rows, const Targets* targets, Py_ssize_t own, vector[Candidate] &nearest,
    const int[::1] k_values, const double[::1] neighbor_weights, vector[int] &differing, vector[double] &parts,
    vector[int] &touched, double* sum_unlike, double* sum_alike, double[:, ::1] unlike, double[:, ::1] alike,
    double[::1] T, double[::1] T_alike
) noexcept nogil:
    """Add one example's means over its nearest 1 .. K, for each K."""
    cdef Py_ssize_t j = 0, kth, i
    cdef size_t s
    cdef double weight, total = 0.0, sum_t = 0.0, sum_rest = 0.0, t, d
    touched.clear()
    for kth in range(k_values.shape[0]):
        while j < k_values[kth]:
            compare(rows, own, nearest[j].second, differing, parts)
            t = target_distance(targets, own, nearest[j].second)
            weight = neighbor_weights[j]
            total += weight
            sum_t += weight * t
            sum_rest += weight * (1.0 - t)
            for s in range(differing.size()):
                i = differing[s]
                d = weight * parts[s]
                if d == 0.0:
                    continue
                if sum_unlike[i] == 0.0 and sum_alike[i] == 0.0:
                    touched.push_back(<int> i)
                sum_unlike[i] += d * t
                sum_alike[i] += d * (1.0 - t)
            j += 1
        T[kth] += sum_t / total
        T_alike[kth] += sum_rest / total
        for s in range(touched.size()):
            i = touched[s]
            unlike[kth, i] += sum_unlike[i] / total
            alike[kth, i] += sum_alike[i] / total
    for s in range(touched.size()):
        sum_unlike[touched[s]] = 0.0
        sum_alike[touched[s]] = 0.0


def relief(
    Comparison comparison,
    const int[::1] examples,
    const int[::1] k_values,
    const double[::1] neighbor_weights,
    const long long[::1] label_start,
    const int[::1] label,
    int distance,
    double n_labels,
    const double[::1] label_weights,
    double divisor,
    double most,
    double[:, ::1] unlike,
    double[:, ::1] alike,
    double[::1] T,
    double[::1] T_alike,
):
    """Add the means of some examples, in their order.

    Parameters
    ----------
    comparison : Comparison
        Of the rows.
    examples : (B,) rows
    k_values : numbers of neighbours, rising
    neighbor_weights : (K,) weight of the first, second, ... neighbour
    label_start, label : labels as CSR
    distance : 0 Hamming, 1 accuracy, 2 F1, 3 subset, 4 root of the weight of the labels that differ, 5 this weight
    n_labels : number of labels
    label_weights : (L,) of distances 4 and 5; of no length for others
    divisor : by which 4 and 5 are divided; with 0 all label sets are at distance 0
    most : where distances 4 and 5 are cut off
    unlike, alike : (K values, F) sums of the means of d_i d_L and of d_i (1 - d_L)
    T, T_alike : (K values,) sums of the means of d_L and of 1 - d_L: the latter loses no digits where d_L is near 1
    """
    cdef Rows rows = comparison.rows
    cdef Targets targets = Targets(
        <TargetDistance> distance, n_labels, &label_start[0], NULL, NULL, divisor, most
    )
    cdef Py_ssize_t k = k_values[k_values.shape[0] - 1], e
    cdef double tolerance, kth
    cdef const double* distances
    cdef Approximate approximate
    cdef vector[double] heap
    cdef vector[double] parts
    cdef vector[double] sum_unlike
    cdef vector[double] sum_alike
    cdef vector[int] differing
    cdef vector[int] touched
    cdef vector[Candidate] nearest
    if label.shape[0]:
        targets.label = &label[0]
    if label_weights.shape[0]:
        targets.weight = &label_weights[0]
    with nogil:
        sum_unlike.assign(rows.n_features, 0.0)
        sum_alike.assign(rows.n_features, 0.0)
        for e in range(examples.shape[0]):
            distances = comparison.approximate(examples, e, approximate)
            kth = kth_smallest(distances, rows.n, k, heap)
            tolerance = approximate.tolerance + approximate.relative * kth
            find_nearest(&rows, examples[e], distances, kth + 2.5 * tolerance, nearest, differing, parts)
            add_example(
                &rows, &targets, examples[e], nearest, k_values, neighbor_weights, differing, parts, touched,
                sum_unlike.data(), sum_alike.data(), unlike, alike, T, T_alike
            )
