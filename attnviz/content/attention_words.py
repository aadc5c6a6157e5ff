"""Sentences and stages of the attention page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.content.shown import MASKED, clipped, shown, shown_weight
from attnviz.content.softmax import beta_words, bracketed, read_shown
from attnviz.core.attention import AttentionSteps, Empty
from attnviz.core.heads import DotProduct, HeadDifference, HeadRow
from attnviz.state.attention import POLICIES, AttentionState, shape_of

HEADING = "#### Attention: each query collects values"
CONVENTION = (
    "Hatched cells are hidden. Click a cell of “Masked”, or press Space on it, to toggle it."
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
TOO_LARGE_TO_PIN = (
    "This state is too large to be pinned: its numbers have too many digits in all. Fewer digits or"
    " fewer tokens fit."
)
NO_EMPTY_ROW = (
    "Every query sees a key here. Hide all cells of one row of “Masked” to compare what it can get."
)
MORE_CONTROLS = "Scale, fully masked rows, orientation"


def mask_words(state: AttentionState) -> str:
    """Write the convention of the masks, and what padding leaves.

    Parameters
    ----------
    state : AttentionState

    Returns
    -------
    str
    """
    said = [CONVENTION] if state.reached("masked") else []
    if "padding" in state.mask:
        valid = state.n_k - state.padding
        said.append(f"Padding leaves the first {valid} of {state.n_k} keys valid.")
    return " ".join(said)


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
    if allowed.size == 1:
        return "The only cell is hidden." if hidden else "The only cell isn't hidden."
    return f"{hidden or 'None'} of {allowed.size} cells hidden."


def too_wide(state: AttentionState) -> str:
    """Say the shapes of matrices that are too wide to stand open.

    Parameters
    ----------
    state : AttentionState

    Returns
    -------
    str
    """
    shapes = ", ".join(f"{n.upper()} is {shape_of(getattr(state, n))}" for n in ("q", "k", "v"))
    return f"{shapes}. Open one to edit its cells, or as text."


def policy_of(state: AttentionState) -> Empty:
    """Return the policy to compute with: an error is shown as NaN, and said in words.

    Parameters
    ----------
    state : AttentionState

    Returns
    -------
    str
    """
    return "nan" if state.empty == "error" else state.empty  # type: ignore[return-value]


def preset_facts(say: str, credit: str, *, changed: bool) -> list[dict[str, object]]:
    """Say what a preset shows and, for a real head, where it is from.

    Parameters
    ----------
    say : str
        Empty as long as it would give the weights away.
    credit : str
    changed : bool
        True when its numbers have been changed since.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    facts: list[dict[str, object]] = [{"value": say}] if say else []
    if changed and say:
        facts = [{"value": "", "note": f"Changed since. The preset: {say}"}]
    if credit:
        facts += [{"value": WEIGHTS_ARE_NOT_REASONS}, {"value": "", "note": credit}]
    return facts


def empty_words(state: AttentionState, empty: Sequence[bool]) -> list[str]:
    """Name the queries without an allowed key, and say what they get.

    Parameters
    ----------
    state : AttentionState
    empty : sequence of bool, length n_q

    Returns
    -------
    list of str
        Empty when every query sees a key.
    """
    labels = zip(state.query_labels, empty, strict=True)
    names = [f"“{clipped(label)}”" for label, none in labels if none]
    if not names:
        return []
    who = f"Query {names[0]}" if len(names) == 1 else f"Queries {', '.join(names[:8])}"
    if len(names) > 8:
        who += f" and {len(names) - 8} more"
    verb = "has" if len(names) == 1 else "have"
    it, its = ("it gets", "its") if len(names) == 1 else ("they get", "their")
    gets = {
        "zeros": f"{its} weights and output are shown as zeros",
        "uniform": f"{it} the same weight on every key, hidden or not",
        "nan": f"{it} NaN",
        "error": f"a program stops here, so {its} weights and output are shown as NaN",
    }[state.empty]
    return [f"{who} {verb} no allowed key: {gets} (the rule chosen here: {POLICIES[state.empty]})."]


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
    product = "KᵀQ" if state.orient == "columns" else "QKᵀ"
    if state.scale == "on":
        return f"Scaled {product}/√d_k = {product} · {shown(scale)}"
    return "Scaled: not at all" if state.scale == "off" else f"Scaled {product} · {shown(scale)}"


def sum_words(state: AttentionState, steps: AttentionSteps) -> str:
    """Say what the weights of a query sum to, and at which β.

    Parameters
    ----------
    state : AttentionState
    steps : AttentionSteps

    Returns
    -------
    str
    """
    line = "column" if state.orient == "columns" else "row"
    none = bool(steps.empty_rows.any()) and state.empty != "uniform"
    beta = state.temperature.beta
    return (
        f"Each {line} sums to 1{', but for queries without a key' if none else ''}."
        f"{'' if beta == 1 else f' Softmax at {beta_words(beta)}.'}"
    )


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
            "texts": _weights(steps, exact=_is_limit(state)),
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


def _is_limit(state: AttentionState) -> bool:
    """Tell whether it is the limit T → 0, where a weight of 0 is exact and didn't underflow."""
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


def row_caption(state: AttentionState) -> str:
    """Name the query that is followed.

    Parameters
    ----------
    state : AttentionState
        With a chosen query.

    Returns
    -------
    str
    """
    return f"Query {clipped(state.query_labels[state.row or 0])}, step by step"


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
        first = shown_weight(weight, True, exact=_is_limit(state) or not row.sees_a_key)
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
            | {"texts": _weights(steps, exact=_is_limit(whose))}
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


def listed(what: str, labels: Sequence[str], texts: Sequence[str]) -> str:
    """Describe a figure as a list of labels with their texts.

    Parameters
    ----------
    what : str
    labels, texts : sequence of str

    Returns
    -------
    str
    """
    pairs = [f"{clipped(a)} {b}" for a, b in zip(labels, texts, strict=True)]
    return f"{what}: {', '.join(pairs[:16])}" + ("." if len(pairs) <= 16 else ", and so on.")


def predict(state: AttentionState) -> str:
    """Ask the room for a prediction before the weights are shown.

    Parameters
    ----------
    state : AttentionState

    Returns
    -------
    str
    """
    who = clipped(state.query_labels[state.row or 0])
    return (
        f"Predict before you look: which key does {who} attend to most, and about how much of its"
        " weight goes there? Then step on."
    )


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
    texts = weight_cells(steps, exact=_is_limit(state))[row]
    return listed(f"Weights of {who}", state.key_labels, texts)
