"""Independent tasks, shared out among threads."""

from libc.stdint cimport int32_t

cdef extern from *:
    """
    #include <atomic>
    #include <system_error>
    #include <thread>
    #include <vector>

    typedef void (*Task)(void* of, int32_t which);

    // Do tasks 0 .. n - 1, in no order; none may write what another one reads.
    static void run_tasks(Task task, void* of, int32_t n, int32_t n_threads) {
        std::atomic<int32_t> next(0);
        auto work = [&] {
            for (int32_t i; (i = next.fetch_add(1)) < n;) task(of, i);
        };
        std::vector<std::thread> others;
        try {
            for (int32_t t = 1; t < n_threads && t < n; ++t) others.emplace_back(work);
        } catch (const std::system_error&) {
        }  // with fewer threads, then
        work();
        for (auto& other : others) other.join();
    }
    """
    ctypedef void (*Task)(void* of, int32_t which) noexcept nogil
    void run_tasks(Task task, void* of, int32_t n, int32_t n_threads) noexcept nogil
