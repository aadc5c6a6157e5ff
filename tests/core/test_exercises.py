"""The numbers of exercises, fresh numbers, and the known mistakes."""

import math

import numpy as np
import pytest

from attnviz.core import exercises
from attnviz.core.exercises import Given, agrees, given_of, numbers, part_of, places_off, redrawn
from attnviz.core.mistakes import MISTAKES, found_mistake, mistaken

ONE = given_of(scores=[["0.7071067811865475", 0, -1]])
HEAD = given_of(q=[[1, 0]], k=[[1, 0], [0, 1]], v=[[2, 0], [0, 2]])
WIDE = given_of(q=[[2, 0, 0, 1]], k=[[1, 1, 0, 2], [0, 2, 2, 0]], v=[[1, 0], [0, 1]])
TWO = given_of(scores=[[1, 0], [0, 2]])
HOT = given_of(scores=[[2, 1, 0]], beta=3)
HIDDEN = given_of(scores=[[1, 3, 0]], hide=[1])
CAUSAL = given_of(scores=[[1, 2, 3], [2, 1, 0], [0, 1, 1]], causal=True)
# 40-digit arithmetic
GOLDEN = [
    (ONE, "exps", [1, 0.4930686913952398, 0.18138983464961517]),
    (ONE, "weights", [0.5972079836232458, 0.29446455897590357, 0.10832745740085063]),
    (ONE, "entropy", 0.9086342685703898),
    (HEAD, "weights", [0.6697615493266569, 0.33023845067334306]),
    (HEAD, "output", [1.3395230986533138, 0.6604769013466861]),
    (HOT, "weights", [0.9503302116973793, 0.047314155221824035, 0.00235563308079668]),
    (HOT, "effective_keys", 1.2300096657333552),
    (TWO, "weight_sum", 2),
    (TWO, "row_sums", [1, 1]),
    (given_of(scores=[[3, 1, 1, -1]]), "ratio", 54.598150033144236),
    (given_of(scores=[[3, 1, 1, -1]]), "gap", 4),
    (HIDDEN, "weights", [0.7310585786300049, 0, 0.2689414213699951]),
    (CAUSAL, "allowed", [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    (HEAD, "d_k", 2),
    (HEAD, "scale", 0.7071067811865475),
    (HOT, "T", 1 / 3),
]


@pytest.mark.parametrize(("given", "name", "right"), GOLDEN)
def test_the_numbers_of_an_exercise_are_the_golden_ones(given, name, right):
    assert np.asarray(part_of(numbers(given), name)) == pytest.approx(np.array(right), abs=1e-12)


def test_a_query_without_a_key_has_no_numbers_and_nothing_fails():
    found = numbers(given_of(scores=[[1, 2]], hide=[0, 1]))
    assert np.isnan(found["weights"]).all()
    assert np.isnan(found["entropy"]).all()


def test_a_number_that_is_not_there_is_named_with_those_there_are():
    with pytest.raises(KeyError, match=r"no number wieghts; there are .*weights"):
        part_of(numbers(ONE), "wieghts")
    with pytest.raises(IndexError):
        part_of(numbers(ONE), "weights", [3])
    with pytest.raises(IndexError, match="2 axes"):
        part_of(numbers(ONE), "weights", [0, 0, 0])


def test_an_answer_is_right_within_half_of_its_last_decimal_and_not_beyond():
    assert agrees([0.670], [0.66976], 0.0005)
    assert agrees([0.67], [0.66976], 0.0005)
    assert not agrees([0.669], [0.66976], 0.0005)
    assert not agrees([0.67, 0.33], [0.66976], 0.0005)
    assert not agrees([math.nan], [0.5], 0.0005)
    assert agrees([-math.inf], [-math.inf], 0.0005)
    assert places_off([[1, 2], [3, 4]], [[1, 0], [3, 0]], 0.1) == [1, 3]


@pytest.mark.parametrize("seed", range(1, 30))
def test_fresh_numbers_are_as_hard_as_the_old_ones(seed):
    old = given_of(scores=[[3, 1, 1, -1], [1, -math.inf, 3, 3]])
    pool = (-2.0, -1.0, 0.0, 1.0, 2.0)
    new = redrawn(old, ["scores"], pool, seed)
    before, after = old.scores.ravel(), new.scores.ravel()
    for i in range(8):
        assert np.isfinite(after[i]) == np.isfinite(before[i])
        assert (after[i] in pool) == bool(np.isfinite(before[i]))
        for j in range(8):
            assert (before[i] == before[j]) == (after[i] == after[j])
    assert after.tolist() != before.tolist()
    assert redrawn(old, ["scores"], pool, seed).scores.tolist() == new.scores.tolist()


def test_seed_0_is_what_was_given_and_seeds_differ():
    pool = (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
    assert redrawn(ONE, ["scores"], pool, 0) is ONE
    drawn = {tuple(redrawn(ONE, ["scores"], pool, seed).scores.ravel()) for seed in range(1, 40)}
    assert len(drawn) > 20
    with pytest.raises(ValueError, match="3 different numbers, the pool 2"):
        redrawn(ONE, ["scores"], (0.0, 1.0), 1)


def test_a_tie_at_the_top_stays_one_and_moves():
    old, pool = given_of(scores=[[4, 1, 4, 0]]), (-2.0, 0.0, 1.0, 3.0, 4.0)
    drawn = [redrawn(old, ["scores"], pool, seed).scores[0] for seed in range(1, 40)]
    assert all(sorted(row)[-1] == sorted(row)[-2] > sorted(row)[-3] for row in drawn)
    assert len({tuple(np.flatnonzero(row == row.max())) for row in drawn}) == 6


def test_numbers_in_another_order_are_the_same_numbers():
    one, turned = given_of(scores=[[1, 0, 2]]), given_of(scores=[[2, 1, 0]])
    assert exercises.same_numbers(one, turned)
    assert not exercises.same_given(one, turned)
    assert not exercises.same_numbers(one, given_of(scores=[[1, 0, 3]]))
    assert not exercises.same_numbers(one, HEAD)


def test_which_keys_are_hidden_is_drawn_and_at_least_two_are_seen():
    old = given_of(scores=[[1, 1, 1, 1], [2, 2, 2, 2]], hide=[3])
    drawn = [redrawn(old, ["hide"], (), seed) for seed in range(1, 60)]
    for new in drawn:
        assert new.scores is old.scores
        assert (new.allowed[0] == new.allowed[1]).all()
        assert new.allowed[0].sum() in (2, 3)
        assert not exercises.same_given(new, old) or (new.allowed == old.allowed).all()
    assert len({tuple(new.allowed[0]) for new in drawn}) == 10


def test_the_distance_of_drawn_bars_is_how_much_weight_would_have_to_move():
    assert exercises.distance([0.2, 0.2, 0.1], [0.4, 0.4, 0.2]) == pytest.approx(0)
    assert exercises.distance([1, 0, 0], [0.5, 0.25, 0.25]) == pytest.approx(0.5)
    assert exercises.distance([0, 0], [1, 0]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("drawn", "near", "right"),
    [
        ([0.67, 0.33], "very near", True),
        ([0.8, 0.2], "near", True),
        ([0.95, 0.05], "far", False),
        ([0.77, 0.61], "far", False),
        ([0.9, 0.8], "far", False),
        ([1, 0.5], "in proportion", False),
        ([0.55, 0.45], "near", True),
        ([0.45, 0.45], "far", False),
    ],
)
def test_a_prediction_is_right_where_its_order_is_and_every_bar_is_near(drawn, near, right):
    assert exercises.nearness(drawn, [0.6698, 0.3302]) == near
    assert exercises.is_prediction_right(drawn, [0.6698, 0.3302]) is right


# what each mistake gives, worked out by hand or with a calculator
WRONG = [
    ("scores-as-weights", ONE, "weights", [0.7071, 0, -1]),
    ("divided-scores", HOT, "weights", [0.6667, 0.3333, 0]),
    ("not-divided", ONE, "weights", [1, 0.4931, 0.1814]),
    ("plain-exps", ONE, "weights", [2.0281, 1, 0.3679]),
    ("uniform", HIDDEN, "weights", [0.5, 0, 0.5]),
    ("mask-forgotten", given_of(scores=[[1, 1, 1, 1]], hide=[3]), "entropy", [1.3863]),
    ("no-temperature", given_of(scores=[[16, 8, 0]], beta=1 / 8), "weights", [0.9997, 0.0003, 0]),
    (
        "temperature-twice",
        given_of(scores=[[16, 8, 0]], beta=1 / 8),
        "weights",
        [0.3758, 0.3316, 0.2926],
    ),
    ("entropy-itself", ONE, "effective_keys", [0.9086]),
    ("entropy-itself", ONE, "entropy", [2.4809]),
    ("power-of-two", ONE, "effective_keys", [1.8773]),
    ("sum-of-values", HEAD, "output", [2, 2]),
    ("weights-as-output", HEAD, "output", [0.6698, 0.3302]),
    ("scaled-as-weights", HEAD, "weights", [0.7071, 0]),
    ("own-position", CAUSAL, "allowed", [0, 0, 0, 1, 0, 0, 1, 1, 0]),
    ("other-order", ONE, "weights", [0.1083, 0.2945, 0.5972]),
    ("not-subtracted", ONE, "exps", [2.0281, 1, 0.3679]),
    ("minimum-subtracted", ONE, "shifted", [1.7071, 1, 0]),
    ("columns", given_of(scores=[[2, 0], [1, 0]]), "weights", [0.7311, 0.5, 0.2689, 0.5]),
    ("whole-matrix", TWO, "weights", [0.2245, 0.0826, 0.0826, 0.6103]),
    ("temperature-inverted", HOT, "weights", [0.4484, 0.3213, 0.2302]),
    ("no-temperature", HOT, "weights", [0.6652, 0.2447, 0.0900]),
    ("temperature-after", HOT, "weights", [1.9957, 0.7342, 0.2701]),
    ("mask-after", HIDDEN, "weights", [0.1142, 0, 0.0420]),
    ("mask-forgotten", HIDDEN, "weights", [0.1142, 0.8438, 0.0420]),
    ("mask-multiplied", HIDDEN, "weights", [0.5761, 0.2119, 0.2119]),
    ("polarity", CAUSAL, "allowed", [0, 1, 1, 0, 0, 1, 0, 0, 0]),
    ("mask-aligned", CAUSAL, "allowed", [1, 1, 1, 0, 1, 1, 0, 0, 1]),
    ("divided-by-d_k", WIDE, "weights", [0.7311, 0.2689]),
    ("multiplied-by-root", WIDE, "weights", [0.9997, 0.0003]),
    ("not-scaled", WIDE, "weights", [0.9820, 0.0180]),
    (
        "not-transposed",
        given_of(q=[[1, 2]], k=[[1, 3], [0, 1]], v=[[1], [0]]),
        "scores",
        [1, 5],
    ),
    ("scores-times-values", HEAD, "output", [1.4142, 0]),
    ("mean-of-values", HEAD, "output", [1, 1]),
    ("rounded-early", given_of(scores=[[0, -2, -4]]), "weights", [0.8621, 0.1207, 0.0172]),
    ("rounded-scores", ONE, "shifted", [0, -0.71, -1.71]),
    ("bits", ONE, "entropy", 1.3109),
    ("base-10", ONE, "entropy", 0.3946),
    ("no-minus", ONE, "entropy", -0.9086),
    ("counted-keys", ONE, "effective_keys", 3),
    ("sums-to-one", TWO, "weight_sum", 1),
    ("gap-for-ratio", given_of(scores=[[3, 1, -1]]), "ratio", 4),
    ("ratio-of-scores", given_of(scores=[[3, 1, -1]]), "ratio", -3),
    ("ratio-inverted", given_of(scores=[[3, 1, -1]]), "ratio", 0.0183),
    ("other-ratio", given_of(scores=[[3, 1, -1]]), "ratio", 7.38906),
    ("e-times-gap", given_of(scores=[[3, 1, -1]]), "ratio", 10.87313),
    ("first-weight", given_of(scores=[[3, 1, -1]]), "ratio", 0.86681),
    ("scaled-gap-for-ratio", given_of(scores=[[10, 0, 5]], beta=0.2), "ratio", 1),
    ("gap-before-beta", given_of(scores=[[10, 0, 5]], beta=0.2), "ratio", 5),
    ("ratio-for-gap", given_of(scores=[[2, 0.5]]), "gap", 4.48169),
    ("gap-base-10", given_of(scores=[[2, 0.5]]), "gap", 0.65144),
    ("gap-turned", given_of(scores=[[2, 0.5]]), "gap", -1.5),
    ("exp-for-log", given_of(scores=[[2, 0.5]]), "gap", math.exp(math.exp(1.5))),
    ("other-limit", given_of(scores=[[4, 1, 4, 0]], beta=math.inf), "weights", [0.25] * 4),
    ("other-limit", given_of(scores=[[4, 1, 4, 0]], beta=0), "weights", [0.5, 0, 0.5, 0]),
    ("first-of-ties", given_of(scores=[[4, 1, 4, 0]], beta=math.inf), "weights", [1, 0, 0, 0]),
    ("winner-takes-all", HOT, "weights", [1, 0, 0]),
    ("percent", ONE, "weights", [59.720798, 29.446456, 10.832746]),
    ("not-raised", ONE, "exps", [0, -0.70711, -1.70711]),
    ("already-divided", ONE, "exps", [0.59721, 0.29446, 0.10833]),
    ("sign-turned", ONE, "exps", [1, 2.02811, 5.51299]),
    ("rounded-sum", ONE, "weights", [0.58824, 0.29004, 0.1067]),
    (
        "mask-and-temperature",
        given_of(scores=[[2, 1, 0, -1]], hide=[3], beta=2),
        "weights",
        [0.64391, 0.23688, 0.08714, 0.03206],
    ),
]


@pytest.mark.parametrize(("name", "given", "asked", "answer"), WRONG)
def test_a_wrong_answer_is_told_which_mistake_it_is(name, given, asked, answer):
    assert found_mistake(answer, given, asked, tolerance=0.00006) == name


def test_every_mistake_was_tried_but_nan_which_nobody_can_type():
    assert {name for name, *_ in WRONG} == set(MISTAKES) - {"naive"} | {
        "other-order",
        "other-ratio",
    }
    assert np.isnan(mistaken("naive", given_of(scores=[[1000, 1000]]))["weights"]).all()


def test_the_number_of_another_place_is_told():
    assert found_mistake([0.2945], ONE, "weights", [0], tolerance=0.0001) == "other-place"
    assert found_mistake([0.1814], ONE, "weights", [0], tolerance=0.0001) == "other-exponential"
    assert found_mistake([0.1814], ONE, "total", tolerance=0.0001) == ""
    assert found_mistake([0.1192, 0.8808], TWO, "weights", [0], tolerance=0.0001) == "other-row"
    assert found_mistake([0.1191, 0.8801], TWO, "weights", [0], tolerance=0.0001) == ""


def test_the_right_answer_is_never_called_a_mistake_nor_is_any_other_number():
    for given, name, right in GOLDEN:
        assert found_mistake(right, given, name, tolerance=0.0005) == "", name
        assert found_mistake(np.array(right) + 0.123, given, name, tolerance=0.0005) == ""


def test_a_mistake_that_is_unknown_is_named_with_those_there_are():
    with pytest.raises(KeyError, match=r"no mistake mask; there are .*mask-after"):
        mistaken("mask", Given())


def test_a_wrong_procedure_that_overflows_lets_no_warning_out():
    for given in (given_of(scores=[[1e308, 0]], beta=1e300), given_of(scores=[[1e308, -1e308]])):
        with np.errstate(all="raise"):
            assert found_mistake([0.1, 0.2], given, "weights", tolerance=0.001) == ""
