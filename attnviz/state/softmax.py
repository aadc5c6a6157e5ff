"""What a person can set on the softmax page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from attnviz.state.fields import Field, FieldError, choice, declared, plain, quoted
from attnviz.state.labels import MAX_LABEL
from attnviz.state.links import read_list, read_positions, write_list, write_positions
from attnviz.state.matrix import Matrix, matrix, read_cells, write_cells
from attnviz.state.numbers import Cell, read_number
from attnviz.state.temperature import TEMPERATURE, Temperature, read_temperature

MAX_KEYS = 64
MAX_QUERIES = 64

PANELS = {
    "curves": "Against β",
    "entropy": "Entropy",
    "pair": "Two keys",
    "moves": "Add or multiply",
    "naive": "Naive beside stable",
    "rows": "All queries",
    "export": "Take it away",
}
VIEWS = {"page": "Page", "lecture": "Lecture"}
STEPS = ("scores", "scaled", "− max", "exp", "weights")
COLUMNS = {
    "score": "score",
    "scaled": "scaled",
    "shifted": "− max",
    "exp": "exp",
    "weight": "weight",
}


def _read_compare(text: str) -> str:
    if text.strip().lower() == "off":
        return "off"
    temperature = read_temperature("T", text)
    if temperature.text == "inf":
        raise ValueError("the reference needs a finite temperature, or off")
    return temperature.text


def _read_labels(text: str) -> tuple[str, ...]:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return read_list(whole)


def _counted(labels: int) -> str:
    return "1 label" if labels == 1 else f"{labels} labels"


def _read_row(text: str) -> int:
    positions = read_positions(text)
    if len(positions) != 1:
        raise ValueError(f"it is one position, counted from 0; got {quoted(text)}")
    return positions[0]


def step_field(count: int, help: str) -> Field:
    """Declare how far a page is stepped through; without it everything is shown.

    Parameters
    ----------
    count : int
        Number of steps.
    help : str

    Returns
    -------
    Field
    """

    def read(text: str) -> int:
        digits = text.strip()
        if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:3]) <= count):
            raise ValueError(f"it is a whole number from 1 to {count}; got {quoted(text)}")
        return int(digits)

    return plain("step", count, "Step", help, read)


def _read_pick(text: str) -> str:
    column, _, position = text.partition(":")
    known = column in COLUMNS and position.isascii() and position.isdigit() and len(position) <= 3
    if text and not known:
        raise ValueError(f"it is a column and a position such as weight:0; got {quoted(text)}")
    return text


def _read_pair(text: str) -> tuple[int, ...]:
    positions = tuple(position for part in read_list(text) for position in read_positions(part))
    if positions and len(positions) != 2:
        raise ValueError(f"it is two positions such as 0_1; got {quoted(text)}")
    return positions


def _read_constant(text: str) -> Cell:
    cell = read_number(text)
    if cell.text == "-inf":
        raise ValueError("the constant must be finite")
    return cell


SCORES = plain(
    "scores",
    matrix("2 1 0"),
    "Scores",
    "One number for each key; several rows are several queries. −inf masks a key.",
    lambda text: read_cells(text, MAX_QUERIES, MAX_KEYS),
    write_cells,
)
LABELS = plain(
    "labels", (), "Labels", "A word for each key; without them k1, k2, …", _read_labels, write_list
)
HIDE = plain(
    "hide",
    (),
    "Masked keys",
    "Positions, counted from 0, of the keys that no query may attend to.",
    read_positions,
    write_positions,
)
COMPARE = plain(
    "compare",
    "1",
    "Reference at T",
    "The weights at this T, drawn faintly behind the bars; or off.",
    _read_compare,
)
ROW = plain("row", 0, "Query", "The query that is shown step by step, from 0.", _read_row)
PANEL = choice("panel", PANELS, "Look at", "The part of the page below the table.")
PICK = plain("pick", "", "Explained number", "A column and a key, from 0: weight:2.", _read_pick)
VIEW = choice("view", VIEWS, "View", "A lecture view has larger type and fewer things.")
STEP = step_field(
    len(STEPS), "How many columns of the arithmetic are shown; the bars come with the last one."
)
ADD = plain(
    "add",
    read_number("100"),
    "Add to every score",
    "The same constant on every score: the weights stay.",
    _read_constant,
    lambda cell: cell.text,
)
TIMES = plain(
    "times",
    read_number("2"),
    "Multiply every score by",
    "The same factor on every score: the weights change.",
    _read_constant,
    lambda cell: cell.text,
)
PAIR = plain(
    "pair",
    (),
    "Two keys",
    "The two keys, from 0, whose weights are compared.",
    _read_pair,
    write_positions,
)


@dataclass(frozen=True)
class SoftmaxState:
    """One state of the softmax page; a state that exists is valid.

    Attributes
    ----------
    scores : tuple of tuple of Cell
        One row for each query, one cell for each key, as typed.
    labels : tuple of str
        A label for each key, or empty for the default ones.
    temperature : Temperature
    hide : tuple of int
        Positions of masked keys, increasing.
    compare : str
        Temperature of the faint reference, or ``"off"``.
    row : int
        The query that is shown step by step.
    panel : str
        A name of `PANELS`.
    pick : str
        The number that is explained: ``"column:position"``, or empty.
    add, times : Cell
        The constants of the panel "Add or multiply".
    pair : tuple of int
        Two positions, or empty for the first two keys.
    view : str
        A name of `VIEWS`.
    step : int
        How many columns of the arithmetic are shown, from 1 to the number of `STEPS`.
    preset : str
        The preset it started from, or empty.
    """

    scores: Matrix = declared(SCORES)
    labels: tuple[str, ...] = declared(LABELS)
    temperature: Temperature = declared(TEMPERATURE)
    hide: tuple[int, ...] = declared(HIDE)
    compare: str = declared(COMPARE)
    row: int = declared(ROW)
    panel: str = declared(PANEL)
    pick: str = declared(PICK)
    add: Cell = declared(ADD)
    times: Cell = declared(TIMES)
    pair: tuple[int, ...] = declared(PAIR)
    view: str = declared(VIEW)
    step: int = declared(STEP)
    preset: str = field(default="")

    def __post_init__(self) -> None:
        """Check what no single field can know, and what code could give that no link can."""
        if not self.scores or len(self.scores) > MAX_QUERIES:
            raise FieldError("scores", f"1 to {MAX_QUERIES} queries; got {len(self.scores)}")
        n = self.n_keys
        if not 0 < n <= MAX_KEYS or any(len(row) != n for row in self.scores):
            raise FieldError("scores", f"every query must have the same 1 to {MAX_KEYS} keys")
        if self.labels and len(self.labels) != n:
            raise FieldError("labels", f"{_counted(len(self.labels))} for {n} keys")
        for label in self.labels:
            if len(label) > MAX_LABEL:
                raise FieldError("labels", f"a label is longer than {MAX_LABEL} characters")
        if self.hide != tuple(sorted(set(self.hide))):
            raise FieldError("hide", "positions must be increasing")
        if self.hide and not 0 <= self.hide[0] <= self.hide[-1] < n:
            raise FieldError("hide", f"there is no key {self.hide[-1]}; the last one is {n - 1}")
        if not 0 <= self.row < len(self.scores):
            last = len(self.scores) - 1
            raise FieldError("row", f"there is no query {self.row}; the last one is {last}")
        for declaration in (PANEL, PICK, COMPARE, VIEW, STEP):
            name = declaration.name
            try:
                declaration.reads[name](str(getattr(self, name)))
            except ValueError as error:
                raise FieldError(name, str(error)) from None
        if self.pick and int(self.pick.partition(":")[2]) >= n:
            raise FieldError("pick", f"there is no key in {self.pick}; the last one is {n - 1}")
        if self.pair and len(self.pair) != 2:
            raise FieldError("pair", f"it is two positions; got {len(self.pair)}")
        if any(not 0 <= position < n for position in self.pair):
            raise FieldError("pair", f"it names a key that is not there; the last one is {n - 1}")
        for name, cell in (("add", self.add), ("times", self.times)):
            if cell.text == "-inf":
                raise FieldError(name, "the constant must be finite")

    @property
    def max_queries(self) -> int:
        """Most queries that the page takes."""
        return MAX_QUERIES

    @property
    def n_keys(self) -> int:
        """Number of keys."""
        return len(self.scores[0])

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.scores)

    @property
    def key_labels(self) -> tuple[str, ...]:
        """The labels, or k1, k2, … where none were given."""
        return self.labels or tuple(f"k{i + 1}" for i in range(self.n_keys))

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """The scores as numbers, shape (n_q, n_k)."""
        return tuple(tuple(cell.value for cell in row) for row in self.scores)

    @property
    def allowed(self) -> tuple[bool, ...]:
        """True where a key may be attended to, shape (n_k,)."""
        return tuple(position not in self.hide for position in range(self.n_keys))

    @property
    def hidden(self) -> tuple[bool, ...]:
        """True where a key is masked for every query, shape (n_k,)."""
        return tuple(position in self.hide for position in range(self.n_keys))

    @property
    def needs_no_reference(self) -> bool:
        """True when no faint reference is wanted, or it would be the temperature itself."""
        if self.compare == "off":
            return True
        return read_temperature("T", self.compare).beta == self.temperature.beta

    @property
    def keys_compared(self) -> tuple[int, int]:
        """The two keys whose weights are compared."""
        return (self.pair[0], self.pair[1]) if self.pair else (0, min(1, self.n_keys - 1))

    def with_scores(self, scores: Matrix, **changes: Any) -> SoftmaxState:
        """Return the state with other scores; what no longer fits them goes.

        Parameters
        ----------
        scores : tuple of tuple of Cell
        **changes
            Other attributes to replace.

        Returns
        -------
        SoftmaxState
            Labels of keys that stay are kept; new keys get their default label.
        """
        n, before = len(scores[0]), self.labels
        fresh = tuple(f"k{i + 1}" for i in range(len(before), n))
        fitted: dict[str, Any] = {
            "labels": (before + fresh)[:n] if before else (),
            "hide": tuple(p for p in self.hide if p < n),
            "row": min(self.row, len(scores) - 1),
            "pick": self.pick if self.pick and int(self.pick.partition(":")[2]) < n else "",
            "pair": self.pair if all(p < n for p in self.pair) else (),
        }
        return replace(self, scores=scores, **(fitted | changes))
