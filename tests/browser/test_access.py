"""Everybody: keyboard, names for screen readers, contrast, phones and projectors."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Screen

STATES = {
    "plain": {},
    "masked and explained": {"scores": "3_1_1_-1", "hide": "1", "pick": "weight:1"},
    "eight words": {"preset": "sentence"},
    "two keys": {"panel": "pair"},
    "add or multiply": {"panel": "moves"},
    "naive": {"panel": "naive", "scores": "1000_1000"},
    "all queries": {"panel": "rows", "scores": "2_1_0~0_1_2"},
    "take away": {"panel": "export"},
    "notes": {"scores": "1,x,2", "T": "-3"},
}


# -- the keyboard alone ---------------------------------------------------------------------------


def tab_to(screen: Screen, wanted: str) -> None:
    """Press Tab until something has the focus whose class or name holds `wanted`."""
    passed = []
    while wanted not in (focused := screen.focused()):
        passed.append(focused)
        assert len(passed) < 40, passed
        screen.page.keyboard.press("Tab")


def test_everything_can_be_done_with_the_keyboard_alone(screen: Screen) -> None:
    screen.open().shows("0.6652", "0.2447", "0.0900")
    press, typed = screen.page.keyboard.press, screen.page.keyboard.type
    tab_to(screen, "av-cell score of k1")
    typed("3")
    press("ArrowUp")
    assert screen.focused() == "av-key Label of key 1"
    press("ArrowRight")
    assert screen.focused() == "av-key Label of key 2"
    typed("cat")
    press("ArrowDown")
    assert screen.focused() == "av-cell score of cat"
    press("ArrowDown")
    assert screen.focused() == "av-mask Mask cat"
    press("ArrowRight")
    press("Space")
    expect(screen.masks.nth(2)).to_be_checked()
    screen.shows("0.8808", "0.1192", "0 (masked)")
    press("Space")
    expect(screen.masks.nth(2)).not_to_be_checked()
    assert screen.focused() == "av-mask Mask k3"
    screen.links_to(scores="3_1_0", labels="k1_cat_k3")

    tab_to(screen, "av-slider")
    for _ in range(15):
        press("ArrowRight")
    expect(screen.T).to_have_value("2")
    screen.shows("0.6285", "0.2312", "0.1402")

    tab_to(screen, "Against β")
    for _ in range(3):
        press("ArrowRight")
    press("Space")
    screen.until(lambda: screen.link().get("panel"), "moves")


def test_the_explanation_of_a_chosen_number_comes_into_sight(screen: Screen) -> None:
    screen.page.set_viewport_size({"width": 1024, "height": 420})
    screen.open().table.scroll_into_view_if_needed()
    screen.table.locator("td").first.click()
    expect(screen.explained).to_be_in_viewport(ratio=0.9)


def test_a_number_of_the_table_is_chosen_and_explained_with_the_keyboard(screen: Screen) -> None:
    screen.open().shows("0.6652", "0.2447", "0.0900")
    press = screen.page.keyboard.press
    chosen = screen.table.locator("[aria-selected=true]")
    screen.page.get_by_role("textbox", name="Reference at T").focus()
    press("Tab")
    assert screen.page.evaluate("document.activeElement.dataset.pick") == "score:0"
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        press(key)
    press("Enter")
    expect(chosen).to_have_text("0.2447")
    expect(screen.explained).to_contain_text("weight[k2] = exp / Σ exp = 0.3679 / 1.5032 = 0.2447")
    screen.links_to(pick="weight:1")
    press("ArrowLeft")
    press("Space")
    screen.links_to(pick="exp:1")
    expect(chosen).to_be_focused()
    press("Enter")
    screen.links_to()
    expect(screen.explained).to_be_hidden()


def test_shift_and_arrow_change_a_score_by_a_tenth(screen: Screen) -> None:
    screen.open().cells.first.focus()
    screen.page.keyboard.press("Shift+ArrowUp")
    screen.page.keyboard.press("Shift+ArrowUp")
    screen.page.keyboard.press("Shift+ArrowDown")
    screen.links_to(scores="2.1_1_0")
    assert screen.focused() == "av-cell score of k1"


# -- names ----------------------------------------------------------------------------------------

NEEDS_NAME = {
    *("button", "textbox", "slider", "switch", "radio", "combobox", "link", "checkbox", "option"),
    *("grid", "img", "radiogroup"),
}


@pytest.mark.parametrize("state", STATES)
def test_everything_one_can_use_has_a_name(screen: Screen, state: str) -> None:
    screen.open(**STATES[state]).page.locator(".av-plot .point").first.wait_for()
    assert nameless(screen) == []
    assert screen.page.locator(".av-grid").get_attribute("role") == "grid"
    assert screen.table.get_attribute("role") == "grid"
    expect(screen.slider).to_have_attribute("aria-valuetext", "T = 1")


def nameless(screen: Screen) -> list[str]:
    """Return what Chromium would hand to a screen reader without a name."""
    session = screen.page.context.new_cdp_session(screen.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        if (
            node["ignored"]
            or role not in NEEDS_NAME
            or node.get("name", {}).get("value", "").strip()
        ):
            continue
        what = session.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
        found.append(f"{role} {what['localName']} {what.get('attributes')}")
    session.detach()
    return found


# -- light and dark -------------------------------------------------------------------------------

CONTRASTS = """() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const over = (layers) => { // colours, the lowest first
    pen.clearRect(0, 0, 1, 1);
    for (const [colour, alpha] of layers) {
      pen.globalAlpha = alpha; pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb.map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  const look = (node, words, svg) => {
    const style = getComputedStyle(node);
    const layers = [];
    let alpha = 1;
    for (let at = node; at; at = at.parentElement) {
      const s = getComputedStyle(at);
      alpha *= Number(s.opacity);
      layers.unshift([s.backgroundColor, 1]);
    }
    const ground = [['white', 1], ...layers];
    const ink = over([...ground, [svg ? style.fill : style.color, alpha]]);
    const [a, b] = [light(ink), light(over(ground))].sort((x, y) => y - x);
    found.push([words, node.className.baseVal ?? node.className, (a + 0.05) / (b + 0.05)]);
  };
  const parts = '.av-matrix *, .av-temperature *, .av-steps *, .av-facts *, .av-copy *, .av-save *';
  for (const node of document.querySelectorAll(parts)) {
    const words = node.matches('textarea, input:not([type=range])') ? node.value :
      [...node.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('');
    const box = node.getBoundingClientRect();
    if (words.trim() && box.width > 1 && box.height > 1 && !node.disabled) look(node, words, false);
  }
  for (const node of document.querySelectorAll('.av-plot svg text')) {
    if (/[\\p{L}\\p{N}]/u.test(node.textContent)) look(node, node.textContent, true);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(screen: Screen, scheme: str) -> None:
    screen.page.emulate_media(color_scheme=scheme)
    for state in ("masked and explained", "naive", "notes", "all queries"):
        screen.open(**STATES[state]).page.locator(".av-plot .xtick text").first.wait_for()
        found = screen.page.evaluate(CONTRASTS)
        assert len(found) > 30
        assert [(words, kind, ratio) for words, kind, ratio in found if ratio < 4.5] == []
    screen.type_in_cell(0, "words")
    expect(screen.errors).not_to_be_empty()
    screen.type_temperature("-1")
    expect(screen.page.locator(".av-temperature .av-error")).not_to_be_empty()
    found = screen.page.evaluate(CONTRASTS)
    assert [(words, kind, ratio) for words, kind, ratio in found if ratio < 4.5] == []


def test_light_turns_dark_while_the_page_is_open(screen: Screen) -> None:
    screen.page.emulate_media(color_scheme="light")
    screen.open().shows("0.6652", "0.2447", "0.0900")
    paper = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    ink = "getComputedStyle(document.querySelector('.av-plot .xtick text')).fill"
    light = [screen.page.evaluate(paper), screen.page.evaluate(ink)]
    screen.page.emulate_media(color_scheme="dark")
    screen.until(lambda: screen.page.evaluate(paper), "rgb(14, 17, 23)")
    screen.until(lambda: screen.page.evaluate(ink), "rgb(238, 240, 246)")
    assert light == ["rgb(255, 255, 255)", "rgb(28, 32, 48)"]


# -- large and small screens ----------------------------------------------------------------------


def tops(screen: Screen) -> dict[str, float]:
    """Return where the four parts of the page begin."""
    parts = {
        "scores": screen.cells.first,
        "temperature": screen.T,
        "table": screen.table,
        "bars": screen.bars,
    }
    return {name: part.bounding_box()["y"] for name, part in parts.items()}


def too_wide(screen: Screen) -> list[str]:
    """Return what reaches over the right edge of the window without a box that scrolls."""
    read = """() => {
      const right = document.documentElement.clientWidth + 1;
      const own = '.av-scroll, [data-testid=stCode], .av-hidden, .draglayer'; // or not seen
      const wide = [...document.querySelectorAll('.av-matrix *, .av-temperature *, .av-plot *, '
          + '.av-facts *, .av-steps *, [data-testid=stMain] button, [data-testid=stMain] input')]
        .filter((node) => !node.closest(own) && node.getBoundingClientRect().right > right)
        .map((node) => `${node.tagName} ${node.className.baseVal ?? node.className}`);
      const page = document.scrollingElement.scrollWidth;
      const main = document.querySelector('[data-testid=stMain]');
      if (page >= right) wide.push(`the document: ${page}`);
      if (main.scrollWidth > main.clientWidth + 1) wide.push(`the page: ${main.scrollWidth}`);
      return wide.slice(0, 8);
    }"""
    return screen.page.evaluate(read)


@pytest.mark.parametrize(
    ("size", "scale"), [((390, 844), 2), ((640, 360), 2), ((1024, 768), 1), ((1440, 900), 1)]
)
def test_nothing_is_wider_than_the_window(visitor, size: tuple[int, int], scale: int) -> None:
    width, height = size
    phone = {"is_mobile": True, "has_touch": True} if width == 390 else {}
    screen = visitor(
        viewport={"width": width, "height": height}, device_scale_factor=scale, **phone
    )
    many = "_".join("0" * 40)
    long = "_".join(["internationalisation" * 3, "m" * 60, "k3"])
    hard = ({"scores": many}, {"labels": long, "pick": "weight:1"}, {"view": "lecture"})
    for params in (*(STATES.values() if phone else (STATES["eight words"],)), *hard):
        screen.open(**params).page.locator(".av-plot .point").first.wait_for()
        assert (params, too_wide(screen)) == (params, [])


def test_a_phone_shows_scores_temperature_table_and_bars_in_this_order(visitor) -> None:
    screen = visitor(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    screen.open().shows("0.6652", "0.2447", "0.0900")
    where = tops(screen)
    assert sorted(where, key=where.get) == ["scores", "temperature", "table", "bars"]
    assert screen.bars.bounding_box()["width"] > 300
    screen.cells.nth(1).tap()
    screen.page.keyboard.type("2")
    screen.shows("0.4683", "0.4683", "0.0634")


@pytest.mark.parametrize("params", [{}, {"preset": "sentence"}], ids=["three keys", "eight keys"])
def test_a_laptop_shows_scores_temperature_table_and_bars_at_once(visitor, params) -> None:
    screen = visitor(viewport={"width": 1440, "height": 900})
    screen.open(**params).page.locator(".av-plot .point").first.wait_for()
    screen.until(lambda: len(screen.bar_texts()), len(screen.cells.all()))
    for part in (screen.cells.last, screen.T, screen.slider, screen.table, screen.bars):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900
        assert box["x"] + box["width"] <= 1440
