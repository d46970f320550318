"""Writing a growing tree down, node by node in preorder."""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.data_structs cimport Columns, Tree
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Split


cdef inline int32_t open_node(Tree* grown, int32_t parent, bint is_yes, int32_t depth, double weight) noexcept nogil:
    """Begin the next node's entry and link it to its parent (-1: none); return its number."""
    cdef int32_t node = <int32_t>grown.feature.size()
    if parent >= 0:
        if is_yes:
            grown.yes[parent] = node
        else:
            grown.no[parent] = node
    grown.feature.push_back(-1)
    grown.yes.push_back(-1)
    grown.no.push_back(-1)
    grown.depth.push_back(depth)
    grown.code.push_back(-1)
    grown.threshold.push_back(0.0)
    grown.gain.push_back(0.0)
    grown.weight.push_back(weight)
    grown.yes_share.push_back(0.0)
    return node


cdef inline void add_leaf_label(Tree* grown, int32_t label, double count) noexcept nogil:
    grown.leaf_label.push_back(label)
    grown.leaf_count.push_back(count)


cdef inline void close_node(Tree* grown) noexcept nogil:
    """End the node's entry in the ragged arrays."""
    grown.leaf_start.push_back(<int64_t>grown.leaf_label.size())
    grown.subset_start.push_back(<int64_t>grown.subset.size())


cdef inline double reported_threshold(const Data* data, const Split* split) noexcept nogil:
    """The threshold in the feature's own unit: "yes" is x > threshold."""
    cdef const double* values = data.columns.values + data.columns.value_start[split.feature]
    cdef double middle
    if split.nominal:
        return 0.0
    if data.options.random_tests:
        return split.threshold
    if not data.options.midpoint:
        return values[split.code]
    middle = 0.5 * values[split.code] + 0.5 * values[split.upper_code]
    return values[split.code] if middle >= values[split.upper_code] else middle


cdef inline int32_t largest_code(const Columns* columns, int32_t feature, int32_t code, double threshold) noexcept nogil:
    """The largest code from `code` on whose value is at most the threshold."""
    cdef const double* values = columns.values + columns.value_start[feature]
    cdef int32_t n_values = <int32_t>(columns.value_start[feature + 1] - columns.value_start[feature])
    while code + 1 < n_values and values[code + 1] <= threshold:
        code += 1
    return code


cdef inline void take_test(const Data* data, const Split* best, int32_t node, Tree* grown) noexcept nogil:
    """Enter the chosen test into the tree; see `enter_subset` for the categories of a nominal one."""
    grown.feature[node] = best.feature
    grown.gain[node] = best.gain
    grown.threshold[node] = reported_threshold(data, best)
    # Values that do not occur in the node may lie below a threshold half-way.
    grown.code[node] = best.code if best.nominal else largest_code(
        &data.columns, best.feature, best.code, grown.threshold[node]
    )
