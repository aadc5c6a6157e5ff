import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import hard_max, softmax
from attnviz.core.sampling import (
    FILTERS,
    STAGES,
    counts_after,
    draw,
    draw_sequence,
    filtered,
    surprise,
)
from tests.core.cases import betas, rows, seeded

INF, NAN = math.inf, math.nan
T, K, P, M = STAGES


@pytest.fixture(autouse=True)
def _nothing_is_left_to_a_warning():
    with np.errstate(all="raise"):
        yield


def of(*shares):
    """Logits whose softmax is in proportion to these shares."""
    return [math.log(share) if share else -INF for share in shares]


def positions(result):
    return np.flatnonzero(result.kept).tolist()


def assert_drawn(result, *fractions):
    """The final distribution is these fractions, and exactly 0 where they are."""
    expected = [float(Fraction(f)) for f in fractions]
    np.testing.assert_allclose(result.probabilities, expected, rtol=1e-14, atol=0)


# -- no filter ------------------------------------------------------------------------------------


@seeded
@given(rows(), betas)
def test_without_filters_it_is_softmax_and_minus_infinity_is_never_kept(row, beta):
    result = filtered(row, beta=beta)
    np.testing.assert_array_equal(result.full, softmax(row, beta=beta))
    np.testing.assert_array_equal(result.probabilities, result.full)
    np.testing.assert_array_equal(result.kept, np.array(row) != -INF)
    assert [(step.name, step.removed) for step in result.steps] == [(name, 0) for name in STAGES]


# -- top-k ----------------------------------------------------------------------------------------


def test_top_k_keeps_the_k_largest_and_shares_out_the_rest():
    result = filtered(of(2, 5, 1, 3), top_k=2)
    assert positions(result) == [1, 3]
    assert_drawn(result, 0, "5/8", 0, "3/8")
    np.testing.assert_allclose(result.full, [2 / 11, 5 / 11, 1 / 11, 3 / 11], rtol=1e-14)


def test_top_k_keeps_all_that_tie_with_the_k_th():
    logits = of(4, 2, 1, 2, 2)
    assert positions(filtered(logits, top_k=2)) == [0, 1, 3, 4]
    assert_drawn(filtered(logits, top_k=2), "4/10", "2/10", 0, "2/10", "2/10")
    assert positions(filtered(logits, top_k=1)) == [0]


def test_top_k_of_more_than_there_are_keeps_all_but_minus_infinity():
    assert positions(filtered(of(1, 0, 2), top_k=3)) == [0, 2]
    assert positions(filtered(of(1, 0, 2), top_k=10**30)) == [0, 2]


# -- top-p ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "kept"),
    [
        (0.49, [1]),
        (0.5, [1]),
        (0.500001, [1, 3]),
        (0.8, [1, 3]),  # 0.5 + 0.3: the sum that is meant to reach it does
        (0.81, [0, 1, 3]),
        (0.95, [0, 1, 3]),
        (0.96, [0, 1, 2, 3]),
        (1, [0, 1, 2, 3]),
    ],
)
def test_top_p_keeps_the_fewest_largest_whose_sum_reaches_p(p, kept):
    assert positions(filtered(of(15, 50, 5, 30), top_p=p)) == kept


def test_top_p_renormalises_what_it_keeps():
    assert_drawn(filtered(of(15, 50, 5, 30), top_p=0.8), 0, "5/8", 0, "3/8")


def test_top_p_keeps_all_that_tie_at_its_edge():
    result = filtered(of(4, 2, 2, 1, 1), top_p=0.5)
    assert positions(result) == [0, 1, 2]
    assert_drawn(result, "1/2", "1/4", "1/4", 0, 0)


def test_top_p_of_1_keeps_what_underflows_and_less_does_not():
    logits = [0, -800, -INF]
    assert positions(filtered(logits, top_p=1)) == [0, 1]
    assert positions(filtered(logits, top_p=1 - 1e-9)) == [0]
    assert positions(filtered(logits, top_p=5e-324)) == [0]


shares = st.lists(st.integers(1, 40), min_size=1, max_size=7)


@seeded
@given(shares, st.integers(1, 100))
def test_top_p_is_the_smallest_of_all_subsets_that_reach_p_and_the_ties_of_its_last(row, percent):
    goal = Fraction(percent, 100) * sum(row)
    sizes = range(1, len(row) + 1)
    size = next(n for n in sizes if any(sum(s) >= goal for s in itertools.combinations(row, n)))
    edge = sorted(row, reverse=True)[size - 1]
    expected = [i for i, share in enumerate(row) if share >= edge]
    assert positions(filtered(of(*row), top_p=percent / 100)) == expected


# -- min-p ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "kept"),
    [
        (0, [0, 1, 2, 3]),
        (0.1, [0, 1, 2, 3]),  # 5 of 50 is a tenth exactly
        (0.11, [0, 1, 3]),
        (0.3, [0, 1, 3]),
        (0.31, [1, 3]),
        (0.61, [1]),
        (1, [1]),
    ],
)
def test_min_p_keeps_what_has_that_share_of_the_largest(p, kept):
    assert positions(filtered(of(15, 50, 5, 30), min_p=p)) == kept


def test_min_p_of_1_keeps_the_ties_of_the_largest_and_0_keeps_what_underflows():
    assert positions(filtered([3, 1, 3], min_p=1)) == [0, 2]
    assert_drawn(filtered([3, 1, 3], min_p=1), "1/2", 0, "1/2")
    assert positions(filtered([0, -800, -INF], min_p=0)) == [0, 1]


@seeded
@given(shares, st.integers(0, 100))
def test_min_p_is_the_comparison_of_fractions(row, percent):
    expected = [i for i, s in enumerate(row) if s * 100 >= percent * max(row)]
    assert positions(filtered(of(*row), min_p=percent / 100)) == expected


# -- temperature and order ------------------------------------------------------------------------


def test_top_p_sees_the_temperature_when_it_stands_after_it_and_not_before():
    logits = of(5, 3, 2)  # at beta = 2 in proportion to 25, 9, 4
    after = filtered(logits, beta=2, top_p=0.65)
    assert positions(after) == [0]  # 25/38 is 0.658
    before = filtered(logits, beta=2, top_p=0.65, order=(P, T, K, M))
    assert positions(before) == [0, 1]  # 0.5 + 0.3
    assert_drawn(before, "25/34", "9/34", 0)
    np.testing.assert_allclose(before.full, [25 / 38, 9 / 38, 4 / 38], rtol=1e-14)


def test_min_p_sees_the_temperature_when_it_stands_after_it_and_not_before():
    logits = of(4, 2, 1)
    assert positions(filtered(logits, beta=2, min_p=0.3)) == [0]  # 16, 4, 1
    assert positions(filtered(logits, beta=2, min_p=0.3, order=(M, T, P, K))) == [0, 1]


def test_top_p_sums_what_top_k_left_when_it_stands_after_it():
    logits = of(4, 3, 2, 1)
    # After top-k the sum is of 7: 4/7 is 0.57. Before it, 4/10 isn't enough.
    assert positions(filtered(logits, top_k=2, top_p=0.5)) == [0]
    assert positions(filtered(logits, top_k=2, top_p=0.5, order=(T, P, K, M))) == [0, 1]


def test_each_stage_says_what_it_left_and_how_many_it_removed():
    result = filtered(of(16, 8, 4, 2, 1, 0), beta=0.5, top_k=4, top_p=0.5, min_p=0.75)
    assert [step.name for step in result.steps] == [T, K, P, M]
    assert [step.removed for step in result.steps] == [0, 1, 2, 1]
    kept = [np.flatnonzero(step.kept).tolist() for step in result.steps]
    assert kept == [[0, 1, 2, 3, 4], [0, 1, 2, 3], [0, 1], [0]]
    root = math.sqrt(2)  # at beta = 1/2 in proportion to 4, 2√2, 2, √2, 1
    expected = np.array([4, 2 * root, 0, 0, 0, 0]) / (4 + 2 * root)
    np.testing.assert_allclose(result.steps[2].probabilities, expected, rtol=1e-14)
    assert_drawn(result, 1, 0, 0, 0, 0, 0)


def test_before_the_temperature_a_stage_shows_the_distribution_at_beta_1():
    result = filtered(of(3, 1), beta=2, top_k=2, order=(K, T, P, M))
    np.testing.assert_allclose(result.steps[0].probabilities, [3 / 4, 1 / 4], rtol=1e-14)
    np.testing.assert_allclose(result.steps[1].probabilities, [9 / 10, 1 / 10], rtol=1e-14)


def test_the_last_stage_shows_the_final_distribution_in_every_order():
    for order in itertools.permutations(STAGES):
        result = filtered([2, 1, 1, 0, -1], beta=0.7, top_k=3, top_p=0.9, min_p=0.1, order=order)
        np.testing.assert_array_equal(result.steps[-1].probabilities, result.probabilities)
        np.testing.assert_array_equal(result.steps[-1].kept, result.kept)
        assert tuple(step.name for step in result.steps) == order


def test_beta_0_ties_everything_so_a_filter_after_it_removes_nothing():
    for setting in ({"top_k": 1}, {"top_p": 0.1}, {"min_p": 1}):
        assert_drawn(filtered([5, 1, 3, -INF], beta=0, **setting), "1/3", "1/3", "1/3", 0)
    before = filtered([5, 1, 3, -INF], beta=0, top_k=2, order=(K, T, P, M))
    assert_drawn(before, "1/2", 0, "1/2", 0)


@pytest.mark.parametrize("order", [(T, K, P, M), (P, M, T, K), (K, P, M, T)])
def test_greedy_choice_is_the_hard_max_and_shares_between_ties(order):
    logits = [3, 1, 3, 0, -INF]
    result = filtered(logits, beta=INF, top_k=3, top_p=0.97, min_p=0.01, order=order)
    np.testing.assert_array_equal(result.full, hard_max(logits))
    assert_drawn(result, "1/2", 0, "1/2", 0, 0)
    assert positions(result) == [0, 2]


def test_greedy_choice_counts_what_the_temperature_stage_removed():
    assert [step.removed for step in filtered([3, 1, 3, 0], beta=INF).steps] == [2, 0, 0, 0]


@seeded
@given(
    rows(),
    st.one_of(betas, st.just(INF)),
    st.integers(1, 9),
    st.floats(0, 1, exclude_min=True),
    st.floats(0, 1),
    st.permutations(STAGES),
)
def test_at_least_the_largest_is_kept_and_what_is_kept_sums_to_1(row, beta, k, p, m, order):
    result = filtered(row, beta=beta, top_k=k, top_p=p, min_p=m, order=order)
    assert result.kept[int(np.argmax(row))]
    assert result.probabilities.sum() == pytest.approx(1, rel=1e-12)
    assert (result.probabilities[~result.kept] == 0).all()
    assert sum(step.removed for step in result.steps) == (
        np.isfinite(row).sum() - result.kept.sum()
    )


def test_the_largest_numbers_of_float64_need_no_special_care():
    result = filtered([1.7e308, -1.7e308, 1.7e308], beta=1e300, top_k=2, top_p=0.5, min_p=0.5)
    assert_drawn(result, "1/2", 0, "1/2")
    assert positions(filtered([1e308, -1e308], top_k=2)) == [0, 1]


def test_the_logits_are_not_changed_and_the_result_cannot_be_written_to():
    logits = np.array([1.0, 0.0])
    result = filtered(logits, top_k=1)
    assert logits.tolist() == [1, 0]
    logits[0] = 5
    for array in (result.kept, result.probabilities, result.full, result.steps[0].kept):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_filters_are_the_stages_beside_temperature():
    assert ("temperature", *FILTERS) == STAGES


# -- draws ----------------------------------------------------------------------------------------


def test_a_draw_is_the_first_option_whose_running_sum_lies_above_the_random_number():
    numbers = np.random.default_rng(11).random(200).tolist()
    expected = [0 if u < 0.25 else 2 if u < 0.75 else 3 for u in numbers]
    assert draw_sequence([0.25, 0, 0.5, 0.25, 0], 200, seed=11).tolist() == expected
    assert draw([0.25, 0, 0.5, 0.25, 0], 200, seed=11).tolist() == [
        expected.count(i) for i in range(5)
    ]


class Fixed:
    """A generator that gives the edges: 0 and the largest number below 1."""

    def random(self, count):
        return np.resize([0.0, 1 - 2.0**-53, 0.5, math.nextafter(0.5, 0)], count)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0, 0.5, 0, 0.5, 0], [1, 3, 3, 1]),
        ([0] + [0.1] * 10 + [0], [1, 10, None, None]),  # ten tenths sum to less than 1
        ([0.33, 0.33, 0.33, 0], [0, 2, 1, 1]),  # weights that a person rounded
        ([0.5, 0.5, -1e-10], [0, 1, 1, 0]),
    ],
)
def test_what_is_impossible_is_not_drawn_even_at_the_edges(monkeypatch, row, expected):
    monkeypatch.setattr(np.random, "default_rng", lambda seed: Fixed())
    found = draw_sequence(row, 4, seed=0).tolist()
    assert all(row[i] > 0 for i in found)
    assert all(e is None or f == e for f, e in zip(found, expected, strict=True))


def test_100_000_draws_never_meet_an_option_of_probability_0():
    row = [0, 0.2, 0, 0.3, 0.5, 0]
    counts = draw(row, 100_000, seed=2)
    assert counts[[0, 2, 5]].tolist() == [0, 0, 0]
    assert counts.sum() == 100_000
    # Five standard deviations of a count: 5 √(n p (1 − p)).
    for count, p in zip(counts, row, strict=True):
        assert abs(count - 100_000 * p) <= 5 * math.sqrt(100_000 * p * (1 - p))


def test_fewer_draws_are_the_beginning_of_more_draws():
    row = [0.1, 0.6, 0.3]
    np.testing.assert_array_equal(
        draw_sequence(row, 50, seed=3), draw_sequence(row, 5000, seed=3)[:50]
    )
    assert draw_sequence(row, 50, seed=3).tolist() != draw_sequence(row, 50, seed=4).tolist()


def test_the_growing_histogram_is_that_of_each_number_of_draws():
    row = [0.1, 0.6, 0.3, 0]
    table = counts_after(row, [10, 1000, 1, 10], seed=3)
    assert table.shape == (4, 4)
    for line, count in zip(table, [10, 1000, 1, 10], strict=True):
        np.testing.assert_array_equal(line, draw(row, count, seed=3))
        assert line.sum() == count
    assert (table[1] >= table[0]).all()


# -- surprise -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probabilities", "counts", "distance"),
    [
        ([0.5, 0.25, 0.25], [2, 1, 1], 0),
        ([1, 0], [0, 5], 1),
        ([0.5, 0.3, 0.2], [10, 0, 0], 0.5),
        ([0.5, 0.3, 0.2], [4, 4, 2], 0.1),
        ([0.33, 0.33, 0.33], [1, 1, 1], 0),
    ],
)
def test_surprise_is_half_the_sum_of_the_differences(probabilities, counts, distance):
    assert surprise(probabilities, counts) == pytest.approx(distance, abs=1e-15)


def test_surprise_shrinks_as_the_draws_grow():
    row = [0.5, 0.3, 0.2]
    apart = surprise(row, counts_after(row, [10, 1000, 100_000], seed=0))
    assert apart.shape == (3,)
    assert apart[0] > apart[1] > apart[2]
    # The expected distance is at most ½ Σ √(p (1 − p) / n), about 0.7 / √n here.
    assert apart[2] < 3 * 0.7 / math.sqrt(100_000)


# -- what is refused ------------------------------------------------------------------------------

HALVES = [0.5, 0.5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: filtered([1], top_k=0), "top_k must be 1 or more; got 0"),
        (lambda: filtered([1], top_k=1.5), "top_k must be a whole number"),
        (lambda: filtered([1], top_k=True), "top_k must be a whole number"),
        (lambda: filtered([1], top_p=0), r"top_p must be above 0 and at most 1; got 0\.0"),
        (lambda: filtered([1], top_p=1.01), r"top_p must be above 0 and at most 1; got 1\.01"),
        (lambda: filtered([1], top_p=NAN), "top_p must be finite"),
        (lambda: filtered([1], min_p=-0.1), r"min_p must be from 0 to 1; got -0\.1"),
        (lambda: filtered([1], min_p=2), r"min_p must be from 0 to 1; got 2\.0"),
        (lambda: filtered([1], min_p="0.1"), "min_p must be one number"),
        (lambda: filtered([1], beta=-1), "beta must be 0 or more"),
        (lambda: filtered([1], beta=NAN), "beta must be 0 or more; got nan"),
        (lambda: filtered([]), "logits is empty"),
        (lambda: filtered([1, NAN]), "hold NaN at position 1"),
        (lambda: filtered([INF, 1]), r"hold \+inf at position 0"),
        (lambda: filtered([-INF, -INF]), "every logit is -inf"),
        (lambda: filtered([[1, 2]]), r"one row of numbers; got shape \(1, 2\)"),
        (lambda: filtered([1], order=(T, K, P)), "order must name each"),
        (lambda: filtered([1], order=(T, K, P, P)), "order must name each"),
        (lambda: filtered([1], order=(T, K, P, "typical")), "must be one of temperature, top_k"),
        (lambda: draw(HALVES, 0, 0), "count must be 1 or more; got 0"),
        (lambda: draw(HALVES, 100_001, 0), "count must be 100,000 or less; got 100001"),
        (lambda: draw(HALVES, 1, -1), "seed must be 0 or more"),
        (lambda: draw([0.5, 0.6], 1, 0), "probabilities must sum to 1"),
        (lambda: draw([1.5, -0.5], 1, 0), "probabilities are negative"),
        (lambda: draw([HALVES], 1, 0), "one row"),
        (lambda: counts_after(HALVES, [], 0), "counts_at is empty"),
        (lambda: counts_after(HALVES, [5, 0], 0), "count must be 1 or more"),
        (lambda: surprise(HALVES, [1, 2, 3]), "counts must have 2 columns"),
        (lambda: surprise(HALVES, [0, 0]), "all 0"),
        (lambda: surprise(HALVES, [1, -1]), "at position 1"),
        (lambda: surprise(HALVES, [0.5, 1]), "whole numbers"),
        (lambda: surprise(HALVES, [NAN, 1]), "whole numbers"),
        (lambda: surprise(HALVES, [INF, 1]), "whole numbers"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
