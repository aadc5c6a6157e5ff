"""Numbers as people type and paste them: what is read, what is refused, and with which words."""

import decimal
import math
import random
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.state.numbers import (
    MAX_TEXT,
    Ambiguous,
    NotNumbers,
    Reading,
    read_matrix,
    read_number,
    write_number,
)

INF = math.inf
quick = settings(deadline=None, max_examples=100)


def values(text, **how):
    reading = read_matrix(text, **how)
    assert isinstance(reading, Reading), reading
    return [list(row) for row in reading.values]


def refusal(text, **how):
    with pytest.raises(NotNumbers) as caught:
        read_matrix(text, **how)
    assert str(caught.value) == caught.value.message
    return caught.value


def ways(text, **how):
    question = read_matrix(text, **how)
    assert isinstance(question, Ambiguous), question
    return [[list(row) for row in reading.values] for _, reading in question.alternatives]


# One number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0,5", 0.5),
        ("-0,5", -0.5),
        (",5", 0.5),
        ("1,5e3", 1500.0),
        ("1,234", 1.234),
        (" 0.5\t", 0.5),
        ("\u00a00.5\u202f", 0.5),
    ],
)
def test_a_comma_in_a_box_is_a_decimal_comma_and_is_never_dropped(text, value):
    assert read_number(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("\u22121", -1), ("\u20131", -1), ("\uff0d1", -1), ("\uff11", 1), ("\u22122.5", -2.5)],
)
def test_a_real_minus_sign_is_not_lost(text, value):
    assert read_number(text).value == value


@pytest.mark.parametrize(
    ("text", "value", "spelling"),
    [
        ("1e-3", 0.001, "1e-3"),
        ("1E+3", 1000, "1e3"),
        ("1e+030", 1e30, "1e30"),
        (".02", 0.02, "0.02"),
        ("1.", 1, "1"),
        ("+5", 5, "5"),
        ("007", 7, "7"),
        ("0.50", 0.5, "0.50"),
        ("-0", -0.0, "-0"),
    ],
)
def test_scientific_notation_and_bare_points_keep_their_value(text, value, spelling):
    cell = read_number(text)
    assert (cell.value, cell.text) == (value, spelling)
    assert math.copysign(1, cell.value) == math.copysign(1, value)


MINUS_INFINITY = [
    "-inf",
    "-Inf",
    "-INF",
    "-infinity",
    "-Infinity",
    "-∞",
    "\u2212∞",
    "\u2013inf",
    "-np.inf",
    "-math.inf",
    "-torch.inf",
    "float('-inf')",
    'float("-inf")',
    "-float('inf')",
    "np.float64(-inf)",
    "\uff0d\uff49\uff4e\uff46",
]


@pytest.mark.parametrize("text", MINUS_INFINITY)
def test_every_spelling_of_minus_infinity_masks(text):
    cell = read_number(text)
    assert (cell.text, cell.value) == ("-inf", -INF)
    assert values(f"1, {text}, 2") == [[1, -INF, 2]]
    assert values(f"[1, {text}, 2]") == [[1, -INF, 2]]
    assert values(f"1 {text} 2") == [[1, -INF, 2]]


@pytest.mark.parametrize("text", ["inf", "+inf", "Infinity", "∞", "np.inf", "float('inf')"])
def test_plus_infinity_is_refused_as_such(text):
    assert "+inf" in refusal(f"0, {text}").message
    assert refusal(f"0, {text}").column == 2


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "np.nan", "float('nan')"])
def test_nan_is_refused_as_such(text):
    fault = refusal(f"[0, {text}]")
    assert "NaN" in fault.message
    assert fault.column == 2


@pytest.mark.parametrize(
    "text",
    [
        "infinite",
        "info",
        "-infinite",
        "x",
        "0x10",
        "0b1",
        "0o7",
        "1j",
        "1d0",
        "50%",
        "True",
        "1f",
        "--1",
        "+-1",
        "- 1",
        "1e",
        "e5",
        ".",
        "-",
        "1.2.3",
        "1,2,3",
        "1.234,5",
        "½",
        "٣",
        "1\u200b",
        "1_000",
        "1'000",
        "sqrt()",
        "sqrt(-1)",
        "sqrt(x)",
        "sqrt(sqrt(2))",
        "(1)",
        "1/-2",
        "2*3",
        "-float('-inf')",
        "--inf",
        "abs(1)",
        "__import__('os')",
        "1/2/3",
        "/2",
        "1/",
        "5,",
        "\x00",
    ],
)
def test_what_is_no_number_is_not_a_number(text):
    with pytest.raises(NotNumbers, match=r"not a number|has both a decimal point and a comma"):
        read_number(text)


@pytest.mark.parametrize("text", ["", "  ", "\n", "null", "None"])
def test_a_blank_is_called_blank(text):
    with pytest.raises(NotNumbers, match="is blank"):
        read_number(text)


def test_a_fraction_is_one_number_and_not_two():
    assert values("1/3 2/3") == [[1 / 3, 2 / 3]]
    assert read_matrix("1/3 2/3").texts == (("1/3", "2/3"),)
    assert "divides by zero" in refusal("1/0").message
    assert "divides by zero" in refusal("1/sqrt(0)").message
    assert "not a number: '1/3/2'" in refusal("1/3/2").message
    assert "not a number" in refusal("1 / 3").message


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("sqrt(2)", "sqrt(2)"),
        ("√2", "sqrt(2)"),
        ("-√(2,5)", "-sqrt(2.5)"),
        ("1/sqrt(2)", "1/sqrt(2)"),
        ("1/np.sqrt(02)", "1/sqrt(2)"),
        ("sqrt(2)/sqrt(3)", "sqrt(2)/sqrt(3)"),
        ("-1\u20443", "-1/3"),
    ],
)
def test_an_expression_keeps_its_spelling(text, spelling):
    cell = read_number(text)
    assert cell.text == spelling
    assert read_number(cell.text) == cell


@quick
@given(st.integers(0, 10**17), st.integers(1, 10**17), st.integers(-20, 20))
def test_a_fraction_is_the_nearest_float_of_the_exact_value(a, b, power):
    exact = Fraction(a) * Fraction(10) ** power / b
    assert read_number(f"{a}e{power}/{b}").value == float(exact)


@quick
@given(st.integers(1, 10**17), st.integers(1, 10**17))
def test_a_root_is_the_nearest_float_of_the_exact_value(a, b):
    with decimal.localcontext(prec=100):
        exact = decimal.Decimal(a) / decimal.Decimal(b).sqrt()
    assert read_number(f"{a}/sqrt({b})").value == float(exact)


def test_the_first_example_is_exact():
    # 1/√2 = 0.70710678118654752440… (40-digit arithmetic); 1/math.sqrt(2) is one step below it
    assert read_number("1/sqrt(2)").value == 0.7071067811865476


def test_a_number_beyond_float64_is_refused_and_never_masks():
    fault = refusal("0, -1e400, 1")
    assert "outside the range of float64" in fault.message
    assert fault.column == 2
    for text in ("1e400", "1e400/2", "1/1e400", "sqrt(1e400)", "1e300/1e-300", "1/1e-400"):
        assert "outside the range of float64" in refusal(text).message
    assert read_number("1e-400").value == 0.0
    assert "float64" in refusal("1e" + "9" * 60).message
    assert read_number("1e-" + "9" * 60).value == 0.0


@quick
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_float_reads_back_exactly(value):
    text = write_number(value)
    cell = read_number(text)
    assert cell.value == value
    assert math.copysign(1, cell.value) == math.copysign(1, value)
    assert cell.text == text


def test_numbers_are_written_short():
    written = [write_number(v) for v in (2.0, -2.0, 0.1, 1e16, 1e-7, -0.0, -INF, 5e-324)]
    assert written == ["2", "-2", "0.1", "1e16", "1e-7", "-0", "-inf", "5e-324"]
    for value in (math.nan, INF):
        with pytest.raises(ValueError, match="finite or -inf"):
            write_number(value)


# Ways to write a matrix


@pytest.mark.parametrize(
    "text",
    [
        "[[1, 2], [3, 4]]",
        "[[1, 2], [3, 4],]",
        "((1, 2), (3, 4))",
        "[(1, 2), (3, 4)]",
        "[[1,2][3,4]]",
        "[1, 2], [3, 4]",
        "[1, 2]\n[3, 4]",
        "[[[[1, 2], [3, 4]]]]",
        "[[1. 2.]\n [3. 4.]]",
        "array([[1., 2.],\n       [3., 4.]])",
        "np.array([[1, 2], [3, 4]], dtype=np.float32)",
        "array([[1., 2.],\n       [3., 4.]], dtype=float32)",
        "[array([1., 2.]), array([3., 4.])]",
        "[[np.float64(1.0), np.float64(2.0)], [np.float64(3.0), np.float64(4.0)]]",
        "matrix([[1, 2],\n        [3, 4]])",
        "tensor([[1., 2.],\n        [3., 4.]])",
        "tensor([[1., 2.],\n        [3., 4.]], device='cuda:0', grad_fn=<SoftmaxBackward0>)",
        "tensor([[1., 2.],\n        [3., 4.]], dtype=torch.float16, requires_grad=True)",
        "[tensor([1., 2.]), tensor([3., 4.], grad_fn=<MulBackward0>)]",
        "Parameter containing:\ntensor([[1., 2.],\n        [3., 4.]], requires_grad=True)",
        "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)",
        "Array([[1., 2.],\n       [3., 4.]], dtype=float32)",
        "[1 2; 3 4]",
        "[1, 2; 3 4]",
        "[1, 2;\n 3, 4;]",
        "[1 2\n 3 4]",
        "[1 2\n\n 3 4\n]",
        "[1 2\n; 3 4]",
        "[1\n, 2; 3, 4]",
        "[1, 2\n 3, 4];",
        "Q = [1 2; 3 4]",
        "ans =\n\n     1     2\n     3     4\n\n",
        "1 2; 3 4",
        "1 2;\n3 4;\n",
        "1, 2\n3, 4",
        "1,2,\n3,4,\n",
        "1;2\n3;4",
        "1\t2\n3\t4",
        "1\t2\r\n3\t4\r\n",
        "1\t2\t\n3\t4\t\n",
        "\n\n1 2\r3 4\n  \n",
        "\t1, 2\n\t3, 4",
        "1 2\u20283 4",
        '"1","2"\n"3","4"',
        '[["1", "2"], ["3", "4"]]',
        "1_2~3_4",
        "1_2;3_4",
        "q=1_2~3_4",
        "１，２；３，４",
        "［［1，2］，［3，4］］",
    ],
)
def test_every_way_to_write_a_matrix_reads_the_same(text):
    assert values(text) == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3",
        "1,2,3",
        "1, 2, 3,\n",
        "1;2;3",
        "1\t2\t3",
        "1\n2\n3\n",
        "1,\n2,\n3",
        "1;\n2;\n3;\n",
        "[1, 2, 3]",
        "(1, 2, 3)",
        "[[1, 2, 3]]",
        "[[1 2\n  3]]",
        "1_2_3",
        "scores = 1, 2, 3",
        "[1,\n 2,\n 3\n]",
        "[tensor(1.), tensor(2.), tensor(3., grad_fn=<MeanBackward0>)]",
    ],
)
def test_every_way_to_write_a_list_reads_as_one_row(text):
    assert values(text) == [[1, 2, 3]]


def test_a_minus_sign_in_matlab_belongs_to_its_number():
    assert values("[1 -2]") == [[1, -2]]
    assert "value 2 is not a number: '-'" in refusal("[1 - 2]").message
    assert "value 2 is not a number: '-'" in refusal("1 - 2").message
    assert "not a number: '1-2'" in refusal("[1-2]").message
    assert values("[1,2;]") == [[1, 2]]


def test_a_real_minus_sign_pastes_out_of_a_plot():
    assert values("\u22121, \u22122.5, 3") == [[-1.0, -2.5, 3.0]]
    assert values("[\u20131 \uff11]") == [[-1, 1]]


def test_a_single_column_of_numbers_is_one_row_of_scores():
    assert values("0.1\n0.7\n0.2\n") == [[0.1, 0.7, 0.2]]
    assert values("12\n34\n56\n") == [[12, 34, 56]]


def test_a_column_stays_a_column_where_rows_are_marked():
    assert values("1~2") == values("[[1], [2]]") == values("[1; 2]") == [[1], [2]]


def test_a_long_link_field_reads_as_values():
    assert values("0.7071067811865476,0,-1") == [[0.7071067811865476, 0, -1]]


def test_leading_dimensions_of_one_are_dropped_and_the_query_axis_stays():
    row = [1, 2, 3, 4]
    assert read_matrix(str([[[row] * 4]])).shape == (4, 4)
    assert read_matrix(str([[[row]]])).shape == (1, 4)
    assert "holds 2 matrices; paste one" in refusal(str([[row] * 4] * 2)).message
    assert "holds 6 matrices; paste one" in refusal(str([[[row] * 4] * 2] * 3)).message


def test_json_with_minus_infinity_reads_and_null_is_blank():
    assert values("[0, -Infinity, 1]") == [[0, -INF, 1]]
    assert values('[0, "-inf", 1]') == [[0, -INF, 1]]
    fault = refusal("[0, null, 1]")
    assert "value 2 is blank" in fault.message
    assert (fault.row, fault.column) == (1, 2)


def test_a_byte_order_mark_is_no_part_of_a_number_or_a_label():
    assert values("\ufeff1,2\n3,4\n") == [[1, 2], [3, 4]]
    reading = read_matrix("\ufeffthe,cat\n.1,.9\n.8,.2\n")
    assert reading.column_labels == ("the", "cat")
    assert reading.values == ((0.1, 0.9), (0.8, 0.2))


def test_rows_that_numpy_wrapped_are_not_cut_in_silence():
    # print(np.arange(24) / 7) with NumPy's own line width of 75: six numbers of ten digits a line
    words = [f"{x / 7:.8f}" for x in range(24)]
    lines = [" ".join(words[i : i + 6]) for i in range(0, 24, 6)]
    text = "[" + "\n ".join(lines) + "]"
    assert [len(way) for way in ways(text)] == [1, 4]
    shorter = "[" + "\n ".join([*lines[:-1], " ".join(words[18:21])]) + "]"
    assert [len(row) for row in values(shorter)] == [21]
    assert "row 2 has 2 values, row 1 has 3" in refusal("[1 2 3\n4 5]").message


# Decimal commas


def test_commas_that_can_be_read_both_ways_are_asked_about():
    assert ways("1,2;2,3") == [[[1.2, 2.3]], [[1, 2], [2, 3]]]
    question = read_matrix("1,2;2,3")
    words = [words for words, _ in question.alternatives]
    assert words == [
        "decimal commas, 1 row of 2: 1.2 and 2.3",
        "commas between values, 2 rows of 2: 1 and 2; 2 and 3",
    ]
    assert all(word in question.message for word in words)


def test_the_answer_to_the_question_ends_it():
    assert values("1,2;2,3", decimal=",") == [[1.2, 2.3]]
    assert values("1,2;2,3", decimal=".") == [[1, 2], [2, 3]]
    assert values("0,25;0,75", decimal=".") == [[0, 25], [0, 75]]
    assert values("[0,5; 1,5]", decimal=",") == [[0.5], [1.5]]
    assert values("1,5, 2,5", decimal=",") == [[1.5, 2.5]]
    assert "decimal point" in refusal("1.5;2,5", decimal=",").message
    assert "decimal comma" in refusal("0,5\t1,5", decimal=".").message


def test_decimal_commas_are_read_where_nothing_else_is_possible():
    assert values("0,25;0,75") == [[0.25, 0.75]]
    assert values("0,25;0,75\n0,5;0,5") == [[0.25, 0.75], [0.5, 0.5]]
    assert values("0,5\t1,5") == [[0.5, 1.5]]
    assert values("1,2\t3,4\n5,6\t7") == [[1.2, 3.4], [5.6, 7]]
    assert values('"1,5","2,5"') == [[1.5, 2.5]]
    assert values("1,05;2,3") == [[1.05, 2.3]]
    assert values("-0,5;1,5") == [[-0.5, 1.5]]
    assert values("0,5;1;2,25") == [[0.5, 1, 2.25]]
    assert values("0,5\n1\n2,5") == [[0.5, 1, 2.5]]
    reading = read_matrix("the;cat\n0,25;0,75")
    assert (reading.column_labels, reading.values) == (("the", "cat"), ((0.25, 0.75),))


def test_lines_of_one_value_each_are_a_column_where_one_is_asked_for():
    for text in ("7\n8", "cost\n7\n8", "a 7\nb 8", "7,\n8,", "7\t\n8\t", "[7; 8]"):
        assert values(text, column=True) == [[7], [8]]
    for text in ("7;8", "7, 8", "[7,\n8]", "7 8\n"):
        assert values(text, column=True) == [[7, 8]]
    assert values("0,5\n1\n2,5", column=True) == [[0.5], [1], [2.5]]
    assert values("7\n8") == [[7, 8]]


def test_a_comma_list_is_a_list_and_no_question():
    assert values("1,5") == [[1, 5]]
    assert values("2,1,0") == [[2, 1, 0]]
    assert values("0,1,0;1,0,1") == [[0, 1, 0], [1, 0, 1]]
    assert values("1, 2; 2, 3") == [[1, 2], [2, 3]]
    assert values("0.1,0.9;0.8,0.2") == [[0.1, 0.9], [0.8, 0.2]]
    assert values("[1,2;2,3]") == [[1, 2], [2, 3]]
    assert values("1,5, 2") == [[1, 5, 2]]
    assert values("1.5 2,5") == [[1.5, 2, 5]]
    assert values("1,2\n3,4") == [[1, 2], [3, 4]]
    assert values("1,0\n0,1") == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("0,5;1,5", [[0.5, 1.5]]),
        ("0,1;0,0", [[0.1, 0.0]]),
        ("1,0;0,1", [[1.0, 0.1]]),
        ("0,5\n1,5", [[0.5, 1.5]]),
        ("1,25\n2,50", [[1.25, 2.5]]),
        ("1,2 3,4", [[1.2, 3.4]]),
        ("1,5, 2,5", [[1.5, 2.5]]),
        ("1,2;3,4\n5,6;7,8", [[1.2, 3.4], [5.6, 7.8]]),
        ("10,000;20,000", [[10.0, 20.0]]),
    ],
)
def test_doubtful_commas_are_asked_about(text, decimals):
    assert ways(text)[0] == decimals


def test_a_ragged_text_is_not_taken_for_decimal_commas_without_a_sign():
    message = refusal("1,2;3").message
    assert message.startswith("row 2 has 1 value, row 1 has 2")
    assert "decimal commas" in message
    assert "at most 1" in refusal("1,2;2,3", max_rows=1).message


def test_commas_beside_points_are_not_guessed():
    assert "mixed" in refusal("1.5\t2,5").message
    assert "mixed" in refusal('"1,234",2.5').message


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("29\u202f000", "29000"),
        ("1\u00a0234,5", "1234.5"),
        ("1 234,5", "1234.5"),
        ("29 000", "29000"),
        ("[1, 29\u00a0000]", "29000"),
        ("1\u2009234\u2009567", "1234567"),
    ],
)
def test_a_space_inside_a_number_is_questioned(text, together):
    message = refusal(text).message
    assert "space inside a number?" in message
    assert f"write {together} for one number" in message


def test_other_spaces_separate():
    assert values("0.1\u00a00.9") == [[0.1, 0.9]]
    assert values("1\u202f2\u30003") == [[1, 2, 3]]
    assert values("100 200 300") == [[100, 200, 300]]


# Labels


def test_a_line_of_words_holds_labels_and_a_line_of_numbers_data():
    reading = read_matrix("the,cat\n0.1,0.9\n0.8,0.2")
    assert reading.column_labels == ("the", "cat")
    assert reading.values == ((0.1, 0.9), (0.8, 0.2))
    assert values("1,2\n0.1,0.9\n0.8,0.2") == [[1, 2], [0.1, 0.9], [0.8, 0.2]]
    ticked = read_matrix("1,2\n0.1,0.9\n0.8,0.2", header=True)
    assert (ticked.column_labels, ticked.shape) == (("1", "2"), (2, 2))
    assert "'the'" in refusal("the,cat\n0.1,0.9", header=False).message


@pytest.mark.parametrize(
    "text",
    [
        ",the,cat\nthe,0.1,0.9\ncat,0.8,0.2",
        "\tthe\tcat\nthe\t0.1\t0.9\ncat\t0.8\t0.2",
        "     the  cat\nthe  0.1  0.9\ncat  0.8  0.2",
        "token;the;cat\nthe;0.1;0.9\ncat;0.8;0.2\n",
        "\tthe\tcat\nthe\t0,1\t0,9\ncat\t0,8\t0,2",
    ],
)
def test_a_header_and_a_column_of_labels_are_both_taken(text):
    reading = read_matrix(text)
    assert reading.column_labels == reading.row_labels == ("the", "cat")
    assert reading.values == ((0.1, 0.9), (0.8, 0.2))


def test_labels_beside_scores_become_labels_of_the_keys():
    for text in ("the,0.1\ncat,0.2\nsat,0.7", "token,score\nthe,0.1\ncat,0.2\nsat,0.7"):
        reading = read_matrix(text)
        assert reading.values == ((0.1, 0.2, 0.7),)
        assert reading.column_labels == ("the", "cat", "sat")


def test_tokens_that_are_commas_quotes_brackets_or_infinity_stay_labels():
    assert read_matrix('the,",",cat\n1,2,3').column_labels == ("the", ",", "cat")
    assert read_matrix('"""",a\n1,2').column_labels == ('"', "a")
    assert read_matrix('"a\tb","\n"\n1,2').column_labels == ("a\tb", "\n")
    assert read_matrix("the\t,\n1\t2").column_labels == ("the", ",")
    assert read_matrix("the,inf,nan\n1,2,3").column_labels == ("the", "inf", "nan")
    assert read_matrix("[CLS],the,[SEP]\n1,2,3").column_labels == ("[CLS]", "the", "[SEP]")
    assert read_matrix("(,the,)\n1,2,3").column_labels == ("(", "the", ")")
    assert read_matrix("...,−a,，\n1,2,3").column_labels == ("...", "−a", "，")
    assert read_matrix("New York,Ġthe\n1,2").column_labels == ("New York", "Ġthe")
    assert read_matrix('",the,2"\n1').shape == (1, 1)


def test_a_blank_corner_admits_numbers_as_labels():
    reading = read_matrix(",the,2\nthe,0.1,0.9\n2,0.8,0.2")
    assert reading.column_labels == reading.row_labels == ("the", "2")
    assert "value 1 is blank" in refusal(",2,3\n4,5,6").message
    assert "value 1 is blank" in refusal(",x,3\n4,5,6").message


@pytest.mark.parametrize(
    "text",
    [
        "x,2\n3,4",
        "o.1\n0.7\n0.2",
        "1x,2y\n3,4",
        "the 0.1 0.9",
        "nan,nan\n1,2",
        "null,null\n1,2",
        "--,--\n1,2",
        "the\n0.1\ncat",
        "9" * 70 + "," + "9" * 70 + "\n1,2",
    ],
)
def test_a_mistyped_number_is_not_taken_for_a_label(text):
    refusal(text)


def test_labels_that_do_not_fit_are_counted():
    assert "3 columns, 2 labels" in refusal("a,b\n1,2,3").message
    assert "12 labels" in refusal("\t".join("abcdefghijkl") + "\n1\t2").message
    assert "only labels" in refusal("a,b", header=True).message
    assert "longer than 200" in refusal("a" * 201 + ",b\n1,2").message


# Refusals


def test_a_shortened_printout_is_refused_and_never_read_without_its_middle():
    for text in (
        "[0. 1. 2. ... 997. 998. 999.]",
        "[[1. 2. ... 9.]\n ...\n [1. 2. ... 9.]]",
        "array([0, 1, 2, ..., 997, 998, 999], shape=(1000,))",
        "0 1 2 ... 9",
        "0, 1, …, 9",
        "1 2\n...\n5 6",
    ):
        assert "shortened" in refusal(text).message


@pytest.mark.parametrize(
    ("text", "words", "row", "column"),
    [
        ("1,,3", "value 2 is blank", 1, 2),
        ("1__0", "value 2 is blank", 1, 2),
        ("[1,,3]", "value 2 is blank", 1, 2),
        ("[,1]", "value 1 is blank", 1, 1),
        ("1\t\t3", "value 2 is blank", 1, 2),
        ("1\n\n3", "value 2 is blank", 1, 2),
        ("1,2\n3,", "row 2, value 2 is blank", 2, 2),
        ("1 2\n\n3 4", "row 2 is blank", 2, None),
        ("[1;;2]", "row 2 is blank", 2, None),
        ("[[1],,[2]]", "list 2 is blank", 2, None),
        ("1 2 3\n4 5\n6 7 8", "row 2 has 2 values, row 1 has 3", 2, None),
        ("[[1, 2, 3], [4]]", "row 2 has 1 value, row 1 has 3", 2, None),
        ("1 x", "value 2 is not a number: 'x'", 1, 2),
        ("1 2 3\n4 5 x", "row 2, value 3 is not a number: 'x'", 2, 3),
        ("[[1, 2], [3, y]]", "row 2, value 2 is not a number: 'y'", 2, 2),
    ],
)
def test_a_refusal_names_the_place(text, words, row, column):
    fault = refusal(text)
    assert fault.message == words
    assert (fault.row, fault.column) == (row, column)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to read"),
        (" \n\t", "nothing to read"),
        ("\ufeff", "nothing to read"),
        ("[]", "no numbers"),
        ("[[], []]", "no numbers"),
        ("[1, 2", "never closed"),
        ("1]", "not a number: '1]'"),
        ("[1, 2)", "closed by ')'"),
        ("[1]]", "never opened"),
        ("[1, [2]]", "side by side"),
        ("[[1], [[2]]]", "side by side"),
        ("[1, 2] * 3", "not a number: '*'"),
        ("[[1, 2]].T", "not a number: '.T'"),
        ('"1,2', "never closed"),
        ('{"q": [1]}', "not a number"),
        ("1,2\0\n", "NUL"),
        ("[1] Parameter containing: [2]", "not a number: 'Parameter'"),
    ],
)
def test_broken_structure_is_refused_in_words(text, words):
    assert words in refusal(text).message


def test_long_tokens_are_cut_in_the_sentence():
    message = refusal("1 " + "x" * 63).message
    assert "x" * 39 + "…" in message
    assert len(message) < 80
    assert "\ud83d" not in refusal("1 \ud83d").message


def test_limits_are_told_before_anything_is_built():
    assert "70 values; at most 64" in refusal(" ".join("1" * 70)).message
    assert "70 rows; at most 64" in refusal("\n".join(["1 2"] * 70)).message
    assert "70 values; at most 64" in refusal("\n".join("1" * 70)).message
    assert "5 values; at most 4" in refusal("[[1, 2, 3, 4, 5]]", max_columns=4).message
    assert "at most 2 can be read" in refusal("1~2~3", max_rows=2).message
    assert "64 rows of 64 values" in refusal("1 " * 100_000).message
    assert "longer than 256 kB" in refusal("1" * (MAX_TEXT + 1)).message
    assert "longer than 256 kB" in refusal("\u2212" * (MAX_TEXT // 2)).message
    assert len(values(" ".join("1" * 64))[0]) == 64
    full = "\n".join([", ".join(["tensor(-0.123456789, grad_fn=<SelectBackward0>)"] * 64)] * 64)
    assert read_matrix(full).shape == (64, 64)


# Hostile texts


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').mkdir('pwned')",
        "[x for x in (1,2)]",
        "2**9**9",
        "(lambda: 1)()",
        "[__import__('os').mkdir('pwned')]",
        "[2**9**9, 1]",
    ],
)
def test_code_is_not_a_number_and_is_not_run(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "not a number" in refusal(text).message
    with pytest.raises(NotNumbers, match="not a number"):
        read_number(text)
    assert list(tmp_path.iterdir()) == []


def test_deep_nesting_is_refused_at_once():
    for opener, closer in ("[]", "()"):
        assert "nested too deeply" in refusal(opener * 100_000 + "1" + closer * 100_000).message
        assert "nested too deeply" in refusal(opener * 5 + "1" + closer * 5).message
        assert values(opener * 4 + "1" + closer * 4) == [[1]]
    assert "nested too deeply" in refusal("array(" * 20_000 + "[1]").message
    assert "nested too deeply" in refusal("[[[[1]]]], [[[[1]]]]").message


def test_an_endless_number_is_refused_at_once():
    assert "longer than 64 characters" in refusal("0" * 100_000 + "a").message
    assert "longer than 64 characters" in refusal("0." + "1" * 63).message


PIECES = [
    "[",
    "(",
    "[]",
    "[1,",
    "1 ",
    "1,",
    "1;",
    "1\t",
    "1\n",
    "1\r\n",
    "1_",
    "1~",
    "1,2;",
    "1,2\n",
]
PIECES += [
    "0,5 ",
    "a",
    "a ",
    "a b\n",
    '"',
    '""" ',
    '"a"b',
    "'a'b ",
    "a(",
    "a(b ",
    "array(",
    "float(",
]
PIECES += [
    "sqrt(",
    "9",
    " ",
    "\t",
    "\n",
    " \n",
    "1 234,",
    "1\u00a0",
    "...",
    ";",
    ",",
    "[1\n",
    "1，",
]
PIECES += ["[CLS],", "a=", "√", "1e", "tensor(0.1, ", "[1,2],", "\u2212", "−1 "]


def _calls(text):
    """Python and C calls that reading takes: a measure of work that no clock disturbs."""
    count = 0

    def profile(*_):
        nonlocal count
        count += 1

    sys.setprofile(profile)
    try:
        for decimal_mark in (None, ","):
            try:
                read_matrix(text, decimal=decimal_mark, max_rows=10**6, max_columns=10**6)
            except NotNumbers:
                continue
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("start", ["", "[", "the,cat\n"])
def test_work_grows_no_faster_than_the_text(start):
    for piece in PIECES:
        short, long = (_calls(start + piece * count) for count in (60, 240))
        assert long <= 5 * short + 100, piece


@pytest.mark.parametrize("start", ["", "["])
def test_texts_as_long_as_the_limit_are_answered(start):
    for piece in PIECES:
        text = (start + piece * MAX_TEXT).encode()[:MAX_TEXT].decode("utf-8", "ignore")
        with pytest.raises(NotNumbers):
            read_matrix(text)


VALID = [
    "[[1, 2], [3, -inf]]",
    "array([[1., 2.],\n       [3., 4.]], dtype=float32)",
    "tensor([[1., 2.]], device='cuda:0', grad_fn=<SoftmaxBackward0>)",
    "[1 2; 3 -4]",
    ',the,","\nthe,0.1,0.9\ncat,1/3,sqrt(2)',
    "\tthe\tcat\n[CLS]\t0,1\t0,9",
    "0,25;0,75\n1,5;2",
    "2_1_0~1/sqrt(2)_-inf_1e-3",
    "\ufeff−１，２；３ ４",
    "29\u202f000 1",
]
MARKS = st.sampled_from(
    [*"[](){},;_~\t\n\r \"'=.-+/eE0159√∞a…", "\u00a0", "\ud83d", "\0", "，", "inf"]
)


@st.composite
def mutated(draw):
    text = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 3))
        text = text[:at] + draw(st.one_of(st.just(""), MARKS)) + text[at + cut :]
    return text


ANY = st.one_of(
    st.text(st.characters(codec=None), max_size=60),
    st.binary(max_size=60).map(lambda data: data.decode("latin-1")),
    st.lists(MARKS, max_size=30).map("".join),
    mutated(),
)


def answer(function, *args, **how):
    """What a reader returns, or the fault it raises: any other exception fails the test."""
    try:
        return function(*args, **how)
    except NotNumbers as fault:
        return fault


@settings(deadline=None, max_examples=250)
@given(ANY, st.sampled_from([None, ".", ","]), st.sampled_from([None, True, False]))
def test_any_text_is_read_or_refused_in_a_sentence(text, decimal_mark, header):
    result = answer(read_matrix, text, decimal=decimal_mark, header=header)
    if isinstance(result, NotNumbers):
        assert result.message.encode()  # nothing that cannot be sent to a browser
        assert "\n" not in result.message
        return
    options = [result] if isinstance(result, Reading) else [r for _, r in result.alternatives]
    for option in options:
        rows, columns = option.shape
        assert min(rows, columns) > 0
        assert {len(row) for row in option.cells} == {columns}
        assert all(value < INF for row in option.values for value in row)
        assert option.column_labels is None or len(option.column_labels) == columns
        assert option.row_labels is None or len(option.row_labels) == rows
        link = "~".join("_".join(row) for row in option.texts)
        assert read_matrix(link).cells == option.cells


@settings(deadline=None, max_examples=200)
@given(ANY)
def test_any_box_is_read_or_refused_in_a_sentence(text):
    result = answer(read_number, text)
    if isinstance(result, NotNumbers):
        assert result.message.encode()
    else:
        assert result.text.isascii()
        assert read_number(result.text) == result


DECIMALS = st.one_of(
    st.integers(-999, 999).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.just("-inf"),
)
ATOMS = st.floats(1e-5, 1e5).flatmap(lambda v: st.sampled_from([repr(v), f"sqrt({v!r})"]))
CELLS = st.one_of(DECIMALS, ATOMS, st.tuples(ATOMS, ATOMS).map("/".join))
MATRICES = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(CELLS, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


@quick
@given(MATRICES)
def test_a_link_reads_back_equal_cells(rows):
    link = "~".join("_".join(row) for row in rows)
    reading = read_matrix(link)
    assert reading.shape == (len(rows), len(rows[0]))
    again = "~".join("_".join(row) for row in reading.texts)
    assert read_matrix(again).cells == reading.cells
    assert reading.cells == tuple(tuple(read_number(text) for text in row) for row in rows)


@quick
@given(MATRICES)
def test_every_writer_s_matrix_reads_the_same(rows):
    cells = tuple(tuple(read_number(text) for text in row) for row in rows)
    lists = [f"[{', '.join(row)}]" for row in rows]
    assert read_matrix(f"[{', '.join(lists)}]").cells == cells
    assert read_matrix("array([" + ",\n       ".join(lists) + "])").cells == cells
    assert read_matrix("[" + "\n ".join(f"[{' '.join(row)}]" for row in rows) + "]").cells == cells
    assert read_matrix("[" + "; ".join(" ".join(row) for row in rows) + "]").cells == cells
    if len(rows[0]) > 1:
        for between in (",", ", ", "\t", " "):
            text = "\n".join(between.join(row) for row in rows)
            assert read_matrix(text, decimal=".").cells == cells


def test_random_bytes_of_every_length_are_answered():
    source = random.Random(7)
    for size in (1, 10, 100, 1000, 10_000, 100_000):
        answer(read_matrix, source.randbytes(size).decode("latin-1"))


@pytest.mark.parametrize("text", ["." + "5" * 63, "√" + "2" * 63, "1/√" + "2" * 60])
def test_a_number_whose_own_spelling_is_too_long_is_refused_as_too_long(text):
    with pytest.raises(NotNumbers, match="longer than 64 characters"):
        read_number(text)


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("1,234.5", "1234.5"),
        ("1.234,5", "1234.5"),
        ("-1,234,567.8", "-1234567.8"),
        ("1,234.5 2,000.5", "1234.5"),
        ("1,234\t2,000", "1234"),
    ],
)
def test_marks_that_may_group_digits_are_asked_about(text, one):
    with pytest.raises(NotNumbers, match=f"Write {one}, or "):
        read_matrix(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1, 234.5", [["1", "234.5"]]),
        ("0.123,5", [["0.123", "5"]]),
        ("1.234,5.678", [["1.234", "5.678"]]),
        ("1,234\t0,5", [["1.234", "0.5"]]),
        ("12,5\t1,234", [["12.5", "1.234"]]),
        ("[1,234.5]", [["1", "234.5"]]),
    ],
)
def test_marks_that_can_group_no_digits_are_read(text, rows):
    assert [list(row) for row in read_matrix(text).texts] == rows


def test_in_a_link_a_comma_separates_whatever_stands_around_it():
    assert read_matrix("1,234.5", decimal=".").texts == (("1", "234.5"),)
