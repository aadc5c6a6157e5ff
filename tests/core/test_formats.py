"""Formats against exact fractions, and the steps of softmax in them."""

import math
import warnings
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest

from attnviz import softmax
from attnviz.core.formats import (
    FORMATS,
    error_in_ulps,
    first_fault,
    format_steps,
    log_sum_exp,
    reference_weights,
    rounded,
    underflowed,
)

INF, NAN = np.inf, np.nan
SMALL = ("float16", "bfloat16", "float32")
TOPS = {"float16": 15, "bfloat16": 127, "float32": 127, "float64": 1023}


def exactly_rounded(x, digits, top):
    """Round a number with fractions alone: the nearest multiple of the unit, ties to even."""
    if not math.isfinite(x) or x == 0:
        return float(x)
    size = abs(Fraction(x))
    power = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** power > size:
        power -= 1
    unit = Fraction(2) ** (max(power, 1 - top) - digits + 1)
    whole = round(size / unit) * unit  # Python rounds a halfway Fraction to even
    return math.copysign(INF if whole >= Fraction(2) ** (top + 1) else float(whole), x)


def same(got, expected):
    """Equal to the last bit, with the sign of 0; NaN equals NaN."""
    a, b = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    signs = np.signbit(a) == np.signbit(b)
    return np.array_equal(a, b, equal_nan=True) and bool((signs | np.isnan(a)).all())


def hard_numbers(name):
    """Numbers of every size, and numbers at, beside and halfway between those of a format."""
    rng = np.random.default_rng(20260802)
    kind = FORMATS[name]
    low = math.log2(kind.smallest_subnormal) - 4
    wide = np.ldexp(rng.uniform(1, 2, 900), rng.integers(low, TOPS[name] + 3, 900))
    own = rounded(wide, name)
    own = np.append(own[np.isfinite(own)], [0.0, kind.smallest_subnormal, kind.smallest_normal])
    _, exponents = np.frexp(own)
    unit = np.ldexp(1.0, np.maximum(exponents - 1, 1 - TOPS[name]) - kind.significand_digits + 1)
    half = own + unit / 2
    top = kind.largest + np.ldexp(1.0, TOPS[name] - kind.significand_digits)  # where inf begins
    edges = np.array([kind.largest, top, np.nextafter(top, 0), 1e308, 5e-324, 2.3e-310])
    sides = [np.nextafter(half, INF), np.nextafter(half, 0)]
    every = np.concatenate([wide, own, half, *sides, edges])
    return np.concatenate([every, -every])


@pytest.mark.parametrize("name", SMALL)
def test_rounding_is_that_of_exact_fractions(name):
    numbers = hard_numbers(name)
    digits = FORMATS[name].significand_digits
    expected = [exactly_rounded(x, digits, TOPS[name]) for x in numbers.tolist()]
    assert len(numbers) > 7000
    assert same(rounded(numbers, name), expected)
    assert 4 <= np.isinf(expected).sum() < len(numbers) / 10


def test_rounding_to_float64_changes_nothing():
    numbers = np.array([1 / 3, 5e-324, -0.0, INF, -INF, NAN])
    assert same(rounded(numbers, "float64"), numbers)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (1 / 3, 0.333984375),  # 171 / 512
        (1e-40, 2.0**-133),  # 1.089 of the smallest number
        (2.0**-134, 0.0),  # half the smallest number: to even
        (-(2.0**-134), -0.0),
        (3 * 2.0**-134, 2.0**-132),  # halfway between 1 and 2 units: to even
        (3.3895e38, 3.3895313892515355e38),  # (2 - 2^-7) 2^127
        (2.0**128 - 2.0**119, INF),  # halfway between the largest and 2^128
        (2.0**128 - 2.0**119 - 2.0**75, 3.3895313892515355e38),
        (3.4028235e38, INF),  # the largest float32
        (1 + 2.0**-8, 1.0),  # halfway, to even
        (1 + 3 * 2.0**-8, 1 + 2.0**-6),  # halfway, to even
        (1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-7),  # through float32 this would be 1
        (0.0, 0.0),
        (-0.0, -0.0),
        (-INF, -INF),
        (NAN, NAN),
    ],
)
def test_bfloat16_of_known_numbers(x, expected):
    assert same(rounded([x], "bfloat16"), [expected])


def test_rounding_takes_any_shape_and_changes_nothing_it_was_given():
    x = np.full((2, 3), 1 / 3)
    assert rounded(x, "float16").shape == (2, 3)
    assert (x == 1 / 3).all()
    assert rounded(1 / 3, "float16") == 0.333251953125
    assert rounded([], "bfloat16").shape == (0,)


@pytest.mark.parametrize("name", ["half", "FLOAT16", None])
def test_an_unknown_format_is_named(name):
    for call in (
        lambda: rounded([1.0], name),
        lambda: format_steps([1.0], name, stable=True),
        lambda: error_in_ulps([1.0], [Decimal(1)], name),
    ):
        with pytest.raises(ValueError, match=r"name must be one of float16, .*; got"):
            call()


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_what_is_told_of_a_format_is_what_numpy_tells(name):
    told, numpy = FORMATS[name], np.finfo(name)
    assert told.name == name
    assert told.bits == numpy.bits
    assert told.significand_digits == numpy.nmant + 1
    assert told.largest == float(numpy.max)
    assert told.smallest_normal == float(numpy.smallest_normal)
    assert told.smallest_subnormal == float(numpy.smallest_subnormal)


def test_bfloat16_has_the_range_of_float32_and_8_digits():
    told = FORMATS["bfloat16"]
    assert (told.bits, told.significand_digits) == (16, 8)
    assert told.largest == float.fromhex("0x1.fep127")
    assert told.smallest_normal == FORMATS["float32"].smallest_normal
    assert told.smallest_subnormal == 2.0**-133


@pytest.mark.parametrize(
    ("name", "first", "own"),
    [  # ln of (2 - 2^-p) 2^top, 40-digit arithmetic; and the number of the format above it
        ("float16", 11.0901107185269527, 11.09375),
        ("bfloat16", 88.7208840768372185, 89.0),
        ("float32", 88.7228390818706856, 88.72283935546875),
        ("float64", 709.782712893384, 709.782712893384),
    ],
)
def test_the_first_overflow_is_where_exp_begins_to_be_infinite(name, first, own):
    told = FORMATS[name]
    assert abs(told.first_overflow - first) <= 2 * np.spacing(first)
    for x in (told.first_overflow, told.first_own_overflow):
        with np.errstate(over="ignore"):
            assert np.isinf(rounded(np.exp(np.array([x])), name)[0])
    below = np.nextafter(told.first_overflow, 0)
    last = rounded(np.exp(np.array([below])), name)[0]
    assert last == told.largest if name != "float64" else np.isfinite(last)
    assert told.first_own_overflow == rounded(told.first_own_overflow, name)
    assert abs(told.first_own_overflow - own) <= 2 * np.spacing(own) * (name == "float64")
    assert first_fault(format_steps([own], name, stable=False)) is not None or name == "float64"


def test_naive_float16_overflows_in_exp_and_stable_does_not():
    naive = format_steps([12, 11, -INF], "float16", stable=False)
    assert same(naive.shifted, [12, 11, -INF])
    assert same(naive.exps, [INF, 59872, 0])  # e^11 = 59874.14; the spacing there is 32
    assert naive.total == INF
    assert same(naive.weights, [NAN, 0, 0])
    stable = format_steps([12, 11, -INF], "float16", stable=True)
    assert same(stable.shifted, [0, -1, -INF])
    assert same(stable.exps, [1, 0.367919921875, 0])  # 1507 / 4096; e^-1 = 0.367879
    assert stable.total == 1.3681640625  # 1.36792 is 1400.75 / 1024
    assert same(stable.weights, [0.73095703125, 0.268798828125, 0])
    assert (stable.name, stable.stable, naive.stable) == ("float16", True, False)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("stable", [True, False])
def test_every_step_is_one_rounded_operation_on_the_step_before(name, stable):
    rng = np.random.default_rng(3)
    digits, top = FORMATS[name].significand_digits, TOPS[name]
    for _ in range(40):
        given = rng.uniform(-8, 8, rng.integers(1, 9))
        steps = format_steps(given, name, stable=stable)
        scores = [exactly_rounded(x, digits, top) for x in given.tolist()]
        assert same(steps.scores, scores)
        largest = Fraction(max(scores)) if stable else 0
        exact = [exactly_rounded(Fraction(x) - largest, digits, top) for x in scores]
        assert same(steps.shifted, exact)
        total = 0.0
        for e, z in zip(steps.exps.tolist(), steps.shifted.tolist(), strict=True):
            assert abs(e - exactly_rounded(math.exp(z), digits, top)) <= np.spacing(e)
            assert e == exactly_rounded(e, digits, top)
            total = exactly_rounded(Fraction(total) + Fraction(e), digits, top)
        assert steps.total == total
        for e, w in zip(steps.exps.tolist(), steps.weights.tolist(), strict=True):
            assert w == exactly_rounded(Fraction(e) / Fraction(total), digits, top)


def test_a_sum_in_bfloat16_stands_still_at_256():
    steps = format_steps(np.zeros(300), "bfloat16", stable=True)
    assert steps.total == 256  # 256 + 1 is halfway between 256 and 258, and 256 is the even one
    assert steps.weights[0] == 1 / 256


def test_the_sum_is_taken_in_order():
    large_first = format_steps([0, *[math.log(2.0**-9)] * 8], "bfloat16", stable=True)
    large_last = format_steps([*[math.log(2.0**-9)] * 8, 0], "bfloat16", stable=True)
    assert large_first.total == 1.0  # each 2^-9 is less than half the spacing
    assert large_last.total == 1 + 2.0**-6


def test_stable_float64_steps_are_softmax():
    rng = np.random.default_rng(4)
    for _ in range(50):
        scores = rng.normal(0, 20, 7)
        weights = format_steps(scores, "float64", stable=True).weights
        assert np.abs(weights - softmax(scores)).max() <= 2.0**-51


def test_the_first_fault_is_found_where_it_is_born():
    assert first_fault(format_steps([1, 12, 13], "float16", stable=False)) == ("exps", (1, 2))
    assert first_fault(format_steps([11, 11], "float16", stable=False)) == ("total", ())
    assert first_fault(format_steps([-30, -30], "float16", stable=False)) == ("weights", (0, 1))
    assert first_fault(format_steps([0, 70000], "float16", stable=True)) == ("scores", (1,))
    assert first_fault(format_steps([6e4, -6e4], "float16", stable=True)) == ("shifted", (1,))
    assert first_fault(format_steps([-INF, -INF], "float32", stable=True)) == ("shifted", (0, 1))
    assert first_fault(format_steps([-INF, -INF], "float32", stable=False)) == ("weights", (0, 1))
    for stable in (True, False):
        assert first_fault(format_steps([1, -INF, 2], "float16", stable=stable)) is None


def test_underflowed_names_allowed_keys_only_and_not_those_divided_by_infinity():
    assert underflowed(format_steps([0, -INF, -20], "float16", stable=True)) == (2,)
    assert underflowed(format_steps([0, -17], "float16", stable=True)) == ()  # 2^-24
    assert underflowed(format_steps([12, 0, -20], "float16", stable=False)) == (2,)
    assert underflowed(format_steps([0, -1e9], "float16", stable=True)) == (1,)
    assert underflowed(format_steps([0, -100], "bfloat16", stable=True)) == (1,)
    assert underflowed(format_steps([0, -100], "float64", stable=True)) == ()


def test_nothing_warns_whatever_happens():
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for name in FORMATS:
            rounded([1e308, 1e-320, INF, NAN, -0.0], name)
            for stable in (True, False):
                for scores in ([1e308, -1e308], [-INF], [1e5, 0], [-1e5, -1e5], [1e-320, 0]):
                    steps = format_steps(scores, name, stable=stable)
                    first_fault(steps)
                    underflowed(steps)


def test_steps_cannot_be_written_to_and_the_input_is_not_changed():
    scores = np.array([1.0, 2.0, 1 / 3])
    steps = format_steps(scores, "float64", stable=False)
    for step in (steps.scores, steps.shifted, steps.exps, steps.weights, steps.allowed):
        assert not step.flags.writeable
    assert scores.flags.writeable
    assert same(scores, [1, 2, 1 / 3])


@pytest.mark.parametrize("scores", [[], [[1, 2]], [NAN, 1], [INF, 1], ["a"], 3])
def test_what_is_not_a_row_of_scores_is_refused(scores):
    for call in (
        lambda: format_steps(scores, "float16", stable=True),
        lambda: reference_weights(scores),
        lambda: log_sum_exp(scores),
    ):
        with pytest.raises(ValueError, match="scores"):
            call()


def test_reference_weights_are_right_to_40_digits():
    # e / (1 + e), from e to 50 digits
    e = Decimal("2.7182818284590452353602874713526624977572470936999")
    before = getcontext().prec
    getcontext().prec = 45
    try:
        expected = e / (1 + e)
    finally:
        getcontext().prec = before
    got = reference_weights([1, 0, -INF])
    assert abs(got[0] - expected) < Decimal("1e-40")
    assert len(got[0].as_tuple().digits) == 40
    assert got[2] == 0


def test_reference_weights_take_floats_as_they_are_and_leave_decimal_as_it_was():
    before = getcontext().copy()
    third, half = reference_weights([1e300, 1e300, 0.1])[1:], Decimal("0.5")
    assert third[0] == half
    assert 0 <= third[1] < Decimal("1e-1000000")
    assert repr(getcontext()) == repr(before)
    with pytest.raises(ValueError, match="-inf in the only row"):
        reference_weights([-INF, -INF])


def test_softmax_is_within_a_few_units_of_the_reference():
    scores = [0.3, -4, 2.5, -30]
    assert error_in_ulps(softmax(scores), reference_weights(scores), "float64").max() < 4


def test_errors_are_counted_in_the_last_place_at_the_reference():
    unit = 2.0**-11  # spacing of float16 from 0.5 to 1
    got = error_in_ulps(
        [0.75 + unit, 0.75, 0.5], [Decimal("0.75")] * 2 + [Decimal("0.5")], "float16"
    )
    assert same(got, [1, 0, 0])
    below = Decimal("0.5") - Decimal(2.0**-60)  # float() rounds it to 0.5; its spacing is 2^-12
    assert error_in_ulps([0.5 + unit], [below], "float16").round(6) == [2.0]


def test_errors_below_the_smallest_normal_number_count_subnormal_spacings():
    unit = FORMATS["float16"].smallest_subnormal
    exact = [Decimal(3 * unit), Decimal(0), Decimal("1e-5000")]
    assert error_in_ulps([unit, 2 * unit, 0], exact, "float16").tolist() == [2, 2, 0]
    assert error_in_ulps([5e-324], [Decimal(0)], "float64") == [1]


def test_a_weight_that_is_no_number_has_an_infinite_error():
    exact = [Decimal(1)] * 3
    assert error_in_ulps([NAN, INF, -INF], exact, "float32").tolist() == [INF] * 3


def test_errors_want_two_rows_of_one_length():
    with pytest.raises(ValueError, match="equally long; got 2 and 1"):
        error_in_ulps([0.5, 0.5], [Decimal(1)], "float32")


@pytest.mark.parametrize("name", SMALL)
def test_a_correctly_rounded_reference_is_within_half_a_unit(name):
    exact = reference_weights(np.random.default_rng(5).normal(0, 4, 20))
    errors = error_in_ulps(rounded([float(w) for w in exact], name), exact, name)
    assert 0.1 < errors.max() <= 0.5


def test_log_sum_exp_does_not_overflow_and_ignores_hidden_keys():
    assert log_sum_exp([1000, 1000, -INF]) == 1000 + math.log(2)
    assert log_sum_exp([-1000, -1000]) == -1000 + math.log(2)
    assert log_sum_exp([3]) == 3
    assert abs(log_sum_exp([2, 1, 0]) - math.log(math.e**2 + math.e + 1)) < 1e-15
