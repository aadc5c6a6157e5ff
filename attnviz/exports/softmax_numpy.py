"""The arithmetic of the softmax page as a Python script that needs NumPy alone."""

import math
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.checks import as_float64, check_beta, choice, fit
from attnviz.core.steps import SoftmaxSteps, softmax_steps
from attnviz.exports.escape import checked_labels
from attnviz.exports.shape import as_matrix


def numpy_text(
    cells: ArrayLike,
    beta: float | str,
    hidden: ArrayLike | None,
    labels: Sequence[str],
    *,
    empty: Literal["error", "nan"] = "error",
) -> str:
    """Return a Python script that computes the same weights with NumPy alone.

    Parameters
    ----------
    cells : array_like of real numbers, shape (n,) or (n_q, n)
        The scores, as values: for a cell typed as 1/sqrt(2), the float it stands for.
    beta : float or str
        Inverse temperature, at least 0; infinite for the limit T -> 0. A plain number as a
        person typed it ("3") is written as typed.
    hidden : array_like of bool, optional
        **True = hidden**, of the shape of cells, or (n,) for every row. The script itself holds
        the opposite, ``allowed``, and says so.
    labels : sequence of str, length n
        The keys.
    empty : {"error", "nan"}
        What the script does with a row in which no key is allowed: raise a ValueError that
        names it, or give it weights of NaN.

    Returns
    -------
    str
        A script that sets ``labels``, ``scores``, ``allowed``, ``beta``, ``masked``,
        ``shifted``, ``exps``, ``total`` and ``weights``, in the order of operations of
        `softmax_steps`; its weights equal those of `softmax_steps` to the last digit.

    Raises
    ------
    ValueError
        As in `softmax_steps` for numbers, and if there isn't one label a key.

    Examples
    --------
    >>> names = {}
    >>> exec(numpy_text([2, 1, 0], "3", None, ["a", "b", "c"]), names)  # doctest: +ELLIPSIS
    a 0.95033021...
    b 0.04731415...
    c 0.00235563...
    >>> names["beta"]
    3
    """
    empty = choice(empty, ("error", "nan"), "empty")
    literal, value = _beta(beta)
    scores = as_float64(cells, "scores")
    allowed = None if hidden is None else ~_booleans(hidden, scores.shape)
    steps = softmax_steps(scores, beta=value, allowed=allowed, empty="nan")
    n_k = as_matrix(steps.scores).shape[1]
    names = checked_labels(labels, n_k, "labels")
    given = np.ones(steps.scores.shape, bool) if allowed is None else allowed
    lines = [
        "# Softmax, step by step. Rows are queries, columns are keys.",
        "import numpy as np",
        "",
        f"labels = {names!r}",
        f"scores = {_literal(steps.scores)}",
        "# True = may attend. False = hidden, and so is a score of -inf: its weight is exactly 0.",
        f"allowed = {_literal(given)}",
        f"beta = {literal}  # inverse temperature, 1/T",
        "",
        *_arithmetic(steps, value, empty),
        "",
        "for label, column in zip(labels, weights.T.tolist()):",
        "    print(label, column)",
    ]
    return "\n".join(lines) + "\n"


def _beta(beta: float | str) -> tuple[str, float]:
    """Return beta as a Python literal and as a value; plain numbers stay as they were typed."""
    if not isinstance(beta, str):
        value = check_beta(beta, limit=True)
        return _python_number(value), value
    typed = beta.strip()
    try:
        value = check_beta(float(typed), limit=True)
    except ValueError:
        raise ValueError(f"beta must be a plain number of 0 or more; got {beta!r}") from None
    plain = re.fullmatch(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,30})?", typed)
    return (typed if plain else _python_number(value)), value


def _booleans(hidden: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """Return hidden as a boolean array of the shape of the scores."""
    array = np.asarray(hidden)
    if array.dtype.kind != "b":
        raise ValueError(f"hidden must be boolean, True = hidden; got dtype {array.dtype}")
    return fit(array, shape, "hidden")


def _literal(array: np.ndarray) -> str:
    """Return an array as Python that builds it again, digit for digit, one line a row."""
    rows = [f"[{', '.join(map(_python_number, row))}]" for row in as_matrix(array).tolist()]
    if array.ndim == 1:
        return f"np.array({rows[0]})"
    return "np.array([\n" + "".join(f"    {row},\n" for row in rows) + "])"


def _python_number(value: float | bool) -> str:
    """Return a number as Python: repr, which is exact, or a name of NumPy."""
    if isinstance(value, bool) or math.isfinite(value):
        return repr(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"


def _arithmetic(steps: SoftmaxSteps, beta: float, empty: str) -> list[str]:
    """Return the lines from scores to weights, in the order of operations of the core."""
    lines = ["seen = allowed & (scores != -np.inf)"]
    if empty == "error":
        lines += [
            "for row in np.flatnonzero(~seen.any(axis=-1)):",
            '    raise ValueError(f"no key is allowed in row {row} (counted from 0)")',
        ]
    lines += [
        "masked = np.where(seen, scores, -np.inf)",
        "top = masked.max(axis=-1, keepdims=True)",
    ]
    has_empty = empty == "nan" and bool(steps.empty_rows.any())
    if has_empty:
        lines.append("top = np.where(top == -np.inf, 0.0, top)  # a row without an allowed key")
    if math.isinf(beta):
        lines.append("shifted = np.where(seen & (masked == top), 0.0, -np.inf)  # the limit")
    elif beta == 0:
        lines.append("shifted = np.where(seen, 0.0, -np.inf)  # beta = 0: all scores count as 0")
    elif np.isinf(steps.shifted[steps.allowed]).any() or _overflows(steps):
        lines += [
            'with np.errstate(over="ignore", invalid="ignore"):',
            "    difference = masked - top",
            "    # Where even the difference is beyond float64, beta comes first.",
            "    first = beta * masked - beta * top",
            "    overflowed = seen & (difference == -np.inf)",
            "    shifted = np.where(overflowed, first, beta * difference)",
            "shifted = np.where(seen, shifted, -np.inf)",
        ]
    else:
        lines.append("shifted = beta * (masked - top)  # at most 0, so exp can't overflow")
    lines += ["exps = np.exp(shifted)", "total = exps.sum(axis=-1, keepdims=True)"]
    if has_empty:
        lines += ['with np.errstate(invalid="ignore"):', "    weights = exps / total"]
    else:
        lines.append("weights = exps / total")
    return lines


def _overflows(steps: SoftmaxSteps) -> bool:
    """Say whether the difference of two allowed scores is beyond float64."""
    used = steps.scores[steps.allowed]
    with np.errstate(over="ignore"):
        return bool(used.size and np.isinf(used.max() - used.min()))
