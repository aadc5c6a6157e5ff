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


@dataclass(frozen=True, eq=False)
class DotProduct:
    """One score, term by term.

    Attributes
    ----------
    query, key : ndarray, shape (d_k,)
    products : ndarray, shape (d_k,)
    score : float
        Their sum, as it stands among the scores.
    """

    query: Array
    key: Array
    products: Array
    score: float


def dot_product(q: ArrayLike, k: ArrayLike, row: int, column: int) -> DotProduct:
    """Write one score out as the sum of its products.

    Parameters
    ----------
    q : array_like, shape (n_q, d_k)
    k : array_like, shape (n_k, d_k)
    row, column : int
        Query and key, from 0.

    Returns
    -------
    DotProduct

    Examples
    --------
    >>> dot_product([[1, 2]], [[3, 4]], 0, 0).products
    array([3., 8.])
    """
    query, key = as_float64(q, "q")[row], as_float64(k, "k")[column]
    return DotProduct(query, key, query * key, float(query @ key))


@dataclass(frozen=True, eq=False)
class HeadRow:
    """One query of a head, from its scaled scores to its output.

    Attributes
    ----------
    scaled, weights : ndarray, shape (n_k,)
    allowed : ndarray of bool, shape (n_k,)
    terms : ndarray, shape (n_k, d_v)
        Each value times its weight; they sum to the output.
    output : ndarray, shape (d_v,)
    sees_a_key : bool
    """

    scaled: Array
    weights: Array
    allowed: Array
    terms: Array
    output: Array
    sees_a_key: bool


def head_row(steps: AttentionSteps, v: ArrayLike, row: int) -> HeadRow:
    """Return what belongs to one query.

    Parameters
    ----------
    steps : AttentionSteps
        Arrays of shape (n_q, n_k) and (n_q, d_v).
    v : array_like, shape (n_k, d_v)
        A weight of exactly 0 gives a term of zeros, whatever the value holds.
    row : int
        The query, from 0.

    Returns
    -------
    HeadRow

    Examples
    --------
    >>> steps = attention([[0.0]], [[1.0], [2.0]], [[2.0, 0.0], [0.0, 2.0]])
    >>> head_row(steps, [[2.0, 0.0], [0.0, 2.0]], 0).terms.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    weights, allowed = steps.weights[row], steps.allowed[row]
    w = weights[:, None]
    with np.errstate(invalid="ignore"):
        terms = np.where(w == 0, 0.0, w * as_float64(v, "v"))
    return HeadRow(
        steps.scaled[row], weights, allowed, terms, steps.output[row], bool(allowed.any())
    )


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


def scale_of(d_k: int, scale: float | None) -> float:
    """Return the factor of the scores.

    Parameters
    ----------
    d_k : int
        Width of queries and keys.
    scale : float or None
        None for 1/√d_k.

    Returns
    -------
    float

    Examples
    --------
    >>> scale_of(4, None)
    0.5
    """
    return float(1.0 / np.sqrt(d_k)) if scale is None else float(scale)


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


def stage_shades(steps: AttentionSteps, v: ArrayLike) -> dict[str, Array]:
    """Place the numbers of every stage on their colour scales.

    Parameters
    ----------
    steps : AttentionSteps
    v : array_like, shape (n_k, d_v)

    Returns
    -------
    dict of str to ndarray
        ``scores``, ``scaled`` and ``masked`` share the range of their own numbers, ``values`` and
        ``output`` that of the values, so that colours can be compared; ``weights`` are their own
        place.

    Examples
    --------
    >>> steps = attention([[1.0]], [[1.0], [0.0]], [[2.0], [-4.0]])
    >>> stage_shades(steps, [[2.0], [-4.0]])["values"].tolist()
    [[0.75], [0.0]]
    """
    values = as_float64(v, "v")
    both = shades(np.concatenate([values, steps.output]), centred=True)
    return {
        "scores": shades(steps.scores, centred=True),
        "scaled": shades(steps.scaled, centred=True),
        "masked": shades(steps.masked, centred=True),
        "weights": shades(steps.weights, centred=False),
        "values": both[: len(values)],
        "output": both[len(values) :],
    }


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
