"""The softmax page: typed scores → state → core → table, bars and panels."""

import streamlit as st

from attnviz import (
    effective_keys,
    entropy,
    naive_softmax,
    softmax_steps,
    weights_against_beta,
)
from attnviz.content import softmax as words
from attnviz.content import tables
from attnviz.content.shown import shown, shown_weight
from attnviz.core import questions
from attnviz.exports import softmax as exports
from attnviz.figures import softmax as figures
from attnviz.figures.style import colour_of
from attnviz.state.edits import edit_matrix, edit_pick, edit_temperature
from attnviz.state.softmax import PANELS, STEPS, SoftmaxState
from attnviz.state.temperature import read_temperature
from attnviz.ui import parts
from attnviz.ui.form import Form
from attnviz.ui.softmax import scores_editor, temperature_editor

form = Form(
    "softmax",
    SoftmaxState,
    words.preset_states(),
    parts={"matrix": edit_matrix, "temperature": edit_temperature, "table": edit_pick},
    natives=("panel", "compare", "add", "times"),
)
state = form.state
beta = state.temperature.beta
labels = state.key_labels
colors = [colour_of(j) for j in range(state.n_keys)]
allowed = state.allowed
lecture = state.view == "lecture"
scale = 1.3 if lecture else 1.0


def draw_row() -> None:
    """Draw the arithmetic and the bars of the chosen query, then how spread its weights are."""
    explained = None
    if state.pick:
        position = int(state.pick.partition(":")[2])
        typed = state.scores[state.row][position].text
        explained = words.explain(state.pick, labels[position], typed, row, beta)
    caption = words.steps_caption(state.row, state.n_queries)
    left, right = st.columns(2, gap="medium")
    with left:
        form.editor(
            "table",
            tables.steps_table(
                labels,
                colors,
                row,
                beta,
                pick=state.pick,
                explained=explained,
                caption=caption,
                step=state.step,
            ),
        )
    if state.step < len(STEPS):
        with right:
            parts.facts(form.key("predict"), [{"value": words.PREDICT}], tone="lines")
        return
    with right:
        reference = None
        if form.readable("compare") and not state.needs_no_reference:
            other = read_temperature("T", state.compare)
            reference = softmax_steps(values, beta=other.beta, allowed=allowed).weights
        parts.figure(
            figures.weight_bars(
                labels,
                row.weights,
                weight_texts,
                masked=~row.allowed,
                reference=reference,
                reference_texts=None
                if reference is None
                else [shown(w) for w in reference.tolist()],
                reference_name=f"T = {state.compare}",
            ),
            form.key("bars"),
            alt=words.bars_alt(labels, row, beta),
            name="attnviz-weights",
            scale=scale,
        )
    spread = words.row_facts(
        labels,
        row,
        entropy(row.weights),
        effective_keys(row.weights),
        questions.max_entropy(sum(seen)),
    )
    if state.n_queries > 1:
        spread.append(words.matrix_fact(every, state.n_queries))
    checks = []
    if not lecture:
        measured = questions.row_checks(values, beta=beta, allowed=allowed, shift=state.add.value)
        checks = words.check_facts(measured)
    parts.facts(form.key("facts"), [*spread, *checks])


def draw_curves() -> None:
    """Draw each weight and the entropy against β."""
    betas = questions.beta_axis(0.01, 100, 41)
    weights = weights_against_beta(values, betas, allowed=allowed)
    left, right = st.columns(2, gap="medium")
    with left:
        parts.figure(
            figures.weights_against_beta(
                labels,
                betas,
                weights,
                beta=beta,
                beta_text=words.beta_words(beta),
                masked=~row.allowed,
                weights_at_beta=row.weights,
                weight_texts_at_beta=weight_texts,
            ),
            form.key("weight-curves"),
            alt=f"Each weight against β. {words.bars_alt(labels, row, beta)}",
            name="attnviz-weights-against-beta",
            scale=scale,
            late=True,
        )
    now, ceiling = entropy(row.weights), questions.max_entropy(sum(seen))
    ceiling_text = f"ln {sum(seen)} = {shown(ceiling)}"
    with right:
        parts.figure(
            figures.entropy_against_beta(
                betas,
                entropy(weights),
                beta=beta,
                beta_text=words.beta_words(beta),
                entropy_now=now,
                ceiling=ceiling,
                ceiling_text=ceiling_text,
            ),
            form.key("entropy-curve"),
            alt=f"Entropy against β: {shown(now)} nats at {words.beta_words(beta)},"
            f" at most {ceiling_text}.",
            name="attnviz-entropy-against-beta",
            scale=scale,
            late=True,
        )


def draw_pair() -> None:
    """Compare two keys: the ratio of their weights follows from the gap of their scores."""
    form.positions("pair", labels, state.keys_compared)
    ratio = questions.pair_ratio(row, *state.keys_compared, beta=beta)
    lines = words.pair_words(labels, state.keys_compared, row, ratio, beta)
    parts.facts(form.key("ratio"), [{"value": line} for line in lines], tone="lines")


def draw_moves() -> None:
    """Show that a constant on every score changes nothing, and a factor everything."""
    left, right = st.columns(2, gap="medium")
    with left:
        form.text_input("add")
    with right:
        form.text_input("times")
    if not form.readable("add", "times"):
        return
    try:
        added = questions.add_to_scores(values, state.add.value)
        multiplied = questions.multiply_scores(values, state.times.value)
    except ValueError as error:
        parts.warnings(form.key("moves-error"), [f"Not shown: {error}."])
        return
    parts.table(
        form.key("moves"),
        tables.moves_table(
            labels,
            row.allowed,
            row.weights,
            softmax_steps(added, beta=beta, allowed=allowed).weights,
            softmax_steps(multiplied, beta=beta, allowed=allowed).weights,
            (f"score + {words.factor(state.add)}", f"score × {words.factor(state.times)}"),
            beta=beta,
        ),
    )
    st.caption(words.MOVES)


def draw_naive() -> None:
    """Show the formula without the subtraction, which fails, beside the one that doesn't."""
    if state.temperature.T == 0:
        st.caption(words.NO_NAIVE)
        return
    parts.table(
        form.key("naive"),
        tables.naive_table(
            labels,
            row.allowed,
            questions.naive_exps(row.masked),
            naive_softmax(row.masked),
            row.weights,
        ),
    )
    st.caption(words.NAIVE)


def draw_rows() -> None:
    """Show the weights of every query, the sum of each, and of all."""
    parts.table(
        form.key("rows"),
        tables.queries_table(labels, every, questions.row_entropies(every), beta=beta),
    )
    st.caption(words.ROWS)


def draw_export() -> None:
    """Offer the numbers and the state to take away."""
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**As NumPy**, the same numbers to the last digit")
        script = exports.numpy_text(
            state.values, words.beta_literal(state.temperature), state.hidden, labels, empty="nan"
        )
        st.code(script, language="python", height=300)
    with right:
        st.markdown(f"**As LaTeX**, query {state.row + 1}")
        st.code(
            exports.latex_text(labels, every, state.row, words.beta_literal(state.temperature)),
            language="latex",
            height=300,
        )
    with st.container(horizontal=True):
        st.download_button(
            "Table as CSV",
            lambda: exports.table_csv(labels, every),
            file_name="attnviz-softmax.csv",
            mime="text/csv",
            on_click="ignore",
            key=form.key("csv"),
        )
        st.download_button(
            "State as a file",
            form.file_text,
            file_name="attnviz-softmax.txt",
            mime="text/plain",
            on_click="ignore",
            key=form.key("save"),
        )
    form.open_file("Open a state from a file")
    st.caption(words.EXPORT)


DRAW = {
    "curves": draw_curves,
    "pair": draw_pair,
    "moves": draw_moves,
    "naive": draw_naive,
    "rows": draw_rows,
    "export": draw_export,
}

# -- the screen: first what is typed, then what follows from it -----------------------------------

with st.container(horizontal=True, vertical_alignment="center"):
    if not lecture:
        st.markdown(words.HEADING)
    form.presets({name: preset.title for name, preset in words.PRESETS.items()})
    if not lecture:
        st.button("Reset", key=form.key("reset"), on_click=form.reset, help=words.RESET)
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
left, right = st.columns(2, gap="medium")
with left:
    scores_editor(form, colors, compact=lecture)
with right:
    temperature_editor(form)
    if not lecture:
        form.text_input("compare", width=160)

if not form.readable("matrix", "temperature"):
    parts.warnings(form.key("unreadable"), [words.UNREADABLE])
    form.finish()
    st.stop()

values = state.values[state.row]
row = softmax_steps(values, beta=beta, allowed=allowed, empty="nan")
every = softmax_steps(state.values, beta=beta, allowed=allowed, empty="nan")
seen = row.allowed.tolist()
exact = state.temperature.T == 0  # in the limit a weight of 0 is exact, not an underflow
weight_texts = [
    shown_weight(w, a, exact=exact) for w, a in zip(row.weights.tolist(), seen, strict=True)
]
if any(seen):
    draw_row()
else:
    parts.warnings(form.key("empty"), [words.all_masked(state.row, state.n_queries)])

if state.step == len(STEPS):
    form.segmented("panel", PANELS)
    if any(seen) or state.panel in ("rows", "export"):
        DRAW[state.panel]()
form.finish()
