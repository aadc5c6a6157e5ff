"""Small questions a person asks of one attention head: which cells are hidden, why this number."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import AttentionSteps, attention
from attnviz.core.checks import Array, as_float64
from attnviz.core.masks import MASKS


def combined_mask(
    n_q: int,
    n_k: int,
    masks: Mapping[str, Mapping[str, Any]],
    *,
    hide: Iterable[tuple[int, int]] = (),
    show: Iterable[tuple[int, int]] = (),
) -> Array:
    """Combine masks: a cell that one of them hides is hidden; single cells come on top.

    Parameters
    ----------
    n_q, n_k : int
    masks : mapping of str to mapping
        Name of a mask in `MASKS` to its options.
    hide, show : iterable of (int, int)
        Cells (query, key) that are hidden, or shown, whatever the masks say.

    Returns
    -------
    ndarray of bool, shape (n_q, n_k)
        True = may attend.

    Examples
    --------
    >>> combined_mask(2, 2, {"causal": {}}, hide=[(1, 0)]).tolist()
    [[True, False], [False, True]]
    """
    allowed = np.ones((n_q, n_k), dtype=bool)
    for name, options in masks.items():
        allowed &= MASKS[name].allowed(n_q, n_k, **options)
    for value, cells in ((False, hide), (True, show)):
        for row, column in cells:
            allowed[row, column] = value
    return allowed


def products(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the products whose sum is a dot product, one for each column.

    Parameters
    ----------
    a, b : array_like, shape (d,)

    Returns
    -------
    ndarray of float64, shape (d,)

    Examples
    --------
    >>> products([1, 2], [3, 4])
    array([3., 8.])
    """
    return as_float64(a, "a") * as_float64(b, "b")


def weighted_values(weights: ArrayLike, v: ArrayLike) -> Array:
    """Return each value row times its weight: the terms whose sum is the output.

    Parameters
    ----------
    weights : array_like, shape (n_k,)
        A weight of exactly 0 gives a row of zeros, whatever the value holds.
    v : array_like, shape (n_k, d_v)

    Returns
    -------
    ndarray of float64, shape (n_k, d_v)

    Examples
    --------
    >>> weighted_values([0.5, 0.5], [[2, 0], [0, 2]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    w = as_float64(weights, "weights")[:, None]
    with np.errstate(invalid="ignore"):
        return np.where(w == 0, 0.0, w * as_float64(v, "v"))


def attention_with_a_number(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    allowed: ArrayLike,
    number: float = -1e9,
    scale: float | None = None,
    beta: float = 1.0,
) -> AttentionSteps:
    """Compute attention with a large negative number in place of −∞, as many programs do.

    In a query whose keys are all hidden, the same number on every score changes nothing: the
    weights without a mask come back, but for rounding.

    Parameters
    ----------
    q, k, v, scale, beta
        As in `attention`.
    allowed : array_like of bool, shape (n_q, n_k)
        True = may attend.
    number : float
        What is added to a hidden score.

    Returns
    -------
    AttentionSteps

    Examples
    --------
    >>> attention_with_a_number([[1.0]], [[1.0], [2.0]], [[1.0], [2.0]],
    ...     allowed=[[False, False]]).weights.round(4)
    array([[0.2689, 0.7311]])
    """
    bias = np.where(np.asarray(allowed, dtype=bool), 0.0, number)
    return attention(q, k, v, bias=bias, scale=scale, beta=beta)


@dataclass(frozen=True, eq=False)
class HeadDifference:
    """How far two heads of the same shape are apart.

    Attributes
    ----------
    weights, output : ndarray
        Second less first.
    total_variation : ndarray, shape (n_q,)
        Half the sum of the absolute differences of the weights: 0 to 1. NaN where a query has
        weights that don't sum to 1.
    divergence : ndarray, shape (n_q,)
        Kullback–Leibler divergence of the first from the second, Σ a ln(a / b), in nats;
        infinite where the second gives no weight to a key that the first looks at.
    """

    weights: Array
    output: Array
    total_variation: Array
    divergence: Array


def compare_heads(first: AttentionSteps, second: AttentionSteps) -> HeadDifference:
    """Compare two heads with the same numbers of queries and keys and the same width of values.

    Parameters
    ----------
    first, second : AttentionSteps

    Returns
    -------
    HeadDifference

    Raises
    ------
    ValueError
        If the shapes differ; the text names them.

    Examples
    --------
    >>> one = attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]])
    >>> compare_heads(one, one).total_variation
    array([0.])
    """
    a, b = first.weights, second.weights
    if a.shape != b.shape or first.output.shape != second.output.shape:
        raise ValueError(
            f"two heads of one shape are needed; got weights {a.shape} and {b.shape}, output"
            f" {first.output.shape} and {second.output.shape}"
        )
    whole = np.isclose(a.sum(axis=-1), 1.0) & np.isclose(b.sum(axis=-1), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(a > 0, a * (np.log(a) - np.log(b)), 0.0)
    return HeadDifference(
        weights=b - a,
        output=second.output - first.output,
        total_variation=np.where(whole, 0.5 * np.abs(b - a).sum(axis=-1), np.nan),
        divergence=np.where(whole, np.maximum(parts.sum(axis=-1), 0.0), np.nan),
    )


def received(steps: AttentionSteps) -> Array:
    """Return how much each key receives from all queries; a NaN weight counts as nothing.

    Parameters
    ----------
    steps : AttentionSteps

    Returns
    -------
    ndarray of float64, shape (n_k,)
        From 0 to n_q.

    Examples
    --------
    >>> received(attention([[0.0], [0.0]], [[1.0], [2.0]], [[1.0], [2.0]]))
    array([1., 1.])
    """
    return np.nansum(steps.weights, axis=0)


def ceilings(steps: AttentionSteps) -> Array:
    """Return the largest entropy that each query can have, ln(allowed keys), in nats.

    Parameters
    ----------
    steps : AttentionSteps

    Returns
    -------
    ndarray of float64, shape (n_q,)
        NaN for a query without an allowed key.

    Examples
    --------
    >>> ceilings(attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]])).round(4)
    array([0.6931])
    """
    counts = steps.allowed.sum(axis=-1)
    with np.errstate(divide="ignore"):
        return np.where(counts > 0, np.log(counts), np.nan)


def shades(values: ArrayLike, *, centred: bool) -> Array:
    """Place values on a colour scale from 0 to 1.

    Parameters
    ----------
    values : array_like
    centred : bool
        True: 0 stands in the middle, and the largest finite magnitude at an end. False: the
        values are weights, which are their own place.

    Returns
    -------
    ndarray of float64
        NaN where a value isn't finite.

    Examples
    --------
    >>> shades([-2, 0, 1], centred=True)
    array([0.  , 0.5 , 0.75])
    """
    x = as_float64(values, "values").copy()
    x[~np.isfinite(x)] = np.nan
    if not centred:
        return np.clip(x, 0.0, 1.0)
    top = np.nanmax(np.abs(x)) if np.isfinite(x).any() else 0.0
    return np.where(np.isnan(x), np.nan, 0.5 if top == 0 else 0.5 + 0.5 * (x / top))
