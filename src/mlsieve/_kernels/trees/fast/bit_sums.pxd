"""Sums over the rows of a node that are given by bits: the sides of features, and counts of labels."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.trees.fast.word_subtrees cimport Side
from mlsieve._kernels.trees.node.label_sums cimport LANES  # for its macros

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    // The rows and labels of a subtree's root numbered anew; see bit_subtrees.
    struct Level {
        int64_t n_words;                       // of a feature
        std::vector<uint64_t> bits;            // (F, n_words)
        std::vector<int32_t> row, label;       // of each number
        std::vector<int32_t> place;            // the numbers of the root's rows
        std::vector<double> weight;            // of each row
        std::vector<int64_t> label_start;      // (rows + 1,) of label_index
        std::vector<int32_t> label_index;
        std::vector<double> weight_of_label;   // w_j, and zeros up to a whole number of lanes
        std::vector<uint8_t> bytes;            // (rows, width) a row's weight where it has the label; last, its weight
        int32_t width;                         // 0: no bytes
        int32_t run;                           // so many rows' bytes add up to a byte
    };
    typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1)));
    typedef uint16_t Counts __attribute__((vector_size(32)));
    typedef uint16_t HalfCounts __attribute__((vector_size(16), aligned(2)));

    // Of the highest bit where there is none.
    MLSIEVE_INLINE int lowest_of(uint64_t word) { return __builtin_ctzll(word | 0x8000000000000000u); }

    // The places of the bits that two rows of words share; `places` has room for four more.
    MLSIEVE_INLINE long shared_places(const uint64_t* bits, const uint64_t* member, long first, long last,
                                      int32_t* places) {
        long total = 0;
        for (long c = first; c <= last; ++c) {
            uint64_t met = bits[c] & member[c];
            const long count = __builtin_popcountll(met);
            places[total] = (int32_t)(64 * c + lowest_of(met));  // unasked: the number is hard to foresee
            met &= met - 1;
            places[total + 1] = (int32_t)(64 * c + lowest_of(met));
            met &= met - 1;
            for (long k = 2; k < count; k += 4) {
                for (int i = 0; i < 4; ++i) {
                    places[total + k + i] = (int32_t)(64 * c + lowest_of(met));
                    met &= met - 1;
                }
            }
            total += count;
        }
        return total;
    }

    // Sum of the rows' bytes; as many rows as `run` do not overflow a byte.
    template <int N>
    MLSIEVE_INLINE void add_bytes(Counts* sum, const uint8_t* bytes, const int32_t* places, long n, long run) {
        for (long first = 0; first < n; first += run) {
            const long last = first + run < n ? first + run : n;
            Bytes part[N] = {{0}};
            for (long i = first; i < last; ++i) {
                const uint8_t* own = bytes + (long)places[i] * (16 * N);
                for (int v = 0; v < N; ++v) part[v] += *(const Bytes*)(own + 16 * v);
            }
            for (int v = 0; v < N; ++v) sum[v] += __builtin_convertvector(part[v], Counts);
        }
    }

    template <int N>
    MLSIEVE_INLINE bool side_of_bytes(const Level& level, const double* wC, double n, double min_leaf,
                                      const int32_t* places, long n_places, Side* side) {
        Counts sum[N] = {{0}};
        add_bytes<N>(sum, level.bytes.data(), places, n_places, level.run);
        side->n = sum[N - 1][15];
        if (side->n < min_leaf || n - side->n < min_leaf) return false;
        Lanes B = {0}, X = {0};
        for (int v = 0; v < 2 * N; ++v) {
            const Lanes c = __builtin_convertvector(((const HalfCounts*)sum)[v], Lanes);
            B += *(const LoadLanes*)(level.weight_of_label.data() + 8 * v) * c * c;
            X += *(const LoadLanes*)(wC + 8 * v) * c;
        }
        side->B = add_lanes(B);
        side->X = add_lanes(X);
        return true;
    }

    MLSIEVE_INLINE bool side_of_lists(const Level& level, const double* wC, double n, double min_leaf,
                                      const int32_t* places, long n_places, double* count, Side* side) {
        const int64_t* start = level.label_start.data();
        const int32_t* index = level.label_index.data();
        const double* w = level.weight_of_label.data();
        const long n_labels = (long)level.weight_of_label.size();
        long n_positives = 0;
        double n_side = 0, B = 0, X = 0;
        for (long i = 0; i < n_places; ++i) n_side += level.weight[places[i]];
        if (n_side < min_leaf || n - n_side < min_leaf) return false;
        for (long i = 0; i < n_places; ++i) {
            const double weight = level.weight[places[i]];
            const int64_t end = start[places[i] + 1];
            n_positives += end - start[places[i]];
            for (int64_t q = start[places[i]]; q < end; ++q) count[index[q]] += weight;
        }
        if (4 * n_positives < n_labels) {
            for (long i = 0; i < n_places; ++i) {
                for (int64_t q = start[places[i]]; q < start[places[i] + 1]; ++q) {
                    const int32_t j = index[q];
                    const double c = count[j];
                    count[j] = 0;                // a label that is met again adds nothing
                    B += w[j] * c * c;
                    X += wC[j] * c;
                }
            }
        } else {
            Lanes Bs = {0}, Xs = {0};
            for (long j = 0; j < n_labels; j += 8) {
                const Lanes c = *(const LoadLanes*)(count + j);
                Bs += *(const LoadLanes*)(w + j) * c * c;
                Xs += *(const LoadLanes*)(wC + j) * c;
                *(LoadLanes*)(count + j) = c - c;
            }
            B = add_lanes(Bs);
            X = add_lanes(Xs);
        }
        side->n = n_side;
        side->B = B;
        side->X = X;
        return true;
    }

    MLSIEVE_INLINE bool side_of(const Level& level, const double* wC, double n, double min_leaf, const int32_t* places,
                                long n_places, double* count, Side* side) {
        if (n_places == 0) return false;
        switch (level.width) {
            case 16: return side_of_bytes<1>(level, wC, n, min_leaf, places, n_places, side);
            case 32: return side_of_bytes<2>(level, wC, n, min_leaf, places, n_places, side);
            case 64: return side_of_bytes<4>(level, wC, n, min_leaf, places, n_places, side);
            default: return side_of_lists(level, wC, n, min_leaf, places, n_places, count, side);
        }
    }

    // Of the features in the mask, those whose test can be taken: n, B and X of the node's rows that they list.
    MLSIEVE_WIDEST
    static long sum_sides(const Level& level, const uint64_t* mask, long n_mask, const uint64_t* member, long first,
                          long last, const double* wC, double n, double min_leaf, int32_t* places, double* count,
                          Side* sides) {
        long found = 0;
        for (long i = 0; i < n_mask; ++i) {
            for (uint64_t word = mask[i]; word != 0; word &= word - 1) {
                const int32_t feature = (int32_t)(64 * i + lowest_bit(word));
                const long n_places = shared_places(level.bits.data() + feature * level.n_words, member, first, last,
                                                    places);
                if (!side_of(level, wC, n, min_leaf, places, n_places, count, &sides[found])) continue;
                sides[found].feature = feature;
                ++found;
            }
        }
        return found;
    }

    // B and the mass of the node's labels, and wC of each.
    MLSIEVE_WIDEST
    static void sum_counts(long n_labels, const double* w, const double* count, double* wC, double* B, double* mass) {
        Lanes Bs = {0}, sum = {0};
        for (long j = 0; j < n_labels; j += 8) {
            const Lanes c = *(const LoadLanes*)(count + j), product = *(const LoadLanes*)(w + j) * c;
            *(LoadLanes*)(wC + j) = product;
            Bs += product * c;
            sum += product;
        }
        *B = add_lanes(Bs);
        *mass = add_lanes(sum);
    }

    // Part a node's counts by a feature: `upper` gets those of the rows that it lists, or with `flip` of the others.
    MLSIEVE_WIDEST
    static void part_counts(const Level& level, const uint64_t* bits, const uint64_t* member, bool flip,
                            int32_t* places, double* lower, double* upper) {
        const long n_labels = (long)level.weight_of_label.size();
        const long n_places = shared_places(bits, member, 0, level.n_words - 1, places);
        for (long j = 0; j < n_labels; ++j) upper[j] = 0;
        for (long i = 0; i < n_places; ++i) {
            const double weight = level.weight[places[i]];
            for (int64_t q = level.label_start[places[i]]; q < level.label_start[places[i] + 1]; ++q)
                upper[level.label_index[q]] += weight;
        }
        for (long j = 0; j < n_labels; ++j) {
            const double listed = upper[j], rest = lower[j] - listed;
            upper[j] = flip ? rest : listed;
            lower[j] = flip ? listed : rest;
        }
    }

    // The same with its rows; returns how many the upper part has.
    MLSIEVE_WIDEST
    static long part_members(long n_words, const uint64_t* bits, bool flip, uint64_t* lower, uint64_t* upper) {
        const uint64_t turned = flip ? ~(uint64_t)0 : 0;
        long count = 0;
        for (long c = 0; c < n_words; ++c) {
            const uint64_t own = lower[c], above = bits[c] ^ turned;
            upper[c] = own & above;
            lower[c] = own & ~above;
            count += __builtin_popcountll(upper[c]);
        }
        return count;
    }

    MLSIEVE_WIDEST
    static long places_of(const uint64_t* member, long n_words, int32_t* places) {
        return shared_places(member, member, 0, n_words - 1, places);
    }
    """
    cdef cppclass Level nogil:
        int64_t n_words
        vector[uint64_t] bits
        vector[int32_t] row, label, place
        vector[double] weight
        vector[int64_t] label_start
        vector[int32_t] label_index
        vector[double] weight_of_label
        vector[uint8_t] bytes
        int32_t width, run
    long sum_sides(
        const Level& level, const uint64_t* mask, long n_mask, const uint64_t* member, long first, long last,
        const double* wC, double n, double min_leaf, int32_t* places, double* count, Side* sides
    ) noexcept nogil
    void sum_counts(
        long n_labels, const double* w, const double* count, double* wC, double* B, double* mass
    ) noexcept nogil
    void part_counts(
        const Level& level, const uint64_t* bits, const uint64_t* member, bint flip, int32_t* places, double* lower,
        double* upper
    ) noexcept nogil
    long part_members(long n_words, const uint64_t* bits, bint flip, uint64_t* lower, uint64_t* upper) noexcept nogil
    long places_of(const uint64_t* member, long n_words, int32_t* places) noexcept nogil
