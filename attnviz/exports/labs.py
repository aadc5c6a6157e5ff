"""What the laboratories give to take away: columns as CSV, and scripts that need NumPy alone."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence

from attnviz.exports.escape import checked_labels, to_cell, to_latex
from attnviz.exports.literals import latex_number, number_literal


def columns_csv(labels: Sequence[str], columns: Mapping[str, Sequence[float | bool]]) -> str:
    r"""Return columns as CSV, one line a label; numbers have all their digits.

    Parameters
    ----------
    labels : sequence of str, length n
        A label that a spreadsheet might run as a formula gets a leading apostrophe.
    columns : mapping of str to sequence, each of length n
        Numbers, or booleans, which are written as yes and no.

    Returns
    -------
    str

    Examples
    --------
    >>> columns_csv(["=a"], {"weight": [0.1], "kept": [True]})
    "key,weight,kept\r\n'=a,0.1,yes\r\n"
    """
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["key", *columns])
    lists = [list(column) for column in columns.values()]
    for at, label in enumerate(checked_labels(labels, len(lists[0]), "labels")):
        writer.writerow([to_cell(label), *(_entry(column[at]) for column in lists)])
    return file.getvalue()


def columns_latex(labels: Sequence[str], columns: Mapping[str, Sequence[float | bool]]) -> str:
    r"""Return the same columns as a LaTeX table; numbers have all their digits.

    Parameters
    ----------
    labels : sequence of str, length n
    columns : mapping of str to sequence, each of length n
        Numbers, or booleans, which are written as yes and no.

    Returns
    -------
    str

    Examples
    --------
    >>> print(columns_latex(["a_b"], {"weight": [0.5], "kept": [True]}))
    \begin{tabular}{lrr}
    key & weight & kept \\ \hline
    a\_b & $0.5$ & yes \\
    \end{tabular}
    <BLANKLINE>
    """
    lists = [list(column) for column in columns.values()]
    head = " & ".join(["key", *(to_latex(name) for name in columns)])
    lines = [rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", rf"{head} \\ \hline"]
    for at, label in enumerate(checked_labels(labels, len(lists[0]), "labels")):
        cells = [to_latex(label), *(_latex_entry(column[at]) for column in lists)]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\end{tabular}", ""])


def _latex_entry(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"${latex_number(float(value))}$"


def _entry(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value))


def sampling_numpy(
    logits: Sequence[float],
    labels: Sequence[str],
    beta: float,
    filters: Mapping[str, float | None],
    order: Sequence[str],
    seed: int,
    draws: int,
) -> str:
    """Return a Python script that filters and draws with NumPy alone.

    Parameters
    ----------
    logits : sequence of float, length n
        −inf where an option may never be drawn.
    labels : sequence of str, length n
    beta : float
        Inverse temperature; infinite for greedy choice.
    filters : mapping of str to float or None
        ``top_k``, ``top_p`` and ``min_p``; None where one is off.
    order : sequence of str
        The steps, with ``temperature`` among them.
    seed, draws : int

    Returns
    -------
    str
        It sets ``kept``, ``probabilities`` and ``counts``, equal to those of `filtered` and
        `draw` to the last digit.
    """
    steps = {
        "temperature": "beta = the_beta\n"
        + ("kept &= logits == logits[kept].max()  # greedy; ties share\n" * math.isinf(beta)),
        "top_k": "edge = np.sort(logits[kept])[-min({0}, kept.sum())]\n"
        "kept &= logits >= edge  # all that tie with the last one stay\n",
        "top_p": "p = softmax(beta)\n"
        "down = np.argsort(-logits, kind='stable')\n"
        "reached = np.cumsum(p[down]) >= {0} * (1 - 1e-12)\n"
        "kept &= logits >= logits[down[np.argmax(reached)]]\n",
        "min_p": "p = softmax(beta)\nkept &= p >= {0} * p.max() * (1 - 1e-12)\n",
    }
    texts = []
    for name in order:
        value = filters.get(name)
        if name == "temperature" or value is not None:
            texts.append(f"# {name}\n" + steps[name].format(value))
    names = [str(label) for label in checked_labels(labels, len(logits), "labels")]
    numbers = ", ".join(number_literal(float(x)) for x in logits)
    return f'''import numpy as np

labels = {names!r}
logits = np.array([{numbers}])
the_beta = {number_literal(float(beta))}
beta = 1.0  # until the temperature comes
kept = logits > -np.inf


def softmax(beta):
    """Over what is kept."""
    top = logits[kept].max()
    with np.errstate(invalid="ignore"):
        shifted = np.where(logits == top, 0.0, beta * (logits - top))
    exps = np.where(kept, np.exp(shifted), 0.0)
    return exps / exps.sum()


{"".join(texts)}
probabilities = softmax(the_beta)
cumulative = np.cumsum(probabilities)
cumulative /= cumulative[-1]
drawn = np.searchsorted(cumulative, np.random.default_rng({seed}).random({draws}), side="right")
counts = np.bincount(drawn, minlength=len(logits))
for label, p, count in zip(labels, probabilities, counts):
    print(label, p, count)
'''


def scaling_numpy(d_k: int, n_k: int, draws: int, seed: int, pick: int) -> str:
    """Return a Python script that draws the scores again with NumPy alone.

    Parameters
    ----------
    d_k, n_k, draws, seed : int
        As for `draw_scores`.
    pick : int
        The draw whose weights are printed.

    Returns
    -------
    str
        It sets ``scores`` (draws, n_k), ``scaled`` and ``weights`` of the picked draw.
    """
    return f"""import numpy as np

d_k, n_k, draws, seed, pick = {d_k}, {n_k}, {draws}, {seed}, {pick}
rng = np.random.default_rng([seed, d_k])
scores = np.empty((draws, n_k))
step = max(1, 2**18 // ((n_k + 1) * d_k))  # draws at a time
for start in range(0, draws, step):
    vectors = rng.standard_normal((min(step, draws - start), n_k + 1, d_k))
    scores[start : start + step] = np.einsum("cd,cnd->cn", vectors[:, 0], vectors[:, 1:])
scaled = scores / np.sqrt(d_k)
print("variance", scores.var(), "scaled", scaled.var())


def softmax(x):
    exps = np.exp(x - x.max())
    return exps / exps.sum()


for row in (scores[pick], scaled[pick]):
    weights = softmax(row)
    print("largest weight", weights.max(), "entropy", -(weights * np.log(weights)).sum())
"""


def numerics_numpy(
    scores: Sequence[float], significand: int, smallest: float, largest: float, name: str
) -> str:
    """Return a Python script that computes softmax in a format with NumPy alone, both ways.

    Parameters
    ----------
    scores : sequence of float
        −inf where a key is masked.
    significand : int
        Bits of the format's significand.
    smallest, largest : float
        Its smallest subnormal and its largest finite number.
    name : str
        The format.

    Returns
    -------
    str
        It sets ``naive`` and ``stable``, equal to the weights of `format_steps`.
    """
    numbers = ", ".join(number_literal(float(x)) for x in scores)
    return f'''import numpy as np

scores = np.array([{numbers}])


def rounded(x):
    """To {name}: to the nearest, halfway to even."""
    x = np.asarray(x, dtype=float)
    step = np.maximum(np.ldexp(1.0, np.frexp(x)[1] - {significand}), {smallest!r})
    with np.errstate(all="ignore"):
        near = np.where(np.isfinite(x), np.round(x / step) * step, x)
    return np.where(np.abs(near) > {largest!r}, np.sign(near) * np.inf, near)


def weights(x):
    with np.errstate(all="ignore"):
        exps = rounded(np.exp(x))
        total = 0.0
        for part in exps:
            total = float(rounded(total + part))
        return rounded(exps / total)


with np.errstate(all="ignore"):
    x = rounded(scores)
    naive = weights(x)
    stable = weights(rounded(x - x.max()))
print("naive ", naive)
print("stable", stable)
'''
