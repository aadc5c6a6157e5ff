"""Functions for a person to write: for each the task as a template, and a solution.

They are text files, so that nothing here can import or run them. ``python -m attnviz.check`` checks
what a person made of a template, on the person's own machine.
"""

from functools import cache
from pathlib import Path

#: The functions, in the order of a menu.
NAMES: tuple[str, ...] = ("softmax", "naive_softmax", "rows_normalised", "entropy", "attention")

_FOLDER = Path(__file__).parent


@cache
def start(name: str) -> str:
    """Return the template of a function: the task in a docstring, and an empty body.

    Parameters
    ----------
    name : str
        A name of `NAMES`.

    Returns
    -------
    str
        Python text.

    Raises
    ------
    KeyError
        When there is no such function.

    Examples
    --------
    >>> "def entropy(w):" in start("entropy")
    True
    """
    return _text(name, "start")


@cache
def solution(name: str) -> str:
    """Return a short function that passes every case.

    Parameters
    ----------
    name : str
        A name of `NAMES`.

    Returns
    -------
    str
        Python text.

    Raises
    ------
    KeyError
        When there is no such function.
    """
    return _text(name, "solution")


def _text(name: str, part: str) -> str:
    if name not in NAMES:
        raise KeyError(name)
    return (_FOLDER / f"{name}_{part}.txt").read_text(encoding="utf-8")
