import math
import tracemalloc
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from attnviz import entropy, softmax, softmax_jacobian
from attnviz.core import scaling
from attnviz.core.scaling import (
    draw_scores,
    gradient_at,
    jacobian_norm,
    normal_density,
    score_histogram,
    study,
    study_steps,
    variance,
)
from tests.core.cases import betas, rows, seeded

INF, NAN = math.inf, math.nan


@pytest.fixture(autouse=True)
def _nothing_is_left_to_a_warning():
    with np.errstate(all="raise"):
        yield


# -- scores ---------------------------------------------------------------------------------------


def test_the_scores_are_the_dot_products_of_the_vectors_the_seed_gives():
    vectors = np.random.default_rng([7, 5]).standard_normal((3, 4, 5))
    expected = [[sum(q * k for q, k in zip(v[0], key)) for key in v[1:]] for v in vectors]  # noqa: B905
    np.testing.assert_allclose(draw_scores(5, 3, 3, seed=7), expected, rtol=1e-13)


@pytest.mark.parametrize("d_k", [1, 16, 256])
def test_the_variance_of_the_scores_is_d_k_and_their_mean_0(d_k):
    scores = draw_scores(d_k, 8, 4000, seed=1)
    # Scores of one draw share a query. For d_k = 1 they are products of two normals, with heavy
    # tails: the fourth moment is 9, so the variance of 4,000 draws is known to about 4 %.
    assert variance(scores) == pytest.approx(d_k, rel=0.12)
    assert abs(scores.mean()) < 4 * math.sqrt(d_k / scores.size)
    assert variance(scores / math.sqrt(d_k)) == pytest.approx(1, rel=0.12)


def test_neither_the_chunk_nor_the_number_of_draws_changes_a_draw(monkeypatch):
    once = draw_scores(6, 4, 50, seed=3)
    np.testing.assert_array_equal(draw_scores(6, 4, 20, seed=3), once[:20])
    monkeypatch.setattr(scaling, "_CHUNK", 100)  # three draws at once
    np.testing.assert_array_equal(draw_scores(6, 4, 50, seed=3), once)


def test_another_seed_or_another_d_k_shares_no_score():
    scores = draw_scores(4, 3, 5, seed=0)
    assert not np.isin(scores, draw_scores(4, 3, 5, seed=1)).any()
    first = np.random.default_rng([0, 4]).standard_normal()
    assert first != np.random.default_rng([0, 5]).standard_normal()


def test_long_vectors_are_never_held_all_at_once():
    tracemalloc.start()
    draw_scores(1024, 64, 40, seed=0)  # 21 MB of normal numbers in all
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6e6


# -- histogram ------------------------------------------------------------------------------------


def test_the_histogram_counts_what_is_counted_by_hand():
    spread = score_histogram([-2.9, -1.1, -0.9, 0, 0.9, 5], bins=3, limit=3)
    np.testing.assert_array_equal(spread.centres, [-2, 0, 2])
    np.testing.assert_allclose(spread.density, [2 / 10, 3 / 10, 0], rtol=1e-15)  # of 5, width 2
    assert (spread.width, spread.outside) == (2, 1)


def test_the_density_integrates_to_1_over_the_drawn_range():
    scores = draw_scores(16, 8, 300, seed=2)
    for limit in (None, 3.0, 100.0):
        spread = score_histogram(scores, limit=limit)
        assert spread.density.sum() * spread.width == pytest.approx(1, rel=1e-13)
        assert spread.centres[20] == 0
    assert score_histogram(scores).outside == 0
    assert score_histogram(scores, limit=3).outside == (np.abs(scores) > 3).sum() > 0


def test_a_range_without_scores_and_scores_without_a_spread_can_be_drawn():
    empty = score_histogram([5, 6], bins=2, limit=1)
    assert (empty.density.tolist(), empty.outside) == ([0, 0], 2)
    flat = score_histogram([0, 0], bins=3)
    assert flat.density.tolist() == [0, 1.5, 0]
    assert score_histogram([1e100, -1e100], bins=2).density.sum() > 0
    assert score_histogram([1e-320], bins=1).density.tolist() == [0.5]


def test_long_vectors_spread_as_the_normal_curve():
    spread = score_histogram(draw_scores(256, 16, 3000, seed=4), bins=41)
    apart = np.abs(spread.density - normal_density(spread.centres, 256)).sum() * spread.width
    assert apart < 0.06


def test_the_normal_density_is_that_of_the_textbook_and_integrates_to_1():
    # Tables of the normal distribution: 0.39894228, 0.24197072, 0.05399097 at 0, 1 and 2.
    table = [0.39894228, 0.24197072, 0.05399097]
    np.testing.assert_allclose(normal_density([0, 1, 2], 1), table, atol=5e-9)
    np.testing.assert_allclose(normal_density([0, 8, 16], 64), np.array(table) / 8, atol=1e-9)
    x = np.linspace(-80, 80, 4001)
    assert normal_density(x, 64).sum() * (x[1] - x[0]) == pytest.approx(1, rel=1e-12)
    assert normal_density([INF, 1e300], 1e-300).tolist() == [0, 0]


# -- jacobian -------------------------------------------------------------------------------------


@seeded
@given(rows(), betas)
def test_the_norm_is_that_of_the_matrix_and_at_most_a_half(row, beta):
    weights = softmax(row, beta=beta)
    norm = jacobian_norm(weights)
    with np.errstate(under="ignore"):
        matrix = np.linalg.norm(softmax_jacobian(weights))
    assert norm == pytest.approx(matrix, rel=1e-7, abs=1e-15)
    assert 0 <= norm <= 0.5 + 1e-15


def test_the_norm_is_right_for_rounded_weights_and_for_stacks():
    weights = np.array([[0.66, 0.24, 0.09], [1, 0, 0], [0.3, 0.3, 0.4]])
    matrices = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    np.testing.assert_allclose(jacobian_norm(weights), matrices, rtol=1e-14)
    assert jacobian_norm([1]) == 0
    assert jacobian_norm(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize("small", [Fraction(1, 3), Fraction(1, 10**9), Fraction(1, 10**18)])
def test_the_norm_keeps_its_digits_where_1_minus_a_weight_is_lost(small):
    exact = [1 - small, small * 3 / 4, small / 4]
    square = sum(
        (a * ((i == j) - b)) ** 2 for i, a in enumerate(exact) for j, b in enumerate(exact)
    )
    with localcontext(prec=50):
        norm = float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())
    assert jacobian_norm([float(w) for w in exact]) == pytest.approx(norm, rel=1e-14, abs=0)


def test_the_norm_of_weights_whose_squares_underflow_is_not_0():
    # w = (1, e): the entries are ±e to first order, so the norm is 2e.
    assert jacobian_norm([1, 1e-200]) == pytest.approx(2e-200, rel=1e-15, abs=0)


def differences(scores, at):
    """The slope of weight ``at`` against each score, from differences at 60 digits."""
    with localcontext(prec=60):
        step, slopes = Decimal("1e-20"), []
        for j in range(len(scores)):
            ends = []
            for side in (step, -step):
                moved = [Decimal(s) + (side if i == j else 0) for i, s in enumerate(scores)]
                exps = [s.exp() for s in moved]
                ends.append(exps[at] / sum(exps))
            slopes.append(float((ends[0] - ends[1]) / (2 * step)))
    return slopes


@pytest.mark.parametrize("at", [0, 1, 3])
@pytest.mark.parametrize(
    "scores", [[0, 0, 0, 0], [0, 0.5, -0.5, 1], [40, 0, 1, -3]], ids=["flat", "mixed", "saturated"]
)
def test_a_gradient_is_the_slope_measured_by_differences(scores, at):
    gradient = gradient_at(softmax(scores), at)
    np.testing.assert_allclose(gradient, differences(scores, at), rtol=1e-12)
    # The numbers of the case: 3/16 and -1/16 where four share, about e^-39 beside a winner.
    if scores == [0, 0, 0, 0]:
        assert gradient[at] == 3 / 16
        assert np.delete(gradient, at).tolist() == [-1 / 16] * 3
    if scores[0] == 40:
        assert np.abs(gradient).max() < 2e-17


@seeded
@given(rows())
def test_a_gradient_is_a_column_of_the_jacobian(row):
    weights = softmax(row)
    with np.errstate(under="ignore"):
        jacobian = softmax_jacobian(weights)
    for at in range(len(row)):
        np.testing.assert_allclose(gradient_at(weights, at), jacobian[:, at], atol=1e-15)


def test_the_gradient_of_rounded_weights_takes_them_as_they_are():
    np.testing.assert_allclose(
        gradient_at([0.66, 0.24, 0.09], 0), [0.66 * 0.34, -0.66 * 0.24, -0.66 * 0.09], rtol=1e-14
    )
    assert [repr(float(x)) for x in gradient_at([1, 0, 0], 0)] == ["0.0", "0.0", "0.0"]


# -- study ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scaled", [False, True])
def test_a_study_is_what_each_draw_gives_by_the_functions_of_the_core(scaled):
    result = study([4, 64], 8, 30, seed=5, scaled=scaled)
    for i, d_k in enumerate([4, 64]):
        scores = draw_scores(d_k, 8, 30, seed=5) / (math.sqrt(d_k) if scaled else 1)
        each = [softmax(row) for row in scores]
        for found, values in (
            (result.largest, [w.max() for w in each]),
            (result.entropy, [entropy(w) for w in each]),
            (result.jacobian_norm, [np.linalg.norm(softmax_jacobian(w)) for w in each]),
        ):
            assert found.mean[i] == pytest.approx(np.mean(values), rel=1e-9)
            assert found.deviation[i] == pytest.approx(np.std(values), rel=1e-9)


def test_a_d_k_of_1_is_the_same_scaled_and_unscaled():
    scaled, unscaled = (study([1], 6, 20, seed=0, scaled=which) for which in (True, False))
    np.testing.assert_array_equal(scaled.entropy.mean, unscaled.entropy.mean)
    np.testing.assert_array_equal(scaled.largest.deviation, unscaled.largest.deviation)


def test_without_scaling_long_vectors_saturate_and_with_it_they_do_not():
    unscaled = study([4, 64, 1024], 16, 60, seed=0, scaled=False)
    scaled = study([4, 64, 1024], 16, 60, seed=0, scaled=True)
    assert unscaled.largest.mean[-1] > 0.95
    assert unscaled.jacobian_norm.mean[-1] < 0.05
    assert (np.diff(unscaled.entropy.mean) < 0).all()
    assert scaled.largest.mean[-1] < 0.35
    assert scaled.jacobian_norm.mean[-1] > 0.2
    assert np.ptp(scaled.entropy.mean) < 0.3


def test_the_steps_grow_to_the_study_and_what_is_not_asked_for_is_not_drawn(monkeypatch):
    parts = list(study_steps([2, 8, 4], 5, 10, seed=1, scaled=False))
    assert [part.d_ks for part in parts] == [(2,), (2, 8), (2, 8, 4)]
    whole = study([2, 8, 4], 5, 10, seed=1, scaled=False)
    np.testing.assert_array_equal(parts[-1].largest.mean, whole.largest.mean)
    np.testing.assert_array_equal(parts[0].largest.mean, whole.largest.mean[:1])
    drawn = []
    monkeypatch.setattr(
        scaling, "draw_scores", lambda d_k, *rest: drawn.append(d_k) or np.zeros((1, 2))
    )
    steps = study_steps([2, 8, 4], 5, 10, seed=1, scaled=False)
    assert drawn == []
    next(steps)
    assert drawn == [2]


def test_what_comes_back_cannot_be_written_to():
    result = study([2], 3, 4, seed=0, scaled=True)
    for array in (result.largest.mean, result.entropy.deviation, score_histogram([1]).density):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: draw_scores(0, 1, 1, 0), "d_k must be 1 or more; got 0"),
        (lambda: draw_scores(1, 2.0, 1, 0), "n_k must be a whole number; got float 2.0"),
        (lambda: draw_scores(1, 1, True, 0), "draws must be a whole number"),
        (lambda: draw_scores(1, 1, 1, -1), "seed must be 0 or more; got -1"),
        (lambda: variance([]), "scores is empty"),
        (lambda: variance([1, NAN]), "scores must be finite"),
        (lambda: score_histogram([1e101]), "within ±1e"),
        (lambda: score_histogram([1], bins=0), "bins must be 1 or more"),
        (lambda: score_histogram([1], limit=0), "limit must be from 1e-100 to 1e"),
        (lambda: score_histogram([1], limit=INF), "limit must be finite"),
        (lambda: normal_density([0], 0), "variance must be above 0"),
        (lambda: study([], 1, 1, 0, scaled=True), "d_ks is empty"),
        (lambda: study_steps([4, 0], 1, 1, 0, scaled=True), "each d_k must be 1 or more; got 0"),
        (lambda: jacobian_norm([0.5, 0.6]), "weights must sum to 1"),
        (lambda: gradient_at([[1]], 0), "one row"),
        (lambda: gradient_at([0.5, 0.5], 2), "at must be 1 or less; got 2"),
        (lambda: gradient_at([0.5, 0.5], -1), "at must be 0 or more; got -1"),
        (lambda: gradient_at([NAN, 1], 0), "NaN"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
