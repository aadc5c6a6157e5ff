"""Figures of the scaling page: how scores spread, and what softmax makes of them at each width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.style import GRID, GUIDE, assembled, base_layout, colour_of, plain

__all__ = ["against_width", "score_spread"]

_LEGEND = {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"}


def score_spread(
    centres: np.ndarray,
    density: np.ndarray,
    width: float,
    curve_x: np.ndarray,
    curve_y: np.ndarray,
    *,
    title: str,
    curve_name: str,
    colour: int = 0,
) -> go.Figure:
    """Draw scores as a histogram under the normal curve they should follow.

    Parameters
    ----------
    centres, density : ndarray, shape (bins,)
        The bars: they integrate to 1.
    width : float
        Width of a bar.
    curve_x, curve_y : ndarray, shape (m,)
        The normal density.
    title : str
        Title of the axis of scores.
    curve_name : str
        Name of the curve in the legend, such as ``"normal, variance 64"``.
    colour : int
        Position of the colour of the bars.

    Returns
    -------
    plotly.graph_objects.Figure
        ``data[0]`` are the bars, ``data[1]`` the curve.
    """
    bars: dict[str, Any] = {
        "type": "bar",
        "name": "drawn scores",
        "x": np.asarray(centres, dtype=np.float32),
        "y": np.asarray(density, dtype=np.float32),
        "width": float(width) * 0.96,
        "marker": {"color": colour_of(colour)},
        "hovertemplate": "score %{x:.3f}<br>density %{y:.4f}<extra></extra>",
    }
    curve = {
        "type": "scatter",
        "mode": "lines",
        "name": plain(curve_name),
        "x": np.asarray(curve_x, dtype=np.float32),
        "y": np.asarray(curve_y, dtype=np.float32),
        "line": {"color": GUIDE, "width": 2.5},
        "hoverinfo": "skip",
    }
    layout = base_layout(
        xaxis=_plain_axis(title),
        yaxis={**_plain_axis("density"), "rangemode": "tozero"},
        showlegend=True,
        legend=_LEGEND,
    )
    return assembled({"data": [bars, curve], "layout": layout})


def against_width(
    widths: Sequence[int],
    series: Sequence[tuple[str, np.ndarray, np.ndarray]],
    *,
    title: str,
    top: float,
    ceiling: float | None = None,
    ceiling_text: str = "",
) -> go.Figure:
    """Draw means over draws against d_k, each with a band of one standard deviation.

    Parameters
    ----------
    widths : sequence of int
        Increasing. The axis is logarithmic.
    series : sequence of (str, ndarray, ndarray)
        Name, mean and standard deviation of each line.
    title : str
        Title of the vertical axis.
    top : float
        Its end.
    ceiling : float, optional
        A level that can't be passed: a dotted line.
    ceiling_text : str
        Its name, which stands at its right end.

    Returns
    -------
    plotly.graph_objects.Figure
        For each series its band and then its line; the line holds the means in float64.
    """
    x = np.asarray(widths)
    data: list[dict[str, Any]] = []
    for at, (name, mean, deviation) in enumerate(series):
        low, high = np.maximum(mean - deviation, 0), np.minimum(mean + deviation, top)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": np.concatenate([x, x[::-1]]),
                "y": np.concatenate([high, low[::-1]]).astype(np.float32),
                "fill": "toself",
                "fillcolor": colour_of(at),
                "opacity": 0.22,
                "line": {"width": 0},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(name),
                "x": x,
                "y": np.asarray(mean, dtype=np.float64),
                "line": {"color": colour_of(at), "width": 2.5},
                "marker": {"symbol": ("circle", "diamond")[at % 2], "size": 7},
                "hovertemplate": "d_k = %{x}<br>%{y:.4f}<extra>" + plain(name) + "</extra>",
            }
        )
    if ceiling is not None:
        data.append(
            {
                "type": "scatter",
                "mode": "lines+text",
                "x": [int(x[0]), int(x[-1])],
                "y": [ceiling, ceiling],
                "text": ["", plain(ceiling_text)],
                "textposition": "bottom left",
                "line": {"color": GUIDE, "width": 1.5, "dash": "dot"},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
    ticks = [w for w in (1, 4, 16, 64, 256, 1024) if x[0] <= w <= x[-1]]
    layout = base_layout(
        hovermode="closest",
        xaxis={
            **_plain_axis("d_k (log scale)"),
            "type": "log",
            "tickvals": ticks,
            "ticktext": [str(tick) for tick in ticks],
        },
        yaxis={**_plain_axis(title), "range": [0, top]},
        showlegend=True,
        legend=_LEGEND,
    )
    return assembled({"data": data, "layout": layout})


def _plain_axis(title: str) -> dict[str, Any]:
    return {
        "title": {"text": plain(title)},
        "gridcolor": GRID,
        "zerolinecolor": GUIDE,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        "automargin": True,
    }
