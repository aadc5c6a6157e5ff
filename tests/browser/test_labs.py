"""The laboratories in a browser: typing, the slider, draws, a phone, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE, Screen
from tests.browser.test_access import CONTRASTS, nameless, too_wide

expect.set_options(timeout=PATIENCE * 1000)
PAGES = ("numerics", "scaling", "sampling")
STATES = [
    ("/numerics", {"preset": "half"}),
    ("/numerics", {"preset": "mask-all"}),
    ("/numerics", {"preset": "online", "at": "3"}),
    ("/numerics", {"panel": "export"}),
    ("/scaling", {}),
    ("/scaling", {"preset": "two-keys"}),
    ("/sampling", {"preset": "order"}),
    ("/sampling", {"preset": "cat", "draws": "1000"}),
]


class Lab(Screen):
    """What a person sees and does in a laboratory."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen.page, screen.base)

    def ready(self) -> Lab:
        """Wait until something is drawn."""
        self.page.locator(".av-plot .js-plotly-plot, .av-steps td").first.wait_for()
        return self

    def open(self, path: str = "/sampling", **params: str) -> Lab:
        """Open an address and wait for what is drawn."""
        super().open(path, **params)
        return self

    def box(self, label: str):
        """Return a text box of Streamlit's own."""
        return self.page.get_by_role("textbox", name=label, exact=True)

    def press(self, name: str) -> None:
        """Click a button."""
        self.page.get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def lab(screen: Screen) -> Lab:
    return Lab(screen)


def test_the_overflow_of_float16_is_found_by_hand_with_the_slider_and_by_typing(lab: Lab) -> None:
    lab.open("/numerics", scores="0_-20")
    rows = lab.page.locator(".av-steps table").first.locator("tbody tr")
    expect(rows.first).to_contain_text("none")
    lab.box("Added to every score").fill("11.05")
    lab.page.keyboard.press("Enter")
    lab.links_to(scores="0_-20", shift="11.05")
    details = lab.page.locator(".av-steps table").last.locator("tbody tr").first
    expect(details).to_contain_text("11.0469")  # what float16 makes of 11.05
    expect(rows.first).to_contain_text("none")
    slider = lab.page.get_by_role("slider").first
    slider.focus()
    for _ in range(5):
        lab.page.keyboard.press("ArrowRight")
    lab.links_to(scores="0_-20", shift="11.1")
    expect(rows.first).to_contain_text("exp of k1")
    expect(lab.box("Added to every score")).to_have_value("11.1")
    lab.page.go_back()
    lab.until(lambda: lab.link().get("shift", "") < "11.1", True)


def test_filters_are_typed_and_words_are_drawn(lab: Lab) -> None:
    lab.open("/sampling", logits="2_1_1_0", labels="a_b_c_d")
    lab.until(lab.bar_texts, ["0.5344", "0.1966", "0.1966", "0.0723"])
    lab.box("Top-k").fill("2")
    lab.page.keyboard.press("Enter")
    lab.until(lab.bar_texts, ["0.5761", "0.2119", "0.2119", "cut"])
    lab.press("10,000")
    lab.links_to(logits="2_1_1_0", labels="a_b_c_d", top_k="2", draws="10000")
    growth = lab.page.locator(".av-steps table").last
    expect(growth).to_contain_text("10,000 drawn")
    lab.type_in_cell(3, "9")
    lab.until(lambda: lab.bar_texts()[0], "9.111e−4")


def test_the_study_shows_its_curves_and_can_be_left(lab: Lab) -> None:
    lab.open("/scaling", n_k="4", draws="20").choose_panel("Against d_k")
    lab.press("Draw all widths from 1 to 1,024")
    expect(lab.page.locator(".av-plot .js-plotly-plot")).to_have_count(3)
    expect(lab.page.get_by_role("progressbar")).to_have_count(0)
    lab.links_to(n_k="4", draws="20", panel="study", study="on")
    expect(lab.page.locator(".av-steps tbody tr")).to_have_count(11)


def test_blocks_are_read_with_the_keyboard(lab: Lab) -> None:
    lab.open("/numerics", preset="online").page.get_by_role("button", name="Next block").focus()
    lab.page.keyboard.press("Enter")
    lab.links_to(preset="online", at="2")
    expect(lab.page.locator(".av-steps caption").last).to_have_text("2 of 3 blocks have been read")


def test_everything_in_the_laboratories_has_a_name_and_fits_a_phone(visitor) -> None:
    phone = {"is_mobile": True, "has_touch": True, "device_scale_factor": 2}
    lab = Lab(visitor(viewport={"width": 390, "height": 844}, **phone))
    for path, params in STATES:
        lab.open(path, **params).page.wait_for_timeout(300)
        assert (path, params, too_wide(lab)) == (path, params, [])
        assert (path, params, nameless(lab)) == (path, params, [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(lab: Lab, scheme: str) -> None:
    lab.page.emulate_media(color_scheme=scheme)
    for path, params in STATES:
        if params.get("preset") == "two-keys":
            continue  # texts on coloured cells: the tests of the heatmap measure them
        found = lab.open(path, **params).page.evaluate(CONTRASTS)
        assert len(found) > 3
        assert [(path, text, ratio) for text, _, ratio in found if ratio < 4.5] == []
