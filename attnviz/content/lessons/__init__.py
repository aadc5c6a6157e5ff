"""Lessons: what a person reads and is asked, one TOML file a lesson, and the types they become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from attnviz.state.matrix import Matrix
from attnviz.state.temperature import Temperature

FOLDER = Path(__file__).parent
KINDS = {
    "predict": "Predict",
    "see": "See",
    "explain": "Explain",
    "task": "Hands on",
    "code": "Code",
    "check": "Check",
}
ORDER = (
    "weights",
    "softmax",
    "sharpen",
    "differences",
    "overflow",
    "masks",
    "head",
    "scaling",
    "spread",
    "try-it",
    "mistakes",
)


FIRST = ORDER[0]


class LessonError(ValueError):
    """What is wrong with the file of a lesson, and where.

    Parameters
    ----------
    line : int
        From 1.
    sentence : str

    Attributes
    ----------
    line : int
    others : tuple of LessonError
        What else is wrong, in other steps.
    """

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"Line {line}: {sentence}")
        self.line = line
        self.others: tuple[LessonError, ...] = ()


class Faults:
    """Goes on after a fault, so that a writer learns of all of them at once."""

    def __init__(self) -> None:
        self._found: list[LessonError] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the fault that is raised inside, and go on.

        Yields
        ------
        None
        """
        try:
            yield
        except LessonError as fault:
            self._found.append(fault)

    def complain(self) -> None:
        """Raise the first fault with the others; do nothing where there is none."""
        if self._found:
            self._found[0].others = tuple(self._found[1:])
            raise self._found[0]


@dataclass(frozen=True)
class Option:
    """One answer to a closed question.

    Attributes
    ----------
    text : str
    reply : str
        What is said to whoever chooses it.
    right : bool
    """

    text: str
    reply: str
    right: bool


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that a lesson expects, with what it says to it.

    Attributes
    ----------
    answer, reply : str
        As a person types it; both may hold live numbers.
    """

    answer: str
    reply: str


@dataclass(frozen=True)
class GivenTexts:
    """The numbers that a step starts from, as they are written in the file.

    Attributes
    ----------
    scores, q, k, v : tuple of tuple of Cell, or None
    temperature : Temperature
    scale : float or None
        Factor of the dot products; 1/√d_k without it.
    hide : tuple of int
        Keys that no query may attend to, from 0.
    mask : str
        ``"causal"`` or empty.
    """

    scores: Matrix | None = None
    q: Matrix | None = None
    k: Matrix | None = None
    v: Matrix | None = None
    temperature: Temperature = field(default_factory=lambda: Temperature("T", "1"))
    scale: float | None = None
    hide: tuple[int, ...] = ()
    mask: str = ""

    @property
    def n_k(self) -> int:
        """Number of keys; 0 where nothing is given."""
        return len(self.scores[0]) if self.scores else len(self.k) if self.k else 0


@dataclass(frozen=True)
class Step:
    """One thing at a time: something to read and at most one question.

    Attributes
    ----------
    kind : str
        A name of `KINDS`.
    title, say, ask : str
        Markdown; ``{{weights.0}}`` is a live number.
    options : tuple of Option
        Of a closed question.
    bars : bool
        True when the weights are predicted by drawing them as bars.
    given : GivenTexts
    also : mapping of str to GivenTexts
        Other numbers that the texts quote, as ``{{name.weights.0}}``.
    answer : str
        The number that is asked for, such as ``weights``.
    at : tuple of int
        Its place.
    decimals : int
        To how many the answer must be right.
    well : str
        What is said after a right answer.
    wrong : tuple of Wrong
        Wrong answers that have a reply of their own.
    hints : tuple of str
        A nudge, the next step, the worked step.
    redraw : tuple of str
        Which of scores, q, k, v and hide are drawn anew.
    pool : tuple of float
        The numbers they are drawn from.
    explore : str
        The explorer that is embedded: ``softmax``, ``arithmetic`` (only its scores, its table and
        its bars), ``attention``, ``masks`` (the masks and two stages of attention) or empty.
    open : str
        The state it opens with, as the query of a link.
    panel : str
        The panel below it, or empty.
    function : str
        What is to be written, a name of `attnviz.content.code.NAMES`.
    line : int
        Where it begins in its file, from 1.
    """

    kind: str
    title: str
    say: str
    ask: str = ""
    options: tuple[Option, ...] = ()
    bars: bool = False
    given: GivenTexts = field(default_factory=GivenTexts)
    also: Mapping[str, GivenTexts] = field(default_factory=dict)
    answer: str = ""
    at: tuple[int, ...] = ()
    decimals: int = 3
    well: str = ""
    wrong: tuple[Wrong, ...] = ()
    hints: tuple[str, ...] = ()
    redraw: tuple[str, ...] = ()
    pool: tuple[float, ...] = ()
    explore: str = ""
    open: str = ""
    panel: str = ""
    function: str = ""
    line: int = 1

    @property
    def asks(self) -> bool:
        """True when there is something to answer."""
        return bool(self.options or self.bars or self.answer)

    @property
    def tolerance(self) -> float:
        """Largest difference from the right number that is taken as right.

        A tenth more than half of the last decimal: a number of the screen may be rounded again.
        """
        return 0.55 * 10.0**-self.decimals


@dataclass(frozen=True)
class Lesson:
    """A lesson, in order.

    Attributes
    ----------
    title, goal : str
        What it is called, and what one can do after it.
    steps : tuple of Step
    """

    title: str
    goal: str
    steps: tuple[Step, ...]

    def step(self, at: int) -> Step:
        """Return a step.

        Parameters
        ----------
        at : int
            From 0.

        Returns
        -------
        Step
        """
        return self.steps[at]


@cache
def lesson_text(name: str) -> str:
    """Return the file of a lesson of ours.

    Parameters
    ----------
    name : str
        A name of `ORDER`.

    Returns
    -------
    str
    """
    if name not in ORDER:
        raise KeyError(name)
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
