"""The one computation behind every softmax here, so that all of them agree to the last digit."""

import numpy as np

from attnviz.core.checks import Array


def weigh(scores: Array, seen: Array, beta: float | Array) -> tuple[Array, Array, Array, Array]:
    """Compute shifted, exps, total and weights along the last axis: the one code path of them all.

    Nothing is checked here. ``scores`` is in C order (the order in which NumPy adds, and so the
    last digit, follows the order in memory) and finite where ``seen`` is True; ``beta`` is a float
    (inf means the limit) or a finite array that broadcasts. A row in which nothing is seen gets
    total 0 and weights NaN.
    """
    shifted = _shift(scores, seen, beta)
    with np.errstate(under="ignore", invalid="ignore"):
        exps = np.exp(shifted)
        total = exps.sum(axis=-1, keepdims=True)
        weights = exps / total
    return shifted, exps, total, weights


def _shift(scores: Array, seen: Array, beta: float | Array) -> Array:
    """Return beta * (scores - max) with -inf where a key isn't seen."""
    if scores.size == 0:
        return scores.copy()
    masked = np.where(seen, scores, -np.inf)
    top = masked.max(axis=-1, keepdims=True)
    if np.ndim(beta) == 0 and np.isinf(beta):
        return np.where(seen & (masked == top), 0.0, -np.inf)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        difference = masked - top
        shifted = beta * difference
        overflowed = (difference == -np.inf) & seen
        if overflowed.any():  # only for scores of opposite sign, so this can't cancel
            shifted = np.where(overflowed, beta * masked - beta * top, shifted)
    # Where nothing is seen, -inf - -inf and 0 * -inf are NaN so far. And -0.0 becomes 0.0.
    return np.where(seen, shifted, -np.inf) + 0.0
