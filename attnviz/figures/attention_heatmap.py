"""A matrix as coloured cells: the stages of attention, values and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.attention_axes import BARE, LEGEND, MOST_ROW_TICKS, TALL, named_axis
from attnviz.figures.style import (
    DIVERGING,
    MASKED,
    SEQUENTIAL,
    assembled,
    base_layout,
    colour_of,
    complete,
    plain,
)

_CLEAR = "rgba(0,0,0,0)"
_RED = "#cf2551"
_MOST_TEXTS = 16  # rows or columns; a larger matrix tells its numbers in the hover alone
_MOST_WORDS = 4  # columns, up to which "masked" fits a cell on a phone; beyond it is a ✕
_LEAST_TEXT = 7  # pixels; what would be smaller is left to the hover
_USUAL_TEXT = 6  # letters of "0.1234"; shorter texts count as wide, so that all of them fit or none
_WIDE = 480  # pixels of a matrix in half of a page
_ABOVE = 66  # pixels: title, legend, colour bar
_BELOW = 66  # pixels: labels, title of the axis
_OVER_BAR = 38  # pixels from the cells to the legend: the colour bar is between them
_TITLE = 26  # pixels; a level colour bar moves the title up by half of its own height (plotly.js)
_RIBBON = 5  # pixels
_EVEN = 0.179  # luminance on which black and white are read equally well (WCAG 2.2, 1.4.3)
_LARGEST = 8e307  # twice this is still within float64, as the length of a colour scale must be

#: A cell without a number: red and crossed, which no weight, no score and no masked cell is.
_NO_NUMBER = {
    "color": "rgba(207,37,81,0.25)",
    "pattern": {"shape": "x", "size": 8, "solidity": 0.15, "fgcolor": _RED},
    "line": {"color": _RED, "width": 1},
}
#: A masked cell has a ground too, as its neighbours have.
_HIDDEN = {
    **MASKED,
    "pattern": {**MASKED["pattern"], "bgcolor": "rgba(128,128,128,0.15)"},
    "line": {"width": 0},
}
_BOX = ("x0", "x1", "y0", "y1")
_ON_TOP = {"xaxis": "x2", "yaxis": "y2"}
_SILENT = {"hoverinfo": "skip", "showlegend": False}


def heatmap(
    z: np.ndarray,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    texts: Sequence[Sequence[str]],
    masked: np.ndarray | None = None,
    kind: Literal["weights", "scores", "values"],
    title: str,
    row_title: str = "query (asks)",
    column_title: str = "key (answers)",
    keys: Literal["columns", "rows", "none"] = "columns",
    chosen_row: int | None = None,
    chosen_column: int | None = None,
) -> go.Figure:
    """Draw a matrix as coloured cells, the first row on top.

    Cells stand at whole positions from 0, so repeated labels are separate rows and columns. Up to
    16 × 16 the texts stand in the cells, black or white, whichever reads better on the colour; a
    text that would get too small is left to the hover. The hover always tells the complete labels,
    the positions and the text.

    A *masked* cell is hatched grey and says "masked", or carries a ✕ that the legend explains. A
    *NaN* is red and crossed, and so is an infinity that isn't masked; the text tells which. A
    *zero* has the colour of 0, and the text tells an *underflowed* one.

    Parameters
    ----------
    z : ndarray, shape (n_rows, n_columns)
        The numbers. What a masked cell holds has no influence. Travel as float64 up to 16 × 16, as
        float32 beyond.
    row_labels : sequence of str, length n_rows
        As typed.
    column_labels : sequence of str, length n_columns
        As typed.
    texts : sequence of sequence of str, shape (n_rows, n_columns)
        What to write for each cell: ``"0.5972"``, ``"1e−17"``, ``"0 (underflow)"``, ``"masked"``.
    masked : ndarray of bool, shape (n_rows, n_columns), optional
        True where the key is hidden from the query.
    kind : {"weights", "scores", "values"}
        ``"weights"``: lightness rises from 0 to 1, whatever the numbers are. The others: blue
        below 0, orange above, lightest at 0, as far as the largest magnitude on both sides.
    title : str
        Title of the figure, such as ``"Weights A"``.
    row_title, column_title : str
        Titles of the axes.
    keys : {"columns", "rows", "none"}
        What the keys are: a ribbon beside them shows their colours.
    chosen_row, chosen_column : int, optional
        A row and a column to outline, from 0.

    Returns
    -------
    plotly.graph_objects.Figure
        ``data[0]`` is the heatmap; its ``z`` is NaN where a cell has no colour of the scale.
    """
    z = np.asarray(z, dtype=np.float64)
    rows = _Side(row_labels, row_title, chosen_row)
    columns = _Side(column_labels, column_title, chosen_column)
    escaped = _escaped(texts, z.shape)
    _check_labels(z.shape, len(row_labels), len(column_labels))
    hidden = np.zeros(z.shape, bool) if masked is None else np.asarray(masked, dtype=bool)
    coloured = np.isfinite(z) & ~hidden
    wrong = ~coloured & ~hidden
    shown = np.where(coloured, z, np.nan)
    low, high, scale = 0.0, 1.0, SEQUENTIAL
    if kind != "weights":
        largest = float(np.abs(z[coloured]).max(initial=0.0)) or 1.0
        high, scale = min(largest, _LARGEST), DIVERGING
        low = -high
    small = max(z.shape) <= _MOST_TEXTS
    words = small and len(column_labels) <= _MOST_WORDS

    data: list[dict[str, Any]] = [
        {
            "type": "heatmap",
            "x": np.arange(z.shape[1]),
            "y": np.arange(z.shape[0]),
            "z": shown if small else _as_float32(shown),
            "zmin": low,
            "zmax": high,
            "colorscale": scale,
            "colorbar": _colour_bar(kind),
            "text": escaped,
            "hovertemplate": f"{plain(row_title)}: %{{y}}<br>{plain(column_title)}: %{{x}}<br>"
            "<b>%{text}</b><extra></extra>",
        }
    ]
    if hidden.any():
        data.append(_blocks(hidden, "masked", _HIDDEN, in_legend=not words))
    if wrong.any():
        data.append(_blocks(wrong, "no number", _NO_NUMBER, in_legend=not small))
    if small:
        place = shown if low == 0 else (shown / high + 1) / 2
        data += _texts_in_cells(_luminance(scale, place), escaped)
        data += _texts_without_colour(hidden, "masked" if words else "✕")
        data += _texts_without_colour(wrong, [escaped[i][j] for i, j in np.argwhere(wrong)])
    data.append(_ribbon(keys, *z.shape))
    layout = _layout(rows, columns, keys)
    layout["title"] = {"text": plain(title), "y": 1, "yanchor": "top", "pad": {"t": _TITLE}}
    layout["showlegend"] = any(trace.get("showlegend", True) for trace in data[1:])
    return assembled({"data": data, "layout": layout})


@dataclass(frozen=True)
class _Side:
    """What one axis of a matrix carries."""

    labels: Sequence[str]
    title: str
    chosen: int | None


def _check_labels(shape: tuple[int, ...], n_rows: int, n_columns: int) -> None:
    """Refuse labels of another count than the numbers; ticks would lie in silence."""
    if shape != (n_rows, n_columns):
        raise ValueError(f"labels are for {(n_rows, n_columns)}; z is {shape}")


def _escaped(texts: Sequence[Sequence[str]], shape: tuple[int, ...]) -> list[list[str]]:
    """Escape the texts of all cells; ValueError unless there is one for each."""
    rows = [[plain(text) for text in row] for row in texts]
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        counts = sorted({len(row) for row in rows})
        raise ValueError(f"texts must be {shape}; got {len(rows)} rows of {counts}")
    return rows


def _as_float32(z: np.ndarray) -> np.ndarray:
    """Halve what travels, unless a number is beyond float32."""
    largest = np.abs(z[np.isfinite(z)]).max(initial=0.0)
    return z if largest > np.finfo(np.float32).max else z.astype(np.float32)


def _height(n_rows: int, n_columns: int) -> int:
    """Return the height in pixels that makes cells about square in half of a page."""
    return int(np.clip(n_rows * np.clip(_WIDE / n_columns, 24, 56), 48, TALL))


def _colour_bar(kind: str) -> dict[str, Any]:
    """Lay the colour bar above the cells, where it takes nothing from their width."""
    bar: dict[str, Any] = {
        "title": {"text": {"weights": "weight", "scores": "score"}.get(kind, "value")},
        "orientation": "h",
        "thickness": 10,
        "len": 1,
        "xpad": 0,
        "ypad": 4,
        "y": 1,
        "yanchor": "bottom",
        "outlinewidth": 0,
        "nticks": 6,
        "exponentformat": "power",  # never a k, an M or a μ
    }
    if kind == "weights":
        bar["tickvals"] = [0, 0.25, 0.5, 0.75, 1]
    return bar


def _blocks(
    where: np.ndarray, name: str, look: Mapping[str, Any], *, in_legend: bool
) -> dict[str, Any]:
    """Cover cells with bars of one look, one bar for neighbours in a row."""
    edges = np.diff(where.astype(np.int8), axis=1, prepend=0, append=0)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    return {
        "type": "bar",
        "name": name,
        **_ON_TOP,
        "x": (starts + ends - 1) / 2,
        "y": np.ones(len(rows), dtype=int),
        "base": rows - 0.5,
        "width": ends - starts,
        "marker": dict(look),
        "hoverinfo": "skip",
        "showlegend": in_legend,
    }


def _texts_in_cells(luminance: np.ndarray, texts: list[list[str]]) -> list[dict[str, Any]]:
    """Write on clear bars that are as large as the cells: Plotly shrinks all texts alike to fit."""
    traces = []
    for colour, where in (("#ffffff", luminance < _EVEN), ("#000000", luminance >= _EVEN)):
        rows, columns = np.nonzero(where)  # NaN is neither
        if not len(rows):
            continue
        trace = {
            "type": "bar",
            **_ON_TOP,
            "x": columns,
            "y": np.ones(len(rows), dtype=int),
            "base": rows - 0.5,
            "width": 0.94,
            "marker": {"color": _CLEAR},
            "text": [_in_cell(texts[i][j]) for i, j in zip(rows, columns, strict=True)],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "textfont": {"color": colour},
            **_SILENT,
        }
        traces.append(trace)
    return traces


def _luminance(scale: Sequence[tuple[float, str]], at: np.ndarray) -> np.ndarray:
    """Return the relative luminance (WCAG 2.2) of the colours that Plotly mixes for `at`."""
    stops = [stop for stop, _ in scale]
    total = np.zeros(at.shape)
    for begin, share in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        channel = [int(colour[begin : begin + 2], 16) / 255 for _, colour in scale]
        value = np.interp(at, stops, channel)
        total += share * np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return total


def _in_cell(text: str) -> str:
    """Put what stands in brackets on a smaller line of its own, and make short texts wide."""
    number, found, remark = text.partition(" (")
    if found:
        return f'{number}<br><span style="font-size:70%">({remark}</span>'
    space = "\u2007" * ((_USUAL_TEXT + 1 - len(text)) // 2)
    return f"{space}{text}{space}"


def _texts_without_colour(where: np.ndarray, texts: str | list[str]) -> list[dict[str, Any]]:
    """Write in the page's own colour where a cell has none."""
    rows, columns = np.nonzero(where)
    if not len(rows):
        return []
    trace = {"type": "scatter", "mode": "text", **_ON_TOP, "x": columns, "y": rows, "text": texts}
    return [trace | _SILENT]


def _ribbon(keys: str, n_rows: int, n_columns: int) -> dict[str, Any]:
    """Show the colours of the keys beside the cells; without keys an empty trace."""
    trace: dict[str, Any] = {"type": "bar", **_ON_TOP, "x": [], "y": [], **_SILENT}
    if keys == "none":
        return trace  # the axes that carry the labels are drawn only when a trace is on them
    n = n_columns if keys == "columns" else n_rows
    trace |= {"width": 0.94, "marker": {"color": [colour_of(i) for i in range(n)]}}
    thick = _ribbon_thickness(keys, n_rows, n_columns)
    along, across, base = np.arange(n), np.full(n, thick), n_rows - 0.5 + thick / 2
    if keys == "columns":
        return trace | {"x": along, "y": across, "base": base}
    return trace | {"orientation": "h", "y": along, "x": -across, "base": -0.5 - thick / 2}


def _ribbon_thickness(keys: str, n_rows: int, n_columns: int) -> float:
    """Return the thickness in the units of the axis across it; 0 without keys."""
    units = {"columns": n_rows / _height(n_rows, n_columns), "rows": n_columns / _WIDE}
    return _RIBBON * units.get(keys, 0.0)


def _layout(rows: _Side, columns: _Side, keys: str) -> dict[str, Any]:
    """Lay out a matrix on two pairs of axes.

    The cells are on axes whose ticks aren't drawn and hold the complete labels, which is where the
    hover finds them: once each instead of once a cell. The other pair carries what is seen.
    """
    n_rows, n_columns = len(rows.labels), len(columns.labels)
    height = _height(n_rows, n_columns)
    down, across = [n_rows - 0.5, -0.5], [-0.5, n_columns - 0.5]
    room = 1.5 * _ribbon_thickness(keys, n_rows, n_columns)
    if keys == "columns":
        down[0] += room
    elif keys == "rows":
        across[0] -= room
    x_axis = named_axis(columns.labels, columns.title, across, chosen=columns.chosen)
    y_axis = named_axis(rows.labels, rows.title, down, most=MOST_ROW_TICKS, chosen=rows.chosen)
    outlines, small = [], max(n_rows, n_columns) <= _MOST_TEXTS
    if (i := rows.chosen) is not None:
        outlines += _outline((-0.5, n_columns - 0.5, i - 0.5, i + 0.5), small)
    if (j := columns.chosen) is not None:
        outlines += _outline((j - 0.5, j + 0.5, -0.5, n_rows - 0.5), small)
    return base_layout(
        height=_ABOVE + height + _BELOW,
        margin={"l": 8, "r": 8, "t": _ABOVE, "b": 8},
        hovermode="closest",
        barmode="overlay",
        uniformtext={"mode": "hide", "minsize": _LEAST_TEXT},
        legend={**LEGEND, "y": 1 + _OVER_BAR / height},
        xaxis=_complete_axis(columns.labels, across),
        yaxis=_complete_axis(rows.labels, down),
        xaxis2={**x_axis, "overlaying": "x", "side": "bottom", "autotickangles": [0, -45, -90]},
        yaxis2={**y_axis, "overlaying": "y", "side": "left"},
        shapes=outlines,
    )


def _complete_axis(labels: Sequence[str], ends: list[float]) -> dict[str, Any]:
    """Return an axis that isn't drawn and knows all of every label."""
    return {
        "type": "linear",
        "range": ends,
        "tickvals": np.arange(len(labels)),
        "ticktext": [f"{complete(label)} (position {i})" for i, label in enumerate(labels)],
        "showticklabels": False,
        **BARE,
    }


def _outline(ends: tuple[float, float, float, float], small: bool) -> list[dict[str, Any]]:
    """Outline a part of the matrix, dark on light: seen on every colour and on every page."""
    box = {"type": "rect", "xref": "x2", "yref": "y2", **dict(zip(_BOX, ends, strict=True))}
    lines = (("#ffffff", 5 if small else 3), ("#000000", 2 if small else 1))
    return [{**box, "line": {"color": colour, "width": width}} for colour, width in lines]
