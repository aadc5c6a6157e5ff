"""Entropy of weights: how widely a query spreads its attention."""

import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64, check_weights, one_number


def entropy(w: ArrayLike, axis: int = -1, *, base: float | None = None) -> float | Array:
    r"""Return the entropy of weights, in nats unless a base is given.

    0 when one key has all the weight, ln n when n keys share it equally.

    Parameters
    ----------
    w : array_like of real numbers, any shape with at least one axis
        Weights. Each row must sum to 1 within 0.01 and is taken as it is, so weights that a
        person rounded can be used; nothing is normalised. Entries down to -1e-9 count as 0.
    axis : int
        The axis along which the weights sum to 1.
    base : float, optional
        Base of the logarithm, above 1: 2 gives bits. Without it the unit is nats.

    Returns
    -------
    float, or ndarray of float64 without the axis
        A float for one row. Never negative, and never -0.0.

    Raises
    ------
    ValueError
        If w holds NaN, infinity or an entry below -1e-9 (the text names the place), if a row is
        empty or its sum is further than 0.01 from 1 (the text names the row and the sum), or if
        base isn't a finite number above 1.

    Notes
    -----
    .. math:: H = -\sum_j w_j \ln w_j, \quad 0 \ln 0 = 0

    Shannon (1948), "A mathematical theory of communication", section 6. A row without any
    allowed key has no entropy: leave it out, don't pass zeros.

    Examples
    --------
    >>> entropy([0.25, 0.25, 0.25, 0.25])
    1.3862943611198906
    >>> entropy([0.25, 0.25, 0.25, 0.25], base=2)
    2.0
    """
    weights = as_float64(w, "w")
    axis = normalize_axis_index(axis, weights.ndim)
    if base is not None:
        base = one_number(base, "base")
        if base <= 1:
            raise ValueError(f"base must be above 1; got {base}")
    check_weights(weights, axis)
    weights = np.ascontiguousarray(np.moveaxis(weights, axis, -1))
    positive = weights > 0
    terms = np.zeros_like(weights)
    np.multiply(weights, _log(np.where(positive, weights, 1.0), base), out=terms, where=positive)
    _restore_the_largest(weights, terms, base)
    nats = np.maximum(0.0, -terms.sum(axis=-1)) + 0.0
    return float(nats) if weights.ndim == 1 else nats


def entropy_terms(w: ArrayLike) -> tuple[Array, Array]:
    """Return what the entropy of one query is summed from: ln w, and −w ln w.

    Parameters
    ----------
    w : array_like of real numbers, shape (n,)
        As in `entropy`.

    Returns
    -------
    (ndarray, ndarray)
        In nats; the second sums to `entropy`. A weight of 0 has ln w = −inf and the term 0, which
        −w ln w tends to.

    Examples
    --------
    >>> logs, terms = entropy_terms([0.5, 0.5, 0])
    >>> logs.round(4).tolist(), terms.round(4).tolist()
    ([-0.6931, -0.6931, -inf], [0.3466, 0.3466, 0.0])
    """
    weights = np.asarray(w, dtype=np.float64)
    positive = weights > 0
    safe = np.where(positive, weights, 1.0)
    terms = np.where(positive, weights * np.log(safe), 0.0)
    _restore_the_largest(weights, terms, None)
    return np.where(positive, terms / safe, -np.inf), 0.0 - terms


def effective_keys(w: ArrayLike, axis: int = -1) -> float | Array:
    r"""Return how many equally weighted keys would have the same entropy.

    Parameters
    ----------
    w, axis
        As in `entropy`.

    Returns
    -------
    float, or ndarray of float64 without the axis
        From 1 (one key has all the weight) to n (all n keys share equally).

    Raises
    ------
    ValueError
        As in `entropy`.

    Notes
    -----
    .. math:: n_\text{eff} = e^{H}

    The perplexity of the weights; Hill (1973), "Diversity and evenness", order 1.

    Examples
    --------
    >>> effective_keys([0.5, 0.5, 0])
    2.0
    """
    nats = entropy(w, axis)
    return math.exp(nats) if isinstance(nats, float) else np.exp(nats)


def _restore_the_largest(weights: Array, terms: Array, base: float | None) -> None:
    """Compute the term of a weight near 1 from the others, whose sum it lacks to 1.

    A weight of 1 − 4e-18 is stored as 1, and its own logarithm is lost; that of 1 − Σ others is
    not. Only for weights that sum to 1 as float64 can tell: rounded ones are taken as they are.
    """
    if not weights.size:
        return
    largest = weights.argmax(axis=-1)[..., None]
    others = weights.copy()
    np.put_along_axis(others, largest, 0.0, axis=-1)
    rest = others.sum(axis=-1, keepdims=True)
    exact = np.abs(weights.sum(axis=-1, keepdims=True) - 1.0) < 1e-12
    near = exact & (rest > 0) & (rest < 0.25)
    safe = np.where(near, rest, 0.0)
    term = (1.0 - safe) * np.log1p(-safe) / (1.0 if base is None else math.log(base))
    old = np.take_along_axis(terms, largest, axis=-1)
    np.put_along_axis(terms, largest, np.where(near, term, old), axis=-1)


def _log(x: Array, base: float | None) -> Array:
    """Take the logarithm; base 2 and 10 have exact functions of their own."""
    if base is None:
        return np.log(x)
    if base == 2:
        return np.log2(x)
    if base == 10:
        return np.log10(x)
    return np.log(x) / math.log(base)
