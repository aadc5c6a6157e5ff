"""Known wrong procedures, each with the words that name it. They are wrong on purpose.

A failure gets its likely reason by comparison: the procedure that gives exactly what came.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz.core.checks import Array


@dataclass(frozen=True)
class Mistake:
    """A wrong procedure.

    Attributes
    ----------
    reason : str
        A sentence or two for the person, ASCII only.
    gives : callable
        The procedure: takes what the function takes, returns what the function would return.
    at_once : int
        How many mistakes it makes. One that explains a case alone goes before two.
    """

    reason: str
    gives: Callable[..., Array | tuple[Array, Array]]
    at_once: int = 1


def stable(x: Array, axis: int | None = -1, *, top: int | str | None = "same") -> Array:
    """Softmax along an axis (None: over everything), with the maximum of another axis on demand."""
    exps = np.exp(x - x.max(axis=axis if top == "same" else top, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def naive(x: Array) -> Array:
    """Softmax of each row without any subtraction."""
    exps = np.exp(x)
    return exps / exps.sum(axis=-1, keepdims=True)


def _over(base: float) -> Callable[[Array], Array]:
    return lambda x: stable(x * np.log(base))


def _with_epsilon(epsilon: float) -> Callable[[Array], Array]:
    def gives(x: Array) -> Array:
        exps = np.exp(x - x.max(axis=-1, keepdims=True))
        return exps / (exps.sum(axis=-1, keepdims=True) + epsilon)

    return gives


def no_keepdims(*, top: bool, total: bool) -> Callable[[Array], Array]:
    """Make a softmax in which the maximum, the sum, or both lose the axis of the rows."""

    def gives(x: Array) -> Array:
        exps = np.exp(x - x.max(axis=-1, keepdims=not top))
        return exps / exps.sum(axis=-1, keepdims=not total)

    return gives


def exps_only(x: Array) -> Array:
    """Return the exponentials of each row, the maximum subtracted, without dividing."""
    return np.exp(x - x.max(axis=-1, keepdims=True))


def _dead(x: Array, fill: float) -> Array:
    """Softmax in which a row of -inf gets one number everywhere."""
    dead = (x == -np.inf).all(axis=-1, keepdims=True)
    return np.where(dead, fill, stable(np.where(dead, 0.0, x)))


KEEPDIMS = (
    "the maximum or the sum of each row has lost its axis, so NumPy pairs it with columns. "
    "Use keepdims=True."
)
_EPSILON = (
    "a small number is added to the sum, so no row sums to 1. After the maximum is subtracted "
    "the sum is at least 1 and needs no protection."
)
_NO_MAXIMUM = (
    "the maximum isn't subtracted before exp. exp(1000) is inf and inf/inf is nan; exp(-1000) "
    "is 0 and 0/0 is nan. Subtract the largest score of each row first."
)
_AXIS = "softmax runs down the columns. Each row must sum to 1: use axis=-1."
_WHOLE = "all entries are normalised together. Each row must sum to 1 by itself: use axis=-1."


def _naive_over(axis: int | None) -> Callable[[Array], Array]:
    def gives(x: Array) -> Array:
        exps = np.exp(x)
        return exps / exps.sum(axis=axis, keepdims=True)

    return gives


SOFTMAX = (
    Mistake(
        _NO_MAXIMUM,
        naive,
    ),
    Mistake(_AXIS, lambda x: stable(x, 0)),
    Mistake(_WHOLE, lambda x: stable(x, None)),
    Mistake(
        "the largest score of the whole matrix is subtracted. A row of much smaller scores then "
        "has only exponentials of 0. Subtract the largest score of each row.",
        lambda x: stable(x, top=None),
    ),
    Mistake(KEEPDIMS, no_keepdims(top=True, total=True)),
    Mistake(KEEPDIMS, no_keepdims(top=False, total=True)),
    Mistake(KEEPDIMS, no_keepdims(top=True, total=False)),
    Mistake("the exponentials aren't divided by their sum.", np.exp),
    Mistake("the exponentials aren't divided by their sum.", exps_only),
    Mistake(
        "the smallest score is subtracted, not the largest, so exp still overflows.",
        lambda x: naive(x - x.min(axis=-1, keepdims=True)),
    ),
    Mistake(
        "the mean is subtracted, not the largest score, so exp still overflows.",
        lambda x: naive(x - x.mean(axis=-1, keepdims=True)),
    ),
    Mistake(
        "the scores are divided by their sum without exp.",
        lambda x: x / x.sum(axis=-1, keepdims=True),
    ),
    Mistake("the base is 2, not e: use np.exp.", _over(2)),
    Mistake("the base is 10, not e: use np.exp.", _over(10)),
    Mistake("this is the logarithm of softmax.", lambda x: np.log(stable(x))),
    Mistake("the sign of the scores is turned around: exp(-x), not exp(x).", lambda x: stable(-x)),
    Mistake(
        "this is the sigmoid of each score. Softmax divides by the sum over the row.",
        lambda x: 1 / (1 + np.exp(-x)),
    ),
    Mistake(
        "the largest score takes all the weight: this is argmax, the limit of zero temperature.",
        lambda x: (x == x.max(axis=-1, keepdims=True)) * 1.0,
    ),
    Mistake(
        "-inf is read as 0. A score of -inf hides the entry: its weight is exactly 0.",
        lambda x: stable(np.where(x == -np.inf, 0.0, x)),
    ),
    Mistake(f"{_WHOLE} Also, {_NO_MAXIMUM}", _naive_over(None), at_once=2),
    Mistake(f"{_AXIS} Also, {_NO_MAXIMUM}", _naive_over(0), at_once=2),
    *(Mistake(_EPSILON, _with_epsilon(10.0**-k)) for k in range(3, 9)),
)

SOFTMAX_UNREFUSED = (
    Mistake(
        "a row of -inf only isn't refused: -inf - (-inf) is nan. "
        "Raise ValueError before computing.",
        lambda x: _dead(x, np.nan),
    ),
    Mistake(
        "a row of -inf only isn't refused: it gets weights of 0, which don't sum to 1. "
        "Raise ValueError.",
        lambda x: _dead(x, 0.0),
    ),
    Mistake(
        "a row of -inf only isn't refused: it gets equal weights, as if nothing were hidden. "
        "Raise ValueError.",
        lambda x: _dead(x, 1.0 / x.shape[-1]),
    ),
)


NAIVE = (
    Mistake(
        "the maximum is subtracted. That is the stable softmax; the naive one is exp(x) divided "
        "by its sum as written, and its nan shows why the stable one is needed.",
        stable,
    ),
    Mistake(
        "nan is replaced by 0. The naive formula is to show how it fails.",
        lambda x: np.nan_to_num(naive(x)),
    ),
    Mistake(_AXIS, _naive_over(0)),
    Mistake(_WHOLE, _naive_over(None)),
    Mistake(KEEPDIMS, lambda x: np.exp(x) / np.exp(x).sum(axis=-1)),
    Mistake("the exponentials aren't divided by their sum.", np.exp),
    Mistake(
        "the scores are divided by their sum without exp.",
        lambda x: x / x.sum(axis=-1, keepdims=True),
    ),
    Mistake("the base is 2, not e: use np.exp.", lambda x: naive(x * np.log(2))),
    Mistake("the sign of the scores is turned around: exp(-x), not exp(x).", lambda x: naive(-x)),
)


def _sums(W: Array) -> Array:
    return np.atleast_2d(W).sum(axis=-1)


def _truth(value: object) -> Array:
    return np.array(bool(value), dtype=float)


ROWS_NORMALISED = (
    Mistake("columns are summed, not rows: use axis=-1.", lambda W: _truth(_near(W.sum(axis=0)))),
    Mistake(
        "all entries are summed together. Each row must sum to 1 by itself: use axis=-1.",
        lambda W: _truth(_near(W.sum())),
    ),
    Mistake(
        "the sums are compared with ==. Rounding makes 0.7 + 0.2 + 0.1 a little less than 1: "
        "allow 1e-9.",
        lambda W: _truth((_sums(W) == 1).all()),
    ),
    Mistake(
        "the tolerance is too wide: a sum that is 1e-6 away from 1 passes (np.allclose allows "
        "1e-5). Allow 1e-9.",
        lambda W: _truth(np.allclose(_sums(W), 1)),
    ),
    Mistake(
        "nan passes: every comparison with nan is False, so asking whether a sum is too far away "
        "misses it. Ask whether each sum is near.",
        lambda W: _truth(not (np.abs(_sums(W) - 1) > 1e-9).any()),
    ),
    Mistake("nan is left out of the sum.", lambda W: _truth(_near(np.nansum(W, axis=-1)))),
    Mistake(
        "one good row is enough (any). Every row must sum to 1: use all.",
        lambda W: _truth((np.abs(_sums(W) - 1) <= 1e-9).any()),
    ),
    Mistake("only the first row is looked at.", lambda W: _truth(_near(_sums(W)[0]))),
    Mistake("only the last row is looked at.", lambda W: _truth(_near(_sums(W)[-1]))),
    Mistake(
        "a sum below 1 passes: take the absolute difference.",
        lambda W: _truth((_sums(W) - 1 <= 1e-9).all()),
    ),
    Mistake(
        "a sum above 1 passes: take the absolute difference.",
        lambda W: _truth((1 - _sums(W) <= 1e-9).all()),
    ),
    Mistake(
        "negative entries are refused. This check is of sums only.",
        lambda W: _truth(_near(_sums(W)) and (W >= 0).all()),
    ),
    Mistake("the answer is turned around.", lambda W: _truth(not _near(_sums(W)))),
    Mistake("the answer is always True.", lambda W: _truth(True)),
    Mistake("the answer is always False.", lambda W: _truth(False)),
)


def _near(sums: Array) -> bool:
    return bool((np.abs(sums - 1) <= 1e-9).all())


def _plogp(w: Array) -> Array:
    return np.where(w > 0, w * np.log(np.where(w > 0, w, 1.0)), 0.0)


ENTROPY = (
    Mistake(
        "0 times log 0 is nan in floating point: log 0 is -inf. Leave out the weights of 0.",
        lambda w: -(w * np.log(w)).sum(),
    ),
    Mistake("the minus sign is missing.", lambda w: _plogp(w).sum()),
    Mistake(
        "the logarithm has base 2, so these are bits. Use np.log for nats.",
        lambda w: -_plogp(w).sum() / np.log(2),
    ),
    Mistake(
        "the logarithm has base 10. Use np.log for nats.",
        lambda w: -_plogp(w).sum() / np.log(10),
    ),
    Mistake("the mean is taken, not the sum.", lambda w: -_plogp(w).mean()),
    Mistake(
        "the logarithms aren't weighted: multiply each by its weight.",
        lambda w: -np.log(w).sum(),
    ),
    Mistake(
        "this is exp of the entropy, the effective number of keys.",
        lambda w: np.exp(-_plogp(w).sum()),
    ),
    Mistake("the terms aren't summed.", lambda w: -_plogp(w)),
    Mistake("this is the sum of squares, not an entropy.", lambda w: (w**2).sum()),
    Mistake(
        "this is 1 minus the sum of squares (Gini), not an entropy in nats.",
        lambda w: 1 - (w**2).sum(),
    ),
    Mistake(
        "the entropy is divided by log n. Nats aren't divided by anything.",
        lambda w: -_plogp(w).sum() / np.log(w.size),
    ),
    *(
        Mistake(
            "a small number is added inside the logarithm, which shifts every term. "
            "Leave out the weights of 0 instead.",
            lambda w, small=10.0**-k: -(w * np.log(w + small)).sum(),
        )
        for k in range(3, 10)
    ),
    *(
        Mistake(
            "small weights are raised to a small number (np.clip or np.maximum). "
            "Leave out the weights of 0 instead.",
            lambda w, small=10.0**-k: -(np.maximum(w, small) * np.log(np.maximum(w, small))).sum(),
        )
        for k in range(3, 11)
    ),
)
