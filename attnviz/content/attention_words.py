"""Sentences and stages of the attention page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.content.shown import MASKED, clipped, shown, shown_weight
from attnviz.content.softmax import bracketed
from attnviz.core.attention import AttentionSteps
from attnviz.core.heads import HeadDifference
from attnviz.state.attention import POLICIES, AttentionState

HEADING = "#### Attention: each query collects values"
CONVENTION = (
    "Shaded cells are hidden. Click a cell of “Masked”, or press Space on it, to toggle it."
)
WEIGHTS_ARE_NOT_REASONS = (
    "Real heads: attention weights alone are not an explanation of a model's decision."
)
QUERY, KEY = "query (asks)", "key (answers)"
ENTROPY = (
    "How spread each query's weights are, in nats, with its ceiling ln(allowed keys). Effective"
    " keys are e to the power of the entropy. A query without an allowed key has no entropy."
)
RECEIVED = (
    "The sum of each column of the weights. Each query gives away 1, so all keys together receive"
    " the number of queries that see a key."
)
POLICY = (
    "A query whose keys are all hidden has no softmax: 0/0. What it gets is a choice. Programs that"
    " add −1e9 instead of −∞ bring the unmasked weights back, because a constant on a whole row"
    " changes nothing."
)
COMPARE = (
    "Pin this state as A, then change anything: B is what you see above. All three maps have the"
    " same colours."
)
TOO_WIDE = "wider than is comfortable to type: edit it as text below, or change one cell at a time."


def hidden_words(allowed: np.ndarray) -> str:
    """Say how many of how many cells are hidden.

    Parameters
    ----------
    allowed : ndarray of bool, shape (n_q, n_k)

    Returns
    -------
    str

    Examples
    --------
    >>> hidden_words(np.array([[True, False]]))
    '1 of 2 cells hidden.'
    """
    hidden = int((~allowed).sum())
    return f"{hidden or 'None'} of {allowed.size} cells hidden."


def empty_words(state: AttentionState, empty: Sequence[bool]) -> str:
    """Name the queries without an allowed key, and say what they get.

    Parameters
    ----------
    state : AttentionState
    empty : sequence of bool, length n_q

    Returns
    -------
    str
        Empty when every query sees a key.
    """
    names = [clipped(n) for n, none in zip(state.query_labels, empty, strict=True) if none]
    if not names:
        return ""
    who = f"Query {names[0]}" if len(names) == 1 else f"Queries {', '.join(names[:8])}"
    if len(names) > 8:
        who += f" and {len(names) - 8} more"
    verb = "has" if len(names) == 1 else "have"
    gets = {
        "zeros": "its weights and output are shown as zeros",
        "uniform": "it gets the same weight on every key, hidden or not",
        "nan": "it gets NaN",
        "error": "so nothing is computed",
    }[state.empty]
    if len(names) > 1:
        gets = gets.replace("its", "their").replace("it gets", "they get")
    return f"{who} {verb} no allowed key: {gets} (policy: {POLICIES[state.empty]})."


def scale_words(state: AttentionState, scale: float) -> str:
    """Say what the scores are multiplied with.

    Parameters
    ----------
    state : AttentionState
    scale : float

    Returns
    -------
    str
    """
    if state.scale == "on":
        return f"Scaled QKᵀ/√d_k = QKᵀ · {shown(scale)}"
    return "Scaled: not at all" if state.scale == "off" else f"Scaled QKᵀ · {shown(scale)}"


def number(value: float) -> str:
    """Write a number of a stage; two decimals less than elsewhere, so that it fits a cell.

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
    values: np.ndarray,
    shades: dict[str, list[list[float | None]]],
    scale: float,
    names: Sequence[str],
) -> list[dict[str, Any]]:
    """Lay out the stages of one head as texts and colours.

    Parameters
    ----------
    state : AttentionState
    steps : AttentionSteps
        Arrays of shape (n_q, n_k) and (n_q, d_v).
    values : ndarray, shape (n_k, d_v)
    shades : dict of str to rows of float or None
        For each stage, the place of each cell on its colour scale.
    scale : float
        Factor of the scores.
    names : sequence of str
        Which stages, in order.

    Returns
    -------
    list of dict
        For the part ``pipeline``.
    """
    hidden = (~steps.allowed).tolist()
    columns = [f"d{j + 1}" for j in range(values.shape[1])]
    queries, keys = list(state.query_labels), list(state.key_labels)
    pair = {"rows": queries, "columns": keys, "rowTitle": QUERY, "columnTitle": KEY}
    pair |= {"kind": "pair", "hasQueries": True}
    flip = state.orient == "columns"
    made = {
        "scores": pair
        | {"title": "Scores Kᵀ Q" if flip else "Scores QKᵀ", "texts": _texts(steps.scores)},
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
            "texts": _weights(steps),
            "masked": hidden,
            "note": "Each column sums to 1." if flip else "Each row sums to 1.",
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
    for name in names:
        stage = made[name] | {"id": name, "shades": shades[name]}
        stage["colours"] = "weights" if name == "weights" else "signed"
        laid.append(_turned(stage) if flip else stage)
    return laid


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


def _weights(steps: AttentionSteps) -> list[list[str]]:
    """Write the weights; a query without an allowed key shows what its policy gives it."""
    texts = []
    for row, seen in zip(steps.weights.tolist(), steps.allowed.tolist(), strict=True):
        texts.append(
            [
                number(w) if not any(seen) else ("0" if not a else _weight(w))
                for w, a in zip(row, seen, strict=True)
            ]
        )
    return texts


def _weight(value: float) -> str:
    return shown_weight(value, True) if value == 0 else number(value)


def dot_words(
    state: AttentionState,
    q: Sequence[float],
    k: Sequence[float],
    terms: Sequence[float],
    total: float,
) -> dict[str, Any]:
    """Lay out one dot product term by term.

    Parameters
    ----------
    state : AttentionState
        With a chosen cell.
    q, k : sequence of float, length d_k
    terms : sequence of float, length d_k
        Their products.
    total : float
        The score.

    Returns
    -------
    dict
        For the part ``table``.
    """
    row, column = state.cell or (0, 0)
    who, whom = clipped(state.query_labels[row]), clipped(state.key_labels[column])
    head = [
        {"id": "d", "text": "column", "help": ""},
        {"id": "q", "text": f"q of {who}", "help": ""},
        {"id": "k", "text": f"k of {whom}", "help": ""},
        {"id": "term", "text": "product", "help": ""},
    ]
    rows = [
        {"label": str(j + 1), "cells": [shown(a), shown(b), shown(c)]}
        for j, (a, b, c) in enumerate(zip(q, k, terms, strict=True))
    ]
    foot = [{"label": "sum", "cells": ["", "", shown(total)]}]
    caption = f"Score of {who} for {whom}: the dot product q · k"
    return {"caption": caption, "head": head, "rows": rows, "foot": foot, "pick": ""}


def gather_table(
    state: AttentionState,
    colors: Sequence[str],
    weights: Sequence[float],
    seen: Sequence[bool],
    terms: np.ndarray,
    output: Sequence[float],
) -> dict[str, Any]:
    """Lay out the output of one query as the weighted sum of the values, term by term.

    Parameters
    ----------
    state : AttentionState
        With a chosen query.
    colors : sequence of str, length n_k
    weights : sequence of float, length n_k
    seen : sequence of bool, length n_k
    terms : ndarray, shape (n_k, d_v)
        Weight times value.
    output : sequence of float, length d_v

    Returns
    -------
    dict
        For the part ``table``.
    """
    columns = range(len(output))
    head = [
        {"id": "key", "text": "key", "help": ""},
        {"id": "weight", "text": "weight w", "help": ""},
        *({"id": f"v{j}", "text": f"w · v, d{j + 1}", "help": ""} for j in columns),
    ]
    rows = []
    for j, label in enumerate(state.key_labels):
        cells = []
        for value, term in zip(state.v[j], terms[j].tolist(), strict=True):
            typed = shown(value.value)
            cells.append(f"{number(weights[j])} · {bracketed(typed)} = {number(term)}")
        if not seen[j] and any(seen):
            cells = ["0"] * len(cells)
        rows.append(
            {
                "label": label,
                "color": colors[j],
                "masked": not seen[j],
                "cells": [
                    "0 (masked)" if not seen[j] and any(seen) else shown(weights[j]),
                    *cells,
                ],
            }
        )
    total = math.fsum(weights) if not any(math.isnan(w) for w in weights) else math.nan
    foot = [{"label": "output", "cells": [shown(total, 12), *(shown(x) for x in output)]}]
    who = clipped(state.query_labels[state.row or 0])
    caption = f"Output of {who}: each value times its weight, summed"
    return {"caption": caption, "head": head, "rows": rows, "foot": foot, "pick": ""}


def policy_table(
    state: AttentionState, rows: Sequence[int], results: dict[str, AttentionSteps | None]
) -> dict[str, Any]:
    """Lay what each policy gives to the queries without an allowed key side by side.

    Parameters
    ----------
    state : AttentionState
    rows : sequence of int
        The queries.
    results : dict of str to AttentionSteps or None
        Words of the policy to its result; None where it is an error.

    Returns
    -------
    dict
        For the part ``table``.
    """
    head = [
        {"id": "query", "text": "query, policy", "help": ""},
        {"id": "weights", "text": "weights", "help": ""},
        {"id": "output", "text": "output", "help": ""},
    ]
    lines = []
    for row in rows:
        for name, steps in results.items():
            cells = ["an error", "an error"]
            if steps is not None:
                cells = [_vector(steps.weights[row]), _vector(steps.output[row])]
            label = f"{clipped(state.query_labels[row])}, {name}"
            lines.append({"label": label, "cells": cells})
    return {"caption": "", "head": head, "rows": lines, "foot": [], "pick": ""}


def _vector(values: np.ndarray) -> str:
    texts = [number(x) for x in values.tolist()[:8]]
    return f"[{', '.join(texts)}{', …' if values.size > 8 else ''}]"


def compare_table(state: AttentionState, difference: HeadDifference) -> dict[str, Any]:
    """Lay out how far A and B are apart, query by query.

    Parameters
    ----------
    state : AttentionState
    difference : HeadDifference

    Returns
    -------
    dict
        For the part ``table``.
    """
    head = [
        {"id": "query", "text": "query", "help": ""},
        {
            "id": "tv",
            "text": "total variation",
            "help": "Half the sum of the absolute differences: 0 for equal weights, 1 at most.",
        },
        {"id": "kl", "text": "KL(A ‖ B), nats", "help": "Σ a ln(a / b)"},
        {"id": "output", "text": "change of the output", "help": "B − A"},
    ]
    rows = []
    parts = (difference.total_variation, difference.divergence)
    for i, label in enumerate(state.query_labels):
        cells = ["no keys" if math.isnan(float(p[i])) else shown(float(p[i])) for p in parts]
        rows.append({"label": label, "cells": [*cells, _vector(difference.output[i])]})
    return {"caption": "", "head": head, "rows": rows, "foot": [], "pick": ""}


def entropy_texts(entropies: Sequence[float], keys: Sequence[float]) -> list[str]:
    """Write the entropy of each query with its effective keys.

    Parameters
    ----------
    entropies : sequence of float
        In nats; NaN for a query without an allowed key.
    keys : sequence of float
        exp of them.

    Returns
    -------
    list of str
    """
    return [
        "no keys" if math.isnan(h) else f"{number(h)} nats, {number(n)} effective keys"
        for h, n in zip(entropies, keys, strict=True)
    ]


def stages_alt(state: AttentionState, steps: AttentionSteps) -> str:
    """Describe the weights of the chosen query, or of the whole head, in words.

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
    parts = [
        f"{clipped(label)} {number(w)}"
        for label, w in zip(state.key_labels[:16], steps.weights[row].tolist(), strict=False)
    ]
    return f"Weights of {who}: {', '.join(parts)}."
