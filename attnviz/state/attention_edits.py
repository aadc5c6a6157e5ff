"""What an edit on the attention page means for the state. Pure functions, no browser.

Q, K and V hang together: Q and K have one width, K and V one height. A row or column that is
added or removed in one of them comes or goes in the other as well. A block of another shape that
is pasted is a question: the page says both shapes and offers to make them fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from attnviz.core.heads import combined_mask
from attnviz.state.attention import (
    MAX_TOKENS,
    MAX_WIDTH,
    AttentionState,
    shape_error,
)
from attnviz.state.edits import (
    CellError,
    Edited,
    MatrixProblem,
    Texts,
    clean_labels,
    is_position,
    line_of,
    place_block,
    read_block,
    read_texts,
    removed_of,
    resized,
    text_rows,
)
from attnviz.state.fields import FieldError
from attnviz.state.matrix import Matrix
from attnviz.state.numbers import Reading, read_number

NAMES = ("q", "k", "v")
_ZERO = read_number("0")
_LETTERS = {"q": "q", "k": "k", "v": "k"}


def edit_matrix(name: str) -> Callable[[AttentionState, Mapping[str, Any]], Edited]:
    """Make the function that applies an edit of one of the matrices.

    Parameters
    ----------
    name : {"q", "k", "v"}

    Returns
    -------
    callable
        (state, edit) to `Edited`. The edit has ``cells`` (rows of texts), ``names`` (labels of
        the rows) and at most one of ``text`` with ``fix``, ``paste`` with ``at``, ``removed``.
        Or it has ``again`` and ``before``: what could not be read, and the state before another
        matrix was changed.
    """

    def edit(state: AttentionState, sent: Mapping[str, Any]) -> Edited:
        if isinstance(sent.get("again"), MatrixProblem):
            return _again(state, name, sent["again"], sent["before"])
        texts = text_rows(sent.get("cells"))
        names = clean_labels(sent.get("names"))
        if texts is None or names is None or len(names) != len(texts):
            return Edited(state, reset=True)
        if isinstance(sent.get("text"), str):
            reading = read_block(sent["text"], MAX_TOKENS, MAX_WIDTH, column=True)
            if isinstance(reading, MatrixProblem):
                return Edited(state, reading)
            labels, fix = reading.row_labels, sent.get("fix") is True
            return _take(state, name, reading.texts, labels, fix=fix, whole=True)
        if isinstance(sent.get("paste"), str):
            limits = MAX_TOKENS, MAX_WIDTH
            placed = place_block(texts, sent["paste"], sent.get("at"), limits, column=True)
            if isinstance(placed, MatrixProblem):
                return Edited(state, placed)
            grown, reading, (row, _) = placed
            return _take(
                state,
                name,
                grown,
                _renamed(name, names, row, reading, grown),
                fix=False,
                whole=True,
            )
        removed = removed_of(sent.get("removed"), getattr(state, name), texts)
        return _take(state, name, texts, names, fix=True, removed=removed)

    return edit


def _again(
    state: AttentionState, name: str, problem: MatrixProblem, before: AttentionState
) -> Edited:
    """Read cells once more; they grow or shrink as their matrix did, and keep what was typed."""
    was, now = getattr(before, name), getattr(state, name)
    rows = max(1, len(problem.cells) + len(now) - len(was))
    columns = max(1, len(problem.cells[0]) + len(now[0]) - len(was[0]))
    texts = resized(problem.cells, rows, columns)
    errors = read_texts(texts, _place(name))[1]
    labels = state.query_labels if name == "q" else state.key_labels
    fresh = [f"{_LETTERS[name]}{i + 1}" for i in range(rows)]
    names = (*(problem.labels if len(problem.labels) == rows else labels), *fresh[len(labels) :])
    if errors:
        typed = {"cells": texts, "labels": names[:rows]}
        return Edited(state, MatrixProblem(errors, line_of(texts), from_line=False, **typed))
    return _take(state, name, texts, names[:rows], fix=True)


def _renamed(
    name: str, names: tuple[str, ...], row: int, reading: Reading, grown: Texts
) -> tuple[str, ...] | None:
    """Return the labels after a block was pasted; None where it has none."""
    pasted = reading.row_labels
    if pasted is None:
        return None
    fresh = [f"{_LETTERS[name]}{i + 1}" for i in range(len(grown))]
    labels = [*names, *fresh[len(names) :]]
    labels[row : row + len(pasted)] = pasted
    return tuple(labels)


def _text_of(texts: Sequence[Sequence[str]], names: tuple[str, ...] | None) -> str:
    """Write cells with their labels, as a spreadsheet copies them, where that is read back so."""
    if names is not None and 1 < len(texts) <= len(names):
        lines = ["\t".join([label, *row]) for label, row in zip(names, texts, strict=False)]
        back = read_block("\n".join(lines), MAX_TOKENS, MAX_WIDTH, column=True)
        if not isinstance(back, MatrixProblem) and back.row_labels == names[: len(texts)]:
            return "\n".join(lines)
    return line_of(texts)


def _place(name: str) -> Callable[[int, int], str]:
    """Return how a cell of a matrix is named in a sentence."""
    return lambda i, j: f"{name.upper()}, row {i + 1}, column {j + 1}"


def _take(
    state: AttentionState,
    name: str,
    texts: Texts,
    names: tuple[str, ...] | None,
    *,
    fix: bool,
    removed: tuple[str, int] | None = None,
    whole: bool = False,
) -> Edited:
    """Take over the cells of one matrix and make the others fit, or say why they don't.

    Of a text or a block, which is taken over as a whole, the labels may be unknown.
    """
    place = _place(name)
    cells, errors = read_texts(texts, place)
    if not errors:
        errors = tuple(
            CellError(f"{place(i, j)}: −∞ has no place here.", i, j)
            for i, row in enumerate(cells)
            for j, cell in enumerate(row)
            if cell.text == "-inf"
        )
    if errors:
        typed = {} if whole else {"cells": texts, "labels": names}
        return Edited(state, MatrixProblem(errors, line_of(texts), whole, **typed))
    matrices = {n: getattr(state, n) for n in NAMES} | {name: cells}
    if fix:
        matrices = _fitted(matrices, name, removed)
    wrong = shape_error(*(matrices[n] for n in NAMES))
    if wrong:
        say = f"The shapes do not fit: {wrong[1]}."
        problem = MatrixProblem((CellError(say),), _text_of(texts, names), from_line=True)
        return Edited(state, replace(problem, **_ways_out(state, name, cells, names)))
    changes: dict[str, Any] = {}
    if names is not None:
        changes = _labelled(state, name, names, _index(removed, "row"), whole=whole)
    if removed and removed[0] == "row":
        changes |= _without(state, name, removed[1])
    try:
        changed = state.with_matrices(*(matrices[n] for n in NAMES), **changes)
    except FieldError:
        return Edited(state, reset=True)
    others = any(matrices[n] != getattr(state, n) for n in NAMES if n != name)
    return Edited(changed, reset=whole or others or "keys" in changes or "tokens" in changes)


def _fitted(
    matrices: Mapping[str, Matrix], name: str, removed: tuple[str, int] | None
) -> dict[str, Matrix]:
    """Make the other matrices fit the one that was edited."""
    fitted = dict(matrices)
    cells = matrices[name]
    other = {"q": "k", "k": "q"}.get(name)
    if other:
        fitted[other] = _width(fitted[other], len(cells[0]), _index(removed, "column"))
    if name in ("k", "v"):
        partner = "v" if name == "k" else "k"
        fitted[partner] = _height(fitted[partner], len(cells), _index(removed, "row"))
    return fitted


def _index(removed: tuple[str, int] | None, what: str) -> int | None:
    return removed[1] if removed and removed[0] == what else None


def _width(cells: Matrix, width: int, removed: int | None) -> Matrix:
    if removed is not None and removed < len(cells[0]) and len(cells[0]) > width:
        cells = tuple(row[:removed] + row[removed + 1 :] for row in cells)
    return tuple((row + (_ZERO,) * (width - len(row)))[:width] for row in cells)


def _height(cells: Matrix, height: int, removed: int | None) -> Matrix:
    if removed is not None and removed < len(cells) and len(cells) > height:
        cells = cells[:removed] + cells[removed + 1 :]
    blank = (_ZERO,) * len(cells[0])
    return (cells + (blank,) * (height - len(cells)))[:height]


def _ways_out(
    state: AttentionState, name: str, cells: Matrix, names: tuple[str, ...] | None
) -> dict[str, Any]:
    """Offer to make the others fit what was read, or it fit the others."""
    texts = [[cell.text for cell in row] for row in cells]
    rows = len(cells) if name == "q" else (state.n_k)
    columns = len(cells[0]) if name == "v" else state.d_k
    kept = _height(_width(cells, columns, None), rows, None)
    here = [[cell.text for cell in row] for row in kept]
    others = {"q": "K", "k": "Q and V", "v": "K"}[name]
    return {
        "fixes": (
            (f"Make {others} fit: add zeros, or drop what is too much", _text_of(texts, names)),
        ),
        "choices": (
            (f"Make {name.upper()} {len(kept)} × {len(kept[0])} instead", _text_of(here, names)),
        ),
    }


def _labelled(
    state: AttentionState,
    name: str,
    names: tuple[str, ...],
    removed: int | None,
    *,
    whole: bool,
) -> dict[str, Any]:
    """Return the labels that an edit sets, and only those that differ.

    Default labels are counted anew when a row goes: without q1, q2 becomes q1, so that the next
    new one isn't a second q2.
    """
    field, letter = ("tokens", "q") if name == "q" else ("keys", "k")
    shown = state.query_labels if name == "q" else state.key_labels
    kept = shown if removed is None else shown[:removed] + shown[removed + 1 :]
    default = tuple(f"{letter}{i + 1}" for i in range(max(len(names), len(shown))))
    if name == "v" and not whole:  # its labels are those of the keys and can't be typed there
        names = (kept + default[len(kept) :])[: len(names)]
    if names == shown:
        return {}
    plain = names == default[: len(names)] or (names == kept and shown == default[: len(shown)])
    return {field: () if plain else names}


def _without(state: AttentionState, name: str, at: int) -> dict[str, Any]:
    """Take a removed query or key out of the single cells of the mask and out of what is chosen."""
    axis = 0 if name == "q" else 1

    def moved(pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        kept = [list(pair) for pair in pairs if pair[axis] != at]
        for pair in kept:
            pair[axis] -= pair[axis] > at
        return tuple((pair[0], pair[1]) for pair in kept)

    changes: dict[str, Any] = {"hide": moved(state.hide), "show": moved(state.show), "cell": None}
    if name == "q" and state.row is not None and state.row > at:
        changes["row"] = state.row - 1
    return changes


def edit_stage(state: AttentionState, edit: Mapping[str, Any]) -> Edited:
    """Apply a choice or a toggle in the stages.

    Parameters
    ----------
    state : AttentionState
    edit : mapping
        ``toggle`` (query, key), or ``stage`` with ``at`` (row and column, None for a label).

    Returns
    -------
    Edited
    """
    toggle, at = edit.get("toggle"), edit.get("at")
    try:
        if isinstance(toggle, list):
            return Edited(toggled(state, (toggle[0], toggle[1])))
        if isinstance(at, list):
            return Edited(chosen(state, str(edit.get("stage")), at[0], at[1]))
    except (FieldError, IndexError, TypeError):
        pass
    return Edited(state, reset=True)


def edit_query_bar(state: AttentionState, edit: Mapping[str, Any]) -> Edited:
    """Apply a click on the bar of a query.

    Parameters
    ----------
    state : AttentionState
    edit : mapping
        ``bar``: the query, from 0.

    Returns
    -------
    Edited
    """
    bar = edit.get("bar")
    if not is_position(bar) or bar >= state.n_q:
        return Edited(state, reset=True)
    return Edited(chosen(state, "output", bar, None))


def edit_key_bar(state: AttentionState, edit: Mapping[str, Any]) -> Edited:
    """Apply a click on the bar of a key: the dot product behind it is chosen.

    Parameters
    ----------
    state : AttentionState
    edit : mapping
        ``bar``: the key, from 0.

    Returns
    -------
    Edited
    """
    bar = edit.get("bar")
    if not is_position(bar) or bar >= state.n_k or state.row is None:
        return Edited(state, reset=True)
    return Edited(chosen(state, "weights", state.row, bar))


def toggled(state: AttentionState, pair: tuple[int, int]) -> AttentionState:
    """Hide a cell that is shown, or show one that is hidden, whatever the masks say.

    Parameters
    ----------
    state : AttentionState
    pair : (int, int)
        Query and key, from 0.

    Returns
    -------
    AttentionState

    Raises
    ------
    FieldError
        When there is no such cell.
    """
    if not all(is_position(p) for p in pair) or pair[0] >= state.n_q or pair[1] >= state.n_k:
        raise FieldError("hide", "there is no such cell")
    hide, show = set(state.hide) - {pair}, set(state.show) - {pair}
    bare = bool(combined_mask(state.n_q, state.n_k, state.masks)[pair])
    now = pair in state.show or (bare and pair not in state.hide)  # as `combined_mask` has it
    if now and bare:
        hide.add(pair)
    elif not now and not bare:
        show.add(pair)
    return replace(state, hide=tuple(sorted(hide)), show=tuple(sorted(show)))


def chosen(state: AttentionState, stage: str, row: Any, column: Any) -> AttentionState:
    """Choose a query, or a dot product; the same choice again releases it.

    Parameters
    ----------
    state : AttentionState
    stage : str
        A name of `STAGES`.
    row, column : int or None
        None for a label of the other axis.

    Returns
    -------
    AttentionState
    """
    if stage == "values":
        return state  # a value belongs to every query
    if row is None or not is_position(row):
        return state
    if column is None or stage == "output":
        return replace(state, row=None if state.row == row else row, cell=None)
    if not is_position(column):
        return state
    place = (row, column)
    if state.cell == place:
        return replace(state, cell=None)
    return replace(state, row=row, cell=place)
