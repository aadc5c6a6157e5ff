"""The looks that all figures share: colours, safe texts, one base layout.

A figure is drawn on a light and on a dark page, and is also exported alone. So colours that carry
meaning are explicit and readable on both, lines that only guide the eye are a half transparent mid
grey, and the colour of text and of the paper is left to the page.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

__all__ = [
    "CATEGORICAL",
    "DIVERGING",
    "GRID",
    "GUIDE",
    "MASKED",
    "SEQUENTIAL",
    "assembled",
    "base_layout",
    "colour_of",
    "complete",
    "plain",
    "short",
]

#: One colour for one key, by position. All ten have a contrast of 3 : 1 or more with #ffffff and
#: with #0e1117 (WCAG 2.2, 1.4.11), which leaves a narrow band of lightness; inside of it they were
#: spread by a search for the largest smallest OKLab distance as seen with normal and with simulated
#: protan, deutan and tritan vision (Machado 2009, full severity), the first six farthest apart.
CATEGORICAL = (
    "#566eff",  # blue
    "#ea6609",  # orange
    "#774ca9",  # purple
    "#b88295",  # rose
    "#a1460c",  # brown
    "#187265",  # teal
    "#08a0c9",  # cyan
    "#cf2551",  # crimson
    "#6e749c",  # slate
    "#849550",  # olive
)

#: Weights, 0 to 1: lightness only rises, so a grey print keeps the order (Cividis, six stops).
SEQUENTIAL = (
    (0.0, "#00224e"),
    (0.2, "#35456c"),
    (0.4, "#666970"),
    (0.6, "#948e77"),
    (0.8, "#c8b866"),
    (1.0, "#fee838"),
)

#: Signed scores, for a range that is centred on 0: blue below, orange above, lightest at 0.
DIVERGING = (
    (0.0, "#2166ac"),
    (0.25, "#92c5de"),
    (0.5, "#f7f7f7"),
    (0.75, "#f0a75f"),
    (1.0, "#9a4800"),
)

GRID = "rgba(128,128,128,0.25)"  # lines that only guide the eye
GUIDE = "#808080"  # lines that mean something: 3.9 : 1 on white, 4.8 : 1 on #0e1117

#: A masked key: grey hatching, which no weight ever has. The ``marker`` of a bar.
MASKED: Mapping[str, Any] = {
    "color": "rgba(128,128,128,0.6)",
    "pattern": {"shape": "/", "size": 7, "solidity": 0.2},
    "line": {"color": "rgba(128,128,128,0.6)", "width": 1},
}

_VISIBLE = {code: 0x2400 + code for code in range(0x20)}  # NUL to US: their control pictures
_VISIBLE |= {0x09: "⇥", 0x0A: "⏎", 0x0D: "␍", 0x7F: "␡", 0x85: "␤", 0x2028: "␤", 0x2029: "␤"}
_VISIBLE |= {0xFEFF: "�"}
# Directional overrides could turn a number around that is drawn beside the label.
_VISIBLE |= {code: "�" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_VISIBLE |= {code: "�" for code in range(0xD800, 0xE000)}  # half a pair: not encodable as UTF-8


def colour_of(position: int) -> str:
    """Colour of the key at a position; the same in every figure, repeating after ten.

    Parameters
    ----------
    position : int
        Position of the key, from 0.

    Returns
    -------
    str
        One of `CATEGORICAL`.

    Examples
    --------
    >>> colour_of(0) == colour_of(10)
    True
    """
    return CATEGORICAL[position % len(CATEGORICAL)]


def _visible(text: str) -> str:
    """Give every character a shape: an empty or blank label must not be a blank tick."""
    if not text:
        return "∅"
    text = text.translate(_VISIBLE)
    body = text.strip(" ")
    if not body:
        return "␠" * len(text)
    lead = len(text) - len(text.lstrip(" "))
    return "␣" * lead + body + "␣" * (len(text) - lead - len(body))


def plain(text: str) -> str:
    """Escape a text so that Plotly draws it letter for letter.

    Plotly reads ``<…>`` and ``&…;`` as HTML, ``$…$`` as TeX (where MathJax is loaded) and ``%{…}``
    in hover templates. All four are written as character references, which it turns back last.
    What has no shape gets one: ``∅`` for an empty text, ``␠`` for a blank one, ``␣`` for blanks at
    the ends, ``⏎`` and ``⇥`` for line feed and tab, ``�`` for what can't be encoded or would turn
    the writing direction.

    Parameters
    ----------
    text : str
        Any text, such as a token.

    Returns
    -------
    str
        A text for tick labels, hover texts, names, titles and texts on bars.

    Examples
    --------
    >>> plain("<s>"), plain("$x$"), plain("&amp;"), plain("")
    ('&lt;s&gt;', '&#36;x&#36;', '&amp;amp;', '∅')
    """
    escaped = html.escape(_visible(text), quote=False)
    return escaped.replace("$", "&#36;").replace("%{", "%&#123;")


def _fits(text: str, n: int) -> int:
    """Count the letters of `text` that fit a width of `n`."""
    width = 0
    for index, letter in enumerate(text):
        if not unicodedata.combining(letter):
            width += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if width > n:
            return index
    return len(text)


def short(text: str, n: int = 14) -> str:
    """Shorten a text to a width of at most `n`, with an ellipsis, for a tick.

    Parameters
    ----------
    text : str
        Any text, not yet escaped.
    n : int
        Width in letters. East Asian wide letters count two, combining marks none.

    Returns
    -------
    str
        `text`, or its beginning and ``…``. Still to be given to `plain`.

    Examples
    --------
    >>> short("a"), short("internationalisation"), short("注意力机制的可视化")
    ('a', 'international…', '注意力机制的…')
    """
    if _fits(text, n) == len(text):
        return text
    return text[: _fits(text, n - 1)].rstrip("\u200d") + "…"


def complete(text: str, n: int = 40) -> str:
    """Escape a text like `plain` and break it into lines, for a hover box that fits a phone.

    Parameters
    ----------
    text : str
        Any text, such as a token.
    n : int
        Width of a line in letters, at least 2. East Asian wide letters count two.

    Returns
    -------
    str
        All of the text, escaped, with ``<br>`` between the lines.

    Examples
    --------
    >>> complete("<s>"), complete("abcdef", 4)
    ('&lt;s&gt;', 'abcd<br>ef')
    """
    lines = []
    while len(text) > (end := _fits(text, n)):
        lines.append(text[:end])
        text = text[end:]
    return "<br>".join(plain(line) for line in [*lines, text])


def assembled(spec: Mapping[str, Any]) -> go.Figure:
    """Make a figure of traces and layout without Plotly's check of every attribute.

    That check takes longer than everything else in drawing a figure; a test makes it for one of
    each kind.

    Parameters
    ----------
    spec : mapping
        ``data`` (dicts with a ``type``) and ``layout``.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    return go.Figure(dict(spec), _validate=False)


def base_layout(**more: Any) -> dict[str, Any]:
    """Layout that every figure starts from.

    Holds a template of its own, so that nothing of Plotly's default template gets in. The colour
    of text and paper is unset: the page gives its own, and an export gets dark text on white.

    Parameters
    ----------
    **more
        Layout keys that replace or add to these.

    Returns
    -------
    dict
        A layout for ``go.Figure``.
    """
    return {
        "template": {},
        "font": {"size": 14},
        "margin": {"l": 8, "r": 8, "t": 40, "b": 8},  # grows by automargin
        "hoverlabel": {"align": "left", "bgcolor": "#31333f", "font": {"color": "#ffffff"}},
        "showlegend": False,
        "dragmode": False,  # a finger that drags scrolls the page
        **more,
    }
