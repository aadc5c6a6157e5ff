"""An independent judge: the same formulas in the standard library's decimal, at 60 digits."""

import decimal
from decimal import Decimal

import numpy as np
import pytest

from attnviz import entropy, log_softmax, softmax, softmax_steps

N_ROWS = 2500
ULP_OF_1 = 2.0**-52


def exactly(scores, beta):
    """Return weights and their logarithms; Decimal(float) is exact."""
    with decimal.localcontext() as context:
        context.prec, context.Emin = 60, decimal.MIN_EMIN
        top = max(scores)
        shifted = [Decimal(beta) * (Decimal(x) - Decimal(top)) for x in scores]
        exps = [z.exp() for z in shifted]
        total = sum(exps)
        return [e / total for e in exps], [z - total.ln() for z in shifted]


def random_rows():
    """Yield (scores, beta): all sizes up to ±1e6, some rows close to a tie, beta 1e-3 to 1e3."""
    rng = np.random.default_rng(20260801)
    for i in range(N_ROWS):
        n = int(rng.integers(1, 9))
        beta = 10 ** rng.uniform(-3, 3)
        scores = rng.uniform(-1, 1, n) * 10 ** rng.uniform(-3, 6)
        if i % 3 == 0:  # differences that matter at this beta, around a large score
            scores = rng.uniform(-1e6, 1e6) + rng.uniform(-5, 0, n) / beta
        yield np.clip(scores, -1e6, 1e6), beta


@pytest.fixture(scope="module")
def judged():
    return [(scores, beta, *exactly(scores.tolist(), beta)) for scores, beta in random_rows()]


def test_weights_are_within_4_ulp_of_1_of_the_exact_ones(judged):
    worst = 0.0
    for scores, beta, weights, _ in judged:
        for got in (softmax(scores, beta=beta), softmax_steps(scores, beta=beta).weights):
            errors = [abs(Decimal(g) - w) for g, w in zip(got.tolist(), weights, strict=True)]
            worst = max(worst, float(max(errors)))
    assert len(judged) >= 2000
    assert 0 < worst <= 4 * ULP_OF_1


def test_logarithms_of_weights_are_right_relative_to_their_own_size(judged):
    worst = 0.0
    for scores, beta, _, logs in judged:
        for got, log in zip(log_softmax(scores, beta=beta).tolist(), logs, strict=True):
            if abs(log) > 1e-30:  # below, 60 digits are too few for the judge itself
                worst = max(worst, float(abs((Decimal(got) - log) / log)))
    # ln(1 - 1e-30) is about exp(-69), where the last digit of 69 counts 69 times.
    assert 0 < worst <= 4 * 69 * ULP_OF_1


def test_entropy_is_right_to_a_few_ulp_of_ln_8(judged):
    worst = 0.0
    for scores, beta, weights, logs in judged:
        exact = -sum(w * log for w, log in zip(weights, logs, strict=True))
        worst = max(worst, abs(entropy(softmax(scores, beta=beta)) - float(exact)))
    assert 0 < worst <= 16 * ULP_OF_1
