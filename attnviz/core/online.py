"""Softmax and its weighted sum in one pass over blocks of keys."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, as_float64, check_scores, check_some_key, first_place
from attnviz.core.formats import as_one_row
from attnviz.core.softmax import softmax
from attnviz.core.steps import freeze


@dataclass(frozen=True, eq=False)
class OnlineStep:
    """What is known after one more block of keys. The array can't be written to.

    Attributes
    ----------
    start, stop : int
        The block: keys start to stop - 1, counted from 0.
    maximum : float
        The largest score so far; -inf while every key was hidden.
    factor : float
        e^(old maximum - maximum), from 0 to 1: what the old denominator and output were
        multiplied by. 0 while there is nothing to keep: in the first step, and until a key is
        allowed.
    denominator : float
        Sum of e^(score - maximum) over the keys so far.
    output : ndarray, shape (d_v,)
        Sum of e^(score - maximum) times value over the keys so far, not divided yet.
    """

    start: int
    stop: int
    maximum: float
    factor: float
    denominator: float
    output: Array

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def average(self) -> Array:
        """Output / denominator: attention over the keys so far. NaN while all were hidden."""
        with np.errstate(invalid="ignore", over="ignore", under="ignore"):
            return self.output / self.denominator


def online_softmax(scores: ArrayLike, values: ArrayLike, block: int) -> list[OnlineStep]:
    r"""Return softmax(scores) @ values built up block by block, as one kernel pass does it.

    Parameters
    ----------
    scores : array_like of real numbers, shape (n,)
        The scores of one query. -inf hides a key.
    values : array_like of real numbers, shape (n, d_v)
        One row of finite numbers for each key. A hidden key's row may hold anything.
    block : int
        How many keys are read at a time, at least 1. The last block may be shorter.

    Returns
    -------
    list of OnlineStep
        One for each block. ``average`` of the last is softmax(scores) @ values.

    Raises
    ------
    ValueError
        If scores isn't one row, holds NaN or +inf or is all -inf; if values doesn't have a row
        for each key, or an allowed row holds NaN or infinity; if block isn't a whole number of
        at least 1.

    Notes
    -----
    .. math:: m' = \max(m, \max_j x_j), \quad
        d' = d\, e^{m - m'} + \sum_j e^{x_j - m'}, \quad
        o' = o\, e^{m - m'} + \sum_j e^{x_j - m'} v_j

    Milakov and Gimelshein (2018), "Online normalizer calculation for softmax", algorithm 3, for
    m and d; the output follows by the same factor. The output isn't divided before the end, so
    values within a factor n of the largest float64 can overflow.

    Examples
    --------
    >>> for step in online_softmax([0, 1, 1000], [[1], [2], [3]], 2):
    ...     print(step.stop, step.maximum, round(step.factor, 3), step.average.round(3))
    2 1.0 0.0 [1.731]
    3 1000.0 0.0 [3.]
    """
    x = as_one_row(scores, "scores")
    seen = x != -np.inf
    check_scores(x, seen)
    check_some_key(seen)
    v = _checked_values(values, seen)
    if isinstance(block, bool) or not isinstance(block, int | np.integer) or block < 1:
        raise ValueError(f"block must be a whole number of at least 1; got {block!r}")
    steps: list[OnlineStep] = []
    maximum, denominator, output = -np.inf, 0.0, np.zeros(v.shape[1])
    for start in range(0, len(x), int(block)):
        stop = min(start + int(block), len(x))
        part, old = x[start:stop], maximum
        maximum = max(old, float(part.max()))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            factor = 0.0 if old == -np.inf else float(np.exp(np.float64(old) - maximum))
            exps = np.exp(np.where(seen[start:stop], part - maximum, -np.inf))
            denominator = denominator * factor + float(exps.sum())
            output = output * factor + exps @ v[start:stop]  # (d_v,)
        steps.append(OnlineStep(start, stop, maximum, factor, denominator, output))
    return steps


def first(steps: Sequence[OnlineStep], count: int) -> list[OnlineStep]:
    """Return the first steps.

    Parameters
    ----------
    steps : sequence of OnlineStep
    count : int

    Returns
    -------
    list of OnlineStep
    """
    return list(steps[:count])


def at_once(scores: ArrayLike, values: ArrayLike) -> float:
    """Return what softmax over all keys at once gives, for values of one column.

    Parameters
    ----------
    scores : array_like, shape (n,)
    values : array_like, shape (n, 1)

    Returns
    -------
    float

    Examples
    --------
    >>> at_once([0, 0], [[1], [2]])
    1.5
    """
    return float(softmax(scores) @ np.asarray(values, dtype=float)[:, 0])


def _checked_values(values: ArrayLike, seen: Array) -> Array:
    """Return values with one row for each key, and 0 in the rows of hidden keys."""
    v = as_float64(values, "values")
    if v.ndim != 2 or len(v) != len(seen):
        raise ValueError(
            f"values must have one row for each of the {len(seen)} scores; got shape {v.shape}"
        )
    v = np.where(seen[:, None], v, 0.0)
    if not np.isfinite(v).all():
        raise ValueError(f"values aren't finite {first_place(~np.isfinite(v))}")
    return v
