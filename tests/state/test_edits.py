"""Edits come from a browser, so anything may come: nothing raises, and a valid state is left."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.content.softmax import preset_states
from attnviz.state.edits import (
    CellError,
    Edited,
    MatrixProblem,
    TemperatureProblem,
    edit_matrix,
    edit_pick,
    edit_temperature,
    line_of,
    shape_words,
)
from attnviz.state.labels import MAX_LABEL
from attnviz.state.links import decode, encode
from attnviz.state.numbers import Reading, read_matrix
from attnviz.state.softmax import MAX_KEYS, MAX_QUERIES, SoftmaxState, matrix
from attnviz.state.temperature import Temperature
from tests.state.states import PRESETS, check_valid, few, matrices, seeded, states

STATE = SoftmaxState()
NAMED = SoftmaxState(matrix("2 1 0", "0 1 2"), ("the", "cat", "sat"), hide=(2,), row=1)


def sent(state, **more):
    """What the matrix editor sends for a state, with something changed."""
    return {
        "rev": "1",
        "n": 1,
        "live": False,
        "cells": [[cell.text for cell in row] for row in state.scores],
        "labels": list(state.key_labels),
        "hide": list(state.hide),
    } | more


def numbers(state):
    return [[cell.text for cell in row] for row in state.scores]


# -- whatever comes -------------------------------------------------------------------------------

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 70), st.integers(), st.floats(), st.text(max_size=9)
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
half_characters = st.sampled_from(["\ud83d", "a\udc08", "\0", "🐈" * 300, "𝟙", "\u202e"])
typed = st.sampled_from(
    ["2", "-inf", "1/3", "0,5", "x", "", "1 2", "1,2;2,3", "nan", "∞", "k1,k2\n1,2", "9" * 99]
)
texts = typed | st.text(max_size=8) | half_characters
positions = st.lists(st.integers(-1, 8) | st.booleans() | st.floats(0, 3), max_size=4)


def tables(n_keys):
    row = st.lists(texts, min_size=n_keys, max_size=n_keys)
    return st.fixed_dictionaries(
        {"cells": st.lists(row, min_size=1, max_size=3)},
        optional={
            "labels": st.lists(texts, min_size=n_keys, max_size=n_keys),
            "hide": positions,
            "row": scalars,
            "text": texts,
            "paste": texts,
            "at": positions | anything,
        },
    )


def likely(n_keys):
    """An edit that looks like ours, in which some parts are something else."""
    spoiled = st.dictionaries(
        st.sampled_from(["cells", "labels", "hide", "row", "text", "paste", "at", "name", "pick"]),
        anything,
        max_size=1,
    )
    labelled = {"labels": [f"k{i + 1}" for i in range(n_keys)]}
    return st.builds(lambda table, more: labelled | table | more, tables(n_keys), spoiled)


edits = st.dictionaries(st.text(max_size=6), anything, max_size=5) | st.integers(1, 4).flatmap(
    likely
)


def check(before, done):
    """What every edit leaves: a valid state that its link opens, and a problem one can show."""
    assert type(done) is Edited
    check_valid(done.state)
    found = decode(encode(done.state, PRESETS), SoftmaxState, PRESETS)
    assert found.notes == ()
    assert found.state == done.state
    problem = done.problem
    if problem is None:
        return
    assert done.state == before
    if isinstance(problem, MatrixProblem):
        assert problem.errors
        for error in problem.errors:
            assert error.say[0].isupper() or not error.say[0].isalpha()
            assert error.say.isprintable()
            assert len(error.say) < 300
        for say, text in problem.choices:
            assert say
            assert isinstance(read_matrix(text), Reading)
    else:
        assert isinstance(problem, TemperatureProblem)
        assert problem.say.isprintable()
    json.dumps(problem.__dict__, default=vars)


@seeded
@given(edits, st.sampled_from([STATE, NAMED, PRESETS["sentence"]]))
def test_no_edit_of_any_form_raises_or_leaves_a_broken_state(edit, state):
    for handler in (edit_matrix, edit_temperature, edit_pick):
        check(state, handler(state, edit))


@seeded
@given(st.integers(1, 4).flatmap(tables), st.sampled_from([STATE, NAMED]))
def test_no_table_of_texts_raises_or_leaves_a_broken_state(edit, state):
    labelled = {"labels": [f"k{i}" for i in range(len(edit["cells"][0]))]} | edit
    check(state, edit_matrix(state, labelled))


@seeded
@given(st.sampled_from(["T", "beta"]), texts)
def test_no_text_in_a_temperature_box_raises(name, text):
    done = edit_temperature(NAMED, {"name": name, "text": text})
    check(NAMED, done)
    good = done.state.temperature != NAMED.temperature or text == "1" or not text.strip()
    assert (done.problem is None) == good
    assert replace(done.state, temperature=NAMED.temperature) == NAMED


@few
@given(states())
def test_an_edit_that_changes_nothing_changes_nothing(state):
    edit = sent(state)
    same = edit_matrix(state, edit)
    named = {"labels": ()} if state.key_labels == SoftmaxState(state.scores).key_labels else {}
    assert same == Edited(replace(state, **named))


@pytest.mark.parametrize(
    "edit",
    [
        {},
        {"cells": None},
        sent(STATE, cells=[]),
        sent(STATE, cells=[[]]),
        sent(STATE, cells=[["1", "2"], ["3"]]),
        sent(STATE, cells=[["1", "2", 3]]),
        sent(STATE, cells=[["1", "2", None]]),
        sent(STATE, cells=["123"]),
        sent(STATE, cells={"0": ["1", "2", "3"]}),
        sent(STATE, cells=[["1"] * 65], labels=["a"] * 65),
        sent(STATE, cells=[["1", "2", "3"]] * 65),
        sent(STATE, labels=["a", "b"]),
        sent(STATE, labels=["a", "b", 3]),
        sent(STATE, labels="abc"),
        sent(STATE, labels=["a"] * 5, paste="7 8", at=[0, 0]),
        sent(STATE, labels=["a"] * 2, text="7 8"),
        sent(STATE, hide=[True]),
        sent(STATE, hide=[1.0]),
        sent(STATE, hide=[-1]),
        sent(STATE, hide="1"),
        sent(STATE, hide=None),
    ],
)
def test_what_our_scripts_never_send_leaves_the_state_and_resets_the_editor(edit):
    assert edit_matrix(STATE, edit) == Edited(STATE, reset=True)


@pytest.mark.parametrize(
    "edit",
    [
        {},
        {"name": "T"},
        {"name": "t", "text": "1"},
        {"name": "T", "text": 1},
        {"name": [], "text": ""},
    ],
)
def test_a_temperature_edit_of_another_form_leaves_the_state(edit):
    assert edit_temperature(STATE, edit) == Edited(STATE, reset=True)


@pytest.mark.parametrize("pick", ["weight:3", "weights:0", "weight:-1", "weight:1e0", "\0"])
def test_a_pick_that_is_not_on_the_page_leaves_the_state(pick):
    assert edit_pick(STATE, {"pick": pick}) == Edited(STATE, reset=True)


# -- cells ----------------------------------------------------------------------------------------


def test_a_typed_cell_becomes_the_score_as_it_was_typed():
    done = edit_matrix(STATE, sent(STATE, cells=[["2", "1/3", "−0,5"]]))
    assert done == Edited(replace(STATE, scores=matrix("2 1/3 -0.5")))
    assert numbers(done.state) == [["2", "1/3", "-0.5"]]


@pytest.mark.parametrize("text", ["-inf", "−∞", "-Infinity", "float('-inf')"])
def test_any_spelling_of_minus_infinity_masks(text):
    done = edit_matrix(STATE, sent(STATE, cells=[["2", text, "0"]]))
    assert numbers(done.state) == [["2", "-inf", "0"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "Key 2: the value is not a number: 'x'."),
        ("", "Key 2: the value is blank."),
        ("nan", "Key 2: the value is not a number but NaN: 'nan'."),
        ("inf", "Key 2: the value is +inf, with which no softmax can be computed: 'inf'."),
        ("1e400", "Key 2: the value is outside the range of float64: '1e400'."),
        ("1 2", "Key 2: the value has a space inside the number: '1 2'."),
        ("1.5,2", "Key 2: the value has both a decimal point and a comma: '1.5,2'."),
    ],
)
def test_a_cell_that_cannot_be_read_names_its_place_and_changes_nothing(text, words):
    done = edit_matrix(STATE, sent(STATE, cells=[["7", text, "0"]], hide=[0]))
    assert done.state is STATE
    assert not done.reset
    typed = {"cells": (("7", text, "0"),), "labels": ("k1", "k2", "k3")}
    error = CellError(words, 0, 1)
    assert done.problem == MatrixProblem((error,), f"7, {text}, 0", from_line=False, **typed)


def test_every_bad_cell_of_several_queries_has_its_own_sentence():
    done = edit_matrix(NAMED, sent(NAMED, cells=[["1", "a", "3"], ["b", "5", "6"]]))
    assert done.state is NAMED
    assert done.problem.errors == (
        CellError("Query 1, key 2: the value is not a number: 'a'.", 0, 1),
        CellError("Query 2, key 1: the value is not a number: 'b'.", 1, 0),
    )
    assert done.problem.text == "1 a 3; b 5 6"


def test_four_cells_typed_one_after_the_other_all_stay():
    state = SoftmaxState(matrix("0 0", "0 0"))
    for at, text in enumerate(["5", "6", "7", "8"]):
        cells = numbers(state)
        cells[at // 2][at % 2] = text
        state = edit_matrix(state, sent(state, cells=cells)).state
    assert numbers(state) == [["5", "6"], ["7", "8"]]


# -- labels, masks, rows, columns -----------------------------------------------------------------


def test_labels_are_kept_letter_for_letter_and_the_default_ones_are_none():
    words = ["$x$", ":red[hi]", "<img src=x>"]
    assert edit_matrix(STATE, sent(STATE, labels=words)).state.labels == tuple(words)
    assert edit_matrix(NAMED, sent(NAMED, labels=["k1", "k2", "k3"])).state.labels == ()
    assert edit_matrix(STATE, sent(STATE, labels=["", "a", "a"])).state.labels == ("", "a", "a")


def test_a_label_is_cut_at_its_limit_and_half_a_character_is_replaced():
    labels = ["a" * 300, "\ud83d", "\ud83d\udc08"]
    done = edit_matrix(STATE, sent(STATE, labels=labels))
    assert done.state.labels == ("a" * MAX_LABEL, "\ufffd", "🐈")


def test_keys_are_masked_and_unmasked_by_their_positions():
    assert edit_matrix(STATE, sent(STATE, hide=[2, 0, 2])).state.hide == (0, 2)
    assert edit_matrix(NAMED, sent(NAMED, hide=[])).state.hide == ()
    assert edit_matrix(STATE, sent(STATE, hide=[0, 9])).state.hide == (0,)
    without = sent(NAMED)
    del without["hide"]
    assert edit_matrix(NAMED, without).state == NAMED


def test_a_query_is_chosen_by_its_position_and_only_by_a_position():
    assert edit_matrix(NAMED, sent(NAMED, row=0)) == Edited(replace(NAMED, row=0))
    for row in (2, -1, True, 0.0, "0", None):
        assert edit_matrix(NAMED, sent(NAMED, row=row)) == Edited(NAMED)


def test_a_key_and_a_query_are_added_and_removed():
    wider = sent(
        NAMED, cells=[[*row, "0"] for row in numbers(NAMED)], labels=["the", "cat", "sat", "k4"]
    )
    done = edit_matrix(NAMED, wider)
    assert done.state.labels == ("the", "cat", "sat", "k4")
    assert done.state.scores == matrix("2 1 0 0", "0 1 2 0")
    narrower = sent(NAMED, cells=[["1", "0"], ["1", "2"]], labels=["cat", "sat"], hide=[1])
    assert edit_matrix(NAMED, narrower).state == SoftmaxState(
        matrix("1 0", "1 2"), ("cat", "sat"), hide=(1,), row=1
    )
    assert edit_matrix(NAMED, sent(NAMED, cells=[["2", "1", "0"]])).state.row == 0


# -- the line of text -----------------------------------------------------------------------------


def test_the_line_is_read_and_the_cells_take_it_over():
    done = edit_matrix(STATE, sent(STATE, text="3, 1, 1, -1"))
    assert done == Edited(replace(STATE, scores=matrix("3 1 1 -1")), reset=True)
    done = edit_matrix(NAMED, sent(NAMED, text="[[1, 2], [3, 4]]"))
    assert done.state == SoftmaxState(matrix("1 2", "3 4"), ("the", "cat"), row=1)


def test_a_header_in_the_line_sets_the_labels():
    done = edit_matrix(STATE, sent(STATE, text="the,cat\n1,2\n3,4"))
    assert done.state == SoftmaxState(matrix("1 2", "3 4"), ("the", "cat"))


@pytest.mark.parametrize("text", ["1 2 x", "", "[1, 2", "1 2\n3", "nan", "[[[[[1]]]]]", "1;;2"])
def test_a_line_that_cannot_be_read_stays_as_it_was_typed(text):
    done = edit_matrix(NAMED, sent(NAMED, text=text))
    assert done.state is NAMED
    assert not done.reset
    assert done.problem.text == text
    assert done.problem.from_line
    assert done.problem.choices == ()
    (error,) = done.problem.errors
    assert (error.row, error.column) == (None, None)
    assert error.say[0].isupper()
    assert error.say.endswith((".", ")", "?"))


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("1,2;2,3", [["1.2", "2.3"]], [["1", "2"], ["2", "3"]]),
        ("0,5\n1,5", [["0.5", "1.5"]], [["0", "5"], ["1", "5"]]),
        ("1,25 2,50", [["1.25", "2.50"]], [["1", "25", "2", "50"]]),
    ],
)
def test_a_line_with_two_meanings_asks_and_each_answer_is_read_without_a_question(
    text, first, second
):
    done = edit_matrix(STATE, sent(STATE, text=text))
    assert done.state is STATE
    assert done.problem.errors == (CellError("This can be read in two ways. Which one is meant?"),)
    assert done.problem.text == text
    read = []
    for say, answer in done.problem.choices:
        assert say
        chosen = edit_matrix(STATE, sent(STATE, text=answer))
        assert chosen.problem is None
        read.append(numbers(chosen.state))
    assert read == [first, second]


@pytest.mark.parametrize(
    "text", [" ".join("1" * 65), "_".join("1" * 65), "1\n" * 65 + "1", "1 2\n" * 65]
)
def test_beyond_64_the_line_is_refused_with_the_limit_in_the_sentence(text):
    done = edit_matrix(STATE, sent(STATE, text=text))
    assert done.state is STATE
    assert "at most 64" in done.problem.errors[0].say
    assert MAX_KEYS == MAX_QUERIES == 64


@few
@given(matrices())
def test_scores_as_one_line_are_read_back_without_a_question(scores):
    texts = [[cell.text for cell in row] for row in scores]
    reading = read_matrix(line_of(texts))
    assert isinstance(reading, Reading)
    assert reading.cells == scores
    assert reading.column_labels is None


def test_a_line_of_single_scores_stays_a_column():
    texts = [["1"], ["-inf"], ["1/3"]]
    assert line_of(texts) == "[1; -inf; 1/3]"
    assert read_matrix(line_of(texts)).texts == (("1",), ("-inf",), ("1/3",))
    assert line_of([["1"]]) == "1"


# -- pasting into a cell --------------------------------------------------------------------------


def test_a_pasted_block_fills_the_cells_from_where_it_was_pasted():
    done = edit_matrix(NAMED, sent(NAMED, paste="7\t8\n9\t-inf", at=[0, 1]))
    assert done == Edited(replace(NAMED, scores=matrix("2 7 8", "0 9 -inf")), reset=True)


def test_a_pasted_block_grows_the_cells_and_fills_up_with_zeros():
    done = edit_matrix(STATE, sent(STATE, paste="7 8\n9 10", at=[0, 2]))
    assert done.state.scores == matrix("2 1 7 8", "0 0 9 10")
    assert done.state.labels == ()
    done = edit_matrix(NAMED, sent(NAMED, paste="7 8", at=[3, 3]))
    assert done.state.scores == matrix("2 1 0 0 0", "0 1 2 0 0", "0 0 0 0 0", "0 0 0 7 8")
    assert done.state.labels == ("the", "cat", "sat", "k4", "k5")
    assert done.state.hide == NAMED.hide


def test_a_pasted_header_sets_the_labels_of_its_columns():
    done = edit_matrix(STATE, sent(STATE, paste="dog\tran\n7\t8", at=[0, 1]))
    assert done.state.labels == ("k1", "dog", "ran")
    assert done.state.scores == matrix("2 7 8")


def test_a_pasted_block_may_reach_the_limit_and_not_beyond_it():
    row = " ".join("1" * MAX_KEYS)
    assert edit_matrix(STATE, sent(STATE, paste=row, at=[0, 0])).state.n_keys == MAX_KEYS
    for paste, at, limit in ((row, [0, 1], 63), ("1 2\n3 4", [63, 0], 1), ("1 2", [0, 63], 1)):
        done = edit_matrix(STATE, sent(STATE, paste=paste, at=at))
        assert done.state is STATE
        assert f"at most {limit}" in done.problem.errors[0].say
        assert done.problem.text == paste
        assert done.problem.from_line


def test_a_pasted_text_with_two_meanings_asks():
    done = edit_matrix(STATE, sent(STATE, paste="1,2;2,3", at=[0, 0]))
    assert done.state is STATE
    assert done.problem.from_line
    assert [read_matrix(text).shape for _, text in done.problem.choices] == [(1, 2), (2, 2)]


def test_a_pasted_block_beside_a_cell_that_cannot_be_read_is_not_lost():
    done = edit_matrix(STATE, sent(STATE, cells=[["x", "1", "0"]], paste="7 8", at=[0, 1]))
    assert done.state is STATE
    assert done.problem.text == "x, 7, 8"
    assert done.problem.from_line
    assert done.problem.errors == (CellError("Key 1: the value is not a number: 'x'.", 0, 0),)


@pytest.mark.parametrize("at", [None, [], [0], [0, 1, 2], ["0", "0"], [True, False], [-1, 0], 0])
def test_a_paste_at_no_cell_starts_at_the_first(at):
    done = edit_matrix(STATE, sent(STATE, paste="7 8", at=at))
    assert done.state.scores == matrix("7 8 0")


def test_a_paste_far_beyond_the_cells_stays_within_the_limits():
    done = edit_matrix(STATE, sent(STATE, paste="7", at=[10**9, 10**9]))
    assert (done.state.n_queries, done.state.n_keys) == (MAX_QUERIES, MAX_KEYS)


# -- temperature, pick, shape ---------------------------------------------------------------------


def test_a_temperature_is_taken_as_typed_and_under_its_own_name():
    assert edit_temperature(NAMED, {"name": "beta", "text": "3"}) == Edited(
        replace(NAMED, temperature=Temperature("beta", "3"))
    )
    for text in ("inf", "∞"):
        done = edit_temperature(STATE, {"name": "beta", "text": text, "live": True})
        assert done.state.temperature == Temperature("beta", "inf")


@pytest.mark.parametrize(
    ("name", "text", "say"),
    [
        ("T", "0", "T must be above 0; for the limit T → 0 press “T → 0” (link: beta=inf)"),
        ("T", "-1", "T must be above 0; got '-1'."),
        ("T", "x", "T must be a number above 0: the value is not a number: 'x'."),
        ("beta", "nan", "β must be a number from 0: the value is not a number but NaN: 'nan'."),
    ],
)
def test_a_temperature_that_cannot_be_read_stays_in_its_box_with_a_sentence(name, text, say):
    done = edit_temperature(NAMED, {"name": name, "text": text})
    assert done == Edited(NAMED, TemperatureProblem(name, text, say))


def test_an_emptied_temperature_box_gets_its_last_good_text_back():
    for nothing in ("", "  "):
        assert edit_temperature(NAMED, {"name": "T", "text": nothing}) == Edited(NAMED, reset=True)


def test_a_number_is_picked_and_let_go():
    done = edit_pick(STATE, {"pick": "weight:2"})
    assert done == Edited(replace(STATE, pick="weight:2"))
    for nothing in ("", None, 3, ["weight:1"]):
        assert edit_pick(done.state, {"pick": nothing}) == Edited(STATE)
    assert edit_pick(done.state, {}) == Edited(STATE)


def test_an_edit_of_a_preset_keeps_its_name_for_the_link():
    state = replace(preset_states()["sentence"], preset="sentence")
    done = edit_matrix(state, sent(state, hide=[0]))
    assert encode(done.state, PRESETS) == {"preset": "sentence", "hide": "0"}


def test_the_shape_is_said_in_words():
    assert shape_words(STATE) == "1 query × 3 keys"
    assert shape_words(NAMED) == "2 queries × 3 keys"
    assert shape_words(SoftmaxState(matrix("1", "2"))) == "2 queries × 1 key"


def test_what_names_a_key_or_a_query_names_the_same_one_after_another_was_removed():
    state = SoftmaxState(
        matrix("3 2 1", "0 0 1"), labels=("a", "b", "c"), pick="weight:2", pair=(2, 1), row=1
    )
    cells = [["2", "1"], ["0", "1"]]
    edit = {"cells": cells, "labels": ["b", "c"], "hide": [], "removed": ["column", 0]}
    done = edit_matrix(state, edit).state
    assert (done.pick, done.pair, done.row) == ("weight:1", (1, 0), 1)
    gone = edit_matrix(state, {**edit, "labels": ["a", "b"], "removed": ["column", 2]}).state
    assert (gone.pick, gone.pair) == ("", ())
    edit = {"cells": [["0", "0", "1"]], "labels": ["a", "b", "c"], "hide": []}
    assert edit_matrix(state, {**edit, "removed": ["row", 0]}).state.row == 0
