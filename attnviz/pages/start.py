"""The start page: a living example, one sentence, and the ways on."""

import streamlit as st

from attnviz import softmax_steps
from attnviz.content import softmax as softmax_words
from attnviz.content import start as words
from attnviz.content.shown import shown_weight
from attnviz.figures.softmax import weight_bars
from attnviz.figures.style import colour_of
from attnviz.state.edits import edit_matrix, edit_temperature
from attnviz.state.links import encode
from attnviz.state.softmax import SoftmaxState
from attnviz.ui import parts
from attnviz.ui.form import Form
from attnviz.ui.softmax import scores_editor, temperature_editor

form = Form(
    "start",
    SoftmaxState,
    {},
    parts={"matrix": edit_matrix, "temperature": edit_temperature},
    linked=False,
)
state = form.state
beta, labels = state.temperature.beta, state.key_labels

st.markdown(words.HEADING)
st.markdown(words.SENTENCE)
left, right = st.columns(2, gap="large")
with left:
    scores_editor(form, [colour_of(j) for j in range(state.n_keys)], compact=True)
    temperature_editor(form)
with right:
    row = softmax_steps(state.values[state.row], beta=beta, allowed=state.allowed, empty="nan")
    readable = form.readable("matrix", "temperature")
    if not readable or row.empty_rows:
        sentence = softmax_words.all_masked(0, 1) if readable else softmax_words.UNREADABLE
        parts.warnings(form.key("unreadable"), [sentence])
    else:
        seen = row.allowed.tolist()
        texts = [
            shown_weight(w, a, exact=state.temperature.T == 0)
            for w, a in zip(row.weights.tolist(), seen, strict=True)
        ]
        parts.figure(
            weight_bars(labels, row.weights, texts, masked=~row.allowed),
            form.key("bars"),
            alt=softmax_words.bars_alt(labels, row, beta),
            name="attnviz-weights",
        )

here = encode(state, {})
for column, way in zip(st.columns(len(words.WAYS), gap="large"), words.WAYS, strict=True):
    with column, st.container(border=True):
        st.markdown(way.heading)
        for door in way.doors:
            st.page_link(
                f"attnviz/pages/{door.page}.py",
                label=door.label,
                query_params=(here if door.here else door.params) or None,
                icon=":material/arrow_forward:",
            )
