"""Softmax with a zero, and sparsemax."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from attnviz import softmax
from attnviz.core.variants import softmax_with_zero, sparsemax

INF, NAN = np.inf, np.nan


def test_softmax_with_zero_worked_by_hand():
    # e^ln 2 = 2, e^ln 5 = 5, and the extra 1: 2/8 and 5/8
    assert softmax_with_zero([math.log(2), math.log(5)]) == pytest.approx([0.25, 0.625], rel=1e-15)
    assert softmax_with_zero([0, -INF, 0]) == pytest.approx([1 / 3, 0, 1 / 3], rel=1e-15)
    assert softmax_with_zero([-INF, -INF]).tolist() == [0.0, 0.0]


def test_softmax_with_zero_is_the_formula_and_sums_to_less_than_1():
    scores = np.random.default_rng(1).normal(0, 3, (50, 5))
    weights = softmax_with_zero(scores)
    exps = np.exp(scores)
    assert np.abs(weights - exps / (1 + exps.sum(axis=-1, keepdims=True))).max() < 1e-15
    assert (weights.sum(axis=-1) < 1).all()


def test_softmax_with_zero_neither_overflows_nor_divides_by_0():
    assert softmax_with_zero([1000, 1000]).tolist() == [0.5, 0.5]
    low = softmax_with_zero([-700, -700])
    assert low == pytest.approx([math.exp(-700)] * 2, rel=1e-12)
    assert softmax_with_zero([-1000]).tolist() == [0.0]


def test_a_constant_shift_changes_softmax_with_zero():
    assert softmax_with_zero([0, 0]).tolist() != softmax_with_zero([5, 5]).tolist()
    assert np.abs(softmax_with_zero([40, 41]) - softmax([40, 41])).max() < 1e-15


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5, 0, -1], [0.75, 0.25, 0]),  # tau = (0.5 - 1) / 2 = -0.25
        ([0.5, 0.25, 0], [0.5833333333333334, 0.3333333333333333, 0.0833333333333333]),  # -1/12
        ([2, 1, 0], [1, 0, 0]),  # a gap of 1 is enough
        ([1, 1, 0], [0.5, 0.5, 0]),
        ([3, 3, 3, 3], [0.25, 0.25, 0.25, 0.25]),
        ([-INF, 7], [0, 1]),
        ([1e300, 1e300, 0], [0.5, 0.5, 0]),
        ([1.7e308, -1.7e308], [1, 0]),
        ([5], [1]),
    ],
)
def test_sparsemax_worked_by_hand(scores, expected):
    got = sparsemax(scores)
    assert got == pytest.approx(expected, abs=1e-15)
    assert [w == 0 for w in got.tolist()] == [w == 0 for w in expected]


def exact_projection(scores):
    """Try every support with fractions; the one that satisfies all conditions is the answer."""
    x = [Fraction(one) for one in scores]
    for size in range(1, len(x) + 1):
        for support in itertools.combinations(range(len(x)), size):
            tau = (sum(x[i] for i in support) - 1) / size
            inside = all(x[i] > tau for i in support)
            if inside and all(x[i] <= tau for i in range(len(x)) if i not in support):
                return [x[i] - tau if i in support else Fraction(0) for i in range(len(x))]
    raise AssertionError("no support fits")


def test_sparsemax_is_the_exact_projection():
    rng = np.random.default_rng(2)
    worst, zeros = 0.0, 0
    for i in range(200):
        scores = rng.normal(0, 0.7, rng.integers(1, 7)) + (1000 if i % 3 == 0 else 0)
        if i % 2:
            scores = scores.round(1)  # ties
        exact = exact_projection(scores.tolist())
        got = sparsemax(scores)
        for weight, wanted in zip(got.tolist(), exact, strict=True):
            worst = max(worst, abs(float(Fraction(weight) - wanted)))
        zeros += int((got == 0).sum())
        assert abs(got.sum() - 1) <= 4e-16
    assert worst <= 4e-16
    assert zeros > 100


def test_equal_scores_get_equal_weights_from_sparsemax():
    weights = sparsemax([0.1, 0.3, 0.3, 0.1, 0.3])
    assert weights[1] == weights[2] == weights[4] > weights[0] == weights[3] > 0


def test_the_order_of_the_keys_changes_nothing_but_the_order_of_the_weights():
    rng = np.random.default_rng(3)
    scores, order = rng.normal(size=6), rng.permutation(6)
    for function in (softmax_with_zero, sparsemax):
        assert np.abs(function(scores[order]) - function(scores)[order]).max() < 1e-16 * 4


def test_rows_of_a_matrix_are_computed_alone():
    scores = np.random.default_rng(4).normal(size=(2, 3, 5))
    for function in (softmax_with_zero, sparsemax):
        got = function(scores)
        assert got.shape == scores.shape
        for at in np.ndindex(2, 3):
            assert np.array_equal(got[at], function(scores[at]))
        assert function(np.empty((0, 3))).shape == (0, 3)


def test_nothing_warns_and_nothing_given_is_changed():
    scores = np.array([1.7e308, -1.7e308, -INF, 0.0])
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for function in (softmax_with_zero, sparsemax):
            assert function(scores).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert scores.tolist() == [1.7e308, -1.7e308, -INF, 0.0]


@pytest.mark.parametrize("function", [softmax_with_zero, sparsemax])
@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([], "empty row"),
        ([NAN, 1], "NaN at position 0"),
        ([INF, 1], r"\+inf at position 0"),
        (["a"], "real numbers"),
        (3, "single number"),
    ],
)
def test_what_is_not_scores_is_refused(function, x, words):
    with pytest.raises(ValueError, match=words):
        function(x)


def test_sparsemax_refuses_a_row_without_an_allowed_key():
    with pytest.raises(ValueError, match="row 1"):
        sparsemax([[0, 1], [-INF, -INF]])
