"""Declare a field once: its link names, default, label, help and how text becomes a value.

The widget, the check, the link, the error words and the documentation all read this one
declaration. A state is a frozen dataclass whose attributes are made with `declared`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class FieldError(ValueError):
    """A value that breaks a rule of one field.

    Parameters
    ----------
    name : str
        Attribute of the state that the sentence is about.
    sentence : str
        What came, what was expected and where, in one sentence.
    others : sequence of str
        Attributes that it doesn't fit with; a link loses whichever of them it gave.
    """

    def __init__(self, name: str, sentence: str, others: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.name = name
        self.sentence = sentence
        self.others = tuple(others)


@dataclass(frozen=True)
class Field:
    """One thing a person can set.

    Attributes
    ----------
    name : str
        Attribute of the state.
    default : Any
        Value of a page that was opened without a link.
    label : str
        Word beside the widget.
    help : str
        One or two sentences for the tooltip and the documentation.
    reads : mapping of str to callable
        Link name to the function that reads its text. Most fields have one link name; the
        temperature has two, ``T`` and ``beta``. A reader raises ``ValueError`` with a sentence.
    write : callable
        Value to the pair (link name, text). Whatever it writes, its reader reads back equal.
    """

    name: str
    default: Any
    label: str
    help: str
    reads: Mapping[str, Callable[[str], Any]]
    write: Callable[[Any], tuple[str, str]]


def plain(
    name: str,
    default: Any,
    label: str,
    help: str,
    read: Callable[[str], Any],
    write: Callable[[Any], str] = str,
) -> Field:
    """Make a field whose link name is its own name.

    Parameters
    ----------
    name, default, label, help
        As in `Field`.
    read : callable
        Text to value; raises ``ValueError`` with a sentence.
    write : callable
        Value to text.

    Returns
    -------
    Field
    """
    return Field(name, default, label, help, {name: read}, lambda value: (name, write(value)))


def choice(name: str, options: Mapping[str, str], label: str, help: str) -> Field:
    """Make a field that is one of several words; the first is the default.

    Parameters
    ----------
    name, label, help
        As in `Field`.
    options : mapping of str to str
        Link word to the words on the screen.

    Returns
    -------
    Field
    """

    def read(text: str) -> str:
        word = text.strip()
        if word not in options:
            raise ValueError(f"it must be one of {', '.join(options)}; got {quoted(text)}")
        return word

    return plain(name, next(iter(options)), label, help, read)


def declared(field: Field) -> Any:
    """Return the dataclass field that carries this declaration.

    Parameters
    ----------
    field : Field

    Returns
    -------
    dataclasses.Field
        Typed as Any so that an attribute keeps its own annotation.
    """
    return dataclasses.field(default=field.default, metadata={"field": field})


def fields_of(state: Any) -> tuple[Field, ...]:
    """Return the declarations of a state class or of a state, in order.

    Parameters
    ----------
    state : dataclass or type

    Returns
    -------
    tuple of Field
    """
    return tuple(f.metadata["field"] for f in dataclasses.fields(state) if "field" in f.metadata)


def quoted(text: str, limit: int = 40) -> str:
    """Return the text in quotes, cut to a readable length.

    Parameters
    ----------
    text : str
    limit : int
        Longest quotation, in characters.

    Returns
    -------
    str

    Examples
    --------
    >>> quoted("x" * 50, 5)
    "'xxxx…'"
    """
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
