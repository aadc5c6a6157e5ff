"""Tables of the softmax page as texts: what stands in each cell, and what its column means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.content.shown import MASKED, shown, shown_weight
from attnviz.content.softmax import Explained
from attnviz.core.steps import SoftmaxSteps
from attnviz.state.labels import visible_label

_HELP = {
    "score": "The number that was typed.",
    "scaled": "The score times β = 1/T.",
    "shifted": "The scaled score less the largest of the row: at most 0.",
    "exp": "e to the power of the number on its left: at most 1, so nothing overflows.",
    "weight": "The exponential as a part of the sum of all exponentials.",
}


def steps_table(
    labels: Sequence[str],
    colors: Sequence[str],
    steps: SoftmaxSteps,
    beta: float,
    *,
    pick: str = "",
    explained: Explained | None = None,
    caption: str = "",
    step: int = 5,
    first: str = "score",
    plain: bool = False,
) -> dict[str, Any]:
    """Lay out the arithmetic of one query, with its totals.

    Parameters
    ----------
    labels, colors : sequence of str, length n
    steps : SoftmaxSteps
        Of one query, arrays of shape (n,).
    beta : float
    pick : str
        The number that is explained: ``column:position``, or empty.
    explained : Explained, optional
    caption : str
    step : int
        How many columns are shown, from 1; the others hold a question mark.
    first : str
        Head of the first column of numbers.
    plain : bool
        True to leave out the column of β.

    Returns
    -------
    dict
        For the part ``table``. The column exp holds exp of the column before it, and the totals
        are computed from the unrounded numbers.
    """
    scaled = "β → ∞" if math.isinf(beta) else f"× β = {shown(beta)}"
    head = [
        {"id": "key", "text": "key", "help": "The key"},
        {"id": "score", "text": first, "help": _HELP["score"]},
        {"id": "scaled", "text": scaled, "help": _HELP["scaled"]},
        {"id": "shifted", "text": "− max", "help": _HELP["shifted"]},
        {"id": "exp", "text": "exp(…)", "help": _HELP["exp"]},
        {"id": "weight", "text": "weight", "help": _HELP["weight"]},
    ]
    rows = []
    for j, label in enumerate(labels):
        allowed = bool(steps.allowed[j])
        score, product, shifted = (
            shown(float(a[j])) for a in (steps.scores, steps.scaled, steps.shifted)
        )
        exp, weight = (
            shown_weight(float(a[j]), allowed, exact=math.isinf(beta))
            for a in (steps.exps, steps.weights)
        )
        if math.isinf(beta):
            product = "—"  # no number: only the order of the scores counts
        elif product.endswith("∞"):
            product = "beyond float64"
        cells = [score, product, shifted, exp, weight]
        if not allowed:
            cells = [score, MASKED, "−∞", "0", "0 (masked)"]
        rows.append(
            {
                "label": label,
                "color": colors[j],
                "masked": not allowed,
                "pick": str(j),
                "cells": _covered(cells, step),
            }
        )
    total, weights = float(steps.total), float(steps.weights.sum())
    sums = _covered(["", "", "", shown(total), shown(weights, 12)], step)
    foot = [{"label": "sum", "cells": sums}]
    if plain:
        del head[2]
        for line in (*rows, *foot):
            del line["cells"][1]
    if pick and list(_HELP).index(pick.partition(":")[0]) >= step:
        explained = None  # it would give away a number that is still covered
    return {
        "caption": caption,
        "head": head,
        "rows": rows,
        "foot": foot,
        "pick": pick,
        "symbols": explained.symbols if explained else "",
        "words": explained.words if explained else "",
    }


def _covered(cells: list[str], step: int) -> list[str]:
    """Cover what comes after a step."""
    return [cell if at < step or not cell else "?" for at, cell in enumerate(cells)]


def entropy_table(
    labels: Sequence[str],
    colors: Sequence[str],
    steps: SoftmaxSteps,
    logs: np.ndarray,
    terms: np.ndarray,
    entropy: float,
    *,
    exact: bool,
) -> dict[str, Any]:
    """Lay out the entropy of one query, term by term.

    Parameters
    ----------
    labels, colors : sequence of str, length n
    steps : SoftmaxSteps
        Of one query, arrays of shape (n,).
    logs, terms : ndarray, shape (n,)
        ln w and −w ln w.
    entropy : float
        Their sum, in nats.
    exact : bool
        True in the limit T → 0, where a weight of 0 is exact.

    Returns
    -------
    dict
        For the part ``table``.
    """
    head = [
        {"id": "key", "text": "key", "help": ""},
        {"id": "weight", "text": "weight w", "help": "From the table above."},
        {"id": "log", "text": "ln w", "help": "The natural logarithm: at most 0."},
        {"id": "term", "text": "− w · ln w", "help": "0 for a weight of 0."},
    ]
    rows = []
    for j, label in enumerate(labels):
        allowed = bool(steps.allowed[j])
        weight = shown_weight(float(steps.weights[j]), allowed, exact=exact)
        cells = [weight, shown(float(logs[j])), shown(float(terms[j]))]
        rows.append(
            {
                "label": label,
                "color": colors[j],
                "masked": not allowed,
                "cells": cells if allowed else ["0 (masked)", MASKED, "0"],
            }
        )
    foot = [{"label": "entropy H", "cells": ["", "", f"{shown(entropy)} nats"]}]
    caption = "The entropy, term by term; the sum uses all digits."
    return {"caption": caption, "head": head, "rows": rows, "foot": foot, "pick": ""}


def queries_table(
    labels: Sequence[str], steps: SoftmaxSteps, entropies: Sequence[float], *, beta: float = 1.0
) -> dict[str, Any]:
    """Lay out the weights of all queries with the sum of each and of all together.

    Parameters
    ----------
    labels : sequence of str, length n_k
    steps : SoftmaxSteps
        Arrays of shape (n_q, n_k); a query without an allowed key holds NaN.
    entropies : sequence of float, length n_q
        In nats; NaN for a query without an allowed key.
    beta : float
        Of the steps; in the limit T → 0 a weight of 0 is exact.

    Returns
    -------
    dict
        For the part ``table``.
    """
    head = [
        {"id": "query", "text": "query (asks)", "help": ""},
        *(
            {"id": f"k{j}", "text": visible_label(label), "help": "key (answers)"}
            for j, label in enumerate(labels)
        ),
        {"id": "sum", "text": "sum", "help": "Each query's weights sum to 1."},
        {"id": "entropy", "text": "entropy (nats)", "help": ""},
    ]
    rows: list[dict[str, Any]] = []
    for i, weights in enumerate(steps.weights):
        if steps.empty_rows[i]:
            cells = [*(MASKED for _ in labels), "no keys", "no keys"]
        else:
            cells = [
                *(
                    shown_weight(float(w), bool(a), exact=math.isinf(beta))
                    for w, a in zip(weights, steps.allowed[i], strict=True)
                ),
                shown(float(weights.sum()), 12),
                shown(float(entropies[i])),
            ]
        rows.append(
            {"label": f"query {i + 1}", "cells": cells, "masked": bool(steps.empty_rows[i])}
        )
    whole = shown(float(np.nansum(steps.weights)), 12)
    foot = [{"label": "sum of the whole matrix", "cells": [*("" for _ in labels), whole, ""]}]
    return {"caption": "", "head": head, "rows": rows, "foot": foot, "pick": ""}


def moves_table(
    labels: Sequence[str],
    allowed: np.ndarray,
    before: np.ndarray,
    added: np.ndarray,
    multiplied: np.ndarray,
    names: tuple[str, str],
    *,
    beta: float = 1.0,
) -> dict[str, Any]:
    """Lay the weights beside those after adding to and after multiplying every score.

    Parameters
    ----------
    labels : sequence of str, length n
    allowed : ndarray of bool, shape (n,)
    before, added, multiplied : ndarray, shape (n,)
        Weights.
    names : tuple of str
        Heads of the last two columns, such as ``"score + 100"``.
    beta : float
        Of the weights; in the limit T → 0 a weight of 0 is exact.

    Returns
    -------
    dict
        For the part ``table``, with the largest change of a weight below each column.
    """
    head = [
        {"id": "key", "text": "key", "help": ""},
        {"id": "before", "text": "weight", "help": "As above."},
        {"id": "added", "text": names[0], "help": "The weights stay, but for rounding."},
        {
            "id": "multiplied",
            "text": names[1],
            "help": "The weights change: a factor is a temperature.",
        },
    ]
    rows = [
        {
            "label": label,
            "masked": not allowed[j],
            "cells": [
                shown_weight(float(a[j]), bool(allowed[j]), exact=math.isinf(beta))
                for a in (before, added, multiplied)
            ],
        }
        for j, label in enumerate(labels)
    ]
    change = [shown(float(np.abs(a - before).max()), 2) for a in (added, multiplied)]
    foot = [{"label": "largest change", "cells": ["", *change]}]
    return {"caption": "", "head": head, "rows": rows, "foot": foot, "pick": ""}


def naive_table(
    labels: Sequence[str],
    allowed: np.ndarray,
    exps: np.ndarray,
    naive: np.ndarray,
    stable: np.ndarray,
) -> dict[str, Any]:
    """Lay the naive formula beside the stable one, with its honest inf and nan.

    Parameters
    ----------
    labels : sequence of str, length n
    allowed : ndarray of bool, shape (n,)
    exps : ndarray, shape (n,)
        exp of the scaled scores, nothing subtracted.
    naive, stable : ndarray, shape (n,)
        Weights.

    Returns
    -------
    dict
        For the part ``table``.
    """
    head = [
        {"id": "key", "text": "key", "help": ""},
        {"id": "exp", "text": "exp(scaled)", "help": "Nothing is subtracted."},
        {"id": "naive", "text": "naive weight", "help": "exp(scaled) / Σ exp(scaled)"},
        {"id": "stable", "text": "stable weight", "help": "The largest score is subtracted first."},
    ]

    whole = float(exps.sum())

    def divided(j: int) -> str:
        if naive[j] == 0 and allowed[j]:  # both are 0 for lack of room, one in the denominator
            return shown_weight(0.0, True) if math.isfinite(whole) else "0 (÷ inf)"
        return raw(float(naive[j]))

    def raw(value: float) -> str:
        return {math.inf: "inf", -math.inf: "−inf"}.get(value, shown(value))

    rows = [
        {
            "label": label,
            "masked": not allowed[j],
            "cells": [
                shown_weight(0.0, True) if exps[j] == 0 and allowed[j] else raw(float(exps[j])),
                divided(j),
                shown_weight(float(stable[j]), bool(allowed[j])),
            ],
        }
        for j, label in enumerate(labels)
    ]
    foot = [
        {
            "label": "sum",
            "cells": [
                raw(whole),
                raw(float(naive.sum())),
                shown(float(stable.sum()), 12),
            ],
        }
    ]
    return {"caption": "", "head": head, "rows": rows, "foot": foot, "pick": ""}
