"""The lessons page: from the contents through every step of every lesson, with checked answers."""

import numpy as np
import pytest

from attnviz.content import lessons
from attnviz.content.lessons import live, replies, words
from attnviz.content.lessons.reader import our_lesson
from attnviz.core.exercises import part_of, same_given
from attnviz.core.mistakes import MISTAKES, mistaken
from attnviz.pages.lesson_numbers import StepNumbers, check_lesson
from attnviz.state.lessons import LessonState, read_answer
from tests.pages.driver import Visit

ALL = [(name, at) for name in lessons.ORDER for at in range(len(our_lesson(name).steps))]
NUMERIC = [(name, at) for name, at in ALL if our_lesson(name).step(at).answer]
REDRAWN = {(name, at): our_lesson(name).step(at).redraw for name, at in NUMERIC}


class Lessons(Visit):
    """A visitor of the lessons page."""

    def __init__(self, link=""):
        super().__init__("lessons", link)

    def of_kind(self, kind, start):
        """Return the widget of a kind whose key begins so."""
        return next(w for w in self.at.get(kind) if w.key.startswith(f"lessons.{start}"))

    def press(self, label):
        next(b for b in self.at.button if b.label == label).click()
        return self.run()

    def answer(self, text):
        return self.edit("answer", text=text)

    @property
    def marks(self):
        """Tell for each step how the bar at the top marks it."""
        return [step["mark"] for step in self.data("trail")["steps"]]

    def choose(self, at):
        radio = self.at.radio[0]
        radio.set_value(radio.options[at] if isinstance(radio.value, str) else at)
        return self.press(next(b.label for b in self.at.button if b.label in ("Check", "Commit")))

    @property
    def reply(self):
        if self.has("answer"):
            return self.data("answer")["reply"]
        [fact] = self.data("reply")["items"]
        return fact

    @property
    def texts(self):
        return "\n".join(m.value for m in self.at.markdown)


def rounded(values, decimals):
    """What a person writes who rounds rightly."""
    array = np.atleast_2d(np.asarray(values, float))
    rows = [", ".join(f"{x:.{decimals}f}" for x in row) for row in array]
    return "; ".join(rows) if len(rows) > 1 else rows[0]


# -- every lesson as content ----------------------------------------------------------------------


@pytest.mark.parametrize("name", lessons.ORDER)
@pytest.mark.parametrize("seed", [0, 77])
def test_every_text_of_a_lesson_is_filled_with_live_numbers(name, seed):
    lesson = our_lesson(name)
    check_lesson(lesson)
    for step in lesson.steps:
        numbers = StepNumbers(step, seed)
        for text in live.texts_of(step):
            filled = numbers.fill(text)
            assert "{{" not in filled
            assert "nan" not in filled.replace("naive", "") or "nan" in text


@pytest.mark.parametrize(
    ("name", "at", "seed"),
    [(*task, seed) for task in NUMERIC for seed in (0, 5) if not seed or REDRAWN[task]],
)
def test_of_every_task_the_rounded_solution_is_right_and_nothing_and_known_mistakes_are_not(
    name, at, seed
):
    step = our_lesson(name).step(at)
    numbers = StepNumbers(step, seed)
    solution = read_answer(
        rounded(numbers.right, step.decimals), numbers.count, mask=numbers.is_mask
    )
    assert numbers.places_off(solution) == []
    assert replies.feedback(step, solution, numbers.right, [])["ok"] is True
    with pytest.raises(ValueError, match="nothing to read"):
        read_answer("", numbers.count)
    told = 0
    for mistake in MISTAKES:
        wrong = mistaken(mistake, numbers.given).get(step.answer)
        if wrong is None or np.shape(wrong) != np.shape(numbers.numbers[step.answer]):
            continue
        answer = np.ravel(part_of({"x": np.asarray(wrong)}, "x", step.at))
        off = numbers.places_off(answer) if answer.size == numbers.count else []
        if off and np.isfinite(answer).all():
            found = numbers.mistake(tuple(answer))
            assert found in MISTAKES
            known = numbers.known(tuple(answer), right=False)
            said = replies.feedback(step, answer, numbers.right, off, known)
            assert said["ok"] is False
            assert replies.mistake_words(step, found, numbers.count) == known or step.wrong
            assert known in said["value"] or "as far as it goes" in said["value"]
            told += 1
    assert told or step.answer in ("total", "exps", "allowed", "scores", "scaled", "gap", "d_k")


# -- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", lessons.ORDER)
def test_a_lesson_is_done_from_start_to_end_with_right_answers(name):
    lesson = our_lesson(name)
    page = Lessons(f"?lesson={name}")
    for at, step in enumerate(lesson.steps):
        assert page.link.get("at", "0") == str(at)
        numbers = StepNumbers(step, 0)
        if step.options:
            page.choose([option.right for option in step.options].index(True))
            assert page.reply["ok"] is True
        elif step.bars:
            n = numbers.count_keys
            assert page.data("bars")["weights"] is None
            page.edit("bars", bars=[1 / n] * n)
            assert page.data("bars")["weights"] == pytest.approx(numbers.weights)
        elif step.answer:
            page.answer(rounded(numbers.right, step.decimals))
            assert page.reply["ok"] is True
        elif step.function:
            page.press(words.MARK)
        if at + 1 < len(lesson.steps):
            assert page.data("trail")["here"].startswith(f"Step {at + 1} of {len(lesson.steps)}: ")
            page.press("Next")
    asked = [step.asks for step in lesson.steps]
    drawn = [step.bars for step in lesson.steps]  # of equal height: that is another order
    assert page.marks == ["made" if bars else "right" for bars in drawn]
    assert page.data("end")["items"][0]["value"].startswith(f"All {sum(asked)} questions")
    again = Lessons("?" + "&".join(f"{k}={v}" for k, v in page.link.items()))
    assert again.marks == page.marks
    page.press("All lessons")
    assert f"✓ all {sum(asked)} answered" in [c.value for c in page.at.caption]


def test_the_contents_list_every_lesson_the_card_and_a_file_of_ones_own():
    page = Lessons()
    names = [f"{i}. {our_lesson(name).title}" for i, name in enumerate(lessons.ORDER, 1)]
    labels = [button.label for button in page.at.button]
    assert [label for label in labels if label in names] == names
    assert "Reference card" in labels
    assert page.at.get("file_uploader")


def test_known_wrong_answers_are_answered_one_by_one_with_their_reason():
    page = Lessons("?lesson=weights&at=3")
    assert page.reply is None
    for wrong, mistake in (("0.7071", "scores-as-weights"), ("1", "not-divided")):
        page.answer(wrong)
        said = replies.mistake_words(our_lesson("weights").step(3), mistake, 1)
        assert page.reply == {"value": f"Not yet. {said}", "ok": False}
        assert page.link["answers"].endswith(wrong)
    page.answer("0.673")
    assert "last digits" in page.reply["value"]
    page.answer("0,670")
    assert page.reply["value"] == "Right: 0.6698."


def test_an_answer_that_cannot_be_read_stays_and_is_answered_with_a_sentence():
    page = Lessons("?lesson=weights&at=3").answer("<b>two thirds")
    assert "not a number: '<b>two'" in page.reply["value"]
    assert page.reply["ok"] is False
    assert page.data("answer")["answer"] == "<b>two thirds"


def test_nothing_is_revealed_before_one_commits():
    page = Lessons("?lesson=weights")
    assert not page.has("reply")
    assert "0.5972" not in page.everything
    page.edit("bars", bars=[0.6, 0.3, 0.1])
    assert page.data("bars")["reply"] == "Very near. The weights are 0.5972, 0.2945, 0.1083."
    assert page.link == {"lesson": "weights", "answers": "0.60 0.30 0.10"}


def test_a_step_without_a_question_is_done_when_one_goes_on_and_code_when_one_says_so():
    page = Lessons("?lesson=weights&at=1")
    page.press("Back").edit("trail", at=1, passed=False)
    assert page.marks[:2] == ["open", "open"]
    page.edit("trail", at=3, passed=page.data("trail")["passes"])
    assert page.marks[:4] == ["open", "right", "open", "open"]
    assert page.link == {"lesson": "weights", "at": "3", "answers": "~e_done"}
    at = [step.kind for step in our_lesson("weights").steps].index("code")
    page.edit("trail", at=at, passed=page.data("trail")["passes"]).press("Next")
    assert page.marks.count("open") == len(page.marks) - 1
    page.press("Back").press(words.MARK)
    assert page.marks[at] == "right"
    assert words.MARKED in page.texts
    page.press(words.UNMARK)
    assert page.marks[at] == "open"
    assert words.MARKED not in page.texts


def test_a_wrong_prediction_a_wrong_answer_and_none_are_three_marks():
    asks = [i for i, s in enumerate(our_lesson("weights").steps) if s.options]
    page = Lessons(f"?lesson=weights&at={asks[1]}").choose(0)
    assert page.reply["ok"] is False
    assert page.marks[asks[1]] == "made"
    page.edit("trail", at=asks[0], passed=False).choose(2)
    assert page.marks[asks[0]] == "wrong"
    page.edit("trail", at=3, passed=False).answer("7")
    assert page.marks[3] == "wrong"
    assert page.marks[-1] == "open"
    page.edit("trail", at=0, passed=False).edit("bars", bars=[0.1, 0.2, 0.7])
    assert page.marks[0] == "made"
    assert page.edit("bars", bars=[0.5, 0.3, 0.2]).marks[0] == "right"


def test_a_reply_is_there_only_for_what_is_chosen_now():
    page = Lessons("?lesson=weights&at=2").choose(2)
    assert page.has("reply")
    page.at.radio[0].set_value(page.at.radio[0].options[0])
    assert not page.run().has("reply")
    page.press("Next").press("Back")
    assert page.at.radio[0].index == 0  # chosen, not checked: it is kept
    assert page.press("Check").reply["ok"] is True


def test_a_wrong_answer_of_a_step_of_its_own_is_answered_in_the_words_of_the_lesson():
    for name, at in ALL:
        step = our_lesson(name).step(at)
        for seed in (0, 3) if step.redraw else (0,):
            fill = StepNumbers(step, seed).fill_plain
            for wrong in step.wrong:
                link = f"?lesson={name}&at={at}&seed={'_'.join(['0'] * at + [str(seed)])}"
                page = Lessons(link).answer(fill(wrong.answer))
                assert page.reply == {"value": f"Not yet. {fill(wrong.reply)}", "ok": False}


def test_a_step_that_is_done_stays_done_with_fresh_numbers():
    page = Lessons("?lesson=weights&at=3").answer("0.67").press("Fresh numbers")
    assert page.link == {
        "lesson": "weights",
        "at": "3",
        "answers": "~e_~e_~e_done",
        "seed": "0_0_0_1",
    }
    assert (page.marks[3], page.data("answer")["answer"]) == ("right", "")
    assert page.data("answer")["reply"] is None
    page.press("Fresh numbers").answer("0.9")
    assert page.marks[3] == "wrong"
    assert page.press("Fresh numbers").marks[3] == "open"
    page.answer(" done ")
    assert page.marks[3] == "wrong"
    assert "not a number: 'DONE'" in page.reply["value"]


def test_fresh_numbers_have_another_answer_wherever_they_can():
    for name, at in NUMERIC:
        step, state = our_lesson(name).step(at), LessonState(lesson=name, at=at)
        if not step.redraw:
            continue
        for _ in range(6):
            shown = StepNumbers(step, state.seed_of(at))
            state = shown.fresh_state(state)
            fresh = StepNumbers(step, state.seed_of(at))
            assert not same_given(fresh.given, shown.given)
            assert fresh.places_off(np.ravel(shown.right)), (name, at, shown.right)


def test_going_back_in_the_browser_keeps_what_was_answered_later():
    page = Lessons("?lesson=weights&at=2").press("Next").answer("0.670")
    page.move("?lesson=weights&at=2")
    assert page.marks[3] == "open"  # what is on screen is what the link says
    page.press("Next")
    assert page.data("answer")["answer"] == "0.670"
    assert page.link["answers"].endswith("0.670")
    page.move("?lesson=weights&at=2").edit("trail", at=4, passed=False)
    assert page.marks[3] == "right"
    page.edit("trail", at=3, passed=False).press("Fresh numbers")
    assert page.data("answer")["answer"] == ""


def test_two_steps_that_ask_the_same_keep_their_answers_apart():
    asks = [step.ask for step in our_lesson("masks").steps]
    first, second = (at for at, ask in enumerate(asks) if ask == asks[3])
    page = Lessons(f"?lesson=masks&at={first}").answer("0.1 0 0.9")
    page.edit("trail", at=second, passed=False)
    assert page.data("answer")["answer"] == ""
    assert page.reply is None


def test_a_mask_is_clicked_or_typed_and_stays_what_it_was():
    at = next(i for i, s in enumerate(our_lesson("masks").steps) if s.answer == "allowed")
    page = Lessons(f"?lesson=masks&at={at}")
    grid = page.data("answer")["grid"]
    assert (len(grid["rows"]), len(grid["columns"]), page.reply) == (3, 3, None)
    page.answer("1 1 1; 0 1 1; 0 0 1")
    assert replies.MISTAKES["mask-aligned"] in page.reply["value"]
    page.answer("1 0 <b>; 1 1 0; 1 1 1")
    assert page.data("answer")["answer"] == "1 0 <b>; 1 1 0; 1 1 1"
    assert page.reply == {
        "value": "Row 1, value 3 is not a number: '<b>'. Asked for are 3 rows of 3, a blank between"
        " numbers and a semicolon between rows.",
        "ok": False,
    }
    page.answer("[[1,0,0],[1,1,0],[1,1,1]]")
    assert page.reply["ok"] is True


def test_help_comes_one_level_at_a_time_and_only_for_its_step():
    page = Lessons("?lesson=weights&at=3")
    assert "> " not in page.texts
    for count, label in enumerate(("a nudge", "the next step", "the worked step"), 1):
        page.press(f"Help: {label}")
        assert page.texts.count("\n> ") + page.texts.startswith("> ") == count
        assert page.link["help"] == f"3_{count}"
    assert "0.6698" in page.texts
    page.press("Next")
    assert "> " not in page.texts


def test_fresh_numbers_stand_in_the_link_and_have_an_answer_of_their_own():
    page = Lessons("?lesson=weights&at=3&answers=0.6~u0.3~u0.1_~e_~e_0.670")
    before = page.texts
    page.press("Fresh numbers")
    assert page.link["seed"] == "0_0_0_1"
    assert page.link["answers"] == "0.6~u0.3~u0.1_~e_~e_done"
    assert page.texts != before
    right = StepNumbers(our_lesson("weights").step(3), 1).right
    page.answer(f"{right:.3f}")
    assert page.reply["ok"] is True
    assert Lessons("?lesson=weights&at=3&seed=0_0_0_1").texts == page.texts


def test_back_returns_to_the_answer_before():
    page = Lessons("?lesson=weights&at=3").answer("0.5").answer("0.67")
    page.move("?lesson=weights&at=3&answers=~e_~e_~e_0.5")
    assert page.data("answer")["answer"] == "0.5"
    assert page.reply["ok"] is False


def test_a_lesson_that_was_left_is_found_again_where_it_was():
    page = Lessons("?lesson=weights&at=3").answer("0.67")
    page.press("All lessons")
    page.press("1. From scores to weights")
    assert page.link == {"lesson": "weights", "at": "3", "answers": "~e_~e_~e_0.67"}
    assert page.data("answer")["answer"] == "0.67"
    page.go("softmax").go("lessons")
    assert page.data("answer")["answer"] == "0.67"


def test_the_card_and_a_lesson_have_an_address_of_their_own():
    assert Lessons().press("Reference card").link == {"lesson": "card"}
    assert Lessons().press("6. Masks").link == {"lesson": "masks"}


def test_check_with_nothing_to_check_says_what_is_missing():
    page = Lessons("?lesson=weights&at=3").answer(" ")
    assert page.reply is None
    assert page.link == {"lesson": "weights", "at": "3"}
    assert page.data("answer")["nudge"] == words.NUDGE
    page = Lessons("?lesson=weights&at=2").press("Check")
    assert "Choose one of them first." in [c.value for c in page.at.caption]


def test_the_link_for_somebody_else_has_no_answers():
    page = Lessons("?lesson=weights&at=3&seed=0_0_0_5").answer("0.5")
    assert page.data("copy-blank")["query"] == "lesson=weights&at=3&seed=0_0_0_5"


def test_one_number_stands_for_all_where_all_are_the_same():
    at = next(i for i, s in enumerate(our_lesson("weights").steps) if "1000" in str(s.given.scores))
    assert Lessons(f"?lesson=weights&at={at}").answer("1/2").reply["ok"] is True


def test_what_a_lesson_is_about_stands_right_below_what_is_changed():
    def drawn(link, page):
        found = Lessons(link)
        names = [e.key.removeprefix(f"{page}.") for e in found.elements if e.key]
        return [n for n in names if n in ("q", "stages", "temperature", "matrix", "terms", "table")]

    assert drawn("?lesson=head&at=1", "lesson-head-1")[:3] == ["q", "stages", "temperature"]
    assert drawn("?lesson=scaling&at=1", "lesson-scaling-1") == ["temperature", "stages"]
    assert drawn("?lesson=spread&at=1", "lesson-spread-1")[-2:] == ["terms", "table"]


def test_the_first_lessons_show_nothing_that_comes_later():
    page = Lessons("?lesson=weights&at=1")
    page.page = "lesson-weights-1"
    assert not page.has("temperature")
    assert not page.has("facts")
    assert [head["text"] for head in page.data("table")["head"]] == [
        *("key", "score", "− max", "exp(…)", "weight"),
    ]
    assert page.cells()[1] == ["0", "−0.7071", "0.4931", "0.2945"]
    assert page.foot() == ["", "", "1.6745", "1"]


def test_changed_numbers_of_an_explorer_can_be_put_back():
    page = Lessons("?lesson=spread&at=1")
    label, page.page = words.BACK_TO_NUMBERS, "lesson-spread-1"
    assert label not in [b.label for b in page.at.button]
    page.scores("9 9 0 0").press(label)
    assert page.data("matrix")["cells"] == [["5", "5", "0", "0"]]
    assert label not in [b.label for b in page.at.button]


def test_the_explorer_of_a_lesson_is_alive_and_opens_on_a_page_of_its_own():
    page = Lessons("?lesson=weights&at=1")
    page.page = "lesson-weights-1"
    assert page.column("weight") == ["0.5972", "0.2945", "0.1083"]
    page.scores("2 1 0")
    assert page.column("weight") == ["0.6652", "0.2447", "0.0900"]
    page.scores("2 1 5")
    link = page.at.get("page_link")[-1].proto
    assert link.query_string == "scores=2_1_5"
    page.scores("2 1 0")
    assert page.link == {"lesson": "weights", "at": "1"}
    page.page = "lessons"
    page.press("Next").press("Back")
    page.page = "lesson-weights-1"
    assert page.column("weight") == ["0.6652", "0.2447", "0.0900"]


@pytest.mark.parametrize(
    ("link", "note"),
    [
        ("?lesson=nothing", words.NO_LESSON),
        ("?lesson=own", words.OWN_LOST),
        ("?lesson=weights&at=33", words.no_step(len(our_lesson("weights").steps))),
    ],
)
def test_a_link_to_what_is_not_there_says_so(link, note):
    assert note in Lessons(link).warnings


def test_the_card_has_the_worked_example_in_live_numbers():
    page = Lessons("?lesson=card")
    assert "| weight, ÷ 1.4931 | 0.6698 | 0.3302 |" in page.texts
    assert "(1.3395, 0.6605)" in page.texts
    assert "def softmax(scores):" in page.at.code[0].value


def test_a_code_step_shows_the_start_the_command_and_never_runs_anything():
    at = [step.kind for step in our_lesson("weights").steps].index("code")
    page = Lessons(f"?lesson=weights&at={at}")
    shown = [c.value for c in page.at.code]
    assert "raise NotImplementedError" in shown[0]
    assert shown[1] == "python -m attnviz.check my_softmax.py"
    buttons = [b.label for b in page.at.get("download_button")]
    assert buttons == [words.download("softmax"), words.CHECKER]


# -- a lesson of one's own ------------------------------------------------------------------------


def upload(page, content):
    page.at.get("file_uploader")[0].upload("mine.toml", content, "text/plain")
    return page.run()


OWN = (
    lessons.lesson_text("weights")
    .replace('title = "From scores to weights"', 'title = "Mine <b>"')
    .encode()
)


def test_a_lesson_of_ones_own_opens_and_is_checked_like_ours():
    page = upload(Lessons(), OWN)
    assert page.link == {"lesson": "own"}
    assert "Mine <b>" in page.texts
    page.press("Next").press("Next").press("Next").answer("0.670")
    assert page.reply["ok"] is True


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"\xff\xfe", words.NOT_TEXT),
        (b"title = 'A'", "Line 1: the lesson needs a goal."),
        (OWN.replace(b"{{weights.0}}", b"{{wieghts}}"), "no number wieghts"),
        (OWN.replace(b'answer = "weights"', b'answer = "tea"', 1), "no number tea"),
    ],
)
def test_a_lesson_with_a_mistake_is_refused_with_its_line(content, note):
    page = upload(Lessons(), content)
    assert note in page.warnings[0]
    assert page.link == {}


BARS = """
title = "T"
goal = "G"
[[step]]
kind = "predict"
ask = "How large?"
bars = true
given = { scores = "%s"%s }
[[step]]
kind = "task"
ask = "Which?"
answer = "%s"
given = { scores = "2, 1" }
"""


@pytest.mark.parametrize(
    ("scores", "more", "answer", "note"),
    [
        ("1, 0; 0, 1", "", "weights", "Line 4: bars need one query with at least two keys"),
        ("1", "", "weights", "Line 4: bars need one query"),
        ("1, 0", ', hide = "0,1"', "weights", "Line 4: bars need one query"),
        ("1, 0", "", 'allowed"\nat = "1', "Line 9: a mask is asked for as a row or as a whole"),
        ("1, 0", "", 'weights"\nsay = "{{wrong.nope.weights}}', "there is no mistake nope"),
        ("1, 0", "", 'weights"\nsay = "{{also.weights}}', "no number also.weights"),
    ],
)
def test_what_could_not_be_shown_is_refused_before_it_opens(scores, more, answer, note):
    page = upload(Lessons(), (BARS % (scores, more, answer)).encode())
    assert note in page.warnings[0]


def test_a_mask_of_one_query_is_one_row():
    page = upload(Lessons(), (BARS % ("1, 0", "", "allowed")).encode())
    page.press("Next")
    assert page.data("answer")["grid"]["rows"] == ["query 1"]
    assert page.answer("1 1").reply["ok"] is True
    assert page.data("answer")["grid"]["cells"] == [[1, 1]]


def test_a_second_lesson_from_a_file_starts_anew():
    page = upload(Lessons(), OWN)
    page.press("Next").press("Next").choose(2).press("Next").answer("7")
    place = page.data("answer")["place"]
    page.press("All lessons")
    page = upload(page, OWN.replace(b"Mine", b"Another"))
    assert set(page.marks) == {"open"}
    page.edit("trail", at=3, passed=False)
    assert page.reply is None
    assert page.data("answer")["place"] != place


def test_digits_that_are_none_are_no_answer():
    page = Lessons("?lesson=masks&answers=²_~e_٣")
    assert set(page.marks) == {"open"}


def test_fresh_numbers_are_other_numbers():
    page, before = Lessons("?lesson=weights&at=3"), None
    for _ in range(12):
        shown = page.press("Fresh numbers").texts
        assert shown != before
        before = shown


def test_a_right_answer_may_be_followed_by_its_point():
    at = next(i for i, s in enumerate(our_lesson("masks").steps) if s.well)
    reply = Lessons(f"?lesson=masks&at={at}").answer("0.665 0.245 0.090").reply
    well = our_lesson("masks").step(at).well
    assert reply == {"value": f"Right: 0.6652, 0.2447, 0.0900. {well}", "ok": True}


def test_an_answer_that_cannot_be_read_is_told_the_form_that_stands_above_it():
    at = next(i for i, s in enumerate(our_lesson("weights").steps) if s.answer == "weight_sum")
    page = Lessons(f"?lesson=weights&at={at}").answer("two")
    form = page.reply["value"].removeprefix("That is not a number: 'two'. ")
    assert form in [c.value for c in page.at.caption]


def test_nan_as_an_answer_is_told_what_it_is():
    assert (
        "gives where there is no number"
        in Lessons("?lesson=weights&at=3").answer("NaN").reply["value"]
    )


def test_the_help_can_be_closed():
    page = Lessons("?lesson=weights&at=3&help=3_3")
    assert page.texts.count("> ") == 3
    assert "> " not in page.press("Close the help").texts


def test_faults_of_a_lesson_are_shown_together():
    page = upload(Lessons(), OWN.replace(b"{{weights.0", b"{{wieghts.0"))
    lines = [note.partition(":")[0] for note in page.warnings]
    assert len(lines) == len(set(lines)) > 1
    page = upload(page, OWN.replace(b'kind = "see"', b'kind = "sea"').replace(b"hints", b"hint"))
    assert len(page.warnings) > 2
    assert any("did you mean hints?" in note for note in page.warnings)


def test_the_state_of_a_lesson_is_remembered_apart_from_others():
    page = Lessons("?lesson=weights&at=3").answer("0.67")
    page.go("lessons", "?lesson=softmax")
    assert page.link == {"lesson": "softmax"}
    assert LessonState("softmax").answers == ()
