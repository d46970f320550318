"""The best test of every node of a level."""

from libc.stdint cimport int32_t

from mlsieve._kernels.boosting.boosted_data cimport Level, Lists, Options, Tests
from mlsieve._kernels.boosting.split_scores cimport Judge

cdef void search_tests(
    Level* level, const Lists* lists, const Judge* judge, const Options* options, Tests* tests
) noexcept nogil
cdef double take_test(
    const Level* level, const Lists* lists, const Judge* judge, int32_t k, Tests* tests, double* cover
) noexcept nogil
