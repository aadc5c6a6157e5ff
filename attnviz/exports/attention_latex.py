"""The output of one query, with its numbers put in, as LaTeX."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import AttentionSteps
from attnviz.core.checks import Array, as_float64
from attnviz.exports.escape import checked_labels, to_latex
from attnviz.exports.literals import latex_number


def latex_text(
    steps: AttentionSteps,
    tokens: Sequence[str],
    row: int,
    *,
    keys: Sequence[str],
    v: ArrayLike,
    exact: bool = False,
) -> str:
    r"""Return the output of one query as a weighted sum of values in LaTeX, numbers put in.

    Parameters
    ----------
    steps : AttentionSteps
        Of one head: matrices.
    tokens, keys : sequence of str
        A label for each query, and one for each key; escaped for LaTeX.
    row : int
        The query, counted from 0.
    v : array_like of real numbers, shape (n_k, d_v)
        The values that steps was computed from.
    exact : bool
        True in the limit T -> 0, where a weight of 0 is the true one and didn't underflow.

    Returns
    -------
    str
        An ``aligned`` environment (amsmath), for use in a display formula: one line for each key,
        and the sum. Numbers have all their digits. Masked keys are named and stay out of the sum;
        a weight that underflowed to 0 says so. A query without an allowed key gets a sentence,
        and the sum only where all keys share its weight.

    Raises
    ------
    ValueError
        If there isn't one label and one value a key and one label a query, if there is no such
        row, or if steps has leading axes.

    Examples
    --------
    >>> from attnviz import attention
    >>> v = [[2, 0], [0, 2], [7, 7]]
    >>> steps = attention([[1, 0]], [[0, 0]] * 3, v, allowed=[[True, True, False]])
    >>> print(latex_text(steps, ["the"], 0, keys=["a", "b", "c"], v=v))
    \begin{aligned}
    o_{\text{the}} &= \sum_j w_j \, v_j \\
    &= 0.5 \cdot (2,\; 0) && \text{a} \\
    &\quad + 0.5 \cdot (0,\; 2) && \text{b} \\
    &= (1,\; 1) \\
    &\text{masked, so not in the sum: } \text{c}
    \end{aligned}
    <BLANKLINE>
    """
    if steps.scores.ndim != 2:
        raise ValueError(f"steps must be of one head; got shape {steps.scores.shape}")
    n_q, n_k = steps.scores.shape
    if not 0 <= row < n_q:
        raise ValueError(f"row must be from 0 to {n_q - 1}; got {row}")
    query = _names(tokens, n_q, "tokens", "query")[row]
    names = _names(keys, n_k, "keys", "key")
    values, shape = as_float64(v, "v"), (n_k, steps.output.shape[1])
    if values.shape != shape:
        raise ValueError(f"v must have the shape {shape}; got {values.shape}")
    lines = []
    used = steps.allowed[row]
    if not used.any():
        said, used = _without_keys(steps.weights[row])
        lines.append(rf"&\text{{Query {row + 1} may attend to no key: {said}}}")
    if used.any():
        lines.append(rf"o_{{{query}}} &= \sum_j w_j \, v_j")
        lines += _terms(names, steps.weights[row], values, used, exact)
        lines.append(f"&= {_vector(steps.output[row])}")
    hidden = [name for name, seen in zip(names, used, strict=True) if not seen]
    if used.any() and hidden:
        lines.append(rf"&\text{{masked, so not in the sum: }} {', '.join(hidden)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n"


def _names(labels: Sequence[str], count: int, name: str, word: str) -> list[str]:
    """Return the labels as LaTeX; a blank one is called by its number."""
    return [
        rf"\text{{{to_latex(label) if label.strip() else f'{word} {at}'}}}"
        for at, label in enumerate(checked_labels(labels, count, name), 1)
    ]


def _without_keys(weights: Array) -> tuple[str, Array]:
    """Say what a query without an allowed key was given, and which keys that uses."""
    if np.isnan(weights).any():
        return "its output is undefined.", np.zeros(len(weights), dtype=bool)
    if not weights.any():
        return "its output is set to 0.", np.zeros(len(weights), dtype=bool)
    return "all keys share its weight.", np.ones(len(weights), dtype=bool)


def _terms(
    names: Sequence[str], weights: Array, values: Array, used: Array, exact: bool
) -> list[str]:
    """Return a line for each key in the sum."""
    lines = []
    for j in np.flatnonzero(used).tolist():
        sign = r"&\quad +" if lines else "&="
        term = rf"{latex_number(weights[j])} \cdot {_vector(values[j])}"
        note = r"\ \text{(underflows)}" if weights[j] == 0 and not exact else ""
        lines.append(f"{sign} {term} && {names[j]}{note}")
    return lines


def _vector(numbers: Array) -> str:
    """Return numbers as a vector; a matrix of amsmath would end at ten columns."""
    return "(" + r",\; ".join(latex_number(x) for x in numbers.tolist()) + ")"
