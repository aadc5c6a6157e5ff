"""What an edit in one of the page's parts means for the state. Pure functions, no browser.

An edit comes from a browser and is not trusted: whatever doesn't have the form that our scripts
send leaves the state as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attnviz.state.fields import FieldError
from attnviz.state.labels import MAX_LABEL, clean_label
from attnviz.state.numbers import (
    Ambiguous,
    Cell,
    NotNumbers,
    Reading,
    read_matrix,
    read_number,
)
from attnviz.state.softmax import MAX_KEYS, MAX_QUERIES, PICK, Matrix, SoftmaxState
from attnviz.state.temperature import read_temperature

Texts = tuple[tuple[str, ...], ...]


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
    fixes : tuple of (str, str)
        The same, for texts that other matrices are made to fit.
    cells : tuple of tuple of str
        What stands in the cells, when it is a cell that can't be read; else empty.
    labels : tuple of str
        What stands in the labels beside them.
    """

    errors: tuple[CellError, ...]
    text: str
    from_line: bool
    choices: tuple[tuple[str, str], ...] = ()
    fixes: tuple[tuple[str, str], ...] = ()
    cells: Texts = ()
    labels: tuple[str, ...] = ()


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
    state : state of a page
        The state after it; the one before it when the edit can't be read.
    problem : object or None
        What is wrong with it, for the part to show; None when it was read.
    reset : bool
        True when the part must take over what the state holds.
    """

    state: Any
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
    texts, labels = text_rows(edit.get("cells")), clean_labels(edit.get("labels"))
    hide = _positions(edit.get("hide", list(state.hide)))
    if texts is None or labels is None or hide is None or len(labels) != len(texts[0]):
        return Edited(state, reset=True)
    if isinstance(edit.get("text"), str):
        return _read_line(state, edit["text"])
    if isinstance(edit.get("paste"), str):
        limits = state.max_queries, MAX_KEYS
        pasted = _paste(texts, labels, edit["paste"], edit.get("at"), limits)
        if isinstance(pasted, MatrixProblem):
            return Edited(state, pasted)
        texts, labels = pasted
    many = len(texts) > 1
    cells, errors = read_texts(
        texts, lambda i, j: f"Query {i + 1}, key {j + 1}" if many else f"Key {j + 1}"
    )
    if errors:
        # A pasted block stands in no cell of the browser yet: the line keeps it.
        typed = {} if "paste" in edit else {"cells": texts, "labels": labels}
        return Edited(state, MatrixProblem(errors, line_of(texts), not typed, **typed))
    default = tuple(f"k{i + 1}" for i in range(len(labels)))
    changes: dict[str, Any] = {
        "labels": () if labels == default else labels,
        "hide": tuple(position for position in hide if position < len(labels)),
    }
    changes |= _without(state, removed_of(edit.get("removed"), state.scores, texts))
    if is_position(edit.get("row")) and edit["row"] < len(cells) > 1:
        changes["row"] = edit["row"]
    try:
        return Edited(state.with_scores(cells, **changes), reset="paste" in edit)
    except FieldError:
        return Edited(state, reset=True)


def _without(state: SoftmaxState, removed: tuple[str, int] | None) -> dict[str, Any]:
    """Let what names a key or a query go on naming the same one after another was removed."""
    if removed is None:
        return {}
    what, at = removed
    if what == "row":
        return {"row": state.row - (state.row > at)}
    changes: dict[str, Any] = {}
    if not isinstance(state, SoftmaxState):
        return changes
    column, _, position = state.pick.partition(":")
    if state.pick:
        picked = int(position)
        changes["pick"] = "" if picked == at else f"{column}:{picked - (picked > at)}"
    if state.pair:
        kept = tuple(p - (p > at) for p in state.pair if p != at)
        changes["pair"] = kept if len(kept) == len(state.pair) else ()
    return changes


def removed_of(value: Any, before: Matrix, texts: Texts) -> tuple[str, int] | None:
    """Return which row or column went, if a browser says so and the cells agree.

    Parameters
    ----------
    value : object
        What a browser sent.
    before : tuple of tuple of Cell
        The matrix before.
    texts : tuple of tuple of str
        The cells after.

    Returns
    -------
    (str, int) or None
        ``"row"`` or ``"column"``, and its position before.
    """
    if not (isinstance(value, list) and len(value) == 2 and is_position(value[1])):
        return None
    counts = {"row": (len(before), len(texts)), "column": (len(before[0]), len(texts[0]))}
    if not isinstance(value[0], str) or value[0] not in counts:
        return None
    was, now = counts[value[0]]
    return (value[0], value[1]) if now == was - 1 and value[1] < was else None


def read_block(
    text: str, max_rows: int, max_columns: int, *, column: bool = False
) -> Reading | MatrixProblem:
    """Read a typed or pasted text, or say what is wrong with it or what must be asked.

    Parameters
    ----------
    text : str
    max_rows, max_columns : int
    column : bool
        True where lines of one value each are a column.

    Returns
    -------
    Reading or MatrixProblem
    """
    try:
        reading = read_matrix(text, column=column, max_rows=max_rows, max_columns=max_columns)
    except NotNumbers as error:
        return MatrixProblem((CellError(sentence(error)),), text, from_line=True)
    if isinstance(reading, Ambiguous):
        choices = tuple((say, line_of(way.texts)) for say, way in reading.alternatives)
        question = CellError("This can be read in two ways. Which one is meant?")
        return MatrixProblem((question,), text, from_line=True, choices=choices)
    return reading


def _read_line(state: SoftmaxState, text: str) -> Edited:
    reading = read_block(text, state.max_queries, MAX_KEYS)
    if isinstance(reading, MatrixProblem):
        return Edited(state, reading)
    labels = reading.column_labels
    changes = {} if labels is None else {"labels": tuple(x[:MAX_LABEL] for x in labels)}
    return Edited(state.with_scores(reading.cells, **changes), reset=True)


def _paste(
    texts: Texts, labels: tuple[str, ...], text: str, at: Any, limits: tuple[int, int]
) -> MatrixProblem | tuple[Texts, tuple[str, ...]]:
    """Put a pasted block into the cells; new keys get a label, or the one that was pasted."""
    placed = place_block(texts, text, at, limits)
    if isinstance(placed, MatrixProblem):
        return placed
    grown, reading, (_, column) = placed
    names = list(labels) + [f"k{j + 1}" for j in range(len(labels), len(grown[0]))]
    if reading.column_labels is not None:
        pasted = [label[:MAX_LABEL] for label in reading.column_labels]
        names[column : column + len(pasted)] = pasted
    return grown, tuple(names)


def place_block(
    texts: Texts, text: str, at: Any, limits: tuple[int, int], *, column: bool = False
) -> MatrixProblem | tuple[Texts, Reading, tuple[int, int]]:
    """Put a pasted block into cells, from one cell to the right and down; grow as needed.

    Parameters
    ----------
    texts : tuple of tuple of str
        The cells before.
    text : str
        What was pasted.
    at : object
        Row and column of the first cell, as a browser sent it.
    limits : (int, int)
        Most rows and columns.
    column : bool
        True where lines of one value each are a column.

    Returns
    -------
    MatrixProblem, or (tuple of tuple of str, Reading, (int, int))
        The cells after, what was read, and the row and column where it begins.
    """
    if not (isinstance(at, list) and len(at) == 2 and all(is_position(p) for p in at)):
        at = [0, 0]
    row, first = min(at[0], limits[0] - 1), min(at[1], limits[1] - 1)
    reading = read_block(text, limits[0] - row, limits[1] - first, column=column)
    if isinstance(reading, MatrixProblem):
        return reading
    block = reading.texts
    height, width = max(len(texts), row + len(block)), max(len(texts[0]), first + len(block[0]))
    grown = [list(line) for line in resized(texts, height, width)]
    for i, line in enumerate(block):
        grown[row + i][first : first + len(line)] = line
    return tuple(tuple(line) for line in grown), reading, (row, first)


def resized(texts: Sequence[Sequence[str]], rows: int, columns: int) -> Texts:
    """Return cells in another shape: zeros where there was none, without what is too much.

    Parameters
    ----------
    texts : sequence of sequences of str
    rows, columns : int

    Returns
    -------
    tuple of tuple of str

    Examples
    --------
    >>> resized([["1", "2"]], 2, 1)
    (('1',), ('0',))
    """
    height, width = len(texts), len(texts[0])
    return tuple(
        tuple(texts[i][j] if i < height and j < width else "0" for j in range(columns))
        for i in range(rows)
    )


def read_texts(
    texts: Texts, place: Callable[[int, int], str]
) -> tuple[Matrix, tuple[CellError, ...]]:
    """Read every cell by itself.

    Parameters
    ----------
    texts : tuple of tuple of str
    place : callable
        Row and column, from 0, to the words that name the cell.

    Returns
    -------
    (tuple of tuple of Cell, tuple of CellError)
        The cells that were read, and a sentence for each that wasn't.
    """
    cells: list[list[Cell]] = []
    errors: list[CellError] = []
    for i, row in enumerate(texts):
        cells.append([])
        for j, text in enumerate(row):
            try:
                cells[-1].append(read_number(text))
            except NotNumbers as error:
                errors.append(CellError(f"{place(i, j)}: {error}.", i, j))
    return tuple(tuple(row) for row in cells), tuple(errors)


def edit_temperature(state: Any, edit: Mapping[str, Any]) -> Edited:
    """Apply an edit of the temperature.

    Parameters
    ----------
    state : state of a page
        With an attribute ``temperature``.
    edit : mapping
        ``name`` (T or beta) and ``text``.

    Returns
    -------
    Edited
    """
    name, text = edit.get("name"), edit.get("text")
    if name not in ("T", "beta") or not isinstance(text, str):
        return Edited(state, reset=True)
    if not text.strip():
        return Edited(state, reset=True)  # an emptied box gets the last good text back
    try:
        return Edited(replace(state, temperature=read_temperature(name, text)))
    except ValueError as error:
        return Edited(state, TemperatureProblem(name, text[:200], sentence(error)))


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


def sentence(error: ValueError) -> str:
    """Write an error as a sentence of its own.

    Parameters
    ----------
    error : ValueError

    Returns
    -------
    str
    """
    words = str(error)
    first = words[:1].upper() if words[:1].isascii() else words[:1]  # β stays β
    return first + words[1:] + ("" if words.endswith((".", "?", "!", ")")) else ".")


def text_rows(value: Any) -> Texts | None:
    """Return rows of texts of one length within the limits, or None.

    Parameters
    ----------
    value : object
        What a browser sent.

    Returns
    -------
    tuple of tuple of str, or None
    """
    if not isinstance(value, list) or not 0 < len(value) <= MAX_QUERIES:
        return None
    rows = [row for row in value if isinstance(row, list) and all(isinstance(c, str) for c in row)]
    lengths = {len(row) for row in rows}
    if len(rows) != len(value) or len(lengths) != 1 or not 0 < lengths.pop() <= MAX_KEYS:
        return None
    return tuple(tuple(row) for row in rows)


def clean_labels(value: Any) -> tuple[str, ...] | None:
    """Return labels without what can't be shown, cut to their limit, or None.

    Parameters
    ----------
    value : object
        What a browser sent.

    Returns
    -------
    tuple of str, or None
    """
    if not isinstance(value, list) or not all(isinstance(label, str) for label in value):
        return None
    return tuple(clean_label(label)[:MAX_LABEL] for label in value)


def _positions(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list) or not all(is_position(p) for p in value):
        return None
    return tuple(sorted(set(value)))


def is_position(value: Any) -> bool:
    """Whether it is a whole number from 0; True, which Python takes for 1, is none.

    Parameters
    ----------
    value : object

    Returns
    -------
    bool
    """
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def shape_words(state: Any, column: str = "key") -> str:
    """Say the shape of the scores, such as ``1 query × 3 keys``.

    Parameters
    ----------
    state : state of a page with scores
    column : str
        What has a number.

    Returns
    -------
    str

    Examples
    --------
    >>> shape_words(SoftmaxState())
    '1 query × 3 keys'
    """
    keys = f"1 {column}" if state.n_keys == 1 else f"{state.n_keys} {column}s"
    if state.max_queries == 1:
        return keys
    queries = "1 query" if state.n_queries == 1 else f"{state.n_queries} queries"
    return f"{queries} × {keys}"
