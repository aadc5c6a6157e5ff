"""What the parts are given to draw: texts letter for letter, figures as Plotly writes them."""

import json
import math

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.content.shown import shown
from attnviz.figures.softmax import weight_bars
from attnviz.state.temperature import Temperature
from attnviz.ui import parts
from attnviz.ui.softmax import box_text, limit_words
from tests.figures.decode import decoded
from tests.pages.driver import payload
from tests.pages.test_softmax import NASTY


def draw(call):
    """Call a part in a script of its own; return what every part was given."""

    def page(call):
        call()

    at = AppTest.from_function(page, kwargs={"call": call}).run()
    assert not at.exception
    return [payload(node.proto) for node in at.main if node.type == "bidi_component"]


def test_a_figure_travels_with_its_words_its_name_and_every_digit():
    weights = np.array([2 / 3, 1 / 3, np.nan])
    figure = weight_bars(["the", "cat", "sat"], weights, ["a", "b", "c"], masked=np.zeros(3, bool))
    [sent] = draw(lambda: parts.figure(figure, "k", alt="the ≤ 0.6667", name="file", scale=1.3))
    assert sent["alt"] == "the ≤ 0.6667"
    assert (sent["name"], sent["scale"]) == ("file", 1.3)
    np.testing.assert_array_equal(decoded(sent["figure"])["data"][0]["y"], weights)
    assert sent["figure"] == json.loads(figure.to_json())


@pytest.mark.parametrize("tone", ["warnings", "errors"])
def test_sentences_are_shown_letter_for_letter(tone):
    nasty = [label for label in NASTY if label.isprintable()]
    [sent] = draw(lambda: getattr(parts, tone)("k", nasty))
    assert [item["value"] for item in sent["items"]] == nasty
    assert sent["tone"] == tone.removesuffix("s")


def test_without_a_sentence_no_warning_is_drawn():
    assert draw(lambda: parts.warnings("k", [])) == []


def test_facts_keep_their_terms_notes_and_marks():
    items = [{"term": "Sum", "value": "1", "note": "of 3", "help": "why", "ok": True}]
    [sent] = draw(lambda: parts.facts("k", items))
    assert sent == {"items": items, "tone": "plain"}


def test_a_table_and_an_editor_are_given_what_they_draw_as_it_is():
    data = {"head": [{"id": "key", "text": "<b>"}], "rows": [], "foot": [], "caption": "∅ ␣"}
    assert draw(lambda: parts.table("k", data)) == [data]
    assert draw(lambda: parts.editor("matrix", "k", data)) == [data]


def test_a_copy_button_copies_the_address_or_another_state_and_can_be_switched_off():
    [address] = draw(lambda: parts.copy_button("k", "Copy link", help="h"))
    assert address["query"] is None
    assert not address["disabled"]
    query = {"scores": "1_2", "labels": "<s>"}
    [other] = draw(lambda: parts.copy_button("k", "Copy", query=query, disabled=True))
    assert other["query"] == "scores=1_2&labels=%3Cs%3E"
    assert other["disabled"]


def test_a_failure_is_told_in_a_sentence_without_the_error():
    def page():
        from attnviz.ui.failure import explain_failure

        assert explain_failure(ValueError("secret path")) is True

    [error] = AppTest.from_function(page).run().error
    assert "went wrong" in error.value
    assert "secret" not in error.value


@pytest.mark.parametrize(
    ("temperature", "T", "beta"),
    [
        (Temperature(), "1", "1"),
        (Temperature("T", "1/3"), "1/3", "3"),
        (Temperature("T", "0.001"), "0.001", "1000"),
        (Temperature("beta", "3"), "0.3333", "3"),
        (Temperature("beta", "1/4"), "4", "1/4"),
        (Temperature("beta", "inf"), "0", "∞"),
        (Temperature("beta", "0"), "∞", "0"),
        (Temperature("T", "1e-5"), "1e-5", "100000"),
    ],
)
def test_the_box_that_was_typed_keeps_its_text_and_the_other_shows_the_inverse(
    temperature, T, beta
):
    assert (box_text(temperature, "T"), box_text(temperature, "beta")) == (T, beta)


def test_a_limit_and_a_place_beyond_the_slider_are_said_in_words():
    assert limit_words(Temperature()) == ""
    assert limit_words(Temperature("T", "100")) == ""
    assert "T → 0" in limit_words(Temperature("beta", "inf"))
    assert "T → ∞" in limit_words(Temperature("T", "inf"))
    for text in ("0.009", "1000"):
        assert shown(float(text)) in limit_words(Temperature("T", text))
    assert not math.isinf(Temperature("T", "1000").position)
