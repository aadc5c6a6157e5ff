"""Axes and measures that the figures of the attention page share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.figures.style import plain, short

MOST_COLUMN_TICKS = 18  # turned labels that fit a phone
MOST_ROW_TICKS = 22  # labels that fit the tallest figure
TALL = 500  # pixels of rows in the tallest figure

LEGEND = {"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"}
LEGEND |= {"itemclick": False, "itemdoubleclick": False}

#: An axis of positions: no line, no marks, and a finger that drags scrolls the page.
BARE = {"ticks": "", "showgrid": False, "zeroline": False, "showline": False, "fixedrange": True}


def named_axis(
    labels: Sequence[str],
    title: str,
    ends: Sequence[float],
    *,
    most: int = MOST_COLUMN_TICKS,
    chosen: int | None = None,
) -> dict[str, Any]:
    """Return an axis with labels at whole positions from 0.

    Parameters
    ----------
    labels : sequence of str, length n
        As typed; shortened and escaped here.
    title : str
        Title of the axis.
    ends : sequence of two floats
        Where the axis begins and ends.
    most : int
        How many labels are drawn; of more, every second, every third, and so on.
    chosen : int, optional
        Position of a label in bold.

    Returns
    -------
    dict
        A layout axis.
    """
    n = len(labels)
    step = -(-n // most)
    names = [plain(short(label, 14 if n <= 4 else 10)) for label in labels]
    if chosen is not None:
        names[chosen] = f"<b>{names[chosen]}</b>"
    return {
        "type": "linear",
        "title": {"text": plain(title)},
        "range": list(ends),
        "tickvals": np.arange(n)[::step],
        "ticktext": names[::step],
        "ticklabelstandoff": 6,
        "automargin": True,
        **BARE,
    }
