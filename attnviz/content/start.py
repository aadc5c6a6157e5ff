"""The start page in words: what attnviz is, and the ways on."""

from __future__ import annotations

from dataclasses import dataclass, field

HEADING = "## attnviz"
SENTENCE = (
    "Softmax turns scores into weights that are positive and sum to 1. Change a score or the"
    " temperature and watch: every number can be checked by hand, and every page is a link."
)


@dataclass(frozen=True)
class Door:
    """A link to a prepared state of a page."""

    label: str
    params: dict[str, str] = field(default_factory=dict)
    page: str = "softmax"
    here: bool = False  # opens the numbers that stand on the start page


@dataclass(frozen=True)
class Way:
    """One way on: a heading in Markdown and a few links."""

    heading: str
    doors: tuple[Door, ...]


WAYS = (
    Way(
        "**Explore**: type your own scores",
        (
            Door("Open these scores step by step", here=True),
            Door("Eight words of a sentence", {"preset": "sentence"}),
            Door("A trained head", {"preset": "minilm-it-animal"}, page="attention"),
            Door("Where float16 breaks", {"preset": "half"}, page="numerics"),
        ),
    ),
    Way(
        "**Learn**: work it out by hand",
        (
            Door("Lesson 1: from scores to weights", {"lesson": "weights"}, page="lessons"),
            Door("All lessons", page="lessons"),
            Door("1/√2, 0, −1 step by step", {"preset": "three-scores", "pick": "weight:0"}),
            Door("Why √d_k", {"preset": "study"}, page="scaling"),
        ),
    ),
    Way(
        "**Teach**: open it in front of a class",
        (
            Door("1000, 1000: the naive formula fails", {"preset": "overflow"}),
            Door("Add 100, or multiply by 2", {"preset": "beta-1", "panel": "moves"}),
            Door("A gap of 5 is a ratio of 148", {"preset": "gap-5"}),
            Door(
                "A head, one stage at a time",
                {"preset": "alignment", "view": "lecture", "step": "1"},
                page="attention",
            ),
            Door("Draw the next word", {"preset": "cat"}, page="sampling"),
        ),
    ),
)
