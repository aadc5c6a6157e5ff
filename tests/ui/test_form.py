"""One run, one cause: arrived, loaded, typed or moved; and what a browser may send instead."""

import logging
from itertools import count
from urllib.parse import urlencode

import pytest
from streamlit.elements.lib import policies

from tests.pages.driver import Visit
from tests.pages.test_softmax import DEFAULT, by_hand, drawn

INF = float("inf")


@pytest.fixture
def page():
    return Visit()


# -- arrived --------------------------------------------------------------------------------------


def test_on_the_first_run_the_link_is_in_every_widget_already():
    link = "scores=3,1&labels=a,b&T=0.5&compare=2&panel=moves&add=7&times=1/2"
    page = Visit(link=link)
    assert page.bars.tolist() == drawn(by_hand([3, 1], 2))
    assert page.data("matrix")["cells"] == [["3", "1"]]
    assert page.data("temperature")["T"] == "0.5"
    assert page.widget("compare").value == "2"
    assert page.widget("panel").value == "moves"
    assert page.widget("add").value == "7"
    assert page.widget("times").value == "1/2"
    assert urlencode(page.link, safe=",/") == link  # the address keeps its own spelling


class Told(logging.Handler):
    """Collects the warnings of Streamlit."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        """Keep what is said about widgets."""
        if "ScriptRunContext" not in record.getMessage():
            self.lines.append(record.getMessage())


def test_no_widget_is_given_a_default_and_a_value_at_once(monkeypatch):
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    logger, told = policies._LOGGER, Told()
    logger.addHandler(told)
    try:
        page = Visit(link="T=0.5&compare=2&panel=pair&pair=1_0")
        page.set("pair-0", 2).set("panel", "moves").set("add", "3").set("presets", "beta-3")
        page.click("reset").click("view-switch").go("start").go("softmax")
        page = Visit("lessons", "lesson=weights&at=2&answers=~e_~e_2")
        page.move("lesson=weights&at=2&answers=~e_~e_3").go("start").go("lessons")
    finally:
        logger.removeHandler(told)
    assert told.lines == []


def test_the_first_press_after_a_restart_of_the_server_counts(page):
    page.scores("3 1 0")
    del page.at.session_state["softmax.memory"]
    del page.at.session_state["attnviz.page"]
    page.click("view-switch")
    assert page.link == {"scores": "3_1_0", "view": "lecture", "step": "1"}
    assert page.click("step-Next").link["step"] == "2"
    assert page.run().link["step"] == "2"
    assert page.click("step-Next").link["step"] == "3"


def test_two_buttons_that_are_pressed_at_once_are_both_done_once():
    page = Visit("lessons", "lesson=weights&at=2")
    for label in ("Back", "Next"):  # Streamlit puts presses that come together into one run
        next(button for button in page.at.button if button.label == label).click()
    assert page.run().link == {"lesson": "weights", "at": "3"}
    assert page.run().link == {"lesson": "weights", "at": "3"}


def test_without_a_link_the_default_is_shown_and_nothing_is_written(page):
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.link == {}
    assert page.run().link == {}


def test_after_a_restart_of_the_server_the_link_counts_and_old_edits_do_not(page):
    page.scores("3 1 0").temperature("T", "2").set("compare", "hot")
    del page.at.session_state["softmax.memory"]
    del page.at.session_state["attnviz.page"]
    page.run()  # the browser sends every widget again
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0], 0.5))
    assert page.link == {"scores": "3_1_0", "T": "2"}
    assert page.widget("compare").value == "1"
    page.scores("3 1 1")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 1], 0.5))


# -- typed ----------------------------------------------------------------------------------------


def test_what_is_typed_is_written_to_the_link_and_only_what_differs(page):
    page.scores("3 1 0")
    assert page.link == {"scores": "3_1_0"}
    page.temperature("beta", "3")
    assert page.link == {"scores": "3_1_0", "beta": "3"}
    page.set("panel", "rows")
    assert page.link == {"scores": "3_1_0", "beta": "3", "panel": "rows"}
    page.scores("2 1 0").temperature("T", "1").set("panel", "curves")
    assert page.link == {}


def test_four_cells_changed_one_after_the_other_all_stay(page):
    for cells in (["5", "1", "0"], ["5", "6", "0"], ["5", "6", "7"], ["5", "6", "7", "8"]):
        page.scores(cells=[cells])
        assert page.bars.tolist() == drawn(by_hand([float(cell) for cell in cells]))


def test_an_edit_is_taken_once_and_runs_without_an_edit_change_nothing(page):
    page.scores("3 1 0").set("presets", "beta-3")
    for _ in range(3):
        page.run()
    assert page.link == {"preset": "beta-3"}
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 3))


def test_two_editors_that_report_in_one_run_are_both_heard(page):
    matrix, temperature = page.data("matrix"), page.data("temperature")
    page.at.session_state["softmax.temperature"] = {
        "edit": {"rev": temperature["rev"], "n": 1, "live": False, "name": "T", "text": "2"}
    }
    line = {"labels": matrix["labels"], "cells": matrix["cells"], "hide": [], "text": "3, 1"}
    page.send("matrix", {"edit": {"rev": matrix["rev"], "n": 2, "live": False} | line})
    assert page.bars.tolist() == drawn(by_hand([3, 1], 0.5))
    assert page.link == {"scores": "3_1", "T": "2"}


def test_typing_wins_over_an_address_that_changes_in_the_same_run(page):
    head = {"rev": page.data("temperature")["rev"], "n": 1, "live": False}
    page.at.session_state["softmax.temperature"] = {"edit": head | {"name": "T", "text": "2"}}
    page.move("scores=9,9")
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 0.5))
    assert page.link == {"T": "2"}


def test_a_live_edit_is_drawn_at_once_and_written_with_the_next_final_one(page):
    page.scores("2 1 5", live=True)
    assert page.bars.tolist() == drawn(by_hand([2, 1, 5]))
    assert page.link == {}
    page.scores("2 1 5.5")
    assert page.link == {"scores": "2_1_5.5"}


def test_typing_takes_the_notes_of_a_link_away_and_mends_the_address():
    page = Visit(link="T=warm&scores=3,1")
    assert len(page.warnings) == 1
    assert page.run().link == {"T": "warm", "scores": "3,1"}
    assert len(page.warnings) == 1
    page.scores("3 2")
    assert page.warnings == []
    assert page.link == {"scores": "3_2"}


@pytest.mark.parametrize("box", ["matrix", "temperature", "compare", "add"])
def test_what_cannot_be_read_stays_and_changes_neither_state_nor_link(box, page):
    page.set("panel", "moves").scores("3 1 0")
    if box == "matrix":
        page.scores("3 x 0")
    elif box == "temperature":
        page.temperature("T", "x")
    else:
        page.set(box, "x")
    for _ in range(2):
        if box in ("matrix", "temperature"):
            assert not page.has("bars")
            assert "x" in page.data(box)["text" if box == "matrix" else "T"]
        else:
            assert page.bars.tolist() == drawn(by_hand([3, 1, 0]))
            assert page.widget(box).value == "x"
            assert len(page.errors) == 1
        assert page.link == {"scores": "3_1_0", "panel": "moves"}
        page.run()


def test_bad_text_in_one_editor_does_not_swallow_what_is_typed_in_another(page):
    page.temperature("T", "x").scores("3 1 0")
    assert page.data("temperature")["T"] == "x"
    assert not page.has("bars")
    page.temperature("T", "2")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0], 0.5))
    assert page.link == {"scores": "3_1_0", "T": "2"}


# -- moved ----------------------------------------------------------------------------------------


def test_back_and_forward_move_the_state_and_the_editors_take_it_over(page):
    page.scores("3 1 0").temperature("T", "2")
    revision = page.data("matrix")["rev"]
    page.move("scores=3_1_0")  # Back
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0]))
    assert page.data("temperature")["T"] == "1"
    assert page.data("matrix")["rev"] != revision
    page.move("")  # Back
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.data("matrix")["cells"] == [["2", "1", "0"]]
    page.move("scores=3_1_0&T=2")  # Forward twice
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0], 0.5))
    assert page.link == {"scores": "3_1_0", "T": "2"}


def test_an_edited_address_reaches_streamlits_own_widgets_too(page):
    page.set("compare", "2").set("panel", "moves").set("add", "5")
    page.move("compare=off&panel=moves")
    assert page.widget("compare").value == "off"
    assert page.widget("add").value == "100"
    page.move("panel=pair&pair=2_0")
    assert (page.widget("pair-0").value, page.widget("pair-1").value) == (2, 0)


def test_moving_takes_bad_text_and_its_error_away(page):
    page.scores("3 1 0").scores("3 x 0").set("compare", "hot").temperature("T", "x")
    page.move("")
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.warnings == []
    assert page.errors == []
    assert page.widget("compare").value == "1"


def test_a_moved_address_that_is_damaged_gets_its_note(page):
    page.scores("3 1 0").move("scores=3_x_0")
    assert "value 2" in page.warnings[0]
    assert page.bars.tolist() == drawn(DEFAULT)
    page.move("scores=3_2_0")
    assert page.warnings == []


def test_streamlits_own_parameters_are_neither_a_move_nor_lost():
    page = Visit(link="embed=true&scores=3,1")
    page.scores("4 1")
    assert page.link == {"embed": "true", "scores": "4_1"}
    page.move("scores=4_1")
    assert page.bars.tolist() == drawn(by_hand([4, 1]))
    page.scores("5 1").move("scores=5_1&embed=true&embed_options=dark_theme")
    assert page.bars.tolist() == drawn(by_hand([5, 1]))


# -- loaded ---------------------------------------------------------------------------------------


def test_a_preset_stands_alone_whatever_was_typed_before(page):
    page.scores("9 9 9", labels=["a", "b", "c"], hide=[1]).temperature("T", "x")
    page.set("presets", "tied")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 1, -1]))
    assert page.data("matrix")["labels"] == ["k1", "k2", "k3", "k4"]
    assert page.data("matrix")["hide"] == []
    page.set("presets", "beta-3")
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 3))
    page.move("preset=tied")  # Back
    assert page.bars.tolist() == drawn(by_hand([3, 1, 1, -1]))
    assert page.widget("presets").value == "tied"


def test_an_edit_still_on_its_way_does_not_land_on_a_preset(page):
    old = page.data("matrix")
    page.set("presets", "beta-3")
    keep = {"labels": old["labels"], "cells": [["9", "9", "9"]], "hide": []}
    page.send("matrix", {"edit": {"rev": old["rev"], "n": 10**9, "live": False} | keep})
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 3))
    assert page.link == {"preset": "beta-3"}


def test_a_preset_that_is_pressed_again_stays(page):
    page.set("presets", "tied").set("presets", None)
    assert page.widget("presets").value == "tied"
    assert page.link == {"preset": "tied"}


def test_a_button_of_the_view_keeps_what_is_typed_in_the_editors(page):
    page.scores("3 x 0").click("view-switch")
    assert page.data("matrix")["text"] == "3, x, 0"
    assert not page.has("bars")
    page.scores("3 1 0").click("view-switch")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0]))
    assert page.link == {"scores": "3_1_0"}


def test_a_choice_below_the_bars_leaves_the_editors_alone(page):
    page.set("panel", "pair")
    revision = page.data("matrix")["rev"]
    page.set("pair-0", 2)
    assert page.data("matrix")["rev"] == revision


# -- left and back again --------------------------------------------------------------------------


def test_a_page_that_was_left_has_its_state_on_return_and_the_link_says_so(page):
    page.scores("3 1 2").temperature("T", "0.5").set("panel", "rows").set("compare", "2")
    page.go("start").go("softmax")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 2], 2))
    assert page.has("rows")
    assert page.widget("compare").value == "2"
    assert page.link == {"scores": "3_1_2", "T": "0.5", "panel": "rows", "compare": "2"}
    page.scores("3 1 3")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 3], 2))
    page.move("scores=3_1_2")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 2]))


def test_a_run_before_the_browser_has_written_the_link_of_a_returned_page_loses_nothing(page):
    page.scores("3 1 2")
    for _ in range(2):
        page.go("start").go("softmax")
        page.move("")  # something is pressed, and the address is still bare
        assert page.bars.tolist() == drawn(by_hand([3, 1, 2]))
        assert page.link == {"scores": "3_1_2"}
    page.run()
    assert not page.has("address")
    page.move("")  # now it was emptied by hand
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0]))


def test_a_page_that_was_left_with_bad_text_still_has_it_on_return(page):
    page.scores("3 1 0").set("panel", "moves").set("add", "x").temperature("T", "warm")
    page.go("start").go("softmax")
    assert page.data("temperature")["T"] == "warm"
    assert page.data("temperature")["error"]
    assert page.link == {"scores": "3_1_0", "panel": "moves"}
    page.temperature("T", "2")
    assert page.widget("add").value == "x"
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0], 0.5))


def test_a_page_that_was_opened_with_a_damaged_link_has_a_whole_one_on_return():
    page = Visit(link="T=warm&scores=3,1").go("start").go("softmax")
    assert page.bars.tolist() == drawn(by_hand([3, 1]))
    assert page.warnings == []
    assert page.link == {"scores": "3_1"}


def test_a_link_that_is_followed_to_a_page_that_was_left_opens(page):
    page.scores("3 1 2").go("start").go("softmax", "?preset=beta-3")
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 3))
    assert page.link == {"preset": "beta-3"}
    page.scores("9 9").click("reset")
    assert page.link == {"preset": "beta-3"}


# -- what no script of ours sends -----------------------------------------------------------------

_n = count(10**6)
NO_EDIT = [None, "junk", 7, [], {}, {"edit": None}, {"edit": "x"}, {"edit": []}, {"edit": {}},
           {"edit": {"n": 1}}, {"edit": {"rev": 5, "n": 1}}, {"edit": {"rev": "0" * 8, "n": 1}},
           {"edit": {"rev": "0" * 8, "n": "1"}}, {"other": {"rev": "0" * 8, "n": 1}}]  # fmt: skip
ROW = {"cells": [["2", "1", "0"]], "labels": ["k1", "k2", "k3"], "hide": []}
JUNK = {
    "matrix": [
        {},
        {"cells": None},
        *(ROW | {"cells": cells} for cells in (None, "2 1 0", [], [[]], [2, 1, 0], [[2, 1, 0]],
                                               [["2", "1"]], [["2", "1", "0"], ["1"]], {"0": "2"},
                                               [["1"] * 65], [["1"] * 3] * 65, [[["2"]]])),
        *(ROW | {"labels": labels} for labels in (None, "abc", [1, 2, 3], ["a"], {}, [None] * 3)),
        *(ROW | {"hide": hide} for hide in ("0", [1.5], [[0]], ["0"], {"0": 1}, [-1], [True])),
        *(ROW | {"row": row} for row in (-1, 10**30, "0", None, 1.5, [0], True)),
        ROW | {"text": 5},
        ROW | {"paste": 5},
        ROW | {"text": None, "paste": None, "at": None},
    ],
    "temperature": [
        {},
        {"name": "T"},
        {"text": "2"},
        {"name": "beta", "text": 2},
        {"name": "t", "text": "2"},
        {"name": ["T"], "text": "2"},
        {"name": "T", "text": ["2"]},
    ],
    "table": [
        {},
        *({"pick": pick} for pick in (None, 5, ["weight:0"], "weight", "weight:9", "weight:-1",
                                      "weight:x", "junk:0", ":", "weight:1e9", "weight:²")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("part", JUNK)
def test_what_is_no_edit_is_ignored(part, page):
    for value in NO_EDIT:
        page.send(part, value)
        assert page.bars.tolist() == drawn(DEFAULT)
        assert page.link == {}


@pytest.mark.parametrize("part", JUNK)
def test_a_malformed_edit_leaves_the_state_and_never_fails(part, page):
    for edit in JUNK[part]:
        page.edit(part, **edit)
        assert page.bars.tolist() == drawn(DEFAULT), edit
        assert page.link == {}, edit
        assert page.warnings == [], edit


@pytest.mark.parametrize(
    "text",
    ["\ud800", "x" * 300_000, "[" * 100_000, "0" * 100_000 + "a", "\0", "<script>", "1e999999"],
)
def test_hostile_text_is_answered_with_a_sentence(text, page):
    page.line(text)
    assert len(page.data("matrix")["errors"]) == 1
    page.scores("2 1 0").temperature("T", text)
    assert page.data("temperature")["error"]
    page.temperature("T", "1").scores(cells=[[text, "1", "0"]])
    assert len(page.data("matrix")["errors"]) == 1
    page.scores(labels=[text, "b", "c"], cells=[["2", "1", "0"]])
    assert page.bars.tolist() == drawn(DEFAULT)
    assert len(page.data("matrix")["labels"][0]) <= 200


def test_an_edit_of_an_older_revision_is_ignored(page):
    revision = page.data("temperature")["rev"]
    page.line("3, 1")  # the editors take this over: a new revision
    assert page.data("temperature")["rev"] != revision
    page.send("temperature", {"edit": {"rev": revision, "n": 9, "name": "T", "text": "2"}})
    assert page.bars.tolist() == drawn(by_hand([3, 1]))
    assert page.link == {"scores": "3_1"}


def test_the_number_of_the_last_edit_comes_back_to_the_editor(page):
    page.scores("3 1 0")
    sent = page.at.session_state["softmax.matrix"]["edit"]["n"]
    assert page.data("matrix")["n"] == sent
    assert page.data("temperature")["n"] == 0
