from dataclasses import FrozenInstanceError, dataclass

import pytest

from attnviz.state.fields import FieldError, choice, declared, fields_of, plain, quoted
from attnviz.state.softmax import SoftmaxState

FIELDS = fields_of(SoftmaxState)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_the_default_of_every_field_is_read_back_from_what_is_written(field):
    name, text = field.write(field.default)
    assert field.reads[name](text) == field.default
    assert getattr(SoftmaxState(), field.name) == field.default


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_field_has_words_for_the_screen(field):
    assert field.label
    assert field.help.endswith((".", "…"))


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_whatever_a_field_refuses_it_refuses_with_a_sentence(field):
    for name, read in field.reads.items():
        if name == "labels":
            assert read("\0%<") == ("\0%<",)  # any text is a label
            continue
        with pytest.raises(ValueError, match=r"[a-z]{2,} .*[a-z]{2,}"):
            read("\0%<")


def test_link_names_are_unique_and_none_is_taken_by_links_or_by_streamlit():
    names = [name for field in FIELDS for name in field.reads]
    assert len(names) == len(set(names))
    assert not set(names) & {"s", "preset", "embed", "embed_options"}


def test_fields_are_found_in_order_on_a_class_and_on_a_state_and_others_are_not():
    @dataclass(frozen=True)
    class State:
        size: int = declared(plain("size", 3, "Size", "How large.", int))
        note: str = "kept, but not declared"
        kind: str = declared(choice("kind", {"a": "First", "b": "Second"}, "Kind", "Which."))

    for fields in (fields_of(State), fields_of(State(size=5))):
        assert [field.name for field in fields] == ["size", "kind"]
    assert State() == State(3, "kept, but not declared", "a")
    assert State.__dataclass_fields__["size"].metadata["field"].label == "Size"


def test_a_plain_field_has_its_own_name_in_a_link():
    field = plain("size", 3, "Size", "How large.", int)
    assert set(field.reads) == {"size"}
    assert field.reads["size"]("4") == 4
    assert field.write(4) == ("size", "4")
    assert plain("size", 3, "", "", int, lambda value: f"{value:x}").write(255) == ("size", "ff")


def test_a_choice_is_one_of_its_words_and_the_first_is_the_default():
    field = choice("kind", {"a": "First", "b": "Second"}, "Kind", "Which.")
    assert field.default == "a"
    assert field.reads["kind"](" b ") == "b"
    assert field.write("b") == ("kind", "b")
    with pytest.raises(ValueError, match=r"^it must be one of a, b; got 'First'$"):
        field.reads["kind"]("First")
    with pytest.raises(ValueError, match=r"got ''$"):
        field.reads["kind"]("")


def test_a_declaration_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        FIELDS[0].default = 5


def test_a_field_error_is_a_value_error_that_knows_its_field():
    error = FieldError("hide", "there is no key 5")
    assert isinstance(error, ValueError)
    assert (error.name, error.sentence, str(error)) == (
        "hide",
        "there is no key 5",
        "there is no key 5",
    )


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("", 40, "''"),
        ("a" * 40, 40, repr("a" * 40)),
        ("a" * 41, 40, repr("a" * 39 + "…")),
        ("x\ny\0\ud800\u202e", 40, r"'x\ny\x00\ud800\u202e'"),
        ("it's", 40, '"it\'s"'),
        ("🐈" * 5, 3, "'🐈🐈…'"),
    ],
)
def test_a_quotation_is_short_and_shows_what_cannot_be_seen(text, limit, shown):
    assert quoted(text, limit) == shown
    assert quoted(text, limit).isprintable()
