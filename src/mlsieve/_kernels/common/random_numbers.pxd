"""Counter-based random numbers: a draw is a pure function of its key and counters, so no thread ever shares a state.

The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
OOPSLA 2014).
"""

from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t chain(uint64_t state, uint64_t word) noexcept nogil:
    """Absorb one more word into a key."""
    return mix(state + <uint64_t>0x9E3779B97F4A7C15 * (word + 1))


cdef inline uint64_t make_key(uint64_t seed, uint64_t tree, uint64_t stream) noexcept nogil:
    """Key of one purpose (`stream`) within one tree."""
    return chain(chain(mix(seed ^ <uint64_t>0x6A09E667F3BCC909), tree), stream)


cdef inline double uniform(uint64_t key, uint64_t first, uint64_t second) noexcept nogil:
    """Uniform in [0, 1) with 53 bits, for the counters (first, second)."""
    # Signed numbers of 53 bits are converted in one instruction.
    return <double><int64_t>(chain(chain(key, first), second) >> 11) * (1.0 / 9007199254740992.0)


cdef inline uint64_t below(uint64_t key, uint64_t first, uint64_t second, uint64_t bound) noexcept nogil:
    """Uniform integer in [0, bound); the bias is under bound / 2**53."""
    return <uint64_t><int64_t>(uniform(key, first, second) * <double><int64_t>bound)
