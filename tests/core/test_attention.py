import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import MASKS, attention, rows_normalised, softmax_steps
from tests.core.cases import GOLDEN, betas, seeded

INF, NAN = math.inf, math.nan
CLOSE = dict(rtol=1e-15, atol=1e-15)
POLICIES = ("zeros", "uniform", "nan", "error")


def random_qkv(seed=0, n_q=3, n_k=4, d_k=2, d_v=5, lead=()):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(*lead, n_q, d_k)),
        rng.normal(size=(*lead, n_k, d_k)),
        rng.normal(size=(*lead, n_k, d_v)),
    )


@pytest.mark.parametrize("case", GOLDEN["attention"], ids=lambda case: case["name"])
def test_every_golden_step_is_there(case):
    steps = attention(case["q"], case["k"], case["v"], allowed=case.get("allowed"))
    for name in ("scores", "scaled", "weights", "output"):
        if name in case:
            np.testing.assert_allclose(getattr(steps, name), case[name], **CLOSE)


# Faults that real software had


def test_all_sizes_may_differ_and_the_scale_is_that_of_the_keys():
    q, k = np.zeros((2, 4)), np.zeros((3, 4))
    v = np.arange(3.0)[:, None] * np.ones(5)
    steps = attention(q, k, v, allowed=MASKS["causal"].allowed(2, 3))
    np.testing.assert_allclose(steps.weights, [[0.5, 0.5, 0], [1 / 3] * 3], **CLOSE)
    np.testing.assert_allclose(steps.output, [[0.5] * 5, [1.0] * 5], **CLOSE)
    steps = attention(np.ones((2, 4)), np.ones((3, 4)), v)
    np.testing.assert_array_equal(steps.scaled, steps.scores / 2)


def test_key_heads_are_shared_by_neighbouring_query_heads_not_tiled():
    q, k = np.zeros((4, 1, 2)), np.zeros((2, 3, 2))
    v = np.array([10.0, 20.0])[:, None, None] * np.ones((2, 3, 1))
    assert attention(q, k, v).output.ravel().tolist() == [10, 10, 20, 20]
    with pytest.raises(ValueError, match="the 2 heads of k don't divide the 3 heads of q"):
        attention(q[:3], k, v)


@pytest.mark.parametrize("n_heads", [0, 2, 3])
def test_key_heads_that_do_not_divide_the_query_heads_are_refused(n_heads):
    q, x = np.zeros((1, 1, 2)), np.zeros((n_heads, 3, 2))
    with pytest.raises(ValueError, match="don't divide"):
        attention(q, x, x)


def test_float16_input_does_not_overflow_in_the_scores():
    q = np.full((1, 128), 256, np.float16)
    k = np.stack([np.full(128, 256), np.full(128, 255)]).astype(np.float16)
    steps = attention(q, k, np.array([[1], [2]], np.float16))
    np.testing.assert_array_equal(steps.scores, [[8388608, 8355840]])
    np.testing.assert_allclose(steps.scaled, [[741455.2001894653, 738558.8908137252]], rtol=1e-15)
    np.testing.assert_array_equal(steps.weights, [[1.0, 0.0]])
    np.testing.assert_array_equal(steps.output, [[1.0]])


ONES = dict(q=[[1], [1]], k=[[1], [1]], v=[[2], [4]])
SECOND_DEAD = [[True, True], [False, False]]


@pytest.mark.parametrize(
    ("empty", "weights", "output"),
    [("zeros", [0, 0], 0.0), ("uniform", [0.5, 0.5], 3.0), ("nan", [NAN, NAN], NAN)],
)
def test_a_query_without_a_key_gets_what_the_policy_says_and_no_other_row_changes(
    empty, weights, output
):
    steps = attention(**ONES, allowed=SECOND_DEAD, empty=empty)
    np.testing.assert_array_equal(steps.weights, [[0.5, 0.5], weights])
    np.testing.assert_array_equal(steps.output, [[3.0], [output]])
    np.testing.assert_array_equal(steps.empty_rows, [False, True])
    np.testing.assert_array_equal(steps.allowed, SECOND_DEAD)
    assert rows_normalised(steps.weights) is (empty == "uniform")


def test_by_default_a_query_without_a_key_is_an_error_that_names_it():
    with pytest.raises(ValueError, match=r"row 1 \(counted from 0\): no key is allowed"):
        attention(**ONES, allowed=SECOND_DEAD)
    with pytest.raises(ValueError, match="no key is allowed"):
        attention(**ONES, bias=[[0, 0], [-INF, -INF]])


@pytest.mark.parametrize("empty", POLICIES)
def test_the_policy_changes_nothing_when_every_query_has_a_key(empty):
    q, k, v = random_qkv()
    plain = attention(q, k, v, allowed=MASKS["causal"].allowed(3, 4))
    other = attention(q, k, v, allowed=MASKS["causal"].allowed(3, 4), empty=empty)
    np.testing.assert_array_equal(other.weights, plain.weights)
    np.testing.assert_array_equal(other.output, plain.output)


def test_a_large_negative_bias_on_a_whole_row_hides_nothing():
    q, k, v = [[1.0]], [[1.0], [2.0]], [[1.0], [2.0]]
    expected = [[0.2689414213699951, 0.7310585786300049]]
    np.testing.assert_allclose(attention(q, k, v, bias=[[-1e9] * 2]).weights, expected, **CLOSE)
    lowest = np.finfo(float).min
    np.testing.assert_array_equal(attention(q, k, v, bias=[[lowest] * 2]).weights, [[0.5, 0.5]])
    steps = attention(q, k, v, bias=[[-INF] * 2], empty="zeros")
    np.testing.assert_array_equal(steps.weights, [[0, 0]])


def test_a_tiny_bias_is_added_as_it_is():
    steps = attention([[1.0]], [[2.0], [2.0]], [[0.0], [0.0]], bias=[[0, -1e-9]])
    np.testing.assert_allclose(steps.weights, [[0.50000000025, 0.49999999975]], atol=1e-16)


def test_booleans_belong_in_allowed_and_numbers_in_bias():
    q, k, v = [[0.0]], np.zeros((3, 1)), np.zeros((3, 1))
    steps = attention(q, k, v, allowed=[[True, False, True]])
    np.testing.assert_array_equal(steps.weights, [[0.5, 0.0, 0.5]])
    with pytest.raises(ValueError, match=r"allowed must be boolean.*belong in bias"):
        attention(q, k, v, allowed=[[1.0, 0.0, 1.0]])
    with pytest.raises(ValueError, match="booleans belong in allowed"):
        attention(q, k, v, bias=[[True, False, True]])
    added = attention(q, k, v, bias=[[1.0, 0.0, 1.0]]).weights
    wrong = [[0.4223187982515182, 0.15536240349696362, 0.4223187982515182]]
    np.testing.assert_allclose(added, wrong, **CLOSE)


def test_a_large_hidden_score_is_hidden_before_the_softmax():
    steps = attention([[1.0]], [[1000], [0], [0]], np.eye(3), allowed=[[False, True, True]])
    np.testing.assert_array_equal(steps.weights, [[0.0, 0.5, 0.5]])
    np.testing.assert_array_equal(steps.output, [[0.0, 0.5, 0.5]])


# What a hidden key can't do


@pytest.mark.parametrize("bad", [NAN, INF, -INF, 1e308])
@pytest.mark.parametrize("by", ["allowed", "bias"])
def test_a_hidden_key_has_no_influence_whatever_its_key_and_value_hold(bad, by):
    q, k, v = random_qkv()
    allowed = np.ones((3, 4), bool)
    allowed[:, 2] = False
    hide = {"allowed": allowed} if by == "allowed" else {"bias": np.where(allowed, 0.0, -INF)}
    plain = attention(q, k, v, **hide)
    k[2], v[2] = bad, bad
    steps = attention(q, k, v, **hide)
    for name in ("masked", "weights", "output"):
        np.testing.assert_array_equal(getattr(steps, name), getattr(plain, name))
    np.testing.assert_array_equal(steps.weights[:, 2], 0)


def test_a_dead_query_may_hold_anything_too():
    q = [[1.0], [NAN]]
    steps = attention(q, ONES["k"], ONES["v"], allowed=SECOND_DEAD, empty="zeros")
    np.testing.assert_array_equal(steps.output, [[3.0], [0.0]])


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_what_is_not_finite_is_refused_where_it_is_used(bad):
    q, k, v = random_qkv()
    allowed = MASKS["causal"].allowed(3, 4)  # key 3 is for query 2 alone
    spoiled = k.copy()
    spoiled[3, 0] = bad
    with pytest.raises(ValueError, match=r"score q·k is .* in row 2, column 3"):
        attention(q, spoiled, v, allowed=allowed)
    spoiled = q.copy()
    spoiled[1, 0] = bad
    with pytest.raises(ValueError, match=r"score q·k is .* in row 1, column 0"):
        attention(spoiled, k, v, allowed=allowed)
    spoiled = v.copy()
    spoiled[3, 1] = bad
    with pytest.raises(ValueError, match=r"v holds NaN or an infinity in row 3"):
        attention(q, k, spoiled, allowed=allowed)
    if bad != -INF:
        with pytest.raises(ValueError, match=r"bias is NaN or \+inf in row 0, column 1"):
            attention(q, k, v, allowed=allowed, bias=[[0, bad, bad, bad]] + [[0] * 4] * 2)


def test_the_uniform_policy_uses_every_value_so_every_value_must_be_finite():
    with pytest.raises(ValueError, match="v holds NaN"):
        attention([[1.0]], [[1.0]], [[NAN]], allowed=[[False]], empty="uniform")
    attention([[1.0]], [[1.0]], [[NAN]], allowed=[[False]], empty="zeros")


def test_a_score_beyond_float64_is_refused_and_never_read_as_hidden():
    for sign in (1, -1):
        with pytest.raises(ValueError, match="score q·k is"):
            attention([[1e200]], [[sign * 1e200]], [[1.0]])
        with pytest.raises(ValueError, match="scaled score plus bias is"):
            attention([[1e200]], [[sign * 1e100]], [[1.0]], scale=1e100)


# Shapes


@pytest.mark.parametrize(
    ("q", "k", "v", "words"),
    [
        ((2, 3), (4, 2), (4, 1), r"k must have 3 columns .*; got k \(4, 2\) and q \(2, 3\)"),
        ((2, 3), (4, 3), (5, 1), r"v must have 4 rows, one a key; got v \(5, 1\) and k \(4, 3\)"),
        ((3,), (4, 3), (4, 1), r"q must be a matrix.*\(3,\)"),
        ((2, 3), (0, 3), (0, 1), r"at least one key.*\(0, 3\)"),
        ((2, 0), (4, 0), (4, 1), "q must have at least one column"),
        ((4, 2, 3), (2, 4, 3), (4, 4, 1), r"as many heads; got k \(2, 4, 3\) and v \(4, 4, 1\)"),
        ((2, 4, 2, 3), (3, 4, 4, 3), (3, 4, 4, 1), r"leading axes of k.*\(3, 4, 4, 3\)"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_named_both(q, k, v, words):
    with pytest.raises(ValueError, match=words):
        attention(np.zeros(q), np.zeros(k), np.zeros(v))


@pytest.mark.parametrize("name", ["allowed", "bias"])
def test_a_mask_must_fit_the_scores_and_never_widens_them(name):
    q, k, v = random_qkv()
    for shape in ((4, 3), (2, 3, 4), (3,)):
        mask = np.ones(shape, bool) if name == "allowed" else np.zeros(shape)
        with pytest.raises(ValueError, match=rf"{name} has shape \({shape[0]},.*\(3, 4\)"):
            attention(q, k, v, **{name: mask})


def test_heads_and_batches_broadcast_as_matrices_would_one_by_one():
    q, k, v = random_qkv(lead=(2, 4))
    allowed = MASKS["causal"].allowed(3, 4)
    steps = attention(q, k[:, :2], v[:, :2], allowed=allowed)
    assert steps.output.shape == (2, 4, 3, 5)
    for b in range(2):
        for h in range(4):
            one = attention(q[b, h], k[b, h // 2], v[b, h // 2], allowed=allowed)
            np.testing.assert_allclose(steps.weights[b, h], one.weights, **CLOSE)
            np.testing.assert_allclose(steps.output[b, h], one.output, **CLOSE)
    shared = attention(q, k[0, 0], v[0, 0])
    np.testing.assert_allclose(shared.output[1, 3], attention(q[1, 3], k[0, 0], v[0, 0]).output)
    assert attention(q[0, 0], k[0], v[0]).output.shape == (4, 3, 5)


def test_no_queries_and_no_batch_come_back_empty():
    q, k, v = random_qkv(n_q=0)
    assert attention(q, k, v).output.shape == (0, 5)
    q, k, v = random_qkv(lead=(0, 2))
    assert attention(q, k, v, empty="uniform").output.shape == (0, 2, 3, 5)


# Options


def test_scale_and_beta_and_bias_enter_where_the_steps_say():
    q, k, v = random_qkv()
    bias = np.arange(12.0).reshape(3, 4) / 7
    steps = attention(q, k, v, scale=0.3, beta=2.5, bias=bias)
    np.testing.assert_array_equal(steps.scaled, steps.scores * 0.3)
    np.testing.assert_array_equal(steps.masked, steps.scaled + bias)
    np.testing.assert_allclose(steps.scores, q @ k.T, **CLOSE)
    np.testing.assert_allclose(steps.output, steps.weights @ v, **CLOSE)


@seeded
@given(st.integers(0, 999), betas, st.integers(1, 5), st.integers(1, 5), st.booleans())
def test_each_row_is_softmax_steps_of_its_masked_scores_to_the_last_digit(
    seed, beta, n_q, n_k, causal
):
    q, k, v = random_qkv(seed, n_q, n_k)
    allowed = MASKS["causal"].allowed(n_q, n_k, align="top-left") if causal else None
    steps = attention(9 * q, k, v, allowed=allowed, beta=beta)
    for i in range(n_q):
        np.testing.assert_array_equal(
            steps.weights[i], softmax_steps(steps.masked[i], beta=beta).weights
        )
    assert rows_normalised(steps.weights)
    if causal:
        np.testing.assert_array_equal(steps.weights[~allowed], 0)


@seeded
@given(st.integers(0, 999), st.permutations(range(4)))
def test_permuting_keys_with_their_values_permutes_weights_and_keeps_the_output(seed, order):
    q, k, v = random_qkv(seed)
    steps, permuted = attention(q, k, v), attention(q, k[order], v[order])
    np.testing.assert_allclose(permuted.weights, steps.weights[:, order], **CLOSE)
    np.testing.assert_allclose(permuted.output, steps.output, rtol=1e-13, atol=1e-14)


@seeded
@given(st.integers(0, 999))
def test_the_output_lies_between_the_smallest_and_the_largest_value(seed):
    q, k, v = random_qkv(seed)
    output = attention(9 * q, k, v).output
    assert (output >= v.min(axis=0) - 1e-14).all()
    assert (output <= v.max(axis=0) + 1e-14).all()


def test_infinite_beta_is_the_limit_in_which_ties_share():
    steps = attention([[1.0]], [[2.0], [2.0], [1.0]], [[3.0], [5.0], [9.0]], beta=INF)
    assert steps.weights.tolist() == [[0.5, 0.5, 0.0]]
    assert steps.output.tolist() == [[4.0]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": NAN}, "scale must be finite"),
        ({"scale": INF}, "scale must be finite"),
        ({"scale": "on"}, "scale must be one number"),
        ({"beta": NAN}, "beta must be"),
        ({"beta": -1}, "beta must be 0 or more"),
        ({"empty": "zero"}, "empty must be one of error, zeros, uniform, nan; got 'zero'"),
        ({"bias": [["a"]]}, "bias must be real numbers; got text"),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        attention([[1.0]], [[1.0]], [[1.0]], **options)


def test_text_and_complex_input_is_refused_by_name():
    with pytest.raises(ValueError, match="k must be real numbers; got text"):
        attention([[1.0]], [["1"]], [[1.0]])
    with pytest.raises(ValueError, match="v must be real numbers; got complex"):
        attention([[1.0]], [[1.0]], [[1j]])


def test_the_steps_are_frozen_and_the_input_is_never_changed():
    q, k, v = random_qkv()
    v[3] = NAN
    allowed, bias = np.ones((3, 4), bool), np.zeros((3, 4))
    allowed[:, 3] = False
    before = [x.copy() for x in (q, k, v, allowed, bias)]
    steps = attention(q, k, v, allowed=allowed, bias=bias)
    for x, old in zip((q, k, v, allowed, bias), before, strict=True):
        np.testing.assert_array_equal(x, old)
        assert x.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        steps.output = q
    with pytest.raises(ValueError, match="read-only"):
        steps.output[0] = 1


def test_no_minus_zero_is_shown():
    steps = attention([[-1.0]], [[0.0]], [[-0.0]])
    for name in ("scores", "scaled", "masked", "output"):
        assert not np.signbit(getattr(steps, name)).any()


def test_no_warning_escapes_even_when_numpy_is_set_to_raise():
    with np.errstate(all="raise"):
        attention([[1e-200, 1.0]], [[1e-200, -3e4], [NAN, INF]], [[1.0], [NAN]],
                  allowed=[[True, False]])  # fmt: skip
