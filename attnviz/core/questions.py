"""Small questions a person asks of softmax: does it sum to 1, and what does a shift change."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64
from attnviz.core.entropy import entropy
from attnviz.core.steps import SoftmaxSteps, softmax_steps


@dataclass(frozen=True)
class RowChecks:
    """What must hold for the weights of one query, as measured numbers.

    Attributes
    ----------
    sum_minus_one : float
        Sum of the weights less 1; rounding alone makes it differ from 0.
    smallest : float
        Smallest weight of an allowed key; never below 0.
    largest_masked : float
        Largest weight of a masked key; exactly 0. NaN when no key is masked.
    shift_change : float
        Largest change of a weight when `shift` is added to every score; 0 but for rounding. NaN
        where a score would then be beyond float64.
    shift : float
        The constant that was added.
    underflowed : int
        Number of allowed keys whose weight is exactly 0 because the exponential underflowed;
        none in the limit of infinite beta, where 0 is the exact weight.
    """

    sum_minus_one: float
    smallest: float
    largest_masked: float
    shift_change: float
    shift: float
    underflowed: int


def row_checks(
    scores: ArrayLike,
    *,
    beta: float = 1.0,
    allowed: ArrayLike | None = None,
    shift: float = 1.0,
) -> RowChecks:
    """Measure what must hold for the weights of one row.

    Parameters
    ----------
    scores : array_like, shape (n,)
        One row; −inf masks a key.
    beta : float
        Inverse temperature, 0 to infinity.
    allowed : array_like of bool, shape (n,), optional
        True = may attend.
    shift : float
        Constant that is added to every score for the check of shift invariance.

    Returns
    -------
    RowChecks

    Raises
    ------
    ValueError
        As `softmax_steps`.

    Examples
    --------
    >>> checks = row_checks([2, 1, 0], shift=100)
    >>> checks.shift_change < 1e-15
    True
    """
    steps = softmax_steps(scores, beta=beta, allowed=allowed)
    with np.errstate(over="ignore"):
        shifted = steps.scores + float(shift)
    change = float("nan")
    if np.isfinite(shifted[steps.allowed]).all():
        moved = softmax_steps(shifted, beta=beta, allowed=steps.allowed)
        change = float(np.abs(moved.weights - steps.weights).max())
    seen = steps.weights[steps.allowed]
    masked = steps.weights[~steps.allowed]
    return RowChecks(
        sum_minus_one=float(steps.weights.sum() - 1.0),
        smallest=float(seen.min()),
        largest_masked=float(masked.max()) if masked.size else float("nan"),
        shift_change=change,
        shift=float(shift),
        underflowed=0 if np.isinf(beta) else int((seen == 0).sum()),
    )


def add_to_scores(scores: ArrayLike, constant: float) -> Array:
    """Add a constant to every score; −inf stays −inf.

    Parameters
    ----------
    scores : array_like of real numbers
    constant : float
        Finite.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If a sum is beyond float64.

    Examples
    --------
    >>> add_to_scores([2, -np.inf], 3)
    array([  5., -inf])
    """
    x = as_float64(scores, "scores")
    with np.errstate(over="ignore"):
        moved = x + float(constant)
    _check_finite(x, moved, f"adding {constant:g}")
    return moved


def multiply_scores(scores: ArrayLike, factor: float) -> Array:
    """Multiply every score by a factor; −inf, which masks a key, stays −inf.

    Parameters
    ----------
    scores : array_like of real numbers
    factor : float
        Finite; a negative one turns the order of the scores around.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If a product is beyond float64.

    Examples
    --------
    >>> multiply_scores([2, 1, -np.inf], -1)
    array([ -2.,  -1., -inf])
    """
    x = as_float64(scores, "scores")
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.where(x == -np.inf, -np.inf, x * float(factor))
    _check_finite(x, moved, f"multiplying by {factor:g}")
    return moved


def _check_finite(before: Array, after: Array, what: str) -> None:
    if (np.isfinite(before) & ~np.isfinite(after)).any():
        raise ValueError(f"{what} makes a score too large for float64")


@dataclass(frozen=True)
class PairRatio:
    """Two weights of one row and how they follow from the gap of their scores.

    Attributes
    ----------
    gap : float
        Score of the first less score of the second.
    exponent : float
        beta * gap.
    ratio : float
        exp(exponent): what the ratio of the weights must be; infinite beyond float64.
    measured : float
        First weight over second weight, as computed; NaN where the second weight is 0.
    """

    gap: float
    exponent: float
    ratio: float
    measured: float


def pair_ratio(steps: SoftmaxSteps, first: int, second: int, *, beta: float = 1.0) -> PairRatio:
    """Compare two weights of one row: their ratio is the exponential of beta times the gap.

    Parameters
    ----------
    steps : SoftmaxSteps
        Of one row, shape (n,).
    first, second : int
        Positions of two allowed keys.
    beta : float
        The inverse temperature of the steps, finite.

    Returns
    -------
    PairRatio

    Examples
    --------
    >>> round(pair_ratio(softmax_steps([6, 1]), 0, 1).ratio, 1)
    148.4
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        gap = steps.scores[first] - steps.scores[second]
        exponent = beta * gap
        below = steps.weights[second]
        measured = steps.weights[first] / below if below > 0 else np.nan
        return PairRatio(float(gap), float(exponent), float(np.exp(exponent)), float(measured))


def beta_axis(low: float, high: float, count: int) -> Array:
    """Return inverse temperatures spaced evenly on a logarithmic axis.

    Parameters
    ----------
    low, high : float
        Ends, positive.
    count : int
        Number of points, at least 2.

    Returns
    -------
    ndarray of float64, shape (count,)

    Examples
    --------
    >>> beta_axis(0.01, 100, 3)
    array([1.e-02, 1.e+00, 1.e+02])
    """
    return np.geomspace(low, high, count)


def max_entropy(n_allowed: int) -> float:
    """Return the entropy of equal weights over the allowed keys, ln n, in nats.

    Parameters
    ----------
    n_allowed : int
        At least 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(max_entropy(3), 4)
    1.0986
    """
    return float(np.log(n_allowed))


def naive_exps(scores: ArrayLike) -> Array:
    """Return exp(score) with nothing subtracted; inf where it overflows, honestly.

    Parameters
    ----------
    scores : array_like of real numbers
        −inf gives 0.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> naive_exps([0, 710])
    array([ 1., inf])
    """
    with np.errstate(over="ignore"):
        return np.exp(as_float64(scores, "scores"))


def row_entropies(steps: SoftmaxSteps) -> Array:
    """Return the entropy of each query in nats; NaN for a query without an allowed key.

    Parameters
    ----------
    steps : SoftmaxSteps
        Arrays of shape (n_q, n_k).

    Returns
    -------
    ndarray of float64, shape (n_q,)

    Examples
    --------
    >>> row_entropies(softmax_steps([[0, 0], [-np.inf, -np.inf]], empty="nan"))
    array([0.69314718,        nan])
    """
    found = np.full(steps.weights.shape[0], np.nan)
    seen = ~steps.empty_rows
    found[seen] = entropy(steps.weights[seen])
    return found
