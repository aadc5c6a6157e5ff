"""Edits come from a browser, so anything may come: nothing raises, and a valid state is left."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.heads import combined_mask
from attnviz.state.attention import (
    MASK_NAMES,
    MAX_TOKENS,
    MAX_WIDTH,
    STAGES,
    AttentionState,
    shape_of,
)
from attnviz.state.attention_edits import (
    chosen,
    edit_key_bar,
    edit_matrix,
    edit_query_bar,
    edit_stage,
    toggled,
)
from attnviz.state.edits import CellError, Edited, MatrixProblem
from attnviz.state.fields import FieldError
from attnviz.state.labels import MAX_LABEL
from attnviz.state.links import decode, encode
from attnviz.state.matrix import matrix
from attnviz.state.numbers import Reading, read_matrix
from tests.state.test_attention import PRESETS, check_valid, few, states

NAMES = ("q", "k", "v")
STATE = AttentionState()
NAMED = AttentionState(
    q=matrix("1 2", "3 4", "5 6"),
    k=matrix("1 0", "0 1", "1 1", "2 2"),
    v=matrix("1", "2", "3", "4"),
    tokens=("a", "b", "c"),
    keys=("w", "x", "y", "z"),
    hide=((0, 1), (1, 2), (2, 3)),
    show=((1, 0),),
    row=2,
    cell=(2, 3),
)
SELF = AttentionState(  # keys borrow the labels of the queries
    q=matrix("1 2", "3 4", "5 6"),
    k=matrix("1 0", "0 1", "1 1"),
    v=matrix("1", "2", "3"),
    tokens=("the", "cat", "sat"),
)


def texts_of(state, name):
    return [[cell.text for cell in row] for row in getattr(state, name)]


def sent(state, name, **more):
    """What the editor of a matrix sends for a state, with something changed."""
    names = state.query_labels if name == "q" else state.key_labels
    edit = {"rev": "1", "n": 1, "live": False, "labels": ["1"], "hide": []}
    return edit | {"cells": texts_of(state, name), "names": list(names)} | more


def done(state, name, **more):
    return edit_matrix(name)(state, sent(state, name, **more))


def removed(state, name, row=None, column=None):
    """Press × at a row or at a column, as the script does it."""
    edit = sent(state, name)
    if row is not None:
        del edit["cells"][row], edit["names"][row]
    if column is not None:
        for line in edit["cells"]:
            del line[column]
    at = ["column", column] if row is None else ["row", row]
    return edit_matrix(name)(state, edit | {"removed": at})


def added(state, name, row=False, column=False):
    """Press + row or + column, as the script does it."""
    edit = sent(state, name)
    if column:
        for line in edit["cells"]:
            line.append("0")
    if row:
        edit["cells"].append(["0"] * len(edit["cells"][0]))
        edit["names"].append(f"{'q' if name == 'q' else 'k'}{len(edit['names']) + 1}")
    return edit_matrix(name)(state, edit)


def allowed(state):
    masks = {name: state.options(name) for name in state.mask}
    return combined_mask(state.n_q, state.n_k, masks, hide=state.hide, show=state.show)


# -- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_typed_cell_becomes_the_number_as_it_was_typed(name):
    cells = texts_of(NAMED, name)
    cells[1][-1] = "−1/sqrt(2)"
    found = done(NAMED, name, cells=cells)
    assert found.problem is None
    assert not found.reset
    cells[1][-1] = "-1/sqrt(2)"
    assert found.state == replace(NAMED, **{name: matrix(*(" ".join(row) for row in cells))})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "the value is not a number: 'x'."),
        ("", "the value is blank."),
        ("nan", "the value is not a number but NaN: 'nan'."),
        ("inf", "the value is +inf, "),
        ("1e400", "the value is outside the range of float64: '1e400'."),
        ("-inf", "−∞ has no place here."),
        ("−∞", "−∞ has no place here."),
    ],
)
def test_a_cell_that_cannot_be_read_names_matrix_row_and_column(name, text, words):
    cells = texts_of(NAMED, name)
    column = len(cells[0])
    cells[2][-1] = text
    found = done(NAMED, name, cells=cells)
    assert found.state is NAMED
    assert not found.reset
    (error,) = found.problem.errors
    assert error.say.startswith(f"{name.upper()}, row 3, column {column}: {words}")
    assert (error.row, error.column) == (2, column - 1)
    assert text in found.problem.text
    assert not found.problem.from_line


def test_every_bad_cell_has_its_own_sentence_and_nothing_typed_is_lost():
    found = done(STATE, "k", cells=[["a", "-inf"], ["0", "nan"]])
    assert [(e.row, e.column) for e in found.problem.errors] == [(0, 0), (1, 1)]
    assert found.problem.text == "a -inf; 0 nan"
    found = done(STATE, "k", cells=[["1", "-inf"], ["-inf", "0"]])
    assert [(e.row, e.column) for e in found.problem.errors] == [(0, 1), (1, 0)]


@few
@given(states())
def test_an_edit_that_changes_nothing_changes_nothing(state):
    for name in NAMES:
        assert done(state, name).state == state


# -- rows and columns that come and go ------------------------------------------------------------


def test_a_new_row_of_q_is_a_new_query_and_leaves_k_and_v():
    found = added(NAMED, "q", row=True)
    assert found.state == replace(NAMED, q=(*NAMED.q, *matrix("0 0")), tokens=("a", "b", "c", "q4"))
    assert added(STATE, "q", row=True).state == replace(STATE, q=matrix("1 0", "0 0"))


@pytest.mark.parametrize("name", ["k", "v"])
def test_a_new_row_of_k_or_v_is_a_new_key_in_both(name):
    found = added(NAMED, name, row=True)
    assert found.reset
    assert found.state == replace(
        NAMED,
        k=(*NAMED.k, *matrix("0 0")),
        v=(*NAMED.v, *matrix("0")),
        keys=("w", "x", "y", "z", "k5"),
    )
    assert added(STATE, name, row=True).state.keys == ()
    assert added(SELF, name, row=True).state.key_labels == ("the", "cat", "sat", "k4")


@pytest.mark.parametrize("name", ["q", "k"])
def test_a_new_column_of_q_or_k_comes_in_both_and_one_of_v_comes_alone(name):
    found = added(NAMED, name, column=True)
    assert found.reset
    assert (found.state.d_k, found.state.d_v) == (3, 1)
    assert found.state.q == matrix("1 2 0", "3 4 0", "5 6 0")
    assert found.state.k == matrix("1 0 0", "0 1 0", "1 1 0", "2 2 0")
    assert replace(found.state, q=NAMED.q, k=NAMED.k) == NAMED
    assert added(NAMED, "v", column=True).state == replace(
        NAMED, v=matrix("1 0", "2 0", "3 0", "4 0")
    )


def test_a_removed_query_takes_its_mask_cells_and_its_label_with_it():
    found = removed(NAMED, "q", row=1)
    assert found.reset
    assert found.state == replace(
        NAMED,
        q=matrix("1 2", "5 6"),
        tokens=("a", "c"),
        hide=((0, 1), (1, 3)),
        show=(),
        row=1,  # the query c, as before
        cell=None,
    )
    assert removed(NAMED, "q", row=2).state.row == 1  # it was chosen: its neighbour is
    assert removed(replace(NAMED, row=1), "q", row=0).state.row == 0
    assert removed(replace(NAMED, row=0), "q", row=1).state.row == 0
    assert removed(replace(NAMED, row=None), "q", row=0).state.row is None


@pytest.mark.parametrize("name", ["k", "v"])
def test_a_removed_key_goes_from_k_and_v_with_its_mask_cells_and_its_label(name):
    found = removed(NAMED, name, row=1)
    assert found.reset
    assert found.state == replace(
        NAMED,
        k=matrix("1 0", "1 1", "2 2"),
        v=matrix("1", "3", "4"),
        keys=("w", "y", "z"),
        hide=((1, 1), (2, 2)),
        cell=None,
    )
    assert removed(SELF, name, row=1).state.key_labels == ("the", "sat")


@pytest.mark.parametrize("name", ["q", "k"])
def test_a_removed_column_goes_from_q_and_k_alike(name):
    found = removed(NAMED, name, column=0)
    assert found.reset
    assert found.state == replace(
        NAMED, q=matrix("2", "4", "6"), k=matrix("0", "1", "1", "2"), cell=NAMED.cell
    )


def test_a_removed_column_of_v_goes_alone():
    wide = replace(NAMED, v=matrix("1 5", "2 6", "3 7", "4 8"))
    assert removed(wide, "v", column=0).state == replace(NAMED, v=matrix("5", "6", "7", "8"))


@pytest.mark.parametrize("name", NAMES)
def test_default_labels_are_counted_anew_so_that_none_comes_twice(name):
    plain = replace(NAMED, tokens=(), keys=())
    state = removed(plain, name, row=0).state
    assert (state.tokens, state.keys) == ((), ())
    state = added(state, name, row=True).state
    names = state.query_labels if name == "q" else state.key_labels
    assert len(set(names)) == len(names)


def test_prefix_and_padding_stay_within_the_keys():
    state = replace(NAMED, mask=("prefix", "padding"), prefix=4, padding=4)
    found = removed(state, "k", row=0).state
    assert (found.prefix, found.padding) == (3, 3)


@pytest.mark.parametrize(
    "mark",
    [["row", 0], ["row", 9], ["column", 0], ["row", -1], ["row", True], ["x", 0], [[], 0], "row"],
)
def test_a_removal_that_did_not_happen_moves_nothing(mark):
    assert done(NAMED, "q", removed=mark) == Edited(NAMED)
    assert done(NAMED, "v", removed=mark) == Edited(NAMED)


# -- text and pasted blocks -----------------------------------------------------------------------


def test_a_text_of_the_same_shape_is_taken_over():
    found = done(NAMED, "q", text="[[7, 8], [9, 1/3], [0, 0]]")
    assert found == Edited(replace(NAMED, q=matrix("7 8", "9 1/3", "0 0")), reset=True)


def test_a_pasted_block_fills_the_cells_from_where_it_was_pasted():
    found = done(NAMED, "k", paste="7\t8\n9\t10", at=[1, 0])
    assert found == Edited(replace(NAMED, k=matrix("1 0", "7 8", "9 10", "2 2")), reset=True)
    assert done(NAMED, "q", paste="7 8", at=[2, 0]).state.q == matrix("1 2", "3 4", "7 8")


def test_a_pasted_block_may_add_queries_and_columns_of_v_without_a_question():
    found = done(NAMED, "q", paste="7 8\n9 10", at=[2, 0])
    assert found.state.q == matrix("1 2", "3 4", "7 8", "9 10")
    assert found.state.tokens == ("a", "b", "c", "q4")
    assert done(NAMED, "v", paste="7 8", at=[0, 0]).state.v == matrix("7 8", "2 0", "3 0", "4 0")


@pytest.mark.parametrize(
    "column", ["7\n8", "7\r\n8\r\n", "\ufeff7\n8\n", " 7\n8 ", "cost\n7\n8", "[7; 8]"]
)
def test_a_column_of_a_spreadsheet_stays_a_column(column):
    found = done(STATE, "v", paste=column, at=[0, 1])
    assert found.state.v == matrix("2 7", "0 8")
    assert done(STATE, "v", text=column).state.v == matrix("7", "8")
    assert done(STATE, "v", paste="7\t8", at=[0, 0]).state.v == matrix("7 8", "0 2")


@pytest.mark.parametrize(
    "text", ["the\t7\t8\ncat\t9\t1", "the,7,8\ncat,9,1", "\td1\td2\nthe\t7\t8\ncat\t9\t1"]
)
def test_labels_of_rows_come_with_the_numbers(text):
    for more in ({"text": text}, {"paste": text, "at": [0, 0]}):
        found = done(STATE, "k", **more)
        assert (found.state.k, found.state.key_labels) == (matrix("7 8", "9 1"), ("the", "cat"))
        assert found.reset
        assert done(STATE, "v", **more).state.key_labels == ("the", "cat")
    assert done(STATE, "q", text=text).state.query_labels == ("the", "cat")


def test_labels_of_a_pasted_block_stand_beside_its_rows():
    found = done(NAMED, "q", paste="x\t7\t8\ny\t9\t1", at=[2, 0])
    assert found.state.tokens == ("a", "b", "x", "y")
    assert found.state.q == matrix("1 2", "3 4", "7 8", "9 1")
    assert done(NAMED, "q", paste="7\t8\n9\t1", at=[0, 0]).state.tokens == NAMED.tokens


def test_labels_outlive_the_question_about_the_shapes():
    text = "the\t7\t8\t9\ncat\t1\t2\t3"
    asked = done(STATE, "q", text=text).problem
    assert asked.text == text
    (_, fix), (_, choice) = *asked.fixes, *asked.choices
    fitted = done(STATE, "q", text=fix, fix=True).state
    assert (fitted.q, fitted.tokens) == (matrix("7 8 9", "1 2 3"), ("the", "cat"))
    cut = done(STATE, "q", text=choice).state
    assert (cut.q, cut.tokens) == (matrix("7 8", "1 2"), ("the", "cat"))


def test_labels_that_would_be_read_otherwise_are_left_out_of_the_question():
    for label in ("a, b", "'", "“7”"):
        text = f'"{label}"\t7\t8\t9\n"c"\t1\t2\t3'
        asked = done(STATE, "q", text=text).problem
        for _, again in (*asked.fixes, *asked.choices):
            found = done(STATE, "q", text=again, fix=True)
            assert found.problem is None
            assert found.state.query_labels in ((label, "c"), ("q1", "q2"))


def test_of_a_column_that_may_have_decimal_commas_the_column_can_be_chosen():
    for more in ({"paste": "0,5\n1,5", "at": [0, 1]}, {"text": "0,5\n1,5"}):
        found = done(STATE, "v", **more)
        assert (found.state, found.problem.text) == (STATE, "0,5\n1,5")
        (say, text), (_, other) = found.problem.choices
        assert (say, other) == ("decimal commas, 2 rows of 1: 0.5; 1.5", "0 5; 1 5")
        assert done(STATE, "v", text=text).state.v == matrix("0.5", "1.5")


def test_a_column_with_a_bad_number_is_kept_as_it_was_pasted():
    for more in ({"paste": "7\nx\n8", "at": [0, 0]}, {"text": "7\nx\n8"}):
        found = done(STATE, "v", **more)
        assert found.state is STATE
        assert found.problem.text == "7\nx\n8"
        assert "not a number: 'x'" in found.problem.errors[0].say


@pytest.mark.parametrize("text", ["1 x", "", "nan 1", "1e400 0", "1 2\n3", "hello"])
def test_a_text_that_cannot_be_read_stays_with_a_sentence(text):
    for more in ({"text": text}, {"paste": text, "at": [0, 0]}):
        found = done(STATE, "q", **more)
        assert found.state is STATE
        assert not found.reset
        assert found.problem.text == text
        assert found.problem.from_line
        assert found.problem.errors[0].say[0].isupper()


def test_minus_infinity_in_a_text_is_named_by_matrix_row_and_column():
    found = done(STATE, "k", text="1 0; 0 -inf")
    assert found.problem.errors == (CellError("K, row 2, column 2: −∞ has no place here.", 1, 1),)
    assert found.problem.from_line


def test_a_text_with_two_meanings_asks_and_each_answer_can_be_sent_back():
    found = done(STATE, "k", text="1,2;2,3")
    assert found.state is STATE
    assert found.problem.text == "1,2;2,3"
    answers = [done(STATE, "k", text=text) for _, text in found.problem.choices]
    assert answers[1].state.k == matrix("1 2", "2 3")
    assert "K is (1, 2), V is (2, 2)" in answers[0].problem.errors[0].say


SHAPES = [
    ("q", "1 2 3", "Q is (1, 3), K is (4, 2)", "Make K fit", (1, 3), "Make Q 1 × 2 instead"),
    ("q", "[1; 2]", "Q is (2, 1), K is (4, 2)", "Make K fit", (2, 1), "Make Q 2 × 2 instead"),
    ("k", "1 2 3\n4 5 6", "Q is (3, 2), K is (2, 3)", "Make Q and V fit", (2, 3), "Make K 4 × 2"),
    ("k", "1 2", "K is (1, 2), V is (4, 1)", "Make Q and V fit", (1, 2), "Make K 4 × 2 instead"),
    ("v", "1 2 3", "K is (4, 2), V is (1, 3)", "Make K fit", (1, 3), "Make V 4 × 3 instead"),
    ("v", "1\n" * 6, "K is (4, 2), V is (6, 1)", "Make K fit", (6, 1), "Make V 4 × 1 instead"),
]


@pytest.mark.parametrize(("name", "text", "shapes", "fix", "shape", "choice"), SHAPES)
def test_another_shape_says_both_shapes_and_offers_two_ways_that_work(
    name, text, shapes, fix, shape, choice
):
    found = done(NAMED, name, text=text)
    assert found.state is NAMED
    (error,) = found.problem.errors
    assert error.say.startswith("The shapes do not fit: ")
    assert error.say.endswith(f"{shapes}.")
    assert found.problem.from_line
    ((fix_words, fixing),) = found.problem.fixes
    ((choice_words, choosing),) = found.problem.choices
    assert fix_words.startswith(fix)
    assert choice_words.startswith(choice)

    others_fit = done(NAMED, name, text=fixing, fix=True)
    assert (others_fit.problem, others_fit.reset) == (None, True)
    check_valid(others_fit.state)
    assert shape_of(getattr(others_fit.state, name)) == str(shape)
    assert getattr(others_fit.state, name) == read_matrix(fixing).cells
    it_fits = done(NAMED, name, text=choosing)
    assert (it_fits.problem, it_fits.reset) == (None, True)
    for other in set(NAMES) - {name}:
        assert getattr(it_fits.state, other) == getattr(NAMED, other)
        kept, whole = texts_of(others_fit.state, other), texts_of(NAMED, other)
        for i, row in enumerate(kept):  # what stays is what was there, what is new is zero
            for j, cell in enumerate(row):
                old = whole[i][j] if i < len(whole) and j < len(whole[0]) else "0"
                assert cell == old


def test_a_pasted_block_of_another_shape_asks_as_a_text_does():
    found = done(STATE, "k", paste="1 2\n3 4", at=[1, 0])
    assert found.state is STATE
    assert "K is (3, 2), V is (2, 2)" in found.problem.errors[0].say
    ((_, fixing),) = found.problem.fixes
    assert done(STATE, "k", text=fixing, fix=True).state.v == matrix("2 0", "0 2", "0 0")
    ((_, choosing),) = found.problem.choices
    assert done(STATE, "k", text=choosing).state.k == matrix("1 0", "1 2")


def test_only_a_fix_that_was_pressed_changes_the_other_matrices():
    for fix in (None, False, 1, "yes", []):
        assert done(STATE, "q", text="1 2 3", fix=fix).state is STATE


@pytest.mark.parametrize("name", NAMES)
def test_beyond_the_limits_a_text_or_a_block_is_refused_with_the_limit(name):
    for text in (" ".join("1" * 65), "1\n" * 65, "1 1\n" * 65):
        found = done(STATE, name, text=text)
        assert found.state is STATE
        assert "at most 64" in found.problem.errors[0].say
    found = done(STATE, name, paste="1 2", at=[0, 63])
    assert "at most 1 can be read" in found.problem.errors[0].say
    whole = done(STATE, name, text="\n".join([" ".join("1" * MAX_WIDTH)] * MAX_TOKENS), fix=True)
    assert shape_of(getattr(whole.state, name)) == "(64, 64)"
    check_valid(whole.state)


# -- labels ---------------------------------------------------------------------------------------


def test_labels_of_queries_and_of_keys_are_kept_letter_for_letter():
    words = ["$x$", "<b>", ""]
    found = done(NAMED, "q", names=words)
    assert found == Edited(replace(NAMED, tokens=tuple(words)), reset=True)
    found = done(NAMED, "k", names=["", "x", "x", ":red[y]"])
    assert found == Edited(replace(NAMED, keys=("", "x", "x", ":red[y]")), reset=True)


def test_the_default_labels_are_none_of_their_own():
    assert done(NAMED, "q", names=["q1", "q2", "q3"]).state.tokens == ()
    assert done(NAMED, "k", names=["k1", "k2", "k3", "k4"]).state.keys == ()


def test_a_key_with_a_label_of_its_own_no_longer_borrows_from_the_queries():
    found = done(SELF, "k", names=["le", "cat", "sat"]).state
    assert (found.tokens, found.keys) == (SELF.tokens, ("le", "cat", "sat"))
    assert done(SELF, "q", names=["le", "cat", "sat"]).state.key_labels == ("le", "cat", "sat")


def test_the_labels_beside_v_are_those_of_the_keys_and_cannot_be_typed_there():
    assert done(NAMED, "v", names=["1", "2", "3", "4"]) == Edited(NAMED)


def test_a_label_is_cut_at_its_limit_and_half_a_character_is_replaced():
    found = done(NAMED, "q", names=["a" * 300, "\ud83d", "\ud83d\udc08"])
    assert found.state.tokens == ("a" * MAX_LABEL, "\ufffd", "🐈")


# -- toggling cells of the mask -------------------------------------------------------------------

MASKED = AttentionState(
    q=matrix("1", "2", "3"), k=matrix("1", "2", "3", "4"), v=matrix("1", "2", "3", "4")
)
COMBINED = ("causal", "padding")


@pytest.mark.parametrize(
    "mask", [(), *((name,) for name in MASK_NAMES), COMBINED], ids=lambda mask: "+".join(mask)
)
@pytest.mark.parametrize("marks", [((), ()), (((0, 0), (1, 3)), ((0, 3), (1, 3), (2, 0)))])
def test_a_toggle_turns_one_cell_of_any_mask_and_a_second_one_gives_it_back(mask, marks):
    state = replace(MASKED, mask=mask, hide=marks[0], show=marks[1])
    before = allowed(state)
    for i in range(state.n_q):
        for j in range(state.n_k):
            done = edit_stage(state, {"toggle": [i, j]})
            assert (done.problem, done.reset) == (None, False)
            check_valid(done.state)
            turned = before.copy()
            turned[i, j] = not turned[i, j]
            assert (allowed(done.state) == turned).all()
            again = toggled(done.state, (i, j))
            assert (allowed(again) == before).all()
            if not any(marks):
                assert again == state


@pytest.mark.parametrize(
    "pair",
    [
        [1, 0],
        [0, 2],
        [-1, 0],
        [0, -1],
        [True, 0],
        [0, 0.0],
        ["0", "0"],
        [0],
        [],
        [None, 0],
        [[], {}],
    ],
)
def test_what_is_no_cell_is_not_toggled(pair):
    assert edit_stage(STATE, {"toggle": pair}) == Edited(STATE, reset=True)
    if len(pair) == 2:
        with pytest.raises(FieldError, match="no such cell"):
            toggled(STATE, tuple(pair))


# -- choosing and releasing -----------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights", "a", "b", "difference"])
def test_a_cell_is_chosen_with_its_query_and_the_same_click_releases_it(stage):
    done = edit_stage(STATE, {"stage": stage, "at": [0, 1]})
    assert done == Edited(replace(STATE, row=0, cell=(0, 1)))
    assert edit_stage(done.state, {"stage": stage, "at": [0, 1]}) == Edited(STATE)
    other = edit_stage(NAMED, {"stage": stage, "at": [1, 0]}).state
    assert (other.row, other.cell) == (1, (1, 0))
    assert edit_stage(replace(STATE, row=None), {"stage": stage, "at": [0, 0]}).state.row == 0


def test_a_query_is_chosen_by_its_label_and_the_same_click_releases_it():
    done = edit_stage(NAMED, {"stage": "scores", "at": [1, None]})
    assert done == Edited(replace(NAMED, row=1, cell=None))
    assert edit_stage(done.state, {"stage": "weights", "at": [1, None]}).state.row is None
    assert chosen(replace(NAMED, row=None), "scores", 2, None).row == 2


def test_a_cell_of_the_output_chooses_its_query():
    done = edit_stage(NAMED, {"stage": "output", "at": [0, 0]})
    assert done == Edited(replace(NAMED, row=0, cell=None))
    assert edit_stage(NAMED, {"stage": "output", "at": [2, 0]}).state.row is None


def test_values_and_labels_of_keys_choose_nothing():
    for edit in (
        {"stage": "values", "at": [0, 0]},
        {"stage": "values", "at": [1, None]},
        {"stage": "scores", "at": [None, 1]},
        {"stage": "scores", "at": [None, None]},
    ):
        assert edit_stage(NAMED, edit).state == NAMED


@pytest.mark.parametrize(
    "at",
    [[0, 2], [0, -1], [0, 0.5], [0, True], [0, "0"], [9, 0], [9, None], [-1, None], [0], [], "00"],
)
def test_a_choice_that_is_not_on_the_page_leaves_the_state(at):
    for stage in (*STAGES, None, 3):
        found = edit_stage(STATE, {"stage": stage, "at": at})
        if found.state != STATE:  # the output has a row and no cell
            assert (stage, at[0]) == ("output", 0)
            assert found.state == replace(STATE, row=None)


# -- whatever comes -------------------------------------------------------------------------------

scalars = st.none() | st.booleans() | st.integers(-2, 70) | st.floats() | st.text(max_size=5)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
typed = st.sampled_from(
    [
        "2",
        "-inf",
        "1/3",
        "0,5",
        "x",
        "",
        "1 2",
        "1,2;2,3",
        "nan",
        "∞",
        "k1,k2\n1,2",
        "1\n2",
        "9" * 99,
    ]
)
texts = typed | st.text(max_size=8) | st.sampled_from(["\ud83d", "\0", "🐈" * 300, "\u202e"])
places = st.lists(st.none() | st.integers(-1, 5) | st.booleans() | st.floats(0, 3), max_size=3)


@st.composite
def likely(draw):
    """An edit that looks like ours, in which some parts are something else."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    some = st.sampled_from(["0", "1/3", "-2"]) if draw(st.booleans()) else texts
    edit = {
        "cells": [[draw(some) for _ in range(columns)] for _ in range(rows)],
        "names": [draw(texts) for _ in range(rows)],
    }
    optional = {
        "text": texts,
        "paste": texts,
        "fix": st.booleans(),
        "at": places | anything,
        "removed": st.tuples(st.sampled_from(["row", "column"]), st.integers(-1, 4)).map(list),
        "toggle": places,
        "stage": st.sampled_from([*STAGES, "a"]),
    }
    for name in draw(st.sets(st.sampled_from(sorted(optional)), max_size=3)):
        edit[name] = draw(optional[name])
    if draw(st.integers(0, 3)) == 0:
        edit[draw(st.sampled_from(["cells", "names", *optional]))] = draw(anything)
    return edit


edits = likely() | st.dictionaries(st.text(max_size=6), anything, max_size=4)


@settings(few, max_examples=100)
@given(st.lists(edits, min_size=1, max_size=2), st.sampled_from([STATE, NAMED, SELF]))
def test_no_edit_of_any_form_raises_or_leaves_a_broken_state(sequence, state):
    for edit in sequence:
        for handler in (*(edit_matrix(name) for name in NAMES), edit_stage):
            before, found = state, handler(state, edit)
            assert type(found) is Edited
            state = found.state
            check_valid(state)
            assert decode(encode(state, PRESETS), AttentionState, PRESETS).state == state
            if found.problem is None:
                continue
            assert type(found.problem) is MatrixProblem
            assert state == before
            assert found.problem.errors
            for error in found.problem.errors:
                assert error.say[0].isupper()
                assert error.say.isprintable()
                assert len(error.say) < 300
            for say, text in (*found.problem.choices, *found.problem.fixes):
                assert say
                assert isinstance(read_matrix(text), Reading)
            json.dumps(found.problem.__dict__, default=vars)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "more",
    [
        {"cells": None},
        {"cells": []},
        {"cells": [[]]},
        {"cells": [["1"], ["1", "2"]]},
        {"cells": [["1", 2]]},
        {"cells": ["12"]},
        {"cells": [["1"] * 65]},
        {"cells": [["1"]] * 65, "names": ["a"] * 65},
        {"names": None},
        {"names": "abcd"},
        {"names": ["a"] * 9},
        {"names": [1, 2, 3, 4]},
    ],
)
def test_what_our_scripts_never_send_leaves_the_state_and_resets_the_editor(name, more):
    assert done(NAMED, name, **more) == Edited(NAMED, reset=True)
    assert edit_matrix(name)(NAMED, {}) == Edited(NAMED, reset=True)
    assert edit_stage(NAMED, more) == Edited(NAMED, reset=True)


def test_a_click_on_a_bar_chooses_its_query_or_its_dot_product_and_again_releases_it():
    state = AttentionState(q=matrix("1 0", "0 1"))
    picked = edit_query_bar(state, {"bar": 1}).state
    assert (picked.row, picked.cell) == (1, None)
    assert edit_query_bar(picked, {"bar": 1}).state.row is None
    dotted = edit_key_bar(picked, {"bar": 1}).state
    assert (dotted.row, dotted.cell) == (1, (1, 1))
    assert edit_key_bar(dotted, {"bar": 1}).state.cell is None


@pytest.mark.parametrize("bar", [None, "1", -1, 2, True, [0]])
def test_a_click_on_no_bar_leaves_the_state(bar):
    state = AttentionState(q=matrix("1 0", "0 1"))
    for edit in (edit_query_bar, edit_key_bar):
        assert edit(state, {"bar": bar}) == Edited(state, reset=True)


def again(name, bad, before, after):
    return edit_matrix(name)(after, {"again": bad.problem, "before": before})


def test_cells_that_stay_unread_grow_and_shrink_as_their_matrix_does_and_are_read_again():
    bad = done(STATE, "q", cells=[["x", "5"]])
    assert bad.problem.cells == (("x", "5"),)
    wider = done(STATE, "k", cells=[["1", "0", "2"], ["0", "1", "3"]]).state
    found = again("q", bad, STATE, wider)
    assert found.state is wider
    assert (found.problem.cells, found.problem.errors) == ((("x", "5", "0"),), bad.problem.errors)
    bad = done(STATE, "q", cells=[["4", "x"]])
    narrow = done(STATE, "k", cells=[["0"], ["1"]]).state
    good = again("q", bad, STATE, narrow)
    assert good.problem is None
    assert texts_of(good.state, "q") == [["4"]]


def test_what_is_typed_beside_a_bad_cell_outlives_a_change_of_another_shape():
    bad = done(STATE, "q", cells=[["abc", "0", "5"]])
    taller = done(
        STATE, "k", cells=[["1", "0"], ["0", "1"], ["0", "0"]], names=["a", "b", "c"]
    ).state
    assert again("q", bad, STATE, taller).problem.cells == (("abc", "0", "5"),)
    bad = done(STATE, "k", cells=[["abc", "0"], ["0", "1"], ["6", "0"]], names=["k1", "k2", "c"])
    more = done(STATE, "q", cells=[["1", "0"], ["0", "0"]], names=["q1", "q2"]).state
    kept = again("k", bad, STATE, more).problem
    assert kept.cells == (("abc", "0"), ("0", "1"), ("6", "0"))
    assert kept.labels == ("k1", "k2", "c")


@pytest.mark.parametrize("text", ["0,25\n0,75", "0,25\r\n0,75\r\n", "0.25\n0.75"])
def test_a_column_is_a_column_with_either_decimal_mark(text):
    state = AttentionState()
    done = edit_matrix("q")(
        state, {"cells": [["1", "0"]], "names": ["q1"], "paste": text, "at": [0, 0]}
    )
    assert [[cell.value for cell in row] for row in done.state.q] == [[0.25, 0], [0.75, 0]]
