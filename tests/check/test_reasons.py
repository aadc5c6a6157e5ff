import json
from pathlib import Path

import numpy as np
import pytest

from attnviz.check.cases import TASKS
from attnviz.check.outcome import packed, unpacked
from attnviz.check.reasons import expected, reasons, verdict
from tests.check.files import case_index, here, written

GOLDEN = json.loads((Path(__file__).parents[1] / "golden.json").read_text(encoding="utf-8"))


def outcome_of(mistake, task, case):
    """What a wrong procedure does, as if a person had written it."""
    args, named = case.arguments()
    try:
        with np.errstate(all="ignore"):
            value = mistake.gives(*args, **named)
    except ValueError as error:
        return unpacked({"kind": "raised", "names": ["ValueError"], "text": str(error)})
    if task.truth:
        value = bool(value)
    return unpacked(packed(value, pair=task.pair))


@pytest.mark.parametrize(
    ("function", "mistake"),
    [(name, mistake) for name, task in TASKS.items() for mistake in task.mistakes],
    ids=lambda value: value if isinstance(value, str) else value.reason[:40],
)
def test_each_known_mistake_fails_somewhere_and_gets_its_own_reason(function, mistake):
    task = TASKS[function]
    outcomes = [outcome_of(mistake, task, case) for case in task.cases]
    found = reasons(task, task.cases, outcomes)
    assert f"Likely reason: {mistake.reason}" in found


@pytest.mark.parametrize(
    ("function", "mistake"),
    [(name, mistake) for name, task in TASKS.items() for mistake in task.unrefused],
    ids=lambda value: value if isinstance(value, str) else value.reason[:60],
)
def test_each_way_not_to_refuse_gets_its_own_reason(function, mistake):
    task = TASKS[function]
    cases = [case for case in task.cases if case.refused]
    found = reasons(task, cases, [outcome_of(mistake, task, case) for case in cases])
    assert f"Likely reason: {mistake.reason}" in found


HEAD = "import math\nimport numpy as np\n"


@pytest.mark.parametrize(
    ("function", "body", "case", "words"),
    [
        ("softmax", "return np.exp(x) / np.exp(x).sum(-1, keepdims=True)", "scores of 1000", "max"),
        ("softmax", "e = np.exp(x - x.max(0)); return e / e.sum(0)", "a square matrix", "columns"),
        ("softmax", "e = np.exp(x - x.max()); return e / e.sum()", "a square matrix", "together"),
        ("softmax", "e = [math.exp(s) for s in x]; return e", "scores of 1000", "math.exp refuses"),
        ("softmax", "return math.exp(x)", "three scores", "np.exp"),
        ("softmax", "return np.exp(x) / np.exp(x).sum(axis=1)", "three scores", "axis=-1"),
        ("softmax", "x /= 2\n    return x", "whole numbers", "whole numbers can't hold"),
        ("softmax", "pass", "three scores", "`return` is missing"),
        ("softmax", "pass", "every entry -inf", "no `raise ValueError`"),
        ("softmax", "yield x", "three scores", "`return`"),
        ("softmax", "return softmax(x)", "three scores", "calls itself"),
        ("softmax", "raise ValueError('no')", "one entry of -inf", "has an answer"),
        ("softmax", "raise KeyError('no')", "every entry -inf", "must be a ValueError"),
        ("softmax", "return x.reshape(7)", "every entry -inf", "didn't refuse"),
        ("softmax", "return x + np.zeros(7)", "every entry -inf", "didn't refuse"),
        ("softmax", "import sys; sys.exit()", "three scores", "sys.exit"),
        ("softmax", "return nothing", "three scores", "No known mistake"),
        ("naive_softmax", "return [math.exp(s) for s in x]", "scores of 1000: nan is right here",
         "math.exp raises"),
        ("entropy", "return -sum(p * math.log(p) for p in w)", "one weight of 0", "log"),
        ("entropy", "return -np.sum(w * np.log2(w))", "two equal weights", "base 2"),
        ("entropy", "return 0.69", "two equal weights", "rounded to 2"),
        ("entropy", "return 'much'", "two equal weights", "No known mistake"),
        ("entropy", "return np.array([math.log(2)])", "two equal weights", "one answer"),
        ("entropy", "return int(-np.sum(w * np.log(w)))", "three weights", "cut off"),
        ("rows_normalised", "return W.sum(-1) == 1", "nan", "one answer"),
        ("rows_normalised", "return 1", "one vector", "Return a bool"),
        ("rows_normalised", "return all(W.sum(-1) == 1)", "0.7, 0.2, 0.1", "=="),
        ("attention", "return q @ k", "one query, two keys", "shape"),
        ("attention", "return q @ k", "two queries, four keys", "transposed"),
        ("attention", "return q if allowed else k", "hidden keys", "is None"),
    ],
)  # fmt: skip
def test_what_a_person_may_write_gets_its_reason(tmp_path, function, body, case, words):
    named = {"rows_normalised": "W", "entropy": "w", "attention": "q, k, v, allowed=None"}
    text = f"{HEAD}def {function}({named.get(function, 'x')}):\n    {body}\n"
    path, task = written(tmp_path, text), TASKS[function]
    with np.errstate(all="ignore"):
        outcomes = [here(path, function, i, 1) for i in range(len(task.cases))]
    found = reasons(task, task.cases, outcomes)[case_index(function, case)]
    assert words in found


def test_the_expected_values_are_the_golden_ones():
    softmax, entropy, attention = (TASKS[name] for name in ("softmax", "entropy", "attention"))
    rows = {row["name"]: row for row in GOLDEN["softmax"]}
    for case, row in ((0, "2 1 0, beta 1"), (1, "three scores"), (4, "overflow")):
        (weights,) = expected(softmax, softmax.cases[case])
        np.testing.assert_allclose(weights, rows[row]["weights"], rtol=1e-15)
    (hidden,) = expected(softmax, softmax.cases[case_index("softmax", "one entry of -inf")])
    np.testing.assert_allclose(
        hidden, rows["two tied scores, the second masked"]["weights"], rtol=1e-15
    )
    assert expected(entropy, entropy.cases[0])[0] == pytest.approx(0.6931471805599453, rel=1e-15)
    weights = expected(attention, attention.cases[0])[1]
    np.testing.assert_allclose(weights, GOLDEN["attention"][0]["weights"], rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_right_answer_passes_in_any_format_and_as_a_list(dtype):
    task = TASKS["softmax"]
    right = expected(task, task.cases[0])[0].astype(dtype)
    assert verdict(task, task.cases[0], unpacked(packed(right)))
    assert verdict(task, task.cases[0], unpacked(packed(list(right))))


def test_an_answer_a_little_off_fails_and_both_kinds_of_bool_pass():
    task, truth = TASKS["softmax"], TASKS["rows_normalised"]
    near = expected(task, task.cases[0])[0] + 3e-9
    assert not verdict(task, task.cases[0], unpacked(packed(near)))
    for yes in (True, np.True_, np.array(True)):
        assert verdict(truth, truth.cases[0], unpacked(packed(yes)))
    assert not verdict(truth, truth.cases[0], unpacked(packed(1.0)))


def test_attention_may_return_the_output_alone_or_with_the_weights_which_then_count():
    task = TASKS["attention"]
    output, weights = expected(task, task.cases[1])
    assert verdict(task, task.cases[1], unpacked(packed(output, pair=True)))
    assert verdict(task, task.cases[1], unpacked(packed((output, weights), pair=True)))
    wrong = unpacked(packed((output, weights / 2), pair=True))
    assert not verdict(task, task.cases[1], wrong)
