import itertools
import math

import numpy as np
import pytest
from hypothesis import given

from attnviz import MASKS, attention, effective_keys, entropy, softmax, softmax_steps
from attnviz.core.entropy import entropy_terms
from tests.core.cases import GOLDEN, betas, number, rows, seeded

INF = math.inf


@pytest.mark.parametrize(
    "case", [c for c in GOLDEN["softmax"] if "entropy_nats" in c], ids=lambda case: case["name"]
)
def test_entropy_and_effective_keys_are_the_golden_ones(case):
    weights = softmax([number(score) for score in case["scores"]], beta=case.get("beta", 1))
    assert entropy(weights) == pytest.approx(case["entropy_nats"], rel=1e-15)
    if "effective_keys" in case:
        assert effective_keys(weights) == pytest.approx(case["effective_keys"], rel=1e-15)


@pytest.mark.parametrize(
    ("weights", "nats"), [([0, 0.5, 0.5], "0.6931471805599453"), ([0, 0, 1], "0.0"), ([1], "0.0")]
)
def test_zero_weights_add_nothing_and_certainty_is_plus_zero(weights, nats):
    assert repr(entropy(weights)) == nats


def test_four_equal_weights_are_2_bits_and_the_unit_follows_the_base():
    quarter = [0.25] * 4
    assert entropy(quarter) == 1.3862943611198906
    assert entropy(quarter, base=2) == 2.0
    assert entropy(quarter, base=4) == pytest.approx(1, rel=1e-15)
    assert entropy([0.1] * 10, base=10) == pytest.approx(1, rel=1e-15)
    assert entropy(quarter, base=math.e) == pytest.approx(1.3862943611198906, rel=1e-15)


@pytest.mark.parametrize(("weights", "total"), [([1, 1, 1, 1], "4"), ([0.6, 0.6], "1.2")])
def test_weights_that_do_not_sum_to_1_are_refused_not_normalised(weights, total):
    with pytest.raises(ValueError, match=rf"must sum to 1; the only row sums to {total}$"):
        entropy(weights)


def test_rounding_size_negatives_count_as_0():
    assert repr(entropy([1.0000000000000002, -2.2e-16])) == "0.0"
    assert repr(entropy([1 + 1e-10, -1e-10])) == "0.0"


def test_weights_that_a_person_rounded_are_taken_as_they_are():
    rounded = [0.6652, 0.2447, 0.0900]
    expected = -sum(w * math.log(w) for w in rounded)
    assert entropy(rounded) == pytest.approx(expected, rel=1e-15)
    assert entropy([0.33, 0.33, 0.33]) > 0
    assert entropy([0.505, 0.505]) > 0
    with pytest.raises(ValueError, match=r"sums to 0\.98"):
        entropy([0.49, 0.49])


def test_the_entropy_of_causal_rows_grows_with_the_allowed_keys():
    allowed = MASKS["causal"].allowed(3, 3)
    nats = entropy(softmax_steps(np.zeros((3, 3)), allowed=allowed).weights)
    np.testing.assert_allclose(nats, [0.0, 0.6931471805599453, 1.0986122886681098], rtol=1e-15)
    np.testing.assert_allclose(nats / math.log(3), [0.0, 0.6309297535714574, 1.0], rtol=1e-15)


def test_a_fully_masked_row_has_no_entropy_rather_than_that_of_certainty():
    steps = attention(
        np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)),
        allowed=[[True, True], [False, False]], empty="zeros",
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"row 1 .*sums to 0"):
        entropy(steps.weights)
    np.testing.assert_array_equal(steps.empty_rows, [False, True])
    assert entropy(steps.weights[~steps.empty_rows]) == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([[0.5, 0.5], [math.nan, 1]], "NaN in row 1, column 0"),
        ([INF, 0], "infinity at position 0"),
        ([1.1, -0.1], "negative at position 1"),
        ([1, -2e-9], "negative at position 1"),
        ([], "empty row"),
        (["1"], "text"),
        (1.0, "no axis"),
        ([1e308, 1e308], "sums to inf"),
    ],
)
@pytest.mark.parametrize("function", [entropy, effective_keys])
def test_what_is_no_weight_is_refused_with_its_place(function, weights, words):
    with pytest.raises(ValueError, match=words):
        function(weights)


@pytest.mark.parametrize("base", [1, 0, -2, math.nan, INF, "2"])
def test_a_base_that_is_not_above_1_is_refused(base):
    with pytest.raises(ValueError, match="base"):
        entropy([0.5, 0.5], base=base)


def test_one_row_gives_a_float_and_a_matrix_gives_one_number_a_row():
    weights = np.array([[0.5, 0.5], [1, 0]])
    assert type(entropy(weights[0])) is float
    assert type(effective_keys(weights[0])) is float
    np.testing.assert_allclose(entropy(weights), [math.log(2), 0])
    np.testing.assert_allclose(effective_keys(weights), [2, 1])
    np.testing.assert_allclose(entropy(weights.T, axis=0), [math.log(2), 0])
    assert entropy(np.empty((0, 3))).shape == (0,)
    with pytest.raises(np.exceptions.AxisError):
        entropy(weights, axis=2)


def test_the_weights_are_not_changed():
    weights = np.array([1 + 1e-10, -1e-10])
    entropy(weights)
    np.testing.assert_array_equal(weights, [1 + 1e-10, -1e-10])


@seeded
@given(rows(), betas)
def test_entropy_lies_between_0_and_ln_of_the_allowed_keys(row, beta):
    allowed = sum(score != -INF for score in row)
    nats = entropy(softmax(row, beta=beta))
    assert 0 <= nats <= math.log(allowed) + 1e-15
    assert not np.signbit(nats)
    assert 1 <= effective_keys(softmax(row, beta=beta)) <= allowed + 1e-13


@seeded
@given(rows(elements=betas))
def test_a_larger_beta_never_spreads_the_weights(row):
    nats = [entropy(softmax(row, beta=beta)) for beta in (0, 0.1, 1, 10)]
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(nats))


@pytest.mark.parametrize(
    ("scores", "beta", "nats"),
    [
        ([0.0, -40.0, -800.0], 1.0, 1.741850405910573e-16),
        ([3.0, 1.0, 1.0, -1.0], 20.0, 3.483700811821146e-16),
    ],
)
def test_a_tiny_entropy_keeps_its_digits_although_the_largest_weight_is_stored_as_1(
    scores, beta, nats
):
    assert entropy(softmax(scores, beta=beta)) == pytest.approx(nats, rel=1e-12)


@pytest.mark.parametrize(
    "scores", [[2, 1, 0], [0, -40], [0, -37], [0, -38, -38], [0, -800], [5, 5]]
)
def test_the_terms_sum_to_the_entropy_also_where_a_weight_is_stored_as_1(scores):
    weights = softmax(scores)
    logs, terms = entropy_terms(weights)
    assert terms.sum() == pytest.approx(entropy(weights), rel=1e-12, abs=0)
    assert (logs <= 0).all()
    assert terms[weights == 0].tolist() == [0.0] * int((weights == 0).sum())
