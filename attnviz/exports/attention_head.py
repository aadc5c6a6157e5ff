"""One head of attention as an export is given it: checked, copied, computed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import EMPTY_POLICIES, AttentionSteps, Empty, attention
from attnviz.core.checks import Array, as_float64, check_allowed, check_beta, choice, one_number
from attnviz.core.steps import freeze
from attnviz.exports.escape import checked_labels


@dataclass(frozen=True, eq=False)
class AttentionHead:
    """Everything that determines one head, and what it computes. The arrays can't be written to.

    Attributes
    ----------
    q, k, v : ndarray of float64, shapes (n_q, d_k), (n_k, d_k), (n_k, d_v)
        Queries, keys and values. What is hidden may hold NaN or infinity.
    allowed : ndarray of bool, shape (n_q, n_k)
        **True = may attend.**
    scale : float or None
        Factor of the scores; None for 1/√d_k.
    beta : float
        Inverse temperature 1/T, at least 0; infinite for the limit T -> 0.
    empty : {"error", "zeros", "uniform", "nan"}
        What a query without an allowed key gets, as in `attention`.
    tokens, keys : tuple of str, lengths n_q and n_k
        Labels of the queries and of the keys.
    steps : AttentionSteps
        What `attention` makes of it. Where `empty` is "error", a query without an allowed key has
        NaN here.
    """

    q: Array
    k: Array
    v: Array
    allowed: Array
    scale: float | None
    beta: float
    empty: Empty
    tokens: tuple[str, ...]
    keys: tuple[str, ...]
    steps: AttentionSteps

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def scale_value(self) -> float:
        """The factor of the scores as a number."""
        return float(1.0 / np.sqrt(self.q.shape[1])) if self.scale is None else self.scale


def checked_head(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    allowed: ArrayLike | None,
    scale: float | None,
    beta: float,
    empty: Empty,
    tokens: Sequence[str],
    keys: Sequence[str],
) -> AttentionHead:
    """Check what an export is given, and compute it.

    Parameters
    ----------
    q, k, v : array_like of real numbers
        Matrices, as in `attention` but without leading axes. Each is copied in C order, as a
        script would make it: a product of an array with itself, or of one in Fortran order, takes
        another way through BLAS and can differ in the last digit.
    allowed, scale, beta, empty
        As in `attention`.
    tokens, keys : sequence of str
        A label for each query, and one for each key.

    Returns
    -------
    AttentionHead

    Raises
    ------
    ValueError
        As in `attention`, except that a query without an allowed key is no error here; if q, k or
        v isn't a matrix or has no row; if there isn't one label a query and one a key.
    """
    q, k, v = (_matrix(x, name) for x, name in ((q, "q"), (k, "k"), (v, "v")))
    empty = choice(empty, EMPTY_POLICIES, "empty")
    scale = None if scale is None else one_number(scale, "scale")
    policy = "nan" if empty == "error" else empty
    steps = attention(q, k, v, allowed=allowed, scale=scale, beta=beta, empty=policy)
    n_q, n_k = steps.scores.shape
    return AttentionHead(
        q=q,
        k=k,
        v=v,
        allowed=check_allowed(allowed, (n_q, n_k)),
        scale=scale,
        beta=check_beta(beta, limit=True),
        empty=empty,
        tokens=tuple(checked_labels(tokens, n_q, "tokens")),
        keys=tuple(checked_labels(keys, n_k, "keys")),
        steps=steps,
    )


def _matrix(x: ArrayLike, name: str) -> Array:
    """Return a matrix of its own."""
    matrix = np.array(as_float64(x, name), order="C")
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be a matrix, one row a token; got shape {matrix.shape}")
    if not len(matrix):
        raise ValueError(f"{name} must have at least one row; got shape {matrix.shape}")
    return matrix
