"""How a number is shown. Rounding is display only: exports keep all digits."""

from __future__ import annotations

import math

from attnviz.state.labels import visible_label

MASKED = "masked"
UNDERFLOW = "0 (underflow)"


def shown(value: float, digits: int = 4) -> str:
    """Write a number for the screen: four decimals, more where they would hide the number.

    A small number keeps its size (1e−17 is never 0.00), a number just beside a whole one isn't
    shown as that whole one, and a minus is a real minus sign.

    Parameters
    ----------
    value : float
        Any float; −inf, inf and nan are written as words a student knows.
    digits : int
        Decimals of an ordinary number, and significant digits of a very small or large one.

    Returns
    -------
    str

    Examples
    --------
    >>> [shown(x) for x in (0.5972079836232458, -0.7071067811865475, 1, 2.0)]
    ['0.5972', '−0.7071', '1', '2']
    >>> [shown(x) for x in (0.5, 0.09003057317038046, 1 - 2**-40)]
    ['0.5', '0.0900', '0.999999999999']
    >>> [shown(x) for x in (1e-17, 0.9999999, 123456789.0, -math.inf)]
    ['1e−17', '0.9999999', '1.235e+8', '−∞']
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if not 1e-3 <= abs(value) < 1e7:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        power = int(exponent)
        text = f"{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"
        short = f"{mantissa.rstrip('0').rstrip('.')}{text[len(mantissa) :]}"
        return _signed(short if _same(float(short), value) else text)
    text = f"{value:.{digits}f}"
    if _same(float(text), value):
        return _signed(text.rstrip("0").rstrip("."))
    whole = round(value)
    for decimals in range(digits, 13):
        text = f"{value:.{decimals}f}"
        if float(text) != whole or value == whole:
            return _signed(text)
    return f"{_signed(str(whole))} {'+' if value > whole else '−'} {shown(abs(value - whole), 2)}"


def _same(rounded: float, value: float) -> bool:
    """Tell whether two numbers differ by no more than the noise of a few float64 operations."""
    return math.isclose(rounded, value, rel_tol=4e-15)


def _signed(text: str) -> str:
    return text.replace("-", "−")


def shown_weight(value: float, allowed: bool, *, exact: bool = False) -> str:
    """Write a weight; masked, underflowed and small are told apart.

    Parameters
    ----------
    value : float
        From 0 to 1, or NaN for a query without an allowed key.
    allowed : bool
        False where the key is masked.
    exact : bool
        True in the limit T → 0, where a 0 is the true weight and didn't underflow.

    Returns
    -------
    str

    Examples
    --------
    >>> shown_weight(0.0, True), shown_weight(0.0, False), shown_weight(2e-17, True)
    ('0 (underflow)', 'masked', '2e−17')
    """
    if not allowed:
        return MASKED
    return UNDERFLOW if value == 0 and not exact else shown(value)


def clipped(label: str, limit: int = 24) -> str:
    """Shorten a label for a sentence; blanks that nobody could see have a sign.

    Parameters
    ----------
    label : str
    limit : int

    Returns
    -------
    str
    """
    label = visible_label(label)
    return label if len(label) <= limit else label[: limit - 1] + "…"


def key_names(count: int) -> list[str]:
    """Return default labels of keys.

    Parameters
    ----------
    count : int

    Returns
    -------
    list of str

    Examples
    --------
    >>> key_names(2)
    ['k1', 'k2']
    """
    return [f"k{at}" for at in range(1, count + 1)]
