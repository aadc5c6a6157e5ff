import csv
import io
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import softmax, softmax_steps
from attnviz.exports.escape import from_cell, to_cell, to_latex
from attnviz.exports.softmax import COLUMNS, latex_text, numpy_text, read_table_csv, table_csv

INF, NAN = math.inf, math.nan
seeded = settings(derandomize=True, deadline=None, max_examples=100)
NASTY = [
    *("=1+1", "+SUM(A1)", "-cmd", "@x", "'tis", "''", '"', ",", "a\tb", "\t", "\r", "a\r\nb", ""),
    *(" ", "the", "the", "a;=1+1", "＝1", "1", "-inf", "naïve 🐈", "\\", "%s", "{0}"),
]

nasty_labels = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
label = st.sampled_from(NASTY) | nasty_labels | st.builds("{}{}".format, st.sampled_from(
    list("=+-@\t\r\n'\"")), nasty_labels)  # fmt: skip
score = st.floats(-1e300, 1e300) | st.just(-INF)


def lines(text):
    return list(csv.reader(io.StringIO(text, newline="")))


# The table as CSV


def test_the_table_has_every_row_and_column_with_all_digits():
    steps = softmax_steps(
        [[1 / 3, 2], [5, -1.5]], beta=1 / 3, allowed=[[True, False], [True, True]]
    )
    header, *body = lines(table_csv(["a", "b"], steps))
    assert tuple(header) == COLUMNS
    assert header == ["query", "key", "score", "scaled", "shifted", "exp", "weight", "masked"]
    assert [line[:2] for line in body] == [
        ["query 1", "a"], ["query 1", "b"], ["query 2", "a"], ["query 2", "b"]
    ]  # fmt: skip
    assert body[0][2:] == ["0.3333333333333333", repr((1 / 3) * (1 / 3)), "0.0", "1.0", "1.0", "no"]
    assert body[1][2:] == ["2.0", "0.6666666666666666", "-inf", "0.0", "0.0", "yes"]
    assert [float(line[6]) for line in body[2:]] == steps.weights[1].tolist()


def test_formula_labels_are_neutralised_and_negative_numbers_stay_numbers():
    labels = ["=1+1", "+SUM(A1)", "-cmd", "@x", "\tx", "\rx", "'x", "x"]
    text = table_csv(labels, softmax_steps([-1.5, 2, 0, 0, 0, 0, 0, 0]))
    keys = [line[1] for line in lines(text)[1:]]
    assert keys == ["'=1+1", "'+SUM(A1)", "'-cmd", "'@x", "'\tx", "'\rx", "''x", "x"]
    assert lines(text)[1][2] == "-1.5"
    assert ",-1.5," in text
    table = read_table_csv(text)
    assert list(table.key) == labels
    assert table.score[0] == -1.5


def test_commas_quotes_tabs_and_line_breaks_survive():
    labels = ["the", ",", "cat", '"', "a\tb", "a\r\nb", "\r"]
    assert list(read_table_csv(table_csv(labels, softmax_steps([0] * 7))).key) == labels


def test_numbers_are_not_quoted_and_minus_infinity_is_spelled_out():
    text = table_csv(["a", "b"], softmax_steps([1e-300, -INF]))
    assert text.splitlines()[1] == "query 1,a,1e-300,1e-300,0.0,1.0,1.0,no"
    assert text.splitlines()[2] == "query 1,b,-inf,-inf,-inf,0.0,0.0,yes"


def test_an_underflowed_weight_is_not_a_masked_one():
    table = read_table_csv(table_csv(["a", "b", "c"], softmax_steps([0, -2000, -INF])))
    assert table.weight == (1.0, 0.0, 0.0)
    assert table.masked == (False, False, True)


@seeded
@given(st.data())
def test_the_table_is_read_back_exactly_whatever_the_labels_are(data):
    n_q, n_k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    keys = data.draw(st.lists(label, min_size=n_k, max_size=n_k))
    queries = data.draw(st.lists(label, min_size=n_q, max_size=n_q))
    row = st.lists(score, min_size=n_k, max_size=n_k)
    scores = data.draw(st.lists(row, min_size=n_q, max_size=n_q))
    steps = softmax_steps(scores, beta=data.draw(st.floats(0, 1e3)), empty="nan")
    table = read_table_csv("\ufeff" + table_csv(keys, steps, queries))
    assert list(table.key) == keys * n_q
    assert list(table.query) == [query for query in queries for _ in keys]
    for name, array in (
        ("score", steps.scores), ("scaled", steps.scaled), ("shifted", steps.shifted),
        ("exp", steps.exps), ("weight", steps.weights), ("masked", ~steps.allowed),
    ):  # fmt: skip
        np.testing.assert_array_equal(getattr(table, name), array.ravel(), strict=True)


@seeded
@given(label)
def test_no_cell_starts_like_a_formula_and_every_label_comes_back(text):
    cell = to_cell(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert from_cell(cell) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the header must be query,key"),
        ("a,b\r\n", "got a,b"),
        (",".join(COLUMNS) + "\r\nq,k,1,1,0,1,1\r\n", "row 1 must have 8 entries; got 7"),
        (",".join(COLUMNS) + "\r\nq,k,1,1,zero,1,1,no\r\n", "row 1, shifted: 'zero'"),
        (",".join(COLUMNS) + "\r\nq,k,1,1,0,1,1,maybe\r\n", "row 1, masked: must be yes or no"),
        (",".join(COLUMNS) + '\r\nq,"k', "line 2 isn't CSV"),
    ],
)
def test_a_table_that_is_not_ours_is_refused_with_the_place(text, words):
    with pytest.raises(ValueError, match=words):
        read_table_csv(text)


def test_a_table_without_lines_is_empty():
    assert read_table_csv(",".join(COLUMNS)).key == ()
    assert len(lines(table_csv(["a"], softmax_steps(np.empty((0, 1)))))) == 1


def test_labels_must_be_one_a_key_and_free_of_nul():
    steps = softmax_steps([[1, 2]])
    with pytest.raises(ValueError, match="labels must be 2; got 1"):
        table_csv(["a"], steps)
    with pytest.raises(ValueError, match="queries must be 1; got 2"):
        table_csv(["a", "b"], steps, ["x", "y"])
    with pytest.raises(ValueError, match="NUL"):
        table_csv(["a\0", "b"], steps)
    with pytest.raises(ValueError, match="one row or a matrix"):
        table_csv(["a", "b"], softmax_steps(np.zeros((2, 2, 2))))


# The arithmetic as NumPy

PRELUDE = "import json, warnings\nwarnings.simplefilter('error')\n"
SHOW = """
print("\\0" + json.dumps([labels, *([x.hex() for x in a.astype(float).ravel().tolist()]
      for a in (scores, weights, exps, shifted, allowed))]))
"""


def run(text):
    """Run a script in a process of its own; return labels and arrays of float.hex."""
    process = subprocess.run(
        [sys.executable, "-I", "-c", PRELUDE + text + SHOW],
        capture_output=True, text=True, encoding="utf-8", env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    labels, *arrays = json.loads(process.stdout.rpartition("\0")[2])
    return labels, [np.array([float.fromhex(x) for x in array]) for array in arrays]


RNG = np.random.default_rng(5)
SCRIPTS = {
    "the first example": ([1 / math.sqrt(2), 0, -1], 1.0, None),
    "beta 3 as typed": ([2, 1, 0], "3", None),
    "beta 1/3": ([2, 1, 0], 1 / 3, None),
    "a score of minus infinity": ([[3, -INF, 1, -1], [0, 1, 2, 3]], 2, None),
    "a hidden cell": ([[1, 2], [3, 4]], 1.5, [[False, True], [False, False]]),
    "a hidden column": ([[1, 1000], [3, 4]], 1.5, [False, True]),
    "hidden nan and infinity": ([NAN, 2, INF], 0.7, [True, False, True]),
    "ties in the limit": ([1, 1, 0, -INF], INF, None),
    "ties in the limit of a matrix": ([[1, 1, 0], [5, 9, 9]], "inf", [False, False, True]),
    "beta 0": ([[5, -INF, 1], [1, 2, 3]], 0, [[False] * 3, [True, False, False]]),
    "huge scores": ([1e8, 1e8 - 0.1, 1e16], 0.3, None),
    "differences beyond float64": ([[1e308, -1e308, -INF], [1, 2, 3]], 1 / 1e308, None),
    "huge beta": ([2, 4, 3, 4], 1e308, [False, False, False, True]),
    "huge everything": ([1e308, -1e308, 1e308], 1e10, None),
    "underflow": ([0, -2000], 1, None),
    "many keys": (RNG.normal(size=(3, 64)) * 20, 0.37, RNG.random((3, 64)) < 0.3),
    "columns in another order": (np.asfortranarray(RNG.normal(size=(5, 9))), 1, None),
}


@pytest.fixture(scope="module")
def script_runs():
    """Run every script in one process of its own, each in fresh names."""
    texts = {
        name: numpy_text(cells, beta, hidden, [f"k{j}" for j in range(np.shape(cells)[-1])])
        for name, (cells, beta, hidden) in SCRIPTS.items()
    }
    code = (
        "import json, sys, warnings\nwarnings.simplefilter('error')\nout = {}\n"
        "for name, text in json.load(sys.stdin).items():\n"
        "    names = {}\n    exec(compile(text, name, 'exec'), names)\n"
        "    out[name] = [[x.hex() for x in names[a].astype(float).ravel().tolist()] for a in\n"
        "                 ('scores', 'weights', 'exps', 'shifted', 'total')]\n"
        "print('\\0' + json.dumps(out))\n"
    )
    process = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=json.dumps(texts), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(process.stdout.rpartition("\0")[2])


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_gives_the_numbers_of_the_screen_to_the_last_digit(name, script_runs):
    cells, beta, hidden = SCRIPTS[name]
    allowed = None if hidden is None else ~np.asarray(hidden)
    steps = softmax_steps(cells, beta=float(beta), allowed=allowed)
    got = [np.array([float.fromhex(x) for x in column]) for column in script_runs[name]]
    for expected, array in zip(
        (steps.scores, steps.weights, steps.exps, steps.shifted, steps.total), got, strict=True
    ):
        np.testing.assert_array_equal(array, np.ravel(expected))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.data())
def test_any_script_gives_the_same_digits_as_the_core(data):
    n_k = data.draw(st.integers(1, 9))
    row = st.lists(st.floats(-1e3, 1e3) | score, min_size=n_k, max_size=n_k)
    cells = data.draw(st.lists(row, min_size=1, max_size=3))
    flags = st.lists(st.booleans(), min_size=n_k, max_size=n_k)
    hidden = data.draw(st.none() | flags)
    beta = data.draw(st.floats(0, 1e3) | st.sampled_from([INF, 1e308, 1e-308]))
    names = {"print": lambda *_: None}
    exec(numpy_text(cells, beta, hidden, ["x"] * n_k, empty="nan"), names)
    steps = softmax_steps(
        cells, beta=beta, allowed=None if hidden is None else ~np.array(hidden), empty="nan"
    )
    np.testing.assert_array_equal(names["weights"], steps.weights)
    np.testing.assert_array_equal(names["scores"], steps.scores)


def test_labels_are_data_in_the_script_and_never_code():
    labels = [*NASTY, "'''\nraise SystemExit(9)\n'''", "\0", "\u2028"]
    got, (_, weights, *_) = run(numpy_text([0] * len(labels), 1, None, labels))
    assert got == labels
    assert weights.sum() == pytest.approx(1)


def test_the_script_says_which_way_round_the_mask_is():
    text = numpy_text([1, 2], 1, [True, False], ["a", "b"])
    assert "# True = may attend. False = hidden" in text
    assert "allowed = np.array([False, True])" in text
    assert "-np.inf" in numpy_text([1, -INF], 1, None, ["a", "b"])


@pytest.mark.parametrize(
    ("beta", "written"),
    [("3", "3"), (" 0.25 ", "0.25"), ("1e-3", "0.001"), ("007", "7.0"), (3, "3.0"),
     ("٣", "3.0"), ("inf", "np.inf"), (INF, "np.inf"), (1 / 3, "0.3333333333333333")],
)  # fmt: skip
def test_beta_is_written_as_typed_when_it_is_a_plain_number(beta, written):
    assert f"\nbeta = {written}  #" in numpy_text([1, 2], beta, None, ["a", "b"])


@pytest.mark.parametrize("beta", ["1/3", "__import__('os')", "-1", "nan", "", NAN, -2, None])
def test_a_beta_that_is_no_number_is_refused_and_never_written(beta):
    with pytest.raises(ValueError, match="beta"):
        numpy_text([1, 2], beta, None, ["a", "b"])


def test_the_script_refuses_a_row_without_an_allowed_key_and_names_it():
    text = numpy_text([[1, 2], [-INF, -INF]], 1, None, ["a", "b"])
    with pytest.raises(ValueError, match=r"no key is allowed in row 1 \(counted from 0\)"):
        exec(text, {})
    with pytest.raises(ValueError, match="no key is allowed in row 0"):
        exec(numpy_text([1, 2], 1, [True, True], ["a", "b"]), {})
    _, (_, weights, *_) = run(numpy_text([[1, 2], [-INF, -INF]], 1, None, ["a", "b"], empty="nan"))
    np.testing.assert_array_equal(weights, [*softmax([1, 2]), NAN, NAN])


def test_what_the_core_refuses_is_refused_before_anything_is_written():
    with pytest.raises(ValueError, match="NaN at position 0"):
        numpy_text([NAN, 1], 1, None, ["a", "b"])
    with pytest.raises(ValueError, match="labels must be 2; got 1"):
        numpy_text([1, 2], 1, None, ["a"])
    with pytest.raises(ValueError, match="hidden must be boolean, True = hidden"):
        numpy_text([1, 2], 1, [1, 0], ["a", "b"])
    with pytest.raises(ValueError, match=r"hidden has shape \(3,\).*\(2,\)"):
        numpy_text([1, 2], 1, [True, False, True], ["a", "b"])
    with pytest.raises(ValueError, match="one row or a matrix"):
        numpy_text(np.zeros((2, 2, 2)), 1, None, ["a", "b"])
    with pytest.raises(ValueError, match="empty must be one of error, nan"):
        numpy_text([1, 2], 1, None, ["a", "b"], empty="zeros")


# The formula as LaTeX


def test_the_formula_holds_the_live_numbers_of_the_chosen_row():
    steps = softmax_steps([[9, 9, 9], [2, 1, -INF]], beta=3)
    text = latex_text(["the", "cat", "sat"], steps, 1, "3")
    assert text.startswith("\\begin{aligned}\n")
    assert text.endswith("\n\\end{aligned}\n")
    assert r"\beta = 3 \\" in text
    assert r"\max s &= 2 \\" in text
    exp, total = repr(float(steps.exps[1, 1])), repr(float(steps.total[1]))
    assert rf"e^{{\beta (s_{{\text{{cat}}}} - \max s)}} &= e^{{-3}} = {exp} \\" in text
    assert rf"&= 1 + {exp} = {total} \\" in text
    for name, term, weight in zip(("the", "cat"), ("1", exp), steps.weights[1, :2], strict=True):
        fraction = rf"\frac{{{term}}}{{{total}}} = {float(weight)!r}"
        assert rf"w_{{\text{{{name}}}}} &= {fraction} \\" in text
    assert r"w_{\text{sat}} &= 0 \quad \text{(masked)}" in text
    assert "9" not in re.sub(r"0\.\d+|1\.\d+", "", text)


def test_the_maximum_is_that_of_the_allowed_keys():
    steps = softmax_steps([1, 1000, NAN], allowed=[True, False, False])
    text = latex_text(["a", "b", "c"], steps, 0, "1")
    assert r"\max s &= 1 \\" in text
    assert "1000" not in text
    assert "nan" not in text


def test_small_numbers_are_powers_of_ten_and_an_underflow_is_named():
    text = latex_text(["a", "b", "c"], softmax_steps([0, -50, -2000]), 0, "1")
    assert r"1.9287498479639178 \cdot 10^{-22}" in text
    assert text.count(r"e^{-2000} = 0 \quad \text{(underflows)}") == 1
    assert "e-22" not in text


def test_the_limit_is_written_as_a_limit():
    for typed in ("inf", "∞"):
        text = latex_text(["a", "b"], softmax_steps([1, 0], beta=INF), 0, typed)
        assert r"\beta \to \infty" in text
        assert r"e^{-\infty} = 0 \\" in text
        assert "underflows" not in text


def test_a_row_without_an_allowed_key_gets_a_sentence():
    text = latex_text(["a"], softmax_steps([[0], [-INF]], empty="nan"), 1, "1")
    assert r"\text{Query 2 may attend to no key: its softmax is undefined.}" in text
    assert "nan" not in text


def test_labels_and_beta_are_escaped_for_latex():
    labels = ["\\", "{", "}", "$", "&", "#", "_", "%", "~", "^", "a\nb", " "]
    text = latex_text(labels, softmax_steps([0] * 12), 0, "sqrt(2)_")
    for escaped in (r"\textbackslash{}", r"\{", r"\}", r"\$", r"\&", r"\#", r"\_", r"\%",
                    r"\textasciitilde{}", r"\textasciicircum{}", "a b", "key 12"):  # fmt: skip
        assert rf"w_{{\text{{{escaped}}}}} &=" in text
    assert r"\beta = \text{sqrt(2)\_}" in text


@seeded
@given(label)
def test_no_label_can_leave_its_braces_or_its_line(text):
    escaped = to_latex(text)
    for command in ("textbackslash", "textasciitilde", "textasciicircum", "textless",
                    "textgreater", "textbar"):  # fmt: skip
        escaped = escaped.replace(rf"\{command}{{}}", "")
    escaped = re.sub(r"\\[{}$&#_%]", "", escaped)
    assert not set(escaped) & set("\\{}$&#_%~^\n\r")


@pytest.mark.parametrize("row", [-1, 2])
def test_a_row_that_is_not_there_is_refused(row):
    with pytest.raises(ValueError, match=f"row must be from 0 to 1; got {row}"):
        latex_text(["a"], softmax_steps([[0], [1]]), row, "1")
    with pytest.raises(ValueError, match="labels must be 1; got 0"):
        latex_text([], softmax_steps([[0], [1]]), 0, "1")
