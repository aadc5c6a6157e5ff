import base64
import random
import string
import tracemalloc
import zlib
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.state import links
from attnviz.state.fields import FieldError, declared, fields_of, plain
from attnviz.state.labels import MAX_LABEL
from attnviz.state.links import (
    LONGEST,
    READABLE,
    decode,
    encode,
    read_file,
    read_list,
    read_positions,
    too_long,
    write_file,
    write_list,
    write_positions,
)
from attnviz.state.numbers import read_number, write_number
from attnviz.state.softmax import MAX_KEYS, MAX_QUERIES, SoftmaxState, matrix
from attnviz.state.temperature import Temperature
from tests.state.states import PRESETS, check_valid, labels, seeded, states

DEFAULT = SoftmaxState()


def opened(**params):
    return decode(params, SoftmaxState, PRESETS)


def by_address(params):
    """What a browser and the server make of the parameters."""
    return dict(parse_qsl(urlencode(params), keep_blank_values=True))


def packed(text, checksum=None):
    """The packed form, written here once more so that old links stay readable."""
    raw = text if isinstance(text, bytes) else text.encode()
    crc = zlib.crc32(raw) if checksum is None else checksum
    return base64.urlsafe_b64encode(crc.to_bytes(4, "big") + zlib.compress(raw, 9)).decode()


def filled(length):
    """A state with MAX_KEYS keys whose link is so many characters long before it is packed."""
    words = ["a" * 20] * MAX_KEYS
    scores = matrix("0 " * MAX_KEYS)
    rest = length - len(urlencode(links._written(SoftmaxState(scores, tuple(words)), {})))
    for i in range(MAX_KEYS):
        more = min(rest, MAX_LABEL - 20)
        words[i] += "a" * more
        rest -= more
    assert rest == 0
    return SoftmaxState(scores, tuple(words))


def big(seed=1, texts=lambda rng: write_number(rng.gauss(0, 10))):
    rng = random.Random(seed)
    return SoftmaxState(
        tuple(tuple(read_number(texts(rng)) for _ in range(MAX_KEYS)) for _ in range(MAX_QUERIES))
    )


# -- there and back -------------------------------------------------------------------------------


@seeded
@given(states())
def test_every_state_survives_its_link_its_packed_link_and_its_file(state):
    check_valid(state)
    params = encode(state, PRESETS)
    text = urlencode(links._written(state, PRESETS))
    file = write_file("softmax", state, PRESETS)
    ways = [
        params,
        by_address(params),
        by_address({"s": packed(text)}),
        by_address({"s": packed(text).rstrip("=")}),
    ]
    found = [decode(way, SoftmaxState, PRESETS) for way in ways]
    for content in (file, "\ufeff" + file, file.replace("\n", "\r\n"), file.rstrip("\n") + "\n"):
        found.append(read_file("softmax", content.encode(), SoftmaxState, PRESETS))
    assert found == [links.Decoded(state, ())] * 8
    names = {name for field in fields_of(SoftmaxState) for name in field.reads}
    assert set(params) <= names | {"preset", "s"}  # and so never embed or embed_options
    assert all(isinstance(text, str) for text in params.values())


def test_the_default_state_has_an_empty_link_and_only_what_differs_is_written():
    assert encode(DEFAULT, PRESETS) == {}
    assert encode(replace(DEFAULT, row=0, hide=(1,)), PRESETS) == {"hide": "1"}
    sentence = replace(PRESETS["sentence"], preset="sentence")
    assert encode(sentence, PRESETS) == {"preset": "sentence"}
    assert encode(replace(sentence, hide=(0, 7)), PRESETS) == {"preset": "sentence", "hide": "0_7"}
    bare = replace(sentence, labels=())
    assert encode(bare, PRESETS) == {"preset": "sentence", "labels": ""}


@pytest.mark.parametrize("name", PRESETS)
def test_a_link_that_names_a_preset_opens_a_state_that_still_names_it(name):
    found = opened(preset=name)
    assert found.notes == ()
    assert found.state == replace(PRESETS[name], preset=name)
    assert encode(found.state, PRESETS) == {"preset": name}


def test_a_link_reads_as_a_person_would_write_it():
    state = SoftmaxState(
        matrix("1/sqrt(2) -inf", "0.5 1e-3"), ("the", "New York"), Temperature("beta", "3"), (1,)
    )
    assert encode(state, PRESETS) == {
        "scores": "1/sqrt(2)_-inf~0.5_1e-3",
        "labels": "the_New York",
        "beta": "3",
        "hide": "1",
    }
    assert urlencode({"scores": "2_1_0~-inf_1.5_0"}) == "scores=2_1_0~-inf_1.5_0"  # no escapes


@pytest.mark.parametrize(
    "text", ["3_1_-inf", "3,1,-inf", "3;1;-inf", "3, 1, -∞", "3 1 −inf", "[3, 1, -Infinity]"]
)
def test_scores_are_read_as_people_type_them(text):
    assert opened(scores=text).notes == ()
    assert opened(scores=text).state.scores == matrix("3 1 -inf")


def test_rows_are_read_with_tildes_and_with_semicolons():
    for text in ("3_2_0~0_1_2", "3,2,0;0,1,2", "3_2_0;0_1_2"):
        assert opened(scores=text).state.scores == matrix("3 2 0", "0 1 2"), text
    assert opened(scores="1~2").state.scores == matrix("1", "2")


@seeded
@given(st.lists(labels, max_size=9))
def test_any_labels_survive_their_own_spelling(items):
    assert read_list(write_list(items)) == tuple(items)
    assert not set(write_list(items)) & set(",;")


@seeded
@given(st.text())
def test_any_text_is_read_as_a_list_of_labels(text):
    assert all(isinstance(item, str) for item in read_list(text))
    assert read_list(write_list(read_list(text))) == read_list(text)


@seeded
@given(st.sets(st.integers(0, 999)))
def test_positions_survive_their_own_spelling(positions):
    assert read_positions(write_positions(sorted(positions))) == tuple(sorted(positions))


@pytest.mark.parametrize("text", ["-1", "1.0", "x", "0__1", "1000", "²", "0x1", "1_ ", "٣", "True"])
def test_what_is_no_position_is_refused_and_quoted(text):
    with pytest.raises(ValueError, match="whole numbers from 0; got '"):
        read_positions(text)


# -- packed, and too long -------------------------------------------------------------------------


def test_above_2000_characters_a_link_is_packed():
    at, above = filled(READABLE), filled(READABLE + 1)
    assert len(urlencode(encode(at, PRESETS))) == READABLE == 2_000
    assert set(encode(above, PRESETS)) == {"s"}
    for state in (at, above):
        assert decode(by_address(encode(state, PRESETS)), SoftmaxState, PRESETS).state == state


def test_above_8000_characters_there_is_no_link_and_a_file_instead():
    assert not too_long({"s": "a" * (LONGEST - 2)})
    assert too_long({"s": "a" * (LONGEST - 1)})
    assert LONGEST == 8_000
    state = big()
    params = encode(state, PRESETS)
    assert set(params) == {"s"}
    assert too_long(params)
    found = read_file(
        "softmax", write_file("softmax", state, PRESETS).encode(), SoftmaxState, PRESETS
    )
    assert found == (type(found))(state, ())


def test_a_packed_link_is_short_where_the_state_repeats_itself():
    state = big(texts=lambda rng: "1/sqrt(2)")
    params = encode(state, PRESETS)
    assert not too_long(params)
    assert decode(params, SoftmaxState, PRESETS).state == state


def test_fields_beside_a_packed_part_win_over_what_it_holds():
    found = opened(s=packed("T=3&hide=1"), T="2", s2="x")
    assert found.notes == ()
    assert found.state == SoftmaxState(temperature=Temperature("T", "2"), hide=(1,))


def test_the_packed_alphabet_is_that_of_addresses_and_its_padding_may_be_missing():
    for n in range(500):  # a label whose packed form has both letters that differ
        letters = packed(urlencode({"labels": f"{n}_{n * n}_c"}))
        if "-" in letters and "_" in letters and letters.endswith("="):
            break
    state = SoftmaxState(labels=(str(n), str(n * n), "c"))
    for spelled in (letters, letters.rstrip("="), letters + "=="):
        assert opened(s=spelled) == links.Decoded(state, ())
    for spelled in (
        letters.replace("-", "+"),
        letters.replace("_", "/"),
        letters.replace("_", "＿"),
    ):
        assert "The link is damaged" in opened(s=spelled).notes[0]
        assert opened(s=spelled).state == DEFAULT
    assert base64.urlsafe_b64encode(b"\xfb\xef\xbe") == b"----"  # ++++ in the other alphabet


def test_a_packed_link_that_was_cut_or_altered_opens_the_default_and_says_so():
    letters = packed(urlencode({"scores": "3_1_1_-1", "beta": "2", "labels": "a_b_c_d"}))
    letters = letters.rstrip("=")
    assert opened(s=letters).state.n_keys == 4
    damaged = [letters[:-k] for k in range(1, len(letters) + 1)]
    for at, letter in enumerate(letters[:-1]):  # the last letter may hold bits that don't count
        damaged.append(letters[:at] + ("A" if letter != "A" else "B") + letters[at + 1 :])
    for spelled in damaged:
        found = opened(s=spelled)
        assert found.state == DEFAULT, spelled
        assert len(found.notes) == 1
        assert found.notes[0].startswith("The link is damaged: ")
    assert opened(s=packed("T=2", checksum=1)).notes == (
        "The link is damaged: its packed part does not match its checksum. What it held was left"
        " out.",
    )


def test_nothing_packed_is_read_with_something_added_behind_it():
    body = base64.urlsafe_b64decode(packed("T=2"))
    assert "damaged" in opened(s=base64.urlsafe_b64encode(body + b"T=3").decode()).notes[0]


@pytest.mark.parametrize("mebibytes", [1, 5, 20, 100])
def test_a_bomb_is_refused_and_never_inflated(mebibytes):
    squeeze = zlib.compressobj(9)
    zeros = bytes(2**20)
    raw = b"".join(squeeze.compress(zeros) for _ in range(mebibytes)) + squeeze.flush()
    letters = base64.urlsafe_b64encode(bytes(4) + raw).decode()
    assert len(letters) > 1000 * mebibytes
    tracemalloc.start()
    found = opened(s=letters)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.state == DEFAULT
    assert len(found.notes) == 1
    assert "256 kB" in found.notes[0] or "32000 characters" in found.notes[0]
    assert peak < 2**20


def test_a_packed_part_may_unpack_to_256_kb_and_no_more():
    room = links.INFLATED - len("T=2&x=")
    for extra, notes in ((0, 0), (1, 1), (1000, 1)):
        found = opened(s=packed("T=2&x=" + "0" * (room + extra)))
        assert len(found.notes) == notes, extra
        assert (found.state.temperature.text == "2") == (notes == 0)


# -- damaged parts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"scores": "1,x,2"}, "scores in the link: value 2 is not a number: 'x'"),
        ({"scores": "1_2~3"}, "scores in the link: row 2 has 1 value"),
        ({"scores": ""}, "scores in the link: there is nothing to read"),
        ({"scores": "1_nan"}, "scores in the link: value 2 is not a number but NaN"),
        ({"scores": "1_inf"}, "scores in the link: value 2 is +inf"),
        ({"scores": "_".join("1" * 65)}, "at most 64"),
        ({"scores": "~".join("1" * 65)}, "at most 64"),
        ({"labels": "a_b"}, "labels in the link: 2 labels for 3 keys"),
        ({"labels": "a_b_" + "c" * 201}, "labels in the link: a label is longer than 200"),
        ({"hide": "5"}, "hide in the link: there is no key 5; the last one is 2"),
        ({"hide": "-1"}, "hide in the link: positions are whole numbers from 0; got '-1'"),
        ({"row": "1"}, "row in the link: there is no query 1; the last one is 0"),
        ({"row": "100000"}, "row in the link: positions are whole numbers"),
        ({"row": ""}, "row in the link: it is one position"),
        ({"pick": "weight:3"}, "pick in the link: there is no key in weight:3"),
        ({"pick": "weights:0"}, "pick in the link: it is a column and a position"),
        ({"pair": "0"}, "pair in the link: it is two positions"),
        ({"pair": "0_9"}, "pair in the link: it names a key that is not there"),
        ({"panel": "curve"}, "panel in the link: it must be one of curves, entropy, pair"),
        ({"view": "slides"}, "view in the link: it must be one of page, lecture"),
        ({"step": "0"}, "step in the link: it is a whole number from 1 to 5; got '0'"),
        ({"step": "9" * 5000}, "step in the link: it is a whole number"),
        ({"compare": "inf"}, "compare in the link: the reference needs a finite temperature"),
        ({"compare": "0"}, "compare in the link: T must be above 0"),
        ({"add": "x"}, "add in the link: the value is not a number"),
        ({"times": "-inf"}, "times in the link: the constant must be finite"),
        ({"T": ""}, "T in the link: T must be a number above 0: the value is blank"),
        ({"T": "\0"}, "T in the link: T must be a number above 0: the value is not a number"),
        ({"T": "-1"}, "T in the link: T must be above 0; got '-1'"),
        ({"T": "0"}, "T in the link: T must be above 0; for the limit"),
        ({"T": "nan"}, "T in the link: T must be a number above 0"),
        ({"T": "abc"}, "T in the link: T must be a number above 0"),
        ({"T": "1e400"}, "outside the range of float64"),
        ({"beta": "-3"}, "beta in the link: β must be 0 or more; got '-3'"),
        ({"preset": "nope"}, "There is no preset 'nope'"),
    ],
)
def test_a_bad_value_gives_the_default_and_one_sentence_that_names_it(params, words):
    found = opened(**params)
    assert found.state == DEFAULT
    assert len(found.notes) == 1
    assert words in found.notes[0]
    assert found.notes[0].endswith("he default is shown.")
    beside = opened(**({"foo": "1", "hide": "0"} | params))
    assert beside.notes == found.notes
    assert beside.state.hide == (() if "hide" in params else (0,))


def test_a_bad_value_on_top_of_a_preset_leaves_the_presets_own_value_and_says_so():
    found = opened(preset="beta-3", T="abc")
    assert found.state == replace(PRESETS["beta-3"], preset="beta-3")
    assert found.notes[0].endswith("The preset's value is shown.")
    found = opened(preset="tied-masked", hide="5", row="7")
    assert found.state == replace(PRESETS["tied-masked"], preset="tied-masked")
    assert "hide in the link: there is no key 5" in found.notes[0]
    assert found.notes[0].endswith("The preset's value is shown.")
    assert found.notes[1].endswith("The default is shown.")


def test_what_a_preset_holds_for_its_own_keys_gives_way_to_other_scores():
    found = opened(preset="sentence", scores="1_2")
    assert found.state.labels == ()
    found = opened(preset="sentence", scores="1_2", labels="a_b_c")
    assert found.state.labels == ()
    assert found.notes == ("labels in the link: 3 labels for 2 keys. The default is shown.",)
    assert opened(preset="tied-masked", scores="1_2", hide="1").state.hide == (1,)


def test_a_large_temperature_opens_as_it_is_and_the_slider_keeps_its_range():
    state = opened(T="999").state
    assert state.temperature == Temperature("T", "999")
    assert state.temperature.position == 2


def test_every_bad_part_has_its_own_sentence_and_the_good_parts_are_read():
    found = opened(scores="3_x", T="2", hide="9", labels="a_b", panel="naive", beta2="1")
    assert found.state == SoftmaxState(temperature=Temperature("T", "2"), panel="naive")
    assert [note.split()[0] for note in found.notes] == ["scores", "labels", "hide"]


def test_T_and_beta_in_one_link_are_named_and_beta_counts():
    found = opened(T="2", beta="3")
    assert found.state.temperature == Temperature("beta", "3")
    assert found.notes == ("The link gives T and beta; beta is used.",)


def test_unknown_names_and_those_of_streamlit_are_ignored():
    found = opened(foo="1", T="0.5", embed="true", embed_options="dark_theme", t="9", SCORES="1")
    assert found == links.Decoded(SoftmaxState(temperature=Temperature("T", "0.5")), ())
    assert "embed" not in encode(found.state, PRESETS)


def test_of_repeated_names_the_last_counts():
    assert opened(T=["21", "7"]).state.temperature.text == "7"
    assert opened(row=["9", "0"], hide=["x", "1"]).notes == ()
    assert opened(T=["7", "x"]).state == DEFAULT
    assert "T in the link" in opened(T=[]).notes[0]


def test_labels_may_repeat_and_hold_what_other_programs_take_for_code():
    words = ("the", "the", "<img src=x onerror=alert(1)>", "$x$", "=1+1", "\u202e", "")
    state = SoftmaxState(matrix("0 1 2 3 4 5 6"), words)
    assert decode(by_address(encode(state, PRESETS)), SoftmaxState, PRESETS).state == state


def test_half_a_character_in_a_link_becomes_the_replacement_character():
    assert opened(labels="\ud83d_\ud83d\udc08_c").state.labels == ("\ufffd", "🐈", "c")


def lost_without_a_note(params, found):
    """Names of the link whose value is not on screen although no sentence names them."""
    words = " ".join(found.notes)
    texts = {name: text[-1] if isinstance(text, list) else text for name, text in params.items()}
    if "s" in texts:
        if "The link is damaged" in words:
            texts.pop("s")
        else:
            body = base64.urlsafe_b64decode(texts["s"].rstrip("=") + "==")
            inside = zlib.decompress(body[4:]).decode("utf-8", "replace")
            texts = dict(parse_qsl(inside, keep_blank_values=True)) | texts
    lost = set()
    same = found.state.preset == texts.get("preset", "")
    if not same and "There is no preset" not in words:
        lost.add("preset")
    for field in fields_of(SoftmaxState):
        for name in field.reads:
            if name not in texts:
                continue
            try:
                kept = field.reads[name](texts[name]) == getattr(found.state, field.name)
            except ValueError:
                kept = False
            both = "The link gives T and beta" in words and name in ("T", "beta")
            if not kept and not both and f"{name} in the link: " not in words:
                lost.add(name)
    return lost


def bases(rng):
    """Links of all kinds to damage: by hand, of presets, packed, with every field."""
    full = SoftmaxState(
        matrix("3 -inf 1/3 -1", "0.5 sqrt(2) 1e-3 2"),
        ("the", "cat_s", "~", "🐈"),
        Temperature("beta", "1/4"),
        (1, 3),
        "0.7",
        1,
        "pair",
        "weight:2",
        read_number("-5"),
        read_number("1e3"),
        (2, 0),
        "lecture",
        3,
    )
    readable = [encode(full, PRESETS), {"scores": "2_1_0", "T": "0.5"}, {"preset": "sentence"}]
    readable += [{"preset": name, "T": "2", "hide": "1", "row": "0"} for name in PRESETS]
    return readable + [
        {"s": packed(urlencode(params)).rstrip("=")} for params in rng.sample(readable, 8)
    ]


NAMES = ["s", "T", "beta", "hide", "labels", "row", "pick", "preset", "view", "step"]
LETTERS = string.printable + "−１٣é\0\ud800🐈~_,;&=%+"


def damaged(rng, params):
    """One random damage of one or more parts."""
    params = dict(params)
    name = rng.choice(list(params))
    text = params[name]
    at = rng.randrange(len(text) + 1)
    letters = "".join(rng.choices(LETTERS, k=rng.randrange(1, 6)))
    match rng.randrange(9):
        case 0:
            params[name] = text[:at]
        case 1:
            params[name] = text[:at] + letters[0] + text[at + 1 :]
        case 2:
            params[name] = text[:at] + letters + text[at:]
        case 3:
            params[name] = rng.randbytes(rng.randrange(12)).decode("latin-1")
        case 4:
            params[name] = "".join(rng.choices(LETTERS, k=rng.randrange(40)))
        case 5:
            names = list(params)
            params = dict(zip(rng.sample(names, len(names)), params.values(), strict=True))
        case 6:
            params[rng.choice(NAMES)] = letters
        case 7:
            params[name] = [letters, text[at:]]
        case 8:
            params[name] = text * rng.choice([2, 3] * 20 + [400])
    return params


def test_10000_damaged_links_open_a_valid_state_and_name_what_they_lost():
    rng = random.Random(20)
    every = bases(rng)
    noted = 0
    for _ in range(10_000):
        params = damaged(rng, rng.choice(every))
        found = decode(params, SoftmaxState, PRESETS)
        check_valid(found.state)
        assert not lost_without_a_note(params, found), params
        assert all(note.isprintable() and len(note) < 500 for note in found.notes), params
        noted += bool(found.notes)
    assert noted > 5_000  # the damage was real


def test_2000_packed_links_of_random_text_open_a_valid_state():
    rng = random.Random(21)
    for _ in range(2_000):
        text = urlencode(
            damaged(rng, {"scores": "2_1_0", "labels": "a_b_c", "beta": "3"}),
            True,
            errors="replace",
        )
        cut = rng.randrange(len(text))
        found = opened(s=packed(text[:cut] + rng.choice(string.printable) + text[cut + 1 :]))
        check_valid(found.state)
        assert not any("damaged" in note for note in found.notes)


# -- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "This is not a file of attnviz's softmax page"),
        (b"\x89PNG\r\n\x1a\n\0\0", "This is not a file"),
        (b"PK\x03\x04", "This is not a file"),
        ("attnviz state of the page softmax\nT=2\n".encode("utf-16"), "This is not a file"),
        (b"attnviz state of the page attention\nT=2\n", "This is not a file"),
        (b"attnviz state of the page softmax" + b"\nT=2" + b" " * 1_000_000, "larger than 1 MB"),
        (b"attnviz state of the page softmax\n" + b"a&" * 400_000, "too many fields"),
    ],
)
def test_a_file_that_is_something_else_is_refused_with_one_sentence(content, words):
    found = read_file("softmax", content, SoftmaxState, PRESETS)
    assert found.state == DEFAULT
    assert len(found.notes) == 1
    assert words in found.notes[0]
    assert "nothing was read" in found.notes[0]


def test_a_damaged_file_names_what_it_lost():
    content = b"attnviz state of the page softmax\nT=2&scores=1_x&labels=\xff_b_c\n"
    found = read_file("softmax", content, SoftmaxState, PRESETS)
    assert found.state == SoftmaxState(
        temperature=Temperature("T", "2"), labels=("\ufffd", "b", "c")
    )
    assert [note.split()[0] for note in found.notes] == ["scores"]


def test_a_file_says_what_it_is_and_holds_what_a_link_holds():
    state = SoftmaxState(hide=(1,), preset="sentence")
    assert write_file("softmax", state, {}) == "attnviz state of the page softmax\nhide=1\n"


# -- a state with rules that even its defaults break ----------------------------------------------


def test_parts_that_never_fit_together_open_the_default_and_are_named():
    first, second = plain("a", 0, "A", "", int), plain("b", 0, "B", "", int)

    @dataclass(frozen=True)
    class Picky:
        a: int = declared(first)
        b: int = declared(second)

        def __post_init__(self):
            if self.b == 1:
                raise FieldError("a", "b must not be 1")

    found = decode({"b": "1", "a": "2"}, Picky, {})
    assert found.state == Picky()
    assert any("a in the link" in note for note in found.notes)
    assert any("b in the link" in note for note in found.notes)


def test_what_people_type_into_an_address_is_read_with_commas_between_and_semicolons_for_rows():
    opened = decode({"scores": "1,2;2,3"}, SoftmaxState, PRESETS)
    assert opened.notes == ()
    assert opened.state.values == ((1.0, 2.0), (2.0, 3.0))
