"""The formula of the softmax page, with its numbers put in, as LaTeX."""

import math
import re
from collections.abc import Sequence

import numpy as np

from attnviz.core.steps import SoftmaxSteps
from attnviz.exports.escape import checked_labels, to_latex
from attnviz.exports.shape import as_matrix

_LIMIT = r"\beta \to \infty"


def latex_text(labels: Sequence[str], steps: SoftmaxSteps, row: int, beta_text: str) -> str:
    r"""Return the softmax of one row as LaTeX, with its numbers put in.

    Parameters
    ----------
    labels : sequence of str, length n
        The keys; escaped for LaTeX.
    steps : SoftmaxSteps
        Of one row (n,) or of a matrix (n_q, n).
    row : int
        The row, counted from 0.
    beta_text : str
        beta as it was typed; "inf" or "∞" for the limit T -> 0.

    Returns
    -------
    str
        An ``aligned`` environment (amsmath), for use in a display formula. Numbers have all
        their digits. Masked keys are named and stay out of the sum, and an exponential that
        underflowed to 0 says so. A row without an allowed key gets that sentence instead.

    Raises
    ------
    ValueError
        If there isn't one label a key, or no such row.

    Examples
    --------
    >>> from attnviz.core.steps import softmax_steps
    >>> print(latex_text(["a", "b"], softmax_steps([0, -np.inf]), 0, "1"))
    \begin{aligned}
    w_j &= \frac{e^{\beta (s_{j} - \max s)}}{\sum_k e^{\beta (s_{k} - \max s)}}, \quad \beta = 1 \\
    \max s &= 0 \\
    e^{\beta (s_{\text{a}} - \max s)} &= e^{0} = 1 \\
    \sum_k e^{\beta (s_{k} - \max s)} &= 1 \\
    w_{\text{a}} &= \frac{1}{1} = 1 \\
    w_{\text{b}} &= 0 \quad \text{(masked)}
    \end{aligned}
    <BLANKLINE>
    """
    allowed = as_matrix(steps.allowed)
    n_q, n_k = allowed.shape
    if not 0 <= row < n_q:
        raise ValueError(f"row must be from 0 to {n_q - 1}; got {row}")
    names = [
        rf"\text{{{to_latex(text) if text.strip() else f'key {j}'}}}"
        for j, text in enumerate(checked_labels(labels, n_k, "labels"), 1)
    ]
    if allowed[row].any():
        lines = _formula(names, steps, row, _latex_beta(beta_text))
    else:
        lines = [rf"\text{{Query {row + 1} may attend to no key: its softmax is undefined.}}"]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n"


def _formula(names: list[str], steps: SoftmaxSteps, row: int, beta: str) -> list[str]:
    """Return the lines of the formula: the rule, the maximum, each exponential, sum, weights."""
    scores, shifted, exps, weights, allowed = (
        as_matrix(array)[row]
        for array in (steps.scores, steps.shifted, steps.exps, steps.weights, steps.allowed)
    )
    seen = np.flatnonzero(allowed).tolist()
    total = _latex_number(np.atleast_1d(steps.total)[row])
    terms = {j: _latex_number(exps[j]) for j in seen}
    sum_line = " + ".join(terms.values()) + (f" = {total}" if len(seen) > 1 else "")
    lines = [
        rf"w_j &= \frac{{{_power('j')}}}{{\sum_k {_power('k')}}}, \quad {beta}",
        rf"\max s &= {_latex_number(scores[seen].max())}",
    ]
    for j in seen:
        line = rf"{_power(names[j])} &= e^{{{_latex_number(shifted[j])}}} = {terms[j]}"
        underflows = exps[j] == 0 and beta != _LIMIT  # in the limit it is exactly 0
        lines.append(line + (r" \quad \text{(underflows)}" if underflows else ""))
    lines.append(rf"\sum_k {_power('k')} &= {sum_line}")
    for j, name in enumerate(names):
        if allowed[j]:
            fraction = rf"\frac{{{terms[j]}}}{{{total}}} = {_latex_number(weights[j])}"
            lines.append(rf"w_{{{name}}} &= {fraction}")
        else:
            lines.append(rf"w_{{{name}}} &= 0 \quad \text{{(masked)}}")
    return lines


def _power(key: str) -> str:
    """Return the exponential of one key."""
    return rf"e^{{\beta (s_{{{key}}} - \max s)}}"


def _latex_number(value: float) -> str:
    """Return a number with all its digits as LaTeX."""
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    digits, _, exponent = repr(float(value)).removesuffix(".0").partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits


def _latex_beta(text: str) -> str:
    """Return what beta is, as it was typed."""
    typed = text.strip()
    if typed.lower() in ("inf", "infinity", "∞", "+inf"):
        return _LIMIT
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?(/[0-9]+(\.[0-9]+)?)?", typed, re.ASCII):
        return rf"\beta = {typed}"
    return rf"\beta = \text{{{to_latex(typed)}}}"
