"""Relatives of softmax that can give less than all the weight, or exactly none to some keys."""

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64, check_scores, check_some_key, nonempty_rows
from attnviz.core.softmax import softmax


def softmax_with_zero(x: ArrayLike) -> Array:
    r"""Return softmax with one more key, of score 0, that takes weight and gives nothing.

    With low scores a query can look nowhere: all its weights tend to 0.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n)
        Scores along the last axis. -inf hides a key. Never changed.

    Returns
    -------
    ndarray of float64, shape of x
        From 0 to 1. Each row sums to less than 1: the rest is the weight of the extra key. The
        sum can round to 1 where a score is above 36. A row that is all -inf gets zeros.

    Raises
    ------
    ValueError
        If a row is empty, or x holds NaN or +inf, is text, complex or a single number.

    See Also
    --------
    attnviz.core.softmax.softmax : without the extra key; adding a constant changes nothing there,
        and here it does.

    Notes
    -----
    .. math:: w_j = \frac{e^{x_j}}{1 + \sum_k e^{x_k}}

    Miller (2023), "Attention is off by one" (softmax1); Xiao et al. (2024), "Efficient streaming
    language models with attention sinks", section 3.3, equation 2 (zero sink).

    Examples
    --------
    >>> softmax_with_zero([0, 0, 0])
    array([0.25, 0.25, 0.25])
    >>> softmax_with_zero([-np.inf, -np.inf])
    array([0., 0.])
    """
    scores = as_float64(x, "x")
    nonempty_rows(scores, -1, "x")
    zero = np.zeros((*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, zero], axis=-1))[..., :-1].copy()


def sparsemax(x: ArrayLike) -> Array:
    r"""Return the weights nearest to the scores: low scores get exactly 0.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n)
        Scores along the last axis. -inf hides a key. Never changed.

    Returns
    -------
    ndarray of float64, shape of x
        From 0 to 1; each row sums to 1. Equal scores get equal weights. A score that is 1 or
        more below the largest gets 0, and so does -inf.

    Raises
    ------
    ValueError
        If a row is empty or all -inf, or x holds NaN or +inf, is text, complex or a single number.

    Notes
    -----
    .. math:: w = \arg\min_{p \in \Delta} \lVert p - x \rVert^2, \quad w_j = \max(x_j - \tau, 0)

    With the scores sorted from the largest, the k that get weight are the most for which
    1 + k x_k exceeds the sum of the first k; tau is (that sum - 1) / k. Martins and Astudillo
    (2016), "From softmax to sparsemax", algorithm 1. The largest score is subtracted first,
    which changes nothing and keeps the digits of large scores.

    Examples
    --------
    >>> sparsemax([0.5, 0, -1])
    array([0.75, 0.25, 0.  ])
    >>> sparsemax([2, 1, 0])
    array([1., 0., 0.])
    """
    scores = as_float64(x, "x")
    nonempty_rows(scores, -1, "x")
    seen = scores != -np.inf
    check_scores(scores, seen)
    check_some_key(seen)
    with np.errstate(over="ignore"):
        shifted = scores - scores.max(axis=-1, keepdims=True)
    shifted = np.maximum(shifted, -1.0)  # at -1 and below the weight is 0 in any case
    ordered = -np.sort(-shifted, axis=-1)
    sums = ordered.cumsum(axis=-1)
    ranks = np.arange(1, scores.shape[-1] + 1)
    count = (1 + ranks * ordered > sums).sum(axis=-1, keepdims=True)
    threshold = (np.take_along_axis(sums, count - 1, axis=-1) - 1) / count
    return np.maximum(shifted - threshold, 0.0)
