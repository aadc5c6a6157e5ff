"""The softmax at a model's output: temperature, filters, and drawing the next word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import (
    Array,
    as_float64,
    check_beta,
    check_weights,
    choice,
    first_place,
    one_number,
    whole_number,
)
from attnviz.core.steps import freeze
from attnviz.core.weigh import weigh

#: What can remove options. Temperature only reshapes, short of its limit.
FILTERS = ("top_k", "top_p", "min_p")
STAGES = ("temperature", *FILTERS)

#: The most draws at once. attnviz's own choice.
MOST_DRAWS = 100_000

#: A sum or a probability that falls short of its threshold by this share counts as reaching it:
#: 0.5 + 0.3 is meant to reach 0.8, whatever the last digits of the exponentials. Our own choice.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Stage:
    """What one stage leaves.

    Attributes
    ----------
    name : str
        One of `STAGES`.
    kept : ndarray of bool, shape (n,)
        True = still kept after this stage.
    removed : int
        How many options this stage removed. 0 for a filter that isn't set.
    probabilities : ndarray, shape (n,)
        The distribution after this stage, over what is kept, at the temperature that holds by
        then.
    """

    name: str
    kept: Array
    removed: int
    probabilities: Array

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class Filtered:
    """A distribution over options, before and after the filters.

    Attributes
    ----------
    full : ndarray, shape (n,)
        softmax(beta * logits) over everything. Sums to 1; exactly 0 for a logit of -inf.
    steps : tuple of Stage
        One for each stage, in the order in which they stood.
    kept : ndarray of bool, shape (n,)
        True = can be drawn. At least one is.
    probabilities : ndarray, shape (n,)
        `full` renormalised over what is kept: sums to 1, exactly 0 for what was removed.
    """

    full: Array
    steps: tuple[Stage, ...]
    kept: Array
    probabilities: Array

    def __post_init__(self) -> None:
        freeze(self)


def filtered(
    logits: ArrayLike,
    *,
    beta: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    order: Sequence[str] = STAGES,
) -> Filtered:
    r"""Return the distribution that is drawn from, after temperature and filters.

    Parameters
    ----------
    logits : array_like of real numbers, shape (n,)
        One score for each option. -inf is an option that is never kept. Never changed.
    beta : float
        Inverse temperature 1/T, at least 0. ``math.inf`` is greedy choice: the temperature stage
        keeps only the largest, and ties share (the hard max).
    top_k : int, optional
        At least 1. Keeps the k largest, and all that tie with the k-th, so there can be more than
        k. Libraries differ here: some keep exactly k, and which of the tied ones stays then
        depends on how they sort. Fan et al. (2018), "Hierarchical neural story generation",
        section 5.1.
    top_p : float, optional
        Above 0, at most 1. Keeps the smallest set of the largest probabilities whose sum is at
        least p, and all that tie with the smallest of them. The sum is of what is still kept,
        renormalised. 1 keeps everything. The nucleus of Holtzman et al. (2020), "The curious
        case of neural text degeneration", section 3.1.
    min_p : float, optional
        From 0 to 1. Keeps what has at least min_p times the largest probability. 0 keeps
        everything. Nguyen et al. (2024), "Turning up the heat: min-p sampling for creative and
        coherent LLM outputs".
    order : sequence of str
        Each of `STAGES` once. Filters before "temperature" look at softmax(logits), those after
        it at softmax(beta * logits).

    Returns
    -------
    Filtered
        The full distribution, what each stage kept, and the final distribution.

    Raises
    ------
    ValueError
        If logits isn't one row of numbers, is empty, holds NaN or +inf (the text names the
        place) or only -inf; if a setting is outside its limits; if order isn't each stage once.

    Notes
    -----
    .. math:: p_j = \frac{e^{\beta z_j}}{\sum_{k \in \text{kept}} e^{\beta z_k}}
        \quad \text{for } j \text{ kept, else } 0

    At least one option is always kept, because no filter removes the largest. Ties are equal
    scores, not equal roundings of them. A threshold counts as reached when only rounding, 1e-12
    of it, is missing.

    Examples
    --------
    >>> result = filtered([2, 1, 1, 0], top_k=2)
    >>> result.kept
    array([ True,  True,  True, False])
    >>> result.probabilities.round(3)
    array([0.576, 0.212, 0.212, 0.   ])
    >>> [(step.name, step.removed) for step in result.steps]
    [('temperature', 0), ('top_k', 1), ('top_p', 0), ('min_p', 0)]
    """
    z, seen = _checked_logits(logits)
    beta = check_beta(beta, limit=True)
    settings = {
        "top_k": None if top_k is None else whole_number(top_k, "top_k", 1),
        "top_p": None if top_p is None else _share(top_p, "top_p", zero=False),
        "min_p": None if min_p is None else _share(min_p, "min_p", zero=True),
    }
    kept, holds, steps = seen, 1.0, []
    for name in _checked_order(order):
        before = kept
        if name == "temperature":
            holds = beta
            if math.isinf(beta):
                kept = kept & (z == z[kept].max())
        elif settings[name] is not None:
            shifted, exps, _, _ = weigh(z, kept, holds)
            with np.errstate(under="ignore"):
                kept = kept & _KEEPS[name](shifted, exps, kept, settings[name])
        removed = int(before.sum() - kept.sum())
        steps.append(Stage(name, kept.copy(), removed, weigh(z, kept, holds)[3]))
    return Filtered(weigh(z, seen, beta)[3], tuple(steps), kept, weigh(z, kept, beta)[3])


def never_kept(logits: ArrayLike) -> Array:
    """Return which options no setting ever keeps: those of logit -inf.

    Parameters
    ----------
    logits : array_like of real numbers, shape (n,)

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> never_kept([1, -math.inf])
    array([False,  True])
    """
    return np.isneginf(as_float64(logits, "logits"))


def draw(probabilities: ArrayLike, count: int, seed: int) -> Array:
    """Return how often each option comes up in a number of draws.

    Parameters
    ----------
    probabilities : array_like of real numbers, shape (n,)
        They sum to 1 within 0.01. Those that a person rounded are drawn in their proportions.
    count : int
        Number of draws, from 1 to 100,000.
    seed : int
        At least 0, for ``np.random.default_rng``.

    Returns
    -------
    ndarray of int64, shape (n,)
        Counts that sum to ``count``. An option of probability 0 has exactly 0.

    Raises
    ------
    ValueError
        If probabilities isn't one row that sums to 1, or count or seed isn't within its limits.

    See Also
    --------
    draw_sequence : the draws themselves.

    Examples
    --------
    >>> draw([0.5, 0, 0.5], 1000, seed=0)
    array([473,   0, 527])
    """
    return counts_after(probabilities, [count], seed)[0]


def draw_sequence(probabilities: ArrayLike, count: int, seed: int) -> Array:
    r"""Return the draws one after the other.

    Parameters
    ----------
    probabilities, count, seed
        As in `draw`.

    Returns
    -------
    ndarray of int64, shape (count,)
        The position of each drawn option. With the same seed, fewer draws are the beginning of
        more draws.

    Raises
    ------
    ValueError
        As in `draw`.

    Notes
    -----
    A uniform number u of [0, 1) draws the first option whose cumulative sum lies above u:

    .. math:: \min \{ j : p_1 + \dots + p_j > u \}

    Examples
    --------
    >>> draw_sequence([0.5, 0, 0.5], 8, seed=0)
    array([2, 0, 0, 0, 2, 2, 2, 2])
    """
    row = _checked_row(probabilities)
    count = whole_number(count, "count", 1, MOST_DRAWS)
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    cumulative = np.cumsum(row)
    cumulative /= cumulative[-1]  # so that it ends in exactly 1, at the last that isn't 0
    return np.searchsorted(cumulative, rng.random(count), side="right")


def counts_after(probabilities: ArrayLike, counts_at: Sequence[int], seed: int) -> Array:
    """Return the counts at several moments of one sequence of draws: a histogram that grows.

    Parameters
    ----------
    probabilities, seed
        As in `draw`.
    counts_at : sequence of int
        After how many draws to look, each from 1 to 100,000, in any order.

    Returns
    -------
    ndarray of int64, shape (n_moments, n)
        Row i is ``draw(probabilities, counts_at[i], seed)``.

    Raises
    ------
    ValueError
        As in `draw`, and if counts_at is empty.

    Examples
    --------
    >>> counts_after([0.5, 0, 0.5], [1, 8, 1000], seed=0)
    array([[  0,   0,   1],
           [  3,   0,   5],
           [473,   0, 527]])
    """
    row = _checked_row(probabilities)
    moments = [whole_number(count, "count", 1, MOST_DRAWS) for count in counts_at]
    if not moments:
        raise ValueError("counts_at is empty; it needs at least one number of draws")
    sequence = draw_sequence(row, max(moments), seed)
    return np.array([np.bincount(sequence[:count], minlength=row.size) for count in moments])


def last_frequencies(counts: ArrayLike) -> Array:
    """Return how often each option came up, as parts of all draws, at the last moment.

    Parameters
    ----------
    counts : array_like of whole numbers, shape (n_moments, n)
        From `counts_after`, its moments increasing.

    Returns
    -------
    ndarray of float64, shape (n,)
        Sums to 1.

    Examples
    --------
    >>> last_frequencies([[1, 0], [3, 1]])
    array([0.75, 0.25])
    """
    last = np.asarray(counts)[-1].astype(float)
    return last / last.sum()


def surprise(probabilities: ArrayLike, counts: ArrayLike) -> float | Array:
    r"""Return how far the drawn frequencies are from the probabilities.

    The total-variation distance: the share of the draws that would have to come out otherwise.

    Parameters
    ----------
    probabilities : array_like of real numbers, shape (n,)
        They sum to 1 within 0.01; those that a person rounded are taken in their proportions.
    counts : array_like of whole numbers, shape (n,) or (..., n)
        How often each option came up, as `draw` and `counts_after` return it.

    Returns
    -------
    float, or ndarray of float64, shape (...)
        From 0 (the frequencies are the probabilities) to 1 (only the impossible came up). A float
        for one row of counts.

    Raises
    ------
    ValueError
        If probabilities isn't one row that sums to 1, if the number of counts isn't theirs, or if
        a count is negative, NaN or not whole, or a row of counts is all 0.

    Notes
    -----
    .. math:: \frac{1}{2} \sum_j \left| \frac{n_j}{\sum_k n_k} - p_j \right|

    Examples
    --------
    >>> surprise([0.5, 0.5], [3, 1])
    0.25
    """
    row = _checked_row(probabilities)
    table = as_float64(counts, "counts")
    if table.shape[-1] != row.size:
        raise ValueError(
            f"counts must have {row.size} columns to match the probabilities; got {table.shape}"
        )
    bad = ~((table >= 0) & (table <= 2**53) & (table == np.floor(table)))
    if bad.any():
        raise ValueError(f"counts must be whole numbers of at least 0; not so {first_place(bad)}")
    total = table.sum(axis=-1, keepdims=True)
    if (total == 0).any():
        raise ValueError("a row of counts is all 0; there are no frequencies before the first draw")
    with np.errstate(under="ignore"):
        apart = 0.5 * np.abs(table / total - row / row.sum()).sum(axis=-1)
    return float(apart) if table.ndim == 1 else apart


def _keeps_top_k(shifted: Array, exps: Array, kept: Array, k: int) -> Array:
    """Say what is at least the k-th largest of what is kept."""
    among = np.sort(shifted[kept])
    return shifted >= among[max(0, among.size - k)]


def _keeps_top_p(shifted: Array, exps: Array, kept: Array, p: float) -> Array:
    """Say what is at least the smallest of the largest whose sum reaches p."""
    if p == 1.0:  # also what is so improbable that the sum doesn't show it
        return kept
    descending = np.sort(shifted[kept])[::-1]
    sums = np.cumsum(np.sort(exps[kept])[::-1])
    reached = sums >= p * sums[-1] * (1 - _ROUNDING)
    return shifted >= descending[reached.argmax()]


def _keeps_min_p(shifted: Array, exps: Array, kept: Array, p: float) -> Array:
    """Say what is at least p times the largest, whose exponential here is 1."""
    return exps >= p * (1 - _ROUNDING)


_KEEPS = {"top_k": _keeps_top_k, "top_p": _keeps_top_p, "min_p": _keeps_min_p}


def _checked_logits(logits: ArrayLike) -> tuple[Array, Array]:
    """Return one row of logits as float64, and which of them aren't -inf."""
    z = as_float64(logits, "logits")
    if z.ndim != 1:
        raise ValueError(f"logits must be one row of numbers; got shape {z.shape}")
    if not z.size:
        raise ValueError("logits is empty; there must be an option to draw")
    for bad, word in ((np.isnan(z), "NaN"), (np.isposinf(z), "+inf")):
        if bad.any():
            raise ValueError(
                f"the logits hold {word} {first_place(bad)}; "
                "a logit must be a finite number, or -inf for what can't be drawn"
            )
    seen = z != -np.inf
    if not seen.any():
        raise ValueError("every logit is -inf: there is nothing left to draw")
    return z, seen


def _share(value: float, name: str, *, zero: bool) -> float:
    """Return a number from 0 (or just above) to 1."""
    number = one_number(value, name)
    if not 0 <= number <= 1 or (number == 0 and not zero):
        limits = "from 0 to 1" if zero else "above 0 and at most 1"
        raise ValueError(f"{name} must be {limits}; got {number}")
    return number


def _checked_order(order: Sequence[str]) -> tuple[str, ...]:
    """Return the order if it names each stage once."""
    names = tuple(choice(name, STAGES, "each stage of the order") for name in order)
    if sorted(names) != sorted(STAGES):
        raise ValueError(f"order must name each of {', '.join(STAGES)} once; got {names}")
    return names


def _checked_row(probabilities: ArrayLike) -> Array:
    """Return one row of probabilities, in which what rounding left below 0 is 0."""
    row = as_float64(probabilities, "probabilities")
    if row.ndim != 1:
        raise ValueError(f"probabilities must be one row of numbers; got shape {row.shape}")
    check_weights(row, -1, "probabilities")
    return np.maximum(row, 0.0)
