"""Softmax step by step: what a student does by hand, as named arrays."""

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import (
    Array,
    as_float64,
    check_allowed,
    check_beta,
    check_scores,
    check_some_key,
    choice,
    nonempty_rows,
)
from attnviz.core.weigh import weigh


@dataclass(frozen=True, eq=False)
class SoftmaxSteps:
    """Every intermediate of a softmax along the last axis. The arrays can't be written to.

    Attributes
    ----------
    scores : ndarray, shape (..., n)
        The scores as they came, as float64. A hidden cell may hold anything.
    scaled : ndarray, shape (..., n)
        beta * scores. -inf stays -inf. Infinite where the product is beyond float64; `shifted`
        is right even there.
    masked : ndarray, shape (..., n)
        scaled, with -inf where a key is hidden.
    shifted : ndarray, shape (..., n)
        masked less the largest of its row, at most 0: exactly the number whose exponential is
        in `exps`. It is computed as beta * (scores - max), which keeps digits that
        masked - max(masked) would lose, so the two can differ in the last digits.
    exps : ndarray, shape (..., n)
        exp(shifted), from 0 to 1; exactly 0 where a key is hidden, and where it underflows.
    total : ndarray, shape (...), a scalar for one row
        Sum of exps, from 1 to n; 0 in a row without an allowed key.
    weights : ndarray, shape (..., n)
        exps / total. Each row sums to 1; NaN in a row without an allowed key.
    allowed : ndarray of bool, shape (..., n)
        True = the key may be attended to. False where it is hidden, by `allowed` or by a score
        of -inf. Tells a hidden key (False) from an underflowed weight (True, and exactly 0).
    """

    scores: Array
    scaled: Array
    masked: Array
    shifted: Array
    exps: Array
    total: Array
    weights: Array
    allowed: Array

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def empty_rows(self) -> Array:
        """True for each row in which no key is allowed, shape (...)."""
        return ~self.allowed.any(axis=-1)


def softmax_steps(
    scores: ArrayLike,
    *,
    beta: float = 1.0,
    allowed: ArrayLike | None = None,
    empty: Literal["error", "nan"] = "error",
) -> SoftmaxSteps:
    r"""Return every intermediate of the softmax of scores, along the last axis.

    Parameters
    ----------
    scores : array_like of real numbers, shape (..., n)
        One row or a matrix of scores. -inf hides a key, as ``allowed`` does. A cell that
        ``allowed`` hides may hold anything, NaN and infinity included. Never changed.
    beta : float
        Inverse temperature 1/T, at least 0. 0 gives equal weights to all allowed keys.
        ``math.inf`` means the limit T -> 0: shifted is 0 for the largest scores and -inf for
        the others, and ties share the weight.
    allowed : array_like of bool, optional
        True = may attend. Its shape must fit (broadcast to) the shape of scores. Without it
        every key is allowed.
    empty : {"error", "nan"}
        What a row without any allowed key gets: a ValueError that names the rows, or weights
        of NaN and a total of 0, so that the other rows can still be shown.

    Returns
    -------
    SoftmaxSteps
        ``weights`` is, to the last digit, ``softmax`` of the scores with -inf where a key is
        hidden, at the same beta (`hard_max` of them for infinite beta).

    Raises
    ------
    ValueError
        If an allowed cell holds NaN or +inf (the text names the place), if a row is empty or,
        with ``empty="error"``, sees no key (names the rows), if ``allowed`` isn't boolean or
        doesn't fit, or if beta is negative or NaN.

    Notes
    -----
    .. math:: w_j = \frac{e^{z_j}}{\sum_k e^{z_k}}, \quad z_j = \beta x_j - \max_k \beta x_k

    Examples
    --------
    >>> steps = softmax_steps([3, 1, 1, -1], allowed=[True, False, True, True])
    >>> steps.shifted
    array([  0., -inf,  -2.,  -4.])
    >>> steps.weights
    array([0.86681333, 0.        , 0.11731043, 0.01587624])
    """
    beta = check_beta(beta, limit=True)
    empty = choice(empty, ("error", "nan"), "empty")
    x = as_float64(scores, "scores").copy()
    nonempty_rows(x, -1, "scores")
    seen = check_allowed(allowed, x.shape) & (x != -np.inf)
    check_scores(x, seen)
    if empty == "error":
        check_some_key(seen)
    scaled = _scale(x, beta)
    shifted, exps, total, weights = weigh(x, seen, beta)
    return SoftmaxSteps(
        scores=x,
        scaled=scaled,
        masked=np.where(seen, scaled, -np.inf),
        shifted=shifted,
        exps=exps,
        total=total[..., 0],
        weights=weights,
        allowed=seen,
    )


def weights_against_beta(
    scores: ArrayLike, betas: ArrayLike, *, allowed: ArrayLike | None = None
) -> Array:
    r"""Return the weights of one row for many inverse temperatures, for curves.

    Parameters
    ----------
    scores : array_like of real numbers, shape (n,)
        One row of scores; -inf hides a key.
    betas : array_like of real numbers, shape (n_betas,)
        Inverse temperatures, each finite and at least 0.
    allowed : array_like of bool, shape (n,), optional
        True = may attend.

    Returns
    -------
    ndarray of float64, shape (n_betas, n)
        Row i is ``softmax_steps(scores, beta=betas[i], allowed=allowed).weights``, to the last
        digit. Its entropy along the curve is ``entropy`` of the result.

    Raises
    ------
    ValueError
        As in `softmax_steps`; if a beta is negative, NaN or infinite (the text names the
        place); if scores or betas isn't a single row.

    Notes
    -----
    .. math:: w_{ij} = \frac{e^{\beta_i x_j}}{\sum_k e^{\beta_i x_k}}

    Examples
    --------
    >>> weights_against_beta([2, 1, 0], [0, 1, 3]).round(3)
    array([[0.333, 0.333, 0.333],
           [0.665, 0.245, 0.09 ],
           [0.95 , 0.047, 0.002]])
    """
    x, many = as_float64(scores, "scores"), as_float64(betas, "betas")
    for array, name in ((x, "scores"), (many, "betas")):
        if array.ndim != 1:
            raise ValueError(f"{name} must be one row of numbers; got shape {array.shape}")
    nonempty_rows(x, -1, "scores")
    for at, beta in enumerate(many.tolist()):
        try:
            check_beta(beta)
        except ValueError as error:
            raise ValueError(f"betas, position {at} (counted from 0): {error}") from None
    seen = check_allowed(allowed, x.shape) & (x != -np.inf)
    check_scores(x, seen)
    check_some_key(seen)
    return weigh(x[None, :], seen[None, :], many[:, None] + 0.0)[3]  # (n_betas, n)


def freeze(steps: Any) -> None:
    """Make the arrays of a frozen dataclass read-only, so that it is frozen inside too."""
    for field in fields(steps):
        value = getattr(steps, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False


def _scale(scores: Array, beta: float) -> Array:
    """Return beta * scores; infinite scores stay as they are, and inf * 0 is its limit 0."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product = np.where(scores == 0, 0.0, beta * scores)
    return np.where(np.isinf(scores), scores, product) + 0.0  # -0.0 becomes 0.0
