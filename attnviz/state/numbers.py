"""Read the numbers that people type, paste, upload and share, from any of their spellings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from attnviz.state.brackets import is_bracketed, split_brackets
from attnviz.state.cells import (
    MAX_TEXT,
    Cell,
    NotNumbers,
    bare,
    check_size,
    kind_of,
    read_cell,
    read_number,
    write_number,
)
from attnviz.state.commas import refuse_grouped_digits, refuse_thousands, with_points
from attnviz.state.fields import quoted
from attnviz.state.labels import MAX_LABEL, check_labels
from attnviz.state.layout import Layout
from attnviz.state.lines import split_lines

__all__ = [
    "MAX_TEXT",
    "Ambiguous",
    "Cell",
    "NotNumbers",
    "Reading",
    "read_matrix",
    "read_number",
    "write_number",
]

_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_TOKEN = re.compile(r"[^\s,;，；、_~()\[\]]+|[,;，；、_~\t\n]|(?<!\[)\[")
_NAME = re.compile(r"\s*[A-Za-z_]\w*\s*=(?!=)")


@dataclass(frozen=True)
class Reading:
    """A matrix that was read: at least one row, every row with the same number of cells.

    Attributes
    ----------
    cells : tuple of tuple of Cell
    column_labels, row_labels : tuple of str or None
        One for each column or row, where the text had them.
    """

    cells: tuple[tuple[Cell, ...], ...]
    column_labels: tuple[str, ...] | None = None
    row_labels: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.cells), len(self.cells[0])

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Canonical spellings; ``_`` between them and ``~`` between rows make a link."""
        return tuple(tuple(cell.text for cell in row) for row in self.cells)

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """The numbers, finite or −inf."""
        return tuple(tuple(cell.value for cell in row) for row in self.cells)


@dataclass(frozen=True)
class Ambiguous:
    """A text that can be read in more than one way; the person who typed it has to choose.

    Attributes
    ----------
    alternatives : tuple of (str, Reading)
        Every way, each with words such as ``decimal commas, 1 row of 2: 1.2 and 2.3``.
    """

    alternatives: tuple[tuple[str, Reading], ...]

    @property
    def message(self) -> str:
        """One sentence that asks."""
        ways = "; or ".join(words for words, _ in self.alternatives)
        return f"the text can be read in two ways: {ways}"


def read_matrix(
    text: str,
    *,
    decimal: Literal[".", ","] | None = None,
    header: bool | None = None,
    column: bool = False,
    max_rows: int = 64,
    max_columns: int = 64,
) -> Reading | Ambiguous:
    r"""Read a matrix, or a list of numbers as one row.

    Parameters
    ----------
    text : str
        At most 256 kB.
    decimal : {".", ","}, optional
        The decimal mark, which answers an earlier question. With ``","`` a comma between digits
        is a decimal comma even in brackets, and a decimal point is refused.
    header : bool, optional
        Whether the first line of a text without brackets holds labels. Without it, a line of
        words does.
    column : bool
        True where lines of one value each are a column, as in Q, K and V; else they are one row.
    max_rows, max_columns : int
        Limits, checked before a number is built.

    Returns
    -------
    Reading or Ambiguous

    Raises
    ------
    NotNumbers
        With one sentence that names the place, what came and what was expected.

    Notes
    -----
    What is decided where a text could mean two things:

    - ``1,5`` and ``2,1,0`` are lists of values; a comma list alone is never a question.
    - Commas inside tokens that ``;``, tabs or blanks separate: ``0,5<tab>1,5`` can only be decimal
      commas; ``0,25;0,75`` is one row of two (all whole parts 0, and 25 is no usual integer beside
      a column of zeros); ``1,2;2,3``, ``1,2 3,4`` and ``1,5, 2,5`` are questions.
    - Lines such as ``1,2`` are CSV; a question is asked when they look like a column of decimals
      (``0,5`` and no ``1,0``, or two digits and more behind every comma).
    - Where only one of the two ways makes a matrix, commas that look decimal (``0,5;1;2,25``) are
      read so, and others (``1,2;3``) refused with a hint.
    - A no-break or thin space before three digits is questioned, and so is a plain one where a
      comma or a leading zero follows: ``1 234,5`` and ``29 000`` are refused with advice.
    - Commas in brackets separate. A line end inside one pair of brackets begins a row (MATLAB),
      unless a comma stands before it; a question is asked when NumPy may have wrapped the row.
    - One line of single values between semicolons is one row, and so is one column of values.
      ``~`` and brackets keep a column.
    - ``_`` and ``~`` separate only in a text that has neither blanks nor commas, so ``1_000`` is
      1 and 0.
    - A comma or tab at the end of every line is no value; at the end of some, it is a blank.
    - A first line of words is a header; a first column of words on two lines or more holds row
      labels. Words that begin like numbers (``1x``) never count as labels.

    Examples
    --------
    >>> read_matrix("2_1_0~-inf_1/3_0").texts
    (('2', '1', '0'), ('-inf', '1/3', '0'))
    >>> reading = read_matrix("the,cat\n.1,.9\n.8,.2\n")
    >>> reading.column_labels, reading.shape
    (('the', 'cat'), (2, 2))
    >>> for words, _ in read_matrix("1,2;2,3").alternatives:
    ...     print(words)
    decimal commas, 1 row of 2: 1.2 and 2.3
    commas between values, 2 rows of 2: 1 and 2; 2 and 3
    >>> read_matrix("1 2 3\n4 x 6")
    Traceback (most recent call last):
        ...
    attnviz.state.cells.NotNumbers: row 2, value 2 is not a number: 'x'
    """
    text = _prepared(text)
    _check_amount(text, max_rows, max_columns)
    refuse_grouped_digits(text)
    if decimal is None:
        refuse_thousands(text)
    if is_bracketed(text):
        ways = split_brackets(with_points(text) if decimal == "," else text)
    else:
        ways = split_lines(text, decimal, header)
    upright = column and "\n" in text.strip()
    read: list[tuple[Layout, Reading]] = []
    refused: list[tuple[Layout, NotNumbers]] = []
    for way in ways:
        try:
            laid = replace(way, keeps_rows=way.keeps_rows or upright)
            read.append((way, _read(laid, decimal, max_rows, max_columns)))
        except NotNumbers as refusal:
            refused.append((way, refusal))
    if not read:
        raise refused[-1][1]
    if refused:
        return _only_way(*read[0], refused[0][1])
    if len({reading.cells for _, reading in read}) == 1:
        return read[0][1]
    return Ambiguous(
        tuple((f"{way.meaning}, {_described(reading)}", reading) for way, reading in read)
    )


def _only_way(way: Layout, reading: Reading, refusal: NotNumbers) -> Reading:
    """Return the one way that makes a matrix, if it may be believed without a question."""
    if way.likely:
        return reading
    hint = f"; with {way.meaning} it would be {_described(reading)}"
    raise NotNumbers(refusal.message + hint, refusal.row, refusal.column)


def _prepared(text: str) -> str:
    check_size(text)
    if "\0" in text:
        raise NotNumbers("this is not a text of numbers: it holds NUL characters")
    text = _NEWLINE.sub("\n", text.removeprefix("\ufeff"))
    if name := _NAME.match(text):  # Q = [[1, 2]]
        text = text[name.end() :]
    if not text.strip():
        raise NotNumbers("there is nothing to read; numbers were expected")
    return text


def _check_amount(text: str, max_rows: int, max_columns: int) -> None:
    """Refuse a text with more tokens than any matrix within the limits, before it is split.

    Five tokens are the most a cell takes: ``tensor(0.1, grad_fn=<…>),``.
    """
    labels = max_rows + max_columns + 2
    most = 5 * (max_rows + 1) * (max_columns + 1) + MAX_LABEL * labels
    if next(islice(_TOKEN.finditer(text), most, None), None):
        raise NotNumbers(
            f"the text is too long: at most {max_rows} rows of {max_columns} values can be read"
        )


def _read(
    way: Layout, decimal: Literal[".", ","] | None, max_rows: int, max_columns: int
) -> Reading:
    rows, columns_by, rows_by = way.rows, way.column_labels, way.row_labels
    if not way.keeps_rows and len(rows) > 1 and all(len(row) == 1 for row in rows):
        rows = [[row[0] for row in rows]]  # a column of values is one row of scores
        columns_by, rows_by = rows_by, columns_by
    if not rows:
        raise NotNumbers("there are only labels; numbers were expected below them")
    _check_limits(rows, max_rows, max_columns)
    _check_commas(rows, decimal)
    cells = []
    for i, row in enumerate(rows, 1):
        if len(rows) > 1 and not any(row):
            raise NotNumbers(f"row {i} is blank", i)
        place = f"row {i}, value" if len(rows) > 1 else "value"
        cells.append(tuple(read_cell(text, f"{place} {j}", i, j) for j, text in enumerate(row, 1)))
        if len(row) != len(rows[0]):
            raise NotNumbers(f"row {i} has {_values(row)}, row 1 has {len(rows[0])}", i)
    for labels, n, what in ((columns_by, len(rows[0]), "column"), (rows_by, len(rows), "row")):
        if labels is not None and len(check_labels(labels)) != n:
            raise NotNumbers(f"{n} {what}{'s' * (n > 1)}, {len(labels)} labels")
    return Reading(tuple(cells), columns_by, rows_by)


def _check_limits(rows: list[list[str]], max_rows: int, max_columns: int) -> None:
    if len(rows) > max_rows:
        raise NotNumbers(f"the text has {len(rows)} rows; at most {max_rows} can be read")
    for i, row in enumerate(rows, 1):
        if len(row) > max_columns:
            place = f"row {i}" if len(rows) > 1 else "the text"
            raise NotNumbers(f"{place} has {len(row)} values; at most {max_columns} can be read", i)


def _check_commas(rows: list[list[str]], decimal: Literal[".", ","] | None) -> None:
    """Refuse cells with a comma beside decimal points: 1,234 may be a thousand there."""
    cells = [bare(text) for row in rows for text in row]
    comma = next((text for text in cells if "," in text and kind_of(text) == "number"), None)
    if comma is None:
        return
    if decimal == ".":
        raise NotNumbers(f"{quoted(comma)} has a decimal comma where decimal points are read")
    if any("." in text and kind_of(text) == "number" for text in cells):
        raise NotNumbers(f"decimal commas and decimal points are mixed: {quoted(comma)}")


def _values(row: list[str]) -> str:
    return f"{len(row)} value{'s' * (len(row) != 1)}"


def _described(reading: Reading) -> str:
    n, columns = reading.shape
    rows = "; ".join(_listed(row) for row in reading.texts[:3]) + "; …" * (n > 3)
    return f"{n} row{'s' * (n > 1)} of {columns}: {rows}"


def _listed(row: tuple[str, ...]) -> str:
    shown = row if len(row) <= 4 else (*row[:3], "…")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
