"""Attention heads of real models, each run on one sentence: their q, k and v, and what they show.

Each head is a file ``<name>.npz`` of plain arrays. What is said about it stands in ``heads.json``,
where a writer can change it; the licences of the models stand in ``LICENCES.md``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class About:
    """What is known of a head without its numbers.

    Attributes
    ----------
    title : str
        Its name on the screen.
    say : str
        One sentence that says what to see.
    credit : str
        One line that names the model, its licence, and the head.
    text : str
        The sentence that the model read.
    layer, head : int
        Its place in the model, both counted from 0.
    row : int
        The query that shows it best, from 0.
    """

    title: str
    say: str
    credit: str
    text: str
    layer: int
    head: int
    row: int


@dataclass(frozen=True, eq=False)
class Head:
    """One head on one sentence. Read-only arrays; rows are tokens.

    Attributes
    ----------
    q : ndarray of float32, shape (n_q, d_k)
        Queries, as the model multiplies them with the keys.
    k : ndarray of float32, shape (n_k, d_k)
        Keys.
    v : ndarray of float16, shape (n_k, d_v)
        Values, rounded to float16.
    q_tokens : tuple of str, length n_q
        Tokens that ask, as the model's tokenizer spells them: with ``##`` inside a word, or with a
        blank or ``▁`` at the start of one.
    k_tokens : tuple of str, length n_k
        Tokens that answer. Other ones than ``q_tokens`` where a translation looks at its source.
    causal : bool
        Whether each query sees only its own position and those before it.
    scale : float
        Factor of the scores.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    q_tokens: tuple[str, ...]
    k_tokens: tuple[str, ...]
    causal: bool
    scale: float


def _about(entry: dict[str, Any], models: dict[str, dict[str, str]]) -> About:
    credit = models[entry["model"]]["credit"]
    place = f"layer {entry['layer']}, head {entry['head']} (from 0)"
    told = {name: value for name, value in entry.items() if name != "model"}
    return About(credit=f"{credit}: {place}", **told)


def _read_heads() -> Mapping[str, About]:
    data = json.loads((_FOLDER / "heads.json").read_text(encoding="utf-8"))
    return MappingProxyType(
        {name: _about(entry, data["models"]) for name, entry in data["heads"].items()}
    )


#: Every head by name, in the order of a menu.
HEADS: Mapping[str, About] = _read_heads()


@cache
def load(name: str) -> Head:
    """Return the numbers of a head, read from its file once.

    Parameters
    ----------
    name : str
        A name of `HEADS`.

    Returns
    -------
    Head

    Raises
    ------
    KeyError
        When there is no such head.

    Examples
    --------
    >>> head = load("enpt-alignment")
    >>> head.q.shape, head.k.shape, head.causal
    ((10, 32), (11, 32), False)
    """
    if name not in HEADS:
        raise KeyError(name)
    with np.load(_FOLDER / f"{name}.npz") as file:  # NumPy refuses pickled arrays by default
        arrays = {key: file[key] for key in file.files}
    for key in ("q", "k", "v"):
        arrays[key].setflags(write=False)
    return Head(
        q=arrays["q"],
        k=arrays["k"],
        v=arrays["v"],
        q_tokens=tuple(arrays["q_tokens"].tolist()),
        k_tokens=tuple(arrays["k_tokens"].tolist()),
        causal=bool(arrays["causal"]),
        scale=float(arrays["scale"]),
    )
