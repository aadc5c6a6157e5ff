"""The state of the lessons page, its links, and how answers are read."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.state.fields import FieldError
from attnviz.state.lessons import (
    DONE,
    LessonState,
    edit_answer,
    edit_bars,
    edit_trail,
    read_answer,
)
from attnviz.state.links import decode, encode

ANSWERS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=6)


def trimmed(items):
    while items and not items[-1]:
        items.pop()
    return tuple(items)


@given(st.integers(0, 39), st.lists(st.integers(0, 9999), max_size=5), ANSWERS, st.integers(0, 3))
def test_every_state_survives_its_link(at, seeds, answers, hints):
    state = LessonState("weights", at, trimmed(seeds), trimmed(answers), (at, hints))
    opened = decode(encode(state, {}), LessonState, {})
    assert opened.state == state
    assert opened.notes == ()


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"lesson": "../etc"}, "lesson"),
        ({"lesson": "weights", "at": "-1"}, "at"),
        ({"lesson": "weights", "at": "40"}, "at"),
        ({"lesson": "weights", "seed": "x"}, "seed"),
        ({"lesson": "weights", "help": "3"}, "help"),
        ({"lesson": "weights", "answers": "_" * 99}, "answers"),
        ({"lesson": "weights", "answers": "0.5_~e"}, "answers"),
    ],
)
def test_a_damaged_part_of_a_link_is_named_and_the_rest_opens(params, named):
    opened = decode(params, LessonState, {})
    [note] = opened.notes
    assert note.startswith(f"{named} in the link: ")
    assert opened.state.lesson == ("" if named == "lesson" else "weights")
    assert opened.state.seeds == ()


def test_a_state_that_code_makes_is_checked_too():
    for wrong in (
        {"lesson": "A"},
        {"at": 99},
        {"seeds": (-1,)},
        {"seeds": (0,)},
        {"answers": ("x", "")},
    ):
        with pytest.raises(FieldError):
            LessonState(**wrong)
    for wrong in ({"answers": ("x" * 301,)}, {"seeds": (-1,)}, {"seeds": (3, 0)}):
        with pytest.raises(FieldError):
            LessonState(**wrong)


def test_an_answer_stands_at_its_step_and_can_be_taken_back():
    state = LessonState("weights", at=2).answered("0.67")
    assert state.answers == ("", "", "0.67")
    assert state.answer == "0.67"
    assert state.answer_to(5) == ""
    assert state.answered("").answers == ()
    assert len(state.answered("x" * 999).answer) == 300


def test_going_on_from_a_step_that_asks_nothing_is_being_done_with_it():
    state = LessonState("weights", at=2)
    assert state.gone_to(4, passed=True) == LessonState("weights", 4, answers=("", "", DONE))
    assert state.gone_to(1, passed=True) == LessonState("weights", 1)
    assert state.gone_to(3) == LessonState("weights", 3)
    assert (state.before, LessonState().before) == (1, 0)
    assert edit_trail(state, {"at": 3, "passed": True}).state == state.gone_to(3, passed=True)
    assert edit_trail(state, {"at": 3, "passed": 1}).state == state.gone_to(3)
    kept = {"weights": LessonState("weights", 5, answers=("a", "", "", "b"))}
    assert edit_trail(state, {"at": 3, "kept": kept}).state.answers == ("a", "", "", "b")


@pytest.mark.parametrize("at", [None, "1", 1.0, True, -1, 40, [1]])
def test_a_step_that_no_script_sends_is_not_gone_to(at):
    state = LessonState("weights", at=2)
    assert edit_trail(state, {"at": at, "passed": True}).state is state


def test_an_answer_is_kept_as_it_was_typed():
    state = LessonState("masks", at=1, answers=("", "1 0"))
    assert edit_answer(state, {"text": "1 0; 1 1\x85"}).state.answers == ("", "1 0; 1 1\x85")
    for text in (None, 1, ["1"], "", "  "):
        assert edit_answer(state, {"text": text}).state is state


def test_what_was_answered_later_is_kept_where_the_numbers_are_the_same():
    kept = LessonState("weights", 3, seeds=(0, 0, 0, 7), answers=("a", "b", "", "c", "d"))
    back = LessonState("weights", 1, answers=("x",))
    assert back.with_kept(kept).answers == ("x", "b", "", "", "d")
    assert replace(back, seeds=(0, 0, 0, 7)).with_kept(kept).answers == ("x", "b", "", "c", "d")
    assert kept.with_kept(back) == kept
    assert LessonState("weights").with_kept(LessonState("weights", 5)).answers == ()


def test_a_place_is_a_step_with_its_numbers():
    state = LessonState("weights", at=3)
    assert state.place == "weights-3-0"
    assert state.redrawn().place == "weights-3-1"


def test_hints_belong_to_one_step():
    state = LessonState("weights", at=2, help=(2, 1))
    assert state.hints == 1
    assert state.one_more_hint == (2, 2)
    assert LessonState("weights", at=3, help=(2, 1)).hints == 0


def test_fresh_numbers_take_away_the_answer_to_the_old_ones_only():
    state = LessonState("weights", at=1, seeds=(3,), answers=("2", "0.5", "1"), help=(1, 2))
    fresh = state.redrawn()
    assert (fresh.seeds, fresh.answers, fresh.hints) == ((3, 1), ("2", "", "1"), 0)
    assert (fresh.seed_of(0), fresh.seed_of(1), fresh.seed_of(7)) == (3, 1, 0)
    assert LessonState("weights", seeds=(9999,)).redrawn().seeds == ()


def test_for_somebody_else_the_same_step_has_no_answers():
    state = LessonState("weights", at=1, seeds=(0, 3), answers=("2",), help=(1, 2))
    assert state.unanswered == LessonState("weights", at=1, seeds=(0, 3))


@pytest.mark.parametrize(
    ("text", "count", "right"),
    [
        ("0.67", 1, (0.67,)),
        (" 0,67 ", 1, (0.67,)),
        ("2/3", 1, (2 / 3,)),
        ("1/sqrt(2)", 1, (0.7071067811865475,)),
        ("[0.5]", 1, (0.5,)),
        ("−∞", 1, (-math.inf,)),
        ("0.5, 0.5", 2, (0.5, 0.5)),
        ("0,5; 0,5", 2, (0.5, 0.5)),
        ("0.1 0.2 0.7", 3, (0.1, 0.2, 0.7)),
        ("[[1, 0], [0, 1]]", 4, (1, 0, 0, 1)),
        ("1 0; 0 1", 4, (1, 0, 0, 1)),
        ("array([0.5, 0.5])", 2, (0.5, 0.5)),
    ],
)
def test_an_answer_is_read_in_any_spelling(text, count, right):
    assert read_answer(text, count) == pytest.approx(right, rel=1e-15)


def test_a_mask_may_be_written_in_words():
    assert read_answer("[[True, False], [TRUE, true]]", 4, mask=True) == (1, 0, 1, 1)
    with pytest.raises(ValueError, match="not a number"):
        read_answer("True False", 2)


@pytest.mark.parametrize(
    ("text", "count", "words"),
    [
        ("", 1, "nothing to read"),
        ("x", 1, "not a number: 'x'"),
        ("0.5 0.5", 1, "One number is asked for; this is 2"),
        ("0.5", 2, "2 numbers are asked for; this is 1"),
        ("1 2; 3", 3, "row|columns|values"),
        ("nan", 1, "NaN"),
        ("1,2; 3", 3, "."),
    ],
)
def test_an_answer_that_cannot_be_read_is_answered_with_a_sentence(text, count, words):
    with pytest.raises(ValueError, match=words):
        read_answer(text, count)


def test_drawn_bars_become_an_answer_and_junk_does_not():
    state = LessonState("weights")
    assert edit_bars(state, {"bars": [0.5, 0.25, 1]}).state.answer == "0.50 0.25 1.00"
    for junk in (None, [], "0.5", [2], [-0.1], ["x"], [None], [0.1] * 65, [float("nan")]):
        done = edit_bars(state, {"bars": junk})
        assert (done.state, done.reset) == (state, True)
