"""The small questions about one head: masks combined, terms of a sum, two heads compared."""

import math

import numpy as np
import pytest

from attnviz import attention
from attnviz.core import heads

Q = [[1.0, 0.0], [0.5, -1.0]]
K = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
V = [[2.0, 0.0], [0.0, 2.0], [1.0, -1.0]]


def test_masks_combine_by_hiding_what_one_of_them_hides():
    allowed = heads.combined_mask(3, 3, {"causal": {}, "window": {"window": 1}})
    assert allowed.tolist() == np.eye(3, dtype=bool).tolist()


def test_single_cells_come_on_top_of_the_masks():
    allowed = heads.combined_mask(2, 2, {"causal": {}}, hide=[(1, 1)], show=[(0, 1)])
    assert allowed.tolist() == [[True, True], [True, False]]


def test_the_products_sum_to_the_score():
    found = heads.dot_product(Q, K, 1, 2)
    assert found.products.sum() == found.score == attention(Q, K, V).scores[1, 2]


def test_the_weighted_values_sum_to_the_output():
    steps = attention(Q, K, V)
    for i, output in enumerate(steps.output):
        row = heads.head_row(steps, V, i)
        np.testing.assert_allclose(row.terms.sum(axis=0), output, rtol=0, atol=1e-15)
        assert row.output is not output
        assert row.output.tolist() == output.tolist()


def test_a_weight_of_zero_silences_a_value_that_is_not_a_number():
    values = [[math.nan], [2.0]]
    steps = attention([[1.0]], [[1.0], [2.0]], values, allowed=[[False, True]])
    assert heads.head_row(steps, values, 0).terms.tolist() == [[0.0], [2.0]]


def test_a_big_negative_number_brings_the_unmasked_weights_back_in_a_fully_masked_row():
    allowed = [[True, False, False], [False, False, False]]
    open_weights = attention(Q, K, V).weights
    numbered = heads.attention_with_a_number(Q, K, V, allowed=allowed).weights
    np.testing.assert_allclose(numbered[1], open_weights[1], atol=1e-7)
    assert numbered[0].tolist() == [1.0, 0.0, 0.0]


def test_the_largest_number_of_float64_gives_a_uniform_row_instead():
    low = np.finfo(np.float64).min
    steps = heads.attention_with_a_number(
        [[1.0]], [[1.0], [2.0]], [[1.0], [2.0]], allowed=[[False, False]], number=low
    )
    np.testing.assert_allclose(steps.weights, [[0.5, 0.5]])


def test_two_equal_heads_do_not_differ():
    steps = attention(Q, K, V)
    difference = heads.compare_heads(steps, steps)
    assert not difference.weights.any()
    assert difference.total_variation.tolist() == [0.0, 0.0]
    assert difference.divergence.tolist() == [0.0, 0.0]


def test_the_distances_are_those_of_their_formulas():
    first, second = attention(Q, K, V), attention(Q, K, V, beta=3.0)
    a, b = first.weights[0], second.weights[0]
    difference = heads.compare_heads(first, second)
    assert difference.total_variation[0] == pytest.approx(abs(b - a).sum() / 2, abs=1e-15)
    by_hand = sum(x * math.log(x / y) for x, y in zip(a, b, strict=True))
    assert difference.divergence[0] == pytest.approx(by_hand, abs=1e-14)


def test_a_key_that_the_second_never_looks_at_makes_the_divergence_infinite():
    first = attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]])
    second = attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]], allowed=[[True, False]])
    assert heads.compare_heads(first, second).divergence.tolist() == [math.inf]
    assert heads.compare_heads(first, second).total_variation.tolist() == [0.5]


def test_a_row_of_zeros_has_no_distance():
    options = {"allowed": [[False, False]], "empty": "zeros"}
    none = attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]], **options)
    whole = attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]])
    assert np.isnan(heads.compare_heads(none, whole).total_variation).all()


def test_heads_of_different_shapes_are_refused_with_both_shapes():
    one = attention([[0.0]], [[1.0]], [[1.0]])
    two = attention([[0.0]], [[1.0], [2.0]], [[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"\(1, 1\) and \(1, 2\)"):
        heads.compare_heads(one, two)


def test_what_the_keys_receive_sums_to_the_number_of_queries():
    assert heads.received(attention(Q, K, V)).sum() == pytest.approx(2)


def test_the_ceiling_counts_the_allowed_keys_and_is_missing_without_any():
    steps = attention(Q, K, V, allowed=[[True, True, False], [False, False, False]], empty="zeros")
    found = heads.ceilings(steps)
    assert found[0] == pytest.approx(math.log(2))
    assert np.isnan(found[1])


def test_shades_put_zero_in_the_middle_and_leave_out_what_is_not_finite():
    found = heads.shades([-4.0, 0.0, 2.0, -math.inf, math.nan], centred=True)
    assert found[:3].tolist() == [0.0, 0.5, 0.75]
    assert np.isnan(found[3:]).all()
    assert heads.shades([0.0, 0.0], centred=True).tolist() == [0.5, 0.5]
    assert heads.shades([0.25, 1.0], centred=False).tolist() == [0.25, 1.0]
