"""The README stays true: its links open a state, its code runs, its picture and files exist."""

import doctest
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from attnviz.content.attention import preset_states as attention_presets
from attnviz.content.softmax import preset_states
from attnviz.state.attention import AttentionState
from attnviz.state.fields import fields_of
from attnviz.state.links import decode
from attnviz.state.softmax import SoftmaxState

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    "/softmax": (SoftmaxState, preset_states()),
    "/attention": (AttentionState, attention_presets()),
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
