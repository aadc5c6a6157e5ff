"""The stages of attention as texts and colours, and their weights in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attnviz.content.attention_words import KEY, QUERY, hidden_words, listed, scale_words, sum_words
from attnviz.content.shown import MASKED, clipped, shown, shown_weight
from attnviz.core.attention import AttentionSteps
from attnviz.core.heads import HeadDifference, HeadRow
from attnviz.state.attention import AttentionState


def number(value: float) -> str:
    """Write a number of a stage; one digit less than elsewhere, so that it fits a cell.

    Parameters
    ----------
    value : float

    Returns
    -------
    str
    """
    return shown(value, 3)


def stages(
    state: AttentionState,
    steps: AttentionSteps,
    shades: Mapping[str, np.ndarray],
    scale: float,
) -> list[dict[str, Any]]:
    """Lay out the stages of one head as texts and colours.

    Parameters
    ----------
    state : AttentionState
    steps : AttentionSteps
        Arrays of shape (n_q, n_k) and (n_q, d_v).
    shades : mapping of str to ndarray
        For each stage, the place of each cell on its colour scale, NaN for none.
    scale : float
        Factor of the scores.

    Returns
    -------
    list of dict
        For the part ``pipeline``.
    """
    hidden = (~steps.allowed).tolist()
    values = np.array([[cell.value for cell in row] for row in state.v])
    columns = [f"d{j + 1}" for j in range(state.d_v)]
    queries, keys = list(state.query_labels), list(state.key_labels)
    pair = {"rows": queries, "columns": keys, "rowTitle": QUERY, "columnTitle": KEY}
    pair |= {"kind": "pair", "hasQueries": True}
    flip = state.orient == "columns"
    made = {
        "scores": pair
        | {"title": "Scores KᵀQ" if flip else "Scores QKᵀ", "texts": _texts(steps.scores)},
        "scaled": pair | {"title": scale_words(state, scale), "texts": _texts(steps.scaled)},
        "masked": pair
        | {
            "title": "Masked",
            "texts": _texts(steps.masked, hidden),
            "masked": hidden,
            "toggles": True,
            "note": f"{hidden_words(steps.allowed)}",
        },
        "weights": pair
        | {
            "title": "Weights A",
            "texts": _weights(steps, exact=is_limit(state)),
            "masked": hidden,
            "note": sum_words(state, steps),
        },
        "values": {
            "title": "Values V",
            "kind": "value",
            "rows": keys,
            "columns": columns,
            "rowTitle": KEY,
            "columnTitle": "d_v",
            "texts": _texts(values),
        },
        "output": {
            "title": "Output O = V A" if flip else "Output O = A V",
            "kind": "output",
            "hasQueries": True,
            "rows": queries,
            "columns": columns,
            "rowTitle": QUERY,
            "columnTitle": "d_v",
            "texts": _texts(steps.output),
        },
    }
    laid = []
    for name in state.drawn:
        stage = made[name] | {"id": name, "shades": _places(shades[name])}
        stage["colours"] = "weights" if name == "weights" else "signed"
        laid.append(_turned(stage) if flip else stage)
    return laid


def _places(shades: np.ndarray) -> list[list[float | None]]:
    """Write places on a colour scale with three digits; None for what has none."""
    return [[None if math.isnan(x) else round(x, 3) for x in row] for row in shades.tolist()]


def _turned(stage: dict[str, Any]) -> dict[str, Any]:
    """Swap rows and columns of a stage."""
    turned = dict(stage)
    turned["rows"], turned["columns"] = stage["columns"], stage["rows"]
    turned["rowTitle"], turned["columnTitle"] = stage["columnTitle"], stage["rowTitle"]
    for name in ("texts", "shades", "masked"):
        if name in stage:
            turned[name] = [list(line) for line in zip(*stage[name], strict=True)]
    return turned


def _texts(array: np.ndarray, hidden: list[list[bool]] | None = None) -> list[list[str]]:
    rows = array.tolist()
    if hidden is None:
        return [[number(x) for x in row] for row in rows]
    return [
        [MASKED if h else number(x) for x, h in zip(row, line, strict=True)]
        for row, line in zip(rows, hidden, strict=True)
    ]


def is_limit(state: AttentionState) -> bool:
    """Tell whether it is the limit T → 0, where a weight of 0 is exact and didn't underflow.

    Parameters
    ----------
    state : AttentionState

    Returns
    -------
    bool
    """
    return math.isinf(state.temperature.beta)


def _weights(steps: AttentionSteps, *, exact: bool = False) -> list[list[str]]:
    """Write the weights; a query without an allowed key shows what its policy gives it."""
    texts = []
    for row, seen in zip(steps.weights.tolist(), steps.allowed.tolist(), strict=True):
        texts.append(
            [
                number(w) if not any(seen) else ("0" if not a else _weight(w, exact))
                for w, a in zip(row, seen, strict=True)
            ]
        )
    return texts


def _weight(value: float, exact: bool) -> str:
    return shown_weight(value, True, exact=exact) if value == 0 else number(value)


def weight_cells(steps: AttentionSteps, *, exact: bool = False) -> list[list[str]]:
    """Write all weights for a figure; masked cells say so.

    Parameters
    ----------
    steps : AttentionSteps
    exact : bool
        True in the limit T → 0, where a weight of 0 is exact and no underflow.

    Returns
    -------
    list of list of str
    """
    return [
        [MASKED if h and any(seen) else text for text, h in zip(row, line, strict=True)]
        for row, line, seen in zip(
            _weights(steps, exact=exact),
            (~steps.allowed).tolist(),
            steps.allowed.tolist(),
            strict=True,
        )
    ]


def weight_texts(row: HeadRow, *, exact: bool) -> list[str]:
    """Write the weights of one query for its bars.

    Parameters
    ----------
    row : HeadRow
    exact : bool
        True in the limit T → 0, where a weight of 0 is exact and no underflow.

    Returns
    -------
    list of str
    """
    pairs = zip(row.weights.tolist(), row.allowed.tolist(), strict=True)
    return [shown_weight(w, a, exact=exact) for w, a in pairs]


def compare_stages(
    state: AttentionState,
    first: AttentionSteps,
    second: AttentionSteps,
    difference: HeadDifference,
    shades: Callable[..., np.ndarray],
    pinned: AttentionState | None = None,
) -> list[dict[str, Any]]:
    """Lay out the weights of A, of B, and B − A, with the same colour limits.

    Parameters
    ----------
    state : AttentionState
    first, second : AttentionSteps
    difference : HeadDifference
    shades : callable
        `attnviz.core.heads.shades`.
    pinned : AttentionState, optional
        The state A, where its temperature is another.

    Returns
    -------
    list of dict
        For the part ``pipeline``.
    """
    base = {
        "kind": "pair",
        "hasQueries": True,
        "rows": list(state.query_labels),
        "columns": list(state.key_labels),
        "rowTitle": QUERY,
        "columnTitle": KEY,
    }
    made = []
    for name, title, steps, whose in (
        ("a", "A: pinned", first, pinned or state),
        ("b", "B: on screen", second, state),
    ):
        hidden = (~steps.allowed).tolist()
        places = _places(shades(steps.weights, centred=False))
        made.append(
            base
            | {"id": name, "title": title, "shades": places}
            | {"texts": _weights(steps, exact=is_limit(whose))}
            | {"masked": hidden, "colours": "weights"}
        )
    places = [
        [None if math.isnan(x) else 0.5 + x / 2 for x in r] for r in difference.weights.tolist()
    ]
    made.append(
        base
        | {"id": "difference", "title": "B − A", "texts": _texts(difference.weights)}
        | {"shades": places, "colours": "signed"}
    )
    return [_turned(stage) for stage in made] if state.orient == "columns" else made


def stages_alt(state: AttentionState, steps: AttentionSteps) -> str:
    """Describe the weights of the chosen query, or of the first, in words.

    Parameters
    ----------
    state : AttentionState
    steps : AttentionSteps

    Returns
    -------
    str
    """
    row = state.row or 0
    who = clipped(state.query_labels[row])
    texts = weight_cells(steps, exact=is_limit(state))[row]
    return listed(f"Weights of {who}", state.key_labels, texts)
