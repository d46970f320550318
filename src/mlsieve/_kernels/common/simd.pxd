"""How kernels ask for vector instructions: a choice when the library is loaded, with the same results; bits of words."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <cstdint>
    // Where the loader can choose, the widest vectors that the machine has. A sum runs in LANES lanes whatever their
    // width, and products are not fused with sums, so that no result depends on the choice.
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    #define MLSIEVE_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define MLSIEVE_WIDEST
    #endif
    #if defined(__GNUC__)
    #define MLSIEVE_INLINE static inline __attribute__((always_inline))
    #else
    #define MLSIEVE_INLINE static inline
    #endif
    enum { LANES = 8 };
    #if defined(__GNUC__)
    #define MLSIEVE_PREFETCH(address) __builtin_prefetch(address)
    #define MLSIEVE_PREFETCH_TO_WRITE(address) __builtin_prefetch(address, 1)
    #else
    #define MLSIEVE_PREFETCH(address) ((void)(address))
    #define MLSIEVE_PREFETCH_TO_WRITE(address) ((void)(address))
    #endif
    static inline int lowest_bit(uint64_t word) { return __builtin_ctzll(word); }
    static inline int count_bits(uint64_t word) { return __builtin_popcountll(word); }
    """
    const int LANES
    int lowest_bit(uint64_t word) noexcept nogil
    int count_bits(uint64_t word) noexcept nogil
    void prefetch "MLSIEVE_PREFETCH" (const void* address) noexcept nogil  # rows of a node lie far apart
    void prefetch_to_write "MLSIEVE_PREFETCH_TO_WRITE" (const void* address) noexcept nogil
