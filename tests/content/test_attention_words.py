import math
import re
from dataclasses import replace

import numpy as np
import pytest

from attnviz import attention
from attnviz.content import attention_stages, attention_tables
from attnviz.content import attention_words as words
from attnviz.content.attention import PRESETS
from attnviz.content.shown import shown
from attnviz.core import heads
from attnviz.core.questions import row_entropies
from attnviz.state.attention import PIPELINE, POLICIES, AttentionState
from attnviz.state.matrix import matrix, values_of
from attnviz.state.temperature import Temperature

DEFAULT = AttentionState()
CAUSAL = replace(DEFAULT, mask=("causal",), align="top-left")
#: Three queries: one without a key, one with two, one with three.
EMPTY = AttentionState(
    q=matrix("1 1", "1 0", "0 -1"),
    k=matrix("1 1", "1 0", "1 2"),
    v=matrix("5 -5", "2 0", "-1/3 2"),
    tokens=("[PAD]", "cats", "purr"),
    keys=("a", "b", "c"),
    hide=((0, 0), (0, 1), (0, 2), (1, 2)),
    row=1,
)
COLD = Temperature("beta", "inf")
UNDERFLOW = replace(DEFAULT, k=matrix("1000 0", "0 1"), scale="off")


def allowed_in(state):
    masks = {name: state.options(name) for name in state.mask}
    return heads.combined_mask(state.n_q, state.n_k, masks, hide=state.hide, show=state.show)


def computed(state, empty=None):
    """What the page computes from a state."""
    return attention(
        *(values_of(cells) for cells in (state.q, state.k, state.v)),
        allowed=allowed_in(state),
        scale=state.scale_value,
        beta=state.temperature.beta,
        empty=empty or words.policy_of(state),
    )


def laid(state):
    """The stages of a state by their names."""
    steps = computed(state)
    factor = heads.scale_of(state.d_k, state.scale_value)
    stages = attention_stages.stages(
        state, steps, heads.stage_shades(steps, values_of(state.v)), factor
    )
    return {stage["id"]: stage for stage in stages}


def row_of(state):
    return heads.head_row(computed(state), values_of(state.v), state.row)


def gathered(state):
    row = row_of(state)
    return attention_tables.gather_table(state, ["#000"] * state.n_k, row, row.allowed.tolist())


def read(text):
    """The number that a text shows."""
    return float(text.replace("−", "-").strip("()"))


def written(array):
    return [[attention_stages.number(x) for x in row] for row in array.tolist()]


def cells_of(table):
    for line in (*table["rows"], *table["foot"]):
        assert len(line["cells"]) == len(table["head"]) - 1
    return {line["label"]: line["cells"] for line in (*table["rows"], *table["foot"])}


# -- stages ---------------------------------------------------------------------------------------


def test_the_worked_example_stands_in_the_stages_with_its_numbers():
    stages = laid(DEFAULT)
    assert tuple(stages) == PIPELINE
    assert {name: stage["texts"] for name, stage in stages.items()} == {
        "scores": [["1", "0"]],
        "scaled": [["0.707", "0"]],
        "masked": [["0.707", "0"]],
        "weights": [["0.670", "0.330"]],
        "values": [["2", "0"], ["0", "2"]],
        "output": [["1.340", "0.660"]],
    }
    assert stages["scaled"]["title"] == "Scaled QKᵀ/√d_k = QKᵀ · 0.7071"


@pytest.mark.parametrize("state", [EMPTY, PRESETS["lookup"].state, PRESETS["alignment"].state])
def test_every_stage_shows_the_numbers_of_the_core_under_their_labels(state):
    stages, steps = laid(state), computed(state)
    for name in ("scores", "scaled", "output"):
        assert stages[name]["texts"] == written(getattr(steps, name))
    assert stages["values"]["texts"] == written(np.array(values_of(state.v)))
    for name, stage in stages.items():
        rows = state.key_labels if name == "values" else state.query_labels
        assert stage["rows"] == list(rows)
        assert stage["rowTitle"] == ("key (answers)" if name == "values" else "query (asks)")
        pair = stage["kind"] == "pair"
        assert pair == (name not in ("values", "output"))
        assert stage["columnTitle"] == ("key (answers)" if pair else "d_v")
        columns = state.key_labels if pair else [f"d{j + 1}" for j in range(state.d_v)]
        assert stage["columns"] == list(columns)
        assert stage["colours"] == ("weights" if name == "weights" else "signed")
        assert stage.get("toggles", False) == (name == "masked")
        for table in (stage["texts"], stage["shades"]):
            assert [len(line) for line in table] == [len(columns)] * len(rows)


def test_a_masked_cell_says_masked_and_only_it():
    stages = laid(EMPTY)
    hidden = [[(i, j) in EMPTY.hide for j in range(3)] for i in range(3)]
    assert stages["masked"]["masked"] == stages["weights"]["masked"] == hidden
    assert [[t == "masked" for t in line] for line in stages["masked"]["texts"]] == hidden
    assert stages["masked"]["texts"][1][:2] == stages["scaled"]["texts"][1][:2]
    assert stages["masked"]["note"] == "4 of 9 cells hidden."
    assert [s is None for s in stages["masked"]["shades"][0]] == [True] * 3
    assert "masked" not in str([stages[name]["texts"] for name in ("scores", "scaled", "output")])


@pytest.mark.parametrize(
    ("policy", "weight", "output"),
    [
        ("zeros", "0", ["0", "0"]),
        ("uniform", "0.333", ["2.222", "−1"]),
        ("nan", "nan", ["nan", "nan"]),
        ("error", "nan", ["nan", "nan"]),
    ],
)
def test_a_query_without_a_key_shows_what_its_policy_gives_it(policy, weight, output):
    stages = laid(replace(EMPTY, empty=policy))
    assert stages["weights"]["texts"][0] == [weight] * 3
    assert stages["output"]["texts"][0] == output
    assert stages["masked"]["texts"][0] == ["masked"] * 3
    assert stages["weights"]["texts"][1:] == laid(EMPTY)["weights"]["texts"][1:]


def test_a_weight_of_zero_is_masked_or_underflowed_or_exact_and_each_looks_different():
    assert laid(CAUSAL)["weights"]["texts"] == [["1", "0"]]
    assert laid(CAUSAL)["weights"]["masked"] == [[False, True]]
    assert laid(UNDERFLOW)["weights"]["texts"] == [["1", "0 (underflow)"]]
    assert laid(replace(DEFAULT, temperature=COLD))["weights"]["texts"] == [["1", "0"]]
    tiny = replace(DEFAULT, k=matrix("40 0", "0 1"), scale="off")
    assert laid(tiny)["weights"]["texts"] == [["1", "4.25e−18"]]


def test_the_note_on_the_weights_is_true_of_every_row():
    assert laid(DEFAULT)["weights"]["note"] == "Each row sums to 1."
    but = "Each row sums to 1, but for queries without a key."
    for policy in ("zeros", "nan", "error"):
        assert laid(replace(EMPTY, empty=policy))["weights"]["note"] == but
    assert laid(replace(EMPTY, empty="uniform"))["weights"]["note"] == "Each row sums to 1."
    turned = replace(DEFAULT, orient="columns", temperature=Temperature("beta", "2"))
    assert laid(turned)["weights"]["note"] == "Each column sums to 1. Softmax at β = 2."


@pytest.mark.parametrize("state", [DEFAULT, EMPTY, PRESETS["alignment"].state])
def test_the_other_orientation_swaps_everything_and_changes_no_number(state):
    upright, turned = laid(state), laid(replace(state, orient="columns"))
    assert list(upright) == list(turned)
    for name, stage in upright.items():
        other = turned[name]
        for field in ("texts", "shades", "masked"):
            assert (field in stage) == (field in other)
            if field in stage:
                assert other[field] == [list(line) for line in zip(*stage[field], strict=True)]
        for one, two in (("rows", "columns"), ("rowTitle", "columnTitle")):
            assert (other[one], other[two]) == (stage[two], stage[one])
        for field in ("kind", "colours"):
            assert other[field] == stage[field]
    titles = {name: stage["title"] for name, stage in turned.items()}
    assert titles["scores"] == "Scores KᵀQ"
    assert titles["scaled"].startswith("Scaled KᵀQ/√d_k = KᵀQ · ")
    assert titles["output"] == "Output O = V A"
    assert upright["output"]["title"] == "Output O = A V"
    assert upright["scores"]["title"] == "Scores QKᵀ"


def test_a_large_head_is_laid_out_one_stage_at_a_time():
    many = matrix(*["1 0"] * 25)
    state = AttentionState(q=many, k=many, v=many, stage="output")
    assert list(laid(state)) == ["output"]


def test_places_on_the_colour_scale_have_three_digits_or_none():
    shades = laid(replace(EMPTY, empty="nan"))["weights"]["shades"]
    assert shades[0] == [None] * 3
    assert all(shade == round(shade, 3) for line in shades[1:] for shade in line)
    assert laid(DEFAULT)["weights"]["shades"] == [[0.67, 0.33]]


@pytest.mark.parametrize(
    ("scale", "orient", "said"),
    [
        ("on", "rows", "Scaled QKᵀ/√d_k = QKᵀ · 0.5"),
        ("off", "rows", "Scaled: not at all"),
        ("0.25", "rows", "Scaled QKᵀ · 0.5"),
        ("on", "columns", "Scaled KᵀQ/√d_k = KᵀQ · 0.5"),
        ("0.25", "columns", "Scaled KᵀQ · 0.5"),
    ],
)
def test_the_scale_is_said_with_its_number(scale, orient, said):
    assert words.scale_words(replace(DEFAULT, scale=scale, orient=orient), 0.5) == said


# -- sentences ------------------------------------------------------------------------------------


def test_hidden_cells_are_counted_in_words():
    assert words.hidden_words(np.ones((2, 3), dtype=bool)) == "None of 6 cells hidden."
    assert words.hidden_words(np.zeros((2, 3), dtype=bool)) == "6 of 6 cells hidden."
    assert words.hidden_words(allowed_in(CAUSAL)) == "1 of 2 cells hidden."


@pytest.mark.parametrize(
    ("policy", "one", "two"),
    [
        ("zeros", "its weights and output are shown as zeros", "their weights and output are"),
        ("uniform", "it gets the same weight on every key", "they get the same weight on every"),
        ("nan", "it gets NaN", "they get NaN"),
        ("error", "its weights and output are shown as NaN", "their weights and output are shown"),
    ],
)
def test_queries_without_a_key_are_named_with_what_they_get(policy, one, two):
    state = replace(EMPTY, empty=policy)
    (said,) = words.empty_words(state, [True, False, False])
    assert said.startswith("Query “[PAD]” has no allowed key: ")
    assert one in said
    assert said.endswith(f" (the rule chosen here: {POLICIES[policy]}).")
    (said,) = words.empty_words(state, [True, False, True])
    assert said.startswith("Queries “[PAD]”, “purr” have no allowed key: ")
    assert two in said
    assert " its " not in said
    assert words.empty_words(state, [False] * 3) == []


def test_the_error_policy_never_says_that_nothing_is_computed_while_numbers_are_shown():
    state = replace(EMPTY, empty="error")
    (said,) = words.empty_words(state, computed(state).empty_rows.tolist())
    assert "NaN" in said
    assert laid(state)["weights"]["texts"][0] == ["nan"] * 3
    assert laid(state)["weights"]["texts"][1][0] != "nan"


def test_more_than_eight_queries_without_a_key_are_counted_and_long_labels_cut():
    many = matrix(*["1 0"] * 10)
    state = AttentionState(q=many, k=many, v=many, tokens=("long " * 40, *"bcdefghij"))
    (said,) = words.empty_words(state, [True] * 10)
    assert "Queries “long long long long lon…”, “b”, “c”, “d”, “e”, “f”, “g”, “h” and 2" in said


@pytest.mark.parametrize(
    ("policy", "computes"),
    [("zeros", "zeros"), ("uniform", "uniform"), ("nan", "nan"), ("error", "nan")],
)
def test_a_policy_of_error_is_computed_as_nan(policy, computes):
    assert words.policy_of(replace(EMPTY, empty=policy)) == computes


def test_wide_matrices_are_named_with_their_shapes():
    said = words.too_wide(PRESETS["saturated"].state)
    assert said.startswith("Q is (4, 64), K is (4, 64), V is (4, 4).")


def test_a_real_head_comes_with_the_warning_and_its_credit_and_another_preset_without():
    assert words.preset_facts("See this.", "", changed=False) == [{"value": "See this."}]
    facts = words.preset_facts("See this.", "MiniLM, Apache 2.0", changed=False)
    assert [fact["value"] for fact in facts[:2]] == ["See this.", words.WEIGHTS_ARE_NOT_REASONS]
    assert facts[2]["note"] == "MiniLM, Apache 2.0"


def test_what_a_preset_shows_is_not_claimed_of_changed_numbers():
    first, *rest = words.preset_facts("See this.", "MiniLM", changed=True)
    assert first == {"value": "", "note": "Changed since. The preset: See this."}
    assert rest == words.preset_facts("See this.", "MiniLM", changed=False)[1:]


def test_the_query_that_is_followed_is_named():
    assert words.row_caption(EMPTY) == "Query cats, step by step"
    assert words.row_caption(replace(EMPTY, row=2)) == "Query purr, step by step"


# -- one query ------------------------------------------------------------------------------------


def test_the_output_of_the_worked_example_is_gathered_term_by_term():
    table = gathered(DEFAULT)
    assert cells_of(table) == {
        "k1": ["0.6698", "0.670 · 2 = 1.340", "0.670 · 0 = 0"],
        "k2": ["0.3302", "0.330 · 0 = 0", "0.330 · 2 = 0.660"],
        "output": ["1", "1.3395", "0.6605"],
    }
    assert table["caption"] == "Output of q1: each value times its weight, summed"
    assert [column["text"] for column in table["head"]] == [
        "key",
        "weight w",
        "w · v, d1",
        "w · v, d2",
    ]


@pytest.mark.parametrize("name", ["alignment", "uniform", "random-3", "induction"])
def test_the_terms_can_be_checked_with_a_calculator_and_sum_to_the_output(name):
    state = PRESETS[name].state
    for row in range(state.n_q):
        table = gathered(replace(state, row=row))
        terms = np.zeros((state.n_k, state.d_v))
        for j, line in enumerate(table["rows"]):
            for d, cell in enumerate(line["cells"][1:]):
                if line["masked"]:
                    assert cell == "0"
                    continue
                weight, value, term = map(read, re.split(r" [·=≈] ", cell))
                assert abs(weight - read(line["cells"][0])) < 6e-4
                assert value == pytest.approx(state.v[j][d].value, abs=6e-4)
                assert term == pytest.approx(weight * value, abs=6e-4 * (1 + abs(value)))
                by_hand = read(shown(weight * value, 3))
                assert (" = " in cell) == (by_hand == pytest.approx(term, rel=1e-9, abs=0))
                terms[j, d] = term
        total, *outputs = map(read, table["foot"][0]["cells"])
        assert total == pytest.approx(1, abs=1e-12)
        assert terms.sum(axis=0) == pytest.approx(outputs, abs=6e-4 * state.n_k)
        assert outputs == pytest.approx(computed(state).output[row], abs=6e-5)


def test_a_negative_value_stands_in_brackets():
    assert (
        cells_of(gathered(replace(EMPTY, hide=())))["a"][2].split(" · ")[1].startswith("(−5) ≈ −")
    )


def test_a_masked_key_gives_no_term_and_says_masked():
    table = gathered(EMPTY)
    assert cells_of(table)["c"] == ["0 (masked)", "0", "0"]
    assert [line["masked"] for line in table["rows"]] == [False, False, True]


def test_an_underflowed_weight_says_so_and_an_exact_zero_does_not():
    assert cells_of(gathered(UNDERFLOW))["k2"] == ["0 (underflow)", "0 · 0 = 0", "0 · 2 = 0"]
    assert cells_of(gathered(replace(DEFAULT, temperature=COLD)))["k2"][0] == "0"


@pytest.mark.parametrize(
    ("policy", "first", "foot"),
    [
        ("zeros", ["0 (policy)", "0 · 5 = 0", "0 · (−5) = 0"], ["0", "0", "0"]),
        (
            "uniform",
            ["0.3333 (policy)", "0.333 · 5 ≈ 1.667", "0.333 · (−5) ≈ −1.667"],
            ["1", "2.2222", "−1"],
        ),
        ("nan", ["nan (policy)", "nan · 5 = nan", "nan · (−5) = nan"], ["nan", "nan", "nan"]),
    ],
)
def test_the_output_of_a_query_without_a_key_follows_its_policy(policy, first, foot):
    table = gathered(replace(EMPTY, row=0, empty=policy))
    assert cells_of(table)["a"] == first
    assert cells_of(table)["output"] == foot
    assert all(line["masked"] for line in table["rows"])


def test_wide_values_are_cut_and_the_caption_says_so():
    state = AttentionState(v=matrix("1 2 3 4 5 6 7 8 9", "0 0 0 0 0 0 0 0 0"))
    table = gathered(state)
    assert len(table["head"]) == 10
    assert table["caption"].endswith("summed (the first 8 of 9 columns)")
    assert [len(cells) for cells in cells_of(table).values()] == [9, 9, 9]


def test_a_score_is_written_out_as_the_sum_of_its_products():
    state = AttentionState(
        q=matrix("1 2", "3 -4"), k=matrix("5 6", "1/3 1"), tokens=("it", "is"), cell=(1, 0)
    )
    product = heads.dot_product(values_of(state.q), values_of(state.k), 1, 0)
    table = attention_tables.dot_table(state, product)
    assert cells_of(table) == {
        "1": ["3", "5", "15"],
        "2": ["−4", "6", "−24"],
        "sum": ["", "", "−9"],
    }
    assert [column["text"] for column in table["head"]] == [
        "column",
        "q of is",
        "k of it",
        "product",
    ]
    assert table["caption"] == "Score of is for it: the dot product q · k"
    assert laid(state)["scores"]["texts"][1][0] == "−9"


def test_bars_tell_masked_underflowed_and_exact_zeros_apart():
    assert attention_stages.weight_texts(row_of(EMPTY), exact=False) == ["0.5", "0.5", "masked"]
    assert attention_stages.weight_texts(row_of(UNDERFLOW), exact=False) == ["1", "0 (underflow)"]
    cold = row_of(replace(DEFAULT, temperature=COLD))
    assert attention_stages.weight_texts(cold, exact=True) == ["1", "0"]


def test_cells_of_a_figure_say_masked_where_a_query_sees_another_key():
    steps = computed(EMPTY)
    assert attention_stages.weight_cells(steps) == [
        ["0", "0", "0"],
        ["0.5", "0.5", "masked"],
        written(steps.weights)[2],
    ]
    assert attention_stages.weight_cells(computed(UNDERFLOW)) == [["1", "0 (underflow)"]]
    assert attention_stages.weight_cells(computed(UNDERFLOW), exact=True) == [["1", "0"]]


# -- queries without a key, and two states beside each other --------------------------------------


def test_every_policy_is_laid_beside_the_others_for_every_such_query():
    state = replace(EMPTY, hide=(*EMPTY.hide[:3], (2, 0), (2, 1), (2, 2)))
    values = [values_of(cells) for cells in (state.q, state.k, state.v)]
    results = {name: computed(state, name) for name in ("zeros", "uniform", "nan")}
    numbered = heads.attention_with_a_number(*values, allowed=allowed_in(state))
    table = cells_of(attention_tables.policy_table(state, [0, 2], results, numbered))
    assert list(table) == [
        f"{who}, {name}"
        for who in ("[PAD]", "purr")
        for name in ("error", "zeros", "uniform", "NaN", "−1e9 instead of −∞")
    ]
    assert table["[PAD], error"] == ["an error", "an error"]
    assert table["[PAD], zeros"] == ["[0, 0, 0]", "[0, 0]"]
    assert table["purr, uniform"] == ["[0.333, 0.333, 0.333]", "[2.222, −1]"]
    assert table["purr, NaN"] == ["[nan, nan, nan]", "[nan, nan]"]
    bare = attention(*values).weights[0]
    weights = [read(text) for text in table["[PAD], −1e9 instead of −∞"][0].strip("[]").split(", ")]
    assert weights == pytest.approx(bare, abs=6e-4)  # the unmasked weights are back


def test_long_rows_of_numbers_end_in_dots():
    many = matrix(*["1 0"] * 9)
    state = AttentionState(k=many, v=many, hide=tuple((0, j) for j in range(9)))
    steps = computed(state)
    table = cells_of(attention_tables.policy_table(state, [0], {"zeros": steps}, steps))
    assert table["q1, zeros"] == ["[0, 0, 0, 0, 0, 0, 0, 0, …]", "[0, 0]"]


def compared(first, second):
    one, two = computed(first), computed(second)
    return one, two, heads.compare_heads(one, two)


def test_two_equal_states_are_at_no_distance():
    *_, difference = compared(DEFAULT, DEFAULT)
    assert cells_of(attention_tables.compare_table(DEFAULT, difference)) == {
        "q1": ["0", "0", "[0, 0]"]
    }


def test_the_distances_of_two_states_stand_beside_each_query():
    *_, difference = compared(DEFAULT, CAUSAL)
    one, other = 0.6697615493266569, 0.3302384506733431  # e^(1/√2) / (e^(1/√2) + 1), and the rest
    tv, kl, output = cells_of(attention_tables.compare_table(CAUSAL, difference))["q1"]
    assert read(tv) == pytest.approx(other, abs=6e-5)
    assert kl == "∞"  # A looks at a key that B hides
    assert output == "[0.660, −0.660]"
    *_, difference = compared(CAUSAL, DEFAULT)
    tv, kl, output = cells_of(attention_tables.compare_table(DEFAULT, difference))["q1"]
    assert read(kl) == pytest.approx(-math.log(one), abs=6e-5)
    assert output == "[−0.660, 0.660]"


@pytest.mark.parametrize("policy", ["zeros", "nan"])
def test_a_query_without_a_key_has_no_distance(policy):
    state = replace(EMPTY, empty=policy)
    *_, difference = compared(replace(state, hide=()), state)
    table = cells_of(attention_tables.compare_table(state, difference))
    assert table["[PAD]"][:2] == ["no keys", "no keys"]
    assert table["purr"][:2] == ["0", "0"]


def test_a_b_and_their_difference_are_drawn_on_the_same_scale():
    one, two, difference = compared(DEFAULT, CAUSAL)
    stages = attention_stages.compare_stages(CAUSAL, one, two, difference, heads.shades)
    a, b, change = stages
    assert [stage["id"] for stage in stages] == ["a", "b", "difference"]
    assert (a["texts"], a["masked"]) == ([["0.670", "0.330"]], [[False, False]])
    assert (b["texts"], b["masked"]) == ([["1", "0"]], [[False, True]])
    assert change["texts"] == [["0.330", "−0.330"]]
    assert (a["shades"], b["shades"]) == ([[0.67, 0.33]], [[1, 0]])
    assert change["shades"][0] == pytest.approx([0.5 + 0.33024 / 2, 0.5 - 0.33024 / 2], abs=1e-4)
    assert [stage["colours"] for stage in stages] == ["weights", "weights", "signed"]
    turned = attention_stages.compare_stages(
        replace(CAUSAL, orient="columns"), one, two, difference, heads.shades
    )
    assert [stage["texts"] for stage in turned] == [
        [list(line) for line in zip(*stage["texts"], strict=True)] for stage in stages
    ]
    assert turned[0]["rows"] == ["k1", "k2"]


def test_the_difference_of_what_is_not_a_number_has_no_place_on_the_scale():
    state = replace(EMPTY, empty="nan")
    one, two, difference = compared(replace(state, hide=()), state)
    *_, change = attention_stages.compare_stages(state, one, two, difference, heads.shades)
    assert change["texts"][0] == ["nan"] * 3
    assert change["shades"][0] == [None] * 3
    assert change["shades"][2] == [0.5] * 3


def test_each_of_two_states_has_its_own_zeros():
    cold = replace(DEFAULT, temperature=COLD)
    one, two, difference = compared(cold, UNDERFLOW)
    options = UNDERFLOW, one, two, difference, heads.shades
    a, b, _ = attention_stages.compare_stages(*options, pinned=cold)
    assert (a["texts"], b["texts"]) == ([["1", "0"]], [["1", "0 (underflow)"]])
    a, b, _ = attention_stages.compare_stages(
        cold, two, one, difference, heads.shades, pinned=UNDERFLOW
    )
    assert (a["texts"], b["texts"]) == ([["1", "0 (underflow)"]], [["1", "0"]])


# -- panels and alt texts -------------------------------------------------------------------------


def test_entropy_is_written_in_nats_with_effective_keys():
    texts = attention_tables.entropy_texts([math.log(2), 0.0, 0.5, math.nan])
    assert texts == [
        "0.693 nats, 2 effective keys",
        "0 nats, 1 effective key",
        "0.5 nats, 1.649 effective keys",
        "no keys",
    ]


@pytest.mark.parametrize("policy", ["zeros", "uniform", "nan", "error"])
def test_a_query_without_a_key_has_no_entropy_and_never_zero(policy):
    state = replace(EMPTY, empty=policy)
    steps = computed(state)
    texts = attention_tables.entropy_texts(row_entropies(steps).tolist())
    assert texts[0] == "no keys"
    assert texts[1] == "0.693 nats, 2 effective keys"
    table = cells_of(attention_tables.entropy_table(state, texts, heads.ceilings(steps).tolist()))
    assert table == {
        "[PAD]": ["no keys", "no keys"],
        "cats": ["0.693 nats, 2 effective keys", "0.693 nats"],
        "purr": [texts[2], "1.099 nats"],
    }


def test_a_figure_is_described_with_its_live_numbers_and_says_where_it_stops():
    assert words.listed("Received", ("a", "b" * 30), ["1", "0.5"]) == (
        f"Received: a 1, {'b' * 23}… 0.5."
    )
    many = [str(n) for n in range(17)]
    assert words.listed("R", many[:16], many[:16]).endswith("15 15.")
    assert words.listed("R", many, many).endswith("15 15, and so on.")


def test_the_weights_of_the_chosen_query_are_quoted_in_words():
    assert (
        attention_stages.stages_alt(DEFAULT, computed(DEFAULT))
        == "Weights of q1: k1 0.670, k2 0.330."
    )
    assert (
        attention_stages.stages_alt(EMPTY, computed(EMPTY))
        == "Weights of cats: a 0.5, b 0.5, c masked."
    )
    none = replace(EMPTY, row=None, empty="nan")
    assert (
        attention_stages.stages_alt(none, computed(none))
        == "Weights of [PAD]: a nan, b nan, c nan."
    )
    assert attention_stages.stages_alt(UNDERFLOW, computed(UNDERFLOW)).endswith("k2 0 (underflow).")
    cold = replace(DEFAULT, temperature=COLD)
    assert attention_stages.stages_alt(cold, computed(cold)) == "Weights of q1: k1 1, k2 0."
    many = matrix(*["0 0"] * 17)
    wide = AttentionState(k=many, v=many)
    assert attention_stages.stages_alt(wide, computed(wide)).endswith("k16 0.059, and so on.")
