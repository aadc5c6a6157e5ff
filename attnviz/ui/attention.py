"""What the editors of the attention page are given to draw: a state, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attnviz.state.attention import MAX_TOKENS, MAX_WIDTH, AttentionState, shape_of
from attnviz.state.edits import MatrixProblem, line_of
from attnviz.ui.form import Form

_ROWS = {"q": ("query", "q"), "k": ("key", "k"), "v": ("key", "k")}
_TITLES = {"q": "Queries Q", "k": "Keys K", "v": "Values V"}


def matrix_editor(form: Form[AttentionState], name: str, *, compact: bool = False) -> None:
    """Show the cells of Q, K or V and the same numbers as one text.

    Parameters
    ----------
    form : Form
    name : {"q", "k", "v"}
    compact : bool
        Only the cells, without the line of text.
    """
    state = form.state
    problem: MatrixProblem | None = form.problem(name)
    cells = getattr(state, name)
    texts = [[cell.text for cell in row] for row in cells]
    row_name, letter = _ROWS[name]
    labels = state.query_labels if name == "q" else state.key_labels
    data: dict[str, Any] = {
        "name": f"{_TITLES[name]}, {shape_of(cells)}",
        "corner": f"{_TITLES[name]}",
        "cellName": name.upper(),
        "rowName": row_name,
        "rowLetter": letter,
        "columnName": "column",
        "lineName": f"{name.upper()} as text, Enter reads it",
        "fixed": True,
        "rowLabels": list(labels),
        "namesFixed": name == "v",
        "cells": texts,
        "maxRows": MAX_TOKENS,
        "maxColumns": MAX_WIDTH,
        "compact": compact,
        "mark": state.row if name == "q" else state.cell and state.cell[1],
        "folded": state.is_easy,
        "text": line_of(texts),
        "read": f"{name.upper()} is {shape_of(cells)}.",
    }
    if problem is not None:
        back = ("Go back to the last numbers", line_of(texts))
        choices = [{"say": say, "text": text, "fix": True} for say, text in problem.fixes]
        choices += [{"say": say, "text": text} for say, text in (*problem.choices, back)]
        data |= {
            "cells": problem.cells or texts,
            "rowLabels": list(problem.labels or labels),
            "text": problem.text,
            "read": "",
            "fromLine": problem.from_line,
            "errors": [{"say": e.say, "row": e.row, "column": e.column} for e in problem.errors],
            "choices": choices,
        }
    data["labels"] = [str(j + 1) for j in range(len(data["cells"][0]))]
    form.editor(name, data, part="matrix")


def stage_maps(
    form: Form[AttentionState],
    name: str,
    stages: Sequence[Mapping[str, Any]],
    scales: Mapping[str, Sequence[tuple[float, str]]],
) -> None:
    """Draw stages as grids of coloured cells with one selection through all of them.

    Parameters
    ----------
    form : Form
    name : str
        One of the form's parts.
    stages : sequence of mapping
        From `attnviz.content.attention_stages`.
    scales : mapping of str to stops
        The colour scales ``weights`` and ``signed``.
    """
    state = form.state
    data = {
        "stages": list(stages),
        "query": state.row,
        "cell": list(state.cell) if state.cell else None,
        "flip": state.orient == "columns",
        "scales": dict(scales),
    }
    form.editor(name, data, part="pipeline")
