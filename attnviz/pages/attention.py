"""The attention page: typed Q, K, V → state → core → stages, one query in detail, panels."""

import streamlit as st

from attnviz import AttentionSteps, attention, softmax_steps
from attnviz.content import attention_words as words
from attnviz.content import softmax as softmax_words
from attnviz.content import tables
from attnviz.content.attention import PRESETS, next_random, preset_states
from attnviz.core import heads, questions
from attnviz.exports import attention as exports
from attnviz.figures import attention as figures
from attnviz.figures.softmax import weight_bars
from attnviz.figures.style import DIVERGING, SEQUENTIAL, colour_of
from attnviz.state.attention import (
    ALIGNS,
    EDITS,
    MASK_NAMES,
    ORIENTS,
    PANELS,
    POLICIES,
    STAGES,
    AttentionState,
)
from attnviz.state.attention_edits import (
    edit_key_bar,
    edit_matrix,
    edit_query_bar,
    edit_stage,
)
from attnviz.state.edits import edit_temperature
from attnviz.state.links import pack_state, unpack_state
from attnviz.state.matrix import values_of
from attnviz.ui import parts
from attnviz.ui.attention import matrix_editor, stage_maps
from attnviz.ui.form import Form
from attnviz.ui.softmax import temperature_editor

SCALES = {"weights": SEQUENTIAL, "signed": DIVERGING}
FILES = {
    "weights.csv": ("Weights as CSV", "text/csv"),
    "head.json": ("JSON", "application/json"),
    "head.npz": ("NPZ", "application/octet-stream"),
    "state.txt": ("State as a file", "text/plain"),
}

form = Form(
    "attention",
    AttentionState,
    preset_states(),
    parts={
        "q": edit_matrix("q"),
        "k": edit_matrix("k"),
        "v": edit_matrix("v"),
        "temperature": edit_temperature,
        "stages": edit_stage,
        "maps": edit_stage,
        "bars": edit_key_bar,
        "entropy": edit_query_bar,
    },
    natives=(
        *("mask", "align", "window", "prefix", "padding", "block"),
        *("empty", "scale", "panel", "orient", "edit", "stage"),
    ),
    several=("mask",),
)
state = form.state
lecture = state.view == "lecture"
scale = 1.3 if lecture else 1.0


def computed(some: AttentionState, empty: str) -> AttentionSteps:
    """Compute one head from a state."""
    return attention(
        values_of(some.q),
        values_of(some.k),
        values_of(some.v),
        allowed=heads.combined_mask(some.n_q, some.n_k, some.masks, hide=some.hide, show=some.show),
        scale=some.scale_value,
        beta=some.temperature.beta,
        empty=empty,
    )


def draw_editors() -> None:
    """Show Q, K and V: open where they are small, one at a time where they are not."""
    if state.is_easy:
        for column, name in zip(st.columns(3, gap="medium"), ("q", "k", "v"), strict=True):
            with column:
                matrix_editor(form, name, compact=lecture)
        return
    st.caption(words.too_wide(state))
    form.segmented("edit", EDITS, labelled=True)
    for name in ("q", "k", "v"):
        if state.edit == name or form.problem(name):
            matrix_editor(form, name)


def draw_controls() -> None:
    """Show masks with their options, scale, temperature and what a fully masked row gets."""
    left, right = st.columns(2, gap="medium")
    with left:
        form.pills("mask", {name: name for name in MASK_NAMES})
        asked = [name for name in ("window", "prefix", "padding", "block") if name in state.mask]
        diagonal = state.n_q != state.n_k and any(
            name in state.mask for name in ("causal", "window", "prefix", "block")
        )
        if asked or diagonal:
            with st.container(horizontal=True):
                for name in asked:
                    form.text_input(name, width=110)
                if diagonal:
                    form.segmented("align", ALIGNS, labelled=True)
        st.caption(words.mask_words(state))
        with st.container(horizontal=True):
            form.text_input("scale", width=130)
            form.segmented("empty", POLICIES, labelled=True)
    with right:
        temperature_editor(form)
        form.segmented("orient", ORIENTS)


def draw_query() -> None:
    """Follow the chosen query: its arithmetic, its bars, its output term by term."""
    row = heads.head_row(steps, values_of(state.v), state.row)
    colors = [colour_of(j) for j in range(state.n_k)]
    seen = row.allowed.tolist()
    if state.cell:
        product = heads.dot_product(values_of(state.q), values_of(state.k), *state.cell)
        parts.table(form.key("dot"), words.dot_table(state, product))
    left, right = st.columns(2, gap="medium")
    if row.sees_a_key:
        one = softmax_steps(row.scaled, beta=beta, allowed=row.allowed)
        with left:
            parts.table(
                form.key("steps"),
                tables.steps_table(
                    state.key_labels,
                    colors,
                    one,
                    beta,
                    caption=words.row_caption(state),
                    first="scaled score",
                ),
            )
        with right:
            texts = words.weight_texts(row, exact=state.temperature.T == 0)
            parts.figure(
                weight_bars(state.key_labels, row.weights, texts, masked=~row.allowed),
                form.key("bars"),
                alt=softmax_words.bars_alt(state.key_labels, one, beta),
                name="attnviz-weights",
                scale=scale,
                stamp=form.stamp("bars"),
            )
    parts.table(form.key("gather"), words.gather_table(state, colors, row, seen))


def draw_entropy() -> None:
    """Draw the entropy of each query against its ceiling."""
    entropies = questions.row_entropies(steps)
    texts = words.entropy_texts(entropies.tolist())
    parts.figure(
        figures.entropy_per_query(
            state.query_labels,
            entropies,
            heads.ceilings(steps),
            [words.number(nats) for nats in entropies.tolist()],
            empty=steps.empty_rows,
        ),
        form.key("entropy"),
        alt=words.listed("Entropy per query", state.query_labels, texts),
        name="attnviz-entropy",
        scale=scale,
        stamp=form.stamp("entropy"),
        late=True,
    )
    parts.table(
        form.key("entropies"),
        words.entropy_table(state, texts, heads.ceilings(steps).tolist()),
    )
    st.caption(words.ENTROPY)


def draw_received() -> None:
    """Draw how much each key receives from all queries."""
    totals = heads.received(steps)
    texts = [words.number(total) for total in totals.tolist()]
    parts.figure(
        figures.received(state.key_labels, totals, texts),
        form.key("received"),
        alt=words.listed("What each key receives", state.key_labels, texts),
        name="attnviz-received",
        scale=scale,
        late=True,
    )
    st.caption(words.RECEIVED)


def draw_policies() -> None:
    """Compare what a query without an allowed key gets, and what −1e9 would have given."""
    rows = [i for i, none in enumerate(steps.empty_rows.tolist()) if none]
    if not rows:
        st.caption(words.NO_EMPTY_ROW)
        return
    numbered = heads.attention_with_a_number(
        values_of(state.q),
        values_of(state.k),
        values_of(state.v),
        allowed=steps.allowed,
        scale=state.scale_value,
        beta=beta,
    )
    results = {policy: computed(state, policy) for policy in POLICIES if policy != "error"}
    parts.table(form.key("policies"), words.policy_table(state, rows, results, numbered))
    st.caption(words.POLICY)


def draw_compare() -> None:
    """Compare the pinned state A with the state on screen, B."""
    with st.container(horizontal=True):
        form.button("Pin this state as A", pin=pack_state(state.unpinned, preset_states()))
        if state.pin:
            form.button("Forget A", pin="")
    st.caption(words.COMPARE)
    if not state.pin:
        return
    pinned = unpack_state(state.pin, AttentionState, preset_states())
    parts.warnings(form.key("pin-notes"), pinned.notes)
    first = computed(pinned.state, words.policy_of(pinned.state))
    try:
        difference = heads.compare_heads(first, steps)
    except ValueError as error:
        parts.warnings(form.key("pin-shapes"), [f"A and B can't be compared: {error}."])
        return
    maps = words.compare_stages(state, first, steps, difference, heads.shades, pinned.state)
    stage_maps(form, "maps", maps, SCALES)
    parts.table(form.key("distances"), words.compare_table(state, difference))


def draw_export() -> None:
    """Offer the numbers, the figure and the state to take away."""
    given = {
        "q": values_of(state.q),
        "k": values_of(state.k),
        "v": values_of(state.v),
        "allowed": steps.allowed,
        "scale": state.scale_value,
        "beta": beta,
        "empty": state.empty,
        "tokens": state.query_labels,
        "keys": state.key_labels,
    }
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**As NumPy**, the same numbers to the last digit")
        st.code(exports.numpy_text(**given), language="python", height=300)
    with right:
        st.markdown("**As PyTorch**, with its own mask polarity")
        st.code(exports.torch_text(**given), language="python", height=300)
    contents = {
        "weights.csv": lambda: exports.table_csv(steps, state.query_labels, state.key_labels),
        "head.json": lambda: exports.json_text(**given),
        "head.npz": lambda: exports.npz_bytes(**given),
        "state.txt": form.file_text,
    }
    if state.row is not None:
        st.markdown("**As LaTeX**, the chosen query")
        latex = exports.latex_text(
            steps, state.query_labels, state.row, keys=state.key_labels, v=values_of(state.v)
        )
        st.code(latex, language="latex", height=200)
    with st.container(horizontal=True):
        for name, content in contents.items():
            label, mime = FILES[name]
            st.download_button(
                label,
                content,
                file_name=f"attnviz-attention-{name}",
                mime=mime,
                on_click="ignore",
                key=form.key(f"save-{name}"),
            )
    parts.figure(
        figures.heatmap(
            steps.weights,
            state.query_labels,
            state.key_labels,
            texts=words.weight_cells(steps, exact=state.temperature.T == 0),
            masked=~steps.allowed,
            kind="weights",
            title="Weights A",
        ),
        form.key("heatmap"),
        alt=words.stages_alt(state, steps),
        name="attnviz-attention",
        scale=scale,
        late=True,
    )
    form.open_file("Open a state from a file")


DRAW = {
    "entropy": draw_entropy,
    "received": draw_received,
    "policies": draw_policies,
    "compare": draw_compare,
    "export": draw_export,
}

# -- the screen: first what is typed, then what follows from it -----------------------------------

with st.container(horizontal=True, vertical_alignment="center"):
    if not lecture:
        st.markdown(words.HEADING)
    form.presets({name: preset.title for name, preset in PRESETS.items()})
    if lecture:
        parts.lecture_room(form.key("room"))
    else:
        st.button("Reset", key=form.key("reset"), on_click=form.reset, help=softmax_words.RESET)
        copy_help = softmax_words.COPY
        parts.copy_button(form.key("copy"), "Copy link", help=copy_help, disabled=form.oversize)
    leave = "Leave the lecture view" if lecture else "Lecture"
    form.view_switch(leave, help=softmax_words.LECTURE)
parts.warnings(form.key("notes"), form.notes)
if form.oversize:
    parts.warnings(form.key("oversize"), [softmax_words.OVERSIZE])
if state.preset in PRESETS:
    preset = PRESETS[state.preset]
    parts.facts(
        form.key("say"),
        words.preset_facts(preset.say, preset.credit, changed=state.differs(preset.state)),
        tone="lines",
    )
if next_random(state.preset):
    form.preset_button("Draw again with the next seed", next_random(state.preset))
draw_editors()
draw_controls()

if not form.readable("q", "k", "v", "temperature", "scale", *state.mask):
    parts.warnings(form.key("unreadable"), [softmax_words.UNREADABLE])
    form.finish()
    st.stop()

beta = state.temperature.beta
try:
    steps = computed(state, words.policy_of(state))
except ValueError as error:
    parts.warnings(form.key("no-result"), [f"Not computed: {error}."])
    form.finish()
    st.stop()
parts.warnings(form.key("empty-rows"), words.empty_words(state, steps.empty_rows.tolist()))
shades = heads.stage_shades(steps, values_of(state.v))
if len(state.drawn) == 1:
    form.segmented("stage", STAGES, labelled=True)
factor = heads.scale_of(state.d_k, state.scale_value)
stage_maps(form, "stages", words.stages(state, steps, shades, factor), SCALES)
if state.row is not None:
    draw_query()
form.segmented("panel", PANELS)
DRAW[state.panel]()
form.finish()
