"""What pages with one row of scores have in common: a score, a label and a mask for each key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from attnviz.state.fields import Field, FieldError
from attnviz.state.labels import MAX_LABEL
from attnviz.state.matrix import Matrix
from attnviz.state.softmax import MAX_KEYS


class OneRow:
    """One row of scores with labels and masked keys; for dataclasses that declare these three.

    Attributes
    ----------
    scores : tuple of tuple of Cell
        One row.
    labels : tuple of str
        One for each key, or empty.
    hide : tuple of int
        Masked keys, increasing.
    """

    scores: Matrix
    labels: tuple[str, ...]
    hide: tuple[int, ...]
    row = 0
    max_queries = 1

    def check_row(self, declared: Mapping[str, Field]) -> None:
        """Check the row, and that every other field holds what its reader reads.

        Parameters
        ----------
        declared : mapping of str to Field
            The declarations of the fields to check, by attribute.

        Raises
        ------
        FieldError
        """
        if len(self.scores) != 1:
            raise FieldError("scores", f"one row of numbers; got {len(self.scores)}")
        n = self.n_keys
        if not 0 < n <= MAX_KEYS:
            raise FieldError("scores", f"1 to {MAX_KEYS} keys; got {n}")
        if self.labels and len(self.labels) != n:
            given = "1 label" if len(self.labels) == 1 else f"{len(self.labels)} labels"
            raise FieldError("labels", f"{given} for {n} keys")
        if any(len(label) > MAX_LABEL for label in self.labels):
            raise FieldError("labels", f"a label is longer than {MAX_LABEL} characters")
        if self.hide != tuple(sorted(set(self.hide))):
            raise FieldError("hide", "positions must be increasing")
        if self.hide and not 0 <= self.hide[0] <= self.hide[-1] < n:
            raise FieldError("hide", f"there is no key {self.hide[-1]}; the last one is {n - 1}")
        for name, field in declared.items():
            link_name, text = field.write(getattr(self, name))
            try:
                field.reads[link_name](text)
            except ValueError as error:
                raise FieldError(name, str(error)) from None

    @property
    def n_keys(self) -> int:
        """Number of keys."""
        return len(self.scores[0])

    @property
    def n_queries(self) -> int:
        """Always 1."""
        return 1

    @property
    def key_labels(self) -> tuple[str, ...]:
        """The labels, or k1, k2, … where none were given."""
        return self.labels or tuple(f"k{i + 1}" for i in range(self.n_keys))

    @property
    def values(self) -> tuple[float, ...]:
        """The scores as numbers, shape (n_k,)."""
        return tuple(cell.value for cell in self.scores[0])

    @property
    def allowed(self) -> tuple[bool, ...]:
        """True where a key is not masked, shape (n_k,)."""
        return tuple(
            position not in self.hide and cell.text != "-inf"
            for position, cell in enumerate(self.scores[0])
        )

    def with_scores(self, scores: Matrix, **changes: Any) -> Self:
        """Return the state with other scores; what no longer fits them goes.

        Parameters
        ----------
        scores : tuple of tuple of Cell
        **changes
            Other attributes to replace.

        Returns
        -------
        state
        """
        n, before = len(scores[0]), self.labels
        fresh = tuple(f"k{i + 1}" for i in range(len(before), n))
        fitted: dict[str, Any] = {
            "labels": (before + fresh)[:n] if before else (),
            "hide": tuple(p for p in self.hide if p < n),
        }
        return replace(self, scores=scores, **(fitted | changes))  # type: ignore[type-var]


def read_whole(low: int, high: int, words: Mapping[str, int] | None = None) -> Any:
    """Make a reader of a whole number within limits.

    Parameters
    ----------
    low, high : int
    words : mapping of str to int, optional
        Words that stand for a number, such as ``off``.

    Returns
    -------
    callable
        Text to int; raises ``ValueError`` with a sentence.

    Examples
    --------
    >>> read_whole(1, 9)("3"), read_whole(1, 9, {"off": 0})("off")
    (3, 0)
    """

    def read(text: str) -> int:
        plain = text.strip().replace("\u202f", "").replace(" ", "")
        if words and plain.lower() in words:
            return words[plain.lower()]
        if not (plain.isascii() and plain.isdigit() and low <= int(plain[:9]) <= high):
            also = f", or {' or '.join(words)}" if words else ""
            raise ValueError(f"it is a whole number from {low} to {high}{also}; got {text[:40]!r}")
        return int(plain)

    return read
