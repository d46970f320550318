"""Scores as whole numbers, and sorting these: scores that differ by rounding errors are to count as equal."""

from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

cdef extern from *:
    """
    #include <algorithm>
    #include <cstdint>
    #include <functional>
    #include <vector>
    // The nearest multiple of 2^-40: thousands of rounding errors, and far less than means of up to a hundred thousand
    // examples differ by.
    static inline uint64_t score_key(double score) { return (uint64_t)(score * 1099511627776.0 + 0.5); }

    // Sort keys that are followed by two flags, by falling key; flags in any order. The highest 22 bits are sorted by
    // digits; what agrees in them is little, or nearly all equal.
    static void sort_keys(std::vector<uint64_t>& items, std::vector<uint64_t>& other) {
        enum { BITS = 11, VALUES = 1 << BITS, LOW = 21, HIGH = 32 };   // a score of 1 is 2^40, with flags 2^42
        if (items.size() < 256) {
            std::sort(items.begin(), items.end(), std::greater<uint64_t>());
            return;
        }
        uint32_t low[VALUES] = {0}, high[VALUES] = {0}, before_low = 0, before_high = 0;
        for (uint64_t item : items) {
            ++low[(item >> LOW) & (VALUES - 1)];
            ++high[item >> HIGH];
        }
        for (int value = VALUES - 1; value >= 0; --value) {
            uint32_t here = low[value];
            low[value] = before_low;
            before_low += here;
            here = high[value];
            high[value] = before_high;
            before_high += here;
        }
        other.resize(items.size());
        for (uint64_t item : items) other[low[(item >> LOW) & (VALUES - 1)]++] = item;
        for (uint64_t item : other) items[high[item >> HIGH]++] = item;
        for (size_t first = 0; first < items.size();) {
            size_t last = first + 1;
            bool sorted = true;
            for (; last < items.size() && items[last] >> LOW == items[first] >> LOW; ++last)
                sorted = sorted && items[last] >> 2 <= items[last - 1] >> 2;
            if (!sorted) std::sort(items.begin() + first, items.begin() + last, std::greater<uint64_t>());
            first = last;
        }
    }
    """
    uint64_t score_key(double score) noexcept nogil
    void sort_keys(vector[uint64_t]& items, vector[uint64_t]& other) noexcept nogil
