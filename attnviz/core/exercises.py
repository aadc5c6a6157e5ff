"""What a lesson asks for: the right numbers of an exercise, the check of an answer, fresh numbers.

An exercise has either scores or Q, K and V. From them follow all the numbers that a text may quote
or a task may ask for, each under the name it has everywhere else.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import attention
from attnviz.core.checks import Array
from attnviz.core.entropy import entropy
from attnviz.core.masks import MASKS
from attnviz.core.steps import softmax_steps

_DRAWN = ("scores", "q", "k", "v", "allowed")
NEAR, VERY_NEAR = 0.15, 0.05  # how far a drawn bar may be from its weight, of a height of 1
Numbers = dict[str, Array]
SLACK = 1e-9  # an answer that was rounded in a text is not off by the last bit of a float


@dataclass(frozen=True, eq=False)
class Given:
    """The numbers an exercise starts from.

    Attributes
    ----------
    scores : ndarray, shape (n_q, n_k), or None
        Given, or else the dot products of q and k.
    q, k, v : ndarray, shapes (n_q, d_k), (n_k, d_k) and (n_k, d_v), or None
    beta : float
        Inverse temperature.
    scale : float or None
        Factor of the dot products; 1/√d_k without it.
    allowed : ndarray of bool, shape (n_q, n_k), or None
        True = may attend.
    fixed : dict of str to ndarray
        Other numbers that the text quotes and that are never drawn anew.
    """

    scores: Array | None = None
    q: Array | None = None
    k: Array | None = None
    v: Array | None = None
    beta: float = 1.0
    scale: float | None = None
    allowed: Array | None = None
    fixed: Mapping[str, Array] = field(default_factory=dict)


def numbers(given: Given) -> Numbers:
    """Compute all the numbers of an exercise.

    Parameters
    ----------
    given : Given

    Returns
    -------
    dict of str to ndarray
        ``scores``, ``scaled``, ``masked``, ``shifted``, ``exps``, ``weights`` (n_q, n_k);
        ``total``, ``row_sums``, ``entropy`` (nats) and ``effective_keys`` (n_q,); ``weight_sum``
        (); ``allowed`` as 1 and 0; ``ratio`` and ``gap``, the weight of the first key over that
        of the last and the difference of their scaled scores (n_q,); ``beta`` and ``T``; with
        Q, K and V also ``q``, ``k``, ``v``, ``d_k``, ``scale`` and ``output`` (n_q, d_v). A query
        without an allowed key holds NaN.

    Examples
    --------
    >>> numbers(Given(scores=np.array([[2.0, 1, 0]])))["weights"].round(4)
    array([[0.6652, 0.2447, 0.09  ]])
    """
    found: Numbers = {}
    if given.q is not None and given.k is not None and given.v is not None:
        head = attention(
            given.q,
            given.k,
            given.v,
            allowed=given.allowed,
            scale=given.scale,
            beta=given.beta,
            empty="nan",
        )
        d_k = given.q.shape[-1]
        scale = 1 / np.sqrt(d_k) if given.scale is None else given.scale
        found |= {"q": given.q, "k": given.k, "v": given.v, "output": head.output}
        found |= {"d_k": np.asarray(float(d_k)), "scale": np.asarray(float(scale))}
        steps = softmax_steps(
            scale * head.scores, beta=given.beta, allowed=given.allowed, empty="nan"
        )
        found["scores"] = head.scores
    elif given.scores is not None:
        steps = softmax_steps(given.scores, beta=given.beta, allowed=given.allowed, empty="nan")
        found["scores"] = steps.scores
    else:
        return dict(given.fixed)
    for name in ("scaled", "masked", "shifted", "exps", "total", "weights"):
        found[name] = np.asarray(getattr(steps, name))
    found["allowed"] = steps.allowed.astype(float)
    found["beta"] = np.asarray(given.beta)
    with np.errstate(all="ignore"):
        found["T"] = np.asarray(np.divide(1.0, given.beta))
    return found | from_weights(found["weights"], found["scaled"]) | dict(given.fixed)


def given_of(
    *,
    scores: ArrayLike | None = None,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    beta: float = 1.0,
    scale: float | None = None,
    hide: Sequence[int] = (),
    causal: bool = False,
) -> Given:
    """Make the numbers an exercise starts from, with its mask as booleans.

    Parameters
    ----------
    scores, q, k, v : array_like, optional
        Matrices.
    beta, scale
        As in `Given`.
    hide : sequence of int
        Keys, from 0, that no query may attend to.
    causal : bool
        True for the causal mask, aligned at the bottom right.

    Returns
    -------
    Given
    """
    arrays = {
        name: None if x is None else np.array(x, dtype=float)
        for name, x in (("scores", scores), ("q", q), ("k", k), ("v", v))
    }
    rows, columns = arrays["scores"], arrays["scores"]
    if rows is None:
        rows, columns = arrays["q"], None if arrays["k"] is None else arrays["k"].T
    allowed = None
    if rows is not None and columns is not None and (causal or hide):
        n_q, n_k = len(rows), columns.shape[-1]
        allowed = MASKS["causal" if causal else "none"].allowed(n_q, n_k)
        allowed[:, list(hide)] = False
    return Given(**arrays, beta=beta, scale=scale, allowed=allowed)


def from_weights(weights: Array, scaled: Array) -> Numbers:
    """Compute what follows from weights, right or wrong ones.

    Parameters
    ----------
    weights : ndarray, shape (n_q, n_k)
    scaled : ndarray, shape (n_q, n_k)

    Returns
    -------
    dict of str to ndarray
        ``row_sums``, ``weight_sum``, ``ratio``, ``gap``, ``entropy`` and ``effective_keys``; NaN
        where weights that are none (negative, or not summing to 1) have no entropy.
    """
    spread = []
    for row in weights:
        try:
            spread.append(float(entropy(row)))
        except ValueError:
            spread.append(np.nan)
    with np.errstate(all="ignore"):
        return {
            "row_sums": weights.sum(axis=-1),
            "weight_sum": np.asarray(weights.sum()),
            "ratio": weights[:, 0] / weights[:, -1],
            "gap": scaled[:, 0] - scaled[:, -1],
            "entropy": np.array(spread),
            "effective_keys": np.exp(spread),
        }


def part_of(found: Numbers, name: str, at: Sequence[int] = ()) -> Array:
    """Return a number or some numbers of an exercise by name.

    Parameters
    ----------
    found : dict of str to ndarray
        From `numbers`.
    name : str
    at : sequence of int
        Positions, from 0, of one entry or row. With one query its row may be left out.

    Returns
    -------
    ndarray
        A lone row comes as a vector, a lone number without a shape.

    Raises
    ------
    KeyError
        If there is no such number; the text lists those there are.
    IndexError
        If there is no such place.

    Examples
    --------
    >>> found = numbers(Given(scores=np.array([[2.0, 1, 0]])))
    >>> part_of(found, "weights", [2]).round(4), part_of(found, "total").round(4)
    (np.float64(0.09), np.float64(1.5032))
    """
    if name not in found:
        raise KeyError(f"there is no number {name}; there are {', '.join(sorted(found))}")
    values = np.asarray(found[name])
    while values.ndim > len(at) and values.ndim and values.shape[0] == 1:
        values = values[0]
    if len(at) > values.ndim:
        raise IndexError(f"{name} has {values.ndim} axes; got {len(at)} positions")
    return values[tuple(at)] if at else values[()]


def count(values: ArrayLike) -> int:
    """Return how many numbers there are.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    int
    """
    return int(np.size(values))


def is_whole(values: ArrayLike) -> bool:
    """Tell whether all numbers are whole.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    bool
    """
    flat = np.ravel(values)
    return bool((np.abs(flat - np.round(flat)) <= SLACK).all())


def same_given(one: Given, other: Given) -> bool:
    """Tell whether two exercises start from the same numbers.

    Parameters
    ----------
    one, other : Given

    Returns
    -------
    bool
    """
    pairs = ((getattr(one, name), getattr(other, name)) for name in _DRAWN)
    return all(a is b if a is None or b is None else np.array_equal(a, b) for a, b in pairs)


def same_numbers(one: Given, other: Given) -> bool:
    """Tell whether two exercises start from the same numbers, perhaps in another order.

    Parameters
    ----------
    one, other : Given

    Returns
    -------
    bool
    """

    def in_order(given: Given) -> Given:
        arrays = {name: getattr(given, name) for name in _DRAWN}
        flat = {name: np.sort(np.ravel(a)) for name, a in arrays.items() if a is not None}
        return replace(given, **flat)

    return same_given(in_order(one), in_order(other))


def mask_cells(values: Sequence[float], shape: tuple[int, ...]) -> list[list[int]] | None:
    """Lay out ones and zeros in rows.

    Parameters
    ----------
    values : sequence of float
    shape : tuple of int
        (n_q, n_k), or (n_k,) for one row.

    Returns
    -------
    list of list of int, or None
        None when they are not all 1 or 0.
    """
    if not all(value in (0, 1) for value in values):
        return None
    return np.reshape(np.array(values, dtype=int), (-1, shape[-1])).tolist()


def shape(values: ArrayLike) -> tuple[int, ...]:
    """Return the shape of numbers.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    tuple of int
    """
    return np.shape(values)


def all_equal(values: ArrayLike) -> bool:
    """Tell whether all numbers are the same.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    bool
    """
    flat = np.ravel(values)
    return bool((np.abs(flat - flat[0]) <= SLACK).all())


def repeated(values: Sequence[float], count: int) -> list[float]:
    """Return one number as many times as it stands for.

    Parameters
    ----------
    values : sequence of float
        One number.
    count : int

    Returns
    -------
    list of float

    Examples
    --------
    >>> repeated([0.5], 3)
    [0.5, 0.5, 0.5]
    """
    return list(values) * count


def agrees(answer: ArrayLike, right: ArrayLike, tolerance: float) -> bool:
    """Tell whether an answer is right within a tolerance; NaN agrees with NaN only.

    Parameters
    ----------
    answer, right : array_like
    tolerance : float
        Largest difference in any entry.

    Returns
    -------
    bool
        False when the numbers of entries differ.
    """
    a, r = np.ravel(answer).astype(float), np.ravel(right).astype(float)
    if a.shape != r.shape:
        return False
    with np.errstate(invalid="ignore"):
        close = (np.abs(a - r) <= tolerance + SLACK) | (a == r) | (np.isnan(a) & np.isnan(r))
    return bool(close.all())


def places_off(answer: ArrayLike, right: ArrayLike, tolerance: float) -> list[int]:
    """Return which entries of an answer are off, counted from 0 and row by row.

    Parameters
    ----------
    answer, right : array_like
        With the same number of entries.
    tolerance : float

    Returns
    -------
    list of int
    """
    pairs = zip(np.ravel(answer), np.ravel(right), strict=True)
    return [at for at, (a, r) in enumerate(pairs) if not agrees(a, r, tolerance)]


def can_be_drawn(weights: ArrayLike) -> bool:
    """Tell whether weights can be drawn as bars: those of one query, of at least two keys.

    Parameters
    ----------
    weights : array_like

    Returns
    -------
    bool
    """
    w = np.asarray(weights, dtype=float)
    return w.ndim == 1 and w.size >= 2 and bool(np.isfinite(w).all())


def first_inverted(drawn: ArrayLike, weights: ArrayLike) -> tuple[int, int] | None:
    """Return two places of which the first has the larger weight and was not drawn larger.

    Parameters
    ----------
    drawn, weights : array_like, shape (n,)

    Returns
    -------
    (int, int) or None
        From 0; None when of any two weights the larger one was drawn larger.

    Examples
    --------
    >>> first_inverted([0.9, 0.5, 0.5], [0.6, 0.2, 0.2]), first_inverted([0.5, 0.5], [0.7, 0.3])
    (None, (0, 1))
    """
    d, w = np.asarray(drawn, dtype=float), np.asarray(weights, dtype=float)
    found = np.argwhere((w[:, None] > w) & (d[:, None] <= d))
    return (int(found[0, 0]), int(found[0, 1])) if len(found) else None


def nearness(drawn: ArrayLike, weights: ArrayLike) -> str:
    """Tell how near drawn bars come to weights.

    Parameters
    ----------
    drawn : array_like, shape (n,)
        At least 0.
    weights : array_like, shape (n,)

    Returns
    -------
    {"very near", "near", "in proportion", "far"}
        Near is every bar within 0.15, very near within 0.05. In proportion are bars that are not
        near, but would be very near as parts of their sum.

    Examples
    --------
    >>> nearness([0.7, 0.3], [0.67, 0.33]), nearness([0.9, 0.4], [0.67, 0.33])
    ('very near', 'in proportion')
    """
    bars, w = np.ravel(drawn).astype(float), np.ravel(weights).astype(float)
    furthest = np.abs(bars - w).max()
    if furthest <= NEAR:
        return "very near" if furthest <= VERY_NEAR else "near"
    return "in proportion" if distance(bars, w) <= VERY_NEAR else "far"


def is_prediction_right(drawn: ArrayLike, weights: ArrayLike) -> bool:
    """Tell whether drawn weights are in the right order and near, as `nearness` has it.

    Parameters
    ----------
    drawn, weights : array_like, shape (n,)

    Returns
    -------
    bool
    """
    return first_inverted(drawn, weights) is None and nearness(drawn, weights).endswith("near")


def distance(drawn: ArrayLike, weights: ArrayLike) -> float:
    """Return the total-variation distance of drawn bars, taken as parts of their sum, to weights.

    Parameters
    ----------
    drawn : array_like, shape (n,)
        At least 0.
    weights : array_like, shape (n,)

    Returns
    -------
    float
        Half the sum of the differences: 0 when they are the same, at most 1.

    Examples
    --------
    >>> distance([1, 1], [0.5, 0.5]), distance([1, 0], [0.5, 0.5])
    (0.0, 0.5)
    """
    bars, w = np.ravel(drawn).astype(float), np.ravel(weights).astype(float)
    total = bars.sum()
    parts = bars / total if total > 0 else np.full_like(bars, 0.0)
    return float(np.abs(parts - w).sum() / 2)


def redrawn(given: Given, names: Sequence[str], pool: Sequence[float], seed: int) -> Given:
    """Draw fresh numbers of equal difficulty: equal entries stay equal, others stay different.

    Where keys of the only query tie for its largest score they go on doing so, at other places.

    Parameters
    ----------
    given : Given
    names : sequence of str
        Which of scores, q, k, v and hide to draw; each by itself. Of hide at least one key is
        hidden and at least two are not, the same for every query.
    pool : sequence of float
        Hand-friendly numbers to draw from, at least as many as an array has different ones.
    seed : int
        0 returns what was given; the same seed draws the same numbers everywhere.

    Returns
    -------
    Given
        Masked cells (−inf) stay where they are.

    Raises
    ------
    ValueError
        If the pool is too small.
    """
    if seed == 0:
        return given
    fresh: dict[str, Array] = {}
    for name in names:
        draw = random.Random(f"{name} {seed}")
        if name == "hide":
            n_q, n_k = np.shape(given.allowed)
            hidden = draw.sample(range(n_k), draw.randint(1, n_k - 2))
            fresh["allowed"] = np.tile(~np.isin(np.arange(n_k), hidden), (n_q, 1))
            continue
        values = getattr(given, name)
        kinds = sorted({float(x) for x in np.ravel(values) if np.isfinite(x)})
        if len(kinds) > len(pool):
            raise ValueError(f"{name} has {len(kinds)} different numbers, the pool {len(pool)}")
        drawn = draw.sample(list(pool), len(kinds))
        if drawn == kinds:
            drawn = drawn[::-1]
        one = name == "scores" and len(values) == 1 and bool(np.isfinite(values).all())
        if one and len(kinds) > 1 and np.sum(values == kinds[-1]) > 1:
            top = drawn.index(max(drawn))
            drawn[top], drawn[-1] = drawn[-1], drawn[top]
            values = values[:, draw.sample(range(values.shape[1]), values.shape[1])]
        table = dict(zip(kinds, drawn, strict=True))
        fresh[name] = np.array(
            [[table.get(float(x), float(x)) for x in row] for row in np.atleast_2d(values)]
        )
    return replace(given, **fresh)
