from fractions import Fraction

import numpy as np
import pytest

from attnviz.check.outcome import MOST_NUMBERS, packed, unpacked


def test_numbers_come_back_as_they_were():
    value = np.array([[0.1, np.nan], [np.inf, -np.inf]])
    np.testing.assert_array_equal(unpacked(packed(value)).parts[0], value)
    assert unpacked(packed([Fraction(1, 4), 2])).parts[0].tolist() == [0.25, 2.0]
    assert unpacked(packed(np.zeros((0, 3)))).parts[0].shape == (0, 3)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        ("much", "text"),
        ([[1, 2], [3]], "different lengths"),
        (1j, "complex"),
        ((x for x in ()), "generator"),
        (np.zeros(MOST_NUMBERS + 1), "too many"),
        ([0.0] * (MOST_NUMBERS + 1), "too many"),
        ([[0.0] * 200] * 200, "too many"),
        (np.broadcast_to(0.0, (10**6, 10**6)), "too many"),
    ],
)
def test_what_is_not_numbers_is_named(value, words):
    outcome = unpacked(packed(value))
    assert outcome.kind == "strange"
    assert words in outcome.text


def test_a_pair_is_two_matrices_in_a_tuple_and_only_where_one_is_asked_for():
    one = np.ones((1, 2))
    assert len(unpacked(packed((one, one), pair=True)).parts) == 2
    assert len(unpacked(packed((one, one))).parts) == 1
    assert len(unpacked(packed(([1, 2], [3, 4]), pair=True)).parts) == 1
