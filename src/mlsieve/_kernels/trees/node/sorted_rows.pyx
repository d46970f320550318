"""The rows of a node in the order of one feature.

Where all nodes try all features, the root's rows are sorted by each dense feature once. A node's segment of each order
is parted into its children's, each still in order: no child sorts. An example that goes down both branches takes a
place in each.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.common.simd cimport LANES  # for its macros

cdef extern from *:
    """
    #include <cstring>
    enum { FEW = 256 };               // as many codes are sorted by comparing all pairs
    enum { MOST_DIGITS = 11 };        // bits of a digit
    typedef int16_t Keys __attribute__((vector_size(32)));

    MLSIEVE_WIDEST
    static void gather_codes(const int32_t* codes, const int32_t* rows, long n, int32_t* out, int32_t* lowest,
                             int32_t* highest) {
        int32_t low = codes[rows[0]], high = low;
        for (long i = 0; i < n; ++i) {
            const int32_t code = codes[rows[i]];
            out[i] = code;
            low = code < low ? code : low;
            high = code > high ? code : high;
        }
        *lowest = low;
        *highest = high;
    }

    // How many keys are larger than each of N blocks of them.
    template <int N>
    MLSIEVE_INLINE void count_larger(const int16_t* keys, long n, const int16_t* blocks, int16_t* places) {
        Keys key[N], place[N];
        std::memcpy(key, blocks, sizeof key);
        for (int b = 0; b < N; ++b) place[b] = key[b] - key[b];
        for (long i = 0; i < n; ++i) {
            const int16_t other = keys[i];
            for (int b = 0; b < N; ++b) place[b] -= (Keys)(key[b] < other);
        }
        std::memcpy(places, place, sizeof place);
    }

    // Indices of n <= FEW codes and the codes, falling; equal ones by index. No branch depends on the codes.
    MLSIEVE_WIDEST
    static void order_few(const int32_t* codes, long n, int32_t lowest, Entry* out) {
        int16_t keys[FEW], places[FEW];
        uint8_t taken[FEW];
        const long blocks = (n + 15) / 16;
        for (long i = 0; i < n; ++i) keys[i] = (int16_t)(codes[i] - lowest);
        for (long i = n; i < 16 * blocks; ++i) keys[i] = -1;
        long b = 0;
        for (; b + 4 <= blocks; b += 4) count_larger<4>(keys, n, keys + 16 * b, places + 16 * b);
        if (b + 2 <= blocks) {
            count_larger<2>(keys, n, keys + 16 * b, places + 16 * b);
            b += 2;
        }
        if (b < blocks) count_larger<1>(keys, n, keys + 16 * b, places + 16 * b);
        std::memset(taken, 0, n);
        for (long i = 0; i < n; ++i) {
            Entry* own = &out[places[i] + taken[places[i]]++];
            own->row = (int32_t)i;
            own->code = codes[i];
        }
    }

    // The same for any number of codes: sorted by digits.
    static void order_many(const int32_t* codes, long n, int32_t lowest, int32_t highest, Entry* out, Entry* scratch) {
        int32_t first[1 << MOST_DIGITS];
        const int n_bits = 32 - __builtin_clz((unsigned)(highest - lowest));
        const int most = n < 1024 ? 8 : MOST_DIGITS;
        const int n_passes = (n_bits + most - 1) / most, digits = (n_bits + n_passes - 1) / n_passes;
        const int32_t mask = (1 << digits) - 1;
        for (int pass = 0; pass < n_passes; ++pass) {
            Entry* to = (n_passes - pass) % 2 ? out : scratch;
            const Entry* from = (n_passes - pass) % 2 ? scratch : out;
            const int shift = pass * digits;
            std::memset(first, 0, sizeof(int32_t) << digits);
            for (long i = 0; i < n; ++i) first[(highest - codes[i]) >> shift & mask] += 1;
            for (int32_t d = 0, before = 0; d <= mask; ++d) {
                const int32_t own = first[d];
                first[d] = before;
                before += own;
            }
            for (long i = 0; i < n; ++i) {
                const Entry entry = pass == 0 ? Entry{(int32_t)i, codes[i]} : from[i];
                to[first[(highest - entry.code) >> shift & mask]++] = entry;
            }
        }
    }
    """
    const int FEW
    void gather_codes(
        const int32_t* codes, const int32_t* rows, long n, int32_t* out, int32_t* lowest, int32_t* highest
    ) noexcept nogil
    void order_few(const int32_t* codes, long n, int32_t lowest, Entry* out) noexcept nogil
    void order_many(
        const int32_t* codes, long n, int32_t lowest, int32_t highest, Entry* out, Entry* scratch
    ) noexcept nogil

cdef int32_t MOST_KEYS = 32768


cdef int prepare_sorted_rows(SortedRows* sorted, const Columns* columns) except -1 nogil:
    sorted.entries.resize(columns.n_rows)
    sorted.scratch.resize(columns.n_rows)
    sorted.codes.resize(columns.n_rows)
    sorted.known.resize(columns.n_rows)
    sorted.long_keys.resize(columns.n_rows)


cdef int64_t gather_known(
    SortedRows* sorted, const int32_t* codes, const int32_t* rows, int64_t n_node, int32_t* lowest, int32_t* highest
) noexcept nogil:
    """Put the codes that are known into sorted.codes, and their rows into sorted.known; return their number.

    The other rows are put at the end of sorted.entries, with their codes.
    """
    cdef int64_t i, k = 0, m = 0
    cdef int32_t code, low = 2147483647, high = -1
    cdef Entry* missing = sorted.scratch.data()
    for i in range(n_node):
        # Written on both sides and counted on one: no branch.
        code = codes[rows[i]]
        sorted.known[k] = rows[i]
        sorted.codes[k] = code
        missing[m].row = rows[i]
        k += code >= 0
        m += code < 0
        low = min(low, code if code >= 0 else low)
        high = max(high, code)
    for i in range(m):
        sorted.entries[k + i].row = missing[i].row
        sorted.entries[k + i].code = -1
    lowest[0] = low
    highest[0] = high
    return k


cdef int64_t known_rows(
    SortedRows* sorted, const Columns* columns, int32_t feature, const int32_t* rows, int64_t n_node, bint in_order,
    bint numbered
) noexcept nogil:
    """Put the rows with a known value of a dense feature, and their codes, into sorted.entries.

    Returns their number, or -1 if they agree. With `in_order` the codes fall. After them come the rows whose value is
    missing, code -1. Where no value is missing, rows may be `numbered` by their place in the node instead.
    """
    cdef int32_t slot = columns.dense_slot[feature]
    cdef const int32_t* codes = columns.codes + <int64_t>slot * columns.n_rows
    cdef Entry* entries = sorted.entries.data()
    cdef int64_t i, k = n_node
    cdef int32_t lowest, highest
    if columns.n_known[slot] == columns.n_rows:
        gather_codes(codes, rows, n_node, sorted.codes.data(), &lowest, &highest)
    else:
        k = gather_known(sorted, codes, rows, n_node, &lowest, &highest)
        rows = sorted.known.data()
    if lowest >= highest:
        return -1
    if not in_order:
        for i in range(k):
            entries[i].row = rows[i]
            entries[i].code = sorted.codes[i]
        return k
    if k <= FEW and highest - lowest < MOST_KEYS:
        order_few(sorted.codes.data(), k, lowest, entries)
    else:
        order_many(sorted.codes.data(), k, lowest, highest, entries, sorted.scratch.data())
    if not numbered:
        for i in range(k):
            entries[i].row = rows[entries[i].row]
    return k


cdef void sort_listed(SortedRows* sorted, Entry* entries, int64_t n_entries) noexcept nogil:
    """Sort entries by falling code (equal codes: by row)."""
    cdef int64_t i
    for i in range(n_entries):
        sorted.long_keys[i] = (<uint64_t>(<uint64_t>0xFFFFFFFF - <uint64_t>entries[i].code) << 32) | <uint64_t>entries[i].row
    sort(sorted.long_keys.begin(), sorted.long_keys.begin() + n_entries)
    for i in range(n_entries):
        entries[i].row = <int32_t>(sorted.long_keys[i] & <uint64_t>0xFFFFFFFF)
        entries[i].code = <int32_t>(<uint64_t>0xFFFFFFFF - (sorted.long_keys[i] >> 32))


# ---------------------------------------------------------------------------------------------- orders handed down


cdef int prepare_inherited_orders(InheritedOrders* orders, const Data* data) except -1 nogil:
    cdef bint may_be_used = data.facts.n_dense > 0 and data.facts.tries_all and not data.options.random_tests
    orders.stride = data.columns.n_rows if may_be_used else 0
    orders.entries.resize(data.facts.n_dense * orders.stride)


cdef void order_root(
    InheritedOrders* orders, SortedRows* sorted, const Columns* columns, const int32_t* rows, int64_t n_rows
) noexcept nogil:
    """Put the root's rows of all dense features into order, for its descendants to inherit."""
    cdef int64_t i
    cdef int32_t feature
    cdef Entry* entries
    for feature in range(columns.n_features):
        if columns.dense_slot[feature] < 0:
            continue
        entries = orders.entries.data() + <int64_t>columns.dense_slot[feature] * orders.stride
        if known_rows(sorted, columns, feature, rows, n_rows, True, False) < 0:
            for i in range(n_rows):      # they agree: any order will do
                entries[i].row = rows[i]
                entries[i].code = 0
        else:
            for i in range(n_rows):
                entries[i] = sorted.entries[i]


cdef void widen_orders(InheritedOrders* orders, int64_t used, int64_t needed) noexcept nogil:
    """Make room for longer segments; `used` entries of each order are kept."""
    cdef vector[Entry] wider
    cdef int64_t slot, i, stride = orders.stride, n_slots = <int64_t>orders.entries.size() // stride
    wider.resize(n_slots * 2 * needed)
    for slot in range(n_slots):
        for i in range(used):
            wider[slot * 2 * needed + i] = orders.entries[slot * stride + i]
    orders.entries.swap(wider)
    orders.stride = 2 * needed


cdef void part_orders(
    InheritedOrders* orders, PendingNodes* nodes, Entry* scratch, const Pending* item, bint complete
) noexcept nogil:
    """Part every dense feature's order as the node's rows will be: "no" then "yes", each still in order."""
    cdef int64_t slot, i, n_yes, n_both = 0, n_node = item.end - item.start
    cdef Entry* entries
    for i in range(0 if complete else n_node):
        n_both += nodes.answer[i] < 0
    if item.end + n_both > orders.stride:
        widen_orders(orders, item.end, item.end + n_both)
    for i in range(n_node):
        nodes.stamp[nodes.rows[item.start + i]] = nodes.answer[i] if n_both == 0 else (
            3 if nodes.answer[i] < 0 else 1 + nodes.answer[i]
        )
    for slot in range(<int64_t>orders.entries.size() // orders.stride):
        entries = orders.entries.data() + slot * orders.stride + item.start
        if n_both == 0:
            part_entries(entries, n_node, nodes.stamp.data(), scratch)
        else:
            part_both(entries, n_node, nodes.stamp.data(), scratch, &n_yes)
    for i in range(n_node):
        nodes.stamp[nodes.rows[item.start + i]] = -1
