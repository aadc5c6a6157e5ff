"""Decide what the commas of a text mean: decimal commas, or commas between values."""

from __future__ import annotations

import re
from typing import Literal

from attnviz.state.cells import NotNumbers, ascii_spelling
from attnviz.state.fields import quoted

_QUOTED = r'"(?:[^"]|"")*+"'
_UNQUOTED = re.compile(rf'{_QUOTED}|([^\s;"()\[\]~_]+)')
_CHUNK = re.compile(rf"{_QUOTED}|([^\s;]+)")
_DECIMAL = re.compile(r"([+-]?)([0-9]*),([0-9]+)((?:[eE][+-]?[0-9]+)?)(,?)")
_EXPRESSION = re.compile(r"[+-]?(?:[0-9.,]|[eE][+-]?(?=[0-9])|/)+")
_POINT = re.compile(r"[0-9]\.|\.[0-9]")
_TIGHT = re.compile(r"(?<=[0-9]),(?=[0-9])|(?<![0-9,]),(?=[0-9])")
_WIDE_BLANK = "\u00a0\u202f\u2007\u2009"
_GROUPED = re.compile(
    rf"(?<![0-9.,eE])[0-9]{{1,3}}(?:(?:[{_WIDE_BLANK}][0-9]{{3}})+(?:,[0-9]+)?"
    r"|(?: [0-9]{3})+,[0-9]+|(?: 0[0-9]{2})+)(?![0-9])"
)
_THOUSANDS = re.compile(
    r"[+-]?[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+\.[0-9]+|(?:\.[0-9]{3})+,[0-9]+|(?:,[0-9]{3})+)"
)

Likelihood = Literal["no", "possible", "likely", "certain"]


def refuse_grouped_digits(text: str) -> None:
    """Ask about a space that may stand inside a number: ``29 000``.

    Parameters
    ----------
    text : str

    Raises
    ------
    NotNumbers
        When groups of three digits follow a no-break or thin space, or a plain space where a
        decimal comma or a leading zero shows that the groups belong together.

    Examples
    --------
    >>> refuse_grouped_digits("100 200 300")
    >>> refuse_grouped_digits("1 234,5")
    Traceback (most recent call last):
        ...
    attnviz.state.cells.NotNumbers: is the space inside a number? '1 234,5': write 1234.5 ...
    """
    plain = ascii_spelling(text)
    if grouped := _GROUPED.search(plain):
        groups = grouped[0].split()
        together = "".join(groups).replace(",", ".")
        raise NotNumbers(
            f"is the space inside a number? {quoted(' '.join(groups))}: write {together} for one"
            " number, or a comma and a blank between two"
        )


def refuse_thousands(text: str) -> None:
    """Ask about a mark that may group the digits of a number: ``1,234.5`` or ``1.234,5``.

    Parameters
    ----------
    text : str
        A text that nothing else says how to read.

    Raises
    ------
    NotNumbers
        When every number with a comma can be one with thousands separators, and has a point as
        well or stands between tabs.

    Examples
    --------
    >>> refuse_thousands("1.5,2"), refuse_thousands("0.123,5")
    (None, None)
    >>> refuse_thousands("1,234.5")
    Traceback (most recent call last):
        ...
    attnviz.state.cells.NotNumbers: does a mark group the digits of '1,234.5'? Write 1234.5, ...
    """
    plain = ascii_spelling(text)
    chunks = [found[1] for found in _CHUNK.finditer(plain) if found[1] and "," in found[1]]
    if not chunks or not all(_THOUSANDS.fullmatch(chunk) for chunk in chunks):
        return
    first, tabs = chunks[0], "\t" in plain
    if tabs or any("." in chunk for chunk in chunks):
        mark = "." if first.rfind(".") != -1 and first.rfind(",") > first.rfind(".") else ","
        together = first.replace(mark, "").replace(",", ".")
        other = first.replace(",", ".") if tabs else "a comma and a blank between two numbers"
        raise NotNumbers(
            f"does a mark group the digits of {quoted(first)}? Write {together}, or {other}"
        )


def decimal_commas(text: str) -> Likelihood:
    """Say how likely the commas of a text without brackets are decimal commas.

    Parameters
    ----------
    text : str

    Returns
    -------
    {"no", "possible", "likely", "certain"}
        ``certain`` when a comma between integers is out of the question: digits such as ``05``
        after it, a whole part −0, or all whole parts 0 with two digits or more after one of them
        (``0,25;0,75``). ``likely`` with a ``0,5`` or with two digits or more after every comma.

    Examples
    --------
    >>> [decimal_commas(t) for t in ("2,1,0", "1,2;2,3", "0,5;1,5", "0,25;0,75")]
    ['no', 'possible', 'likely', 'certain']
    """
    plain = ascii_spelling(text)
    chunks = [found[1] for found in _CHUNK.finditer(plain) if found[1]]
    numbers = [_DECIMAL.fullmatch(chunk) for chunk in chunks if "," in chunk.rstrip(",")]
    if len(chunks) < 2 or not numbers or not all(numbers):
        return "no"
    if any(_POINT.search(chunk) for chunk in chunks):
        return "no"
    loose = [chunk for chunk in chunks if chunk.endswith(",")]
    if loose and len(numbers) < len(chunks):
        return "no"  # 1,5, 2: blanks behind commas, and not one comma in every number
    wholes = [number[2] or "0" for number in numbers if number]
    fractions = [number[3] for number in numbers if number]
    signs = [number[1] for number in numbers if number]
    leading = any(len(f) > 1 and f[0] == "0" and len(f) != 3 for f in fractions)
    minus_zero = any(s == "-" and w == "0" for s, w in zip(signs, wholes, strict=True))
    long = [len(fraction) > 1 for fraction in fractions]
    if leading or minus_zero or (set(wholes) == {"0"} and any(long)):
        return "certain"
    if all(long) or ("0" in wholes and "0" not in fractions):
        return "likely"
    return "possible"


def with_points(text: str) -> str:
    """Write the decimal commas of a text as points; all else stays as it is.

    Parameters
    ----------
    text : str
        A text whose decimal commas are known to be such. A comma counts as one when digits
        follow it and a digit or nothing comes before it.

    Returns
    -------
    str
        As long as the text.

    Raises
    ------
    NotNumbers
        When a number has a decimal point.

    Examples
    --------
    >>> with_points("0,5; 1,5, 2")
    '0.5; 1.5, 2'
    """
    plain = ascii_spelling(text)
    letters = list(text)
    for found in _UNQUOTED.finditer(plain):
        chunk = found[1]
        if chunk is None or not _EXPRESSION.fullmatch(chunk):
            continue
        if _POINT.search(chunk):
            raise NotNumbers(f"{quoted(chunk)} has a decimal point where decimal commas are read")
        for comma in _TIGHT.finditer(chunk):
            letters[found.start() + comma.start()] = "."
    return "".join(letters)
