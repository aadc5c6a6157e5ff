"""Answers to answers: which known mistake it is, or where it is off, and how a step stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnviz.content.lessons import Step
from attnviz.content.lessons.live import written
from attnviz.content.lessons.words import asked_form, mask_form
from attnviz.state.lessons import LessonState

MISTAKES = {
    "scores-as-weights": "These are the scores themselves. A weight says how much of the whole a"
    " key gets: take the exponential of each score, then divide by their sum.",
    "scaled-as-weights": "These are the scaled scores. A weight says how much of the whole a key"
    " gets: take the exponential of each of them, then divide by their sum.",
    "divided-scores": "These are the scores divided by their sum. That breaks as soon as a score"
    " is negative: take the exponential first, then divide.",
    "not-divided": "These are the exponentials. The last step is missing: divide by their sum.",
    "not-subtracted": "Here exp was taken of the score as it stands. Asked is exp of the score less"
    " the largest score of its row.",
    "not-raised": "These are the differences. Asked is e to the power of each.",
    "already-divided": "These are the weights already. Asked are the exponentials, before the"
    " division.",
    "sign-turned": "Here the sign is turned round. Take exp of (score − largest): it is 0 or less.",
    "minimum-subtracted": "Here the smallest score was subtracted. Subtract the largest: then no"
    " exponential is larger than 1.",
    "naive": "That is what exp(x) / Σ exp(x) gives as it stands: it overflows. Subtract the largest"
    " score first.",
    "columns": "Here each column sums to 1. A row is a query, and it is each row that sums to 1.",
    "whole-matrix": "Here all weights of all queries together sum to 1. Softmax works on one row at"
    " a time: each row has a sum of its own.",
    "temperature-inverted": "T and β are mixed up: β = 1/T, and β multiplies the scores.",
    "no-temperature": "The temperature is left out: that is what T = 1 gives. Before exp every"
    " score is multiplied by β = 1/T.",
    "other-limit": "That is the other end: the limits T → 0 and T → ∞ are mixed up.",
    "first-of-ties": "Several keys tie for the largest score. Softmax knows no first: they share.",
    "winner-takes-all": "That gives all to the largest score. Softmax is soft: every key that may"
    " be attended to gets some.",
    "percent": "That is in percent. A weight is a part of 1.",
    "temperature-twice": "Here the scores were divided by T twice. Once is enough.",
    "temperature-after": "Here the weights were multiplied by β after softmax, and no longer sum to"
    " 1. β belongs on the scores, before softmax.",
    "mask-after": "Here the weight was set to 0 after softmax, and the masked key is still in the"
    " denominator: the rest no longer sums to 1. Mask the score with −∞ before softmax.",
    "mask-forgotten": "The mask is left out: a masked key gets weight exactly 0.",
    "mask-and-temperature": "Both the mask and the temperature are left out.",
    "mask-multiplied": "Here the masked score became 0. But exp(0) = 1: the key is still in. Only"
    " −∞ takes it out.",
    "polarity": "The mask is read the other way round: 1 (True) means that the query may attend.",
    "own-position": "A query sees its own position too: the diagonal holds 1.",
    "uniform": "That gives every key the same. So it is only where their scores are equal, or in"
    " the limit T → ∞.",
    "plain-exps": "That is e to the power of the score as it stands. A weight is this number"
    " divided by the sum of them all, so it is at most 1.",
    "other-place": "That is the number of another key or query: look at the place that is asked.",
    "other-row": "These are the numbers of another query: look which one is asked for.",
    "other-exponential": "That is the exponential of one key. A weight is an exponential divided by"
    " the sum of them all: look which one is asked for.",
    "other-order": "These are the right numbers in another order.",
    "mask-aligned": "Rows and columns are mixed up: a row is a query, a column is a key.",
    "divided-by-d_k": "Here the scores were divided by d_k. It is its square root, √d_k.",
    "multiplied-by-root": "Here the scores were multiplied by √d_k. Divide by it.",
    "not-scaled": "The division by √d_k is left out.",
    "not-transposed": "Here Q was multiplied by K. A score is a query row times a key row: Q Kᵀ.",
    "scores-times-values": "Here the values were mixed with the scores. Mix them with the weights.",
    "sum-of-values": "Here the values were added whole. Each counts only by its weight, and the"
    " weights sum to 1.",
    "weights-as-output": "These are the weights. The output is the values, each times its weight,"
    " added up.",
    "mean-of-values": "That is the plain mean of the values. Each value counts by its weight.",
    "rounded-early": "The way is right, but the exponentials were rounded before dividing. Keep all"
    " digits until the end.",
    "rounded-sum": "The way is right, but the sum was rounded before dividing. Keep all digits"
    " until the end.",
    "rounded-scores": "The way is right, but a score was rounded first (0.71 for 1/√2 = 0.7071…)."
    " Keep all digits until the end.",
    "bits": "That is the entropy in bits, with the logarithm to base 2. Asked are nats: use ln.",
    "base-10": "That is the entropy with the logarithm to base 10. Asked are nats: use ln.",
    "no-minus": "The minus sign is missing: logarithms of weights are negative, entropy isn't.",
    "entropy-itself": "That is the entropy itself. Effective keys are e to its power.",
    "power-of-two": "Here 2 was raised to the entropy. For nats it is e to this power.",
    "counted-keys": "That holds only when all weights are equal. Here they differ.",
    "sums-to-one": "1 is the sum of one row. Every query has a row of its own.",
    "gap-for-ratio": "That is the gap of the scores. The ratio of the weights is e to this power.",
    "scaled-gap-for-ratio": "That is β times the gap. The ratio of the weights is e to this power.",
    "gap-before-beta": "That is the gap of the scores as they stand. β multiplies it; the ratio of"
    " the weights is e to that power.",
    "e-times-gap": "That is e times the gap. The ratio is e to the power of the gap.",
    "first-weight": "That is the first weight alone. Asked is how many times the last one it is.",
    "other-ratio": "That is the ratio of two other weights: look which ones are asked for.",
    "ratio-for-gap": "That is the ratio. The gap is its natural logarithm.",
    "gap-base-10": "That is the logarithm to base 10. exp is undone by the natural one, ln.",
    "gap-turned": "That is the gap the other way round: mind the sign.",
    "exp-for-log": "Here exp was taken of the ratio. It is the other way: the ratio is exp of the"
    " gap.",
    "ratio-of-scores": "That is the ratio of the scores. Weights compare by the gap of the scores:"
    " their ratio is e to the gap.",
    "ratio-inverted": "That is the ratio the other way round.",
}

_OF_ONE = {
    "scaled-as-weights": "That is the scaled score. A weight says how much of the whole a key gets:"
    " take the exponentials, then divide by their sum.",
    "scores-as-weights": "That is the score itself. A weight says how much of the whole a key gets:"
    " take the exponential of each score, then divide by their sum.",
    "divided-scores": "That is the score divided by the sum of the scores. That breaks as soon as a"
    " score is negative: take the exponentials first, then divide.",
    "not-divided": "That is the exponential. The last step is missing: divide it by the sum of them"
    " all.",
}
_OF_WHAT_FOLLOWS = {
    "scaled-as-weights": "This follows when the scaled scores are taken for weights. First take the"
    " exponential of each of them, and divide by their sum.",
    "scores-as-weights": "This follows when the scores are taken for weights. First take the"
    " exponential of each score, and divide by their sum.",
    "divided-scores": "This follows from the scores divided by their sum. Take the exponentials"
    " first, then divide.",
    "not-divided": "This follows from the exponentials. Divide them by their sum first.",
    "uniform": "This follows when every key gets the same weight. So it is only where their scores"
    " are equal, or in the limit T → ∞.",
}
_OF_ENTROPY = _OF_WHAT_FOLLOWS | {
    "entropy-itself": "That is the number of effective keys. The entropy is its logarithm.",
}
_OF_MASKS = {
    "mask-forgotten": "Nothing is hidden here. Which keys may the first query not attend to?",
}
_OF_WEIGHTS = {
    "polarity": "Here the hidden keys were kept, and those that may be attended to were hidden.",
}
_OF_SUMS = {
    "scaled-as-weights": "That is the sum of the scaled scores. Asked is the sum of the weights.",
    "scores-as-weights": "That is the sum of the scores. Asked is the sum of the weights.",
    "not-divided": "That is the sum of the exponentials. Asked is the sum of the weights.",
    "uniform": "That is a sum of 1 for each key. It is each query whose weights sum to 1.",
}


_AS_FAR = (
    "Right as far as it goes: {} decimals are asked for.",
    "Right as far as it goes: {} decimal is asked for.",
)


def mistake_words(step: Step, mistake: str, count: int) -> str:
    """Say what a known mistake is, in the words that fit what is asked for.

    Parameters
    ----------
    step : Step
    mistake : str
        A name of `MISTAKES`.
    count : int
        How many numbers are asked for.

    Returns
    -------
    str
    """
    of_weights = _OF_WEIGHTS | (_OF_ONE if count == 1 else {})
    own = {
        "weights": of_weights,
        "weight_sum": _OF_SUMS,
        "row_sums": _OF_SUMS,
        "allowed": _OF_MASKS,
        "entropy": _OF_ENTROPY,
    }.get(step.answer, _OF_WHAT_FOLLOWS)
    return own.get(mistake, MISTAKES[mistake])


def unread(
    step: Step, text: str, sentence: str, shape: tuple[int, ...], *, whole: bool
) -> dict[str, Any]:
    """Answer a text that can't be read as numbers.

    Parameters
    ----------
    step : Step
    text : str
        What was typed.
    sentence : str
        What the reader says of it.
    shape : tuple of int
        Of the numbers that are asked for.
    whole : bool
        True when they are whole numbers.

    Returns
    -------
    dict
        For the part ``answer``.
    """
    if re.fullmatch(r"(?i)[\s,;\[\]]*nan[\s,;\[\]nan]*", text):
        return _not_yet("NaN is what a program gives where there is no number. Here there is one.")
    if re.search(r"(?i)\b(ln|log|exp)|\be\s*(\^|\*\*)", text):
        return _not_yet("Logarithms and powers of e are not worked out here: type the number.")
    if not shape:
        sentence = sentence.replace("Value 1 is", "That is").replace("Value 1 has", "That has")
    form = mask_form(shape) if step.answer == "allowed" else asked_form(step, shape, whole=whole)
    return {"value": f"{sentence} {form}".strip(), "ok": False}


def feedback(
    step: Step,
    answer: Sequence[float],
    right: ArrayLike,
    off: Sequence[int],
    known: str = "",
    *,
    text: str = "",
    more: bool = False,
) -> dict[str, Any]:
    """Answer an answer: right, or which known mistake it is, or where it is off.

    Parameters
    ----------
    step : Step
    answer : sequence of float
    right : array_like
        What the core computes.
    off : sequence of int
        Places that are off, from 0.
    known : str
        What the lesson says to this very answer, or empty.
    text : str
        The answer as it was typed: its zeros at the end count as digits.
    more : bool
        True when there is help that isn't open yet.

    Returns
    -------
    dict
        For the part ``answer``.
    """
    if not off:
        return {"value": f"Right: {written(np.asarray(right))}. {known}".strip(), "ok": True}
    values, wanted = np.ravel(answer).astype(float), np.ravel(right).astype(float)
    fewer = [at for at in range(step.decimals) if not text or at == _typed_decimals(text)]
    if _is_rounded(values, wanted, [at for at in fewer if at >= 2]):
        return _not_yet(_AS_FAR[step.decimals == 1].format(step.decimals))
    if known:
        return _not_yet(known)
    if _is_rounded(values, wanted, [at for at in fewer if at < 2]):
        return _not_yet(_AS_FAR[step.decimals == 1].format(step.decimals))
    if np.isneginf(values).any() and np.isfinite(wanted).all() and step.answer != "allowed":
        return _not_yet("−∞ is the score of a masked key. Its weight is exp(−∞) = 0.")
    lines = []
    if step.answer == "allowed":
        if not np.isin(values, (0, 1)).all():
            lines.append("A mask holds only 1 and 0.")
        rows = sorted({at // np.shape(right)[-1] + 1 for at in off})
        lines.append(f"Look again at row {', '.join(map(str, rows))}.")
    elif max(abs(values[at] - wanted[at]) for at in off) <= 10 * step.tolerance:
        lines.append("The way is right, the last digits are not: keep all digits until the end.")
    elif len(values) == 1:
        side = "larger" if values[0] > wanted[0] else "smaller"
        lines.append(f"{written(values[0])} is {side} than the right number.")
    else:
        places = [str(at + 1) for at in off]
        some = f"Numbers {', '.join(places[:-1])} and {places[-1]} are off."
        lines.append(f"Number {places[0]} is off." if len(off) == 1 else some)
    name = step.answer.rpartition(".")[2]
    with np.errstate(over="ignore"):
        total = values.sum()
    if name == "weights" and np.ndim(right) == 1 and abs(total - 1) > 0.01:
        lines.append(f"Yours sum to {written(total)}; the weights of a query sum to 1.")
    if (values < 0).any() and name in ("weights", "exps", "total", "entropy", "effective_keys"):
        lines.append("None of these numbers can be negative.")
    if more:
        lines.append("The help below goes one step at a time.")
    return _not_yet(" ".join(lines))


def _not_yet(words: str) -> dict[str, Any]:
    return {"value": f"Not yet. {words}", "ok": False}


def _typed_decimals(text: str) -> int:
    """Count the decimals of the number that has the most."""
    mark = "." if "." in text else ","
    return max((len(digits) for digits in re.findall(rf"\{mark}(\d+)", text)), default=0)


def _is_rounded(values: np.ndarray, wanted: np.ndarray, decimals: Sequence[int]) -> bool:
    """Tell whether numbers are the right ones, rounded to fewer decimals.

    A whole number is the rounded one only of a number with two digits before the point: 1 for 0.67
    is no answer.
    """
    if (np.round(values) == values).all() and not (np.abs(wanted) >= 10).all():
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return any(
            bool((np.abs(values - wanted) <= 0.50001 * 10.0**-places).all())
            and bool((np.round(values, places) == values).all())
            for places in decimals
        )


NEARNESS = {
    "very near": "Very near.",
    "near": "The order is right, and the heights are close.",
    "in proportion": "The proportions are right, the heights are not yet.",
    "far": "The order is right, the heights are not yet.",
}


def bars_feedback(
    nearness: str,
    drawn: Sequence[float],
    weights: Sequence[float],
    labels: Sequence[str],
    wrong: tuple[int, int] | None,
) -> str:
    """Say how near a drawn prediction came.

    Parameters
    ----------
    nearness : str
        From `attnviz.core.exercises.nearness`.
    drawn, weights : sequence of float
    labels : sequence of str
        Names of the keys.
    wrong : (int, int) or None
        Two keys of which the first has the larger weight and was not drawn larger.

    Returns
    -------
    str
    """
    most, largest = (labels[int(np.argmax(values))] for values in (drawn, weights))
    total = sum(drawn)
    summed = abs(total - 1) < 0.1
    if wrong:
        first, second = (labels[at] for at in wrong)
        words = (
            f"You drew {first} and {second} alike, but {first} has the larger weight."
            if drawn[wrong[0]] == drawn[wrong[1]]
            else f"You gave {most} the most, but it is {largest} that has the largest weight."
            if most != largest
            else f"{largest} has the largest weight, as you drew it; the others come in another"
            " order."
        )
    else:
        words = NEARNESS[nearness]
    line = f"{words} The weights are {written(weights)}."
    if summed:
        return line
    scaled = written([bar / total for bar in drawn], 2)
    return f"{line} They sum to 1; your bars sum to {written(total)} (as parts of it: {scaled})."


def reply(step: Step, chosen: int, fill: Callable[[str], str]) -> list[dict[str, Any]]:
    """Answer a choice.

    Parameters
    ----------
    step : Step
    chosen : int
        From 0.
    fill : callable
        Puts the live numbers into a text that is shown letter for letter.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    option = step.options[chosen]
    head = "Right. " if option.right else "Not quite. "
    return [{"value": head + fill(option.reply), "ok": option.right}]


def standing_of_choice(step: Step, chosen: int | None) -> str:
    """Tell how a closed question stands; a prediction is never wrong, it only has to be made.

    Parameters
    ----------
    step : Step
    chosen : int or None
        From 0.

    Returns
    -------
    str
        A name of `STANDING`.
    """
    if chosen is None:
        return "open"
    if step.options[chosen].right:
        return "right"
    return "made" if step.kind == "predict" else "wrong"


def chosen(state: LessonState, step: Step, at: int) -> int | None:
    """Return which option was chosen, from 0.

    Parameters
    ----------
    state : LessonState
    step : Step
    at : int

    Returns
    -------
    int or None
    """
    text = state.answer_to(at)
    places = {str(place): place - 1 for place, _ in enumerate(step.options, 1)}
    return places.get(text)


def drawn_bars(answer: str, count: int) -> list[float] | None:
    """Read bars that were drawn.

    Parameters
    ----------
    answer : str
    count : int
        Number of bars.

    Returns
    -------
    list of float, or None
        None when there are none yet, or not so many.
    """
    try:
        bars = [float(word) for word in answer.split()]
    except ValueError:
        return None
    good = len(bars) == count and all(0 <= bar <= 1 for bar in bars) and sum(bars) > 0
    return bars if good else None
