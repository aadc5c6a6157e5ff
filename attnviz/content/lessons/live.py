"""Live numbers in the sentences of a lesson."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from attnviz.content.lessons import GivenTexts, Step
from attnviz.content.shown import shown

_LIVE = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*(?::\s*(\d))?\s*\}\}")
_TYPED = {"scores", "q", "k", "v"}


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
    return [step.title, step.say, step.ask, step.well, *step.hints, *replies]


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
