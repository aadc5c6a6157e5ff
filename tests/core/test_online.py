"""One pass over blocks gives what softmax gives."""

import math
import warnings

import numpy as np
import pytest

from attnviz import softmax
from attnviz.core.online import online_softmax

INF, NAN = np.inf, np.nan


def rows():
    """Scores of many sizes, some hidden, and their values."""
    rng = np.random.default_rng(20260803)
    for i in range(60):
        n = int(rng.integers(1, 13))
        scores = rng.normal(0, 10.0 ** rng.integers(-1, 4), n)
        if i % 2:
            hidden = rng.random(n) < 0.5
            hidden[rng.integers(n)] = False
            scores[hidden] = -INF
        yield scores, rng.normal(0, 3, (n, 3))


def test_the_end_is_softmax_times_values_for_every_block_size():
    worst = 0.0
    for scores, values in rows():
        expected = softmax(scores) @ values
        for block in range(1, len(scores) + 1):
            last = online_softmax(scores, values, block)[-1]
            error = np.abs(last.output / last.denominator - expected).max()
            worst = max(worst, error / np.abs(values).max())
            assert np.array_equal(last.average, last.output / last.denominator)
    assert 0 < worst <= 4e-16


def test_every_step_is_softmax_of_the_keys_so_far():
    for scores, values in rows():
        for step in online_softmax(scores, values, 2):
            seen = scores[: step.stop]
            if np.isinf(seen).all():
                assert np.isnan(step.average).all()
                continue
            assert step.maximum == seen.max()
            assert math.isclose(step.denominator, np.exp(seen - seen.max()).sum(), rel_tol=1e-14)
            expected = softmax(seen) @ values[: step.stop]
            assert np.abs(step.average - expected).max() <= 1e-14


def test_the_steps_worked_by_hand():
    # ln 2 and ln 4 make every exponential a power of 2
    scores, values = [0.0, math.log(2), math.log(4), 0.0], [[8.0], [0.0], [4.0], [16.0]]
    first, second = online_softmax(scores, values, 2)
    assert (first.start, first.stop, second.start, second.stop) == (0, 2, 2, 4)
    assert (first.factor, first.maximum) == (0.0, math.log(2))
    assert first.denominator == pytest.approx(1.5, rel=1e-15)  # 1/2 + 1
    assert first.output == pytest.approx([4.0], rel=1e-15)  # 8/2
    assert second.factor == pytest.approx(0.5, rel=1e-15)
    assert second.denominator == pytest.approx(2.0, rel=1e-15)  # 1.5/2 + 1 + 1/4
    assert second.output == pytest.approx([10.0], rel=1e-15)  # 4/2 + 4 + 16/4
    assert second.average == pytest.approx([5.0], rel=1e-15)


def test_blocks_cover_every_key_once_and_the_last_may_be_short():
    steps = online_softmax(np.zeros(7), np.ones((7, 1)), 3)
    assert [(step.start, step.stop) for step in steps] == [(0, 3), (3, 6), (6, 7)]
    assert len(online_softmax(np.zeros(7), np.ones((7, 1)), 99)) == 1


def test_a_block_that_is_wholly_hidden_changes_nothing():
    scores = [-INF, -INF, 1.0, 2.0, -INF, -INF]
    steps = online_softmax(scores, np.arange(6.0)[:, None], 2)
    assert (steps[0].maximum, steps[0].factor, steps[0].denominator) == (-INF, 0.0, 0.0)
    assert steps[0].output.tolist() == [0.0]
    assert steps[1].factor == 0.0
    assert steps[2].factor == 1.0
    assert steps[2].denominator == steps[1].denominator
    assert steps[2].output.tolist() == steps[1].output.tolist()


def test_the_factor_is_e_to_the_old_less_the_new_maximum():
    factors = [step.factor for step in online_softmax([1, 3, 2, 5], np.ones((4, 1)), 1)]
    assert factors == [0.0, math.exp(-2), 1.0, math.exp(-2)]


def test_a_hidden_key_has_no_influence_whatever_its_value_holds():
    values = [[1.0, 2.0], [NAN, INF], [3.0, 4.0]]
    for block in (1, 2, 3):
        assert online_softmax([0, -INF, 0], values, block)[-1].average.tolist() == [2.0, 3.0]


def test_huge_scores_do_not_overflow_and_nothing_warns():
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for scores in ([-1.7e308, 1.7e308], [1.7e308, -1.7e308], [1e5, 1e5 - 800]):
            for block in (1, 2):
                last = online_softmax(scores, [[1.0], [2.0]], block)[-1]
                assert last.average.tolist() == [2.0 if scores[1] > 0 > scores[0] else 1.0]
        hidden_first = online_softmax([-INF, 0.0], [[1.0], [2.0]], 1)
        assert np.isnan(hidden_first[0].average).all()


def test_steps_cannot_be_written_to_and_nothing_given_is_changed():
    scores, values = np.array([0.0, -INF]), np.array([[1.0], [NAN]])
    assert not online_softmax(scores, values, 1)[0].output.flags.writeable
    assert np.isnan(values[1, 0])
    assert values.flags.writeable


@pytest.mark.parametrize(
    ("scores", "values", "block", "words"),
    [
        ([-INF, -INF], [[1], [2]], 1, "no key is allowed"),
        ([1, NAN], [[1], [2]], 1, "NaN at position 1"),
        ([1, INF], [[1], [2]], 1, r"\+inf at position 1"),
        ([], np.ones((0, 1)), 1, "one row"),
        ([1, 2], [[1], [2], [3]], 1, r"each of the 2 scores; got shape \(3, 1\)"),
        ([1, 2], [1, 2], 1, "one row for each"),
        ([1, 2], [[1], [NAN]], 1, "aren't finite in row 1, column 0"),
        ([1, 2], [[1], [2]], 0, "block must be a whole number of at least 1; got 0"),
        ([1, 2], [[1], [2]], 1.0, "got 1.0"),
        ([1, 2], [[1], [2]], True, "got True"),
    ],
)
def test_what_cannot_be_computed_is_refused(scores, values, block, words):
    with pytest.raises(ValueError, match=words):
        online_softmax(scores, values, block)
