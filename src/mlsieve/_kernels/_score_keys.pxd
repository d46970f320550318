"""Scores as whole numbers, and sorting these: what differs by rounding errors is to count as equal."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

cdef extern from *:
    """
    #include <algorithm>
    #include <cmath>
    #include <cstdint>
    #include <vector>
    struct KeyedPlace {
        uint64_t key;
        int32_t place;
        bool operator<(const KeyedPlace& other) const { return key > other.key; }
    };
    // Multiples of 2^-40: a thousand rounding errors, and far less than means of up to a hundred thousand examples
    // differ by.
    static inline uint64_t score_key(double score) { return (uint64_t)std::llrint(score * 1099511627776.0); }

    // Sort by falling key, by digits where there are many.
    static void sort_keys(std::vector<KeyedPlace>& items, std::vector<KeyedPlace>& other) {
        const int BITS = 11, DIGITS = 4;                      // a score of 1 is 2^40
        if (items.size() < 300) {
            std::stable_sort(items.begin(), items.end());
            return;
        }
        static thread_local uint32_t count[DIGITS][1 << BITS];
        std::fill(&count[0][0], &count[0][0] + DIGITS * (1 << BITS), 0u);
        for (const KeyedPlace& item : items)
            for (int d = 0; d < DIGITS; ++d) ++count[d][(item.key >> (BITS * d)) & ((1 << BITS) - 1)];
        other.resize(items.size());
        for (int d = 0; d < DIGITS; ++d) {
            uint32_t* own = count[d];
            uint32_t before = 0;
            for (int value = (1 << BITS) - 1; value >= 0; --value) {
                uint32_t here = own[value];
                own[value] = before;
                before += here;
            }
            for (const KeyedPlace& item : items) other[own[(item.key >> (BITS * d)) & ((1 << BITS) - 1)]++] = item;
            items.swap(other);
        }
    }
    """
    cdef cppclass KeyedPlace nogil:
        uint64_t key
        int32_t place
    uint64_t score_key(double score) noexcept nogil
    void sort_keys(vector[KeyedPlace]& items, vector[KeyedPlace]& other) noexcept nogil
