"""Labels: the label box, what is written for it, and what is shown."""

import csv
import io
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.state.labels import clean_label, read_labels, visible_label, write_labels
from attnviz.state.numbers import NotNumbers, read_matrix

quick = settings(deadline=None, max_examples=100)
MARKS = [*" \t\n\r,;\"'[]()\\_~a", "Ġ", "▁", "∅", "␣", "␠", "⏎", "⇥", "‹", "›", "\u200d", "\ud83d"]
LABEL = st.one_of(
    st.text(st.characters(codec=None), max_size=12),
    st.lists(st.sampled_from(MARKS), max_size=6).map("".join),
)


# The box


def test_special_tokens_in_brackets_are_labels_and_no_list():
    assert read_labels("[CLS] the cat [SEP]") == ("[CLS]", "the", "cat", "[SEP]")
    assert read_labels("[CLS]") == ("[CLS]",)
    assert read_labels("[CLS],the,[SEP]") == ("[CLS]", "the", "[SEP]")


def test_a_comma_and_a_quote_mark_can_be_labels():
    assert read_labels('the,",",cat') == ("the", ",", "cat")
    assert read_labels('"') == ('"',)
    assert read_labels('"""",a') == ('"', "a")
    assert read_labels('he said " hi "') == ("he", "said", '"', "hi", '"')


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("the cat", ("the", "cat")),
        ("the, cat , sat", ("the", "cat", "sat")),
        ("the,cat,", ("the", "cat")),
        ("the,,cat", ("the", "", "cat")),
        ('the,""', ("the", "")),
        ('" a",a', (" a", "a")),
        ("New York,Rome", ("New York", "Rome")),
        ("the\ncat\r\nsat\n", ("the", "cat", "sat")),
        ("the,cat\nsat,on\n", ("the", "cat", "sat", "on")),
        ('the,"a\nb"', ("the", "a\nb")),
        ("\ufeffthe,cat", ("the", "cat")),
        ("inf nan -1", ("inf", "nan", "-1")),
        ("我\u3000爱", ("我", "爱")),
        ("", ()),
        (" \n", ()),
        ("[]", ()),
        ('["New York", " "]', ("New York", " ")),
        ('["a\\n\\u00e9\\"\\\\\\/"]', ('a\né"\\/',)),
        ("['[CLS]', \"it's\", 'it\\'s', '\\x41']", ("[CLS]", "it's", "it's", "A")),
        ("('the', 'cat')", ("the", "cat")),
        ('["a", 1, -2.50]', ("a", "1", "-2.50")),
        ("['the', 'cat',]", ("the", "cat")),
        ("[the]", ("[the]",)),
    ],
)
def test_the_label_box_reads_lists_commas_and_blanks(text, labels):
    assert read_labels(text) == labels


def test_a_lone_surrogate_is_replaced_and_sends_nothing_broken_to_the_page():
    assert read_labels('["a", "\\ud83d", "b"]') == ("a", "\ufffd", "b")
    assert read_labels('["\\ud83d\\ude00"]') == ("😀",)
    assert read_labels("a \ud83d b") == ("a", "\ufffd", "b")
    assert read_matrix("a,\ud83d\n1,2").column_labels == ("a", "\ufffd")
    assert visible_label("\ud83d") == "\ufffd"


def test_markers_of_tokenizers_keep_labels_apart():
    labels = read_labels("Ġthe the ▁the ##ing ing")
    assert labels == ("Ġthe", "the", "▁the", "##ing", "ing")
    assert [visible_label(label) for label in labels] == list(labels)


def test_labels_of_white_space_stay_raw_and_are_shown_as_signs():
    labels = read_labels('[" ", "\\n", "\\t", "", " a", "a"]')
    assert labels == (" ", "\n", "\t", "", " a", "a")
    assert [visible_label(label) for label in labels] == ["␠", "⏎", "⇥", "∅", "␣a", "a"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a " * 513, "more than 512 labels"),
        ("a," * 513, "more than 512 labels"),
        (str(["a"] * 513), "more than 512 labels"),
        ("ok," + "x" * 201, "label 2 is longer than 200 characters"),
        ("x" * 300_000, "longer than 256 kB"),
        ('the,",cat', "label 2 opens a quote"),
        ('["a", "b"', "not one list"),
        ('["a" "b"]', "not one list"),
        ('["a", null]', "not one list"),
        ('["a", ["b"]]', "not one list"),
        ('["a"] b', "not one list"),
    ],
)
def test_labels_that_cannot_be_read_are_refused_in_words(text, words):
    with pytest.raises(NotNumbers) as caught:
        read_labels(text)
    assert words in caught.value.message
    assert len(caught.value.message) < 120


def test_deep_and_endless_lists_are_answered():
    for piece in ["[", "(", '["', '["a",', '"', '""', '" ,', "'", "\\", '"a",', ",", "1,", "[1,"]:
        for start in ("", "[", '["', '["a",'):
            with pytest.raises(NotNumbers):
                read_labels((start + piece * 262_144)[:262_144])


# Writing


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (("the", "cat"), "the,cat"),
        (("[CLS]", "the", "[SEP]"), "[CLS],the,[SEP]"),
        (("the", ",", "cat"), 'the,",",cat'),
        (("the",), "the"),
        (("New York", "Rome"), "New York,Rome"),
        (("New York",), '["New York"]'),
        ((), ""),
    ],
)
def test_labels_are_written_as_plainly_as_they_can_be(labels, text):
    assert write_labels(labels) == text


@quick
@given(st.lists(LABEL, max_size=6))
@example(['"', "a\tb", ",", "", "\n", " ", '["', "(1", "2)", "\ufeff"])
@example([""])
@example(["[1", "2]"])
def test_any_labels_read_back_exactly(labels):
    cleaned = tuple(clean_label(label) for label in labels)
    text = write_labels(labels)
    assert read_labels(text) == cleaned
    assert text.encode().decode() == text


@quick
@given(st.lists(LABEL, max_size=6))
def test_json_lists_read_as_json_does(labels):
    for ascii_only in (True, False):
        text = json.dumps(labels, ensure_ascii=ascii_only)
        assert read_labels(text) == tuple(clean_label(label) for label in json.loads(text))
    cleaned = [clean_label(label) for label in labels]
    assert read_labels(repr(cleaned)) == tuple(cleaned)


@quick
@given(st.lists(LABEL.map(lambda text: text.replace("\r", "")), min_size=2, max_size=6))
def test_csv_files_written_elsewhere_keep_their_labels(labels):
    labels = [clean_label(label) for label in labels]
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(labels)
    assert read_labels(file.getvalue()) == tuple(labels)


@settings(deadline=None, max_examples=200)
@given(st.one_of(LABEL, st.lists(LABEL, max_size=5).map(repr), st.lists(LABEL).map(",".join)))
def test_any_label_text_is_read_or_refused_in_a_sentence(text):
    try:
        result = " ".join(map(visible_label, read_labels(text)))
    except NotNumbers as fault:
        result = fault.message
    assert result == result.encode("utf-8", "replace").decode()


# What is shown


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("a b", "a b"),
        ("a  b", "a␣␣b"),
        ("a ", "a␣"),
        ("   ", "␠␠␠"),
        ("a\nb", "a⏎b"),
        ("\r\n", "␍⏎"),
        ("\x07", "‹U+0007›"),
        ("a\u00a0b", "a‹U+00A0›b"),
        ("\u200b", "‹U+200B›"),
        ("\u202ea", "‹U+202E›a"),
        ("∅", "‹∅›"),
        ("‹", "‹‹›"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("a\u200db", "a‹U+200D›b"),
        ("<b>$x$", "<b>$x$"),
        ("=1+1", "=1+1"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_a_sign(label, shown):
    assert visible_label(label) == shown


@quick
@given(LABEL, LABEL)
@example("", "∅")
@example(" ", "␠")
@example(" a", "␣a")
@example("\n", "⏎")
@example("‹∅›", "∅")
def test_different_labels_look_different(a, b):
    a, b = clean_label(a), clean_label(b)
    assert (visible_label(a) == visible_label(b)) == (a == b)


@quick
@given(LABEL)
def test_every_label_shows_something(label):
    shown = visible_label(label)
    assert shown == shown.strip(" \t\n\r")
    assert shown
