"""The arithmetic table of the softmax page as CSV, and back."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from attnviz.core.steps import SoftmaxSteps
from attnviz.exports.escape import checked_labels, from_cell, to_cell
from attnviz.exports.shape import as_matrix

_NUMBERS = ("score", "scaled", "shifted", "exp", "weight")
COLUMNS = ("query", "key", *_NUMBERS, "masked")


@dataclass(frozen=True)
class SoftmaxTable:
    """The lines of a table as `read_table_csv` found them: one entry a line in every field.

    ``masked`` is True where the key was hidden; the other names are those of the columns.
    """

    query: tuple[str, ...]
    key: tuple[str, ...]
    score: tuple[float, ...]
    scaled: tuple[float, ...]
    shifted: tuple[float, ...]
    exp: tuple[float, ...]
    weight: tuple[float, ...]
    masked: tuple[bool, ...]


def table_csv(
    labels: Sequence[str], steps: SoftmaxSteps, queries: Sequence[str] | None = None
) -> str:
    r"""Return the arithmetic of every row as CSV, one line a query and key.

    Parameters
    ----------
    labels : sequence of str, length n
        The keys. A label that a spreadsheet might run as a formula gets a leading apostrophe,
        and so does one that starts with an apostrophe; `read_table_csv` takes it off.
    steps : SoftmaxSteps
        Of one row (n,) or of a matrix (n_q, n).
    queries : sequence of str, optional
        Labels of the rows, "query 1", "query 2", … if they aren't given.

    Returns
    -------
    str
        A header and n_q × n lines. Numbers have all their digits, so that they are read back
        exactly; minus infinity is ``-inf``. "masked" is yes
        where a key is hidden, so an underflowed 0 can be told from a masked one. Entries have
        no unit.

    Raises
    ------
    ValueError
        If there isn't one label a key and a query, if a label holds NUL, or if steps has more
        than two axes.

    Examples
    --------
    >>> from attnviz.core.steps import softmax_steps
    >>> print(table_csv(["=a", "b"], softmax_steps([1, float("-inf")])).replace("\r", ""))
    query,key,score,scaled,shifted,exp,weight,masked
    query 1,'=a,1.0,1.0,0.0,1.0,1.0,no
    query 1,b,-inf,-inf,-inf,0.0,0.0,yes
    <BLANKLINE>
    """
    columns = [
        as_matrix(array).tolist()
        for array in (steps.scores, steps.scaled, steps.shifted, steps.exps, steps.weights)
    ]
    allowed = as_matrix(steps.allowed).tolist()
    n_q, n_k = as_matrix(steps.scores).shape
    keys = [to_cell(label) for label in checked_labels(labels, n_k, "labels")]
    names = queries if queries is not None else [f"query {i + 1}" for i in range(n_q)]
    names = [to_cell(name) for name in checked_labels(names, n_q, "queries")]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for i, name in enumerate(names):
        for j, key in enumerate(keys):
            numbers = [column[i][j] for column in columns]
            writer.writerow([name, key, *numbers, "no" if allowed[i][j] else "yes"])
    return out.getvalue()


def read_table_csv(text: str) -> SoftmaxTable:
    """Read what `table_csv` wrote: labels and numbers come back exactly.

    Parameters
    ----------
    text : str
        The CSV, with or without a byte order mark.

    Returns
    -------
    SoftmaxTable

    Raises
    ------
    ValueError
        If the header isn't the table's, or a line can't be read; the text names the line.

    Examples
    --------
    >>> from attnviz.core.steps import softmax_steps
    >>> read_table_csv(table_csv(["=a", "b"], softmax_steps([1, 2]))).key
    ('=a', 'b')
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header, *lines = list(reader) or [[]]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} isn't CSV: {error}") from None
    if tuple(header) != COLUMNS:
        raise ValueError(f"the header must be {','.join(COLUMNS)}; got {','.join(header)}")
    columns = list(zip(*(_read_line(at, line) for at, line in enumerate(lines, 1)), strict=True))
    return SoftmaxTable(*(columns or [()] * len(COLUMNS)))


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
