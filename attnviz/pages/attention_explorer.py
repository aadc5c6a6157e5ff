"""What the attention page draws from a form, whole or in parts: a lesson embeds the same."""

from collections.abc import Callable, Sequence

import streamlit as st

from attnviz import AttentionSteps, attention, softmax_steps
from attnviz.content import attention_stages, attention_tables, tables
from attnviz.content import attention_words as words
from attnviz.content import softmax as softmax_words
from attnviz.content.attention import preset_states
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
from attnviz.state.links import fits_packed, pack_state, unpack_state
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

PARTS = {
    "q": edit_matrix("q"),
    "k": edit_matrix("k"),
    "v": edit_matrix("v"),
    "temperature": edit_temperature,
    "stages": edit_stage,
    "maps": edit_stage,
    "bars": edit_key_bar,
    "entropy": edit_query_bar,
}
NATIVES = (
    *("mask", "align", "window", "prefix", "padding", "block"),
    *("empty", "scale", "panel", "orient", "edit", "stage"),
)
SEVERAL = ("mask",)


def _computed(some: AttentionState, empty: str) -> AttentionSteps:
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


class AttentionExplorer:
    """The state of a form, and one method for each part of the screen.

    Parameters
    ----------
    form : Form
        With the parts `PARTS` and the native fields `NATIVES`, of which `SEVERAL` hold lists.
    """

    def __init__(self, form: Form[AttentionState]) -> None:
        self.form, self.state = form, form.state
        self.beta = self.state.temperature.beta
        self.lecture = self.state.view == "lecture"
        self.scale = 1.3 if self.lecture else 1.0

    def compute(self) -> bool:
        """Compute the head; where something can't be read or computed, say so instead."""
        form, state = self.form, self.state
        if not form.readable("q", "k", "v", "temperature", "scale", *state.mask):
            parts.warnings(form.key("unreadable"), [softmax_words.UNREADABLE])
            return False
        try:
            self.steps = _computed(state, words.policy_of(state))
        except ValueError as error:
            parts.warnings(form.key("no-result"), [f"Not computed: {error}."])
            return False
        return True

    def draw_stages(self, only: Sequence[str] = ()) -> None:
        """Draw all stages or some, and say which queries have no key."""
        form, state = self.form, self.state
        if state.reached("masked"):
            empty = words.empty_words(state, self.steps.empty_rows.tolist())
            parts.warnings(form.key("empty-rows"), empty)
        shades = heads.stage_shades(self.steps, values_of(state.v))
        if state.is_large and state.is_whole:
            form.segmented("stage", STAGES, labelled=True)
        factor = heads.scale_of(state.d_k, state.scale_value)
        stages = attention_stages.stages(state, self.steps, shades, factor)
        chosen = [stage for stage in stages if not only or stage.get("id") in only]
        stage_maps(form, "stages", chosen, SCALES)

    def draw_panel(self, panel: str) -> None:
        """Draw one of the panels below the stages."""
        _PANELS[panel](self)

    def draw_editors(self) -> None:
        """Show Q, K and V: open where they are small, one at a time where they are not."""
        state = self.state
        if state.is_easy:
            for column, name in zip(st.columns(3, gap="medium"), ("q", "k", "v"), strict=True):
                with column:
                    matrix_editor(self.form, name, compact=self.lecture)
            return
        st.caption(words.too_wide(state))
        self.form.segmented("edit", EDITS, labelled=True)
        for name in ("q", "k", "v"):
            if state.edit == name or self.form.problem(name):
                matrix_editor(self.form, name)

    def draw_masks(self) -> None:
        """Show the masks with their options, and how a single cell is toggled."""
        state = self.state
        self.form.pills("mask", {name: name for name in MASK_NAMES})
        asked = [name for name in ("window", "prefix", "padding", "block") if name in state.mask]
        diagonal = state.n_q != state.n_k and any(
            name in state.mask for name in ("causal", "window", "prefix", "block")
        )
        if asked or diagonal:
            with st.container(horizontal=True):
                for name in asked:
                    self.form.text_input(name, width=110)
                if diagonal:
                    self.form.segmented("align", ALIGNS, labelled=True)
        st.caption(words.mask_words(state))

    def draw_controls(self) -> None:
        """Show masks with their options, scale, temperature and what a fully masked row gets."""
        left, right = st.columns(2, gap="medium")
        with left:
            self.draw_masks()
        with right:
            temperature_editor(self.form)
        if self.lecture:
            left = right = st.expander(words.MORE_CONTROLS)
        with left, st.container(horizontal=True):
            self.form.text_input("scale", width=130)
            self.form.segmented("empty", POLICIES, labelled=True)
        with right:
            self.form.segmented("orient", ORIENTS)

    def draw_query(self) -> None:
        """Follow the chosen query: its arithmetic, its bars, its output term by term."""
        state = self.state
        row = heads.head_row(self.steps, values_of(state.v), state.row)
        colors = [colour_of(j) for j in range(state.n_k)]
        seen = row.allowed.tolist()
        if state.cell:
            product = heads.dot_product(values_of(state.q), values_of(state.k), *state.cell)
            parts.table(self.form.key("dot"), attention_tables.dot_table(state, product))
        left, right = st.columns(2, gap="medium")
        if row.sees_a_key:
            one = softmax_steps(row.scaled, beta=self.beta, allowed=row.allowed)
            with left:
                parts.table(
                    self.form.key("steps"),
                    tables.steps_table(
                        state.key_labels,
                        colors,
                        one,
                        self.beta,
                        caption=words.row_caption(state),
                        first="scaled score",
                    ),
                )
            with right:
                texts = attention_stages.weight_texts(row, exact=state.temperature.T == 0)
                parts.figure(
                    weight_bars(state.key_labels, row.weights, texts, masked=~row.allowed),
                    self.form.key("bars"),
                    alt=softmax_words.bars_alt(state.key_labels, one, self.beta),
                    name="attnviz-weights",
                    scale=self.scale,
                    stamp=self.form.stamp("bars"),
                )
        if state.reached("output"):
            parts.table(
                self.form.key("gather"), attention_tables.gather_table(state, colors, row, seen)
            )

    def draw_entropy(self) -> None:
        """Draw the entropy of each query against its ceiling."""
        state = self.state
        entropies = questions.row_entropies(self.steps)
        texts = attention_tables.entropy_texts(entropies.tolist())
        parts.figure(
            figures.entropy_per_query(
                state.query_labels,
                entropies,
                heads.ceilings(self.steps),
                [attention_stages.number(nats) for nats in entropies.tolist()],
                empty=self.steps.empty_rows,
            ),
            self.form.key("entropy"),
            alt=words.listed("Entropy per query", state.query_labels, texts),
            name="attnviz-entropy",
            scale=self.scale,
            stamp=self.form.stamp("entropy"),
            late=True,
        )
        parts.table(
            self.form.key("entropies"),
            attention_tables.entropy_table(state, texts, heads.ceilings(self.steps).tolist()),
        )
        st.caption(words.ENTROPY)

    def draw_received(self) -> None:
        """Draw how much each key receives from all queries."""
        state = self.state
        totals = heads.received(self.steps)
        texts = [attention_stages.number(total) for total in totals.tolist()]
        parts.figure(
            figures.received(state.key_labels, totals, texts),
            self.form.key("received"),
            alt=words.listed("What each key receives", state.key_labels, texts),
            name="attnviz-received",
            scale=self.scale,
            late=True,
        )
        st.caption(words.RECEIVED)

    def draw_policies(self) -> None:
        """Compare what a query without an allowed key gets, and what −1e9 would have given."""
        state = self.state
        rows = [i for i, none in enumerate(self.steps.empty_rows.tolist()) if none]
        if not rows:
            st.caption(words.NO_EMPTY_ROW)
            return
        numbered = heads.attention_with_a_number(
            values_of(state.q),
            values_of(state.k),
            values_of(state.v),
            allowed=self.steps.allowed,
            scale=state.scale_value,
            beta=self.beta,
        )
        results = {policy: _computed(state, policy) for policy in POLICIES if policy != "error"}
        parts.table(
            self.form.key("policies"), attention_tables.policy_table(state, rows, results, numbered)
        )
        st.caption(words.POLICY)

    def draw_compare(self) -> None:
        """Compare the pinned state A with the state on screen, B."""
        state = self.state
        packed = pack_state(state.unpinned, preset_states())
        fits = fits_packed(packed)
        with st.container(horizontal=True):
            if fits:
                self.form.button("Pin this state as A", pin=packed)
            if state.pin:
                self.form.button("Forget A", pin="")
        if not fits:
            parts.warnings(self.form.key("pin-large"), [words.TOO_LARGE_TO_PIN])
        st.caption(words.COMPARE)
        if not state.pin:
            return
        pinned = unpack_state(state.pin, AttentionState, preset_states())
        parts.warnings(self.form.key("pin-notes"), pinned.notes)
        first = _computed(pinned.state, words.policy_of(pinned.state))
        try:
            difference = heads.compare_heads(first, self.steps)
        except ValueError as error:
            parts.warnings(self.form.key("pin-shapes"), [f"A and B can't be compared: {error}."])
            return
        maps = attention_stages.compare_stages(
            state, first, self.steps, difference, heads.shades, pinned.state
        )
        stage_maps(self.form, "maps", maps, SCALES)
        parts.table(self.form.key("distances"), attention_tables.compare_table(state, difference))

    def draw_export(self) -> None:
        """Offer the numbers, the figure and the state to take away."""
        state = self.state
        given = {
            "q": values_of(state.q),
            "k": values_of(state.k),
            "v": values_of(state.v),
            "allowed": self.steps.allowed,
            "scale": state.scale_value,
            "beta": self.beta,
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
            "weights.csv": lambda: exports.table_csv(
                self.steps, state.query_labels, state.key_labels
            ),
            "head.json": lambda: exports.json_text(**given),
            "head.npz": lambda: exports.npz_bytes(**given),
            "state.txt": self.form.file_text,
        }
        if state.row is not None:
            st.markdown("**As LaTeX**, the chosen query")
            latex = exports.latex_text(
                self.steps,
                state.query_labels,
                state.row,
                keys=state.key_labels,
                v=values_of(state.v),
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
                    key=self.form.key(f"save-{name}"),
                )
        parts.figure(
            figures.heatmap(
                self.steps.weights,
                state.query_labels,
                state.key_labels,
                texts=attention_stages.weight_cells(self.steps, exact=state.temperature.T == 0),
                masked=~self.steps.allowed,
                kind="weights",
                title="Weights A",
            ),
            self.form.key("heatmap"),
            alt=attention_stages.stages_alt(state, self.steps),
            name="attnviz-attention",
            scale=self.scale,
            late=True,
        )
        self.form.open_file("Open a state from a file")


_PANELS: dict[str, Callable[[AttentionExplorer], None]] = {
    "entropy": AttentionExplorer.draw_entropy,
    "received": AttentionExplorer.draw_received,
    "policies": AttentionExplorer.draw_policies,
    "compare": AttentionExplorer.draw_compare,
    "export": AttentionExplorer.draw_export,
}
