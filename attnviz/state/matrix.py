"""A matrix as it was typed: rows of cells, and its one form in a link."""

from __future__ import annotations

from attnviz.state.numbers import Ambiguous, Cell, read_matrix, read_number

Matrix = tuple[tuple[Cell, ...], ...]


def matrix(*rows: str) -> Matrix:
    """Make a matrix from one text a row, its numbers between blanks.

    Parameters
    ----------
    *rows : str

    Returns
    -------
    tuple of tuple of Cell

    Examples
    --------
    >>> [cell.text for cell in matrix("2 1/3")[0]]
    ['2', '1/3']
    """
    return tuple(tuple(read_number(text) for text in row.split()) for row in rows)


def read_cells(text: str, max_rows: int, max_columns: int) -> Matrix:
    """Read a matrix from a link, where ``,`` and ``_`` separate numbers, ``;`` and ``~`` rows.

    Nobody can be asked what is meant there, so a comma is never a decimal comma.

    Parameters
    ----------
    text : str
    max_rows, max_columns : int

    Returns
    -------
    tuple of tuple of Cell

    Raises
    ------
    ValueError
        When the text holds something else.
    """
    reading = read_matrix(text, decimal=".", max_rows=max_rows, max_columns=max_columns)
    if isinstance(reading, Ambiguous):
        ways = " or ".join(say for say, _ in reading.alternatives)
        raise ValueError(f"these numbers can be read in two ways ({ways})")
    return reading.cells


def values_of(cells: Matrix) -> tuple[tuple[float, ...], ...]:
    """Return the numbers of a matrix.

    Parameters
    ----------
    cells : tuple of tuple of Cell

    Returns
    -------
    tuple of tuple of float
    """
    return tuple(tuple(cell.value for cell in row) for row in cells)


def write_cells(cells: Matrix) -> str:
    """Write a matrix as a link does: ``_`` between numbers, ``~`` between rows.

    Parameters
    ----------
    cells : tuple of tuple of Cell

    Returns
    -------
    str

    Examples
    --------
    >>> write_cells(matrix("1 0", "0 1"))
    '1_0~0_1'
    """
    return "~".join("_".join(cell.text for cell in row) for row in cells)
