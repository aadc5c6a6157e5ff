import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from attnviz import entropy, naive_softmax, softmax_steps
from attnviz.content.shown import shown, shown_weight
from attnviz.content.softmax import PRESETS, Explained
from attnviz.content.tables import moves_table, naive_table, queries_table, steps_table
from attnviz.core.questions import (
    add_to_scores,
    multiply_scores,
    naive_exps,
    row_entropies,
)
from attnviz.state.numbers import read_number
from attnviz.state.softmax import COLUMNS, STEPS, SoftmaxState, matrix
from attnviz.state.temperature import Temperature
from tests.state.states import few, states

UNDERFLOW = PRESETS["underflow"].state
MASKED = PRESETS["tied-masked"].state


def steps_of(state, every=False):
    values = state.values if every else state.values[state.row]
    return softmax_steps(values, beta=state.temperature.beta, allowed=state.allowed, empty="nan")


def stepped(state, **options):
    colors = ["#000"] * state.n_keys
    return steps_table(state.key_labels, colors, steps_of(state), state.temperature.beta, **options)


def columns(table):
    """The cells of a table by the id of their column."""
    ids = [column["id"] for column in table["head"][1:]]
    for row in (*table["rows"], *table["foot"]):
        assert len(row["cells"]) == len(ids)
    return {name: [row["cells"][at] for row in table["rows"]] for at, name in enumerate(ids)}


def foot(table):
    ids = [column["id"] for column in table["head"][1:]]
    (row,) = table["foot"]
    return dict(zip(ids, row["cells"], strict=True))


# -- step by step ---------------------------------------------------------------------------------


def test_the_first_example_is_laid_out_step_by_step():
    table = stepped(PRESETS["three-scores"].state)
    assert columns(table) == {
        "score": ["0.7071", "0", "−1"],
        "scaled": ["0.7071", "0", "−1"],
        "shifted": ["0", "−0.7071", "−1.7071"],
        "exp": ["1", "0.4931", "0.1814"],
        "weight": ["0.5972", "0.2945", "0.1083"],
    }
    assert foot(table) == {"score": "", "scaled": "", "shifted": "", "exp": "1.6745", "weight": "1"}
    assert [row["label"] for row in table["rows"]] == ["k1", "k2", "k3"]
    assert [row["pick"] for row in table["rows"]] == ["0", "1", "2"]


def test_the_columns_of_the_table_are_those_that_can_be_picked_and_stepped_through():
    ids = [column["id"] for column in stepped(SoftmaxState())["head"]]
    assert ids == ["key", *COLUMNS]
    assert len(COLUMNS) == len(STEPS)
    assert all(column["help"] for column in stepped(SoftmaxState())["head"])


@few
@given(states())
def test_every_cell_is_the_number_of_the_core_and_every_total_is_computed(state):
    steps, table = steps_of(state), stepped(state)
    found, exact = columns(table), math.isinf(state.temperature.beta)
    for j, row in enumerate(table["rows"]):
        cells = {name: cells[j] for name, cells in found.items()}
        assert cells["score"] == shown(steps.scores[j])
        assert row["masked"] == (not steps.allowed[j])
        if steps.allowed[j]:
            scaled = shown(steps.scaled[j])
            if exact:
                scaled = "—"  # in the limit only the order of the scores counts
            assert cells["scaled"] == ("beyond float64" if scaled.endswith("∞") else scaled)
            assert cells["shifted"] == shown(steps.shifted[j])
            assert cells["exp"] == shown_weight(steps.exps[j], True, exact=exact)
            assert cells["weight"] == shown_weight(steps.weights[j], True, exact=exact)
        else:
            rest = [cells[name] for name in ("scaled", "shifted", "exp", "weight")]
            assert rest == ["masked", "−∞", "0", "0 (masked)"]
    assert foot(table)["exp"] == shown(float(steps.exps.sum()))
    assert foot(table)["weight"] == ("1" if steps.allowed.any() else "nan")


@pytest.mark.parametrize("name", PRESETS)
def test_the_column_exp_holds_exp_of_the_column_on_its_left(name):
    found = columns(stepped(PRESETS[name].state))
    for shifted, exp in zip(found["shifted"], found["exp"], strict=True):
        if exp != "0 (underflow)":
            expected = math.exp(read_number(shifted).value)
            assert read_number(exp).value == pytest.approx(expected, abs=1e-4)


def test_masked_underflowed_zero_and_small_look_different():
    found = columns(stepped(UNDERFLOW))
    assert found["exp"] == ["1", "4.248e−18", "0 (underflow)"]
    assert found["weight"] == ["1", "4.248e−18", "0 (underflow)"]
    assert columns(stepped(MASKED))["weight"] == ["0.5", "0.5", "0 (masked)"]
    limit = replace(MASKED, scores=matrix("2 1 1"), temperature=Temperature("beta", "inf"))
    found = columns(stepped(limit))
    assert found["weight"] == ["1", "0", "0 (masked)"]
    assert found["exp"] == ["1", "0", "0"]
    assert [row["masked"] for row in stepped(limit)["rows"]] == [False, False, True]


def test_the_heading_names_beta():
    for beta, text in (("3", "× β = 3"), ("0", "× β = 0"), ("inf", "β → ∞")):
        table = stepped(SoftmaxState(temperature=Temperature("beta", beta)))
        assert table["head"][2]["text"] == text


@pytest.mark.parametrize("step", range(1, len(STEPS) + 1))
def test_what_comes_after_the_step_is_covered(step):
    explained = Explained("weight[k1] = 1 / 2 = 0.5", "Half.")
    full = stepped(SoftmaxState())
    for at, column in enumerate(COLUMNS):
        table = stepped(SoftmaxState(), step=step, pick=f"{column}:0", explained=explained)
        found = columns(table)
        for other, name in enumerate(COLUMNS):
            assert found[name] == (columns(full)[name] if other < step else ["?"] * 3)
        assert foot(table)["exp"] == ("?" if step < 4 else foot(full)["exp"])
        assert foot(table)["weight"] == ("?" if step < 5 else "1")
        assert foot(table)["score"] == ""
        seen = at < step  # an explanation gives its number away
        assert table["symbols"] == (explained.symbols if seen else "")
        assert table["words"] == (explained.words if seen else "")


def test_labels_are_handed_on_letter_for_letter():
    words = ("<b>", "$x$", "a" * 200)
    assert [row["label"] for row in stepped(SoftmaxState(labels=words))["rows"]] == list(words)


# -- all queries ----------------------------------------------------------------------------------


def rows_of(state):
    every = steps_of(state, every=True)
    return queries_table(state.key_labels, every, row_entropies(every), beta=state.temperature.beta)


def test_each_query_has_its_weights_their_sum_and_its_entropy():
    state = SoftmaxState(matrix("2 1 0", "0 -800 0", "-inf -inf -inf"), ("a", "b", "c"))
    table = rows_of(state)
    assert [row["cells"] for row in table["rows"]] == [
        ["0.6652", "0.2447", "0.0900", "1", "0.8324"],
        ["0.5", "0 (underflow)", "0.5", "1", "0.6931"],
        ["masked", "masked", "masked", "no keys", "no keys"],
    ]
    assert [row["label"] for row in table["rows"]] == ["query 1", "query 2", "query 3"]
    assert [row["masked"] for row in table["rows"]] == [False, False, True]
    assert table["foot"][0]["cells"] == ["", "", "", "2", ""]
    assert [c["text"] for c in table["head"]] == [
        "query (asks)",
        "a",
        "b",
        "c",
        "sum",
        "entropy (nats)",
    ]


@few
@given(states())
def test_the_sum_of_the_whole_matrix_is_computed(state):
    every, table = steps_of(state, every=True), rows_of(state)
    assert table["foot"][0]["cells"][-2] == str(int((~every.empty_rows).sum()))
    for i, row in enumerate(table["rows"]):
        assert len(row["cells"]) == state.n_keys + 2
        if not every.empty_rows[i]:
            assert row["cells"][-2] == "1"
            assert row["cells"][-1] == shown(entropy(every.weights[i]))


def test_in_the_limit_a_weight_of_0_is_no_underflow():
    state = SoftmaxState(temperature=Temperature("beta", "inf"))
    assert rows_of(state)["rows"][0]["cells"][:3] == ["1", "0", "0"]


# -- add or multiply, naive beside stable ---------------------------------------------------------


def moves_of(state, add, times):
    values, beta, allowed = state.values[0], state.temperature.beta, state.allowed
    before, added, multiplied = (
        softmax_steps(scores, beta=beta, allowed=allowed).weights
        for scores in (values, add_to_scores(values, add), multiply_scores(values, times))
    )
    return moves_table(
        state.key_labels,
        steps_of(state).allowed,
        before,
        added,
        multiplied,
        (f"score + {add}", f"score × {times}"),
        beta=beta,
    )


def test_a_constant_changes_nothing_and_a_factor_everything():
    table = moves_of(PRESETS["beta-1"].state, 100, 2)
    assert columns(table) == {
        "before": ["0.6652", "0.2447", "0.0900"],
        "added": ["0.6652", "0.2447", "0.0900"],
        "multiplied": ["0.8668", "0.1173", "0.0159"],
    }
    assert foot(table) == {"before": "", "added": "0", "multiplied": "0.20"}
    assert foot(moves_of(PRESETS["beta-1"].state, 0, 0))["multiplied"] == "0.33"  # a weight fell
    assert [column["text"] for column in table["head"][2:]] == ["score + 100", "score × 2"]


def test_masked_and_underflowed_weights_stay_apart_under_moves():
    assert columns(moves_of(MASKED, 1, 500))["multiplied"] == ["0.5", "0.5", "masked"]
    found = columns(moves_of(PRESETS["beta-1"].state, 1, 1000))
    assert found["multiplied"] == ["1", "0 (underflow)", "0 (underflow)"]
    limit = SoftmaxState(temperature=Temperature("beta", "inf"))
    assert columns(moves_of(limit, 1, 2))["multiplied"] == ["1", "0", "0"]


def naive_of(state):
    row = steps_of(state)
    return naive_table(
        state.key_labels,
        row.allowed,
        naive_exps(row.masked),
        naive_softmax(row.masked),
        row.weights,
    )


def test_the_naive_formula_is_shown_as_it_fails():
    table = naive_of(PRESETS["overflow"].state)
    assert columns(table) == {
        "exp": ["inf", "inf"],
        "naive": ["nan", "nan"],
        "stable": ["0.5", "0.5"],
    }
    assert foot(table) == {"exp": "inf", "naive": "nan", "stable": "1"}


def test_beside_ordinary_scores_both_formulas_agree_and_their_sums_are_computed():
    table = naive_of(PRESETS["beta-1"].state)
    assert columns(table) == {
        "exp": ["7.3891", "2.7183", "1"],
        "naive": ["0.6652", "0.2447", "0.0900"],
        "stable": ["0.6652", "0.2447", "0.0900"],
    }
    assert foot(table) == {"exp": "11.1073", "naive": "1", "stable": "1"}


def test_an_exponential_that_underflows_says_so_and_a_masked_one_does_not():
    table = naive_of(SoftmaxState(matrix("0 -800 1"), hide=(2,)))
    assert columns(table)["exp"] == ["1", "0 (underflow)", "0"]
    assert columns(table)["naive"] == ["1", "0 (underflow)", "0"]
    assert columns(table)["stable"] == ["1", "0 (underflow)", "masked"]
    assert [row["masked"] for row in table["rows"]] == [False, False, True]
    np.testing.assert_array_equal(naive_exps([-800]), [0])


def test_a_number_that_is_divided_by_inf_says_why_it_is_0():
    table = naive_of(SoftmaxState(matrix("709.79 0")))
    assert columns(table)["naive"] == ["nan", "0 (÷ inf)"]
    assert foot(table)["naive"] == "nan"


def test_where_every_exponential_underflows_the_naive_formula_divides_0_by_0():
    table = naive_of(SoftmaxState(matrix("-800 -800")))
    assert columns(table)["naive"] == ["nan", "nan"]
    assert columns(table)["stable"] == ["0.5", "0.5"]
