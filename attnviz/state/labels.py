"""Labels: the words of the label box, how they are written down, and how they are shown."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from itertools import islice

from attnviz.state.cells import NotNumbers, check_size
from attnviz.state.fields import quoted

MAX_LABEL = 200
MAX_LABELS = 512

_STRING = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
_LIST_STARTS = re.compile(r"[\[(]\s*[\"']")
_ITEM = re.compile(rf"\s*+(?:({_STRING})|(-?[0-9][0-9.eE+-]*))\s*+(,|\]|\))", re.S)
_LAST = re.compile(r"\s*+([\])])\Z")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))", re.S)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0"}
_CSV = re.compile(r'[^\S\n]*(?:"((?:[^"]|"")*+)"[^\S\n]*(?=[,\n]|\Z)|([^,\n]*))(,|\n|\Z)')

_MARKS = {"\n": "⏎", "\t": "⇥", "\r": "␍"}
_SPACE, _LONE_SPACE, _EMPTY = "␣", "␠", "∅"
_SIGNS = frozenset([*_MARKS.values(), _SPACE, _LONE_SPACE, _EMPTY, "‹"])
_JOINERS = "\u200c\u200d"


def clean_label(label: str) -> str:
    r"""Return the label with surrogate pairs joined and lone surrogates as U+FFFD.

    Parameters
    ----------
    label : str

    Returns
    -------
    str
        Always encodable as UTF-8.

    Examples
    --------
    >>> clean_label("\ud83d")
    '�'
    """
    return label.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def read_labels(text: str) -> tuple[str, ...]:
    """Read the label box.

    A list of quoted texts (JSON, or as Python prints it) is read as such. Any other text with a
    comma is comma-separated, with double quotes around labels that hold commas, quotes or outer
    blanks; line ends separate too, and a comma at the end is no label. A text without a comma is
    split at its blanks.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of str
        Empty for a blank text. Lone surrogates become U+FFFD.

    Raises
    ------
    NotNumbers
        For more than 512 labels, a label of more than 200 characters, a quote or a list that is
        not closed.

    Examples
    --------
    >>> read_labels("[CLS] the cat [SEP]")
    ('[CLS]', 'the', 'cat', '[SEP]')
    >>> read_labels('the,",",cat')
    ('the', ',', 'cat')
    >>> read_labels('["New York", " "]')
    ('New York', ' ')
    """
    check_size(text)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    labels = _from_list(text.strip())
    if labels is None:
        labels = _from_commas(text) if "," in text else text.split()
    return check_labels(clean_label(label) for label in labels)


def check_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels as a tuple, within the limits.

    Parameters
    ----------
    labels : iterable of str

    Returns
    -------
    tuple of str

    Raises
    ------
    NotNumbers
        For more than 512 labels and for a label of more than 200 characters.

    Examples
    --------
    >>> check_labels(["the", "cat"])
    ('the', 'cat')
    """
    checked = tuple(islice(labels, MAX_LABELS + 1))
    if len(checked) > MAX_LABELS:
        raise NotNumbers(f"there are more than {MAX_LABELS} labels, which is the limit")
    for position, label in enumerate(checked, 1):
        if len(label) > MAX_LABEL:
            raise NotNumbers(
                f"label {position} is longer than {MAX_LABEL} characters: {quoted(label)}",
                None,
                position,
            )
    return checked


def write_labels(labels: Iterable[str]) -> str:
    """Write labels so that `read_labels` reads exactly these back.

    Parameters
    ----------
    labels : iterable of str
        Within the limits of `read_labels`.

    Returns
    -------
    str
        With plain commas where that is enough, else with CSV quotes, else as JSON.

    Examples
    --------
    >>> write_labels(["the", "cat"]), write_labels(["the", ","])
    ('the,cat', 'the,","')
    >>> write_labels([" "])
    '[" "]'
    """
    cleaned = tuple(clean_label(label) for label in labels)
    for plain in (",".join(cleaned), ",".join(map(_csv, cleaned))):
        try:
            if read_labels(plain) == cleaned:
                return plain
        except NotNumbers:
            continue
    return json.dumps(cleaned, ensure_ascii=False)


def visible_label(label: str) -> str:
    r"""Return what is shown for a label, so that different labels look different.

    Parameters
    ----------
    label : str

    Returns
    -------
    str
        ``∅`` for no text, ``␠`` for a label of spaces, ``␣`` for a space at an end or beside
        another space, ``⏎`` and ``⇥`` for a line end and a tab, ``‹U+0007›`` for other characters
        that cannot be seen, and these signs themselves as ``‹∅›``. All else stays, also the
        tokenizers' own marks ``Ġ``, ``▁`` and ``##``.

    Examples
    --------
    >>> [visible_label(label) for label in (" ", "\n", "\t", "", " a", "a")]
    ['␠', '⏎', '⇥', '∅', '␣a', 'a']
    """
    label = clean_label(label)
    if not label:
        return _EMPTY
    if not label.strip(" "):
        return _LONE_SPACE * len(label)
    return "".join(_visible(label, i) for i in range(len(label)))


def _visible(label: str, i: int) -> str:
    char = label[i]
    before, after = label[i - 1 : i], label[i + 1 : i + 2]
    if char == " ":
        return " " if before.strip(" ") and after.strip(" ") else _SPACE
    if char in _MARKS:
        return _MARKS[char]
    if char in _SIGNS:
        return f"‹{char}›"
    if char in _JOINERS and before > "\x7f" and after > "\x7f":
        return char  # inside an emoji or a Persian word it is what makes one sign of several
    if unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp"):
        return f"‹U+{ord(char):04X}›"
    return char


def _csv(label: str) -> str:
    needs = not label or label != label.strip() or any(c in label for c in ',"\n')
    return '"' + label.replace('"', '""') + '"' if needs else label


def _from_list(text: str) -> list[str] | None:
    """Return the items of a flat list of strings or numbers; None for any other text."""
    if text[:1] not in ("[", "("):
        return None
    closing = {"[": "]", "(": ")"}[text[0]]
    labels: list[str] = []
    position = 1
    while len(labels) <= MAX_LABELS and (item := _ITEM.match(text, position)):
        string, number, mark = item.groups()
        labels.append(number if string is None else _unescaped(string[1:-1]))
        position = item.end()
        if mark != ",":
            if mark == closing and position == len(text):
                return labels
            break
        if (last := _LAST.match(text, position)) and last[1] == closing:
            return labels
    if len(labels) > MAX_LABELS:
        return labels
    if re.fullmatch(r"\[\s*\]", text):
        return []
    if _LIST_STARTS.match(text):
        raise NotNumbers(f"the list of labels is not one list of quoted texts: {quoted(text)}")
    return None


def _unescaped(text: str) -> str:
    def char(escape: re.Match[str]) -> str:
        four, two, eight, letter = escape.groups()
        if letter is not None:
            return _LETTERS.get(letter, letter)
        code = int(four or two or eight, 16)
        return chr(code) if code < 0x110000 else "\ufffd"

    return _ESCAPE.sub(char, text) if "\\" in text else text


def _from_commas(text: str) -> list[str]:
    labels: list[str] = []
    position = 0
    text = text.strip()
    while len(labels) <= MAX_LABELS:
        cell = _CSV.match(text, position)
        assert cell is not None  # every alternative of the pattern may be empty
        inside, plain, mark = cell.groups()
        if inside is None and plain.startswith('"'):
            place = f"label {len(labels) + 1}"
            raise NotNumbers(f"{place} opens a quote that is not closed before its comma")
        last = not mark
        if not (last and inside is None and not plain.strip() and labels):
            labels.append(plain.strip() if inside is None else inside.replace('""', '"'))
        if last:
            break
        position = cell.end()
    return labels
