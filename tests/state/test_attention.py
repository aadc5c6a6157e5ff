import random
import string
import zlib
from base64 import urlsafe_b64encode
from dataclasses import FrozenInstanceError, fields, replace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import MASKS, attention
from attnviz.content.attention import preset_states
from attnviz.core.heads import combined_mask
from attnviz.state import links
from attnviz.state.attention import (
    ALIGNS,
    EASY,
    EDITS,
    MASK_NAMES,
    MAX_TOKENS,
    MAX_WIDTH,
    ORIENTS,
    PANELS,
    PIPELINE,
    POLICIES,
    SMALL,
    STAGES,
    STEPS,
    AttentionState,
    cell_of,
    shape_error,
    shape_of,
)
from attnviz.state.fields import FieldError, fields_of
from attnviz.state.labels import MAX_LABEL
from attnviz.state.links import (
    Decoded,
    decode,
    encode,
    pack_state,
    read_file,
    too_long,
    unpack_state,
    write_file,
)
from attnviz.state.matrix import matrix, values_of
from attnviz.state.numbers import Cell, read_number, write_number
from attnviz.state.softmax import VIEWS
from attnviz.state.temperature import Temperature
from tests.state.states import finite_cells, labels, seeded, temperatures

PRESETS = preset_states()
SMALL_PRESETS = ("worked-example-causal", "lookup", "all-masked-row", "alignment", "random-7")
DEFAULT = AttentionState()
PIN = pack_state(AttentionState(q=matrix("3 1")), {})
DECLARED = {field.name: field for field in fields_of(AttentionState)}
FULL = AttentionState(
    q=matrix("1/3 -2", "sqrt(2) 1e-3"),
    k=matrix("1 0", "0 1", "0.5 -0.5"),
    v=matrix("2", "0", "1"),
    tokens=("the", "cat_s"),
    keys=("le", "~", "🐈"),
    mask=("causal", "prefix"),
    align="top-left",
    window=3,
    prefix=2,
    padding=0,
    block=4,
    hide=((0, 0), (1, 2)),
    show=((0, 2),),
    empty="nan",
    scale="1/sqrt(2)",
    temperature=Temperature("beta", "1/4"),
    row=1,
    cell=(1, 2),
    panel="compare",
    orient="columns",
    view="lecture",
    step=4,
    pin=PIN,
    edit="k",
    stage="values",
)
few = settings(seeded, max_examples=40)  # a state is slow to draw


def opened(**params):
    return decode(params, AttentionState, PRESETS)


def by_address(params):
    """What a browser and the server make of the parameters."""
    return dict(parse_qsl(urlencode(params), keep_blank_values=True))


def packed(text):
    """The packed form, written here once more so that old links stay readable."""
    raw = text.encode()
    return urlsafe_b64encode(zlib.crc32(raw).to_bytes(4, "big") + zlib.compress(raw, 9)).decode()


def steps_of(state, **options):
    """What the core makes of a state."""
    masks = {name: state.options(name) for name in state.mask}
    allowed = combined_mask(state.n_q, state.n_k, masks, hide=state.hide, show=state.show)
    return attention(
        *(values_of(cells) for cells in (state.q, state.k, state.v)),
        allowed=allowed,
        scale=state.scale_value,
        beta=state.temperature.beta,
        **options,
    )


def zeros(rows, columns):
    return ((read_number("0"),) * columns,) * rows


# -- states that more than one test draws ---------------------------------------------------------


@st.composite
def matrices(draw, n_q=None, n_k=None, width=3):
    """Draw Q, K and V that fit each other."""
    n_q, n_k = (n or draw(st.integers(1, 4)) for n in (n_q, n_k))
    d_k, d_v = draw(st.integers(1, width)), draw(st.integers(1, width))
    drawn = draw(st.lists(finite_cells, min_size=1, max_size=4))

    def filled(rows, columns):
        at = draw(st.integers(0, 3))
        return tuple(
            tuple(drawn[(at + i * columns + j) % len(drawn)] for j in range(columns))
            for i in range(rows)
        )

    return filled(n_q, d_k), filled(n_k, d_k), filled(n_k, d_v)


@st.composite
def states(draw):
    """Draw a state: a preset or the default with any of its fields replaced."""
    name = draw(st.sampled_from(["", *SMALL_PRESETS]))
    state = replace(PRESETS[name], preset=name) if name else DEFAULT
    if draw(st.booleans()):
        state = state.with_matrices(*draw(matrices()))
    n_q, n_k = state.n_q, state.n_k
    pair = st.tuples(st.integers(0, n_q - 1), st.integers(0, n_k - 1))
    pairs = st.sets(pair, max_size=4).map(sorted).map(tuple)
    optional = {
        "tokens": st.just(()) | st.lists(labels, min_size=n_q, max_size=n_q).map(tuple),
        "keys": st.just(()) | st.lists(labels, min_size=n_k, max_size=n_k).map(tuple),
        "mask": st.sets(st.sampled_from(MASK_NAMES)).map(
            lambda names: tuple(name for name in MASK_NAMES if name in names)
        ),
        "align": st.sampled_from(list(ALIGNS)),
        "window": st.integers(1, 64),
        "prefix": st.integers(0, n_k),
        "padding": st.integers(0, n_k),
        "block": st.integers(1, 64),
        "hide": pairs,
        "show": pairs,
        "empty": st.sampled_from(list(POLICIES)),
        "scale": st.sampled_from(["on", "off"]) | finite_cells.map(lambda cell: cell.text),
        "temperature": temperatures,
        "row": st.none() | st.integers(0, n_q - 1),
        "cell": st.none() | pair,
        "panel": st.sampled_from(list(PANELS)),
        "orient": st.sampled_from(list(ORIENTS)),
        "view": st.sampled_from(list(VIEWS)),
        "step": st.integers(1, len(STEPS)),
        "pin": st.sampled_from(["", PIN, pack_state(FULL.unpinned, PRESETS)]),
        "edit": st.sampled_from(list(EDITS)),
        "stage": st.sampled_from(list(STAGES)),
    }
    assert {*optional, "q", "k", "v"} == set(DECLARED)
    chosen = draw(st.sets(st.sampled_from(sorted(optional)), max_size=9))
    return replace(state, **{field: draw(optional[field]) for field in sorted(chosen)})


def check_valid(state):
    """Assert what a state promises, down to the types of what it holds."""
    assert type(state) is AttentionState
    replace(state)  # the state's own checks
    for cells in (state.q, state.k, state.v):
        assert {type(cells), *map(type, cells)} == {tuple}
        assert 0 < len(cells) <= MAX_TOKENS
        assert len({len(row) for row in cells}) == 1
        assert 0 < len(cells[0]) <= MAX_WIDTH
        assert all(type(cell) is Cell for row in cells for cell in row)
        assert all(abs(cell.value) < float("inf") for row in cells for cell in row)
    assert shape_error(state.q, state.k, state.v) is None
    places = [*state.hide, *state.show, *([] if state.cell is None else [state.cell])]
    for place in places:
        assert type(place) is tuple
        assert [type(at) for at in place] == [int, int]
        assert 0 <= place[0] < state.n_q
        assert 0 <= place[1] < state.n_k
    assert state.row is None or (type(state.row) is int and 0 <= state.row < state.n_q)
    assert len(state.query_labels) == state.n_q
    assert len(state.key_labels) == state.n_k
    words = ("align", "empty", "scale", "panel", "orient", "view", "pin", "edit", "stage", "preset")
    for text in (*state.tokens, *state.keys, *state.mask, *(getattr(state, w) for w in words)):
        assert type(text) is str
        text.encode()  # no lone surrogate: a link can hold it
    for name in ("window", "prefix", "padding", "block", "step"):
        assert type(getattr(state, name)) is int
    assert type(state.temperature) is Temperature
    masks = {name: state.options(name) for name in MASK_NAMES}  # any may be switched on
    assert combined_mask(state.n_q, state.n_k, masks).shape == (state.n_q, state.n_k)
    assert state.scale_value is None or np.isfinite(state.scale_value)
    assert len(fields(state)) == 26  # one more field wants one more line here and in `states`


# -- valid and invalid ----------------------------------------------------------------------------


def test_the_default_state_is_the_worked_example():
    check_valid(DEFAULT)
    assert (DEFAULT.n_q, DEFAULT.n_k, DEFAULT.d_k, DEFAULT.d_v) == (1, 2, 2, 2)
    assert (DEFAULT.query_labels, DEFAULT.key_labels) == (("q1",), ("k1", "k2"))
    assert (DEFAULT.row, DEFAULT.cell, DEFAULT.empty) == (0, None, "zeros")
    steps = steps_of(DEFAULT)
    assert steps.weights.round(6).tolist() == [[0.669762, 0.330238]]
    assert steps.output.round(6).tolist() == [[1.339523, 0.660477]]


def test_a_state_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        DEFAULT.row = 1
    assert hash(FULL) == hash(replace(FULL))


def test_a_state_with_every_field_set_is_valid():
    check_valid(FULL)
    assert all(getattr(FULL, name) != field.default for name, field in DECLARED.items())


ONE, MINUS_INFINITY = read_number("1"), read_number("-inf")


@pytest.mark.parametrize(
    ("values", "name", "words"),
    [
        ({"q": ()}, "q", "Q has 1 to 64 rows; got 0"),
        ({"q": ((),)}, "q", "the same 1 to 64 columns"),
        ({"k": ((ONE, ONE), (ONE,))}, "k", "every row of K has the same"),
        ({"v": zeros(2, MAX_WIDTH + 1)}, "v", "every row of V has the same 1 to 64 columns"),
        ({"q": zeros(MAX_TOKENS + 1, 2)}, "q", "Q has 1 to 64 rows; got 65"),
        ({"q": ((ONE, MINUS_INFINITY),)}, "q", "Q holds −∞ in row 1, column 2; use the mask"),
        ({"v": ((ONE,), (MINUS_INFINITY,))}, "v", "V holds −∞ in row 2, column 1"),
        ({"q": matrix("1 0 0")}, "q", r"as many columns as queries, 3: Q is \(1, 3\), K is"),
        ({"k": matrix("1", "0")}, "k", r"queries, 2: Q is \(1, 2\), K is \(2, 1\)"),
        ({"k": zeros(3, 2)}, "k", r"each key, 3: K is \(3, 2\), V is \(2, 2\)"),
        ({"v": matrix("1 0")}, "v", r"each key, 2: K is \(2, 2\), V is \(1, 2\)"),
        ({"tokens": ("a", "b")}, "tokens", "2 labels for 1"),
        ({"keys": ("a",)}, "keys", "1 label for 2"),
        ({"keys": ("a", "b" * (MAX_LABEL + 1))}, "keys", "longer than 200 characters"),
        ({"mask": ("causul",)}, "mask", "a mask is one of none, causal"),
        ({"mask": ("custom",)}, "mask", "must be written as"),
        ({"mask": ("window", "causal")}, "mask", "must be written as 'causal_window'"),
        ({"mask": ("causal", "causal")}, "mask", "must be written as 'causal'"),
        ({"align": "left"}, "align", "one of bottom-right, top-left"),
        ({"window": 0}, "window", "a whole number from 1 to 64"),
        ({"window": 2.0}, "window", "a whole number from 1 to 64"),
        ({"prefix": 3}, "prefix", "at most the number of keys, 2"),
        ({"padding": 3}, "padding", "at most the number of keys, 2"),
        ({"padding": -1}, "padding", "a whole number from 0 to 64"),
        ({"block": 65}, "block", "a whole number from 1 to 64"),
        ({"hide": ((0, 2),)}, "hide", "there is no cell 0:2"),
        ({"hide": ((0, -1),)}, "hide", "there is no cell 0:-1"),
        ({"hide": ((0, 1), (0, 0))}, "hide", "increasing"),
        ({"hide": ((0, 1), (0, 1))}, "hide", "increasing"),
        ({"show": ((1, 0),)}, "show", "there is no cell 1:0"),
        ({"empty": "zero"}, "empty", "one of zeros, uniform, nan, error"),
        ({"scale": "0,5"}, "scale", "must be written as '0.5'; got '0,5'"),
        ({"scale": "-inf"}, "scale", "finite, on or off"),
        ({"scale": "x"}, "scale", "not a number"),
        ({"row": 1}, "row", "there is no query 1; the last one is 0"),
        ({"row": -1}, "row", "there is no query -1"),
        ({"cell": (0, 2)}, "cell", "there is no cell 0:2"),
        ({"cell": (-1, 0)}, "cell", "there is no cell -1:0"),
        ({"panel": "curves"}, "panel", "one of entropy, received"),
        ({"orient": "row"}, "orient", "one of rows, columns"),
        ({"view": "slides"}, "view", "one of page, lecture"),
        ({"step": 7}, "step", "from 1 to 6; got '7'"),
        ({"step": 0}, "step", "from 1 to 6; got '0'"),
        ({"pin": "a b"}, "pin", "characters that no packed state has"),
        ({"edit": "o"}, "edit", "one of none, q, k, v"),
        ({"stage": "weight"}, "stage", "one of weights, scores"),
    ],
)
def test_a_wrong_state_cannot_be_made_and_says_which_field_is_wrong(values, name, words):
    with pytest.raises(FieldError, match=words) as refusal:
        AttentionState(**values)
    assert refusal.value.name == name


def test_states_at_the_limits_can_be_made_and_sent_as_a_file():
    whole = zeros(MAX_TOKENS, MAX_WIDTH)
    state = AttentionState(
        q=whole,
        k=whole,
        v=whole,
        tokens=("a" * MAX_LABEL,) * MAX_TOKENS,
        hide=tuple((i, j) for i in range(MAX_TOKENS) for j in range(MAX_TOKENS)),
        row=MAX_TOKENS - 1,
        cell=(MAX_TOKENS - 1, MAX_TOKENS - 1),
        prefix=MAX_TOKENS,
    )
    check_valid(state)
    content = write_file("attention", state, PRESETS).encode()
    assert read_file("attention", content, AttentionState, PRESETS) == Decoded(state, ())
    check_valid(AttentionState(q=matrix("1"), k=matrix("1"), v=matrix("1")))


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_link_with_65_rows_or_columns_says_the_limit(name):
    for text in ("_".join("1" * 65), "~".join("1" * 65), "~".join(["1_1"] * 65)):
        found = opened(**{name: text})
        assert found.state == DEFAULT
        assert f"{name} in the link: " in found.notes[0]
        assert "at most 64" in found.notes[0]


# -- every field: its reader and its writer -------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "value", "written"),
    [
        ("q", "1,0", matrix("1 0"), "1_0"),
        ("q", "1/3 sqrt(2)", matrix("1/3 sqrt(2)"), "1/3_sqrt(2)"),
        ("k", "1,0;0,1", matrix("1 0", "0 1"), "1_0~0_1"),
        ("v", "[[2, 0], [0, 2]]", matrix("2 0", "0 2"), "2_0~0_2"),
        ("v", "2~0", matrix("2", "0"), "2~0"),
        ("tokens", "the_cat~us", ("the", "cat_s"), "the_cat~us"),
        ("tokens", "the,cat", ("the", "cat"), "the_cat"),
        ("tokens", "", (), ""),
        ("keys", "~e", ("",), "~e"),
        ("keys", "le;chat", ("le", "chat"), "le_chat"),
        ("mask", "window,causal,causal", ("causal", "window"), "causal_window"),
        ("mask", "none", (), ""),
        ("mask", "custom_padding", ("padding",), "padding"),
        ("align", " top-left ", "top-left", "top-left"),
        ("window", "64", 64, "64"),
        ("prefix", "0", 0, "0"),
        ("padding", " 7 ", 7, "7"),
        ("block", "0012", 12, "12"),
        ("hide", "1:0,0:2_1:0", ((0, 2), (1, 0)), "0:2_1:0"),
        ("hide", "", (), ""),
        ("show", "10:63", ((10, 63),), "10:63"),
        ("empty", "uniform", "uniform", "uniform"),
        ("scale", "ON", "on", "on"),
        ("scale", "off", "off", "off"),
        ("scale", "1/sqrt(2)", "1/sqrt(2)", "1/sqrt(2)"),
        ("scale", "0,5", "0.5", "0.5"),
        ("temperature", "1/3", Temperature("T", "1/3"), "1/3"),
        ("row", "63", 63, "63"),
        ("row", "none", None, "none"),
        ("cell", "0:2", (0, 2), "0:2"),
        ("cell", "", None, ""),
        ("panel", "compare", "compare", "compare"),
        ("orient", "columns", "columns", "columns"),
        ("view", "lecture", "lecture", "lecture"),
        ("step", " 3 ", 3, "3"),
        ("pin", PIN, PIN, PIN),
        ("edit", "v", "v", "v"),
        ("stage", "output", "output", "output"),
    ],
)
def test_a_field_is_read_as_people_type_it_and_written_in_one_way(name, text, value, written):
    field = DECLARED[name]
    read = next(iter(field.reads.values()))
    assert read(text) == value
    link_name, spelled = field.write(value)
    assert spelled == written
    assert field.reads[link_name](spelled) == value


def test_every_field_has_a_reader_that_reads_its_default_back():
    for field in DECLARED.values():
        name, text = field.write(field.default)
        assert field.reads[name](text) == field.default, name
        assert field.label
        assert field.help.endswith((".", "…"))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("q", "1_nan", "value 2 is not a number but NaN"),
        ("q", "1_inf", r"value 2 is \+inf"),
        ("k", "1_2~3", "row 2 has 1 value"),
        ("v", "", "there is nothing to read"),
        ("v", "1_x", "value 2 is not a number: 'x'"),
        ("mask", "causal_sideways", "a mask is one of none, causal.*; got 'sideways'"),
        ("align", "left", "one of bottom-right, top-left; got 'left'"),
        ("window", "0", "a whole number from 1 to 64; got '0'"),
        ("window", "65", "from 1 to 64"),
        ("window", "000164", "from 1 to 64"),  # its first four digits were 0001
        ("window", "0001" + "9" * 5000, "from 1 to 64"),
        ("prefix", "000099", "from 0 to 64"),
        ("prefix", "0000099999", "from 0 to 64"),
        ("prefix", "-1", "from 0 to 64"),
        ("padding", "1.0", "from 0 to 64"),
        ("block", "²", "from 1 to 64"),
        ("block", "٣", "from 1 to 64"),
        ("block", "", "from 1 to 64"),
        ("hide", "0", "pairs row:column from 0, such as 0:2_1:3; got '0'"),
        ("hide", "0:", "pairs row:column"),
        ("hide", "0:1:2", "pairs row:column"),
        ("hide", "0:-1", "pairs row:column"),
        ("hide", "0:1000", "pairs row:column"),
        ("hide", "0:1__0:2", "pairs row:column.*got ''"),
        ("show", "a:b", "pairs row:column"),
        ("empty", "zero", "one of zeros, uniform, nan, error"),
        ("scale", "-inf", "the scale must be finite, on or off"),
        ("scale", "inf", r"\+inf"),
        ("scale", "yes", "not a number"),
        ("scale", "", "blank"),
        ("temperature", "0", "T must be above 0"),
        ("row", "64", "from 0 to 63"),
        ("row", "-1", "from 0 to 63"),
        ("row", "None", "from 0 to 63"),
        ("cell", "0:1_0:2", "it is one cell such as 0:2; got '0:1_0:2'"),
        ("cell", "0", "pairs row:column"),
        ("panel", "curves", "one of entropy, received, policies, compare, export"),
        ("orient", "row", "one of rows, columns"),
        ("view", "", "one of page, lecture"),
        ("step", "7", "it is a whole number from 1 to 6; got '7'"),
        ("step", "two", "it is a whole number from 1 to 6; got 'two'"),
        ("pin", "a+b", "characters that no packed state has"),
        ("pin", "\ud83d", "characters that no packed state has"),
        ("pin", "abc\n", "characters that no packed state has"),
        ("edit", "Q", "one of none, q, k, v; got 'Q'"),
        ("stage", "Weights", "one of weights, scores, scaled, masked, values, output"),
    ],
)
def test_what_a_field_cannot_hold_is_refused_in_words_and_named_in_a_link(name, text, words):
    link_name, read = next(iter(DECLARED[name].reads.items()))
    with pytest.raises(ValueError, match=words):
        read(text)
    found = opened(**{link_name: text})
    assert found.state == DEFAULT
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"{link_name} in the link: ")
    assert found.notes[0].endswith(" The default is shown.")


@few
@given(st.text(max_size=8) | st.text("0123456789_,;~:.- offnew", max_size=12))
def test_any_text_is_read_by_every_field_or_refused(text):
    for field in DECLARED.values():
        for name, read in field.reads.items():
            try:
                value = read(text)
            except ValueError:
                continue
            written, spelled = field.write(value)
            assert field.reads[written](spelled) == value, (name, text)


def test_the_masks_of_the_menu_are_those_of_the_core_and_their_options_are_fields():
    assert set(MASK_NAMES) == set(MASKS) - {"none", "custom"}
    assert FULL.options("causal") == {"align": "top-left"}
    assert FULL.options("window") == {"window": 3, "align": "top-left"}
    assert FULL.options("prefix") == {"prefix": 2, "align": "top-left"}
    assert FULL.options("padding") == {"padding": 0}
    assert FULL.options("block") == {"block": 4, "align": "top-left"}


# -- what a state knows ---------------------------------------------------------------------------


def test_keys_have_their_own_labels_or_those_of_as_many_queries_or_numbers():
    square = AttentionState(q=matrix("1 0", "0 1"), tokens=("a", "b"))
    assert square.key_labels == ("a", "b")
    assert replace(square, keys=("c", "d")).key_labels == ("c", "d")
    assert replace(square, keys=("c", "d")).query_labels == ("a", "b")
    assert replace(DEFAULT, tokens=("a",)).key_labels == ("k1", "k2")
    assert AttentionState(q=matrix("1 0", "0 1")).key_labels == ("k1", "k2")


def test_the_scale_is_none_for_on_and_a_factor_otherwise():
    assert DEFAULT.scale_value is None
    assert replace(DEFAULT, scale="off").scale_value == 1.0
    assert FULL.scale_value == read_number("1/sqrt(2)").value == pytest.approx(0.5**0.5)


def test_small_matrices_stand_open_and_large_heads_are_drawn_one_stage_at_a_time():
    for name in ("n_q", "n_k", "d_k", "d_v"):
        for more, easy in ((0, True), (1, False)):
            n = {"n_q": 1, "n_k": 2, "d_k": 2, "d_v": 2} | {name: EASY + more}
            state = AttentionState(
                q=zeros(n["n_q"], n["d_k"]),
                k=zeros(n["n_k"], n["d_k"]),
                v=zeros(n["n_k"], n["d_v"]),
            )
            assert state.is_easy is easy
    for n, drawn in ((SMALL, PIPELINE), (SMALL + 1, ("scaled",))):
        assert AttentionState(q=zeros(n, 2), stage="scaled").drawn == drawn
        assert AttentionState(k=zeros(n, 2), v=zeros(n, 2), stage="scaled").drawn == drawn
    assert set(PIPELINE) == set(STAGES)


def test_the_stages_come_one_at_a_time_and_the_output_with_its_values():
    for step, count in enumerate((0, 1, 2, 3, 4, 6), 1):
        small, large = (AttentionState(q=zeros(n, 2), step=step) for n in (SMALL, SMALL + 1))
        assert small.drawn == PIPELINE[:count]
        assert large.drawn == (PIPELINE[count - 1 : count] if step < 6 else (large.stage,))
        assert small.is_whole is large.is_whole is (step == len(STEPS))
        assert [small.reached(name) for name in STEPS] == [at < step for at in range(6)]
        assert (small.is_large, large.is_large) == (False, True)


def test_a_state_differs_where_its_numbers_do_and_not_in_how_it_is_looked_at():
    for name in ("q", "mask", "hide", "show", "scale", "temperature", "window", "align"):
        other = replace(
            FULL, **{name: DECLARED[name].default if name != "q" else matrix("0 0", "1 1")}
        )
        assert FULL.differs(other), name
    for name in ("row", "cell", "panel", "orient", "view", "step", "pin", "edit", "stage"):
        assert not FULL.differs(replace(FULL, **{name: DECLARED[name].default})), name


def test_a_shape_error_names_the_field_and_both_shapes():
    q, k, v = matrix("1 0"), matrix("1 0", "0 1"), matrix("2", "0")
    assert shape_error(q, k, v) is None
    assert shape_error(matrix("1"), k, v) == (
        "k",
        "keys need as many columns as queries, 1: Q is (1, 1), K is (2, 2)",
    )
    assert shape_error(q, k, matrix("1 1 1")) == (
        "v",
        "values need one row for each key, 2: K is (2, 2), V is (1, 3)",
    )
    assert (shape_of(q), shape_of(v)) == ("(1, 2)", "(2, 1)")


def test_a_number_becomes_a_cell_with_its_shortest_spelling_or_its_own():
    assert cell_of(0.1) == Cell("0.1", 0.1)
    assert cell_of(1 / 3, "1/3") == Cell("1/3", 1 / 3)


@few
@given(states(), matrices())
def test_other_matrices_keep_what_fits_them_and_drop_the_rest(state, cells):
    other = state.with_matrices(*cells)
    check_valid(other)
    n_q, n_k = len(cells[0]), len(cells[1])
    assert (other.q, other.k, other.v) == cells
    both = min(state.n_q, n_q)
    assert other.query_labels[:both] == state.query_labels[:both]
    assert other.tokens[both:] == (
        tuple(f"q{i + 1}" for i in range(both, n_q)) if state.tokens else ()
    )
    for name in ("hide", "show"):
        inside = tuple(p for p in getattr(state, name) if p[0] < n_q and p[1] < n_k)
        assert getattr(other, name) == inside
    assert other.cell in (state.cell, None)
    assert other.row == (None if state.row is None else min(state.row, n_q - 1))
    assert (other.prefix, other.padding) == (min(state.prefix, n_k), min(state.padding, n_k))
    for name in ("mask", "align", "window", "scale", "temperature", "pin", "preset", "orient"):
        assert getattr(other, name) == getattr(state, name)
    assert state.with_matrices(state.q, state.k, state.v) == state


def test_other_matrices_may_come_with_other_fields_and_must_fit():
    other = FULL.with_matrices(matrix("1"), matrix("1"), matrix("2"), keys=("x",), hide=())
    assert (other.tokens, other.keys, other.hide, other.row) == (("the",), ("x",), (), 0)
    with pytest.raises(FieldError, match=r"K is \(1, 1\)"):
        FULL.with_matrices(matrix("1 0"), matrix("1"), matrix("2"))


# -- there and back -------------------------------------------------------------------------------


@few
@given(states())
def test_every_state_survives_its_link_its_packed_link_its_pin_and_its_file(state):
    check_valid(state)
    params = encode(state, PRESETS)
    text = urlencode(links._written(state, PRESETS))
    ways = [params, by_address(params), by_address({"s": packed(text)})]
    found = [decode(way, AttentionState, PRESETS) for way in ways]
    content = write_file("attention", state, PRESETS).encode()
    found.append(read_file("attention", content, AttentionState, PRESETS))
    found.append(unpack_state(pack_state(state, PRESETS), AttentionState, PRESETS))
    assert found == [Decoded(state, ())] * 5
    names = {name for field in DECLARED.values() for name in field.reads}
    assert set(params) <= names | {"preset", "s"}


def test_the_default_state_has_an_empty_link_and_only_what_differs_is_written():
    assert encode(DEFAULT, PRESETS) == {}
    assert encode(replace(DEFAULT, row=None, hide=((0, 1),)), PRESETS) == {
        "hide": "0:1",
        "row": "none",
    }
    lookup = replace(PRESETS["lookup"], preset="lookup")
    assert encode(lookup, PRESETS) == {"preset": "lookup"}
    assert encode(replace(lookup, scale="on", mask=("causal",)), PRESETS) == {
        "preset": "lookup",
        "scale": "on",
        "mask": "causal",
    }
    assert encode(replace(lookup, tokens=()), PRESETS) == {"preset": "lookup", "tokens": ""}


def test_a_link_reads_as_a_person_would_write_it():
    assert encode(FULL, {}) == {
        "q": "1/3_-2~sqrt(2)_1e-3",
        "k": "1_0~0_1~0.5_-0.5",
        "v": "2~0~1",
        "tokens": "the_cat~us",
        "keys": "le_~~_🐈",
        "mask": "causal_prefix",
        "align": "top-left",
        "window": "3",
        "prefix": "2",
        "padding": "0",
        "block": "4",
        "hide": "0:0_1:2",
        "show": "0:2",
        "empty": "nan",
        "scale": "1/sqrt(2)",
        "beta": "1/4",
        "row": "1",
        "cell": "1:2",
        "panel": "compare",
        "orient": "columns",
        "view": "lecture",
        "step": "4",
        "pin": PIN,
        "edit": "k",
        "stage": "values",
    }


def test_the_worked_example_is_read_from_its_address_as_typed():
    address = "q=1,0&k=1,0;0,1&v=2,0;0,2"
    found = decode(dict(parse_qsl(address)), AttentionState, PRESETS)
    assert found == Decoded(DEFAULT, ())
    found = decode(
        dict(parse_qsl(address + "&mask=causal&align=top-left")), AttentionState, PRESETS
    )
    assert found.notes == ()
    assert steps_of(found.state).output.tolist() == [[2.0, 0.0]]
    other = decode(dict(parse_qsl("q=3,1/3&k=3,0;0,3;1,1&v=5;6;7")), AttentionState, PRESETS)
    assert other.state.q == matrix("3 1/3")  # a comma is never a decimal comma in a link
    assert other.state.v == matrix("5", "6", "7")
    assert other.notes == ()


@pytest.mark.parametrize(
    ("params", "whose", "words"),
    [
        ({"q": "1_0_0"}, "q", "Q is (1, 3), K is (2, 2)"),
        ({"k": "1_0_0~0_1_0"}, "k", "Q is (1, 2), K is (2, 3)"),
        ({"k": "1_0~0_1~1_1"}, "k", "K is (3, 2), V is (2, 2)"),
        ({"v": "1_2_3"}, "v", "K is (2, 2), V is (1, 3)"),
    ],
)
def test_one_matrix_of_another_shape_goes_alone_and_says_both_shapes(params, whose, words):
    found = opened(**params, T="2", panel="export")
    assert found.state == AttentionState(temperature=Temperature("T", "2"), panel="export")
    (note,) = found.notes
    assert note.startswith(f"{whose} in the link: ")
    assert words in note


def test_what_a_link_names_beyond_its_matrices_goes_with_a_sentence():
    found = opened(
        tokens="a_b", keys="a", hide="0:2", row="1", cell="1:0", prefix="3", pin="?", T="2"
    )
    assert found.state == AttentionState(temperature=Temperature("T", "2"))
    names = [note.split()[0] for note in found.notes]
    assert sorted(names) == ["cell", "hide", "keys", "pin", "prefix", "row", "tokens"]


# -- damaged links --------------------------------------------------------------------------------

LETTERS = string.printable + "−１٣é\0\ud800🐈~_,;:&=%+"
NAMES = [*(name for name in DECLARED if name != "temperature"), "T", "beta", "preset", "s"]


def damaged(rng, params):
    """One random damage of one or more parts."""
    params = dict(params)
    name = rng.choice(list(params))
    text = params[name]
    at = rng.randrange(len(text) + 1)
    some = "".join(rng.choices(LETTERS, k=rng.randrange(1, 6)))
    match rng.randrange(8):
        case 0:
            params[name] = text[:at]
        case 1:
            params[name] = text[:at] + some[0] + text[at + 1 :]
        case 2:
            params[name] = text[:at] + some + text[at:]
        case 3:
            params[name] = rng.randbytes(rng.randrange(12)).decode("latin-1")
        case 4:
            names = list(params)
            params = dict(zip(rng.sample(names, len(names)), params.values(), strict=True))
        case 5:
            params[rng.choice(NAMES)] = rng.choice([some, text, "0", "1:1", "nan"])
        case 6:
            params[name] = [some, text[at:]]
        case 7:
            params[name] = text * rng.choice([2, 3, 3, 40])
    return params


def test_2000_damaged_links_open_a_valid_state():
    rng = random.Random(30)
    bases = [encode(FULL, {}), {"q": "1,0", "k": "1,0;0,1", "v": "2,0;0,2", "T": "0.5"}]
    bases += [{"preset": name, "mask": "causal", "hide": "0:0"} for name in SMALL_PRESETS]
    bases += [encode(PRESETS[name], {}) for name in SMALL_PRESETS]
    bases += [{"s": packed(urlencode(params))} for params in bases[:4]]
    noted = 0
    for _ in range(2_000):
        params = damaged(rng, rng.choice(bases))
        found = decode(params, AttentionState, PRESETS)
        check_valid(found.state)
        assert all(note.isprintable() and len(note) < 500 for note in found.notes), params
        noted += bool(found.notes)
    assert noted > 1_000  # the damage was real


# -- a pinned state -------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [DEFAULT, FULL, replace(PRESETS["lookup"], preset="lookup")])
def test_a_pinned_state_comes_back_whole_and_so_does_the_link_that_holds_it(state):
    pin = pack_state(state.unpinned, PRESETS)
    assert unpack_state(pin, AttentionState, PRESETS) == Decoded(state.unpinned, ())
    holder = replace(DEFAULT, pin=pin, panel="compare", hide=((0, 1),))
    for params in (encode(holder, PRESETS), by_address(encode(holder, PRESETS))):
        assert decode(params, AttentionState, PRESETS) == Decoded(holder, ())


def test_a_pin_holds_no_pin_and_names_its_preset():
    assert (FULL.unpinned.pin, DEFAULT.unpinned.panel) == ("", "compare")
    assert replace(FULL.unpinned, pin=FULL.pin, panel=FULL.panel) == FULL
    head = replace(PRESETS["saturated"], preset="saturated")
    assert len(pack_state(head.unpinned, PRESETS)) < 100  # its 768 numbers aren't in it


def test_a_pin_that_makes_the_link_long_is_packed_with_it():
    rng = random.Random(31)
    cells = tuple(
        tuple(read_number(write_number(rng.gauss(0, 1))) for _ in "12345678") for _ in "1234567890"
    )
    state = AttentionState(q=cells, k=cells, v=cells)
    holder = replace(state, pin=pack_state(state.unpinned, PRESETS))
    params = encode(holder, PRESETS)
    assert set(params) == {"s"}
    assert decode(by_address(params), AttentionState, PRESETS) == Decoded(holder, ())
    assert too_long(params) == (len(params["s"]) > 7_998)


def test_a_damaged_pin_is_no_state_and_the_note_names_it():
    pin = pack_state(FULL.unpinned, PRESETS)
    spoiled = [pin[:at] for at in range(1, len(pin) - 1, 7)]
    spoiled += [
        pin[:at] + ("A" if c != "A" else "B") + pin[at + 1 :] for at, c in enumerate(pin[:-1])
    ]
    for text in spoiled:
        holder = opened(pin=text)
        assert holder.state == DEFAULT
        [note] = holder.notes
        assert note.startswith("pin in the link: its packed part ")
    with pytest.raises(FieldError, match="packed part"):
        replace(DEFAULT, pin="AAAA")


def test_a_matrix_that_does_not_fit_the_preset_goes_and_the_preset_stays_whole():
    opened = decode({"preset": "identity", "q": "1,0"}, AttentionState, PRESETS)
    whole = PRESETS["identity"]
    assert (opened.state.q, opened.state.k, opened.state.v) == (whole.q, whole.k, whole.v)
    assert len(opened.notes) == 1
    assert opened.notes[0].startswith("q in the link:")
