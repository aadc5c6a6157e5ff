"""The start page: a living example, and doors that all open."""

from urllib.parse import urlencode

import pytest

from attnviz.content import softmax as softmax_words
from attnviz.content import start as words
from tests.pages.driver import Visit
from tests.pages.test_softmax import DEFAULT, NASTY, by_hand, drawn


@pytest.fixture
def start():
    return Visit("start")


def test_the_example_is_alive_from_typed_text_to_bar(start):
    assert start.bars.tolist() == drawn(DEFAULT)
    start.scores("1/sqrt(2) 0 −1", labels=["the", "cat", "sat"])
    assert start.bars.tolist() == drawn(by_hand([0.5**0.5, 0, -1]))
    start.temperature("beta", "3")
    assert start.bars.tolist() == drawn(by_hand([0.5**0.5, 0, -1], 3))
    assert start.data("temperature")["T"] == "0.3333"
    assert start.data("bars")["alt"].startswith("Weights at β = 3: the ")
    start.scores(hide=[0])
    assert start.bars.tolist() == drawn(by_hand([-float("inf"), 0, -1], 3))


def test_the_start_page_writes_no_link_and_reads_none(start):
    start.scores("3 1 0").temperature("T", "2")
    assert start.link == {}
    other = Visit("start", "?scores=9,9&T=x&utm_source=y")
    assert other.bars.tolist() == drawn(DEFAULT)
    assert other.warnings == []
    other.scores("3 1 0")
    assert other.bars.tolist() == drawn(by_hand([3, 1, 0]))


def test_a_number_that_cannot_be_read_stays_and_nothing_is_drawn(start):
    start.scores("3 x 0")
    assert start.warnings == [softmax_words.UNREADABLE]
    assert start.data("matrix")["errors"][0]["say"].startswith("Key 2: ")
    assert not start.has("bars")
    start.scores("3 1 0").temperature("T", "-1")
    assert start.data("temperature")["error"].startswith("T ")
    assert not start.has("bars")
    start.temperature("T", "1")
    assert start.bars.tolist() == drawn(by_hand([3, 1, 0]))
    assert start.warnings == []


def test_with_every_key_masked_it_says_so(start):
    start.scores(hide=[0, 1, 2])
    assert start.warnings == [softmax_words.all_masked(0, 1)]
    assert not start.has("bars")


def test_in_the_limits_the_example_shows_them(start):
    start.temperature("beta", "inf")
    assert start.bars.tolist() == [1, 0, 0]
    assert "underflow" not in start.everything
    start.temperature("beta", "0")
    assert start.bars.tolist() == drawn([1 / 3] * 3)


def test_every_door_is_on_the_page_and_opens_without_a_complaint(start):
    doors = [door for way in words.WAYS for door in way.doors]
    links = start.at.get("page_link")
    assert [link.proto.label for link in links] == [door.label for door in doors]
    for link, door in zip(links, doors, strict=True):
        assert link.proto.page == door.page
        assert link.proto.query_string == urlencode(door.params)
        page = Visit(door.page, link.proto.query_string)
        assert page.warnings == []
        assert page.link == door.params  # the address is already the shortest one
        drawn_parts = ("bars", "study", "overview", "sentence", "predict")
        assert any(page.has(part) for part in drawn_parts)


def test_what_was_typed_is_still_there_after_a_look_at_another_page(start):
    start.scores("3 1 0").temperature("T", "2")
    start.go("softmax")
    assert start.bars.tolist() == drawn(DEFAULT)  # a state of its own
    start.scores("7 7").go("start")
    assert start.bars.tolist() == drawn(by_hand([3, 1, 0], 0.5))
    assert start.link == {}
    start.scores("3 1 1")
    assert start.bars.tolist() == drawn(by_hand([3, 1, 1], 0.5))


def test_labels_that_look_like_markup_arrive_letter_for_letter(start):
    start.scores(" ".join("1" * len(NASTY)), labels=NASTY)
    expected = [label.replace("\ud83d", "\ufffd") for label in NASTY]
    assert start.data("matrix")["labels"] == expected
    assert len(start.bars) == len(NASTY)


def test_a_run_sends_less_than_6_kB(start):
    assert start.size < 6_000
