"""What a lesson says beside its own text: its buttons, its bar of steps, its end."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.content.lessons import KINDS, ORDER, Lesson, LessonError, Step

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
    "Fresh numbers for this step, equally hard; a step that is done stays done until you"
    " answer again. The link keeps them: everybody who opens it gets the same."
)
SAMPLE = "Download a lesson as a file"
OPEN_FILE = "Open a lesson from a file, at most 200 kB"
COPY_LINK = "Copy link"
COPY_BLANK = "Copy link without answers"
COPY_BLANK_HELP = "Copies this step with the same numbers, for somebody else to answer"
CODE = (
    "Write it on your own machine, with Python 3.11 or newer and NumPy. Download the checker and"
    " unpack it: it is a folder, `attnviz-check`. Save the start below **in that folder**, fill it"
    " in, and run the command there. It says which cases pass, and for each other one what came,"
    " what was expected and the likely reason. This page never runs your code. Without Python at"
    " hand, go on: the next steps don't need it."
)
CHECKER = "Download the checker (zip)"
CHECKER_HELP = (
    "The folder attnviz-check, with the checker alone. In a copy of attnviz you have it already:"
    " save your file there."
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
    "yours": "you",
}
BACK_TO_NUMBERS = "Back to the lesson's numbers"
BACK_TO_NUMBERS_HELP = (
    "What you change here is kept while you are here; the link of a lesson keeps your answers only."
)
_EXAMPLES = ("0.25", "1/3", "0.5", "0.125")
_HINTS = ("a nudge", "the next step", "the worked step")


def bars(step: Step) -> dict[str, str]:
    """Return the words around bars that are drawn, with the name of the numbers below them.

    Parameters
    ----------
    step : Step

    Returns
    -------
    dict of str to str
    """
    return BARS | {"score": "score" if step.given.q is None else "scaled score\n"}


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


def mask_form(shape: tuple[int, ...]) -> str:
    """Say how a mask is typed.

    Parameters
    ----------
    shape : tuple of int
        Queries and keys; only keys for a lone query.

    Returns
    -------
    str

    Examples
    --------
    >>> mask_form((3, 2))
    'Asked for are 3 rows of 2, a blank between numbers and a semicolon between rows.'
    """
    rows, columns = shape if len(shape) == 2 else (1, *shape)
    if rows == 1:
        return f"Asked for are {columns} numbers, a blank between them."
    return (
        f"Asked for are {rows} rows of {columns}, a blank between numbers and a semicolon between"
        " rows."
    )


def mask_grid(shape: tuple[int, ...], cells: Sequence[Sequence[int]] | None) -> dict[str, Any]:
    """Return the words of a mask that is clicked, and its cells.

    Parameters
    ----------
    shape : tuple of int
        Queries and keys; only keys for a lone query.
    cells : sequence of sequences of int, or None
        Ones and zeros that were answered; None for nothing, or for what is no mask.

    Returns
    -------
    dict
        For the part ``answer``.
    """
    rows, columns = shape if len(shape) == 2 else (1, *shape)
    return {
        "label": "Mask",
        "rows": [f"query {i + 1}" for i in range(rows)],
        "columns": [f"key {j + 1}" for j in range(columns)],
        "words": ["hidden", "may attend"],
        "cells": cells,
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


def asked_form(step: Step, shape: tuple[int, ...], *, whole: bool = False) -> str:
    """Say in what form the answer is asked for.

    Parameters
    ----------
    step : Step
    shape : tuple of int
        Of the numbers that are asked for.
    whole : bool
        True when they are whole numbers: then decimals would only confuse.

    Returns
    -------
    str

    Examples
    --------
    >>> asked_form(Step("task", "", "", answer="weights", decimals=3), ())
    'To 3 decimals, as a decimal number or a fraction: 0.25, 1/3.'
    >>> asked_form(Step("task", "", "", answer="total", decimals=3), (), whole=True)
    'A decimal number or a fraction: 0.25, 1/3.'
    >>> asked_form(Step("task", "", "", answer="weights", decimals=2), (2, 2))
    '4 numbers to 2 decimals, a blank between them and a semicolon between rows: 1 0; 1/3 0.67.'
    """
    if step.answer == "allowed":
        return MASK
    count = int(np.prod(shape))
    places = {0: "whole numbers", 1: "to 1 decimal"}.get(
        step.decimals, f"to {step.decimals} decimals"
    )
    if not shape:
        if not step.decimals:
            return "A whole number."
        start = "A decimal" if whole else f"{places.capitalize()}, as a decimal"
        return f"{start} number or a fraction: 0.25, 1/3."
    numbers = f"{count} numbers" if whole else f"{count} numbers {places}"
    if len(shape) == 1:
        example = " ".join(_EXAMPLES[:count]) + (" …" if count > len(_EXAMPLES) else "")
        return f"{numbers}, a blank between them, such as {example}."
    return f"{numbers}, a blank between them and a semicolon between rows: 1 0; 1/3 0.67."


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


def hint_button(count: int, total: int) -> str:
    """Return the words on the button that opens the next hint, or closes them all.

    Parameters
    ----------
    count, total : int
        Hints that are open, and all of them.

    Returns
    -------
    str

    Examples
    --------
    >>> hint_button(0, 3), hint_button(2, 3), hint_button(3, 3)
    ('Help: a nudge', 'Help: the worked step', 'Close the help')
    """
    if count >= total:
        return "Close the help"
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
    what = "A prediction" if len(made) == 1 else "Predictions"
    other = f" {what} that came out differently: {_steps(made)}." if made else ""
    code = [
        number
        for number, (step, mark) in enumerate(zip(lesson.steps, standing, strict=True), 1)
        if step.function and mark == "open"
    ]
    if code:
        other += f" Code to write is still there: {_steps(code)}."
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


def strong(ask: str) -> str:
    """Return a question in bold type; one of several paragraphs is left as it is.

    Parameters
    ----------
    ask : str
        Markdown.

    Returns
    -------
    str
    """
    return ask if "\n" in ask else f"**{ask}**"


def edition_of(content: bytes) -> str:
    """Return a short name of the content of a file.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    str
    """
    return f"{zlib.crc32(content):x}-"


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
