"""The arithmetic of one attention head as a Python script that needs NumPy alone."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import Empty
from attnviz.core.checks import Array
from attnviz.exports.attention_head import AttentionHead, checked_head
from attnviz.exports.literals import number_literal, rows_literal


def numpy_text(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    allowed: ArrayLike | None,
    scale: float | None,
    beta: float,
    empty: Empty,
    tokens: Sequence[str],
    keys: Sequence[str],
) -> str:
    """Return a Python script that computes the same head with NumPy alone.

    Parameters
    ----------
    q : array_like of real numbers, shape (n_q, d_k)
        Queries, as values: for a cell typed as 1/sqrt(2), the float it stands for.
    k : array_like, shape (n_k, d_k)
        Keys.
    v : array_like, shape (n_k, d_v)
        Values.
    allowed : array_like of bool, shape (n_q, n_k), or None
        **True = may attend**, which the script says too. None allows everything.
    scale : float or None
        Factor of the scores; None for 1/√d_k.
    beta : float
        Inverse temperature 1/T, at least 0; infinite for the limit T -> 0.
    empty : {"error", "zeros", "uniform", "nan"}
        What a query without an allowed key gets, as in `attention`. With "error" the script
        raises a ValueError that names the rows.
    tokens, keys : sequence of str
        A label for each query, and one for each key.

    Returns
    -------
    str
        A script that sets ``q``, ``k``, ``v``, ``allowed``, ``scale``, ``beta``, ``scores``,
        ``scaled``, ``masked``, ``weights`` and ``output`` in the order of operations of
        `attention`. They are equal to those of ``attention(q, k, v, …)`` to the last digit where
        that is given lists, or separate arrays in C order.

    Raises
    ------
    ValueError
        As in `attention`, except that it is the script that refuses a query without an allowed
        key; if q, k or v isn't a matrix or has no row; if there isn't one label a query and one a
        key.

    Examples
    --------
    >>> text = numpy_text([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]], allowed=None, scale=None,
    ...                   beta=1, empty="error", tokens=["the"], keys=["a", "b"])
    >>> exec(text, {})  # doctest: +ELLIPSIS
    'the' [1.33952309..., 0.66047690...]
    """
    head = checked_head(
        q, k, v, allowed=allowed, scale=scale, beta=beta, empty=empty, tokens=tokens, keys=keys
    )
    given = "1 / np.sqrt(q.shape[1])" if head.scale is None else number_literal(head.scale)
    lines = [
        "# Scaled dot-product attention, step by step. Rows are queries, columns are keys.",
        "import numpy as np",
        "",
        f"tokens = {list(head.tokens)!r}  # the queries",
        f"keys = {list(head.keys)!r}",
        *(f"{name} = np.array({rows_literal(getattr(head, name))})" for name in ("q", "k", "v")),
        "# True = may attend. False = hidden: its weight is exactly 0.",
        f"allowed = {_mask(head.allowed)}",
        f"scale = {given}" + ("  # 1/√d_k" if head.scale is None else ""),
        f"beta = {number_literal(head.beta)}  # inverse temperature, 1/T",
        "",
        *_scores(head),
        *_softmax(head),
        *_output(head),
        "",
        "for token, row in zip(tokens, output.tolist()):",
        "    print(repr(token), row)",
    ]
    return "\n".join(lines) + "\n"


def _mask(allowed: Array) -> str:
    """Return the mask as a boolean array in Python code."""
    if allowed.all():
        return f"np.ones({allowed.shape}, dtype=bool)"
    return f"np.array({rows_literal(allowed)})"


def _scores(head: AttentionHead) -> Iterator[str]:
    """Yield the lines from q and k to the masked scores."""
    lines = ["scores = q @ k.T + 0.0  # + 0.0 makes 0 of -0", "scaled = scores * scale + 0.0"]
    steps = head.steps
    if all(np.isfinite(x).all() for x in (head.q, head.k, steps.scores, steps.scaled)):
        yield from lines
    else:
        yield 'with np.errstate(all="ignore"):  # what isn\'t finite is hidden'
        yield from (f"    {line}" for line in lines)
    yield "masked = np.where(allowed, scaled, -np.inf)"


def _softmax(head: AttentionHead) -> Iterator[str]:
    """Yield the lines from the masked scores to the weights."""
    some_empty = bool(head.steps.empty_rows.any())
    if head.empty == "error":
        yield "none = np.flatnonzero(~allowed.any(axis=1))"
        yield "if none.size:"
        yield '    raise ValueError(f"no key is allowed in rows {none.tolist()} (from 0)")'
    elif some_empty:
        yield "none = ~allowed.any(axis=1, keepdims=True)  # queries without an allowed key"
    if head.beta == 0:
        yield "shifted = np.where(allowed, 0.0, -np.inf)  # beta = 0: all scores count as 0"
    else:
        yield "top = masked.max(axis=1, keepdims=True)"
        if some_empty and head.empty != "error":
            yield "top = np.where(none, 0.0, top)"
        yield from _shift(head)
    yield "exps = np.exp(shifted)"
    yield "total = exps.sum(axis=1, keepdims=True)"
    if not some_empty or head.empty == "error":
        yield "weights = exps / total"
        return
    fill = {"zeros": "0.0", "uniform": "1 / len(k)", "nan": "np.nan"}[head.empty]
    yield 'with np.errstate(invalid="ignore"):  # 0/0 where no key is allowed'
    yield f'    weights = np.where(none, {fill}, exps / total)  # the choice "{head.empty}"'


def _shift(head: AttentionHead) -> Iterator[str]:
    """Yield the lines that subtract the largest score of each row."""
    if math.isinf(head.beta):
        yield "# The limit T -> 0: the largest scores of a row share all of its weight."
        yield "shifted = np.where(allowed & (masked == top), 0.0, -np.inf)"
        return
    if not _overflows(head):
        yield "shifted = beta * (masked - top)  # at most 0, so exp can't overflow"
        return
    yield 'with np.errstate(over="ignore", invalid="ignore"):'
    yield "    difference = masked - top"
    yield "    # Where even the difference is beyond float64, beta comes first."
    yield "    first = beta * masked - beta * top"
    yield "    shifted = np.where(difference == -np.inf, first, beta * difference)"
    yield "shifted = np.where(allowed, shifted, -np.inf)"


def _overflows(head: AttentionHead) -> bool:
    """Say whether beta times the difference of two allowed scores can be beyond float64."""
    seen = head.steps.scaled[head.allowed]
    with np.errstate(over="ignore"):
        return bool(seen.size and np.isinf(head.beta * (seen.max() - seen.min())))


def _output(head: AttentionHead) -> Iterator[str]:
    """Yield the lines from weights and values to the output."""
    values = "v"
    if not np.isfinite(head.v).all():
        yield "seen = np.where(np.isfinite(v), v, 0.0)  # 0 times NaN would be NaN"
        values = "seen"
    line = f"output = weights @ {values} + 0.0"
    alive = head.steps.output[~head.steps.empty_rows]
    if np.isfinite(alive).all():
        yield line
    else:
        yield 'with np.errstate(over="ignore", invalid="ignore"):  # beyond float64'
        yield f"    {line}"
