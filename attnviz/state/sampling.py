"""What a person can set on the sampling page: logits, temperature, filters, draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from attnviz.state.fields import Field, choice, declared, plain
from attnviz.state.keyed import OneRow, read_whole
from attnviz.state.matrix import Matrix, matrix, read_cells, write_cells
from attnviz.state.numbers import Cell, read_number
from attnviz.state.softmax import HIDE, LABELS, MAX_KEYS, VIEW
from attnviz.state.temperature import TEMPERATURE, Temperature

MAX_DRAWS = 100_000
MAX_SEED = 9_999
PANELS = {"draws": "Draw words", "filters": "Filter by filter", "export": "Take it away"}
ORDERS = {
    "T-k-p-m": "T first",
    "k-p-m-T": "T last",
    "T-m-k-p": "T, then min-p",
    "m-k-p-T": "min-p first, T last",
}
STAGES = {"T": "temperature", "k": "top_k", "p": "top_p", "m": "min_p"}


def _read_part(low: float, closed: bool) -> Any:
    """Make a reader of a part of 1, or off."""

    def read(text: str) -> Cell | None:
        if text.strip().lower() == "off":
            return None
        cell = read_number(text)
        good = (cell.value >= low if closed else cell.value > low) and cell.value <= 1
        if not good:
            bound = f"from {low:g}" if closed else f"above {low:g}"
            raise ValueError(f"it is a number {bound}, at most 1, or off; got {text[:40]!r}")
        return cell

    return read


def _write_part(cell: Cell | None) -> str:
    return "off" if cell is None else cell.text


SCORES = Field(
    "scores",
    matrix("4 3 2 1.5 1 0 -1 -2"),
    "Logits",
    "One number for each word the model could say next.",
    {"logits": lambda text: read_cells(text, 1, MAX_KEYS)},
    lambda cells: ("logits", write_cells(cells)),
)
TOP_K = plain(
    "top_k",
    0,
    "Top-k",
    "Keep so many of the likeliest words, or off. Words that tie with the last one stay too.",
    read_whole(1, MAX_KEYS, {"off": 0}),
    lambda k: str(k) if k else "off",
)
TOP_P = plain(
    "top_p",
    None,
    "Top-p",
    "Keep the likeliest words until their probabilities sum to this, or off.",
    _read_part(0, closed=False),
    _write_part,
)
MIN_P = plain(
    "min_p",
    None,
    "Min-p",
    "Keep words that have at least this part of the likeliest word's probability, or off.",
    _read_part(0, closed=True),
    _write_part,
)
ORDER = choice(
    "order",
    ORDERS,
    "Order",
    "Top-k, top-p and min-p follow in this order unless the words say otherwise. Each step sees"
    " what the steps before it left.",
)
DRAWS = plain(
    "draws", 100, "Draws", "How many words are drawn.", read_whole(1, MAX_DRAWS),
)  # fmt: skip
SEED = plain("seed", 0, "Seed", "The same seed draws the same words.", read_whole(0, MAX_SEED))
PANEL = choice("panel", PANELS, "Look at", "The part of the page below the bars.")
_CHECKED: dict[str, Field] = {
    f.name: f for f in (TOP_K, TOP_P, MIN_P, ORDER, DRAWS, SEED, PANEL, VIEW)
}


@dataclass(frozen=True)
class SamplingState(OneRow):
    """One state of the sampling page; a state that exists is valid.

    Attributes
    ----------
    scores : tuple of tuple of Cell
        One row: the logits.
    labels : tuple of str
        The words.
    temperature : Temperature
    hide : tuple of int
        Words that may never be said.
    top_k : int
        0 when it is off.
    top_p, min_p : Cell or None
        None when it is off.
    order : str
        A name of `ORDERS`.
    draws, seed : int
    panel, view : str
    preset : str
        The preset it started from, or empty.
    """

    scores: Matrix = declared(SCORES)
    labels: tuple[str, ...] = declared(LABELS)
    temperature: Temperature = declared(TEMPERATURE)
    hide: tuple[int, ...] = declared(HIDE)
    top_k: int = declared(TOP_K)
    top_p: Cell | None = declared(TOP_P)
    min_p: Cell | None = declared(MIN_P)
    order: str = declared(ORDER)
    draws: int = declared(DRAWS)
    seed: int = declared(SEED)
    panel: str = declared(PANEL)
    view: str = declared(VIEW)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what no single field can know."""
        self.check_row(_CHECKED)

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the steps in their order."""
        return tuple(STAGES[letter] for letter in self.order.split("-"))

    @property
    def logits(self) -> tuple[float, ...]:
        """The logits, −∞ where a word may never be said."""
        return tuple(
            value if seen else float("-inf")
            for value, seen in zip(self.values, self.allowed, strict=True)
        )

    @property
    def filters(self) -> dict[str, Any]:
        """The filters as the core takes them: None where one is off."""
        return {
            "top_k": self.top_k or None,
            "top_p": self.top_p and self.top_p.value,
            "min_p": self.min_p and self.min_p.value,
        }

    @property
    def other_seed(self) -> int:
        """The next seed."""
        return self.seed + 1 if self.seed < MAX_SEED else 0
