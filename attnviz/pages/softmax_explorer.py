"""What the softmax page draws from a form, whole or in parts: a lesson embeds the same explorer."""

from collections.abc import Callable

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
from attnviz.core.entropy import entropy_terms
from attnviz.exports import softmax as exports
from attnviz.figures import softmax as figures
from attnviz.figures.style import colour_of
from attnviz.state.edits import edit_matrix, edit_pick, edit_temperature
from attnviz.state.softmax import STEPS, SoftmaxState
from attnviz.state.temperature import read_temperature
from attnviz.ui import parts
from attnviz.ui.form import Form
from attnviz.ui.softmax import scores_editor, temperature_editor

PARTS = {"matrix": edit_matrix, "temperature": edit_temperature, "table": edit_pick}
NATIVES = ("panel", "compare", "add", "times")


class SoftmaxExplorer:
    """The state of a form, computed, and one method for each part of the screen.

    Parameters
    ----------
    form : Form
        With the parts `PARTS` and the native fields `NATIVES`.
    """

    def __init__(self, form: Form[SoftmaxState]) -> None:
        self.form, self.state = form, form.state
        state = form.state
        self.beta, self.labels, self.allowed = (
            state.temperature.beta,
            state.key_labels,
            state.allowed,
        )
        self.colors = [colour_of(j) for j in range(state.n_keys)]
        self.lecture = state.view == "lecture"
        self.scale = 1.3 if self.lecture else 1.0
        self.values = state.values[state.row]
        self.row = softmax_steps(self.values, beta=self.beta, allowed=self.allowed, empty="nan")
        self.every = softmax_steps(state.values, beta=self.beta, allowed=self.allowed, empty="nan")
        self.seen = self.row.allowed.tolist()
        exact = state.temperature.T == 0  # in the limit a weight of 0 is exact, not an underflow
        self.weight_texts = [
            shown_weight(w, a, exact=exact)
            for w, a in zip(self.row.weights.tolist(), self.seen, strict=True)
        ]

    def draw_editors(self, *, compare: bool = True, temperature: bool = True) -> bool:
        """Draw the scores and the temperature; tell whether all of it can be read."""
        left, right = st.columns(2, gap="medium")
        with left:
            scores_editor(self.form, self.colors, compact=self.lecture)
        with right:
            if temperature:
                temperature_editor(self.form)
            if temperature and compare and not self.lecture:
                self.form.text_input("compare", width=160)
        readable = self.form.readable("matrix", "temperature")
        if not readable:
            parts.warnings(self.form.key("unreadable"), [words.UNREADABLE])
        return readable

    def draw_result(self, *, plain: bool = False) -> None:
        """Draw the chosen query, or say that softmax has no answer for it."""
        if any(self.seen):
            self.draw_row(plain=plain)
        else:
            empty = words.all_masked(self.state.row, self.state.n_queries)
            parts.warnings(self.form.key("empty"), [empty])

    def draw_panel(self, panel: str) -> None:
        """Draw one of the panels below the arithmetic."""
        if any(self.seen) or panel in ("rows", "export"):
            _PANELS[panel](self)

    def draw_row(self, *, plain: bool = False) -> None:
        """Draw the arithmetic and the bars of the chosen query, then how spread its weights are.

        Plain is without β and without what is said of the weights.
        """
        state = self.state
        explained = None
        if state.pick:
            position = int(state.pick.partition(":")[2])
            typed = state.scores[state.row][position].text
            explained = words.explain(
                state.pick, state.key_labels[position], typed, self.row, self.beta
            )
        caption = words.steps_caption(state.row, state.n_queries)
        left, right = st.columns(2, gap="medium")
        with left:
            self.form.editor(
                "table",
                tables.steps_table(
                    self.labels,
                    self.colors,
                    self.row,
                    self.beta,
                    pick=state.pick,
                    explained=explained,
                    caption=caption,
                    step=state.step,
                    plain=plain,
                ),
            )
        if state.step < len(STEPS):
            with right:
                parts.facts(self.form.key("predict"), [{"value": words.PREDICT}], tone="lines")
            return
        with right:
            reference = None
            if self.form.readable("compare") and not state.needs_no_reference:
                other = read_temperature("T", state.compare)
                reference = softmax_steps(
                    self.values, beta=other.beta, allowed=self.allowed
                ).weights
            parts.figure(
                figures.weight_bars(
                    self.labels,
                    self.row.weights,
                    self.weight_texts,
                    masked=~self.row.allowed,
                    reference=reference,
                    reference_texts=None
                    if reference is None
                    else [shown(w) for w in reference.tolist()],
                    reference_name=f"T = {state.compare}",
                ),
                self.form.key("bars"),
                alt=words.bars_alt(self.labels, self.row, self.beta),
                name="attnviz-weights",
                scale=self.scale,
            )
        if plain:
            return
        spread = words.row_facts(
            self.labels,
            self.row,
            entropy(self.row.weights),
            effective_keys(self.row.weights),
            questions.max_entropy(sum(self.seen)),
        )
        if state.n_queries > 1:
            spread.append(words.matrix_fact(self.every, state.n_queries))
        if state.temperature.T > 0:
            naive = naive_softmax(self.row.masked)
            spread.extend(words.naive_facts(naive.tolist(), self.row.weights.tolist()))
        checks = []
        if not self.lecture:
            measured = questions.row_checks(
                self.values, beta=self.beta, allowed=self.allowed, shift=state.add.value
            )
            checks = words.check_facts(measured)
        parts.facts(self.form.key("facts"), [*spread, *checks])

    def draw_curves(self) -> None:
        """Draw each weight and the entropy against β."""
        betas = questions.beta_axis(0.01, 100, 25)
        weights = weights_against_beta(self.values, betas, allowed=self.allowed)
        left, right = st.columns(2, gap="medium")
        with left:
            parts.figure(
                figures.weights_against_beta(
                    self.labels,
                    betas,
                    weights,
                    beta=self.beta,
                    beta_text=words.beta_words(self.beta),
                    masked=~self.row.allowed,
                    weights_at_beta=self.row.weights,
                    weight_texts_at_beta=self.weight_texts,
                ),
                self.form.key("weight-curves"),
                alt=f"Each weight against β. {words.bars_alt(self.labels, self.row, self.beta)}",
                name="attnviz-weights-against-beta",
                scale=self.scale,
                late=True,
            )
        now, ceiling = entropy(self.row.weights), questions.max_entropy(sum(self.seen))
        ceiling_text = f"ln {sum(self.seen)} = {shown(ceiling)}"
        with right:
            parts.figure(
                figures.entropy_against_beta(
                    betas,
                    entropy(weights),
                    beta=self.beta,
                    beta_text=words.beta_words(self.beta),
                    entropy_now=now,
                    ceiling=ceiling,
                    ceiling_text=ceiling_text,
                ),
                self.form.key("entropy-curve"),
                alt=f"Entropy against β: {shown(now)} nats at {words.beta_words(self.beta)},"
                f" at most {ceiling_text}.",
                name="attnviz-entropy-against-beta",
                scale=self.scale,
                late=True,
            )

    def draw_entropy(self) -> None:
        """Work the entropy out term by term, and say what it means."""
        weights, n = self.row.weights, sum(self.seen)
        logs, terms = entropy_terms(weights)
        now = entropy(weights)
        exact = self.state.temperature.T == 0
        table = tables.entropy_table(
            self.labels, self.colors, self.row, logs, terms, now, exact=exact
        )
        left, right = st.columns(2, gap="medium")
        with left:
            parts.table(self.form.key("terms"), table)
        lines = words.entropy_lines(
            now, effective_keys(weights), questions.max_entropy(n), entropy(weights, base=2), n
        )
        with right:
            parts.facts(self.form.key("meaning"), [{"value": line} for line in lines], tone="lines")

    def draw_pair(self) -> None:
        """Compare two keys: the ratio of their weights follows from the gap of their scores."""
        state = self.state
        self.form.positions("pair", words.COMPARED, self.labels, state.keys_compared)
        ratio = questions.pair_ratio(self.row, *state.keys_compared, beta=self.beta)
        lines = words.pair_words(self.labels, state.keys_compared, self.row, ratio, self.beta)
        parts.facts(self.form.key("ratio"), [{"value": line} for line in lines], tone="lines")

    def draw_moves(self) -> None:
        """Show that a constant on every score changes nothing, and a factor everything."""
        state = self.state
        left, right = st.columns(2, gap="medium")
        with left:
            self.form.text_input("add")
        with right:
            self.form.text_input("times")
        if not self.form.readable("add", "times"):
            return
        try:
            added = questions.add_to_scores(self.values, state.add.value)
            multiplied = questions.multiply_scores(self.values, state.times.value)
        except ValueError as error:
            parts.warnings(self.form.key("moves-error"), [f"Not shown: {error}."])
            return
        parts.table(
            self.form.key("moves"),
            tables.moves_table(
                self.labels,
                self.row.allowed,
                self.row.weights,
                softmax_steps(added, beta=self.beta, allowed=self.allowed).weights,
                softmax_steps(multiplied, beta=self.beta, allowed=self.allowed).weights,
                (f"score + {words.factor(state.add)}", f"score × {words.factor(state.times)}"),
                beta=self.beta,
            ),
        )
        st.caption(words.MOVES)

    def draw_naive(self) -> None:
        """Show the formula without the subtraction, which fails, beside the one that doesn't."""
        state = self.state
        if state.temperature.T == 0:
            st.caption(words.NO_NAIVE)
            return
        parts.table(
            self.form.key("naive"),
            tables.naive_table(
                self.labels,
                self.row.allowed,
                questions.naive_exps(self.row.masked),
                naive_softmax(self.row.masked),
                self.row.weights,
            ),
        )
        st.caption(words.NAIVE)

    def draw_rows(self) -> None:
        """Show the weights of every query, the sum of each, and of all."""
        parts.table(
            self.form.key("rows"),
            tables.queries_table(
                self.labels, self.every, questions.row_entropies(self.every), beta=self.beta
            ),
        )
        st.caption(words.ROWS)

    def draw_export(self) -> None:
        """Offer the numbers and the state to take away."""
        state = self.state
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown("**As NumPy**, the same numbers to the last digit")
            script = exports.numpy_text(
                state.values,
                words.beta_literal(state.temperature),
                state.hidden,
                self.labels,
                empty="nan",
            )
            st.code(script, language="python", height=300)
        with right:
            st.markdown(f"**As LaTeX**, query {state.row + 1}")
            st.code(
                exports.latex_text(
                    self.labels, self.every, state.row, words.beta_literal(state.temperature)
                ),
                language="latex",
                height=300,
            )
        with st.container(horizontal=True):
            st.download_button(
                "Table as CSV",
                lambda: exports.table_csv(self.labels, self.every),
                file_name="attnviz-softmax.csv",
                mime="text/csv",
                on_click="ignore",
                key=self.form.key("csv"),
            )
            st.download_button(
                "State as a file",
                self.form.file_text,
                file_name="attnviz-softmax.txt",
                mime="text/plain",
                on_click="ignore",
                key=self.form.key("save"),
            )
        self.form.open_file("Open a state from a file")
        st.caption(words.EXPORT)


_PANELS: dict[str, Callable[[SoftmaxExplorer], None]] = {
    "curves": SoftmaxExplorer.draw_curves,
    "entropy": SoftmaxExplorer.draw_entropy,
    "pair": SoftmaxExplorer.draw_pair,
    "moves": SoftmaxExplorer.draw_moves,
    "naive": SoftmaxExplorer.draw_naive,
    "rows": SoftmaxExplorer.draw_rows,
    "export": SoftmaxExplorer.draw_export,
}
