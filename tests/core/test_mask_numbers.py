"""What each way of masking does, in each format."""

import warnings

import numpy as np
import pytest

from attnviz import softmax
from attnviz.core.formats import FORMATS, format_steps
from attnviz.core.mask_numbers import MASK_WAYS, VERDICTS, masked_by

SCORES = [2.0, 1.0, 0.5]
PARTLY, FULLY = [True, False, True], [False, False, False]
INF = np.inf

#: (way, what a partly masked row gives, what a fully masked row gives in each format)
TABLE = {
    "-inf": ("exact", ("nan", "nan", "nan", "nan")),
    # -1e9 is -inf in float16. Its spacing is 2^22 in bfloat16, 64 in float32, 1e-7 in float64.
    "-1e9": ("exact", ("nan", "uniform", "uniform", "unmasked")),
    # The spacing at 1e4 is 8 in float16, 64 in bfloat16, 0.001 in float32, 2e-12 in float64.
    "-1e4": ("exact", ("uniform", "uniform", "unmasked", "unmasked")),
    "lowest": ("exact", ("uniform", "uniform", "uniform", "uniform")),
    "after": ("vanishes", ("vanishes", "vanishes", "vanishes", "vanishes")),
    "before": ("leaks", ("uniform", "uniform", "uniform", "uniform")),
}


@pytest.mark.parametrize("way", MASK_WAYS)
@pytest.mark.parametrize("name", FORMATS)
def test_the_verdict_of_every_way_in_every_format(way, name):
    partly, fully = TABLE[way]
    assert masked_by(SCORES, PARTLY, way, name).verdict == partly
    assert masked_by(SCORES, FULLY, way, name).verdict == fully[list(FORMATS).index(name)]


def test_the_table_knows_every_way_and_every_verdict_happens():
    assert list(TABLE) == list(MASK_WAYS)
    happen = {verdict for partly, fully in TABLE.values() for verdict in (partly, *fully)}
    assert happen == set(VERDICTS)


@pytest.mark.parametrize("way", MASK_WAYS)
@pytest.mark.parametrize("name", FORMATS)
def test_without_hidden_keys_every_way_is_softmax(way, name):
    got = masked_by(SCORES, [True] * 3, way, name)
    assert got.verdict == "exact"
    assert np.array_equal(got.weights, format_steps(SCORES, name, stable=True).weights)


@pytest.mark.parametrize("way", ["-inf", "-1e9", "-1e4", "lowest"])
@pytest.mark.parametrize("name", FORMATS)
def test_exact_means_zeros_and_the_softmax_of_the_allowed_scores(way, name):
    weights = masked_by(SCORES, PARTLY, way, name).weights
    alone = format_steps([2.0, 0.5], name, stable=True).weights
    assert weights.tolist() == [alone[0], 0.0, alone[1]]


@pytest.mark.parametrize(
    ("way", "name", "hidden"),
    [
        ("-inf", "float32", -INF),
        ("-1e9", "float16", -INF),
        ("-1e9", "bfloat16", -998244352.0),  # 119 * 2^23
        ("-1e9", "float32", -1e9),  # 1e9 - 1 is nearest to 1e9, a multiple of 64
        ("-1e9", "float64", -999999999.0),
        ("-1e4", "float16", -10000.0),  # -9999 to a multiple of 8
        ("-1e4", "bfloat16", -9984.0),  # 156 * 64, already when -1e4 is rounded
        ("-1e4", "float32", -9999.0),
        ("lowest", "float16", -65504.0),
        ("lowest", "bfloat16", -3.3895313892515355e38),
        ("after", "float16", 1.0),
        ("before", "float16", 0.0),
    ],
)
def test_the_scores_are_those_that_go_into_softmax(way, name, hidden):
    assert masked_by(SCORES, PARTLY, way, name).scores.tolist() == [2.0, hidden, 0.5]


def test_after_takes_weight_away_and_gives_it_to_nobody():
    weights = masked_by(SCORES, PARTLY, "after", "float64").weights
    whole = softmax(SCORES)
    assert np.abs(weights - [whole[0], 0, whole[2]]).max() < 1e-16
    assert masked_by(SCORES, FULLY, "after", "float64").weights.tolist() == [0, 0, 0]


def test_before_makes_a_hidden_key_the_strongest_of_negative_scores():
    got = masked_by([-3, -5, -4], PARTLY, "before", "float64")
    assert got.weights.argmax() == 1
    assert np.abs(got.weights - softmax([-3, 0, -4])).max() < 1e-16


def test_in_float64_minus_1e9_leaves_a_fully_masked_row_as_if_nothing_were_masked():
    weights = masked_by(SCORES, FULLY, "-1e9", "float64").weights
    assert np.abs(weights - softmax(SCORES)).max() < 1e-7


def test_minus_1e4_leaks_when_the_allowed_scores_are_lower_still():
    assert masked_by([-20000, 5], [True, False], "-1e4", "float32").verdict == "leaks"
    assert masked_by([-20000, 5], [True, False], "-inf", "float32").verdict == "exact"


def test_after_is_exact_when_the_hidden_weight_is_too_small_to_count():
    assert masked_by([0, -30], [True, False], "after", "float16").verdict == "exact"
    assert masked_by([0, -30], [True, False], "after", "float64").verdict == "vanishes"


def test_equal_scores_in_a_fully_masked_row_are_called_uniform():
    assert masked_by([1, 1], [False, False], "-1e9", "float64").verdict == "uniform"


def test_a_score_beyond_the_format_gives_nan():
    assert masked_by([70000, 0], [True, False], "-inf", "float16").verdict == "nan"
    assert masked_by([70000, 0], [False, True], "before", "float16").verdict == "nan"
    assert masked_by([70000, 0], [False, True], "-1e9", "float16").verdict == "nan"
    assert masked_by([70000, 0], [False, True], "-inf", "float16").verdict == "exact"


def test_nothing_warns_and_nothing_given_is_changed():
    scores, allowed = np.array([7e4, -1e308, 0.0]), np.array([False, False, True])
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for way in MASK_WAYS:
            for name in FORMATS:
                got = masked_by(scores, allowed, way, name)
                assert not got.scores.flags.writeable
                assert not got.weights.flags.writeable
    assert scores.tolist() == [7e4, -1e308, 0.0]
    assert scores.flags.writeable
    assert allowed.flags.writeable


@pytest.mark.parametrize(
    ("scores", "allowed", "way", "name", "words"),
    [
        ([1, -INF], [True, True], "-inf", "float16", "aren't finite at position 1"),
        ([1, np.nan], [True, False], "-inf", "float16", "aren't finite at position 1"),
        ([1, 2], [1, 0], "-inf", "float16", "allowed must be boolean"),
        ([1, 2], [True] * 3, "-inf", "float16", "doesn't fit"),
        ([1, 2], [True] * 2, "-1e5", "float16", "way must be one of"),
        ([1, 2], [True] * 2, "-inf", "float8", "name must be one of"),
        ([[1, 2]], [True] * 2, "-inf", "float16", "one row"),
    ],
)
def test_what_cannot_be_masked_is_refused(scores, allowed, way, name, words):
    with pytest.raises(ValueError, match=words):
        masked_by(scores, allowed, way, name)
