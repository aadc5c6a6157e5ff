import math
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

from attnviz import MASKS, attention
from attnviz.content import gallery
from attnviz.content.attention import (
    GROUPS,
    MAX_SEED,
    PRESETS,
    preset_states,
    random_state,
)
from attnviz.state.attention import (
    ALIGNS,
    PANELS,
    POLICIES,
    AttentionState,
)
from attnviz.state.links import decode, encode, read_file, too_long, write_file
from attnviz.state.numbers import read_number
from tests.core.cases import GOLDEN

STATES = preset_states()
BY_HAND = [name for name, preset in PRESETS.items() if preset.group != "Real heads"]


def values(cells):
    return np.array([[cell.value for cell in row] for row in cells])


def allowed_of(state):
    allowed = np.ones((state.n_q, state.n_k), dtype=bool)
    for name in state.mask:
        allowed &= MASKS[name].allowed(state.n_q, state.n_k, **state.options(name))
    for pair in state.hide:
        allowed[pair] = False
    return allowed


def steps_of(state):
    return attention(
        *(values(cells) for cells in (state.q, state.k, state.v)),
        allowed=allowed_of(state),
        scale=state.scale_value,
        beta=state.temperature.beta,
        empty=state.empty,
    )


def weights_of(name):
    return steps_of(STATES[name]).weights


def claimed(name):
    """The numbers in the sentence of a preset."""
    return [float(text) for text in re.findall(r"\d+\.\d+", PRESETS[name].say)]


# -- every preset ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*PRESETS, "random-7", f"random-{MAX_SEED}"])
def test_every_preset_is_opened_by_its_link_and_its_link_is_just_its_name(name):
    assert urlencode({"preset": name}) == f"preset={name}"
    found = decode({"preset": name}, AttentionState, STATES)
    assert found.notes == ()
    assert found.state == replace(PRESETS[name].state, preset=name)
    assert encode(found.state, STATES) == {"preset": name}


@pytest.mark.parametrize("name", [*BY_HAND, "random-7"])
def test_every_preset_by_hand_is_opened_by_the_fields_it_holds(name):
    state = STATES[name]
    params = dict(parse_qsl(urlencode(encode(state, {}))))
    assert not too_long(params)
    found = decode(params, AttentionState, STATES)
    assert found.notes == ()
    assert found.state == state


@pytest.mark.parametrize("name", gallery.HEADS)
def test_every_real_head_is_opened_by_a_file_that_names_no_preset(name):
    state = STATES[name]
    found = read_file(
        "attention", write_file("attention", state, {}).encode(), AttentionState, STATES
    )
    assert found.notes == ()
    assert found.state == state


@pytest.mark.parametrize("matrix", ["q", "k", "v"])
@pytest.mark.parametrize("name", gallery.HEADS)
def test_a_real_head_with_one_number_changed_still_fits_a_link(name, matrix):
    state = replace(STATES[name], preset=name)
    first, *rest = getattr(state, matrix)
    changed = replace(state, **{matrix: ((read_number("1/3"), *first[1:]), *rest)})
    params = encode(changed, STATES)
    assert not too_long(params)
    found = decode(params, AttentionState, STATES)
    assert found.notes == ()
    assert found.state == changed


@pytest.mark.parametrize("name", PRESETS)
def test_every_cell_is_what_its_text_reads_as(name):
    state = STATES[name]
    cells = {cell for matrix in (state.q, state.k, state.v) for row in matrix for cell in row}
    for cell in cells:
        read = read_number(cell.text)
        assert (read.text, read.value) == (cell.text, cell.value)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_computed_and_chooses_what_there_is(name):
    state = STATES[name]
    steps = steps_of(state)
    full = ~steps.empty_rows
    np.testing.assert_allclose(steps.weights[full].sum(axis=-1), 1, rtol=1e-14)
    assert np.isfinite(steps.output).all()
    assert state.panel in PANELS
    assert state.align in ALIGNS
    assert state.empty in POLICIES
    assert set(state.mask) <= set(MASKS)


def test_titles_sentences_and_states_are_unique_and_groups_are_known():
    presets = list(PRESETS.values())
    assert len({preset.title for preset in presets}) == len(presets)
    assert len({preset.say for preset in presets}) == len(presets)
    assert len(set(STATES.values())) == len(presets)
    groups = [preset.group for preset in presets]
    assert tuple(dict.fromkeys(groups)) == GROUPS
    assert sorted(groups, key=GROUPS.index) == groups
    assert all(state.preset == "" for state in STATES.values())
    assert all(bool(p.credit) == (p.group == "Real heads") for p in presets)
    one_sentence = re.compile(r"(?:[^.!?]|\d\.\d)+\.")
    assert all(one_sentence.fullmatch(preset.say) for preset in presets)


def test_presets_are_a_mapping_and_each_state_is_made_once():
    assert len(PRESETS) == len(list(PRESETS)) == len(STATES) == len(list(STATES))
    assert list(PRESETS) == list(STATES)
    for name in (*PRESETS, "random-7"):
        assert name in PRESETS
        assert name in STATES
        assert PRESETS.get(name) is PRESETS[name]
        assert STATES.get(name) is STATES[name] is PRESETS[name].state
    for name in ("", "none", "Lookup", "../lookup"):
        assert name not in PRESETS
        assert name not in STATES
        assert PRESETS.get(name) is STATES.get(name) is None
        with pytest.raises(KeyError):
            STATES[name]
    assert None not in PRESETS


# -- by hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "case"),
    list(zip(("worked-example", "worked-example-causal"), GOLDEN["attention"], strict=True)),
)
def test_every_golden_number_is_computed_from_a_preset(name, case):
    state = STATES[name]
    assert case["name"].startswith("worked example")
    for matrix in ("q", "k", "v"):
        assert values(getattr(state, matrix)).tolist() == case[matrix]
    assert allowed_of(state).tolist() == case.get("allowed", [[True, True]])
    steps = steps_of(state)
    checked = {"name", "q", "k", "v", "allowed"}
    for step in ("scores", "scaled", "weights", "output"):
        if step in case:
            np.testing.assert_allclose(getattr(steps, step), case[step], rtol=4e-16, atol=0)
            checked |= {step}
    assert set(case) <= checked
    assert {"weights", "output"} <= set(case) or steps.output.tolist() == [[2, 0]]


def test_the_worked_example_is_where_the_page_opens_and_holds_the_numbers_of_its_lesson():
    assert STATES["worked-example"] == AttentionState()
    steps = steps_of(STATES["worked-example"])
    assert steps.weights[0].round(6).tolist() == [0.669762, 0.330238]
    assert steps.output[0].round(6).tolist() == [1.339523, 0.660477]
    assert claimed("worked-example") == steps.weights[0].round(2).tolist()
    assert steps_of(STATES["worked-example-causal"]).output.tolist() == [[2, 0]]


def test_the_identity_gives_its_weights():
    steps = steps_of(STATES["identity"])
    assert steps.scores.tolist() == np.eye(3).tolist()
    assert steps.output.tolist() == steps.weights.tolist()


def test_equal_keys_get_equal_weights():
    steps = steps_of(STATES["uniform"])
    assert (steps.scores == steps.scores[:, :1]).all()
    assert (steps.weights == 1 / 4).all()
    assert (steps.output == values(STATES["uniform"].v).mean(axis=0)).all()


def test_the_lookup_gives_what_is_stored_under_the_key():
    state = STATES["lookup"]
    steps = steps_of(state)
    stored = dict(zip(state.key_labels, values(state.v).tolist(), strict=True))
    assert stored == {"spider": [8, 0], "bee": [6, 4], "cat": [4, 0], "hen": [2, 2]}
    for label, weights, output in zip(state.tokens, steps.weights, steps.output, strict=True):
        assert weights[state.key_labels.index(label.rstrip("?"))] > 1 - 1e-8
        np.testing.assert_allclose(output, stored[label.rstrip("?")], rtol=1e-7)
    keys = values(state.k)
    assert keys.tolist() == np.eye(4).tolist()


def test_the_row_without_a_key_gets_zeros_and_the_others_are_ordinary():
    state = STATES["all-masked-row"]
    steps = steps_of(state)
    assert steps.empty_rows.tolist() == [True, False, False]
    assert state.row == 0
    assert state.query_labels[0] == "[PAD]"
    assert steps.weights[0].tolist() == [0, 0, 0]
    assert steps.output[0].tolist() == [0, 0]
    assert not steps.allowed[:, 0].any()


def test_the_previous_token_head_looks_at_the_token_before():
    (bound,) = claimed("previous-token")
    state, weights = STATES["previous-token"], weights_of("previous-token")
    assert (np.diagonal(weights, -1) > bound).all()
    assert weights[0].tolist() == [1, 0, 0, 0, 0, 0]
    queries, keys = values(state.q).argmax(axis=1), values(state.k).argmax(axis=1)
    assert (queries[1:] == keys[:-1]).all()


def test_the_induction_head_looks_at_what_followed_the_earlier_copy():
    (bound,) = claimed("induction")
    state, steps = STATES["induction"], steps_of(STATES["induction"])
    letters = state.tokens
    for i, letter in enumerate(letters):
        earlier = [j for j in range(i) if letters[j] == letter]
        if earlier:
            assert steps.weights[i, earlier[0] + 1] > bound
            follows = "ABCA"["ABC".index(letter) + 1]
            assert "ABC"[steps.output[i].argmax()] == follows
        else:
            np.testing.assert_allclose(steps.weights[i, : i + 1], 1 / (i + 1), rtol=1e-15)
    assert letters[state.row] in letters[: state.row]


def test_the_toy_translation_shares_and_crosses():
    state, weights = STATES["alignment"], weights_of("alignment")
    assert weights.shape == (3, 4)

    def weight(query, key):
        return weights[state.query_labels.index(query), state.key_labels.index(key)]

    assert weight("veo", "I") == weight("veo", "see") > 0.49
    assert min(weight("gatos", "cats"), weight("negros", "black")) > 0.97


def test_without_the_scale_64_columns_saturate():
    (bound,) = claimed("saturated")
    state = STATES["saturated"]
    steps = steps_of(state)
    assert (state.d_k, state.scale) == (64, "off")
    assert steps.scores.std() == pytest.approx(math.sqrt(64), rel=0.1)
    assert (steps.weights.max(axis=1) > bound).all()
    assert (steps_of(replace(state, scale="on")).weights.max(axis=1) < 0.7).all()


# -- random ---------------------------------------------------------------------------------------


def test_a_seed_gives_the_same_numbers_in_every_version():
    """Written down once: a link with a seed must open the same for everybody, for good."""
    state = random_state(7)
    assert [" ".join(cell.text for cell in row) for row in state.q] == [
        "-0.974 0.495 0.345 -0.052",
        "-0.786 0.816 0.870 0.031",
        "0.013 -0.719 -2.729 -0.329",
        "0.216 -1.481 0.820 -0.731",
    ]
    assert " ".join(cell.text for cell in state.v[0]) == "1.439 1.631 1.240 -1.382"


def test_every_seed_is_a_preset_but_only_one_is_in_the_menu():
    assert [name for name in PRESETS if name.startswith("random")] == ["random-0"]
    assert STATES["random-7"] == random_state(7)
    assert STATES["random-7"] != STATES["random-8"]
    assert PRESETS["random-7"].title == "Random, seed 7"
    assert STATES[f"random-{MAX_SEED}"] == random_state(MAX_SEED)
    for seed in ("10000", "07", "-1", "", "7 ", " 7", "7\n", "٣", "1e3", "0x1", "9" * 5000):
        name = f"random-{seed}"
        assert name not in PRESETS
        assert PRESETS.get(name) is None
        found = decode({"preset": name}, AttentionState, STATES)
        assert found.state == AttentionState()
        assert len(found.notes) == 1


def test_random_numbers_are_normal_and_have_three_decimals():
    state = random_state(1, 64, 64, 64, 64)
    for matrix in (state.q, state.k, state.v):
        numbers = values(matrix)
        assert abs(numbers.mean()) < 0.05
        assert abs(numbers.std() - 1) < 0.05
        assert np.mean(abs(numbers) < 1) == pytest.approx(0.6827, abs=0.03)
        assert all(re.fullmatch(r"-?\d\.\d{3}", cell.text) for row in matrix for cell in row)
        assert all(cell.text != "-0.000" for row in matrix for cell in row)
    assert abs(np.corrcoef(values(state.q).ravel(), values(state.k).ravel())[0, 1]) < 0.05


def test_the_size_of_one_matrix_leaves_the_others_alone():
    small, large = random_state(5, n_q=2, d_v=3), random_state(5, n_q=6)
    assert small.q == large.q[:2]
    assert small.k == large.k
    assert len(small.v[0]) == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": -1}, "seed is a whole number from 0 to 9999; got -1"),
        ({"seed": 10_000}, "got 10000"),
        ({"n_q": 0}, "n_q is a whole number from 1 to 64; got 0"),
        ({"n_k": 65}, "n_k"),
        ({"d_k": 65}, "d_k"),
        ({"d_v": 0}, "d_v"),
    ],
)
def test_sizes_and_seeds_out_of_range_are_refused(changes, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        random_state(**{"seed": 0, **changes})


# -- real heads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", gallery.HEADS)
def test_the_state_of_a_real_head_holds_its_numbers(name):
    state, head = STATES[name], gallery.load(name)
    assert (values(state.q).astype(np.float32) == head.q).all()
    assert (values(state.k).astype(np.float32) == head.k).all()
    assert (values(state.v) == head.v.astype(np.float64)).all()
    assert (state.scale, state.empty, state.hide) == ("on", "zeros", ())
    assert state.mask == (("causal",) if head.causal else ())
    own = attention(
        head.q, head.k, head.v, allowed=allowed_of(state) if head.causal else None, scale=head.scale
    )
    np.testing.assert_allclose(steps_of(state).weights, own.weights, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", gallery.HEADS)
def test_the_state_of_a_real_head_has_its_words_as_labels(name):
    state, head = STATES[name], gallery.load(name)
    assert [t.lstrip(" ▁") for t in head.q_tokens] == list(state.query_labels)
    assert [t.lstrip(" ▁") for t in head.k_tokens] == list(state.key_labels)
    assert bool(state.keys) == name.startswith("enpt")
    assert all(label.strip() for label in (*state.query_labels, *state.key_labels))
    preset, about = PRESETS[name], gallery.HEADS[name]
    assert (preset.title, preset.say, preset.credit) == (about.title, about.say, about.credit)
    assert state.row == about.row


def test_the_heads_that_the_page_promises_are_there():
    promised = {
        "minilm-previous": (0, 2),
        "minilm-same-word": (2, 9),
        "minilm-it-animal": (3, 1),
        "smollm2-induction": (18, 6),
        "enpt-alignment": (1, 0),
    }
    for name, place in promised.items():
        about = gallery.HEADS[name]
        assert (about.layer, about.head) == place
        assert f"layer {place[0]}, head {place[1]} (from 0)" in PRESETS[name].credit
        assert STATES[name].n_q <= 16
