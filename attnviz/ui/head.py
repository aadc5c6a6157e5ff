"""The row at the top of a page: its name, presets, reset and copy, what its link lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attnviz.content import softmax as words
from attnviz.ui import parts
from attnviz.ui.form import Form


def page_head(form: Form[Any], heading: str, titles: Mapping[str, str]) -> None:
    """Show the head of a page without a lecture view.

    Parameters
    ----------
    form : Form
    heading : str
        Markdown.
    titles : mapping of str to str
        Presets: name in the link to name on the screen.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(heading)
        form.presets(titles)
        form.reset_button("Reset", help=words.RESET)
        parts.copy_button(form.key("copy"), "Copy link", help=words.COPY, disabled=form.oversize)
    parts.warnings(form.key("notes"), form.notes)
    if form.oversize:
        parts.warnings(form.key("oversize"), [words.OVERSIZE])


def take_away(form: Form[Any], page: str, script: str, latex: str, table: Any) -> None:
    """Show a NumPy script and a LaTeX table, and offer the table and the state as files.

    Parameters
    ----------
    form : Form
    page : str
        Name of the page, for the names of the files.
    script : str
        Python text.
    latex : str
        The table in LaTeX.
    table : callable
        Makes the CSV when it is asked for.
    """
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**As NumPy**, the same numbers")
        st.code(script, language="python", height=320)
    with right:
        st.markdown("**As LaTeX**, the table")
        st.code(latex, language="latex", height=320)
    with st.container(horizontal=True):
        st.download_button(
            "Table as CSV",
            table,
            file_name=f"attnviz-{page}.csv",
            mime="text/csv",
            on_click="ignore",
            key=form.key("csv"),
        )
        st.download_button(
            "State as a file",
            form.file_text,
            file_name=f"attnviz-{page}.txt",
            mime="text/plain",
            on_click="ignore",
            key=form.key("save"),
        )
    form.open_file("Open a state from a file")
