import math
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import effective_keys, entropy, naive_softmax, softmax_steps
from attnviz.content.shown import shown, shown_weight
from attnviz.content.softmax import (
    PRESETS,
    Explained,
    all_masked,
    bars_alt,
    beta_literal,
    beta_words,
    bracketed,
    check_facts,
    explain,
    factor,
    matrix_fact,
    pair_words,
    preset_states,
    row_facts,
)
from attnviz.core.questions import max_entropy, pair_ratio, row_checks
from attnviz.exports.softmax import latex_text, numpy_text
from attnviz.state.links import decode, encode
from attnviz.state.numbers import read_number
from attnviz.state.softmax import COLUMNS, SoftmaxState, matrix
from attnviz.state.temperature import Temperature
from tests.core.cases import GOLDEN
from tests.state.states import few, states

CLOSE = dict(rtol=4e-16, atol=4e-16)


def steps_of(state):
    """The steps of the chosen query."""
    return softmax_steps(
        state.values[state.row], beta=state.temperature.beta, allowed=state.allowed, empty="nan"
    )


def explained(state, pick):
    position = int(pick.partition(":")[2])
    return explain(
        pick,
        state.key_labels[position],
        state.scores[state.row][position].text,
        steps_of(state),
        state.temperature.beta,
    )


# -- presets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_opened_by_its_link_and_by_the_fields_it_holds(name):
    state = PRESETS[name].state
    assert urlencode({"preset": name}) == f"preset={name}"
    found = decode({"preset": name}, SoftmaxState, preset_states())
    assert found.notes == ()
    assert found.state == replace(state, preset=name)
    params = dict(parse_qsl(urlencode(encode(state, {}))))
    found = decode(params, SoftmaxState, preset_states())
    assert found.notes == ()
    assert found.state == state


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_something_to_show_on_its_panel(name):
    state = PRESETS[name].state
    steps = softmax_steps(state.values, beta=state.temperature.beta, allowed=state.allowed)
    np.testing.assert_allclose(steps.weights.sum(axis=-1), 1, rtol=1e-15)
    assert state.panel != "rows" or state.n_queries > 1
    assert state.panel != "pair" or all(state.allowed[key] for key in state.keys_compared)


def test_titles_and_states_of_presets_are_unique():
    titles = [preset.title for preset in PRESETS.values()]
    assert len(set(titles)) == len(titles)
    assert len(set(preset_states().values())) == len(PRESETS)
    assert all(state.preset == "" for state in preset_states().values())


@pytest.mark.parametrize("case", GOLDEN["softmax"], ids=lambda case: case["name"])
def test_every_golden_number_is_computed_from_a_preset(case):
    scores = [read_number(str(score)).value for score in case["scores"]]
    (state,) = (
        state
        for state in preset_states().values()
        if state.values == (tuple(scores),)
        and state.temperature.beta == case.get("beta", 1)
        and not state.hide
        and not (case.get("beta") is None and state.temperature.name == "beta")
    )
    steps = steps_of(state)
    np.testing.assert_allclose(steps.weights, case["weights"], **CLOSE)
    checked = {"name", "note", "scores", "beta", "weights"}
    if "shifted" in case:
        np.testing.assert_allclose(steps.shifted, case["shifted"], **CLOSE)
        np.testing.assert_allclose(steps.exps, case["exp"], **CLOSE)
        checked |= {"shifted", "exp"}
    if "entropy_nats" in case:
        assert entropy(steps.weights) == pytest.approx(case["entropy_nats"], rel=1e-15)
        checked |= {"entropy_nats"}
    if "effective_keys" in case:
        assert effective_keys(steps.weights) == pytest.approx(case["effective_keys"], rel=1e-15)
        checked |= {"effective_keys"}
    if "first_over_last" in case:
        ratio = pair_ratio(steps, 0, len(scores) - 1, beta=state.temperature.beta)
        for value in (ratio.ratio, ratio.measured):
            assert value == pytest.approx(case["first_over_last"], rel=1e-14)
        checked |= {"first_over_last"}
    if "naive" in case:
        assert [str(w) for w in naive_softmax(steps.masked)] == case["naive"]
        checked |= {"naive"}
    assert set(case) <= checked


def test_the_presets_that_lessons_name_hold_their_numbers():
    lines = pair_of("gap-5")
    assert lines[1] == "Ratio of the weights: e^(β·Δ) = e^(1 · 5) = e^(5) = 148.4132"
    assert lines[2].endswith(" = 148.4132")
    assert pair_of("gap-1")[1].endswith("= 2.7183")
    assert not steps_of(PRESETS["tied-masked"].state).allowed[2]
    assert (steps_of(PRESETS["underflow"].state).weights == 0).tolist() == [False, False, True]


# -- explanations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_every_explanation_quotes_the_live_numbers(name):
    state = PRESETS[name].state
    steps, beta = steps_of(state), shown(state.temperature.beta)
    top, total = shown(float(steps.masked.max())), shown(float(steps.total))
    for j, label in enumerate(state.key_labels):
        score, scaled, shifted, exp, weight = (
            shown(float(a[j]))
            for a in (steps.scores, steps.scaled, steps.shifted, steps.exps, steps.weights)
        )
        symbols = {
            "score": f"score[{label}] = {score}",
            "scaled": f"scaled[{label}] = β · score = {beta} · {bracketed(score)} = {scaled}",
            "shifted": f"shifted[{label}] = scaled − max = {scaled} − {bracketed(top)} = {shifted}",
            "exp": f"exp[{label}] = exp({shifted}) = {exp}",
            "weight": f"weight[{label}] = exp / Σ exp = {exp} / {total} = {weight}",
        }
        assert set(symbols) == set(COLUMNS)
        for column, expected in symbols.items():
            found = explained(state, f"{column}:{j}")
            if steps.allowed[j] or column == "score":
                assert found.symbols.replace("≈", "=") == expected
            else:
                assert found.symbols == f"weight[{label}] = exp(−∞) / Σ = 0"
                assert found.words.startswith(f"{label} is masked: its score counts as −∞")
            assert found.words.endswith(".")


def calculated(symbols):
    """The last sum of an explanation as a calculator with the shown numbers gives it."""
    *_, sum_, result = symbols.split(" = ")
    sum_ = sum_.replace("(", "").replace(")", "")
    for sign in (" − ", " · ", " / "):
        if sign in sum_:
            a, b = (read_number(part).value for part in sum_.split(sign))
            value = a - b if sign == " − " else a * b if sign == " · " else a / b
            return value, read_number(result).value
    return math.exp(read_number(sum_.removeprefix("exp")).value), read_number(result).value


@pytest.mark.parametrize("name", PRESETS)
def test_every_explanation_can_be_checked_with_a_calculator(name):
    state = PRESETS[name].state
    for j in range(state.n_keys):
        if steps_of(state).allowed[j]:
            for column in ("scaled", "shifted", "exp", "weight"):
                symbols = explained(state, f"{column}:{j}").symbols.replace("≈", "=")
                left, right = calculated(symbols)
                assert left == pytest.approx(right, abs=1.6e-4, rel=5e-4)


@few
@given(states(), st.data())
def test_there_is_an_explanation_of_every_number_of_every_state(state, data):
    position = data.draw(st.integers(0, state.n_keys - 1))
    steps = steps_of(state)
    if not steps.allowed.any():
        return
    for column in COLUMNS:
        found = explained(state, f"{column}:{position}")
        assert found.symbols
        assert found.words.endswith(".")
        if column in ("score", "exp", "weight") and steps.allowed[position]:
            number = getattr(steps, f"{column}s")[position]
            assert found.symbols.replace("≈", "=").endswith(f" = {shown(float(number))}")


def test_a_score_that_was_typed_otherwise_is_quoted_as_typed():
    state = PRESETS["three-scores"].state
    assert explained(state, "score:0") == Explained(
        "score[k1] = 0.7071", "The score of k1 is 0.7071, typed as 1/sqrt(2)."
    )
    assert explained(state, "score:2").words == "The score of k3 is −1."


def test_an_underflow_is_named_as_one_and_the_exact_zero_of_the_limit_is_not():
    state = PRESETS["underflow"].state
    assert "it underflows to 0" in explained(state, "exp:2").words
    assert "It underflowed" in explained(state, "weight:2").words
    assert "underflow" not in explained(state, "exp:1").words
    limit = replace(PRESETS["beta-1"].state, temperature=Temperature("beta", "inf"))
    for column in COLUMNS:
        for position in range(3):
            assert "underflow" not in explained(limit, f"{column}:{position}").words
    assert explained(limit, "shifted:1").symbols == "shifted[k2] = −∞"
    assert explained(limit, "scaled:1").symbols == "β → ∞"


@pytest.mark.parametrize(
    ("scores", "beta", "pick", "sum_"),
    [
        ("1e15 999999999999999", "0.1", "shifted:1", "0.1 · (1e+15 − 1e+15) = −0.1"),
        ("4 2", "1e308", "shifted:0", "1e+308 · (4 − 4) = 0"),
        ("2 1.5", "1e308", "shifted:1", "1e+308 · (1.5 − 2) = −5e+307"),
    ],
)
def test_where_scaled_scores_lose_the_difference_the_sum_that_was_computed_is_shown(
    scores, beta, pick, sum_
):
    state = SoftmaxState(matrix(scores), temperature=Temperature("beta", beta))
    assert explained(state, pick).symbols.endswith(
        f"shifted[k{int(pick[-1]) + 1}] = β · (score − max) = {sum_}"
    )


def test_long_labels_are_clipped_in_explanations():
    state = SoftmaxState(matrix("1 0"), ("a" * 200, "b"))
    assert explained(state, "weight:0").symbols.startswith(f"weight[{'a' * 23}…] = ")


# -- facts and words ------------------------------------------------------------------------------


@few
@given(states())
def test_the_bars_are_described_with_the_live_numbers(state):
    steps, beta = steps_of(state), state.temperature.beta
    words = bars_alt(state.key_labels, steps, beta)
    assert words.startswith(f"Weights at {beta_words(beta)}: ")
    for weight, allowed in zip(steps.weights.tolist(), steps.allowed.tolist(), strict=True):
        assert shown_weight(weight, allowed, exact=math.isinf(beta)) in words


def test_more_than_16_bars_are_counted_and_not_listed():
    state = SoftmaxState(matrix("0 " * 20))
    words = bars_alt(state.key_labels, steps_of(state), 1.0)
    assert (
        words
        == f"Weights at β = 1: {', '.join(f'k{i + 1} 0.05' for i in range(16))} and 4 more keys."
    )
    state = SoftmaxState(matrix("0 -800"))
    assert bars_alt(("a", "b"), steps_of(state), 1.0).endswith("a 1, b 0 (underflow).")
    state = SoftmaxState(temperature=Temperature("beta", "inf"))
    words = bars_alt(state.key_labels, steps_of(state), math.inf)
    assert words == "Weights at β → ∞ (T → 0): k1 1, k2 0, k3 0."
    state = SoftmaxState(matrix("0 -inf"))
    assert bars_alt(("a", "b"), steps_of(state), 1.0) == "Weights at β = 1: a 1, b masked."


def test_how_spread_the_weights_are_is_said_in_nats_and_in_keys():
    state = PRESETS["beta-1"].state
    steps = steps_of(state)
    facts = row_facts(
        state.key_labels,
        steps,
        entropy(steps.weights),
        effective_keys(steps.weights),
        max_entropy(3),
    )
    assert [(f["term"], f["value"], f["note"]) for f in facts] == [
        ("Entropy", "0.8324 nats", "of at most ln 3 = 1.0986"),
        ("Effective keys", "2.2988", "of 3 allowed"),
        ("Largest weight", "0.6652", "k1"),
    ]


def test_masked_keys_do_not_count_as_allowed():
    steps = steps_of(PRESETS["tied-masked"].state)
    facts = row_facts(("a", "b", "c"), steps, math.log(2), 2.0, max_entropy(2))
    assert facts[0]["note"] == "of at most ln 2 = 0.6931"
    assert facts[1]["note"] == "of 2 allowed"


@pytest.mark.parametrize("name", PRESETS)
def test_every_check_of_every_preset_holds(name):
    state = PRESETS[name].state
    facts = check_facts(
        row_checks(
            state.values[state.row],
            beta=state.temperature.beta,
            allowed=state.allowed,
            shift=state.add.value,
        )
    )
    assert [fact["ok"] for fact in facts] == [True] * len(facts)
    terms = [fact["term"] for fact in facts]
    masked = not steps_of(state).allowed.all()
    assert ("Masked weights are 0" in terms) == masked
    assert terms[-1] == "Change under score + 100"


def facts_of(scores, **options):
    return {fact["term"]: fact for fact in check_facts(row_checks(scores, **options))}


def test_the_checks_are_measured_numbers():
    facts = facts_of([0, -800])
    assert facts["Smallest weight ≥ 0"]["value"] == "0 (underflow)"
    assert facts_of([0, -40])["Smallest weight ≥ 0"]["value"] == "4.248e−18"
    assert facts_of([0, -1], beta=math.inf)["Smallest weight ≥ 0"]["value"] == "0"
    assert facts_of([0, -1], shift=-5)["Change under score + (−5)"]["ok"]
    large = facts_of([2, 1, 0], shift=1e17)["Change under score + 1e+17"]  # the scores become equal
    assert (large["value"], large["ok"]) == ("0.33", False)


def test_a_shift_beyond_float64_is_said_and_is_no_failed_check():
    fact = facts_of([1.7e308, 0], shift=1e308)["Change under score + 1e+308"]
    assert (fact["value"], fact["ok"]) == ("a score would be too large for float64", None)


def pair_of(name_or_state, pair=None):
    state = PRESETS[name_or_state].state if isinstance(name_or_state, str) else name_or_state
    steps, beta = steps_of(state), state.temperature.beta
    pair = pair or state.keys_compared
    return pair_words(state.key_labels, pair, steps, pair_ratio(steps, *pair, beta=beta), beta)


def test_the_ratio_of_two_weights_is_explained_with_the_live_numbers():
    assert pair_of("beta-2", (2, 0)) == [
        "Gap of the scores: Δ = 0 − 2 = −2",
        "Ratio of the weights: e^(β·Δ) = e^(2 · (−2)) = e^(−4) = 0.0183",
        "Measured: weight[k3] / weight[k1] = 0.0159 / 0.8668 = 0.0183",
    ]
    assert pair_of("tied", (0, 3))[0] == "Gap of the scores: Δ = 3 − (−1) = 4"


def test_there_is_no_ratio_with_a_masked_key_in_the_limit_or_with_an_underflowed_weight():
    assert pair_of("second-masked", (0, 1)) == ["k2 is masked: there is no ratio."]
    assert pair_of("second-masked", (1, 1)) == ["k2 is masked: there is no ratio."]
    state = SoftmaxState(matrix("1 2 3"), hide=(0, 2))
    assert pair_of(state, (0, 2)) == ["k1 and k3 are masked: there is no ratio."]
    limit = SoftmaxState(temperature=Temperature("beta", "inf"))
    assert "In the limit T → 0" in pair_of(limit)[0]
    lines = pair_of("underflow", (0, 2))
    assert lines[1].endswith("= e^(800) > 1.798e+308, beyond float64")
    assert lines[2] == "The weight of k3 is 0, so the two weights themselves can't be divided."


def test_all_weights_sum_to_the_number_of_queries():
    state = PRESETS["two-queries"].state
    every = softmax_steps(state.values)
    fact = matrix_fact(every, 2)
    assert (fact["value"], fact["note"]) == ("2", "one for each of 2 queries")
    every = softmax_steps([[1, 2], [-math.inf, -math.inf], [0, 0]], empty="nan")
    fact = matrix_fact(every, 3)
    assert fact["value"] == "2"
    assert fact["note"] == "one for each of 3 queries, 1 of them without an allowed key"


def test_a_query_without_an_allowed_key_is_named():
    assert all_masked(0, 1).startswith("Every key is masked: ")
    assert all_masked(2, 3).startswith("Every key of query 3 is masked: ")


@few
@given(states())
def test_beta_is_written_for_exports_as_typed_or_with_all_its_digits(state):
    temperature = state.temperature
    literal = beta_literal(temperature)
    assert float(literal) == temperature.beta  # a plain number, or inf
    plain = "/" not in temperature.text and "sqrt" not in temperature.text
    assert temperature.name == "T" or not plain or literal == temperature.text


@pytest.mark.parametrize(
    ("name", "text", "literal"),
    [
        ("beta", "3", "3"),
        ("beta", "0.50", "0.50"),
        ("beta", "1/4", "0.25"),
        ("beta", "1/sqrt(2)", "0.7071067811865476"),
        ("beta", "inf", "inf"),
        ("T", "inf", "0"),
        ("T", "4", "0.25"),
        ("T", "1/3", "3"),
    ],
)
def test_the_exports_can_read_every_beta(name, text, literal):
    assert beta_literal(Temperature(name, text)) == literal
    state = SoftmaxState(temperature=Temperature(name, text))
    assert literal in numpy_text(state.values, literal, state.hidden, state.key_labels)
    assert latex_text(state.key_labels, steps_of(state), 0, literal)


def test_typed_constants_stand_in_headings_with_brackets_where_they_need_them():
    assert [factor(read_number(text)) for text in ("100", "-2", "1/3", "1e-3")] == [
        "100",
        "(−2)",
        "1/3",
        "1e−3",
    ]


def test_no_sentence_promises_a_number_that_the_core_does_not_compute():
    from attnviz.content import softmax as words

    assert shown(math.log(float(np.finfo(float).max))) == "709.7827"
    assert re.search(r"above 709\.78\b", words.NAIVE)
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(709.78))
        assert np.isinf(np.exp(709.79))


@pytest.mark.parametrize(
    ("pick", "symbols"),
    [
        ("scaled:0", "scaled[k1] = β · score = 0.1658 · 0.3 ≈ 0.0498"),
        ("shifted:0", "shifted[k1] = scaled − max = 0.0498 − 0.1824 ≈ −0.1327"),
        ("shifted:2", "shifted[k3] = scaled − max = 0.1824 − 0.1824 = 0"),
    ],
)
def test_a_result_that_a_calculator_gets_otherwise_from_the_shown_numbers_says_about(pick, symbols):
    state = SoftmaxState(matrix("0.3 0.9 1.1"), temperature=Temperature("T", "6.03"))
    assert explained(state, pick).symbols == symbols
