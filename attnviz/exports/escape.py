"""Labels made safe for where they go: a spreadsheet's cell, a LaTeX formula."""

import re
from collections.abc import Sequence

#: A cell that starts with one of these may be run as a formula (OWASP, "CSV injection": the
#: ASCII signs, tab, carriage return and line feed, and the full-width signs).
_FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def checked_labels(labels: Sequence[str], count: int, name: str) -> list[str]:
    """Return the labels as plain strings; ValueError unless there is one for each."""
    texts = [str(label) for label in labels]
    if len(texts) != count:
        raise ValueError(f"{name} must be {count}; got {len(texts)}")
    return texts


def to_cell(label: str) -> str:
    """Return a label as a spreadsheet's cell that is never run as a formula.

    Such labels get a leading apostrophe, and so does a label that starts with one, so that
    `from_cell` restores every label exactly.

    Raises
    ------
    ValueError
        If the label holds NUL, which CSV can't carry everywhere.

    Examples
    --------
    >>> to_cell("=1+1"), to_cell("'tis"), to_cell("cat")
    ("'=1+1", "''tis", 'cat')
    """
    if "\0" in label:
        raise ValueError(f"the label {label!r} holds a NUL character, which a CSV can't carry")
    return "'" + label if label.startswith(("'", *_FORMULA_STARTS)) else label


def from_cell(cell: str) -> str:
    """Return the label that `to_cell` wrote.

    Examples
    --------
    >>> from_cell("'=1+1")
    '=1+1'
    """
    return cell.removeprefix("'")


def to_latex(text: str) -> str:
    r"""Return text for the inside of ``\text{...}``: signs escaped, control characters as spaces.

    Examples
    --------
    >>> to_latex("50% of_x")
    '50\\% of\\_x'
    """
    plain = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)
    return "".join(_LATEX.get(sign, sign) for sign in plain)
