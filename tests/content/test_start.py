from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest

from attnviz.content.attention import preset_states as attention_presets
from attnviz.content.labs import states_of
from attnviz.content.lessons import ORDER
from attnviz.content.numerics import PRESETS as NUMERICS
from attnviz.content.sampling import PRESETS as SAMPLING
from attnviz.content.scaling import PRESETS as SCALING
from attnviz.content.softmax import preset_states
from attnviz.content.start import HEADING, SENTENCE, WAYS
from attnviz.state.attention import AttentionState
from attnviz.state.lessons import LessonState
from attnviz.state.links import decode, encode
from attnviz.state.numerics import NumericsState
from attnviz.state.sampling import SamplingState
from attnviz.state.scaling import ScalingState
from attnviz.state.softmax import SoftmaxState

DOORS = [door for way in WAYS for door in way.doors]


PAGES = {
    "softmax": (SoftmaxState, preset_states()),
    "attention": (AttentionState, attention_presets()),
    "lessons": (LessonState, {}),
    "numerics": (NumericsState, states_of(NUMERICS)),
    "scaling": (ScalingState, states_of(SCALING)),
    "sampling": (SamplingState, states_of(SAMPLING)),
}


def opened(door):
    params = dict(parse_qsl(urlencode(door.params)))
    return decode(params, *PAGES[door.page])


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.label)
def test_every_door_opens_its_state_without_a_note(door):
    found = opened(door)
    assert found.notes == ()
    assert encode(found.state, PAGES[door.page][1]) == door.params


def test_no_two_doors_lead_to_the_same_place_or_have_the_same_label():
    assert len({opened(door).state for door in DOORS}) == len(DOORS)
    assert len({door.label for door in DOORS}) == len(DOORS)


def test_one_door_opens_what_stands_on_the_start_page():
    assert [door.label for door in DOORS if door.here] == ["Open these scores step by step"]


def test_the_labels_of_doors_say_what_they_open():
    by_label = {door.label: opened(door).state for door in DOORS}
    naive = by_label["1000, 1000: the naive formula fails"]
    assert (naive.values, naive.panel) == (((1000.0, 1000.0),), "naive")
    assert by_label["A trained head"].preset == "minilm-it-animal"
    assert by_label["Lesson 1: from scores to weights"].lesson == ORDER[0]
    assert by_label["All lessons"] == LessonState()
    assert by_label["Eight words of a sentence"].n_keys == 8
    gap = by_label["A gap of 5 is a ratio of 148"]
    assert (gap.values, gap.panel) == (((5.0, 0.0),), "pair")
    moves = by_label["Add 100, or multiply by 2"]
    assert (moves.add.text, moves.times.text, moves.panel) == ("100", "2", "moves")
    first = by_label["1/√2, 0, −1 step by step"]
    assert [cell.text for cell in first.scores[0]] == ["1/sqrt(2)", "0", "-1"]


def test_the_three_ways_have_doors_and_words():
    assert [way.heading.partition(":")[0] for way in WAYS] == [
        "**Explore**",
        "**Learn**",
        "**Teach**",
    ]
    assert all(way.doors for way in WAYS)
    assert HEADING
    assert SENTENCE.endswith(".")


def test_a_door_that_leads_nowhere_would_be_found():
    broken = replace(DOORS[1], params={"preset": "nowhere", "panel": "none"})
    assert len(opened(broken).notes) == 2
