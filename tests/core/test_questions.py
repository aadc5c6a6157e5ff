import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import entropy, softmax, softmax_steps
from attnviz.core.questions import (
    add_to_scores,
    beta_axis,
    max_entropy,
    multiply_scores,
    naive_exps,
    pair_ratio,
    row_checks,
    row_entropies,
)
from tests.core.cases import GOLDEN, betas, rows, seeded

INF = math.inf


# -- checks ---------------------------------------------------------------------------------------


@seeded
@given(rows(), betas | st.just(INF), st.floats(-100, 100))
def test_what_must_hold_does_hold(row, beta, shift):
    checks = row_checks(row, beta=beta, shift=shift)
    assert abs(checks.sum_minus_one) < 1e-14
    assert 0 <= checks.smallest <= 1
    assert checks.shift == shift
    assert math.isnan(checks.largest_masked) == (-INF not in row)
    assert checks.largest_masked == 0 or -INF not in row
    assert 0 <= checks.shift_change <= 1
    assert all(type(value) in (float, int) for value in vars(checks).values())


@seeded
@given(rows(elements=st.integers(-50, 50)), st.integers(-1000, 1000))
def test_a_shift_of_whole_scores_changes_no_weight_at_all(row, shift):
    assert row_checks(row, shift=shift).shift_change == 0


def test_the_checks_are_measured_and_not_assumed():
    checks = row_checks([2, 1, 0], shift=1e17)  # in float64 all three become equal
    assert checks.shift_change == pytest.approx(0.6652409557748219 - 1 / 3, rel=1e-15)
    checks = row_checks([0, -800, -40], allowed=[True, True, False])
    assert (checks.smallest, checks.underflowed, checks.largest_masked) == (0, 1, 0)
    checks = row_checks([0, -40, -INF])
    assert checks.smallest == pytest.approx(math.exp(-40), rel=1e-15)
    assert (checks.underflowed, checks.largest_masked) == (0, 0)


def test_in_the_limit_a_weight_of_0_is_exact_and_did_not_underflow():
    checks = row_checks([1, 1, 0], beta=INF)
    assert (checks.smallest, checks.underflowed, checks.shift_change) == (0, 0, 0)


@pytest.mark.parametrize("shift", [1e308, -1e308])
def test_a_shift_beyond_float64_is_not_measured_and_stops_nothing(shift):
    checks = row_checks([math.copysign(1.7e308, shift), 0], shift=shift)
    assert math.isnan(checks.shift_change)
    assert checks.sum_minus_one == 0


def test_a_hidden_score_beyond_float64_does_not_matter():
    checks = row_checks([1.7e308, 0, 1], allowed=[False, True, True], shift=1e308)
    assert checks.shift_change == pytest.approx(1 / (1 + math.exp(-1)) - 0.5, rel=1e-15)
    checks = row_checks([math.nan, 0, 1], allowed=[False, True, True])
    assert checks.shift_change < 1e-15


def test_a_row_without_an_allowed_key_is_refused():
    with pytest.raises(ValueError, match="-inf"):
        row_checks([-INF, -INF])
    with pytest.raises(ValueError, match="NaN"):
        row_checks([math.nan, 1])


# -- add and multiply -----------------------------------------------------------------------------


@seeded
@given(rows(), st.floats(-1e6, 1e6))
def test_a_constant_and_a_factor_reach_every_score_but_a_masked_one(row, constant):
    added, multiplied = add_to_scores(row, constant), multiply_scores(row, constant)
    for score, more, times in zip(row, added, multiplied, strict=True):
        if score == -INF:
            assert more == times == -INF
        else:
            assert more == score + constant
            assert times == score * constant


@seeded
@given(rows(elements=st.integers(-50, 50)), st.integers(-1000, 1000), st.integers(1, 9))
def test_adding_changes_no_weight_and_multiplying_is_a_temperature(row, constant, factor):
    np.testing.assert_array_equal(softmax(add_to_scores(row, constant)), softmax(row))
    np.testing.assert_array_equal(softmax(multiply_scores(row, factor)), softmax(row, beta=factor))


def test_a_factor_of_0_makes_all_scores_equal_and_leaves_masked_ones_masked():
    np.testing.assert_array_equal(multiply_scores([3, -2, -INF], 0), [0, 0, -INF])
    np.testing.assert_array_equal(multiply_scores([[1, -INF], [0, 2]], -1), [[-1, -INF], [0, -2]])


def test_a_result_beyond_float64_is_refused_with_what_was_asked():
    with pytest.raises(ValueError, match=r"adding 1e\+308 makes a score too large for float64"):
        add_to_scores([1e308, 0], 1e308)
    with pytest.raises(ValueError, match=r"adding -1e\+308 makes a score too large"):
        add_to_scores([-1e308, 0], -1e308)  # -inf would mask the key in silence
    with pytest.raises(ValueError, match="multiplying by -10 makes a score too large"):
        multiply_scores([1e308, 0], -10)


def test_neither_changes_what_it_is_given():
    scores = np.array([1.0, -INF])
    add_to_scores(scores, 1)
    multiply_scores(scores, 2)
    naive_exps(scores)
    row_checks(scores)
    np.testing.assert_array_equal(scores, [1, -INF])


# -- two keys -------------------------------------------------------------------------------------


@seeded
@given(rows(min_size=2, elements=st.floats(-50, 50)), st.floats(0, 3), st.data())
def test_the_ratio_of_two_weights_is_the_exponential_of_beta_times_their_gap(row, beta, data):
    seen = [j for j, score in enumerate(row) if score != -INF]
    first, second = data.draw(st.sampled_from(seen)), data.draw(st.sampled_from(seen))
    found = pair_ratio(softmax_steps(row, beta=beta), first, second, beta=beta)
    assert found.gap == row[first] - row[second]
    assert found.exponent == beta * found.gap
    assert found.ratio == np.exp(found.exponent)
    assert found.measured == pytest.approx(found.ratio, rel=1e-12)


def test_the_golden_ratio_of_the_tied_scores_is_found_both_ways():
    (case,) = (case for case in GOLDEN["softmax"] if "first_over_last" in case)
    found = pair_ratio(softmax_steps(case["scores"]), 0, 3)
    assert found.gap == 4
    for value in (found.ratio, found.measured):
        assert value == pytest.approx(case["first_over_last"], rel=1e-14)


def test_an_underflowed_weight_cannot_be_divided_by_and_a_large_ratio_is_infinite():
    steps = softmax_steps([0, -800])
    found = pair_ratio(steps, 0, 1)
    assert found.ratio == INF
    assert math.isnan(found.measured)
    found = pair_ratio(steps, 1, 0)
    assert (found.ratio, found.measured) == (0, 0)
    found = pair_ratio(softmax_steps([1.7e308, -1.7e308]), 0, 1)
    assert (found.gap, found.ratio) == (INF, INF)


# -- axis, entropies, naive exponentials ----------------------------------------------------------


def test_the_axis_of_beta_has_its_ends_and_equal_factors_between():
    axis = beta_axis(0.01, 100, 81)
    assert (axis[0], axis[-1], len(axis)) == (0.01, 100, 81)
    assert axis[40] == pytest.approx(1, rel=1e-15)
    np.testing.assert_allclose(axis[1:] / axis[:-1], 10**0.05, rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 64])
def test_equal_weights_have_the_largest_entropy(n):
    assert max_entropy(n) == pytest.approx(entropy(np.full(n, 1 / n)), abs=1e-15)
    assert max_entropy(n) == math.log(n)


def test_the_entropy_of_every_query_is_that_of_its_weights_and_none_without_a_key():
    scores = [[2, 1, 0], [-INF, -INF, -INF], [0, -INF, 0]]
    steps = softmax_steps(scores, empty="nan")
    np.testing.assert_array_equal(
        row_entropies(steps),
        [entropy(softmax([2, 1, 0])), math.nan, entropy(softmax([0, -INF, 0]))],
    )
    nothing = softmax_steps([[-INF, -INF]], empty="nan")
    np.testing.assert_array_equal(row_entropies(nothing), [math.nan])


def test_naive_exponentials_overflow_and_underflow_as_float64_does():
    np.testing.assert_array_equal(
        naive_exps([0, 1, -INF, 709.79, -800]), [1, np.exp(1.0), 0, INF, 0]
    )
    assert np.isfinite(naive_exps([709.78])).all()
