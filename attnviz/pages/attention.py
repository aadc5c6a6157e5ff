"""The attention page: typed Q, K, V → state → core → stages, one query in detail, panels."""

import streamlit as st

from attnviz.content import attention_words as words
from attnviz.content import softmax as softmax_words
from attnviz.content.attention import PRESETS, next_random, preset_states
from attnviz.pages.attention_explorer import NATIVES, PARTS, SEVERAL, AttentionExplorer
from attnviz.state.attention import PANELS, STEPS, AttentionState
from attnviz.ui import parts
from attnviz.ui.form import Form

form = Form(
    "attention", AttentionState, preset_states(), parts=PARTS, natives=NATIVES, several=SEVERAL
)
state = form.state
lecture = state.view == "lecture"

# -- the screen: first what is typed, then what follows from it -----------------------------------

with st.container(horizontal=True, vertical_alignment="center"):
    if not lecture:
        st.markdown(words.HEADING)
    form.presets({name: preset.title for name, preset in PRESETS.items()})
    if lecture:
        parts.lecture_room(form.key("room"))
    else:
        form.reset_button("Reset", help=softmax_words.RESET)
        copy_help = softmax_words.COPY
        parts.copy_button(form.key("copy"), "Copy link", help=copy_help, disabled=form.oversize)
    leave = "Leave the lecture view" if lecture else "Lecture"
    form.view_switch(leave, help=softmax_words.LECTURE, step=len(STEPS) if lecture else 1)
    if lecture or not state.is_whole:
        form.stepper(len(STEPS), STEPS)
parts.warnings(form.key("notes"), form.notes)
if form.oversize:
    parts.warnings(form.key("oversize"), [softmax_words.OVERSIZE])
if state.preset in PRESETS:
    preset = PRESETS[state.preset]
    parts.facts(
        form.key("say"),
        words.preset_facts(
            preset.say if state.reached("weights") else "",
            preset.credit,
            changed=state.differs(preset.state),
        ),
        tone="lines",
    )
if next_random(state.preset):
    form.preset_button("Draw again with the next seed", next_random(state.preset))
explorer = AttentionExplorer(form)
explorer.draw_editors()
explorer.draw_controls()
if explorer.compute():
    if not state.reached("weights"):
        parts.facts(form.key("predict"), [{"value": words.predict(state)}], tone="lines")
    if state.drawn:
        explorer.draw_stages()
    if state.row is not None and state.reached("weights"):
        explorer.draw_query()
    if state.is_whole:
        form.segmented("panel", PANELS)
        explorer.draw_panel(state.panel)
form.finish()
