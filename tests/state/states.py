"""States of the softmax page that more than one test file draws."""

from dataclasses import fields, replace

from hypothesis import settings
from hypothesis import strategies as st

from attnviz.content.softmax import preset_states
from attnviz.state.labels import MAX_LABEL
from attnviz.state.numbers import Cell, read_number, write_number
from attnviz.state.softmax import COLUMNS, PANELS, STEPS, VIEWS, SoftmaxState
from attnviz.state.temperature import Temperature, read_temperature

PRESETS = preset_states()

#: The same examples in every run: a red test is red for everybody.
seeded = settings(derandomize=True, deadline=None, max_examples=100)
few = settings(seeded, max_examples=60)  # a state is slow to draw

expressions = st.builds(
    lambda sign, above, below: f"{sign}{above}" + (f"/{below}" if below else ""),
    st.sampled_from(["", "-"]),
    st.sampled_from(["1", "2.50", "sqrt(2)", "√3", "0,5", "1e-3"]),
    st.sampled_from(["", "3", "sqrt(2)", "1e5"]),
)
finite_texts = st.floats(allow_nan=False, allow_infinity=False).map(write_number) | expressions
finite_cells = finite_texts.map(read_number)
cells = finite_cells | st.just(read_number("-inf"))

#: Any text that UTF-8 can hold, so everything but lone surrogates.
labels = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["", " ", "_", "~", "~e", "~~u", ",", ";", "a_b", "&s=1", "%00", "\0", "🐈" * MAX_LABEL, "k1"]
)
temperatures = st.one_of(
    st.builds(
        lambda name, value: read_temperature(name, write_number(value)),
        st.sampled_from(["T", "beta"]),
        st.floats(1e-300, 1e300),
    ),
    st.builds(read_temperature, st.sampled_from(["T", "beta"]), st.sampled_from(["1/3", "0,5"])),
    st.sampled_from(
        [Temperature("T", "inf"), Temperature("beta", "inf"), Temperature("beta", "0")]
    ),
)


@st.composite
def matrices(draw, max_queries=4, max_keys=6):
    """Draw scores: rows of cells, all of one length."""
    n = draw(st.integers(1, max_keys))
    row = st.lists(cells, min_size=n, max_size=n).map(tuple)
    return tuple(draw(st.lists(row, min_size=1, max_size=max_queries)))


@st.composite
def states(draw, max_queries=4, max_keys=6):
    """Draw a state: a preset or the default with any of its fields replaced."""
    name = draw(st.sampled_from(["", *PRESETS]))
    state = replace(PRESETS[name], preset=name) if name else SoftmaxState()
    if draw(st.booleans()):
        state = state.with_scores(draw(matrices(max_queries, max_keys)))
    n, position = state.n_keys, st.integers(0, state.n_keys - 1)
    optional = {
        "labels": st.just(()) | st.lists(labels, min_size=n, max_size=n).map(tuple),
        "temperature": temperatures,
        "hide": st.sets(position).map(sorted).map(tuple),
        "compare": st.just("off") | st.floats(1e-300, 1e300).map(write_number),
        "row": st.integers(0, state.n_queries - 1),
        "panel": st.sampled_from(list(PANELS)),
        "pick": st.just("") | st.builds("{}:{}".format, st.sampled_from(list(COLUMNS)), position),
        "add": finite_cells,
        "times": finite_cells,
        "pair": st.just(()) | st.tuples(position, position),
        "view": st.sampled_from(list(VIEWS)),
        "step": st.integers(1, len(STEPS)),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(optional))))
    return replace(state, **{field: draw(optional[field]) for field in sorted(chosen)})


def check_valid(state):
    """Assert what a state promises, down to the types of what it holds."""
    assert isinstance(state, SoftmaxState)
    replace(state)  # the state's own checks
    rows = state.scores
    assert type(rows) is tuple
    assert {type(row) for row in rows} == {tuple}
    assert all(type(cell) is Cell and cell.value < float("inf") for row in rows for cell in row)
    for positions in (state.hide, state.pair, (state.row, state.step)):
        assert type(positions) is tuple
        assert all(type(position) is int for position in positions)
    assert type(state.labels) is tuple
    for text in (*state.labels, state.compare, state.panel, state.pick, state.view, state.preset):
        assert type(text) is str
        text.encode()  # no lone surrogate: a link can hold it
    assert type(state.temperature) is Temperature
    assert type(state.add) is type(state.times) is Cell
    assert len(fields(state)) == 14  # one more field wants one more line here and in `states`
