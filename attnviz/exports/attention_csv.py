"""The tables of the attention page as CSV, and back."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attnviz.core.attention import AttentionSteps
from attnviz.core.checks import Array
from attnviz.exports.escape import checked_labels, from_cell, to_cell

_NUMBERS = ("score", "scaled", "weight")
COLUMNS = ("query", "key", *_NUMBERS, "masked")


@dataclass(frozen=True)
class AttentionTable:
    """The lines of a table as `read_table_csv` found them: one entry a line in every field.

    ``masked`` is True where the key was hidden; the other names are those of the columns.
    """

    query: tuple[str, ...]
    key: tuple[str, ...]
    score: tuple[float, ...]
    scaled: tuple[float, ...]
    weight: tuple[float, ...]
    masked: tuple[bool, ...]


def table_csv(steps: AttentionSteps, tokens: Sequence[str], keys: Sequence[str]) -> str:
    r"""Return scores and weights of every query and key as CSV, one line a pair.

    Parameters
    ----------
    steps : AttentionSteps
        Of one head: matrices.
    tokens, keys : sequence of str
        A label for each query, and one for each key. A label that a spreadsheet might run as a
        formula gets a leading apostrophe, and so does one that starts with an apostrophe;
        `read_table_csv` takes it off.

    Returns
    -------
    str
        A header and n_q × n_k lines. Numbers have all their digits, so that they are read back
        exactly; score and scaled are those before the mask, also where it hides the key. "masked"
        is yes there, so an underflowed 0 can be told from a masked one. A query without an allowed
        key has the weights that `attention` was told to give it, ``nan`` for NaN.

    Raises
    ------
    ValueError
        If there isn't one label a query and one a key, if a label holds NUL, or if steps has
        leading axes.

    Examples
    --------
    >>> from attnviz import attention
    >>> steps = attention([[1.0]], [[2.0], [3.0]], [[0.0], [0.0]], allowed=[[True, False]])
    >>> print(table_csv(steps, ["=q"], ["a", "b"]).replace("\r", ""))
    query,key,score,scaled,weight,masked
    '=q,a,2.0,2.0,1.0,no
    '=q,b,3.0,3.0,0.0,yes
    <BLANKLINE>
    """
    n_q, n_k = _matrix(steps.scores).shape
    names = [to_cell(name) for name in checked_labels(tokens, n_q, "tokens")]
    columns = [to_cell(name) for name in checked_labels(keys, n_k, "keys")]
    numbers = [array.tolist() for array in (steps.scores, steps.scaled, steps.weights)]
    allowed = steps.allowed.tolist()
    return _written(
        COLUMNS,
        (
            [name, key, *(array[i][j] for array in numbers), "no" if allowed[i][j] else "yes"]
            for i, name in enumerate(names)
            for j, key in enumerate(columns)
        ),
    )


def output_csv(steps: AttentionSteps, tokens: Sequence[str]) -> str:
    r"""Return the output as CSV, one line a query.

    Parameters
    ----------
    steps : AttentionSteps
        Of one head: matrices.
    tokens : sequence of str
        A label for each query, written as in `table_csv`.

    Returns
    -------
    str
        A header, and n_q lines with the label and d_v numbers with all their digits.

    Raises
    ------
    ValueError
        As in `table_csv`.

    Examples
    --------
    >>> from attnviz import attention
    >>> steps = attention([[1.0]], [[2.0]], [[0.5, -3.0]])
    >>> print(output_csv(steps, ["the"]).replace("\r", ""))
    query,output 1,output 2
    the,0.5,-3.0
    <BLANKLINE>
    """
    n_q, d_v = _matrix(steps.output).shape
    names = [to_cell(name) for name in checked_labels(tokens, n_q, "tokens")]
    header = ["query", *(f"output {j}" for j in range(1, d_v + 1))]
    rows = zip(names, steps.output.tolist(), strict=True)
    return _written(header, ([name, *row] for name, row in rows))


def read_table_csv(text: str) -> AttentionTable:
    """Read what `table_csv` wrote: labels and numbers come back exactly.

    Parameters
    ----------
    text : str
        The CSV, with or without a byte order mark.

    Returns
    -------
    AttentionTable

    Raises
    ------
    ValueError
        If the header isn't the table's, or a line can't be read; the text names the line.

    Examples
    --------
    >>> from attnviz import attention
    >>> steps = attention([[1.0]], [[2.0]], [[0.5]])
    >>> read_table_csv(table_csv(steps, ["=q"], ["k"])).query
    ('=q',)
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header, *lines = list(reader) or [[]]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} isn't CSV: {error}") from None
    if tuple(header) != COLUMNS:
        raise ValueError(f"the header must be {','.join(COLUMNS)}; got {','.join(header)}")
    columns = list(zip(*(_read_line(at, line) for at, line in enumerate(lines, 1)), strict=True))
    return AttentionTable(*(columns or [()] * len(COLUMNS)))


def _read_line(at: int, line: list[str]) -> tuple:
    """Read one line below the header; ``at`` counts from 1."""
    if len(line) != len(COLUMNS):
        raise ValueError(f"row {at} must have {len(COLUMNS)} entries; got {len(line)}")
    query, key, *texts, masked = line
    numbers = []
    for name, text in zip(_NUMBERS, texts, strict=True):
        try:
            numbers.append(float(text))
        except ValueError:
            raise ValueError(f"row {at}, {name}: {text!r} isn't a number") from None
    if masked not in ("yes", "no"):
        raise ValueError(f"row {at}, masked: must be yes or no; got {masked!r}")
    return from_cell(query), from_cell(key), *numbers, masked == "yes"


def _written(header: Sequence[str], rows: Iterable[list]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _matrix(array: Array) -> Array:
    """Refuse leading axes."""
    if array.ndim != 2:
        raise ValueError(f"steps must be of one head; got shape {array.shape}")
    return array
