"""The softmax page: links, history, typing, pasting, the temperature, what can be taken away."""

from __future__ import annotations

import math
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Download, expect

from attnviz.content.shown import clipped, shown
from attnviz.exports.softmax import read_table_csv
from attnviz.figures.style import short
from attnviz.state.labels import visible_label
from attnviz.state.links import decode, read_file, write_list
from attnviz.state.softmax import SoftmaxState
from tests.browser.conftest import Screen, Server

TWO_ONE_ZERO = ("0.6652", "0.2447", "0.0900")  # softmax of 2, 1, 0 in 40-digit arithmetic


def softmax(*scores: float, T: float = 1.0) -> list[str]:
    """Return the weights from the standard library alone, as the screen writes them."""
    exps = [math.exp(score / T) for score in scores]
    return [shown(exp / sum(exps)) for exp in exps]


# -- links ----------------------------------------------------------------------------------------


def test_a_link_with_all_digits_of_the_first_example_shows_its_weights(screen: Screen) -> None:
    screen.open("/softmax?scores=0.7071067811865476,0,-1").shows("0.5972", "0.2945", "0.1083")
    assert [row[1] for row in screen.rows()] == ["0.7071", "0", "−1"]
    heights = screen.bar_heights()
    assert heights == pytest.approx([0.5972, 0.2945, 0.1083], abs=0.003)


def test_a_link_with_beta_3_shows_its_weights_and_the_temperature_a_third(screen: Screen) -> None:
    screen.open("/softmax?scores=2,1,0&beta=3").shows("0.9503", "0.0473", "0.0024")
    expect(screen.beta).to_have_value("3")
    expect(screen.T).to_have_value("0.3333")
    screen.links_to(scores="2,1,0", beta="3")


def test_a_link_with_two_thousands_shows_how_the_naive_formula_fails(screen: Screen) -> None:
    screen.open("/softmax?scores=1000,1000&panel=naive").shows("0.5", "0.5")
    naive = screen.page.locator(".av-steps table").nth(1)
    screen.until(lambda: screen.rows(naive), [[k, "inf", "nan", "0.5"] for k in ("k1", "k2")])


def test_a_link_with_a_score_of_minus_infinity_shows_a_masked_key(screen: Screen) -> None:
    screen.open("/softmax?scores=1,-inf,2").shows("0.2689", "0 (masked)", "0.7311")
    expect(screen.cells.nth(1)).to_have_value("-inf")
    expect(screen.cells.nth(1)).to_have_accessible_name("score of k2, masked")


def test_a_link_with_a_word_names_it_and_shows_the_default(screen: Screen) -> None:
    screen.open("/softmax?scores=1,x,2").shows(*TWO_ONE_ZERO)
    expect(screen.warnings).to_contain_text("scores in the link: value 2 is not a number: 'x'")
    screen.links_to(scores="1,x,2")


def test_a_link_moves_the_slider_at_the_first_run(screen: Screen) -> None:
    screen.open(T="0.5").shows(*softmax(2, 1, 0, T=0.5))
    assert float(screen.slider.input_value()) == pytest.approx(math.log10(0.5), abs=0.011)
    expect(screen.warnings).to_have_count(0)


def test_reload_keeps_the_state(screen: Screen) -> None:
    screen.open(labels="the_cat_sat", panel="moves").shows(*TWO_ONE_ZERO)
    screen.type_in_cell(0, "1/3")
    screen.links_to(labels="the_cat_sat", panel="moves", scores="1/3_1_0")
    screen.type_temperature("0.4")
    screen.masks.nth(2).click()
    screen.table.locator("[data-pick='weight:1']").click()
    kept = {"labels": "the_cat_sat", "panel": "moves", "scores": "1/3_1_0", "T": "0.4"}
    screen.links_to(**kept, hide="2", pick="weight:1")
    screen.until(lambda: screen.weights()[-1], "0 (masked)")
    before = (screen.rows(), screen.scores(), screen.key_names())
    weights = screen.weights()
    screen.page.reload()
    screen.ready().shows(*weights)
    assert (screen.rows(), screen.scores(), screen.key_names()) == before
    expect(screen.T).to_have_value("0.4")
    expect(screen.masks.nth(2)).to_be_checked()
    expect(screen.explained).to_contain_text("weight[cat]")
    expect(screen.page.get_by_role("textbox", name="Add to every score")).to_have_value("100")
    screen.links_to(**kept, hide="2", pick="weight:1")


def test_back_and_forward_undo_and_redo_every_kind_of_change(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)

    def seen() -> tuple:
        masks = screen.masks.evaluate_all("all => all.map(one => one.ariaChecked)")
        return (
            screen.scores(),
            masks,
            screen.T.input_value(),
            screen.weights(),
            screen.bar_texts(),
        )

    def pick_preset() -> None:
        screen.page.get_by_role("button", name="Presets").click()
        screen.page.get_by_text("2, 1, 0 at β = 2").click()
        screen.page.keyboard.press("Escape")

    def add_row() -> None:
        screen.page.get_by_role("button", name="+ query").click()

    changes = [
        (lambda: screen.type_in_cell(0, "5"), {"scores": "5_1_0"}, softmax(5, 1, 0)),
        (
            lambda: screen.type_temperature("2"),
            {"scores": "5_1_0", "T": "2"},
            softmax(5, 1, 0, T=2),
        ),
        (pick_preset, {"preset": "beta-2"}, softmax(2, 1, 0, T=0.5)),
        (
            screen.masks.nth(0).click,
            {"preset": "beta-2", "hide": "0"},
            ["0 (masked)", *softmax(1, 0, T=0.5)],
        ),
        (
            add_row,
            {"preset": "beta-2", "hide": "0", "scores": "2_1_0~0_0_0"},
            ["0 (masked)", *softmax(1, 0, T=0.5)],
        ),
    ]
    steps = [({}, list(TWO_ONE_ZERO), seen())]
    for change, link, weights in changes:
        change()
        screen.links_to(**link)
        screen.shows(*weights)
        steps.append((link, weights, seen()))
    entries = screen.history()
    for way, visited in (("back", steps[-2::-1]), ("forward", steps[1:])):
        for link, weights, picture in visited:
            screen.page.evaluate(f"history.{way}()")
            screen.links_to(**link)
            screen.shows(*weights)
            screen.until(seen, picture)
    assert screen.history() == entries


def test_a_clicker_steps_through_the_lecture_and_the_link_keeps_the_step(screen: Screen) -> None:
    screen.open(scores="1_0", view="lecture", step="1")
    said = ["k1", "1", "1", "0", "1", "0.7311"]
    for step in range(1, 5):
        screen.until(lambda: [cell for cell in screen.rows()[0] if cell != "?"], said[: step + 1])
        screen.links_to(scores="1_0", view="lecture", step=str(step))
        expect(screen.page.locator(".av-plot")).to_have_count(0)
        screen.page.keyboard.press("PageDown")
    screen.shows(*softmax(1, 0))
    screen.links_to(scores="1_0", view="lecture")
    screen.page.keyboard.press("PageUp")
    screen.links_to(scores="1_0", view="lecture", step="4")
    expect(screen.page.locator(".av-plot")).to_have_count(0)
    screen.page.get_by_role("button", name="Leave the lecture view").click()
    screen.shows(*softmax(1, 0))
    screen.links_to(scores="1_0")


def test_reset_returns_to_what_the_link_opened(screen: Screen) -> None:
    screen.open(scores="3_1_2", T="0.5").shows(*softmax(3, 1, 2, T=0.5))
    screen.type_in_cell(0, "0")
    screen.type_temperature("2")
    screen.shows(*softmax(0, 1, 2, T=2))
    screen.page.get_by_role("button", name="Reset", exact=True).click()
    screen.shows(*softmax(3, 1, 2, T=0.5))
    screen.links_to(scores="3_1_2", T="0.5")


def test_a_preset_gives_its_link_and_its_numbers(screen: Screen) -> None:
    screen.open(scores="9_8").shows(*softmax(9, 8))
    screen.page.get_by_role("button", name="Presets").click()
    screen.page.get_by_text("2, 1, 0 at β = 3").click()
    screen.links_to(preset="beta-3")
    screen.shows("0.9503", "0.0473", "0.0024")


def test_changes_after_a_preset_are_kept(screen: Screen) -> None:
    screen.open().page.get_by_role("button", name="Presets").click()
    screen.page.get_by_text("2, 1, 0 at β = 2").click()
    screen.links_to(preset="beta-2")
    screen.masks.nth(2).click()
    screen.links_to(preset="beta-2", hide="2")
    screen.type_in_cell(0, "3")
    screen.links_to(preset="beta-2", hide="2", scores="3_1_0")
    screen.type_temperature("1")
    screen.links_to(preset="beta-2", hide="2", scores="3_1_0", T="1")
    screen.shows(*softmax(3, 1), "0 (masked)")


def test_a_copied_link_opens_the_same_numbers_for_somebody_else(screen: Screen, visitor) -> None:
    screen.open(labels="the_cat_sat", beta="3", panel="rows").shows("0.9503", "0.0473", "0.0024")
    screen.type_in_cell(1, "1/sqrt(2)")
    screen.until(lambda: screen.link().get("scores"), "2_1/sqrt(2)_0")
    button = screen.page.locator(".av-copy button")
    button.click()
    expect(button).to_have_text("Copied")
    copied = screen.page.evaluate("navigator.clipboard.readText()")
    assert copied == screen.page.url
    other = visitor()
    other.page.goto(copied)
    other.ready().shows(*screen.weights())
    assert (other.rows(), other.key_names()) == (screen.rows(), ["the", "cat", "sat"])


def test_back_leads_from_a_page_that_was_returned_to_to_the_one_before(screen: Screen) -> None:
    screen.open(scores="3,1").type_in_cell(0, "4")
    screen.links_to(scores="4_1")
    before = screen.history()
    screen.to_page("Start").to_page("Softmax")
    screen.links_to(scores="4_1")
    screen.shows(*softmax(4, 1))
    assert screen.history() == before + 2
    screen.type_in_cell(0, "5")
    screen.links_to(scores="5_1")
    for link, scores in (({"scores": "4_1"}, (4, 1)), ({"scores": "5_1"}, (5, 1))):
        screen.page.evaluate("history.back()" if scores[0] == 4 else "history.forward()")
        screen.links_to(**link)
        screen.shows(*softmax(*scores))
    screen.page.evaluate("history.go(-2)")
    screen.page.get_by_role("heading", name="attnviz", exact=True).wait_for()


def test_an_embedded_page_keeps_its_state_and_stays_embedded(screen: Screen) -> None:
    screen.open("/softmax?embed=true&scores=3,1,2").shows(*softmax(3, 1, 2))
    screen.type_in_cell(0, "5")
    screen.links_to(embed="true", scores="5_1_2")
    screen.shows(*softmax(5, 1, 2))
    screen.page.locator(".av-copy button").click()
    expect(screen.page.locator(".av-copy button")).to_have_text("Copied")
    copied = screen.page.evaluate("navigator.clipboard.readText()")
    assert urlsplit(copied).query == "scores=5_1_2"
    screen.to_page("Start").until(screen.bar_texts, list(TWO_ONE_ZERO))
    screen.links_to(embed="true")
    screen.to_page("Softmax").shows(*softmax(5, 1, 2))
    screen.links_to(embed="true", scores="5_1_2")
    screen.page.reload()
    screen.ready().shows(*softmax(5, 1, 2))


def test_two_tabs_do_not_share_their_state(tab) -> None:
    first, second = tab().open(), tab().open(scores="3_1_2")
    first.type_in_cell(0, "7")
    first.shows(*softmax(7, 1, 0))
    second.shows(*softmax(3, 1, 2))
    second.type_temperature("2")
    second.shows(*softmax(3, 1, 2, T=2))
    first.shows(*softmax(7, 1, 0))
    first.links_to(scores="7_1_0")
    second.links_to(scores="3_1_2", T="2")


def test_a_killed_server_comes_back_with_the_state_of_the_link(browser, watch) -> None:
    server = Server()
    try:
        screen = Screen(watch.visitor(browser), server.base).open(T="0.5")
        screen.type_in_cell(0, "5")
        screen.links_to(T="0.5", scores="5_1_0")
        screen.shows(*softmax(5, 1, 0, T=0.5))
        server.stop(signal.SIGKILL)
        with screen.page.expect_websocket():
            server.start()
        screen.shows(*softmax(5, 1, 0, T=0.5))
        screen.links_to(T="0.5", scores="5_1_0")
        screen.page.wait_for_timeout(1000)  # the handshake
        screen.choose_panel("Two keys")  # the first event of the new session: it reads the link
        expect(screen.page.get_by_role("radio", name="Against β")).to_be_checked()
        screen.shows(*softmax(5, 1, 0, T=0.5))
        screen.type_in_cell(1, "4")
        screen.shows(*softmax(5, 4, 0, T=0.5))
        screen.links_to(T="0.5", scores="5_4_0")
        screen.type_temperature("2")
        screen.shows(*softmax(5, 4, 0, T=2))
        screen.links_to(T="2", scores="5_4_0")
    finally:
        server.stop()


def test_what_is_typed_while_the_server_is_down_is_kept_told_and_sent_again(browser, watch) -> None:
    server = Server()
    try:
        screen = Screen(watch.visitor(browser), server.base).open(scores="1_2_3")
        screen.type_in_cell(0, "5")
        screen.shows(*softmax(5, 2, 3))
        server.stop(signal.SIGKILL)
        screen.type_in_cell(1, "6")
        expect(screen.page.get_by_text("No answer from the server yet.")).to_be_visible()
        server.start()
        screen.until(screen.weights, softmax(5, 6, 3), seconds=60)
        assert screen.scores() == ["5", "6", "3"]
        expect(screen.page.get_by_text("No answer from the server yet.")).to_have_count(0)
        screen.links_to(scores="5_6_3")
    finally:
        server.stop()


# -- the temperature ------------------------------------------------------------------------------


def forty_steps(screen: Screen) -> None:
    """Check that T has moved by 40 steps of 0.02 in log10 T, everywhere on the screen."""
    T = float(f"{10 ** (40 * 0.02):.3g}")
    weights = softmax(2, 1, 0, T=T)
    screen.shows(*weights)
    screen.links_to(T=str(T))
    expect(screen.T).to_have_value(str(T))
    assert float(screen.slider.input_value()) == pytest.approx(0.8)
    assert screen.bar_heights() == pytest.approx([float(w) for w in weights], abs=0.003)
    screen.page.wait_for_timeout(300)  # nothing older may arrive later
    screen.shows(*weights)
    screen.links_to(T=str(T))


@pytest.mark.parametrize("pause", [0, 10, 30, 80, 200])
def test_forty_steps_of_the_slider_are_forty_at_any_speed(screen: Screen, pause: int) -> None:
    screen.open().slider.focus()
    for _ in range(40):
        screen.page.keyboard.press("ArrowRight")
        if pause:
            screen.page.wait_for_timeout(pause)
    forty_steps(screen)


def test_a_held_key_loses_no_step_and_paints_while_it_is_held(screen: Screen) -> None:
    screen.open().slider.focus()
    before, seen = screen.history(), set()
    for _ in range(40):
        screen.page.keyboard.down("ArrowRight")
        screen.page.wait_for_timeout(33)
        seen.add(screen.weights()[0])
    screen.page.keyboard.up("ArrowRight")
    forty_steps(screen)
    assert len(seen) > 5
    assert screen.history() - before <= 2


def test_a_dragged_slider_paints_on_its_way_and_makes_one_step_of_history(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    before, seen, box = screen.history(), [], screen.slider.bounding_box()
    y, mouse = box["y"] + box["height"] / 2, screen.page.mouse
    mouse.move(box["x"] + box["width"] / 2, y)
    mouse.down()
    for at in range(1, 31):
        mouse.move(box["x"] + box["width"] * (0.5 + 0.01 * at), y)
        screen.page.wait_for_timeout(25)
        seen.append(screen.weights()[0])
    assert len(set(seen)) > 5
    assert screen.link() == {}
    mouse.up()
    T = screen.T.input_value()
    assert 10 < float(T) < 25
    screen.links_to(T=T)
    screen.shows(*softmax(2, 1, 0, T=float(T)))
    assert screen.history() == before + 1
    screen.page.evaluate("history.back()")
    screen.shows(*TWO_ONE_ZERO)
    expect(screen.T).to_have_value("1")


def test_a_thumb_that_was_only_touched_still_follows_the_history(screen: Screen) -> None:
    screen.open(T="2").shows(*softmax(2, 1, 0, T=2))
    screen.type_temperature("1")
    screen.links_to()
    screen.slider.click()  # in the middle, where the thumb is
    assert screen.T.input_value() == "1"
    screen.page.evaluate("history.back()")
    screen.shows(*softmax(2, 1, 0, T=2))
    expect(screen.slider).to_have_value("0.3")


def test_the_marks_and_the_limits_are_one_click_away(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    screen.page.get_by_role("button", name="0.7", exact=True).click()
    screen.shows(*softmax(2, 1, 0, T=0.7))
    screen.page.get_by_role("button", name="T → 0").click()
    screen.links_to(beta="inf")
    screen.until(lambda: screen.weights()[0], "1")
    screen.page.get_by_role("button", name="T → ∞").click()
    screen.links_to(beta="0")
    screen.shows("0.3333", "0.3333", "0.3333")


# -- typing and pasting ---------------------------------------------------------------------------


def test_a_cell_paints_while_it_is_typed_and_links_when_it_is_left(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    before = screen.history()
    screen.cells.first.click()
    for typed, value in (("3", 3), (".", 3), ("5", 3.5)):
        screen.page.keyboard.type(typed)
        screen.shows(*softmax(value, 1, 0))
    assert (screen.focused(), screen.link()) == ("av-cell score of k1", {})
    screen.page.keyboard.press("Tab")
    screen.links_to(scores="3.5_1_0")
    assert screen.history() == before + 1


def test_a_block_from_a_spreadsheet_pasted_into_a_cell_goes_right_and_down(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    screen.paste(screen.cells.nth(1), "1\t2,5\t-inf\r\n3\t4\t5\r\n")
    screen.until(screen.scores, ["2", "1", "2.5", "-inf", "0", "3", "4", "5"])
    screen.shows(*softmax(2, 1, 2.5), "0 (masked)")
    screen.links_to(scores="2_1_2.5_-inf~0_3_4_5")


def test_one_pasted_number_with_a_decimal_comma_is_one_number(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    screen.paste(screen.cells.first, "1,5")
    screen.page.keyboard.press("Tab")
    screen.shows(*softmax(1.5, 1, 0))
    screen.links_to(scores="1.5_1_0")


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n3 4",
        "1\t2\r\n3\t4\r\n",
        "[[1, 2], [3, 4]]",
        "array([[1., 2.],\n       [3., 4.]])",
        "tensor([[1., 2.],\n        [3., 4.]])",
        "[1 2; 3 4]",
    ],
)
def test_the_line_reads_what_is_pasted_into_it(screen: Screen, text: str) -> None:
    screen.open().paste(screen.line, text)
    screen.page.keyboard.press("Enter")
    screen.until(screen.scores, ["1", "2", "3", "4"])
    screen.shows(*softmax(1, 2))
    screen.links_to(scores="1_2~3_4")
    expect(screen.page.get_by_text("Read as 2 queries × 2 keys.")).to_be_visible()


@pytest.mark.parametrize(
    ("choice", "scores"),
    [("decimal commas", ["1.2", "2.3"]), ("commas between values", ["1", "2", "2", "3"])],
)
def test_a_comma_with_two_meanings_is_asked_about(screen: Screen, choice, scores) -> None:
    screen.open().paste(screen.line, "1,2;2,3")
    screen.page.keyboard.press("Enter")
    expect(screen.errors).to_have_text("This can be read in two ways. Which one is meant?")
    expect(screen.page.locator(".av-plot")).to_have_count(0)
    expect(screen.line).to_have_value("1,2;2,3")
    screen.links_to()
    screen.page.get_by_role("button", name=choice).click()
    screen.until(screen.scores, scores)
    screen.shows(*softmax(*map(float, scores[:2])))
    expect(screen.errors).to_be_empty()


def test_a_cell_that_cannot_be_read_keeps_its_text_and_draws_nothing(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    screen.type_in_cell(1, "1.2.3")
    expect(screen.errors).to_contain_text("Key 2: ")
    expect(screen.errors).to_contain_text("'1.2.3'")
    expect(screen.page.locator(".av-plot, .av-steps")).to_have_count(0)
    expect(screen.cells.nth(1)).to_have_value("1.2.3")
    expect(screen.cells.nth(1)).to_have_attribute("aria-invalid", "true")
    screen.links_to()
    screen.type_in_cell(0, "3")
    expect(screen.cells.nth(1)).to_have_value("1.2.3")
    expect(screen.errors).to_contain_text("'1.2.3'")
    screen.type_in_cell(1, "1,5")
    screen.shows(*softmax(3, 1.5, 0))
    screen.links_to(scores="3_1.5_0")


@pytest.mark.parametrize(
    ("text", "place"),
    [("1, two, 3", "Value 2 "), ("1 2; 3", "Row 2 "), ("1, , 3", "2"), ("1, nan", "2")],
)
def test_a_line_that_cannot_be_read_stays_and_its_place_is_named(screen: Screen, text, place):
    screen.open().paste(screen.line, text)
    screen.page.keyboard.press("Enter")
    expect(screen.errors).to_contain_text(place)
    expect(screen.page.locator(".av-plot, .av-steps")).to_have_count(0)
    expect(screen.line).to_have_value(text)
    screen.links_to()
    screen.page.get_by_role("button", name="Go back to the last scores").click()
    screen.shows(*TWO_ONE_ZERO)
    expect(screen.line).to_have_value("2, 1, 0")


def test_a_temperature_that_cannot_be_read_stays_in_its_box(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    for typed, sentence in (("0", "T must be above 0"), ("warm", "'warm'"), ("-2", "'-2'")):
        screen.type_temperature(typed)
        expect(screen.page.locator(".av-temperature .av-error")).to_contain_text(sentence)
        expect(screen.T).to_have_value(typed)
        expect(screen.page.locator(".av-plot, .av-steps")).to_have_count(0)
    screen.links_to()
    screen.type_temperature("0,5")
    screen.shows(*softmax(2, 1, 0, T=0.5))
    screen.links_to(T="0.5")


def test_keys_and_queries_come_and_go_with_their_masks(screen: Screen) -> None:
    screen.open(hide="2").shows(*softmax(2, 1), "0 (masked)")
    screen.page.get_by_role("button", name="+ key").click()
    assert screen.focused().startswith("av-cell score of k4")
    screen.page.keyboard.type("1")
    screen.page.get_by_role("button", name="Remove k1", exact=True).click()
    screen.until(screen.key_names, ["k2", "k3", "k4"])
    screen.shows("0.5", "0 (masked)", "0.5")
    screen.links_to(scores="1_0_1", labels="k2_k3_k4", hide="1")


# -- what can be taken away -----------------------------------------------------------------------


def saved(screen: Screen, scope: str, button: str) -> Download:
    """Click a button and wait for its download."""
    with screen.page.expect_download() as waiting:
        screen.page.locator(scope).get_by_role("button", name=button, exact=True).click()
    return waiting.value


@pytest.mark.parametrize(
    ("figure", "name", "texts"),
    [
        (0, "attnviz-weights", ["0.6652", "0.2447", "0.0900", ">the<", ">mat<"]),
        (1, "attnviz-weights-against-beta", ["weight", "β = 1", " the<", " mat<"]),
        (2, "attnviz-entropy-against-beta", ["entropy (nats)", "ln 3 = 1.0986"]),
    ],
)
def test_every_figure_is_saved_as_svg_and_png(screen: Screen, figure, name, texts) -> None:
    screen.open(labels="the_cat_mat", panel="curves").shows(*TWO_ONE_ZERO)
    scope = f".av-plot >> nth={figure}"
    screen.page.locator(f"{scope} >> .js-plotly-plot").wait_for()
    svg = saved(screen, scope, "SVG")
    assert svg.suggested_filename == f"{name}.svg"
    words = Path(svg.path()).read_text("utf-8")
    assert words.startswith("<svg")
    assert [text for text in texts if text not in words] == []
    png = saved(screen, scope, "PNG")
    assert png.suggested_filename == f"{name}.png"
    content = Path(png.path()).read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(content) > 5_000


def test_the_table_is_saved_as_csv_with_all_its_digits(screen: Screen) -> None:
    screen.open(scores="2_1_0~3_-inf_1", labels="=the_cat_<s>", panel="export")
    file = saved(screen, "body", "Table as CSV")
    assert file.suggested_filename == "attnviz-softmax.csv"
    table = read_table_csv(Path(file.path()).read_text("utf-8"))
    assert table.key == ("=the", "cat", "<s>") * 2
    assert table.score == (2, 1, 0, 3, -math.inf, 1)
    assert sum(table.weight[:3]) == pytest.approx(1, abs=1e-15)
    assert table.weight[3] == pytest.approx(1 / (1 + math.exp(-2)), rel=1e-15)


def test_a_state_saved_as_a_file_opens_again(screen: Screen, tab) -> None:
    screen.open(scores="2_1_0~3_-inf_1", labels="the_cat_<s>", T="0.5", panel="export", row="1")
    file = Path(saved(screen, "body", "State as a file").path())
    read = read_file("softmax", file.read_bytes(), SoftmaxState, {})
    assert read == decode(screen.link(), SoftmaxState, {})
    other = tab().open(panel="export")
    other.page.locator("input[type=file]").set_input_files(
        {"name": "state.txt", "mimeType": "text/plain", "buffer": file.read_bytes()}
    )
    other.shows("0.9820", "0 (masked)", "0.0180")
    assert (other.link(), other.key_names()) == (screen.link(), ["the", "cat", "<s>"])


# -- labels that other programs would interpret ---------------------------------------------------

NASTY = [
    *("$x$", ":red[hi]", "_a_", ":smile:", "~~z~~", "1.", "*", "# h"),
    *("![x](https://example.invalid/p.png)", "<s>", "</s>", "<b>x</b>", "<sub>", "<br>"),
    *("x<br>y", "&amp;", "&lt;s&gt;", "<pad>", "<|endoftext|>", "<img src=x onerror=alert(1)>"),
    *("2020-01-01", "1e1", "0x64", "the", "the", "", "in", "2020-01-02", "-1", "%{x}", "1. the"),
    "</script><script>alert(1)</script>",
]


@pytest.mark.parametrize("first", range(0, len(NASTY), 8))
def test_labels_are_shown_letter_for_letter(screen: Screen, first: int) -> None:
    labels = NASTY[first : first + 8]
    zeros = "_".join("0" * len(labels))
    screen.open(scores=zeros, labels=write_list(labels), panel="pair", pick="weight:1")
    screen.shows(*["0.125"] * len(labels))
    seen = [label or "∅" for label in labels]
    assert screen.key_names() == labels
    assert [row[0] for row in screen.rows()] == seen
    cells = screen.page.get_by_role("grid", name="Scores").locator("input.av-cell")
    for j, label in enumerate(seen):
        assert cells.nth(j).get_attribute("aria-label") == f"score of {label}"
    ticks = screen.bars.locator(".xtick text").all_text_contents()
    assert ticks == [short(label, 10) or "∅" for label in labels]
    for j, label in enumerate(labels):
        screen.bars.locator(".point path").nth(j).hover(force=True)
        box = screen.bars.locator(".hoverlayer .hovertext text.nums")
        expect(box).to_have_text(f"{label or '∅'}position {j}weight 0.125")
    boxes = screen.page.get_by_role("combobox")
    clear = len(set(labels)) == len(labels) and all(labels)
    names = labels if clear else [f"{place}: {label}" for place, label in enumerate(labels, 1)]
    screen.until(lambda: [box.input_value() for box in boxes.all()], names[:2])
    boxes.first.scroll_into_view_if_needed()
    screen.page.evaluate("new Promise(drawn => setTimeout(drawn, 100))")  # a scroll closes the list
    boxes.first.press("ArrowDown")
    options = screen.page.get_by_role("option")
    expect(options).to_have_count(len(labels))
    assert options.all_text_contents() == names
    screen.page.keyboard.press("Escape")
    expect(screen.explained).to_contain_text(f"weight[{clipped(labels[1])}] = ")
    assert f" {clipped(labels[0])} 0.125, " in screen.page.get_by_role("img").first.get_attribute(
        "aria-label"
    )
    screen.choose_panel("All queries")
    heads = screen.page.locator(".av-steps table").nth(1).locator("thead th")
    expect(heads).to_have_count(len(labels) + 3)
    assert heads.all_text_contents()[1:-2] == [visible_label(label) for label in labels]
    screen.choose_panel("Against β")
    names = screen.page.locator(".av-plot").nth(1).locator(".y2tick text")
    expect(names).to_have_count(len(labels))
    shown = sorted(name.removeprefix("━ ") for name in names.all_text_contents())
    assert shown == sorted(short(label, 10) or "∅" for label in labels)
    screen.choose_panel("Take it away")
    expect(screen.page.get_by_test_id("stCode")).to_have_count(2)


def test_a_label_that_is_typed_is_shown_letter_for_letter(screen: Screen) -> None:
    screen.open().shows(*TWO_ONE_ZERO)
    label = "<img src=x onerror=alert(1)>"
    screen.labels.first.fill(label)
    screen.labels.first.press("Enter")
    screen.until(lambda: screen.rows()[0][0], label)
    screen.links_to(labels=f"{label}_k2_k3")
    expect(screen.page.locator("img[src=x]")).to_have_count(0)
    facts = screen.page.locator(".av-fact").filter(has_text="Largest weight")
    expect(facts).to_contain_text(clipped(label))


def test_what_cannot_be_read_is_quoted_letter_for_letter(screen: Screen) -> None:
    nasty = "<img src=x onerror=alert(1)>"
    screen.open(T=nasty).shows(*TWO_ONE_ZERO)
    expect(screen.warnings).to_contain_text(nasty)
    screen.type_in_cell(0, f"{nasty} $x$ :red[hi]")
    expect(screen.errors).to_contain_text(f"{nasty} $x$")
    screen.type_in_cell(0, "2")
    box = screen.page.get_by_role("textbox", name="Reference at T")
    box.fill("![x](https://example.invalid/p.png)")
    box.press("Enter")
    expect(screen.page.get_by_text("![x](https://example.invalid/p.png)")).to_be_visible()
    expect(screen.page.locator("img[src=x], img[src*=invalid]")).to_have_count(0)


def test_labels_that_nobody_could_see_have_a_sign(screen: Screen) -> None:
    screen.open(scores="1_1_1_1_1", labels=" _\n_~e_ a_a")
    screen.until(lambda: [row[0] for row in screen.rows()], ["␠", "⏎", "∅", "␣a", "a"])
    assert screen.key_names()[0] == " "
    expect(screen.labels.nth(2)).to_have_attribute("placeholder", "∅")
    assert screen.cells.nth(1).get_attribute("aria-label") == "score of ⏎"
    screen.choose_panel("All queries")
    heads = screen.page.locator(".av-steps table").last.locator("thead th")
    expect(heads.nth(2)).to_have_text("⏎")
    screen.labels.nth(0).fill("the")
    screen.labels.nth(0).press("Enter")
    screen.until(lambda: [row[0] for row in screen.rows()], ["the", "⏎", "∅", "␣a", "a"])
