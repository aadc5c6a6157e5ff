"""The lessons in a browser: by keyboard and by mouse, leaving and coming back, on a phone."""

from __future__ import annotations

import signal

import pytest
from playwright.sync_api import expect

from attnviz.content import lessons
from attnviz.content.lessons import live, words
from attnviz.content.lessons.reader import our_lesson
from attnviz.pages.lesson_numbers import StepNumbers
from tests.browser.conftest import PATIENCE, Screen, Server
from tests.browser.test_access import CONTRASTS, nameless, too_wide
from tests.browser.test_attention import tab_to

STEPS = our_lesson("weights").steps
expect.set_options(timeout=PATIENCE * 1000)


class Lesson(Screen):
    """What a person sees and does on the lessons page."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen.page, screen.base)
        said = ".av-reply[data-ok], .av-facts[data-tone=lines] .av-fact[data-ok]"
        self.reply = self.page.locator(said).first
        self.answer = self.page.locator(".av-answer input")

    def open(self, path: str = "/lessons", **params: str) -> Lesson:
        """Open an address and wait for its words."""
        super().open(path, **params)
        return self

    def ready(self) -> Lesson:
        """Wait until the page's own parts are there."""
        self.page.locator(".av-copy button, .av-facts").first.wait_for()
        return self

    def press(self, name: str) -> None:
        """Click a button."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def begins(self, number: int) -> None:
        """Wait until a step is open, from 1, and the focus is on its heading, in sight."""
        heading = self.page.get_by_role("heading", name=f"Step {number} of ")
        expect(heading).to_be_focused()
        expect(heading).to_be_in_viewport(ratio=1)

    def at(self) -> str:
        """Return the name of what has the focus."""
        read = "({ ariaLabel, innerText }) => (ariaLabel ?? innerText).trim()"
        return self.page.evaluate(f"({read})(document.activeElement)")


@pytest.fixture
def lesson(screen: Screen) -> Lesson:
    return Lesson(screen)


def test_the_first_lesson_is_done_with_the_mouse_from_start_to_end(lesson: Lesson) -> None:
    lesson.open().press("1. From scores to weights")
    lesson.links_to(lesson="weights")
    for number, step in enumerate(STEPS, 1):
        numbers = StepNumbers(step, 0)
        lesson.begins(number)
        if step.bars:
            boxes = lesson.page.locator(".av-stack")
            for j, height in enumerate((0.6, 0.3, 0.1)):
                box = boxes.nth(j).bounding_box()
                lesson.page.mouse.click(
                    box["x"] + box["width"] / 2, box["y"] + box["height"] * (1 - height)
                )
            lesson.press("Commit")
            expect(
                lesson.page.get_by_text("The weights are 0.5972, 0.2945, 0.1083.")
            ).to_be_visible()
            expect(lesson.page.locator(".av-truth").first).to_be_visible()
        elif step.options:
            right = next(option for option in step.options if option.right)
            lesson.page.get_by_text(numbers.fill(right.text).replace("**", ""), exact=True).click()
            lesson.press("Commit" if step.kind == "predict" else "Check")
            expect(lesson.reply).to_have_attribute("data-ok", "true")
        elif step.answer:
            lesson.answer.fill("7" if numbers.count == 1 else "0.1 0.1")
            lesson.press("Check")
            expect(lesson.reply).to_have_attribute("data-ok", "false")
            right = live.written(numbers.right, step.decimals).replace("−", "-")
            lesson.answer.fill(right.replace(", ", " "))
            lesson.press("Check")
            expect(lesson.reply).to_have_attribute("data-ok", "true")
        if number < len(STEPS):
            lesson.press("Next")
    lesson.press("All lessons")
    lesson.links_to()
    asked = sum(step.asks for step in STEPS)
    expect(lesson.page.get_by_text(f"✓ all {asked} answered")).to_be_visible()


def test_bars_a_choice_and_a_number_are_answered_with_the_keyboard_alone(lesson: Lesson) -> None:
    lesson.open(lesson="weights").page.locator(".av-stack input").first.wait_for()
    press = lesson.page.keyboard.press
    tab_to(lesson, "Weight of k1, in hundredths")
    for _ in range(6):
        press("PageUp")
    expect(lesson.page.get_by_text("k1: you 0.6", exact=True)).to_be_visible()
    tab_to(lesson, "Commit")
    press("Enter")
    lesson.links_to(lesson="weights", answers="0.60 0.00 0.00")
    lesson.open(lesson="weights", at="2").page.get_by_role("radiogroup").first.wait_for()
    lesson.page.get_by_test_id("stRadio").get_by_role("radio").first.focus()
    press("Space")
    lesson.page.wait_for_timeout(100)
    press("Tab")
    press("Enter")
    expect(lesson.reply).to_have_attribute("data-ok", "true")
    lesson.open(lesson="weights", at="3").answer.focus()
    lesson.page.keyboard.type("0,67")
    press("Enter")
    expect(lesson.reply).to_contain_text("Right: 0.6698.")


def test_another_step_begins_at_its_heading(lesson: Lesson) -> None:
    phone = {"width": 390, "height": 500}
    lesson.page.set_viewport_size(phone)
    lesson.open().press("1. From scores to weights")
    lesson.begins(1)
    lesson.press("Next")
    lesson.begins(2)
    lesson.shows("0.5972", "0.2945", "0.1083")
    tab_to(lesson, "Next")
    lesson.page.keyboard.press("Enter")
    lesson.begins(3)
    lesson.page.go_back()
    lesson.begins(2)
    lesson.page.go_forward()
    lesson.begins(3)
    lesson.press("Back")
    lesson.begins(2)
    lesson.page.keyboard.press("Shift+Tab")
    assert lesson.at() == "2 See, done"
    for _ in range(3):
        lesson.page.keyboard.press("ArrowRight")
    assert lesson.at() == "5 Hands on"
    lesson.page.keyboard.press("Enter")
    lesson.begins(5)
    tops = lesson.page.locator(".av-trail-row button").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ top }) => top)"
    )
    assert (len(tops), len(set(tops))) == (len(STEPS), 1)


def test_what_is_typed_is_kept_and_a_reply_is_there_only_for_it(lesson: Lesson) -> None:
    lesson.open(lesson="weights", at="3").answer.fill("0.67")
    lesson.press("Check")
    expect(lesson.reply).to_contain_text("Right: 0.6698.")
    lesson.answer.fill("0.9")
    expect(lesson.reply).to_have_count(0)
    lesson.answer.fill("0.67")
    expect(lesson.reply).to_have_count(1)
    lesson.press("Fresh numbers")
    expect(lesson.answer).to_have_value("")
    expect(lesson.reply).to_have_count(0)
    lesson.page.go_back()
    expect(lesson.reply).to_have_count(1)
    lesson.press("Next")
    lesson.begins(5)
    expect(lesson.answer).to_have_value("")
    expect(lesson.reply).to_have_count(0)
    lesson.press("Back")
    lesson.begins(4)
    lesson.answer.fill("0.9")
    lesson.press("Next")
    lesson.begins(5)
    lesson.press("Check")
    expect(lesson.page.locator(".av-reply")).to_have_text(words.NUDGE)
    lesson.press("Back")
    lesson.begins(4)
    expect(lesson.answer).to_have_value("0.9")
    lesson.answer.fill("0.67")
    expect(lesson.reply).to_contain_text("Right: 0.6698.")
    lesson.links_to(lesson="weights", at="3", answers="~e_~e_~e_0.67")


def test_a_drawn_prediction_can_be_drawn_again(lesson: Lesson) -> None:
    lesson.open(lesson="weights", answers="0.1 0.2 0.7")
    expect(lesson.page.get_by_text("You gave k3 the most")).to_be_visible()
    expect(lesson.page.locator(".av-reply")).to_be_in_viewport()
    lesson.press("Draw again")
    expect(lesson.page.locator(".av-truth").first).to_be_hidden()
    assert lesson.at() == "Weight of k1, in hundredths"
    for _ in range(6):
        lesson.page.keyboard.press("PageUp")
    lesson.press("Commit")
    lesson.links_to(lesson="weights", answers="0.70 0.20 0.70")
    expect(lesson.page.locator(".av-truth").first).to_be_visible()
    lesson.press("Draw again")
    lesson.page.locator(".av-stack input").nth(1).press("PageUp")
    lesson.press("Next")
    lesson.begins(2)
    lesson.press("Back")
    expect(lesson.page.get_by_text("k2: you 0.3", exact=True)).to_be_visible()


def test_on_a_phone_what_answers_comes_into_sight_and_the_menu_goes(visitor) -> None:
    phone = {"is_mobile": True, "has_touch": True, "device_scale_factor": 2}
    lesson = Lesson(visitor(viewport={"width": 390, "height": 640}, **phone))
    lesson.open(lesson="weights")
    boxes = lesson.page.locator(".av-stack")
    for j in range(3):
        boxes.nth(j).scroll_into_view_if_needed()
        box = boxes.nth(j).bounding_box()
        lesson.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    lesson.page.get_by_role("button", name="Commit").tap()
    expect(lesson.page.get_by_text("You drew k1 and k2 alike")).to_be_in_viewport(ratio=0.99)
    tops = [boxes.nth(j).bounding_box()["y"] for j in range(3)]
    assert len(set(tops)) == 1
    lesson.page.get_by_test_id("stExpandSidebarButton").tap()
    lesson.page.get_by_test_id("stSidebarNavLink").get_by_text("Softmax").tap()
    lesson.line.wait_for()
    expect(lesson.page.get_by_test_id("stSidebar")).not_to_be_in_viewport()


def test_the_focus_stays_on_the_help(lesson: Lesson) -> None:
    lesson.open(lesson="weights", at="3")
    tab_to(lesson, "Help: a nudge")
    labels = ("Help: the next step", "Help: the worked step", "Close the help", "Help: a nudge")
    for label in labels:
        lesson.page.keyboard.press("Enter")
        expect(lesson.page.get_by_role("button", name=label)).to_be_focused()


def test_a_mask_is_clicked_with_the_mouse_and_with_the_keyboard(lesson: Lesson) -> None:
    lesson.open(lesson="masks", at="5")
    cells, line = lesson.page.locator(".av-answer td button"), lesson.answer
    expect(line).to_have_value("1 1 1; 1 1 1; 1 1 1")
    for at in (3, 6, 7):
        cells.nth(at).click()
    lesson.press("Check")
    expect(lesson.reply).to_contain_text("Rows and columns are mixed up")
    lesson.links_to(lesson="masks", at="5", answers="~e_~e_~e_~e_~e_1 1 1~s 0 1 1~s 0 0 1")
    assert cells.nth(3).get_attribute("aria-label") == "query 2, key 1: hidden"
    press = lesson.page.keyboard.press
    cells.first.focus()
    for key in ("ArrowRight", " ", "ArrowRight", " ", "ArrowDown", " ", "ArrowLeft", "ArrowLeft"):
        press(key)
    for key in (" ", "ArrowDown", " ", "ArrowRight", " ", "Tab"):
        press(key)
    expect(line).to_be_focused()
    expect(line).to_have_value("1 0 0; 1 1 0; 1 1 1")
    press("Enter")
    expect(lesson.reply).to_have_attribute("data-ok", "true")
    line.fill("[[1,0,0],[1,1,0],[1,1,1]]")
    line.press("Enter")
    expect(lesson.reply).to_have_attribute("data-ok", "true")
    assert cells.all_inner_texts() == list("100110111")
    expect(lesson.page.locator(".av-answer table.av-stale")).to_have_count(0)
    line.fill("100 110 111")
    assert cells.all_inner_texts() == ["?"] * 9
    expect(cells.first).to_have_css("pointer-events", "auto")
    line.press("Enter")
    expect(lesson.reply).to_contain_text("9 numbers are asked for; this is 3.")
    expect(line).to_have_value("100 110 111")


def test_back_forward_and_reload_keep_step_and_answers(lesson: Lesson) -> None:
    lesson.open(lesson="weights", at="3").answer.fill("0.5")
    lesson.press("Check")
    lesson.links_to(lesson="weights", at="3", answers="~e_~e_~e_0.5")
    lesson.answer.fill("0.67")
    lesson.press("Check")
    lesson.links_to(lesson="weights", at="3", answers="~e_~e_~e_0.67")
    lesson.page.go_back()
    expect(lesson.answer).to_have_value("0.5")
    expect(lesson.reply).to_have_attribute("data-ok", "false")
    lesson.page.go_forward()
    expect(lesson.answer).to_have_value("0.67")
    lesson.page.reload()
    lesson.ready()
    expect(lesson.answer).to_have_value("0.67")
    expect(lesson.reply).to_have_attribute("data-ok", "true")


def test_the_embedded_explorer_follows_what_is_typed(lesson: Lesson) -> None:
    lesson.open(lesson="weights", at="1").shows("0.5972", "0.2945", "0.1083")
    lesson.type_in_cell(0, "2")
    lesson.type_in_cell(1, "1")
    lesson.type_in_cell(2, "0")
    lesson.shows("0.6652", "0.2447", "0.0900")
    lesson.press("Next")
    lesson.press("Back")
    lesson.shows("0.6652", "0.2447", "0.0900")
    lesson.page.get_by_role("link", name=words.WHOLE_PAGE).click()
    lesson.line.wait_for()
    lesson.shows("0.6652", "0.2447", "0.0900")


def test_the_first_press_after_a_restart_of_the_server_counts(browser, watch) -> None:
    server = Server()
    try:
        lesson = Lesson(Screen(watch.visitor(browser), server.base)).open(lesson="masks")
        lesson.page.get_by_test_id("stRadio").locator("[role=radiogroup] label").nth(1).click()
        expect(lesson.page.get_by_role("radio").nth(1)).to_be_checked()
        lesson.page.wait_for_timeout(500)  # the choice has reached the server
        server.stop(signal.SIGKILL)
        with lesson.page.expect_websocket():
            server.start()
        lesson.page.wait_for_timeout(1000)  # the handshake
        lesson.press("Commit")
        expect(lesson.reply).to_have_attribute("data-ok", "true")
        lesson.links_to(lesson="masks", answers="2")
        server.stop(signal.SIGKILL)
        with lesson.page.expect_websocket():
            server.start()
        lesson.page.wait_for_timeout(1000)
        lesson.press("Next")
        lesson.begins(2)
        lesson.links_to(lesson="masks", at="1", answers="2")
    finally:
        server.stop()


def test_a_lesson_of_ones_own_opens_from_a_file(lesson: Lesson, tmp_path) -> None:
    mine = tmp_path / "mine.toml"
    text = lessons.lesson_text("weights")
    mine.write_text(text.replace("[[step]]", "[[stop]]", 1), "utf-8")
    picker = lesson.open().page.locator("input[type=file]")
    picker.set_input_files(mine)
    expect(lesson.warnings).to_contain_text("Line 4: a lesson has no 'stop'; did you mean step?")
    mine.write_text(text.replace("From scores to weights", "<img src=x onerror=alert(1)>"), "utf-8")
    picker.set_input_files(mine)
    lesson.links_to(lesson="own")
    expect(lesson.page.get_by_role("heading", name="<img src=x")).to_be_visible()
    assert lesson.page.locator("img[src=x]").count() == 0


def test_everything_on_a_lesson_has_a_name_and_fits_a_phone(visitor) -> None:
    phone = {"is_mobile": True, "has_touch": True, "device_scale_factor": 2}
    lesson = Lesson(visitor(viewport={"width": 390, "height": 844}, **phone))
    for params in (
        {},
        {"lesson": "weights", "answers": "0.5 0.3 0.2"},
        {"lesson": "masks", "at": "1"},
        {"lesson": "masks", "at": "5", "answers": "1_done_2_~e_~e_1 0 0"},
        {"lesson": "mistakes", "at": "6"},
        {"lesson": "card"},
        {"lesson": "weights", "at": "7"},
    ):
        lesson.open(**params).page.wait_for_timeout(300)
        assert (params, too_wide(lesson)) == (params, [])
        assert (params, nameless(lesson)) == (params, [])


LESSON_TEXTS = CONTRASTS.replace(
    ".av-steps *", ".av-steps *, .av-predict *, .av-answer *, .av-trail *"
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(lesson: Lesson, scheme: str) -> None:
    assert LESSON_TEXTS != CONTRASTS
    lesson.page.emulate_media(color_scheme=scheme)
    for params in ({"answers": "0.5 0.3 0.2"}, {"at": "3", "answers": "~e_~e_~e_0.5"}):
        lesson.open(lesson="weights", **params).reply.or_(
            lesson.page.locator(".av-truth").first
        ).first.wait_for()
        found = lesson.page.evaluate(LESSON_TEXTS)
        assert len(found) >= 3
        assert [(text, kind, ratio) for text, kind, ratio in found if ratio < 4.5] == []
