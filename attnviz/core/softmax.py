"""Softmax and its relatives: the logarithm, the naive formula, the limit of zero temperature."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import ArrayLike

from attnviz.core.checks import (
    Array,
    as_float64,
    check_beta,
    check_scores,
    check_some_key,
    nonempty_rows,
    one_number,
    real_array,
)
from attnviz.core.weigh import weigh


def softmax(x: ArrayLike, axis: int = -1, *, beta: float = 1.0) -> Array:
    r"""Turn scores into weights that are positive and sum to 1.

    The larger a score, the larger its weight; beta, the inverse temperature 1/T, says how
    strongly. An entry of -inf is hidden and gets weight exactly 0.

    Parameters
    ----------
    x : array_like of real numbers, any shape with at least one axis
        Scores. Integers and booleans are computed as float64, and so are float16 and float32.
        Never changed.
    axis : int
        The axis along which the weights sum to 1.
    beta : float
        Inverse temperature 1/T, finite and at least 0. 0 gives equal weights to every entry
        that isn't -inf.

    Returns
    -------
    ndarray of float64, shape of x
        Each row (along the axis) sums to 1; entries lie between 0 and 1. A batch of no rows is
        returned empty.

    Raises
    ------
    ValueError
        If a row is empty or all -inf (the text names the row), if x holds NaN or +inf (the text
        names the place), is text, complex or a single number, or if beta is negative, NaN or
        infinite. An axis that x doesn't have is an ``AxisError``, which is a ValueError too.

    See Also
    --------
    hard_max : the limit of infinite beta.
    softmax_steps : every intermediate of this computation.

    Notes
    -----
    .. math:: w_j = \frac{e^{\beta (x_j - m)}}{\sum_k e^{\beta (x_k - m)}}, \quad m = \max_k x_k

    The maximum is subtracted first, so the largest exponential is 1 and nothing overflows, and
    the digits of large scores are kept. Only where that difference itself is beyond float64
    are the scores scaled before it. The name and the use as an output layer are from Bridle
    (1990), "Probabilistic interpretation of feedforward classification network outputs".

    Examples
    --------
    >>> softmax([2, 1, 0])
    array([0.66524096, 0.24472847, 0.09003057])
    >>> softmax([1000, 1000, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    beta = check_beta(beta)
    scores, axis = _checked_rows(x, axis)
    return _back(weigh(scores, scores != -np.inf, beta)[3], axis)


def log_softmax(x: ArrayLike, axis: int = -1, *, beta: float = 1.0) -> Array:
    r"""Return the natural logarithm of softmax, right even where the weight underflows to 0.

    Parameters
    ----------
    x, axis, beta
        As in `softmax`.

    Returns
    -------
    ndarray of float64, shape of x
        Logarithms of the weights, at most 0; -inf for an entry of -inf.

    Raises
    ------
    ValueError
        As in `softmax`.

    Notes
    -----
    .. math:: \ln w_j = \beta (x_j - m) - \ln \sum_k e^{\beta (x_k - m)}

    The largest term of the sum is 1, so the logarithm is taken with ``log1p`` of the others:
    a weight of 1 - 1e-20 keeps its logarithm of -1e-20.

    Examples
    --------
    >>> log_softmax([0, -2000])
    array([    0., -2000.])
    """
    beta = check_beta(beta)
    scores, axis = _checked_rows(x, axis)
    if scores.size == 0:
        return _back(np.empty_like(scores), axis)
    shifted, exps, _, _ = weigh(scores, scores != -np.inf, beta)
    np.put_along_axis(exps, shifted.argmax(axis=-1)[..., None], 0.0, axis=-1)
    return _back(shifted - np.log1p(exps.sum(axis=-1, keepdims=True)) + 0.0, axis)


def naive_softmax(x: ArrayLike, axis: int = -1) -> Array:
    r"""Return exp(x) / sum of exp(x) as written, so that it fails as it really fails.

    For lessons: beyond 709.79 the exponential of a float64 is inf (88.73 in float32, 11.09 in
    float16) and inf/inf is NaN. Use `softmax` for numbers you mean to use.

    Parameters
    ----------
    x : array_like of real numbers, any shape with at least one axis
        Scores. float16, float32 and float64 are computed in that format; anything else in
        float64. NaN and infinity are let through.
    axis : int
        The axis along which the weights would sum to 1.

    Returns
    -------
    ndarray of the dtype of the computation, shape of x
        Weights, or NaN and 0 where a number overflowed or every exponential underflowed.

    Raises
    ------
    ValueError
        If a row is empty, or if x is text, complex or a single number. Never for overflow.

    Notes
    -----
    .. math:: w_j = \frac{e^{x_j}}{\sum_k e^{x_k}}

    Examples
    --------
    >>> naive_softmax([2, 1, 0])
    array([0.66524096, 0.24472847, 0.09003057])
    >>> naive_softmax([1000, 1000])
    array([nan, nan])
    """
    scores = real_array(x, "x")
    own = scores.dtype.newbyteorder("=")
    scores = scores.astype(own) if own in (np.float16, np.float32) else as_float64(scores, "x")
    axis = normalize_axis_index(axis, scores.ndim)
    nonempty_rows(scores, axis, "x")
    scores = np.ascontiguousarray(np.moveaxis(scores, axis, -1))
    with np.errstate(all="ignore"):
        exps = np.exp(scores)
        return _back(exps / exps.sum(axis=-1, keepdims=True), axis)


def hard_max(x: ArrayLike, axis: int = -1) -> Array:
    r"""Return the limit of softmax for zero temperature (infinite beta): the largest takes all.

    Parameters
    ----------
    x, axis
        As in `softmax`.

    Returns
    -------
    ndarray of float64, shape of x
        1/t for each of the t entries that tie for the largest, 0 for the others. The limit
        shares between ties; greedy decoding, which takes the first of them, doesn't.

    Raises
    ------
    ValueError
        As in `softmax`.

    Notes
    -----
    .. math:: \lim_{\beta \to \infty} \mathrm{softmax}(\beta x)

    Examples
    --------
    >>> hard_max([3, 1, 3, 0])
    array([0.5, 0. , 0.5, 0. ])
    """
    scores, axis = _checked_rows(x, axis)
    return _back(weigh(scores, scores != -np.inf, np.inf)[3], axis)


def rows_normalised(W: ArrayLike, tol: float = 1e-9) -> bool:
    r"""Say whether every row sums to 1.

    A check of sums only: [1.5, -0.5] passes. (`entropy` refuses negative weights.)

    Parameters
    ----------
    W : array_like of real numbers, shape (..., n)
        Rows along the last axis. One vector counts as one row.
    tol : float
        How far from 1 a sum may be. Weights saved as float32 need about 1e-6, as float16 1e-2.

    Returns
    -------
    bool
        True when every row sums to 1 within tol, and when there are no rows. A row with NaN or
        infinity doesn't.

    Raises
    ------
    ValueError
        If W is text, complex or a single number, or tol isn't a finite number of at least 0.

    Notes
    -----
    .. math:: \left| \sum_j W_{ij} - 1 \right| \le tol \quad \text{for every row } i

    Examples
    --------
    >>> rows_normalised([[0.25, 0.75], [1, 0]])
    True
    >>> rows_normalised([[0, 0]])
    False
    """
    weights = as_float64(W, "W")
    tol = one_number(tol, "tol")
    if tol < 0:
        raise ValueError(f"tol must be 0 or more; got {tol}")
    with np.errstate(all="ignore"):
        return bool((np.abs(weights.sum(axis=-1) - 1.0) <= tol).all())


def _checked_rows(x: ArrayLike, axis: int) -> tuple[Array, int]:
    """Check x as softmax promises; return it with the axis moved last, and the axis."""
    scores = as_float64(x, "x")
    axis = normalize_axis_index(axis, scores.ndim)
    nonempty_rows(scores, axis, "x")
    seen = scores != -np.inf
    check_scores(scores, seen)
    check_some_key(seen, axis)
    return np.ascontiguousarray(np.moveaxis(scores, axis, -1)), axis


def _back(rows: Array, axis: int) -> Array:
    """Return rows with the last axis moved back to where it came from."""
    return np.ascontiguousarray(np.moveaxis(rows, -1, axis))
