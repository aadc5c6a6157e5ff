"""What the editors of the softmax page are given to draw: a state, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnviz.content.shown import shown
from attnviz.state.edits import MatrixProblem, TemperatureProblem, line_of, shape_words
from attnviz.state.softmax import MAX_KEYS
from attnviz.state.temperature import MARKS, SLIDER_HIGH, SLIDER_LOW, Temperature
from attnviz.ui.form import Form

_CHIPS = [
    ["0.7", "T", "0.7", "A usual temperature when a model picks the next word"],
    ["1", "T", "1", "The scores as they are"],
    ["1.5", "T", "1.5", "A usual temperature for bolder text"],
    ["T → 0", "beta", "inf", "The limit: the largest scores share all the weight"],
    ["T → ∞", "beta", "0", "The limit: every allowed key gets the same weight"],
]


def scores_editor(
    form: Form[Any],
    colors: Sequence[str],
    *,
    compact: bool = False,
    cell: str = "score",
    column: str = "key",
) -> None:
    """Show the cells of the scores and the line of text, which are one state.

    Parameters
    ----------
    form : Form
    colors : sequence of str
        One for each key, repeated when there are more keys.
    compact : bool
        Only the cells of one query, without the line of text.
    cell : str
        What one number is called.
    column : str
        What has a number.
    """
    state = form.state
    problem: MatrixProblem | None = form.problem("matrix")
    texts = [[cell.text for cell in row] for row in state.scores]
    data: dict[str, Any] = {
        "name": f"{cell.capitalize()}s: one column for each {column}",
        "cellName": cell,
        "rowName": "query",
        "columnName": column,
        "corner": column,
        "lineName": "The same as text: type or paste, Enter reads it",
        "labels": list(state.key_labels),
        "cells": texts,
        "hide": list(state.hide),
        "row": state.row,
        "colors": list(colors),
        "compact": compact,
        "maxRows": state.max_queries,
        "maxColumns": MAX_KEYS,
        "text": line_of(texts),
        "read": f"Read as {shape_words(state, column)}.",
    }
    if problem is not None:
        back = ("Go back to the last scores", line_of(texts))
        data |= {
            "cells": problem.cells or texts,
            "labels": list(problem.labels or state.key_labels),
            "text": problem.text,
            "read": "",
            "fromLine": problem.from_line,
            "errors": [{"say": e.say, "row": e.row, "column": e.column} for e in problem.errors],
            "choices": [{"say": say, "text": text} for say, text in (*problem.choices, back)],
        }
    form.editor("matrix", data)


def temperature_editor(form: Form[Any]) -> None:
    """Show the T box, the β box, the slider with its marks, and the two limits.

    Parameters
    ----------
    form : Form
    """
    temperature = form.state.temperature
    problem: TemperatureProblem | None = form.problem("temperature")
    data: dict[str, Any] = {
        "T": box_text(temperature, "T"),
        "beta": box_text(temperature, "beta"),
        "name": temperature.name,
        "position": temperature.position,
        "low": Temperature("T", str(SLIDER_LOW)).position,
        "high": Temperature("T", str(SLIDER_HIGH)).position,
        "marks": list(MARKS),
        "ends": ["0.01", "0.1", "1", "10", "100"],
        "chips": _CHIPS,
        "note": limit_words(temperature),
    }
    if problem is not None:
        data |= {problem.name: problem.text, "name": problem.name, "error": problem.say, "note": ""}
    form.editor("temperature", data)


def box_text(temperature: Temperature, name: str) -> str:
    """Return what stands in the T or the β box: as typed, or the inverse of what was typed.

    Parameters
    ----------
    temperature : Temperature
    name : {"T", "beta"}

    Returns
    -------
    str
    """
    if temperature.name == name and temperature.text != "inf":
        return temperature.text
    return shown(temperature.T if name == "T" else temperature.beta)


def limit_words(temperature: Temperature) -> str:
    """Say what a limit means, or that the slider rests at its end.

    Parameters
    ----------
    temperature : Temperature

    Returns
    -------
    str
        Empty for an ordinary temperature.
    """
    value = temperature.T
    if value == 0:
        return "The limit T → 0: the largest scores share all the weight."
    if temperature.beta == 0:
        return "The limit T → ∞: every allowed key gets the same weight."
    if not SLIDER_LOW <= value <= SLIDER_HIGH:
        return f"T = {shown(value)} lies beyond the slider, which rests at its end."
    return ""
