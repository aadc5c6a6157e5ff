"""What an edit in one of the page's parts means for the state. Pure functions, no browser.

An edit comes from a browser and is not trusted: whatever doesn't have the form that our scripts
send leaves the state as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attnviz.state.fields import FieldError
from attnviz.state.labels import clean_label
from attnviz.state.numbers import (
    Ambiguous,
    Cell,
    NotNumbers,
    read_matrix,
    read_number,
)
from attnviz.state.softmax import MAX_KEYS, MAX_LABEL, MAX_QUERIES, PICK, Matrix, SoftmaxState
from attnviz.state.temperature import read_temperature


@dataclass(frozen=True)
class CellError:
    """One sentence about one cell, or about the whole text when row and column are None.

    Attributes
    ----------
    say : str
    row, column : int or None
        From 0.
    """

    say: str
    row: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class MatrixProblem:
    """What stands in the editor while it can't be read; nothing typed is lost.

    Attributes
    ----------
    errors : tuple of CellError
    text : str
        What the line of text holds.
    from_line : bool
        True when the line was typed, False when it was a cell.
    choices : tuple of (str, str)
        For a text with two meanings: a sentence, and the text that means it.
    """

    errors: tuple[CellError, ...]
    text: str
    from_line: bool
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TemperatureProblem:
    """What stands in the T or β box while it can't be read.

    Attributes
    ----------
    name : {"T", "beta"}
    text : str
    say : str
    """

    name: str
    text: str
    say: str


@dataclass(frozen=True)
class Edited:
    """What an edit came to.

    Attributes
    ----------
    state : SoftmaxState
        The state after it; the one before it when the edit can't be read.
    problem : object or None
        What is wrong with it, for the part to show; None when it was read.
    reset : bool
        True when the part must take over what the state holds.
    """

    state: SoftmaxState
    problem: Any = None
    reset: bool = False


def line_of(texts: Sequence[Sequence[str]]) -> str:
    """Write cells as one line that `read_matrix` reads back without a question.

    Parameters
    ----------
    texts : sequence of sequences of str

    Returns
    -------
    str

    Examples
    --------
    >>> line_of([["2", "1"]]), line_of([["2", "1"], ["0", "3"]]), line_of([["2"], ["1"]])
    ('2, 1', '2 1; 0 3', '[2; 1]')
    """
    if len(texts) == 1:
        return ", ".join(texts[0])
    if len(texts[0]) == 1:
        return f"[{'; '.join(row[0] for row in texts)}]"  # without brackets it would be one row
    return "; ".join(" ".join(row) for row in texts)


def edit_matrix(state: SoftmaxState, edit: Mapping[str, Any]) -> Edited:
    """Apply an edit of the matrix editor.

    Parameters
    ----------
    state : SoftmaxState
    edit : mapping
        ``cells`` (rows of texts), ``labels``, ``hide``, and one of ``text`` (the line was
        typed), ``paste`` with ``at`` (a block was pasted into a cell), ``row`` (a query was
        chosen).

    Returns
    -------
    Edited
    """
    texts, labels = _rows(edit.get("cells")), _labels(edit.get("labels"))
    hide = _positions(edit.get("hide", list(state.hide)))
    if texts is None or labels is None or hide is None or len(labels) != len(texts[0]):
        return Edited(state, reset=True)
    if isinstance(edit.get("text"), str):
        return _read_line(state, edit["text"])
    if isinstance(edit.get("paste"), str):
        pasted = _paste(texts, labels, edit["paste"], edit.get("at"))
        if isinstance(pasted, MatrixProblem):
            return Edited(state, pasted)
        texts, labels = pasted
    cells, errors = _read_cells(texts)
    if errors:
        # A pasted block stands in no cell of the browser yet: the line keeps it.
        return Edited(state, MatrixProblem(errors, line_of(texts), from_line="paste" in edit))
    default = tuple(f"k{i + 1}" for i in range(len(labels)))
    changes: dict[str, Any] = {
        "labels": () if labels == default else labels,
        "hide": tuple(position for position in hide if position < len(labels)),
    }
    if _is_position(edit.get("row")) and edit["row"] < len(cells):
        changes["row"] = edit["row"]
    try:
        return Edited(state.with_scores(cells, **changes), reset="paste" in edit)
    except FieldError:
        return Edited(state, reset=True)


def _read_line(state: SoftmaxState, text: str) -> Edited:
    try:
        reading = read_matrix(text, max_rows=MAX_QUERIES, max_columns=MAX_KEYS)
    except NotNumbers as error:
        return Edited(state, MatrixProblem((CellError(_sentence(error)),), text, from_line=True))
    if isinstance(reading, Ambiguous):
        choices = tuple((say, line_of(way.texts)) for say, way in reading.alternatives)
        question = CellError("This can be read in two ways. Which one is meant?")
        return Edited(state, MatrixProblem((question,), text, from_line=True, choices=choices))
    labels = reading.column_labels
    changes = {} if labels is None else {"labels": tuple(x[:MAX_LABEL] for x in labels)}
    return Edited(state.with_scores(reading.cells, **changes), reset=True)


def _paste(
    texts: tuple[tuple[str, ...], ...], labels: tuple[str, ...], text: str, at: Any
) -> MatrixProblem | tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Put a pasted block into the cells, from one cell to the right and down; grow as needed."""
    if not (isinstance(at, list) and len(at) == 2 and all(_is_position(p) for p in at)):
        at = [0, 0]
    row, column = min(at[0], MAX_QUERIES - 1), min(at[1], MAX_KEYS - 1)
    rest = MAX_QUERIES - row, MAX_KEYS - column
    try:
        reading = read_matrix(text, max_rows=rest[0], max_columns=rest[1])
    except NotNumbers as error:
        return MatrixProblem((CellError(_sentence(error)),), text, from_line=True)
    if isinstance(reading, Ambiguous):
        choices = tuple((say, line_of(way.texts)) for say, way in reading.alternatives)
        question = CellError("The pasted text can be read in two ways. Which one is meant?")
        return MatrixProblem((question,), text, from_line=True, choices=choices)
    block = reading.texts
    height = max(len(texts), row + len(block))
    width = max(len(labels), column + len(block[0]))
    grown = [
        [texts[i][j] if i < len(texts) and j < len(labels) else "0" for j in range(width)]
        for i in range(height)
    ]
    for i, line in enumerate(block):
        grown[row + i][column : column + len(line)] = line
    names = list(labels) + [f"k{j + 1}" for j in range(len(labels), width)]
    if reading.column_labels is not None:
        names[column : column + len(block[0])] = [x[:MAX_LABEL] for x in reading.column_labels]
    return tuple(tuple(line) for line in grown), tuple(names)


def _read_cells(
    texts: tuple[tuple[str, ...], ...],
) -> tuple[Matrix, tuple[CellError, ...]]:
    cells: list[list[Cell]] = []
    errors: list[CellError] = []
    for i, row in enumerate(texts):
        cells.append([])
        for j, text in enumerate(row):
            try:
                cells[-1].append(read_number(text))
            except NotNumbers as error:
                place = f"Key {j + 1}" if len(texts) == 1 else f"Query {i + 1}, key {j + 1}"
                errors.append(CellError(f"{place}: {error}.", i, j))
    return tuple(tuple(row) for row in cells), tuple(errors)


def edit_temperature(state: SoftmaxState, edit: Mapping[str, Any]) -> Edited:
    """Apply an edit of the temperature.

    Parameters
    ----------
    state : SoftmaxState
    edit : mapping
        ``name`` (T or beta) and ``text``.

    Returns
    -------
    Edited
    """
    name, text = edit.get("name"), edit.get("text")
    if name not in ("T", "beta") or not isinstance(text, str):
        return Edited(state, reset=True)
    try:
        return Edited(replace(state, temperature=read_temperature(name, text)))
    except ValueError as error:
        return Edited(state, TemperatureProblem(name, text[:200], _sentence(error)))


def edit_pick(state: SoftmaxState, edit: Mapping[str, Any]) -> Edited:
    """Apply the choice of a number in the table.

    Parameters
    ----------
    state : SoftmaxState
    edit : mapping
        ``pick``: a column and a position, or empty.

    Returns
    -------
    Edited
    """
    pick = edit.get("pick")
    try:
        return Edited(
            replace(state, pick=PICK.reads["pick"](pick if isinstance(pick, str) else ""))
        )
    except ValueError:
        return Edited(state, reset=True)


def _sentence(error: ValueError) -> str:
    words = str(error)
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!", ")")) else ".")


def _rows(value: Any) -> tuple[tuple[str, ...], ...] | None:
    """Return rows of texts of one length within the limits, or None."""
    if not isinstance(value, list) or not 0 < len(value) <= MAX_QUERIES:
        return None
    rows = [row for row in value if isinstance(row, list) and all(isinstance(c, str) for c in row)]
    lengths = {len(row) for row in rows}
    if len(rows) != len(value) or len(lengths) != 1 or not 0 < lengths.pop() <= MAX_KEYS:
        return None
    return tuple(tuple(row) for row in rows)


def _labels(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(label, str) for label in value):
        return None
    return tuple(clean_label(label)[:MAX_LABEL] for label in value)


def _positions(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list) or not all(_is_position(p) for p in value):
        return None
    return tuple(sorted(set(value)))


def _is_position(value: Any) -> bool:
    """Whether it is a whole number from 0; True, which Python takes for 1, is none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def shape_words(state: SoftmaxState) -> str:
    """Say the shape of the scores, such as ``1 query × 3 keys``.

    Parameters
    ----------
    state : SoftmaxState

    Returns
    -------
    str

    Examples
    --------
    >>> shape_words(SoftmaxState())
    '1 query × 3 keys'
    """
    queries = "1 query" if state.n_queries == 1 else f"{state.n_queries} queries"
    return f"{queries} × {'1 key' if state.n_keys == 1 else f'{state.n_keys} keys'}"
