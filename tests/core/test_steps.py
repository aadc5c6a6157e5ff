import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import hard_max, softmax, softmax_steps, weights_against_beta
from tests.core.cases import GOLDEN, betas, number, rows, seeded

INF = math.inf
CLOSE = dict(rtol=4e-16, atol=4e-16)


def hidden_as_minus_infinity(scores, allowed):
    return np.where(allowed, scores, -INF)


@pytest.mark.parametrize("case", GOLDEN["softmax"], ids=lambda case: case["name"])
def test_every_golden_step_is_there(case):
    scores = [number(score) for score in case["scores"]]
    steps = softmax_steps(scores, beta=case.get("beta", 1))
    np.testing.assert_allclose(steps.weights, case["weights"], **CLOSE)
    if "shifted" in case:
        np.testing.assert_allclose(steps.shifted, case["shifted"], **CLOSE)
        np.testing.assert_allclose(steps.exps, case["exp"], **CLOSE)
        assert steps.total == pytest.approx(sum(case["exp"]), rel=1e-15)


def test_the_steps_are_what_a_student_does_by_hand():
    steps = softmax_steps([[3, 1, 1, -1]], beta=2, allowed=[True, False, True, True])
    np.testing.assert_array_equal(steps.scores, [[3, 1, 1, -1]])
    np.testing.assert_array_equal(steps.scaled, [[6, 2, 2, -2]])
    np.testing.assert_array_equal(steps.masked, [[6, -INF, 2, -2]])
    np.testing.assert_array_equal(steps.shifted, [[0, -INF, -4, -8]])
    np.testing.assert_array_equal(steps.exps, np.exp([[0, -INF, -4, -8]]))
    np.testing.assert_array_equal(steps.total, [1 + np.exp(-4.0) + np.exp(-8.0)])
    np.testing.assert_array_equal(steps.weights, steps.exps / steps.total)
    np.testing.assert_array_equal(steps.allowed, [[True, False, True, True]])
    assert steps.total.shape == steps.empty_rows.shape == (1,)


@seeded
@given(rows(), betas, st.data())
def test_the_weights_are_those_of_softmax_to_the_last_digit(row, beta, data):
    allowed = data.draw(st.lists(st.booleans(), min_size=len(row), max_size=len(row)))
    allowed[data.draw(st.sampled_from([i for i, s in enumerate(row) if s != -INF]))] = True
    steps = softmax_steps(row, beta=beta, allowed=allowed)
    expected = softmax(hidden_as_minus_infinity(row, allowed), beta=beta)
    np.testing.assert_array_equal(steps.weights, expected)
    limit = softmax_steps(row, beta=INF, allowed=allowed)
    np.testing.assert_array_equal(limit.weights, hard_max(hidden_as_minus_infinity(row, allowed)))


@seeded
@given(rows(), betas | st.just(INF))
def test_each_column_follows_from_the_one_before_it(row, beta):
    steps = softmax_steps(row, beta=beta)
    np.testing.assert_array_equal(steps.exps, np.exp(steps.shifted))
    np.testing.assert_array_equal(steps.total, steps.exps.sum(axis=-1))
    np.testing.assert_array_equal(steps.weights, steps.exps / steps.total)
    np.testing.assert_array_equal(steps.masked == -INF, ~steps.allowed | (steps.scaled == -INF))
    if math.isfinite(beta):
        np.testing.assert_allclose(
            steps.shifted[steps.allowed],
            (steps.masked - steps.masked.max())[steps.allowed],
            atol=1e-12 + 1e-15 * np.abs(steps.scaled[steps.allowed]).max(),
        )


@pytest.mark.parametrize("shape", [(3, 1), (1, 5), (3, 5), (5,), (1, 1)])
def test_allowed_may_broadcast_and_changes_no_digit_by_doing_so(shape):
    scores = np.random.default_rng(3).normal(size=(3, 5)) * 9
    allowed = np.ones(shape, bool)
    allowed.flat[-1] = shape == (1, 1)
    steps = softmax_steps(scores, allowed=allowed, empty="nan")
    full = softmax_steps(scores.copy(), allowed=np.broadcast_to(allowed, (3, 5)), empty="nan")
    np.testing.assert_array_equal(steps.weights, full.weights)
    for i in range(3):
        alone = softmax_steps(scores[i], allowed=np.broadcast_to(allowed, (3, 5))[i], empty="nan")
        np.testing.assert_array_equal(steps.weights[i], alone.weights)
        np.testing.assert_array_equal(steps.total[i], alone.total)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_in_memory_changes_no_digit(seed):
    scores = np.random.default_rng(seed).normal(size=(3, 40))
    allowed = scores < 1
    steps = softmax_steps(np.asfortranarray(scores), allowed=np.asfortranarray(allowed))
    for i in range(3):
        alone = softmax_steps(scores[i], allowed=allowed[i])
        np.testing.assert_array_equal(steps.total[i], alone.total)
        np.testing.assert_array_equal(steps.weights[i], alone.weights)


def test_infinite_beta_is_the_limit_and_its_steps_say_so():
    steps = softmax_steps([1, 1, 0, -1, 9], beta=INF, allowed=[True] * 4 + [False])
    np.testing.assert_array_equal(steps.shifted, [0, 0, -INF, -INF, -INF])
    np.testing.assert_array_equal(steps.exps, [1, 1, 0, 0, 0])
    np.testing.assert_array_equal(steps.scaled, [INF, INF, 0, -INF, INF])
    np.testing.assert_array_equal(steps.weights, [0.5, 0.5, 0, 0, 0])
    np.testing.assert_array_equal(steps.allowed, [True, True, True, True, False])
    assert steps.total == 2


def test_beta_0_shares_equally_among_the_allowed_keys_without_minus_zero():
    steps = softmax_steps([-5, 1e308, -1e308, -INF, 7], beta=0, allowed=[True] * 4 + [False])
    np.testing.assert_array_equal(steps.weights, [1 / 3, 1 / 3, 1 / 3, 0, 0])
    np.testing.assert_array_equal(steps.scaled, [0, 0, 0, -INF, 0])
    np.testing.assert_array_equal(steps.shifted, [0, 0, 0, -INF, -INF])
    assert not np.signbit(steps.scaled[:3]).any()
    assert not np.signbit(steps.shifted[:3]).any()


def test_large_scores_are_subtracted_before_they_are_scaled():
    steps = softmax_steps([1e15, 1e15 - 1], beta=0.1)
    assert steps.shifted[1] == -0.1  # 1e14 - 0.1 would have been rounded
    np.testing.assert_allclose(steps.weights, softmax([0.1, 0]), **CLOSE)


def test_an_overflow_of_the_scaled_score_reaches_no_weight():
    steps = softmax_steps([2, 4, 3, -4], beta=1e308)
    np.testing.assert_array_equal(steps.weights, [0, 1, 0, 0])
    assert steps.allowed.all()  # underflowed, not hidden
    steps = softmax_steps([1e308, -1e308], beta=1 / 1e308)
    np.testing.assert_allclose(steps.weights, [0.8807970779778824, 0.11920292202211756], **CLOSE)


@pytest.mark.parametrize("value", [math.nan, INF, -INF, 1e308])
@pytest.mark.parametrize("beta", [0, 1, 2.5, INF])
def test_what_stands_in_a_hidden_cell_has_no_influence(value, beta):
    steps = softmax_steps([2.0, value, 1.0], beta=beta, allowed=[True, False, True])
    plain = softmax_steps([2.0, 0.0, 1.0], beta=beta, allowed=[True, False, True])
    for name in ("masked", "shifted", "exps", "total", "weights"):
        np.testing.assert_array_equal(getattr(steps, name), getattr(plain, name))
    np.testing.assert_array_equal(steps.scores[1], value)


@pytest.mark.parametrize(("value", "word"), [(math.nan, "NaN"), (INF, r"\+inf")])
def test_nan_and_plus_infinity_in_an_allowed_cell_are_refused_with_the_place(value, word):
    with pytest.raises(ValueError, match=rf"{word} in row 1, column 0"):
        softmax_steps([[1, 2], [value, 2]], allowed=[[False, True], [True, True]])


def test_a_row_without_an_allowed_key_is_named_or_nan_as_asked():
    scores, allowed = [[1, 2], [3, 4], [5, -INF]], [[True, True], [False, False], [False, True]]
    with pytest.raises(ValueError, match=r"rows 1, 2 \("):
        softmax_steps(scores, allowed=allowed)
    for beta in (0, 1, INF):
        steps = softmax_steps(scores, beta=beta, allowed=allowed, empty="nan")
        np.testing.assert_array_equal(steps.empty_rows, [False, True, True])
        assert np.isnan(steps.weights[1:]).all()
        np.testing.assert_array_equal(steps.total[1:], [0, 0])
        np.testing.assert_array_equal(steps.weights[0], softmax_steps([1, 2], beta=beta).weights)
    with pytest.raises(ValueError, match="the only row"):
        softmax_steps([1, 2], allowed=[False, False])
    assert bool(softmax_steps([1, 2], allowed=[False, False], empty="nan").empty_rows)


def test_a_boolean_mask_is_not_added_and_a_float_mask_is_not_guessed():
    steps = softmax_steps([0, 0, 0], allowed=[True, False, True])
    np.testing.assert_array_equal(steps.weights, [0.5, 0.0, 0.5])
    for wrong in ([1.0, 0.0, 1.0], [1, 0, 1], ["yes", "no", "yes"]):
        with pytest.raises(ValueError, match=r"allowed must be boolean.*belong in bias"):
            softmax_steps([0, 0, 0], allowed=wrong)


def test_allowed_of_another_shape_is_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"allowed has shape \(2,\).*\(3,\)"):
        softmax_steps([0, 0, 0], allowed=[True, False])
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3,\)"):
        softmax_steps([0, 0, 0], allowed=np.ones((2, 3), bool))


@pytest.mark.parametrize("beta", [-1, math.nan, -INF, "1", None])
def test_a_beta_below_0_or_that_is_no_number_is_refused(beta):
    with pytest.raises(ValueError, match="beta"):
        softmax_steps([1, 2], beta=beta)


def test_an_unknown_policy_and_an_empty_row_are_refused():
    with pytest.raises(ValueError, match="empty must be one of error, nan"):
        softmax_steps([1, 2], empty="zeros")
    with pytest.raises(ValueError, match="empty row"):
        softmax_steps([])
    assert softmax_steps(np.empty((0, 3))).weights.shape == (0, 3)


def test_the_steps_are_frozen_inside_and_out_and_share_nothing_with_the_input():
    scores = np.array([1.0, 2.0])
    steps = softmax_steps(scores)
    with pytest.raises(dataclasses.FrozenInstanceError):
        steps.weights = scores
    with pytest.raises(ValueError, match="read-only"):
        steps.weights[0] = 1
    scores[0] = 99
    assert steps.scores[0] == 1
    assert scores.flags.writeable


# weights_against_beta


@seeded
@given(rows(), st.lists(betas, max_size=5))
def test_the_curve_over_beta_is_softmax_at_each_beta_to_the_last_digit(row, many):
    curve = weights_against_beta(row, many or np.empty(0))
    assert curve.shape == (len(many), len(row))
    for weights, beta in zip(curve, many, strict=True):
        np.testing.assert_array_equal(weights, softmax(row, beta=beta))


def test_the_curve_knows_hidden_keys_and_huge_scores():
    curve = weights_against_beta(
        [1e308, -1e308, math.nan], [0, 1 / 1e308, 1], allowed=[True, True, False]
    )
    np.testing.assert_allclose(curve[:, 0], [0.5, 0.8807970779778824, 1], **CLOSE)
    np.testing.assert_array_equal(curve[:, 2], 0)


@pytest.mark.parametrize(
    ("scores", "betas", "words"),
    [
        ([1, 2], [1, -1], "betas, position 1"),
        ([1, 2], [INF], "betas, position 0"),
        ([1, 2], [math.nan], "betas, position 0"),
        ([[1, 2]], [1], "scores must be one row"),
        ([1, 2], [[1]], "betas must be one row"),
        ([1, 2], 1, "betas must be a row"),
        ([], [1], "empty row"),
        ([-INF], [1], "every entry is -inf"),
        ([math.nan], [1], "NaN at position 0"),
    ],
)
def test_a_curve_of_bad_scores_or_betas_is_refused_with_the_place(scores, betas, words):
    with pytest.raises(ValueError, match=words):
        weights_against_beta(scores, betas)
