from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.state.fields import FieldError, fields_of
from attnviz.state.matrix import write_cells
from attnviz.state.numbers import Cell, read_number
from attnviz.state.softmax import (
    COLUMNS,
    MAX_KEYS,
    MAX_LABEL,
    MAX_QUERIES,
    PANELS,
    STEPS,
    SoftmaxState,
    matrix,
)
from attnviz.state.temperature import Temperature
from tests.state.states import check_valid, few, matrices, seeded, states

READS = {field.name: field.reads.get(field.name) for field in fields_of(SoftmaxState)}
ONE, MINUS_INFINITY = read_number("1"), read_number("-inf")


def test_the_default_state_is_three_scores_at_temperature_1():
    state = SoftmaxState()
    check_valid(state)
    assert state.values == ((2.0, 1.0, 0.0),)
    assert state.temperature == Temperature()
    assert (state.n_queries, state.n_keys) == (1, 3)
    assert state.key_labels == ("k1", "k2", "k3")
    assert state.allowed == (True, True, True)
    assert state.hidden == (False, False, False)
    assert state.keys_compared == (0, 1)
    assert state.step == len(STEPS)


def test_a_state_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        SoftmaxState().row = 1
    assert hash(SoftmaxState()) == hash(SoftmaxState())


@pytest.mark.parametrize(
    ("fields", "name", "words"),
    [
        ({"scores": ()}, "scores", "1 to 64 queries; got 0"),
        ({"scores": ((),)}, "scores", "the same 1 to 64 keys"),
        ({"scores": ((ONE,), (ONE, ONE))}, "scores", "the same 1 to 64 keys"),
        ({"scores": ((ONE,) * (MAX_KEYS + 1),)}, "scores", "the same 1 to 64 keys"),
        ({"scores": ((ONE,),) * (MAX_QUERIES + 1)}, "scores", "1 to 64 queries; got 65"),
        ({"labels": ("a", "b")}, "labels", "2 labels for 3 keys"),
        ({"labels": ("a", "b", "c" * (MAX_LABEL + 1))}, "labels", "longer than 200 characters"),
        ({"hide": (3,)}, "hide", "there is no key 3; the last one is 2"),
        ({"hide": (-1,)}, "hide", "there is no key"),
        ({"hide": (1, 0)}, "hide", "increasing"),
        ({"hide": (1, 1)}, "hide", "increasing"),
        ({"row": 1}, "row", "there is no query 1; the last one is 0"),
        ({"row": -1}, "row", "there is no query -1"),
        ({"panel": "curve"}, "panel", "must be one of curves"),
        ({"view": "slides"}, "view", "must be one of page, lecture"),
        ({"step": 0}, "step", "a whole number from 1 to 5"),
        ({"step": 6}, "step", "a whole number from 1 to 5"),
        ({"pick": "weight:3"}, "pick", "there is no key in weight:3"),
        ({"pick": "weight"}, "pick", "a column and a position"),
        ({"pick": "colour:0"}, "pick", "a column and a position"),
        ({"pair": (0,)}, "pair", "two positions"),
        ({"pair": (0, 1, 2)}, "pair", "two positions"),
        ({"pair": (0, 3)}, "pair", "a key that is not there; the last one is 2"),
        ({"pair": (-1, 0)}, "pair", "a key that is not there"),
        ({"compare": "warm"}, "compare", "T must be a number above 0"),
        ({"compare": "inf"}, "compare", "a finite temperature"),
        ({"add": MINUS_INFINITY}, "add", "finite"),
        ({"times": MINUS_INFINITY}, "times", "finite"),
    ],
)
def test_a_wrong_state_cannot_be_made_and_says_which_field_is_wrong(fields, name, words):
    with pytest.raises(FieldError, match=words) as refusal:
        SoftmaxState(**fields)
    assert refusal.value.name == name


def test_states_at_the_limits_can_be_made():
    check_valid(SoftmaxState(((ONE,) * MAX_KEYS,) * MAX_QUERIES, ("a" * MAX_LABEL,) * MAX_KEYS))
    check_valid(SoftmaxState(((MINUS_INFINITY,),), hide=(0,), pick="exp:0", pair=(0, 0)))


@few
@given(states())
def test_every_state_knows_its_shape_labels_and_masks(state):
    assert len(state.key_labels) == len(state.allowed) == len(state.hidden) == state.n_keys
    assert [i for i, hidden in enumerate(state.hidden) if hidden] == list(state.hide)
    assert [not hidden for hidden in state.hidden] == list(state.allowed)
    assert {len(row) for row in state.values} == {state.n_keys}
    assert all(0 <= position < state.n_keys for position in state.keys_compared)
    assert state.keys_compared == (state.pair or state.keys_compared)


@few
@given(states(), matrices())
def test_other_scores_keep_what_fits_them_and_drop_the_rest(state, scores):
    other = state.with_scores(scores)
    check_valid(other)
    n, both = other.n_keys, min(state.n_keys, len(scores[0]))
    assert other.scores == scores
    assert other.key_labels[:both] == state.key_labels[:both]
    assert other.labels[both:] == (
        tuple(f"k{i + 1}" for i in range(both, n)) if state.labels else ()
    )
    assert other.hide == tuple(p for p in state.hide if p < n)
    assert other.row == min(state.row, len(scores) - 1)
    assert other.pick in (state.pick, "")
    assert other.pair in (state.pair, ())
    for name in ("temperature", "compare", "panel", "add", "times", "preset", "view", "step"):
        assert getattr(other, name) == getattr(state, name)
    assert state.with_scores(state.scores) == state


def test_other_scores_may_come_with_other_fields():
    state = SoftmaxState(labels=("a", "b", "c"), hide=(2,))
    other = state.with_scores(matrix("1 0"), labels=("x", "y"), hide=(0,), row=0)
    assert other == SoftmaxState(matrix("1 0"), ("x", "y"), hide=(0,))
    with pytest.raises(FieldError, match="3 labels for 2 keys"):
        state.with_scores(matrix("1 0"), labels=("x", "y", "z"))


def test_a_matrix_is_written_as_texts_and_becomes_cells():
    assert matrix("2 1/3", "-inf 0,5") == (
        (Cell("2", 2.0), Cell("1/3", 1 / 3)),
        (Cell("-inf", float("-inf")), Cell("0.5", 0.5)),
    )
    assert write_cells(matrix("2 1/3", "-inf 0,5")) == "2_1/3~-inf_0.5"


@seeded
@given(matrices())
def test_scores_are_read_back_as_they_were_written(scores):
    assert READS["scores"](write_cells(scores)) == scores


def test_a_single_key_is_compared_with_itself():
    assert SoftmaxState(matrix("1")).keys_compared == (0, 0)


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_of_the_table_can_be_picked(column):
    assert READS["pick"](f"{column}:2") == f"{column}:2"
    assert SoftmaxState(pick=f"{column}:2").pick == f"{column}:2"


@pytest.mark.parametrize(
    "text", ["weight", "weight:", ":0", "weight:-1", "weight:x", "weight:²", "x"]
)
def test_what_names_no_number_of_the_table_is_refused(text):
    with pytest.raises(ValueError, match="a column and a position such as weight:0"):
        READS["pick"](text)


def test_two_keys_are_read_in_the_order_they_were_chosen():
    assert READS["pair"]("2_0") == (2, 0)
    assert READS["pair"]("1,1") == (1, 1)
    assert READS["pair"]("") == ()
    for text in ("0", "0_1_2", "a_b"):
        with pytest.raises(ValueError, match="position"):
            READS["pair"](text)


def test_the_reference_is_a_finite_temperature_or_off():
    assert READS["compare"](" OFF ") == "off"
    assert READS["compare"]("0,5") == "0.5"
    for text in ("inf", "∞", "0", "", "on"):
        with pytest.raises(ValueError, match=r"finite|above 0"):
            READS["compare"](text)


def test_the_constants_are_finite_numbers_kept_as_typed():
    for name in ("add", "times"):
        assert READS[name]("-1/3") == Cell("-1/3", -1 / 3)
        for text in ("-inf", "inf", "nan", "", "x"):
            with pytest.raises(ValueError, match=r"finite|[+]inf|number|blank"):
                READS[name](text)


@seeded
@given(st.text(max_size=8) | st.text("0123456789_,;~:.- weight", max_size=12))
def test_any_text_is_read_by_every_field_or_refused(text):
    for field in fields_of(SoftmaxState):
        for name, read in field.reads.items():
            try:
                value = read(text)
            except ValueError:
                continue
            written, spelled = field.write(value)
            assert field.reads[written](spelled) == value, (name, text)


@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_has_its_words_and_its_link(panel):
    assert READS["panel"](panel) == panel
    assert replace(SoftmaxState(), panel=panel).panel == panel
    assert PANELS[panel]
