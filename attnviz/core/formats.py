"""Softmax in small number formats: every step rounded as the format rounds it."""

import decimal
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64, check_scores, check_some_key, choice
from attnviz.core.softmax import log_softmax
from attnviz.core.steps import freeze

#: name -> (bits, binary digits of the significand, largest exponent). IEEE 754-2019, table 3.5;
#: bfloat16 is float32 without its last 16 bits.
_SHAPES = {
    "float16": (16, 11, 15),
    "bfloat16": (16, 8, 127),
    "float32": (32, 24, 127),
    "float64": (64, 53, 1023),
}
_DTYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
_REFERENCE_DIGITS = 40
_SPARE_DIGITS = 20  # so that the 40 digits that are kept are right


@dataclass(frozen=True, eq=False)
class Format:
    """A binary floating-point format.

    Attributes
    ----------
    name : str
        The key in `FORMATS`.
    bits : int
        Size of one number.
    significand_digits : int
        Binary digits of the significand, with the leading 1 that isn't stored.
    largest : float
        The largest finite number. The lowest is its negative.
    smallest_normal : float
        The smallest positive number with all its digits.
    smallest_subnormal : float
        The smallest positive number.
    first_overflow : float
        The smallest score of float64 whose exponential, rounded to the format, is infinite.
    first_own_overflow : float
        The smallest of these scores that is itself a number of the format.
    """

    name: str
    bits: int
    significand_digits: int
    largest: float
    smallest_normal: float
    smallest_subnormal: float
    first_overflow: float
    first_own_overflow: float


@dataclass(frozen=True, eq=False)
class FormatSteps:
    """Every intermediate of a softmax in one format. The arrays can't be written to.

    All numbers are float64 that hold numbers of the format.

    Attributes
    ----------
    name : str
        The format.
    stable : bool
        True when the largest score was subtracted first.
    scores : ndarray, shape (n,)
        The scores, rounded to the format. Infinite where a score is beyond it.
    shifted : ndarray, shape (n,)
        scores less the largest of them; the scores themselves when not stable. NaN in a row
        that is all -inf or holds +inf.
    exps : ndarray, shape (n,)
        exp(shifted). Infinite where it overflows, 0 where it underflows.
    total : float
        The exps added in order, each sum rounded.
    weights : ndarray, shape (n,)
        exps / total. NaN for inf/inf and 0/0.
    allowed : ndarray of bool, shape (n,)
        False where the score that came in was -inf. A finite score that rounding turned into
        -inf is still allowed.
    """

    name: str
    stable: bool
    scores: Array
    shifted: Array
    exps: Array
    total: float
    weights: Array
    allowed: Array

    def __post_init__(self) -> None:
        freeze(self)


def rounded(x: ArrayLike, name: str) -> Array:
    """Round numbers to a format: to the nearest, and halfway to the even one.

    Parameters
    ----------
    x : array_like of real numbers, any shape
        What to round. A single number is fine. Never changed.
    name : str
        A key of `FORMATS`.

    Returns
    -------
    ndarray of float64, shape of x
        The numbers of the format. Subnormal numbers, signed zeros, infinities and NaN are kept;
        from halfway between the largest number and the next power of 2, a number is infinite.

    Raises
    ------
    ValueError
        If x isn't real numbers, or name isn't a format.

    Notes
    -----
    IEEE 754-2019, section 4.3.1, roundTiesToEven. bfloat16 is reached from float64 in one
    rounding, not through float32, where a number can be rounded twice.

    Examples
    --------
    >>> rounded([1 / 3, 65520, 1e-8], "float16")
    array([0.33325195,        inf, 0.        ])
    >>> rounded([1 / 3, 65520, 1e-8], "bfloat16")
    array([3.33984375e-01, 6.55360000e+04, 1.00117177e-08])
    """
    choice(name, tuple(_SHAPES), "name")
    if np.ndim(x) == 0:
        return _round(as_float64(np.asarray(x)[None], "x"), name)[0]
    return _round(as_float64(x, "x"), name)


def format_steps(scores: ArrayLike, name: str, *, stable: bool) -> FormatSteps:
    r"""Compute the softmax of one row in a format, every intermediate rounded to it.

    Parameters
    ----------
    scores : array_like of real numbers, shape (n,)
        Scores. -inf hides a key. Never changed.
    name : str
        A key of `FORMATS`.
    stable : bool
        True subtracts the largest score first; False takes the exponentials as they come.

    Returns
    -------
    FormatSteps
        Overflow and 0/0 are left as they happen: infinities and NaN, never an exception.

    Raises
    ------
    ValueError
        If scores isn't one row, is empty, or holds NaN or +inf; if name isn't a format.

    Notes
    -----
    .. math:: w_j = \frac{e^{x_j - m}}{\sum_k e^{x_k - m}}, \quad m = \max_k x_k
        \text{ or } 0

    One operation is computed in float64 and then rounded. For a difference, a sum and a
    quotient that is the correctly rounded result: float64 has more than twice the digits of
    the smaller formats (Figueroa, 1995, "When is double rounding innocuous?"). For exp it is
    float64's exp, rounded once more. Where exp lies within an error of float64 of the middle
    between two numbers, the result could be the other neighbour. Measured: no score of float16
    or bfloat16 is such a case, and none of 200,000 random scores of float32. In float64 itself
    exp can be the other neighbour (for 9,336 of 200,000 random scores on one machine; it depends
    on the processor).

    Hardware can keep sums in a wider format and add in another order; these are the steps of a
    program that keeps every number in the format.

    Examples
    --------
    >>> format_steps([12, 11], "float16", stable=False).exps
    array([   inf, 59872.])
    >>> format_steps([12, 11], "float16", stable=True).weights
    array([0.73095703, 0.26879883])
    """
    choice(name, tuple(_SHAPES), "name")
    x = as_one_row(scores, "scores")
    check_scores(x, x != -np.inf)
    return steps_of(_round(x, name), x != -np.inf, name, stable=stable)


def steps_of(scores: Array, allowed: Array, name: str, *, stable: bool) -> FormatSteps:
    """Return the steps for scores that are numbers of the format already. Nothing is checked.

    Parameters
    ----------
    scores : ndarray of float64, shape (n,)
        Numbers of the format. Infinities and NaN are computed with.
    allowed : ndarray of bool, shape (n,)
        What `FormatSteps.allowed` says. The scores alone decide the weights.
    name, stable
        As in `format_steps`.

    Returns
    -------
    FormatSteps

    Examples
    --------
    >>> hidden = np.full(2, -np.inf)
    >>> steps_of(hidden, hidden > 0, "float16", stable=True).shifted
    array([nan, nan])
    """
    with np.errstate(all="ignore"):
        shifted = _round(scores - scores.max(), name) if stable else scores.copy()
        exps = _round(np.exp(shifted), name)
        total = np.zeros(1)
        for one in exps:
            total = _round(total + one, name)
        weights = _round(exps / total, name)
    return FormatSteps(
        name=name,
        stable=stable,
        scores=scores,
        shifted=shifted,
        exps=exps,
        total=float(total[0]),
        weights=weights,
        allowed=allowed,
    )


def first_fault(steps: FormatSteps) -> tuple[str, tuple[int, ...]] | None:
    """Say which step first holds an infinity or NaN, and where.

    Parameters
    ----------
    steps : FormatSteps
        What `format_steps` returned.

    Returns
    -------
    (str, tuple of int) or None
        The name of the step (scores, shifted, exps, total or weights) and the positions,
        counted from 0; total has none. None when all is finite. The -inf of a hidden key, in
        scores and shifted, is no fault.

    Examples
    --------
    >>> first_fault(format_steps([12, 11], "float16", stable=False))
    ('exps', (0,))
    >>> first_fault(format_steps([11, 11], "float16", stable=False))
    ('total', ())
    >>> first_fault(format_steps([12, -np.inf], "float16", stable=True)) is None
    True
    """
    for step in ("scores", "shifted", "exps", "total", "weights"):
        values = getattr(steps, step)
        bad = ~np.isfinite(values)
        if step in ("scores", "shifted"):
            bad &= steps.allowed | (values != -np.inf)
        if np.any(bad):
            return step, tuple(int(at) for at in np.flatnonzero(bad)) if np.ndim(bad) else ()
    return None


def underflowed(steps: FormatSteps) -> tuple[int, ...]:
    """Return the positions where an allowed key has a weight of exactly 0.

    Parameters
    ----------
    steps : FormatSteps
        What `format_steps` returned.

    Returns
    -------
    tuple of int
        Positions counted from 0. A hidden key isn't one of them, and neither is a key whose
        weight is 0 because it was divided by an infinite total.

    Examples
    --------
    >>> underflowed(format_steps([0, -18, -np.inf], "float16", stable=True))
    (1,)
    """
    too_small = (steps.exps == 0) | np.isfinite(steps.total)
    return tuple(int(at) for at in np.flatnonzero((steps.weights == 0) & steps.allowed & too_small))


def reference_weights(scores: ArrayLike) -> list[Decimal]:
    r"""Return the weights of one row to 40 decimal digits.

    Parameters
    ----------
    scores : array_like of real numbers, shape (n,)
        Scores, taken as exactly the float64 numbers they are. -inf hides a key.

    Returns
    -------
    list of Decimal
        Each right to 40 significant digits; exactly 0 for a hidden key.

    Raises
    ------
    ValueError
        If scores isn't one row, is empty, holds NaN or +inf, or is all -inf.

    Notes
    -----
    .. math:: w_j = \frac{e^{x_j - m}}{\sum_k e^{x_k - m}}

    Examples
    --------
    >>> reference_weights([0, 0, 0])[0]
    Decimal('0.3333333333333333333333333333333333333333')
    """
    x = as_one_row(scores, "scores")
    seen = x != -np.inf
    check_scores(x, seen)
    check_some_key(seen)
    with decimal.localcontext(_context(_REFERENCE_DIGITS + _SPARE_DIGITS)) as context:
        top = Decimal(float(x.max()))
        exps = [(Decimal(one) - top).exp() if one != -np.inf else Decimal(0) for one in x.tolist()]
        total = sum(exps)
        weights = [one / total for one in exps]
        context.prec = _REFERENCE_DIGITS
        return [+one for one in weights]


def error_in_ulps(weights: ArrayLike, reference: Sequence[Decimal], name: str) -> Array:
    r"""Return how far weights are from the reference, in units of the format's last place.

    Parameters
    ----------
    weights : array_like of real numbers, shape (n,)
        Weights computed in the format.
    reference : sequence of Decimal, length n
        From `reference_weights`.
    name : str
        A key of `FORMATS`.

    Returns
    -------
    ndarray of float64, shape (n,)
        At least 0; at most 0.5 for a correctly rounded weight. Infinite where a weight is NaN or
        infinite.

    Raises
    ------
    ValueError
        If weights isn't one row, differs from reference in length, or name isn't a format.

    Notes
    -----
    .. math:: \frac{|w - r|}{u(r)}, \quad u(r) = 2^{\max(\lfloor \log_2 r \rfloor,\; e) - p + 1}

    p counts the digits of the significand, and 2^e is the smallest normal number: below it u is
    the spacing of the subnormal numbers.

    Examples
    --------
    >>> error_in_ulps([0.3333, 1.0], [Decimal(1) / 3, Decimal(1)], "float16").round(3)
    array([0.137, 0.   ])
    """
    kind = FORMATS[choice(name, tuple(FORMATS), "name")]
    row = as_one_row(weights, "weights")
    if len(row) != len(reference):
        raise ValueError(
            f"weights and reference must be equally long; got {len(row)} and {len(reference)}"
        )
    errors = []
    with decimal.localcontext(_context(_REFERENCE_DIGITS + _SPARE_DIGITS)):
        for weight, exact in zip(row.tolist(), reference, strict=True):
            if np.isfinite(weight):
                errors.append(float(abs(Decimal(weight) - exact) / _last_place(exact, kind)))
            else:
                errors.append(np.inf)
    return np.array(errors)


def log_sum_exp(scores: ArrayLike) -> float:
    r"""Return the logarithm of the sum of exponentials of one row, without overflow.

    Parameters
    ----------
    scores : array_like of real numbers, shape (n,)
        Scores. -inf hides a key.

    Returns
    -------
    float
        From max(scores) to max(scores) + ln n. Less this number, a score is the logarithm of
        its weight.

    Raises
    ------
    ValueError
        If scores isn't one row, is empty, holds NaN or +inf, or is all -inf.

    Notes
    -----
    .. math:: \ln \sum_k e^{x_k} = m + \ln \sum_k e^{x_k - m}, \quad m = \max_k x_k

    Examples
    --------
    >>> log_sum_exp([1000, 1000])
    1000.6931471805599
    """
    x = as_one_row(scores, "scores")
    logs = log_softmax(x)
    return float(x.max() - logs[x.argmax()])


@dataclass(frozen=True, eq=False)
class FormatReport:
    """One row of scores in one format, both ways.

    Attributes
    ----------
    format : Format
    naive, stable : FormatSteps
    fault : (str, tuple of int) or None
        Where the naive way first holds an infinity or NaN.
    lost : tuple of int
        Allowed keys whose stable weight is exactly 0.
    errors : ndarray, shape (n,)
        Of the stable weights, in units of the last place; inf for NaN.
    """

    format: Format
    naive: FormatSteps
    stable: FormatSteps
    fault: tuple[str, tuple[int, ...]] | None
    lost: tuple[int, ...]
    errors: Array


def report(scores: ArrayLike, name: str, reference: Sequence[Decimal]) -> FormatReport:
    """Compute one row of scores in a format, both ways, and compare it with the exact weights.

    Parameters
    ----------
    scores : array_like, shape (n,)
        -inf hides a key.
    name : str
        A key of `FORMATS`.
    reference : sequence of Decimal, length n
        From `reference_weights`; empty where no key is allowed.

    Returns
    -------
    FormatReport

    Examples
    --------
    >>> found = report([12, 0], "float16", reference_weights([12, 0]))
    >>> found.fault, found.stable.weights.round(4).tolist()
    (('exps', (0,)), [1.0, 0.0])
    """
    naive, stable = (format_steps(scores, name, stable=way) for way in (False, True))
    errors = (
        error_in_ulps(stable.weights, reference, name)
        if len(reference)
        else np.full(len(stable.weights), np.inf)
    )
    fault, lost = first_fault(naive), underflowed(stable)
    return FormatReport(FORMATS[name], naive, stable, fault, lost, errors)


def as_one_row(x: ArrayLike, name: str) -> Array:
    """Return x as one row of float64; ValueError unless it is one that isn't empty.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,)
        The row.
    name : str
        What the sentence of the error calls it.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> as_one_row([1, 2], "scores")
    array([1., 2.])
    """
    row = as_float64(x, name)
    if row.ndim != 1 or row.size == 0:
        raise ValueError(f"{name} must be one row of at least 1 number; got shape {row.shape}")
    return row


def _round(x: Array, name: str) -> Array:
    """Return x rounded to the format."""
    with np.errstate(all="ignore"):
        if name in _DTYPES:
            return x.astype(_DTYPES[name]).astype(np.float64)
        _, digits, top = _SHAPES[name]
        _, exponents = np.frexp(x)  # |x| is in [2^(e-1), 2^e)
        unit = np.maximum(exponents - 1, 1 - top) - digits + 1
        whole = np.rint(np.ldexp(x, -unit))  # halfway to even; scaling by 2 is exact
        result = np.where(np.isfinite(x), np.ldexp(whole, unit), x)
        return np.where(np.abs(result) >= 2.0 ** (top + 1), np.copysign(np.inf, x), result)


def _last_place(exact: Decimal, kind: Format) -> Decimal:
    """Return the spacing of the format at a number that is at least 0."""
    if exact < Decimal(kind.smallest_normal):
        return Decimal(kind.smallest_subnormal)
    power = Decimal(2.0 ** (np.frexp(float(exact))[1] - 1))
    if power > exact:  # float() rounded up to a power of 2
        power /= 2
    return power * Decimal(2.0 ** (1 - kind.significand_digits))


def _context(digits: int) -> decimal.Context:
    """Return arithmetic that stops at nothing and has the widest range of exponents."""
    return decimal.Context(
        prec=digits,
        rounding=decimal.ROUND_HALF_EVEN,
        Emin=decimal.MIN_EMIN,
        Emax=decimal.MAX_EMAX,
        traps=[],
    )


def _first_overflow(name: str) -> float:
    """Find the smallest float64 whose exponential is infinite in the format, by bisection.

    The whole numbers that share their bits with positive floats are in the same order as they.
    """
    low, high = np.array([1.0, 1000.0]).view(np.int64).tolist()
    while high - low > 1:
        middle = (low + high) // 2
        with np.errstate(over="ignore"):
            exps = np.exp(np.array([middle]).view(np.float64))
        if np.isinf(_round(exps, name)[0]):
            high = middle
        else:
            low = middle
    return float(np.array([high]).view(np.float64)[0])


def _format(name: str) -> Format:
    """Compute all that is told of a format from its three numbers."""
    bits, digits, top = _SHAPES[name]
    overflow = _first_overflow(name)
    own = float(_round(np.array([overflow]), name)[0])
    if own < overflow:
        own += 2.0 ** (int(np.frexp(own)[1]) - digits)
    return Format(
        name=name,
        bits=bits,
        significand_digits=digits,
        largest=(2 - 2.0 ** (1 - digits)) * 2.0**top,
        smallest_normal=2.0 ** (1 - top),
        smallest_subnormal=2.0 ** (2 - top - digits),
        first_overflow=overflow,
        first_own_overflow=own,
    )


#: The formats, by name.
FORMATS: dict[str, Format] = {name: _format(name) for name in _SHAPES}
