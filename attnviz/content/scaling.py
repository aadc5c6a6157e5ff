"""The scaling page in words: presets, sentences, tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.content.labs import Preset, plain_table
from attnviz.content.shown import shown
from attnviz.state.scaling import ScalingState

HEADING = "#### Why scores are divided by √d_k"
SENTENCE = (
    "Every draw has one query and its keys, all parts drawn from a normal distribution with mean 0"
    " and variance 1. Their dot products then have variance d_k."
)
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
STUDY = (
    "Lines are means over the draws, bands one standard deviation. The norm is that of the softmax"
    " Jacobian diag(w) − w wᵀ: what comes back to the scores when a model learns passes through it."
    " Near 0, nothing is learnt."
)
SLOPE = (
    "Row and column of the Jacobian: how much each score (column) moves each weight (row). A weight"
    " near 0 or near 1 moves with no score at all: w (1 − w) is nearly 0."
)
RUN = "Draw all widths from 1 to 1,024"
STOP = "Stop"
NAMES = ("without the scale", "divided by √d_k")

PRESETS: dict[str, Preset[ScalingState]] = {
    "narrow": Preset("d_k = 1", ScalingState(d_k=1)),
    "head": Preset("d_k = 64, a usual head", ScalingState(d_k=64)),
    "wide": Preset("d_k = 1,024", ScalingState(d_k=1024)),
    "study": Preset("All widths", ScalingState(panel="study", study="on")),
    "saturated": Preset(
        "The slope of a saturated row", ScalingState(d_k=256, panel="slope", n_k=8, pick=2)
    ),
    "flat": Preset("The slope of a flat row", ScalingState(d_k=1, panel="slope", n_k=8, seed=3)),
    "two-keys": Preset("Two keys", ScalingState(n_k=2, d_k=64, panel="slope")),
    "many": Preset("1,000 draws of 64 keys", ScalingState(n_k=64, draws=1000)),
}


def spread_facts(
    d_k: int, raw: float, scaled: float, largest: Sequence[float], entropies: Sequence[float]
) -> list[dict[str, object]]:
    """Say what the draws measure.

    Parameters
    ----------
    d_k : int
    raw, scaled : float
        Variances.
    largest, entropies : sequence of float
        Means without the scale and with it.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    return [
        {"term": "Variance of the scores", "value": shown(raw), "note": f"expected {d_k}"},
        {"term": "of the scaled ones", "value": shown(scaled), "note": "expected 1"},
        {
            "term": "Largest weight",
            "value": shown(largest[0]),
            "note": f"with the scale {shown(largest[1])}",
        },
        {
            "term": "Entropy",
            "value": f"{shown(entropies[0])} nats",
            "note": f"with the scale {shown(entropies[1])}",
        },
    ]


def study_table(
    widths: Sequence[int], columns: Sequence[tuple[str, np.ndarray, np.ndarray]]
) -> dict[str, Any]:
    """Lay out the study: mean ± standard deviation for each width.

    Parameters
    ----------
    widths : sequence of int
    columns : sequence of (str, ndarray, ndarray)
        Title, means, deviations.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    rows = [
        {
            "label": str(width),
            "cells": [f"{float(m[at]):.4f} ± {float(s[at]):.4f}" for _, m, s in columns],
        }
        for at, width in enumerate(widths)
    ]
    head = [
        ("d_k", ""),
        *((title, "Mean ± standard deviation over the draws.") for title, *_ in columns),
    ]
    return plain_table("Mean ± standard deviation over the draws", head, rows)


def slope_table(
    labels: Sequence[str],
    colors: Sequence[str],
    scores: Sequence[float],
    sides: Sequence[tuple[Sequence[float], Sequence[float]]],
) -> dict[str, Any]:
    """Lay out the weights of one draw and their own slopes, without the scale and with it.

    Parameters
    ----------
    labels, colors : sequence of str
    scores : sequence of float
        Dot products.
    sides : sequence of (weights, slopes)
        Without the scale, then with it.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    head = [("key", ""), ("score q · k", "")]
    for name in NAMES:
        head += [
            (f"weight, {name}", ""),
            ("w (1 − w)", "How much its own score moves this weight."),
        ]
    rows = [
        {
            "label": label,
            "color": colors[at],
            "cells": [
                shown(scores[at]),
                *(shown(values[at]) for side in sides for values in side),
            ],
        }
        for at, label in enumerate(labels)
    ]
    return plain_table("One draw", head, rows)


def texts_of(matrix: np.ndarray) -> list[list[str]]:
    """Return the numbers of a matrix as texts of its cells.

    Parameters
    ----------
    matrix : ndarray, shape (n, n)

    Returns
    -------
    list of list of str
    """
    return [[shown(x, 3) for x in row] for row in matrix.tolist()]


def progress(done: int, scaled: bool) -> float:
    """Return how much of the study is done.

    Parameters
    ----------
    done : int
        Widths that are done.
    scaled : bool
        False in the first half.

    Returns
    -------
    float
        From 0 to 1.
    """
    return (done + len(WIDTHS) * scaled) / (2 * len(WIDTHS))


def progress_text(done: int, scaled: bool) -> str:
    """Say how far the study is.

    Parameters
    ----------
    done : int
    scaled : bool

    Returns
    -------
    str
    """
    return f"d_k = {WIDTHS[done - 1]:,}, {NAMES[scaled]}"


def with_room(top: float) -> float:
    """Return the end of an axis, with room above its highest level.

    Parameters
    ----------
    top : float

    Returns
    -------
    float
    """
    return 1.05 * top


def spread_alt(title: str, measured: float, expected: float) -> str:
    """Describe a histogram.

    Parameters
    ----------
    title : str
    measured, expected : float
        Variances.

    Returns
    -------
    str
    """
    return f"Histogram of the {title}: variance {shown(measured)}, expected {expected}."


def study_alt(title: str, series: Sequence[tuple[str, np.ndarray, np.ndarray]]) -> str:
    """Describe lines against d_k.

    Parameters
    ----------
    title : str
    series : sequence of (str, ndarray, ndarray)

    Returns
    -------
    str
    """
    ends = ", ".join(
        f"{name} from {shown(float(mean[0]))} to {shown(float(mean[-1]))}"
        for name, mean, _ in series
    )
    return f"Mean {title} from d_k = 1 to 1,024: {ends}."


def jacobian_alt(name: str, slopes: Sequence[Sequence[float]]) -> str:
    """Describe the heatmap of a Jacobian.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    slopes : sequence of sequence of float
        Without the scale, and with it.

    Returns
    -------
    str
    """
    largest = max(slopes[NAMES.index(name)])
    return f"Jacobian {name}: no weight is moved by its own score by more than {shown(largest)}."
