"""The best test of a node."""

from mlsieve._kernels.boosting.boosted_data cimport Growth, Lists, Node, Options, Tests
from mlsieve._kernels.boosting.split_scores cimport Judge

cdef void search_tests(
    Growth* growth, const Node* node, const Lists* lists, const Judge* judge, const Options* options, Tests* tests
) noexcept nogil
cdef double take_test(
    const Growth* growth, const Node* node, const Lists* lists, const Judge* judge, Tests* tests, double* cover
) noexcept nogil
