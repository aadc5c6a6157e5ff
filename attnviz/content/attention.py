"""Presets of the attention page."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np

from attnviz.content import gallery
from attnviz.state.attention import MAX_TOKENS, MAX_WIDTH, AttentionState
from attnviz.state.matrix import Matrix, matrix
from attnviz.state.numbers import Cell, write_number

T = TypeVar("T")

GROUPS = ("Worked by hand", "Patterns", "Real heads")
BY_HAND, PATTERNS, REAL = GROUPS
MAX_SEED = 9999

_NORMAL = NormalDist()
_RANDOM = re.compile(r"random-(0|[1-9][0-9]{0,3})")


@dataclass(frozen=True)
class Preset:
    """A prepared state; its numbers are read or drawn when they are first asked for.

    Attributes
    ----------
    title : str
        Its name on the screen.
    group : str
        One of `GROUPS`.
    say : str
        One sentence that says what to see.
    make : callable
        Makes the state.
    credit : str
        Model, licence and place of a real head, or empty.
    """

    title: str
    group: str
    say: str
    make: Callable[[], AttentionState] = field(repr=False)
    credit: str = ""

    @cached_property
    def state(self) -> AttentionState:
        """The state, made once."""
        return self.make()


def random_state(
    seed: int, n_q: int = 4, n_k: int = 4, d_k: int = 4, d_v: int = 4
) -> AttentionState:
    """Draw Q, K and V from the normal distribution N(0, 1), rounded to 3 decimals.

    A seed gives the same numbers everywhere and in later versions, as a link must: they come from
    ``random.Random(…).random()``, whose sequence Python promises to keep. No such promise is made
    of ready-made normal numbers, neither by Python nor by NumPy.

    Parameters
    ----------
    seed : int
        From 0 to `MAX_SEED`.
    n_q, n_k : int
        Number of queries and of keys, from 1 to 64.
    d_k, d_v : int
        Width of queries and keys, and of values, from 1 to 64.

    Returns
    -------
    AttentionState

    Raises
    ------
    ValueError
        When a number is out of its range.

    Examples
    --------
    >>> [cell.text for cell in random_state(0).q[0]]
    ['1.013', '0.700', '-0.200', '-0.647']
    """
    for name, value, low, high in (
        ("seed", seed, 0, MAX_SEED),
        ("n_q", n_q, 1, MAX_TOKENS),
        ("n_k", n_k, 1, MAX_TOKENS),
        ("d_k", d_k, 1, MAX_WIDTH),
        ("d_v", d_v, 1, MAX_WIDTH),
    ):
        if not low <= value <= high:
            raise ValueError(f"{name} is a whole number from {low} to {high}; got {value}")
    return AttentionState(
        q=_drawn(3 * seed, n_q, d_k),
        k=_drawn(3 * seed + 1, n_k, d_k),
        v=_drawn(3 * seed + 2, n_k, d_v),
    )


def _drawn(seed: int, n: int, d: int) -> Matrix:
    """Draw a matrix; each has a seed of its own, so that the size of one leaves the others."""
    source = random.Random(seed)

    def draw() -> Cell:
        number = _NORMAL.inv_cdf(max(source.random(), 2.0**-54))  # 0 has no quantile
        text = f"{number:.3f}"
        text = "0.000" if text == "-0.000" else text
        return Cell(text, float(text))

    return tuple(tuple(draw() for _ in range(d)) for _ in range(n))


def _random_preset(seed: int) -> Preset:
    return Preset(
        f"Random, seed {seed}",
        PATTERNS,
        f"Every number of Q, K and V was drawn from N(0, 1) with the seed {seed} and rounded to"
        " 3 decimals.",
        partial(random_state, seed),
    )


def _saturated() -> AttentionState:
    return replace(random_state(2, d_k=64), scale="off")


def _head_state(name: str) -> AttentionState:
    """Make the state of a real head."""
    head = gallery.load(name)
    d_k = head.k.shape[1]
    tokens, keys = (tuple(map(_word, names)) for names in (head.q_tokens, head.k_tokens))
    return AttentionState(
        q=_cells(head.q),
        k=_cells(head.k),
        v=_cells(head.v.astype(np.float64)),
        tokens=tokens,
        keys=() if keys == tokens else keys,
        mask=("causal",) if head.causal else (),
        scale="on" if head.scale == 1 / math.sqrt(d_k) else write_number(head.scale),
        row=gallery.HEADS[name].row,
    )


def _word(token: str) -> str:
    """Leave out the sign for the start of a word: a blank or ▁."""
    return token.lstrip(" ▁") or token


def _cells(numbers: np.ndarray) -> Matrix:
    """Spell each number with the fewest digits that name it in its format, float32 or float64."""
    return tuple(tuple(_cell(str(number)) for number in row) for row in numbers)


def _cell(text: str) -> Cell:
    value = float(text)
    return Cell(write_number(value), value)  # what read_number gives, in a fraction of its time


def _made(q: str, k: str, v: str, **fields: Any) -> AttentionState:
    """Make a state from matrices with / between rows and labels with blanks between words."""
    q, k, v = (matrix(*text.split("/")) for text in (q, k, v))
    labels = {name: tuple(fields.pop(name, "").split()) for name in ("tokens", "keys")}
    return AttentionState(q=q, k=k, v=v, **labels, **fields)


def _preset(title: str, group: str, say: str, q: str, k: str, v: str, **fields: Any) -> Preset:
    return Preset(title, group, say, partial(_made, q, k, v, **fields))


_LISTED: dict[str, Preset] = {
    "worked-example": _preset(
        "Worked example",
        BY_HAND,
        "The scores 1 and 0, divided by √2, become the weights 0.67 and 0.33, and the output is"
        " that mixture of the two values.",
        q="1 0",
        k="1 0 / 0 1",
        v="2 0 / 0 2",
    ),
    "worked-example-causal": _preset(
        "Worked example, causal",
        BY_HAND,
        "The causal mask, aligned top left, leaves the query only the first key: its weight is 1"
        " and the output is its value, 2 and 0.",
        q="1 0",
        k="1 0 / 0 1",
        v="2 0 / 0 2",
        mask=("causal",),
        align="top-left",
    ),
    "identity": _preset(
        "Identity",
        BY_HAND,
        "Q, K and V are the identity: each token scores 1 with itself and 0 with every other, and"
        " the output is the weights themselves.",
        q="1 0 0 / 0 1 0 / 0 0 1",
        k="1 0 0 / 0 1 0 / 0 0 1",
        v="1 0 0 / 0 1 0 / 0 0 1",
    ),
    "uniform": _preset(
        "Uniform",
        BY_HAND,
        "The keys are all the same, so nothing tells them apart: each gets the weight 1/4, and"
        " the output is the mean of the values.",
        q="1 2 / 3 -1 / 0 1 / -2 0",
        k="1 1 / 1 1 / 1 1 / 1 1",
        v="8 0 / 0 4 / 4 4 / 0 0",
    ),
    "lookup": _preset(
        "Look-up",
        BY_HAND,
        "Attention as a dictionary: each query matches one key, a large scale makes that weight"
        " nearly 1, and the output is the value stored there, legs and wings.",
        q="0 0 0 1 / 0 1 0 0",
        k="1 0 0 0 / 0 1 0 0 / 0 0 1 0 / 0 0 0 1",
        v="8 0 / 6 4 / 4 0 / 2 2",
        tokens="hen? bee?",
        keys="spider bee cat hen",
        scale="20",
    ),
    "all-masked-row": _preset(
        "All masked row",
        BY_HAND,
        "Padding at the start and a causal mask: [PAD] could look only at itself, which is hidden,"
        " so it has no key left and gets zeros.",
        q="1 1 / 1 0 / 0 1",
        k="1 1 / 1 0 / 1 2",
        v="5 5 / 2 0 / 0 2",
        tokens="[PAD] cats purr",
        mask=("causal",),
        hide=((0, 0), (1, 0), (2, 0)),
        empty="zeros",
        panel="policies",
    ),
    "previous-token": _preset(
        "Previous token, by hand",
        PATTERNS,
        "Keys hold their position and queries the position before theirs, so every token but the"
        " first puts more than 0.9 of its weight on the token before it.",
        q="12 0 0 0 0 0 / 12 0 0 0 0 0 / 0 12 0 0 0 0 / 0 0 12 0 0 0 / 0 0 0 12 0 0 / 0 0 0 0 12 0",
        k="1 0 0 0 0 0 / 0 1 0 0 0 0 / 0 0 1 0 0 0 / 0 0 0 1 0 0 / 0 0 0 0 1 0 / 0 0 0 0 0 1",
        v="1 / 2 / 3 / 4 / 5 / 6",
        tokens="the cat sat on the mat",
        mask=("causal",),
        row=2,
    ),
    "induction": _preset(
        "Induction, by hand",
        PATTERNS,
        "Queries hold their own letter and keys the letter before theirs, so the second A, B and C"
        " put more than 0.9 of their weight on what followed the first.",
        q="12 0 0 / 0 12 0 / 0 0 12 / 12 0 0 / 0 12 0 / 0 0 12",
        k="0 0 0 / 1 0 0 / 0 1 0 / 0 0 1 / 1 0 0 / 0 1 0",
        v="1 0 0 / 0 1 0 / 0 0 1 / 1 0 0 / 0 1 0 / 0 0 1",
        tokens="A B C A B C",
        mask=("causal",),
        row=3,
    ),
    "alignment": _preset(
        "Translation, by hand",
        PATTERNS,
        "Each Spanish word looks at what it translates: “veo” shares its weight between “I” and"
        " “see”, and “gatos negros” crosses “black cats”.",
        q="8 0 0 / 0 8 0 / 0 0 8",
        k="1 0 0 / 1 0 0 / 0 0 1 / 0 1 0",
        v="1 0 0 / 1 0 0 / 0 0 1 / 0 1 0",
        tokens="veo gatos negros",
        keys="I see black cats",
        row=1,
    ),
    "saturated": Preset(
        "Saturated",
        PATTERNS,
        "With d_k = 64 and no scale, random scores spread by about √64 = 8, and every query here"
        " puts more than 0.99 of its weight on one key: switch the scale on and compare.",
        _saturated,
    ),
    "random-0": _random_preset(0),
    **{
        name: Preset(about.title, REAL, about.say, partial(_head_state, name), about.credit)
        for name, about in gallery.HEADS.items()
    },
}


def next_random(name: str) -> str:
    """Return the preset of the next seed, or empty for a preset that isn't random.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    Examples
    --------
    >>> next_random("random-9"), next_random("random-9999"), next_random("identity")
    ('random-10', 'random-0', '')
    """
    seed = _RANDOM.fullmatch(name)
    return f"random-{(int(seed[1]) + 1) % (MAX_SEED + 1)}" if seed else ""


@lru_cache(maxsize=64)
def _unlisted(name: str) -> Preset:
    """Return the preset of a seed that isn't in the menu."""
    seed = _RANDOM.fullmatch(name)
    if seed is None:
        raise KeyError(name)
    return _random_preset(int(seed[1]))


class _Named(Mapping[str, T]):
    """The presets of the menu, and ``random-7`` and so on for every other seed."""

    def __init__(self, view: Callable[[Preset], T]) -> None:
        self._view = view

    def __getitem__(self, name: str) -> T:
        return self._view(_LISTED[name] if name in _LISTED else _unlisted(name))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in _LISTED or bool(_RANDOM.fullmatch(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(_LISTED)

    def __len__(self) -> int:
        return len(_LISTED)


#: Every preset by name, in the order of the menu. ``random-7`` and so on, up to `MAX_SEED`, are
#: known as well, though only ``random-0`` is in the menu.
PRESETS: Mapping[str, Preset] = _Named(lambda preset: preset)
_STATES: Mapping[str, AttentionState] = _Named(attrgetter("state"))


def preset_states() -> Mapping[str, AttentionState]:
    """Return what each preset's name stands for in a link; a state is made when it is asked for.

    Returns
    -------
    mapping of str to AttentionState

    Examples
    --------
    >>> states = preset_states()
    >>> "random-7" in states, "random-07" in states, states["lookup"].key_labels[1]
    (True, False, 'bee')
    """
    return _STATES
