"""The page's own parts: editors, tables and figures that Streamlit doesn't have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from attnviz.ui.assets import PLOTLY, base

_STUB = """
const at = new URL({address}, document.baseURI).href;
let part;
export default async (c) => {{ part ??= import(at); (await part).default(c); }}
"""


def _part(name: str, css_class: str) -> Any:
    """Register a part; its script comes from our own address, so a rerun carries only data."""
    return st.components.v2.component(
        f"attnviz.{name}",
        html=f'<div class="{css_class}"></div>',
        js=_STUB.format(address=json.dumps(f"{base()}/{name}.js")),
        isolate_styles=False,
    )


_PARTS = {
    name: _part(name, css_class)
    for name, css_class in {
        "matrix": "av-matrix",
        "temperature": "av-temperature",
        "table": "av-steps",
        "plot": "av-plot",
        "facts": "av-facts",
        "copy": "av-copy",
    }.items()
}


def _nothing() -> None:
    """Stand for a callback: the form reads the edit at the start of the run."""


def editor(part: str, key: str, data: Mapping[str, Any]) -> None:
    """Mount a part that a person can change.

    Parameters
    ----------
    part : {"matrix", "temperature", "table"}
    key : str
        From `Form.key`: the form reads the edits of this key.
    data : mapping
        What the part draws; with ``rev`` and ``n`` from `Form.stamp`.
    """
    _PARTS[part](data=dict(data), key=key, on_edit_change=_nothing)


def figure(figure: go.Figure, key: str, *, alt: str, name: str, scale: float = 1.0) -> None:
    """Draw a figure that is updated in place, with buttons for SVG and PNG.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    key : str
    alt : str
        Words that quote the live numbers.
    name : str
        Name of the saved file, without ending.
    scale : float
        Size of type and height against the ordinary page.
    """
    head = json.dumps(
        {"source": f"{base()}/{PLOTLY.name}", "alt": alt, "name": name, "scale": scale}
    )
    payload = f'{head[:-1]},"figure":{figure.to_json(validate=False)}}}'
    _PARTS["plot"](data=payload.encode(), key=key)


def table(key: str, data: Mapping[str, Any]) -> None:
    """Draw a table of texts that nobody changes.

    Parameters
    ----------
    key : str
    data : mapping
        As for the editor ``table``.
    """
    _PARTS["table"](data=dict(data), key=key, on_edit_change=_nothing)


def facts(key: str, items: Sequence[Mapping[str, Any]], *, tone: str = "plain") -> None:
    """Show terms with their values; every text is shown letter for letter.

    Parameters
    ----------
    key : str
    items : sequence of mapping
        ``value``, and where wanted ``term``, ``note``, ``help`` and ``ok`` (a check).
    tone : {"plain", "big", "warning"}
    """
    _PARTS["facts"](data={"items": [dict(item) for item in items], "tone": tone}, key=key)


def warnings(key: str, sentences: Sequence[str]) -> None:
    """Show sentences that may hold what a person typed; nothing when there are none.

    Parameters
    ----------
    key : str
    sentences : sequence of str
    """
    if sentences:
        facts(key, [{"value": sentence} for sentence in sentences], tone="warning")


def copy_button(
    key: str, label: str, *, text: str | None = None, help: str = "", disabled: bool = False
) -> None:
    """Show a button that copies a text, or the page's own address when there is no text.

    Parameters
    ----------
    key, label : str
    text : str, optional
    help : str
    disabled : bool
    """
    data = {"label": label, "done": "Copied", "text": text, "help": help, "disabled": disabled}
    _PARTS["copy"](data=data, key=key, width="content")
