"""The logistic function and its inverse, by the operations of `scipy.special`, which takes long to import."""

import numpy as np

from libc.math cimport expf, log, log1p
from libc.stdint cimport int64_t


def expit(const float[:, ::1] margins):
    """Return the probability of each margin, in single precision.

    Parameters
    ----------
    margins : ndarray of float32, shape (n, L)

    Returns
    -------
    ndarray of float64, shape (n, L)
    """
    result = np.empty((margins.shape[0], margins.shape[1]))
    cdef double[:, ::1] to = result
    cdef int64_t i, j
    cdef float one = 1.0  # the sum and the quotient are in single precision, too
    with nogil:
        for i in range(margins.shape[0]):
            for j in range(margins.shape[1]):
                to[i, j] = one / (one + expf(-margins[i, j]))
    return result


def logit(const double[::1] shares):
    """Return the margin of each share.

    Parameters
    ----------
    shares : ndarray of float64, shape (L,)

    Returns
    -------
    ndarray of float64, shape (L,)
    """
    result = np.empty(shares.shape[0])
    cdef double[::1] to = result
    cdef int64_t j
    cdef double share
    with nogil:
        for j in range(shares.shape[0]):
            share = shares[j]
            if share < 0.3 or share > 0.65:
                to[j] = log(share / (1.0 - share))
            else:
                share = 2.0 * (share - 0.5)
                to[j] = log1p(share) - log1p(-share)
    return result
