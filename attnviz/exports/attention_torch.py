"""One attention head as a Python script for PyTorch's own function."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import Empty
from attnviz.exports.attention_head import AttentionHead, checked_head
from attnviz.exports.literals import PLAIN_NAMES, number_literal, rows_literal


def torch_text(
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
    """Return a Python script that computes the same head with PyTorch.

    Parameters
    ----------
    q, k, v, allowed, scale, beta, empty, tokens, keys
        As in `numpy_text`.

    Returns
    -------
    str
        A script that sets ``q``, ``k``, ``v``, ``attn_mask``, ``scale``, ``beta`` and ``output``
        with ``torch.nn.functional.scaled_dot_product_attention`` in float64. The output is that
        of `attention` up to rounding: PyTorch scales before it multiplies. The script says which
        way round its mask is, and gives a query without an allowed key what `empty` says, which
        differs between versions of PyTorch. Numbers that aren't finite, which only something
        hidden may hold, are set to 0: PyTorch would spread them. Where PyTorch gives NaN because
        a number is beyond float64, a comment says so.

    Raises
    ------
    ValueError
        As in `numpy_text`.

    Examples
    --------
    >>> text = torch_text([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]], allowed=None, scale=None,
    ...                   beta=1, empty="zeros", tokens=["the"], keys=["a", "b"])
    >>> print(text[text.index("output") :])
    output = F.scaled_dot_product_attention(
        q[None], k[None], v[None], attn_mask=attn_mask, scale=scale * beta
    )[0]
    <BLANKLINE>
    for token, row in zip(tokens, output.tolist()):
        print(repr(token), row)
    <BLANKLINE>
    """
    head = checked_head(
        q, k, v, allowed=allowed, scale=scale, beta=beta, empty=empty, tokens=tokens, keys=keys
    )
    given = "q.shape[1] ** -0.5" if head.scale is None else number_literal(head.scale, PLAIN_NAMES)
    lines = [
        "# Scaled dot-product attention with PyTorch 2.1 or later. Rows are queries.",
        "import torch",
        "import torch.nn.functional as F",
        "",
        f"tokens = {list(head.tokens)!r}  # the queries",
        f"keys = {list(head.keys)!r}",
        *_matrices(head),
        "# attn_mask is boolean: True = takes part in attention, False = hidden.",
        "# (torch.nn.MultiheadAttention reads its masks the other way round: True = hidden.)",
        f"attn_mask = torch.tensor({rows_literal(head.allowed)})",
        f"scale = {given}" + ("  # 1/√d_k" if head.scale is None else ""),
        f"beta = {number_literal(head.beta, PLAIN_NAMES)}  # inverse temperature, 1/T",
        "",
        *_refusal(head),
        *_limits(head),
        *_output(head),
        *_empty_rows(head),
        "",
        "for token, row in zip(tokens, output.tolist()):",
        "    print(repr(token), row)",
    ]
    return "\n".join(lines) + "\n"


def _matrices(head: AttentionHead) -> Iterator[str]:
    """Yield the lines of q, k and v."""
    for name in ("q", "k", "v"):
        matrix = getattr(head, name)
        yield f"{name} = torch.tensor({rows_literal(matrix, PLAIN_NAMES)}, dtype=torch.float64)"
        if not np.isfinite(matrix).all():
            yield "# Hidden, but PyTorch adds -inf and multiplies by 0, and NaN stays NaN in both."
            yield f"{name} = torch.nan_to_num({name}, nan=0.0, posinf=0.0, neginf=0.0)"


def _refusal(head: AttentionHead) -> Iterator[str]:
    """Yield the lines that refuse a query without an allowed key, where that is the choice."""
    if head.empty == "error":
        yield "none = [row for row, seen in enumerate(attn_mask.tolist()) if not any(seen)]"
        yield "if none:"
        yield '    raise ValueError(f"no key is allowed in rows {none} (from 0)")'


def _limits(head: AttentionHead) -> Iterator[str]:
    """Yield a comment where PyTorch, other than the page, gets beyond float64."""
    q, k = (np.where(np.isfinite(x), x, 0.0) for x in (head.q, head.k))
    with np.errstate(all="ignore"):
        factor = head.scale_value * (1.0 if math.isinf(head.beta) else head.beta)
        finite = np.isfinite((q @ k.T) * factor).all() and np.isfinite(factor)
    if not finite:
        yield "# A scaled score, maybe a hidden one, is beyond float64 here: PyTorch gives NaN."


def _output(head: AttentionHead) -> Iterator[str]:
    """Yield the lines that compute the output."""
    mask, scale = "attn_mask", "scale * beta"
    if math.isinf(head.beta):
        yield "# The limit T -> 0: the largest scores of a row share all of its weight. So the mask"
        yield "# keeps only them, and a scale of 0 makes them equal."
        yield 'scores = (q @ k.T * scale).masked_fill(~attn_mask, float("-inf"))'
        yield "largest = attn_mask & (scores == scores.amax(dim=1, keepdim=True))"
        mask, scale = "largest", "0.0"
    yield "output = F.scaled_dot_product_attention("
    yield f"    q[None], k[None], v[None], attn_mask={mask}, scale={scale}"
    yield ")[0]"


def _empty_rows(head: AttentionHead) -> Iterator[str]:
    """Yield the lines that give queries without an allowed key what was chosen for them."""
    if head.empty == "error" or not head.steps.empty_rows.any():
        return
    yield "# A query without an allowed key: PyTorch 2.5 and later give it an output of 0, earlier"
    yield f'# versions NaN. Here the choice was "{head.empty}".'
    yield "none = ~attn_mask.any(dim=1, keepdim=True)"
    if head.empty == "uniform":
        yield "output = torch.where(none, v.mean(dim=0, keepdim=True), output)"
    else:
        fill = {"zeros": "0.0", "nan": 'float("nan")'}[head.empty]
        yield f"output = output.masked_fill(none, {fill})"
