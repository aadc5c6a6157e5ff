"""One number: how a single cell is spelled, what it is worth, and why a spelling is refused."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from attnviz.state.fields import quoted

MAX_TEXT = 256 * 1024
MAX_TOKEN = 64
SHORTENED = ("...", "…", "⋯")

# Every entry is one character for one character, so that positions in a text stay true. Full-width
# commas, semicolons and quotes stay: whether they separate is decided where the text is split.
_SPELLINGS = str.maketrans(
    {
        **{chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F) if chr(c) not in "，；＂＇"},
        **dict.fromkeys("\u2212\u2013\u2010\u2011\ufe63", "-"),  # minus, en dash, hyphens
        **dict.fromkeys("\u2044\u2215", "/"),  # fraction slash, division slash
        "\u3000": " ",  # ideographic space
    }
)

_DIGITS = r"(?:[0-9]+(?:\.[0-9]*|,[0-9]+)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_SQRT = r"(?:(?:np|numpy|math|torch)\.)?sqrt"
_ROOT = rf"{_SQRT}\({_DIGITS}\)|√{_DIGITS}|√\({_DIGITS}\)"
_ROOT_START = re.compile(rf"(?:{_SQRT}|√)\(?")
_NUMBER = re.compile(rf"([+-]?)({_DIGITS}|{_ROOT})(?:/({_DIGITS}|{_ROOT}))?")
_WRAPPED = re.compile(
    r"([+-]?)(?:(?:np|numpy|torch|jnp|tf)\.)?"
    r"(?:float|float_|float16|float32|float64|float128|bfloat16|double|longdouble|half"
    r"|u?int(?:8|16|32|64)?|array|tensor|Array)"
    r"\((['\"]?)([^()'\",]*)\2(?:,\s*[a-z_]+=[^()]*)?\)"
)
_INFINITE = re.compile(r"([+-]?)(?:(?:np|numpy|math|torch|jnp)\.)?(?:inf|infinity|∞)", re.I)
_NAN = re.compile(r"[+-]?(?:(?:np|numpy|math|torch|jnp)\.)?nan", re.I)
_BLANK = frozenset({"", "null", "none", "nil", "na", "n/a", "#n/a", "<na>"})
_MISSING = _BLANK | {"-", "--", "—"}
_MISTYPED = re.compile(r"[+-]?[oOlI0-9]*[.,]?[0-9]")

# 60 digits: rounding once more to float64 then gives the nearest float64 of the exact value.
_EXACT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


class NotNumbers(ValueError):
    """A text that does not hold the numbers it should hold.

    Parameters
    ----------
    message : str
        One sentence: where, what was expected, what came.
    row, column : int, optional
        Place of the fault, from 1; None when the fault has no single place.

    Examples
    --------
    >>> str(NotNumbers("value 2 is blank", 1, 2))
    'value 2 is blank'
    """

    def __init__(self, message: str, row: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.column = column


@dataclass(frozen=True)
class Cell:
    """One number as it was typed and as it is computed with.

    Attributes
    ----------
    text : str
        Canonical ASCII spelling that keeps the expression: ``1/sqrt(2)``, ``-inf``, ``0.25``.
        Reading it gives an equal cell.
    value : float
        Nearest float64 of the exact value; finite, or −inf for a masked cell.
    """

    text: str
    value: float


def check_size(text: str) -> None:
    """Refuse a text of more than 256 kB before anything is done with it.

    Parameters
    ----------
    text : str

    Raises
    ------
    NotNumbers

    Examples
    --------
    >>> check_size("1 2 3")
    """
    if len(text) > MAX_TEXT or len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT:
        raise NotNumbers(f"the text is longer than {MAX_TEXT // 1024} kB")


def ascii_spelling(text: str) -> str:
    """Return the text with full-width signs and digits, real minus signs and dashes as ASCII.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        As long as the text, character by character.

    Examples
    --------
    >>> ascii_spelling("−１.5")
    '-1.5'
    """
    return text.translate(_SPELLINGS)


def kind_of(text: str) -> str:
    """Say what a cell looks like, without building it.

    Parameters
    ----------
    text : str

    Returns
    -------
    {"number", "missing", "inf", "nan", "mistyped", "word"}
        ``mistyped`` is a word that begins like a number (``1x``, ``O.5``): it never counts as a
        label. ``inf`` is +inf only; −inf is a number.

    Examples
    --------
    >>> [kind_of(text) for text in ("1/3", "null", "∞", "NaN", "o.1", "cat")]
    ['number', 'missing', 'inf', 'nan', 'mistyped', 'word']
    """
    plain = bare(text)
    if len(plain) > MAX_TOKEN:
        return "mistyped" if _MISTYPED.match(plain) else "word"
    if plain.lower() in _MISSING:
        return "missing"
    if infinite := _INFINITE.fullmatch(plain):
        return "number" if infinite[1] == "-" else "inf"
    if _NAN.fullmatch(plain):
        return "nan"
    if _NUMBER.fullmatch(plain):
        return "number"
    return "mistyped" if _MISTYPED.match(plain) else "word"


def read_number(text: str) -> Cell:
    """Read the one number of a cell or a box.

    A number is an optional sign and an atom, or two atoms with one ``/`` between them; an atom is
    an unsigned decimal number or ``sqrt`` of one. A comma is a decimal comma here, because one
    cell cannot hold two numbers. Any spelling of −inf means masked.

    Parameters
    ----------
    text : str
        At most 64 characters, apart from a wrapper such as ``np.float64( )``.

    Returns
    -------
    Cell

    Raises
    ------
    NotNumbers
        For a blank, a word, NaN, +inf, a division by zero and a number beyond float64. A number
        too small for float64 (``1e-400``) is read as 0, as float64 rounds it.

    Examples
    --------
    >>> read_number("0,5"), read_number("−1/3")
    (Cell(text='0.5', value=0.5), Cell(text='-1/3', value=-0.3333333333333333))
    >>> read_number("1/sqrt(2)")
    Cell(text='1/sqrt(2)', value=0.7071067811865476)
    >>> read_number("float('-inf')")
    Cell(text='-inf', value=-inf)
    >>> read_number("1e400")
    Traceback (most recent call last):
        ...
    attnviz.state.cells.NotNumbers: the value is outside the range of float64: '1e400'
    """
    return read_cell(text, "the value")


def read_cell(text: str, place: str, row: int | None = None, column: int | None = None) -> Cell:
    """Read one number as `read_number` does, and name its place when it is refused.

    Parameters
    ----------
    text : str
    place : str
        Begins the sentence of a refusal: ``value 2``.
    row, column : int, optional
        Place of the cell, from 1.

    Returns
    -------
    Cell

    Raises
    ------
    NotNumbers
    """
    plain = bare(text)
    number = _NUMBER.fullmatch(plain) if len(plain) <= MAX_TOKEN else None
    if number is None:
        infinite = _INFINITE.fullmatch(plain)
        if infinite and infinite[1] == "-":
            return Cell("-inf", -math.inf)
        raise NotNumbers(f"{place} {_complaint(text, plain)}", row, column)
    sign, above, below = number.groups()
    try:
        cell = _cell(sign, above, below)
    except ArithmeticError as error:
        raise NotNumbers(f"{place} {error}: {quoted(text.strip())}", row, column) from None
    if len(cell.text) > MAX_TOKEN:  # its own spelling would not be read back
        raise NotNumbers(f"{place} is longer than {MAX_TOKEN} characters", row, column)
    return cell


def write_number(value: float) -> str:
    """Write a number so that `read_number` reads back exactly the same float64.

    Parameters
    ----------
    value : float
        Finite, or −inf.

    Returns
    -------
    str
        The shortest such decimal number, without a needless ``.0`` or ``+``.

    Raises
    ------
    ValueError
        For NaN and +inf, which are no scores.

    Examples
    --------
    >>> [write_number(v) for v in (2.0, 0.1, 1e30, -1e-7, float("-inf"))]
    ['2', '0.1', '1e30', '-1e-7', '-inf']
    """
    value = float(value)
    if math.isnan(value) or value == math.inf:
        raise ValueError(f"a number is finite or -inf; got {value}")
    if value == -math.inf:
        return "-inf"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    return sign + _canonical(repr(abs(value)).removesuffix(".0"))


def bare(text: str) -> str:
    """Return the ASCII spelling of a cell without blanks around it and without a wrapper.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> bare(" np.float64(−1.5) "), bare("-float('inf')")
    ('-1.5', '-inf')
    """
    text = ascii_spelling(text).replace("，", ",").strip()
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is None:
        return text
    sign, _, inside = wrapped.groups()
    return sign + inside.strip()  # two signs are no number: -float('-inf') is refused


def _complaint(text: str, plain: str) -> str:
    shown = quoted(text.strip())
    if plain in SHORTENED or text.strip() in SHORTENED:
        return "was left out: the printed text was shortened (...); print all of it"
    if plain.lower() in _BLANK:
        return f"is blank: {shown}" if plain else "is blank"
    if len(plain) > MAX_TOKEN:
        return f"is not a number: {shown} is longer than {MAX_TOKEN} characters"
    if _INFINITE.fullmatch(plain):
        return f"is +inf, with which no softmax can be computed: {shown}"
    if _NAN.fullmatch(plain):
        return f"is not a number but NaN: {shown}"
    if "." in plain and "," in plain:
        return f"has both a decimal point and a comma: {shown}"
    inner = plain.split()
    if len(inner) > 1 and all(kind_of(part) == "number" for part in inner):
        return f"has a space inside the number: {shown}"
    return f"is not a number: {shown}"


def _cell(sign: str, above: str, below: str | None) -> Cell:
    """Build a cell from the parts of the grammar; ``ArithmeticError`` says what is wrong."""
    minus = "-" if sign == "-" else ""
    if below is None and not _ROOT_START.match(above):
        text = _canonical(above)
        value = float(text)
    elif below is None:
        text, exact = _atom(above)
        value = float(exact)
    else:
        (upper, dividend), (lower, divisor) = _atom(above), _atom(below)
        if not divisor:
            raise ZeroDivisionError("divides by zero")
        text, value = f"{upper}/{lower}", float(_EXACT.divide(dividend, divisor))
    if math.isinf(value):
        raise OverflowError("is outside the range of float64")
    return Cell(minus + text, -value if minus else value)


def _atom(atom: str) -> tuple[str, Decimal]:
    """Return canonical text and exact value (60 digits) of one atom."""
    inside = _ROOT_START.sub("", atom).removesuffix(")")
    text = _canonical(inside)
    nearest = float(text)
    # The float is checked first, so that no exponent beyond float64 reaches the arithmetic.
    if math.isinf(nearest) or (not nearest and text.partition("e")[0].strip("0.")):
        raise OverflowError("holds a number outside the range of float64")
    value = Decimal(text) if nearest else Decimal(0)
    return (text, value) if inside == atom else (f"sqrt({text})", _EXACT.sqrt(value))


def _canonical(number: str) -> str:
    """Spell an unsigned decimal number in one way; trailing zeros stay."""
    mantissa, _, exponent = number.replace(",", ".").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    text = (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    if not exponent:
        return text
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    return f"{text}e{'-' if exponent[0] == '-' else ''}{digits}"
