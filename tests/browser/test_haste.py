"""What is done while another state is on its way to the page counts on that state."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screen
from tests.browser.test_attention import Head
from tests.browser.test_softmax import softmax

BUTTON = "[...document.querySelectorAll('button')].find(b => b.innerText.trim() === '{}').click();"
RESET, ADD = BUTTON.format("Reset"), BUTTON.format("+ key")
WRITE = """const write = (box, words, ...events) => {
    box.focus(); box.value = words;
    for (const name of events) box.dispatchEvent(new Event(name, { bubbles: true })); };
    const [cells, masks, [T]] = ['.av-cell', '.av-mask', '.av-temperature .av-box']
        .map(name => document.querySelectorAll(name));"""


@pytest.fixture
def changed(screen: Screen) -> Screen:
    """A page that was opened with three scores and has two now."""
    screen.open(scores="3,1,2", T="0.5").type_in_cell(0, "9")
    screen.links_to(scores="9_1_2", T="0.5")
    screen.page.get_by_role("button", name="Remove k3").click()
    screen.links_to(scores="9_1", T="0.5")
    return screen


def at_once(screen: Screen, steps: str) -> None:
    """Do all these steps before the server can answer any of them."""
    screen.page.evaluate(f"() => {{ {WRITE} {steps} }}")


def stays(screen: Screen, **link: str) -> None:
    """Wait until the link is this, and see that nothing follows."""
    screen.links_to(**link)
    screen.page.wait_for_timeout(600)
    screen.links_to(**link)


def test_a_mask_and_a_score_changed_right_after_reset_count_on_what_reset_brings(changed) -> None:
    at_once(changed, f"{RESET} masks[0].click(); write(cells[1], '7', 'input', 'change');")
    stays(changed, scores="3_7_2", T="0.5", hide="0")
    assert changed.scores() == ["3", "7", "2"]
    changed.shows("0 (masked)", *softmax(7, 2, T=0.5))


def test_what_was_typed_right_before_reset_goes_with_it(changed) -> None:
    at_once(changed, f"masks[0].click(); write(cells[1], '7', 'input', 'change'); {RESET}")
    stays(changed, scores="3_1_2", T="0.5")
    assert changed.scores() == ["3", "1", "2"]
    changed.shows(*softmax(3, 1, 2, T=0.5))


def test_a_number_half_typed_right_after_reset_can_be_typed_to_its_end(changed) -> None:
    at_once(changed, f"{RESET} write(cells[1], '1/', 'input');")
    changed.until(changed.scores, ["3", "1/", "2"])
    changed.page.keyboard.type("4")
    changed.page.keyboard.press("Tab")
    stays(changed, scores="3_1/4_2", T="0.5")


def test_a_key_added_and_one_removed_right_after_reset_count(changed) -> None:
    remove = "document.querySelector('.av-remove').click();"
    at_once(changed, f"{RESET} {remove} {ADD}")
    changed.until(changed.scores, ["1", "2", "0"])
    changed.shows(*softmax(1, 2, 0, T=0.5))


def test_a_key_that_reset_takes_away_takes_its_change_with_it(screen: Screen) -> None:
    screen.open(scores="3,1").page.get_by_role("button", name="+ key").click()
    screen.links_to(scores="3_1_0")
    at_once(screen, f"{RESET} masks[2].click(); write(cells[2], '5', 'input', 'change');")
    stays(screen, scores="3_1")
    assert screen.scores() == ["3", "1"]


def test_a_temperature_typed_right_after_reset_counts(changed) -> None:
    at_once(changed, f"{RESET} write(T, '2', 'input', 'change');")
    stays(changed, scores="3_1_2", T="2")
    expect(changed.T).to_have_value("2")


def test_a_temperature_half_typed_right_after_reset_stays_in_its_box(changed) -> None:
    at_once(changed, f"{RESET} write(T, '1', 'input');")
    changed.until(changed.scores, ["3", "1", "2"])
    changed.page.keyboard.type("5")
    expect(changed.T).to_have_value("15")
    changed.page.keyboard.press("Tab")
    stays(changed, scores="3_1_2", T="15")


def test_a_line_half_typed_right_after_reset_stays_in_its_box(changed) -> None:
    line = "document.querySelector('.av-matrix textarea')"
    at_once(changed, f"{RESET} write({line}, '4, 5', 'input');")
    changed.until(changed.scores, ["3", "1", "2"])
    changed.page.keyboard.type(", 6")
    changed.page.keyboard.press("Enter")
    changed.until(changed.scores, ["4", "5", "6"])


def test_a_cell_of_the_table_chosen_right_after_reset_is_explained(changed) -> None:
    at_once(changed, f"{RESET} document.querySelector('[data-pick=\"exp:0\"]').click();")
    changed.until(lambda: changed.link().get("pick"), "exp:0")
    changed.until(changed.scores, ["3", "1", "2"])


@pytest.mark.parametrize("box", ["cell", "T", "reference"])
def test_a_tap_on_the_menu_while_typing_keeps_the_edit_and_goes(screen: Screen, box: str) -> None:
    screen.open(scores="3,1,2", compare="3")
    boxes = {"cell": screen.cells.first, "T": screen.T}
    at = boxes.get(box, screen.page.get_by_role("textbox", name="Reference at T"))
    at.click()
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.type("7")
    screen.page.wait_for_timeout(300)
    screen.page.get_by_test_id("stTopNavLink").filter(has_text="Sampling").click()
    screen.page.get_by_role("heading", name="Sampling").wait_for()
    screen.until(
        lambda: urlsplit(screen.page.url).path + urlsplit(screen.page.url).query, "/sampling"
    )
    screen.to_page("Softmax")
    changed = {"cell": {"scores": "7_1_2"}, "T": {"T": "7"}, "reference": {"compare": "7"}}[box]
    screen.links_to(**{"scores": "3_1_2", "compare": "3"} | changed)


def test_cells_masked_right_after_reset_are_masked_in_what_reset_brings(screen: Screen) -> None:
    head = Head(screen)
    head.open(preset="random-0").type_into("Q", "0:0", "9")
    head.until(lambda: "q" in head.link(), True)
    cell = "[...document.querySelectorAll('.av-stage table')][2].querySelector('[data-at=\"{}\"]')"
    clicks = "".join(f"{cell.format(at)}.click();" for at in ("0:3", "1:2"))
    at_once(head, f"{cell.format('2:1')}.click(); {RESET} {clicks}")
    stays(head, preset="random-0", hide="0:3_1:2")
