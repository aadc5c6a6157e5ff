"""Split what is written without brackets: CSV, TSV, semicolons, blanks, spreadsheets, links."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, NamedTuple

from attnviz.state.cells import NotNumbers, ascii_spelling, kind_of
from attnviz.state.commas import decimal_commas, with_points
from attnviz.state.fields import quoted
from attnviz.state.labels import clean_label
from attnviz.state.layout import Layout

_TOKEN = re.compile(
    r"""(?P<quoted>"(?:[^"]|"")*+") | (?P<line>\n) | (?P<separator>[\t,;])
      | (?P<blank>[^\S\n\t]+) | (?P<word>[^\s,;]+)""",
    re.X,
)
_LINK = re.compile(r"[^\s,\"']*[_~][^\s,\"']*")
# A full-width comma or semicolon separates where it follows a number; elsewhere it is a label.
_WIDE_COMMA = re.compile(r"(?<=[0-9fy∞).])[，、]")
_WIDE_SEMICOLON = re.compile(r"(?<=[0-9fy∞).])；")


class _Cell(NamedTuple):
    text: str
    quoted: bool = False


_Tokens = list[re.Match[str]]
_Table = list[list[_Cell]]


def split_lines(
    text: str, decimal: Literal[".", ","] | None = None, header: bool | None = None
) -> list[Layout]:
    r"""Split a text without brackets into rows and labels.

    Parameters
    ----------
    text : str
    decimal : {".", ","}, optional
        What the decimal mark is; without it the text decides, or both ways are returned.
    header : bool, optional
        Whether the first line holds labels; without it the text decides.

    Returns
    -------
    list of Layout
        Two, decimal commas first, when the commas can be read both ways.

    Raises
    ------
    NotNumbers

    Examples
    --------
    >>> [way.rows for way in split_lines("1,2;2,3")]
    [[['1.2', '2.3']], [['1', '2'], ['2', '3']]]
    >>> split_lines("the,cat\n0.1,0.9")[0].column_labels
    ('the', 'cat')
    """
    if decimal == ",":
        text = with_points(text)
    source = _Source(text)
    if _LINK.fullmatch(source.plain.strip()):
        return [_link(source.plain.strip())]
    if source.has_tabs():
        return [_labelled(source.table("\t"), header)]
    likelihood = decimal_commas(source.plain) if decimal is None else "no"
    if likelihood == "possible" and source.is_one_chunk_a_line():
        likelihood = "no"  # CSV
    commas = _labelled(source.table_by_role(), header)
    if likelihood == "no":
        return [commas]
    decimals = _labelled(_Source(with_points(text)).table_by_role(), header)
    if likelihood == "certain":
        return [decimals]
    return [
        replace(decimals, meaning="decimal commas", likely=likelihood == "likely"),
        replace(commas, meaning="commas between values"),
    ]


def _link(plain: str) -> Layout:
    """``_`` between numbers, ``~`` or ``;`` between rows."""
    rows = [row.split("_") for row in plain.replace(";", "~").split("~")]
    return Layout(rows, keeps_rows="~" in plain)


class _Source:
    """A text and its ASCII spelling, cut into lines of tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = ascii_spelling(text)
        if "," not in self.plain:
            self.plain = _WIDE_COMMA.sub(",", self.plain)
        if ";" not in self.plain:
            self.plain = _WIDE_SEMICOLON.sub(";", self.plain)
        self.lines: list[_Tokens] = [[]]
        for token in _TOKEN.finditer(self.plain):
            if token.lastgroup == "line":
                self.lines.append([])
            elif token.lastgroup == "word" and token[0][0] == '"':
                raise NotNumbers(f"a quote is opened and never closed: {quoted(token[0])}")
            else:
                self.lines[-1].append(token)
        blank = [all(t.lastgroup == "blank" for t in line) for line in self.lines]
        first = blank.index(False) if False in blank else len(blank)
        last = len(blank) - (blank[::-1].index(False) if False in blank else 0)
        self.lines = self.lines[first:last]

    def has(self, separator: str) -> bool:
        return any(_is(token, separator) for line in self.lines for token in line)

    def has_tabs(self) -> bool:
        """Whether tabs separate; at line starts and behind other separators they only indent."""
        if not self.has("\t"):
            return False
        for line in self.lines:
            after_value = False
            for token in line:
                if _is(token, "\t") and after_value:
                    return True
                if token.lastgroup != "blank" and not _is(token, "\t"):
                    after_value = token.lastgroup != "separator"
        return not (self.has(",") or self.has(";"))

    def is_one_chunk_a_line(self) -> bool:
        return not self.has(";") and all(len(self.parts(line, "")) < 2 for line in self.lines)

    def table_by_role(self) -> _Table:
        """Split at commas with semicolons between rows, at semicolons alone, or at blanks."""
        if self.has(","):
            return self.table(",", ";")
        if not self.has(";"):
            return self.table("")
        for line in self.lines:
            for piece in _split(line, ";"):
                if len(parts := self.parts(piece, ";")) > 1 and _all_numbers(parts):
                    return self.table("", ";")
        return self.table(";")

    def table(self, separator: str, row_break: str = "") -> _Table:
        rows = []
        for line in self.lines:
            pieces = _split(line, row_break)
            if len(pieces) > 1 and not self.parts(pieces[-1], separator):
                pieces.pop()
            rows.extend(self.row(piece, separator) for piece in pieces)
        if all(len(row) > 1 and row[-1] == _Cell("") for row in rows):
            rows = [row[:-1] for row in rows]  # every line ends in a separator
        elif len(rows[-1]) == 1 and all(row[1:] == [_Cell("")] for row in rows[:-1]):
            rows = [row[:1] for row in rows]  # one value a line, with a separator to the next
        return rows

    def row(self, tokens: _Tokens, separator: str) -> list[_Cell]:
        cells = []
        for group in _split(tokens, separator):
            parts = self.parts(group, separator)
            if len(parts) < 2:
                cells.extend(parts or [_Cell("")])
            elif not separator or (separator != "\t" and _all_numbers(parts)):
                cells.extend(parts)
            else:
                solid = [token for token in group if not _is_blank(token, separator)]
                cells.append(_Cell(self.text[solid[0].start() : solid[-1].end()]))
        return cells

    def parts(self, tokens: _Tokens, separator: str) -> list[_Cell]:
        """Return what stands between the blanks."""
        groups: list[_Tokens] = [[]]
        for token in tokens:
            if _is_blank(token, separator):
                groups.append([])
            else:
                groups[-1].append(token)
        return [self.cell(group) for group in groups if group]

    def cell(self, tokens: _Tokens) -> _Cell:
        raw = self.text[tokens[0].start() : tokens[-1].end()]
        if len(tokens) == 1 and tokens[0].lastgroup == "quoted":
            return _Cell(raw[1:-1].replace('""', '"'), quoted=True)
        return _Cell(raw)


def _is(token: re.Match[str], separator: str) -> bool:
    return token.lastgroup == "separator" and token[0] == separator


def _is_blank(token: re.Match[str], separator: str) -> bool:
    return token.lastgroup == "blank" or (separator != "\t" and _is(token, "\t"))


def _split(tokens: _Tokens, separator: str) -> list[_Tokens]:
    groups: list[_Tokens] = [[]]
    for token in tokens:
        if separator and _is(token, separator):
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _all_numbers(cells: list[_Cell]) -> bool:
    return all(kind_of(cell.text) == "number" for cell in cells)


def _labelled(table: _Table, header: bool | None) -> Layout:
    """Take the labels off a table.

    A header line holds words and no number, or has a blank corner over a column of labels; a
    column of labels holds words and no number, on two lines at least.
    """
    top = table[0] if table else []
    corner = len(top) > 1 and top[0] == _Cell("")
    side = header is not False
    if header is None:
        header = len(table) > 1 and _is_header(table, corner)
    body = table[1:] if header else table
    side = side and _has_side(body, top if header else None, corner)
    names = top[1:] if header and side and body and len(top) == len(body[0]) else top
    return Layout(
        [[cell.text for cell in (row[1:] or row if side else row)] for row in body],
        tuple(clean_label(cell.text) for cell in names) if header else None,
        tuple(clean_label(row[0].text) for row in body) if side else None,
    )


def _is_header(table: _Table, corner: bool) -> bool:
    if corner and any(kind_of(row[0].text) == "word" for row in table[1:]):
        return True
    return _are_labels(table[0])


def _has_side(body: _Table, top: list[_Cell] | None, corner: bool) -> bool:
    rows = [row for row in body if row != [_Cell("")]]
    if not rows or any(len(row) < 2 for row in rows):
        return False
    if top is not None and corner:
        return len(top) == len(rows[0])
    if not _are_labels([row[0] for row in rows]):
        return False
    return len(rows) > 1 or (top is not None and len(top) == len(rows[0]) - 1)


def _are_labels(cells: list[_Cell]) -> bool:
    kinds = {kind_of(cell.text) for cell in cells}
    return "word" in kinds and kinds <= {"word", "missing", "nan", "inf"}
