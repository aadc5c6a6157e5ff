import math
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from attnviz.content.shown import MASKED, UNDERFLOW, clipped, shown, shown_weight
from attnviz.state.numbers import read_number
from tests.state.states import seeded

NOISE = 4e-15  # what a few float64 operations may add, relative


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1, "1"),
        (2.0, "2"),
        (-1.0, "−1"),
        (0.5, "0.5"),
        (0.25, "0.25"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.3"),
        (0.7071067811865475, "0.7071"),
        (-0.7071067811865475, "−0.7071"),
        (0.09003057317038046, "0.0900"),
        (0.00235563308079668, "0.0024"),
        (0.0024, "0.0024"),
        (0.001, "0.001"),
        (0.0009, "9e−4"),
        (0.00012345678, "1.235e−4"),
        (1e-17, "1e−17"),
        (-1e-17, "−1e−17"),
        (5e-324, "4.941e−324"),
        (148.4131591025766, "148.4132"),
        (54.598150033144236, "54.5982"),
        (709.78, "709.78"),
        (1000.0, "1000"),
        (9999999.0, "9999999"),
        (12345678.9, "1.235e+7"),
        (1e7, "1e+7"),
        (1e300, "1e+300"),
        (1.7976931348623157e308, "1.798e+308"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "nan"),
    ],
)
def test_a_number_is_shown_with_four_decimals_or_with_the_digits_it_needs(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.99996, "0.99996"),
        (0.9999999, "0.9999999"),
        (1.00000049, "1.0000005"),
        (-2.00001, "−2.00001"),
        (1 - 2**-40, "0.999999999999"),
        (1 - 2e-13, "1 − 2.0e−13"),
        (1 + 2**-45, "1 + 2.8e−14"),
        (-3 - 2**-45, "−3 − 2.8e−14"),
        (1 - 2**-53, "1"),
        (1 + 2**-52, "1"),
    ],
)
def test_a_number_beside_a_whole_one_is_not_shown_as_it_but_for_the_noise_of_float64(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.03125, "0.0312"),  # exactly half way: to the even digit
        (0.09375, "0.0938"),
        (-0.03125, "−0.0312"),
        (0.00125, "0.0013"),  # the float64 lies above the half
        (1.00005, "1.0001"),  # the float64 lies above the half
        (1.00004, "1.00004"),  # 1.0000 would hide the number
        (2.00015, "2.0002"),  # the float64 lies above the half
    ],
)
def test_a_half_is_rounded_by_the_number_that_float64_really_holds(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0024, 2, "0.002"),
        (0.5972, 2, "0.60"),
        (2.220446049250313e-16, 2, "2.2e−16"),
        (1 / 3, 12, "0.333333333333"),
        (0.9999999999999998, 12, "1"),
        (3.0000000000000004, 12, "3"),
    ],
)
def test_the_number_of_digits_can_be_chosen(value, digits, text):
    assert shown(value, digits) == text


@seeded
@given(
    st.floats(-1.7e308, 1.7e308) | st.floats(-2, 2) | st.floats(-1e8, 1e8),
    st.sampled_from([2, 4, 12]),
)
@example(0.00099999999, 4)
@example(9999999.99999, 4)
@example(0.99995, 4)
@example(-0.0024, 2)
def test_what_is_shown_is_the_number_within_the_promised_rounding(value, digits):
    text = shown(value, digits)
    assume(" " not in text)  # 1 − 2e−15
    read = read_number(text).value
    if value == 0 or not 1e-3 <= abs(value) < 1e7:
        allowed = 0.5000001 * 10.0 ** (1 - digits) * 10 ** math.floor(math.log10(abs(value) or 1))
    else:
        allowed = 0.5000001 * 10.0**-digits
    assert abs(read - value) <= max(allowed, NOISE * abs(value))
    assert math.copysign(1, read) == math.copysign(1, value) or read == value == 0
    assert (read == 0) == (value == 0)


@seeded
@given(st.floats() | st.floats(-1e-3, 1e-3) | st.floats(-3, 3), st.sampled_from([2, 4, 12]))
@example(-0.0, 4)
@example(-1e-320, 4)
def test_zero_has_no_sign_and_nothing_else_is_shown_as_zero(value, digits):
    text = shown(value, digits)
    assert "-" not in text  # a minus is a real minus sign
    assert text != "−0"
    assert bool(re.fullmatch(r"−?0?\.?0*(e.*)?", text)) == (value == 0)
    assert text.startswith("−") == (value < 0)


@seeded
@given(st.integers(-9_999_999, 9_999_999), st.floats(1e-11, 1e-3))
def test_a_whole_number_is_shown_as_such_and_its_neighbours_are_not(whole, apart):
    assert shown(whole) == shown(float(whole)) == str(whole).replace("-", "−")
    if apart > 1e-14 * max(abs(whole), 1):
        assert shown(whole + apart) != shown(whole)


def test_a_weight_says_whether_it_is_masked_underflowed_zero_or_small():
    assert shown_weight(0.0, False) == MASKED
    assert shown_weight(math.nan, False) == MASKED
    assert shown_weight(0.0, True) == UNDERFLOW == "0 (underflow)"
    assert shown_weight(0.0, True, exact=True) == "0"
    assert shown_weight(0.0, False, exact=True) == MASKED
    assert shown_weight(1e-17, True) == "1e−17"
    assert shown_weight(5e-324, True) == "4.941e−324"
    assert shown_weight(0.5972079836232458, True) == "0.5972"
    assert shown_weight(math.nan, True) == "nan"
    assert len({shown_weight(0.0, False), shown_weight(0.0, True), shown_weight(1e-9, True)}) == 3


@pytest.mark.parametrize(
    ("label", "limit", "text"),
    [
        ("the", 24, "the"),
        ("a" * 24, 24, "a" * 24),
        ("a" * 25, 24, "a" * 23 + "…"),
        ("", 24, "∅"),
        (" a", 24, "␣a"),
    ],
)
def test_a_long_label_is_clipped_for_a_sentence(label, limit, text):
    assert clipped(label, limit) == text
    assert clipped("🐈" * 9, 3) == "🐈🐈…"
