"""Drive a page as a visitor would: open a link, send what an editor sends, read what is drawn.

An editor's edit arrives through its key in `st.session_state`, as the browser's does; its callback
isn't called here, and needs not be: the page reads the edit at the start of the run. Every run
fails at once when the page raises.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs

import numpy as np
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.figures.decode import decoded

APP = Path(__file__).parents[2] / "app.py"
KEYED = ("text_input", "selectbox", "button_group", "button", "file_uploader")

_edits = count(1)


class Visit:
    """One visitor of the app.

    Parameters
    ----------
    page : {"start", "softmax"}
    link : str
        The query of the address, such as ``?scores=2,1,0&beta=3``; a name may repeat.
    """

    def __init__(self, page: str = "softmax", link: str = "") -> None:
        self.at = AppTest.from_file(APP, default_timeout=20)
        self.page = page
        # A first run reads the metadata of every installed package, for components we don't use.
        with patch("importlib.metadata.distributions", return_value=()):
            if page == "start":  # the page at "/", which needs no choosing
                self.move(link)
            else:
                self.go(page, link)

    # -- what a visitor does

    def go(self, page: str, link: str = "") -> Visit:
        """Change the page, as its link in the menu does: the address holds only the link."""
        self.page = page
        self.at.switch_page(f"attnviz/pages/{page}.py")
        return self.move(link)

    def move(self, link: str) -> Visit:
        """Press Back or Forward, or edit the address: it changes and no widget does."""
        self._write(link.removeprefix("?"))
        return self.run()

    def _write(self, query: str) -> None:
        values = parse_qs(query, keep_blank_values=True)
        self.at.query_params.clear()
        self.at.query_params.update({k: v if len(v) > 1 else v[0] for k, v in values.items()})

    def run(self) -> Visit:
        """Run the page once more; it must not raise."""
        self.at.run()
        assert not self.at.exception, "the page raised: its traceback is in the log"
        if self.has("address"):  # what its script does in the browser
            self._write(self.data("address")["query"])
        return self

    def send(self, part: str, value: Any) -> Visit:
        """Put anything into the state of an editor."""
        self.at.session_state[f"{self.page}.{part}"] = value
        return self.run()

    def edit(self, part: str, **edit: Any) -> Visit:
        """Send what an editor's script sends, with the revision it was given last."""
        head = {"rev": self.data(part)["rev"], "n": next(_edits), "live": False}
        return self.send(part, {"edit": head | edit})

    def scores(self, *rows: str, **more: Any) -> Visit:
        """Type whole scores, one text a row; labels and masks stay where they are not given."""
        shown = self.data("matrix")
        cells = [row.split() for row in rows] or more.get("cells", shown["cells"])
        n = len(cells[0])
        labels = (shown["labels"] + [f"k{j + 1}" for j in range(len(shown["labels"]), n)])[:n]
        hide = [position for position in shown["hide"] if position < n]
        return self.edit("matrix", **({"labels": labels, "cells": cells, "hide": hide} | more))

    def line(self, text: str) -> Visit:
        """Type the line of text."""
        return self.scores(text=text)

    def temperature(self, name: str, text: str, *, live: bool = False) -> Visit:
        """Type a T or a β; a dragged slider sends its T with live."""
        return self.edit("temperature", name=name, text=text, live=live)

    def widget(self, name: str) -> Any:
        """Return a widget of Streamlit's own, by the name of its field."""
        key = f"{self.page}.{name}"
        if name == "presets":  # the list is there only while its menu is open
            self.at.session_state[f"{self.page}.menu"] = True
            self.run()
        return next(w for kind in KEYED for w in self.at.get(kind) if w.key == key)

    def set(self, name: str, value: Any) -> Visit:
        """Type into a box of Streamlit's own, or choose in one."""
        self.widget(name).set_value(value)
        return self.run()

    def click(self, name: str) -> Visit:
        """Press a button."""
        self.widget(name).click()
        return self.run()

    def download(self, label: str) -> str:
        """Return the file that a download button offers; it is made when it is asked for."""
        offered: dict[str, Any] = {}
        real = st.download_button

        def button(label: str, data: Any, **options: Any) -> bool:
            offered[label] = data
            return real(label, data, **options)

        with patch.object(st, "download_button", button):
            self.run()
        return offered[label]()

    # -- what a visitor sees

    @property
    def link(self) -> dict[str, Any]:
        """The parameters in the address."""
        return dict(self.at.query_params)

    @property
    def elements(self) -> Iterator[Any]:
        """Everything that is drawn, in order."""
        return (node for node in self.at.main if hasattr(node, "key"))

    def has(self, name: str) -> bool:
        """Tell whether a widget or a part is drawn."""
        return any(node.key == f"{self.page}.{name}" for node in self.elements)

    def data(self, part: str) -> Any:
        """Return what a part was given to draw."""
        key = f"{self.page}.{part}"
        proto = next(node.proto for node in self.elements if node.key == key)
        return payload(proto)

    def figure(self, name: str) -> dict[str, Any]:
        """Return a figure with its arrays: ``data``, ``layout``."""
        return _arrays(self.data(name)["figure"])

    @property
    def bars(self) -> np.ndarray:
        """Heights of the bars, which are the weights that are drawn."""
        return self.figure("bars")["data"][0]["y"]

    def cells(self, table: str = "table") -> list[list[str]]:
        """Return the texts of a table's rows, without their heads."""
        return [row["cells"] for row in self.data(table)["rows"]]

    def column(self, name: str, table: str = "table") -> list[str]:
        """Return the texts of one column of a table."""
        at = [head["id"] for head in self.data(table)["head"]].index(name) - 1
        return [row[at] for row in self.cells(table)]

    def foot(self, table: str = "table") -> list[str]:
        """Return the texts of a table's last line."""
        return self.data(table)["foot"][-1]["cells"]

    def said(self, tone: str) -> list[str]:
        """Return the sentences that are shown in one tone, such as ``warning``."""
        return [item["value"] for shown in self._facts() if shown["tone"] == tone
                for item in shown["items"]]  # fmt: skip

    @property
    def warnings(self) -> list[str]:
        """Every warning on the page, in order."""
        return self.said("warning")

    @property
    def errors(self) -> list[str]:
        """What stands below the boxes whose text can't be read."""
        return self.said("error")

    @property
    def facts(self) -> dict[str, str]:
        """Every term with its value."""
        return {i["term"]: i["value"] for f in self._facts() for i in f["items"] if "term" in i}

    def _facts(self) -> Iterator[dict[str, Any]]:
        for node in self.elements:
            if node.type == "bidi_component" and node.proto.component_name == "attnviz.facts":
                yield payload(node.proto)

    @property
    def everything(self) -> str:
        """All that our parts were given to draw, as one text."""
        parts = (node.proto for node in self.elements if node.type == "bidi_component")
        return json.dumps([payload(part) for part in parts], ensure_ascii=False)

    @property
    def size(self) -> int:
        """Bytes that this run sent, without the few of each message's envelope."""
        return sum(node.proto.ByteSize() for node in self.at.main if node.proto is not None)


def _arrays(node: Any) -> Any:
    """Decode the arrays of a figure; a label such as ``{0}`` stays a text."""
    if isinstance(node, dict):
        return decoded(node) if "bdata" in node else {k: _arrays(v) for k, v in node.items()}
    return [_arrays(item) for item in node] if isinstance(node, list) else node


def payload(proto: Any) -> Any:
    """Return what a part was given to draw: JSON that browsers read, deflated or not."""
    kind = proto.WhichOneof("data")
    if kind is None:
        return None
    if kind == "bytes":
        text = zlib.decompress(proto.bytes).decode("utf-8", "replace")  # as browsers do
    else:
        text = proto.mixed.json if kind == "mixed" else proto.json
    return json.loads(text, parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise AssertionError(f"no browser reads {word} in JSON")
