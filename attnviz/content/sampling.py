"""The sampling page in words: presets, sentences, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.content.labs import Preset, plain_table
from attnviz.content.shown import MASKED, shown, shown_weight
from attnviz.state.matrix import matrix
from attnviz.state.numbers import read_number
from attnviz.state.sampling import SamplingState
from attnviz.state.temperature import Temperature

HEADING = "#### Sampling: from logits to a word"
CUT = "cut"
GREEDY = "T → 0: always the likeliest word. That is called greedy; ties share."
NOTHING = "Every word is masked: there is none to draw."
FULL = (
    "The grey columns are the distribution over all words. A softmax over a part of them is never"
    " shown without saying so."
)
TIES = (
    "Words that tie at the edge of a filter all stay; some programs keep only the first of them."
    " Sources: nucleus sampling (top-p), Holtzman et al. 2020; min-p, Nguyen et al. 2024."
)
DRAWN = "Each draw takes one word with its probability. The more draws, the nearer the frequencies."
NAMES = {"temperature": "temperature", "top_k": "top-k", "top_p": "top-p", "min_p": "min-p"}
_NEXT = ("mat", "floor", "sofa", "bed", "roof", "table", "moon", "idea")


def _state(row: str, **fields: Any) -> SamplingState:
    return SamplingState(scores=matrix(row), **fields)


_EIGHT = "4 3 2 1.5 1 0 -1 -2"
PRESETS: dict[str, Preset[SamplingState]] = {
    "cat": Preset("The cat sat on the …", _state(_EIGHT, labels=_NEXT)),
    "cool": Preset(
        "Cool, T = 0.7", _state(_EIGHT, labels=_NEXT, temperature=Temperature("T", "0.7"))
    ),
    "hot": Preset(
        "Hot, T = 1.5", _state(_EIGHT, labels=_NEXT, temperature=Temperature("T", "1.5"))
    ),
    "greedy": Preset(
        "Greedy, T → 0", _state(_EIGHT, labels=_NEXT, temperature=Temperature("beta", "inf"))
    ),
    "top-3": Preset("Top-k of 3", _state(_EIGHT, labels=_NEXT, top_k=3)),
    "nucleus": Preset("Top-p of 0.9", _state(_EIGHT, labels=_NEXT, top_p=read_number("0.9"))),
    "min-p": Preset("Min-p of 0.1", _state(_EIGHT, labels=_NEXT, min_p=read_number("0.1"))),
    "tie": Preset("A tie at the edge", _state("2 1 1 0", top_k=2, panel="filters")),
    "order": Preset(
        "Hot, and filtered first",
        _state(
            _EIGHT,
            labels=_NEXT,
            temperature=Temperature("T", "2"),
            top_p=read_number("0.9"),
            order="k-p-m-T",
            panel="filters",
        ),
    ),
    "many": Preset("100,000 draws", _state(_EIGHT, labels=_NEXT, draws=100_000)),
}


def probability_texts(
    probabilities: Sequence[float], kept: Sequence[bool], allowed: Sequence[bool], *, exact: bool
) -> list[str]:
    """Return what stands on each bar: a probability, cut, or masked.

    Parameters
    ----------
    probabilities : sequence of float
    kept, allowed : sequence of bool
    exact : bool
        True in the limit T → 0, where a 0 is exact.

    Returns
    -------
    list of str

    Examples
    --------
    >>> probability_texts([1, 0, 0], [True, False, False], [True, True, False], exact=False)
    ['1', 'cut', 'masked']
    """
    return [
        shown_weight(p, True, exact=exact) if k else CUT if a else MASKED
        for p, k, a in zip(probabilities, kept, allowed, strict=True)
    ]


def bars_alt(labels: Sequence[str], texts: Sequence[str]) -> str:
    """Describe the bars.

    Parameters
    ----------
    labels, texts : sequence of str

    Returns
    -------
    str
    """
    pairs = ", ".join(f"{label} {text}" for label, text in zip(labels, texts, strict=True))
    return f"Probability of each word: {pairs}."


def spread_facts(
    full: tuple[float, float], filtered: tuple[float, float], kept: int, words: int
) -> list[dict[str, object]]:
    """Say how spread the distribution is, before the filters and after.

    Parameters
    ----------
    full, filtered : (float, float)
        Entropy in nats, and effective choices.
    kept, words : int
        How many words are left, of how many.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    return [
        {"term": "Words left", "value": str(kept), "note": f"of {words}"},
        {
            "term": "Entropy",
            "value": f"{shown(filtered[0])} nats",
            "note": f"over all words {shown(full[0])}",
            "help": "−Σ p ln p of the probabilities that are drawn from.",
        },
        {
            "term": "Effective choices",
            "value": shown(filtered[1]),
            "note": f"over all words {shown(full[1])}",
            "help": "e to the power of the entropy: so many equal choices would be as open.",
        },
    ]


def filters_table(
    labels: Sequence[str],
    colors: Sequence[str],
    logits: Sequence[float],
    full: Sequence[float],
    stages: Sequence[tuple[str, Sequence[bool]]],
    probabilities: Sequence[float],
    settings: Mapping[str, str],
    *,
    exact: bool = False,
) -> dict[str, Any]:
    """Lay out what each step keeps, in its order.

    Parameters
    ----------
    labels, colors : sequence of str
    logits, full, probabilities : sequence of float
    stages : sequence of (str, sequence of bool)
        Name of each step and what is kept after it.
    settings : mapping of str to str
        What each step is set to.
    exact : bool
        True in the limit T → 0, where a probability of 0 didn't underflow.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [("word", ""), ("logit", "As typed."), ("over all words", "Softmax of all logits.")]
    head += [
        (f"{NAMES[name]}: {settings[name]}", "What is left after this step.") for name, _ in stages
    ]
    head += [("probability", "Of the words that are left, in parts of 1.")]
    rows = []
    for at, label in enumerate(labels):
        masked = np.isneginf(logits[at])
        cells = [shown(logits[at]), shown_weight(full[at], not masked, exact=exact)]
        cells += ["kept" if kept[at] else MASKED if masked else CUT for _, kept in stages]
        left = stages[-1][1][at]
        (last,) = probability_texts([probabilities[at]], [left], [not masked], exact=exact)
        cells += [last]
        rows.append({"label": label, "color": colors[at], "masked": not left, "cells": cells})
    blanks = [""] * len(stages)
    sums = ["", shown(float(np.sum(full)), 12), *blanks, shown(float(np.sum(probabilities)), 12)]
    return plain_table("From all words to those that can be drawn", head, rows, [("sum", sums)])


def growth_table(
    labels: Sequence[str],
    colors: Sequence[str],
    sizes: Sequence[int],
    counts: np.ndarray,
    probabilities: Sequence[str],
    gaps: Sequence[float],
) -> dict[str, Any]:
    """Lay out how the frequencies grow towards the probabilities.

    Parameters
    ----------
    labels, colors : sequence of str
    sizes : sequence of int
        Numbers of draws, increasing.
    counts : ndarray of int, shape (sizes, n)
    probabilities : sequence of str
        From `probability_texts`.
    gaps : sequence of float
        Total-variation distance at each size.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [("word", ""), *((f"{size:,} drawn", "How often it was drawn.") for size in sizes)]
    head += [("frequency", "Of all draws."), ("probability", "")]
    rows = []
    for at, label in enumerate(labels):
        cells = [f"{int(counts[row, at]):,}" for row in range(len(sizes))]
        cells += [shown(float(counts[-1, at] / sizes[-1])), probabilities[at]]
        masked = probabilities[at] in (MASKED, CUT)
        rows.append({"label": label, "color": colors[at], "masked": masked, "cells": cells})
    last = ["off by", *(shown(gap) for gap in gaps), "", ""]
    return plain_table(
        "One sequence of draws, counted after so many of them",
        head,
        rows,
        [(last[0], last[1:])],
    )


def sizes_up_to(draws: int) -> list[int]:
    """Return the numbers of draws after which the words are counted.

    Parameters
    ----------
    draws : int

    Returns
    -------
    list of int

    Examples
    --------
    >>> sizes_up_to(250), sizes_up_to(1)
    ([1, 10, 100, 250], [1])
    """
    sizes = [10**power for power in range(6) if 10**power < draws]
    return [*sizes[-4:], draws]


def settings_of(state: SamplingState) -> dict[str, str]:
    """Return what each step is set to, in words.

    Parameters
    ----------
    state : SamplingState

    Returns
    -------
    dict of str to str
    """
    temperature = state.temperature
    return {
        "temperature": f"{temperature.name} = {temperature.text}",
        "top_k": str(state.top_k) if state.top_k else "off",
        "top_p": state.top_p.text if state.top_p else "off",
        "min_p": state.min_p.text if state.min_p else "off",
    }


def draws_alt(labels: Sequence[str], frequencies: Sequence[float], draws: int) -> str:
    """Describe the bars of the draws.

    Parameters
    ----------
    labels : sequence of str
    frequencies : sequence of float
    draws : int

    Returns
    -------
    str
    """
    pairs = zip(labels, frequencies, strict=True)
    listed = ", ".join(f"{label} {shown(part)}" for label, part in pairs)
    return f"Frequency of each word in {draws:,} draws: {listed}."
