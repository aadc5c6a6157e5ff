"""Known wrong procedures of attention, each with the words that name it. Wrong on purpose."""

from collections.abc import Callable

import numpy as np

from attnviz.check.mistakes import KEEPDIMS, Mistake, exps_only, naive, no_keepdims, stable
from attnviz.core.checks import Array


def _attend(
    q: Array,
    k: Array,
    v: Array,
    allowed: Array | None,
    *,
    scale: float | None = None,
    weigh: Callable[[Array], Array] = stable,
    hidden: str = "before",
) -> tuple[Array, Array]:
    """Attention with a part exchanged; ``hidden`` says where and how the mask is applied."""
    scaled = q @ k.T * (1 / np.sqrt(q.shape[-1]) if scale is None else scale)  # (n_q, n_k)
    seen = np.ones(scaled.shape, dtype=bool) if allowed is None else allowed
    if hidden == "turned":
        seen = np.ones(scaled.shape, dtype=bool) if allowed is None else ~allowed
    if hidden in ("before", "turned"):
        scaled = np.where(seen, scaled, -np.inf)
    elif hidden == "times":
        scaled = scaled * seen
    elif hidden == "plus":
        scaled = scaled + seen
    elif hidden == "minus one":
        scaled = np.where(seen, scaled, -1.0)
    weights = weigh(scaled)
    if hidden == "after":
        weights = np.where(seen, weights, 0.0)
    return weights @ v, weights


def _softmaxless(x: Array) -> Array:
    return np.where(x == -np.inf, 0.0, x)


_SCALES: tuple[tuple[str, Callable[[Array, Array, Array], float]], ...] = (
    ("the scores aren't scaled: divide them by sqrt(d_k).", lambda q, k, v: 1.0),
    (
        "the scores are divided by d_k, not by sqrt(d_k).",
        lambda q, k, v: 1 / q.shape[1],
    ),
    (
        "the scores are multiplied by sqrt(d_k): divide.",
        lambda q, k, v: q.shape[1] ** 0.5,
    ),
    (
        "the scores are divided by sqrt(n_k), the number of keys. d_k is the number of columns "
        "of q and k.",
        lambda q, k, v: len(k) ** -0.5,
    ),
    (
        "the scores are divided by sqrt(n_q), the number of queries. d_k is the number of "
        "columns of q and k.",
        lambda q, k, v: len(q) ** -0.5,
    ),
    (
        "the scores are divided by sqrt(d_v). d_k is the number of columns of q and k.",
        lambda q, k, v: v.shape[1] ** -0.5,
    ),
)
_MASKS = (
    (
        "the mask is applied after softmax and the rows no longer sum to 1. Give hidden keys a "
        "score of -inf before softmax.",
        "after",
    ),
    (
        "the scores are multiplied by the mask before softmax. A score of 0 isn't hidden: exp(0) "
        "is 1. Give hidden keys a score of -inf.",
        "times",
    ),
    (
        "the mask is added to the scores as 0 and 1, which hides nothing. Give hidden keys a "
        "score of -inf.",
        "plus",
    ),
    ("hidden keys get a score of -1, which hides nothing. Give them -inf.", "minus one"),
    ("the mask is turned around. True means that the query may attend.", "turned"),
    ("the mask isn't used.", "no"),
)


def _scaled(
    factor: Callable[[Array, Array, Array], float] | None, hidden: str
) -> Callable[..., tuple[Array, Array]]:
    def gives(q: Array, k: Array, v: Array, allowed: Array | None = None) -> tuple[Array, Array]:
        scale = None if factor is None else factor(q, k, v)
        return _attend(q, k, v, allowed, scale=scale, hidden=hidden)

    return gives


ATTENTION = (
    *(Mistake(reason, _scaled(factor, "before")) for reason, factor in _SCALES),
    *(Mistake(reason, _scaled(None, hidden)) for reason, hidden in _MASKS),
    Mistake(
        "k isn't transposed: the scores are q @ k.T.",
        lambda q, k, v, allowed=None: _attend(q, k.T, v, allowed, scale=q.shape[1] ** -0.5),
    ),
    Mistake(
        "softmax runs over the queries (axis 0). Each query shares its weight among the "
        "keys: use axis=-1.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed, weigh=lambda x: stable(x, 0)),
    ),
    Mistake(
        "all scores are normalised together. Each row of weights must sum to 1: use axis=-1.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed, weigh=lambda x: stable(x, None)),
    ),
    Mistake(
        "the exponentials aren't divided by their sum.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed, weigh=np.exp),
    ),
    Mistake(
        "the exponentials aren't divided by their sum.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed, weigh=exps_only),
    ),
    Mistake(
        "the maximum isn't subtracted before exp, so large scores give inf/inf = nan.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed, weigh=naive),
    ),
    Mistake(
        KEEPDIMS,
        lambda q, k, v, allowed=None: _attend(
            q, k, v, allowed, weigh=no_keepdims(top=False, total=True)
        ),
    ),
    Mistake(
        KEEPDIMS,
        lambda q, k, v, allowed=None: _attend(
            q, k, v, allowed, weigh=no_keepdims(top=True, total=True)
        ),
    ),
    Mistake(
        "there is no softmax between the scores and the values.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed, weigh=_softmaxless),
    ),
    Mistake(
        "the scores are scaled after softmax. Scale them before.",
        lambda q, k, v, allowed=None: _attend(
            q, k, v, allowed, scale=1.0, weigh=lambda x: stable(x) / np.sqrt(q.shape[1])
        ),
    ),
    Mistake(
        "these are the weights. The output is weights @ v.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed)[1],
    ),
    Mistake(
        "the pair is turned around: first the output, then the weights.",
        lambda q, k, v, allowed=None: _attend(q, k, v, allowed)[::-1],
    ),
    Mistake(
        "the output mixes the keys, not the values.",
        lambda q, k, v, allowed=None: _attend(q, k, k, allowed),
    ),
    Mistake(
        "the scores compare queries with values, not with keys.",
        lambda q, k, v, allowed=None: _attend(q, v, v, allowed, scale=q.shape[1] ** -0.5),
    ),
    Mistake(
        "v is transposed: the output is weights @ v.",
        lambda q, k, v, allowed=None: _attend(q, k, v.T, allowed),
    ),
    Mistake(
        "queries and keys are exchanged: the scores are q @ k.T, one row a query.",
        lambda q, k, v, allowed=None: _attend(k, q, v, allowed),
    ),
    *(
        Mistake(f"{reason} Also, {other}", _scaled(factor, hidden), at_once=2)
        for reason, factor in _SCALES
        for other, hidden in _MASKS
    ),
)


def _empty(q: Array, k: Array, v: Array, allowed: Array, fill: float) -> tuple[Array, Array]:
    dead = ~allowed.any(axis=-1, keepdims=True)
    weights = np.where(dead, fill, _attend(q, k, v, allowed | dead)[1])
    return weights @ v, weights


UNREFUSED = (
    Mistake(
        "a query without any allowed key isn't refused: softmax of -inf only is nan. "
        "Raise ValueError.",
        lambda q, k, v, allowed: _empty(q, k, v, allowed, np.nan),
    ),
    Mistake(
        "a query without any allowed key isn't refused: it gets an output of 0. Raise ValueError.",
        lambda q, k, v, allowed: _empty(q, k, v, allowed, 0.0),
    ),
    Mistake(
        "a query without any allowed key isn't refused: it gets the mean of the values. "
        "Raise ValueError.",
        lambda q, k, v, allowed: _empty(q, k, v, allowed, 1.0 / len(k)),
    ),
    Mistake(
        "a large negative number stands for -inf, so where every key is hidden nothing is. "
        "Use -inf and raise ValueError for such a query.",
        lambda q, k, v, allowed: _attend(q, k, v, allowed | ~allowed.any(-1, keepdims=True)),
    ),
)
