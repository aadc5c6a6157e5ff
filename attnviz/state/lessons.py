"""What a person can set on the lessons page: the lesson, the step, the answers, the help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from attnviz.state.edits import Edited, sentence
from attnviz.state.fields import Field, FieldError, declared, plain, quoted
from attnviz.state.links import read_list, write_list
from attnviz.state.matrix import Matrix
from attnviz.state.numbers import Ambiguous, NotNumbers, read_matrix, read_number

MAX_STEPS = 40
MAX_ANSWER = 300
MAX_SEED = 9_999
MAX_HELP = 9
OWN = "own"  # the lesson that was opened from a file
DONE = "done"  # the answer to a step that asks nothing, or was right with other numbers
NOT_DONE = "open"  # the same, when it was taken back
_TRUE, _FALSE = re.compile(r"(?i)\btrue\b"), re.compile(r"(?i)\bfalse\b")
_NAME = re.compile(r"[a-z0-9-]{0,40}")


def _read_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"it is a name of small letters, digits and -; got {quoted(text)}")
    return text


def _read_count(largest: int) -> Any:
    def read(text: str) -> int:
        digits = text.strip()
        if not (digits.isascii() and digits.isdigit() and int(digits[:6]) <= largest):
            raise ValueError(f"it is a whole number from 0 to {largest}; got {quoted(text)}")
        return int(digits)

    return read


def _read_answers(text: str) -> tuple[str, ...]:
    answers = read_list(text)
    if len(answers) > MAX_STEPS or any(len(answer) > MAX_ANSWER for answer in answers):
        raise ValueError(f"at most {MAX_STEPS} answers of {MAX_ANSWER} characters each")
    return answers


def _read_seeds(text: str) -> tuple[int, ...]:
    parts = read_list(text)
    if len(parts) > MAX_STEPS:
        raise ValueError(f"at most {MAX_STEPS} seeds, one for each step")
    return tuple(_read_count(MAX_SEED)(part) for part in parts)


def _read_help(text: str) -> tuple[int, int]:
    step, count = (_read_count(MAX_STEPS - 1), _read_count(MAX_HELP))
    parts = read_list(text)
    if len(parts) != 2:
        raise ValueError(f"it is a step and a number of hints such as 3_1; got {quoted(text)}")
    return step(parts[0]), count(parts[1])


LESSON = plain("lesson", "", "Lesson", "The name of the lesson; none is the contents.", _read_name)
AT = plain("at", 0, "Step", "The step that is open, from 0.", _read_count(MAX_STEPS - 1))
SEEDS = Field(
    "seeds",
    (),
    "Seeds",
    "One for each step: 0 for the numbers of the lesson, others draw fresh ones.",
    {"seed": _read_seeds},
    lambda seeds: ("seed", "_".join(map(str, seeds))),
)
ANSWERS = plain("answers", (), "Answers", "One for each step, in order.", _read_answers, write_list)
HELP = plain(
    "help", (0, 0), "Help", "A step, from 0, and how many of its hints are open.", _read_help,
    lambda pair: "_".join(map(str, pair)),
)  # fmt: skip


@dataclass(frozen=True)
class LessonState:
    """One state of the lessons page; a state that exists is valid.

    Attributes
    ----------
    lesson : str
        Name of the lesson, or empty for the contents.
    at : int
        The step that is open, from 0.
    seeds : tuple of int
        One for each step: 0 for the numbers that the lesson gives, others draw fresh ones.
    answers : tuple of str
        What was answered, one text for each step; empty where nothing was.
    help : (int, int)
        A step and how many of its hints are shown; those of other steps are closed.
    preset : str
        Always empty: a lesson has no presets.
    """

    lesson: str = declared(LESSON)
    at: int = declared(AT)
    seeds: tuple[int, ...] = declared(SEEDS)
    answers: tuple[str, ...] = declared(ANSWERS)
    help: tuple[int, int] = declared(HELP)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what code could give that no link can, and what only fits a lesson."""
        for declaration in (LESSON, AT):
            try:
                declaration.reads[declaration.name](str(getattr(self, declaration.name)))
            except ValueError as error:
                raise FieldError(declaration.name, str(error)) from None
        if len(self.answers) > MAX_STEPS or any(len(a) > MAX_ANSWER for a in self.answers):
            raise FieldError("answers", f"at most {MAX_STEPS} of {MAX_ANSWER} characters each")
        if len(self.seeds) > MAX_STEPS or any(not 0 <= seed <= MAX_SEED for seed in self.seeds):
            raise FieldError("seeds", f"at most {MAX_STEPS}, each from 0 to {MAX_SEED}")
        if self.seeds and not self.seeds[-1]:
            raise FieldError("seeds", "the last seed is 0")
        if self.answers and not self.answers[-1]:
            raise FieldError("answers", "the last answer is empty")

    @property
    def answer(self) -> str:
        """The answer to the open step, empty when there is none yet."""
        return self.answer_to(self.at)

    def answer_to(self, step: int) -> str:
        """Return the answer to a step.

        Parameters
        ----------
        step : int
            From 0.

        Returns
        -------
        str
            Empty when there is none yet.
        """
        return self.answers[step] if step < len(self.answers) else ""

    def answered(self, text: str) -> LessonState:
        """Return the state with an answer to the open step.

        Parameters
        ----------
        text : str
            Cut to `MAX_ANSWER` characters.

        Returns
        -------
        LessonState
        """
        answers = [*self.answers, *[""] * (self.at + 1 - len(self.answers))]
        answers[self.at] = text[:MAX_ANSWER]
        while answers and not answers[-1]:
            answers.pop()
        return replace(self, answers=tuple(answers))

    @property
    def hints(self) -> int:
        """How many hints of the open step are shown."""
        return self.help[1] if self.help[0] == self.at else 0

    @property
    def one_more_hint(self) -> tuple[int, int]:
        """The help with one more hint of the open step."""
        return self.at, min(self.hints + 1, MAX_HELP)

    def gone_to(self, step: int, *, passed: bool = False) -> LessonState:
        """Return the state at another step.

        Parameters
        ----------
        step : int
            From 0.
        passed : bool
            True when the open step asks nothing, so that whoever goes on from it is done with it.

        Returns
        -------
        LessonState
        """
        state = self.answered(DONE) if passed and step > self.at else self
        return replace(state, at=step)

    @property
    def no_hint(self) -> tuple[int, int]:
        """The help with no hint of the open step."""
        return 0, 0

    @property
    def before(self) -> int:
        """The step before the open one."""
        return max(self.at - 1, 0)

    def with_kept(self, kept: LessonState) -> LessonState:
        """Return the state with the answers that only the rest of the visit knows.

        Whoever goes back in the browser to read a step once more keeps what was answered after it.

        Parameters
        ----------
        kept : LessonState
            Of the same lesson.

        Returns
        -------
        LessonState
            An answer of its own stays; one to other numbers is not taken.
        """
        answers = list(self.answers)
        answers += [""] * (len(kept.answers) - len(answers))
        for step, answer in enumerate(kept.answers):
            if not answers[step] and kept.seed_of(step) == self.seed_of(step):
                answers[step] = answer
        while answers and not answers[-1]:
            answers.pop()
        return replace(self, answers=tuple(answers))

    @property
    def place(self) -> str:
        """A name of the open step with its numbers."""
        return f"{self.lesson}-{self.at}-{self.seed_of(self.at)}"

    def within(self, steps: int) -> LessonState:
        """Return the state at the last step of a lesson that has fewer steps.

        Parameters
        ----------
        steps : int

        Returns
        -------
        LessonState
        """
        return replace(self, at=min(self.at, steps - 1))

    def seed_of(self, step: int) -> int:
        """Return the seed of a step.

        Parameters
        ----------
        step : int
            From 0.

        Returns
        -------
        int
            0 for the numbers of the lesson.
        """
        return self.seeds[step] if step < len(self.seeds) else 0

    def redrawn(self, *, done: bool = False) -> LessonState:
        """Return the state with fresh numbers in the open step; its answer belonged to the old.

        Parameters
        ----------
        done : bool
            True where it was right: the step stays done.

        Returns
        -------
        LessonState
            The next seed; after the last one the numbers of the lesson come back.
        """
        seeds = [*self.seeds, *[0] * (self.at + 1 - len(self.seeds))]
        seeds[self.at] = seeds[self.at] + 1 if seeds[self.at] < MAX_SEED else 0
        while seeds and not seeds[-1]:
            seeds.pop()
        return replace(self.answered(DONE if done else ""), seeds=tuple(seeds), help=(0, 0))

    @property
    def unanswered(self) -> LessonState:
        """The same step with the same numbers for somebody else: without answers and help."""
        return replace(self, answers=(), help=(0, 0))


def edit_bars(state: LessonState, edit: Mapping[str, Any]) -> Edited:
    """Take over the bars that were drawn as a prediction.

    Parameters
    ----------
    state : LessonState
    edit : mapping
        ``bars``: parts of 1, one for each key.

    Returns
    -------
    Edited
    """
    bars = edit.get("bars")
    if not isinstance(bars, list) or not 0 < len(bars) <= 64:
        return Edited(state, reset=True)
    if not all(isinstance(b, int | float) and 0 <= b <= 1 for b in bars):
        return Edited(state, reset=True)
    return Edited(state.answered(" ".join(f"{bar:.2f}" for bar in bars)))


def edit_answer(state: LessonState, edit: Mapping[str, Any]) -> Edited:
    """Take over an answer that was typed, or a mask that was clicked.

    Parameters
    ----------
    state : LessonState
    edit : mapping
        ``text``: whatever was typed.

    Returns
    -------
    Edited
    """
    text = edit.get("text")
    if not isinstance(text, str) or not text.strip():
        return Edited(state, reset=True)
    if text.strip() in (DONE, NOT_DONE):  # in a link they stand for no answer
        text = text.upper()
    return Edited(state.answered(text))


def edit_trail(state: LessonState, edit: Mapping[str, Any]) -> Edited:
    """Go to another step.

    Parameters
    ----------
    state : LessonState
    edit : mapping
        ``at``: the step, from 0; ``passed``: true when the open one asks nothing; ``kept``: what
        the visit remembers, with the state of each lesson under its name.

    Returns
    -------
    Edited
    """
    at = edit.get("at")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < MAX_STEPS:
        return Edited(state, reset=True)
    kept = edit.get("kept", {}).get(state.lesson)
    whole = state.with_kept(kept) if isinstance(kept, LessonState) else state
    return Edited(whole.gone_to(at, passed=edit.get("passed") is True), reset=True)


def read_answer(text: str, count: int, *, mask: bool = False) -> tuple[float, ...]:
    """Read an answer in any spelling that the parser knows.

    Parameters
    ----------
    text : str
    count : int
        How many numbers are asked for; it decides what a decimal comma can mean.
    mask : bool
        True when ones and zeros are asked for: then true and false are read as well.

    Returns
    -------
    tuple of float
        Row by row.

    Raises
    ------
    ValueError
        With a sentence, when it can't be read or holds another number of numbers.

    Examples
    --------
    >>> read_answer("1/4; 0,75", 2), read_answer("0,25", 1), read_answer("True False", 2, mask=True)
    ((0.25, 0.75), (0.25,), (1.0, 0.0))
    """
    if mask:
        text = _TRUE.sub("1", _FALSE.sub("0", text))
    readings: list[Matrix] = []
    if count == 1:
        with suppress(NotNumbers):  # brackets, perhaps: the reader of whole texts knows them
            readings.append(((read_number(text),),))
    if not readings:
        try:
            reading = read_matrix(text, max_rows=64, max_columns=64)
        except NotNumbers as error:
            raise ValueError(sentence(error)) from None
        if isinstance(reading, Ambiguous):
            readings = [way.cells for _, way in reading.alternatives]
        else:
            readings = [reading.cells]
    sizes = [sum(len(row) for row in cells) for cells in readings]
    fitting = [cells for cells, size in zip(readings, sizes, strict=True) if size == count]
    if len(fitting) != 1:
        asked = "One number is asked for" if count == 1 else f"{count} numbers are asked for"
        raise ValueError(f"{asked}; this is {' or '.join(str(size) for size in sizes)}.")
    return tuple(cell.value for row in fitting[0] for cell in row)
