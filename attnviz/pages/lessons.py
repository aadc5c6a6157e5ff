"""The lessons page: contents, one step at a time, checked answers, a lesson from a file."""

from urllib.parse import parse_qsl

import streamlit as st

from attnviz.content import attention as attention_presets
from attnviz.content import code, lessons
from attnviz.content import softmax as softmax_words
from attnviz.content.lessons import card, words
from attnviz.content.lessons.reader import our_lesson, read_lesson
from attnviz.content.shown import key_names
from attnviz.core import exercises
from attnviz.figures.style import colour_of
from attnviz.pages import attention_explorer, softmax_explorer
from attnviz.pages.lesson_numbers import StepNumbers, check_lesson
from attnviz.state.attention import AttentionState
from attnviz.state.lessons import DONE, OWN, LessonState, edit_bars, edit_mask, edit_trail
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
EXPLORERS = {
    "softmax": (
        "attnviz/pages/softmax.py",
        SoftmaxState,
        softmax_words.preset_states(),
        {"parts": softmax_explorer.PARTS, "natives": softmax_explorer.NATIVES},
    ),
    "attention": ATTENTION,
    "masks": ATTENTION,
}

READING = 740  # pixels: as long as a line of text is read with ease
EDITS = {"bars": edit_bars, "mask": edit_mask, "trail": edit_trail}

form = Form("lessons", LessonState, {}, parts=EDITS)
state = form.state


def is_done(step: lessons.Step, at: int, given: LessonState) -> bool:
    """Tell whether a step was answered well; a prediction only has to be made.

    A step that asks nothing is done when one has gone on from it, one with code when one says so.
    """
    answer = given.answer_to(at)
    if not step.asks:
        return answer == DONE
    if not answer:
        return False
    if step.options:
        chosen = words.chosen(given, step, at)
        return words.is_good_choice(step, chosen)
    if step.bars:
        return True
    numbers = StepNumbers(step, given.seed_of(at))
    try:
        return not numbers.places_off(numbers.read(answer))
    except ValueError:
        return False


def done_steps(lesson: lessons.Lesson, given: LessonState) -> list[bool]:
    """Tell for each step of a lesson whether it was answered well."""
    return [is_done(step, at, given) for at, step in enumerate(lesson.steps)]


def answered(lesson: lessons.Lesson, done: list[bool]) -> tuple[int, int]:
    """Count the questions that were answered well, and all of them."""
    asked = [ok for step, ok in zip(lesson.steps, done, strict=True) if step.asks]
    return sum(asked), len(asked)


def draw_contents() -> None:
    """Show all lessons with how far one is, the card, and a way to open one's own."""
    st.markdown(words.HEADING)
    parts.facts(form.key("sentence"), [{"value": words.SENTENCE}], tone="lines")
    for at, name in enumerate(lessons.ORDER):
        lesson = our_lesson(name)
        left = form.recall(name, LessonState(lesson=name))
        well, asked = answered(lesson, done_steps(lesson, left))
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
        form.remember("own-lesson", lesson)
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
        f"lesson-{state.lesson}-{state.at}", cls, presets, start=start, embedded=True, **options
    )
    if step.explore == "softmax":
        explorer = softmax_explorer.SoftmaxExplorer(inner)
        if explorer.draw_editors(compare=False):
            explorer.draw_result()
            if step.panel:
                explorer.draw_panel(step.panel)
    elif step.explore == "masks":
        explorer = attention_explorer.AttentionExplorer(inner)
        explorer.draw_masks()
        if explorer.compute():
            explorer.draw_stages(only=("masked", "weights"))
    else:
        explorer = attention_explorer.AttentionExplorer(inner)
        explorer.draw_editors()
        explorer.draw_controls()
        if explorer.compute():
            explorer.draw_stages()
            if inner.state.row is not None:
                explorer.draw_query()
    st.page_link(page, label=words.WHOLE_PAGE, query_params=encode(inner.state, presets) or None)


def draw_question(step: lessons.Step, numbers: StepNumbers) -> None:
    """Ask, and answer the answer."""
    st.markdown(f"**{numbers.fill(step.ask)}**")
    if step.options:
        chosen = words.chosen(state, step, state.at)
        submit = words.COMMIT if step.kind == "predict" else words.CHECK
        options = [numbers.fill(option.text) for option in step.options]
        form.ask_choice(numbers.fill(step.ask), options, chosen, submit, state.answered)
        if chosen is not None:
            said = words.reply(step, chosen, numbers.fill)
            parts.facts(form.key("reply"), said, tone="lines")
    elif step.bars:
        draw_bars(step, numbers)
    else:
        st.caption(words.asked_form(step, numbers.count))
        if numbers.is_mask:
            form.editor("mask", {"answer": state.answer, **words.mask_grid(*numbers.right.shape)})
        else:
            form.ask_text(numbers.fill(step.ask), state.answer, words.CHECK, state.answered)
        if state.answer:
            parts.facts(form.key("reply"), checked(step, numbers), tone="lines")


def checked(step: lessons.Step, numbers: StepNumbers) -> list[dict[str, object]]:
    """Check a numeric answer."""
    try:
        answer = numbers.read(state.answer)
    except ValueError as error:
        return [words.unread(step, str(error), numbers.count)]
    off = numbers.places_off(answer)
    mistake = numbers.mistake(answer) if off else ""
    more = state.hints < len(step.hints)
    return words.feedback(step, answer, numbers.right, off, mistake, more=more)


def draw_bars(step: lessons.Step, numbers: StepNumbers) -> None:
    """Let the weights be drawn as bars; show the true ones once that is done."""
    labels = key_names(numbers.count_keys)
    drawn = words.drawn_bars(state.answer, numbers.count_keys)
    data = {
        "labels": labels,
        "colors": [colour_of(j) for j, _ in enumerate(labels)],
        "drawn": drawn,
        "weights": numbers.weights if drawn else None,
        "shown": [words.written(weight) for weight in numbers.weights] if drawn else None,
    }
    st.caption(words.BARS)
    form.editor("bars", data, part="predict")
    if drawn:
        gap = exercises.distance(drawn, numbers.weights)
        said = words.bars_feedback(gap, drawn, numbers.weights)
        parts.facts(form.key("reply"), said, tone="lines")


def draw_hints(step: lessons.Step, numbers: StepNumbers) -> None:
    """Help one level at a time."""
    for hint in words.open_hints(step, state.hints):
        st.markdown(f"> {numbers.fill(hint)}")
    if state.hints < len(step.hints):
        form.button(words.hint_button(state.hints), help=state.one_more_hint)


def draw_code(step: lessons.Step) -> None:
    """Show what is to be written, and how to check it on one's own machine."""
    st.markdown(words.CODE)
    st.code(code.start(step.function), language="python")
    st.download_button(
        words.download(step.function),
        code.start(step.function),
        file_name=words.code_file(step.function),
        mime="text/x-python",
        on_click="ignore",
        key=form.key("code-start"),
    )
    st.code(words.check_command(step.function), language="bash")
    with st.expander(words.SOLUTION):
        st.code(code.solution(step.function), language="python")
    if not step.asks:
        marked = state.answer == DONE
        form.link_button(
            words.UNMARK if marked else words.PASSES, state.answered("" if marked else DONE)
        )


def draw_step(lesson: lessons.Lesson) -> None:
    """Show one step: what it says, what it asks, and what it embeds."""
    step = lesson.step(state.at)
    numbers = StepNumbers(step, state.seed_of(state.at))
    if step.explore:
        st.markdown(numbers.fill(step.say))
        draw_explorer(step)
        if step.asks:
            draw_question(step, numbers)
    else:
        with st.container(width=READING):
            st.markdown(numbers.fill(step.say))
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
    step = lesson.step(state.at)
    with st.container(horizontal=True):
        if state.at > 0:
            form.link_button(words.BACK, state.gone_to(state.before))
        if state.at + 1 < len(lesson.steps):
            form.link_button(words.NEXT, state.gone_to(state.at + 1, passed=passes(step)))
        else:
            following = words.next_lesson(state.lesson)
            if following:
                form.link_button(
                    words.next_button(our_lesson(following).title),
                    form.recall(following, LessonState(lesson=following)),
                )
        if step.redraw:
            form.link_button(words.FRESH, state.redrawn(), help=words.REDRAWN)
        parts.copy_button(
            form.key("copy-blank"),
            words.COPY_BLANK,
            help=words.COPY_BLANK_HELP,
            query=encode(state.unanswered, {}),
        )


def draw_lesson(lesson: lessons.Lesson) -> None:
    """Show a lesson at its open step."""
    form.remember(state.lesson, state)
    draw_head(lesson.title)
    st.caption(lesson.goal)
    done = done_steps(lesson, state)
    trail = words.trail(lesson, done, state.at)
    form.editor(
        "trail",
        {"lesson": state.lesson, "at": state.at, "passes": passes(lesson.step(state.at)), **trail},
    )
    draw_step(lesson)
    if state.at + 1 == len(lesson.steps):
        end = words.finished(lesson, *answered(lesson, done))
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
