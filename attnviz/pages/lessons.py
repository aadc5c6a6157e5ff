"""The lessons page: contents, one step at a time, checked answers, a lesson from a file."""

from urllib.parse import parse_qsl

import streamlit as st

from attnviz.content import attention as attention_presets
from attnviz.content import code, lessons
from attnviz.content import softmax as softmax_words
from attnviz.content.lessons import card, live, replies, words
from attnviz.content.lessons.reader import our_lesson, read_lesson
from attnviz.content.shown import key_names
from attnviz.core import exercises
from attnviz.exports.checker import checker_zip
from attnviz.figures.style import colour_of
from attnviz.pages import attention_explorer, softmax_explorer
from attnviz.pages.lesson_numbers import StepNumbers, check_lesson
from attnviz.pages.lesson_standing import answered, standing_at, standing_of
from attnviz.state.attention import AttentionState
from attnviz.state.lessons import (
    DONE,
    NOT_DONE,
    OWN,
    LessonState,
    edit_answer,
    edit_bars,
    edit_trail,
)
from attnviz.state.links import decode, encode
from attnviz.state.softmax import SoftmaxState
from attnviz.ui import parts
from attnviz.ui.form import Form

ATTENTION = (
    "attnviz/pages/attention.py",
    AttentionState,
    attention_presets.preset_states(),
    {
        "parts": attention_explorer.PARTS,
        "natives": attention_explorer.NATIVES,
        "several": attention_explorer.SEVERAL,
    },
)
SOFTMAX = (
    "attnviz/pages/softmax.py",
    SoftmaxState,
    softmax_words.preset_states(),
    {"parts": softmax_explorer.PARTS, "natives": softmax_explorer.NATIVES},
)
EXPLORERS = {
    "softmax": SOFTMAX,
    "arithmetic": SOFTMAX,
    "attention": ATTENTION,
    "masks": ATTENTION,
}

READING = 740  # pixels: a line of text that is read with ease
EDITS = {"bars": edit_bars, "answer": edit_answer, "trail": edit_trail}

form = Form("lessons", LessonState, {}, parts=EDITS)
state = form.state


def edition() -> str:
    """Return what tells one lesson from a file from another, in the keys of this visit."""
    return form.recall("edition", "") if state.lesson == OWN else ""


def place() -> str:
    """Return a name of the open step, its numbers and its lesson's edition."""
    return f"{edition()}{state.place}"


def draw_contents() -> None:
    """Show all lessons with how far one is, the card, and a way to open one's own."""
    st.markdown(words.HEADING)
    parts.facts(form.key("sentence"), [{"value": words.SENTENCE}], tone="lines")
    for at, name in enumerate(lessons.ORDER):
        lesson = our_lesson(name)
        left = form.recall(name, LessonState(lesson=name))
        well, asked = answered(lesson, standing_of(lesson, left))
        title, goal, progress = st.columns([3, 7, 2], vertical_alignment="center")
        with title:
            form.link_button(words.numbered(at, lesson.title), left, plain=True)
        with goal:
            st.markdown(lesson.goal)
        with progress:
            st.caption(words.progress(well, asked, bool(left.answers)))
    form.link_button(card.TITLE, LessonState(lesson=card.NAME), plain=True)
    st.markdown(words.OWN_HEADING)
    st.markdown(words.OWN)
    draw_own_file()


def draw_own_file() -> None:
    """Offer one of our files as a start, and open one that a person wrote."""
    st.download_button(
        words.SAMPLE,
        lessons.lesson_text(lessons.FIRST),
        file_name="lesson.toml",
        mime="text/plain",
        on_click="ignore",
        key=form.key("sample"),
    )
    form.text_file(words.OPEN_FILE, open_own)
    parts.warnings(form.key("own-error"), form.recall("own-error", []))


def open_own(content: bytes) -> None:
    """Take over the file of a lesson, or say what is wrong with it."""
    form.remember("own-error", [])
    try:
        lesson = read_lesson(content.decode("utf-8"))
        check_lesson(lesson)
    except UnicodeDecodeError:
        form.remember("own-error", [words.NOT_TEXT])
    except lessons.LessonError as error:
        form.remember("own-error", [words.full_stop(fault) for fault in (error, *error.others)])
    else:
        form.forget(OWN)  # what was answered in the lesson before it
        form.remember("own-lesson", lesson)
        form.remember("edition", words.edition_of(content))
        form.load(LessonState(lesson=OWN))


def draw_head(title: str) -> None:
    """Show the title, the way back to all lessons, and the link."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"#### {title}")
        form.link_button(words.ALL, LessonState())
        parts.copy_button(form.key("copy"), words.COPY_LINK, help=words.COPY)


def draw_card() -> None:
    """Show the reference card, which is made for paper."""
    draw_head(card.TITLE)
    numbers = StepNumbers(card.CARD, 0)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(numbers.fill(card.CARD.say))
    with right:
        st.markdown(words.CARD_CODE)
        st.code(card.CODE, language="python")
        st.caption(words.PRINT)


def draw_explorer(step: lessons.Step) -> None:
    """Embed the live explorer; it is the same as on its own page."""
    page, cls, presets, options = EXPLORERS[step.explore]
    start = decode(dict(parse_qsl(step.open, keep_blank_values=True)), cls, presets).state
    inner = Form(
        f"lesson-{edition()}{state.lesson}-{state.at}",
        cls,
        presets,
        start=start,
        embedded=True,
        **options,
    )
    if step.explore == "softmax":
        explorer = softmax_explorer.SoftmaxExplorer(inner)
        if explorer.draw_editors(compare=False):
            below = step.panel == "curves"  # they go on from the bars; others are what it is about
            if step.panel and not below:
                explorer.draw_panel(step.panel)
            explorer.draw_result()
            if below:
                explorer.draw_panel(step.panel)
    elif step.explore == "arithmetic":
        explorer = softmax_explorer.SoftmaxExplorer(inner)
        if explorer.draw_editors(temperature=False):
            explorer.draw_result(plain=True)
    elif step.explore == "masks":
        explorer = attention_explorer.AttentionExplorer(inner)
        explorer.draw_masks()
        if explorer.compute():
            explorer.draw_stages(only=("masked", "weights"))
    else:
        explorer = attention_explorer.AttentionExplorer(inner)
        explorer.draw_editors()
        small = inner.state.is_easy  # then its numbers are changed, and what they do comes first
        if not small:
            explorer.draw_controls()
        if explorer.compute():
            explorer.draw_stages()
            if inner.state.row is not None:
                explorer.draw_query()
        if small:
            explorer.draw_controls()
    with st.container(horizontal=True, vertical_alignment="center"):
        link = encode(inner.state, presets) or None
        st.page_link(page, label=words.WHOLE_PAGE, query_params=link)
        if inner.state != start:
            inner.reset_button(words.BACK_TO_NUMBERS, help=words.BACK_TO_NUMBERS_HELP)


def draw_question(step: lessons.Step, numbers: StepNumbers) -> None:
    """Ask, and answer the answer."""
    ask = numbers.fill(step.ask)
    st.markdown(words.strong(ask))
    if step.options:
        chosen = replies.chosen(state, step, state.at)
        submit = words.COMMIT if step.kind == "predict" else words.CHECK
        options = [numbers.fill(option.text) for option in step.options]
        same = form.ask_choice(place(), ask, options, chosen, submit, state.answered)
        if same and chosen is not None:
            said = replies.reply(step, chosen, numbers.fill_plain)
            parts.facts(form.key("reply"), said, tone="lines", reveal=True)
    elif step.bars:
        draw_bars(step, numbers)
    else:
        draw_answer(step, numbers)


def draw_answer(step: lessons.Step, numbers: StepNumbers) -> None:
    """Take numbers as an answer, and answer them."""
    st.caption(words.asked_form(step, numbers.shape, whole=exercises.is_whole(numbers.right)))
    typed = "" if state.answer == DONE else state.answer
    cells = numbers.mask_cells(typed) if numbers.is_mask and typed else None
    data = {
        "place": place(),
        "ask": numbers.fill_plain(step.ask),
        "answer": typed,
        "submit": words.CHECK,
        "nudge": words.NUDGE,
        "lineName": words.MASK_LINE if numbers.is_mask else "",
        "grid": words.mask_grid(numbers.shape, cells) if numbers.is_mask else None,
        "reply": checked(step, numbers) if typed else None,
    }
    form.editor("answer", data)


def checked(step: lessons.Step, numbers: StepNumbers) -> dict[str, object]:
    """Check a numeric answer."""
    try:
        answer = numbers.read(state.answer)
    except ValueError as error:
        whole = exercises.is_whole(numbers.right)
        return replies.unread(step, state.answer, str(error), numbers.shape, whole=whole)
    off = numbers.places_off(answer)
    known = numbers.known(answer, right=not off)
    more = state.hints < len(step.hints)
    return replies.feedback(step, answer, numbers.right, off, known, text=state.answer, more=more)


def draw_bars(step: lessons.Step, numbers: StepNumbers) -> None:
    """Let the weights be drawn as bars; show the true ones once that is done."""
    labels = key_names(numbers.count_keys)
    drawn = replies.drawn_bars(state.answer, numbers.count_keys)
    data = {
        "place": place(),
        "labels": labels,
        "scores": [numbers.shown(f"scaled.{j}") for j, _ in enumerate(labels)],
        "colors": [colour_of(j) for j, _ in enumerate(labels)],
        "drawn": drawn,
        "weights": numbers.weights if drawn else None,
        "shown": [live.written(weight) for weight in numbers.weights] if drawn else None,
        "words": words.bars(step),
        "reply": predicted(numbers, drawn, labels) if drawn else "",
    }
    form.editor("bars", data, part="predict")


def predicted(numbers: StepNumbers, drawn: list[float], labels: list[str]) -> str:
    """Answer a drawn prediction."""
    near = exercises.nearness(drawn, numbers.weights)
    wrong = exercises.first_inverted(drawn, numbers.weights)
    return replies.bars_feedback(near, drawn, numbers.weights, labels, wrong)


def draw_hints(step: lessons.Step, numbers: StepNumbers) -> None:
    """Help one level at a time."""
    for hint in words.open_hints(step, state.hints):
        st.markdown(f"> {numbers.fill(hint)}")
    if step.hints:
        more = state.hints < len(step.hints)
        form.button(
            words.hint_button(state.hints, len(step.hints)),
            name="help",
            help=state.one_more_hint if more else state.no_hint,
        )


def draw_code(step: lessons.Step) -> None:
    """Show what is to be written, and how to check it on one's own machine."""
    st.markdown(words.CODE, width=READING)
    st.code(code.start(step.function), language="python")
    with st.container(horizontal=True):
        st.download_button(
            words.download(step.function),
            code.start(step.function),
            file_name=words.code_file(step.function),
            mime="text/x-python",
            on_click="ignore",
            key=form.key("code-start"),
        )
        st.download_button(
            words.CHECKER,
            checker_zip,
            file_name="attnviz-check.zip",
            mime="application/zip",
            on_click="ignore",
            help=words.CHECKER_HELP,
            key=form.key("checker"),
        )
    st.code(words.check_command(step.function), language="bash")
    with st.expander(words.SOLUTION):
        st.code(code.solution(step.function), language="python")
    if not step.asks:
        draw_mark()


def draw_mark() -> None:
    """Let a person say that the step is done."""
    done = state.answer == DONE
    with st.container(horizontal=True, vertical_alignment="center"):
        if done:
            st.markdown(words.MARKED)
        form.link_button(
            words.UNMARK if done else words.MARK,
            state.answered(NOT_DONE if done else DONE),
            name="mark",
        )


def draw_step(lesson: lessons.Lesson) -> None:
    """Show one step: what it says, what it asks, and what it embeds."""
    step = lesson.step(state.at)
    numbers = StepNumbers(step, state.seed_of(state.at))
    if step.say:
        st.markdown(numbers.fill(step.say), width=READING)
    if step.explore:
        draw_explorer(step)
    with st.container(width=READING):
        if step.asks:
            draw_question(step, numbers)
        draw_hints(step, numbers)
    if step.function:
        draw_code(step)


def passes(step: lessons.Step) -> bool:
    """Tell whether going on is all that a step wants."""
    return not step.asks and not step.function


def draw_ways_on(lesson: lessons.Lesson) -> None:
    """Show the buttons back and on, and fresh numbers where a lesson has some."""
    step, whole = lesson.step(state.at), form.recall(state.lesson)
    with st.container(horizontal=True):
        if state.at > 0:
            form.link_button(words.BACK, whole.gone_to(state.before))
        if state.at + 1 < len(lesson.steps):
            form.link_button(words.NEXT, whole.gone_to(state.at + 1, passed=passes(step)))
        else:
            following = words.next_lesson(state.lesson)
            if following:
                form.link_button(
                    words.next_button(our_lesson(following).title),
                    form.recall(following, LessonState(lesson=following)),
                )
        if step.redraw:
            numbers = StepNumbers(step, state.seed_of(state.at))
            done = standing_at(step, state.at, state) == "right"
            fresh = numbers.fresh_state(state, done=done)
            form.link_button(words.FRESH, fresh, help=words.REDRAWN)
        parts.copy_button(
            form.key("copy-blank"),
            words.COPY_BLANK,
            help=words.COPY_BLANK_HELP,
            query=encode(state.unanswered, {}),
        )


def draw_lesson(lesson: lessons.Lesson) -> None:
    """Show a lesson at its open step."""
    draw_head(lesson.title)
    st.caption(lesson.goal)
    standing = standing_of(lesson, state)
    trail = words.trail(lesson, standing, state.at)
    form.editor(
        "trail",
        {"lesson": state.lesson, "at": state.at, "passes": passes(lesson.step(state.at)), **trail},
    )
    draw_step(lesson)
    if state.at + 1 == len(lesson.steps):
        end = words.finished(lesson, standing)
        parts.facts(form.key("end"), [{"value": end}], tone="lines")
    draw_ways_on(lesson)


parts.warnings(form.key("notes"), form.notes)
opened = form.recall("own-lesson") if state.lesson == OWN else None
if state.lesson in lessons.ORDER:
    opened = our_lesson(state.lesson)
if opened is not None and state.at >= len(opened.steps):
    parts.warnings(form.key("no-step"), [words.no_step(len(opened.steps))])
    form.settle(state.within(len(opened.steps)))
    state = form.state
if opened is not None:
    form.remember(state.lesson, state.with_kept(form.recall(state.lesson, state)))
    draw_lesson(opened)
elif state.lesson == card.NAME:
    draw_card()
else:
    if state.lesson:
        parts.warnings(
            form.key("lost"), [words.OWN_LOST if state.lesson == OWN else words.NO_LESSON]
        )
    draw_contents()
form.finish()
