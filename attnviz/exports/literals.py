"""Numbers and arrays written so that they are read back digit for digit."""

import math
from collections.abc import Mapping

import numpy as np

#: How Python code that imports NumPy as np spells what has no literal.
NUMPY_NAMES: Mapping[str, str] = {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}
#: The same without NumPy.
PLAIN_NAMES: Mapping[str, str] = {
    name: f'float("{name}")' for name in ("nan", "inf", "-inf")
}  # fmt: skip


def number_literal(value: float | bool, names: Mapping[str, str] = NUMPY_NAMES) -> str:
    """Return a number or a truth value as Python code: repr, which is exact, or a name.

    Examples
    --------
    >>> number_literal(0.1), number_literal(-math.inf), number_literal(True)
    ('0.1', '-np.inf', 'True')
    """
    text = repr(value)
    return names.get(text, text)


def rows_literal(matrix: np.ndarray, names: Mapping[str, str] = NUMPY_NAMES) -> str:
    """Return a matrix as a list of lists in Python code, one line a row.

    Examples
    --------
    >>> print(rows_literal(np.eye(2)))
    [
        [1.0, 0.0],
        [0.0, 1.0],
    ]
    """
    rows = (", ".join(number_literal(x, names) for x in row) for row in matrix.tolist())
    return "[\n" + "".join(f"    [{row}],\n" for row in rows) + "]"


def latex_number(value: float) -> str:
    r"""Return a number with all its digits as LaTeX.

    Examples
    --------
    >>> latex_number(0.5), latex_number(2e-17), latex_number(-math.inf)
    ('0.5', '2 \\cdot 10^{-17}', '-\\infty')
    """
    if not math.isfinite(value):
        return r"\text{nan}" if math.isnan(value) else r"\infty" if value > 0 else r"-\infty"
    digits, _, exponent = repr(float(value)).removesuffix(".0").partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits
