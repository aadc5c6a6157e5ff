import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import softmax, softmax_jacobian
from tests.core.cases import betas, rows, seeded


def test_two_equal_weights_move_against_each_other_by_a_quarter():
    np.testing.assert_array_equal(softmax_jacobian([0.5, 0.5]), [[0.25, -0.25], [-0.25, 0.25]])


@seeded
@given(rows(), betas)
def test_rows_sum_to_0_and_the_matrix_is_symmetric(row, beta):
    jacobian = softmax_jacobian(softmax(row, beta=beta))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-15)
    np.testing.assert_array_equal(jacobian, jacobian.T)
    assert (np.abs(jacobian) <= 0.25).all()
    assert (np.diag(jacobian) >= 0).all()


@seeded
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.floats(0.1, 3))
def test_it_is_the_slope_of_softmax_measured_by_differences(row, beta):
    jacobian = beta * softmax_jacobian(softmax(row, beta=beta))
    step = 1e-5
    for j in range(len(row)):
        up, down = np.array(row), np.array(row)
        up[j] += step
        down[j] -= step
        slope = (softmax(up, beta=beta) - softmax(down, beta=beta)) / (2 * step)
        np.testing.assert_allclose(jacobian[:, j], slope, atol=1e-8)


def test_a_hidden_key_neither_moves_nor_is_moved():
    jacobian = softmax_jacobian(softmax([1, -math.inf, 2]))
    np.testing.assert_array_equal(jacobian[1], 0)
    np.testing.assert_array_equal(jacobian[:, 1], 0)


def test_a_stack_of_rows_gives_a_stack_of_matrices():
    weights = softmax(np.arange(24.0).reshape(2, 3, 4))
    jacobian = softmax_jacobian(weights)
    assert jacobian.shape == (2, 3, 4, 4)
    np.testing.assert_array_equal(jacobian[1, 2], softmax_jacobian(weights[1, 2]))
    assert softmax_jacobian(np.empty((0, 3))).shape == (0, 3, 3)


@pytest.mark.parametrize(
    ("weights", "words"),
    [([0.5, 0.6], "sum to 1"), ([math.nan, 1], "NaN"), ([2, -1], "negative"), ([], "empty row")],
)
def test_what_is_no_weight_is_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        softmax_jacobian(weights)
