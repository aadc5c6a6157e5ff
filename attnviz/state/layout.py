"""What every way of writing a matrix down comes to: rows of cell texts, perhaps with labels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """A text split into rows and cells, before any cell is read as a number.

    Attributes
    ----------
    rows : list of list of str
        Cell texts. Rows may still differ in length, and a cell may be blank.
    column_labels, row_labels : tuple of str or None
        What a header line or a column of labels held.
    keeps_rows : bool
        True where rows were marked as rows (brackets, ``~``), so that a single column stays one.
    meaning : str
        How the text was understood, in words; empty where there is no other way.
    likely : bool
        Whether this way is believed when the other way leads to no matrix.
    """

    rows: list[list[str]]
    column_labels: tuple[str, ...] | None = None
    row_labels: tuple[str, ...] | None = None
    keeps_rows: bool = False
    meaning: str = ""
    likely: bool = True
