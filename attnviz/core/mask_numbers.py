"""The ways in which programs hide a key, and what each does to the weights in a format."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array, check_allowed, choice, first_place
from attnviz.core.formats import FORMATS, as_one_row, rounded, steps_of
from attnviz.core.steps import freeze

#: The ways, and what each does to a key that is hidden.
MASK_WAYS = {
    "-inf": "its score becomes -inf",
    "-1e9": "-1e9 is added to its score",
    "-1e4": "-1e4 is added to its score",
    "lowest": "its score becomes the lowest finite number of the format",
    "after": "its weight is multiplied by 0, after softmax",
    "before": "its score is multiplied by 0, before softmax",
}

#: What can come out, and what it means.
VERDICTS = {
    "exact": "hidden keys get 0, the others the softmax of the allowed scores",
    "leaks": "a hidden key gets a weight above 0 while another is allowed",
    "vanishes": "the weight of hidden keys is gone and nobody got it: the sum isn't 1",
    "uniform": "no key is allowed, and all get the same weight",
    "unmasked": "no key is allowed, and the hidden scores decide the weights",
    "nan": "a weight is not a number",
}

_ADDED = {"-1e9": -1e9, "-1e4": -1e4}


@dataclass(frozen=True, eq=False)
class MaskedBy:
    """What a way of masking does. The arrays can't be written to.

    Attributes
    ----------
    scores : ndarray, shape (n,)
        The scores that go into softmax, as numbers of the format.
    weights : ndarray, shape (n,)
        The weights that come out, after the multiplication where the way has one.
    verdict : str
        A key of `VERDICTS`.
    """

    scores: Array
    weights: Array
    verdict: str

    def __post_init__(self) -> None:
        freeze(self)


def masked_by(scores: ArrayLike, allowed: ArrayLike, way: str, name: str) -> MaskedBy:
    """Hide keys in one of the ways that programs use, and say what came of it.

    Parameters
    ----------
    scores : array_like of real numbers, shape (n,)
        Finite scores.
    allowed : array_like of bool, shape (n,)
        True = may attend. All may be False.
    way : str
        A key of `MASK_WAYS`.
    name : str
        A key of `FORMATS`: every step is rounded to it, the numbers of the mask as well.

    Returns
    -------
    MaskedBy
        The verdict is the first of these that holds.

        1. "nan": a weight is NaN.
        2. Where some key is allowed: "leaks" if a hidden key has a weight above 0; "exact" if
           the weights are those of "-inf" to the last digit; "vanishes" for what is left:
           hidden keys have 0, but the allowed ones were not raised.
        3. Where no key is allowed: "vanishes" if all weights are 0; "uniform" if all are equal;
           "unmasked" for what is left: the hidden scores decide, as if nothing were masked,
           though rounded where a number was added to them.

    Raises
    ------
    ValueError
        If scores isn't one row of finite numbers, allowed isn't boolean or doesn't fit, or way or
        name isn't known.

    Notes
    -----
    The stable softmax is used throughout (`format_steps`). A row that is all -inf gives
    -inf - (-inf), which is NaN. In float16, -1e9 is -inf.

    Examples
    --------
    >>> masked_by([2, 1, 0], [True, True, False], "before", "float32").verdict
    'leaks'
    >>> masked_by([2, 1, 0], [False, False, False], "-1e9", "float16").verdict
    'nan'
    >>> masked_by([2, 1, 0], [False, False, False], "-1e9", "float32").weights.round(3)
    array([0.333, 0.333, 0.333])
    """
    choice(way, tuple(MASK_WAYS), "way")
    choice(name, tuple(FORMATS), "name")
    x = as_one_row(scores, "scores")
    if not np.isfinite(x).all():
        raise ValueError(
            f"the scores aren't finite {first_place(~np.isfinite(x))}; "
            "say what is hidden with allowed"
        )
    seen = check_allowed(allowed, x.shape).copy()
    x = rounded(x, name)
    masked = _mask(x, seen, way, name)
    weights = steps_of(masked, seen, name, stable=True).weights
    if way == "after":
        weights = weights * seen
    exact = steps_of(np.where(seen, x, -np.inf), seen, name, stable=True).weights
    return MaskedBy(masked, weights, _verdict(weights, exact, seen))


def _mask(scores: Array, seen: Array, way: str, name: str) -> Array:
    """Return the scores that go into softmax."""
    with np.errstate(invalid="ignore"):  # inf * 0 and inf - inf, for scores beyond the format
        if way in _ADDED:
            return np.where(seen, scores, rounded(scores + rounded(_ADDED[way], name), name))
        if way == "before":
            return scores * seen + 0.0  # -0.0 becomes 0.0
    if way == "after":
        return scores.copy()
    return np.where(seen, scores, -np.inf if way == "-inf" else -FORMATS[name].largest)


def _verdict(weights: Array, exact: Array, seen: Array) -> str:
    """Return the first verdict that holds."""
    if np.isnan(weights).any():
        return "nan"
    if seen.any():
        if (weights[~seen] > 0).any():
            return "leaks"
        return "exact" if np.array_equal(weights, exact) else "vanishes"
    if not weights.any():
        return "vanishes"
    return "uniform" if (weights == weights[0]).all() else "unmasked"
