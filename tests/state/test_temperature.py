import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.state.numbers import read_number, write_number
from attnviz.state.temperature import (
    MARKS,
    SLIDER_HIGH,
    SLIDER_LOW,
    TEMPERATURE,
    Temperature,
    read_temperature,
)
from tests.state.states import seeded, temperatures

names = st.sampled_from(["T", "beta"])


@seeded
@given(temperatures)
def test_a_temperature_is_read_back_from_what_its_link_holds(temperature):
    name, text = TEMPERATURE.write(temperature)
    assert name == temperature.name
    assert text.isascii()
    assert TEMPERATURE.reads[name](text) == temperature


@seeded
@given(names, st.floats(1e-300, 1e300))
def test_T_and_beta_are_inverse_and_the_typed_one_is_exact(name, value):
    temperature = read_temperature(name, write_number(value))
    assert getattr(temperature, name) == value
    assert temperature.T * temperature.beta == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("text", ["3", "0.50", "1/3", "sqrt(2)", "1e-3", "1/sqrt(2)"])
@pytest.mark.parametrize("name", ["T", "beta"])
def test_what_is_typed_stays_as_it_was_typed(name, text):
    assert read_temperature(name, text) == Temperature(name, text)
    assert getattr(Temperature(name, text), name) == read_number(text).value


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("0,5", "0.5"), (" 2 ", "2"), ("１.5", "1.5"), ("+3", "3"), ("np.float64(2)", "2")],
)
def test_any_spelling_of_a_number_is_read_and_kept_in_one_spelling(typed, kept):
    assert read_temperature("T", typed) == Temperature("T", kept)


@pytest.mark.parametrize("text", ["inf", "+inf", "Infinity", "∞", " INF ", "+∞"])
def test_infinity_is_a_limit_at_either_end(text):
    assert read_temperature("T", text) == Temperature("T", "inf")
    assert read_temperature("beta", text) == Temperature("beta", "inf")


def test_the_limits_have_their_inverse():
    cold, hot = Temperature("beta", "inf"), Temperature("T", "inf")
    assert (cold.beta, cold.T) == (math.inf, 0)
    assert (hot.beta, hot.T) == (0, math.inf)
    assert (Temperature("beta", "0").beta, Temperature("beta", "0").T) == (0, math.inf)
    assert Temperature() == Temperature("T", "1")
    assert Temperature().beta == 1


@pytest.mark.parametrize("name", ["T", "beta"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-1", "must be (above 0|0 or more); got '-1'"),
        ("-inf", "must be (above 0|0 or more); got '-inf'"),
        ("−0.5", "must be (above 0|0 or more); got"),
        ("nan", "must be a number (above|from) 0: .*NaN"),
        ("abc", "must be a number (above|from) 0: .*'abc'"),
        ("", "must be a number (above|from) 0: .*blank"),
        (" ", "must be a number (above|from) 0: .*blank"),
        ("\0", "must be a number (above|from) 0"),
        ("1e400", "must be a number (above|from) 0: .*outside the range of float64"),
        ("1/0", "must be a number (above|from) 0: .*divides by zero"),
        ("1e-320", "too close to 0 for float64"),
        ("1 2", "must be a number (above|from) 0"),
        ("9" * 5000, "longer than 64 characters"),
        ("-∞", "must be (above 0|0 or more)"),
    ],
)
def test_what_is_no_temperature_is_refused_with_its_name_and_what_came(name, text, words):
    shown = "T" if name == "T" else "β"
    for make in (read_temperature, Temperature):
        with pytest.raises(ValueError, match=f"^{shown} .*{words}|^{shown} {words}") as refusal:
            make(name, text)
        assert len(str(refusal.value)) < 200


def test_beta_may_be_0_and_its_sentence_says_so():
    with pytest.raises(ValueError, match="β must be 0 or more; got '-2'"):
        read_temperature("beta", "-2")
    with pytest.raises(ValueError, match=r"β must be a number from 0: .*'x'"):
        read_temperature("beta", "x")


def test_T_0_is_refused_with_the_way_to_its_limit_and_beta_0_is_a_limit():
    for text in ("0", "0.0", "-0", "1e-400"):
        with pytest.raises(ValueError, match=r"T must be above 0; for the limit T → 0.*beta=inf"):
            read_temperature("T", text)
        assert read_temperature("beta", text).beta == 0


def test_a_temperature_is_named_T_or_beta():
    for name in ("t", "", "β", "tau"):
        with pytest.raises(ValueError, match="named T or beta"):
            Temperature(name, "1")


@seeded
@given(names, st.text(max_size=12) | st.text("0123456789./-+e,∞ sqrt()", max_size=12))
def test_any_text_is_a_temperature_or_is_refused_with_a_sentence(name, text):
    try:
        temperature = read_temperature(name, text)
    except ValueError as error:
        refusal = str(error)
        assert refusal.startswith("T " if name == "T" else "β "), refusal
        return
    assert 0 <= temperature.beta <= math.inf
    assert 0 <= temperature.T <= math.inf
    assert (temperature.T == 0) == math.isinf(temperature.beta)
    assert (temperature.beta == 0) == math.isinf(temperature.T)
    assert math.log10(SLIDER_LOW) <= temperature.position <= math.log10(SLIDER_HIGH)
    assert read_temperature(name, temperature.text) == temperature


@pytest.mark.parametrize(
    ("temperature", "position"),
    [
        (Temperature(), 0),
        (Temperature("T", "10"), 1),
        (Temperature("beta", "10"), -1),
        (Temperature("T", "999"), 2),
        (Temperature("T", "0.001"), -2),
        (Temperature("T", "inf"), 2),
        (Temperature("beta", "0"), 2),
        (Temperature("beta", "inf"), -2),
    ],
)
def test_the_slider_stands_at_log10_T_and_rests_at_its_ends(temperature, position):
    assert temperature.position == pytest.approx(position, abs=1e-12)


def test_the_marks_of_the_slider_are_temperatures_on_it_in_order():
    values = [read_temperature("T", mark).T for mark in MARKS]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (SLIDER_LOW, SLIDER_HIGH)
    assert {0.7, 1, 1.5} < set(values)
