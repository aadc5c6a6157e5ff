"""The page's own parts: editors, tables and figures that Streamlit doesn't have."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import plotly.graph_objects as go
import streamlit as st

from attnviz.state.links import STREAMLIT_OWN
from attnviz.ui.assets import PLOTLY, base


def _stub(name: str) -> str:
    """Write what travels with every rerun; only one part must be told when it leaves the page.

    Without its line break Streamlit would take it for the name of a file.
    """
    script = f"import(new URL({json.dumps(f'{base()}/{name}.js')},document.baseURI))"
    if name == "view":
        begin, end = "m.then(m=>m.default(c))", "return()=>m.then(m=>m.leave(c))"
        return f"export default c=>\n{{const m={script};{begin};{end}}}"
    return f"export default c=>\n{{{script}.then(m=>m.default(c))}}"


def _part(name: str, css_class: str) -> Any:
    """Register a part; its script comes from our own address, so a rerun carries only data."""
    return st.components.v2.component(
        f"attnviz.{name}",
        html=f'<div class="{css_class}"></div>',
        js=_stub(name),
        isolate_styles=False,
    )


_PARTS = {
    name: _part(name, css_class)
    for name, css_class in {
        "matrix": "av-matrix",
        "temperature": "av-temperature",
        "pipeline": "av-pipeline",
        "predict": "av-predict",
        "answer": "av-answer",
        "trail": "av-trail",
        "table": "av-steps",
        "plot": "av-plot",
        "facts": "av-facts",
        "copy": "av-copy",
        "view": "av-view",
        "address": "av-address",
    }.items()
}


def _packed(data: Mapping[str, Any]) -> bytes:
    """Write what a part draws as deflated JSON: half the bytes of every rerun."""
    return zlib.compress(
        json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    )


def _nothing() -> None:
    """Stand for a callback: the form reads the edit at the start of the run."""


def editor(part: str, key: str, data: Mapping[str, Any]) -> None:
    """Mount a part that a person can change.

    Parameters
    ----------
    part : {"matrix", "temperature", "table", "pipeline", "predict", "answer", "trail"}
    key : str
        From `Form.key`: the form reads the edits of this key.
    data : mapping
        What the part draws; with ``rev`` and ``n`` from `Form.stamp`.
    """
    _PARTS[part](data=_packed(data), key=key, on_edit_change=_nothing)


def figure(
    figure: go.Figure,
    key: str,
    *,
    alt: str,
    name: str,
    scale: float = 1.0,
    late: bool = False,
    stamp: Mapping[str, Any] | None = None,
) -> None:
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
    late : bool
        True for a figure that may be drawn a frame after the others.
    stamp : mapping, optional
        From `Form.stamp`, where the form reads which bar was clicked.
    """
    head = json.dumps(
        {
            "source": f"{base()}/{PLOTLY.name}",
            "alt": alt,
            "name": name,
            "scale": scale,
            "late": late,
            **(stamp or {}),
        }
    )
    payload = f'{head[:-1]},"figure":{figure.to_json(validate=False)}}}'
    _PARTS["plot"](data=zlib.compress(payload.encode()), key=key, on_edit_change=_nothing)


def table(key: str, data: Mapping[str, Any]) -> None:
    """Draw a table of texts that nobody changes.

    Parameters
    ----------
    key : str
    data : mapping
        As for the editor ``table``.
    """
    editor("table", key, data)


def facts(
    key: str, items: Sequence[Mapping[str, Any]], *, tone: str = "plain", reveal: bool = False
) -> None:
    """Show terms with their values; every text is shown letter for letter.

    Parameters
    ----------
    key : str
    items : sequence of mapping
        ``value``, and where wanted ``term``, ``note``, ``help`` and ``ok`` (a check).
    tone : {"plain", "lines", "warning", "error"}
    reveal : bool
        True for an answer to what a person just did: it is scrolled into sight.
    """
    data = {"items": list(items), "tone": tone, **({"reveal": True} if reveal else {})}
    _PARTS["facts"](data=_packed(data), key=key)


def warnings(key: str, sentences: Sequence[str]) -> None:
    """Show sentences that may hold what a person typed; nothing when there are none.

    Parameters
    ----------
    key : str
    sentences : sequence of str
    """
    if sentences:
        facts(key, [{"value": sentence} for sentence in sentences], tone="warning")


def lecture_room(key: str) -> None:
    """Set the whole page for a lecture room, as long as this part is on it.

    Parameters
    ----------
    key : str
    """
    _PARTS["view"](key=key)


def address(key: str, page: str, query: Mapping[str, str]) -> None:
    """Let the browser write parameters into its address, without a step of the history.

    Parameters
    ----------
    key : str
    page : str
        Last part of the path: the browser waits until it is there.
    query : mapping of str to str
    """
    data = {"page": page, "query": urlencode(query), "own": sorted(STREAMLIT_OWN)}
    _PARTS["address"](data=_packed(data), key=key)


def errors(key: str, sentences: Sequence[str]) -> None:
    """Show what is wrong with the field above, in the colour of errors.

    Parameters
    ----------
    key : str
    sentences : sequence of str
    """
    facts(key, [{"value": sentence} for sentence in sentences], tone="error")


def copy_button(
    key: str,
    label: str,
    *,
    query: Mapping[str, str] | None = None,
    help: str = "",
    disabled: bool = False,
) -> None:
    """Show a button that copies the page's own address, or the page with other parameters.

    Parameters
    ----------
    key, label : str
    query : mapping of str to str, optional
        The parameters instead of those in the address.
    help : str
    disabled : bool
    """
    search = None if query is None else urlencode(query)
    data = {"label": label, "done": "Copied", "query": search, "help": help, "disabled": disabled}
    _PARTS["copy"](data=_packed(data), key=key, width="content")
