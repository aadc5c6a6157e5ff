"""What a person can set on the number-format page: scores, a shift, a format, masks, blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from attnviz.state.fields import Field, FieldError, choice, declared, plain
from attnviz.state.keyed import OneRow, read_whole
from attnviz.state.matrix import Matrix, matrix, read_cells, write_cells
from attnviz.state.numbers import Ambiguous, Cell, NotNumbers, read_matrix, read_number
from attnviz.state.softmax import HIDE, LABELS, MAX_KEYS, VIEW

FORMATS = {
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "float64": "float64",
}
PANELS = {
    "steps": "Step by step",
    "masks": "Masks by number",
    "online": "In blocks",
    "variants": "Other ways",
    "export": "Take it away",
}
SHIFT_LOW, SHIFT_HIGH = -800.0, 800.0


def _read_shift(text: str) -> Cell:
    cell = read_number(text)
    if cell.text == "-inf":
        raise ValueError("the shift must be finite")
    return cell


def _read_row(text: str) -> Matrix:
    return read_cells(text, 1, MAX_KEYS)


def _as_typed(text: str) -> Matrix:
    """Read values as people type them, also with decimal commas and in a column.

    Empty where a link's own reading is to count: for what is no list of numbers, and where commas
    may separate as well as mark decimals and no blank tells which.
    """
    try:
        reading = read_matrix(text, max_rows=MAX_KEYS, max_columns=MAX_KEYS)
    except NotNumbers:
        return ()
    if isinstance(reading, Ambiguous):
        ways = [way.cells for _, way in reading.alternatives]
        return next((w for w in ways if w != _commas(text)), ()) if len(text.split()) > 1 else ()
    flat = tuple(cell for row in reading.cells for cell in row)
    is_line = 1 in (len(reading.cells), len(reading.cells[0]))
    return (flat,) if is_line and len(flat) <= MAX_KEYS else ()


def _commas(text: str) -> Matrix:
    """Read a text whose commas separate."""
    try:
        return read_cells(text, 1, MAX_KEYS)
    except ValueError:
        return ()


def _read_values(text: str) -> Matrix:
    if not text:
        return ()
    cells = _as_typed(text) or read_cells(text, 1, MAX_KEYS)
    for place, cell in enumerate(cells[0], 1):
        if cell.text == "-inf":
            raise ValueError(f"value {place} is −inf, and values are finite")
    return cells


SCORES = plain(
    "scores", matrix("2 1 0 -1"), "Scores", "One number for each key.", _read_row, write_cells
)
SHIFT = plain(
    "shift",
    read_number("0"),
    "Added to every score",
    "Moves all scores together: the weights stay, until a format can't hold their exponentials.",
    _read_shift,
    lambda cell: cell.text,
)
FORMAT = choice("format", FORMATS, "Format", "The format whose arithmetic is shown step by step.")
VALUES = Field(
    "values_typed",
    (),
    "Values",
    "One number for each key, mixed in blocks; without them 1, 2, 3, …",
    {"values": _read_values},
    lambda cells: ("values", " ".join(cell.text for row in cells for cell in row)),
)
BLOCK = plain("block", 2, "Block", "How many keys are read at a time.", read_whole(1, MAX_KEYS))
AT = plain("at", 1, "Step", "How many blocks have been read.", read_whole(1, MAX_KEYS))
PANEL = choice("panel", PANELS, "Look at", "The part of the page below the overview.")
_CHECKED: dict[str, Field] = {f.name: f for f in (SHIFT, FORMAT, VALUES, BLOCK, AT, PANEL, VIEW)}


@dataclass(frozen=True)
class NumericsState(OneRow):
    """One state of the number-format page; a state that exists is valid.

    Attributes
    ----------
    scores : tuple of tuple of Cell
        One row.
    labels : tuple of str
    hide : tuple of int
        Masked keys, from 0.
    shift : Cell
        Added to every score.
    format : str
        A name of `FORMATS`.
    values : tuple of tuple of Cell
        One row, or empty for 1, 2, 3, …
    block : int
        Keys read at a time.
    at : int
        Blocks that have been read, from 1.
    panel, view : str
    preset : str
        The preset it started from, or empty.
    """

    scores: Matrix = declared(SCORES)
    labels: tuple[str, ...] = declared(LABELS)
    hide: tuple[int, ...] = declared(HIDE)
    shift: Cell = declared(SHIFT)
    format: str = declared(FORMAT)
    values_typed: Matrix = declared(VALUES)
    block: int = declared(BLOCK)
    at: int = declared(AT)
    panel: str = declared(PANEL)
    view: str = declared(VIEW)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what no single field can know."""
        self.check_row(_CHECKED)
        if self.values_typed and len(self.values_typed[0]) != self.n_keys:
            given = len(self.values_typed[0])
            raise FieldError("values_typed", f"{given} values for {self.n_keys} keys", ("scores",))

    def with_scores(self, scores: Matrix, **changes: Any) -> NumericsState:
        """Return the state with other scores; what no longer fits them goes.

        Parameters
        ----------
        scores : tuple of tuple of Cell
        **changes
            Other attributes to replace.

        Returns
        -------
        NumericsState
        """
        if self.values_typed and len(self.values_typed[0]) != len(scores[0]):
            changes = {"values_typed": ()} | changes
        return super().with_scores(scores, **changes)

    @property
    def masked_scores(self) -> tuple[float, ...]:
        """The scores as typed, −∞ where a key is masked, shape (n_k,)."""
        pairs = zip(self.values, self.allowed, strict=True)
        return tuple(value if seen else float("-inf") for value, seen in pairs)

    @property
    def finite_scores(self) -> tuple[float, ...]:
        """The scores as typed, 0 in place of −∞, shape (n_k,)."""
        return tuple(0.0 if value == float("-inf") else value for value in self.values)

    @property
    def mixed(self) -> tuple[tuple[float], ...]:
        """The values that are mixed in blocks, shape (n_k, 1)."""
        if self.values_typed:
            return tuple((cell.value,) for cell in self.values_typed[0])
        return tuple((float(at + 1),) for at in range(self.n_keys))

    @property
    def blocks(self) -> int:
        """How many blocks there are to read."""
        return -(-self.n_keys // self.block)

    @property
    def read(self) -> int:
        """How many of them have been read."""
        return min(self.at, self.blocks)

    @property
    def before(self) -> int:
        """One block less."""
        return max(self.read - 1, 1)

    @property
    def after(self) -> int:
        """One block more."""
        return min(self.read + 1, self.blocks)

    @property
    def all_keys(self) -> tuple[int, ...]:
        """The positions of all keys."""
        return tuple(range(self.n_keys))
