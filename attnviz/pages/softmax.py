"""The softmax page: typed scores → state → core → table, bars and panels."""

import streamlit as st

from attnviz.content import softmax as words
from attnviz.pages.softmax_explorer import NATIVES, PARTS, SoftmaxExplorer
from attnviz.state.softmax import PANELS, STEPS, SoftmaxState
from attnviz.ui import parts
from attnviz.ui.form import Form

form = Form("softmax", SoftmaxState, words.preset_states(), parts=PARTS, natives=NATIVES)
state = form.state
lecture = state.view == "lecture"

with st.container(horizontal=True, vertical_alignment="center"):
    if not lecture:
        st.markdown(words.HEADING)
    form.presets({name: preset.title for name, preset in words.PRESETS.items()})
    if not lecture:
        form.reset_button("Reset", help=words.RESET)
        parts.copy_button(form.key("copy"), "Copy link", help=words.COPY, disabled=form.oversize)
    if lecture:
        parts.lecture_room(form.key("room"))
    leave = "Leave the lecture view" if lecture else "Lecture"
    form.view_switch(leave, help=words.LECTURE, step=len(STEPS) if lecture else 1)
    if lecture or state.step < len(STEPS):
        form.stepper(len(STEPS), STEPS)
parts.warnings(form.key("notes"), form.notes)
if form.oversize:
    parts.warnings(form.key("oversize"), [words.OVERSIZE])
explorer = SoftmaxExplorer(form)
if explorer.draw_editors():
    explorer.draw_result()
    if state.step == len(STEPS):
        form.segmented("panel", PANELS)
        explorer.draw_panel(state.panel)
form.finish()
