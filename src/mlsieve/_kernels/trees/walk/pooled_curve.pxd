"""A precision-recall curve built threshold by threshold: counts of positives and negatives, highest score first.

Equal scores make one threshold; the first one is extended to recall 0; from one to the next the curve runs through
every whole number of true positives, the false positives growing linearly with them; trapezoids between these points
(Davis and Goadrich, 2006).
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <cstdint>
    struct PooledCurve {
        double tp, fp, area;              // above the next threshold; area in units of recall times all positives

        // Sum of 1 / (a + b t) over t = 1 .. n, eight at once.
        static double sum_of_inverses(double a, double b, int64_t n) {
            typedef double Many __attribute__((vector_size(64)));
            Many t = {1, 2, 3, 4, 5, 6, 7, 8}, sum = {0};
            int64_t i = 0;
            for (; i + 8 <= n; i += 8, t += 8.0) sum += 1.0 / (a + b * t);
            double rest = 0.0;
            for (; i < n; ++i) rest += 1.0 / (a + b * (double)(i + 1));
            return (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))) + rest;
        }

        // A threshold; negatives without a positive need none, for recall stays where it is.
        void add(double false_above, int64_t positives, int64_t negatives) {
            fp = false_above;
            if (positives == 0) return;
            double gained = (double)positives, a = tp + fp, b = 1.0 + (double)negatives / gained;
            double last = tp + gained, after = last / (last + fp + (double)negatives);
            if (a == 0.0) {
                area += gained * after;
            } else {
                area += 0.5 * (tp / a + after);
                if (positives > 1) {      // (tp + t) / (a + b t) is 1 / b + (tp - a / b) / (a + b t)
                    double coefficient = (tp * (b - 1.0) - fp) / b;
                    area += (gained - 1.0) / b;
                    if (coefficient != 0.0) area += coefficient * sum_of_inverses(a, b, positives - 1);
                }
            }
            tp = last;
        }
    };
    """
    cdef cppclass PooledCurve nogil:
        double tp, fp, area
        void add(double false_above, int64_t positives, int64_t negatives)


cdef inline void begin(PooledCurve* curve) noexcept nogil:
    curve.tp = curve.fp = curve.area = 0.0


cdef inline double error_of(const PooledCurve* curve) noexcept nogil:
    """1 - the area under the curve, which is 0 without positives."""
    return 1.0 - curve.area / curve.tp if curve.tp > 0.0 else 1.0
