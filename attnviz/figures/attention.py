"""Figures of the attention page: heatmaps of the stages, entropy per query, what keys receive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.attention_axes import LEGEND, MOST_ROW_TICKS, TALL, named_axis
from attnviz.figures.attention_heatmap import heatmap
from attnviz.figures.style import GRID, GUIDE, assembled, base_layout, colour_of, complete, plain

__all__ = ["entropy_per_query", "heatmap", "received"]

_CLEAR = "rgba(0,0,0,0)"
_PALE = "rgba(128,128,128,0.3)"
_NEUTRAL = "#64748b"  # bars of queries, no key's colour: 4.8 : 1 on white, 4.0 : 1 on #0e1117
_ABOVE, _BELOW = 40, 66  # pixels: the legend; tick labels and title of the axis
_MOST_TEXTS = 16  # keys; beyond, turned texts would touch on a phone


def entropy_per_query(
    labels: Sequence[str],
    entropies: np.ndarray,
    ceilings: np.ndarray,
    texts: Sequence[str],
    *,
    empty: np.ndarray,
) -> go.Figure:
    """Draw the entropy of the weights of each query as bars, the first query on top.

    A bar goes from 0 to the entropy. The pale track behind it, with a stroke at its end, goes to
    the query's own ceiling: ln of the number of keys that it may attend to.

    A query *without an allowed key* has no bar and no track and says "no keys". With one allowed
    key entropy and ceiling are 0: a stroke on the axis. A *NaN* has a track but no bar. *Masked*
    and *underflowed* keys have no mark of their own here.

    Parameters
    ----------
    labels : sequence of str, length n_q
        The queries, as typed.
    entropies : ndarray, shape (n_q,)
        In nats.
    ceilings : ndarray, shape (n_q,)
        The largest possible entropy of each query, in nats.
    texts : sequence of str, length n_q
        The entropies in words, such as ``"0.9086"``: beside the bars up to 22 queries, and in the
        hover.
    empty : ndarray of bool, shape (n_q,)
        True for a query without an allowed key; its numbers and its text have no influence.

    Returns
    -------
    plotly.graph_objects.Figure
        ``data[0]`` holds the bars; their ``x`` are the entropies in float64.
    """
    n = len(labels)
    empty = np.asarray(empty, dtype=bool)
    lengths = np.where(empty, np.nan, np.asarray(entropies, dtype=np.float64))
    limits = np.where(empty, np.nan, np.asarray(ceilings, dtype=np.float64))
    longest = float(np.nanmax(np.append(limits, 0.0))) or 1.0
    height = int(np.clip(34 * n, 68, TALL))
    at = np.arange(n)
    said, hover = [], []
    for i, (label, text) in enumerate(zip(labels, texts, strict=True)):
        said.append("no keys" if empty[i] else plain(text))
        words = "no keys" if empty[i] else f"entropy {said[i]} nats<br>at most {limits[i]:.4f} nats"
        hover.append(f"{complete(label)}<br>position {i}<br>{words}")

    flat = {"type": "bar", "orientation": "h", "y": at, "showlegend": False}
    bars = {
        **flat,
        "x": lengths,
        "width": 0.5,
        "marker": {"color": _NEUTRAL},
        "hovertext": hover,
        "hoverinfo": "text",
        "zorder": 1,  # in front of the track, though it is the first trace
    }
    track = {**flat, "x": limits, "width": 0.8, "marker": {"color": _PALE}, "hoverinfo": "skip"}
    strokes = {
        "type": "scatter",
        "mode": "markers+text" if n <= MOST_ROW_TICKS else "markers",
        "name": "at most ln(allowed keys)",
        "x": np.nan_to_num(limits),
        "y": at,
        "marker": {
            "symbol": "line-ns-open",
            "color": GUIDE,
            "size": min(0.4 * height / n, 14),
            "opacity": np.where(empty, 0, 1),
            "line": {"width": 3},
        },
        "text": [f" {text}" for text in said],
        "textposition": "middle right",
        "hoverinfo": "skip",
        "cliponaxis": False,
        "zorder": 2,
    }
    layout = base_layout(
        height=_ABOVE + height + _BELOW,
        barmode="overlay",
        hovermode="y",
        showlegend=True,
        legend=LEGEND,
        xaxis={**_from_zero("entropy (nats)", 1.3 * longest), "nticks": 5},
        yaxis=named_axis(labels, "query (asks)", [n - 0.5, -0.5], most=MOST_ROW_TICKS),
    )
    return assembled({"data": [bars, track, strokes], "layout": layout})


def received(labels: Sequence[str], totals: np.ndarray, texts: Sequence[str]) -> go.Figure:
    """Draw how much weight each key receives from all queries together.

    Bars stand at the positions 0 to n − 1 in the colours of the keys. The axis starts at 0 and ends
    above 1 and above the largest total. Up to 16 keys the text stands above the bar; the hover
    tells the complete label, the position and the text.

    A key that receives nothing, as it is *masked* from every query, *underflowed* or *zero*, has no
    bar, and the text tells which it is. A *NaN* has no bar either.

    Parameters
    ----------
    labels : sequence of str, length n_k
        The keys, as typed.
    totals : ndarray, shape (n_k,)
        Sum of each key's weights over the queries, from 0 to n_q.
    texts : sequence of str, length n_k
        The totals in words, such as ``"1.2041"``.

    Returns
    -------
    plotly.graph_objects.Figure
        ``data[0]`` holds the bars; their ``y`` are the totals in float64.
    """
    n = len(labels)
    heights = np.asarray(totals, dtype=np.float64)
    at = np.arange(n)
    top = max(1.0, float(np.nan_to_num(heights).max(initial=0.0)))
    turned = 8 < n <= _MOST_TEXTS or (3 < n <= 8 and max(map(len, texts)) > 8)
    hover = [
        f"{complete(label)}<br>position {i}<br>receives {plain(text)}"
        for i, (label, text) in enumerate(zip(labels, texts, strict=True))
    ]
    bars = {
        "type": "bar",
        "x": at,
        "y": heights,
        "width": 0.6 if n <= _MOST_TEXTS else 0.8,
        "marker": {"color": [colour_of(i) for i in range(n)]},
        "hovertext": hover,
        "hoverinfo": "text",
    }
    data: list[dict[str, Any]] = [bars]
    if n <= _MOST_TEXTS:
        # On clear bars as wide as the slot: Plotly shrinks what is wider.
        above = {"type": "bar", "x": at, "y": np.nan_to_num(heights), "width": 0.92}
        above |= {"marker": {"color": _CLEAR}, "text": [plain(text) for text in texts]}
        above |= {"textposition": "outside", "textangle": -90 if turned else 0}
        above |= {"hoverinfo": "skip"} | ({"constraintext": "none"} if turned else {})
        data.append(above)
    room = max(0.6, 1.5 - n / 2)  # one bar alone is no wider than one of three
    layout = base_layout(
        barmode="overlay",
        hovermode="x",
        xaxis={
            **named_axis(labels, "key (answers)", [-room, n - 1 + room]),
            "autotickangles": [0, -45, -90] if n <= 8 else [0, -90],
        },
        yaxis={**_from_zero("weight received", (1.35 if turned else 1.12) * top), "nticks": 6},
    )
    return assembled({"data": data, "layout": layout})


def _from_zero(title: str, top: float) -> dict[str, Any]:
    """Return an axis of amounts."""
    return {
        "title": {"text": title},
        "range": [0, top],
        "gridcolor": GRID,
        "zerolinecolor": GUIDE,
        "showline": False,
        "fixedrange": True,
        "automargin": True,
    }
