"""One attention head as an .npz file of plain arrays."""

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import Empty
from attnviz.exports.attention_head import checked_head
from attnviz.exports.attention_json import FORMAT


def npz_bytes(
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
) -> bytes:
    """Return one head as the bytes of an .npz file, which ``numpy.load`` opens as it is.

    Parameters
    ----------
    q, k, v, allowed, scale, beta, empty, tokens, keys
        As in `numpy_text`.

    Returns
    -------
    bytes
        The arrays ``format``, ``q``, ``k``, ``v``, ``allowed`` (True = may attend), ``scale`` (the
        factor as a number), ``beta``, ``empty``, ``tokens``, ``keys``, ``scores``, ``scaled``,
        ``masked``, ``weights`` and ``output``: numbers, truth values and texts, no objects. Equal
        heads give equal bytes.

    Raises
    ------
    ValueError
        As in `numpy_text`, and if a label holds NUL, which NumPy drops at the end of a text.

    Examples
    --------
    >>> data = npz_bytes([[1.0]], [[2.0]], [[3.0]], allowed=None, scale=None, beta=1,
    ...                  empty="zeros", tokens=["the"], keys=["cat"])
    >>> np.load(io.BytesIO(data))["output"]
    array([[3.]])
    """
    head = checked_head(
        q, k, v, allowed=allowed, scale=scale, beta=beta, empty=empty, tokens=tokens, keys=keys
    )
    for label in (*head.tokens, *head.keys):
        if "\0" in label:
            raise ValueError(f"the label {label!r} holds a NUL character, which NumPy would drop")
    arrays = {name: getattr(head, name) for name in ("q", "k", "v", "allowed", "beta", "empty")}
    arrays |= {name: np.array(getattr(head, name), dtype=np.str_) for name in ("tokens", "keys")}
    arrays |= {"format": FORMAT, "scale": head.scale_value}
    for name in ("scores", "scaled", "masked", "weights", "output"):
        arrays[name] = getattr(head.steps, name)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()
