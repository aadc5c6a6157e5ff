"""Figures of the softmax page: weights as bars, weights and entropy against β."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.style import (
    GRID,
    GUIDE,
    MASKED,
    assembled,
    base_layout,
    colour_of,
    complete,
    plain,
    short,
)

__all__ = ["entropy_against_beta", "weight_bars", "weights_against_beta"]

_CLEAR = "rgba(0,0,0,0)"
_FLAT_TEXTS = 8  # up to so many keys the texts on the bars lie flat, beyond they are turned
_MOST_TEXTS = 16  # beyond, turned texts would touch on a phone; they stay in the hover
_MOST_TICKS = 18  # tick labels that fit a phone when turned
_MOST_ENDS = 8  # names at the ends of curves that fit above each other
_MASKED_HEIGHT = 0.32  # room for its word, and not the height of a large weight
_TINY = 0.006  # a bar lower than this is under two pixels
#: What every curve has in common; a template says it once for all of them.
_CURVE = {
    "mode": "lines",
    "line": {"width": 2.5, "shape": "spline"},
    "hoverinfo": "name",
    "hoverlabel": {"namelength": -1},
}
_TOP = 1.05  # end of the axis of weights where no texts stand on it
_APART = 0.1  # distance of two names at the ends of curves, as a part of the axis
_LEGEND_ABOVE = {"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"}
_LEGEND_ABOVE["itemsizing"] = "constant"


def weight_bars(
    labels: Sequence[str],
    weights: np.ndarray,
    texts: Sequence[str],
    *,
    masked: np.ndarray,
    reference: np.ndarray | None = None,
    reference_texts: Sequence[str] | None = None,
    reference_name: str = "",
    title: str = "weight",
    cut: np.ndarray | None = None,
) -> go.Figure:
    """Draw the weights of one query as bars, one colour for one key.

    Bars stand at the positions 0 to n − 1, so repeated labels are separate bars, and the axis is
    fixed at 0 to 1. Above each bar stands its text (up to 16 keys); the hover tells the complete
    label, the position, the text and the reference.

    A *masked* key is a hatched grey column without a bar. A *tiny* weight, whose bar would be too
    low to see, is a short stroke of the key's colour on the axis. An *underflowed* weight (allowed,
    but exactly 0) is a hollow circle on the axis. A *NaN* is a cross on the axis.

    Parameters
    ----------
    labels : sequence of str, length n
        The keys, as typed.
    weights : ndarray, shape (n,)
        Weights in 0 to 1. Drawn as they are; what a masked key holds is drawn as 0.
    texts : sequence of str, length n
        What to write for each key: ``"0.5972"``, ``"1e−17"``, ``"masked"``, ``"0 (underflow)"``.
    masked : ndarray of bool, shape (n,)
        True for a key that is hidden.
    reference : ndarray, shape (n,), optional
        Weights to compare with, such as those at T = 1: a pale grey, wider column behind each bar.
    reference_texts : sequence of str, length n, optional
        Texts of the reference, for the hover.
    reference_name : str
        Name of the reference in legend and hover, such as ``"T = 1"``.
    title : str
        What the bars are: title of the axis, and word of the hover.
    cut : ndarray of bool, shape (n,), optional
        True for a key that was left out, but not masked: it has no bar and no mark, only its text
        and its reference.

    Returns
    -------
    plotly.graph_objects.Figure
        ``data[0]`` is the bar trace; its ``y`` are the weights in float64.
    """
    n = len(labels)
    masked = np.asarray(masked, dtype=bool)
    at = np.arange(n)  # Plotly sends whole numbers in the fewest bytes
    heights = np.where(masked, 0.0, np.asarray(weights, dtype=np.float64))
    colours = [GUIDE if masked[i] else colour_of(i) for i in range(n)]
    crowded = n > _MOST_TEXTS

    hover = []
    for i, (label, text) in enumerate(zip(labels, texts, strict=True)):
        weight = plain(text) if masked[i] else f"{title} {plain(text)}"
        if reference_texts is not None and not masked[i]:
            weight += f" ({plain(reference_name)}: {plain(reference_texts[i])})"
        hover.append(f"{complete(label)}<br>position {i}<br>{weight}")
    bars: dict[str, Any] = {
        "type": "bar",
        "x": at,
        "y": heights,
        "width": 0.8 if crowded else 0.6,
        "marker": {"color": colours},
        "hovertext": hover,
        "hoverinfo": "text",  # a template would also put a box on the tick label
        "showlegend": False,
        "zorder": 1,  # in front of the reference, though it is the first trace
    }
    data = [bars]
    if masked.any():
        data.append(_masked_columns(at[masked], crowded))
    if reference is not None:
        reference = np.where(masked, np.nan, np.asarray(reference, dtype=np.float64))
        shown = np.isfinite(reference)
        data.append(_columns_behind(at[shown], reference[shown], reference_name))
    gone = masked if cut is None else masked | cut
    if marks := _marks_on_axis(heights, gone, colours):
        data.append(marks)
    if not crowded:
        data += _texts_on_bars(heights, texts, masked)

    step = -(-n // _MOST_TICKS)
    width = 14 if n <= 4 else 10
    room = max(0.6, 1.5 - n / 2)  # one bar alone is no wider than one of three
    layout = base_layout(
        barmode="overlay",
        hovermode="x",
        xaxis={
            "type": "linear",
            "range": [-room, n - 1 + room],
            "tickvals": at[::step],
            "ticktext": [plain(short(label, width)) for label in labels[::step]],
            "autotickangles": [0, -45, -90] if n <= _FLAT_TEXTS else [0, -90],
            "ticklabelstandoff": 6,
            "showgrid": False,
            "zeroline": False,
            "showline": False,
            "fixedrange": True,
            "automargin": True,
        },
        yaxis=_zero_to_one(1.35 if _FLAT_TEXTS < n <= _MOST_TEXTS else 1.1, title),
    )
    if reference is not None or (crowded and masked.any()):
        layout["showlegend"] = True
        layout["legend"] = _LEGEND_ABOVE
    return assembled({"data": data, "layout": layout})


def weights_against_beta(
    labels: Sequence[str],
    betas: np.ndarray,
    weights: np.ndarray,
    *,
    beta: float,
    beta_text: str,
    masked: np.ndarray,
    weights_at_beta: np.ndarray,
    weight_texts_at_beta: Sequence[str],
) -> go.Figure:
    """Draw the weight of each allowed key against β, on a logarithmic axis.

    A key has the colour it has in `weight_bars`. Curves that coincide are dashed over each other,
    so each colour shows. Up to 8 keys are named at the right end, in the order of their weights;
    beyond, in a legend.

    A *masked* key has no curve. An *underflowed* weight lies on the axis like any weight too small
    for the picture; its dot says so in the hover. A *NaN* is a gap.

    Parameters
    ----------
    labels : sequence of str, length n
        The keys, as typed.
    betas : ndarray, shape (m,)
        Increasing, positive. The axis ends where they end.
    weights : ndarray, shape (m, n)
        Weights at each β. Travel as float32: the curve is for the eye.
    beta : float
        The current β, 0 to infinity: a vertical line with a dot on each curve. When it lies beyond
        the axis, the line stands at that end and its text gets an arrow.
    beta_text : str
        Text of the line, such as ``"β = 2"`` or ``"β = 0 (T → ∞)"``.
    masked : ndarray of bool, shape (n,)
        True for a key that is hidden.
    weights_at_beta : ndarray, shape (n,)
        Weights at the current β: the heights of the dots.
    weight_texts_at_beta : sequence of str, length n
        Their texts, for the hover.

    Returns
    -------
    plotly.graph_objects.Figure
        One line per allowed key, in the order of the keys, then the line of the current β, then
        the dots.
    """
    allowed = np.flatnonzero(~np.asarray(masked, dtype=bool))
    weights = np.asarray(weights)
    twins = _twins(weights[:, allowed])
    named_at_end = len(allowed) <= _MOST_ENDS
    x = np.asarray(betas, dtype=np.float32)

    data: list[dict[str, Any]] = []
    for i, (rank, size) in zip(allowed, twins, strict=True):
        line = {"color": colour_of(i)}
        if rank:  # leave a stripe to each curve underneath
            line["dash"] = f"{8 * (size - rank)}px,{8 * rank}px"
        curve = {
            "type": "scatter",
            "name": complete(labels[i]) if named_at_end else plain(short(labels[i], 10)),
            "x": x,
            "y": weights[:, i].astype(np.float32),
            "line": line,
        }
        data.append(curve)
    place, vertical = _line_of_beta(betas, beta, beta_text, _TOP)
    hover = f"<b>%{{hovertext}}</b><br>{plain(beta_text)}<br>weight: %{{text}}<extra></extra>"
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": np.full(len(allowed), place),
        "y": np.asarray(weights_at_beta, dtype=np.float64)[allowed],
        "marker": {
            # a dot that others cover is larger, so that a ring of it shows
            "size": [9 + 4 * min(size - 1 - rank, 3) for rank, size in twins],
            "color": [colour_of(i) for i in allowed],
            "opacity": 1,  # Plotly would make dots of several sizes pale, with a white rim
            "line": {"width": 0},
        },
        "hovertext": [complete(labels[i]) for i in allowed],
        "text": [plain(weight_texts_at_beta[i]) for i in allowed],
        "hovertemplate": hover,
        "showlegend": False,
        "cliponaxis": False,
    }
    layout = base_layout(
        template={"data": {"scatter": [_CURVE]}},
        hovermode="closest",
        xaxis=_axis_of_beta(betas),
        yaxis=_zero_to_one(_TOP),
    )
    if not named_at_end:
        layout["showlegend"] = True
        layout["uirevision"] = len(labels)  # what the legend hides stays hidden while β moves
    elif len(allowed):
        dots["yaxis"] = "y2"  # an axis is drawn only when a trace is on it
        layout["yaxis2"] = _names_at_ends(labels, allowed, weights)
    return assembled({"data": [*data, vertical, dots], "layout": layout})


def entropy_against_beta(
    betas: np.ndarray,
    entropies: np.ndarray,
    *,
    beta: float,
    beta_text: str,
    entropy_now: float,
    ceiling: float,
    ceiling_text: str,
) -> go.Figure:
    """Draw the entropy of the weights against β, on a logarithmic axis.

    The vertical axis begins at 0 and has room for the ceiling, a dashed line. *Masked* and
    *underflowed* keys have no mark of their own here. A *NaN* (no key is allowed) is a gap in the
    curve, and no dot when it is the current entropy.

    Parameters
    ----------
    betas : ndarray, shape (m,)
        Increasing, positive. The axis ends where they end.
    entropies : ndarray, shape (m,)
        Entropy in nats at each β. Travel as float64, so that the hover of a tiny one is right.
    beta : float
        The current β, 0 to infinity: a vertical line. When it lies beyond the axis, the line stands
        at that end and its text gets an arrow.
    beta_text : str
        Text of the line, such as ``"β = 2"``.
    entropy_now : float
        Entropy in nats at the current β: the height of the dot.
    ceiling : float
        The largest possible entropy in nats, ln of the number of allowed keys.
    ceiling_text : str
        Text of the dashed line, such as ``"ln 3 = 1.0986"``.

    Returns
    -------
    plotly.graph_objects.Figure
        The curve, the ceiling, the line of the current β, the dot.
    """
    top = 1.2 * ceiling if ceiling > 0 else 1.0
    ends = [float(betas[0]), float(betas[-1])]
    place, line = _line_of_beta(betas, beta, beta_text, top)
    curve = {
        "type": "scatter",
        "mode": "lines",
        "x": np.asarray(betas, dtype=np.float32),
        "y": np.asarray(entropies, dtype=np.float64),
        "line": {"color": colour_of(0), **_CURVE["line"]},
        "hovertemplate": "β = %{x:.3g}<br>entropy: %{y:.4g} nats<extra></extra>",
    }
    limit = {
        "type": "scatter",
        "mode": "lines+text",
        "x": ends,
        "y": [ceiling, ceiling],
        "line": {"color": GUIDE, "dash": "dash", "width": 1.5},
        "text": ["", plain(ceiling_text)],
        "textposition": "top left",
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
    if place > ends[0] ** 0.4 * ends[1] ** 0.6:  # keep clear of the line of the current β
        limit["text"].reverse()
        limit["textposition"] = "top right"
    dot = {
        "type": "scatter",
        "mode": "markers",
        "x": [place],
        "y": [entropy_now],
        "marker": {"size": 10, "color": colour_of(0)},
        "hovertemplate": plain(beta_text) + "<br>entropy: %{y:.4g} nats<extra></extra>",
        "cliponaxis": False,
    }
    yaxis = {
        "title": {"text": "entropy (nats)"},
        "range": [0, top],
        "nticks": 6,
        "gridcolor": GRID,
        "zerolinecolor": GUIDE,
        "showline": False,
        "fixedrange": True,
        "automargin": True,
    }
    return assembled(
        {
            "data": [curve, limit, line, dot],
            "layout": base_layout(
                hovermode="closest",
                margin={"l": 8, "r": 28, "t": 40, "b": 8},  # the last tick label needs half a width
                xaxis=_axis_of_beta(betas),
                yaxis=yaxis,
            ),
        }
    )


def _zero_to_one(top: float, title: str = "weight") -> dict[str, Any]:
    """Return the axis of weights; `top` leaves room for texts above 1."""
    return {
        "title": {"text": title},
        "range": [0, top],
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "gridcolor": GRID,
        "zerolinecolor": GUIDE,
        "showline": False,
        "fixedrange": True,
        "automargin": True,
    }


def _masked_columns(at: np.ndarray, in_legend: bool) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": "masked",
        "x": at,
        "y": np.full(len(at), _MASKED_HEIGHT),
        "width": 0.6,
        "marker": dict(MASKED),
        "hoverinfo": "skip",
        "showlegend": in_legend,
    }


def _columns_behind(at: np.ndarray, heights: np.ndarray, name: str) -> dict[str, Any]:
    """Draw the reference: pale, wider than the bars and behind them."""
    return {
        "type": "bar",
        "name": plain(name),
        "x": at,
        "y": heights,
        "width": 0.86,
        "marker": {"color": "rgba(128,128,128,0.45)"},  # no outline: it would strike texts through
        "hoverinfo": "skip",
    }


def _marks_on_axis(
    heights: np.ndarray, masked: np.ndarray, colours: Sequence[str]
) -> dict[str, Any] | None:
    """Mark what a bar can't show: tiny weights, underflowed ones and NaN."""
    at = np.flatnonzero(~masked & ~(heights >= _TINY))
    if not len(at):
        return None
    symbols = [
        "x-thin-open" if np.isnan(value) else "line-ew-open" if value else "circle-open"
        for value in heights[at]
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": at,
        "y": np.zeros(len(at), dtype=int),
        "marker": {
            "symbol": symbols,
            "color": [colours[i] for i in at],
            "size": 10 if len(heights) <= _MOST_TEXTS else 4,
            "line": {"width": 3 if len(heights) <= _MOST_TEXTS else 2},
        },
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }


def _texts_on_bars(
    heights: np.ndarray,
    texts: Sequence[str],
    masked: np.ndarray,
) -> list[dict[str, Any]]:
    """Write the texts on clear bars as wide as the slot, where Plotly shrinks what is too wide."""
    n = len(texts)
    feet = np.nan_to_num(heights)
    feet = np.maximum(feet, 0.04).astype(np.float32)  # clear of the marks on the axis
    turned = masked | (n > _FLAT_TEXTS) | np.array([n > 3 and len(text) > 8 for text in texts])
    traces = []
    for angle, chosen in ((0, np.flatnonzero(~turned)), (-90, np.flatnonzero(turned))):
        if not len(chosen):
            continue
        trace = {
            "type": "bar",
            "x": chosen,
            "y": feet[chosen],
            "width": 0.92,
            "marker": {"color": _CLEAR},
            "text": [plain(texts[i]) for i in chosen],
            "textposition": "outside",
            "textangle": angle,
            "hoverinfo": "skip",
            "showlegend": False,
            "cliponaxis": False,
        }
        if angle:  # Plotly would shrink a turned text by its length, not by its height
            trace["constraintext"] = "none"
        traces.append(trace)
    return traces


def _axis_of_beta(betas: np.ndarray) -> dict[str, Any]:
    return {
        "title": {"text": "β = 1/T (log scale)"},
        "type": "log",
        "range": np.log10([betas[0], betas[-1]]).tolist(),
        "tickvals": [0.01, 0.1, 1, 10, 100],
        "ticktext": ["0.01", "0.1", "1", "10", "100"],
        "ticklabelstandoff": 6,
        "gridcolor": GRID,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        "automargin": True,
    }


def _line_of_beta(
    betas: np.ndarray, beta: float, text: str, top: float
) -> tuple[float, dict[str, Any]]:
    """Return the place of the current β on the axis and the line that stands there."""
    low, high = float(betas[0]), float(betas[-1])
    place = min(max(beta, low), high)
    if beta < low:
        text = "← " + text
    elif beta > high:
        text = text + " →"
    along = (np.log(place) - np.log(low)) / (np.log(high) - np.log(low))
    side = "right" if along < 0.3 else "left" if along > 0.7 else "center"
    return place, {
        "type": "scatter",
        "mode": "lines+text",
        "x": [place, place],
        "y": [0, top],
        "line": {"color": GUIDE, "width": 1.5},
        "text": ["", plain(text)],
        "textposition": f"top {side}",
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }


def _twins(curves: np.ndarray) -> list[tuple[int, int]]:
    """Return for each column its rank among those that look the same, and their number."""
    looks = [column.tobytes() for column in np.round(curves.T, 3) + 0.0]
    seen: dict[bytes, int] = {}
    ranks = []
    for look in looks:
        ranks.append(seen.get(look, 0))
        seen[look] = ranks[-1] + 1
    return [(rank, seen[look]) for rank, look in zip(ranks, looks, strict=True)]


def _names_at_ends(
    labels: Sequence[str], allowed: np.ndarray, weights: np.ndarray
) -> dict[str, Any]:
    """Name the curves at their right ends by the ticks of a second axis, which make room."""
    ends = np.nan_to_num(weights[-1, allowed])
    order = np.lexsort((weights[0, allowed], ends))  # equal at the end: as they began
    places = ends[order].tolist()
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + _APART)
    names = [
        f'<span style="color:{colour_of(i)}">━</span> {plain(short(labels[i], 10))}'
        for i in allowed[order]
    ]
    return {
        "overlaying": "y",
        "side": "right",
        "range": [0, _TOP],
        "tickvals": places,
        "ticktext": names,
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        "automargin": True,
    }
