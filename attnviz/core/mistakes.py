"""Known wrong procedures: what each would give, so that a wrong answer can be told which it is.

Each function takes what an exercise gives and returns the numbers that follow from its mistake, or
none where the mistake can't be made. The words for each are in the lessons' content.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import Array
from attnviz.core.exercises import Given, Numbers, agrees, from_weights, numbers, part_of
from attnviz.core.softmax import naive_softmax

Mistake = Callable[[Given, Numbers], Numbers | None]
MISTAKES: dict[str, Mistake] = {}


def _mistake(name: str) -> Callable[[Mistake], Mistake]:
    def register(function: Mistake) -> Mistake:
        MISTAKES[name] = function
        return function

    return register


def _weighted(given: Given, right: Numbers, weights: Array) -> Numbers:
    """Return all that follows from wrong weights."""
    found = {"weights": weights} | from_weights(weights, right["scaled"])
    if given.v is not None:
        with np.errstate(all="ignore"):
            found["output"] = weights @ given.v
    return found


def _instead(given: Given, **changes: object) -> Numbers | None:
    """Return the numbers of another exercise, or none when it can't be computed."""
    try:
        return numbers(replace(given, **changes))
    except ValueError:
        return None


def _seen(right: Numbers) -> Array:
    return right["allowed"] > 0


@_mistake("scores-as-weights")
def scores_as_weights(given: Given, right: Numbers) -> Numbers | None:
    """Take the scores themselves for weights."""
    return _weighted(given, right, right["scores"])


@_mistake("scaled-as-weights")
def scaled_as_weights(given: Given, right: Numbers) -> Numbers | None:
    """Take the scaled scores for weights."""
    return _weighted(given, right, right["scaled"])


@_mistake("other-limit")
def other_limit(given: Given, right: Numbers) -> Numbers | None:
    """Take the limit T → ∞ for T → 0, or the other way round."""
    if math.isinf(given.beta):
        return _instead(given, beta=0.0)
    return _instead(given, beta=math.inf) if given.beta == 0 else None


@_mistake("uniform")
def uniform(given: Given, right: Numbers) -> Numbers | None:
    """Give every allowed key the same weight."""
    seen = right["allowed"]
    with np.errstate(all="ignore"):
        return _weighted(given, right, seen / seen.sum(axis=-1, keepdims=True))


@_mistake("not-divided")
def not_divided(given: Given, right: Numbers) -> Numbers | None:
    """Stop at the exponentials."""
    return _weighted(given, right, right["exps"])


@_mistake("plain-exps")
def plain_exps(given: Given, right: Numbers) -> Numbers | None:
    """Stop at the exponentials of the scores as they stand."""
    with np.errstate(all="ignore"):
        return _weighted(given, right, np.where(_seen(right), np.exp(right["scaled"]), 0.0))


@_mistake("divided-scores")
def divided_scores(given: Given, right: Numbers) -> Numbers | None:
    """Divide the scores by their sum, without the exponential."""
    with np.errstate(all="ignore"):
        scaled = np.where(_seen(right), right["scaled"], 0.0)
        return _weighted(given, right, scaled / scaled.sum(axis=-1, keepdims=True))


@_mistake("not-subtracted")
def not_subtracted(given: Given, right: Numbers) -> Numbers | None:
    """Take exp of the scores where exp of score − max is asked."""
    with np.errstate(all="ignore"):
        exps = np.where(_seen(right), np.exp(right["scaled"]), 0.0)
    return {"exps": exps, "total": exps.sum(axis=-1), "shifted": right["scaled"]}


@_mistake("not-raised")
def not_raised(given: Given, right: Numbers) -> Numbers | None:
    """Give the differences where e to their power is asked."""
    return {"exps": right["shifted"]}


@_mistake("already-divided")
def already_divided(given: Given, right: Numbers) -> Numbers | None:
    """Give the weights where the exponentials before the division are asked."""
    return {"exps": right["weights"]}


@_mistake("sign-turned")
def sign_turned(given: Given, right: Numbers) -> Numbers | None:
    """Take exp of the largest score less each one."""
    exps = np.where(_seen(right), np.exp(-right["shifted"]), 0.0)
    return {"exps": exps, "total": exps.sum(axis=-1), "shifted": -right["shifted"]}


@_mistake("minimum-subtracted")
def minimum_subtracted(given: Given, right: Numbers) -> Numbers | None:
    """Subtract the smallest score instead of the largest."""
    low = np.where(_seen(right), right["scaled"], np.inf).min(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        shifted = right["scaled"] - low
        exps = np.where(_seen(right), np.exp(shifted), 0.0)
    return {"shifted": shifted, "exps": exps, "total": exps.sum(axis=-1)}


@_mistake("naive")
def naive(given: Given, right: Numbers) -> Numbers | None:
    """Compute exp(x)/Σ exp(x) as it stands, which overflows."""
    return _weighted(given, right, np.asarray(naive_softmax(right["masked"])))


@_mistake("columns")
def columns(given: Given, right: Numbers) -> Numbers | None:
    """Normalise columns instead of rows."""
    if len(right["scaled"]) < 2:
        return None
    turned = _instead(
        Given(
            scores=right["scaled"].T, allowed=_seen(right).T if given.allowed is not None else None
        )
    )
    return turned and _weighted(given, right, turned["weights"].T)


@_mistake("whole-matrix")
def whole_matrix(given: Given, right: Numbers) -> Numbers | None:
    """Divide by the sum over all queries, so that the whole matrix sums to 1."""
    scaled = right["masked"]
    if len(scaled) < 2:
        return None
    with np.errstate(all="ignore"):
        exps = np.exp(scaled - scaled.max())
        return _weighted(given, right, exps / exps.sum())


@_mistake("no-temperature")
def no_temperature(given: Given, right: Numbers) -> Numbers | None:
    """Leave the temperature out."""
    return None if given.beta == 1 else _instead(given, beta=1.0)


@_mistake("temperature-inverted")
def temperature_inverted(given: Given, right: Numbers) -> Numbers | None:
    """Multiply by T where β = 1/T belongs, or the other way round."""
    if given.beta in (0, 1) or math.isinf(given.beta):
        return None
    return _instead(given, beta=1 / given.beta)


@_mistake("temperature-twice")
def temperature_twice(given: Given, right: Numbers) -> Numbers | None:
    """Divide by T twice, as by d_k where T = √d_k."""
    if given.beta in (0, 1) or math.isinf(given.beta):
        return None
    return _instead(given, beta=given.beta * given.beta)


@_mistake("temperature-after")
def temperature_after(given: Given, right: Numbers) -> Numbers | None:
    """Multiply the weights by β after softmax."""
    plain = _instead(given, beta=1.0)
    if given.beta == 1 or math.isinf(given.beta) or plain is None:
        return None
    return _weighted(given, right, plain["weights"] * given.beta)


@_mistake("mask-after")
def mask_after(given: Given, right: Numbers) -> Numbers | None:
    """Set masked weights to 0 after softmax: the masked key stays in the denominator."""
    bare = _instead(given, allowed=None)
    if bare is None or _seen(right).all():
        return None
    return _weighted(given, right, np.where(_seen(right), bare["weights"], 0.0))


@_mistake("mask-forgotten")
def mask_forgotten(given: Given, right: Numbers) -> Numbers | None:
    """Compute as if nothing were masked."""
    return None if _seen(right).all() else _instead(given, allowed=None)


@_mistake("mask-and-temperature")
def mask_and_temperature(given: Given, right: Numbers) -> Numbers | None:
    """Leave both the mask and the temperature out."""
    if _seen(right).all() or given.beta == 1:
        return None
    return _instead(given, allowed=None, beta=1.0)


@_mistake("mask-multiplied")
def mask_multiplied(given: Given, right: Numbers) -> Numbers | None:
    """Multiply masked scores by 0 before softmax: exp(0) = 1 keeps them in."""
    if _seen(right).all():
        return None
    scores = np.where(_seen(right), right["scaled"], 0.0)
    found = _instead(Given(scores=scores))
    return found and _weighted(given, right, found["weights"])


@_mistake("polarity")
def polarity(given: Given, right: Numbers) -> Numbers | None:
    """Read the mask the other way round: attend exactly where it hides."""
    if given.allowed is None:
        return None
    turned = _instead(given, allowed=~_seen(right))
    return turned and turned | {"allowed": 1 - right["allowed"]}


@_mistake("own-position")
def own_position(given: Given, right: Numbers) -> Numbers | None:
    """Hide a query's own position too, in a causal mask."""
    seen = right["allowed"]
    causal = np.tril(np.ones_like(seen))
    if seen.shape[0] != seen.shape[1] or (seen != causal).any() or len(seen) < 2:
        return None
    return {"allowed": np.tril(seen, -1)}


@_mistake("mask-aligned")
def mask_aligned(given: Given, right: Numbers) -> Numbers | None:
    """Turn rows and columns of the mask around."""
    turned = right["allowed"].T
    return {"allowed": turned} if turned.shape == right["allowed"].shape else None


@_mistake("divided-by-d_k")
def divided_by_d_k(given: Given, right: Numbers) -> Numbers | None:
    """Divide by d_k instead of √d_k."""
    if given.q is None:
        return None
    d_k = given.q.shape[-1]
    return (_instead(given, scale=1 / d_k) or {}) | {"scale": np.asarray(1 / d_k)}


@_mistake("multiplied-by-root")
def multiplied_by_root(given: Given, right: Numbers) -> Numbers | None:
    """Multiply by √d_k instead of dividing."""
    return None if given.q is None else _instead(given, scale=math.sqrt(given.q.shape[-1]))


@_mistake("not-scaled")
def not_scaled(given: Given, right: Numbers) -> Numbers | None:
    """Leave the division by √d_k out."""
    return None if given.q is None or given.scale == 1 else _instead(given, scale=1.0)


@_mistake("not-transposed")
def not_transposed(given: Given, right: Numbers) -> Numbers | None:
    """Multiply Q by K where Q Kᵀ belongs."""
    if given.q is None or given.k is None or given.k.shape[0] != given.k.shape[1]:
        return None
    return _instead(given, k=given.k.T)


@_mistake("scores-times-values")
def scores_times_values(given: Given, right: Numbers) -> Numbers | None:
    """Mix the values with the scores instead of the weights."""
    if given.v is None:
        return None
    with np.errstate(all="ignore"):
        return {"output": right["scaled"] @ given.v}


@_mistake("sum-of-values")
def sum_of_values(given: Given, right: Numbers) -> Numbers | None:
    """Add the values of the allowed keys up, each whole."""
    return None if given.v is None else {"output": right["allowed"] @ given.v}


@_mistake("weights-as-output")
def weights_as_output(given: Given, right: Numbers) -> Numbers | None:
    """Take the weights for the output, where there are as many of both."""
    return None if given.v is None else {"output": right["weights"]}


@_mistake("mean-of-values")
def mean_of_values(given: Given, right: Numbers) -> Numbers | None:
    """Take the plain mean of the values."""
    if given.v is None:
        return None
    return {"output": np.tile(given.v.mean(axis=0), (len(right["scores"]), 1))}


def _one_hot(right: Numbers) -> Array:
    masked = right["masked"]
    return (np.arange(masked.shape[-1]) == masked.argmax(axis=-1)[..., None]).astype(float)


@_mistake("first-of-ties")
def first_of_ties(given: Given, right: Numbers) -> Numbers | None:
    """Give all to the first of the largest scores, in the limit T → 0."""
    return _weighted(given, right, _one_hot(right)) if math.isinf(given.beta) else None


@_mistake("winner-takes-all")
def winner_takes_all(given: Given, right: Numbers) -> Numbers | None:
    """Give all to the largest score."""
    return None if math.isinf(given.beta) else _weighted(given, right, _one_hot(right))


@_mistake("percent")
def percent(given: Given, right: Numbers) -> Numbers | None:
    """Write weights in percent."""
    return {"weights": 100 * right["weights"]}


@_mistake("rounded-early")
def rounded_early(given: Given, right: Numbers) -> Numbers | None:
    """Round the exponentials to two decimals before dividing."""
    exps = np.round(right["exps"], 2)
    with np.errstate(all="ignore"):
        return _weighted(given, right, exps / exps.sum(axis=-1, keepdims=True))


@_mistake("rounded-sum")
def rounded_sum(given: Given, right: Numbers) -> Numbers | None:
    """Round the sum of the exponentials to one decimal before dividing."""
    return _weighted(given, right, right["exps"] / np.round(right["total"], 1)[..., None])


@_mistake("rounded-scores")
def rounded_scores(given: Given, right: Numbers) -> Numbers | None:
    """Round the scaled scores to two decimals: 0.71 for 1/√2."""
    return _instead(Given(scores=np.round(right["scaled"], 2), v=None, allowed=given.allowed))


@_mistake("bits")
def bits(given: Given, right: Numbers) -> Numbers | None:
    """Measure entropy in bits (logarithm to base 2) where nats are asked."""
    return {"entropy": right["entropy"] / math.log(2)}


@_mistake("base-10")
def base_10(given: Given, right: Numbers) -> Numbers | None:
    """Use the logarithm to base 10."""
    return {"entropy": right["entropy"] / math.log(10)}


@_mistake("no-minus")
def no_minus(given: Given, right: Numbers) -> Numbers | None:
    """Forget the minus sign of the entropy."""
    return {"entropy": -right["entropy"]}


@_mistake("entropy-itself")
def entropy_itself(given: Given, right: Numbers) -> Numbers | None:
    """Give the entropy where effective keys are asked, and the other way round."""
    return {"effective_keys": right["entropy"], "entropy": right["effective_keys"]}


@_mistake("power-of-two")
def power_of_two(given: Given, right: Numbers) -> Numbers | None:
    """Raise 2 to the entropy in nats, where it is e."""
    return {"effective_keys": 2.0 ** right["entropy"]}


@_mistake("counted-keys")
def counted_keys(given: Given, right: Numbers) -> Numbers | None:
    """Count the keys instead of the effective ones."""
    count = right["allowed"].sum(axis=-1)
    with np.errstate(all="ignore"):
        return {"effective_keys": count, "entropy": np.log(count)}


@_mistake("sums-to-one")
def sums_to_one(given: Given, right: Numbers) -> Numbers | None:
    """Think that all weights of all queries together sum to 1."""
    return {"weight_sum": np.asarray(1.0)} if len(right["scores"]) > 1 else None


@_mistake("gap-for-ratio")
def gap_for_ratio(given: Given, right: Numbers) -> Numbers | None:
    """Take the gap of the scores for the ratio of the weights."""
    return {"ratio": right["gap"]} if given.beta == 1 else None


@_mistake("scaled-gap-for-ratio")
def scaled_gap_for_ratio(given: Given, right: Numbers) -> Numbers | None:
    """Take β times the gap for the ratio of the weights."""
    return None if given.beta == 1 else {"ratio": right["gap"]}


@_mistake("gap-before-beta")
def gap_before_beta(given: Given, right: Numbers) -> Numbers | None:
    """Take the gap of the scores as they stand, before β, for the ratio or for the scaled gap."""
    gap = right["scores"][:, 0] - right["scores"][:, -1]
    return None if given.beta == 1 else {"ratio": gap, "gap": gap}


@_mistake("e-times-gap")
def e_times_gap(given: Given, right: Numbers) -> Numbers | None:
    """Multiply the gap by e, where it is e to the power of the gap."""
    return {"ratio": math.e * right["gap"]}


@_mistake("first-weight")
def first_weight(given: Given, right: Numbers) -> Numbers | None:
    """Give the first weight alone where a ratio of two is asked."""
    return {"ratio": right["weights"][:, 0]}


@_mistake("ratio-for-gap")
def ratio_for_gap(given: Given, right: Numbers) -> Numbers | None:
    """Give the ratio where the gap is asked."""
    return {"gap": right["ratio"]}


@_mistake("gap-base-10")
def gap_base_10(given: Given, right: Numbers) -> Numbers | None:
    """Take the logarithm to base 10 of a ratio."""
    return {"gap": right["gap"] / math.log(10)}


@_mistake("gap-turned")
def gap_turned(given: Given, right: Numbers) -> Numbers | None:
    """Take the gap the other way round."""
    return {"gap": -right["gap"]}


@_mistake("exp-for-log")
def exp_for_log(given: Given, right: Numbers) -> Numbers | None:
    """Take exp of a ratio, where it is the logarithm."""
    with np.errstate(all="ignore"):
        return {"gap": np.exp(right["ratio"])}


@_mistake("ratio-of-scores")
def ratio_of_scores(given: Given, right: Numbers) -> Numbers | None:
    """Divide the scores where the weights are to be divided."""
    with np.errstate(all="ignore"):
        return {"ratio": right["scaled"][:, 0] / right["scaled"][:, -1]}


@_mistake("ratio-inverted")
def ratio_inverted(given: Given, right: Numbers) -> Numbers | None:
    """Divide the last weight by the first."""
    with np.errstate(all="ignore"):
        return {"ratio": 1 / right["ratio"]}


def mistaken(mistake: str, given: Given) -> Numbers:
    """Return what a known mistake makes of an exercise.

    Parameters
    ----------
    mistake : str
        A name of `MISTAKES`.
    given : Given

    Returns
    -------
    dict of str to ndarray
        Empty when the mistake can't be made here.

    Raises
    ------
    KeyError
        If there is no such mistake; the text lists those there are.
    """
    if mistake not in MISTAKES:
        raise KeyError(f"there is no mistake {mistake}; there are {', '.join(MISTAKES)}")
    with np.errstate(all="ignore"):
        return MISTAKES[mistake](given, numbers(given)) or {}


def found_mistake(
    answer: ArrayLike,
    given: Given,
    name: str,
    at: Sequence[int] = (),
    *,
    tolerance: float,
) -> str:
    """Return the known mistake whose result a wrong answer is.

    Parameters
    ----------
    answer : array_like
    given : Given
    name : str
        The number that was asked for.
    at : sequence of int
        Its place.
    tolerance : float

    Returns
    -------
    str
        A name of `MISTAKES`; ``other-order`` for the right numbers in another order,
        ``other-place`` for the number of another place, ``other-row`` for those of another query,
        ``other-exponential`` for the exponential of another key, ``other-ratio`` for that of two
        other keys; empty when nothing known gives this answer. A mistake that leads to the right
        number as well is never named.

    Examples
    --------
    >>> given = Given(scores=np.array([[1.0, 2, 3]]), allowed=np.array([[True, False, True]]))
    >>> found_mistake([0.09, 0, 0.665], given, "weights", tolerance=0.001)
    'mask-after'
    """
    right = numbers(given)
    wanted = part_of(right, name, at)
    with np.errstate(all="ignore"):  # a wrong procedure may overflow
        results = [(mistake, function(given, right)) for mistake, function in MISTAKES.items()]
    # A mistake about the asked number itself goes before one that only leads to it.
    for mistake, wrong in sorted(results, key=lambda pair: "weights" in (pair[1] or {})):
        if not wrong or name not in wrong or np.shape(wrong[name]) != np.shape(right[name]):
            continue
        instead = part_of(wrong, name, at)
        if agrees(answer, instead, tolerance) and not agrees(instead, wanted, tolerance):
            return mistake
    flat, all_right = np.ravel(answer).astype(float), np.ravel(right[name]).astype(float)
    if name == "allowed" or agrees(flat, wanted, tolerance):
        return ""
    if flat.size > 1:
        if agrees(np.sort(flat), np.sort(np.ravel(wanted)), tolerance):
            return "other-order"
        rows = right[name] if np.ndim(wanted) == 1 and np.ndim(right[name]) == 2 else ()
        return "other-row" if any(agrees(flat, row, tolerance) for row in rows) else ""
    if any(agrees(flat, other, tolerance) for other in all_right):
        return "other-place"
    if name == "ratio":
        with np.errstate(all="ignore"):
            ratios = np.ravel(right["weights"][:, :, None] / right["weights"][:, None, :])
        return "other-ratio" if any(agrees(flat, ratio, tolerance) for ratio in ratios) else ""
    exps = np.ravel(right["exps"]) if name == "weights" else ()
    return "other-exponential" if any(agrees(flat, exp, tolerance) for exp in exps) else ""
