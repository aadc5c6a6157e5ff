"""Scaled dot-product attention, with every step kept."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import (
    Array,
    as_float64,
    check_allowed,
    check_beta,
    check_some_key,
    choice,
    first_place,
    fit,
    one_number,
)
from attnviz.core.steps import freeze
from attnviz.core.weigh import weigh

Empty = Literal["error", "zeros", "uniform", "nan"]
EMPTY_POLICIES: tuple[Empty, ...] = ("error", "zeros", "uniform", "nan")


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """Every intermediate of attention. Rows are queries, columns are keys. Read-only arrays.

    Attributes
    ----------
    scores : ndarray, shape (..., n_q, n_k)
        q kᵀ. Anything may stand in the column of a key that holds NaN, where it is hidden.
    scaled : ndarray, shape (..., n_q, n_k)
        scores * scale. beta isn't in it.
    masked : ndarray, shape (..., n_q, n_k)
        scaled + bias, with -inf exactly where the key is hidden from the query.
    weights : ndarray, shape (..., n_q, n_k)
        softmax of masked at beta. Each row sums to 1, except where `empty` says otherwise.
        Row i is, to the last digit, ``softmax_steps(masked[i], beta=beta).weights``.
    output : ndarray, shape (..., n_q, d_v)
        weights v: each row a weighted mean of the values.
    """

    scores: Array
    scaled: Array
    masked: Array
    weights: Array
    output: Array

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def allowed(self) -> Array:
        """True where the query may attend to the key, shape (..., n_q, n_k)."""
        return self.masked != -np.inf

    @property
    def empty_rows(self) -> Array:
        """True for each query that has no allowed key, shape (..., n_q)."""
        return ~self.allowed.any(axis=-1)


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    allowed: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
    beta: float = 1.0,
    empty: Empty = "error",
) -> AttentionSteps:
    r"""Let every query collect the values of the keys that it may attend to (allowed = True).

    Parameters
    ----------
    q : array_like of real numbers, shape (..., n_q, d_k)
        Queries. As everything here, computed in float64 and never changed.
    k : array_like, shape (..., n_k, d_k)
        Keys. With three or more axes, the third from last counts heads: fewer key heads than
        query heads are shared by groups of neighbouring query heads (Ainslie et al. 2023).
    v : array_like, shape (..., n_k, d_v)
        Values, one a key.
    allowed : array_like of bool, optional
        **True = may attend.** Its shape must fit (broadcast to) (..., n_q, n_k).
    bias : array_like of real numbers, optional
        Added to the scaled scores; -inf hides. Must fit like ``allowed``. Finite values hide
        nothing, however negative: a constant on a whole row changes no weight.
    scale : float, optional
        Factor of the scores, finite. 1/√d_k if it isn't given.
    beta : float
        Inverse temperature 1/T of the softmax, at least 0. ``math.inf`` means the limit T -> 0,
        where the largest scores of a row share all the weight.
    empty : {"error", "zeros", "uniform", "nan"}
        What a query without any allowed key gets: a ValueError that names the rows; weights and
        output 0; the same weight on every key, hidden or not; or NaN. No other row changes.

    Returns
    -------
    AttentionSteps
        scores, scaled, masked, weights and output. A key that is hidden from a query has weight
        exactly 0 and no influence on it, even when its k or v holds NaN or infinity.

    Raises
    ------
    ValueError
        If shapes don't fit (the text names the two), if the key heads don't divide the query
        heads, if there is no key, if an allowed score or a value that is used isn't finite
        (names the place), if ``allowed`` isn't boolean or ``bias`` is, if scale or beta is out
        of range, or if a query has no allowed key and ``empty`` is "error".

    Notes
    -----
    .. math:: O = A V, \quad
        A = \mathrm{softmax}\left(\beta \left(\frac{Q K^\top}{\sqrt{d_k}} + B\right)\right)

    Vaswani et al. (2017), "Attention is all you need", equation 1, which has B = 0 or -inf and
    β = 1.

    Examples
    --------
    >>> steps = attention([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]])
    >>> steps.scaled
    array([[0.70710678, 0.        ]])
    >>> steps.output
    array([[1.3395231, 0.6604769]])
    """
    beta, empty = check_beta(beta, limit=True), choice(empty, EMPTY_POLICIES, "empty")
    q, k, v = (_matrix(x, name) for x, name in ((q, "q"), (k, "k"), (v, "v")))
    scale = 1.0 / np.sqrt(q.shape[-1]) if scale is None else one_number(scale, "scale")
    k, v = _check_shapes(q, k, v)

    with np.errstate(all="ignore"):  # whatever isn't finite is either hidden or refused below
        scores = q @ k.swapaxes(-1, -2) + 0.0  # (..., n_q, n_k); -0.0 becomes 0.0
        scaled = scores * scale + 0.0
        seen = check_allowed(allowed, scores.shape)
        biased, seen = _add_bias(scaled, seen, bias)
    _check_seen(scores, biased, seen)
    if empty == "error":
        check_some_key(seen)

    masked = np.where(seen, biased, -np.inf)
    weights = weigh(masked, seen, beta)[3]
    dead = ~seen.any(axis=-1, keepdims=True)  # (..., n_q, 1)
    fill = {"error": np.nan, "nan": np.nan, "zeros": 0.0, "uniform": 1.0 / k.shape[-2]}[empty]
    weights = np.where(dead, fill, weights)
    used = seen | dead if empty == "uniform" else seen
    with np.errstate(all="ignore"):
        output = weights @ _used_values(v, used) + 0.0  # (..., n_q, d_v)
    return AttentionSteps(scores, scaled, masked, weights, output)


def _matrix(x: ArrayLike, name: str) -> Array:
    """Return x as float64 with at least two axes and one column."""
    array = as_float64(x, name)
    if array.ndim < 2:
        raise ValueError(f"{name} must be a matrix, one row a token; got shape {array.shape}")
    if array.shape[-1] == 0:
        raise ValueError(f"{name} must have at least one column; got shape {array.shape}")
    return array


def _check_shapes(q: Array, k: Array, v: Array) -> tuple[Array, Array]:
    """Check that q, k and v fit; return k and v with shared heads repeated."""
    if k.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"k must have {q.shape[-1]} columns to match q; got k {k.shape} and q {q.shape}"
        )
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(
            f"v must have {k.shape[-2]} rows, one a key; got v {v.shape} and k {k.shape}"
        )
    if k.shape[-2] == 0:
        raise ValueError(f"k must have at least one key; got shape {k.shape}")
    if k.ndim > 2 and v.ndim > 2 and k.shape[-3] != v.shape[-3]:
        raise ValueError(f"k and v must have as many heads; got k {k.shape} and v {v.shape}")
    k, v = _share_heads(q, k, "k"), _share_heads(q, v, "v")
    for x, name in ((k, "k"), (v, "v")):
        try:
            np.broadcast_shapes(q.shape[:-2], x.shape[:-2])
        except ValueError:
            raise ValueError(
                f"the leading axes of {name} don't fit those of q; "
                f"got {name} {x.shape} and q {q.shape}"
            ) from None
    return k, v


def _share_heads(q: Array, x: Array, name: str) -> Array:
    """Repeat each head of x for its group of neighbouring query heads."""
    if q.ndim < 3 or x.ndim < 3 or q.shape[-3] == x.shape[-3]:
        return x
    n_heads, n_shared = q.shape[-3], x.shape[-3]
    if n_shared == 0 or n_heads % n_shared:
        raise ValueError(
            f"the {n_shared} heads of {name} don't divide the {n_heads} heads of q; "
            f"got {name} {x.shape} and q {q.shape}"
        )
    return np.repeat(x, n_heads // n_shared, axis=-3)


def _add_bias(scaled: Array, seen: Array, bias: ArrayLike | None) -> tuple[Array, Array]:
    """Return scaled + bias, and what is still seen once a bias of -inf has hidden its cells."""
    if bias is None:
        return scaled, seen
    if np.asarray(bias).dtype.kind == "b":
        raise ValueError("bias must be numbers that are added; booleans belong in allowed")
    added = fit(as_float64(bias, "bias"), scaled.shape, "bias")
    seen = seen & (added != -np.inf)
    bad = seen & ~np.isfinite(added)
    if bad.any():
        raise ValueError(f"bias is NaN or +inf {first_place(bad)}; -inf hides a key")
    return scaled + added + 0.0, seen


def _check_seen(scores: Array, biased: Array, seen: Array) -> None:
    """Refuse scores that aren't finite where the query may attend to the key."""
    for x, word in ((scores, "score q·k"), (biased, "scaled score plus bias")):
        bad = seen & ~np.isfinite(x)
        if bad.any():
            got = x[tuple(np.argwhere(bad)[0])]
            raise ValueError(
                f"the {word} is {got} {first_place(bad)}: the query and every key that it may "
                "attend to must be finite numbers whose product is within float64"
            )


def _used_values(v: Array, used: Array) -> Array:
    """Return v with 0 in place of what isn't finite; refuse it where a query uses the key."""
    if np.isfinite(v).all():
        return v
    bad = ~np.isfinite(v).all(axis=-1) & used.any(axis=-2)  # (..., n_k)
    if bad.any():
        at = int(np.argwhere(bad)[0][-1])
        raise ValueError(f"v holds NaN or an infinity in row {at} (counted from 0), which is used")
    return np.where(np.isfinite(v), v, 0.0)
