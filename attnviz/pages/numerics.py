"""The number-format page: typed scores and a shift → the same softmax in four formats."""

import streamlit as st

from attnviz import hard_max, log_softmax, softmax
from attnviz.content import labs
from attnviz.content import numerics as words
from attnviz.content import softmax as softmax_words
from attnviz.core import formats, mask_numbers, online, questions, variants
from attnviz.exports.labs import columns_csv, columns_latex, numerics_numpy
from attnviz.figures.softmax import weight_bars
from attnviz.figures.style import colour_of
from attnviz.state.edits import edit_matrix
from attnviz.state.numbers import read_number
from attnviz.state.numerics import FORMATS, PANELS, SHIFT_HIGH, SHIFT_LOW, NumericsState
from attnviz.ui import parts
from attnviz.ui.form import Form
from attnviz.ui.head import page_head, take_away
from attnviz.ui.softmax import scores_editor

form = Form(
    "numerics",
    NumericsState,
    labs.states_of(words.PRESETS),
    parts={"matrix": edit_matrix},
    natives=("shift", "format", "values_typed", "block", "panel"),
)
state = form.state
labels = state.key_labels
colors = [colour_of(j) for j in range(state.n_keys)]


def draw_controls() -> None:
    """Show what moves all scores together."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form.text_input("shift", width=190)
        form.button("0", shift=read_number("0"))
        for name, text in words.SHIFT_MARKS:
            form.button(f"{text} ({name})", shift=read_number(text))
    form.slider("shift", state.shift.value, SHIFT_LOW, SHIFT_HIGH, 0.01)


def draw_steps() -> None:
    """Show the chosen format step by step, as bars both ways, and log-sum-exp."""
    seen = found.stable.allowed
    left, right = st.columns(2, gap="medium")
    for place, way, steps in ((left, "naive", found.naive), (right, "stable", found.stable)):
        texts = words.texts_on_bars(steps.weights.tolist(), seen.tolist(), steps.total)
        with place:
            parts.figure(
                weight_bars(
                    labels,
                    steps.weights,
                    texts,
                    masked=~seen,
                    title=f"{way} weight",
                ),
                form.key(f"bars-{way}"),
                alt=words.bars_alt(labels, texts, f"The {way} weights in {state.format}"),
                name=f"attnviz-{way}-{state.format}",
            )
    parts.table(form.key("steps"), words.detail_table(labels, colors, found, reference, logs))
    st.caption(words.NOTE)
    if any(state.allowed):
        typed = formats.log_sum_exp(state.masked_scores)
        parts.facts(
            form.key("lse"),
            words.lse_facts(typed, formats.log_sum_exp(scores), state.shift.value),
        )
        st.caption(words.LSE)


def draw_masks() -> None:
    """Show what each way of masking by number does in each format."""
    with st.container(horizontal=True):
        form.button(words.HIDE_NONE, hide=())
        if state.n_keys > 1:
            form.button(words.HIDE_ONE, hide=(1,))
        form.button(words.HIDE_ALL, hide=state.all_keys)
    results = {
        (way, name): mask_numbers.masked_by(finite, state.allowed, way, name)
        for way in mask_numbers.MASK_WAYS
        for name in FORMATS
    }
    parts.table(
        form.key("masks"), words.masks_table(mask_numbers.MASK_WAYS, list(FORMATS), results)
    )
    verdicts = [result.verdict for result in results.values()]
    lines = words.verdict_lines(mask_numbers.VERDICTS, verdicts)
    parts.facts(form.key("verdicts"), lines, tone="lines")
    st.caption(words.MASKS)


def draw_online() -> None:
    """Read the scores block by block."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form.text_input("block", width=110)
        form.text_input("values_typed", width=260, placeholder="1 2 3 …")
        form.button(words.BACK, at=state.before)
        form.button(words.NEXT, at=state.after)
    if not any(state.allowed) or not form.readable("block", "values_typed"):
        return
    steps = online.online_softmax(scores, state.mixed, state.block)
    ordinary = online.at_once(scores, state.mixed)
    parts.table(
        form.key("online"),
        words.online_table(labels, online.first(steps, state.read), state.blocks, ordinary),
    )
    st.caption(words.ONLINE)


def draw_variants() -> None:
    """Show other ways to make weights of the same scores."""
    if not any(state.allowed):
        return
    columns = {
        "softmax": softmax(scores),
        "with a zero": variants.softmax_with_zero(scores),
        "sparsemax": variants.sparsemax(scores),
        "hard max": hard_max(scores),
    }
    parts.table(
        form.key("variants"),
        words.variants_table(labels, colors, scores.tolist(), columns, state.allowed),
    )
    st.caption(words.VARIANTS)


def draw_export() -> None:
    """Offer the numbers and the state to take away."""
    columns = {
        "score": found.stable.scores.tolist(),
        "naive exp": found.naive.exps.tolist(),
        "naive weight": found.naive.weights.tolist(),
        "shifted": found.stable.shifted.tolist(),
        "exp": found.stable.exps.tolist(),
        "weight": found.stable.weights.tolist(),
        "error in ulp": found.errors.tolist(),
        "masked": (~found.stable.allowed).tolist(),
    }
    kind = found.format
    limits = kind.significand_digits, kind.smallest_subnormal, kind.largest
    script = numerics_numpy(scores.tolist(), *limits, kind.name)
    latex = columns_latex(labels, columns)
    take_away(form, "numerics", script, latex, lambda: columns_csv(labels, columns))


DRAW = {
    "steps": draw_steps,
    "masks": draw_masks,
    "online": draw_online,
    "variants": draw_variants,
    "export": draw_export,
}

page_head(form, words.HEADING, labs.titles_of(words.PRESETS))
left, right = st.columns(2, gap="medium")
with left:
    scores_editor(form, colors)
with right:
    draw_controls()
    form.segmented("format", FORMATS, labelled=True)
scores = None
if form.readable("matrix", "shift"):
    try:
        finite = questions.add_to_scores(state.finite_scores, state.shift.value)
        scores = questions.add_to_scores(state.masked_scores, state.shift.value)
    except ValueError as error:
        parts.warnings(form.key("too-large"), [f"Not computed: {error}."])
else:
    parts.warnings(form.key("unreadable"), [softmax_words.UNREADABLE])
if scores is not None:
    some = any(state.allowed)
    reference = formats.reference_weights(scores) if some else []
    logs = log_softmax(scores).tolist() if some else []
    reports = {name: formats.report(scores, name, reference) for name in FORMATS}
    found = reports.get(state.format)
    if not some:
        parts.warnings(form.key("nothing"), [words.NOTHING])
    parts.table(
        form.key("overview"),
        words.overview_table(list(reports.values()), state.allowed, state.format),
    )
    form.segmented("panel", PANELS)
    DRAW[state.panel]()
form.finish()
