"""The softmax page, from what a person types or opens to the number that is drawn."""

import csv
import io
import itertools
import json
import math
import subprocess
import sys
from urllib.parse import urlencode

import numpy as np
import pytest

from attnviz.content import softmax as words
from attnviz.content.softmax import PRESETS
from attnviz.state.labels import visible_label
from attnviz.state.softmax import PANELS
from tests.core.cases import GOLDEN, number
from tests.pages.driver import Visit

INF = math.inf
DEFAULT = [0.6652409557748219, 0.24472847105479764, 0.09003057317038046]  # 2, 1, 0; golden.json


def by_hand(scores, beta=1.0):
    """Return the weights as a student computes them; −inf is a masked key."""
    top = max(scores)
    exps = [0.0 if score == -INF else math.exp(beta * (score - top)) for score in scores]
    return [exp / math.fsum(exps) for exp in exps]


def drawn(weights):
    return pytest.approx(weights, rel=1e-13, abs=1e-300)


def as_number(text):
    """Read a number of the screen; what is masked or underflowed counts as 0."""
    plain = text.partition(" (")[0].replace("−", "-").replace("∞", "inf")
    return 0.0 if plain == "masked" else float(plain)


def texts_on_bars(page):
    """Return what stands above the bars, in the order of the keys."""
    texts = {}
    for drawn in page.figure("bars")["data"]:
        texts |= dict(zip(drawn["x"].tolist(), drawn.get("text", []), strict=False))
    return [texts[position] for position in sorted(texts)]


def trace(figure, name):
    """Return the trace of a figure that has this name, or None."""
    return next((t for t in figure["data"] if t.get("name") == name), None)


@pytest.fixture
def page():
    """The page without a link."""
    return Visit()


# -- links that open a state ----------------------------------------------------------------------


def test_a_link_opens_the_first_example_with_every_step_of_its_arithmetic():
    page = Visit(link="?scores=0.7071067811865475,0,-1")
    assert page.column("shifted") == ["0", "−0.7071", "−1.7071"]
    assert page.column("exp") == ["1", "0.4931", "0.1814"]
    assert page.column("weight") == ["0.5972", "0.2945", "0.1083"]
    assert page.foot() == ["", "", "", "1.6745", "1"]
    assert page.bars.tolist() == drawn(GOLDEN["softmax"][0]["weights"])
    assert page.warnings == []


def test_a_link_with_beta_3_shows_it_beside_its_temperature_and_stays_as_typed():
    page = Visit(link="?scores=2,1,0&beta=3")
    assert page.column("weight") == ["0.9503", "0.0473", "0.0024"]
    assert page.column("scaled") == ["6", "3", "0"]
    assert (page.data("temperature")["beta"], page.data("temperature")["T"]) == ("3", "0.3333")
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 3))
    assert page.link == {"scores": "2,1,0", "beta": "3"}


def test_a_link_shows_the_naive_formula_failing_beside_the_stable_one():
    page = Visit(link="?scores=1000,1000&panel=naive")
    assert page.column("exp", "naive") == ["inf", "inf"]
    assert page.column("naive", "naive") == ["nan", "nan"]
    assert page.column("stable", "naive") == ["0.5", "0.5"]
    assert page.foot("naive") == ["inf", "nan", "1"]
    assert page.bars.tolist() == [0.5, 0.5]


def test_a_link_with_minus_infinity_marks_the_key_as_masked_everywhere():
    page = Visit(link="?scores=1,-inf,2")
    assert page.column("weight") == ["0.2689", "0 (masked)", "0.7311"]
    assert page.column("scaled")[1] == "masked"
    assert [row["masked"] for row in page.data("table")["rows"]] == [False, True, False]
    assert page.bars.tolist() == drawn(by_hand([1, -INF, 2]))
    assert trace(page.figure("bars"), "masked")["x"].tolist() == [1]
    assert texts_on_bars(page) == ["0.2689", "masked", "0.7311"]
    assert "k2 masked" in page.data("bars")["alt"]
    assert page.facts["Masked weights are 0"] == "0"


def test_a_link_with_a_word_among_its_scores_names_the_value_and_opens_the_default():
    page = Visit(link="?scores=1,x,2")
    [note] = page.warnings
    assert note.startswith("scores in the link: value 2 ")
    assert "'x'" in note
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.link == {"scores": "1,x,2"}  # what came is not thrown away


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ("T=0", "T"),
        ("T=-1", "T"),
        ("T=nan", "T"),
        ("T=abc", "T"),
        ("T=1e400", "T"),
        ("T=", "T"),
        ("T=%00", "T"),
        ("beta=-3", "beta"),
        ("scores=", "scores"),
        ("scores=1,2~3", "scores"),
        ("scores=" + "_".join("1" * 65), "scores"),
        ("labels=a_b", "labels"),
        ("hide=3", "hide"),
        ("hide=-1", "hide"),
        ("row=1", "row"),
        ("compare=hot", "compare"),
        ("panel=pairs", "panel"),
        ("pick=weight:3", "pick"),
        ("pick=words:0", "pick"),
        ("add=x", "add"),
        ("times=-inf", "times"),
        ("pair=0", "pair"),
        ("pair=0_3", "pair"),
        ("view=cinema", "view"),
        ("step=6", "step"),
        ("preset=none-such", "preset"),
        ("s=AAAA", "link is damaged"),
    ],
)
def test_a_damaged_part_of_a_link_gives_its_default_and_one_line_that_names_it(link, name):
    page = Visit(link=link)
    [note] = page.warnings
    assert name in note
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.data("temperature")["T"] == "1"
    assert page.data("matrix")["hide"] == []
    assert page.widget("compare").value == "1"
    assert page.widget("panel").value == "curves"


def test_of_a_damaged_link_the_other_parts_are_kept():
    page = Visit(link="scores=3,1&T=warm&hide=9&panel=rows")
    assert [note.split()[0] for note in page.warnings] == ["T", "hide"]
    assert page.bars.tolist() == drawn(by_hand([3, 1]))
    assert page.has("rows")


def test_unknown_names_are_ignored_and_of_a_repeated_name_the_last_counts():
    page = Visit(link="foo=1&scores=5,5&utm_source=x&scores=2,0&T=2")
    assert page.warnings == []
    assert page.bars.tolist() == drawn(by_hand([2, 0], 0.5))


def test_a_link_with_both_T_and_beta_says_which_one_it_uses():
    page = Visit(link="T=2&beta=3")
    [note] = page.warnings
    assert "T and beta" in note
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 3))


def test_a_state_too_long_to_read_is_packed_and_the_packed_link_opens_it(page):
    rows = [" ".join(f"{i}.{j:02}{i * j}" for j in range(24)) for i in range(24)]
    page.scores(*rows, labels=[f"key number {j}" for j in range(24)], row=5)
    assert list(page.link) == ["s"]
    opened = Visit(link=urlencode(page.link))
    assert opened.warnings == []
    assert opened.bars.tolist() == page.bars.tolist()
    assert opened.data("matrix")["labels"][3] == "key number 3"
    assert opened.data("matrix")["cells"] == [row.split() for row in rows]


# -- scores, labels and masks ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "value", "written"),
    [
        ("0.5", 0.5, "0.5"),
        ("0,5", 0.5, "0.5"),
        (".02", 0.02, "0.02"),
        ("1e-3", 1e-3, "1e-3"),
        ("1/3", 1 / 3, "1/3"),
        ("1/sqrt(2)", 1 / math.sqrt(2), "1/sqrt(2)"),
        ("−1", -1.0, "-1"),
        ("－1", -1.0, "-1"),
        (" 3 ", 3.0, "3"),
        ("-inf", -INF, "-inf"),
        ("−∞", -INF, "-inf"),
    ],
)
def test_a_number_typed_into_a_cell_is_the_number_that_is_drawn(typed, value, written):
    page = Visit().scores(cells=[[typed, "1", "0"]])
    assert page.bars.tolist() == drawn(by_hand([value, 1, 0]))
    assert as_number(page.column("score")[0]) == pytest.approx(value, abs=5e-5)
    assert page.link == {"scores": f"{written}_1_0"}
    assert "errors" not in page.data("matrix")


@pytest.mark.parametrize("typed", ["x", "", "nan", "inf", "1/0", "1e400", "1 2", "1.2.3", "２ｘ"])
def test_a_cell_that_is_no_number_stays_and_is_named_and_nothing_is_drawn(typed):
    page = Visit(link="scores=4,2,0").scores(cells=[["4", typed, "0"]])
    [error] = page.data("matrix")["errors"]
    assert (error["row"], error["column"]) == (0, 1)
    assert error["say"].startswith("Key 2: ")
    assert page.data("matrix")["text"] == f"4, {typed}, 0"
    assert page.warnings == [words.UNREADABLE]
    assert not page.has("bars")
    assert not page.has("table")
    assert not page.has("panel")
    assert page.link == {"scores": "4,2,0"}
    page.scores("4 3 0")
    assert page.bars.tolist() == drawn(by_hand([4, 3, 0]))
    assert page.warnings == []


def test_a_bad_cell_of_several_queries_is_named_by_query_and_key():
    page = Visit(link="scores=1_2~3_4").scores(cells=[["1", "2"], ["x", "4"]])
    [error] = page.data("matrix")["errors"]
    assert error["say"].startswith("Query 2, key 1: ")
    assert (error["row"], error["column"]) == (1, 0)


def test_every_bad_cell_is_named_at_once():
    page = Visit().scores(cells=[["x", "1", ""]])
    assert [error["column"] for error in page.data("matrix")["errors"]] == [0, 2]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("3, 1, 0", [[3, 1, 0]]),
        ("[3 1; 0 2]", [[3, 1], [0, 2]]),
        ("3\t1\n0\t2\n", [[3, 1], [0, 2]]),
        ("[[0.5, -inf], [1, 2]]", [[0.5, -INF], [1, 2]]),
        ("0,25;0,75", [[0.25, 0.75]]),
        ("−1; 1/4", [[-1, 0.25]]),
    ],
)
def test_the_line_of_text_is_read_and_the_cells_take_it_over(text, rows, page):
    before = page.data("matrix")["rev"]
    page.line(text)
    assert page.data("matrix")["rev"] != before
    assert len(page.data("matrix")["cells"]) == len(rows)
    assert page.bars.tolist() == drawn(by_hand(rows[0]))
    page.scores(row=len(rows) - 1)
    assert page.bars.tolist() == drawn(by_hand(rows[-1]))


def test_a_header_line_of_words_becomes_the_labels():
    page = Visit().line("the,cat\n1,2")
    assert [row["label"] for row in page.data("table")["rows"]] == ["the", "cat"]
    assert page.link == {"scores": "1_2", "labels": "the_cat"}


def test_a_line_with_two_meanings_is_asked_about_and_either_answer_is_read(page):
    page.line("1,2;2,3")
    assert not page.has("bars")
    assert page.data("matrix")["text"] == "1,2;2,3"
    assert page.data("matrix")["fromLine"]
    decimals, values, back = page.data("matrix")["choices"]
    assert "decimal commas" in decimals["say"]
    page.line(values["text"])
    assert page.bars.tolist() == drawn(by_hand([1, 2]))
    page.line("1,2;2,3").line(decimals["text"])
    assert page.bars.tolist() == drawn(by_hand([1.2, 2.3]))
    page.line("1,2;2,3").line(back["text"])
    assert page.bars.tolist() == drawn(DEFAULT)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1, x, 3", "Value 2 "),
        ("1 2 3\n4 5", "Row 2 has 2 values, row 1 has 3"),
        ("1,,3", "Value 2 is blank"),
        ("[0. 1. ... 8. 9.]", "shortened"),
        ("1 2 nan", "Value 3 "),
        ("", "nothing to read"),
        (" ".join("1" * 65), "at most 64"),
        ("__import__('os').mkdir('pwned')", ""),
    ],
)
def test_a_line_that_cannot_be_read_stays_and_says_where(text, place):
    page = Visit(link="scores=4,2,0").line(text)
    [error] = page.data("matrix")["errors"]
    assert place in error["say"]
    assert page.data("matrix")["text"] == text
    assert page.warnings == [words.UNREADABLE]
    assert page.link == {"scores": "4,2,0"}
    back = page.data("matrix")["choices"][-1]["text"]
    assert page.line(back).bars.tolist() == drawn(by_hand([4, 2, 0]))


def test_what_is_typed_in_a_bad_cell_is_there_when_the_page_is_left_and_found_again(page):
    cells = [["1", "x", "0", "4"]]
    page.edit("matrix", labels=["a", "b", "c", "d"], cells=cells, hide=[])
    page.go("start").go("softmax")
    assert page.data("matrix")["cells"] == cells
    assert page.data("matrix")["labels"] == ["a", "b", "c", "d"]
    assert page.data("matrix")["errors"][0]["say"] == "Key 2: the value is not a number: 'x'."
    page.scores("1 2 0 4")
    assert page.link == {"scores": "1_2_0_4", "labels": "a_b_c_d"}


def test_what_was_half_typed_before_a_bad_number_counts_for_nothing(page):
    for text in ("1", "1.2"):
        page.edit("matrix", labels=["k1", "k2", "k3"], cells=[["2", text, "0"]], hide=[], live=True)
    assert page.bars.tolist() == drawn(by_hand([2, 1.2, 0]))
    page.scores("2 1.2.3 0")
    assert page.link == {}
    page.temperature("T", "2")
    assert page.link == {"T": "2"}
    page.scores("2 1 0")
    assert page.link == {"T": "2"}


def test_where_the_naive_formula_fails_its_nan_stands_beside_the_weights():
    page = Visit("softmax", "?scores=1000,1000")
    assert page.column("weight") == ["0.5", "0.5"]
    [naive] = [x for x in page.data("facts")["items"] if x["term"] == "Without the subtraction"]
    assert naive["value"] == "nan, nan"
    page.scores("700 701")
    assert "Without the subtraction" not in page.everything


def test_a_pasted_block_lands_in_its_cell_and_the_grid_grows(page):
    page.scores(paste="5\t6\n7\t8", at=[0, 2])
    assert page.data("matrix")["cells"] == [["2", "1", "5", "6"], ["0", "0", "7", "8"]]
    assert page.bars.tolist() == drawn(by_hand([2, 1, 5, 6]))


def test_a_pasted_block_that_cannot_be_read_changes_no_cell(page):
    page.scores(paste="5\tx", at=[0, 2])
    assert page.data("matrix")["cells"] == [["2", "1", "0"]]
    assert page.data("matrix")["text"] == "5\tx"
    assert page.warnings == [words.UNREADABLE]


def test_labels_that_are_typed_stand_in_the_table_the_bars_and_the_link(page):
    page.scores(labels=["the", "cat", "sat"])
    assert [row["label"] for row in page.data("table")["rows"]] == ["the", "cat", "sat"]
    assert page.figure("bars")["layout"]["xaxis"]["ticktext"] == ["the", "cat", "sat"]
    assert page.data("bars")["alt"].endswith("the 0.6652, cat 0.2447, sat 0.0900.")
    assert page.link == {"labels": "the_cat_sat"}
    page.scores(labels=["k1", "k2", "k3"])
    assert page.link == {}


def test_repeated_labels_are_separate_bars_of_their_own_colour(page):
    page.scores(labels=["the", "cat", "the"])
    bars = page.figure("bars")["data"][0]
    assert bars["x"].tolist() == [0, 1, 2]
    assert bars["y"].tolist() == drawn(DEFAULT)
    assert len(set(bars["marker"]["color"])) == 3
    assert [row["color"] for row in page.data("table")["rows"]] == bars["marker"]["color"]


def test_the_mask_switch_takes_a_key_out_and_gives_it_back(page):
    page.scores(hide=[0])
    assert page.bars.tolist() == drawn(by_hand([-INF, 1, 0]))
    assert page.column("weight")[0] == "0 (masked)"
    assert page.column("score")[0] == "2"  # the score stays
    assert page.link == {"hide": "0"}
    page.scores(hide=[])
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.link == {}


def test_a_masked_key_has_no_influence_whatever_its_score_is(page):
    page.scores("2 1 0", hide=[1])
    before = page.bars.tolist()
    page.scores("2 1e308 0", hide=[1])
    assert page.bars.tolist() == before


def test_with_every_key_masked_the_page_says_that_softmax_has_no_answer(page):
    page.scores(hide=[0, 1, 2])
    assert page.warnings == [words.all_masked(0, 1)]
    assert not page.has("bars")
    for panel in PANELS:
        page.set("panel", panel)
    page.set("panel", "rows")
    assert page.cells("rows") == [["masked", "masked", "masked", "no keys", "no keys"]]
    assert page.foot("rows")[-2] == "0"


def test_a_key_can_be_added_and_removed(page):
    page.scores("2 1 0 3")
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0, 3]))
    assert page.link == {"scores": "2_1_0_3"}
    page.scores("2 0 3", labels=["k1", "k3", "k4"])
    assert page.bars.tolist() == drawn(by_hand([2, 0, 3]))
    assert page.link == {"scores": "2_0_3", "labels": "k1_k3_k4"}


def test_one_key_alone_has_all_the_weight_and_nothing_fails(page):
    page.scores("7")
    assert page.bars.tolist() == [1.0]
    for panel in PANELS:
        page.set("panel", panel)
    assert page.facts["Entropy"] == "0 nats"


def test_a_query_can_be_added_chosen_and_removed(page):
    page.scores("2 1 0", "0 0 3")
    assert page.bars.tolist() == drawn(DEFAULT)  # the first is still the one that is shown
    assert page.facts["Sum of the whole matrix"] == "2"
    page.scores(row=1)
    assert page.bars.tolist() == drawn(by_hand([0, 0, 3]))
    assert page.data("table")["caption"].startswith("Step by step of query 2.")
    assert page.link == {"scores": "2_1_0~0_0_3", "row": "1"}
    page.scores("2 1 0", row=0)
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.link == {}


def test_64_keys_and_64_queries_are_drawn_and_one_more_is_not(page):
    row = " ".join("1" * 64)
    page.scores(*[row] * 64)
    assert page.bars.tolist() == drawn([1 / 64] * 64)
    page.line(row + " 1")
    assert "at most 64" in page.data("matrix")["errors"][0]["say"]


# -- the temperature ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "typed", "beta", "T_box", "beta_box", "written"),
    [
        ("T", "2", 0.5, "2", "0.5", "2"),
        ("T", "0,5", 2, "0.5", "2", "0.5"),
        ("T", "1/3", 3, "1/3", "3", "1/3"),
        ("T", "0.001", 1000, "0.001", "1000", "0.001"),
        ("beta", "3", 3, "0.3333", "3", "3"),
        ("beta", "1/4", 0.25, "4", "1/4", "1/4"),
        ("beta", "１", 1, "1", "1", "1"),
    ],
)
def test_a_typed_temperature_scales_the_scores_and_stays_as_typed(
    name, typed, beta, T_box, beta_box, written, page
):
    page = Visit().temperature(name, typed)
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], beta))
    shown = page.data("temperature")
    assert (shown["T"], shown["beta"], shown["name"]) == (T_box, beta_box, name)
    assert shown["position"] == pytest.approx(min(max(-math.log10(beta), -2), 2))
    assert page.link == {name: written}


@pytest.mark.parametrize("name", ["T", "beta"])
@pytest.mark.parametrize("typed", ["abc", "-1", "nan", "1e400", "1e-320", "-inf"])
def test_a_temperature_that_cannot_be_stays_in_its_box_and_nothing_is_drawn(name, typed):
    page = Visit(link="T=2").temperature(name, typed)
    shown = page.data("temperature")
    assert shown[name] == typed
    assert shown["name"] == name
    assert shown["error"].startswith("T" if name == "T" else "β")
    assert page.warnings == [words.UNREADABLE]
    assert not page.has("bars")
    assert page.link == {"T": "2"}
    page.temperature("T", "4")
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 0.25))
    assert "error" not in page.data("temperature")


def test_T_of_0_is_refused_with_the_way_to_the_limit():
    page = Visit().temperature("T", "0")
    assert "beta=inf" in page.data("temperature")["error"]


def test_while_the_slider_moves_the_bars_follow_and_the_link_waits_for_the_end(page):
    for text in ("1.05", "1.1", "1.15"):
        page.temperature("T", text, live=True)
        assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 1 / float(text)))
        assert page.data("temperature")["T"] == text
        assert page.link == {}
    page.temperature("T", "1.15")
    assert page.link == {"T": "1.15"}
    assert page.data("temperature")["position"] == pytest.approx(math.log10(1.15))


def test_the_limit_T_to_0_gives_the_largest_scores_all_the_weight(page):
    page.scores("2 2 1").temperature("beta", "inf")
    assert page.bars.tolist() == [0.5, 0.5, 0.0]
    assert page.column("shifted") == ["0", "0", "−∞"]
    assert page.column("weight") == ["0.5", "0.5", "0"]  # exactly 0: nothing underflowed
    assert texts_on_bars(page) == page.column("weight")
    assert (page.data("temperature")["T"], page.data("temperature")["beta"]) == ("0", "∞")
    assert "T → 0" in page.data("temperature")["note"]
    assert page.link == {"scores": "2_2_1", "beta": "inf"}


def test_the_limit_T_to_infinity_gives_every_allowed_key_the_same(page):
    page.scores("5 -2 1", hide=[2]).temperature("beta", "0")
    assert page.bars.tolist() == [0.5, 0.5, 0.0]
    assert page.column("weight") == ["0.5", "0.5", "0 (masked)"]
    assert (page.data("temperature")["T"], page.data("temperature")["beta"]) == ("∞", "0")
    assert "T → ∞" in page.data("temperature")["note"]
    assert page.link == {"scores": "5_-2_1", "hide": "2", "beta": "0"}


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("beta", ["inf", "0", "1e300", "1e-300", "1/3"])
def test_no_panel_fails_at_the_limits_with_ties_masks_and_huge_scores(panel, beta):
    scores = "8e307_8e307_-8e307_1_-inf~-inf_-inf_-inf_0_-inf"
    page = Visit(link=f"scores={scores}&hide=3&beta={beta}&panel={panel}")
    assert page.warnings == []
    assert math.fsum(page.bars) == pytest.approx(1)


# -- the reference --------------------------------------------------------------------------------


def test_the_reference_is_drawn_behind_the_bars_at_its_own_temperature(page):
    page.temperature("T", "2")
    assert trace(page.figure("bars"), "T = 1")["y"].tolist() == drawn(DEFAULT)
    page.set("compare", "0,5")
    assert trace(page.figure("bars"), "T = 0.5")["y"].tolist() == drawn(by_hand([2, 1, 0], 2))
    assert page.widget("compare").value == "0,5"  # as typed
    assert page.link == {"T": "2", "compare": "0.5"}


def test_there_is_no_reference_at_the_temperature_itself_nor_when_it_is_off(page):
    assert len(page.figure("bars")["data"]) == 2  # the bars and their texts
    page.temperature("T", "2").set("compare", "off")
    assert len(page.figure("bars")["data"]) == 2
    assert page.link == {"T": "2", "compare": "off"}


def test_a_reference_is_compared_as_a_temperature_and_not_as_the_text_of_beta(page):
    page.set("compare", "2").temperature("beta", "2")
    assert trace(page.figure("bars"), "T = 2")["y"].tolist() == drawn(by_hand([2, 1, 0], 0.5))


@pytest.mark.parametrize("typed", ["hot", "0", "-1", "inf"])
def test_a_reference_that_cannot_be_stays_in_its_box_with_a_sentence(typed, page):
    page.temperature("T", "2").set("compare", typed)
    assert page.widget("compare").value == typed
    assert len(page.errors) == 1
    assert len(page.figure("bars")["data"]) == 2  # no reference
    assert page.link == {"T": "2"}
    page.temperature("T", "4")
    assert page.widget("compare").value == typed
    assert page.bars.tolist() == drawn(by_hand([2, 1, 0], 0.25))
    assert page.link == {"T": "4"}  # a link of what is drawn
    page.set("compare", "1")
    assert trace(page.figure("bars"), "T = 1")["y"].tolist() == drawn(DEFAULT)
    assert page.errors == []


# -- picking a number -----------------------------------------------------------------------------


def test_a_picked_weight_is_explained_with_the_numbers_on_the_screen(page):
    page.edit("table", pick="weight:0")
    assert page.data("table")["symbols"] == "weight[k1] = exp / Σ exp = 1 / 1.5032 = 0.6652"
    assert page.link == {"pick": "weight:0"}
    page.scores("2 1 1")
    assert page.data("table")["symbols"] == "weight[k1] = exp / Σ exp = 1 / 1.7358 = 0.5761"
    page.edit("table", pick="")
    assert page.data("table")["symbols"] == ""
    assert page.link == {"scores": "2_1_1"}


@pytest.mark.parametrize("column", ["score", "scaled", "shifted", "exp", "weight"])
def test_every_number_of_the_table_can_be_picked_and_its_expression_ends_in_it(column):
    page = Visit(link="scores=1/sqrt(2),0,-40&beta=3&labels=the,cat,sat")
    for key, label in enumerate(("the", "cat", "sat")):
        page.edit("table", pick=f"{column}:{key}")
        symbols = page.data("table")["symbols"]
        assert symbols.startswith(f"{column}[{label}] = ")
        assert symbols.replace("≈", "=").endswith(f" = {page.column(column)[key]}")
        assert page.data("table")["pick"] == f"{column}:{key}"


def test_what_is_quoted_can_be_found_in_the_table():
    page = Visit(link="scores=1/sqrt(2),0,-1&pick=shifted:2")
    assert page.data("table")["symbols"] == "shifted[k3] = scaled − max = −1 − 0.7071 = −1.7071"
    page.edit("table", pick="exp:2")
    assert page.data("table")["symbols"] == "exp[k3] = exp(−1.7071) = 0.1814"
    page.edit("table", pick="weight:2")
    exp, total = page.column("exp")[2], page.foot()[3]
    assert page.data("table")["symbols"] == f"weight[k3] = exp / Σ exp = {exp} / {total} = 0.1083"


def test_a_picked_number_of_a_masked_key_and_in_the_limit_is_explained():
    page = Visit(link="hide=1&pick=weight:1&labels=the,cat,sat")
    assert page.data("table")["symbols"] == "weight[cat] = exp(−∞) / Σ = 0"
    assert "masked" in page.data("table")["words"]
    page.temperature("beta", "inf").edit("table", pick="scaled:0")
    assert page.data("table")["symbols"] == "β → ∞"


def test_a_pick_of_a_key_that_is_removed_goes_and_nothing_fails(page):
    page.edit("table", pick="weight:2").scores("2 1")
    assert page.data("table")["pick"] == ""
    assert page.link == {"scores": "2_1"}


# -- what stands below the bars -------------------------------------------------------------------


def test_entropy_effective_keys_and_checks_are_those_of_the_weights_on_screen(page):
    assert page.facts["Entropy"] == "0.8324 nats"  # golden.json
    assert page.facts["Effective keys"] == "2.2988"
    assert page.facts["Largest weight"] == "0.6652"
    page.temperature("beta", "0")
    assert page.facts["Entropy"] == "1.0986 nats"
    assert page.facts["Effective keys"] == "3"
    checks = [item["ok"] for item in page.data("facts")["items"] if "ok" in item]
    assert len(checks) == 3
    assert all(checks)
    assert page.facts["Smallest weight ≥ 0"] == "0.3333"


def test_an_underflowed_weight_says_so_and_a_tiny_one_keeps_its_size(page):
    page.scores("0 -40 -800")
    assert page.column("weight") == ["1", "4.248e−18", "0 (underflow)"]
    assert page.facts["Smallest weight ≥ 0"] == "0 (underflow)"


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_is_chosen_with_one_click_and_the_link_remembers_it(panel, page):
    parts = {
        "curves": "weight-curves",
        "entropy": "terms",
        "pair": "ratio",
        "moves": "moves",
        "naive": "naive",
        "rows": "rows",
        "export": "file",
    }
    page.set("panel", "rows").set("panel", panel)
    assert [name for name in PANELS if page.has(parts[name])] == [panel]
    assert page.link == ({} if panel == "curves" else {"panel": panel})
    assert Visit(link=urlencode(page.link)).has(parts[panel])


def test_the_entropy_is_worked_out_term_by_term(page):
    page.set("panel", "entropy").scores("2 1 0 -800", hide=[1])
    weights = by_hand([2, 0], 1)
    assert page.cells("terms") == [
        [f"{weights[0]:.4f}", "−0.1269", "0.1118"],
        ["0 (masked)", "masked", "0"],
        [f"{weights[1]:.4f}", "−2.1269", "0.2535"],
        ["0 (underflow)", "−∞", "0"],
    ]
    total = -sum(w * math.log(w) for w in weights)
    assert page.foot("terms") == ["", "", f"{total:.4f} nats"]
    assert page.facts["Entropy"] == f"{total:.4f} nats"
    lines = [item["value"] for item in page.data("meaning")["items"]]
    assert lines[0].startswith(f"Effective keys: e^{total:.4f} ≈ {math.exp(total):.4f}.")
    assert "at most ln 3 = 1.0986 nats, for 3 equal keys." in lines[1]
    assert lines[2].endswith(f"{total:.4f} / ln 2 ≈ {total / math.log(2):.4f}.")


def test_the_curves_pass_through_the_weights_and_the_dots_are_the_weights(page):
    page.temperature("beta", "2").scores("2 1 0", hide=[1])
    figure = page.figure("weight-curves")
    *curves, line, dots = figure["data"]
    assert [curve["name"] for curve in curves] == ["k1", "k3"]  # a masked key has no curve
    for point in (0, 10, 16, 20):
        x = float(curves[0]["x"][point])
        for curve, weight in zip(curves, by_hand([2, 0], x), strict=True):
            assert curve["y"][point] == pytest.approx(weight, rel=1e-5)
    assert (curves[0]["x"] < 1).any()
    assert (curves[0]["x"] > 3).any()
    assert list(line["x"]) == [2, 2]
    assert dots["y"].tolist() == drawn(by_hand([2, 0], 2))
    assert list(dots["text"]) == [page.column("weight")[0], page.column("weight")[2]]


def test_the_curve_of_the_entropy_has_its_dot_and_its_ceiling(page):
    curve, ceiling, line, dot = page.figure("entropy-curve")["data"]
    assert list(dot["y"]) == [pytest.approx(0.8323955818399389)]  # golden.json
    assert list(ceiling["y"]) == [pytest.approx(math.log(3))] * 2
    assert curve["y"][0] == pytest.approx(math.log(3), rel=1e-4)
    assert "0.8324 nats" in page.data("entropy-curve")["alt"]
    page.temperature("beta", "inf")
    curve, ceiling, line, dot = page.figure("entropy-curve")["data"]
    assert list(dot["y"]) == [0]
    assert list(dot["x"]) == [curve["x"][-1]] or line["text"][-1].endswith("→")


def test_two_keys_are_compared_by_the_gap_of_their_scores(page):
    page.set("panel", "pair")
    gap, ratio, measured = [item["value"] for item in page.data("ratio")["items"]]
    assert gap.endswith("Δ = 2 − 1 = 1")
    assert ratio.endswith("= e^(1) = 2.7183")
    assert measured.endswith("= 0.6652 / 0.2447 = 2.7183")
    page.set("pair-0", 2)
    gap, ratio, measured = [item["value"] for item in page.data("ratio")["items"]]
    assert gap.endswith("Δ = 0 − 1 = −1")
    assert ratio.endswith("= 0.3679")
    assert page.link == {"panel": "pair", "pair": "2_1"}
    page.set("pair-1", 2)
    assert page.data("ratio")["items"][0]["value"].endswith("= 0")
    assert page.link == {"panel": "pair", "pair": "2_2"}


@pytest.mark.parametrize("labels", [["the", "cat", "the"], ["", "cat", ""], ["", "a", "b"]])
def test_of_keys_with_the_same_label_each_can_be_chosen(labels, page):
    page.scores("3 1 0", labels=labels).set("panel", "pair")
    for box, other in (("pair-0", 1), ("pair-1", 0)):
        options = page.widget(box).options
        assert len(set(options)) == 3
        assert all(options)
        for position in (2, 0, 1):
            page.set(box, position)
            assert page.widget(box).value == position
            pair = page.link.get("pair", "0_1").split("_")
            assert pair[1 - other] == str(position)


def test_a_masked_key_and_the_limit_have_no_ratio(page):
    page.scores(hide=[1]).set("panel", "pair")
    assert [item["value"] for item in page.data("ratio")["items"]] == [
        "k2 is masked: there is no ratio."
    ]
    page.scores(hide=[]).temperature("beta", "inf")
    assert "there is no ratio" in page.data("ratio")["items"][0]["value"]


def test_a_constant_on_every_score_changes_nothing_and_a_factor_does(page):
    page.set("panel", "moves")
    assert page.column("added", "moves") == ["0.6652", "0.2447", "0.0900"]
    assert page.column("multiplied", "moves") == ["0.8668", "0.1173", "0.0159"]  # beta 2: golden
    page.set("add", "-5").set("times", "1/2")
    assert page.column("added", "moves") == ["0.6652", "0.2447", "0.0900"]
    assert page.column("multiplied", "moves") == ["0.5065", "0.3072", "0.1863"]  # beta 1/2: golden
    assert [head["text"] for head in page.data("moves")["head"][2:]] == [
        "score + (−5)",
        "score × 1/2",
    ]
    assert page.link == {"panel": "moves", "add": "-5", "times": "1/2"}
    page.set("times", "-1")
    assert page.column("multiplied", "moves") == ["0.0900", "0.2447", "0.6652"]
    change = page.foot("moves")
    assert as_number(change[1]) < 1e-12
    assert as_number(change[2]) == pytest.approx(DEFAULT[0] - DEFAULT[2], abs=0.005)


@pytest.mark.parametrize("name", ["add", "times"])
@pytest.mark.parametrize("typed", ["x", "1/0", "inf", "-inf"])
def test_a_constant_that_cannot_be_read_stays_in_its_box_and_is_not_used(name, typed, page):
    page.set("panel", "moves").set(name, typed)
    assert page.widget(name).value == typed
    assert len(page.errors) == 1
    assert not page.has("moves")
    assert page.link == {"panel": "moves"}
    page.set(name, "3")
    assert page.has("moves")
    assert page.link == {"panel": "moves", name: "3"}


def test_a_constant_that_takes_a_score_beyond_float64_is_not_shown_with_a_reason(page):
    page.scores("1e308 0").set("panel", "moves").set("times", "10")
    [warning] = page.warnings
    assert "too large for float64" in warning
    assert page.bars.tolist() == [1.0, 0.0]
    page.set("times", "1").set("add", "1e308")
    assert "too large for float64" in page.warnings[0]


def test_the_naive_formula_is_shown_as_it_fails_and_agrees_where_it_does_not(page):
    page.set("panel", "naive")
    assert page.column("naive", "naive") == page.column("stable", "naive")
    page.scores("0 -800 -800")
    assert page.column("exp", "naive") == ["1", "0 (underflow)", "0 (underflow)"]
    page.scores("-800 -800 -801")
    assert page.column("naive", "naive") == ["nan"] * 3  # 0 / 0
    assert page.column("stable", "naive") == ["0.4223", "0.4223", "0.1554"]
    page.temperature("beta", "inf")
    assert not page.has("naive")
    assert words.NO_NAIVE in [caption.value for caption in page.at.caption]


def test_every_query_sums_to_1_and_the_whole_matrix_to_their_number(page):
    page.scores("2 1 0", "0 0 3", "-inf 1 1").set("panel", "rows")
    assert page.cells("rows") == [
        ["0.6652", "0.2447", "0.0900", "1", "0.8324"],
        ["0.0453", "0.0453", "0.9094", "1", "0.3666"],
        ["masked", "0.5", "0.5", "1", "0.6931"],
    ]
    assert page.foot("rows") == ["", "", "", "3", ""]


# -- presets, reset, and what can be taken away ---------------------------------------------------


def golden_of(state):
    """Return the golden weights of a preset, or those of 2, 1, 0 and the like, by hand."""
    scores, beta = state.values[0], state.temperature.beta
    seen = [s if a else -INF for s, a in zip(scores, state.allowed, strict=True)]
    for example in GOLDEN["softmax"]:
        known = [number(score) for score in example["scores"]]
        if known == seen and example.get("beta", 1) == beta:
            return example["weights"]
    return by_hand(seen, beta)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_one_click_and_one_link_and_shows_its_golden_numbers(name):
    page = Visit(link="scores=9,9").set("presets", name)
    assert page.link == {"preset": name}
    for shown in (page, Visit(link=f"preset={name}")):
        golden = golden_of(PRESETS[name].state)
        assert shown.bars.tolist() == drawn(golden)
        on_screen = [as_number(text) for text in shown.column("weight")]
        assert on_screen == pytest.approx(golden, abs=5e-5)
        assert shown.widget("presets").value == name
        assert shown.warnings == []


def test_all_the_golden_rows_are_presets():
    rows = [golden_of(preset.state) for preset in PRESETS.values()]
    assert all(example["weights"] in rows for example in GOLDEN["softmax"])


def test_a_changed_preset_is_no_longer_marked_and_the_link_holds_the_change(page):
    page.set("presets", "beta-3").scores("2 1 1")
    assert page.widget("presets").value is None
    assert page.link == {"preset": "beta-3", "scores": "2_1_1"}
    assert Visit(link=urlencode(page.link)).bars.tolist() == page.bars.tolist()
    page.scores("2 1 0")
    assert page.widget("presets").value == "beta-3"
    assert page.link == {"preset": "beta-3"}


def test_no_two_presets_have_one_title():
    assert len({preset.title for preset in PRESETS.values()}) == len(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_runs_in_some_panels_and_both_views(name):
    page = Visit(link=f"preset={name}")
    first = list(PRESETS).index(name)  # of the panels three, other ones for each preset
    for panel in itertools.islice(itertools.cycle(PANELS), first, first + 3):
        assert page.set("panel", panel).warnings == []
        assert page.widget("panel").value == panel
    page = Visit(link=f"preset={name}&view=lecture&step=1")
    assert page.warnings == []
    assert not page.has("bars")


def test_reset_goes_back_to_what_the_link_opened_and_not_to_the_default():
    page = Visit(link="?scores=3,1,0&T=2&panel=rows&labels=a,b,c")
    before = page.data("matrix")["rev"]
    page.scores("9 9").temperature("T", "x").click("reset")
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0], 0.5))
    assert page.data("matrix")["labels"] == ["a", "b", "c"]
    assert page.data("matrix")["rev"] != before  # the editor takes the state over
    assert page.has("rows")
    assert page.link == {"scores": "3_1_0", "labels": "a_b_c", "T": "2", "panel": "rows"}


def test_reset_empties_boxes_with_bad_text_and_undoes_a_preset(page):
    page.set("compare", "hot").click("reset")
    assert page.widget("compare").value == "1"
    assert page.warnings == []
    page.set("presets", "beta-3").click("reset")
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.link == {}


def huge_rows(n=64):
    """Return scores whose digits no packing makes short enough for a link."""
    rng = np.random.default_rng(7)
    return [" ".join(map(repr, row)) for row in rng.random((n, n)).tolist()]


def test_a_state_too_large_for_a_link_says_so_and_its_file_opens_it(page):
    assert page.data("copy")["disabled"] is False
    rows = huge_rows()
    page.scores(*rows)
    assert page.data("copy")["disabled"] is True
    assert page.warnings == [words.OVERSIZE]
    assert page.link == {}  # the old link is left
    bars = page.bars.tolist()
    text = page.set("panel", "export").download("State as a file")
    page.click("reset")
    assert page.data("copy")["disabled"] is False
    page.set("panel", "export").set("file", ("state.txt", text.encode(), "text/plain"))
    assert page.bars.tolist() == bars
    assert page.data("matrix")["cells"] == [row.split() for row in rows]
    assert page.data("copy")["disabled"] is True


def test_the_file_of_a_state_opens_the_same_state_for_another_visitor(page):
    link = "?scores=1/sqrt(2)_-inf~2_1&labels=a~ub_c~cd&hide=0&row=1&beta=1/3&panel=export&add=7"
    text = Visit(link=link).download("State as a file")
    page.set("panel", "export").set("file", ("state.txt", text.encode(), "text/plain"))
    assert page.warnings == []
    assert page.bars.tolist() == Visit(link=link).bars.tolist()
    assert page.link == Visit(link=link).scores(hide=[0]).link


@pytest.mark.parametrize(
    "content", [b"", b"scores=1,2", b"\x89PNG\r\n\x1a\n\0", b"x" * 300_000, "é".encode("utf-16")]
)
def test_another_file_is_refused_with_a_sentence_and_the_state_stays(content, page):
    page.scores("3 1 0").set("panel", "export")
    page.set("file", ("a.txt", content, "text/plain"))
    [note] = page.warnings
    assert "nothing was read" in note
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0]))
    page.temperature("T", "2")
    assert page.warnings == []


def test_of_a_damaged_file_the_rest_is_opened_with_a_note(page):
    text = page.scores("3 1 0").set("panel", "export").download("State as a file")
    damaged = text.replace("panel=export", "panel=export&T=warm")
    page.click("reset").set("panel", "export").set(
        "file", ("a.txt", damaged.encode(), "text/plain")
    )
    assert page.bars.tolist() == drawn(by_hand([3, 1, 0]))
    assert [note.split()[0] for note in page.warnings] == ["T"]


def test_the_csv_holds_every_digit_of_every_query(page):
    page.scores("2 1 0", "1/3 -inf 0", labels=["=1+1", "a,b", "the"], hide=[2])
    page.set("panel", "export")
    header, *lines = csv.reader(io.StringIO(page.download("Table as CSV")))
    assert header == ["query", "key", "score", "scaled", "shifted", "exp", "weight", "masked"]
    assert [line[1] for line in lines[:3]] == ["'=1+1", "a,b", "the"]
    assert [float(line[6]) for line in lines[:3]] == page.bars.tolist()
    assert lines[3][2] == repr(1 / 3)
    assert [line[7] for line in lines] == ["no", "no", "yes", "no", "yes", "yes"]


SCRIPTS = {
    "the default": "",
    "the first example": "scores=1/sqrt(2),0,-1",
    "beta 3 as typed": "beta=3",
    "beta as a fraction": "beta=1/3",
    "T as a fraction": "T=1/3",
    "a usual temperature": "T=0.7&scores=0.4,2.1,1.3,-0.6,0.2,1.7,-1.2,0.9",
    "a masked key": "scores=3,-inf,1,-1",
    "a switched mask": "scores=3,1,1,-1&hide=1_3&T=1.5",
    "ties in the limit T to 0": "scores=2,2,1&beta=inf",
    "the limit T to infinity": "scores=5,-2,-inf&beta=0",
    "several queries": "scores=2_1_0~0_0.5_3~-1e3_1e3_0&row=2",
    "a query without a key": "scores=2_1~-inf_-inf~0_0",
    "an underflow": "scores=0,-40,-800",
    "huge scores": "scores=1e308,-1e308,1e308",
    "nasty labels": "scores=1,2,0&labels=%27%0Araise,%22,",
}


@pytest.fixture(scope="module")
def script_weights():
    """Run the NumPy text of every state in one process of its own; return its weights."""
    found = {}
    for name, link in SCRIPTS.items():
        page = Visit(link=f"{link}&panel=export")
        found[name] = page.at.code[0].value, page.bars.tolist(), page.link.get("row", "0")
    code = (
        "import json, sys, warnings\nwarnings.simplefilter('error')\nout = {}\n"
        "for name, text in json.load(sys.stdin).items():\n"
        "    names = {}\n    exec(compile(text, name, 'exec'), names)\n"
        "    out[name] = names['weights'].tolist()\n"
        "print('\\0' + json.dumps(out))\n"
    )
    process = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=json.dumps({name: text for name, (text, _, _) in found.items()}),
        capture_output=True, text=True, check=True, encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    weights = json.loads(process.stdout.rpartition("\0")[2])
    return {name: (weights[name][int(row)], bars) for name, (_, bars, row) in found.items()}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_numpy_text_on_the_page_computes_the_bars_to_the_last_digit(name, script_weights):
    computed, bars = script_weights[name]
    assert computed == bars


def test_the_latex_quotes_the_chosen_query_and_beta_as_typed(page):
    page.scores("9 9 9", "2 1 0", row=1).temperature("beta", "3").set("panel", "export")
    latex = page.at.code[1].value
    assert r"\beta = 3 \\" in latex
    assert repr(by_hand([2, 1, 0], 3)[1])[:15] in latex
    assert any("query 2" in element.value for element in page.at.markdown)


# -- labels that look like markup, and what a run costs -------------------------------------------

NASTY = [
    "$x$",
    ":red[hi]",
    ":smile:",
    "<s>",
    "<b>x</b>",
    "&lt;s&gt;",
    "![x](https://example.invalid/p.png)",
    "[x](javascript:alert(1))",
    "1.",
    "# h",
    "*",
    "_a_",
    "~~z~~",
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "%{y}",
    "{0}",
    "\\frac{a}{b}",
    "=1+1",
    "_",
    "~e",
    "",
    " ",
    " a",
    "a",
    "a",
    "\n",
    "\t",
    "2020-01-01",
    "1e5",
    "the 🐈 \u202e sat",
    "\ud83d",
    "x" * 200,
]


def markdown_of(page):
    """Return every text that Streamlit reads as Markdown."""
    kinds = ("markdown", "caption", "title", "header", "subheader", "info", "warning", "error")
    return " ".join(element.value for kind in kinds for element in page.at.get(kind))


def test_labels_that_look_like_markup_arrive_letter_for_letter_in_every_panel(page):
    plain = Visit()
    page.scores(" ".join("1" * len(NASTY)), labels=NASTY)
    expected = [label.replace("\ud83d", "\ufffd") for label in NASTY]
    for panel in PANELS:
        page.set("panel", panel)
        assert page.data("matrix")["labels"] == expected
        assert [row["label"] for row in page.data("table")["rows"]] == expected
        assert markdown_of(page) == markdown_of(plain.set("panel", panel))
    page.set("panel", "rows")
    heads = [head["text"] for head in page.data("rows")["head"][1:-2]]
    assert heads == [visible_label(label) for label in expected]
    opened = Visit(link=urlencode(page.link))
    assert opened.data("matrix")["labels"] == expected
    assert opened.warnings == []


def test_labels_that_look_like_markup_are_quoted_letter_for_letter_in_sentences(page):
    page.scores(" ".join("1" * len(NASTY)), labels=NASTY, hide=[0, 1]).set("panel", "pair")
    assert (
        page.data("ratio")["items"][0]["value"] == "$x$ and :red[hi] are masked: there is no ratio."
    )
    for key in range(2, len(NASTY) - 1, 3):
        page.edit("table", pick=f"weight:{key}")
        label = page.data("matrix")["labels"][key]
        seen = visible_label(label)
        quoted = seen if len(seen) <= 24 else seen[:23] + "…"
        assert page.data("table")["symbols"].startswith(f"weight[{quoted}] = ")
    assert f"{NASTY[3]} 0." in page.data("bars")["alt"]


@pytest.mark.parametrize("panel", PANELS)
def test_a_run_with_three_keys_sends_less_than_12_kB_in_few_elements(panel, page):
    page.set("panel", panel)
    assert page.size < 12_000
    assert len(list(page.elements)) < 40


# -- the lecture view -----------------------------------------------------------------------------


def test_a_lecture_is_stepped_through_with_two_buttons_and_hides_what_comes(page):
    page.click("view-switch")
    assert page.link == {"view": "lecture", "step": "1"}
    assert not page.has("bars")
    assert page.column("score") == ["2", "1", "0"]
    for name in ("scaled", "shifted", "exp", "weight"):
        assert page.column(name) == ["?"] * 3
        page.click("step-Next")
        assert "?" not in page.column(name)
    assert page.bars.tolist() == drawn(DEFAULT)
    assert page.link == {"view": "lecture"}
    page.click("step-Back")
    assert not page.has("bars")
    assert page.link == {"view": "lecture", "step": "4"}
    page.click("view-switch")
    assert page.link == {}
    assert page.has("bars")


def test_before_the_last_step_nothing_on_the_page_gives_the_weights_away():
    page = Visit(link="?scores=1/sqrt(2),0,-1&step=2&pick=weight:0")
    assert "0.5972" not in page.everything
    page.click("step-Next").click("step-Next").click("step-Next")
    assert "0.5972" in page.data("table")["symbols"]
    assert "0.5972" in page.everything


def test_an_emptied_box_gets_its_last_good_text_back(page):
    page.set("panel", "moves").set("add", "x")
    assert len(page.errors) == 1
    page.set("add", "")
    assert page.widget("add").value == "100"
    assert page.errors == []
    assert page.has("moves")
    page.temperature("T", "abc").temperature("T", "")
    assert page.data("temperature")["T"] == "1"
    assert "error" not in page.data("temperature")
    assert page.bars.tolist() == drawn(DEFAULT)


def test_a_preset_keeps_the_lecture_view():
    page = Visit(link="?view=lecture")
    page.set("presets", "dominating")
    assert page.link == {"view": "lecture", "preset": "dominating", "step": "1"}
    page.click("step-Next")
    assert page.widget("presets").value == "dominating"
    page.scores("9 1")
    assert page.widget("presets").value is None
