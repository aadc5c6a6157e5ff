"""Sentences of the attention page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attnviz.content.shown import clipped, shown
from attnviz.content.softmax import beta_words
from attnviz.core.attention import AttentionSteps, Empty
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
