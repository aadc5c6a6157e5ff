"""The tables of the attention page: dot products, outputs, policies, comparison, entropy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.content.attention_stages import is_limit, number
from attnviz.content.attention_words import QUERY
from attnviz.content.shown import clipped, shown, shown_weight
from attnviz.content.softmax import bracketed, read_shown
from attnviz.core.attention import AttentionSteps
from attnviz.core.heads import DotProduct, HeadDifference, HeadRow
from attnviz.state.attention import POLICIES, AttentionState


def dot_table(state: AttentionState, product: DotProduct) -> dict[str, Any]:
    """Lay out one dot product term by term.

    Parameters
    ----------
    state : AttentionState
        With a chosen cell.
    product : DotProduct

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
    numbers = (product.query, product.key, product.products)
    rows = [
        {"label": str(j + 1), "cells": [shown(x) for x in line]}
        for j, line in enumerate(zip(*(n.tolist() for n in numbers), strict=True))
    ]
    foot = [{"label": "sum", "cells": ["", "", shown(product.score)]}]
    caption = f"Score of {who} for {whom}: the dot product q · k"
    return {"caption": caption, "head": head, "rows": rows, "foot": foot, "pick": ""}


_SHOWN_COLUMNS = 8  # columns of the values that are written out term by term


def _product(weight: str, value: str, term: str) -> str:
    """Write w · v and its result, with ≈ where a calculator gets another last digit."""
    try:
        product = read_shown(number(read_shown(weight) * read_shown(value)))
        exact = math.isclose(product, read_shown(term)) or math.isnan(product)
    except ValueError:
        exact = True
    return f"{weight} · {bracketed(value)} {'=' if exact else '≈'} {term}"


def gather_table(
    state: AttentionState, colors: Sequence[str], row: HeadRow, seen: Sequence[bool]
) -> dict[str, Any]:
    """Lay out the output of one query as the weighted sum of the values, term by term.

    Parameters
    ----------
    state : AttentionState
        With a chosen query.
    colors : sequence of str, length n_k
    row : HeadRow
    seen : sequence of bool, length n_k
        True where the key may be attended to.

    Returns
    -------
    dict
        For the part ``table``; wide values are cut after some columns, and the caption says so.
    """
    columns = range(min(state.d_v, _SHOWN_COLUMNS))
    head = [
        {"id": "key", "text": "key", "help": ""},
        {"id": "weight", "text": "weight w", "help": ""},
        *({"id": f"v{j}", "text": f"w · v, d{j + 1}", "help": ""} for j in columns),
    ]
    rows = []
    for at, label in enumerate(state.key_labels):
        weight, masked = float(row.weights[at]), row.sees_a_key and not seen[at]
        cells = [
            _product(number(weight), number(value.value), number(term))
            for value, term, _ in zip(state.v[at], row.terms[at].tolist(), columns, strict=False)
        ]
        first = shown_weight(weight, True, exact=is_limit(state) or not row.sees_a_key)
        if masked:
            first, cells = "0 (masked)", ["0"] * len(cells)
        elif not row.sees_a_key:
            first = f"{first} (policy)"
        rows.append(
            {"label": label, "color": colors[at], "masked": not seen[at], "cells": [first, *cells]}
        )
    outputs = [shown(x) for x in row.output.tolist()[: len(columns)]]
    foot = [{"label": "output", "cells": [shown(float(row.weights.sum()), 12), *outputs]}]
    who = clipped(state.query_labels[state.row or 0])
    caption = f"Output of {who}: each value times its weight, summed"
    if state.d_v > len(columns):
        caption += f" (the first {len(columns)} of {state.d_v} columns)"
    return {"caption": caption, "head": head, "rows": rows, "foot": foot, "pick": ""}


def policy_table(
    state: AttentionState,
    rows: Sequence[int],
    results: Mapping[str, AttentionSteps],
    numbered: AttentionSteps,
) -> dict[str, Any]:
    """Lay what each policy gives to the queries without an allowed key side by side.

    Parameters
    ----------
    state : AttentionState
    rows : sequence of int
        The queries.
    results : mapping of str to AttentionSteps
        Name of a policy to its result; the policy "error" has none.
    numbered : AttentionSteps
        What −1e9 in place of −∞ gives.

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
        both = {"error": None} | {POLICIES[name]: s for name, s in results.items()}
        for name, steps in (both | {"−1e9 instead of −∞": numbered}).items():
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


def entropy_texts(entropies: Sequence[float]) -> list[str]:
    """Write the entropy of each query with its effective keys.

    Parameters
    ----------
    entropies : sequence of float
        In nats; NaN for a query without an allowed key.

    Returns
    -------
    list of str
    """

    def written(nats: float) -> str:
        keys = number(math.exp(nats))
        return f"{number(nats)} nats, {keys} effective key{'s' if keys != '1' else ''}"

    return ["no keys" if math.isnan(nats) else written(nats) for nats in entropies]


def entropy_table(
    state: AttentionState, texts: Sequence[str], ceilings: Sequence[float]
) -> dict[str, Any]:
    """Lay out the entropy of each query beside its ceiling.

    Parameters
    ----------
    state : AttentionState
    texts : sequence of str
        From `entropy_texts`.
    ceilings : sequence of float
        In nats.

    Returns
    -------
    dict
        For the part ``table``.
    """
    head = [
        {"id": "query", "text": QUERY, "help": ""},
        {"id": "entropy", "text": "entropy", "help": ""},
        {"id": "ceiling", "text": "ceiling ln(allowed keys)", "help": ""},
    ]
    rows = [
        {"label": label, "cells": [text, "no keys" if math.isnan(top) else f"{number(top)} nats"]}
        for label, text, top in zip(state.query_labels, texts, ceilings, strict=True)
    ]
    return {"caption": "", "head": head, "rows": rows, "foot": [], "pick": ""}
