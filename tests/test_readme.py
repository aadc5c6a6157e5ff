"""The README stays true: its links open a state, its code runs, its picture and files exist."""

import doctest
import re
from dataclasses import fields
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from attnviz.content.attention import preset_states as attention_presets
from attnviz.content.labs import states_of
from attnviz.content.lessons import Step
from attnviz.content.lessons.reader import our_lesson, read_lesson
from attnviz.content.numerics import PRESETS as NUMERICS
from attnviz.content.sampling import PRESETS as SAMPLING
from attnviz.content.scaling import PRESETS as SCALING
from attnviz.content.softmax import preset_states
from attnviz.pages.lesson_numbers import StepNumbers, check_lesson
from attnviz.state.attention import AttentionState
from attnviz.state.fields import fields_of
from attnviz.state.lessons import LessonState
from attnviz.state.links import decode
from attnviz.state.numerics import NumericsState
from attnviz.state.sampling import SamplingState
from attnviz.state.scaling import ScalingState
from attnviz.state.softmax import SoftmaxState

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    "/softmax": (SoftmaxState, preset_states()),
    "/attention": (AttentionState, attention_presets()),
    "/lessons": (LessonState, {}),
    "/numerics": (NumericsState, states_of(NUMERICS)),
    "/scaling": (ScalingState, states_of(SCALING)),
    "/sampling": (SamplingState, states_of(SAMPLING)),
}
LINKS = [link for link in re.findall(r"<(http://localhost:8501/[^>]*)>", TEXT) if "?" in link]


@pytest.mark.parametrize("link", LINKS)
def test_every_link_opens_a_state_of_its_own_without_a_note(link):
    address = urlsplit(link)
    cls, presets = PAGES[address.path]
    opened = decode(parse_qs(address.query), cls, presets)
    assert opened.notes == ()
    assert opened.state != cls()


def test_there_are_links_to_try_on_every_page():
    assert {urlsplit(link).path for link in LINKS} == set(PAGES)


def test_its_python_gives_what_it_says():
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert found.attempted >= 3
    assert found.failed == 0


def test_its_pictures_and_files_are_there():
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", TEXT):
        assert (ROOT / name).is_file()
    for name in re.findall(r"`((?:attnviz|tests|\.ci|\.streamlit)/[\w./]+)`", TEXT):
        assert (ROOT / name).exists(), name


def test_its_tables_of_link_names_list_every_field():
    for cls, _ in PAGES.values():
        for field in fields_of(cls):
            for name in field.reads:
                assert f"`{name}`" in TEXT, name


def test_the_lesson_in_the_guide_to_lessons_is_one():
    guide = (ROOT / "docs/LESSONS.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    lesson = read_lesson(text)
    check_lesson(lesson)
    assert len(lesson.steps) == 4
    assert "[[step.wrong]]" in guide
    step = {f.name for f in fields(Step)} - {"options", "wrong", "line"}
    assert [name for name in step if f"`{name}`" not in guide and f"`{name} = " not in guide] == []
    numbers = StepNumbers(our_lesson("head").step(0), 0).numbers
    assert [
        name for name in numbers if f"`{name}`" not in guide and f"{{{name}}}" not in guide
    ] == []
