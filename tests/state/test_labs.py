"""The states of the laboratories: links, limits, what follows from them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.state.fields import FieldError
from attnviz.state.keyed import read_whole
from attnviz.state.links import decode, encode
from attnviz.state.matrix import matrix
from attnviz.state.numbers import read_number, write_number
from attnviz.state.numerics import FORMATS, NumericsState
from attnviz.state.sampling import ORDERS, SamplingState
from attnviz.state.scaling import ScalingState
from attnviz.state.temperature import Temperature

ROW = st.lists(st.floats(-1e6, 1e6).map(write_number), min_size=1, max_size=8)


def part(low):
    return st.none() | st.floats(low, 1, exclude_min=low == 0).map(write_number).map(read_number)


@st.composite
def sampling_states(draw):
    row = draw(ROW)
    return SamplingState(
        scores=matrix(" ".join(row)),
        labels=draw(st.just(()) | st.just(tuple(f"w_{i}" for i in range(len(row))))),
        temperature=draw(st.sampled_from([Temperature("T", "2"), Temperature("beta", "inf")])),
        hide=tuple(sorted(draw(st.sets(st.integers(0, len(row) - 1))))),
        top_k=draw(st.integers(0, 64)),
        top_p=draw(part(0)),
        min_p=draw(part(0.0)),
        order=draw(st.sampled_from(list(ORDERS))),
        draws=draw(st.integers(1, 100_000)),
        seed=draw(st.integers(0, 9_999)),
    )


@st.composite
def numerics_states(draw):
    row = draw(ROW)
    typed = draw(st.booleans())
    return NumericsState(
        scores=matrix(" ".join(row)),
        hide=tuple(sorted(draw(st.sets(st.integers(0, len(row) - 1))))),
        shift=read_number(write_number(draw(st.floats(-1e5, 1e5)))),
        format=draw(st.sampled_from(list(FORMATS))),
        values_typed=matrix(" ".join(row)) if typed else (),
        block=draw(st.integers(1, 64)),
        at=draw(st.integers(1, 64)),
    )


@st.composite
def scaling_states(draw):
    draws = draw(st.integers(1, 1_000))
    return ScalingState(
        d_k=draw(st.integers(1, 1_024)),
        n_k=draw(st.integers(2, 64)),
        draws=draws,
        seed=draw(st.integers(0, 9_999)),
        pick=draw(st.integers(0, draws - 1)),
        study=draw(st.sampled_from(["off", "on"])),
    )


@settings(deadline=None, max_examples=100)
@given(st.one_of(sampling_states(), numerics_states(), scaling_states()))
def test_every_state_survives_its_link(state):
    opened = decode(encode(state, {}), type(state), {})
    assert opened.state == state
    assert opened.notes == ()


@pytest.mark.parametrize(
    ("cls", "wrong"),
    [
        (SamplingState, {"scores": matrix("1 2", "3 4")}),
        (SamplingState, {"labels": ("a",)}),
        (SamplingState, {"hide": (9,)}),
        (SamplingState, {"hide": (2, 1)}),
        (SamplingState, {"top_k": 65}),
        (SamplingState, {"order": "x"}),
        (SamplingState, {"draws": 0}),
        (NumericsState, {"format": "float8"}),
        (NumericsState, {"values_typed": matrix("1 2")}),
        (NumericsState, {"block": 0}),
        (ScalingState, {"d_k": 0}),
        (ScalingState, {"pick": 1000}),
    ],
)
def test_a_state_that_code_makes_is_checked_too(cls, wrong):
    with pytest.raises(FieldError):
        cls(**wrong)


def test_other_scores_keep_what_fits_them():
    state = NumericsState(labels=tuple("abcd"), hide=(1, 3), values_typed=matrix("1 2 3 4"))
    shorter = state.with_scores(matrix("5 6 7"))
    assert (shorter.labels, shorter.hide, shorter.values_typed) == (tuple("abc"), (1,), ())
    same = state.with_scores(matrix("4 3 2 1"))
    assert same.values_typed == state.values_typed
    longer = SamplingState(labels=("a", *"bcdefgh")).with_scores(matrix("1 2 3 4 5 6 7 8 9"))
    assert longer.labels[-1] == "k9"


def test_what_follows_from_a_state():
    state = NumericsState(scores=matrix("1 -inf 3"), hide=(2,), block=2, at=9)
    assert state.allowed == (True, False, False)
    assert state.masked_scores == (1, float("-inf"), float("-inf"))
    assert state.finite_scores == (1, 0, 3)
    assert (state.blocks, state.read, state.before, state.after) == (2, 2, 1, 2)
    assert state.mixed == ((1.0,), (2.0,), (3.0,))
    assert replace(state, hide=()).values_typed == ()
    sampling = SamplingState(scores=matrix("1 2"), hide=(0,), order="m-k-p-T")
    assert sampling.logits == (float("-inf"), 2)
    assert sampling.stages == ("min_p", "top_k", "top_p", "temperature")
    assert sampling.filters == {"top_k": None, "top_p": None, "min_p": None}
    assert SamplingState(seed=9_999).other_seed == 0
    assert ScalingState(draws=2, pick=1).other_pick == 0
    assert (ScalingState(draws=2, pick=150).at, ScalingState(draws=200, pick=150).at) == (1, 150)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,5 2 3,25 4", (1.5, 2, 3.25, 4)),
        ("0,25 0,75 1 2", (0.25, 0.75, 1, 2)),
        ("0,25;0,75;1;2", (0.25, 0.75, 1, 2)),
        ("0,25\t0,75\t1\t2", (0.25, 0.75, 1, 2)),
        ("0,25\n0,75\n1\n2", (0.25, 0.75, 1, 2)),
        ("sqrt(4) 0,5 0 1", (2, 0.5, 0, 1)),
        ("1,2,3,4", (1, 2, 3, 4)),
        ("1_2_3_4", (1, 2, 3, 4)),
        ("1;2;3;4", (1, 2, 3, 4)),
    ],
)
def test_values_are_read_with_decimal_commas_where_they_can_only_be_that(text, values):
    opened = decode({"values": text}, NumericsState, {})
    assert opened.notes == ()
    assert tuple(cell.value for cell in opened.state.values_typed[0]) == values


def test_a_value_of_minus_infinity_is_refused_with_its_place():
    [note] = decode({"values": "1_-inf_3_4"}, NumericsState, {}).notes
    assert "value 2 is −inf, and values are finite" in note


def test_a_whole_number_is_read_and_refused_in_a_sentence():
    read = read_whole(1, 100_000, {"off": 0})
    assert [read(text) for text in ("7", " 100 000 ", "OFF")] == [7, 100_000, 0]
    for text in ("", "0", "1.5", "-1", "100001", "x", "9" * 50):
        with pytest.raises(ValueError, match="from 1 to 100000, or off"):
            read(text)
