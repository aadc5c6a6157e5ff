import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import hard_max, log_softmax, naive_softmax, rows_normalised, softmax
from tests.core.cases import GOLDEN, betas, number, rows, seeded

INF = math.inf
CLOSE = dict(rtol=4e-16, atol=4e-16)


# Golden values (40-digit arithmetic)


@pytest.mark.parametrize("case", GOLDEN["softmax"], ids=lambda case: case["name"])
def test_weights_are_the_golden_ones(case):
    scores = [number(score) for score in case["scores"]]
    weights = softmax(scores, beta=case.get("beta", 1))
    np.testing.assert_allclose(weights, case["weights"], **CLOSE)
    if "first_over_last" in case:
        assert weights[0] / weights[-1] == pytest.approx(case["first_over_last"], rel=1e-15)
    if "naive" in case:
        assert np.isnan(naive_softmax(scores)).all()


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_naive_softmax_first_overflows_at_the_golden_score_of_its_format(name):
    first = GOLDEN["first_overflow_of_exp"][name]
    scores = np.array([first, 0], dtype=name)
    assert naive_softmax(scores).dtype == name
    assert np.isnan(naive_softmax(scores)[0])
    assert naive_softmax(np.array([first - 0.01, 0], dtype=name))[0] == 1


# Faults that real software had


def test_a_row_of_only_minus_infinity_is_refused_not_nan_and_not_uniform():
    with pytest.raises(ValueError, match="every entry is -inf"):
        softmax([-INF, -INF, -INF])


def test_one_dead_row_among_live_ones_is_named():
    with pytest.raises(ValueError, match=r"every entry is -inf in row 1 \("):
        softmax([[0, 1], [-INF, -INF], [2, 2]])


def test_a_dead_column_is_named_when_the_weights_run_down_columns():
    with pytest.raises(ValueError, match=r"in column 1 \("):
        softmax([[0, -INF], [1, -INF]], axis=0)


def test_many_dead_rows_are_counted_not_listed_without_end():
    with pytest.raises(ValueError, match="rows 0, 1, 2, 3, 4 and 35 more"):
        softmax(np.full((40, 2), -INF))


def test_a_dead_row_of_a_stack_is_named_by_its_indices():
    x = np.zeros((2, 3, 4))
    x[1, 2] = -INF
    with pytest.raises(ValueError, match=r"row \(1, 2\)"):
        softmax(x)


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([0, -INF], [1.0, 0.0]),
        ([1, 2, -INF], [0.2689414213699951, 0.7310585786300049, 0.0]),
        ([-INF, 0, -INF], [0.0, 1.0, 0.0]),
    ],
)
def test_minus_infinity_gets_exactly_zero_with_no_epsilon(scores, weights):
    result = softmax(scores)
    np.testing.assert_allclose(result, weights, **CLOSE)
    assert all(result[i] == 0 for i, score in enumerate(scores) if score == -INF)


@pytest.mark.parametrize("scores", [[0, INF], [INF, 0, INF]])
def test_plus_infinity_is_refused_with_its_position(scores):
    at = scores.index(INF)
    with pytest.raises(ValueError, match=rf"\+inf at position {at} \("):
        softmax(scores)


def test_nan_is_refused_with_its_place_and_never_spreads_over_half_a_row():
    with pytest.raises(ValueError, match=r"NaN in row 0, column 1 \("):
        softmax([[0, math.nan, 2], [1, 1, -INF]])


def test_large_scores_stay_right_where_the_naive_formula_gives_nan():
    weights = softmax([1000.0, 1000.25, 3.0])
    np.testing.assert_allclose(weights, [0.4378234991142019, 0.5621765008857981, 0.0], **CLOSE)
    assert weights[2] == 0
    assert np.isnan(naive_softmax([1000.0, 1000.25, 3.0])).any()


def test_naive_and_stable_agree_on_moderate_scores():
    expected = [0.1752903921400367, 0.03911257327068745, 0.7855970345892759]
    np.testing.assert_allclose(softmax([0.5, -1, 2]), expected, **CLOSE)
    np.testing.assert_allclose(naive_softmax([0.5, -1, 2]), expected, **CLOSE)


def test_naive_softmax_of_only_minus_infinity_is_honestly_nan():
    assert np.isnan(naive_softmax([-INF, -INF])).all()


def test_huge_scores_keep_the_digits_that_float64_can_hold():
    np.testing.assert_array_equal(log_softmax([1e8, 1e8]), [-0.6931471805599453] * 2)
    np.testing.assert_allclose(
        softmax([1e16, 1e16 + 2]), [0.11920292202211756, 0.8807970779778824], **CLOSE
    )
    np.testing.assert_array_equal(softmax([1e16, 1e16 + 1]), [0.5, 0.5])


@pytest.mark.parametrize("scores", [[1, 2, 3], np.array([1, 2, 3])])
def test_integer_scores_are_computed_as_float64_and_left_as_they_were(scores):
    weights = softmax(scores)
    np.testing.assert_allclose(
        weights, [0.09003057317038046, 0.24472847105479764, 0.6652409557748219], **CLOSE
    )
    assert weights.dtype == np.float64
    assert list(scores) == [1, 2, 3]


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        (np.array([0, 255], np.uint8), [1.7984862202794635e-111, 1.0]),
        (np.array([-128, 127], np.int8), [1.7984862202794635e-111, 1.0]),
        (np.array([True, False]), [0.7310585786300049, 0.2689414213699951]),
    ],
)
def test_small_integers_and_booleans_do_not_wrap_around(scores, weights):
    result = softmax(scores)
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, weights, rtol=1e-15)


@pytest.mark.parametrize("axis", [-1, 1])
def test_weights_run_along_the_rows_by_default(axis):
    row = [0.2689414213699951, 0.7310585786300049]
    np.testing.assert_allclose(softmax([[1, 2], [3, 4]], axis=axis), [row, row], **CLOSE)


def test_axis_0_normalises_columns_and_a_middle_axis_works():
    weights = softmax([[1, 2], [3, 4]], axis=0)
    np.testing.assert_allclose(weights[0], [0.11920292202211756] * 2, **CLOSE)
    np.testing.assert_allclose(weights[1], [0.8807970779778824] * 2, **CLOSE)
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    for function in (softmax, hard_max, naive_softmax):
        assert function(x, axis=1).shape == (2, 3, 4)
        np.testing.assert_allclose(function(x, axis=1).sum(axis=1), 1, atol=1e-12)


def test_an_axis_that_is_not_there_is_an_axis_error():
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        softmax([[1, 2], [3, 4]], axis=2)


def test_a_single_key_is_1_but_still_checked():
    np.testing.assert_array_equal(softmax([[5], [-7]]), [[1.0], [1.0]])
    for bad in (math.nan, -INF):
        with pytest.raises(ValueError, match="row 0"):
            softmax([[bad]])


def test_a_number_without_an_axis_is_refused_in_words():
    with pytest.raises(ValueError, match="no axis"):
        softmax(3.0)


@pytest.mark.parametrize("function", [softmax, log_softmax, naive_softmax, hard_max])
@pytest.mark.parametrize("scores", [[], np.empty((3, 0))])
def test_an_empty_row_is_refused_as_empty_and_not_as_masked(function, scores):
    with pytest.raises(ValueError, match="empty row"):
        function(scores)


@pytest.mark.parametrize("function", [softmax, log_softmax, naive_softmax, hard_max])
def test_a_batch_of_no_rows_comes_back_empty(function):
    assert function(np.empty((0, 3))).shape == (0, 3)
    assert function(np.empty((0, 3)), axis=-1).dtype == np.float64
    assert function(np.empty((3, 0)), axis=0).shape == (3, 0)


def test_float16_rows_do_not_sum_to_infinity():
    weights = softmax(np.zeros(100000, np.float16))
    assert weights.dtype == np.float64
    assert weights[0] == pytest.approx(1e-05, rel=1e-12)
    assert weights.sum() == pytest.approx(1, abs=1e-9)
    other = softmax(np.linspace(-4, 4, 4096).astype(np.float16))
    assert other.sum() == pytest.approx(1, abs=1e-9)
    assert np.all(naive_softmax(np.zeros(100000, np.float16)) == 0)  # as it really fails


def test_a_large_constant_mask_value_on_a_whole_row_hides_nothing():
    scores = np.array([1.0, 2.0])
    expected = [0.2689414213699951, 0.7310585786300049]
    np.testing.assert_allclose(softmax(scores - 1e9), expected, **CLOSE)
    np.testing.assert_array_equal(softmax(scores + np.finfo(float).min), [0.5, 0.5])
    with pytest.raises(ValueError, match="every entry is -inf"):
        softmax(scores - INF)


def test_a_mask_value_of_the_wrong_size_is_arithmetic_not_a_mask():
    np.testing.assert_allclose(softmax([2, 2 - 1e-9]), [0.50000000025, 0.49999999975], atol=1e-16)


def test_masking_before_the_softmax_keeps_a_large_hidden_score_out():
    np.testing.assert_array_equal(softmax([-INF, 0, 0]), [0.0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("scores", "weights"),
    [([1, 1, 0], [0.5, 0.5, 0]), ([0, 0, 0], [1 / 3] * 3), ([[-INF, 2]], [[0, 1]])],
)
def test_the_limit_of_zero_temperature_shares_between_ties(scores, weights):
    np.testing.assert_array_equal(hard_max(scores), weights)


def test_a_tiny_temperature_does_not_turn_into_nan():
    np.testing.assert_array_equal(softmax([2, 4, 3], beta=1e308), [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(softmax([2, 4, 3], beta=1 / 1e-308), [0.0, 1.0, 0.0])


def test_scores_whose_difference_overflows_are_scaled_first():
    expected = [0.8807970779778824, 0.11920292202211756]
    np.testing.assert_allclose(softmax([1e308, -1e308], beta=1 / 1e308), expected, **CLOSE)
    np.testing.assert_array_equal(softmax([1e308, -1e308], beta=1e10), [1, 0])
    np.testing.assert_array_equal(softmax([1e308, -1e308], beta=0), [0.5, 0.5])
    assert log_softmax([1e308, -1e308], beta=1e-308)[1] == pytest.approx(-2.126928011042973)


def test_temperature_works_on_scores_and_log_weights_but_not_on_weights():
    expected = [0.8668133321973349, 0.11731042782619837, 0.015876239976466765]
    np.testing.assert_allclose(softmax([2, 1, 0], beta=2), expected, **CLOSE)
    np.testing.assert_allclose(softmax(log_softmax([2, 1, 0]), beta=2), expected, atol=1e-15)
    wrong = [0.5721570654440248, 0.24675318207652608, 0.18108975247944917]
    np.testing.assert_allclose(softmax(softmax([2, 1, 0]), beta=2), wrong, atol=1e-15)


def test_three_equal_scores_are_all_digits_of_a_third():
    assert softmax([0, 0, 0]).tolist() == [1 / 3] * 3


def test_log_softmax_is_right_where_softmax_underflows_or_rounds_to_1():
    np.testing.assert_array_equal(log_softmax([0, -2000, -INF]), [0, -2000, -INF])
    assert log_softmax([0, -100])[0] == pytest.approx(-math.exp(-100), rel=1e-15)
    assert log_softmax([3, 3, 3], beta=0).tolist() == [pytest.approx(-math.log(3))] * 3


# What is refused


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize(
    "beta", [-1, -1e-300, math.nan, INF, "1", None, 1j, [1.0], np.ones(2), 10**400]
)
def test_a_beta_that_is_no_finite_number_of_0_or_more_is_refused(function, beta):
    with pytest.raises(ValueError, match="beta"):
        function([1, 2], beta=beta)


@pytest.mark.parametrize("beta", [np.float32(2), np.array(2), np.int64(2), 2])
def test_a_beta_may_be_any_one_real_number(beta):
    np.testing.assert_array_equal(softmax([1, 2], beta=beta), softmax([1, 2], beta=2.0))


@pytest.mark.parametrize("function", [softmax, log_softmax, naive_softmax, hard_max])
@pytest.mark.parametrize(
    ("x", "words"),
    [
        (["1", "2"], "text"),
        ([1, "2"], "text"),
        ([b"1"], "bytes"),
        ([1j, 2], "complex"),
        ([None, 1], "NoneType None"),
        (np.array([1, "2"], dtype=object), "str '2'"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "datetime64"),
        ([[1, 2], [3]], "equal length"),
        (np.ma.masked_array([1, 2], [True, False]), "masked array"),
        ([10**400, 1], "outside float64"),
    ],
)
def test_input_that_is_not_rows_of_real_numbers_is_refused(function, x, words):
    with pytest.raises(ValueError, match=words):
        function(x)


def test_a_long_double_beyond_float64_is_refused_not_made_infinite():
    big = np.array([np.finfo(np.longdouble).max, 0])
    if np.finfo(np.longdouble).max == np.finfo(float).max:
        pytest.skip("long double is float64 here")
    for x in (big, -big):
        with pytest.raises(ValueError, match="outside float64"):
            softmax(x)


def test_big_integers_and_fractions_are_numbers():
    from fractions import Fraction

    np.testing.assert_array_equal(softmax([10**20, 0]), [1, 0])
    np.testing.assert_array_equal(softmax([Fraction(1, 3), 0]), softmax([1 / 3, 0]))


# Properties


@seeded
@given(rows(), betas)
def test_rows_sum_to_1_and_weights_lie_between_0_and_1(row, beta):
    weights = softmax(row, beta=beta)
    assert weights.sum() == pytest.approx(1, abs=1e-15 * len(row))
    assert ((weights >= 0) & (weights <= 1)).all()


@seeded
@given(rows(), betas)
def test_hidden_keys_get_exactly_0_and_leaving_them_out_changes_nothing(row, beta):
    weights = softmax(row, beta=beta)
    kept = [i for i, score in enumerate(row) if score != -INF]
    assert all(weights[i] == 0 for i in range(len(row)) if i not in kept)
    np.testing.assert_allclose(weights[kept], softmax([row[i] for i in kept], beta=beta), **CLOSE)


@seeded
@given(rows(elements=st.integers(-(2**20), 2**20)), st.integers(-(2**30), 2**30), betas)
def test_a_constant_shift_changes_nothing(row, constant, beta):
    shifted = [score + constant for score in row]  # whole numbers: the sums are exact
    np.testing.assert_array_equal(softmax(shifted, beta=beta), softmax(row, beta=beta))


@seeded
@given(rows(), betas, st.randoms(use_true_random=False))
def test_permuting_keys_permutes_weights(row, beta, random):
    order = random.sample(range(len(row)), len(row))
    permuted = softmax([row[i] for i in order], beta=beta)
    np.testing.assert_allclose(permuted, softmax(row, beta=beta)[order], **CLOSE)


@seeded
@given(rows())
def test_beta_to_0_tends_to_uniform_over_the_allowed(row):
    allowed = np.array(row) != -INF
    uniform = allowed / allowed.sum()
    np.testing.assert_array_equal(softmax(row, beta=0), uniform)
    np.testing.assert_allclose(softmax(row, beta=1e-12), uniform, atol=1e-5)


@seeded
@given(rows(elements=st.integers(-50, 50)))
def test_beta_to_infinity_tends_to_hard_max(row):
    np.testing.assert_allclose(softmax(row, beta=1e3), hard_max(row), atol=1e-15)


@seeded
@given(rows(), st.floats(1e-3, 1e3))
def test_a_larger_score_never_has_a_smaller_weight(row, beta):
    order = np.argsort(row)
    assert (np.diff(softmax(row, beta=beta)[order]) >= 0).all()


@seeded
@given(rows(elements=st.floats(-300, 300)), st.floats(1e-3, 1))
def test_log_softmax_is_the_logarithm_of_softmax(row, beta):
    with np.errstate(divide="ignore"):
        logs = np.log(softmax(row, beta=beta))
    np.testing.assert_allclose(log_softmax(row, beta=beta), logs, rtol=1e-13, atol=1e-15)
    assert (log_softmax(row, beta=beta) <= 0).all()


@pytest.mark.parametrize("function", [softmax, log_softmax, naive_softmax])
@pytest.mark.parametrize("seed", range(20))
def test_a_row_gets_the_same_weights_to_the_last_digit_alone_and_in_any_matrix(function, seed):
    matrix = np.random.default_rng(seed).normal(size=(3, 40))  # many terms: the order of adding
    alone = function(matrix[2])
    for result in (
        function(matrix),
        function(np.asfortranarray(matrix)),
        function(matrix.T, axis=0).T,
        function(np.stack([matrix, matrix], axis=-1), axis=1)[..., 1],
        function(np.tile(matrix, 2)[:, :40]),
        function(matrix[::-1])[::-1],
    ):
        np.testing.assert_array_equal(result[2], alone)


@pytest.mark.parametrize("function", [softmax, log_softmax, naive_softmax, hard_max])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64])
def test_the_input_is_never_changed_and_never_shared(function, dtype):
    x = np.array([[1, 2, 3], [3, 2, 1]], dtype=dtype)
    before = x.copy()
    result = function(x)
    result[:] = 7
    function(x, axis=0)
    np.testing.assert_array_equal(x, before)
    assert x.dtype == dtype


@pytest.mark.parametrize("function", [softmax, log_softmax, hard_max])
def test_no_warning_escapes_even_when_numpy_is_set_to_raise(function):
    with np.errstate(all="raise"):
        function([0, -1e4, -INF])
        function([[1e308, -1e308], [5e-324, 0]])
        naive_softmax([1e4, -1e4, INF])


# rows_normalised


def test_rows_normalised_is_a_plain_bool_that_nan_cannot_pass():
    assert rows_normalised([[math.nan, 1.0]]) is False
    assert rows_normalised([[INF, -INF]]) is False
    assert rows_normalised([[INF, 1]]) is False
    assert rows_normalised([[1e308, 1e308]]) is False
    assert rows_normalised([[0.0, 0.0]]) is False
    assert rows_normalised(np.empty((3, 0))) is False
    assert rows_normalised([[0.5, 0.5], [1, 0]]) is True


def test_rows_normalised_checks_sums_only_and_no_rows_are_fine():
    assert rows_normalised([[1.5, -0.5]]) is True
    assert rows_normalised(np.empty((0, 3))) is True
    assert rows_normalised([0.25, 0.75]) is True


def test_rows_normalised_takes_a_tolerance():
    rounded = [0.67, 0.24, 0.10]
    assert rows_normalised(rounded) is False
    assert rows_normalised(rounded, tol=0.011) is True
    for tol in (-1, math.nan, "1"):
        with pytest.raises(ValueError, match="tol"):
            rows_normalised(rounded, tol=tol)


@seeded
@given(rows(), betas)
def test_every_softmax_is_normalised(row, beta):
    assert rows_normalised(softmax([row, row], beta=beta))
