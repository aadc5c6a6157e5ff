import ast
import csv
import io
import json
import math
import subprocess
import sys
import time
import types
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import MASKS, attention
from attnviz.exports import attention as exports
from attnviz.exports.attention import (
    COLUMNS,
    json_text,
    latex_text,
    npz_bytes,
    numpy_text,
    output_csv,
    read_json,
    read_table_csv,
    table_csv,
    torch_text,
)
from attnviz.exports.attention_json import FORMAT, MAX_BYTES
from tests.core.cases import GOLDEN
from tests.exports.test_softmax import NASTY, label

INF, NAN = math.inf, math.nan
seeded = settings(derandomize=True, deadline=None, max_examples=80)
RNG = np.random.default_rng(11)
STEPS = ("scores", "scaled", "masked", "weights", "output")


def head(q, k, v, allowed=None, *, scale=None, beta=1.0, empty="error", tokens=None, keys=None):
    """What every export is given; default labels are q0, q1, …, k0, k1, …."""
    return {
        "q": q,
        "k": k,
        "v": v,
        "allowed": allowed,
        "scale": scale,
        "beta": beta,
        "empty": empty,
        "tokens": [f"q{i}" for i in range(len(q))] if tokens is None else tokens,
        "keys": [f"k{j}" for j in range(len(k))] if keys is None else keys,
    }


def computed(given, empty=None):
    """The steps of the core; with another policy where one is given."""
    policy = {"empty": empty or given["empty"]}
    rest = {name: given[name] for name in ("allowed", "scale", "beta")} | policy
    return attention(given["q"], given["k"], given["v"], **rest)


def drawn(n_q, n_k, d_k=3, d_v=2, gain=1.0):
    return (
        (RNG.normal(size=(n_q, d_k)) * gain).tolist(),
        RNG.normal(size=(n_k, d_k)).tolist(),
        RNG.normal(size=(n_k, d_v)).tolist(),
    )


EXAMPLE = head([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]])
DEAD = ([[1.0], [2.0]], [[1.0], [3.0]], [[2.0], [4.0]], [[True, True], [False, False]])
CASES = {
    "the worked example": EXAMPLE,
    "cells typed as 1/sqrt(2)": head([[1 / math.sqrt(2), 1]], [[1 / math.sqrt(2), 0], [1, 1 / 3]],
                                     [[1 / math.sqrt(2)], [1]], beta=1 / math.sqrt(2)),
    "causal": head(*drawn(4, 4), MASKS["causal"].allowed(4, 4)),
    "causal with more keys": head(*drawn(2, 5, 4, 5), MASKS["causal"].allowed(2, 5)),
    "the limit": head(*drawn(4, 5), MASKS["causal"].allowed(4, 5), beta=INF),
    "ties in the limit": head([[1, 0], [0, 0], [-1, 1]], [[1, 5], [1, 5], [0, 5], [2, 6]],
                              [[1], [2], [4], [8]], [[True] * 3 + [False]] * 3, beta=INF),
    "no scale": head(*drawn(3, 4), scale=1.0),
    "a negative scale": head(*drawn(3, 4), scale=-0.3, beta=2.5),
    "scale 0": head(*drawn(2, 3), scale=0.0),
    "beta 0": head(*drawn(3, 4), MASKS["causal"].allowed(3, 4, align="top-left"), beta=0.0),
    "beta 1/3": head(*drawn(3, 4), beta=1 / 3),
    "huge beta": head([[3.0], [1.0]], [[1], [2]], [[1], [2]], scale=1.0, beta=1e308),
    "a large width": head(*drawn(5, 7, 64, 64, 8.0), RNG.random((5, 7)) < 0.8, empty="nan"),
    "64 by 64": head(*drawn(64, 64, 16, 8), MASKS["causal"].allowed(64, 64)),
    "many queries, one key": head(*drawn(9, 1)),
    "no minus zero": head([[-1.0]], [[0.0]], [[-0.0]], scale=-1.0),
    "huge scores": head([[1e8], [1e16]], [[1], [1 - 1e-9]], [[1], [2]]),
    "differences beyond float64": head([[1e154], [1]], [[1e154], [-1e154], [0]], [[1], [2], [3]],
                                       beta=1e-308),
    "underflow": head([[1.0]], [[0], [-2000]], [[1], [2]]),
    "an output beyond float64": head([[0.0]], [[1]] * 11, [[sys.float_info.max]] * 11),
    "a hidden key of nan": head([[1.0], [2.0]], [[1.0], [NAN]], [[2.0], [INF]],
                                [[True, False], [True, False]]),
    "a hidden key of infinity": head([[1.0, 1e3]], [[1, 0], [0, INF], [-INF, 0]], [[2], [1], [3]],
                                     [[True, False, False]]),
    "a hidden score beyond float64": head([[1e200], [1]], [[1], [1e200]], [[2], [3]],
                                          [[True, False], [True, True]]),
    "an empty query of nan": head([[1.0], [NAN]], *DEAD[1:], empty="zeros"),
    **{f"an empty row, {empty}": head(*DEAD, empty=empty) for empty in ("zeros", "uniform", "nan")},
    **{f"an empty row at beta 0, {empty}": head(*DEAD, empty=empty, beta=0.0)
       for empty in ("zeros", "uniform", "nan")},
    **{f"an empty row in the limit, {empty}": head(*DEAD, empty=empty, beta=INF)
       for empty in ("zeros", "uniform", "nan")},
    **{f"an empty row of three keys, {empty}": head(
        *drawn(3, 3), [[True, False, True], [False] * 3, [True] * 3], empty=empty)
       for empty in ("zeros", "uniform", "nan")},
}  # fmt: skip


def bits(array):
    """The numbers with all their digits and signs; NaN is NaN."""
    return [x.hex() for x in np.asarray(array).astype(float).ravel().tolist()]


# NumPy

RUNNER = """
import json, sys, warnings
warnings.simplefilter("error")
out = {}
for name, text in json.load(sys.stdin).items():
    names = {}
    exec(compile(text, name, "exec"), names)
    wanted = ("scores", "scaled", "masked", "weights", "output", "allowed")
    out[name] = {x: [y.hex() for y in names[x].astype(float).ravel().tolist()] for x in wanted}
    out[name]["labels"] = [names["tokens"], names["keys"], str(names["allowed"].dtype)]
print("\\0" + json.dumps(out))
"""


def run_all(texts):
    """Run scripts in a process of its own that imports nothing of ours; warnings are errors."""
    process = subprocess.run(
        [sys.executable, "-I", "-c", RUNNER],
        input=json.dumps(texts), capture_output=True, text=True, encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.rpartition("\0")[2])


@pytest.fixture(scope="module")
def script_runs():
    return run_all({name: numpy_text(**given) for name, given in CASES.items()})


@pytest.mark.parametrize("name", CASES)
def test_the_script_gives_every_step_of_the_core_to_the_last_digit(name, script_runs):
    steps, got = computed(CASES[name]), script_runs[name]
    for step in STEPS:
        assert got[step] == bits(getattr(steps, step)), step
    assert got["labels"] == [CASES[name]["tokens"], CASES[name]["keys"], "bool"]


@seeded
@given(st.data())
def test_any_script_gives_the_same_digits_as_the_core(data):
    n_q, n_k, d_k = (data.draw(st.integers(1, 4)) for _ in range(3))
    number = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1 / 3, 1e150, -1e150, 1e-200])
    row = st.lists(number, min_size=d_k, max_size=d_k)
    flags = st.lists(st.booleans(), min_size=n_k, max_size=n_k)
    given = head(
        data.draw(st.lists(row, min_size=n_q, max_size=n_q)),
        data.draw(st.lists(row, min_size=n_k, max_size=n_k)),
        data.draw(st.lists(row, min_size=n_k, max_size=n_k)),
        data.draw(st.none() | st.lists(flags, min_size=n_q, max_size=n_q)),
        scale=data.draw(st.none() | st.floats(-10, 10)),
        beta=data.draw(st.floats(0, 1e3) | st.sampled_from([1e308, 1e-308, INF])),
        empty=data.draw(st.sampled_from(["zeros", "uniform", "nan"])),
    )
    steps, names = computed(given), {"print": lambda *_: None}
    exec(numpy_text(**given), names)
    for step in STEPS:
        assert bits(names[step]) == bits(getattr(steps, step)), step


@pytest.mark.parametrize(("width", "order"), [(8, np.asarray), (64, np.asfortranarray)])
def test_every_export_computes_with_separate_arrays_in_c_order(width, order):
    # the product of an array with itself, or of one in Fortran order, differs in the last digits
    x = order(np.random.default_rng(0).normal(size=(33, width)))
    alike, names = head(x, x, x), {"print": lambda *_: None}
    exec(numpy_text(**alike), names)
    file = np.load(io.BytesIO(npz_bytes(**alike)))
    separate = attention(*(np.array(x, order="C") for _ in "qkv"))
    for step in STEPS:
        assert bits(names[step]) == bits(file[step]) == bits(getattr(separate, step))


def test_the_script_refuses_a_query_without_keys_and_names_it():
    given = head(*DEAD)
    for text in (numpy_text(**given), numpy_text(**head(*DEAD, beta=0.0))):
        with pytest.raises(ValueError, match=r"no key is allowed in rows \[1\] \(from 0\)"):
            exec(text, {})
    assert "none" not in numpy_text(**{**EXAMPLE, "empty": "zeros"})


def test_the_mask_is_a_boolean_array_whose_polarity_is_said():
    text = numpy_text(**CASES["causal"])
    comment, line = text.splitlines()[text.splitlines().index("allowed = np.array([") - 1 :][:2]
    assert comment == "# True = may attend. False = hidden: its weight is exactly 0."
    assert line == "allowed = np.array(["
    assert "    [True, False, False, False],\n    [True, True, False, False],\n" in text
    assert "allowed = np.ones((1, 2), dtype=bool)" in numpy_text(**EXAMPLE)


def test_scale_and_beta_are_written_as_what_they_are():
    assert "scale = 1 / np.sqrt(q.shape[1])  # 1/√d_k\n" in numpy_text(**EXAMPLE)
    text = numpy_text(**{**EXAMPLE, "scale": 0.25, "beta": 1 / 3})
    assert "\nscale = 0.25\nbeta = 0.3333333333333333  # inverse temperature, 1/T\n" in text


@pytest.mark.parametrize("write", [numpy_text, torch_text])
def test_labels_are_data_in_a_script_and_never_code(write):
    labels = [*NASTY, "'''\nraise SystemExit(9)\n'''", "\0", "\u2028", "\ud83d"]
    n = len(labels)
    text = write(**head([[0]] * n, [[0]] * n, [[0]] * n, tokens=labels, keys=labels[::-1]))
    assigned = {
        node.targets[0].id: node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
    }
    assert ast.literal_eval(assigned["tokens"]) == labels
    assert ast.literal_eval(assigned["keys"]) == labels[::-1]
    text.encode("utf-8")


def test_a_script_prints_one_line_a_query_that_any_terminal_can_show():
    printed = []
    given = {**EXAMPLE, "tokens": ["a\n\ud83d"]}
    exec(numpy_text(**given), {"print": lambda *words: printed.append(words)})
    assert printed == [("'a\\n\\ud83d'", computed(EXAMPLE).output[0].tolist())]


# PyTorch, with a stand-in that does what its manual says


class Tensor(np.ndarray):
    def any(self, dim=None, keepdim=False):
        return np.any(np.asarray(self), axis=dim, keepdims=keepdim).view(Tensor)

    def mean(self, dim=None, keepdim=False):
        return np.mean(np.asarray(self), axis=dim, keepdims=keepdim).view(Tensor)

    def amax(self, dim, keepdim):
        return np.max(np.asarray(self), axis=dim, keepdims=keepdim).view(Tensor)

    def masked_fill(self, mask, value):
        return np.where(mask, value, self).view(Tensor)


def stand_in(empty_gives=0.0):
    """A module like torch, of version 2.5 or (with NaN) an earlier one."""

    def attend(query, key, value, attn_mask=None, scale=None):
        assert query.ndim == key.ndim == value.ndim == 3
        assert attn_mask.dtype == bool
        query, key, value = (np.asarray(x) for x in (query, key, value))
        with np.errstate(all="ignore"):
            scores = query @ key.swapaxes(-1, -2) * scale
            scores = scores + np.where(np.asarray(attn_mask), 0.0, -INF)
            exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
            weights = exps / exps.sum(axis=-1, keepdims=True)
            empty = ~np.asarray(attn_mask).any(axis=-1, keepdims=True)
            return (np.where(empty, empty_gives, weights) @ value).view(Tensor)

    functional = types.ModuleType("torch.nn.functional")
    functional.scaled_dot_product_attention = attend
    torch, nn = types.ModuleType("torch"), types.ModuleType("torch.nn")
    torch.nn, nn.functional, torch.float64 = nn, functional, np.float64
    torch.tensor = lambda data, dtype=None: np.array(data, dtype=dtype).view(Tensor)
    torch.where = lambda test, one, other: np.where(test, one, other).view(Tensor)
    torch.nan_to_num = lambda x, **to: np.nan_to_num(np.asarray(x), **to).view(Tensor)
    return {"torch": torch, "torch.nn": nn, "torch.nn.functional": functional}


def run_torch(text, monkeypatch, empty_gives=0.0):
    for name, module in stand_in(empty_gives).items():
        monkeypatch.setitem(sys.modules, name, module)
    names = {"print": lambda *_: None}
    exec(compile(text, "torch script", "exec"), names)
    return names


BEYOND = {"huge beta", "differences beyond float64", "a hidden score beyond float64"}
UNLIKE = {"an output beyond float64", *BEYOND}


@pytest.mark.parametrize("empty_gives", [0.0, NAN], ids=["torch 2.5", "torch 2.1"])
@pytest.mark.parametrize("name", [name for name in CASES if name not in UNLIKE])
def test_the_script_for_torch_gives_the_same_output_up_to_rounding(name, empty_gives, monkeypatch):
    names = run_torch(torch_text(**CASES[name]), monkeypatch, empty_gives)
    np.testing.assert_allclose(
        np.asarray(names["output"]), computed(CASES[name]).output, rtol=1e-6, atol=1e-12
    )
    assert names["q"].dtype == np.float64
    assert names["attn_mask"].dtype == bool
    assert "beyond float64" not in torch_text(**CASES[name])


def test_the_script_for_torch_passes_scale_times_beta_and_says_the_polarity():
    text = torch_text(**{**CASES["causal"], "scale": 0.5, "beta": 3.0})
    assert "\nscale = 0.5\nbeta = 3.0  # inverse temperature, 1/T\n" in text
    assert "attn_mask=attn_mask, scale=scale * beta\n" in text
    comment = (
        "# attn_mask is boolean: True = takes part in attention, False = hidden.\n"
        "# (torch.nn.MultiheadAttention reads its masks the other way round: True = hidden.)\n"
        "attn_mask = torch.tensor([\n    [True, False, False, False],\n"
    )
    assert comment in text
    assert 'beta = float("inf")' in torch_text(**CASES["the limit"])
    assert "scale = q.shape[1] ** -0.5  # 1/√d_k\n" in torch_text(**EXAMPLE)


def test_the_script_for_torch_says_what_torch_does_with_an_empty_row(monkeypatch):
    for empty in ("zeros", "uniform", "nan"):
        text = torch_text(**head(*DEAD, empty=empty))
        assert (
            "# A query without an allowed key: PyTorch 2.5 and later give it an output of 0" in text
        )
        assert f'Here the choice was "{empty}".' in text
    assert "2.5" not in torch_text(**CASES["causal"])
    with pytest.raises(ValueError, match=r"no key is allowed in rows \[1\]"):
        run_torch(torch_text(**head(*DEAD)), monkeypatch)


@pytest.mark.parametrize("name", sorted(BEYOND))
def test_the_script_for_torch_says_where_torch_gives_nan(name):
    given = CASES[name]
    if name == "differences beyond float64":
        given = {**given, "beta": 1.0, "scale": 10.0, "allowed": [[False, False, True]] * 2}
    assert "is beyond float64 here: PyTorch gives NaN." in torch_text(**given)


# What every export refuses

MAKERS = [numpy_text, torch_text, json_text, npz_bytes]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tokens": ["a", "b"]}, "tokens must be 1; got 2"),
        ({"keys": ["a"]}, "keys must be 2; got 1"),
        ({"beta": NAN}, "beta must be 0 or more; got nan"),
        ({"beta": -1}, "beta must be 0 or more"),
        ({"scale": NAN}, "scale must be finite"),
        ({"empty": "zero"}, "empty must be one of error, zeros, uniform, nan; got 'zero'"),
        ({"allowed": [[1, 0]]}, "allowed must be boolean, True = may attend"),
        ({"allowed": [[True] * 3]}, r"allowed has shape \(1, 3\)"),
        ({"q": [[NAN, 0]]}, "score q·k is nan in row 0, column 0"),
        ({"k": [[1], [2]]}, r"k must have 2 columns to match q"),
        ({"q": np.zeros((1, 1, 2))}, r"q must be a matrix.*\(1, 1, 2\)"),
        ({"v": np.zeros((1, 2, 2))}, r"v must be a matrix.*\(1, 2, 2\)"),
        ({"q": np.zeros((0, 2)), "tokens": []}, r"q must have at least one row; got .*\(0, 2\)"),
        ({"q": [["a", "b"]]}, "q must be real numbers; got text"),
    ],
)
def test_what_the_core_refuses_is_refused_before_anything_is_written(make, change, words):
    with pytest.raises(ValueError, match=words):
        make(**{**EXAMPLE, **change})


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_given_is_never_changed(make):
    q, k, v = (np.array(x) for x in drawn(2, 3))
    allowed = np.array([[True, False, True]] * 2)
    before = [x.copy() for x in (q, k, v, allowed)]
    make(**head(q, k, v, allowed))
    for x, old in zip((q, k, v, allowed), before, strict=True):
        np.testing.assert_array_equal(x, old)
        assert x.flags.writeable


# CSV


def lines(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def test_the_table_has_a_line_for_every_query_and_key_with_all_digits():
    steps = computed(CASES["causal"])
    text = table_csv(steps, list("abcd"), list("wxyz"))
    header, *body = lines(text)
    assert header == ["query", "key", "score", "scaled", "weight", "masked"] == list(COLUMNS)
    assert [line[:2] for line in body[:5]] == [["a", x] for x in "wxyz"] + [["b", "w"]]
    assert len(body) == 16
    for at, step in ((2, "scores"), (3, "scaled"), (4, "weights")):
        assert [line[at] for line in body] == list(map(repr, getattr(steps, step).ravel().tolist()))
    assert [line[5] for line in body[:4]] == ["no", "yes", "yes", "yes"]


@seeded
@given(st.data())
def test_the_table_is_read_back_exactly_whatever_the_labels_are(data):
    n_q, n_k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    tokens = data.draw(st.lists(label, min_size=n_q, max_size=n_q))
    keys = data.draw(st.lists(label, min_size=n_k, max_size=n_k))
    number = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=1)
    allowed = np.array(
        data.draw(st.lists(st.booleans(), min_size=n_q * n_k, max_size=n_q * n_k))
    ).reshape(n_q, n_k)
    steps = attention(
        data.draw(st.lists(number, min_size=n_q, max_size=n_q)),
        data.draw(st.lists(number, min_size=n_k, max_size=n_k)),
        np.zeros((n_k, 1)),
        allowed=allowed,
        empty="nan",
    )
    table = read_table_csv("\ufeff" + table_csv(steps, tokens, keys))
    assert list(table.query) == [token for token in tokens for _ in keys]
    assert list(table.key) == keys * n_q
    for name, array in (
        ("score", steps.scores), ("scaled", steps.scaled), ("weight", steps.weights),
        ("masked", ~steps.allowed),
    ):  # fmt: skip
        np.testing.assert_array_equal(getattr(table, name), array.ravel(), strict=True)
    for line in lines(table_csv(steps, tokens, keys)):
        assert not line[0].startswith(("=", "+", "-", "@", "\t", "\r"))
        assert not line[1].startswith(("=", "+", "-", "@", "\t", "\r"))


def test_masked_underflowed_and_undefined_weights_are_told_apart():
    steps = computed(head([[1.0], [0.0]], [[0], [-2000], [1]], [[1]] * 3,
                          [[True, True, False], [False] * 3], empty="nan"))  # fmt: skip
    table = read_table_csv(table_csv(steps, ["a", "b"], ["x", "y", "z"]))
    assert table.weight[:3] == (1.0, 0.0, 0.0)
    assert table.masked == (False, False, True, True, True, True)
    assert all(math.isnan(weight) for weight in table.weight[3:])
    assert table.score[2] == 1.0  # the score is there although the key is hidden


def test_the_output_has_a_line_for_every_query():
    steps = computed(CASES["causal with more keys"])
    header, *body = lines(output_csv(steps, ["=a", "b"]))
    assert header == ["query", "output 1", "output 2", "output 3", "output 4", "output 5"]
    assert [line[0] for line in body] == ["'=a", "b"]
    assert [[float(x) for x in line[1:]] for line in body] == steps.output.tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the header must be query,key"),
        ("a,b\r\n", "got a,b"),
        (",".join(COLUMNS) + "\r\nq,k,1,1,1\r\n", "row 1 must have 6 entries; got 5"),
        (",".join(COLUMNS) + "\r\nq,k,1,one,1,no\r\n", "row 1, scaled: 'one'"),
        (",".join(COLUMNS) + "\r\nq,k,1,1,1,maybe\r\n", "row 1, masked: must be yes or no"),
        (",".join(COLUMNS) + '\r\nq,"k', "line 2 isn't CSV"),
    ],
)
def test_a_table_that_is_not_ours_is_refused_with_the_place(text, words):
    with pytest.raises(ValueError, match=words):
        read_table_csv(text)


def test_tables_need_one_label_each_without_nul_and_one_head():
    steps = computed(EXAMPLE)
    with pytest.raises(ValueError, match="tokens must be 1; got 2"):
        table_csv(steps, ["a", "b"], ["x", "y"])
    with pytest.raises(ValueError, match="keys must be 2; got 1"):
        table_csv(steps, ["a"], ["x"])
    with pytest.raises(ValueError, match="tokens must be 1; got 0"):
        output_csv(steps, [])
    with pytest.raises(ValueError, match="NUL"):
        table_csv(steps, ["a"], ["x", "\0"])
    heads = attention(np.zeros((2, 1, 1)), np.zeros((2, 1, 1)), np.zeros((2, 1, 1)))
    for write in (lambda: table_csv(heads, ["a"], ["x"]), lambda: output_csv(heads, ["a"])):
        with pytest.raises(ValueError, match=r"steps must be of one head; got shape \(2, 1, 1\)"):
            write()
    assert read_table_csv(",".join(COLUMNS)).query == ()


# JSON


def refuse(constant):
    raise AssertionError(f"{constant} isn't strict JSON")


@pytest.mark.parametrize("name", CASES)
def test_a_head_comes_back_from_json_exactly_and_the_file_is_strict(name):
    given = CASES[name]
    text = json_text(**given)
    json.loads(text, parse_constant=refuse)
    text.encode("ascii")
    back = read_json("\ufeff" + text)
    steps = computed(given)
    for x in ("q", "k", "v"):
        assert bits(getattr(back, x)) == bits(given[x])
    np.testing.assert_array_equal(back.allowed, steps.allowed)
    assert (back.scale, back.beta, back.empty) == (given["scale"], given["beta"], given["empty"])
    assert list(back.tokens) == given["tokens"]
    assert list(back.keys) == given["keys"]
    for step in STEPS:
        assert bits(getattr(back.steps, step)) == bits(getattr(steps, step))


def test_the_file_names_its_format_and_holds_weights_and_output():
    entries = json.loads(json_text(**EXAMPLE))
    assert list(entries) == ["format", "q", "k", "v", "allowed", "scale", "beta", "empty",
                             "tokens", "keys", "weights", "output"]  # fmt: skip
    assert entries["format"] == "attnviz-attention/1" == FORMAT
    assert entries["weights"] == computed(EXAMPLE).weights.tolist()
    assert entries["output"] == computed(EXAMPLE).output.tolist()
    assert entries["allowed"] == [[True, True]]
    assert entries["scale"] is None


def test_numbers_that_json_lacks_are_texts():
    given = head([[1.0]], [[1.0], [-INF]], [[2.0], [NAN]], [[True, False]])
    entries = json.loads(json_text(**given), parse_constant=refuse)
    assert entries["k"] == [[1.0], ["-inf"]]
    assert entries["v"] == [[2.0], ["nan"]]
    assert json.loads(json_text(**head(*DEAD)))["weights"][1] == ["nan", "nan"]
    assert json.loads(json_text(**head(*DEAD, empty="zeros")))["weights"][1] == [0.0, 0.0]


@seeded
@given(st.lists(label, min_size=2, max_size=2))
def test_labels_come_back_from_json_whatever_they_are(labels):
    assert list(read_json(json_text(**{**EXAMPLE, "keys": labels})).keys) == labels


def changed(**entries):
    """The file of the example with some entries changed, or left out where they are None."""
    file = json.loads(json_text(**EXAMPLE)) | entries
    return json.dumps({name: entry for name, entry in file.items() if entry is not Ellipsis})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "isn't JSON: Expecting value in line 1, column 1"),
        ('{"format": }', "isn't JSON.*line 1, column 12"),
        ("[1, 2]", "must be a JSON object"),
        ('{"q": NaN}', "NaN isn't JSON; write it as text"),
        ('{"q": -Infinity}', "-Infinity isn't JSON"),
        ('{"q": 1, "q": 2}', 'has an entry twice: "q"'),
        ('{"q": [[[1]]]}', "nested deeper than 3 brackets"),
        (changed(format="attnviz-attention/2"), '"format" must be "attnviz-attention/1"; got'),
        (changed(format=...), '"format" must be .* got null'),
        (changed(v=..., beta=...), "lacks v, beta"),
        (changed(bias=[[0]]), 'an entry that isn\'t known: "bias"'),
        (
            changed(q=[[1, 0], [1]]),
            r"q must have rows of equal length; row 1 .* has 1, row 0 has 2",
        ),
        (changed(q=5), "q must be a list of rows; got 5"),
        (changed(q=[]), r"q must be a list of rows; got \[\]"),
        (changed(q=[1, 0]), r"q must be a list of rows; got \[1.0, 0.0\]"),
        (changed(k=[[1, 0], [0, "one"]]), r'k, row 1, column 1 .*: must be a number.*got "one"'),
        (changed(k=[[1, 0], [0, True]]), "k, row 1, column 1 .*: must be a number.*got true"),
        (changed(k=[[1, 0], [None, 1]]), "k, row 1, column 0 .*: must be a number.*got null"),
        (
            changed().replace("0.0", "1e999", 1),
            "q, row 0, column 1 .*: the number is outside float64",
        ),
        (changed(v=[[10**400, 0], [0, 1]]), "v, row 0, column 0 .*: the number is outside float64"),
        (changed(allowed=[[1, 0]]), "allowed, row 0, column 0 .*: must be true .may attend. or"),
        (changed(allowed=[[True]]), r"allowed must have shape \(1, 2\); got \(1, 1\)"),
        (changed(allowed=None), "allowed must be a list of rows; got null"),
        (changed(scale="on"), 'scale: must be a number.*got "on"'),
        (changed(scale="inf"), "scale must be finite"),
        (changed(beta="-inf"), "beta must be 0 or more; got -inf"),
        (changed(beta=None), "beta: must be a number"),
        (changed(empty="zero"), "empty must be one of"),
        (changed(empty=["zeros"]), "empty must be one of"),
        (changed(tokens=["a", "b"]), "tokens must be 1; got 2"),
        (changed(tokens="a"), 'tokens must be a list of texts; got "a"'),
        (changed(keys=["a", 1]), "keys must be a list of texts"),
        (changed(k=[["nan", 0], [0, 1]]), "score q·k is nan in row 0, column 0"),
        (changed(k=[[1], [1]]), "k must have 2 columns to match q"),
        (changed(v=[[2, 0]] * 3), "v must have 2 rows"),
        (changed(q=[[1, 1]]), "weights, row 0, column 0 .*: the file says 0.669.*but 0.5 follows"),
        (changed(output=[[0, 0]]), "output, row 0, column 0 .*: the file says 0.0, but 1.33"),
        (changed(output=[["nan", 0.66]]), "output, row 0, column 0 .*: the file says nan"),
        (changed(weights=[[1]]), r"weights must have shape \(1, 2\); got \(1, 1\)"),
        (changed(q=[[0]] * 513), r"q may have 512 rows and columns at most; got \(513, 1\)"),
        (changed(v=[[0] * 513] * 2), r"v may have 512 rows and columns at most; got \(2, 513\)"),
    ],
)
def test_a_file_that_can_not_be_read_is_refused_with_a_sentence(text, words):
    with pytest.raises(ValueError, match=words):
        read_json(text)


def test_a_file_may_leave_out_what_follows_and_differ_in_the_last_digits():
    bare = read_json(changed(weights=..., output=..., q=[[3, -2]], scale=2))
    assert bare.steps.output.tolist() == attention([[3, -2]], *(EXAMPLE[x] for x in "kv"),
                                                   scale=2).output.tolist()  # fmt: skip
    weights = computed(EXAMPLE).weights * (1 + 1e-12)
    read_json(changed(weights=weights.tolist()))
    with pytest.raises(ValueError, match="weights, row 0, column 0"):
        read_json(changed(weights=(weights * (1 + 1e-8)).tolist()))


BOMBS = {
    "brackets": "[" * 4_000_000,
    "brackets in an entry": '{"q": ' + "[" * 2_000_000 + "]" * 2_000_000 + "}",
    "objects": '{"q":' * 800_000,
    "brackets that close at once": '{"q": [' + "[]," * 200_000 + "[]]}",
    "an open text": '{"' + '\\"' * 2_000_000,
    "quotes": '"' * 4_000_000,
    "digits": '{"q": ' + "9" * 4_000_000 + "}",
    "many entries": "{" + ",".join(f'"{i}":0' for i in range(100_000)) + "}",
    "the last entry twice": "{" + ",".join(f'"{i}":0' for i in range(100_000)) + ',"99999":0}',
    "the same entry": "{" + ",".join(['"q":0'] * 500_000) + "}",
    "a long text": changed(scale="x" * 1_000_000),
    "too large": " " * (MAX_BYTES + 1),
    "too large in bytes": '"' + "注" * (MAX_BYTES // 3 + 1) + '"',
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_with_a_sentence_before_it_goes_off(name):
    begin = time.process_time()
    with pytest.raises(
        ValueError, match=r"deeper|isn't|lacks|twice|larger|format|rows|must"
    ) as caught:
        read_json(BOMBS[name])
    assert time.process_time() - begin < 5
    assert len(str(caught.value)) < 200


def test_brackets_in_a_label_are_no_nesting():
    labels = ["[" * 50, '\\"[[[[{{{{']
    assert list(read_json(json_text(**{**EXAMPLE, "keys": labels})).keys) == labels


def test_a_file_that_could_not_be_read_again_is_not_written():
    with pytest.raises(ValueError, match="the file is larger than 5 MB"):
        json_text(**{**EXAMPLE, "keys": ["x" * MAX_BYTES, "y"]})
    with pytest.raises(ValueError, match="v may have 512 rows and columns at most"):
        json_text(**{**EXAMPLE, "v": np.zeros((2, 513))})


# npz


@pytest.mark.parametrize("name", CASES)
def test_an_npz_opens_without_pickle_and_holds_every_array(name):
    given = CASES[name]
    loaded = np.load(io.BytesIO(npz_bytes(**given)), allow_pickle=False)
    steps = computed(given)
    assert set(loaded) == {"format", "q", "k", "v", "allowed", "scale", "beta", "empty", "tokens",
                           "keys", *STEPS}  # fmt: skip
    for step in STEPS:
        assert bits(loaded[step]) == bits(getattr(steps, step))
        assert loaded[step].shape == getattr(steps, step).shape
    for x in ("q", "k", "v"):
        assert bits(loaded[x]) == bits(given[x])
    assert loaded["allowed"].dtype == bool
    assert loaded["scale"] == (1 / np.sqrt(len(given["k"][0])) if given["scale"] is None
                               else given["scale"])  # fmt: skip
    assert loaded["beta"] == given["beta"]
    assert loaded["empty"] == given["empty"]
    assert loaded["format"] == FORMAT
    assert loaded["tokens"].tolist() == given["tokens"]


def test_labels_come_back_from_an_npz_and_nul_is_refused():
    labels = [*NASTY, "\u2028", "注意"]
    n = len(labels)
    data = npz_bytes(**head([[0]], [[0]] * n, [[0]] * n, keys=labels))
    assert np.load(io.BytesIO(data))["keys"].tolist() == labels
    with pytest.raises(ValueError, match="NUL"):
        npz_bytes(**{**EXAMPLE, "tokens": ["a\0"]})


def test_equal_heads_give_equal_bytes_without_a_date():
    data = npz_bytes(**EXAMPLE)
    assert data == npz_bytes(**EXAMPLE)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


# LaTeX


def test_the_weighted_sum_holds_the_live_numbers_of_the_chosen_row():
    case = GOLDEN["attention"][0]
    steps = attention(case["q"], case["k"], case["v"])
    text = latex_text(steps, ["the"], 0, keys=["a", "b"], v=case["v"])
    weights, output = steps.weights[0].tolist(), steps.output[0].tolist()
    assert text.splitlines() == [
        r"\begin{aligned}",
        r"o_{\text{the}} &= \sum_j w_j \, v_j \\",
        rf"&= {weights[0]!r} \cdot (2,\; 0) && \text{{a}} \\",
        rf"&\quad + {weights[1]!r} \cdot (0,\; 2) && \text{{b}} \\",
        rf"&= ({output[0]!r},\; {output[1]!r})",
        r"\end{aligned}",
    ]
    np.testing.assert_allclose(output, case["output"][0], rtol=1e-15)


def test_masked_keys_stay_out_of_the_sum_and_an_underflow_is_named():
    v = [[1], [2], [3], [NAN]]
    steps = attention([[5], [1.0]], [[0], [-2000], [1], [1]], v,
                      allowed=[[True] * 3 + [False], [True, True, False, False]])  # fmt: skip
    text = latex_text(steps, ["a", "b"], 1, keys=["w", "x", "y_", " "], v=v)
    assert r"&= 1 \cdot (1) && \text{w} \\" in text
    assert r"&\quad + 0 \cdot (2) && \text{x}\ \text{(underflows)} \\" in text
    assert r"&\text{masked, so not in the sum: } \text{y\_}, \text{key 4}" + "\n" in text
    assert "nan" not in text
    assert text.count("underflows") == 1
    limit = attention([[1.0]], [[0], [1]], [[1], [2]], beta=INF)
    text = latex_text(limit, ["a"], 0, keys=["w", "x"], v=[[1], [2]], exact=True)
    assert r"&= 0 \cdot (1) && \text{w} \\" in text


@pytest.mark.parametrize(
    ("empty", "words", "terms"),
    [
        ("nan", "its output is undefined.", 0),
        ("zeros", "its output is set to 0.", 0),
        ("uniform", "all keys share its weight.", 2),
    ],
)
def test_a_query_without_an_allowed_key_gets_a_sentence(empty, words, terms):
    steps = computed(head(*DEAD, empty=empty))
    text = latex_text(steps, ["a", "b"], 1, keys=["x", "y"], v=DEAD[2])
    assert rf"&\text{{Query 2 may attend to no key: {words}}}" in text
    assert text.count(r"0.5 \cdot (") == terms
    assert "nan" not in text
    assert "masked" not in text
    assert ("&= (3)" in text) is (empty == "uniform")


def test_small_numbers_are_powers_of_ten_and_labels_are_escaped():
    v = [[1e-7], [-2.5e30]]
    steps = attention([[1.0]], [[0], [-50]], v)
    text = latex_text(steps, ["$x$"], 0, keys=["50%", "a\nb"], v=v)
    assert r"o_{\text{\$x\$}}" in text
    assert r"1 \cdot (1 \cdot 10^{-7}) && \text{50\%}" in text
    assert r"(-2.5 \cdot 10^{30}) && \text{a b}" in text
    assert r"1.9287498479639178 \cdot 10^{-22} \cdot (" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"row": 1}, "row must be from 0 to 0; got 1"),
        ({"row": -1}, "row must be from 0 to 0; got -1"),
        ({"tokens": []}, "tokens must be 1; got 0"),
        ({"keys": ["a"]}, "keys must be 2; got 1"),
        ({"v": [[1], [2]]}, r"v must have the shape \(2, 2\); got \(2, 1\)"),
        ({"steps": attention(np.zeros((2, 1, 1)), np.zeros((2, 1, 1)), np.zeros((2, 1, 1)))},
         "steps must be of one head"),
    ],
)  # fmt: skip
def test_a_formula_of_what_is_not_there_is_refused(change, words):
    asked = {"steps": computed(EXAMPLE), "tokens": ["a"], "row": 0, "keys": ["x", "y"],
             "v": EXAMPLE["v"]}  # fmt: skip
    with pytest.raises(ValueError, match=words):
        latex_text(**{**asked, **change})


def test_the_facade_names_what_there_is():
    assert all(getattr(exports, name).__doc__ for name in exports.__all__ if name != "COLUMNS")
