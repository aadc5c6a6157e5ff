"""What is checked: for each function its cases, and what the right answer to each of them is.

A case is data. The right answer comes from ``attnviz.core``, and what a known mistake would give
from ``mistakes``. Whole numbers make an integer array, everything else float64 or bool.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz.check import mistakes, mistakes_attention
from attnviz.check.mistakes import Mistake
from attnviz.core.attention import AttentionSteps, attention
from attnviz.core.checks import Array
from attnviz.core.entropy import entropy
from attnviz.core.softmax import naive_softmax, rows_normalised, softmax

INF, NAN = float("inf"), float("nan")


@dataclass(frozen=True)
class Case:
    """One input of a function.

    Attributes
    ----------
    name : str
        What it tries, in a few words.
    values : tuple
        The arguments as numbers or nested lists.
    allowed : list of list of bool, optional
        For attention; True = may attend.
    refused : bool
        Whether a ValueError is the right answer.
    """

    name: str
    values: tuple
    allowed: list | None = None
    refused: bool = False

    def arguments(self) -> tuple[tuple[Array, ...], dict[str, Array]]:
        """Return new arrays: those given by position, and those given by name."""
        named = {} if self.allowed is None else {"allowed": np.array(self.allowed)}
        return tuple(np.array(value) for value in self.values), named


@dataclass(frozen=True)
class Task:
    """One function that a person writes.

    Attributes
    ----------
    parameters : tuple of str
        Their names in the text of a failure.
    right : callable
        The right answer as a tuple: one array, or output and weights.
    cases : tuple of Case
    mistakes : tuple of Mistake
    unrefused : tuple of Mistake
        What comes where a ValueError was due.
    by_steps : str
        What to compare with where no mistake is known to give what came.
    slips : tuple of (str, str)
        Part of an exception and its reason, where they differ from those of other functions.
    pair : bool
        Whether a pair may be returned.
    truth : bool
        Whether the answer is True or False.
    """

    parameters: tuple[str, ...]
    right: Callable[..., tuple[Array, ...]]
    cases: tuple[Case, ...]
    mistakes: tuple[Mistake, ...]
    by_steps: str
    unrefused: tuple[Mistake, ...] = ()
    slips: tuple[tuple[str, str], ...] = ()
    pair: bool = False
    truth: bool = False


_SCORES = (
    Case("three scores", ([2.0, 1.0, 0.0],)),
    Case("1/sqrt(2), 0, -1", ([0.5**0.5, 0.0, -1.0],)),
    Case("whole numbers", ([3, 1, 2],)),
    Case("one score", ([5.0],)),
)
_MATRICES = (
    Case("a matrix, each row by itself", ([[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]],)),
    Case("a square matrix", ([[1.0, 2.0], [3.0, 5.0]],)),
)
_Q = [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]]
_K = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 2.0, 1.0]]
_V = [[2.0, 0.0], [0.0, 2.0], [1.0, 3.0], [4.0, 1.0]]
_SQUARE = (
    [[1.0, 2.0], [0.0, 1.0]],
    [[1.0, 0.5], [2.0, 0.0]],
    [[3.0, 0.0], [1.0, 2.0]],
)

TASKS: dict[str, Task] = {
    "softmax": Task(
        ("x",),
        lambda x: (softmax(x),),
        (
            *_SCORES,
            Case("scores of 1000", ([1000.0, 1000.0],)),
            Case("scores of -1000", ([-1000.0, -1001.0],)),
            Case("0 beside 800", ([0.0, 800.0],)),
            *_MATRICES,
            Case("rows of very different sizes", ([[0.0, 1.0], [1000.0, 1001.0]],)),
            Case("one entry of -inf", ([3.0, -INF, 1.0, -1.0],)),
            Case("every entry -inf", ([-INF, -INF],), refused=True),
            Case("one row of a matrix -inf", ([[0.0, 1.0], [-INF, -INF]],), refused=True),
        ),
        mistakes.SOFTMAX,
        "attnviz.softmax_steps(x): scores, shifted, exps, total, weights",
        unrefused=mistakes.SOFTMAX_UNREFUSED,
    ),
    "naive_softmax": Task(
        ("x",),
        lambda x: (naive_softmax(x),),
        (
            *_SCORES,
            *_MATRICES,
            Case("scores of 1000: nan is right here", ([1000.0, 1000.0],)),
            Case("0 beside 800: 0 and nan are right here", ([0.0, 800.0],)),
        ),
        mistakes.NAIVE,
        "np.exp(x) and its sum along the last axis",
        slips=(
            ("math range error", "math.exp raises where np.exp gives inf. Use np.exp."),
            ("overflow encountered", "NumPy's warnings are made errors. Let it overflow."),
            ("ZeroDivisionError", "Python's / raises where NumPy's gives nan. Use arrays."),
        ),
    ),
    "rows_normalised": Task(
        ("W",),
        lambda W: (np.array(rows_normalised(W), dtype=float),),
        (
            Case("two rows that sum to 1", ([[0.25, 0.75], [1.0, 0.0]],)),
            Case("columns that sum to 1, rows that don't", ([[0.5, 0.25], [0.5, 0.75]],)),
            Case("rows that sum to 1, columns that don't", ([[0.5, 0.5], [0.75, 0.25]],)),
            Case("the first row is wrong", ([[0.5, 0.4], [0.5, 0.5]],)),
            Case("the last row is wrong", ([[0.5, 0.5], [0.5, 0.7]],)),
            Case("sums of 0.5 and 1.5", ([[0.25, 0.25], [0.75, 0.75]],)),
            Case("one vector", ([0.5, 0.25, 0.25],)),
            Case("0.7, 0.2, 0.1", ([[0.7, 0.2, 0.1]],)),
            Case("a sum of 1.000001", ([[0.5, 0.500001]],)),
            Case("nan", ([[NAN, 0.5], [0.5, 0.5]],)),
            Case("nan beside 1", ([[NAN, 1.0], [0.5, 0.5]],)),
            Case("a negative entry", ([[1.5, -0.5]],)),
        ),
        mistakes.ROWS_NORMALISED,
        "W.sum(axis=-1) and its distance from 1",
        truth=True,
    ),
    "entropy": Task(
        ("w",),
        lambda w: (np.array(entropy(w)),),
        (
            Case("two equal weights", ([0.5, 0.5],)),
            Case("four equal weights", ([0.25, 0.25, 0.25, 0.25],)),
            Case("three weights", ([0.7, 0.2, 0.1],)),
            Case("one weight of 0", ([0.5, 0.5, 0.0],)),
            Case("all the weight on one", ([0.0, 1.0, 0.0],)),
            Case("a very small weight", ([1.0 - 1e-6, 1e-6],)),
        ),
        mistakes.ENTROPY,
        "the terms w * np.log(w), one a weight",
    ),
    "attention": Task(
        ("q", "k", "v", "allowed"),
        lambda q, k, v, allowed=None: _output(attention(q, k, v, allowed=allowed)),
        (
            Case("one query, two keys", ([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[2.0], [5.0]])),
            Case("two queries, four keys", (_Q, _K, _V)),
            Case("square matrices", _SQUARE),
            Case("whole numbers", ([[1, 2]], [[3, 1], [0, 1], [1, 1]], [[1, 0], [0, 1], [2, 2]])),
            Case(
                "large scores",
                ([[1000.0, 0.0]], [[1000.0, 0.0], [999.0, 0.0]], [[1.0, 2.0], [3.0, 4.0]]),
            ),
            Case("everything allowed", (_Q, _K, _V), allowed=[[True] * 4] * 2),
            Case(
                "hidden keys",
                (_Q, _K, _V),
                allowed=[[True, True, False, True], [False, True, True, False]],
            ),
            Case("causal: no key after the query", _SQUARE, allowed=[[True, False], [True, True]]),
            Case(
                "a query without a key",
                _SQUARE,
                allowed=[[True, True], [False, False]],
                refused=True,
            ),
        ),
        mistakes_attention.ATTENTION,
        "attnviz.attention(q, k, v, allowed=allowed): scores, scaled, masked, weights, output",
        unrefused=mistakes_attention.UNREFUSED,
        pair=True,
    ),
}


def _output(steps: AttentionSteps) -> tuple[Array, Array]:
    return steps.output, steps.weights
