"""The start page: a living example and the ways on."""

from __future__ import annotations

import math
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from attnviz import softmax
from attnviz.content.shown import shown_weight
from attnviz.content.softmax import preset_states
from attnviz.content.start import WAYS
from attnviz.state.links import decode
from attnviz.state.softmax import PANELS, SoftmaxState
from tests.browser.conftest import Screen

EVERY = [door for way in WAYS for door in way.doors]
DOORS = [door for door in EVERY if door.page == "softmax"]
ELSEWHERE = {
    "lessons": "[data-testid=stMarkdown] h2, .av-predict",
    "attention": ".av-stage, .av-matrix .av-cell",
    "numerics": ".av-steps td",
    "scaling": ".av-plot .js-plotly-plot",
    "sampling": ".av-plot .point",
}
EXAMPLE = ["0.6652", "0.2447", "0.0900"]


def test_the_example_lives(screen: Screen) -> None:
    screen.open("/").until(screen.bar_texts, EXAMPLE)
    screen.cells.nth(2).click()
    screen.page.keyboard.type("2")
    screen.until(screen.bar_texts, ["0.4223", "0.1554", "0.4223"])
    screen.page.keyboard.press("Tab")
    screen.type_temperature("0.5")
    screen.until(screen.bar_texts, ["0.4683", "0.0634", "0.4683"])
    screen.masks.first.click()
    screen.until(screen.bar_texts, ["masked", "0.1192", "0.8808"])
    screen.links_to()


def test_an_example_that_cannot_be_read_draws_nothing(screen: Screen) -> None:
    screen.open("/").until(screen.bar_texts, EXAMPLE)
    screen.type_in_cell(0, "two")
    expect(screen.errors).to_contain_text("Key 1: the value is not a number: 'two'")
    expect(screen.page.locator(".av-plot")).to_have_count(0)
    screen.type_in_cell(0, "2")
    screen.until(screen.bar_texts, EXAMPLE)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.label)
def test_every_door_opens_its_state(screen: Screen, door) -> None:
    screen.open("/").page.get_by_role("link", name=door.label).click()
    screen.line.wait_for()
    state = decode(door.params, SoftmaxState, preset_states()).state
    screen.until(screen.scores, [cell.text for row in state.scores for cell in row])
    assert screen.key_names() == list(state.key_labels)
    own = screen.T if state.temperature.name == "T" else screen.beta
    expect(own).to_have_value(state.temperature.text)
    weights = softmax(state.values[state.row], beta=state.temperature.beta)
    masked = [math.isinf(score) for score in state.values[state.row]]
    screen.until(screen.bar_texts, list(map(shown_weight, weights, [not m for m in masked])))
    expect(screen.page.get_by_role("radio", name=PANELS[state.panel])).to_be_checked()
    expect(screen.explained).to_be_visible(visible=bool(state.pick))
    expect(screen.warnings).to_have_count(0)
    screen.links_to(**door.params)


@pytest.mark.parametrize(
    "door", [door for door in EVERY if door not in DOORS], ids=lambda door: door.label
)
def test_a_door_to_another_page_opens_it(screen: Screen, door) -> None:
    doors = screen.open("/").page.get_by_test_id("stMain")
    doors.get_by_role("link", name=door.label).click()
    screen.page.locator(ELSEWHERE[door.page]).first.wait_for()
    screen.until(lambda: urlsplit(screen.page.url).path, f"/{door.page}")
    screen.links_to(**door.params)


def test_the_first_door_takes_along_what_was_typed(screen: Screen) -> None:
    screen.open("/").until(screen.bar_texts, EXAMPLE)
    screen.type_in_cell(2, "2")
    screen.masks.first.click()
    screen.until(screen.bar_texts, ["masked", "0.2689", "0.7311"])
    screen.page.get_by_role("link", name="Open these scores").click()
    screen.line.wait_for()
    screen.shows("0 (masked)", "0.2689", "0.7311")
    screen.links_to(scores="2_1_2", hide="0")


def test_a_page_that_is_left_and_found_again_is_as_it_was(screen: Screen) -> None:
    screen.open("/softmax", T="0.5").shows("0.8668", "0.1173", "0.0159")
    screen.type_in_cell(0, "3")
    screen.type_in_cell(2, "2")
    screen.links_to(T="0.5", scores="3_1_2")
    weights = ["0.8668", "0.0159", "0.1173"]
    screen.shows(*weights)
    screen.to_page("Start").until(screen.bar_texts, EXAMPLE)
    screen.links_to()
    screen.to_page("Softmax").shows(*weights)
    screen.links_to(T="0.5", scores="3_1_2")
    expect(screen.T).to_have_value("0.5")
    assert screen.scores() == ["3", "1", "2"]


def test_back_leads_from_a_door_to_the_start_and_forward_through_it_again(screen: Screen) -> None:
    screen.open("/").until(screen.bar_texts, EXAMPLE)
    screen.page.get_by_role("link", name="1/√2, 0, −1 step by step").click()
    screen.table.wait_for()
    screen.shows("0.5972", "0.2945", "0.1083")
    screen.page.go_back()
    expect(screen.page.get_by_role("heading", name="attnviz", exact=True)).to_be_visible()
    screen.until(screen.bar_texts, EXAMPLE)
    screen.links_to()
    screen.page.go_forward()
    screen.table.wait_for()
    screen.shows("0.5972", "0.2945", "0.1083")
    screen.links_to(preset="three-scores", pick="weight:0")


def test_an_embedded_start_page_leads_to_an_embedded_state(screen: Screen) -> None:
    screen.open("/", embed="true").page.get_by_role("link", name="A gap of 5").click()
    screen.table.wait_for()
    screen.until(lambda: screen.link().get("preset"), "gap-5")
    screen.links_to(embed="true", preset="gap-5")
