"""The number-format page in words: presets, sentences, tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from attnviz.content.labs import Preset, plain_table
from attnviz.content.shown import MASKED, shown, shown_weight
from attnviz.core.formats import FormatReport, FormatSteps
from attnviz.core.mask_numbers import MaskedBy
from attnviz.core.online import OnlineStep
from attnviz.state.matrix import matrix
from attnviz.state.numbers import read_number
from attnviz.state.numerics import NumericsState

HEADING = "#### Number formats: where softmax breaks"
SHIFT_MARKS = (("float16", "11.1"), ("float32", "88.73"), ("float64", "709.79"))
NOTE = (
    "Every intermediate is rounded to the format, to the nearest and halfway to even. The error is"
    " that of the stable weight against 40 digits, in units of the last place (ulp) of the format."
)
LSE = (
    "The exact way out: log-sum-exp moves with its input, lse(x + b) = lse(x) + b, and the log of a"
    " weight is x − lse(x), which underflows nowhere."
)
EXACT = ("sparsemax", "hard max")  # ways whose 0 is no underflow
NOTHING = "Every key is masked: the exact softmax has no answer, and each format shows its own NaN."
MASKS = "What programs do to hide a key, and what becomes of the weights, in each format."
ONLINE = (
    "The scores are read block by block. When a larger maximum comes, what was summed so far is"
    " multiplied by e^(old maximum − new maximum). Source: Milakov and Gimelshein 2018."
)
VARIANTS = (
    "With a zero: e^x / (1 + Σ e^x), an extra score of 0 that takes weight and gives nothing, as an"
    " attention sink does (Miller 2023; Xiao et al. 2023). Sparsemax: the nearest point of all"
    " weights that sum to 1, so small scores get exactly 0 (Martins and Astudillo 2016). Hard max:"
    " the largest scores share all."
)
BACK, NEXT = "Back", "Next block"
HIDE_ALL, HIDE_ONE, HIDE_NONE = "Mask all keys", "Mask the second key", "Mask none"
_WAYS = {
    "-inf": "score −∞",
    "-1e9": "score + (−1e9)",
    "-1e4": "score + (−1e4)",
    "lowest": "lowest of the format",
    "after": "weight × 0, after",
    "before": "score × 0, before",
}
_STEPS = {
    "scores": "the scores",
    "shifted": "score − max",
    "exps": "exp",
    "total": "the sum",
    "weights": "the division",
}


def _state(row: str, shift: str = "0", **fields: Any) -> NumericsState:
    return NumericsState(scores=matrix(row), shift=read_number(shift), **fields)


PRESETS: dict[str, Preset[NumericsState]] = {
    "half": Preset("float16 overflows at 11.1", _state("0 -1 -2", "11.1")),
    "single": Preset("float32 overflows at 88.73", _state("0 -1 -2", "88.73", format="float32")),
    "double": Preset("float64 overflows at 709.79", _state("0 -1 -2", "709.79", format="float64")),
    "underflow": Preset("A weight underflows", _state("0 -5 -20 -110")),
    "naive-low": Preset("All far below 0", _state("0 -1 -2", "-750", format="float64")),
    "sum": Preset("A sum that stands still", _state(" ".join(["0"] * 64), format="bfloat16")),
    "mask-part": Preset("One key masked by number", _state("2 1 0.5", hide=(1,), panel="masks")),
    "mask-all": Preset(
        "All keys masked by number", _state("2 1 0.5", hide=(0, 1, 2), panel="masks")
    ),
    "online": Preset("In blocks of two", _state("1 3 0 2 5 4", format="float64", panel="online")),
    "sink": Preset("Sparsemax and a sink", _state("2 1.5 0 -1", panel="variants")),
}


def overview_table(
    reports: Sequence[FormatReport], allowed: Sequence[bool], chosen: str
) -> dict[str, Any]:
    """Lay out the four formats side by side.

    Parameters
    ----------
    reports : sequence of FormatReport
    allowed : sequence of bool
    chosen : str
        The format that is shown step by step.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [
        ("format", ""),
        ("exp overflows from", "The smallest score of the format whose exp is inf."),
        ("naive weights", "exp(x) / Σ exp(x) as it stands."),
        ("first fault", "The step that first holds inf or NaN."),
        ("stable weights", "With the largest score subtracted first."),
        ("largest error", "Of the stable weights, in units of the last place."),
    ]
    rows = []
    for found in reports:
        name = found.format.name
        rows.append(
            {
                "label": f"{name} ◂" if name == chosen else name,
                "cells": [
                    shown(found.format.first_own_overflow),
                    _listed(found.naive, allowed),
                    fault_words(found.fault),
                    _listed(found.stable, allowed),
                    _ulps(float(np.max(found.errors))),
                ],
            }
        )
    return plain_table("The same scores in four formats", head, rows)


def fault_words(fault: tuple[str, tuple[int, ...]] | None) -> str:
    """Say where inf or NaN first appears.

    Parameters
    ----------
    fault : (str, tuple of int) or None

    Returns
    -------
    str

    Examples
    --------
    >>> fault_words(None), fault_words(("exps", (0, 2))), fault_words(("total", ()))
    ('none', 'exp of k1, k3', 'the sum')
    """
    if fault is None:
        return "none"
    name, places = fault
    keys = ", ".join(f"k{at + 1}" for at in places[:3]) + (", …" if len(places) > 3 else "")
    return f"{_STEPS[name]} of {keys}" if keys else _STEPS[name]


def _ulps(error: float) -> str:
    return "no number" if math.isinf(error) or math.isnan(error) else f"{error:.2f} ulp"


def _listed(steps: FormatSteps, allowed: Sequence[bool], most: int = 4) -> str:
    texts = [
        number(weight, seen, 3, total=steps.total)
        for weight, seen in zip(steps.weights.tolist(), allowed, strict=True)
    ]
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")


def number(value: float, allowed: bool = True, digits: int = 4, *, total: float = 1.0) -> str:
    """Write a number of a format: masked, overflowed and underflowed are told apart.

    Parameters
    ----------
    value : float
    allowed : bool
    digits : int
    total : float
        What it was divided by: a 0 that came from dividing by inf didn't underflow.

    Returns
    -------
    str

    Examples
    --------
    >>> number(0.0), number(0.0, False), number(math.inf), number(0.25)
    ('0 (underflow)', 'masked', 'inf', '0.25')
    >>> number(0.0, total=math.inf), number(math.nan, False)
    ('0 (÷ inf)', 'nan')
    """
    if math.isnan(value):
        return "nan"
    if not allowed:
        return MASKED
    if value == 0:
        return "0 (÷ inf)" if math.isinf(total) else "0 (underflow)"
    return shown(value, digits).replace("∞", "inf")


def detail_table(
    labels: Sequence[str],
    colors: Sequence[str],
    found: FormatReport,
    reference: Sequence[Decimal],
    logs: Sequence[float],
) -> dict[str, Any]:
    """Lay out one format step by step, the naive way and the stable one.

    Parameters
    ----------
    labels, colors : sequence of str
    found : FormatReport
    reference : sequence of Decimal
        Exact weights, or empty.
    logs : sequence of float
        Logarithms of the weights in float64; empty where no key is allowed.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [
        ("key", ""),
        ("score", "Rounded to the format."),
        ("exp(score)", "The naive way."),
        ("naive weight", "exp(score) / Σ"),
        ("− max", "The stable way."),
        ("exp(…)", ""),
        ("stable weight", ""),
        ("exact weight", "From 40 digits, shown to 12."),
        ("error", "Of the stable weight, in units of the last place."),
        ("log weight", "x − log-sum-exp(x), in float64."),
    ]
    naive, stable, rows = found.naive, found.stable, []
    for at, label in enumerate(labels):
        seen = bool(stable.allowed[at])
        cells = [MASKED] * 9
        if seen:
            cells = [
                shown(float(stable.scores[at])).replace("∞", "inf"),
                number(float(naive.exps[at])),
                number(float(naive.weights[at]), total=naive.total),
                shown(float(stable.shifted[at])).replace("∞", "inf"),
                number(float(stable.exps[at])),
                number(float(stable.weights[at])),
                exact_text(reference[at]),
                _ulps(float(found.errors[at])),
                shown(logs[at]),
            ]
        rows.append({"label": label, "color": colors[at], "masked": not seen, "cells": cells})
    sums = ["", _total(naive.total), "", "", _total(stable.total), "", "", "", ""]
    caption = (
        f"{found.format.name}, step by step: every number is rounded to {found.format.bits} bits"
    )
    return plain_table(caption, head, rows, [("sum", sums)])


def _total(total: float) -> str:
    return shown(float(total)).replace("∞", "inf")


def exact_text(weight: Decimal) -> str:
    """Write an exact weight to 12 significant digits.

    Parameters
    ----------
    weight : Decimal

    Returns
    -------
    str

    Examples
    --------
    >>> exact_text(Decimal("0.5")), exact_text(Decimal("1.234567890123456e-400"))
    ('0.5', '1.23456789012e−400')
    """
    if weight and abs(weight.adjusted()) > 3:
        mantissa, _, exponent = f"{weight:.11e}".partition("e")
        trimmed = mantissa.rstrip("0").rstrip(".")
        return f"{trimmed}e{exponent.replace('-', '−').replace('+', '')}"
    return f"{weight:.12f}".rstrip("0").rstrip(".")


def lse_facts(before: float, after: float, shift: float) -> list[dict[str, object]]:
    """Say that log-sum-exp moves with its input.

    Parameters
    ----------
    before, after : float
        Log-sum-exp of the scores as typed, and of those with the shift added.
    shift : float

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    return [
        {"term": "log-sum-exp of the scores as typed", "value": shown(before)},
        {"term": f"with {shown(shift)} added", "value": shown(after)},
        {"term": "difference", "value": shown(after - before), "note": "what was added"},
    ]


def masks_table(
    ways: Mapping[str, str], names: Sequence[str], results: Mapping[tuple[str, str], MaskedBy]
) -> dict[str, Any]:
    """Lay out what each way of masking does in each format.

    Parameters
    ----------
    ways : mapping of str to str
        Name to what is done.
    names : sequence of str
        Formats.
    results : mapping of (way, format) to MaskedBy

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [("way", ""), *((name, "What it does, and the weights.") for name in names)]
    rows = [
        {
            "label": _WAYS.get(way, what),
            "cells": [
                f"{results[way, name].verdict}:\n{_plain(results[way, name].weights)}"
                for name in names
            ],
        }
        for way, what in ways.items()
    ]
    return plain_table("Masks by number: what each really does", head, rows)


def _plain(weights: np.ndarray, most: int = 4) -> str:
    texts = [shown(w, 3) for w in weights.tolist()]
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")


def verdict_lines(verdicts: Mapping[str, str], seen: Sequence[str]) -> list[dict[str, object]]:
    """Explain the verdicts that stand in the table.

    Parameters
    ----------
    verdicts : mapping of str to str
    seen : sequence of str
        Those in the table.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    return [{"value": f"{name}: {words}."} for name, words in verdicts.items() if name in seen]


def online_table(
    labels: Sequence[str], steps: Sequence[OnlineStep], blocks: int, ordinary: float
) -> dict[str, Any]:
    """Lay out the blocks that have been read.

    Parameters
    ----------
    labels : sequence of str
    steps : sequence of OnlineStep
        So many as have been read.
    blocks : int
        How many there are.
    ordinary : float
        What softmax over all keys at once gives.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [
        ("block", ""),
        ("running maximum", "Of all scores so far."),
        ("factor", "e^(old maximum − new maximum): what was summed before is multiplied by it."),
        ("denominator", "Σ e^(score − maximum) so far."),
        ("output", "Σ e^(score − maximum) · value so far."),
        ("output / denominator", "Attention over the keys so far."),
    ]
    rows = [
        {
            "label": f"{labels[step.start]} to {labels[step.stop - 1]}",
            "cells": [
                shown(step.maximum),
                shown(step.factor),
                shown(step.denominator),
                shown(float(step.output[0])),
                shown(float(step.average[0])),
            ],
        }
        for step in steps
    ]
    foot = []
    if len(steps) == blocks:
        foot = [("all at once", ["", "", "", "", shown(ordinary)])]
    return plain_table(f"{len(steps)} of {blocks} blocks have been read", head, rows, foot)


def variants_table(
    labels: Sequence[str],
    colors: Sequence[str],
    scores: Sequence[float],
    columns: Mapping[str, np.ndarray],
    allowed: Sequence[bool],
) -> dict[str, Any]:
    """Lay out other ways to make weights of the same scores.

    Parameters
    ----------
    labels, colors : sequence of str
    scores : sequence of float
    columns : mapping of str to ndarray
        Title to weights.
    allowed : sequence of bool

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    rows = [
        {
            "label": label,
            "color": colors[at],
            "masked": not allowed[at],
            "cells": [
                shown(scores[at]),
                *(
                    shown_weight(float(column[at]), allowed[at], exact=title in EXACT)
                    for title, column in columns.items()
                ),
            ],
        }
        for at, label in enumerate(labels)
    ]
    sums = ["", *(shown(float(column.sum()), 12) for column in columns.values())]
    head = [("key", ""), ("score", ""), *((title, "") for title in columns)]
    return plain_table("The same scores, other weights", head, rows, [("sum", sums)])


def texts_on_bars(weights: Sequence[float], allowed: Sequence[bool], total: float) -> list[str]:
    """Return what stands on each bar.

    Parameters
    ----------
    weights : sequence of float
    allowed : sequence of bool
    total : float
        What they were divided by.

    Returns
    -------
    list of str
    """
    return [number(w, a, total=total) for w, a in zip(weights, allowed, strict=True)]


def bars_alt(labels: Sequence[str], texts: Sequence[str], what: str) -> str:
    """Describe bars.

    Parameters
    ----------
    labels, texts : sequence of str
    what : str
        Which weights they are.

    Returns
    -------
    str
    """
    pairs = ", ".join(f"{label} {text}" for label, text in zip(labels, texts, strict=True))
    return f"{what}: {pairs}."
