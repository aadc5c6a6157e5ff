"""The scaling page: width, keys, draws, seed → drawn scores → spread, study, slope."""

import streamlit as st

from attnviz.content import labs
from attnviz.content import scaling as words
from attnviz.content import softmax as softmax_words
from attnviz.content.shown import key_names
from attnviz.core import questions, scaling
from attnviz.exports.labs import columns_csv, columns_latex, scaling_numpy
from attnviz.figures.attention import heatmap
from attnviz.figures.scaling import against_width, score_spread
from attnviz.figures.style import colour_of
from attnviz.state.scaling import PANELS, ScalingState
from attnviz.ui import parts
from attnviz.ui.form import Form
from attnviz.ui.head import page_head, take_away

form = Form(
    "scaling",
    ScalingState,
    labs.states_of(words.PRESETS),
    parts={},
    natives=("d_k", "n_k", "draws", "seed", "panel"),
)
state = form.state


@st.cache_resource(max_entries=16, show_spinner=False)  # half a megabyte each at the most
def drawn_scores(d_k: int, n_k: int, draws: int, seed: int) -> scaling.Array:
    """Draw the scores once, however often they are shown, for all visitors."""
    return scaling.draw_scores(d_k, n_k, draws, seed)


def draw_spread() -> None:
    """Draw the raw and the scaled scores against the normal curves they should follow."""
    sides = (
        (scores, state.d_k, "score q · k", "raw"),
        (scaled, 1, "scaled score, q · k / √d_k", "scaled"),
    )
    for at, (column, (drawn, variance, title, name)) in enumerate(
        zip(st.columns(2, gap="medium"), sides, strict=True)
    ):
        spread = scaling.score_histogram(drawn)
        x, y = scaling.normal_curve(spread.limit, variance)
        with column:
            parts.figure(
                score_spread(
                    spread.centres,
                    spread.density,
                    spread.width,
                    x,
                    y,
                    title=title,
                    curve_name=f"normal, variance {variance}",
                    colour=at,
                ),
                form.key(f"spread-{name}"),
                alt=words.spread_alt(title, scaling.variance(drawn), variance),
                name=f"attnviz-scores-{name}",
            )


def draw_study() -> None:
    """Draw largest weight, entropy and norm against d_k, with progress and a way to stop."""
    with st.container(horizontal=True):
        if state.study == "off":
            form.button(words.RUN, study="on")
            return
        stop, bar = st.empty(), st.empty()
    keys = [("study", state.n_k, state.draws, state.seed, scaled) for scaled in (False, True)]
    if not all(form.recall(key) for key in keys):
        with stop:
            form.button(words.STOP, study="off")
    for key, scaled in zip(keys, (False, True), strict=True):
        if form.recall(key) is None:
            steps = scaling.study_steps(
                words.WIDTHS, state.n_k, state.draws, state.seed, scaled=scaled
            )
            for done, study in enumerate(steps, 1):
                bar.progress(words.progress(done, scaled), words.progress_text(done, scaled))
                if done == len(words.WIDTHS):
                    form.remember(key, study)
    studies = [form.recall(key) for key in keys]
    stop.empty()
    bar.empty()
    sets = {
        "largest": ("largest weight", 1.0, None, ""),
        "entropy": (
            "entropy (nats)",
            questions.max_entropy(state.n_k),
            questions.max_entropy(state.n_k),
            f"ln {state.n_k}",
        ),
        "jacobian_norm": ("norm of the Jacobian", 0.55, None, ""),
    }
    columns = []
    for place, (name, (title, top, ceiling, ceiling_text)) in zip(
        st.columns(3, gap="medium"), sets.items(), strict=True
    ):
        series = [
            (side, getattr(found, name).mean, getattr(found, name).deviation)
            for side, found in zip(words.NAMES, studies, strict=True)
        ]
        columns.extend((f"{title}, {side}", mean, spread) for side, mean, spread in series)
        with place:
            parts.figure(
                against_width(
                    words.WIDTHS,
                    series,
                    title=title,
                    top=words.with_room(top),
                    ceiling=ceiling,
                    ceiling_text=ceiling_text,
                ),
                form.key(f"study-{name}"),
                alt=words.study_alt(title, series),
                name=f"attnviz-{name}",
            )
    parts.table(form.key("study"), words.study_table(words.WIDTHS, columns))
    st.caption(words.STUDY)


def draw_slope() -> None:
    """Draw the Jacobian of one draw, without the scale and with it."""
    one = scaling.one_draw(scores, state.d_k, state.at)
    labels = key_names(state.n_k)
    with st.container(horizontal=True, vertical_alignment="center"):
        form.button("Another draw", pick=state.other_pick)
        st.markdown(f"Draw {state.at + 1} of {state.draws}")
    for place, name, jacobian in zip(
        st.columns(2, gap="medium"), words.NAMES, one.jacobians, strict=True
    ):
        with place:
            parts.figure(
                heatmap(
                    jacobian,
                    labels,
                    labels,
                    texts=words.texts_of(jacobian),
                    kind="values",
                    title=f"Jacobian, {name}",
                    row_title="weight that is moved",
                    column_title="score that moves it",
                    keys="none",
                ),
                form.key(f"jacobian-{name}"),
                alt=words.jacobian_alt(name, one.slopes.tolist()),
                name="attnviz-jacobian",
            )
    sides = list(zip(one.weights.tolist(), one.slopes.tolist(), strict=True))
    colors = [colour_of(j) for j in range(state.n_k)]
    parts.table(form.key("slopes"), words.slope_table(labels, colors, one.scores.tolist(), sides))
    st.caption(words.SLOPE)


def draw_export() -> None:
    """Offer the numbers and the state to take away."""
    one = scaling.one_draw(scores, state.d_k, state.at)
    labels = key_names(state.n_k)
    columns = {
        "score": one.scores.tolist(),
        **{
            f"{what}, {name}": values
            for what, sides in (("weight", one.weights), ("slope", one.slopes))
            for name, values in zip(words.NAMES, sides.tolist(), strict=True)
        },
    }
    script = scaling_numpy(state.d_k, state.n_k, state.draws, state.seed, state.at)
    latex = columns_latex(labels, columns)
    take_away(form, "scaling", script, latex, lambda: columns_csv(labels, columns))


DRAW = {"spread": draw_spread, "study": draw_study, "slope": draw_slope, "export": draw_export}

page_head(form, words.HEADING, labs.titles_of(words.PRESETS))
parts.facts(form.key("sentence"), [{"value": words.SENTENCE}], tone="lines")
with st.container(horizontal=True, vertical_alignment="bottom"):
    for name in ("d_k", "n_k", "draws", "seed"):
        form.text_input(name, width=120)
    form.button("Another seed", seed=state.other_seed)
    for width in (1, 16, 64, 256, 1024):
        form.button(f"d_k = {width:,}", d_k=width)
if form.readable("d_k", "n_k", "draws", "seed"):
    scores = drawn_scores(state.d_k, state.n_k, state.draws, state.seed)
    scaled = scaling.scale_scores(scores, state.d_k)
    sides = [scaling.focus(scores), scaling.focus(scaled)]
    parts.facts(
        form.key("facts"),
        words.spread_facts(
            state.d_k, scaling.variance(scores), scaling.variance(scaled), *zip(*sides, strict=True)
        ),
    )
    form.segmented("panel", PANELS)
    DRAW[state.panel]()
else:
    parts.warnings(form.key("unreadable"), [softmax_words.UNREADABLE])
form.finish()
