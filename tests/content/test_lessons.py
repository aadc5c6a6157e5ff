"""Every lesson: it is read, its numbers are live, its answers are checked, its words fit."""

import math
import re

import numpy as np
import pytest

from attnviz import content
from attnviz.content import lessons
from attnviz.content.lessons import GivenTexts, LessonError, Step, card, live, replies, words
from attnviz.content.lessons.reader import our_lesson, read_lesson
from attnviz.core.mistakes import MISTAKES
from attnviz.state.matrix import matrix

LESSONS = {name: our_lesson(name) for name in lessons.ORDER}


def test_there_is_a_file_for_every_lesson_and_no_other():
    assert {path.stem for path in lessons.FOLDER.glob("*.toml")} == set(lessons.ORDER)
    with pytest.raises(KeyError):
        lessons.lesson_text("../softmax")
    assert content


@pytest.mark.parametrize("name", [name for name in lessons.ORDER if name != "mistakes"])
def test_a_lesson_goes_from_predicting_to_checking(name):
    kinds = [step.kind for step in LESSONS[name].steps]
    assert kinds[0] == "predict"
    assert kinds.index("see") < kinds.index("explain") < kinds.index("task")
    assert kinds[-1] == "check"
    assert kinds.count("task") >= 2


def test_every_task_has_help_in_three_levels():
    for name, lesson in LESSONS.items():
        for step in lesson.steps:
            if step.kind == "task":
                assert len(step.hints) == 3, (name, step.line)


def test_every_closed_question_has_one_right_answer_and_a_reply_to_each():
    for name, lesson in LESSONS.items():
        for step in lesson.steps:
            right = [option.right for option in step.options]
            assert not right or right.count(True) == 1, (name, step.line)
            assert len({option.reply for option in step.options}) == len(right)


def test_every_known_mistake_has_its_words():
    assert set(replies.MISTAKES) == set(MISTAKES) | {
        "other-order",
        "other-place",
        "other-row",
        "other-exponential",
        "other-ratio",
    }


# -- numbers in sentences -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "decimals", "text"),
    [
        (0.66524, None, "0.6652"),
        (0.66524, 2, "0.67"),
        (-1.5, 1, "−1.5"),
        (-math.inf, 2, "−∞"),
        (math.nan, 2, "nan"),
        ([2.0, -1.0], None, "2, −1"),
        ([[1.0, 0.0], [0.0, 1.0]], None, "[1, 0; 0, 1]"),
    ],
)
def test_numbers_are_written_into_sentences(values, decimals, text):
    assert live.written(values, decimals) == text


def test_a_matrix_is_drawn_where_markdown_draws_it():
    small = live.written([[1, -0.5], [1e-9, -math.inf]], drawn=True)
    assert small == r"$\begin{bmatrix}1 & -0.5 \\ \text{1e-9} & -\infty \end{bmatrix}$"
    assert live.written([[1.0, 2.0]], drawn=True) == "[1, 2]"
    assert live.written([1.0, 2.0], drawn=True) == "1, 2"
    given = GivenTexts(scores=matrix("1/sqrt(2) 0", "-1 -inf"))
    drawn = r"$\begin{bmatrix}1/\sqrt{2} & 0 \\ -1 & -\infty \end{bmatrix}$"
    assert live.typed(given, "scores", drawn=True) == drawn
    assert live.typed(given, "scores") == "[1/√2, 0; −1, −∞]"


def test_the_end_of_a_lesson_names_the_steps_that_are_left():
    lesson = read_lesson(lessons.lesson_text("weights"))
    standing = ["right" for _ in lesson.steps]
    whole = words.finished(lesson, standing)
    assert whole == f"All 8 questions are answered. You can now do this: {lesson.goal}"
    code = next(at for at, step in enumerate(lesson.steps) if step.function)
    standing[code] = "open"
    still = f"Code to write is still there: step {code + 1}. You can"
    assert still in words.finished(lesson, standing)
    standing[code] = "right"
    standing[0], standing[1] = "made", "open"  # the second asks nothing
    assert "came out differently: step 1. You can" in words.finished(lesson, standing)
    standing[5] = "made"
    assert " Predictions that came out differently: steps 1 and 6." in words.finished(
        lesson, standing
    )
    standing[3], standing[5], standing[9] = "wrong", "open", "open"
    assert words.finished(lesson, standing) == "Still open: steps 4, 6 and 10."


def test_only_double_braces_are_live_numbers():
    asked = []

    def lookup(name, decimals):
        asked.append((name, decimals))
        return "7"

    filled = live.fill(r"$\frac{a}{b}$ {x} {{weights.0}} {{ wrong.mask-after.total : 2 }}", lookup)
    assert filled == r"$\frac{a}{b}$ {x} 7 7"
    assert asked == [("weights.0", None), ("wrong.mask-after.total", 2)]


# -- answers to answers ---------------------------------------------------------------------------

TASK = Step("task", "", "", "Which?", answer="weights", decimals=3)


def said(answer, right, off, known=""):
    fact = replies.feedback(TASK, answer, np.array(right), off, known)
    return fact["ok"], fact["value"]


def test_a_right_answer_is_shown_with_all_its_digits():
    assert said([0.67], 0.66976, []) == (True, "Right: 0.6698.")


def test_a_known_mistake_is_answered_with_its_reason():
    assert said([2, 1], [0.7, 0.3], [0, 1], "It is so.") == (False, "Not yet. It is so.")
    mask = Step("task", "", "", "Which?", answer="allowed")
    assert replies.mistake_words(mask, "polarity", 9) == replies.MISTAKES["polarity"]
    assert replies.mistake_words(mask, "mask-forgotten", 9).startswith("Nothing is hidden here.")
    assert replies.mistake_words(TASK, "polarity", 2).startswith("Here the hidden keys were kept")
    assert replies.mistake_words(TASK, "not-divided", 2) == replies.MISTAKES["not-divided"]
    assert replies.mistake_words(TASK, "not-divided", 1).startswith("That is the exponential.")
    total = Step("task", "", "", "Which?", answer="weight_sum")
    assert replies.mistake_words(total, "scores-as-weights", 1).startswith("That is the sum of the")


def test_a_right_answer_with_too_few_decimals_is_asked_for_more():
    asked = "Not yet. Right as far as it goes: 3 decimals are asked for."
    assert said([0.73, 0, 0.27], [0.7311, 0, 0.2689], [0, 2], "rounded") == (False, asked)
    assert said([0.7, 0, 0.3], [0.7311, 0, 0.2689], [0, 2]) == (False, asked)
    assert said([0.7, 0, 0.3], [0.7311, 0, 0.2689], [0, 2], "Known.")[1] == "Not yet. Known."
    assert "decimals are asked" not in said([0.74, 0, 0.26], [0.7311, 0, 0.2689], [0, 2])[1]
    assert "decimals are asked" not in said([1], [0.97], [0])[1]


def test_zeros_at_the_end_are_digits_and_whole_numbers_can_be_rounded_ones():
    def typed(text, right, decimals=3):
        step = Step("task", "", "", "Which?", answer="output", decimals=decimals)
        return replies.feedback(step, [float(text)], np.array(right), [0], text=text)["value"]

    asked = "Not yet. Right as far as it goes: 3 decimals are asked for."
    for text, right in (("0.5", 0.534), ("1.1", 1.099), ("0.58", 0.582), ("12", 12.34)):
        assert typed(text, right) == asked
    for text, right in (("1.500", 1.491), ("0.600", 0.582), ("1", 1.2), ("55.0", 54.6)):
        assert "as far as it goes" not in typed(text, right)
    assert typed("55", 54.6, 1) == asked.replace("3 decimals", "1 decimal").replace(" are ", " is ")
    answer = replies.feedback(TASK, [0.7, 0.3], np.array([0.73, 0.27]), [0, 1], text="0,7; 0,3")
    assert answer["value"] == asked
    answer = replies.feedback(TASK, [0.7, 0.3], np.array([0.73, 0.27]), [0, 1], text="0,700; 0,3")
    assert answer["value"] != asked


def test_a_weight_of_minus_infinity_is_told_from_its_score():
    text = said([0.5, -math.inf, 0.5], [0.5, 0, 0.5], [1])[1]
    assert text == "Not yet. −∞ is the score of a masked key. Its weight is exp(−∞) = 0."


def test_an_unknown_wrong_answer_is_never_just_wrong():
    assert "last digits" in said([0.668], 0.66976, [0])[1]
    assert "0.9 is larger" in said([0.9], 0.66976, [0])[1]
    assert "0.1 is smaller" in said([0.1], 0.66976, [0])[1]
    mask = Step("task", "", "", "Which?", answer="allowed", decimals=0)
    fact = replies.feedback(mask, [1, 2, 1, 1], np.eye(2), [1, 2], more=True)
    assert "holds only 1 and 0" in fact["value"]
    assert "row 1, 2" in fact["value"]
    assert "help below" in fact["value"]
    text = said([0.2, 0.3, 0.3], [0.5, 0.3, 0.2], [0, 2])[1]
    assert "Numbers 1 and 3 are off." in text
    assert "Yours sum to 0.8" in text
    assert "negative" in said([-0.5, 1.5], [0.5, 0.5], [0, 1])[1]


def test_a_prediction_is_compared_and_not_judged():
    def told(nearness, drawn, weights, wrong=None):
        labels = [f"k{j + 1}" for j, _ in enumerate(weights)]
        return replies.bars_feedback(nearness, drawn, weights, labels, wrong)

    assert told("very near", [0.72, 0.28], [0.7, 0.3]) == "Very near. The weights are 0.7, 0.3."
    assert told("near", [0.64, 0.31], [0.7, 0.3]) == (
        "The order is right, and the heights are close. The weights are 0.7, 0.3."
    )
    assert told("in proportion", [1.44, 0.56], [0.7, 0.3]) == (
        "The proportions are right, the heights are not yet. The weights are 0.7, 0.3. They sum to"
        " 1; your bars sum to 2 (as parts of it: 0.72, 0.28)."
    )
    far = told("far", [0.3, 0.5], [0.7, 0.3], (0, 1))
    assert far.startswith("You gave k2 the most, but it is k1 that has the largest weight.")
    assert far.endswith("They sum to 1; your bars sum to 0.8 (as parts of it: 0.37, 0.62).")
    other = told("far", [0.5, 0.2, 0.3], [0.6, 0.3, 0.1], (1, 2))
    assert other.startswith("k1 has the largest weight, as you drew it; the others come in another")
    alike = told("far", [0.7, 0.15, 0.15], [0.6, 0.3, 0.1], (1, 2))
    assert alike.startswith("You drew k2 and k3 alike, but k2 has the larger weight.")
    assert told("far", [0.9, 0.1], [0.7, 0.3]).startswith("The order is right, the heights are not")
    assert replies.drawn_bars("0.5 0.25", 2) == [0.5, 0.25]
    for bad in ("", "0.5", "x y", "2 0", "0 0", "nan 1"):
        assert replies.drawn_bars(bad, 2) is None


# -- the file of a lesson -------------------------------------------------------------------------

HEAD = 'title = "A"\ngoal = "B"\n'
GOOD = HEAD + '[[step]]\nkind = "task"\nsay = "x"\nask = "y"\nanswer = "weights"\n'
GIVEN = 'given = { scores = "1, 0" }\n'
HIDDEN_GIVEN = 'given = { scores = "1, 0", hide = "0" }\n'


def test_the_smallest_lesson():
    lesson = read_lesson(GOOD + GIVEN)
    [step] = lesson.steps
    assert (lesson.title, step.kind, step.line) == ("A", "task", 3)
    assert [cell.text for cell in step.given.scores[0]] == ["1", "0"]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("", 1, "the lesson needs a title"),
        ("title = 3\ngoal = 'x'", 1, "needs a title"),
        (HEAD, 2, r"at least one \[\[step\]\]"),
        ("title = 'A\n", 1, "not TOML"),
        (
            HEAD + "author = 'x'\n[[step]]\nkind='see'",
            3,
            "'author'; it may hold title, goal",
        ),
        (HEAD + "[[step]]\nsay = 'x'\n", 3, "kind must be one of predict, see"),
        (HEAD + "[[step]]\nkind = ['see']\nsay = 'x'\n", 4, "kind must be one of predict, see"),
        (HEAD + f"step = [{'{}, ' * 41}]\n", 4, "at most 40 steps"),
        (HEAD + "x = " + "[" * 3000, 1, "nested too deep"),
        (HEAD + ".".join("a" * 90_000) + " = 1\n", 3, "hundreds of dots"),
        (HEAD + "x = {" + " . ".join(["'a'"] * 20_000) + " = 1}\n", 3, "hundreds of dots"),
        (HEAD + "#" * 200_000, 1, "larger than 200 kB"),
        (HEAD + f"x = {'9' * 5000}\n", 1, "thousands of digits"),
        (GOOD + GIVEN + "explore = 'nope'\n", 9, "explore must be one of"),
        (GOOD + GIVEN + "function = 'nope'\n", 9, "function must be one of"),
        (HEAD + "[[step]]\nkind = 'see'\nsay = 'x'\nexplore = 'softmax'\nwell = 'x'\n", 7, "well"),
        (HEAD + "[[step]]\nkind = 'quiz'\n", 4, "got 'quiz'"),
        (HEAD + "[[step]]\nkind = 'see'\nsay = 'x'\nexplore = 'tea'\n", 6, "explore must be"),
        (
            HEAD + "[[step]]\nkind = 'see'\nsay = 'x'\ncolour = 'red'\n",
            6,
            "'colour'; it may hold",
        ),
        (HEAD + "[[step]]\nkind = 'code'\nsay = 'x'\nfunction = 'f'\n", 6, "function must be"),
        (HEAD + "[[step]]\nkind = 'task'\nsay = 'x'\n", 4, "needs option, bars or answer"),
        (GOOD, 7, "needs given numbers"),
        (GOOD + 'given = { scores = "1, x" }\n', 8, "value 2 is not a number"),
        (GOOD + '[step.given]\nscores = "1, x"\n', 9, "value 2 is not a number"),
        (GOOD + 'given = { scores = "1, 0", hide = "2" }\n', 8, "no key 2"),
        (GOOD + 'given = { q = "1, 0" }\n', 8, "belong together"),
        (GOOD + 'given = { q = "1, 0", k = "1", v = "1" }\n', 8, "don't fit"),
        (GOOD + 'given = { scores = "1", T = "0" }\n', 8, "T: "),
        (GOOD + 'given = { score = "1" }\n', 8, "did you mean scores"),
        (GOOD + 'given = { scores = "1", scale = "1e308" }\n', 8, "must lie between"),
        (GOOD + GIVEN + "at = 'one'\n", 9, "places are whole numbers"),
        (GOOD + GIVEN + "decimals = 12\n", 9, "from 0 to 9"),
        (GOOD + GIVEN + "redraw = ['q']\n", 9, "which is not given"),
        (GOOD + GIVEN + "redraw = ['hide']\n", 9, "which is not given"),
        (GOOD + HIDDEN_GIVEN + "redraw = ['hide']\n", 9, "at least three keys"),
        (GOOD + GIVEN + "redraw = ['scores']\npool = [1]\n", 10, "2 different numbers"),
        (GOOD + GIVEN + "hints = 'x'\n", 9, "list of texts"),
        (GOOD + GIVEN + "hints = ['![a](b)']\n", 9, "pictures"),
        (GOOD + GIVEN + "decimal = 2\n", 9, r"a step has no 'decimal'; did you mean decimals\?"),
        (GOOD + GIVEN + "[[step.option]]\ntext = 'x'\n", 9, "needs text and reply"),
        (GOOD + GIVEN + "[[step.wrong]]\nanswer = '1'\n", 9, "needs answer and reply"),
        (HEAD + "[[step]]\nkind = 'see'\nsay = 'x'\nwrong = 'x'\n", 6, "a list of tables"),
        (
            HEAD + "[[step]]\nkind = 'see'\nsay = 'x'\nexplore = 'softmax'\n[[step.wrong]]\n"
            "answer = '1'\nreply = 'x'\n",
            7,
            "wrong needs a step with answer",
        ),
        (
            HEAD + "[[step]]\nkind = 'check'\nask = 'x'\n[[step.option]]\ntext = 'x'\n"
            "reply = 'x'\nright = 'yes'\n",
            9,
            "right is true or false, without quotes",
        ),
        (HEAD + "[[step]]\nkind = 'see'\nsay = '''\n[[step]]\n'''\nexplore = 'x'\n", 8, "explore"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(text, line, sentence):
    with pytest.raises(LessonError, match=sentence) as found:
        read_lesson(text)
    assert found.value.line == line


def test_faults_of_several_steps_are_named_together():
    with pytest.raises(LessonError, match="Line 4: kind must be") as found:
        read_lesson(HEAD + "[[step]]\nkind = 'x'\n[[step]]\nkind = 'see'\n[[step]]\nsay = 'x'\n")
    assert [str(other)[:8] for other in found.value.others] == ["Line 6: ", "Line 7: "]


def test_a_file_that_is_cut_anywhere_is_read_or_refused_with_a_line():
    whole = lessons.lesson_text("weights")
    refused = []
    for end in range(0, len(whole), 97):
        try:
            read_lesson(whole[:end])
        except LessonError as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert all(re.match(r"Line \d+: ", sentence) for sentence in refused)


def test_windows_line_ends_and_a_mark_at_the_beginning_are_read():
    assert read_lesson("\ufeff" + (GOOD + GIVEN).replace("\n", "\r\n")).title == "A"


# -- the reference card ---------------------------------------------------------------------------


def test_the_plain_python_of_the_card_gives_the_worked_example_with_nothing_installed(tmp_path):
    import subprocess
    import sys

    script = tmp_path / "card.py"
    script.write_text(
        card.CODE
        + "print(attention([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]]))\n"
        + "print(attention([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]], [[True, False]]))\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script)], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert first.startswith("[[1.33952309865331")
    assert "0.66047690134668" in first
    assert second == "[[2.0, 0.0]]"


def test_numbers_stand_as_they_were_written_in_the_file():
    given = GivenTexts(scores=our_lesson("weights").steps[0].given.scores)
    assert live.typed(given, "scores") == "1/√2, 0, −1"
    assert live.typed(given, "weights") == ""
