"""Which query may attend to which key: one function a mask, boolean, True = may attend.

A new mask is one function here, decorated with its summary, and one golden matrix in the tests.
Its first two parameters are n_q and n_k; the others, by name only, are its options.
"""

import inspect
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from attnviz.core.checks import Array, choice

Align = Literal["bottom-right", "top-left"]
ALIGNS: tuple[Align, ...] = ("bottom-right", "top-left")


@dataclass(frozen=True)
class Mask:
    """A rule that says which query may attend to which key.

    Attributes
    ----------
    name : str
        Its key in `MASKS`.
    summary : str
        One line for a menu or a tooltip.
    options : tuple of str
        The names of what `allowed` takes beside the counts.
    """

    name: str
    summary: str
    options: tuple[str, ...]
    _rule: Callable[..., Array] = field(repr=False)

    def allowed(self, n_q: int, n_k: int, **options: Any) -> Array:
        """Return the boolean matrix of the mask, True = may attend.

        Parameters
        ----------
        n_q, n_k : int
            Number of queries and of keys, at least 0.
        **options
            What ``options`` lists; the function of the mask documents it.

        Returns
        -------
        ndarray of bool, shape (n_q, n_k)
            A new array. A row may be all False: see ``empty`` in `attention`.

        Raises
        ------
        ValueError
            If a count or an option is out of range.
        TypeError
            If an option is missing or isn't one of this mask's.

        Examples
        --------
        >>> MASKS["causal"].allowed(2, 3)
        array([[ True,  True, False],
               [ True,  True,  True]])
        """
        n_q, n_k = _count(n_q, "n_q", 0), _count(n_k, "n_k", 0)
        return self._rule(n_q, n_k, **options)


#: Every mask by name, in the order of a menu.
MASKS: dict[str, Mask] = {}


def _mask(summary: str) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Enter a rule into MASKS under its own name."""

    def enter(rule: Callable[..., Array]) -> Callable[..., Array]:
        name = rule.__name__
        options = tuple(inspect.signature(rule).parameters)[2:]
        MASKS[name] = Mask(name, summary, options, rule)
        return rule

    return enter


@_mask("Every query may attend to every key.")
def none(n_q: int, n_k: int) -> Array:
    """Hide nothing."""
    return np.ones((n_q, n_k), dtype=bool)


@_mask("A query attends to its own position and the keys before it.")
def causal(n_q: int, n_k: int, *, align: Align = "bottom-right") -> Array:
    """Hide the future.

    ``align`` matters when n_q and n_k differ. "bottom-right": the last query stands at the last
    key, as when new tokens follow keys that are already there (decoding with a cache; MLX,
    FlashAttention 2.1). "top-left": the first query stands at the first key (PyTorch's
    ``is_causal``). With more queries than keys, bottom-right leaves the first queries no key.
    """
    query, key = _positions(n_q, n_k, align)
    return key <= query


@_mask("Sliding window: a query attends to the nearest keys up to its own position.")
def window(
    n_q: int,
    n_k: int,
    *,
    window: int,
    align: Align = "bottom-right",
    both_sides: bool = False,
) -> Array:
    """Hide what is ``window`` or more positions away, and the future.

    ``window`` counts the keys that are seen, the query's own position included, as in Mistral 7B
    (Jiang et al. 2023, figure 1). ``both_sides=True`` sees as many after it as before it, as in
    Longformer (Beltagy et al. 2020).
    """
    window = _count(window, "window", 1)
    query, key = _positions(n_q, n_k, align)
    near = (key > query - window) & (key < query + window)
    return near if both_sides else near & (key <= query)


@_mask("Prefix: the first keys are open to every query, the rest is causal.")
def prefix(n_q: int, n_k: int, *, prefix: int, align: Align = "bottom-right") -> Array:
    """Open the first ``prefix`` keys to all, and be causal after them (prefix LM, Raffel 2020)."""
    prefix = _count(prefix, "prefix", 0, n_k, "n_k")
    return causal(n_q, n_k, align=align) | (np.arange(n_k) < prefix)


@_mask("Padding: keys that only fill up the row are hidden from every query.")
def padding(n_q: int, n_k: int, *, padding: int, side: Literal["right", "left"] = "right") -> Array:
    """Hide ``padding`` keys at the end (side "right") or at the start ("left") from every query."""
    padding = _count(padding, "padding", 0, n_k, "n_k")
    side = choice(side, ("right", "left"), "side")
    key = np.arange(n_k)
    seen = key < n_k - padding if side == "right" else key >= padding
    return np.broadcast_to(seen, (n_q, n_k)).copy()


@_mask("Blocks: a query attends to the keys of its own block, in both directions.")
def block(n_q: int, n_k: int, *, block: int, align: Align = "bottom-right") -> Array:
    """Cut the keys into blocks of ``block`` from key 0 on, like texts packed into one row."""
    block = _count(block, "block", 1)
    query, key = _positions(n_q, n_k, align)
    return query // block == key // block


@_mask("Custom: the cells of a list are hidden, every other is open.")
def custom(n_q: int, n_k: int, *, hide: Iterable[tuple[int, int]] = ()) -> Array:
    """Hide the (query, key) pairs in ``hide``, counted from 0. Combine with another mask by &."""
    seen = np.ones((n_q, n_k), dtype=bool)
    for pair in hide:
        try:
            row, column = (operator.index(at) for at in pair)
        except (TypeError, ValueError):
            raise ValueError(f"hide must hold pairs (query, key); got {pair!r}") from None
        if not (0 <= row < n_q and 0 <= column < n_k):
            raise ValueError(
                f"hide names ({row}, {column}), which isn't in {n_q} queries by {n_k} keys "
                "(counted from 0)"
            )
        seen[row, column] = False
    return seen


def _positions(n_q: int, n_k: int, align: str) -> tuple[Array, Array]:
    """Return the positions of the queries (n_q, 1) and of the keys (1, n_k) on one line."""
    align = choice(align, ALIGNS, "align")
    first = n_k - n_q if align == "bottom-right" else 0
    return np.arange(n_q)[:, None] + first, np.arange(n_k)[None, :]


def _count(value: Any, name: str, low: int, high: int | None = None, of: str = "") -> int:
    """Return a whole number within its limits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number; got {value!r}") from None
    if number < low or (high is not None and number > high):
        limit = f"at least {low}" if high is None else f"from {low} to {of} = {high}"
        raise ValueError(f"{name} must be {limit}; got {number}")
    return number
