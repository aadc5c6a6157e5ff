"""Measure key press to painted bars in Chromium, for the softmax page and for a bare app.

Run ``python -m tests.bench.latency``. Both apps run in one go and take turns, so that a noisy
machine disturbs both: read the ratios, not the milliseconds. Printed for each case: p50 and p95 of
the time from the key press to the frame in which the bars differ, bytes received per press and CPU
time of the server per press.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from attnviz.state.attention import AttentionState
from attnviz.state.links import encode
from attnviz.state.numbers import read_number

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TICK = os.sysconf("SC_CLK_TCK")

BARS = """[...document.querySelectorAll('.barlayer .point path')]
    .map((path) => path.getAttribute('d')).join()"""
WEIGHTS = """[...document.querySelectorAll('.av-stage')]
    .filter((stage) => stage.querySelector('figcaption').textContent.startsWith('Weights'))
    .flatMap((stage) => [...stage.querySelectorAll('td')])
    .map((cell) => cell.style.background + cell.textContent).join()"""

SEED = "[class*=set-seed] button"

# Resolves with the milliseconds from the next key press until the frame in which the picture
# differs has been painted: the first task after that frame.
WATCH = """
() => new Promise((done) => {
  const picture = () => PICTURE;
  const before = picture();
  let pressed = null;
  const down = () => { pressed ??= performance.now(); };
  addEventListener('keydown', down, { capture: true, once: true });
  const look = () => {
    const now = picture();
    if (pressed !== null && now && now !== before) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - pressed);
      port2.postMessage(0);
    } else requestAnimationFrame(look);
  };
  look();
})
"""


@dataclass
class Case:
    """One app with one key that changes it."""

    name: str
    script: Path
    path: str
    focus: str
    keys: tuple[str, str]
    port: int
    folder: Path
    picture: str = BARS
    times: list[float] = field(default_factory=list)
    received: int = 0
    cpu: float = 0.0
    server: subprocess.Popen[bytes] | None = None
    page: Page | None = None

    def start(self) -> None:
        """Start the server and wait until it is healthy."""
        command = [sys.executable, "-m", "streamlit", "run", str(self.script)]
        options = {"address": "127.0.0.1", "port": self.port, "headless": "true"}
        for name, value in options.items():
            command += [f"--server.{name}", str(value)]
        command += ["--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"]
        quiet = subprocess.DEVNULL
        self.server = subprocess.Popen(command, cwd=self.folder, stdout=quiet, stderr=quiet)
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=1)
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{self.name}: the server did not start")

    def open(self, new_page: Callable[[], Page]) -> None:
        """Open the page and count what it receives."""
        self.page = new_page()

        def count(payload: str | bytes) -> None:
            self.received += len(payload)

        self.page.on("websocket", lambda socket: socket.on("framereceived", count))
        self.page.goto(f"http://127.0.0.1:{self.port}{self.path}")
        ready = ".barlayer .point path" if self.picture == BARS else ".av-stage td[data-at]"
        self.page.wait_for_selector(ready, timeout=60_000)
        self.page.wait_for_timeout(1500)

    def used(self) -> float:
        """CPU seconds of the server so far."""
        assert self.server is not None
        parts = Path(f"/proc/{self.server.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / TICK

    def press(self, count: int, keep: bool) -> None:
        """Press the key so often, there and back, and keep the times or not."""
        assert self.page is not None
        self.page.bring_to_front()
        self.page.locator(self.focus).first.focus()
        cpu, received = self.used(), self.received
        for at in range(count):
            script = WATCH.replace("PICTURE", self.picture)
            watch = self.page.evaluate_handle(f"window.watched = ({script})(), 0")
            watch.dispose()
            self.page.keyboard.press(self.keys[at % 2])
            taken = self.page.evaluate("window.watched")
            self.page.wait_for_timeout(180)
            if keep:
                self.times.append(taken)
        if keep:
            self.cpu += self.used() - cpu
        else:
            self.received = received


def wide_head() -> str:
    """Return the link of a head with 64 queries, 64 keys and 64 columns."""
    drawn = random.Random(0)
    rows = [[str(drawn.choice((-1, 0, 1))) for _ in range(64)] for _ in range(64)]
    cells = tuple(tuple(read_number(text) for text in row) for row in rows)
    return urlencode(encode(AttentionState(q=cells, k=cells, v=cells, edit="q"), {}))


def main() -> None:
    """Run the cases in turns and print a table with ratios to the floor."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=6)
    options.add_argument("--presses", type=int, default=10)
    options.add_argument(
        "--only", default="", help="what the names of the cases to run begin with, between commas"
    )
    options.add_argument("--chromium", default=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
    chosen = options.parse_args()
    empty = Path(tempfile.mkdtemp())  # the floor runs with Streamlit's own settings
    floor, app = ROOT / "tests/bench/floor.py", ROOT / "app.py"
    arrows, nudges = ("ArrowLeft", "ArrowRight"), ("Shift+ArrowUp", "Shift+ArrowDown")
    slider = "[data-testid=stSlider] input[type=range], [data-testid=stSlider] [role=slider]"
    cases = [
        Case("floor as shipped", floor, "/", slider, arrows, 8771, empty),
        Case("softmax: temperature", app, "/softmax", ".av-slider", arrows, 8772, ROOT),
        Case("softmax: a score", app, "/softmax", ".av-cell", nudges, 8773, ROOT),
        Case("start: a score", app, "/", ".av-cell", nudges, 8774, ROOT),
        Case("numerics: a score", app, "/numerics", ".av-cell", nudges, 8778, ROOT),
        Case("sampling: a logit", app, "/sampling", ".av-cell", nudges, 8779, ROOT),
        Case("scaling: another seed", app, "/scaling", SEED, ("Enter", "Enter"), 8780, ROOT),
        *(
            Case(f"attention: a cell, {name}", app, path, ".av-cell", nudges, port, ROOT, WEIGHTS)
            for name, path, port in (
                ("4 × 4", "/attention?preset=random-0", 8775),
                ("16 × 16", "/attention?preset=minilm-it-animal&edit=q", 8776),
                ("64 × 64", f"/attention?{wide_head()}", 8777),
            )
        ),
    ]
    cases = [
        case
        for case in cases
        if case is cases[0] or case.name.startswith(tuple(chosen.only.split(",")))
    ]
    try:
        for case in cases:
            case.start()
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chosen.chromium, args=FLAGS)
            for case in cases:
                context = browser.new_context(viewport={"width": 1440, "height": 900})
                case.open(context.new_page)
                case.press(6, keep=False)
            for _ in range(chosen.rounds):
                for case in cases:
                    case.press(chosen.presses, keep=True)
            browser.close()
    finally:
        for case in cases:
            if case.server is not None:
                case.server.terminate()
                case.server.wait(10)
    base = cases[0]
    heads = ("p50 ms", "p95", "kB", "CPU ms", "p50 ratio", "CPU ratio")
    print(f"{'case':30}" + "".join(f"{head:>10}" for head in heads))
    for case in cases:
        presses = len(case.times)
        p50, p95 = statistics.median(case.times), statistics.quantiles(case.times, n=20)[-1]
        ratio = p50 / statistics.median(base.times)
        print(
            f"{case.name:30}{p50:10.0f}{p95:10.0f}{case.received / presses / 1000:10.1f}"
            f"{1000 * case.cpu / presses:10.1f}{ratio:10.2f}{case.cpu / base.cpu:10.2f}"
        )


if __name__ == "__main__":
    main()
