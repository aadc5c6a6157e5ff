"""The reference card: shapes, formulas, the worked example, and the whole of it in plain Python."""

from __future__ import annotations

from attnviz.content.lessons import GivenTexts, Step
from attnviz.state.matrix import matrix

NAME = "card"
TITLE = "Reference card"

_TEXT = """
| what | shape | |
|---|---|---|
| queries Q | (n_q, d_k) | a row asks |
| keys K | (n_k, d_k) | a row answers |
| values V | (n_k, d_v) | a row is what this key hands over |
| scores Q Kᵀ | (n_q, n_k) | one dot product for each query and key |
| mask M | (n_q, n_k) | 0 where the query may attend (allowed: True, 1), −∞ where not |
| weights A | (n_q, n_k) | no weight is negative, each row sums to 1 |
| output O = A V | (n_q, d_v) | for each query a mix of the value rows |

**Softmax** of one row of scores x, at the temperature T = 1/β:

$$w_j = \\frac{e^{\\beta (x_j - \\max x)}}{\\sum_k e^{\\beta (x_k - \\max x)}}$$

**Attention**: O = softmax(Q Kᵀ / √d_k + M) V, softmax in each row.

**Rules.** A constant on every score of a row changes nothing. A gap of Δ between two scores makes
one weight e^(βΔ) times the other. T → 0: the largest scores share all the weight. T → ∞: every
allowed key gets the same. A masked key gets exactly 0. A row without an allowed key has no softmax.

**Entropy** H = −Σ w ln w, from 0 (one key has all) to ln n (all n are equal). Effective keys: e^H.

**The worked example.** Q = [{{q}}], K = {{k}}, V = {{v}}, so d_k = {{d_k}}.

| step | k1 | k2 |
|---|---|---|
| scores Q Kᵀ | {{scores.0}} | {{scores.1}} |
| scaled, ÷ √d_k | {{scaled.0:4}} | {{scaled.1:4}} |
| − max | {{shifted.0:4}} | {{shifted.1:4}} |
| exp | {{exps.0:4}} | {{exps.1:4}} |
| weight, ÷ {{total:4}} | {{weights.0:4}} | {{weights.1:4}} |

Output: {{weights.0:4}} · (2, 0) + {{weights.1:4}} · (0, 2) = ({{output:4}}). With the second key
masked: weights 1 and 0, output (2, 0).
"""

CARD = Step(
    kind="see",
    title=TITLE,
    say=_TEXT,
    given=GivenTexts(q=matrix("1 0"), k=matrix("1 0", "0 1"), v=matrix("2 0", "0 2")),
)

CODE = """from math import exp, inf, sqrt


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def softmax(scores):
    top = max(scores)
    if top == -inf:
        raise ValueError("no allowed key")
    exps = [exp(score - top) for score in scores]
    return [x / sum(exps) for x in exps]


def attention(q, k, v, allowed=None):
    output = []
    for i, query in enumerate(q):
        scores = [dot(query, key) for key in k]
        scores = [s / sqrt(len(query)) for s in scores]
        for j in range(len(k)):
            if allowed and not allowed[i][j]:
                scores[j] = -inf
        w = softmax(scores)
        output.append([dot(w, x) for x in zip(*v)])
    return output
"""
