"""How far a person is: how each step of a lesson stands, and how many questions are answered."""

from attnviz.content.lessons import Lesson, Step, replies
from attnviz.core import exercises
from attnviz.pages.lesson_numbers import StepNumbers
from attnviz.state.lessons import DONE, LessonState


def standing_at(step: Step, at: int, given: LessonState) -> str:
    """Tell how a step stands.

    A step that asks nothing is done when one has gone on from it, one with code when one says so.

    Parameters
    ----------
    step : Step
    at : int
        Its place, from 0.
    given : LessonState

    Returns
    -------
    str
        ``open``, ``right``, ``wrong``, or ``made`` for a prediction that came out differently.
    """
    answer = given.answer_to(at)
    if not step.asks:
        return "right" if answer == DONE else "open"
    if step.options:
        return replies.standing_of_choice(step, replies.chosen(given, step, at))
    if answer in ("", DONE):
        return "right" if answer else "open"
    numbers = StepNumbers(step, given.seed_of(at))
    if step.bars:
        drawn = replies.drawn_bars(answer, numbers.count_keys)
        if not drawn:
            return "open"
        return "right" if exercises.is_prediction_right(drawn, numbers.weights) else "made"
    try:
        return "wrong" if numbers.places_off(numbers.read(answer)) else "right"
    except ValueError:
        return "wrong"


def standing_of(lesson: Lesson, given: LessonState) -> list[str]:
    """Tell for each step of a lesson how it stands.

    Parameters
    ----------
    lesson : Lesson
    given : LessonState

    Returns
    -------
    list of str
        As from `standing_at`.
    """
    return [standing_at(step, at, given) for at, step in enumerate(lesson.steps)]


def answered(lesson: Lesson, standing: list[str]) -> tuple[int, int]:
    """Count the questions that are answered, and all of them.

    Parameters
    ----------
    lesson : Lesson
    standing : list of str
        From `standing_of`.

    Returns
    -------
    (int, int)
    """
    asked = [mark for step, mark in zip(lesson.steps, standing, strict=True) if step.asks]
    return sum(mark in ("right", "made") for mark in asked), len(asked)
