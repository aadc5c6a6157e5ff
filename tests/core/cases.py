"""Rows of scores that more than one test file draws, and the golden values."""

import json
import math
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st

GOLDEN = json.loads((Path(__file__).parents[1] / "golden.json").read_text(encoding="utf-8"))

#: The same examples in every run: a red test is red for everybody.
seeded = settings(derandomize=True, deadline=None, max_examples=100)

finite = st.floats(-1e6, 1e6)
betas = st.one_of(st.floats(1e-3, 1e3), st.just(0.0))


@st.composite
def rows(draw, min_size=1, max_size=9, elements=finite):
    """Draw a row of scores in which at least one key is allowed and others may be -inf."""
    scores = draw(st.lists(elements, min_size=min_size, max_size=max_size))
    hidden = draw(st.sets(st.integers(0, len(scores) - 1), max_size=len(scores) - 1))
    return [-math.inf if i in hidden else score for i, score in enumerate(scores)]


def number(text):
    """Read a golden score: a number, -inf, or 1/sqrt(2)."""
    return 1 / math.sqrt(2) if text == "1/sqrt(2)" else float(text)
