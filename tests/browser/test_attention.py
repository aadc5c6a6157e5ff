"""The attention page in a browser: links, keyboard and mouse in the stages, pasting, downloads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from attnviz.content.attention import random_state
from attnviz.exports.attention import read_json, read_table_csv
from attnviz.state.attention import PIPELINE
from attnviz.state.links import write_list
from tests.browser.conftest import PATIENCE, Screen
from tests.browser.test_access import CONTRASTS, nameless, too_wide
from tests.browser.test_softmax import NASTY, saved

WORKED = "/attention?q=1,0&k=1,0;0,1&v=2,0;0,2"
LONG = 60_000  # ms until a head of 64 × 64 must be there on a busy machine
GRIDS = "t => [...t.tBodies[0].rows].map(r => [...r.cells].slice(1).map(c => c.textContent))"
HEADS = (
    "t => [[...t.tBodies[0].rows].map(r => r.cells[0].textContent),"
    " [...t.tHead.rows[0].cells].slice(1).map(c => c.textContent)]"
)
expect.set_options(timeout=PATIENCE * 1000)  # a machine may be busy


class Head(Screen):
    """What a person sees and does on the attention page."""

    def ready(self) -> Head:
        """Wait until the stages are drawn, or a sentence in their place."""
        self.page.locator(".av-stage td[data-at], .av-facts[role=alert]").first.wait_for()
        return self

    def open(self, path: str = "/attention", **params: str) -> Head:
        """Open an address, its parameters escaped; wait for the stages."""
        super().open(path, **params)
        return self

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen.page, screen.base)
        self.stages = self.page.locator(".av-pipeline").first.locator(".av-stage table")
        self.steps = self.page.locator(".av-steps table")

    def editor(self, name: str) -> Locator:
        """Return the editor of Q, K or V."""
        grid = self.page.get_by_role("grid", name=re.compile(rf" {name}, \("))
        return self.page.locator(".av-matrix").filter(has=grid)

    def matrix(self, name: str) -> list[str]:
        """Return the texts in the cells of an editor."""
        cells = self.editor(name).locator(".av-cell")
        return cells.evaluate_all("cells => cells.map(cell => cell.value)")

    def stage(self, name: str) -> Locator:
        """Return a stage of a small head."""
        return self.stages.nth(PIPELINE.index(name))

    def cell(self, name: str, at: str) -> Locator:
        """Return a cell or a label (``1:*``, ``*:0``) of a stage."""
        return self.stage(name).locator(f"[data-at='{at}']")

    def texts(self, name: str) -> list[list[str]]:
        """Return the texts in the cells of a stage."""
        return self.stage(name).evaluate(GRIDS)

    def labels_of(self, name: str) -> list[list[str]]:
        """Return the labels of the rows and of the columns of a stage."""
        return self.stage(name).evaluate(HEADS)

    def captioned(self, caption: str) -> Locator:
        """Return a table by the beginning of its caption."""
        return self.steps.filter(has=self.page.locator("caption", has_text=caption))

    def foot(self, caption: str) -> list[str]:
        """Return the last line of a table."""
        read = "t => [...t.tFoot.rows[0].cells].map(c => c.textContent)"
        return self.captioned(caption).evaluate(read)

    def computes(self, weights: list[list[str]], output: list[list[str]]) -> None:
        """Wait until the stages show these weights and this output, letter for letter."""
        self.until(lambda: self.texts("weights"), weights)
        self.until(lambda: self.texts("output"), output)

    def at(self) -> str:
        """Return the name of what has the focus, without its class."""
        read = "({ ariaLabel, innerText }) => (ariaLabel ?? innerText).trim()"
        return self.page.evaluate(f"({read})(document.activeElement)")

    def type_into(self, name: str, at: str, text: str) -> None:
        """Replace the text of a cell of a matrix and leave it, with the keyboard."""
        self.editor(name).locator(f"[data-at='{at}']").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def paste_text(self, name: str, text: str) -> None:
        """Paste a matrix as one text and read it."""
        editor = self.editor(name)
        if editor.get_by_role("button", name="as text").is_visible():
            editor.get_by_role("button", name="as text").click()
        self.paste(editor.locator("textarea"), text)
        self.page.keyboard.press("Enter")


@pytest.fixture
def head(screen: Screen) -> Head:
    return Head(screen)


# -- links ----------------------------------------------------------------------------------------


def test_a_link_shows_the_worked_example_in_words_that_can_be_selected(head: Head) -> None:
    head.open(WORKED).computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    assert head.texts("scaled") == [["0.707", "0"]]
    head.until(lambda: head.foot("Output of q1"), ["output", "1", "1.3395", "0.6605"])
    assert [row[-1] for row in head.rows(head.captioned("Query q1"))] == ["0.6698", "0.3302"]
    head.until(head.bar_texts, ["0.6698", "0.3302"])
    assert head.bar_heights() == pytest.approx([0.6698, 0.3302], abs=0.003)
    head.links_to(q="1,0", k="1,0;0,1", v="2,0;0,2")


def test_the_causal_variant_opens_by_link_and_by_its_preset(head: Head) -> None:
    head.open(WORKED + "&mask=causal&align=top-left").computes([["1", "0"]], [["2", "0"]])
    assert head.texts("masked") == [["0.707", "masked"]]
    expect(head.cell("masked", "0:1")).to_have_class("av-masked")
    expect(head.page.get_by_text("1 of 2 cells hidden.")).to_be_visible()
    head.open(q="3_1").page.get_by_role("button", name="Presets").click()
    head.page.get_by_text("Worked example, causal").click()
    head.links_to(preset="worked-example-causal")
    head.computes([["1", "0"]], [["2", "0"]])
    head.until(lambda: head.foot("Output of q1"), ["output", "1", "2", "0"])


def test_a_damaged_link_names_its_part_and_shows_the_default(head: Head) -> None:
    head.open("/attention?q=1,x&T=-1").computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    expect(head.warnings).to_contain_text("q in the link: ")
    expect(head.warnings).to_contain_text("'x'")
    expect(head.warnings).to_contain_text("T in the link: ")


# -- the keyboard alone ---------------------------------------------------------------------------


def tab_to(head: Head, wanted: str) -> None:
    """Press Tab until something has the focus with this name."""
    passed = []
    while wanted != (focused := head.at()):
        passed.append(focused)
        assert len(passed) < 60, passed
        head.page.keyboard.press("Tab")


def test_cells_queries_and_the_mask_are_reached_and_changed_with_the_keyboard_alone(
    head: Head,
) -> None:
    head.open(q="1_0~0_1").computes([["0.670", "0.330"], ["0.330", "0.670"]],
                                    [["1.340", "0.660"], ["0.660", "1.340"]])  # fmt: skip
    press, typed = head.page.keyboard.press, head.page.keyboard.type
    tab_to(head, "Q, q1, column 1")
    typed("3")
    press("ArrowDown")
    assert head.at() == "Q, q2, column 1"
    press("ArrowRight")
    assert head.at() == "Q, q2, column 2"
    typed("2")
    press("Tab")
    head.links_to(q="3_0~0_2")
    head.computes([["0.893", "0.107"], ["0.196", "0.804"]],
                  [["1.786", "0.214"], ["0.391", "1.609"]])  # fmt: skip

    tab_to(head, "q1, k1: 3")  # the first cell of the scores
    press("ArrowRight")
    assert head.at() == "q1, k2: 0"
    press("Enter")
    head.links_to(q="3_0~0_2", cell="0:1")
    product = [["1", "3", "0", "0"], ["2", "0", "1", "0"]]
    head.until(lambda: head.rows(head.captioned("Score of q1 for k2")), product)
    for key in ("ArrowDown", "ArrowLeft", "ArrowLeft"):
        press(key)
    assert head.at() == "q2"
    press("Enter")
    head.links_to(q="3_0~0_2", row="1")
    expect(head.captioned("Query q2, step by step")).to_be_visible()
    expect(head.cell("output", "1:0")).to_have_attribute("aria-selected", "true")
    expect(head.cell("output", "0:0")).to_have_attribute("aria-selected", "false")

    tab_to(head, "q1, k1: 2.121")  # scaled
    press("Tab")  # masked
    press("ArrowRight")
    assert head.at() == "q1, k2: 0"
    press("Space")
    head.links_to(q="3_0~0_2", row="1", hide="0:1")
    head.until(lambda: head.at(), "q1, k2: masked")
    head.until(lambda: head.texts("weights")[0], ["1", "0"])
    press("Space")
    head.links_to(q="3_0~0_2", row="1")
    head.until(lambda: head.texts("masked"), [["2.121", "0"], ["0", "1.414"]])


def test_labels_of_queries_and_keys_are_typed_with_the_keyboard_alone(head: Head) -> None:
    head.open()
    tab_to(head, "Q, q1, column 1")
    head.page.keyboard.press("ArrowLeft")
    assert head.at() == "Label of query 1"
    head.page.keyboard.type("veo")
    head.page.keyboard.press("ArrowRight")
    assert head.at() == "Q, veo, column 1"
    head.links_to(tokens="veo")


def test_enter_takes_over_the_last_row_too_where_no_cell_is_below(head: Head) -> None:
    head.open().until(lambda: head.texts("scores"), [["1", "0"]])
    head.editor("Q").locator("[data-at='0:0']").click()
    head.page.keyboard.type("1/4")
    head.page.keyboard.press("Enter")
    head.links_to(q="1/4_0")
    head.until(lambda: head.texts("scores"), [["0.25", "0"]])


def test_a_key_and_a_column_are_removed_with_the_keyboard_alone(head: Head) -> None:
    head.open().computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    tab_to(head, "K, k1, column 1")
    for key, name in (("ArrowDown", "K, k2, column 1"), ("ArrowLeft", "Remove key 2")):
        head.page.keyboard.press(key)
        assert head.at() == name
    head.page.keyboard.press("Enter")
    head.computes([["1"]], [["2", "0"]])
    assert head.at() == "K, k1, column 1"
    for key, name in (("ArrowRight", "K, k1, column 2"), ("ArrowUp", "Remove column 2")):
        head.page.keyboard.press(key)
        assert head.at() == name
    head.page.keyboard.press("Space")
    head.until(lambda: (head.matrix("Q"), head.matrix("K")), (["1"], ["1"]))


def test_everything_one_can_use_has_a_name_and_every_matrix_is_a_grid(head: Head) -> None:
    head.open(preset="all-masked-row", cell="1:1")
    head.page.locator(".av-plot, .av-steps").first.wait_for()
    assert nameless(head) == []
    grids = head.page.get_by_role("grid").all()
    names = [grid.get_attribute("aria-label") for grid in grids]
    assert names[:3] == ["Queries Q, (3, 2)", "Keys K, (3, 2)", "Values V, (3, 2)"]
    assert names[3:] == [
        *("Scores QKᵀ", "Scaled QKᵀ/√d_k = QKᵀ · 0.7071", "Masked", "Weights A", "Values V"),
        "Output O = A V",
    ]
    assert head.cell("masked", "0:2").get_attribute("aria-label") == "[PAD], purr: masked"


# -- choosing and toggling ------------------------------------------------------------------------


def test_a_click_chooses_a_query_or_a_dot_product_and_the_next_releases_it(head: Head) -> None:
    head.open(q="1_2~3_4", k="5_6~7_8", v="1~2").until(
        lambda: head.texts("scores")[1], ["39", "53"]
    )
    head.cell("scores", "1:0").click()
    head.until(lambda: head.foot("Score of q2 for k1"), ["sum", "", "", "39"])
    head.links_to(q="1_2~3_4", k="5_6~7_8", v="1~2", row="1", cell="1:0")
    for name, at in (("scores", "1:0"), ("weights", "1:0"), ("values", "0:0")):
        expect(head.cell(name, at)).to_have_attribute("data-mark", "on")
    head.cell("weights", "1:0").click()
    expect(head.captioned("Score of q2")).to_have_count(0)
    head.cell("output", "1:0").click()
    head.links_to(q="1_2~3_4", k="5_6~7_8", v="1~2", row="none")
    expect(head.steps.filter(has_text="step by step")).to_have_count(0)
    expect(head.page.locator(".av-stage [aria-selected=true]")).to_have_count(0)
    head.cell("scaled", "1:*").click()
    expect(head.captioned("Query q2, step by step")).to_be_visible()
    head.cell("values", "1:0").click()  # a value belongs to every query
    head.cell("weights", "0:*").click()
    expect(head.captioned("Query q1, step by step")).to_be_visible()
    head.cell("scores", "0:1").hover()
    expect(head.cell("scores", "0:1")).to_have_attribute("title", "q1, k2: 23")


def click_bar(head: Head, plot: Locator, place: int, x: float, y: float) -> None:
    """Click a bar, at parts of the width and the height of the axes."""
    axes = plot.locator(".nsewdrag")
    axes.scroll_into_view_if_needed()
    box = axes.bounding_box()
    head.page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
    plot.locator(".hovertext", has_text=f"position {place}").wait_for()
    head.page.mouse.down()
    head.page.mouse.up()


def test_a_bar_chooses_its_query_or_the_dot_product_behind_it(head: Head) -> None:
    head.open(q="1_2~3_4", k="5_6~7_8~0_1", v="1~2~3", hide="0:0_0:1")
    head.until(head.bar_texts, ["masked", "masked", "1"])
    for key, score in ((1, "23"), (0, "17"), (2, "2")):  # a masked key has a score too
        click_bar(head, head.bars, key, (2 * key + 1) / 6, 0.95)
        head.until(lambda key=key: head.link().get("cell"), f"0:{key}")
        expect(head.captioned(f"Score of q1 for k{key + 1}").locator("tfoot")).to_contain_text(
            score
        )
    click_bar(head, head.page.locator(".av-plot").last, 1, 0.01, 0.75)
    head.until(lambda: head.link().get("row"), "1")


def test_with_columns_as_queries_a_click_chooses_the_same_query(head: Head) -> None:
    head.open(q="1_2~3_4", k="5_6~7_8~0_1", v="1~2~3", orient="columns")
    head.until(lambda: head.texts("scores"), [["17", "39"], ["23", "53"], ["2", "4"]])
    head.cell("scores", "2:1").click()
    head.until(lambda: head.link().get("cell"), "1:2")
    expect(head.captioned("Score of q2 for k3")).to_be_visible()
    head.cell("masked", "0:1").click()
    head.until(lambda: head.link().get("hide"), "1:0")
    column = ["masked", "37.477", "2.828"]
    head.until(lambda: [row[1] for row in head.texts("masked")], column)


def test_toggled_cells_survive_a_reload_and_back_takes_them_back(head: Head) -> None:
    head.open(preset="random-0", mask="causal").until(lambda: head.texts("masked")[0][1], "masked")
    seen = [head.texts("weights")]
    for at, part in (("0:1", {"show": "0:1"}), ("3:0", {"show": "0:1", "hide": "3:0"})):
        head.cell("masked", at).click()
        head.links_to(preset="random-0", mask="causal", **part)
        head.until(lambda: head.texts("weights") != seen[-1], True)
        seen.append(head.texts("weights"))
    assert head.texts("weights")[3][0] == "0"
    head.page.reload()
    head.ready().until(lambda: head.texts("weights"), seen[2])
    expect(head.cell("masked", "3:0")).to_have_class("av-masked")
    expect(head.page.get_by_text("6 of 16 cells hidden.")).to_be_visible()
    for weights in (seen[1], seen[0]):
        head.page.evaluate("history.back()")
        head.until(lambda: head.texts("weights"), weights)
    head.links_to(preset="random-0", mask="causal")
    head.page.evaluate("history.forward()")
    head.until(lambda: head.texts("weights"), seen[1])


def test_cells_clicked_faster_than_they_are_computed_are_all_toggled(head: Head) -> None:
    head.open(preset="random-0").until(lambda: len(head.texts("masked")), 4)
    clicked = ["0:3", "1:3", "2:3", "3:3", "3:2", "3:3"]
    click = "(t, all) => all.forEach((at) => t.querySelector(`[data-at='${at}']`).click())"
    head.stage("masked").evaluate(click, clicked)
    head.links_to(preset="random-0", hide="0:3_1:3_2:3_3:2")

    def hidden() -> list[list[int]]:
        rows = [[text == "masked" for text in row] for row in head.texts("masked")]
        return np.argwhere(rows).tolist()

    head.until(hidden, [[0, 3], [1, 3], [2, 3], [3, 2]])


def test_a_row_that_is_wholly_hidden_says_so_and_gets_what_is_chosen(head: Head) -> None:
    head.open(q="1_0~0_1").until(lambda: len(head.texts("masked")), 2)
    for at in ("1:0", "1:1"):
        head.cell("masked", at).click()
        expect(head.cell("masked", at)).to_have_class("av-masked")
    expect(head.warnings).to_contain_text("Query “q2” has no allowed key")
    head.computes([["0.670", "0.330"], ["0", "0"]], [["1.340", "0.660"], ["0", "0"]])
    head.choose_panel("uniform")
    head.computes([["0.670", "0.330"], ["0.5", "0.5"]], [["1.340", "0.660"], ["1", "1"]])
    head.choose_panel("Fully masked rows")
    policies = head.steps.filter(has_text="−1e9 instead of −∞")
    expect(policies).to_contain_text("[0.330, 0.670]")
    head.cell("masked", "1:1").click()
    expect(head.warnings).to_have_count(0)


# -- typing and pasting ---------------------------------------------------------------------------


def test_a_number_typed_fast_arrives_whole_and_paints_on_its_way(head: Head) -> None:
    head.open().until(lambda: head.texts("scores"), [["1", "0"]])
    head.editor("Q").locator("[data-at='0:0']").click()
    head.page.keyboard.type("2.75")
    head.until(lambda: head.texts("scores"), [["2.75", "0"]])
    assert (head.at(), head.link()) == ("Q, q1, column 1", {})
    head.page.keyboard.press("Tab")
    head.links_to(q="2.75_0")


def test_a_block_from_a_spreadsheet_is_pasted_into_Q(head: Head) -> None:
    head.open().computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    head.paste(head.editor("Q").locator("[data-at='0:0']"), "1\t0\r\n0,5\t1/2\r\n-1\t3\r\n")
    head.until(lambda: head.matrix("Q"), ["1", "0", "0.5", "1/2", "-1", "3"])
    head.links_to(q="1_0~0.5_1/2~-1_3")
    head.computes([["0.670", "0.330"], ["0.5", "0.5"], ["0.056", "0.944"]],
                  [["1.340", "0.660"], ["1", "1"], ["0.112", "1.888"]])  # fmt: skip
    assert head.labels_of("weights") == [["q1", "q2", "q3"], ["k1", "k2"]]
    head.paste(head.editor("K").locator("[data-at='0:0']"), "the\t1\t0\r\ncat\t0\t1\r\n")
    head.until(lambda: head.labels_of("weights"), [["q1", "q2", "q3"], ["the", "cat"]])


def test_a_block_that_does_not_fit_is_a_question_with_ways_out(head: Head) -> None:
    head.open().computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    head.paste(head.editor("Q").locator("[data-at='0:0']"), "1\t2\t3\r\n4\t5\t6\r\n")
    expect(head.errors.first).to_contain_text("Q is (2, 3), K is (2, 2)")
    expect(head.page.locator(".av-stage")).to_have_count(0)
    expect(head.editor("Q").locator("textarea")).to_be_visible()
    head.page.get_by_role("button", name="Make K fit").click()
    head.until(lambda: head.matrix("K"), ["1", "0", "0", "0", "1", "0"])
    head.until(lambda: head.texts("scores"), [["1", "2"], ["4", "5"]])
    head.page.evaluate("history.back()")
    head.computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    assert head.matrix("Q") == ["1", "0"]


def test_a_cell_that_cannot_be_read_keeps_its_text_and_draws_nothing(head: Head) -> None:
    head.open().computes([["0.670", "0.330"]], [["1.340", "0.660"]])
    head.type_into("K", "1:0", "1.2.3")
    expect(head.editor("K").locator(".av-error")).to_contain_text("K, row 2, column 1: ")
    expect(head.page.locator(".av-stage, .av-plot, .av-steps")).to_have_count(0)
    bad = head.editor("K").locator("[data-at='1:0']")
    expect(bad).to_have_value("1.2.3")
    expect(bad).to_have_attribute("aria-invalid", "true")
    head.type_into("Q", "0:0", "3")
    expect(bad).to_have_value("1.2.3")
    head.type_into("K", "1:0", "1/3")
    head.until(lambda: head.texts("scores"), [["3", "1"]])
    head.links_to(q="3_0", k="1_0~1/3_1")


def test_queries_and_keys_come_and_go_with_buttons(head: Head) -> None:
    head.open(hide="0:0").computes([["0", "1"]], [["0", "2"]])
    head.editor("V").get_by_role("button", name="+ key").click()
    head.until(lambda: head.matrix("K"), ["1", "0", "0", "1", "0", "0"])
    assert head.at() == "V, k3, column 1"
    head.page.keyboard.type("7")
    head.page.keyboard.press("Tab")
    head.computes([["0", "0.5", "0.5"]], [["3.5", "1"]])
    head.editor("K").get_by_role("button", name="Remove key 1", exact=True).click()
    head.computes([["0.5", "0.5"]], [["3.5", "1"]])
    assert head.labels_of("weights") == [["q1"], ["k1", "k2"]]
    head.links_to(k="0_1~0_0", v="0_2~7_0")


def test_two_visitors_of_the_identity_preset_do_not_see_each_other(tab, visitor) -> None:
    first, second = Head(tab()), Head(visitor(viewport={"width": 1440, "height": 900}))
    unit = "100010001"
    for one in (first, second):
        one.open(preset="identity").until(lambda one=one: len(one.texts("weights")), 3)
    first.type_into("K", "0:1", "7")
    first.links_to(preset="identity", k="1_7_0~0_1_0~0_0_1")
    second.type_into("V", "2:0", "5")
    second.links_to(preset="identity", v="1_0_0~0_1_0~5_0_1")
    read: Callable[[Head], list[str]] = lambda one: ["".join(one.matrix(n)) for n in "QKV"]  # noqa: E731
    assert read(first) == [unit, "170010001", unit]
    assert read(second) == [unit, unit, "100010501"]
    first.until(lambda: first.texts("scores")[1], ["7", "1", "0"])
    second.until(lambda: second.texts("scores")[1], ["0", "1", "0"])
    assert read(Head(tab()).open(preset="identity")) == [unit] * 3


def test_64_by_64_random_numbers_are_pasted_drawn_and_edited(head: Head) -> None:
    state = random_state(4, 64, 64, 64, 64)
    text = {n: "\n".join("\t".join(c.text for c in r) for r in getattr(state, n)) for n in "qk"}
    head.page.set_default_timeout(LONG)
    head.open(edit="q", q="1_0~" * 11 + "1_0").paste_text("Q", text["q"])
    head.page.get_by_role("button", name="Make K fit").click()
    cells = head.stages.first.locator("td[data-at]")
    expect(cells).to_have_count(64 * 2, timeout=LONG)
    head.choose_panel("K")
    head.editor("K").locator("textarea").wait_for()
    head.paste_text("K", text["k"])
    head.page.get_by_role("button", name="Make Q and V fit").click()
    expect(cells).to_have_count(64 * 64, timeout=LONG)
    q, k = (np.array([[c.value for c in row] for row in m]) for m in (state.q, state.k))

    def weight(row: int, column: int) -> float:
        label = head.stages.first.locator(f"[data-at='{row}:{column}']").get_attribute("aria-label")
        return float(label.partition(": ")[2].replace("−", "-"))

    def weights_of(row: int) -> np.ndarray:
        exps = np.exp((q @ k.T / 8)[row] - (q @ k.T / 8)[row].max())
        return exps / exps.sum()

    assert weight(63, 5) == pytest.approx(weights_of(63)[5], abs=6e-4)
    assert head.stages.first.evaluate("t => t.className") == "av-small av-tiny"
    k[5, 0] = 20.0
    head.type_into("K", "5:0", "20")
    head.until(lambda: weight(63, 5), pytest.approx(weights_of(63)[5], abs=6e-4), LONG / 1000)
    assert weight(0, 5) == pytest.approx(weights_of(0)[5], abs=6e-4)
    colour = "t => getComputedStyle(t.querySelector(\"[data-at='63:5']\")).backgroundColor"
    assert head.stages.first.evaluate(colour).startswith("rgb(")


def test_every_row_of_a_tall_matrix_is_reached_with_its_numbers_whole(head: Head) -> None:
    rows = [[f"-0.{1234567 + 9 * i + j}" for j in range(14)] for i in range(40)]
    head.open(q="1", k="~".join(["1"] * 40), v="~".join(["2"] * 40), edit="v")
    head.paste_text("V", "\n".join("\t".join(row) for row in rows))
    head.until(lambda: head.matrix("V"), [cell for row in rows for cell in row])
    cells = head.editor("V").locator(".av-cell")
    for cell in (cells.first, cells.last):
        cell.focus()
        expect(cell).to_be_in_viewport()
        assert cell.evaluate("cell => cell.scrollWidth - cell.clientWidth") <= 0
    for _ in range(39):
        head.page.keyboard.press("ArrowUp")
    expect(cells.nth(13)).to_be_focused()
    expect(cells.nth(13)).to_be_in_viewport()
    assert head.editor("V").bounding_box()["height"] > 40 * 28


# -- labels that other programs would interpret ---------------------------------------------------


@pytest.mark.parametrize("first", range(0, len(NASTY), 16))
def test_labels_are_shown_letter_for_letter(head: Head, first: int) -> None:
    labels = NASTY[first : first + 16]
    n, seen = len(labels), [label or "∅" for label in labels]
    ones = "~".join("1" * n)
    given = {"q": ones, "k": ones, "v": ones, "tokens": write_list(labels)}
    head.open(**given, cell="1:2", hide=f"{n - 1}:0", edit="q")
    head.until(lambda: head.labels_of("weights"), [seen, seen])
    assert head.labels_of("values")[0] == head.labels_of("output")[0] == seen
    names = head.editor("Q").locator(".av-name")
    assert names.evaluate_all("all => all.map(one => one.value)") == labels
    for at, label in enumerate(labels):
        cell = head.cell("scores", f"{at}:0")
        assert cell.get_attribute("aria-label") == f"{seen[at]}, {seen[0]}: 1"
        assert head.cell("scores", f"{at}:*").get_attribute("title") == label
    expect(head.steps.locator("caption").first).to_have_text(
        f"Score of {short(seen[1])} for {short(seen[2])}: the dot product q · k"
    )
    gathered = head.captioned("Output of ")
    assert [row[0] for row in head.rows(gathered)] == seen
    entropies = head.steps.last
    assert [row[0] for row in head.rows(entropies)] == seen
    head.choose_panel("Who is looked at")
    received = head.page.locator(".av-plot > [role=img]").last
    expect(received).to_have_attribute("aria-label", re.compile("^What each key receives: "))
    assert f"{short(seen[0])} " in received.get_attribute("aria-label")
    assert head.page.locator("img[src=x], img[src*=invalid]").count() == 0


def short(label: str) -> str:
    """Return a label as sentences have it, without the blanks that a browser leaves out."""
    return " ".join((label if len(label) <= 24 else label[:23] + "…").split())


def test_a_label_that_is_typed_is_shown_letter_for_letter(head: Head) -> None:
    head.open().until(lambda: head.labels_of("weights"), [["q1"], ["k1", "k2"]])
    label = "<img src=x onerror=alert(1)>"
    head.page.get_by_label("Label of query 1").fill(label)
    head.page.get_by_label("Label of query 1").press("Enter")
    head.until(lambda: head.labels_of("weights")[0], [label])
    head.links_to(tokens=label)
    head.cell("masked", "0:0").click()
    head.cell("masked", "0:1").click()
    expect(head.warnings).to_contain_text(f"Query “{short(label)}” has no allowed key")
    expect(head.page.locator("img[src=x]")).to_have_count(0)


# -- screens --------------------------------------------------------------------------------------

STATES = {
    "the worked example": {},
    "a dot product": {"preset": "random-0", "cell": "1:2", "mask": "causal"},
    "many tokens": {"preset": "minilm-it-animal"},
    "a wide matrix open": {"preset": "saturated", "edit": "q"},
    "long labels": {"tokens": "m" * 60, "keys": f"{'internationalisation' * 3}_k2"},
    "policies": {"preset": "all-masked-row"},
    "take away": {"panel": "export"},
}


def test_a_phone_has_nothing_that_is_wider_than_its_window(visitor) -> None:
    phone = {"is_mobile": True, "has_touch": True, "device_scale_factor": 2}
    head = Head(visitor(viewport={"width": 390, "height": 844}, **phone))
    for name, params in STATES.items():
        head.open(**params).page.locator(".av-plot .point, .av-steps table").first.wait_for()
        assert (name, too_wide(head)) == (name, [])
        edges = head.page.locator(".av-stage, .av-stage .av-scroll").evaluate_all(
            "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
        )
        assert (name, edges <= 391) == (name, True)
    head.open(preset="random-0").cell("masked", "1:2").tap()
    head.links_to(preset="random-0", hide="1:2")


STAGE_TEXTS = CONTRASTS.replace(".av-steps *", ".av-steps *, .av-pipeline *")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(head: Head, scheme: str) -> None:
    assert STAGE_TEXTS != CONTRASTS
    head.page.emulate_media(color_scheme=scheme)
    for preset in ("random-0", "all-masked-row", "lookup", "smollm2-induction"):
        head.open(preset=preset, cell="1:1").until(lambda: len(head.texts("output")) > 1, True)
        head.page.locator(".av-steps table").first.wait_for()
        found = head.page.evaluate(STAGE_TEXTS)
        assert len(found) > 100
        assert [(words, kind, ratio) for words, kind, ratio in found if ratio < 4.5] == []
        paper = head.page.evaluate(
            "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
        )
        assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[scheme]


STRIPES = """cell => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const light = (...layers) => {
    for (const colour of layers) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  };
  const style = getComputedStyle(cell);
  const paper = getComputedStyle(document.querySelector('.stApp')).backgroundColor;
  const stripe = style.backgroundImage.match(/(color|rgba?)\\([^)]*\\)(?= 4px)/g).at(-1);
  const [a, b] = [light(paper, style.color), light(paper, stripe)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_word_masked_stands_out_from_the_stripes_of_its_cell(head: Head, scheme: str) -> None:
    head.page.emulate_media(color_scheme=scheme)
    head.open(hide="0:1").until(lambda: head.texts("masked"), [["0.707", "masked"]])
    assert head.cell("masked", "0:1").evaluate(STRIPES) >= 4.5


# -- what can be taken away -----------------------------------------------------------------------


def test_a_head_is_saved_in_files_that_read_back_and_as_a_picture(head: Head) -> None:
    head.open(preset="random-0", mask="causal", tokens="=the_cat_saw_<s>", panel="export")
    state = random_state(0)
    weights = read_json(Path(saved_as(head, "JSON")).read_text("utf-8")).steps.weights
    shown = head.texts("weights")
    assert shown[3] == [f"{weight:.3f}" for weight in weights[3]]

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} isn't JSON")

    text = Path(saved_as(head, "JSON")).read_text("utf-8")
    assert json.loads(text, parse_constant=refuse)["tokens"] == ["=the", "cat", "saw", "<s>"]
    with np.load(saved_as(head, "NPZ"), allow_pickle=False) as file:
        assert file["weights"].tolist() == weights.tolist()
        assert file["q"].tolist() == [[cell.value for cell in row] for row in state.q]
    table = read_table_csv(Path(saved_as(head, "Weights as CSV")).read_text("utf-8"))
    assert list(table.weight) == weights.ravel().tolist()
    assert table.key[:4] == ("=the", "cat", "saw", "<s>")
    assert sum(table.masked) == 6

    plot = head.page.locator(".av-plot").last
    plot.locator(".js-plotly-plot").wait_for()
    plot.scroll_into_view_if_needed()
    svg = saved(head, ".av-plot >> nth=-1", "SVG")
    assert svg.suggested_filename == "attnviz-attention.svg"
    words = Path(svg.path()).read_text("utf-8")
    assert words.startswith("<svg")
    for part in (shown[3][0], "Weights A", "query (asks)", "key (answers)", "cat", "&#60;s&#62;"):
        assert part in words


def saved_as(head: Head, button: str) -> str:
    """Click a download button; return where the file is."""
    download = saved(head, "body", button)
    assert download.suggested_filename.startswith("attnviz-attention-")
    return str(download.path())


def test_a_clicker_steps_through_the_stages_of_a_lecture(head: Head) -> None:
    head.page.set_viewport_size({"width": 1024, "height": 500})
    head.page.goto(f"{head.base}/attention?preset=worked-example&view=lecture&step=1")
    expect(head.page.get_by_text("Predict before you look")).to_be_visible()
    expect(head.stages).to_have_count(0)
    for step, count in enumerate((1, 2, 3, 4, 6), 2):
        head.page.keyboard.press("PageDown")
        expect(head.stages).to_have_count(count)
        expect(head.stages.last).to_be_in_viewport(ratio=0.9)
        assert ("0.670" in head.page.inner_text("body")) == (step >= 5)
    head.links_to(preset="worked-example", view="lecture")
    assert head.texts("output") == [["1.340", "0.660"]]
    head.page.keyboard.press("PageUp")
    expect(head.stages).to_have_count(4)
    head.links_to(preset="worked-example", view="lecture", step="5")
