"""The sampling page: typed logits → temperature and filters → probabilities → seeded draws."""

import streamlit as st

from attnviz import effective_keys, entropy
from attnviz.content import labs
from attnviz.content import sampling as words
from attnviz.content import softmax as softmax_words
from attnviz.content.shown import shown
from attnviz.core import sampling
from attnviz.exports.labs import columns_csv, columns_latex, sampling_numpy
from attnviz.figures.softmax import weight_bars
from attnviz.figures.style import colour_of
from attnviz.state.edits import edit_matrix, edit_temperature
from attnviz.state.sampling import ORDERS, PANELS, SamplingState
from attnviz.ui import parts
from attnviz.ui.form import Form
from attnviz.ui.head import page_head, take_away
from attnviz.ui.softmax import scores_editor, temperature_editor

form = Form(
    "sampling",
    SamplingState,
    labs.states_of(words.PRESETS),
    parts={"matrix": edit_matrix, "temperature": edit_temperature},
    natives=("top_k", "top_p", "min_p", "order", "draws", "seed", "panel"),
)
state = form.state
labels, beta = state.key_labels, state.temperature.beta
colors = [colour_of(j) for j in range(state.n_keys)]


def probability_texts() -> list[str]:
    """Return what is shown of each probability."""
    exact = state.temperature.T == 0
    return words.probability_texts(result.probabilities.tolist(), kept, state.allowed, exact=exact)


def draw_bars() -> None:
    """Draw the probabilities over what is left, before all words in grey."""
    texts = probability_texts()
    parts.figure(
        weight_bars(
            labels,
            result.probabilities,
            texts,
            masked=masked,
            cut=~result.kept,
            title="probability",
            reference=result.full,
            reference_texts=[shown(p) for p in result.full.tolist()],
            reference_name="over all words",
        ),
        form.key("bars"),
        alt=words.bars_alt(labels, texts),
        name="attnviz-sampling",
    )
    parts.facts(
        form.key("facts"),
        words.spread_facts(
            (entropy(result.full), effective_keys(result.full)),
            (entropy(result.probabilities), effective_keys(result.probabilities)),
            sum(kept),
            state.n_keys,
        ),
    )


def draw_draws() -> None:
    """Draw words with a seed, and show how the frequencies grow towards the probabilities."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form.text_input("draws", width=140)
        form.text_input("seed", width=110)
        form.button("Another seed", seed=state.other_seed)
        for count in (1, 100, 10_000, 100_000):
            form.button(f"{count:,}", draws=count)
    if not form.readable("draws", "seed"):
        return
    sizes = words.sizes_up_to(state.draws)
    counts = sampling.counts_after(result.probabilities, sizes, state.seed)
    gaps = sampling.surprise(result.probabilities, counts).tolist()
    frequencies = sampling.last_frequencies(counts)
    left, right = st.columns(2, gap="medium")
    with left:
        parts.figure(
            weight_bars(
                labels,
                frequencies,
                words.probability_texts(frequencies.tolist(), kept, state.allowed, exact=True),
                masked=masked,
                cut=~result.kept,
                title="frequency",
                reference=result.probabilities,
                reference_texts=[shown(p) for p in result.probabilities.tolist()],
                reference_name="probability",
            ),
            form.key("frequencies"),
            alt=words.draws_alt(labels, frequencies.tolist(), state.draws),
            name="attnviz-draws",
            late=True,
        )
    with right:
        parts.table(
            form.key("growth"),
            words.growth_table(labels, colors, sizes, counts, probability_texts(), gaps),
        )
    st.caption(words.DRAWN)


def draw_filters() -> None:
    """Show what each step keeps."""
    stages = [(step.name, step.kept.tolist()) for step in result.steps]
    parts.table(
        form.key("filters"),
        words.filters_table(
            labels,
            colors,
            state.logits,
            result.full.tolist(),
            stages,
            result.probabilities.tolist(),
            words.settings_of(state),
            exact=state.temperature.T == 0,
        ),
    )
    st.caption(words.FULL)
    st.caption(words.TIES)


def draw_export() -> None:
    """Offer the numbers and the state to take away."""
    script = sampling_numpy(
        state.logits, labels, beta, state.filters, state.stages, state.seed, state.draws
    )
    columns = {
        "logit": state.logits,
        "over all words": result.full.tolist(),
        "kept": kept,
        "probability": result.probabilities.tolist(),
    }
    latex = columns_latex(labels, columns)
    take_away(form, "sampling", script, latex, lambda: columns_csv(labels, columns))


DRAW = {"draws": draw_draws, "filters": draw_filters, "export": draw_export}

# -- the screen: first what is typed, then what follows from it -----------------------------------

page_head(form, words.HEADING, labs.titles_of(words.PRESETS))
left, right = st.columns(2, gap="medium")
with left:
    scores_editor(form, colors, cell="logit", column="word")
with right:
    temperature_editor(form)
    with st.container(horizontal=True):
        for name in ("top_k", "top_p", "min_p"):
            form.text_input(name, width=100)
    form.segmented("order", ORDERS, labelled=True)
    if state.temperature.T == 0:
        st.caption(words.GREEDY)

if not form.readable("matrix", "temperature", "top_k", "top_p", "min_p"):
    parts.warnings(form.key("unreadable"), [softmax_words.UNREADABLE])
elif not any(state.allowed):
    parts.warnings(form.key("nothing"), [words.NOTHING])
else:
    result = sampling.filtered(state.logits, beta=beta, order=state.stages, **state.filters)
    kept, masked = result.kept.tolist(), sampling.never_kept(state.logits)
    draw_bars()
    form.segmented("panel", PANELS)
    DRAW[state.panel]()
form.finish()
