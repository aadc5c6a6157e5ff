"""Presets and sentences of the softmax page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnviz.content.shown import MASKED, clipped, shown, shown_weight
from attnviz.core.questions import PairRatio, RowChecks
from attnviz.core.steps import SoftmaxSteps
from attnviz.state.numbers import Cell, write_number
from attnviz.state.softmax import SoftmaxState, matrix
from attnviz.state.temperature import Temperature

COMPARED = ("Compare", "with")  # above the two boxes that choose keys
HEADING = "#### Softmax: scores become weights"
LECTURE = "Larger type for a projector; Page down steps on"
PREDICT = (
    "Predict before you look: which key gets the largest weight, and about how much? Then step on."
)
RESET = "Back to the state that the link opened with"
COPY = "The address holds the whole state"
OVERSIZE = (
    "This state is too large for a link. Save it as a file instead: “Take it away”, “State as a"
    " file”."
)
UNREADABLE = "Nothing is drawn: first mend what is marked in red above. What you typed stays there."
MOVES = (
    "The same constant on every score changes no weight: only differences count. (A constant so"
    " large that the scores lose their digits beside it changes them after all.) A factor on every"
    " score changes the weights: it works like β."
)
NAIVE = (
    "Both columns divide e to the scaled score by the sum. The naive one overflows to inf above"
    " 709.78, and inf / inf is nan. The stable one subtracts the largest score first, which changes"
    " nothing in exact arithmetic."
)
NO_NAIVE = "In the limit T → 0 the naive formula has no finite β to compute with."
ROWS = (
    "Each query is a softmax of its own: its weights sum to 1, so the whole matrix sums to the"
    " number of queries that see a key, not to 1."
)
EXPORT = "The buttons SVG and PNG at each figure save it as it is on the screen."


@dataclass(frozen=True)
class Preset:
    """A prepared state.

    Attributes
    ----------
    title : str
        Its name on the screen.
    state : SoftmaxState
        A preset is a state, so a wrong one can't be made.
    """

    title: str
    state: SoftmaxState


def _scores(*rows: str, beta: str = "", **fields: object) -> SoftmaxState:
    temperature = Temperature("beta", beta) if beta else Temperature()
    return SoftmaxState(scores=matrix(*rows), temperature=temperature, **fields)  # type: ignore[arg-type]


_SENTENCE = ("The", "cat", "sat", "on", "the", "mat", "and", "slept")

PRESETS: dict[str, Preset] = {
    "three-scores": Preset("1/√2, 0, −1", _scores("1/sqrt(2) 0 -1")),
    "worked-row": Preset("1/√2, 0", _scores("1/sqrt(2) 0")),
    "overflow": Preset("1000, 1000", _scores("1000 1000", panel="naive")),
    "beta-1": Preset("2, 1, 0 at β = 1", _scores("2 1 0", beta="1")),
    "beta-3": Preset("2, 1, 0 at β = 3", _scores("2 1 0", beta="3")),
    "beta-quarter": Preset("2, 1, 0 at β = 1/4", _scores("2 1 0", beta="1/4")),
    "beta-2": Preset("2, 1, 0 at β = 2", _scores("2 1 0", beta="2")),
    "beta-half": Preset("2, 1, 0 at β = 1/2", _scores("2 1 0", beta="1/2")),
    "tied": Preset("Two tied", _scores("3 1 1 -1")),
    "tied-beta-2": Preset("Two tied at β = 2", _scores("3 1 1 -1", beta="2")),
    "tied-beta-half": Preset("Two tied at β = 1/2", _scores("3 1 1 -1", beta="1/2")),
    "second-masked": Preset("The second masked", _scores("3 -inf 1 -1")),
    "equal": Preset("All equal", _scores("1 1 1 1")),
    "dominating": Preset("One dominating", _scores("10 1 0 -1 0.5")),
    "tied-masked": Preset("Two tied, one masked", _scores("2 2 1", hide=(2,))),
    "gap-1": Preset("A gap of 1", _scores("1 0", panel="pair")),
    "gap-5": Preset("A gap of 5", _scores("5 0", panel="pair")),
    "underflow": Preset("Underflow", _scores("0 -40 -800", panel="naive")),
    "sentence": Preset(
        "Eight words",
        _scores("0.4 2.1 1.3 -0.6 0.2 1.7 -1.2 0.9", labels=_SENTENCE),
    ),
    "two-queries": Preset(
        "Two queries", _scores("2 1 0", "0 0.5 3", labels=("the", "cat", "sat"), panel="rows")
    ),
}


def preset_states() -> dict[str, SoftmaxState]:
    """Return what each preset's name stands for in a link.

    Returns
    -------
    dict of str to SoftmaxState
    """
    return {name: preset.state for name, preset in PRESETS.items()}


def beta_words(beta: float) -> str:
    """Write the inverse temperature with its limit, where it is one.

    Parameters
    ----------
    beta : float
        From 0 to infinity.

    Returns
    -------
    str

    Examples
    --------
    >>> beta_words(3), beta_words(0), beta_words(math.inf)
    ('β = 3', 'β = 0 (T → ∞)', 'β → ∞ (T → 0)')
    """
    if beta == 0:
        return "β = 0 (T → ∞)"
    return "β → ∞ (T → 0)" if math.isinf(beta) else f"β = {shown(beta)}"


@dataclass(frozen=True)
class Explained:
    """A number of the table, as an expression with the live numbers, and in words."""

    symbols: str
    words: str


def explain(pick: str, label: str, score_text: str, steps: SoftmaxSteps, beta: float) -> Explained:
    """Explain one number of the table.

    Parameters
    ----------
    pick : str
        ``column:position``.
    label : str
        Label of the key.
    score_text : str
        The score as typed.
    steps : SoftmaxSteps
        Of the query that is shown, arrays of shape (n,).
    beta : float

    Returns
    -------
    Explained
        Symbols with the numbers substituted, and a sentence.
    """
    column, _, at = pick.partition(":")
    j = int(at)
    key = clipped(label)
    sub = f"[{key}]"
    score, scaled, shifted, exp, weight = (
        shown(float(a[j]))
        for a in (steps.scores, steps.scaled, steps.shifted, steps.exps, steps.weights)
    )
    if not steps.allowed[j] and column != "score":
        return Explained(
            f"weight{sub} = exp(−∞) / Σ = 0",
            f"{key} is masked: its score counts as −∞, exp(−∞) is exactly 0, so its weight is"
            " exactly 0.",
        )
    largest = float(steps.masked.max())
    top = shown(largest)
    total = shown(float(steps.total))
    limit = math.isinf(beta)
    if column == "score":
        typed = "" if score == score_text.replace("-", "−") else f", typed as {score_text}"
        return Explained(f"score{sub} = {score}", f"The score of {key} is {score}{typed}.")
    if column == "scaled":
        if limit:
            return Explained(
                "β → ∞",
                "In the limit T → 0 no scaled score is finite; only their order counts.",
            )
        return Explained(
            f"scaled{sub} = β · score = {shown(beta)} · {bracketed(score)}"
            f" {sign(lambda: read_shown(shown(beta)) * read_shown(score), scaled)} {scaled}",
            f"The score of {key} is multiplied by β = 1/T.",
        )
    if column == "shifted":
        if limit:
            return Explained(
                f"shifted{sub} = {shifted}", "0 for the largest score, −∞ for every other."
            )
        if shown(float(steps.masked[j]) - largest) != shifted:  # digits or range are lost there
            best = shown(float(steps.scores[steps.allowed].max()))
            return Explained(
                f"shifted{sub} = β · (score − max) = {shown(beta)} · ({score} − {bracketed(best)})"
                f" = {shifted}",
                f"The largest score, {best}, is subtracted before it is scaled: in float64 the"
                " scaled scores themselves would lose the difference.",
            )
        return Explained(
            f"shifted{sub} = scaled − max = {scaled} − {bracketed(top)}"
            f" {sign(lambda: read_shown(scaled) - read_shown(top), shifted)} {shifted}",
            f"The largest scaled score, {top}, is subtracted, so that no exponential can overflow.",
        )
    if column == "exp":
        words = f"e to the power {shifted}."
        if steps.exps[j] == 0 and not limit:
            words += (
                " The true value is above 0 but below the smallest float64: it underflows to 0."
            )
        same = sign(lambda: math.exp(read_shown(shifted)), exp)
        return Explained(f"exp{sub} = exp({shifted}) {same} {exp}", words)
    words = f"The exponential of {key} as a part of the sum of all exponentials, {total}."
    if steps.weights[j] == 0 and not limit:
        words += " It underflowed: in exact arithmetic it is above 0."
    same = sign(lambda: read_shown(exp) / read_shown(total), weight)
    return Explained(f"weight{sub} = exp / Σ exp = {exp} / {total} {same} {weight}", words)


def sign(calculate: Callable[[], float], text: str) -> str:
    """Choose = or ≈: does a calculator get the shown result from the shown numbers.

    Parameters
    ----------
    calculate : callable
        Computes from the shown numbers.
    text : str
        The shown result.

    Returns
    -------
    str

    Examples
    --------
    >>> sign(lambda: 0.1658 * 0.3, "0.0498"), sign(lambda: 2 * 3, "6")
    ('≈', '=')
    >>> sign(lambda: math.exp(0.3653), "1.4410")
    '≈'
    """
    digits = max(4, sum(letter.isdigit() for letter in text.partition("e")[0].lstrip("−0.")))
    try:
        return (
            "="
            if math.isclose(float(f"{calculate():.{digits}g}"), read_shown(text))
            or shown(calculate()) == text
            else "≈"
        )
    except (ValueError, OverflowError, ZeroDivisionError):
        return "="


def read_shown(text: str) -> float:
    """Read a shown number as a calculator would.

    Parameters
    ----------
    text : str

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When it is written with words.
    """
    return float(text.replace("−", "-").replace("∞", "inf"))


def equals(calculate: Callable[[float], float], text: str, value: float) -> str:
    """Write ``= value``, ≈ where the shown argument is too short for it, or that it is too large.

    Parameters
    ----------
    calculate : callable
    text : str
        The shown argument.
    value : float

    Returns
    -------
    str

    Examples
    --------
    >>> equals(math.exp, "5", math.exp(5)), equals(math.exp, "800", math.inf)
    ('= 148.4132', '> 1.798e+308, beyond float64')
    """
    if math.isinf(value):
        return "> 1.798e+308, beyond float64"
    return f"{sign(lambda: calculate(read_shown(text)), shown(value))} {shown(value)}"


def rounding(value: float) -> str:
    """Write a measured difference, and say where it is only rounding.

    Parameters
    ----------
    value : float

    Returns
    -------
    str

    Examples
    --------
    >>> rounding(0.0), rounding(-1.1e-16)
    ('0', '−1.1e−16 (rounding)')
    """
    return shown(value, 2) + (" (rounding)" if 0 < abs(value) < 1e-9 else "")


def bracketed(number: str) -> str:
    """Put a negative number in brackets.

    Parameters
    ----------
    number : str
        As `shown` writes it.

    Returns
    -------
    str

    Examples
    --------
    >>> bracketed("−1"), bracketed("2")
    ('(−1)', '2')
    """
    return f"({number})" if number.startswith("−") else number


def bars_alt(labels: tuple[str, ...], steps: SoftmaxSteps, beta: float) -> str:
    """Describe the bars in words, with the live numbers.

    Parameters
    ----------
    labels : tuple of str
    steps : SoftmaxSteps
        Of one query.
    beta : float

    Returns
    -------
    str
    """
    parts = [
        f"{clipped(label)} {shown_weight(float(w), bool(a), exact=math.isinf(beta))}"
        for label, w, a in zip(labels, steps.weights, steps.allowed, strict=True)
    ]
    return f"Weights at {beta_words(beta)}: {', '.join(parts[:16])}" + (
        f" and {len(parts) - 16} more keys." if len(parts) > 16 else "."
    )


def row_facts(
    labels: tuple[str, ...], steps: SoftmaxSteps, entropy: float, keys: float, ceiling: float
) -> list[dict[str, object]]:
    """Say how spread the weights of one query are.

    Parameters
    ----------
    labels : tuple of str
    steps : SoftmaxSteps
        Of one query with an allowed key.
    entropy, ceiling : float
        In nats.
    keys : float
        exp(entropy).

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    n = int(steps.allowed.sum())
    top = int(steps.weights.argmax())
    tops = [clipped(labels[j]) for j, w in enumerate(steps.weights) if w == steps.weights[top]]
    return [
        {
            "term": "Entropy",
            "value": f"{shown(entropy)} nats",
            "note": f"of at most ln {n} = {shown(ceiling)}",
            "help": "−Σ w ln w: 0 when one key has all the weight, ln n when all n are equal.",
        },
        {
            "term": "Effective keys",
            "value": shown(keys),
            "note": f"of {n} allowed",
            "help": "e to the power of the entropy: so many equal weights would be as spread.",
        },
        {
            "term": "Largest weight",
            "value": shown(float(steps.weights[top])),
            "note": ", ".join(tops[:3]) + (f" and {len(tops) - 3} more" if len(tops) > 3 else ""),
        },
    ]


def check_facts(checks: RowChecks) -> list[dict[str, object]]:
    """Say whether what must hold does hold, as measured numbers.

    Parameters
    ----------
    checks : RowChecks

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`.
    """
    smallest = "0 (underflow)" if checks.underflowed else shown(checks.smallest)
    items: list[dict[str, object]] = [
        {
            "term": "Sum of weights − 1",
            "value": rounding(checks.sum_minus_one),
            "ok": abs(checks.sum_minus_one) < 1e-12,
            "help": "0 but for the rounding of the last digit.",
        },
        {"term": "Smallest weight ≥ 0", "value": smallest, "ok": checks.smallest >= 0},
    ]
    if not math.isnan(checks.largest_masked):
        items.append(
            {
                "term": "Masked weights are 0",
                "value": shown(checks.largest_masked),
                "ok": checks.largest_masked == 0,
            }
        )
    change: dict[str, object] = {
        "term": f"Change under score + {bracketed(shown(checks.shift))}",
        "value": rounding(checks.shift_change),
        "ok": checks.shift_change < 1e-9,
        "help": "The same constant on every score: the weights stay, but for rounding.",
    }
    if math.isnan(checks.shift_change):
        change |= {"value": "a score would be too large for float64", "ok": None}
    items.append(change)
    return items


def naive_facts(naive: Sequence[float], weights: Sequence[float]) -> list[dict[str, object]]:
    """Say what the formula without the subtraction gives, where it gives something else.

    Parameters
    ----------
    naive, weights : sequence of float, length n
        Of the same row; NaN and infinity as they come.

    Returns
    -------
    list of dict
        For `attnviz.ui.parts.facts`; empty where both agree.
    """
    pairs = list(zip(naive, weights, strict=True))
    if all(math.isclose(a, w, rel_tol=1e-6, abs_tol=1e-12) for a, w in pairs):
        return []
    first = ", ".join(shown(a) for a in naive[:4])
    return [
        {
            "term": "Without the subtraction",
            "value": first + (", …" if len(naive) > 4 else ""),
            "note": "the naive formula fails: see “Naive beside stable”",
            "help": "exp(score) / Σ exp(score) as it stands, in float64.",
        }
    ]


def pair_words(
    labels: tuple[str, ...],
    pair: tuple[int, int],
    steps: SoftmaxSteps,
    ratio: PairRatio,
    beta: float,
) -> list[str]:
    """Explain the ratio of two weights as the exponential of the gap of their scores.

    Parameters
    ----------
    labels : tuple of str
    pair : tuple of int
    steps : SoftmaxSteps
        Of one query.
    ratio : PairRatio
    beta : float

    Returns
    -------
    list of str
        Lines of text.
    """
    first, second = pair
    a, b = clipped(labels[first]), clipped(labels[second])
    hidden = [clipped(labels[j]) for j in dict.fromkeys(pair) if not steps.allowed[j]]
    if hidden:
        verb = "is" if len(hidden) == 1 else "are"
        return [f"{' and '.join(hidden)} {verb} {MASKED}: there is no ratio."]
    if math.isinf(beta):
        return ["In the limit T → 0 only the order of the scores counts: there is no ratio."]
    gap, exponent = shown(ratio.gap), shown(ratio.exponent)
    s, t = (shown(float(steps.scores[j])) for j in pair)
    v, w = (shown(float(steps.weights[j])) for j in pair)
    lines = [
        f"Gap of the scores: Δ = {s} − {bracketed(t)} = {gap}",
        f"Ratio of the weights: e^(β·Δ) = e^({shown(beta)} · {bracketed(gap)})"
        f" = e^({exponent}) {equals(math.exp, exponent, ratio.ratio)}",
    ]
    if math.isnan(ratio.measured):
        lines.append(f"The weight of {b} is 0, so the two weights themselves can't be divided.")
    else:
        lines.append(f"Measured: weight[{a}] / weight[{b}] = {v} / {w} = {shown(ratio.measured)}")
    return lines


def matrix_fact(every: SoftmaxSteps, n_queries: int) -> dict[str, object]:
    """Say what all the weights sum to: the number of queries, not 1.

    Parameters
    ----------
    every : SoftmaxSteps
        Of all queries.
    n_queries : int

    Returns
    -------
    dict
        For `attnviz.ui.parts.facts`.
    """
    whole = float(every.weights[~every.empty_rows].sum())
    masked = int(every.empty_rows.sum())
    without = f", {masked} of them without an allowed key" if masked else ""
    return {
        "term": "Sum of the whole matrix",
        "value": shown(whole, 12),
        "note": f"one for each of {n_queries} queries{without}",
    }


def all_masked(row: int, n_queries: int) -> str:
    """Say that a query has no allowed key.

    Parameters
    ----------
    row : int
        From 0.
    n_queries : int

    Returns
    -------
    str
    """
    whose = "Every key is masked" if n_queries == 1 else f"Every key of query {row + 1} is masked"
    return (
        f"{whose}: there is nothing to share the weight among, so softmax has no answer here."
        " Unmask a key."
    )


def factor(cell: Cell) -> str:
    """Write a typed constant for a heading.

    Parameters
    ----------
    cell : Cell

    Returns
    -------
    str
    """
    return bracketed(cell.text.replace("-", "−"))


def beta_literal(temperature: Temperature) -> str:
    """Write β for the exports: as typed when a plain number was typed, else with all its digits.

    Parameters
    ----------
    temperature : Temperature

    Returns
    -------
    str
        ``inf`` in the limit T → 0.
    """
    expression = "/" in temperature.text or "sqrt" in temperature.text
    if temperature.name == "beta" and not expression:
        return temperature.text
    return write_number(temperature.beta)


def entropy_lines(entropy: float, keys: float, ceiling: float, bits: float, n: int) -> list[str]:
    """Say what the entropy of a query means.

    Parameters
    ----------
    entropy, ceiling : float
        In nats.
    keys : float
        Effective keys.
    bits : float
        The entropy in bits.
    n : int
        Allowed keys.

    Returns
    -------
    list of str
    """
    same = "one key" if n == 1 else f"{n} equal keys"
    nats = shown(entropy)
    power = f"({nats})" if "e" in nats else nats
    return [
        f"Effective keys: e^{power} {equals(math.exp, nats, keys)}. So many keys with equal weights"
        " would have this entropy.",
        f"The entropy is 0 when one key has all the weight, and at most ln {n} = {shown(ceiling)}"
        f" nats, for {same}.",
        f"In bits, with the logarithm to base 2: {nats} / ln 2"
        f" {equals(lambda h: h / math.log(2), nats, bits)}.",
    ]


def steps_caption(row: int, n_queries: int) -> str:
    """Head the table of steps.

    Parameters
    ----------
    row : int
        From 0.
    n_queries : int

    Returns
    -------
    str
    """
    whose = "" if n_queries == 1 else f" of query {row + 1}"
    return f"Step by step{whose}. Choose a number to see how it is made; sums use all digits."
