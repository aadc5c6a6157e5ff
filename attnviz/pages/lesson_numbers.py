"""From the texts of a lesson's step to its numbers, and from numbers to its filled-in texts."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from attnviz.content.lessons import Faults, GivenTexts, Lesson, LessonError, Step, live, replies
from attnviz.core import exercises
from attnviz.core.mistakes import found_mistake, mistaken
from attnviz.state.lessons import LessonState, read_answer
from attnviz.state.matrix import values_of


def _given(texts: GivenTexts) -> exercises.Given:
    matrices = {
        name: values_of(cells)
        for name, cells in (
            ("scores", texts.scores),
            ("q", texts.q),
            ("k", texts.k),
            ("v", texts.v),
        )
        if cells is not None
    }
    return exercises.given_of(
        **matrices,
        beta=texts.temperature.beta,
        scale=texts.scale,
        hide=texts.hide,
        causal=texts.mask == "causal",
    )


class StepNumbers:
    """The numbers of one step, computed; they fill its texts and check its answers.

    Parameters
    ----------
    step : Step
    seed : int
        0 for the numbers of the lesson, others draw fresh ones.
    """

    def __init__(self, step: Step, seed: int) -> None:
        self.step = step
        self.seed = seed if step.redraw else 0
        self.given = exercises.redrawn(_given(step.given), step.redraw, step.pool, self.seed)
        self.numbers = exercises.numbers(self.given)
        self._also = {
            name: (texts, exercises.numbers(_given(texts))) for name, texts in step.also.items()
        }

    def shown(self, name: str, decimals: int | None = None, *, drawn: bool = False) -> str:
        """Return a live number as a sentence shows it.

        Parameters
        ----------
        name : str
            Such as ``weights.0``; ``sharp.weights`` of the numbers that are called sharp;
            ``wrong.mask-after.weights``, what a known mistake makes of them.
        decimals : int, optional
        drawn : bool
            True for Markdown, where a matrix of several rows is drawn as one.

        Returns
        -------
        str

        Raises
        ------
        LessonError
            When there is no such number.
        """
        try:
            return self._shown(name, decimals, drawn=drawn)
        except (KeyError, IndexError, ValueError) as error:
            sentence = str(error).strip("'\"")
            raise LessonError(self.step.line, f"{{{{{name}}}}}: {sentence}") from None

    def _shown(self, name: str, decimals: int | None, *, drawn: bool) -> str:
        head, _, tail = name.partition(".")
        own = self.step.given, self.numbers
        texts, numbers = self._also.get(head, own)
        rest = tail if head in self._also else name
        if head == "wrong":
            mistake, _, rest = tail.partition(".")
            texts, numbers = GivenTexts(), mistaken(mistake, self.given)
        quantity, *places = rest.split(".")
        as_typed = (
            live.typed(texts, quantity, drawn=drawn) if decimals is None and not places else ""
        )
        if as_typed and (self.seed == 0 or head in self._also):
            return as_typed
        if not all(place.isdecimal() for place in places):
            raise KeyError(f"there is no number {name}")
        values = exercises.part_of(numbers, quantity, [int(place) for place in places])
        return live.written(values, decimals, drawn=drawn)

    def fill(self, text: str) -> str:
        """Put the live numbers into a text of the step, for Markdown.

        Parameters
        ----------
        text : str

        Returns
        -------
        str
        """
        return live.fill(text, partial(self.shown, drawn=True))

    def fill_plain(self, text: str) -> str:
        """Put the live numbers into a text that is shown letter for letter.

        Parameters
        ----------
        text : str

        Returns
        -------
        str
        """
        return live.fill(text, self.shown).replace("**", "").replace("`", "")

    @property
    def right(self) -> object:
        """The right answer, as an array or a number."""
        return exercises.part_of(self.numbers, self.step.answer, self.step.at)

    @property
    def count(self) -> int:
        """How many numbers are asked for."""
        return exercises.count(self.right)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is asked for: () for one number."""
        return exercises.shape(self.right)

    @property
    def is_mask(self) -> bool:
        """True when a mask is asked for, as ones and zeros."""
        return self.step.answer == "allowed"

    def read(self, text: str) -> tuple[float, ...]:
        """Read an answer; one number stands for all where all are the same.

        Parameters
        ----------
        text : str

        Returns
        -------
        tuple of float

        Raises
        ------
        ValueError
            With a sentence.
        """
        if exercises.all_equal(self.right):
            with suppress(ValueError):
                return tuple(exercises.repeated(read_answer(text, 1), self.count))
        return read_answer(text, self.count, mask=self.is_mask)

    @property
    def weights(self) -> list[float]:
        """The weights of the only query."""
        return exercises.part_of(self.numbers, "weights").tolist()

    @property
    def count_keys(self) -> int:
        """Number of keys of the only query."""
        return len(self.weights)

    def places_off(self, answer: Sequence[float]) -> list[int]:
        """Return which numbers of an answer are off, from 0.

        Parameters
        ----------
        answer : sequence of float

        Returns
        -------
        list of int
        """
        return exercises.places_off(answer, self.right, self.step.tolerance)

    def mistake(self, answer: Sequence[float]) -> str:
        """Return the known mistake that gives an answer, or an empty name.

        Parameters
        ----------
        answer : sequence of float

        Returns
        -------
        str
        """
        step = self.step
        return found_mistake(answer, self.given, step.answer, step.at, tolerance=step.tolerance)

    def known(self, answer: Sequence[float], *, right: bool) -> str:
        """Return what is said to an answer that is known, here or everywhere.

        Parameters
        ----------
        answer : sequence of float
        right : bool

        Returns
        -------
        str
            Empty for an answer that nobody has thought of.
        """
        if right:
            return self.fill_plain(self.step.well)
        for wrong in self.step.wrong:
            expected = self.read(self.fill_plain(wrong.answer))
            if not exercises.places_off(answer, expected, self.step.tolerance):
                return self.fill_plain(wrong.reply)
        mistake = self.mistake(answer)
        return replies.mistake_words(self.step, mistake, self.count) if mistake else ""

    def mask_cells(self, text: str) -> list[list[int]] | None:
        """Return the ones and zeros of an answer, or None when it is no such mask.

        Parameters
        ----------
        text : str

        Returns
        -------
        list of list of int, or None
        """
        try:
            return exercises.mask_cells(self.read(text), self.shape)
        except ValueError:
            return None

    def fresh_state(self, state: LessonState, *, done: bool = False) -> LessonState:
        """Return the state with the next numbers that differ from those on screen.

        Their answer differs as well, and they are more than the same ones in another order, where
        the next draws have such numbers.

        Parameters
        ----------
        state : LessonState
        done : bool
            True where the step is done, and stays so.

        Returns
        -------
        LessonState
        """
        step, other = self.step, None
        for _ in range(50):
            state = state.redrawn(done=done)
            fresh = StepNumbers(step, state.seed_of(state.at))
            if exercises.same_given(fresh.given, self.given):
                continue
            other = other or state
            if step.pool and exercises.same_numbers(fresh.given, self.given):
                continue
            if not step.answer or exercises.places_off(fresh.right, self.right, step.tolerance):
                return state
        return other or state


def check_lesson(lesson: Lesson) -> None:
    """Make sure that every text of a lesson can be filled and every answer computed.

    Parameters
    ----------
    lesson : Lesson

    Raises
    ------
    LessonError
        With the line of the step.
    """
    faults = Faults()
    for step in lesson.steps:
        with faults.collected():
            check_step(step)
    faults.complain()


def check_step(step: Step) -> None:
    """Make sure that every text of a step can be filled and its answer computed.

    Parameters
    ----------
    step : Step

    Raises
    ------
    LessonError
        With the line of the step.
    """
    try:
        numbers = StepNumbers(step, 0)
        if step.answer and numbers.right is None:
            raise ValueError("the answer is not computed")
        if step.answer == "allowed" and not numbers.shape:
            raise ValueError("a mask is asked for as a row or as a whole, not as one cell")
        if step.bars and not exercises.can_be_drawn(numbers.weights):
            raise ValueError("bars need one query with at least two keys, one of them allowed")
        for wrong in step.wrong:
            if not numbers.places_off(numbers.read(numbers.fill_plain(wrong.answer))):
                raise ValueError(f"the wrong answer {wrong.answer} is right")
    except LessonError:
        raise
    except (KeyError, IndexError, ValueError) as error:
        raise LessonError(step.line, str(error).strip("'\"")) from None
    for text in live.texts_of(step):
        numbers.fill(text)
