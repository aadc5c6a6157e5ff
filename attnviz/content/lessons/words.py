"""What a lesson says beside its own text: live numbers in sentences, and answers to answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnviz.content.lessons import KINDS, ORDER, GivenTexts, Lesson, LessonError, Step
from attnviz.content.shown import shown
from attnviz.state.lessons import LessonState

HEADING = "## Lessons"
SENTENCE = (
    "Predict, see, work it out by hand, write the code, check. Each lesson takes about a quarter"
    " of an hour. A lesson's own link keeps your answers: copy it before you close or reload this"
    " page."
)
OWN_HEADING = "#### A lesson of your own"
OWN = (
    "A lesson is one text file. Take one of ours as a start, change it, and open it here: what is"
    " wrong in it is named with its line. What it may hold is listed in docs/LESSONS.md."
)
OWN_LOST = "This link belongs to a lesson from a file. Open the file once more."
NO_LESSON = "There is no lesson with this name; here are all of them."
REDRAWN = (
    "Fresh numbers for this step, equally hard. The link keeps them: everybody who opens it gets"
    " the same."
)
SAMPLE = "Download a lesson as a file"
OPEN_FILE = "Open a lesson from a file"
COPY_LINK = "Copy link"
COPY_BLANK = "Copy link without answers"
COPY_BLANK_HELP = "Copies this step with the same numbers, for somebody else to answer"
CODE = (
    "Write it on your own machine, with Python and a copy of attnviz (its README says how to get"
    " one running). Save the start below as a file in the folder of that copy, fill it in, and run"
    " the checker there. It says which cases pass, and for each other one what came, what was"
    " expected and the likely reason. This page never runs your code. Without Python at hand, go"
    " on: the next steps don't need it."
)
ALL = "All lessons"
COPY = "Copies the address of this step, with your answers in it"
BACK, NEXT, FRESH = "Back", "Next", "Fresh numbers"
COMMIT, CHECK = "Commit", "Check"
WHOLE_PAGE = "Open these numbers on a page of their own"
SOLUTION = "A solution that passes"
NOT_TEXT = "The file is not text in UTF-8; a lesson is a text file."
CARD_CODE = "**All of it in plain Python**, with lists and nothing to install:"
PRINT = "Made for paper too: print this page with your browser."
TRAIL = "Steps of this lesson"
STANDING = {
    "open": "",
    "right": ", done",
    "made": ", predicted, and it came out differently",
    "wrong": ", not right yet",
}
MASK = "Click a cell to switch it: 1 where the query may attend to the key, 0 where it is hidden."
MASK_LINE = "The same mask as text: a blank between numbers, a semicolon between rows"
MARK, MARKED, UNMARK = "Mark as done", "✓ Marked as done.", "Take the mark back"
NUDGE = "Type an answer first."
BARS = {
    "commit": "Commit",
    "again": "Draw again",
    "together": "Together",
    "nothing": "Pull up each bar as high as you expect the weight, then commit.",
    "legend": "The dark line is the weight.",
}
_HINTS = ("a nudge", "the next step", "the worked step")

_LIVE = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*(?::\s*(\d))?\s*\}\}")
_TYPED = {"scores", "q", "k", "v"}

MISTAKES = {
    "scores-as-weights": "These are the scores themselves. A weight says how much of the whole a"
    " key gets: take the exponential of each score, then divide by their sum.",
    "divided-scores": "These are the scores divided by their sum. That breaks as soon as a score"
    " is negative: take the exponential first, then divide.",
    "not-divided": "These are the exponentials. The last step is missing: divide by their sum.",
    "not-subtracted": "Here exp was taken of the score as it stands. Asked is exp of the score less"
    " the largest score of its row.",
    "minimum-subtracted": "Here the smallest score was subtracted. Subtract the largest: then no"
    " exponential is larger than 1.",
    "naive": "That is what exp(x) / Σ exp(x) gives as it stands: it overflows. Subtract the largest"
    " score first.",
    "columns": "Here each column sums to 1. A row is a query, and it is each row that sums to 1.",
    "whole-matrix": "Here all weights of all queries together sum to 1. Softmax works on one row at"
    " a time: each row has a sum of its own.",
    "temperature-inverted": "T and β are mixed up: β = 1/T, and β multiplies the scores.",
    "no-temperature": "The temperature is left out: multiply the scores by β = 1/T before exp.",
    "temperature-after": "Here the weights were multiplied by β after softmax, and no longer sum to"
    " 1. β belongs on the scores, before softmax.",
    "mask-after": "Here the weight was set to 0 after softmax, and the masked key is still in the"
    " denominator: the rest no longer sums to 1. Mask the score with −∞ before softmax.",
    "mask-forgotten": "The mask is left out: a masked key gets weight exactly 0.",
    "mask-multiplied": "Here the masked score became 0. But exp(0) = 1: the key is still in. Only"
    " −∞ takes it out.",
    "polarity": "The mask is read the other way round: 1 (True) means that the query may attend.",
    "own-position": "A query sees its own position too: the diagonal holds 1.",
    "uniform": "That gives every key the same. It holds only where all scores are equal.",
    "plain-exps": "That is e to the power of the score as it stands. A weight is this number"
    " divided by the sum of them all, so it is at most 1.",
    "other-place": "That is the number of another key or query: look at the place that is asked.",
    "other-exponential": "That is the exponential of one key. A weight is an exponential divided by"
    " the sum of them all: look which one is asked for.",
    "other-order": "These are the right numbers in another order.",
    "mask-aligned": "Rows and columns are mixed up: a row is a query, a column is a key.",
    "divided-by-d_k": "Here the scores were divided by d_k. It is its square root, √d_k.",
    "multiplied-by-root": "Here the scores were multiplied by √d_k. Divide by it.",
    "not-scaled": "The division by √d_k is left out.",
    "not-transposed": "Here Q was multiplied by K. A score is a query row times a key row: Q Kᵀ.",
    "scores-times-values": "Here the values were mixed with the scores. Mix them with the weights.",
    "mean-of-values": "That is the plain mean of the values. Each value counts by its weight.",
    "rounded-early": "The way is right, but the exponentials were rounded before dividing. Keep all"
    " digits until the end.",
    "rounded-scores": "The way is right, but a score was rounded first (0.71 for 1/√2 = 0.7071…)."
    " Keep all digits until the end.",
    "bits": "That is the entropy in bits, with the logarithm to base 2. Asked are nats: use ln.",
    "base-10": "That is the entropy with the logarithm to base 10. Asked are nats: use ln.",
    "no-minus": "The minus sign is missing: logarithms of weights are negative, entropy isn't.",
    "counted-keys": "That holds only when all weights are equal. Here they differ.",
    "sums-to-one": "1 is the sum of one row. Every query has a row of its own.",
    "gap-for-ratio": "That is the gap of the scores. The ratio of the weights is e to this power.",
    "ratio-of-scores": "That is the ratio of the scores. Weights compare by the gap of the scores:"
    " their ratio is e to the gap.",
    "ratio-inverted": "That is the ratio the other way round.",
}

_OF_ONE = {
    "scores-as-weights": "That is the score itself. A weight says how much of the whole a key gets:"
    " take the exponential of each score, then divide by their sum.",
    "divided-scores": "That is the score divided by the sum of the scores. That breaks as soon as a"
    " score is negative: take the exponentials first, then divide.",
    "not-divided": "That is the exponential. The last step is missing: divide it by the sum of them"
    " all.",
}
_OF_SUMS = {
    "scores-as-weights": "That is the sum of the scores. Asked is the sum of the weights.",
    "not-divided": "That is the sum of the exponentials. Asked is the sum of the weights.",
    "uniform": "That is a sum of 1 for each key. It is each query whose weights sum to 1.",
}


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
    if step.answer in ("weight_sum", "row_sums") and mistake in _OF_SUMS:
        return _OF_SUMS[mistake]
    return _OF_ONE[mistake] if count == 1 and mistake in _OF_ONE else MISTAKES[mistake]


def fill(text: str, lookup: Callable[[str, int | None], str]) -> str:
    """Put the live numbers into a text.

    Parameters
    ----------
    text : str
        With ``{{name}}``, ``{{name.0}}`` or ``{{name:3}}`` (3 decimals).
    lookup : callable
        Dotted name and number of decimals (or None) to what is shown.

    Returns
    -------
    str

    Examples
    --------
    >>> fill("w = {{weights.0:2}}.", lambda name, decimals: f"<{name} {decimals}>")
    'w = <weights.0 2>.'
    """
    return _LIVE.sub(
        lambda found: lookup(found.group(1), int(found.group(2)) if found.group(2) else None), text
    )


def live_names(*texts: str) -> list[str]:
    """Return the names of the live numbers in texts.

    Parameters
    ----------
    *texts : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> live_names("{{weights.0}} of {{total:2}}")
    ['weights.0', 'total']
    """
    return [found.group(1) for text in texts for found in _LIVE.finditer(text)]


def texts_of(step: Step) -> list[str]:
    """Return all texts of a step that may hold live numbers.

    Parameters
    ----------
    step : Step

    Returns
    -------
    list of str
    """
    replies = [words for option in step.options for words in (option.text, option.reply)]
    replies += [words for wrong in step.wrong for words in (wrong.answer, wrong.reply)]
    return [step.title, step.say, step.ask, *step.hints, *replies]


def written(values: ArrayLike, decimals: int | None = None, *, drawn: bool = False) -> str:
    """Write numbers into a sentence: a list between commas, rows between semicolons.

    Parameters
    ----------
    values : array_like
        A number, a vector or a matrix.
    decimals : int, optional
        As many as these; without them as elsewhere on the screen.
    drawn : bool
        True for Markdown, where a matrix of several rows is drawn as one.

    Returns
    -------
    str

    Examples
    --------
    >>> written(0.66524, 2), written([2.0, 1.0, 0.0]), written([[1.0, 0.0], [0.0, 1.0]])
    ('0.67', '2, 1, 0', '[1, 0; 0, 1]')
    """
    array = np.asarray(values, dtype=float)
    if array.ndim == 0:
        value = float(array)
        if decimals is None or not np.isfinite(value):
            return shown(value)
        return f"{value:.{decimals}f}".replace("-", "−")
    if array.ndim == 1:
        return ", ".join(written(value, decimals) for value in array)
    return _grid([[written(value, decimals) for value in row] for row in array], drawn=drawn)


def _grid(rows: list[list[str]], *, drawn: bool) -> str:
    """Write a matrix of texts, as TeX where it is drawn."""
    if not drawn or len(rows) < 2:
        return f"[{'; '.join(', '.join(row) for row in rows)}]"
    lines = r" \\ ".join(" & ".join(_tex(text) for text in row) for row in rows)
    return rf"$\begin{{bmatrix}}{lines}\end{{bmatrix}}$"


def _tex(text: str) -> str:
    plain = text.replace("−", "-").replace("∞", r"\infty ")
    return rf"\text{{{plain}}}" if "e" in plain else re.sub(r"√(\d+)", r"\\sqrt{\1}", plain)


def typed(given: GivenTexts, name: str, *, drawn: bool = False) -> str:
    """Return numbers as the lesson wrote them, such as 1/√2; empty where they are computed.

    Parameters
    ----------
    given : GivenTexts
    name : str
    drawn : bool
        As for `written`.

    Returns
    -------
    str
    """
    cells = getattr(given, name) if name in _TYPED else None
    if cells is None:
        return ""
    rows = [[_pretty(cell.text) for cell in row] for row in cells]
    return ", ".join(rows[0]) if len(rows) == 1 else _grid(rows, drawn=drawn)


def _pretty(text: str) -> str:
    text = re.sub(r"sqrt\((\d+)\)", r"√\1", text)
    return text.replace("-inf", "−∞").replace("-", "−")


def trail(lesson: Lesson, standing: Sequence[str], at: int) -> dict[str, Any]:
    """Return the steps of a lesson for the bar at the top, and the heading of the open one.

    Parameters
    ----------
    lesson : Lesson
    standing : sequence of str
        Names of `STANDING`.
    at : int
        The open step, from 0.

    Returns
    -------
    dict
        For the part ``trail``.
    """
    names = [step.title or KINDS[step.kind] for step in lesson.steps]
    return {
        "label": TRAIL,
        "here": f"Step {at + 1} of {len(names)}: {names[at]}",
        "steps": [
            {"name": name, "said": f"{number} {name}{STANDING[mark]}", "mark": mark}
            for number, (name, mark) in enumerate(zip(names, standing, strict=True), 1)
        ],
    }


def mask_grid(rows: int, columns: int) -> dict[str, Any]:
    """Return the words of a mask that is clicked.

    Parameters
    ----------
    rows, columns : int
        Queries and keys.

    Returns
    -------
    dict
        For the part ``answer``.
    """
    return {
        "label": "Mask",
        "rows": [f"query {i + 1}" for i in range(rows)],
        "columns": [f"key {j + 1}" for j in range(columns)],
        "words": ["hidden", "may attend"],
    }


def progress(done: int, asked: int, started: bool) -> str:
    """Say how far one is.

    Parameters
    ----------
    done, asked : int
        Questions that were answered well, and all of them.
    started : bool

    Returns
    -------
    str
    """
    if not started:
        return f"{asked} questions"
    return f"✓ all {asked} answered" if done == asked else f"{done} of {asked} answered"


def unread(step: Step, sentence: str, shape: tuple[int, ...]) -> dict[str, Any]:
    """Answer a text that can't be read as numbers.

    Parameters
    ----------
    step : Step
    sentence : str
    shape : tuple of int
        Of the numbers that are asked for.

    Returns
    -------
    dict
        For the part ``answer``.
    """
    if not shape:
        sentence = sentence.replace("Value 1 is", "That is").replace("Value 1 has", "That has")
    form = "" if step.answer == "allowed" else asked_form(step, shape)
    return {"value": f"{sentence} {form}".strip(), "ok": False}


def asked_form(step: Step, shape: tuple[int, ...]) -> str:
    """Say in what form the answer is asked for.

    Parameters
    ----------
    step : Step
    shape : tuple of int
        Of the numbers that are asked for.

    Returns
    -------
    str

    Examples
    --------
    >>> asked_form(Step("task", "", "", answer="weights", decimals=3), ())
    'To 3 decimals, as a decimal number or a fraction: 0.25, 1/3.'
    >>> asked_form(Step("task", "", "", answer="weights", decimals=2), (2, 2))
    '4 numbers to 2 decimals, a blank between them and a semicolon between rows: 1 0; 1/3 0.67.'
    """
    if step.answer == "allowed":
        return MASK
    places = {0: "whole numbers", 1: "to 1 decimal"}.get(
        step.decimals, f"to {step.decimals} decimals"
    )
    if not shape:
        if not step.decimals:
            return "A whole number."
        return f"{places.capitalize()}, as a decimal number or a fraction: 0.25, 1/3."
    count = int(np.prod(shape))
    if len(shape) == 1:
        return f"{count} numbers {places}, a blank between them, such as 0.25 1/3."
    return (
        f"{count} numbers {places}, a blank between them and a semicolon between rows:"
        " 1 0; 1/3 0.67."
    )


def feedback(
    step: Step,
    answer: Sequence[float],
    right: ArrayLike,
    off: Sequence[int],
    known: str = "",
    *,
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
        What is said to this very answer, or empty.
    more : bool
        True when there is help that isn't open yet.

    Returns
    -------
    dict
        For the part ``answer``.
    """
    if not off:
        return {"value": f"Right: {written(np.asarray(right))}.", "ok": True}
    values, wanted = np.ravel(answer).astype(float), np.ravel(right).astype(float)
    if _is_rounded(values, wanted, range(2, step.decimals)):
        return _not_yet(f"Right as far as it goes: {step.decimals} decimals are asked for.")
    if known:
        return _not_yet(known)
    if _is_rounded(values, wanted, range(1, min(2, step.decimals))):
        return _not_yet(f"Right as far as it goes: {step.decimals} decimals are asked for.")
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
    if name == "weights" and np.ndim(right) == 1 and abs(values.sum() - 1) > 0.01:
        lines.append(f"Yours sum to {written(values.sum())}; the weights of a query sum to 1.")
    if (values < 0).any() and name in ("weights", "exps", "total", "entropy", "effective_keys"):
        lines.append("None of these numbers can be negative.")
    if more:
        lines.append("The help below goes one step at a time.")
    return _not_yet(" ".join(lines))


def _not_yet(words: str) -> dict[str, Any]:
    return {"value": f"Not yet. {words}", "ok": False}


def _is_rounded(values: np.ndarray, wanted: np.ndarray, decimals: range) -> bool:
    """Tell whether numbers are the right ones, rounded to fewer decimals but not to whole ones."""
    if (np.round(values) == values).all():
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return any(
            bool((np.abs(values - wanted) <= 0.55 * 10.0**-places).all())
            and bool((np.round(values, places) == values).all())
            for places in decimals
        )


def bars_feedback(
    distance: float,
    drawn: Sequence[float],
    weights: Sequence[float],
    labels: Sequence[str],
    *,
    ordered: bool,
) -> list[dict[str, Any]]:
    """Say how near a drawn prediction came.

    Parameters
    ----------
    distance : float
        Total-variation distance of the bars, taken as parts of their sum, 0 to 1.
    drawn, weights : sequence of float
    labels : sequence of str
        Names of the keys.
    ordered : bool
        True when of any two weights the larger one was drawn larger.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    most, largest = (labels[int(np.argmax(values))] for values in (drawn, weights))
    words = (
        "Very near."
        if distance < 0.05
        else "The shape is right."
        if distance < 0.15
        else "The order is right, the heights are not yet."
        if ordered
        else f"You gave {most} the most, but it is {largest} that has the largest weight."
        if most != largest
        else f"{largest} has the largest weight, as you drew it; the others come in another order."
    )
    lines = [f"{words} The weights are {written(weights)}."]
    total = sum(drawn)
    if abs(total - 1) > 0.005:
        lines.append(f"They sum to 1; your bars sum to {written(total)}.")
    return [{"value": " ".join(lines)}]


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
    return int(text) - 1 if text.isdigit() and 1 <= int(text) <= len(step.options) else None


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


def open_hints(step: Step, count: int) -> tuple[str, ...]:
    """Return the hints that are open.

    Parameters
    ----------
    step : Step
    count : int

    Returns
    -------
    tuple of str
    """
    return step.hints[:count]


def hint_button(count: int) -> str:
    """Return the words on the button that opens the next hint.

    Parameters
    ----------
    count : int
        Hints that are open.

    Returns
    -------
    str

    Examples
    --------
    >>> hint_button(0), hint_button(2)
    ('Help: a nudge', 'Help: the worked step')
    """
    return f"Help: {_HINTS[min(count, len(_HINTS) - 1)]}"


def numbered(at: int, title: str) -> str:
    """Return a lesson's title with its number.

    Parameters
    ----------
    at : int
        From 0.
    title : str

    Returns
    -------
    str
    """
    return f"{at + 1}. {title}"


def next_lesson(name: str) -> str:
    """Return the name of the lesson after this one; empty after the last.

    Parameters
    ----------
    name : str

    Returns
    -------
    str
    """
    at = ORDER.index(name) if name in ORDER else len(ORDER)
    return ORDER[at + 1] if at + 1 < len(ORDER) else ""


def next_button(title: str) -> str:
    """Return the words on the button to the next lesson.

    Parameters
    ----------
    title : str

    Returns
    -------
    str
    """
    return f"Next lesson: {title}"


def finished(lesson: Lesson, standing: Sequence[str]) -> str:
    """Return what stands at the end of a lesson.

    Parameters
    ----------
    lesson : Lesson
    standing : sequence of str
        Names of `STANDING`, one for each step.

    Returns
    -------
    str
    """
    asked = [
        (number, mark)
        for number, (step, mark) in enumerate(zip(lesson.steps, standing, strict=True), 1)
        if step.asks
    ]
    left = [number for number, mark in asked if mark in ("open", "wrong")]
    if left:
        return f"Still open: {_steps(left)}."
    made = [number for number, mark in asked if mark == "made"]
    other = f" A prediction that came out differently: {_steps(made)}." if made else ""
    return f"All {len(asked)} questions are answered.{other} You can now do this: {lesson.goal}"


def _steps(numbers: Sequence[int]) -> str:
    words = [str(number) for number in numbers]
    if len(words) == 1:
        return f"step {words[0]}"
    return f"steps {', '.join(words[:-1])} and {words[-1]}"


def full_stop(fault: LessonError) -> str:
    """Return what is wrong with a file as a sentence of its own.

    Parameters
    ----------
    fault : LessonError

    Returns
    -------
    str

    Examples
    --------
    >>> full_stop(LessonError(3, "a step has no 'sey'; did you mean say?"))
    "Line 3: a step has no 'sey'; did you mean say?"
    """
    text = str(fault)
    return text if text.endswith("?") else f"{text}."


def no_step(count: int) -> str:
    """Say that a link names a step that the lesson doesn't have.

    Parameters
    ----------
    count : int

    Returns
    -------
    str
    """
    return f"at in the link: the lesson has {count} steps. The last one is shown."


def code_file(function: str) -> str:
    """Return the name of the file that a person writes.

    Parameters
    ----------
    function : str

    Returns
    -------
    str
    """
    return f"my_{function}.py"


def download(function: str) -> str:
    """Return the words on the button that saves the start of a function.

    Parameters
    ----------
    function : str

    Returns
    -------
    str
    """
    return f"Download {code_file(function)}"


def check_command(function: str) -> str:
    """Return the command that checks the file.

    Parameters
    ----------
    function : str

    Returns
    -------
    str
    """
    return f"python -m attnviz.check {code_file(function)}"
