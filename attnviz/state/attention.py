"""What a person can set on the attention page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attnviz.core.attention import EMPTY_POLICIES
from attnviz.core.masks import MASKS
from attnviz.state.fields import Field, FieldError, choice, declared, plain, quoted
from attnviz.state.labels import MAX_LABEL
from attnviz.state.links import check_packed, read_list, write_list
from attnviz.state.matrix import Matrix, matrix, read_cells, write_cells
from attnviz.state.numbers import Cell, read_number
from attnviz.state.softmax import LABELS, VIEW, step_field
from attnviz.state.temperature import TEMPERATURE, Temperature

MAX_TOKENS = 64
MAX_WIDTH = 64

STAGES = {
    "weights": "Weights A",
    "scores": "Scores QKᵀ",
    "scaled": "Scaled",
    "masked": "Masked",
    "values": "Values V",
    "output": "Output O",
}
PIPELINE = ("scores", "scaled", "masked", "weights", "values", "output")
STEPS = ("Q, K and V", "scores", "scaled", "masked", "weights", "output")
EDITS = {"none": "closed", "q": "Q", "k": "K", "v": "V"}
EASY = 8  # rows and columns of a matrix whose cells stand open on the page
SMALL = 24  # tokens up to which all stages are drawn at once
PANELS = {
    "entropy": "Entropy per query",
    "received": "Who is looked at",
    "policies": "Fully masked rows",
    "compare": "Compare",
    "export": "Take it away",
}
ALIGNS = {"bottom-right": "bottom right", "top-left": "top left"}
ORIENTS = {"rows": "Rows are queries", "columns": "Columns are queries"}
POLICIES = {"zeros": "zeros", "uniform": "uniform", "nan": "NaN", "error": "error"}
MASK_NAMES = tuple(name for name in MASKS if name not in ("none", "custom"))

Pair = tuple[int, int]

_PACKED = re.compile(r"[A-Za-z0-9_=-]*")


def _read_names(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in read_list(text)]
    names = [name for name in names if name not in ("", "none", "custom")]
    for name in names:
        if name not in MASK_NAMES:
            raise ValueError(f"a mask is one of none, {', '.join(MASK_NAMES)}; got {quoted(name)}")
    return tuple(name for name in MASK_NAMES if name in names)


def _count(low: int, high: int) -> Any:
    def read(text: str) -> int:
        digits = text.strip()
        short = digits.isascii() and digits.isdigit() and len(digits) <= 4
        if not (short and low <= int(digits) <= high):
            raise ValueError(f"it is a whole number from {low} to {high}; got {quoted(text)}")
        return int(digits)

    return read


def _read_pairs(text: str) -> tuple[Pair, ...]:
    pairs = set()
    for part in read_list(text):
        row, _, column = part.partition(":")
        if not all(p.isascii() and p.isdigit() and len(p) <= 3 for p in (row, column)):
            raise ValueError(f"it is pairs row:column from 0, such as 0:2_1:3; got {quoted(part)}")
        pairs.add((int(row), int(column)))
    return tuple(sorted(pairs))


def _write_pairs(pairs: tuple[Pair, ...]) -> str:
    return "_".join(f"{row}:{column}" for row, column in pairs)


def _read_scale(text: str) -> str:
    word = text.strip().lower()
    if word in ("on", "off"):
        return word
    cell = read_number(text)
    if cell.text == "-inf":
        raise ValueError("the scale must be finite, on or off")
    return cell.text


def _read_place(text: str) -> Pair | None:
    pairs = _read_pairs(text)
    if len(pairs) > 1:
        raise ValueError(f"it is one cell such as 0:2; got {quoted(text)}")
    return pairs[0] if pairs else None


def _read_row(text: str) -> int | None:
    return None if text.strip() == "none" else _count(0, MAX_TOKENS - 1)(text)


def _read_pin(text: str) -> str:
    if not _PACKED.fullmatch(text):
        raise ValueError("it holds characters that no packed state has")
    if text:
        check_packed(text)
    return text


def _read_entries(text: str) -> Matrix:
    """Read Q, K or V from a link, where ``;`` always ends a row: ``5;6;7`` is a column."""
    if ";" in text and not re.search(r"[,_~\s\[]", text.strip()):
        text = text.replace(";", "~")
    return read_cells(text, MAX_TOKENS, MAX_WIDTH)


def _entries(name: str, default: Matrix, label: str, help: str) -> Any:
    return plain(
        name,
        default,
        label,
        help,
        _read_entries,
        write_cells,
    )


Q = _entries("q", matrix("1 0"), "Queries Q", "One row for each query, d_k numbers.")
K = _entries("k", matrix("1 0", "0 1"), "Keys K", "One row for each key, d_k numbers.")
V = _entries("v", matrix("2 0", "0 2"), "Values V", "One row for each key, d_v numbers.")
TOKENS = plain(
    "tokens",
    (),
    "Query labels",
    "A word for each query; without them q1, q2, …",
    LABELS.reads["labels"],
    write_list,
)
KEYS = plain(
    "keys",
    (),
    "Key labels",
    "A word for each key; without them the labels of the queries where the counts agree.",
    LABELS.reads["labels"],
    write_list,
)
MASK = plain(
    "mask",
    (),
    "Masks",
    "Rules that hide keys from queries. Several combine: a cell that one of them hides is hidden.",
    _read_names,
    write_list,
)
ALIGN = choice(
    "align",
    ALIGNS,
    "Alignment",
    "Where the diagonal of causal, window, prefix and block starts when there are more keys than"
    " queries: the last query stands at the last key, or the first at the first.",
)
WINDOW = plain("window", 2, "Window", "Keys that a query sees, its own included.", _count(1, 64))
PREFIX = plain("prefix", 1, "Prefix", "First keys that are open to every query.", _count(0, 64))
PADDING = plain("padding", 1, "Padding", "Keys at the end that only fill up.", _count(0, 64))
BLOCK = plain("block", 2, "Block", "Keys in one block.", _count(1, 64))
HIDE = plain(
    "hide",
    (),
    "Hidden cells",
    "Pairs row:column, from 0, that are hidden on top of the masks.",
    _read_pairs,
    _write_pairs,
)
SHOW = plain(
    "show",
    (),
    "Shown cells",
    "Pairs row:column, from 0, that are shown although a mask hides them.",
    _read_pairs,
    _write_pairs,
)
EMPTY = choice(
    "empty",
    POLICIES,
    "A query without an allowed key gets",
    "Softmax has no answer for it, so it is a choice: zeros, the same weight on every key, NaN,"
    " or an error.",
)
SCALE = plain(
    "scale",
    "on",
    "Scale",
    "on divides the scores by √d_k, off leaves them, a number multiplies them.",
    _read_scale,
)
ROW = plain(
    "row",
    0,
    "Query",
    "The query that is followed through all stages, from 0, or none.",
    _read_row,
    lambda row: "none" if row is None else str(row),
)
CELL = plain(
    "cell",
    None,
    "Dot product",
    "The cell row:column, from 0, whose dot product is written out.",
    _read_place,
    lambda place: "" if place is None else f"{place[0]}:{place[1]}",
)
EDIT = choice(
    "edit",
    EDITS,
    "Edit",
    "Which large matrix is open for editing.",
)
STAGE = choice(
    "stage",
    STAGES,
    "Stage",
    "Which stage of a large head is drawn.",
)
PANEL = choice("panel", PANELS, "Look at", "The part of the page below the stages.")
ORIENT = choice("orient", ORIENTS, "Orientation", "How the stages are drawn; no number changes.")
STEP = step_field(
    len(STEPS), "How many stages are shown; the chosen query's arithmetic comes with its weights."
)
PIN = plain(
    "pin", "", "Pinned state A", "A state, packed, that this one is compared with.", _read_pin
)

_MATRICES = {"q": Q, "k": K, "v": V}
_ALONE = (
    *(MASK, ALIGN, WINDOW, PREFIX, PADDING, BLOCK, EMPTY, SCALE),
    *(PANEL, ORIENT, VIEW, STEP, PIN, EDIT, STAGE),
)


@dataclass(frozen=True)
class AttentionState:
    """One state of the attention page; a state that exists is valid.

    Attributes
    ----------
    q, k, v : tuple of tuple of Cell
        Shapes (n_q, d_k), (n_k, d_k), (n_k, d_v), as typed.
    tokens, keys : tuple of str
        Labels of queries and keys, or empty for the default ones.
    mask : tuple of str
        Names of the masks that are on.
    align, window, prefix, padding, block
        Their options, as in `attnviz.MASKS`.
    hide, show : tuple of (int, int)
        Cells (query, key) that are hidden, or shown, whatever the masks say.
    empty : str
        A name of `POLICIES`.
    scale : str
        ``on``, ``off`` or a number.
    temperature : Temperature
    row : int or None
        The chosen query.
    cell : (int, int) or None
        The chosen dot product.
    panel, orient, view : str
    step : int
        How far it is stepped through, from 1 to the number of `STEPS`.
    pin : str
        The state A of the comparison, packed, or empty.
    edit, stage : str
        Which large matrix is open, and which stage of a large head is drawn.
    preset : str
        The preset it started from, or empty.
    """

    q: Matrix = declared(Q)
    k: Matrix = declared(K)
    v: Matrix = declared(V)
    tokens: tuple[str, ...] = declared(TOKENS)
    keys: tuple[str, ...] = declared(KEYS)
    mask: tuple[str, ...] = declared(MASK)
    align: str = declared(ALIGN)
    window: int = declared(WINDOW)
    prefix: int = declared(PREFIX)
    padding: int = declared(PADDING)
    block: int = declared(BLOCK)
    hide: tuple[Pair, ...] = declared(HIDE)
    show: tuple[Pair, ...] = declared(SHOW)
    empty: str = declared(EMPTY)
    scale: str = declared(SCALE)
    temperature: Temperature = declared(TEMPERATURE)
    row: int | None = declared(ROW)
    cell: Pair | None = declared(CELL)
    panel: str = declared(PANEL)
    orient: str = declared(ORIENT)
    view: str = declared(VIEW)
    step: int = declared(STEP)
    pin: str = declared(PIN)
    edit: str = declared(EDIT)
    stage: str = declared(STAGE)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what no single field can know, and what code could give that no link can."""
        for name in _MATRICES:
            _check_matrix(name, getattr(self, name))
        wrong = shape_error(self.q, self.k, self.v)
        if wrong:
            others = {"k": ("k", "q"), "v": ("v", "k")}[wrong[0]]
            raise FieldError(self._misfit(wrong[0]), wrong[1], others)
        for name, count in (("tokens", self.n_q), ("keys", self.n_k)):
            labels = getattr(self, name)
            if labels and len(labels) != count:
                given = "1 label" if len(labels) == 1 else f"{len(labels)} labels"
                raise FieldError(name, f"{given} for {count}")
            if any(len(label) > MAX_LABEL for label in labels):
                raise FieldError(name, f"a label is longer than {MAX_LABEL} characters")
        for declaration in _ALONE:
            _check_alone(declaration, getattr(self, declaration.name))
        for name in ("hide", "show"):
            pairs = getattr(self, name)
            if pairs != tuple(sorted(set(pairs))):
                raise FieldError(name, "pairs must be increasing")
            for pair in pairs:
                if not self._has(pair):
                    raise FieldError(name, f"there is no cell {pair[0]}:{pair[1]}")
        for name in ("prefix", "padding"):
            if getattr(self, name) > self.n_k:
                raise FieldError(name, f"it is at most the number of keys, {self.n_k}")
        if self.row is not None and not 0 <= self.row < self.n_q:
            raise FieldError("row", f"there is no query {self.row}; the last one is {self.n_q - 1}")
        if self.cell is not None and not self._has(self.cell):
            raise FieldError("cell", f"there is no cell {self.cell[0]}:{self.cell[1]}")

    def _has(self, pair: Pair) -> bool:
        return 0 <= pair[0] < self.n_q and 0 <= pair[1] < self.n_k

    def _misfit(self, name: str) -> str:
        """Return which of two matrices that don't fit is to blame: not one left at its default."""
        other = {"k": "q", "v": "k"}[name]
        return other if getattr(self, name) == _MATRICES[name].default else name

    @property
    def n_q(self) -> int:
        """Number of queries."""
        return len(self.q)

    @property
    def n_k(self) -> int:
        """Number of keys."""
        return len(self.k)

    @property
    def d_k(self) -> int:
        """Width of queries and keys."""
        return len(self.k[0])

    @property
    def d_v(self) -> int:
        """Width of values."""
        return len(self.v[0])

    @property
    def query_labels(self) -> tuple[str, ...]:
        """The labels of the queries, or q1, q2, … where none were given."""
        return self.tokens or tuple(f"q{i + 1}" for i in range(self.n_q))

    @property
    def key_labels(self) -> tuple[str, ...]:
        """The labels of the keys: their own, those of the queries, or k1, k2, …."""
        if self.keys:
            return self.keys
        if self.tokens and self.n_q == self.n_k:
            return self.tokens
        return tuple(f"k{j + 1}" for j in range(self.n_k))

    def differs(self, other: AttentionState) -> bool:
        """Tell whether another state has other numbers: matrices, masks, scale or temperature.

        Parameters
        ----------
        other : AttentionState

        Returns
        -------
        bool
        """
        names = "q k v mask align window prefix padding block hide show scale temperature"
        return any(getattr(self, name) != getattr(other, name) for name in names.split())

    @property
    def unpinned(self) -> AttentionState:
        """The same state without the state A that it is compared with."""
        return replace(self, pin="", panel="compare")

    @property
    def is_easy(self) -> bool:
        """True when all three matrices are small enough to stand open on the page."""
        return max(self.n_q, self.n_k, self.d_k, self.d_v) <= EASY

    @property
    def is_large(self) -> bool:
        """True when the stages are drawn one at a time."""
        return max(self.n_q, self.n_k) > SMALL

    @property
    def is_whole(self) -> bool:
        """True when no step is left: everything is shown."""
        return self.step == len(STEPS)

    def reached(self, name: str) -> bool:
        """Tell whether a step is shown.

        Parameters
        ----------
        name : str
            One of `STEPS`.

        Returns
        -------
        bool
        """
        return self.step > STEPS.index(name)

    @property
    def drawn(self) -> tuple[str, ...]:
        """The stages that are drawn: of a small head all up to the step, of a large one one."""
        stages = PIPELINE if self.is_whole else PIPELINE[: self.step - 1]
        if self.is_large:
            return (self.stage,) if self.is_whole else stages[-1:]
        return stages

    @property
    def scale_value(self) -> float | None:
        """The factor of the scores: None for 1/√d_k."""
        if self.scale == "on":
            return None
        return 1.0 if self.scale == "off" else read_number(self.scale).value

    @property
    def masks(self) -> dict[str, dict[str, Any]]:
        """The masks that are on, with their options."""
        return {name: self.options(name) for name in self.mask}

    def options(self, mask: str) -> dict[str, Any]:
        """Return the options of a mask, for `attnviz.MASKS`.

        Parameters
        ----------
        mask : str

        Returns
        -------
        dict
        """
        known: Mapping[str, Any] = {
            "align": self.align,
            "window": self.window,
            "prefix": self.prefix,
            "padding": self.padding,
            "block": self.block,
        }
        return {name: known[name] for name in MASKS[mask].options if name in known}

    def with_matrices(self, q: Matrix, k: Matrix, v: Matrix, **changes: Any) -> AttentionState:
        """Return the state with other matrices; what no longer fits them goes.

        Parameters
        ----------
        q, k, v : tuple of tuple of Cell
            Of fitting shapes.
        **changes
            Other attributes to replace.

        Returns
        -------
        AttentionState

        Raises
        ------
        FieldError
            When the shapes don't fit.
        """
        n_q, n_k = len(q), len(k)

        def labels(old: tuple[str, ...], n: int, letter: str) -> tuple[str, ...]:
            fresh = tuple(f"{letter}{i + 1}" for i in range(len(old), n))
            return (old + fresh)[:n] if old else ()

        def inside(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
            return tuple(p for p in pairs if p[0] < n_q and p[1] < n_k)

        fitted: dict[str, Any] = {
            "tokens": labels(self.tokens, n_q, "q"),
            "keys": labels(self.keys, n_k, "k"),
            "hide": inside(self.hide),
            "show": inside(self.show),
            "prefix": min(self.prefix, n_k),
            "padding": min(self.padding, n_k),
            "row": None if self.row is None else min(self.row, n_q - 1),
            "cell": self.cell if self.cell and inside((self.cell,)) else None,
        }
        return replace(self, q=q, k=k, v=v, **(fitted | changes))


def _check_matrix(name: str, cells: Matrix) -> None:
    """Refuse what is no matrix within the limits, and −∞ in it."""
    widths = {len(row) for row in cells}
    if not 0 < len(cells) <= MAX_TOKENS:
        raise FieldError(name, f"{name.upper()} has 1 to {MAX_TOKENS} rows; got {len(cells)}")
    if len(widths) > 1 or not 0 < min(widths) <= MAX_WIDTH:
        raise FieldError(name, f"every row of {name.upper()} has the same 1 to {MAX_WIDTH} columns")
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if cell.text == "-inf":
                place = f"row {i + 1}, column {j + 1}"
                raise FieldError(name, f"{name.upper()} holds −∞ in {place}; use the mask")


def _check_alone(declaration: Field, value: Any) -> None:
    """Refuse a value that the field's own link would not give back."""
    name, text = declaration.write(value)
    try:
        read = declaration.reads[name](text)
    except ValueError as error:
        raise FieldError(name, str(error)) from None
    if read != value:
        right = quoted(declaration.write(read)[1])
        raise FieldError(name, f"it must be written as {right}; got {quoted(text)}")


def shape_of(cells: Matrix) -> str:
    """Write a shape, such as ``(2, 3)``.

    Parameters
    ----------
    cells : tuple of tuple of Cell

    Returns
    -------
    str
    """
    return f"({len(cells)}, {len(cells[0])})"


def shape_error(q: Matrix, k: Matrix, v: Matrix) -> tuple[str, str] | None:
    """Say which matrices don't fit each other, or None.

    Parameters
    ----------
    q, k, v : tuple of tuple of Cell

    Returns
    -------
    (str, str) or None
        Name of the field, and a sentence with both shapes.

    Examples
    --------
    >>> shape_error(matrix("1 0"), matrix("1"), matrix("1"))[0]
    'k'
    """
    if len(q[0]) != len(k[0]):
        return "k", (
            f"keys need as many columns as queries, {len(q[0])}: Q is {shape_of(q)},"
            f" K is {shape_of(k)}"
        )
    if len(k) != len(v):
        return "v", (
            f"values need one row for each key, {len(k)}: K is {shape_of(k)}, V is {shape_of(v)}"
        )
    return None


def cell_of(value: float, text: str = "") -> Cell:
    """Make a cell from a number.

    Parameters
    ----------
    value : float
    text : str
        Its spelling, when it has one of its own.

    Returns
    -------
    Cell
    """
    return read_number(text or repr(float(value)))


assert set(POLICIES) == set(EMPTY_POLICIES)
