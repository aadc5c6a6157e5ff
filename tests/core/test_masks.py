import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import MASKS, softmax_steps
from tests.core.cases import seeded

THIRD = 1 / 3


def matrix(*rows):
    """Read a golden matrix: x = may attend."""
    return np.array([[sign == "x" for sign in row] for row in rows])


GOLDEN = [
    ("none", (2, 3), {}, matrix("xxx", "xxx")),
    ("causal", (3, 3), {}, matrix("x..", "xx.", "xxx")),
    ("causal", (2, 4), {}, matrix("xxx.", "xxxx")),
    ("causal", (2, 4), {"align": "top-left"}, matrix("x...", "xx..")),
    ("causal", (3, 2), {}, matrix("..", "x.", "xx")),
    ("causal", (3, 2), {"align": "top-left"}, matrix("x.", "xx", "xx")),
    ("window", (4, 4), {"window": 2}, matrix("x...", "xx..", ".xx.", "..xx")),
    ("window", (4, 4), {"window": 9}, matrix("x...", "xx..", "xxx.", "xxxx")),
    (
        "window", (4, 4), {"window": 2, "both_sides": True},
        matrix("xx..", "xxx.", ".xxx", "..xx"),
    ),
    ("window", (2, 4), {"window": 2}, matrix(".xx.", "..xx")),
    ("window", (2, 4), {"window": 2, "align": "top-left"}, matrix("x...", "xx..")),
    ("prefix", (4, 4), {"prefix": 2}, matrix("xx..", "xx..", "xxx.", "xxxx")),
    ("prefix", (3, 3), {"prefix": 0}, matrix("x..", "xx.", "xxx")),
    ("prefix", (2, 3), {"prefix": 3, "align": "top-left"}, matrix("xxx", "xxx")),
    ("padding", (2, 3), {"padding": 1}, matrix("xx.", "xx.")),
    ("padding", (2, 3), {"padding": 1, "side": "left"}, matrix(".xx", ".xx")),
    ("padding", (2, 3), {"padding": 0}, matrix("xxx", "xxx")),
    ("block", (4, 4), {"block": 2}, matrix("xx..", "xx..", "..xx", "..xx")),
    ("block", (3, 3), {"block": 2}, matrix("xx.", "xx.", "..x")),
    ("block", (1, 4), {"block": 2}, matrix("..xx")),
    ("custom", (2, 3), {"hide": [(0, 2), (1, 0)]}, matrix("xx.", ".xx")),
    ("custom", (2, 2), {}, matrix("xx", "xx")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shape", "options", "expected"), GOLDEN)
def test_each_mask_is_its_golden_matrix(name, shape, options, expected):
    allowed = MASKS[name].allowed(*shape, **options)
    np.testing.assert_array_equal(allowed, expected)
    assert allowed.dtype == bool
    assert allowed.flags.writeable


def test_every_mask_has_a_golden_matrix_a_name_and_a_summary_of_one_line():
    assert list(MASKS) == ["none", "causal", "window", "prefix", "padding", "block", "custom"]
    assert {row[0] for row in GOLDEN} == set(MASKS)
    for name, mask in MASKS.items():
        assert mask.name == name
        assert mask.summary.endswith(".")
        assert "\n" not in mask.summary
    assert MASKS["window"].options == ("window", "align", "both_sides")
    assert MASKS["none"].options == ()


@pytest.mark.parametrize(
    ("n_q", "align", "weights"),
    [
        (1, "bottom-right", [[0.25] * 4]),
        (2, "bottom-right", [[THIRD, THIRD, THIRD, 0], [0.25] * 4]),
        (1, "top-left", [[1, 0, 0, 0]]),
        (2, "top-left", [[1, 0, 0, 0], [0.5, 0.5, 0, 0]]),
    ],
)
def test_one_new_token_after_cached_keys_sees_them_all_unless_aligned_top_left(n_q, align, weights):
    allowed = MASKS["causal"].allowed(n_q, 4, align=align)
    np.testing.assert_array_equal(
        softmax_steps(np.zeros((n_q, 4)), allowed=allowed).weights, weights
    )


def test_a_window_of_1_is_the_identity_with_no_other_mask():
    for both_sides in (False, True):
        allowed = MASKS["window"].allowed(3, 3, window=1, both_sides=both_sides)
        weights = softmax_steps(np.zeros((3, 3)), allowed=allowed).weights
        np.testing.assert_array_equal(weights, np.eye(3))


@pytest.mark.parametrize("window", [0, -2])
def test_a_window_of_0_or_less_is_refused(window):
    with pytest.raises(ValueError, match="window must be at least 1"):
        MASKS["window"].allowed(3, 3, window=window)


def test_true_means_may_attend_and_the_other_reading_gives_another_picture():
    upper = np.triu(np.ones((3, 3), bool), 1)
    kept = softmax_steps(np.zeros((3, 3)), allowed=upper, empty="nan").weights
    np.testing.assert_array_equal(kept, [[0, 0.5, 0.5], [0, 0, 1], [math.nan] * 3])
    hidden = softmax_steps(np.zeros((3, 3)), allowed=~upper).weights
    np.testing.assert_array_equal(hidden, [[1, 0, 0], [0.5, 0.5, 0], [THIRD] * 3])
    np.testing.assert_array_equal(~upper, MASKS["causal"].allowed(3, 3))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("causal", {"align": "left"}, "align must be one of bottom-right, top-left; got 'left'"),
        ("window", {"window": 1.5}, "window must be a whole number; got 1.5"),
        ("window", {"window": "2"}, "window must be a whole number"),
        ("prefix", {"prefix": 4}, "prefix must be from 0 to n_k = 3; got 4"),
        ("prefix", {"prefix": -1}, "prefix must be from 0"),
        ("padding", {"padding": 4}, "padding must be from 0 to n_k = 3; got 4"),
        ("padding", {"padding": 1, "side": "top"}, "side must be one of right, left"),
        ("block", {"block": 0}, "block must be at least 1"),
        ("custom", {"hide": [(0, 3)]}, r"hide names \(0, 3\), which isn't in 2 queries by 3 keys"),
        ("custom", {"hide": [(-1, 0)]}, r"hide names \(-1, 0\)"),
        ("custom", {"hide": [3]}, "hide must hold pairs"),
        ("custom", {"hide": [(0, 1, 2)]}, "hide must hold pairs"),
        ("custom", {"hide": [(0.0, 1)]}, "hide must hold pairs"),
    ],
)
def test_an_option_out_of_range_is_refused_with_what_came(name, options, words):
    with pytest.raises(ValueError, match=words):
        MASKS[name].allowed(2, 3, **options)


def test_a_mask_takes_its_own_options_only():
    with pytest.raises(TypeError):
        MASKS["none"].allowed(2, 3, window=1)
    with pytest.raises(TypeError):
        MASKS["window"].allowed(2, 3)
    for count in (-1, 2.0):
        with pytest.raises(ValueError, match="n_q must be"):
            MASKS["none"].allowed(count, 3)


OPTIONS = {"window": {"window": 2}, "prefix": {"prefix": 0}, "padding": {"padding": 0}}
OPTIONS["block"] = {"block": 2}


@seeded
@given(st.sampled_from(sorted(MASKS)), st.integers(0, 6), st.integers(0, 6))
def test_every_mask_has_the_shape_asked_for(name, n_q, n_k):
    assert MASKS[name].allowed(n_q, n_k, **OPTIONS.get(name, {})).shape == (n_q, n_k)


@seeded
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 9))
def test_a_window_never_sees_the_future_and_at_most_its_size(n_q, n_k, size):
    window = MASKS["window"].allowed(n_q, n_k, window=size)
    causal = MASKS["causal"].allowed(n_q, n_k)
    assert not (window & ~causal).any()
    np.testing.assert_array_equal(window.sum(axis=1), np.minimum(causal.sum(axis=1), size))
