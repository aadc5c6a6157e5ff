"""Split what is written with brackets: Python, NumPy, PyTorch, JSON and MATLAB."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from attnviz.state.cells import SHORTENED, NotNumbers, ascii_spelling, read_cell
from attnviz.state.fields import quoted
from attnviz.state.layout import Layout

MAX_DEPTH = 4
_MAX_WRAPPERS = 8
_NUMPY_LINE = 73  # NumPy breaks a row before 75 columns; two are left for its brackets

_WRAPPER = (
    r"(?:(?:np|numpy|torch|jnp|jax|tf)\.)?"
    r"(?:array|asarray|tensor|Tensor|matrix|Array|FloatTensor|DoubleTensor|list|tuple)"
)
_STARTS = re.compile(rf"\s*(Parameter containing:)?\s*(?:{_WRAPPER}\s*\(|[\[(])")
# A first cell such as [CLS], or a bracket that is a token of its own: those begin a header line.
_LABEL = re.compile(
    r"\s*(?:\[(?!(?:inf|infinity|nan|null|none)\])[^\W\d][\w-]*\]|[\[\]()](?=[^\S\n\t]*[,;\t]))"
    r"[^\n]*\n",
    re.I,
)
_KEYWORD = re.compile(
    r"(?:dtype|device|grad_fn|requires_grad|shape|size|layout|names|copy|order|ndmin|weak_type)=.*"
)
# A word takes its calls along: sqrt(2), float('-inf'), shape=(2, 2). Possessive, so linear.
_TOKEN = re.compile(
    r"""(?P<string>(?:"[^"\n]*"|'[^'\n]*')(?=[\s()\[\],;]|\Z))
      | (?P<word>[^\s()\[\],;]++(?:\([^()\[\]]*+\)[^\s()\[\],;]*+)*+)
      | (?P<open>[(\[]) | (?P<close>[)\]]) | (?P<comma>,) | (?P<semicolon>;)
      | (?P<line>\n) | (?P<blank>[^\S\n]+)""",
    re.X,
)


@dataclass
class _Node:
    """A list: depth 1 holds cell texts, any other depth holds nodes one level less deep."""

    depth: int
    items: list


@dataclass
class _Frame:
    """A bracket that is still open."""

    opener: str
    cells: list[str] = field(default_factory=list)
    nodes: list[_Node] = field(default_factory=list)
    semicolons: list[int] = field(default_factory=list)  # cells before each row break
    lines: list[int] = field(default_factory=list)
    commas: bool = False
    after_comma: bool = True  # nothing stands before the next comma


def is_bracketed(text: str) -> bool:
    r"""Say whether a text begins as a bracketed matrix does.

    Parameters
    ----------
    text : str

    Returns
    -------
    bool
        False for a header line whose first label is a bracket or stands in brackets.

    Examples
    --------
    >>> is_bracketed("array([1, 2])"), is_bracketed("[CLS],the\n1,2"), is_bracketed("1 2")
    (True, False, False)
    """
    plain = ascii_spelling(text)
    return bool(_STARTS.match(plain)) and not _LABEL.match(plain)


def split_brackets(text: str) -> list[Layout]:
    """Split a bracketed text into rows.

    Commas, blanks and line ends separate values; semicolons separate rows, and so do line ends
    inside a single pair of brackets without a comma before them (MATLAB). Leading dimensions of
    length 1 are dropped.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of Layout
        Two when the lines can be the rows of a matrix as well as one long row that NumPy wrapped.

    Raises
    ------
    NotNumbers

    Examples
    --------
    >>> split_brackets("[1 2; 3 -4]")[0].rows
    [['1', '2'], ['3', '-4']]
    >>> split_brackets("array([[[1., 2.]]], dtype=float32)")[0].rows
    [['1.', '2.']]
    """
    plain = ascii_spelling(text).replace("，", ",").replace("；", ";")
    prefix = _STARTS.match(plain)
    start = max(prefix.end(1), 0) if prefix else 0
    return _Splitter(text, plain).run(start)


class _Splitter:
    def __init__(self, text: str, plain: str) -> None:
        self.text = text
        self.plain = plain
        self.stack = [_Frame("")]
        self.wrapped: list[str] | None = None  # the cells of a row that NumPy may have wrapped

    def run(self, start: int) -> list[Layout]:
        wrapper = False
        for token in _TOKEN.finditer(self.plain, start):
            kind = token.lastgroup
            if kind == "blank":
                continue
            if kind == "word":
                wrapper = self.plain[token.end() : token.end() + 1] == "(" and bool(
                    re.fullmatch(_WRAPPER, token[0])
                )
                if not wrapper:
                    self.word(token)
            elif kind == "open":
                self.open("wrapper" if wrapper else token[0])
                wrapper = False
            else:
                getattr(self, kind)(token)
        if len(self.stack) > 1:
            raise NotNumbers("a bracket is opened and never closed")
        root = self.finish(self.stack[0])
        if not self.stack[0].cells and len(root.items) == 1:
            root = root.items[0]
        return self.layouts(root)

    def layouts(self, root: _Node) -> list[Layout]:
        while root.depth > 2 and len(root.items) == 1:
            root = root.items[0]
        if root.depth > MAX_DEPTH:
            raise NotNumbers(f"the lists are nested too deeply: more than {MAX_DEPTH} levels")
        if root.depth > 2:
            raise NotNumbers(f"the text holds {_matrices(root)} matrices; paste one")
        rows = [root.items] if root.depth == 1 else [node.items for node in root.items]
        if not any(rows):
            raise NotNumbers("there are no numbers between the brackets")
        if self.wrapped is None:
            return [Layout(rows, keeps_rows=True)]
        return [
            Layout([self.wrapped], keeps_rows=True, meaning="a row that was wrapped"),
            Layout(rows, keeps_rows=True, meaning="each line a row"),
        ]

    def word(self, token: re.Match[str]) -> None:
        frame = self.stack[-1]
        if token[0] in SHORTENED:
            raise NotNumbers("the printed text was shortened (...); print all of it")
        if frame.opener == "wrapper" and _KEYWORD.fullmatch(token[0]):
            frame.after_comma = False
            return
        frame.cells.append(self.text[token.start() : token.end()])
        frame.after_comma = False

    def string(self, token: re.Match[str]) -> None:
        frame = self.stack[-1]
        frame.cells.append(self.text[token.start() + 1 : token.end() - 1])
        frame.after_comma = False

    def comma(self, token: re.Match[str]) -> None:
        frame = self.stack[-1]
        if frame.after_comma and frame.nodes:
            raise NotNumbers(f"list {len(frame.nodes) + 1} is blank", len(frame.nodes) + 1)
        if frame.after_comma:
            frame.cells.append("")  # refused by its place when the cells are read
        frame.commas = frame.after_comma = True
        if frame.lines and frame.lines[-1] == len(frame.cells):
            frame.lines.pop()

    def semicolon(self, token: re.Match[str]) -> None:
        frame = self.stack[-1]
        if frame.lines and frame.lines[-1] == len(frame.cells):
            frame.lines.pop()
        frame.semicolons.append(len(frame.cells))
        frame.after_comma = True

    def line(self, token: re.Match[str]) -> None:
        frame = self.stack[-1]
        if frame.cells and not frame.after_comma and frame.lines[-1:] != [len(frame.cells)]:
            frame.lines.append(len(frame.cells))

    def open(self, opener: str) -> None:
        kinds = [frame.opener == "wrapper" for frame in self.stack]
        if len(kinds) - sum(kinds) > MAX_DEPTH and opener != "wrapper":
            raise NotNumbers(f"the lists are nested too deeply: more than {MAX_DEPTH} levels")
        if sum(kinds) >= _MAX_WRAPPERS:
            raise NotNumbers("the lists are nested too deeply")
        self.stack.append(_Frame(opener))

    def close(self, token: re.Match[str]) -> None:
        frame = self.stack.pop()
        if not self.stack:
            raise NotNumbers(f"a bracket is closed by {quoted(token[0])} and was never opened")
        if (frame.opener == "[") != (token[0] == "]"):
            raise NotNumbers(f"a bracket is closed by {quoted(token[0])} and was opened otherwise")
        node = self.finish(frame)
        if frame.opener == "wrapper":
            if frame.cells or len(node.items) != 1:
                raise NotNumbers("array( ) and tensor( ) must hold one list")
            node = node.items[0]
        parent = self.stack[-1]
        parent.nodes.append(node)
        parent.after_comma = False

    def finish(self, frame: _Frame) -> _Node:
        if frame.nodes:
            depths = {node.depth for node in frame.nodes}
            if frame.cells or len(depths) > 1:
                for column, cell in enumerate(_words([_Node(1, frame.cells), *frame.nodes]), 1):
                    read_cell(cell, f"value {column}", None, column)  # words come first
                raise NotNumbers("numbers and lists stand side by side in one list")
            return _Node(1 + depths.pop(), frame.nodes)
        outermost = len(self.stack) == 1 and frame.opener != "wrapper"
        breaks = frame.semicolons + (frame.lines if outermost or frame.semicolons else [])
        rows = _rows(frame.cells, breaks)
        if len(rows) < 2 and not frame.semicolons:
            return _Node(1, frame.cells)
        if not frame.semicolons and not frame.commas and self.could_be_wrapped():
            self.wrapped = frame.cells
        return _Node(2, [_Node(1, row) for row in rows])

    def could_be_wrapped(self) -> bool:
        """Whether every line is so full that the next word did not fit in."""
        lines = self.plain.strip().split("\n")
        return all(
            len(line) + 1 + len((after.split() or [""])[0]) >= _NUMPY_LINE
            for line, after in pairwise(lines)
        )


def _rows(cells: list[str], breaks: list[int]) -> list[list[str]]:
    """Cut the cells at the breaks; an empty row at the end is no row."""
    rows = [cells[a:b] for a, b in pairwise([0, *sorted(breaks), len(cells)])]
    return rows if rows[-1] else rows[:-1]


def _words(nodes: list[_Node]) -> list[str]:
    return [cell for node in nodes if node.depth == 1 for cell in node.items]


def _matrices(node: _Node) -> int:
    return 1 if node.depth == 2 else sum(_matrices(item) for item in node.items)
