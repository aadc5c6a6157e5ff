"""A server of our own, Debian's Chromium, and a watch: nothing may leave this machine.

``CHROMIUM`` names another browser. There is no skipping: without a browser the tests fail.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {HOST}",
]
PATIENCE = 15.0  # seconds until a page that is alive must have answered
NEVER_SHOWN = ("Traceback", "Something went wrong", 'File "', "Error:")


class Server:
    """``streamlit run app.py`` on a free port, ended by its process id."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        self.base = f"http://{HOST}:{self.port}"
        self._folder = tempfile.TemporaryDirectory(prefix="attnviz-server-")
        self._log = Path(self._folder.name) / "log"
        self.start()

    def start(self) -> None:
        """Start it, the first time or again on the same port, and wait until it is healthy."""
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        command += ["--server.address", HOST, "--server.port", str(self.port)]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        end = time.monotonic() + 60
        while not self._healthy():
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"the server did not start:\n{self.log()}")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and wait until it has ended."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def log(self) -> str:
        """Return what it has printed."""
        return self._log.read_text("utf-8", "replace")

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/_stcore/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False


class Watch:
    """Notes what must not happen on any page: foreign requests, dialogs, errors, tracebacks."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._pages: list[Page] = []
        self._contexts: list[BrowserContext] = []

    def visitor(self, browser: Browser, **options: Any) -> Page:
        """Return the page of a new visitor, who leaves when the test ends."""
        self._contexts.append(browser.new_context(**options))
        return self.follow(self._contexts[-1].new_page())

    def follow(self, page: Page) -> Page:
        """Watch a page from its first request on."""
        self._pages.append(page)
        page.set_default_timeout(PATIENCE * 1000)
        page.on("request", lambda request: self._address(request.url))
        page.on("websocket", lambda websocket: self._address(websocket.url))
        page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        page.on("popup", lambda popup: self.faults.append(f"popup: {popup.url}"))
        page.on("dialog", self._dialog)
        return page

    def close(self) -> None:
        """Look at the pages for the last time, close them and complain."""
        for page in self._pages:
            words = page.locator("body").inner_text()
            self.faults += [f"shown: {bad!r}" for bad in NEVER_SHOWN if bad in words]
            self.faults += ["st.exception"] * page.get_by_test_id("stException").count()
            page.close()
        for context in self._contexts:
            context.close()
        assert self.faults == []

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("data", "blob") or url == "about:blank":
            return
        if parts.hostname != HOST or parts.scheme not in ("http", "ws"):
            self.faults.append(f"request to {url[:200]}")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()


class Screen:
    """What a person sees and does on the start page and on the softmax page."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.cells = page.locator(".av-matrix .av-cell")
        self.labels = page.locator(".av-matrix .av-key")
        self.masks = page.locator(".av-matrix .av-mask")
        self.line = page.locator(".av-matrix textarea")
        self.errors = page.locator(".av-matrix .av-error")
        self.T = page.locator(".av-temperature .av-box").first
        self.beta = page.locator(".av-temperature .av-box").last
        self.slider = page.locator(".av-temperature .av-slider")
        self.table = page.locator(".av-steps table").first
        self.explained = page.locator(".av-steps .av-explain").first
        self.bars = page.locator(".av-plot").first
        self.warnings = page.locator('.av-facts[data-tone="warning"]')

    def open(self, path: str = "/softmax", **params: str) -> Screen:
        """Open an address, its parameters escaped; wait for the cells and what is drawn."""
        query = "?" + urlencode(params, quote_via=quote) if params else ""
        self.page.goto(self.base + path + query)
        return self.ready()

    def ready(self) -> Screen:
        """Wait until the cells are there and what follows from them, or a sentence instead."""
        self.cells.first.wait_for()
        self.page.locator(".av-plot .point path, .av-steps td, [role=alert] *").first.wait_for()
        return self

    def until(self, read: Callable[[], Any], expected: Any, seconds: float = PATIENCE) -> None:
        """Wait until `read` returns `expected`; fail with what it returned last."""
        end = time.monotonic() + seconds
        while (last := read()) != expected and time.monotonic() < end:
            self.page.wait_for_timeout(40)
        assert last == expected

    def scores(self) -> list[str]:
        """Return the texts in the cells."""
        return self.cells.evaluate_all("cells => cells.map(cell => cell.value)")

    def key_names(self) -> list[str]:
        """Return the texts in the boxes of the labels."""
        return self.labels.evaluate_all("boxes => boxes.map(box => box.value)")

    def rows(self, table: Locator | None = None) -> list[list[str]]:
        """Return the texts of a table's body, of the step table without another one."""
        read = "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
        shown = self.table if table is None else table
        return shown.evaluate(read) if shown.count() else []

    def weights(self) -> list[str]:
        """Return the last column of the step table."""
        return [row[-1] for row in self.rows()]

    def bar_texts(self) -> list[str]:
        """Return the texts on the bars from left to right."""
        read = """texts => texts.map(t => [t.getBoundingClientRect(), t.textContent])
            .map(([box, words]) => [box.x + box.width / 2, words])
            .sort((a, b) => a[0] - b[0]).map(([, words]) => words)"""
        return self.bars.locator(".bartext").evaluate_all(read)

    def bar_heights(self) -> list[float]:
        """Return the heights of the bars in the colours of the keys, on the axis from 0 to 1."""
        read = """plot => { const axis = plot._fullLayout.yaxis;
            return [...plot.querySelectorAll('.point path')]
            .filter(path => path.style.fillOpacity === '1')
            .map(path => path.getBBox().height / axis._length * axis.range[1]); }"""
        return self.bars.locator(".js-plotly-plot").evaluate(read)

    def shows(self, *weights: str) -> None:
        """Wait until table and bars show these weights, letter for letter."""
        self.until(self.weights, list(weights))
        on_bars = [weight.replace("0 (masked)", "masked") for weight in weights]
        self.until(self.bar_texts, on_bars)

    def link(self) -> dict[str, str]:
        """Return the parameters of the address."""
        return dict(parse_qsl(urlsplit(self.page.url).query, keep_blank_values=True))

    def links_to(self, **params: str) -> None:
        """Wait until the address holds exactly these parameters."""
        self.until(self.link, params)

    def history(self) -> int:
        """Return the length of the tab's history."""
        return self.page.evaluate("history.length")

    def type_in_cell(self, position: int, text: str) -> None:
        """Replace the text of a cell and leave it, with the keyboard."""
        self.cells.nth(position).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def type_temperature(self, text: str) -> None:
        """Replace the text of the T box and leave it, with the keyboard."""
        self.T.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def paste(self, into: Locator, text: str) -> None:
        """Paste over the text of a box from the clipboard."""
        self.page.evaluate("words => navigator.clipboard.writeText(words)", text)
        into.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Control+V")

    def focused(self) -> str:
        """Return the class and the name of what has the focus."""
        read = "({ className, ariaLabel, innerText }) => `${className} ${ariaLabel ?? innerText}`"
        return self.page.evaluate(f"({read})(document.activeElement)")

    def to_page(self, name: str) -> Screen:
        """Go to a page by the navigation at the top."""
        self.page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
        start = self.page.get_by_role("heading", name="attnviz", exact=True)
        (start if name == "Start" else self.line).wait_for()
        return self.ready()

    def choose_panel(self, name: str) -> None:
        """Click a panel."""
        self.page.get_by_role("radio", name=name, exact=True).click()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """One visitor for most tests: Streamlit's 9 MB stay in the cache."""
    shared = browser.new_context(viewport={"width": 1440, "height": 900})
    shared.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.base)
    yield shared
    shared.close()


@pytest.fixture
def watch(server: Server) -> Iterator[Watch]:
    watching = Watch()
    yield watching
    try:
        watching.close()
    except AssertionError:
        print(server.log()[-4000:])
        raise


@pytest.fixture
def tab(context: BrowserContext, server: Server, watch: Watch) -> Callable[[], Screen]:
    """Open one more tab of the same visitor."""
    return lambda: Screen(watch.follow(context.new_page()), server.base)


@pytest.fixture
def screen(tab: Callable[[], Screen]) -> Screen:
    return tab()


@pytest.fixture
def visitor(browser: Browser, server: Server, watch: Watch) -> Callable[..., Screen]:
    """Let another visitor come, with options for the browser's context."""
    return lambda **options: Screen(watch.visitor(browser, **options), server.base)
