"""What a person can set on the lessons page: the lesson, the step, the answers, the help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attnviz.state.edits import Edited
from attnviz.state.fields import FieldError, declared, plain, quoted
from attnviz.state.links import read_list, write_list

MAX_STEPS = 40
MAX_ANSWER = 300
MAX_SEED = 9_999
MAX_HELP = 9
OWN = "own"  # the lesson that was opened from a file
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


LESSON = plain("lesson", "", "Lesson", "The name of the lesson; none is the contents.", _read_name)
AT = plain("at", 0, "Step", "The step that is open, from 0.", _read_count(MAX_STEPS - 1))
SEED = plain("seed", 0, "Seed", "0 for the numbers of the lesson, others draw new ones.",
             _read_count(MAX_SEED))  # fmt: skip
ANSWERS = plain("answers", (), "Answers", "One for each step, in order.", _read_answers, write_list)
HELP = plain("help", 0, "Help", "How many hints of this step are open.", _read_count(MAX_HELP))


@dataclass(frozen=True)
class LessonState:
    """One state of the lessons page; a state that exists is valid.

    Attributes
    ----------
    lesson : str
        Name of the lesson, or empty for the contents.
    at : int
        The step that is open, from 0.
    seed : int
        0 for the numbers that the lesson gives, others draw fresh ones.
    answers : tuple of str
        What was answered, one text for each step; empty where nothing was.
    help : int
        How many hints of the open step are shown.
    preset : str
        Always empty: a lesson has no presets.
    """

    lesson: str = declared(LESSON)
    at: int = declared(AT)
    seed: int = declared(SEED)
    answers: tuple[str, ...] = declared(ANSWERS)
    help: int = declared(HELP)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what code could give that no link can, and what only fits a lesson."""
        for declaration in (LESSON, AT, SEED, HELP):
            try:
                declaration.reads[declaration.name](str(getattr(self, declaration.name)))
            except ValueError as error:
                raise FieldError(declaration.name, str(error)) from None
        if len(self.answers) > MAX_STEPS or any(len(a) > MAX_ANSWER for a in self.answers):
            raise FieldError("answers", f"at most {MAX_STEPS} of {MAX_ANSWER} characters each")
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

    def moved(self, at: int) -> LessonState:
        """Return the state at another step, with its hints closed.

        Parameters
        ----------
        at : int
            From 0.

        Returns
        -------
        LessonState
        """
        return self if at == self.at else replace(self, at=at, help=0)

    def redrawn(self) -> LessonState:
        """Return the state with fresh numbers: what was answered belonged to the old ones.

        Returns
        -------
        LessonState
            The next seed; after the last one the numbers of the lesson come back.
        """
        seed = self.seed + 1 if self.seed < MAX_SEED else 0
        return replace(self, seed=seed, answers=(), help=0)


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
